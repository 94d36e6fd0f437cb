use super::*;
use crate::diagnostic::Severity;
use crate::skill::frontmatter;

const LIMITS: Limits = Limits::DEFAULT;

fn judge(file: impl AsRef<[u8]>, folder: &str) -> Result<Loaded, Vec<Diagnostic>> {
    let facts = frontmatter::read(file.as_ref(), &LIMITS);
    load(&facts, Path::new("/skills/x/SKILL.md"), folder, &LIMITS)
}

fn codes(diagnostics: &[Diagnostic]) -> Vec<&'static str> {
    diagnostics
        .iter()
        .map(|diagnostic| diagnostic.rule.code())
        .collect()
}

fn fenced(fields: &str) -> String {
    format!("---\n{fields}\n---\nBody.\n")
}

fn loaded(file: impl AsRef<[u8]>) -> Loaded {
    let loaded = judge(file, "x").expect("it loads");
    let mild = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Warning;
    assert!(loaded.diagnostics.iter().all(mild));
    loaded
}

#[test]
fn a_plain_description_is_taken_as_written() {
    for (value, description) in [
        (" d", "d"),
        (" a --- b", "a --- b"),
        ("\td", "d"),
        (" C# and #1 #2", "C# and"),
        (" |\n  a\n  b", "a\nb\n"),
        (" >-\n  a\n  b", "a b"),
        (" a\n  b", "a b"),
        (" yes", "yes"),
        (" &a d\nlicense: *a", "d"),
        (" !!str 7", "7"),
        (" \"\\e[1md\"", "\u{1b}[1md"),
    ] {
        let file = fenced(&format!("name: x\ndescription:{value}"));
        let loaded = loaded(file);
        assert_eq!(loaded.description, description);
        assert!(loaded.diagnostics.is_empty(), "{value:?}");
    }
}

#[test]
fn other_fields_never_stop_a_skill() {
    for (fields, expected) in [
        ("metadata:\n  a: {b: c}", &[] as &[_]),
        ("metadata:\nlicense:\ncompatibility: ''", &[]),
        ("allowed-tools: [a]", &[]),
        ("allowed-tools: {a: 7}", &["field-type"]),
        ("license: [MIT]", &["field-type"]),
        ("license: 2.0", &["field-type"]),
        ("metadata: y", &["field-type"]),
        ("metadata: {a: b, a: c}", &["duplicate-field"]),
        ("model: y", &["unknown-field"]),
        ("a: 1\na: 2", &["unknown-field", "duplicate-field"]),
        ("license: a: b", &["unquoted-colon"]),
        ("model: a: b", &["unknown-field", "unquoted-colon"]),
        ("name: y", &["duplicate-field"]),
        ("description: e", &["duplicate-field"]),
    ] {
        let loaded = loaded(fenced(&format!("name: x\ndescription: d\n{fields}")));
        assert_eq!(
            (&*loaded.name, &*loaded.description),
            ("x", "d"),
            "{fields:?}"
        );
        assert_eq!(codes(&loaded.diagnostics), expected, "{fields:?}");
    }
}

#[test]
fn names_and_descriptions_that_are_odd_load() {
    for (fields, name, description, expected) in [
        (
            "name: 7\ndescription: d",
            "7",
            "d",
            &["field-type", "name-mismatch"] as &[_],
        ),
        ("name: x\ndescription: 1.10", "x", "1.10", &["field-type"]),
        ("name: x\ndescription: true", "x", "true", &["field-type"]),
        (
            "name: x\ndescription: a: b # c",
            "x",
            "a: b # c",
            &["unquoted-colon"],
        ),
        ("description: d", "x", "d", &["name-missing"]),
        ("name:\ndescription: d", "x", "d", &["name-missing"]),
        ("name: ~\ndescription: d", "x", "d", &["name-missing"]),
        ("name: ' '\ndescription: d", "x", "d", &["name-missing"]),
        ("name: [x]\ndescription: d", "x", "d", &["name-missing"]),
        ("name: y\ndescription: d", "y", "d", &["name-mismatch"]),
        ("name: X\ndescription: d", "X", "d", &["name-invalid"]),
        (
            "name: Y\ndescription: d",
            "Y",
            "d",
            &["name-invalid", "name-mismatch"],
        ),
        ("\"name\": x\n'description': d", "x", "d", &[]),
    ] {
        let loaded = loaded(fenced(fields));
        assert_eq!((&*loaded.name, &*loaded.description), (name, description));
        assert_eq!(codes(&loaded.diagnostics), expected, "{fields:?}");
    }
}

