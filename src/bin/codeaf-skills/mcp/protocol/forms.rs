//! What the library answers, in the protocol's forms.

use std::sync::Arc;

use codeaf_skills::disclosure::ServedError;
use codeaf_skills::skill::resources::ReadError;
use codeaf_skills::text::one_line;
use codeaf_skills::{ActivationError, Freshness, ResourceError, Snapshot};
use rmcp::ErrorData;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
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

/// Turns what serialises to a form of the protocol into the SDK's type of it.
pub(super) fn in_sdk<T: DeserializeOwned>(ours: &impl Serialize) -> Result<T, ErrorData> {
    serde_json::to_value(ours)
        .and_then(serde_json::from_value)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}
