//! What a text of YAML 1.2 without quotes is to a reader of YAML 1.1, as the
//! common readers have it: `PyYAML`, Psych, js-yaml 3.

use std::ops::RangeInclusive;

use super::{ScalarKind, plain_kind};

/// What YAML 1.1 takes a text for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Yaml11 {
    /// `yes`, `no`, `on`, `off`.
    Truth,
    /// A number with underscores, or one of base 60.
    Number,
    /// A date, also with a time behind it.
    Date,
}

impl Yaml11 {
    /// Returns what it is, with its article: `a date`.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            Self::Truth => "a truth value",
            Self::Number => "a number",
            Self::Date => "a date",
        }
    }
}

/// Returns what YAML 1.1 takes `text` for where YAML 1.2 has a text.
///
/// # Examples
///
/// ```
/// use codeaf_skills::skill::frontmatter::{Yaml11, yaml_1_1};
///
/// assert_eq!(yaml_1_1("Yes"), Some(Yaml11::Truth));
/// assert_eq!(yaml_1_1("12:30:45"), Some(Yaml11::Number));
/// assert_eq!(yaml_1_1("2026-01-02"), Some(Yaml11::Date));
/// assert_eq!(yaml_1_1("v2"), None);
/// ```
#[must_use]
pub fn yaml_1_1(text: &str) -> Option<Yaml11> {
    match text.bytes().next()? {
        b'y' | b'Y' | b'n' | b'N' | b'o' | b'O' => is_truth_word(text).then_some(Yaml11::Truth),
        b'0'..=b'9' | b'+' | b'-' if is_date(text) => Some(Yaml11::Date),
        b'0'..=b'9' | b'+' | b'-' if is_number(text) => Some(Yaml11::Number),
        _ => None,
    }
}

/// Without `y` and `n`, which no common reader takes so.
fn is_truth_word(text: &str) -> bool {
    let words = ["yes", "no", "on", "off"];
    words.iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn is_number(text: &str) -> bool {
    if plain_kind(text) != ScalarKind::Text {
        return false;
    }
    let plain = text.replace('_', "");
    text.contains('_') && plain_kind(&plain) != ScalarKind::Text || is_base_60(&plain)
}

/// `1:30`, `190:20:30.15`; a whole number does not begin with 0.
fn is_base_60(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = match unsigned.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (unsigned, None),
    };
    let is_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let is_sixtieth = |part: &str| part.parse::<u8>().is_ok_and(|n| n < 60) && part.len() <= 2;
    let mut parts = whole.split(':');
    let leads = parts.next().is_some_and(|first| {
        let is_padded = first.starts_with('0') && fraction.is_none();
        !first.is_empty() && is_digits(first) && !is_padded
    });
    let rest: Vec<&str> = parts.collect();
    leads && !rest.is_empty() && rest.into_iter().all(is_sixtieth) && fraction.is_none_or(is_digits)
}

/// `2026-01-02`, also with a time behind it.
fn is_date(text: &str) -> bool {
    let end = text.find(['T', 't', ' ', '\t']).unwrap_or(text.len());
    let (day, time) = text.split_at(end);
    let parts: Vec<&str> = day.split('-').collect();
    let is_number = |part: &str, lengths: RangeInclusive<usize>| {
        lengths.contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit())
    };
    let is_time = |b: u8| b.is_ascii_digit() || b"Tt \t:.+-Zz".contains(&b);
    // A day alone has two digits for each; with a time, one is enough.
    let shortest = if time.is_empty() { 2 } else { 1 };
    matches!(parts[..], [year, month, day]
        if is_number(year, 4..=4)
            && is_number(month, shortest..=2)
            && is_number(day, shortest..=2))
        && time.bytes().all(is_time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_dates_of_yaml_1_1_are_told_apart_from_text() {
        use Yaml11::{Date, Number, Truth};
        for (text, kind) in [
            ("yes", Some(Truth)),
            ("OFF", Some(Truth)),
            ("y", None),
            ("none", None),
            ("1_000", Some(Number)),
            ("12:30:45", Some(Number)),
            ("+1:30.5", Some(Number)),
            ("0:30.5", Some(Number)),
            ("09:30", None),
            ("1:75", None),
            ("10:30 sharp", None),
            ("2026-01-02", Some(Date)),
            ("2026-1-2", None),
            ("2026-1-2T10:00:00Z", Some(Date)),
            ("2026-01-02 10:00", Some(Date)),
            ("2026-01", None),
            ("2026-01-02-draft", None),
            ("12", None),
            ("1.5", None),
            ("v1_0", None),
            ("", None),
        ] {
            assert_eq!(yaml_1_1(text), kind, "{text:?}");
        }
    }
}
