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

impl Log {
    /// Opens the file, for its user alone where it is new, and returns what is
    /// in it: at most one byte more than `limit`.
    ///
    /// `WouldBlock`: another process holds it.
    pub(crate) fn open(path: &Path, limit: u64) -> io::Result<(Self, Vec<u8>)> {
        check("open log")?;
        // A pipe in the file's place must not make us wait for its other end.
        let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .mode(0o600)
            .custom_flags(nonblocking)
            .open(path)?;
        if !file.metadata()?.is_file() {
            let words = "not a regular file";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, words));
        }
        match file.try_lock().map_err(io::Error::from) {
            Err(error) if super::has_no_locks(&error) => {}
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

        assert_eq!(second.kind(), io::ErrorKind::WouldBlock);
        assert!(Log::open(&path, 100).is_ok());
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
