//! `list`: which skills there are, which are on, what is missing or broken.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use clap::builder::styling::Style;
use codeaf_skills::disclosure::cut;
use codeaf_skills::name::is_meant_by;
use codeaf_skills::skill::profile::{Profile, SameName};
use codeaf_skills::text::{clean, counted, nfc, one_line, path_text, size, visible};
use codeaf_skills::{
    Broken, Cause, Diagnostic, Env, Limits, Missing, Origin, Resolution, RootOutcome, Severity,
    Skill, Snapshot, Source, State,
};
use serde::{Serialize, Serializer};

use super::{
    Status, description_cell, end_of_answer, ignored_scope, load_as, named_profile, source_cell,
};
use crate::args::List;
use crate::failure::Failure;
use crate::render::{Console, Rows, wrap};

pub(super) fn run(args: &List, env: &Env, console: &mut Console) -> Result<Status, Failure> {
    let profile = match args.profile.as_deref() {
        Some(name) => named_profile(name)?,
        None => Profile::CODEAF,
    };
    let snapshot = load_as(env, profile, console)?;
    note_doubts(profile, console);
    let chosen = Chosen::new(args, &snapshot, profile);
    if console.json {
        chosen.print_json(console)?;
    } else if args.names {
        chosen.print_names(console)?;
    } else {
        chosen.print_tables(console)?;
    }
    end_of_answer(&snapshot, console)
}

/// Says what of a system's places is not known, or holds only at times.
fn note_doubts(profile: &Profile, console: &mut Console) {
    let places = profile.places;
    let unknown = places.not_known();
    if !unknown.is_empty() {
        let unknown = unknown.join("; ");
        console.note(format!("note: not known of {}: {unknown}", profile.name));
    }
    if !places.doubt.is_empty() {
        console.note(format!("note: {}: {}", profile.name, places.doubt));
    }
}

/// A skill with its resolution.
struct Row<'a> {
    skill: &'a Skill,
    resolution: Resolution,
}

/// What the flags and the pattern leave of a snapshot.
struct Chosen<'a> {
    snapshot: &'a Snapshot,
    /// Who looked.
    profile: &'static Profile,
    /// What to say where there is nothing to show.
    nothing: String,
    only_broken: bool,
    rows: Vec<Row<'a>>,
    broken: Vec<&'a Broken>,
    missing: Vec<Missing>,
}

impl<'a> Chosen<'a> {
    fn new(args: &List, snapshot: &'a Snapshot, profile: &'static Profile) -> Self {
        let pattern = args.pattern.as_deref().map(nfc);
        let fits = |source: Option<Source>, name: &str| {
            let is_meant = |pattern| match source {
                Some(source) => is_meant_by(pattern, &nfc(&source.qualify(name))),
                None => is_meant_by(pattern, &nfc(name)),
            };
            pattern.as_deref().is_none_or(is_meant)
        };
        let wants = |skill: &Skill, resolution: &Resolution| {
            let is_shadowed = skill.shadowed_by.is_some();
            match (args.on, args.off, args.broken, args.shadowed) {
                (true, ..) => !is_shadowed && resolution.state == State::On,
                (_, true, ..) => !is_shadowed && resolution.state == State::Off,
                (_, _, true, _) => false,
                (_, _, _, true) => is_shadowed,
                _ => true,
            }
        };
        let rows = snapshot
            .skills()
            .iter()
            .filter(|skill| fits(Some(skill.source()), &skill.name))
            .map(|skill| Row {
                skill,
                resolution: snapshot.resolution(skill),
            })
            .filter(|row| wants(row.skill, &row.resolution))
            .collect();
        let everything = !(args.on || args.off || args.broken || args.shadowed);
        let broken = snapshot.broken().iter().filter(|broken| {
            (everything || args.broken) && fits(Some(Source::Workspace), &broken.name)
        });
        let missing = snapshot
            .missing()
            .into_iter()
            .filter(|missing| everything && fits(None, &missing.name));
        Self {
            snapshot,
            profile,
            nothing: nothing(args, snapshot, profile),
            only_broken: args.broken,
            rows,
            broken: broken.collect(),
            missing: missing.collect(),
        }
    }

