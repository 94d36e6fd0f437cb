//! What is said of fields that loading can do without: doubles, repairs,
//! unknown names, wrong types.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::metadata::below_metadata;
use super::tools::{has_commas, split_tools};
use super::{
    Breach, COMPATIBILITY_CHARACTERS, DESCRIPTION_CHARACTERS, FIELDS, Findings, longer_than, quoted,
};
use crate::diagnostic::Span;
use crate::name;
use crate::skill::frontmatter::{
    self, Content, Facts, Field, QUOTE_IT, Scalar, ScalarKind, Style, Value, folded, line_of,
    quote_it,
};
use crate::skill::profile::Profile;
use crate::text;

/// Unknown fields, doubles and repairs that get a diagnostic of their own; the
/// rest are counted. Nobody mends more at a time.
pub(super) const SHOWN: usize = 32;

impl Findings<'_> {
    /// What holds of every field alike: doubles, repairs, unknown names.
    pub(super) fn about_all(&mut self, facts: &Facts) {
        let fields = &facts.fields;
        let doubles = doubles(fields);
        self.duplicates(fields, &doubles);
        let is_double = |i: &usize| doubles.binary_search_by_key(i, |&(again, _)| again).is_ok();
        let told = told_elsewhere(fields);
        let mut unknown = (0..fields.len())
            .filter(|&i| !FIELDS.contains(&&*fields[i].key))
            .filter(|i| !is_double(i) && !told.contains(i));
        for i in unknown.by_ref().take(SHOWN) {
            self.unknown(&fields[i]);
        }
        if let Some(next) = unknown.next() {
            let message = format!(
                "fields outside the specification: {} more",
                unknown.count() + 1
            );
            let help = "keep them under `metadata`, if only your own tools read them";
            self.tell(Breach::UnknownField, fields[next].key_span, message, help);
        }
        let mut colons = Vec::new();
        // What `metadata` may not be is told where it is looked at.
        let is_told = |field: &Field| field.key == "metadata" && field.value.scalar().is_some();
        for field in fields.iter().filter(|field| !is_told(field)) {
            repairs(field, &mut colons);
        }
        colons.retain(|(colon, _)| facts.slipped.iter().all(|slipped| slipped.colon != *colon));
        self.repaired(&colons);
    }

    pub(super) fn repaired(&mut self, colons: &[(Span, &Field)]) {
        for &(colon, field) in colons.iter().take(SHOWN) {
            let message = "an unquoted value holds a colon and a blank; it is read whole here, and other agents drop the skill";
            let help = match line_to_type(field) {
                Some(line) => quote_it(&line),
                None => QUOTE_IT.to_owned(),
            };
            self.tell(Breach::UnquotedColon, colon, message, &help);
        }
        if let Some(&(next, _)) = colons.get(SHOWN) {
            let message = format!(
                "unquoted values with a colon and a blank: {} more",
                colons.len() - SHOWN
            );
            self.tell(Breach::UnquotedColon, next, message, QUOTE_IT);
        }
    }

    /// Fields that stand twice, each with the index of the first.
    pub(super) fn duplicates(&mut self, fields: &[Field], doubles: &[(usize, usize)]) {
        for &(again, first) in doubles.iter().take(SHOWN) {
            self.duplicate(&fields[first], &fields[again]);
        }
        if let Some(&(next, _)) = doubles.get(SHOWN) {
            let message = format!("fields that stand twice: {} more", doubles.len() - SHOWN);
            self.tell(
                Breach::DuplicateField,
                fields[next].key_span,
                message,
                "remove them",
            );
        }
    }

    pub(super) fn duplicate(&mut self, first: &Field, again: &Field) {
        let message = format!(
            "the field {} stands twice; the one on line {} counts",
            quoted(&again.key),
            first.key_span.line
        );
        self.tell(
            Breach::DuplicateField,
            again.key_span,
            message,
            "remove one of them",
        );
    }

    pub(super) fn unknown(&mut self, field: &Field) {
        if let Some(key) = hidden_spelling(&field.key) {
            let help = written_as(field, key);
            self.tell(
                Breach::UnknownField,
                field.key_span,
                as_written(&field.key),
                &help,
            );
            return;
        }
        if self.oddly_indented(Breach::UnknownField, field) {
            return;
        }
        let message = format!("the specification has no field {}", quoted(&field.key));
        let help = match (acted_on(&field.key), meant(&field.key)) {
            (Some(who), _) => format!("{who} where it stands, and other agents pass it over"),
            (None, Some(meant)) => format!("did you mean `{meant}`?"),
            (None, None) => "keep it under `metadata`, if only your own tools read it".to_owned(),
        };
        self.tell(Breach::UnknownField, field.key_span, message, &help);
    }

    /// A name that begins with a blank which YAML takes for a letter; returns
    /// whether this one does.
    pub(super) fn oddly_indented(&mut self, breach: Breach, field: &Field) -> bool {
        let Some(blank) = odd_blank(&field.key) else {
            return false;
        };
        let message = format!(
            "the name {} begins with U+{:04X}, which YAML takes for a letter",
            quoted(field.key.trim_start()),
            u32::from(blank)
        );
        let help = "indent the line with the blanks of the space bar, or begin it in column 1";
        self.tell(breach, field.key_span, message, help);
        true
    }

    /// The fields that loading does not need.
    pub(super) fn about_the_rest(&mut self, facts: &Facts) {
        for key in ["license", "compatibility"] {
            let Some(value) = facts.field(key).map(|field| &field.value) else {
                continue;
            };
            match value.scalar() {
                Some(scalar) if is_empty(scalar) => self.no_value(key, value.span),
                Some(scalar) => self.not_text(key, value.span, scalar),
                None => self.wrong_type(Breach::WrongShape, key, value, "text"),
            }
        }
        if let Some(value) = facts.field("compatibility").map(|field| &field.value)
            && let Some(scalar) = value.scalar()
            && let Some(length) = longer_than(&scalar.text, COMPATIBILITY_CHARACTERS)
        {
            let message = format!(
                "compatibility has {length} characters; the specification allows {COMPATIBILITY_CHARACTERS}"
            );
            self.tell(
                Breach::CompatibilityTooLong,
                value.span,
                message,
                "shorten it",
            );
        }
        if let Some(value) = facts.field("metadata").map(|field| &field.value) {
            self.metadata(value, facts);
        }
        if let Some(value) = facts.field("allowed-tools").map(|field| &field.value) {
            self.tools(value);
        }
    }

    pub(super) fn wrong_type(&mut self, breach: Breach, key: &str, value: &Value, wanted: &str) {
        let message = format!("{key} is {}, not {wanted}", value.kind());
        let help = format!("write it as {wanted}");
        self.tell(breach, value.span, message, &help);
    }

    pub(super) fn no_value(&mut self, key: &str, span: Span) {
        let message = format!("{key} has no value");
        self.tell(
            Breach::NoValue,
            span,
            message,
            "write one, or remove the field",
        );
    }

    fn tools(&mut self, value: &Value) {
        let wanted = "text with blanks between the tools";
        match &value.content {
            Content::Mapping(_) => {
                self.wrong_type(Breach::WrongShape, "allowed-tools", value, "text");
            }
            Content::Sequence(_) => {
                self.wrong_type(Breach::ToolsNotText, "allowed-tools", value, wanted);
            }
            Content::Scalar(scalar) if is_empty(scalar) => {
                self.no_value("allowed-tools", value.span);
            }
            Content::Scalar(scalar) if scalar.kind != ScalarKind::Text => {
                self.wrong_type(Breach::ToolsNotText, "allowed-tools", value, wanted);
            }
            Content::Scalar(scalar) if has_commas(&scalar.text) => {
                let message =
                    "commas stand between the tools; the specification parts them with blanks";
                let help = format!(
                    "write allowed-tools: {}",
                    split_tools(&scalar.text).join(" ")
                );
                self.tell(Breach::ToolsWithCommas, value.span, message, &help);
            }
            Content::Scalar(scalar) => {
                let mut tools = split_tools(&scalar.text);
                let count = tools.len();
                tools.retain(|tool| tool != "-");
                if tools.len() < count {
                    let message = "a list goes on with a text: its dashes are read as tools";
                    let help = format!("write allowed-tools: {}", tools.join(" "));
                    self.tell(Breach::ToolsWithDashes, value.span, message, &help);
                }
            }
        }
    }
}

