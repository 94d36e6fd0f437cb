//! How an edit is shown that is not made.

use clap::builder::styling::{AnsiColor, Style};
use codeaf_skills::text::clean;
use similar::TextDiff;

use crate::failure::Failure;
use crate::render::Console;

pub(super) fn print_diff(diff: &str, console: &mut Console) -> Result<(), Failure> {
    for line in diff.split_terminator('\n') {
        // A line end is a part of the line: whoever applies the diff needs it.
        let (line, end) = match line.strip_suffix('\r') {
            Some(line) => (line, "\r"),
            None => (line, ""),
        };
        let line = clean(line);
        let style = match line.as_bytes().first() {
            Some(b'+') => AnsiColor::Green.on_default(),
            Some(b'-') => AnsiColor::Red.on_default(),
            _ => Style::new(),
        };
        let line = console.paint(style, &line);
        console.line(format_args!("{line}{end}"))?;
    }
    Ok(())
}

pub(super) fn unified(before: &str, after: &str, path: &str) -> String {
    if before == after {
        return String::new();
    }
    TextDiff::from_lines(before, after)
        .unified_diff()
        .context_radius(3)
        .header(path, path)
        .to_string()
}
