//! Slips of writing that people make, named by their cause.
//!
//! The library says where it had to stop, often a line too late and in the words
//! of a parser. Where it refuses a text, this file looks for the usual slips in
//! the lines up to there: entries that are none, and values that may not begin
//! or end so. Each has its exact place and the line to type. What is not known
//! here stays in the library's words.

use std::ops::Range;

use super::lexer::{begins_plain, is_blank_or_end};
use super::lines::{Entry, Line, Lines};
use super::quoting::{folded, quoted};
use super::schema::FIELDS;
use crate::diagnostic::Rule;

/// Fields whose value is a list or a mapping at times.
const NOT_TEXT: [&str; 2] = ["metadata", "allowed-tools"];

/// What is wrong with a text, and where.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Slip {
    pub(super) rule: Rule,
    /// The bytes to be shown.
    pub(super) place: Range<usize>,
    pub(super) message: String,
    pub(super) help: String,
}

impl Slip {
    fn new(place: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            rule: Rule::YamlInvalid,
            place,
            message: message.into(),
            help: help.into(),
        }
    }
}

/// Returns the first slip in `text`, in lines up to the one, from 0, where the
/// library refused it.
pub(super) fn find(text: &str, refused: usize) -> Option<Slip> {
    let lines = Lines::new(text);
    if let Some(slip) = indented_first(&lines).or_else(|| indented_at(&lines, refused)) {
        return Some(slip);
    }
    let mut above = None;
    let mut number = 0;
    while let Some(line) = lines.get(number).filter(|_| number <= refused) {
        number += 1;
        if line.is_empty() || line.is_comment() {
            continue;
        }
        let Some(entry) = line.entry() else {
            if let Some(slip) = no_entry(line, above) {
                return Some(slip);
            }
            continue;
        };
        let Some(start) = entry.value(text) else {
            above = None;
            continue;
        };
        let value = Value {
            text,
            lines: &lines,
            entry: &entry,
            line,
            start,
            number: number - 1,
        };
        let after = value.after();
        if let Some(slip) = value.slip(refused < after.saturating_add(1)) {
            return Some(slip);
        }
        above = value.is_plain().then(|| entry.key(text));
        number = after.max(number);
    }
    None
}

/// Returns why the first line of a text that YAML takes for no field is none.
pub(super) fn of_first_field(text: &str) -> Option<Slip> {
    let lines = Lines::new(text);
    let line = lines.get(lines.content(0)?)?;
    (line.indent() == 0).then(|| odd_field(line)).flatten()
}

/// A first field that is indented, above fields that are not.
fn indented_first(lines: &Lines) -> Option<Slip> {
    let first = lines.content(0)?;
    let line = lines.get(first).filter(|line| line.indent() > 0)?;
    line.entry().filter(|entry| entry.keyed)?;
    let below = (first + 1..).map_while(|number| lines.get(number));
    let is_less =
        |other: Line| !other.is_empty() && !other.is_comment() && other.indent() < line.indent();
    below.into_iter().find(|&other| is_less(other))?;
    Some(indented(line, "the fields below it are not"))
}

/// A field of the specification that is indented under a field with a value.
fn indented_at(lines: &Lines, number: usize) -> Option<Slip> {
    let line = lines.get(number)?;
    let field = line.text.trim_start_matches([' ', '\t']);
    let indent = line.text.len() - field.len();
    let (key, _) = field.split_once(':')?;
    if indent == 0 || !FIELDS.contains(&key) {
        return None;
    }
    let above = (0..number).rev().filter_map(|number| lines.get(number));
    let mut above = above.filter(|other| !other.is_empty() && other.indent() < indent);
    let above = above.find(|other| !other.is_comment())?;
    let entry = above.entry()?;
    let has_value = above.text.len() > entry.after - above.start;
    has_value.then(|| indented(line, "the fields around it are not"))
}

fn indented(line: Line, others: &str) -> Slip {
    let field = line.text.trim_start_matches([' ', '\t']);
    let start = line.start + line.text.len() - field.len();
    let key = field.split(':').next().unwrap_or(field).trim_end();
    let with = if line.text.contains('\t') {
        " with a tab"
    } else {
        ""
    };
    Slip::new(
        start..start + key.len(),
        format!("`{key}` is indented{with}, and {others}"),
        format!("begin the line in column 1: {}", folded(field)),
    )
}

