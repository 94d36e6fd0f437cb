//! What a project wants of a check: levels of rules, profiles, what is left
//! out, old findings.
//!
//! `.codeaf/check.json` is one object, and every key may be missing:
//!
//! ```json
//! {
//!   "rules": { "name-mismatch": "warn", "unknown-field": "allow" },
//!   "profiles": ["spec", "claude-code"],
//!   "exclude": ["vendor/", "examples/broken-*"],
//!   "baseline": ".codeaf/check-baseline.json"
//! }
//! ```
//!
//! - `rules`: the level of each rule: `allow` drops its findings, `note`, `warn`
//!   and `deny` make notes, warnings and errors of them, whatever the profile
//!   says. The command line wins over the file.
//! - `profiles`: what is checked against where the command line has none.
//! - `exclude`: patterns as in a `.gitignore`, from the project's folder.
//! - `baseline`: a file of old findings, from the project's folder; see
//!   [`Baseline`].
//!
//! A key or a rule that nobody knows is an error, so that a slip is not taken
//! for a wish. This file does not know which rules a profile breaks.

mod baseline;
mod reading;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

pub use baseline::{Baseline, Fingerprint, fingerprints};

use super::targets::{Found, Patterns};
use crate::diagnostic::{Diagnostic, Rule, Severity, Span};
use crate::discovery::project::Project;
use crate::discovery::skill_file::UNREADABLE_HELP;
use crate::env::Env;
use crate::json::{List, Malformed, Member, Object, Places};
use crate::name::near;
use crate::text::counted;

/// Where a project says how it wants to be checked, from its folder.
pub const CONFIG_FILE: &str = ".codeaf/check.json";

const RULES: &str = "rules";
const PROFILES: &str = "profiles";
const EXCLUDE: &str = "exclude";
const BASELINE: &str = "baseline";
const KEYS: [&str; 4] = [RULES, PROFILES, EXCLUDE, BASELINE];

/// How the value of each key is written.
const EXAMPLES: [(&str, &str); 4] = [
    (RULES, "{\"name-mismatch\": \"warn\"}"),
    (PROFILES, "[\"spec\", \"claude-code\"]"),
    (EXCLUDE, "[\"vendor/\"]"),
    (BASELINE, "\".codeaf/check-baseline.json\""),
];

/// What becomes of the findings of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// They are dropped.
    Allow,
    /// They are notes.
    Note,
    /// They are warnings.
    Warn,
    /// They are errors.
    Deny,
}

impl Level {
    /// Every level, from the mildest on.
    pub const ALL: [Self; 4] = [Self::Allow, Self::Note, Self::Warn, Self::Deny];

