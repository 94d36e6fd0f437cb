//! What is said of how fields are written: tabs, comments, words and characters
//! that other readers take for something else.

use std::borrow::Cow;

use super::fields::{SHOWN, hidden_spelling};
use super::{Breach, Findings, quoted};
use crate::diagnostic::Span;
use crate::skill::frontmatter::{
    Comment, Content, Facts, Field, QUOTE_IT, Scalar, ScalarKind, Style, Value, Yaml11, quote_it,
    yaml_1_1,
};
use crate::text;

/// Fields whose text a reader shows, and in which no truth value is meant.
const TEXT_FIELDS: [&str; 4] = ["name", "description", "license", "compatibility"];

impl Findings<'_> {
    pub(super) fn about_the_writing(&mut self, facts: &Facts) {
        self.tell_each(Breach::TabAfterColon, &facts.tabs, |&tab| {
            let message = "a tab stands behind the colon; some agents refuse the file for it";
            (tab, message.into(), "put a blank there instead".into())
        });
        self.cut(facts);
        self.taken_otherwise(facts);
        self.hidden(facts);
    }

    /// Values of which YAML takes a part for something else.
    fn cut(&mut self, facts: &Facts) {
        let comments = facts.comments.iter();
        let cuts: Vec<&Comment> = comments.filter(|comment| is_cut(facts, comment)).collect();
        self.tell_each(Breach::ValueCut, &cuts, |comment| {
            let message = "the value ends here: a `#` behind a blank begins a comment";
            (comment.span, message.into(), quote_it(&comment.line))
        });
        self.tell_each(Breach::ValueCut, &facts.anchors, |anchor| {
            let message =
                "this word is no part of the value: in YAML, `&` begins the name of an anchor";
            let help = match &anchor.line {
                Some(line) => quote_it(line),
                None => QUOTE_IT.to_owned(),
            };
            (anchor.span, message.into(), help)
        });
    }

    /// Texts that YAML 1.1 takes for something else.
    fn taken_otherwise(&mut self, facts: &Facts) {
        if self.profile.severity(Breach::Yaml11Boolean).is_none() {
            return;
        }
        let values = facts.fields.iter().flat_map(texts);
        let (words, numbers): (Vec<_>, Vec<_>) = values
            .filter_map(taken_otherwise)
            .partition(|(kind, ..)| *kind == Yaml11::Truth);
        for (breach, found) in [
            (Breach::Yaml11Boolean, words),
            (Breach::Yaml11Number, numbers),
        ] {
            self.tell_each(breach, &found, |&(kind, span, text)| {
                let message = format!(
                    "agents that read YAML 1.1 take {} for {}",
                    quoted(text),
                    kind.kind()
                );
                (span, message.into(), "put it between quotes".into())
            });
        }
    }

    fn hidden(&mut self, facts: &Facts) {
        if self.profile.severity(Breach::HiddenCharacters).is_none() {
            return;
        }
        let mut found = Vec::new();
        for field in &facts.fields {
            hidden_in_field(field, &mut found);
        }
        self.tell_each(Breach::HiddenCharacters, &found, |&(span, c)| {
            let message = format!(
                "the character U+{:04X} shows nothing, or acts on a terminal",
                u32::from(c)
            );
            (span, message.into(), "remove it".into())
        });
    }

    /// Tells the first of many findings of one kind, and counts the rest; `said` of
    /// each is its place, a message and a help.
    fn tell_each<T>(
        &mut self,
        breach: Breach,
        found: &[T],
        said: impl Fn(&T) -> (Span, Cow<'static, str>, String),
    ) {
        for one in found.iter().take(SHOWN) {
            let (span, message, help) = said(one);
            self.tell(breach, span, message, &help);
        }
        if let Some(next) = found.get(SHOWN) {
            let (span, message, help) = said(next);
            let message = format!("{message}: {} more like it", found.len() - SHOWN);
            self.tell(breach, span, message, &help);
        }
    }
}

/// Whether a comment was hardly meant as one: without a blank behind the `#`,
/// or behind a description.
fn is_cut(facts: &Facts, comment: &Comment) -> bool {
    let field = facts.field_above(comment.span.line);
    let is_of_description = field.is_some_and(|field| field.key == "description");
    !comment.instead && (!comment.spaced || is_of_description)
}

/// Returns what YAML 1.1 takes a value for, if that is not the text that it is;
/// with its place and its text.
fn taken_otherwise(value: &Value) -> Option<(Yaml11, Span, &str)> {
    let scalar = value.scalar()?;
    let is_bare = scalar.style == Some(Style::Plain)
        && scalar.kind == ScalarKind::Text
        && scalar.repaired.is_none();
    let kind = yaml_1_1(&scalar.text).filter(|_| is_bare)?;
    Some((kind, value.span, &scalar.text))
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
    // A key that is told of as misspelt is told of once.
    let is_told = hidden_spelling(&field.key).is_some();
    if let Some(&(_, c)) = text::suspect_characters(&field.key).first()
        && !is_told
    {
        found.push((field.key_span, c));
    }
    hidden_in_value(&field.value, found);
}

/// Finds the first hidden character of each text.
fn hidden_in_value(value: &Value, found: &mut Vec<(Span, char)>) {
    match &value.content {
        Content::Scalar(scalar) => {
            if let Some(&(offset, c)) = text::suspect_characters(&scalar.text).first() {
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
