//! Servers that fail: what is tried again, what is said, and what stays.

use std::ffi::OsStr;
use std::time::Instant;

use serde_json::json;

use super::{Act, HEAD, Stub, call, event, said, say, skill, status, with_pdf_on};

#[test]
fn a_busy_server_is_asked_again_when_it_says() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([
        status(
            "429 Too Many Requests",
            "retry-after: 1\r\n",
            r#"{"error": {"message": "slow down"}}"#,
        ),
        status(
            "503 Service Unavailable",
            "retry-after: 0\r\n",
            "<html>busy</html>",
        ),
        say("Hello."),
    ]);
    let began = Instant::now();

    sandbox.chat(&stub, &["Hi."]).success().is("
        Hello.
        -- stderr --
        note: the server answered 429: slow down; trying again in 1 s
        note: the server answered 503; trying again in 0 s
    ");

    assert!(began.elapsed().as_millis() >= 1_000);
    let requests = stub.requests();
    assert_eq!(requests.len(), 3);
    assert_eq!(requests[0], requests[2]);
    assert_eq!(sandbox.transcript().len(), 2);
}

#[test]
fn a_server_that_stays_busy_is_given_up_and_the_message_stays() {
    let sandbox = with_pdf_on();
    let busy = status("500 Internal Server Error", "retry-after: 0\r\n", "oops");
    let stub = Stub::new(vec![busy; 9]);

    sandbox.chat(&stub, &["Hi."]).refused().has(&[
        "error: the server answered 500: oops, 5 times",
        "help: send the message again later",
    ]);

    assert_eq!(stub.requests().len(), 5);
    assert_eq!(
        sandbox.transcript(),
        [json!({"role": "user", "content": "Hi."})]
    );
}

#[test]
fn nobody_waits_for_an_hour_unasked() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([status("429 Too Many Requests", "retry-after: 3600\r\n", "")]);

    sandbox.chat(&stub, &["Hi."]).refused().is("
        -- stderr --
        error: the server answered 429
        help: the server asks to wait 3600 s: send the message again then
        -- exit 1 --
    ");
}

#[test]
fn a_stream_that_breaks_off_keeps_what_came_and_the_next_turn_goes_on() {
    let sandbox = with_pdf_on();
    let half = format!(
        "{HEAD}{}data: {{\"choi",
        event(&json!({"content": "Half an ans"}))
    );
    let stub = Stub::new([Act::Raw(half.into_bytes()), say("Whole.")]);

    sandbox.chat(&stub, &["first"]).refused().is("
        Half an ans
        -- stderr --
        error: the server ended the answer in the middle
        help: what came is kept: say how to go on, or send the message again
        -- exit 1 --
    ");
    sandbox.chat(&stub, &["second"]).success().is("Whole.\n");

    assert_eq!(
        said(&stub.last()),
        ["user: first", "assistant: Half an ans", "user: second"]
    );
    assert_eq!(
        sandbox.transcript()[1]["cut"],
        "the server ended the answer in the middle"
    );
}

#[test]
fn a_stream_that_breaks_off_before_a_word_is_asked_for_again() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([
        Act::Raw(HEAD.as_bytes().to_vec()),
        Act::Raw(Vec::new()),
        say("Hello."),
    ]);

    sandbox
        .chat(&stub, &["Hi."])
        .success()
        .has(&["Hello.\n", "trying again in 0.5 s"]);

    assert_eq!(stub.requests().len(), 3);
}

#[test]
fn a_stream_that_breaks_off_between_tools_loses_no_result() {
    let sandbox = with_pdf_on();
    let broken = status("400 Bad Request", "", "broken");
    let stub = Stub::new([skill("pdf-processing"), broken, say("Done.")]);

    sandbox.chat(&stub, &["first"]).refused().has(&[
        "used skill pdf-processing",
        "error: the server answered 400: broken",
    ]);
    sandbox.chat(&stub, &["go on"]).success();

    let roles: Vec<String> = said(&stub.last())
        .iter()
        .map(|line| line.split(':').next().unwrap().to_owned())
        .collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant", "user"]);
}

