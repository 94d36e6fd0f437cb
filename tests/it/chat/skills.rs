//! Skills in a conversation: loaded once, by the model or by a person, allowed
//! or not, gone or changed.

use serde_json::json;

use super::{Stub, call, said, sandbox, say, skill, tool_result, tools, with_pdf_on};

const LOADED: &str = "\u{25c6} used skill pdf-processing · 3.1 KB";

#[test]
fn a_second_call_says_that_it_is_loaded_also_after_a_restart() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([
        skill("pdf-processing"),
        skill("pdf-processing"),
        say("One."),
        skill("workspace/pdf-processing"),
        say("Two."),
    ]);

    sandbox.chat(&stub, &["first"]).success().is(&format!(
        "
        One.
        -- stderr --
        {LOADED}
        {LOADED} · already loaded
    "
    ));
    sandbox
        .chat(&stub, &["second"])
        .success()
        .has(&[&format!("{LOADED} · already loaded")]);

    let requests = stub.requests();
    for request in [&requests[2], &requests[4]] {
        let data = &tool_result(request)["data"];
        assert_eq!(data["status"], "already_active");
        assert!(
            data["message"]
                .as_str()
                .unwrap()
                .starts_with("already loaded: "),
            "{data}"
        );
        assert!(data.get("content").is_none());
    }
}

#[test]
fn a_person_loads_a_skill_in_one_turn_with_the_exact_arguments() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([say("One."), skill("pdf-processing"), say("Two.")]);

    sandbox
        .chat(&stub, &["/pdf-processing  fill \ta.pdf\nnow "])
        .success()
        .is(&format!(
            "
            One.
            -- stderr --
            {LOADED}
        "
        ));
    sandbox
        .chat(&stub, &["go on"])
        .success()
        .has(&[&format!("{LOADED} · already loaded")]);

    let requests = stub.requests();
    let turn = said(&requests[0]);
    assert_eq!(turn.len(), 1);
    assert!(
        turn[0].starts_with("user: <skill name=\"pdf-processing\" dir=\""),
        "{turn:?}"
    );
    assert!(
        turn[0].ends_with("</skill>\n\n fill \ta.pdf\nnow "),
        "{turn:?}"
    );
    assert_eq!(said(&requests[1])[0], turn[0]);
    let lines = sandbox.transcript();
    assert_eq!(lines[0]["content"], "/pdf-processing  fill \ta.pdf\nnow ");
    assert_eq!(lines[0]["skill"]["data"]["status"], "loaded");
    assert_eq!(lines[0]["row"], "used skill pdf-processing · 3.1 KB");
}

#[test]
fn a_person_may_use_what_is_off_and_the_model_may_not() {
    let sandbox = with_pdf_on().skill("home/.agents/skills", "off-kit", "Is off.");
    let stub = Stub::new([skill("off-kit"), say("One."), say("Two.")]);

    sandbox
        .chat(&stub, &["first"])
        .success()
        .has(&["\u{25c6} skill off-kit · off"]);
    sandbox
        .chat(&stub, &["/off-kit"])
        .success()
        .has(&["\u{25c6} used skill off-kit · "]);

    let requests = stub.requests();
    assert_eq!(tool_result(&requests[1])["error"]["code"], "skill_off");
    assert!(
        said(&requests[2])
            .last()
            .unwrap()
            .ends_with("Body of off-kit.\n</skill>")
    );
}

#[test]
fn allowed_skills_bind_the_model_and_the_person() {
    let sandbox = with_pdf_on().skill("home/.agents/skills", "other", "Is other.");
    sandbox.run(["on", "other", "--global"]).success();
    let stub = Stub::new([skill("pdf-processing"), say("One.")]);

    sandbox
        .chat(&stub, &["--allowed-skills", "other", "first"])
        .success()
        .has(&["skill pdf-processing · not allowed"]);
    sandbox
        .chat(&stub, &["--allowed-skills", "other", "/pdf-processing x"])
        .refused()
        .is("
            -- stderr --
            \u{25c6} skill pdf-processing · not allowed
            error: the skill `pdf-processing` is not among the allowed skills
            help: the list is given with --allowed-skills
            -- exit 1 --
        ");

    let requests = stub.requests();
    assert_eq!(requests.len(), 2);
    let name = &requests[0]["tools"][0]["function"]["parameters"]["properties"]["name"];
    assert_eq!(name["enum"], json!(["other"]));
    assert_eq!(
        tool_result(&requests[1])["error"]["code"],
        "skill_not_allowed"
    );
    assert_eq!(sandbox.transcript().len(), 4);
}

#[test]
fn without_the_tool_a_persons_command_still_works() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([skill("pdf-processing"), say("One."), say("Two.")]);

    sandbox
        .chat(&stub, &["--allowed-tools", "read", "first"])
        .success()
        .has(&["skill · no such tool"]);
    sandbox
        .chat(&stub, &["--allowed-tools", "read", "/pdf-processing x"])
        .success()
        .has(&[LOADED]);

    assert_eq!(tools(&stub.last()), ["read"]);
}

