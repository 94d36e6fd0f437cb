//! How the objects of a scope file are written, so that what is added looks
//! like what is there: line ends, indentation, blanks on one line.

use std::ops::Range;

use crate::json::Object;

/// One step of indentation in a file that has none to copy.
const STEP: &str = "  ";

/// How an object of the file is written.
#[derive(Clone)]
pub(super) struct Style {
    /// The line end of the file.
    newline: &'static str,
    /// The white space before each member, if each has a line of its own.
    indent: Option<String>,
    /// What one more level adds to it; empty only where nothing is indented.
    step: String,
    /// What is between a key and its value.
    colon: String,
    /// What follows a comma on one line.
    pub(super) gap: String,
}

impl Style {
    /// Reads the style of `object`, which stands in an object of style `outer`
    /// or is the outermost.
    pub(super) fn of(text: &str, object: &Object<'_>, outer: Option<&Self>) -> Self {
        let (Some(first), Some(last)) = (object.members.first(), object.members.last()) else {
            return Self::of_empty(text, object, outer);
        };
        let colon = &text[last.key.end()..last.value.start];
        let indent = last_line(&text[object.range.start + 1..first.key.start]);
        let closing = last_line(&text[last.value.end()..object.range.end - 1]).unwrap_or_default();
        let step = indent.and_then(|indent| indent.strip_prefix(closing));
        Self {
            newline: newline_of(text),
            indent: indent.map(str::to_owned),
            step: step.unwrap_or(STEP).to_owned(),
            colon: colon.to_owned(),
            gap: if colon == ":" { "" } else { " " }.to_owned(),
        }
    }

    /// Chooses the style of an object that has no members to copy.
    fn of_empty(text: &str, object: &Object<'_>, outer: Option<&Self>) -> Self {
        if let Some(outer) = outer {
            return outer.one_deeper();
        }
        let inside = &text[object.range.start + 1..object.range.end - 1];
        let has_lines = inside.is_empty() || inside.contains('\n');
        Self {
            newline: newline_of(text),
            indent: has_lines.then(|| STEP.to_owned()),
            step: STEP.to_owned(),
            colon: ": ".to_owned(),
            gap: " ".to_owned(),
        }
    }

    /// Returns the style of an object that is a value in this one.
    pub(super) fn one_deeper(&self) -> Self {
        let indent = self.indent.as_ref().filter(|_| !self.step.is_empty());
        Self {
            indent: indent.map(|indent| format!("{indent}{}", self.step)),
            ..self.clone()
        }
    }

    /// Returns the same style without lines of their own.
    pub(super) fn on_one_line(&self) -> Self {
        Self {
            indent: None,
            ..self.clone()
        }
    }

    /// Returns the white space before and after the one element of a list that
    /// is a value in this object.
    pub(super) fn around_element(&self) -> (String, String) {
        match &self.indent {
            // Without a step the two would be the same, see `Pieces::without`.
            Some(indent) if !self.step.is_empty() => (
                format!("{}{indent}{}", self.newline, self.step),
                format!("{}{indent}", self.newline),
            ),
            _ => (String::new(), String::new()),
        }
    }

    /// Returns a whole object of this style.
    pub(super) fn object(&self, members: &[(&str, String)]) -> String {
        let Some(indent) = &self.indent else {
            return format!("{{{}}}", self.members(members, &self.gap));
        };
        let lead = format!("{}{indent}", self.newline);
        let closing = indent.strip_suffix(&self.step).unwrap_or_default();
        let members = self.members(members, &lead);
        format!("{{{lead}{members}{}{closing}}}", self.newline)
    }

    /// Returns where in `object` new members go, and what is written there.
    pub(super) fn insertion(
        &self,
        text: &str,
        object: &Object<'_>,
        members: &[(&str, String)],
    ) -> (Range<usize>, String) {
        if let Some(last) = object.members.last() {
            let end = last.value.end();
            let lead = self.lead_after(text, object);
            let members = self.members(members, &lead);
            return (end..end, format!(",{lead}{members}"));
        }
        let start = object.range.start + 1;
        let inside = &text[start..object.range.end - 1];
        let written = match &self.indent {
            Some(_) => {
                let whole = self.object(members);
                // The braces are there, and perhaps the last line end.
                let inner = &whole[1..whole.len() - 1];
                let end = if inside.contains('\n') {
                    inner.trim_end()
                } else {
                    inner
                };
                end.to_owned()
            }
            None => format!("{inside}{}", self.members(members, &self.gap)),
        };
        (start..start, written)
    }

    /// Returns the white space before a member that follows the last one.
    fn lead_after(&self, text: &str, object: &Object<'_>) -> String {
        match object.members.as_slice() {
            [.., before, last] => {
                let between = &text[before.value.end()..last.key.start];
                let lead = between.split_once(',').map_or("", |(_, lead)| lead);
                lead.to_owned()
            }
            _ => match &self.indent {
                Some(indent) => format!("{}{indent}", self.newline),
                None => self.gap.clone(),
            },
        }
    }

    fn members(&self, members: &[(&str, String)], lead: &str) -> String {
        let members: Vec<String> = members
            .iter()
            .map(|(key, value)| format!("\"{key}\"{}{value}", self.colon))
            .collect();
        members.join(&format!(",{lead}"))
    }
}

/// Returns what stands on the last line of `blanks`, if there is a line end.
fn last_line(blanks: &str) -> Option<&str> {
    blanks.rsplit_once('\n').map(|(_, line)| line)
}

/// Returns the line end of the first line.
fn newline_of(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}
