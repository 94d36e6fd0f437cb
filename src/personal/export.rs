//! Personal skills as folders, for programs that know no store.
//!
//! Everything that can be known is known before anything is written, and every
//! text is on the disk before the first folder gets its name.

use std::io;
use std::path::{Path, PathBuf};

use super::{Owner, PersonalStore, StoreFault};
use crate::disk::{Draft, Folder, Made, Refused};
use crate::limits::Limits;
use crate::name::SKILL_FILE;
use crate::text::counted;

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
    /// Returns the stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Store(fault) => fault.code(),
            Self::Exists { .. } => "skill-exists",
            Self::NameTooLong { .. } | Self::Busy { .. } | Self::Io { .. } => "skill-not-written",
        }
    }

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
            Self::Io {
                written: 0, source, ..
            } => format!("nothing was written; {}", remedy(source)),
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
    for entry in store.list(Owner::Me)? {
        // One that was removed meanwhile is none any more.
        if let Some(text) = store.read(Owner::Me, &entry.name)? {
            texts.push((entry.name, text));
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
    // Not before the lock: another export may have been earlier.
    let most = name_bytes(dir);
    for (name, _) in &texts {
        may_write(name, &dir.join(name), force, most)?;
    }
    let mut drafts = Vec::with_capacity(texts.len());
    for (name, text) in texts {
        let draft = locked.draft(SKILL_FILE, &text).map_err(refused)?;
        drafts.push((dir.join(name), draft));
    }
    let written = publish(drafts, force)?;
    made.stay();
    locked.sync();
    Ok(written)
}

/// Gives the drafts their names. What a program without the lock put there in
/// the meantime is refused by the rename: nothing takes the place of a link or of
/// a folder with something in it.
fn publish(drafts: Vec<(PathBuf, Draft)>, force: bool) -> Result<Vec<PathBuf>, ExportError> {
    let mut written = Vec::with_capacity(drafts.len());
    for (folder, draft) in drafts {
        let file = folder.join(SKILL_FILE);
        let is_folder = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_dir());
        let published = if force && is_folder(&folder) {
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

/// Returns the next step after what the system refused.
fn remedy(refusal: &io::Error) -> &'static str {
    match refusal.kind() {
        io::ErrorKind::AlreadyExists
        | io::ErrorKind::NotADirectory
        | io::ErrorKind::DirectoryNotEmpty => {
            "something else is in its place: move that away, or name another folder"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "make room on the disk, or name a folder on another one"
        }
        _ => "see who owns the folder, or name another one",
    }
}

/// Returns how long a folder's name may be where `dir` is or is going to be.
fn name_bytes(dir: &Path) -> u64 {
    let there = dir.ancestors().find(|path| path.is_dir());
    let found = there.and_then(|path| rustix::fs::statvfs(path).ok());
    found.map_or(NAME_BYTES, |found| found.f_namemax)
}

#[cfg(test)]
mod tests {
    use std::fmt;
    use std::fs;
    use std::sync::{Arc, Mutex};

    use super::super::test_store::Store;
    use super::super::{Entry, PersonalError, PersonalSkill, Record};
    use super::*;

    const OURS: &str = "---\nname: a\ndescription: Ours.\n---\nOurs.\n";
    const THEIRS: &str = "---\nname: a\ndescription: Theirs.\n---\nTheirs.\n";

    /// Something that happens between the list of a store and its texts.
    type Meanwhile = Box<dyn FnOnce() + Send>;

    /// A store that is slow enough for others to act while it is read.
    struct Slow(Arc<Store>, Mutex<Option<Meanwhile>>);

    impl Slow {
        fn with(meanwhile: impl FnOnce() + Send + 'static) -> Self {
            Self(
                Store::of(&[("a", OURS)]),
                Mutex::new(Some(Box::new(meanwhile))),
            )
        }
    }

    impl fmt::Debug for Slow {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.0.fmt(f)
        }
    }

    impl PersonalStore for Slow {
        fn place(&self) -> &str {
            self.0.place()
        }

        fn list(&self, owner: Owner<'_>) -> Result<Vec<Entry>, StoreFault> {
            self.0.list(owner)
        }

        fn read(&self, owner: Owner<'_>, name: &str) -> Result<Option<Vec<u8>>, StoreFault> {
            if let Some(meanwhile) = self.1.lock().unwrap().take() {
                meanwhile();
            }
            self.0.read(owner, name)
        }

        fn add(&self, skill: &PersonalSkill) -> Result<(), PersonalError> {
            self.0.add(skill)
        }

        fn replace(&self, skill: &PersonalSkill) -> Result<bool, PersonalError> {
            self.0.replace(skill)
        }

        fn remove(&self, owner: Owner<'_>, name: &str) -> Result<(), PersonalError> {
            PersonalStore::remove(&*self.0, owner, name)
        }

        fn audit(
            &self,
            name: Option<&str>,
            after: i64,
            most: usize,
        ) -> Result<Vec<Record>, StoreFault> {
            self.0.audit(name, after, most)
        }
    }

    #[test]
    fn of_two_exports_at_once_the_second_writes_over_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        let place = out.clone();
        let store = Slow::with(move || {
            let other = Store::of(&[("a", THEIRS)]);
            export(&*other, &place, false, &Limits::DEFAULT).unwrap();
        });

        let error = export(&store, &out, false, &Limits::DEFAULT).unwrap_err();

        assert_eq!(error.code(), "skill-exists");
        assert_eq!(fs::read_to_string(out.join("a/SKILL.md")).unwrap(), THEIRS);
    }

    #[test]
    fn a_link_that_comes_meanwhile_is_not_written_through() {
        let dir = tempfile::tempdir().unwrap();
        let (out, other) = (dir.path().join("out"), dir.path().join("other"));
        fs::create_dir_all(&other).unwrap();
        fs::create_dir_all(&out).unwrap();
        let (link, aim) = (out.join("a"), other.clone());
        let store = Slow::with(move || std::os::unix::fs::symlink(aim, link).unwrap());

        let error = export(&store, &out, true, &Limits::DEFAULT).unwrap_err();

        assert_eq!(error.code(), "skill-exists");
        assert!(fs::read_dir(&other).unwrap().next().is_none());
    }

    #[test]
    fn help_is_about_what_was_refused() {
        for (kind, words) in [
            (
                io::ErrorKind::AlreadyExists,
                "nothing was written; something else is in its place: move that away, or name another folder",
            ),
            (
                io::ErrorKind::StorageFull,
                "nothing was written; make room on the disk, or name a folder on another one",
            ),
            (
                io::ErrorKind::PermissionDenied,
                "nothing was written; see who owns the folder, or name another one",
            ),
        ] {
            let refused = Refused::new("write", Path::new("/x"), kind.into());
            let error = ExportError::refused(refused, 0);
            assert_eq!(error.help().as_deref(), Some(words));
        }
    }
}
