//! How a file is replaced as a whole, whatever is in it: the calls to the disk,
//! one function each, and the folder that is locked meanwhile.
//!
//! The calls stand together so that a test can make the n-th one fail;
//! otherwise each is the bare call. What goes into a file is decided elsewhere.

#![allow(
    clippy::disallowed_methods,
    reason = "the calls of every write, its lock among them"
)]

mod folder;
mod log;

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub(crate) use folder::{Draft, Folder, Made, Refused};
pub(crate) use log::{Log, LogError};

/// A file's bytes, and what of it a new file in its place must keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) bytes: Vec<u8>,
    pub(crate) keep: Keep,
}

/// Mode and owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Keep {
    mode: u32,
    user: u32,
    group: u32,
}

/// Reads a regular file, at most one byte more than `limit`. `None`: there is
/// no such file.
pub(crate) fn read(path: &Path, limit: u64) -> io::Result<Option<Content>> {
    check("open")?;
    // A pipe in the file's place must not make us wait for its other end.
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(nonblocking)
        .open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ));
    }
    check("read")?;
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    let keep = Keep {
        mode: metadata.mode() & 0o7777,
        user: metadata.uid(),
        group: metadata.gid(),
    };
    Ok(Some(Content { bytes, keep }))
}

/// Whether the error means that nothing is there. A plain file where a folder
/// would have to be holds no file either.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Returns the real path, all links resolved.
pub(crate) fn real(path: &Path) -> io::Result<PathBuf> {
    check("resolve")?;
    fs::canonicalize(path)
}

/// Returns what the link at `path` says; `None` if no link is there.
pub(crate) fn link(path: &Path) -> io::Result<Option<PathBuf>> {
    check("read link")?;
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => fs::read_link(path).map(Some),
        Ok(_) => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Makes one folder. Returns whether it is new.
pub(crate) fn make_folder(path: &Path, mode: u32) -> io::Result<bool> {
    check("make folder")?;
    match fs::DirBuilder::new().mode(mode).create(path) {
        Ok(()) => Ok(true),
        Err(_) if path.is_dir() => Ok(false),
        Err(error) => Err(error),
    }
}

/// Opens a folder, to lock and to sync it.
pub(crate) fn open_folder(path: &Path) -> io::Result<File> {
    check("open folder")?;
    let flags = rustix::fs::OFlags::DIRECTORY.bits().cast_signed();
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

/// What came of asking for a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lock {
    /// It is ours.
    Held,
    /// There are no locks here.
    Impossible,
    /// Another program held it all the time.
    Busy,
}

/// Waits for the lock on an open folder, at most as long as `patience`.
pub(crate) fn lock(folder: &File, patience: Duration) -> io::Result<Lock> {
    /// A write takes a few milliseconds.
    const PAUSE: Duration = Duration::from_millis(2);
    let began = Instant::now();
    loop {
        match check("lock").and_then(|()| folder.try_lock().map_err(io::Error::from)) {
            Ok(()) => return Ok(Lock::Held),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if began.elapsed() >= patience {
                    return Ok(Lock::Busy);
                }
                std::thread::sleep(PAUSE);
            }
            Err(error) if has_no_locks(&error) => return Ok(Lock::Impossible),
            Err(error) => return Err(error),
        }
    }
}

