//! The specification of agentskills.io as written, and YAML 1.2 under it.

use super::{Breach, Places, Profile};
use crate::diagnostic::Severity::{Error, Warning};

/// Evidence: agentskills.io, the specification's fields; YAML 1.2.2.
pub(super) static SPEC: Profile = Profile {
    name: "spec",
    acts_on: &[],
    // The specification names no folders.
    places: &Places::UNKNOWN,
    readers: &[],
    severities: &[
        // YAML frontmatter is required.
        (Breach::NotRead, Error),
        // YAML 1.2: a mark may stand first; not every agent takes it.
        (Breach::ByteOrderMark, Warning),
        // The specification shows bare dashes and says no more.
        (Breach::FenceBlanks, Warning),
        // A comment to YAML, and then the body lacks what stands below it.
        (Breach::ClosedLate, Warning),
        // YAML 1.2: a line break of its own, which no agent takes for one.
        (Breach::LoneCarriageReturn, Warning),
        // YAML 1.2: a stream is Unicode.
        (Breach::FrontmatterNotUtf8, Error),
        // The body has no rules of format.
        (Breach::BodyNotUtf8, Warning),
        (Breach::NulInBody, Warning),
        // YAML 1.2: mapping keys are unique.
        (Breach::DuplicateField, Error),
        // The specification lists fields, and forbids no others.
        (Breach::UnknownField, Warning),
        // YAML 1.2: a plain scalar holds no `: `.
        (Breach::UnquotedColon, Error),
        // YAML 1.2: a tab may part key and value; PyYAML refuses it.
        (Breach::TabAfterColon, Warning),
        // YAML 1.2: it is a comment, and hardly ever meant as one.
        (Breach::ValueCut, Warning),
        // YAML 1.2: text; a truth value in YAML 1.1.
        (Breach::Yaml11Boolean, Warning),
        (Breach::Yaml11Number, Warning),
        // Nothing is said of them, and they must reach no terminal raw.
        (Breach::HiddenCharacters, Warning),
        // name, description, license, compatibility: text.
        (Breach::NotText, Error),
        (Breach::WrongShape, Error),
        // A field without a value breaks no rule but that of `compatibility`.
        (Breach::NoValue, Warning),
        // One text, parted by blanks.
        (Breach::ToolsNotText, Error),
        // A comma is then a part of a tool's name; many agents part by it.
        (Breach::ToolsWithCommas, Warning),
        // A text, and each dash a tool.
        (Breach::ToolsWithDashes, Warning),
        // A map from text to text.
        (Breach::MetadataNotText, Error),
        // 1 to 500 characters.
        (Breach::CompatibilityTooLong, Error),
        // Name and description are required.
        (Breach::NameMissing, Error),
        (Breach::NameUnsafe, Error),
        // a-z, 0-9 and hyphens, none at the ends, none doubled.
        (Breach::NameInvalid, Error),
        // 1 to 64 characters.
        (Breach::NameTooLong, Error),
        // Equal to the folder's name.
        (Breach::NameMismatch, Error),
        (Breach::DescriptionMissing, Error),
        // 1 to 1,024 characters.
        (Breach::DescriptionTooLong, Error),
    ],
};
