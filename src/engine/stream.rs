//! What comes over the wire, put together: the events of a stream or one JSON
//! object in, an answer out.
//!
//! The form is that of `OpenAI`'s chat completions, which many servers speak
//! with small differences. This file does not know how the bytes are fetched.

use serde_json::Value;

use super::model::{Answer, Call};

/// Calls of tools in one answer: no model makes this many, and a server that
/// counts wildly must not make us fill memory.
const CALLS: usize = 128;

/// Why an answer could not be put together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// The server reported an error in the middle of the stream.
    #[error("the server says: {message}")]
    Server {
        /// Its words.
        message: String,
    },
    /// The bytes are no answer.
    #[error("the server sent something that is no answer: {message}")]
    Malformed {
        /// What is wrong.
        message: String,
    },
    /// The answer is longer than any may be.
    #[error("the answer is over {most} bytes")]
    TooLong {
        /// The bound.
        most: usize,
    },
    /// The bytes ended before the answer did.
    #[error("the server ended the answer in the middle")]
    BrokenOff,
}

/// Puts an answer together from the bytes of a response, as they arrive.
///
/// Understood are server-sent events, with any line end, with comments and
/// parted anywhere, and the one JSON object of a server that does not stream.
///
/// # Examples
///
/// ```
/// use codeaf_skills::engine::Decoder;
///
/// let mut decoder = Decoder::new(1_024);
/// let mut heard = String::new();
/// for bytes in ["data: {\"choices\":[{\"delta\":{\"content\":\"Hel", "lo\"}}]}\n\ndata: [DONE]\n\n"] {
///     decoder.push(bytes.as_bytes(), &mut |text| heard.push_str(text)).unwrap();
/// }
/// let answer = decoder.finish(&mut |_| {}).unwrap();
/// assert_eq!((heard.as_str(), answer.text.as_str()), ("Hello", "Hello"));
/// ```
#[derive(Debug)]
pub struct Decoder {
    most: usize,
    bytes: usize,
    form: Form,
    /// The line, or the object, that has not ended.
    pending: Vec<u8>,
    was_return: bool,
    /// The data lines of the event that has not ended.
    event: String,
    answer: Answer,
    is_done: bool,
}

/// What the bytes are, known from the first of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Unknown,
    Events,
    Object,
}

