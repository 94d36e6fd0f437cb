//! Lines of a transcript, for tests.

use serde_json::json;

use super::model::Call;
use super::transcript::Entry;

pub(super) fn said(content: &str) -> Entry {
    Entry::User {
        content: content.to_owned(),
        skill: None,
        arguments: String::new(),
        row: String::new(),
    }
}

pub(super) fn answered(content: &str, calls: &[&str]) -> Entry {
    let call = |id: &&str| Call {
        id: (*id).to_owned(),
        name: "read".to_owned(),
        arguments: "{}".to_owned(),
    };
    Entry::Assistant {
        content: content.to_owned(),
        tool_calls: calls.iter().map(call).collect(),
        cut: String::new(),
    }
}

pub(super) fn returned(id: &str) -> Entry {
    Entry::Tool {
        tool_call_id: id.to_owned(),
        name: "read".to_owned(),
        content: json!({"ok": true, "error": null, "data": id}),
        row: String::new(),
    }
}

pub(super) fn note(content: &str) -> Entry {
    Entry::Note {
        content: content.to_owned(),
        catalog: false,
        reopened: Vec::new(),
        withdrawn: Vec::new(),
    }
}
