//! The messages of a request: what a model sees of a transcript.
//!
//! Pure. Many servers refuse a request in which the roles do not alternate, or a
//! call of a tool has not exactly one answer; so none that is made here does,
//! whatever the transcript holds. This file does not decide which entries are
//! seen.

use serde_json::{Value, json};

use super::model::Call;
use super::tags::Tags;
use super::transcript::Entry;
use crate::disclosure::commands::turn;

/// Stands before what the model said first, where the transcript lost what was
/// said to it.
const LOST: &str = "What was said before is lost.";

/// Stands where tools were answered, and the model said nothing before the
/// person spoke again.
const UNANSWERED: &str = "(The answer was interrupted.)";

/// Returns the messages that stand for `entries`, in the form of chat
/// completions.
///
/// A user's message is first, and user and assistant alternate: what stands
/// between two answers is one message, and so is an answer that came in parts.
/// What comes later changes the last message at most, by what is added to it.
///
/// Each call of a tool has one answer directly behind it: one that was never
/// written, because the program was stopped, is told as such, and an answer
/// without a call is left out.
pub(super) fn messages(entries: &[&(usize, Entry)], tags: &Tags) -> Vec<Value> {
    let mut messages = Vec::new();
    let mut at = 0;
    while let Some((_, entry)) = entries.get(at) {
        at += 1;
        if let Entry::Assistant {
            content,
            tool_calls,
            ..
        } = entry
        {
            add_answer(&mut messages, content, tool_calls, tags);
            let answers = entries[at..]
                .iter()
                .take_while(|(_, entry)| matches!(entry, Entry::Tool { .. }));
            let mut answers: Vec<&Entry> = answers.map(|(_, entry)| entry).collect();
            at += answers.len();
            messages.extend(tool_calls.iter().map(|call| answer_to(call, &mut answers)));
        } else if let Some(content) = told(entry, tags) {
            add_user(&mut messages, &content);
        }
    }
    messages
}

/// Returns what the model is told by an entry that is not its own.
fn told(entry: &Entry, tags: &Tags) -> Option<String> {
    match entry {
        Entry::User {
            content,
            skill,
            arguments,
            ..
        } => {
            let given = skill.as_ref().and_then(|message| turn(message, arguments));
            Some(given.unwrap_or_else(|| content.clone()))
        }
        // Of what it says the model sees nothing.
        Entry::Note { content, .. } if content.is_empty() => None,
        Entry::Note { content, .. } => Some(tags.note(content)),
        Entry::Summary {
            content, skills, ..
        } => {
            let parts: Vec<String> = std::iter::once(tags.summary(content))
                .chain(skills.iter().cloned())
                .collect();
            Some(parts.join("\n\n"))
        }
        Entry::Assistant { .. } | Entry::Tool { .. } => None,
    }
}

fn add_user(messages: &mut Vec<Value>, content: &str) {
    match messages.last().and_then(|last| last["role"].as_str()) {
        Some("user") => add_text(messages, content),
        Some("tool") => {
            messages.extend([assistant(UNANSWERED, &[]), user(content)]);
        }
        _ => messages.push(user(content)),
    }
}

fn add_answer(messages: &mut Vec<Value>, content: &str, calls: &[Call], tags: &Tags) {
    if content.is_empty() && calls.is_empty() {
        return;
    }
    match messages.last_mut() {
        None => messages.extend([user(&tags.note(LOST)), assistant(content, calls)]),
        Some(last) if last["role"] == "assistant" => {
            if !calls.is_empty() {
                last["tool_calls"] = sendable(calls);
            }
            add_text(messages, content);
        }
        Some(_) => messages.push(assistant(content, calls)),
    }
}

/// Adds a text to the last message.
fn add_text(messages: &mut [Value], text: &str) {
    if let Some(last) = messages.last_mut()
        && !text.is_empty()
    {
        let before = last["content"].as_str().unwrap_or_default();
        last["content"] = Value::from(format!("{before}\n\n{text}"));
    }
}

fn user(content: &str) -> Value {
    json!({"role": "user", "content": content})
}

fn assistant(content: &str, calls: &[Call]) -> Value {
    if calls.is_empty() {
        return json!({"role": "assistant", "content": content});
    }
    let content = Some(content).filter(|content| !content.is_empty());
    json!({"role": "assistant", "content": content, "tool_calls": sendable(calls)})
}

