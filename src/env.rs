//! What the program was started with: folders, variables, choices.
//!
//! An [`Env`] is handed in and never read from the process, so that a test, a
//! server with many users and the program all call the same functions.

use std::ffi::OsString;
use std::fmt;
use std::path::{Component, Path, PathBuf};

use crate::limits::Limits;

/// What the URL of a SQLite store begins with.
pub(crate) const SQLITE: &str = "sqlite:";

/// Everything around a call: where it starts, whose home it is, what was asked.
#[derive(Debug, Clone)]
pub struct Env {
    /// The starting folder: absolute, links resolved.
    pub start: PathBuf,
    /// The folder that holds `.codeaf/skills.json` and the home roots;
    /// `CODEAF_HOME`, or the login home. Without one there is no global scope.
    pub home: Option<PathBuf>,
    /// The login home, which is never a project even when `home` is moved.
    pub login_home: Option<PathBuf>,
    /// Roots that come first, in order: `--skills-dir`, then
    /// `CODEAF_SKILLS_PATH`.
    pub given_roots: Vec<PathBuf>,
    /// Attached folders beyond those of the conversation, in order.
    pub folders: Vec<PathBuf>,
    /// The conversation: a folder, its `meta.json`, or a 16-digit id.
    pub conversation: Option<PathBuf>,
    /// Whether project scope may say only *off*.
    pub ignore_project_on: bool,
    /// Which skills may be activated by name.
    pub allowed: Allowed,
    /// The store of personal skills: `--store`, or `CODEAF_SKILLS_STORE`.
    /// Without one the global scope file decides, and else the default.
    pub store: Option<StoreChoice>,
    /// Whether a store that gives no answer is an error: `--require-store`.
    pub require_store: bool,
    /// The password for a PostgreSQL store whose URL has none: `PGPASSWORD`.
    pub store_password: Option<Secret>,
    /// The file of certificates, in PEM form, that a PostgreSQL server on another
    /// machine is held against: `PGSSLROOTCERT`. Without one those count that
    /// browsers trust.
    pub store_roots: Option<PathBuf>,
    /// Who changes personal skills, for the record of a SQLite store. No variable
    /// says it, so [`from_variables`](Self::from_variables) leaves it out; who
    /// changes a skill fills it in, with a name that the user cannot choose, or
    /// the record says `unknown`.
    pub user: Option<String>,
    /// Bounds on what is read.
    pub limits: Limits,
}

/// Which store of personal skills was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreChoice {
    /// None: there are no personal skills.
    None,
    /// The one at this URL: `sqlite:PATH` or `postgres://…`. A relative path is
    /// taken from the starting folder.
    Url(Secret),
}

/// A text that holds a password, or may; its `Debug` form does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub String);

impl Secret {
    /// Returns what may be shown of the URL of a store: one of SQLite is a path,
    /// any other can hold a password and is `…`, however it is spelled.
    #[must_use]
    pub fn shown(&self) -> &str {
        if self.0.starts_with(SQLITE) {
            &self.0
        } else {
            "…"
        }
    }

