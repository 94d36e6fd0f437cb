//! The matrix for people: a table of skills by agents, what its words mean, and
//! below it each fault once, with everyone who minds it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::path::Path;

use clap::builder::styling::{AnsiColor, Style};
use codeaf_skills::Severity;
use codeaf_skills::check::matrix::{Answer, Matrix, Reason, Row};
use codeaf_skills::skill::profile::{Outcome, Profile};
use codeaf_skills::text::counted;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::render::{Console, cell, wrap};

/// Columns of a matrix that no terminal shows, so that it fits wherever it is pasted.
const PASTED: usize = 80;

/// Agents that stand over their columns with whole names.
const FEW: usize = 6;

/// What stands over the names.
const HEAD: &str = "SKILL";

/// Columns of a name that is cut, at the least.
const NARROWEST_NAME: usize = 12;

/// Columns of an outcome's word.
const WORD: usize = 4;

/// Columns before those who answer.
const INDENTATION: usize = 2 + WORD + 2;

/// From the kindest to the worst, as the legend has them.
const OUTCOMES: [Outcome; 5] = [
    Outcome::Loads,
    Outcome::LoadsWithWarning,
    Outcome::LoadsChanged,
    Outcome::Drops,
    Outcome::Unknown,
];

/// In the order in which a fault's answers stand: what hurts comes first.
const ANSWERS: [Outcome; 4] = [
    Outcome::Drops,
    Outcome::LoadsChanged,
    Outcome::LoadsWithWarning,
    Outcome::Unknown,
];

/// What stands over a narrow column; no two are alike.
const SHORT: [(&str, &str); 12] = [
    ("spec", "spec"),
    ("codeaf", "caf"),
    ("coder", "cdr"),
    ("albedo", "alb"),
    ("vbot", "vbot"),
    ("claude-code", "cc"),
    ("codex", "cdx"),
    ("gemini-cli", "gem"),
    ("opencode", "oc"),
    ("goose", "gse"),
    ("copilot", "cop"),
    ("cursor", "cur"),
];

/// Prints the whole matrix.
pub(crate) fn write(matrix: &Matrix, console: &mut Console) -> io::Result<()> {
    let width = console.terminal_width().unwrap_or(PASTED);
    if !matrix.rows.is_empty() {
        let table = Table::new(matrix, width, console);
        for line in table.lines(matrix, console) {
            console.line(line)?;
        }
        console.line("")?;
        for line in legend(matrix, &table, width, console) {
            console.line(line)?;
        }
        console.line("")?;
    }
    for row in &matrix.rows {
        for reason in &row.reasons {
            for line in fault(row, reason, width, console) {
                console.line(line)?;
            }
            console.line("")?;
        }
    }
    let others = matrix.others.iter().flat_map(|other| &other.findings);
    for finding in others.filter(|finding| finding.severity > Severity::Note) {
        let line = console.finding_line(finding, console.colored());
        console.line(format_args!("{line}\n"))?;
    }
    for line in wrap(&totals(matrix), width) {
        console.line(line)?;
    }
    Ok(())
}

/// How wide what is, and what stands over it.
struct Table {
    heads: Vec<&'static str>,
    names: Vec<String>,
    name_width: usize,
    widths: Vec<usize>,
    gap: usize,
    /// How many agents stand side by side.
    side_by_side: usize,
}

impl Table {
    fn new(matrix: &Matrix, width: usize, console: &Console) -> Self {
        let names = names(matrix, console);
        let mut shown: Vec<usize> = names.iter().map(|name| name.width()).collect();
        shown.extend([HEAD.len(), sum_head(matrix).len()]);
        let longest = shown.into_iter().max().unwrap_or(0);
        let whole: Vec<&str> = matrix.profiles.iter().map(|profile| profile.name).collect();
        let spread = Self::sized(names, whole, 2);
        let least = longest.min(NARROWEST_NAME);
        if matrix.profiles.len() <= FEW && least + spread.columns() <= width {
            return spread.fitted(longest, width);
        }
        let short: Vec<&str> = matrix
            .profiles
            .iter()
            .map(|profile| short(profile))
            .collect();
        let airy = Self::sized(spread.names, short.clone(), 2);
        if longest + airy.columns() <= width {
            return airy.fitted(longest, width);
        }
        Self::sized(airy.names, short, 1).fitted(longest, width)
    }

    fn sized(names: Vec<String>, heads: Vec<&'static str>, gap: usize) -> Self {
        Self {
            widths: heads.iter().map(|head| head.len().max(WORD)).collect(),
            side_by_side: heads.len(),
            heads,
            names,
            name_width: 0,
            gap,
        }
    }

