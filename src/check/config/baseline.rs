//! Old findings that a check keeps quiet about.
//!
//! A finding is known again by its file, its rule and the text of its line, so
//! that lines may move; how many alike there were is counted. The file is JSON,
//! one finding a line, in one order, so that it merges well.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};

use super::{ConfigError, reading};
use crate::check::Checked;
use crate::diagnostic::{Diagnostic, Rule, Span};
use crate::json::{Malformed, Object, offset_of};
use crate::limits::Limits;
use crate::text::path_text;

/// The version of the file's shape.
const VERSION: u32 = 1;

/// What a finding is known by when its line has moved.
///
/// It is the 64-bit FNV-1a hash of the rule's code, a NUL and the line without
/// blanks around it: short, and the same in every version and on every machine,
/// which the standard library does not promise of its own hashes. Nobody is
/// kept out by it: whoever can forge a line can add it to the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Makes the fingerprint of a finding of `rule` on `line`.
    ///
    /// # Examples
    ///
    /// ```
    /// use codeaf_skills::Rule;
    /// use codeaf_skills::check::config::Fingerprint;
    ///
    /// let found = Fingerprint::new(Rule::NameMismatch, b"name: pdf");
    /// assert_eq!(found, Fingerprint::new(Rule::NameMismatch, b"  name: pdf\r"));
    /// assert_eq!(found.to_string(), "c579ccfbc082d1cc");
    /// ```
    #[must_use]
    pub fn new(rule: Rule, line: &[u8]) -> Self {
        // The offset basis and the prime of FNV-1a, 64 bits.
        const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
        const PRIME: u64 = 0x0000_0100_0000_01b3;
        let code = rule.code().as_bytes();
        let bytes = code.iter().chain(&[0]).chain(line.trim_ascii());
        Self(bytes.fold(BASIS, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(PRIME)
        }))
    }
}

/// Sixteen hexadecimal digits.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Fingerprint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let is_hash = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u64::from_str_radix(&text, 16).ok().filter(|_| is_hash);
        let fault = || D::Error::custom("a fingerprint has 16 hexadecimal digits");
        number.map(Self).ok_or_else(fault)
    }
}

/// Returns the fingerprint of each finding of `checked`, in their order.
///
/// The line of a finding about another file, about one that could not be read,
/// or about the body as a whole counts as empty.
#[must_use]
pub fn fingerprints(checked: &Checked) -> Vec<Fingerprint> {
    let mut lines = Lines::new(&checked.bytes);
    let of = |finding: &Diagnostic| {
        let has_line = finding.path == checked.target.file && finding.rule != Rule::BodyTooLong;
        let line = if has_line {
            lines.get(finding.span.line)
        } else {
            b""
        };
        Fingerprint::new(finding.rule, line)
    };
    checked.findings.iter().map(of).collect()
}

/// Finds lines by number, in time linear in the text as long as the numbers
/// asked for grow.
struct Lines<'a> {
    text: &'a [u8],
    /// What has not been passed yet, and the number of its first line.
    rest: &'a [u8],
    number: u32,
}

impl<'a> Lines<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            rest: text,
            number: 1,
        }
    }

    /// Returns the line without its LF; empty past the end.
    fn get(&mut self, number: u32) -> &'a [u8] {
        if number < self.number {
            *self = Self::new(self.text);
        }
        while self.number < number && !self.rest.is_empty() {
            let length = self.line().len();
            self.rest = self.rest.get(length + 1..).unwrap_or_default();
            self.number += 1;
        }
        self.line()
    }

    fn line(&self) -> &'a [u8] {
        let mut lines = self.rest.split(|&byte| byte == b'\n');
        lines.next().unwrap_or_default()
    }
}

/// Old findings, with how many there are of each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Baseline {
    /// The folder that paths are relative to.
    folder: PathBuf,
    counts: BTreeMap<Key, usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    path: String,
    /// The code, which may be one of a later version.
    rule: String,
    fingerprint: Fingerprint,
}

