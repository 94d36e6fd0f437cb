//! A conversation: the loop of a person, a model and the tools.
//!
//! This file decides what is sent when, and what is stored before and after. It
//! prints nothing and reaches no server: what happens is told to the host as
//! [`Event`]s, and a [`Model`] of the host's answers.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::belt::{Desk, Permissions, Tool, definitions};
use super::built_in::BuiltIn;
use super::changes;
use super::compaction;
use super::error::ChatError;
use super::files::Grants;
use super::model::{Answer, Call, Model, ModelError, Request};
use super::prompt::Prompt;
use super::transcript::{Entry, Opened, Transcript, messages};
use crate::diagnostic::Diagnostic;
use crate::disclosure::{Freshness, Invoked, Ledger, TranscriptFault, Typed};
use crate::discovery::snapshot::{DiscoveryError, Snapshot};
use crate::env::{Allowed, Env};
use crate::scope::{self, Fault, Scope};
use crate::text::path_text;

/// What a host chooses for a conversation.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Standing orders, for `message[0]`.
    pub standing: Option<String>,
    /// Which tools there can be, by name.
    pub tools: Allowed,
    /// Whether there are skills at all: catalog, tool, commands, read grants.
    pub skills: bool,
    /// Tokens, about, at which the conversation is compacted.
    pub context_tokens: usize,
}

impl Default for Settings {
    /// No standing orders, every tool, skills, and the budget of
    /// [`Limits`](crate::Limits).
    fn default() -> Self {
        Self {
            standing: None,
            tools: Allowed::All,
            skills: true,
            context_tokens: crate::Limits::DEFAULT.context_tokens,
        }
    }
}

