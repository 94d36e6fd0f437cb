//! JSON with places: members and elements with the bytes that they take.
//!
//! `serde_json` judges the syntax; every part is a borrowed piece of the text,
//! so that its offset is known and whoever edits touches nothing else. This
//! file does not know what any key means.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::diagnostic::Span;
use crate::hash::Set;

/// Why a text is not what it must be.
#[derive(Debug)]
pub(crate) struct Malformed {
    /// Bytes before the fault.
    pub(crate) offset: usize,
    pub(crate) message: String,
    pub(crate) help: Option<Cow<'static, str>>,
}

impl Malformed {
    pub(crate) fn new(offset: usize, message: impl Into<String>) -> Self {
        Self {
            offset,
            message: message.into(),
            help: None,
        }
    }

    /// Returns the same with a next step, if it has none.
    #[cfg(feature = "check")]
    pub(crate) fn or_help(self, help: impl Into<Cow<'static, str>>) -> Self {
        Self {
            help: self.help.or_else(|| Some(help.into())),
            ..self
        }
    }

    pub(crate) fn with_help(self, help: impl Into<Cow<'static, str>>) -> Self {
        Self {
            help: Some(help.into()),
            ..self
        }
    }
}

/// One value and where it begins, in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Value<'a> {
    pub(crate) start: usize,
    pub(crate) text: &'a str,
}

impl<'a> Value<'a> {
    fn new(document: &'a str, raw: &'a RawValue) -> Self {
        // A borrowed raw value is a piece of the document itself.
        let start = raw.get().as_ptr().addr() - document.as_ptr().addr();
        Self {
            start,
            text: raw.get(),
        }
    }

    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub(crate) fn range(&self) -> Range<usize> {
        self.start..self.end()
    }

    /// Returns the text that a JSON string stands for.
    pub(crate) fn string(&self) -> Result<Cow<'a, str>, Malformed> {
        if !self.text.contains('\\') {
            return Ok(Cow::Borrowed(self.text.trim_matches('"')));
        }
        let resolved = serde_json::from_str(self.text).map(Cow::Owned);
        resolved.map_err(|_| {
            Malformed::new(
                self.start,
                "this text has half a surrogate pair, which is not Unicode",
            )
        })
    }

    /// Returns the text that is the value of `key`.
    #[cfg(feature = "check")]
    pub(crate) fn string_of(&self, key: &str) -> Result<Cow<'a, str>, Malformed> {
        if self.is_string() {
            return self.string();
        }
        let message = format!("`{key}` must be a text, and is {}", self.kind());
        Err(Malformed::new(self.start, message))
    }

    fn is_string(&self) -> bool {
        self.text.starts_with('"')
    }

    /// Names the type as a person would say it.
    fn kind(&self) -> &'static str {
        match self.text.as_bytes().first() {
            Some(b'{') => "an object",
            Some(b'[') => "a list",
            Some(b'"') => "a text",
            Some(b't' | b'f') => "true or false",
            Some(b'n') => "null",
            _ => "a number",
        }
    }
}

/// A key and its value.
#[derive(Debug)]
pub(crate) struct Member<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) key: Value<'a>,
    pub(crate) value: Value<'a>,
}

/// An object, with its members in the order of the text.
#[derive(Debug)]
pub(crate) struct Object<'a> {
    /// The bytes of the object, both braces counted.
    pub(crate) range: Range<usize>,
    pub(crate) members: Vec<Member<'a>>,
}

impl<'a> Object<'a> {
    /// Reads a whole document whose one value is an object; `what` is how a
    /// message calls the document.
    ///
    /// A key that stands twice in it is a fault. One that does so deeper in a
    /// value is not looked for: whoever owns the value says what it means, and no
    /// edit of ours touches it.
    pub(crate) fn parse_document(document: &'a str, what: &str) -> Result<Self, Malformed> {
        let start = document.len() - document.trim_start_matches(BLANKS).len();
        let end = document.trim_end_matches(BLANKS).len();
        let Members(members) = serde_json::from_str(document).map_err(|error| {
            if error.is_data() {
                Malformed::new(start, format!("{what} is an object, between {{ and }}"))
            } else {
                syntax(document, &error)
            }
        })?;
        Self::new(document, start..end, members)
    }

