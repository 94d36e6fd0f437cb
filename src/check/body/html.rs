//! Links and images that are written in HTML.
//!
//! Knows tags as far as `<a href="…">` and `<img src="…">` need it; what is HTML
//! and what a comment, the reader of Markdown says.

use std::ops::Range;

/// The tags that name files, each with the attribute that does.
const TAGS: [(&str, &str); 2] = [("a", "href"), ("img", "src")];

/// Whether [`targets`] could find something in `text`: a fraction of its work.
pub(super) fn may_have_some(text: &str) -> bool {
    ["<a", "<A", "<img", "<IMG"]
        .iter()
        .any(|tag| text.contains(tag))
}

/// Returns where the tags in `html` name files; nothing where a comment begins.
pub(super) fn targets(html: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = html[at..].find('<').map(|open| at + open) {
        if html[open..].starts_with("<!--") {
            let Some(length) = html[open..].find("-->") else {
                break;
            };
            at = open + length;
            continue;
        }
        at = open + 1;
        let tag = TAGS.iter().find(|(tag, _)| begins_with(&html[at..], tag));
        if let Some((tag, attribute)) = tag {
            let (place, end) = attribute_in(html, at + tag.len(), attribute);
            found.extend(place);
            at = end;
        }
    }
    found
}

fn begins_with(text: &str, tag: &str) -> bool {
    let is_tag = text
        .get(..tag.len())
        .is_some_and(|begins| begins.eq_ignore_ascii_case(tag));
    is_tag && text[tag.len()..].starts_with(|c: char| c.is_ascii_whitespace())
}

/// Looks for the value of an attribute in the tag that goes on at `at`; returns
/// also where the tag ends.
fn attribute_in(html: &str, mut at: usize, wanted: &str) -> (Option<Range<usize>>, usize) {
    let bytes = html.as_bytes();
    let skip = |at: usize, is_passed: fn(u8) -> bool| {
        let passed = bytes[at..].iter().take_while(|&&b| is_passed(b));
        at + passed.count()
    };
    let mut found = None;
    loop {
        at = skip(at, |b| b.is_ascii_whitespace() || b == b'/');
        if matches!(bytes.get(at), None | Some(b'>')) {
            return (found, at);
        }
        let name = at..skip(at, |b| !b.is_ascii_whitespace() && !b"=>/".contains(&b));
        // A sign that begins no name.
        let name = name.start..name.end.max(name.start + 1);
        let sign = skip(name.end, |b| b.is_ascii_whitespace());
        if bytes.get(sign) != Some(&b'=') {
            at = name.end;
            continue;
        }
        let start = skip(sign + 1, |b| b.is_ascii_whitespace());
        let (value, end) = if let Some(&quote @ (b'"' | b'\'')) = bytes.get(start) {
            let length = bytes[start + 1..].iter().position(|&b| b == quote);
            let end = length.map_or(bytes.len(), |length| start + 1 + length);
            (start + 1..end, (end + 1).min(bytes.len()))
        } else {
            let end = skip(start, |b| !b.is_ascii_whitespace() && b != b'>');
            (start..end, end)
        };
        let is_wanted = html
            .get(name)
            .is_some_and(|name| name.eq_ignore_ascii_case(wanted));
        if is_wanted && found.is_none() {
            found = Some(value);
        }
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_images_are_found_in_tags_alone() {
        for (html, expected) in [
            ("<a href=\"x.md\">x</a>", &["x.md"] as &[_]),
            ("<A class=b HREF='x y.md' >x</A>", &["x y.md"]),
            ("<img\n  alt=\"a > b\"\n  src=x.png>", &["x.png"]),
            (
                "<p><a href=a.md>a</a> <img src=b.png/></p>",
                &["a.md", "b.png/"],
            ),
            ("<abbr href=\"x\">", &[]),
            ("<image src=\"x\">", &[]),
            ("<!-- <a href=\"x\"> --><a href=\"y\">", &["y"]),
            ("<a name=\"href=x\">", &[]),
            ("<a href>", &[]),
            ("<a href=\"x", &["x"]),
            ("<a \u{e9}=\"x\" = href=y>", &["y"]),
            ("<a", &[]),
            ("a < b", &[]),
        ] {
            let found: Vec<&str> = targets(html)
                .into_iter()
                .map(|place| &html[place])
                .collect();
            assert_eq!(found, expected, "{html}");
        }
    }
}
