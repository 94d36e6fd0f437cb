//! JSON as it leaves the program: exact data in bytes that do no harm.

use std::io;
use std::path::Path;

use serde::{Serialize, Serializer};

use super::{hidden_characters, path_text};

/// Writes `value` as JSON on one line, without a line feed at the end.
///
/// Every character that acts on a terminal or hides is an escape, so that the
/// data stays exact and the bytes harmless.
///
/// # Errors
///
/// Those of the writer, and of a value that is no JSON.
pub fn write_json(writer: impl io::Write, value: &impl Serialize) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(writer, Visible);
    value.serialize(&mut serializer).map_err(io::Error::from)
}

/// The compact form of JSON without anything that acts or hides.
struct Visible;

impl serde_json::ser::Formatter for Visible {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if is_printable(fragment.as_bytes()) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut written = 0;
        for (at, hidden) in hidden_characters(fragment) {
            writer.write_all(&fragment.as_bytes()[written..at])?;
            for unit in hidden.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            written = at + hidden.len_utf8();
        }
        writer.write_all(&fragment.as_bytes()[written..])
    }
}

/// Whether a text is printable ASCII. A listing asks this of each of its keys
/// and values, most of them short, so eight bytes are looked at in one step.
fn is_printable(text: &[u8]) -> bool {
    const BLANKS: u64 = u64::from_ne_bytes([b' '; 8]);
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH_BITS: u64 = u64::from_ne_bytes([0x80; 8]);
    let (words, rest) = text.as_chunks::<8>();
    let acts = words.iter().fold(0, |found, word| {
        let word = u64::from_ne_bytes(*word);
        // The high bit of a byte tells that it was one above `~`, or, as no
        // byte borrows from a smaller neighbour unless that acts, below a blank.
        found | word | word.wrapping_add(ONES) | word.wrapping_sub(BLANKS)
    });
    acts & HIGH_BITS == 0 && rest.iter().all(|b| (b' '..=b'~').contains(b))
}

/// Writes a path into JSON; bytes that are not UTF-8 become U+FFFD.
///
/// # Errors
///
/// Those of the serializer.
pub fn serialize_path<P: AsRef<Path>, S: Serializer>(
    path: P,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path_text(path.as_ref()))
}

/// Serialises a path that may be none as text, or as null.
///
/// # Errors
///
/// Those of the serialiser.
pub fn serialize_some_path<P: AsRef<Path>, S: Serializer>(
    path: &Option<P>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match path {
        Some(path) => serialize_path(path, serializer),
        None => serializer.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_step_of_eight_bytes_finds_what_single_ones_find(
            mut text in proptest::collection::vec(b' '..=b'~', 0..20),
            other in any::<u8>(),
            at in any::<proptest::sample::Index>(),
        ) {
            prop_assert!(is_printable(&text));
            if !text.is_empty() {
                let at = at.index(text.len());
                text[at] = other;
                prop_assert_eq!(is_printable(&text), (b' '..=b'~').contains(&other));
            }
        }
    }
}