    /// Returns whether the text has what looks like a password: a URL with one
    /// beside the user's name, or a setting of that name.
    pub(crate) fn has_password(&self) -> bool {
        // Also where the password has a `/` of its own.
        let in_url = self.0.split_once("://").is_some_and(|(_, after)| {
            let user = after.rsplit_once('@').map(|(user, _)| user);
            user.is_some_and(|user| user.contains(':'))
        });
        in_url || self.0.to_ascii_lowercase().contains("password=")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Env {
    /// Makes an environment that starts in `start` and has no home.
    #[must_use]
    pub fn new(start: impl Into<PathBuf>) -> Self {
        Self {
            start: start.into(),
            home: None,
            login_home: None,
            given_roots: Vec::new(),
            folders: Vec::new(),
            conversation: None,
            ignore_project_on: false,
            allowed: Allowed::All,
            store: None,
            require_store: false,
            store_password: None,
            store_roots: None,
            user: None,
            limits: Limits::DEFAULT,
        }
    }

    /// Makes an environment from variables.
    ///
    /// `CODEAF_HOME` counts if it is not empty; else `HOME` if it is an absolute
    /// path; an empty or relative `HOME` means that there is no home; without
    /// `HOME`, the home is `account_home`. Relative paths in variables are taken
    /// from `working_folder`, which `-C` does not move.
    #[must_use]
    pub fn from_variables(
        working_folder: &Path,
        variable: impl Fn(&str) -> Option<OsString>,
        account_home: impl FnOnce() -> Option<PathBuf>,
    ) -> Self {
        let filled = |name: &str| variable(name).filter(|value| !value.is_empty());
        let login_home = match variable("HOME") {
            Some(home) => Some(PathBuf::from(home)).filter(|path| path.is_absolute()),
            None => account_home().filter(|path| path.is_absolute()),
        };
        let home =
            filled("CODEAF_HOME").map(|home| Self::new(working_folder).absolute(Path::new(&home)));
        let skills_path = filled("CODEAF_SKILLS_PATH").unwrap_or_default();
        Self {
            home: home.or_else(|| login_home.clone()),
            login_home,
            given_roots: std::env::split_paths(&skills_path)
                .filter(|path| !path.as_os_str().is_empty())
                .map(|path| Self::new(working_folder).absolute(&path))
                .collect(),
            conversation: filled("CODEAF_CONVERSATION").map(|path| {
                if is_conversation_id(Path::new(&path)) {
                    PathBuf::from(path)
                } else {
                    Self::new(working_folder).absolute(Path::new(&path))
                }
            }),
            store: filled("CODEAF_SKILLS_STORE").map(|url| {
                let url = url.to_string_lossy();
                StoreChoice::Url(Secret(match url.strip_prefix(SQLITE) {
                    Some(path) if !path.starts_with("~/") => {
                        let path = Self::new(working_folder).absolute(Path::new(path));
                        format!("{SQLITE}{}", path.display())
                    }
                    _ => url.into_owned(),
                }))
            }),
            store_password: filled("PGPASSWORD")
                .map(|password| Secret(password.to_string_lossy().into_owned())),
            store_roots: filled("PGSSLROOTCERT")
                .map(|file| Self::new(working_folder).absolute(Path::new(&file))),
            ..Self::new(working_folder)
        }
    }
}

impl Env {
    /// Returns `path` from the starting folder, absolute.
    ///
    /// A path that goes up (`..`) is resolved, because what stands behind a link
    /// cannot be told from the text; any other one stays as it was written.
    #[must_use]
    pub fn absolute(&self, path: &Path) -> PathBuf {
        let joined = self.start.join(path);
        let is_plain = |part| matches!(part, Component::Normal(_) | Component::RootDir);
        if joined.components().all(is_plain) {
            // Drops what `components` passes over: `.` and doubled slashes.
            return joined.components().collect();
        }
        joined.canonicalize().unwrap_or(joined)
    }
}

/// Which skills may be activated: `--allowed-skills`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Allowed {
    /// Not given, or `*`.
    #[default]
    All,
    /// These names, bare or qualified; none if the list is empty.
    Only(Vec<String>),
}

impl Allowed {
    /// Reads a comma list; `*` anywhere in it means all.
    ///
    /// # Examples
    ///
    /// ```
    /// use codeaf_skills::Allowed;
    ///
    /// assert_eq!(Allowed::parse("*"), Allowed::All);
    /// assert_eq!(Allowed::parse(""), Allowed::Only(vec![]));
    /// assert!(Allowed::parse("pdf, review").permits(["review"]));
    /// assert!(!Allowed::parse("pdf").permits(["review"]));
    /// ```
    #[must_use]
    pub fn parse(list: &str) -> Self {
        let names: Vec<String> = list
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(|name| crate::text::nfc(name).into_owned())
            .collect();
        if names.iter().any(|name| name == "*") {
            Self::All
        } else {
            Self::Only(names)
        }
    }

    /// Returns whether a skill that goes by any of `names` may be activated.
    #[must_use]
    pub fn permits<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> bool {
        match self {
            Self::All => true,
            Self::Only(allowed) => names
                .into_iter()
                .any(|name| allowed.iter().any(|permitted| permitted == name)),
        }
    }
}

/// Returns whether `path` is a bare conversation id: 16 hexadecimal digits.
#[must_use]
pub fn is_conversation_id(path: &Path) -> bool {
    path.to_str()
        .is_some_and(|text| text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn homes(
        variables: &[(&str, &str)],
        account: Option<&str>,
    ) -> (Option<PathBuf>, Option<PathBuf>) {
        let env = Env::from_variables(
            Path::new("/start"),
            |name| {
                variables
                    .iter()
                    .find(|(key, _)| *key == name)
                    .map(|(_, value)| OsString::from(value))
            },
            || account.map(PathBuf::from),
        );
        (env.home, env.login_home)
    }

    #[test]
    fn home_is_moved_by_its_own_variable_and_never_relative() {
        let path = |text: &str| Some(PathBuf::from(text));

        for (variables, account, home, login) in [
            (&[("HOME", "/h")][..], None, path("/h"), path("/h")),
            (
                &[("HOME", "/h"), ("CODEAF_HOME", "/c")],
                None,
                path("/c"),
                path("/h"),
            ),
            (
                &[("HOME", "/h"), ("CODEAF_HOME", "")],
                None,
                path("/h"),
                path("/h"),
            ),
            (
                &[("HOME", "/h"), ("CODEAF_HOME", "c")],
                None,
                path("/start/c"),
                path("/h"),
            ),
            (&[("HOME", "")], path("/a"), None, None),
            (&[("HOME", "rel")], path("/a"), None, None),
            (&[], path("/a"), path("/a"), path("/a")),
            (&[], None, None, None),
        ] {
            let account = account.as_ref().and_then(|path| path.to_str());
            assert_eq!(homes(variables, account), (home, login), "{variables:?}");
        }
    }

    #[test]
    fn roots_from_the_variable_are_split_at_colons() {
        let env = Env::from_variables(
            Path::new("/start"),
            |name| (name == "CODEAF_SKILLS_PATH").then(|| OsString::from("/a::b c:/d")),
            || None,
        );

        assert_eq!(
            env.given_roots,
            [
                PathBuf::from("/a"),
                PathBuf::from("/start/b c"),
                PathBuf::from("/d")
            ]
        );
    }

    #[test]
    fn a_bare_id_has_sixteen_hexadecimal_digits() {
        for (text, is_id) in [
            ("0123456789abcdef", true),
            ("0123456789abcde", false),
            ("0123456789abcdeg", false),
            ("./0123456789abcdef", false),
        ] {
            assert_eq!(is_conversation_id(Path::new(text)), is_id, "{text}");
        }
    }
}
