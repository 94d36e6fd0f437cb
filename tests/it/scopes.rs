//! Who decides: the one rule over three real files, and files that cannot be
//! read.

use serde_json::json;

use crate::sandbox::Sandbox;

/// A conversation's folder, from the project.
const CONVERSATION: &str = "../conv";

#[test]
fn off_in_the_project_beats_on_globally_and_on_in_the_conversation_beats_both() {
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .file("conv/meta.json", r#"{"id": "0123456789abcdef"}"#);

    sandbox.run(["on", "pdf", "--global"]).success();
    sandbox.run(["is-on", "pdf"]).success().silent();
    sandbox.run(["off", "pdf", "--project"]).success();
    sandbox.run(["is-on", "pdf"]).refused().silent();
    sandbox
        .run(["on", "pdf", "--conversation", CONVERSATION])
        .success();
    let output = sandbox.run(["is-on", "pdf", "--conversation", CONVERSATION]);

    output.success().silent();
    sandbox.run(["is-on", "pdf"]).refused().silent();
}

#[test]
fn the_narrowest_of_three_files_that_names_a_skill_wins_in_all_27_combinations() {
    const SAYS: [Option<&str>; 3] = [None, Some("on"), Some("off")];
    let text = |says: Option<&str>| match says {
        Some(list) => format!(r#"{{"{list}": ["pdf"]}}"#),
        None => "{}".to_owned(),
    };
    let sandbox = Sandbox::new().home_skill("pdf", "Reads PDF files.");
    for global in SAYS {
        for project in SAYS {
            for conversation in SAYS {
                sandbox.write("home/.codeaf/skills.json", text(global));
                sandbox.write("project/.codeaf/skills.json", text(project));
                sandbox.write(
                    "conv/meta.json",
                    format!(r#"{{"skills": {}}}"#, text(conversation)),
                );

                let is_on = sandbox.run(["is-on", "pdf", "--conversation", CONVERSATION]);
                let why = sandbox.run(["why", "pdf", "--conversation", CONVERSATION, "--json"]);

                let (scope, wins) = [
                    ("conversation", conversation),
                    ("project", project),
                    ("global", global),
                ]
                .into_iter()
                .find_map(|(scope, says)| Some((scope, says?)))
                .unwrap_or(("default", "off"));
                let why = why.success().json();
                let case = format!("{global:?} {project:?} {conversation:?}: {why}");
                is_on.exits(i32::from(wins == "off")).silent();
                assert_eq!(why["state"], wins, "{case}");
                assert_eq!(why["cause"]["scope"], scope, "{case}");
                let winners: Vec<_> = why["trail"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter(|step| step["wins"] == true)
                    .map(|step| step["scope"].clone())
                    .collect();
                let one = if scope == "default" {
                    vec![]
                } else {
                    vec![json!(scope)]
                };
                assert_eq!(winners, one, "{case}");
            }
        }
    }
}

#[test]
fn a_skill_that_no_scope_names_is_off_and_looking_makes_no_file() {
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .project_skill("review", "Reviews changes.");
    let before = sandbox.everything();

    sandbox.run(["is-on", "pdf"]).refused().silent();
    for words in [
        &["list"][..],
        &["list", "--json"],
        &["list", "-v"],
        &["why", "pdf"],
        &["show", "review"],
        &["resources", "review"],
        &["read", "review"],
        &["clear", "pdf", "--global"],
        &["clear", "--missing", "--project"],
    ] {
        sandbox.run(words).success();
    }

    assert_eq!(sandbox.everything(), before);
}

#[test]
fn off_wins_in_one_file_that_says_both_with_a_warning() {
    let sandbox = Sandbox::new().home_skill("pdf", "Reads PDF files.").file(
        "home/.codeaf/skills.json",
        r#"{"on": ["pdf"], "off": ["pdf"]}"#,
    );

    sandbox.run(["list"]).success().is(r"
        NAME  STATE  DECIDED BY  SOURCE            SIZE  DESCRIPTION
        pdf   off    global      ~/.agents/skills  61 B  Reads PDF files.
        -- stderr --
        ~/.codeaf/skills.json:1:25: warning[scope-both-lists]: `pdf` is in both lists; off wins
          help: keep the name once, in one of the lists
        ");
    sandbox.run(["on", "pdf", "--global"]).success();

    assert_eq!(
        sandbox.read("home/.codeaf/skills.json"),
        r#"{"on": ["pdf"], "off": []}"#
    );
}

#[test]
fn a_name_twice_in_one_list_counts_once_with_a_warning() {
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .file("home/.codeaf/skills.json", r#"{"on": ["pdf", "pdf"]}"#);

    let output = sandbox.run(["list", "--on", "--names"]);

    output
        .success()
        .has(&["pdf\n", "skills.json:1:16: warning[scope-duplicate]"]);
    sandbox
        .run(["list", "--on", "--names", "-q"])
        .success()
        .is("pdf");
}

#[test]
fn a_file_that_cannot_be_read_is_never_taken_for_an_empty_one() {
    for (text, place) in [
        ("", "1:1"),
        ("\u{feff}{}", "1:1"),
        ("[\"pdf\"]", "1:1"),
        ("{\n  // mine\n  \"on\": []\n}", "2:3"),
        ("{\n  \"on\": [\n}", "3:1"),
        ("{\"on\": [\"a\"], \"on\": []}", "1:15"),
        ("{\"on\": \"pdf\"}", "1:8"),
        ("{\"on\": [1]}", "1:9"),
    ] {
        let sandbox = Sandbox::new()
            .home_skill("pdf", "Reads PDF files.")
            .file("home/.codeaf/skills.json", r#"{"on": ["pdf"]}"#)
            .file("project/.codeaf/skills.json", text)
            .file("conv/meta.json", r#"{"skills": {"on": ["pdf"]}}"#);
        let named = format!(".codeaf/skills.json:{place}: error[scope-");

        // Nothing passes through the file, whatever wider scopes say …
        sandbox.run(["is-on", "pdf"]).refused();
        let list = sandbox.run(["list"]).refused();
        let why = sandbox.run(["why", "pdf"]).refused();
        let on = sandbox.run(["on", "pdf", "--project"]).refused();
        // … and a narrower scope still decides.
        let narrower = sandbox.run(["why", "pdf", "--conversation", CONVERSATION, "--json"]);
        // A write to another scope is done, and names the file.
        let other = sandbox.run(["on", "pdf", "--conversation", CONVERSATION]);

        assert!(list.stderr.contains(&named), "{text:?}: {list}");
        assert!(
            list.stdout.contains("project, unreadable"),
            "{text:?}: {list}"
        );
        assert!(why.stderr.contains(&named), "{text:?}: {why}");
        assert!(why.stdout.contains("it may say off"), "{text:?}: {why}");
        assert!(on.stderr.contains(".codeaf/skills.json"), "{text:?}: {on}");
        let narrower = narrower.refused().json();
        assert_eq!(narrower["state"], "on", "{text:?}");
        assert_eq!(narrower["cause"]["scope"], "conversation", "{text:?}");
        other.success().has(&[&named]);
        assert_eq!(sandbox.read("project/.codeaf/skills.json"), text);
    }
}

#[test]
fn a_folder_in_the_place_of_a_scope_file_is_unreadable() {
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .folder("home/.codeaf/skills.json");

    sandbox.run(["list"]).refused().has(&[
        "global, unreadable",
        "~/.codeaf/skills.json:1:1: error[scope-unreadable]: a folder is in the place of the file",
    ]);
    sandbox
        .run(["on", "pdf", "--global"])
        .refused()
        .has(&["error: ", "a folder is in the place of the file"]);
}

#[test]
fn a_repository_cannot_turn_its_own_skills_on_unseen() {
    let sandbox = Sandbox::new()
        .home_skill("handoff", "Hands over by the home rules.")
        .project_skill("handoff", "Hands over by this repository's rules.")
        .project_skill("review", "Reviews changes.")
        .file("home/.codeaf/skills.json", r#"{"on": ["handoff"]}"#)
        .file("project/.codeaf/skills.json", r#"{"on": ["review"]}"#)
        .file("conv/meta.json", r#"{"skills": {"on": ["review"]}}"#);

    let list = sandbox.run(["list", "--json"]).success().json();
    for name in ["handoff", "review"] {
        let mine = list["skills"]
            .as_array()
            .unwrap()
            .iter()
            .find(|skill| skill["name"] == name && skill["origin"] == "project");
        assert_eq!(mine.unwrap()["on_by_this_repository"], true, "{name}");
    }
    sandbox
        .run(["list"])
        .success()
        .has(&["or turns it on: handoff, review"]);
    sandbox
        .run(["why", "review"])
        .success()
        .has(&["it belongs to the repository that ships"]);
    sandbox
        .run(["why", "handoff"])
        .success()
        .has(&["this repository's copy shadows it"]);

    for name in ["handoff", "review"] {
        sandbox.run(["is-on", name]).success();
        sandbox
            .run(["is-on", name, "--ignore-project-on"])
            .refused();
    }
    sandbox
        .run([
            "is-on",
            "review",
            "--ignore-project-on",
            "--conversation",
            CONVERSATION,
        ])
        .success();
    sandbox.write(
        "home/.codeaf/skills.json",
        r#"{"on": ["handoff"], "ignoreProjectOn": true}"#,
    );
    for name in ["handoff", "review"] {
        sandbox.run(["is-on", name]).refused();
    }
    sandbox.run(["why", "review"]).success().has(&[
        "ignored: a project may say only off",
        "codeaf-skills on review --conversation PATH",
    ]);
}

#[test]
fn an_on_that_does_not_count_is_told_with_its_reason() {
    let sandbox = Sandbox::new()
        .home_skill("mine", "From home.")
        .project_skill("theirs", "From the repository.")
        .file("home/.codeaf/skills.json", r#"{"ignoreProjectOn": true}"#)
        .file(
            "project/.codeaf/skills.json",
            r#"{"on": ["mine", "theirs"]}"#,
        );

    sandbox.run(["list"]).success().is("
        NAME    STATE  DECIDED BY        SOURCE            SIZE  DESCRIPTION
        mine    off    project, ignored  ~/.agents/skills  57 B  From home.
        theirs  off    project, ignored  .agents/skills    71 B  From the repository.
        ");
    sandbox.run(["on", "theirs", "--global"]).success().is("
        theirs  off  default  the global scope says on, which does not count: a project ships this copy
        -- stderr --
        wrote ~/.codeaf/skills.json
        note: theirs stays off: a project ships this copy
        ");
    sandbox
        .run(["show", "mine"])
        .success()
        .has(&["off, the project scope says on, which does not count: a project may say only off"]);
    sandbox.run(["why", "theirs"]).success().has(&[
        "theirs is off: the global scope says on, which does not count: a project ships this copy\n",
        "project  on    .codeaf/skills.json:1:17    ignored: a project may say only off\n",
        "ignored: a project ships this copy\n",
    ]);
}

#[test]
fn what_home_ships_and_the_project_turns_on_is_ignored_only_when_asked() {
    let sandbox = Sandbox::new().home_skill("pdf", "Reads PDF files.").file(
        "project/.codeaf/skills.json",
        r#"{"on": ["pdf"], "off": []}"#,
    );

    sandbox.run(["is-on", "pdf"]).success();
    sandbox
        .run(["is-on", "pdf", "--ignore-project-on"])
        .refused();
    sandbox.run(["on", "pdf", "--global"]).success();

    sandbox
        .run(["is-on", "pdf", "--ignore-project-on"])
        .success();
}

#[test]
fn a_qualified_entry_beats_a_bare_one_of_the_same_file_and_scope_comes_first() {
    let sandbox = Sandbox::new().home_skill("pdf", "Reads PDF files.");

    for (global, project, state) in [
        (r#"{"on": ["pdf"], "off": ["workspace/pdf"]}"#, "{}", "off"),
        (r#"{"off": ["pdf"], "on": ["workspace/pdf"]}"#, "{}", "on"),
        (r#"{"on": ["workspace/pdf"]}"#, r#"{"off": ["pdf"]}"#, "off"),
        (r#"{"on": ["personal/pdf"]}"#, "{}", "off"),
    ] {
        sandbox.write("home/.codeaf/skills.json", global);
        sandbox.write("project/.codeaf/skills.json", project);
        let why = sandbox.run(["why", "pdf", "--json"]).success().json();
        assert_eq!(why["state"], state, "{global} {project}");
    }
}

#[test]
fn names_are_compared_in_one_normal_form_and_with_their_case() {
    let sandbox = Sandbox::new()
        .home_skill("caf\u{e9}", "Orders.")
        .home_skill("Notes", "Notes.");

    sandbox.run(["on", "cafe\u{301}", "--global"]).success();
    sandbox
        .run(["on", "caf\u{e9}", "--global"])
        .success()
        .has(&["on  global"]);
    sandbox
        .run(["on", "notes", "--global"])
        .refused()
        .has(&["did you mean `Notes`?"]);

    let file: serde_json::Value =
        serde_json::from_str(&sandbox.read("home/.codeaf/skills.json")).unwrap();
    assert_eq!(file["on"], json!(["caf\u{e9}"]));
}

#[test]
fn a_scope_file_in_a_ring_of_links_is_refused_with_a_next_step() {
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .link("home/.codeaf/skills.json", "other.json")
        .link("home/.codeaf/other.json", "skills.json");

    let failed = sandbox.run(["on", "pdf", "--global", "--json"]).refused();
    assert_eq!(failed.error_json()["error"]["code"], "scope-link");
    sandbox.run(["on", "pdf", "--global"]).refused().has(&[
        "the links of ~/.codeaf/skills.json lead round in a ring\n",
        "help: put a file in the place of the link: `ls -l ~/.codeaf/skills.json` shows where it leads\n",
    ]);
}
