//! Which file a decision is written to.

use std::ffi::OsStr;

use crate::sandbox::Sandbox;

const GLOBAL: &str = "home/.codeaf/skills.json";
const PROJECT: &str = "project/.codeaf/skills.json";
const CONVERSATION: &str = "conv/meta.json";
const UNMARKED: &str = "plain/.codeaf/skills.json";
const META: &str = r#"{"id": "0123456789abcdef"}"#;

fn sandbox() -> Sandbox {
    Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .folder("plain")
        .file(CONVERSATION, META)
}

#[test]
fn flags_choose_the_file_then_a_marked_project_and_the_variable_never() {
    for (folder, words, variable, written) in [
        ("project", &[][..], false, Some(PROJECT)),
        ("project", &["--project"], false, Some(PROJECT)),
        ("project", &["--global"], false, Some(GLOBAL)),
        (
            "project",
            &["--conversation", "../conv"],
            false,
            Some(CONVERSATION),
        ),
        (
            "project",
            &["--conversation", "../conv/meta.json"],
            false,
            Some(CONVERSATION),
        ),
        // Beside one of the others it is only context.
        (
            "project",
            &["--global", "--conversation", "../conv"],
            false,
            Some(GLOBAL),
        ),
        (
            "project",
            &["--project", "--conversation", "../conv"],
            false,
            Some(PROJECT),
        ),
        // The variable is context, too.
        ("project", &[], true, Some(PROJECT)),
        ("project", &["--global"], true, Some(GLOBAL)),
        ("plain", &[], true, None),
        // Without a mark nothing is guessed.
        ("plain", &[], false, None),
        ("plain", &["--project"], false, Some(UNMARKED)),
        ("plain", &["--global"], false, Some(GLOBAL)),
        (
            "plain",
            &["--conversation", "../conv"],
            false,
            Some(CONVERSATION),
        ),
        ("home", &[], false, None),
        ("home", &["--global"], false, Some(GLOBAL)),
        // `-C` moves the start before all else.
        ("plain", &["-C", "../project"], false, Some(PROJECT)),
        ("project", &["-C", "../plain"], false, None),
    ] {
        for verb in ["on", "off"] {
            let sandbox = sandbox();
            let conversation = sandbox.path("conv");
            let mut command = sandbox.command([verb, "pdf"]);
            command.args(words).current_dir(sandbox.path(folder));
            if variable {
                command.env("CODEAF_CONVERSATION", &conversation);
            }
            let before = sandbox.everything();

            let output = sandbox.output(command);

            let case = format!("{folder}: {verb} {words:?} {variable}\n{output}");
            let Some(file) = written else {
                output
                    .usage()
                    .has(&["--global", "--project", "--conversation PATH"]);
                assert_eq!(sandbox.everything(), before, "{case}");
                continue;
            };
            output.success().has(&["wrote "]);
            for other in [GLOBAL, PROJECT, CONVERSATION, UNMARKED] {
                let names_it = sandbox.has(other) && sandbox.read(other).contains("\"pdf\"");
                assert_eq!(names_it, other == file, "{other} of {case}");
            }
        }
    }
}

