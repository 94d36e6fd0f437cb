//! The program `codeaf-skills`: words in, library calls, answers out.
//!
//! Everything that is decided is decided in the library; here it is asked for
//! and printed. This file reads the process's surroundings and nothing else
//! does.

mod args;
mod commands;
mod complete;
mod failure;
#[cfg(feature = "mcp")]
mod mcp;
mod render;
mod report;

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::error::ErrorKind;
use codeaf_skills::personal::{self, BadStore, without_passwords};
use codeaf_skills::text::clean;
use codeaf_skills::{Allowed, Env, Secret, StoreChoice, StoreUrl};

use crate::args::{Cli, Color, Command, Globals};
use crate::failure::Failure;
use crate::render::{Console, Looks, Places, Verbosity};

fn main() -> ExitCode {
    let started = Instant::now();
    if complete::asked() {
        return complete::answer();
    }
    let mut console = Console::new(Color::Auto, asks_for_json(), looks());
    let cli = match parse() {
        Ok(cli) => cli,
        Err(error) => return wrong_usage(&error, &mut console),
    };
    console = Console::new(cli.globals.color, console.json, looks());
    console.set_verbosity(match (cli.globals.quiet, cli.globals.verbose) {
        (true, _) => Verbosity::Errors,
        (_, true) => Verbosity::Everything,
        _ => Verbosity::Notes,
    });
    let outcome = environment(&cli.globals).and_then(|(env, places)| {
        console.places = places;
        commands::run(&cli, &env, &mut console)
    });
    let outcome = outcome.map_err(|failure| naming_the_variable(failure, &cli.globals));
    let status = match outcome {
        Ok(status) => ExitCode::from(status),
        Err(failure) if is_closed_pipe(&failure) => return ExitCode::SUCCESS,
        Err(failure) if failure.code == "output" => return failure.report(&mut console),
        Err(failure) => failure.report(&mut console),
    };
    if console.is_verbose() && !matches!(cli.command, Command::IsOn(_)) {
        console.note(format!(
            "took {:.1} ms",
            started.elapsed().as_secs_f64() * 1e3
        ));
    }
    match console.finish() {
        Ok(()) => status,
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => Failure::from(error).report(&mut console),
    }
}

#[expect(clippy::disallowed_methods, reason = "here the words are read")]
fn parse() -> Result<Cli, clap::Error> {
    let words: Vec<_> = std::env::args_os().collect();
    Cli::read(&words)
}

/// Reads what the process was started with.
///
/// Relative paths of flags are taken from the folder that `-C` names, relative
/// paths of variables from the working folder.
#[expect(clippy::disallowed_methods, reason = "here the surroundings are read")]
fn environment(globals: &Globals) -> Result<(Env, Places), Failure> {
    let working_folder = std::env::current_dir().map_err(|error| {
        Failure::from_error("start", error)
            .context("cannot tell which the working folder is")
            .help("it may have been removed: change to another folder, or name one with -C")
    });
    let working_folder = match (&globals.start, working_folder) {
        (Some(start), Err(_)) if start.is_absolute() => PathBuf::from("/"),
        (_, found) => found?,
    };
    let mut env = environment_of(&working_folder);
    if let Some(start) = &globals.start {
        env.start = working_folder.join(start).canonicalize().map_err(|error| {
            Failure::from_error("start", error)
                .context(format!("cannot start in {}", start.display()))
        })?;
        if !env.start.is_dir() {
            return Err(Failure::new(
                "start",
                format!("cannot start in {}: it is not a folder", start.display()),
            ));
        }
    }
    if let Some(conversation) = &globals.conversation {
        env.conversation = Some(conversation.clone());
    }
    // Roots of the variable are absolute already.
    env.given_roots
        .splice(0..0, globals.skills_dirs.iter().cloned());
    env.folders.clone_from(&globals.folders);
    env.ignore_project_on = globals.ignore_project_on;
    env.allowed = globals
        .allowed_skills
        .as_deref()
        .map_or(Allowed::All, Allowed::parse);
    env.require_store = globals.require_store;
    if let Some(url) = &globals.store {
        check_store(url, &env)?;
        env.store = Some(StoreChoice::Url(Secret(url.clone())));
    }
    let places = Places {
        working_folder: env.start.clone(),
        shell_folder: working_folder,
        home: env.login_home.clone(),
        flags: place_flags(globals),
        lacks_password: globals
            .store
            .as_ref()
            .is_some_and(|url| without_passwords(url) != *url),
        conversation: globals.conversation.clone(),
    };
    Ok((env, places))
}

/// Refuses a `--store` that names none. Nothing is opened.
fn check_store(url: &str, env: &Env) -> Result<(), Failure> {
    let named = StoreUrl::parse(url, env).and_then(|url| personal::open(&url, env));
    match named {
        // What is wrong there is not what was typed.
        Ok(_) | Err(BadStore::Roots { .. } | BadStore::NotBuiltIn { .. }) => Ok(()),
        Err(error) => Err(Failure::usage(error)
            .help("write --store sqlite:PATH or --store postgres://USER@HOST/DATABASE")),
    }
}

