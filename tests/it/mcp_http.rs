//! The server over HTTP: who may call, what is bounded, and how it ends.

#![allow(
    clippy::needless_pass_by_value,
    reason = "what is sent is written where it is sent"
)]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

struct Server {
    process: Child,
    port: u16,
}

/// What came back.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Server {
    fn start(sandbox: &Sandbox) -> Self {
        let mut command = sandbox.command(["mcp", "--http", "127.0.0.1:0"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut line = String::new();
        let mut stderr = BufReader::new(process.stderr.take().unwrap());
        stderr.read_line(&mut line).unwrap();
        let port = line
            .trim()
            .strip_prefix("note: listening on http://127.0.0.1:")
            .and_then(|rest| rest.strip_suffix("/mcp"))
            .unwrap_or_else(|| panic!("{line}"));
        // Whatever else is said is read, so that the pipe does not fill.
        std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        Self {
            port: port.parse().unwrap(),
            process,
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        stream
    }

    /// Sends one request with more heads, and reads the answer.
    fn send(&self, request: &str, heads: &str, body: &str) -> Answer {
        let mut stream = self.connect();
        write_request(&mut stream, request, heads, body);
        read_answer(&mut BufReader::new(stream))
    }

    fn post(&self, body: &Value) -> Answer {
        let heads = format!("Host: 127.0.0.1:{}\r\n{POST}", self.port);
        self.send("POST /mcp", &heads, &body.to_string())
    }

    fn ok(&self, method: &str, params: Value) -> Value {
        let answer = self.post(&request(method, params));
        assert_eq!(answer.status, 200, "{}", answer.body);
        let message: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(message["error"], Value::Null, "{message}");
        message["result"].clone()
    }

    fn status(&self, key: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with(key)).unwrap();
        let number = line.split_whitespace().nth(1).unwrap();
        number.parse().unwrap()
    }

    fn open_files(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.process.id()))
            .unwrap()
            .count()
    }

    fn end(&mut self, signal: &str) -> Option<i32> {
        let pid = self.process.id().to_string();
        let kill = std::process::Command::new("kill")
            .args([signal, &pid])
            .status();
        assert!(kill.unwrap().success());
        let deadline = Instant::now() + Duration::from_secs(10);
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                return status.code();
            }
            assert!(Instant::now() < deadline, "the server goes on");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

const POST: &str = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n";

fn request(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

fn write_request(stream: &mut TcpStream, request: &str, heads: &str, body: &str) {
    let length = body.len();
    let text = format!("{request} HTTP/1.1\r\n{heads}Content-Length: {length}\r\n\r\n{body}");
    // It may be refused before all of it is read.
    let _ = stream.write_all(text.as_bytes());
}

fn read_answer(stream: &mut impl BufRead) -> Answer {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(stream.read_line(&mut head).unwrap() > 0, "{head}");
    }
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let length = head.lines().find_map(|line| {
        line.to_lowercase()
            .strip_prefix("content-length: ")?
            .parse()
            .ok()
    });
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).unwrap();
    let body = String::from_utf8(body).unwrap();
    Answer { status, head, body }
}

fn kit() -> Sandbox {
    Sandbox::new()
        .home_skill("map-kit", "Makes maps.")
        .file("home/.codeaf/skills.json", r#"{"on": ["map-kit"]}"#)
}

#[test]
fn each_request_stands_alone_and_every_skill_is_given_anew() {
    let sandbox = kit();
    let server = Server::start(&sandbox);
    let call = json!({"name": "skill", "arguments": {"name": "map-kit"}});

    let initialized = server.ok(
        "initialize",
        json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        }),
    );
    for _ in 0..2 {
        let result = server.ok("tools/call", call.clone());
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("\"status\":\"loaded\""), "{text}");
    }

    assert_eq!(
        initialized["capabilities"]["tools"],
        json!({"listChanged": true})
    );
    let answer = server.post(&request("ping", json!({})));
    assert!(!answer.head.to_lowercase().contains("mcp-session-id"));
}

