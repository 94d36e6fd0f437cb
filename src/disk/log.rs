//! A file that only grows, by whole lines, and that one process has at a time.
//!
//! What a line says is decided elsewhere.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::check;

/// An open file of lines, locked for as long as it is held.
#[derive(Debug)]
pub(crate) struct Log {
    file: File,
    /// Bytes of the file.
    length: u64,
    /// Whether its last line has no end, because a write was cut off.
    is_torn: bool,
}

/// Why such a file cannot be had.
#[derive(Debug)]
pub(crate) enum LogError {
    /// Another process holds it.
    Busy,
    /// Something else is in its place: this.
    Odd(&'static str),
    /// The operating system refused.
    Io(io::Error),
}

impl From<io::Error> for LogError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Log {
    /// Opens the file, for its user alone where it is new, and returns what is
    /// in it: at most one byte more than `limit`.
    ///
    /// A link is not followed: what it leads to is not ours to write.
    pub(crate) fn open(path: &Path, limit: u64) -> Result<(Self, Vec<u8>), LogError> {
        check("open log")?;
        // A pipe in the file's place must not make us wait for its other end.
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOFOLLOW;
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .mode(0o600)
            .custom_flags(flags.bits().cast_signed())
            .open(path)
            .map_err(|error| match super::link(path) {
                Ok(Some(_)) => LogError::Odd("a link"),
                _ => LogError::Io(error),
            })?;
        if !file.metadata()?.is_file() {
            return Err(LogError::Odd("not a regular file"));
        }
        match file.try_lock().map_err(io::Error::from) {
            Err(error) if super::has_no_locks(&error) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Err(LogError::Busy),
            locked => locked?,
        }
        let mut bytes = Vec::new();
        (&file)
            .take(limit.saturating_add(1))
            .read_to_end(&mut bytes)?;
        let log = Self {
            length: bytes.len() as u64,
            is_torn: bytes.last().is_some_and(|&last| last != b'\n'),
            file,
        };
        Ok((log, bytes))
    }

    /// Appends one line and waits until it is on the disk. Whatever the error,
    /// no part of the line stays.
    pub(crate) fn append(&mut self, line: &[u8]) -> io::Result<()> {
        // The line that was cut off must not swallow this one.
        let mut bytes = if self.is_torn {
            vec![b'\n']
        } else {
            Vec::new()
        };
        bytes.extend_from_slice(line);
        bytes.push(b'\n');
        let written = self.write(&bytes);
        match written {
            Ok(()) => {
                self.length += bytes.len() as u64;
                self.is_torn = false;
            }
            Err(_) => {
                let _ = self.file.set_len(self.length);
            }
        }
        written
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        check("append")?;
        self.file.write_all(bytes)?;
        check("sync log")?;
        self.file.sync_data()
    }
}

#[cfg(test)]
mod tests {
    use super::super::hook;
    use super::*;
    use std::fs;

    #[test]
    fn a_torn_line_is_ended_before_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "one\ntw").unwrap();

        let (mut log, bytes) = Log::open(&path, 100).unwrap();
        log.append(b"three").unwrap();
        log.append(b"four").unwrap();

        assert_eq!(bytes, b"one\ntw");
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntw\nthree\nfour\n");
    }

    #[test]
    fn one_holds_it_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let (log, _) = Log::open(&path, 100).unwrap();

        let second = Log::open(&path, 100).unwrap_err();
        drop(log);

        assert!(matches!(second, LogError::Busy), "{second:?}");
        assert!(Log::open(&path, 100).is_ok());
    }

    #[test]
    fn what_is_no_file_of_its_own_is_neither_followed_nor_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        for (target, what) in [("there", "a link"), ("gone", "a link")] {
            fs::write(folder.path().join("there"), "kept").unwrap();
            std::os::unix::fs::symlink(folder.path().join(target), &path).unwrap();
            let error = Log::open(&path, 100).unwrap_err();
            assert!(
                matches!(error, LogError::Odd(found) if found == what),
                "{error:?}"
            );
            assert!(!folder.path().join("gone").exists());
            fs::remove_file(&path).unwrap();
        }
        let mode = rustix::fs::Mode::RWXU;
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let error = Log::open(&path, 100).unwrap_err();
        assert!(
            matches!(error, LogError::Odd("not a regular file")),
            "{error:?}"
        );
    }

    #[test]
    fn a_line_that_fails_leaves_nothing() {
        for call in ["append", "sync log"] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("log");
            fs::write(&path, "one\ntw").unwrap();
            let (mut log, _) = Log::open(&path, 100).unwrap();

            let fails = move |name: &'static str| {
                if name == call {
                    Err(io::ErrorKind::StorageFull.into())
                } else {
                    Ok(())
                }
            };
            hook::with(fails, || log.append(b"three")).unwrap_err();
            assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntw");

            log.append(b"four").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntw\nfour\n");
        }
    }
}