#[test]
fn a_skill_that_came_later_is_found_by_one_more_look() {
    let sandbox = with_pdf_on();
    sandbox
        .run(["on", "later", "--global", "--force"])
        .success();
    let first = Stub::new([super::Act::Hold(Vec::new())]);
    drop(first);
    let stub = Stub::new([skill("nothing"), skill("later"), say("One.")]);
    let mut talk = super::talk::Talk::start(&sandbox, &stub, &[]);
    talk.wait_for("1 skill on");
    let sandbox = sandbox.skill("home/.agents/skills", "later", "Comes later.");

    talk.type_line("first");
    talk.wait_for("\u{25c6} skill nothing · not found");
    talk.wait_for("\u{25c6} used skill later · ");
    talk.wait_for("One.");
    talk.end();

    let requests = stub.requests();
    for request in &requests {
        let name = &request["tools"][0]["function"]["parameters"]["properties"]["name"];
        assert_eq!(name["enum"], json!(["pdf-processing"]));
        assert_eq!(super::system(request), super::system(&requests[0]));
    }
    drop(sandbox);
}

#[test]
fn a_changed_description_is_told_and_reload_mends_it() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([
        skill("pdf-processing"),
        say("One."),
        skill("pdf-processing"),
        say("Two."),
    ]);
    let mut talk = super::talk::Talk::start(&sandbox, &stub, &[]);
    talk.wait_for("1 skill on");
    sandbox.write(
        "home/.agents/skills/pdf-processing/SKILL.md",
        "---\nname: pdf-processing\ndescription: Reads all.\n---\nOtherwise.\n",
    );

    talk.type_line("first");
    talk.wait_for("\u{25c6} skill pdf-processing · changed");
    talk.wait_for("One.");
    talk.type_line("/reload");
    talk.wait_for("new description");
    talk.type_line("second");
    talk.wait_for("\u{25c6} used skill pdf-processing · 64 B");
    talk.wait_for("Two.");
    talk.end();

    let requests = stub.requests();
    let error = &tool_result(&requests[1])["error"];
    assert_eq!(error["code"], "skill_changed");
    assert!(
        error["message"].as_str().unwrap().contains("`/reload`"),
        "{error}"
    );
    assert_eq!(tool_result(&requests[3])["data"]["status"], "loaded");
}

#[test]
fn an_edited_body_reaches_the_model_after_a_reload_also_in_a_later_run() {
    let sandbox = with_pdf_on();
    let edit = |body: &str| {
        sandbox.write(
            "home/.agents/skills/pdf-processing/SKILL.md",
            format!("---\nname: pdf-processing\ndescription: Reads.\n---\n{body}\n"),
        );
    };
    edit("Old words.");
    let stub = Stub::new([
        skill("pdf-processing"),
        say("One."),
        skill("pdf-processing"),
        say("Two."),
        skill("pdf-processing"),
        say("Three."),
    ]);

    sandbox.chat(&stub, &["first"]).success();
    edit("New words.");
    sandbox
        .chat(&stub, &["second"])
        .success()
        .has(&["already loaded"]);
    sandbox.chat(&stub, &["/reload"]).success();
    sandbox
        .chat(&stub, &["third"])
        .success()
        .lacks(&["already loaded"]);

    let requests = stub.requests();
    let old = tool_result(&requests[1]);
    assert!(
        old["data"]["content"]
            .as_str()
            .unwrap()
            .contains("Old words.")
    );
    let new = tool_result(&requests[5]);
    assert!(
        new["data"]["content"]
            .as_str()
            .unwrap()
            .contains("New words."),
        "{new}"
    );
    // What was stored stays as it was.
    assert!(requests[5].to_string().contains("Old words."));
}

