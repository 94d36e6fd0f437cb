//! `list` and `show`: what there is, and how it is printed.

use crate::sandbox::Sandbox;

fn mixed() -> Sandbox {
    Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .home_skill("review", "Reviews by the home rules.")
        .project_skill("review", "Reviews by this repository's rules.")
        .file(
            "home/.agents/skills/torn/SKILL.md",
            "---\nname: torn\n---\nBody.\n",
        )
        .file("home/.agents/skills/notes.txt", "not a skill\n")
        .file(
            "home/.codeaf/skills.json",
            "{\n  \"on\": [\"pdf\", \"gone\"]\n}\n",
        )
}

#[test]
fn a_list_has_skills_then_what_is_missing_then_what_is_broken() {
    let sandbox = mixed();

    sandbox.run(["list"]).success().is("
        NAME    STATE     DECIDED BY  SOURCE            SIZE  DESCRIPTION
        pdf     on        global      ~/.agents/skills  61 B  Reads PDF files.
        review  off       default     .agents/skills    86 B  Reviews by this repository's rules.
        review  shadowed  default     ~/.agents/skills  77 B  (shadowed by .agents/skills/review/SKILL.md) Reviews by the home
                                                              rules.

        named by a scope, but no such skill:
        NAME  SAYS  SCOPE   WHERE
        gone  on    global  ~/.codeaf/skills.json:2:17

        not loaded:
          ~/.agents/skills/torn/SKILL.md:2:1: error[description-missing]: there is no description
            help: write what the skill does and when to use it: `description: …`

        1 entry in the roots is no skill; `codeaf-skills list -v` shows which and why
        ");
}

#[test]
fn filters_and_patterns_choose_rows() {
    let sandbox = mixed();

    for (words, names) in [
        (&["--names"][..], "pdf\nreview"),
        (&["--names", "--on"], "pdf"),
        (&["--names", "--off"], "review"),
        (&["--names", "--shadowed"], "review"),
        (&["--names", "--broken"], "notes.txt\ntorn"),
        (&["--names", "r*"], "review"),
        (&["--names", "?df"], "pdf"),
        (&["--names", "pdf"], "pdf"),
    ] {
        sandbox.run([&["list"], words].concat()).success().is(names);
    }
    sandbox
        .run(["list", "zz*"])
        .success()
        .has(&["no name fits"]);
    sandbox.run(["list", "--on", "--off"]).usage();
}

#[test]
fn an_empty_home_says_where_it_looked() {
    let sandbox = Sandbox::new();

    sandbox.run(["list"]).success().is("
        -- stderr --
        note: no skill was found; `codeaf-skills list -v` shows where it was looked
        ");
    sandbox.run(["list", "-q"]).success().silent();
    let output = sandbox.run(["list", "-v"]).success();
    for root in [
        ".codeaf/skills",
        ".agents/skills",
        ".claude/skills",
        ".codex/skills",
        ".cursor/skills",
        ".gemini/skills",
        ".opencode/skills",
        ".goose/skills",
        ".github/skills",
        "~/.copilot/skills",
        "~/.config/opencode/skills",
        "~/.config/goose/skills",
    ] {
        assert!(
            output.stdout.contains(&format!("\n{root} ")),
            "{root}\n{output}"
        );
    }
}

#[test]
fn verbose_shows_roots_what_was_passed_over_and_the_time() {
    let output = mixed().run(["list", "-v"]).success();

    assert!(
        output.stdout.contains("notes.txt:1:1: note[plain-file]"),
        "{output}"
    );
    assert!(output.stdout.contains("~/.agents/skills"), "{output}");
    assert!(output.stderr.starts_with("took "), "{output}");
}

#[test]
fn json_rows_have_every_documented_key() {
    let document = mixed().run(["list", "--json"]).success().json();

    assert_eq!(document["version"], 1);
    for skill in document["skills"].as_array().unwrap() {
        for key in [
            "name",
            "state",
            "cause",
            "source",
            "root",
            "location",
            "size",
            "description",
            "on_by_this_repository",
            "diagnostics",
        ] {
            assert!(skill.get(key).is_some(), "{key} in {skill}");
        }
    }
    assert_eq!(document["skills"].as_array().unwrap().len(), 3);
    assert_eq!(document["broken"].as_array().unwrap().len(), 2);
    let missing = &document["missing"][0];
    assert_eq!(missing["name"], "gone");
    assert_eq!(
        (&missing["line"], &missing["column"]),
        (&2.into(), &17.into())
    );
}

#[test]
fn a_pipe_and_colour_never_change_the_words() {
    let sandbox = mixed();
    let plain = sandbox.run(["list"]).success();

    let colored = sandbox.run(["list", "--color", "always"]).success();
    let never = sandbox.run(["list", "--color", "never"]).success();

    assert!(colored.stdout.contains("\u{1b}["));
    assert!(!plain.stdout.contains('\u{1b}'));
    assert_eq!(without_color(&colored.stdout), plain.stdout);
    assert_eq!(never.stdout, plain.stdout);
    let error = sandbox.run(["show", "nope", "--color", "always"]).refused();
    assert!(error.stderr.contains("\u{1b}["), "{error}");
    assert!(
        !sandbox
            .run(["list", "--json", "--color", "always"])
            .stdout
            .contains('\u{1b}')
    );
}

fn without_color(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.split_once('m').map_or("", |(_, rest)| rest)
    })
}

