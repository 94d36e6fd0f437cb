//! What came in, judged before the protocol's SDK reads it: the SDK takes a
//! request whose parameters have another form for one of an unknown method, and
//! of such a method it says the name and nothing else.
//!
//! This file knows which methods are served and what they need. What a request
//! means is decided elsewhere.

use codeaf_skills::text::one_line;
use serde_json::{Map, Value, json};

const PARSE_ERROR: i32 = -32_700;
const INVALID_REQUEST: i32 = -32_600;
const METHOD_NOT_FOUND: i32 = -32_601;
const INVALID_PARAMS: i32 = -32_602;

/// The version that says all in each request. Versions are dates, so that their
/// order is that of their texts.
const NEWEST: &str = "2026-07-28";

/// What is asked instead of a handshake.
const DISCOVER: &str = "server/discover";

/// Why a message is answered by an error at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    code: i32,
    words: String,
    id: Value,
    speaks_newest: bool,
    /// Whether it lacks what a request without a handshake says of itself.
    lacks_meta: bool,
    /// Whether the sender waits for an answer: not after a notification, nor
    /// after an answer of its own.
    pub(super) is_awaited: bool,
}

impl Refusal {
    /// Refuses what is no request at all.
    pub(super) fn unreadable(words: impl Into<String>) -> Self {
        Self {
            code: INVALID_REQUEST,
            words: words.into(),
            id: Value::Null,
            speaks_newest: false,
            lacks_meta: false,
            is_awaited: true,
        }
    }

    fn of(message: &Value, code: i32, words: impl Into<String>) -> Self {
        let is_answer = message.get("result").or(message.get("error")).is_some();
        let is_notification = message.get("method").is_some() && message.get("id").is_none();
        Self {
            code,
            words: words.into(),
            id: message
                .get("id")
                .filter(|id| is_id(id))
                .cloned()
                .unwrap_or_default(),
            speaks_newest: speaks_newest(message.get("params")),
            lacks_meta: code == INVALID_PARAMS
                && message
                    .get("method")
                    .is_some_and(|method| method == DISCOVER),
            is_awaited: !is_answer && !is_notification,
        }
    }

    /// Refuses a message that lacks nothing and that the SDK cannot take.
    pub(super) fn unfit(message: &Value) -> Self {
        match message.get("method").and_then(Value::as_str) {
            Some(method) if message.get("id").is_some() => {
                let words = format!(
                    "the parameters of `{method}` have another form than the protocol says"
                );
                Self::of(message, INVALID_PARAMS, words)
            }
            _ => Self::of(
                message,
                INVALID_REQUEST,
                "this is not a message of the protocol",
            ),
        }
    }

    /// Refuses a request that came too early.
    pub(super) fn too_early(id: Value) -> Self {
        let words =
            "`initialize` comes first; without it, a request says its protocol version in `_meta`";
        Self {
            id,
            ..Self::unreadable(words)
        }
    }

    /// Refuses a request whose answer could not be told from that of another.
    pub(super) fn in_use(id: Value) -> Self {
        Self {
            id,
            ..Self::unreadable("`id` is that of a request that is not answered yet")
        }
    }

    /// Whether the message is none, rather than one that asks for too little, or
    /// for what is not there.
    pub(super) fn is_of_form(&self) -> bool {
        self.lacks_meta || ![INVALID_PARAMS, METHOD_NOT_FOUND].contains(&self.code)
    }

    /// Whether nothing is at the method that is named. Older versions than the
    /// newest tell it in the answer alone.
    pub(super) fn is_nowhere(&self) -> bool {
        self.code == METHOD_NOT_FOUND && self.speaks_newest
    }

    /// Returns the answer.
    pub(super) fn to_json(&self) -> Value {
        json!({
            "jsonrpc": "2.0",
            "id": self.id,
            "error": {"code": self.code, "message": self.words},
        })
    }
}

/// What a parameter must be.
#[derive(Debug, Clone, Copy)]
enum Form {
    Text,
    Object,
}

impl Form {
    fn fits(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Object => value.is_object(),
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Object => "an object",
        }
    }
}

/// A parameter: its key, or its object's and behind a dot its own, which may have
/// more dots.
struct Parameter(&'static str, Form, Presence);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    Needed,
    MayLack,
}

use Form::{Object, Text};
use Presence::{MayLack, Needed};

const PAGED: &[Parameter] = &[Parameter("cursor", Text, MayLack)];
const AT_ADDRESS: &[Parameter] = &[Parameter("uri", Text, Needed)];
const CALLED: &[Parameter] = &[
    Parameter("name", Text, Needed),
    Parameter("arguments", Object, MayLack),
];

