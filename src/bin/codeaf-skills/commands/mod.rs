//! One file for each command; here what several of them say in the same words.

mod audit;
mod catalog;
#[cfg(feature = "chat")]
mod chat;
mod check;
mod decide;
mod diff;
mod files;
mod list;
mod manual;
mod mend;
mod new;
mod personal;
mod shell;
mod show;
mod slash;
mod use_skill;
mod why;

use std::panic::resume_unwind;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use codeaf_skills::disclosure::cut;
use codeaf_skills::name::near;
use codeaf_skills::skill::loading::DESCRIPTION_CHARACTERS;
use codeaf_skills::skill::profile::Profile;
use codeaf_skills::{
    ActivationError, Cause, ConversationError, Diagnostic, DiscoveryError, Env, Fault, Limits,
    Resolution, Scope, Skill, Snapshot, Source, State, Step, StoreError,
};

pub(crate) use self::shell::quoted_exactly;
use self::shell::{about, command, quoted, quoted_path};
use crate::args::{Cli, Command};
use crate::failure::Failure;
use crate::render::{Console, cell};
use codeaf_skills::text::{one_line, visible};

/// What the process exits with when a command came to its end.
type Status = u8;

const DONE: Status = 0;
const REFUSED: Status = 1;

pub(crate) fn run(cli: &Cli, env: &Env, console: &mut Console) -> Result<Status, Failure> {
    match &cli.command {
        Command::On(args) => decide::on(args, cli, env, console),
        Command::Off(args) => decide::off(args, cli, env, console),
        Command::Clear(args) => decide::clear(args, cli, env, console),
        Command::List(args) => list::run(args, env, console),
        Command::Show(args) => show::run(args, env, console),
        Command::Why(args) => why::run(args, env, console),
        Command::IsOn(args) => why::is_on(args, env),
        Command::RenderCatalog(args) => catalog::run(args, env, console),
        Command::Tool => catalog::tool(env, console),
        Command::Use(args) => use_skill::run(args, env, console),
        Command::Resources(args) => files::resources(args, env, console),
        Command::Read(args) => files::read(args, env, console),
        Command::Commands(args) => slash::run(args, env, console),
        Command::Check(args) => check::run(args, env, console),
        #[cfg(feature = "mcp")]
        Command::Mcp(args) => {
            if let Some(agent) = args.print_config {
                let printed = crate::mcp::print_config(agent, &cli.globals, env, console);
                return printed.map(|()| DONE);
            }
            let start = crate::mcp::Start {
                is_fixed: cli.globals.start.is_some(),
                quiet: cli.globals.quiet,
            };
            crate::mcp::run(args, &start, console, |console| load(env, console)).map(|()| DONE)
        }
        #[cfg(feature = "chat")]
        Command::Chat(args) => chat::run(args, env, console),
        Command::Personal(args) => personal::run(args, env, console),
        Command::New(args) => new::run(args, env, console),
        Command::Completions(args) => manual::completions(args, console),
        Command::Man(args) => manual::man(args, console),
    }
}

/// Takes a snapshot and prints what is odd about scope files.
fn load(env: &Env, console: &mut Console) -> Result<Snapshot, Failure> {
    load_as(env, Profile::CODEAF, console)
}

/// Takes a snapshot of what the system of `profile` finds.
fn load_as(
    env: &Env,
    profile: &'static Profile,
    console: &mut Console,
) -> Result<Snapshot, Failure> {
    let snapshot = Snapshot::load_as(env, profile)?;
    for warning in snapshot.warnings() {
        console.finding(warning);
    }
    tell_unknown_allowed(&snapshot, console);
    // The process ends with the command: to take thousands of skills apart
    // before would only cost time.
    std::mem::forget(snapshot.clone());
    Ok(snapshot)
}

/// Says which names of `--allowed-skills` allow nothing.
fn tell_unknown_allowed(snapshot: &Snapshot, console: &mut Console) {
    for name in snapshot.unknown_allowed() {
        console.note(format!(
            "note: --allowed-skills names `{}`, and there is no skill of that name",
            visible(name)
        ));
    }
}

/// Returns the profile called `name`, or a failure that says what is near.
fn named_profile(name: &str) -> Result<&'static Profile, Failure> {
    Profile::named(name).ok_or_else(|| {
        let names: Vec<&str> = Profile::ALL.iter().map(|profile| profile.name).collect();
        let help = match near(name, names.iter().copied()).first() {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("the profiles are {}", names.join(", ")),
        };
        Failure::usage(format!("there is no profile `{}`", cell(name))).help(help)
    })
}