    /// Returns what all columns but the names' take.
    fn columns(&self) -> usize {
        self.widths.iter().map(|width| self.gap + width).sum()
    }

    /// Gives the names what is left; where that is too little, fewer agents
    /// stand side by side, and the rest below.
    fn fitted(mut self, longest: usize, width: usize) -> Self {
        let least = longest.min(NARROWEST_NAME);
        let widest = self
            .widths
            .iter()
            .max()
            .map_or(1, |widest| widest + self.gap);
        if least + self.columns() > width {
            self.side_by_side = (width.saturating_sub(least) / widest).max(1);
        }
        let beside = self.widths.iter().take(self.side_by_side);
        let taken: usize = beside.map(|width| self.gap + width).sum();
        self.name_width = longest.min(width.saturating_sub(taken)).max(least);
        self
    }

    fn lines(&self, matrix: &Matrix, console: &Console) -> Vec<String> {
        let columns: Vec<usize> = (0..self.heads.len()).collect();
        let mut lines = Vec::new();
        for block in columns.chunks(self.side_by_side.max(1)) {
            if !lines.is_empty() {
                lines.push(String::new());
            }
            let heads = block
                .iter()
                .map(|&column| (self.heads[column], Style::new().bold()));
            lines.push(self.line(HEAD, Style::new().bold(), block, heads, console));
            for (name, row) in self.names.iter().zip(&matrix.rows) {
                let name = cut_in_the_middle(name, self.name_width);
                let words = block.iter().map(|&column| {
                    let outcome = row.outcomes[column];
                    (word(outcome), style(outcome))
                });
                lines.push(self.line(&name, Style::new(), block, words, console));
            }
            if matrix.rows.len() > 1 {
                lines.push(self.sums(matrix, block, console));
            }
        }
        lines
    }

    /// How many skills each agent is known to load, with a `+` where it may load
    /// more.
    fn sums(&self, matrix: &Matrix, block: &[usize], console: &Console) -> String {
        let sums = block.iter().map(|&column| {
            let outcomes = matrix.rows.iter().map(|row| row.outcomes[column]);
            let (loaded, others): (Vec<_>, Vec<_>) =
                outcomes.partition(|outcome| *outcome < Outcome::Unknown);
            let more = if others.contains(&Outcome::Unknown) {
                "+"
            } else {
                ""
            };
            format!("{}{more}", loaded.len())
        });
        let sums: Vec<String> = sums.collect();
        let bold = Style::new().bold();
        let cells = sums.iter().map(|sum| (sum.as_str(), bold));
        self.line(&sum_head(matrix), bold, block, cells, console)
    }

    fn line<'a>(
        &self,
        name: &str,
        name_style: Style,
        block: &[usize],
        cells: impl Iterator<Item = (&'a str, Style)>,
        console: &Console,
    ) -> String {
        let mut line = console.paint(name_style, name);
        let mut missing = self.name_width.saturating_sub(name.width());
        for ((text, style), &column) in cells.zip(block) {
            line.push_str(&" ".repeat(missing + self.gap));
            line.push_str(&console.paint(style, text));
            missing = self.widths[column].saturating_sub(text.len());
        }
        line
    }
}

/// What stands before the numbers of skills that load.
fn sum_head(matrix: &Matrix) -> String {
    format!("of {} load", matrix.rows.len())
}

/// Returns what each row is called: by its name or else its folder's, or by its
/// path where that stands twice.
fn names(matrix: &Matrix, console: &Console) -> Vec<String> {
    let files = matrix.rows.iter().map(|row| &row.checked.target.file);
    let folders = files.map(|file| {
        let is_its_file = file.ends_with("SKILL.md");
        file.parent().filter(|_| is_its_file).unwrap_or(file)
    });
    let folders: Vec<&Path> = folders.collect();
    let names = matrix.rows.iter().zip(&folders).map(|(row, folder)| {
        let of_folder = || folder.file_name().unwrap_or_default().to_string_lossy();
        let name = row.checked.name.as_deref();
        cell(&name.map_or_else(of_folder, Cow::Borrowed))
    });
    let mut names: Vec<String> = names.collect();
    let mut counts: HashMap<String, usize> = HashMap::new();
    for name in &names {
        *counts.entry(name.clone()).or_default() += 1;
    }
    for (name, folder) in names.iter_mut().zip(folders) {
        if counts[name.as_str()] > 1 {
            *name = console.path(folder);
        }
    }
    names
}

