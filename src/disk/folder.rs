//! A folder in which a file is being replaced: locked, and left without any
//! trace of a write that failed.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::{Content, Lock};

/// A temporary file is called this, a process id, a number, and [`SUFFIX`]:
/// any later write knows it, whatever file it was meant to become.
const PREFIX: &str = ".codeaf-skills-";
const SUFFIX: &str = ".tmp";

/// Names that are tried for a temporary file. One is taken only where there
/// are no locks and a killed process had the same id.
const NAMES: usize = 64;

/// What the operating system refused to do.
#[derive(Debug)]
pub(crate) struct Refused {
    /// What was refused, in plain words.
    pub(crate) action: &'static str,
    /// The file or folder that it was refused for.
    pub(crate) path: PathBuf,
    /// What the operating system said; `WouldBlock` where another program held
    /// the lock all the time.
    pub(crate) source: io::Error,
}

impl Refused {
    pub(crate) fn new(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self {
            action,
            path: path.to_path_buf(),
            source,
        }
    }
}

/// The locked folder of a real file.
///
/// The lock is on the folder itself: no lock file stays behind, and the rename
/// that puts a new file in its place does not take the lock away.
pub(crate) struct Folder {
    path: PathBuf,
    opened: File,
    is_locked: bool,
}

impl Folder {
    /// Locks the folder at `path`; waits while somebody else has it, at most as
    /// long as `patience`. `None`: there is none, or it was moved or removed
    /// meanwhile.
    pub(crate) fn lock(path: &Path, patience: Duration) -> Result<Option<Self>, Refused> {
        let opened = match super::open_folder(path) {
            Ok(opened) => opened,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(Refused::new("open the folder", path, source)),
        };
        let failed = |source| Refused::new("lock the folder", path, source);
        let is_locked = match super::lock(&opened, patience).map_err(failed)? {
            Lock::Held => true,
            Lock::Impossible => false,
            Lock::Busy => return Err(failed(io::ErrorKind::WouldBlock.into())),
        };
        // A writer that failed may have removed the folder that it had made.
        let is_there = super::is_same_folder(&opened, path).map_err(failed)?;
        Ok(is_there.then(|| Self {
            path: path.to_path_buf(),
            opened,
            is_locked,
        }))
    }

    /// Puts a file with the bytes `after` in the place of `file`, which lies in
    /// this folder; mode and owner stay. Returns whether that was done: not if
    /// the file is no longer as it was `before`.
    pub(crate) fn replace(
        &self,
        file: &Path,
        before: Option<&Content>,
        after: &[u8],
    ) -> Result<bool, Refused> {
        // A new file gets what the umask allows. One that takes another's place
        // is closed to others until it has that file's owner and mode.
        let mode = if before.is_some() { 0o600 } else { 0o666 };
        self.put(file, before, mode, after)
    }

    /// Makes `file` in this folder, whole from its first instant, with `mode`,
    /// to which the umask applies. Returns whether that was done: not if a file
    /// is there.
    #[cfg(any(feature = "personal", test))]
    pub(crate) fn create(&self, file: &Path, mode: u32, bytes: &[u8]) -> Result<bool, Refused> {
        self.put(file, None, mode, bytes)
    }

    fn put(
        &self,
        file: &Path,
        before: Option<&Content>,
        mode: u32,
        after: &[u8],
    ) -> Result<bool, Refused> {
        self.sweep();
        let temporary = self.write_temporary(file, before, mode, after)?;
        let now = super::read(file, before.map_or(0, |content| content.bytes.len() as u64))
            .map_err(|source| Refused::new("read", file, source))?;
        if now.as_ref() != before {
            return Ok(false);
        }
        super::rename(&temporary.path, file)
            .map_err(|source| Refused::new("replace", file, source))?;
        temporary.became_the_file();
        self.sync();
        Ok(true)
    }

    /// Gives a file in this folder another name that nothing has yet.
    #[cfg(feature = "check")]
    pub(crate) fn rename_new(&self, from: &Path, to: &Path) -> Result<(), Refused> {
        super::rename_new(from, to).map_err(|source| Refused::new("rename", from, source))?;
        self.sync();
        Ok(())
    }

    /// Makes a folder in this one, under a temporary name, with one file in it.
    pub(crate) fn draft(&self, file: &str, bytes: &[u8]) -> Result<Draft, Refused> {
        let refused = |source| Refused::new("make a folder in", &self.path, source);
        let (folder, ()) = new_in(&self.path, |path| {
            if super::make_folder(path, 0o777)? {
                Ok(())
            } else {
                Err(io::ErrorKind::AlreadyExists.into())
            }
        })
        .map_err(refused)?;
        let draft = Draft {
            file: folder.join(file),
            folder,
        };
        let written = super::create(&draft.file, 0o666).and_then(|opened| {
            super::write(&opened, bytes)?;
            super::sync(&opened)
        });
        written.map_err(|source| Refused::new("write", &draft.file, source))?;
        Ok(draft)
    }

