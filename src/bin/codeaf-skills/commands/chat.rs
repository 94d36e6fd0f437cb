//! `chat`: the reference engine with a real model, one message or a talk.

mod client;
mod editor;
mod screen;
mod signals;

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;

use codeaf_skills::engine::{
    self, BuiltIn, ChatError, Entry, Event, Input, Model, ModelError, Settings, Tool,
};
use codeaf_skills::text::{counted, serialize_path, visible};
use codeaf_skills::{ActivationError, Allowed, Cause, DiscoveryError, Env, Resolution};
use serde::Serialize;

use super::{DONE, REFUSED, Status, tell_unknown_allowed, why};
use crate::args::Chat as Args;
use crate::failure::Failure;
use crate::render::{Console, Rows, answers_a_terminal, cell};
use client::Client;
use editor::{Editor, Typed};
use screen::Screen;
use signals::Interrupts;

/// Lines of a transcript that were passed over, as many as are shown.
const FAULTS: usize = 5;

pub(super) fn run(args: &Args, env: &Env, console: &mut Console) -> Result<Status, Failure> {
    let interrupts = Interrupts::watch()?;
    let message = message(args, console.json)?;
    let client = Client::new(args, &interrupts, env)?;
    let settings = Settings {
        standing: args
            .standing
            .as_deref()
            .map(|path| standing(path, env))
            .transpose()?,
        tools: allowed_tools(args.allowed_tools.as_deref())?,
        skills: !args.no_skills,
        context_tokens: args.context_tokens.unwrap_or(env.limits.context_tokens),
    };
    let is_new = env.conversation.is_none();
    let chat = engine::Chat::open(env, settings)?;
    console.places.conversation = Some(chat.folder().to_path_buf());
    let mut talk = Talk {
        chat,
        client,
        interrupts,
        screen: RefCell::new(Screen::new(console)),
    };
    talk.greet(is_new, message.is_none());
    match message {
        Some(message) => talk.once(&message),
        None => talk.by_turns(),
    }
}

/// Returns the message that is to be answered; nothing if a person will type.
fn message(args: &Args, json: bool) -> Result<Option<String>, Failure> {
    let message = args.message.as_deref().filter(|&message| message != "-");
    if let Some(message) = message {
        return filled(message.to_owned(), "the message is empty").map(Some);
    }
    if args.message.is_none() && io::stdin().is_terminal() {
        return if json {
            Err(Failure::usage("a talk has no --json")
                .help("give a MESSAGE, which is answered once"))
        } else {
            Ok(None)
        };
    }
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).map_err(|error| {
        Failure::from_error("input", error).context("cannot read the message from standard input")
    })?;
    // The last line end is that of the file, not of the message.
    let text = text.strip_suffix('\n').unwrap_or(&text);
    filled(text.to_owned(), "there is no message on standard input").map(Some)
}

fn filled(message: String, otherwise: &str) -> Result<String, Failure> {
    if message.trim().is_empty() {
        return Err(Failure::usage(otherwise)
            .help("give a MESSAGE, or start it in a terminal without one to talk"));
    }
    Ok(message)
}

/// Reads which tools there can be; a name of none is wrong usage.
fn allowed_tools(list: Option<&str>) -> Result<Allowed, Failure> {
    let allowed = list.map_or(Allowed::All, Allowed::parse);
    let names = Tool::ALL.map(Tool::name);
    if let Allowed::Only(wanted) = &allowed
        && let Some(unknown) = wanted.iter().find(|name| !names.contains(&name.as_str()))
    {
        let message = format!("--allowed-tools: there is no tool `{}`", visible(unknown));
        return Err(Failure::usage(message).help(format!("the tools are {}", names.join(", "))));
    }
    Ok(allowed)
}

