//! What `list` makes of odd files: one row a file, from the bytes to the words.

use serde_json::json;

use crate::sandbox::Sandbox;

/// The bytes of a SKILL.md in the folder `x`, and the name, the description and
/// the rules that are found.
#[test]
fn odd_files_are_read_as_they_were_meant_with_a_finding_where_others_drop_them() {
    let long = "\u{6587}".repeat(1_024);
    let longer = "x".repeat(1_025);
    for (bytes, name, description, rules) in [
        (
            "---\nname: x\ndescription: Works.\n---\nBody.\n",
            "x",
            "Works.",
            &[][..],
        ),
        (
            "---\r\nname: x\r\ndescription: >\r\n  One,\r\n  two.\r\n---\r\nBody.\r\n",
            "x",
            "One, two.",
            &[],
        ),
        (
            "---\nname: x\ndescription: No body.\n---",
            "x",
            "No body.",
            &[],
        ),
        (
            "---\nname: x\ndescription: |\n  A line.\n  ----\n   ---\nmetadata: {a: '---'}\n---\n---\nname: y\n---\n",
            "x",
            "A line. ---- ---",
            &[],
        ),
        (
            "---\nname: x\ndescription: In two parts: first, then: last\n---\n",
            "x",
            "In two parts: first, then: last",
            &["unquoted-colon"],
        ),
        (
            "---\nname: 70\ndescription: \"1.10\"\n---\n",
            "70",
            "1.10",
            &["name-mismatch", "field-type"],
        ),
        (
            "---\nname: !!str x\ndescription: !!str 2026\n---\n",
            "x",
            "2026",
            &[],
        ),
        (
            "---\nname: x\ndescription: true\n---\n",
            "x",
            "true",
            &["field-type"],
        ),
        (
            "---\nname: x\ndescription: First.\ndescription: Second.\n---\n",
            "x",
            "First.",
            &["duplicate-field"],
        ),
        (
            &format!("---\nname: x\ndescription: {long}\n---\n"),
            "x",
            &long,
            &[],
        ),
        (
            &format!("---\nname: x\ndescription: {longer}\n---\n"),
            "x",
            &longer,
            &["description-too-long"],
        ),
    ] {
        let sandbox = Sandbox::new().file("home/.agents/skills/x/SKILL.md", bytes);

        let list = sandbox.run(["list", "--json"]).success().json();

        let skill = &list["skills"][0];
        let found: Vec<_> = skill["diagnostics"].as_array().map_or(vec![], |findings| {
            findings
                .iter()
                .map(|finding| finding["rule"].as_str().unwrap())
                .collect()
        });
        let folded = skill["description"].as_str().unwrap_or_default();
        let folded = folded.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(skill["name"], name, "{bytes}\n{list}");
        assert_eq!(folded, description, "{bytes}");
        assert!(
            rules.iter().all(|rule| found.contains(rule)),
            "{found:?} for {bytes}"
        );
        assert_eq!(found.is_empty(), rules.is_empty(), "{found:?} for {bytes}");
    }
}

#[test]
fn every_form_of_allowed_tools_gives_the_same_list() {
    for form in [
        "Bash(git add *) Bash(jq:*) Read",
        "Bash(git add *), Bash(jq:*), Read",
        "[\"Bash(git add *)\", \"Bash(jq:*)\", Read]",
        "\n  - Bash(git add *)\n  - Bash(jq:*)\n  - Read",
    ] {
        let sandbox = Sandbox::new().file(
            "home/.agents/skills/x/SKILL.md",
            format!("---\nname: x\ndescription: Works.\nallowed-tools: {form}\n---\n"),
        );

        let shown = sandbox.run(["show", "x", "--json"]).success().json();

        let tools = json!(["Bash(git add *)", "Bash(jq:*)", "Read"]);
        assert_eq!(shown["allowed-tools"], tools, "{form}");
    }
}

#[test]
fn pipes_and_devices_are_told_and_never_waited_for() {
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .folder("home/.agents/skills/fifo")
        .folder("pipe/.codeaf")
        .link("home/.agents/skills/zero/SKILL.md", "/dev/zero")
        .link("home/.agents/skills/pdf/zero", "/dev/zero")
        .link("device/.codeaf/skills.json", "/dev/zero")
        .link("ring/.codeaf/skills.json", "skills.json");
    sandbox
        .shell("mkfifo ../home/.agents/skills/fifo/SKILL.md ../home/.agents/skills/pdf/fifo ../pipe/.codeaf/skills.json ../conv/meta.json")
        .success();

    sandbox
        .run(["list"])
        .success()
        .has(&["pdf", "fifo/SKILL.md", "zero/SKILL.md"]);
    sandbox.run(["read", "pdf", "fifo"]).refused();
    sandbox.run(["read", "pdf", "zero"]).refused();
    for home in ["pipe", "device", "ring"] {
        let home = sandbox.path(home);
        let home = [("CODEAF_HOME", home.as_os_str())];
        sandbox
            .run_with(&home, ["list"])
            .refused()
            .has(&["scope-unreadable"]);
        sandbox
            .run_with(&home, ["on", "pdf", "--global", "--force"])
            .refused()
            .has(&["error: "]);
    }
    sandbox
        .run(["list", "--conversation", "../conv"])
        .refused()
        .has(&["scope-unreadable"]);
    sandbox
        .run(["on", "pdf", "--conversation", "../conv"])
        .refused();
}
