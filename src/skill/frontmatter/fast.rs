//! The frontmatter that people really write, read without the library.
//!
//! Fields in column 1 with values on one line, wrapped values, blocks, lists of
//! words, one level of `metadata`. Whatever is odd is left to the library: this
//! file may give up at any time, but it may never differ. A test holds that
//! over generated and mutated texts.

use std::borrow::Cow;
use std::iter::repeat_n;

use memchr::memchr;

use super::lexer::begins_plain;
use super::places::FIRST_LINE;
use super::schema::{FIELDS, plain_kind};
use super::{Content, Field, Scalar, ScalarKind, Style, Value};
use crate::diagnostic::Span;
use crate::limits::Limits;

/// Levels that a text read here can have: fields, a mapping, a list in it.
const DEPTH: usize = 3;

/// Fields that there is room for at once: the specification has six.
const ROOM: usize = 6;

/// Bytes of a key read here; the library takes up to 1,024.
const KEY_BYTES: usize = 128;

/// Reads fields, or gives up.
pub(super) fn read(text: &str, limits: &Limits) -> Option<Vec<Field>> {
    // Every value takes a byte, so the bounds on values cannot be met.
    let ended = text.is_empty() || text.ends_with('\n');
    let bounded = text.len() <= limits.yaml_values.min(limits.yaml_text_bytes);
    if !ended || !bounded || limits.yaml_depth < DEPTH || !is_common(text) {
        return None;
    }
    let mut lines = Lines::new(text);
    let fields = lines.mapping(0, false)?;
    lines.line.is_none().then_some(fields)
}

/// Whether a text has neither tabs, control characters and lone CRs nor a character
/// that the library must be shielded from.
fn is_common(text: &str) -> bool {
    let (mut odd, mut cr, mut all) = (0, 0, 0);
    for b in text.bytes() {
        cr |= u8::from(b == b'\r');
        odd |= u8::from(b < b' ') & u8::from(b != b'\n') & u8::from(b != b'\r');
        odd |= u8::from(b == 0x7f);
        all |= b;
    }
    let lone_cr = cr != 0
        && text
            .match_indices('\r')
            .any(|(i, _)| text.as_bytes().get(i + 1) != Some(&b'\n'));
    let special = |c| {
        matches!(
            c,
            '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
    };
    odd == 0 && !lone_cr && (all < 0x80 || !text.contains(special))
}

/// A line, and what stands behind it.
#[derive(Clone, Copy)]
struct Lines<'a> {
    /// The line to be read, unless all are.
    line: Option<Line<'a>>,
    rest: &'a str,
    number: u32,
    ascii: bool,
}

/// A line without its line end, and its indentation.
#[derive(Clone, Copy)]
struct Line<'a> {
    text: &'a str,
    indent: usize,
    number: u32,
    /// Whether bytes are characters.
    ascii: bool,
}

impl<'a> Line<'a> {
    fn is_blank(self) -> bool {
        self.indent == self.text.len()
    }

    fn is_comment(self) -> bool {
        self.text.as_bytes().get(self.indent) == Some(&b'#')
    }

    fn is_item(self) -> bool {
        self.text[self.indent..].starts_with("- ")
    }

    /// Returns the text from a byte on, without blanks at its ends, and where
    /// it begins.
    fn value(self, from: usize) -> (&'a str, usize) {
        let value = self.text[from..].trim_start_matches(' ');
        let start = self.text.len() - value.len();
        (value.trim_end_matches(' '), start)
    }

    /// Returns the place of a part that begins at a byte before which all is
    /// ASCII.
    fn span(self, start: usize, part: &str) -> Span {
        let column = u32::try_from(start + 1).unwrap_or(u32::MAX);
        Span::new(self.number, column).with_length(if self.ascii {
            part.len()
        } else {
            part.chars().count()
        })
    }
}

impl<'a> Lines<'a> {
    fn new(text: &'a str) -> Self {
        let mut lines = Self {
            line: None,
            rest: text,
            number: FIRST_LINE,
            ascii: text.is_ascii(),
        };
        lines.advance();
        lines
    }

    fn advance(&mut self) {
        if self.rest.is_empty() {
            self.line = None;
            return;
        }
        let end = memchr(b'\n', self.rest.as_bytes()).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        let text = text.strip_suffix('\r').unwrap_or(text);
        self.line = Some(Line {
            text,
            indent: text.bytes().take_while(|&b| b == b' ').count(),
            number: self.number,
            ascii: self.ascii,
        });
        self.rest = rest.strip_prefix('\n').unwrap_or(rest);
        self.number += 1;
    }