    /// Returns the word that stands in the file.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Note => "note",
            Self::Warn => "warn",
            Self::Deny => "deny",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == word)
    }

    /// Returns how bad a finding of this level is; `None`: it is dropped.
    fn severity(self) -> Option<Severity> {
        match self {
            Self::Allow => None,
            Self::Note => Some(Severity::Note),
            Self::Warn => Some(Severity::Warning),
            Self::Deny => Some(Severity::Error),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The name of a profile, and where the file has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileName {
    /// The name as written; it need not be that of a profile.
    pub name: String,
    /// Where it stands in the file.
    pub span: Span,
}

/// What a project, and then the command line, wants of a check.
#[derive(Debug, Clone, Default)]
pub struct CheckConfig {
    /// The file that this comes from; absolute. It need not exist.
    pub path: PathBuf,
    /// Whether there is such a file.
    pub exists: bool,
    /// The profiles to check against; empty if the file has none.
    pub profiles: Vec<ProfileName>,
    /// The file of old findings; absolute. It need not exist.
    pub baseline: Option<PathBuf>,
    levels: BTreeMap<Rule, Level>,
    exclude: Option<Patterns>,
}

impl CheckConfig {
    /// Reads the file of the project that is checked, see [`project_of`]. Without a
    /// file or a project nothing is asked for.
    ///
    /// # Errors
    ///
    /// Returns why the file cannot be read, or where it is not what it must be.
    pub fn load(env: &Env, paths: &[PathBuf]) -> Result<Self, ConfigError> {
        let Some(project) = project_of(env, paths) else {
            return Ok(Self::default());
        };
        let path = project.folder.join(CONFIG_FILE);
        match reading::read(&path, &env.limits)? {
            Some(bytes) => Self::parse(&path, &project.folder, &bytes),
            None => Ok(Self {
                path,
                ..Self::default()
            }),
        }
    }

    /// Reads the bytes of the file at `path`, whose paths are taken from
    /// `folder`; both are absolute.
    ///
    /// # Errors
    ///
    /// Returns where it is not what it must be.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::path::Path;
    /// use codeaf_skills::Rule;
    /// use codeaf_skills::check::config::{CheckConfig, Level};
    ///
    /// let parse = |text: &str| {
    ///     CheckConfig::parse(Path::new("/p/check.json"), Path::new("/p"), text.as_bytes())
    /// };
    /// let config = parse(r#"{"rules": {"name-mismatch": "warn"}}"#).unwrap();
    /// assert_eq!(config.level(Rule::NameMismatch), Some(Level::Warn));
    ///
    /// let error = parse(r#"{"rules": {"name-mismatches": "warn"}}"#).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "/p/check.json:1:12: there is no rule `name-mismatches`"
    /// );
    /// ```
    pub fn parse(path: &Path, folder: &Path, bytes: &[u8]) -> Result<Self, ConfigError> {
        let text = reading::text(path, bytes)?;
        Self::parse_text(path, folder, text).map_err(|malformed| {
            let span = Places::new(text).at(malformed.offset);
            ConfigError::at(path, span, malformed)
        })
    }

    fn parse_text(path: &Path, folder: &Path, text: &str) -> Result<Self, Malformed> {
        let object = Object::parse_document(text, "this file")
            .map_err(|malformed| malformed.or_help("write one object, such as {\"rules\": {}}"))?;
        let mut config = Self {
            path: path.to_path_buf(),
            exists: true,
            ..Self::default()
        };
        for member in &object.members {
            config.take(text, folder, member).map_err(|malformed| {
                let example = EXAMPLES.iter().find(|(key, _)| *key == member.name);
                let example = example.map_or("", |(_, example)| example);
                malformed.or_help(format!("write it as \"{}\": {example}", member.name))
            })?;
        }
        Ok(config)
    }

    fn take(&mut self, text: &str, folder: &Path, member: &Member) -> Result<(), Malformed> {
        match &*member.name {
            RULES => self.levels = levels(&Object::parse(text, RULES, member.value)?)?,
            PROFILES => {
                let list = List::parse(text, PROFILES, member.value)?;
                self.profiles = profiles(text, &list);
            }
            EXCLUDE => {
                let list = List::parse(text, EXCLUDE, member.value)?;
                self.exclude = Some(patterns(folder, &list)?);
            }
            BASELINE => {
                let path = member.value.string_of(BASELINE)?;
                if path.trim().is_empty() {
                    let message = format!("`{BASELINE}` is empty");
                    return Err(Malformed::new(member.value.start, message));
                }
                self.baseline = Some(folder.join(&*path));
            }
            unknown => {
                let message = format!("there is no key `{unknown}`");
                let help = did_you_mean(unknown, KEYS, "the keys are");
                return Err(Malformed::new(member.key.start, message).with_help(help));
            }
        }
        Ok(())
    }

    /// Returns the same with the levels of a command line, which win; of two for
    /// one rule the last counts.
    #[must_use]
    pub fn with_levels(mut self, levels: impl IntoIterator<Item = (Rule, Level)>) -> Self {
        self.levels.extend(levels);
        self
    }

    /// Returns the level that was asked for, if one was.
    #[must_use]
    pub fn level(&self, rule: Rule) -> Option<Level> {
        self.levels.get(&rule).copied()
    }

    /// Returns the rules whose findings are dropped.
    #[must_use]
    pub fn allowed(&self) -> Vec<Rule> {
        let levels = self.levels.iter();
        let allowed = levels.filter(|&(_, &level)| level == Level::Allow);
        allowed.map(|(&rule, _)| rule).collect()
    }

    /// Drops the findings of rules that are allowed, and makes the others as bad
    /// as was asked for.
    pub fn apply(&self, findings: &mut Vec<Diagnostic>) {
        if self.levels.is_empty() {
            return;
        }
        findings.retain_mut(|finding| {
            let asked = self.level(finding.rule).map(Level::severity);
            finding.severity = asked.flatten().unwrap_or(finding.severity);
            asked != Some(None)
        });
    }

    /// Takes out what the project leaves out, targets and findings, and returns
    /// how many targets that were. If none is left, a finding says so.
    pub fn leave_out(&self, found: &mut Found) -> usize {
        let Some(exclude) = &self.exclude else {
            return 0;
        };
        let before = found.targets.len();
        found.targets.retain(|target| !exclude.name(&target.file));
        found
            .findings
            .retain(|finding| !exclude.name(&finding.path));
        let left_out = before - found.targets.len();
        if left_out > 0 && found.targets.is_empty() {
            let message = format!("`{EXCLUDE}` leaves out all: {}", counted(left_out, "skill"));
            let error = Diagnostic::error(Rule::NoSkillFile, &self.path, message);
            let help = format!("take a pattern out of `{EXCLUDE}`");
            found.findings.push(error.with_help(help));
        }
        left_out
    }

    /// Makes the error about a profile of this file that is none of `known`.
    #[must_use]
    pub fn unknown_profile<'a>(
        &self,
        profile: &ProfileName,
        known: impl IntoIterator<Item = &'a str>,
    ) -> ConfigError {
        let message = format!("there is no profile `{}`", profile.name);
        let help = did_you_mean(&profile.name, known, "the profiles are");
        let malformed = Malformed::new(0, message).with_help(help);
        ConfigError::at(&self.path, profile.span, malformed)
    }
}

fn levels(object: &Object<'_>) -> Result<BTreeMap<Rule, Level>, Malformed> {
    let mut levels = BTreeMap::new();
    for member in &object.members {
        let rule = rule(&member.name).map_err(|unknown| {
            Malformed::new(member.key.start, unknown.to_string()).with_help(unknown.help())
        })?;
        let known = Level::ALL.map(Level::as_str);
        let word = member.value.string_of(rule.code());
        let word = word
            .map_err(|malformed| malformed.or_help(format!("the levels are {}", quoted(&known))))?;
        let level = Level::parse(&word).ok_or_else(|| {
            Malformed::new(member.value.start, format!("there is no level `{word}`"))
                .with_help(did_you_mean(&word, known, "the levels are"))
        })?;
        levels.insert(rule, level);
    }
    Ok(levels)
}

fn profiles(text: &str, list: &List<'_>) -> Vec<ProfileName> {
    let mut places = Places::new(text);
    let elements = list.elements.iter();
    let profile = elements.map(|element| ProfileName {
        name: element.string.to_string(),
        span: places.of(element.value),
    });
    profile.collect()
}

fn patterns(folder: &Path, list: &List<'_>) -> Result<Patterns, Malformed> {
    for element in &list.elements {
        if let Some((message, help)) = names_nothing(&element.string, folder) {
            return Err(Malformed::new(element.value.start, message).with_help(help));
        }
    }
    let texts = list.elements.iter().map(|element| &*element.string);
    Patterns::parse(folder, texts).map_err(|(index, words)| {
        let place = list.elements.get(index).map_or(list.value, |one| one.value);
        Malformed::new(place.start, format!("this is no pattern: {words}"))
            .with_help("write it as a line of a .gitignore")
    })
}

/// Says why a pattern can name nothing in `folder`, and what to do.
fn names_nothing(pattern: &str, folder: &Path) -> Option<(String, String)> {
    let bare = pattern.trim().trim_start_matches('!');
    let inside = || {
        let inside = Path::new(bare).strip_prefix(folder).ok()?;
        Some(format!("write `{}`", inside.display()))
    };
    let (why, help) = if bare.is_empty() {
        ("is empty", "take it out".to_owned())
    } else if bare.starts_with('#') {
        (
            "is a comment",
            format!("write `\\{bare}` for a name that begins with #"),
        )
    } else if let Some(rest) = bare.strip_prefix("./") {
        (
            "begins with `./`, which no path here does",
            format!("write `/{rest}`"),
        )
    } else if bare.split('/').any(|name| name == "..") {
        let help = "patterns are taken from the project's folder, and name what is in it";
        ("leads out of the project", help.to_owned())
    } else if let Some(help) = inside() {
        ("is an absolute path", help)
    } else {
        return None;
    };
    Some((format!("the pattern `{pattern}` {why}"), help))
}

/// Returns the project that is checked: that of the first of `paths`, by the
/// nearest mark at or above it, else that of the starting folder, if the path
/// lies in it or there is none.
#[must_use]
pub fn project_of(env: &Env, paths: &[PathBuf]) -> Option<Project> {
    let own = Project::find(env);
    let Some(first) = paths.first().map(|path| env.absolute(path)) else {
        return own;
    };
    let there = Env {
        start: first.clone(),
        ..env.clone()
    };
    let there = Project::find(&there).filter(|project| project.marked);
    there.or_else(|| own.filter(|own| first.starts_with(&own.folder)))
}

/// Returns the files that would be heeded for others of `paths`, but are not:
/// one check heeds one file.
#[must_use]
pub fn not_heeded(env: &Env, paths: &[PathBuf]) -> Vec<PathBuf> {
    let heeded = project_of(env, paths).map(|project| project.folder);
    let projects = paths
        .iter()
        .filter_map(|path| project_of(env, std::slice::from_ref(path)))
        .map(|project| project.folder)
        .filter(|folder| Some(folder) != heeded.as_ref());
    let folders: BTreeSet<PathBuf> = projects.collect();
    let files = folders.into_iter().map(|folder| folder.join(CONFIG_FILE));
    files
        .filter(|file| file.symlink_metadata().is_ok())
        .collect()
}

/// Returns the rule with this code.
///
/// # Errors
///
/// Returns what to say if there is none.
pub fn rule(code: &str) -> Result<Rule, UnknownRule> {
    let found = Rule::ALL.iter().find(|rule| rule.code() == code);
    found.copied().ok_or_else(|| UnknownRule {
        code: code.to_owned(),
    })
}

/// A code that no rule has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no rule `{code}`")]
pub struct UnknownRule {
    /// What was asked for.
    pub code: String,
}

impl UnknownRule {
    /// Returns the codes that may have been meant.
    #[must_use]
    pub fn help(&self) -> String {
        let codes = Rule::ALL.iter().map(|rule| rule.code());
        match &*near(&self.code, codes) {
            [] => "a rule's code stands between the brackets of its findings".to_owned(),
            near => meant(near),
        }
    }
}

/// Names what is near, or else all there is.
fn did_you_mean<'a>(
    written: &str,
    known: impl IntoIterator<Item = &'a str>,
    all_are: &str,
) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    match &*near(written, known.iter().copied()) {
        [] => format!("{all_are} {}", quoted(&known)),
        near => meant(near),
    }
}

