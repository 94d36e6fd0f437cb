//! What a personal skill must be: coder's contract, in its order of checks.
//!
//! The checks themselves are a table of the room `skill`; here they become a
//! skill or a refusal. This file reads no store.

use std::path::Path;

use crate::diagnostic::{Diagnostic, Rule};
use crate::limits::Limits;
use crate::skill::profile::{Outcome, Profile, verdict};

/// A text that is a personal skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonalSkill {
    /// Its name.
    pub name: String,
    /// Its description; empty if it has none.
    pub description: String,
    /// Its body without HTML comments and the white space around it.
    pub body: Vec<u8>,
}

/// Reads a text as a personal skill.
///
/// `place` is what a refusal names.
///
/// # Errors
///
/// Returns the first check of the contract that the text does not pass.
///
/// # Examples
///
/// ```
/// use std::path::Path;
/// use codeaf_skills::{Limits, personal};
///
/// let text = b"---\nname: note\n---\nWrite it down. <!-- or not -->\n";
/// let skill = personal::read(text, Path::new("note.md"), &Limits::DEFAULT).unwrap();
///
/// assert_eq!((skill.name.as_str(), skill.description.as_str()), ("note", ""));
/// assert_eq!(skill.body, b"Write it down.");
/// ```
pub fn read(text: &[u8], place: &Path, limits: &Limits) -> Result<PersonalSkill, Box<Diagnostic>> {
    let verdict = verdict(text, place, "", Profile::CODER_PERSONAL, limits);
    let is_refusal = |outcome: Outcome| matches!(outcome, Outcome::Drops | Outcome::Unknown);
    if let Some(told) = verdict.told.iter().find(|told| is_refusal(told.outcome)) {
        let refusal = Diagnostic::error(told.rule, place, told.text.as_str()).at(told.span);
        return Err(Box::new(refusal));
    }
    match (verdict.name, verdict.body) {
        (Some(name), Some(body)) => Ok(PersonalSkill {
            name,
            description: verdict.description.unwrap_or_default(),
            body,
        }),
        _ => Err(Box::new(Diagnostic::error(
            Rule::Unreadable,
            place,
            "is no personal skill",
        ))),
    }
}
