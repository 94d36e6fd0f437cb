//! `man` and `completions`: what is generated from the words of the command
//! line and shipped with the program.

use super::{DONE, Status};
use crate::args::{Completions, Man};
use crate::complete;
use crate::failure::Failure;
use crate::render::{Console, cell};

macro_rules! pages {
    ($($name:literal,)+) => {
        /// Every page under `man/`, by name.
        const PAGES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../../man/", $name, ".1")))),+];
    };
}

pages![
    "codeaf-skills",
    "codeaf-skills-chat",
    "codeaf-skills-check",
    "codeaf-skills-clear",
    "codeaf-skills-commands",
    "codeaf-skills-completions",
    "codeaf-skills-is-on",
    "codeaf-skills-list",
    "codeaf-skills-man",
    "codeaf-skills-manual",
    "codeaf-skills-mcp",
    "codeaf-skills-new",
    "codeaf-skills-off",
    "codeaf-skills-on",
    "codeaf-skills-personal",
    "codeaf-skills-personal-add",
    "codeaf-skills-personal-admin",
    "codeaf-skills-personal-admin-list",
    "codeaf-skills-personal-admin-rm",
    "codeaf-skills-personal-admin-show",
    "codeaf-skills-personal-audit",
    "codeaf-skills-personal-export",
    "codeaf-skills-personal-init-team",
    "codeaf-skills-personal-list",
    "codeaf-skills-personal-replace",
    "codeaf-skills-personal-rm",
    "codeaf-skills-personal-show",
    "codeaf-skills-read",
    "codeaf-skills-render-catalog",
    "codeaf-skills-resources",
    "codeaf-skills-show",
    "codeaf-skills-tool",
    "codeaf-skills-use",
    "codeaf-skills-why",
];

pub(super) fn completions(args: &Completions, console: &mut Console) -> Result<Status, Failure> {
    console.write(complete::script(args.shell))?;
    Ok(DONE)
}

pub(super) fn man(args: &Man, console: &mut Console) -> Result<Status, Failure> {
    let wanted = match &args.command {
        None => "codeaf-skills".to_owned(),
        Some(command) => format!("codeaf-skills-{command}"),
    };
    let page = PAGES
        .iter()
        .find(|(name, _)| *name == wanted)
        .map(|(_, page)| page);
    let Some(page) = page else {
        let command = cell(args.command.as_deref().unwrap_or_default());
        return Err(Failure::new(
            "no-such-command",
            format!("there is no command `{command}`"),
        )
        .help("`codeaf-skills --help` lists the commands"));
    };
    console.write(page)?;
    Ok(DONE)
}

#[cfg(test)]
mod tests {
    //! What is generated and committed is what the code says. To write it anew:
    //! `UPDATE_GENERATED=1 cargo test generated`.

    use std::fs;
    use std::path::{Path, PathBuf};

    use clap::{CommandFactory, ValueEnum};
    use clap_complete::Shell;

    use super::*;
    use crate::args::Cli;

    fn folder(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
    }

