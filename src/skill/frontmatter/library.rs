//! The one place that knows the YAML library.
//!
//! It is asked twice. The first pass takes whatever comes and learns shapes
//! and types; there the library turns `1.10` into a number, and the text is
//! lost. The second pass knows the shape and asks for text only. Texts that
//! the library hands out uncopied lie in the input, so their address is their
//! place; between them the lexer's list of nodes keeps step.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use serde::de::{self, DeserializeSeed, EnumAccess, MapAccess, SeqAccess, Visitor};

use super::lexer::{Nodes, Token, TokenKind};
use super::{Content, Field, Scalar, ScalarKind, Style, Value};
use crate::diagnostic::Span;
use crate::limits::Limits;

/// Values for each byte of a text, once aliases are put in. Without aliases
/// there is no more than one; people who use them to repeat themselves do not
/// come near, and small bombs are refused in a small time.
const EXPANSION: usize = 16;

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
    /// A tag that the library hands on.
    Tag,
}

/// Finds places in the text, whatever was done to it before.
pub(super) trait Placing {
    /// Returns the span of a node in the file, with its length on its line.
    fn span(&self, token: Token) -> Span;
    /// Returns a point in the file.
    fn point(&self, offset: usize) -> Span;
    /// Returns the colon that was repaired in the scalar that begins here.
    fn repaired(&self, offset: usize) -> Option<Span>;
}

