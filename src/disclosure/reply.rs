//! What the model and a person are told of an activation: the tool message and
//! the row.
//!
//! This file decides words and shape. It does not know who asked, the model or
//! a person, or whether they might.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::activation::{Activation, Freshness, Given};
use super::error::{ActivationError, bounded_name};
use crate::diagnostic::Diagnostic;
use crate::discovery::roots::Origin;
use crate::discovery::scan::Skill;
use crate::discovery::snapshot::Snapshot;
use crate::name::Source;
use crate::text::{counted, one_line, size};

/// What comes of a call of the `skill` tool, or of a person's `/name`.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The tool message: `{ok, error, data}`. The transcript stores it as it is.
    pub message: Value,
    /// The row that a person sees: `used skill pdf-processing · 3.1 KB`.
    pub row: String,
    /// The folder that the model may read in from now on.
    pub read_grant: Option<PathBuf>,
    /// What was met on the way.
    pub diagnostics: Vec<Diagnostic>,
}

/// How an activation ended, for its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome<'a> {
    /// The instructions were given; bytes of the SKILL.md.
    Loaded(u64),
    /// They had been given before.
    AlreadyLoaded(u64),
    /// They were not given: [`ActivationError::outcome`].
    Failed(&'a str),
}

/// Returns the row for an activation of `name`, by the model or by a person.
///
/// # Examples
///
/// ```
/// use codeaf_skills::disclosure::{Outcome, row};
///
/// assert_eq!(row("pdf", Outcome::Loaded(3_174)), "used skill pdf · 3.1 KB");
/// assert_eq!(row("pdf", Outcome::Failed("off")), "skill pdf · off");
/// ```
#[must_use]
pub fn row(name: &str, outcome: Outcome<'_>) -> String {
    let name = bounded_name(name);
    match outcome {
        Outcome::Loaded(bytes) => format!("used skill {name} · {}", size(bytes)),
        Outcome::AlreadyLoaded(bytes) => {
            format!("used skill {name} · {} · already loaded", size(bytes))
        }
        Outcome::Failed(why) if name.is_empty() => format!("skill · {why}"),
        Outcome::Failed(why) => format!("skill {name} · {why}"),
    }
}

/// How a skill that is loaded already can be had again.
#[derive(Clone, Copy)]
pub(super) struct Again<'a> {
    pub(super) freshness: Freshness,
    /// The tool that reads its files.
    pub(super) read_tool: Option<&'a str>,
}

impl Again<'_> {
    /// Returns the words behind those that the skill is loaded already.
    fn words(self, is_rewritten: bool) -> String {
        let read = self
            .read_tool
            .map(|tool| format!(". To read its files again, call {tool}"))
            .unwrap_or_default();
        match self.freshness {
            _ if !is_rewritten => read,
            Freshness::AsInSnapshot => format!(
                ". Its text has changed since it was loaded: after `/reload`, which a person types, it can be loaded again{read}"
            ),
            Freshness::Fresh => format!(". Its text has changed since it was loaded{read}"),
        }
    }
}

impl Reply {
    /// Returns what is said of `skill`: that it was `given`, or that it had been
    /// before, with `again`, which says how to get it anew.
    pub(super) fn given(
        given: Given,
        snapshot: &Snapshot,
        skill: &Skill,
        again: Again<'_>,
    ) -> Self {
        match given {
            Given::Now(activation) => Self::loaded(*activation),
            Given::Before { is_rewritten } => {
                Self::already_loaded(snapshot, skill, &again.words(is_rewritten))
            }
        }
    }

    fn loaded(activation: Activation) -> Self {
        let data = json!({
            "name": activation.alias,
            "status": "loaded",
            "content": activation.content(),
        });
        Self {
            message: success(data),
            row: row(&activation.alias, Outcome::Loaded(activation.size)),
            read_grant: activation.dir,
            diagnostics: activation.diagnostics,
        }
    }

    fn already_loaded(snapshot: &Snapshot, skill: &Skill, again: &str) -> Self {
        let name = snapshot.shown_alias(skill);
        let message = format!(
            "already loaded: the instructions of {name} are in this conversation; follow them{again}"
        );
        let is_in_folder = skill.source() == Source::Workspace;
        Self {
            row: row(&name, Outcome::AlreadyLoaded(skill.size)),
            message: success(json!({
                "name": name,
                "status": "already_active",
                "message": message,
            })),
            // The grant may be lost since: with a restart, say.
            read_grant: is_in_folder
                .then(|| snapshot.real_folder(skill).ok())
                .flatten(),
            diagnostics: Vec::new(),
        }
    }

    /// Returns the callable skills by origin.
    pub(super) fn list(snapshot: &Snapshot) -> Self {
        let callable = snapshot.callable();
        let mut groups: BTreeMap<Origin, Vec<Value>> = BTreeMap::new();
        for skill in &callable {
            groups.entry(skill.origin()).or_default().push(json!({
                "name": snapshot.shown_alias(skill),
                "description": one_line(&skill.description),
            }));
        }
        let groups: Vec<Value> = groups
            .into_iter()
            .map(|(origin, skills)| json!({"origin": origin, "skills": skills}))
            .collect();
        Self {
            message: success(json!({"skill_groups": groups, "count": callable.len()})),
            row: format!("listed {}", counted(callable.len(), "skill")),
            read_grant: None,
            diagnostics: Vec::new(),
        }
    }

    /// Returns why the skill asked for as `name` was not given.
    pub(super) fn failed(name: &str, error: &ActivationError) -> Self {
        let mut message = one_line(&error.to_string()).into_owned();
        if let Some(cause) = std::error::Error::source(error) {
            message.push_str(": ");
            message.push_str(&one_line(&cause.to_string()));
        }
        if let Some(help) = error.help() {
            message.push_str("; ");
            message.push_str(&one_line(&help));
        }
        Self {
            message: json!({
                "ok": false,
                "error": {"code": error.code(), "message": message},
                "data": null,
            }),
            row: row(name, Outcome::Failed(error.outcome())),
            read_grant: None,
            diagnostics: Vec::new(),
        }
    }
}

pub(super) fn success(data: Value) -> Value {
    let mut message = json!({"ok": true, "error": null});
    message["data"] = data;
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_one_line_whatever_a_model_sends() {
        let long = "x".repeat(300);

        assert_eq!(
            row("pdf", Outcome::Loaded(3_174)),
            "used skill pdf · 3.1 KB"
        );
        assert_eq!(
            row("pdf", Outcome::AlreadyLoaded(3_174)),
            "used skill pdf · 3.1 KB · already loaded"
        );
        assert_eq!(
            row("a\nb\u{1b}[1m", Outcome::Failed("not found")),
            "skill a\\u{a}b\\u{1b}[1m · not found"
        );
        assert_eq!(
            row(&long, Outcome::Failed("off")).chars().count(),
            "skill  · off".chars().count() + 80
        );
    }
}
