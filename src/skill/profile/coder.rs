//! coder: the parser P2 with its workspace (D1) and personal callers.

use super::Effect::{Changes, Drops, Loads};
use super::Evidence::Source;
use super::{
    Base, Body, Case, Characters, Effect, Evidence, FenceLine, Links, Places, Profile, Reader,
    SameName, Scalars, TextRule, Trim, Unit,
};

/// Evidence: its source and tests, generation P2; texts of D2 where D1 is silent.
pub(super) static CODER: Profile = Profile {
    name: "coder",
    acts_on: &[],
    severities: &[],
    places: &PLACES,
    readers: &[Reader {
        version: "P2, D1",
        // D1: 64 KiB and one byte are read.
        file_bytes: Some(65_536),
        checks: CHECKS,
        ..P2
    }],
};

/// The parser that both callers share.
const P2: Reader = Reader {
    version: "P2",
    // Split on LF, first line trimmed of Unicode white space.
    opening: Some(FenceLine::Trimmed),
    closing: Some(FenceLine::Trimmed),
    // CF5, CF6: yaml.v3.
    scalars: Scalars::CoreAndDates,
    name: WITHOUT_LINE_ENDS,
    description: WITHOUT_LINE_ENDS,
    characters: Characters::Kebab,
    body: Body::WithoutComments,
    ..Reader::UNKNOWN
};

/// P2: trailing CR and LF go, and nothing else.
const WITHOUT_LINE_ENDS: TextRule = TextRule {
    trim: Trim::LineEnds,
    most: None,
};

/// In the order in which it looks.
static CHECKS: &[(&[Case], Effect, Evidence)] = &[
    // D1: the rest is cut off in silence.
    (
        &[Case::FileTooLarge],
        Changes("only its first 65,536 bytes are read"),
        Source,
    ),
    // P2: one mark is removed; an empty file has no opening either.
    (&[Case::EmptyFile, Case::ByteOrderMark], Loads, Source),
    // P2, CF17, CF18.
    (
        &[Case::NoOpening],
        Drops("missing opening frontmatter delimiter"),
        Source,
    ),
    // P2, CF18.
    (
        &[Case::Unclosed],
        Drops("missing closing frontmatter delimiter"),
        Source,
    ),
    // CF13.
    (
        &[Case::ClosingIndented],
        Changes("an indented `---` closes the frontmatter"),
        Source,
    ),
    // P2, CF9, CF10, CF19, CF22.
    (
        &[
            Case::FrontmatterNotUtf8,
            Case::NotYaml,
            Case::ReservedFirst,
            Case::TabIndent,
            Case::ColonInValue,
            Case::ColonUnderHyphen,
            Case::ColonNested,
            Case::KnownTwice,
            Case::OtherTwice,
            Case::NotAMapping,
        ],
        Drops("parse frontmatter YAML: …"),
        Source,
    ),
    // CF16; P2: an empty document is an empty map.
    (&[Case::ForeignTag, Case::NoFields], Loads, Source),
    // P2, CF5, CF7, CF11.
    (
        &[
            Case::NameMissing,
            Case::NameNull,
            Case::NameNumber,
            Case::NameBoolean,
            Case::NameList,
            Case::NameMapping,
            Case::NameEmpty,
        ],
        Drops("frontmatter missing required 'name' field"),
        Source,
    ),
    // P2, CF8: there, it must be a string.
    (
        &[
            Case::DescriptionNull,
            Case::DescriptionNumber,
            Case::DescriptionBoolean,
            Case::DescriptionList,
            Case::DescriptionMapping,
            Case::DescriptionMappingOnLine,
        ],
        Drops("frontmatter field \"description\" must be a string"),
        Source,
    ),
    // P2: it is optional.
    (
        &[
            Case::DescriptionMissing,
            Case::DescriptionEmpty,
            Case::DescriptionBlank,
        ],
        Loads,
        Source,
    ),
    // D2: the folder is looked at first.
    (
        &[Case::NameMismatch],
        Drops("front-matter name \"{name}\" does not match directory \"{folder}\""),
        Source,
    ),
    // D2.
    (
        &[Case::NamePattern],
        Drops("skill name \"{name}\" is not kebab-case"),
        Source,
    ),
    // CF12.
    (&[Case::ValueCut], Changes("cut at ` #`"), Source),
    // CF16: other keys are ignored; CF20.
    (
        &[
            Case::Alias,
            Case::UnknownField,
            Case::MetadataNoMapping,
            Case::MetadataNotText,
            Case::ToolsList,
            Case::ToolsNumber,
            Case::LicenseNoText,
            Case::CompatibilityTooLong,
            Case::BodyNotUtf8,
        ],
        Loads,
        Source,
    ),
    // CF21.
    (&[Case::BodyEmpty], Loads, Source),
];

