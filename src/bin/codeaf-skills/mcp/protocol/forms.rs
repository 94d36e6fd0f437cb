//! What the library answers, in the protocol's forms.

use std::sync::Arc;

use codeaf_skills::disclosure::ServedError;
use codeaf_skills::skill::resources::ReadError;
use codeaf_skills::text::one_line;
use codeaf_skills::{ActivationError, Freshness, ResourceError, Snapshot};
use rmcp::ErrorData;
use rmcp::model::{JsonObject, PaginatedRequestParams, Tool, ToolAnnotations};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Returns a tool in the SDK's form.
pub(super) fn tool(definition: &Value) -> Option<Tool> {
    let function = definition.get("function")?;
    let text = |key: &str| function.get(key)?.as_str().map(str::to_owned);
    let schema = function.get("parameters")?.as_object()?.clone();
    let annotations = ToolAnnotations::new()
        .read_only(true)
        .idempotent(true)
        .open_world(false);
    Some(
        Tool::new(text("name")?, text("description")?, Arc::new(schema))
            .with_annotations(annotations),
    )
}

/// Returns what a person's `/name arguments` gives the model, and the skill's
/// description.
pub(super) fn invoked(
    snapshot: &Snapshot,
    name: &str,
    arguments: &str,
) -> Result<(String, String), ActivationError> {
    if let Some(fault) = snapshot.scope_faults().next() {
        let fault = Box::new(fault.clone());
        return Err(ActivationError::ScopeUnreadable { fault });
    }
    let activation = snapshot.activate(name, Freshness::Fresh)?;
    let mut text = activation.content();
    if !arguments.is_empty() {
        text.push_str("\n\n");
        text.push_str(arguments);
    }
    Ok((one_line(&activation.description).into_owned(), text))
}

/// Returns the one argument that a prompt has, byte for byte.
pub(super) fn prompt_arguments(arguments: Option<JsonObject>) -> Result<String, ErrorData> {
    let mut text = String::new();
    for (key, value) in arguments.unwrap_or_default() {
        match (key.as_str(), value) {
            ("arguments", Value::String(value)) => text = value,
            ("arguments", Value::Null) => {}
            ("arguments", _) => {
                return Err(ErrorData::invalid_params(
                    "`arguments` must be a text",
                    None,
                ));
            }
            (key, _) => {
                let message = format!("a skill takes `arguments`, and no `{}`", one_line(key));
                return Err(ErrorData::invalid_params(message, None));
            }
        }
    }
    Ok(text)
}

pub(super) fn words(error: &ActivationError) -> String {
    let mut words = one_line(&error.to_string()).into_owned();
    if let Some(help) = error.help() {
        words.push_str("; ");
        words.push_str(&one_line(&help));
    }
    words
}

pub(super) fn code(error: &ActivationError) -> Value {
    json!({"code": error.code()})
}

pub(super) fn not_served(error: &ServedError, uri: &str) -> ErrorData {
    let words = match error {
        ServedError::NotCallable(error) => words(error),
        error => one_line(&error.to_string()).into_owned(),
    };
    let data = json!({"uri": uri, "code": error.code()});
    match error {
        ServedError::NotRead {
            source: ResourceError::Read(ReadError::Unreadable(..)),
            ..
        } => ErrorData::internal_error(words, Some(data)),
        _ => ErrorData::invalid_params(words, Some(data)),
    }
}

/// Returns a page of `items` and where the next one begins.
pub(super) fn page<T>(
    items: Vec<T>,
    request: Option<PaginatedRequestParams>,
    size: usize,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    let is_ours = |start: &usize| (1..=items.len()).contains(start) && start.is_multiple_of(size);
    let start = match request.and_then(|request| request.cursor) {
        None => 0,
        Some(cursor) => cursor.parse().ok().filter(is_ours).ok_or_else(|| {
            let words = "the cursor is none of this list: ask without one for its beginning";
            ErrorData::invalid_params(words, None)
        })?,
    };
    let end = start.saturating_add(size).min(items.len());
    let next = (end < items.len()).then(|| end.to_string());
    let page = items.into_iter().skip(start).take(size).collect();
    Ok((page, next))
}

/// Turns what serialises to a form of the protocol into the SDK's type of it.
pub(super) fn in_sdk<T: DeserializeOwned>(ours: &impl Serialize) -> Result<T, ErrorData> {
    serde_json::to_value(ours)
        .and_then(serde_json::from_value)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::ErrorCode;

    #[test]
    fn pages_join_to_the_whole_and_other_cursors_are_refused() {
        let at = |cursor: Option<&str>| {
            let cursor = cursor.map(str::to_owned);
            let request = PaginatedRequestParams::default().with_cursor(cursor);
            page((0..5).collect::<Vec<_>>(), Some(request), 2)
        };
        let mut all = Vec::new();
        let mut cursor = None;
        loop {
            let (items, next) = at(cursor.as_deref()).unwrap();
            all.extend(items);
            cursor = next;
            if cursor.is_none() {
                break;
            }
        }

        assert_eq!(all, [0, 1, 2, 3, 4]);
        for cursor in [
            "",
            "x",
            "-1",
            "0",
            "1",
            "3",
            "6",
            "2.0",
            "99999999999999999999",
        ] {
            let error = at(Some(cursor)).unwrap_err();
            assert_eq!(error.code, ErrorCode::INVALID_PARAMS, "{cursor}");
        }
        assert_eq!(page(vec![1], None, 2).unwrap(), (vec![1], None));
    }
}
