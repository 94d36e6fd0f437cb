//! Gemini CLI.

use super::Effect::{Changes, Drops, Loads};
use super::Evidence::Run;
use super::{
    Base, Case, Characters, Effect, Evidence, Fallback, FenceLine, Links, Places, Profile, Reader,
    SameName, Which,
};

/// Evidence: Gemini CLI 0.61.0, run.
pub(super) static GEMINI_CLI: Profile = Profile {
    name: "gemini-cli",
    acts_on: &[],
    severities: &[],
    places: &PLACES,
    readers: &[Reader {
        version: "0.61.0",
        opening: Some(FenceLine::Bare),
        closing: Some(FenceLine::Prefix),
        // The last line of each counts.
        twice: Which::Last,
        fallback: Fallback::Lines,
        characters: Characters::Without(":\\/<>*?\"|"),
        checks: CHECKS,
        ..Reader::UNKNOWN
    }],
};

/// In the order in which it looks.
static CHECKS: &[(&[Case], Effect, Evidence)] = &[
    // Silent; a lone CR hides the fence, as UTF-16 does.
    (
        &[
            Case::EmptyFile,
            Case::ByteOrderMark,
            Case::NoOpening,
            Case::Unclosed,
        ],
        Drops(""),
        Run,
    ),
    // Blanks or text behind the closing dashes.
    (
        &[Case::ClosingBlanks, Case::ClosingText],
        Changes("the body is empty"),
        Run,
    ),
    // Replaced.
    (
        &[Case::FrontmatterNotUtf8, Case::BodyNotUtf8],
        Changes("the bytes become U+FFFD"),
        Run,
    ),
    // Both lines must be there; silent.
    (
        &[Case::NameMissing, Case::DescriptionMissing],
        Drops(""),
        Run,
    ),
    // What its line reader spoils.
    (
        &[Case::NotYaml],
        Changes("read line by line: quotes and block signs stay in the text"),
        Run,
    ),
    // Replaced.
    (
        &[Case::NamePattern],
        Changes("in the name, `:`, `/` and the like become `-`"),
        Run,
    ),
    // The line reader.
    (&[Case::KnownTwice], Changes("the last one counts"), Run),
    // The line reader; what it makes of a mapping was not tried.
    (
        &[Case::NameList, Case::DescriptionList],
        Changes("the brackets are text"),
        Run,
    ),
    // The line reader.
    (
        &[Case::ForeignTag],
        Changes("the tag stays in the text"),
        Run,
    ),
    // Every reader of YAML.
    (&[Case::ValueCut], Changes("cut at ` #`"), Run),
    // Loads, whole or as written.
    (
        &[
            Case::NoFields,
            Case::NotAMapping,
            Case::ReservedFirst,
            Case::TabIndent,
            Case::TabAfterColon,
            Case::AliasBomb,
            Case::ColonInValue,
            Case::ColonUnderHyphen,
            Case::ColonNested,
            Case::OtherTwice,
            Case::NameNull,
            Case::NameEmpty,
            Case::NameNumber,
            Case::NameBoolean,
            Case::NameMismatch,
            Case::DescriptionNull,
            Case::DescriptionEmpty,
            Case::DescriptionBlank,
            Case::DescriptionNumber,
            Case::DescriptionBoolean,
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

/// Evidence: run; the winning root first.
static PLACES: Places = Places {
    // Of the working folder only, and only when it is trusted.
    project: &[".agents/skills", ".gemini/skills"],
    home: &[".agents/skills", ".gemini/skills"],
    // The later root replaces: project over home.
    first: Some(Base::Project),
    walks_up: Some(false),
    depth: Some(1),
    folder_links: Some(Links::Followed),
    file_links: Some(Links::Followed),
    same_name: Some(SameName::First),
    doubt: "the project is looked at only where it is trusted",
    ..Places::UNKNOWN
};
