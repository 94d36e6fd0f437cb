//! What is wrong with a frontmatter, in our own words.

use std::collections::HashSet;
use std::ops::Range;

use super::lexer::{Nodes, Stop};
use super::library::{LEVELS, Refusal};
use super::quoting::QUOTE_IT;
use super::slips::{self, Slip};
use super::source::Source;
use super::{Content, Fault, Value};
use crate::diagnostic::{Rule, Span};
use crate::limits::Limits;

/// The tags that a reader of YAML 1.2 must know.
const CORE_TAGS: [&str; 7] = ["str", "int", "bool", "float", "null", "seq", "map"];

/// Says why the library was not asked.
pub(super) fn stop_fault(stop: Stop, source: &Source, limits: &Limits) -> Fault {
    match stop {
        Stop::Depth(offset) => too_deep(source.point(offset), limits),
        Stop::Values(offset) => too_many(source.point(offset), limits),
        Stop::Directive(offset) => Fault::new(
            Rule::YamlInvalid,
            source.point(offset),
            "a line that begins with `%` is a YAML directive, which frontmatter does not have",
        )
        .with_help("remove the line, or put the value that it belongs to between quotes"),
    }
}

/// Says why the library refused, or was stopped.
pub(super) fn fault(refusal: &Refusal, nodes: &Nodes, source: &Source, limits: &Limits) -> Fault {
    let first_alias = nodes.aliases().next().map(|alias| source.span(alias));
    let place = first_alias.unwrap_or(source.point(0));
    match refusal {
        Refusal::Syntax(message, offset) => syntax(message, *offset, source),
        Refusal::Depth if first_alias.is_some() => aliases(
            place,
            format!("aliases nest deeper than {} levels", levels(limits)),
        ),
        Refusal::Depth => too_deep(place, limits),
        Refusal::Values(_) if first_alias.is_none() => too_many(place, limits),
        Refusal::Values(most) => aliases(
            place,
            format!("too many aliases: together they make more than {most} values"),
        ),
        Refusal::Text => aliases(
            place,
            format!(
                "too many aliases: together they make more than {} bytes of text",
                limits.yaml_text_bytes
            ),
        ),
    }
}

/// Finds a tag beyond the core set. The library ignores some of them.
pub(super) fn foreign_tag(nodes: &Nodes, source: &Source) -> Option<Fault> {
    let foreign = |range: &&Range<usize>| !is_core(&source.text[(*range).clone()]);
    let range = nodes.tags.iter().find(foreign)?;
    let written = &source.text[range.clone()];
    let message = format!("the tag {written} is not one of YAML's core set");
    Some(tag(source.part(range), written, &message))
}

/// Finds an anchor given twice: the library mixes up the aliases of the two.
pub(super) fn doubled_anchor(nodes: &Nodes, source: &Source) -> Option<Fault> {
    nodes.aliases().next()?;
    let mut seen = HashSet::new();
    let again = |range: &&Range<usize>| !seen.insert(&source.text[(*range).clone()]);
    let range = nodes.anchors.iter().find(again)?;
    let message = format!("the anchor {} is given twice", &source.text[range.clone()]);
    Some(aliases(source.part(range), message))
}

fn is_core(written: &str) -> bool {
    let verbatim = written
        .strip_prefix("!<tag:yaml.org,2002:")
        .and_then(|rest| rest.strip_suffix('>'));
    let name = verbatim.or(written.strip_prefix("!!"));
    name.is_some_and(|name| CORE_TAGS.contains(&name))
}

fn tag(span: Span, written: &str, message: &str) -> Fault {
    Fault::new(Rule::YamlTag, span, message).with_help(format!(
        "put the whole value between quotes if {written} is a part of the text; the tags !!str, !!int, !!bool, !!float, !!null, !!seq and !!map alone are read"
    ))
}

fn aliases(span: Span, message: String) -> Fault {
    Fault::new(Rule::YamlAliases, span, message).with_help("write the values out instead")
}

fn levels(limits: &Limits) -> usize {
    limits.yaml_depth.min(LEVELS)
}

fn too_deep(span: Span, limits: &Limits) -> Fault {
    let message = format!("nested deeper than {} levels", levels(limits));
    Fault::new(Rule::YamlDepth, span, message)
        .with_help("frontmatter needs two or three levels; keep anything deeper in the body")
}

fn too_many(span: Span, limits: &Limits) -> Fault {
    let message = format!(
        "the frontmatter has more than {} values, and none is read",
        limits.yaml_values
    );
    Fault::new(Rule::YamlValues, span, message).with_help(
        "keep what a skill works with in a file beside SKILL.md, and name it in the body",
    )
}

/// Says that a document is a list or a single piece of text.
pub(super) fn not_a_mapping(value: &Value, source: &Source) -> Fault {
    if let Some(slip) = slips::of_first_field(source.original()) {
        return slipped(slip, source);
    }
    let fault = |message: String| Fault::new(Rule::NotAMapping, value.span, message);
    let is_field = |item: &Value| matches!(&item.content, Content::Mapping(_));
    match &value.content {
        Content::Sequence(items) if items.iter().any(is_field) => {
            fault("the frontmatter is a list: dashes stand before its fields".into())
                .with_help("remove the dashes, so that each field begins in column 1")
        }
        _ => fault(format!("the frontmatter is {}, not fields", value.kind()))
            .with_help("write one field a line, such as `name: my-skill`"),
    }
}

