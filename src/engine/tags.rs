//! The tags between which the program speaks to a model.
//!
//! Whatever else reaches a model, a description, a file, a typed line, can look
//! like such a tag and cannot be one: each carries an id that nobody else knows.
//! So no text is altered for the sake of its tags.

use std::hash::{BuildHasher, RandomState};
use std::path::Path;

use crate::env::is_conversation_id;

/// The tags of one conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tags {
    id: String,
}

impl Tags {
    /// Makes the tags of a conversation that bears `id`; with none, or one that
    /// could be guessed, they are new for this process.
    pub(super) fn of(id: Option<&str>) -> Self {
        let id = id.filter(|id| is_conversation_id(Path::new(id)));
        Self {
            id: id.map_or_else(new_id, str::to_owned),
        }
    }

    /// Returns a text with every `{{id}}` in it replaced.
    pub(super) fn fill(&self, text: &str) -> String {
        text.replace("{{id}}", &self.id)
    }

    /// Returns what the program tells the model.
    pub(super) fn note(&self, content: &str) -> String {
        self.within("note", content)
    }

    /// Returns what was said before a compaction, in short.
    pub(super) fn summary(&self, content: &str) -> String {
        self.within("summary", content)
    }

    /// Returns what a summary is to be written of.
    pub(super) fn conversation(&self, content: &str) -> String {
        self.within("conversation", content)
    }

    fn within(&self, tag: &str, content: &str) -> String {
        let Self { id } = self;
        format!("<{tag}-{id}>\n{content}\n</{tag}-{id}>")
    }
}

/// Returns the id of a conversation that begins: 16 hexadecimal digits.
pub(super) fn new_id() -> String {
    // The seed of a hasher is random, and new for each of them.
    format!("{:016x}", RandomState::new().hash_one(()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_could_be_guessed_makes_no_tags() {
        let known = Tags::of(Some("0123456789abcdef"));
        assert_eq!(
            known.note("Hi."),
            "<note-0123456789abcdef>\nHi.\n</note-0123456789abcdef>"
        );
        assert_eq!(known, Tags::of(Some("0123456789abcdef")));
        for id in [None, Some(""), Some("1"), Some("0123456789abcdeg")] {
            let tags = Tags::of(id);
            assert!(is_conversation_id(Path::new(&tags.id)), "{tags:?}");
            assert_ne!(tags, Tags::of(id));
        }
    }
}