/// Returns what a method needs; nothing if it is not served.
fn parameters(method: &str) -> Option<&'static [Parameter]> {
    Some(match method {
        "initialize" => &[
            Parameter("protocolVersion", Text, Needed),
            Parameter("capabilities", Object, Needed),
            Parameter("clientInfo", Object, Needed),
            Parameter("clientInfo.name", Text, Needed),
            Parameter("clientInfo.version", Text, Needed),
        ],
        "ping" => &[],
        DISCOVER => &[
            Parameter("_meta", Object, Needed),
            Parameter(
                "_meta.io.modelcontextprotocol/protocolVersion",
                Text,
                Needed,
            ),
            Parameter(
                "_meta.io.modelcontextprotocol/clientCapabilities",
                Object,
                Needed,
            ),
        ],
        "tools/list"
        | "prompts/list"
        | "resources/list"
        | "resources/templates/list"
        | "skills/list" => PAGED,
        "tools/call" | "prompts/get" => CALLED,
        "resources/read" | "skills/get" => AT_ADDRESS,
        "resources/directory/read" => &[
            Parameter("uri", Text, Needed),
            Parameter("cursor", Text, MayLack),
        ],
        "subscriptions/listen" => &[Parameter("notifications", Object, Needed)],
        _ => return None,
    })
}

/// Returns why there is no such method, in the version that the request speaks.
fn unserved(method: &str, params: Option<&Value>) -> Option<String> {
    let missing = format!("there is no method `{}`", one_line(method));
    match method {
        // Who says all in each request shakes no hands, and needs no ping.
        "initialize" | "ping" => {
            speaks_newest(params).then(|| format!("{missing} since version {NEWEST}"))
        }
        "subscriptions/listen" => {
            (!speaks_newest(params)).then(|| format!("{missing} before version {NEWEST}"))
        }
        _ => parameters(method).is_none().then_some(missing),
    }
}

fn speaks_newest(params: Option<&Value>) -> bool {
    let meta = params.and_then(|params| params.get("_meta"));
    let version = meta.and_then(|meta| meta.get("io.modelcontextprotocol/protocolVersion"));
    version
        .and_then(Value::as_str)
        .is_some_and(|version| version >= NEWEST)
}

/// Reads a message, and says what keeps it from being one.
pub(super) fn judge(bytes: &[u8]) -> Result<Value, Refusal> {
    let message: Value = serde_json::from_slice(bytes).map_err(|error| unparsed(bytes, &error))?;
    let Some(fields) = message.as_object() else {
        return Err(Refusal::unreadable(if message.is_array() {
            "messages come one at a time, not in a list"
        } else {
            "a message is a JSON object"
        }));
    };
    match fault(fields) {
        Some((code, words)) => Err(Refusal::of(&message, code, words)),
        None => Ok(message),
    }
}

/// Returns why `bytes` are not read, with the id where it can be told.
fn unparsed(bytes: &[u8], error: &serde_json::Error) -> Refusal {
    let words = error.to_string();
    if let Some(place) = words.strip_prefix("recursion limit exceeded ") {
        return Refusal {
            code: PARSE_ERROR,
            ..Refusal::unreadable(format!("this is nested over 128 levels {place}"))
        };
    }
    match serde_json::from_slice::<Value>(&without_surrogates(bytes)) {
        Ok(mut message) => {
            // An id that had one is not to be given back.
            let is_whole = |id: &str| !id.contains('\u{fffd}');
            if !message["id"].as_str().is_none_or(is_whole) {
                message["id"] = Value::Null;
            }
            let place = error.line();
            let words = format!(
                "a text has half a surrogate pair, which is no Unicode: line {place}, column {}",
                error.column()
            );
            Refusal::of(&message, PARSE_ERROR, words)
        }
        Err(_) => Refusal {
            code: PARSE_ERROR,
            ..Refusal::unreadable(format!("this is not JSON: {words}"))
        },
    }
}

/// Replaces each escape of half a surrogate pair, so that the rest can be read.
fn without_surrogates(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        if let Some(
            [
                b'u',
                b'd' | b'D',
                b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F',
                _,
                _,
            ],
        ) = bytes.get(at + 1..at + 6)
        {
            bytes[at + 2..at + 6].copy_from_slice(b"fffd");
        }
        // An escaped backslash begins nothing.
        at += 2;
    }
    bytes
}

