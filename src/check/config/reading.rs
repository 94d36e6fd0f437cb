//! The bytes of a small file of the project, and their text.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::ConfigError;
use crate::diagnostic::Span;
use crate::json::Malformed;
use crate::limits::Limits;

/// Reads a regular file. `None`: nothing is there.
///
/// The bound is that of a scope file ([`Limits::scope_bytes`]): the same hands
/// write both.
pub(super) fn read(path: &Path, limits: &Limits) -> Result<Option<Vec<u8>>, ConfigError> {
    let limit = limits.scope_bytes;
    match read_at_most(path, limit.saturating_add(1)) {
        Ok(bytes) if bytes.len() as u64 > limit => Err(ConfigError::TooLarge {
            path: path.to_path_buf(),
            limit,
        }),
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if is_absent(path, &error) => Ok(None),
        Err(source) => Err(ConfigError::Unreadable {
            path: path.to_path_buf(),
            source,
        }),
    }
}

fn read_at_most(path: &Path, bound: u64) -> io::Result<Vec<u8>> {
    // A pipe in the file's place must not make us wait for its other end.
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(nonblocking)
        .open(path)?;
    if !file.metadata()?.is_file() {
        let kind = io::ErrorKind::InvalidInput;
        return Err(io::Error::new(kind, "not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(bound).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A link to nothing is there: somebody meant something by it.
fn is_absent(path: &Path, error: &io::Error) -> bool {
    let kinds = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
    kinds.contains(&error.kind()) && path.symlink_metadata().is_err()
}

/// Returns the text of a JSON file.
pub(super) fn text<'a>(path: &Path, bytes: &'a [u8]) -> Result<&'a str, ConfigError> {
    let fault = |offset, message: &str, help: &'static str| {
        let span = Span::at(bytes, offset);
        let malformed = Malformed::new(offset, message).with_help(help);
        ConfigError::at(path, span, malformed)
    };
    if bytes.starts_with(b"\xef\xbb\xbf") {
        let help = "save the file as UTF-8 without a mark";
        return Err(fault(0, "a byte-order mark (U+FEFF) stands first", help));
    }
    std::str::from_utf8(bytes).map_err(|error| {
        let help = "save the file as UTF-8";
        fault(error.valid_up_to(), "this is not UTF-8 text", help)
    })
}
