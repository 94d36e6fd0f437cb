//! What of a long conversation stays, and what is to become a summary.
//!
//! Pure: entries in, texts out. It does not know who writes the summary, or
//! what comes of it.

use serde_json::Value;

use super::messages::messages;
use super::tags::Tags;
use super::transcript::Entry;

const INSTRUCTIONS: &str = include_str!("prompts/compaction.md");

/// Characters for one token, about: the estimate that `show` gives as well.
const CHARACTERS_OF_A_TOKEN: usize = 4;

/// Returns about how many tokens `messages` are.
pub(super) fn tokens(messages: &[Value]) -> usize {
    messages.iter().map(tokens_of).sum()
}

fn tokens_of(message: &Value) -> usize {
    message
        .to_string()
        .chars()
        .count()
        .div_ceil(CHARACTERS_OF_A_TOKEN)
}

/// Returns the index in `seen` from which on everything is kept: the latest
/// turns that have at most `budget` tokens together. A turn is never parted.
pub(super) fn kept_from(seen: &[&(usize, Entry)], budget: usize, tags: &Tags) -> usize {
    let mut kept = seen.len();
    let mut used = 0;
    for start in turns(seen).into_iter().rev() {
        used += tokens(&messages(&seen[start..kept], tags));
        if used > budget {
            break;
        }
        kept = start;
    }
    kept
}

/// Returns the indices at which a turn begins: where the person speaks.
fn turns(seen: &[&(usize, Entry)]) -> Vec<usize> {
    seen.iter()
        .enumerate()
        .filter(|(_, (_, entry))| matches!(entry, Entry::User { .. }))
        .map(|(index, _)| index)
        .collect()
}

/// Returns where the turn begins that is not over, or the end if there is none.
pub(super) fn open_turn(seen: &[&(usize, Entry)]) -> usize {
    let is_over = match seen.last() {
        Some((_, Entry::Assistant { tool_calls, .. })) => tool_calls.is_empty(),
        _ => false,
    };
    if is_over {
        return seen.len();
    }
    turns(seen).pop().unwrap_or(seen.len())
}

/// Returns `entries` as texts for somebody who is to write a summary of them,
/// each of at most `budget` tokens: one a request.
///
/// What skills gave is named and not repeated, since it is put back verbatim.
pub(super) fn material(entries: &[&(usize, Entry)], budget: usize) -> Vec<String> {
    let most = budget.max(1) * CHARACTERS_OF_A_TOKEN;
    let mut parts = vec![String::new()];
    let mut used = 0;
    for text in entries.iter().filter_map(|(_, entry)| told(entry)) {
        for piece in pieces(&text, most) {
            let length = piece.chars().count() + 2;
            if used + length > most && used > 0 {
                parts.push(String::new());
                used = 0;
            }
            used += length;
            if let Some(part) = parts.last_mut() {
                part.push_str(&piece);
                part.push_str("\n\n");
            }
        }
    }
    parts
}

/// Parts a text that is longer than a whole request may be.
fn pieces(text: &str, most: usize) -> Vec<String> {
    if text.len() <= most {
        return vec![text.to_owned()];
    }
    let chars: Vec<char> = text.chars().collect();
    chars
        .chunks(most)
        .map(|piece| piece.iter().collect())
        .collect()
}

fn told(entry: &Entry) -> Option<String> {
    match entry {
        Entry::User { content, .. } => Some(format!("Person: {content}")),
        Entry::Assistant {
            content,
            tool_calls,
            ..
        } => {
            let calls = tool_calls
                .iter()
                .map(|call| format!("[calls {} with {}]", call.name, call.arguments));
            let content = Some(content.clone()).filter(|content| !content.is_empty());
            let lines: Vec<String> = content.into_iter().chain(calls).collect();
            (!lines.is_empty()).then(|| format!("Assistant: {}", lines.join("\n")))
        }
        Entry::Tool { content, row, .. } if content["data"]["status"] == "loaded" => {
            Some(format!("Tool: {row}"))
        }
        Entry::Tool { name, content, .. } => Some(format!("Result of {name}: {content}")),
        Entry::Summary { content, .. } => Some(format!("Summary of what was before: {content}")),
        Entry::Note {
            content, withdrawn, ..
        } if !withdrawn.is_empty() => Some(format!("Program: {content}")),
        // The prompt that follows says what holds.
        Entry::Note { .. } => None,
    }
}

