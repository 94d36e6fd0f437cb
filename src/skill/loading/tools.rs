//! The field `allowed-tools` as a list.

use crate::skill::frontmatter::{Content, Facts, ScalarKind, Value};

/// Returns the tools of the field `allowed-tools`, a text or a list.
///
/// In a text, blanks and commas part the items, but not inside brackets:
/// `Bash(git add *) Read` has two. Anything that is no text is left out.
#[must_use]
pub fn allowed_tools(facts: &Facts) -> Vec<String> {
    match facts
        .field("allowed-tools")
        .map(|field| &field.value.content)
    {
        Some(Content::Scalar(scalar)) if scalar.kind != ScalarKind::Null => {
            split_tools(&scalar.text)
        }
        Some(Content::Sequence(values)) => values
            .iter()
            .filter_map(Value::scalar)
            .map(|scalar| scalar.text.trim())
            .filter(|text| !text.is_empty())
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    }
}

/// Whether a comma parts tools in a text.
pub(super) fn has_commas(text: &str) -> bool {
    let mut outside = outside_brackets();
    text.contains(|c| outside(c) && c == ',')
}

/// Returns a question for each character of a text in turn: whether it stands
/// outside of brackets.
fn outside_brackets() -> impl FnMut(char) -> bool {
    let mut depth = 0_usize;
    move |c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    }
}

pub(super) fn split_tools(text: &str) -> Vec<String> {
    let mut outside = outside_brackets();
    text.split(|c: char| outside(c) && (c == ',' || c.is_whitespace()))
        .filter(|item| !item.is_empty())
        .map(str::to_owned)
        .collect()
}
