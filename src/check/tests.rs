use super::*;

use std::fs;
use std::os::unix::fs::symlink;

use tempfile::TempDir;

fn root() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn skill(root: &TempDir, folder: &str, name: &str, body: &str) -> Target {
    let file = root.path().join(folder).join("SKILL.md");
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    let text = format!("---\nname: {name}\ndescription: d\n---\n{body}");
    fs::write(&file, text).expect("a file");
    Target { file }
}

/// Each finding as `path:line:column severity[rule]: message`, paths from the
/// root.
fn said(root: &TempDir, targets: &[Target]) -> Vec<String> {
    let root = format!("{}/", root.path().display());
    check(targets, &[Profile::SPEC], &Limits::DEFAULT)
        .iter()
        .flat_map(|one| &one.findings)
        .map(|finding| finding.to_string().replace(&root, ""))
        .collect()
}

#[test]
fn what_cannot_be_read_is_a_finding_and_nothing_is_waited_for() {
    let root = root();
    let at = |folder: &str| {
        let folder = root.path().join(folder);
        fs::create_dir(&folder).expect("a folder");
        folder.join("SKILL.md")
    };
    let files: Vec<Target> = [
        (
            "folder",
            Box::new(|file: &Path| fs::create_dir(file)) as Box<dyn Fn(&Path) -> _>,
        ),
        ("gone", Box::new(|_: &Path| Ok(()))),
        (
            "large",
            Box::new(|file: &Path| fs::write(file, vec![b'a'; 1_048_577])),
        ),
        (
            "leaves",
            Box::new(|file: &Path| symlink("../large/SKILL.md", file)),
        ),
        ("nothing", Box::new(|file: &Path| symlink("none", file))),
        (
            "pipe",
            Box::new(|file: &Path| {
                let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
                Ok(rustix::fs::mknodat(
                    rustix::fs::CWD,
                    file,
                    rustix::fs::FileType::Fifo,
                    mode,
                    0,
                )?)
            }),
        ),
        ("ring", Box::new(|file: &Path| symlink("SKILL.md", file))),
    ]
    .into_iter()
    .map(|(folder, make)| {
        let file = at(folder);
        make(&file).expect("a file");
        Target { file }
    })
    .collect();

    assert_eq!(
        said(&root, &files),
        [
            "folder/SKILL.md:1:1: error[not-a-file]: SKILL.md is not a regular file",
            "gone/SKILL.md:1:1: error[link-dangling]: SKILL.md is a link to nothing",
            "large/SKILL.md:1:1: error[file-too-large]: SKILL.md is 1048577 bytes; 1048576 are the most that is read",
            "leaves/SKILL.md:1:1: error[link-leaves]: SKILL.md is a link out of the skill's folder, and is not followed",
            "nothing/SKILL.md:1:1: error[link-dangling]: SKILL.md is a link to nothing",
            "pipe/SKILL.md:1:1: error[not-a-file]: SKILL.md is not a regular file",
            "ring/SKILL.md:1:1: error[link-ring]: SKILL.md is a link in a ring",
        ]
    );
}

#[test]
fn a_wrong_file_name_is_told_and_the_rest_is_judged_all_the_same() {
    let root = root();
    let right = skill(&root, "x", "y", "Body.\n");
    let file = right.file.with_file_name("Skill.md");
    fs::rename(&right.file, &file).expect("renamed");

    assert_eq!(
        said(&root, &[Target { file }]),
        [
            "x/Skill.md:1:1: error[skill-file-name]: the file is called `Skill.md`, and must be called `SKILL.md`",
            "x/Skill.md:2:7: error[name-mismatch]: the name `y` is not the name of its folder, `x`",
        ]
    );
}

