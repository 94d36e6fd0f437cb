//! The ledger: which skills one conversation has loaded, and what they gave.
//!
//! It is kept in memory and rebuilt from the stored transcript; it writes
//! nothing. A skill is known by its source and its name.

use std::collections::HashSet;
use std::path::PathBuf;

use serde_json::Value;

use super::activation::{Activation, Freshness};
use crate::discovery::scan::Skill;
use crate::discovery::snapshot::Snapshot;
use crate::name::{Source, split_qualified};
use crate::scope::Subject;
use crate::text::{unescaped, visible};

/// The skills that one conversation has loaded, in the order of activation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ledger {
    loaded: Vec<Loaded>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Loaded {
    source: Source,
    /// The bare name as it is shown.
    name: String,
    /// The wrapper that the model got.
    content: String,
    /// Whether a person called it, too.
    is_of_person: bool,
    /// Whether it may be loaded anew.
    is_open: bool,
}

impl Loaded {
    fn qualified(&self) -> String {
        self.source.qualify(&self.name)
    }
}

/// A loaded skill whose instructions the model is to follow no more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withdrawn {
    /// Its qualified name.
    pub name: String,
    /// Whether it is among the allowed skills, so that it is off.
    pub is_allowed: bool,
}

/// A line of a transcript that was passed over.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct TranscriptFault {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl Ledger {
    /// Makes the ledger of a conversation that has loaded nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Rebuilds the ledger from a stored transcript.
    ///
    /// A line is one JSON object. One of role `tool` holds the message of the
    /// `skill` tool in `content`, as an object or as its JSON text; one of role
    /// `user` that a `/name` brought about holds the same in `skill`. A tool line
    /// with a `name` other than `skill`, or with the `tool_call_id` of another
    /// tool's call, is that tool's, and passed over: what `read` returned must
    /// not pass for a skill. So is whatever is not about skills.
    ///
    /// In one of role `note` the list `reopened` is a [`reopen`](Self::reopen),
    /// and the list `withdrawn` a [`withdraw`](Self::withdraw), of qualified
    /// names.
    ///
    /// A skill counts as loaded if `ok` is exactly `true`, `data.status` is
    /// `loaded`, and `name` and `content` are texts and not blank. Of two, the
    /// later counts. Any other line is skipped and returned as a fault.
    ///
    /// # Examples
    ///
    /// ```
    /// use codeaf_skills::{Ledger, Source};
    ///
    /// let transcript = r#"{"role": "user", "content": "Fill this form."}
    /// {"role": "tool", "name": "skill", "content": {"ok": true, "data": {"name": "pdf", "status": "loaded", "content": "<skill name=\"pdf\" dir=\"/s/pdf\">\n</skill>"}}}
    /// {"role": "tool", "na"#;
    ///
    /// let (ledger, faults) = Ledger::from_transcript(transcript.lines());
    /// assert!(ledger.skills().eq([(Source::Workspace, "pdf")]));
    /// assert_eq!(faults[0].line, 3);
    /// ```
    #[must_use]
    pub fn from_transcript<'a>(
        lines: impl IntoIterator<Item = &'a str>,
    ) -> (Self, Vec<TranscriptFault>) {
        let mut ledger = Self::new();
        let mut faults = Vec::new();
        let mut skill_calls = HashSet::new();
        for (index, line) in lines.into_iter().enumerate() {
            match read_line(line, &mut skill_calls) {
                Ok(Found::Skill(loaded)) => ledger.put(loaded),
                Ok(Found::Again(name)) => ledger.claim_named(&name),
                Ok(Found::Told {
                    reopened,
                    withdrawn,
                }) => {
                    ledger.reopen(&reopened);
                    ledger.withdraw(&withdrawn);
                }
                Ok(Found::Nothing) => {}
                Err(message) => faults.push(TranscriptFault {
                    line: index + 1,
                    message,
                }),
            }
        }
        (ledger, faults)
    }

    /// Notes what an activation gave the model.
    pub fn record(&mut self, activation: &Activation) {
        self.put(Loaded {
            source: activation.source,
            name: visible(&activation.name).into_owned(),
            content: activation.content(),
            is_of_person: false,
            is_open: false,
        });
    }

    /// Notes that a person called `skill`: it stays in force when it is off.
    pub fn claim(&mut self, skill: &Skill) {
        if let Some(at) = self.position(skill) {
            self.loaded[at].is_of_person = true;
        }
    }

    /// Lets the skills of these qualified names be loaded anew. What was given
    /// before stays given: it survives compaction, and its folder may be read.
    pub fn reopen(&mut self, names: &[String]) {
        for loaded in &mut self.loaded {
            loaded.is_open |= names.contains(&loaded.qualified());
        }
    }

    /// Takes the skills of these qualified names out, as if they had never been
    /// loaded.
    pub fn withdraw(&mut self, names: &[String]) {
        self.loaded
            .retain(|loaded| !names.contains(&loaded.qualified()));
    }

    /// Returns whether the conversation has loaded `skill`, and it may not be
    /// loaded anew.
    #[must_use]
    pub fn has(&self, skill: &Skill) -> bool {
        self.of(skill).is_some_and(|loaded| !loaded.is_open)
    }

    fn of(&self, skill: &Skill) -> Option<&Loaded> {
        self.position(skill).map(|at| &self.loaded[at])
    }

    fn position(&self, skill: &Skill) -> Option<usize> {
        let name = visible(&skill.name);
        self.loaded
            .iter()
            .position(|loaded| loaded.source == skill.source() && loaded.name == name)
    }

    /// Notes that a person called the skill of a stored alias.
    fn claim_named(&mut self, alias: &str) {
        let (source, name) = split_qualified(alias);
        let is_meant = |loaded: &&mut Loaded| {
            loaded.name == name && source.is_none_or(|source| source == loaded.source)
        };
        if let Some(loaded) = self.loaded.iter_mut().find(is_meant) {
            loaded.is_of_person = true;
        }
    }

    /// Returns source and name of each loaded skill, in the order of activation.
    pub fn skills(&self) -> impl Iterator<Item = (Source, &str)> {
        self.loaded
            .iter()
            .map(|loaded| (loaded.source, loaded.name.as_str()))
    }

    /// Returns the wrappers to put back after compaction, verbatim and in the
    /// order of activation: all but those that `kept_tail`, the texts of the
    /// turns that stay, still holds, as text or within JSON.
    #[must_use]
    pub fn reinjection(&self, kept_tail: &[&str]) -> Vec<&str> {
        self.loaded
            .iter()
            .map(|loaded| loaded.content.as_str())
            .filter(|content| !is_kept(content, kept_tail))
            .collect()
    }

    fn put(&mut self, mut new: Loaded) {
        let is_same = |old: &Loaded| (old.source, &old.name) == (new.source, &new.name);
        let was_of_person = self
            .loaded
            .iter()
            .any(|old| is_same(old) && old.is_of_person);
        self.loaded.retain(|old| !is_same(old));
        new.is_of_person |= was_of_person;
        self.loaded.push(new);
    }
}

