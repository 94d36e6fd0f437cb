//! The report for people: place, rule and message; the line with a caret; what
//! to do; and a line with the totals.

use std::fmt::Write;
use std::io;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use codeaf_skills::check::rules::Record;
use codeaf_skills::text::{clean, counted, hidden_characters, is_hidden};
use codeaf_skills::{Diagnostic, Severity};
use unicode_width::UnicodeWidthChar;

use super::{Report, source_line};
use crate::render::{Console, cell, wrap};

/// Columns that the number of a line and its bar take, and a margin.
const GUTTER: usize = 12;

/// Columns that are shown before a span of a line that is cut.
const BEFORE: usize = 24;

/// Columns that a line is given at the least.
const NARROWEST: usize = 40;

/// What joins pictures into one. The renderer takes it out, so that another mark
/// of no width and as many bytes stands in, which is never shown by itself.
const JOINER: &str = "\u{200d}";
const STAND_IN: &str = "\u{2064}";

pub(super) fn write(report: &Report, console: &mut Console) -> io::Result<()> {
    for (finding, bytes) in report.findings() {
        let block = block(finding, bytes, console);
        console.write(block)?;
    }
    console.line(totals(report))
}

fn totals(report: &Report) -> String {
    let skills = counted(report.skills, "skill");
    let kinds = [Severity::Error, Severity::Warning, Severity::Note];
    let counts: Vec<String> = kinds
        .into_iter()
        .filter_map(|kind| match report.count(kind) {
            0 => None,
            count => Some(counted(count, kind.as_str())),
        })
        .collect();
    let counts = match counts.as_slice() {
        [] => ", nothing found".to_owned(),
        counts => format!(": {}", counts.join(", ")),
    };
    let silenced = match report.silenced {
        0 => String::new(),
        count => format!("; {count} more in the baseline"),
    };
    format!("{skills} checked{counts}{silenced}")
}

/// Returns one finding with a blank line behind it.
fn block(finding: &Diagnostic, bytes: &[u8], console: &Console) -> String {
    let short = |text: &str| cell(&console.places.shorten_in(text));
    let shown = Diagnostic {
        message: short(&finding.message),
        ..finding.clone()
    };
    let mut block = console.finding_line(&shown, console.colored());
    block.push('\n');
    let help = finding.help.as_deref();
    let help = help.map(|help| blanks_kept(&console.places.shorten_in(help)));
    let line = source_line(bytes, finding.span.line).filter(|line| !line.trim().is_empty());
    if let Some(line) = line {
        let width = console.width.saturating_sub(GUTTER).max(NARROWEST);
        let cut = Cut::new(&line, finding, width);
        block.push_str(&caret(&cut, finding, help.as_deref(), console.colored()));
        block.push('\n');
    } else if let Some(help) = help {
        let _ = writeln!(block, "  = help: {help}");
    }
    block.push('\n');
    block
}

/// Returns a help on one line, fit to be shown. Its blanks may be those of a text
/// to type, and stay.
fn blanks_kept(help: &str) -> String {
    clean(help).replace(char::is_whitespace, " ")
}

fn caret(cut: &Cut, finding: &Diagnostic, help: Option<&str>, colored: bool) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let line = usize::try_from(finding.span.line).unwrap_or(usize::MAX);
    let source = cut.text.replace(JOINER, STAND_IN);
    let snippet = Snippet::source(source)
        .line_start(line)
        .annotation(AnnotationKind::Primary.span(cut.span.clone()));
    let mut group = Group::with_level(level).element(snippet);
    if let Some(help) = help {
        group = group.element(Level::HELP.message(help));
    }
    let renderer = if colored {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    // The line is cut already.
    let text = renderer.term_width(usize::from(u16::MAX)).render(&[group]);
    let text = text.replace(STAND_IN, JOINER);
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n")
}

/// A line made fit to be shown: what hides is written out, and what is far from
/// the span is cut off.
struct Cut {
    text: String,
    span: std::ops::Range<usize>,
}