fn short(profile: &Profile) -> &'static str {
    let known = SHORT.iter().find(|(name, _)| *name == profile.name);
    known.map_or(profile.name, |(_, short)| short)
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Loads => "ok",
        Outcome::LoadsWithWarning => "warn",
        Outcome::LoadsChanged => "diff",
        Outcome::Unknown => "?",
        Outcome::Drops => "drop",
    }
}

fn meaning(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Loads => "loads",
        Outcome::LoadsWithWarning => "loads with a warning",
        Outcome::LoadsChanged => "loads, but not as written",
        Outcome::Unknown => "nobody could find out",
        Outcome::Drops => "does not load",
    }
}

fn style(outcome: Outcome) -> Style {
    match outcome {
        Outcome::Loads => AnsiColor::Green.on_default(),
        Outcome::LoadsWithWarning => AnsiColor::Yellow.on_default(),
        Outcome::LoadsChanged => AnsiColor::Magenta.on_default().bold(),
        Outcome::Unknown => Style::new().dimmed(),
        Outcome::Drops => AnsiColor::Red.on_default().bold(),
    }
}

/// Says what the short forms and the words mean, as far as they occur.
fn legend(matrix: &Matrix, table: &Table, width: usize, console: &Console) -> Vec<String> {
    let outcomes = OUTCOMES.into_iter().filter(|outcome| {
        let mut all = matrix.rows.iter().flat_map(|row| &row.outcomes);
        all.any(|other| other == outcome)
    });
    let words = outcomes.map(|outcome| (word(outcome), meaning(outcome), style(outcome)));
    let some_unknown = matrix.rows.len() > 1
        && matrix
            .rows
            .iter()
            .any(|row| row.outcomes.contains(&Outcome::Unknown));
    let more = some_unknown.then_some(("+", "or more", Style::new().bold()));
    let mut lines = flow(words.chain(more), width, console);
    let heads = table.heads.iter().zip(&matrix.profiles);
    let heads = heads.filter(|(head, profile)| **head != profile.name);
    let heads = heads.map(|(head, profile)| (*head, profile.name, Style::new().bold()));
    lines.extend(flow(heads, width, console));
    lines
}

/// Sets pairs of a sign and its meaning side by side.
fn flow<'a>(
    pairs: impl Iterator<Item = (&'a str, &'a str, Style)>,
    width: usize,
    console: &Console,
) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for (sign, meaning, style) in pairs {
        let pair = sign.len() + 1 + meaning.len();
        if used > 0 && used + 3 + pair > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            line.push_str("   ");
            used += 3;
        }
        line.push_str(&console.paint(style, sign));
        line.push(' ');
        line.push_str(meaning);
        used += pair;
    }
    lines.extend(Some(line).filter(|line| !line.is_empty()));
    lines
}

/// Returns a fault: its place and rule, what it is, and who does what.
fn fault(row: &Row, reason: &Reason, width: usize, console: &Console) -> Vec<String> {
    let file = &row.checked.target.file;
    let place = console.place(file, reason.span.line, reason.span.column);
    let message = cell(&console.places.shorten_in(&reason.message));
    let mut lines = vec![format!(
        "{}: {}",
        console.paint(Style::new().bold(), &place),
        reason.rule
    )];
    let text = wrap(&message, width.saturating_sub(2));
    lines.extend(text.into_iter().map(|line| format!("  {line}")));
    for outcome in ANSWERS {
        let answers = reason.answers.iter();
        let same: Vec<&Answer> = answers.filter(|answer| answer.outcome == outcome).collect();
        if !same.is_empty() {
            lines.extend(answer_lines(outcome, &same, width, console));
        }
    }
    lines
}

/// Returns who gives the same answer, and below that what each of them says.
fn answer_lines(
    outcome: Outcome,
    answers: &[&Answer],
    width: usize,
    console: &Console,
) -> Vec<String> {
    let room = width.saturating_sub(INDENTATION);
    let who: Vec<String> = answers.iter().map(|answer| who(answer)).collect();
    let said: Vec<String> = answers.iter().map(|answer| said(answer, console)).collect();
    let is_one_voice = !said[0].is_empty() && said.iter().all(|other| *other == said[0]);
    let mut lines = if is_one_voice {
        quote(&who.join(", "), &said[0], room, console)
    } else {
        wrap(&who.join(", "), room)
    };
    for (index, words) in said.iter().enumerate() {
        if is_one_voice || words.is_empty() || said[..index].contains(words) {
            continue;
        }
        let same = said.iter().zip(&who).filter(|(other, _)| *other == words);
        let speakers: Vec<&str> = same.map(|(_, who)| who.as_str()).collect();
        let room = room.saturating_sub(2);
        let quote = quote(&speakers.join(", "), words, room, console);
        lines.extend(quote.into_iter().map(|line| format!("  {line}")));
    }
    for (index, line) in lines.iter_mut().enumerate() {
        let word = if index == 0 { word(outcome) } else { "" };
        let blanks = " ".repeat(INDENTATION - 2 - word.len());
        let painted = if index == 0 {
            console.paint(style(outcome), word)
        } else {
            String::new()
        };
        *line = format!("  {painted}{blanks}{line}");
    }
    lines
}

