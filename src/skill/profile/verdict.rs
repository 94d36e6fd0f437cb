//! What an agent system does with a SKILL.md: one walk over its table.

use std::cell::{OnceCell, RefCell};
use std::path::Path;
use std::rc::Rc;

use super::survey::{Survey, survey};
use super::{Case, Effect, Evidence, Profile, Reader, judge};
use crate::diagnostic::{Diagnostic, Rule, Severity, Span};
use crate::limits::Limits;
use crate::skill::frontmatter::{self, Content, Facts, Fence, Field, Slipped, Style, read_between};

/// What a system does with a SKILL.md, from the kindest to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// It loads, as meant.
    Loads,
    /// It loads, and the system says something.
    LoadsWithWarning,
    /// It loads with other text than the author wrote.
    LoadsChanged,
    /// Nobody could find out; shown as `?`.
    Unknown,
    /// It does not load.
    Drops,
}

/// What a system makes of one case that a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// Which of the system's readers; empty where it has one.
    pub reader: &'static str,
    /// The rule that it rests on: the same for every system that the fault
    /// hits.
    pub rule: Rule,
    /// What the file is to this system; `None` under `spec` and `codeaf`,
    /// which have findings.
    pub case: Option<Case>,
    /// What comes of this alone.
    pub outcome: Outcome,
    /// The system's own words, or what changes in ours; empty where it has
    /// none, or nobody knows them.
    pub text: String,
    /// Where it is, as far as that is known.
    pub span: Span,
    /// Where this is known from.
    pub evidence: Evidence,
}

/// What a system does with a SKILL.md.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileVerdict {
    /// What comes of it all; of several readers, the worst.
    pub outcome: Outcome,
    /// Each case that does not simply load, in the order of the system.
    pub told: Vec<Told>,
    /// The name as the system's first reader has it.
    pub name: Option<String>,
    /// The description as the system's first reader has it.
    pub description: Option<String>,
    /// The body as the system's first reader has it; not looked at under
    /// `spec` and `codeaf`.
    pub body: Option<Vec<u8>>,
}

/// A SKILL.md that several profiles judge and that is read once for all of them.
#[derive(Debug)]
pub struct Reading<'a> {
    pub(super) bytes: &'a [u8],
    /// The path that texts name.
    file: &'a Path,
    /// The name of the folder that it lies in.
    pub(super) folder: &'a str,
    facts: &'a Facts,
    pub(super) limits: &'a Limits,
    /// What the specification says to it, once somebody asked.
    strict: OnceCell<Vec<Diagnostic>>,
    /// What readers took for the text between the fences, and what it says.
    between: RefCell<Vec<(String, Rc<Facts>)>>,
}

impl<'a> Reading<'a> {
    /// Makes a reading of `bytes`, whose facts are `facts`.
    ///
    /// `file` is the path that texts name; `folder` is the name of the folder that
    /// the SKILL.md lies in.
    #[must_use]
    pub fn new(
        bytes: &'a [u8],
        facts: &'a Facts,
        (file, folder): (&'a Path, &'a str),
        limits: &'a Limits,
    ) -> Self {
        Self {
            bytes,
            file,
            folder,
            facts,
            limits,
            strict: OnceCell::new(),
            between: RefCell::default(),
        }
    }

    /// Returns what the specification has to say.
    #[must_use]
    pub fn strict(&self) -> &[Diagnostic] {
        self.strict.get_or_init(|| self.judged(Profile::SPEC))
    }

    fn judged(&self, profile: &Profile) -> Vec<Diagnostic> {
        judge(self.facts, self.file, self.folder, profile, self.limits)
    }

    /// Whether the whole file is known to be UTF-8; what is not known has to be
    /// looked at.
    pub(super) fn is_utf8(&self) -> bool {
        self.facts.closing.is_some() && self.facts.invalid_utf8.is_none()
    }

    /// Returns what a text between fences says.
    pub(super) fn between(&self, text: &str) -> Rc<Facts> {
        let mut known = self.between.borrow_mut();
        if let Some((_, facts)) = known.iter().find(|(known, _)| known == text) {
            return Rc::clone(facts);
        }
        let facts = if self.reads_as(text) {
            Rc::new(self.facts.clone())
        } else {
            Rc::new(read_between(text, self.limits))
        };
        known.push((text.to_owned(), Rc::clone(&facts)));
        facts
    }

    /// Whether a text between fences says what was read already: where it is the
    /// same, but for a last line end that no block at its end needs.
    fn reads_as(&self, text: &str) -> bool {
        let Some(own) = own_inner(self.bytes, self.facts) else {
            return false;
        };
        let ends_alike = || {
            let fields = &self.facts.fields;
            own.strip_suffix(b"\n") == Some(text.as_bytes()) && !ends_in_block(fields)
        };
        own == text.as_bytes() || ends_alike()
    }

