//! Which agent takes which skill, and why not: skills by profiles.
//!
//! What an agent does is the profiles' business; here answers are laid side by
//! side, and one fault that several agents answer becomes one reason. This file
//! reads no file and does not know how a matrix looks.

use std::path::Path;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::Checked;
use super::rules::Record;
use crate::diagnostic::{Diagnostic, Rule, Severity, Span};
use crate::discovery::skill_file::SKILL_FILE;
use crate::limits::Limits;
use crate::skill::frontmatter;
use crate::skill::profile::{Outcome, Profile, Reading, Told};
use crate::text::path_text;

/// Rules of a SKILL.md that has no bytes to be judged.
const NOT_READ: [Rule; 6] = [
    Rule::FileTooLarge,
    Rule::LinkDangling,
    Rule::LinkRing,
    Rule::LinkLeaves,
    Rule::NotAFile,
    Rule::Unreadable,
];

/// What each of some profiles makes of each of some skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matrix<'a> {
    /// The columns.
    pub profiles: Vec<&'static Profile>,
    /// The rows, in the order of what was checked.
    pub rows: Vec<Row<'a>>,
    /// What is no skill, so that no agent has an answer to it.
    pub others: Vec<&'a Checked>,
}

/// One skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row<'a> {
    /// The skill with its findings.
    pub checked: &'a Checked,
    /// What each profile makes of it, in the order of [`Matrix::profiles`].
    pub outcomes: Vec<Outcome>,
    /// Why it is not [`Outcome::Loads`] throughout, in file order.
    pub reasons: Vec<Reason>,
}

/// One fault of one skill, with everyone who minds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The rule that it breaks.
    pub rule: Rule,
    /// Where it is.
    pub span: Span,
    /// What is wrong, in this program's words.
    pub message: String,
    /// Who does not simply load it, in the order of [`Matrix::profiles`].
    pub answers: Vec<Answer>,
}

/// What one profile answers to one fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The profile.
    pub profile: &'static Profile,
    /// What comes of this fault alone.
    pub outcome: Outcome,
    /// Which of the system's readers does so; empty where all of them do.
    pub reader: &'static str,
    /// The system's own words, or what changes in ours; empty where it has
    /// none, or nobody knows them.
    pub text: String,
}

impl<'a> Matrix<'a> {
    /// Asks each of `profiles` about each of `checked`.
    ///
    /// `spec` and `codeaf` answer for the findings beyond the frontmatter, too,
    /// as they do on their own. What could not be read, or is not called
    /// SKILL.md, is [`Outcome::Unknown`] to agents. Notes are left out.
    ///
    /// # Examples
    ///
    /// ```
    /// use codeaf_skills::Limits;
    /// use codeaf_skills::check::{self, Target, matrix::Matrix};
    /// use codeaf_skills::skill::profile::{Outcome, Profile};
    ///
    /// # fn main() -> std::io::Result<()> {
    /// # let folder = tempfile::tempdir()?;
    /// let file = folder.path().join("a/SKILL.md");
    /// # std::fs::create_dir(folder.path().join("a"))?;
    /// std::fs::write(&file, "---\nname: a\ndescription: Use when: asked\n---\nBody.\n")?;
    /// let checked = check::check(&[Target { file }], &[Profile::SPEC], &Limits::DEFAULT);
    /// let profiles = ["codex", "albedo", "coder"].map(|name| Profile::named(name).unwrap());
    ///
    /// let matrix = Matrix::of(&checked, &profiles, &Limits::DEFAULT);
    ///
    /// assert_eq!(matrix.rows[0].outcomes, [Outcome::Loads, Outcome::Drops, Outcome::Drops]);
    /// assert_eq!(matrix.rows[0].reasons.len(), 1, "one fault is told once");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn of(checked: &'a [Checked], profiles: &[&'static Profile], limits: &Limits) -> Self {
        let (skills, others): (Vec<&Checked>, Vec<&Checked>) =
            checked.iter().partition(|one| is_skill(one));
        let rows = skills.into_iter().map(|one| Row::of(one, profiles, limits));
        Self {
            profiles: profiles.to_vec(),
            rows: rows.collect(),
            others,
        }
    }
}

