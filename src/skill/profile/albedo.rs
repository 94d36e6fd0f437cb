//! Albedo, generation A1.

use super::Effect::{Changes, Drops, Loads};
use super::Evidence::Source;
use super::{
    Base, Case, Characters, Effect, Evidence, FenceLine, Links, PlaceCase, Places, Profile, Reader,
    SameName, Scalars, TextRule, Trim, Unit,
};

/// Evidence: its source and tests, generation A1.
pub(super) static ALBEDO: Profile = Profile {
    name: "albedo",
    acts_on: &[],
    severities: &[],
    places: &PLACES,
    readers: &[Reader {
        version: "A1",
        // AF16, AF17: bare dashes.
        opening: Some(FenceLine::Bare),
        closing: Some(FenceLine::Bare),
        // Its limits.
        file_bytes: Some(1_048_576),
        frontmatter_bytes: Some(65_536),
        // AF3: the failsafe schema.
        scalars: Scalars::AllText,
        // AF20, AF26: not trimmed; AF21: trimmed first.
        name: TextRule {
            trim: Trim::Nothing,
            most: Some((64, Unit::Bytes)),
        },
        description: TextRule {
            trim: Trim::Space,
            most: Some((1_024, Unit::Characters)),
        },
        characters: Characters::Kebab,
        checks: CHECKS,
        ..Reader::UNKNOWN
    }],
};

/// In the order in which it looks.
static CHECKS: &[(&[Case], Effect, Evidence)] = &[
    // AF24.
    (&[Case::EmptyFile], Drops("empty SKILL.md"), Source),
    // 2.3.
    (
        &[Case::FileTooLarge],
        Drops("SKILL.md exceeds 1048576 bytes"),
        Source,
    ),
    // AF16.
    (
        &[Case::ByteOrderMark, Case::NoOpening],
        Drops("SKILL.md must begin with YAML frontmatter"),
        Source,
    ),
    // AF18.
    (
        &[Case::FrontmatterTooLarge],
        Drops("YAML frontmatter exceeds 65536 bytes"),
        Source,
    ),
    // AF17.
    (
        &[Case::Unclosed],
        Drops("YAML frontmatter is not closed within 65536 bytes"),
        Source,
    ),
    // AF14.
    (
        &[Case::NoFields, Case::SecondDocument],
        Drops("frontmatter must contain one YAML mapping"),
        Source,
    ),
    // AF11.
    (
        &[
            Case::NotYaml,
            Case::ReservedFirst,
            Case::TabIndent,
            Case::ColonInValue,
            Case::ColonUnderHyphen,
            Case::ColonNested,
            Case::ForeignTag,
        ],
        Drops("invalid YAML frontmatter"),
        Source,
    ),
    // AF15.
    (
        &[Case::NotAMapping],
        Drops("frontmatter must be a YAML mapping"),
        Source,
    ),
    // AF7.
    (
        &[Case::NameMissing],
        Drops("frontmatter is missing name"),
        Source,
    ),
    // AF6, AF9.
    (
        &[Case::DescriptionMissing],
        Drops("frontmatter is missing description"),
        Source,
    ),
    // AF8.
    (
        &[Case::KnownTwice],
        Drops("frontmatter has duplicate name or description fields"),
        Source,
    ),
    // AF4, AF20, AF22; AF27's text is misleading, and this one true.
    (
        &[
            Case::NameList,
            Case::NameMapping,
            Case::NameEmpty,
            Case::NamePattern,
            Case::NameTooLong,
        ],
        Drops("frontmatter name is invalid"),
        Source,
    ),
    // AF5, AF21.
    (
        &[
            Case::DescriptionList,
            Case::DescriptionMapping,
            Case::DescriptionMappingOnLine,
            Case::DescriptionEmpty,
            Case::DescriptionTooLong,
        ],
        Drops("frontmatter description is invalid"),
        Source,
    ),
    // 2.3.
    (
        &[Case::NameMismatch],
        Drops("frontmatter name must match directory name"),
        Source,
    ),
    // YAML; its scalars are text up to the comment.
    (&[Case::ValueCut], Changes("cut at ` #`"), Source),
    // AF10; other keys are ignored; no body is asked for.
    (
        &[
            Case::OtherTwice,
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
        Source,
    ),
];

/// Evidence: source, A1.
static PLACES: Places = Places {
    project: &[".albedo/skills", ".agents/skills"],
    home: &[".albedo/skills", ".agents/skills", ".prime/agent/skills"],
    first: Some(Base::Project),
    walks_up: Some(false),
    depth: Some(1),
    folder_links: Some(Links::Inside),
    file_links: Some(Links::Inside),
    same_name: Some(SameName::First),
    candidates: Some(128),
    diagnostics: Some(64),
    // A duplicate alone names its SKILL.md.
    blames_folder: true,
    words: &[
        (PlaceCase::RootNoFolder, "is not a directory"),
        (PlaceCase::RootUnlisted, "cannot be listed"),
        (PlaceCase::RootUnresolved, "cannot be resolved"),
        (
            PlaceCase::FolderUnresolved,
            "skill directory cannot be resolved",
        ),
        (
            PlaceCase::FolderLeaves,
            "skill directory symlink escapes discovery root",
        ),
        (PlaceCase::NoSkillFile, "missing SKILL.md"),
        (PlaceCase::FileLeaves, "SKILL.md symlink escapes skill root"),
        (PlaceCase::FileUnresolved, "SKILL.md cannot be resolved"),
        (PlaceCase::FileNotRegular, "SKILL.md is not a regular file"),
        (PlaceCase::FileUnreadable, "SKILL.md cannot be read"),
        (
            PlaceCase::NameTaken,
            "duplicate skill {name} ignored; using {winner}",
        ),
        (
            PlaceCase::Limited,
            "skill discovery limit reached; remaining entries ignored",
        ),
        (
            PlaceCase::Omitted,
            "{count} additional skill diagnostics omitted",
        ),
    ],
    doubt: "",
};