/// What happens in a conversation, for whoever shows it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A piece of the model's words, as it came: not cleaned.
    Text(&'a str),
    /// The model's words are over, for now.
    TextEnd,
    /// A tool was called, or a person's `/name`: one row.
    Row(&'a str),
    /// Something odd about a skill or a folder.
    Found(&'a Diagnostic),
    /// A scope file cannot be read, so that no skill is offered.
    ScopeUnreadable(&'a Fault),
    /// What a person should know, in one line.
    Note(&'a str),
}

/// What a typed line asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input<'a> {
    /// A turn of the model: give it to [`Chat::say`].
    Turn,
    /// A command of the engine's, and what stands behind it.
    BuiltIn(BuiltIn, &'a str),
}

/// One conversation, open and held: nobody else can go on with it meanwhile.
#[derive(Debug)]
pub struct Chat {
    settings: Settings,
    permissions: Permissions,
    /// The skills as the model was told of them.
    snapshot: Snapshot,
    told: Told,
    transcript: Transcript,
    ledger: Ledger,
    faults: Vec<TranscriptFault>,
}

/// `message[0]`, and what it speaks of.
#[derive(Debug, Default)]
struct Told {
    text: String,
    belt: Vec<Tool>,
    /// The catalog that the model was told last, here or in a note since.
    catalog: String,
}

impl Chat {
    /// Opens the conversation that `env` names, or starts it there: its folder,
    /// `meta.json` and transcript.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be opened, started, or held.
    pub fn open(env: &Env, settings: Settings) -> Result<Self, ChatError> {
        Self::open_with(env, settings, Snapshot::load)
    }

    /// Opens a conversation whose skills are taken by `load`: with a store of
    /// personal skills, say.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open).
    pub fn open_with(
        env: &Env,
        settings: Settings,
        load: impl FnOnce(&Env) -> Result<Snapshot, DiscoveryError>,
    ) -> Result<Self, ChatError> {
        let mut env = env.clone();
        let folder = super::place::begin(&mut env)?;
        let snapshot = load(&env)?;
        let Opened {
            transcript,
            ledger,
            faults,
        } = Transcript::open(&folder, &env.limits)?;
        let permissions = Permissions {
            tools: settings.tools.clone(),
            skills: settings.skills,
        };
        let mut chat = Self {
            settings,
            permissions,
            snapshot,
            told: Told::default(),
            transcript,
            ledger,
            faults,
        };
        chat.render();
        Ok(chat)
    }

    /// Returns the skills as the conversation has them: of the last reading,
    /// under the decisions of the last turn.
    #[must_use]
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Returns the folder of the conversation.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.transcript.path().parent().unwrap_or(Path::new("/"))
    }

    /// Returns the lines of the transcript that were passed over.
    #[must_use]
    pub fn faults(&self) -> &[TranscriptFault] {
        &self.faults
    }

    /// Returns what was said, in order.
    #[must_use]
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.transcript.entries().iter().map(|(_, entry)| entry)
    }

    /// Returns what the conversation has loaded.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Returns the engine's commands that there are here.
    pub fn built_ins(&self) -> impl Iterator<Item = BuiltIn> {
        let skills = self.settings.skills;
        BuiltIn::ALL
            .into_iter()
            .filter(move |command| skills || !command.is_about_skills())
    }

    /// Returns whether there are skills at all.
    #[must_use]
    pub fn has_skills(&self) -> bool {
        self.settings.skills
    }

    /// Returns what a typed line asks for.
    ///
    /// # Errors
    ///
    /// Returns an error for a command that is nobody's.
    pub fn read<'a>(&'a self, line: &'a str) -> Result<Input<'a>, ChatError> {
        let commands = self.snapshot.commands(&BuiltIn::RESERVED);
        let typed = match commands.read(line) {
            Err(error) if self.settings.skills => return Err(error.into()),
            typed => typed.ok(),
        };
        match typed {
            Some(Typed::Text) => Ok(Input::Turn),
            Some(Typed::Skill { .. }) if self.settings.skills => Ok(Input::Turn),
            Some(Typed::BuiltIn { name, arguments }) => self
                .built_ins()
                .find(|command| command.name() == name)
                .map(|command| Input::BuiltIn(command, arguments))
                .ok_or_else(|| self.no_such_command(line)),
            _ => Err(self.no_such_command(line)),
        }
    }

    fn no_such_command(&self, line: &str) -> ChatError {
        let word = line.split_whitespace().next().unwrap_or_default();
        ChatError::NoSuchCommand {
            name: word.trim_start_matches('/').to_owned(),
            takes_a_name: self.settings.skills && word == "/skill",
        }
    }

    /// Takes the person's turn: reads the decisions again, gives the model the
    /// skill that a `/name` calls, and lets it answer, with tools, until it
    /// calls none.
    ///
    /// Everything is in the transcript before it is acted on. What the model
    /// said before an error stays there, marked as cut.
    ///
    /// # Errors
    ///
    /// Returns why the turn did not come to its end.
    pub fn say(
        &mut self,
        line: &str,
        model: &mut dyn Model,
        tell: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), ChatError> {
        self.refresh(tell)?;
        let said = self.said(line, tell)?;
        self.transcript.append(said)?;
        self.answer(model, tell)
    }

    /// Lets the model answer what is there.
    fn answer(
        &mut self,
        model: &mut dyn Model,
        tell: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), ChatError> {
        let rounds = self.snapshot.env().limits.tool_rounds;
        let mut has_compacted = false;
        for _ in 0..rounds {
            if !has_compacted && self.is_over_budget() {
                has_compacted = true;
                self.compact_or_go_on(model, tell)?;
            }
            let answer = self.ask(model, tell)?;
            let calls = answer.calls.clone();
            if calls.is_empty() && answer.text.is_empty() {
                tell(Event::Note("the model said nothing"));
            }
            if answer.finish_reason.as_deref() == Some("length") {
                tell(Event::Note(
                    "the answer was cut at the longest that the model may give",
                ));
            }
            self.transcript.append(Entry::Assistant {
                content: answer.text,
                tool_calls: answer.calls,
                cut: String::new(),
            })?;
            if calls.is_empty() {
                return Ok(());
            }
            for call in &calls {
                self.call(call, tell)?;
            }
        }
        Err(ChatError::TooManyRounds { rounds })
    }

    /// Asks the model once. What it said before an error is stored.
    fn ask(
        &mut self,
        model: &mut dyn Model,
        tell: &mut dyn FnMut(Event<'_>),
    ) -> Result<Answer, ChatError> {
        let messages = self.messages();
        let tools = definitions(&self.told.belt, &self.snapshot);
        let request = Request {
            messages: &messages,
            tools: &tools,
        };
        let mut heard = String::new();
        let answer = model.answer(request, &mut |piece| {
            heard.push_str(piece);
            tell(Event::Text(piece));
        });
        if !heard.is_empty() {
            tell(Event::TextEnd);
        }
        if let Err(error) = &answer
            && !heard.is_empty()
        {
            self.transcript.append(Entry::Assistant {
                content: heard,
                tool_calls: Vec::new(),
                cut: error.to_string(),
            })?;
        }
        Ok(answer?)
    }

    /// Answers one call of a tool, and stores the answer.
    fn call(&mut self, call: &Call, tell: &mut dyn FnMut(Event<'_>)) -> Result<(), ChatError> {
        let grants = self.grants();
        let desk = Desk {
            snapshot: &self.snapshot,
            permissions: &self.permissions,
            ledger: &mut self.ledger,
            grants: &grants,
        };
        let reply = desk.answer(call);
        tell(Event::Row(&reply.row));
        for found in &reply.diagnostics {
            tell(Event::Found(found));
        }
        Ok(self.transcript.append(Entry::Tool {
            tool_call_id: call.id.clone(),
            name: call.name.clone(),
            content: reply.message,
            row: reply.row,
        })?)
    }

    /// Returns the folders that may be read in: the working folder, and that of
    /// each loaded skill.
    fn grants(&self) -> Grants {
        let mut folders = vec![self.snapshot.env().start.clone()];
        if self.settings.skills {
            folders.extend(self.snapshot.read_grants(&self.ledger));
        }
        Grants(folders)
    }

    /// Returns the person's turn as it is stored.
    fn said(&mut self, line: &str, tell: &mut dyn FnMut(Event<'_>)) -> Result<Entry, ChatError> {
        let plain = |content: &str| Entry::User {
            content: content.to_owned(),
            skill: None,
            arguments: String::new(),
            row: String::new(),
        };
        if !self.settings.skills {
            return Ok(plain(line));
        }
        let commands = self.snapshot.commands(&BuiltIn::RESERVED);
        let invoked = commands.invoke(line, Some(&mut self.ledger), Freshness::AsInSnapshot);
        let invoked = invoked.inspect_err(|error| tell(Event::Row(&error.row())))?;
        let Some(Invoked {
            reply, arguments, ..
        }) = invoked
        else {
            return Ok(plain(line));
        };
        tell(Event::Row(&reply.row));
        for found in &reply.diagnostics {
            tell(Event::Found(found));
        }
        Ok(Entry::User {
            content: line.to_owned(),
            skill: Some(reply.message),
            arguments,
            row: reply.row,
        })
    }

    /// Returns the messages of a request.
    fn messages(&self) -> Vec<Value> {
        let mut all = vec![json!({"role": "system", "content": self.told.text})];
        all.extend(messages(&self.transcript.seen()));
        all
    }

    // What the model is told of skills.

    /// Reads the decisions again, for a turn.
    fn refresh(&mut self, tell: &mut dyn FnMut(Event<'_>)) -> Result<(), ChatError> {
        let fresh = self.fresh();
        for fault in fresh.scope_faults() {
            tell(Event::ScopeUnreadable(fault));
        }
        let note = self.take(fresh);
        match note {
            Some(content) => self.tell_model(content, false),
            None => Ok(()),
        }
    }

    /// Takes the view of one turn: the same folders, under decisions that are
    /// read again, with what the store of personal skills lists now.
    fn fresh(&self) -> Snapshot {
        self.snapshot.with_fresh_scopes().with_fresh_personal()
    }

    /// Takes another view of the skills. `message[0]` is rendered again for a
    /// changed decision, and where the belt is another one: prompt and belt name
    /// the same tools. Whatever else the model can see is returned as a note.
    fn take(&mut self, later: Snapshot) -> Option<String> {
        let differences = self.snapshot.diff(&later);
        let other_belt = self.permissions.belt(&later) != self.told.belt;
        self.snapshot = later;
        if other_belt || changes::of_decisions(&differences) {
            self.render();
            return None;
        }
        if !self.told.belt.contains(&Tool::Skill) {
            return None;
        }
        let told = &self.told.catalog;
        let note = changes::note(&differences, &self.snapshot, &self.ledger, told);
        self.told.catalog = changes::catalog(&self.snapshot);
        note
    }

    fn tell_model(&mut self, content: String, reload: bool) -> Result<(), ChatError> {
        Ok(self.transcript.append(Entry::Note { content, reload })?)
    }

    /// Renders `message[0]` from the snapshot as it is.
    fn render(&mut self) {
        let belt = self.permissions.belt(&self.snapshot);
        let catalog = if belt.contains(&Tool::Skill) {
            changes::catalog(&self.snapshot)
        } else {
            String::new()
        };
        let prompt = Prompt {
            belt: &belt,
            working_folder: &self.snapshot.env().start,
            standing: self.settings.standing.as_deref(),
            attached: self.snapshot.attached(),
            catalog: &catalog,
        };
        self.told = Told {
            text: prompt.render(),
            belt,
            catalog,
        };
    }

    /// Reads the skills again, as `/reload` does: in one step for prompt, tool,
    /// commands and activation. The model is told once what changed.
    ///
    /// Returns what is different, in words for a person; empty if nothing is.
    ///
    /// # Errors
    ///
    /// Returns why the skills cannot be read; then everything is as before.
    pub fn reload(&mut self) -> Result<Vec<String>, ChatError> {
        let later = self.snapshot.reload()?;
        let differences = self.snapshot.diff(&later);
        let note = self.take(later);
        self.ledger.reopen();
        // Also without a word for the model: what was loaded is opened again.
        self.tell_model(note.unwrap_or_default(), true)?;
        Ok(differences.iter().filter_map(changes::words).collect())
    }

    /// Attaches a folder, as `/folder DIR` does: writes it into `meta.json`, and
    /// reads the skills again with it. Returns its path.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be attached; then everything is as before.
    pub fn attach(&mut self, folder: &Path) -> Result<PathBuf, ChatError> {
        let env = self.snapshot.env();
        let path = env.absolute(folder);
        let path = match path.canonicalize() {
            Ok(path) if path.is_dir() => path,
            _ => return Err(ChatError::NotAFolder { path }),
        };
        let meta = self
            .snapshot
            .scope_path(Scope::Conversation)
            .map_err(|_| ChatError::NotAFolder { path: path.clone() })?;
        scope::attach(&meta, &path_text(&path), &env.limits)?;
        self.snapshot = self.snapshot.reload()?;
        self.render();
        Ok(path)
    }

    // Compaction.

    fn is_over_budget(&self) -> bool {
        compaction::tokens(&self.messages()) > self.settings.context_tokens
    }

    /// Compacts on the way to an answer. One that fails changes nothing and
    /// keeps nobody from answering.
    fn compact_or_go_on(
        &mut self,
        model: &mut dyn Model,
        tell: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), ChatError> {
        match self.compact(model, tell) {
            Err(ChatError::Model(ModelError::Failed { message, .. })) => {
                tell(Event::Note(&format!("not compacted: {message}")));
                Ok(())
            }
            Err(ChatError::NothingToCompact) => Ok(()),
            done => done,
        }
    }

    /// Puts a summary, which the model writes, in the place of what was said:
    /// of all but the latest turns and of a turn that is not over.
    ///
    /// Loaded skills that are not in what stays are put back verbatim, in the
    /// order of activation, and still count as loaded.
    ///
    /// # Errors
    ///
    /// Returns why there is no summary; then everything is as before.
    pub fn compact(
        &mut self,
        model: &mut dyn Model,
        tell: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), ChatError> {
        let limits = self.snapshot.env().limits;
        let budget = self.settings.context_tokens;
        let seen = self.transcript.seen();
        let kept_tokens = limits.kept_tokens.min(budget / 4);
        let kept = compaction::kept_from(&seen, kept_tokens).min(compaction::open_turn(&seen));
        let before = &seen[..kept];
        let is_new = |(_, entry): &&&(usize, Entry)| !matches!(entry, Entry::Summary { .. });
        if before.iter().filter(is_new).count() == 0 {
            return Err(ChatError::NothingToCompact);
        }
        let kept_from = seen
            .get(kept)
            .map_or(self.transcript.next_line(), |(line, _)| *line);
        let parts = compaction::material(before, budget / 2);
        let tail = messages(&seen[kept..]);
        let tokens_before = compaction::tokens(&self.messages());
        let content = summary(&parts, model)?;
        let tail: Vec<String> = tail.iter().map(Value::to_string).collect();
        let tail: Vec<&str> = tail.iter().map(String::as_str).collect();
        let skills = if self.settings.skills {
            let put_back = self.ledger.reinjection(&tail);
            put_back.into_iter().map(str::to_owned).collect()
        } else {
            Vec::new()
        };
        self.transcript.append(Entry::Summary {
            content,
            skills,
            kept_from,
        })?;
        self.render();
        let tokens_after = compaction::tokens(&self.messages());
        tell(Event::Note(&format!(
            "compacted: about {tokens_before} tokens became {tokens_after}"
        )));
        Ok(())
    }
}

/// Lets the model write the summary, part by part.
fn summary(parts: &[String], model: &mut dyn Model) -> Result<String, ChatError> {
    let mut summary = String::new();
    for part in parts {
        let messages = [
            json!({"role": "system", "content": compaction::INSTRUCTIONS.trim_end()}),
            json!({"role": "user", "content": compaction::question(&summary, part)}),
        ];
        let request = Request {
            messages: &messages,
            tools: &[],
        };
        let answer = model.answer(request, &mut |_| {})?;
        if answer.text.trim().is_empty() {
            return Err(ModelError::Failed {
                message: "the model wrote no summary".to_owned(),
                help: Some("try `/compact` again, or another model".to_owned()),
            }
            .into());
        }
        answer.text.trim().clone_into(&mut summary);
    }
    Ok(summary)
}
