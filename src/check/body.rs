//! What is wrong with a SKILL.md beside its frontmatter: links that lead
//! nowhere, a body that is empty or too long, marks of a merge, characters that
//! nobody sees.
//!
//! None of it keeps a skill from loading, so nothing here is an error. Time is
//! linear in the size of the file; of the disk only the skill's folder is
//! looked at, and only for what the body names.

mod folder;
mod hidden;
mod html;
mod lines;
mod links;
mod mentions;
mod merge;
mod signs;
mod tags;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use crate::diagnostic::{Diagnostic, Rule, Severity};
use crate::limits::Limits;
use crate::skill::frontmatter::Facts;
pub(super) use folder::Folder;
use lines::Lines;
use signs::Signs;

/// Lines of a body at most (specification: "keep your main SKILL.md under 500
/// lines").
pub const BODY_LINES: usize = 500;

/// Estimated tokens of a body at most (specification: "< 5000 tokens
/// recommended").
pub const BODY_TOKENS: usize = 5_000;

/// Characters that make a token, by estimate: what English prose comes to.
pub const CHARACTERS_A_TOKEN: usize = 4;

/// Findings of one rule that are given; the rest are counted. Nobody mends more
/// at a time.
const SHOWN: usize = 32;

/// Returns what is wrong with `file` beside its frontmatter, in file order.
///
/// `bytes` are what the file holds, and `facts` what was read from them. Links
/// are looked up in the folder of `file`.
#[must_use]
pub fn findings(file: &Path, bytes: &[u8], facts: &Facts, limits: &Limits) -> Vec<Diagnostic> {
    let mut folder = Folder::new(file.parent().unwrap_or(file), limits);
    findings_in(&mut folder, file, bytes, facts)
}

/// As [`findings`], with what is known of the folder.
pub(super) fn findings_in(
    folder: &mut Folder,
    file: &Path,
    bytes: &[u8],
    facts: &Facts,
) -> Vec<Diagnostic> {
    if is_binary(facts) {
        return Vec::new();
    }
    let text = readable(bytes);
    let mut found = Found::new(file);
    if facts.line_ends.lf && facts.line_ends.crlf {
        line_ends(bytes, &mut found);
    }
    hidden::find(&text, facts, &mut found);
    let signs = Signs::of(&text);
    let blocks = match facts.closing {
        Some(_) => body(&text, facts.body, signs, folder, &mut found),
        None => Vec::new(),
    };
    let fault = facts.fault.as_ref().map(|fault| fault.rule);
    let told = if fault == Some(Rule::MergeMarker) {
        facts.body
    } else {
        0
    };
    if merge::may_have_some(&text, signs) {
        merge::find(&text, told, &blocks, &mut found);
    }
    found.placed(bytes)
}

fn is_binary(facts: &Facts) -> bool {
    facts
        .fault
        .as_ref()
        .is_some_and(|fault| fault.rule == Rule::NotText)
}

/// Points at the first line that ends in another way than the line before.
fn line_ends(bytes: &[u8], found: &mut Found) {
    let mut first = None;
    let mut start = 0;
    for line in bytes.split_inclusive(|&b| b == b'\n') {
        let is_pair = line.ends_with(b"\r\n");
        if line.ends_with(b"\n") && *first.get_or_insert(is_pair) != is_pair {
            found.note(Rule::MixedLineEnds, start..start, || {
                (
                    "from here on lines end in another way: some in LF, some in CR LF".to_owned(),
                    "save the file with line ends of one kind".to_owned(),
                )
            });
            return;
        }
        start += line.len();
    }
}

/// Judges what stands behind the frontmatter, from `start` on, and returns where
/// its code blocks are in `text`.
fn body(
    text: &str,
    start: usize,
    signs: Signs,
    folder: &mut Folder,
    found: &mut Found,
) -> Vec<Range<usize>> {
    let body = &text[start..];
    if body.trim().is_empty() {
        // The closing fence is the last thing there is to point at.
        let fence = text[..start].trim_end().len();
        found.warn(Rule::BodyEmpty, fence.saturating_sub(3)..fence, || {
            (
                "nothing stands behind the frontmatter: an agent that opens the skill learns nothing"
                    .to_owned(),
                "write below the closing `---` what the agent is to do".to_owned(),
            )
        });
        return Vec::new();
    }
    length(body, start, found);
    if signs.less {
        tags::find(body, start, found);
    }
    if !mentions::may_have_some(body, signs, folder) && !merge::may_have_some(body, signs) {
        return Vec::new();
    }
    let mentions = mentions::read(body, start);
    links::find(&mentions, folder, found);
    mentions.code_blocks
}

