use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;
use crate::skill::frontmatter::{Content, Field, ScalarKind, Value};

const LIMITS: Limits = Limits::DEFAULT;
const UNKNOWN_KEYS: FixOptions<'_> = FixOptions {
    unknown_keys: true,
    allowed: &[],
};

fn mended(bytes: &[u8], options: FixOptions<'_>) -> Vec<u8> {
    let mended = mend(bytes, "pdf", options, &LIMITS);
    mended.bytes.unwrap_or_else(|| bytes.to_vec())
}

fn fenced(inner: &str) -> String {
    format!("---\n{inner}---\nBody.\n")
}

/// Mends what stands between the fences.
fn mended_inner(inner: &str, options: FixOptions<'_>) -> String {
    let text = String::from_utf8(mended(fenced(inner).as_bytes(), options)).unwrap();
    let inner = text.strip_prefix("---\n").unwrap();
    inner.strip_suffix("---\nBody.\n").unwrap().to_owned()
}

#[test]
fn values_are_quoted_where_they_are_mistaken() {
    for (inner, expected) in [
        ("description: Use when: x\n", "description: 'Use when: x'\n"),
        ("description: it's: so\n", "description: \"it's: so\"\n"),
        (
            "description: it's \"so\": x\n",
            "description: 'it''s \"so\": x'\n",
        ),
        ("a: b: c # d\n", "a: 'b: c # d'\n"),
        ("a: ends:  \nb: x\n", "a: 'ends:'  \nb: x\n"),
        (
            "description:\n  Plan. Pairs with the\n  estimate skill: plan.\n\nname: x\n",
            "description:\n  'Plan. Pairs with the\n  estimate skill: plan.'\n\nname: x\n",
        ),
        (
            "a: one: two\n\n  three\n# c\nb: x\n",
            "a: 'one: two\n\n  three'\n# c\nb: x\n",
        ),
        (
            "a:\n  - k: v: w\n    x: y: z\n",
            "a:\n  - k: 'v: w'\n    x: 'y: z'\n",
        ),
        ("é: ü: ö\nname: 1\n", "é: 'ü: ö'\nname: '1'\n"),
        ("name: 3000\n", "name: '3000'\n"),
        ("description: 2026 # c\n", "description: '2026' # c\n"),
        (
            "name: true\nlicense: 1.0\n",
            "name: 'true'\nlicense: '1.0'\n",
        ),
        (
            "name: no\ndescription: Yes\n",
            "name: 'no'\ndescription: 'Yes'\n",
        ),
        (
            "compatibility: 2026-01-02\n",
            "compatibility: '2026-01-02'\n",
        ),
        ("allowed-tools: 7\n", "allowed-tools: '7'\n"),
        (
            "metadata:\n  version: 1.10\n  old: 007\n  at: 12:30\n  n: 1_000\n",
            "metadata:\n  version: '1.10'\n  old: '007'\n  at: '12:30'\n  n: '1_000'\n",
        ),
        (
            "metadata: {a: 1, b: .5, c: x}\n",
            "metadata: {a: '1', b: '.5', c: x}\n",
        ),
        ("\"name\": 1\n", "\"name\": '1'\n"),
        ("? name\n: 1\n", "? name\n: '1'\n"),
        ("name: &x 5\n", "name: &x '5'\n"),
        ("name:\n  5\n", "name:\n  '5'\n"),
    ] {
        assert_eq!(mended_inner(inner, FixOptions::default()), expected);
    }
}

#[test]
fn what_has_two_answers_is_left_alone() {
    for inner in [
        "name: pdf\ndescription: Reads.\n",
        "description: Fix C# code #12\n",
        "description: `x` y\n",
        "description: @x\n",
        "name: ~\n",
        "metadata:\n  a:\n  b: null\n  c: {d: 1}\n  e: [2]\n",
        "version: 1.10\nlevel: no\n",
        "name: '1'\ndescription: \"2\"\n",
        "name: !!int 3\n",
        "x: &x 5\ny: 1\nname: *x\n",
        "name: &x 5\ny: *x\n",
        "name: a\nname: b\n",
        "description: |\n  1: 2\n",
        "description: >-\n  12\n",
        "description: 1\n  2\n",
        "name: caf\u{e9}\nallowed-tools: [a b]\n",
        "allowed-tools: []\n",
        "allowed-tools: [a, {b: c}]\n",
        "allowed-tools: [a, ~]\n",
        "allowed-tools: ['a,b']\n",
        "allowed-tools: ['Bash(', b]\n",
        "allowed-tools:\n  - a # why\n  - b\n",
        "allowed-tools:\n  # why\n  - a\n",
        "allowed-tools:\n  - &x a\n",
        "x: &x a\nallowed-tools: [*x]\n",
        "allowed-tools: &x [a]\n",
        "license: [MIT]\n",
        "- a\n",
        "name: 'open\n",
        "",
    ] {
        assert_eq!(mended_inner(inner, FixOptions::default()), inner);
    }
}