/// Returns the unknown fields that have a finding of another kind: those below
/// an empty `metadata`, and those that stand for a missing field.
fn told_elsewhere(fields: &[Field]) -> Vec<usize> {
    let stand_ins = ["name", "description"].into_iter();
    let stand_ins = stand_ins.filter_map(|key| stand_in(fields, key));
    let around = under(fields, "description").map(|(around, _)| around);
    let around = fields
        .iter()
        .position(|field| around.is_some_and(|around| std::ptr::eq(field, around)));
    below_metadata(fields)
        .chain(stand_ins)
        .chain(around)
        .collect()
}

/// Returns the field that a missing one stands under, and where it stands there.
pub(super) fn under<'a>(fields: &'a [Field], key: &str) -> Option<(&'a Field, Span)> {
    if fields.iter().any(|field| field.key == key) {
        return None;
    }
    fields.iter().find_map(|field| {
        let Content::Mapping(entries) = &field.value.content else {
            return None;
        };
        let entry = entries.iter().find(|entry| entry.key == key)?;
        Some((field, entry.key_span))
    })
}

/// Returns the unknown field that was meant for a missing one.
pub(super) fn stand_in(fields: &[Field], key: &str) -> Option<usize> {
    if fields.iter().any(|field| field.key == key) {
        return None;
    }
    let is_meant = |field: &Field| {
        let is_unknown = !FIELDS.contains(&&*field.key) && acted_on(&field.key).is_none();
        is_unknown && meant(&field.key) == Some(key)
    };
    fields.iter().position(is_meant)
}

