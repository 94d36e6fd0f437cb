//! One text through lexer and library, and the one repair.
//!
//! `description: Use when: …` is no YAML, and the commonest reason why a skill
//! vanishes. Where the library refuses a text, unquoted values of block
//! mappings that hold a colon and a blank are put between quotes, whole, and
//! the text is read once more. Nothing else is ever mended.

use super::lexer::{self, Nodes, Token, TokenKind, begins_plain, is_blank_or_end};
use super::library::{self, Outcome, Refusal};
use super::lines::{Lines, offending_colon, skip_closed};
use super::quoting::folded;
use super::schema::FIELDS;
use super::source::{Mend, Source};
use super::{Comment, Fault, Parsed, Slipped, Style, refusal};
use crate::diagnostic::Span;
use crate::limits::Limits;

/// Reads the fields of a shielded text, repaired if it must be.
pub(super) fn read(text: &str, limits: &Limits) -> Result<Parsed, Fault> {
    let source = Source::new(text);
    let nodes = scan(&source, limits)?;
    let refused = match library::read(&source, &nodes, limits) {
        Ok(outcome) => return parsed(outcome, &nodes, &source),
        Err(refused) => refused,
    };
    let mends = match refused {
        Refusal::Syntax(..) => mends(text),
        _ => Vec::new(),
    };
    if mends.is_empty() {
        return Err(refusal::fault(&refused, &nodes, &source, limits));
    }
    let source = source.mended(&mends);
    let nodes = scan(&source, limits)?;
    match library::read(&source, &nodes, limits) {
        // Quotes that went into a block or other quotes would change its text.
        Ok(_) if !source.mends_are_values(&nodes) => {
            let source = Source::new(text);
            let nodes = scan(&source, limits)?;
            Err(refusal::fault(&refused, &nodes, &source, limits))
        }
        Ok(outcome) => Ok(Parsed {
            slipped: slipped(&mends, &source),
            ..parsed(outcome, &nodes, &source)?
        }),
        Err(refused) => Err(refusal::fault(&refused, &nodes, &source, limits)),
    }
}

fn scan(source: &Source, limits: &Limits) -> Result<Nodes, Fault> {
    lexer::scan(&source.text, limits.yaml_depth)
        .map_err(|stop| refusal::stop_fault(stop, source, limits))
}

fn parsed(outcome: Outcome, nodes: &Nodes, source: &Source) -> Result<Parsed, Fault> {
    if let Some(fault) = refusal::doubled_anchor(nodes, source) {
        return Err(fault);
    }
    let fields = match outcome {
        Outcome::Fields(fields) => fields,
        Outcome::Other(value) => return Err(refusal::not_a_mapping(&value, source)),
    };
    Ok(Parsed {
        fields,
        tags: nodes.tags.iter().map(|tag| source.part(tag)).collect(),
        aliases: nodes.aliases().map(|alias| source.span(alias)).collect(),
        comments: comments(nodes, source),
        tabs: tabs(nodes, source),
        anchors: anchors(nodes, source),
        slipped: Vec::new(),
        fault: refusal::foreign_tag(nodes, source),
    })
}

/// Finds the anchors that no alias names. Whoever uses aliases means them all.
fn anchors(nodes: &Nodes, source: &Source) -> Vec<Span> {
    if nodes.aliases().next().is_some() {
        return Vec::new();
    }
    let spans = nodes.anchors.iter().map(|anchor| source.part(anchor));
    spans.collect()
}

/// Finds the fields that begin a line of a mended value.
fn slipped(mends: &[Mend], source: &Source) -> Vec<Slipped> {
    let lines = Lines::new(source.original());
    let slipped = mends
        .iter()
        .filter_map(|mend| slipped_into(mend, &lines, source));
    slipped.collect()
}

/// Returns the first line of a mended value that is a field of the specification
/// or, where the value is an entry, any other entry.
fn slipped_into(mend: &Mend, lines: &Lines, source: &Source) -> Option<Slipped> {
    let text = source.original();
    let field = |number: usize| {
        let line = lines.get(number)?;
        let entry = line.entry().filter(|entry| entry.keyed)?;
        let key = entry.key(text);
        let is_meant = match mend.column {
            0 => FIELDS.contains(&key),
            _ => is_word(key),
        };
        is_meant.then_some((line, entry))
    };
    let first = lines.number_of(mend.value.start) + 1;
    let last = lines.number_of(mend.value.end - 1);
    let (line, entry) = (first..=last).find_map(field)?;
    let key = entry.key_range(text);
    Some(Slipped {
        span: source.part_of_original(&key),
        colon: source.part_of_original(&(entry.after - 1..entry.after)),
        key: text[key].to_owned(),
        above: text[mend.key.clone()].to_owned(),
        above_span: source.part_of_original(&mend.key),
        line: folded(line.text),
    })
}

/// Whether a key is a word in small letters.
fn is_word(key: &str) -> bool {
    let is_of_key = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_".contains(&b);
    key.starts_with(|c: char| c.is_ascii_lowercase()) && key.bytes().all(is_of_key)
}