    /// Returns what the system of `profile` does with the SKILL.md.
    #[must_use]
    pub fn verdict(&self, profile: &Profile) -> ProfileVerdict {
        if profile.readers.is_empty() {
            return self.by_findings(profile);
        }
        let mut told = Vec::new();
        let mut first = None;
        for reader in profile.readers {
            let seen = survey(self, reader);
            told.extend(walk(&seen, self.file, self.folder, reader));
            first = first.or(Some(seen));
        }
        for told in &mut told {
            rest_on_our_own(told, self.facts, self.strict());
        }
        let outcome = worst(&told);
        let seen = first
            .filter(|_| outcome != Outcome::Drops)
            .unwrap_or_default();
        ProfileVerdict {
            outcome,
            told,
            name: seen.name,
            description: seen.description,
            body: (outcome != Outcome::Drops).then_some(seen.body),
        }
    }

    /// Returns all findings about the frontmatter and the file as a whole under
    /// any profile, in file order.
    ///
    /// Under a profile with a reader of its own, what makes it drop the skill is an
    /// error, what changes the skill or is unknown a warning, and any other breach
    /// of the specification a note. The system's own words follow ours.
    #[must_use]
    pub fn findings(&self, profile: &Profile) -> Vec<Diagnostic> {
        if profile.readers.is_empty() {
            return self.judged(profile);
        }
        let mut list = self.strict().to_vec();
        for found in &mut list {
            found.severity = Severity::Note;
        }
        for told in self.verdict(profile).told {
            let severity = match told.outcome {
                Outcome::Drops => Severity::Error,
                Outcome::Loads => Severity::Note,
                _ => Severity::Warning,
            };
            let words = spoken(profile, &told);
            let same = |found: &&mut Diagnostic| found.rule == told.rule;
            if let Some(found) = list.iter_mut().find(same) {
                found.severity = found.severity.max(severity);
                found.message = format!("{}; {words}", found.message);
            } else {
                list.push(Diagnostic::new(told.rule, severity, self.file, words).at(told.span));
            }
        }
        list.sort_by_key(|found| found.span);
        list
    }

    /// The verdict of a profile that has severities and no reader of its own.
    fn by_findings(&self, profile: &Profile) -> ProfileVerdict {
        let told: Vec<Told> = self
            .judged(profile)
            .into_iter()
            .map(|found| Told {
                reader: "",
                rule: found.rule,
                case: None,
                outcome: match found.severity {
                    Severity::Error => Outcome::Drops,
                    Severity::Warning => Outcome::LoadsWithWarning,
                    Severity::Note => Outcome::Loads,
                },
                text: found.message,
                span: found.span,
                evidence: Evidence::Docs,
            })
            .collect();
        let text = |key: &str| Some(self.facts.field(key)?.value.scalar()?.text.clone());
        ProfileVerdict {
            outcome: worst(&told),
            told,
            name: text("name"),
            description: text("description"),
            body: None,
        }
    }
}

/// Returns what stands between the fences as we see them.
fn own_inner<'a>(bytes: &'a [u8], facts: &Facts) -> Option<&'a [u8]> {
    facts.closing?;
    let start = bytes.iter().position(|&b| b == b'\n')? + 1;
    let head = bytes.get(start..facts.body)?;
    let head = head.strip_suffix(b"\n").unwrap_or(head);
    let end = head
        .iter()
        .rposition(|&b| b == b'\n')
        .map_or(0, |at| at + 1);
    head.get(..end)
}

/// Whether the last of `fields` may end in a block, whose text ends as the file
/// does.
fn ends_in_block(fields: &[Field]) -> bool {
    let mut last = fields.last().map(|field| &field.value);
    while let Some(value) = last {
        last = match &value.content {
            Content::Scalar(scalar) => {
                return !matches!(
                    scalar.style,
                    Some(Style::Plain | Style::Single | Style::Double)
                );
            }
            Content::Sequence(values) => values.last(),
            Content::Mapping(fields) => fields.last().map(|field| &field.value),
        };
    }
    // Without fields there may be anything.
    fields.is_empty()
}

/// Returns what the system of `profile` does with a SKILL.md; for several
/// profiles, [`Reading::verdict`] reads it once.
///
/// `file` is the path that texts name; `folder` is the name of the folder that
/// the SKILL.md lies in.
///
/// # Examples
///
/// ```
/// use std::path::Path;
/// use codeaf_skills::{Limits, skill::profile::{Outcome, Profile, verdict}};
///
/// let bytes = b"---\nname: a\ndescription: Use when: asked\n---\nBody.\n";
/// let file = Path::new("/s/a/SKILL.md");
/// let outcome = |name| {
///     let profile = Profile::named(name).unwrap();
///     verdict(bytes, file, "a", profile, &Limits::DEFAULT).outcome
/// };
///
/// assert_eq!(outcome("codex"), Outcome::Loads);
/// assert_eq!(outcome("albedo"), Outcome::Drops);
/// assert_eq!(outcome("cursor"), Outcome::Unknown);
/// ```
#[must_use]
pub fn verdict(
    bytes: &[u8],
    file: &Path,
    folder: &str,
    profile: &Profile,
    limits: &Limits,
) -> ProfileVerdict {
    let facts = frontmatter::read(bytes, limits);
    Reading::new(bytes, &facts, (file, folder), limits).verdict(profile)
}

