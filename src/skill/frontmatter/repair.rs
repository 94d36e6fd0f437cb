//! One text through lexer and library, and the one repair.
//!
//! `description: Use when: …` is no YAML, and the commonest reason why a skill
//! vanishes. Where the library refuses a text, unquoted values of block
//! mappings that hold a colon and a blank are put between quotes, whole, and
//! the text is read once more. Nothing else is ever mended.

use super::lexer::{self, Nodes, Token, TokenKind, begins_plain, is_blank_or_end};
use super::library::{self, Outcome, Refusal};
use super::source::{Mend, Source};
use super::{Comment, Fault, Parsed, Style, refusal};
use crate::diagnostic::Span;
use crate::limits::Limits;

/// Reads the fields of a shielded text, repaired if it must be.
pub(super) fn read(text: &str, limits: &Limits) -> Result<Parsed, Fault> {
    let source = Source::new(text);
    let nodes = scan(&source, limits)?;
    let refused = match library::read(&source, &nodes, limits) {
        Ok(outcome) => return parsed(outcome, &nodes, &source),
        Err(refused) => refused,
    };
    let mends = match refused {
        Refusal::Syntax(..) => mends(text),
        _ => Vec::new(),
    };
    let fault = refusal::fault(&refused, &nodes, &source, limits);
    if mends.is_empty() {
        return Err(fault);
    }
    let source = source.mended(&mends);
    let nodes = scan(&source, limits)?;
    match library::read(&source, &nodes, limits) {
        // Quotes that went into a block or other quotes would change its text.
        Ok(_) if !source.mends_are_values(&nodes) => Err(fault),
        Ok(outcome) => parsed(outcome, &nodes, &source),
        Err(refused) => Err(refusal::fault(&refused, &nodes, &source, limits)),
    }
}

fn scan(source: &Source, limits: &Limits) -> Result<Nodes, Fault> {
    lexer::scan(&source.text, limits.yaml_depth)
        .map_err(|stop| refusal::stop_fault(stop, source, limits))
}

fn parsed(outcome: Outcome, nodes: &Nodes, source: &Source) -> Result<Parsed, Fault> {
    if let Some(fault) = refusal::doubled_anchor(nodes, source) {
        return Err(fault);
    }
    let fields = match outcome {
        Outcome::Fields(fields) => fields,
        Outcome::Other(value) => return Err(refusal::not_a_mapping(&value)),
    };
    Ok(Parsed {
        fields,
        tags: nodes.tags.iter().map(|tag| source.part(tag)).collect(),
        aliases: nodes.aliases().map(|alias| source.span(alias)).collect(),
        comments: comments(nodes, source),
        tabs: tabs(nodes, source),
        fault: refusal::foreign_tag(nodes, source),
    })
}

/// Finds the comments that end an unquoted value.
fn comments(nodes: &Nodes, source: &Source) -> Vec<Comment> {
    let behind = |token: &Token| {
        let is_plain = token.kind == TokenKind::Scalar(Style::Plain);
        let line = source.text.get(token.end..)?.split('\n').next()?;
        let comment = line.trim_start_matches([' ', '\t']);
        let start = token.end + line.len() - comment.len();
        let end = start + comment.trim_end().len();
        let spaced = is_blank_or_end(comment.as_bytes().get(1).copied());
        (is_plain && comment.starts_with('#')).then(|| Comment {
            span: source.part(&(start..end)),
            spaced,
        })
    };
    nodes.tokens.iter().filter_map(behind).collect()
}

/// Finds the first tab between each colon and the value on its line.
fn tabs(nodes: &Nodes, source: &Source) -> Vec<Span> {
    let behind = |token: &Token| {
        let rest = source.text.get(token.end..)?;
        let blanks = rest.trim_start_matches([' ', '\t']).strip_prefix(':')?;
        let colon = token.end + rest.len() - blanks.len();
        let value = blanks.trim_start_matches([' ', '\t']);
        let tab = blanks[..blanks.len() - value.len()].find('\t')?;
        let has_value = !is_blank_or_end(value.bytes().next());
        has_value.then(|| source.point(colon + tab).with_length(1))
    };
    nodes.tokens.iter().filter_map(behind).collect()
}

/// Finds the unquoted values of block mappings that hold a colon and a blank,
/// or end a line with a colon.
fn mends(text: &str) -> Vec<Mend> {
    let lines = Lines::new(text);
    let mut mends = Vec::new();
    let mut number = 0;
    while let Some(line) = lines.get(number) {
        number += 1;
        let Some(entry) = line.entry() else {
            continue;
        };
        let (start, first) = match entry.value(text) {
            Some(start) => (start, number - 1),
            None => match lines.wrapped_value(number, entry.column) {
                Some((start, first)) => (start, first),
                None => continue,
            },
        };
        let bytes = text.as_bytes();
        let begin = skip_properties(bytes, start);
        match bytes.get(begin).copied().unwrap_or_default() {
            b'|' | b'>' => number = lines.after_deeper(number, entry.column),
            b'\'' | b'"' | b'[' | b'{' => {
                let end = skip_closed(bytes, begin);
                number = lines.number_of(end).max(first) + 1;
            }
            b if entry.keyed
                && begin == start
                && begins_plain(b, bytes.get(start + 1).copied()) =>
            {
                let after = lines.after_plain(first + 1, entry.column);
                let end = lines.end_of(after - 1);
                number = after;
                if let Some(colon) = offending_colon(&bytes[start..end]) {
                    mends.push(Mend {
                        value: start..end,
                        colon: start + colon,
                    });
                }
            }
            _ => {}
        }
    }
    mends
}

