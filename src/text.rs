//! The one cleaner of text, and how sizes and paths are written.
//!
//! Whatever a skill, a scope file or a folder says passes through here before
//! it reaches a terminal, a prompt or XML. This file does not know where the
//! text goes.

mod characters;
mod json;
mod stream;
mod tags;

use std::borrow::Cow;
use std::io;
use std::path::Path;

use unicode_normalization::UnicodeNormalization;

pub use characters::is_hidden;
use characters::{flag_sequence, is_of_writing, joins};
pub use json::{serialize_path, serialize_some_path, write_json};
pub use stream::Cleaner;
pub use tags::{SkillTag, skill_tags};

/// Returns `text` without anything that acts on a terminal or hides from a
/// reader: control characters, escape sequences, bidi controls, tag characters
/// and other invisible characters.
///
/// Line feeds and tabs stay; a CR before a line feed goes. An escape sequence
/// goes as a whole, up to its final byte. Joiners and variation selectors stay
/// where they form an emoji or join letters of a script that needs them.
#[must_use]
pub fn clean(text: &str) -> Cow<'_, str> {
    if is_plain(text) || !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    // First, so that nothing is joined to a character that goes with one.
    let chars = without_escapes(text);
    let mut cleaned = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        if let Some(end) = flag_sequence(&chars, at) {
            cleaned.extend(&chars[at..end]);
            at = end;
            continue;
        }
        if !is_hidden(chars[at]) || joins(&chars, at) {
            cleaned.push(chars[at]);
        }
        at += 1;
    }
    Cow::Owned(cleaned)
}

/// Returns the characters of `text` without its escape sequences.
fn without_escapes(text: &str) -> Vec<char> {
    let chars: Vec<char> = text.chars().collect();
    if !chars.iter().any(|c| matches!(c, '\u{1b}' | '\u{9b}')) {
        return chars;
    }
    let mut kept = Vec::with_capacity(chars.len());
    let (mut at, mut unended) = (0, 0);
    while at < chars.len() {
        if matches!(chars[at], '\u{1b}' | '\u{9b}') {
            at = after_escape(&chars, at, &mut unended);
        } else {
            kept.push(chars[at]);
            at += 1;
        }
    }
    kept
}

/// Returns `text` on one line: cleaned, each run of white space one blank, none
/// at the ends.
#[must_use]
pub fn one_line(text: &str) -> Cow<'_, str> {
    if is_tidy(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    let cleaned = clean(text);
    let mut line = String::with_capacity(cleaned.len());
    for word in cleaned.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    Cow::Owned(line)
}

