//! What a personal skill must be: coder's contract, in its order of checks.
//!
//! The checks themselves are a table of the room `skill`; here they become a
//! skill or a refusal with its limit and its value. This file reads no store.

use std::path::Path;

use super::error::PersonalError;
use crate::diagnostic::{Diagnostic, Rule, Span};
use crate::limits::Limits;
use crate::name::is_kebab;
use crate::skill::frontmatter::{self, Facts};
use crate::skill::profile::{Case, Outcome, Profile, Told, verdict};
use crate::text::without_comments;

/// A text that is a personal skill. Only [`read`] makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PersonalSkill {
    /// Its name.
    pub name: String,
    /// Its description; empty if it has none.
    pub description: String,
    /// Its body without HTML comments and the white space around it.
    pub body: Vec<u8>,
    /// The whole text as it was given, which is what a store keeps.
    pub text: Vec<u8>,
}

/// Reads a text as a personal skill.
///
/// `place` is what a finding in the frontmatter names.
///
/// # Errors
///
/// Returns the first check of the contract that the text does not pass: its
/// size, the fences, the YAML, a name, a description that is text, the pattern
/// of the name, its length, the length of the description, a body. After coder's
/// checks comes one of ours: a NUL, and what is not UTF-8, is no text.
///
/// # Examples
///
/// ```
/// use std::path::Path;
/// use codeaf_skills::{Limits, PersonalError, personal};
///
/// let read = |text: &str| personal::read(text.as_bytes(), Path::new("note.md"), &Limits::DEFAULT);
///
/// let skill = read("---\nname: note\n---\nWrite it down. <!-- or not -->\n").unwrap();
/// assert_eq!((skill.name.as_str(), skill.description.as_str()), ("note", ""));
/// assert_eq!(skill.body, b"Write it down.");
///
/// let refusal = read("---\nname: note\n---\n<!-- nothing -->\n").unwrap_err();
/// assert_eq!(refusal, PersonalError::BodyRequired { name: "note".into() });
/// ```
pub fn read(text: &[u8], place: &Path, limits: &Limits) -> Result<PersonalSkill, PersonalError> {
    let most = Limits::PERSONAL_TEXT_BYTES;
    // Before anything is read, so that what is huge costs nothing.
    if text.len() > most {
        return Err(PersonalError::TooLarge {
            size: Some(text.len() as u64),
            most: most as u64,
        });
    }
    let verdict = verdict(text, place, "", Profile::CODER_PERSONAL, limits);
    let refuses = |told: &&Told| matches!(told.outcome, Outcome::Drops | Outcome::Unknown);
    if let Some(told) = verdict.told.iter().find(refuses) {
        return Err(refusal(told, text, place, limits));
    }
    match (verdict.name, verdict.body) {
        (Some(name), Some(body)) if is_kebab(&name) => {
            let description = verdict.description.unwrap_or_default();
            if let Some(found) = no_text(text, &description, place, limits) {
                return Err(PersonalError::InvalidContent(Box::new(found)));
            }
            Ok(PersonalSkill {
                name,
                description,
                body,
                text: text.to_vec(),
            })
        }
        _ => Err(PersonalError::InvalidName {
            reason: "there is none".to_owned(),
        }),
    }
}

/// Returns the text of a personal skill as a model gets it: the frontmatter as it
/// is, the body without HTML comments and the white space around it.
///
/// Comments go inside code fences too, as coder has it: what is a comment does
/// not depend on Markdown.
#[must_use]
pub fn for_model(text: &[u8], limits: &Limits) -> Vec<u8> {
    let body = frontmatter::read(text, limits).body.min(text.len());
    let (frontmatter, body) = text.split_at(body);
    [frontmatter, &trimmed(&without_comments(body))].concat()
}

/// Returns `text` without Unicode white space at its ends.
fn trimmed(text: &[u8]) -> Vec<u8> {
    let shown = String::from_utf8_lossy(text);
    // What is cut off is white space, and so the same bytes in both.
    let end = text.len() - (shown.len() - shown.trim_end().len());
    let start = shown.len() - shown.trim_start().len();
    text[start.min(end)..end].to_vec()
}

