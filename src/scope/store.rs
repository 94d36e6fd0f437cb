//! THE write path, and the one way to read a scope file.
//!
//! No other code writes a scope file. A write locks the folder of the real
//! file, reads the file again, edits, and puts a new file in its place with
//! one rename: whoever reads sees the old file or the new one, whole. What the
//! edit does to the text, [`edit`](super::edit) decides.

mod disk;
mod folder;
mod links;

use std::io;
use std::path::{Path, PathBuf};

use super::edit::{self, Change};
use super::file::{Decisions, Document, Fault};
use super::{Scope, ScopePath};
use crate::limits::Limits;
use disk::Content;
use folder::Folder;

/// How often an edit begins again when somebody else changed the file, or
/// moved its folder, in the middle. Only programs that take no lock can do so.
const ATTEMPTS: usize = 16;

/// Why a scope file could not be replaced.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another program kept changing the file between our read and our write.
    #[error("{} kept changing while it was being edited", path.display())]
    Conflict {
        /// The scope file.
        path: PathBuf,
    },
    /// The file exists but is not a scope file that we can keep intact.
    #[error("cannot edit {fault}")]
    Unreadable {
        /// The scope file.
        path: PathBuf,
        /// What is wrong with it, and where.
        fault: Box<Fault>,
    },
    /// The scope file is a link, or stands in one, that leaves the folder it
    /// may not leave.
    #[error(
        "{} leads to {}, outside the project {}",
        path.display(), target.display(), within.display()
    )]
    LinkLeaves {
        /// The scope file.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
        /// The real folder of the project.
        within: PathBuf,
    },
    /// The scope file is a link into a folder that does not exist.
    #[error("{} is a link, and {} does not exist", path.display(), folder.display())]
    LinkDangles {
        /// The scope file.
        path: PathBuf,
        /// The folder that is missing.
        folder: PathBuf,
    },
    /// There is no conversation to write to: its `meta.json` is missing.
    #[error("there is no conversation at {}: its meta.json is missing", path.display())]
    NoConversation {
        /// The `meta.json` that is not there.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was refused, in plain words.
        action: &'static str,
        /// The file or folder that it was refused for.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

impl StoreError {
    fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io {
            action,
            path: path.to_path_buf(),
            source,
        }
    }

    fn unreadable(fault: Fault) -> Self {
        Self::Unreadable {
            path: fault.diagnostic.path.clone(),
            fault: Box::new(fault),
        }
    }

    /// Returns what to do about it, if there is something to type or change.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Conflict { .. } => Some("try again when the other program is done".to_owned()),
            Self::Unreadable { fault, .. } => fault.diagnostic.help.clone(),
            Self::LinkLeaves { .. } => Some(
                "a repository must not lead a write elsewhere: replace the link with a file, or use --global"
                    .to_owned(),
            ),
            Self::LinkDangles { folder, .. } => {
                Some(format!("make the folder {}, or remove the link", folder.display()))
            }
            Self::NoConversation { .. } => {
                Some("start the conversation first, or use --project or --global".to_owned())
            }
            Self::Io { .. } => None,
        }
    }
}

/// Whether an edit had anything to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The file was replaced.
    Changed,
    /// Every change already held, and nothing was touched.
    Unchanged,
}

/// What an edit did.
#[derive(Debug, Clone)]
pub struct Edited {
    /// Whether anything was written.
    pub outcome: Outcome,
    /// What the scope says now.
    pub decisions: Decisions,
    /// The real file, behind all links.
    pub file: PathBuf,
}

/// What an edit would do. The texts are equal where it would do nothing, and
/// `before` is empty where there is no file yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// The text of the file now.
    pub before: String,
    /// The text that an edit would write.
    pub after: String,
}

/// Reads what a scope says.
///
/// A file that does not exist has no decisions. One that cannot be read, or is
/// malformed, has none either, but a [`Decisions::fault`]. Links are followed.
#[must_use]
pub fn load(place: &ScopePath, limits: &Limits) -> Decisions {
    let (scope, path) = (place.scope, &place.file);
    match disk::read(path, limits.scope_bytes) {
        Ok(Some(content)) => Decisions::parse(scope, path, &content.bytes, limits),
        Ok(None) => Decisions::missing(scope, path),
        Err(error) => Decisions::faulty(scope, path, unopened(path, &error)),
    }
}

