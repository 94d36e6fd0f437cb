//! What a file is to one reader: the cases that it is, and its texts.

use std::collections::HashSet;

use super::frame::take_apart;
use super::{Body, Case, Fallback, Reader, Reading, Scalars, TextRule, Trim, Unit, Which};
use crate::diagnostic::{Rule, Span};
use crate::skill::frontmatter::{
    Content, Facts, Field, Scalar, ScalarKind, Style, Value, Yaml11, yaml_1_1,
};
use crate::skill::loading::{COMPATIBILITY_CHARACTERS, FIELDS};
use crate::text::without_comments;

/// A file as one reader sees it.
#[derive(Default)]
pub(super) struct Survey {
    /// What is odd about it, with the place of each.
    pub(super) cases: Vec<(Case, Span)>,
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
    pub(super) body: Vec<u8>,
    /// What is wrong with the requirements, in the system's words.
    pub(super) requirements: String,
}

/// Looks at a file as `reader` does.
pub(super) fn survey(reading: &Reading, reader: &Reader) -> Survey {
    let frame = take_apart(reading.bytes, reader);
    let mut seen = Survey {
        body: body(frame.body, reader.body),
        ..Survey::default()
    };
    for case in frame.cases {
        seen.note(case, Span::START);
    }
    if !reading.is_utf8() && std::str::from_utf8(frame.body).is_err() {
        seen.note(Case::BodyNotUtf8, Span::START);
    }
    if seen.body.trim_ascii().is_empty() {
        seen.note(Case::BodyEmpty, Span::START);
    }
    if let Some(inner) = frame.inner {
        seen.frontmatter(&inner, reading, reader);
    }
    if seen.name.is_none() && reader.folder_stands_in {
        seen.name = Some(reading.folder.to_owned());
    }
    seen
}

/// The type of a text to a reader.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Null,
    Number,
    Boolean,
}

impl Survey {
    fn note(&mut self, case: Case, span: Span) {
        if self.cases.iter().all(|(known, _)| *known != case) {
            self.cases.push((case, span));
        }
    }

    fn frontmatter(&mut self, inner: &[u8], reading: &Reading, reader: &Reader) {
        if inner.contains(&0) {
            self.note(Case::Nul, Span::START);
            return;
        }
        if std::str::from_utf8(inner).is_err() {
            self.note(Case::FrontmatterNotUtf8, Span::START);
        }
        let text = String::from_utf8_lossy(inner);
        let facts = reading.between(&text);
        self.fault(&facts, &text);
        self.writing(&facts);
        let is_read = facts.fault.is_none() || !facts.fields.is_empty();
        if is_read {
            self.fields(&facts.fields, reader);
        }
        let falls_back = reader.fallback == Fallback::Lines
            && (!is_read || self.has_no_texts() || facts.fault.is_some());
        if falls_back {
            self.name = line_value(&text, "name:");
            self.description = line_value(&text, "description:");
            self.missing(self.name.is_none(), self.description.is_none());
        } else if is_read {
            self.missing(
                facts.field("name").is_none(),
                facts.field("description").is_none(),
            );
        }
        self.judge_texts(reading.folder, reader);
    }

    fn missing(&mut self, name: bool, description: bool) {
        if name {
            self.note(Case::NameMissing, Span::START);
        }
        if description {
            self.note(Case::DescriptionMissing, Span::START);
        }
    }

    /// Whether a reader that wants texts finds none, or one twice.
    fn has_no_texts(&self) -> bool {
        let odd = |case: Case| {
            matches!(
                case,
                Case::NameNull
                    | Case::NameNumber
                    | Case::NameBoolean
                    | Case::NameList
                    | Case::NameMapping
                    | Case::DescriptionNull
                    | Case::DescriptionNumber
                    | Case::DescriptionBoolean
                    | Case::DescriptionList
                    | Case::DescriptionMapping
                    | Case::DescriptionMappingOnLine
                    | Case::KnownTwice
                    | Case::OtherTwice
                    | Case::ColonInValue
                    | Case::ColonUnderHyphen
                    | Case::ColonNested
            )
        };
        self.cases.iter().any(|&(case, _)| odd(case))
    }

    fn fault(&mut self, facts: &Facts, text: &str) {
        let Some(fault) = &facts.fault else {
            if facts.fields.is_empty() {
                self.note(Case::NoFields, Span::START);
            }
            return;
        };
        let case = match fault.rule {
            Rule::NotAMapping => Case::NotAMapping,
            Rule::YamlAliases => Case::AliasBomb,
            Rule::YamlTag => Case::ForeignTag,
            Rule::YamlInvalid | Rule::MergeMarker => not_yaml(text, fault.span),
            _ => Case::NotReadHere,
        };
        self.note(case, fault.span);
    }

