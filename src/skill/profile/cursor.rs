//! Cursor: closed; docs and issues.

use super::Effect::Unknown;
use super::Evidence::Nobody;
use super::{Case, Effect, Evidence, Places, Profile, Reader};

/// Evidence: agents.md, section 7: docs.
pub(super) static CURSOR: Profile = Profile {
    name: "cursor",
    severities: &[],
    places: &PLACES,
    readers: &[Reader {
        version: "",
        // Fences, YAML, limits: unknown.
        checks: CHECKS,
        ..Reader::UNKNOWN
    }],
};

/// In the order in which it looks.
static CHECKS: &[(Case, Effect, Evidence)] = &[
    // Required; whether a breach drops the skill is unknown.
    (Case::NameMissing, Unknown, Nobody),
    (Case::DescriptionMissing, Unknown, Nobody),
    (Case::NameMismatch, Unknown, Nobody),
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
