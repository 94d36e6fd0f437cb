//! `why` and `is-on`: the trail of a skill, or the reason why there is none.

mod not_found;

use std::io;
use std::path::{Path, PathBuf};

use clap::builder::styling::Style;
use codeaf_skills::text::{serialize_path, size, visible};
use codeaf_skills::{
    ActivationError, Broken, Cause, Diagnostic, Env, LookedAt, Origin, Resolution, Root,
    RootOutcome, Scope, Skill, Snapshot, Source, State, Step,
};
use serde::Serialize;

use self::not_found::NotFound;
use super::list::{BrokenRow, SkillRow, print_broken, print_finding};
use super::{
    DONE, REFUSED, Status, about, command, default_because, description_cell, end_of_answer,
    flag_of, ignored_because, load, quoted, require_readable, source_cell,
};
use crate::args::OneSkill;
use crate::failure::Failure;
use crate::render::{Console, Rows};

pub(super) fn is_on(args: &OneSkill, env: &Env) -> Result<Status, Failure> {
    let snapshot = Snapshot::load(env)?;
    let is_on = match snapshot.find(&args.name) {
        Ok(skill) => {
            let resolution = snapshot.resolution(skill);
            if resolution.cause.is_unreadable() {
                require_readable(&snapshot)?;
            }
            resolution.is_on()
        }
        Err(ActivationError::NotFound { .. }) => false,
        Err(error) => return Err(error.into()),
    };
    Ok(if is_on { DONE } else { REFUSED })
}

pub(super) fn run(args: &OneSkill, env: &Env, console: &mut Console) -> Result<Status, Failure> {
    let snapshot = load(env, console)?;
    explain(&args.name, &snapshot, console)
}

/// Explains what `snapshot` says of `name`.
pub(super) fn explain(
    name: &str,
    snapshot: &Snapshot,
    console: &mut Console,
) -> Result<Status, Failure> {
    let answer = match snapshot.find(name) {
        Ok(skill) => Answer::Found(Found::new(skill, snapshot)),
        Err(ActivationError::NotFound { .. } | ActivationError::Unknown { .. }) => {
            Answer::NotFound(NotFound::new(name, snapshot))
        }
        Err(error) => return Err(error.into()),
    };
    if console.json {
        answer.print_json(name, snapshot, console)?;
    } else {
        match &answer {
            Answer::Found(found) => found.print(snapshot, console)?,
            Answer::NotFound(nothing) => nothing.print(snapshot, console)?,
        }
    }
    let status = end_of_answer(snapshot, console)?;
    Ok(match answer {
        Answer::Found(_) => status,
        Answer::NotFound(_) => REFUSED,
    })
}

enum Answer<'a> {
    Found(Found<'a>),
    NotFound(NotFound<'a>),
}

/// A skill that is there.
struct Found<'a> {
    skill: &'a Skill,
    resolution: Resolution,
    trail: Vec<Step>,
    shadows: Vec<&'a Skill>,
    broken: Vec<&'a Broken>,
}

impl<'a> Found<'a> {
    fn new(skill: &'a Skill, snapshot: &'a Snapshot) -> Self {
        let copies = snapshot.copies(&skill.name).iter();
        Self {
            skill,
            resolution: snapshot.resolution(skill),
            trail: snapshot.trail(skill),
            shadows: copies
                .filter(|copy| copy.source() == skill.source() && copy.shadowed_by.is_some())
                .collect(),
            broken: snapshot.broken_called(&skill.name),
        }
    }

    fn print(&self, snapshot: &Snapshot, console: &mut Console) -> io::Result<()> {
        let name = visible(&snapshot.alias(self.skill)).into_owned();
        let headline = format!(
            "{name} is {}: {}",
            self.resolution.state,
            self.reason(snapshot)
        );
        console.line(console.paint(Style::new().bold(), &headline))?;
        console.line("")?;
        print_trail(&self.trail, &self.skill.name, console)?;
        console.line("")?;
        self.print_copies(console)?;
        if self.skill.source() == Source::Workspace {
            print_unknown(snapshot.personal_fault(), console)?;
        }
        if !self.broken.is_empty() {
            console.line("")?;
            console.line("also of this name, and not loaded:")?;
            print_broken(&self.broken.iter().collect::<Vec<_>>(), console)?;
        }
        if !self.skill.diagnostics.is_empty() {
            console.line("")?;
            console.line("it loads, and:")?;
            for diagnostic in &self.skill.diagnostics {
                print_finding(diagnostic, console)?;
            }
        }
        if self.resolution.is_on() && !snapshot.permits(self.skill) {
            console.line("")?;
            console.line("--allowed-skills does not name it, and keeps it from the model")?;
        }
        console.line("")?;
        self.print_next_step(snapshot, console)
    }