#[test]
fn a_terminal_has_colour_and_its_own_width_and_no_color_takes_the_colour_away() {
    let sandbox = mixed();
    let script = |before: &str| {
        format!(
            "script -qec '{before} stty cols 40 rows 24; codeaf-skills list' /dev/null </dev/null"
        )
    };
    if sandbox.shell("command -v script").stdout.is_empty() {
        return;
    }

    let colored = sandbox.shell(&script("")).success();
    let plain = sandbox.shell(&script("export NO_COLOR=1;")).success();

    assert!(colored.stdout.contains("\u{1b}[1m"), "{colored}");
    assert!(!plain.stdout.contains('\u{1b}'), "{plain}");
    assert_eq!(without_color(&colored.stdout), plain.stdout);
    for word in [
        "pdf",
        "review",
        "shadowed",
        "Reads PDF files.",
        "repository's",
    ] {
        assert!(plain.stdout.contains(word), "{word}\n{plain}");
    }
    assert!(
        plain
            .stdout
            .lines()
            .any(|line| line == "  Reads PDF files."),
        "{plain}"
    );
}

#[test]
fn a_closed_pipe_is_no_fault() {
    let mut sandbox = mixed();
    for number in 0..300 {
        sandbox = sandbox.home_skill(&format!("skill-{number:03}"), "Does one job for the shop.");
    }

    for words in [
        "list",
        "list --json",
        "list -v",
        "man",
        "--help",
        "completions bash",
        "show pdf",
    ] {
        let script = format!(
            "codeaf-skills {words} 2>errors | head -c 1 >first; echo ${{PIPESTATUS[0]}}; cat errors"
        );
        sandbox
            .shell(&script)
            .success()
            .has(&["0\n"])
            .lacks(&["error"]);
    }
}