#[test]
fn tabs_behind_colons_become_one_blank() {
    for (inner, expected) in [
        ("name:\tpdf\n", "name: pdf\n"),
        ("name: \t \tpdf\t\n", "name: pdf\t\n"),
        ("name :\tpdf\n", "name : pdf\n"),
        ("metadata:\t\n  a:\tb\n", "metadata:\n  a: b\n"),
        ("x: [{a:\tb}]\n", "x: [{a: b}]\n"),
        ("\"a\":\t'b:\tc'\n", "\"a\": 'b:\tc'\n"),
        ("name:\t# c\n", "name: # c\n"),
        ("name:\t1\n", "name: '1'\n"),
        ("é:\tb: c\n", "é: 'b: c'\n"),
        ("description: |\n  a:\tb\n", "description: |\n  a:\tb\n"),
    ] {
        assert_eq!(mended_inner(inner, FixOptions::default()), expected);
    }
}

#[test]
fn a_list_of_tools_becomes_text() {
    for (inner, expected) in [
        (
            "allowed-tools:\n  - Bash(git:*)\n  - Read\n",
            "allowed-tools: Bash(git:*) Read\n",
        ),
        (
            "allowed-tools: \n- 'Bash(git add *)'\n- Read\n\n# c\nx: y\n",
            "allowed-tools: Bash(git add *) Read\n\n# c\nx: y\n",
        ),
        (
            "allowed-tools: [\"Bash(jq:*)\",\n  Read]\n",
            "allowed-tools: Bash(jq:*) Read\n",
        ),
        (
            "allowed-tools: ['Bash(a: b)', \"it's\"]\n",
            "allowed-tools: \"Bash(a: b) it's\"\n",
        ),
        (
            "allowed-tools: [a]\n  \nx: y\n",
            "allowed-tools: a\n  \nx: y\n",
        ),
        ("allowed-tools: ['*']\n", "allowed-tools: '*'\n"),
        ("allowed-tools: [1]\n", "allowed-tools: '1'\n"),
        ("allowed-tools: [yes]\n", "allowed-tools: 'yes'\n"),
    ] {
        assert_eq!(mended_inner(inner, FixOptions::default()), expected);
    }
}

#[test]
fn a_field_that_slipped_to_the_right_is_no_part_of_a_value() {
    for inner in [
        "name: a\n description: Does x. Use when: y.\n",
        "name: a\ndescription: d: e\n  license: MIT\n",
        "author: x: y\n\n  version: 1\n",
    ] {
        assert_eq!(mended_inner(inner, FixOptions::default()), inner);
    }
    assert_eq!(
        mended_inner(
            "description: d: e\n  Note: it goes on\n",
            FixOptions::default()
        ),
        "description: 'd: e\n  Note: it goes on'\n"
    );
}

#[test]
fn unknown_fields_move_under_metadata() {
    for (inner, expected) in [
        (
            "name: pdf\nowner: opus\n",
            "name: pdf\nmetadata:\n  owner: opus\n",
        ),
        (
            "owner: opus\n# why\n# so\nversion: 1.10\nname: pdf\n\nlevel: no\n",
            "metadata:\n  owner: opus\n  # why\n  # so\n  version: '1.10'\n  level: 'no'\nname: pdf\n\n",
        ),
        (
            "metadata:\n    a: b\n\n# c\nx: |\n  one\n\n    two\nname: pdf\n",
            "metadata:\n    a: b\n    # c\n    x: |\n      one\n\n        two\n\nname: pdf\n",
        ),
        ("x: y\nmetadata:\nname: z\n", "metadata:\n  x: y\nname: z\n"),
        (
            "owner: a: b\n\"x\": 'one\n  two'\n",
            "metadata:\n  owner: 'a: b'\n  \"x\": 'one\n    two'\n",
        ),
        ("x: |2\n   one\n", "metadata:\n  x: |2\n     one\n"),
        (
            "name: pdf # c\nx: y # d\n",
            "name: pdf # c\nmetadata:\n  x: y # d\n",
        ),
    ] {
        assert_eq!(mended_inner(inner, UNKNOWN_KEYS), expected);
    }
}

