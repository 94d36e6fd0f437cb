use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

/// Wraps `inner` into fences.
fn fenced(inner: &str) -> String {
    format!("---\n{inner}---\nBody.\n")
}

fn facts(inner: &str) -> Facts {
    read(fenced(inner).as_bytes(), &Limits::DEFAULT)
}

/// Writes fields out on one line, with types and styles.
fn shown(fields: &[Field]) -> String {
    let entry = |field: &Field| format!("{}={}", field.key, shown_value(&field.value));
    fields.iter().map(entry).collect::<Vec<_>>().join("; ")
}

fn shown_value(value: &Value) -> String {
    match &value.content {
        Content::Sequence(values) => {
            let items: Vec<_> = values.iter().map(shown_value).collect();
            format!("[{}]", items.join(", "))
        }
        Content::Mapping(fields) => format!("{{{}}}", shown(fields)),
        Content::Scalar(scalar) => {
            let kind = match scalar.kind {
                ScalarKind::Text => "",
                ScalarKind::Int => "int ",
                ScalarKind::Float => "float ",
                ScalarKind::Bool => "bool ",
                ScalarKind::Null => "null ",
            };
            let repaired = if scalar.repaired.is_some() {
                " repaired"
            } else {
                ""
            };
            format!("{kind}{:?}{repaired}", scalar.text)
        }
    }
}

#[test]
fn values_keep_their_text_and_learn_their_type() {
    for (inner, expected) in [
        ("a: b\n", "a=\"b\""),
        ("version: 1.10\n", "version=float \"1.10\""),
        ("a: 007\n", "a=int \"007\""),
        ("a: 0x1F\n", "a=int \"0x1F\""),
        ("a: 1e3\n", "a=float \"1e3\""),
        ("a: ~\n", "a=null \"~\""),
        ("a:\n", "a=null \"\""),
        ("a: no\nb: true\n", "a=\"no\"; b=bool \"true\""),
        ("a: 2026-01-02\n", "a=\"2026-01-02\""),
        ("a: '1'\nb: \"x\\ty\"\n", "a=\"1\"; b=\"x\\ty\""),
        ("a: 'it''s'\n", "a=\"it's\""),
        ("'a': b\n\"c\": d\n", "a=\"b\"; c=\"d\""),
        (
            "a: >\n  one\n  two\n\n  three\n",
            "a=\"one two\\nthree\\n\"",
        ),
        ("a: |-\n  one\n   two\nb: c\n", "a=\"one\\n two\"; b=\"c\""),
        ("a: |+\n  one\n\n", "a=\"one\\n\\n\""),
        ("a: |2\n   one\n", "a=\" one\\n\""),
        ("a: one\n  two\n\n  three\n", "a=\"one two\\nthree\""),
        ("a:\n  one\n  two\n", "a=\"one two\""),
        ("a: [b, 1, \"c d\"]\n", "a=[\"b\", int \"1\", \"c d\"]"),
        ("a: []\nb: {}\n", "a=[]; b={}"),
        ("a: [b: c]\n", "a=[{b=\"c\"}]"),
        ("a:\n- b\n- c\n", "a=[\"b\", \"c\"]"),
        ("a:\n  - b: c\n    d: e\n", "a=[{b=\"c\"; d=\"e\"}]"),
        ("a:\n  b: c\n  d:\n", "a={b=\"c\"; d=null \"\"}"),
        ("a: b\na: c\n", "a=\"b\"; a=\"c\""),
        ("a: &x b\nc: *x\n", "a=\"b\"; c=\"b\""),
        ("a: &x [b]\nc: *x\nd: e\n", "a=[\"b\"]; c=[\"b\"]; d=\"e\""),
        ("? [a, {b: c}]\n: d\n", "[a, {b: c}]=\"d\""),
        ("{a: b, c: d}\n", "a=\"b\"; c=\"d\""),
        ("a: !!str 2026\nb: !!int \"3\"\n", "a=\"2026\"; b=int \"3\""),
        ("a: !<tag:yaml.org,2002:float> 1\n", "a=float \"1\""),
        ("a: !!seq [b]\nc: !!map {d: e}\n", "a=[\"b\"]; c={d=\"e\"}"),
        ("a: Fix C# code #12\n", "a=\"Fix C# code\""),
        ("a:\tb\n", "a=\"b\""),
        ("----: a\n", "----=\"a\""),
        ("a: b\r\nc: d\r\n", "a=\"b\"; c=\"d\""),
        (
            "a: x\u{85}y\u{2028}z\u{feff}\n",
            "a=\"x\u{85}y\\u{2028}z\\u{feff}\"",
        ),
        ("a: x\ry\n", "a=\"x\\ry\""),
        ("# only a comment\n", ""),
        ("", ""),
        ("{}\n", ""),
        ("a: b\n...\n", "a=\"b\""),
    ] {
        let facts = facts(inner);
        assert_eq!(facts.fault, None, "{inner:?}");
        let expected = expected.replace('\u{85}', "\\u{85}");
        assert_eq!(shown(&facts.fields), expected, "{inner:?}");
    }
}

