//! `personal`: the skills that the user keeps in a SQLite file, beside those in
//! folders.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use codeaf_skills::Limits;
use rusqlite::Connection;
use serde_json::json;

use crate::sandbox::{Output, PROGRAM, Sandbox};

const DATABASE: &str = "home/.codeaf/personal.db";
const GLOBAL: &str = "home/.codeaf/skills.json";

fn text(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: About {name}.\n---\n{body}\n")
}

/// A sandbox with a personal skill for each name.
fn with(names: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    for name in names {
        add(&sandbox, text(name, "Body.")).success();
    }
    sandbox
}

fn add(sandbox: &Sandbox, text: impl AsRef<[u8]>) -> Output {
    sandbox.write("project/skill.md", text);
    sandbox.run(["personal", "add", "skill.md"])
}

fn replace(sandbox: &Sandbox, name: &str, text: impl AsRef<[u8]>) -> Output {
    sandbox.write("project/skill.md", text);
    sandbox.run(["personal", "replace", name, "skill.md"])
}

fn database(sandbox: &Sandbox) -> Connection {
    Connection::open(sandbox.path(DATABASE)).unwrap()
}

fn count(database: &Connection, table: &str) -> i64 {
    let query = format!("SELECT count(*) FROM {table}");
    database.query_row(&query, [], |row| row.get(0)).unwrap()
}

