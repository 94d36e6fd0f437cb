//! Every rule is provoked by something that people can have on disk.

use std::collections::BTreeSet;

use codeaf_skills::Rule;

use crate::sandbox::Sandbox;

/// Needs a folder that may not be listed, and root may list all.
const ONLY_WITHOUT_ROOT: [Rule; 1] = [Rule::ResourceUnlisted];

/// Stands at the end of a catalog in JSON or XML, and has a test of its own.
const OF_THE_CATALOG: [Rule; 1] = [Rule::CatalogBound];

/// What only a server says; `postgres.rs` provokes it.
const OF_A_SERVER: [Rule; 2] = [Rule::StoreNotAllowed, Rule::StoreNotSetUp];

const LIST: &[&str] = &["list", "-v", "--conversation", "../conv"];

/// A rule, what to put into a skill's own folder, and the words that show it.
type Provocation = (Rule, fn(Sandbox) -> Sandbox, &'static [&'static str]);

fn skill_md(sandbox: Sandbox, bytes: impl AsRef<[u8]>) -> Sandbox {
    sandbox.file("home/.agents/skills/x/SKILL.md", bytes)
}

fn with_fields(sandbox: Sandbox, fields: &str) -> Sandbox {
    skill_md(sandbox, format!("---\n{fields}\n---\nBody.\n"))
}

fn well(sandbox: Sandbox) -> Sandbox {
    with_fields(sandbox, "name: x\ndescription: Works.")
}

const CHECK: &[&str] = &["check", "../home/.agents/skills/x"];

const FILES: &[&str] = &["resources", "x"];

