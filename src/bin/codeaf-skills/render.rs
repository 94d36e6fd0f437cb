//! Where output goes and how it looks: streams, colour, width, tables, paths,
//! findings. The only file of the program that prints.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::iter;
use std::path::{Path, PathBuf};

use clap::builder::styling::{AnsiColor, Style};
use codeaf_skills::text::{clean, one_line, write_json};
use codeaf_skills::{Diagnostic, Severity};
use comfy_table::{ColumnConstraint, ContentArrangement, Table, Width};
use serde::Serialize;

use crate::args::Color;
use crate::commands::quoted_exactly;

/// What the program is called in a command that is suggested.
const PROGRAM: &str = "codeaf-skills";

/// What is said behind commands that have no password for their store.
const PASSWORD_LACKS: &str = " (give the password in PGPASSWORD)";

/// Characters on a line where there is no terminal.
const DEFAULT_WIDTH: usize = 120;

/// A line is not made narrower than this.
const NARROWEST: usize = 20;

/// A description column narrower than this is worse than lines of its own.
const NARROWEST_TEXT: usize = 36;

/// Bytes of the answer that are held back: each page of it costs a page fault at
/// the first use, each write a system call.
const BUFFER: usize = 1 << 14;

/// The two streams of the program and how to write on them.
pub(crate) struct Console {
    out: io::BufWriter<io::StdoutLock<'static>>,
    pub(crate) json: bool,
    verbosity: Verbosity,
    /// With `--json`: notes and findings, until it is known that the command does
    /// not fail. A failure stands alone on standard error.
    aside: String,
    pub(crate) width: usize,
    color_out: bool,
    color_err: bool,
    /// Where paths are shown from.
    pub(crate) places: Places,
}

/// How much is said beside the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verbosity {
    /// `-q`
    Errors,
    Notes,
    /// `-v`
    Everything,
}

/// What variables say of how output is to look.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Looks {
    /// `NO_COLOR`
    pub(crate) no_color: bool,
    /// `COLUMNS`
    pub(crate) columns: Option<usize>,
}

/// Returns the width of a line: that of the terminal, or what is said of one
/// that does not tell it.
fn width(is_terminal: bool, told: Option<usize>, said: Option<usize>) -> usize {
    let known = told.or(said).filter(|_| is_terminal);
    known.map_or(DEFAULT_WIDTH, |columns| columns.max(NARROWEST))
}

/// Whether the answer goes to a terminal.
pub(crate) fn answers_a_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Folders that shorten the paths under them.
#[derive(Debug, Default, Clone)]
pub(crate) struct Places {
    pub(crate) working_folder: PathBuf,
    /// Where the shell is: commands of other programs know no `-C`.
    pub(crate) shell_folder: PathBuf,
    pub(crate) home: Option<PathBuf>,
    /// The flags that say where to look; a suggested command says them again.
    pub(crate) flags: Vec<String>,
    /// Whether the store of the flags had a password, which they do not have.
    pub(crate) lacks_password: bool,
    /// What `--conversation` said.
    pub(crate) conversation: Option<PathBuf>,
}

