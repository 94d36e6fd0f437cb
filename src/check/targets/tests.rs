use std::fs;
use std::os::unix::fs::symlink;

use super::*;
use crate::limits::Limits;

/// A folder of files, and what a search in it finds, by paths from it.
struct Tree {
    temporary: tempfile::TempDir,
}

impl Tree {
    /// Makes empty files; a path that ends with `/` is a folder, and one with
    /// ` -> ` in it a link.
    fn new(files: &[&str]) -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let tree = Self { temporary };
        for file in files {
            if let Some((link, target)) = file.split_once(" -> ") {
                fs::create_dir_all(tree.path(link).parent().unwrap()).unwrap();
                symlink(target, tree.path(link)).unwrap();
            } else if file.ends_with('/') {
                fs::create_dir_all(tree.path(file)).unwrap();
            } else {
                tree.write(file, "");
            }
        }
        tree
    }

    fn path(&self, path: &str) -> PathBuf {
        self.temporary.path().canonicalize().unwrap().join(path)
    }

    fn write(&self, file: &str, text: &str) {
        fs::create_dir_all(self.path(file).parent().unwrap()).unwrap();
        fs::write(self.path(file), text).unwrap();
    }

    fn env(&self) -> Env {
        Env::new(self.path(""))
    }

    fn find(&self, paths: &[&str]) -> Shown {
        self.find_in(&self.env(), paths)
    }

    fn find_in(&self, env: &Env, paths: &[&str]) -> Shown {
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        let found = targets(&paths, env);
        let top = self.path("");
        let short = |path: &Path| path.strip_prefix(&top).unwrap().display().to_string();
        Shown {
            targets: found.targets.iter().map(|t| short(&t.file)).collect(),
            findings: found
                .findings
                .iter()
                .map(|f| format!("{}[{}] {}", f.severity, f.rule, short(&f.path)))
                .collect(),
            words: found.findings.iter().map(|f| f.message.clone()).collect(),
        }
    }
}

#[derive(Debug)]
struct Shown {
    targets: Vec<String>,
    findings: Vec<String>,
    words: Vec<String>,
}

impl Shown {
    #[track_caller]
    fn is(&self, targets: &[&str], findings: &[&str]) {
        assert_eq!(self.targets, targets, "{self:?}");
        assert_eq!(self.findings, findings, "{self:?}");
    }
}

#[test]
fn a_path_is_a_file_a_skill_a_root_or_a_repository() {
    let tree = Tree::new(&[
        ".git/",
        ".agents/skills/b/SKILL.md",
        ".agents/skills/a/SKILL.md",
        "deep/down/skills/c/SKILL.md",
        "docs/d/SKILL.md",
        "README.md",
    ]);

    for (paths, targets) in [
        (
            &[".agents/skills/a/SKILL.md"][..],
            &[".agents/skills/a/SKILL.md"][..],
        ),
        (&[".agents/skills/b"], &[".agents/skills/b/SKILL.md"]),
        (
            &[".agents/skills"],
            &[".agents/skills/a/SKILL.md", ".agents/skills/b/SKILL.md"],
        ),
        (
            &[".agents"],
            &[".agents/skills/a/SKILL.md", ".agents/skills/b/SKILL.md"],
        ),
        (&["docs"], &["docs/d/SKILL.md"]),
        (
            &["."],
            &[
                ".agents/skills/a/SKILL.md",
                ".agents/skills/b/SKILL.md",
                "deep/down/skills/c/SKILL.md",
            ],
        ),
        (
            &[],
            &[
                ".agents/skills/a/SKILL.md",
                ".agents/skills/b/SKILL.md",
                "deep/down/skills/c/SKILL.md",
            ],
        ),
    ] {
        tree.find(paths).is(targets, &[]);
    }
}

#[test]
fn a_skill_named_in_several_ways_is_there_once() {
    let tree = Tree::new(&[
        ".git/",
        "skills/a/SKILL.md",
        ".claude/skills -> ../skills",
        ".agents/skills/a -> ../../skills/a",
        "alias -> skills/a",
    ]);

    let found = tree.find(&["skills/a", "skills/a/SKILL.md", "skills", "alias", "."]);

    found.is(&["skills/a/SKILL.md"], &[]);
    tree.find(&[".claude/skills"])
        .is(&[".claude/skills/a/SKILL.md"], &[]);
}

#[test]
fn hard_links_are_skills_of_their_own() {
    let tree = Tree::new(&["skills/a/SKILL.md", "skills/b/"]);
    fs::hard_link(
        tree.path("skills/a/SKILL.md"),
        tree.path("skills/b/SKILL.md"),
    )
    .unwrap();

    tree.find(&[])
        .is(&["skills/a/SKILL.md", "skills/b/SKILL.md"], &[]);
}

