//! Whether a skill exists: the lenient judgement of the profile `codeaf`.
//!
//! Facts come in, a name and a description come out, or the reasons why not.
//! This file reads no file and knows no other profile.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

use super::frontmatter::{Content, Facts, Field, Place, Scalar, ScalarKind, Value};
use crate::diagnostic::{Diagnostic, Rule, Span};
use crate::limits::Limits;
use crate::{name, text};

/// The fields of the specification.
pub const FIELDS: [&str; 6] = [
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
];

/// Characters of a name (specification: 1–64).
pub const NAME_CHARACTERS: usize = 64;
/// Characters of a description (specification: 1–1024).
pub const DESCRIPTION_CHARACTERS: usize = 1_024;
/// Characters of the field `compatibility` (specification: 1–500).
pub const COMPATIBILITY_CHARACTERS: usize = 500;

/// Unknown fields, doubles and repairs that get a diagnostic of their own; the
/// rest are counted. Nobody mends more at a time.
const SHOWN: usize = 32;

/// A skill that loads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// Its name, in normalisation form C.
    pub name: String,
    /// Its description, whole and as written.
    pub description: String,
    /// What is worth a warning all the same, in file order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Judges whether the skill in `folder` loads.
///
/// `file` is the path that diagnostics name; `folder` is the name of the
/// folder that the SKILL.md lies in, which stands in for a missing name.
///
/// # Errors
///
/// What keeps the skill from loading, at least one of them an error, with the
/// warnings beside it; in file order.
///
/// # Examples
///
/// ```
/// use std::path::Path;
/// use codeaf_skills::{Limits, skill::{frontmatter, loading}};
///
/// let limits = Limits::DEFAULT;
/// let facts = frontmatter::read(b"---\nname: pdf\ndescription: Reads PDF files.\n---\n", &limits);
/// let loaded = loading::load(&facts, Path::new("/s/pdf/SKILL.md"), "pdf", &limits).unwrap();
///
/// assert_eq!(loaded.name, "pdf");
/// assert!(loaded.diagnostics.is_empty());
/// ```
pub fn load(
    facts: &Facts,
    file: &Path,
    folder: &str,
    limits: &Limits,
) -> Result<Loaded, Vec<Diagnostic>> {
    let mut findings = Findings {
        file,
        list: Vec::new(),
    };
    findings.about_the_file(facts);
    if let Some(fault) = &facts.fault {
        let error = Diagnostic::error(fault.rule, file, fault.message.as_str()).at(fault.span);
        findings.list.push(match &fault.help {
            Some(help) => error.with_help(help.as_str()),
            None => error,
        });
        return Err(findings.in_file_order());
    }
    findings.about_all(&facts.fields);
    let name = findings.name(facts, folder, limits);
    let description = findings.description(facts);
    findings.about_the_rest(facts);
    let diagnostics = findings.in_file_order();
    match (name, description) {
        (Some(name), Some(description)) => Ok(Loaded {
            name,
            description,
            diagnostics,
        }),
        _ => Err(diagnostics),
    }
}

/// Returns the tools of the field `allowed-tools`, a text or a list.
///
/// In a text, blanks and commas part the items, but not inside brackets:
/// `Bash(git add *) Read` has two. Anything that is no text is left out.
#[must_use]
pub fn allowed_tools(facts: &Facts) -> Vec<String> {
    match facts
        .field("allowed-tools")
        .map(|field| &field.value.content)
    {
        Some(Content::Scalar(scalar)) if scalar.kind != ScalarKind::Null => {
            split_tools(&scalar.text)
        }
        Some(Content::Sequence(values)) => values
            .iter()
            .filter_map(Value::scalar)
            .map(|scalar| scalar.text.trim())
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    }
}

fn split_tools(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c == ',' || c.is_whitespace())
    };
    text.split(parts)
        .filter(|item| !item.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Diagnostics of one file while they are collected.
struct Findings<'a> {
    file: &'a Path,
    list: Vec<Diagnostic>,
}