/// Says what the first check that failed found.
fn refusal(told: &Told, text: &[u8], place: &Path, limits: &Limits) -> PersonalError {
    let facts = frontmatter::read(text, limits);
    let field = |key| {
        let scalar = facts.field(key).and_then(|field| field.value.scalar());
        let text = scalar.map_or("", |scalar| scalar.text.as_str());
        text.trim_end_matches(['\r', '\n'])
    };
    let name = || field("name").to_owned();
    match told.case {
        Some(
            Case::NameMissing
            | Case::NameNull
            | Case::NameNumber
            | Case::NameBoolean
            | Case::NameList
            | Case::NameMapping
            | Case::NameEmpty,
        ) => PersonalError::InvalidName {
            reason: "the frontmatter must have a `name` that is text".to_owned(),
        },
        Some(Case::NamePattern) => PersonalError::InvalidName {
            reason: format!("`{}` must match ^[a-z0-9]+(-[a-z0-9]+)*$", name()),
        },
        Some(Case::NameTooLong) => PersonalError::InvalidName {
            reason: format!(
                "it has {} bytes, and {} are the most",
                name().len(),
                Limits::PERSONAL_NAME_BYTES
            ),
        },
        Some(Case::DescriptionTooLong) => PersonalError::DescriptionTooLarge {
            size: field("description").len(),
            most: Limits::PERSONAL_DESCRIPTION_BYTES,
        },
        Some(Case::BodyEmpty) => PersonalError::BodyRequired { name: name() },
        _ => PersonalError::InvalidContent(Box::new(content_fault(told, &facts, place))),
    }
}

/// Finds what stores keep each in its own way, and no model reads: a NUL, and
/// bytes that are not UTF-8.
fn no_text(text: &[u8], description: &str, place: &Path, limits: &Limits) -> Option<Diagnostic> {
    let is_text = !text.contains(&0) && std::str::from_utf8(text).is_ok();
    if is_text && !description.contains('\0') {
        return None;
    }
    let facts = frontmatter::read(text, limits);
    let field = facts.field("description").map(|field| field.value.span);
    let (rule, span, message, help) = match (&facts.invalid_utf8, &facts.nul) {
        (Some(found), _) => (
            Rule::InvalidUtf8,
            Some(found.span),
            "this is not UTF-8 text",
            "save the file as UTF-8",
        ),
        (_, Some(found)) => (
            Rule::NulInBody,
            Some(found.span),
            "a NUL byte is no text",
            "take it out",
        ),
        _ => (
            Rule::YamlControlCharacter,
            field,
            "the description holds a NUL, which is no text",
            "take `\\0` out of it",
        ),
    };
    Some(
        Diagnostic::error(rule, place, message)
            .at(span.unwrap_or(Span::START))
            .with_help(help),
    )
}

