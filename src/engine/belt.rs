//! The belt: which tools a request has, and the answer to a call of one.
//!
//! A tool that cannot work is not on the belt. This file does not know what a
//! conversation is.

use serde_json::{Value, json};

use super::files::{self, Grants, Reach};
use super::manual;
use super::model::Call;
use crate::disclosure::{Freshness, Ledger, Reply, ToolCall};
use crate::discovery::snapshot::Snapshot;
use crate::env::Allowed;
use crate::text::one_line;

/// A tool of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tool {
    /// Loads a skill.
    Skill,
    /// Reads a file.
    Read,
    /// Answers questions on the program.
    Manual,
}

impl Tool {
    /// The full belt, in its order.
    pub const ALL: [Self; 3] = [Self::Skill, Self::Read, Self::Manual];

    /// Returns the name by which the model calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Skill => "skill",
            Self::Read => "read",
            Self::Manual => "manual",
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }
}

/// Which tools there can be.
#[derive(Debug, Clone)]
pub(super) struct Permissions {
    /// `--allowed-tools`.
    pub(super) tools: Allowed,
    /// Whether skills exist at all here.
    pub(super) skills: bool,
}

impl Permissions {
    fn has(&self, tool: Tool) -> bool {
        self.tools.permits([tool.name()]) && (tool != Tool::Skill || self.skills)
    }

    /// Returns the tools of a request.
    pub(super) fn belt(&self, snapshot: &Snapshot) -> Vec<Tool> {
        let works = |tool: Tool| tool != Tool::Skill || !snapshot.callable().is_empty();
        Tool::ALL
            .into_iter()
            .filter(|&tool| self.has(tool) && works(tool))
            .collect()
    }
}

/// Returns the definitions of the tools on `belt`.
pub(super) fn definitions(belt: &[Tool], snapshot: &Snapshot) -> Vec<Value> {
    let definition = |tool: &Tool| match tool {
        Tool::Skill => snapshot.tool_definition(),
        Tool::Read => Some(files::definition(&snapshot.env().limits)),
        Tool::Manual => Some(manual::definition()),
    };
    belt.iter().filter_map(definition).collect()
}

/// What `read` or `manual` returned.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answered {
    pub(super) data: Value,
    pub(super) row: String,
}

/// Why `read` or `manual` returned nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) code: &'static str,
    pub(super) message: String,
    about: String,
}

impl Refusal {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            about: String::new(),
        }
    }

    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new("invalid_arguments", message)
    }

    /// Says what was asked for, for the row.
    pub(super) fn about(self, what: &str) -> Self {
        Self {
            about: what.to_owned(),
            ..self
        }
    }

    fn reply(&self, name: &str) -> Reply {
        let about = shortened(&self.about);
        let subject = [name, &about].join(" ");
        Reply {
            message: json!({
                "ok": false,
                "error": {"code": self.code, "message": one_line(&self.message)},
                "data": null,
            }),
            row: format!("{} · {}", subject.trim_end(), self.code.replace('_', " ")),
            read_grant: None,
            diagnostics: Vec::new(),
        }
    }
}

/// Returns a text of any length as it stands in a row.
fn shortened(text: &str) -> String {
    const CHARACTERS: usize = 80;
    let line = one_line(text);
    match line.char_indices().nth(CHARACTERS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.into_owned(),
    }
}

/// Refuses arguments that are no object, or have keys that are not `known`.
pub(super) fn only(arguments: &Value, known: &[&str]) -> Result<(), Refusal> {
    let object = arguments
        .as_object()
        .ok_or_else(|| Refusal::invalid("the arguments must be an object"))?;
    let unknown: Vec<String> = object
        .keys()
        .filter(|key| !known.contains(&key.as_str()))
        .map(|key| shortened(key))
        .collect();
    match unknown.as_slice() {
        [] => Ok(()),
        [one] => Err(Refusal::invalid(format!("unknown argument: {one}"))),
        several => Err(Refusal::invalid(format!(
            "unknown arguments: {}",
            several.join(", ")
        ))),
    }
}

/// What calls of tools are answered from.
pub(super) struct Desk<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) permissions: &'a Permissions,
    pub(super) ledger: &'a mut Ledger,
    pub(super) grants: &'a Grants,
}

impl Desk<'_> {
    /// Answers a call, also of a tool that is not there, or with arguments that
    /// are none.
    ///
    /// `skill` is answered even where it is not on the belt because nothing is
    /// callable any more: why not is what the model must know then.
    pub(super) fn answer(self, call: &Call) -> Reply {
        let tool = Tool::named(&call.name).filter(|&tool| self.permissions.has(tool));
        let answered = match tool {
            Some(Tool::Skill) => return self.skill(call),
            Some(Tool::Read) => with_arguments(call, |arguments| {
                let reach = Reach {
                    grants: self.grants,
                    snapshot: self.snapshot,
                    permissions: self.permissions,
                };
                files::answer(arguments, reach)
            }),
            Some(Tool::Manual) => with_arguments(call, manual::answer),
            None => Err(self.no_such_tool()),
        };
        match answered {
            Ok(Answered { data, row }) => Reply {
                message: json!({"ok": true, "error": null, "data": data}),
                row: shortened(&row),
                read_grant: None,
                diagnostics: Vec::new(),
            },
            Err(refusal) => refusal.reply(&shortened(&call.name)),
        }
    }

    fn skill(self, call: &Call) -> Reply {
        let skill = ToolCall {
            snapshot: self.snapshot,
            ledger: Some(self.ledger),
            freshness: Freshness::AsInSnapshot,
            read_tool: self.permissions.has(Tool::Read).then_some("read"),
        };
        skill.answer_text(&call.arguments, || self.snapshot.reload())
    }

    fn no_such_tool(&self) -> Refusal {
        let belt = self.permissions.belt(self.snapshot);
        let names: Vec<&str> = belt.iter().map(|tool| tool.name()).collect();
        let message = match names.as_slice() {
            [] => "there are no tools here".to_owned(),
            names => format!("there is no such tool; the tools are {}", names.join(", ")),
        };
        Refusal::new("no_such_tool", message)
    }
}

/// Answers a call whose arguments are JSON text, as models send them; an empty
/// text has no arguments.
fn with_arguments(
    call: &Call,
    answer: impl FnOnce(&Value) -> Result<Answered, Refusal>,
) -> Result<Answered, Refusal> {
    if call.arguments.trim().is_empty() {
        return answer(&json!({}));
    }
    let arguments = serde_json::from_str(&call.arguments)
        .map_err(|error| Refusal::invalid(format!("the arguments are not JSON: {error}")))?;
    answer(&arguments)
}
