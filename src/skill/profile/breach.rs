//! The ways in which a SKILL.md can depart from the specification.

use crate::diagnostic::Rule;

macro_rules! breaches {
    ($($(#[doc = $doc:literal])+ $variant:ident = $rule:ident,)+) => {
        /// A way in which a SKILL.md can depart from the specification: finer
        /// than a rule, since agents answer the kinds of one rule apart.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Breach {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Breach {
            /// Every breach, in the order of this file.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Returns the rule that findings of this breach carry; one that
            /// cannot be read has its own rule in [`Facts::fault`].
            ///
            /// [`Facts::fault`]: crate::skill::frontmatter::Facts::fault
            #[must_use]
            pub fn rule(self) -> Rule {
                match self {
                    $(Self::$variant => Rule::$rule,)+
                }
            }
        }
    };
}

breaches! {
    /// There are no fields to judge.
    NotRead = YamlInvalid,
    /// A UTF-8 byte-order mark stands first.
    ByteOrderMark = ByteOrderMark,
    /// Blanks follow the three dashes of a fence.
    FenceBlanks = FenceBlanks,
    /// The body seems to begin before the fence that closes the frontmatter.
    ClosedLate = FrontmatterUnclosed,
    /// A carriage return without a line feed in the frontmatter.
    LoneCarriageReturn = LoneCarriageReturn,
    /// Bytes that are not UTF-8 in the frontmatter.
    FrontmatterNotUtf8 = InvalidUtf8,
    /// Bytes that are not UTF-8 in the body.
    BodyNotUtf8 = InvalidUtf8,
    /// A NUL in the body.
    NulInBody = NulInBody,
    /// A field stands twice.
    DuplicateField = DuplicateField,
    /// A field outside the specification.
    UnknownField = UnknownField,
    /// An unquoted value holds a colon and a blank.
    UnquotedColon = UnquotedColon,
    /// A tab stands behind the colon of a field.
    TabAfterColon = TabAfterColon,
    /// A comment cuts an unquoted value short.
    ValueCut = ValueCut,
    /// An unquoted word that YAML 1.1 takes for true or false.
    Yaml11Boolean = Yaml11Boolean,
    /// An unquoted text that YAML 1.1 takes for a number or a date.
    Yaml11Number = FieldType,
    /// Characters that show nothing, or act on a terminal.
    HiddenCharacters = HiddenCharacters,
    /// A number or a truth value where text is asked for.
    NotText = FieldType,
    /// A list or a mapping where text is asked for, or the reverse.
    WrongShape = FieldType,
    /// A field that is there has no value.
    NoValue = FieldType,
    /// `allowed-tools` is a list or a number.
    ToolsNotText = FieldType,
    /// Commas stand between the tools of `allowed-tools`.
    ToolsWithCommas = FieldType,
    /// Dashes stand between the tools of `allowed-tools`, as in a list.
    ToolsWithDashes = FieldType,
    /// A value under `metadata` is not text.
    MetadataNotText = FieldType,
    /// `compatibility` is over 500 characters.
    CompatibilityTooLong = FieldTooLong,
    /// The name is missing, empty, or has no plain text form.
    NameMissing = NameMissing,
    /// The name could be a path, or has control characters, or is over its bound.
    NameUnsafe = NameUnsafe,
    /// The name has characters or hyphens that the specification refuses.
    NameInvalid = NameInvalid,
    /// The name is over 64 characters.
    NameTooLong = NameTooLong,
    /// The name is not the folder's name.
    NameMismatch = NameMismatch,
    /// The description is missing, empty, or has no plain text form.
    DescriptionMissing = DescriptionMissing,
    /// The description is over 1,024 characters.
    DescriptionTooLong = DescriptionTooLong,
}
