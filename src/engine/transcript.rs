//! `transcript.jsonl`: what was said, one JSON object a line, and which lines the
//! model still sees.
//!
//! The only file of the engine that touches the disk. Lines are appended and
//! never changed; each is whole and on the disk before the conversation goes
//! on. This file does not decide what is said.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fmt, io};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::model::Call;
use crate::disclosure::ledger::{Ledger, TranscriptFault};
use crate::disk::{Log, LogError};
use crate::limits::Limits;
use crate::text::{one_line, write_json};

/// The file of a conversation that holds what was said.
pub const TRANSCRIPT_FILE: &str = "transcript.jsonl";

/// One line of a transcript.
///
/// The shape is a contract: `Ledger::from_transcript` and other programs read
/// it. A line of another role is passed over, and told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Entry {
    /// What the person typed.
    User {
        /// As it was typed.
        content: String,
        /// The message of the skill that a `/name` gave.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        skill: Option<Value>,
        /// What stood behind the `/name`, byte for byte.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        arguments: String,
        /// The row that a person saw.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        row: String,
    },
    /// What the model answered.
    Assistant {
        /// Its words, not cleaned.
        #[serde(default)]
        content: String,
        /// The tools that it called.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Call>,
        /// Why the answer is not whole.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        cut: String,
    },
    /// What a tool returned.
    Tool {
        /// The call that it answers.
        tool_call_id: String,
        /// The tool.
        name: String,
        /// `{ok, error, data}`.
        content: Value,
        /// The row that a person saw.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        row: String,
    },
    /// What the engine told the model.
    Note {
        /// Its words.
        content: String,
        /// Whether they are the catalog, which `message[0]` has itself once it
        /// is rendered anew.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        catalog: bool,
        /// The loaded skills that may be loaded anew since, by qualified name.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        reopened: Vec<String>,
        /// The loaded skills that are no longer in force, by qualified name.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        withdrawn: Vec<String>,
    },
    /// A compaction: what was said before, in short.
    Summary {
        /// The summary that the model wrote.
        content: String,
        /// The wrappers of loaded skills that were put back, verbatim.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        skills: Vec<String>,
        /// The line of the transcript, from 1, from which on everything before
        /// this one stays as it is.
        kept_from: usize,
    },
}

/// Why a transcript cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TranscriptError {
    /// Another process has the conversation.
    #[error("another chat has the conversation {} open", folder.display())]
    Busy {
        /// The conversation's folder.
        folder: PathBuf,
    },
    /// The transcript is too long to go on with.
    #[error("{} is over {most} bytes", path.display())]
    TooLong {
        /// The transcript.
        path: PathBuf,
        /// The bound.
        most: u64,
    },
    /// Something else is in its place.
    #[error("{} is {what}, and no transcript is written through it", path.display())]
    NotAFile {
        /// The transcript.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// The operating system refused.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was refused, in plain words.
        action: &'static str,
        /// The transcript.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

/// The transcript of one conversation, open and held.
pub(super) struct Transcript {
    log: Log,
    path: PathBuf,
    /// The entries, each with its line, from 1.
    entries: Vec<(usize, Entry)>,
    lines: usize,
}

impl fmt::Debug for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transcript")
            .field("path", &self.path)
            .field("lines", &self.lines)
            .finish_non_exhaustive()
    }
}

/// A transcript as it was found, what was loaded by it, and the lines that were
/// passed over.
pub(super) struct Opened {
    pub(super) transcript: Transcript,
    pub(super) ledger: Ledger,
    pub(super) faults: Faults,
}

/// The lines of a transcript that were passed over: the first of them, and how
/// many more there are.
#[derive(Debug, Default)]
pub(super) struct Faults {
    pub(super) first: Vec<TranscriptFault>,
    pub(super) left_out: usize,
}

impl Faults {
    /// How many are kept: each is a line for a person, and a transcript can
    /// consist of nothing else.
    const MOST: usize = 64;

    fn add(&mut self, fault: TranscriptFault) {
        if self.first.len() < Self::MOST {
            self.first.push(fault);
        } else {
            self.left_out += 1;
        }
    }
}