/// Returns `text` with each character that acts or hides, line ends included,
/// written out as `\u{…}`.
///
/// For names and paths, which are not only read but given back: other than
/// cleaning, this keeps different names different. (A name cannot hold a
/// backslash of its own.) [`unescaped`] is the way back.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    let hidden = hidden_characters(text);
    let acts = |at: usize, c: char| {
        c.is_control() || hidden.binary_search_by_key(&at, |&(at, _)| at).is_ok()
    };
    if !text.char_indices().any(|(at, c)| acts(at, c)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for (at, c) in text.char_indices() {
        if acts(at, c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    // A joiner that did its work beside one of them does none any more.
    Cow::Owned(visible(&shown).into_owned())
}

/// Returns the text whose hidden characters [`visible`] wrote out; `None` if
/// nothing in `text` is written out.
#[must_use]
pub fn unescaped(text: &str) -> Option<String> {
    let mut parts = text.split("\\u{");
    let mut plain = parts.next()?.to_owned();
    let mut is_other = false;
    for part in parts {
        let character = part.split_once('}').and_then(|(digits, rest)| {
            let code = u32::from_str_radix(digits, 16).ok()?;
            Some((char::from_u32(code)?, rest))
        });
        let (character, rest) = character?;
        plain.push(character);
        plain.push_str(rest);
        is_other = true;
    }
    is_other.then_some(plain)
}

/// Whether a text is printable ASCII with single blanks between its words: what
/// most one-line texts are.
fn is_tidy(text: &[u8]) -> bool {
    let mut was_blank = true;
    for &b in text {
        let is_blank = b == b' ';
        if !(b' '..=b'~').contains(&b) || is_blank && was_blank {
            return false;
        }
        was_blank = is_blank;
    }
    !was_blank || text.is_empty()
}

/// Returns the invisible or acting characters in `text` that [`clean`] takes
/// out, each with its byte offset.
#[must_use]
pub fn hidden_characters(text: &str) -> Vec<(usize, char)> {
    hidden_in(text, |_, _| false)
}

/// Returns those of [`hidden_characters`] that ordinary writing does not explain.
///
/// [`clean`] takes out soft hyphens between letters, marks of direction beside
/// letters that are written from right to left, and joiners of Hebrew points;
/// people who wrote them hid nothing.
///
/// # Examples
///
/// ```
/// use codeaf_skills::text::{hidden_characters, suspect_characters};
///
/// let german = "Donau\u{ad}dampf\u{ad}schiff";
/// assert_eq!(hidden_characters(german).len(), 2);
/// assert_eq!(suspect_characters(german), []);
/// assert_eq!(suspect_characters("a \u{ad}b"), [(2, '\u{ad}')]);
/// ```
#[must_use]
pub fn suspect_characters(text: &str) -> Vec<(usize, char)> {
    hidden_in(text, is_of_writing)
}

fn hidden_in(text: &str, is_fine: impl Fn(&[char], usize) -> bool) -> Vec<(usize, char)> {
    if is_plain(text) || !text.chars().any(|c| is_hidden(c) && c != '\r') {
        return Vec::new();
    }
    let offsets: Vec<(usize, char)> = text.char_indices().collect();
    let chars: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if let Some(end) = flag_sequence(&chars, at) {
            at = end;
            continue;
        }
        let is_told = is_hidden(chars[at]) && chars[at] != '\r';
        if is_told && !joins(&chars, at) && !is_fine(&chars, at) {
            found.push(offsets[at]);
        }
        at += 1;
    }
    found
}

/// Returns a Markdown text without HTML comments: each from `<!--` to the first
/// `-->` behind it, in one pass that knows no Markdown (coder's rule).
///
/// # Examples
///
/// ```
/// use codeaf_skills::text::without_comments;
///
/// assert_eq!(&*without_comments(b"a <!-- hidden --> b"), b"a  b");
/// assert_eq!(&*without_comments(b"a <!-- open"), b"a <!-- open");
/// ```
#[must_use]
pub fn without_comments(text: &[u8]) -> Cow<'_, [u8]> {
    const OPEN: &[u8] = b"<!--";
    const CLOSE: &[u8] = b"-->";
    let find = |text: &[u8], part: &[u8]| text.windows(part.len()).position(|w| w == part);
    let mut kept = Vec::new();
    let mut rest = text;
    while let Some(open) = find(rest, OPEN) {
        let Some(close) = find(&rest[open + OPEN.len()..], CLOSE) else {
            break;
        };
        kept.extend_from_slice(&rest[..open]);
        rest = &rest[open + OPEN.len() + close + CLOSE.len()..];
    }
    if rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    kept.extend_from_slice(rest);
    Cow::Owned(kept)
}

/// Returns `text` for the inside of an XML element or a double-quoted
/// attribute: cleaned, the five special characters escaped.
#[must_use]
pub fn escape_xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in clean(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            // Not legal in XML 1.0, even escaped.
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Returns `bytes` as people read sizes: `980 B`, `3.1 KB`, `1.4 MB`.
///
/// 1 KB is 1,024 bytes; one decimal, halves up; `1024.0 KB` is never written.
#[must_use]
pub fn size(bytes: u64) -> String {
    const KB: u64 = 1_024;
    const MB: u64 = KB * KB;
    let tenths = |unit: u64| (u128::from(bytes) * 10 + u128::from(unit) / 2) / u128::from(unit);
    if bytes < KB {
        format!("{bytes} B")
    } else if bytes < MB && tenths(KB) < 10_240 {
        let tenths = tenths(KB);
        format!("{}.{} KB", tenths / 10, tenths % 10)
    } else {
        let tenths = tenths(MB);
        format!("{}.{} MB", tenths / 10, tenths % 10)
    }
}

/// Returns `text` in Unicode normalisation form C, the form in which names are
/// compared.
#[must_use]
pub fn nfc(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || unicode_normalization::is_nfc(text) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfc().collect())
    }
}

/// Returns `count` and the noun, in the plural unless it is one.
#[must_use]
pub fn counted(count: usize, noun: &str) -> String {
    match (count, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        _ => format!("{count} {noun}s"),
    }
}

