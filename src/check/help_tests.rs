//! What a help says to type mends what it is said of, and loses no word.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::diagnostic::{Diagnostic, Rule};
use crate::limits::Limits;
use crate::skill::frontmatter;
use crate::skill::profile::{Profile, Reading};

/// How a help begins that ends with a line to type, and what that stands for.
const BEGINNINGS: [(&str, For); 11] = [
    ("put the whole value between quotes: ", For::Value),
    (
        "move it above the field, or put the whole value between quotes: ",
        For::Value,
    ),
    (
        "put the text on the next line, indented, or between quotes: ",
        For::Value,
    ),
    ("use single quotes: ", For::Value),
    ("close them: ", For::Value),
    ("close them before it: ", For::LinesBefore),
    ("write what the alias stands for: ", For::Value),
    ("write allowed-tools: ", For::Value),
    ("write ", For::Line),
    ("begin the line in column ", For::Line),
    ("begin it with `#`: ", For::Line),
];

#[derive(Clone, Copy, PartialEq)]
enum For {
    Value,
    Line,
    /// From where quotes open to the line before the field that they take in.
    LinesBefore,
}

/// Slips that a help has text to type for.
const SLIPS: &[&str] = &[
    "description: \"reads\n  more\nlicense: MIT\n",
    "description: 'reads\n\n  more # of it\nlicense: MIT\n",
    "description: \"reads\nand more\nlicense: MIT\n",
    "description: Reads\n  # note\n  more text\n",
    "description: Reads\n# note\n  more: text\n",
    "description:\n  Reads\n  # note\n  more text\n",
    "description: Use when: asked\n  # note\n  or not\n",
    "description: |\n    four\n  two\nlicense: MIT\n",
    "description: >\n\n    four\n  two: x\n\nlicense: MIT\n",
    "description: |2-\n  four\n two\n",
    "description: |\n    four\n  # two\n    six\n",
    "description: | reads\n  more\n",
    "description: 'it's\n  fine'\n",
    "description: 'it's fine' and\n  more\n",
    "description: \"a\\pdf\n  b\"\n",
    "description: @me\n  reads\n",
    "description: @me\n  # often\n  reads\n",
    "description: - reads\n  more\n",
    "description: [reads\n",
    "description: {{x}} reads\n  more\n",
    "description: \"has \"inner\" quotes\"\n",
    "description: \"a\" \"b\"\n  c\n",
    "description: %5 of it\n",
    "description: '\n  reads\nlicense: MIT\n",
    "description:\n  \"reads\n  more\nlicense: MIT\n",
    "description:\n  `pdf` reads\n  more\n",
    "description: [a] reads\n  more\n",
    "description: \"reads\nlicense: x\ncompatibility: \"y\"\n",
    "license: \"reads\n  more\ndescription: it\"\n",
    "description: Use when:  a\tb \t # c\n",
    "description: a  b \t #c\n",
    "description: a\n  b #c\n",
    "description: &a  b\n",
    "description:\n  Reads: x\n  Writes: y\n",
    "description: x\nallowed-tools: Read, Write\n",
    "description: x\nallowed-tools: Read\n  - Write\n",
    "description: x\nallowed-tools: - Read\n  - Write\n",
    "description: x\nallowed-tools: - Read\n- Write\n",
    "description: x\nmetadata: a:b\n",
    "description: x\nx: &a 1\nmetadata:\n  a: *a\n",
    "description = x\n",
    "description:x  y\n",
    "description = @me\n",
    "description = a #b\n",
    "**description**: x\n",
    "\"description: x\"\n",
    "Description: x\n  y\n",
    " description: x\nlicense: MIT\n",
    "license: MIT\n description: x\n",
    "license: a: b\n description: x\n",
    "<!-- c -->\ndescription: x\n",
    "// c\ndescription: x\n",
];