#[test]
fn unknown_fields_that_cannot_move_are_named() {
    for (inner, why) in [
        ("x: [a]\n", "its value is a list, not text"),
        ("x: {a: b}\n", "its value is a mapping, not text"),
        ("x:\n", "it has no value"),
        ("x: ~\n", "it has no value"),
        ("x: a\nx: b\n", "it stands twice"),
        (
            "licence: MIT\n",
            "it may be a slip for a field of the specification",
        ),
        (
            "x: y\nmetadata: {a: b}\n",
            "`metadata` has no line for each entry",
        ),
        (
            "x: y\nmetadata: z\n",
            "`metadata` is not a mapping of names to texts",
        ),
        ("x: y\nmetadata:\nmetadata:\n", "`metadata` stands twice"),
        (
            "x: y\nmetadata:\n  x: z\n",
            "`metadata` has an entry of that name",
        ),
        ("{x: y}\n", "it has no line of its own"),
        (
            "metadata:\n\u{a0}\u{a0}author: me\n",
            "its name begins with U+00A0, which shows as a blank",
        ),
        ("metadata:\n  b: c\nx: &x y\nname: *x\n", ""),
        ("name: &x y\nx: z\nmetadata:\n  b: *x\n", ""),
        (
            "metadata:\n  b: c\ndescription: &x y\nx: *x\n",
            "moving it would change what is read",
        ),
    ] {
        let mended = mend(fenced(inner).as_bytes(), "pdf", UNKNOWN_KEYS, &LIMITS);

        let found: Vec<_> = mended
            .left
            .iter()
            .map(|left| (&*left.key, &*left.why))
            .collect();
        if why.is_empty() {
            assert!(found.is_empty(), "{inner:?}: {found:?}");
        } else {
            assert!(
                !found.is_empty() && found.iter().all(|&(_, said)| said == why),
                "{inner:?}: {found:?}"
            );
            assert_eq!(mended.bytes, None, "{inner:?}");
        }
    }
}

#[test]
fn one_field_that_stays_keeps_no_other_from_moving() {
    let inner = "a: [1]\nb: x\nlicence: y\nc: z\nd:\n";

    let mended = mend(fenced(inner).as_bytes(), "pdf", UNKNOWN_KEYS, &LIMITS);

    let expected = fenced("a: [1]\nmetadata:\n  b: x\n  c: z\nlicence: y\nd:\n");
    assert_eq!(mended.bytes.as_deref(), Some(expected.as_bytes()));
    let left: Vec<_> = mended
        .left
        .iter()
        .map(|left| (&*left.key, left.span.line))
        .collect();
    assert_eq!(left, [("a", 2), ("licence", 4), ("d", 6)]);
}

fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(unit).collect()
}

#[test]
fn the_file_becomes_plain_utf8_with_one_kind_of_line_end() {
    for (before, after) in [
        (
            &b"\xef\xbb\xbf---\na: b\n---\n"[..],
            &b"---\na: b\n---\n"[..],
        ),
        (
            b"\xef\xbb\xbf\xef\xbb\xbf---\na: b\n---\n",
            b"---\na: b\n---\n",
        ),
        (b"\xef\xbb\xbf# Title\n", b"# Title\n"),
        (b"---\ra: b\r---\rx\r", b"---\na: b\n---\nx\n"),
        (b"---\r\na: b\r\n---\nx", b"---\r\na: b\r\n---\r\nx"),
        (b"---\na: b\n---\r\nx\r\ny\nz", b"---\na: b\n---\nx\ny\nz"),
        (b"---\na: b\n---\r\nx\r\n", b"---\na: b\n---\nx\n"),
        (b"---\r\na: b\r\n---\nx\n", b"---\r\na: b\r\n---\r\nx\r\n"),
        (b"--- \t\na: b\n---  \nx  \n", b"---\na: b\n---\nx  \n"),
        (b"---  \r\na: b\r\n--- \r\n", b"---\r\na: b\r\n---\r\n"),
        (b"--- \na: [\n---\n", b"---\na: [\n---\n"),
        (
            b"---\na: b\n---\nx\xe9\xff\r\n",
            b"---\na: b\n---\nx\xe9\xff\n",
        ),
    ] {
        let shown = String::from_utf8_lossy(before);
        assert_eq!(mended(before, FixOptions::default()), after, "{shown:?}");
    }
    let text = "\u{feff}---\nname: \u{1f600}\n---\n";
    for unit in [u16::to_le_bytes, u16::to_be_bytes] {
        let mended = mended(&utf16(text, unit), FixOptions::default());
        assert_eq!(mended, text.trim_start_matches('\u{feff}').as_bytes());
    }
}

