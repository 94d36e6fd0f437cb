//! What ends a command early: a stable code, the words, the next step, the exit
//! status.

use std::fmt;
use std::process::ExitCode;

use codeaf_skills::personal::without_passwords;
use serde_json::json;

use crate::render::Console;

/// Why a command could not do what was asked.
#[derive(Debug)]
pub(crate) struct Failure {
    /// A stable code for programs, with hyphens.
    pub(crate) code: String,
    /// What happened, with its causes.
    pub(crate) error: anyhow::Error,
    /// What to do next.
    pub(crate) help: Option<String>,
    /// 1, or 2 for wrong usage.
    pub(crate) status: u8,
}

impl Failure {
    pub(crate) fn new(code: &str, message: impl fmt::Display) -> Self {
        Self::from_error(code, anyhow::anyhow!("{message}"))
    }

    /// What the library tells a model has a code with underscores; what a program
    /// tells a program has the same one with hyphens.
    pub(crate) fn told_to_models(code: &str, error: impl Into<anyhow::Error>) -> Self {
        Self::from_error(&code.replace('_', "-"), error)
    }

    pub(crate) fn from_error(code: &str, error: impl Into<anyhow::Error>) -> Self {
        debug_assert!(!code.contains('_'), "`{code}` has a hyphen here");
        Self {
            code: code.to_owned(),
            error: error.into(),
            help: None,
            status: 1,
        }
    }

    /// Wrong usage that clap cannot see.
    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Self {
            status: 2,
            ..Self::new("usage", message)
        }
    }

    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self {
            help: Some(help.into()),
            ..self
        }
    }

    pub(crate) fn context(self, doing: impl fmt::Display + Send + Sync + 'static) -> Self {
        Self {
            error: self.error.context(doing),
            ..self
        }
    }

    /// Prints the failure on standard error and returns the exit status.
    pub(crate) fn report(&self, console: &mut Console) -> ExitCode {
        let help = self
            .help
            .as_deref()
            .map(|help| without_passwords(&console.places.with_flags(help)));
        let causes = self.error.chain();
        let causes = causes.map(|cause| without_passwords(&cause.to_string()));
        if console.json {
            let message: Vec<String> = causes.collect();
            let object = json!({
                "version": 1,
                "error": {
                    "code": self.code,
                    "message": message.join(": "),
                    "help": help.unwrap_or_default(),
                },
            });
            console.json_error(&object);
        } else {
            for (index, cause) in causes.enumerate() {
                let label = if index == 0 { "error" } else { "caused by" };
                let words = console.places.shorten_in(&cause);
                console.error_line(label, &words);
            }
            if let Some(help) = help {
                let words = console.places.shorten_in(&help);
                console.error_line("help", &words);
            }
        }
        ExitCode::from(self.status)
    }
}
