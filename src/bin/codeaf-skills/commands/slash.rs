//! `commands`: every skill as a slash command.

use codeaf_skills::{Env, SlashCommand};
use serde::Serialize;

use super::{DONE, Status, description_cell, load};
use crate::args::Commands;
use crate::failure::Failure;
use crate::render::{Console, Rows, cell};

pub(super) fn run(args: &Commands, env: &Env, console: &mut Console) -> Result<Status, Failure> {
    let snapshot = load(env, console)?;
    let reserved: Vec<&str> = args
        .reserved
        .iter()
        .map(|name| name.trim().trim_start_matches('/'))
        .collect();
    let commands = snapshot.commands(&reserved).catalog();
    if console.json {
        console.json(&Document {
            version: 1,
            commands: &commands,
        })?;
        return Ok(DONE);
    }
    let mut rows = Rows::new(&["COMMAND", "SOURCE", "DESCRIPTION"]);
    for command in &commands {
        let note = if command.reserved {
            "(a built-in command has its name) "
        } else {
            ""
        };
        let hint = command
            .arguments
            .as_deref()
            .map(|hint| format!(" {}", cell(hint)));
        rows.push([
            command.command.clone() + &hint.unwrap_or_default(),
            command.source.to_string(),
            format!("{note}{}", description_cell(&command.description)),
        ]);
    }
    if rows.is_empty() {
        console.note(match snapshot.owners().next() {
            Some(_) => "note: --allowed-skills allows none of the skills here",
            None => "note: no skill was found; `codeaf-skills list -v` shows where it was looked",
        });
        return Ok(DONE);
    }
    for line in rows.lines(console.width) {
        console.line(line)?;
    }
    Ok(DONE)
}

#[derive(Serialize)]
struct Document<'a> {
    version: u8,
    commands: &'a [SlashCommand],
}
