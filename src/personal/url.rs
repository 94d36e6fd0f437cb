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
    /// A URL stands where the path should.
    #[error("`sqlite:` wants a path behind it, and another URL is there")]
    UrlForPath,
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
                _ if begins_with_scheme(path) => return Err(BadStore::UrlForPath),
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

fn begins_with_scheme(path: &str) -> bool {
    path.split_once("://")
        .is_some_and(|(scheme, _)| !scheme.is_empty() && scheme.chars().all(is_of_scheme))
}

fn is_of_scheme(c: char) -> bool {
    c.is_ascii_alphanumeric() || "+-.".contains(c)
}

/// Returns `text` with the passwords left out of the URLs in it, which name the
/// same places then.
///
/// # Examples
///
/// ```
/// use codeaf_skills::personal::without_passwords;
///
/// let url = without_passwords("postgres://alice:secret@db/skills?sslmode=require");
/// assert_eq!(url, "postgres://alice@db/skills?sslmode=require");
/// ```
#[must_use]
pub fn without_passwords(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, url) = rest.split_at(at + "://".len());
        let (url, behind) = url.split_at(end_of_url(&before[..at], url));
        kept.push_str(before);
        kept.push_str(&url_without_password(url));
        rest = behind;
    }
    kept + rest
}

/// Returns where the URL ends that `url` begins with: at the quote that closes
/// it, as a password can have blanks and quotes, or at a blank.
fn end_of_url(before: &str, url: &str) -> usize {
    let before = before.trim_end_matches(is_of_scheme);
    let quote = before.chars().next_back().filter(|c| "'`\"".contains(*c));
    let closing = quote.and_then(|quote| {
        let mut quotes = url.match_indices(quote).map(|(at, _)| at);
        quotes.find(|at| {
            let next = url[at + 1..].chars().next();
            next.is_none_or(|c| c.is_whitespace() || ".,;:)".contains(c))
        })
    });
    closing
        .or_else(|| url.find(char::is_whitespace))
        .unwrap_or(url.len())
}

fn url_without_password(url: &str) -> String {
    // Also where the password has an `@` or a `/` of its own.
    let (user, place) = match url.rsplit_once('@') {
        Some((user, place)) => (format!("{}@", user_name(user)), place),
        None => (String::new(), url),
    };
    let Some((place, options)) = place.split_once('?') else {
        return user + place;
    };
    // A key that is encoded can be this one too.
    let is_secret = |option: &&str| {
        let key = option.split('=').next().unwrap_or_default();
        key.contains('%') || key.eq_ignore_ascii_case("password")
    };
    let options: Vec<&str> = options.split('&').filter(|o| !is_secret(o)).collect();
    let mark = if options.is_empty() { "" } else { "?" };
    format!("{user}{place}{mark}{}", options.join("&"))
}

/// Returns what stands before the password; an encoded colon is a slip, and a
/// password follows it as well.
fn user_name(user: &str) -> &str {
    let lower = user.to_ascii_lowercase();
    let ends = [lower.find(':'), lower.find("%3a")];
    &user[..ends.into_iter().flatten().min().unwrap_or(user.len())]
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
            ("sqlite:postgres://u:secret@h/d", Err(BadStore::UrlForPath)),
            ("sqlite:///x/y.db", sqlite("///x/y.db")),
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
    fn passwords_are_left_out_of_urls_and_nothing_else_is() {
        for (text, shown) in [
            ("postgres://u:secret@h:1/d", "postgres://u@h:1/d"),
            ("postgres://u%3Asecret@h/d", "postgres://u@h/d"),
            ("postgres://u:s@e/cret@h/d", "postgres://u@h/d"),
            ("postgres://h/d?password=secret", "postgres://h/d"),
            (
                "postgres:///d?host=/run&p%61ssword=secret&user=u",
                "postgres:///d?host=/run&user=u",
            ),
            ("postgres://u@h:1/d?a=b", "postgres://u@h:1/d?a=b"),
            (
                "unexpected argument 'postgres://u:se cr'et@h/d' found",
                "unexpected argument 'postgres://u@h/d' found",
            ),
            (
                "`x --store postgres://u@h:1/d add`, `postgres://v:secret@h`.",
                "`x --store postgres://u@h:1/d add`, `postgres://v@h`.",
            ),
            ("a: b@c, see http://h:1/x", "a: b@c, see http://h:1/x"),
        ] {
            assert_eq!(without_passwords(text), shown, "{text}");
        }
    }

    #[test]
    fn a_password_is_never_shown() {
        let url = StoreUrl::Postgres("postgres://alice:secret@db/skills".to_owned());

        assert!(!format!("{url:?}").contains("secret"));
    }
}
