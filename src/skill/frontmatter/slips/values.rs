//! Slips in the value of a field: how it may not begin, and how it may not end.

use std::ops::Range;

use super::{Slip, early};
use crate::skill::frontmatter::lexer::{begins_plain, is_blank_or_end};
use crate::skill::frontmatter::lines::{Entry, Line, Lines};
use crate::skill::frontmatter::quoting::{self, folded, quoted};
use crate::skill::frontmatter::schema::FIELDS;
use crate::text::counted;

/// Fields whose value is a list or a mapping at times.
const NOT_TEXT: [&str; 2] = ["metadata", "allowed-tools"];

/// A value that begins on the line of its key or dash, or on the one below.
pub(super) struct Value<'a> {
    pub(super) text: &'a str,
    pub(super) lines: &'a Lines<'a>,
    pub(super) entry: &'a Entry,
    pub(super) line: Line<'a>,
    /// Its first byte.
    pub(super) start: usize,
    /// The number of its line, from 0.
    pub(super) number: usize,
}

impl<'a> Value<'a> {
    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    pub(super) fn first(&self) -> u8 {
        self.bytes()[self.start]
    }

    pub(super) fn is_plain(&self) -> bool {
        begins_plain(self.first(), self.bytes().get(self.start + 1).copied())
    }

    fn end_of_line(&self) -> usize {
        self.lines.end_of(self.number)
    }

