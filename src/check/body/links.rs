//! Whether what a body names is there.

use std::borrow::Cow;
use std::collections::HashMap;

use super::folder::{Folder, Found as At};
use super::mentions::{Kind, Mention, Mentions};
use super::{Found, Words};
use crate::diagnostic::Rule;
use crate::text::one_line;

/// Stands for the skill's folder in a body.
const BASE_DIR: &str = "{baseDir}/";

/// Judges each mention. At most [`Limits::walked_entries`] different targets
/// are looked for.
///
/// [`Limits::walked_entries`]: crate::limits::Limits::walked_entries
pub(super) fn find(mentions: &Mentions, folder: &mut Folder, found: &mut Found) {
    let mut known: HashMap<(&str, Kind), Verdict> = HashMap::new();
    let mut passed_over = Vec::new();
    for mention in &mentions.list {
        let key = (&*mention.target, mention.kind);
        if known.len() >= folder.most() && !known.contains_key(&key) {
            passed_over.push(mention);
            continue;
        }
        let verdict = known.entry(key).or_insert_with(|| judge(mention, folder));
        report(verdict, mention, found);
    }
    if let Some(first) = passed_over.first() {
        found.note(Rule::LinkBroken, first.place.clone(), || {
            (
                format!("{} more links are not looked at", passed_over.len()),
                "move parts of the body into files under references/".to_owned(),
            )
        });
    }
}

/// What a mention comes to.
enum Verdict {
    Fine,
    Outside(&'static str),
    Backslash(String),
    OtherCase(String),
    Broken { near: Option<String> },
}

fn report(verdict: &Verdict, mention: &Mention, found: &mut Found) {
    let place = mention.place.clone();
    let target = || one_line(&mention.target);
    match verdict {
        Verdict::Fine => {}
        Verdict::Outside(why) => found.warn(Rule::LinkOutside, place, || {
            let help = "put the file into the skill's folder, and name it from there";
            (format!("`{}` {why}", target()), help.to_owned())
        }),
        Verdict::Backslash(right) => found.warn(Rule::LinkBackslash, place, || {
            let why = "has backslashes, which part folders on Windows alone";
            (format!("`{}` {why}", target()), format!("write `{right}`"))
        }),
        Verdict::OtherCase(right) => found.warn(Rule::LinkCase, place, || {
            let target = target();
            (
                format!("`{target}` is not there; `{right}` is, and most systems tell them apart"),
                format!("write `{right}`"),
            )
        }),
        Verdict::Broken { near } => {
            let words = || broken(&target(), near.as_deref());
            // A bare word is more often a stand-in than a file.
            if mention.target.contains(['.', '/', '\\']) {
                found.warn(Rule::LinkBroken, place, words);
            } else {
                found.note(Rule::LinkBroken, place, words);
            }
        }
    }
}

fn broken(target: &str, near: Option<&str>) -> Words {
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None if target.starts_with("www.") => format!("write `https://{target}`"),
        None => {
            "paths are relative to the skill's folder: add the file, or mend the path".to_owned()
        }
    };
    (format!("`{target}` is not there"), help)
}

fn judge(mention: &Mention, folder: &mut Folder) -> Verdict {
    let target = match mention.kind {
        Kind::Link => mention.target.trim(),
        // A command line begins with the program that it runs.
        Kind::Code => mention.target.split_whitespace().next().unwrap_or_default(),
    };
    let target = target.strip_prefix(BASE_DIR).unwrap_or(target);
    if target.is_empty() || is_address(target) || is_pattern(target) {
        return Verdict::Fine;
    }
    if mention.kind == Kind::Code && !names_top_folder(target, folder) {
        return Verdict::Fine;
    }
    if let Some(why) = leads_away(target) {
        return Verdict::Outside(why);
    }
    let forms = [
        Cow::Borrowed(target),
        percent_decoded(target),
        without_anchor(target).into(),
        percent_decoded(without_anchor(target)),
    ];
    let mut last = Verdict::Fine;
    for form in &forms {
        last = look_for(form, folder);
        if !matches!(last, Verdict::Broken { .. }) {
            break;
        }
    }
    match last {
        Verdict::Broken { .. } if is_stand_in(target) => Verdict::Fine,
        last => last,
    }
}

