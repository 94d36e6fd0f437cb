//! Cursor: closed; docs and issues.

use super::Effect::Unknown;
use super::Evidence::{Docs, Nobody};
use super::{
    Case, Characters, Effect, Evidence, Places, Profile, Reader, Scalars, TextRule, Trim, Unit,
};

/// Evidence: docs.
pub(super) static CURSOR: Profile = Profile {
    name: "cursor",
    acts_on: &[("disable-model-invocation", Docs), ("paths", Docs)],
    severities: &[],
    places: &PLACES,
    readers: &[Reader {
        version: "",
        // Fences, YAML, limits: unknown. Whatever some YAML takes for no text, and
        // whatever its manual or the specification refuses, is a case.
        scalars: Scalars::Yaml11,
        characters: Characters::Kebab,
        name: TextRule {
            trim: Trim::Nothing,
            most: Some((64, Unit::Characters)),
        },
        description: TextRule::UNKNOWN_DESCRIPTION,
        checks: CHECKS,
        ..Reader::UNKNOWN
    }],
};

/// In the order in which it looks.
static CHECKS: &[(&[Case], Effect, Evidence)] = &[
    // Required; whether a breach drops the skill is unknown.
    (
        &[
            Case::NameMissing,
            Case::DescriptionMissing,
            Case::NameMismatch,
        ],
        Unknown,
        Nobody,
    ),
];

/// Evidence: docs. The order, the walk, links and equal names are unknown.
static PLACES: Places = Places {
    project: &[
        ".cursor/skills",
        ".agents/skills",
        ".claude/skills",
        ".codex/skills",
    ],
    home: &[
        ".cursor/skills",
        ".agents/skills",
        ".claude/skills",
        ".codex/skills",
    ],
    ..Places::UNKNOWN
};