#[test]
fn a_wrong_name_is_a_target_with_a_finding() {
    let tree = Tree::new(&["skills/a/skill.md", "skills/b/SKILL.MD", "one/Skill.md"]);
    let both = ["skills/a/skill.md", "skills/b/SKILL.MD"];
    let findings = both.map(|file| format!("error[skill-file-name] {file}"));

    tree.find(&["skills"])
        .is(&both, &[&*findings[0], &findings[1]]);
    for path in ["one", "one/Skill.md"] {
        tree.find(&[path])
            .is(&["one/Skill.md"], &["error[skill-file-name] one/Skill.md"]);
    }
}

#[test]
fn whatever_is_called_skill_md_is_left_to_the_reader() {
    let tree = Tree::new(&[
        "skills/folder/SKILL.md/",
        "skills/link/SKILL.md -> nowhere",
        "skills/ring/SKILL.md -> SKILL.md",
    ]);
    let all = [
        "skills/folder/SKILL.md",
        "skills/link/SKILL.md",
        "skills/ring/SKILL.md",
    ];

    tree.find(&[]).is(&all, &[]);
    tree.find(&all).is(&all, &[]);
}

#[test]
fn what_git_ignores_is_passed_over_unless_it_is_named() {
    let tree = Tree::new(&[
        ".git/",
        "build/skills/a/SKILL.md",
        ".agents/skills/local-b/SKILL.md",
        ".agents/skills/c/SKILL.md",
        "node_modules/x/skills/d/SKILL.md",
        "sub/skills/e/SKILL.md",
        "sub/skills/f/SKILL.md",
    ]);
    tree.write(".gitignore", "build/\nlocal-*\n");
    tree.write("sub/.gitignore", "skills/*\n!skills/f\n");

    tree.find(&[])
        .is(&[".agents/skills/c/SKILL.md", "sub/skills/f/SKILL.md"], &[]);
    tree.find(&["build"]).is(&["build/skills/a/SKILL.md"], &[]);
    tree.find(&["build/skills"])
        .is(&["build/skills/a/SKILL.md"], &[]);
    tree.find(&[".agents/skills/local-b"])
        .is(&[".agents/skills/local-b/SKILL.md"], &[]);
    tree.find(&["node_modules/x"])
        .is(&["node_modules/x/skills/d/SKILL.md"], &[]);
}

#[test]
fn without_a_repository_only_what_is_below_the_path_says_what_to_ignore() {
    let tree = Tree::new(&["p/skills/a/SKILL.md", "p/skills/b/SKILL.md"]);
    tree.write(".gitignore", "*\n");
    tree.write("p/.gitignore", "a\n");

    tree.find(&["p"]).is(&["p/skills/b/SKILL.md"], &[]);
}

#[test]
fn nothing_found_is_told_with_what_was_passed_over() {
    let tree = Tree::new(&[".git/", "skills/a/SKILL.md", "empty/", "cat/x/SKILL.md"]);
    tree.write(".gitignore", "skills\n");

    let found = tree.find(&[]);
    found.is(&[], &["error[no-skill-file] ", "note[no-skill-file] cat"]);
    assert!(
        found.words[0].contains("1 entry that git ignores"),
        "{found:?}"
    );
    assert!(found.words[1].contains("one level too deep"), "{found:?}");
    tree.find(&["empty", "cat/x"])
        .is(&["cat/x/SKILL.md"], &["warning[no-skill-file] empty"]);
}

#[test]
fn folders_that_are_no_skills_are_told_in_roots_alone() {
    let tree = Tree::new(&[
        ".agents/skills/empty/",
        ".agents/skills/group/a/SKILL.md",
        "src/skills/code/",
        "src/skills/group/b/SKILL.md",
        "src/skills/real/SKILL.md",
        "src/other/",
    ]);

    tree.find(&[]).is(
        &["src/skills/real/SKILL.md"],
        &[
            "note[no-skill-file] .agents/skills/empty",
            "note[no-skill-file] .agents/skills/group",
            "note[no-skill-file] src/skills/group",
        ],
    );
}

#[test]
fn roots_inside_roots_and_a_skill_called_skills_are_found() {
    let tree = Tree::new(&[
        "skills/SKILL.md",
        "skills/a/SKILL.md",
        "skills/plugin/skills/b/SKILL.md",
    ]);
    let all = [
        "skills/SKILL.md",
        "skills/a/SKILL.md",
        "skills/plugin/skills/b/SKILL.md",
    ];

    tree.find(&[]).is(&all, &[]);
    tree.find(&["skills"]).is(&all, &[]);
}

#[test]
fn a_repository_that_is_a_skill_itself_is_searched_too() {
    let tree = Tree::new(&[
        "repo/.git/",
        "repo/SKILL.md",
        "repo/.claude/skills/dev/SKILL.md",
        "skill/SKILL.md",
        "skill/skills/sample/SKILL.md",
    ]);

    tree.find(&["repo"])
        .is(&["repo/.claude/skills/dev/SKILL.md", "repo/SKILL.md"], &[]);
    tree.find(&["skill"]).is(&["skill/SKILL.md"], &[]);
}

