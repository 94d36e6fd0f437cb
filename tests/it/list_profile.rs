//! `list --profile`: what another agent would find.

use crate::sandbox::Sandbox;

fn mixed() -> Sandbox {
    Sandbox::new()
        .skill("project/.albedo/skills", "review", "Reviews here.")
        .home_skill("review", "Reviews at home.")
        .skill("project/.claude/skills", "pdf", "Reads PDF files.")
        .file(
            "project/.agents/skills/torn/SKILL.md",
            "---\nname: torn\n---\nBody.\n",
        )
        .file("home/.codeaf/skills.json", "{\"on\": [\"review\"]}\n")
}

#[test]
fn it_has_the_folders_the_order_and_the_words_of_that_agent() {
    let sandbox = mixed();

    sandbox.run(["list", "--profile", "albedo"]).success().is("
        NAME    STATE     DECIDED BY  SOURCE            SIZE  DESCRIPTION
        review  on        global*     .albedo/skills    64 B  Reviews here.
        review  shadowed  global      ~/.agents/skills  67 B  (shadowed by .albedo/skills/review/SKILL.md) Reviews at home.

        * this repository ships the copy that is on, or turns it on: review. --ignore-project-on leaves that to you.

        not loaded:
          .agents/skills/torn:1:1: error[description-missing]: frontmatter is missing description

        1 skill loads with 1 finding; `codeaf-skills list --profile albedo -v` shows them
        ");
    sandbox
        .run(["list", "--profile", "claude-code", "--names"])
        .success()
        .has(&["pdf", "note: not known of claude-code: "])
        .lacks(&["review"]);
    sandbox
        .run(["list", "--profile", "codeaf"])
        .success()
        .is(&sandbox.run(["list"]).stdout);
}

#[test]
fn json_has_the_shape_of_every_list() {
    let sandbox = mixed();
    let ours = sandbox.run(["list", "--json"]).success().json();
    let theirs = sandbox
        .run(["list", "--profile", "albedo", "--json"])
        .success()
        .json();

    let keys = |row: &serde_json::Value| -> Vec<String> {
        row.as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(keys(&ours), keys(&theirs));
    let owner = |list: &serde_json::Value| {
        let skills = list["skills"].as_array().unwrap();
        let is_owner = |row: &&serde_json::Value| row["shadowed_by"].is_null();
        skills.iter().find(is_owner).map(keys)
    };
    assert_eq!(owner(&ours), owner(&theirs));
    assert_eq!(keys(&ours["broken"][0]), keys(&theirs["broken"][0]));
    assert_eq!(theirs["skills"][0]["name"], "review");
    assert_eq!(theirs["skills"][0]["state"], "on");
    assert_eq!(
        theirs["broken"][0]["diagnostics"][0]["message"],
        "frontmatter is missing description"
    );
}

#[test]
fn a_profile_that_is_none_or_looks_nowhere_is_said() {
    let sandbox = Sandbox::new();

    sandbox
        .run(["list", "--profile", "albeda"])
        .usage()
        .has(&["there is no profile `albeda`", "did you mean `albedo`?"]);
    sandbox
        .run(["list", "--profile", "spec"])
        .refused()
        .has(&["where spec looks is not known"]);
    let error = sandbox
        .run(["list", "--profile", "spec", "--json"])
        .refused()
        .error_json();
    assert_eq!(error["error"]["code"], "places-unknown");
}