/// Returns the texts of the file before and after an edit, and writes nothing:
/// no folder and no lock either.
///
/// # Errors
///
/// Those of [`edit`] that can be known without writing.
pub fn preview(
    place: &ScopePath,
    changes: &[Change],
    limits: &Limits,
) -> Result<Preview, StoreError> {
    let file = links::real_file(place)?;
    let draft = Draft::read(place, &file, changes, limits)?;
    let before = match draft.before {
        // What is not UTF-8 was refused as malformed.
        Some(content) => String::from_utf8_lossy(&content.bytes).into_owned(),
        None => String::new(),
    };
    let after = draft.after.unwrap_or_else(|| before.clone());
    Ok(Preview { before, after })
}

/// Writes `changes` into one scope, all of them or none.
///
/// Where every change already holds, nothing is touched: no folder, no lock, no
/// time stamp. Otherwise the folder is made if it is missing, and the file is
/// replaced as a whole; mode and owner stay, and a link stays a link. A file
/// whose owner we may not keep is refused rather than taken over. Waits while
/// another writer holds the folder's lock.
///
/// # Errors
///
/// Whatever the error, the file is what it was, and no temporary file or new
/// folder is left behind. See [`StoreError`].
pub fn edit(place: &ScopePath, changes: &[Change], limits: &Limits) -> Result<Edited, StoreError> {
    for _ in 0..ATTEMPTS {
        let file = links::real_file(place)?;
        let draft = Draft::read(place, &file, changes, limits)?;
        if draft.after.is_none() {
            return Ok(draft.edited(Outcome::Unchanged, file));
        }
        let Some(folder) = Folder::lock(place, &file)? else {
            continue;
        };
        // What was true before the lock may be so no more.
        if links::real_file(place)? != file {
            continue;
        }
        let draft = Draft::read(place, &file, changes, limits)?;
        let Some(after) = &draft.after else {
            return Ok(draft.edited(Outcome::Unchanged, file));
        };
        if folder.replace(&file, draft.before.as_ref(), after)? {
            return Ok(draft.edited(Outcome::Changed, file));
        }
    }
    Err(StoreError::Conflict {
        path: place.file.clone(),
    })
}

/// Why the file could not be opened, as a fault.
fn unopened(path: &Path, error: &io::Error) -> Fault {
    let message = match error.kind() {
        io::ErrorKind::IsADirectory => "a folder is in the place of the file".to_owned(),
        _ => format!("the file cannot be read: {error}"),
    };
    Fault::unreadable(path, message)
}

/// One reading of the file, and what the changes make of it.
struct Draft {
    before: Option<Content>,
    /// The new text; `None` where every change already holds.
    after: Option<String>,
    /// What the scope says once the changes hold.
    decisions: Decisions,
}

impl Draft {
    fn read(
        place: &ScopePath,
        file: &Path,
        changes: &[Change],
        limits: &Limits,
    ) -> Result<Self, StoreError> {
        let path = &place.file;
        let before = disk::read(file, limits.scope_bytes)
            .map_err(|error| StoreError::unreadable(unopened(path, &error)))?;
        let bytes = match &before {
            Some(content) => content.bytes.as_slice(),
            None => edit::MISSING.as_bytes(),
        };
        let document =
            Document::parse(place.scope, path, bytes, limits).map_err(StoreError::unreadable)?;
        let after = edit::edited(&document, changes);
        let decisions = match &after {
            Some(_) if before.is_none() && place.scope == Scope::Conversation => {
                return Err(StoreError::NoConversation { path: path.clone() });
            }
            Some(after) => Decisions::parse(place.scope, path, after.as_bytes(), limits),
            None => Decisions::parse(place.scope, path, bytes, limits),
        };
        // Also of the new text: an edit can take a file over its bound, and then
        // nobody could read it any more.
        match decisions.fault() {
            Some(fault) => Err(StoreError::unreadable(fault.clone())),
            None => Ok(Self {
                before,
                after,
                decisions,
            }),
        }
    }

    fn edited(self, outcome: Outcome, file: PathBuf) -> Edited {
        Edited {
            outcome,
            decisions: self.decisions,
            file,
        }
    }
}
