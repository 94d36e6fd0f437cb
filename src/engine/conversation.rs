//! A conversation: the loop of a person, a model and the tools.
//!
//! This file decides what is sent when, and what is stored before and after. It
//! prints nothing and reaches no server: what happens is told to the host as
//! [`Event`]s, and a [`Model`] of the host's answers.

use std::path::Path;

use serde_json::{Value, json};

use super::belt::{Desk, Permissions, Tool, definitions};
use super::built_in::BuiltIn;
use super::error::ChatError;
use super::files::Grants;
use super::messages::messages;
use super::model::{Answer, Call, Model, Request};
use super::tags::Tags;
use super::transcript::{Entry, Faults, Opened, Transcript};
use crate::diagnostic::Diagnostic;
use crate::disclosure::{Freshness, Invoked, Ledger, TranscriptFault, Typed};
use crate::discovery::snapshot::{DiscoveryError, Snapshot};
use crate::env::{Allowed, Env};
use crate::scope::{Decisions, Fault, Scope};

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
    pub(super) settings: Settings,
    pub(super) permissions: Permissions,
    /// The skills as the model was told of them.
    pub(super) snapshot: Snapshot,
    pub(super) told: Told,
    pub(super) tags: Tags,
    pub(super) transcript: Transcript,
    pub(super) ledger: Ledger,
    faults: Faults,
}

/// `message[0]`, and what it speaks of.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) text: String,
    pub(super) belt: Vec<Tool>,
    /// The line of the transcript that was the next when it was rendered.
    pub(super) from: usize,
    /// The catalog that the model was told last, here or in a note since.
    pub(super) catalog: String,
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
            tags: Tags::new(),
            transcript,
            ledger,
            faults,
        };
        chat.render();
        chat.withdraw()?;
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

    /// Returns the folder in which the conversation began, if that is not the
    /// working folder.
    #[must_use]
    pub fn began_elsewhere(&self) -> Option<&Path> {
        let began = self.meta()?.workspace()?;
        (began != self.snapshot.env().start).then_some(began)
    }

    /// Returns the id that `meta.json` gives the conversation.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.meta()?.conversation_id()
    }

    /// Returns what `meta.json` said when it was last read.
    fn meta(&self) -> Option<&Decisions> {
        let mut files = self.snapshot.scopes().files.iter();
        files.find(|decisions| decisions.scope() == Scope::Conversation)
    }

    /// Returns the lines of the transcript that were passed over: the first 64.
    #[must_use]
    pub fn faults(&self) -> &[TranscriptFault] {
        &self.faults.first
    }

    /// Returns how many lines of the transcript were passed over beside
    /// [`faults`](Self::faults).
    #[must_use]
    pub fn faults_left_out(&self) -> usize {
        self.faults.left_out
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
    /// Returns an error for a command that is nobody's, and for words behind one
    /// that takes none.
    pub fn read<'a>(&'a self, line: &'a str) -> Result<Input<'a>, ChatError> {
        let commands = self.snapshot.commands(&BuiltIn::RESERVED);
        let typed = match commands.read(line) {
            Err(error) if self.settings.skills => return Err(error.into()),
            typed => typed.ok(),
        };
        match typed {
            Some(Typed::Text) => Ok(Input::Turn),
            Some(Typed::Skill { .. }) if self.settings.skills => Ok(Input::Turn),
            Some(Typed::BuiltIn { name, arguments }) => {
                let mut built_ins = self.built_ins();
                let command = built_ins
                    .find(|command| command.name() == name)
                    .ok_or_else(|| self.no_such_command(line))?;
                if command.arguments().is_none() && !arguments.trim().is_empty() {
                    return Err(ChatError::TakesNothing { command });
                }
                Ok(Input::BuiltIn(command, arguments))
            }
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
            let cut = answer.cut();
            if let Some(cut) = cut {
                tell(Event::Note(cut));
            }
            self.transcript.append(Entry::Assistant {
                content: answer.text,
                tool_calls: answer.calls,
                cut: cut.unwrap_or_default().to_owned(),
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
        let skills = if self.settings.skills {
            self.snapshot.read_grants(&self.ledger)
        } else {
            Vec::new()
        };
        Grants {
            working_folder: self.snapshot.env().start.clone(),
            skills,
        }
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
    pub(super) fn messages(&self) -> Vec<Value> {
        let mut all = vec![json!({"role": "system", "content": self.told.text})];
        let mut seen = self.transcript.seen();
        // The catalog that was told before it was rendered, `message[0]` has
        // itself.
        let is_of_catalog = |entry: &Entry| matches!(entry, Entry::Note { catalog: true, .. });
        seen.retain(|(line, entry)| *line >= self.told.from || !is_of_catalog(entry));
        all.extend(messages(&seen, &self.tags));
        all
    }
}