impl Decoder {
    /// Makes a decoder for an answer of at most `most` bytes on the wire.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self {
            most,
            bytes: 0,
            form: Form::Unknown,
            pending: Vec::new(),
            was_return: false,
            event: String::new(),
            answer: Answer::default(),
            is_done: false,
        }
    }

    /// Takes the next bytes; `heard` gets each piece of text in them.
    ///
    /// # Errors
    ///
    /// Returns why the bytes are no answer.
    pub fn push(&mut self, bytes: &[u8], heard: &mut dyn FnMut(&str)) -> Result<(), WireError> {
        self.bytes += bytes.len();
        if self.bytes > self.most {
            return Err(WireError::TooLong { most: self.most });
        }
        if self.form == Form::Unknown {
            self.form = match bytes.iter().find(|b| !b.is_ascii_whitespace()) {
                None => return Ok(()),
                Some(b'{' | b'[') => Form::Object,
                Some(_) => Form::Events,
            };
        }
        if self.form == Form::Object {
            self.pending.extend_from_slice(bytes);
            return Ok(());
        }
        for &byte in bytes {
            let ends_pair = byte == b'\n' && self.was_return;
            self.was_return = byte == b'\r';
            match byte {
                _ if ends_pair => {}
                b'\n' | b'\r' => {
                    let line = std::mem::take(&mut self.pending);
                    self.line(&String::from_utf8_lossy(&line), heard)?;
                }
                byte => self.pending.push(byte),
            }
        }
        Ok(())
    }

    /// Returns whether the server has said that the answer is complete.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// Returns the answer, once all bytes came.
    ///
    /// # Errors
    ///
    /// Returns why there is none, or none that is whole.
    pub fn finish(mut self, heard: &mut dyn FnMut(&str)) -> Result<Answer, WireError> {
        let pending = std::mem::take(&mut self.pending);
        let pending = String::from_utf8_lossy(&pending);
        if self.form == Form::Object {
            self.object(&pending, heard)?;
        } else {
            let ended = self
                .line(&pending, heard)
                .and_then(|()| self.end_of_event(heard));
            // Half a line is no garbage: the rest of it is missing.
            match ended {
                Err(WireError::Malformed { .. }) if !pending.is_empty() => {
                    return Err(WireError::BrokenOff);
                }
                ended => ended?,
            }
        }
        if !self.is_done && self.answer.finish_reason.is_none() {
            return Err(WireError::BrokenOff);
        }
        let unnamed = |call: &Call| call.name.is_empty();
        if self.answer.calls.iter().any(unnamed) {
            return Err(malformed("a call of a tool without its name"));
        }
        for (index, call) in self.answer.calls.iter_mut().enumerate() {
            if call.id.is_empty() {
                call.id = format!("call_{index}");
            }
        }
        Ok(self.answer)
    }

    fn line(&mut self, line: &str, heard: &mut dyn FnMut(&str)) -> Result<(), WireError> {
        if line.is_empty() {
            return self.end_of_event(heard);
        }
        // Other fields, and comments, say nothing about the answer.
        let Some(data) = line.strip_prefix("data:") else {
            return Ok(());
        };
        if !self.event.is_empty() {
            self.event.push('\n');
        }
        self.event.push_str(data.strip_prefix(' ').unwrap_or(data));
        Ok(())
    }

    fn end_of_event(&mut self, heard: &mut dyn FnMut(&str)) -> Result<(), WireError> {
        let event = std::mem::take(&mut self.event);
        if serde_json::from_str::<Value>(&event).is_ok() {
            return self.data(&event, heard);
        }
        // Some servers leave out the empty line between two events.
        event.lines().try_for_each(|line| self.data(line, heard))
    }

    fn data(&mut self, data: &str, heard: &mut dyn FnMut(&str)) -> Result<(), WireError> {
        let data = data.trim();
        if data.is_empty() || self.is_done {
            return Ok(());
        }
        if data == "[DONE]" {
            self.is_done = true;
            return Ok(());
        }
        let chunk: Value = serde_json::from_str(data)
            .map_err(|error| malformed(format!("an event is not JSON: {error}")))?;
        refuse_error(&chunk)?;
        let choice = &chunk["choices"][0];
        self.take(&choice["delta"], heard)?;
        self.take_finish_reason(choice);
        Ok(())
    }

    fn object(&mut self, text: &str, heard: &mut dyn FnMut(&str)) -> Result<(), WireError> {
        let response: Value = match serde_json::from_str(text) {
            Ok(response) => response,
            Err(error) if error.is_eof() => return Err(WireError::BrokenOff),
            Err(error) => return Err(malformed(format!("it is not JSON: {error}"))),
        };
        refuse_error(&response)?;
        let choice = &response["choices"][0];
        if !choice["message"].is_object() {
            return Err(malformed("there is no `choices[0].message`"));
        }
        self.take(&choice["message"], heard)?;
        self.take_finish_reason(choice);
        self.is_done = true;
        Ok(())
    }

    /// Takes what a delta or a message adds.
    fn take(&mut self, part: &Value, heard: &mut dyn FnMut(&str)) -> Result<(), WireError> {
        let text = text_of(&part["content"]);
        if !text.is_empty() {
            self.answer.text.push_str(&text);
            heard(&text);
        }
        let calls = part["tool_calls"].as_array().into_iter().flatten();
        for (position, call) in calls.enumerate() {
            self.take_call(position, call)?;
        }
        Ok(())
    }

    fn take_call(&mut self, position: usize, part: &Value) -> Result<(), WireError> {
        let calls = &mut self.answer.calls;
        let id = part["id"].as_str().unwrap_or_default();
        let index = match part["index"].as_u64() {
            Some(index) => usize::try_from(index).unwrap_or(usize::MAX),
            // Without an index, one with an id begins a call.
            None if !id.is_empty() && calls.iter().all(|call| call.id != id) => calls.len(),
            None => calls.len().saturating_sub(1).max(position),
        };
        if index >= CALLS {
            return Err(malformed(format!("over {CALLS} calls of tools")));
        }
        if calls.len() <= index {
            calls.resize(index + 1, Call::default());
        }
        let call = &mut calls[index];
        let function = &part["function"];
        if call.id.is_empty() {
            id.clone_into(&mut call.id);
        }
        if call.name.is_empty() {
            let name = function["name"].as_str().unwrap_or_default();
            name.clone_into(&mut call.name);
        }
        match &function["arguments"] {
            Value::String(piece) => call.arguments.push_str(piece),
            Value::Null => {}
            // Some servers send the object itself.
            whole => call.arguments = whole.to_string(),
        }
        Ok(())
    }

    fn take_finish_reason(&mut self, choice: &Value) {
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.answer.finish_reason = Some(reason.to_owned());
        }
    }
}