    /// Whether what is committed is to be written anew.
    #[expect(
        clippy::disallowed_methods,
        reason = "a person asks for it in a run of the tests"
    )]
    fn updates() -> bool {
        std::env::var_os("UPDATE_GENERATED").is_some()
    }

    /// Compares the files of a folder with what they should be, or writes them.
    fn assert_generated(folder: &Path, files: &[(String, Vec<u8>)]) {
        if updates() {
            for entry in fs::read_dir(folder).unwrap() {
                fs::remove_file(entry.unwrap().path()).unwrap();
            }
            for (name, bytes) in files {
                fs::write(folder.join(name), bytes).unwrap();
            }
        }
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        let mut wanted: Vec<String> = files.iter().map(|(name, _)| name.clone()).collect();
        wanted.sort();
        assert_eq!(names, wanted, "run UPDATE_GENERATED=1 cargo test generated");
        for (name, bytes) in files {
            let found = fs::read(folder.join(name)).unwrap();
            assert!(
                found == *bytes,
                "{name}: run UPDATE_GENERATED=1 cargo test generated"
            );
        }
    }

    #[test]
    fn generated_man_pages_are_those_of_the_code() {
        let temporary = tempfile::tempdir().unwrap();
        clap_mangen::generate_to(Cli::command(), temporary.path()).unwrap();
        let mut pages: Vec<(String, Vec<u8>)> = fs::read_dir(temporary.path())
            .unwrap()
            .map(|entry| entry.unwrap())
            .map(|entry| {
                (
                    entry.file_name().into_string().unwrap(),
                    fs::read(entry.path()).unwrap(),
                )
            })
            .collect();
        let manual = "codeaf-skills-manual.1".to_owned();
        pages.push((manual, engine_manual().into_bytes()));
        pages.sort();

        assert_generated(&folder("man"), &pages);
        let mut shipped: Vec<String> = PAGES.iter().map(|(name, _)| format!("{name}.1")).collect();
        shipped.sort();
        let generated: Vec<String> = pages.into_iter().map(|(name, _)| name).collect();
        assert_eq!(shipped, generated, "pages![] in this file names every page");
    }

    /// Returns the pages of the engine's manual as one man page.
    fn engine_manual() -> String {
        let version = env!("CARGO_PKG_VERSION");
        let mut page = format!(
            ".TH codeaf\\-skills\\-manual 1 \"codeaf-skills {version}\"\n\
             .SH NAME\ncodeaf\\-skills\\-manual \\- what a chat with skills can do\n"
        );
        for part in codeaf_skills::engine::manual::PAGES {
            page += &[".SH \"", &roff(part.title()), "\"\n"].concat();
            let body = part.text.split_once("\n\n").map_or("", |(_, body)| body);
            for block in body.trim_end().split("\n\n") {
                let (before, after) = match block.strip_prefix("    ") {
                    Some(_) => (".nf\n", ".fi\n"),
                    None => ("", ""),
                };
                page += &[".PP\n", before, &roff(block), "\n", after].concat();
            }
        }
        page
    }

    /// Escapes what troff would act on.
    fn roff(text: &str) -> String {
        let escaped = text
            .replace('\\', "\\e")
            .replace('-', "\\-")
            .replace('`', "");
        let lines = escaped.lines().map(|line| match line.chars().next() {
            Some('.' | '\'') => format!("\\&{line}"),
            _ => line.to_owned(),
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn generated_completions_are_those_of_the_code() {
        let scripts: Vec<(String, Vec<u8>)> = Shell::value_variants()
            .iter()
            .map(|shell| (file_name(*shell).to_owned(), complete::script(*shell)))
            .collect();

        assert_generated(&folder("completions"), &scripts);
        assert!(scripts.iter().all(|(_, script)| !script.is_empty()));
    }

    #[test]
    fn generated_rules_of_the_readme_are_those_of_the_code() {
        use codeaf_skills::{Rule, check::rules::Record};
        const BEGIN: &str = "<!-- rules -->\n";
        const END: &str = "<!-- /rules -->";
        let row = |rule: &Rule| format!("| `{rule}` | {} |\n", Record::of(*rule).title);
        let rows: String = Rule::ALL.iter().map(row).collect();
        let table = format!("\n| rule | says |\n| --- | --- |\n{rows}\n");
        let path = folder("README.md");
        let page = fs::read_to_string(&path).unwrap();
        let (before, rest) = page.split_once(BEGIN).unwrap();
        let (found, after) = rest.split_once(END).unwrap();

        if updates() {
            let page = format!("{before}{BEGIN}{table}{END}{after}");
            fs::write(path, page).unwrap();
        } else {
            assert!(
                found == table,
                "run UPDATE_GENERATED=1 cargo test generated"
            );
        }
    }

    /// The names that package builders expect.
    fn file_name(shell: Shell) -> &'static str {
        match shell {
            Shell::Bash => "codeaf-skills.bash",
            Shell::Elvish => "codeaf-skills.elv",
            Shell::Fish => "codeaf-skills.fish",
            Shell::PowerShell => "_codeaf-skills.ps1",
            Shell::Zsh => "_codeaf-skills",
            _ => "codeaf-skills.other",
        }
    }

    #[test]
    fn the_words_of_the_command_line_hold_together() {
        Cli::command().debug_assert();
    }
}
