//! Compaction: at the budget and on demand, with loaded skills put back.

use super::{Stub, said, say, skill, status, system, tool_result, with_pdf_on};

fn wrapper(sandbox: &crate::sandbox::Sandbox) -> String {
    let line = &sandbox.transcript()[2];
    line["content"]["data"]["content"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// The message that stands for what was said before.
fn summary(text: &str) -> String {
    format!("user: <summary-SECRET>\n{text}\n</summary-SECRET>")
}

#[test]
fn at_the_budget_a_summary_takes_the_place_and_skills_stay_verbatim() {
    let sandbox = with_pdf_on();
    let long = "word ".repeat(700);
    let stub = Stub::new([
        skill("pdf-processing"),
        say("Loaded."),
        say(&long),
        say("The person said hello."),
        say("After."),
        skill("pdf-processing"),
        say("End."),
    ]);

    sandbox.chat(&stub, &["first"]).success();
    sandbox.chat(&stub, &["second"]).success();
    let output = sandbox
        .chat(&stub, &["--context-tokens", "2000", "third"])
        .success();
    sandbox
        .chat(&stub, &["fourth"])
        .success()
        .has(&["already loaded"]);

    output.has(&["After.\n", "note: compacted: about "]);
    let requests = stub.requests();
    // The summary is asked for without tools, and without the skill's text.
    let asked = said(&requests[3]);
    assert!(requests[3].get("tools").is_none());
    assert_eq!(asked.len(), 1);
    assert!(
        asked[0].contains("Person: first") && asked[0].contains("Person: second"),
        "{asked:?}"
    );
    assert!(
        asked[0].contains("Tool: used skill pdf-processing · 3.1 KB"),
        "{asked:?}"
    );
    assert!(!asked[0].contains("xxxxxxxx"), "{asked:?}");
    // The next request has the summary, the wrapper and the turn that is open.
    let after = said(&requests[4]);
    let wrapper = wrapper(&sandbox);
    assert_eq!(
        after,
        [format!(
            "{}\n\n{wrapper}\n\nthird",
            summary("The person said hello.")
        )]
    );
    assert!(system(&requests[4]).contains("- pdf-processing (3.1 KB)"));
    // It survives a restart, and still counts as loaded.
    assert_eq!(said(&requests[5])[..1], after[..]);
    assert_eq!(
        tool_result(&requests[6])["data"]["status"],
        "already_active"
    );
}

#[test]
fn what_is_in_the_kept_tail_is_not_put_back() {
    let sandbox = with_pdf_on().skill("home/.agents/skills", "b-kit", "Is b.");
    let stub = Stub::new([
        say("One."),
        say("Two."),
        say("Short."),
        say("Short."),
        say("Three."),
    ]);

    sandbox
        .chat(&stub, &[&format!("/b-kit {}", "one ".repeat(2_400))])
        .success();
    sandbox.chat(&stub, &["/pdf-processing two"]).success();
    // A quarter of the budget holds the second turn and not the first as well.
    let budget = 4 * (3_174 / 4 + 110);
    sandbox
        .chat(&stub, &["--context-tokens", &budget.to_string(), "three"])
        .success()
        .has(&["compacted"]);

    let after = said(&stub.last());
    assert_eq!(after.len(), 3, "{after:?}");
    let begins = format!("{}\n\n<skill name=\"b-kit\"", summary("Short."));
    assert!(after[0].starts_with(&begins), "{after:?}");
    let (put_back, kept) = after[0]
        .split_once("<skill name=\"pdf-processing\"")
        .unwrap();
    assert!(put_back.ends_with("</skill>\n\n") && kept.ends_with("\n\ntwo"));
    assert!(!kept.contains("<skill name"), "{after:?}");
    assert_eq!(after[1..], ["assistant: Two.", "user: three"]);
}

#[test]
fn several_skills_are_put_back_in_the_order_of_activation_twice_over() {
    let sandbox = with_pdf_on()
        .skill("home/.agents/skills", "a-kit", "Is a.")
        .skill("home/.agents/skills", "b-kit", "Is b.");
    let stub = Stub::new([
        say("One."),
        say("Two."),
        say("First."),
        say("Three."),
        say("Second."),
        say("Four."),
    ]);
    let tiny = ["--context-tokens", "1000", "/compact"];

    sandbox.chat(&stub, &["/b-kit"]).success();
    sandbox.chat(&stub, &["/a-kit"]).success();
    sandbox
        .chat(&stub, &["--context-tokens", "500", "/compact"])
        .success();
    sandbox.chat(&stub, &[&"three ".repeat(300)]).success();
    sandbox.chat(&stub, &tiny).success();
    sandbox.chat(&stub, &["four"]).success();

    let after = said(&stub.last());
    let b = after[0].find("<skill name=\"b-kit\"").unwrap();
    let a = after[0].find("<skill name=\"a-kit\"").unwrap();
    assert!(after[0].starts_with(&summary("Second.")), "{after:?}");
    assert!(b < a);
    assert!(said(&stub.requests()[4])[0].contains("Summary of what was before: First."));
    assert_eq!(after.len(), 1);
}

#[test]
fn a_compaction_that_fails_changes_nothing() {
    let sandbox = with_pdf_on();
    let broken = || status("400 Bad Request", "", r#"{"error": {"message": "no"}}"#);
    let stub = Stub::new([
        say(&"word ".repeat(800)),
        broken(),
        broken(),
        say("Three."),
        say(" "),
    ]);

    sandbox.chat(&stub, &["first"]).success();
    let before = sandbox.read("conv/transcript.jsonl");
    sandbox
        .chat(&stub, &["--context-tokens", "500", "/compact"])
        .refused()
        .has(&["error: the server answered 400: no"]);
    assert_eq!(sandbox.read("conv/transcript.jsonl"), before);
    sandbox
        .chat(&stub, &["--context-tokens", "500", "second"])
        .success()
        .has(&[
            "note: not compacted: the server answered 400: no",
            "Three.\n",
        ]);
    sandbox
        .chat(&stub, &["--context-tokens", "500", "/compact"])
        .refused()
        .has(&["error: the model wrote no summary"]);

    let last = said(&stub.requests()[3]);
    assert_eq!(last.len(), 3);
    assert_eq!(last[2], "user: second");
}

#[test]
fn with_nothing_said_there_is_nothing_to_compact() {
    let sandbox = with_pdf_on();
    let stub = Stub::new([]);

    sandbox
        .chat(&stub, &["/compact"])
        .refused()
        .has(&["error: there is nothing to compact"]);
}

#[test]
fn a_turn_that_grows_over_the_budget_is_compacted_in_its_middle() {
    let sandbox = with_pdf_on().file("project/long.txt", "word ".repeat(1_000));
    let read = super::call("read", r#"{"path": "long.txt"}"#);
    let stub = Stub::new([say("One."), read, say("Short."), say("Two.")]);

    sandbox.chat(&stub, &["first"]).success();
    sandbox
        .chat(&stub, &["--context-tokens", "1200", "second"])
        .success()
        .has(&["compacted", "Two.\n"]);

    let after = said(&stub.last());
    assert_eq!(
        after[..2],
        [
            format!("{}\n\nsecond", summary("Short.")),
            "assistant: -".to_owned()
        ]
    );
    assert!(after[2].starts_with("tool: "));
}
