//! Help texts: one line that says it, whole sentences, examples that work.

use crate::sandbox::Sandbox;

/// Commands so plain that their long help has no examples.
const WITHOUT_EXAMPLES: [&str; 3] = ["tool", "resources", "man"];

fn commands(sandbox: &Sandbox) -> Vec<String> {
    let help = sandbox.run(["-h"]).success().stdout;
    let listed = help
        .split("Commands:\n")
        .nth(1)
        .unwrap()
        .split("\n\n")
        .next()
        .unwrap();
    let names = listed
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    let names: Vec<String> = names.map(str::to_owned).collect();
    assert!(names.len() >= 16, "{names:?}");
    names
}

pub(crate) fn examples(help: &str) -> Vec<String> {
    let Some((_, examples)) = help.split_once("\nExamples:\n") else {
        return Vec::new();
    };
    examples
        .lines()
        .map_while(|line| line.strip_prefix("  "))
        // What the example does stands two blanks away.
        .map(|line| line.split("  ").next().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn every_help_begins_with_one_short_line_and_short_and_long_agree() {
    let sandbox = Sandbox::new();

    for command in commands(&sandbox) {
        let short = sandbox.run([&command, "-h"]).success();
        let long = sandbox.run([&command, "--help"]).success();

        let first = short.stdout.lines().next().unwrap().to_owned();
        assert!(first.chars().count() < 60, "{command}: {first}");
        assert!(!first.ends_with('.'), "{command}: {first}");
        assert!(
            first.starts_with(|c: char| c.is_ascii_uppercase()),
            "{command}: {first}"
        );
        assert_eq!(long.stdout.lines().next(), Some(&*first), "{command}");
        long.lacks(&["TODO", "FIXME", "Bool", "\t"]);
    }
}

#[test]
fn every_long_help_ends_with_examples_that_are_right_usage() {
    let sandbox = Sandbox::new()
        .file(
            "home/.agents/skills/pdf-processing/SKILL.md",
            format!(
                "---\nname: pdf-processing\ndescription: x\n---\n{}",
                "Long. ".repeat(9_000)
            ),
        )
        .home_skill("pdf", "Reads PDF files, too.")
        .project_skill("release-notes", "Writes release notes.")
        .home_skill("review", "Reviews changes.")
        .home_skill("db-backup", "Backs up.")
        .file(
            "home/.agents/skills/pdf-processing/references/REFERENCE.md",
            "Facts.\n",
        )
        .skill("home/.claude/skills", "review", "Reviews, too.")
        .file("project/PATH/meta.json", "{}")
        .file(
            "project/house-style.md",
            "---\nname: house-style\n---\nShort sentences.\n",
        )
        .file(
            "home/.codeaf/v3/projects/-p/0123456789abcdef/meta.json",
            "{}",
        );
    sandbox.run(["on", "pdf-processing", "--global"]).success();
    let mut helps = vec![String::new()];
    helps.extend(commands(&sandbox));

    for command in helps {
        let help = sandbox
            .shell(&format!("codeaf-skills {command} --help"))
            .success()
            .stdout;
        let examples = examples(&help);
        assert_eq!(
            examples.is_empty(),
            WITHOUT_EXAMPLES.contains(&&*command),
            "{command}: {help}"
        );
        for example in examples {
            // Words of other shells; the completions have tests of their own.
            if example.ends_with("| source") || example.contains("completions zsh") {
                continue;
            }
            // These go on until they are stopped, or ask a model; they have tests
            // of their own, too.
            if example.contains("--http") || command == "chat" {
                continue;
            }
            // What is made must not be there already.
            let empty = Sandbox::new();
            let is_new = example.contains(" new ");
            (if is_new { &empty } else { &sandbox })
                .shell(&example)
                .success();
        }
    }
}

#[test]
fn the_program_says_what_its_exit_status_means() {
    let help = Sandbox::new().run(["--help"]).success();

    help.has(&["Exit status:", "0  ", "1  ", "2  "]);
}

#[test]
fn every_command_has_a_page_of_the_manual() {
    let sandbox = Sandbox::new();

    for command in commands(&sandbox) {
        sandbox
            .run(["man", &command])
            .success()
            .has(&[".SH NAME", ".SH SYNOPSIS"]);
    }
}