impl Console {
    pub(crate) fn new(color: Color, json: bool, looks: Looks) -> Self {
        let wants = |is_terminal: bool| match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => is_terminal && !looks.no_color,
        };
        let stdout = io::stdout();
        let is_terminal = stdout.is_terminal();
        let size = is_terminal.then(terminal_size::terminal_size).flatten();
        let told = size.map(|(width, _)| usize::from(width.0));
        Self {
            color_out: wants(is_terminal),
            color_err: wants(io::stderr().is_terminal()),
            width: width(is_terminal, told, looks.columns),
            out: io::BufWriter::with_capacity(BUFFER, stdout.lock()),
            json,
            verbosity: Verbosity::Notes,
            aside: String::new(),
            places: Places::default(),
        }
    }

    pub(crate) fn set_verbosity(&mut self, verbosity: Verbosity) {
        self.verbosity = verbosity;
    }

    pub(crate) fn is_verbose(&self) -> bool {
        self.verbosity == Verbosity::Everything
    }

    /// Writes a part of the answer as it is.
    pub(crate) fn write(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        self.out.write_all(bytes.as_ref())
    }

    /// Writes a line of the answer.
    pub(crate) fn line(&mut self, line: impl Display) -> io::Result<()> {
        writeln!(self.out, "{line}")
    }

    /// Writes one JSON object as the answer.
    pub(crate) fn json(&mut self, object: &impl Serialize) -> io::Result<()> {
        write_json(&mut self.out, object)?;
        self.out.write_all(b"\n")
    }

    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.out.flush()?;
        let _ = io::stderr().lock().write_all(self.aside.as_bytes());
        self.aside.clear();
        Ok(())
    }

    /// Writes a note on standard error unless the user wants none.
    pub(crate) fn note(&mut self, note: impl Display) {
        if self.verbosity > Verbosity::Errors {
            let note = self.places.with_flags(&note.to_string());
            self.beside(&note);
        }
    }

    /// Writes the row of a tool on standard error; it is always shown.
    #[cfg(feature = "chat")]
    pub(crate) fn row(&mut self, row: &str) {
        let row = paint(self.color_err, AnsiColor::Cyan.on_default(), row);
        self.error_text(&row);
    }

    /// Writes `label: message` on standard error, also when notes are unwanted.
    pub(crate) fn error_line(&mut self, label: &str, message: &str) {
        let line = self.labelled(label, message);
        self.error_text(&line);
    }

    fn labelled(&self, label: &str, message: &str) -> String {
        let style = match label {
            "error" => AnsiColor::Red.on_default().bold(),
            "warning" => AnsiColor::Yellow.on_default().bold(),
            "help" => AnsiColor::Cyan.on_default().bold(),
            _ => Style::new().bold(),
        };
        let label = paint(self.color_err, style, label);
        // What a file says must not look like a line of ours.
        format!("{label}: {}", one_line(message))
    }

    /// Writes what clap says of wrong usage.
    pub(crate) fn usage(&mut self, text: &str) {
        let painted = text.strip_prefix("error:").map(|rest| {
            let style = AnsiColor::Red.on_default().bold();
            format!("{}:{rest}", paint(self.color_err, style, "error"))
        });
        let text = painted.unwrap_or_else(|| text.to_owned());
        self.error_text(text.trim_end());
    }

    pub(crate) fn json_error(&mut self, object: &serde_json::Value) {
        let mut bytes = Vec::new();
        self.aside.clear();
        if write_json(&mut bytes, object).is_ok() {
            self.error_text(&String::from_utf8_lossy(&bytes));
        }
    }

    /// Writes what is said beside the answer or the failure.
    fn beside(&mut self, text: &str) {
        if self.json {
            self.aside.extend([text, "\n"]);
        } else {
            self.error_text(text);
        }
    }

    fn error_text(&mut self, text: &str) {
        // What the answer says comes first where both streams meet. With a
        // closed standard error there is nobody left to tell.
        let _ = self.out.flush();
        let _ = writeln!(io::stderr().lock(), "{text}");
    }

    /// Writes a finding on standard error: place, severity, rule, message, help.
    pub(crate) fn finding(&mut self, diagnostic: &Diagnostic) {
        if self.verbosity == Verbosity::Errors && diagnostic.severity != Severity::Error {
            return;
        }
        let line = self.finding_line(diagnostic, self.color_err);
        self.beside(&line);
        if let Some(help) = &diagnostic.help {
            let line = self.labelled("  help", &self.next_step(help));
            self.beside(&line);
        }
    }

    /// Returns a finding for JSON: its help names the place too.
    pub(crate) fn with_flags(&self, diagnostic: &Diagnostic) -> Diagnostic {
        let help = diagnostic.help.as_deref();
        Diagnostic {
            help: help.map(|help| self.places.with_flags(help)),
            ..diagnostic.clone()
        }
    }

    /// Returns the help of a finding as it is shown.
    pub(crate) fn next_step(&self, help: &str) -> String {
        self.places.shorten_in(&self.places.with_flags(help))
    }

    /// Returns `path:line:column: severity[rule]: message`.
    pub(crate) fn finding_line(&self, diagnostic: &Diagnostic, color: bool) -> String {
        let severity = format!("{}[{}]", diagnostic.severity, diagnostic.rule);
        format!(
            "{}{}: {}: {}",
            self.path(&diagnostic.path),
            diagnostic.span,
            paint(color, severity_style(diagnostic.severity), &severity),
            one_line(&self.places.shorten_in(&diagnostic.message))
        )
    }

    /// Paints a part of the answer.
    pub(crate) fn paint(&self, style: Style, text: &str) -> String {
        paint(self.color_out, style, text)
    }

    /// Returns the width of the terminal that the answer goes to, if it does.
    pub(crate) fn terminal_width(&self) -> Option<usize> {
        answers_a_terminal().then_some(self.width)
    }

    pub(crate) fn colored(&self) -> bool {
        self.color_out
    }

    /// Returns `path` as the user would type it.
    pub(crate) fn path(&self, path: &Path) -> String {
        self.places.shorten(path)
    }

    /// Returns `path:line:column`.
    pub(crate) fn place(&self, path: &Path, line: u32, column: u32) -> String {
        format!("{}:{line}:{column}", self.path(path))
    }
}