#[test]
fn an_unquoted_colon_is_the_one_repair() {
    for (inner, expected, colon) in [
        (
            "a: Use when: x\n",
            "a=\"Use when: x\" repaired",
            Span::new(2, 12),
        ),
        ("a: b: c # d\n", "a=\"b: c # d\" repaired", Span::new(2, 5)),
        ("a: it's: so\n", "a=\"it's: so\" repaired", Span::new(2, 8)),
        (
            "a: ends:\nb: c\n",
            "a=\"ends:\" repaired; b=\"c\"",
            Span::new(2, 8),
        ),
        (
            "a:\n  one\n  t\u{e9}n: x\n",
            "a=\"one t\u{e9}n: x\" repaired",
            Span::new(4, 6),
        ),
        (
            "a: one\n  two: x\r\n\r\n  y\r\n",
            "a=\"one two: x\\ny\" repaired",
            Span::new(3, 6),
        ),
        (
            "m:\n  k: v: w\n",
            "m={k=\"v: w\" repaired}",
            Span::new(3, 7),
        ),
        (
            "m:\n  - k: v: w\n",
            "m=[{k=\"v: w\" repaired}]",
            Span::new(3, 9),
        ),
        (
            "a: 1: 2\nb: 7 # x: y\n",
            "a=\"1: 2\" repaired; b=int \"7\"",
            Span::new(2, 5),
        ),
    ] {
        let facts = facts(inner);
        assert_eq!(facts.fault, None, "{inner:?}");
        assert_eq!(shown(&facts.fields), expected, "{inner:?}");
        assert_eq!(
            first_repair(&facts.fields),
            Some(colon.with_length(1)),
            "{inner:?}"
        );
    }
}

fn first_repair(fields: &[Field]) -> Option<Span> {
    fields.iter().find_map(|field| repair_in(&field.value))
}

fn repair_in(value: &Value) -> Option<Span> {
    match &value.content {
        Content::Scalar(scalar) => scalar.repaired,
        Content::Sequence(values) => values.iter().find_map(repair_in),
        Content::Mapping(fields) => first_repair(fields),
    }
}

#[test]
fn what_is_no_yaml_is_a_fault_with_its_place() {
    for (inner, rule, line, column) in [
        ("a: `b`\n", Rule::YamlInvalid, 2, 4),
        ("a: @b\n", Rule::YamlInvalid, 2, 4),
        ("a: x: y\nb: `c`\n", Rule::YamlInvalid, 3, 4),
        ("a: x: y\nb: \u{e9}: `\nc: `\n", Rule::YamlInvalid, 4, 4),
        ("a: 'b\n", Rule::YamlInvalid, 2, 4),
        ("a: \"b\\q\"\n", Rule::YamlInvalid, 2, 6),
        ("a: \"b\\Users\"\n", Rule::YamlInvalid, 2, 6),
        ("a: ? b\n", Rule::YamlInvalid, 2, 4),
        ("a: !!str\"b\"\n", Rule::YamlInvalid, 2, 9),
        ("a: !<b\n", Rule::YamlInvalid, 2, 7),
        ("a: [b\n", Rule::YamlInvalid, 2, 4),
        ("a: {b\n", Rule::YamlInvalid, 2, 4),
        ("a: b\n<!-- c -->\nd: e\n", Rule::YamlInvalid, 3, 1),
        ("a:\n\t- b\n", Rule::YamlInvalid, 3, 1),
        ("a: *b\n", Rule::YamlInvalid, 2, 4),
        ("a: b\n--- c\n", Rule::YamlInvalid, 2, 1),
        ("%TAG !! x\n", Rule::YamlInvalid, 2, 1),
        ("%YAML 1.2\n", Rule::YamlInvalid, 2, 1),
        ("a: !!int b\n", Rule::YamlInvalid, 2, 4),
        ("a: \u{1b}[1m\n", Rule::YamlControlCharacter, 2, 4),
        ("a: \u{e9}\u{9b}\n", Rule::YamlControlCharacter, 2, 5),
        ("a: \u{7f}\n", Rule::YamlControlCharacter, 2, 4),
        ("a: !mine b\n", Rule::YamlTag, 2, 4),
        ("a: !!binary aGk=\n", Rule::YamlTag, 2, 4),
        ("a:\n  b: !!timestamp 2026-01-02\n", Rule::YamlTag, 3, 6),
        ("a: !!set {b, c}\n", Rule::YamlTag, 2, 4),
        ("a: [b, !x c]\n", Rule::YamlTag, 2, 8),
        ("!!omap a: b\n", Rule::YamlTag, 2, 1),
        ("a: ! b\n", Rule::YamlTag, 2, 4),
        ("a: !e!x b\n", Rule::YamlTag, 2, 4),
        ("a: &x !!binary b\n", Rule::YamlTag, 2, 7),
        ("a: &x b\nc: &x d\ne: *x\n", Rule::YamlAliases, 3, 4),
        ("a: &x [*x]\n", Rule::YamlAliases, 2, 8),
        ("- a\n", Rule::NotAMapping, 2, 3),
        ("just text\n", Rule::NotAMapping, 2, 1),
    ] {
        let facts = facts(inner);
        let fault = facts.fault.expect(inner);
        let found = (fault.rule, fault.span.line, fault.span.column);
        assert_eq!(found, (rule, line, column), "{inner:?}: {}", fault.message);
        assert!(fault.help.is_some(), "{inner:?}: {}", fault.message);
        assert!(
            facts.fields.is_empty() || rule == Rule::YamlTag,
            "{inner:?}"
        );
    }
}

