//! A text as the library gets it, and the way back to the file.

use std::borrow::Cow;
use std::ops::Range;

use super::Style;
use super::lexer::{Nodes, Token, TokenKind};
use super::places::Places;
use crate::diagnostic::Span;

/// A value to be put between quotes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mend {
    pub(super) value: Range<usize>,
    /// Its key.
    pub(super) key: Range<usize>,
    /// The column of its key, from 0.
    pub(super) column: usize,
    /// The first colon in it that YAML takes for a key's.
    pub(super) colon: usize,
}

/// The text that the library gets, and its way back to the file.
pub(super) struct Source<'a> {
    pub(super) text: Cow<'a, str>,
    /// The text before anything was mended.
    original: &'a str,
    places: Places,
    /// For each byte of a mended text, its byte in the original.
    origin: Vec<usize>,
    /// Where mended values begin in the mended text, and their colons in the
    /// original.
    colons: Vec<(usize, usize)>,
}

impl<'a> Source<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text: Cow::Borrowed(text),
            original: text,
            places: Places::new(text),
            origin: Vec::new(),
            colons: Vec::new(),
        }
    }

    /// Puts each of `mends` between single quotes, which fold lines just as
    /// no quotes do.
    pub(super) fn mended(self, mends: &[Mend]) -> Self {
        let mut text = String::with_capacity(self.original.len() + 2 * mends.len());
        let mut origin = Vec::with_capacity(text.capacity() + 1);
        let mut colons = Vec::with_capacity(mends.len());
        let mut copy = |from: usize, part: &str| {
            text.push_str(part);
            origin.extend(from..from + part.len());
            text.len()
        };
        let mut copied = 0;
        for mend in mends {
            let start = copy(copied, &self.original[copied..mend.value.start]);
            colons.push((start, mend.colon));
            copy(mend.value.start, "'");
            for (offset, part) in self.original[mend.value.clone()].match_indices(|_| true) {
                copy(mend.value.start + offset, part);
                if part == "'" {
                    copy(mend.value.start + offset, "'");
                }
            }
            copy(mend.value.end - 1, "'");
            copied = mend.value.end;
        }
        copy(copied, &self.original[copied..]);
        Self {
            text: Cow::Owned(text),
            origin,
            colons,
            ..self
        }
    }

    /// Whether each mended value is a value of its own.
    pub(super) fn mends_are_values(&self, nodes: &Nodes) -> bool {
        let tokens = &nodes.tokens;
        let is_value = |&(start, _): &(usize, usize)| {
            let found = tokens.binary_search_by_key(&start, |token| token.start);
            found.is_ok_and(|i| tokens[i].kind == TokenKind::Scalar(Style::Single))
        };
        self.colons.iter().all(is_value)
    }

    /// Whether a mended value begins at this byte of the text.
    pub(super) fn is_mended(&self, offset: usize) -> bool {
        let found = self
            .colons
            .binary_search_by_key(&offset, |&(start, _)| start);
        found.is_ok()
    }

    /// Returns the text before anything was mended.
    pub(super) fn original(&self) -> &'a str {
        self.original
    }

    /// Returns where a part of one line of the original stands.
    pub(super) fn part_of_original(&self, part: &Range<usize>) -> Span {
        let written = self.original.get(part.clone()).unwrap_or_default();
        self.places
            .at(part.start)
            .with_length(written.chars().count())
    }

    /// Returns the byte of the original that a byte of the text stands for.
    fn origin_of(&self, offset: usize) -> usize {
        if self.origin.is_empty() {
            return offset;
        }
        let end = self.original.len();
        self.origin.get(offset).copied().unwrap_or(end)
    }

    /// Returns the point of a line and a column of the text, both from 0.
    pub(super) fn point_at(&self, line: usize, column: usize) -> Span {
        // A mended text has the lines of the original, not its columns.
        let start = self.places.offset(line, 0);
        let offset = if self.origin.is_empty() {
            self.places.offset(line, column)
        } else {
            let start = self.origin.partition_point(|&origin| origin < start);
            let chars = self.text.get(start..).unwrap_or_default().char_indices();
            let in_line = chars.map(|(i, _)| start + i).nth(column);
            self.origin_of(in_line.unwrap_or(self.text.len()))
        };
        self.places.at(offset)
    }

    /// Returns where a node stands, with its length on its first line.
    pub(super) fn span(&self, token: Token) -> Span {
        let start = self.origin_of(token.start);
        let end = match token.end.checked_sub(1) {
            Some(last) if !self.origin.is_empty() => self.origin_of(last) + 1,
            _ => token.end,
        };
        let written = self.original.get(start..end).unwrap_or_default();
        let line = written.split('\n').next().unwrap_or_default();
        let length = line.trim_end_matches([' ', '\t', '\r']).chars().count();
        self.places.at(start).with_length(length)
    }

    /// Returns where a part of one line stands.
    pub(super) fn part(&self, part: &Range<usize>) -> Span {
        let written = self.text.get(part.clone()).unwrap_or_default();
        self.point(part.start).with_length(written.chars().count())
    }

    /// Returns the point of a byte of the text.
    pub(super) fn point(&self, offset: usize) -> Span {
        self.places.at(self.origin_of(offset))
    }

    /// Returns the colon that was mended in the scalar that begins here.
    pub(super) fn repaired(&self, offset: usize) -> Option<Span> {
        let found = self
            .colons
            .binary_search_by_key(&offset, |&(start, _)| start)
            .ok()?;
        Some(self.places.at(self.colons[found].1).with_length(1))
    }
}
