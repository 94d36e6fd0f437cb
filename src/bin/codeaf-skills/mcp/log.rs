//! What the server says on standard error, where nobody may be looking.

use std::collections::HashSet;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use codeaf_skills::text::one_line;
use codeaf_skills::{Diagnostic, Digest};

use super::limits;

/// Writes each message once.
#[derive(Debug)]
pub(super) struct Log {
    quiet: bool,
    told: Mutex<HashSet<Digest>>,
}

impl Log {
    pub(super) fn new(quiet: bool) -> Self {
        Self {
            quiet,
            told: Mutex::default(),
        }
    }

    /// Says what is no fault.
    pub(super) fn note(&self, words: &str) {
        if !self.quiet {
            self.say("note", words);
        }
    }

    /// Says what may be one.
    pub(super) fn warn(&self, words: &str) {
        if !self.quiet {
            self.say("warning", words);
        }
    }

    pub(super) fn error(&self, words: &str) {
        self.say("error", words);
    }

    pub(super) fn finding(&self, found: &Diagnostic) {
        if !self.quiet {
            self.write_once(&found.to_string());
        }
    }

    fn say(&self, label: &str, words: &str) {
        self.write_once(&format!("{label}: {words}"));
    }

    fn write_once(&self, line: &str) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() >= limits::TOLD {
            told.clear();
        }
        if told.insert(Digest::of(line)) {
            // Standard error may be closed, and nothing could be said of it.
            let _ = writeln!(std::io::stderr(), "{}", one_line(line));
        }
    }
}
