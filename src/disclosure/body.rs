//! A skill's body, made fit for the model.
//!
//! Pure: text in, text out. It does not know where the body comes from.

use std::borrow::Cow;

use crate::name::Source;
use crate::text::clean;

/// What closes the wrapper, and so may not stand in what is wrapped.
const CLOSING_TAG: &str = "</skill";

/// Returns the instructions in `body`, and how many closing skill tags were
/// escaped in them.
///
/// Invalid UTF-8 is replaced; comments go for a personal skill; what hides goes;
/// `{baseDir}` becomes `dir` where there is one. Closing tags come last: each
/// step before can bring one about.
pub(super) fn instructions(body: &[u8], source: Source, dir: Option<&str>) -> (String, usize) {
    let text = String::from_utf8_lossy(body);
    let text = match source {
        Source::Personal => Cow::Owned(without_comments(&text)),
        Source::Workspace => text,
    };
    let cleaned = clean(&text);
    let text = with_base_dir(cleaned.trim(), dir);
    escape_closing_tags(&text)
}

/// Returns `text` without HTML comments: each from `<!--` to the next `-->`, in
/// one pass that knows no Markdown (coder's rule).
pub(super) fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("<!--") {
        let Some(length) = rest[start + 4..].find("-->") else {
            break;
        };
        kept.push_str(&rest[..start]);
        rest = &rest[start + 4 + length + 3..];
    }
    kept + rest
}

/// Returns `text` with `{baseDir}` replaced by `dir`, if there is one.
pub(super) fn with_base_dir<'a>(text: &'a str, dir: Option<&str>) -> Cow<'a, str> {
    const BASE_DIR: &str = "{baseDir}";
    match dir {
        Some(dir) if text.contains(BASE_DIR) => Cow::Owned(text.replace(BASE_DIR, dir)),
        _ => Cow::Borrowed(text),
    }
}

/// Escapes each closing skill tag in `text`, in any case, and counts them.
pub(super) fn escape_closing_tags(text: &str) -> (String, usize) {
    let mut escaped = String::with_capacity(text.len());
    let mut count = 0;
    let mut rest = text;
    while let Some(at) = closing_tag(rest.as_bytes()) {
        escaped.push_str(&rest[..at]);
        escaped.push_str("&lt;");
        rest = &rest[at + 1..];
        count += 1;
    }
    (escaped + rest, count)
}

/// Returns where the first closing skill tag begins, in any case.
pub(super) fn closing_tag(text: &[u8]) -> Option<usize> {
    text.windows(CLOSING_TAG.len())
        .position(|window| window.eq_ignore_ascii_case(CLOSING_TAG.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Coder's table CC; the last two of it are about frontmatter and an empty
    /// body, which are judged elsewhere.
    #[test]
    fn comments_go_as_in_coder() {
        for (body, kept) in [
            ("Before <!-- hidden --> after.", "Before  after."),
            ("One.\n\n<!-- a\nb -->\n\nTwo.", "One.\n\n\n\nTwo."),
            ("```\n<!-- code -->x\n```", "```\nx\n```"),
            ("x <!-- a <!-- b --> c --> y", "x  c --> y"),
            ("x <!-- unterminated\nmore", "x <!-- unterminated\nmore"),
            ("x<!-->y-->z", "xz"),
            ("x<!--->y-->z", "xz"),
            ("x<!---->z", "xz"),
            ("<!<!-- x -->-- y -->z", "<!-- y -->z"),
            ("<!-- only -->", ""),
        ] {
            assert_eq!(without_comments(body), kept, "{body:?}");
        }
    }

    #[test]
    fn comments_stay_for_workspace_skills() {
        let body = b" A <!-- note --> b. \n";

        assert_eq!(
            instructions(body, Source::Workspace, None).0,
            "A <!-- note --> b."
        );
        assert_eq!(instructions(body, Source::Personal, None).0, "A  b.");
    }

    #[test]
    fn no_closing_tag_is_left_however_it_came_about() {
        for (body, source, dir, text, count) in [
            (
                "a </skill> b",
                Source::Workspace,
                None,
                "a &lt;/skill> b",
                1,
            ),
            (
                "</SkIlL></skill x",
                Source::Workspace,
                None,
                "&lt;/SkIlL>&lt;/skill x",
                2,
            ),
            ("</skills>", Source::Workspace, None, "&lt;/skills>", 1),
            (
                "</sk\u{200b}ill>",
                Source::Workspace,
                None,
                "&lt;/skill>",
                1,
            ),
            ("</sk<!-- -->ill>", Source::Personal, None, "&lt;/skill>", 1),
            (
                "</{baseDir}>",
                Source::Workspace,
                Some("skill"),
                "&lt;/skill>",
                1,
            ),
            (
                "<skill> </ skill>",
                Source::Workspace,
                None,
                "<skill> </ skill>",
                0,
            ),
        ] {
            let found = instructions(body.as_bytes(), source, dir);
            assert_eq!(found, (text.to_owned(), count), "{body:?}");
        }
    }

    #[test]
    fn bodies_are_trimmed_cleaned_and_rooted() {
        for (body, text) in [
            (
                &b"\n\n Run {baseDir}/a {baseDir}.\r\n\r\n"[..],
                "Run /d/a /d.",
            ),
            (b"a\r\nb", "a\nb"),
            (b"\xff is odd", "\u{fffd} is odd"),
            (b"nul\0in", "nulin"),
            ("\u{e0072}tag\u{202e}".as_bytes(), "tag"),
            (b"  \n", ""),
        ] {
            assert_eq!(instructions(body, Source::Workspace, Some("/d")).0, text);
        }
        assert_eq!(
            instructions(b"{baseDir}", Source::Personal, None).0,
            "{baseDir}"
        );
    }

    proptest! {
        #[test]
        fn no_body_closes_the_wrapper(body in "[</skilSKIL>!-\u{200b}]{0,24}", personal in any::<bool>()) {
            let source = if personal { Source::Personal } else { Source::Workspace };
            let (text, _) = instructions(body.as_bytes(), source, Some("/d"));
            prop_assert_eq!(closing_tag(text.as_bytes()), None);
        }
    }
}
