//! The frontmatter cases, as three agents that were run answer them.

use std::path::Path;

use proptest::prelude::{prop_assert, proptest};

use super::*;
use crate::diagnostic::{Rule, Span};
use crate::limits::Limits;

fn outcome(file: &[u8], folder: &str, name: &str) -> Outcome {
    let path = Path::new("/skills/x/SKILL.md");
    let profile = Profile::named(name).expect(name);
    verdict(file, path, folder, profile, &Limits::DEFAULT).outcome
}

/// `+` where a file is listed, `-` where it is not, for gemini-cli, codex and
/// opencode in this order.
fn listed(file: &[u8], folder: &str) -> String {
    let sign = |name| match outcome(file, folder, name) {
        Outcome::Drops => '-',
        Outcome::Unknown => '?',
        _ => '+',
    };
    ["gemini-cli", "codex", "opencode"]
        .map(sign)
        .iter()
        .collect()
}

#[test]
fn files_are_listed_as_the_agents_list_them() {
    for (case, file, expected) in [
        ("01", &b"---\nname: x\ndescription: d\n---\nB\n"[..], "+++"),
        ("03", b"---\nname: x\ndescription: d\n---\n", "+++"),
        ("04", b"---\nname: x\ndescription: d\n---", "+++"),
        ("06", b"---\nname: x\ndescription: d\n--- \nB\n", "+++"),
        ("07", b"--- \nname: x\ndescription: d\n---\nB\n", "-++"),
        (
            "08",
            b"---\nname: x\ndescription: d\n...\n\n# Body\n\nDo: the thing.\n",
            "---",
        ),
        ("10", b"----\nname: x\ndescription: d\n----\nB\n", "---"),
        ("11", b"\n---\nname: x\ndescription: d\n---\nB\n", "---"),
        (
            "13",
            b"---\nname: x\n<!-- c -->\ndescription: d\n---\nB\n",
            "+--",
        ),
        ("16", b"+++\nname = 'x'\n+++\nB\n", "---"),
        (
            "17",
            b"\xef\xbb\xbf---\nname: x\ndescription: d\n---\nB\n",
            "--+",
        ),
        ("19", b"---\rname: x\rdescription: d\r---\rB\r", "---"),
        ("21", b"\x7fELF\x02\x01\0\0\xff", "---"),
        ("22", b"---\nname: x\ndescription: d\n---\ncaf\xe9\n", "+-+"),
        ("23", b"---\nname: x\ndescription: caf\xe9\n---\nB\n", "+-+"),
        ("25", b"\xff\xfe-\0-\0-\0\n\0", "---"),
        ("27", b"---\nname:\tx\ndescription:\td\n---\nB\n", "+++"),
    ] {
        assert_eq!(listed(file, "x"), expected, "{case}");
    }
}

#[test]
fn fields_are_taken_as_the_agents_take_them() {
    let mut bomb = "name: x\ndescription: d\nl0: &l0 [y]\n".to_owned();
    for i in 1..10 {
        let items = vec![format!("*l{}", i - 1); 10].join(", ");
        bomb = format!("{bomb}l{i}: &l{i} [{items}]\n");
    }
    let line = format!("name: x\ndescription: d\nlong: {}", "y".repeat(1 << 20));
    for (case, fields, expected) in [
        ("15", "name: x\ndescription: a --- b", "+++"),
        (
            "29",
            "name: x\ndescription: d\nargument-hint: <a: b>",
            "++-",
        ),
        ("30", "name: x\ndescription: a #1 b", "+++"),
        ("32", "name: x\ndescription: `d`", "++-"),
        ("33", "name: x\ndescription: |\n  a\n  b", "+++"),
        ("34", "name: x\ndescription: >\n  a\n  b", "+++"),
        ("36", "name: x\ndescription: a\n  b", "+++"),
        ("37", "'name': x\n\"description\": d", "+++"),
        ("39", "name: x\ndescription: 2026", "++-"),
        ("40", "name: 3000\ndescription: d", "++-"),
        ("41", "name: no\ndescription: d", "+++"),
        ("42", "name: x\ndescription: yes", "+++"),
        ("44", "name: x\ndescription: d\nuser-invocable: no", "+++"),
        ("46", "name: x\ndescription: d\nt: a\nt: b", "++-"),
        ("47", "name: x\ndescription: &d d\nx: *d", "+++"),
        ("49", &bomb, "+++"),
        ("51", &line, "+++"),
        ("53", "- x", "---"),
        ("54", "", "---"),
        ("56", "name: y\ndescription: d", "+++"),
        ("57", "name: X\ndescription: d", "+++"),
        ("59", "name: a b\ndescription: d", "+++"),
        ("61", "name: x-\ndescription: d", "+++"),
        (
            "64",
            &format!("name: {}\ndescription: d", "n".repeat(65)),
            "+-+",
        ),
        ("65", "name: caf\u{e9}\ndescription: d", "+++"),
        ("67", "name: \u{8868}\ndescription: d", "+++"),
        ("68", "name: \u{ff54}\ndescription: d", "+++"),
        ("69", "name: x", "--+"),
        ("70", "name: x\ndescription: ''", "+-+"),
        ("72", "name: x\ndescription: '  '", "+-+"),
        (
            "73",
            &format!("name: x\ndescription: {}", "d".repeat(1_024)),
            "+++",
        ),
        (
            "75",
            &format!("name: x\ndescription: {}", "\u{6587}".repeat(1_024)),
            "+++",
        ),
        ("76", "name: x\ndescription:\n  - a\n  - b", "+--"),
        ("78", "name: x\ndescription: \"a\\e[1mb\\u202E\"", "+++"),
        ("79", "name: x\ndescription: d\nmodel: m", "+++"),
        ("80", "name: x\ndescription: d\nallowed_tools: a", "+++"),
        (
            "81",
            "name: x\ndescription: d\nmetadata: {a: {b: c}}",
            "+++",
        ),
        ("82", "name: x\ndescription: d\nmetadata: {a: 1.0}", "+++"),
        ("84", "name: x\ndescription: d\nallowed-tools: [a]", "+++"),
        (
            "86",
            &format!(
                "name: x\ndescription: d\ncompatibility: {}",
                "c".repeat(500)
            ),
            "+++",
        ),
        (
            "87",
            &format!(
                "name: x\ndescription: d\ncompatibility: {}",
                "c".repeat(501)
            ),
            "+++",
        ),
        ("89", "name: x\ndescription: d\nlicense: [MIT]", "+++"),
    ] {
        let file = format!("---\n{fields}\n---\nB\n");
        assert_eq!(listed(file.as_bytes(), "x"), expected, "{case}");
    }
}