/// Returns what the model is told before it writes a summary.
pub(super) fn instructions(tags: &Tags) -> String {
    tags.fill(INSTRUCTIONS.trim_end())
}

/// Returns what is asked with one part of the material; `before` is the summary
/// of the parts before it.
pub(super) fn question(before: &str, part: &str, tags: &Tags) -> String {
    let before = Some(before)
        .filter(|before| !before.is_empty())
        .map(|before| tags.summary(before));
    let parts: Vec<String> = before
        .into_iter()
        .chain([
            tags.conversation(part.trim_end()),
            "Write the summary.".to_owned(),
        ])
        .collect();
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::super::model::Call;
    use super::*;
    use serde_json::json;

    fn said(content: &str) -> Entry {
        Entry::User {
            content: content.to_owned(),
            skill: None,
            arguments: String::new(),
            row: String::new(),
        }
    }

    fn answered(content: &str, tool: Option<&str>) -> Entry {
        let call = |name: &str| Call {
            id: "1".to_owned(),
            name: name.to_owned(),
            arguments: "{}".to_owned(),
        };
        Entry::Assistant {
            content: content.to_owned(),
            tool_calls: tool.map(call).into_iter().collect(),
            cut: String::new(),
        }
    }

    fn returned(data: &Value) -> Entry {
        Entry::Tool {
            tool_call_id: "1".to_owned(),
            name: "skill".to_owned(),
            content: json!({"ok": true, "error": null, "data": data}),
            row: "used skill pdf · 1 B".to_owned(),
        }
    }

    fn numbered(entries: Vec<Entry>) -> Vec<(usize, Entry)> {
        entries
            .into_iter()
            .enumerate()
            .map(|(index, entry)| (index + 1, entry))
            .collect()
    }

    #[test]
    fn the_latest_whole_turns_within_the_budget_are_kept() {
        let entries = numbered(vec![
            said("one"),
            answered("first", None),
            said("two"),
            answered("", Some("read")),
            returned(&json!("x".repeat(100))),
            answered("second", None),
            said("three"),
            answered("third", None),
        ]);
        let seen: Vec<_> = entries.iter().collect();
        let tags = Tags::new();
        let turn = |from: usize| tokens(&messages(&seen[from..], &tags));
        let kept_from = |seen: &[_], budget| kept_from(seen, budget, &tags);

        assert_eq!(kept_from(&seen, 0), 8);
        assert_eq!(kept_from(&seen, turn(6)), 6);
        assert_eq!(kept_from(&seen, turn(2) - 1), 6);
        assert_eq!(kept_from(&seen, turn(2)), 2);
        assert_eq!(kept_from(&seen, usize::MAX), 0);
    }

    #[test]
    fn a_turn_is_open_until_the_model_calls_nothing_more() {
        let entries = numbered(vec![
            said("one"),
            answered("first", None),
            said("two"),
            answered("", Some("read")),
            returned(&json!("x")),
        ]);
        let seen: Vec<_> = entries.iter().collect();

        assert_eq!(open_turn(&seen), 2);
        assert_eq!(open_turn(&seen[..2]), 2);
        assert_eq!(open_turn(&[]), 0);
    }

    #[test]
    fn the_material_names_what_skills_gave_and_leaves_nothing_else_out() {
        let entries = numbered(vec![
            said("/pdf a"),
            answered("Well.", Some("skill")),
            returned(&json!({"name": "pdf", "status": "loaded", "content": "<skill>body</skill>"})),
            returned(&json!({"count": 0})),
        ]);
        let seen: Vec<_> = entries.iter().collect();

        let parts = material(&seen, 1_000);

        assert_eq!(
            parts,
            [
                "Person: /pdf a\n\nAssistant: Well.\n[calls skill with {}]\n\nTool: used skill pdf · 1 B\n\n\
              Result of skill: {\"data\":{\"count\":0},\"error\":null,\"ok\":true}\n\n"
            ]
        );
    }

    #[test]
    fn material_over_the_budget_is_parted_and_whole() {
        let entries = numbered(vec![said(&"a".repeat(50)), said("bb"), said("cc")]);
        let seen: Vec<_> = entries.iter().collect();

        let parts = material(&seen, 5);

        assert!(
            parts.iter().all(|part| part.chars().count() <= 5 * 4 + 2),
            "{parts:?}"
        );
        let all: String = parts.concat().split_whitespace().collect();
        assert_eq!(all, format!("Person:{}Person:bbPerson:cc", "a".repeat(50)));
    }
}
