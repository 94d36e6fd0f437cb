//! Slash commands: how a person calls a skill by name.
//!
//! This file decides how each skill's command is written and how a typed line
//! is read. Which names are taken by built-in commands is the host's to say.

use std::borrow::Cow;

use serde::Serialize;

use crate::discovery::scan::Skill;
use crate::discovery::snapshot::{Lookup, Snapshot};
use crate::name::Source;
use crate::text::one_line;
use crate::text::visible;

/// The command that takes a skill's name as `/skill:name`; no skill can own it.
const SKILL: &str = "skill";

/// The slash command of one skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SlashCommand {
    /// What is typed: `/pdf`, `/personal/review`, `/skill:model`,
    /// `/skill:"two words"`.
    pub command: String,
    /// The skill's bare name.
    pub name: String,
    /// The name by which it is called where names must be unique.
    pub alias: String,
    /// Who keeps the skill.
    pub source: Source,
    /// The description on one line.
    pub description: String,
    /// What to type behind it, if the skill says so, on one line.
    pub arguments: Option<String>,
    /// Whether a built-in command took the skill's name.
    pub reserved: bool,
}

/// A typed line that calls a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invocation<'a> {
    /// The skill.
    pub skill: &'a Skill,
    /// What stands behind the command and one white-space character, byte for
    /// byte.
    pub arguments: &'a str,
}

/// Why a typed line calls no skill.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoInvocation {
    /// It does not begin with a command.
    #[error("no command stands at the start")]
    NotACommand,
    /// It begins with a command of the host's.
    #[error("`/{name}` is a built-in command")]
    BuiltIn {
        /// The command without its slash.
        name: String,
    },
    /// It begins with a name that no skill bears.
    #[error("no skill is called `{name}`")]
    NotFound {
        /// The name as typed, quotes and escapes undone.
        name: String,
    },
    /// It begins with a name that both sources have.
    #[error("`{name}` could be {}", aliases.join(" or "))]
    Ambiguous {
        /// The name as typed.
        name: String,
        /// The names that are not ambiguous.
        aliases: Vec<String>,
    },
}

impl Snapshot {
    /// Returns the command of every valid skill that owns its name, on or off,
    /// by name (bytes), then source.
    ///
    /// `reserved` are the names of the host's built-in commands, with or
    /// without their slash. A skill of such a name is called by `/skill:name`.
    #[must_use]
    pub fn slash_commands(&self, reserved: &[&str]) -> Vec<SlashCommand> {
        let command = |skill: &Skill| {
            let alias = self.shown_alias(skill);
            SlashCommand {
                command: command_text(&alias, reserved),
                name: visible(&skill.name).into_owned(),
                source: skill.source(),
                description: one_line(&skill.description).into_owned(),
                arguments: skill
                    .argument_hint
                    .as_deref()
                    .map(|hint| one_line(hint).into_owned()),
                reserved: is_reserved(&alias, reserved),
                alias,
            }
        };
        self.owners().map(command).collect()
    }

    /// Reads a line that a person typed.
    ///
    /// A command stands at the very start and ends at white space. Understood
    /// are `/name`, `/personal/name`, `/workspace/name`, `/skill:name` and
    /// `/skill:"any name"`, in which `\"` and `\\` stand for `"` and `\`.
    /// Whether the skill is on or allowed is not asked here.
    ///
    /// # Errors
    ///
    /// Returns why the line calls no skill.
    pub fn parse_slash<'a>(
        &'a self,
        text: &'a str,
        reserved: &[&str],
    ) -> Result<Invocation<'a>, NoInvocation> {
        let (name, rest) = command(text, reserved)?;
        let mut arguments = rest.chars();
        // The white space that ended the command.
        arguments.next();
        match self.lookup_shown(&name) {
            Lookup::Found(skill) => Ok(Invocation {
                skill,
                arguments: arguments.as_str(),
            }),
            Lookup::Ambiguous(aliases) => Err(NoInvocation::Ambiguous {
                name: name.into_owned(),
                aliases,
            }),
            Lookup::NotFound => Err(NoInvocation::NotFound {
                name: name.into_owned(),
            }),
        }
    }

    /// Looks a name up as it was shown, in which what hides is written out.
    pub(super) fn lookup_shown(&self, name: &str) -> Lookup<'_> {
        match self.lookup(name) {
            Lookup::NotFound if name.contains('\\') => self
                .owners()
                .find(|skill| self.shown_alias(skill) == name)
                .map_or(Lookup::NotFound, Lookup::Found),
            found => found,
        }
    }
}

