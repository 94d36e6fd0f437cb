//! Discovery on real folders: what is found, what is refused, who wins.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::bundled::ResourceError;
use super::scan::RootOutcome;
use super::snapshot::{Lookup, Snapshot};
use crate::diagnostic::Severity;
use crate::env::Env;
use crate::skill::resources::Window;

mod unloaded;

/// A home and a project in a folder that goes away again.
struct World {
    folder: tempfile::TempDir,
    env: Env,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("home")).unwrap();
        fs::create_dir_all(root.join("project/.git")).unwrap();
        let mut env = Env::new(root.join("project"));
        env.home = Some(root.join("home"));
        env.login_home = env.home.clone();
        Self { folder, env }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    /// Writes a skill whose name is its folder's.
    fn skill(self, folder: &str) -> Self {
        let name = Path::new(folder)
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        let text = format!("---\nname: {name}\ndescription: From {folder}.\n---\nBody.\n");
        self.file(&format!("{folder}/SKILL.md"), &text)
    }

    fn file(self, path: &str, text: &str) -> Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    fn link(self, path: &str, target: impl AsRef<Path>) -> Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
        self
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot::load(&self.env).unwrap()
    }

    /// Returns a line a skill: its folder, with a star where it is shadowed.
    fn skills(&self) -> Vec<String> {
        let snapshot = self.snapshot();
        let line = |skill: &super::scan::Skill| {
            let mark = if skill.shadowed_by.is_some() { "*" } else { "" };
            format!("{}{mark}", self.short(skill.folder().unwrap()))
        };
        snapshot.skills().iter().map(line).collect()
    }

    /// Returns a line a row: its place and the code of its first finding.
    fn broken(&self) -> Vec<String> {
        let snapshot = self.snapshot();
        let rows = snapshot.broken().iter();
        rows.map(|row| format!("{} {}", self.short(&row.location), row.diagnostics[0].rule))
            .collect()
    }

    fn short(&self, path: &Path) -> String {
        path.strip_prefix(self.path(""))
            .unwrap_or(path)
            .display()
            .to_string()
    }
}

#[test]
fn the_first_valid_skill_owns_its_name_and_later_ones_stay_in_sight() {
    let world = World::new()
        .skill("home/.agents/skills/handoff")
        .skill("project/.agents/skills/handoff")
        .skill("project/.codeaf/skills/handoff")
        .file(
            "project/.claude/skills/notes/SKILL.md",
            "---\nname: notes\n---\n",
        )
        .skill("home/.claude/skills/notes");

    assert_eq!(
        world.skills(),
        [
            "project/.codeaf/skills/handoff",
            "project/.agents/skills/handoff*",
            "home/.agents/skills/handoff*",
            "home/.claude/skills/notes",
        ]
    );
    assert_eq!(
        world.broken(),
        ["project/.claude/skills/notes/SKILL.md description-missing"]
    );
}

#[test]
fn folders_from_the_start_up_to_the_project_are_bases() {
    let mut world = World::new()
        .skill("project/.agents/skills/a")
        .skill("project/packages/api/.agents/skills/a")
        .skill("project/packages/.claude/skills/b");
    world.env.start = world.path("project/packages/api");

    assert_eq!(
        world.skills(),
        [
            "project/packages/api/.agents/skills/a",
            "project/.agents/skills/a*",
            "project/packages/.claude/skills/b",
        ]
    );
}

#[test]
fn one_real_folder_is_one_skill_at_its_first_path() {
    let world = World::new()
        .skill("home/.agents/skills/own")
        .skill("project/.agents/skills/b-real")
        .link("project/.agents/skills/a-link", "b-real")
        .link("home/.claude/skills", "../.agents/skills")
        .link("home/.claude-store", ".agents")
        .link("home/.codex/skills/again", "../../.agents/skills/own")
        .skill("store/kept")
        .link("home/.gemini/skills/kept", "../../../store/kept")
        .link("home/.goose/skills/kept", "../../../store/kept");

    let skills = world.skills();

    assert_eq!(
        skills,
        [
            "project/.agents/skills/a-link",
            "home/.gemini/skills/kept",
            "home/.agents/skills/own"
        ]
    );
    assert_eq!(world.snapshot().skills()[0].name, "b-real");
    assert!(world.broken().is_empty(), "{:?}", world.broken());
    let roots = world.snapshot();
    let same = roots
        .roots()
        .iter()
        .filter(|root| root.outcome == RootOutcome::SameFolder);
    assert_eq!(same.count(), 1);
}