#[test]
fn whole_files_that_have_no_one_answer_stay() {
    let odd_utf16 = [
        &utf16("\u{feff}---\nname: x\n---\n", u16::to_le_bytes)[..],
        b"x",
    ]
    .concat();
    for before in [
        &b"---\na: b\n---\n"[..],
        b"---\r\na: b\r\n---\r\n",
        b"---\na: b\n---\nx\ry",
        b"---\na: b\n---\nx\r\r\ny\n",
        b"text\r\nmore\n",
        b"\xff\xfe\x00\x00-\x00\x00\x00",
        b"\xff\xfe-\x00-\x00",
        b"\xff\xfe-\x00-\x00-\x00\x00\xd8",
        b"\xef\xbb\xbf\x00\x01",
        b"---\ra: b\rx\r",
        b"---\nname: caf\xe9: x\n---\n",
        b"---",
        b"",
        &odd_utf16,
    ] {
        let mended = mend(before, "pdf", FixOptions::default(), &LIMITS);
        let shown = String::from_utf8_lossy(before);
        assert_eq!(mended, Mended::default(), "{shown:?}");
    }
}

#[test]
fn fixes_stand_where_the_faults_were() {
    let file = "--- \nname:\t1\nallowed-tools:\n  - a\n# c\nx: 2\ndescription: a: b\n---\n\r\n";

    let mended = mend(file.as_bytes(), "pdf", UNKNOWN_KEYS, &LIMITS);

    let fixes: Vec<_> = mended
        .fixes
        .iter()
        .map(|fix| {
            (
                fix.rule.code(),
                fix.span.line,
                fix.span.column,
                fix.span.length,
                &*fix.what,
            )
        })
        .collect();
    assert_eq!(
        fixes,
        [
            ("mixed-line-ends", 1, 1, 0, "made every line end LF"),
            (
                "fence-blanks",
                1,
                4,
                1,
                "removed the blanks after the dashes"
            ),
            (
                "tab-after-colon",
                2,
                6,
                1,
                "put a blank for the tab behind `name`"
            ),
            ("field-type", 2, 7, 1, "quoted the value of `name`"),
            (
                "unquoted-colon",
                7,
                15,
                1,
                "quoted the value of `description`"
            ),
            ("unknown-field", 6, 1, 1, "moved `x` under `metadata`"),
            (
                "field-type",
                4,
                5,
                1,
                "wrote the list of `allowed-tools` as text"
            ),
        ]
    );
    assert_eq!(
        String::from_utf8(mended.bytes.unwrap()).unwrap(),
        "---\nname: '1'\nallowed-tools: a\nmetadata:\n  # c\n  x: '2'\ndescription: 'a: b'\n---\n\n"
    );
}

#[test]
fn bounds_hold_for_the_mended_file() {
    let limits = Limits {
        skill_bytes: 40,
        ..LIMITS
    };
    let file = b"---\nname: pdf\ndescription: a: b\n---\n...";

    let mended = mend(file, "pdf", FixOptions::default(), &limits);

    assert_eq!(file.len(), 39);
    assert_eq!(mended, Mended::default());
}

#[test]
fn many_mends_are_proved_together() {
    let lines: Vec<_> = (0..3000).map(|i| format!("k{i}: a: b\n")).collect();
    let inner = lines.concat();
    let started = std::time::Instant::now();

    let mended = mend(fenced(&inner).as_bytes(), "pdf", UNKNOWN_KEYS, &LIMITS);

    assert_eq!(mended.fixes.len(), 6000);
    assert!(started.elapsed() < std::time::Duration::from_secs(20));
}

