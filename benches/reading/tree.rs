//! Trees of made-up skills, the same bytes for the same count.
//!
//! The shapes are those that people's skills have: about 4 KB each, most with a
//! block or a quoted description, some with a licence and a metadata map, spread
//! over the roots of several agents.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The roots that the skills are spread over, under the home.
pub(crate) const ROOTS: [&str; 4] = [
    ".agents/skills",
    ".claude/skills",
    ".codex/skills",
    ".gemini/skills",
];

/// Bytes of one SKILL.md, about.
const SKILL_BYTES: usize = 4_096;

const WORDS: [&str; 32] = [
    "read", "the", "report", "before", "you", "change", "a", "table", "and", "write", "each",
    "result", "to", "its", "own", "file", "when", "no", "test", "fails", "check", "that", "every",
    "name", "in", "list", "still", "means", "what", "it", "says", "twice",
];

/// Returns the home inside the tree `dir`.
pub(crate) fn home(dir: &Path) -> PathBuf {
    dir.join("home")
}

/// Returns the project inside the tree `dir`; it has no skills of its own.
pub(crate) fn project(dir: &Path) -> PathBuf {
    dir.join("project")
}

/// Writes `count` skills under `dir`, every one of them on.
pub(crate) fn generate(dir: &Path, count: usize) -> io::Result<()> {
    fs::create_dir_all(project(dir).join(".codeaf"))?;
    let mut names = Vec::with_capacity(count);
    for number in 0..count {
        let name = name(number);
        let folder = home(dir).join(ROOTS[number % ROOTS.len()]).join(&name);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("SKILL.md"), skill(&name, number))?;
        names.push(format!("    \"{name}\""));
    }
    let scope = home(dir).join(".codeaf");
    fs::create_dir_all(&scope)?;
    let decisions = format!("{{\n  \"on\": [\n{}\n  ]\n}}\n", names.join(",\n"));
    fs::write(scope.join("skills.json"), decisions)
}

fn name(number: usize) -> String {
    let kinds = ["csv", "deploy", "invoice", "review", "search"];
    format!("{}-steps-{number:05}", kinds[number % kinds.len()])
}

fn skill(name: &str, number: usize) -> String {
    let mut words = Words::new(number);
    let mut text = format!("---\nname: {name}\n");
    text.push_str(&description(number, &mut words));
    if number.is_multiple_of(2) {
        text.push_str("license: Apache-2.0\n");
    }
    if number.is_multiple_of(3) {
        text.push_str("metadata:\n  author: someone\n  version: \"1.4\"\n");
    }
    if number.is_multiple_of(7) {
        text.push_str("allowed-tools: Read Bash(git:*)\n");
    }
    let _ = writeln!(text, "---\n\n# {name}");
    // Between three quarters and five quarters of the usual size.
    let size = SKILL_BYTES * (75 + number * 31 % 51) / 100;
    while text.len() < size {
        let _ = write!(text, "\n## {}\n\n", words.sentence(3));
        for step in 1..=4 {
            let _ = writeln!(text, "{step}. {}.", words.sentence(12));
        }
        let _ = write!(text, "\n```sh\n{}\n```\n", words.sentence(5));
    }
    text
}

fn description(number: usize, words: &mut Words) -> String {
    let (first, second) = (words.sentence(14), words.sentence(10));
    match number % 10 {
        0..=3 => format!("description: |\n  {first}.\n  Use when {second}.\n"),
        4 => format!("description: >-\n  {first}.\n  Use when {second}.\n"),
        5..=7 => format!("description: {first}. Use when {second}.\n"),
        8 => format!("description: \"{first}: use when {second}.\"\n"),
        _ => format!("description: '{first}. Use when {second}.'\n"),
    }
}

/// Sentences without end, the same for the same seed (an LCG with the constants
/// of Knuth's MMIX).
struct Words(u64);

impl Words {
    fn new(seed: usize) -> Self {
        Self(seed as u64 ^ 0x5eed)
    }

    fn sentence(&mut self, length: usize) -> String {
        let words: Vec<&str> = (0..length).map(|_| self.word()).collect();
        words.join(" ")
    }

    fn word(&mut self) -> &'static str {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        // The high bits are the good ones; five of them choose among 32.
        WORDS[usize::try_from(self.0 >> 59).unwrap_or(0)]
    }
}
