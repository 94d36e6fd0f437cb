//! Which characters act or hide, and where one of them does the proper work of
//! writing.

/// Returns whether `c` acts on a terminal, turns the direction of text or shows
/// nothing, so that it never passes on its own.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => true,
        '\u{0}'..='\u{ac}' => false,
        _ => is_invisible(c),
    }
}

/// Whether a character beyond Latin-1 shows nothing, or turns the direction of
/// what follows: the format characters (Cf) that are not part of a letter, the
/// default-ignorable fillers, line and paragraph separators.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}'
        | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Whether the joiner, separator or selector at `at` does its proper work between
/// the characters beside it, so that the word would be another without it.
pub(super) fn joins(chars: &[char], at: usize) -> bool {
    let before = at.checked_sub(1).map(|i| chars[i]);
    let after = chars.get(at + 1).copied();
    match chars[at] {
        '\u{200c}' => before.is_some_and(is_joining_letter) && after.is_some_and(is_joining_letter),
        '\u{200d}' => {
            // The selector of a picture may stand between it and the joiner.
            let drawn = match before {
                Some('\u{fe0f}') => at.checked_sub(2).map(|i| chars[i]),
                before => before,
            };
            let emoji = drawn.is_some_and(|c| is_pictograph(c) || is_emoji_modifier(c))
                && after.is_some_and(is_pictograph);
            emoji || before.is_some_and(is_joining_letter)
        }
        // Where words end, in scripts without blanks between them.
        '\u{200b}' => before.is_some_and(is_unspaced) && after.is_some_and(is_unspaced),
        // How a vowel that stands apart is written.
        '\u{180e}' => before.is_some_and(is_mongolian) && after.is_some_and(is_mongolian),
        '\u{180b}'..='\u{180d}' | '\u{180f}' => before.is_some_and(is_mongolian),
        // The form of a character, often in names. The registered ones are few.
        '\u{e0100}'..='\u{e011f}' => before.is_some_and(is_ideograph),
        '\u{fe0e}' | '\u{fe0f}' => before.is_some_and(|c| {
            is_pictograph(c) || matches!(c, '#' | '*' | '0'..='9' | '\u{a9}' | '\u{ae}')
        }),
        _ => false,
    }
}

/// Whether the hidden character at `at` stands where writing or typesetting puts
/// it, though the word is the same without it.
pub(super) fn is_of_writing(chars: &[char], at: usize) -> bool {
    let before = at.checked_sub(1).map(|i| chars[i]);
    let after = chars.get(at + 1).copied();
    match chars[at] {
        // Where a long word may be parted.
        '\u{ad}' => {
            before.is_some_and(char::is_alphabetic) && after.is_some_and(char::is_alphabetic)
        }
        // Keeps points of a letter in their order.
        '\u{34f}' => before.is_some_and(is_hebrew_point) && after.is_some_and(is_hebrew_point),
        // Which side a full stop or a bracket belongs to.
        '\u{200e}' | '\u{200f}' | '\u{61c}' => {
            let around = &chars[at.saturating_sub(DIRECTION_REACH)..];
            let around = around.iter().take(2 * DIRECTION_REACH + 1);
            let is_alone = |c: Option<char>| c.is_none_or(|c| !is_hidden(c));
            around.into_iter().any(|&c| is_right_to_left(c)) && is_alone(before) && is_alone(after)
        }
        _ => false,
    }
}

/// Characters between a mark of direction and the letter that it is there for.
const DIRECTION_REACH: usize = 16;

fn is_hebrew_point(c: char) -> bool {
    matches!(c, '\u{591}'..='\u{5c7}')
}

/// Letters that are written from right to left: Hebrew to Arabic Extended.
fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
        && !is_suspect_mark(c)
}

/// Letters of scripts that put no blanks between words: Thai, Lao, Myanmar,
/// Khmer, Tai Le to Tai Tham, Javanese.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e01}'..='\u{eff}' | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{17b3}' | '\u{17b6}'..='\u{17ff}'
        | '\u{1950}'..='\u{19df}' | '\u{1a20}'..='\u{1aaf}' | '\u{a980}'..='\u{a9df}')
}

fn is_mongolian(c: char) -> bool {
    matches!(c, '\u{1820}'..='\u{18aa}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Letters of scripts that use joiners in ordinary spelling: Arabic to Thaana,
/// the Indic scripts, Mongolian.
fn is_joining_letter(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{17b3}' | '\u{17b6}'..='\u{17ff}' | '\u{1820}'..='\u{18af}'
        | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
        && !is_suspect_mark(c)
}

fn is_suspect_mark(c: char) -> bool {
    c == '\u{61c}'
}

fn is_pictograph(c: char) -> bool {
    matches!(c, '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{2460}'..='\u{24ff}'
        | '\u{25a0}'..='\u{27bf}' | '\u{2900}'..='\u{297f}' | '\u{2b00}'..='\u{2bff}'
        | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
        | '\u{1f000}'..='\u{1faff}')
}

fn is_emoji_modifier(c: char) -> bool {
    matches!(c, '\u{1f3fb}'..='\u{1f3ff}')
}

/// Returns the end of a flag of a region: a black flag, tag letters, the
/// cancel tag (`U+1F3F4 U+E0067 … U+E007F`), at most as long as a real one.
pub(super) fn flag_sequence(chars: &[char], at: usize) -> Option<usize> {
    if chars[at] != '\u{1f3f4}' {
        return None;
    }
    let letters = chars[at + 1..]
        .iter()
        .take(7)
        .take_while(|c| matches!(c, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}'))
        .count();
    let end = at + 1 + letters;
    let closed = chars.get(end) == Some(&'\u{e007f}');
    ((3..=6).contains(&letters) && closed).then_some(end + 1)
}
