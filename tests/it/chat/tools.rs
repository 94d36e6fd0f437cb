//! Calls of tools: files within their folders, and calls that make no sense.

use serde_json::json;

use super::{Act, Stub, call, say, skill, status, tool_result, with_pdf_on};

fn read(path: &str) -> Act {
    call("read", &json!({"path": path}).to_string())
}

#[test]
fn files_are_read_in_the_working_folder_and_in_loaded_skills_alone() {
    let sandbox = with_pdf_on()
        .file("project/notes.txt", "A note.\n")
        .file("home/secret.txt", "no")
        .link("project/way-out", "../home/secret.txt")
        .link(
            "home/.agents/skills/pdf-processing/out",
            "../../../secret.txt",
        );
    let kit = sandbox.path("home/.agents/skills/pdf-processing");
    let reference = kit.join("references/REFERENCE.md");
    let reference = reference.to_str().unwrap();
    let out = kit.join("out");
    let stub = Stub::new([
        read("notes.txt"),
        read(reference),
        skill("pdf-processing"),
        read(reference),
        read(out.to_str().unwrap()),
        read("way-out"),
        read("../home/secret.txt"),
        read("/etc/passwd"),
        say("Done."),
    ]);

    let output = sandbox.chat(&stub, &["Read."]).success();

    let results: Vec<_> = stub.requests()[1..].iter().map(tool_result).collect();
    let shown: Vec<&str> = results
        .iter()
        .map(|result| match &result["error"]["code"] {
            serde_json::Value::String(code) => code.as_str(),
            _ => result["data"]["content"].as_str().unwrap(),
        })
        .collect();
    assert_eq!(shown[..2], ["A note.\n", "not_allowed"]);
    assert_eq!(
        shown[3..],
        [
            "The reference.\n",
            "not_allowed",
            "not_allowed",
            "not_allowed",
            "not_allowed"
        ]
    );
    output.has(&[
        "\u{25c6} read notes.txt · 8 B",
        "REFERENCE.md · not allowed",
        "REFERENCE.md · 15 B",
        "\u{25c6} read way-out · not allowed",
    ]);
}

#[test]
fn a_grant_is_there_again_after_a_restart() {
    let sandbox = with_pdf_on();
    let reference = sandbox.path("home/.agents/skills/pdf-processing/references/REFERENCE.md");
    let stub = Stub::new([
        skill("pdf-processing"),
        say("One."),
        read(reference.to_str().unwrap()),
        say("Two."),
    ]);

    sandbox.chat(&stub, &["first"]).success();
    sandbox.chat(&stub, &["second"]).success();

    assert_eq!(
        tool_result(&stub.last())["data"]["content"],
        "The reference.\n"
    );
}

#[test]
fn calls_that_make_no_sense_are_answered_and_the_turn_goes_on() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([
        call("shell", "{\"command\": \"rm\"}"),
        call("skill", "{\"name\": "),
        call("skill", "[]"),
        call("skill", "{\"name\": \"pdf-processing\", \"file\": \"x\"}"),
        call("read", "nonsense"),
        call("read", ""),
        call("manual", "{\"page\": 1}"),
        call("a\u{1b}[31m\nb", "{}"),
        say("Done."),
    ]);

    let output = sandbox.chat(&stub, &["Go."]).success();

    let codes: Vec<_> = stub.requests()[1..]
        .iter()
        .map(|request| {
            tool_result(request)["error"]["code"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(
        codes,
        [
            "no_such_tool",
            "invalid_arguments",
            "invalid_arguments",
            "invalid_arguments",
            "invalid_arguments",
            "invalid_arguments",
            "invalid_arguments",
            "no_such_tool",
        ]
    );
    output.has(&[
        "Done.\n",
        "\u{25c6} shell · no such tool\n",
        "\u{25c6} a b · no such tool\n",
    ]);
}

#[test]
fn several_calls_in_one_answer_are_answered_in_order() {
    let sandbox = with_pdf_on().file("project/a", "A").file("project/b", "B");
    let calls = ["a", "b"].map(|path| ("read".to_owned(), json!({"path": path}).to_string()));
    let stub = Stub::new([Act::Call(calls.to_vec()), say("Done.")]);

    sandbox.chat(&stub, &["Go."]).success();

    let messages = stub.last()["messages"].clone();
    let ids: Vec<_> = messages.as_array().unwrap()[3..]
        .iter()
        .map(|message| message["tool_call_id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(ids, ["id-0", "id-1"]);
    assert!(
        messages[3]["content"]
            .as_str()
            .unwrap()
            .contains("\"content\":\"A\"")
    );
    assert!(
        messages[4]["content"]
            .as_str()
            .unwrap()
            .contains("\"content\":\"B\"")
    );
}

#[test]
fn a_model_that_goes_in_circles_is_stopped() {
    let sandbox = with_pdf_on();
    let stub = Stub::new(vec![call("manual", "{}"); 70]);

    sandbox.chat(&stub, &["Go."]).refused().has(&[
        "error: the model called tools 64 times in a row",
        "help: say how to go on",
    ]);

    assert_eq!(stub.requests().len(), 64);
}

#[test]
fn a_server_that_does_not_stream_is_understood() {
    let sandbox = with_pdf_on();
    let body =
        |message| json!({"choices": [{"message": message, "finish_reason": "stop"}]}).to_string();
    let calls = json!([{"id": "x", "type": "function", "function": {"name": "skill", "arguments": "{\"name\": \"pdf-processing\"}"}}]);
    let stub = Stub::new([
        status(
            "200 OK",
            "content-type: application/json\r\n",
            &body(json!({"role": "assistant", "content": null, "tool_calls": calls})),
        ),
        status(
            "200 OK",
            "content-type: application/json\r\n",
            &body(json!({"role": "assistant", "content": "Done."})),
        ),
    ]);

    sandbox
        .chat(&stub, &["Go."])
        .success()
        .has(&["Done.\n", "used skill pdf-processing"]);
}

#[test]
fn a_skill_in_the_working_folder_is_read_once_it_is_loaded() {
    let sandbox = with_pdf_on().skill("project/.claude/skills", "kit", "Is a kit.");
    let body = || read(".claude/skills/kit/SKILL.md");
    let stub = Stub::new([
        body(),
        say("One."),
        body(),
        skill("kit"),
        body(),
        say("Two."),
        body(),
        say("Three."),
    ]);

    sandbox.chat(&stub, &["first"]).success();
    sandbox.run(["on", "kit", "--global"]).success();
    sandbox.chat(&stub, &["second"]).success();
    sandbox.chat(&stub, &["--no-skills", "third"]).success();

    let requests = stub.requests();
    let error = |request: usize| {
        let result = tool_result(&requests[request]);
        let text = |key: &str| result["error"][key].as_str().unwrap().to_owned();
        (text("code"), text("message"))
    };
    assert_eq!(error(1).0, "skill_off");
    let (code, message) = error(3);
    assert_eq!(code, "not_allowed");
    assert!(
        message.ends_with("call `skill` with this name first"),
        "{message}"
    );
    let content = &tool_result(&requests[5])["data"]["content"];
    assert!(content.as_str().unwrap().starts_with("---\nname: kit"));
    assert_eq!(
        error(7),
        (
            "not_allowed".to_owned(),
            ".claude/skills/kit/SKILL.md may not be read".to_owned()
        )
    );
}
