//! What is there and does not load: its names, and the names that are not gone.

use super::World;
use crate::discovery::snapshot::Doubt;

/// What does not load, each under a folder that is called otherwise.
fn misplaced() -> World {
    let text = |name: &str, rest: &str| format!("---\nname: {name}\n{rest}\n---\nBody.\n");
    World::new()
        .file("home/.agents/skills/fa/SKILL.md", &text("ba", ""))
        .file(
            "home/.agents/skills/fb/skill.md",
            &text("bb", "description: B."),
        )
        .file(
            "home/.agents/skills/team/fc/SKILL.md",
            &text("bc", "description: C."),
        )
        .file(
            "home/.agents/skills/fd/SKILL.md",
            &text("bd", "description: [x"),
        )
        .file(
            "home/.agents/skills/fe/SKILL.md",
            &text("be", "name: other\ndescription: [x"),
        )
}

#[test]
fn what_does_not_load_is_found_by_the_name_that_it_gives_itself() {
    let world = misplaced();
    let snapshot = world.snapshot();
    let found = |name: &str| -> Vec<String> {
        let broken = snapshot.broken_called(name).into_iter();
        let broken = broken.map(|broken| broken.location.clone());
        broken
            .chain(snapshot.too_deep(name))
            .map(|path| world.short(&path))
            .collect()
    };

    for (name, place) in [
        ("ba", "home/.agents/skills/fa/SKILL.md"),
        ("bb", "home/.agents/skills/fb/skill.md"),
        ("bc", "home/.agents/skills/team/fc"),
        ("bd", "home/.agents/skills/fd/SKILL.md"),
        ("fc", "home/.agents/skills/team/fc"),
    ] {
        assert_eq!(found(name), [place], "{name}");
    }
    // Two lines say two things.
    assert!(found("be").is_empty());
}

#[test]
fn near_names_take_in_what_does_not_load() {
    let world = misplaced().file(
        "home/.agents/skills/nodesc/SKILL.md",
        "---\nname: nodesc\n---\n",
    );
    let snapshot = world.snapshot();
    let near = |name: &str| -> Vec<String> {
        let near = snapshot.near_broken(name).into_iter();
        near.map(|broken| broken.name.clone()).collect()
    };

    assert_eq!(near("nodecs"), ["nodesc"]);
    assert!(near("nodesc").is_empty());
    assert!(near("zzzz").is_empty());
}

#[test]
fn a_name_is_in_doubt_while_something_of_it_is_there_and_does_not_load() {
    let world = misplaced().file("home/.agents/skills/gone.md", "");
    let snapshot = world.snapshot();
    let doubts = snapshot.doubts();

    for name in ["ba", "fa", "bb", "fb", "bc", "fc", "bd", "workspace/bd"] {
        let doubt = doubts.of(name);
        assert!(
            matches!(doubt, Some(Doubt::NotLoaded(_))),
            "{name}: {doubt:?}"
        );
    }
    for name in ["gone", "team", "personal/ba"] {
        assert_eq!(doubts.of(name), None, "{name}");
    }
}

#[test]
fn every_name_is_in_doubt_while_a_root_is_not_read_whole() {
    let linked = World::new()
        .skill("outside/x")
        .link("project/.agents/skills", "../../outside");
    let mut given = World::new();
    given.env.given_roots = vec!["nowhere".into()];
    let mut cut = World::new()
        .skill("home/.agents/skills/a")
        .skill("home/.agents/skills/b");
    cut.env.limits.candidates = 1;

    for world in [linked, given, cut] {
        let snapshot = world.snapshot();
        let doubts = snapshot.doubts();
        let doubt = doubts.of("any");

        assert!(matches!(doubt, Some(Doubt::Root(_))), "{doubt:?}");
        assert_eq!(doubts.of("personal/any"), None);
    }
}

#[test]
fn a_folder_beyond_the_bound_is_found_by_its_name() {
    let mut world = World::new()
        .skill("home/.agents/skills/a")
        .skill("home/.agents/skills/b");
    world.env.limits.candidates = 1;
    let snapshot = world.snapshot();
    let beyond = |name: &str| -> Vec<String> {
        let folders = snapshot.beyond_bound(name);
        folders.iter().map(|folder| world.short(folder)).collect()
    };

    assert_eq!(beyond("b"), ["home/.agents/skills/b"]);
    for name in ["a", "c", "..", "../skills/b", "/"] {
        assert!(beyond(name).is_empty(), "{name}");
    }
}