#[test]
fn who_names_another_host_or_comes_from_another_site_is_refused() {
    let sandbox = kit();
    let server = Server::start(&sandbox);
    let port = server.port;
    let ping = request("ping", json!({})).to_string();
    let status = |heads: &str| {
        let heads = format!("{heads}{POST}");
        server.send("POST /mcp", &heads, &ping).status
    };

    for (heads, wanted) in [
        (format!("Host: 127.0.0.1:{port}\r\n"), 200),
        (format!("Host: localhost:{port}\r\n"), 200),
        (format!("Host: [::1]:{port}\r\n"), 200),
        (format!("Host: LOCALHOST:{port}\r\n"), 200),
        (
            format!("Host: 127.0.0.1:{port}\r\nSec-Fetch-Site: cross-site\r\n"),
            403,
        ),
        (
            format!("Host: 127.0.0.1:{port}\r\nSec-Fetch-Site: same-origin\r\n"),
            200,
        ),
        (
            format!(
                "Host: 127.0.0.1:{port}\r\nOrigin: http://localhost:{port}\r\nOrigin: http://evil.example\r\n"
            ),
            400,
        ),
        (format!("Host: evil.example:{port}\r\n"), 403),
        ("Host: 127.0.0.1.evil.example\r\n".to_owned(), 403),
        (format!("Host: 192.168.0.7:{port}\r\n"), 403),
        (
            format!("Host: 127.0.0.1:{port}\r\nOrigin: http://localhost:{port}\r\n"),
            200,
        ),
        (
            format!("Host: 127.0.0.1:{port}\r\nOrigin: http://evil.example:{port}\r\n"),
            403,
        ),
        (
            format!("Host: 127.0.0.1:{port}\r\nOrigin: http://localhost.evil.example\r\n"),
            403,
        ),
        (format!("Host: 127.0.0.1:{port}\r\nOrigin: null\r\n"), 403),
        (
            format!("Host: 127.0.0.1:{port}\r\nOrigin: file://\r\n"),
            403,
        ),
    ] {
        assert_eq!(status(&heads), wanted, "{heads}");
    }
    assert_eq!(status(""), 400);
}

/// Host and Origin are judged by the SDK, which is asked with a method that it
/// does not serve: were that to change, either nobody would be answered or
/// everybody, so that both are pinned here.
#[test]
fn host_and_origin_are_judged_whatever_the_method() {
    let sandbox = kit();
    let server = Server::start(&sandbox);
    let port = server.port;
    let own = format!("Host: 127.0.0.1:{port}\r\nAccept: application/json\r\n");

    for method in ["GET", "DELETE", "OPTIONS", "PUT"] {
        let send = |heads: &str| server.send(&format!("{method} /mcp"), heads, "").status;

        let wanted = if method == "GET" { 406 } else { 405 };
        assert_eq!(send(&own), wanted, "{method}");
        let page = format!("{own}Origin: http://evil.example\r\n");
        assert_eq!(send(&page), 403, "{method}");
        assert_eq!(send("Host: evil.example\r\n"), 403, "{method}");
    }
}

#[test]
fn two_hosts_are_not_one() {
    let sandbox = kit();
    let server = Server::start(&sandbox);
    let heads = format!(
        "Host: 127.0.0.1:{}\r\nHost: evil.example\r\n{POST}",
        server.port
    );

    let answer = server.send("POST /mcp", &heads, &request("ping", json!({})).to_string());

    assert_eq!(answer.status, 400);
    assert_eq!(answer.body, "the request names more than one host");
}