    /// Steps to the next line that is neither blank nor a comment.
    fn content(&mut self) -> Option<Line<'a>> {
        while self.line?.is_blank() || self.line?.is_comment() {
            self.advance();
        }
        self.line
    }

    fn mapping(&mut self, column: usize, nested: bool) -> Option<Vec<Field>> {
        let mut fields = Vec::with_capacity(ROOM);
        while let Some(line) = self.content() {
            if line.indent < column {
                break;
            }
            if line.indent > column {
                return None;
            }
            self.advance();
            fields.push(self.field(line, nested)?);
        }
        Some(fields)
    }

    fn field(&mut self, line: Line<'a>, nested: bool) -> Option<Field> {
        let bytes = line.text.as_bytes();
        let is_key = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
        let length = bytes[line.indent..]
            .iter()
            .take_while(|&b| is_key(b))
            .count();
        let colon = line.indent + length;
        let spaced = matches!(bytes.get(colon + 1), None | Some(b' '));
        let usable = (1..=KEY_BYTES).contains(&length) && bytes[line.indent] != b'-';
        if !usable || bytes.get(colon) != Some(&b':') || !spaced {
            return None;
        }
        let key = &line.text[line.indent..colon];
        let (text, start) = line.value(colon + 1);
        let value = if text.is_empty() {
            self.below(line, colon + 1, nested)?
        } else {
            self.value(line, text, start)?
        };
        // Keys that are written often enough to save a copy of each.
        let usual = FIELDS.into_iter().find(|&usual| usual == key);
        Some(Field {
            key_span: line.span(line.indent, key),
            key: usual.map_or_else(|| Cow::Owned(key.to_owned()), Cow::Borrowed),
            value,
        })
    }

    /// Reads what stands under a key that has no value on its line.
    fn below(&mut self, key: Line, behind: usize, nested: bool) -> Option<Value> {
        let next = self
            .content()
            .filter(|line| line.indent >= key.indent + usize::from(!line.is_item()));
        let Some(first) = next else {
            let span = key.span(behind, "");
            return Some(scalar(String::new(), ScalarKind::Null, Style::Plain, span));
        };
        if nested {
            return None;
        }
        if first.is_item() {
            let values = self.items(first.indent, key.indent)?;
            return Some(Value {
                span: values.first()?.span,
                content: Content::Sequence(values),
            });
        }
        let fields = self.mapping(first.indent, true)?;
        Some(Value {
            span: fields.first()?.key_span,
            content: Content::Mapping(fields),
        })
    }

    /// Reads list items in one column, under a key in another.
    fn items(&mut self, column: usize, key_column: usize) -> Option<Vec<Value>> {
        let mut values = Vec::new();
        while let Some(line) = self.content() {
            let item = line.is_item();
            if line.indent < column || line.indent == column && !item && column == key_column {
                break;
            }
            if line.indent > column || !item {
                return None;
            }
            self.advance();
            let (text, start) = line.value(column + 1);
            values.push(one_line(line, text, start)?);
        }
        Some(values)
    }

    fn value(&mut self, line: Line<'a>, text: &'a str, start: usize) -> Option<Value> {
        match text.as_bytes()[0] {
            b'|' | b'>' => self.block(line, text, start),
            b'[' => words(line, text, start),
            b'\'' | b'"' => one_line(line, text, start),
            _ => {
                let value = one_line(line, text, start)?;
                self.wrapped(line.indent, value)
            }
        }
    }

    /// Goes on with a plain value on deeper lines.
    fn wrapped(&mut self, column: usize, mut value: Value) -> Option<Value> {
        let Content::Scalar(scalar) = &mut value.content else {
            return None;
        };
        let mut ahead = *self;
        let mut breaks = 0;
        while let Some(line) = ahead.line {
            ahead.advance();
            if line.is_blank() {
                breaks += 1;
                continue;
            }
            if line.indent <= column || line.is_comment() {
                break;
            }
            let (text, _) = line.value(line.indent);
            if !is_plain(text) {
                return None;
            }
            fold(&mut scalar.text, breaks);
            scalar.text.push_str(text);
            scalar.kind = ScalarKind::Text;
            breaks = 0;
            *self = ahead;
        }
        Some(value)
    }

    /// Reads a block after `|` or `>`.
    fn block(&mut self, line: Line, header: &str, start: usize) -> Option<Value> {
        let literal = header.starts_with('|');
        let (mut text, breaks) = self.block_text(line.indent, literal)?;
        match &header[1..] {
            "" => text.push('\n'),
            "-" => {}
            "+" => text.extend(repeat_n('\n', breaks + 1)),
            _ => return None,
        }
        let style = if literal {
            Style::Literal
        } else {
            Style::Folded
        };
        let span = line.span(start, header);
        Some(scalar(text, ScalarKind::Text, style, span))
    }

    /// Reads the lines of a block under a key in `column`, without the last
    /// line end; also returns how many blank lines follow.
    fn block_text(&mut self, column: usize, literal: bool) -> Option<(String, usize)> {
        let first = self.first_of_text()?;
        if first.indent <= column {
            return None;
        }
        let mut text = String::new();
        let mut breaks = 0;
        while let Some(line) = self.line {
            if line.is_blank() {
                // Blanks could be text of the block.
                if line.indent > 0 {
                    return None;
                }
                breaks += 1;
                self.advance();
                continue;
            }
            if line.indent < first.indent {
                break;
            }
            let content = &line.text[first.indent..];
            if line.number == first.number {
                text.extend(repeat_n('\n', breaks));
            } else if literal {
                text.extend(repeat_n('\n', breaks + 1));
            } else {
                fold(&mut text, breaks);
            }
            if !literal && content.starts_with(' ') {
                return None;
            }
            text.push_str(content);
            breaks = 0;
            self.advance();
        }
        Some((text, breaks))
    }

    /// Returns the next line that is not blank, taking none.
    fn first_of_text(mut self) -> Option<Line<'a>> {
        while self.line?.is_blank() {
            self.advance();
        }
        self.line
    }
}