fn fault(message: &Map<String, Value>) -> Option<(i32, String)> {
    let refused = |words: &str| Some((INVALID_REQUEST, words.to_owned()));
    let Some(method) = message.get("method") else {
        let is_answer = message.contains_key("result") || message.contains_key("error");
        return refused("`method` is missing").filter(|_| !is_answer);
    };
    let Some(method) = method.as_str() else {
        return refused("`method` must be a text");
    };
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return refused("`jsonrpc` must be \"2.0\"");
    }
    // A notification is the SDK's to understand or to pass over.
    let id = message.get("id")?;
    if !is_id(id) {
        return refused("`id` must be a text or a whole number from -2^63 to 2^63 - 1");
    }
    let params = message.get("params");
    let unserved = unserved(method, params).map(|words| (METHOD_NOT_FOUND, words));
    unserved.or_else(|| misfit(method, params).map(|words| (INVALID_PARAMS, words)))
}

/// Returns what is wrong with the parameters of a request.
fn misfit(method: &str, given: Option<&Value>) -> Option<String> {
    let parameters = parameters(method)?;
    let nothing = Value::Object(Map::new());
    let given = given.filter(|given| !given.is_null()).unwrap_or(&nothing);
    if !given.is_object() {
        return Some(format!("the parameters of `{method}` must be an object"));
    }
    parameters
        .iter()
        .find_map(|Parameter(path, form, presence)| {
            let mut keys = path.splitn(2, '.');
            let value = keys.try_fold(given, |value, key| value.get(key));
            let form_words = form.words();
            match value {
                Some(value) if form.fits(value) => None,
                None | Some(Value::Null) if *presence == MayLack => None,
                None => Some(format!(
                    "`{method}` needs the parameter `{path}`, {form_words}"
                )),
                Some(_) => Some(format!("`{path}` of `{method}` must be {form_words}")),
            }
        })
}