/// Whether the file system cannot lock a folder. Some network file systems
/// lock only what is open for writing, and no folder can be.
fn has_no_locks(error: &io::Error) -> bool {
    use rustix::io::Errno;
    error.kind() == io::ErrorKind::Unsupported
        || [Errno::NOLCK, Errno::BADF, Errno::INVAL]
            .iter()
            .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

/// Whether `path` still is the folder that was opened.
pub(crate) fn is_same_folder(folder: &File, path: &Path) -> io::Result<bool> {
    check("look at folder")?;
    let opened = folder.metadata()?;
    match fs::metadata(path) {
        Ok(now) => Ok((opened.dev(), opened.ino()) == (now.dev(), now.ino())),
        Err(error) if is_absent(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns the names in a folder.
pub(crate) fn names(folder: &Path) -> io::Result<Vec<OsString>> {
    check("list folder")?;
    fs::read_dir(folder)?
        .map(|entry| Ok(entry?.file_name()))
        .collect()
}

/// Makes a file that must be new; the umask applies to `mode`.
pub(crate) fn create(path: &Path, mode: u32) -> io::Result<File> {
    check("create")?;
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)
}

/// Gives `file` a mode and an owner.
pub(crate) fn set_keep(file: &File, keep: Keep) -> io::Result<()> {
    let now = file.metadata()?;
    if (now.uid(), now.gid()) != (keep.user, keep.group) {
        check("change owner")?;
        std::os::unix::fs::fchown(file, Some(keep.user), Some(keep.group))?;
    }
    check("change mode")?;
    // After the owner: a change of owner may take bits away.
    file.set_permissions(fs::Permissions::from_mode(keep.mode))
}

/// Writes all of `bytes`.
pub(crate) fn write(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    // A disk that fills up leaves a part of the file.
    let (first, rest) = bytes.split_at(bytes.len() / 2);
    file.write_all(first)?;
    check("write")?;
    file.write_all(rest)
}

/// Waits until a file or folder is on the disk.
pub(crate) fn sync(file: &File) -> io::Result<()> {
    check("sync")?;
    file.sync_all()
}

/// Puts `from` in the place of `to`.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    check("rename")?;
    fs::rename(from, to)
}

/// Gives what is at `from`, a link as such, the name `to`, which nothing has
/// yet.
#[cfg(feature = "check")]
pub(crate) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags};
    use rustix::io::Errno;
    check("rename")?;
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Where upper and lower case are one, `to` is there and is `from`.
        Err(Errno::EXIST) if is_same_entry(from, to)? => fs::rename(from, to),
        // Some network file systems know no flags.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            fs::hard_link(from, to)?;
            fs::remove_file(from).inspect_err(|_| {
                let _ = fs::remove_file(to);
            })
        }
        renamed => Ok(renamed?),
    }
}

/// Whether two paths differ in spelling only: they lead to one file that has
/// one name.
#[cfg(feature = "check")]
fn is_same_entry(one: &Path, other: &Path) -> io::Result<bool> {
    let (one, other) = (fs::symlink_metadata(one)?, fs::symlink_metadata(other)?);
    Ok(one.nlink() == 1 && (one.dev(), one.ino()) == (other.dev(), other.ino()))
}

/// Removes a file or a link.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    check("remove")?;
    fs::remove_file(path)
}

/// Removes an empty folder.
pub(crate) fn remove_folder(path: &Path) -> io::Result<()> {
    check("remove folder")?;
    fs::remove_dir(path)
}

#[cfg(not(test))]
#[expect(clippy::unnecessary_wraps, reason = "a test makes it fail")]
#[inline]
fn check(_: &'static str) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
use hook::check;

/// Lets a test see every call of its thread, and make it fail.
#[cfg(test)]
pub(crate) mod hook {
    use std::cell::RefCell;
    use std::io;

    type Hook = Box<dyn FnMut(&'static str) -> io::Result<()>>;

    thread_local! {
        static HOOK: RefCell<Option<Hook>> = const { RefCell::new(None) };
    }

    /// Runs `work` with `hook` before every call, which gets the call's name.
    pub(crate) fn with<T>(
        hook: impl FnMut(&'static str) -> io::Result<()> + 'static,
        work: impl FnOnce() -> T,
    ) -> T {
        HOOK.set(Some(Box::new(hook)));
        let result = work();
        HOOK.set(None);
        result
    }

    pub(crate) fn check(call: &'static str) -> io::Result<()> {
        HOOK.with_borrow_mut(|hook| hook.as_mut().map_or(Ok(()), |hook| hook(call)))
    }
}
