//! Opening and reading one SKILL.md, and nothing outside its skill.
//!
//! A link at SKILL.md is followed only inside the skill's real folder; a FIFO
//! or a device in its place is refused and never waited for.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{CWD, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::diagnostic::{Diagnostic, Rule};
use crate::limits::Limits;
pub use crate::name::SKILL_FILE;
use crate::skill::frontmatter::{self, Facts};

/// The next step where the system refuses to read.
pub(crate) const UNREADABLE_HELP: &str = "see who owns it and what may be done with it: `ls -ld`";

/// Whether this system takes `skill.md` for `SKILL.md`.
const CASE_BLIND: bool = cfg!(target_os = "macos");

/// Returns whether `folder` holds an entry that is called SKILL.md, whatever
/// it is.
#[cfg(feature = "check")]
pub(crate) fn is_in(folder: &Path) -> bool {
    let is_there = folder.join(SKILL_FILE).symlink_metadata().is_ok();
    is_there && (!CASE_BLIND || has_exact_name(folder))
}

/// Returns the path of the SKILL.md of the folder `name` in `root`.
pub(super) fn path_in(root: &Path, name: &OsStr) -> PathBuf {
    // Made for each candidate: joining twice would take three allocations.
    let length = root.as_os_str().len() + name.len() + SKILL_FILE.len() + 2;
    let mut path = PathBuf::with_capacity(length);
    path.extend([root.as_os_str(), name, OsStr::new(SKILL_FILE)]);
    path
}

/// Opens the SKILL.md of the real folder `real`.
pub(super) fn open_in(real: &Path) -> Result<OwnedFd, Errno> {
    // An absolute name is its own path in any root.
    open_at(CWD, Path::new("/"), real.as_os_str())
}

/// Opens the SKILL.md of the folder `name` relative to the handle of its root;
/// `real` is the root's absolute path without links.
///
/// No link is followed on the way, so that a folder which becomes one at that
/// moment leads nowhere; but SKILL.md itself may be a link inside the folder.
pub(super) fn open_at(root: impl AsFd, real: &Path, name: &OsStr) -> Result<OwnedFd, Errno> {
    match open_without_links(root, &path_in(Path::new(""), name)) {
        Ok(_) if CASE_BLIND && !has_exact_name(&real.join(name)) => Err(Errno::NOENT),
        Err(Errno::LOOP) => open_linked_file(&real.join(name), OsStr::new(SKILL_FILE)),
        opened => opened,
    }
}

/// Opens `file` wherever links lead.
pub(super) fn open_following(file: &Path) -> Result<OwnedFd, Errno> {
    rustix::fs::open(file, FLAGS, Mode::empty())
}

/// Opens `file`, an absolute path, whatever it is called. As for a SKILL.md, a
/// link is followed only inside the folder that it lies in.
pub(crate) fn open(file: &Path) -> Result<OwnedFd, Errno> {
    let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else {
        return Err(Errno::ISDIR);
    };
    // Most paths have no link in them, and finding that out takes no longer than
    // opening.
    match open_without_links(CWD, file) {
        Err(Errno::LOOP) => {}
        opened => return opened,
    }
    let real = folder.canonicalize().map_err(|error| errno_of(&error))?;
    match open_without_links(CWD, &real.join(name)) {
        Err(Errno::LOOP) => open_linked_file(&real, name),
        opened => opened,
    }
}

/// Reads the whole file into `buffer` and returns its size in bytes.
pub(crate) fn fill(
    file: &OwnedFd,
    location: &Path,
    limits: &Limits,
    buffer: &mut Vec<u8>,
) -> Result<u64, Diagnostic> {
    read_regular(file, limits.skill_bytes, buffer).map_err(|fault| match fault {
        ReadFault::NotRegular => not_regular(location),
        ReadFault::TooLarge(size) => {
            let limit = limits.skill_bytes;
            let message = format!("SKILL.md is {size} bytes; {limit} are the most that is read");
            Diagnostic::error(Rule::FileTooLarge, location, message)
                .with_help("move parts of it into files under references/")
        }
        ReadFault::Io(error) => unreadable(location, error),
    })
}

/// Returns the name that a file which is no skill gives itself: where its YAML
/// fails, the one on a line of its own.
pub(super) fn claimed_name(text: &[u8], facts: &Facts, limits: &Limits) -> Option<String> {
    let field = |facts: &Facts| {
        let name = facts.field("name")?.value.scalar()?.text.trim();
        (!name.is_empty()).then(|| name.to_owned())
    };
    if !facts.fields.is_empty() || facts.closing.is_none() {
        return field(facts);
    }
    let mut lines = text[..facts.body]
        .split(|&byte| byte == b'\n')
        .filter(|line| line.starts_with(b"name:"));
    match (lines.next(), lines.next()) {
        // A name on two lines is nobody's.
        (Some(line), None) => {
            let alone = [b"---\n", line, b"\n---\n"].concat();
            field(&frontmatter::read(&alone, limits))
        }
        _ => None,
    }
}

/// Returns the name that the skill file `file` gives itself, if it can be read.
pub(super) fn name_in(file: &Path, limits: &Limits) -> Option<String> {
    let mut text = Vec::new();
    let opened = open(file).ok()?;
    fill(&opened, file, limits, &mut text).ok()?;
    claimed_name(&text, &frontmatter::read(&text, limits), limits)
}

