//! `on`, `off`, `clear`: which scope file is written, and which of its entries a
//! word of the command line means.

mod edit;

use codeaf_skills::name::{is_meant_by, is_pattern, split_qualified, unsafe_because};
use codeaf_skills::scope::Change;
use codeaf_skills::text::{nfc, one_line, unescaped, visible};
use codeaf_skills::{
    ActivationError, Decisions, Doubt, Env, Lookup, NoScope, Scope, ScopePath, Snapshot, Source,
    State,
};

use super::{Status, load, quoted};
use crate::args::{Clear, Cli, Decide, Target};
use crate::failure::Failure;
use crate::render::Console;
use edit::Edit;

pub(super) fn on(
    args: &Decide,
    cli: &Cli,
    env: &Env,
    console: &mut Console,
) -> Result<Status, Failure> {
    decide(args, State::On, cli, env, console)
}

pub(super) fn off(
    args: &Decide,
    cli: &Cli,
    env: &Env,
    console: &mut Console,
) -> Result<Status, Failure> {
    decide(args, State::Off, cli, env, console)
}

fn decide(
    args: &Decide,
    state: State,
    cli: &Cli,
    env: &Env,
    console: &mut Console,
) -> Result<Status, Failure> {
    let snapshot = load(env, console)?;
    let target = target(&args.target, cli, &snapshot)?;
    let decided = decided_names(&snapshot, target.scope);
    // All names are judged before anything is written.
    let mut names = Vec::new();
    for name in &args.names {
        for name in meant(name, state, args.force, &decided, &snapshot)? {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let mut changes: Vec<Change> = names
        .iter()
        .map(|name| Change {
            name: name.clone(),
            state: Some(state),
        })
        .collect();
    if state == State::Off {
        let left_on = left_on(&names, target.scope, &snapshot);
        for name in &left_on {
            let name = quoted(name);
            console.note(format!(
                "note: `{name}` was on without a source; that is taken back too"
            ));
        }
        changes.extend(left_on.into_iter().map(Change::clear));
    }
    let edit = Edit {
        snapshot,
        target,
        names,
        wanted: Some(state),
        changes,
    };
    edit.carry_out(args.target.dry_run, &format!("turning {state}"), console)
}

/// Returns which of the entries `decided` a bare name means that no skill is known
/// to bear: the skill may be gone, or in a store that gives no answer.
fn lost_entries(name: &str, decided: &[String], snapshot: &Snapshot) -> Vec<String> {
    let is_lost = split_qualified(name).0.is_none()
        && !is_pattern(name)
        && matches!(snapshot.lookup(name), Lookup::NotFound);
    if !is_lost {
        return Vec::new();
    }
    let is_meant = |entry: &&String| split_qualified(entry).1 == name;
    decided.iter().filter(is_meant).cloned().collect()
}

/// Returns the bare entries that turn on one of the personal skills `names` by
/// meaning it: after *off* they would wait for a repository that ships the name.
fn left_on(names: &[String], scope: Scope, snapshot: &Snapshot) -> Vec<String> {
    let file = file_of(snapshot, scope);
    let bare = names.iter().filter_map(|name| {
        let (source, bare) = split_qualified(name);
        let is_meant = source == Some(Source::Personal)
            && matches!(snapshot.lookup(bare), Lookup::Found(skill) if skill.source() == Source::Personal);
        is_meant.then_some(bare)
    });
    bare.filter(|bare| file.and_then(|file| file.state_of(bare)) == Some(State::On))
        .map(str::to_owned)
        .collect()
}

pub(super) fn clear(
    args: &Clear,
    cli: &Cli,
    env: &Env,
    console: &mut Console,
) -> Result<Status, Failure> {
    let snapshot = load(env, console)?;
    let target = target(&args.target, cli, &snapshot)?;
    let decided = decided_names(&snapshot, target.scope);
    let mut entries: Vec<String> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    if args.missing {
        let missing = snapshot.missing().into_iter();
        let here = missing.filter(|missing| missing.scope == target.scope);
        let here = here.map(|missing| missing.name).collect();
        entries.extend(gone(here, &snapshot, console));
        if snapshot.personal_fault().is_some() {
            console
                .note("note: entries that may name personal skills are kept while nobody can tell");
        }
        names.clone_from(&entries);
    }
    for wanted in &args.names {
        let plain = unescaped(wanted);
        let wanted = nfc(plain.as_deref().unwrap_or(wanted));
        let cleared = Cleared::of(&wanted, &decided, &snapshot);
        if cleared.entries.is_empty() {
            cleared.note_nothing(&wanted, target.scope, console);
        }
        // A name that is not there still has an answer; a pattern has none.
        if cleared.entries.is_empty() && is_pattern(&wanted) && !console.json {
            console.line(format!("{}  nothing to clear", visible(&wanted)))?;
        }
        entries.extend(cleared.entries);
        names.extend(cleared.names);
    }
    for list in [&mut entries, &mut names] {
        list.sort();
        list.dedup();
    }
    let edit = Edit {
        snapshot,
        target,
        names,
        wanted: None,
        changes: entries.into_iter().map(Change::clear).collect(),
    };
    edit.carry_out(args.target.dry_run, "clearing", console)
}

/// Returns which of `missing` name nothing that is there, and says which others
/// are kept and why: what does not load today is off tomorrow only if its
/// decision is still there.
fn gone(missing: Vec<String>, snapshot: &Snapshot, console: &mut Console) -> Vec<String> {
    if missing.is_empty() {
        return missing;
    }
    let doubts = snapshot.doubts();
    let mut gone = Vec::new();
    let mut unsure: Vec<String> = Vec::new();
    let mut root = None;
    for name in missing {
        match doubts.of(&name) {
            None => gone.push(name),
            Some(Doubt::NotLoaded(path)) => {
                let path = console.path(path);
                console.note(format!(
                    "note: `{}` is kept: {path} is there and does not load",
                    visible(&name)
                ));
            }
            Some(Doubt::Root(found)) => {
                root = Some(found);
                unsure.push(format!("`{}`", visible(&name)));
            }
        }
    }
    if let Some(found) = root {
        let (verb, what) = match unsure.len() {
            1 => ("is", "it"),
            _ => ("are", "they"),
        };
        let names = unsure.join(", ");
        let place = console.path(&found.path);
        let message = one_line(&found.message);
        console.note(format!(
            "note: {names} {verb} kept: {what} may be in {place}, which was not read whole: {message}"
        ));
    }
    gone
}

/// What one word of `clear` means.
struct Cleared {
    /// The entries of the file that go.
    entries: Vec<String>,
    /// The skills that are answered for.
    names: Vec<String>,
    /// Whether the word could mean a skill of either source.
    is_ambiguous: bool,
}

impl Cleared {
    fn of(wanted: &str, decided: &[String], snapshot: &Snapshot) -> Self {
        let found = snapshot.lookup(wanted);
        // The user's own skill, however the file calls it.
        let own = match &found {
            Lookup::Found(skill) if skill.source() == Source::Personal => {
                Some(skill.source().qualify(&skill.name))
            }
            _ => None,
        };
        let is_meant = |name: &&String| {
            **name == *wanted
                || is_pattern(wanted) && is_meant_by(wanted, name)
                || own.as_ref() == Some(*name) && split_qualified(wanted).0.is_none()
        };
        let mut entries: Vec<String> = decided.iter().filter(is_meant).cloned().collect();
        entries.extend(lost_entries(wanted, decided, snapshot));
        let (names, is_ambiguous) = match found {
            Lookup::Ambiguous(aliases) => (aliases, true),
            Lookup::Found(_) => (vec![wanted.to_owned()], false),
            Lookup::NotFound if entries.is_empty() && !is_pattern(wanted) => {
                (vec![wanted.to_owned()], false)
            }
            Lookup::NotFound => (entries.clone(), false),
        };
        Self {
            entries,
            names,
            is_ambiguous,
        }
    }

    fn note_nothing(&self, wanted: &str, scope: Scope, console: &mut Console) {
        let name = quoted(wanted);
        let meaning = if self.is_ambiguous {
            format!("; it could be {}", self.names.join(" or "))
        } else {
            String::new()
        };
        console.note(format!(
            "note: no decision of the {scope} scope is {name}{meaning}"
        ));
    }
}

/// Which scope is written: the one that a flag names, else the project inside a
/// marked one. The variable for the conversation never chooses.
fn target(target: &Target, cli: &Cli, snapshot: &Snapshot) -> Result<ScopePath, Failure> {
    let scope = if target.global {
        Scope::Global
    } else if target.project {
        Scope::Project
    } else if cli.globals.conversation.is_some() {
        Scope::Conversation
    } else if snapshot.project().is_some_and(|project| project.marked) {
        Scope::Project
    } else {
        let (place, help) = match snapshot.project() {
            Some(_) => (
                "in no project that .git or .codeaf marks",
                "say --global (for you, everywhere), --project (this folder) or --conversation PATH",
            ),
            None => (
                "home, which is never a project",
                "say --global (for you, everywhere) or --conversation PATH; --project needs another folder",
            ),
        };
        return Err(Failure::usage(format!("which scope? This folder is {place}")).help(help));
    };
    snapshot.scope_path(scope).map_err(|error| match error {
        NoScope::NoHome => Failure::new("no-home", error)
            .help("set HOME to an absolute path, or CODEAF_HOME, or use --project"),
        NoScope::HomeIsNoProject => Failure::new("home-is-no-project", error).help("use --global"),
        error => Failure::new("no-conversation", error),
    })
}

/// Returns the names that are stored for one word of the command line.
fn meant(
    word: &str,
    state: State,
    force: bool,
    decided: &[String],
    snapshot: &Snapshot,
) -> Result<Vec<String>, Failure> {
    // No name holds a backslash of its own.
    let plain = unescaped(word);
    let name = nfc(plain.as_deref().unwrap_or(word)).into_owned();
    let (_, bare) = split_qualified(&name);
    // It is not said again: it may hold a password.
    if name.contains("://") {
        return Err(
            Failure::new("name-unsafe", "a URL is not the name of a skill")
                .help("the store of personal skills is named with `--store URL`"),
        );
    }
    if let Some(reason) = unsafe_because(bare, snapshot.env().limits.name_bytes) {
        let message = format!(
            "`{}` cannot be the name of a skill: it {reason}",
            visible(word)
        );
        return Err(Failure::new("name-unsafe", message).help("give the name of a skill"));
    }
    let not_found = match snapshot.find(&name) {
        Ok(skill) if skill.source() == Source::Personal => {
            return Ok(vec![snapshot.entry_name(skill)]);
        }
        Ok(_) => return Ok(vec![name]),
        Err(error @ (ActivationError::NotFound { .. } | ActivationError::Unknown { .. })) => error,
        Err(error) => return Err(error.into()),
    };
    if is_pattern(&name) {
        let matching: Vec<String> = snapshot
            .owners()
            .filter(|skill| is_meant_by(&name, &skill.source().qualify(&skill.name)))
            .map(|skill| snapshot.entry_name(skill))
            .collect();
        if matching.is_empty() && matches!(not_found, ActivationError::Unknown { .. }) {
            return Err(not_found.into());
        }
        if matching.is_empty() {
            return Err(Failure::new(
                "skill-not-found",
                format!("no skill matches `{}`", visible(word)),
            )
            .help("`codeaf-skills list --names` prints all names"));
        }
        return Ok(matching);
    }
    if state == State::On && !force {
        return Err(not_found.into());
    }
    let lost = match state {
        State::Off => lost_entries(&name, decided, snapshot),
        State::On => Vec::new(),
    };
    Ok(if lost.is_empty() { vec![name] } else { lost })
}

fn file_of(snapshot: &Snapshot, scope: Scope) -> Option<&Decisions> {
    let mut files = snapshot.scopes().files.iter();
    files.find(|file| file.scope() == scope)
}

fn decided_names(snapshot: &Snapshot, scope: Scope) -> Vec<String> {
    let file = file_of(snapshot, scope);
    let entries = file.into_iter().flat_map(Decisions::entries);
    entries.map(|decision| decision.name.clone()).collect()
}
