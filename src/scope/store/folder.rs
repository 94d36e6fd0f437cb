//! The folder of a scope file while it is being written: made if missing,
//! locked, and left without any trace of a write that failed.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::disk::{self, Content, Lock};
use super::{Scope, ScopePath, StoreError};

/// A temporary file is called this, a process id, a number, and [`SUFFIX`]:
/// any later write knows it, whatever file it was meant to become.
const PREFIX: &str = ".codeaf-skills-";
const SUFFIX: &str = ".tmp";

/// Names that are tried for a temporary file. One is taken only where there
/// are no locks and a killed process had the same id.
const NAMES: usize = 64;

/// The locked folder of the real file.
///
/// The lock is on the folder itself: no lock file stays behind, and the rename
/// that puts a new file in its place does not take the lock away.
pub(super) struct Folder {
    /// Goes before the lock does.
    made: Made,
    path: PathBuf,
    opened: File,
    is_locked: bool,
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
        let opened = match disk::open_folder(path) {
            Ok(opened) => opened,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(StoreError::io("open the folder", path, source)),
        };
        let failed = |source| StoreError::io("lock the folder", path, source);
        let mut folder = Self {
            made,
            path: path.to_path_buf(),
            opened,
            is_locked: false,
        };
        folder.is_locked = match disk::lock(&folder.opened, patience).map_err(failed)? {
            Lock::Held => true,
            Lock::Impossible => false,
            Lock::Busy => {
                return Err(StoreError::Busy {
                    path: path.to_path_buf(),
                });
            }
        };
        // A writer that failed may have removed the folder that it had made.
        let is_there = disk::is_same_folder(&folder.opened, path).map_err(failed)?;
        Ok(is_there.then_some(folder))
    }

    /// Puts a file with the text `after` in the place of `file`. Returns
    /// whether that was done: not if the file is no longer as it was `before`.
    pub(super) fn replace(
        mut self,
        file: &Path,
        before: Option<&Content>,
        after: &str,
    ) -> Result<bool, StoreError> {
        self.sweep();
        let temporary = self.write_temporary(file, before, after)?;
        let now = disk::read(file, before.map_or(0, |content| content.bytes.len() as u64))
            .map_err(|source| StoreError::io("read", file, source))?;
        if now.as_ref() != before {
            return Ok(false);
        }
        disk::rename(&temporary.path, file)
            .map_err(|source| StoreError::io("replace", file, source))?;
        temporary.became_the_file();
        self.made.stay();
        // The new file is in its place, and some file systems cannot sync a
        // folder: to report a failure here would say that nothing was written.
        let _ = disk::sync(&self.opened);
        Ok(true)
    }

    /// Removes what killed writers left. Only under the lock: then no living
    /// writer has a temporary file here.
    fn sweep(&self) {
        if !self.is_locked {
            return;
        }
        // What cannot be removed now harms nobody; the next write tries again.
        for name in disk::names(&self.path).unwrap_or_default() {
            if name.to_str().is_some_and(is_temporary) {
                let _ = disk::remove(&self.path.join(name));
            }
        }
    }

    fn write_temporary(
        &self,
        file: &Path,
        before: Option<&Content>,
        after: &str,
    ) -> Result<Temporary, StoreError> {
        // A new file gets what the umask allows. One that takes another's place
        // is closed to others until it has that file's owner and mode.
        let mode = if before.is_some() { 0o600 } else { 0o666 };
        let (temporary, opened) = Temporary::create(&self.path, mode)
            .map_err(|source| StoreError::io("make a file in", &self.path, source))?;
        if let Some(content) = before {
            disk::set_keep(&opened, content.keep)
                .map_err(|source| StoreError::io("keep the owner and mode of", file, source))?;
        }
        disk::write(&opened, after.as_bytes())
            .and_then(|()| disk::sync(&opened))
            .map_err(|source| StoreError::io("write", file, source))?;
        Ok(temporary)
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

fn is_temporary(name: &str) -> bool {
    name.strip_prefix(PREFIX)
        .and_then(|rest| rest.strip_suffix(SUFFIX))
        .is_some_and(|middle| middle.bytes().all(|b| b.is_ascii_digit() || b == b'-'))
}

/// Folders that were made for a file. They go again, unless they are to stay.
#[derive(Default)]
struct Made(Vec<PathBuf>);

impl Made {
    /// Makes `folder`, and what is missing above it.
    fn folders(folder: &Path, mode: u32) -> Result<Self, StoreError> {
        let mut new = Self::default();
        let missing: Vec<&Path> = folder
            .ancestors()
            .take_while(|path| !path.is_dir())
            .collect();
        for path in missing.into_iter().rev() {
            let is_new = disk::make_folder(path, mode)
                .map_err(|source| StoreError::io("make the folder", path, source))?;
            if is_new {
                new.0.push(path.to_path_buf());
            }
        }
        Ok(new)
    }

    fn stay(&mut self) {
        self.0.clear();
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for path in self.0.iter().rev() {
            // Fails where another writer has put a file there, as it should.
            let _ = disk::remove_folder(path);
        }
    }
}

/// A temporary file. It goes again, unless it became the file.
struct Temporary {
    path: PathBuf,
    is_waste: bool,
}

impl Temporary {
    fn create(folder: &Path, mode: u32) -> io::Result<(Self, File)> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let mut names = 0;
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let process = std::process::id();
            let path = folder.join(format!("{PREFIX}{process}-{number}{SUFFIX}"));
            names += 1;
            match disk::create(&path, mode) {
                Ok(file) => {
                    let temporary = Self {
                        path,
                        is_waste: true,
                    };
                    return Ok((temporary, file));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && names < NAMES => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn became_the_file(mut self) {
        self.is_waste = false;
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if self.is_waste {
            let _ = disk::remove(&self.path);
        }
    }
}