/// Gives what a system says the rule and the place that our own finding on the
/// same fault has: to it, blanks behind a fence can mean that there is none.
fn rest_on_our_own(told: &mut Told, facts: &Facts, strict: &[Diagnostic]) {
    let blanks = |fence: Option<Fence>| fence.and_then(|fence| fence.blanks);
    let place = match (told.case, &facts.fault) {
        (
            Some(
                Case::EmptyFile
                | Case::NoOpening
                | Case::Unclosed
                | Case::NoFields
                | Case::NotAMapping
                | Case::SecondDocument
                | Case::NotYaml
                | Case::ReservedFirst
                | Case::TabIndent
                | Case::NotReadHere
                // What a reader of lines misses is what others cannot read.
                | Case::NameMissing
                | Case::DescriptionMissing,
            ),
            Some(fault),
        ) => Some((fault.rule, fault.span)),
        (Some(Case::NoOpening), None) => {
            blanks(facts.opening).map(|span| (Rule::FenceBlanks, span))
        }
        (Some(Case::Unclosed | Case::OddFence), None) => {
            let span = blanks(facts.opening).or(blanks(facts.closing));
            span.map(|span| (Rule::FenceBlanks, span))
        }
        _ => None,
    };
    let slipped = told.case.and_then(|case| slipped(case, facts));
    let is_missing = matches!(
        told.case,
        Some(Case::NameMissing | Case::DescriptionMissing | Case::NoFields)
    );
    let place = place.or_else(|| {
        let nothing = facts.fault.is_none() && facts.fields.is_empty() && is_missing;
        let closing = facts.closing.filter(|_| nothing)?;
        Some((Rule::NotAMapping, closing.span))
    });
    if let Some((rule, span)) = place.or(slipped) {
        (told.rule, told.span) = (rule, span);
    } else if told.span == Span::START
        && let Some(found) = strict.iter().find(|found| found.rule == told.rule)
    {
        told.span = found.span;
    } else if told.case == Some(Case::NameMismatch)
        && let Some(found) = strict.iter().find(|found| found.rule == Rule::NameInvalid)
    {
        // Mended, the name would be the folder's.
        (told.rule, told.span) = (found.rule, found.span);
    }
}

/// Gives what comes of a field that is indented by mistake the rule and the
/// place of that.
fn slipped(case: Case, facts: &Facts) -> Option<(Rule, Span)> {
    let slipped = facts.slipped.iter();
    let mut causes = slipped.filter(|slipped| match case {
        Case::ColonInValue | Case::ColonUnderHyphen | Case::ColonNested | Case::NotYaml => {
            !slipped.in_quotes
        }
        Case::DescriptionMissing => slipped.key == "description",
        Case::NameMissing => slipped.key == "name",
        Case::NamePattern | Case::NameTooLong | Case::NameMismatch => slipped.above == "name",
        _ => false,
    });
    causes.next().map(|cause| (slip_rule(cause), cause.span))
}

/// Returns the rule of a field that is a part of the value above.
fn slip_rule(slipped: &Slipped) -> Rule {
    match &*slipped.key {
        _ if !slipped.in_quotes => Rule::UnquotedColon,
        "name" => Rule::NameMissing,
        _ => Rule::DescriptionMissing,
    }
}

/// Returns all findings about the frontmatter and the file as a whole under any
/// profile, in file order.
///
/// Under a profile with a reader of its own, what makes it drop the skill is an
/// error, what changes the skill or is unknown a warning, and any other breach
/// of the specification a note. The system's own words follow ours. For several
/// profiles, [`Reading::findings`] reads it once.
///
/// # Examples
///
/// ```
/// use std::path::Path;
/// use codeaf_skills::{Limits, Severity, skill::profile::{Profile, findings}};
///
/// let bytes = b"---\nname: a\ndescription: 7\n---\nBody.\n";
/// let severity = |name| {
///     let profile = Profile::named(name).unwrap();
///     findings(bytes, Path::new("/s/a/SKILL.md"), "a", profile, &Limits::DEFAULT)[0].severity
/// };
///
/// assert_eq!(severity("opencode"), Severity::Error);
/// assert_eq!(severity("codex"), Severity::Note);
/// ```
#[must_use]
pub fn findings(
    bytes: &[u8],
    file: &Path,
    folder: &str,
    profile: &Profile,
    limits: &Limits,
) -> Vec<Diagnostic> {
    let facts = frontmatter::read(bytes, limits);
    Reading::new(bytes, &facts, (file, folder), limits).findings(profile)
}