/// Returns the system's words for an error, in lower case and without its
/// number.
#[must_use]
pub fn system_words(error: &io::Error) -> String {
    let text = error.to_string();
    let words = text.split(" (os error").next().unwrap_or(&text);
    let mut letters = words.chars();
    let first = letters.next().into_iter().flat_map(char::to_lowercase);
    first.chain(letters).collect()
}

/// Returns a path as text; bytes that are not UTF-8 become U+FFFD.
#[must_use]
pub fn path_text(path: &Path) -> Cow<'_, str> {
    // Testing first is several times faster than the lossy way alone.
    path.to_str()
        .map_or_else(|| path.to_string_lossy(), Cow::Borrowed)
}

/// Returns a path on one line, with nothing hidden: as it stands in a prompt.
#[must_use]
pub fn visible_path(path: &Path) -> String {
    visible(&path_text(path)).into_owned()
}

/// Whether `text` is printable ASCII, line feeds and tabs: what nearly all texts
/// are, and a fraction of the work to find out.
fn is_plain(text: &str) -> bool {
    // Without a way out, so that the compiler can test many bytes in one step.
    let acts = |b: u8| (b < b' ' && b != b'\n' && b != b'\t') || b > b'~';
    !text.bytes().fold(false, |found, b| found | acts(b))
}