#[test]
fn what_changes_is_said() {
    let path = Path::new("/skills/x/SKILL.md");
    for (name, file, expected) in [
        (
            "gemini-cli",
            "---\nname: x\ndescription: d\n--- \nB",
            "the body is empty",
        ),
        (
            "gemini-cli",
            "---\nname: x\ndescription: a #1\n---\nB",
            "cut at ` #`",
        ),
        (
            "opencode",
            "---\nname: x\ndescription: d\n---\nB\u{feff}",
            "",
        ),
        (
            "claude-code",
            "---\nname: x\ndescription: a: b\n---\nB",
            "YAML frontmatter failed to parse: … all frontmatter fields silently dropped",
        ),
        (
            "copilot",
            "---\nname: y\ndescription: d\n---\nB",
            "the folder's name is used",
        ),
    ] {
        let profile = Profile::named(name).expect(name);
        let told = verdict(file.as_bytes(), path, "x", profile, &Limits::DEFAULT).told;
        let text = told.first().map_or("", |told| told.text.as_str());
        assert_eq!(text, expected, "{name}: {file:?}");
    }
}

#[test]
fn what_nobody_knows_is_unknown_and_never_guessed() {
    for (name, file, expected) in [
        (
            "cursor",
            "---\nname: x\ndescription: d\n---\nB",
            Outcome::Loads,
        ),
        (
            "cursor",
            "--- \nname: x\ndescription: d\n---\nB",
            Outcome::Unknown,
        ),
        ("cursor", "---\nname: x\n---\nB", Outcome::Unknown),
        ("cursor", "no fence", Outcome::Unknown),
        (
            "cursor",
            "---\nname: X\ndescription: d\n---\nB",
            Outcome::Unknown,
        ),
        (
            "cursor",
            "---\nname: x\ndescription: no\n---\nB",
            Outcome::Unknown,
        ),
        (
            "goose",
            "---\nname: x\ndescription: &d d\nlicense: *d\n---\nB",
            Outcome::Unknown,
        ),
        (
            "codex",
            "---\nname: x\ndescription: {a: b}\n---\nB",
            Outcome::Loads,
        ),
        (
            "codex",
            "---\nname: x\ndescription: {a: b,\n  c: d}\n---\nB",
            Outcome::Unknown,
        ),
        (
            "opencode",
            "---\nname: x\ndescription: {a: b}\n---\nB",
            Outcome::Drops,
        ),
        ("goose", "---\nname: x\n---\nB", Outcome::Loads),
        ("goose", "---\ndescription: d\n---\nB", Outcome::Drops),
        (
            "goose",
            "---\nname: x\ndescription: a: b\n---\nB",
            Outcome::Unknown,
        ),
        (
            "claude-code",
            "---\nname: x\nname: y\ndescription: d\n---\nB",
            Outcome::Unknown,
        ),
    ] {
        assert_eq!(
            outcome(file.as_bytes(), "x", name),
            expected,
            "{name}: {file:?}"
        );
    }
}

