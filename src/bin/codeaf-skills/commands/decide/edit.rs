//! One edit of one scope file: carried out or shown, and what holds then.

use std::path::Path;

use codeaf_skills::scope::{self, Change};
use codeaf_skills::text::visible;
use codeaf_skills::{
    ActivationError, Cause, Lookup, Outcome, Resolution, Scope, ScopePath, Skill, Snapshot, Source,
    State, Step,
};
use serde::Serialize;

use super::super::diff::{print_diff, unified};
use super::super::{
    DONE, Status, about, cause_cells, command, flag_of, ignored_because, patiently, quoted,
    report_unreadable,
};
use super::file_of;
use crate::failure::Failure;
use crate::render::{Console, Rows};

/// One edit of one scope file.
pub(super) struct Edit {
    pub(super) snapshot: Snapshot,
    pub(super) target: ScopePath,
    /// What is answered for.
    pub(super) names: Vec<String>,
    /// What they are to be; `None`: what wider scopes say.
    pub(super) wanted: Option<State>,
    pub(super) changes: Vec<Change>,
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
    pub(super) fn carry_out(
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