#[test]
fn links_of_a_project_stay_in_it_or_end_in_a_known_root() {
    let world = World::new()
        .skill("home/.agents/skills/shared")
        .skill("home/secret/leak")
        .skill("project/store/inner")
        .link("project/.agents/skills/leak", "../../../home/secret/leak")
        .link("project/.agents/skills/inner", "../../store/inner")
        .link(
            "project/.agents/skills/shared",
            "../../../home/.agents/skills/shared",
        )
        .link("project/.claude/skills", "../../home/secret")
        .link("project/.codex/skills", "../store");

    assert_eq!(
        world.skills(),
        [
            "project/.agents/skills/inner",
            "project/.agents/skills/shared"
        ]
    );
    assert_eq!(
        world.broken(),
        [
            "project/.claude/skills link-leaves",
            "project/.agents/skills/leak link-leaves"
        ]
    );
}

#[test]
fn links_of_home_and_given_roots_are_followed_anywhere() {
    let mut world = World::new()
        .skill("elsewhere/one")
        .skill("elsewhere/two")
        .link("home/.agents/skills/one", "../../../elsewhere/one")
        .link("given/two", "../elsewhere/two");
    world.env.given_roots = vec![world.path("given")];

    assert_eq!(world.skills(), ["home/.agents/skills/one", "given/two"]);
}

#[test]
fn attached_folders_are_held_like_projects() {
    let mut world = World::new()
        .skill("attached/.agents/skills/own")
        .skill("home/secret/leak")
        .link("attached/.claude/skills/leak", "../../../home/secret/leak");
    world.env.folders = vec![world.path("attached")];

    assert_eq!(world.skills(), ["attached/.agents/skills/own"]);
    assert_eq!(world.broken(), ["attached/.claude/skills/leak link-leaves"]);
}

#[test]
fn rings_and_dangling_links_are_told_and_never_followed_for_ever() {
    let world = World::new()
        .link("home/.agents/skills/ring", "ring")
        .link("home/.agents/skills/nowhere", "../gone")
        .link("home/.claude/skills", "skills")
        .link("home/.codex/skills", "gone")
        .link("home/.gemini/skills/self", ".")
        .link("home/.goose/skills/file/SKILL.md", "SKILL.md")
        .link("home/.goose/skills/void/SKILL.md", "gone.md");

    assert_eq!(
        world.broken(),
        [
            "home/.claude/skills link-ring",
            "home/.codex/skills link-dangling",
            "home/.agents/skills/nowhere link-dangling",
            "home/.agents/skills/ring link-ring",
            "home/.gemini/skills/self no-skill-file",
            "home/.goose/skills/file/SKILL.md link-ring",
            "home/.goose/skills/void/SKILL.md link-dangling",
        ]
    );
}

#[test]
fn a_linked_skill_file_stays_in_its_folder() {
    let world = World::new()
        .file(
            "home/.agents/skills/inside/real.md",
            "---\nname: inside\ndescription: D.\n---\n",
        )
        .link("home/.agents/skills/inside/SKILL.md", "real.md")
        .file(
            "home/loose.md",
            "---\nname: outside\ndescription: D.\n---\n",
        )
        .link("home/.agents/skills/outside/SKILL.md", "../../../loose.md");

    assert_eq!(world.skills(), ["home/.agents/skills/inside"]);
    assert_eq!(
        world.broken(),
        ["home/.agents/skills/outside/SKILL.md link-leaves"]
    );
}

#[test]
fn what_is_no_skill_has_a_row_with_its_reason() {
    let world = World::new()
        .file("home/.agents/skills/README.md", "hello")
        .file("home/.agents/skills/empty/notes.txt", "hello")
        .file(
            "home/.agents/skills/low/skill.md",
            "---\nname: low\ndescription: D.\n---\n",
        )
        .skill("home/.agents/skills/group/inner");

    let snapshot = world.snapshot();
    let rows: Vec<_> = snapshot
        .broken()
        .iter()
        .map(|row| {
            (
                world.short(&row.location),
                row.severity(),
                row.diagnostics[0].message.clone(),
            )
        })
        .collect();

    let row = |location: &str, severity, message: &str| {
        (location.to_owned(), severity, message.to_owned())
    };
    assert_eq!(
        rows,
        [
            row(
                "home/.agents/skills/README.md",
                Severity::Note,
                "is a file; a skill is a folder with a SKILL.md"
            ),
            row(
                "home/.agents/skills/empty",
                Severity::Note,
                "has no SKILL.md"
            ),
            row(
                "home/.agents/skills/group",
                Severity::Note,
                "has no SKILL.md; a skill folder stands one level too deep in it, such as group/inner"
            ),
            row(
                "home/.agents/skills/low/skill.md",
                Severity::Error,
                "the file is called `skill.md`, and must be called `SKILL.md`"
            ),
        ]
    );
    let deep: Vec<_> = snapshot
        .too_deep("inner")
        .iter()
        .map(|folder| world.short(folder))
        .collect();
    assert_eq!(deep, ["home/.agents/skills/group/inner"]);
}

