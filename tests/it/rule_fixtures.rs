//! Every rule that `check` can give has a good and a bad twin under
//! `tests/fixtures/rules`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use codeaf_skills::check::{self, Target};
use codeaf_skills::skill::profile::Profile;
use codeaf_skills::{Limits, Rule};

/// Rules without twins, and why; all but the last group are provoked in
/// `rules.rs`.
const WITHOUT_FIXTURE: &[(&str, &[Rule])] = &[
    (
        "a checkout keeps no pipes and no modes, and on some systems no links",
        &[
            Rule::NotAFile,
            Rule::Unreadable,
            Rule::LinkLeaves,
            Rule::LinkDangling,
            Rule::LinkRing,
            Rule::ResourceLeaves,
            Rule::ResourceUnresolved,
            Rule::ResourceUnlisted,
        ],
    ),
    (
        "takes a file or a folder of a size that no repository should carry",
        &[
            Rule::FileTooLarge,
            Rule::FrontmatterTooLarge,
            Rule::CandidatesBound,
            Rule::ResourceTooLarge,
        ],
    ),
    (
        "is about a folder of skills, and not about a skill",
        &[Rule::PlainFile, Rule::NoSkillFile],
    ),
    (
        "is not a matter of check",
        &[
            Rule::ScopeUnreadable,
            Rule::ScopeMalformed,
            Rule::ScopeBothLists,
            Rule::ScopeDuplicate,
            Rule::AttachedFolder,
            Rule::StoreUnreachable,
            Rule::StoreDamaged,
            Rule::StoreNewer,
            Rule::StoreNotAllowed,
            Rule::StoreNotSetUp,
            Rule::StoreUnknown,
            Rule::ResourceNotEntered,
            Rule::ResourcesBound,
            Rule::ResourcesDepth,
            Rule::CatalogBound,
        ],
    ),
];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/rules")
}

/// The rules that checking all skills under `folder` gives, and the texts of
/// all findings.
fn found(folder: &Path) -> (BTreeSet<Rule>, Vec<String>) {
    let targets = skill_files(folder);
    assert!(!targets.is_empty(), "{} holds no skill", folder.display());
    let checked = check::check(&targets, &[Profile::SPEC], &Limits::DEFAULT);
    let findings = checked.iter().flat_map(|one| &one.findings);
    findings
        .map(|finding| (finding.rule, finding.to_string()))
        .unzip()
}

fn skill_files(folder: &Path) -> Vec<Target> {
    let is_one = |file: &PathBuf| {
        file.file_name()
            .is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"))
    };
    let (folders, files): (Vec<_>, Vec<_>) =
        children(folder).into_iter().partition(|path| path.is_dir());
    let targets = files.into_iter().filter(is_one).map(|file| Target { file });
    targets
        .chain(folders.iter().flat_map(|folder| skill_files(folder)))
        .collect()
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

#[test]
fn every_rule_of_check_has_a_bad_twin_that_breaks_it_and_a_good_one_without_fault() {
    let without: BTreeSet<Rule> = WITHOUT_FIXTURE
        .iter()
        .flat_map(|(_, rules)| rules.iter().copied())
        .collect();
    let mut faults = Vec::new();

    for rule in Rule::ALL.iter().filter(|rule| !without.contains(rule)) {
        let folder = fixtures().join(rule.code());
        if !folder.join("bad").is_dir() || !folder.join("good").is_dir() {
            faults.push(format!("{rule}: no twins"));
            continue;
        }
        let (bad, texts) = found(&folder.join("bad"));
        if !bad.contains(rule) {
            faults.push(format!("{rule}: the bad one has {texts:?}"));
        }
        let (_, texts) = found(&folder.join("good"));
        if !texts.is_empty() {
            faults.push(format!("{rule}: the good one has {texts:?}"));
        }
    }

    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_folder_of_fixtures_is_of_a_rule_that_needs_one() {
    let needed: BTreeSet<&str> = Rule::ALL.iter().map(|rule| rule.code()).collect();

    for folder in children(&fixtures()) {
        let code = folder.file_name().unwrap().to_str().unwrap();
        assert!(needed.contains(code), "{code}");
    }
}