impl Snapshot {
    /// Returns the real folders that the model may read in, because the
    /// conversation has loaded their skills and they are in force: allowed, and
    /// on or called by a person.
    ///
    /// While a scope file cannot be read, those that a person called alone.
    #[must_use]
    pub fn read_grants(&self, ledger: &Ledger) -> Vec<PathBuf> {
        let is_readable = self.scope_faults().next().is_none();
        let is_in_force = |skill: &Skill| {
            let Some(loaded) = ledger.of(skill) else {
                return false;
            };
            let is_on = is_readable && self.resolution(skill).is_on();
            self.permits(skill) && (is_on || loaded.is_of_person)
        };
        self.owners()
            .filter(|skill| skill.source() == Source::Workspace && is_in_force(skill))
            .filter_map(|skill| self.real_folder(skill).ok())
            .collect()
    }

    /// Returns the loaded skills that are no longer in force: not allowed, or
    /// off and never called by a person.
    ///
    /// While a scope file cannot be read there are none: it is not known what is
    /// off.
    #[must_use]
    pub fn withdrawn(&self, ledger: &Ledger) -> Vec<Withdrawn> {
        if self.scope_faults().next().is_some() {
            return Vec::new();
        }
        let withdrawn = |loaded: &Loaded| {
            let (is_allowed, is_on) = self.standing_of(loaded);
            (!is_allowed || !is_on && !loaded.is_of_person).then(|| Withdrawn {
                name: loaded.qualified(),
                is_allowed,
            })
        };
        ledger.loaded.iter().filter_map(withdrawn).collect()
    }