/// The file as a whole.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    version: u32,
    findings: Vec<Row>,
}

/// One line of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    path: String,
    rule: String,
    fingerprint: Fingerprint,
    count: usize,
}

impl Baseline {
    /// Makes the baseline that silences all findings of `checked`; paths in it
    /// are relative to `folder`, absolute if they lie elsewhere.
    #[must_use]
    pub fn of(checked: &[Checked], folder: &Path) -> Self {
        let mut baseline = Self {
            folder: folder.to_path_buf(),
            counts: BTreeMap::new(),
        };
        for one in checked {
            for (finding, fingerprint) in one.findings.iter().zip(fingerprints(one)) {
                let key = baseline.key(finding, fingerprint);
                *baseline.counts.entry(key).or_default() += 1;
            }
        }
        baseline
    }

    /// Reads the file at `path`, whose paths are taken from `folder`.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be read (it must be there), or where it is not what
    /// it must be.
    pub fn load(path: &Path, folder: &Path, limits: &Limits) -> Result<Self, ConfigError> {
        match reading::read(path, limits)? {
            Some(bytes) => Self::parse(path, folder, &bytes),
            None => Err(ConfigError::Unreadable {
                path: path.to_path_buf(),
                // 2 is "there is no such file" on every system, in its own words.
                source: std::io::Error::from_raw_os_error(2),
            }),
        }
    }

    /// Reads the bytes of the file at `path`.
    ///
    /// # Errors
    ///
    /// Returns where it is not what it must be.
    pub fn parse(path: &Path, folder: &Path, bytes: &[u8]) -> Result<Self, ConfigError> {
        let text = reading::text(path, bytes)?;
        let is_object = Object::parse_document(text, "a baseline");
        is_object.map_err(|fault| {
            let span = Span::at(bytes, fault.offset);
            ConfigError::at(path, span, fault.or_help(ANEW))
        })?;
        let document: Document = serde_json::from_str(text).map_err(|error| {
            let said = error.to_string();
            let words = said.split(" at line ").next().unwrap_or(&said);
            let offset = offset_of(text, error.line(), error.column());
            let message = format!("this is no baseline: {}", in_plain_words(words));
            ConfigError::at(path, Span::at(bytes, offset), malformed(message))
        })?;
        if document.version != VERSION {
            let version = document.version;
            let message = format!("this is a baseline of version {version}, and not {VERSION}");
            return Err(ConfigError::at(path, Span::START, malformed(message)));
        }
        let mut counts = BTreeMap::new();
        for row in document.findings {
            let key = Key {
                path: row.path,
                rule: row.rule,
                fingerprint: row.fingerprint,
            };
            let count: &mut usize = counts.entry(key).or_default();
            *count = count.saturating_add(row.count);
        }
        Ok(Self {
            folder: folder.to_path_buf(),
            counts,
        })
    }

    /// Takes the old findings out of `checked`, and returns how many they were.
    ///
    /// Of findings alike, as many are taken as there were, the first in the file
    /// first; those beyond stay.
    pub fn filter(&self, checked: &mut [Checked]) -> usize {
        let mut left = self.counts.clone();
        let mut silenced = 0;
        for one in checked {
            let mut fingerprints = fingerprints(one).into_iter();
            one.findings.retain(|finding| {
                let fingerprint = fingerprints.next();
                let key = fingerprint.map(|fingerprint| self.key(finding, fingerprint));
                match key.and_then(|key| left.get_mut(&key)) {
                    Some(count) if *count > 0 => {
                        *count -= 1;
                        silenced += 1;
                        false
                    }
                    _ => true,
                }
            });
        }
        silenced
    }

    fn key(&self, finding: &Diagnostic, fingerprint: Fingerprint) -> Key {
        let relative = finding.path.strip_prefix(&self.folder);
        Key {
            path: path_text(relative.unwrap_or(&finding.path)).into_owned(),
            rule: finding.rule.code().to_owned(),
            fingerprint,
        }
    }
}