/// What a file says, with values as plain text, and fields outside the
/// specification taken for entries of `metadata`.
fn meaning(bytes: &[u8], is_gathered: bool) -> Vec<(String, String)> {
    let facts = frontmatter::read(bytes, &LIMITS);
    let mut said = Vec::new();
    for field in &facts.fields {
        flatten("", field, is_gathered, &mut said);
    }
    said.sort();
    let body = String::from_utf8_lossy(&bytes[facts.body..]).replace("\r\n", "\n");
    said.push((format!("{:?}", facts.fault.map(|fault| fault.rule)), body));
    said
}

fn flatten(above: &str, field: &Field, is_gathered: bool, said: &mut Vec<(String, String)>) {
    let known = crate::skill::loading::FIELDS.contains(&&*field.key);
    let is_moved = is_gathered && above.is_empty() && !known;
    let path = if is_moved {
        format!("metadata/{}", field.key)
    } else {
        format!("{above}{}", field.key)
    };
    flatten_value(path, &field.value, is_gathered, said);
}

fn flatten_value(path: String, value: &Value, is_gathered: bool, said: &mut Vec<(String, String)>) {
    match &value.content {
        // A mapping that gets its first entry was nothing before.
        Content::Scalar(scalar) if path == "metadata" && scalar.kind == ScalarKind::Null => {}
        Content::Scalar(scalar) => said.push((path, scalar.text.clone())),
        Content::Sequence(items) if path == "allowed-tools" => {
            let texts: Option<Vec<_>> = items
                .iter()
                .map(|item| item.scalar().map(|scalar| scalar.text.trim()))
                .collect();
            said.push((
                path,
                texts.map_or_else(|| "odd".to_owned(), |texts| texts.join(" ")),
            ));
        }
        Content::Sequence(items) => {
            for (i, item) in items.iter().enumerate() {
                flatten_value(format!("{path}/{i}"), item, is_gathered, said);
            }
        }
        Content::Mapping(fields) => {
            for field in fields {
                flatten(&format!("{path}/"), field, is_gathered, said);
            }
        }
    }
}

/// Checks the laws of mending for one file.
fn check_laws(bytes: &[u8], options: FixOptions<'_>) {
    let mended = mend(bytes, "pdf", options, &LIMITS);
    let shown = String::from_utf8_lossy(bytes);
    let Some(after) = mended.bytes else {
        assert!(mended.fixes.is_empty(), "{shown:?}");
        return;
    };
    assert!(!mended.fixes.is_empty(), "{shown:?}");
    let is_recoded = mended
        .fixes
        .iter()
        .any(|fix| matches!(fix.rule, Rule::NotText | Rule::LoneCarriageReturn));
    let facts = frontmatter::read(bytes, &LIMITS);
    if !is_recoded && facts.opening.is_some() {
        let gathered = options.unknown_keys;
        assert_eq!(
            meaning(bytes, gathered),
            meaning(&after, gathered),
            "{shown:?}"
        );
    }
    let again = mend(&after, "pdf", options, &LIMITS);
    let text = String::from_utf8_lossy(&after);
    assert_eq!(
        again.bytes, None,
        "{shown:?}\nonce: {text:?}\ntwice: {:?}",
        again.fixes
    );
}

fn scalar_text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-zA-Z][a-z '\"#:,.é-]{0,20}[a-z:]",
        1 => proptest::sample::select(vec![
            "1.10", "3000", "true", "no", "~", "null", "2026-01-02", "1_0", "12:30", ".5", "0x1F",
            "a: b", "it's: so", "Use when: x # y", "a #b", "*x", "`a`", "{a: b}", "[a, b]", "",
        ]).prop_map(str::to_owned),
    ]
}

fn value() -> impl Strategy<Value = String> {
    let text = scalar_text;
    prop_oneof![
        4 => text().prop_map(|text| format!(" {text}")),
        1 => text().prop_map(|text| format!("\t{text} # c")),
        1 => text().prop_map(|text| format!(" '{}'", text.replace('\'', "''"))),
        1 => text().prop_map(|text| format!(" \"{}\"", text.replace('"', "\\\""))),
        1 => (text(), text()).prop_map(|(one, two)| format!(" {one}\n  {two}")),
        1 => (text(), text()).prop_map(|(one, two)| format!("\n  {one}\n\n  {two}")),
        1 => (text(), text(), "[|>][+-]?2?").prop_map(|(one, two, header)|
            format!(" {header}\n  {one}\n\n    {two}\n")),
        1 => (text(), text()).prop_map(|(one, two)| format!("\n  - {one}\n  - k: {two}\n    l:\t1")),
        1 => (text(), text()).prop_map(|(one, two)| format!("\n  a: {one}\n  b:\t{two}")),
        1 => proptest::collection::vec("[A-Za-z]{1,4}(\\([a-z *:]{0,5}\\))?", 0..4)
            .prop_map(|items| format!(" [{}]", items.join(", "))),
        1 => Just(" &x 5".to_owned()),
    ]
}

