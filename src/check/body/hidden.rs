//! Characters that a reviewer does not see and a model reads.

use std::fmt::Write;
use std::ops::Range;

use super::lines::Lines;
use super::{Found, SHOWN};
use crate::diagnostic::Rule;
use crate::skill::frontmatter::Facts;
use crate::skill::loading::hidden_spelling;
use crate::text::suspect_characters;

/// Different characters that one finding names.
const NAMED: usize = 6;

/// Characters of a hidden text that one finding quotes.
const QUOTED: usize = 60;

/// Looks through the whole file, the frontmatter too: one finding a line.
pub(super) fn find(text: &str, facts: &Facts, found: &mut Found) {
    let control_is_told = facts
        .fault
        .as_ref()
        .is_some_and(|fault| fault.rule == Rule::YamlControlCharacter);
    let marks = text.len() - text.trim_start_matches('\u{feff}').len();
    let hidden: Vec<(usize, char)> = suspect_characters(text)
        .into_iter()
        // Marks at the start and NULs are findings of their own.
        .filter(|&(at, c)| c != '\0' && !(at < marks && c == '\u{feff}'))
        .filter(|&(at, c)| !(control_is_told && at < facts.body && c.is_control()))
        .collect();
    let hidden = not_in_keys(hidden, text, facts);
    let is_same_line = |a: &(usize, char), b: &(usize, char)| !text[a.0..b.0].contains('\n');
    for line in hidden.chunk_by(is_same_line) {
        let Some(&(start, _)) = line.first() else {
            continue;
        };
        found.warn(Rule::HiddenCharacters, start..end_of_run(line), || {
            let help = "delete them: a model reads what nobody sees";
            (message(line), help.to_owned())
        });
    }
}

/// Leaves out what hides in a field's key and makes it another: that is told of
/// with the field.
fn not_in_keys(hidden: Vec<(usize, char)>, text: &str, facts: &Facts) -> Vec<(usize, char)> {
    if hidden.first().is_none_or(|&(at, _)| at >= facts.body) {
        return hidden;
    }
    let lines = Lines::new(text.as_bytes());
    let misspelt = facts
        .fields
        .iter()
        .filter(|field| hidden_spelling(&field.key).is_some());
    let keys = misspelt
        .take(SHOWN)
        .map(|field| lines.bytes_of(field.key_span));
    let keys: Vec<Range<usize>> = keys.collect();
    let outside = |&(at, _): &(usize, char)| keys.iter().all(|key| !key.contains(&at));
    hidden.into_iter().filter(outside).collect()
}

/// Where the first unbroken run of hidden characters ends.
fn end_of_run(line: &[(usize, char)]) -> usize {
    let is_next = |a: &(usize, char), b: &(usize, char)| a.0 + a.1.len_utf8() == b.0;
    let run = line.chunk_by(is_next).next().unwrap_or(line);
    run.last().map_or(0, |(at, c)| at + c.len_utf8())
}

fn message(line: &[(usize, char)]) -> String {
    let mut kinds: Vec<(char, usize)> = Vec::new();
    let mut tags = String::new();
    let mut tag_count = 0;
    for &(_, c) in line {
        if is_tag(c) {
            tag_count += 1;
            tags.extend(tag_letter(c));
        } else if let Some(kind) = kinds.iter_mut().find(|(known, _)| *known == c) {
            kind.1 += 1;
        } else if kinds.len() <= NAMED {
            kinds.push((c, 1));
        }
    }
    let mut parts: Vec<String> = kinds.iter().take(NAMED).map(|&kind| named(kind)).collect();
    if kinds.len() > NAMED {
        parts.push("others".to_owned());
    }
    if tag_count > 0 {
        parts.push(spelled(line, tag_count, &tags));
    }
    format!("characters that nobody sees: {}", parts.join(", "))
}

fn named((c, count): (char, usize)) -> String {
    let mut part = format!("U+{:04X} {}", u32::from(c), called(c));
    if count > 1 {
        let _ = write!(part, " ({count} times)");
    }
    part
}

/// Says of tag characters what they spell, which is what a model reads.
fn spelled(line: &[(usize, char)], count: usize, tags: &str) -> String {
    let first = line.iter().find(|(_, c)| is_tag(*c));
    let first = first.map_or(0, |(_, c)| u32::from(*c));
    let noun = if count == 1 {
        "tag character"
    } else {
        "tag characters"
    };
    let mut part = format!("{count} {noun} from U+{first:04X} on");
    if !tags.trim().is_empty() {
        let quoted: String = tags.chars().take(QUOTED).collect();
        let more = if tags.chars().count() > QUOTED {
            "\u{2026}"
        } else {
            ""
        };
        let _ = write!(part, ", which spell `{quoted}{more}`");
    }
    part
}

fn is_tag(c: char) -> bool {
    matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// Returns the ASCII letter that a tag character stands for, if it is one.
fn tag_letter(c: char) -> Option<char> {
    let letter = char::from_u32(u32::from(c).checked_sub(0xe_0000)?)?;
    (' '..='~').contains(&letter).then_some(letter)
}

fn called(c: char) -> &'static str {
    match c {
        '\u{7}' => "bell",
        '\u{8}' => "backspace",
        '\u{1b}' => "escape",
        '\u{7f}' => "delete",
        '\u{ad}' => "soft hyphen",
        '\u{200b}' => "zero width space",
        '\u{200c}' => "zero width non-joiner",
        '\u{200d}' => "zero width joiner",
        '\u{61c}' | '\u{200e}' | '\u{200f}' => "mark of direction",
        '\u{202a}' => "left-to-right embedding",
        '\u{202b}' => "right-to-left embedding",
        '\u{202c}' => "end of a turn of direction",
        '\u{202d}' => "left-to-right override",
        '\u{202e}' => "right-to-left override",
        '\u{2066}' => "left-to-right isolate",
        '\u{2067}' => "right-to-left isolate",
        '\u{2068}' => "first strong isolate",
        '\u{2069}' => "end of an isolate",
        '\u{2028}' => "line separator",
        '\u{2029}' => "paragraph separator",
        '\u{2060}' => "word joiner",
        '\u{feff}' => "byte-order mark",
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => "variation selector",
        c if c.is_control() => "control character",
        _ => "invisible character",
    }
}