impl<'a> Row<'a> {
    fn of(checked: &'a Checked, profiles: &[&'static Profile], limits: &Limits) -> Self {
        let mut row = Self {
            checked,
            outcomes: vec![Outcome::Loads; profiles.len()],
            reasons: Vec::new(),
        };
        let mut known = Vec::new();
        if !is_unread(checked) {
            known = row.ask(profiles, limits);
        }
        row.add_findings(&known, profiles);
        row.reasons
            .sort_by_key(|reason| (reason.span.line, reason.span.column, reason.rule));
        row
    }

    /// Returns the worst outcome of the row.
    #[must_use]
    pub fn worst(&self) -> Outcome {
        let outcomes = self.outcomes.iter().copied();
        outcomes.max().unwrap_or(Outcome::Loads)
    }

    /// Asks each profile about the frontmatter and the file as a whole, and
    /// returns which rules on which lines that covers.
    fn ask(&mut self, profiles: &[&'static Profile], limits: &Limits) -> Vec<(Rule, u32)> {
        let bytes = &self.checked.bytes;
        let file = self.checked.target.file.as_path();
        let folder = file.parent().and_then(Path::file_name);
        let folder = folder.unwrap_or_default().to_string_lossy();
        let facts = frontmatter::read(bytes, limits);
        let reading = Reading::new(bytes, &facts, (file, &folder), limits);
        let strict = reading.strict();
        let place = |found: &Diagnostic| (found.rule, found.span.line);
        let mut known: Vec<(Rule, u32)> = strict.iter().map(place).collect();
        for (column, &profile) in profiles.iter().enumerate() {
            let verdict = reading.verdict(profile);
            self.outcomes[column] = verdict.outcome;
            for told in verdict.told {
                known.push((told.rule, told.span.line));
                if told.outcome != Outcome::Loads {
                    self.add_told(profile, told, strict);
                }
            }
        }
        known
    }

    fn add_told(&mut self, profile: &'static Profile, told: Told, strict: &[Diagnostic]) {
        let reason = self.reason(told.rule, told.span, || {
            our_words(told.rule, told.span, strict)
        });
        // Without a reader of their own, profiles speak in our words.
        let text = if profile.readers.is_empty() {
            String::new()
        } else {
            told.text
        };
        reason.add(Answer {
            profile,
            outcome: told.outcome,
            reader: told.reader,
            text,
        });
    }

    /// Adds what was found beyond what the profiles were asked about.
    fn add_findings(&mut self, known: &[(Rule, u32)], profiles: &[&'static Profile]) {
        let checked = self.checked;
        let is_unread = is_unread(checked);
        for found in &checked.findings {
            let is_known = known.contains(&(found.rule, found.span.line));
            let by_us = match found.severity {
                Severity::Error => Outcome::Drops,
                Severity::Warning => Outcome::LoadsWithWarning,
                Severity::Note => continue,
            };
            if is_known {
                continue;
            }
            let is_misnamed =
                found.rule == Rule::SkillFileName && found.path == checked.target.file;
            let is_out_of_sight = is_unread || is_misnamed;
            let reason = self.reason(found.rule, found.span, || found.message.clone());
            let mut answers = Vec::new();
            for (column, &profile) in profiles.iter().enumerate() {
                let outcome = match (profile.readers.is_empty(), is_out_of_sight) {
                    (true, _) => by_us,
                    (false, true) => Outcome::Unknown,
                    (false, false) => continue,
                };
                answers.push((column, outcome));
                reason.add(Answer {
                    profile,
                    outcome,
                    reader: "",
                    text: String::new(),
                });
            }
            for (column, outcome) in answers {
                self.outcomes[column] = self.outcomes[column].max(outcome);
            }
        }
    }

    /// Returns the reason of a rule at a place, a new one if there is none yet.
    fn reason(&mut self, rule: Rule, span: Span, message: impl Fn() -> String) -> &mut Reason {
        let is_it = |reason: &Reason| {
            let place = (reason.span.line, reason.span.column);
            reason.rule == rule && place == (span.line, span.column)
        };
        let index = self.reasons.iter().position(is_it).unwrap_or_else(|| {
            self.reasons.push(Reason {
                rule,
                span,
                message: message(),
                answers: Vec::new(),
            });
            self.reasons.len() - 1
        });
        &mut self.reasons[index]
    }
}

impl Reason {
    /// Adds an answer. Of several by one system, the worst stays; where all of
    /// its readers agree, none is named.
    fn add(&mut self, answer: Answer) {
        let known = self
            .answers
            .iter_mut()
            .find(|known| known.profile.name == answer.profile.name);
        match known {
            None => self.answers.push(answer),
            Some(known) if known.outcome < answer.outcome => *known = answer,
            Some(known) if known.outcome == answer.outcome && known.reader != answer.reader => {
                known.reader = "";
            }
            Some(_) => {}
        }
    }
}

impl Outcome {
    /// Returns the word that stands in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Loads => "loads",
            Self::LoadsWithWarning => "warns",
            Self::LoadsChanged => "changed",
            Self::Unknown => "unknown",
            Self::Drops => "drops",
        }
    }
}

/// Whether there were no bytes to judge.
fn is_unread(checked: &Checked) -> bool {
    let mut rules = checked.findings.iter().map(|found| found.rule);
    checked.bytes.is_empty() && rules.any(|rule| NOT_READ.contains(&rule))
}

