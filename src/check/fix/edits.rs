//! Edits to the head of a file, and the way from places to bytes.

use std::ops::Range;

use crate::diagnostic::Span;
use crate::skill::frontmatter::{Facts, Field};

/// Bytes and what stands there instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

impl Edit {
    pub(super) fn new(range: Range<usize>, text: impl Into<String>) -> Self {
        Self {
            range,
            text: text.into(),
        }
    }
}

/// Applies edits, in any order. `None`: two of them want the same bytes.
pub(super) fn apply<'a>(
    bytes: &[u8],
    edits: impl IntoIterator<Item = &'a Edit>,
) -> Option<Vec<u8>> {
    let mut edits: Vec<&Edit> = edits.into_iter().collect();
    // An insertion goes before what begins in the same place.
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut edited = Vec::with_capacity(bytes.len() + 64);
    let mut done = 0;
    for edit in edits {
        edited.extend_from_slice(bytes.get(done..edit.range.start)?);
        edited.extend_from_slice(edit.text.as_bytes());
        done = edit.range.end;
    }
    edited.extend_from_slice(bytes.get(done..)?);
    Some(edited)
}

/// The head of a file, from its first byte to the body, with its lines. Its
/// offsets are those of the file.
pub(super) struct Head<'a> {
    pub(super) text: &'a str,
    /// Where each line begins, in bytes and in characters; lines end at LF.
    starts: Vec<(usize, usize)>,
    /// The byte of each character, made once: a line can have thousands of places.
    characters: Vec<usize>,
    /// The line of the closing fence.
    closing: u32,
}

impl<'a> Head<'a> {
    /// `None`: there is no frontmatter, or it is not UTF-8.
    pub(super) fn new(bytes: &'a [u8], facts: &Facts) -> Option<Self> {
        let text = std::str::from_utf8(bytes.get(..facts.body)?).ok()?;
        let mut starts = vec![(0, 0)];
        let mut characters = Vec::with_capacity(text.len() + 1);
        for (byte, c) in text.char_indices() {
            characters.push(byte);
            if c == '\n' {
                starts.push((byte + 1, characters.len()));
            }
        }
        characters.push(text.len());
        Some(Self {
            text,
            starts,
            characters,
            closing: facts.closing?.span.line,
        })
    }

    /// Returns where a line begins; past the last, the end.
    pub(super) fn start(&self, line: u32) -> usize {
        let index = (line as usize).saturating_sub(1);
        let start = self.starts.get(index);
        start.map_or(self.text.len(), |&(byte, _)| byte)
    }

    /// Returns a line with its line end.
    pub(super) fn whole_line(&self, line: u32) -> &'a str {
        &self.text[self.start(line)..self.start(line.saturating_add(1))]
    }

    /// Returns a line without its line end.
    pub(super) fn line(&self, line: u32) -> &'a str {
        let whole = self.whole_line(line);
        let line = whole.strip_suffix('\n').unwrap_or(whole);
        line.strip_suffix('\r').unwrap_or(line)
    }

    /// Returns the line end of the opening fence.
    pub(super) fn line_end(&self) -> &'static str {
        if self.whole_line(1).ends_with("\r\n") {
            "\r\n"
        } else {
            "\n"
        }
    }

    /// Returns the bytes of a place within its line.
    pub(super) fn range(&self, span: Span) -> Option<Range<usize>> {
        let line = (span.line as usize).saturating_sub(1);
        let &(_, first) = self.starts.get(line)?;
        let start = first + span.column.checked_sub(1)? as usize;
        let end = start + span.length as usize;
        let range = *self.characters.get(start)?..*self.characters.get(end)?;
        let line_end = self.start(span.line) + self.line(span.line).len();
        (range.end <= line_end).then_some(range)
    }

    /// Returns the first and the last line of a field of the top level, with the
    /// comments right above it. `None`: it has no lines of its own.
    pub(super) fn lines_of(&self, fields: &[Field], index: usize) -> Option<(u32, u32)> {
        let key = fields.get(index)?.key_span;
        let next = fields.get(index + 1);
        let behind = next.map_or(self.closing, |next| next.key_span.line);
        let is_comment = |number: u32| self.line(number).starts_with('#');
        let is_outside = |number: u32| is_comment(number) || self.line(number).trim().is_empty();
        if key.column != 1 || behind <= key.line {
            return None;
        }
        let mut first = key.line;
        while is_comment(first - 1) {
            first -= 1;
        }
        let mut last = behind - 1;
        while last > key.line && is_outside(last) {
            last -= 1;
        }
        Some((first, last))
    }

    /// Returns the line that the closing fence stands on.
    pub(super) fn closing(&self) -> u32 {
        self.closing
    }
}
