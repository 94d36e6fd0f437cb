//! From offsets in bytes to lines and columns, for many offsets of one file.

use std::ops::Range;

use crate::diagnostic::Span;

/// Where each line of a file begins.
pub(super) struct Lines<'a> {
    bytes: &'a [u8],
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let behind = |(at, &b): (usize, &u8)| (b == b'\n').then_some(at + 1);
        let starts = std::iter::once(0)
            .chain(bytes.iter().enumerate().filter_map(behind))
            .collect();
        Self { bytes, starts }
    }

    /// Returns the bytes of a place.
    pub(super) fn bytes_of(&self, span: Span) -> Range<usize> {
        let number = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
        let start = self.starts.get(number(span.line).saturating_sub(1));
        let start = start.copied().unwrap_or(self.bytes.len());
        let next = self.starts.get(number(span.line)).copied();
        let line = &self.bytes[start..next.unwrap_or(self.bytes.len())];
        let line = String::from_utf8_lossy(line);
        let before = number(span.column).saturating_sub(1);
        let length = |text: &str, characters| -> usize {
            text.chars().take(characters).map(char::len_utf8).sum()
        };
        let begin = length(&line, before);
        let end = begin + length(&line[begin..], number(span.length));
        start + begin..start + end
    }

    /// Returns the place of `range`, as [`Span::at`] counts; what is behind the
    /// end of its first line does not count into the length.
    pub(super) fn span(&self, range: &Range<usize>) -> Span {
        let line = self
            .starts
            .partition_point(|&start| start <= range.start)
            .max(1);
        let start = self.starts[line - 1];
        let end = self
            .starts
            .get(line)
            .map_or(self.bytes.len(), |next| next - 1);
        let characters = |part: &[u8]| String::from_utf8_lossy(part).chars().count();
        let bounded = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let from = range.start.min(end);
        let to = range.end.clamp(from, end);
        Span::new(
            bounded(line),
            bounded(characters(&self.bytes[start..from]) + 1),
        )
        .with_length(characters(&self.bytes[from..to]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn places_are_those_of_span_at(bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'a'), Just(0xc3), Just(0xa9)], 0..40), at in 0_usize..40) {
            let at = at.min(bytes.len());

            let span = Lines::new(&bytes).span(&(at..at));

            prop_assert_eq!(span, Span::at(&bytes, at));
        }
    }

    #[test]
    fn a_length_is_in_characters_and_ends_with_the_line() {
        let lines = Lines::new("ab\n\u{e9}\u{e9}\u{e9}\nc".as_bytes());

        for (range, line, column, length) in [
            (0..1, 1, 1, 1),
            (0..9, 1, 1, 2),
            (5..9, 2, 2, 2),
            (10..11, 3, 1, 1),
            (99..99, 3, 2, 0),
        ] {
            let wanted = Span::new(line, column).with_length(length);
            assert_eq!(lines.span(&range), wanted, "{range:?}");
        }
    }
}