#[test]
fn a_skill_is_added_listed_shown_replaced_and_removed() {
    let sandbox = with(&[]);

    add(&sandbox, text("review", "Be kind. <!-- not too -->")).is("
        added review (74 B)
        -- stderr --
        wrote ~/.codeaf/personal.db
        note: it is off; `codeaf-skills on personal/review --global` turns it on
    ");
    sandbox.run(["personal", "show", "review"]).is("
        name         review
        description  About review.
        size         74 B
        store        ~/.codeaf/personal.db

        Be kind.
    ");
    sandbox
        .run(["personal", "show", "personal/review", "--raw"])
        .is("
        ---
        name: review
        description: About review.
        ---
        Be kind. <!-- not too -->
    ");
    replace(&sandbox, "review", text("review", "Be strict.")).is("
        replaced review (59 B)
        -- stderr --
        wrote ~/.codeaf/personal.db
    ");
    replace(&sandbox, "review", text("review", "Be strict.")).is("
        review is the same already
    ");
    let listed = sandbox.run(["personal", "list", "--json"]).success().json();
    assert_eq!(listed["store"], "[D]/home/.codeaf/personal.db");
    assert_eq!(listed["skills"][0]["name"], "review");
    assert_eq!(listed["skills"][0]["size"], 59);
    assert_eq!(listed["skills"][0].get("content"), None);
    sandbox.run(["personal", "rm", "review"]).is("
        removed review
        -- stderr --
        wrote ~/.codeaf/personal.db
    ");
    sandbox.run(["personal", "list"]).is("
        -- stderr --
        note: there are no personal skills here
    ");
}

#[test]
fn reading_makes_no_file() {
    let sandbox = Sandbox::new().home_skill("pdf", "Reads PDF files.");
    let before = sandbox.everything();

    for words in [
        &["list"][..],
        &["why", "pdf"],
        &["personal", "list"],
        &["personal", "audit"],
        &["personal", "show", "x"],
        &["personal", "rm", "x"],
        &["personal", "admin", "--user", "bob", "list"],
        &["personal", "export", "../out"],
        &["personal", "init-team"],
    ] {
        sandbox.run(words);
    }
    sandbox.write("project/skill.md", text("x", "Body."));
    sandbox
        .run(["personal", "replace", "x", "skill.md"])
        .refused();
    fs::remove_file(sandbox.path("project/skill.md")).unwrap();

    assert!(sandbox.everything() == before);
}

#[test]
fn reading_leaves_the_store_as_it_is() {
    let sandbox = with(&["a"]);
    let before = sandbox.everything();

    for words in [
        &["list"][..],
        &["personal", "list"],
        &["use", "a"],
        &["personal", "audit"],
    ] {
        sandbox.run(words).success();
    }

    assert!(sandbox.everything() == before);
}

#[test]
fn a_new_store_is_for_its_owner_alone() {
    let sandbox = with(&["a"]);

    let mode = fs::metadata(sandbox.path(DATABASE))
        .unwrap()
        .permissions()
        .mode();

    assert_eq!(mode & 0o777, 0o600);
    let journal: String = database(&sandbox)
        .query_row("PRAGMA journal_mode", [], |row| row.get(0))
        .unwrap();
    assert_eq!(journal, "wal");
    assert_eq!(sandbox.names_in("home/.codeaf"), ["personal.db"]);
}

#[test]
fn refusals_have_codes_and_store_nothing() {
    let sandbox = with(&["a"]);
    let before = fs::read(sandbox.path(DATABASE)).unwrap();
    let wide = format!("---\nname: b\ndescription: {}\n---\nB", "d".repeat(4_097));

    for (text, code) in [
        ("x".repeat(65_537), "skill-too-large"),
        ("x".to_owned(), "invalid-skill-content"),
        ("---\nname: B\n---\nB".to_owned(), "invalid-skill-name"),
        (wide, "skill-description-too-large"),
        (
            "---\nname: b\n---\n<!-- B -->".to_owned(),
            "skill-body-required",
        ),
        (text("a", "Another."), "skill-exists"),
    ] {
        sandbox.write("project/skill.md", text);
        let output = sandbox
            .run(["personal", "add", "skill.md", "--json"])
            .refused();
        assert_eq!(output.error_json()["error"]["code"], code);
        assert_ne!(output.error_json()["error"]["help"], "");
    }
    let named = |words: &[&str]| {
        let output = sandbox.run(words).refused();
        output.error_json()["error"]["code"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    sandbox.write("project/skill.md", text("b", "Body."));
    assert_eq!(
        named(&["personal", "replace", "b", "skill.md", "--json"]),
        "skill-not-found"
    );
    assert_eq!(
        named(&["personal", "replace", "a", "skill.md", "--json"]),
        "skill-name-mismatch"
    );
    assert_eq!(
        named(&["personal", "show", "b", "--json"]),
        "skill-not-found"
    );
    assert_eq!(named(&["personal", "rm", "b", "--json"]), "skill-not-found");
    assert_eq!(
        named(&["personal", "rm", "a' OR '1'='1", "--json"]),
        "skill-not-found"
    );
    assert_eq!(
        named(&["personal", "add", "none.md", "--json"]),
        "file-not-read"
    );
    assert_eq!(
        named(&["personal", "admin", "--user", "bob", "list", "--json"]),
        "store-one-owner"
    );

    assert!(fs::read(sandbox.path(DATABASE)).unwrap() == before);
}

#[test]
fn a_skill_is_not_renamed_and_the_message_says_how() {
    let sandbox = with(&["a"]);

    replace(&sandbox, "a", text("b", "Body.")).is("
        -- stderr --
        error: the text is called `b`, and a skill cannot be renamed
        help: add it as `b` with `codeaf-skills personal add`, then remove the old one: `codeaf-skills personal rm a`
        -- exit 1 --
    ");
}

#[test]
fn what_cannot_be_replaced_is_to_be_added() {
    let sandbox = with(&["a"]);

    replace(&sandbox, "b", text("b", "Body.")).refused().has(&[
        "error: no personal skill is called `b`\n",
        "help: `codeaf-skills personal add skill.md` puts it in as a new skill\n",
    ]);
    replace(&sandbox, "nothing", text("c", "Body."))
        .refused()
        .has(&[
            "error: the text is called `c`, and a skill cannot be renamed\n",
            "help: there is no `nothing`; `codeaf-skills personal add skill.md` puts the text in as `c`\n",
        ]);
}

#[test]
fn a_store_is_made_with_all_the_folders_above_it() {
    let sandbox = Sandbox::new();
    sandbox.write("project/skill.md", text("a", "Body."));

    sandbox
        .run([
            "--store",
            "sqlite:one/two/own.db",
            "personal",
            "add",
            "skill.md",
        ])
        .success();

    for folder in ["project/one", "project/one/two"] {
        let mode = fs::metadata(sandbox.path(folder))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o700, "{folder}");
    }
}

#[test]
fn a_url_that_stands_where_a_name_belongs_is_not_kept_and_not_said_again() {
    let sandbox = Sandbox::new();

    for words in [
        &["on", "--force"][..],
        &["off"],
        &["on", "--json"],
        &["on", "personal/"],
    ] {
        let url = match words {
            ["on", "personal/"] => "personal/postgres://u:geheim@h/db",
            _ => "postgres://u:geheim@h/db",
        };
        let words = words.iter().filter(|word| !word.ends_with('/'));
        let words = words.copied().chain([url, "--global"]);
        sandbox.run(words).refused().lacks(&["geheim"]).has(&[
            "a URL is not the name of a skill",
            "the store of personal skills is named with `--store URL`",
        ]);
    }
    assert!(!sandbox.path(GLOBAL).exists());
}

#[test]
fn the_101st_skill_is_refused() {
    let sandbox = with(&["a"]);
    fill(&sandbox, 99);

    add(&sandbox, text("last", "Body.")).success();
    add(&sandbox, text("one-more", "Body.")).is("
        -- stderr --
        error: there are 100 personal skills already, and 100 are the most
        help: remove one that you no longer need: `codeaf-skills personal rm NAME`
        -- exit 1 --
    ");
    replace(&sandbox, "last", text("last", "Other.")).success();
    sandbox.run(["personal", "rm", "last"]).success();
    add(&sandbox, text("one-more", "Body.")).success();
}

/// Puts in skills by hand until there are `all`.
fn fill(sandbox: &Sandbox, all: i64) {
    let database = database(sandbox);
    for number in count(&database, "personal_skills")..all {
        let name = format!("filler-{number}");
        database
            .execute(
                "INSERT INTO personal_skills (name, content) VALUES (?1, ?2)",
                rusqlite::params![name, text(&name, "Body.").as_bytes()],
            )
            .unwrap();
    }
}

#[test]
fn of_eight_writers_one_gets_the_last_place() {
    let sandbox = with(&["a"]);
    fill(&sandbox, 99);
    let mut writers = Vec::new();
    for number in 0..8 {
        let file = format!("project/{number}.md");
        sandbox.write(&file, text(&format!("rival-{number}"), "Body."));
        let mut command = sandbox.command(["personal", "add", &format!("{number}.md"), "--json"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        writers.push(command.spawn().unwrap());
    }

    let ends: Vec<_> = writers
        .into_iter()
        .map(|writer| writer.wait_with_output().unwrap())
        .collect();

    let done = ends.iter().filter(|end| end.status.success()).count();
    let full = ends
        .iter()
        .filter(|end| String::from_utf8_lossy(&end.stderr).contains("skill-limit-reached"));
    assert_eq!((done, full.count()), (1, 7), "{ends:?}");
    assert_eq!(count(&database(&sandbox), "personal_skills"), 100);
}

#[test]
fn eight_first_writers_lose_nothing() {
    let sandbox = Sandbox::new();
    let mut writers = Vec::new();
    for writer in 0..8 {
        let script = format!(
            "for i in 1 2 3 4 5; do printf -- '---\\nname: w{writer}-'$i'\\n---\\nB\\n' | '{PROGRAM}' -q personal add - || exit 1; done"
        );
        let mut command = sandbox.command_of("/bin/bash");
        command
            .args(["-c", &script])
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        writers.push(command.spawn().unwrap());
    }

    for writer in writers {
        let end = writer.wait_with_output().unwrap();
        assert!(
            end.status.success(),
            "{}",
            String::from_utf8_lossy(&end.stderr)
        );
    }

    let database = database(&sandbox);
    assert_eq!(count(&database, "personal_skills"), 40);
    assert_eq!(count(&database, "personal_skill_audit"), 40);
}

#[test]
fn a_killed_writer_leaves_the_old_or_the_new() {
    let sandbox = with(&["a"]);
    let body = "x".repeat(60_000);
    let texts = [
        text("a", &format!("{body}1")),
        text("a", &format!("{body}2")),
    ];
    sandbox.write("project/0.md", &texts[0]);
    sandbox.write("project/1.md", &texts[1]);
    replace(&sandbox, "a", &texts[0]).success();

    for round in 0..24_u64 {
        let file = format!("{}.md", round % 2);
        let mut command = sandbox.command(["personal", "replace", "a", &file]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut writer = command.spawn().unwrap();
        std::thread::sleep(Duration::from_micros(round * 700));
        writer.kill().unwrap();
        writer.wait().unwrap();

        let kept = sandbox.run(["personal", "show", "a", "--raw"]).success();
        assert!(texts.contains(&kept.stdout), "round {round}");
    }
    let database = database(&sandbox);
    let sound: String = database
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(sound, "ok");
}

#[test]
fn the_audit_has_each_change_and_nothing_else() {
    let sandbox = with(&["a"]);
    replace(&sandbox, "a", text("a", "Other.")).success();
    add(&sandbox, text("a", "Body.")).refused();
    sandbox.run(["personal", "show", "a"]).success();
    sandbox.run(["personal", "list"]).success();
    sandbox
        .run_with(
            &[("USER", "bob".as_ref()), ("LOGNAME", "bob".as_ref())],
            ["personal", "rm", "a"],
        )
        .success();
    add(&sandbox, text("b", "B.")).success();

    let all = sandbox
        .run(["personal", "audit", "--json"])
        .success()
        .json();
    let of_a = sandbox
        .run(["personal", "audit", "a", "--json"])
        .success()
        .json();

    let row = |record: &serde_json::Value| {
        let (action, skill) = (
            record["action"].as_str().unwrap(),
            record["skill"].as_str().unwrap(),
        );
        format!("{action} {skill}")
    };
    let rows = |answer: &serde_json::Value| -> Vec<String> {
        answer["records"]
            .as_array()
            .unwrap()
            .iter()
            .map(row)
            .collect()
    };
    assert_eq!(rows(&all), ["add a", "replace a", "remove a", "add b"]);
    assert_eq!(rows(&of_a), ["add a", "replace a", "remove a"]);
    assert_eq!(
        all["records"][1]["diff"],
        "--- personal/a\n+++ personal/a\n@@ -2,4 +2,4 @@\n name: a\n description: About a.\n ---\n-Body.\n+Other.\n"
    );
    assert_eq!(
        all["records"][2]["actor"], all["records"][0]["actor"],
        "a variable changes no name"
    );
    assert!(
        all["records"][2]["diff"]
            .as_str()
            .unwrap()
            .starts_with("--- personal/a\n+++ /dev/null\n")
    );
}

#[test]
fn a_long_audit_is_told_whole() {
    let sandbox = with(&["a"]);
    for round in 0..150 {
        let file = text("a", &format!("Body {round}."));
        database(&sandbox)
            .execute("UPDATE personal_skills SET content = ?1", [file.as_bytes()])
            .unwrap();
    }

    let all = sandbox
        .run(["personal", "audit", "--json"])
        .success()
        .json();

    let records = all["records"].as_array().unwrap();
    assert_eq!(records.len(), 151);
    assert_eq!(
        records[1]["actor"], "unknown",
        "no false name for another program"
    );
    assert!(
        records[150]["diff"]
            .as_str()
            .unwrap()
            .contains("+Body 149.")
    );
}

#[test]
fn the_file_holds_the_rules_itself() {
    let sandbox = with(&["a"]);
    let database = database(&sandbox);
    let insert = |name: &str, description: &str, content: &[u8]| {
        let values = rusqlite::params![name, description, content];
        let insert = "INSERT INTO personal_skills (name, description, content) VALUES (?1, ?2, ?3)";
        database
            .execute(insert, values)
            .map_err(|error| error.to_string())
    };
    let long = "a".repeat(Limits::PERSONAL_NAME_BYTES + 1);
    let wide = "d".repeat(Limits::PERSONAL_DESCRIPTION_BYTES + 1);
    let large = vec![b'x'; Limits::PERSONAL_TEXT_BYTES + 1];

    for (name, description, content, refusal) in [
        ("B", "", &b"x"[..], "name_is_kebab"),
        ("b--c", "", b"x", "name_is_kebab"),
        ("-b", "", b"x", "name_is_kebab"),
        ("b\0", "", b"x", "name_is_kebab"),
        ("b\n", "", b"x", "name_is_kebab"),
        ("", "", b"x", "name_is_kebab"),
        (&long, "", b"x", "name_bytes"),
        ("b", &wide, b"x", "description_bytes"),
        ("b", "", &large, "content_bytes"),
        ("a", "", b"x", "UNIQUE"),
    ] {
        let found = insert(name, description, content).unwrap_err();
        assert!(found.contains(refusal), "{name:?}: {found}");
    }
    insert(&long[1..], &wide[1..], &large[1..]).unwrap();
    for statement in [
        "UPDATE personal_skills SET name = 'c' WHERE name = 'a'",
        "UPDATE personal_skill_audit SET actor = 'nobody'",
        "DELETE FROM personal_skill_audit",
    ] {
        assert!(database.execute(statement, []).is_err(), "{statement}");
    }
    fill(&sandbox, i64::try_from(Limits::PERSONAL_SKILLS).unwrap());
    let full = insert("z", "", b"x").unwrap_err();
    assert!(full.contains("personal_skills_per_user_limit"), "{full}");
}

#[test]
fn both_sources_meet_under_aliases() {
    let sandbox = with(&["review", "note"]).home_skill("review", "From a folder.");
    sandbox
        .run(["on", "review", "note", "--global"])
        .refused()
        .has(&["`review` could be personal/review or workspace/review"]);
    sandbox
        .run(["on", "personal/review", "note", "--global"])
        .is("
        personal/review  on  global  ~/.codeaf/skills.json:3:5
        personal/note    on  global  ~/.codeaf/skills.json:4:5
        -- stderr --
        wrote ~/.codeaf/skills.json
    ");

    let catalog = sandbox.run(["render-catalog"]).success().stdout;
    let lines: Vec<&str> = catalog
        .lines()
        .filter(|line| line.starts_with("- "))
        .collect();
    assert_eq!(
        lines,
        [
            "- note (50 B): About note.",
            "- personal/review (54 B): About review."
        ]
    );
    let tool = sandbox.run(["tool"]).json();
    let names = &tool["function"]["parameters"]["properties"]["name"]["enum"];
    assert_eq!(names, &json!(["note", "personal/review"]));
    let commands = sandbox.run(["commands", "--json"]).json();
    let typed: Vec<_> = commands["commands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["command"].clone())
        .collect();
    assert_eq!(typed, ["/note", "/personal/review", "/workspace/review"]);
    sandbox.run(["use", "personal/review"]).is("
        <skill name=\"personal/review\">
        Body.
        </skill>
    ");
    sandbox
        .run(["use", "review", "--json"])
        .refused()
        .has(&["\"skill-ambiguous\""]);
    sandbox.run(["is-on", "personal/review"]).success();
    sandbox.run(["is-on", "workspace/review"]).refused();
    sandbox
        .run(["off", "personal/review", "--project"])
        .success();
    sandbox.run(["is-on", "personal/review"]).refused();
    let row = &sandbox.run(["list", "--json", "note"]).json()["skills"][0];
    assert_eq!(
        (&row["source"], &row["origin"]),
        (&json!("personal"), &json!("personal"))
    );
    assert_eq!(
        (&row["root"], &row["location"]),
        (&json!(null), &json!(null))
    );
}

#[test]
fn a_question_that_has_no_answer_is_not_answered_in_silence() {
    let sandbox = with(&["x"]).home_skill("x", "From a folder.");

    sandbox
        .run(["is-on", "x"])
        .refused()
        .has(&["error: `x` could be personal/x or workspace/x"]);
    sandbox.run(["is-on", "nope"]).refused().silent();
    sandbox.write(DATABASE, "This is no database at all, but a text.");
    sandbox
        .run(["is-on", "nope"])
        .refused()
        .has(&["error: no skill in a folder is called `nope`; "]);
    let told = sandbox.run(["is-on", "nope", "--json"]).refused();
    assert_eq!(told.error_json()["error"]["code"], "skill-unknown");
    sandbox.run(["is-on", "workspace/nope"]).refused().silent();
}

#[test]
fn raw_and_json_are_one_or_the_other() {
    let sandbox = with(&["x"]);

    for words in [
        &["show", "x", "--raw", "--json"][..],
        &["--json", "show", "x", "--raw"],
        &["personal", "show", "x", "--raw", "--json"],
        &["--json", "personal", "show", "x", "--raw"],
    ] {
        let refused = sandbox.run(words).usage().error_json();
        let message = "the argument '--raw' cannot be used with '--json'";
        assert_eq!(refused["error"]["message"], message);
    }
}

#[test]
fn no_comment_of_a_personal_skill_reaches_a_model() {
    let sandbox = with(&[]);
    let stored = text("x", "\n Read. <!-- hidden --> \n\n");
    add(&sandbox, &stored).success();
    sandbox.run(["on", "x", "--global"]).success();

    for words in [
        &["use", "x"][..],
        &["use", "x", "--json"],
        &["use", "x", "--profile", "albedo"],
        &["use", "x", "--profile", "coder"],
        &["use", "x", "--profile", "vbot"],
    ] {
        sandbox
            .run(words)
            .success()
            .has(&["Read."])
            .lacks(&["hidden"]);
    }
    for words in [&["read", "x"][..], &["personal", "show", "x", "--raw"]] {
        sandbox.run(words).success().has(&["hidden"]);
    }
}

#[test]
fn what_is_no_text_is_refused_before_the_store_is_asked() {
    let sandbox = Sandbox::new();

    add(&sandbox, "---\nname: a\ndescription: \"a\\0b\"\n---\nB").is(r"
        -- stderr --
        error: the text is not a skill: skill.md:3:14: error[yaml-control-character]: the description holds a NUL, which is no text
        help: take `\0` out of it
        -- exit 1 --
    ");
    add(&sandbox, b"---\nname: a\n---\nB\xff").refused();

    assert!(!sandbox.has(DATABASE));
}

#[test]
fn a_next_step_names_what_is_to_be_mended() {
    let sandbox = with(&["x"]);
    let variable = |value: &str, words: &[&str]| {
        let variables = [("CODEAF_SKILLS_STORE", value.as_ref())];
        sandbox.run_with(&variables, words).refused().stderr
    };

    assert_eq!(
        variable("mysql:x", &["personal", "list"]),
        "error: which store is meant is not known: a store begins with `sqlite:` or `postgres://`\n\
         help: mend `--store` or CODEAF_SKILLS_STORE, or name another store with `--store`\n"
    );
    let split = variable("postgres://alice:se@c/ret@db/x", &["personal", "list"]);
    assert!(
        split.contains("write each `@` but the one before the host as `%40`"),
        "{split}"
    );
    assert!(!split.contains("ret"), "{split}");
    sandbox.write("home/.codeaf/skills.json", r#"{"store": "mysql:x"}"#);
    sandbox
        .run(["personal", "list"])
        .refused()
        .has(&["help: mend `\"store\"` in ~/.codeaf/skills.json, or name"]);
}

#[test]
fn why_names_the_entry_that_decided() {
    let sandbox = with(&["x"]).home_skill("x", "From a folder.").file(
        "home/.codeaf/skills.json",
        r#"{"on": ["x"], "off": ["personal/x"]}"#,
    );

    sandbox.run(["why", "personal/x"]).is("
        personal/x is off: the global scope says so

        SCOPE    SAYS     WHERE
        project  nothing  .codeaf/skills.json
        global   off      ~/.codeaf/skills.json:1:23  by `personal/x` <- decides

        COPY   SIZE  WHERE     DESCRIPTION
        meant  44 B  personal  About x.

        to turn it on:
          codeaf-skills on personal/x --global
    ");
    let workspace = sandbox.run(["why", "workspace/x", "--json"]).json();
    assert_eq!(workspace["trail"][1]["entry"], "x");
}

#[test]
fn a_new_skill_that_has_a_twin_is_told_its_alias() {
    let sandbox = Sandbox::new().home_skill("a", "From a folder.");

    add(&sandbox, text("a", "Body.")).success().has(&[
        "note: a folder holds a skill of this name too; this one is called personal/a",
        "`codeaf-skills on personal/a --global` turns it on",
    ]);
}

#[test]
fn a_store_is_named_by_flag_variable_or_global_file() {
    let sandbox = Sandbox::new().file(
        "home/.codeaf/skills.json",
        r#"{"store": "sqlite:~/third.db"}"#,
    );
    sandbox.write("project/skill.md", text("a", "Body."));

    sandbox
        .run(["--store", "sqlite:first.db", "personal", "add", "skill.md"])
        .success();
    let variable = [("CODEAF_SKILLS_STORE", "sqlite:second.db".as_ref())];
    sandbox
        .run_with(
            &variable,
            ["-C", "..", "personal", "add", "project/skill.md"],
        )
        .success();
    sandbox.run(["personal", "add", "skill.md"]).success();

    assert!(sandbox.has("project/first.db"));
    assert!(sandbox.has("project/second.db"));
    assert!(sandbox.has("home/third.db"));
    assert!(!sandbox.has(DATABASE));
    sandbox
        .run(["--store", "mysql:x", "list"])
        .usage()
        .has(&["a store begins with `sqlite:` or `postgres://`"]);
}

#[test]
fn a_decision_on_a_personal_skill_is_written_with_its_source() {
    let sandbox = with(&["db-a", "db-b"]);
    let global = "home/.codeaf/skills.json";

    sandbox.run(["on", "db-a", "--global"]).success().is("
        personal/db-a  on  global  ~/.codeaf/skills.json:3:5
        -- stderr --
        wrote ~/.codeaf/skills.json
    ");
    sandbox.run(["off", "db-*", "--project"]).success().is("
        personal/db-a  off  project  .codeaf/skills.json:4:5
        personal/db-b  off  project  .codeaf/skills.json:5:5
        -- stderr --
        wrote .codeaf/skills.json
    ");
    sandbox.run(["clear", "db-*", "--project"]).success();
    sandbox
        .run(["on", "p*", "--global"])
        .refused()
        .has(&["no skill matches `p*`"]);
    sandbox.run(["why", "db-a"]).success().has(&[
        "by `personal/db-a` <- decides",
        "codeaf-skills off personal/db-a --global",
    ]);
    sandbox
        .run(["why", "db-b"])
        .success()
        .has(&["codeaf-skills on personal/db-b --global"]);
    let cloned = sandbox.skill("project/.claude/skills", "db-a", "From a repository.");

    cloned.run(["is-on", "workspace/db-a"]).refused();
    cloned.run(["is-on", "personal/db-a"]).success();
    assert_eq!(
        cloned.read(global),
        "{\n  \"on\": [\n    \"personal/db-a\"\n  ],\n  \"off\": []\n}\n"
    );
}

#[test]
fn a_repositorys_copy_that_a_bare_entry_turned_on_is_marked() {
    let sandbox = with(&["x"])
        .file("home/.codeaf/skills.json", r#"{"on": ["x"]}"#)
        .project_skill("x", "From a repository.");
    let marks = |sandbox: &Sandbox| {
        let listed = sandbox.run(["list", "--json"]).success().json();
        let skills = listed["skills"].as_array().unwrap().clone();
        let mark = |skill: &serde_json::Value| skill["on_by_this_repository"] == true;
        skills.iter().map(mark).collect::<Vec<_>>()
    };

    assert_eq!(marks(&sandbox), [false, true]);
    sandbox.run(["why", "workspace/x"]).success().has(&[
        "workspace/x is on: the global scope names it without a source, and may have meant personal/x",
        "codeaf-skills off workspace/x --global",
    ]);
    sandbox.write("home/.codeaf/skills.json", r#"{"on": ["workspace/x"]}"#);
    assert_eq!(marks(&sandbox), [false, false]);
}

#[test]
fn every_command_that_why_advises_does_what_it_says() {
    for entry in ["x", "personal/x", "workspace/x"] {
        for state in ["on", "off"] {
            let sandbox = with(&["x"]).home_skill("x", "From a folder.");
            sandbox.write(
                "home/.codeaf/skills.json",
                format!(r#"{{"{state}": ["{entry}"]}}"#),
            );
            for alias in ["personal/x", "workspace/x"] {
                let before = sandbox.command(["is-on", alias]).status().unwrap();
                let told = sandbox.run(["why", alias]).success().stdout;
                let advice = told.lines().last().unwrap().trim().to_owned();

                sandbox.shell(&advice).success();

                let after = sandbox.command(["is-on", alias]).status().unwrap();

                assert_ne!(before, after, "{entry} {state}: {advice}");
            }
        }
    }
}

#[test]
fn clear_takes_back_both_spellings_of_an_own_skill() {
    let sandbox = with(&["x"]).file(
        "home/.codeaf/skills.json",
        r#"{"on": ["x", "y"], "off": ["personal/x"]}"#,
    );

    sandbox.run(["clear", "x", "--global"]).success().is("
        x  off  default  no scope names it
        -- stderr --
        wrote ~/.codeaf/skills.json
    ");

    let left = sandbox.read("home/.codeaf/skills.json");
    assert_eq!(left, r#"{"on": ["y"], "off": []}"#);
}

#[test]
fn clear_of_a_name_that_could_be_two_says_so() {
    let sandbox = with(&["x"])
        .home_skill("x", "From a folder.")
        .file("home/.codeaf/skills.json", r#"{"on": ["x", "personal/x"]}"#);

    sandbox.run(["clear", "x", "--global"]).success().is("
        personal/x   on   global   ~/.codeaf/skills.json:1:9
        workspace/x  off  default  no scope names it
        -- stderr --
        wrote ~/.codeaf/skills.json
        note: the entry personal/x of the same file still decides personal/x; `codeaf-skills clear personal/x --global` takes it back
    ");
    sandbox.run(["clear", "x", "--project"]).success().is("
        personal/x   on   global   ~/.codeaf/skills.json:1:9
        workspace/x  off  default  no scope names it
        -- stderr --
        note: no decision of the project scope is x; it could be personal/x or workspace/x
    ");
}

#[test]
fn a_decision_that_outlived_its_skill_is_told_by_its_bare_name() {
    let sandbox = with(&["gone"]);
    sandbox.run(["on", "gone", "--global"]).success();
    sandbox.run(["personal", "rm", "gone"]).success();

    sandbox.run(["why", "gone"]).refused().has(&[
        "  ~/.codeaf/skills.json:3:5: on in the global scope by personal/gone\n",
        "to take the decision back:\n  codeaf-skills clear personal/gone --global\n",
    ]);
}

#[test]
fn a_relative_store_in_the_global_file_is_not_the_repositorys() {
    let sandbox = with(&["theirs"]);
    fs::rename(sandbox.path(DATABASE), sandbox.path("project/rel.db")).unwrap();
    let sandbox = sandbox.file(GLOBAL, r#"{"store": "sqlite:rel.db", "on": ["theirs"]}"#);

    sandbox
        .run(["render-catalog"])
        .success()
        .lacks(&["theirs ("]);

    fs::rename(
        sandbox.path("project/rel.db"),
        sandbox.path("home/.codeaf/rel.db"),
    )
    .unwrap();
    sandbox
        .run(["render-catalog"])
        .success()
        .has(&["- theirs ("]);
}

#[test]
fn off_leaves_no_bare_entry_that_waits_for_a_repository() {
    let sandbox = with(&["aa"]).file(GLOBAL, r#"{"on": ["aa", "bb"]}"#);

    sandbox
        .run(["off", "aa", "--global"])
        .success()
        .has(&["note: `aa` was on without a source; that is taken back too\n"]);

    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&sandbox.read(GLOBAL)).unwrap(),
        serde_json::json!({"on": ["bb"], "off": ["personal/aa"]})
    );
    let sandbox = sandbox.project_skill("aa", "From a repository.");
    sandbox.run(["render-catalog"]).success().is("");
}

#[test]
fn off_of_a_personal_skill_leaves_what_means_the_workspace() {
    let sandbox = with(&["aa"])
        .home_skill("aa", "From a folder.")
        .file(GLOBAL, r#"{"on": ["aa"]}"#);

    sandbox.run(["off", "personal/aa", "--global"]).success();

    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&sandbox.read(GLOBAL)).unwrap(),
        serde_json::json!({"on": ["aa"], "off": ["personal/aa"]})
    );
}

#[test]
fn a_url_without_its_flag_is_refused_and_its_password_not_said_again() {
    let sandbox = Sandbox::new();
    let url = "postgres://ann:SECRET@db/team";

    for words in [
        &["why", url][..],
        &["show", url],
        &["use", url],
        &["is-on", url],
        &["resources", url],
        &["read", url, "x"],
        &["clear", url, "--global"],
    ] {
        for json in [&[][..], &["--json"]] {
            let told = sandbox.run(words.iter().chain(json)).usage();
            assert!(told.stderr.contains("postgres://ann@db/team"), "{words:?}");
            assert!(told.stderr.contains("a URL is not the name of a skill"));
            told.lacks(&["SECRET"]);
        }
    }
}

#[test]
fn why_shows_decisions_while_the_store_is_away() {
    let sandbox = Sandbox::new().file(
        GLOBAL,
        r#"{"on": ["personal/z"], "store": "sqlite:/nowhere/own.db"}"#,
    );

    sandbox
        .run(["why", "z"])
        .refused()
        .has(&["  ~/.codeaf/skills.json:1:9: on in the global scope by personal/z\n"]);
}

#[test]
fn off_and_clear_reach_what_a_name_means_in_the_file_while_no_skill_bears_it() {
    let away = "sqlite:/nowhere/own.db";
    for (store, what) in [(away, "its store gives no answer"), ("", "no such skill")] {
        for (lists, off, clear) in [
            (
                r#"{"on": ["personal/z"]}"#,
                serde_json::json!({"on": [], "off": ["personal/z"]}),
                serde_json::json!({"on": []}),
            ),
            (
                r#"{"on": ["workspace/z", "personal/z", "z", "y"]}"#,
                serde_json::json!({"on": ["y"], "off": ["workspace/z", "personal/z", "z"]}),
                serde_json::json!({"on": ["y"]}),
            ),
            (
                r#"{"on": ["y"]}"#,
                serde_json::json!({"on": ["y"], "off": ["z"]}),
                serde_json::json!({"on": ["y"]}),
            ),
        ] {
            for (verb, wanted) in [("off", off), ("clear", clear)] {
                let sandbox = Sandbox::new().file(GLOBAL, lists);
                let mut words = vec![verb, "z", "--global"];
                if !store.is_empty() {
                    words.extend(["--store", store]);
                }

                let told = sandbox.run(&words).success();

                let file: serde_json::Value = serde_json::from_str(&sandbox.read(GLOBAL)).unwrap();
                assert_eq!(file, wanted, "{verb} in {lists}");
                assert!(told.stdout.contains(what), "{verb}: {}", told.stdout);
            }
        }
    }
}

#[test]
fn off_says_of_a_personal_skill_nobody_knows_that_it_stays_on() {
    let sandbox = Sandbox::new()
        .home_skill("z", "From a folder.")
        .file(GLOBAL, r#"{"on": ["personal/z"]}"#);

    let told = sandbox
        .run(["--store", "sqlite:/nowhere/own.db", "off", "z", "--global"])
        .success();

    told.has(&["note: personal/z stays on in that file; `codeaf-skills --store sqlite:/nowhere/own.db off personal/z --global` turns it off\n"]);
}

#[test]
fn a_copy_of_a_repository_is_marked_while_nobody_knows_what_was_meant() {
    let sandbox = Sandbox::new()
        .project_skill("z", "The repository's.")
        .file(GLOBAL, r#"{"on": ["z"]}"#);
    let away = ["--store", "sqlite:/nowhere/own.db"];

    let known = sandbox.run(["list", "--json"]).success().json();
    let unknown = sandbox
        .run(away.iter().chain(&["list", "--json"]))
        .success()
        .json();
    let why = sandbox.run(away.iter().chain(&["why", "z"])).success();

    assert_eq!(known["skills"][0]["on_by_this_repository"], false);
    assert_eq!(unknown["skills"][0]["on_by_this_repository"], true);
    why.has(&[
        "z is on: the global scope names it without a source, and may have meant personal/z\n",
    ]);
}

#[test]
fn a_name_that_a_store_may_have_is_unknown_while_it_is_away() {
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .file(DATABASE, "This is no database at all, but a text.");

    for words in [
        &["show", "x"][..],
        &["use", "x"],
        &["on", "x", "--global"],
        &["on", "x*", "--global"],
        &["read", "x"],
        &["resources", "personal/x"],
    ] {
        let name = words[1];
        sandbox.run(words).refused().has(&[
            &format!("error: no skill in a folder is called `{name}`; ~/.codeaf/personal.db: personal skills are unknown: this is no store of personal skills: file is not a database\n"),
            "help: name another store, bring the file back from a backup, or move it away\n",
        ]);
        let failed = sandbox.run(words.iter().chain(&["--json"])).refused();
        assert_eq!(failed.error_json()["error"]["code"], "skill-unknown");
    }
    sandbox
        .run(["use", "pfd"])
        .refused()
        .has(&["help: did you mean `pdf`? If not: name another store, bring the file back"]);
    sandbox
        .run(["use", "workspace/x"])
        .refused()
        .has(&["error: no skill is called `workspace/x`\n"]);
    sandbox
        .run(["off", "x", "--global"])
        .success()
        .has(&["note: no skill in a folder is called x; the decision is kept"]);
    sandbox
        .run(["why", "x"])
        .refused()
        .has(&[
            "no skill in a folder is called x\n",
            "\nscopes name it:\n  ~/.codeaf/skills.json",
            "\nmend what is said of the store, then look again:\n  codeaf-skills why x\n",
        ])
        .lacks(&["clear", "all the same"]);
    sandbox
        .run(["why", "workspace/x"])
        .refused()
        .has(&["no skill is called workspace/x\n", "--skills-dir"]);
    sandbox
        .run(["is-on", "x"])
        .refused()
        .has(&["this is no store of personal skills"]);
}

#[test]
fn what_names_no_store_is_told_with_its_file() {
    let sandbox = Sandbox::new().file(GLOBAL, r#"{"store": "mysql:x"}"#);

    sandbox.run(["list"]).success().has(&[
        "~/.codeaf/skills.json: warning[store-unknown]: personal skills are unknown: which store is meant is not known: a store begins with `sqlite:` or `postgres://`\n",
        "help: mend `\"store\"` in ~/.codeaf/skills.json, or name another store with `--store`\n",
    ]);
    sandbox
        .run(["personal", "list"])
        .refused()
        .has(&["help: mend `\"store\"` in ~/.codeaf/skills.json, or name another"]);
}

#[test]
fn a_failure_in_json_stands_alone() {
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .file(GLOBAL, r#"{"on": ["a", "a"]}"#);

    let failed = sandbox.run(["use", "nothing", "--json"]).refused();
    assert_eq!(failed.error_json()["error"]["code"], "skill-not-found");
    sandbox
        .run(["use", "pdf", "--json"])
        .success()
        .has(&["warning[scope-duplicate]", "note: pdf is off"]);
}

#[test]
fn why_of_a_personal_name_that_is_not_there_looks_where_it_could_be() {
    let sandbox = with(&["other"]).home_skill("aa", "From a folder.");

    sandbox
        .run(["why", "personal/aa"])
        .refused()
        .has(&["names near it:\n  aa  (", "codeaf-skills why aa\n"])
        .lacks(&["patterns"]);
    sandbox
        .run(["why", "personal/zzzz"])
        .refused()
        .has(&["looked in the store ", "codeaf-skills personal list\n"])
        .lacks(&["patterns", "--skills-dir"]);
}

#[test]
fn why_names_every_entry_of_a_skill_that_is_gone_and_how_to_take_it_back() {
    let sandbox = Sandbox::new()
        .file(GLOBAL, r#"{"on": ["gone"]}"#)
        .file("project/.codeaf/skills.json", r#"{"on": ["gone"]}"#);

    sandbox.run(["why", "gone"]).refused().has(&[
        "scopes name it all the same:
  .codeaf/skills.json:1:9: on in the project scope  <- decides
  ~/.codeaf/skills.json:1:9: on in the global scope\n",
        "to take the decisions back:
  codeaf-skills clear gone --project
  codeaf-skills clear gone --global\n",
    ]);
}

#[test]
fn a_listing_is_asked_for_by_alias_too() {
    let sandbox = with(&["x", "y"]).home_skill("x", "From a folder.");

    for (pattern, names) in [
        ("personal/x", "personal/x\n"),
        ("workspace/x", "workspace/x\n"),
        ("personal/*", "personal/x\ny\n"),
        ("x", "personal/x\nworkspace/x\n"),
        ("p*", ""),
    ] {
        let listed = sandbox.run(["list", "--names", pattern]).success();
        assert_eq!(listed.stdout, names, "{pattern}");
    }
}

type Harm<'a> = &'a dyn Fn(&Sandbox);

#[test]
fn what_is_wrong_with_a_store_hides_no_other_skill() {
    let newer = |sandbox: &Sandbox| {
        database(sandbox)
            .pragma_update(None, "user_version", 7)
            .unwrap();
    };
    let foreign = |sandbox: &Sandbox| {
        fs::remove_file(sandbox.path(DATABASE)).unwrap();
        database(sandbox)
            .execute("CREATE TABLE notes (x)", [])
            .unwrap();
    };
    let text =
        |sandbox: &Sandbox| sandbox.write(DATABASE, "This is no database at all, but a text.");
    let folder = |sandbox: &Sandbox| {
        fs::remove_file(sandbox.path(DATABASE)).unwrap();
        fs::create_dir(sandbox.path(DATABASE)).unwrap();
    };
    let torn = |sandbox: &Sandbox| {
        let mut bytes = fs::read(sandbox.path(DATABASE)).unwrap();
        bytes[4_096..].fill(0xAA);
        sandbox.write(DATABASE, bytes);
    };
    let pipe = |sandbox: &Sandbox| {
        fs::remove_file(sandbox.path(DATABASE)).unwrap();
        let made = Command::new("mkfifo")
            .arg(sandbox.path(DATABASE))
            .status()
            .unwrap();
        assert!(made.success());
    };
    let empty = |sandbox: &Sandbox| sandbox.write(DATABASE, "");
    let blank = |sandbox: &Sandbox| {
        fs::remove_file(sandbox.path(DATABASE)).unwrap();
        database(sandbox).execute_batch("VACUUM").unwrap();
    };
    for (harm, words, code) in [
        (
            &newer as Harm<'_>,
            "the store has version 7, and this program knows versions up to 1",
            "store-newer",
        ),
        (
            &foreign,
            "it is a database of another program",
            "store-damaged",
        ),
        (
            &text,
            "this is no store of personal skills: file is not a database",
            "store-damaged",
        ),
        (&folder, "it is not a regular file", "store-damaged"),
        (
            &torn,
            "this is no store of personal skills",
            "store-damaged",
        ),
        (&pipe, "it is not a regular file", "store-damaged"),
        (&empty, "the file is empty", "store-damaged"),
        (
            &blank,
            "it is a database of another program",
            "store-damaged",
        ),
    ] {
        let sandbox = with(&["a"]).home_skill("pdf", "Reads PDF files.");
        harm(&sandbox);

        sandbox.run(["list"]).success().has(&[
            "pdf",
            &format!("~/.codeaf/personal.db: warning[{code}]: personal skills are unknown: "),
            words,
        ]);
        sandbox
            .run(["why", "pdf"])
            .success()
            .has(&["a personal skill of this name may be there", words]);
        sandbox
            .run(["why", "a"])
            .refused()
            .has(&["a personal skill of this name may be there", words]);
        sandbox
            .run(["--require-store", "list"])
            .refused()
            .has(&[words]);
        let failed = sandbox
            .run(["personal", "list", "--json"])
            .refused()
            .error_json();
        assert_eq!(failed["error"]["code"], code);
        let is_file = sandbox.path(DATABASE).is_file();
        let before = is_file.then(|| fs::read(sandbox.path(DATABASE)).unwrap());
        add(&sandbox, super::personal::text("b", "Body.")).refused();
        assert_eq!(sandbox.names_in("home/.codeaf"), ["personal.db"], "{words}");
        if let Some(before) = before {
            let is_same = fs::read(sandbox.path(DATABASE)).unwrap() == before;
            assert!(is_same, "{words}");
        }
    }
}

#[test]
fn a_fault_of_a_store_has_one_code_everywhere() {
    let sandbox = with(&["a"]);
    database(&sandbox)
        .pragma_update(None, "user_version", 7)
        .unwrap();

    let listed = sandbox.run(["list", "--json"]).success().json();
    assert_eq!(listed["personal_fault"]["rule"], "store-newer");
    assert!(listed["personal_fault"]["line"].is_null());
    for words in [&["personal", "list"][..], &["--require-store", "list"]] {
        let failed = sandbox.run(words.iter().chain(&["--json"])).refused();
        assert_eq!(failed.error_json()["error"]["code"], "store-newer");
    }
}

#[test]
fn a_file_that_was_made_to_hold_us_up_does_not() {
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .folder("home/.codeaf");
    let database = database(&sandbox);
    let mark = i32::from_be_bytes(*b"cdaf");
    database
        .pragma_update(None, "application_id", mark)
        .unwrap();
    database.pragma_update(None, "user_version", 1).unwrap();
    let view = "
        CREATE VIEW personal_skills AS
        WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)
        SELECT n AS id, 'n' AS name, '' AS description, x'00' AS content, 1 AS version, '' AS updated_at FROM r";
    database.execute_batch(view).unwrap();

    let started = Instant::now();
    sandbox
        .run(["list"])
        .success()
        .has(&["pdf", "the store did not answer within 2 s"]);

    assert!(started.elapsed() < Duration::from_secs(8));
}

#[test]
fn a_store_that_was_named_must_be_there() {
    let sandbox = Sandbox::new().home_skill("pdf", "Reads PDF files.").file(
        "home/.codeaf/skills.json",
        r#"{"on": ["gone", "personal/gone", "workspace/gone"]}"#,
    );
    let named = ["--store", "sqlite:away.db"];
    let run = |words: &[&str]| sandbox.run(named.iter().chain(words));

    run(&["list"]).success().has(&[
        "pdf",
        "away.db: warning[store-unreachable]: personal skills are unknown: there is no store: no file is there",
        "check the path; `codeaf-skills --store sqlite:away.db personal add FILE` makes a store there",
    ]);
    run(&["list", "--require-store"]).refused();
    for words in [
        &["personal", "list"][..],
        &["personal", "audit"],
        &["personal", "show", "a"],
        &["personal", "rm", "a"],
        &["personal", "export", "out"],
    ] {
        run(words).refused().is("
            -- stderr --
            error: cannot use the store away.db
            caused by: there is no store: no file is there
            help: check the path; `codeaf-skills --store sqlite:away.db personal add FILE` makes a store there
            -- exit 1 --
        ");
    }
    run(&["clear", "--missing", "--global"])
        .success()
        .has(&["note: entries that may name personal skills are kept while nobody can tell"]);
    let kept = sandbox.read("home/.codeaf/skills.json");
    assert_eq!(kept, r#"{"on": ["gone", "personal/gone"]}"#);

    sandbox.write("project/skill.md", text("a", "Body."));
    run(&["personal", "add", "skill.md"]).success();
    run(&["list", "--require-store"])
        .success()
        .has(&["About a."]);
}

#[test]
fn a_link_to_nothing_is_no_store_and_is_not_replaced() {
    let sandbox = Sandbox::new().link(DATABASE, "/nowhere/personal.db");

    sandbox
        .run(["list"])
        .success()
        .has(&["behind a link to nothing"]);
    add(&sandbox, text("a", "Body.")).refused();

    assert!(
        sandbox
            .path("home/.codeaf")
            .join("personal.db")
            .is_symlink()
    );
}

#[test]
fn a_first_write_that_was_killed_leaves_no_store_or_a_whole_one() {
    for round in 0..20_u64 {
        let sandbox = Sandbox::new();
        sandbox.write("project/skill.md", text("a", "Body."));
        let mut command = sandbox.command(["personal", "add", "skill.md"]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut writer = command.spawn().unwrap();
        std::thread::sleep(Duration::from_micros(round * 1_500));
        writer.kill().unwrap();
        writer.wait().unwrap();

        sandbox.run(["list"]).success().lacks(&["warning"]);
        add(&sandbox, text("b", "Body.")).success();
        assert_eq!(sandbox.names_in("home/.codeaf"), ["personal.db"]);
    }
}

#[test]
fn a_locked_store_is_waited_for_and_not_for_ever() {
    let sandbox = with(&["a"]).home_skill("pdf", "Reads PDF files.");
    let database = database(&sandbox);
    database
        .pragma_update(None, "locking_mode", "exclusive")
        .unwrap();
    database.execute_batch("BEGIN EXCLUSIVE").unwrap();

    let started = Instant::now();
    sandbox
        .run(["list"])
        .success()
        .has(&["pdf", "the store is locked by another program for over 2 s"]);
    let waited = started.elapsed();

    assert!(
        waited > Duration::from_millis(1_900) && waited < Duration::from_millis(3_500),
        "{waited:?}"
    );
    drop(database);
    sandbox.run(["list"]).success().lacks(&["warning"]);
}

#[test]
fn a_change_that_waits_for_the_store_says_so() {
    let sandbox = with(&["a"]);
    let database = database(&sandbox);
    database.execute_batch("BEGIN IMMEDIATE").unwrap();

    let (told, end) = sandbox.run_waiting(["personal", "rm", "a"], || {
        database.execute_batch("COMMIT").unwrap();
    });

    assert_eq!(told, "note: waiting for the store, up to 30 s\n");
    assert_eq!(String::from_utf8_lossy(&end.stdout), "removed a\n");
}

#[test]
fn a_store_on_a_disk_that_is_only_read_is_read() {
    let sandbox = Sandbox::new().folder("small");
    let Some(disk) = Disk::mount(&sandbox, "size=1m") else {
        return;
    };
    let store = format!("sqlite:{}", disk.0.join("p.db").display());
    sandbox.write("project/skill.md", text("a", "Body."));
    sandbox
        .run(["--store", &store, "personal", "add", "skill.md"])
        .success();
    disk.remount("ro");

    sandbox
        .run(["--store", &store, "personal", "show", "a"])
        .success()
        .has(&["Body."]);
    sandbox
        .run(["--store", &store, "list"])
        .success()
        .lacks(&["warning"]);
    sandbox.write("project/skill.md", text("b", "Body."));
    sandbox
        .run(["--store", &store, "personal", "add", "skill.md"])
        .refused()
        .has(&[
            "error: cannot use the store ",
            "caused by: the store cannot ",
        ]);
}

#[test]
fn a_store_in_a_folder_that_only_others_write_is_read() {
    let sandbox = with(&["a"]);
    let store = format!("sqlite:{}", sandbox.path(DATABASE).display());
    for (path, mode) in [
        ("", 0o755),
        ("home", 0o755),
        ("home/.codeaf", 0o555),
        (DATABASE, 0o444),
    ] {
        fs::set_permissions(sandbox.path(path), fs::Permissions::from_mode(mode)).unwrap();
    }
    let run = |words: &[&str]| {
        let mut command = sandbox.command(["--store", &store].iter().chain(words));
        if rustix::process::geteuid().is_root() {
            command.uid(65_534).gid(65_534).env("HOME", "/nonexistent");
        }
        command.current_dir("/");
        sandbox.output(command)
    };

    run(&["personal", "show", "a"]).success().has(&["Body."]);
    run(&["personal", "rm", "a"]).refused().has(&[
        "error: cannot use the store ",
        "caused by: the store cannot be written: ",
    ]);
    let next_step = "help: see with `ls -l` who may read the file, and who may write the files `-wal` and `-shm` beside it and their folder\n";
    sandbox.write(format!("{DATABASE}-wal"), "Changes that wait.");
    run(&["personal", "show", "a"])
        .refused()
        .has(&["caused by: the store cannot be read: ", next_step]);
    fs::remove_file(sandbox.path(format!("{DATABASE}-wal"))).unwrap();
    fs::set_permissions(sandbox.path(DATABASE), fs::Permissions::from_mode(0o600)).unwrap();
    run(&["personal", "show", "a"])
        .refused()
        .has(&["caused by: the store cannot be read: ", next_step]);
    run(&["list"]).success().has(&[
        "warning[store-unreachable]: personal skills are unknown: the store cannot be read: ",
    ]);
}

/// A small disk of its own at `small`, until it is dropped.
struct Disk(PathBuf);

impl Disk {
    /// `None`, with a message, where mounting is not allowed.
    fn mount(sandbox: &Sandbox, options: &str) -> Option<Self> {
        let folder = sandbox.path("small");
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", options, "tmpfs"])
            .arg(&folder);
        let mounted = mount.stderr(Stdio::null()).status();
        if !mounted.is_ok_and(|status| status.success()) {
            tell_passed_over();
            return None;
        }
        Some(Self(folder))
    }

    fn remount(&self, mode: &str) {
        let mut mount = Command::new("mount");
        mount.args(["-o", &format!("remount,{mode}")]).arg(&self.0);
        assert!(mount.status().unwrap().success());
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[expect(
    clippy::print_stderr,
    reason = "a person must see that tests were passed over"
)]
fn tell_passed_over() {
    eprintln!("passed over: mounting is not allowed here");
}

#[test]
fn texts_are_cleaned_for_a_terminal_and_exported_as_they_are() {
    let body = "A\u{1b}[31mred\u{202e} \u{200b}end <!-- c -->";
    let sandbox = Sandbox::new();
    let stored =
        format!("---\nname: a\ndescription: \"D\\e[1m\u{202e}\"\n---\n{body}\r\n").into_bytes();

    add(&sandbox, &stored).success();

    for words in [
        &["personal", "list"][..],
        &["personal", "show", "a"],
        &["personal", "show", "a", "--raw"],
        &["personal", "audit"],
        &["list"],
        &["use", "a"],
        &["show", "a", "--raw"],
    ] {
        let output = sandbox.run(words).success();
        let text = String::from_utf8_lossy(&output.bytes).into_owned();
        assert!(
            !text.contains(['\u{1b}', '\u{202e}', '\u{200b}', '\0']),
            "{words:?}: {text:?}"
        );
    }
    sandbox.run(["personal", "export", "out"]).success();
    assert_eq!(
        fs::read(sandbox.path("project/out/a/SKILL.md")).unwrap(),
        stored
    );
}

#[test]
fn a_store_that_cannot_be_named_is_wrong_usage() {
    let sandbox = Sandbox::new();

    for (url, words) in [
        (
            "mysql://db",
            "a store begins with `sqlite:` or `postgres://`",
        ),
        (
            "postgres://u:geheim@[::1/d",
            "the URL of the store cannot be read: it is not of the form postgres://USER@HOST:PORT/DATABASE",
        ),
        (
            "postgres://u:ge@heim@db/d",
            "the URL of the store cannot be read: write each `@` but the one before the host as `%40`",
        ),
        (
            "sqlite:postgres://u:geheim@h/d",
            "`sqlite:` wants a path behind it, and another URL is there",
        ),
    ] {
        let output = sandbox.run(["--store", url, "list"]);
        output.has(&[
            words,
            "help: write --store sqlite:PATH or --store postgres://USER@HOST/DATABASE",
            "-- exit 2 --",
        ]);
    }
}

#[test]
fn a_url_in_the_wrong_place_is_told_of_without_its_password() {
    let sandbox = Sandbox::new();
    let url = "postgres://u:geheim@h/d";

    for words in [
        &["personal", "list", url][..],
        &["personal", "list", url, "--json"],
        &["personal", "rm", url],
        &["use", url],
        &["--store", "postgres://u%3Ageheim@127.0.0.1:1/d", "list"],
    ] {
        sandbox
            .run(words)
            .has(&["postgres://u@"])
            .lacks(&["geheim"]);
    }
}

#[test]
fn the_help_in_json_is_about_the_same_store() {
    let sandbox = Sandbox::new();

    for words in [&["list"][..], &["why", "a"]] {
        let named = ["--store", "sqlite:away.db", "--json"];
        let answer = sandbox.run(named.iter().chain(words)).json();
        assert_eq!(
            answer["personal_fault"]["help"],
            "check the path; `codeaf-skills --store sqlite:away.db personal add FILE` makes a store there"
        );
    }
}

#[test]
fn a_store_without_a_version_is_damaged() {
    let sandbox = Sandbox::new();
    sandbox.write("project/skill.md", text("a", "Body."));
    let add = || sandbox.run(["personal", "add", "skill.md", "--json"]);
    add().success();
    rusqlite::Connection::open(sandbox.path("home/.codeaf/personal.db"))
        .unwrap()
        .pragma_update(None, "user_version", 0)
        .unwrap();

    let error = &add().refused().error_json()["error"];
    assert_eq!(error["code"], "store-damaged");
}

#[test]
fn suggested_commands_are_about_the_same_store() {
    let sandbox = Sandbox::new();
    sandbox.write("project/skill.md", text("a", "Body."));

    let add = || sandbox.run(["--store", "sqlite:my.db", "personal", "add", "skill.md"]);

    add().is("
        added a (44 B)
        -- stderr --
        wrote my.db
        note: it is off; `codeaf-skills --store sqlite:my.db on personal/a --global` turns it on
    ");
    add().is("
        -- stderr --
        error: there is a personal skill `a` already
        help: `codeaf-skills --store sqlite:my.db personal replace a FILE` puts another text in its place
        -- exit 1 --
    ");
}

#[test]
fn export_writes_folders_and_overwrites_only_by_force() {
    let sandbox = with(&["a", "b"]);

    sandbox.run(["personal", "export", "out"]).is("
        out/a/SKILL.md
        out/b/SKILL.md
        -- stderr --
        wrote 2 skills to out
    ");
    sandbox.write("project/out/a/notes.txt", "Mine.");
    replace(&sandbox, "a", text("a", "Other.")).success();
    fs::remove_dir_all(sandbox.path("project/out/b")).unwrap();
    sandbox.run(["personal", "export", "out"]).is("
        -- stderr --
        error: out/a is there already
        help: nothing was written; `--force` puts the stored text into its SKILL.md
        -- exit 1 --
    ");
    assert!(
        !sandbox.has("project/out/b"),
        "all are looked at before any is written"
    );
    sandbox
        .run(["personal", "export", "out", "--force"])
        .success();
    assert_eq!(sandbox.read("project/out/a/SKILL.md"), text("a", "Other."));
    assert_eq!(sandbox.read("project/out/a/notes.txt"), "Mine.");
    assert_eq!(sandbox.names_in("project/out"), ["a", "b"]);
    let sandbox = with(&["a"])
        .folder("elsewhere")
        .folder("project/out")
        .link("project/out/a", "../../elsewhere");
    sandbox
        .run(["personal", "export", "out", "--force"])
        .refused();
    assert!(sandbox.names_in("elsewhere").is_empty());
}

#[test]
fn an_export_that_cannot_be_whole_writes_nothing() {
    let sandbox = with(&["a", "b"]);
    let long = "c".repeat(256);
    add(&sandbox, text(&long, "Body.")).success();
    let before = sandbox.everything();

    for words in [
        &["personal", "export", "out/deep"][..],
        &["personal", "export", "out", "--force"],
    ] {
        sandbox.run(words).is(&format!("
            -- stderr --
            error: the skill `{long}` cannot be a folder: its name has 256 bytes, and 255 are the most there
            help: nothing was written; add the skill under a shorter name and remove this one
            -- exit 1 --
        "));
    }
    assert!(sandbox.everything() == before);

    sandbox.run(["personal", "rm", &long]).success();
    sandbox.write("project/out", "A file.");
    sandbox.run(["personal", "export", "out/deep"]).is("
        -- stderr --
        error: cannot make the folder out
        caused by: File exists (os error 17)
        help: nothing was written; something else is in its place: move that away, or name another folder
        -- exit 1 --
    ");
}

#[test]
fn what_a_killed_export_left_goes_with_the_next() {
    let sandbox = with(&["a"]);
    sandbox.write("project/out/.codeaf-skills-1-0.tmp/SKILL.md", "Half");
    sandbox.write("project/out/.codeaf-skills-mine.tmp", "Mine.");

    sandbox.run(["personal", "export", "out"]).success();

    assert_eq!(
        sandbox.names_in("project/out"),
        [".codeaf-skills-mine.tmp", "a"]
    );
}

#[test]
fn input_without_end_is_refused() {
    let sandbox = Sandbox::new();

    let output = sandbox
        .shell("yes | codeaf-skills personal add -")
        .refused();

    output.has(&["the skill is too large: it has more than 65536 bytes, and 65536 are the most\n"]);
    sandbox
        .run(["personal", "add", "/dev/zero"])
        .refused()
        .has(&["it has more than 65536 bytes"]);
    assert!(!sandbox.has(DATABASE));
}

#[test]
fn a_personal_skill_has_its_text_and_no_other_files() {
    let sandbox = with(&["a"]);

    sandbox.run(["resources", "a"]).success();
    sandbox.run(["read", "a"]).success().has(&["name: a\n"]);
    sandbox
        .run(["read", "a", "x.md"])
        .refused()
        .has(&["help: `codeaf-skills read personal/a` prints its text\n"])
        .lacks(&[":1:1"]);
    sandbox
        .run(["read", "personal/a"])
        .success()
        .has(&["name: a\n"]);
}

#[test]
fn personal_names_are_completed() {
    let sandbox = with(&["review", "notes"]);
    let mut command = sandbox.command(["--", "codeaf-skills", "personal", "show", "re"]);
    command
        .env("CODEAF_SKILLS_COMPLETE", "bash")
        .env("_CLAP_COMPLETE_INDEX", "3")
        .env("_CLAP_IFS", "\n");

    let output = sandbox.output(command).success();

    assert_eq!(output.stdout.trim(), "review");
}

#[test]
fn a_full_disk_loses_nothing() {
    let sandbox = Sandbox::new().folder("small");
    let Some(disk) = Disk::mount(&sandbox, "size=192k") else {
        return;
    };
    let store = format!("sqlite:{}", disk.0.join("p.db").display());
    let run = |name: &str| {
        let mut command = sandbox.command(["--store", &store, "personal", "add", "-"]);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let body = text(name, &"x".repeat(20_000));
        child
            .stdin
            .take()
            .unwrap()
            .write_all(body.as_bytes())
            .unwrap();
        child.wait_with_output().unwrap()
    };
    let mut kept = Vec::new();
    let mut refused = 0;
    for number in 0..12 {
        let end = run(&format!("s{number}"));
        if end.status.success() {
            kept.push(format!("s{number}"));
        } else {
            refused += 1;
            let words = String::from_utf8_lossy(&end.stderr).into_owned();
            assert!(words.contains("the store cannot be written"), "{words}");
        }
    }
    let listed = sandbox
        .run(["--store", &store, "personal", "list", "--json"])
        .json();
    let names: Vec<_> = listed["skills"]
        .as_array()
        .map(|skills| {
            skills
                .iter()
                .map(|skill| skill["name"].as_str().unwrap().to_owned())
                .collect()
        })
        .unwrap_or_default();
    kept.sort();
    assert_eq!(names, kept);
    assert!(refused > 0, "the disk was never full");
}
