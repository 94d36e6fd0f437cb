//! `personal`: the skills that the user keeps in a store.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use codeaf_skills::discovery::personal::store_of;
use codeaf_skills::name::is_kebab;
use codeaf_skills::personal::{
    self, Entry, ExportError, Owner, PersonalSkill, PersonalStore, TEAM_SQL,
};
use codeaf_skills::text::{clean, counted, one_line, path_text, size};
use codeaf_skills::{
    Env, Limits, Lookup, PersonalError, Snapshot, Source, StoreFault, split_qualified,
};
use serde::Serialize;
use serde_json::json;

use super::audit::audit;
use super::{DONE, Status, about, note_new, patiently, quoted, refuse_raw_json};
use crate::args::{AdminCommand, Personal, PersonalCommand};
use crate::failure::Failure;
use crate::render::{Console, Rows, cell};

/// Bytes that are read of what may be no skill: enough to tell its size, and an
/// end for what has none.
const MOST_READ: u64 = 16_777_216;

pub(super) fn run(args: &Personal, env: &Env, console: &mut Console) -> Result<Status, Failure> {
    answer(args, env, console).map_err(|failure| naming_the_store(failure, env))
}

/// Says which store gave no answer: its own words hold no path.
fn naming_the_store(failure: Failure, env: &Env) -> Failure {
    let is_of_store = matches!(failure.error.downcast_ref(), Some(PersonalError::Store(_)));
    match store_of(env) {
        Ok(Some(store)) if is_of_store => {
            failure.context(format!("cannot use the store {}", store.place()))
        }
        _ => failure,
    }
}

fn answer(args: &Personal, env: &Env, console: &mut Console) -> Result<Status, Failure> {
    let store = || store(env);
    // Only a change is recorded with who made it.
    let store_to_change = || {
        let user = Some(crate::user());
        self::store(&Env {
            user,
            ..env.clone()
        })
    };
    match &args.command {
        PersonalCommand::Add { file } => {
            let skill = parsed(file, env, console)?;
            let store = store_to_change()?;
            changing(env, console, || store.add(&skill))?;
            tell_change("added", &skill, true, &*store, console)?;
            tell_state(&skill.name, env, console);
        }
        PersonalCommand::Replace { name, file } => {
            let skill = parsed(file, env, console)?;
            let name = bare(name);
            let add = about("personal add", &file.to_string_lossy(), "");
            if skill.name != name {
                let is_missing = || Ok::<_, Failure>(store()?.read(Owner::Me, name)?.is_none());
                return Err(mismatch(
                    name,
                    skill.name,
                    &add,
                    is_missing().unwrap_or(false),
                ));
            }
            let store = store_to_change()?;
            let changed = changing(env, console, || store.replace(&skill));
            let changed = changed.map_err(|error| match error {
                PersonalError::NotFound { .. } => Failure::from(error)
                    .help(format!("`codeaf-skills {add}` puts it in as a new skill")),
                error => error.into(),
            })?;
            tell_change("replaced", &skill, changed, &*store, console)?;
        }
        PersonalCommand::List => list(&*store()?, Owner::Me, console)?,
        PersonalCommand::Show { name, raw } => {
            show(&*store()?, Owner::Me, name, *raw, env, console)?;
        }
        PersonalCommand::Rm { name } => {
            remove(&*store_to_change()?, Owner::Me, name, env, console)?;
        }
        PersonalCommand::Audit { name } => audit(&*store()?, name.as_deref().map(bare), console)?,
        PersonalCommand::Export { dir, force } => {
            export(&*store()?, &env.absolute(dir), *force, env, console)?;
        }
        PersonalCommand::Admin { user, command } => {
            let owner = Owner::User(user);
            match command {
                AdminCommand::List => list(&*store()?, owner, console)?,
                AdminCommand::Show { name, raw } => {
                    show(&*store()?, owner, name, *raw, env, console)?;
                }
                AdminCommand::Rm { name } => {
                    remove(&*store_to_change()?, owner, name, env, console)?;
                }
            }
        }
        PersonalCommand::InitTeam if console.json => {
            console.json(&json!({"version": 1, "sql": TEAM_SQL}))?;
        }
        PersonalCommand::InitTeam => console.write(TEAM_SQL)?,
    }
    Ok(DONE)
}

fn store(env: &Env) -> Result<Arc<dyn PersonalStore>, Failure> {
    store_of(env)?.ok_or_else(|| {
        Failure::new("store-unknown", "there is no store without a home folder")
            .help("name one with --store, or set HOME to an absolute path")
    })
}

