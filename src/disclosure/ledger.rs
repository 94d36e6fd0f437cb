//! The ledger: which skills one conversation has loaded, and what they gave.
//!
//! It is kept in memory and rebuilt from the stored transcript; it writes
//! nothing. A skill is known by its source and its name.

use std::collections::HashSet;
use std::path::PathBuf;

use serde_json::Value;

use super::activation::Activation;
use crate::discovery::scan::Skill;
use crate::discovery::snapshot::Snapshot;
use crate::name::{Source, split_qualified};
use crate::text::visible;

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
    /// Whether the skills were read again since.
    is_stale: bool,
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
    /// One of role `note` with `reload` true is a [`reopen`](Self::reopen).
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
                Ok(Found::Reload) => ledger.reopen(),
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
            is_stale: false,
        });
    }

    /// Lets each skill be loaded anew, as `/reload` does. What was given before
    /// stays given: it survives compaction, and its folder may be read.
    pub fn reopen(&mut self) {
        for loaded in &mut self.loaded {
            loaded.is_stale = true;
        }
    }

    /// Returns whether the conversation has loaded `skill`, and since the last
    /// [`reopen`](Self::reopen).
    #[must_use]
    pub fn has(&self, skill: &Skill) -> bool {
        self.of(skill).is_some_and(|loaded| !loaded.is_stale)
    }

    /// Returns whether the conversation has ever loaded `skill`.
    #[must_use]
    pub fn knows(&self, skill: &Skill) -> bool {
        self.of(skill).is_some()
    }

    fn of(&self, skill: &Skill) -> Option<&Loaded> {
        let name = visible(&skill.name);
        self.loaded
            .iter()
            .find(|loaded| loaded.source == skill.source() && loaded.name == name)
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

    fn put(&mut self, new: Loaded) {
        self.loaded
            .retain(|old| (old.source, &old.name) != (new.source, &new.name));
        self.loaded.push(new);
    }
}

impl Snapshot {
    /// Returns the real folders that the model may read in, because the
    /// conversation has loaded their skills.
    #[must_use]
    pub fn read_grants(&self, ledger: &Ledger) -> Vec<PathBuf> {
        self.owners()
            .filter(|skill| skill.source() == Source::Workspace && ledger.knows(skill))
            .filter_map(|skill| self.real_folder(skill).ok())
            .collect()
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
    Reload,
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
        Some("user") => Ok(read_message(&line["skill"])?.into()),
        Some("note") if line["reload"] == true => Ok(Found::Reload),
        Some(_) => Ok(Found::Nothing),
        None => Err("has no role".to_owned()),
    }
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
        is_stale: false,
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
    use super::super::activation::Freshness;
    use super::super::test_folders::Folders;
    use super::*;
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
        ledger.reopen();
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
        let reload = json!({"role": "note", "content": "Changed.", "reload": true}).to_string();
        let has = |lines: &[&str]| {
            let (ledger, faults) = Ledger::from_transcript(lines.iter().copied());
            assert!(faults.is_empty());
            ledger.has(&snapshot.skills()[0])
        };

        assert!(has(&[&loaded]));
        assert!(!has(&[&loaded, &reload]));
        assert!(has(&[&loaded, &reload, &loaded]));
    }

    proptest! {
        #[test]
        fn no_transcript_makes_the_ledger_panic(lines in prop::collection::vec(any::<String>(), 0..4)) {
            let _ = Ledger::from_transcript(lines.iter().map(String::as_str));
        }
    }
}