fn field() -> impl Strategy<Value = String> {
    let keys = [
        "name",
        "description",
        "license",
        "metadata",
        "allowed-tools",
        "compatibility",
        "model",
        "version",
        "licence",
        "\"x y\"",
        "é",
    ];
    let above = proptest::sample::select(vec!["", "", "", "# comment\n", "\n", "  # deeper\n"]);
    (above, proptest::sample::select(keys.to_vec()), value())
        .prop_map(|(above, key, value)| format!("{above}{key}:{value}\n"))
}

fn file() -> impl Strategy<Value = Vec<u8>> {
    let fields = proptest::collection::vec(field(), 0..6);
    let fence = proptest::sample::select(vec!["---", "---", "--- ", "---\t "]);
    let mark = proptest::sample::select(vec!["", "", "\u{feff}"]);
    let body = proptest::sample::select(vec!["", "Body.\n", "x\r\ny\n", "x\ry: z  \n\n"]);
    (mark, fence.clone(), fields, fence, body, 0..4_u8).prop_map(
        |(mark, opening, fields, closing, body, ends)| {
            let text = format!("{mark}{opening}\n{}{closing}\n{body}", fields.concat());
            match ends {
                0 => text.replace('\n', "\r\n").into_bytes(),
                1 => text.replacen('\n', "\r\n", 2).into_bytes(),
                _ => text.into_bytes(),
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn values_stay_and_mending_twice_is_mending_once(bytes in file(), unknown_keys: bool) {
        check_laws(&bytes, FixOptions { unknown_keys, allowed: &[] });
    }

    #[test]
    fn what_is_not_a_fault_keeps_its_bytes(bytes in file()) {
        let mended = mend(&bytes, "pdf", FixOptions::default(), &LIMITS);
        let in_place = mended.fixes.iter().all(|fix| matches!(
            fix.rule,
            Rule::UnquotedColon | Rule::Yaml11Boolean | Rule::FieldType | Rule::TabAfterColon
        ) && !fix.what.starts_with("wrote the list"));
        if let (true, Some(after)) = (in_place, mended.bytes) {
            // Quotes and blanks aside, both are the same, byte for byte.
            let plain = |bytes: &[u8]| -> Vec<u8> {
                let is_kept = |b: &u8| !b"'\" \t".contains(b);
                bytes.iter().copied().filter(is_kept).collect()
            };
            prop_assert_eq!(plain(&bytes), plain(&after));
            let lines = |bytes: &[u8]| bytes.split(|&b| b == b'\n').count();
            prop_assert_eq!(lines(&bytes), lines(&after));
        }
    }
}

#[test]
fn mutated_files_neither_panic_nor_change_their_values() {
    let seeds = [
        "---\nname: 3000\ndescription: Use when: x\n# c\nowner:\ta: b\nallowed-tools: [a, 'b c']\nmetadata:\n  v: 1.10\n---\nx\r\n",
        "\u{feff}--- \r\nname: é: ü\r\nx: |+\r\n  a\r\n\r\ny: &a 1\r\nz: *a\r\nversion: 1\r\n---\r\n",
        "---\nmetadata:\n  a: {b: [1, 2]}\nx: 'it''s\n  so'\ny: \"a\\n\"\n? q\n: r\n- s\n---\n",
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    let pool = b"---\n: #'\"\t\r\n[]{}|>&*!?-~xy1.\\\xef\xbb\xbf\xff\x00";
    for round in 0..6000 {
        let mut bytes = seeds[round % seeds.len()].as_bytes().to_vec();
        for _ in 0..=next(6) {
            let at = next(bytes.len().max(1));
            match next(4) {
                0 if at < bytes.len() => drop(bytes.remove(at)),
                1 => bytes.insert(at.min(bytes.len()), pool[next(pool.len())]),
                2 if at < bytes.len() => bytes[at] = pool[next(pool.len())],
                _ => {
                    let end = (at + next(12)).min(bytes.len());
                    let part = bytes[at.min(end)..end].to_vec();
                    let to = next(bytes.len() + 1);
                    bytes.splice(to..to, part);
                }
            }
        }
        check_laws(
            &bytes,
            FixOptions {
                unknown_keys: round % 2 == 0,
                allowed: &[],
            },
        );
    }
}

#[test]
fn what_is_allowed_stays() {
    let file = b"\xef\xbb\xbf---  \r\nname:\tpdf\ndescription: Use when: asked.\nlicense: 2\n\
        metadata:\n  a: yes\nallowed-tools: [Read]\nextra: x\n---\n";
    let broken = [
        Rule::ByteOrderMark,
        Rule::MixedLineEnds,
        Rule::FenceBlanks,
        Rule::TabAfterColon,
        Rule::UnquotedColon,
        Rule::FieldType,
        Rule::Yaml11Boolean,
        Rule::UnknownField,
    ];
    let mended = |allowed: &[Rule]| {
        let options = FixOptions {
            unknown_keys: true,
            allowed,
        };
        mend(file, "pdf", options, &LIMITS)
    };

    let all = mended(&[]);
    assert!(
        broken
            .iter()
            .all(|rule| all.fixes.iter().any(|fix| fix.rule == *rule))
    );
    for rule in broken {
        let some = mended(&[rule]);
        assert!(some.fixes.iter().all(|fix| fix.rule != rule), "{rule}");
        let others = all.fixes.iter().filter(|fix| fix.rule != rule).count();
        assert_eq!(some.fixes.len(), others, "{rule}");
    }
    assert_eq!(mended(&broken).bytes, None);
}

#[test]
fn fields_that_an_agent_acts_on_stay() {
    let file = b"---\nname: pdf\ndescription: d\nmodel: opus\npaths: \"*.pdf\"\nextra: x\n---\n";

    let mended = mend(file, "pdf", UNKNOWN_KEYS, &LIMITS);

    let left: Vec<_> = mended
        .left
        .iter()
        .map(|left| (&*left.key, &*left.why))
        .collect();
    let expected = [
        ("model", "claude-code acts on it"),
        ("paths", "claude-code and cursor act on it"),
    ];
    assert_eq!(left, expected);
    assert_eq!(mended.fixes.len(), 1);
    let text = String::from_utf8(mended.bytes.unwrap()).unwrap();
    assert!(
        text.contains("\nmodel: opus\n") && text.contains("\n  extra: x\n"),
        "{text}"
    );
}

/// Frontmatter with `count` mends, or nearly: on one line, and on many.
fn with_mends(shape: usize, count: usize) -> String {
    let entries = |entry: &dyn Fn(usize) -> String| (0..count).map(entry).collect::<String>();
    let fields = match shape {
        0 => format!("metadata: {{{}}}\n", entries(&|i| format!("k{i}: {i}, "))),
        1 => format!(
            "metadata: {{{}}}\n",
            entries(&|i| format!("\u{e9}{i}:\t{i}, "))
        ),
        2 => format!("metadata:\n{}", entries(&|i| format!("  k{i}: {i}\n"))),
        3 => entries(&|i| format!("k{i}:\t{i}\n")),
        4 => entries(&|i| format!("k{i}: a: {i}\n")),
        _ => format!("allowed-tools: [{}]\n", entries(&|i| format!("T{i}, "))),
    };
    format!("---\nname: a\ndescription: b\n{fields}---\nBody.\n")
}

#[test]
fn mends_cost_time_in_proportion_to_their_number() {
    let cost = |text: &str| {
        let time = || {
            let began = Instant::now();
            let mended = mend(text.as_bytes(), "a", UNKNOWN_KEYS, &LIMITS);
            assert!(mended.bytes.is_some());
            began.elapsed()
        };
        time().min(time())
    };
    for shape in 0..6 {
        let (few, many) = (with_mends(shape, 700), with_mends(shape, 2_800));
        let mut costs = (Duration::ZERO, Duration::ZERO);
        // A quadratic step would cost sixteen times; others use the processor, too.
        let is_linear = (0..5).any(|_| {
            costs = (cost(&few), cost(&many));
            costs.1 < costs.0 * 8 + Duration::from_millis(20)
        });
        assert!(is_linear, "{shape}: {costs:?} for four times as much");
    }
}