/// Refuses a text that has another name than the skill it is to replace.
fn mismatch(name: &str, found: String, add: &str, is_missing: bool) -> Failure {
    let help = is_missing.then(|| {
        format!("there is no `{name}`; `codeaf-skills {add}` puts the text in as `{found}`")
    });
    let name = name.to_owned();
    let failure = Failure::from(PersonalError::NameMismatch { name, found });
    match help {
        Some(help) => failure.help(help),
        None => failure,
    }
}

/// Returns the name that a person means who may have written `personal/` first.
fn bare(name: &str) -> &str {
    match split_qualified(name) {
        (Some(Source::Personal), bare) => bare,
        _ => name,
    }
}

/// Reads a file, or standard input for `-`, as a personal skill.
fn parsed(file: &Path, env: &Env, console: &Console) -> Result<PersonalSkill, Failure> {
    let is_input = file == Path::new("-");
    let place = if is_input {
        "standard input".into()
    } else {
        env.absolute(file)
    };
    let failed = |error: io::Error| {
        Failure::from_error("file-not-read", error)
            .context(format!("cannot read {}", console.path(&place)))
            .help("name a file that can be read, or `-` for standard input")
    };
    let mut text = Vec::new();
    let mut size = None;
    if is_input {
        io::stdin()
            .lock()
            .take(MOST_READ)
            .read_to_end(&mut text)
            .map_err(failed)?;
    } else {
        let opened = File::open(&place).map_err(failed)?;
        let found = opened.metadata().map_err(failed)?;
        size = found.is_file().then_some(found.len());
        opened
            .take(MOST_READ)
            .read_to_end(&mut text)
            .map_err(failed)?;
    }
    let read = text.len() as u64;
    let most = Limits::PERSONAL_TEXT_BYTES as u64;
    if size.unwrap_or(read).max(read) > most {
        let size = size.or((read < MOST_READ).then_some(read));
        return Err(PersonalError::TooLarge { size, most }.into());
    }
    Ok(personal::read(&text, &place, &env.limits)?)
}

/// Makes a change, which the store lets wait longer than a question.
fn changing<T: Send>(env: &Env, console: &mut Console, change: impl FnOnce() -> T + Send) -> T {
    patiently("the store", &env.limits, console, change)
}

fn tell_change(
    done: &str,
    skill: &PersonalSkill,
    changed: bool,
    store: &dyn PersonalStore,
    console: &mut Console,
) -> Result<(), Failure> {
    if console.json {
        console.json(&json!({
            "version": 1,
            "name": skill.name,
            "size": skill.text.len(),
            "changed": changed,
            "store": store.place(),
        }))?;
    } else if changed {
        let size = size(skill.text.len() as u64);
        console.line(format!("{done} {} ({size})", skill.name))?;
    } else {
        console.line(format!("{} is the same already", skill.name))?;
    }
    if changed {
        tell_written(store, console);
    }
    Ok(())
}

fn tell_written(store: &dyn PersonalStore, console: &mut Console) {
    let place = console.path(Path::new(store.place()));
    console.note(format!("wrote {place}"));
}

/// Says what a new skill is called, and how it is turned on.
fn tell_state(name: &str, env: &Env, console: &mut Console) {
    // It is stored whatever is wrong with other places.
    let Ok(snapshot) = Snapshot::load(env) else {
        return;
    };
    let qualified = Source::Personal.qualify(name);
    let Lookup::Found(skill) = snapshot.lookup(&qualified) else {
        return;
    };
    let alias = snapshot.alias(skill).into_owned();
    if alias != name {
        console.note(format!(
            "note: a folder holds a skill of this name too; this one is called {alias}"
        ));
    }
    if !snapshot.resolution(skill).is_on() {
        note_new(skill, &snapshot, console);
    }
}

/// A skill in JSON.
#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    description: &'a str,
    size: u64,
    updated: &'a str,
}

impl<'a> From<&'a Entry> for Listed<'a> {
    fn from(entry: &'a Entry) -> Self {
        Self {
            name: &entry.name,
            description: &entry.description,
            size: entry.size,
            updated: &entry.updated,
        }
    }
}