impl Places {
    /// Returns the program with the flags that say where to look: without them a
    /// suggested command would be about another place.
    pub(crate) fn program(&self) -> String {
        let words = self.flags.iter().map(|word| quoted_exactly(word));
        iter::once(PROGRAM.to_owned())
            .chain(words)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Says the flags in each command that `text` suggests.
    pub(crate) fn with_flags(&self, text: &str) -> String {
        let said = format!("`{} ", self.program());
        // What is made for this place already has them.
        let parts = text.split(&said);
        let parts = parts.map(|part| part.replace(&format!("`{PROGRAM} "), &said));
        let text = parts.collect::<Vec<_>>().join(&said);
        let is_lacking = self.lacks_password && text.contains(&said);
        if is_lacking && !text.ends_with(PASSWORD_LACKS) {
            return text + PASSWORD_LACKS;
        }
        text
    }

    /// Returns `text` with the paths in it shortened.
    pub(crate) fn shorten_in(&self, text: &str) -> String {
        let text = replace_at_start_of_paths(text, &self.working_folder, "");
        match &self.home {
            Some(home) => replace_at_start_of_paths(&text, home, "~/"),
            None => text,
        }
    }

    /// Returns `path` from the working folder, from `~`, from a folder not far
    /// above the working folder, or whole; cleaned.
    pub(crate) fn shorten(&self, path: &Path) -> String {
        let short = self.seen_from(&self.working_folder, path);
        clean(&short.to_string_lossy()).replace('\n', "\u{fffd}")
    }

    /// Returns `path` as it is typed for another program.
    pub(crate) fn seen_from_shell(&self, path: &Path) -> PathBuf {
        self.seen_from(&self.shell_folder, path)
    }

    fn seen_from(&self, folder: &Path, path: &Path) -> PathBuf {
        let from_home = |home: &PathBuf| Some(Path::new("~").join(path.strip_prefix(home).ok()?));
        // A home below the working folder is still shown as home.
        let below_home = self.home.as_ref().filter(|home| home.starts_with(folder));
        if let Some(short) = below_home.and_then(from_home) {
            return short;
        }
        match path.strip_prefix(folder) {
            Ok(rest) if rest.as_os_str().is_empty() => PathBuf::from("."),
            Ok(rest) => rest.to_path_buf(),
            Err(_) => self
                .seen_from_below(folder, path)
                .or_else(|| self.home.as_ref().and_then(from_home))
                .unwrap_or_else(|| path.to_path_buf()),
        }
    }

    /// Returns `../…` where a folder at most three levels above `folder` holds
    /// `path`, and neither home nor anything around home does.
    fn seen_from_below(&self, folder: &Path, path: &Path) -> Option<PathBuf> {
        let above = folder.ancestors().skip(1).take(3);
        let mut up = PathBuf::new();
        for folder in above {
            up.push("..");
            let is_around_home = self
                .home
                .as_ref()
                .is_some_and(|home| home.starts_with(folder));
            if is_around_home || folder.parent().is_none() {
                return None;
            }
            if let Ok(rest) = path.strip_prefix(folder) {
                return Some(up.join(rest));
            }
        }
        None
    }
}

/// Puts `short` in the place of `folder/` where a path begins with it.
fn replace_at_start_of_paths(text: &str, folder: &Path, short: &str) -> String {
    let folder = folder.to_str().unwrap_or_default().trim_end_matches('/');
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(folder).filter(|_| !folder.is_empty()) {
        let (before, found) = rest.split_at(at);
        let after = &found[folder.len()..];
        let is_begun = before.is_empty() || before.ends_with([' ', '`', '\'', '"', '(', '=', ':']);
        replaced.push_str(before);
        match after.strip_prefix('/') {
            Some(inside) if is_begun => {
                replaced.push_str(short);
                rest = inside;
            }
            _ => {
                replaced.push_str(folder);
                rest = after;
            }
        }
    }
    replaced.push_str(rest);
    replaced
}

fn severity_style(severity: Severity) -> Style {
    match severity {
        Severity::Error => AnsiColor::Red.on_default().bold(),
        Severity::Warning => AnsiColor::Yellow.on_default().bold(),
        Severity::Note => AnsiColor::Cyan.on_default().bold(),
    }
}

fn paint(color: bool, style: Style, text: &str) -> String {
    if color {
        format!("{style}{text}{style:#}")
    } else {
        text.to_owned()
    }
}

/// Rows under upper-case heads, without borders; the last column is text that
/// wraps.
pub(crate) struct Rows {
    heads: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Rows {
    pub(crate) fn new(heads: &[&'static str]) -> Self {
        Self {
            heads: heads.to_vec(),
            rows: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the lines of the table for a width in columns.
    ///
    /// Where the last column would be squeezed, it stands on lines of its own
    /// below its row.
    pub(crate) fn lines(&self, width: usize) -> Vec<String> {
        let last = self.heads.len() - 1;
        let fixed: usize = (0..last).map(|column| self.column_width(column) + 2).sum();
        if width >= fixed + NARROWEST_TEXT || self.column_width(last) + fixed <= width {
            return self.arrange(width, last + 1);
        }
        let head_lines = self.arrange(usize::from(u16::MAX), last);
        let texts =
            std::iter::once(self.heads[last]).chain(self.rows.iter().map(|row| row[last].as_str()));
        let mut lines = Vec::new();
        for (head, text) in head_lines.into_iter().zip(texts) {
            lines.push(head);
            let text = wrap(text, width.saturating_sub(2).max(16));
            lines.extend(text.into_iter().map(|line| format!("  {line}")));
        }
        lines
    }

    fn column_width(&self, column: usize) -> usize {
        let cells = self.rows.iter().map(|row| row[column].as_str());
        cells
            .chain([self.heads[column]])
            .map(display_width)
            .max()
            .unwrap_or(0)
    }

    fn arrange(&self, width: usize, columns: usize) -> Vec<String> {
        let mut table = Table::new();
        table.load_style(comfy_table::presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
        table.add_row(&self.heads[..columns]);
        for row in &self.rows {
            table.add_row(&row[..columns]);
        }
        for (index, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, if index + 1 == columns { 0 } else { 2 }));
            if index + 1 < columns {
                let fixed = u16::try_from(self.column_width(index) + 2).unwrap_or(u16::MAX);
                column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(fixed)));
            }
        }
        table
            .lines()
            .map(|line| line.trim_end().to_owned())
            .collect()
    }
}

fn display_width(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

/// Breaks text at blanks into lines of at most `width` columns; a longer word
/// has a line of its own.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let is_full = display_width(&line) + 1 + display_width(word) > width;
        if !line.is_empty() && is_full {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// Cleans text for one cell of a table.
pub(crate) fn cell(text: &str) -> String {
    codeaf_skills::text::one_line(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::width;

    #[test]
    fn a_terminal_that_does_not_tell_its_width_has_what_is_said() {
        for (is_terminal, told, said, found) in [
            (true, Some(80), Some(60), 80),
            (true, None, Some(60), 60),
            (true, None, Some(3), 20),
            (true, None, None, 120),
            (false, None, Some(60), 120),
        ] {
            assert_eq!(width(is_terminal, told, said), found);
        }
    }
}