/// Returns where the escape sequence that begins at `at` ends.
///
/// Sequences end as ECMA-48 says: CSI at a final byte, the string sequences
/// (OSC, DCS, APC, PM, SOS) at BEL or ST, others after one character. One that
/// never ends takes only its introducer, so that no text is lost with it.
///
/// `unended` is up to where no end of a string sequence was found before: a
/// text full of introducers is not searched again for each of them.
fn after_escape(chars: &[char], at: usize, unended: &mut usize) -> usize {
    let (kind, body) = match (chars[at], chars.get(at + 1)) {
        ('\u{9b}', _) => ('[', at + 1),
        (_, Some(&kind)) => (kind, at + 2),
        (_, None) => return at + 1,
    };
    match kind {
        '[' => {
            let parameters = chars[body..]
                .iter()
                .take_while(|c| matches!(c, '\u{20}'..='\u{3f}'))
                .count();
            match chars.get(body + parameters) {
                Some('\u{40}'..='\u{7e}') => body + parameters + 1,
                _ => body,
            }
        }
        ']' | 'P' | '_' | '^' | 'X' if body < *unended => body,
        ']' | 'P' | '_' | '^' | 'X' => {
            let line = chars[body..].iter().take_while(|&&c| c != '\n').count();
            let string = &chars[body..body + line];
            let end = string.iter().enumerate().find_map(|(i, &c)| match c {
                '\u{7}' | '\u{9c}' => Some(i + 1),
                '\u{1b}' if string.get(i + 1) == Some(&'\\') => Some(i + 2),
                _ => None,
            });
            if end.is_none() {
                *unended = body + line;
            }
            end.map_or(body, |length| body + length)
        }
        '\u{20}'..='\u{2f}' => body + usize::from(body < chars.len()),
        '\u{30}'..='\u{7e}' => body,
        _ => at + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn acting_and_hidden_characters_go() {
        for (raw, cleaned) in [
            ("plain", "plain"),
            ("a\u{1b}[31mred\u{1b}[0m b", "ared b"),
            ("t\u{1b}]0;title\u{7}x", "tx"),
            ("t\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "tlink"),
            ("\u{9b}2Jx", "x"),
            ("open \u{1b}]0;never ends", "open 0;never ends"),
            ("open \u{1b}[", "open "),
            ("a\u{202e}b\u{2066}c\u{200b}d\u{feff}e", "abcde"),
            ("a\0b\u{7}c\u{7f}d\u{85}e\u{2028}f", "abcdef"),
            ("line\r\nnext\ttab", "line\nnext\ttab"),
            ("x\u{e0072}\u{e006d}y", "xy"),
            ("soft\u{ad}hyphen", "softhyphen"),
        ] {
            assert_eq!(clean(raw), cleaned, "{raw:?}");
        }
    }

    #[test]
    fn a_text_full_of_introducers_costs_no_more_than_its_length() {
        let began = std::time::Instant::now();
        for part in [
            "\u{1b}]",
            "\u{1b}P",
            "\u{9b}",
            "\u{1f3f4}\u{e0067}",
            "\u{e0067}",
            "\u{200d}",
        ] {
            let text = part.repeat(300_000);
            assert!(clean(&text).len() <= text.len());
            let _ = hidden_characters(&text);
            let _ = one_line(&text);
        }
        assert!(began.elapsed() < std::time::Duration::from_secs(20));
    }

    #[test]
    fn what_is_written_out_comes_back() {
        for text in [
            "p\u{200b}df",
            "a\nb",
            "\u{1b}[31m",
            "caf\u{e9}",
            "\u{2764}\u{fe0f}",
        ] {
            let shown = visible(text);
            assert_eq!(unescaped(&shown).unwrap_or_else(|| shown.to_string()), text);
        }
        assert_eq!(unescaped("plain"), None);
        assert_eq!(unescaped("\\u{zz}"), None);
    }

    #[test]
    fn joiners_that_spell_or_draw_stay() {
        for text in [
            "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}",
            "\u{2764}\u{fe0f}",
            "\u{2764}\u{fe0f}\u{200d}\u{1f525}",
            "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "\u{1f44d}\u{1f3fd}\u{200d}\u{2640}\u{fe0f}",
            "1\u{fe0f}\u{20e3}",
            "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}",
            "\u{915}\u{94d}\u{200d}\u{937}",
            "\u{64a}\u{643}\u{62a}\u{628}",
        ] {
            assert_eq!(clean(text), text, "{text:?}");
            assert!(hidden_characters(text).is_empty(), "{text:?}");
        }
    }

    #[test]
    fn joiners_without_work_go() {
        for (raw, cleaned) in [
            ("a\u{200d}b", "ab"),
            ("a\u{200c}b", "ab"),
            ("a\u{fe0f}b", "ab"),
            ("a\u{fe0f}\u{200d}\u{1f525}", "a\u{1f525}"),
            ("\u{1f3f4}\u{e0067}\u{e0062}x", "\u{1f3f4}x"),
        ] {
            assert_eq!(clean(raw), cleaned, "{raw:?}");
        }
    }

    #[test]
    fn what_spelling_needs_passes_and_what_smuggles_does_not() {
        for (raw, cleaned) in [
            // Thai and Khmer words end where nobody sees it.
            ("\u{e01}\u{200b}\u{e02}", "\u{e01}\u{200b}\u{e02}"),
            ("\u{1780}\u{200b}\u{1781}", "\u{1780}\u{200b}\u{1781}"),
            ("\u{e01}\u{200b}\u{200b}\u{e02}", "\u{e01}\u{e02}"),
            ("\u{e01}\u{200b} a", "\u{e01} a"),
            ("a\u{200b}b", "ab"),
            // A form of an ideograph, not two, and none of a letter.
            ("\u{845b}\u{e0100}\u{98fe}", "\u{845b}\u{e0100}\u{98fe}"),
            ("\u{845b}\u{e0100}\u{e0101}", "\u{845b}\u{e0100}"),
            ("\u{845b}\u{e01ef}", "\u{845b}"),
            ("a\u{e0100}", "a"),
            ("\u{1f600}\u{e0148}\u{e0149}", "\u{1f600}"),
            // Mongolian forms and its vowel separator.
            ("\u{182d}\u{180b}\u{1820}", "\u{182d}\u{180b}\u{1820}"),
            ("\u{182d}\u{180e}\u{1820}", "\u{182d}\u{180e}\u{1820}"),
            ("a\u{180b}\u{180e}", "a"),
            // Persian and Devanagari joiners.
            (
                "\u{645}\u{6cc}\u{200c}\u{62e}",
                "\u{645}\u{6cc}\u{200c}\u{62e}",
            ),
            (
                "\u{915}\u{94d}\u{200d}\u{937}",
                "\u{915}\u{94d}\u{200d}\u{937}",
            ),
            // Hebrew points show.
            (
                "\u{5e9}\u{5c1}\u{5b8}\u{5dc}",
                "\u{5e9}\u{5c1}\u{5b8}\u{5dc}",
            ),
            // Direction and hyphenation are left to who shows the text.
            ("\u{5d0}.\u{200f} a\u{ad}b", "\u{5d0}. ab"),
        ] {
            assert_eq!(clean(raw), cleaned, "{raw:?}");
        }
    }

    #[test]
    fn what_writing_explains_is_not_suspect() {
        for text in [
            "Donau\u{ad}dampf\u{ad}schiff",
            "\u{5e9}\u{5dc}\u{5d5}\u{5dd}!\u{200f} (C++\u{200e})",
            "\u{5b8}\u{34f}\u{5b4}",
            "\u{645}\u{6cc}\u{200c}\u{62e}",
            "\u{e01}\u{200b}\u{e02}",
        ] {
            assert_eq!(suspect_characters(text), [], "{text:?}");
        }
        for (text, count) in [
            ("a\u{202e}b", 1),
            ("\u{5d0}\u{202e}\u{5d1}\u{202c}", 2),
            ("\u{5d0}\u{200f}\u{200e}\u{200f}\u{5d1}", 3),
            ("a\u{200f}b", 1),
            ("a \u{ad}b", 1),
            ("a\u{ad}\u{ad}b", 2),
            ("a\u{34f}b", 1),
            ("x\u{e0041}\u{e0042}", 2),
            ("\u{fe01}\u{fe02}\u{fe03}", 3),
        ] {
            assert_eq!(suspect_characters(text).len(), count, "{text:?}");
        }
    }

    #[test]
    fn hidden_characters_are_named_with_their_offset() {
        let found = hidden_characters("a\u{202e}b\u{e0041}");

        assert_eq!(found, [(1, '\u{202e}'), (5, '\u{e0041}')]);
    }

    #[test]
    fn one_line_folds_white_space() {
        assert_eq!(one_line("  two\r\n\r\n lines \t here "), "two lines here");
        assert_eq!(one_line("as it is"), "as it is");
        assert_eq!(one_line("no\u{a0}break"), "no break");
    }

    #[test]
    fn sizes_round_half_up_and_never_say_1024() {
        for (bytes, text) in [
            (0, "0 B"),
            (1_023, "1023 B"),
            (1_024, "1.0 KB"),
            (1_075, "1.0 KB"),
            (1_076, "1.1 KB"),
            (3_174, "3.1 KB"),
            (1_048_524, "1023.9 KB"),
            (1_048_525, "1.0 MB"),
            (1_048_576, "1.0 MB"),
            (1_468_006, "1.4 MB"),
        ] {
            assert_eq!(size(bytes), text, "{bytes}");
        }
    }

    #[test]
    fn counts_agree_with_their_noun() {
        assert_eq!(counted(1, "skill"), "1 skill");
        assert_eq!(counted(0, "skill"), "0 skills");
        assert_eq!(counted(2, "entry"), "2 entries");
    }

    #[test]
    fn nothing_is_joined_to_what_goes_with_an_escape() {
        assert_eq!(clean("\u{1b}0\u{fe0f}"), "");
        assert_eq!(clean("\u{1b}[0m#\u{fe0f}x"), "#\u{fe0f}x");
    }

    #[test]
    fn json_shows_what_hides_as_an_escape() {
        let mut bytes = Vec::new();

        write_json(&mut bytes, &"a\u{202e}b\u{7f}\u{e0041}\u{2764}\u{fe0f}\n").unwrap();

        let line = String::from_utf8(bytes).unwrap();
        assert_eq!(
            line,
            "\"a\\u202eb\\u007f\\udb40\\udc41\u{2764}\u{fe0f}\\n\""
        );
    }

    #[test]
    fn xml_specials_are_escaped() {
        assert_eq!(
            escape_xml("<a b=\"c\">'&'\u{1b}[1m\u{ffff}"),
            "&lt;a b=&quot;c&quot;&gt;&apos;&amp;&apos;\u{fffd}"
        );
    }

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
            let found = without_comments(body.as_bytes());
            assert_eq!(found, kept.as_bytes(), "{body:?}");
        }
    }

    proptest! {
        #[test]
        fn cleaning_twice_equals_once(text in "(\\PC|[\u{200b}\u{200c}\u{200d}\u{e01}\u{845b}\u{e0100}\u{182d}\u{180b}\u{180e}\u{5d0}\u{ad}\u{fe0f}\u{1f468}\u{1f3fd}\u{1f3f4}\u{e0067}\u{e007f}\u{645}\u{1b}\\[a;m]){0,24}") {
            let once = clean(&text).into_owned();
            prop_assert_eq!(clean(&once).into_owned(), once);
        }

        #[test]
        fn nothing_that_acts_on_a_terminal_survives(text in "[\\x00-\\x7f\u{80}-\u{a0}\u{200b}-\u{202e}]{0,40}") {
            let cleaned = clean(&text).into_owned();
            let acts = |c: char| (c.is_control() && c != '\n' && c != '\t')
                || matches!(c, '\u{202a}'..='\u{202e}');
            prop_assert!(!cleaned.chars().any(acts));
        }
    }
}
