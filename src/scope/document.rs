//! A well-formed scope file: its text, and where the two lists are.
//!
//! This file decides what makes a file malformed. It does not know what its
//! decisions mean.

use std::borrow::Cow;
use std::iter;
use std::ops::Range;
use std::path::Path;

use super::file::Fault;
use super::{Scope, State};
use crate::diagnostic::Span;
use crate::env::Secret;
use crate::json::{List, Malformed, Object, Places};
use crate::limits::Limits;

/// The key of a conversation's `meta.json` that holds the two lists.
pub(super) const SKILLS: &str = "skills";
/// The key of a conversation's `meta.json` that lists attached folders.
pub(super) const PLACES: &str = "places";
/// The key of the global file that keeps repositories from saying *on*.
const IGNORE_PROJECT_ON: &str = "ignoreProjectOn";
/// The key of the global file that names the store of personal skills.
const STORE: &str = "store";

/// A well-formed scope file: its text, and where the two lists are.
#[derive(Debug)]
pub(super) struct Document<'a> {
    pub(super) text: &'a str,
    scope: Scope,
    pub(super) root: Object<'a>,
    /// The object under the key `skills`, of a conversation only.
    pub(super) skills: Option<Object<'a>>,
    on: Option<List<'a>>,
    off: Option<List<'a>>,
}

impl<'a> Document<'a> {
    /// Reads the bytes of a scope file, or says why they are not one.
    pub(super) fn parse(
        scope: Scope,
        path: &Path,
        bytes: &'a [u8],
        limits: &Limits,
    ) -> Result<Self, Fault> {
        if bytes.len() as u64 > limits.scope_bytes {
            let message = format!("the file is over {} bytes", limits.scope_bytes);
            return Err(Fault::whole(path, message));
        }
        if bytes.is_empty() {
            let mut fault = Fault::whole(path, "the file is empty, which is not JSON");
            fault.diagnostic.help = Some("write {} into it, or delete it".to_owned());
            return Err(fault);
        }
        if bytes.starts_with(b"\xef\xbb\xbf") {
            let malformed = Malformed::new(0, "a byte-order mark (U+FEFF) stands first")
                .with_help("save the file as UTF-8 without a byte-order mark");
            return Err(Fault::at(path, Span::START, malformed));
        }
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let span = Span::at(bytes, error.valid_up_to());
            Fault::at(path, span, Malformed::new(0, "this is not UTF-8 text"))
        })?;
        let fault = |malformed: Malformed| {
            let span = Places::new(text).at(malformed.offset);
            Fault::at(path, span, malformed)
        };
        let document = Self::parse_text(scope, text).map_err(fault)?;
        document.bounded(limits).map_err(fault)
    }

    /// Returns what is wrong at a place of the text as a fault of the file.
    pub(super) fn fault(&self, path: &Path, malformed: Malformed) -> Fault {
        let span = Places::new(self.text).at(malformed.offset);
        Fault::at(path, span, malformed)
    }

    fn bounded(self, limits: &Limits) -> Result<Self, Malformed> {
        let lists = [&self.on, &self.off];
        let names: usize = lists
            .into_iter()
            .flatten()
            .map(|list| list.elements.len())
            .sum();
        let first = lists.into_iter().flatten().next();
        match first {
            Some(list) if names > limits.decisions => {
                let most = limits.decisions;
                let message = format!("the two lists have {names} names; {most} are the most");
                Err(Malformed::new(list.value.start, message)
                    .with_help("take out names that no skill bears"))
            }
            _ => Ok(self),
        }
    }

    /// Reads a text that may come from an edit of ours.
    pub(super) fn parse_text(scope: Scope, text: &'a str) -> Result<Self, Malformed> {
        let root = Object::parse_document(text, "a scope file")?;
        let skills = match root.get(SKILLS) {
            Some(value) if scope == Scope::Conversation => {
                Some(Object::parse(text, SKILLS, value)?)
            }
            _ => None,
        };
        let mut document = Self {
            text,
            scope,
            root,
            skills,
            on: None,
            off: None,
        };
        document.on = document.read_list(State::On)?;
        document.off = document.read_list(State::Off)?;
        Ok(document)
    }

    /// Returns the object that the two lists are in; `None`: it is missing.
    pub(super) fn holder(&self) -> Option<&Object<'a>> {
        match self.scope {
            Scope::Conversation => self.skills.as_ref(),
            Scope::Global | Scope::Project => Some(&self.root),
        }
    }

    /// Returns one of the two lists.
    pub(super) fn list(&self, state: State) -> Option<&List<'a>> {
        match state {
            State::On => self.on.as_ref(),
            State::Off => self.off.as_ref(),
        }
    }

    fn read_list(&self, state: State) -> Result<Option<List<'a>>, Malformed> {
        let key = state.as_str();
        let value = self.holder().and_then(|holder| holder.get(key));
        value
            .map(|value| List::parse(self.text, key, value))
            .transpose()
    }

    /// Returns what the global file says on projects that say *on*.
    pub(super) fn ignores_project_on(&self, path: &Path) -> Result<bool, Fault> {
        let Some(value) = self.root.get(IGNORE_PROJECT_ON) else {
            return Ok(false);
        };
        match value.text {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => {
                let message = format!("`{IGNORE_PROJECT_ON}` must be true or false");
                let span = Places::new(self.text).of(value);
                Err(Fault::at(path, span, Malformed::new(0, message)))
            }
        }
    }

    /// Returns the text as it may be shown: with `…` in the place of each text
    /// that holds a password, or may, wherever it stands, since people put keys
    /// into wrong files and misspell them.
    pub(super) fn shown(&self) -> Cow<'a, str> {
        let store = self.root.get(STORE).map(|value| value.start);
        let mut shown = String::new();
        let mut told = 0;
        for token in texts(self.text) {
            let text = serde_json::from_str(&self.text[token.clone()]).unwrap_or_default();
            let secret = Secret(text);
            let is_url_of_store = store == Some(token.start) && secret.shown() != secret.0;
            if is_url_of_store || secret.has_password() {
                shown += &self.text[told..token.start];
                shown += "\"…\"";
                told = token.end;
            }
        }
        if told == 0 {
            return Cow::Borrowed(self.text);
        }
        Cow::Owned(shown + &self.text[told..])
    }

    pub(super) fn store(&self, path: &Path) -> Result<Option<String>, Fault> {
        let Some(value) = self.root.get(STORE) else {
            return Ok(None);
        };
        serde_json::from_str(value.text).map(Some).map_err(|_| {
            let message = format!("`{STORE}` must be a text");
            let span = Places::new(self.text).of(value);
            Fault::at(path, span, Malformed::new(0, message))
        })
    }
}

/// Returns where the texts of a well-formed document stand, keys among them.
fn texts(document: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = document.as_bytes();
    let mut at = 0;
    iter::from_fn(move || {
        let start = at + bytes[at..].iter().position(|&b| b == b'"')?;
        let mut end = start + 1;
        while *bytes.get(end)? != b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        at = end + 1;
        Some(start..at)
    })
}
