//! One page of one bundled file, byte for byte.
//!
//! This file decides which names may be read and that no open leaves the
//! skill's folder. It does not know who asks, or whether the name was listed:
//! a file that the listing left out can be read by its name.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use serde::Serialize;

use crate::limits::Limits;

/// Folders that are named in a listing and never entered: they hold a
/// repository's or a package manager's files, not the skill's.
const NOT_ENTERED: [&str; 2] = [".git", "node_modules"];

/// Which bytes of a file are asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Window {
    /// The first byte, from 0.
    pub offset: u64,
    /// Bytes at most: from 1 to [`Limits::page_bytes_max`];
    /// [`Limits::page_bytes`] where nothing is asked.
    pub limit: Option<usize>,
}

/// How [`Page::content`] stands for the bytes of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Encoding {
    /// The bytes of the page are valid UTF-8 and stand as they are.
    #[serde(rename = "utf-8")]
    Utf8,
    /// They are not; the whole page is base64 (RFC 4648, with padding).
    #[serde(rename = "base64")]
    Base64,
}

/// Some bytes of a bundled file.
///
/// The encoding is decided for each page, and no page is moved to the boundary
/// of a character, so a reader of several pages joins bytes, not texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Page {
    /// The absolute real path of the file.
    #[serde(serialize_with = "crate::text::serialize_path")]
    pub path: PathBuf,
    /// How `content` is to be understood.
    pub encoding: Encoding,
    /// The bytes of the page.
    pub content: String,
    /// The offset of the page after this one, in bytes.
    pub next_offset: u64,
    /// Whether bytes follow this page.
    pub truncated: bool,
    /// Bytes of the whole file.
    pub size: u64,
}

/// Which file of which skill was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The skill's folder, as the caller named it.
    pub dir: PathBuf,
    /// The bundled file, as the caller named it.
    pub resource: String,
}

/// Why a bundled file was not read. The texts are Albedo's, with the size where
/// that is what is wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The page is of no bytes, or of more than a page may have: the number.
    #[error("offset must be nonnegative and limit must be 1..{1}")]
    Window(Asked, usize),
    /// The name is empty or absolute, holds a NUL, or has a part `.` or `..`
    /// behind the `./` that many write before a path.
    #[error("resource must be a relative path without parent traversal")]
    NotRelative(Asked),
    /// A link leads out of the skill's folder.
    #[error("resource path escapes skill root")]
    Escapes(Asked),
    /// Nothing is there.
    #[error("resource does not exist")]
    Missing(Asked, #[source] io::Error),
    /// The path leads nowhere that can be told: a ring of links, a name that is
    /// too long, a folder that may not be searched.
    #[error("resource cannot be resolved")]
    Unresolved(Asked, #[source] io::Error),
    /// It is a folder, a pipe, a device or a socket.
    #[error("resource is not a regular file")]
    NotAFile(Asked),
    /// The file has more bytes than are read.
    #[error("resource exceeds {most} bytes; it has {size} bytes")]
    TooLarge {
        /// Which file.
        asked: Asked,
        /// How many bytes it may have.
        most: u64,
        /// How many it has; at least, where it grows.
        size: u64,
    },
    /// It lies in a folder that is named and not entered: which.
    #[error("resource lies in {1}, which is not entered")]
    NotEntered(Asked, String),
    /// The page would begin behind the end of the file: its bytes.
    #[error("offset exceeds resource size; it has {1} bytes")]
    PastEnd(Asked, u64),
    /// The system refused to open or read the file.
    #[error("resource cannot be read")]
    Unreadable(Asked, #[source] io::Error),
}

impl ReadError {
    /// Returns which file of which skill was asked for.
    #[must_use]
    pub fn asked(&self) -> &Asked {
        match self {
            Self::NotRelative(asked)
            | Self::Escapes(asked)
            | Self::NotAFile(asked)
            | Self::Window(asked, _)
            | Self::TooLarge { asked, .. }
            | Self::NotEntered(asked, _)
            | Self::PastEnd(asked, _)
            | Self::Missing(asked, _)
            | Self::Unresolved(asked, _)
            | Self::Unreadable(asked, _) => asked,
        }
    }

    /// Returns the stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Window(..) | Self::PastEnd(..) => "invalid_arguments",
            Self::NotRelative(_) => "resource_not_relative",
            Self::Escapes(_) => "resource_leaves",
            Self::Missing(..) => "resource_not_found",
            Self::Unresolved(..) => "resource_unresolved",
            Self::NotAFile(_) => "not_a_file",
            Self::TooLarge { .. } => "resource_too_large",
            Self::NotEntered(..) => "resource_not_entered",
            Self::Unreadable(..) => "resource_not_read",
        }
    }
}

