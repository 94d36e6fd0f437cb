//! Many writers at once, and writers that are killed: the file is whole, and no
//! decision is lost.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::random::Random;
use crate::sandbox::Sandbox;

const GLOBAL: &str = "home/.codeaf/skills.json";

/// The file as it is now; it must be JSON at any instant.
fn whole(file: &Path) -> Value {
    let bytes = fs::read(file).unwrap();
    serde_json::from_slice(&bytes)
        .unwrap_or_else(|error| panic!("{error}: {:?}", String::from_utf8_lossy(&bytes)))
}

fn says(document: &Value, list: &str, name: &str) -> bool {
    let names = document[list].as_array();
    names.is_some_and(|names| names.iter().any(|found| found == name))
}

/// Runs `toggle(writer, round)` for every writer at once, while a reader looks.
fn race(file: &Path, writers: usize, rounds: usize, toggle: impl Fn(usize, usize) + Sync) {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                if file.exists() {
                    whole(file);
                }
                thread::sleep(Duration::from_micros(300));
            }
        });
        let running: Vec<_> = (0..writers)
            .map(|writer| {
                let toggle = &toggle;
                scope.spawn(move || (0..rounds).for_each(|round| toggle(writer, round)))
            })
            .collect();
        let ends: Vec<_> = running
            .into_iter()
            .map(thread::ScopedJoinHandle::join)
            .collect();
        done.store(true, Ordering::Relaxed);
        assert!(ends.iter().all(Result::is_ok), "a writer failed");
    });
}

#[test]
fn thirty_two_writers_of_fifty_decisions_each_lose_none() {
    const WRITERS: usize = 32;
    const ROUNDS: usize = 50;
    let mut sandbox = Sandbox::new();
    for writer in 0..WRITERS {
        sandbox = sandbox.home_skill(&format!("skill-{writer:02}"), "Does one job.");
    }
    let file = sandbox.path(GLOBAL);

    race(&file, WRITERS, ROUNDS, |writer, round| {
        let verb = ["on", "off"][(writer + round) % 2];
        let name = format!("skill-{writer:02}");
        let output = sandbox.run([verb, &name, "--global"]).success();
        // What now holds is what was just asked for: nobody else writes it.
        assert!(output.stdout.contains(&format!(" {verb} ")), "{output}");
    });

    let document = whole(&file);
    for writer in 0..WRITERS {
        let name = format!("skill-{writer:02}");
        let (list, other) = if (writer + ROUNDS - 1).is_multiple_of(2) {
            ("on", "off")
        } else {
            ("off", "on")
        };
        assert!(says(&document, list, &name), "{name} is lost: {document}");
        assert!(
            !says(&document, other, &name),
            "{name} is in both: {document}"
        );
    }
    assert_eq!(sandbox.names_in("home/.codeaf"), ["skills.json"]);
}

#[test]
fn writers_that_reach_one_file_through_different_links_lose_no_decision() {
    let sandbox = Sandbox::new()
        .project_skill("a", "A.")
        .file("dotfiles/skills.json", "{}")
        .link("one/.codeaf/skills.json", "../../dotfiles/skills.json")
        .link("two/.codeaf", "../dotfiles")
        .link("three/.codeaf/skills.json", "../../one/.codeaf/skills.json");
    let homes = ["one", "two", "three"].map(|home| sandbox.path(home));
    let file = sandbox.path("dotfiles/skills.json");

    race(&file, homes.len(), 30, |writer, round| {
        let name = format!("skill-{writer}-{round}");
        let home = [("CODEAF_HOME", homes[writer].as_os_str())];
        sandbox
            .run_with(&home, ["on", &name, "--global", "--force"])
            .success();
    });

    let document = whole(&file);
    assert_eq!(document["on"].as_array().unwrap().len(), homes.len() * 30);
    assert_eq!(sandbox.names_in("dotfiles"), ["skills.json"]);
    assert!(sandbox.path("one/.codeaf/skills.json").is_symlink());
    assert!(sandbox.path("two/.codeaf").is_symlink());
}

/// A scope file with much in it, so that a torn write would show.
fn long_file() -> String {
    let names: Vec<String> = (0..2_000).map(|number| format!("skill-{number}")).collect();
    serde_json::json!({"on": names, "off": [], "other": "kept"}).to_string()
}

/// Starts runs that are ended in the middle of things, and looks after each.
fn end_runs(rounds: u64, end: impl Fn(Command, Duration)) {
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .file(GLOBAL, long_file());
    let file = sandbox.path(GLOBAL);
    let started = Instant::now();
    sandbox.run(["off", "pdf", "--global"]).success();
    // Follows the instant of the rename, so that most runs end near it.
    let mut middle = started.elapsed();
    let mut random = Random::new(0x5eed);
    let mut seen = [0, 0];
    for round in 0..rounds {
        let before = whole(&file);
        let verb = if says(&before, "off", "pdf") {
            "on"
        } else {
            "off"
        };
        let mut command = sandbox.command([verb, "pdf", "--global"]);
        command.stdout(Stdio::null()).stderr(Stdio::null());

        end(command, middle.mul_f64(0.5 + random.fraction()));

        let after = whole(&file);
        let is_new = says(&after, verb, "pdf");
        assert!(is_new || after == before, "round {round}: {after}");
        assert_eq!(after["other"], "kept");
        assert_eq!(
            after["on"].as_array().unwrap().len() - usize::from(says(&after, "on", "pdf")),
            2_000
        );
        seen[usize::from(is_new)] += 1;
        middle = middle.mul_f64(if is_new { 0.9 } else { 1.1 });
    }
    assert!(
        seen[0] > 0 && seen[1] > 0,
        "no run ended around the rename: {seen:?}"
    );

    sandbox.run(["on", "pdf", "--global"]).success();
    sandbox.run(["off", "pdf", "--global"]).success();

    assert_eq!(sandbox.names_in("home/.codeaf"), ["skills.json"]);
}

#[test]
fn a_run_that_is_killed_at_any_instant_leaves_a_whole_file_and_no_litter_for_long() {
    end_runs(200, |mut command, after| {
        let mut run = command.spawn().unwrap();
        thread::sleep(after);
        run.kill().unwrap();
        run.wait().unwrap();
    });
}

#[test]
fn a_run_that_is_interrupted_or_terminated_leaves_a_whole_file() {
    for signal in ["INT", "TERM", "HUP"] {
        end_runs(30, |command, after| {
            let mut timeout = Command::new("timeout");
            timeout.arg(format!("--signal={signal}"));
            timeout.arg(format!("{:.6}", after.as_secs_f64().max(1e-6)));
            timeout.arg(command.get_program()).args(command.get_args());
            for (key, value) in command.get_envs() {
                timeout.env(key, value.unwrap_or_default());
            }
            timeout.current_dir(command.get_current_dir().unwrap());
            timeout
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .unwrap();
        });
    }
}

#[test]
fn a_write_that_waits_for_a_lock_says_so() {
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .folder("project/.codeaf");
    let held = File::open(sandbox.path("project/.codeaf")).unwrap();
    held.lock().unwrap();

    let (told, end) = sandbox.run_waiting(["on", "pdf"], || drop(held));

    assert_eq!(
        told,
        "note: waiting for .codeaf/skills.json, whose folder another program keeps locked, up to 30 s\n"
    );
    assert_eq!(
        String::from_utf8_lossy(&end.stdout),
        "pdf  on  project  .codeaf/skills.json:3:5\n"
    );
}
