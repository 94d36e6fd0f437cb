//! Why a personal skill was refused, and why a store gave no answer.

use std::time::Duration;

use crate::diagnostic::{Diagnostic, Rule};

/// Why a personal skill was not put in, replaced or taken out. Nothing was
/// stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PersonalError {
    /// The text has too many bytes (coder: `skill is too large`).
    #[error("the skill is too large: it has {}, and {most} are the most", bytes(*size, *most))]
    TooLarge {
        /// Bytes of the text; `None` where nobody read to its end.
        size: Option<u64>,
        /// The most bytes.
        most: u64,
    },
    /// The frontmatter cannot be read, or its description is not text.
    #[error("the text is not a skill: {0}")]
    InvalidContent(Box<Diagnostic>),
    /// There is no name, or one that does not fit (coder: `invalid skill name`).
    #[error("invalid skill name: {reason}")]
    InvalidName {
        /// What is wrong with it.
        reason: String,
    },
    /// The description has too many bytes (coder: `skill description is too
    /// large`).
    #[error("the description is too large: it has {size} bytes, and {most} are the most")]
    DescriptionTooLarge {
        /// Bytes of the description.
        size: usize,
        /// The most bytes.
        most: usize,
    },
    /// Nothing is left of the body (coder: `skill body is required`).
    #[error("the skill `{name}` has no body: only comments and blanks follow the frontmatter")]
    BodyRequired {
        /// The skill's name.
        name: String,
    },
    /// The text has another name than the skill that it is to replace.
    #[error("the text is called `{found}`, and a skill cannot be renamed")]
    NameMismatch {
        /// The name of the skill.
        name: String,
        /// The name in the text.
        found: String,
    },
    /// There is no such skill (coder: `skill not found`).
    #[error("no personal skill is called `{name}`")]
    NotFound {
        /// The name that was asked for.
        name: String,
    },
    /// The user has a skill of this name.
    #[error("there is a personal skill `{name}` already")]
    Exists {
        /// The name.
        name: String,
    },
    /// The user has as many skills as there may be.
    #[error("there are {most} personal skills already, and {most} are the most")]
    LimitReached {
        /// The most skills of one user.
        most: usize,
    },
    /// The store gave no answer. Whether it took the change is not known where
    /// it was slow.
    #[error(transparent)]
    Store(#[from] StoreFault),
}

impl PersonalError {
    /// Returns the stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "skill-too-large",
            Self::InvalidContent(_) => "invalid-skill-content",
            Self::InvalidName { .. } => "invalid-skill-name",
            Self::DescriptionTooLarge { .. } => "skill-description-too-large",
            Self::BodyRequired { .. } => "skill-body-required",
            Self::NameMismatch { .. } => "skill-name-mismatch",
            Self::NotFound { .. } => "skill-not-found",
            Self::Exists { .. } => "skill-exists",
            Self::LimitReached { .. } => "skill-limit-reached",
            Self::Store(fault) => fault.code(),
        }
    }

    /// Returns the next step.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::TooLarge { .. } => {
                "a personal skill is one text: keep to what the model must read each time".into()
            }
            Self::InvalidContent(found) => return found.help.clone(),
            Self::InvalidName { .. } => {
                "a name is lower-case letters and digits with single hyphens between them: `code-review`".into()
            }
            Self::DescriptionTooLarge { .. } => {
                "say in a sentence or two when the skill is to be used; the rest belongs below the frontmatter".into()
            }
            Self::BodyRequired { .. } => "write the instructions below the frontmatter".into(),
            Self::NameMismatch { name, found } => format!(
                "add it as `{found}` with `codeaf-skills personal add`, then remove the old one: `codeaf-skills personal rm {name}`"
            ),
            Self::NotFound { .. } => "`codeaf-skills personal list` shows which there are".into(),
            Self::Exists { name } => {
                format!("`codeaf-skills personal replace {name} FILE` puts another text in its place")
            }
            Self::LimitReached { .. } => {
                "remove one that you no longer need: `codeaf-skills personal rm NAME`".into()
            }
            Self::Store(fault) => return fault.help(),
        })
    }
}

fn bytes(size: Option<u64>, most: u64) -> String {
    size.map_or(format!("more than {most} bytes"), |size| {
        format!("{size} bytes")
    })
}

