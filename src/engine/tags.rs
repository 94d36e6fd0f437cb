//! The tags between which the program speaks to a model.
//!
//! Whatever else reaches a model, a description, a file, a typed line, can look
//! like such a tag and cannot be one: each carries a secret that this process
//! made and writes nowhere. The id of a conversation would not do, for a folder
//! with a `meta.json` can ship with a repository. So no text is altered for the
//! sake of its tags.

use std::hash::{BuildHasher, RandomState};

/// The tags of one conversation, for as long as it is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tags {
    secret: String,
}

impl Tags {
    /// Makes tags that nobody knows yet.
    pub(super) fn new() -> Self {
        Self { secret: new_id() }
    }

    /// Makes the tags that tests know.
    #[cfg(test)]
    pub(super) fn known() -> Self {
        let secret = "0123456789abcdef".to_owned();
        Self { secret }
    }

    /// Returns a text with every `{{secret}}` in it replaced.
    pub(super) fn fill(&self, text: &str) -> String {
        text.replace("{{secret}}", &self.secret)
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
        let Self { secret } = self;
        format!("<{tag}-{secret}>\n{content}\n</{tag}-{secret}>")
    }
}

/// Returns 16 random hexadecimal digits.
pub(super) fn new_id() -> String {
    // The keys of a hasher come from the system's random numbers, and are other
    // ones for each hasher; what it makes of them does not give them away.
    format!("{:016x}", RandomState::new().hash_one(()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::is_conversation_id;
    use std::path::Path;

    #[test]
    fn tags_carry_a_secret_that_is_new_each_time() {
        assert_eq!(
            Tags::known().note("Hi."),
            "<note-0123456789abcdef>\nHi.\n</note-0123456789abcdef>"
        );
        let tags = Tags::new();
        assert!(is_conversation_id(Path::new(&tags.secret)));
        assert_ne!(tags, Tags::new());
    }
}