    /// The text on the first line.
    fn on_line(&self) -> &'a str {
        &self.text[self.start..self.end_of_line()]
    }

    /// Returns the number of the line behind the value.
    pub(super) fn after(&self) -> usize {
        let column = self.entry.column;
        match self.first() {
            b'|' | b'>' => self.lines.after_deeper(self.number + 1, column),
            quote @ (b'\'' | b'"') => match closing_quote(self.bytes(), self.start, quote) {
                Some(end) => self.lines.number_of(end) + 1,
                None => usize::MAX,
            },
            b'[' | b'{' => match closing_bracket(self.bytes(), self.start) {
                Some(end) => self.lines.number_of(end) + 1,
                None => usize::MAX,
            },
            _ => self.after_plain(),
        }
    }

    /// The whole value as it was meant, on one line; a comment inside it is a part.
    fn meant(&self) -> String {
        let after = self.after_plain();
        let below = self.lines.content(after);
        let below = below.and_then(|number| self.lines.get(number));
        if below.is_some_and(|line| line.indent() > self.entry.column) {
            return folded(self.whole());
        }
        let end = self.lines.end_of(after - 1).max(self.end_of_line());
        folded(&self.text[self.start..end])
    }

    fn after_plain(&self) -> usize {
        self.lines.after_plain(self.number + 1, self.entry.column)
    }

    /// All that is deeper than the key: what was meant for the text of quotes or of
    /// a block.
    fn whole(&self) -> &'a str {
        let after = self.lines.after_deeper(self.number + 1, self.entry.column);
        &self.text[self.start..self.lines.end_of(after - 1).max(self.end_of_line())]
    }

    /// What quotes that nothing closes were meant for: up to the next entry.
    fn unclosed(&self) -> &'a str {
        let is_in = |line: Line| {
            let is_deeper = line.is_empty() || line.indent() > self.entry.column;
            is_deeper || !line.is_comment() && line.entry().is_none()
        };
        let below = (self.number + 1..).map_while(|number| self.lines.get(number));
        let after = self.number + 1 + below.take_while(|&line| is_in(line)).count();
        &self.text[self.start..self.lines.end_of(after - 1).max(self.end_of_line())]
    }

    /// The key as written, its colon included.
    fn key(&self) -> &'a str {
        let start = self.line.start + self.entry.column;
        self.text[start..self.entry.after].trim_end()
    }

    /// Says how to write the line with `value` between quotes.
    fn quote(&self, value: &str) -> String {
        quoting::quote_it(&format!("{} {}", self.key(), quoted(value)))
    }

    /// Says what is wrong; where the library `refused` near it, also what may
    /// be right at times.
    pub(super) fn slip(&self, refused: bool) -> Option<Slip> {
        let first = self.first();
        let next = self.bytes().get(self.start + 1).copied();
        match first {
            b'"' | b'\'' => self.in_quotes(first),
            b'[' | b'{' if refused => self.in_brackets(first),
            b'|' | b'>' if refused => self.in_block(),
            b'-' if is_blank_or_end(next) && self.entry.keyed => Some(self.item()),
            // Tags are told of elsewhere; an anchor or an alias may be meant.
            b'&' | b'*' if !refused => None,
            b'!' | b'[' | b'{' | b'|' | b'>' | b'-' | b'#' => None,
            _ if begins_plain(first, next) => None,
            _ => Some(self.indicator(first)),
        }
    }

    fn indicator(&self, first: u8) -> Slip {
        let sign = char::from(first);
        let what = match first {
            b'@' | b'`' => "YAML keeps it for later",
            b'%' => "in YAML it begins a directive",
            b'&' => "in YAML it begins the name of an anchor",
            b'*' => "in YAML it begins the name of an alias",
            b'?' => "with a blank, it begins a key in YAML",
            b':' => "with a blank, it ends a key in YAML",
            b',' => "in YAML it parts the items of a list",
            _ => "in YAML it closes a list or a mapping",
        };
        let sign = if first == b'`' {
            "a backquote".to_owned()
        } else {
            format!("`{sign}`")
        };
        let message = format!("a value that begins with {sign} needs quotes: {what}");
        Slip::new(
            self.start..self.start + 1,
            message,
            self.quote(&self.meant()),
        )
    }

    /// What ends the value early, before the line `after`, although deeper lines
    /// follow.
    pub(super) fn ends_early(&self, after: usize) -> Option<Slip> {
        let ends = (self.start, after);
        match self.first() {
            b'|' | b'>' => early::less_indented(self.text, self.lines, self.entry, ends),
            _ if self.is_plain() => early::comment(self.text, self.lines, self.entry, ends),
            _ => None,
        }
    }

    fn item(&self) -> Slip {
        let message = "a list may not begin on the line of its field";
        let help = if self.is_text() {
            self.quote(&self.meant())
        } else {
            let key = self.key();
            let item = folded(self.on_line());
            let below = self.lines.get(self.number + 1);
            let blanks = match below.filter(|line| line.is_item()).map(Line::indent) {
                None | Some(0) => String::new(),
                Some(indent) => format!("{} and ", counted(indent, "blank")),
            };
            format!("write {key} and, on a line below, {blanks}{item}")
        };
        Slip::new(self.start..self.start + 1, message, help)
    }

    fn in_block(&self) -> Option<Slip> {
        let sign = char::from(self.first());
        let is_of_header = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-');
        let rest = &self.on_line()[1..];
        let bare = rest.trim_start_matches(is_of_header);
        let rest = if bare.starts_with([' ', '\t']) || bare.is_empty() {
            bare.trim_start()
        } else {
            rest
        };
        let behind = self.on_line().len() - rest.len();
        if rest.is_empty() || rest.starts_with('#') {
            return None;
        }
        let message = format!("text stands behind `{sign}`, whose text begins on the next line");
        let help = format!(
            "put the text on the next line, indented, or between quotes: {} {}",
            self.key(),
            quoted(&folded(&self.whole()[behind..]))
        );
        Some(Slip::new(self.start..self.start + 1, message, help))
    }

    fn in_brackets(&self, open: u8) -> Option<Slip> {
        let (sign, kind, close) = match open {
            b'[' => ('[', "list", ']'),
            _ => ('{', "mapping", '}'),
        };
        let Some(end) = closing_bracket(self.bytes(), self.start) else {
            let message = format!("the {kind} that opens here with {sign} is not closed");
            let help = if self.is_text() {
                self.quote(&self.meant())
            } else {
                format!("close it with {close}, or put the whole value between quotes")
            };
            return Some(Slip::new(self.start..self.start + 1, message, help));
        };
        let rest = self.behind(end)?;
        let message = if self.on_line().starts_with("{{") {
            "`{{` opens a mapping in YAML; a value that begins with a template needs quotes".into()
        } else {
            format!("text stands behind the {close} that closes a YAML {kind}")
        };
        let place = if self.lines.number_of(end) == self.number {
            self.start..end + 1
        } else {
            rest
        };
        Some(Slip::new(place, message, self.quote(&self.meant())))
    }

    fn in_quotes(&self, quote: u8) -> Option<Slip> {
        let Some(end) = closing_quote(self.bytes(), self.start, quote) else {
            let meant = quoted(&folded(&self.unclosed()[1..]));
            return Some(Slip::new(
                self.start..self.start + 1,
                "the quotes that open here are never closed",
                format!("close them: {} {meant}", self.key()),
            ));
        };
        if let Some(slip) = self.taken_in(end).or_else(|| self.escape(quote, end)) {
            return Some(slip);
        }
        self.behind(end)?;
        let written = self.whole();
        let sign = char::from(quote);
        // Behind a word between quotes stands a blank; inside a text, a letter.
        let is_word = is_blank_or_end(self.bytes().get(end + 1).copied());
        let inner = written
            .strip_prefix(sign)
            .and_then(|inner| inner.strip_suffix(sign))
            .filter(|_| !is_word);
        let message = if inner.is_some() {
            "the quotes end here already, before the end of the value"
        } else {
            "the quotes end here, and text follows them"
        };
        let meant = match inner {
            Some(inner) => folded(inner),
            None => folded(written),
        };
        let help = self.quote(&meant);
        Some(Slip::new(end..end + 1, message, help))
    }

    /// Quotes that close at `end`, behind a field of the specification that begins
    /// a line.
    fn taken_in(&self, end: usize) -> Option<Slip> {
        let (key, closed) = quoting::taken_in(&self.text[self.start..=end], &FIELDS)?;
        Some(Slip::new(
            self.start..self.start + 1,
            format!("the quotes that open here take in the field `{key}`"),
            format!("close them before it: {} {closed}", self.key()),
        ))
    }

    /// An escape that YAML does not have.
    fn escape(&self, quote: u8, end: usize) -> Option<Slip> {
        if quote != b'"' {
            return None;
        }
        let written = &self.text[self.start + 1..end];
        let mut inner = written.char_indices();
        while let Some((at, c)) = inner.next() {
            if c != '\\' {
                continue;
            }
            let (_, sign) = inner.next()?;
            let Some(wrong) = wrong_escape(sign, inner.as_str()) else {
                continue;
            };
            let start = self.start + 1 + at;
            let written = single_quoted(&folded(written));
            return Some(Slip::new(
                start..start + 1 + sign.len_utf8(),
                format!("between double quotes, `\\{sign}` {wrong}"),
                format!("use single quotes: {} {written}", self.key()),
            ));
        }
        None
    }

    /// Returns the text behind what closes, if there is more than a comment.
    fn behind(&self, end: usize) -> Option<Range<usize>> {
        let line = self.text[end + 1..].split('\n').next().unwrap_or_default();
        let rest = line.trim();
        let is_comment = rest.starts_with('#') && line.starts_with([' ', '\t']);
        if rest.is_empty() || is_comment {
            return None;
        }
        let start = end + 1 + line.len() - line.trim_start().len();
        Some(start..start + rest.len())
    }

    fn is_text(&self) -> bool {
        let key = self.key().trim_end_matches(':');
        !NOT_TEXT.contains(&key)
    }
}