impl Cut {
    /// Cuts `line` to about `width` columns around the span of `finding`.
    ///
    /// A line may have a million characters, and many findings.
    fn new(line: &str, finding: &Diagnostic, width: usize) -> Self {
        let number = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
        let offset = |text: &str, characters: usize| {
            let mut offsets = text.char_indices();
            offsets.nth(characters).map_or(text.len(), |(at, _)| at)
        };
        let start = offset(line, number(finding.span.column).saturating_sub(1));
        let end = start + offset(&line[start..], number(finding.span.length));
        let first = if fits(line, width) {
            0
        } else {
            back(&line[..start], BEFORE)
        };
        let mut cut = Self {
            text: if first > 0 { "..." } else { "" }.to_owned(),
            span: 0..0,
        };
        // Not more than could be shown: zero-width marks take no column.
        let window = &line[first..first + offset(&line[first..], 8 * width)];
        let hidden = hidden_characters(window);
        let hides = |at: usize| {
            let known = hidden.binary_search_by_key(&(at - first), |&(at, _)| at);
            known.is_ok() || at - first >= window.len()
        };
        let mut used = 0;
        let mut rest = line[first..].char_indices();
        let last = loop {
            let at = first + line[first..].len() - rest.as_str().len();
            if at <= start {
                cut.span.start = cut.text.len();
            }
            if at <= end {
                cut.span.end = cut.text.len();
            }
            let Some((_, c)) = rest.next() else { break at };
            let (shown, columns) = if is_hidden(c) && !hides(at) {
                (c.to_string(), c.width().unwrap_or(0))
            } else {
                visible(c)
            };
            used += columns;
            if used > width {
                break at;
            }
            cut.text.push_str(&shown);
        };
        if last < line.len() {
            cut.text.push_str("...");
        }
        cut
    }
}

fn fits(line: &str, width: usize) -> bool {
    let mut used = 0;
    line.chars().all(|c| {
        used += visible(c).1;
        used <= width
    })
}

/// Returns where the last `columns` columns of `text` begin, or a little before.
fn back(text: &str, columns: usize) -> usize {
    let mut used = 0;
    let mut before = text.char_indices().rev();
    before
        .find(|(_, c)| {
            used += visible(*c).1;
            used >= columns
        })
        .map_or(0, |(at, _)| at)
}

/// Returns what stands for a character that nobody sees.
pub(crate) fn code_point(c: char) -> String {
    format!("<U+{:04X}>", u32::from(c))
}

/// Returns what is shown for a character, and the columns that it takes.
fn visible(c: char) -> (String, usize) {
    if c == '\t' {
        ("    ".to_owned(), 4)
    } else if is_hidden(c) {
        let name = code_point(c);
        let width = name.len();
        (name, width)
    } else {
        (c.to_string(), c.width().unwrap_or(0))
    }
}

/// Returns the page of a rule.
pub(crate) fn page(record: &Record, width: usize) -> String {
    let mut page = format!("{}: {}\n", record.rule, record.title);
    let width = width.min(80);
    for text in [record.what, record.why] {
        paragraph(&mut page, text, width);
    }
    for (head, example) in [("Bad:", record.bad), ("Good:", record.good)] {
        if example.is_empty() {
            continue;
        }
        let _ = writeln!(page, "\n{head}\n");
        for line in example.lines() {
            let line = format!("    {line}");
            let _ = writeln!(page, "{}", line.trim_end());
        }
    }
    paragraph(&mut page, record.agents, width);
    page
}

fn paragraph(page: &mut String, text: &str, width: usize) {
    if !text.is_empty() {
        let _ = writeln!(page, "\n{}", wrap(text, width).join("\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::blanks_kept;

    #[test]
    fn a_text_to_type_keeps_its_blanks_on_one_line() {
        let help = "write license: 'a  b\tc\u{1b}[2J\nd'";

        assert_eq!(blanks_kept(help), "write license: 'a  b c d'");
    }
}
