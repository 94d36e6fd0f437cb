//! goose: source, not run.

use super::Effect::{Drops, Loads};
use super::Evidence::Source;
use super::{
    Base, Case, Characters, Effect, Evidence, Links, Places, Profile, Reader, SameName, Scalars,
    TextRule,
};

/// Evidence: source, not run.
pub(super) static GOOSE: Profile = Profile {
    name: "goose",
    acts_on: &[],
    severities: &[],
    places: &PLACES,
    readers: &[Reader {
        version: "",
        // Fences, YAML, the description's limit: unknown. Whatever some YAML takes
        // for no text is a case.
        scalars: Scalars::Yaml11,
        description: TextRule::UNKNOWN_DESCRIPTION,
        characters: Characters::Without("/"),
        checks: CHECKS,
        ..Reader::UNKNOWN
    }],
};

/// In the order in which it looks.
static CHECKS: &[(&[Case], Effect, Evidence)] = &[
    // A name without `/` is required.
    (&[Case::NameMissing, Case::NamePattern], Drops(""), Source),
    // Empty text stands in.
    (&[Case::DescriptionMissing], Loads, Source),
];

/// Evidence: source, not run.
static PLACES: Places = Places {
    project: &[".agents/skills", ".goose/skills", ".claude/skills"],
    home: &[
        ".agents/skills",
        ".config/goose/skills",
        ".claude/skills",
        ".config/agents/skills",
    ],
    first: Some(Base::Project),
    depth: Some(usize::MAX),
    folder_links: Some(Links::Followed),
    same_name: Some(SameName::First),
    ..Places::UNKNOWN
};