#[test]
fn a_windows_path_between_double_quotes_is_told_in_our_words() {
    let fault = facts("a: \"C:\\Users\"\n").fault.unwrap();

    assert_eq!(
        fault.message,
        "between double quotes, `\\U` is an escape that lacks its 8 hexadecimal digits"
    );
    assert_eq!(
        fault.help.as_deref(),
        Some("use single quotes: a: 'C:\\Users'")
    );
}

#[test]
fn a_heading_between_blank_lines_tells_that_the_frontmatter_closes_too_late() {
    let head = "---\nname: b\ndescription: Does a thing.\n";
    let late = |inner: &str| {
        let file = format!("{head}{inner}---\n\nMore.\n");
        let facts = read(file.as_bytes(), &Limits::DEFAULT);
        let places = [facts.fault, facts.closed_late].map(|found| {
            let found = found?;
            Some((found.rule, found.span.line, found.span.length))
        });
        places.map(|place| place.filter(|(rule, ..)| *rule == Rule::FrontmatterUnclosed))
    };
    let at_heading = Some((Rule::FrontmatterUnclosed, 5, 7));

    for (inner, fault, closed_late) in [
        ("\n# Title\n\n## Steps\n\n", None, at_heading),
        ("\n# Title\n\nDo: it.\n\n", None, at_heading),
        ("\n# Title\r\n\r\n", None, at_heading),
        ("\n# Title\n\nDo it now.\n\n", at_heading, None),
        ("\n# Title\n\nlicense: MIT\n", None, None),
        ("\n# Title\nauthor: me\n", None, None),
        ("# Title\n\nauthor: me\n", None, None),
        ("\n#Title\n\n", None, None),
        ("metadata:\n\n  # Title\n\n  a: b\n", None, None),
    ] {
        assert_eq!(late(inner), [fault, closed_late], "{inner:?}");
    }
}

/// What other systems judge, as the facts that their judgement rests on: coder
/// (CF) and Albedo (AF).
#[test]
fn facts_are_enough_for_the_rules_of_other_systems() {
    for (row, inner, expected) in [
        (
            "CF3",
            "d: >\n  one\n  two\n\n  three\n",
            "d=\"one two\\nthree\\n\"",
        ),
        (
            "CF5",
            "a: 123\nb: true\nc: null\nd:\n",
            "a=int \"123\"; b=bool \"true\"; c=null \"null\"; d=null \"\"",
        ),
        (
            "CF5",
            "a: 2024-01-01\nb: 1e3\n",
            "a=\"2024-01-01\"; b=float \"1e3\"",
        ),
        ("CF6", "name: yes\n", "name=\"yes\""),
        ("CF7", "name: ''\n", "name=\"\""),
        ("CF8", "d: 1.5\ne: [x]\n", "d=float \"1.5\"; e=[\"x\"]"),
        (
            "CF9",
            "d: Use mode: careful\n",
            "d=\"Use mode: careful\" repaired",
        ),
        ("CF10", "name: a\nname: b\n", "name=\"a\"; name=\"b\""),
        ("CF11", "Name: a\n", "Name=\"a\""),
        ("CF12", "d: Build # test\n", "d=\"Build\""),
        ("CF14", "name: \"a \"\n", "name=\"a \""),
        ("CF15", "name: \"a\\n\"\n", "name=\"a\\n\""),
        ("AF12", "a: !!str x\n", "a=\"x\""),
        ("AF13", "a: &n b\nc: *n\n", "a=\"b\"; c=\"b\""),
        ("AF14", "", ""),
        ("AF14", "# c\n", ""),
        ("AF23", "d: |\n  x\n  ---\n  y\n", "d=\"x\\n---\\ny\\n\""),
        ("AF25", "name: [de, mo]\n", "name=[\"de\", \"mo\"]"),
        ("AF27", "name: {a: b}\n", "name={a=\"b\"}"),
    ] {
        let facts = facts(inner);
        assert_eq!(facts.fault, None, "{row}");
        assert_eq!(shown(&facts.fields), expected, "{row}");
    }
    let tagged = facts("a: !!python/x b\nc: &d !!str e\nf: *d\n");
    assert_eq!(shown(&tagged.fields), "a=\"b\"; c=\"e\"; f=\"e\"", "CF16");
    assert_eq!(
        tagged.fault.map(|fault| fault.rule),
        Some(Rule::YamlTag),
        "CF16"
    );
    let places = [
        Span::new(2, 4).with_length(10),
        Span::new(3, 7).with_length(5),
    ];
    assert_eq!(tagged.tags, places, "CF16");
    assert_eq!(tagged.aliases, [Span::new(4, 4).with_length(2)], "CF16");
}

