//! What a conversation looks like: words as they come, rows of their own.

use std::io;

use codeaf_skills::engine::Event;
use codeaf_skills::text::{Cleaner, one_line};

use crate::failure::Failure;
use crate::render::Console;

/// What stands before a row. Only the program draws it: in a model's words it
/// becomes [`OF_A_MODEL`].
const MARK: char = '\u{25c6}';
const OF_A_MODEL: &str = "\u{25c7}";

/// The model's words go to standard output, everything else to standard error.
pub(super) struct Screen<'a> {
    pub(super) console: &'a mut Console,
    cleaner: Cleaner,
    is_in_line: bool,
    /// Whether the model's words are kept for one object at the end.
    holds_back: bool,
    /// Why the model's words could not be written, once they could not.
    failed: Option<io::Error>,
}

impl<'a> Screen<'a> {
    pub(super) fn new(console: &'a mut Console) -> Self {
        Self {
            holds_back: console.json,
            console,
            cleaner: Cleaner::new(),
            is_in_line: false,
            failed: None,
        }
    }

    pub(super) fn show(&mut self, event: Event<'_>) {
        match event {
            Event::Text(piece) => {
                let shown = self.cleaner.push(piece);
                self.write(&shown);
            }
            Event::TextEnd => {
                let rest = self.cleaner.finish();
                self.write(&rest);
                self.end_line();
            }
            Event::Row(row) => {
                self.end_line();
                self.console.row(&format!("{MARK} {}", one_line(row)));
            }
            Event::Found(found) => self.console.finding(found),
            Event::ScopeUnreadable(fault) => {
                self.console.finding(&fault.diagnostic);
                self.note("note: no skill is offered until the file is mended");
            }
            Event::Note(note) => self.note(&format!("note: {note}")),
            _ => {}
        }
    }

    /// Writes a line beside the answer.
    pub(super) fn note(&mut self, note: &str) {
        self.end_line();
        self.console.note(one_line(note));
    }

    /// Returns why the answer could not be written, if it could not.
    pub(super) fn check(&mut self) -> Result<(), Failure> {
        self.failed.take().map_or(Ok(()), |error| Err(error.into()))
    }

    /// Whether there is nobody left to write for.
    pub(super) fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    fn end_line(&mut self) {
        if self.is_in_line {
            self.write("\n");
        }
    }

    fn write(&mut self, text: &str) {
        if text.is_empty() || self.holds_back || self.failed.is_some() {
            return;
        }
        self.is_in_line = !text.ends_with('\n');
        let text = text.replace(MARK, OF_A_MODEL);
        let written = self
            .console
            .write(text)
            .and_then(|()| self.console.finish());
        self.failed = written.err();
    }
}