/// Returns the text that was meant by lines below a field which a colon in them
/// makes a mapping.
pub(super) fn sentence(field: &Field) -> Option<String> {
    let Content::Mapping(entries) = &field.value.content else {
        return None;
    };
    let is_below = field.value.span.line > field.key_span.line;
    let text = |entry: &Field| {
        let scalar = entry.value.scalar()?;
        let is_plain = scalar.style == Some(Style::Plain);
        is_plain.then(|| format!("{}: {}", entry.key, scalar.text))
    };
    let texts: Option<Vec<String>> = entries.iter().map(text).collect();
    texts.filter(|_| is_below).map(|texts| texts.join(" "))
}

/// Says how a field is written that was meant for another.
pub(super) fn as_written(key: &str) -> String {
    let Some(&(_, hidden)) = text::suspect_characters(key).first() else {
        return format!("the field is written {}", quoted(key));
    };
    format!(
        "the field {} holds U+{:04X}, which nobody sees",
        quoted(&text::one_line(key)),
        u32::from(hidden)
    )
}

/// Says to write a field under the right key, with its value where it is a text.
pub(super) fn written_as(field: &Field, key: &str) -> String {
    let fits = |scalar: &&Scalar| longer_than(&scalar.text, DESCRIPTION_CHARACTERS).is_none();
    match field.value.scalar().filter(fits) {
        Some(scalar) if scalar.style == Some(Style::Plain) && scalar.repaired.is_none() => {
            format!("write {key}: {}", folded(&scalar.text))
        }
        Some(scalar) => format!("write {}", line_of(key, &scalar.text)),
        // A line to type is whole, or it is none.
        None => format!("write it {}", quoted(key)),
    }
}

