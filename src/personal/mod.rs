//! Personal skills: what a user keeps in a store of their own, and not in a
//! folder, so that it follows the user.
//!
//! This room decides what a personal skill is and what a store must do. It does
//! not know which of them are on, nor what a model is told of them.

mod contract;
#[cfg(test)]
pub(crate) mod test_store;

use std::fmt;
use std::time::Duration;

pub use contract::{PersonalSkill, read};

/// A store of personal skills.
///
/// Every call asks the store anew: what another program changed is seen. No
/// call waits longer than the store's patience.
pub trait PersonalStore: fmt::Debug + Send + Sync {
    /// Returns what people know the store by: a path, or a URL without its
    /// password.
    fn place(&self) -> &str;

    /// Returns what the store says of each of the user's skills, by name
    /// (bytes). Their texts are not read.
    ///
    /// # Errors
    ///
    /// Returns why the store gave no answer.
    fn list(&self) -> Result<Vec<Entry>, StoreFault>;

    /// Returns the text of the user's skill `name` as it was put in; `None` if
    /// there is no such skill.
    ///
    /// # Errors
    ///
    /// Returns why the store gave no answer.
    fn read(&self, name: &str) -> Result<Option<Vec<u8>>, StoreFault>;
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
    /// It did not answer in time.
    #[error("the store did not answer within {} seconds", patience.as_secs_f32())]
    Slow {
        /// How long it was waited for.
        patience: Duration,
    },
}
