//! The tables of where other systems look and what they say, on real folders.

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::super::snapshot::{DiscoveryError, Snapshot};
use crate::env::Env;
use crate::skill::profile::Profile;

/// A home and a working folder in a folder that goes away again.
struct World {
    folder: tempfile::TempDir,
    env: Env,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("home")).unwrap();
        fs::create_dir_all(root.join("w")).unwrap();
        let mut env = Env::new(root.join("w"));
        env.home = Some(root.join("home"));
        Self { folder, env }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    fn folder(&self, path: &str) -> &Self {
        fs::create_dir_all(self.path(path)).unwrap();
        self
    }

    fn file(&self, path: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Writes a skill whose name is its folder's.
    fn skill(&self, folder: &str) -> &Self {
        let name = folder.rsplit('/').next().unwrap();
        self.named(folder, name)
    }

    fn named(&self, folder: &str, name: &str) -> &Self {
        let text = format!("---\nname: {name}\ndescription: Does it.\n---\nBody.\n");
        self.file(&format!("{folder}/SKILL.md"), text)
    }

    fn link(&self, path: &str, target: impl AsRef<Path>) -> &Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
        self
    }

    fn look(&self, profile: &str) -> Snapshot {
        Snapshot::load_as(&self.env, Profile::named(profile).unwrap()).unwrap()
    }

    fn short(&self, text: impl AsRef<str>) -> String {
        let root = self.path("");
        text.as_ref().replace(root.to_str().unwrap(), "")
    }

    /// The skills in their order, `-` before a shadowed one.
    fn skills(&self, profile: &str) -> Vec<String> {
        let snapshot = self.look(profile);
        let line = |skill: &super::super::scan::Skill| {
            let mark = if skill.shadowed_by.is_some() { "-" } else { "" };
            let folder = self.short(skill.folder().unwrap().to_str().unwrap());
            format!("{mark}{} {folder}", skill.name)
        };
        snapshot.skills().iter().map(line).collect()
    }

    /// What the system says, as `<path>: <message>`.
    fn says(&self, profile: &str) -> Vec<String> {
        let snapshot = self.look(profile);
        let of_skills = snapshot
            .skills()
            .iter()
            .flat_map(|skill| &skill.diagnostics);
        let of_broken = snapshot.broken().iter().flat_map(|row| &row.diagnostics);
        let line = |found: &crate::Diagnostic| {
            self.short(format!("{}: {}", found.path.display(), found.message))
        };
        of_skills.chain(of_broken).map(line).collect()
    }

    fn roots(&self, profile: &str) -> String {
        let snapshot = self.look(profile);
        let mut list = String::new();
        for looked_at in snapshot.roots() {
            let path = self.short(looked_at.root.path.to_str().unwrap());
            let _ = write!(list, "{path} ");
        }
        list.trim_end().to_owned()
    }
}

#[test]
fn each_system_has_roots_and_an_order_of_its_own() {
    let mut world = World::new();
    world.folder("w/.git").folder("w/sub");
    world.env.start = world.path("w/sub");

    for (profile, roots) in [
        (
            "albedo",
            "w/sub/.albedo/skills w/sub/.agents/skills \
             home/.albedo/skills home/.agents/skills home/.prime/agent/skills",
        ),
        ("coder", "w/sub/.agents/skills"),
        ("vbot", "w/sub/.opencode/skills w/sub/.claude/skills"),
        ("claude-code", "home/.claude/skills w/sub/.claude/skills"),
        (
            "codex",
            "w/sub/.agents/skills w/sub/.codex/skills w/.agents/skills w/.codex/skills \
             home/.agents/skills home/.codex/skills",
        ),
    ] {
        assert_eq!(world.roots(profile), roots, "{profile}");
    }
    world.env.home = None;
    assert_eq!(
        world.roots("albedo"),
        "w/sub/.albedo/skills w/sub/.agents/skills"
    );
    world.env.given_roots = vec!["given".into()];
    assert_eq!(world.roots("coder"), "w/sub/given w/sub/.agents/skills");
}

