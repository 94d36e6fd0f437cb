//! The folder of a scope file while it is being written: made if it is missing,
//! and gone again if the write failed.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::{Scope, ScopePath, StoreError};
use crate::disk::{self, Content, Made};

/// The locked folder of the real file.
pub(super) struct Folder {
    /// Goes before the lock does.
    made: Made,
    locked: disk::Folder,
}

impl Folder {
    /// Makes the folder of `file` if it is missing, and locks it. `None`: it
    /// was moved or removed meanwhile.
    pub(super) fn lock(
        place: &ScopePath,
        file: &Path,
        patience: Duration,
    ) -> Result<Option<Self>, StoreError> {
        let Some(path) = file.parent() else {
            let no_folder = io::ErrorKind::InvalidInput.into();
            return Err(StoreError::io("find the folder of", file, no_folder));
        };
        let made = Made::folders(path, mode_of_folder(place.scope))?;
        let locked = disk::Folder::lock(path, patience)?;
        Ok(locked.map(|locked| Self { made, locked }))
    }

    /// Puts a file with the text `after` in the place of `file`. Returns
    /// whether that was done: not if the file is no longer as it was `before`.
    pub(super) fn replace(
        mut self,
        file: &Path,
        before: Option<&Content>,
        after: &str,
    ) -> Result<bool, StoreError> {
        let is_done = self.locked.replace(file, before, after.as_bytes())?;
        if is_done {
            self.made.stay();
        }
        Ok(is_done)
    }
}

/// Returns the mode of a folder that is made for a scope file: a home's is for
/// its user alone, a project's is what the umask allows.
fn mode_of_folder(scope: Scope) -> u32 {
    match scope {
        Scope::Global | Scope::Conversation => 0o700,
        Scope::Project => 0o777,
    }
}
