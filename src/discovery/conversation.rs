//! Which conversation is meant.
//!
//! This file turns what a person or a host named into a conversation's folder.
//! It does not know what `meta.json` says.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::env::{Env, is_conversation_id};

/// The file of a conversation that holds its decisions.
pub const META_FILE: &str = "meta.json";

/// A conversation: a folder, with or without its `meta.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// The conversation's folder, as it was named.
    pub folder: PathBuf,
}

/// Why no conversation could be made of what was named.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConversationError {
    /// Nothing is at the path.
    #[error("there is no conversation at {path}")]
    NotThere {
        /// What was named.
        path: PathBuf,
    },
    /// A file is there, and it is not a `meta.json`.
    #[error("{path} is neither a conversation's folder nor its meta.json")]
    NotAConversation {
        /// What was named.
        path: PathBuf,
    },
    /// No conversation bears the id.
    #[error("no conversation has the id {id} under {searched}/PROJECT/")]
    UnknownId {
        /// The id that was named.
        id: String,
        /// The folder under which it was looked for.
        searched: PathBuf,
    },
    /// The system refused to look.
    #[error("cannot look at {}", path.display())]
    Unreadable {
        /// What was to be looked at.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Several conversations bear the id.
    #[error("several conversations have the id {id}: {}", list(folders))]
    AmbiguousId {
        /// The id that was named.
        id: String,
        /// Their folders.
        folders: Vec<PathBuf>,
    },
    /// An id needs a home to be looked up in.
    #[error("the conversation id {id} cannot be looked up without a home folder")]
    NoHome {
        /// The id that was named.
        id: String,
    },
}

impl Conversation {
    /// Finds the conversation that `env` names, if it names one.
    ///
    /// # Errors
    ///
    /// Returns an error if nothing is there, or if it is no conversation.
    pub fn find(env: &Env) -> Result<Option<Self>, ConversationError> {
        match &env.conversation {
            None => Ok(None),
            Some(path) if is_conversation_id(path) => Self::by_id(path, env).map(Some),
            Some(path) => Self::at(&env.absolute(path)).map(Some),
        }
    }

    /// Returns the path of the conversation's `meta.json`, which need not exist.
    #[must_use]
    pub fn meta_file(&self) -> PathBuf {
        self.folder.join(META_FILE)
    }

    fn at(path: &Path) -> Result<Self, ConversationError> {
        let path_buf = path.to_path_buf();
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if is_absent(&error) => {
                return Err(ConversationError::NotThere { path: path_buf });
            }
            Err(source) => {
                return Err(ConversationError::Unreadable {
                    path: path_buf,
                    source,
                });
            }
        };
        if metadata.is_dir() {
            return Ok(Self { folder: path_buf });
        }
        match path.parent() {
            Some(folder) if path.file_name().is_some_and(|name| name == META_FILE) => Ok(Self {
                folder: folder.to_path_buf(),
            }),
            _ => Err(ConversationError::NotAConversation { path: path_buf }),
        }
    }

    fn by_id(id_path: &Path, env: &Env) -> Result<Self, ConversationError> {
        let id = id_path.to_string_lossy().into_owned();
        let Some(home) = &env.home else {
            return Err(ConversationError::NoHome { id });
        };
        let searched = home.join(".codeaf/v3/projects");
        let projects = match fs::read_dir(&searched) {
            Ok(projects) => Some(projects),
            Err(error) if is_absent(&error) => None,
            Err(source) => {
                return Err(ConversationError::Unreadable {
                    path: searched,
                    source,
                });
            }
        };
        let mut folders: Vec<PathBuf> = projects
            .into_iter()
            .flatten()
            .flatten()
            .map(|project| project.path().join(id_path))
            .filter(|folder| folder.is_dir())
            .collect();
        folders.sort();
        match folders.len() {
            0 => Err(ConversationError::UnknownId { id, searched }),
            1 => Ok(Self {
                folder: folders.remove(0),
            }),
            _ => Err(ConversationError::AmbiguousId { id, folders }),
        }
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

fn list(folders: &[PathBuf]) -> String {
    let texts: Vec<_> = folders
        .iter()
        .map(|folder| folder.display().to_string())
        .collect();
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(root: &Path, named: &str) -> Result<String, String> {
        let mut env = Env::new(root);
        env.home = Some(root.join("home"));
        env.conversation = Some(named.into());
        Conversation::find(&env)
            .map(|found| {
                found
                    .unwrap()
                    .folder
                    .strip_prefix(root)
                    .unwrap()
                    .display()
                    .to_string()
            })
            .map_err(|error| error.to_string().replace(&root.display().to_string(), ""))
    }

    #[test]
    fn a_conversation_is_a_folder_its_meta_file_or_an_id() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path();
        for folder in [
            "empty",
            "talk",
            "home/.codeaf/v3/projects/-a/0123456789abcdef",
            "home/.codeaf/v3/projects/-a/00000000000000aa",
            "home/.codeaf/v3/projects/-b/00000000000000aa",
        ] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        fs::write(root.join("talk/meta.json"), "{}").unwrap();
        fs::write(root.join("talk/notes.json"), "{}").unwrap();

        for (named, found) in [
            ("empty", Ok("empty")),
            ("talk", Ok("talk")),
            ("talk/meta.json", Ok("talk")),
            (
                "empty/meta.json",
                Err("there is no conversation at /empty/meta.json"),
            ),
            (
                "talk/notes.json",
                Err("/talk/notes.json is neither a conversation's folder nor its meta.json"),
            ),
            (
                "0123456789abcdef",
                Ok("home/.codeaf/v3/projects/-a/0123456789abcdef"),
            ),
            (
                "fedcba9876543210",
                Err(
                    "no conversation has the id fedcba9876543210 under /home/.codeaf/v3/projects/PROJECT/",
                ),
            ),
            (
                "00000000000000aa",
                Err("several conversations have the id 00000000000000aa: \
                     /home/.codeaf/v3/projects/-a/00000000000000aa, /home/.codeaf/v3/projects/-b/00000000000000aa"),
            ),
        ] {
            assert_eq!(
                find(root, named),
                found.map(str::to_owned).map_err(str::to_owned),
                "{named}"
            );
        }
    }
}