/// Returns `who: words`, on as many lines as it takes; those after the first are
/// indented.
fn quote(who: &str, words: &str, room: usize, console: &Console) -> Vec<String> {
    let dimmed = |text: &str| console.paint(Style::new().dimmed(), text);
    let told = format!("{who}: {words}");
    let said = if told.width() <= room {
        vec![told]
    } else {
        wrap(&told, room.saturating_sub(2))
    };
    let mut lines: Vec<String> = said
        .iter()
        .map(|line| format!("  {}", dimmed(line)))
        .collect();
    lines[0] = match said[0].strip_prefix(who) {
        Some(first) => format!("{who}{}", dimmed(first)),
        None => dimmed(&said[0]),
    };
    lines
}

fn who(answer: &Answer) -> String {
    if answer.reader.is_empty() {
        answer.profile.name.to_owned()
    } else {
        format!("{} ({})", answer.profile.name, answer.reader)
    }
}

/// Returns a system's own words, or what it changes in ours.
fn said(answer: &Answer, console: &Console) -> String {
    cell(&console.places.shorten_in(&answer.text))
}

fn totals(matrix: &Matrix) -> String {
    let count = |outcome: Outcome| {
        let rows = matrix.rows.iter();
        rows.filter(|row| row.worst() == outcome).count()
    };
    let skills = counted(matrix.rows.len(), "skill");
    let agents = counted(matrix.profiles.len(), "profile");
    let parts = [
        (Outcome::Drops, "dropped somewhere"),
        (Outcome::Unknown, "unknown"),
        (Outcome::LoadsChanged, "changed"),
        (Outcome::LoadsWithWarning, "with warnings"),
        (Outcome::Loads, "fine everywhere"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter_map(|(outcome, what)| match count(outcome) {
            0 => None,
            number => Some(format!("{number} {what}")),
        })
        .collect();
    if parts.is_empty() {
        return format!("{skills}, {agents}");
    }
    format!("{skills}, {agents}: {}", parts.join(", "))
}

/// Cuts text to `width` columns: names differ at their ends, too.
fn cut_in_the_middle(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let kept = width.saturating_sub(3);
    let start = beginning(text.chars(), kept - kept / 2);
    let end = beginning(text.chars().rev(), kept / 2);
    let end = end.into_iter().rev();
    format!(
        "{}...{}",
        start.into_iter().collect::<String>(),
        end.collect::<String>()
    )
}

/// Returns as many of `characters` as fit into `width` columns.
fn beginning(characters: impl Iterator<Item = char>, width: usize) -> Vec<char> {
    let mut used = 0;
    characters
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= width
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Color;
    use crate::render::Looks;

    #[test]
    fn no_two_profiles_share_a_short_form_and_each_fits_its_column() {
        let mut shorts: Vec<&str> = Profile::ALL.iter().map(|profile| short(profile)).collect();
        assert!(shorts.iter().all(|short| short.len() <= WORD), "{shorts:?}");
        shorts.sort_unstable();
        shorts.dedup();
        assert_eq!(shorts.len(), Profile::ALL.len());
    }

    #[test]
    fn words_are_wrapped_and_never_cut() {
        let looks = Looks {
            no_color: true,
            columns: None,
        };
        let console = Console::new(Color::Never, false, looks);
        let words = "Skill name 'Mixed_Kit' does not match directory name";

        assert_eq!(
            quote("vbot", words, 40, &console),
            [
                "vbot: Skill name 'Mixed_Kit' does not",
                "  match directory name"
            ]
        );
        assert_eq!(
            quote("vbot", words, 80, &console),
            [format!("vbot: {words}")]
        );
    }

    #[test]
    fn cut_names_keep_both_ends_and_count_columns() {
        for (text, width, cut) in [
            ("pdf", 8, "pdf"),
            ("abcdefgh", 8, "abcdefgh"),
            ("abcdefghi", 8, "abc...hi"),
            (
                "\u{8868}\u{683c}\u{8868}\u{683c}\u{8868}",
                8,
                "\u{8868}...\u{8868}",
            ),
        ] {
            assert_eq!(cut_in_the_middle(text, width), cut);
        }
    }
}