#[test]
fn a_tag_is_a_tag_only_where_a_value_begins() {
    for inner in [
        "a: b !mine\n",
        "a: '!mine'\n",
        "a: \"x\n  !mine\"\n",
        "a: |\n  !mine\n",
        "a: b # !mine\n",
        "a: b\n  !mine\n",
        "# !mine\na: b\n",
        "a: see: !mine\n",
    ] {
        assert_eq!(facts(inner).fault, None, "{inner:?}");
    }
}

#[test]
fn fences_are_lines_of_three_dashes() {
    use Rule::{
        ByteOrderMark, FrontmatterMissing as Missing, FrontmatterNotFirst as NotFirst,
        FrontmatterUnclosed as Unclosed, LoneCarriageReturn, NotText,
    };
    for (file, expected) in [
        ("---\na: b\n---\n", Ok(13)),
        ("---\na: b\n---", Ok(12)),
        ("---\r\na: b\r\n---\r\nx", Ok(16)),
        ("--- \t\na: b\n--- \r\nx", Ok(17)),
        ("---\n---\n", Ok(8)),
        ("\u{feff}---\na: b\n---\n", Ok(16)),
        ("---\na: |\n  ---\n---\n", Ok(19)),
        ("", Err((Missing, 1, "empty"))),
        ("\n \n", Err((Missing, 1, "empty"))),
        ("---", Err((Unclosed, 1, "no `---`"))),
        ("---\na: b\n", Err((Unclosed, 1, "no `---`"))),
        ("---\na: b\n...\nx\n", Err((Unclosed, 3, "`...`"))),
        ("---\na: b\n----\n", Err((Unclosed, 3, "more than three"))),
        ("---\na: b\n---x\n", Err((Unclosed, 3, "text after"))),
        ("---\na: b\n ---\n", Err((Unclosed, 3, "blanks before"))),
        ("----\na: b\n----\n", Err((Missing, 1, "more than three"))),
        ("---json\n{}\n---\n", Err((Missing, 1, "text after"))),
        ("---\u{b}\na: b\n---\n", Err((Missing, 1, "text after"))),
        (" ---\na: b\n---\n", Err((Missing, 1, "blanks before"))),
        ("+++\na = 1\n+++\n", Err((Missing, 1, "TOML"))),
        ("\u{2014}\na: b\n---\n", Err((Missing, 1, "long dashes"))),
        (
            "# Title\n\ntext\n---\nmore\n",
            Err((Missing, 1, "does not begin")),
        ),
        ("\n---\na: b\n---\n", Err((NotFirst, 2, "blank line"))),
        ("x\n---\nname: b\n---\n", Err((NotFirst, 2, "text"))),
        (
            "<!-- x -->\n---\nname: b\n---\n",
            Err((NotFirst, 2, "HTML")),
        ),
        ("---\ra: b\r---\rx", Err((LoneCarriageReturn, 1, "lone"))),
        (
            "\u{feff}\u{feff}---\n---\n",
            Err((ByteOrderMark, 1, "more than one")),
        ),
        ("\0x\n", Err((NotText, 1, "NUL"))),
        ("-\0-\0-\0\n\0", Err((NotText, 1, "UTF-16"))),
        ("---\na: \0\n---\n", Err((NotText, 2, "NUL"))),
    ] {
        let facts = read(file.as_bytes(), &Limits::DEFAULT);
        match (facts.fault, expected) {
            (None, Ok(body)) => assert_eq!(facts.body, body, "{file:?}"),
            (Some(fault), Err((rule, line, words))) => {
                assert_eq!((fault.rule, fault.span.line), (rule, line), "{file:?}");
                assert!(fault.message.contains(words), "{file:?}: {}", fault.message);
            }
            (fault, _) => panic!("{file:?}: {fault:?}"),
        }
    }
    let utf16 = read(b"\xff\xfe-\0-\0-\0", &Limits::DEFAULT).fault;
    assert_eq!(utf16.map(|fault| fault.rule), Some(NotText));
    let binary = read(&[0xa5; 64], &Limits::DEFAULT).fault;
    assert_eq!(binary.map(|fault| fault.rule), Some(NotText));
}