/// Reads `text`, whose nodes are `nodes`.
pub(super) fn read(
    text: &str,
    nodes: &Nodes,
    placing: &dyn Placing,
    limits: &Limits,
) -> Result<Outcome, Refusal> {
    let shape = shape(text, limits)?;
    if matches!(shape, Shape::Nothing) {
        return Ok(Outcome::Fields(Vec::new()));
    }
    let mut reader = Reader {
        text,
        nodes,
        placing,
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

/// A value without its texts.
enum Shape {
    /// No document at all.
    Nothing,
    Scalar(ScalarKind),
    Sequence(Vec<Shape>),
    Mapping(Vec<(Shape, Shape)>),
}

fn shape(text: &str, limits: &Limits) -> Result<Shape, Refusal> {
    let tally = Tally {
        limits,
        most_values: limits.yaml_values.min(text.len().saturating_mul(EXPANSION)),
        values: Cell::new(0),
        text_bytes: Cell::new(0),
        stop: Cell::new(None),
    };
    let seed = ShapeSeed {
        tally: &tally,
        depth: 0,
    };
    let found = seed.deserialize(serde_yaml::Deserializer::from_str(text));
    match (found, tally.stop.take()) {
        (Ok(shape), _) => Ok(shape),
        (Err(_), Some(refusal)) => Err(refusal),
        (Err(error), None) => Err(syntax(&error, text)),
    }
}

/// Counts what comes out, so that the library is stopped early.
struct Tally<'a> {
    limits: &'a Limits,
    most_values: usize,
    values: Cell<usize>,
    text_bytes: Cell<usize>,
    stop: Cell<Option<Refusal>>,
}

impl Tally<'_> {
    fn stop<E: de::Error>(&self, refusal: Refusal) -> E {
        self.stop.set(Some(refusal));
        E::custom("stopped at a bound")
    }

    fn value<E: de::Error>(&self, depth: usize) -> Result<(), E> {
        self.values.set(self.values.get() + 1);
        if self.values.get() > self.most_values {
            return Err(self.stop(Refusal::Values(self.most_values)));
        }
        if depth > self.limits.yaml_depth {
            return Err(self.stop(Refusal::Depth));
        }
        Ok(())
    }

    fn text<E: de::Error>(&self, length: usize) -> Result<(), E> {
        self.text_bytes.set(self.text_bytes.get() + length);
        if self.text_bytes.get() > self.limits.yaml_text_bytes {
            return Err(self.stop(Refusal::Text));
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
struct ShapeSeed<'a> {
    tally: &'a Tally<'a>,
    depth: usize,
}

impl ShapeSeed<'_> {
    fn scalar<E: de::Error>(self, kind: ScalarKind) -> Result<Shape, E> {
        self.tally.value(self.depth)?;
        Ok(Shape::Scalar(kind))
    }

    fn inner<E: de::Error>(self) -> Result<Self, E> {
        let depth = self.depth + 1;
        self.tally.value(depth)?;
        Ok(Self { depth, ..self })
    }
}

impl<'de> DeserializeSeed<'de> for ShapeSeed<'_> {
    type Value = Shape;

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<Shape, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ShapeSeed<'_> {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_none<E: de::Error>(self) -> Result<Shape, E> {
        Ok(Shape::Nothing)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Shape, E> {
        self.scalar(ScalarKind::Null)
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Shape, E> {
        self.scalar(ScalarKind::Bool)
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Shape, E> {
        self.scalar(ScalarKind::Int)
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Shape, E> {
        self.scalar(ScalarKind::Int)
    }

    fn visit_i128<E: de::Error>(self, _: i128) -> Result<Shape, E> {
        self.scalar(ScalarKind::Int)
    }

    fn visit_u128<E: de::Error>(self, _: u128) -> Result<Shape, E> {
        self.scalar(ScalarKind::Int)
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Shape, E> {
        self.scalar(ScalarKind::Float)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Shape, E> {
        self.tally.text(text.len())?;
        self.scalar(ScalarKind::Text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Shape, A::Error> {
        let inner = self.inner()?;
        let mut shapes = Vec::new();
        while let Some(shape) = items.next_element_seed(inner)? {
            shapes.push(shape);
        }
        Ok(Shape::Sequence(shapes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Shape, A::Error> {
        let inner = self.inner()?;
        let mut shapes = Vec::new();
        while let Some(entry) = entries.next_entry_seed(inner, inner)? {
            shapes.push(entry);
        }
        Ok(Shape::Mapping(shapes))
    }

    /// The library shows a tag that is not its own as an enum.
    fn visit_enum<A: EnumAccess<'de>>(self, _: A) -> Result<Shape, A::Error> {
        Err(self.tally.stop(Refusal::Tag))
    }
}

/// Keeps step between the library's values and the lexer's nodes.
struct Reader<'a> {
    text: &'a str,
    nodes: &'a Nodes,
    placing: &'a dyn Placing,
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
                self.alias = Some(self.placing.span(token));
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
            token.map_or(self.placing.point(self.text.len()), |token| {
                self.placing.span(token)
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
        let expected = self.peek();
        let token = match (expected, offset) {
            (Some(token), None) => Some(token),
            (Some(token), Some(offset)) if begins_at(token, offset) => Some(token),
            (_, Some(offset)) => self.resynchronize(offset),
            (None, None) => None,
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
                let repaired = self.placing.repaired(start);
                let style = if repaired.is_some() {
                    Style::Plain
                } else {
                    style
                };
                (self.placing.span(token), Some(style), repaired)
            }
            _ => {
                let offset = offset.unwrap_or(self.text.len());
                (self.placing.point(offset), Some(Style::Plain), None)
            }
        }
    }

    /// Finds the node at `offset` after steps got out of time.
    fn resynchronize(&mut self, offset: usize) -> Option<Token> {
        let tokens = &self.nodes.tokens;
        let after = tokens.partition_point(|token| token.start <= offset);
        let found = [after.checked_sub(1), after.checked_sub(2)]
            .into_iter()
            .flatten()
            .find(|&i| begins_at(tokens[i], offset))?;
        self.next = found;
        Some(tokens[found])
    }
}

/// Whether the text at `offset` is that of `token`: behind its quote, if any.
fn begins_at(token: Token, offset: usize) -> bool {
    match token.kind {
        TokenKind::Scalar(Style::Plain) => token.start == offset,
        TokenKind::Scalar(Style::Single | Style::Double) => token.start + 1 == offset,
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
            .checked_sub(self.reader.text.as_ptr().addr());
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