/// Reads the standing orders.
fn standing(path: &Path, env: &Env) -> Result<String, Failure> {
    let doing = format!("reading the standing orders {}", path.display());
    let failed = |error: io::Error| Failure::from_error("standing", error).context(doing.clone());
    let most = env.limits.standing_bytes;
    let file = File::open(env.start.join(path)).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > most {
        let message = format!("the standing orders are over {most} bytes");
        return Err(
            Failure::new("standing", message).help("they go with every request: keep them short")
        );
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// One run of the program: a conversation, a model and a screen.
struct Talk<'a> {
    chat: engine::Chat,
    client: Client,
    interrupts: Interrupts,
    screen: RefCell<Screen<'a>>,
}

/// What came of one message.
#[derive(Serialize)]
struct Answered<'a> {
    version: u8,
    conversation: ConversationOf<'a>,
    /// The model's last words.
    answer: &'a str,
    /// Why they are not whole.
    cut: Option<&'a str>,
    rows: Vec<&'a str>,
}

#[derive(Serialize)]
struct ConversationOf<'a> {
    id: Option<&'a str>,
    #[serde(serialize_with = "serialize_path")]
    path: &'a Path,
}

/// Whether the talk goes on.
#[derive(PartialEq, Eq)]
enum Next {
    GoOn,
    End,
}