/// Says in a few words what a system does.
fn spoken(profile: &Profile, told: &Told) -> String {
    let who = match told.reader {
        "" => profile.name,
        reader => reader,
    };
    let does = match told.outcome {
        Outcome::Loads => "loads it",
        Outcome::LoadsWithWarning => "loads it and warns",
        Outcome::LoadsChanged => "loads it changed",
        Outcome::Unknown => "may or may not take it, which nobody knows",
        Outcome::Drops => "drops the skill",
    };
    if told.text.is_empty() {
        format!("{who} {does}")
    } else {
        format!("{who} {does}: {}", told.text)
    }
}

fn worst(told: &[Told]) -> Outcome {
    let outcomes = told.iter().map(|told| told.outcome);
    outcomes.max().unwrap_or(Outcome::Loads)
}

/// Walks the table of one reader until the file is dropped.
fn walk(seen: &Survey, file: &Path, folder: &str, reader: &'static Reader) -> Vec<Told> {
    let mut list = Vec::new();
    let place = |case: Case| {
        let found = seen.cases.iter().find(|(known, _)| *known == case);
        found.map(|&(_, span)| span)
    };
    let told = |case: Case, effect: Effect, span, evidence| {
        let (outcome, text) = match effect {
            Effect::Loads => return None,
            Effect::Changes(what) => (Outcome::LoadsChanged, what),
            Effect::Warns(text) => (Outcome::LoadsWithWarning, text),
            Effect::Drops(text) => (Outcome::Drops, text),
            Effect::Unknown => (Outcome::Unknown, ""),
        };
        Some(Told {
            reader: reader.label,
            rule: case.rule(),
            case: Some(case),
            outcome,
            text: filled(text, seen, file, folder),
            span,
            evidence,
        })
    };
    for (case, effect, evidence) in reader.each_check() {
        let Some(span) = place(case) else { continue };
        list.extend(told(case, effect, span, evidence));
        if matches!(effect, Effect::Drops(_)) {
            return list;
        }
    }
    for &(case, span) in &seen.cases {
        if reader.each_check().all(|(known, ..)| known != case) {
            list.extend(told(case, Effect::Unknown, span, Evidence::Nobody));
        }
    }
    list
}

/// Puts a file's own texts into a system's words.
fn filled(text: &str, seen: &Survey, file: &Path, folder: &str) -> String {
    if !text.contains('{') {
        return text.to_owned();
    }
    let name = seen.name.as_deref().unwrap_or_default();
    let description = seen.description.as_deref().unwrap_or_default();
    text.replace("{file}", &file.display().to_string())
        .replace("{folder}", folder)
        .replace("{name bytes}", &name.len().to_string())
        .replace("{description bytes}", &description.len().to_string())
        .replace("{requirements}", &seen.requirements)
        .replace("{name}", name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// What is not read again would say the same.
        #[test]
        fn a_text_that_reads_as_our_own_has_our_facts(
            lines in prop::collection::vec(
                prop_oneof![
                    Just("a: b"), Just("a: b: c"), Just(" d: e"), Just("f: |"), Just("f: >-"),
                    Just("  g"), Just(""), Just("h: [i, j]"), Just("k:\t'l'"), Just("m: \"n"),
                    Just("o: &p q"), Just("r: *p"), Just("s: !t u"), Just("v: x # y"), Just("- z"),
                    Just("# c"), Just("name: w"), Just("  description: w"), Just("metadata:"),
                ],
                0..8,
            ),
        ) {
            let inner = [lines.join("\n").as_str(), "\n"].concat();
            let inner = if lines.is_empty() { String::new() } else { inner };
            let bytes = format!("---\n{inner}---\nBody.\n").into_bytes();
            let limits = Limits::DEFAULT;
            let facts = frontmatter::read(&bytes, &limits);
            let reading = Reading::new(&bytes, &facts, (Path::new("/s"), "s"), &limits);

            prop_assert!(reading.reads_as(&inner));
            let shorter = inner.strip_suffix('\n').unwrap_or(&inner);
            for text in [&*inner, shorter] {
                if reading.reads_as(text) {
                    let again = read_between(text, &limits);
                    prop_assert_eq!(&again.fields, &facts.fields);
                    prop_assert_eq!(&again.fault, &facts.fault);
                    prop_assert_eq!(&again.comments, &facts.comments);
                    prop_assert_eq!(&again.aliases, &facts.aliases);
                    prop_assert_eq!(&again.tags, &facts.tags);
                    prop_assert_eq!(&again.tabs, &facts.tabs);
                }
            }
        }
    }
}
