//! SKILL.md, from bytes to facts: the fences, every field with its place, and
//! what keeps the rest from being read.
//!
//! Facts are what the file says. What they are worth is judged elsewhere, by
//! the rules of one agent system at a time. Nothing outside this folder reads
//! frontmatter, and only `library` names the YAML library.

mod fast;
mod fences;
#[cfg(feature = "extension")]
mod json;
mod lexer;
mod library;
mod lines;
mod places;
mod quoting;
mod refusal;
mod repair;
mod schema;
mod shape;
mod slips;
mod source;
mod yaml_1_1;

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use crate::diagnostic::{Rule, Span};
use crate::limits::Limits;

pub use fences::Fence;
pub use quoting::quoted;
pub(super) use quoting::{QUOTE_IT, folded, line_of, quote_it};
pub use schema::{FIELDS, plain_kind};
pub use yaml_1_1::{Yaml11, yaml_1_1};

/// What a SKILL.md says, before anybody judges it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// Whether a UTF-8 byte-order mark stands first.
    pub byte_order_mark: bool,
    /// Which line ends the file has; not looked at where there is no
    /// frontmatter, or one over its bound.
    pub line_ends: LineEnds,
    /// The `---` line that opens the frontmatter.
    pub opening: Option<Fence>,
    /// The `---` line that closes it.
    pub closing: Option<Fence>,
    /// The top-level fields in file order; a field that stands twice is here
    /// twice. Empty where there is a fault, unless it is [`Rule::YamlTag`]:
    /// some agents read past tags.
    pub fields: Vec<Field>,
    /// Where YAML tags stand, those of the core set too.
    pub tags: Vec<Span>,
    /// Where YAML aliases stand.
    pub aliases: Vec<Span>,
    /// Comments that end the last line of an unquoted value.
    pub comments: Vec<Comment>,
    /// Tabs between the colon of a field and its value.
    pub tabs: Vec<Span>,
    /// Anchors that no alias names: most often words of a text.
    pub anchors: Vec<Anchor>,
    /// Fields that are parts of the values above them by mistake.
    pub slipped: Vec<Slipped>,
    /// Offset in bytes of the body, just behind the closing fence's line end;
    /// the whole length of the file where nothing closes the frontmatter.
    pub body: usize,
    /// Where the body seems to begin before the fence that closes the frontmatter.
    pub closed_late: Option<Fault>,
    /// The first bytes that are not UTF-8.
    pub invalid_utf8: Option<Place>,
    /// The first NUL.
    pub nul: Option<Place>,
    /// Why there are no usable fields.
    pub fault: Option<Fault>,
}

impl Facts {
    /// Returns the first field called `key`: of several, the first counts.
    #[must_use]
    pub fn field(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// Returns the last top-level field that begins on or before a line.
    pub(super) fn field_above(&self, line: u32) -> Option<&Field> {
        let after = self
            .fields
            .partition_point(|field| field.key_span.line <= line);
        self.fields.get(after.checked_sub(1)?)
    }
}

/// A comment behind an unquoted value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// From the `#` to the end of the line.
    pub span: Span,
    /// Whether a blank follows the `#`, as where a comment is meant.
    pub spaced: bool,
    /// Whether it stands in the place of a value.
    pub instead: bool,
    /// The line to type if it was meant as a part of the value.
    pub line: String,
}

/// An anchor, which names what follows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// Where it stands.
    pub span: Span,
    /// The line to type if it was meant as a part of the value; nothing where
    /// what follows is not plain text.
    pub line: Option<String>,
}

/// A field that is a part of the value above by mistake: the repair of unquoted
/// colons takes in what is indented, and quotes take in what is before they close.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slipped {
    /// The field.
    pub key: String,
    /// Where it stands; in quotes, where they open.
    pub span: Span,
    /// Whether quotes took it in, and not its indentation.
    pub in_quotes: bool,
    /// The colon behind it.
    pub colon: Span,
    /// The field whose value it is a part of now.
    pub above: String,
    /// Where that field stands.
    pub above_span: Span,
    /// The line to type, its middle left out where it is long: from the field on,
    /// or the one that lacks a quote.
    pub line: String,
}

/// Which line ends a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LineEnds {
    /// Whether a line ends in LF alone.
    pub lf: bool,
    /// Whether a line ends in CR and LF.
    pub crlf: bool,
    /// The first CR without an LF behind it. It ends no line.
    pub lone_cr: Option<Place>,
}

/// A place, and which half of the file it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Where.
    pub span: Span,
    /// Whether it is behind the closing fence.
    pub in_body: bool,
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The key's text. A list or a mapping as a key is written out, as in
    /// `[a, b]`.
    pub key: Cow<'static, str>,
    /// Where the key stands, quotes included.
    pub key_span: Span,
    /// What it is set to.
    pub value: Value,
}

