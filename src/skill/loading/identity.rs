//! The two fields that make a skill: its name and its description.

use super::fields::{self, SHOWN};
use super::{Breach, DESCRIPTION_CHARACTERS, Findings, longer_than, quoted};
use crate::diagnostic::{Severity, Span};
use crate::limits::Limits;
use crate::name::{SPEC_NAME_CHARACTERS, is_spec_name};
use crate::skill::frontmatter::{self, Comment, Facts, Scalar, ScalarKind, Slipped, quote_it};
use crate::text;

impl Findings<'_> {
    /// What is said of fields that are indented by mistake: once, and nothing of
    /// what comes of it.
    pub(super) fn slipped(&mut self, facts: &Facts, limits: &Limits) {
        for slipped in facts.slipped.iter().take(SHOWN) {
            if slipped.in_quotes {
                self.taken_in(slipped);
                continue;
            }
            let Some(severity) = self.profile.severity(Breach::UnquotedColon) else {
                return;
            };
            let name = facts.field("name").and_then(|field| field.value.scalar());
            let is_unsafe = |name: &Scalar| unsafe_because(&name.text, limits).is_some();
            let keeps_from_loading = is_slipped(facts, "description")
                && slipped.key == "description"
                || slipped.above == "name" && name.is_some_and(is_unsafe);
            let severity = if keeps_from_loading {
                Severity::Error
            } else {
                severity
            };
            let message = format!(
                "{} is indented, so that it is a part of the value of {}",
                quoted(&slipped.key),
                quoted(&slipped.above)
            );
            let help = match slipped.above_span.column {
                1 => format!("begin the line in column 1: {}", slipped.line),
                column => format!(
                    "begin it in column {column}, in line with {}",
                    quoted(&slipped.above)
                ),
            };
            self.tell_as(
                severity,
                Breach::UnquotedColon,
                slipped.span,
                message,
                &help,
            );
        }
    }

    /// What is said of quotes that took in a field that must be there.
    fn taken_in(&mut self, slipped: &Slipped) {
        let (breach, what) = match &*slipped.key {
            "name" => (Breach::NameMissing, "the name is missing"),
            _ => (Breach::DescriptionMissing, "there is no description"),
        };
        let message = format!(
            "{what}: the quotes that open in {} take it in",
            quoted(&slipped.above)
        );
        let help = format!("close them before it: {}", slipped.line);
        self.tell(breach, slipped.span, message, &help);
    }

    /// Returns the name, unless it is unsafe.
    pub(super) fn name(&mut self, facts: &Facts, folder: &str, limits: &Limits) -> Option<String> {
        let field = facts.field("name");
        let written = field.and_then(|field| {
            let scalar = field.value.scalar()?;
            let filled = scalar.kind != ScalarKind::Null && !scalar.text.trim().is_empty();
            filled.then_some((field.value.span, scalar))
        });
        let Some((span, scalar)) = written else {
            return self.folder_name(facts, folder, limits);
        };
        let name = text::nfc(&scalar.text);
        // What the name is with a field in it is of no interest.
        if facts.slipped.iter().any(|slipped| slipped.above == "name") {
            return unsafe_because(&name, limits)
                .is_none()
                .then(|| name.into_owned());
        }
        if !self.is_safe(&name, span, limits) {
            return None;
        }
        self.not_text("name", span, scalar);
        let folder = &*text::nfc(folder);
        // Mended, it is the folder's: that the two differ is no second fault.
        if name != folder && spec_form(&name) == folder {
            let help = format!("write name: {folder}, as its folder is called");
            self.invalid_name(&name, span, &help);
            return Some(name.into_owned());
        }
        self.about_name(&name, span);
        if name != folder {
            let message = format!(
                "the name {} is not the name of its folder, {}",
                quoted(&name),
                quoted(folder)
            );
            self.tell(
                Breach::NameMismatch,
                span,
                message,
                "give both the same name",
            );
        }
        Some(name.into_owned())
    }

    /// Lets the folder's name stand in for a missing one.
    fn folder_name(&mut self, facts: &Facts, folder: &str, limits: &Limits) -> Option<String> {
        let field = facts.field("name");
        let span = field.map_or(Span::START, |field| field.value.span);
        let name = text::nfc(folder);
        if !self.is_safe(&name, span, limits) {
            return None;
        }
        if is_slipped(facts, "name") {
            return Some(name.into_owned());
        }
        let what = match field.map(|field| &field.value) {
            None => "the name is missing".to_owned(),
            Some(value) => match value.scalar() {
                None => format!("the name is {}, not text", value.kind()),
                Some(scalar) if scalar.kind == ScalarKind::Null && !scalar.text.is_empty() => {
                    "the name is null".to_owned()
                }
                Some(_) => "the name is empty".to_owned(),
            },
        };
        let stand_in = fields::stand_in(&facts.fields, "name");
        let around = fields::under(&facts.fields, "name");
        let (span, what) = match (stand_in, around) {
            (None, Some((around, span))) => (
                span,
                format!("{what}: it stands under {}", quoted(&around.key)),
            ),
            (Some(index), _) => {
                let other = &facts.fields[index];
                let how = fields::as_written(&other.key);
                (other.key_span, format!("{what}: {how}"))
            }
            (None, None) => (span, what),
        };
        let message = format!("{what}; the folder's name {} stands in", quoted(&name));
        let meant = stand_in.and_then(|index| facts.fields[index].value.scalar());
        // A name that is right is the one to write, whatever the folder is called.
        let meant = meant.filter(|meant| is_spec_name(&meant.text) && !is_spec_name(&name));
        let written = meant.map_or(&*name, |meant| &meant.text);
        let help = format!("write `name: {}`", scalar_of(written));
        self.tell(Breach::NameMissing, span, message, &help);
        if meant.is_none() {
            self.about_name(&name, span);
        }
        Some(name.into_owned())
    }

    pub(super) fn is_safe(&mut self, name: &str, span: Span, limits: &Limits) -> bool {
        if is_spec_name(name) {
            return true;
        }
        let Some(message) = unsafe_because(name, limits) else {
            return true;
        };
        let help = "use at most 64 of the characters a-z, 0-9 and -";
        self.tell(Breach::NameUnsafe, span, message, help);
        false
    }

    pub(super) fn about_name(&mut self, name: &str, span: Span) {
        if is_spec_name(name) {
            return;
        }
        let help = "use a-z, 0-9 and single hyphens between them";
        self.invalid_name(name, span, help);
        let length = name.chars().count();
        if length > SPEC_NAME_CHARACTERS {
            let message = format!(
                "the name has {length} characters; the specification allows {SPEC_NAME_CHARACTERS}"
            );
            self.tell(Breach::NameTooLong, span, message, "use a shorter name");
        }
    }

    /// Says which character of a name, or which hyphen, the specification refuses.
    fn invalid_name(&mut self, name: &str, span: Span, help: &str) {
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
            self.tell(Breach::NameInvalid, span, message, help);
        }
    }

    /// Returns the description, if there is one with a plain text form.
    pub(super) fn description(&mut self, facts: &Facts) -> Option<String> {
        let help = "write what the skill does and when to use it: `description: …`";
        let Some(field) = facts.field("description") else {
            if is_slipped(facts, "description") {
                return None;
            }
            if let Some((around, span)) = fields::under(&facts.fields, "description") {
                let message = format!(
                    "there is no description: it stands under {}",
                    quoted(&around.key)
                );
                let help = "begin its line in column 1";
                self.tell(Breach::DescriptionMissing, span, message, help);
                return None;
            }
            if let Some(index) = fields::stand_in(&facts.fields, "description") {
                let other = &facts.fields[index];
                let how = fields::as_written(&other.key);
                let message = format!("there is no description: {how}");
                let help = fields::written_as(other, "description");
                self.tell(Breach::DescriptionMissing, other.key_span, message, &help);
                return None;
            }
            let span = facts
                .fields
                .first()
                .map_or(Span::START, |field| field.key_span);
            self.tell(
                Breach::DescriptionMissing,
                span,
                "there is no description",
                help,
            );
            return None;
        };
        let span = field.value.span;
        let Some(scalar) = field.value.scalar() else {
            let message = format!("the description is {}, not text", field.value.kind());
            match fields::sentence(field) {
                Some(text) => {
                    let message = format!("{message}: an unquoted colon and a blank stand in it");
                    let line = frontmatter::line_of("description", &text);
                    let help = quote_it(&line);
                    self.tell(Breach::DescriptionMissing, span, message, &help);
                }
                None => self.tell(Breach::DescriptionMissing, span, message, help),
            }
            return None;
        };
        let comment = |comment: &&Comment| comment.instead && comment.span.line == span.line;
        if scalar.kind == ScalarKind::Null
            && let Some(comment) = facts.comments.iter().find(comment)
        {
            let message = "the description is empty: a value that begins with `#` is a comment";
            let help = quote_it(&comment.line);
            self.tell(Breach::DescriptionMissing, comment.span, message, &help);
            return None;
        }
        if scalar.kind == ScalarKind::Null || shows_nothing(&scalar.text) {
            self.tell(
                Breach::DescriptionMissing,
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
            self.tell(Breach::DescriptionTooLong, span, message, help);
        }
        Some(scalar.text.clone())
    }
}