fn look_for(target: &str, folder: &mut Folder) -> Verdict {
    let slashes = target.replace('\\', "/");
    let Some(path) = normal(&slashes) else {
        return Verdict::Outside("leads out of the skill's folder, which travels alone");
    };
    match folder.look_for(&path) {
        At::There if target.contains('\\') => Verdict::Backslash(path),
        At::There => Verdict::Fine,
        At::Otherwise(right) => Verdict::OtherCase(right),
        At::Nothing(near) => Verdict::Broken { near },
    }
}

/// Whether `target` is an address of the web, of mail, of a place in this text.
fn is_address(target: &str) -> bool {
    let scheme = target.split_once(':').map(|(scheme, _)| scheme);
    let has_scheme = scheme.is_some_and(|scheme| {
        scheme.len() > 1
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"+.-".contains(&b))
    });
    let is_file = scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("file"));
    target.starts_with(['#', '?']) || target.starts_with("//") || has_scheme && !is_file
}

/// Whether `target` stands for other text: a variable, a wildcard, a gap.
fn is_pattern(target: &str) -> bool {
    target.contains(['{', '}', '<', '>', '$', '*', '|', '\u{2026}']) || target.contains("...")
}

/// Whether a path that is not there stands for one that the reader is to put in:
/// `path/to/file`, `scripts/YOUR_FILE.py`, `references/your-topic.md`, `NNN.md`.
fn is_stand_in(target: &str) -> bool {
    let is_word = |name: &str| {
        let stem = name.split('.').next().unwrap_or(name);
        let is_yours = stem.len() >= 4 && stem[..4].eq_ignore_ascii_case("your");
        let is_gap = ["XXX", "NNN", "YYYY"].iter().any(|gap| stem.contains(gap));
        let is_name = stem.contains('_')
            && stem
                .bytes()
                .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
        let is_foo = ["foo", "bar", "baz", "foobar"].contains(&stem);
        is_yours || is_gap || is_name && name == stem || is_foo
    };
    target.contains("path/to/") || target.split(['/', '\\']).any(is_word)
}

fn names_top_folder(target: &str, folder: &mut Folder) -> bool {
    let target = target.strip_prefix("./").unwrap_or(target);
    // Code has colons and brackets where paths have none.
    let is_path = !target.contains([':', '(', ')', '[', ']', '=', ',', ';', '"', '\'', '`']);
    let parts = target.split_once(['/', '\\']);
    is_path && parts.is_some_and(|(first, _)| !first.is_empty() && folder.is_top_folder(first))
}

/// Says how a path leads to a place of this one machine, if it does.
fn leads_away(target: &str) -> Option<&'static str> {
    let bytes = target.as_bytes();
    let is_drive = bytes.len() > 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes[2], b'/' | b'\\');
    let is_absolute = target.starts_with(['/', '\\']) || is_drive;
    let is_file = target
        .get(..5)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"));
    if target.starts_with("~/") {
        Some("is a path under one person's home, which other machines do not have")
    } else if is_absolute || is_file {
        Some("is an absolute path, which other machines do not have")
    } else {
        None
    }
}

fn without_anchor(target: &str) -> &str {
    target.split(['#', '?']).next().unwrap_or(target)
}

/// Returns `path` without `.` and `..`, unless it leads out of its folder.
fn normal(path: &str) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop()?;
            }
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}

/// Returns `target` with `%20` and the like as the characters that they mean.
fn percent_decoded(target: &str) -> Cow<'_, str> {
    if !target.contains('%') {
        return Cow::Borrowed(target);
    }
    let mut bytes = Vec::with_capacity(target.len());
    let mut rest = target.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = (first == b'%').then(|| target_code(after)).flatten();
        bytes.push(code.unwrap_or(first));
        rest = &after[if code.is_some() { 2 } else { 0 }..];
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(target), Cow::Owned)
}

fn target_code(after: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*after.get(at)?).to_digit(16);
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}
