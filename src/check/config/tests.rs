use std::fs;

use proptest::prelude::*;

use super::*;
use crate::check::Target;

fn parse(text: &str) -> Result<CheckConfig, ConfigError> {
    CheckConfig::parse(Path::new("/p/check.json"), Path::new("/p"), text.as_bytes())
}

#[test]
fn every_key_is_read() {
    let config = parse(
        r#"{"rules": {"not-text": "allow", "name-missing": "deny"},
            "profiles": ["spec", "é"], "exclude": ["old/"], "baseline": "b.json"}"#,
    )
    .unwrap();

    assert_eq!(config.level(Rule::NotText), Some(Level::Allow));
    assert_eq!(config.level(Rule::NameMissing), Some(Level::Deny));
    assert_eq!(config.level(Rule::NameInvalid), None);
    assert_eq!(config.baseline.as_deref(), Some(Path::new("/p/b.json")));
    let profiles: Vec<_> = config
        .profiles
        .iter()
        .map(|profile| (&*profile.name, profile.span.line, profile.span.column))
        .collect();
    assert_eq!(profiles, [("spec", 2, 26), ("é", 2, 34)]);
}

#[test]
fn a_slip_is_an_error_with_its_place_and_a_next_step() {
    for (text, place, words, help) in [
        ("", "1:1", "nothing but blanks", ""),
        ("[]", "1:1", "this file is an object", ""),
        ("\u{feff}{}", "1:1", "byte-order mark", ""),
        (
            "{\n  \"rule\": {}}",
            "2:3",
            "no key `rule`",
            "did you mean `rules`?",
        ),
        (
            "{\"é\": 1}",
            "1:2",
            "no key",
            "the keys are `rules`, `profiles`, `exclude`, `baseline`",
        ),
        ("{\"rules\": []}", "1:11", "must be an object", ""),
        (
            "{\"rules\": {\"x\": \"warn\"}}",
            "1:12",
            "no rule `x`",
            "between the brackets",
        ),
        (
            "{\"rules\": {\"not-txt\": 1}}",
            "1:12",
            "no rule",
            "did you mean `not-text`?",
        ),
        (
            "{\"rules\": {\"not-text\": 1}}",
            "1:24",
            "must be a text, and is a number",
            "",
        ),
        (
            "{\"rules\": {\"not-text\": \"off\"}}",
            "1:24",
            "no level `off`",
            "`allow`, `note`, `warn`, `deny`",
        ),
        (
            "{\"rules\": {\"not-text\": \"warn\",\n\"not-text\": \"deny\"}}",
            "2:1",
            "twice",
            "keep one",
        ),
        (
            "{\"profiles\": \"spec\"}",
            "1:14",
            "must be a list of texts",
            "",
        ),
        (
            "{\"exclude\": [\"a\", \"{\"]}",
            "1:19",
            "no pattern",
            ".gitignore",
        ),
        (
            "{\"baseline\": null}",
            "1:14",
            "must be a text, and is null",
            "",
        ),
        ("{\"rules\": {},}", "1:14", "comma", "comma"),
    ] {
        let error = parse(text).unwrap_err();

        let said = error.to_string();
        assert!(
            said.starts_with(&format!("/p/check.json:{place}: ")),
            "{text:?}: {said}"
        );
        assert!(said.contains(words), "{text:?}: {said}");
        assert!(
            error.help().unwrap_or_default().contains(help),
            "{text:?}: {error:?}"
        );
    }
    let latin = CheckConfig::parse(Path::new("/c"), Path::new("/"), b"{\n\"\xe9\"").unwrap_err();
    assert_eq!(latin.to_string(), "/c:2:2: this is not UTF-8 text");
}

#[test]
fn a_pattern_that_can_name_nothing_is_refused_with_the_one_that_was_meant() {
    for (pattern, why, help) in [
        ("", "is empty", "take it out"),
        (" ! ", "is empty", "take it out"),
        (
            "#drafts",
            "is a comment",
            r"write `\#drafts` for a name that begins with #",
        ),
        (
            "./old",
            "begins with `./`, which no path here does",
            "write `/old`",
        ),
        (
            "!./old",
            "begins with `./`, which no path here does",
            "write `/old`",
        ),
        (
            "../old",
            "leads out of the project",
            "patterns are taken from the project's folder, and name what is in it",
        ),
        (
            "old/../../x",
            "leads out of the project",
            "patterns are taken from the project's folder, and name what is in it",
        ),
        ("/p/old", "is an absolute path", "write `old`"),
    ] {
        let text = format!("{{\"exclude\": [\"fine\", \"{pattern}\"]}}");

        let error = parse(&text).unwrap_err();

        assert_eq!(
            error.to_string(),
            format!("/p/check.json:1:22: the pattern `{pattern}` {why}")
        );
        assert_eq!(error.help(), Some(help), "{pattern:?}");
    }
}

