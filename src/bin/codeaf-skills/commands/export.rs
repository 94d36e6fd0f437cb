//! `personal export`: personal skills as folders, for programs that know no
//! store.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use codeaf_skills::personal::{Owner, PersonalStore};
use codeaf_skills::text::counted;
use serde_json::json;

use crate::failure::Failure;
use crate::render::Console;

pub(super) fn export(
    store: &dyn PersonalStore,
    dir: &Path,
    force: bool,
    console: &mut Console,
) -> Result<(), Failure> {
    let entries = store.list(Owner::Me)?;
    let folders: Vec<PathBuf> = entries.iter().map(|entry| dir.join(&entry.name)).collect();
    // All are looked at before any is written.
    for folder in &folders {
        may_write(folder, force, console)?;
    }
    let mut written = Vec::new();
    for (entry, folder) in entries.iter().zip(&folders) {
        // One that was removed meanwhile is none any more.
        let Some(text) = store.read(Owner::Me, &entry.name)? else {
            continue;
        };
        write(dir, folder, &text).map_err(|error| {
            Failure::from_error("skill-not-written", error)
                .context(format!("cannot write {}", console.path(folder)))
                .help("see who owns the folder, and whether the disk is full")
        })?;
        written.push(folder.join("SKILL.md"));
    }
    if console.json {
        let written: Vec<_> = written.iter().map(|file| file.to_string_lossy()).collect();
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

/// Refuses to write over what is there, and through a link even by force.
fn may_write(folder: &Path, force: bool, console: &Console) -> Result<(), Failure> {
    let exists = |path: &Path, help: &str| {
        let message = format!("{} is there already", console.path(path));
        Err(Failure::new("skill-exists", message).help(help))
    };
    let Ok(found) = folder.symlink_metadata() else {
        return Ok(());
    };
    if !force {
        return exists(folder, "`--force` puts the stored text into its SKILL.md");
    }
    let file = folder.join("SKILL.md");
    let is_other = |path: &Path| path.symlink_metadata().is_ok_and(|found| !found.is_file());
    if !found.is_dir() || is_other(&file) {
        return exists(
            folder,
            "it is no folder with a plain SKILL.md: move it away",
        );
    }
    Ok(())
}

/// Writes a skill so that no instant has half of it: a new folder is made under
/// another name first, and in one that is there the file alone is replaced.
fn write(dir: &Path, folder: &Path, text: &[u8]) -> io::Result<()> {
    fs::create_dir_all(dir)?;
    let scratch = dir.join(format!(".codeaf-skills-{}.tmp", std::process::id()));
    let file = scratch.join("SKILL.md");
    fs::create_dir(&scratch)?;
    let written = fs::File::create_new(&file)
        .and_then(|mut opened| {
            opened.write_all(text)?;
            opened.sync_all()
        })
        .and_then(|()| {
            if folder.is_dir() {
                fs::rename(&file, folder.join("SKILL.md"))
            } else {
                fs::rename(&scratch, folder)
            }
        });
    // What was not moved goes; the first error is the one to tell.
    let _ = fs::remove_file(&file);
    let _ = fs::remove_dir(&scratch);
    written
}