    /// Returns whether a loaded skill is allowed, and on. One that is gone is
    /// judged by its name.
    fn standing_of(&self, loaded: &Loaded) -> (bool, bool) {
        let is_meant =
            |skill: &&Skill| skill.source() == loaded.source && visible(&skill.name) == loaded.name;
        if let Some(skill) = self.owners().find(is_meant) {
            return (self.permits(skill), self.resolution(skill).is_on());
        }
        let name = unescaped(&loaded.name).unwrap_or_else(|| loaded.name.clone());
        let is_of_workspace =
            |skill: &Skill| skill.source() == Source::Workspace && skill.name == name;
        let subject = Subject {
            name: &name,
            source: loaded.source,
            is_meant_by_bare_name: loaded.source == Source::Workspace
                || !self.owners().any(is_of_workspace),
            is_from_project: false,
        };
        let qualified = loaded.source.qualify(&name);
        let is_allowed = self.env().allowed.permits([&*name, &*qualified]);
        (is_allowed, self.scopes().resolve(subject).is_on())
    }

    /// Returns the loaded skills that say something else now than the model was
    /// given, but for those that may be loaded anew already.
    #[must_use]
    pub fn rewritten(&self, ledger: &Ledger) -> Vec<&Skill> {
        self.owners()
            .filter(|skill| ledger.has(skill) && self.is_rewritten(skill, ledger))
            .collect()
    }

    /// Returns whether a loaded skill says something else now. Of one that
    /// cannot be read nobody knows.
    pub(super) fn is_rewritten(&self, skill: &Skill, ledger: &Ledger) -> bool {
        let now = || self.activate_skill(skill, &skill.name, Freshness::Fresh);
        let differs = |loaded: &Loaded| now().is_ok_and(|now| now.content() != loaded.content);
        ledger.of(skill).is_some_and(differs)
    }
}

/// Whether a text of the tail holds `content`: plain, in a tool message, or in
/// the transcript line around one.
fn is_kept(content: &str, kept_tail: &[&str]) -> bool {
    let within_json = |text: &str| {
        let quoted = Value::from(text).to_string();
        quoted[1..quoted.len() - 1].to_owned()
    };
    let in_message = within_json(content);
    let in_line = within_json(&in_message);
    let forms = [content, &in_message, &in_line];
    kept_tail
        .iter()
        .any(|text| forms.iter().any(|form| text.contains(form)))
}

/// What a line is to the ledger.
enum Found {
    Skill(Loaded),
    /// A person called a skill, of this alias, that was loaded already.
    Again(String),
    Told {
        reopened: Vec<String>,
        withdrawn: Vec<String>,
    },
    Nothing,
}

impl From<Option<Loaded>> for Found {
    fn from(loaded: Option<Loaded>) -> Self {
        loaded.map_or(Self::Nothing, Self::Skill)
    }
}

fn read_line(line: &str, skill_calls: &mut HashSet<String>) -> Result<Found, String> {
    if line.trim().is_empty() {
        return Ok(Found::Nothing);
    }
    let line: Value =
        serde_json::from_str(line).map_err(|error| format!("is not JSON: {error}"))?;
    match line["role"].as_str() {
        Some("assistant") => {
            note_calls(&line, skill_calls);
            Ok(Found::Nothing)
        }
        Some("tool") if is_from_skill_tool(&line, skill_calls) => {
            Ok(read_message(&line["content"])?.into())
        }
        Some("user") => read_person(&line["skill"]),
        Some("note") => Ok(Found::Told {
            reopened: texts(&line["reopened"]),
            withdrawn: texts(&line["withdrawn"]),
        }),
        Some(_) => Ok(Found::Nothing),
        None => Err("has no role".to_owned()),
    }
}

