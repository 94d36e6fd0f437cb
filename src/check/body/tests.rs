use super::*;

use std::fs;

use proptest::prelude::*;
use tempfile::TempDir;

use crate::diagnostic::Severity;
use crate::skill::frontmatter;

const HEAD: &str = "---\nname: x\ndescription: d\n---\n";

/// A skill's folder with some files in it.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for file in [
        "references/guide.md",
        "references/two words.md",
        "references/c#.md",
        "scripts/run.sh",
        "LICENSE.txt",
    ] {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, "").expect("a file");
    }
    folder
}

/// Each finding as `line:column+length severity[rule]: message | help`; lines
/// count from the first of the body.
fn said(folder: &TempDir, body: impl AsRef<[u8]>) -> Vec<String> {
    let bytes = [HEAD.as_bytes(), body.as_ref()].concat();
    let file = folder.path().join("SKILL.md");
    let facts = frontmatter::read(&bytes, &Limits::DEFAULT);
    findings(&file, &bytes, &facts, &Limits::DEFAULT)
        .into_iter()
        .map(|found| {
            format!(
                "{}:{}+{} {}[{}]: {} | {}",
                i64::from(found.span.line) - 4,
                found.span.column,
                found.span.length,
                found.severity,
                found.rule,
                found.message,
                found.help.unwrap_or_default()
            )
        })
        .collect()
}

#[test]
fn links_that_resolve_and_what_is_no_file_say_nothing() {
    let folder = folder();

    for body in [
        "[a](references/guide.md)",
        "[a](./references/guide.md#part) and ![b](scripts/run.sh?x=1)",
        "[a](references/two%20words.md) [b](<references/two words.md>)",
        "[a](references/c#.md)",
        "[a](references/) and [b](references)",
        "[a](scripts/../LICENSE.txt)",
        "[a]({baseDir}/scripts/run.sh)",
        "[a](https://example.invalid/none.md) [b](mailto:a@b.invalid) [c](#below) [d](//host/x)",
        "<https://example.invalid/none> <a@b.invalid>",
        "[a]($HOME/x.md) [b](references/*.md) [c](<references/NAME>/x.md) [d](references/{n}.md)",
        "[a][r]\n\n[r]: references/guide.md 'Title'",
        "```sh\ncat [a](none.md) `scripts/none.sh`\n```",
        "    [a](none.md)\n",
        "<!-- [a](none.md) and `scripts/none.sh` -->",
        "<!--\n[a](none.md)\n-->\n\nText.",
        "Text[^1]\n\n[^1]: none.md",
        "`scripts/run.sh` and `scripts/run.sh --fast none.md` and `{baseDir}/scripts/run.sh`",
        "`npm run build`, `src/main.rs`, `and/or`, `cp scripts/none.sh .`",
        "`scripts/<name>.sh`, `references/*.md`, `scripts/...`, `references/x: y`",
        "[a](path/to/file.md) [b](references/YOUR_FILE) [c](references/your-topic.md)",
        "`scripts/NNN-step.sh` and `scripts/foo.sh` and `references/XXX.md`",
        "<a href=\"references/guide.md\">x</a> <img src='https://x.invalid/y.png'>",
        "```html\n<a href=none.md>\n```\n\n<!-- <img src=none.png> -->",
        "`<a href=none.md>` <abbr href=none.md>x</abbr>",
        "A code span of two backticks: ``references/guide.md``",
    ] {
        assert_eq!(said(&folder, body), [""; 0], "{body}");
    }
}

