//! The write path with the operating system failing under it, one call at a
//! time: `strace` injects the error into the real program.

use std::fs;
use std::process::Command;

use crate::sandbox::Sandbox;

const GLOBAL: &str = "home/.codeaf/skills.json";
const OLD: &str = "{\"on\": [], \"off\": [], \"other\": \"kept\"}\n";
const NEW: &str = "{\"on\": [\"pdf\"], \"off\": [], \"other\": \"kept\"}\n";

/// The calls that a write makes, or may make on another system.
const CALLS: [&str; 19] = [
    "openat",
    "read",
    "write",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "fchmod",
    "fchmodat",
    "fchown",
    "fchownat",
    "flock",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "fstat",
    "statx",
];

/// Nobody is let down by more failures in a row than this.
const OCCURRENCES: usize = 60;

fn strace_works() -> bool {
    let tried = Command::new("strace")
        .args(["-qq", "-o", "/dev/null", "true"])
        .output();
    let works = tried.is_ok_and(|output| output.status.success());
    assert!(
        works || std::env::var_os("CI").is_none(),
        "strace is missing where nothing may be passed over"
    );
    works
}

/// How often `call` happens in a run without failures.
fn count(sandbox: &Sandbox, call: &str) -> usize {
    let log = sandbox.path("log");
    let mut command = sandbox.command_of("strace");
    command
        .args(["-f", "-qq", "-e", &format!("trace={call}"), "-o"])
        .arg(&log);
    command
        .arg(crate::sandbox::PROGRAM)
        .args(["on", "pdf", "--global"]);
    // A call that this machine does not have is refused by strace.
    if !command.output().unwrap().status.success() {
        return 0;
    }
    fs::read_to_string(log)
        .unwrap()
        .lines()
        .filter(|line| line.contains('('))
        .count()
}

#[test]
fn whichever_call_fails_the_file_is_old_or_new_and_whole_and_nothing_else_stays() {
    if !strace_works() {
        return;
    }
    let mut refused = 0;
    for error in ["EIO", "ENOSPC"] {
        for call in CALLS {
            let fresh = || {
                Sandbox::new()
                    .home_skill("pdf", "Reads PDF files.")
                    .file(GLOBAL, OLD)
            };
            let times = count(&fresh(), call).min(OCCURRENCES);
            for occurrence in 1..=times {
                let sandbox = fresh();
                let mut command = sandbox.command_of("strace");
                command.args([
                    "-f",
                    "-qq",
                    "-o",
                    "/dev/null",
                    "-e",
                    &format!("trace={call}"),
                ]);
                command.args([
                    "-e",
                    &format!("inject={call}:error={error}:when={occurrence}"),
                ]);
                command
                    .arg(crate::sandbox::PROGRAM)
                    .args(["on", "pdf", "--global"]);

                let finished = command.output().unwrap();

                let told = String::from_utf8_lossy(&finished.stderr).into_owned();
                let case = format!("{call} no. {occurrence} fails with {error}: {told}");
                let text = sandbox.read(GLOBAL);
                assert!(!told.contains("panicked"), "{case}");
                match finished.status.code() {
                    // 127: the loader could not start the program at all.
                    Some(0 | 127) => {}
                    Some(1) => {
                        assert!(told.contains("error"), "{case}");
                        refused += 1;
                    }
                    status => panic!("{status:?}: {case}"),
                }
                assert!(text == OLD || text == NEW, "{text:?}: {case}");
                if finished.status.success() {
                    // Success means that the decision stands.
                    assert_eq!(text, NEW, "{case}");
                }
                if !call.starts_with("unlink") {
                    assert_eq!(sandbox.names_in("home/.codeaf"), ["skills.json"], "{case}");
                }
            }
        }
    }
    assert!(refused > 20, "only {refused} failures reached the program");
}

#[test]
fn a_folder_that_was_made_for_a_write_that_failed_is_taken_away_again() {
    if !strace_works() {
        return;
    }
    for (call, occurrence) in [("fsync", 1), ("rename", 1), ("renameat", 1), ("fchmod", 1)] {
        let sandbox = Sandbox::new().home_skill("pdf", "Reads PDF files.");
        let mut command = sandbox.command_of("strace");
        command.args([
            "-f",
            "-qq",
            "-o",
            "/dev/null",
            "-e",
            &format!("trace={call}"),
        ]);
        command.args(["-e", &format!("inject={call}:error=EIO:when={occurrence}")]);
        command
            .arg(crate::sandbox::PROGRAM)
            .args(["on", "pdf", "--global"]);

        let finished = command.output().unwrap();

        let told = String::from_utf8_lossy(&finished.stderr).into_owned();
        match finished.status.code() {
            Some(0) => assert_eq!(sandbox.names_in("home/.codeaf"), ["skills.json"], "{told}"),
            _ => assert!(!sandbox.has("home/.codeaf"), "{call}: {told}"),
        }
    }
}

#[test]
fn a_run_killed_before_the_rename_leaves_old_content_and_the_next_write_takes_its_litter_away() {
    if !strace_works() {
        return;
    }
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .file(GLOBAL, OLD)
        .file("home/.codeaf/.notes.tmp", "mine")
        .file("home/.codeaf/skills.json~", "mine");
    let mut command = sandbox.command_of("strace");
    command.args(["-f", "-qq", "-o", "/dev/null"]);
    for call in ["rename", "renameat", "renameat2"] {
        // Not every machine has each of them; `?` leaves out the unknown.
        command.args(["-e", &format!("inject=?{call}:error=EIO:signal=KILL")]);
    }
    command.arg(crate::sandbox::PROGRAM);
    command.args(["on", "pdf", "--global"]);

    let killed = command.output().unwrap();

    assert!(!killed.status.success());
    assert_eq!(sandbox.read(GLOBAL), OLD);
    let left = sandbox.names_in("home/.codeaf");
    assert_eq!(left.len(), 4, "{left:?}");
    sandbox.run(["on", "pdf", "--global"]).success();
    assert_eq!(sandbox.read(GLOBAL), NEW);
    let names = [".notes.tmp", "skills.json", "skills.json~"];
    assert_eq!(sandbox.names_in("home/.codeaf"), names, "was {left:?}");
}