/// Returns calls as servers take them back: what a model wrote wrongly once must
/// not make every later request fail.
fn sendable(calls: &[Call]) -> Value {
    let is_object =
        |text: &str| serde_json::from_str(text).is_ok_and(|value: Value| value.is_object());
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let calls = calls.iter().map(|call| {
        let call = Call {
            id: call.id.clone(),
            name: call.name.replace(|c| !is_plain(c), "_"),
            arguments: if is_object(&call.arguments) {
                call.arguments.clone()
            } else {
                "{}".to_owned()
            },
        };
        json!(call)
    });
    calls.collect()
}

/// Takes the answer to `call` out of `answers`: each is that of one call.
fn answer_to(call: &Call, answers: &mut Vec<&Entry>) -> Value {
    let is_to_it = |entry: &&Entry| matches!(entry, Entry::Tool { tool_call_id, .. } if *tool_call_id == call.id);
    let at = answers.iter().position(is_to_it);
    let found = at.and_then(|at| match answers.remove(at) {
        Entry::Tool { content, .. } => Some(content),
        _ => None,
    });
    let content = match found {
        Some(Value::String(text)) => text.clone(),
        Some(content) => content.to_string(),
        None => {
            let message = "the call was interrupted; call again if it is still needed";
            let error = json!({"code": "interrupted", "message": message});
            json!({"ok": false, "error": error, "data": null}).to_string()
        }
    };
    json!({"role": "tool", "tool_call_id": call.id, "content": content})
}

#[cfg(test)]
mod tests {
    use super::super::test_entries::{answered, note, returned, said};
    use super::*;
    use proptest::prelude::*;

    fn tags() -> Tags {
        Tags::known()
    }

    fn shown(entries: &[Entry]) -> Vec<String> {
        let entries: Vec<(usize, Entry)> = entries.iter().cloned().enumerate().collect();
        let entries: Vec<&(usize, Entry)> = entries.iter().collect();
        messages(&entries, &tags())
            .iter()
            .map(|message| {
                let role = message["role"].as_str().unwrap();
                format!("{role}: {}", message["content"].as_str().unwrap_or("-"))
            })
            .collect()
    }

    #[test]
    fn every_call_has_one_answer_behind_it() {
        assert_eq!(
            shown(&[
                said("go"),
                returned("stray"),
                answered("", &["a", "b"]),
                returned("b"),
                said("on"),
                answered("", &[]),
            ]),
            [
                "user: go",
                "assistant: -",
                "tool: {\"data\":null,\"error\":{\"code\":\"interrupted\",\"message\":\"the call was interrupted; call again if it is still needed\"},\"ok\":false}",
                "tool: {\"data\":\"b\",\"error\":null,\"ok\":true}",
                "assistant: (The answer was interrupted.)",
                "user: on",
            ]
        );
    }

    #[test]
    fn a_call_that_was_written_wrongly_is_sent_back_as_one_that_is_right() {
        for (name, arguments, sent) in [
            ("read", "{\"path\": \"a\"}", ("read", "{\"path\": \"a\"}")),
            ("read", "", ("read", "{}")),
            ("read", "{\"path\": ", ("read", "{}")),
            ("read", "[1]", ("read", "{}")),
            ("a b\u{1b}", "{}", ("a_b_", "{}")),
        ] {
            let call = Call {
                id: "1".to_owned(),
                name: name.to_owned(),
                arguments: arguments.to_owned(),
            };
            let message = assistant("", &[call]);
            let function = &message["tool_calls"][0]["function"];
            assert_eq!(
                (
                    function["name"].as_str().unwrap(),
                    function["arguments"].as_str().unwrap()
                ),
                sent
            );
        }
    }

    #[test]
    fn roles_alternate_whatever_was_cut_off_or_lost() {
        for (entries, sent) in [
            (vec![said("one"), said("two")], vec!["user: one\n\ntwo"]),
            (
                vec![note("Changed."), said("one")],
                vec!["user: <note-0123456789abcdef>\nChanged.\n</note-0123456789abcdef>\n\none"],
            ),
            (
                vec![said("one"), answered("Half", &[]), answered("whole", &[])],
                vec!["user: one", "assistant: Half\n\nwhole"],
            ),
            (
                vec![answered("Well.", &[])],
                vec![
                    "user: <note-0123456789abcdef>\nWhat was said before is lost.\n</note-0123456789abcdef>",
                    "assistant: Well.",
                ],
            ),
            (
                vec![
                    said("one"),
                    answered("", &["a"]),
                    returned("a"),
                    said("two"),
                ],
                vec![
                    "user: one",
                    "assistant: -",
                    "tool: {\"data\":\"a\",\"error\":null,\"ok\":true}",
                    "assistant: (The answer was interrupted.)",
                    "user: two",
                ],
            ),
        ] {
            assert_eq!(shown(&entries), sent);
        }
    }

