//! The fields of the specification, and the types of plain scalars: the core
//! schema of YAML 1.2.
//!
//! Where the library turns off from it (it takes `007` for a text), this file is
//! right; a test holds the two equal in everything else.

use super::ScalarKind;

/// The fields of the specification.
pub const FIELDS: [&str; 6] = [
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
];

/// Returns the type that `text` has in YAML without quotes, as in
/// [`read`](super::read).
#[must_use]
pub fn plain_kind(text: &str) -> ScalarKind {
    match text.bytes().next().unwrap_or_default() {
        _ if text.is_empty() => ScalarKind::Null,
        b'~' | b'n' | b'N' if matches!(text, "~" | "null" | "Null" | "NULL") => ScalarKind::Null,
        b't' | b'T' if matches!(text, "true" | "True" | "TRUE") => ScalarKind::Bool,
        b'f' | b'F' if matches!(text, "false" | "False" | "FALSE") => ScalarKind::Bool,
        b'0'..=b'9' | b'+' | b'-' | b'.' => number(text),
        _ => ScalarKind::Text,
    }
}

fn number(text: &str) -> ScalarKind {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let padded = unsigned.len() > 1
        && unsigned.starts_with('0')
        && unsigned.bytes().all(|b| b.is_ascii_digit());
    if padded || is_int(text, unsigned) {
        ScalarKind::Int
    } else if is_float(text, unsigned) {
        ScalarKind::Float
    } else {
        ScalarKind::Text
    }
}

/// Whether `text` is a whole number of up to 128 bits.
fn is_int(text: &str, unsigned: &str) -> bool {
    let (digits, radix) = match unsigned.get(..2) {
        Some("0x") => (&unsigned[2..], 16),
        Some("0o") => (&unsigned[2..], 8),
        Some("0b") => (&unsigned[2..], 2),
        _ => (unsigned, 10),
    };
    if digits.starts_with(['+', '-']) {
        return false;
    }
    if text.starts_with('-') {
        i128::from_str_radix(&format!("-{digits}"), radix).is_ok()
    } else {
        u128::from_str_radix(digits, radix).is_ok()
    }
}

fn is_float(text: &str, unsigned: &str) -> bool {
    match unsigned {
        ".inf" | ".Inf" | ".INF" => true,
        ".nan" | ".NaN" | ".NAN" => unsigned.len() == text.len(),
        _ => !unsigned.starts_with(['+', '-']) && text.parse::<f64>().is_ok_and(f64::is_finite),
    }
}
