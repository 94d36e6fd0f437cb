//! Where a reader finds frontmatter and body, by its own fences.

use std::borrow::Cow;

use super::{Case, FenceLine, LineEnds, Reader};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A file, taken apart.
pub(super) struct Frame<'a> {
    /// What stands between the fences, if there are fences.
    pub(super) inner: Option<Cow<'a, [u8]>>,
    /// What follows them.
    pub(super) body: &'a [u8],
    /// What is odd about the file so far.
    pub(super) cases: Vec<Case>,
}

/// Takes `bytes` apart as `reader` does.
pub(super) fn take_apart<'a>(bytes: &'a [u8], reader: &Reader) -> Frame<'a> {
    let mut cases = Vec::new();
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let conditions = [
        (bytes.is_empty(), Case::EmptyFile),
        (text.len() < bytes.len(), Case::ByteOrderMark),
        (is_over(bytes, reader.file_bytes), Case::FileTooLarge),
    ];
    cases.extend(conditions.iter().filter(|(holds, _)| *holds).map(|c| c.1));
    let mut lines = Lines {
        rest: text,
        ends: reader.line_ends,
    };
    let first = lines.next().unwrap_or_default();
    if !is_fence(first, reader.opening, &mut cases) {
        cases.push(Case::NoOpening);
        return Frame {
            inner: None,
            body: text,
            cases,
        };
    }
    let start = lines.rest;
    let mut between = Vec::new();
    let mut closed = false;
    let mut end = 0;
    for_each_line(&mut lines, |line, rest| {
        closed = is_fence(line, reader.closing, &mut cases);
        if closed {
            about_closing(line, rest, reader.closing, &mut cases);
        } else {
            between.push(line);
            end = start.len() - rest.len();
        }
        closed
    });
    let frontmatter = text.len() - if closed { lines.rest.len() } else { 0 };
    if reader
        .frontmatter_bytes
        .is_some_and(|most| frontmatter > most)
    {
        cases.push(Case::FrontmatterTooLarge);
    } else if !closed {
        cases.push(Case::Unclosed);
    }
    let inner = match reader.line_ends {
        LineEnds::Lf => Cow::Borrowed(&start[..end]),
        LineEnds::Python => Cow::Owned(between.join(&b'\n')),
    };
    Frame {
        inner: (closed || reader.to_the_end).then_some(inner),
        body: if closed { lines.rest } else { b"" },
        cases,
    }
}

fn is_over(bytes: &[u8], most: Option<usize>) -> bool {
    most.is_some_and(|most| bytes.len() > most)
}

fn for_each_line<'a>(lines: &mut Lines<'a>, mut stops: impl FnMut(&'a [u8], &'a [u8]) -> bool) {
    while let Some(line) = lines.next() {
        if stops(line, lines.rest) {
            return;
        }
    }
}

/// Whether `line` is a fence. A rule that nobody knows takes what we take, and
/// leaves the case behind unless the fence is bare.
fn is_fence(line: &[u8], rule: Option<FenceLine>, cases: &mut Vec<Case>) -> bool {
    let bare = line.strip_suffix(b"\r").unwrap_or(line);
    let blanks = |rest: &[u8]| rest.iter().all(|b| matches!(b, b' ' | b'\t'));
    let is_blank = bare.strip_prefix(b"---").is_some_and(blanks);
    match rule {
        Some(FenceLine::Bare) => bare == b"---",
        Some(FenceLine::Blanks) => is_blank,
        Some(FenceLine::Trimmed) => {
            std::str::from_utf8(line).is_ok_and(|line| line.trim() == "---")
        }
        Some(FenceLine::Prefix) => line.starts_with(b"---"),
        None => {
            if is_blank && bare != b"---" {
                cases.push(Case::OddFence);
            }
            is_blank
        }
    }
}

/// Notes what is odd about the line that closes.
fn about_closing(line: &[u8], below: &[u8], rule: Option<FenceLine>, cases: &mut Vec<Case>) {
    let Some(rest) = line.strip_prefix(b"---") else {
        // With no bare line below, the indented one is meant.
        let is_bare = |line: &[u8]| line.strip_suffix(b"\r").unwrap_or(line) == b"---";
        if below.split(|&b| b == b'\n').any(is_bare) {
            cases.push(Case::ClosingIndented);
        }
        return;
    };
    if rule == Some(FenceLine::Prefix) && !rest.strip_suffix(b"\r").unwrap_or(rest).is_empty() {
        cases.push(if rest.trim_ascii().is_empty() {
            Case::ClosingBlanks
        } else {
            Case::ClosingText
        });
    }
}

/// The lines of a text, without their line ends but for a CR before an LF.
struct Lines<'a> {
    rest: &'a [u8],
    ends: LineEnds,
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let end = (0..self.rest.len()).find_map(|at| {
            let length = match self.ends {
                LineEnds::Lf => usize::from(self.rest[at] == b'\n'),
                LineEnds::Python => python_line_end(&self.rest[at..]),
            };
            (length > 0).then_some((at, length))
        });
        let (at, length) = end.unwrap_or((self.rest.len(), 0));
        let line = &self.rest[..at];
        self.rest = &self.rest[at + length..];
        Some(line)
    }
}

/// Returns how long the line end is that stands first, 0 if there is none.
fn python_line_end(bytes: &[u8]) -> usize {
    match bytes {
        [b'\r', b'\n', ..] | [0xc2, 0x85, ..] => 2,
        [b'\n' | b'\r' | 0x0b | 0x0c | 0x1c..=0x1e, ..] => 1,
        [0xe2, 0x80, 0xa8 | 0xa9, ..] => 3,
        _ => 0,
    }
}
