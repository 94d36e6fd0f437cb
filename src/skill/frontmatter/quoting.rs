//! How a text is put between quotes, for a file and for advice.

/// Characters of a line that advice shows whole.
const SHOWN: usize = 72;

/// Characters of a value that is to be copied: the specification allows 1,024 to
/// the longest field.
const WHOLE: usize = 1_024;

/// Characters at the end of a longer line that advice shows.
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

/// Returns the line of a field with its value between quotes, to be copied: `key`
/// as written, `value` as meant, whole unless no field may be so long.
pub(in crate::skill) fn line_of(key: &str, value: &str) -> String {
    format!("{key}: {}", quoted(&folded_to(WHOLE, value)))
}

/// Puts a text on one line, its middle left out where it is long.
pub(in crate::skill) fn folded(text: &str) -> String {
    folded_to(SHOWN, text)
}

fn folded_to(most: usize, text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    let length = line.chars().count();
    if length <= most {
        return line;
    }
    let begins: String = line.chars().take(most - END_SHOWN).collect();
    let ends: String = line.chars().skip(length - END_SHOWN).collect();
    format!("{} … {}", begins.trim_end(), ends.trim_start())
}