fn length(body: &str, start: usize, found: &mut Found) {
    const HELP: &str =
        "move what is not always needed into files under references/, and say when to open which";
    if body.len() <= BODY_LINES {
        return;
    }
    let lines = line_feeds(body.trim_end()) + 1;
    if lines > BODY_LINES {
        let over = body.match_indices('\n').nth(BODY_LINES - 1);
        let over = start + over.map_or(0, |(at, _)| at + 1);
        let message = format!("the body has {lines} lines; at most {BODY_LINES} are advised");
        found.warn(Rule::BodyTooLong, over..over, || (message, HELP.to_owned()));
        return;
    }
    let most = BODY_TOKENS * CHARACTERS_A_TOKEN;
    if body.len() <= most {
        return;
    }
    let characters = body.trim().chars().count();
    if characters > most {
        let over = body.char_indices().nth(most).map_or(0, |(at, _)| at);
        let over = start + over;
        let message = format!(
            "the body is about {} tokens ({characters} characters, {CHARACTERS_A_TOKEN} to a token); at most {BODY_TOKENS} are advised",
            characters.div_ceil(CHARACTERS_A_TOKEN)
        );
        found.warn(Rule::BodyTooLong, over..over, || (message, HELP.to_owned()));
    }
}

/// Counts line feeds in parts that a byte can count, many bytes in one step.
fn line_feeds(text: &str) -> usize {
    let parts = text.as_bytes().chunks(usize::from(u8::MAX));
    let counts = parts.map(|part| {
        let feeds = part.iter().map(|&b| u8::from(b == b'\n'));
        usize::from(feeds.sum::<u8>())
    });
    counts.sum()
}

/// Returns the file as text of the same length: each byte that is not UTF-8
/// becomes `?`, so that offsets hold.
fn readable(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    Cow::Owned(text)
}

/// Findings of one file while they are collected, by their place in bytes; those
/// of one rule come in file order.
struct Found<'a> {
    file: &'a Path,
    list: Vec<(Range<usize>, Diagnostic)>,
    counts: HashMap<Rule, usize>,
}

impl<'a> Found<'a> {
    fn new(file: &'a Path) -> Self {
        Self {
            file,
            list: Vec::new(),
            counts: HashMap::new(),
        }
    }

    fn warn(&mut self, rule: Rule, place: Range<usize>, words: impl FnOnce() -> Words) {
        self.tell(Severity::Warning, rule, place, words);
    }

    fn note(&mut self, rule: Rule, place: Range<usize>, words: impl FnOnce() -> Words) {
        self.tell(Severity::Note, rule, place, words);
    }

    /// Adds a finding, or counts it where there are enough of its rule: only
    /// what is shown is put into words.
    fn tell(
        &mut self,
        severity: Severity,
        rule: Rule,
        place: Range<usize>,
        words: impl FnOnce() -> Words,
    ) {
        let count = self.counts.entry(rule).or_default();
        *count += 1;
        if *count <= SHOWN + 1 {
            let (message, help) = words();
            let finding = Diagnostic::new(rule, severity, self.file, message).with_help(help);
            self.list.push((place, finding));
        }
    }

    /// Returns the findings in file order with lines and columns; the last of
    /// too many says how many they are.
    fn placed(mut self, bytes: &[u8]) -> Vec<Diagnostic> {
        if self.list.is_empty() {
            return Vec::new();
        }
        self.list
            .sort_by_key(|(place, finding)| (place.start, finding.rule));
        let lines = Lines::new(bytes);
        let mut seen: HashMap<Rule, usize> = HashMap::new();
        let mut placed = Vec::with_capacity(self.list.len());
        for (place, mut finding) in self.list {
            let seen = seen.entry(finding.rule).or_default();
            *seen += 1;
            if *seen > SHOWN {
                let more = self.counts[&finding.rule] - SHOWN;
                finding.message = format!("{more} more of this kind from here on");
                finding.help = None;
            }
            placed.push(finding.at(lines.span(&place)));
        }
        placed
    }
}

/// A message and its help.
type Words = (String, String);

#[cfg(test)]
mod tests;