/// Returns the first colon that would end a key, unless a comment comes first.
fn offending_colon(value: &[u8]) -> Option<usize> {
    value.iter().enumerate().find_map(|(i, &b)| {
        let comment = b == b'#' && i > 0 && is_blank_or_end(Some(value[i - 1]));
        if comment {
            Some(None)
        } else {
            (b == b':' && is_blank_or_end(value.get(i + 1).copied())).then_some(Some(i))
        }
    })?
}

/// Steps over the anchor and the tag before a value.
fn skip_properties(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while matches!(bytes.get(at), Some(b'&' | b'!')) {
        let word = bytes[at..]
            .iter()
            .take_while(|&&b| !is_blank_or_end(Some(b)));
        at += word.count();
        let blanks = bytes[at..].iter().take_while(|b| matches!(b, b' ' | b'\t'));
        at += blanks.count();
    }
    at
}

/// Returns the end of the quotes or brackets that open at `start`, or the
/// end of the text.
fn skip_closed(bytes: &[u8], start: usize) -> usize {
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
struct Line<'a> {
    /// Its first byte.
    start: usize,
    /// Without blanks and line end behind it.
    text: &'a str,
}

/// `key: value` on a line, or an item of a list.
struct Entry {
    /// The column of the key or the dash, from 0.
    column: usize,
    /// Behind the colon or the dash.
    after: usize,
    /// The end of the line's text.
    end: usize,
    /// Whether it has a key.
    keyed: bool,
    /// Whether the key holds a blank.
    worded: bool,
}

impl Entry {
    /// Returns where the value begins, if it begins on this line.
    fn value(&self, text: &str) -> Option<usize> {
        let rest = text.get(self.after..self.end)?;
        let value = rest.trim_start_matches([' ', '\t']);
        (!value.is_empty() && !value.starts_with('#')).then(|| self.end - value.len())
    }
}

impl Line<'_> {
    fn indent(self) -> usize {
        self.text.bytes().take_while(|&b| b == b' ').count()
    }

    fn is_empty(self) -> bool {
        self.text.is_empty()
    }

    fn is_comment(self) -> bool {
        self.text.trim_start().starts_with('#')
    }

    /// Returns the entry on this line, behind any `- ` of list items; without
    /// a key, the last item itself.
    fn entry(self) -> Option<Entry> {
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

    fn is_item(self) -> bool {
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

struct Lines<'a>(Vec<Line<'a>>);

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
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

    fn get(&self, number: usize) -> Option<Line<'a>> {
        self.0.get(number).copied()
    }

    fn end_of(&self, number: usize) -> usize {
        self.get(number)
            .map_or(0, |line| line.start + line.text.len())
    }

    /// Returns the line that holds the byte at `offset`.
    fn number_of(&self, offset: usize) -> usize {
        let after = self.0.partition_point(|line| line.start <= offset);
        after.saturating_sub(1)
    }

    /// Returns the first line from `number` on that is not part of a block
    /// under `column`.
    fn after_deeper(&self, number: usize, column: usize) -> usize {
        let inside = |line: &&Line| line.is_empty() || line.indent() > column;
        number + self.0[number..].iter().take_while(inside).count()
    }

    /// Returns the line behind the last that goes on with a plain value.
    fn after_plain(&self, number: usize, column: usize) -> usize {
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
    fn wrapped_value(&self, number: usize, column: usize) -> Option<(usize, usize)> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_with_an_unquoted_colon_are_found_whole() {
        for (text, values) in [
            ("a: b: c\n", &["b: c"] as &[_]),
            ("a: ends:\nb: fine\n", &["ends:"]),
            ("a: b: c # d\n", &["b: c # d"]),
            ("a: b # c: d\n", &[]),
            ("a:\n  one\n  two: three\n\nb: x\n", &["one\n  two: three"]),
            ("a: one\n  two: three\n", &["one\n  two: three"]),
            ("a:\n  b: c\n  d: e: f\n", &["e: f"]),
            (
                "a:\n  Use when: the user\n  asks.\n",
                &["Use when: the user\n  asks."],
            ),
            ("a:\n  - k: v: w\n    x: y\n", &["v: w"]),
            ("a: |\n  b: c: d\ne: f\n", &[]),
            (
                "a: 'b: c'\nb: \"x\n  y: z: w\"\nc: [p, q: r,\n  s: t]\n",
                &[],
            ),
            ("a:\n  - |\n    b: c: d\n", &[]),
            ("a:\n  - - 'b: c\n  d: e: f'\n", &[]),
            ("a: &x !!str |\n  b: c: d\n", &[]),
            ("a: &x b: c\n", &[]),
            ("- a\n- b: c: d\n", &["c: d"]),
            ("a: `b: c`\nb: @c: d\nd: %e: f\n", &[]),
            ("'a: b': c: d\n", &["c: d"]),
            ("a: http://x\nb: 10:30\n", &[]),
            ("a: b: c\r\nd: e\r\n", &["b: c"]),
        ] {
            let found: Vec<_> = mends(text)
                .into_iter()
                .map(|mend| &text[mend.value])
                .collect();
            assert_eq!(found, values, "{text:?}");
        }
    }
}