fn list(store: &dyn PersonalStore, owner: Owner<'_>, console: &mut Console) -> Result<(), Failure> {
    let entries = store.list(owner)?;
    if console.json {
        let skills: Vec<Listed<'_>> = entries.iter().map(Listed::from).collect();
        console.json(&json!({"version": 1, "store": store.place(), "skills": skills}))?;
        return Ok(());
    }
    if entries.is_empty() {
        console.note("note: there are no personal skills here");
        return Ok(());
    }
    let mut rows = Rows::new(&["NAME", "SIZE", "CHANGED", "DESCRIPTION"]);
    for entry in &entries {
        rows.push([
            cell(&entry.name),
            size(entry.size),
            cell(&entry.updated),
            one_line(&entry.description).into_owned(),
        ]);
    }
    for line in rows.lines(console.width) {
        console.line(line)?;
    }
    Ok(())
}

fn show(
    store: &dyn PersonalStore,
    owner: Owner<'_>,
    name: &str,
    raw: bool,
    env: &Env,
    console: &mut Console,
) -> Result<(), Failure> {
    refuse_raw_json(raw, console)?;
    let name = bare(name);
    let text = found(store, owner, name).map_err(|error| missed(error, owner))?;
    if raw {
        console.write(clean(&String::from_utf8_lossy(&text)).as_ref())?;
        return Ok(());
    }
    let place = Source::Personal.qualify(name);
    let skill = personal::read(&text, Path::new(&place), &env.limits)?;
    let instructions = String::from_utf8_lossy(&skill.body);
    if console.json {
        console.json(&json!({
            "version": 1,
            "name": skill.name,
            "description": skill.description,
            "size": text.len(),
            "store": store.place(),
            "instructions": instructions,
            "content": String::from_utf8_lossy(&text),
        }))?;
        return Ok(());
    }
    console.line(format!("name         {}", cell(&skill.name)))?;
    console.line(format!("description  {}", one_line(&skill.description)).trim_end())?;
    console.line(format!("size         {}", size(text.len() as u64)))?;
    let place = console.path(Path::new(store.place()));
    console.line(format!("store        {place}"))?;
    console.line("")?;
    console.line(clean(&instructions))?;
    Ok(())
}

/// Returns the text of a skill. What cannot be a name is asked of no store.
fn found(
    store: &dyn PersonalStore,
    owner: Owner<'_>,
    name: &str,
) -> Result<Vec<u8>, PersonalError> {
    let not_found = || PersonalError::NotFound {
        name: name.to_owned(),
    };
    if !is_kebab(name) {
        return Err(not_found());
    }
    store.read(owner, name)?.ok_or_else(not_found)
}

/// Says where to look for a skill that another user does not have.
fn missed(error: PersonalError, owner: Owner<'_>) -> Failure {
    match (&error, owner) {
        (PersonalError::NotFound { .. }, Owner::User(user)) => {
            let user = quoted(user);
            let help = format!(
                "`codeaf-skills personal admin --user {user} list` shows which there are, to administrators"
            );
            Failure::from(error).help(help)
        }
        _ => error.into(),
    }
}

fn remove(
    store: &dyn PersonalStore,
    owner: Owner<'_>,
    name: &str,
    env: &Env,
    console: &mut Console,
) -> Result<(), Failure> {
    let name = bare(name);
    if !is_kebab(name) {
        let name = name.to_owned();
        return Err(missed(PersonalError::NotFound { name }, owner));
    }
    changing(env, console, || store.remove(owner, name)).map_err(|error| missed(error, owner))?;
    if console.json {
        console.json(&json!({"version": 1, "name": name, "store": store.place()}))?;
    } else {
        console.line(format!("removed {name}"))?;
    }
    tell_written(store, console);
    Ok(())
}

fn export(
    store: &dyn PersonalStore,
    dir: &Path,
    force: bool,
    env: &Env,
    console: &mut Console,
) -> Result<(), Failure> {
    let written = personal::export(store, dir, force, &env.limits)?;
    if console.json {
        let written: Vec<_> = written.iter().map(|file| path_text(file)).collect();
        console.json(&json!({"version": 1, "written": written}))?;
        return Ok(());
    }
    for file in &written {
        console.line(console.path(file))?;
    }
    if written.is_empty() {
        console.note("note: there are no personal skills here");
    } else {
        let count = counted(written.len(), "skill");
        console.note(format!("wrote {count} to {}", console.path(dir)));
    }
    Ok(())
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        if let ExportError::Store(fault) = error {
            return fault.into();
        }
        let help = error.help();
        Self {
            help,
            ..Self::from_error(error.code(), error)
        }
    }
}

impl From<PersonalError> for Failure {
    fn from(error: PersonalError) -> Self {
        let help = error.help();
        Self {
            help,
            ..Self::from_error(error.code(), error)
        }
    }
}

impl From<StoreFault> for Failure {
    fn from(fault: StoreFault) -> Self {
        PersonalError::from(fault).into()
    }
}