#[test]
fn a_target_that_is_written_out_names_the_host_that_is_judged() {
    let sandbox = kit();
    let server = Server::start(&sandbox);
    let port = server.port;
    let ping = request("ping", json!({})).to_string();
    let ask = |target: &str, host: &str| {
        let heads = format!("Host: {host}\r\n{POST}");
        let answer = server.send(&format!("POST {target}"), &heads, &ping);
        (answer.status, answer.body)
    };
    let own = format!("127.0.0.1:{port}");

    assert_eq!(ask(&format!("http://{own}/mcp"), &own).0, 200);
    let two = (400, "the request names more than one host".to_owned());
    assert_eq!(ask("http://evil.example/mcp", &own), two);
    assert_eq!(ask(&format!("http://{own}/mcp"), "evil.example"), two);
    assert_eq!(ask("http://evil.example/mcp", "evil.example").0, 403);
    let user = "the host has a user's name before it: write HOST:PORT alone";
    let user = (400, user.to_owned());
    assert_eq!(ask("/mcp", &format!("user@{own}")), user);
    let named = format!("user@{own}");
    assert_eq!(ask(&format!("http://{named}/mcp"), &named), user);
}

#[test]
fn a_version_that_is_not_spoken_is_refused_with_those_that_are() {
    let sandbox = kit();
    let server = Server::start(&sandbox);
    let send = |method: &str, named: &str, body: &str| {
        let heads = format!("Host: 127.0.0.1:{}\r\n{POST}", server.port);
        let heads = heads.replace("MCP-Protocol-Version: 2025-11-25\r\n", named);
        server.send(&format!("{method} /mcp"), &heads, body)
    };
    let ping = request("ping", json!({})).to_string();

    for version in ["2024-11-05", "2025-03-26", "1999-01-01", ""] {
        let named = format!("MCP-Protocol-Version: {version}\r\n");
        for method in ["POST", "GET"] {
            let answer = send(method, &named, &ping);
            assert_eq!(answer.status, 400, "{method} {version}");
            assert_eq!(
                answer.body,
                format!(
                    "`MCP-Protocol-Version` is `{version}`, and what is spoken here is 2025-06-18, 2025-11-25 and 2026-07-28"
                )
            );
        }
    }
    for named in ["", "MCP-Protocol-Version: 2025-06-18\r\n"] {
        assert_eq!(send("POST", named, &ping).status, 200, "{named}");
    }
    // A handshake may ask for any.
    let hands = json!({
        "protocolVersion": "2025-03-26",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    let hands = request("initialize", hands).to_string();
    let answer = send("POST", "MCP-Protocol-Version: 2025-03-26\r\n", &hands);
    assert_eq!(answer.status, 200, "{}", answer.body);
}

#[test]
fn what_is_too_large_or_elsewhere_is_refused() {
    let sandbox = kit();
    let server = Server::start(&sandbox);
    let heads = format!("Host: 127.0.0.1:{}\r\n{POST}", server.port);

    let large = server.send("POST /mcp", &heads, &" ".repeat(4 * 1024 * 1024 + 1));
    let elsewhere = server.send("POST /", &heads, "{}");
    let deleted = server.send("DELETE /mcp", &heads, "");
    let plain = heads.replace("application/json\r\nAccept", "text/plain\r\nAccept");
    let plain = server.send("POST /mcp", &plain, "{}");

    let mut announced = server.connect();
    let head = format!("POST /mcp HTTP/1.1\r\n{heads}Content-Length: 999999999999\r\n\r\n");
    announced.write_all(head.as_bytes()).unwrap();
    announced
        .set_read_timeout(Some(Duration::from_secs(5)))
        .unwrap();
    assert_eq!(read_answer(&mut BufReader::new(announced)).status, 413);

    assert_eq!(large.status, 413);
    assert_eq!(large.body, "the body has more than 4194304 bytes");
    assert_eq!(elsewhere.status, 404);
    assert_eq!(deleted.status, 405);
    assert!(
        deleted.head.contains("allow: GET, POST"),
        "{}",
        deleted.head
    );
    assert_eq!(plain.status, 415);
    server.ok("tools/list", json!({}));
}

#[test]
fn a_body_that_is_no_message_or_asks_for_too_little_is_refused_in_the_protocol() {
    let sandbox = kit();
    let server = Server::start(&sandbox);
    let heads = format!("Host: 127.0.0.1:{}\r\n{POST}", server.port);
    let call = |id: Value, method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
    };

    for (body, status, id, code, words) in [
        (
            "garbage".to_owned(),
            400,
            json!(null),
            -32_700,
            "this is not JSON: expected value at line 1 column 1",
        ),
        (
            "[]".to_owned(),
            400,
            json!(null),
            -32_600,
            "messages come one at a time, not in a list",
        ),
        (
            call(json!(1.5), "ping", json!({})),
            400,
            json!(null),
            -32_600,
            "`id` must be a text or a whole number from -2^63 to 2^63 - 1",
        ),
        (
            call(json!("a"), "tools/call", json!({})),
            200,
            json!("a"),
            -32_602,
            "`tools/call` needs the parameter `name`, a text",
        ),
        (
            call(json!(2), "resources/read", json!({"uri": 5})),
            200,
            json!(2),
            -32_602,
            "`uri` of `resources/read` must be a text",
        ),
        (
            call(json!(2), "skills/get", json!({})),
            200,
            json!(2),
            -32_602,
            "`skills/get` needs the parameter `uri`, a text",
        ),
        (
            call(json!(2), "initialize", json!({"protocolVersion": 5})),
            200,
            json!(2),
            -32_602,
            "`protocolVersion` of `initialize` must be a text",
        ),
        (
            call(json!(2), "tools/list", json!({"_meta": 5})),
            200,
            json!(2),
            -32_602,
            "the parameters of `tools/list` have another form than the protocol says",
        ),
    ] {
        let answer = server.send("POST /mcp", &heads, &body);
        assert_eq!(answer.status, status, "{body}");
        assert!(
            answer.head.contains("content-type: application/json"),
            "{}",
            answer.head
        );
        let message: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(message["id"], id, "{body}");
        assert_eq!(message["error"]["code"], code, "{body}");
        assert_eq!(message["error"]["message"], words, "{body}");
    }
}

#[test]
fn a_method_that_is_not_there_is_missing_in_the_words_of_the_version() {
    let sandbox = kit();
    let server = Server::start(&sandbox);
    let newest = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"},
    });

    for (method, params, status, words) in [
        ("no/such", json!({}), 200, "there is no method `no/such`"),
        (
            "logging/setLevel",
            json!({"level": "info"}),
            200,
            "there is no method `logging/setLevel`",
        ),
        (
            "initialize",
            newest,
            404,
            "there is no method `initialize` since version 2026-07-28",
        ),
    ] {
        let answer = server.post(&request(method, params));

        let message: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(answer.status, status, "{method}");
        assert_eq!(message["error"]["code"], -32_601, "{method}");
        assert_eq!(message["error"]["message"], words);
    }
}

