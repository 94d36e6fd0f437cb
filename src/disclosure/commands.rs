//! Slash commands: how a person calls a skill by name.
//!
//! This file decides how each skill's command is written, how a typed line is
//! read and what it gives the model. Which names are taken by built-in commands
//! is the host's to say.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use super::activation::Freshness;
use super::error::ActivationError;
use super::ledger::Ledger;
use super::reply::{Again, Reply};
use crate::discovery::scan::Skill;
use crate::discovery::snapshot::Snapshot;
use crate::name::Source;
use crate::scope::State;
use crate::text::{one_line, visible};

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

/// What a person typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typed<'a> {
    /// No command stands at the start: it is for the model.
    Text,
    /// A command of the host's.
    BuiltIn {
        /// The command without its slash.
        name: &'a str,
        /// What stands behind it, as for a skill.
        arguments: &'a str,
    },
    /// A skill.
    Skill {
        /// Which one.
        skill: &'a Skill,
        /// What stands behind the command and one white-space character, byte
        /// for byte.
        arguments: &'a str,
    },
}

/// A skill that a person called: one turn for the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Invoked {
    /// The message and the row, as for a call by the model. The transcript
    /// stores the message beside what was typed.
    pub reply: Reply,
    /// What stood behind the command, byte for byte.
    pub arguments: String,
    /// Whether the model could have called it, too.
    pub state: State,
}

impl Invoked {
    /// Returns what the model gets as the person's turn: the wrapper, or that
    /// the skill is loaded already, then the exact arguments.
    #[must_use]
    pub fn turn(&self) -> String {
        // The message is one of a skill that was given.
        turn(&self.reply.message, &self.arguments).unwrap_or_default()
    }
}

/// Returns what the model gets for a person's `/name arguments` of which the
/// transcript stored `message`; nothing if that is none of a skill that was
/// given.
#[must_use]
pub fn turn(message: &Value, arguments: &str) -> Option<String> {
    let data = &message["data"];
    let given = data["content"].as_str().or(data["message"].as_str())?;
    Some(if arguments.is_empty() {
        given.to_owned()
    } else {
        format!("{given}\n\n{arguments}")
    })
}

/// The slash commands of one snapshot, beside those of a host.
#[derive(Debug, Clone, Copy)]
pub struct Commands<'a> {
    snapshot: &'a Snapshot,
    reserved: &'a [&'a str],
}

impl Snapshot {
    /// Returns the slash commands of the skills.
    ///
    /// `reserved` are the names of the host's built-in commands, with or
    /// without their slash. A skill of such a name is called by `/skill:name`.
    #[must_use]
    pub fn commands<'a>(&'a self, reserved: &'a [&'a str]) -> Commands<'a> {
        Commands {
            snapshot: self,
            reserved,
        }
    }
}

