//! `chat`, end to end: the real program against a model of our own on loopback,
//! which records what it is asked and plays a script.

mod acceptance;
mod compaction;
mod failures;
mod hostile;
mod prompt;
mod skills;
mod talk;
mod tools;
mod transcript;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::sandbox::{Output, Sandbox};

/// What the model does with one request.
#[derive(Clone)]
pub(crate) enum Act {
    /// Streams these words.
    Say(String),
    /// Calls tools: each name with its arguments as text.
    Call(Vec<(String, String)>),
    /// Sends these bytes and closes the connection.
    Raw(Vec<u8>),
    /// Sends these bytes and holds the connection until the other end goes.
    Hold(Vec<u8>),
}

pub(crate) fn say(text: &str) -> Act {
    Act::Say(text.to_owned())
}

pub(crate) fn call(name: &str, arguments: &str) -> Act {
    Act::Call(vec![(name.to_owned(), arguments.to_owned())])
}

pub(crate) fn skill(name: &str) -> Act {
    call("skill", &json!({"name": name}).to_string())
}

/// An answer with a status, perhaps headers (each with its line end), and a body.
pub(crate) fn status(status: &str, headers: &str, body: &str) -> Act {
    let length = body.len();
    Act::Raw(
        format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n{headers}\r\n{body}")
            .into_bytes(),
    )
}

pub(crate) const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";

/// One event of a stream.
pub(crate) fn event(delta: &Value) -> String {
    format!(
        "data: {}\n\n",
        json!({"choices": [{"index": 0, "delta": delta}]})
    )
}

/// A model on loopback.
pub(crate) struct Stub {
    port: u16,
    requests: Arc<Mutex<Vec<Value>>>,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Stub {
    /// A model that plays `script`, one act a request.
    pub(crate) fn new(script: impl IntoIterator<Item = Act>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (requests, heads) = (Arc::default(), Arc::default());
        let stub = Self {
            port,
            requests: Arc::clone(&requests),
            heads: Arc::clone(&heads),
        };
        let mut script: Vec<Act> = script.into_iter().collect();
        script.reverse();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { continue };
                let Some((head, request)) = read_request(&stream) else {
                    continue;
                };
                heads.lock().unwrap().push(head);
                requests.lock().unwrap().push(request.clone());
                let act = if alternates(&request) {
                    script.pop()
                } else {
                    Some(status("400 Bad Request", "", "roles must alternate"))
                };
                std::thread::spawn(move || play(stream, act));
            }
        });
        stub
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// The bodies of all requests so far.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.requests.lock().unwrap().clone()
    }

    /// The heads of all requests so far.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }

    /// The last request.
    #[track_caller]
    pub(crate) fn last(&self) -> Value {
        self.requests().last().expect("a request").clone()
    }

    /// Waits until so many requests have come.
    pub(crate) fn wait_for(&self, requests: usize) {
        for _ in 0..600 {
            if self.requests().len() >= requests {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{} of {requests} requests came", self.requests().len());
    }
}

/// Whether user and assistant take turns, as many servers demand: calls of tools
/// and their results are between them and do not count.
fn alternates(request: &Value) -> bool {
    let messages = request["messages"].as_array().unwrap().iter().skip(1);
    let counted =
        messages.filter(|message| message["role"] != "tool" && message.get("tool_calls").is_none());
    counted
        .enumerate()
        .all(|(index, message)| (message["role"] == "user") == (index % 2 == 0))
}

fn read_request(stream: &TcpStream) -> Option<(String, Value)> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().ok())?
    })?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((head, serde_json::from_slice(&body).ok()?))
}