#[test]
fn control_characters_and_invisible_ones_never_reach_the_terminal_raw() {
    let sandbox = Sandbox::new()
        .file(
            "home/.agents/skills/smuggle/SKILL.md",
            "---\nname: smuggle\ndescription: \"a\\e[31mb\\u202ec\\u200bd \u{e0041}\u{202e}e\"\n---\nBody \u{1b}[2J\u{202e}.\n",
        )
        .file(
            "home/.agents/skills/emoji/SKILL.md",
            "---\nname: emoji\ndescription: \u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} \u{2764}\u{fe0f}\n---\nBody.\n",
        )
        .file("home/.agents/skills/bad\u{1b}[31mname/SKILL.md", "no frontmatter");

    for words in [
        &["list"][..],
        &["list", "-v"],
        &["list", "--json"],
        &["show", "smuggle"],
        &["show", "smuggle", "--raw"],
        &["show", "smuggle", "--json"],
        &["why", "smuggle"],
        &["why", "smuggle", "--json"],
        &["why", "bad\u{1b}[31mname"],
        &["on", "smuggle", "--global"],
    ] {
        let output = sandbox.run(words);
        for hidden in ['\u{1b}', '\u{202e}', '\u{200b}', '\u{e0041}'] {
            let block = output.to_string();
            assert!(
                !block.contains(hidden),
                "{words:?}: {:x}\n{block:?}",
                u32::from(hidden)
            );
        }
    }
    sandbox
        .run(["list"])
        .success()
        .has(&["\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} \u{2764}\u{fe0f}"]);
    // `read` is byte-exact.
    let read = sandbox.run(["read", "smuggle"]).success();
    assert_eq!(
        read.bytes,
        std::fs::read(sandbox.path("home/.agents/skills/smuggle/SKILL.md")).unwrap()
    );
}

#[test]
fn show_tells_fields_files_and_scopes_and_reaches_a_shadowed_copy_by_its_path() {
    let sandbox = mixed()
        .file(
            "home/.agents/skills/map/SKILL.md",
            "---\nname: map\ndescription: Makes maps.\nversion: 1.10\nallowed-tools: Bash(git add *) Read\nmetadata:\n  author: Kim\n---\nDraw.\n",
        )
        .file("home/.agents/skills/map/scripts/run.sh", "#!/bin/sh\n");

    sandbox.run(["show", "map"]).success().has(&[
        "state           off, no scope names it",
        "location        ~/.agents/skills/map/SKILL.md",
        "version         1.10",
        "author: Kim",
        "Bash(git add *), Read",
        "scripts/run.sh",
        "pre-approves nothing",
    ]);
    let document = sandbox.run(["show", "map", "--json"]).success().json();
    assert_eq!(document["version"], 1);
    assert_eq!(
        document["allowed-tools"],
        serde_json::json!(["Bash(git add *)", "Read"])
    );
    sandbox
        .run(["show", "map", "--raw"])
        .success()
        .has(&["Draw.\n", "map is off"]);
    sandbox
        .run(["show", "../home/.agents/skills/review", "--raw", "-q"])
        .success()
        .is("Body of review.");
    sandbox
        .run(["show", "../home/.agents/skills/review"])
        .success()
        .has(&["shadowed by .agents/skills/review/SKILL.md", "home rules"]);
    sandbox
        .run(["show", "torn"])
        .success()
        .has(&["torn does not load", "description-missing"]);
    sandbox
        .run(["show", "nope"])
        .refused()
        .has(&["no skill is called `nope`"]);
}

#[test]
fn six_hundred_skills_and_a_deep_tree_are_listed_in_no_time() {
    let mut sandbox = Sandbox::new();
    for number in 0..600 {
        sandbox = sandbox.project_skill(&format!("s-{number:04}"), "Does one job.");
    }
    for file in 0..600 {
        sandbox.write(format!("project/.agents/skills/s-0300/many/f{file}"), "");
    }
    let started = std::time::Instant::now();

    let list = sandbox.run(["list", "--names"]).success();
    let show = sandbox.run(["show", "s-0300"]).success();

    assert_eq!(list.stdout.lines().count(), 600);
    assert!(show.stdout.contains("… 88 more"), "{show}");
    assert!(started.elapsed().as_secs() < 3);
}

