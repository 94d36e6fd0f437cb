//! The `skill` tool: its definition, and the answer to a call of it.
//!
//! This file decides what the model may ask and in which order that is judged.
//! It does not know which engine calls it.

use serde_json::{Value, json};

use super::activation::Freshness;
use super::error::{ActivationError, bounded_name};
use super::ledger::Ledger;
use super::reply::{Again, Reply};
use crate::discovery::scan::Skill;
use crate::discovery::snapshot::{DiscoveryError, Lookup, Snapshot};
use crate::name::{near, split_qualified};

const DESCRIPTION: &str = "\
Loads a skill: a folder of instructions that the user keeps for one kind of task. \
When the work matches a skill's description, call this with the skill's name before you start, \
and follow the instructions it returns. \
The first line of the result names the skill's folder, in which you may read the files that the instructions mention. \
A skill is loaded once in a conversation. Without a name, lists the skills that can be loaded.";

const NAME_DESCRIPTION: &str =
    "The skill to load, exactly as listed. Leave it out to list the skills.";

impl Snapshot {
    /// Returns the definition of the tool in the form of `OpenAI`'s function
    /// tools; nothing if no skill is callable, for then there is no tool.
    ///
    /// The enum of names has the order of the catalog.
    #[must_use]
    pub fn tool_definition(&self) -> Option<Value> {
        let names = self.callable_names()?;
        Some(json!({
            "type": "function",
            "function": {
                "name": "skill",
                "description": DESCRIPTION,
                "parameters": {
                    "type": "object",
                    "properties": {
                        "name": {
                            "type": "string",
                            "description": NAME_DESCRIPTION,
                            "enum": names,
                        },
                    },
                    "additionalProperties": false,
                },
            },
        }))
    }
}

/// One call of the tool: what it is answered from.
#[derive(Debug)]
pub struct ToolCall<'a> {
    /// The skills as the model was told of them.
    pub snapshot: &'a Snapshot,
    /// What the conversation has loaded; without one every activation is fresh.
    pub ledger: Option<&'a mut Ledger>,
    /// [`Freshness::AsInSnapshot`] in a conversation; a server that has no
    /// `/reload` reads fresh.
    pub freshness: Freshness,
    /// The tool with which bundled files are read again, if the message for a
    /// skill that is loaded already is to name one.
    pub read_tool: Option<&'a str>,
}

impl ToolCall<'_> {
    /// Answers a call.
    ///
    /// `rescan` takes a new snapshot. It is asked once, and only if no skill
    /// bears the name; what it returns serves this call alone, by the same
    /// rules. Without a name, or with a blank one, the answer is the list of
    /// callable skills.
    ///
    /// While a scope file cannot be read, that is the answer to every call.
    pub fn answer(
        self,
        arguments: &Value,
        rescan: impl FnOnce() -> Result<Snapshot, DiscoveryError>,
    ) -> Reply {
        self.answer_to(wanted_name(arguments), rescan)
    }

    /// Answers a call whose arguments are JSON text, as models send them; an
    /// empty text has no arguments.
    pub fn answer_text(
        self,
        arguments: &str,
        rescan: impl FnOnce() -> Result<Snapshot, DiscoveryError>,
    ) -> Reply {
        if arguments.trim().is_empty() {
            return self.answer_to(Ok(None), rescan);
        }
        match serde_json::from_str(arguments) {
            Ok(arguments) => self.answer(&arguments, rescan),
            Err(error) => {
                let fault = invalid(format!("the arguments are not JSON: {error}"));
                self.answer_to(Err(fault), rescan)
            }
        }
    }

    fn answer_to(
        self,
        wanted: Result<Option<&str>, ActivationError>,
        rescan: impl FnOnce() -> Result<Snapshot, DiscoveryError>,
    ) -> Reply {
        let name = wanted.as_ref().map_or("", |name| name.unwrap_or_default());
        self.snapshot
            .require_readable()
            .and(wanted)
            .and_then(|wanted| match wanted {
                None => Ok(Reply::list(self.snapshot)),
                Some(name) => self.activate(name, rescan),
            })
            .unwrap_or_else(|error| Reply::failed(name, &error))
    }

    fn activate(
        mut self,
        name: &str,
        rescan: impl FnOnce() -> Result<Snapshot, DiscoveryError>,
    ) -> Result<Reply, ActivationError> {
        if self.snapshot.lookup_shown(name) != Lookup::NotFound {
            return self.give(self.snapshot, name);
        }
        let again = rescan().map_err(|source| ActivationError::NotFoundAgain {
            name: name.to_owned(),
            source,
        })?;
        again.require_readable()?;
        self.give(&again, name)
    }

    /// Gives the skill of `snapshot` called `name`, if it may be given.
    fn give(&mut self, snapshot: &Snapshot, name: &str) -> Result<Reply, ActivationError> {
        let skill = wanted_skill(snapshot, name)?;
        let ledger = self.ledger.as_deref_mut();
        let given = snapshot.give(skill, name, self.freshness, ledger)?;
        let again = Again {
            freshness: self.freshness,
            read_tool: self.read_tool,
        };
        Ok(Reply::given(given, snapshot, skill, again))
    }
}