#[test]
fn names_that_collide_are_told_at_the_later_one() {
    let root = root();
    let targets = [
        skill(&root, "a/pdf", "pdf", "One.\n"),
        skill(&root, "b/pdf", "pdf", "Two.\n"),
        skill(&root, "c/pdf", "pdf", "One.\n"),
        skill(&root, "d/PDF", "PDF", "Three.\n"),
    ];

    let mut said = said(&root, &targets);

    said.retain(|line| !line.contains("[name-invalid]"));
    assert_eq!(
        said,
        [
            "b/pdf/SKILL.md:2:7: warning[name-duplicate]: the name `pdf` is taken by a/pdf/SKILL.md",
            "c/pdf/SKILL.md:2:7: note[name-duplicate]: this SKILL.md is the same, byte for byte, as a/pdf/SKILL.md",
            "d/PDF/SKILL.md:2:7: warning[name-case]: the name `PDF` differs only in case from `pdf` of a/pdf/SKILL.md",
        ]
    );
}

#[test]
fn a_skill_reached_twice_does_not_collide_with_itself() {
    let root = root();
    let one = skill(&root, "a/pdf", "pdf", "One.\n");
    fs::create_dir(root.path().join("b")).expect("a folder");
    symlink("../a/pdf", root.path().join("b/pdf")).expect("a link");
    let again = Target {
        file: root.path().join("b/pdf/SKILL.md"),
    };

    assert_eq!(said(&root, &[one, again]), [""; 0]);
}

#[test]
fn a_skill_that_cannot_be_read_bears_no_name() {
    let root = root();
    let targets = [
        skill(&root, "a/pdf", "pdf", "One.\n"),
        skill(&root, "b/pdf", "pdf\nbad: \"open", "Two.\n"),
    ];

    let checked = check(&targets, &[Profile::SPEC], &Limits::DEFAULT);

    assert_eq!(checked[0].name.as_deref(), Some("pdf"));
    assert_eq!(checked[1].name, None);
    assert_eq!(checked[1].findings.len(), 1);
}

#[test]
fn bundled_files_that_nobody_can_read_are_told() {
    let root = root();
    let target = skill(&root, "x", "x", "Body.\n");
    symlink("../../etc", root.path().join("x/out")).expect("a link");
    symlink("none", root.path().join("x/gone")).expect("a link");
    fs::create_dir_all(root.path().join("x/node_modules/y")).expect("a folder");

    let said = said(&root, &[target]);

    assert_eq!(said.len(), 2, "{said:?}");
    assert!(
        said.iter().all(|line| line.contains(": warning[resource-")),
        "{said:?}"
    );
}

#[test]
fn many_targets_come_back_in_their_order_and_as_one_by_one() {
    let root = root();
    let targets: Vec<Target> = (0..100)
        .map(|number| {
            let name = format!("s-{number:03}");
            skill(&root, &name, &name, &format!("[a]({number}.md)\n"))
        })
        .collect();

    let checked = check(&targets, &[Profile::SPEC], &Limits::DEFAULT);

    let alone: Vec<Checked> = targets
        .iter()
        .flat_map(|target| {
            check(
                std::slice::from_ref(target),
                &[Profile::SPEC],
                &Limits::DEFAULT,
            )
        })
        .collect();
    assert_eq!(checked, alone);
}

#[test]
fn the_gravest_finding_is_the_verdict_and_notes_do_not_count() {
    let finding = |severity| Diagnostic::new(Rule::LinkBroken, severity, Path::new("/x"), "m");

    for (severities, verdict) in [
        (vec![], Verdict::Ok),
        (vec![Severity::Note], Verdict::Ok),
        (vec![Severity::Warning, Severity::Note], Verdict::Warning),
        (vec![Severity::Warning, Severity::Error], Verdict::Error),
    ] {
        let checked = Checked {
            target: Target {
                file: "/x/SKILL.md".into(),
            },
            bytes: Vec::new(),
            name: None,
            findings: severities.into_iter().map(finding).collect(),
        };
        assert_eq!(checked.verdict(), verdict);
    }
}

