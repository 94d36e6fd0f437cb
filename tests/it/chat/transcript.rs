//! What is kept on the disk: the folder, its two files, and what a crash or a
//! second chat does to them.

use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::Instant;

use serde_json::json;

use super::talk::Talk;
use super::{Act, HEAD, Stub, event, said, say, skill, with_pdf_on};

#[test]
fn a_conversation_that_is_not_there_is_made_and_gone_on_with() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([say("One."), say("Two.")]);
    let url = stub.url();
    let chat = |words: &[&str]| {
        let all = ["chat", "--base-url", &url, "--model", "m"];
        sandbox.run(all.iter().chain(words))
    };

    chat(&["--conversation", "../new/talk", "first"])
        .success()
        .is("One.\n");
    chat(&["--conversation", "../new/talk/meta.json", "second"]).success();

    assert_eq!(
        said(&stub.last()),
        ["user: first", "assistant: One.", "user: second"]
    );
    assert_eq!(
        sandbox.names_in("new/talk"),
        ["meta.json", "transcript.jsonl"]
    );
    let meta: serde_json::Value =
        serde_json::from_str(&sandbox.read("new/talk/meta.json")).unwrap();
    assert_eq!(meta["workspace"], sandbox.path("project").to_str().unwrap());
    for (name, mode) in [("new/talk", 0o700), ("new/talk/transcript.jsonl", 0o600)] {
        let found = sandbox.path(name).metadata().unwrap().permissions().mode();
        assert_eq!(found & 0o777, mode, "{name}");
    }
}

#[test]
fn without_a_name_a_new_one_begins_under_home_and_its_id_goes_on() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([say("One."), say("Two.")]);
    let url = stub.url();

    let first = sandbox
        .run(["chat", "--base-url", &url, "--model", "m", "first"])
        .success();
    let note = first.stderr.trim();
    let id = note.rsplit(' ').next().unwrap();
    assert_eq!(
        note,
        format!("note: conversation {id}; go on with --conversation {id}")
    );
    sandbox
        .run([
            "chat",
            "--base-url",
            &url,
            "--model",
            "m",
            "--conversation",
            id,
            "second",
        ])
        .success()
        .is("Two.\n");

    assert_eq!(said(&stub.last()).len(), 3);
}

#[test]
fn the_stored_shape_is_the_one_that_others_read() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([skill("pdf-processing"), say("Done.")]);

    sandbox.chat(&stub, &["Go."]).success();

    let lines = sandbox.transcript();
    assert_eq!(lines[0], json!({"role": "user", "content": "Go."}));
    assert_eq!(lines[1]["tool_calls"][0]["function"]["name"], "skill");
    let tool = &lines[2];
    assert_eq!(tool["role"], "tool");
    assert_eq!(tool["name"], "skill");
    assert_eq!(tool["row"], "used skill pdf-processing · 3.1 KB");
    assert_eq!(tool["content"]["ok"], true);
    assert_eq!(tool["content"]["data"]["name"], "pdf-processing");
    assert_eq!(tool["content"]["data"]["status"], "loaded");
    assert!(tool["content"]["data"]["content"].is_string());
    assert_eq!(lines[3], json!({"role": "assistant", "content": "Done."}));
}

#[test]
fn a_torn_line_is_told_and_swallows_nothing() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([
        skill("pdf-processing"),
        say("One."),
        say("Two."),
        say("Three."),
    ]);
    sandbox.chat(&stub, &["first"]).success();
    let whole = sandbox.read("conv/transcript.jsonl");
    sandbox.write(
        "conv/transcript.jsonl",
        format!("{whole}{{\"role\":\"user\",\"cont"),
    );

    sandbox
        .chat(&stub, &["second"])
        .success()
        .has(&["warning: transcript.jsonl, line 5: is not JSON: EOF while parsing a string"]);
    sandbox.chat(&stub, &["third"]).success().lacks(&["line 5"]);

    let lines = said(&stub.last());
    assert_eq!(
        lines[lines.len() - 3..],
        ["user: second", "assistant: Two.", "user: third"]
    );
}

#[test]
fn two_chats_do_not_share_a_conversation() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([say("One.")]);
    let mut talk = Talk::start(&sandbox, &stub, &[]);
    talk.wait_for("> ");

    sandbox.chat(&stub, &["Hi."]).refused().is("
        -- stderr --
        error: another chat has the conversation [D]/conv open
        help: end the other chat, or go on in another conversation
        -- exit 1 --
    ");

    // A decision is another matter.
    sandbox
        .run(["off", "pdf-processing", "--conversation", "../conv"])
        .success();
    drop(talk);
}

