//! The projects' own vectors, each against its profile.

use std::path::Path;

use super::*;
use crate::limits::Limits;

fn of(file: impl AsRef<[u8]>, folder: &str, profile: &Profile) -> ProfileVerdict {
    let path = Path::new("/skills/x/SKILL.md");
    verdict(file.as_ref(), path, folder, profile, &Limits::DEFAULT)
}

fn profile(name: &str) -> &'static Profile {
    Profile::named(name).expect(name)
}

/// The words with which a file is dropped, or empty if it loads.
fn refusal(verdict: &ProfileVerdict) -> &str {
    let dropped = verdict
        .told
        .iter()
        .rfind(|told| told.outcome == Outcome::Drops);
    dropped.map_or("", |told| &told.text)
}

fn words(verdict: &ProfileVerdict) -> Vec<&str> {
    verdict.told.iter().map(|told| told.text.as_str()).collect()
}

fn body(verdict: &ProfileVerdict) -> String {
    let body = verdict.body.as_deref().unwrap_or(b"(dropped)");
    String::from_utf8_lossy(body).into_owned()
}

#[test]
fn coder_reads_its_vectors_of_texts() {
    for (number, file, name, description, text) in [
        (
            "CF1",
            "---\nname: my-skill\ndescription: Does a thing\n---\nBody\n",
            "my-skill",
            "Does a thing",
            "Body",
        ),
        (
            "CF2",
            "---\r\nname: my-skill\r\ndescription: d\r\n---\r\nline1\r\nline2\r\n",
            "my-skill",
            "d",
            "line1\r\nline2",
        ),
        (
            "CF3",
            "---\nname: a\ndescription: >\n  one\n  two\n\n  three\n---\nB",
            "a",
            "one two\nthree",
            "B",
        ),
        (
            "CF4",
            "---\nname: a\ndescription: |\n  one\n  two\n---\nB",
            "a",
            "one\ntwo",
            "B",
        ),
        (
            "CF6",
            "---\nname: yes\ndescription: d\n---\nB",
            "yes",
            "d",
            "B",
        ),
        (
            "CF12",
            "---\nname: a\ndescription: Build # test\n---\nB",
            "a",
            "Build",
            "B",
        ),
        (
            "CF13",
            "---\nname: a\ndescription: |\n  before\n  ---\n  after\n---\nB",
            "a",
            "before",
            "after\n---\nB",
        ),
        (
            "CF15",
            "---\nname: \"a\\n\"\ndescription: d\n---\nB",
            "a",
            "d",
            "B",
        ),
        (
            "CF16",
            "---\nname: a\ndescription: d\nx: &x !!python/x y\nz: *x\n---\nB",
            "a",
            "d",
            "B",
        ),
        ("CF21", "---\nname: a\ndescription: d\n---\n", "a", "d", ""),
    ] {
        let told = of(file, name, Profile::CODER);
        assert_eq!(refusal(&told), "", "{number}");
        assert_eq!(told.name.as_deref(), Some(name), "{number}");
        assert_eq!(told.description.as_deref(), Some(description), "{number}");
        assert_eq!(body(&told), text, "{number}");
    }
    let bytes = b"---\nname: a\n---\ncaf\xe9";
    assert_eq!(
        of(bytes, "a", Profile::CODER).body.as_deref(),
        Some(&b"caf\xe9"[..]),
        "CF20"
    );
}

