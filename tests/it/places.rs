//! Where skills are found: roots, links, attached folders.

use serde_json::Value;

use crate::sandbox::Sandbox;

fn named<'a>(document: &'a Value, name: &str) -> &'a Value {
    let skills = document["skills"].as_array().unwrap();
    skills.iter().find(|skill| skill["name"] == name).unwrap()
}

fn broken_at(document: &Value, part: &str) -> bool {
    let broken = document["broken"].as_array().unwrap();
    broken
        .iter()
        .any(|row| row["location"].as_str().unwrap().contains(part))
}

#[test]
fn the_first_root_owns_the_name_in_the_documented_order() {
    const PROJECT: [&str; 9] = [
        ".codeaf",
        ".agents",
        ".claude",
        ".codex",
        ".cursor",
        ".gemini",
        ".opencode",
        ".goose",
        ".github",
    ];
    const HOME: [&str; 3] = [".copilot", ".config/opencode", ".config/goose"];
    let mut roots = vec!["given".to_owned(), "variable".to_owned()];
    // `.codeaf` would make a project of the subfolder.
    roots.extend(
        PROJECT[1..]
            .iter()
            .map(|name| format!("project/sub/{name}/skills")),
    );
    roots.extend(PROJECT.iter().map(|name| format!("project/{name}/skills")));
    roots.extend(PROJECT.iter().map(|name| format!("attached/{name}/skills")));
    roots.extend(
        PROJECT
            .iter()
            .chain(&HOME)
            .map(|name| format!("home/{name}/skills")),
    );
    let mut sandbox = Sandbox::new();
    for root in &roots {
        sandbox = sandbox.skill(root, "pdf", "Reads PDF files.");
    }

    // Each owner is removed in turn, and the next in the order takes its place.
    for root in &roots {
        let mut command = sandbox.command(["list", "--json"]);
        command
            .args(["--skills-dir", "../../given", "--folder", "../../attached"])
            .env("CODEAF_SKILLS_PATH", sandbox.path("variable"))
            .current_dir(sandbox.path("project/sub"));
        let document = sandbox.output(command).success().json();
        let skills = document["skills"].as_array().unwrap();
        let owner = skills
            .iter()
            .find(|skill| skill.get("shadowed_by").is_none())
            .unwrap();
        assert_eq!(owner["location"], format!("[D]/{root}/pdf/SKILL.md"));
        std::fs::remove_dir_all(sandbox.path(root)).unwrap();
        if ["given", "variable"].contains(&root.as_str()) {
            std::fs::create_dir(sandbox.path(root)).unwrap();
        }
    }
}

#[test]
fn one_real_folder_through_three_paths_is_one_skill() {
    let sandbox = Sandbox::new()
        .project_skill("lint", "Lints.")
        .link("project/.claude/skills", "../.agents/skills")
        .skill("home/store", "kept", "Kept in a store.")
        .link("home/.claude/skills/kept", "../../store/kept")
        .link("home/.codex/skills/kept", "../../store/kept");

    let document = sandbox.run(["list", "--json"]).success().json();

    assert_eq!(document["skills"].as_array().unwrap().len(), 2);
    assert_eq!(
        named(&document, "lint")["location"],
        "[D]/project/.agents/skills/lint/SKILL.md"
    );
    assert_eq!(
        named(&document, "kept")["location"],
        "[D]/home/.claude/skills/kept/SKILL.md"
    );
    assert!(
        document["skills"]
            .as_array()
            .unwrap()
            .iter()
            .all(|s| s.get("shadowed_by").is_none())
    );
}

#[test]
fn a_link_that_leaves_the_project_is_told_and_not_followed() {
    let sandbox = Sandbox::new()
        .skill("secret", "leak", "TOP-VALUE")
        .link("project/.agents/skills/leak", "../../../secret/leak")
        .link("project/.claude/skills", "../../secret")
        .link("attached/.agents/skills", "../../secret")
        .skill("project/vendor", "inner", "Elsewhere in the project.")
        .link("project/.agents/skills/inner", "../../vendor/inner")
        .home_skill("shared", "In the home root.")
        .link(
            "project/.agents/skills/shared",
            "../../../home/.agents/skills/shared",
        );

    let document = sandbox
        .run(["list", "--json", "--folder", "../attached"])
        .success()
        .json();

    assert_eq!(document["skills"].as_array().unwrap().len(), 2);
    assert_eq!(
        named(&document, "shared")["location"],
        "[D]/project/.agents/skills/shared/SKILL.md"
    );
    for part in [
        "project/.agents/skills/leak",
        "project/.claude/skills",
        "attached/.agents/skills",
    ] {
        assert!(broken_at(&document, part), "{part} in {document}");
    }
    for words in [
        &["list"][..],
        &["show", "leak"],
        &["why", "leak"],
        &["on", "leak"],
    ] {
        sandbox.run(words).lacks(&["TOP-VALUE"]);
    }
    assert!(!sandbox.has("project/.codeaf"));
}

#[test]
fn rings_and_dangling_links_are_told() {
    let sandbox = Sandbox::new()
        .link("home/.agents/skills/ring-a", "ring-b")
        .link("home/.agents/skills/ring-b", "ring-a")
        .link("home/.agents/skills/dangling", "nowhere")
        .link("home/.agents/skills/self", ".")
        .home_skill("pdf", "Reads PDF files.");

    let output = sandbox.run(["list", "-v"]).success();

    output.has(&[
        "pdf",
        "link-ring",
        "link-dangling",
        "ring-a",
        "ring-b",
        "dangling",
    ]);
}