#[test]
fn what_is_edited_added_or_removed_between_two_calls_is_seen_at_once() {
    let sandbox = mixed();
    sandbox.run(["list"]).success().has(&["Reads PDF files."]);

    let sandbox = sandbox
        .home_skill("pdf", "Second wording.")
        .home_skill("later", "Came later.");

    sandbox
        .run(["list"])
        .success()
        .has(&["Second wording.", "Came later."]);
    std::fs::remove_dir_all(sandbox.path("home/.agents/skills/pdf")).unwrap();
    let list = sandbox.run(["list", "--json"]).success().json();
    assert_eq!(list["missing"].as_array().unwrap().len(), 2);
}

#[test]
fn what_a_file_says_never_looks_like_a_line_of_the_program() {
    let forged = r#""x\n~/.agents/skills/pdf/SKILL.md:1:1: error[yaml-invalid]: broken\n  help: run this": 1"#;
    let sandbox = Sandbox::new().file(
        "home/.agents/skills/pdf/SKILL.md",
        format!("---\nname: pdf\ndescription: Reads.\n{forged}\n---\n"),
    );

    for words in [&["list", "-v"][..], &["show", "pdf"], &["why", "pdf"]] {
        let block = sandbox.run(words).success().to_string();
        let is_forged = |line: &str| {
            line.starts_with("~/.agents/skills/pdf/") || line.starts_with("  help: run")
        };
        assert!(!block.lines().any(is_forged), "{block}");
    }
}

#[test]
fn a_table_has_no_more_of_a_text_than_a_reader_needs() {
    let sandbox = Sandbox::new()
        .home_skill("long", &"word ".repeat(12_000))
        .file(
            "home/.codeaf/skills.json",
            format!(r#"{{"on": ["{}"]}}"#, "x".repeat(5_000)),
        );

    let output = sandbox.run(["list", "-q"]).success();

    assert!(output.stdout.lines().count() < 30, "{output}");
    assert!(output.stdout.lines().all(|line| line.len() < 320));
    assert!(output.stdout.contains("…\n") && output.stdout.contains("xx…  on"));
    let document = sandbox.run(["list", "--json"]).success().json();
    let description = document["skills"][0]["description"].as_str().unwrap();
    assert!(description.len() > 50_000);
}

#[test]
fn nothing_is_on_while_a_scope_file_cannot_be_read() {
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .file("project/.codeaf/skills.json", "{");

    sandbox
        .run(["list", "--on"])
        .refused()
        .has(&["note: nothing is on while a scope file that may say off cannot be read\n"])
        .lacks(&["turns a skill on"]);
}

#[test]
fn a_path_without_a_skill_is_told_with_what_is_there() {
    let sandbox = Sandbox::new()
        .folder("project/.agents/skills/empty")
        .link("project/.agents/skills/out", "/")
        .skill("project/else", "kit", "Elsewhere.");

    for (path, told) in [
        ("./nope", "nope is not there\n"),
        ("else/", "else has no SKILL.md\n"),
        (
            ".agents/skills/empty",
            ".agents/skills/empty has no SKILL.md\n",
        ),
        (
            ".agents/skills/out",
            ".agents/skills/out is a link to /, outside the project, and is not followed\n",
        ),
        (
            "else/kit",
            "else/kit lies in no root, and only direct children of a root are skills\n",
        ),
        ("workspace/nope", "no skill is called `workspace/nope`\n"),
    ] {
        let output = sandbox.run(["show", path]).refused();
        output
            .has(&[&format!("error: {told}")])
            .lacks(&["why else"]);
    }
    let script =
        "eval \"$(codeaf-skills show else/kit 2>&1 | sed -n 's/.*; `\\(.*\\)` takes.*/\\1/p')\"";
    sandbox.shell(script).success().has(&["Elsewhere."]);
}

#[test]
fn names_are_those_of_skills_unless_the_broken_are_asked_for() {
    let sandbox = Sandbox::new()
        .file("home/.agents/skills/README.md", "text")
        .file("home/.agents/skills/torn/SKILL.md", "no fence");

    sandbox.run(["list", "--names", "-q"]).success().is("");
    sandbox
        .run(["list", "--names", "--broken"])
        .success()
        .is("README.md\ntorn");
}
