//! `clear`: decisions taken back.

use crate::sandbox::Sandbox;

const GLOBAL: &str = "home/.codeaf/skills.json";

fn stale() -> Sandbox {
    Sandbox::new()
        .home_skill("kept", "Still here.")
        .home_skill("also-kept", "Still here.")
        .file(
            GLOBAL,
            "{\n  \"on\": [\"kept\", \"gone-a\"],\n  \"zz\": 1.10,\n  \"off\": [\"gone-b\", \"also-kept\"]\n}\n",
        )
}

#[test]
fn clearing_lets_the_wider_scope_decide_again() {
    let sandbox = stale().file("project/.codeaf/skills.json", r#"{"off": ["kept"]}"#);

    let output = sandbox.run(["clear", "kept"]);

    output.success().is("
        kept  on  global  ~/.codeaf/skills.json:2:10
        -- stderr --
        wrote .codeaf/skills.json
        ");
    sandbox.run(["is-on", "kept"]).success();
}

#[test]
fn clearing_what_is_not_there_is_no_fault_and_writes_nothing() {
    let sandbox = stale();
    let before = sandbox.everything();

    sandbox
        .run(["clear", "nope", "--global"])
        .success()
        .lacks(&["wrote"]);
    sandbox
        .run(["clear", "kept", "--project"])
        .success()
        .lacks(&["wrote"]);
    sandbox.run(["clear", "zz*", "--global"]).success().is("
        zz*  nothing to clear
        -- stderr --
        note: no decision of the global scope is 'zz*'
        ");

    assert_eq!(sandbox.everything(), before);
}

#[test]
fn missing_forgets_what_no_skill_bears_and_no_more() {
    let sandbox = stale();

    sandbox
        .run(["clear", "--missing", "--global", "-n"])
        .success()
        .has(&[
            "-  \"on\": [\"kept\", \"gone-a\"],",
            "+  \"on\": [\"kept\"],",
        ]);
    sandbox
        .run(["clear", "--missing", "--global"])
        .success()
        .has(&["wrote ~/.codeaf/skills.json"]);
    sandbox
        .run(["clear", "--missing", "--global"])
        .success()
        .lacks(&["wrote"]);

    assert_eq!(
        sandbox.read(GLOBAL),
        "{\n  \"on\": [\"kept\"],\n  \"zz\": 1.10,\n  \"off\": [\"also-kept\"]\n}\n"
    );
}

#[test]
fn patterns_match_the_names_of_the_file() {
    let sandbox = stale();

    sandbox.run(["clear", "gone-?", "--global"]).success();
    sandbox
        .run(["list", "--json"])
        .success()
        .has(&["\"missing\":[]"]);
    sandbox.run(["clear", "*", "--global"]).success();

    assert_eq!(
        sandbox.read(GLOBAL),
        "{\n  \"on\": [],\n  \"zz\": 1.10,\n  \"off\": []\n}\n"
    );
}

#[test]
fn a_broken_skill_is_not_missing_from_a_scope_and_can_be_cleared_by_name() {
    let sandbox = Sandbox::new()
        .file(
            "home/.agents/skills/torn/SKILL.md",
            "---\nname: torn\n---\n",
        )
        .file(GLOBAL, "{\"on\": [\"torn\"], \"off\": []}");

    sandbox
        .run(["list"])
        .success()
        .has(&["torn", "description-missing"]);
    sandbox.run(["clear", "torn", "--global"]).success();

    assert_eq!(sandbox.read(GLOBAL), "{\"on\": [], \"off\": []}");
}

#[test]
fn missing_keeps_what_is_there_and_does_not_load() {
    let sandbox = Sandbox::new()
        .file(
            "home/.agents/skills/folder/skill.md",
            "---\nname: low\ndescription: L.\n---\n",
        )
        .file(GLOBAL, "{\"on\": [\"gone\"], \"off\": [\"low\"]}");

    sandbox.run(["list"]).success().has(&[
        "named by a scope, but no such skill:\nNAME  SAYS  SCOPE   WHERE\ngone  on",
        "named by a scope, and not loaded or not looked for everywhere:\nNAME  SAYS  SCOPE   WHERE\nlow   off",
    ]);
    sandbox
        .run(["clear", "--missing", "--global"])
        .success()
        .has(&[
            "note: `low` is kept: ~/.agents/skills/folder/skill.md is there and does not load",
            "wrote ~/.codeaf/skills.json",
        ]);

    assert_eq!(sandbox.read(GLOBAL), "{\"on\": [], \"off\": [\"low\"]}");
}

#[test]
fn missing_keeps_everything_while_a_root_is_not_read() {
    let text = "{\"on\": [\"a\"], \"off\": [\"b\"]}";
    let sandbox = Sandbox::new().file(GLOBAL, text);

    sandbox
        .run(["--skills-dir", "nowhere", "clear", "--missing", "--global"])
        .success()
        .has(&[
            "note: `a`, `b` are kept: they may be in nowhere, which was not read whole: cannot be read: ",
        ])
        .lacks(&["wrote"]);

    assert_eq!(sandbox.read(GLOBAL), text);
}

#[test]
fn on_then_clear_gives_the_same_bytes_back() {
    for text in [
        "{\"on\":[],\"off\":[]}",
        "{\n  \"off\": [ ],\n  \"on\": [\n  ]\n}\n",
        "{\"on\":[\"a\"],\"off\":[\"b\"]}",
        "{\"on\": [\n    \"a\"\n  ], \"off\": []}\r\n",
    ] {
        let sandbox = Sandbox::new()
            .home_skill("pdf", "Reads PDF files.")
            .file(GLOBAL, text);

        for verb in ["on", "off"] {
            sandbox.run([verb, "pdf", "--global"]).success();
            sandbox.run(["clear", "pdf", "--global"]).success();
            assert_eq!(sandbox.read(GLOBAL), text, "{verb}");
        }
    }
}