#[test]
fn files_that_are_odd_load() {
    for (file, expected) in [
        ("---\nname: x\ndescription: d\n---", &[] as &[_]),
        ("---\r\nname: x\r\ndescription: d\r\n---\r\n", &[]),
        (
            "--- \nname: x\ndescription: d\n---\t\n",
            &["fence-blanks", "fence-blanks"],
        ),
        (
            "\u{feff}---\nname: x\ndescription: d\n---\n",
            &["byte-order-mark"],
        ),
        ("---\nname: x\ndescription: d\n---\n\0", &["nul-in-body"]),
        ("---\nname: x\ndescription: d\n---\n\r", &[]),
        ("---\nname: x\ndescription: d\n# \r\n---\n\r\n", &[]),
        (
            "---\nname: x\ndescription: d\n# \r \n---\n",
            &["lone-carriage-return"],
        ),
    ] {
        let loaded = loaded(file);
        assert_eq!(
            (&*loaded.name, &*loaded.description),
            ("x", "d"),
            "{file:?}"
        );
        assert_eq!(codes(&loaded.diagnostics), expected, "{file:?}");
    }
}

#[test]
fn what_does_not_load_says_why_and_where() {
    for (file, expected, line, column) in [
        ("", "frontmatter-missing", 1, 1),
        ("# Title\n", "frontmatter-missing", 1, 1),
        ("----\nname: x\n----\n", "frontmatter-missing", 1, 1),
        ("\n---\nname: x\n---\n", "frontmatter-not-first", 2, 1),
        ("---\nname: x\n...\n", "frontmatter-unclosed", 3, 1),
        ("---\rname: x\r---\r", "lone-carriage-return", 1, 4),
        ("---\nname: \0\n---\n", "not-text", 2, 7),
        (
            "---\nname: x\n<!-- y -->\ndescription: d\n---\n",
            "yaml-invalid",
            3,
            1,
        ),
        (
            "---\nname: x\ndescription: `d`\n---\n",
            "yaml-invalid",
            3,
            14,
        ),
        (
            "---\nname: x\ndescription: d\nlicense: !mine MIT\n---\n",
            "yaml-tag",
            4,
            10,
        ),
        ("---\n- x\n---\n", "not-a-mapping", 2, 3),
        ("---\nname: x\n---\n", "description-missing", 2, 1),
        (
            "---\nname: x\ndescription:\n---\n",
            "description-missing",
            3,
            13,
        ),
        (
            "---\nname: x\ndescription: ''\n---\n",
            "description-missing",
            3,
            14,
        ),
        (
            "---\nname: x\ndescription: ' \u{200b}'\n---\n",
            "description-missing",
            3,
            14,
        ),
        (
            "---\nname: x\ndescription: null\n---\n",
            "description-missing",
            3,
            14,
        ),
        (
            "---\nname: x\ndescription: [d]\n---\n",
            "description-missing",
            3,
            14,
        ),
        (
            "---\nname: x\ndescription: {d: e}\n---\n",
            "description-missing",
            3,
            14,
        ),
        ("---\nname: ..\ndescription: d\n---\n", "name-unsafe", 2, 7),
        (
            "---\nname: ../x\ndescription: d\n---\n",
            "name-unsafe",
            2,
            7,
        ),
        (
            "---\nname: a\\b\ndescription: d\n---\n",
            "name-unsafe",
            2,
            7,
        ),
        (
            "---\nname: \"a\\n\"\ndescription: d\n---\n",
            "name-unsafe",
            2,
            7,
        ),
        (
            "---\nname: \"a\\x9b\"\ndescription: d\n---\n",
            "name-unsafe",
            2,
            7,
        ),
    ] {
        let diagnostics = judge(file, "x").expect_err(file);
        let errors: Vec<_> = diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error)
            .map(|error| (error.rule.code(), error.span.line, error.span.column))
            .collect();
        assert_eq!(errors, [(expected, line, column)], "{file:?}");
    }
}