impl Transcript {
    /// Opens the transcript in the folder of a conversation, empty if there is
    /// none, and holds it until it is dropped.
    pub(super) fn open(folder: &Path, limits: &Limits) -> Result<Opened, TranscriptError> {
        let path = folder.join(TRANSCRIPT_FILE);
        let most = limits.transcript_bytes;
        let (log, bytes) = Log::open(&path, most).map_err(|error| match error {
            LogError::Busy => TranscriptError::Busy {
                folder: folder.to_path_buf(),
            },
            LogError::Odd(what) => TranscriptError::NotAFile {
                path: path.clone(),
                what,
            },
            LogError::Io(source) => TranscriptError::Io {
                action: "open",
                path: path.clone(),
                source,
            },
        })?;
        if bytes.len() as u64 > most {
            return Err(TranscriptError::TooLong { path, most });
        }
        // A byte that is not UTF-8 becomes U+FFFD in its own line alone.
        let text = String::from_utf8_lossy(&bytes);
        let Lines {
            entries,
            taken,
            mut faults,
        } = Lines::read(&text);
        let lines = taken.len();
        let (ledger, of_ledger) = Ledger::from_transcript(taken);
        for fault in of_ledger {
            faults.add(fault);
        }
        faults.first.sort_by_key(|fault| fault.line);
        let transcript = Self {
            log,
            path,
            entries,
            lines,
        };
        Ok(Opened {
            transcript,
            ledger,
            faults,
        })
    }

    /// Appends an entry, and returns once it is on the disk.
    pub(super) fn append(&mut self, entry: Entry) -> Result<(), TranscriptError> {
        let failed = |source| TranscriptError::Io {
            action: "write",
            path: self.path.clone(),
            source,
        };
        let mut line = Vec::new();
        write_json(&mut line, &entry).map_err(failed)?;
        self.log.append(&line).map_err(failed)?;
        self.lines += 1;
        self.entries.push((self.lines, entry));
        Ok(())
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the line that the next entry gets.
    pub(super) fn next_line(&self) -> usize {
        self.lines + 1
    }

    /// Returns every entry, in order, with its line.
    pub(super) fn entries(&self) -> &[(usize, Entry)] {
        &self.entries
    }

    /// Returns the entries that the model still sees: those since the last
    /// compaction, and before them its summary and what it kept.
    pub(super) fn seen(&self) -> Vec<&(usize, Entry)> {
        let last_summary = self
            .entries
            .iter()
            .rposition(|(_, entry)| matches!(entry, Entry::Summary { .. }));
        let Some(at) = last_summary else {
            return self.entries.iter().collect();
        };
        let Entry::Summary { kept_from, .. } = self.entries[at].1 else {
            return Vec::new();
        };
        let is_kept = |(line, entry): &&(usize, Entry)| {
            *line >= kept_from && !matches!(entry, Entry::Summary { .. })
        };
        let kept = self.entries[..at].iter().filter(is_kept);
        [&self.entries[at]]
            .into_iter()
            .chain(kept)
            .chain(&self.entries[at + 1..])
            .collect()
    }
}

/// Counts how often each skill was used in `entries`, by the model or by a
/// person, repeats too: by its alias at that time.
///
/// # Examples
///
/// ```
/// use codeaf_skills::engine::{Entry, activations};
///
/// let line = r#"{"role": "tool", "tool_call_id": "1", "name": "skill",
///     "content": {"ok": true, "data": {"name": "pdf", "status": "loaded", "content": "…"}}}"#;
/// let entry: Entry = serde_json::from_str(line)?;
/// assert_eq!(activations([&entry, &entry])["pdf"], 2);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
pub fn activations<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for entry in entries {
        let message = match entry {
            Entry::Tool { name, content, .. } if name == "skill" => content,
            Entry::User {
                skill: Some(message),
                ..
            } => message,
            _ => continue,
        };
        let data = &message["data"];
        let is_used = matches!(data["status"].as_str(), Some("loaded" | "already_active"));
        if let Some(name) = data["name"].as_str().filter(|_| is_used) {
            *counts.entry(name.to_owned()).or_default() += 1;
        }
    }
    counts
}

/// The lines of a transcript, taken apart.
#[derive(Default)]
struct Lines<'a> {
    /// The entries, each with its line, from 1.
    entries: Vec<(usize, Entry)>,
    /// Every line, blank where it was passed over: what the model does not see
    /// was not loaded either.
    taken: Vec<&'a str>,
    faults: Faults,
}

impl<'a> Lines<'a> {
    fn read(text: &'a str) -> Self {
        let mut lines = Self::default();
        // The calls of the last answer that have none yet.
        let mut open = Vec::new();
        let mut rest = text.lines().peekable();
        while let Some(line) = rest.next() {
            let entry = read(line).and_then(|entry| match entry {
                Some(entry) if !is_next(&entry, &mut open) => {
                    Err(Passed::Told("answers no call of the model".to_owned()))
                }
                entry => Ok(entry),
            });
            let is_last = rest.peek().is_none();
            lines.add(line, entry, is_last);
        }
        lines
    }