fn slipped(slip: Slip, source: &Source) -> Fault {
    let span = source.part_of_original(&slip.place);
    Fault::new(slip.rule, span, slip.message).with_help(slip.help)
}

/// How the library begins a complaint, whether what it was reading shows the
/// place better than where it stopped, our words, and what to do.
type Wording = (&'static str, bool, &'static str, &'static str);

const WORDINGS: &[Wording] = &[
    (
        "mapping values are not allowed",
        false,
        "a colon followed by a blank stands in a value without quotes",
        QUOTE_IT,
    ),
    (
        "could not find expected ':'",
        true,
        "this line is not a field: it has no colon after a name",
        "write `name: value`, put `#` before a comment, or indent the line to go on with a value",
    ),
    (
        "found character that cannot start any token",
        false,
        "a value may not begin with this character",
        QUOTE_IT,
    ),
    (
        "found unexpected end of stream",
        true,
        "the quotes that open here are never closed",
        "close them, or double a quote that is part of the text",
    ),
    (
        "found unexpected document indicator",
        true,
        "the quotes that open here are never closed",
        "close them, or double a quote that is part of the text",
    ),
    (
        "did not find expected ',' or ']'",
        true,
        "the list that opens here with [ is not closed, or lacks a comma",
        "close it with ], or put the whole value between quotes",
    ),
    (
        "did not find expected ',' or '}'",
        true,
        "the mapping that opens here with { is not closed, or lacks a comma",
        "close it with }, or put the whole value between quotes",
    ),
    (
        "did not find expected key",
        false,
        "a field is expected here",
        "write `name: value`, in line with the fields around it; text behind a closing quote is not read",
    ),
    (
        "did not find expected '-' indicator",
        false,
        "a list item is expected here",
        "put it in line with the items above, behind `- `",
    ),
    (
        "did not find expected node content",
        false,
        "a value is expected here",
        QUOTE_IT,
    ),
    (
        "found a tab character",
        false,
        "a tab stands where YAML wants spaces",
        "indent with spaces",
    ),
    (
        "block sequence entries are not allowed",
        false,
        "a list item may not begin here",
        "put the list on lines of its own under the field",
    ),
    (
        "mapping keys are not allowed",
        false,
        "a value that begins with `?` and a blank needs quotes",
        QUOTE_IT,
    ),
    (
        "found unexpected ':'",
        false,
        "an unquoted colon stands inside brackets",
        "put the text with the colon between quotes",
    ),
    (
        "found unknown escape character",
        false,
        "between double quotes, a backslash may not stand before this character",
        "double the backslash, or use single quotes",
    ),
    (
        "did not find expected hexadecimal number",
        false,
        "an escape between double quotes lacks its hexadecimal digits",
        "double the backslash, or use single quotes",
    ),
    (
        "found invalid Unicode character escape code",
        false,
        "an escape between double quotes names no character",
        "double the backslash, or use single quotes",
    ),
    (
        "did not find expected comment or line break",
        true,
        "only a comment may follow the `|` or `>` of a block",
        "put the text on the next line, indented, or the whole value between quotes",
    ),
    (
        "did not find expected alphabetic or numeric character",
        false,
        "a value that begins with `*` or `&` needs quotes",
        QUOTE_IT,
    ),
    (
        "unknown anchor",
        false,
        "an alias names no anchor before it",
        "put the value between quotes if the `*` is part of the text",
    ),
    (
        "deserializing from YAML containing more than one document",
        false,
        "the frontmatter has a second YAML document",
        "keep the fields of one document only",
    ),
];

fn syntax(message: &str, offset: Option<usize>, source: &Source) -> Fault {
    let stopped = offset.map_or(source.point(0), |offset| source.point(offset));
    if message.starts_with("found undefined tag handle") {
        let span = context(message, source).unwrap_or(stopped);
        return tag(span, "the tag", "a tag of an unknown set is used");
    }
    let line = offset.map(|offset| source.text[..offset].matches('\n').count());
    if let Some(slip) = slips::find(source.original(), line.unwrap_or(usize::MAX)) {
        return slipped(slip, source);
    }
    let is_tab = offset.is_some_and(|offset| source.text[offset..].starts_with('\t'));
    let message = if is_tab && message.starts_with("found character that cannot start") {
        "found a tab character"
    } else {
        message
    };
    let known = WORDINGS
        .iter()
        .find(|(begins, ..)| message.starts_with(begins));
    let Some(&(_, by_context, words, help)) = known else {
        let detail = message.split(" at line ").next().unwrap_or(message);
        return Fault::new(
            Rule::YamlInvalid,
            stopped,
            format!("this is not YAML: {detail}"),
        )
        .with_help("if this is part of a text, put the whole value between quotes");
    };
    let span = if by_context {
        context(message, source).unwrap_or(stopped)
    } else {
        stopped
    };
    Fault::new(Rule::YamlInvalid, span, words).with_help(help)
}

/// Reads the place of what the library was in the middle of, which it tells
/// in its message only.
fn context(message: &str, source: &Source) -> Option<Span> {
    let (_, place) = message.rsplit_once(" at line ")?;
    let (line, column) = place.split_once(" column ")?;
    let line: usize = line.parse().ok()?;
    let column: usize = column.parse().ok()?;
    Some(source.point_at(line.checked_sub(1)?, column.checked_sub(1)?))
}
