//! The line that a person types: editing, history, completion. The only file
//! that knows the line editor.

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{ColorMode, CompletionType, Config, Context, Helper};

use crate::failure::Failure;

const PROMPT: &str = "> ";

/// Lines that are kept to come back to.
const HISTORY: usize = 1_000;

pub(super) struct Editor {
    lines: rustyline::Editor<Words, DefaultHistory>,
}

/// What came of asking for a line.
pub(super) enum Typed {
    Line(String),
    /// Enter, and nothing before it.
    Nothing,
    /// Ctrl-C.
    Stopped,
    /// Ctrl-D.
    End,
}

/// What can be completed.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// Commands with their slash.
    pub(super) commands: Vec<String>,
    /// What stands behind `/why`.
    pub(super) names: Vec<String>,
}

impl Editor {
    /// Makes an editor whose history are the lines that were typed `earlier`.
    pub(super) fn new<'a>(
        earlier: impl DoubleEndedIterator<Item = &'a str>,
        colored: bool,
    ) -> Result<Self, Failure> {
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .color_mode(if colored {
                ColorMode::Enabled
            } else {
                ColorMode::Disabled
            })
            .max_history_size(HISTORY)
            .map_err(failed)?
            .build();
        let mut lines = rustyline::Editor::with_config(config).map_err(failed)?;
        let mut earlier: Vec<&str> = earlier.rev().take(HISTORY).collect();
        earlier.reverse();
        for line in earlier.into_iter().filter(|line| is_plain(line)) {
            // Kept in memory, which does not fail.
            let _ = lines.add_history_entry(line);
        }
        Ok(Self { lines })
    }

    /// Asks for a line.
    pub(super) fn read(&mut self, words: Words) -> Result<Typed, Failure> {
        self.lines.set_helper(Some(words));
        match self.lines.readline(PROMPT) {
            Ok(line) if line.trim().is_empty() => Ok(Typed::Nothing),
            Ok(line) => {
                let _ = self.lines.add_history_entry(line.as_str());
                Ok(Typed::Line(line))
            }
            Err(ReadlineError::Interrupted) => Ok(Typed::Stopped),
            Err(ReadlineError::Eof) => Ok(Typed::End),
            // The window has another size.
            Err(ReadlineError::Signal(_)) => Ok(Typed::Nothing),
            Err(error) => Err(failed(error)),
        }
    }
}

fn failed(error: ReadlineError) -> Failure {
    Failure::from_error("input", error).context("cannot read what is typed")
}

/// Whether a line can be shown for editing: what is stored may be anything.
fn is_plain(line: &str) -> bool {
    !line
        .chars()
        .any(|c| c.is_control() || codeaf_skills::text::is_hidden(c))
}

impl Words {
    /// Returns where the word at the cursor begins, and what it can become.
    fn completed(&self, typed: &str) -> (usize, Vec<String>) {
        const WHY: &str = "/why ";
        let (start, offered) = match typed.strip_prefix(WHY) {
            Some(_) => (WHY.len(), &self.names),
            None if typed.starts_with('/') => (0, &self.commands),
            None => return (0, Vec::new()),
        };
        let word = &typed[start..];
        let fitting = offered.iter().filter(|offer| offer.starts_with(word));
        (start, fitting.cloned().collect())
    }
}

impl Completer for Words {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (start, offers) = self.completed(&line[..at]);
        let pair = |offer: String| Pair {
            replacement: format!("{offer} "),
            display: offer,
        };
        Ok((start, offers.into_iter().map(pair).collect()))
    }
}

impl Hinter for Words {
    type Hint = String;
}
impl Highlighter for Words {}
impl Validator for Words {}
impl Helper for Words {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_the_names_behind_why_are_completed() {
        let of = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let words = Words {
            commands: of(&["/help", "/why", "/pdf", "/pdf-forms", "/skill:\"a b\""]),
            names: of(&["pdf", "review"]),
        };
        for (typed, start, offers) in [
            ("/p", 0, &["/pdf", "/pdf-forms"][..]),
            ("/skill:\"a", 0, &["/skill:\"a b\""]),
            ("/why ", 5, &["pdf", "review"]),
            ("/why re", 5, &["review"]),
            ("/pdf fill", 0, &[]),
            ("text /p", 0, &[]),
            ("", 0, &[]),
        ] {
            let offers: Vec<String> = of(offers);
            assert_eq!(words.completed(typed), (start, offers), "{typed}");
        }
    }
}