/// Ends an answer that is whole but for scope files that cannot be read: names
/// them, in the form of the answer.
fn end_of_answer(snapshot: &Snapshot, console: &mut Console) -> Result<Status, Failure> {
    if console.json {
        require_readable(snapshot)?;
    }
    let unreadable = report_unreadable(snapshot, console);
    Ok(if unreadable { REFUSED } else { DONE })
}

/// Prints every scope file that cannot be read; returns whether there is one.
fn report_unreadable(snapshot: &Snapshot, console: &mut Console) -> bool {
    let faults: Vec<Diagnostic> = snapshot
        .scope_faults()
        .map(|fault| fault.diagnostic.clone())
        .collect();
    for fault in &faults {
        console.finding(fault);
    }
    !faults.is_empty()
}

/// Refuses to go on while a scope file cannot be read: it may say *off*.
fn require_readable(snapshot: &Snapshot) -> Result<(), Failure> {
    let faults: Vec<String> = snapshot.scope_faults().map(told).collect();
    if faults.is_empty() {
        return Ok(());
    }
    Err(Failure::new("scope-unreadable", faults.join("; "))
        .help("mend the file; until then no skill is offered, because it may turn one off"))
}

/// Returns what is wrong with a scope file, and where.
fn told(fault: &Fault) -> String {
    let found = &fault.diagnostic;
    let path = found.path.display();
    match fault.span {
        Some(span) => format!("{path}:{}:{}: {}", span.line, span.column, found.message),
        None => format!("{path}: {}", found.message),
    }
}

/// Says that a skill is off. A person may use it all the same; the model could
/// not.
fn note_state(snapshot: &Snapshot, skill: &Skill, console: &mut Console) {
    if !snapshot.resolution(skill).is_on() {
        let name = quoted(&snapshot.alias(skill));
        console.note(format!("note: {name} is off; the model does not see it"));
    }
}

/// Returns why an *on* of `scope` does not count.
fn ignored_because(scope: Scope) -> &'static str {
    match scope {
        Scope::Global => "a project ships this copy",
        Scope::Project | Scope::Conversation => "a project may say only off",
    }
}

/// Returns the widest scope of a trail that says *on* without being heard.
fn ignored_scope(trail: &[Step]) -> Option<Scope> {
    let ignored = trail.iter().filter(|step| step.is_ignored);
    ignored.map(|step| step.scope).min()
}

/// Returns why a skill of this trail has the default.
fn default_because(trail: &[Step]) -> String {
    match ignored_scope(trail) {
        None => "no scope names it".to_owned(),
        Some(scope) => format!(
            "the {scope} scope says on, which does not count: {}",
            ignored_because(scope)
        ),
    }
}

/// Returns the scope that decided, and where or why, for two cells of a table.
fn cause_cells(cause: &Cause, trail: &[Step], console: &Console) -> (String, String) {
    match cause {
        Cause::Default => ("default".into(), default_because(trail)),
        Cause::Decided { scope, path, span } => (
            scope.to_string(),
            console.place(path, span.line, span.column),
        ),
        Cause::Unreadable { scope, path, span } => {
            let place = match span {
                Some(span) => console.place(path, span.line, span.column),
                None => console.path(path),
            };
            (scope.to_string(), format!("unreadable: {place}"))
        }
    }
}

/// Returns the state of a skill that owns its name, and why it has that.
fn state_and_cause(skill: &Skill, snapshot: &Snapshot, console: &Console) -> String {
    let resolution = snapshot.resolution(skill);
    let (scope, place) = cause_cells(&resolution.cause, &snapshot.trail(skill), console);
    match resolution.cause {
        Cause::Default => format!("{}, {place}", resolution.state),
        _ => format!("{}, {scope}: {place}", resolution.state),
    }
}

/// Says what holds for a skill that was just made, which scopes may name already.
fn note_new(skill: &Skill, snapshot: &Snapshot, console: &mut Console) {
    let is_unnamed = snapshot.resolution(skill) == Resolution::OFF_BY_DEFAULT
        && ignored_scope(&snapshot.trail(skill)).is_none();
    let state = if is_unnamed {
        State::Off.to_string()
    } else {
        state_and_cause(skill, snapshot, console)
    };
    let opposite = snapshot.opposite(skill);
    let turned_on = opposite.filter(|(_, change)| change.state == Some(State::On));
    let next = turned_on.map(|(scope, change)| {
        let does = about("on", &change.name, &flag_of(scope, snapshot, console));
        format!("; `codeaf-skills {does}` turns it on")
    });
    console.note(format!("note: it is {state}{}", next.unwrap_or_default()));
}

