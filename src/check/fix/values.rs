//! Mends that stay on their lines: blanks after fences, tabs behind colons, and
//! quotes around values.

use std::collections::HashSet;
use std::ops::Range;

use super::edits::{self, Edit, Head};
use super::{Draft, Fix};
use crate::diagnostic::{Rule, Span};
use crate::skill::frontmatter::{
    Content, Facts, Field, Scalar, ScalarKind, Style, Value, Yaml11, quoted, yaml_1_1,
};

/// Fields that the specification wants to be text.
const TEXT_FIELDS: [&str; 5] = [
    "name",
    "description",
    "license",
    "compatibility",
    "allowed-tools",
];

/// Mends what can be mended in place.
pub(super) fn mend(draft: &mut Draft, fixes: &mut Vec<Fix>) {
    let Some(mut candidates) = candidates(draft) else {
        return;
    };
    candidates.retain(|candidate| draft.options.mends(candidate.fix.rule));
    let all: Vec<&Candidate> = candidates.iter().collect();
    let taken = draft.settle(&all, |draft, some| {
        let edited = edits::apply(&draft.bytes, some.iter().map(|candidate| &candidate.edit))?;
        let mut fields = draft.facts.fields.clone();
        for candidate in some {
            candidate.make_text(&mut fields);
        }
        Some((edited, fields))
    });
    fixes.extend(taken.into_iter().map(|candidate| candidate.fix.clone()));
}

/// One edit and what it is for.
struct Candidate {
    edit: Edit,
    fix: Fix,
    /// The value that becomes text, by its index at each level.
    becomes_text: Option<Vec<usize>>,
}

impl Candidate {
    /// Does to what was read what the edit is to do to the file.
    fn make_text(&self, fields: &mut [Field]) {
        let Some((&first, inner)) = self.becomes_text.as_deref().and_then(<[_]>::split_first)
        else {
            return;
        };
        let mut value = fields.get_mut(first).map(|field| &mut field.value);
        for &index in inner {
            value = value.and_then(|value| match &mut value.content {
                Content::Mapping(fields) => fields.get_mut(index).map(|field| &mut field.value),
                Content::Sequence(values) => values.get_mut(index),
                Content::Scalar(_) => None,
            });
        }
        if let Some(Content::Scalar(scalar)) = value.map(|value| &mut value.content) {
            scalar.kind = ScalarKind::Text;
            scalar.repaired = None;
        }
    }
}

fn candidates(draft: &Draft) -> Option<Vec<Candidate>> {
    let facts = &draft.facts;
    let mut search = Search {
        head: Head::new(&draft.bytes, facts)?,
        aliases: facts.aliases.iter().copied().collect(),
        path: Vec::new(),
        found: Vec::new(),
    };
    search.fences(facts);
    if draft.has_fields() {
        search.fields(&facts.fields, Wanted::InFields);
    }
    Some(search.found)
}

/// Whether the specification wants text here.
#[derive(Clone, Copy)]
enum Wanted {
    /// In some fields.
    InFields,
    /// In each entry: this is `metadata`.
    Everywhere,
    /// It does not say.
    Nowhere,
}

impl Wanted {
    fn of(self, key: &str) -> bool {
        match self {
            Self::InFields => TEXT_FIELDS.contains(&key),
            Self::Everywhere => true,
            Self::Nowhere => false,
        }
    }

    fn inside(self, key: &str) -> Self {
        match self {
            Self::InFields if key == "metadata" => Self::Everywhere,
            _ => Self::Nowhere,
        }
    }
}

struct Search<'a> {
    head: Head<'a>,
    /// What comes through an alias is written elsewhere.
    aliases: HashSet<Span>,
    /// Where the search is, by its index at each level.
    path: Vec<usize>,
    found: Vec<Candidate>,
}