#[test]
fn a_pattern_that_only_looks_odd_is_taken() {
    for pattern in ["/old", "!keep", r"\\#a", "a..b/", "...", ".hidden", "*"] {
        let text = format!("{{\"exclude\": [\"{pattern}\"]}}");

        assert!(parse(&text).is_ok(), "{pattern:?}");
    }
}

#[test]
fn the_command_line_wins_and_the_last_of_it() {
    let config = parse(r#"{"rules": {"not-text": "allow", "name-missing": "warn"}}"#)
        .unwrap()
        .with_levels([(Rule::NotText, Level::Deny), (Rule::NotText, Level::Note)]);
    let path = Path::new("/x");
    let mut findings = vec![
        Diagnostic::error(Rule::NotText, path, ""),
        Diagnostic::error(Rule::NameMissing, path, ""),
        Diagnostic::error(Rule::NameInvalid, path, ""),
    ];

    config.apply(&mut findings);

    let severities: Vec<_> = findings.iter().map(|found| found.severity).collect();
    assert_eq!(
        severities,
        [Severity::Note, Severity::Warning, Severity::Error]
    );
    let allowing = config.with_levels([(Rule::NotText, Level::Allow)]);
    allowing.apply(&mut findings);
    assert_eq!(findings[0].rule, Rule::NameMissing);
    assert_eq!(findings.len(), 2);
}

#[test]
fn what_is_left_out_takes_its_findings_along() {
    let config = parse(r#"{"exclude": ["old/", "draft-*"]}"#).unwrap();
    let target = |file: &str| Target { file: file.into() };
    let mut found = Found {
        targets: vec![target("/p/old/a/SKILL.md"), target("/p/b/SKILL.md")],
        findings: vec![
            Diagnostic::note(Rule::NoSkillFile, Path::new("/p/x/draft-c"), ""),
            Diagnostic::note(Rule::NoSkillFile, Path::new("/p/x"), ""),
        ],
    };

    assert_eq!(config.leave_out(&mut found), 1);
    assert_eq!(found.targets, [target("/p/b/SKILL.md")]);
    assert_eq!(found.findings.len(), 1);

    found.targets = vec![target("/p/old/a/SKILL.md")];
    assert_eq!(config.leave_out(&mut found), 1);
    let told = found.findings.last().unwrap();
    assert_eq!(told.severity, Severity::Error);
    assert_eq!(told.message, "`exclude` leaves out all: 1 skill");
}

#[test]
fn the_file_is_the_projects_and_need_not_be_there() {
    let temporary = tempfile::tempdir().unwrap();
    let folder = temporary.path().canonicalize().unwrap();
    fs::create_dir_all(folder.join(".codeaf")).unwrap();
    fs::create_dir_all(folder.join("sub")).unwrap();
    let env = Env::new(folder.join("sub"));
    let file = folder.join(CONFIG_FILE);

    assert_eq!(CheckConfig::load(&env, &[]).unwrap().path, file);

    fs::write(&file, r#"{"baseline": "b"}"#).unwrap();
    let config = CheckConfig::load(&env, &[]).unwrap();
    assert_eq!(config.baseline, Some(folder.join("b")));

    let mut small = env.clone();
    small.limits.scope_bytes = 4;
    let large = CheckConfig::load(&small, &[]).unwrap_err().to_string();
    assert!(large.ends_with("check.json is over 4 bytes"), "{large}");

    fs::remove_file(&file).unwrap();
    for make in [
        (|file| std::os::unix::fs::symlink("nowhere", file).unwrap()) as fn(&Path),
        |file| fs::create_dir(file).unwrap(),
    ] {
        make(&file);
        let error = CheckConfig::load(&env, &[]).unwrap_err();
        assert!(matches!(error, ConfigError::Unreadable { .. }), "{error}");
        let _ = fs::remove_file(&file);
    }
}

#[test]
fn a_profile_nobody_knows_is_told_at_its_place() {
    let config = parse("{\"profiles\": [\"spce\"]}").unwrap();

    let error = config.unknown_profile(&config.profiles[0], ["spec", "codex"]);

    assert_eq!(
        error.to_string(),
        "/p/check.json:1:15: there is no profile `spce`"
    );
    assert_eq!(error.help(), Some("did you mean `spec`?"));
}

proptest! {
    #[test]
    fn nothing_panics(value in "[{}\\[\\]\":,a\\\\*!/é1]{0,30}", key in 0..KEYS.len()) {
        let _ = parse(&format!("{{\"{}\": {value}}}", KEYS[key]));
    }
}
