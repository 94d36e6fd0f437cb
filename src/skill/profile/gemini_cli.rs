//! Gemini CLI.

use super::Effect::{Changes, Drops, Loads};
use super::Evidence::Run;
use super::{
    Base, Case, Effect, Evidence, Fallback, FenceLine, Links, Places, Profile, Reader, SameName,
    Which,
};

/// Evidence: Gemini CLI 0.61.0, run.
pub(super) static GEMINI_CLI: Profile = Profile {
    name: "gemini-cli",
    severities: &[],
    places: &PLACES,
    readers: &[Reader {
        version: "0.61.0",
        opening: Some(FenceLine::Bare),
        closing: Some(FenceLine::Prefix),
        // The last line of each counts.
        twice: Which::Last,
        fallback: Fallback::Lines,
        checks: CHECKS,
        ..Reader::UNKNOWN
    }],
};

/// In the order in which it looks.
static CHECKS: &[(Case, Effect, Evidence)] = &[
    // Silent; a lone CR hides the fence, as UTF-16 does.
    (Case::EmptyFile, Drops(""), Run),
    (Case::ByteOrderMark, Drops(""), Run),
    (Case::NoOpening, Drops(""), Run),
    (Case::Unclosed, Drops(""), Run),
    // Blanks or text behind the closing dashes.
    (Case::ClosingBlanks, Changes("the body is empty"), Run),
    (Case::ClosingText, Changes("the body is empty"), Run),
    // Replaced.
    (
        Case::FrontmatterNotUtf8,
        Changes("the bytes become U+FFFD"),
        Run,
    ),
    (Case::BodyNotUtf8, Changes("the bytes become U+FFFD"), Run),
    // Both lines must be there; silent.
    (Case::NameMissing, Drops(""), Run),
    (Case::DescriptionMissing, Drops(""), Run),
    // What its line reader spoils.
    (
        Case::NotYaml,
        Changes("read line by line: quotes and block signs stay in the text"),
        Run,
    ),
    // The line reader.
    (Case::KnownTwice, Changes("the last one counts"), Run),
    // The line reader.
    (Case::NameNoText, Changes("the brackets are text"), Run),
    (
        Case::DescriptionNoText,
        Changes("the brackets are text"),
        Run,
    ),
    // The line reader.
    (Case::ForeignTag, Changes("the tag stays in the text"), Run),
    // Every reader of YAML.
    (Case::ValueCut, Changes("cut at ` #`"), Run),
    // Loads, whole or as written.
    (Case::NoFields, Loads, Run),
    (Case::NotAMapping, Loads, Run),
    (Case::ReservedFirst, Loads, Run),
    (Case::TabIndent, Loads, Run),
    (Case::TabAfterColon, Loads, Run),
    (Case::AliasBomb, Loads, Run),
    (Case::ColonInValue, Loads, Run),
    (Case::ColonUnderHyphen, Loads, Run),
    (Case::ColonNested, Loads, Run),
    (Case::OtherTwice, Loads, Run),
    (Case::NameNull, Loads, Run),
    (Case::NameEmpty, Loads, Run),
    (Case::NameNumber, Loads, Run),
    (Case::NameBoolean, Loads, Run),
    (Case::NameMismatch, Loads, Run),
    (Case::DescriptionNull, Loads, Run),
    (Case::DescriptionEmpty, Loads, Run),
    (Case::DescriptionBlank, Loads, Run),
    (Case::DescriptionNumber, Loads, Run),
    (Case::DescriptionBoolean, Loads, Run),
    (Case::Alias, Loads, Run),
    (Case::UnknownField, Loads, Run),
    (Case::MetadataNoMapping, Loads, Run),
    (Case::MetadataNotText, Loads, Run),
    (Case::ToolsList, Loads, Run),
    (Case::ToolsNumber, Loads, Run),
    (Case::LicenseNoText, Loads, Run),
    (Case::CompatibilityTooLong, Loads, Run),
    (Case::BodyEmpty, Loads, Run),
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