    fn reason(&self, snapshot: &Snapshot) -> String {
        match &self.resolution.cause {
            Cause::Default => default_because(&self.trail),
            Cause::Unreadable { scope, .. } => {
                format!("the file of the {scope} scope is unreadable, and it may say off")
            }
            cause @ Cause::Decided { .. } => {
                let scope = cause.scope().map_or("default", Scope::as_str);
                if snapshot.on_by_this_repository(self.skill, &self.resolution) {
                    match cause.scope() {
                        Some(Scope::Project) => {
                            "the project scope says so, and it belongs to the repository that ships the skill".to_owned()
                        }
                        _ if self.shadows.iter().any(|copy| copy.origin() == Origin::Home) => format!(
                            "the {scope} scope turned your own copy on, and this repository's copy shadows it"
                        ),
                        _ if snapshot.broken_at_home(&self.skill.name).is_some() => format!(
                            "the {scope} scope turned your own copy on, which does not load, and this repository's copy stands in for it"
                        ),
                        _ => format!(
                            "the {scope} scope names it without a source, and may have meant {}",
                            quoted(&Source::Personal.qualify(&self.skill.name))
                        ),
                    }
                } else {
                    format!("the {scope} scope says so")
                }
            }
        }
    }

    fn print_copies(&self, console: &mut Console) -> io::Result<()> {
        let skill = self.skill;
        let mut rows = Rows::new(&["COPY", "SIZE", "WHERE", "DESCRIPTION"]);
        let copies = std::iter::once(("meant", skill))
            .chain(self.shadows.iter().map(|copy| ("shadowed", *copy)));
        for (what, copy) in copies {
            rows.push([
                what.to_owned(),
                size(copy.size),
                match copy.location() {
                    None => source_cell(copy, console),
                    Some(location) => console.path(&location),
                },
                description_cell(&copy.description),
            ]);
        }
        for line in rows.lines(console.width) {
            console.line(line)?;
        }
        Ok(())
    }

    /// Ends with the command that would change the answer.
    fn print_next_step(&self, snapshot: &Snapshot, console: &mut Console) -> io::Result<()> {
        let verb = match self.resolution.state {
            State::On => State::Off,
            State::Off => State::On,
        };
        let alias = snapshot.alias(self.skill).into_owned();
        let opposite = snapshot.opposite(self.skill);
        if let Cause::Unreadable { path, .. } = &self.resolution.cause {
            let file = console.path(path);
            let Some((scope, change)) = opposite else {
                console.line(format!("mend {file}, then look again:"))?;
                return say_command(&about("why", &alias, ""), console);
            };
            console.line(format!("mend {file}, or let a narrower scope decide:"))?;
            let flag = flag_of(scope, snapshot, console);
            return say_command(&about(verb.as_str(), &change.name, &flag), console);
        }
        let (scope, name) = match opposite {
            Some((scope, change)) => (scope, change.name),
            None => (Scope::Conversation, snapshot.entry_name(self.skill)),
        };
        console.line(format!("to turn it {verb}:"))?;
        let flag = flag_of(scope, snapshot, console);
        say_command(&about(verb.as_str(), &name, &flag), console)
    }
}

/// Says that a personal skill of the name may be there, while nobody can tell.
fn print_unknown(fault: Option<&Diagnostic>, console: &mut Console) -> io::Result<()> {
    let Some(fault) = fault else {
        return Ok(());
    };
    console.line("")?;
    console.line("a personal skill of this name may be there, and cannot be reached:")?;
    print_finding(fault, console)
}

fn say_command(words: &str, console: &mut Console) -> io::Result<()> {
    let command = command(words, console);
    console.line(format!("  {command}"))
}