#[test]
fn blanks_marks_and_line_ends_are_noted() {
    let facts = read(
        b"\xef\xbb\xbf--- \r\na: b\n---\t\t\nx\ry\xff\0",
        &Limits::DEFAULT,
    );

    let blanks = |fence: Option<Fence>| fence.and_then(|fence| fence.blanks);
    assert!(facts.byte_order_mark);
    assert_eq!(blanks(facts.opening), Some(Span::new(1, 5).with_length(1)));
    assert_eq!(blanks(facts.closing), Some(Span::new(3, 4).with_length(2)));
    assert!(facts.line_ends.lf && facts.line_ends.crlf);
    let body = |line, column| {
        Some(Place {
            span: Span::new(line, column),
            in_body: true,
        })
    };
    assert_eq!(facts.line_ends.lone_cr, body(4, 2));
    assert_eq!(facts.invalid_utf8, body(4, 4));
    assert_eq!(facts.nul, body(4, 5));
}

#[test]
fn places_are_those_of_the_file() {
    let inner = "name: \"\u{e9}x\"\n'd e':   \u{e9}a b  # c\nm:\n  k: |-  # x\n    t\n  l: [1,\n    *z]\nw:\n  one\n  two\ne:\n";
    let facts = facts(&inner.replace("*z", "z"));
    let spans: Vec<_> = facts
        .fields
        .iter()
        .flat_map(|field| [field.key_span, field.value.span])
        .map(|span| (span.line, span.column, span.length))
        .collect();

    assert_eq!(
        spans,
        [
            (2, 1, 4),
            (2, 7, 4),
            (3, 1, 5),
            (3, 10, 4),
            (4, 1, 1),
            (5, 3, 1),
            (9, 1, 1),
            (10, 3, 3),
            (12, 1, 1),
            (12, 3, 0),
        ]
    );
}

#[test]
fn bounds_hold_to_the_byte() {
    let limits = Limits::DEFAULT;
    let filler = |total: usize| {
        let text = "x".repeat(total - "---\na: \n---\n".len());
        format!("---\na: {text}\n---\nbody")
    };

    assert_eq!(read(filler(65_536).as_bytes(), &limits).fault, None);
    let over = read(filler(65_537).as_bytes(), &limits).fault;
    assert_eq!(
        over.map(|fault| fault.rule),
        Some(Rule::FrontmatterTooLarge)
    );
    let deep = |levels: usize| format!("a: {}{}\n", "[".repeat(levels), "]".repeat(levels));
    assert_eq!(facts(&deep(63)).fault, None);
    assert_eq!(
        facts(&deep(64)).fault.map(|fault| fault.rule),
        Some(Rule::YamlDepth)
    );
    let own = Limits {
        yaml_depth: 10_000,
        ..limits
    };
    let rule = |levels| {
        let file = fenced(&deep(levels));
        read(file.as_bytes(), &own).fault.map(|fault| fault.rule)
    };
    assert_eq!(rule(127), None, "the library's own bound is 128");
    assert_eq!(rule(5_000), Some(Rule::YamlDepth));
}

/// How many values there are, keys among them.
fn values(content: &Content) -> usize {
    1 + match content {
        Content::Scalar(_) => 0,
        Content::Sequence(items) => items.iter().map(|item| values(&item.content)).sum(),
        Content::Mapping(entries) => {
            let entries = entries.iter();
            entries.map(|entry| 1 + values(&entry.value.content)).sum()
        }
    }
}

#[test]
fn the_bound_on_values_holds_to_the_value() {
    for inner in [
        "a: b\n",
        "a:\nb:\n",
        "a:\n- b\n-\n- - c\n  - d\n",
        "a:\n-\n-\n-\n",
        "a: [b, [], {}, {c}, {d: e, f: }, 'g', \"h\"]\n",
        "a: [[[b],],]\n",
        "? a\n: b\n? c\n",
        "? \n: \n",
        "a: {? b : c, ? d}\n",
        "a: &b [c, d]\ne: *b\nf: [*b, *b]\n",
        "a: &b\nc: !!str\nd: |\n  e\n  - f\n",
        "a: b: c\nd:\n  e: f: g\n",
        "a: b,c\nd: {e: f,g: h}\n",
    ] {
        let file = fenced(inner);
        let all = facts(inner);
        assert_eq!(all.fault, None, "{inner:?}");
        let count = values(&Content::Mapping(all.fields));
        let rule = |yaml_values| {
            let limits = Limits {
                yaml_values,
                ..Limits::DEFAULT
            };
            read(file.as_bytes(), &limits).fault.map(|fault| fault.rule)
        };

        assert_eq!(rule(count), None, "{inner:?}");
        let over = if inner.contains('*') {
            Rule::YamlAliases
        } else {
            Rule::YamlValues
        };
        assert_eq!(rule(count - 1), Some(over), "{inner:?}");
    }
}

#[test]
fn too_many_values_are_told_at_the_first_that_is_one_too_many() {
    let limits = Limits {
        yaml_values: 4,
        ..Limits::DEFAULT
    };
    let fault = read(b"---\na: b\nc: d\n---\n", &limits).fault.unwrap();

    let place = (fault.span.line, fault.span.column);
    assert_eq!((fault.rule, place), (Rule::YamlValues, (3, 4)));
    assert_eq!(
        fault.message,
        "the frontmatter has more than 4 values, and none is read"
    );
    assert_eq!(
        fault.help.as_deref(),
        Some("keep what a skill works with in a file beside SKILL.md, and name it in the body")
    );
}

