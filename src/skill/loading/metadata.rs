//! What is said of `metadata`, the map from names to texts.

use std::collections::HashSet;

use super::fields::{SHOWN, acted_on, doubles, key_as_typed, meant, odd_blank};
use super::{Breach, FIELDS, Findings, quoted};
use crate::skill::frontmatter::{Content, Facts, Field, ScalarKind, Style, Value, line_of};

impl Findings<'_> {
    pub(super) fn metadata(&mut self, value: &Value, facts: &Facts) {
        match &value.content {
            Content::Mapping(fields) => {
                self.duplicates(fields, &doubles(fields));
                let odd = fields
                    .iter()
                    .filter(|field| odd_blank(&field.key).is_some());
                for field in odd.take(SHOWN) {
                    self.oddly_indented(Breach::HiddenCharacters, field);
                }
                self.metadata_values(fields, facts);
            }
            Content::Scalar(scalar) if scalar.kind == ScalarKind::Null => {
                match below_metadata(&facts.fields).next() {
                    Some(first) => {
                        let key = &facts.fields[first].key;
                        let message = format!(
                            "metadata has no value: {} below it is not indented",
                            quoted(key)
                        );
                        let help = "begin the lines that belong to it with two blanks";
                        self.tell(Breach::NoValue, value.span, message, help);
                    }
                    // The name below it is told of, by its own cause.
                    None if has_odd_blank_below(&facts.fields) => {}
                    None => self.no_value("metadata", value.span),
                }
            }
            Content::Scalar(scalar) if entry_in(&scalar.text).is_some() => {
                let message = "metadata is text: its entries are not parted into lines of a name, a colon, a blank and a text";
                let help = entry_in(&scalar.text).map_or_else(String::new, |(key, text)| {
                    format!("write metadata: and, on a line below, two blanks and {key}: {text}")
                });
                self.tell(Breach::WrongShape, value.span, message, &help);
            }
            _ => self.wrong_type(
                Breach::WrongShape,
                "metadata",
                value,
                "a mapping of names to texts",
            ),
        }
    }

    fn metadata_values(&mut self, fields: &[Field], facts: &Facts) {
        if self.profile.severity(Breach::MetadataNotText).is_none() {
            return;
        }
        let odd = not_texts(fields, facts);
        for &(field, is_alias) in odd.iter().take(SHOWN) {
            let message = format!(
                "{} under metadata is {}, not text",
                quoted(&field.key),
                field.value.kind()
            );
            let help = match field.value.scalar() {
                Some(scalar) if is_alias => {
                    let line = line_of(&key_as_typed(&field.key), &scalar.text);
                    format!("write what the alias stands for: {line}")
                }
                Some(scalar) if scalar.kind == ScalarKind::Null => {
                    "write a text, or leave the entry out".to_owned()
                }
                Some(scalar) if scalar.style != Some(Style::Plain) => {
                    "remove the tag before it".to_owned()
                }
                Some(_) => "put it between quotes".to_owned(),
                None => "write it as text; metadata is one level deep".to_owned(),
            };
            self.tell(Breach::MetadataNotText, field.value.span, message, &help);
        }
        if let Some((next, _)) = odd.get(SHOWN) {
            let message = format!(
                "values under metadata that are not text: {} more",
                odd.len() - SHOWN
            );
            self.tell(
                Breach::MetadataNotText,
                next.value.span,
                message,
                "put them between quotes",
            );
        }
    }
}

/// Returns the entries of `metadata` that are not text, each with whether it is an
/// alias; an alias to another of them is mended with that one, and left out.
fn not_texts<'a>(fields: &'a [Field], facts: &Facts) -> Vec<(&'a Field, bool)> {
    let is_alias = |field: &Field| facts.aliases.binary_search(&field.value.span).is_ok();
    let text = |field: &'a Field| Some(&*field.value.scalar()?.text);
    let odd = fields.iter().filter(|field| {
        let scalar = field.value.scalar();
        scalar.is_none_or(|scalar| scalar.kind != ScalarKind::Text)
    });
    let (aliases, written): (Vec<&Field>, Vec<&Field>) = odd.partition(|field| is_alias(field));
    let mended: HashSet<&str> = written.iter().copied().filter_map(text).collect();
    let is_left = |field: &&'a Field| text(field).is_none_or(|text| !mended.contains(text));
    let mut odd: Vec<(&Field, bool)> = written.into_iter().map(|field| (field, false)).collect();
    odd.extend(
        aliases
            .into_iter()
            .filter(is_left)
            .map(|field| (field, true)),
    );
    odd.sort_by_key(|(field, _)| field.value.span);
    odd
}

/// Takes a text for an entry, as in `author: me` and `author:me`.
fn entry_in(text: &str) -> Option<(&str, &str)> {
    let (key, rest) = text.split_once(':')?;
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    let is_key = !key.is_empty() && key.bytes().all(is_word);
    let value = rest.lines().next().unwrap_or_default().trim();
    (is_key && !rest.starts_with("//")).then_some((key, value))
}

/// Returns the unknown fields right below a `metadata` without a value: they
/// were to be its entries.
pub(super) fn below_metadata(fields: &[Field]) -> impl Iterator<Item = usize> {
    let is_bare = |field: &Field| {
        let scalar = field.value.scalar();
        field.key == "metadata" && scalar.is_some_and(|scalar| scalar.text.is_empty())
    };
    let metadata = fields.iter().position(is_bare);
    let first = metadata.map_or(fields.len(), |index| index + 1);
    (first..fields.len()).take_while(|&index| {
        let key = &*fields[index].key;
        !FIELDS.contains(&key)
            && odd_blank(key).is_none()
            && meant(key).is_none()
            && acted_on(key).is_none()
    })
}

/// Whether the field below `metadata` begins with a blank that is none to YAML.
fn has_odd_blank_below(fields: &[Field]) -> bool {
    let mut fields = fields.iter().skip_while(|field| field.key != "metadata");
    let below = fields.nth(1);
    below.is_some_and(|field| odd_blank(&field.key).is_some())
}