#[test]
fn folders_that_a_conversation_attached_are_searched() {
    let sandbox = Sandbox::new()
        .skill("place one/.agents/skills", "far", "Attached.")
        .skill("two/.agents/skills", "farther", "Attached, too.");
    let places = serde_json::json!({
        "places": [sandbox.path("place one"), sandbox.path("gone")],
        "skills": {"on": ["far"]},
    });
    sandbox.write("conv/meta.json", places.to_string());

    sandbox
        .run(["list", "--names"])
        .success()
        .stdout
        .is_empty()
        .then_some(())
        .unwrap();
    sandbox
        .run([
            "list",
            "--names",
            "--conversation",
            "../conv",
            "--folder",
            "../two",
        ])
        .success()
        .has(&["far\nfarther\n", "attached-folder", "gone"]);
    sandbox
        .run(["is-on", "far", "--conversation", "../conv"])
        .success();
    sandbox
        .run(["list", "--folder", "../gone"])
        .refused()
        .has(&["gone", "help: "]);
}

#[test]
fn plain_files_folders_without_a_skill_and_folders_a_level_too_deep_are_counted() {
    let sandbox = Sandbox::new()
        .home_skill("parent", "Has a child.")
        .home_skill("parent/child", "Within.")
        .home_skill("group/button", "Too deep.")
        .file("home/.agents/skills/readme.md", "text")
        .file("home/.agents/skills/empty/README.md", "text");

    let document = sandbox.run(["list", "--json"]).success().json();

    assert_eq!(document["skills"].as_array().unwrap().len(), 1);
    let broken = document["broken"].as_array().unwrap();
    assert_eq!(broken.len(), 3);
    assert!(
        broken
            .iter()
            .all(|row| row["diagnostics"][0]["severity"] == "note")
    );
    sandbox
        .run(["list"])
        .success()
        .has(&["3 entries in the roots are no skill"]);
}

#[test]
fn the_name_in_the_frontmatter_is_the_identity_everywhere() {
    let sandbox = Sandbox::new().file(
        "home/.agents/skills/charts/SKILL.md",
        "---\nname: acme-charts\ndescription: Draws charts.\n---\nBody.\n",
    );

    sandbox.run(["on", "charts", "--global"]).refused();
    sandbox.run(["on", "acme-charts", "--global"]).success();

    sandbox.run(["is-on", "acme-charts"]).success();
    sandbox
        .run(["show", "acme-charts"])
        .success()
        .has(&["name-mismatch"]);
    sandbox.run(["read", "acme-charts"]).success();
}

#[test]
fn names_that_yaml_reads_as_something_else_stay_what_was_written() {
    let mut sandbox = Sandbox::new();
    for name in [
        "007",
        "1e3",
        "null",
        "off",
        "yes",
        "1.10",
        "0x1f",
        "2024-01-01",
        "~",
    ] {
        sandbox = sandbox.home_skill(name, "An odd name.");
    }

    sandbox
        .run(["list", "--names"])
        .success()
        .is("007\n0x1f\n1.10\n1e3\n2024-01-01\nnull\noff\nyes\n~");
    sandbox
        .run(["on", "off", "007", "null", "--global"])
        .success();
    sandbox.run(["off", "off", "--global"]).success();

    sandbox
        .run(["list", "--on", "--names"])
        .success()
        .is("007\nnull");
}

#[test]
fn the_list_of_bundled_files_and_pages_of_them_are_bounded_and_cannot_escape() {
    let mut sandbox = Sandbox::new()
        .home_skill("many", "Has many files.")
        .file("home/.agents/skills/many/.hidden", "h")
        .file("home/.agents/skills/many/refs/guide.md", "0123456789")
        .file("home/.agents/skills/many/bin", [0, 159, 146, 150])
        .file("home/.agents/skills/many/node_modules/pad.js", "")
        .file("secret.txt", "TOP-VALUE")
        .link("home/.agents/skills/many/out", "../../../../secret.txt");
    let listed = sandbox.run(["resources", "many"]).success();
    assert_eq!(listed.stdout, ".hidden\nSKILL.md\nbin\nrefs/guide.md\n");
    listed
        .has(&["node_modules", "resource-leaves"])
        .lacks(&["pad.js"]);
    for number in 0..600 {
        sandbox = sandbox.file(format!("home/.agents/skills/many/z/{number:03}"), "");
    }

    let document = sandbox
        .run(["resources", "many", "--json"])
        .success()
        .json();

    assert_eq!(document["resources"].as_array().unwrap().len(), 512);
    assert_eq!(document["truncated"], true);
    let page = sandbox
        .run([
            "read",
            "many",
            "refs/guide.md",
            "--offset",
            "2",
            "--limit",
            "3",
            "--json",
        ])
        .success()
        .json();
    assert_eq!(
        (&page["content"], &page["encoding"]),
        (&"234".into(), &"utf-8".into())
    );
    assert_eq!(
        (&page["next_offset"], &page["size"]),
        (&5.into(), &10.into())
    );
    let page = sandbox
        .run(["read", "many", "bin", "--json"])
        .success()
        .json();
    assert_eq!(
        (&page["content"], &page["encoding"]),
        (&"AJ+Slg==".into(), &"base64".into())
    );
    assert_eq!(
        sandbox.run(["read", "many", "bin"]).success().bytes,
        [0, 159, 146, 150]
    );
    for name in [
        "out",
        "../other/SKILL.md",
        "/etc/passwd",
        "",
        "refs",
        "refs/../../x",
    ] {
        sandbox
            .run(["read", "many", name])
            .refused()
            .lacks(&["TOP-VALUE"])
            .has(&["error: "]);
    }
    sandbox.run(["read", "many", "--limit", "0"]).usage();
    sandbox.run(["read", "many", "--limit", "x"]).usage();
}