#[test]
fn without_a_name_the_skills_are_listed() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([call("skill", "{}"), say("One.")]);

    sandbox
        .chat(&stub, &["first"])
        .success()
        .has(&["\u{25c6} listed 1 skill"]);

    let data = &tool_result(&stub.last())["data"];
    assert_eq!(data["count"], 1);
    assert_eq!(data["skill_groups"][0]["origin"], "home");
}

#[test]
fn a_line_that_only_looks_like_a_command_is_told_how_to_be_sent() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([say("One.")]);

    sandbox
        .chat(&stub, &["/usr/bin/x is broken"])
        .refused()
        .is("
        -- stderr --
        \u{25c6} skill usr/bin/x · not found
        error: no skill is called `usr/bin/x`
        help: `/skills` lists the names; put a blank before the slash to send the line as it is
        -- exit 1 --
    ");
    sandbox.chat(&stub, &[" /usr/bin/x is broken"]).success();

    assert_eq!(said(&stub.last()), ["user:  /usr/bin/x is broken"]);
}

#[test]
fn what_is_turned_off_leaves_the_conversation_until_it_is_loaded_anew() {
    let sandbox = with_pdf_on();
    let reference = sandbox.path("home/.agents/skills/pdf-processing/references/REFERENCE.md");
    let read = call("read", &json!({"path": reference}).to_string());
    let stub = Stub::new([
        skill("pdf-processing"),
        say("One."),
        read,
        skill("pdf-processing"),
        say("Two."),
        say("Three."),
        say("Short."),
        skill("pdf-processing"),
        say("Four."),
    ]);

    sandbox.chat(&stub, &["first"]).success();
    sandbox.run(["off", "pdf-processing", "--global"]).success();
    sandbox.chat(&stub, &["second"]).success();
    sandbox.chat(&stub, &["third"]).success();
    sandbox.chat(&stub, &["/compact"]).success();
    sandbox.run(["on", "pdf-processing", "--global"]).success();
    sandbox.chat(&stub, &["fourth"]).success();

    let requests = stub.requests();
    let told = "The skill pdf-processing was turned off: do not follow its instructions any more.";
    let note = format!("<note-SECRET>\n{told}\n</note-SECRET>");
    assert_eq!(said(&requests[2])[4], format!("user: {note}\n\nsecond"));
    assert_eq!(tool_result(&requests[3])["error"]["code"], "not_allowed");
    assert_eq!(tool_result(&requests[4])["error"]["code"], "skill_off");
    // Told once, and again from what is stored.
    assert_eq!(requests[5].to_string().matches(told).count(), 1);
    assert!(said(&requests[6])[0].contains(&format!("Program: {told}")));
    assert!(!requests[7].to_string().contains("<skill name"));
    assert_eq!(tool_result(&requests[8])["data"]["status"], "loaded");
}

#[test]
fn what_a_person_loaded_stays_in_force_when_it_is_off_and_not_when_it_is_not_allowed() {
    let sandbox = with_pdf_on();
    let reference = sandbox.path("home/.agents/skills/pdf-processing/references/REFERENCE.md");
    let read = || call("read", &json!({"path": reference}).to_string());
    let stub = Stub::new([say("One."), read(), say("Two."), read(), say("Three.")]);

    sandbox.chat(&stub, &["/pdf-processing first"]).success();
    sandbox.run(["off", "pdf-processing", "--global"]).success();
    sandbox.chat(&stub, &["second"]).success();
    sandbox
        .chat(&stub, &["--allowed-skills", "other", "third"])
        .success();

    let requests = stub.requests();
    assert_eq!(
        tool_result(&requests[2])["data"]["content"],
        "The reference.\n"
    );
    assert!(!requests[2].to_string().contains("do not follow"));
    assert_eq!(tool_result(&requests[4])["error"]["code"], "not_allowed");
    let told = "The skill pdf-processing is not allowed any more: do not follow its instructions any more.";
    assert!(requests[4].to_string().contains(told), "{}", requests[4]);
}

