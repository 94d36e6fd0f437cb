//! Where a conversation is kept, and how a new one begins.
//!
//! That the folder and its `meta.json` are written whole is the store's.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::error::ChatError;
use super::tags::new_id;
use crate::discovery::conversation::{Conversation, ConversationError, META_FILE};
use crate::env::{Env, is_conversation_id};
use crate::scope::{self, Scope, ScopePath, StoreError};
use crate::text::path_text;

/// Finds the conversation that `env` names, starts it if it is not there, and
/// lets `env` name its folder. Without a name a new one begins.
pub(super) fn begin(env: &mut Env) -> Result<PathBuf, ChatError> {
    let folder = folder(env)?;
    let meta = ScopePath {
        scope: Scope::Conversation,
        file: folder.join(META_FILE),
        within: None,
    };
    let id = match folder.file_name() {
        Some(name) if is_conversation_id(Path::new(name)) => path_text(Path::new(name)).into(),
        _ => new_id(),
    };
    let text = json!({"id": id, "workspace": path_text(&env.start)});
    match scope::begin(&meta, &text, &env.limits) {
        // It is there, and may be mended while we run.
        Ok(_) | Err(StoreError::Unreadable { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    // A new one is called as it will be when it is found again.
    let folder = folder.canonicalize().unwrap_or(folder);
    env.conversation = Some(folder.clone());
    Ok(folder)
}

fn folder(env: &Env) -> Result<PathBuf, ChatError> {
    match Conversation::find(env) {
        Ok(Some(found)) => Ok(found.folder),
        Ok(None) => Ok(projects(env)?.join(new_id())),
        Err(ConversationError::NotThere { path }) => {
            let is_meta = path.file_name().is_some_and(|name| name == META_FILE);
            let folder = path.parent().filter(|_| is_meta).map(Path::to_path_buf);
            Ok(folder.unwrap_or(path))
        }
        Err(ConversationError::UnknownId { id, .. }) => Ok(projects(env)?.join(id)),
        Err(error) => Err(error.into()),
    }
}

/// Returns the folder of the conversations that start in this working folder:
/// its path with `-` for each separator, as codeaf has it.
fn projects(env: &Env) -> Result<PathBuf, ChatError> {
    let home = env.home.as_ref().ok_or(ChatError::NoPlace)?;
    let bucket = path_text(&env.start).replace(['/', ':'], "-");
    Ok(home.join(".codeaf/v3/projects").join(bucket))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_conversation_begins_where_it_is_named_or_under_home() {
        let temporary = tempfile::tempdir().unwrap();
        let top = temporary.path().canonicalize().unwrap();
        fs::create_dir(top.join("old")).unwrap();
        let begun = |named: Option<&str>| {
            let mut env = Env::new(&top);
            env.home = Some(top.join("home"));
            env.conversation = named.map(Into::into);
            let folder = begin(&mut env).unwrap();
            assert_eq!(env.conversation, Some(folder.clone()));
            let meta = fs::read_to_string(folder.join(META_FILE)).unwrap();
            let meta: serde_json::Value = serde_json::from_str(&meta).unwrap();
            assert_eq!(meta["workspace"], top.to_str().unwrap());
            let folder = folder
                .strip_prefix(&top)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            (folder, meta["id"].as_str().unwrap().to_owned())
        };
        let bucket = format!(
            "home/.codeaf/v3/projects/{}",
            top.to_str().unwrap().replace('/', "-")
        );

        let (unnamed, id) = begun(None);
        let by_id = begun(Some("0123456789abcdef"));
        let again = begun(Some("0123456789abcdef"));

        assert_eq!(unnamed, format!("{bucket}/{id}"));
        assert!(is_conversation_id(Path::new(&id)));
        assert_eq!(
            by_id,
            (
                format!("{bucket}/0123456789abcdef"),
                "0123456789abcdef".to_owned()
            )
        );
        assert_eq!(by_id, again);
        assert_eq!(begun(Some("old")).0, "old");
        assert_eq!(begun(Some("new/one")).0, "new/one");
        assert_eq!(begun(Some("new/two/meta.json")).0, "new/two");
        assert_eq!(begun(Some("old/../new/three")).0, "new/three");
        assert_ne!(begun(None).1, begun(None).1);
    }

    #[test]
    fn without_a_home_a_conversation_must_be_named() {
        let temporary = tempfile::tempdir().unwrap();
        let mut env = Env::new(temporary.path());

        assert!(matches!(begin(&mut env), Err(ChatError::NoPlace)));
        env.conversation = Some(temporary.path().join("here"));
        assert!(begin(&mut env).is_ok());
    }

    #[test]
    fn a_meta_file_that_is_there_stays_whatever_is_in_it() {
        let temporary = tempfile::tempdir().unwrap();
        let meta = temporary.path().join(META_FILE);
        fs::write(&meta, "{broken").unwrap();
        let mut env = Env::new("/");
        env.conversation = Some(temporary.path().to_path_buf());

        begin(&mut env).unwrap();

        assert_eq!(fs::read_to_string(meta).unwrap(), "{broken");
    }
}
