//! `on`, `off`, `clear`: one edit of one scope file, and what now holds.

use std::path::Path;

use clap::builder::styling::{AnsiColor, Style};
use codeaf_skills::name::{is_meant_by, is_pattern, split_qualified, unsafe_because};
use codeaf_skills::scope::{self, Change};
use codeaf_skills::text::{clean, nfc, one_line, unescaped, visible};
use codeaf_skills::{
    ActivationError, Cause, Decisions, Doubt, Env, Lookup, NoScope, Outcome, Resolution, Scope,
    ScopePath, Skill, Snapshot, Source, State, Step,
};
use serde::Serialize;
use similar::TextDiff;

use super::{
    DONE, Status, about, cause_cells, command, flag_of, ignored_because, load, patiently, quoted,
    report_unreadable,
};
use crate::args::{Clear, Cli, Decide, Target};
use crate::failure::Failure;
use crate::render::{Console, Rows};

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
        for name in meant(name, state, args.force, &snapshot)? {
            let entries = match state {
                State::Off => lost_entries(&name, &decided, &snapshot),
                State::On => Vec::new(),
            };
            let entries = if entries.is_empty() {
                vec![name]
            } else {
                entries
            };
            for name in entries {
                if !names.contains(&name) {
                    names.push(name);
                }
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
    let mut entries = decided.to_vec();
    entries.retain(|entry| is_lost && split_qualified(entry).1 == name);
    entries
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
    Ok(vec![name])
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

/// One edit of one scope file.
struct Edit {
    snapshot: Snapshot,
    target: ScopePath,
    /// What is answered for.
    names: Vec<String>,
    /// What they are to be; `None`: what wider scopes say.
    wanted: Option<State>,
    changes: Vec<Change>,
}

#[derive(Serialize)]
struct Answer<'a> {
    version: u8,
    scope: Scope,
    #[serde(serialize_with = "codeaf_skills::text::serialize_path")]
    path: &'a Path,
    written: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    skills: Vec<AnswerRow<'a>>,
}

#[derive(Serialize)]
struct AnswerRow<'a> {
    name: &'a str,
    /// Null where nobody can tell.
    found: Option<bool>,
    state: State,
    cause: &'a Cause,
}

impl Edit {
    fn carry_out(
        mut self,
        dry_run: bool,
        doing: &str,
        console: &mut Console,
    ) -> Result<Status, Failure> {
        let limits = self.snapshot.env().limits;
        let context = || {
            format!(
                "{doing} {} in the {} scope",
                listed(&self.names),
                self.target.scope
            )
        };
        if dry_run {
            let preview = scope::preview(&self.target, &self.changes, &limits)
                .map_err(|error| Failure::from(error).context(context()))?;
            let diff = unified(
                &preview.before,
                &preview.after,
                &console.path(&self.target.file),
            );
            return self.answer_dry_run(diff, console);
        }
        let awaited = format!(
            "{}, whose folder another program keeps locked",
            console.path(&self.target.file)
        );
        let edit = || scope::edit(&self.target, &self.changes, &limits);
        let edited = patiently(&awaited, &limits, console, edit)
            .map_err(|error| Failure::from(error).context(context()))?;
        let written = edited.outcome == Outcome::Changed;
        self.snapshot = self.snapshot.with_fresh_scopes();
        self.answer(written, None, console)?;
        if written {
            console.note(format!("wrote {}", console.path(&edited.file)));
        }
        self.explain(console);
        report_unreadable(&self.snapshot, console);
        Ok(DONE)
    }

    fn answer_dry_run(&self, diff: String, console: &mut Console) -> Result<Status, Failure> {
        if console.json {
            self.answer(false, Some(diff), console)?;
        } else if diff.is_empty() {
            self.answer(false, None, console)?;
            console.note("note: nothing to change");
        } else {
            print_diff(&diff, console)?;
        }
        Ok(DONE)
    }

    /// Prints what now holds for each name.
    fn answer(
        &self,
        written: bool,
        diff: Option<String>,
        console: &mut Console,
    ) -> Result<(), Failure> {
        let resolutions: Vec<(Option<bool>, Resolution, Vec<Step>)> = self
            .names
            .iter()
            .map(|name| self.resolution(name))
            .collect();
        if console.json {
            let rows = self
                .names
                .iter()
                .zip(&resolutions)
                .map(|(name, (found, resolution, _))| AnswerRow {
                    name,
                    found: *found,
                    state: resolution.state,
                    cause: &resolution.cause,
                });
            return Ok(console.json(&Answer {
                version: 1,
                scope: self.target.scope,
                path: &self.target.file,
                written,
                diff,
                skills: rows.collect(),
            })?);
        }
        let mut rows = Rows::new(&[""; 4]);
        for (name, (found, resolution, trail)) in self.names.iter().zip(&resolutions) {
            let (scope, mut place) = cause_cells(&resolution.cause, trail, console);
            match found {
                Some(true) => {}
                Some(false) => place.push_str(" (no such skill)"),
                None => place.push_str(" (its store gives no answer)"),
            }
            rows.push([
                visible(name).into_owned(),
                resolution.state.to_string(),
                scope,
                place,
            ]);
        }
        for line in rows.lines(usize::MAX).iter().skip(1) {
            console.line(line)?;
        }
        Ok(())
    }

