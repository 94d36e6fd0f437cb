//! Where the frontmatter begins and ends.
//!
//! A fence is a line of three dashes in column 1, blanks after it allowed.
//! Lines end at LF; a CR before it belongs to the line end, and a lone CR ends
//! no line. This file does not know what stands between the fences.

use std::ops::Range;

use memchr::memchr;

use super::Fault;
use super::schema::FIELDS;
use crate::diagnostic::{Rule, Span};
use crate::limits::Limits;

/// The UTF-8 byte-order mark.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

const OPEN_WITH: &str = "put a line of exactly three dashes first: ---";

/// A `---` line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fence {
    /// The three dashes.
    pub span: Span,
    /// The blanks after them.
    pub blanks: Option<Span>,
}

impl Fence {
    fn new(line: usize, column: u32, blanks: usize) -> Self {
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        Self {
            span: Span::new(line, column).with_length(3),
            blanks: (blanks > 0).then(|| Span::new(line, column + 3).with_length(blanks)),
        }
    }
}

/// Both fences of a file.
pub(super) struct Fences {
    pub(super) opening: Fence,
    pub(super) closing: Fence,
    /// What stands between them.
    pub(super) inner: Range<usize>,
    /// Where the body begins.
    pub(super) body: usize,
}

/// Finds both fences, or says why there is no frontmatter. Reads no further
/// than the bound on frontmatter.
pub(super) fn find(bytes: &[u8], limits: &Limits) -> Result<Fences, Fault> {
    let start = if bytes.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    };
    let (first, inner_start) = line_at(bytes, start);
    let Some(opening_blanks) = fence_blanks(first) else {
        return Err(no_opening(bytes, start, limits));
    };
    let end = bytes
        .len()
        .min(start.saturating_add(limits.frontmatter_bytes));
    let mut at = inner_start;
    for number in 2.. {
        let (line, next) = line_at(bytes, at);
        if next > end {
            break;
        }
        if let Some(blanks) = fence_blanks(line) {
            return Ok(Fences {
                // A byte-order mark is a character, and it stands in column 1.
                opening: Fence::new(1, if start == 0 { 1 } else { 2 }, opening_blanks),
                closing: Fence::new(number, 1, blanks),
                inner: inner_start..at,
                body: next,
            });
        }
        if next == at || next == bytes.len() {
            break;
        }
        at = next;
    }
    Err(if end < bytes.len() {
        too_large(limits)
    } else {
        unclosed(bytes, inner_start)
    })
}

/// Returns the line at `at` without its LF, and where the next one begins.
fn line_at(bytes: &[u8], at: usize) -> (&[u8], usize) {
    let rest = &bytes[at..];
    match memchr(b'\n', rest) {
        Some(length) => (&rest[..length], at + length + 1),
        None => (rest, bytes.len()),
    }
}

/// Returns how many blanks follow the dashes if `line` is a fence.
fn fence_blanks(line: &[u8]) -> Option<usize> {
    let rest = line.strip_prefix(b"---")?;
    let rest = rest.strip_suffix(b"\r").unwrap_or(rest);
    rest.iter()
        .all(|b| matches!(b, b' ' | b'\t'))
        .then_some(rest.len())
}

fn too_large(limits: &Limits) -> Fault {
    let message = format!(
        "the frontmatter is over {} bytes, or nothing closes it",
        limits.frontmatter_bytes
    );
    Fault::new(Rule::FrontmatterTooLarge, Span::START, message)
        .with_help("close it with a line of exactly three dashes, and keep long text in the body")
}

/// The lines of `bytes` from `at` on, numbered from `first`, CR and LF off.
fn lines(bytes: &[u8], at: usize, first: usize) -> impl Iterator<Item = (usize, &[u8])> {
    bytes[at..]
        .split(|&b| b == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .enumerate()
        .map(move |(i, line)| (first + i, line))
}

/// Says where the body seems to begin before the fence that closes the
/// frontmatter: at a Markdown heading with blank lines around it, below fields and
/// above none. To YAML it is a comment.
pub(super) fn closed_late(inner: &[u8]) -> Option<Fault> {
    memchr(b'#', inner)?;
    let lines: Vec<_> = lines(inner, 0, 2).collect();
    let is_blank =
        |line: Option<&(usize, &[u8])>| line.is_none_or(|(_, line)| line.trim_ascii().is_empty());
    let is_field = |(_, line): &(usize, &[u8])| {
        FIELDS.iter().any(|field| {
            let rest = line.strip_prefix(field.as_bytes());
            rest.is_some_and(|rest| rest.starts_with(b":"))
        })
    };
    let at = (1..lines.len()).find(|&at| {
        let is_apart = is_blank(lines.get(at - 1)) && is_blank(lines.get(at + 1));
        is_apart && is_heading(lines[at].1)
    })?;
    let (above, below) = lines.split_at(at);
    if !above.iter().any(is_field) || below.iter().any(is_field) {
        return None;
    }
    let (number, line) = lines[at];
    let message =
        "a Markdown heading stands in the frontmatter: the `---` line above it seems to be missing";
    let length = String::from_utf8_lossy(line).chars().count();
    Some(
        Fault::new(
            Rule::FrontmatterUnclosed,
            point(number, 1).with_length(length),
            message,
        )
        .with_help("put a line of exactly three dashes before it: ---"),
    )
}

fn is_heading(line: &[u8]) -> bool {
    let signs = line.iter().take_while(|&&b| b == b'#').count();
    (1..=6).contains(&signs) && line.get(signs) == Some(&b' ')
}

fn unclosed(bytes: &[u8], inner_start: usize) -> Fault {
    let seen = lines(bytes, inner_start, 2)
        .find_map(|(number, line)| Some((number, near_fence(line)?, indented(line))));
    let Some((number, what, column)) = seen else {
        let message = "no `---` line closes the frontmatter";
        return Fault::new(
            Rule::FrontmatterUnclosed,
            Span::START.with_length(3),
            message,
        )
        .with_help("close the frontmatter with a line of exactly three dashes: ---");
    };
    let message = format!("no `---` line closes the frontmatter; line {number} {what}");
    Fault::new(Rule::FrontmatterUnclosed, point(number, column), message)
        .with_help(format!("write line {number} as exactly three dashes: ---"))
}

/// Says what a line is that may have been meant for a fence.
fn near_fence(line: &[u8]) -> Option<&'static str> {
    let text = line.trim_ascii();
    let dashes = text.iter().take_while(|&&b| b == b'-').count();
    if text == b"..." {
        Some("is `...`, which closes a YAML document but no frontmatter")
    } else if text == b"+++" {
        Some("is `+++`, the fence of TOML")
    } else if dashes > 3 && dashes == text.len() {
        Some("has more than three dashes")
    } else if dashes == 3 && text.len() > 3 && text[3] != b':' {
        Some("has text after the dashes")
    } else if dashes == 3 && line.len() > text.len() {
        Some("has blanks before the dashes")
    } else if is_typeset_rule(text) {
        Some("has long dashes, not hyphens")
    } else {
        None
    }
}

