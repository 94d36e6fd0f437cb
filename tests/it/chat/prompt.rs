//! `message[0]`, the belt and what the model is told when something changes.

use serde_json::Value;

use super::{
    Act, Stub, call, said, sandbox, say, skill, status, system, tool_result, tools, with_pdf_on,
};
use crate::sandbox::Sandbox;

/// The names of tools that a prompt speaks of.
fn named(system: &str) -> Vec<&'static str> {
    let tools = ["skill", "read", "manual"];
    tools
        .into_iter()
        .filter(|tool| system.contains(&format!("`{tool}`")))
        .collect()
}

fn one_request(sandbox: &Sandbox, words: &[&str]) -> Value {
    let stub = Stub::new([say("Hello.")]);
    let words: Vec<&str> = words.iter().copied().chain(["Hi."]).collect();
    sandbox.chat(&stub, &words).success();
    stub.last()
}

#[test]
fn prompt_and_belt_name_the_same_tools_in_every_state() {
    for (words, is_on, wanted) in [
        (&[][..], true, &["skill", "read", "manual"][..]),
        (&[], false, &["read", "manual"]),
        (&["--no-skills"], true, &["read", "manual"]),
        (&["--allowed-skills", ""], true, &["read", "manual"]),
        (&["--allowed-skills", "other"], true, &["read", "manual"]),
        (
            &["--allowed-skills", "pdf-processing"],
            true,
            &["skill", "read", "manual"],
        ),
        (
            &["--allowed-skills", "*"],
            true,
            &["skill", "read", "manual"],
        ),
        (
            &["--allowed-tools", "*"],
            true,
            &["skill", "read", "manual"],
        ),
        (&["--allowed-tools", ""], true, &[]),
        (&["--allowed-tools", "skill"], true, &["skill"]),
        (&["--allowed-tools", "skill"], false, &[]),
        (
            &["--allowed-tools", "read,manual"],
            true,
            &["read", "manual"],
        ),
        (
            &["--allowed-tools", "read", "--allowed-skills", "*"],
            true,
            &["read"],
        ),
    ] {
        let sandbox = if is_on { with_pdf_on() } else { sandbox() };

        let request = one_request(&sandbox, words);

        assert_eq!(tools(&request), wanted, "{words:?}");
        assert_eq!(named(system(&request)), wanted, "{words:?}");
        assert_eq!(request.get("tools").is_some(), !wanted.is_empty());
        let has_word = request.to_string().to_lowercase().contains("skill");
        assert_eq!(has_word, wanted.contains(&"skill"), "{words:?} {request}");
    }
}

