//! `why` and `is-on`: the trail of a skill, or the reason why there is none.

use std::cmp::Reverse;
use std::io;
use std::path::{Path, PathBuf};

use clap::builder::styling::Style;
use codeaf_skills::name::is_pattern;
use codeaf_skills::text::{one_line, serialize_path, size, visible};
use codeaf_skills::{
    ActivationError, Broken, Cause, Decision, Decisions, Diagnostic, Env, Lookup, Origin,
    Resolution, RootOutcome, Rule, Scope, Skill, Snapshot, Source, State, Step, split_qualified,
};
use serde::Serialize;

use super::list::{BrokenRow, SkillRow, print_broken, print_finding};
use super::{
    DONE, REFUSED, Status, about, command, flag_of, load, quoted, quoted_path, report_unreadable,
    source_cell,
};
use crate::args::OneSkill;
use crate::failure::Failure;
use crate::render::{Console, Rows, cell};

pub(super) fn is_on(args: &OneSkill, env: &Env, console: &mut Console) -> Result<Status, Failure> {
    let snapshot = Snapshot::load(env)?;
    let is_on = match snapshot.find(&args.name) {
        Ok(skill) => snapshot.resolution(skill).is_on(),
        Err(ActivationError::NotFound { .. }) => false,
        Err(ActivationError::Unknown { fault, .. }) => {
            // It may be there, and on.
            console.finding(&fault);
            false
        }
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
    let unreadable = report_unreadable(snapshot, console);
    Ok(match answer {
        Answer::Found(_) if !unreadable => DONE,
        _ => REFUSED,
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
            Cause::Default if self.is_ignored() => {
                "what a project turns on, or ships, is left to the conversation".to_owned()
            }
            Cause::Default => "no scope names it".to_owned(),
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

    /// Whether a decision for *on* does not count, because the project may say
    /// only *off*.
    fn is_ignored(&self) -> bool {
        self.trail.iter().any(|step| step.is_ignored)
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
                one_line(&copy.description).into_owned(),
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
            (true, _) => "<- decides",
            (_, true) => "ignored: a project may say only off",
            _ => "",
        };
        let entry = step.entry.iter().filter(|entry| *entry != name);
        let entry = entry.map(|entry| format!("by `{}` ", cell(entry)));
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

/// A name that no skill bears, and what could explain it.
struct NotFound<'a> {
    name: &'a str,
    /// Why nobody can tell whether a personal skill bears it.
    fault: Option<&'a Diagnostic>,
    near: Vec<String>,
    broken: Vec<&'a Broken>,
    too_deep: Vec<PathBuf>,
    /// What scopes say of it, the narrowest first.
    decisions: Vec<(&'a Decisions, &'a Decision)>,
    resolution: Resolution,
    trail: Vec<Step>,
}

impl<'a> NotFound<'a> {
    fn new(name: &'a str, snapshot: &'a Snapshot) -> Self {
        let wanted = codeaf_skills::text::nfc(name);
        let mut files: Vec<&Decisions> = snapshot.scopes().files.iter().collect();
        files.sort_by_key(|file| Reverse(file.scope()));
        let names_it =
            |entry: &&Decision| entry.name == wanted || split_qualified(&entry.name).1 == wanted;
        let decisions = files.into_iter().flat_map(|file| {
            let entries = file.entries().iter().filter(names_it);
            entries.map(move |entry| (file, entry))
        });
        let may_be_personal = split_qualified(name).0 != Some(Source::Workspace);
        Self {
            name,
            fault: snapshot.personal_fault().filter(|_| may_be_personal),
            near: snapshot.near(name),
            broken: snapshot.broken_called(name),
            too_deep: snapshot.too_deep(name),
            decisions: decisions.collect(),
            resolution: snapshot.scopes().resolve(&*wanted),
            trail: snapshot.scopes().trail(&*wanted),
        }
    }

    fn print(&self, snapshot: &Snapshot, console: &mut Console) -> io::Result<()> {
        let place = self.fault.map_or("", |_| " in a folder");
        let headline = format!("no skill{place} is called {}", quoted(self.name));
        console.line(console.paint(Style::new().bold(), &headline))?;
        let is_qualified = split_qualified(self.name).0.is_some();
        if is_pattern(self.name) || self.name.contains('/') && !is_qualified {
            console.line("`why` takes a name: for patterns there is `list`, for paths `show`")?;
        }
        print_unknown(self.fault, console)?;
        self.print_decisions(console)?;
        self.print_broken(console)?;
        self.print_too_deep(console)?;
        self.print_near(snapshot, console)?;
        if self.broken.is_empty() && self.too_deep.is_empty() && self.near.is_empty() {
            match (split_qualified(self.name).0, snapshot.store()) {
                (Some(Source::Personal), Some(store)) => {
                    console.line("")?;
                    console.line(format!("looked in the store {}", cell(store.place())))?;
                }
                _ => print_looked_at(snapshot, console)?,
            }
        }
        console.line("")?;
        self.print_next_step(snapshot, console)
    }

    fn print_decisions(&self, console: &mut Console) -> io::Result<()> {
        if self.decisions.is_empty() {
            return Ok(());
        }
        console.line("")?;
        console.line(match self.fault {
            None => "scopes name it all the same:",
            Some(_) => "scopes name it:",
        })?;
        let several = self.decisions.len() > 1;
        for (file, entry) in &self.decisions {
            let place = console.place(file.path(), entry.span.line, entry.span.column);
            let by = if entry.name == self.name {
                String::new()
            } else {
                format!(" by {}", quoted(&entry.name))
            };
            let decides = several && self.resolution.cause.scope() == Some(file.scope());
            console.line(format!(
                "  {place}: {} in the {} scope{by}{}",
                entry.state,
                file.scope(),
                if decides { "  <- decides" } else { "" }
            ))?;
        }
        Ok(())
    }

    fn print_broken(&self, console: &mut Console) -> io::Result<()> {
        if self.broken.is_empty() {
            return Ok(());
        }
        console.line("")?;
        console.line("something of that name is there, and was not taken:")?;
        print_broken(&self.broken.iter().collect::<Vec<_>>(), console)
    }

    fn print_too_deep(&self, console: &mut Console) -> io::Result<()> {
        if self.too_deep.is_empty() {
            return Ok(());
        }
        console.line("")?;
        console.line("a folder of that name stands one level too deep; only direct children of a root are skills:")?;
        for folder in &self.too_deep {
            console.line(format!("  {}", console.path(folder)))?;
        }
        Ok(())
    }

    fn print_near(&self, snapshot: &Snapshot, console: &mut Console) -> io::Result<()> {
        if self.near.is_empty() {
            return Ok(());
        }
        console.line("")?;
        console.line("names near it:")?;
        for name in &self.near {
            let Lookup::Found(skill) = snapshot.lookup(name) else {
                continue;
            };
            let is_called = |folder: &Path| folder.file_name().is_some_and(|of| of == self.name);
            let place = match skill.folder() {
                None => source_cell(skill, console),
                Some(folder) if is_called(folder) => {
                    let folder = console.path(folder);
                    format!("the folder {folder} holds the skill of this name")
                }
                Some(folder) => console.path(folder),
            };
            console.line(format!("  {}  ({place})", cell(name)))?;
        }
        Ok(())
    }

    /// Ends with the command that goes on from here.
    fn print_next_step(&self, snapshot: &Snapshot, console: &mut Console) -> io::Result<()> {
        let name = quoted(self.name);
        if let Some(folder) = self.too_deep.first() {
            let root = folder
                .parent()
                .and_then(std::path::Path::parent)
                .unwrap_or(folder);
            console.line("to make it a skill, move it up:")?;
            return console.line(format!(
                "  mv {} {}/",
                quoted_path(folder, console),
                quoted_path(root, console)
            ));
        }
        if let Some(broken) = self.broken.first() {
            if broken
                .diagnostics
                .iter()
                .any(|found| found.rule == Rule::SkillFileName)
            {
                let from = quoted_path(&broken.location, console);
                let to = quoted_path(&broken.location.with_file_name("SKILL.md"), console);
                console.line("to make it a skill, rename the file:")?;
                return console.line(format!("  mv {from} {to}"));
            }
            console.line("mend what is said above, then look again:")?;
            return say_command(&about("why", self.name, ""), console);
        }
        if let Some(near) = self.near.first() {
            console.line("if you mean that one:")?;
            return say_command(&about("why", near, ""), console);
        }
        if self.fault.is_some() {
            console.line("mend what is said of the store, then look again:")?;
            return say_command(&about("why", self.name, ""), console);
        }
        if !self.decisions.is_empty() {
            let them = if self.decisions.len() > 1 {
                "decisions"
            } else {
                "decision"
            };
            console.line(format!("to take the {them} back:"))?;
            for (file, entry) in &self.decisions {
                let flag = flag_of(file.scope(), snapshot, console);
                say_command(&about("clear", &entry.name, &flag), console)?;
            }
            return Ok(());
        }
        if split_qualified(self.name).0 == Some(Source::Personal) {
            console.line("to see your personal skills:")?;
            return say_command("personal list", console);
        }
        console.line("to look in another folder too:")?;
        say_command(&format!("--skills-dir DIR why {name}"), console)
    }
}

fn print_looked_at(snapshot: &Snapshot, console: &mut Console) -> io::Result<()> {
    console.line("")?;
    console.line("looked in:")?;
    for looked_at in snapshot.roots() {
        let what = match looked_at.outcome {
            RootOutcome::Missing => "  (not there)",
            RootOutcome::SameFolder => "  (the same folder as an earlier one)",
            RootOutcome::Refused => "  (not read)",
            RootOutcome::Listed => "",
        };
        console.line(format!("  {}{what}", console.path(&looked_at.root.path)))?;
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
    broken: Vec<BrokenRow<'a>>,
    too_deep: Vec<Text>,
    roots: Vec<Text>,
    /// Why personal skills are unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    personal_fault: Option<&'a Diagnostic>,
}

/// A path in JSON.
#[derive(Serialize)]
struct Text(#[serde(serialize_with = "serialize_path")] PathBuf);

fn broken_rows<'a>(rows: &[&'a Broken]) -> Vec<BrokenRow<'a>> {
    rows.iter().map(|broken| BrokenRow::new(broken)).collect()
}

impl Answer<'_> {
    fn print_json(&self, name: &str, snapshot: &Snapshot, console: &mut Console) -> io::Result<()> {
        let row = |skill| SkillRow::new(skill, &snapshot.resolution(skill), snapshot);
        let looked_at = snapshot.roots().iter();
        let roots = looked_at
            .map(|looked_at| Text(looked_at.root.path.clone()))
            .collect();
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
                broken: broken_rows(&found.broken),
                too_deep: Vec::new(),
                roots,
                personal_fault: snapshot.personal_fault(),
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
                broken: broken_rows(&nothing.broken),
                too_deep: nothing.too_deep.iter().cloned().map(Text).collect(),
                roots,
                personal_fault: snapshot.personal_fault(),
            }),
        }
    }
}
