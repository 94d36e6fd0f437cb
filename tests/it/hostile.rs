//! What a hostile SKILL.md costs: time in proportion to its size, whatever stands
//! in it and whoever is asked.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use codeaf_skills::Limits;
use codeaf_skills::check::fix::{self, FixOptions};
use codeaf_skills::check::matrix::Matrix;
use codeaf_skills::check::{self, Target};
use codeaf_skills::skill::profile::Profile;

/// What bodies are made of: all that Markdown, HTML and our own rules look at.
const BODY: &[&str] = &[
    "[a](b)",
    "![a](b.md)\n",
    "[![a](b)](c)",
    "[a]: b\n",
    "[a][b]",
    "[^a]: b\n",
    "[",
    "](",
    "![",
    "](b)",
    "<!--",
    "-->",
    "<a href=x>",
    "<a ",
    "<img src='",
    "</skill",
    "<?",
    "`",
    "`` a",
    "`scripts/a b`",
    "```\n",
    "> ",
    "- ",
    "1. a\n",
    "   ",
    "|a|b|\n|-|-|\n",
    "*a_",
    "**a ",
    "&amp;",
    "\\[",
    "# h\n",
    "<<<<<<< a\n",
    "=======\n",
    ">>>>>>> a\n",
    "\r",
    "\r\n",
    "\n",
    "\u{200b}",
    "\u{200d}a\n",
    "\u{e0041}",
    "\u{e9}",
    "http://a.b ",
    "[a](../b\\c%20)\n",
    "{baseDir}/x ",
];

/// What frontmatter is made of.
const FRONTMATTER: &[&str] = &[
    "x: [a, b]\n",
    "x: {a: {}, b: []}\n",
    "x: [[[[[[[[]]]]]]]]\n",
    "x: a: b\n",
    "x: a: b\n  name: c\n",
    "x: a #b\n",
    "x:\ta\n",
    "x: &a b\n",
    "x: !!str a\n",
    "x: 'a\n  b'\n",
    "x: \"\\x41\"\n",
    "x: |\n  a\n\n  b\n",
    "x:\n- a\n- - b\n",
    "x:\n  y:\n    z: a\n",
    "? a\n: b\n",
    "# a: b\n",
    "\n\n\n\n",
    "li\u{200b}cense: a\n",
    "x: \u{200b}a\u{2028}b\n",
    "metadata: {a: 1, b: yes}\n",
    "metadata: {a: &b 1, c: *b}\n",
    "x: a\n  # b\n  c\n",
    "x: |\n    a\n  b\n",
    "allowed-tools: Read\n  - Write\n",
    "allowed-tools: [Read, Grep]\n",
    "name: \"a\n",
    "description: b'\n",
    "name: a\n",
];

/// The same of one line, between the brackets of a field.
const FLOW: &[&str] = &[
    "a, ",
    "[], ",
    "{a: b}, ",
    "'', ",
    "!!str a, ",
    "&a b, ",
    "a: b, ",
    "\"c\", ",
    "? d, ",
    "[[",
    "]], ",
];

/// Bytes of the smaller body.
const BODY_BYTES: usize = 12_000;

/// Bytes of the smaller frontmatter: both are beyond the quick reader of what
/// people write, which is another slope, and under the bound of 64 KiB with all
/// their quotes.
const FIELDS: usize = 10_000;

/// How many times as long the larger of two is.
const TIMES: usize = 4;

/// Where the values are bounded, a step for each pair of them would not be seen.
const LIMITS: Limits = Limits {
    yaml_values: 1_000_000,
    ..Limits::DEFAULT
};

/// A generator of the xorshift kind: a seed gives the same files each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    /// Some pieces in a row.
    fn pattern(&mut self, pieces: &[&str]) -> String {
        let count = 1 + self.roll(3);
        (0..count)
            .map(|_| pieces[self.roll(pieces.len())])
            .collect()
    }
}

/// A pattern, said until it has `bytes`.
fn repeated(pattern: &str, bytes: usize) -> String {
    pattern.repeat(bytes / pattern.len())
}

fn with_body(pattern: &str, bytes: usize) -> String {
    let body = repeated(pattern, bytes);
    format!("---\nname: a\ndescription: b\n---\n{body}\n")
}

fn with_fields(pattern: &str, bytes: usize) -> String {
    let fields = repeated(pattern, bytes);
    format!("---\nname: a\ndescription: b\n{fields}\n---\nBody.\n")
}

fn with_flow(pattern: &str, bytes: usize) -> String {
    let values = repeated(pattern, bytes);
    format!("---\nname: a\ndescription: b\nx: [{values}]\n---\nBody.\n")
}

/// How long all agents take over a SKILL.md, and its mending.
fn cost(folder: &Path, text: &str) -> Duration {
    let file = folder.join("SKILL.md");
    fs::write(&file, text).unwrap();
    let targets = [Target { file }];
    let began = Instant::now();
    let checked = check::check(&targets, &[Profile::SPEC], &LIMITS);
    let matrix = Matrix::of(&checked, Profile::ALL, &LIMITS);
    assert_eq!(matrix.rows.len(), 1);
    let _ = fix::mend(text.as_bytes(), "a", FixOptions::default(), &LIMITS);
    began.elapsed()
}

/// Asserts that four times as much costs about four times as much: a quadratic step
/// would cost sixteen times.
fn grows_with_its_size(make: fn(&str, usize) -> String, pattern: &str, bytes: usize) {
    let folder = tempfile::tempdir().unwrap();
    let (small, large) = (make(pattern, bytes), make(pattern, TIMES * bytes));
    // What costs next to nothing is measured badly, and is no worry.
    let slack = Duration::from_millis(20);
    let mut worst = String::new();
    // Another program may have the processor, but not every time.
    let is_linear = (0..10).any(|_| {
        let small = cost(folder.path(), &small);
        let large = cost(folder.path(), &large);
        worst = format!("{small:?} and {large:?} for {TIMES} times as much");
        large < small * 8 + slack
    });
    assert!(is_linear, "{pattern:?}: {worst}");
}

#[test]
fn a_body_costs_time_in_proportion_to_its_size() {
    for piece in BODY {
        grows_with_its_size(with_body, piece, BODY_BYTES);
    }
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for _ in 0..12 {
        let pattern = dice.pattern(BODY);
        grows_with_its_size(with_body, &pattern, BODY_BYTES);
    }
}

#[test]
fn frontmatter_costs_time_in_proportion_to_its_size() {
    for piece in FRONTMATTER {
        grows_with_its_size(with_fields, piece, FIELDS);
    }
    for piece in FLOW {
        grows_with_its_size(with_flow, piece, FIELDS);
    }
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    for _ in 0..12 {
        let pattern = dice.pattern(FRONTMATTER);
        grows_with_its_size(with_fields, &pattern, FIELDS);
        let pattern = dice.pattern(FLOW);
        grows_with_its_size(with_flow, &pattern, FIELDS);
    }
}