    /// Says where the answer is not what the edit asked for, and why.
    fn explain(&self, console: &mut Console) {
        for name in &self.names {
            let Lookup::Found(skill) = self.snapshot.lookup(name) else {
                if self.wanted.is_some() {
                    self.note_unknown(name, console);
                }
                continue;
            };
            if self.wanted != Some(State::On) && skill.source() == Source::Workspace {
                self.note_personal_entry(&skill.name, console);
            }
            let name = quoted(name);
            let resolution = self.snapshot.resolution(skill);
            if self.wanted.is_none() {
                self.note_other_entry(&name, &resolution, console);
            }
            let is_other = self.wanted.is_some_and(|wanted| wanted != resolution.state);
            // A file that cannot be read is reported by itself.
            if is_other && !resolution.cause.is_unreadable() {
                let reason = self.outweighed_by(skill, &resolution, console);
                console.note(format!("note: {name} stays {}: {reason}", resolution.state));
            }
        }
    }

    /// A decision may outlive its skill, or be a slip.
    fn note_unknown(&self, name: &str, console: &mut Console) {
        let near = self.snapshot.near(name);
        let hint = match near.first() {
            Some(near) => format!("did you mean {}?", quoted(near)),
            None => "the decision is kept for when there is one".to_owned(),
        };
        let place = match self.snapshot.find(name) {
            Err(ActivationError::Unknown { .. }) => " in a folder",
            _ => "",
        };
        console.note(format!(
            "note: no skill{place} is called {}; {hint}",
            quoted(name)
        ));
    }

    /// Says that the file turns on a personal skill of the same name, which nobody
    /// knows just now.
    fn note_personal_entry(&self, name: &str, console: &mut Console) {
        let entry = Source::Personal.qualify(name);
        let file = file_of(&self.snapshot, self.target.scope);
        let is_on = file.and_then(|file| file.state_of(&entry)) == Some(State::On);
        if is_on && matches!(self.snapshot.lookup(&entry), Lookup::NotFound) {
            let flag = flag_of(self.target.scope, &self.snapshot, console);
            let does = command(&about("off", &entry, &flag), console);
            console.note(format!(
                "note: {entry} stays on in that file; `{does}` turns it off"
            ));
        }
    }

    /// Says that the file still decides, by another spelling of the name.
    fn note_other_entry(&self, name: &str, resolution: &Resolution, console: &mut Console) {
        let entry = self.snapshot.entry_of(&resolution.cause);
        if let Some(entry) = entry.filter(|_| resolution.cause.scope() == Some(self.target.scope)) {
            let flag = flag_of(self.target.scope, &self.snapshot, console);
            let other = quoted(&entry.name);
            let does = command(&about("clear", &entry.name, &flag), console);
            console.note(format!(
                "note: the entry {other} of the same file still decides {name}; `{does}` takes it back"
            ));
        }
    }

    /// Says what outweighs the edit, and the command that would do.
    fn outweighed_by(&self, skill: &Skill, resolution: &Resolution, console: &Console) -> String {
        let reason = match (
            resolution.cause.scope(),
            self.snapshot.entry_of(&resolution.cause),
        ) {
            (Some(scope), Some(entry)) if scope == self.target.scope => {
                format!(
                    "the entry {} of the same file outweighs it",
                    quoted(&entry.name)
                )
            }
            (Some(scope), _) if scope > self.target.scope => {
                format!(
                    "the {scope} scope says {} and is narrower",
                    resolution.state
                )
            }
            _ => ignored_because(self.target.scope).to_owned(),
        };
        let does = match self.snapshot.opposite(skill) {
            Some((scope, change)) => {
                let flag = flag_of(scope, &self.snapshot, console);
                let verb = change.state.unwrap_or(State::Off);
                command(&about(verb.as_str(), &change.name, &flag), console)
            }
            None => return reason,
        };
        format!("{reason}; `{does}` changes that")
    }

    /// Returns whether there is such a skill, as far as that is known, its state,
    /// and what scopes say of it.
    fn resolution(&self, name: &str) -> (Option<bool>, Resolution, Vec<Step>) {
        let (snapshot, scopes) = (&self.snapshot, self.snapshot.scopes());
        if let Lookup::Found(skill) = snapshot.lookup(name) {
            let (resolution, trail) = (snapshot.resolution(skill), snapshot.trail(skill));
            return (Some(true), resolution, trail);
        }
        let is_unknown = matches!(snapshot.find(name), Err(ActivationError::Unknown { .. }));
        let found = (!is_unknown).then_some(false);
        (found, scopes.resolve(name), scopes.trail(name))
    }
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "nothing".into(),
        [one] => format!("`{}`", visible(one)),
        names => format!("{} skills", names.len()),
    }
}

pub(super) fn print_diff(diff: &str, console: &mut Console) -> Result<(), Failure> {
    for line in diff.split_terminator('\n') {
        // A line end is a part of the line: whoever applies the diff needs it.
        let (line, end) = match line.strip_suffix('\r') {
            Some(line) => (line, "\r"),
            None => (line, ""),
        };
        let line = clean(line);
        let style = match line.as_bytes().first() {
            Some(b'+') => AnsiColor::Green.on_default(),
            Some(b'-') => AnsiColor::Red.on_default(),
            _ => Style::new(),
        };
        let line = console.paint(style, &line);
        console.line(format_args!("{line}{end}"))?;
    }
    Ok(())
}

pub(super) fn unified(before: &str, after: &str, path: &str) -> String {
    if before == after {
        return String::new();
    }
    TextDiff::from_lines(before, after)
        .unified_diff()
        .context_radius(3)
        .header(path, path)
        .to_string()
}
