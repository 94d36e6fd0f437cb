//! Cleaning a text that arrives in pieces.

use super::clean;

/// Bytes of a line after which the cleaner no longer looks back: more than a
/// line of prose has, and little to clean again with each piece.
const SEGMENT: usize = 1_024;

/// Cleans a text piece by piece, as [`clean`] does the whole: nothing that acts
/// on a terminal comes out, wherever the pieces part it.
///
/// A line with an escape sequence in it is held back to its end, for where the
/// sequence ends is not known before.
///
/// # Examples
///
/// ```
/// use codeaf_skills::text::Cleaner;
///
/// let mut cleaner = Cleaner::new();
/// let pieces = ["Red: \u{1b}", "[31mred", "\u{1b}[0m.\nNext"].map(|piece| cleaner.push(piece));
/// assert_eq!(pieces, ["Red: ", "", "red.\nNext"]);
/// assert_eq!(cleaner.finish(), "");
/// ```
#[derive(Debug, Default)]
pub struct Cleaner {
    /// What came since the last line end, or the last place to part a long line.
    raw: String,
    /// Bytes of the cleaned form of it that were given.
    given: usize,
}

impl Cleaner {
    /// Makes a cleaner at the start of a text.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next piece, and returns what can be shown now.
    pub fn push(&mut self, piece: &str) -> String {
        let mut shown = String::new();
        for part in piece.split_inclusive('\n') {
            self.raw.push_str(part);
            if part.ends_with('\n') {
                shown.push_str(&self.finish());
            } else {
                shown.push_str(&self.begun());
            }
        }
        shown
    }

    /// Returns what was held back, at the end of the text.
    pub fn finish(&mut self) -> String {
        let cleaned = clean(&self.raw);
        let rest = cleaned.get(self.given..).unwrap_or_default().to_owned();
        self.raw.clear();
        self.given = 0;
        rest
    }

    /// Returns what can be shown of a line that goes on.
    fn begun(&mut self) -> String {
        let is_escape = |c| matches!(c, '\u{1b}' | '\u{9b}');
        let is_held = self.raw.contains(is_escape);
        let is_long = self.raw.len() > SEGMENT;
        let ends_plainly = self
            .raw
            .ends_with(|c: char| c.is_ascii_graphic() || c == ' ');
        if is_long && (is_held || ends_plainly) {
            return self.finish();
        }
        let end = self.raw.find(is_escape).unwrap_or(self.raw.len());
        // What the last characters are may depend on those that follow.
        let settled = settled(&self.raw[..end]);
        let cleaned = clean(&self.raw[..settled]);
        let fresh = cleaned.get(self.given..).unwrap_or_default().to_owned();
        self.given = self.given.max(cleaned.len());
        fresh
    }
}

/// Returns how much of `text` is cleaned the same whatever follows: up to its
/// last plain character.
fn settled(text: &str) -> usize {
    const LOOK_BACK: usize = 16;
    if text.ends_with(|c: char| c.is_alphanumeric() || c.is_ascii_graphic() || c == ' ') {
        return text.len();
    }
    let plain = text
        .char_indices()
        .rev()
        .take(LOOK_BACK)
        .find(|(_, c)| c.is_ascii_alphanumeric() || *c == ' ');
    plain.map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::super::hidden_characters;
    use super::*;
    use proptest::prelude::*;

    fn streamed(text: &str, cuts: &[usize]) -> String {
        let mut cleaner = Cleaner::new();
        let mut shown = String::new();
        let mut rest = text;
        for cut in cuts {
            let at = rest
                .char_indices()
                .nth(*cut)
                .map_or(rest.len(), |(at, _)| at);
            let (piece, tail) = rest.split_at(at);
            shown.push_str(&cleaner.push(piece));
            rest = tail;
        }
        shown.push_str(&cleaner.push(rest));
        shown + &cleaner.finish()
    }

    #[test]
    fn plain_text_comes_as_it_arrives() {
        let mut cleaner = Cleaner::new();

        assert_eq!(cleaner.push("Hel"), "Hel");
        assert_eq!(cleaner.push("lo wor"), "lo wor");
        assert_eq!(cleaner.push("ld.\nNext"), "ld.\nNext");
        assert_eq!(cleaner.finish(), "");
    }

    #[test]
    fn what_is_drawn_as_one_is_not_lost_between_pieces() {
        for text in [
            "a \u{1f468}\u{200d}\u{1f469} b",
            "\u{2764}\u{fe0f}!",
            "x\r\ny",
            "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} z",
        ] {
            let ones = vec![1; text.chars().count()];
            assert_eq!(streamed(text, &ones), clean(text), "{text:?}");
        }
    }

    #[test]
    fn a_long_line_is_not_cleaned_again_and_again() {
        let mut cleaner = Cleaner::new();
        let mut shown = 0;

        for _ in 0..100_000 {
            shown += cleaner.push("word ").len();
            assert!(cleaner.raw.len() <= SEGMENT + 5);
        }

        assert_eq!(shown, 500_000);
    }

    proptest! {
        #[test]
        fn nothing_that_acts_comes_out_however_it_is_parted(
            text in "[a \u{1b}\u{9b}\\[\\]0;m\u{7}\n\u{202e}\u{200d}\u{1f468}\u{fe0f}é]{0,40}",
            cuts in prop::collection::vec(0_usize..6, 0..12),
        ) {
            let shown = streamed(&text, &cuts);
            prop_assert!(hidden_characters(&shown).is_empty(), "{:?}", shown);
        }

        #[test]
        fn without_sequences_the_pieces_give_the_whole(
            text in "[ab \n\u{202e}\u{200d}\u{1f468}\u{fe0f}é\u{7}]{0,40}",
            cuts in prop::collection::vec(0_usize..6, 0..12),
        ) {
            prop_assert_eq!(streamed(&text, &cuts), clean(&text));
        }
    }
}