/// Says what a line is that should be a field and is none. `above` is the field
/// above, if its value could go on.
fn no_entry(line: Line, above: Option<&str>) -> Option<Slip> {
    let text = line.text;
    if line.indent() > 0 || line.is_item() || text.starts_with("---") || text.starts_with("...") {
        return None;
    }
    let whole = line.start..line.start + text.len();
    odd_field(line)
        .or_else(|| odd_line(line))
        .or_else(|| {
            let is_plain = begins_plain(text.as_bytes()[0], text.as_bytes().get(1).copied());
            is_plain.then(|| {
                let message = "this line is not a field: it has no colon after a name";
                let help = match above {
                    Some(key) => format!(
                        "begin it with two blanks if it goes on with the value of `{key}`, or with `#` if it is a comment"
                    ),
                    None => "write `name: value`, or put `#` before a comment".to_owned(),
                };
                Slip::new(whole, message, help)
            })
        })
}

/// A line that was meant for a field.
fn odd_field(line: Line) -> Option<Slip> {
    let text = line.text;
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let length = text.find(|c| !is_of_word(c)).unwrap_or(text.len());
    let (key, rest) = text.split_at(length);
    let sign = rest.trim_start_matches(' ');
    let at = line.start + text.len() - sign.len();
    let first = sign.chars().next()?;
    let value = sign[first.len_utf8()..].trim_start();
    let is_known = FIELDS.contains(&key);
    let write = |value: &str| format!("write {}", folded(&format!("{key}: {value}")));
    if key.is_empty() || !key.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return odd_key(line);
    }
    let (place, message, value) = match first {
        ':' if sign[1..].starts_with(|c: char| c.is_whitespace()) => {
            let odd = sign[1..].chars().next().unwrap_or_default();
            let message = format!(
                "behind the colon of `{key}` stands no blank but the character U+{:04X}",
                u32::from(odd)
            );
            (at + 1..at + 1 + odd.len_utf8(), message, value)
        }
        ':' if is_known || !value.starts_with("//") => {
            let message = format!("no blank stands behind the colon of `{key}`");
            (at..at + 1, message, value)
        }
        '\u{ff1a}' | '\u{fe55}' | '\u{a789}' | '\u{2236}' => {
            let message = format!("the colon behind `{key}` is not the one of YAML");
            (at..at + first.len_utf8(), message, value)
        }
        '=' => {
            let message = format!("`{key}` is followed by `=`, where YAML has a colon");
            (at..at + 1, message, value)
        }
        _ if is_known => {
            let start = line.start;
            let message = format!("no colon stands behind `{key}`");
            (start..start + key.len(), message, sign)
        }
        _ => return None,
    };
    Some(Slip::new(place, message, write(value)))
}

/// A field whose name, or all of it, stands between signs that do not belong
/// there.
fn odd_key(line: Line) -> Option<Slip> {
    let text = line.text;
    for sign in ["**", "__", "*", "`"] {
        let Some((key, rest)) = text
            .strip_prefix(sign)
            .and_then(|rest| rest.split_once(sign))
        else {
            continue;
        };
        let key = key.trim_end_matches(':');
        let value = rest.trim_start_matches(':').trim_start();
        if FIELDS.contains(&key) {
            let place = line.start..line.start + sign.len();
            let message =
                format!("`{key}` stands between `{sign}`, which is Markdown and not YAML");
            let help = format!("write {}", folded(&format!("{key}: {value}")));
            return Some(Slip::new(place, message, help));
        }
    }
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
    let (key, _) = inner.split_once(':')?;
    FIELDS.contains(&key).then(|| {
        let place = line.start..line.start + text.len();
        let help = format!("write {}", folded(inner));
        Slip::new(place, "quotes stand around the whole line", help)
    })
}