    fn any_entry() -> impl Strategy<Value = Entry> {
        let text = || "[a-z]{1,3}";
        let ids = || prop::collection::vec(prop::sample::select(vec!["i", "j"]), 0..3);
        prop_oneof![
            text().prop_map(|text| said(&text)),
            "[a-z]{0,3}".prop_map(|text| note(&text)),
            ("[a-z]{0,3}", ids()).prop_map(|(text, ids)| answered(&text, &ids)),
            prop::sample::select(vec!["i", "j", "k"]).prop_map(returned),
            text().prop_map(|text| Entry::Summary {
                content: text,
                skills: vec!["<skill>".to_owned()],
                kept_from: 1,
            }),
        ]
    }

    /// The entries of a turn that came to some end: an error, a cut answer, a
    /// whole one, with tools before it.
    fn any_turn() -> impl Strategy<Value = Vec<Entry>> {
        let tools = prop::collection::vec("[a-z]{0,3}", 0..3);
        let end = prop::option::of("[a-z]{0,3}");
        (prop::option::of("[a-z]{1,3}"), "[a-z]{1,3}", tools, end).prop_map(
            |(told, typed, tools, end)| {
                let mut entries: Vec<Entry> = told.iter().map(|text| note(text)).collect();
                entries.push(said(&typed));
                for text in tools {
                    entries.extend([answered(&text, &["i"]), returned("i")]);
                }
                entries.extend(end.map(|text| answered(&text, &[])));
                entries
            },
        )
    }

    fn sent(entries: &[Entry]) -> Vec<Value> {
        let entries: Vec<(usize, Entry)> = entries.iter().cloned().enumerate().collect();
        let entries: Vec<&(usize, Entry)> = entries.iter().collect();
        messages(&entries, &tags())
    }

    proptest! {
        #[test]
        fn every_request_alternates_and_loses_no_text(
            entries in prop::collection::vec(any_entry(), 0..12),
        ) {
            let messages = sent(&entries);

            let mut open: Vec<&Value> = Vec::new();
            let mut last = "system";
            for message in &messages {
                let role = message["role"].as_str().unwrap();
                if role == "tool" {
                    prop_assert_eq!(&message["tool_call_id"], open.remove(0));
                } else {
                    prop_assert!(open.is_empty());
                    let may_follow = match role {
                        "user" => ["system", "assistant"].contains(&last),
                        _ => ["user", "tool"].contains(&last),
                    };
                    prop_assert!(may_follow, "{role} behind {last}");
                    let calls = message["tool_calls"].as_array().into_iter().flatten();
                    open = calls.map(|call| &call["id"]).collect();
                }
                last = role;
            }
            prop_assert!(open.is_empty());
            let all = Value::from(messages).to_string();
            for entry in &entries {
                let (Entry::User { content, .. }
                | Entry::Note { content, .. }
                | Entry::Assistant { content, .. }
                | Entry::Summary { content, .. }) = entry
                else {
                    continue;
                };
                prop_assert!(all.contains(content.as_str()), "{content} in {all}");
            }
        }

        #[test]
        fn what_was_sent_keeps_its_bytes(turns in prop::collection::vec(any_turn(), 1..5)) {
            let entries = turns.concat();
            let asks = |entry: &Entry| matches!(entry, Entry::User { .. } | Entry::Tool { .. });
            let all = sent(&entries);

            for (at, _) in entries.iter().enumerate().filter(|(_, entry)| asks(entry)) {
                let mut earlier = sent(&entries[..=at]);
                let last = earlier.pop().unwrap();
                prop_assert_eq!(&all[..earlier.len()], &earlier[..]);
                let (last, now) = (&last["content"], &all[earlier.len()]["content"]);
                prop_assert!(now.as_str().unwrap().starts_with(last.as_str().unwrap()));
            }
        }
    }
}