#[test]
fn every_refusal_has_a_next_step() {
    let sandbox = with_pdf_on();
    for (act, words, help) in [
        (
            status(
                "401 Unauthorized",
                "",
                r#"{"error": {"message": "no key"}}"#,
            ),
            "error: the server answered 401: no key\n",
            "help: set OPENAI_API_KEY to a key of this server\n",
        ),
        (
            status("404 Not Found", "", "{\"detail\": \"no\\u001b[31m model\"}"),
            "error: the server answered 404: no model\n",
            "help: see whether --base-url is right (it mostly ends in /v1), and whether the server has the model stub\n",
        ),
        (
            status(
                "400 Bad Request",
                "",
                r#"{"error": "maximum context length is 10"}"#,
            ),
            "error: the server answered 400: maximum context length is 10\n",
            "help: `/compact` shortens the conversation; a smaller --context-tokens does so in time\n",
        ),
        (
            status(
                "302 Found",
                "location: http://else.where/v1/chat/completions\r\n",
                "",
            ),
            "error: the server answered 302\n",
            "help: the server is at http://else.where/v1: give that with --base-url\n",
        ),
        (
            status("200 OK", "", "<html><body>Welcome!</body></html>"),
            "error: the server ended the answer in the middle, 5 times\n",
            "help: send the message again later\n",
        ),
        (
            Act::Raw(format!("{HEAD}data: nonsense\n\n").into_bytes()),
            "error: the server sent something that is no answer: an event is not JSON",
            "help: see whether --base-url is the address of chat completions",
        ),
        (
            Act::Raw(
                format!("{HEAD}data: {{\"error\": {{\"message\": \"overloaded\"}}}}\n\n")
                    .into_bytes(),
            ),
            "error: the server says: overloaded\n",
            "help: ",
        ),
    ] {
        // The page for a browser is asked for five times.
        let stub = Stub::new(vec![act; 5]);
        sandbox.chat(&stub, &["Hi."]).refused().has(&[words, help]);
    }
}

#[test]
fn a_server_that_is_not_there_is_told_at_once() {
    let sandbox = with_pdf_on();
    let words = [
        "chat",
        "--base-url",
        "http://127.0.0.1:9/v1",
        "--model",
        "m",
        "--conversation",
        "../conv",
        "Hi.",
    ];

    sandbox.run(words).refused().is("
        -- stderr --
        error: cannot reach http://127.0.0.1:9/v1/chat/completions: connection refused
        help: see whether the server runs and whether --base-url is its address
        -- exit 1 --
    ");

    assert_eq!(sandbox.transcript().len(), 1);
}

#[test]
fn an_answer_of_garbage_ends_with_words() {
    let sandbox = with_pdf_on();
    let endless = format!("{HEAD}data: {}", "x".repeat(17_000_000));
    let mut bytes = HEAD.as_bytes().to_vec();
    bytes.extend((0..100_000_u32).map(|i| (i * 7 % 251) as u8));

    sandbox
        .chat(&Stub::new([Act::Raw(endless.into_bytes())]), &["Hi."])
        .refused()
        .has(&["error: the answer is over 16777216 bytes"]);
    sandbox
        .chat(&Stub::new(vec![Act::Raw(bytes); 5]), &["Hi."])
        .refused()
        .has(&["error: "]);
}

#[test]
fn the_key_goes_with_the_request_and_nowhere_else() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([say("Hello.")]);
    let url = stub.url();
    let variables = [
        ("OPENAI_API_KEY", OsStr::new("sk-secret")),
        ("OPENAI_BASE_URL", OsStr::new(&url)),
        ("OPENAI_MODEL", OsStr::new("a-model")),
    ];

    sandbox
        .run_with(&variables, ["chat", "--conversation", "../conv", "Hi."])
        .success();

    let head = stub.heads()[0].to_lowercase();
    assert!(head.contains("authorization: bearer sk-secret"), "{head}");
    assert_eq!(stub.last()["model"], "a-model");
    let everything = sandbox.everything();
    assert!(
        everything
            .iter()
            .all(|(_, content)| !content.contains("sk-secret"))
    );
}

