//! Personal skills as folders, for programs that know no store.
//!
//! Everything that can be known is known before anything is written, and every
//! text is on the disk before the first folder gets its name.

use std::io;
use std::path::{Path, PathBuf};

use super::{Owner, PersonalStore, StoreFault};
use crate::disk::{Draft, Folder, Made, Refused};
use crate::limits::Limits;
use crate::text::counted;

/// The one file of a skill.
const SKILL_FILE: &str = "SKILL.md";

/// Bytes of a folder's name where the file system does not tell.
const NAME_BYTES: u64 = 255;

/// Why skills were not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The store gave no answer.
    #[error(transparent)]
    Store(#[from] StoreFault),
    /// Something is in the place of a folder. Nothing was written.
    #[error("{} is there already", path.display())]
    Exists {
        /// What is there.
        path: PathBuf,
        /// Whether its SKILL.md could be replaced.
        is_skill: bool,
    },
    /// The file system takes no folder of that name. Nothing was written.
    #[error("the skill `{name}` cannot be a folder: its name has {} bytes, and {most} are the most there", name.len())]
    NameTooLong {
        /// The skill's name.
        name: String,
        /// The most bytes.
        most: u64,
    },
    /// Another program keeps the folder locked. Nothing was written.
    #[error("another program keeps {} locked", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was refused, in plain words.
        action: &'static str,
        /// The file or folder that it was refused for.
        path: PathBuf,
        /// How many skills had been written by then; they stay.
        written: usize,
        /// What the operating system said.
        source: io::Error,
    },
}

impl ExportError {
    /// Returns the next step.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::Store(fault) => return fault.help(),
            Self::Exists { is_skill: true, .. } => {
                "nothing was written; `--force` puts the stored text into its SKILL.md".to_owned()
            }
            Self::Exists { .. } => {
                "nothing was written; it is no folder with a plain SKILL.md: move it away"
                    .to_owned()
            }
            Self::NameTooLong { .. } => {
                "nothing was written; add the skill under a shorter name and remove this one"
                    .to_owned()
            }
            Self::Busy { .. } => "try again when the other program is done".to_owned(),
            Self::Io { written: 0, .. } => {
                "nothing was written; see who owns the folder, and whether the disk is full"
                    .to_owned()
            }
            Self::Io { written, .. } => format!(
                "{} had been written before and stayed; mend the cause and say the command again with `--force`",
                counted(*written, "skill")
            ),
        })
    }

    fn refused(refused: Refused, written: usize) -> Self {
        let Refused {
            action,
            path,
            source,
        } = refused;
        if source.kind() == io::ErrorKind::WouldBlock {
            return Self::Busy { path };
        }
        Self::Io {
            action,
            path,
            written,
            source,
        }
    }
}

/// Writes `dir/NAME/SKILL.md` for each skill of the user, and returns the files.
///
/// The texts are those of the store, byte for byte. What is there stays, unless
/// `force` allows to replace its SKILL.md; never is a link written through.
///
/// # Errors
///
/// See [`ExportError`]: all but the last kind are known before anything is
/// written.
pub fn export(
    store: &dyn PersonalStore,
    dir: &Path,
    force: bool,
    limits: &Limits,
) -> Result<Vec<PathBuf>, ExportError> {
    let mut texts = Vec::new();
    let most = name_bytes(dir);
    for entry in store.list(Owner::Me)? {
        let folder = dir.join(&entry.name);
        may_write(&entry.name, &folder, force, most)?;
        // One that was removed meanwhile is none any more.
        if let Some(text) = store.read(Owner::Me, &entry.name)? {
            texts.push((folder, text));
        }
    }
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    let refused = |refused| ExportError::refused(refused, 0);
    let mut made = Made::folders(dir, 0o777).map_err(refused)?;
    let Some(locked) = Folder::lock(dir, limits.lock_patience).map_err(refused)? else {
        let gone = Refused::new("open the folder", dir, io::ErrorKind::NotFound.into());
        return Err(refused(gone));
    };
    locked.sweep();
    let mut drafts = Vec::with_capacity(texts.len());
    for (folder, text) in texts {
        drafts.push((folder, locked.draft(SKILL_FILE, &text).map_err(refused)?));
    }
    let written = publish(drafts)?;
    made.stay();
    locked.sync();
    Ok(written)
}

fn publish(drafts: Vec<(PathBuf, Draft)>) -> Result<Vec<PathBuf>, ExportError> {
    let mut written = Vec::with_capacity(drafts.len());
    for (folder, draft) in drafts {
        let file = folder.join(SKILL_FILE);
        let published = if folder.is_dir() {
            draft.become_file(&file)
        } else {
            draft.become_folder(&folder)
        };
        published.map_err(|refused| ExportError::refused(refused, written.len()))?;
        written.push(file);
    }
    Ok(written)
}

/// Refuses what could not be made, and to write over what is there; through a
/// link even by force.
fn may_write(name: &str, folder: &Path, force: bool, most: u64) -> Result<(), ExportError> {
    if name.len() as u64 > most {
        return Err(ExportError::NameTooLong {
            name: name.to_owned(),
            most,
        });
    }
    let Ok(found) = folder.symlink_metadata() else {
        return Ok(());
    };
    let file = folder.join(SKILL_FILE).symlink_metadata();
    let is_skill = found.is_dir() && file.map_or(true, |file| file.is_file());
    if force && is_skill {
        return Ok(());
    }
    Err(ExportError::Exists {
        path: folder.to_path_buf(),
        is_skill,
    })
}

/// Returns how long a folder's name may be where `dir` is or is going to be.
fn name_bytes(dir: &Path) -> u64 {
    let there = dir.ancestors().find(|path| path.is_dir());
    let found = there.and_then(|path| rustix::fs::statvfs(path).ok());
    found.map_or(NAME_BYTES, |found| found.f_namemax)
}