/// Makes the finding on a text that is no skill, with the next step.
fn content_fault(told: &Told, facts: &Facts, place: &Path) -> Diagnostic {
    let (message, help) = match (told.case, &facts.fault) {
        (Some(Case::NoOpening | Case::EmptyFile), _) => (
            "there is no frontmatter: the first line must be `---`",
            "begin with the lines `---`, `name: NAME`, `---`, and write the instructions below",
        ),
        (Some(Case::Unclosed), _) => (
            "the frontmatter is not closed",
            "put a line `---` behind its last field",
        ),
        (Some(Case::FrontmatterNotUtf8), _) => (
            "the frontmatter is not UTF-8 text",
            "save the file as UTF-8",
        ),
        (Some(Case::KnownTwice | Case::OtherTwice), _) => (
            "a field stands twice in the frontmatter",
            "keep one of the two",
        ),
        (Some(Case::ColonInValue | Case::ColonUnderHyphen | Case::ColonNested), _) => (
            "a value in the frontmatter holds a colon and a blank",
            "put the value between quotes",
        ),
        (
            Some(
                Case::DescriptionNull
                | Case::DescriptionNumber
                | Case::DescriptionBoolean
                | Case::DescriptionList
                | Case::DescriptionMapping
                | Case::DescriptionMappingOnLine,
            ),
            _,
        ) => (
            "the description must be text",
            "put it between quotes, or leave the field out",
        ),
        (_, Some(fault)) => {
            let told = Diagnostic::error(fault.rule, place, fault.message.as_str());
            return Diagnostic {
                help: fault.help.clone(),
                ..told.at(fault.span)
            };
        }
        _ => (
            "the frontmatter cannot be read",
            "it is lines of `key: value` between two lines `---`",
        ),
    };
    Diagnostic::error(told.rule, place, message)
        .at(told.span)
        .with_help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: impl AsRef<[u8]>) -> String {
        match read(text.as_ref(), Path::new("x.md"), &Limits::DEFAULT) {
            Ok(skill) => format!("ok {}", skill.name),
            Err(error) => format!("{}: {error}", error.code()),
        }
    }

    /// Coder's table 1.4 and its tests, in the order of the checks: each text
    /// breaks every check from the one that it names on.
    #[test]
    fn the_first_check_that_fails_is_the_refusal() {
        let long = "a".repeat(257);
        let wide = "d".repeat(4_097);
        for (text, refusal) in [
            (
                "a".repeat(65_537),
                "skill-too-large: the skill is too large: it has 65537 bytes, and 65536 are the most".to_owned(),
            ),
            (
                "a".repeat(65_536),
                "invalid-skill-content: the text is not a skill: x.md:1:1: error[frontmatter-missing]: there is no frontmatter: the first line must be `---`".to_owned(),
            ),
            (
                "---\nname: [\n".to_owned(),
                "invalid-skill-content: the text is not a skill: x.md:1:1: error[frontmatter-unclosed]: the frontmatter is not closed".to_owned(),
            ),
            (
                "---\nname: \"a\nb: 1\n---\n".to_owned(),
                String::new(),
            ),
            (
                format!("---\nname: null\ndescription: {wide}\n---\n"),
                "invalid-skill-name: invalid skill name: the frontmatter must have a `name` that is text".to_owned(),
            ),
            (
                "---\ndescription: 7\n---\n".to_owned(),
                "invalid-skill-name: invalid skill name: the frontmatter must have a `name` that is text".to_owned(),
            ),
            (
                "---\nname: Not_Kebab\ndescription: 7\n---\n".to_owned(),
                "invalid-skill-content: the text is not a skill: x.md:3:14: error[field-type]: the description must be text".to_owned(),
            ),
            (
                format!("---\nname: {long}_\ndescription: {wide}\n---\n"),
                format!("invalid-skill-name: invalid skill name: `{long}_` must match ^[a-z0-9]+(-[a-z0-9]+)*$"),
            ),
            (
                format!("---\nname: {long}\ndescription: {wide}\n---\n"),
                "invalid-skill-name: invalid skill name: it has 257 bytes, and 256 are the most".to_owned(),
            ),
            (
                format!("---\nname: a\ndescription: {wide}\n---\n"),
                "skill-description-too-large: the description is too large: it has 4097 bytes, and 4096 are the most".to_owned(),
            ),
            (
                "---\nname: a\n---\n <!-- only\na comment --> \n".to_owned(),
                "skill-body-required: the skill `a` has no body: only comments and blanks follow the frontmatter".to_owned(),
            ),
            (
                format!("---\nname: {}\ndescription: {}\n---\nB", &long[1..], &wide[1..]),
                format!("ok {}", &long[1..]),
            ),
        ] {
            let found = words(&text);
            if refusal.is_empty() {
                assert!(found.starts_with("invalid-skill-content: "), "{found}");
            } else {
                assert_eq!(found, refusal);
            }
        }
    }

    #[test]
    fn what_is_no_text_is_refused_with_its_place() {
        for (text, refusal) in [
            (
                &b"---\nname: a\ndescription: \"x\\0y\"\n---\nB"[..],
                "x.md:3:14: error[yaml-control-character]: the description holds a NUL, which is no text",
            ),
            (
                b"---\nname: a\n---\nB\n b\0",
                "x.md:5:3: error[nul-in-body]: a NUL byte is no text",
            ),
            (
                b"---\nname: a\n---\nB\xff",
                "x.md:4:2: error[invalid-utf8]: this is not UTF-8 text",
            ),
        ] {
            let refusal = format!("invalid-skill-content: the text is not a skill: {refusal}");
            assert_eq!(words(text), refusal);
        }
        let other = words(b"---\nname: B\n---\n\0");
        assert!(other.starts_with("invalid-skill-name"), "{other}");
    }

    #[test]
    fn a_model_gets_no_comments_and_the_frontmatter_as_it_is() {
        for (text, got) in [
            (
                "---\nname: a\ndescription: D <!-- d -->\n---\n\n A <!-- b\n --> B\n\n",
                "---\nname: a\ndescription: D <!-- d -->\n---\nA  B",
            ),
            (
                "---\nname: a\n---\n```html\n<!-- c -->x\n```\n",
                "---\nname: a\n---\n```html\nx\n```",
            ),
            ("---\nname: a\n---\n\u{2003}\n", "---\nname: a\n---\n"),
            ("no skill", "no skill"),
        ] {
            let found = for_model(text.as_bytes(), &Limits::DEFAULT);
            assert_eq!(String::from_utf8(found).unwrap(), got);
        }
        let odd = for_model(b"---\nname: a\n---\n\xff b \xfe \n", &Limits::DEFAULT);
        assert_eq!(odd, b"---\nname: a\n---\n\xff b \xfe");
    }

    /// Coder's table CF, as far as a personal skill can be stored.
    #[test]
    fn coders_vectors_hold() {
        for (number, text, name, description, body) in [
            (
                "CF1",
                "---\nname: my-skill\ndescription: Does a thing\n---\nBody\n",
                "my-skill",
                "Does a thing",
                "Body",
            ),
            (
                "CF2",
                "---\r\nname: a\r\n---\r\nline1\r\nline2\r\n",
                "a",
                "",
                "line1\r\nline2",
            ),
            (
                "CF3",
                "---\nname: a\ndescription: >\n  one\n  two\n\n  three\n---\nB",
                "a",
                "one two\nthree",
                "B",
            ),
            (
                "CF4",
                "---\nname: a\ndescription: |\n  one\n  two\n---\nB",
                "a",
                "one\ntwo",
                "B",
            ),
            ("CF6", "---\nname: yes\n---\nB", "yes", "", "B"),
            (
                "CF12",
                "---\nname: a\ndescription: Build # test\n---\nB",
                "a",
                "Build",
                "B",
            ),
            (
                "CF13",
                "---\nname: a\ndescription: |\n  one\n  ---\n  two\n---\nB",
                "a",
                "one",
                "two\n---\nB",
            ),
            ("CF15", "---\nname: \"a\\n\"\n---\nB", "a", "", "B"),
            (
                "CF16",
                "---\nname: a\nx: !!python/x y\n---\nB",
                "a",
                "",
                "B",
            ),
            ("BOM", "\u{feff}---\nname: a\n---\nB", "a", "", "B"),
            (
                "CC1",
                "---\nname: a\n---\nBefore <!-- hidden --> after.",
                "a",
                "",
                "Before  after.",
            ),
            (
                "CC8",
                "---\nname: a\n---\n<!<!-- x -->-- y -->z",
                "a",
                "",
                "<!-- y -->z",
            ),
            (
                "CC9",
                "---\nname: a\ndescription: hi <!-- c --> there\n---\nB",
                "a",
                "hi <!-- c --> there",
                "B",
            ),
        ] {
            let skill = read(text.as_bytes(), Path::new("x"), &Limits::DEFAULT).unwrap();
            let found = (skill.name.as_str(), skill.description.as_str(), skill.body);
            assert_eq!(
                found,
                (name, description, body.as_bytes().to_vec()),
                "{number}"
            );
            assert_eq!(skill.text, text.as_bytes(), "{number}");
        }
        // Coder's reader keeps such bytes; its interface cannot carry them.
        let odd = words(b"---\nname: a\n---\nB\xff");
        assert!(odd.starts_with("invalid-skill-content"), "CF20: {odd}");
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_a_place_or_a_reason() {
        for (number, text, part) in [
            ("CF5", "---\nname: 123\n---\nB", "invalid-skill-name"),
            ("CF5", "---\nname: 2024-01-01\n---\nB", "invalid-skill-name"),
            ("CF7", "---\nname: ''\n---\nB", "invalid-skill-name"),
            (
                "CF8",
                "---\nname: a\ndescription:\n---\nB",
                "the description must be text",
            ),
            (
                "CF8",
                "---\nname: a\ndescription: [x]\n---\nB",
                "the description must be text",
            ),
            (
                "CF9",
                "---\nname: a\ndescription: Use mode: careful\n---\nB",
                "holds a colon and a blank",
            ),
            ("CF10", "---\nname: a\nname: b\n---\nB", "stands twice"),
            ("CF11", "---\nName: a\n---\nB", "invalid-skill-name"),
            ("CF14", "---\nname: \"a \"\n---\nB", "must match"),
            ("CF17", "\n---\nname: a\n---\nB", "there is no frontmatter"),
            (
                "CF17",
                "\u{feff}\u{feff}---\nname: a\n---\nB",
                "there is no frontmatter",
            ),
            ("CF18", "---", "is not closed"),
            (
                "CF22",
                "---\nname: a\nx: \"y\n---\nB",
                "invalid-skill-content",
            ),
            ("NUL", "---\nname: a\0\n---\nB", "invalid-skill-content"),
            ("empty", "", "there is no frontmatter"),
        ] {
            let found = words(text);
            assert!(found.contains(part), "{number}: {found}");
        }
        assert!(
            words(b"---\nname: a\nx: \xff\n---\nB").contains("not UTF-8"),
            "CF19"
        );
    }

    #[test]
    fn every_refusal_has_a_code_and_a_next_step() {
        for text in [
            "",
            "---",
            "---\nx: 1\n---\n",
            "---\nname: A\n---\n",
            "---\nname: a\n---\n",
        ] {
            let error = read(text.as_bytes(), Path::new("x"), &Limits::DEFAULT).unwrap_err();
            assert!(error.help().is_some(), "{error}");
            assert!(!error.to_string().ends_with('.'), "{error}");
        }
    }

    /// The numbers stand in two tables, and in those of the stores.
    #[test]
    fn the_bounds_are_those_of_the_profile() {
        let [reader] = Profile::CODER_PERSONAL.readers else {
            panic!("one reader");
        };
        let most = |rule: crate::skill::profile::TextRule| rule.most.map(|(most, _)| most);
        assert_eq!(reader.file_bytes, Some(Limits::PERSONAL_TEXT_BYTES));
        assert_eq!(most(reader.name), Some(Limits::PERSONAL_NAME_BYTES));
        assert_eq!(
            most(reader.description),
            Some(Limits::PERSONAL_DESCRIPTION_BYTES)
        );
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics_and_what_is_read_keeps_the_contract(text in "(---\n)?(name: [a-zA-Z-]{0,4}\n)?(description: [a-z:# ]{0,6}\n)?(---\n)?[a<>!-]{0,12}") {
            if let Ok(skill) = read(text.as_bytes(), Path::new("x"), &Limits::DEFAULT) {
                assert!(is_kebab(&skill.name) && !skill.body.is_empty());
                assert_eq!(skill.text, text.as_bytes());
                let _ = without_comments(&skill.body);
            }
        }
    }
}
