//! The cases that agents tell apart in a SKILL.md.

use crate::diagnostic::Rule;

macro_rules! cases {
    ($($(#[doc = $doc:literal])+ $variant:ident = $rule:ident,)+) => {
        /// Something about a file that agents answer differently. What a
        /// reader's fences, types and bounds make of a file comes first, so one
        /// file can be another case to another reader.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Case {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Case {
            /// Every case, in the order of this file.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Returns the rule that the case rests on, so that one fault
            /// which several agents answer can be shown once.
            #[must_use]
            pub fn rule(self) -> Rule {
                match self {
                    $(Self::$variant => Rule::$rule,)+
                }
            }
        }
    };
}

cases! {
    /// The file has no bytes.
    EmptyFile = FrontmatterMissing,
    /// The file is over the reader's bound.
    FileTooLarge = FileTooLarge,
    /// A UTF-8 byte-order mark stands first.
    ByteOrderMark = ByteOrderMark,
    /// Bytes that are not UTF-8 in the frontmatter.
    FrontmatterNotUtf8 = InvalidUtf8,
    /// Bytes that are not UTF-8 in the body.
    BodyNotUtf8 = InvalidUtf8,
    /// A NUL in the frontmatter.
    Nul = NotText,
    /// The first line opens no frontmatter.
    NoOpening = FrontmatterMissing,
    /// The fences are not bare, and nobody knows what the reader makes of it.
    OddFence = FenceBlanks,
    /// No line closes the frontmatter.
    Unclosed = FrontmatterUnclosed,
    /// The line that closes is indented, as in the text of a block.
    ClosingIndented = FrontmatterUnclosed,
    /// Blanks follow the dashes of the line that closes, and it matters.
    ClosingBlanks = FenceBlanks,
    /// Text follows the dashes of the line that closes.
    ClosingText = FrontmatterUnclosed,
    /// The frontmatter is over the reader's bound.
    FrontmatterTooLarge = FrontmatterTooLarge,
    /// The frontmatter has no fields at all.
    NoFields = NotAMapping,
    /// The frontmatter is a list or a single text.
    NotAMapping = NotAMapping,
    /// A second YAML document begins.
    SecondDocument = YamlInvalid,
    /// The frontmatter is not YAML, in none of the ways below.
    NotYaml = YamlInvalid,
    /// A value begins with `@` or a backquote.
    ReservedFirst = YamlInvalid,
    /// A tab indents.
    TabIndent = YamlInvalid,
    /// It is YAML, or nearly, that we do not read: too deep, odd characters.
    NotReadHere = YamlDepth,
    /// Aliases that grow beyond our bounds.
    AliasBomb = YamlAliases,
    /// An alias stands for another value.
    Alias = YamlAliases,
    /// A tag outside the core set.
    ForeignTag = YamlTag,
    /// An unquoted colon in a value of a field.
    ColonInValue = UnquotedColon,
    /// An unquoted colon in the value of a field with a hyphen in its name.
    ColonUnderHyphen = UnquotedColon,
    /// An unquoted colon in a value under another field.
    ColonNested = UnquotedColon,
    /// A tab behind the colon of a field.
    TabAfterColon = TabAfterColon,
    /// A ` #` that ends an unquoted description.
    ValueCut = ValueCut,
    /// `name` or `description` stands twice.
    KnownTwice = DuplicateField,
    /// Another field stands twice.
    OtherTwice = DuplicateField,
    /// There is no field `name`.
    NameMissing = NameMissing,
    /// The name is null, written or for want of a value.
    NameNull = NameMissing,
    /// The name is an empty text.
    NameEmpty = NameMissing,
    /// The name is a number or a date.
    NameNumber = FieldType,
    /// The name is a truth value.
    NameBoolean = FieldType,
    /// The name is a list.
    NameList = NameMissing,
    /// The name is a mapping.
    NameMapping = NameMissing,
    /// The name does not fit the reader's pattern.
    NamePattern = NameInvalid,
    /// The name is over the reader's length.
    NameTooLong = NameTooLong,
    /// The name is not the folder's.
    NameMismatch = NameMismatch,
    /// There is no field `description`.
    DescriptionMissing = DescriptionMissing,
    /// The description is null, written or for want of a value.
    DescriptionNull = DescriptionMissing,
    /// The description is an empty text.
    DescriptionEmpty = DescriptionMissing,
    /// The description is blanks alone.
    DescriptionBlank = DescriptionMissing,
    /// The description is a number or a date.
    DescriptionNumber = FieldType,
    /// The description is a truth value.
    DescriptionBoolean = FieldType,
    /// The description is a list.
    DescriptionList = DescriptionMissing,
    /// The description is a mapping.
    DescriptionMapping = DescriptionMissing,
    /// The description is a mapping on one line, as in `{a: b}`.
    DescriptionMappingOnLine = DescriptionMissing,
    /// The description is over the reader's length.
    DescriptionTooLong = DescriptionTooLong,
    /// A field outside the specification.
    UnknownField = UnknownField,
    /// `metadata` is a list or a text.
    MetadataNoMapping = FieldType,
    /// A value under `metadata` is not text.
    MetadataNotText = FieldType,
    /// What is asked for under `metadata` is not written as it must be.
    BadRequirements = FieldType,
    /// `allowed-tools` is a list.
    ToolsList = FieldType,
    /// `allowed-tools` is a number.
    ToolsNumber = FieldType,
    /// `license` is a list or a mapping.
    LicenseNoText = FieldType,
    /// `compatibility` is over 500 characters.
    CompatibilityTooLong = FieldTooLong,
    /// Nothing is left of the body.
    BodyEmpty = BodyEmpty,
}
