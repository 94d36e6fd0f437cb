//! `allowed-tools` as a list, which the specification wants as spaced text.

use super::edits::{self, Edit, Head};
use super::{Draft, Fix};
use crate::diagnostic::Rule;
use crate::skill::frontmatter::{
    Content, Facts, Field, Scalar, ScalarKind, Style, Value, plain_kind, quoted,
};
use crate::skill::loading::allowed_tools;

const KEY: &str = "allowed-tools";

/// Writes the list as text, if it is read as the same tools. `lines` has the
/// places of the file before other lines moved.
pub(super) fn mend(draft: &mut Draft, lines: &Facts, fixes: &mut Vec<Fix>) {
    if !draft.options.mends(Rule::FieldType) {
        return;
    }
    let (Some(edit), Some(place)) = (edit(draft), lines.field(KEY)) else {
        return;
    };
    let text = allowed_tools(&draft.facts).join(" ");
    let taken = draft.settle(&[()], |draft, _| {
        let mut fields = draft.facts.fields.clone();
        let field = fields.iter_mut().find(|field| field.key == KEY)?;
        field.value.content = Content::Scalar(Scalar {
            text: text.clone(),
            kind: ScalarKind::Text,
            style: Some(Style::Plain),
            repaired: None,
        });
        let is_same = split_again(&fields) == allowed_tools(&draft.facts);
        let edited = edits::apply(&draft.bytes, [&edit])?;
        is_same.then_some((edited, fields))
    });
    if !taken.is_empty() {
        let what = format!("wrote the list of `{KEY}` as text");
        fixes.push(Fix::new(Rule::FieldType, place.value.span, what));
    }
}

/// Returns the tools that these fields would be read as.
fn split_again(fields: &[Field]) -> Vec<String> {
    allowed_tools(&Facts {
        fields: fields.to_vec(),
        ..Facts::default()
    })
}

fn edit(draft: &Draft) -> Option<Edit> {
    if !draft.has_fields() {
        return None;
    }
    let head = Head::new(&draft.bytes, &draft.facts)?;
    let fields = &draft.facts.fields;
    let index = fields.iter().position(|field| field.key == KEY)?;
    let Content::Sequence(items) = &fields[index].value.content else {
        return None;
    };
    let tools = allowed_tools(&draft.facts);
    if tools.is_empty() || tools.len() != items.len() || !items.iter().all(is_written_here) {
        return None;
    }
    let (_, end_line) = head.lines_of(fields, index)?;
    let key = head.range(fields[index].key_span)?;
    let end = head.start(end_line) + head.line(end_line).trim_end_matches([' ', '\t']).len();
    let rest = head.text.get(key.end..end)?;
    let list = rest.trim_start_matches([' ', '\t']).strip_prefix(':')?;
    // A comment or an anchor among the items would be lost.
    let is_bare = list.trim_start().starts_with(['[', '-']) && !list.contains(['#', '&']);
    let text = tools.join(" ");
    let text = if is_plain(&text) { text } else { quoted(&text) };
    is_bare.then(|| Edit::new(end - list.len()..end, format!(" {text}")))
}

fn is_written_here(item: &Value) -> bool {
    item.scalar().is_some_and(|scalar| {
        scalar.style.is_some()
            && scalar.kind != ScalarKind::Null
            && !scalar.text.contains(char::is_control)
    })
}

/// Whether a text needs no quotes, for certain.
fn is_plain(text: &str) -> bool {
    let is_simple = |b: u8| b.is_ascii_alphanumeric() || b" _-.:/()*+=,".contains(&b);
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.bytes().all(is_simple)
        && !text.contains(": ")
        && !text.ends_with(':')
        && plain_kind(text) == ScalarKind::Text
}
