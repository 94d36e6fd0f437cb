//! `why` of a name that no skill bears: what could explain it.

use std::cmp::Reverse;
use std::io;
use std::path::{Path, PathBuf};

use clap::builder::styling::Style;
use codeaf_skills::name::is_pattern;
use codeaf_skills::text::visible;
use codeaf_skills::{
    Broken, Decision, Decisions, Diagnostic, Lookup, Resolution, RootOutcome, Rule, Snapshot,
    Source, Step, split_qualified,
};

use super::super::list::{print_broken, print_finding};
use super::super::{about, flag_of, quoted, quoted_path, source_cell};
use super::{faults_of, print_unknown, say_command};
use crate::render::{Console, cell};

/// A name that no skill bears, and what could explain it.
pub(super) struct NotFound<'a> {
    name: &'a str,
    /// Why nobody can tell whether a personal skill bears it.
    fault: Option<&'a Diagnostic>,
    pub(super) near: Vec<String>,
    pub(super) broken: Vec<&'a Broken>,
    pub(super) near_broken: Vec<&'a Broken>,
    pub(super) too_deep: Vec<PathBuf>,
    pub(super) beyond_bound: Vec<PathBuf>,
    /// What scopes say of it, the narrowest first.
    decisions: Vec<(&'a Decisions, &'a Decision)>,
    pub(super) resolution: Resolution,
    pub(super) trail: Vec<Step>,
}

impl<'a> NotFound<'a> {
    pub(super) fn new(name: &'a str, snapshot: &'a Snapshot) -> Self {
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
            near_broken: snapshot.near_broken(name),
            too_deep: snapshot.too_deep(name),
            beyond_bound: snapshot.beyond_bound(name),
            decisions: decisions.collect(),
            resolution: snapshot.scopes().resolve(&*wanted),
            trail: snapshot.scopes().trail(&*wanted),
        }
    }

    pub(super) fn print(&self, snapshot: &Snapshot, console: &mut Console) -> io::Result<()> {
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
        self.print_beyond_bound(console)?;
        self.print_near(snapshot, console)?;
        if self.has_no_clue() {
            match (split_qualified(self.name).0, snapshot.store()) {
                (Some(Source::Personal), Some(store)) => {
                    console.line("")?;
                    console.line(format!("looked in the store {}", cell(store.place())))?;
                }
                _ => print_looked_at(snapshot, console)?,
            }
        } else if self.may_be_in_a_folder() {
            print_unread(snapshot, console)?;
        }
        console.line("")?;
        self.print_next_step(snapshot, console)
    }

    fn has_no_clue(&self) -> bool {
        let is_there =
            self.broken.len() + self.too_deep.len() + self.beyond_bound.len() + self.near.len();
        is_there + self.near_broken.len() == 0
    }

    fn may_be_in_a_folder(&self) -> bool {
        split_qualified(self.name).0 != Some(Source::Personal)
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

    fn print_beyond_bound(&self, console: &mut Console) -> io::Result<()> {
        if self.beyond_bound.is_empty() {
            return Ok(());
        }
        console.line("")?;
        console.line(
            "a folder of that name stands beyond the bound of its root, and was not looked at:",
        )?;
        for folder in &self.beyond_bound {
            console.line(format!("  {}", console.path(folder)))?;
        }
        Ok(())
    }

    fn print_near(&self, snapshot: &Snapshot, console: &mut Console) -> io::Result<()> {
        if self.near.is_empty() && self.near_broken.is_empty() {
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
            let name = visible(name);
            console.line(format!("  {name}  ({place})"))?;
        }
        for broken in &self.near_broken {
            let name = visible(&broken.name);
            let place = console.path(&broken.location);
            console.line(format!("  {name}  ({place}, does not load)"))?;
        }
        Ok(())
    }

    /// Ends with the command that goes on from here.
    fn print_next_step(&self, snapshot: &Snapshot, console: &mut Console) -> io::Result<()> {
        let name = quoted(self.name);
        if let Some(folder) = self.too_deep.first() {
            let root = folder.parent().and_then(Path::parent).unwrap_or(folder);
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
        if !self.beyond_bound.is_empty() {
            console.line("move what is no skill out of the root, then look again:")?;
            return say_command(&about("why", self.name, ""), console);
        }
        let of_broken = self.near_broken.iter().map(|broken| &broken.name);
        if let Some(near) = self.near.iter().chain(of_broken).next() {
            console.line("if you mean that one:")?;
            return say_command(&about("why", near, ""), console);
        }
        if self.fault.is_some() {
            console.line("mend what is said of the store, then look again:")?;
            return say_command(&about("why", self.name, ""), console);
        }
        // Nobody can tell whether it is gone.
        let is_unsure = self.may_be_in_a_folder() && snapshot.root_faults().next().is_some();
        if !self.decisions.is_empty() && is_unsure {
            console.line("mend what is said of the roots, then look again:")?;
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
        let root = &looked_at.root;
        let what = match looked_at.outcome {
            RootOutcome::Missing => "  (not there)".to_owned(),
            RootOutcome::SameFolder => "  (the same folder as an earlier one)".to_owned(),
            RootOutcome::Refused | RootOutcome::Listed => {
                let faults = faults_of(root, snapshot).into_iter();
                let told = faults.map(|found| format!("  ({})", cell(&found.message)));
                told.collect::<Vec<_>>().concat()
            }
        };
        console.line(format!("  {}{what}", console.path(&root.path)))?;
    }
    Ok(())
}

/// Says which roots may hold the name unseen.
fn print_unread(snapshot: &Snapshot, console: &mut Console) -> io::Result<()> {
    let faults: Vec<&Diagnostic> = snapshot.root_faults().collect();
    if faults.is_empty() {
        return Ok(());
    }
    console.line("")?;
    console.line("not read, or not read whole:")?;
    for found in faults {
        print_finding(found, console)?;
    }
    Ok(())
}