#[test]
fn a_kill_in_the_middle_leaves_whole_lines_and_no_lock() {
    let sandbox = with_pdf_on();
    let begun = format!("{HEAD}{}", event(&json!({"content": "Half"})));
    let stub = Stub::new([Act::Hold(begun.into_bytes()), say("Two.")]);
    let mut child = sandbox
        .chat_command(&stub, &["first"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    stub.wait_for(1);
    child.kill().unwrap();
    child.wait().unwrap();

    sandbox.chat(&stub, &["second"]).success().is("Two.\n");

    assert_eq!(said(&stub.last()), ["user: first\n\nsecond"]);
}

#[test]
fn ten_thousand_turns_are_gone_on_with() {
    let sandbox = with_pdf_on();
    let turns: Vec<String> = (0..10_000)
        .flat_map(|i| {
            let user = json!({"role": "user", "content": format!("question {i}")});
            let assistant = json!({"role": "assistant", "content": format!("answer {i}")});
            [user.to_string(), assistant.to_string()]
        })
        .collect();
    sandbox.write("conv/transcript.jsonl", turns.join("\n") + "\n");
    let stub =
        Stub::new(std::iter::repeat_n(say("All questions were answered."), 20).collect::<Vec<_>>());
    let began = Instant::now();

    sandbox.chat(&stub, &["last"]).success().has(&["compacted"]);

    // Parsing, estimating and sending, in an unoptimised build.
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
    let last = said(&stub.last());
    assert!(
        last[0].starts_with("user: <summary-SECRET>\nAll questions"),
        "{}",
        last[0]
    );
    assert_eq!(
        last[last.len() - 2..],
        ["assistant: answer 9999", "user: last"]
    );
}

#[test]
fn what_cannot_be_a_transcript_is_refused() {
    let sandbox = with_pdf_on().folder("conv/transcript.jsonl");
    let stub = Stub::new([]);

    sandbox
        .chat(&stub, &["Hi."])
        .refused()
        .has(&["error: cannot open [D]/conv/transcript.jsonl\ncaused by: Is a directory"]);
}

#[test]
fn a_closed_pipe_ends_quietly_and_the_answer_is_kept() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([say("One.\nTwo.\n")]);
    let url = stub.url();

    sandbox
        .shell(&format!(
            "codeaf-skills chat --base-url {url} --model m --conversation ../conv Hi. | true; exit ${{PIPESTATUS[0]}}"
        ))
        .success();

    assert!(!sandbox.transcript().is_empty());
}

#[test]
fn a_transcript_is_not_written_through_a_link() {
    let sandbox = with_pdf_on()
        .file("elsewhere", "kept")
        .link("conv/transcript.jsonl", "../elsewhere");
    let stub = Stub::new([]);

    sandbox.chat(&stub, &["Hi."]).refused().is("
        -- stderr --
        error: [D]/conv/transcript.jsonl is a link, and no transcript is written through it
        help: move it away, or go on in another conversation
        -- exit 1 --
    ");

    assert_eq!(sandbox.read("elsewhere"), "kept");
}

#[test]
fn a_conversation_that_goes_on_in_another_folder_says_so() {
    let sandbox = with_pdf_on().folder("other");
    let stub = Stub::new([say("One."), say("Two.")]);
    let url = stub.url();
    let chat = |start: &str| {
        let words = ["chat", "-C", start, "--base-url", &url, "--model", "m"];
        let rest = ["--conversation", "../new", "Hi."];
        sandbox.run(words.iter().chain(&rest))
    };

    chat(".").success().is("One.\n");
    chat("../other").success().is("
        Two.
        -- stderr --
        note: this conversation began in [D]/project; the working folder is [D]/other now
    ");
}

#[test]
fn the_answer_as_one_object_has_the_rows_and_where_it_is_kept() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([skill("pdf-processing"), say("Done."), say("Two.")]);

    let output = sandbox.chat(&stub, &["--json", "Go."]).success();
    let answered = output.json();

    assert_eq!(
        answered,
        json!({
            "version": 1,
            "conversation": {"id": "0123456789abcdef", "path": "[D]/conv"},
            "answer": "Done.",
            "cut": null,
            "rows": ["used skill pdf-processing · 3.1 KB"],
        })
    );
    let second = sandbox.chat(&stub, &["--json", "Again."]).success().json();
    assert_eq!(
        (&second["answer"], &second["rows"]),
        (&json!("Two."), &json!([]))
    );
    sandbox
        .chat(&stub, &["--json", "/skills"])
        .usage()
        .has(&["`/skills` has no --json"]);
}

#[test]
fn a_decision_for_a_conversation_that_has_not_begun_names_what_begins_it() {
    let sandbox = with_pdf_on();

    sandbox
        .run(["on", "pdf-processing", "--conversation", "../later"])
        .refused()
        .is("
        -- stderr --
        error: there is no conversation at ../later
        help: name a conversation's folder, its meta.json, or its 16-digit id; `codeaf-skills chat --conversation PATH` starts one
        -- exit 1 --
    ");
}
