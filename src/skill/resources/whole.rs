//! A whole bundled file: its bytes, or what they hash to.
//!
//! The same names may be read as page by page, and no open leaves the skill's
//! folder.

use std::fmt;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256 as Hasher};

use super::page::{Asked, ReadError, not_entered, plain};
use super::stamp::Stamp;
use crate::limits::Limits;

/// Bytes read at a time while a file is hashed.
const CHUNK: usize = 65_536;

/// A SHA-256 digest; displayed as `sha256:` and 64 lower-case digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sha256(pub [u8; 32]);

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Returns the digest of `bytes`.
///
/// # Examples
///
/// ```
/// use codeaf_skills::skill::resources::sha256_of;
///
/// let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/// assert_eq!(sha256_of(b"").to_string(), empty);
/// ```
#[must_use]
pub fn sha256_of(bytes: &[u8]) -> Sha256 {
    Sha256(Hasher::digest(bytes).into())
}

/// What a file was when it was hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hashed {
    /// The digest of its bytes.
    pub digest: Sha256,
    /// Its bytes.
    pub size: u64,
    /// Its stamp once all of it was read.
    pub stamp: Stamp,
}

/// Looks whether `resource` is a file bundled in the skill folder `dir`, and
/// reads nothing of it.
///
/// # Errors
///
/// Those of [`read_bundled`](super::read_bundled) that are about the name and the
/// file; a folder that is not entered is told as such.
pub fn look(dir: &Path, resource: &str) -> Result<(), ReadError> {
    let asked = Asked::new(dir, resource);
    let Err(error) = asked.open_bundled() else {
        return Ok(());
    };
    if matches!(error, ReadError::NotAFile(_))
        && let Ok(root) = dir.canonicalize()
        && let Ok(real) = root.join(plain(resource)).canonicalize()
        && let Some(closed) = real.strip_prefix(&root).ok().and_then(not_entered)
    {
        let closed = closed.to_string_lossy().into_owned();
        return Err(ReadError::NotEntered(asked, closed));
    }
    Err(error)
}

/// Hashes `resource`, a file bundled in the skill folder `dir`. It is read in
/// pieces, and up to `most` bytes.
///
/// # Errors
///
/// Those of [`read_bundled`](super::read_bundled) that are about the name and the file; one of
/// more than `most` bytes is too large.
pub fn sha256(dir: &Path, resource: &str, most: u64) -> Result<Hashed, ReadError> {
    let asked = Asked::new(dir, resource);
    let (mut file, _, size) = asked.open_bundled()?;
    if size > most {
        return Err(ReadError::TooLarge { asked, most, size });
    }
    let mut hasher = Hasher::new();
    let mut chunk = vec![0; CHUNK];
    let mut size = 0;
    loop {
        match file.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => {
                hasher.update(&chunk[..read]);
                size += read as u64;
                // It may grow faster than it is read.
                if size > most {
                    return Err(ReadError::TooLarge { asked, most, size });
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(ReadError::Unreadable(asked, error)),
        }
    }
    match file.metadata() {
        Ok(found) => Ok(Hashed {
            digest: Sha256(hasher.finalize().into()),
            size,
            stamp: Stamp::of(&found),
        }),
        Err(error) => Err(ReadError::Unreadable(asked, error)),
    }
}

/// Reads the whole of `resource`, a file bundled in the skill folder `dir`.
///
/// # Errors
///
/// Those of [`read_bundled`](super::read_bundled); a file over [`Limits::resource_bytes`] is too
/// large.
pub fn read_whole(dir: &Path, resource: &str, limits: &Limits) -> Result<Vec<u8>, ReadError> {
    let asked = Asked::new(dir, resource);
    let (file, _, size) = asked.open_bundled()?;
    let most = limits.resource_bytes;
    if size > most {
        return Err(ReadError::TooLarge { asked, most, size });
    }
    let mut bytes = Vec::new();
    // One byte more than the bound, so that a file that grows is noticed.
    match file.take(most.saturating_add(1)).read_to_end(&mut bytes) {
        Ok(read) if read as u64 > most => {
            let size = read as u64;
            Err(ReadError::TooLarge { asked, most, size })
        }
        Ok(_) => Ok(bytes),
        Err(error) => Err(ReadError::Unreadable(asked, error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_whole_file_has_the_digest_of_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let bytes: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
        fs::write(folder.path().join("a.bin"), &bytes).unwrap();

        let hashed = sha256(folder.path(), "a.bin", u64::MAX).unwrap();

        assert_eq!(hashed.digest, sha256_of(&bytes));
        assert_eq!(hashed.size, bytes.len() as u64);
        let read = read_whole(folder.path(), "a.bin", &Limits::DEFAULT).unwrap();
        assert_eq!(read, bytes);
    }

    #[test]
    fn a_file_over_the_bound_is_neither_hashed_nor_read() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), [0; 11]).unwrap();
        let limits = Limits {
            resource_bytes: 10,
            ..Limits::DEFAULT
        };

        let errors = [
            read_whole(folder.path(), "a", &limits).unwrap_err(),
            sha256(folder.path(), "a", 10).unwrap_err(),
        ];

        for error in errors {
            assert_eq!(
                error.to_string(),
                "resource exceeds 10 bytes; it has 11 bytes"
            );
        }
        assert_eq!(sha256(folder.path(), "a", 11).unwrap().size, 11);
    }

    #[test]
    fn nothing_outside_is_hashed_or_read() {
        let folder = tempfile::tempdir().unwrap();
        let skill = folder.path().join("skill");
        fs::create_dir(&skill).unwrap();
        fs::write(folder.path().join("secret"), "x").unwrap();
        symlink("../secret", skill.join("link")).unwrap();

        for name in ["link", "../secret", "/etc/passwd", "", ".", "none"] {
            assert!(sha256(&skill, name, u64::MAX).is_err(), "{name}");
            assert!(
                read_whole(&skill, name, &Limits::DEFAULT).is_err(),
                "{name}"
            );
        }
    }
}
