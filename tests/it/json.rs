//! `--json`: pure answers, and failures that a program can read.

use crate::sandbox::Sandbox;

#[test]
fn every_failure_is_one_object_on_standard_error_with_a_stable_code() {
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .file(
            "home/.agents/skills/torn/SKILL.md",
            "---\nname: torn\n---\n",
        )
        .file("bad/.codeaf/skills.json", "{")
        .folder("plain")
        .file("taken/SKILL.md", "");

    for (folder, words, status, code) in [
        ("project", &["on", "nope"][..], 1, "skill-not-found"),
        ("project", &["on", "zz*"], 1, "skill-not-found"),
        ("project", &["on", "torn"], 1, "skill-not-found"),
        ("project", &["off", "a\nb"], 1, "name-unsafe"),
        ("project", &["show", "nope"], 1, "skill-not-found"),
        ("project", &["resources", "nope"], 1, "skill-not-found"),
        ("project", &["read", "nope"], 1, "skill-not-found"),
        ("project", &["read", "pdf", "nope"], 1, "resource-not-found"),
        ("project", &["use", "nope"], 1, "skill-not-found"),
        (
            "project",
            &["use", "pdf", "--allowed-skills", ""],
            1,
            "skill-not-allowed",
        ),
        ("project", &["new", "Not Good"], 1, "name-invalid"),
        ("", &["new", "taken"], 1, "skill-not-made"),
        ("project", &["man", "nope"], 1, "no-such-command"),
        ("project", &["list", "-C", "nope"], 1, "start"),
        (
            "project",
            &["list", "--folder", "nope"],
            1,
            "folder-not-found",
        ),
        (
            "project",
            &["list", "--conversation", "nope"],
            1,
            "conversation-not-found",
        ),
        (
            "project",
            &["on", "pdf", "--conversation", "../conv"],
            1,
            "conversation-not-found",
        ),
        ("home", &["on", "pdf", "--project"], 1, "home-is-no-project"),
        ("bad", &["on", "pdf"], 1, "scope-unreadable"),
        ("bad", &["render-catalog"], 1, "scope-unreadable"),
        ("bad", &["tool"], 1, "scope-unreadable"),
        ("plain", &["on", "pdf"], 2, "usage"),
        ("plain", &["clear", "pdf"], 2, "usage"),
        ("project", &["on"], 2, "usage"),
        ("project", &["bogus"], 2, "usage"),
        ("project", &["list", "--bogus"], 2, "usage"),
        ("project", &["read", "pdf", "--offset", "-1"], 2, "usage"),
        ("project", &["list", "--names"], 2, "usage"),
    ] {
        let mut words = words.to_vec();
        words.push("--json");

        let output = sandbox.run_in(folder, &words).exits(status);

        let failure = output.error_json();
        assert_eq!(failure["version"], 1, "{words:?}");
        assert_eq!(failure["error"]["code"], code, "{words:?}\n{output}");
        for key in ["message", "help"] {
            assert!(
                failure["error"][key].is_string(),
                "{key} of {words:?}\n{output}"
            );
        }
        assert!(!failure["error"]["message"].as_str().unwrap().is_empty());
        assert!(!sandbox.has("project/.codeaf"), "{words:?}");
    }
}

#[test]
fn an_answer_is_one_object_with_a_version_and_nothing_else_even_with_broken_skills_around() {
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .file(
            "home/.agents/skills/torn/SKILL.md",
            "---\nname: torn\n---\n",
        )
        .file("home/.codeaf/skills.json", "{\"on\": [\"gone\", \"gone\"]}");

    for (words, status) in [
        (&["list"][..], 0),
        (&["list", "-v"], 0),
        (&["list", "--on"], 0),
        (&["why", "pdf"], 0),
        (&["why", "nope"], 1),
        (&["why", "torn"], 1),
        (&["show", "pdf"], 0),
        (&["show", "torn"], 0),
        (&["resources", "pdf"], 0),
        (&["read", "pdf"], 0),
        (&["on", "pdf"], 0),
        (&["off", "pdf", "-n"], 0),
        (&["clear", "zz*"], 0),
        (&["commands"], 0),
        (&["new", "fresh"], 0),
    ] {
        let mut words = words.to_vec();
        words.push("--json");
        let document = sandbox.run(&words).exits(status).json();
        assert_eq!(document["version"], 1, "{words:?}");
    }
}

#[test]
fn an_unreadable_scope_leaves_the_document_whole() {
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .file("home/.codeaf/skills.json", "{\n  \"on\": [\"pdf\"");

    let list = sandbox.run(["list", "--json"]).refused();

    let skill = &list.json()["skills"][0];
    assert_eq!(skill["state"], "off");
    assert_eq!(skill["cause"]["unreadable"], true);
    assert_eq!(skill["cause"]["scope"], "global");
    assert_eq!(skill["cause"]["path"], "[D]/home/.codeaf/skills.json");
    assert_eq!(skill["cause"]["line"], 2);
    let why = sandbox.run(["why", "pdf", "--json"]).refused();
    assert_eq!(why.json()["found"], true);
    for output in [list, why] {
        let told: serde_json::Value = serde_json::from_str(&output.stderr).unwrap();
        assert_eq!(told["error"]["code"], "scope-unreadable");
        let message = told["error"]["message"].as_str().unwrap();
        assert!(
            message.starts_with("[D]/home/.codeaf/skills.json:2:"),
            "{message}"
        );
    }
}
