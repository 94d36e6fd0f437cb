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

fn split_tools(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c == ',' || c.is_whitespace())
    };
    text.split(parts)
        .filter(|item| !item.is_empty())
        .map(str::to_owned)
        .collect()
}