    fn writing(&mut self, facts: &Facts) {
        if let Some(&tab) = facts.tabs.first() {
            self.note(Case::TabAfterColon, tab);
        }
        if let Some(&alias) = facts.aliases.first() {
            self.note(Case::Alias, alias);
        }
        for comment in &facts.comments {
            let field = facts.field_above(comment.span.line);
            if !comment.instead && field.is_some_and(|field| field.key == "description") {
                self.note(Case::ValueCut, comment.span);
            }
        }
        for field in &facts.fields {
            let hyphened = field.key.contains('-');
            match field.value.scalar().map(|scalar| scalar.repaired) {
                Some(Some(colon)) if hyphened => self.note(Case::ColonUnderHyphen, colon),
                Some(Some(colon)) => self.note(Case::ColonInValue, colon),
                Some(None) => {}
                None => {
                    if let Some(colon) = nested_colon(&field.value) {
                        self.note(Case::ColonNested, colon);
                    }
                }
            }
        }
    }

    fn fields(&mut self, fields: &[Field], reader: &Reader) {
        let mut seen = HashSet::new();
        for field in fields {
            let known = matches!(&*field.key, "name" | "description");
            if !seen.insert(&*field.key) {
                let case = if known {
                    Case::KnownTwice
                } else {
                    Case::OtherTwice
                };
                self.note(case, field.key_span);
            }
            if !FIELDS.contains(&&*field.key) {
                self.note(Case::UnknownField, field.key_span);
            }
            self.other_field(field);
            if field.key == "metadata"
                && let Some(rules) = &reader.requirements
                && let Some((span, words)) = rules.fault(&field.value)
            {
                self.note(Case::BadRequirements, span);
                self.requirements = words;
            }
        }
        let mut order: Vec<&Field> = fields.iter().collect();
        if reader.twice == Which::Last {
            order.reverse();
        }
        let find = |key: &str| order.iter().find(|field| field.key == key);
        if let Some(field) = find("name") {
            self.name = self.text(&field.value, reader, &NAME);
        }
        if let Some(field) = find("description") {
            self.description = self.text(&field.value, reader, &DESCRIPTION);
        }
    }

    fn other_field(&mut self, field: &Field) {
        let span = field.value.span;
        match (&*field.key, &field.value.content) {
            ("metadata", Content::Mapping(entries)) => {
                let is_text = |value: &Value| {
                    let scalar = value.scalar();
                    scalar.is_some_and(|scalar| scalar.kind == ScalarKind::Text)
                };
                if let Some(odd) = entries.iter().find(|entry| !is_text(&entry.value)) {
                    self.note(Case::MetadataNotText, odd.value.span);
                }
            }
            ("metadata", Content::Scalar(scalar)) if scalar.kind == ScalarKind::Null => {}
            ("metadata", _) => self.note(Case::MetadataNoMapping, span),
            ("allowed-tools", Content::Sequence(_)) => self.note(Case::ToolsList, span),
            ("allowed-tools", Content::Scalar(scalar))
                if matches!(scalar.kind, ScalarKind::Int | ScalarKind::Float) =>
            {
                self.note(Case::ToolsNumber, span);
            }
            ("license", Content::Sequence(_) | Content::Mapping(_)) => {
                self.note(Case::LicenseNoText, span);
            }
            ("compatibility", Content::Scalar(scalar))
                if Unit::Characters.count(&scalar.text) > COMPATIBILITY_CHARACTERS =>
            {
                self.note(Case::CompatibilityTooLong, span);
            }
            _ => {}
        }
    }

    /// Returns the text of a value, and notes what it is if it is none.
    fn text(&mut self, value: &Value, reader: &Reader, cases: &TextCases) -> Option<String> {
        let scalar = match &value.content {
            Content::Scalar(scalar) => scalar,
            Content::Sequence(_) => {
                self.note(cases.list, value.span);
                return None;
            }
            Content::Mapping(entries) => {
                let case = if is_on_line(value.span, entries) {
                    cases.mapping_on_line
                } else {
                    cases.mapping
                };
                self.note(case, value.span);
                return None;
            }
        };
        match kind(scalar, reader.scalars) {
            Kind::Text => {}
            Kind::Null => {
                self.note(cases.null, value.span);
                return None;
            }
            Kind::Number => self.note(cases.number, value.span),
            Kind::Boolean => self.note(cases.boolean, value.span),
        }
        Some(scalar.text.clone())
    }

    /// Trims the texts as the reader does, and looks at what is left.
    fn judge_texts(&mut self, folder: &str, reader: &Reader) {
        let name = self.name.take().map(|name| trimmed(name, reader.name));
        if let Some(name) = &name {
            let place = Span::START;
            if name.is_empty() {
                self.note(Case::NameEmpty, place);
            }
            if !reader.characters.allow(name) {
                self.note(Case::NamePattern, place);
            }
            if is_longer(name, reader.name) {
                self.note(Case::NameTooLong, place);
            }
            if name != folder {
                self.note(Case::NameMismatch, place);
            }
        }
        self.name = name;
        let description = self.description.take();
        if let Some(written) = description {
            let blank = !written.is_empty() && written.trim().is_empty();
            let text = trimmed(written, reader.description);
            if blank && reader.description.trim != Trim::Space {
                self.note(Case::DescriptionBlank, Span::START);
            } else if text.is_empty() {
                self.note(Case::DescriptionEmpty, Span::START);
            }
            if is_longer(&text, reader.description) {
                self.note(Case::DescriptionTooLong, Span::START);
            }
            self.description = Some(text);
        }
    }
}