fn meant(near: &[&str]) -> String {
    format!("did you mean {}?", quoted(near))
}

fn quoted(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

/// Why a file that a check is told to heed cannot be heeded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The system refused to read it, or it is not there although it was named.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is longer than what is read.
    #[error("{} is over {limit} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The most bytes that are read.
        limit: u64,
    },
    /// It is not what it must be.
    #[error("{}:{}:{}: {message}", path.display(), span.line, span.column)]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where it is wrong.
        span: Span,
        /// What is wrong, without a final stop.
        message: String,
        /// What to do, if there is something to change.
        help: Option<String>,
    },
}

impl ConfigError {
    fn at(path: &Path, span: Span, malformed: Malformed) -> Self {
        Self::Malformed {
            path: path.to_path_buf(),
            span,
            message: malformed.message,
            help: malformed.help.map(Cow::into_owned),
        }
    }

    /// Returns what to do about it, if there is something to type or change.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Malformed { help, .. } => help.as_deref(),
            // The file of a project may be missing, so that this is a baseline.
            Self::Unreadable { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                Some("`check --format baseline > FILE` writes down today's findings")
            }
            Self::Unreadable { .. } => Some(UNREADABLE_HELP),
            Self::TooLarge { .. } => Some("keep what it says in fewer bytes"),
        }
    }
}

#[cfg(test)]
mod tests;
