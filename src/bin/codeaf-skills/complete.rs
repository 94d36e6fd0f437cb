//! Completion at run time: the shell calls the program, which answers with
//! skill names, commands and files. Nothing here prints an error or fails.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;
use clap_complete::engine::CompletionCandidate;
use clap_complete::env::{CompleteEnv, Shells};
use codeaf_skills::check::rules::Record;
use codeaf_skills::discovery::personal::store_of;
use codeaf_skills::personal::{Entry, Owner};
use codeaf_skills::skill::resources;
use codeaf_skills::text::one_line;
use codeaf_skills::{Decisions, Env, Lookup, Rule, Scope, Secret, Snapshot, StoreChoice};

use crate::args::Cli;

/// The variable by which a script asks for an answer; its value names the shell.
const VARIABLE: &str = "CODEAF_SKILLS_COMPLETE";

/// Whether a completion script calls.
#[expect(
    clippy::disallowed_methods,
    reason = "a shell calls here before any word is understood"
)]
pub(crate) fn asked() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|shell| !shell.is_empty() && shell != "0")
}

#[expect(
    clippy::disallowed_methods,
    reason = "a shell calls here before any word is understood"
)]
pub(crate) fn answer() -> ExitCode {
    let folder = std::env::current_dir().ok();
    // A failing answer would be typed into the user's command line.
    let _ = CompleteEnv::with_factory(Cli::command)
        .var(VARIABLE)
        .try_complete(std::env::args_os(), folder.as_deref());
    ExitCode::SUCCESS
}

/// Returns the script that makes `shell` call the program.
pub(crate) fn script(shell: Shell) -> Vec<u8> {
    const NAME: &str = "codeaf-skills";
    let mut script = Vec::new();
    if let Some(shell) = Shells::builtins().completer(&shell.to_string()) {
        // Writing into memory does not fail.
        let _ = shell.write_registration(VARIABLE, NAME, NAME, NAME, &mut script);
    }
    script
}

/// Completes the name of a skill; the state stands beside it.
pub(crate) fn skills(typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(snapshot) = snapshot() else {
        return Vec::new();
    };
    let described = |skill| {
        let state = snapshot.resolution(skill).state;
        (
            snapshot.alias(skill).into_owned(),
            format!("{state}: {}", one_line(&skill.description)),
        )
    };
    candidates(typed, snapshot.owners().map(described))
}

/// Completes the name of a personal skill.
pub(crate) fn personal(typed: &OsStr) -> Vec<CompletionCandidate> {
    let store = environment().and_then(|env| store_of(&env).ok()?);
    let entries = store.and_then(|store| store.list(Owner::Me).ok());
    let described = |entry: Entry| {
        let help = one_line(&entry.description).into_owned();
        (entry.name, help)
    };
    candidates(typed, entries.into_iter().flatten().map(described))
}

/// Completes the names that stand in a scope file: the one that a flag names, or
/// any while none does.
pub(crate) fn decided(typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(snapshot) = snapshot() else {
        return Vec::new();
    };
    let words = words();
    let is_said = |flag: &str| words.iter().any(|word| word == flag);
    let flags = [
        ("--global", Scope::Global),
        ("--project", Scope::Project),
        ("--conversation", Scope::Conversation),
    ];
    // Beside one of the others --conversation is context.
    let target = flags.into_iter().find(|(flag, _)| is_said(flag));
    let is_target = |file: &&Decisions| target.is_none_or(|(_, scope)| file.scope() == scope);
    let files = snapshot.scopes().files.iter().filter(is_target);
    let decisions = files.flat_map(|file| {
        file.entries().iter().map(|decision| {
            (
                decision.name.clone(),
                format!("{} in the {} scope", decision.state, file.scope()),
            )
        })
    });
    candidates(typed, decisions)
}

/// Completes the bundled files of the skill that was named before.
pub(crate) fn resources(typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(snapshot) = snapshot() else {
        return Vec::new();
    };
    let words = words();
    let named = words.iter().skip_while(|word| *word != "read").nth(1);
    let Some(Lookup::Found(skill)) = named
        .and_then(|name| name.to_str())
        .map(|name| snapshot.lookup(name))
    else {
        return Vec::new();
    };
    let Some(folder) = skill.folder() else {
        return Vec::new();
    };
    let files = resources::list(folder, &snapshot.env().limits).resources;
    candidates(typed, files.into_iter().map(|file| (file, String::new())))
}

/// Completes the code of a rule.
pub(crate) fn rules(typed: &OsStr) -> Vec<CompletionCandidate> {
    let described = Rule::ALL
        .iter()
        .map(|&rule| (rule.code().to_owned(), Record::of(rule).title.to_owned()));
    candidates(typed, described)
}

/// Completes the name of a command.
pub(crate) fn commands(typed: &OsStr) -> Vec<CompletionCandidate> {
    let program = Cli::command();
    let named = program.get_subcommands().map(|command| {
        let about = command
            .get_about()
            .map(ToString::to_string)
            .unwrap_or_default();
        (command.get_name().to_owned(), about)
    });
    candidates(typed, named)
}

fn candidates(
    typed: &OsStr,
    offered: impl Iterator<Item = (String, String)>,
) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    let mut seen = HashSet::new();
    offered
        .filter(|(name, _)| name.starts_with(&*typed) && is_plain_word(name))
        .filter(|(name, _)| seen.insert(name.clone()))
        .map(|(name, help)| {
            let help = (!help.is_empty()).then(|| help.into());
            CompletionCandidate::new(name).help(help)
        })
        .collect()
}

/// Whether no shell reads anything into a word. bash puts in what it is offered
/// as it is, so that a name with `$(…)` in it would be run.
fn is_plain_word(word: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:@%+=,".contains(c);
    word.chars().all(is_plain) && !word.starts_with('-')
}

fn snapshot() -> Option<Snapshot> {
    Snapshot::load(&environment()?).ok()
}

/// Reads the surroundings as the finished command line would.
#[expect(
    clippy::disallowed_methods,
    reason = "a shell calls here before any word is understood"
)]
fn environment() -> Option<Env> {
    let folder = std::env::current_dir().ok()?;
    let mut env = crate::environment_of(&folder);
    let words = words();
    let values = |flags: &[&str]| -> Vec<PathBuf> {
        words
            .windows(2)
            .filter(|pair| flags.iter().any(|flag| pair[0] == *flag))
            .map(|pair| PathBuf::from(&pair[1]))
            .collect()
    };
    if let Some(start) = values(&["-C"]).pop() {
        env.start = env.start.join(start).canonicalize().ok()?;
    }
    if let Some(conversation) = values(&["--conversation"]).pop() {
        env.conversation = Some(conversation);
    }
    if let Some(url) = values(&["--store"]).pop() {
        let url = url.to_string_lossy().into_owned();
        env.store = Some(StoreChoice::Url(Secret(url)));
    }
    env.given_roots.splice(0..0, values(&["--skills-dir"]));
    env.folders = values(&["--folder"]);
    env.folders.retain(|folder| env.start.join(folder).is_dir());
    Some(env)
}

/// Returns the words of the unfinished command line.
#[expect(
    clippy::disallowed_methods,
    reason = "a shell calls here before any word is understood"
)]
fn words() -> Vec<OsString> {
    std::env::args_os()
        .skip_while(|word| word != "--")
        .skip(1)
        .collect()
}