fn play(mut stream: TcpStream, act: Option<Act>) {
    let done = "data: [DONE]\n\n";
    let bytes = match act {
        None => {
            b"HTTP/1.1 400 Bad Request\r\ncontent-length: 18\r\n\r\nthe script is over".to_vec()
        }
        Some(Act::Say(text)) => {
            // In two pieces, parted in the middle.
            let middle = text
                .char_indices()
                .nth(text.chars().count() / 2)
                .map_or(0, |(at, _)| at);
            let (first, second) = text.split_at(middle);
            [
                HEAD,
                &event(&json!({"content": first})),
                &event(&json!({"content": second})),
                done,
            ]
            .concat()
            .into_bytes()
        }
        Some(Act::Call(calls)) => {
            let calls: Vec<Value> = calls
                .iter()
                .enumerate()
                .map(|(index, (name, arguments))| {
                    json!({"index": index, "id": format!("id-{index}"), "type": "function",
                        "function": {"name": name, "arguments": arguments}})
                })
                .collect();
            [HEAD, &event(&json!({"tool_calls": calls})), done]
                .concat()
                .into_bytes()
        }
        Some(Act::Raw(bytes)) => bytes,
        Some(Act::Hold(bytes)) => {
            let _ = stream.write_all(&bytes);
            // Ends when the program closes its end.
            let _ = stream.read(&mut [0]);
            return;
        }
    };
    let _ = stream.write_all(&bytes);
}

impl Sandbox {
    /// Chats in the conversation `conv` with the model `stub`.
    pub(crate) fn chat(&self, stub: &Stub, words: &[&str]) -> Output {
        self.output(self.chat_command(stub, words))
    }

    pub(crate) fn chat_command(&self, stub: &Stub, words: &[&str]) -> std::process::Command {
        let url = stub.url();
        let mut all = vec![
            "chat",
            "--base-url",
            &url,
            "--model",
            "stub",
            "--conversation",
            "../conv",
        ];
        all.extend(words);
        self.command(all)
    }

    /// The lines of the transcript of `conv`.
    pub(crate) fn transcript(&self) -> Vec<Value> {
        let text = self.read("conv/transcript.jsonl");
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

/// A sandbox whose paths have nothing to do with the words that are looked for,
/// with one skill in it.
pub(crate) fn sandbox() -> Sandbox {
    Sandbox::called("talk-")
        .file("conv/meta.json", "{\"id\": \"0123456789abcdef\"}\n")
        .file(
            "home/.agents/skills/pdf-processing/SKILL.md",
            format!("---\nname: pdf-processing\ndescription: Extract PDF text, fill forms, merge files.\n---\nRead references/REFERENCE.md first.\n{}\n", "x".repeat(3_060)),
        )
        .file("home/.agents/skills/pdf-processing/references/REFERENCE.md", "The reference.\n")
        .file("home/.agents/skills/pdf-processing/scripts/extract.py", "print()\n")
}

/// A sandbox in which that skill is on.
pub(crate) fn with_pdf_on() -> Sandbox {
    sandbox().file("home/.codeaf/skills.json", r#"{"on": ["pdf-processing"]}"#)
}

/// The names of the tools in a request.
pub(crate) fn tools(request: &Value) -> Vec<String> {
    let tools = request["tools"].as_array().into_iter().flatten();
    tools
        .map(|tool| tool["function"]["name"].as_str().unwrap().to_owned())
        .collect()
}

/// The system prompt of a request.
pub(crate) fn system(request: &Value) -> &str {
    assert_eq!(request["messages"][0]["role"], "system");
    request["messages"][0]["content"].as_str().unwrap()
}

/// The last message of a request, and its content as JSON.
pub(crate) fn tool_result(request: &Value) -> Value {
    let last = request["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(last["role"], "tool", "{last}");
    serde_json::from_str(last["content"].as_str().unwrap()).unwrap()
}

/// The secret of the run in a request, by which the program's words are known.
pub(crate) fn secret(request: &Value) -> &str {
    let (_, rest) = system(request).split_once("between <").unwrap();
    let (tag, _) = rest.split_once('>').unwrap();
    tag.split_once('-').unwrap().1
}

/// Role and content of each message after the first, with `SECRET` for that of
/// the run.
pub(crate) fn said(request: &Value) -> Vec<String> {
    let secret = secret(request);
    let messages = request["messages"].as_array().unwrap().iter().skip(1);
    messages
        .map(|message| {
            let role = message["role"].as_str().unwrap();
            format!("{role}: {}", message["content"].as_str().unwrap_or("-"))
                .replace(secret, "SECRET")
        })
        .collect()
}
