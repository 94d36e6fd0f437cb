//! Codex.

use super::Effect::{Changes, Drops, Loads};
use super::Evidence::Run;
use super::{
    Base, Case, Effect, Evidence, FenceLine, Links, Places, Profile, Reader, SameName, TextRule,
    Trim, Unit,
};

/// Evidence: Codex 0.171.0, run.
pub(super) static CODEX: Profile = Profile {
    name: "codex",
    acts_on: &[],
    severities: &[],
    places: &PLACES,
    readers: &[Reader {
        version: "0.171.0",
        // Any line that trims to dashes.
        opening: Some(FenceLine::Trimmed),
        closing: Some(FenceLine::Trimmed),
        folder_stands_in: true,
        // Blanks folded; 64 characters, not bytes; any length.
        name: TextRule {
            trim: Trim::Folds,
            most: Some((64, Unit::Characters)),
        },
        description: TextRule {
            trim: Trim::Folds,
            most: None,
        },
        checks: CHECKS,
        ..Reader::UNKNOWN
    }],
};

/// In the order in which it looks.
static CHECKS: &[(&[Case], Effect, Evidence)] = &[
    // In the body too.
    (
        &[Case::FrontmatterNotUtf8, Case::BodyNotUtf8],
        Drops("failed to read file: invalid utf-8 sequence of 1 bytes from index …"),
        Run,
    ),
    // A mark and a lone CR hide the fence; so does want of fields.
    (
        &[
            Case::EmptyFile,
            Case::ByteOrderMark,
            Case::NoOpening,
            Case::NoFields,
        ],
        Drops("missing YAML frontmatter delimited by ---"),
        Run,
    ),
    // Dropped in the matrix; the text was not taken.
    (&[Case::Unclosed, Case::NotAMapping], Drops(""), Run),
    // An indented fence in a block's text ends the frontmatter.
    (
        &[Case::ClosingIndented],
        Changes("an indented `---` closes the frontmatter"),
        Run,
    ),
    // Not mended: text behind a quote, unknown escapes.
    (&[Case::NotYaml], Drops("invalid YAML: …"), Run),
    // As indentation.
    (
        &[Case::TabIndent],
        Drops("invalid YAML: found character that cannot start any token …"),
        Run,
    ),
    // Only known fields.
    (
        &[Case::KnownTwice],
        Drops("invalid YAML: duplicate field …"),
        Run,
    ),
    // A list; a mapping on several lines was not tried.
    (
        &[Case::DescriptionList],
        Drops("invalid YAML: description: invalid type: sequence, expected a string …"),
        Run,
    ),
    // List or text.
    (
        &[Case::MetadataNoMapping],
        Drops("invalid YAML: metadata: invalid type: …"),
        Run,
    ),
    // Missing, empty, blank.
    (
        &[
            Case::DescriptionMissing,
            Case::DescriptionEmpty,
            Case::DescriptionBlank,
        ],
        Drops("missing field `description`"),
        Run,
    ),
    // 64 characters.
    (
        &[Case::NameTooLong],
        Drops("invalid name: exceeds maximum length of 64 characters"),
        Run,
    ),
    // Every reader of YAML.
    (&[Case::ValueCut], Changes("cut at ` #`"), Run),
    // Mended, ignored, or taken as written; the folder's name stands in.
    (
        &[
            Case::ColonInValue,
            Case::ColonUnderHyphen,
            Case::ColonNested,
            Case::ReservedFirst,
            Case::TabAfterColon,
            Case::AliasBomb,
            Case::ForeignTag,
            Case::OtherTwice,
            Case::NameMissing,
            Case::NameNull,
            Case::NameEmpty,
            Case::NameNumber,
            Case::NameBoolean,
            Case::NameMismatch,
            Case::DescriptionNumber,
            Case::DescriptionBoolean,
            // Mended to text.
            Case::DescriptionMappingOnLine,
            Case::Alias,
            Case::UnknownField,
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

/// Evidence: run.
static PLACES: Places = Places {
    project: &[".agents/skills", ".codex/skills"],
    home: &[".agents/skills", ".codex/skills"],
    first: Some(Base::Project),
    // To the folder that holds `.git`.
    walks_up: Some(true),
    depth: Some(6),
    folder_links: Some(Links::Followed),
    file_links: Some(Links::Passed),
    same_name: Some(SameName::AllStay),
    // Entries of a root; 2,000 folders (source).
    candidates: Some(20_000),
    ..Places::UNKNOWN
};
