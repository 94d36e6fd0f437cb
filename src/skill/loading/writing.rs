//! What is said of how fields are written: tabs, comments, words and characters
//! that other readers take for something else.

use super::{Breach, Findings, quoted};
use crate::diagnostic::Span;
use crate::skill::frontmatter::{Comment, Content, Facts, Field, Scalar, Style, Value};
use crate::text;

/// Findings of one kind that are shown; the rest are the same again.
const SHOWN: usize = 32;

/// Words that YAML 1.1 takes for true or false and YAML 1.2 for text, as the
/// common readers have them: without `y` and `n`.
const TRUTH_WORDS: [&str; 4] = ["yes", "no", "on", "off"];

/// Fields whose text a reader shows, and in which no truth value is meant.
const TEXT_FIELDS: [&str; 4] = ["name", "description", "license", "compatibility"];

impl Findings<'_> {
    pub(super) fn about_the_writing(&mut self, facts: &Facts) {
        for &tab in facts.tabs.iter().take(SHOWN) {
            let message = "a tab stands behind the colon; some agents refuse the file for it";
            let help = "put a blank there instead";
            self.tell(Breach::TabAfterColon, tab, message, help);
        }
        for comment in facts.comments.iter().take(SHOWN) {
            self.comment(facts, *comment);
        }
        if self.profile.severity(Breach::Yaml11Boolean).is_some() {
            for value in facts.fields.iter().flat_map(texts) {
                self.truth_word(value);
            }
        }
        if self.profile.severity(Breach::HiddenCharacters).is_some() {
            let mut found = Vec::new();
            for field in &facts.fields {
                hidden_in_field(field, &mut found);
            }
            for &(span, c) in found.iter().take(SHOWN) {
                let message = format!(
                    "the character U+{:04X} shows nothing, or acts on a terminal",
                    u32::from(c)
                );
                self.tell(Breach::HiddenCharacters, span, message, "remove it");
            }
        }
    }

    /// Speaks of a comment that was hardly meant as one: without a blank behind
    /// the `#`, or behind a description.
    fn comment(&mut self, facts: &Facts, comment: Comment) {
        let before = |field: &&Field| field.key_span.line <= comment.span.line;
        let field = facts.fields.iter().rfind(before);
        let described = field.is_some_and(|field| field.key == "description");
        if described || !comment.spaced {
            let message = "the value ends here: a `#` behind a blank begins a comment";
            let help = "put the whole value between quotes";
            self.tell(Breach::ValueCut, comment.span, message, help);
        }
    }

    fn truth_word(&mut self, value: &Value) {
        let Some(scalar) = value.scalar() else { return };
        let is_word = |word: &str| scalar.text.eq_ignore_ascii_case(word);
        if scalar.style == Some(Style::Plain) && TRUTH_WORDS.iter().any(|word| is_word(word)) {
            let message = format!(
                "agents that read YAML 1.1 take {} for a truth value",
                quoted(&scalar.text)
            );
            let help = "put it between quotes";
            self.tell(Breach::Yaml11Boolean, value.span, message, help);
        }
    }
}

/// The values of a field that should be text.
fn texts(field: &Field) -> Vec<&Value> {
    match &field.value.content {
        Content::Mapping(entries) if field.key == "metadata" => {
            entries.iter().map(|entry| &entry.value).collect()
        }
        _ if TEXT_FIELDS.contains(&&*field.key) => vec![&field.value],
        _ => Vec::new(),
    }
}

fn hidden_in_field(field: &Field, found: &mut Vec<(Span, char)>) {
    if let Some(&(_, c)) = text::hidden_characters(&field.key).first() {
        found.push((field.key_span, c));
    }
    hidden_in_value(&field.value, found);
}

/// Finds the first hidden character of each text.
fn hidden_in_value(value: &Value, found: &mut Vec<(Span, char)>) {
    match &value.content {
        Content::Scalar(scalar) => {
            if let Some(&(offset, c)) = text::hidden_characters(&scalar.text).first() {
                found.push((place_in(value.span, scalar, offset), c));
            }
        }
        Content::Sequence(values) => values
            .iter()
            .for_each(|value| hidden_in_value(value, found)),
        Content::Mapping(fields) => fields
            .iter()
            .for_each(|field| hidden_in_field(field, found)),
    }
}

/// Returns the place of a character, or of the whole value where its text is
/// not written as it is read.
fn place_in(span: Span, scalar: &Scalar, offset: usize) -> Span {
    let before = scalar.text.get(..offset).unwrap_or_default();
    let quotes = match scalar.style {
        Some(Style::Plain) if scalar.repaired.is_none() => 0,
        Some(Style::Single | Style::Double) => 1,
        _ => return span,
    };
    let length = u32::try_from(scalar.text.chars().count()).unwrap_or(u32::MAX);
    if span.length != length.saturating_add(2 * quotes) {
        return span;
    }
    let column = u32::try_from(before.chars().count()).unwrap_or(u32::MAX);
    Span::new(span.line, span.column + quotes + column).with_length(1)
}