/// Prints what each scope says of the skill `name`, the narrowest first; and the
/// entry that says it, where that is not the name alone.
fn print_trail(trail: &[Step], name: &str, console: &mut Console) -> io::Result<()> {
    let mut rows = Rows::new(&["SCOPE", "SAYS", "WHERE", ""]);
    for step in trail {
        let says = match step.decision {
            _ if step.is_unreadable => "unreadable",
            Some(state) => state.as_str(),
            None => "nothing",
        };
        let place = match step.span {
            Some(span) => console.place(&step.path, span.line, span.column),
            None => console.path(&step.path),
        };
        let mark = match (step.wins, step.is_ignored) {
            (true, _) => "<- decides".to_owned(),
            (_, true) => format!("ignored: {}", ignored_because(step.scope)),
            _ => String::new(),
        };
        let entry = step.entry.iter().filter(|entry| *entry != name);
        let entry = entry.map(|entry| format!("by `{}` ", visible(entry)));
        rows.push([
            step.scope.to_string(),
            says.to_owned(),
            place,
            format!("{}{mark}", entry.collect::<String>()),
        ]);
    }
    for line in rows.lines(console.width) {
        console.line(line)?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Document<'a> {
    version: u8,
    name: &'a str,
    found: bool,
    state: State,
    cause: &'a Cause,
    trail: &'a [Step],
    skill: Option<SkillRow<'a>>,
    shadows: Vec<SkillRow<'a>>,
    near: &'a [String],
    near_broken: Vec<BrokenRow<'a>>,
    broken: Vec<BrokenRow<'a>>,
    too_deep: Vec<Text>,
    beyond_bound: Vec<Text>,
    roots: Vec<Text>,
    looked_at: Vec<LookedAtRow<'a>>,
    /// Why personal skills are unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    personal_fault: Option<&'a Diagnostic>,
}

/// A path in JSON.
#[derive(Serialize)]
struct Text(#[serde(serialize_with = "serialize_path")] PathBuf);

/// A root in JSON, with what came of looking at it.
#[derive(Serialize)]
struct LookedAtRow<'a> {
    #[serde(serialize_with = "serialize_path")]
    path: &'a Path,
    outcome: &'static str,
    /// Why it was not read, or not read whole.
    diagnostics: Vec<&'a Diagnostic>,
}

impl<'a> LookedAtRow<'a> {
    fn all(snapshot: &'a Snapshot) -> Vec<Self> {
        let roots = snapshot.roots().iter();
        let row = |looked_at: &'a LookedAt| Self {
            path: &looked_at.root.path,
            outcome: match looked_at.outcome {
                RootOutcome::Listed => "listed",
                RootOutcome::Missing => "missing",
                RootOutcome::SameFolder => "same-folder",
                RootOutcome::Refused => "refused",
            },
            diagnostics: faults_of(&looked_at.root, snapshot),
        };
        roots.map(row).collect()
    }
}

/// Returns why `root` was not read, or not read whole.
fn faults_of<'a>(root: &Root, snapshot: &'a Snapshot) -> Vec<&'a Diagnostic> {
    let faults = snapshot.root_faults();
    faults.filter(|found| found.path == root.path).collect()
}

fn texts(paths: &[PathBuf]) -> Vec<Text> {
    paths.iter().cloned().map(Text).collect()
}

fn broken_rows<'a>(rows: &[&'a Broken]) -> Vec<BrokenRow<'a>> {
    rows.iter().map(|broken| BrokenRow::new(broken)).collect()
}

impl Answer<'_> {
    fn print_json(&self, name: &str, snapshot: &Snapshot, console: &mut Console) -> io::Result<()> {
        let row = |skill| SkillRow::new(skill, &snapshot.resolution(skill), snapshot);
        let paths = snapshot.roots().iter();
        let roots = paths.map(|of| Text(of.root.path.clone())).collect();
        let looked_at = LookedAtRow::all(snapshot);
        let fault = snapshot.personal_fault();
        let personal_fault = fault.map(|fault| console.with_flags(fault));
        match self {
            Self::Found(found) => console.json(&Document {
                version: 1,
                name: &found.skill.name,
                found: true,
                state: found.resolution.state,
                cause: &found.resolution.cause,
                trail: &found.trail,
                skill: Some(row(found.skill)),
                shadows: found.shadows.iter().map(|copy| row(copy)).collect(),
                near: &[],
                near_broken: Vec::new(),
                broken: broken_rows(&found.broken),
                too_deep: Vec::new(),
                beyond_bound: Vec::new(),
                roots,
                looked_at,
                personal_fault: personal_fault.as_ref(),
            }),
            Self::NotFound(nothing) => console.json(&Document {
                version: 1,
                name,
                found: false,
                state: nothing.resolution.state,
                cause: &nothing.resolution.cause,
                trail: &nothing.trail,
                skill: None,
                shadows: Vec::new(),
                near: &nothing.near,
                near_broken: broken_rows(&nothing.near_broken),
                broken: broken_rows(&nothing.broken),
                too_deep: texts(&nothing.too_deep),
                beyond_bound: texts(&nothing.beyond_bound),
                roots,
                looked_at,
                personal_fault: personal_fault.as_ref(),
            }),
        }
    }
}