#[test]
fn bytes_that_are_not_utf8_are_replaced() {
    let loaded = judge(
        b"---\nname: x\ndescription: Serves caf\xe9 menus.\n---\n\xff",
        "x",
    );
    let loaded = loaded.expect("it loads");

    assert_eq!(loaded.description, "Serves caf\u{fffd} menus.");
    assert_eq!(codes(&loaded.diagnostics), ["invalid-utf8"]);
    assert_eq!(loaded.diagnostics[0].span, Span::new(3, 24).with_length(1));
}

#[test]
fn lengths_are_counted_in_characters() {
    for (field, length, expected) in [
        ("description", 1_024, None),
        ("description", 1_025, Some("description-too-long")),
        ("compatibility", 500, None),
        ("compatibility", 501, Some("field-too-long")),
    ] {
        let text = "\u{6587}".repeat(length);
        let rest = if field == "description" {
            ""
        } else {
            "\ndescription: d"
        };
        let loaded = judge(format!("---\nname: x\n{field}: {text}{rest}\n---\n"), "x");
        let found = codes(&loaded.expect(field).diagnostics);
        assert_eq!(found, Vec::from_iter(expected), "{field} {length}");
    }
}

#[test]
fn names_are_judged_by_the_specification_and_loaded_all_the_same() {
    let long = "a".repeat(65);
    let longest = "a".repeat(256);
    for (name, expected) in [
        ("a", &[] as &[_]),
        ("pdf-2", &[]),
        (&"a".repeat(64), &[]),
        (&long, &["name-too-long"]),
        (&longest, &["name-too-long"]),
        ("Pdf", &["name-invalid"]),
        ("a b", &["name-invalid"]),
        ("a_b", &["name-invalid"]),
        ("-a", &["name-invalid"]),
        ("a-", &["name-invalid"]),
        ("a--b", &["name-invalid"]),
        ("caf\u{e9}", &["name-invalid"]),
        ("cafe\u{301}", &["name-invalid"]),
        ("\u{ff54}", &["name-invalid"]),
        ("a\u{202e}b", &["name-invalid"]),
    ] {
        let file = format!("---\nname: \"{name}\"\ndescription: d\n---\n");
        let loaded = judge(file, name).expect(name);
        assert_eq!(loaded.name, crate::text::nfc(name), "{name:?}");
        assert_eq!(codes(&loaded.diagnostics), expected, "{name:?}");
    }
    let over = judge(
        format!("---\nname: {}\ndescription: d\n---\n", "a".repeat(257)),
        "x",
    );
    assert_eq!(codes(&over.expect_err("it is too long")), ["name-unsafe"]);
}

#[test]
fn two_spellings_of_one_letter_are_one_name() {
    for (name, folder) in [("caf\u{e9}", "cafe\u{301}"), ("cafe\u{301}", "caf\u{e9}")] {
        let file = format!("---\nname: {name}\ndescription: d\n---\n");
        let loaded = judge(file, folder).expect(name);
        assert_eq!(loaded.name, "caf\u{e9}");
        assert_eq!(codes(&loaded.diagnostics), ["name-invalid"]);
    }
}