#[test]
fn coder_refuses_its_vectors_of_faults() {
    let name = "frontmatter missing required 'name' field";
    let description = "frontmatter field \"description\" must be a string";
    let yaml = "parse frontmatter YAML: …";
    for (number, file, expected) in [
        ("CF5", &b"---\nname: 123\n---\nB"[..], name),
        ("CF5", b"---\nname: true\n---\nB", name),
        ("CF5", b"---\nname: null\n---\nB", name),
        ("CF5", b"---\nname:\n---\nB", name),
        ("CF5", b"---\nname: 2024-01-01\n---\nB", name),
        ("CF5", b"---\nname: 1e3\n---\nB", name),
        ("CF7", b"---\nname: ''\n---\nB", name),
        (
            "CF8",
            b"---\nname: a\ndescription: null\n---\nB",
            description,
        ),
        ("CF8", b"---\nname: a\ndescription:\n---\nB", description),
        (
            "CF8",
            b"---\nname: a\ndescription: 1.5\n---\nB",
            description,
        ),
        (
            "CF8",
            b"---\nname: a\ndescription: [x]\n---\nB",
            description,
        ),
        (
            "CF9",
            b"---\nname: a\ndescription: Use mode: careful\n---\nB",
            yaml,
        ),
        ("CF10", b"---\nname: a\nname: b\n---\nB", yaml),
        ("CF11", b"---\nName: a\n---\nB", name),
        (
            "CF14",
            b"---\nname: \"a \"\n---\nB",
            "front-matter name \"a \" does not match directory \"a\"",
        ),
        (
            "CF17",
            b"\n---\nname: a\n---\nB",
            "missing opening frontmatter delimiter",
        ),
        (
            "CF17",
            b"\xef\xbb\xbf\xef\xbb\xbf---\nname: a\n---\nB",
            "missing opening frontmatter delimiter",
        ),
        ("CF18", b"---", "missing closing frontmatter delimiter"),
        ("CF19", b"---\nname: a\ndescription: caf\xe9\n---\nB", yaml),
        ("CF22", b"---\nname: a\nx:\n\ty: z\n---\nB", yaml),
        ("CF22", b"---\nname: a\nx: \"y\n---\nB", yaml),
        (
            "1.6",
            b"---\nname: b\n---\nB",
            "front-matter name \"b\" does not match directory \"a\"",
        ),
    ] {
        let told = of(file, "a", Profile::CODER);
        assert_eq!(
            refusal(&told),
            expected,
            "{number}: {:?}",
            String::from_utf8_lossy(file)
        );
    }
    let told = of(
        "---\nname: Make_Coffee\n---\nB",
        "Make_Coffee",
        Profile::CODER,
    );
    assert_eq!(
        refusal(&told),
        "skill name \"Make_Coffee\" is not kebab-case"
    );
    let marked = of("\u{feff}---\nname: a\n---\nB", "a", Profile::CODER);
    assert_eq!(marked.outcome, Outcome::Loads);
}

#[test]
fn coder_takes_comments_out_of_bodies() {
    for (number, written, expected) in [
        ("CC1", "Before <!-- hidden --> after.", "Before  after."),
        ("CC2", "One.\n\n<!-- a\nb -->\n\nTwo.", "One.\n\n\n\nTwo."),
        ("CC3", "```\n<!-- a -->x\n```", "```\nx\n```"),
        ("CC4", "x <!-- a <!-- b --> c --> y", "x  c --> y"),
        (
            "CC5",
            "x <!-- unterminated\nmore",
            "x <!-- unterminated\nmore",
        ),
        ("CC6", "x<!-->y-->z", "xz"),
        ("CC6", "x<!--->y-->z", "xz"),
        ("CC7", "x<!---->z", "xz"),
        ("CC8", "<!<!-- x -->-- y -->z", "<!-- y -->z"),
        ("CC9", "B", "B"),
    ] {
        let file = format!("---\nname: a\ndescription: hi <!-- c --> there\n---\n{written}\n");
        let told = of(file, "a", Profile::CODER);
        assert_eq!(body(&told), expected, "{number}");
        assert_eq!(
            told.description.as_deref(),
            Some("hi <!-- c --> there"),
            "CC9"
        );
    }
    let told = of(
        "---\nname: a\n---\n<!-- only -->\n",
        "a",
        Profile::CODER_PERSONAL,
    );
    assert_eq!(
        refusal(&told),
        "skill \"a\" has no content after frontmatter",
        "CC10"
    );
}

#[test]
fn coder_checks_personal_skills_in_its_order() {
    let long = "a".repeat(257);
    for (file, expected) in [
        ("a".repeat(65_537), "skill is too large"),
        (
            "a".repeat(65_536),
            "parse skill frontmatter: missing opening frontmatter delimiter",
        ),
        (
            "---\nname: a\n".into(),
            "parse skill frontmatter: missing closing frontmatter delimiter",
        ),
        (
            "---\nname: a: b\n---\nB".into(),
            "parse skill frontmatter: parse frontmatter YAML: …",
        ),
        (
            "---\nname: null\n---\nB".into(),
            "frontmatter must contain a 'name' field",
        ),
        (
            "---\nname: Not_Kebab\ndescription: 7\n---\nB".into(),
            "parse skill frontmatter: frontmatter field \"description\" must be a string",
        ),
        (
            format!("---\nname: {long}_\n---\nB"),
            &format!("\"{long}_\" must match ^[a-z0-9]+(-[a-z0-9]+)*$"),
        ),
        (
            format!("---\nname: {long}\n---\nB"),
            &format!("\"{long}\" is 257 bytes, maximum is 256 bytes"),
        ),
        (
            format!("---\nname: a\ndescription: {}\n---\n", "d".repeat(4_097)),
            "skill description is too large",
        ),
        (
            "---\nname: a\n---\n \n".into(),
            "skill \"a\" has no content after frontmatter",
        ),
        (
            format!(
                "---\nname: {}\ndescription: {}\n---\nB",
                &long[1..],
                "d".repeat(4_096)
            ),
            "",
        ),
    ] {
        let told = of(&file, "", Profile::CODER_PERSONAL);
        assert_eq!(refusal(&told), expected, "{}", &file[..file.len().min(40)]);
    }
}