/// What `name` and `description` are apart from text.
struct TextCases {
    null: Case,
    number: Case,
    boolean: Case,
    list: Case,
    mapping: Case,
    mapping_on_line: Case,
}

const NAME: TextCases = TextCases {
    null: Case::NameNull,
    number: Case::NameNumber,
    boolean: Case::NameBoolean,
    list: Case::NameList,
    mapping: Case::NameMapping,
    mapping_on_line: Case::NameMapping,
};

const DESCRIPTION: TextCases = TextCases {
    null: Case::DescriptionNull,
    number: Case::DescriptionNumber,
    boolean: Case::DescriptionBoolean,
    list: Case::DescriptionList,
    mapping: Case::DescriptionMapping,
    mapping_on_line: Case::DescriptionMappingOnLine,
};

/// Whether the mapping at `span` stands between brackets on one line: outside of
/// brackets, it begins with its first key.
fn is_on_line(span: Span, entries: &[Field]) -> bool {
    let is_behind = |key: Span| key.line == span.line && key.column > span.column;
    entries.iter().all(|entry| is_behind(entry.key_span))
}

fn is_longer(text: &str, rule: TextRule) -> bool {
    rule.most
        .is_some_and(|(most, unit)| unit.count(text) > most)
}

fn trimmed(text: String, rule: TextRule) -> String {
    match rule.trim {
        Trim::Nothing => text,
        Trim::LineEnds => text.trim_end_matches(['\r', '\n']).to_owned(),
        Trim::Space => text.trim().to_owned(),
        Trim::Folds => text.split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

fn kind(scalar: &Scalar, scalars: Scalars) -> Kind {
    let plain = scalar.style == Some(Style::Plain) && scalar.repaired.is_none();
    let old = match scalars {
        Scalars::Yaml11 if plain => yaml_1_1(&scalar.text),
        Scalars::CoreAndDates if plain => yaml_1_1(&scalar.text).filter(|&old| old == Yaml11::Date),
        _ => None,
    };
    match scalar.kind {
        _ if scalars == Scalars::AllText => Kind::Text,
        ScalarKind::Text => match old {
            Some(Yaml11::Truth) => Kind::Boolean,
            Some(Yaml11::Number | Yaml11::Date) => Kind::Number,
            None => Kind::Text,
        },
        ScalarKind::Int | ScalarKind::Float => Kind::Number,
        ScalarKind::Bool => Kind::Boolean,
        ScalarKind::Null => Kind::Null,
    }
}

/// Tells apart why a text is not YAML.
fn not_yaml(text: &str, span: Span) -> Case {
    let line = |number: u32| {
        text.lines()
            .nth(usize::try_from(number).ok()?.checked_sub(2)?)
    };
    let at = line(span.line).and_then(|line| line.chars().nth(span.column as usize - 1));
    let is_marker = |line: &str| line == "..." || line == "---" || line.starts_with("--- ");
    let tab =
        |line: &str| line.trim_start_matches(' ').starts_with('\t') && !line.trim().is_empty();
    if matches!(at, Some('@' | '`')) {
        Case::ReservedFirst
    } else if text.lines().any(is_marker) {
        Case::SecondDocument
    } else if text.lines().any(tab) {
        Case::TabIndent
    } else {
        Case::NotYaml
    }
}

fn nested_colon(value: &Value) -> Option<Span> {
    match &value.content {
        Content::Scalar(scalar) => scalar.repaired,
        Content::Sequence(values) => values.iter().find_map(nested_colon),
        Content::Mapping(fields) => fields.iter().find_map(|field| nested_colon(&field.value)),
    }
}

/// Reads the last line that begins with `key`, at any indentation, and the
/// indented lines under it.
fn line_value(text: &str, key: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let last = lines
        .iter()
        .rposition(|line| line.trim_start().starts_with(key))?;
    let mut value = lines[last].trim_start()[key.len()..].trim().to_owned();
    let below = lines[last + 1..].iter();
    for line in below.take_while(|line| line.starts_with([' ', '\t'])) {
        if line.trim_start().starts_with("name:") || line.trim_start().starts_with("description:") {
            break;
        }
        value.push(' ');
        value.push_str(line.trim());
    }
    Some(value.trim().to_owned())
}

fn body(bytes: &[u8], rule: Body) -> Vec<u8> {
    if rule == Body::AsRead {
        return bytes.to_vec();
    }
    let kept = without_comments(bytes);
    match std::str::from_utf8(&kept) {
        Ok(text) => text.trim().as_bytes().to_vec(),
        Err(_) => kept.trim_ascii().to_vec(),
    }
}
