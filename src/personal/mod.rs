//! Personal skills: what a user keeps in a store of their own, and not in a
//! folder, so that it follows the user.
//!
//! This room decides what a personal skill is and what a store must do. It does
//! not know which of them are on, nor what a model is told of them. A back end
//! is one file behind one feature; without either feature there is no store,
//! and an engine can still bring its own.

mod contract;
mod error;
mod export;
#[cfg(feature = "personal-postgres")]
mod postgres;
#[cfg(feature = "personal")]
mod sqlite;
#[cfg(test)]
pub(crate) mod test_store;
mod url;

use std::fmt;
use std::sync::Arc;

pub use contract::{PersonalSkill, for_model, read};
pub use error::{PersonalError, StoreFault};
pub use export::{ExportError, export};
pub use url::{BadStore, StoreUrl, without_passwords};

use crate::env::Env;
#[cfg(feature = "personal")]
use crate::limits::Limits;
#[cfg(feature = "personal")]
use crate::name::is_kebab;

/// The SQL that the owner of a PostgreSQL database runs once, so that it can
/// keep the personal skills of a team: tables, rules, roles, rights.
pub const TEAM_SQL: &str = include_str!("migrations/postgres/0001.sql");

/// A store of personal skills.
///
/// Every call asks the store anew: what another program changed is seen. No
/// call waits much longer than [`Limits::store_patience`], or, where it writes,
/// [`Limits::lock_patience`].
///
/// [`Limits::store_patience`]: crate::Limits::store_patience
/// [`Limits::lock_patience`]: crate::Limits::lock_patience
pub trait PersonalStore: fmt::Debug + Send + Sync {
    /// Returns what people know the store by: a path, or a URL without its
    /// password.
    fn place(&self) -> &str;

    /// Returns what the store says of each skill of `owner`, by name (bytes).
    /// Their texts are not read. The default store has none while it does not
    /// exist; one that was named is not there then.
    ///
    /// # Errors
    ///
    /// Returns why the store gave no answer.
    fn list(&self, owner: Owner<'_>) -> Result<Vec<Entry>, StoreFault>;

    /// Returns the text of the skill `name` of `owner` as it was put in; `None`
    /// if there is no such skill, or the user may not see it.
    ///
    /// # Errors
    ///
    /// Returns why the store gave no answer.
    fn read(&self, owner: Owner<'_>, name: &str) -> Result<Option<Vec<u8>>, StoreFault>;

    /// Puts in a new skill of the user.
    ///
    /// # Errors
    ///
    /// Returns an error if the user has a skill of this name or as many skills
    /// as there may be, or the store gave no answer. Nothing is stored then.
    fn add(&self, skill: &PersonalSkill) -> Result<(), PersonalError>;

    /// Puts another text in the place of the user's skill of this name. Returns
    /// whether it was another one.
    ///
    /// # Errors
    ///
    /// Returns an error if the user has no skill of this name, or the store gave
    /// no answer. Nothing is stored then.
    fn replace(&self, skill: &PersonalSkill) -> Result<bool, PersonalError>;

    /// Takes a skill out.
    ///
    /// # Errors
    ///
    /// Returns an error if `owner` has no skill of this name, or none that the
    /// user may see, or the store gave no answer.
    fn remove(&self, owner: Owner<'_>, name: &str) -> Result<(), PersonalError>;

    /// Returns what was changed after the record `after` (0 for all), the oldest
    /// change first and at most `most` of them: of all skills that the user may
    /// see the records of, or of those called `name`.
    ///
    /// A record holds two texts, so that all of them at once can be too many.
    ///
    /// # Errors
    ///
    /// Returns why the store gave no answer.
    fn audit(&self, name: Option<&str>, after: i64, most: usize)
    -> Result<Vec<Record>, StoreFault>;
}

/// Whose skills are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner<'a> {
    /// Those of whoever asks.
    Me,
    /// Those of another user of the store, for its administrators.
    User(&'a str),
}

/// What a store says of a skill without reading its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name.
    pub name: String,
    /// The description; empty if it has none.
    pub description: String,
    /// Bytes of the text, frontmatter included.
    pub size: u64,
    /// Something that is another one after each change of the text.
    pub revision: String,
    /// When the text was last changed, in UTC: `2026-11-30T20:15:00.000Z`.
    pub updated: String,
}

/// One change, as the store wrote it down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its number; later changes have greater ones.
    pub id: i64,
    /// When, in UTC: `2026-11-30T20:15:00.000Z`.
    pub time: String,
    /// Who made the change.
    pub actor: String,
    /// Whose skill it is.
    pub owner: String,
    /// The skill's name.
    pub skill: String,
    /// What was done.
    pub action: Action,
    /// The text before; `None` where there was none.
    pub before: Option<Vec<u8>>,
    /// The text after; `None` where there is none.
    pub after: Option<Vec<u8>>,
}

/// What a change did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// A skill was put in.
    Add,
    /// Its text was replaced.
    Replace,
    /// It was taken out.
    Remove,
}

impl Action {
    /// Every action.
    pub const ALL: [Self; 3] = [Self::Add, Self::Replace, Self::Remove];

    /// Returns the word that stands in output, in JSON and in the stores.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Replace => "replace",
            Self::Remove => "remove",
        }
    }
}

/// Returns the store at `url`. Nothing is opened, and nothing made.
///
/// # Errors
///
/// Returns an error if this build has no back end for it.
pub fn open(url: &StoreUrl, env: &Env) -> Result<Arc<dyn PersonalStore>, BadStore> {
    match url {
        #[cfg(feature = "personal")]
        StoreUrl::Sqlite(path) => Ok(Arc::new(sqlite::SqliteStore::new(path, env))),
        #[cfg(feature = "personal-postgres")]
        StoreUrl::Postgres(url) => Ok(Arc::new(postgres::PostgresStore::new(url, env)?)),
        #[cfg(not(all(feature = "personal", feature = "personal-postgres")))]
        _ => {
            let _ = env;
            Err(BadStore::NotBuiltIn { kind: url.kind() })
        }
    }
}

/// Refuses entries that break the rules: somebody made the store by hand.
#[cfg(feature = "personal")]
fn checked(entries: Vec<Entry>) -> Result<Vec<Entry>, StoreFault> {
    let damaged = |cause: String| Err(StoreFault::Damaged { cause });
    if entries.len() > Limits::PERSONAL_SKILLS {
        let most = Limits::PERSONAL_SKILLS;
        return damaged(format!("it holds over {most} skills of one user"));
    }
    for entry in &entries {
        let is_good = is_kebab(&entry.name)
            && entry.name.len() <= Limits::PERSONAL_NAME_BYTES
            && entry.description.len() <= Limits::PERSONAL_DESCRIPTION_BYTES
            && entry.size <= Limits::PERSONAL_TEXT_BYTES as u64;
        if !is_good {
            return damaged("it holds a skill that breaks the rules".to_owned());
        }
    }
    Ok(entries)
}
