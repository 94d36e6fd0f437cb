//! Odd surroundings: full disks, odd names, folders that go away.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;

use crate::sandbox::Sandbox;

const ANSWERS: [&[&str]; 9] = [
    &["list"],
    &["list", "--json"],
    &["why", "pdf"],
    &["show", "pdf"],
    &["read", "pdf"],
    &["resources", "pdf"],
    &["on", "pdf", "--global"],
    &["man"],
    &["completions", "zsh"],
];

/// Told by the parser of the command line, not by a command.
const HELP: [&[&str]; 3] = [&["--help"], &["--version"], &["list", "--help"]];

#[test]
fn a_full_device_is_told_and_fails() {
    let sandbox = Sandbox::new().home_skill("pdf", "Reads PDF files.");

    for words in ANSWERS.iter().chain(&HELP) {
        let mut command = sandbox.command(*words);
        command.stdout(
            std::fs::File::options()
                .write(true)
                .open("/dev/full")
                .unwrap(),
        );
        command.stderr(Stdio::piped());
        let finished = command.spawn().unwrap().wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&finished.stderr);
        assert_eq!(finished.status.code(), Some(1), "{words:?}: {told}");
        assert!(
            told.contains("No space left on device"),
            "{words:?}: {told:?}"
        );
        assert!(!told.contains("panicked"), "{words:?}: {told}");
    }
    sandbox.run(["is-on", "pdf"]).success();
}

#[test]
fn closed_streams_are_no_panic() {
    let sandbox = Sandbox::new().home_skill("pdf", "Reads PDF files.");

    for words in [
        "list",
        "list -v",
        "on nope",
        "on pdf --global",
        "bogus",
        "why nope --json",
    ] {
        for closed in [">&-", "2>&-", ">&- 2>&-", "<&-"] {
            let output = sandbox.shell(&format!("codeaf-skills {words} {closed}; echo status $?"));
            output.success().lacks(&["status 101", "panicked"]);
        }
    }
}

#[test]
fn a_home_with_a_blank_and_a_quote_gives_commands_that_work() {
    let sandbox = Sandbox::called("it's a home ").home_skill("pdf", "Reads PDF files.");
    let conversation = sandbox.path("conv");
    sandbox.write("conv/meta.json", "{\"skills\": {\"off\": [\"pdf\"]}}");

    sandbox.run(["on", "pdf", "--global"]).success();
    let variable = [("CODEAF_CONVERSATION", conversation.as_os_str())];
    let why = sandbox.run_with(&variable, ["why", "pdf"]).success();
    let said = why.stdout.lines().last().unwrap().trim();
    assert!(said.contains("--conversation '"), "{why}");
    let folder = sandbox
        .path("")
        .to_string_lossy()
        .trim_end_matches('/')
        .replace('\'', "'\\''");
    // The normal form of a path with a quote in it is not [D]; put it back.
    let said = said.replace("[D]", &folder);

    sandbox.shell(&said).success();

    sandbox.run_with(&variable, ["is-on", "pdf"]).success();
}

#[test]
fn names_that_are_not_utf_8_are_listed_and_never_a_panic() {
    let odd = |bytes: &'static [u8]| OsStr::from_bytes(bytes);
    let sandbox = Sandbox::new().home_skill("pdf", "Reads PDF files.");
    let root = sandbox.path("home/.agents/skills");
    std::fs::create_dir(root.join(odd(b"bad-\xff"))).unwrap();
    std::fs::write(
        root.join(odd(b"bad-\xff/SKILL.md")),
        "---\nname: fine\ndescription: In an odd folder.\n---\n",
    )
    .unwrap();
    std::fs::create_dir(root.join(odd(b"nameless-\xfe"))).unwrap();
    std::fs::write(
        root.join(odd(b"nameless-\xfe/SKILL.md")),
        "---\ndescription: x\n---\n",
    )
    .unwrap();
    std::fs::write(root.join(odd(b"file-\xfd")), "x").unwrap();
    std::fs::write(root.join(odd(b"pdf/res-\xfc")), "x").unwrap();
    let project = sandbox.path("project").join(odd(b"sub-\xff"));
    std::fs::create_dir_all(project.join(".git")).unwrap();

    for words in [
        &["list"][..],
        &["list", "-v"],
        &["list", "--json"],
        &["show", "pdf"],
        &["show", "fine"],
        &["show", "fine", "--json"],
        &["why", "fine"],
        &["resources", "pdf"],
        &["on", "fine"],
    ] {
        let mut command = sandbox.command(words);
        command.current_dir(&project);
        sandbox.output(command).success();
    }
    assert!(project.join(".codeaf/skills.json").exists());
    for words in [
        &[odd(b"on"), odd(b"\xff\xfe")][..],
        &[odd(b"why"), odd(b"\xff")],
        &[odd(b"-C"), odd(b"\xff"), odd(b"list")],
        &[odd(b"list"), odd(b"--skills-dir"), odd(b"\xff")],
        &[odd(b"list"), odd(b"--conversation"), odd(b"\xff")],
        &[odd(b"\xff")],
        &[odd(b"--json"), odd(b"\xff")],
    ] {
        let output = sandbox.run(words);
        assert!(!output.to_string().is_empty(), "{words:?}");
    }
    let odd_home = [("HOME", odd(b"/tmp/\xff"))];
    sandbox.run_with(&odd_home, ["list"]).success();
    sandbox
        .run_with(&[("NO_COLOR", odd(b"\xff"))], ["list"])
        .success();
}