/// Reads a page of `resource`, a file bundled in the skill folder `dir`.
///
/// `resource` is a path relative to `dir`, separated by `/`; repeated slashes
/// count as one, and a `./` before it as nothing. A page at the very end of the file is empty, and no error.
/// Links are followed where they stay inside `dir`. The open itself cannot
/// leave `dir`: a link that is swapped after it was looked at is refused, not
/// followed. Opening never waits, whatever the name leads to.
///
/// # Errors
///
/// In this order: the window, the form of `resource`, a path out of the skill,
/// nothing there, not to be resolved, not a regular file, too large, an offset
/// behind the end; see [`ReadError`].
pub fn read(
    dir: &Path,
    resource: &str,
    window: Window,
    limits: &Limits,
) -> Result<Page, ReadError> {
    let asked = Asked::new(dir, resource);
    page_of(asked, Asked::open, window, limits)
}

/// Reads a page of `resource` as [`read`] does, and nothing below the folders
/// that a listing does not enter: `.git` and `node_modules`, by whatever name or
/// link they are reached.
///
/// # Errors
///
/// Those of [`read`], and [`ReadError::NotEntered`].
pub fn read_bundled(
    dir: &Path,
    resource: &str,
    window: Window,
    limits: &Limits,
) -> Result<Page, ReadError> {
    let asked = Asked::new(dir, resource);
    page_of(asked, Asked::open_bundled, window, limits)
}

/// A file that was opened, its real path, and its size in bytes.
type Opened = (File, PathBuf, u64);

fn page_of(
    asked: Asked,
    open: impl Fn(&Asked) -> Result<Opened, ReadError>,
    window: Window,
    limits: &Limits,
) -> Result<Page, ReadError> {
    let limit = window.limit.unwrap_or(limits.page_bytes);
    if !(1..=limits.page_bytes_max).contains(&limit) {
        return Err(ReadError::Window(asked, limits.page_bytes_max));
    }
    let (file, path, size) = open(&asked)?;
    if size > limits.resource_bytes {
        let most = limits.resource_bytes;
        return Err(ReadError::TooLarge { asked, most, size });
    }
    if window.offset > size {
        return Err(ReadError::PastEnd(asked, size));
    }
    let bytes = match bytes_of(file, window.offset, limit) {
        Ok(bytes) => bytes,
        Err(error) => return Err(ReadError::Unreadable(asked, error)),
    };
    let next_offset = window.offset + bytes.len() as u64;
    let (encoding, content) = encode(bytes);
    Ok(Page {
        path,
        encoding,
        content,
        next_offset,
        truncated: next_offset < size,
        size,
    })
}