/// An alias bomb of ten levels, ten aliases each.
fn alias_bomb() -> String {
    let level = |level: usize| {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        format!("a{level}: &a{level} [{aliases}]\n")
    };
    let levels: String = (1..10).map(level).collect();
    format!("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n{levels}")
}

#[test]
fn bombs_are_refused_at_once() {
    let texts = format!(
        "a: &a {}\nb: [{}]\n",
        "x".repeat(30_000),
        "*a, ".repeat(2_000)
    );
    let nested = |levels: usize| -> String {
        (0..levels)
            .map(|level| " ".repeat(level) + "a:\n")
            .collect()
    };
    for (text, rule) in [
        (alias_bomb(), Rule::YamlAliases),
        (texts, Rule::YamlAliases),
        (
            format!("a: {}", "[".repeat(100_000)),
            Rule::FrontmatterTooLarge,
        ),
        (format!("a: {}\n", "[".repeat(60_000)), Rule::YamlDepth),
        (format!("a:\n{}\n", "- ".repeat(30_000)), Rule::YamlDepth),
        (format!("{}\n", "? ".repeat(30_000)), Rule::YamlDepth),
        (format!("a: {}\n", "{a: ".repeat(15_000)), Rule::YamlDepth),
        (nested(2_000), Rule::FrontmatterTooLarge),
        (nested(340), Rule::YamlDepth),
        ("x".repeat(1 << 20), Rule::FrontmatterTooLarge),
        (format!("a: [{}]\n", "[],".repeat(20_000)), Rule::YamlValues),
        (
            format!("a: {{{}}}\n", "b,".repeat(30_000)),
            Rule::YamlValues,
        ),
        (format!("a:\n{}", "-\n".repeat(30_000)), Rule::YamlValues),
        ("? \n".repeat(20_000), Rule::YamlValues),
        (":\n".repeat(30_000), Rule::YamlValues),
        ("a:\n".repeat(20_000), Rule::YamlValues),
        (
            format!(
                "a: [{}]\n",
                format!("{}{},", "[".repeat(60), "]".repeat(60)).repeat(500)
            ),
            Rule::YamlValues,
        ),
    ] {
        let file = fenced(&text);
        let start = &text[..20];
        let in_time = || {
            let began = Instant::now();
            let facts = read(file.as_bytes(), &Limits::DEFAULT);
            let took = began.elapsed();
            assert_eq!(facts.fault.map(|fault| fault.rule), Some(rule), "{start}");
            took < Duration::from_millis(50)
        };
        // Another program may have the processor, but not every time.
        assert!((0..20).any(|_| in_time()), "{start}");
    }
}

#[test]
fn the_worst_texts_within_the_bounds_are_read_in_time() {
    let anchors = (0..4_095).map(|i| format!("a: &{i:x}\n"));
    let anchors = anchors.collect::<Vec<_>>().concat();
    let aliases = (0..1_600).map(|i| format!("a: &{i:x} b\nc: *{i:x}\n"));
    let aliases = aliases.collect::<Vec<_>>().concat();
    let wide = format!("x{}{}", " ".repeat(30_000), "b ".repeat(16_000));
    for text in [
        format!("a: [{}]\n", "[],".repeat(8_188)),
        format!("a: {{{}}}\n", "b,".repeat(4_094)),
        "a: b: c\n".repeat(4_095),
        format!("a: \"{}\"\n", "\\x41".repeat(15_000)),
        format!("a: \t{wide}\n"),
        format!("a: c: {wide}\n"),
        format!("a: x{}{}\n", "\n".repeat(20_000), "\n\n  b".repeat(9_000)),
        format!(
            "a: >\n{}{}  \n",
            "\n".repeat(20_000),
            "  b\n\n".repeat(9_000)
        ),
        format!(
            "a: \u{2028}{}\n",
            ('\u{e000}'..='\u{f8ff}').collect::<String>()
        ),
        anchors,
        "a:\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n".repeat(3_500),
        aliases,
    ] {
        let file = fenced(&text);
        let start: String = text.chars().take(20).collect();
        let time = || {
            let began = Instant::now();
            let facts = read(file.as_bytes(), &Limits::DEFAULT);
            let took = began.elapsed();
            assert_eq!(facts.fault, None, "{start}");
            took
        };
        // Without optimisation, on a busy machine; a quadratic step would take
        // far longer, each time.
        let is_quick = (0..5).any(|_| time() < Duration::from_secs(2));
        assert!(is_quick, "{start}");
    }
}

/// A small generator of the xorshift kind; a seed gives the same inputs each
/// time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % sides
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.roll(from.len())]
    }
}