#[test]
fn the_first_message_has_its_parts_in_order() {
    let sandbox = with_pdf_on()
        .file("project/orders.md", "Always answer in French.\n")
        .file("conv/meta.json", r#"{"places": ["~/kept"]}"#)
        .folder("home/kept")
        .folder("data");

    let request = one_request(
        &sandbox,
        &["--standing", "orders.md", "--folder", "../data"],
    );

    let text = system(&request);
    let kept = format!("Attached folder: {}", sandbox.path("home/kept").display());
    let data = format!("Attached folder: {}", sandbox.path("data").display());
    let places: Vec<usize> = [
        "You are an assistant",
        "Always answer in French.",
        &kept,
        &data,
        "## Skills",
    ]
    .iter()
    .map(|part| {
        text.find(part)
            .unwrap_or_else(|| panic!("{part} in {text}"))
    })
    .collect();
    assert!(places.is_sorted(), "{text}");
}

#[test]
fn the_first_message_keeps_its_bytes_and_a_decision_changes_it_in_the_next_turn() {
    let sandbox = with_pdf_on().skill("home/.agents/skills", "later", "Comes later.");
    let stub = Stub::new([say("One."), say("Two."), say("Three."), say("Four.")]);
    let mut talk = super::talk::Talk::start(&sandbox, &stub, &[]);

    talk.type_line("first");
    talk.wait_for("One.");
    talk.type_line("second");
    talk.wait_for("Two.");
    sandbox
        .run(["on", "later", "--conversation", "../conv"])
        .success();
    talk.type_line("third");
    talk.wait_for("Three.");
    sandbox
        .run([
            "off",
            "later",
            "pdf-processing",
            "--conversation",
            "../conv",
        ])
        .success();
    talk.type_line("fourth");
    talk.wait_for("Four.");
    talk.end();

    let requests = stub.requests();
    let systems: Vec<&str> = requests.iter().map(system).collect();
    assert_eq!(systems[0], systems[1]);
    assert!(!systems[1].contains("- later ("));
    assert!(systems[2].contains("- later ("));
    assert!(!systems[3].to_lowercase().contains("skill"));
    assert_eq!(tools(&requests[3]), ["read", "manual"]);
    assert!(
        requests
            .iter()
            .all(|request| !said(request).concat().contains("<note-"))
    );
}

#[test]
fn a_reload_is_told_once_at_the_tail_and_leaves_the_first_message() {
    let sandbox = with_pdf_on();
    let stub = Stub::new(
        [skill("pdf-processing")]
            .into_iter()
            .chain(["One.", "Two.", "Three."].map(say)),
    );
    let mut talk = super::talk::Talk::start(&sandbox, &stub, &[]);

    talk.type_line("first");
    talk.wait_for("One.");
    sandbox.write(
        "home/.agents/skills/pdf-processing/SKILL.md",
        "---\nname: pdf-processing\ndescription: Reads all.\n---\nOtherwise.\n",
    );
    talk.type_line("/reload");
    talk.wait_for("pdf-processing has a new description");
    talk.type_line("second");
    talk.wait_for("Two.");
    talk.type_line("/reload");
    talk.wait_for("nothing has changed");
    talk.type_line("third");
    talk.wait_for("Three.");
    talk.end();

    let requests = stub.requests();
    assert_eq!(system(&requests[1]), system(&requests[3]));
    let notes = |request: &Value| -> Vec<String> {
        said(request)
            .into_iter()
            .filter(|line| line.contains("<note-"))
            .collect()
    };
    assert_eq!(notes(&requests[1]), Vec::<String>::new());
    let told = notes(&requests[2]);
    assert_eq!(told.len(), 1);
    assert!(
        told[0].contains("- pdf-processing (64 B): Reads all."),
        "{told:?}"
    );
    assert!(
        told[0].contains("have changed since they were loaded: pdf-processing."),
        "{told:?}"
    );
    assert_eq!(notes(&requests[3]), told);
}

#[test]
fn a_note_goes_once_the_first_message_says_what_holds() {
    let sandbox = with_pdf_on();
    sandbox
        .run(["on", "later", "--global", "--force"])
        .success();
    let stub = Stub::new([say("One."), say("Two.")]);
    let mut talk = super::talk::Talk::start(&sandbox, &stub, &[]);
    talk.wait_for("1 skill on");
    let sandbox = sandbox.skill("home/.agents/skills", "later", "Comes later.");

    talk.type_line("/reload");
    talk.wait_for("later is new, and on");
    talk.type_line("first");
    talk.wait_for("One.");
    sandbox
        .run(["off", "later", "--conversation", "../conv"])
        .success();
    talk.type_line("second");
    talk.wait_for("Two.");
    talk.end();

    let requests = stub.requests();
    assert!(said(&requests[0])[0].contains("- later ("));
    assert_eq!(
        said(&requests[1]),
        ["user: first", "assistant: One.", "user: second"]
    );
    assert!(!system(&requests[1]).contains("- later ("));
}

#[test]
fn a_skill_that_becomes_callable_with_a_reload_is_named_by_prompt_and_belt() {
    let sandbox = sandbox().file("home/.codeaf/skills.json", r#"{"on": ["later"]}"#);
    let stub = Stub::new([say("One."), say("Two.")]);
    let mut talk = super::talk::Talk::start(&sandbox, &stub, &[]);

    talk.type_line("first");
    talk.wait_for("One.");
    let sandbox = sandbox.skill("home/.agents/skills", "later", "Comes later.");
    talk.type_line("/reload");
    talk.wait_for("later is new, and on");
    talk.type_line("second");
    talk.wait_for("Two.");
    talk.end();

    let requests = stub.requests();
    assert_eq!(named(system(&requests[0])), tools(&requests[0]));
    assert_eq!(named(system(&requests[1])), tools(&requests[1]));
    assert!(system(&requests[1]).contains("- later ("));
    drop(sandbox);
}

#[test]
fn an_attached_folder_is_told_at_once_and_the_next_time() {
    let sandbox = with_pdf_on()
        .file("conv/meta.json", "{\"title\": \"T\", \"spentUsd\": 1.10}\n")
        .skill("data/.agents/skills", "data-kit", "Handles data.");
    let stub = Stub::new([say("One."), say("Two.")]);
    let mut talk = super::talk::Talk::start(&sandbox, &stub, &[]);

    talk.type_line("/folder ../data");
    talk.wait_for("is attached");
    sandbox
        .run(["on", "data-kit", "--conversation", "../conv"])
        .success();
    talk.type_line("first");
    talk.wait_for("One.");
    talk.end();
    sandbox.chat(&stub, &["second"]).success();

    for request in stub.requests() {
        let folder = format!("Attached folder: {}", sandbox.path("data").display());
        assert!(system(&request).contains(&folder), "{request}");
        assert!(system(&request).contains("- data-kit ("), "{request}");
    }
    let meta = sandbox.read("conv/meta.json");
    assert!(
        meta.starts_with("{\"title\": \"T\", \"spentUsd\": 1.10, \"places\": ["),
        "{meta}"
    );
}

#[test]
fn while_a_scope_file_is_unreadable_no_skill_is_offered_and_the_chat_stays_up() {
    let sandbox = with_pdf_on().file("project/.codeaf/skills.json", "{");
    let stub = Stub::new([skill("pdf-processing"), say("One."), say("Two.")]);

    sandbox.chat(&stub, &["first"]).success().has(&[
        "error[scope-malformed]",
        "no skill is offered until the file is mended",
        "skill pdf-processing · scope file unreadable",
    ]);
    let requests = stub.requests();
    assert_eq!(tools(&requests[0]), ["read", "manual"]);
    assert_eq!(
        tool_result(&requests[1])["error"]["code"],
        "scope_unreadable"
    );

    sandbox.write("project/.codeaf/skills.json", "{}");
    sandbox.chat(&stub, &["second"]).success();
    assert_eq!(tools(&stub.last()), ["skill", "read", "manual"]);
}

#[test]
fn without_skills_other_tools_stay_and_no_command_is_a_skill() {
    let sandbox = with_pdf_on();
    let reference = sandbox.path("home/.agents/skills/pdf-processing/references/REFERENCE.md");
    let stub = Stub::new([
        skill("pdf-processing"),
        call("read", &serde_json::json!({"path": reference}).to_string()),
        say("Well."),
    ]);

    // Loaded before, so that there was a grant.
    let before = Stub::new([skill("pdf-processing"), say("Loaded.")]);
    sandbox.chat(&before, &["Load it."]).success();
    sandbox.chat(&stub, &["--no-skills", "Again."]).success();
    let refused = sandbox
        .chat(&Stub::new([]), &["--no-skills", "/pdf-processing x"])
        .refused();

    let requests = stub.requests();
    assert_eq!(tool_result(&requests[1])["error"]["code"], "no_such_tool");
    assert_eq!(tool_result(&requests[2])["error"]["code"], "not_allowed");
    refused.is("
        -- stderr --
        error: there is no command `/pdf-processing`
        help: `/help` lists the commands; put a blank before the slash to send the line as it is
        -- exit 1 --
    ");
}

#[test]
fn a_server_that_takes_no_tools_gets_none() {
    let sandbox = sandbox();
    let stub = Stub::new([
        status(
            "400 Bad Request",
            "",
            r#"{"error": {"message": "model has no tools"}}"#,
        ),
        Act::Say("Plain.".to_owned()),
    ]);

    sandbox.chat(&stub, &["Hi."]).refused().has(&[
        "the server answered 400: model has no tools",
        "--allowed-tools ''",
    ]);
    sandbox
        .chat(&stub, &["--allowed-tools", "", "Hi."])
        .success();

    assert!(stub.last().get("tools").is_none());
}