    fn print_json(&self, console: &mut Console) -> io::Result<()> {
        let fault = self.snapshot.personal_fault();
        let personal_fault = fault.map(|fault| console.with_flags(fault));
        console.json(&Document {
            version: 1,
            skills: Sequence(|| {
                self.rows
                    .iter()
                    .map(|row| SkillRow::new(row.skill, &row.resolution, self.snapshot))
            }),
            broken: self
                .broken
                .iter()
                .map(|broken| BrokenRow::new(broken))
                .collect(),
            missing: &self.missing,
            personal_fault: personal_fault.as_ref(),
        })
    }

    fn print_names(&self, console: &mut Console) -> io::Result<()> {
        let mut last = None;
        for row in &self.rows {
            let alias = self.snapshot.alias(row.skill);
            if last.as_ref() != Some(&alias) {
                console.line(visible(&alias))?;
            }
            last = Some(alias);
        }
        for broken in self.broken.iter().filter(|_| self.only_broken) {
            console.line(visible(&broken.name))?;
        }
        Ok(())
    }

    fn print_tables(&self, console: &mut Console) -> io::Result<()> {
        let mut sections = Sections::default();
        if !self.rows.is_empty() {
            sections.begin(console)?;
            self.print_skills(console)?;
        }
        if !self.missing.is_empty() {
            sections.begin(console)?;
            self.print_missing(console)?;
        }
        let (faults, notes): (Vec<_>, Vec<_>) = self
            .broken
            .iter()
            .partition(|broken| broken.severity() > Severity::Note);
        if !faults.is_empty() {
            sections.begin(console)?;
            console.line("not loaded:")?;
            print_broken(&faults, console)?;
        }
        let findings: Vec<&Diagnostic> = self
            .rows
            .iter()
            .flat_map(|row| &row.skill.diagnostics)
            .collect();
        if !findings.is_empty() {
            sections.begin(console)?;
            self.print_findings(&findings, console)?;
        }
        if !notes.is_empty() {
            if findings.is_empty() || console.is_verbose() {
                sections.begin(console)?;
            }
            self.print_notes(&notes, console)?;
        }
        if self.rows.is_empty() && self.missing.is_empty() && self.broken.is_empty() {
            console.note(format!("note: {}", self.nothing));
        }
        if console.is_verbose() {
            sections.begin(console)?;
            self.print_roots(console)?;
        }
        Ok(())
    }

    fn print_skills(&self, console: &mut Console) -> io::Result<()> {
        let mut rows = Rows::new(&[
            "NAME",
            "STATE",
            "DECIDED BY",
            "SOURCE",
            "SIZE",
            "DESCRIPTION",
        ]);
        for row in &self.rows {
            let skill = row.skill;
            let state = match &skill.shadowed_by {
                Some(_) => "shadowed".to_owned(),
                None => row.resolution.state.to_string(),
            };
            rows.push([
                visible(&self.snapshot.alias(skill)).into_owned(),
                state,
                decided_by(row, self.snapshot),
                source_cell(skill, console),
                size(skill.size),
                description(skill, console),
            ]);
        }
        let style = |row: usize| {
            let row = &self.rows[row];
            let is_seen = row.skill.shadowed_by.is_none() && row.resolution.is_on();
            if is_seen {
                Style::new()
            } else {
                Style::new().dimmed()
            }
        };
        print_styled_rows(&rows, style, console)?;
        let own = self.rows.iter().filter(|row| {
            self.snapshot
                .on_by_this_repository(row.skill, &row.resolution)
        });
        let names: Vec<String> = own
            .map(|row| visible(&row.skill.name).into_owned())
            .collect();
        if !names.is_empty() {
            console.line("")?;
            let note = format!(
                "* this repository ships the copy that is on, or turns it on: {}. --ignore-project-on leaves that to you.",
                names.join(", ")
            );
            for line in wrap(&note, console.width) {
                console.line(line)?;
            }
        }
        Ok(())
    }

    fn print_missing(&self, console: &mut Console) -> io::Result<()> {
        let doubts = self.snapshot.doubts();
        let (gone, unsure): (Vec<_>, Vec<_>) = self
            .missing
            .iter()
            .partition(|missing| doubts.of(&missing.name).is_none());
        let mut sections = Sections::default();
        for (head, missing) in [
            ("named by a scope, but no such skill:", gone),
            (
                "named by a scope, and not loaded or not looked for everywhere:",
                unsure,
            ),
        ] {
            if !missing.is_empty() {
                sections.begin(console)?;
                console.line(head)?;
                print_rows(&missing_rows(&missing, console), console)?;
            }
        }
        Ok(())
    }