/// Does what another program may keep waiting, and says so when it takes longer
/// than a question may.
fn patiently<T: Send>(
    awaited: &str,
    limits: &Limits,
    console: &mut Console,
    work: impl FnOnce() -> T + Send,
) -> T {
    thread::scope(|scope| {
        let (done, is_done) = mpsc::channel();
        let working = scope.spawn(move || {
            let result = work();
            // Nobody may listen any more.
            let _ = done.send(());
            result
        });
        if is_done.recv_timeout(limits.store_patience) == Err(RecvTimeoutError::Timeout) {
            let most = limits.lock_patience.as_secs_f32();
            console.note(format!("note: waiting for {awaited}, up to {most} s"));
        }
        working.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Refuses to print a text as it is and as JSON at once. clap does not see a
/// `--json` that stands before the command.
fn refuse_raw_json(raw: bool, console: &Console) -> Result<(), Failure> {
    if raw && console.json {
        let message = "the argument '--raw' cannot be used with '--json'";
        return Err(Failure::usage(message).help("leave one of the two out"));
    }
    Ok(())
}

/// Returns the flag that names `scope` as the target of a write.
fn flag_of(scope: Scope, snapshot: &Snapshot, console: &Console) -> String {
    match (scope, snapshot.conversation(), &console.places.conversation) {
        (Scope::Conversation, _, Some(said)) => {
            format!("--conversation {}", quoted_exactly(&said.to_string_lossy()))
        }
        (Scope::Conversation, Some(found), None) => {
            format!(
                "--conversation {}",
                quoted_exactly(&found.folder.to_string_lossy())
            )
        }
        (Scope::Conversation, None, None) => "--conversation PATH".to_owned(),
        (Scope::Global, ..) => "--global".to_owned(),
        (Scope::Project, ..) => "--project".to_owned(),
    }
}

/// Returns a description for a cell, cut where it is longer than the
/// specification allows.
fn description_cell(description: &str) -> String {
    cut(&one_line(description), DESCRIPTION_CHARACTERS).into_owned()
}

/// Returns where a skill comes from, for a cell: its root, or `personal`.
fn source_cell(skill: &Skill, console: &Console) -> String {
    match skill.root() {
        None => Source::Personal.to_string(),
        Some(root) => console.path(&root.path),
    }
}

impl From<DiscoveryError> for Failure {
    fn from(error: DiscoveryError) -> Self {
        let (code, help) = match &error {
            DiscoveryError::Conversation(ConversationError::AmbiguousId { .. }) => (
                "conversation-ambiguous",
                "name the conversation's folder instead of its id",
            ),
            DiscoveryError::UnknownPlaces { .. } => (
                "places-unknown",
                "`codeaf-skills check --profile NAME` judges skills by its rules wherever they lie",
            ),
            DiscoveryError::Conversation(ConversationError::NotThere { .. }) => (
                "conversation-not-found",
                "name a conversation's folder, its meta.json, or its 16-digit id; `codeaf-skills chat --conversation PATH` starts one",
            ),
            DiscoveryError::Conversation(_) => (
                "conversation-not-found",
                "name a conversation's folder, its meta.json, or its 16-digit id",
            ),
            DiscoveryError::Store { fault } => {
                let help = fault.help.clone().unwrap_or_default();
                return Self::from_error(fault.rule.code(), error).help(help);
            }
            _ => (
                "folder-not-found",
                "name a folder that is there with --folder",
            ),
        };
        Self::from_error(code, error).help(help)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let help = error.help();
        let failure = Self::from_error(error.code(), error);
        Self { help, ..failure }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::from_error("output", error).context("cannot write the answer")
    }
}

impl From<ActivationError> for Failure {
    fn from(error: ActivationError) -> Self {
        let help = match &error {
            ActivationError::NotFound {
                name,
                is_broken: true,
                ..
            } => Some(format!(
                "something of that name is there and was not taken: `codeaf-skills {}` tells the fault",
                about("why", name, "")
            )),
            ActivationError::NotFound { name, near, .. } if near.is_empty() => Some(format!(
                "`codeaf-skills {}` tells where it was looked for",
                about("why", name, "")
            )),
            _ => error.help().map(std::borrow::Cow::into_owned),
        };
        Self {
            help,
            ..Self::told_to_models(error.code(), error)
        }
    }
}
