//! Slips of writing that people make, named by their cause.
//!
//! The library says where it had to stop, often a line too late and in the words
//! of a parser. Where it refuses a text, this file looks for the usual slips in
//! the lines up to there: entries that are none, and values that may not begin
//! or end so. Each has its exact place and the line to type. What is not known
//! here stays in the library's words.

mod early;
mod values;

use std::ops::Range;

use super::lexer::begins_plain;
use super::lines::{Line, Lines};
use super::quoting::{as_value, folded};
use super::schema::FIELDS;
use crate::diagnostic::Rule;
use values::Value;

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
    let mut above = Above::Other;
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
        let on_line = entry.value(text).map(|start| (start, number - 1));
        let Some((start, first)) = on_line.or_else(|| lines.wrapped_value(number, entry.column))
        else {
            above = Above::Other;
            continue;
        };
        let value = Value {
            text,
            lines: &lines,
            entry: &entry,
            line,
            start,
            number: first,
        };
        let after = value.after();
        let slip = value.slip(refused < after.saturating_add(1));
        if let Some(slip) = slip.or_else(|| value.ends_early(after)) {
            return Some(slip);
        }
        above = match value.first() {
            b'|' | b'>' if after == first + 1 => Above::EmptyBlock(entry.key(text)),
            _ if value.is_plain() => Above::Plain(entry.key(text)),
            _ => Above::Other,
        };
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

/// The field above a line.
#[derive(Clone, Copy)]
enum Above<'a> {
    /// Its value could go on.
    Plain(&'a str),
    /// Its value is a block that has no text.
    EmptyBlock(&'a str),
    /// None, or one whose value is whole.
    Other,
}

/// Says what a line is that should be a field and is none.
fn no_entry(line: Line, above: Above) -> Option<Slip> {
    let text = line.text;
    if line.indent() > 0 || line.is_item() || text.starts_with("---") || text.starts_with("...") {
        return None;
    }
    let whole = line.start..line.start + text.len();
    if let Above::EmptyBlock(key) = above {
        let message = format!("the text of the block of `{key}` is not indented");
        let help = "begin each of its lines with two blanks";
        return Some(Slip::new(whole, message, help));
    }
    odd_field(line)
        .or_else(|| odd_line(line))
        .or_else(|| {
            let is_plain = begins_plain(text.as_bytes()[0], text.as_bytes().get(1).copied());
            is_plain.then(|| {
                let message = "this line is not a field: it has no colon after a name";
                let help = match above {
                    Above::Plain(key) => format!(
                        "begin it with two blanks if it goes on with the value of `{key}`, or with `#` if it is a comment"
                    ),
                    _ => "write `name: value`, or put `#` before a comment".to_owned(),
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
    let write = |value: &str| format!("write {key}: {}", as_value(&folded(value)));
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
            let help = format!("write {key}: {}", as_value(&folded(value)));
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

#[cfg(test)]
mod tests;