#[test]
fn albedo_answers_its_vectors() {
    let name = "frontmatter name is invalid";
    let description = "frontmatter description is invalid";
    let yaml = "invalid YAML frontmatter";
    let one = "frontmatter must contain one YAML mapping";
    for (number, fields, expected) in [
        ("AF1", "name: demo\ndescription: Demo", ""),
        ("AF4", "name:\ndescription: d", name),
        ("AF5", "name: demo\ndescription:", description),
        ("AF5", "name: demo\ndescription: ''", description),
        ("AF6", "name: demo", "frontmatter is missing description"),
        ("AF7", "description: d", "frontmatter is missing name"),
        (
            "AF8",
            "name: demo\nname: demo\ndescription: d",
            "frontmatter has duplicate name or description fields",
        ),
        (
            "AF9",
            "name: demo\nname: demo",
            "frontmatter is missing description",
        ),
        ("AF10", "name: demo\ndescription: d\nx: 1\nx: 2", ""),
        ("AF11", "name: demo\ndescription: Use mode: careful", yaml),
        ("AF11", "name: demo\ndescription: \"d", yaml),
        ("AF11", "name: demo\ndescription: !x d", yaml),
        ("AF11", "name: demo\ndescription: d\nx:\n\ty: z", yaml),
        ("AF12", "name: !!str demo\ndescription: d", ""),
        ("AF13", "name: &n demo\ndescription: *n", ""),
        ("AF14", "", one),
        ("AF14", "# c", one),
        ("AF14", "name: demo\n--- \nname: demo", one),
        ("AF15", "demo", "frontmatter must be a YAML mapping"),
        ("AF15", "- demo", "frontmatter must be a YAML mapping"),
        ("AF22", "name: De\ndescription: ''", name),
        ("AF23", "name: demo\ndescription: |\n  a\n  ---\n  b", ""),
        (
            "2.3",
            "name: other\ndescription: d",
            "frontmatter name must match directory name",
        ),
    ] {
        let told = of(
            format!("---\n{fields}\n---\nB\n"),
            "demo",
            profile("albedo"),
        );
        assert_eq!(refusal(&told), expected, "{number}: {fields:?}");
        let told = of(
            format!("---\r\n{}\r\n---\r\nB", fields.replace('\n', "\r\n")),
            "demo",
            profile("albedo"),
        );
        assert_eq!(refusal(&told), expected, "{number}: {fields:?} with CRLF");
    }
}

#[test]
fn albedo_takes_every_scalar_for_text() {
    for name in ["123", "null", "true"] {
        let told = of(
            format!("---\nname: {name}\ndescription: d\n---\n"),
            name,
            profile("albedo"),
        );
        assert_eq!(
            (told.outcome, told.name.as_deref()),
            (Outcome::Loads, Some(name)),
            "AF3"
        );
    }
    let folded =
        "---\nname: demo\ndescription: >\n  first line\n  second line\n\n  next paragraph\n---\n";
    let told = of(folded, "demo", profile("albedo"));
    assert_eq!(
        told.description.as_deref(),
        Some("first line second line\nnext paragraph"),
        "AF2"
    );
    let inside = "---\nname: demo\ndescription: |\n  a\n  ---\n  b\n---\n";
    assert_eq!(
        of(inside, "demo", profile("albedo")).description.as_deref(),
        Some("a\n---\nb"),
        "AF23"
    );
}

