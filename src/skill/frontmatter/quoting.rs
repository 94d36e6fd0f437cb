//! How a text is put between quotes, for a file and for advice.

use super::lexer::{begins_plain, is_blank_or_end};

/// What to do about a value that YAML takes for something else.
pub(in crate::skill) const QUOTE_IT: &str = "put the whole value between quotes";

/// Characters of a text that advice shows whole: the specification allows as many
/// to the longest field.
const WHOLE: usize = 1_024;

/// Characters at the end of a longer text that advice shows.
const END_SHOWN: usize = 16;

/// Puts a plain text, as written, between quotes, which fold lines as no quotes
/// do; between those that leave it as it is, where there are such.
///
/// # Examples
///
/// ```
/// use codeaf_skills::skill::frontmatter::quoted;
///
/// assert_eq!(quoted("Use when: asked"), "'Use when: asked'");
/// assert_eq!(quoted("it's"), "\"it's\"");
/// assert_eq!(quoted(r#"it's "it""#), r#"'it''s "it"'"#);
/// ```
#[must_use]
pub fn quoted(text: &str) -> String {
    if text.contains('\'') && !text.contains(['"', '\\']) {
        format!("\"{text}\"")
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}

/// Says to put a value between quotes, with the line to type.
pub(in crate::skill) fn quote_it(line: &str) -> String {
    format!("{QUOTE_IT}: {line}")
}

/// Returns the line of a field with its value between quotes, to be typed.
pub(in crate::skill) fn line_of(key: &str, value: &str) -> String {
    format!("{key}: {}", quoted(&folded(value)))
}

/// Puts a text on one line to be typed, as YAML folds it: blanks inside a line are
/// part of the text. The middle is left out where no field may be so long.
pub(in crate::skill) fn folded(text: &str) -> String {
    let lines = text
        .split('\n')
        .map(|line| line.trim_matches([' ', '\t', '\r']))
        .filter(|line| !line.is_empty());
    let line = lines.collect::<Vec<_>>().join(" ");
    let length = line.chars().count();
    if length <= WHOLE {
        return line;
    }
    let begins: String = line.chars().take(WHOLE - END_SHOWN).collect();
    let ends: String = line.chars().skip(length - END_SHOWN).collect();
    format!("{} … {}", begins.trim_end(), ends.trim_start())
}

/// Returns a text as the value of a field: between quotes where it needs them.
pub(super) fn as_value(text: &str) -> String {
    let bytes = text.as_bytes();
    let first = bytes.first().copied().unwrap_or_default();
    let is_read = match first {
        b'\'' | b'"' | b'[' | b'{' => true,
        first => begins_plain(first, bytes.get(1).copied()) && !text.contains([':', '#']),
    };
    if is_read || text.is_empty() {
        text.to_owned()
    } else {
        quoted(text)
    }
}

/// Finds the first line inside of quotes that is one of the fields `keys`; returns
/// its key, and the quotes closed before it.
pub(super) fn taken_in<'a>(written: &str, keys: &[&'a str]) -> Option<(&'a str, String)> {
    let (first, rest) = written.split_once('\n')?;
    let mut before = first.len();
    for line in rest.split('\n') {
        if let Some(key) = keys.iter().find(|key| is_field(line, key)) {
            let closed = format!("{}{}", folded(&written[..before]), &written[..1]);
            return Some((key, closed));
        }
        before += 1 + line.len();
    }
    None
}

/// Whether a line is the field `key`, in column 1.
fn is_field(line: &str, key: &str) -> bool {
    let rest = line.strip_prefix(key);
    rest.and_then(|rest| rest.strip_prefix(':'))
        .is_some_and(|rest| is_blank_or_end(rest.bytes().next()))
}
