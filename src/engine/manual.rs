//! The manual: one set of pages, for the `manual` tool and for people.
//!
//! This file decides which page answers a question. The pages say what holds;
//! tests hold that they name every tool and command.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::belt::{Answered, Refusal, only};

/// One page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// Its name.
    pub name: &'static str,
    /// Its text, in Markdown; the first line is the title.
    pub text: &'static str,
}

macro_rules! pages {
    ($($name:literal,)+) => {
        /// Every page, in the order of reading.
        pub const PAGES: &[Page] =
            &[$(Page { name: $name, text: include_str!(concat!("manual/", $name, ".md")) }),+];
    };
}

pages![
    "skills",
    "decisions",
    "activation",
    "files",
    "folders",
    "chat",
    "conversation",
    "compaction",
    "model",
];

impl Page {
    /// Returns the page called `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        PAGES.iter().copied().find(|page| page.name == name)
    }

    /// Returns the title: the question that the page answers.
    #[must_use]
    pub fn title(self) -> &'static str {
        let first = self.text.lines().next().unwrap_or_default();
        first.trim_start_matches("# ")
    }

    /// Returns the page that answers `question` best, if any says something on
    /// it: the one whose title and text have most of its words.
    #[must_use]
    pub fn answering(question: &str) -> Option<Self> {
        let wanted: HashSet<String> = words(question).collect();
        let score = |page: &Page| {
            let in_title: HashSet<String> = words(page.title()).chain(words(page.name)).collect();
            let in_text: HashSet<String> = words(page.text).collect();
            let of = |set: &HashSet<String>| wanted.intersection(set).count();
            3 * of(&in_title) + of(&in_text)
        };
        let best = PAGES.iter().map(|page| (score(page), page));
        // Of equal pages the first: the order of reading.
        let (score, page) = best.rev().max_by_key(|(score, _)| *score)?;
        (score > 0).then_some(*page)
    }
}

/// Returns the words of a text that say something, without their endings.
fn words(text: &str) -> impl Iterator<Item = String> {
    const EMPTY: [&str; 44] = [
        "a", "an", "and", "are", "as", "at", "be", "by", "can", "could", "do", "does", "for",
        "from", "get", "have", "how", "i", "in", "is", "it", "its", "me", "my", "of", "on", "or",
        "please", "tell", "that", "the", "there", "this", "to", "what", "when", "where", "which",
        "who", "will", "with", "you", "your", "yourself",
    ];
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && !EMPTY.contains(word))
        .map(|word| {
            let mut stems = ["ing", "ed", "s"]
                .iter()
                .filter_map(|end| word.strip_suffix(end));
            let stem = stems.find(|stem| stem.len() > 2);
            stem.unwrap_or(word).to_owned()
        })
        .collect::<Vec<_>>()
        .into_iter()
}

pub(super) fn definition() -> Value {
    json!({
        "type": "function",
        "function": {
            "name": "manual",
            "description": "Answers questions on this program from its manual: what it can do and what you can do in it, \
                its commands, its files, how it is set up. Without a question, lists the pages.",
            "parameters": {
                "type": "object",
                "properties": {
                    "question": {"type": "string", "description": "The question, or the name of a page."},
                },
                "additionalProperties": false,
            },
        },
    })
}

pub(super) fn answer(arguments: &Value) -> Result<Answered, Refusal> {
    only(arguments, &["question"])?;
    let question = match &arguments["question"] {
        Value::Null => "",
        Value::String(question) => question.trim(),
        _ => return Err(Refusal::invalid("`question` must be a text")),
    };
    if question.is_empty() {
        let titles: Vec<Value> = PAGES
            .iter()
            .map(|page| json!({"page": page.name, "title": page.title()}))
            .collect();
        return Ok(Answered {
            row: "manual · the list of pages".to_owned(),
            data: json!({"pages": titles}),
        });
    }
    let page = Page::named(question).or_else(|| Page::answering(question));
    let Some(page) = page else {
        let names: Vec<&str> = PAGES.iter().map(|page| page.name).collect();
        let message = format!(
            "no page says anything on this; the pages are {}",
            names.join(", ")
        );
        return Err(Refusal::new("not_found", message).about(question));
    };
    Ok(Answered {
        row: format!("manual · {}", page.name),
        data: json!({"page": page.name, "content": page.text}),
    })
}

#[cfg(test)]
mod tests {
    use super::super::belt::Tool;
    use super::super::built_in::BuiltIn;
    use super::*;

    #[test]
    fn the_manual_names_every_tool_and_every_command() {
        let all: String = PAGES.iter().map(|page| page.text).collect();
        for tool in Tool::ALL {
            assert!(all.contains(&format!("tool `{}`", tool.name())), "{tool:?}");
        }
        let chat = Page::named("chat").unwrap().text;
        for command in BuiltIn::ALL {
            let arguments = command.arguments().map(|words| format!(" {words}"));
            let typed = format!("/{}{}", command.name(), arguments.unwrap_or_default());
            assert!(chat.contains(&format!("    {typed} ")), "{typed}");
        }
    }

    #[test]
    fn every_page_has_a_question_for_its_title() {
        for page in PAGES {
            assert!(
                page.text.starts_with("# ") && page.title().ends_with('?'),
                "{}",
                page.name
            );
        }
    }

    #[test]
    fn questions_reach_the_page_that_answers_them() {
        let questions = [
            ("which skills can you use on your own?", "skills"),
            ("What is a skill?", "skills"),
            ("why is my skill off", "decisions"),
            ("How do I turn a skill on?", "decisions"),
            ("turn off a skill for this project", "decisions"),
            ("what does allowed-skills do", "decisions"),
            ("how do I load a skill?", "activation"),
            ("is a skill loaded twice?", "activation"),
            ("which files can you read?", "files"),
            ("can you read binary files", "files"),
            ("attach a folder", "folders"),
            ("which slash commands are there?", "chat"),
            ("how do I stop an answer?", "chat"),
            ("where is the transcript kept?", "conversation"),
            ("how do I continue a conversation?", "conversation"),
            ("what is compaction", "compaction"),
            (
                "what happens when the conversation is too long",
                "compaction",
            ),
            ("how do I set the model?", "model"),
            ("which API key is used", "model"),
            ("what are standing orders", "model"),
        ];
        let missed: Vec<_> = questions
            .into_iter()
            .map(|(question, page)| (question, page, Page::answering(question)))
            .filter(|(_, page, found)| found.is_none_or(|found| found.name != *page))
            .map(|(question, page, found)| (question, page, found.map(|found| found.name)))
            .collect();
        assert!(missed.is_empty(), "{missed:?}");
        assert_eq!(Page::answering("xyzzy"), None);
        assert_eq!(Page::answering("the of and"), None);
    }

    #[test]
    fn the_tool_lists_the_pages_finds_one_and_says_when_there_is_none() {
        let list = answer(&json!({})).unwrap();
        let page = answer(&json!({"question": "compaction"})).unwrap();
        let none = answer(&json!({"question": "xyzzy"})).unwrap_err();

        assert_eq!(list.data["pages"].as_array().unwrap().len(), PAGES.len());
        assert_eq!(page.row, "manual · compaction");
        assert_eq!(
            page.data["content"],
            Page::named("compaction").unwrap().text
        );
        assert_eq!(none.code, "not_found");
        assert!(answer(&json!({"page": "x"})).is_err());
        assert!(answer(&json!({"question": 1})).is_err());
    }
}