/// A conversation that nobody typed comes from the variable.
fn naming_the_variable(failure: Failure, globals: &Globals) -> Failure {
    match &failure.help {
        Some(help)
            if globals.conversation.is_none() && failure.code.starts_with("conversation-") =>
        {
            let help = format!("the variable CODEAF_CONVERSATION names it: unset it, or {help}");
            failure.help(help)
        }
        _ => failure,
    }
}

/// Returns the flags that say where to look, as they were typed.
fn place_flags(globals: &Globals) -> Vec<String> {
    let start = globals.start.iter().map(|path| ("-C", path));
    let folders = globals.folders.iter().map(|path| ("--folder", path));
    let roots = globals
        .skills_dirs
        .iter()
        .map(|path| ("--skills-dir", path));
    let places = start.chain(folders).chain(roots);
    let store = globals.store.iter();
    let store = store.flat_map(|url| ["--store".to_owned(), without_passwords(url)]);
    places
        .flat_map(|(flag, path)| [flag.to_owned(), path.to_string_lossy().into_owned()])
        .chain(store)
        .chain(
            globals
                .ignore_project_on
                .then(|| "--ignore-project-on".to_owned()),
        )
        .collect()
}

/// Reads the variables of the process.
#[expect(clippy::disallowed_methods, reason = "here the surroundings are read")]
pub(crate) fn environment_of(working_folder: &Path) -> Env {
    Env::from_variables(
        working_folder,
        |name| std::env::var_os(name),
        dirs::home_dir,
    )
}

/// Bytes that are read of the accounts of a machine.
const ACCOUNTS_BYTES: u64 = 1_048_576;

/// Returns who runs the program: the name of the account, or its number where
/// the machine's own list does not have it, as with accounts of a directory
/// service and those of people on macOS. A variable could say any name.
pub(crate) fn user() -> String {
    let user = rustix::process::getuid().as_raw();
    let accounts = File::open("/etc/passwd").map(|file| BufReader::new(file.take(ACCOUNTS_BYTES)));
    let name = accounts.ok().and_then(|accounts| account(accounts, user));
    name.unwrap_or_else(|| format!("uid {user}"))
}

/// Returns the name of `user` among accounts, a line each.
fn account(accounts: impl BufRead, user: u32) -> Option<String> {
    accounts
        .split(b'\n')
        .map_while(Result::ok)
        .find_map(|line| {
            let line = String::from_utf8_lossy(&line);
            let mut fields = line.split(':');
            let name = fields.next()?;
            (fields.nth(1)?.parse() == Ok(user)).then(|| name.to_owned())
        })
}

/// What the variables say of a model's server.
#[cfg(feature = "chat")]
pub(crate) struct ModelVariables {
    pub(crate) base_url: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) key: Option<String>,
}

/// Reads them; one that is empty, or is not text, says nothing.
#[cfg(feature = "chat")]
#[expect(clippy::disallowed_methods, reason = "here the surroundings are read")]
pub(crate) fn model_variables() -> ModelVariables {
    let filled = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    ModelVariables {
        base_url: filled("OPENAI_BASE_URL"),
        model: filled("OPENAI_MODEL"),
        key: filled("OPENAI_API_KEY"),
    }
}

#[expect(clippy::disallowed_methods, reason = "here the surroundings are read")]
fn looks() -> Looks {
    Looks {
        no_color: std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()),
        columns: std::env::var("COLUMNS")
            .ok()
            .and_then(|columns| columns.parse().ok()),
    }
}

/// Whether failures must be JSON, known before the words are understood.
#[expect(clippy::disallowed_methods, reason = "here the surroundings are read")]
fn asks_for_json() -> bool {
    let words = std::env::args_os().skip(1).take_while(|word| word != "--");
    let words: Vec<_> = words.collect();
    words
        .iter()
        .any(|word| word == "--json" || word == "--format=json")
        || words
            .windows(2)
            .any(|pair| pair[0] == "--format" && pair[1] == "json")
}

fn wrong_usage(error: &clap::Error, console: &mut Console) -> ExitCode {
    let is_answer = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    );
    if console.json && !is_answer {
        let text = without_passwords(&error.to_string());
        let mut parts = text.trim().splitn(2, "\n\n");
        let message = parts
            .next()
            .unwrap_or_default()
            .trim_start_matches("error: ")
            .to_owned();
        let help = parts
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        return Failure::usage(message).help(help).report(console);
    }
    if !is_answer {
        // It quotes what was typed, which must not act on the terminal.
        let text = without_passwords(&error.render().to_string());
        console.usage(&clean(&text));
        return ExitCode::from(2);
    }
    match error.print() {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Failure::from(error).report(console)
        }
        _ => ExitCode::SUCCESS,
    }
}

fn is_closed_pipe(failure: &Failure) -> bool {
    failure
        .error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
        && failure.code == "output"
}

#[cfg(test)]
mod tests {
    use super::account;

    #[test]
    fn an_account_is_found_by_its_number_whatever_other_lines_hold() {
        let accounts: &[u8] =
            b"root:x:0:0:root:/root:/bin/sh\n\n+::::\nod\xff:x:1:1:::\nann:x:7:7:::";

        assert_eq!(account(accounts, 0).as_deref(), Some("root"));
        assert_eq!(account(accounts, 7).as_deref(), Some("ann"));
        assert_eq!(account(accounts, 8), None);
    }
}