/// How many of [`PIECES`] are what most people write.
const COMMON: usize = 16;

const PIECES: &[&str] = &[
    "name: demo\n",
    "description: Does a thing. Use when asked.\n",
    "description: >-\n  one\n  two\n\n  three\n",
    "description: |\n  one\n   two\n\n",
    "metadata:\n  version: 1.10\n  author: \"x y\"\n",
    "allowed-tools: [Read, \"Bash(x)\"]\n",
    "allowed-tools:\n  - Read\n  - Bash\n",
    "tags:\n- a\n- b\n",
    "license: 'MIT'\n",
    "a: b: c\n",
    "a: one\n  two\n\n  three\n",
    "a:\n  one\n  two: x\n",
    "# comment\n",
    "\n",
    "  # comment\n",
    "a: &x y\n",
    "b: *x\n",
    "a: {b: c, d: [e]}\n",
    "a: {b, 'c''d', \"e\\tf\": g, h: }\n",
    "a: {? b, *x : c, d: , \"e\\tf\"}\n",
    "a: &x\nb: *x\nc: |\n  *x\n",
    "- - a\n  - b: \"c\\nd\"\n",
    "a: !<tag:yaml.org,2002:str> |-\n  x\n",
    "a: !!str 1\n",
    "a: !mine b\n",
    "a: \"x\\ny\"\n",
    "a: 'it''s'\n",
    "? k\n: v\n",
    "a: |2-\n   x\n",
    "a: >+\n\n  x\n\n\n",
    "e:\n",
    "m:\n  k:\n  l: ~\n",
    "a: x # y\n",
    "a: \"x\n  y\"\n",
    "a: [b,\n  c]\n",
    "- a\n",
    "a: 0x1F\n",
    "a: 1e3\n",
    "a: +.5\n",
    "a: -0b1\n",
    "a: .inf\n",
    "a: 00\n",
];
const SNIPS: &[&str] = &[
    " ",
    "  ",
    "\n",
    "\r\n",
    "\r",
    "\t",
    ":",
    ": ",
    "#",
    " #",
    "-",
    "- ",
    "'",
    "\"",
    "[",
    "]",
    "{",
    "}",
    ",",
    ", ",
    "|",
    ">",
    "+",
    "2",
    "&x ",
    "*x",
    "!",
    "!!str ",
    "?",
    "? ",
    "%",
    "@",
    "`",
    "\\",
    "~",
    "null",
    "true",
    "0",
    ".",
    "a",
    "\u{e9}",
    "\u{2028}",
    "\u{85}",
    "\u{feff}",
    "---",
    "...",
    "\n  ",
    "\n\n",
    "1",
    "e",
    "x",
    "0x",
    "0o7",
    "nan",
    "\u{1f600}",
];

/// Returns the last boundary of a character at or before a byte.
fn boundary(text: &str, byte: usize) -> usize {
    (0..=byte)
        .rfind(|&at| text.is_char_boundary(at))
        .unwrap_or(0)
}

/// Makes a frontmatter out of likely pieces, some of it then broken.
fn concoct(dice: &mut Dice) -> String {
    let pieces = if dice.roll(2) == 0 {
        &PIECES[..COMMON]
    } else {
        PIECES
    };
    let mut text: String = (0..=dice.roll(5)).map(|_| dice.pick(pieces)).collect();
    for _ in 0..dice.roll(5) {
        let at = boundary(&text, dice.roll(text.len() + 1));
        match dice.roll(4) {
            0 | 1 => text.insert_str(at, dice.pick(SNIPS)),
            2 if at < text.len() => {
                text.remove(at);
            }
            _ => {
                let end = boundary(&text, (at + dice.roll(6)).min(text.len()));
                if at < end {
                    text.replace_range(at..end, dice.pick(SNIPS));
                }
            }
        }
    }
    if dice.roll(8) == 0 {
        text = text.replace('\n', "\r\n");
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Holds the fast reader against the library for one text; whether it read it.
fn compare(text: &str) -> bool {
    let limits = Limits::DEFAULT;
    let Some(fast) = fast::read(text, &limits) else {
        return false;
    };
    let fast = Parsed {
        fields: fast,
        ..Parsed::default()
    };
    assert_eq!(Ok(fast), slow(text, &limits), "{text:?}");
    true
}

/// Checks that each value stands where its span says.
fn check_places(text: &str, fields: &[Field]) {
    let lines: Vec<&str> = text.split('\n').collect();
    let at = |span: Span| -> String {
        let line = lines
            .get(span.line as usize - 2)
            .copied()
            .unwrap_or_default();
        line.chars()
            .skip(span.column as usize - 1)
            .take(span.length as usize)
            .collect()
    };
    for field in fields {
        check_place(text, &field.value, &at);
        let written = at(field.key_span);
        // Quoted keys, and keys that are no scalar, may be written otherwise.
        let simple = |c: char| c.is_ascii_lowercase() || c == '-';
        if !field.key.is_empty() && field.key.chars().all(simple) && written.starts_with(simple) {
            assert_eq!(written, field.key, "{text:?}");
        }
    }
}

fn check_place(text: &str, value: &Value, at: &impl Fn(Span) -> String) {
    let written = at(value.span);
    match &value.content {
        Content::Mapping(fields) => check_places(text, fields),
        Content::Sequence(values) => values.iter().for_each(|value| check_place(text, value, at)),
        Content::Scalar(scalar) => match scalar.style {
            None => assert!(written.starts_with('*'), "{text:?}"),
            Some(Style::Single) => assert!(written.starts_with('\''), "{text:?}"),
            Some(Style::Double) => assert!(written.starts_with('"'), "{text:?}"),
            Some(Style::Literal) => assert!(written.starts_with('|'), "{text:?}"),
            Some(Style::Folded) => assert!(written.starts_with('>'), "{text:?}"),
            Some(Style::Plain) => {
                let shown = scalar.text.starts_with(&written);
                assert!(
                    shown && written.is_empty() == scalar.text.is_empty(),
                    "{text:?} {scalar:?}"
                );
            }
        },
    }
}

/// How many inputs of the seeded loops are tried; the variable is for a longer
/// run by hand.
#[allow(
    clippy::disallowed_methods,
    reason = "how long the loops run is no part of what they test"
)]
fn rounds() -> usize {
    let asked = std::env::var("FRONTMATTER_ROUNDS").ok();
    asked
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(20_000)
}

