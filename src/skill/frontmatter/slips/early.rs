//! Values that end, for YAML, before the lines that were meant for them do.

use super::Slip;
use crate::skill::frontmatter::lines::{Entry, Line, Lines};
use crate::skill::frontmatter::quoting::{folded, line_of, quote_it};

/// A comment that ends a plain value above deeper lines. The value begins at
/// `start`, and for YAML ends before the line `after`.
pub(super) fn comment(
    text: &str,
    lines: &Lines,
    entry: &Entry,
    (start, after): (usize, usize),
) -> Option<Slip> {
    let is_deeper = |line: Line| line.indent() > entry.column;
    let next = lines.content(after)?;
    lines.get(next).filter(|&line| is_deeper(line))?;
    let comment =
        (after..next).find_map(|number| lines.get(number).filter(|line| line.is_comment()))?;
    let place = comment.start + comment.indent()..comment.start + comment.text.len();
    let end = lines.end_of(lines.after_deeper(next, entry.column) - 1);
    let key = entry.key(text);
    Some(Slip::new(
        place,
        format!("a comment ends the value of `{key}`, which goes on below it"),
        format!(
            "move it above the field, or {}",
            quote_it(&line_of(key, &text[start..end]))
        ),
    ))
}

/// A line of a block that is indented less than its first. The block ends before
/// the line `after`.
pub(super) fn less_indented(
    text: &str,
    lines: &Lines,
    entry: &Entry,
    (header, after): (usize, usize),
) -> Option<Slip> {
    let inside = || (lines.number_of(header) + 1..after).filter_map(|number| lines.get(number));
    let said = text[header + 1..]
        .trim_start_matches(['+', '-'])
        .chars()
        .next();
    let indent = match said.and_then(|c| c.to_digit(10)) {
        Some(digit) => entry.column + digit as usize,
        None => inside().find(|line| !line.is_empty())?.indent(),
    };
    let is_less = |line: &Line| !line.is_empty() && line.indent() < indent;
    let line = inside().find(is_less)?;
    // Comments may stand below a block.
    inside()
        .rev()
        .find(|line| !line.is_empty() && !line.is_comment())
        .filter(|last| last.start >= line.start)?;
    let place = line.start + line.indent()..line.start + line.text.len();
    let written = folded(line.text);
    Some(Slip::new(
        place,
        format!(
            "this line is indented less than the block of `{}`",
            entry.key(text)
        ),
        format!("begin the line in column {}: {written}", indent + 1),
    ))
}
