//! The five points by which the engine is accepted.

use serde_json::json;

use super::{Stub, sandbox, say, skill, system, tool_result, tools, with_pdf_on};

#[test]
fn on_globally_it_is_listed_in_the_prompt_and_in_the_enum() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([say("Hello.")]);

    let output = sandbox.chat(&stub, &["Hi."]).success();

    output.is("Hello.\n");
    let request = stub.last();
    assert!(
        system(&request)
            .ends_with("- pdf-processing (3.1 KB): Extract PDF text, fill forms, merge files."),
        "{}",
        system(&request)
    );
    assert_eq!(tools(&request), ["skill", "read", "manual"]);
    let name = &request["tools"][0]["function"]["parameters"]["properties"]["name"];
    assert_eq!(name["enum"], json!(["pdf-processing"]));
}

#[test]
fn a_call_draws_a_row_and_returns_the_body_with_its_folder() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([skill("pdf-processing"), say("Done.")]);

    let output = sandbox.chat(&stub, &["Fill this form."]).success();

    output.is("
        Done.
        -- stderr --
        \u{25c6} used skill pdf-processing · 3.1 KB
    ");
    let result = tool_result(&stub.last());
    let dir = sandbox.path("home/.agents/skills/pdf-processing");
    let dir = dir.to_str().unwrap();
    assert_eq!(result["ok"], true);
    assert_eq!(result["error"], json!(null));
    assert_eq!(result["data"]["name"], "pdf-processing");
    assert_eq!(result["data"]["status"], "loaded");
    let content = result["data"]["content"].as_str().unwrap();
    assert!(content.starts_with(&format!(
        "<skill name=\"pdf-processing\" dir=\"{dir}\">\nRelative paths below are relative to {dir}.\nRead references/REFERENCE.md first.\n"
    )));
    assert!(
        content.ends_with("\nresources: references/REFERENCE.md, scripts/extract.py\n</skill>")
    );
}

#[test]
fn with_nothing_on_there_is_no_tool_and_not_a_word() {
    let sandbox = sandbox();
    let stub = Stub::new([say("Hello.")]);

    sandbox.chat(&stub, &["Hi."]).success();

    let request = stub.last();
    assert_eq!(tools(&request), ["read", "manual"]);
    let text = request.to_string().to_lowercase();
    assert!(!text.contains("skill"), "{text}");
}

#[test]
fn project_off_beats_global_on_and_conversation_on_beats_both() {
    let sandbox = with_pdf_on();
    let offered = || {
        let stub = Stub::new([say("Hello.")]);
        sandbox.chat(&stub, &["Hi."]).success();
        tools(&stub.last()).contains(&"skill".to_owned())
    };

    let on_globally = offered();
    sandbox
        .run(["off", "pdf-processing", "--project"])
        .success();
    let off_in_project = offered();
    sandbox
        .run(["on", "pdf-processing", "--conversation", "../conv"])
        .success();
    let on_in_conversation = offered();

    assert_eq!(
        (on_globally, off_in_project, on_in_conversation),
        (true, false, true)
    );
}

#[test]
fn the_manual_says_which_skills_can_be_used() {
    let sandbox = with_pdf_on();
    let question = json!({"question": "which skills can you use on your own?"}).to_string();
    let stub = Stub::new([super::call("manual", &question), say("Those that are on.")]);

    sandbox
        .chat(&stub, &["Which skills can you use on your own?"])
        .success()
        .has(&["\u{25c6} manual · skills"]);

    let result = tool_result(&stub.last());
    let page = result["data"]["content"].as_str().unwrap();
    assert!(page.contains("Those that are on."), "{page}");
}