/// A value, and where it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// Where it begins, with its length on that line. Of a block list or
    /// mapping, its first item; of an alias, and of all that comes through
    /// it, the alias; of no value at all, a point behind the colon.
    pub span: Span,
    /// What it is.
    pub content: Content,
}

impl Value {
    /// Returns the scalar, unless the value is a list or a mapping.
    #[must_use]
    pub fn scalar(&self) -> Option<&Scalar> {
        match &self.content {
            Content::Scalar(scalar) => Some(scalar),
            Content::Sequence(_) | Content::Mapping(_) => None,
        }
    }

    /// Returns what kind of value it is, with its article: `a number`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match &self.content {
            Content::Sequence(_) => "a list",
            Content::Mapping(_) => "a mapping",
            Content::Scalar(scalar) => match scalar.kind {
                ScalarKind::Text => "text",
                ScalarKind::Int | ScalarKind::Float => "a number",
                ScalarKind::Bool => "a truth value",
                ScalarKind::Null => "empty",
            },
        }
    }
}

/// What a value is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// One piece of text, whatever its type.
    Scalar(Scalar),
    /// A list.
    Sequence(Vec<Value>),
    /// Keys and values, in file order, doubles kept.
    Mapping(Vec<Field>),
}

/// One piece of text with its YAML type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar {
    /// The text as written, after unquoting and folding: `1.10` stays `1.10`.
    pub text: String,
    /// Its type in the core schema of YAML 1.2.
    pub kind: ScalarKind,
    /// How it is written, where that is known: not behind an alias.
    pub style: Option<Style>,
    /// The unquoted colon that was repaired in it, the first of them.
    pub repaired: Option<Span>,
}

/// The type of a scalar in the core schema of YAML 1.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScalarKind {
    /// Text.
    Text,
    /// A whole number.
    Int,
    /// A number with a fraction or an exponent, infinity, not-a-number.
    Float,
    /// `true` or `false`.
    Bool,
    /// `null`, `~`, or nothing.
    Null,
}

/// How a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Style {
    /// Without quotes.
    Plain,
    /// Between single quotes.
    Single,
    /// Between double quotes.
    Double,
    /// A block after `|`.
    Literal,
    /// A block after `>`.
    Folded,
}

/// Why a file has no usable fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What kind of fault it is.
    pub rule: Rule,
    /// Where it is.
    pub span: Span,
    /// What is wrong, in plain words.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Fault {
    fn new(rule: Rule, span: Span, message: impl Into<String>) -> Self {
        Self {
            rule,
            span,
            message: message.into(),
            help: None,
        }
    }

    fn with_help(self, help: impl Into<String>) -> Self {
        Self {
            help: Some(help.into()),
            ..self
        }
    }
}

/// Reads a whole SKILL.md.
///
/// Never fails and never panics: what cannot be read is in [`Facts::fault`].
/// Time and memory are bounded by the length of `bytes` and by `limits`.
///
/// # Examples
///
/// ```
/// use codeaf_skills::{Limits, skill::frontmatter};
///
/// let facts = frontmatter::read(b"---\nname: pdf\nversion: 1.10\n---\nBody.\n", &Limits::DEFAULT);
///
/// let version = facts.field("version").and_then(|field| field.value.scalar());
/// assert_eq!(version.map(|scalar| scalar.text.as_str()), Some("1.10"));
/// assert_eq!(facts.body, 32);
/// ```
#[must_use]
pub fn read(bytes: &[u8], limits: &Limits) -> Facts {
    let mut facts = Facts {
        byte_order_mark: bytes.starts_with(fences::BYTE_ORDER_MARK),
        body: bytes.len(),
        ..Facts::default()
    };
    let fences = match fences::find(bytes, limits) {
        Ok(fences) => fences,
        Err(fault) => {
            facts.fault = Some(fault);
            return facts;
        }
    };
    facts.opening = Some(fences.opening);
    facts.closing = Some(fences.closing);
    facts.body = fences.body;
    survey(bytes, fences.body, &mut facts);
    facts.closed_late = fences::closed_late(&bytes[fences.inner.clone()]);
    match parse(&bytes[fences.inner], &facts, limits) {
        Ok(parsed) => {
            facts.fields = parsed.fields;
            facts.tags = parsed.tags;
            facts.aliases = parsed.aliases;
            facts.comments = parsed.comments;
            facts.tabs = parsed.tabs;
            facts.anchors = parsed.anchors;
            facts.slipped = parsed.slipped;
            facts.fault = parsed.fault;
        }
        Err(fault) => {
            // What comes of it is no second fault.
            let cause = facts.closed_late.take_if(|late| {
                fault.rule == Rule::YamlInvalid && late.span.line <= fault.span.line
            });
            facts.fault = Some(cause.unwrap_or(fault));
        }
    }
    facts
}

