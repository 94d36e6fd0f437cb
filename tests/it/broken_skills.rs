//! The fixtures of skills that do not load, and of those that load with a
//! finding.

use std::fs;
use std::path::Path;

use crate::sandbox::Sandbox;

fn fixtures(kind: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/broken")
        .join(kind)
}

fn folders(kind: &str) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(fixtures(kind))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(!names.is_empty());
    names
}

/// Runs `why` on every folder with the fixtures as the working folder.
fn why_of(kind: &str, status: i32) -> Vec<(String, crate::sandbox::Output)> {
    let sandbox = Sandbox::new();
    folders(kind)
        .into_iter()
        .map(|name| {
            let mut command = sandbox.command(["--skills-dir", ".", "why", &name]);
            command.current_dir(fixtures(kind));
            let output = sandbox.output(command).exits(status);
            (name, output)
        })
        .collect()
}

#[test]
fn why_of_what_does_not_load_names_the_file_and_the_fault_and_ends_with_a_command() {
    for (name, output) in why_of("does-not-load", 1) {
        let file = if name == "lower-case-file" {
            "skill.md"
        } else {
            "SKILL.md"
        };
        let place = format!("  {name}/{file}:");
        assert!(output.stdout.contains(&place), "{name}\n{output}");
        assert!(output.stdout.contains(": error["), "{name}\n{output}");
        assert!(
            output.stdout.contains("\n    help: "),
            "{name} has no help\n{output}"
        );
        let last = output.stdout.lines().last().unwrap();
        let is_command = last.starts_with("  codeaf-skills ") || last.starts_with("  mv ");
        assert!(is_command, "{name}\n{output}");
        assert_eq!(output.stderr, "", "{name}");
    }
}

#[test]
fn what_loads_with_a_finding_is_listed_with_it() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(["--skills-dir", ".", "list", "--json"]);
    command.current_dir(fixtures("loads"));

    let document = sandbox.output(command).success().json();

    assert_eq!(document["broken"], serde_json::json!([]));
    let skills = document["skills"].as_array().unwrap();
    for folder in folders("loads") {
        let location = format!("/{folder}/SKILL.md");
        let skill = skills
            .iter()
            .find(|skill| skill["location"].as_str().unwrap().ends_with(&location))
            .unwrap_or_else(|| panic!("{folder} is not listed"));
        let findings = skill["diagnostics"].as_array().unwrap();
        assert_eq!(
            findings.is_empty(),
            folder == "crlf",
            "{folder}: {findings:?}"
        );
        assert_eq!(skill["state"], "off");
    }
}
