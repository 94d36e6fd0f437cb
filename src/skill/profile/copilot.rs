//! Copilot: two readers that disagree, VS Code chat and the CLI.

use super::Effect::{Changes, Drops, Loads, Unknown};
use super::Evidence::{Docs, Issue, Nobody, Source};
use super::{
    Base, Case, Characters, Effect, Evidence, FenceLine, Places, Profile, Reader, SameName,
    TextRule, Trim, Unit,
};

/// Evidence: VS Code by source, the CLI by docs and issues.
pub(super) static COPILOT: Profile = Profile {
    name: "copilot",
    acts_on: &[
        ("disable-model-invocation", Source),
        ("user-invocable", Source),
        // A list in it refuses the skill.
        ("argument-hint", Issue),
    ],
    severities: &[],
    places: &PLACES,
    readers: &[
        Reader {
            version: "source of several dates",
            label: "VS Code chat",
            opening: Some(FenceLine::Blanks),
            closing: Some(FenceLine::Blanks),
            to_the_end: true,
            folder_stands_in: true,
            name: TextRule {
                trim: Trim::Nothing,
                most: Some((64, Unit::Utf16)),
            },
            description: TextRule {
                trim: Trim::Nothing,
                most: Some((1_024, Unit::Utf16)),
            },
            checks: CHECKS,
            ..Reader::UNKNOWN
        },
        Reader {
            version: "docs of late 2026",
            label: "Copilot CLI",
            // Either case; whether a breach drops the skill is unknown.
            characters: Characters::WordsWith("-_.: "),
            // Over 64 or 1,024 characters.
            name: TextRule {
                trim: Trim::Nothing,
                most: Some((64, Unit::Characters)),
            },
            description: TextRule {
                trim: Trim::Nothing,
                most: Some((1_024, Unit::Characters)),
            },
            checks: CLI_CHECKS,
            ..Reader::UNKNOWN
        },
    ],
};

/// In the order in which it looks.
static CHECKS: &[(&[Case], Effect, Evidence)] = &[
    // No fence, or UTF-16.
    (
        &[Case::NoOpening, Case::EmptyFile],
        Changes("it loads without a description"),
        Source,
    ),
    // All to the end is frontmatter.
    (
        &[Case::Unclosed],
        Changes("all to the end is frontmatter"),
        Source,
    ),
    // Silent.
    (
        &[
            Case::ColonInValue,
            Case::ColonUnderHyphen,
            Case::ColonNested,
        ],
        Changes("cut at the first `: `, and every later field is lost"),
        Source,
    ),
    // A line that it cannot place ends the map without a word.
    (
        &[Case::NotYaml],
        Changes("every field behind the line is lost"),
        Source,
    ),
    // The first counts.
    (&[Case::KnownTwice], Changes("the first one counts"), Source),
    // A list or a mapping.
    (
        &[
            Case::DescriptionList,
            Case::DescriptionMapping,
            Case::DescriptionMappingOnLine,
        ],
        Changes("there is no description"),
        Source,
    ),
    // Nothing expands.
    (
        &[Case::Alias],
        Changes("the alias stays in the text"),
        Source,
    ),
    // Tags stay.
    (
        &[Case::ForeignTag],
        Changes("the tag stays in the text"),
        Source,
    ),
    // Cut.
    (&[Case::ValueCut], Changes("cut at ` #`"), Source),
    // Cut.
    (
        &[Case::NameTooLong],
        Changes("cut to 64 UTF-16 units"),
        Source,
    ),
    // Cut.
    (
        &[Case::DescriptionTooLong],
        Changes("cut to 1,024 UTF-16 units"),
        Source,
    ),
    // The folder's name is used.
    (
        &[Case::NameMismatch],
        Changes("the folder's name is used"),
        Source,
    ),
    // Ignored, or text as written.
    (
        &[
            Case::AliasBomb,
            Case::TabAfterColon,
            Case::OtherTwice,
            Case::NameMissing,
            Case::NameNumber,
            Case::NameBoolean,
            Case::DescriptionMissing,
            Case::DescriptionNumber,
            Case::DescriptionBoolean,
            Case::UnknownField,
            Case::MetadataNoMapping,
            Case::MetadataNotText,
            Case::ToolsList,
            Case::ToolsNumber,
            Case::LicenseNoText,
            Case::CompatibilityTooLong,
        ],
        Loads,
        Source,
    ),
];

/// Evidence: source, docs.
static PLACES: Places = Places {
    // As the CLI has them.
    project: &[".github/skills", ".agents/skills", ".claude/skills"],
    home: &[".copilot/skills", ".agents/skills"],
    first: Some(Base::Project),
    // The CLI alone, and `.github/skills` alone.
    walks_up: Some(true),
    depth: Some(1),
    same_name: Some(SameName::First),
    doubt: "only the CLI looks in folders above, and there only in .github/skills",
    ..Places::UNKNOWN
};

/// In no known order.
static CLI_CHECKS: &[(&[Case], Effect, Evidence)] = &[
    // A report.
    (
        &[Case::NoOpening, Case::Unclosed],
        Drops("missing or malformed YAML frontmatter"),
        Issue,
    ),
    // Reports.
    (
        &[
            Case::ColonInValue,
            Case::ColonUnderHyphen,
            Case::ColonNested,
        ],
        Drops(""),
        Issue,
    ),
    // Required; whether a breach drops the skill is unknown.
    (
        &[Case::NameMissing, Case::DescriptionMissing],
        Unknown,
        Nobody,
    ),
    // Silent (3494).
    (&[Case::DescriptionTooLong], Drops(""), Issue),
    // Ignored; a list is allowed.
    (&[Case::UnknownField, Case::ToolsList], Loads, Docs),
];