/// Reads the message of a skill that a person called.
fn read_person(message: &Value) -> Result<Found, String> {
    let data = &message["data"];
    if data["status"] == "already_active" {
        let name = data["name"].as_str().unwrap_or_default();
        return Ok(Found::Again(name.to_owned()));
    }
    let loaded = read_message(message)?;
    Ok(loaded
        .map(|loaded| Loaded {
            is_of_person: true,
            ..loaded
        })
        .into())
}

fn texts(list: &Value) -> Vec<String> {
    let elements = list.as_array().into_iter().flatten();
    elements
        .filter_map(|element| element.as_str().map(str::to_owned))
        .collect()
}

fn note_calls(line: &Value, skill_calls: &mut HashSet<String>) {
    let calls = line["tool_calls"].as_array().into_iter().flatten();
    for call in calls.filter(|call| call["function"]["name"] == "skill") {
        if let Some(id) = call["id"].as_str() {
            skill_calls.insert(id.to_owned());
        }
    }
}

fn is_from_skill_tool(line: &Value, skill_calls: &HashSet<String>) -> bool {
    match (line.get("name"), line.get("tool_call_id")) {
        (Some(name), _) => name == "skill",
        (None, Some(id)) => id.as_str().is_some_and(|id| skill_calls.contains(id)),
        (None, None) => true,
    }
}

fn read_message(message: &Value) -> Result<Option<Loaded>, String> {
    let parsed;
    let message = match message.as_str() {
        None => message,
        Some(text) => {
            parsed = serde_json::from_str(text)
                .map_err(|error| format!("its message is not JSON: {error}"))?;
            &parsed
        }
    };
    let data = &message["data"];
    if data["status"] != "loaded" {
        return Ok(None);
    }
    if message["ok"] != true {
        return Err("its message says `loaded`, but not that it is `ok`".to_owned());
    }
    let text = |key: &str| {
        data[key]
            .as_str()
            .filter(|text| !text.trim().is_empty())
            .map(str::to_owned)
            .ok_or_else(|| format!("its message has no text `{key}`"))
    };
    let (name, content) = (text("name")?, text("content")?);
    Ok(Some(Loaded {
        source: source_of(&name, &content),
        name: split_qualified(&name).1.to_owned(),
        content,
        is_of_person: false,
        is_open: false,
    }))
}