/// Returns what is wrong with an escape of this letter before `rest`.
fn wrong_escape(sign: char, rest: &str) -> Option<String> {
    let digits = match sign {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        sign if "0abtnvfre \"/\\N_LP\t\r\n".contains(sign) => return None,
        _ => return Some("is an escape that YAML does not have".to_owned()),
    };
    let found = rest.bytes().take(digits).filter(u8::is_ascii_hexdigit);
    (found.count() < digits)
        .then(|| format!("is an escape that lacks its {digits} hexadecimal digits"))
}

fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Returns where the quotes that open at `start` close.
fn closing_quote(bytes: &[u8], start: usize, quote: u8) -> Option<usize> {
    let mut at = start + 1;
    while let Some(&b) = bytes.get(at) {
        match b {
            b'\\' if quote == b'"' => at += 2,
            b if b == quote && quote == b'\'' && bytes.get(at + 1) == Some(&quote) => at += 2,
            b if b == quote => return Some(at),
            _ => at += 1,
        }
    }
    None
}

/// Returns where the brackets that open at `start` close.
fn closing_bracket(bytes: &[u8], start: usize) -> Option<usize> {
    let mut open = 0_usize;
    let mut at = start;
    while let Some(&b) = bytes.get(at) {
        let before = bytes.get(at.wrapping_sub(1)).copied();
        // Inside a word, as in `it's`, a quote opens nothing.
        let opens = matches!(
            before,
            Some(b' ' | b'\t' | b'\n' | b'[' | b'{' | b',' | b':')
        );
        match b {
            b'\'' | b'"' if opens => at = closing_quote(bytes, at, b)?,
            b'[' | b'{' => open += 1,
            b']' | b'}' => {
                open = open.checked_sub(1)?;
                if open == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}