#[test]
fn while_a_scope_file_is_unreadable_loaded_skills_stay_and_their_files_are_closed() {
    let sandbox = with_pdf_on();
    let reference = sandbox.path("home/.agents/skills/pdf-processing/references/REFERENCE.md");
    let read = || call("read", &json!({"path": reference}).to_string());
    let stub = Stub::new([
        skill("pdf-processing"),
        say("One."),
        read(),
        say("Two."),
        read(),
        say("Three."),
    ]);

    sandbox.chat(&stub, &["first"]).success();
    sandbox.write("project/.codeaf/skills.json", "{");
    sandbox.chat(&stub, &["second"]).success();
    sandbox.write("project/.codeaf/skills.json", "{}");
    sandbox.chat(&stub, &["third"]).success();

    let requests = stub.requests();
    assert_eq!(tool_result(&requests[3])["error"]["code"], "not_allowed");
    assert_eq!(
        tool_result(&requests[5])["data"]["content"],
        "The reference.\n"
    );
    assert!(!requests[5].to_string().contains("do not follow"));
}

#[test]
fn a_reload_opens_what_changed_since_it_was_loaded_and_nothing_else() {
    let sandbox = with_pdf_on().skill("home/.agents/skills", "kit", "Is a kit.");
    sandbox.run(["on", "kit", "--global"]).success();
    let stub = Stub::new([
        skill("pdf-processing"),
        skill("kit"),
        say("One."),
        skill("kit"),
        say("Two."),
        skill("pdf-processing"),
        skill("kit"),
        say("Three."),
    ]);

    sandbox.chat(&stub, &["first"]).success();
    sandbox.write(
        "home/.agents/skills/kit/SKILL.md",
        "---\nname: kit\ndescription: Is a kit.\n---\nOtherwise.\n",
    );
    sandbox.chat(&stub, &["second"]).success();
    sandbox
        .chat(&stub, &["/reload"])
        .success()
        .has(&["note: kit has new instructions"]);
    sandbox
        .chat(&stub, &["/reload"])
        .success()
        .has(&["nothing has changed"]);
    sandbox.chat(&stub, &["third"]).success();

    let requests = stub.requests();
    let message = tool_result(&requests[4])["data"]["message"].to_string();
    assert!(
        message.starts_with("\"already loaded: ")
            && message.contains("has changed since it was loaded: after `/reload`"),
        "{message}"
    );
    let told = "have changed since they were loaded: kit.";
    assert_eq!(requests[5].to_string().matches(told).count(), 1);
    assert_eq!(
        tool_result(&requests[6])["data"]["status"],
        "already_active"
    );
    assert_eq!(tool_result(&requests[7])["data"]["status"], "loaded");
}

#[test]
fn a_skill_with_a_hidden_character_in_its_name_is_told_of_once() {
    let file =
        |body: &str| format!("---\nname: ki\u{200b}t\ndescription: Is a kit.\n---\n{body}\n");
    let sandbox = sandbox()
        .file("home/.agents/skills/kit/SKILL.md", file("Do."))
        .file("home/.codeaf/skills.json", "{\"on\": [\"ki\u{200b}t\"]}");
    let stub = Stub::new([skill("ki\\u{200b}t"), say("One.")]);
    let mut talk = super::talk::Talk::start(&sandbox, &stub, &[]);

    talk.type_line("first");
    talk.wait_for("One.");
    sandbox.write("home/.agents/skills/kit/SKILL.md", file("Otherwise."));
    talk.type_line("/reload");
    talk.wait_for("has new instructions");
    let shown = talk.end();

    assert_eq!(shown.matches("has new instructions").count(), 1, "{shown}");
}

#[test]
fn an_allowed_name_that_no_skill_bears_is_told_where_that_is_known() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([say("One."), say("Two.")]);
    let allowed = [
        "--allowed-skills",
        "nope,workspace/none,pdf-processing",
        "Hi.",
    ];
    let note =
        |name| format!("note: --allowed-skills names `{name}`, and there is no skill of that name");

    sandbox
        .chat(&stub, &allowed)
        .success()
        .has(&[&note("nope"), &note("workspace/none")])
        .lacks(&["`pdf-processing`"]);
    sandbox
        .chat(
            &stub,
            &[&["--store", "sqlite:away.db"], &allowed[..]].concat(),
        )
        .success()
        .has(&[&note("workspace/none")])
        .lacks(&["`nope`"]);
}