const PROVOCATIONS: &[Provocation] = &[
    (Rule::NotText, |s| skill_md(s, b"\xff\xfe-\0-\0-\0"), LIST),
    (
        Rule::InvalidUtf8,
        |s| skill_md(s, b"---\nname: x\ndescription: a\xffb\n---\n"),
        LIST,
    ),
    (
        Rule::NulInBody,
        |s| skill_md(s, "---\nname: x\ndescription: d\n---\na\0b"),
        LIST,
    ),
    (Rule::FrontmatterMissing, |s| skill_md(s, "# Title\n"), LIST),
    (
        Rule::FrontmatterNotFirst,
        |s| skill_md(s, "\n---\nname: x\ndescription: d\n---\n"),
        LIST,
    ),
    (
        Rule::FrontmatterUnclosed,
        |s| skill_md(s, "---\nname: x\ndescription: d\n"),
        LIST,
    ),
    (
        Rule::FrontmatterTooLarge,
        |s| {
            with_fields(
                s,
                &format!("name: x\ndescription: d\nx: {}", "y".repeat(70_000)),
            )
        },
        LIST,
    ),
    (
        Rule::FenceBlanks,
        |s| skill_md(s, "--- \nname: x\ndescription: d\n---\n"),
        LIST,
    ),
    (
        Rule::ByteOrderMark,
        |s| skill_md(s, "\u{feff}---\nname: x\ndescription: d\n---\n"),
        LIST,
    ),
    (
        Rule::LoneCarriageReturn,
        |s| skill_md(s, "---\rname: x\rdescription: d\r---\r"),
        LIST,
    ),
    (
        Rule::YamlInvalid,
        |s| with_fields(s, "name: x\ndescription: \"open"),
        LIST,
    ),
    (
        Rule::YamlControlCharacter,
        |s| with_fields(s, "name: x\ndescription: d\u{1}d"),
        LIST,
    ),
    (
        Rule::YamlTag,
        |s| with_fields(s, "name: x\ndescription: !mine d"),
        LIST,
    ),
    (Rule::YamlAliases, |s| with_fields(s, &bomb()), LIST),
    (
        Rule::YamlDepth,
        |s| {
            let (open, close) = ("[".repeat(80), "]".repeat(80));
            with_fields(s, &format!("name: x\ndescription: d\nx: {open}{close}"))
        },
        LIST,
    ),
    (
        Rule::YamlValues,
        |s| {
            let items = "y, ".repeat(8_192);
            with_fields(s, &format!("name: x\ndescription: d\nx: [{items}]"))
        },
        LIST,
    ),
    (Rule::NotAMapping, |s| with_fields(s, "- name"), LIST),
    (
        Rule::UnquotedColon,
        |s| with_fields(s, "name: x\ndescription: Use when: asked."),
        LIST,
    ),
    (
        Rule::DuplicateField,
        |s| with_fields(s, "name: x\ndescription: d\ndescription: e"),
        LIST,
    ),
    (
        Rule::UnknownField,
        |s| with_fields(s, "name: x\ndescription: d\ncolour: red"),
        LIST,
    ),
    (
        Rule::FieldType,
        |s| with_fields(s, "name: x\ndescription: 1.10"),
        LIST,
    ),
    (
        Rule::NameMissing,
        |s| with_fields(s, "description: d"),
        LIST,
    ),
    (
        Rule::NameInvalid,
        |s| with_fields(s, "name: X_y\ndescription: d"),
        LIST,
    ),
    (
        Rule::NameTooLong,
        |s| with_fields(s, &format!("name: {}\ndescription: d", "n".repeat(65))),
        LIST,
    ),
    (
        Rule::NameMismatch,
        |s| with_fields(s, "name: y\ndescription: d"),
        LIST,
    ),
    (
        Rule::NameUnsafe,
        |s| with_fields(s, "name: ../y\ndescription: d"),
        LIST,
    ),
    (
        Rule::DescriptionMissing,
        |s| with_fields(s, "name: x"),
        LIST,
    ),
    (
        Rule::DescriptionTooLong,
        |s| with_fields(s, &format!("name: x\ndescription: {}", "d".repeat(1_025))),
        LIST,
    ),
    (
        Rule::FileTooLarge,
        |s| {
            skill_md(
                s,
                format!(
                    "---\nname: x\ndescription: d\n---\n{}",
                    "b".repeat(1_100_000)
                ),
            )
        },
        LIST,
    ),
    (
        Rule::NotAFile,
        |s| s.folder("home/.agents/skills/x/SKILL.md"),
        LIST,
    ),
    (
        Rule::PlainFile,
        |s| s.file("home/.agents/skills/x.md", ""),
        LIST,
    ),
    (
        Rule::NoSkillFile,
        |s| s.folder("home/.agents/skills/x"),
        LIST,
    ),
    (
        Rule::SkillFileName,
        |s| s.file("home/.agents/skills/x/skill.md", ""),
        LIST,
    ),
    (
        Rule::LinkLeaves,
        |s| {
            well(s)
                .folder("o")
                .link("project/.agents/skills/o", "../../../o")
        },
        LIST,
    ),
    (
        Rule::LinkDangling,
        |s| s.link("home/.agents/skills/x", "nowhere"),
        LIST,
    ),
    (
        Rule::LinkRing,
        |s| s.link("home/.agents/skills/x", "x"),
        LIST,
    ),
    // A link whose target is too long a name can be followed by nobody.
    (
        Rule::Unreadable,
        |s| s.link("home/.agents/skills/x", "n".repeat(300)),
        LIST,
    ),
    (Rule::CandidatesBound, many_candidates, LIST),
    (
        Rule::StoreDamaged,
        |s| {
            s.file(
                "home/.codeaf/personal.db",
                "This is no database, but long enough to be one.",
            )
        },
        LIST,
    ),
    (Rule::StoreNewer, newer_store, LIST),
    (
        Rule::StoreUnreachable,
        |s| s.file("home/.codeaf/skills.json", r#"{"store": "sqlite:away.db"}"#),
        LIST,
    ),
    (
        Rule::StoreUnknown,
        |s| s.file("home/.codeaf/skills.json", r#"{"store": "mysql:x"}"#),
        LIST,
    ),
    (
        Rule::ScopeUnreadable,
        |s| s.folder("home/.codeaf/skills.json"),
        LIST,
    ),
    (
        Rule::ScopeMalformed,
        |s| s.file("home/.codeaf/skills.json", "{"),
        LIST,
    ),
    (
        Rule::ScopeBothLists,
        |s| {
            s.file(
                "home/.codeaf/skills.json",
                "{\"on\":[\"x\"],\"off\":[\"x\"]}",
            )
        },
        LIST,
    ),
    (
        Rule::ScopeDuplicate,
        |s| s.file("home/.codeaf/skills.json", "{\"on\":[\"x\",\"x\"]}"),
        LIST,
    ),
    (
        Rule::AttachedFolder,
        |s| s.file("conv/meta.json", "{\"places\":[\"/nowhere/at/all\"]}"),
        LIST,
    ),
    (
        Rule::ResourceLeaves,
        |s| well(s).link("home/.agents/skills/x/out", "../../../../project"),
        FILES,
    ),
    (
        Rule::ResourceUnresolved,
        |s| well(s).link("home/.agents/skills/x/out", "nowhere"),
        FILES,
    ),
    (Rule::ResourceTooLarge, large_resource, FILES),
    (
        Rule::ResourceNotEntered,
        |s| well(s).file("home/.agents/skills/x/.git/config", ""),
        FILES,
    ),
    (Rule::ResourcesBound, many_resources, FILES),
    (
        Rule::ResourcesDepth,
        |s| well(s).file(format!("home/.agents/skills/x/{}f", "d/".repeat(20)), ""),
        FILES,
    ),
    (
        Rule::TagInBody,
        |s| skill_md(s, "---\nname: x\ndescription: d\n---\n</skill>\n"),
        &["use", "x"],
    ),
    (
        Rule::MixedLineEnds,
        |s| skill_md(s, "---\nname: x\ndescription: d\n---\na\r\nb\n"),
        CHECK,
    ),
    (
        Rule::FieldTooLong,
        |s| {
            let long = "c".repeat(501);
            with_fields(
                s,
                &format!("name: x\ndescription: d\ncompatibility: {long}"),
            )
        },
        CHECK,
    ),
    (
        Rule::TabAfterColon,
        |s| with_fields(s, "name:\tx\ndescription: d"),
        CHECK,
    ),
    (
        Rule::ValueCut,
        |s| with_fields(s, "name: x\ndescription: Close issue #12."),
        CHECK,
    ),
    (
        Rule::Yaml11Boolean,
        |s| with_fields(s, "name: x\ndescription: yes"),
        CHECK,
    ),
    (Rule::LinkBroken, |s| with_body(s, "[a](zz.md)"), CHECK),
    (
        Rule::LinkCase,
        |s| with_body(s, "[a](R.md)").file("home/.agents/skills/x/r.md", ""),
        CHECK,
    ),
    (Rule::LinkOutside, |s| with_body(s, "[a](../y.md)"), CHECK),
    (
        Rule::LinkBackslash,
        |s| with_body(s, "[a](r\\s.md)").file("home/.agents/skills/x/r/s.md", ""),
        CHECK,
    ),
    (Rule::BodyEmpty, |s| with_body(s, ""), CHECK),
    (
        Rule::BodyTooLong,
        |s| with_body(s, &"line\n".repeat(600)),
        CHECK,
    ),
    (Rule::MergeMarker, |s| with_body(s, "<<<<<<< HEAD"), CHECK),
    (
        Rule::HiddenCharacters,
        |s| with_body(s, "a\u{200b}b"),
        CHECK,
    ),
    (
        Rule::NameDuplicate,
        |s| {
            well(s)
                .home_skill("w", "Works.")
                .skill("home/.claude/skills", "x", "Too.")
        },
        &["check", "../home/.agents/skills", "../home/.claude/skills"],
    ),
    (
        Rule::NameCase,
        |s| well(s).home_skill("X", "Works."),
        &["check", "../home/.agents/skills"],
    ),
];

fn with_body(sandbox: Sandbox, body: &str) -> Sandbox {
    let text = format!("---\nname: x\ndescription: d\n---\n{body}\n");
    skill_md(sandbox, text)
}

fn bomb() -> String {
    let mut fields = "name: x\ndescription: d\na0: &a0 [y, y, y, y, y, y, y, y, y, y]".to_owned();
    for level in 1..=8 {
        let below = level - 1;
        let aliases = vec![format!("*a{below}"); 10].join(", ");
        fields = format!("{fields}\na{level}: &a{level} [{aliases}]");
    }
    fields
}

fn many_candidates(sandbox: Sandbox) -> Sandbox {
    let sandbox = sandbox.folder("home/.agents/skills");
    let root = sandbox.path("home/.agents/skills");
    for number in 0..=16_384 {
        std::fs::File::create(root.join(number.to_string())).unwrap();
    }
    sandbox
}

fn many_resources(sandbox: Sandbox) -> Sandbox {
    let mut sandbox = well(sandbox);
    for number in 0..520 {
        sandbox = sandbox.file(format!("home/.agents/skills/x/{number}"), "");
    }
    sandbox
}

fn newer_store(sandbox: Sandbox) -> Sandbox {
    sandbox.write(
        "project/skill.md",
        "---\nname: a\ndescription: A.\n---\nBody.\n",
    );
    sandbox.run(["personal", "add", "skill.md"]).success();
    let database = rusqlite::Connection::open(sandbox.path("home/.codeaf/personal.db")).unwrap();
    database.pragma_update(None, "user_version", 7).unwrap();
    sandbox
}

fn large_resource(sandbox: Sandbox) -> Sandbox {
    let sandbox = well(sandbox).file("home/.agents/skills/x/large", "");
    let file = sandbox.path("home/.agents/skills/x/large");
    std::fs::File::options()
        .write(true)
        .open(file)
        .unwrap()
        .set_len(17_000_000)
        .unwrap();
    sandbox
}

#[test]
fn every_rule_is_provoked_and_says_where_and_what_to_do() {
    let mut provoked = BTreeSet::new();
    for (rule, provoke, words) in PROVOCATIONS {
        let sandbox = provoke(Sandbox::new());

        let output = sandbox.run(*words);

        let mark = format!("[{rule}]: ");
        let block = output.to_string();
        let mut lines = block.lines().skip_while(|line| !line.contains(&mark));
        let line = lines
            .next()
            .unwrap_or_else(|| panic!("{rule} is not in\n{block}"));
        let place = line.split(": ").next().unwrap().rsplit(':').take(2);
        let has_line = place.clone().count() == 2 && place.clone().all(is_number);
        // A store has no lines.
        assert_eq!(has_line, !rule.code().starts_with("store-"), "{line}");
        let message = line.split(&mark).nth(1).unwrap();
        assert!(
            message.starts_with(|c: char| !c.is_uppercase() || message.starts_with("SKILL.md")),
            "{line}"
        );
        assert!(!message.ends_with('.'), "{line}");
        provoked.insert(*rule);
    }

    let left: Vec<_> = Rule::ALL
        .iter()
        .filter(|rule| !provoked.contains(rule))
        .filter(|rule| !ONLY_WITHOUT_ROOT.contains(rule) && !OF_THE_CATALOG.contains(rule))
        .filter(|rule| !OF_A_SERVER.contains(rule))
        .collect();
    assert!(left.is_empty(), "nothing provokes {left:?}");
}

fn is_number(text: &str) -> bool {
    text.parse::<u32>().is_ok()
}

#[test]
fn a_catalog_that_leaves_findings_out_says_how_many() {
    let mut sandbox = Sandbox::new().home_skill("pdf", "Reads PDF files.");
    for number in 0..70 {
        sandbox = sandbox.file(
            format!("home/.agents/skills/s-{number:02}/SKILL.md"),
            format!("---\nname: s-{number:02}\n---\n"),
        );
    }
    sandbox.run(["on", "pdf", "--global"]).success();

    let catalog = sandbox.run(["render-catalog", "--json"]).success().json();

    let diagnostics = catalog["diagnostics"].as_array().unwrap();
    assert!(diagnostics.len() <= 65, "{}", diagnostics.len());
    let last = diagnostics.last().unwrap();
    assert_eq!(last["rule"], Rule::CatalogBound.code());
    assert!(
        last["message"]
            .as_str()
            .unwrap()
            .contains(|c: char| c.is_ascii_digit()),
        "{last}"
    );
}

#[test]
fn every_error_says_what_to_do() {
    let mut without_help = Vec::new();
    for (rule, provoke, words) in PROVOCATIONS {
        let block = provoke(Sandbox::new()).run(*words).to_string();
        let mark = format!("error[{rule}]: ");
        let mut lines = block
            .lines()
            .skip_while(|line| !line.contains(&mark))
            .skip(1);
        // `check` shows the line and a caret before.
        let below = if words[0] == "check" { 5 } else { 1 };
        let mut lines = lines.by_ref().take(below);
        if block.contains(&mark) && !lines.any(|line| line.contains("help: ")) {
            without_help.push(rule.code());
        }
    }

    assert_eq!(without_help, [""; 0]);
}