#[test]
fn albedo_holds_its_bounds_and_fences() {
    let begin = "SKILL.md must begin with YAML frontmatter";
    let open = "YAML frontmatter is not closed within 65536 bytes";
    let good = "name: demo\ndescription: d\n";
    let filled = |bytes: usize| {
        let rest = "x".repeat(bytes - good.len() - "---\n# \n---\n".len());
        format!("---\n{good}# {rest}\n---\nB")
    };
    for (number, file, expected) in [
        ("AF16", format!(" ---\n{good}---\n"), begin),
        ("AF16", format!("--- \n{good}---\n"), begin),
        ("AF16", format!("\u{feff}---\n{good}---\n"), begin),
        ("AF17", format!("---\n{good}--- \n"), open),
        ("AF17", format!("---\n{good}"), open),
        ("AF18", filled(65_536), ""),
        (
            "AF18",
            filled(65_537),
            "YAML frontmatter exceeds 65536 bytes",
        ),
        ("AF19", format!("---\n{good}---"), ""),
        ("AF24", String::new(), "empty SKILL.md"),
        (
            "2.3",
            "x".repeat(1_048_577),
            "SKILL.md exceeds 1048576 bytes",
        ),
    ] {
        assert_eq!(
            refusal(&of(file, "demo", profile("albedo"))),
            expected,
            "{number}"
        );
    }
    for (name, length, text, expected) in [
        ("a".repeat(64), 1, "d", ""),
        ("a".repeat(65), 1, "d", "frontmatter name is invalid"),
        ("a".into(), 1_024, "\u{e9}", ""),
        (
            "a".into(),
            1_025,
            "\u{e9}",
            "frontmatter description is invalid",
        ),
    ] {
        let file = format!(
            "---\nname: {name}\ndescription: {}\n---\n",
            text.repeat(length)
        );
        assert_eq!(
            refusal(&of(file, &name, profile("albedo"))),
            expected,
            "AF20, AF21"
        );
    }
}

#[test]
fn vbot_refuses_its_vectors_of_faults() {
    for (number, file, folder, expected) in [
        (
            "VF1",
            "---\nname: a\ndescription: d\n---\nB",
            "a",
            &[] as &[_],
        ),
        (
            "VF1",
            " --- \r\nname: a\r\ndescription: d\r\n  ---  \r\nB",
            "a",
            &[],
        ),
        (
            "VF2",
            "\u{feff}---\nname: a\ndescription: d\n---\n",
            "a",
            &["Skill metadata missing front matter: …"],
        ),
        (
            "VF3",
            "# Title\n",
            "a",
            &["Skill metadata missing front matter: …"],
        ),
        (
            "VF4",
            "---\nname: a\ndescription: d\n",
            "a",
            &["Skill metadata front matter is not closed: …"],
        ),
        (
            "VF5",
            "---\ndescription: d\n---\n",
            "a",
            &["Skill metadata missing name: …"],
        ),
        (
            "VF5",
            "---\nname: null\ndescription: d\n---\n",
            "a",
            &["Skill metadata missing name: …"],
        ),
        (
            "VF5",
            "---\nname: ''\ndescription: d\n---\n",
            "a",
            &["Skill metadata missing name: …"],
        ),
        (
            "VF6",
            "---\nname: a\n---\n",
            "a",
            &["Skill metadata missing description: …"],
        ),
        (
            "VF7",
            "---\n- a\n---\n",
            "a",
            &["Invalid YAML front matter in …: expected a mapping."],
        ),
    ] {
        let told = of(file, folder, profile("vbot"));
        assert_eq!(words(&told), expected, "{number}: {file:?}");
    }
}

