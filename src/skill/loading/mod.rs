//! Whether a skill exists: the lenient judgement of the profile `codeaf`.
//!
//! Facts come in, a name and a description come out, or the reasons why not.
//! What is found is found once, for every profile; the profile says how bad it
//! is. This file reads no file.

mod fields;
mod identity;
mod metadata;
mod tools;
mod writing;

use std::path::Path;

use super::frontmatter::{Content, Facts, Fault, Scalar, ScalarKind, Value};
use super::profile::{Breach, Profile};
use crate::diagnostic::{Diagnostic, Rule, Severity, Span};
use crate::limits::Limits;

pub use super::frontmatter::FIELDS;
pub use fields::{acted_on, hidden_spelling, odd_blank};
pub use tools::allowed_tools;

/// Characters of a description (specification: 1–1024).
pub const DESCRIPTION_CHARACTERS: usize = 1_024;
/// Characters of the field `compatibility` (specification: 1–500).
pub const COMPATIBILITY_CHARACTERS: usize = 500;

/// A skill that loads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// Its name, in normalisation form C.
    pub name: String,
    /// Its description, whole and as written.
    pub description: String,
    /// The field `argument-hint` of other agents: what to type behind the slash
    /// command.
    pub argument_hint: Option<String>,
    /// What is worth a warning all the same, in file order.
    pub diagnostics: Vec<Diagnostic>,
}

/// A text or, as some write `[file]` without quotes, a list of texts.
fn argument_hint(facts: &Facts) -> Option<String> {
    let value = &facts.field("argument-hint")?.value;
    let hint = match &value.content {
        Content::Scalar(scalar) => scalar.text.trim().to_owned(),
        Content::Sequence(items) => {
            let items: Vec<&str> = items
                .iter()
                .filter_map(Value::scalar)
                .map(|item| item.text.as_str())
                .collect();
            format!("[{}]", items.join(", "))
        }
        Content::Mapping(_) => return None,
    };
    (!hint.is_empty()).then_some(hint)
}

/// Judges whether the skill in `folder` loads.
///
/// `file` is the path that diagnostics name; `folder` is the name of the
/// folder that the SKILL.md lies in, which stands in for a missing name.
///
/// # Errors
///
/// What keeps the skill from loading, at least one of them an error, with the
/// warnings beside it; in file order.
///
/// # Examples
///
/// ```
/// use std::path::Path;
/// use codeaf_skills::{Limits, skill::{frontmatter, loading}};
///
/// let limits = Limits::DEFAULT;
/// let facts = frontmatter::read(b"---\nname: pdf\ndescription: Reads PDF files.\n---\n", &limits);
/// let loaded = loading::load(&facts, Path::new("/s/pdf/SKILL.md"), "pdf", &limits).unwrap();
///
/// assert_eq!(loaded.name, "pdf");
/// assert!(loaded.diagnostics.is_empty());
/// ```
pub fn load(
    facts: &Facts,
    file: &Path,
    folder: &str,
    limits: &Limits,
) -> Result<Loaded, Vec<Diagnostic>> {
    let judged = judge(facts, file, folder, Profile::CODEAF, limits);
    match (judged.name, judged.description) {
        (Some(name), Some(description)) => Ok(Loaded {
            name,
            description,
            argument_hint: argument_hint(facts),
            diagnostics: judged.diagnostics,
        }),
        _ => Err(judged.diagnostics),
    }
}

/// What came of judging a file's facts.
pub(super) struct Judged {
    name: Option<String>,
    description: Option<String>,
    /// All findings, in file order.
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Judges a file's facts by any profile.
pub(super) fn judge(
    facts: &Facts,
    file: &Path,
    folder: &str,
    profile: &Profile,
    limits: &Limits,
) -> Judged {
    let mut findings = Findings {
        file,
        profile,
        list: Vec::new(),
    };
    findings.about_the_file(facts);
    findings.slipped(facts, limits);
    let (mut name, mut description) = (None, None);
    if let Some(fault) = &facts.fault {
        findings.about_the_fault(fault);
    } else if facts.fields.is_empty() {
        findings.about_the_fault(&no_fields(facts));
    } else {
        findings.about_all(facts);
        name = findings.name(facts, folder, limits);
        description = findings.description(facts);
        findings.about_the_rest(facts);
        findings.about_the_writing(facts);
    }
    Judged {
        name,
        description,
        diagnostics: findings.in_file_order(),
    }
}

/// Says that nothing stands between the fences: once, for both fields that must.
fn no_fields(facts: &Facts) -> Fault {
    let span = facts.closing.map_or(Span::START, |fence| fence.span);
    Fault {
        rule: Rule::NotAMapping,
        span,
        message: "the frontmatter ends here, and has no fields".to_owned(),
        help: Some(
            "write `name: …` and `description: …` between the two lines of dashes".to_owned(),
        ),
    }
}

/// Diagnostics of one file while they are collected.
struct Findings<'a> {
    file: &'a Path,
    profile: &'a Profile,
    list: Vec<Diagnostic>,
}