#[test]
fn what_is_missing_to_begin_is_told() {
    let sandbox = with_pdf_on();

    sandbox.run(["chat", "Hi."]).usage().is("
        -- stderr --
        error: which model?
        help: name it with --model, or in OPENAI_MODEL
        -- exit 2 --
    ");
    sandbox
        .run(["chat", "--model", "m", "--base-url", "example.org", "Hi."])
        .usage()
        .has(&["error: `example.org` is no address of a server"]);
    sandbox
        .run([
            "chat",
            "--model",
            "m",
            "--allowed-tools",
            "read,reed",
            "Hi.",
        ])
        .usage()
        .is("
        -- stderr --
        error: --allowed-tools: there is no tool `reed`
        help: the tools are skill, read, manual
        -- exit 2 --
    ");
    sandbox
        .run(["chat", "--model", "m", "--standing", "nothing.md", "Hi."])
        .refused()
        .has(&["reading the standing orders nothing.md"]);
    assert!(!sandbox.has("conv/transcript.jsonl"));
}

#[test]
fn the_examples_of_the_help_are_right_usage() {
    let sandbox = with_pdf_on().file("project/question.txt", "What is a PDF?\n");
    let help = sandbox.run(["chat", "--help"]).success().stdout;
    let examples = crate::help::examples(&help);
    assert_eq!(examples.len(), 3);

    for example in examples {
        let stub = Stub::new([say("Hello.")]);
        let example = example.replace("http://127.0.0.1:8080/v1", &stub.url());
        let says_nothing = !example.contains('\'') && !example.contains('<');
        let message = if says_nothing { " Hi." } else { "" };
        let url = stub.url();
        sandbox
            .shell(&format!("OPENAI_BASE_URL={url} {example}{message}"))
            .success()
            .has(&["Hello.\n"]);
    }
}

#[test]
fn a_call_that_was_cut_short_is_told_as_interrupted() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([call("manual", "{}"), say("One."), say("Two.")]);
    sandbox.chat(&stub, &["first"]).success();
    // As if the program had been killed between the call and its result.
    let text = sandbox.read("conv/transcript.jsonl");
    let cut: Vec<&str> = text.lines().take(2).collect();
    sandbox.write("conv/transcript.jsonl", cut.join("\n") + "\n");

    sandbox.chat(&stub, &["second"]).success();

    let lines = said(&stub.last());
    assert!(lines[2].contains("\"interrupted\""), "{lines:?}");
    assert_eq!(
        lines[3..],
        ["assistant: (The answer was interrupted.)", "user: second"]
    );
}

#[test]
fn an_address_of_requests_is_one_of_a_server() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([say("Hello.")]);
    let url = format!("{}/chat/completions/", stub.url());

    let words = ["chat", "--base-url", &url, "--model", "m"];
    sandbox
        .run(words.iter().chain(&["--conversation", "../conv", "Hi."]))
        .success()
        .is("Hello.\n");

    assert!(stub.heads()[0].starts_with("POST /v1/chat/completions "));
}

#[test]
fn an_answer_that_the_server_cut_is_kept_as_such() {
    for (reason, words) in [
        (
            "length",
            "the answer was cut at the longest that the model may give",
        ),
        (
            "content_filter",
            "the answer was cut by the server's filter of contents",
        ),
    ] {
        let sandbox = with_pdf_on();
        let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]});
        let begun = event(&json!({"content": "Half"}));
        let bytes = format!("{HEAD}{begun}data: {end}\n\ndata: [DONE]\n\n");
        let stub = Stub::new([Act::Raw(bytes.into_bytes())]);

        sandbox
            .chat(&stub, &["Hi."])
            .success()
            .is(&format!("Half\n-- stderr --\nnote: {words}\n"));

        assert_eq!(sandbox.transcript()[1]["cut"], words);
    }
}