/// Whether the SDK can take the id, and so give it back.
fn is_id(id: &Value) -> bool {
    /// Below it a number that is written with a fraction is exact.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let is_whole = |number: f64| number.fract() == 0.0 && number.abs() < EXACT;
    id.is_string() || id.is_i64() || (!id.is_u64() && id.as_f64().is_some_and(is_whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(message: &str) -> String {
        match judge(message.as_bytes()) {
            Ok(_) => "taken".to_owned(),
            Err(refusal) => {
                let answer = refusal.to_json();
                let id = &answer["id"];
                format!("{id} {} {}", refusal.code, refusal.words)
            }
        }
    }

    #[test]
    fn what_is_no_message_is_refused_with_what_it_lacks() {
        for (message, words) in [
            (
                "",
                "null -32700 this is not JSON: EOF while parsing a value at line 1 column 0",
            ),
            (
                "{",
                "null -32700 this is not JSON: EOF while parsing an object at line 1 column 1",
            ),
            (
                r#"{"jsonrpc": "2.0", "id": 4, "method": "ping", "params": {"a": "\ud83d"}}"#,
                "4 -32700 a text has half a surrogate pair, which is no Unicode: line 1, column 70",
            ),
            (
                r#"{"id": "\ud83d"}"#,
                "null -32700 a text has half a surrogate pair, which is no Unicode: line 1, column 15",
            ),
            (
                &"[".repeat(200),
                "null -32700 this is nested over 128 levels at line 1 column 128",
            ),
            (
                "[]",
                "null -32600 messages come one at a time, not in a list",
            ),
            ("17", "null -32600 a message is a JSON object"),
            (r#"{"id": 1}"#, "1 -32600 `method` is missing"),
            (
                r#"{"id": "a", "method": 5}"#,
                "\"a\" -32600 `method` must be a text",
            ),
            (
                r#"{"id": 1, "method": "ping"}"#,
                "1 -32600 `jsonrpc` must be \"2.0\"",
            ),
            (r#"{"jsonrpc": "2.0", "id": 7, "result": {}}"#, "taken"),
            (r#"{"jsonrpc": "2.0", "method": "x"}"#, "taken"),
        ] {
            assert_eq!(refused(message), words, "{message}");
        }
    }

    #[test]
    fn an_id_is_a_text_or_a_whole_number() {
        let no_id = "null -32600 `id` must be a text or a whole number from -2^63 to 2^63 - 1";
        for (id, words) in [
            ("1", "taken"),
            ("-1", "taken"),
            ("1.0", "taken"),
            ("9223372036854775807", "taken"),
            (r#""""#, "taken"),
            (r#""1""#, "taken"),
            ("null", no_id),
            ("1.5", no_id),
            ("1e300", no_id),
            ("9223372036854775808", no_id),
            ("true", no_id),
            ("[1]", no_id),
            ("{}", no_id),
        ] {
            let message = format!(r#"{{"jsonrpc": "2.0", "id": {id}, "method": "ping"}}"#);
            assert_eq!(refused(&message), words, "{id}");
        }
    }

    #[test]
    fn parameters_that_are_missing_or_of_another_kind_are_named() {
        let client = r#""clientInfo": {"name": "c", "version": "1"}"#;
        let untitled =
            r#"{"protocolVersion": "x", "capabilities": {}, "clientInfo": {"name": "c"}}"#;
        let numbered = format!(r#"{{"protocolVersion": 5, "capabilities": {{}}, {client}}}"#);
        for (method, params, words) in [
            (
                "initialize",
                "{}",
                "`initialize` needs the parameter `protocolVersion`, a text",
            ),
            (
                "server/discover",
                "{}",
                "`server/discover` needs the parameter `_meta`, an object",
            ),
            (
                "server/discover",
                r#"{"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}"#,
                "`server/discover` needs the parameter `_meta.io.modelcontextprotocol/clientCapabilities`, an object",
            ),
            (
                "initialize",
                &numbered,
                "`protocolVersion` of `initialize` must be a text",
            ),
            (
                "initialize",
                untitled,
                "`initialize` needs the parameter `clientInfo.version`, a text",
            ),
            ("tools/list", "{}", ""),
            ("tools/list", "null", ""),
            ("tools/list", r#"{"cursor": null}"#, ""),
            (
                "tools/list",
                r#"{"cursor": 5}"#,
                "`cursor` of `tools/list` must be a text",
            ),
            (
                "tools/list",
                "[]",
                "the parameters of `tools/list` must be an object",
            ),
            (
                "tools/call",
                "{}",
                "`tools/call` needs the parameter `name`, a text",
            ),
            (
                "tools/call",
                r#"{"name": null}"#,
                "`name` of `tools/call` must be a text",
            ),
            (
                "tools/call",
                r#"{"name": "skill", "arguments": []}"#,
                "`arguments` of `tools/call` must be an object",
            ),
            (
                "prompts/get",
                "{}",
                "`prompts/get` needs the parameter `name`, a text",
            ),
            (
                "resources/read",
                r#"{"uri": 5}"#,
                "`uri` of `resources/read` must be a text",
            ),
            (
                "skills/get",
                "{}",
                "`skills/get` needs the parameter `uri`, a text",
            ),
            (
                "resources/directory/read",
                "{}",
                "`resources/directory/read` needs the parameter `uri`, a text",
            ),
            (
                "subscriptions/listen",
                r#"{"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}"#,
                "`subscriptions/listen` needs the parameter `notifications`, an object",
            ),
        ] {
            let message = format!(
                r#"{{"jsonrpc": "2.0", "id": 3, "method": "{method}", "params": {params}}}"#
            );
            let words = match words {
                "" => "taken".to_owned(),
                words => format!("3 -32602 {words}"),
            };
            assert_eq!(refused(&message), words, "{message}");
        }
    }

    #[test]
    fn a_method_is_served_in_the_versions_that_have_it() {
        let whole = r#""protocolVersion": "x", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}"#;
        for (method, params, older, newest) in [
            (
                "initialize",
                whole,
                "",
                "`initialize` since version 2026-07-28",
            ),
            ("ping", "", "", "`ping` since version 2026-07-28"),
            (
                "subscriptions/listen",
                r#""notifications": {}"#,
                "`subscriptions/listen` before version 2026-07-28",
                "",
            ),
            ("tools/list", "", "", ""),
            ("no/such", "", "`no/such`", "`no/such`"),
            (
                "logging/setLevel",
                r#""level": "info""#,
                "`logging/setLevel`",
                "`logging/setLevel`",
            ),
            (
                "resources/subscribe",
                r#""uri": "x""#,
                "`resources/subscribe`",
                "`resources/subscribe`",
            ),
        ] {
            for (version, words) in [("2025-11-25", older), ("2026-07-28", newest)] {
                let comma = if params.is_empty() { "" } else { "," };
                let message = format!(
                    r#"{{"jsonrpc": "2.0", "id": 3, "method": "{method}", "params": {{
                    "_meta": {{"io.modelcontextprotocol/protocolVersion": "{version}"}}{comma} {params}}}}}"#
                );
                let words = match words {
                    "" => "taken".to_owned(),
                    words => format!("3 -32601 there is no method {words}"),
                };
                assert_eq!(refused(&message), words, "{message}");
            }
        }
    }

    #[test]
    fn nobody_waits_for_an_answer_to_a_notification_or_to_an_answer() {
        for (message, is_awaited) in [
            (json!({"id": 1, "method": "ping"}), true),
            (json!({"method": "x"}), false),
            (json!({"id": 1, "result": 5, "error": 5}), false),
            (json!({"id": 1}), true),
        ] {
            assert_eq!(Refusal::unfit(&message).is_awaited, is_awaited, "{message}");
        }
    }
}