/// Returns the command that calls the skill of the alias `alias`.
pub(super) fn command_text(alias: &str, reserved: &[&str]) -> String {
    let bare = alias.split_once('/').map_or(alias, |(_, bare)| bare);
    if !bare.chars().all(is_plain) {
        let escaped = alias.replace('\\', "\\\\").replace('"', "\\\"");
        format!("/{SKILL}:\"{escaped}\"")
    } else if is_reserved(alias, reserved) {
        format!("/{SKILL}:{alias}")
    } else {
        format!("/{alias}")
    }
}

/// Whether a character can stand in a command without quotes.
fn is_plain(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '@')
    } else {
        !c.is_whitespace()
    }
}

fn is_reserved(name: &str, reserved: &[&str]) -> bool {
    name == SKILL
        || reserved
            .iter()
            .any(|taken| taken.strip_prefix('/').unwrap_or(taken) == name)
}

/// Returns the name that the command at the start of `text` calls, and the rest.
fn command<'a>(text: &'a str, reserved: &[&str]) -> Result<(Cow<'a, str>, &'a str), NoInvocation> {
    let line = text.strip_prefix('/').ok_or(NoInvocation::NotACommand)?;
    let called = line
        .strip_prefix(SKILL)
        .and_then(|line| line.strip_prefix(':'));
    if let Some(called) = called {
        return called_by_skill(called).ok_or(NoInvocation::NotACommand);
    }
    match word(line) {
        ("", _) => Err(NoInvocation::NotACommand),
        (name, _) if is_reserved(name, reserved) => Err(NoInvocation::BuiltIn {
            name: name.to_owned(),
        }),
        (name, rest) => Ok((Cow::Borrowed(name), rest)),
    }
}

