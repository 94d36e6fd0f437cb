//! The one place that knows the YAML library.
//!
//! It is asked twice. The first pass takes whatever comes and learns shapes
//! and types; there the library turns `1.10` into a number, and the text is
//! lost. The second pass knows the shape and asks for text only. Texts that
//! the library hands out uncopied lie in the input, so their address is their
//! place; between them the lexer's list of nodes keeps step.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};

use super::lexer::{Nodes, Token, TokenKind};
use super::shape::{Shape, Tally};
use super::source::Source;
use super::{Content, Field, Scalar, ScalarKind, Style, Value};
use crate::diagnostic::Span;
use crate::limits::Limits;

/// Levels of nesting that the library takes, whatever the bound is.
pub(super) const LEVELS: usize = 128;

/// What the library made of a text.
pub(super) enum Outcome {
    /// The fields of a mapping; none for an empty text.
    Fields(Vec<Field>),
    /// A document of another kind.
    Other(Value),
}

/// Why a text has no outcome.
pub(super) enum Refusal {
    /// It is not YAML, as the library puts it, and the byte where it says so.
    Syntax(String, Option<usize>),
    /// More values than this bound.
    Values(usize),
    /// More bytes of text than the bound.
    Text,
    /// Nested deeper than the bound, aliases put in.
    Depth,
}

/// Reads a source whose nodes are `nodes`.
pub(super) fn read(source: &Source, nodes: &Nodes, limits: &Limits) -> Result<Outcome, Refusal> {
    let text = &*source.text;
    let tally = Tally::new(text, limits);
    let found = Shape::seed(&tally).deserialize(serde_yaml::Deserializer::from_str(text));
    let shape = match (found, tally.refusal()) {
        (Ok(Shape::Nothing), _) => return Ok(Outcome::Fields(Vec::new())),
        (Ok(shape), _) => shape,
        (Err(_), Some(refusal)) => return Err(refusal),
        (Err(error), None) => return Err(syntax(&error, text)),
    };
    let mut reader = Reader {
        source,
        nodes,
        next: 0,
        alias: None,
    };
    let seed = TextSeed {
        shape,
        reader: &mut reader,
    };
    let value = seed
        .deserialize(serde_yaml::Deserializer::from_str(text))
        .map_err(|error| syntax(&error, text))?;
    Ok(match value.content {
        Content::Mapping(fields) => Outcome::Fields(fields),
        _ => Outcome::Other(value),
    })
}

fn syntax(error: &serde_yaml::Error, text: &str) -> Refusal {
    let message = error.to_string();
    if message.starts_with("recursion limit") {
        return Refusal::Depth;
    }
    if message.starts_with("repetition limit") {
        // The library's own bound: a hundred aliases for each value written.
        return Refusal::Values(text.len().saturating_mul(100));
    }
    Refusal::Syntax(message, error.location().map(|place| place.index()))
}

/// Keeps step between the library's values and the lexer's nodes.
struct Reader<'a> {
    source: &'a Source<'a>,
    nodes: &'a Nodes,
    /// The node that the next value should be.
    next: usize,
    /// The alias that everything comes through at the moment.
    alias: Option<Span>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<Token> {
        self.nodes.tokens.get(self.next).copied()
    }

    /// Enters an alias if the next node is one; whoever entered leaves.
    fn enter_alias(&mut self) -> bool {
        match self.peek() {
            Some(token) if self.alias.is_none() && token.kind == TokenKind::Alias => {
                self.alias = Some(self.source.span(token));
                true
            }
            _ => false,
        }
    }

    fn leave_alias(&mut self) {
        self.alias = None;
        self.next += 1;
    }

    fn here(&self) -> Span {
        let token = self.peek();
        self.alias.unwrap_or_else(|| {
            token.map_or(self.source.point(self.source.text.len()), |token| {
                self.source.span(token)
            })
        })
    }

    /// Steps over the bracket of a flow collection.
    fn enter_collection(&mut self) -> Span {
        let span = self.here();
        let bracket = self
            .peek()
            .is_some_and(|token| token.kind == TokenKind::Bracket);
        if self.alias.is_none() && bracket {
            self.next += 1;
        }
        span
    }

    /// Makes a scalar; `offset` is where its text lies in the input.
    fn scalar(&mut self, text: &str, kind: ScalarKind, offset: Option<usize>) -> Value {
        let (span, style, repaired) = match self.alias {
            Some(span) => (span, None, None),
            None => self.place(text, offset),
        };
        Value {
            span,
            content: Content::Scalar(Scalar {
                text: text.to_owned(),
                kind,
                style,
                repaired,
            }),
        }
    }

    fn place(&mut self, text: &str, offset: Option<usize>) -> (Span, Option<Style>, Option<Span>) {
        let token = match offset.map(|offset| offset + text.len()) {
            None => self.peek(),
            Some(end) => {
                let expected = self.peek().filter(|&token| ends_at(token, end));
                // No text is no node: what ends here then came before.
                expected.or_else(|| {
                    let lost = !text.is_empty();
                    lost.then(|| self.resynchronize(end)).flatten()
                })
            }
        };
        match token {
            Some(
                token @ Token {
                    kind: TokenKind::Scalar(style),
                    start,
                    ..
                },
            ) if !text.is_empty() || style != Style::Plain => {
                self.next += 1;
                let repaired = self.source.repaired(start);
                let style = if repaired.is_some() {
                    Style::Plain
                } else {
                    style
                };
                (self.source.span(token), Some(style), repaired)
            }
            _ => {
                let offset = offset.unwrap_or(self.source.text.len());
                (self.source.point(offset), Some(Style::Plain), None)
            }
        }
    }

    /// Finds the node that ends at `end` after steps got out of time.
    fn resynchronize(&mut self, end: usize) -> Option<Token> {
        let tokens = &self.nodes.tokens;
        let after = tokens.partition_point(|token| token.start < end);
        let found = after.checked_sub(1)?;
        if !ends_at(tokens[found], end) {
            return None;
        }
        self.next = found;
        Some(tokens[found])
    }
}

