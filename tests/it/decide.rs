//! `on` and `off`: what is written, what is said, what is refused.

use serde_json::json;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use crate::sandbox::Sandbox;

const GLOBAL: &str = "home/.codeaf/skills.json";
const PROJECT: &str = "project/.codeaf/skills.json";

fn three_skills() -> Sandbox {
    Sandbox::new()
        .home_skill("db-backup", "Backs up.")
        .home_skill("db-restore", "Restores.")
        .home_skill("pdf", "Reads PDF files.")
}

#[test]
fn off_in_project_beats_on_in_global() {
    let sandbox = three_skills();
    sandbox.run(["on", "pdf", "--global"]).success();

    let output = sandbox.run(["off", "pdf", "--project"]);

    output.success().is("
        pdf  off  project  .codeaf/skills.json:4:5
        -- stderr --
        wrote .codeaf/skills.json
        ");
}

#[test]
fn a_narrower_scope_that_says_otherwise_is_named_with_the_command_that_takes_it_back() {
    let sandbox = three_skills();
    sandbox.run(["off", "pdf", "--project"]).success();

    let output = sandbox.run(["on", "pdf", "--global"]);

    output.success().is("
        pdf  off  project  .codeaf/skills.json:4:5
        -- stderr --
        wrote ~/.codeaf/skills.json
        note: pdf stays off: the project scope says off and is narrower; `codeaf-skills on pdf --project` changes that
        ");
    sandbox.run(["clear", "pdf", "--project"]).success();
    sandbox.run(["is-on", "pdf"]).success();
}

#[test]
fn an_unknown_name_is_refused_with_near_names_and_stored_with_force() {
    let sandbox = three_skills();
    let before = sandbox.everything();

    sandbox.run(["on", "db-bakup", "--global"]).refused().is("
        -- stderr --
        error: no skill is called `db-bakup`
        help: did you mean `db-backup`?
        -- exit 1 --
        ");
    sandbox
        .run(["on", "zzz", "--global"])
        .refused()
        .has(&["codeaf-skills why zzz"]);
    assert_eq!(sandbox.everything(), before);

    sandbox
        .run(["on", "zzz", "--global", "--force"])
        .success()
        .has(&[
            "zzz  on  global",
            "no skill is called zzz; the decision is kept for when there is one",
        ]);
    assert!(sandbox.read(GLOBAL).contains("\"zzz\""));
    // Off may be said of what is not there, so that it stays off.
    sandbox
        .run(["off", "yyy", "--global"])
        .success()
        .has(&["no skill is called yyy"]);
}

#[test]
fn a_name_whose_only_bearer_is_broken_is_refused_with_the_way_to_the_fault() {
    let sandbox = three_skills().file(
        "home/.agents/skills/torn/SKILL.md",
        "---\nname: torn\n---\n",
    );

    let output = sandbox.run(["on", "torn", "--global"]);

    output
        .refused()
        .has(&["was not taken", "codeaf-skills why torn"]);
    assert!(!sandbox.has(GLOBAL));
}

#[test]
fn one_bad_name_of_three_writes_none() {
    let sandbox = three_skills().file("conv/meta.json", "{}");
    let before = sandbox.everything();

    for words in [
        &["on", "pdf", "db-bakup", "db-restore", "--global"][..],
        &["on", "pdf", "zz-*", "--project"],
        &["off", "pdf", "zz-*", "--project"],
        &["on", "pdf", "", "--global"],
        &["off", "a\u{1b}[31mb", "--global"],
        &["on", "pdf", "db-bakup", "--conversation", "../conv"],
    ] {
        sandbox.run(words).refused().lacks(&["\u{1b}"]);
    }

    assert_eq!(sandbox.everything(), before);
}

#[test]
fn patterns_expand_now_and_their_names_are_stored() {
    let sandbox = three_skills();

    sandbox
        .run(["on", "db-*", "pd?", "pdf", "--global"])
        .success()
        .is("
        db-backup   on  global  ~/.codeaf/skills.json:3:5
        db-restore  on  global  ~/.codeaf/skills.json:4:5
        pdf         on  global  ~/.codeaf/skills.json:5:5
        -- stderr --
        wrote ~/.codeaf/skills.json
        ");
    let sandbox = sandbox.home_skill("db-drop", "Drops.");

    sandbox.run(["is-on", "db-drop"]).refused();
    assert!(!sandbox.read(GLOBAL).contains('*'));
}

#[test]
fn a_dry_run_shows_the_edit_and_writes_nothing_at_all() {
    let sandbox = three_skills().folder("plain");
    let before = sandbox.everything();

    sandbox
        .run(["on", "pdf", "--global", "-n"])
        .success()
        .is(r#"
        --- ~/.codeaf/skills.json
        +++ ~/.codeaf/skills.json
        @@ -0,0 +1,6 @@
        +{
        +  "on": [
        +    "pdf"
        +  ],
        +  "off": []
        +}
        "#);
    sandbox
        .run_in("plain", ["off", "pdf", "--project", "-n"])
        .success()
        .has(&["+    \"pdf\""]);
    assert_eq!(sandbox.everything(), before);

    sandbox.run(["on", "pdf", "--global"]).success();
    let before = sandbox.everything();
    sandbox.run(["on", "pdf", "--global", "-n"]).success().is("
        pdf  on  global  ~/.codeaf/skills.json:3:5
        -- stderr --
        note: nothing to change
        ");
    let flip = sandbox
        .run(["off", "pdf", "--global", "-n", "--json"])
        .success()
        .json();
    assert_eq!(flip["written"], false);
    assert!(
        flip["diff"].as_str().unwrap().contains("+  \"off\": ["),
        "{flip}"
    );
    sandbox
        .run(["clear", "--missing", "--global", "-n"])
        .success();
    assert_eq!(sandbox.everything(), before);
}

#[test]
fn a_dry_run_shows_no_password_of_a_store() {
    for (store, shown) in [
        (r#""postgres://alice:secret@db/skills""#, r#""…""#),
        (r#""postgres://alice@db/skills?password=secret""#, r#""…""#),
        (r#""postgres:\/\/alice:%73ecret@db/skills""#, r#""…""#),
        (r#""\u0070ostgresql://alice:secret@db""#, r#""…""#),
        (r#""host=db password=secret""#, r#""…""#),
        (r#""sqlite:~/own.db""#, r#""sqlite:~/own.db""#),
    ] {
        let sandbox = Sandbox::new().home_skill("pdf", "Reads PDF files.");
        for file in ["home/.codeaf/skills.json", "project/.codeaf/skills.json"] {
            sandbox.write(
                file,
                format!("{{\n  \"store\": {store},\n  \"on\": []\n}}\n"),
            );
        }
        for scope in ["--global", "--project"] {
            for verb in ["on", "off"] {
                let words = [verb, "pdf", scope, "-n", "--store", "sqlite:own.db"];
                let shown = format!("\n   \"store\": {shown},\n");
                let plain = sandbox.run(words).success().lacks(&["ecret", "alice"]);
                let json = sandbox.run(words.into_iter().chain(["--json"])).success();
                assert!(plain.stdout.contains(&shown), "{plain}");
                let diff = json.json()["diff"].as_str().unwrap().to_owned();
                assert!(diff.contains(&shown), "{diff}");
            }
        }
    }
}

#[test]
fn a_dry_run_shows_no_password_under_another_key_either() {
    let text = r#"{
  "Store": "postgres://alice:secret@db/skills",
  "url": "postgres:\/\/alice:%73ecret@db",
  "see": {"https://alice:se/cret@db/": ["https://example.org/a:b", "PASSWORD=secret"]},
  "on": []
}
"#;
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .file(GLOBAL, text);

    let told = sandbox.run(["on", "pdf", "--global", "-n"]).success();

    told.lacks(&["ecret", "se/cret", "alice"]).has(&[
        "   \"Store\": \"…\",\n   \"url\": \"…\",\n",
        "   \"see\": {\"…\": [\"https://example.org/a:b\", \"…\"]},\n",
    ]);
}

#[test]
fn a_dry_run_of_a_file_that_cannot_be_edited_fails_like_the_edit() {
    let sandbox = three_skills().file(GLOBAL, "{");

    let dry = sandbox.run(["on", "pdf", "--global", "-n"]).refused();
    let real = sandbox.run(["on", "pdf", "--global"]).refused();

    assert_eq!(dry.stderr, real.stderr);
}

#[test]
fn nothing_to_change_touches_nothing_and_still_answers() {
    let sandbox = three_skills().file(GLOBAL, "{ \"on\": [\"pdf\"],\n\n\"off\": [\"db-backup\"] }");
    let file = std::fs::File::open(sandbox.path(GLOBAL)).unwrap();
    file.set_modified(std::time::UNIX_EPOCH).unwrap();
    let before = sandbox.everything();
    let inode = sandbox.path(GLOBAL).metadata().unwrap().ino();

    sandbox.run(["on", "pdf", "--global"]).success().is("
        pdf  on  global  ~/.codeaf/skills.json:1:10
        ");
    sandbox
        .run(["off", "db-backup", "--global"])
        .success()
        .lacks(&["wrote"]);
    sandbox
        .run(["clear", "db-restore", "--global"])
        .success()
        .lacks(&["wrote"]);

    assert_eq!(sandbox.everything(), before);
    assert_eq!(sandbox.path(GLOBAL).metadata().unwrap().ino(), inode);
}

#[test]
fn bytes_outside_the_two_lists_never_change() {
    const BEFORE: &str = "{\n\t\"$schema\": \"x\",\n  \"zz\": 1.10, \"n\": 12345678901234567890123,\n  \"e\" : 1E2,\n  \"on\": [ \"old\" ],\n  \"nested\": {\"on\": [\"not ours\"], \"on \": {}},\n  \"off\": [\n    \"b\",\n    \"a\"\n  ],\n  \"t\": \"\\u2014 \u{2014}\"\n}";
    let sandbox = three_skills().file(GLOBAL, BEFORE);

    sandbox.run(["on", "pdf", "--global"]).success();
    let during = sandbox.read(GLOBAL);
    sandbox.run(["clear", "pdf", "--global"]).success();

    assert_eq!(
        during,
        BEFORE.replace("[ \"old\" ]", "[ \"old\", \"pdf\" ]")
    );
    assert_eq!(sandbox.read(GLOBAL), BEFORE);
}

#[test]
fn a_new_name_goes_last_and_leaves_the_other_list() {
    let sandbox = three_skills().file(GLOBAL, r#"{"on": ["z", "pdf"], "off": ["y"]}"#);

    sandbox.run(["off", "pdf", "--global"]).success();

    let file: serde_json::Value = serde_json::from_str(&sandbox.read(GLOBAL)).unwrap();
    assert_eq!(file, json!({"on": ["z"], "off": ["y", "pdf"]}));
}

#[test]
fn a_conversation_keeps_all_its_other_data() {
    const META: &str = "{\n  \"id\": \"0123456789abcdef\",\n  \"title\": \"Tuesday \\u2014 \\\"plan\\\" \u{1f9ed}\",\n  \"created\": 9007199254740993,\n  \"ratio\": 1.10,\n  \"nested\": { \"skills\": { \"on\": [\"not ours\"] } },\n  \"model\": \"m\"\n}\n";
    let sandbox = three_skills().file("conv/meta.json", META);

    sandbox
        .run(["on", "pdf", "--conversation", "../conv"])
        .success();

    let text = sandbox.read("conv/meta.json");
    let added = text
        .strip_prefix(META.trim_end().trim_end_matches('}').trim_end())
        .unwrap();
    assert!(added.contains("\"skills\""), "{text}");
    let parsed: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(parsed["skills"]["on"], json!(["pdf"]));
}

#[test]
fn a_file_that_is_a_link_is_edited_behind_the_link_and_keeps_its_mode() {
    let sandbox = three_skills()
        .file("dotfiles/skills.json", "{\"on\": []}\n")
        .link(GLOBAL, "../../dotfiles/skills.json");
    let real = sandbox.path("dotfiles/skills.json");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();

    sandbox.run(["on", "pdf", "--global"]).success();

    assert!(sandbox.path(GLOBAL).is_symlink());
    assert_eq!(
        sandbox.read("dotfiles/skills.json"),
        "{\"on\": [\"pdf\"]}\n"
    );
    assert_eq!(real.metadata().unwrap().mode() & 0o7777, 0o640);
    assert_eq!(sandbox.names_in("dotfiles"), ["skills.json"]);
    assert_eq!(sandbox.names_in("home/.codeaf"), ["skills.json"]);
}

#[test]
fn a_project_file_that_links_outside_the_project_is_refused() {
    let sandbox = three_skills()
        .file("home/settings.json", "{}")
        .link(PROJECT, "../../home/settings.json");
    let before = sandbox.everything();

    sandbox
        .run(["off", "pdf", "--project"])
        .refused()
        .has(&["outside the project", "help: "]);
    sandbox.run(["off", "pdf", "--project", "-n"]).refused();

    assert_eq!(sandbox.everything(), before);
}

#[test]
fn a_link_to_nothing_is_refused_and_never_filled_or_replaced() {
    for target in ["../../dotfiles/skills.json", "../../nowhere/skills.json"] {
        let sandbox = three_skills().folder("dotfiles").link(GLOBAL, target);
        let before = sandbox.everything();
        for words in [
            &["on", "pdf", "--global"][..],
            &["off", "pdf", "--global", "-n"],
            &["clear", "pdf", "--global"],
        ] {
            let told = sandbox.run(words).refused();
            told.has(&["skills.json", "help: "]);
        }
        assert_eq!(sandbox.everything(), before, "{target}");
    }
}

#[test]
fn a_place_that_cannot_be_written_is_named_and_nothing_is_written_elsewhere() {
    let sandbox = three_skills()
        .file("project/.codeaf", "a file\n")
        .folder("other");
    let before = sandbox.everything();

    sandbox
        .run(["on", "pdf", "--project"])
        .refused()
        .has(&["error: ", ".codeaf", "caused by: "]);
    // Nobody makes a folder in /proc/sys, not even root.
    let variable = [("CODEAF_HOME", "/proc/sys".as_ref())];
    sandbox
        .run_with(&variable, ["on", "pdf", "--global", "--force"])
        .refused()
        .has(&["/proc/sys/.codeaf"]);

    assert_eq!(sandbox.everything(), before);
}

#[test]
fn quiet_keeps_errors_and_drops_notes() {
    let sandbox = three_skills();

    sandbox.run(["on", "pdf", "--global", "-q"]).success().is("
        pdf  on  global  ~/.codeaf/skills.json:3:5
        ");
    sandbox
        .run(["on", "nope", "--global", "-q"])
        .refused()
        .has(&["error: ", "nope"]);
}

#[test]
fn json_says_what_was_written_and_what_now_holds() {
    let sandbox = three_skills();
    sandbox.run(["off", "pdf", "--project"]).success();

    let output = sandbox
        .run(["on", "pdf", "db-backup", "--global", "--json"])
        .success();

    let answer = output.json();
    assert_eq!(answer["version"], 1);
    assert_eq!(answer["scope"], "global");
    assert_eq!(answer["written"], true);
    assert_eq!(answer["path"], "[D]/home/.codeaf/skills.json");
    assert_eq!(answer["skills"][0]["name"], "pdf");
    assert_eq!(answer["skills"][0]["state"], "off");
    assert_eq!(answer["skills"][0]["cause"]["scope"], "project");
    assert_eq!(answer["skills"][1]["state"], "on");
    assert_eq!(answer["skills"][1]["cause"]["line"], 4);
}

#[test]
fn a_shadowed_skill_is_decided_by_name_and_the_owner_is_meant() {
    let sandbox = Sandbox::new()
        .home_skill("pdf", "At home.")
        .project_skill("pdf", "Here.")
        .skill("project/.claude/skills", "pdf", "Here, too.");

    sandbox.run(["on", "pdf", "--global"]).success();

    sandbox
        .run(["why", "pdf"])
        .success()
        .has(&["meant     50 B  .agents/skills/pdf/SKILL.md"]);
}

#[test]
fn a_qualified_entry_that_outweighs_the_new_one_is_named() {
    let sandbox = three_skills().file(GLOBAL, r#"{"on": ["workspace/pdf"], "off": []}"#);

    let output = sandbox.run(["off", "pdf", "--global"]).success();

    // Whatever it does about it, it must not blame the project.
    let is_off = sandbox.run(["is-on", "pdf"]).to_string().contains("exit 1");
    assert!(
        is_off || output.stderr.contains("workspace/pdf"),
        "{output}"
    );
    output.lacks(&["what the project turns on"]);
}

#[test]
fn a_qualified_name_that_no_skill_bears_is_answered_as_it_was_written() {
    let sandbox = Sandbox::new();

    for name in ["personal/review", "workspace/review", "review"] {
        sandbox
            .run(["on", name, "--force", "--global", "-q"])
            .success()
            .has(&["  on  global  ~/.codeaf/skills.json:"]);
    }
}

#[test]
fn a_name_that_could_be_a_path_is_never_stored() {
    let sandbox = Sandbox::new();
    let long = "a".repeat(257);

    for name in ["../../x", "a\\b", "..", "", "a\nb", &long, "personal/../x"] {
        sandbox
            .run(["off", name, "--global"])
            .refused()
            .has(&["cannot be the name of a skill"]);
    }
    assert!(!sandbox.has("home/.codeaf"));
}
