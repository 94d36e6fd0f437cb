//! The report of `check` as SARIF: valid, complete, and the same for the same
//! findings.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::check;
use crate::json_schema::faults;
use crate::sandbox::Sandbox;

fn sarif(sandbox: &Sandbox) -> Value {
    sandbox.run(["check", "--format", "sarif"]).json()
}

/// The results as `rule path line:column-end fingerprint`.
fn results(log: &Value) -> Vec<String> {
    let results = log["runs"][0]["results"].as_array().unwrap().iter();
    results
        .map(|result| {
            let place = &result["locations"][0]["physicalLocation"];
            format!(
                "{} {} {}:{}-{} {}",
                result["ruleId"],
                place["artifactLocation"]["uri"],
                place["region"]["startLine"],
                place["region"]["startColumn"],
                place["region"]["endColumn"],
                result["partialFingerprints"]["primaryLocationLineHash"]
            )
            .replace('"', "")
        })
        .collect()
}

#[test]
fn sarif_names_rules_places_and_marks_that_outlast_moved_lines() {
    let sandbox = check::sandbox();

    let before = sarif(&sandbox);
    let text = sandbox.read("project/.agents/skills/pdf/SKILL.md");
    sandbox.write(
        "project/.agents/skills/pdf/SKILL.md",
        text.replace("See", "\nMore.\n\nSee"),
    );
    let after = sarif(&sandbox);

    assert_eq!(before["version"], "2.1.0");
    assert_eq!(before["runs"][0]["columnKind"], "unicodeCodePoints");
    let marks = |log: &Value| -> Vec<String> {
        results(log)
            .iter()
            .map(|result| result.rsplit(' ').next().unwrap().to_owned())
            .collect()
    };
    assert_eq!(marks(&before), marks(&after));
    let places: Vec<String> = results(&after)
        .iter()
        .map(|result| result.rsplit_once(' ').unwrap().0.to_owned())
        .collect();
    assert_eq!(
        places,
        [
            "unquoted-colon .agents/skills/pdf/SKILL.md 3:22-23",
            "link-broken .agents/skills/pdf/SKILL.md 8:12-17",
            "link-broken .agents/skills/pdf/SKILL.md 8:27-32",
        ]
    );
    let rules = before["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .unwrap();
    for result in before["runs"][0]["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
}

#[test]
fn sarif_is_valid_by_the_published_schema() {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/sarif-2.1.0.json");
    let schema: Value = serde_json::from_slice(&fs::read(schema).unwrap()).unwrap();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/rules");

    for sandbox in [
        Sandbox::new(),
        check::sandbox(),
        Sandbox::new().project_skill("good", "Does well."),
        Sandbox::new().file("project/.agents/skills/a b%\u{e9}/SKILL.md", "\u{202e}"),
    ] {
        let log = sarif(&sandbox);
        assert_eq!(faults(&schema, &log), [""; 0], "{log}");
    }
    let mut codes: Vec<_> = fs::read_dir(fixtures)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    codes.sort();
    for folder in codes {
        let sandbox = Sandbox::new();
        let mut command = sandbox.command(["check", "--format", "sarif", "."]);
        command.current_dir(folder);
        let log = sandbox.output(command).json();
        assert_eq!(faults(&schema, &log), [""; 0], "{log}");
    }
    let empty = serde_json::json!({"version": "2.1.0", "runs": [{}]});
    assert_eq!(faults(&schema, &empty).len(), 1);
}