#[test]
fn a_working_folder_that_was_removed_is_told_with_a_way_on() {
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .folder("gone");

    let output = sandbox.shell("cd ../gone && rmdir ../gone && codeaf-skills list");
    output.refused().has(&[
        "error: cannot tell which the working folder is",
        "help: ",
        "-C",
    ]);
    let sandbox = sandbox.folder("gone");

    let project = sandbox.path("project");
    let script = format!(
        "cd ../gone && rmdir ../gone && codeaf-skills -C '{}' list --names",
        project.display()
    );
    sandbox.shell(&script).success().is("pdf");
}

#[test]
fn starting_in_a_file_or_nowhere_is_refused() {
    let sandbox = Sandbox::new().file("file", "");

    sandbox
        .run(["-C", "../file", "list"])
        .refused()
        .has(&["not a folder"]);
    sandbox
        .run(["-C", "../nowhere", "list"])
        .refused()
        .has(&["nowhere"]);
    sandbox.run(["-C", "", "list"]).has(&[]);
}

#[test]
fn new_makes_a_folder_that_loads_without_a_finding() {
    let sandbox = Sandbox::new();

    sandbox
        .run(["new", "pdf-tools", "--project"])
        .success()
        .has(&[
            ".agents/skills/pdf-tools/SKILL.md\n",
            "`codeaf-skills on pdf-tools --project` turns it on",
        ]);
    sandbox.run(["new", "pdf-tools", "--global"]).success();
    sandbox
        .run(["new", "loose"])
        .success()
        .has(&["nothing looks for skills in this folder"]);

    let list = sandbox.run(["list", "--json"]).success().json();
    assert_eq!(list["skills"][0]["name"], "pdf-tools");
    assert_eq!(list["skills"][0]["diagnostics"], serde_json::json!([]));
    let before = sandbox.everything();
    for words in [
        &["new", "pdf-tools", "--project"][..],
        &["new", "-x"],
        &["new", "A"],
        &["new", "a--b"],
        &["new", "../x"],
    ] {
        assert!(!sandbox.run(words).to_string().is_empty());
    }
    sandbox.run(["new", "pdf-tools", "--project"]).refused();
    assert_eq!(sandbox.everything(), before);
}

#[test]
fn new_tells_what_scopes_say_of_the_name_already() {
    let sandbox = Sandbox::new().home_skill("here", "From home.").file(
        "project/.codeaf/skills.json",
        r#"{"on": ["ready"], "off": ["barred"]}"#,
    );

    for (words, note) in [
        (
            ["new", "ready", "--project"],
            "note: it is on, project: .codeaf/skills.json:1:9\n",
        ),
        (
            ["new", "barred", "--global"],
            "note: it is off, project: .codeaf/skills.json:1:27; `codeaf-skills on barred --project` turns it on\n",
        ),
        (
            ["new", "free", "--global"],
            "note: it is off; `codeaf-skills on free --global` turns it on\n",
        ),
    ] {
        assert_eq!(sandbox.run(words).success().stderr, note);
    }
    sandbox.run(["new", "both", "--project"]).success();
    let shadowed = sandbox.run(["new", "both", "--global"]).success().stderr;
    assert_eq!(
        shadowed,
        "note: it is shadowed by .agents/skills/both/SKILL.md\n"
    );
}

