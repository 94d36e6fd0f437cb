//! The demo of the fixtures, word for word.

use std::ffi::OsStr;
use std::path::Path;

use crate::sandbox::{Output, Sandbox};

/// Runs the program at the root of the repository, as the README does.
fn demo(words: &[&str]) -> Output {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(["-C", "tests/fixtures/demo/project"]);
    command
        .args(words)
        .env("CODEAF_HOME", OsStr::new("tests/fixtures/demo/home"))
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")));
    sandbox.output(command)
}

#[test]
fn list_of_the_demo() {
    demo(&["list"]).success().is(r"
        NAME             STATE     DECIDED BY  SOURCE                  SIZE    DESCRIPTION
        api-docs         off       project     .github/skills          1.1 KB  Document HTTP APIs from the code, with examples
                                                                               that run. Use when an endpoint is added or
                                                                               changed.
        code-review      on        global*     .claude/skills          872 B   Review changes to this service by its own
                                                                               checklist. Use for every pull request here.
        code-review      shadowed  global      ../home/.claude/skills  1.1 KB  (shadowed by .claude/skills/code-review/SKILL.md)
                                                                               Review a change for faults, clarity and tests.
                                                                               Use before merging, or when asked what is wrong
                                                                               with a diff.
        commit-messages  on        global      ../home/.agents/skills  1.4 KB  Write commit messages that still help in a year.
                                                                               Use when committing, when splitting a large
                                                                               change into commits, or when a message is to be
                                                                               improved.
        data-cleaning    off       default     ../home/.claude/skills  1.5 KB  Clean CSV and spreadsheet exports: types, dates,
                                                                               duplicates, odd encodings. Use before analysing a
                                                                               table that people typed.
        incident-report  on        global      ../home/.codex/skills   1.2 KB  Write incident reports without blame: timeline,
                                                                               cause, what changes. Use after an outage or a
                                                                               near miss.
        pdf-processing   off       project     ../home/.agents/skills  1.7 KB  Extract PDF text, fill forms, merge files. Use
                                                                               when handling PDFs.
        release-notes    on        project*    .agents/skills          1.2 KB  Turn merged changes into release notes that users
                                                                               read. Use when cutting a release or updating
                                                                               CHANGELOG.md.
        sql-migrations   on        project*    .agents/skills          1.5 KB  Write SQL migrations that run on a live database
                                                                               without locking it. Use when changing tables,
                                                                               indexes or constraints.

        * this repository ships the copy that is on, or turns it on: code-review, release-notes, sql-migrations.
        --ignore-project-on leaves that to you.

        named by a scope, but no such skill:
        NAME           SAYS  SCOPE   WHERE
        meeting-notes  on    global  ../home/.codeaf/skills.json:2:81

        not loaded:
          .claude/skills/test-plans/SKILL.md:2:1: error[description-missing]: there is no description
            help: write what the skill does and when to use it: `description: …`

        1 skill loads with 1 finding; `codeaf-skills list -v` shows them
        2 entries in the roots are no skill; `codeaf-skills list -v` shows which and why
        ");
}

#[test]
fn why_of_a_skill_with_two_copies() {
    demo(&["why", "code-review"]).success().is(r"
        code-review is on: the global scope turned your own copy on, and this repository's copy shadows it

        SCOPE    SAYS     WHERE
        project  nothing  .codeaf/skills.json
        global   on       ../home/.codeaf/skills.json:2:47  <- decides

        COPY      SIZE    WHERE                                        DESCRIPTION
        meant     872 B   .claude/skills/code-review/SKILL.md          Review changes to this service by its own checklist. Use
                                                                       for every pull request here.
        shadowed  1.1 KB  ../home/.claude/skills/code-review/SKILL.md  Review a change for faults, clarity and tests. Use before
                                                                       merging, or when asked what is wrong with a diff.

        to turn it off:
          codeaf-skills -C tests/fixtures/demo/project off code-review --global
        ");
}

#[test]
fn the_conversation_of_the_demo_decides_before_the_other_scopes() {
    let on = |words: &[&str]| {
        let words = [&["list", "--on", "--names"], words].concat();
        demo(&words).success().stdout
    };

    let without = on(&[]);
    let with = on(&["--conversation", "../conversation"]);

    assert_ne!(without, with);
    assert!(!without.contains("pdf-processing"), "{without}");
}