/// Whether there is a file that is, or should be, a SKILL.md.
fn is_skill(checked: &Checked) -> bool {
    let mut rules = checked.findings.iter().map(|found| found.rule);
    let is_found = checked.target.file.ends_with(SKILL_FILE);
    is_found || !checked.bytes.is_empty() || rules.any(|rule| rule == Rule::SkillFileName)
}

/// Returns what our own finding on the same fault says, or what its rule is.
fn our_words(rule: Rule, span: Span, strict: &[Diagnostic]) -> String {
    let same = strict
        .iter()
        .find(|found| found.rule == rule && found.span.line == span.line);
    same.map_or_else(
        || Record::of(rule).title.to_owned(),
        |found| found.message.clone(),
    )
}

impl Serialize for Matrix<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let names: Vec<&str> = self.profiles.iter().map(|profile| profile.name).collect();
        let names = names.as_slice();
        let rows = self.rows.iter().map(|row| Skill::of(row, names));
        let others = self.others.iter().map(|other| Skill::none(other));
        let skills: Vec<Skill> = rows.chain(others).collect();
        let mut object = serializer.serialize_struct("Matrix", 3)?;
        object.serialize_field("version", &1)?;
        object.serialize_field("profiles", &names)?;
        object.serialize_field("skills", &skills)?;
        object.end()
    }
}

/// One element of `skills`.
struct Skill<'a> {
    checked: &'a Checked,
    verdicts: Entries<&'static str>,
    reasons: &'a [Reason],
}

impl<'a> Skill<'a> {
    fn of(row: &'a Row<'a>, names: &[&'static str]) -> Self {
        let outcomes = row.outcomes.iter().map(|outcome| outcome.as_str());
        Self {
            checked: row.checked,
            verdicts: Entries(names.iter().copied().zip(outcomes).collect()),
            reasons: &row.reasons,
        }
    }

    fn none(checked: &'a Checked) -> Self {
        Self {
            checked,
            verdicts: Entries(Vec::new()),
            reasons: &[],
        }
    }
}

impl Serialize for Skill<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let checked = self.checked;
        let mut object = serializer.serialize_struct("Skill", 6)?;
        object.serialize_field("location", &path_text(&checked.target.file))?;
        match &checked.name {
            Some(name) => object.serialize_field("name", name)?,
            None => object.skip_field("name")?,
        }
        object.serialize_field("verdict", &checked.verdict())?;
        object.serialize_field("verdicts", &self.verdicts)?;
        object.serialize_field("reasons", self.reasons)?;
        object.serialize_field("diagnostics", &checked.findings)?;
        object.end()
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let answers = self
            .answers
            .iter()
            .map(|answer| (answer.profile.name, answer));
        let mut object = serializer.serialize_struct("Reason", 5)?;
        object.serialize_field("rule", &self.rule)?;
        object.serialize_field("message", &self.message)?;
        object.serialize_field("line", &self.span.line)?;
        object.serialize_field("column", &self.span.column)?;
        object.serialize_field("agents", &Entries(answers.collect()))?;
        object.end()
    }
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Answer", 3)?;
        object.serialize_field("outcome", self.outcome.as_str())?;
        for (key, value) in [("reader", self.reader), ("text", &self.text)] {
            if value.is_empty() {
                object.skip_field(key)?;
            } else {
                object.serialize_field(key, value)?;
            }
        }
        object.end()
    }
}