/// Returns the field of the specification that a key shows and, for a character
/// that nobody sees, is not.
#[must_use]
pub fn hidden_spelling(key: &str) -> Option<&'static str> {
    if key.bytes().all(|b| b.is_ascii_graphic()) {
        return None;
    }
    let shown = text::one_line(key);
    FIELDS
        .into_iter()
        .find(|&field| field == shown && shown != key)
}

/// Returns the character a key begins with if it shows as a blank and, to YAML,
/// is none.
#[must_use]
pub fn odd_blank(key: &str) -> Option<char> {
    let first = key.chars().next()?;
    (!first.is_ascii() && first.is_whitespace()).then_some(first)
}

/// Returns the field of the specification that a key was meant for.
pub(super) fn meant(key: &str) -> Option<&'static str> {
    name::near(&text::one_line(key), FIELDS).first().copied()
}

/// Says which agents act on a field that the specification does not have, if any
/// does.
#[must_use]
pub fn acted_on(key: &str) -> Option<String> {
    let who: Vec<&str> = Profile::acting_on(key)
        .map(|profile| profile.name)
        .collect();
    match who[..] {
        [] => None,
        [one] => Some(format!("{one} acts on it")),
        [ref others @ .., last] => Some(format!("{} and {last} act on it", others.join(", "))),
    }
}

/// Whether a value is null, or text without a character.
fn is_empty(scalar: &Scalar) -> bool {
    scalar.kind == ScalarKind::Null || scalar.text.trim().is_empty()
}

/// Returns the index of each field that stood before, with that of the first,
/// in file order.
pub(super) fn doubles(fields: &[Field]) -> Vec<(usize, usize)> {
    /// Up to here, comparing each with each is faster than hashing.
    const FEW: usize = 16;
    if fields.len() <= FEW {
        let first = |i: usize| {
            fields[..i]
                .iter()
                .position(|other| other.key == fields[i].key)
        };
        return (0..fields.len())
            .filter_map(|i| Some((i, first(i)?)))
            .collect();
    }
    let mut seen = HashMap::with_capacity(fields.len());
    let mut doubles = Vec::new();
    for (i, field) in fields.iter().enumerate() {
        match seen.entry(&*field.key) {
            Entry::Occupied(first) => doubles.push((i, *first.get())),
            Entry::Vacant(place) => {
                place.insert(i);
            }
        }
    }
    doubles
}

/// Collects the colons that were repaired, each with its field.
fn repairs<'a>(field: &'a Field, colons: &mut Vec<(Span, &'a Field)>) {
    repairs_in(&field.value, field, colons);
}

fn repairs_in<'a>(value: &'a Value, field: &'a Field, colons: &mut Vec<(Span, &'a Field)>) {
    match &value.content {
        Content::Scalar(scalar) => colons.extend(scalar.repaired.map(|colon| (colon, field))),
        Content::Sequence(values) => {
            for value in values {
                repairs_in(value, field, colons);
            }
        }
        Content::Mapping(fields) => {
            for field in fields {
                repairs(field, colons);
            }
        }
    }
}

/// Returns a repaired field as it is to be typed; nothing where it has paragraphs,
/// which one line cannot hold.
fn line_to_type(field: &Field) -> Option<String> {
    let scalar = field.value.scalar()?;
    let is_one_line = !scalar.text.contains('\n');
    is_one_line.then(|| line_of(&key_as_typed(&field.key), &scalar.text))
}

/// Puts a key between quotes unless it is a word that needs none.
pub(super) fn key_as_typed(key: &str) -> Cow<'_, str> {
    let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b' ');
    let is_word = key.starts_with(|c: char| c.is_ascii_alphabetic()) && key.bytes().all(is_plain);
    if is_word {
        Cow::Borrowed(key)
    } else {
        Cow::Owned(frontmatter::quoted(key))
    }
}
