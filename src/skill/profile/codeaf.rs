//! The lenient reading of discovery: what loads, and what is said of it.

use super::{Base, Breach, Evidence, Links, Places, Profile, SameName};
use crate::diagnostic::Severity::{Error, Warning};

/// Evidence: the client guide of agentskills.io, which asks for lenient
/// loading, and the README's section on what loads.
pub(super) static CODEAF: Profile = Profile {
    name: "codeaf",
    // What to type behind the slash command.
    acts_on: &[("argument-hint", Evidence::Source)],
    places: &PLACES,
    readers: &[],
    severities: &[
        // Guide: YAML beyond parsing, skip and log.
        (Breach::NotRead, Error),
        (Breach::ByteOrderMark, Warning),
        (Breach::FenceBlanks, Warning),
        (Breach::ClosedLate, Warning),
        (Breach::LoneCarriageReturn, Warning),
        (Breach::FrontmatterNotUtf8, Warning),
        (Breach::BodyNotUtf8, Warning),
        (Breach::NulInBody, Warning),
        (Breach::DuplicateField, Warning),
        (Breach::UnknownField, Warning),
        // Guide: fall back by quoting, and try again.
        (Breach::UnquotedColon, Warning),
        (Breach::NotText, Warning),
        (Breach::WrongShape, Warning),
        (Breach::CompatibilityTooLong, Warning),
        (Breach::NameMissing, Warning),
        // A name becomes part of paths and of commands.
        (Breach::NameUnsafe, Error),
        // Guide: name not the folder's, or too long: warn and load.
        (Breach::NameInvalid, Warning),
        (Breach::NameTooLong, Warning),
        (Breach::NameMismatch, Warning),
        // Guide: description missing or empty, skip and log.
        (Breach::DescriptionMissing, Error),
        (Breach::DescriptionTooLong, Warning),
    ],
};

/// Evidence: the README's section on where things are.
static PLACES: Places = Places {
    project: &[
        ".codeaf/skills",
        ".agents/skills",
        ".claude/skills",
        ".codex/skills",
        ".cursor/skills",
        ".gemini/skills",
        ".opencode/skills",
        ".goose/skills",
        ".github/skills",
    ],
    home: &[
        ".codeaf/skills",
        ".agents/skills",
        ".claude/skills",
        ".codex/skills",
        ".cursor/skills",
        ".gemini/skills",
        ".opencode/skills",
        ".goose/skills",
        ".github/skills",
        ".copilot/skills",
        ".config/opencode/skills",
        ".config/goose/skills",
    ],
    first: Some(Base::Project),
    walks_up: Some(true),
    depth: Some(1),
    folder_links: Some(Links::Followed),
    file_links: Some(Links::Inside),
    same_name: Some(SameName::First),
    candidates: Some(16_384),
    ..Places::UNKNOWN
};