#[test]
fn special_files_are_refused_and_never_waited_for() {
    let world = World::new();
    let folder = world.path("home/.agents/skills/pipe");
    fs::create_dir_all(&folder).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(folder.join("SKILL.md"))
        .status()
        .unwrap();
    assert!(made.success());
    fs::create_dir_all(world.path("home/.agents/skills/folder/SKILL.md")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(world.path("home/.agents/skills/socket"));

    assert_eq!(
        world.broken(),
        [
            "home/.agents/skills/folder/SKILL.md not-a-file",
            "home/.agents/skills/pipe/SKILL.md not-a-file",
            "home/.agents/skills/socket plain-file",
        ]
    );
}

#[test]
fn a_bound_that_bites_says_how_many_it_left_out() {
    let mut world = World::new();
    for number in 0..7 {
        world = world.skill(&format!("home/.agents/skills/s{number}"));
    }
    world.env.limits.candidates = 5;

    let snapshot = world.snapshot();

    assert_eq!(snapshot.skills().len(), 5);
    let message = "left out 2 entries of this root: at most 5 of a root are looked at";
    let [row] = snapshot.broken() else { panic!() };
    assert_eq!(row.diagnostics[0].message, message);
    let warnings: Vec<_> = snapshot.warnings().map(|found| &found.message).collect();
    assert_eq!(warnings, [message]);
}

#[test]
fn a_full_root_of_a_project_leaves_the_home_roots_as_they_are() {
    let mut world = World::new()
        .skill("project/.agents/skills/pdf")
        .skill("home/.agents/skills/pdf")
        .file("home/.codeaf/skills.json", r#"{"on": ["pdf"]}"#);
    for number in 0..5 {
        world = world.file(&format!("project/.agents/skills/{number}"), "");
    }
    world.env.limits.candidates = 6;

    let snapshot = world.snapshot();

    assert_eq!(snapshot.copies("pdf").len(), 2);
    let skill = snapshot.owners().next().unwrap();
    assert!(snapshot.on_by_this_repository(skill, &snapshot.resolution(skill)));
}

#[test]
fn a_copy_that_stands_in_for_a_broken_one_of_home_is_marked() {
    let world = World::new()
        .skill("project/.agents/skills/pdf")
        .file(
            "home/.agents/skills/other/SKILL.md",
            "---\nname: pdf\n---\n",
        )
        .file("home/.codeaf/skills.json", r#"{"on": ["pdf"]}"#);

    let snapshot = world.snapshot();

    let skill = snapshot.owners().next().unwrap();
    assert!(snapshot.on_by_this_repository(skill, &snapshot.resolution(skill)));
}

#[test]
fn many_skills_are_read_on_several_threads_in_the_same_order() {
    let mut world = World::new();
    for number in 0..400 {
        world = world.skill(&format!("home/.agents/skills/s{number:03}"));
    }
    world = world.file("home/.agents/skills/s100/SKILL.md", "no frontmatter");

    let skills = world.skills();

    assert_eq!(skills.len(), 399);
    assert!(skills.is_sorted());
    assert_eq!(
        world.broken(),
        ["home/.agents/skills/s100/SKILL.md frontmatter-missing"]
    );
}

#[test]
fn names_are_looked_up_in_one_normal_form_and_by_source() {
    let world = World::new()
        .file(
            "home/.agents/skills/cafe/SKILL.md",
            "---\nname: cafe\u{301}\ndescription: D.\n---\n",
        )
        .skill("home/.agents/skills/plain");
    let snapshot = world.snapshot();

    let finds = |name: &str| matches!(snapshot.lookup(name), Lookup::Found(_));
    for (name, found) in [
        ("caf\u{e9}", true),
        ("cafe\u{301}", true),
        ("workspace/plain", true),
        ("personal/plain", false),
        ("Plain", false),
        ("plain ", false),
    ] {
        assert_eq!(finds(name), found, "{name:?}");
    }
}

#[test]
fn near_names_come_from_names_and_folders() {
    let world = World::new().skill("home/.agents/skills/deploy-notes").file(
        "home/.agents/skills/charts/SKILL.md",
        "---\nname: acme-diagrams\ndescription: D.\n---\n",
    );
    let snapshot = world.snapshot();

    assert_eq!(snapshot.near("deploy-note"), ["deploy-notes"]);
    assert_eq!(snapshot.near("charts"), ["acme-diagrams"]);
    assert!(snapshot.near("zzz").is_empty());
}

#[test]
fn a_repository_that_turns_its_own_skills_on_is_marked() {
    let world = World::new()
        .skill("project/.agents/skills/theirs")
        .skill("project/.agents/skills/both")
        .skill("home/.agents/skills/both")
        .skill("home/.agents/skills/mine")
        .file(
            "project/.codeaf/skills.json",
            r#"{"on": ["theirs", "mine"]}"#,
        )
        .file("home/.codeaf/skills.json", r#"{"on": ["both"]}"#);
    let marked = |snapshot: &Snapshot| -> Vec<String> {
        let owners = snapshot.owners();
        let marked = owners
            .filter(|skill| snapshot.on_by_this_repository(skill, &snapshot.resolution(skill)));
        marked.map(|skill| skill.name.clone()).collect()
    };
    let on = |snapshot: &Snapshot| -> Vec<String> {
        let on = snapshot
            .owners()
            .filter(|skill| snapshot.resolution(skill).is_on());
        on.map(|skill| skill.name.clone()).collect()
    };

    let snapshot = world.snapshot();
    assert_eq!(on(&snapshot), ["both", "mine", "theirs"]);
    assert_eq!(marked(&snapshot), ["both", "theirs"]);

    let mut careful = world.env.clone();
    careful.ignore_project_on = true;
    assert!(on(&Snapshot::load(&careful).unwrap()).is_empty());
}

#[test]
fn attached_folders_come_from_the_conversation_then_from_flags() {
    let mut world = World::new()
        .skill("one/.agents/skills/a")
        .skill("two/.agents/skills/b")
        .skill("home/three/.agents/skills/c");
    let meta = format!(
        r#"{{"places": ["{}", "~/three", "/gone"]}}"#,
        world.path("one").display()
    );
    world = world.file("talk/meta.json", &meta);
    world.env.conversation = Some(world.path("talk"));
    world.env.folders = vec![world.path("two")];

    assert_eq!(
        world.skills(),
        [
            "one/.agents/skills/a",
            "two/.agents/skills/b",
            "home/three/.agents/skills/c"
        ]
    );
    let snapshot = world.snapshot();
    let warnings: Vec<_> = snapshot
        .warnings()
        .map(|found| found.message.clone())
        .collect();
    assert_eq!(warnings, ["the attached folder `/gone` is not there"]);
}

#[test]
fn a_link_to_the_users_own_copy_is_not_the_projects() {
    let world = World::new()
        .skill("home/.agents/skills/pdf")
        .link(
            "project/.agents/skills/pdf",
            "../../../home/.agents/skills/pdf",
        )
        .file(
            "home/.codeaf/skills.json",
            r#"{"on": ["pdf"], "ignoreProjectOn": true}"#,
        );
    let snapshot = world.snapshot();

    let skill = snapshot.owners().next().unwrap();

    assert!(!skill.is_in_project);
    assert!(snapshot.resolution(skill).is_on());
    assert!(!snapshot.on_by_this_repository(skill, &snapshot.resolution(skill)));
}

#[test]
fn only_the_copy_that_is_meant_is_on_by_its_repository() {
    let world = World::new()
        .skill("project/.agents/skills/pdf")
        .skill("project/.claude/skills/pdf")
        .file("project/.codeaf/skills.json", r#"{"on": ["pdf"]}"#);
    let snapshot = world.snapshot();

    let marked = snapshot
        .skills()
        .iter()
        .map(|skill| snapshot.on_by_this_repository(skill, &snapshot.resolution(skill)));

    assert_eq!(marked.collect::<Vec<_>>(), [true, false]);
}

#[test]
fn a_bundled_file_is_not_read_once_its_folder_leads_out_of_the_project() {
    let world = World::new()
        .skill("project/.agents/skills/pdf")
        .file("project/.agents/skills/pdf/key", "inside")
        .file("secret/key", "TOP");
    let snapshot = world.snapshot();
    let skill = snapshot.owners().next().unwrap();
    let read = || snapshot.read_resource(skill, "key", Window::default());
    assert_eq!(read().unwrap().content, "inside");

    fs::rename(
        world.path("project/.agents/skills/pdf"),
        world.path("moved"),
    )
    .unwrap();
    symlink(
        world.path("secret"),
        world.path("project/.agents/skills/pdf"),
    )
    .unwrap();

    assert!(matches!(read(), Err(ResourceError::Folder(_))));
    assert!(snapshot.resources(skill).is_err());
}

#[test]
fn scopes_that_are_read_again_bring_their_own_warnings() {
    let world = World::new()
        .skill("home/.agents/skills/pdf")
        .file("home/.codeaf/skills.json", r#"{"on": ["pdf"]}"#);
    let before = world.snapshot();
    let world = world.file(
        "home/.codeaf/skills.json",
        r#"{"on": ["pdf"], "off": ["pdf"]}"#,
    );

    let after = before.with_fresh_scopes();

    assert_eq!(before.warnings().count(), 0);
    assert_eq!(after.warnings().count(), 1);
    assert!(!after.resolution(after.owners().next().unwrap()).is_on());
    drop(world);
}
