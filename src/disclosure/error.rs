//! Why a skill was not activated, with the codes and words that go out.

use std::borrow::Cow;
use std::path::PathBuf;

use super::cut;
use super::reply::{Outcome, row};
use crate::diagnostic::Diagnostic;
use crate::discovery::snapshot::DiscoveryError;
use crate::scope::Fault;
use crate::text::visible;

/// Why a skill was not activated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ActivationError {
    /// No skill bears the name.
    #[error("no skill is called {}", quoted(name))]
    NotFound {
        /// The name that was asked for.
        name: String,
        /// Names that may have been meant.
        near: Vec<String>,
        /// Whether something of that name is there and was not taken.
        is_broken: bool,
    },
    /// No skill in a folder bears the name, and whether a personal one does is
    /// not known.
    #[error(
        "no skill in a folder is called {}; {}: {}",
        quoted(name),
        fault.path.display(),
        fault.message
    )]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// Names that may have been meant.
        near: Vec<String>,
        /// Why the store of personal skills gives no answer.
        fault: Box<Diagnostic>,
    },
    /// No skill bears the name, and the folders could not be looked at again.
    #[error(
        "no skill is called {}, and the folders could not be looked at again",
        quoted(name)
    )]
    NotFoundAgain {
        /// The name that was asked for.
        name: String,
        /// Why not.
        source: DiscoveryError,
    },
    /// The skill is off.
    #[error("the skill {} is off", quoted(name))]
    Off {
        /// Its alias.
        name: String,
        /// What turns it on, behind the program's name: `on pdf --global`.
        on: String,
    },
    /// The skill is not among the allowed ones.
    #[error("the skill {} is not among the allowed skills", quoted(name))]
    NotAllowed {
        /// Its alias.
        name: String,
    },
    /// Both sources have the name.
    #[error("{} could be {}", quoted(name), aliases.join(" or "))]
    Ambiguous {
        /// The name that was asked for.
        name: String,
        /// The names that are not ambiguous.
        aliases: Vec<String>,
    },
    /// The file no longer says what the snapshot says.
    #[error(
        "the {what} of the skill {} changed since the skills were read",
        quoted(name)
    )]
    Changed {
        /// Its alias.
        name: String,
        /// What changed: `name`, `description` or `location`.
        what: &'static str,
        /// The SKILL.md; of a personal skill, its qualified name.
        location: PathBuf,
    },
    /// The SKILL.md cannot be read, or no longer loads.
    #[error("cannot read the skill {}: {diagnostic}", quoted(name))]
    Read {
        /// Its alias.
        name: String,
        /// Where and why.
        diagnostic: Box<Diagnostic>,
    },
    /// A scope file cannot be read, so that it is not known what is on.
    #[error("cannot tell which skills are on: {fault}")]
    ScopeUnreadable {
        /// Where and why.
        fault: Box<Fault>,
    },
    /// The tool was called with arguments that it does not have.
    #[error("{message}")]
    InvalidArguments {
        /// What is wrong with them.
        message: String,
    },
}

impl ActivationError {
    /// Returns the stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } | Self::NotFoundAgain { .. } => "skill_not_found",
            Self::Unknown { .. } => "skill_unknown",
            Self::Off { .. } => "skill_off",
            Self::NotAllowed { .. } => "skill_not_allowed",
            Self::Ambiguous { .. } => "skill_ambiguous",
            Self::Changed { .. } => "skill_changed",
            Self::Read { .. } => "skill_read_error",
            Self::ScopeUnreadable { .. } => "scope_unreadable",
            Self::InvalidArguments { .. } => "invalid_arguments",
        }
    }

    /// Returns what to do about it, if there is something to type or change.
    #[must_use]
    pub fn help(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::NotFound {
                name,
                is_broken: true,
                ..
            } => Some(
                format!(
                    "something of that name is there and was not taken: `codeaf-skills why {}` tells the fault",
                    bounded_name(name)
                )
                .into(),
            ),
            Self::NotFound { near, .. } if near.is_empty() => None,
            Self::NotFound { near, .. } => Some(did_you_mean(near).into()),
            Self::Unknown { near, fault, .. } => {
                let mend = fault.help.as_deref().map(Cow::Borrowed);
                match mend {
                    Some(mend) if !near.is_empty() => {
                        Some(format!("{} If not: {mend}", did_you_mean(near)).into())
                    }
                    mend => mend,
                }
            }
            Self::NotFoundAgain { .. } | Self::InvalidArguments { .. } => None,
            Self::Off { on, .. } => Some(format!("`codeaf-skills {on}` turns it on").into()),
            Self::NotAllowed { .. } => Some("the list is given with --allowed-skills".into()),
            Self::Ambiguous { aliases, .. } if aliases.len() == 1 => {
                Some("call it by this name".into())
            }
            Self::Ambiguous { .. } => Some("call it by one of these names".into()),
            Self::Changed { .. } => Some("`/reload` reads the skills again".into()),
            Self::Read { diagnostic, .. } => diagnostic.help.as_deref().map(Cow::Borrowed),
            Self::ScopeUnreadable { fault } => match &fault.diagnostic.help {
                Some(help) => Some(help.into()),
                None => Some("mend the file; `codeaf-skills list` shows what holds".into()),
            },
        }
    }

    /// Returns the row that a person sees: `skill pdf · off`.
    #[must_use]
    pub fn row(&self) -> String {
        let name = match self {
            Self::NotFound { name, .. }
            | Self::NotFoundAgain { name, .. }
            | Self::Unknown { name, .. }
            | Self::Off { name, .. }
            | Self::NotAllowed { name }
            | Self::Ambiguous { name, .. }
            | Self::Changed { name, .. }
            | Self::Read { name, .. } => name,
            Self::ScopeUnreadable { .. } | Self::InvalidArguments { .. } => "",
        };
        row(name, Outcome::Failed(self.outcome()))
    }

    /// Returns the words for a row: `not found`, `off`.
    #[must_use]
    pub fn outcome(&self) -> &'static str {
        match self {
            Self::NotFound { .. } | Self::NotFoundAgain { .. } => "not found",
            Self::Unknown { .. } => "unknown",
            Self::Off { .. } => "off",
            Self::NotAllowed { .. } => "not allowed",
            Self::Ambiguous { .. } => "ambiguous",
            Self::Changed { .. } => "changed",
            Self::Read { .. } => "cannot be read",
            Self::ScopeUnreadable { .. } => "scope file unreadable",
            Self::InvalidArguments { .. } => "invalid arguments",
        }
    }
}

fn did_you_mean(near: &[String]) -> String {
    let near: Vec<String> = near.iter().map(|name| quoted(name)).collect();
    format!("did you mean {}?", near.join(" or "))
}

/// Quotes a name that may be anything, and of any length.
pub(super) fn quoted(name: &str) -> String {
    format!("`{}`", bounded_name(name))
}

/// Returns a name that may be anything, fit for one line: a real one is 256
/// bytes at most, and one is known by its beginning.
pub(super) fn bounded_name(name: &str) -> String {
    const CHARACTERS: usize = 80;
    // Cut first, so that the work does not grow with what a model sends.
    let name = cut(name, CHARACTERS);
    cut(&visible(&name), CHARACTERS).into_owned()
}