/// Returns a page of the text of a skill that has no folder, as [`read`] does of
/// a file; `place` is what it is known by.
///
/// # Errors
///
/// Those of [`read`] on the window and the offset.
pub fn page(
    place: &Path,
    bytes: &[u8],
    window: Window,
    limits: &Limits,
) -> Result<Page, ReadError> {
    let asked = Asked::new(place, "");
    let limit = window.limit.unwrap_or(limits.page_bytes);
    if !(1..=limits.page_bytes_max).contains(&limit) {
        return Err(ReadError::Window(asked, limits.page_bytes_max));
    }
    let rest = usize::try_from(window.offset)
        .ok()
        .and_then(|offset| bytes.get(offset..));
    let size = bytes.len() as u64;
    let Some(rest) = rest else {
        return Err(ReadError::PastEnd(asked, size));
    };
    let read = &rest[..limit.min(rest.len())];
    let next_offset = window.offset + read.len() as u64;
    let (encoding, content) = encode(read.to_vec());
    Ok(Page {
        path: place.to_path_buf(),
        encoding,
        content,
        next_offset,
        truncated: next_offset < size,
        size,
    })
}

impl Asked {
    pub(super) fn new(dir: &Path, resource: &str) -> Self {
        Self {
            dir: dir.to_path_buf(),
            resource: resource.to_owned(),
        }
    }

    /// Opens the file unless it lies in a folder that is not entered.
    pub(super) fn open_bundled(&self) -> Result<Opened, ReadError> {
        let enter = |path: &Path| match path.parent().and_then(not_entered) {
            Some(closed) => {
                let closed = closed.to_string_lossy().into_owned();
                Err(ReadError::NotEntered(self.clone(), closed))
            }
            None => Ok(()),
        };
        enter(&self.relative()?)?;
        let opened = self.open()?;
        // Links may lead there, too.
        let root = self.dir.canonicalize();
        let root = root.map_err(|error| ReadError::Unresolved(self.clone(), error))?;
        enter(opened.1.strip_prefix(root).unwrap_or(&opened.1))?;
        Ok(opened)
    }

    /// Opens the file.
    pub(super) fn open(&self) -> Result<Opened, ReadError> {
        let relative = self.relative()?;
        let unresolved = |error| ReadError::Unresolved(self.clone(), error);
        let root = self.dir.canonicalize().map_err(unresolved)?;
        let folder = Dir::open_ambient_dir(&root, ambient_authority()).map_err(unresolved)?;
        let path = self.real_path(&root, &folder, &relative)?;
        if path.metadata().is_ok_and(|kind| !kind.is_file()) {
            return Err(ReadError::NotAFile(self.clone()));
        }
        // The real path has no links. Opened from the folder's handle, it leads
        // to the file that was looked at, to another one inside, or nowhere.
        let inside = path.strip_prefix(&root).unwrap_or(&relative);
        let file = folder.open_with(inside, &without_waiting());
        let file = file.map_err(|error| self.refused(error))?.into_std();
        // The handle, not the name, says what was opened.
        match file.metadata() {
            Ok(kind) if kind.is_file() => Ok((file, path, kind.len())),
            Ok(_) => Err(ReadError::NotAFile(self.clone())),
            Err(error) => Err(ReadError::Unreadable(self.clone(), error)),
        }
    }

    /// Returns the asked path without repeated slashes.
    fn relative(&self) -> Result<PathBuf, ReadError> {
        let resource = plain(&self.resource);
        let parts = || resource.split('/').filter(|part| !part.is_empty());
        let refused = resource.is_empty()
            || resource.starts_with('/')
            || resource.contains('\0')
            || parts().any(|part| part == "." || part == "..");
        if refused {
            return Err(ReadError::NotRelative(self.clone()));
        }
        Ok(parts().collect())
    }

    /// Returns the real path of `relative`, which lies inside `root`.
    fn real_path(&self, root: &Path, folder: &Dir, relative: &Path) -> Result<PathBuf, ReadError> {
        let error = match root.join(relative).canonicalize() {
            Ok(path) if path.starts_with(root) => return Ok(path),
            Ok(_) => return Err(ReadError::Escapes(self.clone())),
            Err(error) => error,
        };
        // Whether something outside exists is not for the reader to learn.
        if folder.metadata(relative).is_err_and(|e| is_escape(&e)) {
            return Err(ReadError::Escapes(self.clone()));
        }
        Err(if is_absence(&error) {
            ReadError::Missing(self.clone(), error)
        } else {
            ReadError::Unresolved(self.clone(), error)
        })
    }