/// A line that was never meant for a field.
fn odd_line(line: Line) -> Option<Slip> {
    let text = line.text;
    let is_mark = |mark: &&str| {
        text.strip_prefix(*mark)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let place = |sign: &str| line.start..line.start + sign.len();
    let marks = ["<<<<<<<", "=======", ">>>>>>>", "|||||||"];
    if let Some(mark) = marks.into_iter().find(is_mark) {
        return Some(Slip {
            rule: Rule::MergeMarker,
            ..Slip::new(
                place(mark),
                "marks of an unresolved merge stand in the frontmatter",
                "keep one side, and delete the marks",
            )
        });
    }
    for (sign, end, what) in [
        ("<!--", "-->", "an HTML comment is no YAML"),
        ("//", "", "`//` begins no comment in YAML"),
        ("/*", "*/", "`/*` begins no comment in YAML"),
    ] {
        if let Some(comment) = text.strip_prefix(sign) {
            let comment = comment.trim_end_matches(end).trim();
            let help = format!("begin it with `#`: {}", folded(&format!("# {comment}")));
            return Some(Slip::new(place(sign), what, help));
        }
    }
    let fence = ["```", "~~~"].into_iter().find(|f| text.starts_with(f))?;
    let help = "remove the lines of the code block; its fields stay";
    Some(Slip::new(
        place(fence),
        "a code block stands in the frontmatter",
        help,
    ))
}

/// A value that begins on the line of its key or dash.
struct Value<'a> {
    text: &'a str,
    lines: &'a Lines<'a>,
    entry: &'a Entry,
    line: Line<'a>,
    start: usize,
    /// The number of its line, from 0.
    number: usize,
}

impl<'a> Value<'a> {
    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    fn first(&self) -> u8 {
        self.bytes()[self.start]
    }

    fn is_plain(&self) -> bool {
        begins_plain(self.first(), self.bytes().get(self.start + 1).copied())
    }