/// Whether a missing field is there, but indented by mistake.
fn is_slipped(facts: &Facts, key: &str) -> bool {
    let mut slipped = facts.slipped.iter();
    facts.field(key).is_none() && slipped.any(|slipped| slipped.key == key)
}

/// Returns why no skill may bear a name.
fn unsafe_because(name: &str, limits: &Limits) -> Option<String> {
    if let Some(c) = name.chars().find(|c| c.is_control()) {
        let code = u32::from(c);
        Some(format!("the name holds the control character U+{code:04X}"))
    } else if name.contains(['/', '\\']) {
        Some("the name holds a slash, as a path does".to_owned())
    } else if matches!(name, "." | ".." | "") {
        Some("the name would be a path".to_owned())
    } else if name.len() > limits.name_bytes {
        let (length, most) = (name.len(), limits.name_bytes);
        Some(format!(
            "the name has {length} bytes; at most {most} are taken"
        ))
    } else {
        None
    }
}

/// Whether nothing of `text` is to be seen.
fn shows_nothing(text: &str) -> bool {
    let seen = text.bytes().any(|b| b.is_ascii_graphic());
    !seen && text::one_line(text).is_empty()
}

/// Returns what a name comes to in the characters of the specification.
fn spec_form(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-").to_ascii_lowercase()
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

/// Writes a name as YAML reads it back.
fn scalar_of(name: &str) -> String {
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        && !name.starts_with('-')
        && frontmatter::plain_kind(name) == ScalarKind::Text;
    if plain {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', "''"))
    }
}