#[test]
fn who_asks_without_a_handshake_and_says_nothing_of_itself_is_told_what_is_missing() {
    let sandbox = kit();
    let server = Server::start(&sandbox);

    let answer = server.post(&json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover"}));

    assert_eq!(answer.status, 400);
    let words = "`server/discover` needs the parameter `_meta`, an object";
    assert!(answer.body.contains(words), "{}", answer.body);
}

#[test]
fn an_answer_is_given_to_whoever_takes_it() {
    let sandbox = kit();
    let server = Server::start(&sandbox);
    let ping = request("ping", json!({})).to_string();
    let host = format!("Host: 127.0.0.1:{}\r\n", server.port);

    for (heads, status) in [
        ("Content-Type: application/json\r\nAccept: */*\r\n", 200),
        (
            "Content-Type: application/json\r\nAccept: application/*\r\n",
            200,
        ),
        (
            "Content-Type: application/json\r\nAccept: application/json\r\n",
            200,
        ),
        ("Content-Type: application/json; charset=utf-8\r\n", 200),
        (
            "Content-Type: application/json\r\nAccept: text/html\r\n",
            406,
        ),
        ("Content-Type: text/plain\r\nAccept: */*\r\n", 415),
    ] {
        let answer = server.send("POST /mcp", &format!("{host}{heads}"), &ping);
        assert_eq!(answer.status, status, "{heads}");
    }
}

#[test]
fn neither_streams_nor_half_requests_keep_others_out() {
    let sandbox = kit();
    let server = Server::start(&sandbox);
    let host = format!("Host: 127.0.0.1:{}\r\n", server.port);
    let open = || {
        let mut stream = server.connect();
        let heads = format!("{host}Accept: text/event-stream\r\n");
        write_request(&mut stream, "GET /mcp", &heads, "");
        let mut stream = BufReader::new(stream);
        let answer = read_answer(&mut stream);
        (stream, answer)
    };

    let mut streams: Vec<_> = (0..32).map(|_| open()).collect();
    assert!(streams.iter().all(|(_, answer)| answer.status == 200));
    let (_, refused) = open();
    assert_eq!(refused.status, 503);
    assert!(refused.head.contains("retry-after: 10"), "{}", refused.head);
    assert_eq!(
        refused.body,
        "all streams of changes are taken: end one, or come again later; other requests are answered"
    );

    // Heads without an end, and bodies.
    let half: Vec<_> = (0..300)
        .map(|index| {
            let mut half = server.connect();
            let body = if index % 2 == 0 { "" } else { "\r\n{" };
            let text = format!("POST /mcp HTTP/1.1\r\n{host}{POST}Content-Length: 9\r\n{body}");
            // It may have to go while it is written.
            let _ = half.write_all(text.as_bytes());
            half
        })
        .collect();
    let began = Instant::now();
    server.ok("tools/list", json!({}));
    assert!(
        began.elapsed() < Duration::from_secs(3),
        "{:?}",
        began.elapsed()
    );
    drop(half);

    // Who leaves makes room, and the others are still told.
    drop(streams.pop());
    let deadline = Instant::now() + Duration::from_secs(5);
    while open().1.status != 200 {
        assert!(Instant::now() < deadline, "no place became free");
        std::thread::sleep(Duration::from_millis(50));
    }
    sandbox.run(["off", "map-kit", "--global"]).success();
    let lines = streams.remove(0).0.lines().map_while(Result::ok);
    let mut events = lines.filter(|line| line.contains("list_changed"));
    assert!(events.next().is_some());
}

#[test]
fn only_this_machine_is_listened_to_unless_it_is_asked_for() {
    let sandbox = kit();

    sandbox.run(["mcp", "--http", "0.0.0.0:0"]).usage().is("
        -- stderr --
        error: 0.0.0.0:0 can be reached from other machines
        help: listen on 127.0.0.1:PORT, or add --allow-remote: whoever reaches the port can read your skills
        -- exit 2 --
    ");
    sandbox.run(["mcp", "--http", "8080"]).usage().is("
        -- stderr --
        error: `8080` is no address to listen on
        help: write 127.0.0.1:PORT; port 0 takes a free one
        -- exit 2 --
    ");
}

#[test]
fn it_ends_cleanly_when_it_is_asked_to() {
    for signal in ["-TERM", "-INT"] {
        let sandbox = kit();
        let mut server = Server::start(&sandbox);
        server.ok("tools/list", json!({}));
        // A connection that stays open, and one whose request never comes.
        let _idle = server.connect();
        let mut half = server.connect();
        half.write_all(b"POST /mcp HTTP/1.1\r\nHost: 127").unwrap();

        assert_eq!(server.end(signal), Some(0), "{signal}");
    }
}

#[test]
fn ten_thousand_requests_leave_nothing_behind() {
    let sandbox = kit();
    let server = Server::start(&sandbox);
    let lists = request("tools/list", json!({})).to_string();
    let heads = format!("Host: 127.0.0.1:{}\r\n{POST}", server.port);
    let send_all = |requests: usize| {
        let mut stream = BufReader::new(server.connect());
        for _ in 0..requests {
            write_request(stream.get_mut(), "POST /mcp", &heads, &lists);
            assert_eq!(read_answer(&mut stream).status, 200);
        }
    };
    send_all(1_000);
    std::thread::sleep(Duration::from_secs(3));
    let (threads, files, memory) = (
        server.status("Threads"),
        server.open_files(),
        server.status("VmRSS"),
    );

    for _ in 0..9 {
        send_all(1_000);
    }
    // And clients that go away in the middle.
    for _ in 0..100 {
        let mut stream = server.connect();
        write_request(&mut stream, "POST /mcp", &heads, &lists);
    }
    std::thread::sleep(Duration::from_secs(3));

    assert!(server.status("Threads") <= threads);
    assert!(server.open_files() <= files);
    // Kilobytes. A task that stayed for each request would be tens of megabytes.
    let grown = server.status("VmRSS").saturating_sub(memory);
    assert!(grown < 4_096, "{grown} KB more than after a tenth");
}

#[test]
fn changes_are_told_on_the_stream_that_a_client_with_a_handshake_opens() {
    let sandbox = kit();
    let server = Server::start(&sandbox);
    let port = server.port;
    let get = |host: &str| {
        let mut stream = server.connect();
        let heads = format!("Host: {host}\r\nAccept: text/event-stream\r\n");
        write_request(&mut stream, "GET /mcp", &heads, "");
        let mut stream = BufReader::new(stream);
        let answer = read_answer(&mut stream);
        (stream, answer)
    };
    let (stream, answer) = get(&format!("127.0.0.1:{port}"));
    assert_eq!(answer.status, 200);
    assert!(answer.head.contains("text/event-stream"), "{}", answer.head);
    assert_eq!(get("evil.example").1.status, 403);

    let began = Instant::now();
    sandbox.run(["off", "map-kit", "--global"]).success();

    let mut lines = stream.lines().map_while(Result::ok);
    // A comment comes after long silence.
    let is_news = |line: &String| line.starts_with("data: ") || line == ":";
    let mut next = || lines.find(is_news).unwrap();
    let told = [next(), next()];
    assert!(began.elapsed() < Duration::from_secs(2));
    assert_eq!(
        told,
        ["tools", "resources"].map(|list| format!(
            r#"data: {{"jsonrpc":"2.0","method":"notifications/{list}/list_changed"}}"#
        ))
    );
}

#[test]
fn changes_are_told_to_who_listens() {
    let sandbox = kit();
    let server = Server::start(&sandbox);
    let body = json!({
        "jsonrpc": "2.0",
        "id": 7,
        "method": "subscriptions/listen",
        "params": {
            "notifications": {"toolsListChanged": true},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    });
    let heads = format!("Host: 127.0.0.1:{}\r\n{POST}", server.port)
        .replace("2025-11-25", "2026-07-28")
        + "Mcp-Method: subscriptions/listen\r\n";
    let mut stream = server.connect();
    write_request(&mut stream, "POST /mcp", &heads, &body.to_string());
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let mut next = |method: &str| {
        let line = lines.find(|line| line.starts_with("data: {"));
        let line = line.expect("an event");
        assert!(line.contains(method), "{line}");
    };
    next("notifications/subscriptions/acknowledged");
    std::thread::sleep(Duration::from_millis(700));

    let began = Instant::now();
    sandbox.run(["off", "map-kit", "--global"]).success();

    next("notifications/tools/list_changed");
    assert!(began.elapsed() < Duration::from_secs(2));
}