    /// What is wrong with skills that load all the same: how many there are,
    /// and with `-v` what it is.
    fn print_findings(&self, findings: &[&Diagnostic], console: &mut Console) -> io::Result<()> {
        let count = self
            .rows
            .iter()
            .filter(|row| !row.skill.diagnostics.is_empty())
            .count();
        let what = counted(count, "skill");
        let load = if count == 1 { "loads" } else { "load" };
        let findings_word = counted(findings.len(), "finding");
        if !console.is_verbose() {
            return console.line(format!(
                "{what} {load} with {findings_word}; `{} -v` shows them",
                list_command(self.profile)
            ));
        }
        console.line(format!("loaded, with {findings_word}:"))?;
        for finding in findings {
            print_finding(finding, console)?;
        }
        Ok(())
    }

    fn print_roots(&self, console: &mut Console) -> io::Result<()> {
        console.line(match self.profile.places.same_name {
            Some(SameName::First) => "roots, the first one wins:",
            _ => "roots:",
        })?;
        let mut rows = Rows::new(&["ROOT", "OF", "SKILLS"]);
        for looked_at in self.snapshot.roots() {
            let root = &looked_at.root;
            let found = match looked_at.outcome {
                RootOutcome::Missing => "not there".to_owned(),
                RootOutcome::SameFolder => "the same folder as an earlier root".to_owned(),
                RootOutcome::Refused => "not read".to_owned(),
                RootOutcome::Listed => {
                    let skills = self.snapshot.skills().iter();
                    skills
                        .filter(|skill| skill.root() == Some(root))
                        .count()
                        .to_string()
                }
            };
            rows.push([
                console.path(&root.path),
                root.origin.as_str().to_owned(),
                found,
            ]);
        }
        print_rows(&rows, console)
    }

    /// The rows that are no fault: how many there are, and with `-v` what they
    /// are.
    fn print_notes(&self, notes: &[&&Broken], console: &mut Console) -> io::Result<()> {
        let what = counted(notes.len(), "entry");
        if console.is_verbose() {
            console.line(format!("no skills, passed over ({what}):"))?;
            return print_broken(notes, console);
        }
        let verb = if notes.len() == 1 { "is" } else { "are" };
        console.line(format!(
            "{what} in the roots {verb} no skill; `{} -v` shows which and why",
            list_command(self.profile)
        ))
    }
}

fn missing_rows(missing: &[&Missing], console: &Console) -> Rows {
    let mut rows = Rows::new(&["NAME", "SAYS", "SCOPE", "WHERE"]);
    for missing in missing {
        // No skill has a longer name.
        let name = cut(&visible(&missing.name), Limits::DEFAULT.name_bytes).into_owned();
        rows.push([
            name,
            missing.state.to_string(),
            missing.scope.to_string(),
            console.place(&missing.path, missing.span.line, missing.span.column),
        ]);
    }
    rows
}

/// Returns the command that looks as `profile` does.
fn list_command(profile: &Profile) -> String {
    if profile.name == Profile::CODEAF.name {
        "codeaf-skills list".to_owned()
    } else {
        format!("codeaf-skills list --profile {}", profile.name)
    }
}

fn nothing(args: &List, snapshot: &Snapshot, profile: &Profile) -> String {
    let list = list_command(profile);
    match (args.on, args.broken, args.shadowed, &args.pattern) {
        (_, _, _, Some(_)) => format!("no name fits; `{list}` shows all of them"),
        (true, ..) if snapshot.scope_faults().next().is_some() => {
            "nothing is on while a scope file that may say off cannot be read".to_owned()
        }
        (true, ..) => {
            "nothing is on here; `codeaf-skills on NAME --global` turns a skill on".to_owned()
        }
        (_, true, ..) => "nothing is broken".to_owned(),
        (_, _, true, _) => "nothing is shadowed".to_owned(),
        _ => format!("no skill was found; `{list} -v` shows where it was looked"),
    }
}

/// Keeps one blank line between the parts of the answer.
#[derive(Default)]
struct Sections {
    begun: bool,
}

impl Sections {
    fn begin(&mut self, console: &mut Console) -> io::Result<()> {
        if self.begun {
            console.line("")?;
        }
        self.begun = true;
        Ok(())
    }
}