    /// Reads the object that is the value of `key`.
    pub(crate) fn parse(document: &'a str, key: &str, value: Value<'a>) -> Result<Self, Malformed> {
        let Members(members) = serde_json::from_str(value.text).map_err(|_| {
            let kind = value.kind();
            Malformed::new(
                value.start,
                format!("`{key}` must be an object, and is {kind}"),
            )
        })?;
        Self::new(document, value.range(), members)
    }

    fn new(
        document: &'a str,
        range: Range<usize>,
        members: Vec<(&'a RawValue, &'a RawValue)>,
    ) -> Result<Self, Malformed> {
        let mut seen = Set::default();
        let mut read = Vec::with_capacity(members.len());
        for (key, value) in members {
            let key = Value::new(document, key);
            // A key that is not Unicode cannot be ours; it is itself.
            let name = key.string().unwrap_or(Cow::Borrowed(key.text));
            if !seen.insert(name.clone()) {
                let message = format!("the key `{name}` stands twice");
                return Err(Malformed::new(key.start, message)
                    .with_help("keep one of the two: readers disagree on which one counts"));
            }
            let value = Value::new(document, value);
            read.push(Member { name, key, value });
        }
        Ok(Self {
            range,
            members: read,
        })
    }

    /// Returns the value of `key`.
    pub(crate) fn get(&self, key: &str) -> Option<Value<'a>> {
        let member = self.members.iter().find(|member| member.name == key)?;
        Some(member.value)
    }
}

/// One text of a list.
#[derive(Debug)]
pub(crate) struct Element<'a> {
    pub(crate) string: Cow<'a, str>,
    pub(crate) value: Value<'a>,
}

/// A list of texts.
#[derive(Debug)]
pub(crate) struct List<'a> {
    /// The list as written, both brackets counted.
    pub(crate) value: Value<'a>,
    pub(crate) elements: Vec<Element<'a>>,
}

impl<'a> List<'a> {
    /// Reads the list of texts that is the value of `key`.
    pub(crate) fn parse(document: &'a str, key: &str, value: Value<'a>) -> Result<Self, Malformed> {
        let raw: Vec<&RawValue> = serde_json::from_str(value.text).map_err(|_| {
            let kind = value.kind();
            let message = format!("`{key}` must be a list of texts, and is {kind}");
            Malformed::new(value.start, message)
        })?;
        let element = |raw| {
            let value = Value::new(document, raw);
            if !value.is_string() {
                let message = format!("`{key}` must hold texts only, and this is {}", value.kind());
                return Err(Malformed::new(value.start, message));
            }
            Ok(Element {
                string: value.string()?,
                value,
            })
        };
        let elements = raw.into_iter().map(element).collect::<Result<_, _>>()?;
        Ok(Self { value, elements })
    }
}

/// The blanks of JSON.
const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

/// The members of an object as `serde_json` hands them out, repeated keys too.
struct Members<'a>(Vec<(&'a RawValue, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor).map(Self)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Vec<(&'de RawValue, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(members)
    }
}

/// Says in plain words what `serde_json` found, and where.
fn syntax(document: &str, error: &serde_json::Error) -> Malformed {
    if error.is_eof() {
        let message = if document.trim_matches(BLANKS).is_empty() {
            "there is nothing but blanks"
        } else {
            "the file ends before its JSON does"
        };
        return Malformed::new(document.len(), message);
    }
    let offset = offset_of(document, error.line(), error.column());
    match document.as_bytes()[offset..] {
        [b'/', b'/' | b'*', ..] | [b'#', ..] => Malformed::new(offset, "comments are not JSON")
            .with_help("take the comment out, or keep it as text under a key of its own"),
        [b']' | b'}', ..] if follows_comma(document, offset) => Malformed::new(
            offset,
            "this is not JSON: a comma stands before the closing bracket",
        )
        .with_help("take the last comma out"),
        _ => {
            let said = error.to_string();
            let words = said.split(" at line ").next().unwrap_or(&said);
            Malformed::new(offset, format!("this is not JSON: {words}"))
        }
    }
}

/// The commonest slip of all.
fn follows_comma(document: &str, offset: usize) -> bool {
    document[..offset].trim_end_matches(BLANKS).ends_with(',')
}

