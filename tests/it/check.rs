//! `check` from the command line: its forms, its flags, its exit status.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::sandbox::Sandbox;

/// A project with one skill that has something of each severity.
pub(crate) fn sandbox() -> Sandbox {
    Sandbox::new()
        .file(
            "project/.agents/skills/pdf/SKILL.md",
            "---\nname: pdf\ndescription: Use when: asked.\n---\nSee [text](there) and [a](zz.md).\n",
        )
        .project_skill("good", "Does well. Use when asked.")
}

#[test]
fn findings_have_their_line_a_caret_and_a_next_step() {
    sandbox().run(["check"]).refused().is(r"
        .agents/skills/pdf/SKILL.md:3:22: error[unquoted-colon]: an unquoted value holds a colon and a blank; it is read whole here, and other agents drop the skill
          |
        3 | description: Use when: asked.
          |                      ^
          |
          = help: put the whole value between quotes: description: 'Use when: asked.'

        .agents/skills/pdf/SKILL.md:5:12: note[link-broken]: `there` is not there
          |
        5 | See [text](there) and [a](zz.md).
          |            ^^^^^
          |
          = help: paths are relative to the skill's folder: add the file, or mend the path

        .agents/skills/pdf/SKILL.md:5:27: warning[link-broken]: `zz.md` is not there
          |
        5 | See [text](there) and [a](zz.md).
          |                           ^^^^^
          |
          = help: paths are relative to the skill's folder: add the file, or mend the path

        2 skills checked: 1 error, 1 warning, 1 note
        -- exit 1 --
        ");
}

#[test]
fn nothing_to_say_is_one_line() {
    let sandbox = sandbox();

    sandbox.run(["check", ".agents/skills/good"]).success().is("
        1 skill checked, nothing found
        ");
}

#[test]
fn carets_stand_under_wide_characters_tabs_and_what_hides() {
    let sandbox = Sandbox::new().file(
        "project/pdf/SKILL.md",
        "---\nname: pdf\ndescription: d\n---\n\u{8868}\u{683c}\t\u{202e}[a](zz.md)\u{1b}[31m\n",
    );

    sandbox.run(["check", "pdf"]).success().is(r"
        pdf/SKILL.md:5:4: warning[hidden-characters]: characters that nobody sees: U+202E right-to-left override, U+001B escape
          |
        5 | 表格    <U+202E>[a](zz.md)<U+001B>[31m
          |         ^^^^^^^^
          |
          = help: delete them: a model reads what nobody sees

        pdf/SKILL.md:5:9: warning[link-broken]: `zz.md` is not there
          |
        5 | 表格    <U+202E>[a](zz.md)<U+001B>[31m
          |                     ^^^^^
          |
          = help: paths are relative to the skill's folder: add the file, or mend the path

        1 skill checked: 2 warnings
        ");
}

#[test]
fn a_long_line_is_cut_around_its_span() {
    let filler = "word ".repeat(1_500);
    let sandbox = Sandbox::new().file(
        "project/pdf/SKILL.md",
        format!("---\nname: pdf\ndescription: d\n---\n{filler}[a](zz.md) {filler}\n"),
    );

    let output = sandbox.run(["check", "pdf"]).success();

    let shown = output.stdout.lines().find(|line| line.starts_with("5 |"));
    assert_eq!(
        shown,
        Some(
            "5 | ...word word word word [a](zz.md) word word word word word word word word word word word word word word word wo..."
        )
    );
    output.has(&["\n  |                            ^^^^^\n"]);
}

#[test]
fn warnings_count_with_strict_and_notes_never() {
    let sandbox = Sandbox::new()
        .file(
            "project/a/pdf/SKILL.md",
            "---\nname: pdf\ndescription: d\n---\n[a](zz.md)\n",
        )
        .file(
            "project/b/doc/SKILL.md",
            "---\nname: doc\ndescription: d\n---\n[a](zz)\n",
        );

    sandbox.run(["check", "a/pdf"]).success();
    sandbox.run(["check", "a/pdf", "--strict"]).refused();
    sandbox.run(["check", "b/doc", "--strict"]).success();
}

#[test]
fn no_skill_at_all_is_a_failure_that_says_why() {
    let sandbox = Sandbox::new().folder("project/docs");

    for words in [
        vec!["check"],
        vec!["check", "docs"],
        vec!["check", "nowhere"],
        vec!["check", "--format", "github"],
    ] {
        let output = sandbox.run(&words).refused();
        assert!(!output.stdout.is_empty(), "{words:?}");
    }
}

#[test]
fn rules_can_be_made_stricter_milder_or_left_out() {
    let sandbox = sandbox();
    let check = |words: &[&str]| sandbox.run([&["check", "--json"], words].concat());
    let severities = |words: &[&str]| -> Vec<String> {
        let report = check(words).json();
        let found = report["skills"].as_array().unwrap().iter();
        found
            .flat_map(|skill| skill["diagnostics"].as_array().unwrap())
            .map(|finding| format!("{} {}", finding["rule"], finding["severity"]).replace('"', ""))
            .collect()
    };

    assert_eq!(
        severities(&["--allow", "link-broken", "--warn", "unquoted-colon"]),
        ["unquoted-colon warning"]
    );
    assert_eq!(
        severities(&[
            "--deny",
            "link-broken",
            "--allow",
            "unquoted-colon,link-broken"
        ]),
        ["link-broken error", "link-broken error"]
    );
    check(&["--allow", "unquoted-colon"]).success();
    check(&["--allow", "unquoted-colon", "--deny", "link-broken"]).refused();
}

#[test]
fn unknown_names_are_wrong_usage_with_the_near_one() {
    let sandbox = sandbox();

    for (words, said) in [
        (
            ["--explain", "unquoted-colons"],
            "did you mean `unquoted-colon`?",
        ),
        (["--deny", "link-borken"], "did you mean `link-broken`?"),
        (["--profile", "codaef"], "did you mean `codeaf`?"),
        (["--profile", "no-such-agent"], "the profiles are spec, "),
    ] {
        sandbox
            .run(["check", words[0], words[1]])
            .usage()
            .has(&[said]);
    }
    sandbox
        .run(["check", "--json", "--format", "sarif"])
        .usage();
}

#[test]
fn explain_prints_the_page_of_a_rule() {
    Sandbox::new()
        .run(["check", "--explain", "link-backslash"])
        .success()
        .is(r"
        link-backslash: a path is written with backslashes

        The body names a file with `\` between its folders.

        Only Windows takes it; a slash works everywhere.

        Bad:

            Run `scripts\extract.py`.

        Good:

            Run `scripts/extract.py`.

        All agents on macOS and Linux.
        ");
}

#[test]
fn json_has_a_row_for_every_skill() {
    let sandbox = sandbox();

    let report = sandbox.run(["check", "--json"]).refused().json();

    assert_eq!(report["version"], 1);
    let skills = report["skills"].as_array().unwrap();
    let rows: Vec<_> = skills
        .iter()
        .map(|skill| {
            (
                skill["location"].as_str().unwrap(),
                skill["name"].as_str().unwrap(),
                skill["verdict"].as_str().unwrap(),
                skill["diagnostics"].as_array().unwrap().len(),
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("[D]/project/.agents/skills/good/SKILL.md", "good", "ok", 0),
            ("[D]/project/.agents/skills/pdf/SKILL.md", "pdf", "error", 3),
        ]
    );
    assert_eq!(
        sandbox.run(["check", "--format", "json"]).bytes,
        sandbox.run(["check", "--json"]).bytes
    );
}

#[test]
fn github_gets_commands_with_paths_from_the_top_of_the_repository() {
    let sandbox = sandbox();

    let output = sandbox
        .run_in("project/.agents", ["check", "--format", "github"])
        .refused();

    output.is("
        ::error file=.agents/skills/pdf/SKILL.md,line=3,col=22,endColumn=23,title=unquoted-colon::an unquoted value holds a colon and a blank; it is read whole here, and other agents drop the skill%0Ahelp: put the whole value between quotes: description: 'Use when: asked.'
        ::notice file=.agents/skills/pdf/SKILL.md,line=5,col=12,endColumn=17,title=link-broken::`there` is not there%0Ahelp: paths are relative to the skill's folder: add the file, or mend the path
        ::warning file=.agents/skills/pdf/SKILL.md,line=5,col=27,endColumn=32,title=link-broken::`zz.md` is not there%0Ahelp: paths are relative to the skill's folder: add the file, or mend the path
        -- exit 1 --
        ");
}

#[test]
fn no_name_and_no_text_of_a_skill_becomes_a_command_of_github() {
    let sandbox = Sandbox::new().file(
        "project/.agents/skills/a,b:c%0A::error::x/SKILL.md",
        format!(
            "---\nname: \"x\\n::error::y\"\ndescription: d\n---\n{}",
            "[a](x##[error]::set-output::.md)\n".repeat(30)
        ),
    );

    let output = sandbox.run(["check", "--format", "github"]).refused();

    for line in output.stdout.lines() {
        let is_ours = line
            .starts_with("::error file=.agents/skills/a%2Cb%3Ac%250A%3A%3Aerror%3A%3Ax/SKILL.md,")
            || line.starts_with("::warning file=.agents/")
            || line.starts_with("::notice::")
            || line.starts_with("warning[");
        assert!(is_ours, "{line}");
        assert!(
            !line.starts_with("warning[") || !line.contains("##["),
            "{line}"
        );
    }
    assert_eq!(output.stdout.matches("\n::warning ").count(), 10);
    output.has(&["::notice::20 more findings not annotated, because GitHub shows 10 of a kind; the log has them all\n"]);
}

#[test]
fn fix_mends_what_has_one_right_answer_and_checks_the_rest() {
    let sandbox = Sandbox::new().file(
        "project/pdf/skill.md",
        "---\nname: pdf\ndescription: Use when: asked.\ncolour: red\n---\n[a](zz.md)\n",
    );

    sandbox.run(["check", "pdf", "--fix"]).success().is(r"
        pdf/SKILL.md:4:1: warning[unknown-field]: the specification has no field `colour`
          |
        4 | colour: red
          | ^^^^^^
          |
          = help: keep it under `metadata`, if only your own tools read it

        pdf/SKILL.md:6:5: warning[link-broken]: `zz.md` is not there
          |
        6 | [a](zz.md)
          |     ^^^^^
          |
          = help: paths are relative to the skill's folder: add the file, or mend the path

        1 skill checked: 2 warnings
        -- stderr --
        pdf/skill.md:1:1: renamed to SKILL.md [skill-file-name]
        pdf/skill.md:3:22: quoted the value of `description` [unquoted-colon]
        wrote pdf/SKILL.md
        ");
    assert_eq!(
        sandbox.read("project/pdf/SKILL.md"),
        "---\nname: pdf\ndescription: 'Use when: asked.'\ncolour: red\n---\n[a](zz.md)\n"
    );
}

#[test]
fn fix_with_unknown_keys_moves_them() {
    let sandbox = Sandbox::new().file(
        "project/pdf/SKILL.md",
        "---\nname: pdf\ndescription: d\ncolour: red\n---\nBody.\n",
    );

    sandbox
        .run(["check", "pdf", "--fix=unknown-keys", "--strict"])
        .success()
        .has(&["1 skill checked, nothing found\n"]);

    assert_eq!(
        sandbox.read("project/pdf/SKILL.md"),
        "---\nname: pdf\ndescription: d\nmetadata:\n  colour: red\n---\nBody.\n"
    );
}

#[test]
fn a_preview_where_no_skill_is_fails_as_the_check_does() {
    let sandbox = Sandbox::new();
    sandbox.write("project/empty/notes.txt", "");

    let check = sandbox.run(["check", "empty"]).refused();
    let preview = sandbox.run(["check", "empty", "--fix", "-n"]).refused();

    let told = "error[no-skill-file]";
    assert!(check.stdout.contains(told) && preview.stderr.contains(told));
}

#[test]
fn a_preview_of_fix_is_a_diff_and_writes_nothing() {
    let sandbox = sandbox();
    let before = sandbox.everything();

    sandbox.run(["check", "--fix", "-n"]).success().is(r"
        --- .agents/skills/pdf/SKILL.md
        +++ .agents/skills/pdf/SKILL.md
        @@ -1,5 +1,5 @@
         ---
         name: pdf
        -description: Use when: asked.
        +description: 'Use when: asked.'
         ---
         See [text](there) and [a](zz.md).
        -- stderr --
        .agents/skills/pdf/SKILL.md:3:22: quoted the value of `description` [unquoted-colon]
        note: nothing was written; without -n the edits above are made
        ");
    assert_eq!(sandbox.everything(), before);
}

#[test]
fn a_preview_of_fix_shows_what_nobody_sees() {
    for (written, shown) in [
        (
            "\u{feff}---\nname: pdf\ndescription: Reads.\n---\nBody.\n",
            "-<U+FEFF>---\n+---\n name: pdf\n",
        ),
        (
            "---\nname: pdf\ndescription: Use: a\u{200b}b\n---\nBody.\n",
            "-description: Use: a<U+200B>b\n+description: 'Use: a<U+200B>b'\n",
        ),
        (
            "---\rname: pdf\rdescription: Reads.\r---\rBody.\r",
            "----␍name: pdf␍description: Reads.␍---␍Body.␍\n",
        ),
    ] {
        let sandbox = Sandbox::new().file("project/pdf/SKILL.md", written);
        let told = sandbox.run(["check", "pdf", "--fix", "-n"]);
        assert!(told.stdout.contains(shown), "{}", told.stdout);
    }
}

#[test]
fn a_preview_of_a_file_with_crlf_can_be_applied() {
    let text = "---\r\nname: pdf\r\ndescription: Use: a\r\n---\r\nBody.\r\n";
    let sandbox = Sandbox::new().file("project/pdf/SKILL.md", text);

    let told = sandbox.run(["check", "pdf", "--fix", "-n"]).success();

    let edit = " name: pdf\r\n-description: Use: a\r\n+description: 'Use: a'\r\n ---\r\n";
    let diff = String::from_utf8(told.bytes).unwrap();
    assert!(diff.contains(edit), "{diff:?}");
}

#[test]
fn what_cannot_be_mended_is_told_and_the_others_are_mended() {
    let sandbox = sandbox().file("out/SKILL.md", "").link(
        "project/.agents/skills/away/SKILL.md",
        "../../../../out/SKILL.md",
    );

    let output = sandbox.run(["check", "--fix"]).refused();

    output.has(&[
        "error: .agents/skills/away/SKILL.md leads to ",
        "wrote .agents/skills/pdf/SKILL.md\n",
        "error[link-leaves]",
    ]);
}

#[test]
fn a_project_says_what_it_wants_and_flags_come_first() {
    let sandbox = sandbox().file(
        "project/.codeaf/check.json",
        "{\"rules\": {\"unquoted-colon\": \"allow\", \"link-broken\": \"warn\"}, \"exclude\": [\"good/\"]}\n",
    );

    sandbox
        .run(["check"])
        .success()
        .has(&["1 skill checked: 2 warnings\n"]);
    sandbox
        .run(["check", "--deny", "unquoted-colon"])
        .refused()
        .has(&["1 skill checked: 1 error, 2 warnings\n"]);
    sandbox.write("project/.codeaf/check.json", "{\"rule\": {}}");
    sandbox
        .run(["check"])
        .refused()
        .has(&["error: .codeaf/check.json:1:2: "]);
}

#[test]
fn the_check_json_of_the_help_text_is_one_that_works() {
    let sandbox = sandbox();
    let help = sandbox.run(["check", "--help"]).success().stdout;
    let (_, example) = help.split_once("can have:\n").unwrap();
    sandbox.write("project/.codeaf/check.json", example);
    sandbox.write(
        "project/check-baseline.json",
        "{\"version\": 1, \"findings\": []}\n",
    );

    sandbox
        .run(["check"])
        .refused()
        .has(&["2 skills, 2 profiles: ", "unquoted-colon"])
        .lacks(&["error: "]);
}

#[test]
fn a_missing_baseline_and_a_preview_as_json_say_what_to_do() {
    let sandbox = sandbox();

    sandbox
        .run(["check", "--baseline", "gone.json"])
        .refused()
        .is(r"
        -- stderr --
        error: cannot read gone.json
        caused by: No such file or directory (os error 2)
        help: `check --format baseline > FILE` writes down today's findings
        -- exit 1 --
        ");
    sandbox
        .run(["check", "--fix", "-n", "--json"])
        .usage()
        .has(&["exclude each other", "a preview is a diff"]);
}

#[test]
fn a_folder_name_cannot_write_to_the_log_of_github() {
    let output = Sandbox::new()
        .file(
            "project/esc\u{1b}[31m\u{202e}/SKILL.md",
            "---\nname: x\ndescription: a: b\n---\nx\n",
        )
        .run(["check", "--format", "github"])
        .refused();

    output.lacks(&["\u{1b}", "\u{202e}"]);
}

#[test]
fn a_baseline_keeps_old_findings_quiet_and_new_ones_not() {
    let sandbox = sandbox();
    let baseline = sandbox.run(["check", "--format", "baseline"]).success();
    sandbox.write("project/old.json", &baseline.bytes);

    sandbox
        .run(["check", "--baseline", "old.json", "--strict"])
        .success()
        .is("
        2 skills checked, nothing found; 3 more in the baseline
        ");
    let text = sandbox.read("project/.agents/skills/pdf/SKILL.md");
    sandbox.write(
        "project/.agents/skills/pdf/SKILL.md",
        format!("{text}\n[b](yy.md)\n"),
    );
    sandbox
        .run(["check", "--baseline", "old.json", "--strict"])
        .refused()
        .has(&["`yy.md` is not there", "1 warning; 3 more in the baseline"]);
    sandbox
        .run(["check", "--baseline", "none.json"])
        .refused()
        .has(&["error: cannot read none.json"]);
}

#[test]
fn paths_come_from_standard_input_too() {
    let sandbox = sandbox();

    sandbox
        .shell("printf '.agents/skills/good\n' | codeaf-skills check -")
        .success()
        .has(&["1 skill checked, nothing found\n"]);
    sandbox
        .shell("codeaf-skills check - < /dev/null")
        .refused()
        .has(&["error: there is no path on standard input"]);
}

const COLON: &str = "---\nname: pdf\ndescription: Use when: asked.\n---\nBody.\n";

#[test]
fn the_check_json_of_the_checked_tree_holds() {
    let sandbox = Sandbox::new()
        .file(
            "project/.codeaf/check.json",
            "{\"rules\": {\"unquoted-colon\": \"deny\"}}",
        )
        .file("other/.git/HEAD", "")
        .file(
            "other/.codeaf/check.json",
            "{\"rules\": {\"unquoted-colon\": \"allow\"}}",
        )
        .file("other/skills/pdf/SKILL.md", COLON)
        .file("project/skills/pdf/SKILL.md", COLON)
        .file("loose/pdf/SKILL.md", COLON);

    sandbox
        .run(["check", "-v", "../other/skills"])
        .success()
        .has(&["checked by [D]/other/.codeaf/check.json\n"]);
    sandbox
        .run(["check", "-v", "skills"])
        .refused()
        .has(&["checked by .codeaf/check.json\n"]);
    sandbox
        .run(["check", "-v", "../loose"])
        .refused()
        .has(&["checked without a check.json\n"]);
    sandbox
        .run(["check", "skills", "../other/skills"])
        .refused()
        .has(&["note: [D]/other/.codeaf/check.json is not heeded: one check heeds one file, that of the first PATH\n"]);
}

#[test]
fn what_is_allowed_is_not_mended() {
    let sandbox = Sandbox::new().file("project/skills/pdf/SKILL.md", COLON);

    sandbox
        .run(["check", "--fix", "--allow", "unquoted-colon", "skills"])
        .success();
    assert_eq!(sandbox.read("project/skills/pdf/SKILL.md"), COLON);

    sandbox.write(
        "project/.codeaf/check.json",
        "{\"rules\": {\"unquoted-colon\": \"allow\"}}",
    );
    sandbox.run(["check", "--fix", "skills"]).success();
    assert_eq!(sandbox.read("project/skills/pdf/SKILL.md"), COLON);

    sandbox
        .run(["check", "--fix", "--deny", "unquoted-colon", "skills"])
        .success();
    assert_ne!(sandbox.read("project/skills/pdf/SKILL.md"), COLON);
}

#[test]
fn explain_without_a_rule_lists_them_all() {
    let output = Sandbox::new().run(["check", "--explain"]).success();
    let output = output.has(&[
        "unquoted-colon",
        "an unquoted value holds a colon and a blank",
    ]);
    drop(output);

    let all = Sandbox::new()
        .run(["check", "--explain", "--json"])
        .success()
        .json();
    let rules = all["rules"].as_array().map(Vec::len);
    assert_eq!(rules, Some(codeaf_skills::Rule::ALL.len()));
}

#[test]
fn a_read_only_file_is_not_mended_and_the_check_fails() {
    let sandbox = Sandbox::new().file("project/skills/pdf/SKILL.md", COLON);
    let file = sandbox.path("project/skills/pdf/SKILL.md");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();

    sandbox.run(["check", "--fix", "skills"]).refused().has(&[
        "error: skills/pdf/SKILL.md is read-only\n",
        "help: `chmod u+w` lets it be written",
    ]);
    assert_eq!(sandbox.read("project/skills/pdf/SKILL.md"), COLON);
}

#[test]
fn an_emoji_stays_whole_in_the_line_that_is_shown() {
    let family = "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}";
    let text =
        format!("---\nname: pdf\ndescription: {family} Use when: asked.\u{202e}\n---\nBody.\n");
    let sandbox = Sandbox::new().file("project/skills/pdf/SKILL.md", text);

    sandbox
        .run(["check", "skills"])
        .refused()
        .has(&[family, "asked.<U+202E>"]);
}
