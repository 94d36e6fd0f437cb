//! What is said of fields that loading can do without: doubles, repairs,
//! unknown names, wrong types.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::{COMPATIBILITY_CHARACTERS, FIELDS, Findings, longer_than, quoted};
use crate::diagnostic::{Rule, Span};
use crate::name;
use crate::skill::frontmatter::{Content, Facts, Field, ScalarKind, Value};

/// Unknown fields, doubles and repairs that get a diagnostic of their own; the
/// rest are counted. Nobody mends more at a time.
const SHOWN: usize = 32;

impl Findings<'_> {
    /// What holds of every field alike: doubles, repairs, unknown names.
    pub(super) fn about_all(&mut self, fields: &[Field]) {
        let doubles = doubles(fields);
        self.duplicates(fields, &doubles);
        let is_double = |i: &usize| doubles.binary_search_by_key(i, |&(again, _)| again).is_ok();
        let mut unknown = (0..fields.len())
            .filter(|&i| !FIELDS.contains(&&*fields[i].key))
            .filter(|i| !is_double(i));
        for i in unknown.by_ref().take(SHOWN) {
            self.unknown(&fields[i]);
        }
        if let Some(next) = unknown.next() {
            let message = format!(
                "fields outside the specification: {} more",
                unknown.count() + 1
            );
            let help = "keep them under `metadata`, if only your own tools read them";
            self.warn(Rule::UnknownField, fields[next].key_span, message, help);
        }
        let mut colons = Vec::new();
        for field in fields {
            repairs(&field.value, &mut colons);
        }
        self.repaired(&colons);
    }

    pub(super) fn repaired(&mut self, colons: &[Span]) {
        let help = "put the whole value between quotes";
        for &colon in colons.iter().take(SHOWN) {
            let message = "an unquoted value holds a colon and a blank; it is read whole here, and other agents drop the skill";
            self.warn(Rule::UnquotedColon, colon, message, help);
        }
        if let Some(&next) = colons.get(SHOWN) {
            let message = format!(
                "unquoted values with a colon and a blank: {} more",
                colons.len() - SHOWN
            );
            self.warn(Rule::UnquotedColon, next, message, help);
        }
    }

    /// Fields that stand twice, each with the index of the first.
    pub(super) fn duplicates(&mut self, fields: &[Field], doubles: &[(usize, usize)]) {
        for &(again, first) in doubles.iter().take(SHOWN) {
            self.duplicate(&fields[first], &fields[again]);
        }
        if let Some(&(next, _)) = doubles.get(SHOWN) {
            let message = format!("fields that stand twice: {} more", doubles.len() - SHOWN);
            self.warn(
                Rule::DuplicateField,
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
        self.warn(
            Rule::DuplicateField,
            again.key_span,
            message,
            "remove one of them",
        );
    }

    pub(super) fn unknown(&mut self, field: &Field) {
        let message = format!("the specification has no field {}", quoted(&field.key));
        let near = name::near(&field.key, FIELDS);
        let help = match near.first() {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "keep it under `metadata`, if only your own tools read it".to_owned(),
        };
        self.warn(Rule::UnknownField, field.key_span, message, &help);
    }

    /// The fields that loading does not need.
    pub(super) fn about_the_rest(&mut self, facts: &Facts) {
        for key in ["license", "compatibility"] {
            let Some(value) = facts.field(key).map(|field| &field.value) else {
                continue;
            };
            match value.scalar() {
                Some(scalar) => self.not_text(key, value.span, scalar),
                None => self.wrong_type(key, value, "text"),
            }
        }
        if let Some(value) = facts.field("compatibility").map(|field| &field.value)
            && let Some(scalar) = value.scalar()
            && let Some(length) = longer_than(&scalar.text, COMPATIBILITY_CHARACTERS)
        {
            let message = format!(
                "compatibility has {length} characters; the specification allows {COMPATIBILITY_CHARACTERS}"
            );
            self.warn(Rule::FieldType, value.span, message, "shorten it");
        }
        if let Some(value) = facts.field("metadata").map(|field| &field.value) {
            self.metadata(value);
        }
        if let Some(value) = facts.field("allowed-tools").map(|field| &field.value)
            && matches!(value.content, Content::Mapping(_))
        {
            self.wrong_type("allowed-tools", value, "text");
        }
    }

    pub(super) fn wrong_type(&mut self, key: &str, value: &Value, wanted: &str) {
        let message = format!("{key} is {}, not {wanted}", value.kind());
        self.warn(
            Rule::FieldType,
            value.span,
            message,
            &format!("write it as {wanted}"),
        );
    }

    pub(super) fn metadata(&mut self, value: &Value) {
        match &value.content {
            Content::Mapping(fields) => {
                self.duplicates(fields, &doubles(fields));
            }
            Content::Scalar(scalar) if scalar.kind == ScalarKind::Null => {}
            _ => self.wrong_type("metadata", value, "a mapping of names to texts"),
        }
    }
}

/// Returns the index of each field that stood before, with that of the first,
/// in file order.
fn doubles(fields: &[Field]) -> Vec<(usize, usize)> {
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

/// Collects the colons that were repaired.
fn repairs(value: &Value, colons: &mut Vec<Span>) {
    match &value.content {
        Content::Scalar(scalar) => colons.extend(scalar.repaired),
        Content::Sequence(values) => values.iter().for_each(|value| repairs(value, colons)),
        Content::Mapping(fields) => fields
            .iter()
            .for_each(|field| repairs(&field.value, colons)),
    }
}
