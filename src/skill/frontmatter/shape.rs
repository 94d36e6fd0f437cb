//! The first pass over a text: shapes, types, and how much there is of it.

use std::cell::Cell;
use std::fmt;

use serde::de::{
    self, DeserializeSeed, EnumAccess, IgnoredAny, MapAccess, SeqAccess, VariantAccess, Visitor,
};

use super::ScalarKind;
use super::library::Refusal;
use crate::limits::Limits;

/// Values for each byte of a text, once aliases are put in. Without aliases
/// there is no more than one; people who use them to repeat themselves do not
/// come near, and small bombs are refused in a small time.
const EXPANSION: usize = 16;

/// A value without its texts.
pub(super) enum Shape {
    /// No document at all.
    Nothing,
    Scalar(ScalarKind),
    Sequence(Vec<Shape>),
    Mapping(Vec<(Shape, Shape)>),
}

impl Shape {
    /// Returns what takes a document's shape and counts its values.
    pub(super) fn seed<'a>(tally: &'a Tally<'a>) -> ShapeSeed<'a> {
        ShapeSeed { tally, depth: 0 }
    }
}

/// Counts what comes out, so that the library is stopped early.
pub(super) struct Tally<'a> {
    limits: &'a Limits,
    most_values: usize,
    values: Cell<usize>,
    text_bytes: Cell<usize>,
    stop: Cell<Option<Refusal>>,
}

impl<'a> Tally<'a> {
    /// Makes the tally of a text.
    pub(super) fn new(text: &str, limits: &'a Limits) -> Self {
        Self {
            limits,
            most_values: limits.yaml_values.min(text.len().saturating_mul(EXPANSION)),
            values: Cell::new(0),
            text_bytes: Cell::new(0),
            stop: Cell::new(None),
        }
    }

    /// Returns the bound that stopped the count, if one did.
    pub(super) fn refusal(&self) -> Option<Refusal> {
        self.stop.take()
    }

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
pub(super) struct ShapeSeed<'a> {
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

    /// The library shows a tag that is not its own as an enum; what is tagged
    /// still has its shape.
    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Shape, A::Error> {
        let (IgnoredAny, inner) = tagged.variant()?;
        inner.newtype_variant_seed(self)
    }
}