    /// Returns what a refused open means.
    fn refused(&self, error: io::Error) -> ReadError {
        if is_escape(&error) {
            ReadError::Escapes(self.clone())
        } else if is_absence(&error) {
            ReadError::Missing(self.clone(), error)
        } else {
            ReadError::Unreadable(self.clone(), error)
        }
    }
}

/// Returns `resource` without the `./` that many write before a path.
pub(crate) fn plain(resource: &str) -> &str {
    resource.trim_start_matches("./")
}

/// Returns the first part of `path` that names a folder which is named in a
/// listing and never entered.
pub(super) fn not_entered(path: &Path) -> Option<&OsStr> {
    path.iter()
        .find(|part| NOT_ENTERED.iter().any(|closed| part == closed))
}

/// Opens for reading, and returns at once from a pipe that nobody writes to.
fn without_waiting() -> OpenOptions {
    let mut options = OpenOptions::new();
    options
        .read(true)
        .custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    options
}

/// Whether cap-std refused the path. Its own refusals, unlike the system's,
/// have no number.
fn is_escape(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none()
}

fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Returns at most `limit` bytes of `file` from `offset` on.
fn bytes_of(mut file: File, offset: u64, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(offset))?;
    file.take(limit as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn encode(bytes: Vec<u8>) -> (Encoding, String) {
    match String::from_utf8(bytes) {
        Ok(text) => (Encoding::Utf8, text),
        Err(error) => (Encoding::Base64, STANDARD.encode(error.as_bytes())),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::{fs, thread};

    use super::*;

    const INSIDE: &str = "inside";
    const OUTSIDE: &str = "outside";

    /// A skill folder `skill` beside a folder `away` that is none of its business.
    fn skill() -> tempfile::TempDir {
        let temporary = tempfile::tempdir().expect("a temporary folder");
        let at = |path: &str| temporary.path().join(path);
        for folder in ["skill/refs", "away"] {
            fs::create_dir_all(at(folder)).expect("a folder");
        }
        for (file, text) in [
            ("skill/SKILL.md", "---\n"),
            ("skill/refs/guide.md", INSIDE),
            ("skill/six", "aé€"),
            ("skill/empty", ""),
            ("skill/back\\slash", "\\"),
            ("away/secret", OUTSIDE),
        ] {
            fs::write(at(file), text).expect("a file");
        }
        for (target, link) in [
            ("refs/guide.md", "skill/alias"),
            ("../away/secret", "skill/relative"),
            ("../away", "skill/folder"),
            ("../away/nothing", "skill/nothing"),
            ("no-such-file", "skill/dangling"),
            ("ring", "skill/ring"),
            (".", "skill/self"),
        ] {
            symlink(target, at(link)).expect("a link");
        }
        symlink(at("away/secret"), at("skill/absolute")).expect("a link");
        symlink(at("skill/refs"), at("skill/absolute-inside")).expect("a link");
        temporary
    }

    fn page(
        skill: &tempfile::TempDir,
        resource: &str,
        offset: u64,
        limit: Option<usize>,
    ) -> Result<Page, ReadError> {
        let window = Window { offset, limit };
        read(
            &skill.path().join("skill"),
            resource,
            window,
            &Limits::DEFAULT,
        )
    }

    #[test]
    fn names_are_refused_with_the_texts_of_albedo() {
        let skill = skill();

        for (resource, text) in [
            ("", "relative"),
            ("/", "relative"),
            ("/etc/passwd", "relative"),
            ("..", "relative"),
            (".", "relative"),
            ("../away/secret", "relative"),
            ("refs/../SKILL.md", "relative"),
            ("refs/..", "relative"),
            ("./", "relative"),
            ("././.", "relative"),
            ("./../away/secret", "relative"),
            (".//etc/passwd", "relative"),
            ("refs/./guide.md", "relative"),
            ("SKILL.md\0", "relative"),
            ("\0", "relative"),
            ("relative", "escapes"),
            ("absolute", "escapes"),
            ("folder", "escapes"),
            ("folder/secret", "escapes"),
            ("folder/no-such-file", "escapes"),
            ("nothing", "escapes"),
            ("self/folder/secret", "escapes"),
            ("no-such-file", "does not exist"),
            ("skill.md/x", "does not exist"),
            ("SKILL.md/x", "does not exist"),
            ("dangling", "does not exist"),
            ("ring", "cannot be resolved"),
            ("refs", "not a regular file"),
            ("refs/", "not a regular file"),
            ("self", "not a regular file"),
        ] {
            let error = page(&skill, resource, 0, None).expect_err(resource);

            assert!(error.to_string().contains(text), "{resource:?}: {error}");
            assert_eq!(error.asked().resource, resource);
        }
    }

    #[test]
    fn names_inside_the_skill_are_read_at_their_real_path() {
        let skill = skill();
        let root = skill.path().canonicalize().expect("a real path");

        for (resource, real) in [
            ("refs/guide.md", "refs/guide.md"),
            ("refs//guide.md", "refs/guide.md"),
            ("SKILL.md/", "SKILL.md"),
            ("./SKILL.md", "SKILL.md"),
            ("././refs/guide.md", "refs/guide.md"),
            ("alias", "refs/guide.md"),
            ("self/self/alias", "refs/guide.md"),
            ("absolute-inside/guide.md", "refs/guide.md"),
            ("back\\slash", "back\\slash"),
        ] {
            let page = page(&skill, resource, 0, None).expect(resource);

            assert_eq!(page.path, root.join("skill").join(real), "{resource}");
        }
    }

    #[test]
    fn nothing_below_a_folder_that_is_not_entered_is_a_bundled_file() {
        let skill = skill();
        let folder = skill.path().join("skill");
        for file in [
            ".git/config",
            "lib/node_modules/left/pad.js",
            "lib/run.js",
            "mod/.git",
        ] {
            fs::create_dir_all(folder.join(file).parent().expect("a parent")).expect("a folder");
            fs::write(folder.join(file), INSIDE).expect("a file");
        }
        symlink("lib/node_modules/left", folder.join("pad")).expect("a link");
        symlink("lib", folder.join("node_modules")).expect("a link");
        let read = |resource| {
            let page = read_bundled(&folder, resource, Window::default(), &Limits::DEFAULT);
            page.map(|page| page.content)
                .map_err(|error| format!("{}: {error}", error.code()))
        };

        for (resource, closed) in [
            (".git/config", ".git"),
            (".git/none", ".git"),
            ("lib/node_modules/left/pad.js", "node_modules"),
            ("node_modules/run.js", "node_modules"),
            ("pad/pad.js", "node_modules"),
        ] {
            let words =
                format!("resource_not_entered: resource lies in {closed}, which is not entered");
            assert_eq!(read(resource), Err(words), "{resource}");
            assert!(page(&skill, resource, 0, None).is_ok() || resource == ".git/none");
        }
        assert_eq!(read("lib/run.js").as_deref(), Ok(INSIDE));
        // A worktree's or a submodule's is a file like any other.
        assert_eq!(read("mod/.git").as_deref(), Ok(INSIDE));
    }

    #[test]
    fn each_page_has_its_own_encoding() {
        let skill = skill();

        for (offset, limit, encoding, content, next_offset, truncated) in [
            (0, Some(1), Encoding::Utf8, "a", 1, true),
            (0, Some(2), Encoding::Base64, "YcM=", 2, true),
            (0, Some(3), Encoding::Utf8, "aé", 3, true),
            (0, Some(4), Encoding::Base64, "YcOp4g==", 4, true),
            (0, Some(6), Encoding::Utf8, "aé€", 6, false),
            (0, None, Encoding::Utf8, "aé€", 6, false),
            (1, Some(2), Encoding::Utf8, "é", 3, true),
            (2, Some(1), Encoding::Base64, "qQ==", 3, true),
            (3, Some(65_536), Encoding::Utf8, "€", 6, false),
            (6, Some(1), Encoding::Utf8, "", 6, false),
        ] {
            let page = page(&skill, "six", offset, limit).expect("a page");

            let found = (page.encoding, page.content.as_str());
            assert_eq!(found, (encoding, content), "{offset} {limit:?}");
            assert_eq!((page.next_offset, page.truncated), (next_offset, truncated));
            assert_eq!(page.size, 6);
        }
    }

    #[test]
    fn odd_bytes_decide_the_encoding() {
        let skill = skill();

        for (bytes, encoding) in [
            (&b"\0"[..], Encoding::Utf8),
            (b"\xef\xbb\xbfx", Encoding::Utf8),
            (b"\xff", Encoding::Base64),
            (b"\xc0\x80", Encoding::Base64),
            (b"\xed\xa0\x80", Encoding::Base64),
            (b"\xf4\x90\x80\x80", Encoding::Base64),
        ] {
            fs::write(skill.path().join("skill/odd"), bytes).expect("a file");

            let page = page(&skill, "odd", 0, None).expect("a page");

            assert_eq!(page.encoding, encoding, "{bytes:?}");
        }
    }

    #[test]
    fn windows_outside_the_file_or_the_bounds_are_refused() {
        let skill = skill();

        for (resource, offset, limit, text) in [
            ("six", 0, Some(0), "limit must be 1..65536"),
            ("six", 0, Some(65_537), "limit must be 1..65536"),
            ("../x", 0, Some(0), "limit must be 1..65536"),
            ("six", 7, None, "offset exceeds resource size"),
            ("six", u64::MAX, None, "offset exceeds resource size"),
            ("empty", 1, None, "offset exceeds resource size"),
        ] {
            let error = page(&skill, resource, offset, limit).expect_err(text);

            assert!(error.to_string().contains(text), "{error}");
        }
        assert_eq!(page(&skill, "empty", 0, None).expect("a page").size, 0);
    }

    #[test]
    fn the_page_has_16384_bytes_where_nothing_is_asked() {
        let skill = skill();
        fs::write(skill.path().join("skill/long"), "x".repeat(16_385)).expect("a file");

        let page = page(&skill, "long", 0, None).expect("a page");

        assert_eq!((page.next_offset, page.truncated), (16_384, true));
    }

    #[test]
    fn a_file_of_16_mib_is_read_and_one_byte_more_is_not() {
        let skill = skill();
        let file = File::create(skill.path().join("skill/big")).expect("a file");
        file.set_len(16_777_216).expect("a sparse file");

        let last = page(&skill, "big", 16_777_215, None).expect("a page");
        file.set_len(16_777_217).expect("a sparse file");
        let error = page(&skill, "big", 0, None).expect_err("too large");

        assert_eq!((last.content.as_str(), last.truncated), ("\0", false));
        assert_eq!(
            error.to_string(),
            "resource exceeds 16777216 bytes; it has 16777217 bytes"
        );
    }

    #[test]
    fn pages_join_to_the_bytes_of_the_file() {
        let skill = skill();
        let bytes: Vec<u8> = (0..1_000_u32)
            .flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes())
            .collect();
        fs::write(skill.path().join("skill/bytes"), &bytes).expect("a file");

        let mut joined = Vec::new();
        loop {
            let page = page(&skill, "bytes", joined.len() as u64, Some(7)).expect("a page");
            match page.encoding {
                Encoding::Utf8 => joined.extend(page.content.bytes()),
                Encoding::Base64 => joined.extend(STANDARD.decode(page.content).expect("base64")),
            }
            if !page.truncated {
                break;
            }
        }

        assert_eq!(joined, bytes);
    }

    #[test]
    fn a_page_is_json_in_the_shape_of_the_contract() {
        let skill = skill();
        let page = page(&skill, "six", 0, Some(2)).expect("a page");

        let json = serde_json::to_string(&page).expect("JSON");

        let path = page.path.display();
        assert_eq!(
            json,
            format!(
                r#"{{"path":"{path}","encoding":"base64","content":"YcM=","next_offset":2,"truncated":true,"size":6}}"#
            )
        );
    }

    #[test]
    fn a_pipe_that_nobody_writes_to_is_refused_at_once() {
        let skill = skill();
        let pipe = skill.path().join("skill/pipe");
        make_pipe(&pipe);

        let error = page(&skill, "pipe", 0, None).expect_err("a pipe");
        let folder = Dir::open_ambient_dir(skill.path().join("skill"), ambient_authority());
        let opened = folder
            .expect("a folder")
            .open_with("pipe", &without_waiting());

        assert_eq!(error.to_string(), "resource is not a regular file");
        assert!(opened.is_ok(), "an open that waits would never come here");
    }

    fn make_pipe(path: &Path) {
        let made = std::process::Command::new("mkfifo").arg(path).status();
        assert!(made.expect("mkfifo").success());
    }

    /// Reads `resource` 2,000 times, and on until one read succeeds, while
    /// `swap` runs again and again with 0 and 1 in turn. Fails if a page ever
    /// holds anything but the inside content.
    fn race(skill: &tempfile::TempDir, resource: &str, swap: impl Fn(usize) + Sync) {
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                for turn in 0.. {
                    swap(turn % 2);
                    if done.load(Ordering::Relaxed) {
                        return;
                    }
                }
            });
            let mut inside = 0;
            let mut wrong = None;
            for turn in 0..1_000_000 {
                match page(skill, resource, 0, None) {
                    Ok(page) if page.content == INSIDE => inside += 1,
                    Ok(page) => wrong = Some(page.content),
                    Err(_) => {}
                }
                if wrong.is_some() || (turn >= 2_000 && inside > 0) {
                    break;
                }
            }
            done.store(true, Ordering::Relaxed);
            assert_eq!(wrong, None);
            assert!(inside > 0, "the reader never met the inside content");
        });
    }

    #[test]
    fn a_file_swapped_for_a_link_never_lets_a_reader_out() {
        let skill = skill();
        let at = |path: &str| skill.path().join("skill").join(path);

        race(&skill, "swapped", |turn| {
            if turn == 0 {
                fs::write(at("next"), INSIDE).expect("a file");
            } else {
                symlink("../away/secret", at("next")).expect("a link");
            }
            fs::rename(at("next"), at("swapped")).expect("a swap");
        });
    }

    #[test]
    fn a_folder_swapped_for_a_link_never_lets_a_reader_out() {
        let skill = skill();
        let at = |path: &str| skill.path().join("skill").join(path);
        fs::create_dir(at("kept")).expect("a folder");
        fs::write(at("kept/secret"), INSIDE).expect("a file");

        race(&skill, "swapped/secret", |turn| {
            if turn == 0 {
                fs::rename(at("kept"), at("swapped")).expect("a swap");
                fs::rename(at("swapped"), at("kept")).expect("a swap");
            } else {
                symlink("../away", at("swapped")).expect("a link");
                fs::remove_file(at("swapped")).expect("no link");
            }
        });
    }

    #[test]
    fn a_link_swapped_between_two_files_never_lets_a_reader_out() {
        let skill = skill();
        let at = |path: &str| skill.path().join("skill").join(path);

        race(&skill, "swapped", |turn| {
            symlink(["refs/guide.md", "../away/secret"][turn], at("next")).expect("a link");
            fs::rename(at("next"), at("swapped")).expect("a swap");
        });
    }
}