impl<'a> Commands<'a> {
    /// Returns the command of every skill that a person may call, on or off, by
    /// name (bytes), then source.
    #[must_use]
    pub fn catalog(&self) -> Vec<SlashCommand> {
        let command = |skill: &Skill| {
            let alias = self.snapshot.shown_alias(skill);
            SlashCommand {
                command: command_text(&alias, self.reserved),
                name: visible(&skill.name).into_owned(),
                source: skill.source(),
                description: one_line(&skill.description).into_owned(),
                arguments: skill
                    .argument_hint
                    .as_deref()
                    .map(|hint| one_line(hint).into_owned()),
                reserved: is_reserved(&alias, self.reserved),
                alias,
            }
        };
        self.snapshot.permitted().map(command).collect()
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
    /// Those of [`Snapshot::find`], for a command that is nobody's.
    pub fn read(&self, text: &'a str) -> Result<Typed<'a>, ActivationError> {
        let Some(Command { name, rest }) = command(text) else {
            return Ok(Typed::Text);
        };
        let mut arguments = rest.chars();
        // The white space that ended the command.
        arguments.next();
        let arguments = arguments.as_str();
        match name {
            Called::Plain(name) if is_reserved(name, self.reserved) => {
                Ok(Typed::BuiltIn { name, arguments })
            }
            Called::Plain(name) => Ok(Typed::Skill {
                skill: self.snapshot.find(name)?,
                arguments,
            }),
            Called::BySkill(name) => Ok(Typed::Skill {
                skill: self.snapshot.find(&name)?,
                arguments,
            }),
        }
    }

    /// Gives the model the skill that a typed line calls; nothing if it calls
    /// none.
    ///
    /// The person's own act: a skill that is off is given too, one that is not
    /// allowed is not. What is given is recorded in `ledger`, so that neither
    /// the model nor the person loads it twice.
    ///
    /// # Errors
    ///
    /// Those of [`Snapshot::find`] and [`Snapshot::activate`].
    ///
    /// # Examples
    ///
    /// ```
    /// use codeaf_skills::{Env, Freshness, Ledger, Snapshot};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let skill = folder.path().join(".agents/skills/pdf");
    /// # std::fs::create_dir_all(&skill)?;
    /// # std::fs::write(skill.join("SKILL.md"), "---\nname: pdf\ndescription: Reads PDF files.\n---\nUse it.\n")?;
    /// let snapshot = Snapshot::load(&Env::new(folder.path()))?;
    /// let commands = snapshot.commands(&["help", "quit"]);
    /// let mut ledger = Ledger::new();
    ///
    /// let pdf = commands.invoke("/pdf fill  a.pdf", Some(&mut ledger), Freshness::AsInSnapshot)?;
    /// let pdf = pdf.expect("a skill is called");
    /// assert_eq!(pdf.reply.row, "used skill pdf · 56 B");
    /// assert!(pdf.turn().ends_with("Use it.\n</skill>\n\nfill  a.pdf"));
    /// assert!(commands.invoke("/quit", None, Freshness::Fresh)?.is_none());
    /// # Ok(())
    /// # }
    /// ```
    pub fn invoke(
        &self,
        text: &str,
        mut ledger: Option<&mut Ledger>,
        freshness: Freshness,
    ) -> Result<Option<Invoked>, ActivationError> {
        let snapshot = self.snapshot;
        let commands = Commands {
            snapshot,
            reserved: self.reserved,
        };
        let Typed::Skill { skill, arguments } = commands.read(text)? else {
            return Ok(None);
        };
        snapshot.require_permitted(skill)?;
        let alias = snapshot.shown_alias(skill);
        let given = snapshot.give(skill, &alias, freshness, ledger.as_deref_mut())?;
        if let Some(ledger) = ledger {
            ledger.claim(skill);
        }
        let again = Again {
            freshness,
            read_tool: None,
        };
        Ok(Some(Invoked {
            reply: Reply::given(given, snapshot, skill, again),
            arguments: arguments.to_owned(),
            state: snapshot.resolution(skill).state,
        }))
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

/// A command at the start of a line, and what follows it.
struct Command<'a> {
    name: Called<'a>,
    rest: &'a str,
}

/// How a command names what it calls.
enum Called<'a> {
    /// `/name`: a skill's or the host's.
    Plain(&'a str),
    /// `/skill:name`: a skill's in any case; quotes and escapes undone.
    BySkill(Cow<'a, str>),
}

/// Returns the command at the start of `text`.
fn command(text: &str) -> Option<Command<'_>> {
    let line = text.strip_prefix('/')?;
    let called = line
        .strip_prefix(SKILL)
        .and_then(|line| line.strip_prefix(':'));
    let (name, rest) = match called {
        Some(called) => {
            let (name, rest) = called_by_skill(called)?;
            (Called::BySkill(name), rest)
        }
        None => match word(line) {
            ("", _) => return None,
            (name, rest) => (Called::Plain(name), rest),
        },
    };
    Some(Command { name, rest })
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
    use crate::env::{Allowed, Env};
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

        let commands = folders.load().commands(&["model"]).catalog();

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
        let commands = snapshot.commands(&["model"]);
        let read = |text| match commands.read(text) {
            Ok(Typed::Skill { skill, arguments }) => Ok((skill.name.as_str(), arguments)),
            Ok(Typed::BuiltIn { name, arguments }) => {
                Err(format!("built in: {name}, {arguments:?}"))
            }
            Ok(Typed::Text) => Err("text".to_owned()),
            Err(error) => Err(error.to_string()),
        };
        let not_a_command = "text";

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
            ("/skill deploy", Err("built in: skill, \"deploy\"")),
            ("/model  x", Err("built in: model, \" x\"")),
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

    #[test]
    fn a_person_may_use_what_is_off_and_not_what_is_not_allowed() {
        let mut folders = Folders::new();
        for name in ["off-kit", "barred-kit", "quit"] {
            folders.skill("home", name, "Does.", "Do it.");
        }
        folders.env.allowed = Allowed::parse("off-kit,quit");
        let snapshot = folders.load();
        let commands = snapshot.commands(&["quit"]);
        let listed = commands.catalog();
        let listed: Vec<&str> = listed.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(listed, ["off-kit", "quit"]);
        let mut ledger = Ledger::new();
        let mut invoke = |text| commands.invoke(text, Some(&mut ledger), Freshness::AsInSnapshot);

        let off = invoke("/off-kit  two\n").unwrap().unwrap();
        let again = invoke("/off-kit more").unwrap().unwrap();
        let barred = invoke("/barred-kit").unwrap_err();
        let missing = invoke("/off-kits").unwrap_err();

        let dir = folders.folder("home", "off-kit");
        let wrapper = format!(
            "<skill name=\"off-kit\" dir=\"{0}\">\nRelative paths below are relative to {0}.\nDo it.\n</skill>",
            dir.display()
        );
        assert_eq!(off.turn(), format!("{wrapper}\n\n two\n"));
        assert_eq!(off.reply.message["data"]["content"], wrapper);
        assert_eq!(off.state, State::Off);
        assert_eq!(off.reply.read_grant, Some(dir));
        assert_eq!(off.reply.row, "used skill off-kit · 51 B");
        assert_eq!(
            again.reply.row,
            "used skill off-kit · 51 B · already loaded"
        );
        assert_eq!(
            again.turn(),
            "already loaded: the instructions of off-kit are in this conversation; follow them\n\nmore"
        );
        assert_eq!(
            (barred.code(), &*barred.row()),
            ("skill_not_allowed", "skill barred-kit · not allowed")
        );
        assert_eq!(
            (missing.code(), &*missing.row()),
            ("skill_not_found", "skill off-kits · not found")
        );
        assert_eq!(missing.help().unwrap(), "did you mean `off-kit`?");
        assert_eq!(invoke("/quit now").unwrap(), None);
        assert_eq!(invoke("quit").unwrap(), None);
        assert!(invoke("/skill:quit").unwrap().is_some());
        assert!(
            ledger
                .skills()
                .map(|(_, name)| name)
                .eq(["off-kit", "quit"])
        );
    }

    #[test]
    fn a_turn_is_made_from_the_stored_message_alone() {
        let message = |data: Value| serde_json::json!({"ok": true, "error": null, "data": data});

        let loaded =
            message(serde_json::json!({"name": "a", "status": "loaded", "content": "<skill>"}));

        assert_eq!(turn(&loaded, "").as_deref(), Some("<skill>"));
        assert_eq!(turn(&loaded, " x ").as_deref(), Some("<skill>\n\n x "));
        assert_eq!(turn(&message(Value::Null), "x"), None);
    }

    proptest! {
        #[test]
        fn no_line_makes_the_reader_panic(text in "/?(skill:)?\"?[a\\\\\" \u{e9}]{0,8}") {
            let snapshot = Snapshot::load(&Env::new("/nowhere")).unwrap();
            let read = snapshot.commands(&[]).read(&text);
            let is_skill = matches!(read, Ok(Typed::Skill { .. }));
            prop_assert!(!is_skill);
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