/// Returns who keeps a stored skill: an alias says it; else a wrapper with a
/// folder is of the workspace.
fn source_of(name: &str, content: &str) -> Source {
    let has_dir = || {
        let after_name = content.strip_prefix("<skill name=\"")?.split_once('"')?.1;
        Some(after_name.starts_with(" dir=\""))
    };
    match split_qualified(name).0 {
        Some(source) => source,
        None if has_dir() == Some(false) => Source::Personal,
        None => Source::Workspace,
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_folders::Folders;
    use super::*;
    use crate::env::Allowed;
    use proptest::prelude::*;
    use serde_json::json;

    fn message(name: &str, content: &str) -> Value {
        json!({"ok": true, "error": null, "data": {"name": name, "status": "loaded", "content": content}})
    }

    fn tool_line(message: &Value) -> String {
        json!({"role": "tool", "name": "skill", "content": message.to_string()}).to_string()
    }

    fn rebuilt(lines: &[String]) -> (Vec<String>, Vec<String>) {
        let (ledger, faults) = Ledger::from_transcript(lines.iter().map(String::as_str));
        let skills = ledger
            .skills()
            .map(|(source, name)| format!("{source}/{name}"))
            .collect();
        (skills, faults.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn what_was_loaded_is_read_from_the_transcript_in_order() {
        let workspace = "<skill name=\"b\" dir=\"/d\">\nB\n</skill>";
        let calls = json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": "1", "type": "function", "function": {"name": "skill", "arguments": "{}"}},
            {"id": "2", "type": "function", "function": {"name": "read", "arguments": "{}"}},
        ]});
        let with_id = |id: &str, name: &str| {
            json!({"role": "tool", "tool_call_id": id, "content": message(name, workspace).to_string()}).to_string()
        };

        let (skills, faults) = rebuilt(&[
            json!({"role": "user", "content": "hello"}).to_string(),
            String::new(),
            tool_line(&message("b", workspace)),
            json!({"role": "tool", "content": message("a", "<skill name=\"a\">\nA\n</skill>")}).to_string(),
            tool_line(&message("personal/c", workspace)),
            tool_line(&message("workspace/c", workspace)),
            json!({"role": "user", "content": "/d x", "skill": message("d", workspace)}).to_string(),
            calls.to_string(),
            with_id("1", "e"),
            with_id("2", "forged"),
            with_id("3", "forged"),
            json!({"role": "tool", "name": "read", "content": message("forged", workspace).to_string()}).to_string(),
            tool_line(&json!({"ok": true, "error": null, "data": {"name": "b", "status": "already_active", "message": "already loaded: b"}})),
            tool_line(&json!({"ok": false, "error": {"code": "skill_off", "message": "off"}, "data": null})),
            json!({"role": "tool", "name": "read", "content": "plain text"}).to_string(),
        ]);

        assert_eq!(
            skills,
            [
                "workspace/b",
                "personal/a",
                "personal/c",
                "workspace/c",
                "workspace/d",
                "workspace/e"
            ]
        );
        assert!(faults.is_empty(), "{faults:?}");
    }

    #[test]
    fn malformed_lines_are_skipped_and_told() {
        let loaded = |ok: Value, name: Value, content: Value| {
            tool_line(
                &json!({"ok": ok, "data": {"name": name, "status": "loaded", "content": content}}),
            )
        };

        for (line, fault) in [
            ("{\"role\": \"tool\"".to_owned(), "is not JSON"),
            ("\"text\"".to_owned(), "has no role"),
            (json!({"role": 1}).to_string(), "has no role"),
            (
                json!({"role": "tool", "name": "skill", "content": "text"}).to_string(),
                "its message is not JSON",
            ),
            (
                loaded(json!("true"), json!("a"), json!("c")),
                "its message says `loaded`, but not that it is `ok`",
            ),
            (
                loaded(json!(1), json!("a"), json!("c")),
                "its message says `loaded`, but not that it is `ok`",
            ),
            (
                loaded(json!(true), json!(""), json!("c")),
                "its message has no text `name`",
            ),
            (
                loaded(json!(true), json!(7), json!("c")),
                "its message has no text `name`",
            ),
            (
                loaded(json!(true), json!("a"), json!(" \n")),
                "its message has no text `content`",
            ),
            (
                loaded(json!(true), json!("a"), Value::Null),
                "its message has no text `content`",
            ),
        ] {
            let good = tool_line(&message(
                "good",
                "<skill name=\"good\" dir=\"/d\">\n</skill>",
            ));
            let (skills, faults) = rebuilt(&[line.clone(), good]);
            assert_eq!(skills, ["workspace/good"], "{line}");
            assert_eq!(faults.len(), 1, "{line}");
            assert!(
                faults[0].starts_with(&format!("line 1: {fault}")),
                "{}",
                faults[0]
            );
        }
    }

    #[test]
    fn of_two_loads_the_later_counts() {
        let (ledger, _) = Ledger::from_transcript(
            [
                message("a", "old a"),
                message("b", "b"),
                message("a", "new a"),
            ]
            .iter()
            .map(tool_line)
            .collect::<Vec<_>>()
            .iter()
            .map(String::as_str),
        );

        assert_eq!(ledger.reinjection(&[]), ["b", "new a"]);
    }

    #[test]
    fn wrappers_go_back_unless_the_tail_still_has_them() {
        let contents = [
            "<skill name=\"a\">\nA \"é\"\n</skill>",
            "<skill name=\"b\">\nB\n</skill>",
            "<skill name=\"c\">\nC\n</skill>",
        ];
        let lines: Vec<String> = ["a", "b", "c"]
            .iter()
            .zip(contents)
            .map(|(name, content)| tool_line(&message(name, content)))
            .collect();
        let (ledger, _) = Ledger::from_transcript(lines.iter().map(String::as_str));
        let as_message = message("a", contents[0]).to_string();
        let as_turn = format!("{}\nthe arguments", contents[1]);

        assert_eq!(ledger.reinjection(&[]), contents);
        assert_eq!(ledger.reinjection(&["B", "other"]), contents);
        assert_eq!(ledger.reinjection(&[&as_message, &as_turn]), [contents[2]]);
        assert_eq!(ledger.reinjection(&[&lines[0]]), contents[1..]);
    }

    #[test]
    fn a_recorded_activation_equals_the_rebuilt_one() {
        let folders = Folders::new();
        folders.skill("home", "pd\u{200b}f", "Does.", "Body.");
        folders.global(r#"{"on": ["pd\u200bf"]}"#);
        let snapshot = folders.load();
        let activation = snapshot.activate("pd\u{200b}f", Freshness::Fresh).unwrap();
        let mut ledger = Ledger::new();

        ledger.record(&activation);

        let line = tool_line(&message(&activation.alias, &activation.content()));
        assert_eq!(Ledger::from_transcript([line.as_str()]).0, ledger);
        assert!(ledger.has(&snapshot.skills()[0]));
        assert_eq!(
            snapshot.read_grants(&ledger),
            [folders.folder("home", "pd\u{200b}f")]
        );
        ledger.reopen(&["workspace/pd\\u{200b}f".to_owned()]);
        assert!(!ledger.has(&snapshot.skills()[0]));
        assert_eq!(snapshot.read_grants(&ledger).len(), 1);
        assert_eq!(ledger.reinjection(&[]).len(), 1);
    }

    #[test]
    fn a_reload_in_the_transcript_lets_each_skill_be_loaded_anew() {
        let folders = Folders::new();
        folders.skill("home", "a-kit", "A.", "Do it.");
        let snapshot = folders.load();
        let loaded = tool_line(&message(
            "a-kit",
            "<skill name=\"a-kit\" dir=\"/d\">\n</skill>",
        ));
        let note = |key: &str, name: &str| {
            json!({"role": "note", "content": "Changed.", key: [name]}).to_string()
        };
        let reload = note("reopened", "workspace/a-kit");
        let other = note("reopened", "workspace/b-kit");
        let withdrawn = note("withdrawn", "workspace/a-kit");
        let has = |lines: &[&str]| {
            let (ledger, faults) = Ledger::from_transcript(lines.iter().copied());
            assert!(faults.is_empty());
            ledger.has(&snapshot.skills()[0])
        };

        assert!(has(&[&loaded]));
        assert!(!has(&[&loaded, &reload]));
        assert!(has(&[&loaded, &other]));
        assert!(has(&[&loaded, &reload, &loaded]));
        assert!(!has(&[&loaded, &withdrawn]));
        assert!(has(&[&loaded, &withdrawn, &loaded]));
    }

    /// What a person loaded, and then the model.
    fn by_person_and_model() -> [String; 2] {
        let of = |name: &str| {
            message(
                name,
                &format!("<skill name=\"{name}\" dir=\"/d\">\n</skill>"),
            )
        };
        [
            json!({"role": "user", "content": "/mine", "skill": of("mine")}).to_string(),
            tool_line(&of("its")),
        ]
    }

    #[test]
    fn a_skill_that_is_gone_is_judged_by_its_own_name_alone() {
        let mut folders = Folders::new();
        folders.skill("home", "kit", "K.", "");
        let lines = ["personal/kit", "a\\u{200b}b"]
            .map(|name| tool_line(&message(name, "<skill name=\"x\" dir=\"/x\">")));
        let (ledger, _) = Ledger::from_transcript(lines.iter().map(String::as_str));
        let gone = |folders: &Folders| -> Vec<String> {
            let withdrawn = folders.load().withdrawn(&ledger).into_iter();
            withdrawn.map(|withdrawn| withdrawn.name).collect()
        };

        // The bare name means the workspace's skill, which is there.
        folders.global("{\"on\": [\"kit\", \"a\u{200b}b\"]}");
        assert_eq!(gone(&folders), ["personal/kit"]);
        folders.remove("home/.agents/skills/kit");
        assert_eq!(gone(&folders), Vec::<String>::new());
        folders.env.allowed = Allowed::parse("personal/kit,a\u{200b}b");
        assert_eq!(gone(&folders), Vec::<String>::new());
    }

    #[test]
    fn what_is_off_or_not_allowed_is_no_longer_in_force() {
        let mut folders = Folders::new();
        folders
            .skill("home", "mine", "M.", "")
            .skill("home", "its", "I.", "");
        let lines = by_person_and_model();
        let (ledger, _) = Ledger::from_transcript(lines.iter().map(String::as_str));
        let found = |folders: &Folders| {
            let snapshot = folders.load();
            let withdrawn: Vec<String> = snapshot
                .withdrawn(&ledger)
                .into_iter()
                .map(|withdrawn| format!("{} {}", withdrawn.name, withdrawn.is_allowed))
                .collect();
            (withdrawn.join(", "), snapshot.read_grants(&ledger).len())
        };

        folders.global(r#"{"on": ["mine", "its"]}"#);
        assert_eq!(found(&folders), (String::new(), 2));
        folders.project(r#"{"off": ["mine", "its"]}"#);
        assert_eq!(found(&folders), ("workspace/its true".to_owned(), 1));
        folders.remove("home/.agents/skills/its");
        assert_eq!(found(&folders), ("workspace/its true".to_owned(), 1));
        folders.project("{").skill("home", "its", "I.", "");
        assert_eq!(found(&folders), (String::new(), 1));
        folders.project("{}");
        folders.env.allowed = Allowed::parse("its");
        assert_eq!(found(&folders), ("workspace/mine false".to_owned(), 1));
    }

    #[test]
    fn what_a_person_called_stays_theirs_however_it_is_loaded_again() {
        let folders = Folders::new();
        folders.skill("home", "its", "I.", "");
        let [_, by_model] = by_person_and_model();
        let again = json!({"role": "user", "content": "/its", "skill": {"ok": true, "data": {
            "name": "its", "status": "already_active", "message": "already loaded: its"}}});
        let withdrawn = |lines: &[&str]| {
            let (ledger, faults) = Ledger::from_transcript(lines.iter().copied());
            assert!(faults.is_empty(), "{faults:?}");
            folders.load().withdrawn(&ledger).len()
        };

        assert_eq!(withdrawn(&[&by_model]), 1);
        assert_eq!(withdrawn(&[&by_model, &again.to_string()]), 0);
        assert_eq!(withdrawn(&[&by_model, &again.to_string(), &by_model]), 0);
    }

    #[test]
    fn a_skill_that_says_something_else_now_is_told_until_it_may_be_loaded_anew() {
        let folders = Folders::new();
        folders
            .skill("home", "a-kit", "A.", "Do it.")
            .skill("home", "b-kit", "B.", "Do it.");
        let snapshot = folders.load();
        let mut ledger = Ledger::new();
        for name in ["a-kit", "b-kit"] {
            ledger.record(&snapshot.activate(name, Freshness::Fresh).unwrap());
        }
        let rewritten = |ledger: &Ledger| {
            let names = snapshot.rewritten(ledger).into_iter();
            names.map(|skill| skill.name.clone()).collect::<Vec<_>>()
        };

        assert!(rewritten(&ledger).is_empty());
        folders.skill("home", "b-kit", "B.", "Do it otherwise.");
        assert_eq!(rewritten(&ledger), ["b-kit"]);
        folders.remove("home/.agents/skills/a-kit");
        assert_eq!(rewritten(&ledger), ["b-kit"]);
        ledger.reopen(&["workspace/b-kit".to_owned()]);
        assert!(rewritten(&ledger).is_empty());
    }

    proptest! {
        #[test]
        fn no_transcript_makes_the_ledger_panic(lines in prop::collection::vec(any::<String>(), 0..4)) {
            let _ = Ledger::from_transcript(lines.iter().map(String::as_str));
        }
    }
}
