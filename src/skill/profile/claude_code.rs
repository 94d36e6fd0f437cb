//! Claude Code, by its validator.

use super::Effect::{Changes, Loads, Unknown, Warns};
use super::Evidence::{Nobody, Run};
use super::{Base, Case, Effect, Evidence, FenceLine, Links, Places, Profile, Reader, SameName};

/// Evidence: agents.md, section 4: `plugin validate` of Claude Code 2.1.197, run; changelog to 2.1.240.
pub(super) static CLAUDE_CODE: Profile = Profile {
    name: "claude-code",
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
static CHECKS: &[(Case, Effect, Evidence)] = &[
    // A warning; a mark is read since 2.1.239 (docs).
    (Case::EmptyFile, Warns("No frontmatter block found …"), Run),
    (
        Case::ByteOrderMark,
        Warns("No frontmatter block found …"),
        Run,
    ),
    (Case::NoOpening, Warns("No frontmatter block found …"), Run),
    (Case::Unclosed, Warns("No frontmatter block found …"), Run),
    // The skill then has no fields.
    (
        Case::NotYaml,
        Changes("YAML frontmatter failed to parse: … all frontmatter fields silently dropped"),
        Run,
    ),
    (
        Case::ReservedFirst,
        Changes("YAML frontmatter failed to parse: … all frontmatter fields silently dropped"),
        Run,
    ),
    (
        Case::TabIndent,
        Changes("YAML frontmatter failed to parse: … all frontmatter fields silently dropped"),
        Run,
    ),
    (
        Case::ColonInValue,
        Changes("YAML frontmatter failed to parse: … all frontmatter fields silently dropped"),
        Run,
    ),
    (
        Case::ColonUnderHyphen,
        Changes("YAML frontmatter failed to parse: … all frontmatter fields silently dropped"),
        Run,
    ),
    (
        Case::ColonNested,
        Changes("YAML frontmatter failed to parse: … all frontmatter fields silently dropped"),
        Run,
    ),
    // The skill then has no fields.
    (Case::AliasBomb, Changes("Excessive aliasing …"), Run),
    // An error of the validator; made text since 2.1.47 (docs).
    (
        Case::NameNumber,
        Warns("name must be a string, got number"),
        Run,
    ),
    // As a number; its own text was not taken.
    (Case::NameBoolean, Warns(""), Run),
    // Lists and mappings.
    (
        Case::DescriptionNoText,
        Changes("description must be a string, got array. At runtime this value is dropped."),
        Run,
    ),
    // A warning; the body's first line stands in.
    (
        Case::DescriptionMissing,
        Warns("No description in frontmatter. …"),
        Run,
    ),
    // An error of the validator; its text was not taken.
    (Case::ToolsNumber, Warns(""), Run),
    // Every reader of YAML.
    (Case::ValueCut, Changes("cut at ` #`"), Run),
    // Which value counts.
    (Case::KnownTwice, Unknown, Nobody),
    (Case::ForeignTag, Unknown, Nobody),
    // No word.
    (Case::FrontmatterNotUtf8, Loads, Run),
    (Case::BodyNotUtf8, Loads, Run),
    (Case::ClosingIndented, Loads, Run),
    (Case::TabAfterColon, Loads, Run),
    (Case::OtherTwice, Loads, Run),
    (Case::NameMissing, Loads, Run),
    (Case::NameMismatch, Loads, Run),
    (Case::DescriptionEmpty, Loads, Run),
    (Case::DescriptionBlank, Loads, Run),
    (Case::DescriptionNumber, Loads, Run),
    (Case::DescriptionBoolean, Loads, Run),
    (Case::UnknownField, Loads, Run),
    (Case::MetadataNoMapping, Loads, Run),
    (Case::MetadataNotText, Loads, Run),
    (Case::ToolsList, Loads, Run),
    (Case::CompatibilityTooLong, Loads, Run),
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
