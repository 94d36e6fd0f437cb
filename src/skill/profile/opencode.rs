//! opencode.

use super::Effect::{Changes, Drops, Loads};
use super::Evidence::Run;
use super::{Case, Effect, Evidence, FenceLine, Links, Places, Profile, Reader, SameName};

/// Evidence: agents.md, section 3: opencode 1.18.33, run.
pub(super) static OPENCODE: Profile = Profile {
    name: "opencode",
    severities: &[],
    places: &PLACES,
    readers: &[Reader {
        version: "1.18.33",
        opening: Some(FenceLine::Blanks),
        closing: Some(FenceLine::Prefix),
        to_the_end: true,
        checks: CHECKS,
        ..Reader::UNKNOWN
    }],
};

/// In the order in which it looks.
static CHECKS: &[(Case, Effect, Evidence)] = &[
    // Dropped files have no line in the log. A word behind the dashes names a language.
    (Case::EmptyFile, Drops(""), Run),
    (Case::NoOpening, Drops(""), Run),
    (Case::NoFields, Drops(""), Run),
    (Case::NotAMapping, Drops(""), Run),
    (Case::NotYaml, Drops(""), Run),
    (Case::SecondDocument, Drops(""), Run),
    (Case::ReservedFirst, Drops(""), Run),
    (Case::ForeignTag, Drops(""), Run),
    // The fallback is for top-level fields without a hyphen.
    (Case::ColonUnderHyphen, Drops(""), Run),
    (Case::ColonNested, Drops(""), Run),
    // In any field.
    (Case::KnownTwice, Drops(""), Run),
    (Case::OtherTwice, Drops(""), Run),
    // Missing or null.
    (Case::NameMissing, Drops(""), Run),
    (Case::NameNull, Drops(""), Run),
    // Lists, mappings, numbers, truth values, dates.
    (Case::NameNoText, Drops(""), Run),
    (Case::NameNumber, Drops(""), Run),
    (Case::NameBoolean, Drops(""), Run),
    (Case::DescriptionNoText, Drops(""), Run),
    (Case::DescriptionNumber, Drops(""), Run),
    (Case::DescriptionBoolean, Drops(""), Run),
    (Case::DescriptionNull, Drops(""), Run),
    // No line closes.
    (
        Case::Unclosed,
        Changes("all to the end is read as YAML"),
        Run,
    ),
    // Any line that begins with dashes closes.
    (
        Case::ClosingText,
        Changes("the rest of the closing line becomes body"),
        Run,
    ),
    // Replaced.
    (
        Case::FrontmatterNotUtf8,
        Changes("the bytes become U+FFFD"),
        Run,
    ),
    (Case::BodyNotUtf8, Changes("the bytes become U+FFFD"), Run),
    // Every reader of YAML.
    (Case::ValueCut, Changes("cut at ` #`"), Run),
    // Loads.
    (Case::ByteOrderMark, Loads, Run),
    (Case::ClosingBlanks, Loads, Run),
    (Case::ColonInValue, Loads, Run),
    (Case::TabIndent, Loads, Run),
    (Case::TabAfterColon, Loads, Run),
    (Case::AliasBomb, Loads, Run),
    (Case::NameEmpty, Loads, Run),
    (Case::NameMismatch, Loads, Run),
    (Case::DescriptionMissing, Loads, Run),
    (Case::DescriptionEmpty, Loads, Run),
    (Case::DescriptionBlank, Loads, Run),
    (Case::UnknownField, Loads, Run),
    (Case::MetadataNoMapping, Loads, Run),
    (Case::MetadataNotText, Loads, Run),
    (Case::ToolsList, Loads, Run),
    (Case::ToolsNumber, Loads, Run),
    (Case::LicenseNoText, Loads, Run),
    (Case::CompatibilityTooLong, Loads, Run),
    (Case::BodyEmpty, Loads, Run),
];

/// Evidence: run. Neither base comes first for sure.
static PLACES: Places = Places {
    project: &[
        ".claude/skills",
        ".agents/skills",
        ".opencode/skill",
        ".opencode/skills",
    ],
    home: &[
        ".claude/skills",
        ".agents/skills",
        ".config/opencode/skill",
        ".config/opencode/skills",
        ".opencode/skills",
    ],
    // To the worktree.
    walks_up: Some(true),
    depth: Some(usize::MAX),
    folder_links: Some(Links::Followed),
    file_links: Some(Links::Followed),
    same_name: Some(SameName::Unsettled),
    ..Places::UNKNOWN
};
