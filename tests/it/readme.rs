//! Every `$ codeaf-skills …` of the README, run in the demo, word for word.

use std::fs;
use std::path::Path;

use crate::sandbox::Sandbox;

/// The demo's home and project in a sandbox of their own: some examples write.
fn demo() -> Sandbox {
    let sandbox = Sandbox::new();
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/demo");
    for part in ["home", "project"] {
        copy(&demo.join(part), &sandbox.path(part));
    }
    sandbox
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, name) = entry
            .map(|entry| (entry.path(), entry.file_name()))
            .unwrap();
        if path.is_dir() {
            copy(&path, &to.join(name));
        } else {
            fs::write(to.join(name), fs::read(&path).unwrap()).unwrap();
        }
    }
}

/// The examples of the page: a command line and the lines below it.
fn examples(page: &str) -> Vec<(&str, String)> {
    let blocks = page.split("```console\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().unwrap());
    let mut examples = Vec::new();
    for line in blocks.flat_map(str::lines) {
        if let Some(command) = line.strip_prefix("$ ") {
            examples.push((command, String::new()));
        } else {
            let (_, output) = examples.last_mut().unwrap();
            *output += line;
            output.push('\n');
        }
    }
    examples
}

#[test]
fn the_readme_shows_what_the_program_prints() {
    let sandbox = demo();
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();

    let examples = examples(&page);

    assert!(examples.len() >= 4);
    for (command, wanted) in examples {
        let output = sandbox.shell(command);
        let found = output.stdout + &output.stderr;
        assert!(
            found == wanted,
            "$ {command}\n==== found\n{found}==== in the README\n{wanted}"
        );
    }
}

#[test]
fn the_readme_names_every_command() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let help = Sandbox::new().run(["--help"]).success().stdout;

    let section = help.split("Commands:\n").nth(1).unwrap();
    let section = section.split("\n\n").next().unwrap();
    let commands: Vec<&str> = section
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();

    assert!(commands.contains(&"why"));
    for command in commands {
        let stands = [format!("`{command}`"), format!("`{command} ")];
        assert!(
            stands.iter().any(|name| page.contains(name.as_str())),
            "{command}"
        );
    }
}