    fn add(&mut self, line: &'a str, entry: Result<Option<Entry>, Passed>, is_last: bool) {
        let number = self.taken.len() + 1;
        self.taken.push(if entry.is_ok() { line } else { "" });
        let message = match entry {
            Ok(entry) => {
                self.entries.extend(entry.map(|entry| (number, entry)));
                return;
            }
            // Who went on behind a line that was cut off has told of it.
            Err(Passed::Torn(_)) if !is_last => return,
            Err(Passed::Torn(message) | Passed::Told(message)) => message,
        };
        self.faults.add(TranscriptFault {
            line: number,
            message,
        });
    }
}

/// Why a line is passed over.
enum Passed {
    /// It is the beginning of one.
    Torn(String),
    Told(String),
}

/// Whether an entry can stand where it does: the answer of a tool needs a call
/// in the model's answer before it that is still `open`.
fn is_next(entry: &Entry, open: &mut Vec<String>) -> bool {
    match entry {
        Entry::Tool { tool_call_id, .. } => {
            let at = open.iter().position(|id| id == tool_call_id);
            at.map(|at| open.swap_remove(at)).is_some()
        }
        Entry::Assistant { tool_calls, .. } => {
            *open = tool_calls.iter().map(|call| call.id.clone()).collect();
            true
        }
        _ => {
            open.clear();
            true
        }
    }
}

/// Reads one line; nothing if it is blank.
fn read(line: &str) -> Result<Option<Entry>, Passed> {
    const ROLES: [&str; 5] = ["user", "assistant", "tool", "note", "summary"];
    if line.trim().is_empty() {
        return Ok(None);
    }
    let value: Value = serde_json::from_str(line).map_err(|error| {
        let message = format!("is not JSON: {error}");
        if error.is_eof() {
            Passed::Torn(message)
        } else {
            Passed::Told(message)
        }
    })?;
    let entry = match value["role"].as_str() {
        None => Err("has no role".to_owned()),
        Some(role) if !ROLES.contains(&role) => Err(format!(
            "is of the role `{}`, which is not known",
            one_line(role)
        )),
        Some(_) => serde_json::from_value(value)
            .map(Some)
            .map_err(|error| format!("is no line of a transcript: {error}")),
    };
    entry.map_err(Passed::Told)
}

#[cfg(test)]
mod tests {
    use super::super::test_entries::{answered, returned, said};
    use super::*;
    use serde_json::json;
    use std::fs;

    const LIMITS: Limits = Limits::DEFAULT;

    #[test]
    fn a_line_is_written_and_read_back_with_nothing_that_acts_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let entries = [
            said("hi \u{1b}[31m\u{202e}"),
            answered("", &["a"]),
            returned("a"),
            answered("Done.", &[]),
            Entry::Note {
                content: "Changed.".to_owned(),
                catalog: false,
                reopened: vec!["workspace/a".to_owned()],
                withdrawn: vec!["workspace/b".to_owned()],
            },
            Entry::Summary {
                content: "Short.".to_owned(),
                skills: vec!["<skill>".to_owned()],
                kept_from: 3,
            },
        ];

        let mut first = Transcript::open(folder.path(), &LIMITS).unwrap().transcript;
        for entry in entries.clone() {
            first.append(entry).unwrap();
        }
        let path = first.path().to_path_buf();
        let in_memory = first.entries().to_vec();
        drop(first);
        let again = Transcript::open(folder.path(), &LIMITS).unwrap();

        assert_eq!(again.transcript.entries(), in_memory);
        assert!(again.faults.first.is_empty());
        let text = fs::read_to_string(path).unwrap();
        assert!(
            text.starts_with(r#"{"role":"user","content":"hi \u001b[31m\u202e"}"#),
            "{text}"
        );
        assert_eq!(text.lines().count(), entries.len());
    }

    #[test]
    fn broken_lines_are_passed_over_and_told_and_the_next_one_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(TRANSCRIPT_FILE);
        fs::write(
            &path,
            b"{\"role\":\"user\",\"content\":\"one\"}\nnonsense\n\n{\"role\":\"other\"}\n{\"content\":1}\n{\"role\":\"user\"}\n{\"role\":\"user\",\"content\":\"t\xffo\"}\n{\"role\":\"us",
        )
        .unwrap();

        let opened = Transcript::open(folder.path(), &LIMITS).unwrap();
        let mut transcript = opened.transcript;
        transcript.append(said("three")).unwrap();
        drop(transcript);
        let again = Transcript::open(folder.path(), &LIMITS).unwrap();