/// Puts between two lines what YAML puts there: a blank, or one line feed for
/// each blank line.
fn fold(text: &mut String, breaks: usize) {
    if breaks == 0 {
        text.push(' ');
    }
    text.extend(repeat_n('\n', breaks));
}

fn scalar(text: String, kind: ScalarKind, style: Style, span: Span) -> Value {
    Value {
        span,
        content: Content::Scalar(Scalar {
            text,
            kind,
            style: Some(style),
            repaired: None,
        }),
    }
}

/// Reads a plain or quoted value that ends on its line.
fn one_line(line: Line, text: &str, start: usize) -> Option<Value> {
    let span = line.span(start, text);
    if let Some(style) = quote_of(text) {
        let inner = text.get(1..text.len() - 1)?;
        let closed = text.as_bytes()[0] == text.as_bytes()[text.len() - 1];
        let simple = !inner.bytes().any(|b| b == text.as_bytes()[0] || b == b'\\');
        return (closed && simple).then(|| scalar(inner.to_owned(), ScalarKind::Text, style, span));
    }
    let bytes = text.as_bytes();
    let begins = begins_plain(*bytes.first()?, bytes.get(1).copied());
    (begins && is_plain(text))
        .then(|| scalar(text.to_owned(), plain_kind(text), Style::Plain, span))
}

fn quote_of(text: &str) -> Option<Style> {
    match text.as_bytes().first()? {
        b'\'' => Some(Style::Single),
        b'"' => Some(Style::Double),
        _ => None,
    }
}

/// Whether nothing in a plain text ends a key or begins a comment.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    // Most texts have neither character, and that is seen many bytes a step.
    let marks = bytes.iter().fold(0, |marks, &b| {
        marks | u8::from(b == b':') | u8::from(b == b'#')
    });
    marks == 0
        || bytes.iter().enumerate().all(|(i, b)| match b {
            b':' => !matches!(bytes.get(i + 1), None | Some(b' ')),
            b'#' => i > 0 && bytes[i - 1] != b' ',
            _ => true,
        })
}

/// Reads `[a, "b c", d]` on one line.
fn words(line: Line, text: &str, start: usize) -> Option<Value> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    let simple = |b: u8| b.is_ascii_alphanumeric() || b" _-./()*+,\"".contains(&b);
    if !inner.bytes().all(simple) {
        return None;
    }
    let mut values = Vec::new();
    let mut at = 1;
    for part in inner
        .split(',')
        .filter(|_| !inner.trim_matches(' ').is_empty())
    {
        let item = part.trim_start_matches(' ');
        let item_start = start + at + part.len() - item.len();
        let item = item.trim_end_matches(' ');
        let first = item.bytes().next()?;
        if !(first == b'"' || first.is_ascii_alphanumeric() && !item.contains('"')) {
            return None;
        }
        values.push(one_line(line, item, item_start)?);
        at += part.len() + 1;
    }
    Some(Value {
        span: line.span(start, "["),
        content: Content::Sequence(values),
    })
}