#[test]
fn a_right_name_under_a_misspelt_key_is_the_one_to_write() {
    let folder = "a-Desc";
    for (key, help, rules) in [
        ("Name: a-desc", "write `name: a-desc`", 1),
        ("Name: A b", "write `name: a-Desc`", 2),
    ] {
        let file = format!("---\n{key}\ndescription: d\n---\n");
        let facts = frontmatter::read(file.as_bytes(), &LIMITS);
        let judged = super::judge(&facts, Path::new("/s"), folder, Profile::SPEC, &LIMITS);
        let [first, ..] = &judged.diagnostics[..] else {
            panic!("{key}");
        };
        assert_eq!(first.help.as_deref(), Some(help));
        let of_name = |found: &&Diagnostic| found.rule.code().starts_with("name-");
        assert_eq!(
            judged.diagnostics.iter().filter(of_name).count(),
            rules,
            "{key}"
        );
    }
}

#[test]
fn a_folder_stands_in_only_if_its_name_is_safe() {
    let file = "---\ndescription: d\n---\n";
    for (folder, help) in [
        ("pdf", "write `name: pdf`"),
        ("null", "write `name: 'null'`"),
        ("it's", "write `name: 'it''s'`"),
        ("-x", "write `name: '-x'`"),
    ] {
        let loaded = judge(file, folder).expect(folder);
        assert_eq!(loaded.name, folder);
        assert_eq!(loaded.diagnostics[0].help.as_deref(), Some(help));
    }
    for folder in ["", "..", "a\nb", "a/b"] {
        let found = codes(&judge(file, folder).expect_err(folder));
        assert_eq!(found, ["name-unsafe"], "{folder:?}");
    }
}

#[test]
fn near_misses_of_fields_are_named() {
    for (key, help) in [
        ("allowed_tools", "did you mean `allowed-tools`?"),
        ("licence", "did you mean `license`?"),
        ("Description", "did you mean `description`?"),
        (
            "model",
            "claude-code acts on it where it stands, and other agents pass it over",
        ),
        (
            "owner",
            "keep it under `metadata`, if only your own tools read it",
        ),
    ] {
        let file = format!("---\nname: x\ndescription: d\n{key}: y\n---\n");
        let loaded = judge(file, "x").expect(key);
        assert_eq!(loaded.diagnostics[0].help.as_deref(), Some(help), "{key}");
    }
}

#[test]
fn many_findings_of_a_kind_are_counted() {
    let unknown = (0..1_000).map(|i| format!("k{i}:\n"));
    let unknown = unknown.collect::<Vec<_>>().concat();
    let doubles = "a: b: c\n".repeat(1_000);
    let file = format!("---\nname: x\ndescription: d\n{unknown}{doubles}---\n");

    let diagnostics = judge(file, "x").expect("it loads").diagnostics;

    let last = |code: &str| {
        let found = diagnostics.iter().rfind(|found| found.rule.code() == code);
        found.map(|found| found.message.as_str())
    };
    assert!(diagnostics.len() < 120);
    assert_eq!(
        last("unknown-field"),
        Some("fields outside the specification: 969 more")
    );
    assert_eq!(
        last("duplicate-field"),
        Some("fields that stand twice: 967 more")
    );
    assert_eq!(
        last("unquoted-colon"),
        Some("unquoted values with a colon and a blank: 968 more")
    );
}

#[test]
fn allowed_tools_are_a_text_or_a_list() {
    for (value, expected) in [
        (
            " Bash(git add *) Bash(jq:*) Read",
            &["Bash(git add *)", "Bash(jq:*)", "Read"] as &[_],
        ),
        (" Bash, Read,Write", &["Bash", "Read", "Write"]),
        (" [\"Bash(git add *)\", Read]", &["Bash(git add *)", "Read"]),
        ("\n  - Bash(a, b)\n  - Read", &["Bash(a, b)", "Read"]),
        (" Bash(open (a b) c", &["Bash(open (a b) c"]),
        (" a) b", &["a)", "b"]),
        (" {a: 7}", &[]),
        (" [[a], b]", &["b"]),
        ("", &[]),
        (" ~", &[]),
        (" ''", &[]),
    ] {
        let file = format!("---\nallowed-tools:{value}\n---\n");
        let facts = frontmatter::read(file.as_bytes(), &LIMITS);
        assert_eq!(allowed_tools(&facts), expected, "{value:?}");
    }
}

