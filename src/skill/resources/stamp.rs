//! Whether a file may have been written to, told without reading it.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// What the system says of a file: while it stays the same, so do its bytes.
///
/// The other way round it tells nothing: a file that is touched, or replaced by
/// a copy of itself, has another stamp.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// Bytes.
    pub size: u64,
    file: (u64, u64),
    /// Seconds and nanoseconds.
    modified: (i64, i64),
    /// When anything about the file changed, which no program sets: some put the
    /// time of the last write back.
    changed: (i64, i64),
}

impl Stamp {
    /// Of what is no file: its size alone.
    #[cfg(feature = "extension")]
    pub(crate) fn of_size(size: u64) -> Self {
        Self {
            size,
            ..Self::default()
        }
    }

    pub(super) fn of(found: &Metadata) -> Self {
        Self {
            size: found.len(),
            file: (found.dev(), found.ino()),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }
}