#[test]
fn links_that_do_not_resolve_say_where_and_what_to_write() {
    let folder = folder();
    let add = "paths are relative to the skill's folder: add the file, or mend the path";
    let put = "put the file into the skill's folder, and name it from there";

    for (body, wanted) in [
        (
            "See [a](none.md).",
            format!("1:9+7 warning[link-broken]: `none.md` is not there | {add}"),
        ),
        (
            "See ![a](references/guid.md#top 'title').",
            "1:10+22 warning[link-broken]: `references/guid.md#top` is not there | did you mean `references/guide.md`?".to_owned(),
        ),
        (
            "See <a href=\"zz.md\">it</a>.",
            format!("1:14+5 warning[link-broken]: `zz.md` is not there | {add}"),
        ),
        (
            "<p>\n  <img alt='x'\n    src='zz.png'>\n</p>",
            format!("3:10+6 warning[link-broken]: `zz.png` is not there | {add}"),
        ),
        (
            "[![a](https://x.invalid/y.png)](zz.md)",
            format!("1:33+5 warning[link-broken]: `zz.md` is not there | {add}"),
        ),
        (
            "Use [a][r].\n\n[r]: zz.md",
            format!("3:6+5 warning[link-broken]: `zz.md` is not there | {add}"),
        ),
        (
            "\u{e9}\u{e9} [a](zz.md)",
            format!("1:8+5 warning[link-broken]: `zz.md` is not there | {add}"),
        ),
        (
            "[a](zz\\_y.md)",
            format!("1:1+13 warning[link-broken]: `zz_y.md` is not there | {add}"),
        ),
        (
            "[a](www.example.invalid)",
            "1:5+19 warning[link-broken]: `www.example.invalid` is not there | write `https://www.example.invalid`".to_owned(),
        ),
        (
            "[text](zzz)",
            format!("1:8+3 note[link-broken]: `zzz` is not there | {add}"),
        ),
        (
            "| a |\n|---|\n| [x](zz.md) |",
            format!("3:7+5 warning[link-broken]: `zz.md` is not there | {add}"),
        ),
        (
            "Run `scripts/zzz.sh`.",
            format!("1:6+14 warning[link-broken]: `scripts/zzz.sh` is not there | {add}"),
        ),
        (
            "Run ` ./scripts/zzz.sh --now `.",
            format!("1:7+22 warning[link-broken]: `./scripts/zzz.sh --now` is not there | {add}"),
        ),
        (
            "[a](References/GUIDE.md)",
            "1:5+19 warning[link-case]: `References/GUIDE.md` is not there; `references/guide.md` is, and most systems tell them apart | write `references/guide.md`".to_owned(),
        ),
        (
            "[a](references\\guide.md)",
            "1:5+19 warning[link-backslash]: `references\\guide.md` has backslashes, which part folders on Windows alone | write `references/guide.md`".to_owned(),
        ),
        (
            "`scripts\\run.sh`",
            "1:2+14 warning[link-backslash]: `scripts\\run.sh` has backslashes, which part folders on Windows alone | write `scripts/run.sh`".to_owned(),
        ),
        (
            "[a](../other/x.md)",
            format!("1:5+13 warning[link-outside]: `../other/x.md` leads out of the skill's folder, which travels alone | {put}"),
        ),
        (
            "[a](references/../../x.md)",
            format!("1:5+21 warning[link-outside]: `references/../../x.md` leads out of the skill's folder, which travels alone | {put}"),
        ),
        (
            "[a](/etc/hosts)",
            format!("1:5+10 warning[link-outside]: `/etc/hosts` is an absolute path, which other machines do not have | {put}"),
        ),
        (
            "[a](file:///etc/hosts)",
            format!("1:5+17 warning[link-outside]: `file:///etc/hosts` is an absolute path, which other machines do not have | {put}"),
        ),
        (
            "[a](C:/x.md)",
            format!("1:5+7 warning[link-outside]: `C:/x.md` is an absolute path, which other machines do not have | {put}"),
        ),
        (
            "[a](~/x.md)",
            format!("1:5+6 warning[link-outside]: `~/x.md` is a path under one person's home, which other machines do not have | {put}"),
        ),
    ] {
        assert_eq!(said(&folder, body), [wanted], "{body}");
    }
}

#[test]
fn marks_of_a_merge_are_told_unless_a_code_block_shows_them() {
    let folder = folder();
    let conflict = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n";
    let help = "keep one side, and delete the marks";

    for (body, wanted) in [
        (
            conflict.to_owned(),
            vec![format!(
                "1:1+7 warning[merge-marker]: marks of an unresolved merge stand on lines 5, 7 and 9 | {help}"
            )],
        ),
        (
            format!("a\n\n{conflict}{conflict}"),
            vec![
                format!(
                    "3:1+7 warning[merge-marker]: marks of an unresolved merge stand on lines 7, 9 and 11 | {help}"
                ),
                format!(
                    "8:1+7 warning[merge-marker]: marks of an unresolved merge stand on lines 12, 14 and 16 | {help}"
                ),
            ],
        ),
        (
            "a\n>>>>>>> other\n".to_owned(),
            vec![format!(
                "2:1+7 warning[merge-marker]: a mark of an unresolved merge stands on line 6 | {help}"
            )],
        ),
        (">>>>>>> a quote in a quote\n".to_owned(), vec![]),
        (format!("Like this:\n\n```\n{conflict}```\n"), vec![]),
        (
            "```\n<<<<<<< HEAD\n```\n\n>>>>>>> b\n".to_owned(),
            vec![format!(
                "2:1+7 warning[merge-marker]: marks of an unresolved merge stand on lines 6 and 9 | {help}"
            )],
        ),
        (
            "```\n<<<<<<< HEAD\n```\n\nTitle\n=======\n".to_owned(),
            vec![],
        ),
        (
            "<<<<<<< HEAD\n\nTitle\n=======\n".to_owned(),
            vec![format!(
                "1:1+7 warning[merge-marker]: a mark of an unresolved merge stands on line 5 | {help}"
            )],
        ),
        (
            "Title\n=======\n\n<<<<<<<<<< x\n <<<<<<< x\n".to_owned(),
            vec![],
        ),
    ] {
        assert_eq!(said(&folder, &body), wanted, "{body}");
    }
}

