//! How a command is written that the user is advised to type.

use std::path::Path;

use codeaf_skills::text::visible;

use crate::render::Console;

/// Returns the command line that says `words` about this place, such as
/// `codeaf-skills -C DIR on pdf --project`.
pub(super) fn command(words: &str, console: &Console) -> String {
    format!("{} {words}", console.places.program())
}

/// Returns the words of a command about one skill; a name that begins with a
/// hyphen stands behind `--`.
pub(super) fn about(verb: &str, name: &str, flag: &str) -> String {
    let name = quoted(name);
    match (name.trim_start_matches('\'').starts_with('-'), flag) {
        (true, "") => format!("{verb} -- {name}"),
        (true, flag) => format!("{verb} {flag} -- {name}"),
        (false, "") => format!("{verb} {name}"),
        (false, flag) => format!("{verb} {name} {flag}"),
    }
}

/// Quotes a name for a shell where it needs that. What acts on a terminal or
/// hides is written out, as every command understands it: `'p\u{200b}df'`.
pub(super) fn quoted(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:~@%+=,".contains(c);
    let shown = visible(name);
    if !shown.is_empty() && shown.chars().all(is_plain) {
        shown.into_owned()
    } else {
        format!("'{}'", shown.replace('\'', "'\\''"))
    }
}

/// Quotes a word that any program may have to read: what hides is written as its
/// bytes, which a shell puts back in any locale.
pub(crate) fn quoted_exactly(word: &str) -> String {
    if visible(word) == word {
        return quoted(word);
    }
    let written = |byte: u8| match byte {
        b'\'' | b'\\' => format!("\\{}", char::from(byte)),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    };
    let written: Vec<String> = word.bytes().map(written).collect();
    format!("$'{}'", written.concat())
}

/// Returns a path for a shell command, which is typed in the real working
/// folder, whatever `-C` says.
pub(super) fn quoted_path(path: &Path, console: &Console) -> String {
    let short = console.places.seen_from_shell(path);
    let short = short.to_string_lossy();
    match short.strip_prefix("~/") {
        // A quoted tilde is no home.
        Some(rest) => format!("~/{}", quoted_exactly(rest)),
        None => quoted_exactly(&short),
    }
}
