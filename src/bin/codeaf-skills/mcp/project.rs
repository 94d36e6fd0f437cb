//! Which project is served: the roots that a client names, else the working
//! folder.

use std::path::{Path, PathBuf};

use codeaf_skills::Env;
use percent_encoding::percent_decode_str;

use super::limits;

/// Returns `env` with the first of `roots` as its start and the others attached,
/// and what became of roots that cannot be used. Without a usable root the
/// environment stays as it is.
pub(super) fn with_roots(env: &Env, roots: &[String]) -> (Env, Vec<String>) {
    let mut passed_over = Vec::new();
    let mut folders = Vec::new();
    for uri in roots.iter().take(limits::ROOTS) {
        match folder(uri) {
            Ok(folder) if folders.contains(&folder) => {}
            Ok(folder) => folders.push(folder),
            Err(why) => {
                passed_over.push(format!("the client's root `{uri}` is passed over: {why}"));
            }
        }
    }
    if roots.len() > limits::ROOTS {
        let more = roots.len() - limits::ROOTS;
        passed_over.push(format!("{more} more roots of the client are passed over"));
    }
    let mut env = env.clone();
    let mut folders = folders.into_iter();
    if let Some(start) = folders.next() {
        env.start = start;
        env.folders.extend(folders);
    }
    (env, passed_over)
}

/// Returns the folder of a `file:` URI, links resolved.
fn folder(uri: &str) -> Result<PathBuf, String> {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    let rest = uri.strip_prefix("file://").ok_or("it is not a file: URI")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        return Err("it is on another machine".to_owned());
    }
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let bytes: Vec<u8> = percent_decode_str(path).collect();
    let path = PathBuf::from(OsString::from_vec(bytes));
    let real = path
        .canonicalize()
        .map_err(|error| codeaf_skills::text::system_words(&error))?;
    if real.is_dir() {
        Ok(real)
    } else {
        Err("it is not a folder".to_owned())
    }
}

/// Returns `env` with every path absolute, so that a moved start moves nothing
/// else.
pub(super) fn anchored(env: &Env) -> Env {
    let absolute = |paths: &[PathBuf]| paths.iter().map(|path| env.absolute(path)).collect();
    let is_id = |path: &Path| codeaf_skills::env::is_conversation_id(path);
    Env {
        given_roots: absolute(&env.given_roots),
        folders: absolute(&env.folders),
        conversation: env.conversation.as_ref().map(|path| {
            if is_id(path) {
                path.clone()
            } else {
                env.absolute(path)
            }
        }),
        ..env.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_first_root_is_the_project_and_the_others_are_attached() {
        let temporary = tempfile::tempdir().unwrap();
        let top = temporary.path().canonicalize().unwrap();
        for name in ["a", "b c"] {
            fs::create_dir(top.join(name)).unwrap();
        }
        fs::write(top.join("file"), "").unwrap();
        let uri = |name: &str| format!("file://{}/{name}", top.display());
        let roots = [
            "https://example.com/a".to_owned(),
            uri("none"),
            uri("file"),
            uri("a"),
            uri("b%20c"),
            uri("a/"),
            "file://elsewhere/a".to_owned(),
            format!("file://localhost{}/a", top.display()),
        ];

        let (env, passed_over) = with_roots(&Env::new("/start"), &roots);

        assert_eq!(env.start, top.join("a"));
        assert_eq!(env.folders, [top.join("b c")]);
        let reasons: Vec<_> = passed_over
            .iter()
            .map(|words| words.split(" over: ").nth(1).unwrap())
            .collect();
        assert_eq!(
            reasons,
            [
                "it is not a file: URI",
                "no such file or directory",
                "it is not a folder",
                "it is on another machine"
            ]
        );
    }

    #[test]
    fn without_a_usable_root_nothing_moves() {
        let env = Env::new("/start");

        for roots in [&[][..], &[String::new()], &["file:///".repeat(2)]] {
            assert_eq!(with_roots(&env, roots).0.start, env.start, "{roots:?}");
        }
    }

    #[test]
    fn a_moved_start_moves_no_other_path() {
        let mut env = Env::new("/start");
        env.given_roots = vec!["skills".into(), "/given".into()];
        env.conversation = Some("0123456789abcdef".into());

        let env = anchored(&env);

        let given: [PathBuf; 2] = ["/start/skills".into(), "/given".into()];
        assert_eq!(env.given_roots, given);
        assert_eq!(env.conversation, Some("0123456789abcdef".into()));
    }
}