impl Findings<'_> {
    fn warn(&mut self, rule: Rule, span: Span, message: impl Into<String>, help: &str) {
        let warning = Diagnostic::warning(rule, self.file, message)
            .at(span)
            .with_help(help);
        self.list.push(warning);
    }

    fn refuse(&mut self, rule: Rule, span: Span, message: impl Into<String>, help: &str) {
        let error = Diagnostic::error(rule, self.file, message)
            .at(span)
            .with_help(help);
        self.list.push(error);
    }

    fn in_file_order(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|diagnostic| diagnostic.span);
        self.list
    }

    /// What holds of the file whatever its fields are.
    fn about_the_file(&mut self, facts: &Facts) {
        if facts.byte_order_mark {
            let message = "a UTF-8 byte-order mark stands first";
            self.warn(
                Rule::ByteOrderMark,
                Span::START,
                message,
                "save the file as UTF-8 without a mark",
            );
        }
        for fence in [facts.opening, facts.closing].into_iter().flatten() {
            if let Some(blanks) = fence.blanks {
                let message =
                    "blanks follow the three dashes; some agents do not take them for a fence";
                self.warn(Rule::FenceBlanks, blanks, message, "remove the blanks");
            }
        }
        if let Some(Place {
            span,
            in_body: false,
        }) = facts.line_ends.lone_cr
        {
            let message = "a carriage return without a line feed ends no line";
            self.warn(
                Rule::LoneCarriageReturn,
                span,
                message,
                "save the file with LF or CRLF line ends",
            );
        }
        if let Some(place) = facts.invalid_utf8 {
            let message = "bytes that are not UTF-8 are read as U+FFFD";
            self.warn(
                Rule::InvalidUtf8,
                place.span,
                message,
                "save the file as UTF-8",
            );
        }
        if let Some(Place {
            span,
            in_body: true,
        }) = facts.nul
        {
            let message = "a NUL byte stands in the body";
            self.warn(Rule::NulInBody, span, message, "remove it");
        }
    }

    /// What holds of every field alike: doubles, repairs, unknown names.
    fn about_all(&mut self, fields: &[Field]) {
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
                "{} more are not of the specification",
                counted(unknown.count() + 1)
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

    fn repaired(&mut self, colons: &[Span]) {
        let help = "put the whole value between quotes";
        for &colon in colons.iter().take(SHOWN) {
            let message = "an unquoted value holds a colon and a blank; it is read whole here, and other agents drop the skill";
            self.warn(Rule::UnquotedColon, colon, message, help);
        }
        if let Some(&next) = colons.get(SHOWN) {
            let message = format!(
                "{} more unquoted values hold a colon and a blank",
                colons.len() - SHOWN
            );
            self.warn(Rule::UnquotedColon, next, message, help);
        }
    }

    /// Fields that stand twice, each with the index of the first.
    fn duplicates(&mut self, fields: &[Field], doubles: &[(usize, usize)]) {
        for &(again, first) in doubles.iter().take(SHOWN) {
            self.duplicate(&fields[first], &fields[again]);
        }
        if let Some(&(next, _)) = doubles.get(SHOWN) {
            let message = format!("{} more stand twice", counted(doubles.len() - SHOWN));
            self.warn(
                Rule::DuplicateField,
                fields[next].key_span,
                message,
                "remove them",
            );
        }
    }

    fn duplicate(&mut self, first: &Field, again: &Field) {
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

    fn unknown(&mut self, field: &Field) {
        let message = format!("the specification has no field {}", quoted(&field.key));
        let near = name::near(&field.key, FIELDS);
        let help = match near.first() {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "keep it under `metadata`, if only your own tools read it".to_owned(),
        };
        self.warn(Rule::UnknownField, field.key_span, message, &help);
    }

    /// Returns the name, unless it is unsafe.
    fn name(&mut self, facts: &Facts, folder: &str, limits: &Limits) -> Option<String> {
        let field = facts.field("name");
        let written = field.and_then(|field| {
            let scalar = field.value.scalar()?;
            let filled = scalar.kind != ScalarKind::Null && !scalar.text.trim().is_empty();
            filled.then_some((field.value.span, scalar))
        });
        let Some((span, scalar)) = written else {
            return self.folder_name(field, folder, limits);
        };
        let name = text::nfc(&scalar.text);
        if !self.is_safe(&name, span, limits) {
            return None;
        }
        self.not_text("name", span, scalar);
        self.about_name(&name, span);
        if name != text::nfc(folder) {
            let message = format!(
                "the name {} is not the name of its folder, {}",
                quoted(&name),
                quoted(folder)
            );
            self.warn(Rule::NameMismatch, span, message, "give both the same name");
        }
        Some(name.into_owned())
    }

    /// Lets the folder's name stand in for a missing one.
    fn folder_name(
        &mut self,
        field: Option<&Field>,
        folder: &str,
        limits: &Limits,
    ) -> Option<String> {
        let span = field.map_or(Span::START, |field| field.value.span);
        let name = text::nfc(folder);
        if !self.is_safe(&name, span, limits) {
            return None;
        }
        let what = match field.map(|field| &field.value) {
            None => "the name is missing".to_owned(),
            Some(value) if value.scalar().is_some() => "the name is empty".to_owned(),
            Some(value) => format!("the name is {}, not text", value.kind()),
        };
        let message = format!("{what}; the folder's name {} stands in", quoted(&name));
        self.warn(
            Rule::NameMissing,
            span,
            message,
            &format!("write `name: {name}`"),
        );
        self.about_name(&name, span);
        Some(name.into_owned())
    }

    fn is_safe(&mut self, name: &str, span: Span, limits: &Limits) -> bool {
        let control = name.chars().find(|c| c.is_control());
        let message = if let Some(c) = control {
            format!(
                "the name holds the control character U+{:04X}",
                u32::from(c)
            )
        } else if name.contains(['/', '\\']) {
            "the name holds a slash, as a path does".to_owned()
        } else if matches!(name, "." | ".." | "") {
            "the name would be a path".to_owned()
        } else if name.len() > limits.name_bytes {
            format!(
                "the name has {} bytes; at most {} are taken",
                name.len(),
                limits.name_bytes
            )
        } else {
            return true;
        };
        let help = "use at most 64 of the characters a-z, 0-9 and -";
        self.refuse(Rule::NameUnsafe, span, message, help);
        false
    }

    fn about_name(&mut self, name: &str, span: Span) {
        let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let problem = if let Some(c) = name.chars().find(|&c| !allowed(c)) {
            Some(format!("holds {}", described(c)))
        } else if name.starts_with('-') || name.ends_with('-') {
            Some("begins or ends with a hyphen".to_owned())
        } else if name.contains("--") {
            Some("has two hyphens in a row".to_owned())
        } else {
            None
        };
        if let Some(problem) = problem {
            let message = format!("the name {problem}");
            let help = "use a-z, 0-9 and single hyphens between them";
            self.warn(Rule::NameInvalid, span, message, help);
        }
        // ASCII is the common case, and bytes bound characters.
        let length = if name.len() > NAME_CHARACTERS {
            name.chars().count()
        } else {
            0
        };
        if length > NAME_CHARACTERS {
            let message = format!(
                "the name has {length} characters; the specification allows {NAME_CHARACTERS}"
            );
            self.warn(Rule::NameTooLong, span, message, "use a shorter name");
        }
    }

    /// Returns the description, if there is one with a plain text form.
    fn description(&mut self, facts: &Facts) -> Option<String> {
        let help = "write what the skill does and when to use it: `description: …`";
        let Some(field) = facts.field("description") else {
            let span = facts
                .fields
                .first()
                .map_or(Span::START, |field| field.key_span);
            self.refuse(
                Rule::DescriptionMissing,
                span,
                "there is no description",
                help,
            );
            return None;
        };
        let span = field.value.span;
        let Some(scalar) = field.value.scalar() else {
            let message = format!("the description is {}, not text", field.value.kind());
            self.refuse(Rule::DescriptionMissing, span, message, help);
            return None;
        };
        if scalar.kind == ScalarKind::Null || shows_nothing(&scalar.text) {
            self.refuse(
                Rule::DescriptionMissing,
                span,
                "the description is empty",
                help,
            );
            return None;
        }
        self.not_text("description", span, scalar);
        if let Some(length) = longer_than(&scalar.text, DESCRIPTION_CHARACTERS) {
            let message = format!(
                "the description has {length} characters; the specification allows {DESCRIPTION_CHARACTERS}"
            );
            let help = "shorten it, and move the rest to the body";
            self.warn(Rule::DescriptionTooLong, span, message, help);
        }
        Some(scalar.text.clone())
    }

    fn not_text(&mut self, key: &str, span: Span, scalar: &Scalar) {
        let kind = match scalar.kind {
            ScalarKind::Text | ScalarKind::Null => return,
            ScalarKind::Int | ScalarKind::Float => "a number",
            ScalarKind::Bool => "a truth value",
        };
        let message = format!(
            "the {key} is {kind}, not text; it is read as {}",
            quoted(&scalar.text)
        );
        self.warn(Rule::FieldType, span, message, "put it between quotes");
    }

    /// The fields that loading does not need.
    fn about_the_rest(&mut self, facts: &Facts) {
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

    fn wrong_type(&mut self, key: &str, value: &Value, wanted: &str) {
        let message = format!("{key} is {}, not {wanted}", value.kind());
        self.warn(
            Rule::FieldType,
            value.span,
            message,
            &format!("write it as {wanted}"),
        );
    }

    fn metadata(&mut self, value: &Value) {
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

fn counted(fields: usize) -> String {
    text::counted(fields, "field")
}

/// Whether nothing of `text` is to be seen.
fn shows_nothing(text: &str) -> bool {
    let seen = text.bytes().any(|b| b.is_ascii_graphic());
    !seen && text::one_line(text).is_empty()
}

/// Returns how many characters `text` has without the white space around it,
/// if they are more than `most`.
fn longer_than(text: &str, most: usize) -> Option<usize> {
    if text.len() <= most {
        return None;
    }
    let length = text.trim().chars().count();
    (length > most).then_some(length)
}

/// Names a character that does not belong into a name.
fn described(c: char) -> String {
    match c {
        ' ' => "a blank".to_owned(),
        'A'..='Z' => format!("the capital letter {c}"),
        c if c.is_ascii_graphic() => format!("the character {c}"),
        c => format!("the character U+{:04X}", u32::from(c)),
    }
}

/// Puts a name into a message.
fn quoted(text: &str) -> String {
    format!("`{text}`")
}