#[test]
fn hidden_characters_are_named_once_a_line() {
    let folder = folder();
    let help = "delete them: a model reads what nobody sees";

    for (body, wanted) in [
        (
            "a\u{200b}b\u{202e}c\u{200b}\n\nd\u{1b}[0m",
            vec![
                format!(
                    "1:2+1 warning[hidden-characters]: characters that nobody sees: U+200B zero width space (2 times), U+202E right-to-left override | {help}"
                ),
                format!(
                    "3:2+1 warning[hidden-characters]: characters that nobody sees: U+001B escape | {help}"
                ),
            ],
        ),
        (
            "Text.\u{e0048}\u{e0069}\u{e0001} End.",
            vec![format!(
                "1:6+3 warning[hidden-characters]: characters that nobody sees: 3 tag characters from U+E0048 on, which spell `Hi` | {help}"
            )],
        ),
        (
            "a\u{ad}\u{2060}\u{feff}\u{2061}\u{2062}\u{2063}\u{2064}",
            vec![format!(
                "1:2+7 warning[hidden-characters]: characters that nobody sees: U+00AD soft hyphen, U+2060 word joiner, U+FEFF byte-order mark, U+2061 invisible character, U+2062 invisible character, U+2063 invisible character, others | {help}"
            )],
        ),
        (
            "A family: \u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}, a heart \u{2764}\u{fe0f}.",
            vec![],
        ),
        ("a NUL \0 has a rule of its own", vec![]),
    ] {
        assert_eq!(said(&folder, body), wanted, "{body:?}");
    }
}

#[test]
fn line_ends_of_two_kinds_are_a_note_where_they_change() {
    let folder = folder();

    assert_eq!(
        said(&folder, "a\nb\r\nc\n"),
        [
            "2:1+0 note[mixed-line-ends]: from here on lines end in another way: some in LF, some in CR LF | save the file with line ends of one kind"
        ]
    );
    let bytes = format!("{HEAD}a\nb\n").replace('\n', "\r\n").into_bytes();
    let facts = frontmatter::read(&bytes, &Limits::DEFAULT);
    let file = folder.path().join("SKILL.md");
    assert_eq!(findings(&file, &bytes, &facts, &Limits::DEFAULT), []);
}

#[test]
fn an_empty_body_is_told_at_the_closing_fence() {
    let folder = folder();

    for body in ["", "\n \n\t\n"] {
        assert_eq!(
            said(&folder, body),
            [
                "0:1+3 warning[body-empty]: nothing stands behind the frontmatter: an agent that opens the skill learns nothing | write below the closing `---` what the agent is to do"
            ],
            "{body:?}"
        );
    }
}

#[test]
fn a_long_body_is_told_where_it_becomes_too_long() {
    let folder = folder();
    let help =
        "move what is not always needed into files under references/, and say when to open which";

    for (body, wanted) in [
        ("a\n".repeat(500), vec![]),
        (format!("{}\n\n\n", "a\n".repeat(500)), vec![]),
        (
            "a\n".repeat(501),
            vec![format!(
                "501:1+0 warning[body-too-long]: the body has 501 lines; at most 500 are advised | {help}"
            )],
        ),
        ("\u{e9}".repeat(20_000), vec![]),
        (
            format!("{}\n{}", "a".repeat(19_999), "b".repeat(10)),
            vec![format!(
                "2:1+0 warning[body-too-long]: the body is about 5003 tokens (20010 characters, 4 to a token); at most 5000 are advised | {help}"
            )],
        ),
    ] {
        assert_eq!(said(&folder, &body), wanted);
    }
}

