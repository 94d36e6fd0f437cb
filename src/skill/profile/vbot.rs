//! vBot, generation V0 of its loader.

use super::Effect::{Changes, Drops, Loads, Warns};
use super::Evidence::Source;
use super::{
    Base, Case, Effect, Evidence, FenceLine, LineEnds, Links, PlaceCase, Places, Profile, Reader,
    Requirements, SameName, Scalars, TextRule, Trim, Unit, Which,
};

/// Evidence: its source and tests, the loader of generation V0.
pub(super) static VBOT: Profile = Profile {
    name: "vbot",
    acts_on: &[],
    severities: &[],
    places: &PLACES,
    readers: &[Reader {
        version: "V0",
        // Python: splitlines, first line stripped.
        line_ends: LineEnds::Python,
        opening: Some(FenceLine::Trimmed),
        closing: Some(FenceLine::Trimmed),
        // PyYAML's safe loader.
        scalars: Scalars::Yaml11,
        // VF14.
        twice: Which::Last,
        // VF16.
        name: TextRule {
            trim: Trim::Nothing,
            most: Some((64, Unit::Characters)),
        },
        // VF20.
        requirements: Some(Requirements {
            under: "vbot",
            leaves: &["binary", "env", "skill"],
            groups: &["all", "any"],
            optional: "optional",
        }),
        checks: CHECKS,
        ..Reader::UNKNOWN
    }],
};

/// In the order in which it looks.
static CHECKS: &[(&[Case], Effect, Evidence)] = &[
    // VF18: with the codec's text.
    (
        &[Case::FrontmatterNotUtf8, Case::BodyNotUtf8],
        Drops(""),
        Source,
    ),
    // VF2, VF3.
    (
        &[Case::EmptyFile, Case::ByteOrderMark, Case::NoOpening],
        Drops("Skill metadata missing front matter: …"),
        Source,
    ),
    // VF4.
    (
        &[Case::Unclosed],
        Drops("Skill metadata front matter is not closed: …"),
        Source,
    ),
    // The first line that strips to dashes closes.
    (
        &[Case::ClosingIndented],
        Changes("an indented `---` closes the frontmatter"),
        Source,
    ),
    // VF9, VF10; only top-level lines are mended; PyYAML refuses a tab behind a colon.
    (
        &[
            Case::ColonNested,
            Case::NotYaml,
            Case::ReservedFirst,
            Case::TabIndent,
            Case::TabAfterColon,
        ],
        Drops("Invalid YAML front matter: …"),
        Source,
    ),
    // VF7.
    (
        &[Case::NotAMapping],
        Drops("Invalid YAML front matter in …: expected a mapping."),
        Source,
    ),
    // VF5.
    (
        &[Case::NameMissing, Case::NameNull, Case::NameEmpty],
        Drops("Skill metadata missing name: …"),
        Source,
    ),
    // VF6.
    (
        &[Case::DescriptionMissing],
        Drops("Skill metadata missing description: …"),
        Source,
    ),
    // VF20.
    (&[Case::BadRequirements], Drops("{requirements}"), Source),
    // VF8.
    (
        &[Case::ColonInValue, Case::ColonUnderHyphen],
        Warns("YAML front matter was repaired by quoting scalar values with colons."),
        Source,
    ),
    // VF15.
    (
        &[Case::NameMismatch],
        Warns("Skill name '{name}' does not match directory name '{folder}'."),
        Source,
    ),
    // VF16.
    (
        &[Case::NameTooLong],
        Warns("… is longer than 64 characters."),
        Source,
    ),
    // VF11.
    (&[Case::NameNumber], Loads, Source),
    // VF12, VF13: Python's own text of a value.
    (
        &[Case::NameBoolean],
        Changes("becomes `True` or `False`"),
        Source,
    ),
    // VF13.
    (
        &[Case::DescriptionList],
        Changes("becomes Python's text of the list"),
        Source,
    ),
    // VF13.
    (
        &[Case::DescriptionMapping, Case::DescriptionMappingOnLine],
        Changes("becomes Python's text of the mapping"),
        Source,
    ),
    // VF14.
    (&[Case::KnownTwice], Changes("the last one counts"), Source),
    // YAML.
    (&[Case::ValueCut], Changes("cut at ` #`"), Source),
    // VF14, VF19, VF21; requirements are a mapping under `metadata`.
    (
        &[
            Case::OtherTwice,
            Case::ToolsList,
            Case::MetadataNotText,
            Case::BodyEmpty,
        ],
        Loads,
        Source,
    ),
];

/// Evidence: source.
static PLACES: Places = Places {
    // By the project's declared format: one of the two.
    project: &[".opencode/skills", ".claude/skills"],
    first: Some(Base::Project),
    walks_up: Some(false),
    depth: Some(1),
    folder_links: Some(Links::Followed),
    same_name: Some(SameName::First),
    words: &[(
        PlaceCase::NameTaken,
        "Duplicate skill name '{name}' rejected; first found at {winner}.",
    )],
    doubt: "of the two folders of a project, only the one of its declared format is looked at; \
            private, user and shipped skills lie elsewhere, and --skills-dir names them",
    ..Places::UNKNOWN
};
