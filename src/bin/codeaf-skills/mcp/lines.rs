//! Standard input and output as bounded lines, each on a thread of its own.
//!
//! Reading from a terminal or a socket cannot be given up half-way, so that it
//! does not happen where requests are answered. What a line says is decided
//! elsewhere.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::AsFd;
use std::thread;

use tokio::sync::{mpsc, oneshot};

use super::limits;

/// A line that came in.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Its bytes, without the line end.
    Whole(Vec<u8>),
    /// It has more bytes than [`limits::MESSAGE_BYTES`] and was passed over.
    TooLong,
}

/// Lines that come in, where answers go, and who is told when all is written,
/// or why it is not.
pub(super) type Streams = (
    mpsc::Receiver<Line>,
    mpsc::Sender<Vec<u8>>,
    oneshot::Receiver<io::Result<()>>,
);

/// Opens the standard streams of the process.
pub(super) fn standard() -> io::Result<Streams> {
    // Handles of our own: the others are locked for as long as the program
    // prints.
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    Ok(open(File::from(input), File::from(output)))
}

/// Starts both threads.
fn open(input: impl Read + Send + 'static, output: impl Write + Send + 'static) -> Streams {
    let (to_read, incoming) = mpsc::channel(limits::LINES);
    let (outgoing, to_write) = mpsc::channel(limits::LINES);
    let (done, written) = oneshot::channel();
    thread::spawn(move || read(BufReader::with_capacity(65_536, input), &to_read));
    thread::spawn(move || {
        // What cannot be written ends the thread, and with it the connection.
        let _ = done.send(write(output, to_write));
    });
    (incoming, outgoing, written)
}

fn read(mut input: impl BufRead, lines: &mpsc::Sender<Line>) {
    while let Ok(Some(line)) = next_line(&mut input, limits::MESSAGE_BYTES) {
        if lines.blocking_send(line).is_err() {
            return;
        }
    }
}

/// Returns the next line; nothing at the end. The last line needs no line feed.
fn next_line(input: &mut impl BufRead, most: usize) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let mut is_too_long = false;
    let mut is_there = false;
    loop {
        let chunk = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            chunk => chunk?,
        };
        if chunk.is_empty() && !is_there {
            return Ok(None);
        }
        is_there = true;
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let taken = &chunk[..end.unwrap_or(chunk.len())];
        is_too_long |= line.len() + taken.len() > most;
        if is_too_long {
            line = Vec::new();
        } else {
            line.extend_from_slice(taken);
        }
        let is_last = chunk.is_empty() || end.is_some();
        let used = end.map_or(chunk.len(), |end| end + 1);
        input.consume(used);
        if is_last {
            return Ok(Some(if is_too_long {
                Line::TooLong
            } else {
                Line::Whole(line)
            }));
        }
    }
}

fn write(mut output: impl Write, mut lines: mpsc::Receiver<Vec<u8>>) -> io::Result<()> {
    while let Some(mut line) = lines.blocking_recv() {
        line.push(b'\n');
        output.write_all(&line)?;
        output.flush()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &[u8], most: usize) -> Vec<Line> {
        // A small buffer, so that lines come in pieces.
        let mut input = BufReader::with_capacity(3, input);
        let mut lines = Vec::new();
        while let Some(line) = next_line(&mut input, most).unwrap() {
            lines.push(line);
        }
        lines
    }

    fn whole(text: &str) -> Line {
        Line::Whole(text.into())
    }

    #[test]
    fn lines_end_at_line_feeds_and_at_the_end() {
        assert_eq!(lines(b"", 9), []);
        assert_eq!(lines(b"\n", 9), [whole("")]);
        assert_eq!(lines(b"one\ntwo\r\n", 9), [whole("one"), whole("two\r")]);
        assert_eq!(lines(b"one\ntwo", 9), [whole("one"), whole("two")]);
    }

    #[test]
    fn a_line_over_the_bound_is_passed_over_and_the_next_is_read() {
        assert_eq!(
            lines(b"12345\n1234\n12345678901\nx", 4),
            [Line::TooLong, whole("1234"), Line::TooLong, whole("x")]
        );
        assert_eq!(lines(b"12345", 4), [Line::TooLong]);
    }
}
