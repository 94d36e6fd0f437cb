//! Mends what has one right answer, and proves it before it is done.
//!
//! [`mend`] is pure: bytes come in, and mended bytes go out. Every mend is read
//! again, and given up unless the fields say what they said before and the body
//! is the same but for its line ends. What has two answers is left alone: a
//! value cut by ` #`, a value that YAML does not let begin so, bytes of an
//! unknown encoding, a field that stands twice, a missing name. [`fix_file`]
//! does it on the disk.

mod edits;
mod file;
mod metadata;
mod proof;
mod recode;
mod tools;
mod values;

use std::borrow::Cow;

use crate::diagnostic::{Rule, Span};
use crate::limits::Limits;
use crate::skill::frontmatter::{self, Facts};

pub use file::{FixError, Fixed, Preview, fix_file, preview};

/// What is mended beyond the usual, and what is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FixOptions<'a> {
    /// Whether fields outside the specification move under `metadata`.
    pub unknown_keys: bool,
    /// Rules that may be broken: what breaks them stays as it is.
    pub allowed: &'a [Rule],
}

impl FixOptions<'_> {
    /// Whether what breaks `rule` is to be mended.
    fn mends(self, rule: Rule) -> bool {
        !self.allowed.contains(&rule)
    }
}

/// What came of mending one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mended {
    /// The mended file; `None` where there was nothing to mend.
    pub bytes: Option<Vec<u8>>,
    /// What was mended.
    pub fixes: Vec<Fix>,
    /// Fields that [`FixOptions::unknown_keys`] asks for and that stay.
    pub left: Vec<Left>,
}

/// One thing that was mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The rule that has nothing to find there any more.
    pub rule: Rule,
    /// Where it was, in the file before; [`Span::START`] for the whole file.
    pub span: Span,
    /// What was done: `quoted the value of description`. May hold a key as
    /// the file has it; whoever prints it cleans it.
    pub what: String,
}

impl Fix {
    fn new(rule: Rule, span: Span, what: impl Into<String>) -> Self {
        Self {
            rule,
            span,
            what: what.into(),
        }
    }
}

/// A field that was not moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// Where its key stands.
    pub span: Span,
    /// The key.
    pub key: String,
    /// Why it stays, in plain words.
    pub why: Cow<'static, str>,
}

/// Mends a SKILL.md.
///
/// `folder` is the name of the folder that it lies in, which stands in for a
/// missing name when old and new are compared. Mends the encoding (UTF-16 with
/// a mark), byte-order marks, line ends, blanks after fences, tabs behind
/// colons, unquoted values with a colon, numbers and the like where the
/// specification wants text, and `allowed-tools` as a list; on demand, fields
/// outside the specification. What breaks one of [`FixOptions::allowed`] stays.
/// Mending twice is mending once.
///
/// # Examples
///
/// ```
/// use codeaf_skills::Limits;
/// use codeaf_skills::check::fix::{FixOptions, mend};
///
/// let file = b"---\nname: pdf\ndescription: Use when: asked for PDFs.\n---\n";
/// let mended = mend(file, "pdf", FixOptions::default(), &Limits::DEFAULT);
///
/// let quoted = b"---\nname: pdf\ndescription: 'Use when: asked for PDFs.'\n---\n";
/// assert_eq!(mended.bytes.as_deref(), Some(&quoted[..]));
/// ```
#[must_use]
pub fn mend(bytes: &[u8], folder: &str, options: FixOptions<'_>, limits: &Limits) -> Mended {
    let mut fixes = Vec::new();
    let mut draft = Draft::new(bytes.to_vec(), folder, options, limits);
    recode::mend(&mut draft, &mut fixes);
    values::mend(&mut draft, &mut fixes);
    // Up to here no line moved, so that these are the lines of the file.
    let lines = draft.facts.clone();
    let mut left = Vec::new();
    // What may be of the body is not gathered.
    let is_sure = draft.facts.closed_late.is_none();
    if options.unknown_keys && is_sure && options.mends(Rule::UnknownField) {
        metadata::gather(&mut draft, &mut fixes, &mut left);
    }
    tools::mend(&mut draft, &lines, &mut fixes);
    // What was moved or joined is to be text now, which is part of those fixes.
    values::mend(&mut draft, &mut Vec::new());
    let is_changed = draft.bytes != bytes;
    Mended {
        bytes: is_changed.then_some(draft.bytes),
        fixes,
        left,
    }
}

/// A file while it is being mended, with what it says.
struct Draft<'a> {
    bytes: Vec<u8>,
    facts: Facts,
    folder: &'a str,
    options: FixOptions<'a>,
    limits: &'a Limits,
}

impl<'a> Draft<'a> {
    fn new(bytes: Vec<u8>, folder: &'a str, options: FixOptions<'a>, limits: &'a Limits) -> Self {
        Self {
            facts: frontmatter::read(&bytes, limits),
            bytes,
            folder,
            options,
            limits,
        }
    }

    /// Goes on with other bytes.
    fn replace(&mut self, bytes: Vec<u8>) {
        self.facts = frontmatter::read(&bytes, self.limits);
        self.bytes = bytes;
    }

    /// Whether there are fields that can be edited.
    fn has_fields(&self) -> bool {
        self.facts.fault.is_none() && self.facts.closing.is_some()
    }
}

#[cfg(test)]
mod tests;
