//! Who decided: scopes, their files, and the one rule.
//!
//! This file decides which scopes there are and that their order is the
//! precedence. [`mod@file`] reads what a scope file says, [`resolution`] applies
//! the one rule, and [`store`] is the only code that writes. None of them
//! knows what a skill is beyond its name.

mod document;
mod edit;
pub mod file;
pub mod resolution;
pub mod store;
mod style;

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

pub use edit::Change;
pub use file::{Decision, Decisions, Fault, Place};
pub use resolution::{Cause, Missing, Resolution, Scopes, Step, Subject, resolve};
pub use store::{Edited, Outcome, Preview, StoreError, attach, begin, edit, load, preview};

/// Where a decision can be written. The order is the precedence: the greater,
/// the narrower, the stronger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// All of the user's projects: `~/.codeaf/skills.json`.
    Global,
    /// One project: `.codeaf/skills.json` in its folder.
    Project,
    /// One conversation: the key `skills` of its `meta.json`.
    Conversation,
}

impl Scope {
    /// Every scope, from the widest to the narrowest.
    pub const ALL: [Self; 3] = [Self::Global, Self::Project, Self::Conversation];

    /// Returns the word that stands in output and in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Project => "project",
            Self::Conversation => "conversation",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Whether the model may see a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// In the catalog, and callable.
    On,
    /// Not in the catalog; a person can still use it.
    Off,
}

impl State {
    /// Both states, in the order of the lists in a scope file.
    pub const ALL: [Self; 2] = [Self::On, Self::Off];

    /// Returns the word that stands in output and in JSON; it is also the key
    /// of the list in a scope file.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Off => "off",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where the decisions of one scope live.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopePath {
    /// Which scope it is; it also says where in the file the lists are.
    pub scope: Scope,
    /// The scope file; absolute. It need not exist.
    pub file: PathBuf,
    /// The real folder that a link may not leave when the file is written.
    ///
    /// A project's file comes from whoever wrote the repository, so a link in
    /// it must not lead a write elsewhere. `None`: links are followed wherever
    /// they lead.
    pub within: Option<PathBuf>,
}