fn decided_by(row: &Row<'_>, snapshot: &Snapshot) -> String {
    let mark = if snapshot.on_by_this_repository(row.skill, &row.resolution) {
        "*"
    } else {
        ""
    };
    match &row.resolution.cause {
        Cause::Unreadable { scope, .. } => format!("{scope}, unreadable"),
        cause @ Cause::Decided { .. } => cause
            .scope()
            .map_or_else(String::new, |scope| format!("{scope}{mark}")),
        Cause::Default => match ignored_scope(&snapshot.trail(row.skill)) {
            Some(scope) => format!("{scope}, ignored"),
            None => "default".to_owned(),
        },
    }
}

fn description(skill: &Skill, console: &Console) -> String {
    let text = description_cell(&skill.description);
    match &skill.shadowed_by {
        Some(owner) => format!("(shadowed by {}) {text}", console.path(owner)),
        None => text,
    }
}

fn print_rows(rows: &Rows, console: &mut Console) -> io::Result<()> {
    print_styled_rows(rows, |_| Style::new(), console)
}

/// Prints a table; `style` gives the look of the row of that number.
fn print_styled_rows(
    rows: &Rows,
    style: impl Fn(usize) -> Style,
    console: &mut Console,
) -> io::Result<()> {
    // A row begins where a line does not begin with a blank; the head is row 0.
    let mut row = 0;
    for (index, line) in rows.lines(console.width).iter().enumerate() {
        row += usize::from(index > 0 && !line.starts_with(' '));
        let style = match row.checked_sub(1) {
            None => Style::new().bold(),
            Some(row) => style(row),
        };
        let line = console.paint(style, line);
        console.line(line)?;
    }
    Ok(())
}

/// Prints each finding of each row, and its help once.
pub(super) fn print_broken(rows: &[&&Broken], console: &mut Console) -> io::Result<()> {
    for broken in rows {
        for diagnostic in &broken.diagnostics {
            print_finding(diagnostic, console)?;
        }
    }
    Ok(())
}

pub(super) fn print_finding(diagnostic: &Diagnostic, console: &mut Console) -> io::Result<()> {
    let line = console.finding_line(diagnostic, console.colored());
    console.line(format!("  {line}"))?;
    if let Some(help) = &diagnostic.help {
        let help = console.next_step(help);
        console.line(format!("    help: {}", one_line(&help)))?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Document<'a, S: Serialize> {
    version: u8,
    skills: S,
    broken: Vec<BrokenRow<'a>>,
    missing: &'a [Missing],
    /// Why personal skills are unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    personal_fault: Option<&'a Diagnostic>,
}

/// Serializes an iterator row by row, so that no list of all rows is built.
struct Sequence<F>(F);

impl<F, I> Serialize for Sequence<F>
where
    F: Fn() -> I,
    I: Iterator<Item: Serialize>,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0())
    }
}

/// A skill in JSON, as `list` and `why` print it.
#[derive(Serialize)]
pub(super) struct SkillRow<'a> {
    name: &'a str,
    state: State,
    cause: Cause,
    source: Source,
    /// Null of a personal skill, as is its location.
    root: Option<Cow<'a, str>>,
    origin: Origin,
    #[serde(serialize_with = "codeaf_skills::text::serialize_some_path")]
    location: Option<PathBuf>,
    size: u64,
    description: Cow<'a, str>,
    on_by_this_repository: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    shadowed_by: Option<Cow<'a, str>>,
    diagnostics: &'a [Diagnostic],
}

impl<'a> SkillRow<'a> {
    pub(super) fn new(skill: &'a Skill, resolution: &Resolution, snapshot: &Snapshot) -> Self {
        Self {
            name: &skill.name,
            state: resolution.state,
            cause: resolution.cause.clone(),
            source: skill.source(),
            root: skill.root().map(|root| path_text(&root.path)),
            origin: skill.origin(),
            location: skill.location(),
            size: skill.size,
            description: clean(&skill.description),
            on_by_this_repository: snapshot.on_by_this_repository(skill, resolution),
            shadowed_by: skill.shadowed_by.as_deref().map(path_text),
            diagnostics: &skill.diagnostics,
        }
    }
}

/// Something broken in JSON, as `list` and `why` print it.
#[derive(Serialize)]
pub(super) struct BrokenRow<'a> {
    #[serde(serialize_with = "codeaf_skills::text::serialize_path")]
    location: &'a Path,
    diagnostics: &'a [Diagnostic],
}

impl<'a> BrokenRow<'a> {
    pub(super) fn new(broken: &'a Broken) -> Self {
        Self {
            location: &broken.location,
            diagnostics: &broken.diagnostics,
        }
    }
}
