//! Inputs that nobody would write, from a seed: no panic, and a failure always
//! has its words.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use codeaf_skills::scope::{Change, Decisions, Outcome, ScopePath, edit};
use codeaf_skills::skill::{frontmatter, loading};
use codeaf_skills::{Limits, Scope, State};

use crate::random::Random;
use crate::sandbox::{PROGRAM, Sandbox};

const LIMITS: Limits = Limits::DEFAULT;

/// Pieces that mean something to a reader of JSON or YAML.
const PIECES: [&[u8]; 28] = [
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"null",
    b"1E999",
    b"\xff",
    b"\0",
    b"\n",
    b"\r",
    b"\xef\xbb\xbf",
    b"\\u0000",
    b"\\ud800",
    b"\"on\"",
    b"\"off\"",
    b"\"skills\"",
    b"---\n",
    b": ",
    b"- ",
    b"!x ",
    b"*a",
    b"&a ",
    b"\t",
    b" #",
];

/// Changes a few places of `text`.
fn mutated(text: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = text.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.index(bytes.len() + 1);
        let end = (at + random.index(8)).min(bytes.len());
        match random.below(6) {
            0 => drop(bytes.drain(at..end)),
            1 => drop(bytes.splice(at..at, random.choice(&PIECES).iter().copied())),
            2 => drop(bytes.splice(at..end, random.choice(&PIECES).iter().copied())),
            3 => bytes.truncate(at),
            4 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            _ => {
                let from = random.index(other.len() + 1);
                drop(bytes.splice(at..at, other[from..].iter().take(40).copied()));
            }
        }
    }
    bytes
}

const SCOPE_FILES: [&str; 4] = [
    "{\n  \"on\": [\n    \"pdf\",\n    \"personal/review\"\n  ],\n  \"off\": [\"x\"]\n}\n",
    "{\"id\":\"0\",\"ratio\":1.10,\"n\":12345678901234567890123,\"skills\":{\"on\":[\"a\"],\"off\":[]},\"places\":[\"/x\"]}",
    "{\"ignoreProjectOn\": true, \"off\": [\"caf\\u00e9\", \"\\ud83d\\ude00\"], \"on\": []}",
    "{}",
];

#[test]
fn no_scope_file_makes_the_reader_panic_and_none_is_read_as_two_things() {
    let mut random = Random::new(0xc0de_af01);
    let mut kinds = [0, 0];
    for round in 0..4_000 {
        let text = *random.choice(&SCOPE_FILES);
        let other = *random.choice(&SCOPE_FILES);
        let bytes = mutated(text.as_bytes(), other.as_bytes(), &mut random);
        let scope = *random.choice(&Scope::ALL);

        let decisions = Decisions::parse(scope, Path::new("/f"), &bytes, &LIMITS);

        let case = format!("{round}: {:?}", String::from_utf8_lossy(&bytes));
        if let Some(fault) = decisions.fault() {
            assert!(decisions.entries().is_empty(), "{case}");
            assert!(!fault.diagnostic.message.is_empty(), "{case}");
            kinds[0] += 1;
        } else {
            assert!(
                serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).is_ok(),
                "{case}"
            );
            kinds[1] += 1;
        }
        let again = Decisions::parse(scope, Path::new("/f"), &bytes, &LIMITS);
        assert_eq!(again.entries(), decisions.entries(), "{case}");
    }
    assert!(kinds.iter().all(|count| *count > 300), "{kinds:?}");
}

#[test]
fn an_edit_of_any_file_holds_or_leaves_every_byte() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("skills.json");
    let mut random = Random::new(0xc0de_af02);
    let mut edited_files = 0;
    for round in 0..600 {
        let text = *random.choice(&SCOPE_FILES);
        let bytes = mutated(text.as_bytes(), SCOPE_FILES[0].as_bytes(), &mut random);
        fs::write(&file, &bytes).unwrap();
        let place = ScopePath {
            scope: *random.choice(&Scope::ALL),
            file: file.clone(),
            within: None,
        };
        let name = *random.choice(&["pdf", "new", "caf\u{e9}", "workspace/a\"b\\"]);
        let state = *random.choice(&State::ALL);
        let change = match state {
            State::On => Change::on(name),
            State::Off => Change::off(name),
        };

        let outcome = edit(&place, &[change], &LIMITS);

        let after = fs::read(&file).unwrap();
        let case = format!("{round}: {:?}", String::from_utf8_lossy(&bytes));
        match outcome {
            Ok(edited) => {
                let read = Decisions::parse(place.scope, &file, &after, &LIMITS);
                assert_eq!(read.state_of(name), Some(state), "{case}");
                assert_eq!(
                    edited.outcome == Outcome::Unchanged,
                    after == bytes,
                    "{case}"
                );
                if edited.outcome == Outcome::Changed {
                    edit(&place, &[Change::clear(name)], &LIMITS).unwrap();
                    let cleared = fs::read(&file).unwrap();
                    let read = Decisions::parse(place.scope, &file, &cleared, &LIMITS);
                    assert_eq!(read.state_of(name), None, "{case}");
                }
                edited_files += 1;
            }
            Err(error) => {
                assert_eq!(after, bytes, "{case}");
                assert!(!error.to_string().is_empty(), "{case}");
            }
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{case}");
    }
    assert!(edited_files > 30, "{edited_files}");
}