/// Reads what another agent takes for the text between the fences; its first
/// line counts as line 2.
pub(super) fn read_between(text: &str, limits: &Limits) -> Facts {
    let parsed = parse_text(text, limits).unwrap_or_else(|fault| Parsed {
        fault: Some(fault),
        ..Parsed::default()
    });
    Facts {
        fields: parsed.fields,
        tags: parsed.tags,
        aliases: parsed.aliases,
        comments: parsed.comments,
        tabs: parsed.tabs,
        anchors: parsed.anchors,
        slipped: parsed.slipped,
        fault: parsed.fault,
        ..Facts::default()
    }
}

/// What stands between the fences.
#[derive(Debug, PartialEq, Eq, Default)]
struct Parsed {
    fields: Vec<Field>,
    tags: Vec<Span>,
    aliases: Vec<Span>,
    comments: Vec<Comment>,
    tabs: Vec<Span>,
    anchors: Vec<Anchor>,
    slipped: Vec<Slipped>,
    fault: Option<Fault>,
}

fn parse(inner: &[u8], facts: &Facts, limits: &Limits) -> Result<Parsed, Fault> {
    if let Some(nul) = facts.nul.filter(|nul| !nul.in_body) {
        let message = "a NUL byte stands in the frontmatter";
        return Err(Fault::new(Rule::NotText, nul.span, message)
            .with_help("save the file as plain UTF-8 text"));
    }
    // The lossy conversion alone would do, at several times the cost.
    let text =
        std::str::from_utf8(inner).map_or_else(|_| String::from_utf8_lossy(inner), Cow::Borrowed);
    parse_text(&text, limits)
}

fn parse_text(text: &str, limits: &Limits) -> Result<Parsed, Fault> {
    match fast::read(text, limits) {
        Some(fields) => Ok(Parsed {
            fields,
            ..Parsed::default()
        }),
        None => slow(text, limits),
    }
}

/// Reads fields with the library, whatever they look like.
fn slow(text: &str, limits: &Limits) -> Result<Parsed, Fault> {
    let shielded = places::Shielded::new(text)?;
    let mut parsed =
        repair::read(&shielded.text, limits).map_err(|fault| shielded.restore_fault(fault))?;
    shielded.restore(&mut parsed.fields);
    if parsed.tags.is_empty() {
        settle_types(&mut parsed.fields.iter_mut().map(|field| &mut field.value));
    }
    Ok(parsed)
}

/// Types untagged plain texts as YAML does where the library does not: it takes
/// `007` for a text.
fn settle_types(values: &mut dyn Iterator<Item = &mut Value>) {
    for value in values {
        match &mut value.content {
            Content::Scalar(scalar) => {
                let is_plain = scalar.style == Some(Style::Plain) && scalar.repaired.is_none();
                if is_plain && scalar.kind == ScalarKind::Text {
                    scalar.kind = plain_kind(&scalar.text);
                }
            }
            Content::Sequence(items) => settle_types(&mut items.iter_mut()),
            Content::Mapping(entries) => {
                settle_types(&mut entries.iter_mut().map(|entry| &mut entry.value));
            }
        }
    }
}

/// Notes NULs, line ends and bytes that are not UTF-8.
fn survey(bytes: &[u8], body: usize, facts: &mut Facts) {
    let place = |offset| Place {
        span: Span::at(bytes, offset),
        in_body: offset >= body,
    };
    facts.line_ends.lf = true;
    // Bodies are the bulk of what is read: a look at all of it, before each of
    // the closer ones.
    if memchr2(0, b'\r', bytes).is_some() {
        facts.nul = memchr(0, bytes).map(place);
        facts.line_ends = line_ends(bytes, place);
    }
    if !bytes.is_ascii() {
        facts.invalid_utf8 = std::str::from_utf8(bytes)
            .err()
            .map(|error| place(error.valid_up_to()));
    }
}

/// Tells line ends apart, without branches, so that the compiler can put many bytes into one step.
fn line_ends(bytes: &[u8], place: impl Fn(usize) -> Place) -> LineEnds {
    let mut lf = u8::from(bytes.first() == Some(&b'\n'));
    let mut lone = u8::from(bytes.last() == Some(&b'\r'));
    let mut crlf = 0;
    for (&b, &next) in bytes.iter().zip(bytes.get(1..).unwrap_or_default()) {
        let (cr, feed) = (u8::from(b == b'\r'), u8::from(next == b'\n'));
        lf |= feed & !cr;
        crlf |= feed & cr;
        lone |= cr & !feed;
    }
    let is_lone = |i: &usize| bytes[*i] == b'\r' && bytes.get(i + 1) != Some(&b'\n');
    LineEnds {
        lf: lf & 1 != 0,
        crlf: crlf & 1 != 0,
        lone_cr: (lone & 1 != 0)
            .then(|| (0..bytes.len()).find(is_lone).map(place))
            .flatten(),
    }
}

#[cfg(test)]
mod tests;
