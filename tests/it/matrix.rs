//! `check` with several profiles: which agent takes which skill, and why not.

use crate::sandbox::Sandbox;

const SIX: &str = "claude-code,codex,gemini-cli,opencode,copilot,cursor";

fn sandbox() -> Sandbox {
    Sandbox::new()
        .file(
            "project/skills/bom-kit/SKILL.md",
            "\u{feff}---\nname: bom-kit\ndescription: Begins with a mark.\n---\nBody.\n",
        )
        .skill(
            "project/skills",
            "clean-kit",
            "Clean. Use when the input is clean.",
        )
        .file(
            "project/skills/mixed-kit/SKILL.md",
            "---\nname: Mixed_Kit\ndescription: Has an invalid name.\n---\nBody.\n",
        )
}

#[test]
fn six_agents_stand_over_their_columns_with_whole_names() {
    sandbox()
        .run(["check", "--profile", SIX, "skills"])
        .refused()
        .is(r"
        SKILL      claude-code  codex  gemini-cli  opencode  copilot  cursor
        bom-kit    warn         drop   drop        ok        ?        ?
        clean-kit  ok           ok     ok          ok        ok       ok
        Mixed_Kit  ok           ok     ok          ok        ?        ?
        of 3 load  3            2      2           3         1+       1+

        ok loads   warn loads with a warning   drop does not load
        ? nobody could find out   + or more

        skills/bom-kit/SKILL.md:1:1: byte-order-mark
          a UTF-8 byte-order mark stands first
          drop  codex, gemini-cli
                  codex: missing YAML frontmatter delimited by ---
          warn  claude-code: No frontmatter block found …
          ?     copilot, cursor

        skills/mixed-kit/SKILL.md:2:7: name-invalid
          the name holds the capital letter M
          ?     copilot (Copilot CLI), cursor

        3 skills, 6 profiles: 1 dropped somewhere, 1 unknown, 1 fine everywhere
        -- exit 1 --
        ");
}

#[test]
fn twelve_profiles_have_short_forms_and_a_legend() {
    sandbox()
        .run(["check", "--profile", "all", "skills"])
        .refused()
        .is(r#"
        SKILL     spec caf  cdr  alb  vbot cc   cdx  gem  oc   gse  cop  cur
        bom-kit   warn warn ok   drop drop warn drop drop ok   ?    ?    ?
        clean-kit ok   ok   ok   ok   ok   ok   ok   ok   ok   ok   ok   ok
        Mixed_Kit drop warn drop drop warn ok   ok   ok   ok   ?    ?    ?
        of 3 load 2    3    2    1    2    3    2    2    3    1+   1+   1+

        ok loads   warn loads with a warning   drop does not load
        ? nobody could find out   + or more
        caf codeaf   cdr coder   alb albedo   cc claude-code   cdx codex
        gem gemini-cli   oc opencode   gse goose   cop copilot   cur cursor

        skills/bom-kit/SKILL.md:1:1: byte-order-mark
          a UTF-8 byte-order mark stands first
          drop  albedo, vbot, codex, gemini-cli
                  albedo: SKILL.md must begin with YAML frontmatter
                  vbot: Skill metadata missing front matter: …
                  codex: missing YAML frontmatter delimited by ---
          warn  spec, codeaf, claude-code
                  claude-code: No frontmatter block found …
          ?     goose, copilot, cursor

        skills/mixed-kit/SKILL.md:2:7: name-invalid
          the name holds the capital letter M
          drop  spec, coder, albedo
                  coder: front-matter name "Mixed_Kit" does not match directory
                    "mixed-kit"
                  albedo: frontmatter name is invalid
          warn  codeaf, vbot
                  vbot: Skill name 'Mixed_Kit' does not match directory name
                    'mixed-kit'.
          ?     goose, copilot (Copilot CLI), cursor

        3 skills, 12 profiles: 2 dropped somewhere, 1 fine everywhere
        -- exit 1 --
        "#);
}

#[test]
fn each_line_fits_eighty_columns_however_long_a_name_is() {
    let long = "b".repeat(90);
    let sandbox = sandbox().skill("project/skills", &long, "d").skill(
        "project/skills",
        &"\u{8868}".repeat(30),
        "d",
    );

    for profiles in ["all", SIX] {
        let output = sandbox.run(["check", "--profile", profiles, "skills"]);
        let table = output.stdout.lines().take_while(|line| !line.is_empty());
        let widths: Vec<usize> = table.map(unicode_width::UnicodeWidthStr::width).collect();
        assert!(widths.iter().all(|width| *width <= 80), "{output}");
        assert!(output.stdout.contains("bbb...bbb"), "{output}");
    }
}

#[test]
fn one_row_needs_no_sum_and_what_is_fine_no_reason() {
    sandbox()
        .run(["check", "--profile", "codex,opencode", "skills/clean-kit"])
        .success()
        .is("
        SKILL      codex  opencode
        clean-kit  ok     ok

        ok loads

        1 skill, 2 profiles: 1 fine everywhere
        ");
}

#[test]
fn rows_of_one_name_are_told_apart_by_their_paths() {
    sandbox()
        .skill("project/more", "clean-kit", "Clean, too.")
        .run(["check", "--profile", "codex,opencode", "skills", "more"])
        .refused()
        .has(&["\nmore/clean-kit    ok", "\nskills/clean-kit  ok"]);
}

#[test]
fn json_has_the_same_and_what_check_has_of_the_first_profile() {
    let output = sandbox()
        .run([
            "check",
            "--json",
            "--profile",
            "spec,albedo,cursor",
            "skills/bom-kit",
        ])
        .refused();

    let json = output.json();
    let skill = &json["skills"][0];
    assert_eq!(json["version"], 1);
    assert_eq!(
        json["profiles"],
        serde_json::json!(["spec", "albedo", "cursor"])
    );
    assert_eq!(
        skill["verdicts"],
        serde_json::json!({"spec": "warns", "albedo": "drops", "cursor": "unknown"})
    );
    assert_eq!(
        skill["reasons"],
        serde_json::json!([{
            "rule": "byte-order-mark",
            "message": "a UTF-8 byte-order mark stands first",
            "line": 1,
            "column": 1,
            "agents": {
                "spec": {"outcome": "warns"},
                "albedo": {"outcome": "drops", "text": "SKILL.md must begin with YAML frontmatter"},
                "cursor": {"outcome": "unknown"},
            },
        }])
    );
    assert_eq!(skill["name"], "bom-kit");
    assert_eq!(skill["verdict"], "warning");
    assert_eq!(skill["diagnostics"][0]["rule"], "byte-order-mark");
}

#[test]
fn strict_minds_warnings_and_what_nobody_knows_is_one() {
    let sandbox = sandbox().file(
        "project/skills/field/SKILL.md",
        "---\nname: field\ndescription: d\nversion: 1\n---\nBody.\n",
    );
    let check = |profiles, strict: &[&str]| {
        let words = ["check", "--profile", profiles, "skills/field"];
        sandbox.run(words.iter().chain(strict))
    };

    check("spec,codex", &[]).success();
    check("spec,codex", &["--strict"]).refused();
    check("cursor,codex", &[]).success().has(&["?"]);
    check("cursor,codex", &["--strict"]).refused().has(&["?"]);
}

#[test]
fn the_exit_status_does_not_hang_on_the_form() {
    let sandbox = Sandbox::new().file(
        "project/skills/a/SKILL.md",
        "---\nname: a\ndescription: A: b.\n---\nBody.\n",
    );
    let old = sandbox.run(["check", "--profile", "all", "--format", "baseline"]);
    sandbox.write("project/old.json", &old.success().bytes);

    for (flags, status) in [
        (vec![], 1),
        (vec!["--allow", "unquoted-colon"], 0),
        (vec!["--warn", "unquoted-colon"], 0),
        (vec!["--warn", "unquoted-colon", "--strict"], 1),
        (vec!["--baseline", "old.json"], 0),
    ] {
        for form in ["text", "json", "github", "sarif"] {
            let words = ["check", "--profile", "all", "--format", form];
            sandbox.run(words.iter().chain(&flags)).exits(status);
        }
    }
}

#[test]
fn a_profile_that_is_named_twice_counts_once() {
    let sandbox = sandbox();
    let columns = |profiles| {
        let output = sandbox.run(["check", "--profile", profiles, "--json", "skills"]);
        output.json()["profiles"].clone()
    };

    assert_eq!(
        columns("codex,codex,cursor"),
        serde_json::json!(["codex", "cursor"])
    );
    assert_eq!(columns("spec,all"), columns("all,spec,cursor"));
    assert!(columns("codex,codex").is_null(), "this is no matrix");
}

#[test]
fn a_folder_without_skills_fails_and_prints_no_table() {
    sandbox()
        .folder("empty")
        .run(["check", "--profile", "all", "../empty"])
        .refused()
        .lacks(&["SKILL  "]);
}

#[test]
fn forms_for_other_programs_tell_each_fault_once_and_unknown_names_are_wrong_usage() {
    let sandbox = sandbox();

    for form in ["github", "sarif"] {
        sandbox
            .run(["check", "--profile", "all", "--format", form, "skills"])
            .refused()
            .has(&["byte-order-mark"]);
    }
    sandbox
        .run(["check", "--profile", "codex,opencod", "skills"])
        .usage()
        .has(&["did you mean `opencode`?"]);
}