impl Findings<'_> {
    /// Says that there is a breach, unless the profile has no word for it.
    fn tell(&mut self, breach: Breach, span: Span, message: impl Into<String>, help: &str) {
        if let Some(severity) = self.profile.severity(breach) {
            self.tell_as(severity, breach, span, message, help);
        }
    }

    fn tell_as(
        &mut self,
        severity: Severity,
        breach: Breach,
        span: Span,
        message: impl Into<String>,
        help: &str,
    ) {
        let told = Diagnostic::new(breach.rule(), severity, self.file, message)
            .at(span)
            .with_help(help);
        self.list.push(told);
    }

    fn about_the_fault(&mut self, fault: &Fault) {
        let severity = self.profile.severity(Breach::NotRead);
        let severity = severity.unwrap_or(Severity::Error);
        let told = Diagnostic::new(fault.rule, severity, self.file, fault.message.as_str());
        self.list.push(Diagnostic {
            help: fault.help.clone(),
            ..told.at(fault.span)
        });
    }

    fn in_file_order(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|diagnostic| diagnostic.span);
        self.list
    }

    fn not_text(&mut self, key: &str, span: Span, scalar: &Scalar) {
        let kind = match scalar.kind {
            ScalarKind::Text | ScalarKind::Null => return,
            ScalarKind::Int | ScalarKind::Float => "a number",
            ScalarKind::Bool => "a truth value",
        };
        let message = format!(
            "the {key} is {kind}, not text; it is read as {}",
            quoted(&scalar.text)
        );
        self.tell(Breach::NotText, span, message, "put it between quotes");
    }

    /// What holds of the file whatever its fields are.
    fn about_the_file(&mut self, facts: &Facts) {
        let marks_are_the_fault = facts
            .fault
            .as_ref()
            .is_some_and(|fault| fault.rule == Breach::ByteOrderMark.rule());
        if facts.byte_order_mark && !marks_are_the_fault {
            self.tell(
                Breach::ByteOrderMark,
                Span::START.with_length(1),
                "a UTF-8 byte-order mark stands first",
                "save the file as UTF-8 without a mark",
            );
        }
        for fence in [facts.opening, facts.closing].into_iter().flatten() {
            if let Some(blanks) = fence.blanks {
                let message =
                    "blanks follow the three dashes; some agents do not take them for a fence";
                self.tell(Breach::FenceBlanks, blanks, message, "remove the blanks");
            }
        }
        if let Some(late) = &facts.closed_late {
            let help = late.help.as_deref().unwrap_or_default();
            self.tell(Breach::ClosedLate, late.span, late.message.as_str(), help);
        }
        if let Some(place) = facts.line_ends.lone_cr.filter(|place| !place.in_body) {
            self.tell(
                Breach::LoneCarriageReturn,
                place.span,
                "a carriage return without a line feed ends no line",
                "save the file with LF or CRLF line ends",
            );
        }
        if let Some(place) = facts.invalid_utf8 {
            let breach = if place.in_body {
                Breach::BodyNotUtf8
            } else {
                Breach::FrontmatterNotUtf8
            };
            let message = "bytes that are not UTF-8 are read as U+FFFD";
            let span = place.span.with_length(1);
            self.tell(breach, span, message, "save the file as UTF-8");
        }
        if let Some(place) = facts.nul.filter(|place| place.in_body) {
            let message = "a NUL byte stands in the body";
            let span = place.span.with_length(1);
            self.tell(Breach::NulInBody, span, message, "remove it");
        }
    }
}

/// Returns how many characters `text` has without the white space around it,
/// if they are more than `most`.
fn longer_than(text: &str, most: usize) -> Option<usize> {
    if text.len() <= most {
        return None;
    }
    let length = text.trim().chars().count();
    (length > most).then_some(length)
}

/// Puts a name into a message.
fn quoted(text: &str) -> String {
    format!("`{text}`")
}

#[cfg(test)]
mod tests;