impl Talk<'_> {
    /// Says which conversation this is, and what was odd about it.
    fn greet(&self, is_new: bool, by_turns: bool) {
        let mut screen = self.screen.borrow_mut();
        let faults = self.chat.faults();
        for fault in faults.iter().take(FAULTS) {
            screen.note(&format!("warning: transcript.jsonl, {fault}; passed over"));
        }
        let more = faults.len().saturating_sub(FAULTS) + self.chat.faults_left_out();
        if more > 0 {
            let more = counted(more, "more line");
            screen.note(&format!("warning: transcript.jsonl, {more} passed over"));
        }
        for warning in self.chat.snapshot().warnings() {
            screen.console.finding(warning);
        }
        if let Some(began) = self.chat.began_elsewhere() {
            let (began, now) = (
                screen.console.path(began),
                &self.chat.snapshot().env().start,
            );
            let now = now.display();
            screen.note(&format!(
                "note: this conversation began in {began}; the working folder is {now} now"
            ));
        }
        tell_unknown_allowed(self.chat.snapshot(), screen.console);
        if is_new {
            let folder = self.chat.folder();
            let id = folder.file_name().unwrap_or_default().to_string_lossy();
            screen.note(&format!(
                "note: conversation {id}; go on with --conversation {id}"
            ));
        }
        if by_turns {
            let on = self.chat.snapshot().callable().len();
            let skills = if self.chat.has_skills() {
                format!(", {} on", counted(on, "skill"))
            } else {
                String::new()
            };
            let model = visible(&self.client.model).into_owned();
            screen.note(&format!(
                "{model}{skills}; /help lists the commands, Ctrl-D ends"
            ));
        }
    }

    /// Answers one message.
    fn once(&mut self, message: &str) -> Result<Status, Failure> {
        let before = self.chat.entries().count();
        let outcome = self.take(message);
        self.screen.borrow_mut().check()?;
        outcome?;
        if self.screen.borrow().console.json {
            let object = self.answered(before);
            self.screen.borrow_mut().console.json(&object)?;
        }
        Ok(DONE)
    }

    /// Returns what came of one message, as `--json` prints it: all entries but
    /// the first `before` are of it.
    fn answered(&self, before: usize) -> Answered<'_> {
        let (mut rows, mut answer, mut cut) = (Vec::new(), "", None);
        for entry in self.chat.entries().skip(before) {
            match entry {
                Entry::User { row, .. } | Entry::Tool { row, .. } if !row.is_empty() => {
                    rows.push(row.as_str());
                }
                Entry::Assistant {
                    content, cut: why, ..
                } => {
                    answer = content;
                    cut = Some(why.as_str()).filter(|why| !why.is_empty());
                }
                _ => {}
            }
        }
        Answered {
            version: 1,
            conversation: ConversationOf {
                id: self.chat.id(),
                path: self.chat.folder(),
            },
            answer,
            cut,
            rows,
        }
    }

    /// Talks until the person ends it.
    fn by_turns(&mut self) -> Result<Status, Failure> {
        if !io::stdin().is_terminal() || !answers_a_terminal() {
            return Err(Failure::usage("a talk needs a terminal")
                .help("give a MESSAGE, or write one to standard input"));
        }
        let earlier = self.chat.entries().filter_map(|entry| match entry {
            Entry::User { content, .. } => Some(content.as_str()),
            _ => None,
        });
        let mut editor = Editor::new(earlier, self.screen.borrow().console.colored())?;
        loop {
            self.interrupts.rest();
            match editor.read(self.words())? {
                Typed::Nothing => {}
                Typed::Stopped => {
                    self.screen
                        .borrow_mut()
                        .note("note: Ctrl-D or /quit ends the chat");
                }
                Typed::End => return Ok(DONE),
                Typed::Line(line) => match self.take(&line) {
                    Ok(Next::GoOn) => {}
                    Ok(Next::End) => return Ok(DONE),
                    Err(failure) => {
                        let mut screen = self.screen.borrow_mut();
                        screen.check()?;
                        failure.report(screen.console);
                    }
                },
            }
            if self.interrupts.are_to_end() {
                return Ok(REFUSED);
            }
        }
    }

    /// Returns what can be completed: commands, and the names behind `/why`.
    fn words(&self) -> editor::Words {
        let built_ins = self
            .chat
            .built_ins()
            .map(|command| format!("/{}", command.name()));
        let mut commands: Vec<String> = built_ins.collect();
        let mut names = Vec::new();
        if self.chat.has_skills() {
            let snapshot = self.chat.snapshot();
            let of_skills = snapshot.commands(&BuiltIn::RESERVED).catalog();
            commands.extend(of_skills.into_iter().map(|command| command.command));
            let aliases = snapshot.owners().map(|skill| snapshot.alias(skill));
            names.extend(aliases.map(|alias| visible(&alias).into_owned()));
        }
        editor::Words { commands, names }
    }

    /// Does what a line asks for.
    fn take(&mut self, line: &str) -> Result<Next, Failure> {
        self.interrupts.begin();
        let read = self.chat.read(line).inspect_err(|error| {
            if let ChatError::Activation(error) = error {
                self.screen.borrow_mut().show(Event::Row(&error.row()));
            }
        });
        let input = match read? {
            Input::Turn => None,
            Input::BuiltIn(command, arguments) => Some((command, arguments.trim().to_owned())),
        };
        let Some((command, arguments)) = input else {
            self.say(line)?;
            return Ok(Next::GoOn);
        };
        let prints = matches!(command, BuiltIn::Help | BuiltIn::Skills | BuiltIn::Why);
        if prints && self.screen.borrow().console.json {
            let message = format!("`/{}` has no --json", command.name());
            return Err(Failure::usage(message)
                .help("`codeaf-skills list --json` and `codeaf-skills why NAME --json` have it"));
        }
        match command {
            BuiltIn::Help => self.help()?,
            BuiltIn::Skills => self.skills()?,
            BuiltIn::Why => self.why(&arguments)?,
            BuiltIn::Reload => self.reload()?,
            BuiltIn::Compact => self.compact()?,
            BuiltIn::Folder => self.folder(&arguments)?,
            BuiltIn::Quit => return Ok(Next::End),
        }
        Ok(Next::GoOn)
    }

    fn say(&mut self, line: &str) -> Result<(), Failure> {
        self.with_model(|chat, model, tell| chat.say(line, model, tell))
    }

    fn compact(&mut self) -> Result<(), Failure> {
        self.with_model(engine::Chat::compact)
    }

    /// Lets the conversation work with the model, and shows what happens.
    fn with_model(
        &mut self,
        work: impl FnOnce(
            &mut engine::Chat,
            &mut dyn Model,
            &mut dyn FnMut(Event<'_>),
        ) -> Result<(), ChatError>,
    ) -> Result<(), Failure> {
        let (screen, interrupts) = (&self.screen, &self.interrupts);
        let mut model = self.client.telling(|note| screen.borrow_mut().note(note));
        let mut tell = |event: Event<'_>| {
            let mut screen = screen.borrow_mut();
            screen.show(event);
            // With nobody left to read it, no answer is wanted.
            if screen.has_failed() {
                interrupts.stop();
            }
        };
        Ok(work(&mut self.chat, &mut model, &mut tell)?)
    }

    fn help(&self) -> Result<(), Failure> {
        let mut rows = Rows::new(&["COMMAND", "DOES"]);
        for command in self.chat.built_ins() {
            let arguments = command.arguments().map(|words| format!(" {words}"));
            rows.push([
                format!("/{}{}", command.name(), arguments.unwrap_or_default()),
                command.about().to_owned(),
            ]);
        }
        if self.chat.has_skills() {
            rows.push([
                "/NAME …".to_owned(),
                "use a skill yourself, on or off; /skill:NAME where a command above has its name"
                    .to_owned(),
            ]);
        }
        self.print(&rows)
    }

    fn skills(&self) -> Result<(), Failure> {
        let snapshot = self.chat.snapshot().with_fresh_scopes();
        let used = engine::activations(self.chat.entries());
        let mut rows = Rows::new(&["NAME", "STATE", "USED", "DESCRIPTION"]);
        for skill in snapshot.owners() {
            let alias = visible(&snapshot.alias(skill)).into_owned();
            rows.push([
                alias.clone(),
                match snapshot.resolution(skill) {
                    Resolution {
                        cause: Cause::Unreadable { .. },
                        ..
                    } => "unreadable".to_owned(),
                    resolution => resolution.state.to_string(),
                },
                used.get(&alias).copied().unwrap_or(0).to_string(),
                cell(&skill.description),
            ]);
        }
        if rows.is_empty() {
            self.screen.borrow_mut().note("note: no skill was found");
            return Ok(());
        }
        self.print(&rows)
    }

    fn print(&self, rows: &Rows) -> Result<(), Failure> {
        let console = &mut *self.screen.borrow_mut().console;
        for line in rows.lines(console.width) {
            console.line(line)?;
        }
        Ok(console.finish()?)
    }

    fn why(&self, name: &str) -> Result<(), Failure> {
        if name.is_empty() {
            return Err(Failure::usage("`/why` needs a name").help("`/skills` lists the names"));
        }
        let snapshot = self.chat.snapshot().with_fresh_scopes();
        let console = &mut *self.screen.borrow_mut().console;
        why::explain(name, &snapshot, console)?;
        Ok(console.finish()?)
    }

    fn reload(&mut self) -> Result<(), Failure> {
        let changes = self.chat.reload()?;
        let mut screen = self.screen.borrow_mut();
        if changes.is_empty() {
            screen.note("note: the skills were read again; nothing has changed");
        }
        for change in changes {
            screen.note(&format!("note: {change}"));
        }
        Ok(())
    }

    fn folder(&mut self, folder: &str) -> Result<(), Failure> {
        if folder.is_empty() {
            return Err(
                Failure::usage("`/folder` needs a folder").help("`/folder DIR` attaches DIR")
            );
        }
        let home = self.screen.borrow().console.places.home.clone();
        let path = match (folder.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => folder.into(),
        };
        let path = self.chat.attach(&path)?;
        let mut screen = self.screen.borrow_mut();
        let shown = screen.console.path(&path);
        screen.note(&format!("note: {shown} is attached"));
        Ok(())
    }
}

impl From<ChatError> for Failure {
    fn from(error: ChatError) -> Self {
        match error {
            ChatError::Activation(ActivationError::NotFound {
                ref near,
                is_broken: false,
                ..
            }) if near.is_empty() => Self::from_error("skill-not-found", error).help(
                "`/skills` lists the names; put a blank before the slash to send the line as it is",
            ),
            ChatError::Activation(ActivationError::Unknown {
                ref near,
                ref fault,
                ..
            }) if near.is_empty() => {
                let mend = fault.help.as_deref().unwrap_or_default();
                let help =
                    format!("put a blank before the slash to send the line as it is, or {mend}");
                Self::from_error("skill-unknown", error).help(help)
            }
            ChatError::Activation(error) => error.into(),
            ChatError::Store(error) => error.into(),
            ChatError::Discovery(error) => error.into(),
            ChatError::Conversation(error) => DiscoveryError::Conversation(error).into(),
            ChatError::Model(ModelError::Stopped) => {
                Self::from_error("stopped", error).help("what came is kept in the conversation")
            }
            error => {
                let help = error.help();
                let failure = Self::told_to_models(error.code(), error);
                Self { help, ..failure }
            }
        }
    }
}
