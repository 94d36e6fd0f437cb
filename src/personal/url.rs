//! Where a store is, as text: `sqlite:PATH`, `postgres://…`.
//!
//! A URL can hold a password, so no text that comes from here shows one.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::env::{Env, SQLITE};

/// What the URL of a PostgreSQL store begins with.
const POSTGRES: [&str; 2] = ["postgres://", "postgresql://"];

/// Where a store is.
#[derive(Clone, PartialEq, Eq)]
pub enum StoreUrl {
    /// A SQLite database: an absolute path. It need not be there.
    Sqlite(PathBuf),
    /// A PostgreSQL database: the URL, which can hold a password.
    Postgres(String),
}

/// Why a text names no store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadStore {
    /// It begins with nothing that is known.
    #[error("a store begins with `sqlite:` or `postgres://`")]
    UnknownKind,
    /// There is no path, or one from no folder.
    #[error("`sqlite:` wants a path behind it")]
    NoPath,
    /// `~` without a home folder.
    #[error("`~` is no folder without a home")]
    NoHome,
    /// The URL cannot be read.
    #[error("the URL of the store cannot be read: {cause}")]
    Malformed {
        /// What is wrong with it.
        cause: String,
    },
    /// The file of certificates cannot be read.
    #[error("the certificates in {} cannot be read: {cause}", file.display())]
    Roots {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        cause: String,
    },
    /// The back end is not built in.
    #[error("this build of codeaf-skills knows no {kind} stores")]
    NotBuiltIn {
        /// Which one.
        kind: &'static str,
    },
}

impl StoreUrl {
    /// Reads the URL of a store. `~/` stands for home; a relative path is taken
    /// from the starting folder.
    ///
    /// # Errors
    ///
    /// Returns why the text names no store. It never holds the text.
    ///
    /// # Examples
    ///
    /// ```
    /// use codeaf_skills::{Env, personal::StoreUrl};
    ///
    /// let url = StoreUrl::parse("sqlite:notes.db", &Env::new("/p")).unwrap();
    /// assert_eq!(url, StoreUrl::Sqlite("/p/notes.db".into()));
    /// assert!(StoreUrl::parse("mysql://db", &Env::new("/p")).is_err());
    /// ```
    pub fn parse(text: &str, env: &Env) -> Result<Self, BadStore> {
        if let Some(path) = text.strip_prefix(SQLITE) {
            return Ok(Self::Sqlite(match path.strip_prefix("~/") {
                _ if path.is_empty() => return Err(BadStore::NoPath),
                Some(rest) => env.home.as_ref().ok_or(BadStore::NoHome)?.join(rest),
                None => env.absolute(Path::new(path)),
            }));
        }
        if POSTGRES.iter().any(|scheme| text.starts_with(scheme)) {
            return Ok(Self::Postgres(text.to_owned()));
        }
        Err(BadStore::UnknownKind)
    }

    /// Returns the store that is used where nobody names one:
    /// `~/.codeaf/personal.db`.
    #[must_use]
    pub fn default_in(home: &Path) -> Self {
        Self::Sqlite(home.join(".codeaf/personal.db"))
    }

    /// Returns the name of the database system.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "SQLite",
            Self::Postgres(_) => "PostgreSQL",
        }
    }
}

impl fmt::Debug for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => f.debug_tuple("Sqlite").field(path).finish(),
            Self::Postgres(_) => f.debug_tuple("Postgres").finish_non_exhaustive(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_a_path_or_a_server() {
        let mut env = Env::new("/p");
        env.home = Some("/h".into());
        let sqlite = |path: &str| Ok(StoreUrl::Sqlite(path.into()));
        let server = "postgres://alice:secret@db/skills";

        for (text, store) in [
            ("sqlite:/x/y.db", sqlite("/x/y.db")),
            ("sqlite:y.db", sqlite("/p/y.db")),
            ("sqlite:~/y.db", sqlite("/h/y.db")),
            ("sqlite:", Err(BadStore::NoPath)),
            (server, Ok(StoreUrl::Postgres(server.to_owned()))),
            ("mysql://db", Err(BadStore::UnknownKind)),
            ("/x/y.db", Err(BadStore::UnknownKind)),
            ("", Err(BadStore::UnknownKind)),
        ] {
            assert_eq!(StoreUrl::parse(text, &env), store, "{text}");
        }
        assert_eq!(
            StoreUrl::parse("sqlite:~/y.db", &Env::new("/p")),
            Err(BadStore::NoHome)
        );
    }

    #[test]
    fn a_password_is_never_shown() {
        let url = StoreUrl::Postgres("postgres://alice:secret@db/skills".to_owned());

        assert!(!format!("{url:?}").contains("secret"));
    }
}
