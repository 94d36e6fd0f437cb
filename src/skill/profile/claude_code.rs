//! Claude Code, by its validator.

use super::Effect::{Changes, Loads, Unknown, Warns};
use super::Evidence::{Docs, Nobody, Run};
use super::{Base, Case, Effect, Evidence, FenceLine, Links, Places, Profile, Reader, SameName};

/// Evidence: `plugin validate` of Claude Code 2.1.197, run; changelog to 2.1.240.
pub(super) static CLAUDE_CODE: Profile = Profile {
    name: "claude-code",
    acts_on: &[
        // The rows on switches and on the catalog.
        ("disable-model-invocation", Docs),
        ("user-invocable", Docs),
        ("default-enabled", Docs),
        ("paths", Docs),
        // Its manual's table of fields.
        ("when_to_use", Docs),
        ("argument-hint", Docs),
        ("arguments", Docs),
        ("model", Docs),
        ("effort", Docs),
        ("context", Docs),
        ("agent", Docs),
        ("hooks", Docs),
        ("shell", Docs),
    ],
    severities: &[],
    places: &PLACES,
    readers: &[Reader {
        version: "2.1.197",
        opening: Some(FenceLine::Blanks),
        // Blanks are fine, and it may be indented.
        closing: Some(FenceLine::Trimmed),
        folder_stands_in: true,
        checks: CHECKS,
        ..Reader::UNKNOWN
    }],
};

/// In the order in which it looks.
static CHECKS: &[(&[Case], Effect, Evidence)] = &[
    // A warning; a mark is read since 2.1.239 (docs).
    (
        &[
            Case::EmptyFile,
            Case::ByteOrderMark,
            Case::NoOpening,
            Case::Unclosed,
        ],
        Warns("No frontmatter block found …"),
        Run,
    ),
    // The skill then has no fields.
    (
        &[
            Case::NotYaml,
            Case::ReservedFirst,
            Case::TabIndent,
            Case::ColonInValue,
            Case::ColonUnderHyphen,
            Case::ColonNested,
        ],
        Changes("YAML frontmatter failed to parse: … all frontmatter fields silently dropped"),
        Run,
    ),
    // The skill then has no fields.
    (&[Case::AliasBomb], Changes("Excessive aliasing …"), Run),
    // An error of the validator; made text since 2.1.47 (docs).
    (
        &[Case::NameNumber],
        Warns("name must be a string, got number"),
        Run,
    ),
    // As a number; its own text was not taken.
    (&[Case::NameBoolean], Warns(""), Run),
    (
        &[Case::DescriptionList],
        Changes("description must be a string, got array. At runtime this value is dropped."),
        Run,
    ),
    // What it calls a mapping was not written down.
    (
        &[Case::DescriptionMapping, Case::DescriptionMappingOnLine],
        Changes("description must be a string, … At runtime this value is dropped."),
        Run,
    ),
    // A warning; the body's first line stands in.
    (
        &[Case::DescriptionMissing],
        Warns("No description in frontmatter. …"),
        Run,
    ),
    // An error of the validator; its text was not taken.
    (&[Case::ToolsNumber], Warns(""), Run),
    // Which value counts.
    (&[Case::KnownTwice, Case::ForeignTag], Unknown, Nobody),
    // No word.
    (
        &[
            Case::FrontmatterNotUtf8,
            Case::BodyNotUtf8,
            Case::ClosingIndented,
            Case::TabAfterColon,
            Case::OtherTwice,
            Case::NameMissing,
            Case::NameMismatch,
            Case::DescriptionEmpty,
            Case::DescriptionBlank,
            Case::DescriptionNumber,
            Case::DescriptionBoolean,
            Case::UnknownField,
            Case::MetadataNoMapping,
            Case::MetadataNotText,
            Case::ToolsList,
            Case::CompatibilityTooLong,
        ],
        Loads,
        Run,
    ),
];

/// Evidence: docs, issues.
static PLACES: Places = Places {
    project: &[".claude/skills"],
    home: &[".claude/skills"],
    // Personal, then project.
    first: Some(Base::Home),
    depth: Some(1),
    folder_links: Some(Links::Followed),
    same_name: Some(SameName::First),
    ..Places::UNKNOWN
};
