//! The files that others' CI reads: each is read here as it is there, and the
//! command that it names is run.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use serde_yaml::Value;

use crate::sandbox::{Output, Sandbox};

fn of_the_package(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn yaml(path: &str) -> Value {
    let text = fs::read_to_string(of_the_package(path)).unwrap();
    serde_yaml::from_str(&text).unwrap()
}

#[track_caller]
fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    let text = value.get(key).and_then(Value::as_str);
    text.unwrap_or_else(|| panic!("no text `{key}` in {value:?}"))
}

/// A project with one good skill and one that has no description.
fn project() -> Sandbox {
    Sandbox::new()
        .project_skill(
            "good-kit",
            "Formats tables. Use when the user asks for a table.",
        )
        .file(
            "project/.agents/skills/bad-kit/SKILL.md",
            "---\nname: bad-kit\n---\nBody.\n",
        )
}

const GOOD: &str = ".agents/skills/good-kit";
const BAD: &str = ".agents/skills/bad-kit";

/// The steps of the action.
fn steps() -> Vec<Value> {
    let action = yaml("action.yml");
    assert_eq!(text(&action["runs"], "using"), "composite");
    action["runs"]["steps"].as_sequence().unwrap().clone()
}

/// Runs the last step of the action, inputs put in as GitHub does.
fn run_action(sandbox: &Sandbox, inputs: &[(&str, &str)]) -> Output {
    let step = steps().pop().unwrap();
    let declared = yaml("action.yml")["inputs"].clone();
    let mut command = sandbox.command_of("/bin/bash");
    // How GitHub runs `shell: bash`.
    assert_eq!(text(&step, "shell"), "bash");
    command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c"]);
    command.arg(text(&step, "run"));
    for (variable, expression) in step["env"].as_mapping().unwrap() {
        let name = expression
            .as_str()
            .and_then(|expression| expression.strip_prefix("${{ inputs."))
            .and_then(|expression| expression.strip_suffix(" }}"))
            .unwrap();
        let given = inputs.iter().find(|(input, _)| *input == name);
        let value = given.map_or_else(|| text(&declared[name], "default"), |(_, value)| value);
        command.env(variable.as_str().unwrap(), value);
    }
    command.env("RUNNER_TEMP", sandbox.path("conv"));
    sandbox.output(command)
}

#[test]
fn the_action_annotates_what_is_wrong_in_the_workspace() {
    let sandbox = project();

    run_action(&sandbox, &[])
        .refused()
        .has(&["::error ", "bad-kit/SKILL.md", "description"])
        .lacks(&["good-kit"]);
}

#[test]
fn the_inputs_of_the_action_reach_the_command() {
    let sandbox = project();

    run_action(&sandbox, &[("paths", GOOD)]).success();
    run_action(&sandbox, &[("paths", &format!("{GOOD}\n{BAD}\n"))]).refused();
    run_action(&sandbox, &[("paths", GOOD), ("profile", "spec codeaf")]).success();
    run_action(&sandbox, &[("paths", BAD), ("format", "text")])
        .refused()
        .has(&["error["])
        .lacks(&["::error"]);
    sandbox.write(
        format!("project/{GOOD}/SKILL.md"),
        "---\nname: good-kit\ndescription: Formats tables. Use when the user asks for a table.\nmine: x\n---\nBody.\n",
    );
    run_action(&sandbox, &[("paths", GOOD)]).success();
    run_action(&sandbox, &[("paths", GOOD), ("strict", "true")]).refused();
}

#[test]
fn no_text_of_an_input_is_taken_for_script() {
    let sandbox = project();
    let evil = "$(touch made) `touch made`; touch made *";

    for input in ["paths", "profile", "strict", "format"] {
        run_action(&sandbox, &[(input, evil)]);
    }

    assert!(!sandbox.has("project/made"));
    for step in steps() {
        let run = step.get("run").and_then(Value::as_str).unwrap_or_default();
        assert!(!run.contains("${{"), "{run}");
    }
}

#[test]
fn the_action_builds_what_it_runs_and_keys_it_by_its_sources() {
    let steps = steps();
    let [version, cache, build, _] = &steps[..] else {
        panic!("{steps:?}");
    };
    let sandbox = Sandbox::new();
    let output = sandbox.path("output");
    let mut command = sandbox.command_of("/bin/bash");
    command
        .args(["--noprofile", "--norc", "-eo", "pipefail", "-c"])
        .arg(text(version, "run"))
        .env("GITHUB_ACTION_PATH", of_the_package(""))
        .env("GITHUB_OUTPUT", &output)
        .envs(std::env::vars_os().filter(|(name, _)| is_of_the_toolchain(name)));

    sandbox.output(command).success();

    let key = fs::read_to_string(output).unwrap();
    let hash = key.strip_prefix("key=").unwrap().split('-').next().unwrap();
    assert!(
        hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()),
        "{key}"
    );
    assert!(key.contains("-rust-1."), "{key}");
    assert!(text(cache, "uses").starts_with("actions/cache@v"));
    let kept = text(&cache["with"], "path");
    assert!(
        kept.contains("~/.cargo/registry") && kept.contains("/codeaf-skills"),
        "{kept}"
    );
    let build = text(build, "run");
    assert!(build.starts_with("cargo install --locked "), "{build}");
    assert!(build.contains("--path \"$GITHUB_ACTION_PATH\""), "{build}");
}

/// Without these, a toolchain that is not in the home is not found.
fn is_of_the_toolchain(variable: &OsStr) -> bool {
    ["HOME", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"]
        .iter()
        .any(|known| variable == *known)
}

/// The hook, and what it selects of the files that are given to it.
fn hook() -> Value {
    let hooks = yaml(".pre-commit-hooks.yaml");
    let hooks = hooks.as_sequence().unwrap();
    assert_eq!(hooks.len(), 1);
    hooks[0].clone()
}

#[test]
fn the_hook_runs_the_program_on_the_files_that_it_selects() {
    let sandbox = project();
    let hook = hook();
    assert_eq!(text(&hook, "id"), "codeaf-skills-check");
    assert_eq!(text(&hook, "language"), "rust");
    assert_eq!(hook["pass_filenames"], Value::from(true));
    let run = |files: &[&str]| {
        let mut words = text(&hook, "entry").split(' ');
        assert_eq!(words.next(), Some("codeaf-skills"));
        let files = files.iter().map(|folder| format!("{folder}/SKILL.md"));
        sandbox.run(words.map(str::to_owned).chain(files))
    };

    run(&[GOOD]).success();
    run(&[GOOD, BAD])
        .refused()
        .has(&["bad-kit/SKILL.md", "description"]);
}

#[test]
fn the_hook_selects_skill_files_and_misnamed_ones() {
    let hook = hook();
    let pattern = text(&hook, "files");
    let sandbox = Sandbox::new();

    for (path, is_selected) in [
        ("SKILL.md", true),
        ("skills/a/SKILL.md", true),
        ("skills/a/skill.md", true),
        ("skills/a/MY-SKILL.md", false),
        ("skills/a/SKILL.md.orig", false),
        ("skills/a/SKILLxmd", false),
        ("skills/a/README.md", false),
    ] {
        let script =
            format!("printf '%s\\n' '{path}' | grep -qE -e '{pattern}' && echo selected; true");
        let output = sandbox.shell(&script);
        assert_eq!(output.stdout == "selected\n", is_selected, "{path}");
    }
}
