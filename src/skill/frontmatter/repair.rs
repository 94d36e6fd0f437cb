//! One text through lexer and library, and the one repair.
//!
//! `description: Use when: …` is no YAML, and the commonest reason why a skill
//! vanishes. Where the library refuses a text, unquoted values of block
//! mappings that hold a colon and a blank are put between quotes, whole, and
//! the text is read once more. Nothing else is ever mended.

use std::ops::Range;

use super::lexer::{self, Nodes, Token, TokenKind, begins_plain, is_blank_or_end};
use super::library::{self, Outcome, Refusal};
use super::lines::{Lines, offending_colon, skip_closed};
use super::quoting::{self, folded, line_of, quoted};
use super::schema::FIELDS;
use super::source::{Mend, Source};
use super::{Anchor, Comment, Fault, Field, Parsed, Slipped, Style, refusal};
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
        Ok(outcome) => {
            let mut parsed = parsed(outcome, &nodes, &source)?;
            parsed.slipped.extend(slipped(&mends, &source));
            parsed.slipped.sort_by_key(|slipped| slipped.span);
            Ok(parsed)
        }
        Err(refused) => Err(refusal::fault(&refused, &nodes, &source, limits)),
    }
}

fn scan(source: &Source, limits: &Limits) -> Result<Nodes, Fault> {
    lexer::scan(&source.text, limits).map_err(|stop| refusal::stop_fault(stop, source, limits))
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
        slipped: taken_in(&fields, nodes, source),
        fields,
        tags: nodes.tags.iter().map(|tag| source.part(tag)).collect(),
        aliases: nodes.aliases().map(|alias| source.span(alias)).collect(),
        comments: comments(nodes, source),
        tabs: tabs(nodes, source),
        anchors: anchors(nodes, source),
        fault: refusal::foreign_tag(nodes, source),
    })
}

/// Finds the anchors that no alias names. Whoever uses aliases means them all.
fn anchors(nodes: &Nodes, source: &Source) -> Vec<Anchor> {
    if nodes.aliases().next().is_some() {
        return Vec::new();
    }
    let read = |anchor: &Range<usize>| {
        let next = nodes
            .tokens
            .partition_point(|token| token.start < anchor.end);
        let named = nodes.tokens.get(next);
        let named = named.filter(|token| token.kind == TokenKind::Scalar(Style::Plain));
        Anchor {
            span: source.part(anchor),
            line: named.map(|token| line_to_type(nodes, source, next, anchor.start..token.end)),
        }
    };
    nodes.anchors.iter().map(read).collect()
}

/// Returns the line to type for a value that was to have all of `meant`; `index` is
/// the node that it begins with for YAML.
fn line_to_type(nodes: &Nodes, source: &Source, index: usize, meant: Range<usize>) -> String {
    let text = &source.text;
    let value = &text[meant.clone()];
    let key = index.checked_sub(1).map(|before| nodes.tokens[before]);
    let is_its_key = |key: &Token| {
        let between = text.get(key.end..meant.start);
        between.is_some_and(|between| between.trim() == ":")
    };
    match key.filter(is_its_key) {
        Some(key) => line_of(&text[key.start..key.end], value),
        None => quoted(&folded(value)),
    }
}

/// Finds the two fields that a skill must have where the quotes of another took
/// them in.
fn taken_in(fields: &[Field], nodes: &Nodes, source: &Source) -> Vec<Slipped> {
    let text = &*source.text;
    let is_missing = |key: &&str| fields.iter().all(|field| field.key != **key);
    let missing: Vec<&str> = ["name", "description"]
        .into_iter()
        .filter(is_missing)
        .collect();
    if missing.is_empty() {
        return Vec::new();
    }
    let taken = nodes.tokens.windows(2).filter_map(|pair| {
        let [above, value] = *pair else { return None };
        let is_quoted = matches!(value.kind, TokenKind::Scalar(Style::Single | Style::Double));
        let has_key = text.get(above.end..value.start)?.trim() == ":";
        if !is_quoted || !has_key || source.is_mended(value.start) {
            return None;
        }
        let (key, closed) = quoting::taken_in(&text[value.start..value.end], &missing)?;
        let above_text = &text[above.start..above.end];
        let opens = source.part(&(value.start..value.start + 1));
        Some(Slipped {
            key: key.to_owned(),
            span: opens,
            in_quotes: true,
            colon: opens,
            above: above_text.to_owned(),
            above_span: source.part(&(above.start..above.end)),
            line: format!("{above_text}: {closed}"),
        })
    });
    taken.collect()
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
        in_quotes: false,
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
    let text = &*source.text;
    let behind = |(index, token): (usize, &Token)| {
        if token.kind != TokenKind::Scalar(Style::Plain) {
            return None;
        }
        let blanks = text.get(token.end..)?.trim_start_matches([' ', '\t']);
        let after_colon = blanks.strip_prefix(':');
        let instead = after_colon.is_some();
        let rest = after_colon
            .unwrap_or(blanks)
            .trim_start_matches([' ', '\t']);
        if !rest.starts_with('#') {
            return None;
        }
        // Only now: a line can have many values, and each has its look.
        let comment = rest.split('\n').next()?.trim_end();
        let start = text.len() - rest.len();
        let end = start + comment.len();
        Some(Comment {
            span: source.part(&(start..end)),
            spaced: is_blank_or_end(comment.as_bytes().get(1).copied()),
            instead,
            line: if instead {
                line_of(&text[token.start..token.end], &text[start..end])
            } else {
                line_to_type(nodes, source, index, token.start..end)
            },
        })
    };
    let tokens = nodes.tokens.iter().enumerate();
    tokens.filter_map(behind).collect()
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
