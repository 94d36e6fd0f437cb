use super::*;
use crate::skill::frontmatter;

const LIMITS: Limits = Limits::DEFAULT;

fn found(file: impl AsRef<[u8]>, folder: &str, profile: &Profile) -> Vec<Diagnostic> {
    let facts = frontmatter::read(file.as_ref(), &LIMITS);
    let path = Path::new("/skills/x/SKILL.md");
    judge(&facts, path, folder, profile, &LIMITS)
}

/// The words of severities and codes, as in `error field-type`.
fn words(findings: &[Diagnostic]) -> String {
    let word = |found: &Diagnostic| format!("{} {}", found.severity, found.rule);
    findings.iter().map(word).collect::<Vec<_>>().join(", ")
}

fn strictly(fields: &str, folder: &str) -> String {
    let file = format!("---\n{fields}\n---\nBody.\n");
    words(&found(file, folder, Profile::SPEC))
}

#[test]
fn names_are_strict_under_the_specification() {
    let many = "n".repeat(65);
    for (name, expected) in [
        ("x", ""),
        ("no", "warning yaml-1-1-boolean"),
        ("3000", "error field-type"),
        ("true", "error field-type"),
        ("X", "error name-invalid"),
        ("a b", "error name-invalid"),
        ("a-", "error name-invalid"),
        ("caf\u{e9}", "error name-invalid"),
        ("\u{8868}", "error name-invalid"),
        ("\u{ff54}", "error name-invalid"),
        (&many[1..], ""),
        (&many, "error name-too-long"),
        ("a/b", "error name-unsafe"),
    ] {
        let fields = format!("name: {name}\ndescription: d");
        assert_eq!(strictly(&fields, name), expected, "{name:?}");
    }
    for (fields, expected) in [
        ("name: y", "error name-mismatch"),
        ("name: [x]", "error name-missing"),
        ("name:", "error name-missing"),
        ("license: MIT", "error name-missing"),
        ("name:\tx", "warning tab-after-colon"),
        ("'name': x", ""),
    ] {
        let fields = format!("{fields}\ndescription: d");
        assert_eq!(strictly(&fields, "x"), expected, "{fields:?}");
    }
}

#[test]
fn descriptions_are_strict_under_the_specification() {
    let long = format!(" {}", "d".repeat(1_025));
    let wide = format!(" {}", "\u{6587}".repeat(1_024));
    for (value, expected) in [
        (" A --- b.", ""),
        (" |\n  a\n  b", ""),
        (" >\n  a\n  b", ""),
        (" a\n  b", ""),
        (" &d d\nlicense: *d", ""),
        (" C# and issue #12.", "warning value-cut"),
        (" a # b", "warning value-cut"),
        (" Yes", "warning yaml-1-1-boolean"),
        (" 'Yes'", ""),
        (" \"a\\e[31m\\u202Eb\"", "warning hidden-characters"),
        (" a\u{200b}b", "warning hidden-characters"),
        (" d: e", "error unquoted-colon"),
        (" 2026", "error field-type"),
        ("", "error description-missing"),
        (" ''", "error description-missing"),
        (" '  '", "error description-missing"),
        (" [d]", "error description-missing"),
        (" `d`", "error yaml-invalid"),
        (" !y d", "error yaml-tag"),
        (" d\n<!-- y -->", "error yaml-invalid"),
        (&long[..1_025], ""),
        (&long, "error description-too-long"),
        (&wide, ""),
    ] {
        let fields = format!("name: x\ndescription:{value}");
        assert_eq!(strictly(&fields, "x"), expected, "{value:?}");
    }
}

