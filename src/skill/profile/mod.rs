//! What one agent system accepts, as data, and the one judge that reads it.
//!
//! Each system's table stands in a file of its own, with the evidence beside
//! each value. No profile has code of its own, and this file reads no file.

mod albedo;
mod breach;
mod case;
mod claude_code;
mod codeaf;
mod coder;
mod codex;
mod copilot;
mod cursor;
mod frame;
mod gemini_cli;
mod goose;
mod opencode;
mod reader;
mod requirements;
mod spec;
mod survey;
mod vbot;
mod verdict;

use std::path::Path;

use super::frontmatter::Facts;
use super::loading;
use crate::diagnostic::{Diagnostic, Severity};
use crate::limits::Limits;

pub use breach::Breach;
pub use case::Case;
pub use reader::{
    Base, Body, Characters, Effect, Evidence, Fallback, FenceLine, LineEnds, Links, PlaceCase,
    Places, Reader, SameName, Scalars, TextRule, Trim, Unit, Which,
};
pub use requirements::Requirements;
pub use verdict::{Outcome, ProfileVerdict, Reading, Told, findings, verdict};

/// What one agent system accepts.
#[derive(Debug, PartialEq, Eq)]
pub struct Profile {
    /// Its name, as `--profile` takes it.
    pub name: &'static str,
    /// Fields beyond the specification's that the system acts on.
    pub acts_on: &'static [(&'static str, Evidence)],
    /// How bad each breach is; one that is not here is not worth a word.
    pub severities: &'static [(Breach, Severity)],
    /// Where the system looks for skills.
    pub places: &'static Places,
    /// How it reads them; none where the severities say all.
    pub readers: &'static [Reader],
}

impl Profile {
    /// The specification as written.
    pub const SPEC: &'static Self = &spec::SPEC;
    /// The lenient reading of discovery.
    pub const CODEAF: &'static Self = &codeaf::CODEAF;

    /// coder, skills of a workspace.
    pub const CODER: &'static Self = &coder::CODER;
    /// coder, skills that a user keeps in its database.
    pub const CODER_PERSONAL: &'static Self = &coder::CODER_PERSONAL;

    /// Every profile of files on disk, in the order of a matrix.
    pub const ALL: &'static [&'static Self] = &[
        Self::SPEC,
        Self::CODEAF,
        Self::CODER,
        &albedo::ALBEDO,
        &vbot::VBOT,
        &claude_code::CLAUDE_CODE,
        &codex::CODEX,
        &gemini_cli::GEMINI_CLI,
        &opencode::OPENCODE,
        &goose::GOOSE,
        &copilot::COPILOT,
        &cursor::CURSOR,
    ];

    /// Returns the profile called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|profile| profile.name == name)
    }

    /// Returns who acts on the field `key`, which the specification does not have.
    ///
    /// # Examples
    ///
    /// ```
    /// use codeaf_skills::skill::profile::Profile;
    ///
    /// let names: Vec<_> = Profile::acting_on("paths").map(|profile| profile.name).collect();
    /// assert_eq!(names, ["claude-code", "cursor"]);
    /// ```
    pub fn acting_on(key: &str) -> impl Iterator<Item = &'static Self> {
        let acts = move |profile: &&Self| profile.acts_on.iter().any(|(known, _)| *known == key);
        Self::ALL.iter().copied().filter(acts)
    }

    /// Returns how bad `breach` is, if it is worth a word.
    #[must_use]
    pub fn severity(&self, breach: Breach) -> Option<Severity> {
        let found = self.severities.iter().find(|(known, _)| *known == breach);
        found.map(|&(_, severity)| severity)
    }
}

/// Returns all findings about the frontmatter and the file as a whole, in file
/// order, as bad as `profile` has them.
///
/// It is for `spec` and `codeaf`; under any profile, use [`findings`].
///
/// `file` is the path that diagnostics name; `folder` is the name of the
/// folder that the SKILL.md lies in.
///
/// # Examples
///
/// ```
/// use std::path::Path;
/// use codeaf_skills::{Limits, Severity, skill::frontmatter, skill::profile::{Profile, judge}};
///
/// let limits = Limits::DEFAULT;
/// let facts = frontmatter::read(b"---\nname: pdf\ndescription: 2026\n---\n", &limits);
/// let file = Path::new("/s/pdf/SKILL.md");
///
/// let strict = judge(&facts, file, "pdf", Profile::SPEC, &limits);
/// assert_eq!(strict[0].severity, Severity::Error);
/// let lenient = judge(&facts, file, "pdf", Profile::CODEAF, &limits);
/// assert_eq!(lenient[0].severity, Severity::Warning);
/// ```
#[must_use]
pub fn judge(
    facts: &Facts,
    file: &Path,
    folder: &str,
    profile: &Profile,
    limits: &Limits,
) -> Vec<Diagnostic> {
    loading::judge(facts, file, folder, profile, limits).diagnostics
}

#[cfg(test)]
mod matrix_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod vector_tests;