/// Returns the name in the arguments of a call; nothing for a list.
fn wanted_name(arguments: &Value) -> Result<Option<&str>, ActivationError> {
    let arguments = match arguments {
        Value::Null => return Ok(None),
        Value::Object(arguments) => arguments,
        _ => return Err(invalid("the arguments must be an object".to_owned())),
    };
    let mut unknown: Vec<String> = arguments
        .keys()
        .filter(|key| *key != "name")
        .map(|key| bounded_name(key))
        .collect();
    unknown.sort_unstable();
    if !unknown.is_empty() {
        let noun = if unknown.len() == 1 {
            "argument"
        } else {
            "arguments"
        };
        return Err(invalid(format!("unknown {noun}: {}", unknown.join(", "))));
    }
    match arguments.get("name") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(name)) => Ok(Some(name.as_str()).filter(|name| !name.trim().is_empty())),
        Some(_) => Err(invalid("`name` must be a text".to_owned())),
    }
}

fn invalid(message: String) -> ActivationError {
    ActivationError::InvalidArguments { message }
}

/// Returns the callable skill that `name` means, or why there is none.
pub(super) fn wanted_skill<'a>(
    snapshot: &'a Snapshot,
    name: &str,
) -> Result<&'a Skill, ActivationError> {
    let found = snapshot.called(name, || ActivationError::NotFound {
        name: name.to_owned(),
        near: near_callable(snapshot, name),
        is_broken: false,
    });
    let skill = match found {
        Err(ActivationError::Ambiguous { name, aliases }) => {
            return Err(ambiguous(snapshot, name, aliases));
        }
        found => found?,
    };
    snapshot.require_on(skill)?;
    Ok(skill)
}

/// Names the callable skills that an ambiguous name could mean; if none of them
/// is, says what keeps the first from being one, by the name that was asked for.
fn ambiguous(snapshot: &Snapshot, name: String, aliases: Vec<String>) -> ActivationError {
    let callable = snapshot.callable();
    let is_callable = |alias: &String| callable.iter().any(|skill| snapshot.alias(skill) == *alias);
    let (known, hidden): (Vec<_>, Vec<_>) = aliases.into_iter().partition(is_callable);
    if !known.is_empty() {
        let aliases = known;
        return ActivationError::Ambiguous { name, aliases };
    }
    let permitted = hidden
        .iter()
        .find_map(|alias| match snapshot.lookup(alias) {
            Lookup::Found(skill) if snapshot.permits(skill) => Some(skill),
            _ => None,
        });
    match permitted {
        Some(skill) => ActivationError::Off {
            name,
            on: snapshot.turning_on(skill),
        },
        None => ActivationError::NotAllowed { name },
    }
}

