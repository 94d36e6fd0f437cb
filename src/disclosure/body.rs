//! A skill's body, made fit for the model.
//!
//! Pure: text in, text out. It does not know where the body comes from.

use std::borrow::Cow;

use crate::text::{SkillTag, clean, skill_tags};

/// Returns the instructions in `body`, and how many closing skill tags were
/// escaped in them.
///
/// Invalid UTF-8 is replaced; what hides goes; `{baseDir}` becomes `dir` where
/// there is one. Closing tags come last: each step before can bring one about.
pub(super) fn instructions(body: &[u8], dir: Option<&str>) -> (String, usize) {
    let text = String::from_utf8_lossy(body);
    let cleaned = clean(&text);
    let text = with_base_dir(cleaned.trim(), dir);
    escape_closing_tags(&text)
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
    let mut copied = 0;
    for at in closing_tags(text.as_bytes()) {
        escaped.push_str(&text[copied..at]);
        escaped.push_str("&lt;");
        copied = at + 1;
        count += 1;
    }
    escaped.push_str(&text[copied..]);
    (escaped, count)
}

/// Returns where the closing skill tags begin.
pub(super) fn closing_tags(text: &[u8]) -> impl Iterator<Item = usize> {
    skill_tags(text).filter_map(|(at, tag)| (tag == SkillTag::Closes).then_some(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn no_closing_tag_is_left_however_it_came_about() {
        for (body, dir, text, count) in [
            ("a </skill> b", None, "a &lt;/skill> b", 1),
            ("</SkIlL></skill x", None, "&lt;/SkIlL>&lt;/skill x", 2),
            ("</skills>", None, "&lt;/skills>", 1),
            ("</sk\u{200b}ill>", None, "&lt;/skill>", 1),
            ("</{baseDir}>", Some("skill"), "&lt;/skill>", 1),
            ("<skill> </ skill>", None, "<skill> </ skill>", 0),
        ] {
            let found = instructions(body.as_bytes(), dir);
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
            assert_eq!(instructions(body, Some("/d")).0, text);
        }
        assert_eq!(instructions(b"{baseDir}", None).0, "{baseDir}");
    }

    proptest! {
        #[test]
        fn no_body_closes_the_wrapper(body in "[</skilSKIL>!-\u{200b}]{0,24}") {
            let (text, _) = instructions(body.as_bytes(), Some("/d"));
            prop_assert_eq!(closing_tags(text.as_bytes()).next(), None);
        }
    }
}