        let lines: Vec<usize> = opened.faults.first.iter().map(|fault| fault.line).collect();
        assert_eq!(lines, [2, 4, 5, 6, 8]);
        // The torn line was told once, by whoever went on behind it.
        let lines: Vec<usize> = again.faults.first.iter().map(|fault| fault.line).collect();
        assert_eq!(lines, [2, 4, 5, 6]);
        let entries: Vec<_> = again.transcript.entries().to_vec();
        assert_eq!(
            entries,
            [
                (1, said("one")),
                (7, said("t\u{fffd}o")),
                (9, said("three"))
            ]
        );
    }

    #[test]
    fn what_the_model_is_not_sent_was_not_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let load = |name: &str| {
            let content = format!("<skill name=\"{name}\" dir=\"/{name}\">\n</skill>");
            json!({"ok": true, "data": {"name": name, "status": "loaded", "content": content}})
        };
        let call = json!({"id": "1", "type": "function", "function": {"name": "skill", "arguments": "{}"}});
        let answer = |id: &str, name: &str| json!({"role": "tool", "tool_call_id": id, "name": "skill", "content": load(name)});
        let lines = [
            json!({"role": "assistant", "content": "", "tool_calls": [call]}),
            answer("1", "sent"),
            answer("1", "twice"),
            json!({"role": "assistant", "content": "", "tool_calls": [call]}),
            answer("2", "of-no-call"),
            json!({"role": "user", "content": "Go on."}),
            answer("1", "late"),
            json!({"role": "tool", "name": "skill", "content": load("without-an-id")}),
            json!({"role": "user", "skill": load("without-words")}),
        ];
        let text: Vec<String> = lines.iter().map(ToString::to_string).collect();
        fs::write(folder.path().join(TRANSCRIPT_FILE), text.join("\n")).unwrap();

        let opened = Transcript::open(folder.path(), &LIMITS).unwrap();

        let loaded: Vec<&str> = opened.ledger.skills().map(|(_, name)| name).collect();
        assert_eq!(loaded, ["sent"]);
        let told: Vec<String> = opened
            .faults
            .first
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(told.len(), 5, "{told:?}");
        assert_eq!(told[0], "line 3: answers no call of the model");
        let kept: Vec<usize> = opened
            .transcript
            .entries()
            .iter()
            .map(|(line, _)| *line)
            .collect();
        assert_eq!(kept, [1, 2, 4, 6]);
    }

    #[test]
    fn a_long_transcript_of_unknown_lines_is_read_in_one_pass() {
        let folder = tempfile::tempdir().unwrap();
        let lines = 200_000;
        fs::write(
            folder.path().join(TRANSCRIPT_FILE),
            "{\"role\":\"x\"}\n".repeat(lines),
        )
        .unwrap();
        let begun = std::time::Instant::now();

        let opened = Transcript::open(folder.path(), &LIMITS).unwrap();

        assert_eq!(opened.faults.first.len(), Faults::MOST);
        assert_eq!(opened.faults.left_out, lines - Faults::MOST);
        // Looking each line up anew takes minutes.
        assert!(begun.elapsed().as_secs() < 30);
    }

    #[test]
    fn one_chat_has_a_conversation_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let _first = Transcript::open(folder.path(), &LIMITS).unwrap();

        let second = Transcript::open(folder.path(), &LIMITS).err().unwrap();

        assert!(matches!(second, TranscriptError::Busy { .. }), "{second}");
    }

    #[test]
    fn a_transcript_over_its_bound_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(TRANSCRIPT_FILE), "x\n".repeat(100)).unwrap();
        let limits = Limits {
            transcript_bytes: 199,
            ..LIMITS
        };

        let refused = Transcript::open(folder.path(), &limits).err().unwrap();

        assert!(matches!(
            refused,
            TranscriptError::TooLong { most: 199, .. }
        ));
    }

    #[test]
    fn a_summary_stands_for_what_is_before_the_kept_lines() {
        let folder = tempfile::tempdir().unwrap();
        let mut transcript = Transcript::open(folder.path(), &LIMITS).unwrap().transcript;
        let summary = |content: &str, kept_from| Entry::Summary {
            content: content.to_owned(),
            skills: Vec::new(),
            kept_from,
        };
        for entry in [
            said("one"),
            said("two"),
            summary("first", 2),
            said("three"),
            said("four"),
            summary("second", 4),
            said("five"),
        ] {
            transcript.append(entry).unwrap();
        }

        let seen: Vec<usize> = transcript.seen().iter().map(|(line, _)| *line).collect();

        assert_eq!(seen, [6, 4, 5, 7]);
    }
}