#[test]
fn other_fields_are_strict_under_the_specification() {
    let long = "c".repeat(501);
    for (fields, expected) in [
        ("compatibility: c\nallowed-tools: a b", ""),
        ("license: MIT # see LICENSE", ""),
        ("license: a #b", "warning value-cut"),
        ("license: [MIT]", "error field-type"),
        ("license: 2.0", "error field-type"),
        ("license:", "warning field-type"),
        ("metadata: {a: {b: c}}", "error field-type"),
        ("metadata: {a: 1.0}", "error field-type"),
        ("metadata: {a: '1.0'}", ""),
        ("metadata: {a: no}", "warning yaml-1-1-boolean"),
        ("metadata: y", "error field-type"),
        ("metadata: {a: b, a: c}", "error duplicate-field"),
        ("allowed-tools: [a, b]", "error field-type"),
        ("allowed-tools: 7", "error field-type"),
        (&format!("compatibility: {}", &long[1..]), ""),
        (&format!("compatibility: {long}"), "error field-too-long"),
        ("model: on", "warning unknown-field"),
        ("allowed_tools: a", "warning unknown-field"),
        ("a: 1\na: 2", "warning unknown-field, error duplicate-field"),
        (
            "hint: <a: b>",
            "warning unknown-field, error unquoted-colon",
        ),
    ] {
        let fields = format!("name: x\ndescription: d\n{fields}");
        assert_eq!(strictly(&fields, "x"), expected, "{fields:?}");
    }
    assert_eq!(strictly("", "x"), "error not-a-mapping");
    assert_eq!(strictly("- x", "x"), "error not-a-mapping");
}

#[test]
fn the_specification_is_strict_about_the_file_too() {
    for (file, expected) in [
        (b"---\nname: x\ndescription: d\n---" as &[u8], ""),
        (b"---\r\nname: x\r\ndescription: d\r\n---\r\n", ""),
        (
            b"---\nname: x\ndescription: d\n--- \n",
            "warning fence-blanks",
        ),
        (
            b"--- \nname: x\ndescription: d\n---\n",
            "warning fence-blanks",
        ),
        (
            b"---\nname: x\ndescription: d\n...\n",
            "error frontmatter-unclosed",
        ),
        (
            b"----\nname: x\ndescription: d\n----\n",
            "error frontmatter-missing",
        ),
        (
            b"\n---\nname: x\ndescription: d\n---\n",
            "error frontmatter-not-first",
        ),
        (b"+++\nname = 'x'\n+++\n", "error frontmatter-missing"),
        (
            b"\xef\xbb\xbf---\nname: x\ndescription: d\n---\n",
            "warning byte-order-mark",
        ),
        (
            b"---\rname: x\rdescription: d\r---\r",
            "error lone-carriage-return",
        ),
        (b"\x7fELF\0\0", "error not-text"),
        (b"\xff\xfe-\0-\0-\0\n\0", "error not-text"),
        (
            b"---\nname: x\ndescription: d\n---\ncaf\xe9\n",
            "warning invalid-utf8",
        ),
        (
            b"---\nname: x\ndescription: caf\xe9\n---\n",
            "error invalid-utf8",
        ),
        (
            b"---\nname: x\ndescription: d\n---\n\0",
            "warning nul-in-body",
        ),
    ] {
        let told = words(&found(file, "x", Profile::SPEC));
        assert_eq!(told, expected, "{:?}", String::from_utf8_lossy(file));
    }
}

#[test]
fn a_caret_can_underline_what_is_meant() {
    for (fields, part) in [
        ("name:\tx\ndescription: d", "\t"),
        ("name: x\ndescription: fix #12 of C#", "#12 of C#"),
        ("name: x\ndescription: \u{e9} a\u{200b}b", "\u{200b}"),
        ("name: x\ndescription: 'a\u{202e}b'", "\u{202e}"),
        ("name: x\ndescription: \"a\\e\"", "\"a\\e\""),
        ("name: x\ndescription: 2026", "2026"),
        ("name: x\ndescription: d\nmetadata:\n  v: 1.0", "1.0"),
        ("name: x\ndescription: d\nmodel: m", "model"),
        ("name: x\ndescription: yes", "yes"),
        ("name: x\ndescription: a: b", ":"),
    ] {
        let file = format!("---\n{fields}\n---\n");
        let span = found(&file, "x", Profile::SPEC)[0].span;
        let line = file.lines().nth(span.line as usize - 1).unwrap();
        let marked: String = line
            .chars()
            .skip(span.column as usize - 1)
            .take(span.length as usize)
            .collect();
        assert_eq!(marked, part, "{fields:?}");
    }
}

#[test]
fn every_profile_goes_by_its_name() {
    for profile in Profile::ALL {
        assert_eq!(Profile::named(profile.name), Some(*profile));
    }
    assert_eq!(Profile::named("nobody"), None);
}