#[test]
fn is_on_prints_nothing_unless_it_cannot_tell() {
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .file("bad/.codeaf/skills.json", "{");

    sandbox.run(["is-on", "pdf"]).refused().silent();
    sandbox.run(["is-on", "nope"]).refused().silent();
    sandbox.run(["is-on", "pdf", "--json"]).refused();
    sandbox.run_in("bad", ["is-on", "pdf"]).refused().is("
        -- stderr --
        error: .codeaf/skills.json:1:2: the file ends before its JSON does
        help: mend the file; until then no skill is offered, because it may turn one off
        -- exit 1 --
        ");
    let told = sandbox.run_in("bad", ["is-on", "pdf", "--json"]).refused();
    assert_eq!(told.error_json()["error"]["code"], "scope-unreadable");
    sandbox.run(["is-on"]).usage();
}

#[test]
fn the_manual_and_the_version_are_there() {
    let sandbox = Sandbox::new();

    sandbox
        .run(["man"])
        .success()
        .has(&["Which skills can you use on your own?"]);
    sandbox.run(["man", "list"]).success().has(&[".TH"]);
    sandbox
        .run(["--version"])
        .success()
        .is(concat!("codeaf-skills ", env!("CARGO_PKG_VERSION")));
    sandbox.run::<&str>([]).usage().has(&["Usage"]);
}

#[test]
fn paths_are_shortened_only_where_they_begin() {
    let sandbox = Sandbox::new().folder("project/var/project");

    let output = sandbox.run(["list", "--conversation", "/var/project/nope"]);

    output.refused().has(&["at /var/project/nope\n"]);
}

#[test]
fn a_skill_that_is_off_is_used_with_a_note() {
    let sandbox = Sandbox::new().home_skill("pdf", "Reads PDF files.");

    for words in [
        &["use", "pdf"][..],
        &["show", "pdf"],
        &["read", "pdf"],
        &["resources", "pdf"],
    ] {
        let output = sandbox.run(words).success();
        assert!(output.stderr.contains("note: pdf is off"), "{output}");
    }
}

#[test]
fn new_makes_nothing_behind_a_link_out_of_the_project() {
    let sandbox = Sandbox::new()
        .folder("outside")
        .link("project/.agents", "../outside");

    sandbox
        .run(["new", "pdf-tools", "--project"])
        .refused()
        .has(&["outside the project"]);
    assert!(sandbox.names_in("outside").is_empty());
}

#[test]
fn what_was_typed_does_not_act_on_the_terminal() {
    let sandbox = Sandbox::new();

    let output = sandbox.run(["\u{1b}[31mx"]).usage();

    assert!(!output.stderr.contains('\u{1b}'), "{output}");
}

#[test]
fn names_that_hide_something_are_written_out_and_understood_so() {
    let sandbox = Sandbox::new().home_skill("pdf", "Reads PDF files.").file(
        "home/.agents/skills/twin/SKILL.md",
        "---\nname: \"p\\u200bdf\"\ndescription: Hides.\n---\n",
    );

    sandbox
        .run(["list", "--names"])
        .success()
        .is("pdf\np\\u{200b}df");
    sandbox
        .run(["why", "p\u{200b}df"])
        .success()
        .has(&["codeaf-skills on 'p\\u{200b}df' --global\n"]);
    let script = "export LC_ALL=C
        eval \"$(codeaf-skills why 'p\\u{200b}df' | tail -n 1)\"
        codeaf-skills off 'p\\u{200b}df' --global";
    let output = sandbox.shell(script).success();
    output.has(&["p\\u{200b}df  on  global", "p\\u{200b}df  off  global"]);
    sandbox
        .run(["why", "twin"])
        .refused()
        .has(&["\n  p\\u{200b}df  (the folder ~/.agents"]);
    sandbox.run(["on", "p\\u{200b}df", "--global"]).success();
    sandbox.run(["is-on", "pdf"]).refused();
}

#[test]
fn a_listed_file_is_read_by_the_name_that_is_printed() {
    let names = ["e\u{1b}[31m", "n\nl", "plain.md", "two  blanks "];
    let mut sandbox = Sandbox::new().home_skill("pdf", "Reads PDF files.");
    for name in names {
        sandbox = sandbox.file(format!("home/.agents/skills/pdf/refs/{name}"), name);
    }

    let listed = sandbox.run(["resources", "pdf", "-q"]).success();
    let listed = String::from_utf8(listed.bytes).unwrap();
    let shown: Vec<&str> = listed.lines().filter(|line| *line != "SKILL.md").collect();

    let read = |name: &&str| sandbox.run(["read", "pdf", name, "-q"]).success().bytes;
    let read: Vec<_> = shown.iter().map(read).collect();
    assert_eq!(read, names.map(|name| name.as_bytes().to_vec()));
    sandbox
        .run(["show", "pdf"])
        .success()
        .has(&["refs/e\\u{1b}[31m", "refs/n\\u{a}l"]);
}

#[test]
fn a_name_that_looks_like_a_flag_stands_behind_two_hyphens() {
    let sandbox = Sandbox::new().file(
        "home/.agents/skills/x/SKILL.md",
        "---\nname: --json\ndescription: Odd.\n---\n",
    );

    let script =
        "eval \"$(codeaf-skills why -- --json | tail -n 1)\"; codeaf-skills is-on -- --json";
    sandbox.shell(script).success();
}

#[test]
fn a_form_that_contradicts_json_is_wrong_usage() {
    let sandbox = Sandbox::new();

    sandbox
        .run(["render-catalog", "--json", "--format", "xml"])
        .usage()
        .has(&["--json means --format json"]);
}

#[test]
fn a_failing_output_is_told_once() {
    let sandbox = Sandbox::new().home_skill("pdf", "Reads PDF files.");

    let output = sandbox.shell("codeaf-skills list >/dev/full");

    assert_eq!(output.stderr.matches("error:").count(), 1, "{output}");
}