#[test]
fn one_fault_rests_on_one_rule_for_every_agent_that_it_hits() {
    let path = Path::new("/skills/x/SKILL.md");
    for (file, rule, expected) in [
        (
            "--- \nname: x\ndescription: d\n---\nB",
            Rule::FenceBlanks,
            "albedo copilot cursor gemini-cli goose",
        ),
        (
            "---\nname: x\ndescription: a: b\n---\nB",
            Rule::UnquotedColon,
            "albedo claude-code coder copilot cursor goose vbot",
        ),
        (
            "\n---\nname: x\ndescription: d\n---\nB",
            Rule::FrontmatterNotFirst,
            "albedo claude-code coder codex copilot cursor gemini-cli goose opencode vbot",
        ),
    ] {
        let is_hit = |profile: &&&Profile| {
            let told = verdict(file.as_bytes(), path, "x", profile, &Limits::DEFAULT).told;
            told.iter()
                .any(|told| told.rule == rule && !told.span.eq(&Span::START))
        };
        let all = Profile::ALL
            .iter()
            .filter(|profile| !profile.readers.is_empty());
        let mut hit: Vec<_> = all.filter(is_hit).map(|profile| profile.name).collect();
        hit.sort_unstable();
        assert_eq!(hit.join(" "), expected, "{file:?}");
    }
}

#[test]
fn what_is_said_of_a_mapping_speaks_of_no_list() {
    let path = Path::new("/skills/x/SKILL.md");
    let file = "---\nname: x\ndescription:\n  Use when: the user asks\n---\nB";
    for profile in Profile::ALL {
        let told = verdict(file.as_bytes(), path, "x", profile, &Limits::DEFAULT).told;
        for told in told {
            for word in ["list", "sequence", "array", "brackets"] {
                let said = format!("{told:?}");
                assert!(!said.contains(word), "{}: {said}", profile.name);
            }
        }
    }
    for (name, expected) in [
        ("codex", Outcome::Unknown),
        ("gemini-cli", Outcome::Unknown),
        ("claude-code", Outcome::LoadsChanged),
        ("opencode", Outcome::Drops),
    ] {
        assert_eq!(outcome(file.as_bytes(), "x", name), expected, "{name}");
    }
}

proptest! {
    #[test]
    fn no_file_makes_the_judge_panic(inner in "(---|[a-z:#|'\"\\[{ \t\r\n@!&*<>-]|\\PC){0,60}") {
        let path = Path::new("/skills/x/SKILL.md");
        for profile in Profile::ALL {
            for file in [inner.clone(), format!("---\n{inner}\n---\nB")] {
                let told = verdict(file.as_bytes(), path, "x", profile, &Limits::DEFAULT);
                let found = findings(file.as_bytes(), path, "x", profile, &Limits::DEFAULT);
                if !profile.readers.is_empty() && told.outcome == Outcome::Drops {
                    prop_assert!(found.iter().any(|found| found.severity == Severity::Error));
                }
            }
        }
    }
}

#[test]
fn time_grows_with_the_file_and_not_faster() {
    let many: String = "a: b # c\n".repeat(40_000);
    let distinct: Vec<String> = (0..40_000).map(|i| format!("k{i}: v: w\n")).collect();
    let start = std::time::Instant::now();
    for inner in [many, distinct.concat(), "<!--".repeat(90_000)] {
        let file = format!("---\nname: x\n{inner}---\n{inner}");
        for name in ["gemini-cli", "coder", "vbot"] {
            outcome(file.as_bytes(), "x", name);
        }
    }
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn every_value_of_a_profile_has_its_evidence() {
    for profile in Profile::ALL {
        for reader in profile.readers {
            for (i, (case, effect, evidence)) in reader.each_check().enumerate() {
                let known = !matches!(effect, Effect::Unknown);
                let is_evident = evidence != Evidence::Nobody;
                assert_eq!(known, is_evident, "{} {case:?}", profile.name);
                let once = reader.each_check().take(i).all(|(other, ..)| other != case);
                assert!(once, "{} {case:?} stands twice", profile.name);
            }
        }
    }
    for (name, source) in [
        ("spec", include_str!("spec.rs")),
        ("codeaf", include_str!("codeaf.rs")),
        ("coder", include_str!("coder.rs")),
        ("albedo", include_str!("albedo.rs")),
        ("vbot", include_str!("vbot.rs")),
        ("claude-code", include_str!("claude_code.rs")),
        ("codex", include_str!("codex.rs")),
        ("gemini-cli", include_str!("gemini_cli.rs")),
        ("opencode", include_str!("opencode.rs")),
        ("goose", include_str!("goose.rs")),
        ("copilot", include_str!("copilot.rs")),
        ("cursor", include_str!("cursor.rs")),
    ] {
        let tables = source.matches(": Profile = ").count() + source.matches(": Places = ").count();
        assert_eq!(source.matches("/// Evidence: ").count(), tables, "{name}");
    }
    assert_eq!(Profile::ALL.len(), 12);
}