impl Search<'_> {
    fn fences(&mut self, facts: &Facts) {
        for fence in [facts.opening, facts.closing].into_iter().flatten() {
            if let Some(span) = fence.blanks
                && let Some(range) = self.head.range(span)
            {
                let fix = Fix::new(
                    Rule::FenceBlanks,
                    span,
                    "removed the blanks after the dashes",
                );
                self.push(Edit::new(range, ""), fix, false);
            }
        }
    }

    fn push(&mut self, edit: Edit, fix: Fix, becomes_text: bool) {
        self.found.push(Candidate {
            edit,
            fix,
            becomes_text: becomes_text.then(|| self.path.clone()),
        });
    }

    fn fields(&mut self, fields: &[Field], wanted: Wanted) {
        for (index, field) in fields.iter().enumerate() {
            self.path.push(index);
            self.tab(field);
            if let Content::Scalar(scalar) = &field.value.content {
                self.scalar(field, scalar, wanted.of(&field.key));
            }
            self.inner(&field.value, wanted.inside(&field.key));
            self.path.pop();
        }
    }

    fn inner(&mut self, value: &Value, wanted: Wanted) {
        if self.aliases.contains(&value.span) {
            return;
        }
        match &value.content {
            Content::Scalar(_) => {}
            Content::Mapping(fields) => self.fields(fields, wanted),
            Content::Sequence(values) => {
                for (index, value) in values.iter().enumerate() {
                    self.path.push(index);
                    self.inner(value, Wanted::Nowhere);
                    self.path.pop();
                }
            }
        }
    }

    /// Puts one blank for white space with a tab in it; none where the value
    /// begins on a later line.
    fn tab(&mut self, field: &Field) {
        let Some(key) = self.head.range(field.key_span) else {
            return;
        };
        let rest = &self.head.text[key.end..];
        let Some(behind) = rest.trim_start_matches([' ', '\t']).strip_prefix(':') else {
            return;
        };
        let value = behind.trim_start_matches([' ', '\t']);
        let start = key.end + rest.len() - behind.len();
        let range = start..start + behind.len() - value.len();
        let Some(tab) = self.head.text[range.clone()].find('\t') else {
            return;
        };
        let before = self.head.text[key.start..start + tab].chars().count();
        let column = field.key_span.column + u32::try_from(before).unwrap_or_default();
        let fix = Fix::new(
            Rule::TabAfterColon,
            Span::new(field.key_span.line, column).with_length(1),
            format!("put a blank for the tab behind `{}`", field.key),
        );
        let ends = value.is_empty() || value.starts_with(['\r', '\n']);
        let blank = if ends { "" } else { " " };
        self.push(Edit::new(range, blank), fix, false);
    }

    fn scalar(&mut self, field: &Field, scalar: &Scalar, is_text_wanted: bool) {
        let span = field.value.span;
        let found = if let Some(colon) = scalar.repaired {
            let range = self.unquoted_range(field);
            range.map(|range| (range, Rule::UnquotedColon, colon))
        } else if is_text_wanted && scalar.style == Some(Style::Plain) {
            let as_written = |range: &Range<usize>| self.head.text[range.clone()] == scalar.text;
            let range = self.head.range(span).filter(as_written);
            range
                .zip(mistaken(scalar))
                .map(|(range, rule)| (range, rule, span))
        } else {
            None
        };
        if let Some((range, rule, span)) = found {
            let fix = Fix::new(rule, span, format!("quoted the value of `{}`", field.key));
            let text = quoted(&self.head.text[range.clone()]);
            self.push(Edit::new(range, text), fix, true);
        }
    }

    /// Returns the bytes of an unquoted value that may go on over deeper lines;
    /// nothing where one of them may be a field that slipped to the right.
    fn unquoted_range(&self, field: &Field) -> Option<Range<usize>> {
        let start = self.head.range(field.value.span)?.start;
        let column = field.key_span.column as usize;
        let mut last = field.value.span.line;
        for number in last + 1..self.head.closing() {
            let line = self.head.line(number);
            let text = line.trim_start_matches(' ');
            let is_blank = text.trim().is_empty();
            // A column counts from 1: what is as deep is deeper than the key.
            if !is_blank && (line.len() - text.len() < column || text.starts_with('#')) {
                break;
            }
            if is_like_field(text) {
                return None;
            }
            if !is_blank {
                last = number;
            }
        }
        let line = self.head.line(last).trim_end_matches([' ', '\t']);
        let end = self.head.start(last) + line.len();
        (start < end).then_some(start..end)
    }
}

/// Whether a line begins as a field does: a word in small letters and a colon.
fn is_like_field(line: &str) -> bool {
    let is_of_key = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_".contains(&b);
    line.split_once(':').is_some_and(|(key, rest)| {
        let is_key =
            key.starts_with(|c: char| c.is_ascii_lowercase()) && key.bytes().all(is_of_key);
        is_key && (rest.is_empty() || rest.starts_with([' ', '\t', '\r']))
    })
}

/// Returns the rule by which a plain value is taken, or may be taken, for
/// something that is not text.
fn mistaken(scalar: &Scalar) -> Option<Rule> {
    match scalar.kind {
        ScalarKind::Int | ScalarKind::Float | ScalarKind::Bool => Some(Rule::FieldType),
        // Nothing, or a text that spells it: two answers.
        ScalarKind::Null => None,
        ScalarKind::Text => yaml_1_1(&scalar.text).map(|kind| match kind {
            Yaml11::Truth => Rule::Yaml11Boolean,
            Yaml11::Number | Yaml11::Date => Rule::FieldType,
        }),
    }
}