    /// The text on the first line.
    fn on_line(&self) -> &'a str {
        &self.text[self.start..self.entry.end]
    }

    /// Returns the number of the line behind the value.
    fn after(&self) -> usize {
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
            _ => self.lines.after_plain(self.number + 1, column),
        }
    }

    /// The whole value as it was meant, on one line.
    fn meant(&self) -> String {
        let after = self.lines.after_plain(self.number + 1, self.entry.column);
        let end = self.lines.end_of(after - 1).max(self.entry.end);
        folded(&self.text[self.start..end])
    }

    /// The key as written, its colon included.
    fn key(&self) -> &'a str {
        let start = self.line.start + self.entry.column;
        self.text[start..self.entry.after].trim_end()
    }

    /// Says how to write the line with `value` between quotes.
    fn quote(&self, value: &str) -> String {
        let quoted = quoted(value);
        format!(
            "put the whole value between quotes: {} {quoted}",
            self.key()
        )
    }

    /// Says what is wrong; where the library `refused` near it, also what may
    /// be right at times.
    fn slip(&self, refused: bool) -> Option<Slip> {
        let first = self.first();
        let next = self.bytes().get(self.start + 1).copied();
        match first {
            b'"' | b'\'' => self.in_quotes(first),
            b'[' | b'{' if refused => self.in_brackets(first),
            b'|' | b'>' if refused => self.in_block(),
            b'-' if is_blank_or_end(next) && self.entry.keyed => Some(self.item()),
            b'!' => None,
            b'&' | b'*' if !refused => None,
            b'[' | b'{' | b'|' | b'>' | b'-' | b'#' => None,
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

    fn item(&self) -> Slip {
        let message = "a list may not begin on the line of its field";
        let help = if self.is_text() {
            self.quote(&self.meant())
        } else {
            let key = self.key();
            let item = folded(self.on_line());
            format!("write {key} and, on a line below, {item}")
        };
        Slip::new(self.start..self.start + 1, message, help)
    }

    fn in_block(&self) -> Option<Slip> {
        let sign = char::from(self.first());
        let rest = self.on_line()[1..]
            .trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-'));
        let rest = rest.trim_start();
        if rest.is_empty() || rest.starts_with('#') {
            return None;
        }
        let message = format!("text stands behind `{sign}`, whose text begins on the next line");
        let help = format!(
            "put the text on the next line, indented, or between quotes: {} {}",
            self.key(),
            quoted(&folded(rest))
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
        if let Some(slip) = self.escape(quote) {
            return Some(slip);
        }
        let Some(end) = closing_quote(self.bytes(), self.start, quote) else {
            let meant = self.on_line()[1..].trim_end();
            return Some(Slip::new(
                self.start..self.start + 1,
                "the quotes that open here are never closed",
                format!("close them: {} {}", self.key(), quoted(&folded(meant))),
            ));
        };
        self.behind(end)?;
        let written = self.on_line();
        let sign = char::from(quote);
        let inner = written
            .strip_prefix(sign)
            .and_then(|inner| inner.strip_suffix(sign));
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

    /// An escape that YAML does not have.
    fn escape(&self, quote: u8) -> Option<Slip> {
        if quote != b'"' {
            return None;
        }
        let end = closing_quote(self.bytes(), self.start, quote).unwrap_or(self.text.len());
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

#[cfg(test)]
mod tests {
    use super::super::read;
    use crate::diagnostic::Rule;
    use crate::limits::Limits;

    /// Reads frontmatter that is refused; answers with the place, its length,
    /// what is wrong and what to do.
    fn said(frontmatter: &str) -> (u32, u32, u32, String, String) {
        let file = format!("---\n{frontmatter}---\nBody.\n");
        let fault = read(file.as_bytes(), &Limits::DEFAULT).fault;
        let fault = fault.unwrap_or_else(|| panic!("nothing is wrong: {frontmatter:?}"));
        assert!(
            matches!(fault.rule, Rule::YamlInvalid | Rule::MergeMarker),
            "{frontmatter:?}: {fault:?}"
        );
        let span = fault.span;
        let help = fault.help.unwrap_or_default();
        (span.line, span.column, span.length, fault.message, help)
    }

    #[test]
    fn a_value_that_may_not_begin_or_end_so_is_named_with_the_line_to_type() {
        let quotes = "put the whole value between quotes: description:";
        for (value, column, length, message, help) in [
            (
                "@me reads",
                14,
                1,
                "a value that begins with `@` needs quotes: YAML keeps it for later",
                "'@me reads'",
            ),
            (
                "`pdf` reads",
                14,
                1,
                "a value that begins with a backquote needs quotes: YAML keeps it for later",
                "'`pdf` reads'",
            ),
            (
                "%5 of it",
                14,
                1,
                "a value that begins with `%` needs quotes: in YAML it begins a directive",
                "'%5 of it'",
            ),
            (
                "& reads",
                14,
                1,
                "a value that begins with `&` needs quotes: in YAML it begins the name of an anchor",
                "'& reads'",
            ),
            (
                "* reads",
                14,
                1,
                "a value that begins with `*` needs quotes: in YAML it begins the name of an alias",
                "'* reads'",
            ),
            (
                "**Bold** reads",
                14,
                1,
                "a value that begins with `*` needs quotes: in YAML it begins the name of an alias",
                "'**Bold** reads'",
            ),
            (
                "? reads",
                14,
                1,
                "a value that begins with `?` needs quotes: with a blank, it begins a key in YAML",
                "'? reads'",
            ),
            (
                ": reads",
                14,
                1,
                "a value that begins with `:` needs quotes: with a blank, it ends a key in YAML",
                "': reads'",
            ),
            (
                ", reads",
                14,
                1,
                "a value that begins with `,` needs quotes: in YAML it parts the items of a list",
                "', reads'",
            ),
            (
                "] reads",
                14,
                1,
                "a value that begins with `]` needs quotes: in YAML it closes a list or a mapping",
                "'] reads'",
            ),
            (
                "}reads",
                14,
                1,
                "a value that begins with `}` needs quotes: in YAML it closes a list or a mapping",
                "'}reads'",
            ),
            (
                "- reads",
                14,
                1,
                "a list may not begin on the line of its field",
                "'- reads'",
            ),
            (
                "[Tool] Reads",
                14,
                6,
                "text stands behind the ] that closes a YAML list",
                "'[Tool] Reads'",
            ),
            (
                "[a](b) reads",
                14,
                3,
                "text stands behind the ] that closes a YAML list",
                "'[a](b) reads'",
            ),
            (
                "[it's] reads",
                14,
                6,
                "text stands behind the ] that closes a YAML list",
                "\"[it's] reads\"",
            ),
            (
                "[reads",
                14,
                1,
                "the list that opens here with [ is not closed",
                "'[reads'",
            ),
            (
                "{reads",
                14,
                1,
                "the mapping that opens here with { is not closed",
                "'{reads'",
            ),
            (
                "{a: b} reads",
                14,
                6,
                "text stands behind the } that closes a YAML mapping",
                "'{a: b} reads'",
            ),
            (
                "{{x}} reads",
                14,
                5,
                "`{{` opens a mapping in YAML; a value that begins with a template needs quotes",
                "'{{x}} reads'",
            ),
            (
                "'it's'",
                17,
                1,
                "the quotes end here already, before the end of the value",
                "\"it's\"",
            ),
            (
                "'it's' fine",
                17,
                1,
                "the quotes end here, and text follows them",
                "\"'it's' fine\"",
            ),
            (
                "'it''s' fine",
                20,
                1,
                "the quotes end here, and text follows them",
                "\"'it''s' fine\"",
            ),
            (
                "\"has \"inner\" quotes\"",
                19,
                1,
                "the quotes end here already, before the end of the value",
                "'has \"inner\" quotes'",
            ),
            (
                "\"Reads\" files",
                20,
                1,
                "the quotes end here, and text follows them",
                "'\"Reads\" files'",
            ),
            (
                "\"Reads\": yes",
                20,
                1,
                "the quotes end here, and text follows them",
                "'\"Reads\": yes'",
            ),
        ] {
            let said = said(&format!("name: a\ndescription: {value}\nlicense: MIT\n"));

            assert_eq!((said.0, said.1, said.2), (3, column, length), "{value}");
            assert_eq!(said.3, message, "{value}");
            assert_eq!(said.4, format!("{quotes} {help}"), "{value}");
        }
    }

    #[test]
    fn blocks_escapes_and_open_quotes_are_named_with_the_line_to_type() {
        for (value, column, length, message, help) in [
            (
                "| reads",
                14,
                1,
                "text stands behind `|`, whose text begins on the next line",
                "put the text on the next line, indented, or between quotes: description: 'reads'",
            ),
            (
                ">- reads",
                14,
                1,
                "text stands behind `>`, whose text begins on the next line",
                "put the text on the next line, indented, or between quotes: description: 'reads'",
            ),
            (
                "\"C:\\pdf\"",
                17,
                2,
                "between double quotes, `\\p` is an escape that YAML does not have",
                "use single quotes: description: 'C:\\pdf'",
            ),
            (
                "\"\\d+ it's\"",
                15,
                2,
                "between double quotes, `\\d` is an escape that YAML does not have",
                "use single quotes: description: '\\d+ it''s'",
            ),
            (
                "\"reads",
                14,
                1,
                "the quotes that open here are never closed",
                "close them: description: 'reads'",
            ),
            (
                "'reads",
                14,
                1,
                "the quotes that open here are never closed",
                "close them: description: 'reads'",
            ),
        ] {
            let said = said(&format!("name: a\ndescription: {value}\nlicense: MIT\n"));

            assert_eq!((said.0, said.1, said.2), (3, column, length), "{value}");
            assert_eq!((&*said.3, &*said.4), (message, help), "{value}");
        }
    }

    #[test]
    fn a_line_that_is_no_field_is_named_by_its_slip() {
        let not_a_field = "this line is not a field: it has no colon after a name";
        for (text, line, column, length, message, help) in [
            (
                "name:pdf\ndescription: x\n",
                2,
                5,
                1,
                "no blank stands behind the colon of `name`",
                "write name: pdf",
            ),
            (
                "description: x\nname:pdf\n",
                3,
                5,
                1,
                "no blank stands behind the colon of `name`",
                "write name: pdf",
            ),
            (
                "name\u{ff1a}pdf\ndescription: x\n",
                2,
                5,
                1,
                "the colon behind `name` is not the one of YAML",
                "write name: pdf",
            ),
            (
                "name: a\ndescription\u{ff1a} x\n",
                3,
                12,
                1,
                "the colon behind `description` is not the one of YAML",
                "write description: x",
            ),
            (
                "name:\u{a0}pdf\ndescription: x\n",
                2,
                6,
                1,
                "behind the colon of `name` stands no blank but the character U+00A0",
                "write name: pdf",
            ),
            (
                "name = pdf\ndescription: x\n",
                2,
                6,
                1,
                "`name` is followed by `=`, where YAML has a colon",
                "write name: pdf",
            ),
            (
                "name pdf\ndescription: x\n",
                2,
                1,
                4,
                "no colon stands behind `name`",
                "write name: pdf",
            ),
            (
                "**name**: pdf\ndescription: x\n",
                2,
                1,
                2,
                "`name` stands between `**`, which is Markdown and not YAML",
                "write name: pdf",
            ),
            (
                "**name:** pdf\ndescription: x\n",
                2,
                1,
                2,
                "`name` stands between `**`, which is Markdown and not YAML",
                "write name: pdf",
            ),
            (
                "\"name: pdf\"\n\"description: x\"\n",
                2,
                1,
                11,
                "quotes stand around the whole line",
                "write name: pdf",
            ),
            (
                "<!-- c -->\nname: a\n",
                2,
                1,
                4,
                "an HTML comment is no YAML",
                "begin it with `#`: # c",
            ),
            (
                "// c\nname: a\n",
                2,
                1,
                2,
                "`//` begins no comment in YAML",
                "begin it with `#`: # c",
            ),
            (
                "```yaml\nname: a\n```\n",
                2,
                1,
                3,
                "a code block stands in the frontmatter",
                "remove the lines of the code block; its fields stay",
            ),
            (
                "name: a\n<<<<<<< HEAD\ndescription: x\n=======\ndescription: y\n>>>>>>> b\n",
                3,
                1,
                7,
                "marks of an unresolved merge stand in the frontmatter",
                "keep one side, and delete the marks",
            ),
            (
                "name: a\ndescription: x\nand more\n",
                4,
                1,
                8,
                not_a_field,
                "begin it with two blanks if it goes on with the value of `description`, or with `#` if it is a comment",
            ),
            (
                "name: a\ndescription: |\n  x\nand more\n",
                5,
                1,
                8,
                not_a_field,
                "write `name: value`, or put `#` before a comment",
            ),
            (
                " name: a\ndescription: x\n",
                2,
                2,
                4,
                "`name` is indented, and the fields below it are not",
                "begin the line in column 1: name: a",
            ),
            (
                "name: a\ndescription: >\n  x\n license: MIT\n",
                5,
                2,
                7,
                "`license` is indented, and the fields around it are not",
                "begin the line in column 1: license: MIT",
            ),
            (
                "name: a\n\tdescription: x\n",
                3,
                2,
                11,
                "`description` is indented with a tab, and the fields around it are not",
                "begin the line in column 1: description: x",
            ),
            (
                "name: a\nmetadata:\n  b: @c\n",
                4,
                6,
                1,
                "a value that begins with `@` needs quotes: YAML keeps it for later",
                "put the whole value between quotes: b: '@c'",
            ),
            (
                "name: a\nallowed-tools: - Read\n",
                3,
                16,
                1,
                "a list may not begin on the line of its field",
                "write allowed-tools: and, on a line below, - Read",
            ),
            (
                "name: a\nallowed-tools: [Read, Grep\n",
                3,
                16,
                1,
                "the list that opens here with [ is not closed",
                "close it with ], or put the whole value between quotes",
            ),
        ] {
            let said = said(text);

            assert_eq!((said.0, said.1, said.2), (line, column, length), "{text:?}");
            assert_eq!((&*said.3, &*said.4), (message, help), "{text:?}");
        }
    }

    #[test]
    fn what_only_looks_like_a_slip_is_read() {
        for text in [
            "name: a\ndescription: |\n  name:b\n  ```\n  @x\n",
            "name: a\ndescription: 'x\n  name = b\n  y'\n",
            "name: a\ndescription: x\n  name:b\n  **c**\n",
            "name: a\nallowed-tools:\n- Read\n- Grep\n",
            "name: a\nx: &y z\nw: *y\n",
            "name: a\ndescription: [x]\n",
            "  name: a\n  description: x\n",
        ] {
            let file = format!("---\n{text}---\n");

            let facts = read(file.as_bytes(), &Limits::DEFAULT);

            assert_eq!(facts.fault, None, "{text:?}");
        }
    }

    #[test]
    fn a_long_line_to_type_leaves_its_middle_out() {
        let text = format!("description: @{}end.\n", "word ".repeat(60));

        let said = said(&text);

        assert!(
            said.4
                .starts_with("put the whole value between quotes: description: '@word word")
        );
        assert!(said.4.ends_with(" … d word word end.'"), "{}", said.4);
        assert!(said.4.chars().count() < 140);
    }
}