const ANEW: &str = "write it anew, from the findings of today: `check --format baseline > FILE`";

fn malformed(message: String) -> Malformed {
    Malformed::new(0, message).with_help(ANEW)
}

/// Says in our words what is wrong with a document that is JSON.
fn in_plain_words(said: &str) -> String {
    let key = |begins: &str| {
        let rest = said.strip_prefix(begins)?.strip_prefix('`')?;
        Some(rest.split('`').next().unwrap_or(rest).to_owned())
    };
    if let Some(key) = key("missing field ") {
        format!("the key `{key}` is missing")
    } else if let Some(key) = key("unknown field ") {
        format!("there is no key `{key}`")
    } else if let Some(key) = key("duplicate field ") {
        format!("the key `{key}` stands twice")
    } else if said.starts_with("invalid type") {
        "a value is not of the kind that stands here".to_owned()
    } else {
        said.to_owned()
    }
}

/// The text of the file.
impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{\n  \"version\": {VERSION},\n  \"findings\": [")?;
        for (index, (key, count)) in self.counts.iter().enumerate() {
            let row = Row {
                path: key.path.clone(),
                rule: key.rule.clone(),
                fingerprint: key.fingerprint,
                count: *count,
            };
            let row = serde_json::to_string(&row).map_err(|_| fmt::Error)?;
            let before = if index == 0 { "\n    " } else { ",\n    " };
            write!(f, "{before}{row}")?;
        }
        let end = if self.counts.is_empty() { "" } else { "\n  " };
        writeln!(f, "{end}]\n}}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Target;
    use proptest::prelude::*;

    fn checked(file: &str, text: &str, findings: &[(Rule, u32)]) -> Checked {
        let file = PathBuf::from(file);
        let finding = |&(rule, line): &(Rule, u32)| {
            Diagnostic::warning(rule, &file, "words that may change").at(Span::new(line, 1))
        };
        Checked {
            findings: findings.iter().map(finding).collect(),
            target: Target { file: file.clone() },
            bytes: text.as_bytes().to_vec(),
            name: None,
        }
    }

    const FOLDER: &str = "/p";

    #[test]
    fn a_finding_is_known_again_when_its_line_has_moved() {
        let before = checked("/p/a/SKILL.md", "---\nx: 1\n", &[(Rule::UnknownField, 2)]);
        let baseline = Baseline::of(&[before], Path::new(FOLDER));

        for (file, text, findings, left) in [
            (
                "/p/a/SKILL.md",
                "---\n\n x: 1\r\n",
                &[(Rule::UnknownField, 3)][..],
                0,
            ),
            (
                "/p/a/SKILL.md",
                "---\nx: 2\n",
                &[(Rule::UnknownField, 2)],
                1,
            ),
            ("/p/a/SKILL.md", "---\nx: 1\n", &[(Rule::FieldType, 2)], 1),
            (
                "/p/b/SKILL.md",
                "---\nx: 1\n",
                &[(Rule::UnknownField, 2)],
                1,
            ),
            (
                "/p/a/SKILL.md",
                "x: 1\nx: 1",
                &[(Rule::UnknownField, 1), (Rule::UnknownField, 2)],
                1,
            ),
        ] {
            let mut now = [checked(file, text, findings)];

            let silenced = baseline.filter(&mut now);

            assert_eq!(now[0].findings.len(), left, "{file} {text:?}");
            assert_eq!(silenced, findings.len() - left, "{file} {text:?}");
        }
    }

    #[test]
    fn a_finding_about_the_whole_body_hangs_on_no_line() {
        let long = |text| checked("/p/a/SKILL.md", text, &[(Rule::BodyTooLong, 2)]);
        let baseline = Baseline::of(&[long("x\ny\n")], Path::new(FOLDER));

        assert_eq!(baseline.filter(&mut [long("x\nanother\ny\n")]), 1);
    }

    #[test]
    fn the_text_is_stable_and_read_as_it_was_written() {
        let all = [
            checked(
                "/p/b/SKILL.md",
                "x\ny\nx\n",
                &[(Rule::UnknownField, 3), (Rule::UnknownField, 1)],
            ),
            checked("/p/a/SKILL.md", "", &[(Rule::NotText, 1)]),
            checked("/q/\"/SKILL.md", "", &[(Rule::NotText, 1)]),
        ];
        let folder = Path::new(FOLDER);
        let baseline = Baseline::of(&all, folder);
        let text = baseline.to_string();

        assert_eq!(
            text,
            r#"{
  "version": 1,
  "findings": [
    {"path":"/q/\"/SKILL.md","rule":"not-text","fingerprint":"57484ebf867506ba","count":1},
    {"path":"a/SKILL.md","rule":"not-text","fingerprint":"57484ebf867506ba","count":1},
    {"path":"b/SKILL.md","rule":"unknown-field","fingerprint":"7d8d12090e253ae8","count":2}
  ]
}
"#
        );
        let read = Baseline::parse(Path::new("/p/b.json"), folder, text.as_bytes()).unwrap();
        assert_eq!(read, baseline);
        let none = Baseline::of(&[], folder).to_string();
        assert_eq!(none, "{\n  \"version\": 1,\n  \"findings\": []\n}\n");
    }

    #[test]
    fn what_is_no_baseline_is_told_with_its_place() {
        for (text, place, words) in [
            ("", "1:1", "nothing but blanks"),
            ("[]", "1:1", "a baseline is an object, between { and }"),
            (
                "{\"version\": 1, \"findings\": {}}",
                "1:27",
                "not of the kind that stands here",
            ),
            ("{}", "1:2", "the key `version` is missing"),
            ("{\"version\": 2, \"findings\": []}", "1:1", "version 2"),
            ("{\"version\": 1,\n \"extra\": 1}", "2:8", "no key `extra`"),
            (
                "{\"version\": 1, \"findings\": [{\"path\": \"a\", \"rule\": \"b\", \"fingerprint\": \"+00000000000000a\", \"count\": 1}]}",
                "1:88",
                "16 hexadecimal",
            ),
            ("<<<<<<< ours\n", "1:1", "expected value"),
        ] {
            let parsed = Baseline::parse(Path::new("/b"), Path::new(FOLDER), text.as_bytes());
            let error = parsed.unwrap_err().to_string();

            assert!(
                error.starts_with(&format!("/b:{place}: ")),
                "{text:?}: {error}"
            );
            assert!(error.contains(words), "{text:?}: {error}");
        }
    }

    proptest! {
        #[test]
        fn a_baseline_silences_what_it_was_made_of(
            text in "[ab\n\r ]{0,30}",
            places in prop::collection::vec((0..Rule::ALL.len(), 0u32..12), 0..12),
        ) {
            let findings: Vec<_> = places.iter().map(|&(rule, line)| (Rule::ALL[rule], line)).collect();
            let mut all = [checked("/p/a/SKILL.md", &text, &findings)];
            let folder = Path::new(FOLDER);
            let written = Baseline::of(&all, folder).to_string();
            let baseline = Baseline::parse(Path::new("/b"), folder, written.as_bytes()).unwrap();

            prop_assert_eq!(baseline.filter(&mut all), findings.len());
            prop_assert!(all[0].findings.is_empty());
        }

        #[test]
        fn lines_agree_with_the_slow_way(
            text in "[a\n\r]{0,20}",
            order in prop::collection::vec(1u32..12, 0..8),
        ) {
            let mut lines = Lines::new(text.as_bytes());
            for number in order {
                let slow = text.split('\n').nth(number as usize - 1).unwrap_or_default();
                prop_assert_eq!(lines.get(number), slow.as_bytes());
            }
        }

        #[test]
        fn nothing_panics(text in "[{}\\[\\]\":,a\\\\1<\n é]{0,40}") {
            let _ = Baseline::parse(Path::new("/b"), Path::new(FOLDER), text.as_bytes());
        }
    }
}