/// Finds the comments that end an unquoted value, or stand in its place.
fn comments(nodes: &Nodes, source: &Source) -> Vec<Comment> {
    let behind = |token: &Token| {
        let is_plain = token.kind == TokenKind::Scalar(Style::Plain);
        let line = source.text.get(token.end..)?.split('\n').next()?;
        let blanks = line.trim_start_matches([' ', '\t']);
        let instead = blanks.starts_with(':');
        let comment = blanks
            .strip_prefix(':')
            .unwrap_or(blanks)
            .trim_start_matches([' ', '\t']);
        let start = token.end + line.len() - comment.len();
        let end = start + comment.trim_end().len();
        let spaced = is_blank_or_end(comment.as_bytes().get(1).copied());
        (is_plain && comment.starts_with('#')).then(|| Comment {
            span: source.part(&(start..end)),
            spaced,
            instead,
        })
    };
    nodes.tokens.iter().filter_map(behind).collect()
}

/// Finds the first tab between each colon and the value on its line.
fn tabs(nodes: &Nodes, source: &Source) -> Vec<Span> {
    let behind = |token: &Token| {
        let rest = source.text.get(token.end..)?;
        let blanks = rest.trim_start_matches([' ', '\t']).strip_prefix(':')?;
        let colon = token.end + rest.len() - blanks.len();
        let value = blanks.trim_start_matches([' ', '\t']);
        let tab = blanks[..blanks.len() - value.len()].find('\t')?;
        let has_value = !is_blank_or_end(value.bytes().next());
        has_value.then(|| source.point(colon + tab).with_length(1))
    };
    nodes.tokens.iter().filter_map(behind).collect()
}

/// Finds the unquoted values of block mappings that hold a colon and a blank,
/// or end a line with a colon.
fn mends(text: &str) -> Vec<Mend> {
    let lines = Lines::new(text);
    let mut mends = Vec::new();
    let mut number = 0;
    while let Some(line) = lines.get(number) {
        number += 1;
        let Some(entry) = line.entry() else {
            continue;
        };
        let (start, first) = match entry.value(text) {
            Some(start) => (start, number - 1),
            None => match lines.wrapped_value(number, entry.column) {
                Some((start, first)) => (start, first),
                None => continue,
            },
        };
        let bytes = text.as_bytes();
        let begin = skip_properties(bytes, start);
        match bytes.get(begin).copied().unwrap_or_default() {
            b'|' | b'>' => number = lines.after_deeper(number, entry.column),
            b'\'' | b'"' | b'[' | b'{' => {
                let end = skip_closed(bytes, begin);
                number = lines.number_of(end).max(first) + 1;
            }
            b if entry.keyed
                && begin == start
                && begins_plain(b, bytes.get(start + 1).copied()) =>
            {
                let after = lines.after_plain(first + 1, entry.column);
                let end = lines.end_of(after - 1);
                number = after;
                if let Some(colon) = offending_colon(&bytes[start..end]) {
                    mends.push(Mend {
                        value: start..end,
                        key: entry.key_range(text),
                        column: entry.column,
                        colon: start + colon,
                    });
                }
            }
            _ => {}
        }
    }
    mends
}

/// Steps over the anchor and the tag before a value.
fn skip_properties(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while matches!(bytes.get(at), Some(b'&' | b'!')) {
        let word = bytes[at..]
            .iter()
            .take_while(|&&b| !is_blank_or_end(Some(b)));
        at += word.count();
        let blanks = bytes[at..].iter().take_while(|b| matches!(b, b' ' | b'\t'));
        at += blanks.count();
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_with_an_unquoted_colon_are_found_whole() {
        for (text, values) in [
            ("a: b: c\n", &["b: c"] as &[_]),
            ("a: ends:\nb: fine\n", &["ends:"]),
            ("a: b: c # d\n", &["b: c # d"]),
            ("a: b # c: d\n", &[]),
            ("a:\n  one\n  two: three\n\nb: x\n", &["one\n  two: three"]),
            ("a: one\n  two: three\n", &["one\n  two: three"]),
            ("a:\n  b: c\n  d: e: f\n", &["e: f"]),
            (
                "a:\n  Use when: the user\n  asks.\n",
                &["Use when: the user\n  asks."],
            ),
            ("a:\n  - k: v: w\n    x: y\n", &["v: w"]),
            ("a: |\n  b: c: d\ne: f\n", &[]),
            (
                "a: 'b: c'\nb: \"x\n  y: z: w\"\nc: [p, q: r,\n  s: t]\n",
                &[],
            ),
            ("a:\n  - |\n    b: c: d\n", &[]),
            ("a:\n  - - 'b: c\n  d: e: f'\n", &[]),
            ("a: &x !!str |\n  b: c: d\n", &[]),
            ("a: &x b: c\n", &[]),
            ("- a\n- b: c: d\n", &["c: d"]),
            ("a: `b: c`\nb: @c: d\nd: %e: f\n", &[]),
            ("'a: b': c: d\n", &["c: d"]),
            ("a: http://x\nb: 10:30\n", &[]),
            ("a: b: c\r\nd: e\r\n", &["b: c"]),
        ] {
            let found: Vec<_> = mends(text)
                .into_iter()
                .map(|mend| &text[mend.value])
                .collect();
            assert_eq!(found, values, "{text:?}");
        }
    }
}