/// Evidence: source, D1.
static PLACES: Places = Places {
    // D1: the default of CODER_AGENT_EXP_SKILLS_DIRS.
    project: &[".agents/skills"],
    first: Some(Base::Project),
    walks_up: Some(false),
    depth: Some(1),
    // D1: a linked subfolder is no folder to it.
    folder_links: Some(Links::Passed),
    same_name: Some(SameName::First),
    doubt: "where CODER_AGENT_EXP_SKILLS_DIRS names other folders, those are looked at instead",
    ..Places::UNKNOWN
};

/// Evidence: its source and tests, the personal skill contract.
pub(super) static CODER_PERSONAL: Profile = Profile {
    name: "coder-personal",
    acts_on: &[],
    severities: &[],
    places: &Places::UNKNOWN,
    readers: &[Reader {
        // MaxPersonalSkillSizeBytes.
        file_bytes: Some(65_536),
        // MaxPersonalSkillNameBytes.
        name: TextRule {
            most: Some((256, Unit::Bytes)),
            ..WITHOUT_LINE_ENDS
        },
        // MaxPersonalSkillDescriptionBytes.
        description: TextRule {
            most: Some((4_096, Unit::Bytes)),
            ..WITHOUT_LINE_ENDS
        },
        checks: PERSONAL_CHECKS,
        ..P2
    }],
};

/// In the order of the contract, whose numbers stand before the rows.
static PERSONAL_CHECKS: &[(&[Case], Effect, Evidence)] = &[
    // 1: before anything is read.
    (&[Case::FileTooLarge], Drops("skill is too large"), Source),
    // P2: one mark is removed; an empty file has no opening either.
    (&[Case::EmptyFile, Case::ByteOrderMark], Loads, Source),
    // P2, CF17, CF18.
    (
        &[Case::NoOpening],
        Drops("parse skill frontmatter: missing opening frontmatter delimiter"),
        Source,
    ),
    // P2, CF18.
    (
        &[Case::Unclosed],
        Drops("parse skill frontmatter: missing closing frontmatter delimiter"),
        Source,
    ),
    // CF13.
    (
        &[Case::ClosingIndented],
        Changes("an indented `---` closes the frontmatter"),
        Source,
    ),
    // P2, CF9, CF10, CF19, CF22.
    (
        &[
            Case::FrontmatterNotUtf8,
            Case::NotYaml,
            Case::ReservedFirst,
            Case::TabIndent,
            Case::ColonInValue,
            Case::ColonUnderHyphen,
            Case::ColonNested,
            Case::KnownTwice,
            Case::OtherTwice,
            Case::NotAMapping,
        ],
        Drops("parse skill frontmatter: parse frontmatter YAML: …"),
        Source,
    ),
    // CF16; P2: an empty document is an empty map.
    (&[Case::ForeignTag, Case::NoFields], Loads, Source),
    // P2, CF5, CF7, CF11.
    (
        &[
            Case::NameMissing,
            Case::NameNull,
            Case::NameNumber,
            Case::NameBoolean,
            Case::NameList,
            Case::NameMapping,
            Case::NameEmpty,
        ],
        Drops("frontmatter must contain a 'name' field"),
        Source,
    ),
    // P2, CF8: there, it must be a string.
    (
        &[
            Case::DescriptionNull,
            Case::DescriptionNumber,
            Case::DescriptionBoolean,
            Case::DescriptionList,
            Case::DescriptionMapping,
            Case::DescriptionMappingOnLine,
        ],
        Drops("parse skill frontmatter: frontmatter field \"description\" must be a string"),
        Source,
    ),
    // P2: it is optional.
    (
        &[
            Case::DescriptionMissing,
            Case::DescriptionEmpty,
            Case::DescriptionBlank,
        ],
        Loads,
        Source,
    ),
    // 6.
    (
        &[Case::NamePattern],
        Drops("\"{name}\" must match ^[a-z0-9]+(-[a-z0-9]+)*$"),
        Source,
    ),
    // 7.
    (
        &[Case::NameTooLong],
        Drops("\"{name}\" is {name bytes} bytes, maximum is 256 bytes"),
        Source,
    ),
    // 8.
    (
        &[Case::DescriptionTooLong],
        Drops("skill description is too large"),
        Source,
    ),
    // 9: after comments are taken out.
    (
        &[Case::BodyEmpty],
        Drops("skill \"{name}\" has no content after frontmatter"),
        Source,
    ),
    // There is no folder.
    (&[Case::NameMismatch], Loads, Source),
    // CF12.
    (&[Case::ValueCut], Changes("cut at ` #`"), Source),
    // CF16: other keys are ignored; CF20.
    (
        &[
            Case::Alias,
            Case::UnknownField,
            Case::MetadataNoMapping,
            Case::MetadataNotText,
            Case::ToolsList,
            Case::ToolsNumber,
            Case::LicenseNoText,
            Case::CompatibilityTooLong,
            Case::BodyNotUtf8,
        ],
        Loads,
        Source,
    ),
];