#[test]
fn where_nobody_knows_is_an_error() {
    let world = World::new();

    let error = Snapshot::load_as(&world.env, Profile::SPEC).unwrap_err();

    assert!(matches!(error, DiscoveryError::UnknownPlaces { .. }));
    assert_eq!(error.to_string(), "where spec looks is not known");
}

#[test]
fn under_our_own_profile_it_is_the_ordinary_look() {
    let world = World::new();
    world
        .skill("w/.cursor/skills/a")
        .folder("w/.agents/skills/b");

    assert_eq!(world.skills("codeaf"), ["a w/.cursor/skills/a"]);
    assert_eq!(
        world.says("codeaf"),
        ["w/.agents/skills/b: has no SKILL.md"]
    );
}

/// What it is, how it is made, and what is said of it.
type Said = (&'static str, fn(&World) -> &World, &'static [&'static str]);

fn assert_albedo_says(cases: &[Said]) {
    for (what, make, lines) in cases {
        let world = World::new();
        make(&world);
        assert_eq!(world.says("albedo"), *lines, "{what}");
    }
}

#[test]
fn albedo_says_a_line_of_its_own_about_each_entry() {
    assert_albedo_says(&[
        (
            "a file is nothing",
            |w| w.file("w/.albedo/skills/x", ""),
            &[],
        ),
        (
            "a link to a file inside is nothing",
            |w| {
                w.file("w/.albedo/skills/x", "")
                    .link("w/.albedo/skills/y", "x")
            },
            &[],
        ),
        (
            "a link to nothing",
            |w| w.link("w/.albedo/skills/x", "none"),
            &["w/.albedo/skills/x: skill directory cannot be resolved"],
        ),
        (
            "a link out to a folder",
            |w| {
                w.skill("else/x")
                    .link("w/.albedo/skills/x", w.path("else/x"))
            },
            &["w/.albedo/skills/x: skill directory symlink escapes discovery root"],
        ),
        (
            "a link out to a file",
            |w| {
                w.file("else", "")
                    .link("w/.albedo/skills/x", w.path("else"))
            },
            &["w/.albedo/skills/x: skill directory symlink escapes discovery root"],
        ),
        (
            "a hidden folder",
            |w| w.folder("w/.albedo/skills/.git"),
            &["w/.albedo/skills/.git: missing SKILL.md"],
        ),
        (
            "a root that is a file",
            |w| w.file("w/.albedo/skills", ""),
            &["w/.albedo/skills: is not a directory"],
        ),
        (
            "a root that leads nowhere",
            |w| w.link("w/.albedo/skills", "none"),
            &["w/.albedo/skills: cannot be resolved"],
        ),
    ]);
}

#[test]
fn albedo_says_a_line_of_its_own_about_each_skill_file() {
    assert_albedo_says(&[
        (
            "a SKILL.md that leads out",
            |w| {
                w.skill("else/x");
                w.link("w/.albedo/skills/x/SKILL.md", w.path("else/x/SKILL.md"))
            },
            &["w/.albedo/skills/x: SKILL.md symlink escapes skill root"],
        ),
        (
            "a SKILL.md that leads nowhere",
            |w| w.link("w/.albedo/skills/x/SKILL.md", "none"),
            &["w/.albedo/skills/x: SKILL.md cannot be resolved"],
        ),
        (
            "a SKILL.md that is a folder",
            |w| w.folder("w/.albedo/skills/x/SKILL.md"),
            &["w/.albedo/skills/x: SKILL.md is not a regular file"],
        ),
        (
            "a SKILL.md of a byte too much",
            |w| {
                let mut text = b"---
name: x
description: Does it.
---
"
                .to_vec();
                text.resize(1_048_577, b'a');
                w.file("w/.albedo/skills/x/SKILL.md", text)
            },
            &["w/.albedo/skills/x: SKILL.md exceeds 1048576 bytes"],
        ),
        (
            "a SKILL.md of as much as may be",
            |w| {
                let mut text = b"---\nname: x\ndescription: Does it.\n---\n".to_vec();
                text.resize(1_048_576, b'a');
                w.file("w/.albedo/skills/x/SKILL.md", text)
            },
            &[],
        ),
        (
            "frontmatter at fault",
            |w| w.file("w/.albedo/skills/x/SKILL.md", "---\nname: x\n---\n"),
            &["w/.albedo/skills/x: frontmatter is missing description"],
        ),
        (
            "another name",
            |w| w.named("w/.albedo/skills/x", "y"),
            &["w/.albedo/skills/x: frontmatter name must match directory name"],
        ),
        (
            "a name that is taken",
            |w| w.skill("w/.albedo/skills/x").skill("home/.agents/skills/x"),
            &["home/.agents/skills/x/SKILL.md: \
               duplicate skill x ignored; using w/.albedo/skills/x/SKILL.md"],
        ),
    ]);
}

#[test]
fn a_broken_copy_of_the_project_does_not_block_the_one_of_home() {
    let world = World::new();
    world
        .file("w/.albedo/skills/x/SKILL.md", "---\nname: x\n---\n")
        .skill("home/.prime/agent/skills/x")
        .skill("w/.agents/skills/y")
        .skill("home/.albedo/skills/y");

    assert_eq!(
        world.skills("albedo"),
        [
            "x home/.prime/agent/skills/x",
            "y w/.agents/skills/y",
            "-y home/.albedo/skills/y"
        ]
    );
}

/// Makes `count` skills in a root.
fn many(world: &World, root: &str, count: usize) {
    for number in 0..count {
        world.skill(&format!("{root}/s{number:03}"));
    }
}

#[test]
fn albedo_looks_at_128_candidates() {
    const LIMITED: &str = "skill discovery limit reached; remaining entries ignored";
    let last = "home/.prime/agent/skills";
    for (what, root, count, file, is_limited) in [
        ("127 in an early root", "w/.albedo/skills", 127, None, false),
        (
            "128 and roots are left",
            "w/.albedo/skills",
            128,
            None,
            true,
        ),
        ("128 in the last root", last, 128, None, false),
        ("the 129th", last, 129, None, true),
        ("a file behind them", last, 128, Some("z"), true),
        ("a file before them", last, 128, Some("a"), false),
    ] {
        let world = World::new();
        many(&world, root, count);
        if let Some(name) = file {
            world.file(&format!("{root}/{name}"), "");
        }
        let says = world.says("albedo");
        let lines: Vec<String> = is_limited
            .then(|| format!("{root}: {LIMITED}"))
            .into_iter()
            .collect();
        let got: Vec<String> = says
            .iter()
            .map(|line| format!("{root}: {}", line.split_once(": ").unwrap().1))
            .collect();
        assert_eq!(got, lines, "{what}");
        assert_eq!(world.skills("albedo").len(), count.min(128), "{what}");
    }
}

#[test]
fn albedo_shows_64_diagnostics() {
    let last = "home/.prime/agent/skills";
    for (broken, shown, omitted) in [
        (64, 64, None),
        (65, 63, Some(2)),
        (128, 63, Some(65)),
        // The notice of the other bound is among them.
        (129, 63, Some(66)),
    ] {
        let world = World::new();
        for number in 0..broken {
            world.folder(&format!("{last}/b{number:03}"));
        }
        let says = world.says("albedo");
        let missing = says
            .iter()
            .filter(|line| line.ends_with("missing SKILL.md"));
        assert_eq!(missing.count(), shown, "{broken}");
        let line = omitted.map(|count| format!(": {count} additional skill diagnostics omitted"));
        match line {
            None => assert_eq!(says.len(), shown, "{broken}"),
            Some(line) => {
                assert_eq!(says.len(), 64, "{broken}");
                assert!(says[63].ends_with(&line), "{broken}: {}", says[63]);
            }
        }
        let snapshot = world.look("albedo");
        let help = snapshot.broken().last().unwrap().diagnostics[0]
            .help
            .as_deref();
        assert_eq!(
            help.is_some_and(|help| help.contains("limit reached")),
            broken == 129,
            "{broken}: {help:?}"
        );
    }
}

#[test]
fn duplicates_count_as_diagnostics_and_stay_shadowed_when_omitted() {
    let world = World::new();
    many(&world, "w/.albedo/skills", 60);
    many(&world, "w/.agents/skills", 60);
    for number in 0..6 {
        world.folder(&format!("w/.albedo/skills/b{number}"));
    }

    let says = world.says("albedo");
    let duplicates = says.iter().filter(|line| line.contains("duplicate skill"));
    assert_eq!(duplicates.count(), 57);
    assert!(
        says.last()
            .unwrap()
            .ends_with(": 3 additional skill diagnostics omitted")
    );
    let shadowed = world.skills("albedo");
    let shadowed = shadowed.iter().filter(|line| line.starts_with('-'));
    assert_eq!(shadowed.count(), 60);
}

#[test]
fn coder_follows_no_linked_folder_and_cuts_in_silence() {
    let world = World::new();
    let root = "w/.agents/skills";
    let long = "a".repeat(70_000);
    world
        .skill("else/linked")
        .link(&format!("{root}/linked"), world.path("else/linked"))
        .folder(&format!("{root}/empty"))
        .file(&format!("{root}/plain"), "")
        .file(
            &format!("{root}/long/SKILL.md"),
            format!("---\nname: long\ndescription: Does it.\n---\n{long}"),
        )
        .named(&format!("{root}/Make_Coffee"), "Make_Coffee")
        .skill(&format!("{root}/b"))
        .skill(&format!("{root}/a"))
        .skill("home/.agents/skills/h")
        .skill("w/pkg/skills/p");

    assert_eq!(
        world.skills("coder"),
        [
            "a w/.agents/skills/a",
            "b w/.agents/skills/b",
            "long w/.agents/skills/long"
        ]
    );
    let says = world.says("coder");
    assert_eq!(says.len(), 2, "{says:?}");
    assert!(
        says[0].contains("only its first 65,536 bytes are read"),
        "{says:?}"
    );
    assert!(
        says[1].starts_with("w/.agents/skills/Make_Coffee/SKILL.md: "),
        "{says:?}"
    );
}

#[test]
fn coder_takes_the_first_of_a_name_across_its_folders() {
    let mut world = World::new();
    world.skill("z/x").skill("b/x");
    world.env.given_roots = vec![world.path("z"), world.path("b")];

    assert_eq!(world.skills("coder"), ["x z/x", "-x b/x"]);
}

#[test]
fn vbot_takes_names_as_they_are_and_the_first_of_each() {
    let world = World::new();
    let root = "w/.claude/skills";
    world
        .named(&format!("{root}/one"), "same")
        .named(&format!("{root}/two"), "same")
        .skill("else/linked")
        .link(&format!("{root}/linked"), world.path("else/linked"))
        .folder(&format!("{root}/empty"))
        .file(&format!("{root}/README.md"), "")
        .file(&format!("{root}/bare/SKILL.md"), "no frontmatter\n");

    assert_eq!(
        world.skills("vbot"),
        [
            "linked w/.claude/skills/linked",
            "same w/.claude/skills/one",
            "-same w/.claude/skills/two"
        ]
    );
    let says = world.says("vbot");
    let duplicate = "w/.claude/skills/two/SKILL.md: Duplicate skill name 'same' rejected; \
                     first found at w/.claude/skills/one/SKILL.md.";
    assert!(says.iter().any(|line| line == duplicate), "{says:?}");
    let bare = "w/.claude/skills/bare/SKILL.md: Skill metadata missing front matter: …";
    assert!(says.iter().any(|line| line == bare), "{says:?}");
}

#[test]
fn a_deep_walk_ends_in_a_ring_of_links() {
    let world = World::new();
    let root = "w/.agents/skills";
    world
        .skill(&format!("{root}/group/deep"))
        .link(&format!("{root}/group/ring"), world.path(root));

    assert_eq!(world.skills("goose"), ["deep w/.agents/skills/group/deep"]);
    assert_eq!(world.skills("albedo").len(), 0);
}

#[test]
fn all_of_a_name_stay_where_the_system_keeps_them() {
    let world = World::new();
    world
        .skill("w/.agents/skills/x")
        .skill("home/.agents/skills/x");

    assert_eq!(
        world.skills("codex"),
        ["x w/.agents/skills/x", "x home/.agents/skills/x"]
    );
    let unsettled = world.says("cursor");
    assert!(
        unsettled
            .iter()
            .any(|line| line.contains("is not known: the other is w/.agents/skills/x")),
        "{unsettled:?}"
    );
}

#[test]
fn what_nobody_knows_of_links_is_said_and_not_guessed() {
    let world = World::new();
    let root = "w/.cursor/skills";
    world
        .skill("else/x")
        .link(&format!("{root}/x"), world.path("else/x"))
        .link(&format!("{root}/y/SKILL.md"), world.path("else/x/SKILL.md"));

    assert_eq!(
        world.says("cursor"),
        [
            "w/.cursor/skills/x: is a link to else/x, outside its root; \
             whether cursor follows it is not known",
            "w/.cursor/skills/y/SKILL.md: SKILL.md is a link out of the skill's folder; \
             whether cursor reads it is not known",
        ]
    );
}

#[test]
fn links_within_a_root_are_followed_by_albedo() {
    let world = World::new();
    let root = "w/.albedo/skills";
    world
        .skill(&format!("{root}/group/x"))
        .link(&format!("{root}/x"), "group/x");

    assert_eq!(world.skills("albedo"), ["x w/.albedo/skills/x"]);
    assert_eq!(
        world.says("albedo"),
        ["w/.albedo/skills/group: missing SKILL.md"]
    );
}

#[test]
fn home_wins_where_the_system_has_it_first() {
    let world = World::new();
    world
        .skill("w/.claude/skills/x")
        .skill("home/.claude/skills/x");

    assert_eq!(
        world.skills("claude-code"),
        ["x home/.claude/skills/x", "-x w/.claude/skills/x"]
    );
}

#[test]
fn a_winner_that_changes_from_run_to_run_is_said() {
    let world = World::new();
    world
        .skill("w/.claude/skills/x")
        .skill("w/.agents/skills/x");

    assert_eq!(
        world.skills("opencode"),
        ["x w/.claude/skills/x", "x w/.agents/skills/x"]
    );
    assert_eq!(
        world.says("opencode"),
        [
            "w/.agents/skills/x/SKILL.md: which of two skills of this name is taken \
          can change from run to run: the other is w/.claude/skills/x/SKILL.md"
        ]
    );
}

#[test]
fn a_pipe_in_place_of_a_skill_file_is_not_waited_for() {
    for profile in ["albedo", "gemini-cli"] {
        let world = World::new();
        world.folder("w/.agents/skills/x");
        let pipe = world.path("w/.agents/skills/x/SKILL.md");
        let mode = rustix::fs::Mode::RWXU;
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();

        let says = world.says(profile);
        assert_eq!(says.len(), 1, "{profile}: {says:?}");
        assert!(
            says[0].ends_with("SKILL.md is not a regular file"),
            "{profile}: {says:?}"
        );
    }
}