/// The findings of one file under `spec`, as rule, line, column and texts.
fn told(frontmatter: &str) -> Vec<(&'static str, u32, u32, String, String)> {
    let file = format!("---\n{frontmatter}---\nBody.\n");
    let facts = frontmatter::read(file.as_bytes(), &LIMITS);
    let judged = super::judge(
        &facts,
        Path::new("/s/a/SKILL.md"),
        "a",
        Profile::SPEC,
        &LIMITS,
    );
    let told = judged.diagnostics.into_iter().map(|found| {
        let Span { line, column, .. } = found.span;
        let help = found.help.unwrap_or_default();
        (found.rule.code(), line, column, found.message, help)
    });
    told.collect()
}

/// Frontmatter, then the one finding that there is.
const SLIPS: &[(&str, &str, u32, u32, &str, &str)] = &[
    (
        "name: a\n description: Reads CSV/TSV files.\n",
        "unquoted-colon",
        3,
        2,
        "`description` is indented, so that it is a part of the value of `name`",
        "begin the line in column 1: description: Reads CSV/TSV files.",
    ),
    (
        "description: x\n  name: a\n",
        "unquoted-colon",
        3,
        3,
        "`name` is indented, so that it is a part of the value of `description`",
        "begin the line in column 1: name: a",
    ),
    (
        "name: a\ndescription: x\n  license: MIT\n",
        "unquoted-colon",
        4,
        3,
        "`license` is indented, so that it is a part of the value of `description`",
        "begin the line in column 1: license: MIT",
    ),
    (
        "name: a\ndescription: x\nmetadata:\n  author: me\n   version: \"1\"\n",
        "unquoted-colon",
        6,
        4,
        "`version` is indented, so that it is a part of the value of `author`",
        "begin it in column 3, in line with `author`",
    ),
    (
        "name: a\ndescription: x\nmetadata:\nauthor: me\nversion: \"1\"\n",
        "field-type",
        4,
        10,
        "metadata has no value: `author` below it is not indented",
        "begin the lines that belong to it with two blanks",
    ),
    (
        "name: a\nDescription: x\n",
        "description-missing",
        3,
        1,
        "there is no description: the field is written `Description`",
        "write description: x",
    ),
    (
        "NAME: a\ndescription: x\n",
        "name-missing",
        2,
        1,
        "the name is missing: the field is written `NAME`; the folder's name `a` stands in",
        "write `name: a`",
    ),
    (
        "name: a\ndescription:\n  Use when: the user asks\n",
        "description-missing",
        4,
        3,
        "the description is a mapping, not text: an unquoted colon and a blank stand in it",
        "put the whole value between quotes: description: 'Use when: the user asks'",
    ),
    (
        "name: a\ndescription: x\nmetadata:\n\u{a0}\u{a0}author: me\n",
        "unknown-field",
        5,
        1,
        "the name `author` begins with U+00A0, which YAML takes for a letter",
        "indent the line with the blanks of the space bar, or begin it in column 1",
    ),
    (
        "name: a\ndescription: x\nmetadata:\n  \u{a0}author: me\n",
        "hidden-characters",
        5,
        3,
        "the name `author` begins with U+00A0, which YAML takes for a letter",
        "indent the line with the blanks of the space bar, or begin it in column 1",
    ),
    (
        "name: a\ndescription: # x\n",
        "description-missing",
        3,
        14,
        "the description is empty: a value that begins with `#` is a comment",
        "put the whole value between quotes: description: '# x'",
    ),
    (
        "name: a\ndescription: x\nmetadata:\n  since: 2026-01-02\n",
        "field-type",
        5,
        10,
        "agents that read YAML 1.1 take `2026-01-02` for a date",
        "put it between quotes",
    ),
    (
        "name: a\ndescription: x\nmetadata:\n  at: 12:30:45\n",
        "field-type",
        5,
        7,
        "agents that read YAML 1.1 take `12:30:45` for a number",
        "put it between quotes",
    ),
    (
        "name: a\ndescription: x\nmetadata:\n  size: 1_000\n",
        "field-type",
        5,
        9,
        "agents that read YAML 1.1 take `1_000` for a number",
        "put it between quotes",
    ),
    (
        "name: a\ndescription: x\nallowed-tools: Read, Bash(git add, git rm), Grep\n",
        "field-type",
        4,
        16,
        "commas stand between the tools; the specification parts them with blanks",
        "write allowed-tools: Read Bash(git add, git rm) Grep",
    ),
    (
        "name: a\ndescription: x\nallowed-tools: Read\n  - Write\n  - Grep\n",
        "field-type",
        4,
        16,
        "a list goes on with a text: its dashes are read as tools",
        "write allowed-tools: Read Write Grep",
    ),
    (
        "name: a\ndescription: x\nmetadata:\n  b: &x 1\n  c: *x\n",
        "field-type",
        5,
        9,
        "`b` under metadata is a number, not text",
        "put it between quotes",
    ),
    (
        "name: a\ndescription: Use when:  a\tb  # c\n",
        "unquoted-colon",
        3,
        22,
        UNQUOTED,
        "put the whole value between quotes: description: 'Use when:  a\tb  # c'",
    ),
    (
        "name: a\ndescription: &pdf reads\n",
        "value-cut",
        3,
        14,
        "this word is no part of the value: in YAML, `&` begins the name of an anchor",
        "put the whole value between quotes: description: '&pdf reads'",
    ),
    (
        "name: a\ndescription: Reads C #sharp it's\n",
        "value-cut",
        3,
        22,
        "the value ends here: a `#` behind a blank begins a comment",
        "put the whole value between quotes: description: \"Reads C #sharp it's\"",
    ),
    (
        "name: a\ndescription:\n  Reads\n  C # sharp\n",
        "value-cut",
        5,
        5,
        "the value ends here: a `#` behind a blank begins a comment",
        "put the whole value between quotes: description: 'Reads C # sharp'",
    ),
    (
        "name: a\ndescription: Use when: it's \"asked\"\n",
        "unquoted-colon",
        3,
        22,
        UNQUOTED,
        "put the whole value between quotes: description: 'Use when: it''s \"asked\"'",
    ),
    (
        "name: a\ndescription: Use when: it's asked # often\n",
        "unquoted-colon",
        3,
        22,
        UNQUOTED,
        "put the whole value between quotes: description: \"Use when: it's asked # often\"",
    ),
    (
        "name: a\ndescription: x\nmetadata:\n  a b: c: d\n",
        "unquoted-colon",
        5,
        9,
        UNQUOTED,
        "put the whole value between quotes: a b: 'c: d'",
    ),
    (
        "name: a\ndescription: One\n  two: three.\n\n  Four.\n",
        "unquoted-colon",
        4,
        6,
        UNQUOTED,
        "put the whole value between quotes",
    ),
    (
        "name: \"a\ndescription: x\"\n",
        "description-missing",
        2,
        7,
        "there is no description: the quotes that open in `name` take it in",
        "close them before it: name: \"a\"",
    ),
    (
        "description: 'Reads it.\nname: a\nlicense: MIT'\n",
        "name-missing",
        2,
        14,
        "the name is missing: the quotes that open in `description` take it in",
        "close them before it: description: 'Reads it.'",
    ),
    (
        "name: \"a\ndescription: \"x\"\n",
        "yaml-invalid",
        2,
        7,
        "the quotes that open here take in the field `description`",
        "close them before it: name: \"a\"",
    ),
    (
        "name: A\ndescription: x\n",
        "name-invalid",
        2,
        7,
        "the name holds the capital letter A",
        "write name: a, as its folder is called",
    ),
    (
        "na\u{200b}me: a\ndescription: x\n",
        "name-missing",
        2,
        1,
        "the name is missing: the field `name` holds U+200B, which nobody sees; the folder's name `a` stands in",
        "write `name: a`",
    ),
    (
        "name: a\n\u{feff}description: \"x's\"\n",
        "description-missing",
        3,
        1,
        "there is no description: the field `description` holds U+FEFF, which nobody sees",
        "write description: \"x's\"",
    ),
    (
        "name: a\ndescription: x\nlicense\u{ad}: MIT\n",
        "unknown-field",
        4,
        1,
        "the field `license` holds U+00AD, which nobody sees",
        "write license: MIT",
    ),
    (
        "name: a\ndescription: x\nmetadata: author: me\n",
        "field-type",
        4,
        11,
        "metadata is text: its entries are not parted into lines of a name, a colon, a blank and a text",
        "write metadata: and, on a line below, two blanks and author: me",
    ),
    (
        "name: a\ndescription: x\nmetadata:\n  author:me\n",
        "field-type",
        5,
        3,
        "metadata is text: its entries are not parted into lines of a name, a colon, a blank and a text",
        "write metadata: and, on a line below, two blanks and author: me",
    ),
    (
        "name: a\nskill:\n  description: x\n",
        "description-missing",
        4,
        3,
        "there is no description: it stands under `skill`",
        "begin its line in column 1",
    ),
    (
        "",
        "not-a-mapping",
        2,
        1,
        "the frontmatter ends here, and has no fields",
        "write `name: …` and `description: …` between the two lines of dashes",
    ),
];

