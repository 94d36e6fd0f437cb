//! opencode.

use super::Effect::{Changes, Drops, Loads};
use super::Evidence::Run;
use super::{Case, Effect, Evidence, FenceLine, Links, Places, Profile, Reader, SameName};

/// Evidence: opencode 1.18.33, run.
pub(super) static OPENCODE: Profile = Profile {
    name: "opencode",
    acts_on: &[],
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
static CHECKS: &[(&[Case], Effect, Evidence)] = &[
    // Dropped files have no line in the log. A word behind the dashes names a language.
    (
        &[
            Case::EmptyFile,
            Case::NoOpening,
            Case::NoFields,
            Case::NotAMapping,
            Case::NotYaml,
            Case::SecondDocument,
            Case::ReservedFirst,
            Case::ForeignTag,
        ],
        Drops(""),
        Run,
    ),
    // The fallback is for top-level fields without a hyphen.
    (&[Case::ColonUnderHyphen, Case::ColonNested], Drops(""), Run),
    // In any field.
    (&[Case::KnownTwice, Case::OtherTwice], Drops(""), Run),
    // Missing or null.
    (&[Case::NameMissing, Case::NameNull], Drops(""), Run),
    // Lists, mappings, numbers, truth values, dates.
    (
        &[
            Case::NameList,
            Case::NameMapping,
            Case::NameNumber,
            Case::NameBoolean,
            Case::DescriptionList,
            Case::DescriptionMapping,
            Case::DescriptionMappingOnLine,
            Case::DescriptionNumber,
            Case::DescriptionBoolean,
            Case::DescriptionNull,
        ],
        Drops(""),
        Run,
    ),
    // No line closes.
    (
        &[Case::Unclosed],
        Changes("all to the end is read as YAML"),
        Run,
    ),
    // Any line that begins with dashes closes.
    (
        &[Case::ClosingText],
        Changes("the rest of the closing line becomes body"),
        Run,
    ),
    // Replaced.
    (
        &[Case::FrontmatterNotUtf8, Case::BodyNotUtf8],
        Changes("the bytes become U+FFFD"),
        Run,
    ),
    // Every reader of YAML.
    (&[Case::ValueCut], Changes("cut at ` #`"), Run),
    // Loads.
    (
        &[
            Case::ByteOrderMark,
            Case::ClosingBlanks,
            Case::ColonInValue,
            Case::TabIndent,
            Case::TabAfterColon,
            Case::AliasBomb,
            Case::NameEmpty,
            Case::NameMismatch,
            Case::DescriptionMissing,
            Case::DescriptionEmpty,
            Case::DescriptionBlank,
            Case::Alias,
            Case::UnknownField,
            Case::MetadataNoMapping,
            Case::MetadataNotText,
            Case::ToolsList,
            Case::ToolsNumber,
            Case::LicenseNoText,
            Case::CompatibilityTooLong,
            Case::BodyEmpty,
        ],
        Loads,
        Run,
    ),
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