#[test]
fn links_are_followed_inside_the_project_and_not_out_of_it() {
    let tree = Tree::new(&[
        "out/skills/far/SKILL.md",
        "p/.git/",
        "p/lib/near/SKILL.md",
        "p/.agents/skills/near -> ../../lib/near",
        "p/.agents/skills/far -> ../../../out/skills/far",
        "p/.agents/skills/gone -> nowhere",
        "p/.agents/skills/ring -> ring",
        "p/.claude -> ../out",
        "p/.codex/skills -> ../../out/skills",
        "p/docs -> ../out",
        "p/up -> ..",
    ]);

    tree.find(&["p"]).is(
        &["p/.agents/skills/near/SKILL.md"],
        &[
            "warning[link-leaves] p/.agents/skills/far",
            "warning[link-dangling] p/.agents/skills/gone",
            "warning[link-ring] p/.agents/skills/ring",
            "warning[link-leaves] p/.claude/skills",
            "warning[link-leaves] p/.codex/skills",
        ],
    );
    tree.find(&["p/.agents/skills/far"])
        .is(&["p/.agents/skills/far/SKILL.md"], &[]);
}

#[test]
fn links_that_lead_round_end() {
    let tree = Tree::new(&[
        ".git/",
        "skills/a/SKILL.md",
        "skills/loop -> ..",
        "a/skills -> ../b",
        "b/skills -> ../a",
        "c/skills -> ../..",
        "c/d/skills -> ..",
    ]);

    let found = tree.find(&[]);

    assert_eq!(found.targets, ["skills/a/SKILL.md"]);
}

#[test]
fn links_under_home_roots_lead_anywhere_in_home() {
    let tree = Tree::new(&[
        "home/.agents/skills/a/SKILL.md",
        "home/.claude/skills/a -> ../../.agents/skills/a",
        "home/other/skills/a -> ../../.agents/skills/a",
    ]);
    let env = Env {
        home: Some(tree.path("home")),
        ..tree.env()
    };

    tree.find_in(&env, &["home/.claude/skills"])
        .is(&["home/.claude/skills/a/SKILL.md"], &[]);
    tree.find_in(&env, &["home/other/skills"]).is(
        &[],
        &[
            "error[no-skill-file] home/other/skills",
            "warning[link-leaves] home/other/skills/a",
        ],
    );
}

#[test]
fn paths_that_are_not_there_or_no_skills_are_errors() {
    let tree = Tree::new(&["README.md", "link -> nowhere", "skills/a/SKILL.md"]);

    tree.find(&["missing", "README.md", "link", "README.md/x", "skills"])
        .is(
            &["skills/a/SKILL.md"],
            &[
                "error[plain-file] README.md",
                "error[unreadable] README.md/x",
                "error[link-dangling] link",
                "error[unreadable] missing",
            ],
        );
}

#[test]
fn bounds_that_bite_are_told() {
    let tree = Tree::new(&[
        "skills/a/SKILL.md",
        "skills/b/SKILL.md",
        "skills/c/SKILL.md",
        "x/y/z/",
    ]);
    let bounded = |limits| Env {
        limits,
        ..tree.env()
    };
    let candidates = Limits {
        candidates: 2,
        ..Limits::DEFAULT
    };
    let folders = Limits {
        searched_folders: 2,
        ..Limits::DEFAULT
    };

    let found = tree.find_in(&bounded(candidates), &["skills"]);
    found.is(
        &["skills/a/SKILL.md", "skills/b/SKILL.md"],
        &["warning[candidates-bound] skills"],
    );
    assert!(found.words[0].contains("1 entry"), "{found:?}");

    let found = tree.find_in(&bounded(folders), &[]);
    assert_eq!(found.findings, ["warning[candidates-bound] "]);
    assert!(found.words[0].contains("1 folder"), "{found:?}");
}

#[test]
fn paths_that_go_up_are_resolved_and_odd_names_kept() {
    let tree = Tree::new(&[
        "project/",
        "skills/caf\u{e9} x/SKILL.md",
        "skills/--json/SKILL.md",
    ]);
    let env = Env::new(tree.path("project"));

    tree.find_in(&env, &["../skills"]).is(
        &["skills/--json/SKILL.md", "skills/caf\u{e9} x/SKILL.md"],
        &[],
    );
}

#[test]
fn progress_tells_folders_and_skills() {
    let tree = Tree::new(&["skills/a/SKILL.md", "x/"]);
    let mut told = Vec::new();

    let _ = targets_with_progress(&[], &tree.env(), &mut |progress| told.push(progress));

    let last = told.last().copied();
    assert_eq!(
        last,
        Some(Progress {
            folders: 3,
            skills: 1
        })
    );
}