fn findings(text: &str) -> Vec<Diagnostic> {
    let bytes = text.as_bytes();
    let facts = frontmatter::read(bytes, &Limits::DEFAULT);
    let place = (Path::new("/s/a/SKILL.md"), "a");
    Reading::new(bytes, &facts, place, &Limits::DEFAULT).findings(Profile::SPEC)
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// What the help of a finding says to type: the lines, and the numbers, from 0, of
/// those that they stand for.
struct Typed {
    lines: Vec<String>,
    first: usize,
    after: usize,
}

impl Typed {
    /// `None`: the help names no line.
    fn of(text: &str, found: &Diagnostic) -> Option<Self> {
        let help = found.help.as_deref()?;
        let (begins, stands) = BEGINNINGS
            .into_iter()
            .find(|(begins, _)| help.starts_with(begins))?;
        let said = match begins {
            "write allowed-tools: " => &help["write ".len()..],
            _ => &help[begins.len()..],
        };
        let first_word = said.split(' ').next()?;
        let is_key = first_word.ends_with(':') && !first_word.starts_with('`');
        if begins.starts_with("write ") && !is_key {
            return None;
        }
        let all: Vec<&str> = text.lines().collect();
        let place = found.span.line as usize - 1;
        if begins.ends_with("column ") {
            let (column, line) = said.split_once(": ")?;
            let blanks = " ".repeat(column.parse::<usize>().ok()? - 1);
            return Some(Self {
                lines: vec![format!("{blanks}{line}")],
                first: place,
                after: place + 1,
            });
        }
        let (line, below) = match said.split_once(" and, on a line below, ") {
            Some((line, below)) => (line, Some(unblanked(below))),
            None => (said, None),
        };
        let key = line.split_once(':').map_or("#", |(key, _)| key);
        let start = |line: &str| line.trim_start_matches([' ', '-']).len();
        let begins_with_key = |at: &usize| {
            let line = &all[*at][all[*at].len() - start(all[*at])..];
            line.starts_with(key)
        };
        let first = (0..=place).rev().find(begins_with_key).unwrap_or(place);
        let before = &all[first][..all[first].len() - start(all[first])];
        let before = before
            .strip_suffix("- ")
            .filter(|_| key.starts_with('-'))
            .unwrap_or(before);
        let column = before.len();
        let is_in = |line: &str| match stands {
            For::Value if begins == "close them: " => {
                indent(line) > column || !line.contains(':') && line != "---"
            }
            For::Value if begins.starts_with("move it") => {
                indent(line) > column || line.starts_with('#')
            }
            For::Value => line.is_empty() || indent(line) > column,
            For::Line => false,
            For::LinesBefore => indent(line) > 0,
        };
        let is_whole = below.is_none();
        let more = all[first + 1..].iter();
        let more = more.take_while(|line| is_whole && is_in(line)).count();
        let mut lines = vec![format!("{before}{line}")];
        lines.extend(below);
        Some(Self {
            lines,
            first,
            after: first + 1 + more,
        })
    }

    fn into(self, text: &str) -> String {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.splice(self.first..self.after, self.lines);
        lines.join("\n") + "\n"
    }
}

/// Puts the blanks before a line that are said to stand there.
fn unblanked(said: &str) -> String {
    let Some((count, line)) = said.split_once(" blanks and ") else {
        return said.to_owned();
    };
    let count = count.parse().unwrap_or(2);
    format!("{}{line}", " ".repeat(count))
}

/// Types what the help of each finding of a file says; returns each of them that is
/// still there then, and how many had text to type.
fn left(text: &str) -> (Vec<String>, usize) {
    let (mut left, mut count) = (Vec::new(), 0);
    for found in findings(text) {
        let Some(typed) = Typed::of(text, &found) else {
            continue;
        };
        count += 1;
        let line = u32::try_from(typed.first + 1).unwrap();
        let after = typed.into(text);
        let is_it = |other: &Diagnostic| {
            (other.rule, other.span.line) == (found.rule, line) && other.message == found.message
        };
        if findings(&after).iter().any(is_it) {
            left.push(format!("{text}\n{found}\n{:?}\n{after}", found.help));
        }
    }
    (left, count)
}

/// The words of some lines.
fn words(lines: &[&str]) -> Vec<String> {
    let written = lines
        .iter()
        .flat_map(|line| line.split(|c: char| !c.is_alphanumeric()));
    written.map(str::to_lowercase).collect()
}

#[test]
fn the_text_to_type_mends_every_slip_and_loses_no_word() {
    for slip in SLIPS {
        let text = format!("---\nname: a\n{slip}---\nBody.\n");

        let found = findings(&text);
        let typed = found.iter().find_map(|found| Typed::of(&text, found));

        let typed = typed.unwrap_or_else(|| panic!("{slip:?}: no text to type: {found:?}"));
        let lines: Vec<&str> = text.lines().collect();
        let written = typed.lines.join(" ").to_lowercase();
        for word in words(&lines[typed.first..typed.after]) {
            assert!(
                written.contains(&word),
                "{slip:?}: {word:?} is not in {written:?}"
            );
        }
        let after = typed.into(&text);
        let broken = |found: &Diagnostic| found.rule == Rule::YamlInvalid;
        let still = findings(&after).into_iter().find(broken);
        assert_eq!(still, None, "{slip:?}: {after:?}");
        let (left, _) = left(&text);
        assert!(left.is_empty(), "{}", left.join("\n"));
    }
}

#[test]
fn the_text_to_type_mends_the_fixtures() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")];
    let mut count = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else if path.ends_with("SKILL.md")
                && let Ok(text) = fs::read_to_string(&path)
            {
                let (left, more) = left(&text);

                assert!(left.is_empty(), "{}", left.join("\n"));
                count += more;
            }
        }
    }
    assert!(count > 5, "{count}");
}

/// What generated frontmatter is made of.
fn field() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec![
        "name",
        "description",
        "license",
        "compatibility",
        "allowed-tools",
        "metadata",
        "x",
        "metadata:\n  k",
        "Description",
        " license",
    ]);
    let colon = prop::sample::select(vec![": ", ": ", ": ", ": ", ":", " = ", ":\n  ", ":\t"]);
    let piece = prop::sample::select(vec![
        "one", "two", " ", "  ", "\t", ": ", " #", "# ", "'", "\"", "\\d", "it's", "\n  ",
        "\n    ", "\n  # c", "\n\n  ", "- ", "|", ">", "@", "`", "*a ", "&b ", "[", "]", "{", "}",
        ",", "%", "!x", "1", "yes", "\n  k: ", "<!-- ",
    ]);
    let value = prop::collection::vec(piece, 0..6);
    (key, colon, value).prop_map(|(key, colon, value)| format!("{key}{colon}{}\n", value.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2_000,
        failure_persistence: None,
        // The same sample each time: of what no person would write a line to type
        // can still be wrong.
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_text_to_type_mends_whatever_is_written(fields in prop::collection::vec(field(), 1..4)) {
        let text = format!("---\nname: a\n{}---\nBody.\n", fields.concat());

        let (left, _) = left(&text);

        prop_assert!(left.is_empty(), "{}", left.join("\n"));
    }
}