/// En and em dashes that an editor put for hyphens.
fn is_typeset_rule(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    let is_dash = |c| matches!(c, '-' | '\u{2013}' | '\u{2014}');
    !text.is_empty() && text.len() <= 12 && !text.is_ascii() && text.chars().all(is_dash)
}

fn indented(line: &[u8]) -> usize {
    line.iter().take_while(|b| b.is_ascii_whitespace()).count() + 1
}

fn point(line: usize, column: usize) -> Span {
    Span::new(
        u32::try_from(line).unwrap_or(u32::MAX),
        u32::try_from(column).unwrap_or(u32::MAX),
    )
}

/// Says why a file does not begin with a fence.
fn no_opening(bytes: &[u8], start: usize, limits: &Limits) -> Fault {
    let window = &bytes[..bytes
        .len()
        .min(start.saturating_add(limits.frontmatter_bytes))];
    if let Some(fault) = not_text(bytes, window) {
        return fault;
    }
    let missing = |message: String| {
        Fault::new(Rule::FrontmatterMissing, Span::START, message).with_help(OPEN_WITH)
    };
    if window[start..].trim_ascii().is_empty() {
        return missing("the file is empty".into());
    }
    let (first, _) = line_at(window, start);
    if first.starts_with(b"---\r") {
        let message = "the line ends are lone carriage returns, which end no line";
        return Fault::new(Rule::LoneCarriageReturn, point(1, 4), message)
            .with_help("save the file with LF or CRLF line ends");
    }
    if first.starts_with(BYTE_ORDER_MARK) {
        let message = "byte-order marks stand before the first `---`, more than one";
        return Fault::new(Rule::ByteOrderMark, Span::START.with_length(2), message)
            .with_help("save the file as UTF-8 without a mark");
    }
    if let Some((line, before)) = later_opening(window, start) {
        let message =
            format!("{before} stands before the frontmatter, which starts on line {line}");
        return Fault::new(Rule::FrontmatterNotFirst, point(line, 1), message)
            .with_help("make the `---` line the first line of the file");
    }
    match near_fence(first.strip_suffix(b"\r").unwrap_or(first)) {
        Some(what) => missing(format!(
            "the file does not begin with a `---` line: line 1 {what}"
        ))
        .with_help("write line 1 as exactly three dashes: ---"),
        None => missing("the file does not begin with a `---` line".into()),
    }
}

fn not_text(bytes: &[u8], window: &[u8]) -> Option<Fault> {
    let (span, message) = if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        (Span::START, "the file is UTF-16, not UTF-8")
    } else if std::str::from_utf8(line_at(window, 0).0).is_err_and(|e| e.error_len().is_some()) {
        (Span::START, "the file is not UTF-8 text")
    } else {
        let nul = window.iter().position(|&b| b == 0)?;
        let message = if nul < 2 && window.len() > 2 && window[2 + nul..].first() == Some(&0) {
            "the file is UTF-16 without a mark, not UTF-8"
        } else {
            "the file is not text: it has NUL bytes"
        };
        (Span::at(window, nul), message)
    };
    Some(Fault::new(Rule::NotText, span, message).with_help("save it as UTF-8"))
}

/// Finds a fence that is not in the first line but clearly opens frontmatter:
/// blank lines or comments before it, or a known field right behind it.
fn later_opening(window: &[u8], start: usize) -> Option<(usize, &'static str)> {
    let mut numbered = lines(window, start, 1).peekable();
    let mut before = "a blank line";
    let mut only_space = true;
    while let Some((number, line)) = numbered.next() {
        if number > 1 && fence_blanks(line).is_some() {
            let opens = numbered.peek().is_some_and(|(_, line)| {
                line.starts_with(b"name:") || line.starts_with(b"description:")
            });
            return (only_space || opens).then_some((number, before));
        }
        if !line.trim_ascii().is_empty() {
            let is_comment = only_space && line.trim_ascii_start().starts_with(b"<!--");
            before = if is_comment {
                "an HTML comment"
            } else {
                "text"
            };
            only_space = false;
        }
    }
    None
}