#[test]
fn many_findings_of_a_rule_end_with_a_count() {
    let folder = folder();

    let said = said(&folder, "[a](zz.md)\n".repeat(40));

    assert_eq!(said.len(), 33);
    assert_eq!(
        said[32],
        "33:5+5 warning[link-broken]: 8 more of this kind from here on | "
    );
}

#[test]
fn more_links_than_are_looked_for_end_with_a_count() {
    let folder = folder();
    let links: Vec<String> = (0..2_100)
        .map(|number| format!("[a](references/guide.md#{number})\n"))
        .collect();

    let said = said(&folder, links.concat());

    let last = said.last().expect("a finding");
    assert!(
        last.contains("note[link-broken]: 52 more links are not looked at"),
        "{last}"
    );
}

#[test]
fn a_body_without_frontmatter_has_its_marks_and_hidden_characters_judged_alone() {
    let folder = folder();
    let file = folder.path().join("SKILL.md");
    let bytes = b"# Title\n\n[a](none.md)\n\n>>>>>>> x\n";
    let facts = frontmatter::read(bytes, &Limits::DEFAULT);

    let found = findings(&file, bytes, &facts, &Limits::DEFAULT);

    let rules: Vec<Rule> = found.iter().map(|found| found.rule).collect();
    assert_eq!(rules, [Rule::MergeMarker]);
}

#[test]
fn a_file_that_is_no_text_has_nothing_said_of_its_body() {
    let folder = folder();
    let bytes = b"\xff\xfe-\0-\0-\0\n\0";
    let facts = frontmatter::read(bytes, &Limits::DEFAULT);

    assert_eq!(
        findings(
            &folder.path().join("SKILL.md"),
            bytes,
            &facts,
            &Limits::DEFAULT
        ),
        []
    );
}

#[test]
fn bytes_that_are_not_utf8_move_no_place() {
    let folder = folder();

    let said = said(&folder, b"caf\xe9 \xff\xfe [a](zz.md)\n");

    assert_eq!(said.len(), 1);
    assert!(
        said[0].starts_with("1:13+5 warning[link-broken]"),
        "{said:?}"
    );
}

/// What is found with the parser, whether the shortcut would take it or not.
fn without_shortcut(body: &str, folder: &mut Folder) -> Vec<(Range<usize>, Diagnostic)> {
    let mut found = Found::new(Path::new("/s/x/SKILL.md"));
    let mentions = mentions::read(body, 0);
    links::find(&mentions, folder, &mut found);
    found.list
}

proptest! {
    #[test]
    fn what_the_shortcut_passes_over_has_no_findings(
        parts in proptest::collection::vec(
            prop_oneof![
                Just("["), Just("]"), Just("("), Just(")"), Just("`"), Just("!"), Just(":"),
                Just("<"), Just(">"), Just("\n"), Just(" "), Just("scripts/zz.sh"), Just("zz.md"),
                Just("<a href=zz.md>"), Just("<img src=zz.png>"), Just("<A HREF=zz.md>"),
                Just("scripts\\run.sh"), Just("\\"), Just("#"), Just("&#93;"), Just("-"), Just("|"),
            ],
            0..24,
        ),
    ) {
        let folder = folder();
        let body = parts.concat();
        let mut folder = Folder::new(folder.path(), &Limits::DEFAULT);

        if !mentions::may_have_some(&body, Signs::of(&body), &mut folder) {
            prop_assert_eq!(without_shortcut(&body, &mut folder), vec![]);
        }
    }

    #[test]
    fn no_body_breaks_the_judgement(body in "(\\PC|[\\[\\]()`<>!\\\\\n\r\t\0\u{200b}\u{e0041}#*_~|:-]){0,60}") {
        let folder = folder();
        for finding in said(&folder, &body) {
            prop_assert!(!finding.is_empty());
        }
    }

    #[test]
    fn nothing_found_here_is_an_error(body in "[\\[\\]()`a-c/.\\\\<>=\n ]{0,40}") {
        let folder = folder();
        let file = folder.path().join("SKILL.md");
        let bytes = format!("{HEAD}{body}").into_bytes();
        let facts = frontmatter::read(&bytes, &Limits::DEFAULT);

        let found = findings(&file, &bytes, &facts, &Limits::DEFAULT);

        prop_assert!(found.iter().all(|found| found.severity < Severity::Error));
        prop_assert!(found.is_sorted_by_key(|found| found.span));
    }
}