/// A JSON object whose keys keep their order.
struct Entries<T>(Vec<(&'static str, T)>);

impl<T: Serialize> Serialize for Entries<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Target;
    use std::path::PathBuf;

    fn checked(folder: &str, text: &str, findings: Vec<Diagnostic>) -> Checked {
        Checked {
            target: Target {
                file: PathBuf::from(format!("/s/{folder}/SKILL.md")),
            },
            bytes: text.as_bytes().to_vec(),
            name: None,
            findings,
        }
    }

    fn named(names: &[&str]) -> Vec<&'static Profile> {
        names
            .iter()
            .map(|name| Profile::named(name).unwrap())
            .collect()
    }

    fn answers(reason: &Reason) -> Vec<(&str, &str)> {
        let answers = reason.answers.iter();
        answers
            .map(|answer| (answer.profile.name, answer.outcome.as_str()))
            .collect()
    }

    #[test]
    fn one_fault_is_one_reason_and_two_places_are_two() {
        let text =
            "---\nname: a\ndescription: Use when: asked\nversion: 1\nauthor: me\n---\nBody.\n";
        let all = [checked("a", text, Vec::new())];

        let matrix = Matrix::of(
            &all,
            &named(&["spec", "codeaf", "albedo", "vbot"]),
            &Limits::DEFAULT,
        );

        let reasons = &matrix.rows[0].reasons;
        let places: Vec<(Rule, u32)> = reasons
            .iter()
            .map(|reason| (reason.rule, reason.span.line))
            .collect();
        assert_eq!(
            places,
            [
                (Rule::UnquotedColon, 3),
                (Rule::UnknownField, 4),
                (Rule::UnknownField, 5)
            ]
        );
        assert_eq!(
            answers(&reasons[0]),
            [
                ("spec", "drops"),
                ("codeaf", "warns"),
                ("albedo", "drops"),
                ("vbot", "warns")
            ]
        );
        assert_eq!(
            answers(&reasons[1]),
            [("spec", "warns"), ("codeaf", "warns"), ("vbot", "unknown")]
        );
        assert!(reasons[1].message.contains("`version`"), "{reasons:?}");
        assert_eq!(reasons[0].answers[0].text, "", "our words stand above");
        assert_eq!(reasons[0].answers[2].text, "invalid YAML frontmatter");
    }

    #[test]
    fn every_cell_that_is_not_fine_has_a_reason_as_bad() {
        const FILES: [&str; 9] = [
            "",
            "no frontmatter",
            "---\nname: a\n",
            "\u{feff}---\nname: a\ndescription: d\n---\nb\n",
            "---\nname: A_b\n---\nb\n",
            "---\nname: a\ndescription: Use when: asked\n---\n",
            "---\nname: 7\ndescription: [x]\nname: b\n---\nb\n",
            "--- \nname: a\ndescription: d # e\n---\nb\n",
            "---\n\tname: @a\n---\nb\n",
        ];

        for text in FILES {
            let all = [checked("a", text, Vec::new())];
            let matrix = Matrix::of(&all, Profile::ALL, &Limits::DEFAULT);
            let row = &matrix.rows[0];
            for (&profile, &outcome) in matrix.profiles.iter().zip(&row.outcomes) {
                let answers = row.reasons.iter().flat_map(|reason| &reason.answers);
                let mine = answers.filter(|answer| answer.profile == profile);
                let worst = mine.map(|answer| answer.outcome).max();
                let worst = worst.unwrap_or(Outcome::Loads);
                assert_eq!(worst, outcome, "{} of {text:?}", profile.name);
            }
        }
    }

    #[test]
    fn what_was_not_read_is_unknown_to_agents_and_an_error_to_us() {
        let path = Path::new("/s/a/SKILL.md");
        let found = Diagnostic::error(Rule::Unreadable, path, "cannot be read");
        let all = [checked("a", "", vec![found])];

        let matrix = Matrix::of(&all, &named(&["spec", "codex"]), &Limits::DEFAULT);

        assert_eq!(matrix.rows[0].outcomes, [Outcome::Drops, Outcome::Unknown]);
        assert_eq!(matrix.rows[0].reasons[0].message, "cannot be read");
    }

    #[test]
    fn a_misnamed_file_is_nothing_that_anyone_knows_to_load() {
        let path = Path::new("/s/a/skill.md");
        let found = Diagnostic::error(Rule::SkillFileName, path, "is not called SKILL.md");
        let text = "---\nname: a\ndescription: d\n---\nb\n";
        let mut all = [checked("a", text, vec![found])];
        all[0].target.file = path.to_path_buf();

        let matrix = Matrix::of(&all, &named(&["codeaf", "codex"]), &Limits::DEFAULT);

        assert_eq!(matrix.rows[0].outcomes, [Outcome::Drops, Outcome::Unknown]);
    }

    #[test]
    fn what_lies_beyond_the_frontmatter_counts_for_our_own_profiles_alone() {
        let path = Path::new("/s/a/SKILL.md");
        let text = "---\nname: a\ndescription: d\n---\n[b](c.md)\n";
        let broken = Diagnostic::warning(Rule::LinkBroken, path, "`c.md` is not there");
        let remark = Diagnostic::note(Rule::TagInBody, path, "a tag");
        let all = [checked("a", text, vec![broken.at(Span::new(5, 5)), remark])];

        let matrix = Matrix::of(&all, &named(&["spec", "codex"]), &Limits::DEFAULT);

        assert_eq!(
            matrix.rows[0].outcomes,
            [Outcome::LoadsWithWarning, Outcome::Loads]
        );
        assert_eq!(matrix.rows[0].reasons.len(), 1);
        assert_eq!(answers(&matrix.rows[0].reasons[0]), [("spec", "warns")]);
    }

    #[test]
    fn what_is_no_skill_has_no_row() {
        let remark = Diagnostic::note(Rule::NoSkillFile, Path::new("/s/a"), "has no SKILL.md");
        let mut other = checked("a", "", vec![remark]);
        other.target.file = PathBuf::from("/s/a");
        let all = [other];

        let matrix = Matrix::of(&all, Profile::ALL, &Limits::DEFAULT);

        assert!(matrix.rows.is_empty());
        assert_eq!(matrix.others, [&all[0]]);
    }
}
