//! The whole file: its encoding, its marks, its line ends.

use super::{Draft, Fix};
use crate::diagnostic::{Rule, Span};
use crate::limits::Limits;
use crate::skill::frontmatter;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Makes the file UTF-8 without marks, and with line ends of one kind.
pub(super) fn mend(draft: &mut Draft, fixes: &mut Vec<Fix>) {
    let (options, limits) = (draft.options, draft.limits);
    let mut take = |draft: &mut Draft, rule, bytes: Option<Vec<u8>>, what: &str| {
        if let Some(bytes) = bytes.filter(|_| options.mends(rule)) {
            draft.replace(bytes);
            fixes.push(Fix::new(rule, Span::START, what));
        }
    };
    let decoded = from_utf16(&draft.bytes)
        .filter(|text| text.len() <= limits.skill_bytes)
        .map(String::into_bytes);
    take(draft, Rule::NotText, decoded, "converted UTF-16 to UTF-8");
    let bare = without_marks(&draft.bytes, limits);
    let what = "removed the byte-order mark";
    take(draft, Rule::ByteOrderMark, bare, what);
    let lines = with_line_feeds(&draft.bytes, limits);
    let what = "made line feeds of the lone carriage returns";
    take(draft, Rule::LoneCarriageReturn, lines, what);
    if options.mends(Rule::MixedLineEnds)
        && let Some(name) = one_line_end(draft)
    {
        let what = format!("made every line end {name}");
        fixes.push(Fix::new(Rule::MixedLineEnds, Span::START, what));
    }
}

/// Decodes UTF-16 with a mark, if the file is a skill in it: the mark alone
/// could stand at the head of anything.
fn from_utf16(bytes: &[u8]) -> Option<String> {
    let (unit, rest): (fn([u8; 2]) -> u16, _) = match bytes {
        [0xff, 0xfe, rest @ ..] => (u16::from_le_bytes, rest),
        [0xfe, 0xff, rest @ ..] => (u16::from_be_bytes, rest),
        _ => return None,
    };
    let pairs = rest.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    let units: Vec<u16> = pairs.map(|pair| unit([pair[0], pair[1]])).collect();
    let text = String::from_utf16(&units).ok()?;
    let is_skill = text.trim_start_matches('\u{feff}').starts_with("---");
    (is_skill && !text.contains('\0')).then_some(text)
}

/// Takes off the marks that the file begins with; more than one where a program
/// wrote its own before that of another.
fn without_marks(bytes: &[u8], limits: &Limits) -> Option<Vec<u8>> {
    let mut rest = bytes;
    while let Some(next) = rest.strip_prefix(BYTE_ORDER_MARK) {
        rest = next;
    }
    let is_text = || {
        let fault = frontmatter::read(rest, limits).fault;
        fault.is_none_or(|fault| fault.rule != Rule::NotText)
    };
    (rest.len() < bytes.len() && is_text()).then(|| rest.to_vec())
}

/// Makes lines of a file that has lone carriage returns only.
fn with_line_feeds(bytes: &[u8], limits: &Limits) -> Option<Vec<u8>> {
    if !bytes.starts_with(b"---") || !bytes.contains(&b'\r') || bytes.contains(&b'\n') {
        return None;
    }
    let feed = |&b: &u8| if b == b'\r' { b'\n' } else { b };
    let lines: Vec<u8> = bytes.iter().map(feed).collect();
    let is_skill = frontmatter::read(&lines, limits).closing.is_some();
    is_skill.then_some(lines)
}

/// Gives all lines the line end that most have; of two equal parties, that of
/// the first line. Returns its name.
fn one_line_end(draft: &mut Draft) -> Option<&'static str> {
    let bytes = &draft.bytes;
    let feeds = bytes.split(|&b| b == b'\n').count() - 1;
    let pairs = bytes.windows(2).filter(|pair| pair == b"\r\n").count();
    if pairs == 0 || pairs == feeds {
        return None;
    }
    let first = bytes.iter().position(|&b| b == b'\n')?;
    let first_is_pair = first > 0 && bytes[first - 1] == b'\r';
    let to_pairs = match (2 * pairs).cmp(&feeds) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Equal => first_is_pair,
        std::cmp::Ordering::Greater => true,
    };
    // Without its partner, a carriage return before a pair would make a new one.
    if !to_pairs && bytes.windows(3).any(|three| three == b"\r\r\n") {
        return None;
    }
    draft.facts.closing?;
    let lines = |draft: &Draft, _: &[()]| {
        let lines = if to_pairs {
            pairs_in(&draft.bytes)
        } else {
            feeds_in(&draft.bytes)
        };
        Some((lines, draft.facts.fields.clone()))
    };
    let name = if to_pairs { "CRLF" } else { "LF" };
    let is_done = !draft.settle(&[()], lines).is_empty();
    is_done.then_some(name)
}

fn pairs_in(bytes: &[u8]) -> Vec<u8> {
    let mut lines = Vec::with_capacity(bytes.len() + bytes.len() / 16);
    let mut previous = 0;
    for &b in bytes {
        if b == b'\n' && previous != b'\r' {
            lines.push(b'\r');
        }
        lines.push(b);
        previous = b;
    }
    lines
}

fn feeds_in(bytes: &[u8]) -> Vec<u8> {
    let is_kept = |(i, b): &(usize, &u8)| **b != b'\r' || bytes.get(i + 1) != Some(&b'\n');
    let kept = bytes.iter().enumerate().filter(is_kept);
    kept.map(|(_, &b)| b).collect()
}