/// Turns a line and a column in bytes, both from 1, into an offset. Column 0
/// is the line end before.
pub(crate) fn offset_of(document: &str, line: usize, column: usize) -> usize {
    let line_start = match line.checked_sub(2) {
        None => 0,
        Some(ends_before) => document
            .bytes()
            .enumerate()
            .filter(|&(_, byte)| byte == b'\n')
            .nth(ends_before)
            .map_or(document.len(), |(at, _)| at + 1),
    };
    let mut offset = (line_start + column).saturating_sub(1).min(document.len());
    while !document.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// Finds lines and columns, in time linear in the text as long as the offsets
/// asked for grow.
pub(crate) struct Places<'a> {
    text: &'a [u8],
    offset: usize,
    line: u32,
    column: u32,
}

impl<'a> Places<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text: text.as_bytes(),
            offset: 0,
            line: 1,
            column: 1,
        }
    }

    /// Returns the place of `value`, with its length in characters.
    pub(crate) fn of(&mut self, value: Value<'_>) -> Span {
        self.at(value.start).with_length(value.text.chars().count())
    }

    /// Returns the place of the byte at `offset`.
    pub(crate) fn at(&mut self, offset: usize) -> Span {
        let offset = offset.min(self.text.len());
        if offset < self.offset {
            (self.offset, self.line, self.column) = (0, 1, 1);
        }
        for &byte in &self.text[self.offset..offset] {
            if byte == b'\n' {
                self.line = self.line.saturating_add(1);
                self.column = 1;
            } else if byte & 0b1100_0000 != 0b1000_0000 {
                // Not a byte that continues a character.
                self.column = self.column.saturating_add(1);
            }
        }
        self.offset = offset;
        Span::new(self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn faults_are_named_at_their_place() {
        for (text, line, column, words) in [
            ("", 1, 1, "nothing but blanks"),
            (" \n", 2, 1, "nothing but blanks"),
            ("[\"a\"]", 1, 1, "is an object"),
            ("\n  7", 2, 3, "is an object"),
            ("{\n  \"on\": [}", 2, 10, "not JSON"),
            ("{\"a\": 1,}", 1, 9, "a comma stands before"),
            ("{\"on\": [\"a\",\n]}", 2, 1, "a comma stands before"),
            ("{\"a\": 1", 1, 8, "ends before"),
            ("{\"a\": 1}\n}", 2, 1, "trailing characters"),
            ("{\n  // why\n}", 2, 3, "comments"),
            ("{\"a\": 1 /* why */}", 1, 9, "comments"),
            ("# why\n{}", 1, 1, "comments"),
            ("{\"é\": nope}", 1, 8, "not JSON"),
            ("{\"é\": 1, \"\\u00e9\": 2}", 1, 10, "stands twice"),
            ("{'a': 1}", 1, 2, "not JSON"),
            ("{\"a\": 01}", 1, 8, "not JSON"),
            ("{\"a\"\n\n: 1 2}", 3, 5, "not JSON"),
        ] {
            let fault = Object::parse_document(text, "it").unwrap_err();

            let place = Places::new(text).at(fault.offset);
            assert_eq!(
                place,
                Span::new(line, column),
                "{text:?}: {}",
                fault.message
            );
            assert!(fault.message.contains(words), "{text:?}: {}", fault.message);
        }
    }

    #[test]
    fn members_keep_their_bytes() {
        let text = " {\"a\" : 1.10 , \"\\u0062\":[ 1E2 ]}\n";

        let object = Object::parse_document(text, "it").unwrap();

        let parts: Vec<_> = object
            .members
            .iter()
            .map(|m| {
                (
                    m.name.as_ref(),
                    &text[m.key.range()],
                    &text[m.value.range()],
                )
            })
            .collect();
        assert_eq!(
            parts,
            [("a", "\"a\"", "1.10"), ("b", "\"\\u0062\"", "[ 1E2 ]")]
        );
        assert_eq!(&text[object.range], text.trim());
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "[{}\\[\\]\":,a\\\\ud8/*\n\r é1e.-]{0,40}") {
            if let Ok(object) = Object::parse_document(&text, "it") {
                for member in object.members {
                    let _ = List::parse(&text, "on", member.value);
                    let _ = Object::parse(&text, "skills", member.value);
                }
            }
        }

        #[test]
        fn places_agree_with_the_slow_way(text in "[a\né\r]{0,30}", order in prop::collection::vec(0usize..40, 5)) {
            let mut places = Places::new(&text);
            for offset in order.into_iter().filter(|&o| text.is_char_boundary(o)) {
                prop_assert_eq!(places.at(offset), Span::at(text.as_bytes(), offset));
            }
        }
    }
}