const UNQUOTED: &str = "an unquoted value holds a colon and a blank; it is read whole here, and other agents drop the skill";

#[test]
fn a_line_to_type_is_whole_or_none() {
    let long = "Reads and fills forms in documents, ".repeat(4);
    let help = |value: &str| {
        told(&format!("name: a\nDescription: {value}\n"))[0]
            .4
            .clone()
    };
    assert_eq!(
        help(&format!("{long}x")),
        format!("write description: {long}x")
    );
    assert_eq!(help("a  b\n  c"), "write description: a  b c");
    assert_eq!(help(&"x".repeat(1_025)), "write it `description`");
}

#[test]
fn a_value_under_metadata_is_told_what_mends_it() {
    for (value, expected) in [
        ("", "write a text, or leave the entry out"),
        ("~", "write a text, or leave the entry out"),
        ("!!int '1'", "remove the tag before it"),
        ("1", "put it between quotes"),
    ] {
        let told = told(&format!(
            "name: a\ndescription: d\nmetadata:\n  v: {value}\n"
        ));
        let helps: Vec<&str> = told.iter().map(|told| &*told.4).collect();
        assert_eq!(helps, [expected], "{value}");
    }
}

#[test]
fn an_alias_under_metadata_is_told_as_what_it_stands_for() {
    let told = told("name: a\ndescription: d\nlicense: &n 1\nmetadata:\n  v: *n\n");

    let (_, line, column, _, help) = &told[1];
    assert_eq!((*line, *column), (6, 6));
    assert_eq!(help, "write what the alias stands for: v: '1'");
}

#[test]
fn one_slip_is_told_once_and_names_its_cause() {
    for &(text, rule, line, column, message, help) in SLIPS {
        let expected = (rule, line, column, message.to_owned(), help.to_owned());
        assert_eq!(told(text), [expected], "{text:?}");
    }
}

#[test]
fn a_sentence_with_a_colon_on_its_second_line_is_no_slip() {
    let told = told("name: a\ndescription: Reads PDF files\n  Note: only text.\n");

    let rules: Vec<_> = told.iter().map(|told| (told.0, told.2)).collect();
    assert_eq!(rules, [("unquoted-colon", 7)]);
}

#[test]
fn a_skill_that_a_slip_keeps_from_loading_has_an_error() {
    for text in [
        "name: a\n description: x\n",
        "name: a\n license: x/y\ndescription: x\n",
        "name: a\nDescription: x\n",
    ] {
        let file = format!("---\n{text}---\nBody.\n");
        let facts = frontmatter::read(file.as_bytes(), &LIMITS);

        let refused = load(&facts, Path::new("/s/a/SKILL.md"), "a", &LIMITS);

        let found = refused.expect_err(text);
        assert!(
            found.iter().any(|found| found.severity == Severity::Error),
            "{text:?}"
        );
    }
}