/// Whether a text that ends at `end` is that of `token`, before its quote. Its
/// beginning says less: the library cuts the text from the end of a scalar.
fn ends_at(token: Token, end: usize) -> bool {
    match token.kind {
        TokenKind::Scalar(Style::Plain) => token.end == end,
        TokenKind::Scalar(Style::Single | Style::Double) => token.end == end + 1,
        _ => false,
    }
}

struct TextSeed<'a, 'r> {
    shape: Shape,
    reader: &'a mut Reader<'r>,
}

impl<'de> DeserializeSeed<'de> for TextSeed<'_, '_> {
    type Value = Value;

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let reader = self.reader;
        let entered = reader.enter_alias();
        let value = match self.shape {
            Shape::Nothing => deserializer.deserialize_str(TextVisitor {
                kind: ScalarKind::Null,
                reader,
            }),
            Shape::Scalar(kind) => deserializer.deserialize_str(TextVisitor { kind, reader }),
            Shape::Sequence(shapes) => {
                deserializer.deserialize_seq(ItemsVisitor { shapes, reader })
            }
            Shape::Mapping(shapes) => {
                deserializer.deserialize_map(EntriesVisitor { shapes, reader })
            }
        };
        if entered {
            reader.leave_alias();
        }
        value
    }
}

struct TextVisitor<'a, 'r> {
    kind: ScalarKind,
    reader: &'a mut Reader<'r>,
}

impl<'de> Visitor<'de> for TextVisitor<'_, '_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("text")
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Value, E> {
        let offset = text
            .as_ptr()
            .addr()
            .checked_sub(self.reader.source.text.as_ptr().addr());
        Ok(self.reader.scalar(text, self.kind, offset))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        Ok(self.reader.scalar(text, self.kind, None))
    }
}

struct ItemsVisitor<'a, 'r> {
    shapes: Vec<Shape>,
    reader: &'a mut Reader<'r>,
}

impl<'de> Visitor<'de> for ItemsVisitor<'_, '_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let reader = self.reader;
        let span = reader.enter_collection();
        let mut values = Vec::with_capacity(self.shapes.len());
        for shape in self.shapes {
            let seed = TextSeed {
                shape,
                reader: &mut *reader,
            };
            values.extend(items.next_element_seed(seed)?);
        }
        Ok(Value {
            span,
            content: Content::Sequence(values),
        })
    }
}

struct EntriesVisitor<'a, 'r> {
    shapes: Vec<(Shape, Shape)>,
    reader: &'a mut Reader<'r>,
}

impl<'de> Visitor<'de> for EntriesVisitor<'_, '_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a mapping")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let reader = self.reader;
        let span = reader.enter_collection();
        let mut fields = Vec::with_capacity(self.shapes.len());
        for (key, value) in self.shapes {
            let seed = TextSeed {
                shape: key,
                reader: &mut *reader,
            };
            let Some(key) = entries.next_key_seed(seed)? else {
                break;
            };
            let seed = TextSeed {
                shape: value,
                reader: &mut *reader,
            };
            let value = entries.next_value_seed(seed)?;
            fields.push(Field {
                key_span: key.span,
                key: Cow::Owned(key_text(key)),
                value,
            });
        }
        Ok(Value {
            span,
            content: Content::Mapping(fields),
        })
    }
}

/// Writes a key out, also one that is a list or a mapping.
fn key_text(key: Value) -> String {
    match key.content {
        Content::Scalar(scalar) => scalar.text,
        Content::Sequence(values) => {
            let items: Vec<String> = values.into_iter().map(key_text).collect();
            format!("[{}]", items.join(", "))
        }
        Content::Mapping(fields) => {
            let entry = |field: Field| format!("{}: {}", field.key, key_text(field.value));
            let entries: Vec<String> = fields.into_iter().map(entry).collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}
