//! The server on standard input and output, as an agent meets it.

#![allow(
    clippy::needless_pass_by_value,
    reason = "what is sent is written where it is sent"
)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

/// How soon a change is told.
const SOON: Duration = Duration::from_secs(2);
/// How long an answer may take on a machine that does other things, too.
const PATIENCE: Duration = Duration::from_secs(20);

/// A client on the other end of the server's pipes.
struct Client {
    server: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Receiver<String>,
    next_id: u64,
    /// Notifications that came while an answer was waited for.
    notifications: Vec<String>,
    /// The answer to `roots/list`, if the client has roots.
    roots: Option<Value>,
}

impl Client {
    fn start(sandbox: &Sandbox, words: &[&str]) -> Self {
        let mut command = sandbox.command(["mcp"].iter().chain(words));
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut server = command.spawn().unwrap();
        let lines_of = |stream: Box<dyn Read + Send>| {
            let (sender, lines) = channel();
            std::thread::spawn(move || {
                for line in BufReader::new(stream).lines().map_while(Result::ok) {
                    if sender.send(line).is_err() {
                        return;
                    }
                }
            });
            lines
        };
        Self {
            input: server.stdin.take(),
            lines: lines_of(Box::new(server.stdout.take().unwrap())),
            stderr: lines_of(Box::new(server.stderr.take().unwrap())),
            server,
            next_id: 0,
            notifications: Vec::new(),
            roots: None,
        }
    }

    /// Starts the server and shakes hands.
    fn connected(sandbox: &Sandbox) -> Self {
        let mut client = Self::start(sandbox, &[]);
        client.shake_hands("2025-11-25");
        client
    }

    fn shake_hands(&mut self, version: &str) -> Value {
        let capabilities = match self.roots {
            Some(_) => json!({"roots": {"listChanged": true}}),
            None => json!({}),
        };
        let result = self.ok(
            "initialize",
            json!({
                "protocolVersion": version,
                "capabilities": capabilities,
                "clientInfo": {"name": "test", "version": "1"},
            }),
        );
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        result
    }

    fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    fn send_line(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    /// The next message that is for the client to read.
    fn receive(&mut self, most: Duration) -> Option<Value> {
        let deadline = Instant::now() + most;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = match self.lines.recv_timeout(left) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
            };
            let message: Value = serde_json::from_str(&line).unwrap();
            assert_eq!(message["jsonrpc"], "2.0", "{line}");
            if message["method"] == "roots/list" {
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": self.roots});
                self.send(&answer);
                continue;
            }
            return Some(message);
        }
    }

    /// Asks, and waits for the answer.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.receive(PATIENCE).expect("an answer");
            if message["id"] == id {
                return message;
            }
            let notification = message["method"].as_str().expect("a notification");
            self.notifications.push(notification.to_owned());
        }
    }

    #[track_caller]
    fn ok(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params);
        assert_eq!(answer["error"], Value::Null, "{answer}");
        answer["result"].clone()
    }

    #[track_caller]
    fn refused(&mut self, method: &str, params: Value) -> (i64, String) {
        let answer = self.ask(method, params);
        let error = &answer["error"];
        let code = error["code"].as_i64().unwrap_or_else(|| panic!("{answer}"));
        (code, error["message"].as_str().unwrap().to_owned())
    }

    /// The message of the tool, and whether it is an error for the client.
    fn tool(&mut self, name: &str, arguments: Value) -> (Value, bool) {
        let result = self.ok("tools/call", json!({"name": name, "arguments": arguments}));
        let text = result["content"][0]["text"].as_str().unwrap();
        let message = serde_json::from_str(text).unwrap();
        (message, result["isError"].as_bool().unwrap())
    }

    /// The skills that the tool offers.
    fn offered(&mut self) -> Vec<String> {
        let tools = self.ok("tools/list", json!({}));
        let skill = tools["tools"]
            .as_array()
            .unwrap()
            .iter()
            .find(|tool| tool["name"] == "skill");
        let names = skill.map(|tool| tool["inputSchema"]["properties"]["name"]["enum"].clone());
        names.map_or_else(Vec::new, |names| serde_json::from_value(names).unwrap())
    }

    /// The lists that are told to have changed within the time that is promised.
    fn told(&mut self) -> Vec<String> {
        let deadline = Instant::now() + SOON;
        let mut told = std::mem::take(&mut self.notifications);
        while let Some(message) = self.receive(deadline.saturating_duration_since(Instant::now())) {
            told.push(message["method"].as_str().unwrap().to_owned());
        }
        let mut lists: Vec<String> = told
            .iter()
            .map(|method| method.split('/').nth(1).unwrap().to_owned())
            .collect();
        lists.sort();
        lists
    }

    /// Waits until changes are watched.
    fn settle(&mut self) {
        std::thread::sleep(Duration::from_millis(700));
        assert_eq!(self.told(), [""; 0]);
    }

    fn hang_up(mut self) -> (Option<i32>, Vec<String>) {
        drop(self.input.take());
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            match self.server.try_wait().unwrap() {
                Some(status) => break status,
                None => assert!(Instant::now() < deadline, "the server goes on"),
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        (status.code(), self.stderr.iter().collect())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn two_kits() -> Sandbox {
    Sandbox::new()
        .home_skill("map-kit", "Makes maps.")
        .home_skill("off-kit", "Is off.")
        .file(
            "home/.agents/skills/map-kit/references/guide.md",
            "0123456789",
        )
        .file("home/.codeaf/skills.json", r#"{"on": ["map-kit"]}"#)
}

fn uris(list: &Value) -> Vec<&str> {
    let resources = list.as_array().unwrap();
    resources
        .iter()
        .map(|resource| resource["uri"].as_str().unwrap())
        .collect()
}

#[test]
fn three_versions_are_spoken_and_others_are_offered_the_newest_with_a_handshake() {
    let sandbox = two_kits();

    for (asked, spoken) in [
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2024-11-05", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let mut client = Client::start(&sandbox, &[]);
        let result = client.shake_hands(asked);
        assert_eq!(result["protocolVersion"], spoken, "{asked}");
        assert_eq!(
            result["capabilities"],
            json!({
                "tools": {"listChanged": true},
                "prompts": {"listChanged": true},
                "resources": {"listChanged": true},
                "extensions": {"io.modelcontextprotocol/skills": {"directoryRead": true}},
            })
        );
        assert_eq!(result["serverInfo"]["name"], "codeaf-skills");
        let instructions = result["instructions"].as_str().unwrap();
        assert!(instructions.starts_with("This server offers the user's Agent Skills."));
        assert!(instructions.contains("- map-kit ("), "{instructions}");
        assert!(!instructions.contains("off-kit"));
        assert_eq!(client.hang_up(), (Some(0), vec![]));
    }
}

#[test]
fn the_newest_version_needs_no_handshake() {
    let sandbox = two_kits();
    let mut client = Client::start(&sandbox, &[]);
    let meta = |version: &str| {
        json!({"_meta": {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }})
    };

    let discovered = client.ok("server/discover", meta("2026-07-28"));
    let tools = client.ok("tools/list", meta("2026-07-28"));
    let (code, _) = client.refused("tools/list", meta("2024-11-05"));

    assert_eq!(
        discovered["supportedVersions"],
        json!(["2025-06-18", "2025-11-25", "2026-07-28"])
    );
    assert!(
        discovered["instructions"]
            .as_str()
            .unwrap()
            .contains("map-kit")
    );
    assert_eq!(tools["ttlMs"], 0);
    assert_eq!(tools["cacheScope"], "private");
    assert_eq!(code, -32_022);
}

#[test]
fn who_listens_again_is_not_told_again() {
    let sandbox = two_kits();
    let mut client = Client::start(&sandbox, &[]);
    let listen = |id: &str| {
        json!({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": {
            "notifications": {"toolsListChanged": true},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        }})
    };
    client.send(&listen("a"));
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(client.told(), ["subscriptions"]);
    sandbox.run(["off", "map-kit", "--global"]).success();
    assert_eq!(client.told(), ["tools"]);

    client.send(&listen("b"));

    assert_eq!(client.told(), ["subscriptions"]);

    // One id is one stream.
    client.send(&listen("b"));
    let answer = client.receive(PATIENCE).unwrap();
    assert_eq!(
        answer["error"],
        json!({
            "code": -32_600,
            "message": "`id` is that of a request that is not answered yet",
        })
    );
}

#[test]
fn a_skill_is_loaded_once_and_read_again_by_the_tool_that_the_stub_names() {
    let sandbox = two_kits();
    let mut client = Client::connected(&sandbox);

    assert_eq!(client.offered(), ["map-kit"]);
    let (first, is_error) = client.tool("skill", json!({"name": "map-kit"}));
    let (second, _) = client.tool("skill", json!({"name": "map-kit"}));
    let page = json!({"name": "map-kit", "path": "references/guide.md", "offset": 4, "limit": 3});
    let (page, _) = client.tool("read_skill_file", page);
    let (off, is_off_error) = client.tool("skill", json!({"name": "off-kit"}));
    let (list, _) = client.tool("skill", json!({}));

    assert_eq!((&first["ok"], is_error), (&json!(true), false));
    assert_eq!(first["data"]["status"], "loaded");
    let content = first["data"]["content"].as_str().unwrap();
    assert!(content.contains("Body of map-kit."), "{content}");
    assert!(
        content.contains("resources: references/guide.md"),
        "{content}"
    );
    assert_eq!(second["data"]["status"], "already_active");
    let stub = second["data"]["message"].as_str().unwrap();
    assert!(stub.ends_with("call read_skill_file"), "{stub}");
    assert_eq!(page["data"]["content"], "456");
    assert_eq!(page["data"]["next_offset"], 7);
    assert_eq!(page["data"]["truncated"], true);
    assert_eq!(
        (&off["error"]["code"], is_off_error),
        (&json!("skill_off"), true)
    );
    assert_eq!(list["data"]["count"], 1);
}

#[test]
fn every_skill_is_a_prompt_on_or_off() {
    let sandbox = two_kits().file(
        "home/.agents/skills/hint-kit/SKILL.md",
        "---\nname: hint-kit\ndescription: Hints.\nargument-hint: FILE\n---\nDo it.\n",
    );
    let mut client = Client::connected(&sandbox);

    let prompts = client.ok("prompts/list", json!({}))["prompts"].clone();
    let prompt = client.ok(
        "prompts/get",
        json!({"name": "off-kit", "arguments": {"arguments": " fill  it "}}),
    );
    let (unknown, words) = client.refused("prompts/get", json!({"name": "off"}));
    let (other, _) = client.refused(
        "prompts/get",
        json!({"name": "off-kit", "arguments": {"file": "a"}}),
    );

    let names: Vec<_> = prompts
        .as_array()
        .unwrap()
        .iter()
        .map(|prompt| prompt["name"].clone())
        .collect();
    assert_eq!(names, ["hint-kit", "map-kit", "off-kit"]);
    assert_eq!(
        prompts[0]["arguments"],
        json!([{"name": "arguments", "description": "FILE", "required": false}])
    );
    let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.starts_with("<skill name=\"off-kit\""), "{text}");
    assert!(
        text.ends_with("Body of off-kit.\n</skill>\n\n fill  it "),
        "{text}"
    );
    assert_eq!(prompt["messages"][0]["role"], "user");
    assert_eq!((unknown, other), (-32_602, -32_602));
    assert_eq!(words, "no skill is called `off`; did you mean `off-kit`?");
}

#[test]
fn files_of_skills_that_are_on_are_resources() {
    let sandbox = two_kits();
    let mut client = Client::connected(&sandbox);

    let list = client.ok("resources/list", json!({}))["resources"].clone();
    let read = |client: &mut Client, uri: &str| client.ask("resources/read", json!({"uri": uri}));
    let guide = read(&mut client, "skill://map-kit/references/guide.md");
    let folder = client.ok(
        "resources/directory/read",
        json!({"uri": "skill://map-kit/references"}),
    );

    assert_eq!(
        uris(&list),
        [
            "skill://map-kit/SKILL.md",
            "skill://map-kit/references/guide.md"
        ]
    );
    assert_eq!(list[0]["name"], "map-kit");
    assert_eq!(list[0]["mimeType"], "text/markdown");
    assert_eq!(
        guide["result"]["contents"],
        json!([{
            "uri": "skill://map-kit/references/guide.md",
            "mimeType": "text/markdown",
            "text": "0123456789",
        }])
    );
    assert_eq!(
        uris(&folder["resources"]),
        ["skill://map-kit/references/guide.md"]
    );
    for (uri, words) in [
        (
            "skill://off-kit/SKILL.md",
            "the skill `off-kit` is off; `codeaf-skills on off-kit --global` turns it on",
        ),
        (
            "skill://none/SKILL.md",
            "no skill is at skill://none/SKILL.md",
        ),
        (
            "skill://map-kit/none",
            "cannot read skill://map-kit/none: resource does not exist",
        ),
        (
            "file:///etc/passwd",
            "the address `file:///etc/passwd` does not begin with skill://",
        ),
        (
            "skill://map-kit/..%2f..%2f..%2f..%2fetc/passwd",
            "the address `skill://map-kit/..%2f..%2f..%2f..%2fetc/passwd` hides a `/` in a %-code, and no name has one",
        ),
    ] {
        let error = &read(&mut client, uri)["error"];
        assert_eq!(error["code"], -32_602, "{uri}");
        assert_eq!(error["message"], words, "{uri}");
        assert_eq!(error["data"]["uri"], uri);
    }
}

#[test]
fn the_extension_lists_whole_skills_and_says_what_it_cannot_list() {
    let sandbox = two_kits()
        .home_skill("big-kit", "Is big.")
        .file(
            "home/.agents/skills/Odd/SKILL.md",
            "---\nname: Odd\ndescription: Odd.\n---\n",
        )
        .file(
            "home/.codeaf/skills.json",
            r#"{"on": ["map-kit", "big-kit", "Odd"]}"#,
        );
    for index in 0..600 {
        sandbox.write(format!("home/.agents/skills/big-kit/many/{index}"), "x");
    }
    let mut client = Client::connected(&sandbox);

    let listed = client.ok("skills/list", json!({}))["skills"].clone();
    let got = client.ok("skills/get", json!({"uri": "skill://map-kit/SKILL.md"}));
    let refusals = [
        "skill://off-kit/SKILL.md",
        "skill://Odd/SKILL.md",
        "skill://map-kit/references/guide.md",
        "skill://none/SKILL.md",
    ]
    .map(|uri| client.refused("skills/get", json!({"uri": uri})).0);
    let (cursor, _) = client.refused("skills/list", json!({"cursor": "x"}));
    let (_, stderr) = client.hang_up();

    assert_eq!(
        uris(&listed),
        ["skill://big-kit/SKILL.md", "skill://map-kit/SKILL.md"]
    );
    assert_eq!(listed[0]["resources"].as_array().unwrap().len(), 601);
    assert_eq!(listed[1], got["skill"]);
    assert_eq!(
        got["skill"]["frontmatter"],
        json!({"name": "map-kit", "description": "Makes maps."})
    );
    let digest = got["skill"]["resources"][1]["digest"].as_str().unwrap();
    assert_eq!(
        digest,
        "sha256:84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882"
    );
    assert_eq!(refusals, [-32_602; 4]);
    assert_eq!(cursor, -32_602);
    let told = |words: &str| stderr.iter().any(|line| line.contains(words));
    assert!(
        told("601 files; an agent need not take a skill of more than 512"),
        "{stderr:?}"
    );
    assert!(told(
        "not in the list of skills: its name is not one by the specification"
    ));
}

#[test]
fn a_skill_that_is_turned_off_between_two_pages_hides_no_other() {
    let mut sandbox = Sandbox::new();
    let names: Vec<String> = (0..102).map(|number| format!("kit-{number:03}")).collect();
    for name in &names {
        sandbox = sandbox.home_skill(name, "Is one of many.");
    }
    let sandbox = sandbox.file(
        "home/.codeaf/skills.json",
        json!({"on": &names}).to_string(),
    );
    let mut client = Client::connected(&sandbox);

    let first = client.ok("skills/list", json!({}));
    sandbox
        .run(["off", "kit-000", "kit-099", "--global"])
        .success();
    let cursor = &first["nextCursor"];
    let second = client.ok("skills/list", json!({"cursor": cursor}));

    assert_eq!(first["skills"].as_array().unwrap().len(), 100);
    assert_eq!(
        uris(&second["skills"]),
        ["skill://kit-100/SKILL.md", "skill://kit-101/SKILL.md"]
    );
    assert_eq!(second["nextCursor"], Value::Null);
}

#[test]
fn with_nothing_on_there_is_no_tool_and_a_call_says_why() {
    let sandbox = Sandbox::new().home_skill("off-kit", "Is off.");
    let mut client = Client::connected(&sandbox);

    let tools = client.ok("tools/list", json!({}));
    let (off, _) = client.tool("skill", json!({"name": "off-kit"}));
    let (unknown, words) = client.refused("tools/call", json!({"name": "shell"}));

    assert_eq!(tools["tools"], json!([]));
    assert_eq!(off["error"]["code"], "skill_off");
    assert_eq!((unknown, &*words), (-32_602, "there is no tool `shell`"));
}

#[test]
fn what_is_not_allowed_is_neither_offered_nor_a_prompt() {
    let sandbox = two_kits().home_skill("doc-kit", "Documents.").file(
        "home/.codeaf/skills.json",
        r#"{"on": ["map-kit", "doc-kit"]}"#,
    );
    let mut client = Client::start(&sandbox, &["--allowed-skills", "doc-kit"]);
    client.shake_hands("2025-11-25");

    let prompts = client.ok("prompts/list", json!({}));
    let (_, words) = client.refused("prompts/get", json!({"name": "map-kit"}));

    assert_eq!(client.offered(), ["doc-kit"]);
    assert_eq!(prompts["prompts"].as_array().unwrap().len(), 1);
    assert_eq!(
        words,
        "the skill `map-kit` is not among the allowed skills; the list is given with --allowed-skills"
    );
}

#[test]
fn a_decision_is_told_and_holds_at_once() {
    let sandbox = two_kits();
    let mut client = Client::connected(&sandbox);
    client.settle();

    sandbox.run(["off", "map-kit", "--global"]).success();
    // Before anything was told.
    assert!(client.offered().is_empty());
    assert_eq!(client.told(), ["resources", "tools"]);

    sandbox.run(["on", "off-kit", "--project"]).success();
    assert_eq!(client.told(), ["resources", "tools"]);
    assert_eq!(client.offered(), ["off-kit"]);

    // Another scope says the same, and nothing else is written.
    sandbox.run(["on", "off-kit", "--global"]).success();
    sandbox.write("project/README.md", "x");
    sandbox.write("home/notes.txt", "x");
    assert_eq!(client.told(), [""; 0]);
}

#[test]
fn folders_that_come_change_and_go_are_told() {
    let sandbox = two_kits();
    let mut client = Client::connected(&sandbox);
    client.settle();
    let kit = sandbox.path("home/.agents/skills/map-kit");

    // A root that was not there, three folders deep.
    sandbox.write(
        "project/.claude/skills/new-kit/SKILL.md",
        "---\nname: new-kit\ndescription: New.\n---\n",
    );
    assert_eq!(client.told(), ["prompts"]);

    // A bundled file, and one in a folder that was not there.
    fs::write(kit.join("extra.md"), "x").unwrap();
    assert_eq!(client.told(), ["resources"]);
    fs::create_dir(kit.join("scripts")).unwrap();
    fs::write(kit.join("scripts/run.sh"), "x").unwrap();
    assert_eq!(client.told(), ["resources"]);
    fs::write(kit.join("scripts/stop.sh"), "x").unwrap();
    assert_eq!(client.told(), ["resources"]);

    // Other bytes of the same size, two folders down, are a change; that the
    // file was touched is none.
    let guide = kit.join("references/guide.md");
    fs::write(&guide, "9876543210").unwrap();
    assert_eq!(client.told(), ["resources"]);
    fs::write(&guide, "9876543210").unwrap();
    assert_eq!(client.told(), [""; 0]);

    // As editors save: a new file takes the old one's place.
    fs::write(
        kit.join("SKILL.md~"),
        "---\nname: map-kit\ndescription: Draws.\n---\n",
    )
    .unwrap();
    fs::rename(kit.join("SKILL.md~"), kit.join("SKILL.md")).unwrap();
    assert_eq!(client.told(), ["prompts", "resources"]);

    // The same bytes again are no news.
    let text = fs::read(kit.join("SKILL.md")).unwrap();
    fs::write(kit.join("SKILL.md"), text).unwrap();
    assert_eq!(client.told(), [""; 0]);

    // The whole root is moved away and comes back.
    let root = sandbox.path("home/.agents");
    fs::rename(&root, sandbox.path("home/away")).unwrap();
    assert_eq!(client.told(), ["prompts", "resources", "tools"]);
    fs::rename(sandbox.path("home/away"), &root).unwrap();
    assert_eq!(client.told(), ["prompts", "resources", "tools"]);

    // It is watched as before.
    fs::remove_file(kit.join("extra.md")).unwrap();
    assert_eq!(client.told(), ["resources"]);
}

#[test]
fn a_linked_scope_file_and_a_linked_skill_are_watched_where_they_lie() {
    let sandbox = Sandbox::new()
        .file("dotfiles/skills.json", r#"{"on": ["map-kit"]}"#)
        .link("home/.codeaf/skills.json", "../../dotfiles/skills.json")
        .skill("elsewhere", "map-kit", "Makes maps.")
        .folder("home/.agents/skills")
        .link("home/.agents/skills/map-kit", "../../../elsewhere/map-kit");
    let mut client = Client::connected(&sandbox);
    client.settle();

    sandbox.write(
        "elsewhere/map-kit/SKILL.md",
        "---\nname: map-kit\ndescription: Draws.\n---\n",
    );
    assert_eq!(client.told(), ["prompts", "resources"]);
    sandbox.write("dotfiles/skills.json", "{}");
    assert_eq!(client.told(), ["resources", "tools"]);
}

#[test]
fn an_unreadable_scope_file_takes_the_offer_away_until_it_is_mended() {
    let sandbox = two_kits();
    let mut client = Client::connected(&sandbox);
    client.settle();

    sandbox.write("project/.codeaf/skills.json", "{");
    assert_eq!(client.told(), ["prompts", "resources", "tools"]);
    let tools = client.ok("tools/list", json!({}));
    let (skill, is_error) = client.tool("skill", json!({"name": "map-kit"}));
    let (page, _) = client.tool(
        "read_skill_file",
        json!({"name": "map-kit", "path": "SKILL.md"}),
    );
    let (code, words) = client.refused("prompts/get", json!({"name": "map-kit"}));
    let (read, _) = client.refused("resources/read", json!({"uri": "skill://map-kit/SKILL.md"}));

    assert_eq!(tools["tools"], json!([]));
    assert_eq!(skill["error"]["code"], "scope_unreadable");
    assert!(is_error);
    assert_eq!(page["error"]["code"], "scope_unreadable");
    assert_eq!((code, read), (-32_602, -32_602));
    assert!(
        words.starts_with("cannot tell which skills are on: "),
        "{words}"
    );

    sandbox.write("project/.codeaf/skills.json", "{}");
    assert_eq!(client.told(), ["prompts", "resources", "tools"]);
    assert_eq!(
        client.tool("skill", json!({"name": "map-kit"})).0["ok"],
        true
    );
    let (status, stderr) = client.hang_up();
    assert_eq!(status, Some(0));
    let faults: Vec<_> = stderr
        .iter()
        .filter(|line| line.contains("scope-malformed"))
        .collect();
    assert_eq!(faults.len(), 1, "{stderr:?}");
}

#[test]
fn the_first_root_is_the_project_and_the_others_are_attached() {
    let sandbox = two_kits()
        .skill("other/.agents/skills", "other-kit", "Of the other project.")
        .folder("other/.git")
        .file(
            "other/.codeaf/skills.json",
            r#"{"on": ["other-kit", "more-kit"]}"#,
        )
        .skill("more/.agents/skills", "more-kit", "Of the attached folder.");
    let uri = |name: &str| format!("file://{}", sandbox.path(name).display());
    let roots = |names: &[&str]| {
        let roots: Vec<Value> = names.iter().map(|name| json!({"uri": name})).collect();
        json!({"roots": roots})
    };

    let mut client = Client::start(&sandbox, &[]);
    client.roots = Some(roots(&[&uri("other"), "https://example.com", &uri("more")]));
    client.shake_hands("2025-11-25");
    assert_eq!(client.offered(), ["map-kit", "more-kit", "other-kit"]);

    // The client opens another folder.
    client.roots = Some(roots(&[&uri("project")]));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    assert!(client.told().contains(&"tools".to_owned()));
    assert_eq!(client.offered(), ["map-kit"]);
    let (_, stderr) = client.hang_up();
    let words = "the client's root `https://example.com` is passed over: it is not a file: URI";
    assert!(stderr.iter().any(|line| line.contains(words)), "{stderr:?}");

    // -C says it outright.
    let project = sandbox.path("project");
    let mut client = Client::start(&sandbox, &["-C", project.to_str().unwrap()]);
    client.roots = Some(roots(&[&uri("other")]));
    client.shake_hands("2025-11-25");
    assert_eq!(client.offered(), ["map-kit"]);
}

#[test]
fn a_change_is_told_however_soon_it_follows_an_answer() {
    let sandbox = two_kits()
        .skill("other/.agents/skills", "other-kit", "Of the other project.")
        .folder("other/.git")
        .file("other/.codeaf/skills.json", r#"{"on": ["other-kit"]}"#);
    let roots = |name: &str| {
        let uri = format!("file://{}", sandbox.path(name).display());
        json!({"roots": [{"uri": uri}]})
    };

    for pause in [0, 1, 5, 20, 40, 60, 79, 81, 100, 0, 0, 0] {
        let mut client = Client::start(&sandbox, &[]);
        client.roots = Some(roots("project"));
        client.shake_hands("2025-11-25");
        assert_eq!(client.offered(), ["map-kit"]);

        std::thread::sleep(Duration::from_millis(pause));
        client.roots = Some(roots("other"));
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));

        let deadline = Instant::now() + SOON;
        let mut told = std::mem::take(&mut client.notifications);
        let tools = "notifications/tools/list_changed".to_owned();
        while !told.contains(&tools) {
            let left = deadline.saturating_duration_since(Instant::now());
            let message = client.receive(left);
            let message = message.unwrap_or_else(|| panic!("not told after {pause} ms"));
            told.push(message["method"].as_str().unwrap().to_owned());
        }
        assert_eq!(client.offered(), ["map-kit", "other-kit"]);
    }
}

#[test]
fn a_decision_right_after_the_first_answer_is_told() {
    let sandbox = two_kits();
    for _ in 0..5 {
        let mut client = Client::connected(&sandbox);
        assert_eq!(client.offered(), ["map-kit"]);
        sandbox.write("home/.codeaf/skills.json", r#"{"on": ["off-kit"]}"#);

        assert!(client.told().contains(&"tools".to_owned()));
        assert_eq!(client.offered(), ["off-kit"]);
        sandbox.write("home/.codeaf/skills.json", r#"{"on": ["map-kit"]}"#);
    }
}

#[test]
fn a_change_right_after_any_first_answer_is_told() {
    let decided = |sandbox: &Sandbox| {
        sandbox.write("home/.codeaf/skills.json", r#"{"on": []}"#);
    };
    let body = |sandbox: &Sandbox| {
        let text = "---\nname: map-kit\ndescription: Makes maps.\n---\nIn another way.\n";
        sandbox.write("home/.agents/skills/map-kit/SKILL.md", text);
    };
    let file = |sandbox: &Sandbox| sandbox.write("home/.agents/skills/map-kit/new", "1");
    let at = |uri: &str| json!({"uri": uri});
    let called = |name: &str| json!({"name": name, "arguments": {}});
    let page = json!({"name": "read_skill_file", "arguments": {"name": "map-kit", "path": "references/guide.md"}});

    for (method, params, change, list) in [
        ("", json!({}), &decided as &dyn Fn(&Sandbox), "tools"),
        (
            "skills/get",
            at("skill://map-kit/SKILL.md"),
            &body,
            "resources",
        ),
        (
            "resources/read",
            at("skill://map-kit/SKILL.md"),
            &body,
            "resources",
        ),
        (
            "resources/directory/read",
            at("skill://map-kit"),
            &file,
            "resources",
        ),
        ("tools/call", called("skill"), &decided, "tools"),
        ("tools/call", page, &file, "resources"),
        (
            "prompts/get",
            json!({"name": "map-kit"}),
            &body,
            "resources",
        ),
    ] {
        let sandbox = two_kits();
        let mut client = Client::connected(&sandbox);
        if !method.is_empty() {
            client.ok(method, params);
        }

        change(&sandbox);

        let told = client.told();
        assert!(told.contains(&list.to_owned()), "{method}: {told:?}");
    }
}

#[test]
fn what_is_mended_right_after_it_was_told_of_is_told() {
    for method in ["", "prompts/get"] {
        let sandbox = two_kits();
        sandbox.write("home/.codeaf/skills.json", "{");
        let mut client = Client::connected(&sandbox);
        if !method.is_empty() {
            client.refused(method, json!({"name": "map-kit"}));
        }

        sandbox.write("home/.codeaf/skills.json", r#"{"on": ["map-kit"]}"#);

        assert_eq!(client.told(), ["prompts", "resources", "tools"], "{method}");
    }
}

#[test]
fn a_change_right_after_a_subscription_is_acknowledged_is_told() {
    let sandbox = two_kits();
    let mut client = Client::start(&sandbox, &[]);
    client.send(
        &json!({"jsonrpc": "2.0", "id": "a", "method": "subscriptions/listen", "params": {
            "notifications": {"toolsListChanged": true, "resourcesListChanged": true},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        }}),
    );
    let acknowledged = client.receive(PATIENCE).unwrap();
    assert_eq!(
        acknowledged["method"],
        "notifications/subscriptions/acknowledged"
    );

    sandbox.write("home/.codeaf/skills.json", r#"{"on": []}"#);

    assert_eq!(client.told(), ["resources", "tools"]);
}

#[test]
fn what_is_off_is_turned_on_by_the_command_that_is_told() {
    let sandbox = two_kits().file("talk/meta.json", r#"{"skills": {"off": ["map-kit"]}}"#);
    let talk = sandbox.path("talk").display().to_string();

    for (words, name, flag) in [
        (
            vec!["--conversation", &talk],
            "map-kit",
            format!("--conversation {talk}"),
        ),
        (vec![], "off-kit", "--global".to_owned()),
    ] {
        let mut client = Client::start(&sandbox, &words);
        client.shake_hands("2025-11-25");
        let (message, _) = client.tool("skill", json!({"name": name}));
        let told = message["error"]["message"].as_str().unwrap();
        let command = format!("on {name} {flag}");
        let expected = format!("the skill `{name}` is off; `codeaf-skills {command}` turns it on");
        assert_eq!(told, expected);

        sandbox.run(command.split(' ')).success();

        assert!(client.offered().contains(&name.to_owned()));
    }
}

#[test]
fn nothing_is_told_where_nothing_changes() {
    let sandbox = two_kits();
    let mut client = Client::connected(&sandbox);
    client.ok("skills/get", json!({"uri": "skill://map-kit/SKILL.md"}));
    client.offered();

    assert_eq!(client.told(), [""; 0]);
}

#[test]
fn a_marker_that_appears_above_makes_another_project() {
    let sandbox = Sandbox::new()
        .skill("plain/.agents/skills", "plain-kit", "Above.")
        .file("home/.codeaf/skills.json", r#"{"on": ["plain-kit"]}"#)
        .folder("plain/a/b");
    let start = sandbox.path("plain/a/b");
    let mut client = Client::start(&sandbox, &["-C", start.to_str().unwrap()]);
    client.shake_hands("2025-11-25");
    assert!(client.offered().is_empty());
    client.settle();

    fs::create_dir(sandbox.path("plain/.git")).unwrap();

    assert_eq!(client.told(), ["prompts", "resources", "tools"]);
    assert_eq!(client.offered(), ["plain-kit"]);
    fs::remove_dir(sandbox.path("plain/.git")).unwrap();
    assert_eq!(client.told(), ["prompts", "resources", "tools"]);
}

#[test]
fn what_cannot_be_read_is_listed_and_refused_with_its_code() {
    let sandbox = two_kits()
        .file("home/.agents/skills/map-kit/.git/config", "x")
        .link("home/.agents/skills/map-kit/ring", "ring");
    let large = fs::File::create(sandbox.path("home/.agents/skills/map-kit/large")).unwrap();
    large.set_len(16_777_217).unwrap();
    let mut client = Client::connected(&sandbox);

    let listed = client.ok("skills/list", json!({}))["skills"][0]["resources"].clone();
    assert_eq!(
        uris(&listed),
        ["SKILL.md", "large", "references/guide.md"].map(|file| format!("skill://map-kit/{file}"))
    );
    for (file, code, words) in [
        (
            "/large",
            "resource_too_large",
            "cannot read skill://map-kit/large: resource exceeds 16777216 bytes; it has 16777217 bytes",
        ),
        (
            "/.git/config",
            "resource_not_entered",
            "cannot read skill://map-kit/.git/config: resource lies in .git, which is not entered",
        ),
        (
            "/ring",
            "resource_unresolved",
            "cannot read skill://map-kit/ring: resource cannot be resolved",
        ),
        (
            "/",
            "invalid_address",
            "the address `skill://map-kit/` has an empty part: write skill://NAME for the folder, skill://NAME/FILE for a file",
        ),
        (
            "",
            "not_a_file",
            "skill://map-kit is the folder of a skill: add the path of a file, as in skill://map-kit/SKILL.md",
        ),
    ] {
        let answer = client.ask(
            "resources/read",
            json!({"uri": format!("skill://map-kit{file}")}),
        );
        assert_eq!(answer["error"]["code"], -32_602);
        assert_eq!(answer["error"]["data"]["code"], code);
        assert_eq!(answer["error"]["message"], words);
    }
}

#[test]
fn a_client_that_never_says_its_roots_is_served_all_the_same() {
    let sandbox = two_kits();
    let mut client = Client::start(&sandbox, &[]);
    let capabilities = json!({"roots": {}});
    client.ok(
        "initialize",
        json!({
            "protocolVersion": "2025-06-18",
            "capabilities": capabilities,
            "clientInfo": {"name": "test", "version": "1"},
        }),
    );

    // Not even that it is initialized.
    assert_eq!(client.offered(), ["map-kit"]);
    let (status, stderr) = client.hang_up();
    assert_eq!(status, Some(0));
    assert!(
        stderr
            .iter()
            .any(|line| line.contains("did not say its roots")),
        "{stderr:?}"
    );
}

#[test]
fn what_is_no_request_is_answered_and_the_server_stays_up() {
    let sandbox = two_kits();
    let mut client = Client::start(&sandbox, &[]);

    for (line, code) in [
        (&b"garbage"[..], Some(-32_700)),
        (b"{\"jsonrpc\": \"2.0\", \"id\": 1,", Some(-32_700)),
        (b"\xff\xfe\x00", Some(-32_700)),
        (b"[]", Some(-32_600)),
        (b"17", Some(-32_600)),
        (b"{\"id\": 1}", Some(-32_600)),
        (b"", None),
        (b" \t ", None),
        (b"{\"jsonrpc\": \"2.0\", \"method\": \"notifications/cancelled\", \"params\": {\"requestId\": 1}}", None),
        (b"{\"jsonrpc\": \"2.0\", \"id\": 7, \"result\": {}}", None),
        (&b"[".repeat(100_000), Some(-32_700)),
        (&b"x".repeat(5 * 1024 * 1024), Some(-32_600)),
    ] {
        client.send_line(line);
        if let Some(code) = code {
            let answer = client.receive(PATIENCE).unwrap();
            assert_eq!(answer["error"]["code"], code, "{:?}", line.get(..40));
        }
    }

    client.shake_hands("2025-11-25");
    client.send_line(b"{");
    assert_eq!(client.receive(PATIENCE).unwrap()["error"]["code"], -32_700);
    let (unknown, _) = client.refused("no/such/method", json!({}));
    assert_eq!(unknown, -32_601);
    assert_eq!(client.offered(), ["map-kit"]);
    assert_eq!(client.hang_up(), (Some(0), vec![]));
}

#[test]
fn a_request_that_lacks_something_is_told_what() {
    let sandbox = two_kits();
    let mut client = Client::start(&sandbox, &[]);
    let early = (
        -32_600,
        "`initialize` comes first; without it, a request says its protocol version in `_meta`"
            .to_owned(),
    );

    client.ok("ping", json!({}));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled"}));
    assert_eq!(client.refused("tools/list", json!({})), early);
    let nothing = (-32_601, "there is no method `no/such/method`".to_owned());
    assert_eq!(client.refused("no/such/method", json!({})), nothing);
    let (code, words) = client.refused("initialize", json!({"protocolVersion": 5}));
    assert_eq!(
        (code, &*words),
        (-32_602, "`protocolVersion` of `initialize` must be a text")
    );

    client.shake_hands("2025-11-25");
    for (method, params, code, words) in [
        (
            "tools/call",
            json!({}),
            -32_602,
            "`tools/call` needs the parameter `name`, a text",
        ),
        (
            "skills/get",
            json!({}),
            -32_602,
            "`skills/get` needs the parameter `uri`, a text",
        ),
        (
            "resources/read",
            json!({"uri": 5}),
            -32_602,
            "`uri` of `resources/read` must be a text",
        ),
        (
            "prompts/list",
            json!({"cursor": 5}),
            -32_602,
            "`cursor` of `prompts/list` must be a text",
        ),
        (
            "tools/call",
            json!({"name": "no"}),
            -32_602,
            "there is no tool `no`",
        ),
        (
            "no/such/method",
            json!({}),
            -32_601,
            "there is no method `no/such/method`",
        ),
        (
            "logging/setLevel",
            json!({"level": "info"}),
            -32_601,
            "there is no method `logging/setLevel`",
        ),
        (
            "completion/complete",
            json!({
                "ref": {"type": "ref/prompt", "name": "map-kit"},
                "argument": {"name": "arguments", "value": "x"},
            }),
            -32_601,
            "there is no method `completion/complete`",
        ),
        (
            "resources/subscribe",
            json!({"uri": "skill://map-kit/SKILL.md"}),
            -32_601,
            "there is no method `resources/subscribe`",
        ),
        (
            "subscriptions/listen",
            json!({"notifications": {}}),
            -32_601,
            "there is no method `subscriptions/listen` before version 2026-07-28",
        ),
    ] {
        assert_eq!(client.refused(method, params), (code, words.to_owned()));
    }
    client.send_line(br#"{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}"#);
    let answer = client.receive(PATIENCE).unwrap();
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&Value::Null, &json!(-32_600))
    );
    client.send_line(br#"{"jsonrpc": "2.0", "id": "1", "method": "ping"}"#);
    assert_eq!(client.receive(PATIENCE).unwrap()["id"], "1");
}

#[test]
fn a_cursor_of_another_is_refused_by_every_list() {
    let sandbox = two_kits();
    let mut client = Client::connected(&sandbox);

    for list in [
        "tools",
        "prompts",
        "resources",
        "resources/templates",
        "skills",
    ] {
        let words = "the cursor is none of this list: ask without one for its beginning";
        assert_eq!(
            client.refused(&format!("{list}/list"), json!({"cursor": "x"})),
            (-32_602, words.to_owned()),
            "{list}"
        );
    }
}

#[test]
fn an_answer_that_nobody_reads_does_not_hold_up_the_end() {
    /// Ends with the test, however that ends.
    struct Ended(Child);
    impl Drop for Ended {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    let sandbox = two_kits();
    sandbox.write("home/.agents/skills/map-kit/large", "x".repeat(4_000_000));
    let mut command = sandbox.command(["mcp"]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut ended = Ended(command.spawn().unwrap());
    let server = &mut ended.0;
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::with_capacity(1, server.stdout.take().unwrap());
    let hands = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }});
    writeln!(input, "{hands}").unwrap();
    output.read_line(&mut String::new()).unwrap();
    writeln!(
        input,
        r#"{{"jsonrpc": "2.0", "method": "notifications/initialized"}}"#
    )
    .unwrap();
    let read = json!({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {
        "uri": "skill://map-kit/large",
    }});
    writeln!(input, "{read}").unwrap();
    // From its first byte on the answer is being written.
    output.read_exact(&mut [0]).unwrap();

    let began = Instant::now();
    let pid = server.id().to_string();
    let kill = std::process::Command::new("kill")
        .args(["-TERM", &pid])
        .status();
    assert!(kill.unwrap().success());
    while server.try_wait().unwrap().is_none() {
        assert!(
            began.elapsed() < Duration::from_secs(2),
            "the server goes on"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn hostile_names_and_arguments_are_refused_in_words() {
    let sandbox = two_kits();
    let mut client = Client::connected(&sandbox);

    for name in [
        "../map-kit",
        "map-kit\0",
        "\u{202e}tik-pam",
        "",
        &"x".repeat(100_000),
    ] {
        let (message, _) = client.tool("skill", json!({"name": name}));
        let is_list = name.is_empty();
        assert_eq!(message["ok"], is_list, "{message}");
        assert!(message.to_string().len() < 2_000);
    }
    for arguments in [
        json!({"name": 1}),
        json!({"nam": "x"}),
        json!({"name": ["map-kit"]}),
    ] {
        let (message, _) = client.tool("skill", arguments);
        assert_eq!(message["error"]["code"], "invalid_arguments");
    }
    for path in [
        "../off-kit/SKILL.md",
        "/etc/passwd",
        "SKILL.md/",
        "a\0b",
        "",
    ] {
        let (message, _) = client.tool("read_skill_file", json!({"name": "map-kit", "path": path}));
        let ok = path == "SKILL.md/";
        assert_eq!(message["ok"], ok, "{path:?} {message}");
    }
}

#[test]
fn a_flood_of_requests_is_answered_to_the_last() {
    let sandbox = two_kits();
    let mut client = Client::connected(&sandbox);

    // The answers are read only once all is sent: the server must not drop any,
    // nor must the two wait for each other for ever.
    let mut input = client.input.take().unwrap();
    let sender = std::thread::spawn(move || {
        for id in 1_000..3_000 {
            let request = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"});
            writeln!(input, "{request}").unwrap();
        }
        input
    });
    let mut answered = 0;
    while answered < 2_000 {
        let message = client.receive(PATIENCE).expect("an answer");
        answered += usize::from(message["id"].is_u64());
    }
    client.input = Some(sender.join().unwrap());
    assert_eq!(client.hang_up(), (Some(0), vec![]));
}

#[test]
fn a_call_reads_the_skill_and_the_decisions_and_no_other_skill() {
    let names: Vec<String> = (0..200).map(|index| format!("kit-{index:03}")).collect();
    let mut sandbox = Sandbox::new();
    for name in &names {
        let description = "Does one thing. ".repeat(60);
        sandbox = sandbox.home_skill(name, &description);
        sandbox.write(
            format!("home/.agents/skills/{name}/SKILL.md"),
            format!("---\nname: {name}\ndescription: Does.\n---\n{description}{description}"),
        );
    }
    sandbox.write("home/.codeaf/skills.json", json!({"on": names}).to_string());
    let mut client = Client::connected(&sandbox);
    client.settle();
    let bytes_read = |client: &Client| {
        let counts = fs::read_to_string(format!("/proc/{}/io", client.server.id())).unwrap();
        let line = counts.lines().next().unwrap().to_owned();
        let number = line.strip_prefix("rchar: ").unwrap();
        number.parse::<u64>().unwrap()
    };

    let before = bytes_read(&client);
    for name in &names[..50] {
        let (message, _) = client.tool("skill", json!({"name": name}));
        assert_eq!(message["data"]["status"], "loaded");
    }

    // A scan of all of them would read 400 KB for each call.
    let read = bytes_read(&client) - before;
    assert!(read < 50 * 40_000, "{read} bytes");
}

#[test]
fn it_ends_cleanly_when_it_is_asked_to() {
    let sandbox = two_kits();
    for signal in ["-TERM", "-INT"] {
        let mut client = Client::connected(&sandbox);
        assert_eq!(client.offered(), ["map-kit"]);

        let pid = client.server.id().to_string();
        let kill = std::process::Command::new("kill")
            .args([signal, &pid])
            .status();
        assert!(kill.unwrap().success());

        let began = Instant::now();
        let status = loop {
            if let Some(status) = client.server.try_wait().unwrap() {
                break status;
            }
            assert!(began.elapsed() < PATIENCE, "the server goes on");
            std::thread::sleep(Duration::from_millis(10));
        };
        assert_eq!(status.code(), Some(0), "{signal}");
    }
}

#[test]
fn an_answer_that_cannot_be_written_is_told_with_its_cause() {
    let sandbox = two_kits();
    let ping = "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}\n";
    let run = |output: Stdio| {
        let mut command = sandbox.command(["mcp"]);
        command
            .stdin(Stdio::piped())
            .stdout(output)
            .stderr(Stdio::piped());
        let mut server = command.spawn().unwrap();
        // Held open: the server ends by itself.
        let mut input = server.stdin.take().unwrap();
        input.write_all(ping.as_bytes()).unwrap();
        let mut stderr = String::new();
        let mut errors = server.stderr.take().unwrap();
        errors.read_to_string(&mut stderr).unwrap();
        (server.wait().unwrap().code(), stderr)
    };

    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    assert_eq!(
        run(full.into()),
        (
            Some(1),
            "error: cannot write the answer\ncaused by: No space left on device (os error 28)\n"
                .to_owned()
        )
    );
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    assert_eq!(run(writer.into()), (Some(0), String::new()));
}

#[test]
fn a_client_that_vanishes_ends_the_server() {
    let sandbox = two_kits();
    let mut command = sandbox.command(["mcp"]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut server = command.spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    drop(server.stdout.take());

    for id in 0..100 {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
        if writeln!(input, "{request}").is_err() {
            break;
        }
    }
    drop(input);

    let deadline = Instant::now() + PATIENCE;
    while server.try_wait().unwrap().is_none() {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn each_agent_is_told_how_to_start_the_server_and_the_readme_shows_it() {
    let sandbox = Sandbox::new();
    let page = include_str!("../../README.md");

    for agent in [
        "claude-code",
        "codex",
        "gemini-cli",
        "opencode",
        "goose",
        "vscode",
        "cursor",
    ] {
        let output = sandbox.run(["mcp", "--print-config", agent]).success();
        assert!(
            output.stderr.starts_with("note: this goes into "),
            "{agent}"
        );
        assert!(
            page.contains(&output.stdout),
            "{agent}: not in the README\n{}",
            output.stdout
        );
        let file = output
            .stderr
            .trim_start_matches("note: this goes into ")
            .trim_end();
        let flowing = page.replace('\n', " ");
        assert!(flowing.contains(file), "{agent}: {file}");
        match agent {
            "codex" => assert!(output.stdout.starts_with("[mcp_servers.codeaf-skills]\n")),
            "goose" => assert!(output.stdout.starts_with("extensions:\n")),
            _ => drop(output.json()),
        }
    }
}

#[test]
fn the_printed_settings_carry_what_decides_what_is_served() {
    let sandbox = Sandbox::new();
    let print = |flags: &[&str]| {
        let words = flags.iter().chain(&["mcp", "--print-config", "cursor"]);
        sandbox.run(words).success()
    };
    let args = |flags: &[&str]| {
        let printed = print(flags).json();
        printed["mcpServers"]["codeaf-skills"]["args"].clone()
    };
    let here = "[D]/project";
    let below = |name: &str| format!("{here}/{name}");

    let places = [
        "--folder",
        "f",
        "--skills-dir",
        "/s",
        "--store",
        "sqlite:x.db",
    ];
    let given = args(&[&places[..], &["-C", ".", "--allowed-skills", "a,b"]].concat());
    assert_eq!(
        given,
        serde_json::json!([
            "mcp",
            "-C",
            here,
            "--folder",
            below("f"),
            "--skills-dir",
            "/s",
            "--store",
            format!("sqlite:{}", below("x.db")),
            "--allowed-skills",
            "a,b",
        ])
    );
    let switches = ["--require-store", "--ignore-project-on"];
    let id = ["--conversation", "0123456789abcdef"];
    assert_eq!(
        args(&[&switches[..], &id].concat()),
        serde_json::json!(["mcp", id[0], id[1], switches[0], switches[1]])
    );
    let server = print(&["--store", "postgres://u:geheim@h/d"]);
    assert!(
        server.stdout.contains("\"postgres://u@h/d\""),
        "{}",
        server.stdout
    );
    assert!(
        server
            .stderr
            .ends_with("note: the password of the store is left out: give the server PGPASSWORD\n")
    );
}