#[test]
fn vbot_loads_more_than_others() {
    let long = "a".repeat(65);
    for (number, file, folder, expected) in [
        (
            "VF8",
            "---\nname: a\ndescription: Use mode: careful\n---\n",
            "a",
            &["YAML front matter was repaired by quoting scalar values with colons."] as &[_],
        ),
        (
            "VF9",
            "---\nname: a\ndescription: d\nmetadata:\n  x: y: z\n---\n",
            "a",
            &["Invalid YAML front matter: …"],
        ),
        (
            "VF10",
            "---\nname: a\ndescription: [unterminated\n---\n",
            "a",
            &["Invalid YAML front matter: …"],
        ),
        ("VF11", "---\nname: 123\ndescription: d\n---\n", "123", &[]),
        (
            "VF14",
            "---\nname: z\nname: a\ndescription: d\n---\n",
            "a",
            &["the last one counts"],
        ),
        (
            "VF15",
            "---\nname: x\ndescription: d\n---\n",
            "y",
            &["Skill name 'x' does not match directory name 'y'."],
        ),
        (
            "VF16",
            &format!("---\nname: {long}\ndescription: d\n---\n"),
            &long,
            &["… is longer than 64 characters."],
        ),
        (
            "VF17",
            "---\nname: my dir\ndescription: d\n---\n",
            "my dir",
            &[],
        ),
        (
            "VF17",
            "---\nname: Foo_Bar\ndescription: d\n---\n",
            "Foo_Bar",
            &[],
        ),
        (
            "VF19",
            "---\nname: a\ndescription: d\nallowed-tools: read write\n---\n",
            "a",
            &[],
        ),
        ("VF21", "---\nname: a\ndescription: d\n---\n", "a", &[]),
        ("3.1", "---\rname: a\rdescription: d\r---\rB", "a", &[]),
    ] {
        let told = of(file, folder, profile("vbot"));
        assert_eq!(words(&told), expected, "{number}: {file:?}");
    }
    let bytes = of(
        b"---\nname: a\ndescription: d\n---\n\xff",
        "a",
        profile("vbot"),
    );
    assert_eq!(bytes.outcome, Outcome::Drops, "VF18");
    let twice = of(
        "---\nname: z\nname: a\ndescription: d\n---\n",
        "a",
        profile("vbot"),
    );
    assert_eq!(twice.name.as_deref(), Some("a"), "VF14");
}

#[test]
fn vbot_wants_requirements_of_one_form() {
    for (number, file, folder, expected) in [
        (
            "VF20",
            "---\nname: a\ndescription: d\nmetadata:\n  vbot: x\n---\n",
            "a",
            &["metadata.vbot must be a mapping"] as &[&str],
        ),
        (
            "VF20",
            "---\nname: a\ndescription: d\nmetadata: {vbot: {requirements: {tool: x}}}\n---\n",
            "a",
            &["… has unknown key(s): tool"],
        ),
        (
            "VF20",
            "---\nname: a\ndescription: d\nmetadata: {vbot: {requirements: {binary: a, env: B}}}\n---\n",
            "a",
            &["… must define only one required root, got: binary, env"],
        ),
        (
            "VF20",
            "---\nname: a\ndescription: d\nmetadata: {vbot: {requirements: {all: [{binary: a, env: B}]}}}\n---\n",
            "a",
            &["… must define exactly one requirement"],
        ),
        (
            "VF20",
            "---\nname: a\ndescription: d\nmetadata: {vbot: {requirements: {all: a}}}\n---\n",
            "a",
            &["… must be a list"],
        ),
        (
            "VF20",
            "---\nname: a\ndescription: d\nmetadata: {vbot: {requirements: {any: []}}}\n---\n",
            "a",
            &["… must not be empty"],
        ),
        (
            "VF20",
            "---\nname: a\ndescription: d\nmetadata: {vbot: {requirements: {optional: [{skill: ' '}]}}}\n---\n",
            "a",
            &["… must be a non-empty string"],
        ),
        (
            "VF20",
            "---\nname: a\ndescription: d\nmetadata: {vbot: {requirements: {all: [{any: [{binary: 3}]}]}}}\n---\n",
            "a",
            &["… must be a non-empty string"],
        ),
        (
            "VF20",
            "---\nname: a\ndescription: d\nmetadata: {vbot: {author: x, requirements: {all: [{binary: a}, {any: [{env: B}]}], optional: [{skill: c}]}}}\n---\n",
            "a",
            &[],
        ),
    ] {
        let told = of(file, folder, profile("vbot"));
        assert_eq!(words(&told), expected, "{number}: {file:?}");
    }
}

#[test]
fn agents_differ_in_the_characters_of_a_name() {
    let outcome = |agent, name: &str| {
        let file = format!("---\nname: {name}\ndescription: d\n---\nBody.\n");
        of(&file, name, profile(agent)).outcome
    };

    assert_eq!(outcome("goose", "a/b"), Outcome::Drops);
    assert_eq!(outcome("goose", "A_b"), Outcome::Loads);
    assert_eq!(outcome("gemini-cli", "a:b"), Outcome::LoadsChanged);
    assert_eq!(outcome("gemini-cli", "A_b"), Outcome::Loads);
    assert_eq!(outcome("copilot", "A_b.c"), Outcome::Loads);
    assert_eq!(outcome("copilot", "a+b"), Outcome::Unknown);
}