fn near_callable(snapshot: &Snapshot, name: &str) -> Vec<String> {
    let callable = snapshot.callable();
    // What is far longer than any name is near none, and costly to compare.
    let name = bounded_name(name);
    let (_, bare) = split_qualified(&name);
    near(bare, callable.iter().map(|skill| skill.name.as_str()))
        .into_iter()
        .flat_map(|near| callable.iter().filter(move |skill| skill.name == near))
        .map(|skill| snapshot.shown_alias(skill))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::super::test_folders::Folders;
    use super::*;
    use crate::env::Allowed;
    use crate::personal::test_store::Store;

    fn two_kits() -> Folders {
        let folders = Folders::new();
        folders
            .skill("home", "pdf-kit", "Reads\n PDF files.", "Do it.")
            .skill("home", "off-kit", "Is off.", "");
        folders.global(r#"{"on": ["pdf-kit"]}"#);
        folders
    }

    fn call(snapshot: &Snapshot, ledger: &mut Ledger, arguments: &Value) -> Reply {
        let call = ToolCall {
            snapshot,
            ledger: Some(ledger),
            freshness: Freshness::AsInSnapshot,
            read_tool: None,
        };
        call.answer(arguments, || Snapshot::load(snapshot.env()))
    }

    fn call_named(snapshot: &Snapshot, name: &str) -> Reply {
        call(snapshot, &mut Ledger::new(), &json!({"name": name}))
    }

    /// The code, the words and the row of a failed call.
    fn failure(reply: &Reply) -> (&str, &str, &str) {
        assert_eq!(reply.message["ok"], false);
        assert_eq!(reply.message["data"], Value::Null);
        assert_eq!(reply.read_grant, None);
        let error = &reply.message["error"];
        (
            error["code"].as_str().unwrap(),
            error["message"].as_str().unwrap(),
            &reply.row,
        )
    }

    #[test]
    fn an_ambiguous_name_tells_a_model_only_of_what_it_may_call() {
        let folders = Folders::new();
        folders.skill("home", "s", "S.", "");
        let store = Store::of(&[("s", "---\nname: s\n---\nMine.")]);
        let told = |global: &str| {
            folders.global(global);
            let reply = call_named(&folders.load_with(&store), "s");
            let (code, words, _) = failure(&reply);
            format!("{code}: {words}")
        };

        assert_eq!(
            told(r#"{"on": ["personal/s", "workspace/s"]}"#),
            "skill_ambiguous: `s` could be personal/s or workspace/s; call it by one of these names"
        );
        assert_eq!(
            told(r#"{"on": ["workspace/s"]}"#),
            "skill_ambiguous: `s` could be workspace/s; call it by this name"
        );
        assert_eq!(
            told("{}"),
            "skill_off: the skill `s` is off; `codeaf-skills on personal/s --global` turns it on"
        );
    }

    #[test]
    fn the_definition_offers_the_callable_names_and_nothing_else() {
        let folders = two_kits();
        folders
            .skill("home", "a-kit", "A.", "")
            .global(r#"{"on": ["pdf-kit", "a-kit"]}"#);

        let definition = folders.load().tool_definition().unwrap();

        assert_eq!(
            definition,
            json!({
                "type": "function",
                "function": {
                    "name": "skill",
                    "description": DESCRIPTION,
                    "parameters": {
                        "type": "object",
                        "properties": {
                            "name": {"type": "string", "description": NAME_DESCRIPTION, "enum": ["a-kit", "pdf-kit"]},
                        },
                        "additionalProperties": false,
                    },
                },
            })
        );
    }

    #[test]
    fn with_nothing_callable_there_is_no_tool() {
        let folders = two_kits();
        folders.global(r#"{"off": ["pdf-kit"]}"#);

        assert_eq!(folders.load().tool_definition(), None);
    }

    #[test]
    fn a_first_call_gives_the_instructions_and_a_second_one_a_stub() {
        let folders = two_kits();
        let snapshot = folders.load();
        let mut ledger = Ledger::new();
        let dir = folders.folder("home", "pdf-kit");

        let first = call(&snapshot, &mut ledger, &json!({"name": "pdf-kit"}));
        let second = call(
            &snapshot,
            &mut ledger,
            &json!({"name": "workspace/pdf-kit"}),
        );

        let path = dir.display();
        let content = format!(
            "<skill name=\"pdf-kit\" dir=\"{path}\">\nRelative paths below are relative to {path}.\nDo it.\n</skill>"
        );
        assert_eq!(
            first.message,
            json!({"ok": true, "error": null, "data": {"name": "pdf-kit", "status": "loaded", "content": content}})
        );
        assert_eq!(
            first.row,
            format!("used skill pdf-kit · {} B", snapshot.skills()[1].size)
        );
        assert_eq!(first.read_grant, Some(dir.clone()));
        assert_eq!(
            second.message,
            json!({"ok": true, "error": null, "data": {
                "name": "pdf-kit",
                "status": "already_active",
                "message": "already loaded: the instructions of pdf-kit are in this conversation; follow them",
            }})
        );
        assert_eq!(second.row, format!("{} · already loaded", first.row));
        assert_eq!(second.read_grant, Some(dir));
    }

    #[test]
    fn a_stub_names_the_tool_that_reads_again() {
        let folders = two_kits();
        let snapshot = folders.load();
        let mut ledger = Ledger::new();
        call(&snapshot, &mut ledger, &json!({"name": "pdf-kit"}));

        let again = ToolCall {
            snapshot: &snapshot,
            ledger: Some(&mut ledger),
            freshness: Freshness::Fresh,
            read_tool: Some("read_skill_file"),
        };
        let reply = again.answer(&json!({"name": "pdf-kit"}), || unreachable!());

        let message = reply.message["data"]["message"].as_str().unwrap();
        assert!(
            message.ends_with("To read its files again, call read_skill_file"),
            "{message}"
        );
    }

    #[test]
    fn a_stub_says_that_the_text_has_changed_and_how_to_get_it() {
        let folders = two_kits();
        let snapshot = folders.load();
        let mut ledger = Ledger::new();
        call(&snapshot, &mut ledger, &json!({"name": "pdf-kit"}));
        folders.skill("home", "pdf-kit", "Is edited.", "Otherwise.");
        let loaded =
            "already loaded: the instructions of pdf-kit are in this conversation; follow them";

        for (freshness, read_tool, words) in [
            (
                Freshness::AsInSnapshot,
                None,
                ". Its text has changed since it was loaded: after `/reload`, which a person types, it can be loaded again",
            ),
            (
                Freshness::Fresh,
                Some("read_skill_file"),
                ". Its text has changed since it was loaded. To read its files again, call read_skill_file",
            ),
        ] {
            let again = ToolCall {
                snapshot: &snapshot,
                ledger: Some(&mut ledger),
                freshness,
                read_tool,
            };
            let reply = again.answer(&json!({"name": "pdf-kit"}), || unreachable!());
            assert_eq!(reply.message["data"]["status"], "already_active");
            assert_eq!(reply.message["data"]["message"], format!("{loaded}{words}"));
        }
    }

    #[test]
    fn without_a_ledger_every_call_is_fresh_and_a_server_reads_what_is_there() {
        let folders = two_kits();
        let snapshot = folders.load();
        folders.skill("home", "pdf-kit", "Is edited.", "Otherwise.");

        for _ in 0..2 {
            let call = ToolCall {
                snapshot: &snapshot,
                ledger: None,
                freshness: Freshness::Fresh,
                read_tool: None,
            };
            let reply = call.answer_text(r#"{"name": "pdf-kit"}"#, || unreachable!());
            assert!(
                reply.message["data"]["content"]
                    .as_str()
                    .unwrap()
                    .contains("Otherwise.")
            );
        }
    }

    #[test]
    fn wrong_arguments_are_told_before_anything_else() {
        let folders = two_kits();
        let snapshot = folders.load();

        for (arguments, words) in [
            (
                json!({"zeta": 1, "alpha": 2, "name": "nope"}),
                "unknown arguments: alpha, zeta",
            ),
            (json!({"file": ""}), "unknown argument: file"),
            (json!({"name": 7}), "`name` must be a text"),
            (json!({"name": ["pdf-kit"]}), "`name` must be a text"),
            (json!(["pdf-kit"]), "the arguments must be an object"),
        ] {
            let reply = call(&snapshot, &mut Ledger::new(), &arguments);
            assert_eq!(
                failure(&reply),
                ("invalid_arguments", words, "skill · invalid arguments")
            );
        }
    }

    #[test]
    fn arguments_as_text_may_be_empty_or_broken() {
        let folders = two_kits();
        let snapshot = folders.load();
        let answer = |text| {
            let call = ToolCall {
                snapshot: &snapshot,
                ledger: None,
                freshness: Freshness::AsInSnapshot,
                read_tool: None,
            };
            call.answer_text(text, || unreachable!())
        };

        assert_eq!(answer("").message["data"]["count"], 1);
        assert_eq!(answer("null").message["data"]["count"], 1);
        let broken = answer("{\"name\": ");
        let (code, words, _) = failure(&broken);
        assert_eq!(code, "invalid_arguments");
        assert!(
            words.starts_with("the arguments are not JSON: EOF"),
            "{words}"
        );
    }

    #[test]
    fn without_a_name_the_callable_skills_are_listed_by_origin() {
        let mut folders = two_kits();
        folders
            .skill("project", "z-kit", "Z.", "")
            .skill("project", "a-kit", "A.", "");
        folders.write(
            "given/g-kit/SKILL.md",
            "---\nname: g-kit\ndescription: G.\n---\n",
        );
        folders.env.given_roots.push(folders.top.join("given"));
        folders.global(r#"{"on": ["pdf-kit", "z-kit", "a-kit", "g-kit"]}"#);
        let snapshot = folders.load();

        for arguments in [json!({}), json!({"name": " \t"}), json!({"name": null})] {
            let call = ToolCall {
                snapshot: &snapshot,
                ledger: None,
                freshness: Freshness::AsInSnapshot,
                read_tool: None,
            };
            let reply = call.answer(&arguments, || unreachable!("a list never rescans"));
            assert_eq!(
                reply.message["data"],
                json!({
                    "skill_groups": [
                        {"origin": "given", "skills": [{"name": "g-kit", "description": "G."}]},
                        {"origin": "project", "skills": [
                            {"name": "a-kit", "description": "A."},
                            {"name": "z-kit", "description": "Z."},
                        ]},
                        {"origin": "home", "skills": [{"name": "pdf-kit", "description": "Reads PDF files."}]},
                    ],
                    "count": 4,
                })
            );
            assert_eq!(reply.row, "listed 4 skills");
        }
    }

    #[test]
    fn a_miss_looks_once_more_and_serves_that_call_alone() {
        let folders = two_kits();
        folders.global(r#"{"on": ["pdf-kit", "later-kit"]}"#);
        let snapshot = folders.load();
        folders.skill("home", "later-kit", "Came later.", "Later.");
        let scans = Cell::new(0);
        let answer = |name: &str| {
            let call = ToolCall {
                snapshot: &snapshot,
                ledger: None,
                freshness: Freshness::AsInSnapshot,
                read_tool: None,
            };
            let reply = call.answer(&json!({"name": name}), || {
                scans.set(scans.get() + 1);
                Snapshot::load(snapshot.env())
            });
            (reply, scans.get())
        };

        let (later, after_later) = answer("later-kit");
        let (known, after_known) = answer("pdf-kit");
        let (off, after_off) = answer("off-kit");
        let (none, after_none) = answer("pdfkit");

        assert_eq!(later.message["data"]["status"], "loaded");
        assert_eq!(known.message["data"]["status"], "loaded");
        assert_eq!(
            (after_later, after_known, after_off, after_none),
            (1, 1, 1, 2)
        );
        assert_eq!(failure(&off).0, "skill_off");
        assert_eq!(
            failure(&none),
            (
                "skill_not_found",
                "no skill is called `pdfkit`; did you mean `pdf-kit`?",
                "skill pdfkit · not found"
            )
        );
        assert_eq!(
            snapshot.tool_definition().unwrap()["function"]["parameters"]["properties"]["name"]["enum"],
            json!(["pdf-kit"])
        );
    }

    #[test]
    fn what_a_rescan_finds_is_bound_by_the_usual_rules() {
        let folders = two_kits();
        let snapshot = folders.load();
        folders.skill("home", "later-kit", "Came later.", "");

        let off = call_named(&snapshot, "later-kit");
        folders.project("{");
        let unreadable = call_named(&snapshot, "later-kit");

        assert_eq!(failure(&off).0, "skill_off");
        assert_eq!(failure(&unreadable).0, "scope_unreadable");
    }

    #[test]
    fn a_rescan_that_fails_is_a_miss_with_its_reason() {
        let folders = two_kits();
        let snapshot = folders.load();
        let call = ToolCall {
            snapshot: &snapshot,
            ledger: None,
            freshness: Freshness::AsInSnapshot,
            read_tool: None,
        };

        let reply = call.answer(&json!({"name": "x"}), || {
            Err(DiscoveryError::NotAFolder {
                path: "/gone".into(),
            })
        });

        let (code, words, row) = failure(&reply);
        assert_eq!(code, "skill_not_found");
        assert!(
            words
                .ends_with("could not be looked at again: cannot attach /gone: it is not a folder"),
            "{words}"
        );
        assert_eq!(row, "skill x · not found");
    }

    #[test]
    fn names_are_exact() {
        let folders = two_kits();
        let snapshot = folders.load();

        for name in [
            " pdf-kit",
            "pdf-kit ",
            "PDF-KIT",
            "personal/pdf-kit",
            "/pdf-kit",
        ] {
            assert_eq!(
                failure(&call_named(&snapshot, name)).0,
                "skill_not_found",
                "{name}"
            );
        }
    }

    #[test]
    fn near_names_are_callable_ones() {
        let folders = two_kits();
        let snapshot = folders.load();

        let reply = call_named(&snapshot, "off-kits");

        assert_eq!(failure(&reply).1, "no skill is called `off-kits`");
    }

    #[test]
    fn what_is_not_callable_says_why() {
        let mut folders = two_kits();
        folders.skill("home", "barred-kit", "Is barred.", "");
        folders.env.allowed = Allowed::parse("pdf-kit,off-kit");
        let snapshot = folders.load();
        folders.remove("home/.agents/skills/pdf-kit");

        for (name, code, row) in [
            ("off-kit", "skill_off", "skill off-kit · off"),
            (
                "barred-kit",
                "skill_not_allowed",
                "skill barred-kit · not allowed",
            ),
            (
                "pdf-kit",
                "skill_read_error",
                "skill pdf-kit · cannot be read",
            ),
        ] {
            let reply = call_named(&snapshot, name);
            let (found_code, _, found_row) = failure(&reply);
            assert_eq!((found_code, found_row), (code, row));
        }
    }

    #[test]
    fn a_changed_description_is_told_and_a_changed_body_is_not() {
        let folders = two_kits();
        let snapshot = folders.load();

        folders.skill("home", "pdf-kit", "Reads\n PDF files.", "A new body.");
        let new_body = call_named(&snapshot, "pdf-kit");
        folders.skill("home", "pdf-kit", "Reads all.", "");
        let new_description = call_named(&snapshot, "pdf-kit");

        assert_eq!(new_body.message["ok"], true);
        assert_eq!(
            failure(&new_description),
            (
                "skill_changed",
                "the description of the skill `pdf-kit` changed since the skills were read; `/reload` reads the skills again",
                "skill pdf-kit · changed",
            )
        );
    }

    #[test]
    fn while_a_scope_file_is_unreadable_every_call_says_so() {
        let folders = two_kits();
        folders.project("[]");
        let snapshot = folders.load();

        for arguments in [
            json!({}),
            json!({"name": "pdf-kit"}),
            json!({"name": "nope"}),
            json!({"bad": 1}),
        ] {
            let call = ToolCall {
                snapshot: &snapshot,
                ledger: None,
                freshness: Freshness::AsInSnapshot,
                read_tool: None,
            };
            let reply = call.answer(&arguments, || unreachable!());
            let (code, words, row) = failure(&reply);
            assert_eq!(code, "scope_unreadable");
            assert!(words.contains("project/.codeaf/skills.json"), "{words}");
            assert!(row.ends_with(" · scope file unreadable"), "{row}");
        }
    }
}
