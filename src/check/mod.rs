//! Will this skill work, where, and how is it mended?
//!
//! Facts of one SKILL.md and of the files beside it come in; findings come out,
//! each of one [`Rule`]. What counts as a breach is the profile's business.

pub mod body;
pub mod config;
pub mod fix;
pub mod rules;
pub mod targets;

use std::path::PathBuf;

use serde::Serialize;

use crate::diagnostic::{Diagnostic, Severity};

/// One SKILL.md to be checked.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    /// The SKILL.md, or the file that should be called so; absolute.
    pub file: PathBuf,
}

/// What came of checking one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// What was checked.
    pub target: Target,
    /// The file's bytes, for showing lines of it; empty if it could not be read.
    pub bytes: Vec<u8>,
    /// The name that the skill goes by, if it has one.
    pub name: Option<String>,
    /// All findings, in file order.
    pub findings: Vec<Diagnostic>,
}

impl Checked {
    /// Returns the gravest finding's meaning for the whole skill.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match self.findings.iter().map(|found| found.severity).max() {
            Some(Severity::Error) => Verdict::Error,
            Some(Severity::Warning) => Verdict::Warning,
            _ => Verdict::Ok,
        }
    }
}

/// How a skill fares under a profile. Notes do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// No error and no warning.
    Ok,
    /// It works, and may not work elsewhere or as meant.
    Warning,
    /// It breaks a rule of the profile.
    Error,
}