#[test]
fn the_fast_reader_never_differs_from_the_library() {
    let mut dice = Dice(0x5eed_0001);
    let rounds = rounds();

    let read_fast = (0..rounds).filter(|_| compare(&concoct(&mut dice))).count();

    assert!(
        read_fast * 10 > rounds,
        "only {read_fast} of {rounds} were read"
    );
}

#[test]
fn no_mutation_makes_the_reader_panic_or_lose_its_place() {
    let mut dice = Dice(0x5eed_0002);
    for _ in 0..rounds() {
        let text = concoct(&mut dice);
        let mut file = fenced(&text).into_bytes();
        if dice.roll(4) == 0 {
            let at = dice.roll(file.len());
            file[at] = u8::try_from(dice.roll(256)).unwrap_or(0);
        }
        let facts = read(&file, &Limits::DEFAULT);
        assert!(facts.body <= file.len());
        if let Ok(parsed) = slow(&text, &Limits::DEFAULT) {
            check_places(&text, &parsed.fields);
        }
    }
}

/// Returns the text of the only field of a frontmatter.
fn only_text(inner: &str) -> Option<String> {
    let facts = facts(inner);
    let scalar = facts.fields.first()?.value.scalar()?.clone();
    (facts.fault.is_none() && facts.fields.len() == 1).then_some(scalar.text)
}

proptest! {
    #[test]
    fn quoted_text_is_read_whole(text in any::<String>()) {
        // JSON leaves these as they are, and YAML forbids them.
        let text = text.replace(places::is_forbidden, "");
        let double = serde_json::to_string(&text).unwrap_or_default();
        prop_assert_eq!(only_text(&format!("a: {double}\n")), Some(text.clone()));

        let line = text.replace(['\n', '\t', '\r'], "");
        let single = line.replace('\'', "''");
        prop_assert_eq!(only_text(&format!("a: '{single}'\n")), Some(line));
    }

    #[test]
    fn a_literal_block_is_read_whole(lines in prop::collection::vec("[!-~][ -~]{0,9}|", 1..6)) {
        let text = format!("x\n{}\nx", lines.join("\n"));
        let block: String = text.lines().map(|line| format!("  {line}\n")).collect::<Vec<_>>().concat();
        prop_assert_eq!(only_text(&format!("a: |-\n{block}")), Some(text));
    }

    #[test]
    fn an_unquoted_value_with_a_colon_is_read_whole(words in prop::collection::vec("[a-z'\"#{}*&!]{1,6}:?", 1..8)) {
        let text = format!("one two: {}", words.join(" "));
        prop_assert_eq!(only_text(&format!("a: {text}\n")), Some(text.clone()));
        let wrapped = text.replace(' ', "\n  ");
        prop_assume!(words.iter().all(|word| !word.starts_with('#')));
        prop_assert_eq!(only_text(&format!("a: {wrapped}\n")), Some(text));
    }

    #[test]
    fn any_bytes_have_facts(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut file = b"---\n".to_vec();
        file.extend(&bytes);
        file.extend(b"\n---\n");
        let facts = read(&file, &Limits::DEFAULT);
        prop_assert!(facts.body <= file.len());
        let _ = read(&bytes, &Limits::DEFAULT);
    }

    #[test]
    fn fields_of_words_are_read_alike(text in "([a-z]{1,3}:( [^\\n]{0,12})?\\n( {0,4}[^\\n]{0,8}\\n){0,2}){0,4}") {
        compare(&text);
    }
}