/// Every SKILL.md of the fixtures.
fn skill_files() -> Vec<Vec<u8>> {
    let mut found: Vec<PathBuf> = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.ends_with("SKILL.md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found.iter().map(|path| fs::read(path).unwrap()).collect()
}

#[test]
fn no_skill_file_makes_the_reader_panic_and_what_does_not_load_says_why() {
    let files = skill_files();
    let mut random = Random::new(0xc0de_af03);
    let mut kinds = [0, 0];
    for round in 0..3_000 {
        let (text, other): (&Vec<u8>, &Vec<u8>) = (random.choice(&files), random.choice(&files));
        let bytes = mutated(text, other, &mut random);

        let facts = frontmatter::read(&bytes, &LIMITS);
        let loaded = loading::load(&facts, Path::new("/f/SKILL.md"), "folder", &LIMITS);

        let case = format!("{round}: {:?}", String::from_utf8_lossy(&bytes));
        assert!(facts.body <= bytes.len(), "{case}");
        match loaded {
            Ok(loaded) => {
                assert!(
                    !loaded.name.is_empty() && !loaded.description.trim().is_empty(),
                    "{case}"
                );
                kinds[0] += 1;
            }
            Err(why) => {
                assert!(!why.is_empty(), "{case}");
                kinds[1] += 1;
            }
        }
    }
    assert!(kinds.iter().all(|count| *count > 300), "{kinds:?}");
}

const WORDS: [&str; 44] = [
    "on",
    "off",
    "clear",
    "list",
    "show",
    "why",
    "is-on",
    "render-catalog",
    "tool",
    "use",
    "resources",
    "read",
    "commands",
    "completions",
    "man",
    "pdf",
    "review",
    "nope",
    "*",
    "p?f",
    "workspace/pdf",
    "personal/pdf",
    "--global",
    "--project",
    "--conversation",
    "../conv",
    "--json",
    "-n",
    "-q",
    "-v",
    "--",
    "--force",
    "--missing",
    "--names",
    "--on",
    "--raw",
    "--max-chars",
    "0",
    "18446744073709551616",
    "-1",
    "--format",
    "xml",
    "-C",
    "..",
];

/// A word of the command line, or one with a few bytes changed.
fn odd_word(random: &mut Random) -> OsString {
    let word = *random.choice(&WORDS);
    if random.below(5) > 0 {
        return word.into();
    }
    let mut bytes = mutated(word.as_bytes(), b"\xffmore", random);
    bytes.retain(|byte| *byte != 0);
    OsString::from_vec(bytes)
}

#[test]
fn odd_arguments_end_with_a_known_status_and_never_fail_without_a_word() {
    let sandbox = Sandbox::new()
        .home_skill("pdf", "Reads PDF files.")
        .project_skill("review", "Reviews changes.")
        .file("conv/meta.json", "{}");
    let mut random = Random::new(0xc0de_af04);
    let mut statuses = [0; 3];
    for _ in 0..400 {
        let command = *random.choice(&WORDS[..15]);
        let count = random.below(6);
        let mut words = vec![OsString::from(command)];
        words.extend((0..count).map(|_| odd_word(&mut random)));

        let finished = sandbox.command(&words).output().unwrap();

        let told = [&finished.stdout[..], &finished.stderr].concat();
        let case = format!("{PROGRAM} {words:?}\n{}", String::from_utf8_lossy(&told));
        let status = finished
            .status
            .code()
            .unwrap_or_else(|| panic!("a signal: {case}"));
        assert!((0..=2).contains(&status), "{status}: {case}");
        assert!(!case.contains("panicked"), "{case}");
        assert!(
            status == 0 || !told.is_empty() || command == "is-on",
            "{case}"
        );
        // Whatever stood in the arguments, nothing that acts on a terminal comes back.
        assert!(!told.contains(&0x1b), "{case}");
        statuses[usize::try_from(status).unwrap()] += 1;
    }
    assert!(statuses.iter().all(|count| *count > 10), "{statuses:?}");
}
