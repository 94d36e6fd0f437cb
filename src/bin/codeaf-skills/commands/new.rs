//! `new`: a starter folder.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use codeaf_skills::name::{SPEC_NAME_CHARACTERS, is_spec_name};
use codeaf_skills::{Env, Project, Snapshot};

use super::{DONE, Status, note_new};
use crate::args::New;
use crate::failure::Failure;
use crate::render::{Console, cell};

/// The root that every profile reads.
const COMMON_ROOT: &str = ".agents/skills";

pub(super) fn run(args: &New, env: &Env, console: &mut Console) -> Result<Status, Failure> {
    if !is_spec_name(&args.name) {
        return Err(Failure::new("name-invalid", format!("`{}` cannot be the name of a new skill", cell(&args.name)))
            .help(format!(
                "a name has 1 to {SPEC_NAME_CHARACTERS} characters: a-z, 0-9 and single hyphens inside, such as pdf-processing"
            )));
    }
    let parent = parent(args, env)?;
    let folder = parent.join(&args.name);
    if args.project {
        stays_in_project(&parent, env, console)?;
    }
    let file = folder.join("SKILL.md");
    make(&folder, &file, &args.name).map_err(|error| {
        let exists = error.kind() == io::ErrorKind::AlreadyExists;
        let failure = Failure::from_error("skill-not-made", error)
            .context(format!("cannot make {}", console.path(&folder)));
        if exists {
            failure.help("choose another name, or edit what is there")
        } else {
            failure
        }
    })?;
    if console.json {
        console.json(&serde_json::json!({
            "version": 1,
            "name": args.name,
            "location": file.to_string_lossy(),
        }))?;
    } else {
        console.line(console.path(&file))?;
    }
    // It is made, whatever is wrong elsewhere.
    if let Ok(snapshot) = Snapshot::load(env) {
        tell_state(&folder, &snapshot, console);
    }
    Ok(DONE)
}

/// Says what holds for the new skill: scopes may name it already.
fn tell_state(folder: &Path, snapshot: &Snapshot, console: &mut Console) {
    let Some(skill) = snapshot.at_path(folder) else {
        return console.note(format!(
            "note: nothing looks for skills in this folder; move it under {COMMON_ROOT}"
        ));
    };
    if console.json {
        return;
    }
    match &skill.shadowed_by {
        Some(owner) => console.note(format!("note: it is shadowed by {}", console.path(owner))),
        None => note_new(skill, snapshot, console),
    }
}

fn parent(args: &New, env: &Env) -> Result<PathBuf, Failure> {
    let base = match (args.project, args.global) {
        (true, _) => Project::find(env)
            .map(|project| project.folder)
            .ok_or_else(|| {
                Failure::new("home-is-no-project", "the home folder is never a project")
                    .help("use --global")
            })?,
        (_, true) => env.home.clone().ok_or_else(|| {
            Failure::new("no-home", "there is no home folder")
                .help("set HOME to an absolute path, or CODEAF_HOME")
        })?,
        _ => return Ok(env.start.clone()),
    };
    Ok(base.join(COMMON_ROOT))
}

/// Refuses to make anything behind a link that a repository leads out of itself.
fn stays_in_project(parent: &Path, env: &Env, console: &Console) -> Result<(), Failure> {
    let Some(project) = Project::find(env) else {
        return Ok(());
    };
    let existing = parent.ancestors().find_map(|part| part.canonicalize().ok());
    let within = project.folder.canonicalize().unwrap_or(project.folder);
    match existing {
        Some(real) if !real.starts_with(&within) => Err(Failure::new(
            "link-leaves",
            format!(
                "{} leads to {}, outside the project",
                console.path(parent),
                real.display()
            ),
        )
        .help("replace the link with a folder, or use --global")),
        _ => Ok(()),
    }
}

/// Makes the folder and the file; neither may be there already.
fn make(folder: &Path, file: &Path, name: &str) -> io::Result<()> {
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::create_dir(folder)?;
    let written = fs::File::create_new(file)
        .and_then(|mut opened| opened.write_all(starter(name).as_bytes()));
    if written.is_err() {
        // Nothing half-made stays behind; the first error is the one to tell.
        let _ = fs::remove_file(file);
        let _ = fs::remove_dir(folder);
    }
    written
}

fn starter(name: &str) -> String {
    let title = title(name);
    format!(
        "---
name: {name}
description: >-
  Says what the skill does, in one sentence. Use when the user asks for it, and
  name the words they would use.
---
# {title}

Write here what the agent must know that it does not know already.

## Steps

1. Say what to look at first.
2. Say what to do, with one example of good work.
3. Say how to tell that it is done.

Put long reference texts into `references/` and programs into `scripts/`, and say
here when to open which.
"
    )
}

fn title(name: &str) -> String {
    let words = name.replace('-', " ");
    let mut letters = words.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}