/// Says why a SKILL.md that is there could not be opened.
pub(crate) fn refusal(error: Errno, location: &Path) -> Diagnostic {
    let says = |rule, message: &str| Diagnostic::error(rule, location, message);
    match error {
        Errno::NOENT => says(Rule::LinkDangling, "SKILL.md is a link to nothing")
            .with_help("bring its target back, or remove the link"),
        Errno::LOOP => says(Rule::LinkRing, "SKILL.md is a link in a ring")
            .with_help("put the file itself in the link's place"),
        Errno::XDEV => says(
            Rule::LinkLeaves,
            "SKILL.md is a link out of the skill's folder, and is not followed",
        )
        .with_help("copy the file into the folder"),
        // What opening a socket answers.
        Errno::NXIO => not_regular(location),
        error => unreadable(location, error),
    }
}

pub(crate) fn plain_words(error: Errno) -> String {
    crate::text::system_words(&error.into())
}

pub(crate) fn errno_of(error: &io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

pub(super) fn not_regular(location: &Path) -> Diagnostic {
    Diagnostic::error(Rule::NotAFile, location, "SKILL.md is not a regular file")
        .with_help("put a text file in its place")
}

pub(super) fn unreadable(location: &Path, error: Errno) -> Diagnostic {
    let message = format!("cannot be read: {}", plain_words(error));
    Diagnostic::error(Rule::Unreadable, location, message).with_help(UNREADABLE_HELP)
}

/// For reading, without waiting for a writer and without becoming anybody's
/// terminal.
const FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::CLOEXEC)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY);

#[cfg(target_os = "linux")]
fn open_without_links(at: impl AsFd, path: &Path) -> Result<OwnedFd, Errno> {
    use rustix::fs::ResolveFlags;
    match rustix::fs::openat2(&at, path, FLAGS, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        // Kernels before 5.6, and some sandboxes.
        Err(Errno::NOSYS | Errno::PERM) => {
            rustix::fs::openat(at, path, FLAGS | OFlags::NOFOLLOW, Mode::empty())
        }
        opened => opened,
    }
}

#[cfg(not(target_os = "linux"))]
fn open_without_links(at: impl AsFd, path: &Path) -> Result<OwnedFd, Errno> {
    rustix::fs::openat(at, path, FLAGS | OFlags::NOFOLLOW, Mode::empty())
}

/// Opens a file that is a link, and asks the system where the opened file
/// lies: whatever the link was a moment before, that is what is read.
fn open_linked_file(real_folder: &Path, name: &OsStr) -> Result<OwnedFd, Errno> {
    let link = real_folder.join(name);
    if !link
        .symlink_metadata()
        .is_ok_and(|entry| entry.is_symlink())
    {
        // It was the folder that became a link.
        return Err(Errno::XDEV);
    }
    let file = rustix::fs::open(&link, FLAGS, Mode::empty())?;
    if path_of(&file)?.starts_with(real_folder) {
        Ok(file)
    } else {
        Err(Errno::XDEV)
    }
}

#[cfg(target_os = "macos")]
fn path_of(file: &OwnedFd) -> Result<PathBuf, Errno> {
    use std::os::unix::ffi::OsStringExt;
    let path = rustix::fs::getpath(file)?;
    Ok(std::ffi::OsString::from_vec(path.into_bytes()).into())
}

#[cfg(not(target_os = "macos"))]
fn path_of(file: &OwnedFd) -> Result<PathBuf, Errno> {
    use rustix::fd::AsRawFd;
    let entry = format!("/proc/self/fd/{}", file.as_raw_fd());
    fs::read_link(entry).map_err(|error| errno_of(&error))
}

fn has_exact_name(folder: &Path) -> bool {
    let is_it = |entry: fs::DirEntry| entry.file_name() == SKILL_FILE;
    fs::read_dir(folder).is_ok_and(|entries| entries.flatten().any(is_it))
}

enum ReadFault {
    NotRegular,
    TooLarge(u64),
    Io(Errno),
}

fn read_regular(file: &OwnedFd, limit: usize, buffer: &mut Vec<u8>) -> Result<u64, ReadFault> {
    let stat = rustix::fs::fstat(file).map_err(ReadFault::Io)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(ReadFault::NotRegular);
    }
    let size = u64::try_from(stat.st_size).unwrap_or(0);
    if size > limit as u64 {
        return Err(ReadFault::TooLarge(size));
    }
    buffer.clear();
    // One byte more than the size, so that a file that grew is noticed.
    buffer.reserve(usize::try_from(size).unwrap_or(limit) + 1);
    loop {
        match rustix::io::read(file, rustix::buffer::spare_capacity(buffer)) {
            Ok(0) => break,
            Ok(_) if buffer.len() as u64 == size => break,
            Ok(_) if buffer.len() > limit => return Err(ReadFault::TooLarge(buffer.len() as u64)),
            Ok(_) => buffer.reserve(4_096),
            Err(Errno::INTR) => {}
            Err(error) => return Err(ReadFault::Io(error)),
        }
    }
    Ok(buffer.len() as u64)
}