/// Why a store gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreFault {
    /// Nothing answers there, or it answers no.
    #[error("the store cannot be reached: {cause}")]
    Away {
        /// What the system or the server said.
        cause: String,
    },
    /// It is a file, and the system refuses to open it or what lies beside it.
    #[error("the store cannot be read: {cause}")]
    Unreadable {
        /// What the system said.
        cause: String,
    },
    /// The server is there, and does not know the user or the database.
    #[error("the store cannot be reached: {cause}")]
    Unknown {
        /// What the server said.
        cause: String,
    },
    /// It was named, and no file is there.
    #[error("there is no store: no file is there")]
    Absent,
    /// It did not answer in time.
    #[error("the store did not answer within {} s", patience.as_secs_f32())]
    Slow {
        /// How long it was waited for.
        patience: Duration,
    },
    /// It did not say in time whether it took a change.
    #[error("the store did not say within {} s whether it took the change", patience.as_secs_f32())]
    Unsure {
        /// How long it was waited for.
        patience: Duration,
    },
    /// It lets the user in, but not to personal skills.
    #[error("the store refuses: {cause}")]
    NotAllowed {
        /// What the server said.
        cause: String,
    },
    /// It shows the skills of others to administrators alone.
    #[error("the store shows the skills of others to its administrators alone")]
    NoAdministrator,
    /// Another program holds it.
    #[error("the store is locked by another program for over {} s", patience.as_secs_f32())]
    Locked {
        /// How long it was waited for.
        patience: Duration,
    },
    /// A later version of this program made it.
    #[error("the store has version {found}, and this program knows versions up to {known}")]
    Newer {
        /// The store's version.
        found: i64,
        /// The latest version that this program knows.
        known: i64,
    },
    /// The database is there, and nobody made the tables.
    #[error("the database is not set up for personal skills")]
    NotSetUp,
    /// It is no store, or one whose content breaks the rules.
    #[error("this is no store of personal skills: {cause}")]
    Damaged {
        /// What is wrong.
        cause: String,
    },
    /// It cannot be written.
    #[error("the store cannot be written: {cause}")]
    NotWritten {
        /// What the system or the server said.
        cause: String,
    },
    /// A store of one person has no other users.
    #[error("a SQLite store has one owner, and no other users")]
    OneOwner,
    /// Nobody can tell which store is meant.
    #[error("which store is meant is not known: {cause}")]
    NoPlace {
        /// Why not.
        cause: String,
        /// What names the store, and must be mended: a flag, a variable, a file.
        named_by: String,
    },
}

impl StoreFault {
    /// Returns the stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            // Never findings: nothing is written or asked of others unasked.
            Self::NotWritten { .. } => "store-not-written",
            Self::OneOwner => "store-one-owner",
            fault => fault.rule().code(),
        }
    }

    /// Returns the kind of finding that it is where skills are listed.
    #[must_use]
    pub fn rule(&self) -> Rule {
        match self {
            Self::NotAllowed { .. } | Self::NoAdministrator => Rule::StoreNotAllowed,
            Self::Newer { .. } => Rule::StoreNewer,
            Self::NotSetUp => Rule::StoreNotSetUp,
            Self::Damaged { .. } => Rule::StoreDamaged,
            Self::NoPlace { .. } => Rule::StoreUnknown,
            _ => Rule::StoreUnreachable,
        }
    }

    /// Returns the next step.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        let help = match self {
            Self::Away { .. } | Self::Slow { .. } => {
                "try again; `--store`, CODEAF_SKILLS_STORE or `\"store\"` in the global scope file name the store"
            }
            Self::Unreadable { .. } => {
                "see with `ls -l` who may read the file, and who may write the files `-wal` and `-shm` beside it and their folder"
            }
            Self::Unknown { .. } => {
                "check the user, the password and the database in the URL, or ask the owner of the server for them"
            }
            Self::Absent => "check the path; `codeaf-skills personal add FILE` makes a store there",
            Self::Unsure { .. } => "look with `codeaf-skills personal list` before you try again",
            Self::NotAllowed { .. } => {
                "let the owner of the database grant you the role codeaf_skills_user"
            }
            Self::NoAdministrator => {
                "let the owner of the database grant you the role codeaf_skills_admin"
            }
            Self::Locked { .. } => "end the program that holds it, then try again",
            Self::Newer { .. } => "update codeaf-skills on this machine",
            Self::NotSetUp => {
                "let the owner of the database run what `codeaf-skills personal init-team` prints"
            }
            Self::Damaged { .. } => {
                "name another store, bring the file back from a backup, or move it away"
            }
            Self::NotWritten { .. } => {
                "see that its folder is there, who owns it, and whether the disk is full"
            }
            Self::OneOwner => {
                "name the PostgreSQL store with `--store`; for your own skills leave `admin --user NAME` out"
            }
            Self::NoPlace { named_by, .. } => {
                return Some(format!(
                    "mend {named_by}, or name another store with `--store`"
                ));
            }
        };
        Some(help.to_owned())
    }
}