#[test]
fn home_is_never_a_project() {
    let sandbox = sandbox().folder("home/.codeaf").folder("home/work");
    let before = sandbox.everything();

    for folder in ["home", "home/work"] {
        sandbox.run_in(folder, ["on", "pdf"]).usage();
    }
    sandbox
        .run_in("home", ["on", "pdf", "--project"])
        .refused()
        .is("
        -- stderr --
        error: the home folder is never a project
        help: use --global
        -- exit 1 --
        ");

    assert_eq!(sandbox.everything(), before);
}

#[test]
fn global_and_project_at_once_is_wrong_usage() {
    let sandbox = sandbox();

    sandbox
        .run(["on", "pdf", "--global", "--project"])
        .usage()
        .has(&["cannot be used with"]);
    sandbox.run(["on"]).usage();
    sandbox.run(["clear"]).usage();
    sandbox.run(["clear", "pdf", "--missing"]).usage();
}

#[test]
fn a_subfolder_writes_to_the_nearest_marked_folder_above_it() {
    for mark in [".git", ".codeaf"] {
        let sandbox = Sandbox::new()
            .home_skill("pdf", "Reads PDF files.")
            .folder(format!("work/{mark}"))
            .folder("work/packages/api");

        sandbox.run_in("work/packages/api", ["on", "pdf"]).success();

        assert!(sandbox.read("work/.codeaf/skills.json").contains("\"pdf\""));
        assert!(!sandbox.has("work/packages/api/.codeaf"));
    }
}

#[test]
fn a_linked_worktree_is_a_project_of_its_own() {
    let sandbox = Sandbox::new().home_skill("pdf", "Reads PDF files.").file(
        "project/trees/one/.git",
        "gitdir: ../../.git/worktrees/one\n",
    );

    sandbox.run_in("project/trees/one", ["on", "pdf"]).success();

    assert!(sandbox.has("project/trees/one/.codeaf/skills.json"));
    assert!(!sandbox.has(PROJECT));
}

#[test]
fn a_conversation_is_named_by_its_id_too() {
    let folder = "home/.codeaf/v3/projects/-srv-shop/0123456789abcdef";
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .file(format!("{folder}/meta.json"), META);

    sandbox
        .run(["on", "pdf", "--conversation", "0123456789abcdef"])
        .success();

    assert!(
        sandbox
            .read(format!("{folder}/meta.json"))
            .contains("\"pdf\"")
    );
    let id: &OsStr = "0123456789abcdef".as_ref();
    sandbox
        .run_with(&[("CODEAF_CONVERSATION", id)], ["is-on", "pdf"])
        .success();
    sandbox.run(["is-on", "pdf"]).refused();
    sandbox
        .run(["on", "pdf", "--conversation", "fedcba9876543210"])
        .refused();
}

#[test]
fn a_conversation_that_is_not_there_is_an_error_and_one_without_meta_json_takes_no_decision() {
    let sandbox = Sandbox::new().home_skill("pdf", "Reads PDF files.");
    let before = sandbox.everything();

    sandbox
        .run(["on", "pdf", "--conversation", "../nowhere"])
        .refused()
        .has(&["no conversation"]);
    sandbox
        .run(["list", "--conversation", "../nowhere"])
        .refused()
        .has(&["no conversation"]);
    sandbox
        .run(["on", "pdf", "--conversation", "../conv"])
        .refused()
        .has(&["meta.json"]);
    sandbox.run(["list", "--conversation", "../conv"]).success();
    sandbox
        .run(["list", "--conversation", "../conv/meta.json"])
        .refused();

    assert_eq!(sandbox.everything(), before);
}

#[test]
fn the_flag_for_the_conversation_comes_before_the_variable() {
    let sandbox = sandbox().file("other/meta.json", r#"{"skills": {"on": ["pdf"]}}"#);
    let conversation = sandbox.path("conv");
    let variable = [("CODEAF_CONVERSATION", conversation.as_os_str())];

    sandbox.run_with(&variable, ["is-on", "pdf"]).refused();
    sandbox
        .run_with(&variable, ["is-on", "pdf", "--conversation", "../other"])
        .success();
}

#[test]
fn without_a_home_there_is_no_global_scope_and_everything_else_works() {
    let sandbox = Sandbox::new().project_skill("local", "Works here.");

    for home in ["", "relative/home"] {
        let variables = [("HOME", OsStr::new(home))];
        let before = sandbox.everything();
        sandbox
            .run_with(&variables, ["list", "--names"])
            .success()
            .is("local");
        for words in [
            &["on", "local", "--global"][..],
            &["on", "local", "--global", "-n"],
        ] {
            sandbox
                .run_with(&variables, words)
                .refused()
                .has(&["error: ", "HOME", "--project"]);
        }
        assert_eq!(sandbox.everything(), before);
        sandbox.run_with(&variables, ["on", "local"]).success();
        sandbox.run_with(&variables, ["is-on", "local"]).success();
        sandbox.run_with(&variables, ["clear", "local"]).success();
        std::fs::remove_dir_all(sandbox.path("project/.codeaf")).unwrap();
    }
}

#[test]
fn codeaf_home_moves_skills_and_decisions_alike() {
    let sandbox = Sandbox::new().home_skill("near", "At home.").skill(
        "elsewhere/.agents/skills",
        "far",
        "Elsewhere.",
    );
    let elsewhere = sandbox.path("elsewhere");
    let variable = [("CODEAF_HOME", elsewhere.as_os_str())];

    sandbox
        .run_with(&variable, ["list", "--names"])
        .success()
        .is("far");
    sandbox
        .run_with(&variable, ["on", "far", "--global"])
        .success();

    assert!(sandbox.has("elsewhere/.codeaf/skills.json"));
    assert!(!sandbox.has("home/.codeaf"));
    sandbox.run_with(&variable, ["is-on", "far"]).success();
    sandbox
        .run_with(&[("CODEAF_HOME", OsStr::new(""))], ["list", "--names"])
        .success()
        .is("near");
}