/// Parts a text at its first white space; the rest begins with it.
fn word(text: &str) -> (&str, &str) {
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

/// Reads what stands behind `/skill:`: a word, or a text between quotes with
/// white space or nothing behind it.
fn called_by_skill(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let (name, rest) = word(text);
        return (!name.is_empty()).then_some((Cow::Borrowed(name), rest));
    };
    let mut name = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                let rest = &quoted[at + 1..];
                let ends = rest.is_empty() || rest.starts_with(char::is_whitespace);
                return ends.then_some((Cow::Owned(name), rest));
            }
            '\\' => match chars.next() {
                Some((_, escaped @ ('"' | '\\'))) => name.push(escaped),
                Some((_, other)) => name.extend(['\\', other]),
                None => return None,
            },
            c => name.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::test_folders::Folders;
    use super::*;
    use crate::env::Env;
    use proptest::prelude::*;

    #[test]
    fn a_command_is_quoted_or_prefixed_where_it_must_be() {
        let reserved = ["model", "/quit"];

        for (alias, command) in [
            ("pdf", "/pdf"),
            ("007", "/007"),
            ("Note_Keeper.2", "/Note_Keeper.2"),
            ("café-orders", "/café-orders"),
            ("personal/review", "/personal/review"),
            ("workspace/model", "/workspace/model"),
            ("model", "/skill:model"),
            ("quit", "/skill:quit"),
            ("skill", "/skill:skill"),
            ("a b", "/skill:\"a b\""),
            ("workspace/a b", "/skill:\"workspace/a b\""),
            ("skill:x", "/skill:\"skill:x\""),
            ("no\u{a0}break", "/skill:\"no\u{a0}break\""),
            ("q\"uote", "/skill:\"q\\\"uote\""),
            ("pd\\u{200b}f", "/skill:\"pd\\\\u{200b}f\""),
        ] {
            assert_eq!(command_text(alias, &reserved), command);
        }
    }

    #[test]
    fn every_owner_has_a_command_on_or_off() {
        let folders = Folders::new();
        folders
            .skill("home", "b-kit", "B\n  home.", "")
            .skill("project", "b-kit", "B here.", "");
        folders
            .skill("home", "a b", "Blank.", "")
            .skill("home", "model", "Model.", "");
        folders.global(r#"{"on": ["b-kit"]}"#);

        let commands = folders.load().slash_commands(&["model"]);

        let rows: Vec<_> = commands
            .iter()
            .map(|row| (row.command.as_str(), row.description.as_str(), row.reserved))
            .collect();
        assert_eq!(
            rows,
            [
                ("/skill:\"a b\"", "Blank.", false),
                ("/b-kit", "B here.", false),
                ("/skill:model", "Model.", true),
            ]
        );
    }

    #[test]
    fn a_typed_line_is_read_by_the_byte() {
        let folders = Folders::new();
        for name in [
            "deploy",
            "a b",
            "model",
            "skill",
            "q\"uote",
            "pd\u{200b}f",
            "café",
        ] {
            folders.skill("home", name, "Does.", "");
        }
        let snapshot = folders.load();
        let read = |text| {
            let found = snapshot.parse_slash(text, &["model"]);
            found
                .map(|found| (found.skill.name.as_str(), found.arguments))
                .map_err(|error| error.to_string())
        };
        let not_a_command = "no command stands at the start";

        for (text, found) in [
            ("/deploy now", Ok(("deploy", "now"))),
            ("/deploy", Ok(("deploy", ""))),
            ("/deploy  two  blanks ", Ok(("deploy", " two  blanks "))),
            ("/deploy\t\tx", Ok(("deploy", "\tx"))),
            ("/deploy\nline\n", Ok(("deploy", "line\n"))),
            ("/deploy\u{a0}x", Ok(("deploy", "x"))),
            ("/workspace/deploy x", Ok(("deploy", "x"))),
            ("/skill:deploy x", Ok(("deploy", "x"))),
            ("/skill:workspace/deploy", Ok(("deploy", ""))),
            ("/skill:model x", Ok(("model", "x"))),
            ("/skill:skill", Ok(("skill", ""))),
            ("/skill:\"a b\" c", Ok(("a b", "c"))),
            ("/skill:\"q\\\"uote\"", Ok(("q\"uote", ""))),
            ("/skill:\"pd\\\\u{200b}f\"", Ok(("pd\u{200b}f", ""))),
            ("/cafe\u{301} x", Ok(("café", "x"))),
            (" /deploy", Err(not_a_command)),
            ("please /deploy", Err(not_a_command)),
            ("/", Err(not_a_command)),
            ("/ deploy", Err(not_a_command)),
            ("", Err(not_a_command)),
            ("/skill:", Err(not_a_command)),
            ("/skill:\"a b", Err(not_a_command)),
            ("/skill:\"a b\"c", Err(not_a_command)),
            ("/skill:\"a b\\", Err(not_a_command)),
            ("/skill deploy", Err("`/skill` is a built-in command")),
            ("/model x", Err("`/model` is a built-in command")),
            ("/deploy:x", Err("no skill is called `deploy:x`")),
            (
                "/personal/deploy",
                Err("no skill is called `personal/deploy`"),
            ),
            ("/Deploy", Err("no skill is called `Deploy`")),
        ] {
            assert_eq!(read(text), found.map_err(str::to_owned), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_line_makes_the_reader_panic(text in "/?(skill:)?\"?[a\\\\\" \u{e9}]{0,8}") {
            let snapshot = Snapshot::load(&Env::new("/nowhere")).unwrap();
            prop_assert!(snapshot.parse_slash(&text, &[]).is_err());
        }

        #[test]
        fn every_quoted_name_is_read_back(name in "[a-c \"\u{e9}:.]{1,8}") {
            let command = command_text(&name, &[]);
            let line = command.strip_prefix('/').unwrap();
            let name_read = match line.strip_prefix("skill:") {
                Some(called) => called_by_skill(called).unwrap().0.into_owned(),
                None => word(line).0.to_owned(),
            };
            prop_assert_eq!(name_read, name);
        }
    }
}
