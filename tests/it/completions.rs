//! The scripts in `completions/`, run by the shells that they are for. A shell
//! that is missing is passed over.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::sandbox::Sandbox;

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("completions")
        .join(name)
}

fn two_skills() -> Sandbox {
    Sandbox::new()
        .home_skill("pdf-forms", "Fills forms: all of them.")
        .home_skill("review", "Reviews changes.")
        .file("home/.codeaf/skills.json", "{\"on\": [\"gone\"]}")
        .file(
            "conv/meta.json",
            "{\"skills\": {\"on\": [\"gone\"], \"off\": [\"gone\"]}}",
        )
}

/// What each shell offers for a line; `None` where the shell is missing. The
/// word at the end is the one to complete.
type Offer = fn(&Sandbox, &[&str]) -> Option<Vec<String>>;

const SHELLS: [(&str, Offer); 3] = [("bash", bash), ("fish", fish), ("zsh", zsh)];

fn offered(sandbox: &Sandbox, shell: &str, program: &str) -> Option<Vec<String>> {
    let mut command = sandbox.command_of(shell);
    match shell {
        "bash" => command.args(["--norc", "--noprofile"]),
        "zsh" => command.arg("-f"),
        _ => command.arg("--no-config"),
    };
    if sandbox.command_of(shell).arg("--version").output().is_err() {
        return None;
    }
    command.args(["-c", program]);
    let output = sandbox.output(command).success();
    assert_eq!(output.stderr, "", "{shell}\n{output}");
    let mut lines: Vec<String> = output.stdout.lines().map(str::to_owned).collect();
    lines.retain(|line| !line.is_empty());
    Some(lines)
}

fn bash(sandbox: &Sandbox, words: &[&str]) -> Option<Vec<String>> {
    let line = words.join(" ");
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let program = format!(
        "source '{}'
         COMP_WORDS=({}) COMP_CWORD={} COMP_TYPE=9 COMP_LINE='{line}' COMP_POINT=${{#COMP_LINE}}
         name=$(complete -p codeaf-skills | sed 's/.*-F \\([^ ]*\\).*/\\1/')
         $name codeaf-skills \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        script("codeaf-skills.bash").display(),
        quoted.join(" "),
        words.len() - 1,
    );
    offered(sandbox, "bash", &program)
}

fn fish(sandbox: &Sandbox, words: &[&str]) -> Option<Vec<String>> {
    let program = format!(
        "source '{}'; complete -C '{}' | string split -f 1 \\t; true",
        script("codeaf-skills.fish").display(),
        words.join(" ")
    );
    offered(sandbox, "fish", &program)
}

fn zsh(sandbox: &Sandbox, words: &[&str]) -> Option<Vec<String>> {
    // `_describe` needs a line editor; what it would be given is printed here.
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let program = format!(
        "compdef() {{ completer=$1 }}
         _describe() {{ local list=$3; print -rl -- \"${{(@)${{(@P)list}}%%:*}}\" }}
         source '{}'
         words=({}) CURRENT={}
         $completer",
        script("_codeaf-skills").display(),
        quoted.join(" "),
        words.len(),
    );
    offered(sandbox, "zsh", &program)
}

#[test]
fn sourcing_a_script_prints_nothing() {
    let sandbox = two_skills();

    for (shell, before, file) in [
        ("bash", "", "codeaf-skills.bash"),
        ("fish", "", "codeaf-skills.fish"),
        (
            "zsh",
            "autoload -Uz compinit && compinit -D;",
            "_codeaf-skills",
        ),
    ] {
        let program = format!("{before} source '{}'", script(file).display());
        if let Some(lines) = offered(&sandbox, shell, &program) {
            assert!(lines.is_empty(), "{shell}: {lines:?}");
        }
    }
}

#[test]
fn every_shell_completes_skills_commands_and_flags() {
    let sandbox = two_skills();

    for (shell, offer) in SHELLS {
        for (words, wanted) in [
            (&["codeaf-skills", "li"][..], &["list"][..]),
            (&["codeaf-skills", "on", "pd"], &["pdf-forms"]),
            (&["codeaf-skills", "off", "re"], &["review"]),
            (&["codeaf-skills", "why", "pdf-"], &["pdf-forms"]),
            (&["codeaf-skills", "on", "pdf-forms", "re"], &["review"]),
            (&["codeaf-skills", "clear", "go"], &["gone"]),
            (&["codeaf-skills", "clear", "--global", "go"], &["gone"]),
            (&["codeaf-skills", "clear", "--project", "go"], &[]),
            (
                &["codeaf-skills", "--conversation", "../conv", "clear", "go"],
                &["gone"],
            ),
            (&["codeaf-skills", "on", "nothing-like-it"], &[]),
            (&["codeaf-skills", "read", "pdf-forms", "SK"], &["SKILL.md"]),
            (&["codeaf-skills", "list", "--br"], &["--broken"]),
            (&["codeaf-skills", "--color", "al"], &["always"]),
            (&["codeaf-skills", "man", "render"], &["render-catalog"]),
        ] {
            let Some(mut lines) = offer(&sandbox, words) else {
                break;
            };
            for line in &mut lines {
                line.truncate(line.trim_end().len());
            }
            assert_eq!(lines, wanted, "{shell}: {words:?}");
        }
    }
}

#[test]
fn a_name_that_would_act_on_the_terminal_is_not_offered_and_broken_scopes_print_nothing() {
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads.")
        .file(
            "home/.agents/skills/odd/SKILL.md",
            "---\nname: \"pd\\u202ef\"\ndescription: x\n---\n",
        )
        .file("home/.codeaf/skills.json", "{");

    for (shell, offer) in SHELLS {
        if let Some(lines) = offer(&sandbox, &["codeaf-skills", "on", "pd"]) {
            assert_eq!(lines.len(), 1, "{shell}: {lines:?}");
        }
    }
}

#[test]
fn an_answer_among_a_thousand_skills_comes_before_the_finger_leaves_the_key() {
    let mut sandbox = Sandbox::new();
    for number in 0..1_000 {
        sandbox = sandbox.home_skill(&format!("skill-{number:04}"), "Does one job for the shop.");
    }
    let mut command = sandbox.command(["--", "codeaf-skills", "on", "skill-09"]);
    command
        .env("CODEAF_SKILLS_COMPLETE", "bash")
        .env("_CLAP_COMPLETE_INDEX", "2")
        .env("_CLAP_IFS", "\n");
    let started = Instant::now();

    let output = sandbox.output(command).success();

    let took = started.elapsed();
    assert_eq!(output.stdout.lines().count(), 100, "{output}");
    assert!(took.as_millis() < 300, "an answer took {took:?}");
}

#[test]
fn what_a_shell_would_run_is_never_offered() {
    let sandbox = Sandbox::new()
        .file(
            "home/.agents/skills/a/SKILL.md",
            "---\nname: \"zq$(touch pwned)\"\ndescription: Runs.\n---\n",
        )
        .file(
            "home/.agents/skills/b/SKILL.md",
            "---\nname: \"zq;touch pwned\"\ndescription: Runs.\n---\n",
        )
        .home_skill("zq-plain", "Plain.");
    let mut command = sandbox.command(["--", "codeaf-skills", "on", "zq"]);
    command
        .env("CODEAF_SKILLS_COMPLETE", "bash")
        .env("_CLAP_COMPLETE_INDEX", "2")
        .env("_CLAP_IFS", "\n");

    let output = sandbox.output(command);

    assert_eq!(output.stdout.trim(), "zq-plain");
}