    pub(crate) fn sync(&self) {
        // The new file is in its place, and some file systems cannot sync a
        // folder: to report a failure here would say that nothing was written.
        let _ = super::sync(&self.opened);
    }

    /// Removes what killed writers left. Only under the lock: then no living
    /// writer has a temporary file or folder here.
    pub(crate) fn sweep(&self) {
        if !self.is_locked {
            return;
        }
        // What cannot be removed now harms nobody; the next write tries again.
        for name in super::names(&self.path).unwrap_or_default() {
            if !name.to_str().is_some_and(is_temporary) {
                continue;
            }
            let path = self.path.join(name);
            if super::remove(&path).is_err() && !path.is_symlink() {
                for name in super::names(&path).unwrap_or_default() {
                    let _ = super::remove(&path.join(name));
                }
                let _ = super::remove_folder(&path);
            }
        }
    }

    fn write_temporary(
        &self,
        file: &Path,
        before: Option<&Content>,
        mode: u32,
        after: &[u8],
    ) -> Result<Temporary, Refused> {
        let (temporary, opened) = Temporary::create(&self.path, mode)
            .map_err(|source| Refused::new("make a file in", &self.path, source))?;
        if let Some(content) = before {
            super::set_keep(&opened, content.keep)
                .map_err(|source| Refused::new("keep the owner and mode of", file, source))?;
        }
        super::write(&opened, after)
            .and_then(|()| super::sync(&opened))
            .map_err(|source| Refused::new("write", file, source))?;
        Ok(temporary)
    }
}

fn is_temporary(name: &str) -> bool {
    name.strip_prefix(PREFIX)
        .and_then(|rest| rest.strip_suffix(SUFFIX))
        .is_some_and(|middle| middle.bytes().all(|b| b.is_ascii_digit() || b == b'-'))
}

/// Makes something new in `folder` under a temporary name.
fn new_in<T>(folder: &Path, attempt: impl Fn(&Path) -> io::Result<T>) -> io::Result<(PathBuf, T)> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let mut names = 0;
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let process = std::process::id();
        let path = folder.join(format!("{PREFIX}{process}-{number}{SUFFIX}"));
        names += 1;
        match attempt(&path) {
            Ok(made) => return Ok((path, made)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && names < NAMES => {}
            Err(error) => return Err(error),
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
        let (path, file) = new_in(folder, |path| super::create(path, mode))?;
        let temporary = Self {
            path,
            is_waste: true,
        };
        Ok((temporary, file))
    }

    fn became_the_file(mut self) {
        self.is_waste = false;
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if self.is_waste {
            let _ = super::remove(&self.path);
        }
    }
}

/// A folder under a temporary name, with one file in it. Both go again, unless
/// they came to their places.
pub(crate) struct Draft {
    folder: PathBuf,
    file: PathBuf,
}

impl Draft {
    /// Gives the folder the name `to`, which nothing may have.
    pub(crate) fn become_folder(self, to: &Path) -> Result<(), Refused> {
        super::rename(&self.folder, to).map_err(|source| Refused::new("write", to, source))
    }

    /// Puts the file in the place of `to`.
    pub(crate) fn become_file(self, to: &Path) -> Result<(), Refused> {
        super::rename(&self.file, to).map_err(|source| Refused::new("write", to, source))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // What came to its place is here no more.
        let _ = super::remove(&self.file);
        let _ = super::remove_folder(&self.folder);
    }
}

/// Folders that were made for a file. They go again, unless they are to stay.
#[derive(Default)]
pub(crate) struct Made(Vec<PathBuf>);

impl Made {
    /// Makes `folder`, and what is missing above it.
    pub(crate) fn folders(folder: &Path, mode: u32) -> Result<Self, Refused> {
        let mut new = Self::default();
        let missing: Vec<&Path> = folder
            .ancestors()
            .take_while(|path| !path.is_dir())
            .collect();
        for path in missing.into_iter().rev() {
            let is_new = super::make_folder(path, mode)
                .map_err(|source| Refused::new("make the folder", path, source))?;
            if is_new {
                new.0.push(path.to_path_buf());
            }
        }
        Ok(new)
    }

    pub(crate) fn stay(&mut self) {
        self.0.clear();
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for path in self.0.iter().rev() {
            // Fails where another writer has put a file there, as it should.
            let _ = super::remove_folder(path);
        }
    }
}
