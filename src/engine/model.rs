//! The seam to a model: what the engine asks, and what it gets back.
//!
//! Whoever embeds the engine brings a client of its own; this file knows no
//! address and no way to reach one.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What a model is asked: the messages so far and the tools that it may call.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The messages in the form of chat completions, `message[0]` first.
    pub messages: &'a [Value],
    /// The definitions of the tools on the belt; there may be none.
    pub tools: &'a [Value],
}

impl Request<'_> {
    /// Returns the body of a request for chat completions.
    #[must_use]
    pub fn body(&self, model: &str) -> Value {
        let mut body = json!({"model": model, "messages": self.messages, "stream": true});
        // Servers refuse an empty list.
        if !self.tools.is_empty() {
            body["tools"] = self.tools.into();
        }
        body
    }
}

/// What a model answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// Its words, as they came: not cleaned.
    pub text: String,
    /// The tools that it calls, in order.
    pub calls: Vec<Call>,
    /// Why it stopped, in the server's word: `stop`, `tool_calls`, `length`,
    /// `content_filter`.
    pub finish_reason: Option<String>,
}

impl Answer {
    /// Returns why the answer is not whole, if the server says that it is not.
    #[must_use]
    pub fn cut(&self) -> Option<&'static str> {
        match self.finish_reason.as_deref()? {
            "length" => Some("the answer was cut at the longest that the model may give"),
            "content_filter" => Some("the answer was cut by the server's filter of contents"),
            _ => None,
        }
    }
}

/// One call of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Call {
    /// What the answer to it refers to.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments as JSON text, as the model wrote them.
    pub arguments: String,
}

/// A call in the form of chat completions.
#[derive(Serialize, Deserialize)]
struct WireCall {
    id: String,
    #[serde(rename = "type", default = "function")]
    kind: String,
    function: WireFunction,
}

#[derive(Serialize, Deserialize)]
struct WireFunction {
    name: String,
    #[serde(default)]
    arguments: String,
}

fn function() -> String {
    "function".to_owned()
}

impl Serialize for Call {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let wire = WireCall {
            id: self.id.clone(),
            kind: function(),
            function: WireFunction {
                name: self.name.clone(),
                arguments: self.arguments.clone(),
            },
        };
        wire.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Call {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let WireCall { id, function, .. } = WireCall::deserialize(deserializer)?;
        Ok(Self {
            id,
            name: function.name,
            arguments: function.arguments,
        })
    }
}

/// Why a model gave no answer, or none that is whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The person stopped it.
    #[error("stopped")]
    Stopped,
    /// The client could not get one.
    #[error("{message}")]
    Failed {
        /// What happened.
        message: String,
        /// What to do about it.
        help: Option<String>,
    },
}

/// A model, as the engine sees it.
pub trait Model {
    /// Answers `request`; `heard` gets each piece of text as it comes.
    ///
    /// # Errors
    ///
    /// Returns why there is no whole answer. What was heard until then is kept
    /// in the conversation.
    fn answer(
        &mut self,
        request: Request<'_>,
        heard: &mut dyn FnMut(&str),
    ) -> Result<Answer, ModelError>;
}
