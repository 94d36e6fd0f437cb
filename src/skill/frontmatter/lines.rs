//! Lines of a YAML text, taken for entries: a key or a dash, and where the value
//! begins and ends. It knows no more than that; what is YAML, the library says.

use std::ops::Range;

use super::lexer::{begins_plain, is_blank_or_end};

/// Returns the first colon that would end a key, unless a comment comes first.
pub(super) fn offending_colon(value: &[u8]) -> Option<usize> {
    value.iter().enumerate().find_map(|(i, &b)| {
        let comment = b == b'#' && i > 0 && is_blank_or_end(Some(value[i - 1]));
        if comment {
            Some(None)
        } else {
            (b == b':' && is_blank_or_end(value.get(i + 1).copied())).then_some(Some(i))
        }
    })?
}

/// Returns the end of the quotes or brackets that open at `start`, or the
/// end of the text.
pub(super) fn skip_closed(bytes: &[u8], start: usize) -> usize {
    let mut open = 0_usize;
    let mut quote = None;
    let mut at = start;
    while let Some(&b) = bytes.get(at) {
        match (quote, b) {
            (Some(b'"'), b'\\') => at += 1,
            (Some(q), b) if q == b => quote = None,
            (None, b'\'' | b'"') => quote = Some(b),
            (None, b'[' | b'{') => open += 1,
            (None, b']' | b'}') => open = open.saturating_sub(1),
            _ => {}
        }
        if quote.is_none() && open == 0 {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

/// A line of a block.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// Its first byte.
    pub(super) start: usize,
    /// Without blanks and line end behind it.
    pub(super) text: &'a str,
}

/// `key: value` on a line, or an item of a list.
pub(super) struct Entry {
    /// The column of the key or the dash, from 0.
    pub(super) column: usize,
    /// Behind the colon or the dash.
    pub(super) after: usize,
    /// The end of the line's text.
    pub(super) end: usize,
    /// Whether it has a key.
    pub(super) keyed: bool,
    /// Whether the key holds a blank.
    pub(super) worded: bool,
}

impl Entry {
    /// Returns the key as written, without the colon.
    pub(super) fn key<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.key_range(text)).unwrap_or_default()
    }

    /// Returns where the key stands, without the colon.
    pub(super) fn key_range(&self, text: &str) -> Range<usize> {
        let start = text[..self.after].rfind('\n').map_or(0, |at| at + 1) + self.column;
        let key = text.get(start..self.after).unwrap_or_default();
        start..start + key.trim_end_matches(':').trim_end().len()
    }

    /// Returns where the value begins, if it begins on this line.
    pub(super) fn value(&self, text: &str) -> Option<usize> {
        let rest = text.get(self.after..self.end)?;
        let value = rest.trim_start_matches([' ', '\t']);
        (!value.is_empty() && !value.starts_with('#')).then(|| self.end - value.len())
    }
}

impl Line<'_> {
    pub(super) fn indent(self) -> usize {
        self.text.bytes().take_while(|&b| b == b' ').count()
    }

    pub(super) fn is_empty(self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn is_comment(self) -> bool {
        self.text.trim_start().starts_with('#')
    }

    /// Returns the entry on this line, behind any `- ` of list items; without
    /// a key, the last item itself.
    pub(super) fn entry(self) -> Option<Entry> {
        let mut column = self.indent();
        let mut dash = None;
        while let Some(item) = self.text[column..].strip_prefix("- ") {
            dash = Some(column);
            column = self.text.len() - item.trim_start_matches([' ', '\t']).len();
        }
        let (column, length, key) = match (split_key(&self.text[column..]), dash) {
            (Some((key, length)), _) => (column, column + length, Some(key)),
            (None, Some(dash)) => (dash, column, None),
            (None, None) => return None,
        };
        Some(Entry {
            column,
            after: self.start + length,
            end: self.start + self.text.len(),
            keyed: key.is_some(),
            worded: key.is_some_and(|key| key.contains(' ')),
        })
    }

    pub(super) fn is_item(self) -> bool {
        let rest = self.text.trim_start();
        rest == "-" || rest.starts_with("- ")
    }
}

/// Splits `key: …` into the key and the length up to behind the colon.
fn split_key(text: &str) -> Option<(&str, usize)> {
    let bytes = text.as_bytes();
    let first = *bytes.first()?;
    let from = match first {
        b'\'' | b'"' => skip_closed(bytes, 0) + 1,
        _ if begins_plain(first, bytes.get(1).copied()) => 0,
        _ => return None,
    };
    let colon = from + offending_colon(bytes.get(from..)?)?;
    let only_blanks = from == 0 || text.get(from..colon)?.trim().is_empty();
    only_blanks.then(|| (&text[..colon], colon + 1))
}

pub(super) struct Lines<'a>(Vec<Line<'a>>);

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut start = 0;
        let line = |raw: &'a str| {
            let line = Line {
                start,
                text: raw.trim_end_matches([' ', '\t', '\r', '\n']),
            };
            start += raw.len();
            line
        };
        Self(text.split_inclusive('\n').map(line).collect())
    }

    pub(super) fn get(&self, number: usize) -> Option<Line<'a>> {
        self.0.get(number).copied()
    }

    /// Returns the first line from `number` on with more than a comment.
    pub(super) fn content(&self, number: usize) -> Option<usize> {
        let lines = self.0.get(number..)?.iter();
        let skipped = lines.take_while(|line| line.is_empty() || line.is_comment());
        let first = number + skipped.count();
        (first < self.0.len()).then_some(first)
    }

    pub(super) fn end_of(&self, number: usize) -> usize {
        self.get(number)
            .map_or(0, |line| line.start + line.text.len())
    }

    /// Returns the line that holds the byte at `offset`.
    pub(super) fn number_of(&self, offset: usize) -> usize {
        let after = self.0.partition_point(|line| line.start <= offset);
        after.saturating_sub(1)
    }

    /// Returns the first line from `number` on that is not part of a block
    /// under `column`.
    pub(super) fn after_deeper(&self, number: usize, column: usize) -> usize {
        let inside = |line: &&Line| line.is_empty() || line.indent() > column;
        number + self.0[number..].iter().take_while(inside).count()
    }

    /// Returns the line behind the last that goes on with a plain value.
    pub(super) fn after_plain(&self, number: usize, column: usize) -> usize {
        let goes_on =
            |line: &&Line| line.is_empty() || line.indent() > column && !line.is_comment();
        let lines = self.0.get(number..).unwrap_or_default();
        let count = lines.iter().take_while(goes_on).count();
        let blank = lines[..count]
            .iter()
            .rev()
            .take_while(|line| line.is_empty());
        number + count - blank.count()
    }

    /// Returns where a plain value begins that has the lines under its key for
    /// itself, and the number of its first line.
    pub(super) fn wrapped_value(&self, number: usize, column: usize) -> Option<(usize, usize)> {
        let skipped = self.0.get(number..)?.iter();
        let first = number + skipped.take_while(|line| line.is_empty()).count();
        let line = self.get(first)?;
        if line.indent() <= column || line.is_comment() || line.is_item() {
            return None;
        }
        if let Some(entry) = line.entry() {
            // A key of several words above a line that is no entry is a
            // sentence with a colon in it.
            let next = self.get(first + 1)?;
            let sentence = entry.worded
                && next.indent() == line.indent()
                && next.entry().is_none()
                && !(next.is_empty() || next.is_item() || next.is_comment());
            if !sentence {
                return None;
            }
        }
        Some((line.start + line.indent(), first))
    }
}