#[test]
fn several_profiles_tell_of_one_place_once_as_the_strictest_has_it() {
    let root = root();
    let target = skill(&root, "pdf", "PDFs", "One.\n");
    let said = |profiles: &[&Profile]| -> Vec<String> {
        check(std::slice::from_ref(&target), profiles, &Limits::DEFAULT)[0]
            .findings
            .iter()
            .map(|found| format!("{} {}", found.severity, found.rule))
            .collect()
    };

    let lenient = ["warning name-invalid", "warning name-mismatch"];
    let strict = ["error name-invalid", "error name-mismatch"];
    assert_eq!(said(&[Profile::CODEAF]), lenient);
    assert_eq!(said(&[Profile::CODEAF, Profile::SPEC]), strict);
    assert_eq!(said(&[Profile::SPEC, Profile::CODEAF]), strict);
}

#[test]
fn several_judges_say_what_each_says_alone() {
    let root = root();
    let targets = [
        skill(&root, "one", "one", "[x](nowhere.md)\n"),
        skill(&root, "two", "one", ""),
        Target {
            file: root.path().join("gone/SKILL.md"),
        },
    ];
    let judges: [&[&Profile]; 3] = [Profile::ALL, &[Profile::SPEC], &[Profile::CODER]];

    let lists = check_each(&targets, &judges, Keep::WhereFound, &Limits::DEFAULT);

    let alone = judges.map(|profiles| check(&targets, profiles, &Limits::DEFAULT));
    assert_eq!(lists, alone);
    assert_ne!(lists[0], lists[1]);
}

#[test]
fn bytes_are_kept_where_they_are_shown() {
    let root = root();
    let targets = [
        skill(&root, "fine", "fine", "Body.\n"),
        skill(&root, "a/twin", "twin", "Body.\n"),
        skill(&root, "b/twin", "twin", "Other.\n"),
        skill(&root, "c/twin", "twin", "Body.\n"),
        skill(&root, "empty", "empty", ""),
    ];

    let lists = check_each(
        &targets,
        &[&[Profile::SPEC]],
        Keep::WhereFound,
        &Limits::DEFAULT,
    );

    let kept = lists[0].iter().map(|one| !one.bytes.is_empty());
    assert_eq!(kept.collect::<Vec<_>>(), [false, false, true, true, true]);
    let severities = lists[0].iter().flat_map(|one| &one.findings);
    let severities: Vec<_> = severities.map(|found| found.severity).collect();
    assert_eq!(
        severities,
        [Severity::Warning, Severity::Note, Severity::Warning]
    );
}

#[test]
fn a_file_of_nearly_the_same_name_beside_the_skill_file_is_told() {
    let root = root();
    let target = skill(&root, "pdf", "pdf", "Body.\n");
    fs::write(root.path().join("pdf/skill.md"), "old").expect("a file");

    assert_eq!(
        said(&root, &[target]),
        [
            "pdf/skill.md:1:1: warning[skill-file-name]: `skill.md` stands beside `SKILL.md`; \
          on macOS and Windows the two are one file"
        ]
    );
}

#[test]
fn two_files_of_wrong_names_are_both_told() {
    let root = root();
    let mut target = skill(&root, "pdf", "pdf", "Body.\n");
    let wrong = target.file.with_file_name("SkIll.md");
    fs::rename(&target.file, &wrong).expect("another name");
    fs::write(root.path().join("pdf/skill.md"), "old").expect("a file");
    target.file = wrong;

    assert_eq!(
        said(&root, &[target]),
        [
            "pdf/SkIll.md:1:1: error[skill-file-name]: the file is called `SkIll.md`, and must be called `SKILL.md`",
            "pdf/skill.md:1:1: warning[skill-file-name]: `skill.md` stands beside `SkIll.md`; \
          on macOS and Windows the two are one file"
        ]
    );
}

#[test]
fn a_link_of_a_wrong_name_is_told_once() {
    let root = root();
    let other = skill(&root, "other", "other", "Body.\n");
    let file = root.path().join("pdf/skill.md");
    fs::create_dir(root.path().join("pdf")).expect("a folder");
    symlink(&other.file, &file).expect("a link");

    assert_eq!(
        said(&root, &[Target { file }]),
        [
            "pdf/skill.md:1:1: error[link-leaves]: `skill.md`, which must be called `SKILL.md`, \
          is a link out of the skill's folder, and is not followed"
        ]
    );
}