/// Returns the text of a content: itself, or the texts of its parts.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part["text"].as_str())
            .collect(),
        _ => String::new(),
    }
}

/// Returns the words of an error that a server reports as JSON, if it is one.
#[must_use]
pub fn server_words(response: &Value) -> Option<&str> {
    let error = &response["error"];
    error["message"]
        .as_str()
        .or(error.as_str())
        .or(response["message"].as_str())
        .or(response["detail"].as_str())
}

fn refuse_error(response: &Value) -> Result<(), WireError> {
    if response["error"].is_null() {
        return Ok(());
    }
    let words = server_words(response).unwrap_or("an error without words");
    Err(WireError::Server {
        message: words.to_owned(),
    })
}

fn malformed(message: impl Into<String>) -> WireError {
    WireError::Malformed {
        message: message.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn decoded(pieces: &[&[u8]]) -> (String, Result<Answer, WireError>) {
        let mut decoder = Decoder::new(100_000);
        let mut heard = String::new();
        for piece in pieces {
            let mut hear = |text: &str| heard.push_str(text);
            if let Err(error) = decoder.push(piece, &mut hear) {
                return (heard, Err(error));
            }
        }
        let answer = decoder.finish(&mut |text| heard.push_str(text));
        (heard, answer)
    }

    fn event(delta: &Value) -> String {
        format!(
            "data: {}\n\n",
            json!({"choices": [{"index": 0, "delta": delta}]})
        )
    }

    fn call(index: Option<u64>, id: &str, name: &str, arguments: &str) -> Value {
        let mut call = json!({"function": {"arguments": arguments}});
        if let Some(index) = index {
            call["index"] = index.into();
        }
        if !id.is_empty() {
            call["id"] = id.into();
        }
        if !name.is_empty() {
            call["function"]["name"] = name.into();
        }
        json!({"tool_calls": [call]})
    }

    /// Text and two calls, whose arguments come in pieces and by turns.
    fn script() -> String {
        [
            ": a comment\n\nevent: message\nid: 7\n".to_owned(),
            event(&json!({"role": "assistant", "content": ""})),
            event(&json!({"content": "Grüße \u{1f600}, "})),
            event(&json!({"content": "hello."})),
            event(&call(Some(0), "a", "skill", "")),
            event(&call(Some(1), "b", "read", "{\"path\"")),
            event(&call(Some(0), "", "", "{\"name\": \"pdf")),
            event(&call(Some(1), "", "", ": \"x\"}")),
            event(&call(Some(0), "", "", "\"}")),
            "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n".to_owned(),
            "data: {\"choices\":[],\"usage\":{\"total_tokens\":3}}\n\n".to_owned(),
            "data: [DONE]\n\n".to_owned(),
        ]
        .concat()
    }

    fn wanted() -> Answer {
        let call = |id: &str, name: &str, arguments: &str| Call {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: arguments.to_owned(),
        };
        Answer {
            text: "Grüße \u{1f600}, hello.".to_owned(),
            calls: vec![
                call("a", "skill", "{\"name\": \"pdf\"}"),
                call("b", "read", "{\"path\": \"x\"}"),
            ],
            finish_reason: Some("tool_calls".to_owned()),
        }
    }

    #[test]
    fn a_stream_is_read_with_every_line_end() {
        let script = script();
        for text in [
            script.clone(),
            script.replace('\n', "\r\n"),
            script.replace('\n', "\r"),
        ] {
            let (heard, answer) = decoded(&[text.as_bytes()]);
            assert_eq!(answer, Ok(wanted()));
            assert_eq!(heard, wanted().text);
        }
    }

    #[test]
    fn events_without_an_empty_line_between_them_and_without_an_end_are_read() {
        let script = script().replace("\n\n", "\n");
        assert_eq!(decoded(&[script.trim_end().as_bytes()]).1, Ok(wanted()));
    }

    #[test]
    fn an_answer_that_does_not_stream_is_read() {
        let message = json!({"role": "assistant", "content": "Hi.", "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "skill", "arguments": "{}"}},
            {"type": "function", "function": {"name": "read", "arguments": {"path": "x"}}},
        ]});
        let body = json!({"choices": [{"message": message, "finish_reason": "stop"}]}).to_string();
        let (first, second) = body.as_bytes().split_at(20);

        let (heard, answer) = decoded(&[b"\n ", first, second]);

        let answer = answer.unwrap();
        assert_eq!((heard.as_str(), answer.text.as_str()), ("Hi.", "Hi."));
        let calls: Vec<_> = answer
            .calls
            .iter()
            .map(|call| {
                (
                    call.id.as_str(),
                    call.name.as_str(),
                    call.arguments.as_str(),
                )
            })
            .collect();
        assert_eq!(
            calls,
            [("a", "skill", "{}"), ("call_1", "read", "{\"path\":\"x\"}")]
        );
    }

    #[test]
    fn calls_without_an_index_are_told_apart_by_their_ids() {
        let script = [
            event(&call(None, "a", "skill", "{")),
            event(&call(None, "", "", "}")),
            event(&call(None, "b", "read", "{}")),
            "data: [DONE]\n\n".to_owned(),
        ]
        .concat();

        let answer = decoded(&[script.as_bytes()]).1.unwrap();

        let calls: Vec<_> = answer
            .calls
            .iter()
            .map(|call| call.arguments.as_str())
            .collect();
        assert_eq!(calls, ["{}", "{}"]);
    }

    #[test]
    fn what_is_no_answer_says_why() {
        let server = |message: &str| WireError::Server {
            message: message.to_owned(),
        };
        for (text, error) in [
            ("", WireError::BrokenOff),
            (&event(&json!({"content": "Hi"})), WireError::BrokenOff),
            ("{\"choices\": [", WireError::BrokenOff),
            ("{\"error\": {\"message\": \"no\"}}", server("no")),
            ("{\"error\": \"no\"}", server("no")),
            (
                "data: {\"error\": {\"message\": \"late\"}}\n\n",
                server("late"),
            ),
            (
                "{\"choices\": []}",
                malformed("there is no `choices[0].message`"),
            ),
            ("<html></html>", WireError::BrokenOff),
            ("data: {\"choices\":[{\"del", WireError::BrokenOff),
        ] {
            assert_eq!(decoded(&[text.as_bytes()]).1, Err(error), "{text}");
        }
        let broken = decoded(&[b"data: {oops}\n\n"]).1.unwrap_err();
        assert!(
            broken.to_string().contains("an event is not JSON"),
            "{broken}"
        );
        let wild = event(&call(Some(99_999_999_999), "a", "x", ""));
        assert!(decoded(&[wild.as_bytes()]).1.is_err());
        let nameless = event(&call(Some(0), "a", "", "{}")) + "data: [DONE]\n\n";
        assert!(decoded(&[nameless.as_bytes()]).1.is_err());
    }

    #[test]
    fn an_endless_answer_is_refused() {
        let mut decoder = Decoder::new(1_000);
        let bytes = [b'x'; 600];

        assert_eq!(decoder.push(&bytes, &mut |_| {}), Ok(()));
        let error = decoder.push(&bytes, &mut |_| {}).unwrap_err();

        assert_eq!(error, WireError::TooLong { most: 1_000 });
    }

    proptest! {
        #[test]
        fn wherever_the_bytes_part_the_answer_is_the_same(cuts in prop::collection::vec(1_usize..40, 1..80), pairs in any::<bool>()) {
            let script = if pairs { script().replace('\n', "\r\n") } else { script() };
            let mut rest = script.as_bytes();
            let mut pieces = Vec::new();
            for cut in cuts {
                let (piece, tail) = rest.split_at(cut.min(rest.len()));
                pieces.push(piece);
                rest = tail;
            }
            pieces.push(rest);

            prop_assert_eq!(decoded(&pieces).1, Ok(wanted()));
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "(data: ?)?[{}\\[\\]\":,a-z0-9\n]{0,60}") {
            let _ = decoded(&[&bytes]);
            let _ = decoded(&[text.as_bytes()]);
        }
    }
}
