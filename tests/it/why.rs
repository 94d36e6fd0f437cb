//! `why`: the trail, and the reasons why a name is not found.

use crate::sandbox::Sandbox;

#[test]
fn a_trail_names_each_file_with_line_and_column_and_the_one_that_decides() {
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .project_skill("pdf", "Reads PDF files here.")
        .file(
            "home/.codeaf/skills.json",
            "{\n  \"on\": [\n    \"pdf\"\n  ]\n}\n",
        )
        .file("project/.codeaf/skills.json", "{ \"off\": [\"pdf\"] }")
        .file("home/conv/meta.json", "{}");

    let output = sandbox.run(["why", "pdf", "--conversation", "../home/conv"]);

    output.success().is("
        pdf is off: the project scope says so

        SCOPE         SAYS     WHERE
        conversation  nothing  ~/conv/meta.json
        project       off      .codeaf/skills.json:1:11   <- decides
        global        on       ~/.codeaf/skills.json:3:5

        COPY      SIZE  WHERE                          DESCRIPTION
        meant     66 B  .agents/skills/pdf/SKILL.md    Reads PDF files here.
        shadowed  61 B  ~/.agents/skills/pdf/SKILL.md  Reads PDF files.

        to turn it on:
          codeaf-skills on pdf --project
        ");
}

#[test]
fn the_command_at_the_end_changes_the_answer() {
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .file("conv/meta.json", "{}")
        .folder("plain");
    for (folder, before) in [
        ("project", ""),
        ("project", "codeaf-skills on pdf --global"),
        ("project", "codeaf-skills off pdf --project"),
        ("project", "codeaf-skills on pdf --project"),
        ("plain", ""),
        ("plain", "codeaf-skills -C ../project off pdf"),
        ("home", ""),
    ] {
        let script = format!(
            "cd ../{folder} && {{ {}; }} >/dev/null 2>&1
             before=$(codeaf-skills is-on pdf; echo $?)
             command=$(codeaf-skills why pdf | tail -n 1)
             eval \"$command\" >/dev/null 2>&1 || echo failed
             after=$(codeaf-skills is-on pdf; echo $?)
             [ $before != $after ] && echo changed || echo \"still $after after $command\"",
            if before.is_empty() { "true" } else { before }
        );

        sandbox.shell(&script).success().is("changed");
    }
}

#[test]
fn a_folder_is_moved_from_where_the_shell_stands() {
    for (folder, flag, name) in [
        ("project", "", "deep"),
        ("home", "-C ../project", "deep"),
        (".", "-C project", "deep"),
        ("project", "", "de\u{202e}ep it's"),
    ] {
        let sandbox = Sandbox::new().skill("project/.agents/skills/team", name, "Deep.");
        let name = name.replace('\'', "'\\''");
        let script = format!(
            "cd ../{folder} && eval \"$(LC_ALL=C codeaf-skills {flag} why '{name}' | tail -n 1)\"
             codeaf-skills {flag} list --names"
        );

        let output = sandbox.shell(&script).success();

        assert!(output.stdout.starts_with("de"), "{output}");
    }
}

#[test]
fn the_command_at_the_end_names_the_entry_that_decides_bare_or_qualified() {
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .file("home/.codeaf/skills.json", r#"{"on": ["workspace/pdf"]}"#);

    let script =
        "eval \"$(codeaf-skills why pdf | tail -n 1)\" >/dev/null; codeaf-skills is-on pdf";
    sandbox.shell(script).refused();
}

#[test]
fn the_command_at_the_end_knows_that_the_project_may_say_only_off() {
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .file("conv/meta.json", "{}")
        .file("home/.codeaf/skills.json", r#"{"ignoreProjectOn": true}"#)
        .file("project/.codeaf/skills.json", r#"{"off": ["pdf"]}"#);

    let script = "eval \"$(codeaf-skills --conversation ../conv why pdf | tail -n 1)\" >/dev/null
         codeaf-skills is-on pdf --conversation ../conv";
    sandbox.shell(script).success();
}

#[test]
fn the_command_at_the_end_says_again_where_to_look() {
    let sandbox = Sandbox::new()
        .skill("my skills", "pdf", "Reads PDF files.")
        .file("conv/meta.json", "{\"skills\": {\"off\": [\"pdf\"]}}");

    sandbox
        .run([
            "why",
            "pdf",
            "--skills-dir",
            "../my skills",
            "--conversation",
            "../conv",
        ])
        .success()
        .has(&["codeaf-skills --skills-dir '../my skills' on pdf --conversation ../conv\n"]);
}

#[test]
fn a_name_that_is_not_found_has_its_reason() {
    let sandbox = Sandbox::new()
        .project_skill("deploy-notes", "Writes notes.")
        .project_skill("frontend/button-kit", "Too deep.")
        .file(
            "home/.agents/skills/low-kit/skill.md",
            "---\nname: low-kit\ndescription: x\n---\n",
        )
        .file(
            "project/.agents/skills/torn-kit/SKILL.md",
            "---\nname: torn-kit\n---\n",
        )
        .file(
            "project/.agents/skills/charts/SKILL.md",
            "---\nname: acme-charts\ndescription: x\n---\n",
        )
        .file("home/.agents/skills/version.md", "text")
        .folder("home/.agents/skills/only-readme")
        .link("project/.agents/skills/leak-kit", "../../../secret")
        .skill("secret", "..", "x");

    for (name, told) in [
        (
            "deploy-note",
            &["deploy-notes", "codeaf-skills why deploy-notes"][..],
        ),
        ("Deploy-Notes", &["deploy-notes"]),
        (
            "button-kit",
            &[
                "one level too deep",
                ".agents/skills/frontend/button-kit",
                "mv .agents/skills/frontend/button-kit .agents/skills/",
            ],
        ),
        (
            "low-kit",
            &[
                "~/.agents/skills/low-kit/skill.md",
                "must be called `SKILL.md`",
            ],
        ),
        (
            "torn-kit",
            &[
                ".agents/skills/torn-kit/SKILL.md:2:1",
                "there is no description",
            ],
        ),
        ("charts", &["acme-charts"]),
        (
            "version",
            &["version.md", "a skill is a folder with a SKILL.md"],
        ),
        ("only-readme", &["has no SKILL.md"]),
        (
            "leak-kit",
            &[".agents/skills/leak-kit", "outside the project"],
        ),
        (
            "no-such-thing",
            &[
                "looked in:",
                ".codeaf/skills",
                "~/.config/goose/skills",
                "--skills-dir DIR why no-such-thing",
            ],
        ),
    ] {
        let output = sandbox.run(["why", name]).refused().has(told);
        let json = sandbox.run(["why", name, "--json"]).refused().json();

        assert_eq!(output.stderr, "", "{name}\n{output}");
        let last = output.stdout.lines().last().unwrap_or_default();
        assert!(
            last.starts_with("  "),
            "{name} ends with no command\n{output}"
        );
        assert_eq!(
            (&json["found"], &json["name"]),
            (&false.into(), &name.into())
        );
        assert!(json["skill"].is_null());
    }
}

#[test]
fn a_root_that_was_not_read_is_told_with_its_reason_and_nothing_is_forgotten() {
    let sandbox = Sandbox::new().file("home/.codeaf/skills.json", "{\"on\": [\"gone\"]}");

    let why = ["--skills-dir", "nowhere", "why", "gone"];
    sandbox
        .run(why)
        .refused()
        .has(&[
            "  nowhere  (cannot be read: ",
            "mend what is said of the roots, then look again:",
        ])
        .lacks(&["clear gone"]);

    let mut json = why.to_vec();
    json.push("--json");
    let looked_at = &sandbox.run(json).refused().json()["looked_at"];
    assert_eq!(looked_at[0]["outcome"], "refused");
    assert_eq!(looked_at[0]["diagnostics"][0]["rule"], "unreadable");
    assert_eq!(looked_at[1]["outcome"], "missing");
}

#[test]
fn a_skill_beyond_the_bound_is_told_and_its_decision_is_kept() {
    let sandbox = Sandbox::new()
        .skill("project/.agents/skills", "zz", "Z.")
        .file("home/.codeaf/skills.json", "{\"on\": [\"zz\"]}");
    let root = sandbox.path("project/.agents/skills");
    for number in 0..16_384 {
        std::fs::write(root.join(format!("{number}")), "").unwrap();
    }
    let bound = "left out 1 entry of this root: at most 16384 of a root are looked at";

    let why = sandbox.run(["why", "zz"]).refused();
    let list = sandbox.run(["list", "--on"]).success();

    why.has(&[
        "beyond the bound of its root, and was not looked at:\n  .agents/skills/zz\n",
        bound,
        "move what is no skill out of the root, then look again:",
    ])
    .lacks(&["clear zz"]);
    assert!(list.stderr.contains(bound), "{list}");
}

#[test]
fn near_names_of_what_does_not_load_are_marked() {
    let sandbox = Sandbox::new().file(
        "home/.agents/skills/nodesc/SKILL.md",
        "---\nname: nodesc\n---\n",
    );

    sandbox.run(["why", "nodecs"]).refused().has(&[
        "names near it:\n  nodesc  (~/.agents/skills/nodesc/SKILL.md, does not load)",
        "codeaf-skills why nodesc\n",
    ]);
}

#[test]
fn a_copy_that_stands_in_for_a_broken_one_is_told() {
    let sandbox = Sandbox::new()
        .file("home/.agents/skills/pdf/SKILL.md", "---\nname: pdf\n---\n")
        .file(
            "project/.agents/skills/pdf/SKILL.md",
            "---\nname: pdf\ndescription: P.\n---\n",
        )
        .file("home/.codeaf/skills.json", "{\"on\": [\"pdf\"]}");

    sandbox.run(["why", "pdf"]).success().has(&[
        "the global scope turned your own copy on, which does not load, and this repository's copy stands in for it",
    ]);
    sandbox.run(["list"]).success().has(&["global*"]);
}

#[test]
fn a_name_that_only_a_scope_knows_is_told_with_the_way_to_forget_it() {
    let sandbox = Sandbox::new().file("home/.codeaf/skills.json", "{\"on\": [\"gone\"]}");

    let output = sandbox.run(["why", "gone"]).refused();

    output.has(&[
        "scopes name it all the same:\n  ~/.codeaf/skills.json:1:9: on in the global scope",
        "to take the decision back:\n  codeaf-skills clear gone --global\n",
    ]);
    sandbox.run(["clear", "gone", "--global"]).success();
    sandbox
        .run(["why", "gone"])
        .refused()
        .lacks(&["scopes name it"]);
}

#[test]
fn a_broken_copy_beside_a_good_one_is_told_in_list_and_why() {
    let sandbox = Sandbox::new()
        .file(
            "project/.agents/skills/deploy/SKILL.md",
            "---\nname: deploy\n---\nPROJECT\n",
        )
        .home_skill("deploy", "Deploys by the home rules.");

    let why = sandbox.run(["why", "deploy", "--json"]).success().json();

    assert_eq!(
        why["skill"]["location"],
        "[D]/home/.agents/skills/deploy/SKILL.md"
    );
    assert_eq!(
        why["broken"][0]["location"],
        "[D]/project/.agents/skills/deploy/SKILL.md"
    );
    sandbox.run(["why", "deploy"]).success().has(&[
        "also of this name, and not loaded:\n  .agents/skills/deploy/SKILL.md:2:1: error[description-missing]",
    ]);
    sandbox
        .run(["list"])
        .success()
        .has(&[".agents/skills/deploy/SKILL.md:2:1"]);
}

#[test]
fn a_suggested_command_about_a_name_like_a_flag_can_be_typed() {
    let sandbox = Sandbox::new();

    sandbox
        .run(["show", "--", "--json"])
        .refused()
        .has(&["help: `codeaf-skills why -- --json` tells where it was looked for"]);
    sandbox
        .run(["why", "--", "--json"])
        .has(&["no skill is called --json"]);
}
