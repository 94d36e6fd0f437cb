//! Findings: what is wrong, how bad, where, and what to do.
//!
//! This file decides the stable codes and the shape of a finding. It does not
//! know who finds them or how they are printed.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

/// How bad a finding is. Ordered from the mildest to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing is lost.
    Note,
    /// It works here, and may not work elsewhere or as meant.
    Warning,
    /// Something does not load, or breaks a rule.
    Error,
}

impl Severity {
    /// Returns the word that stands in output and in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A place in a file. Lines and columns count from 1; a column is a character
/// (a Unicode scalar value), not a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Length in characters on that line; 0 for a point.
    pub length: u32,
}

impl Span {
    /// The start of a file, or a whole file or folder.
    pub const START: Self = Self {
        line: 1,
        column: 1,
        length: 0,
    };

    /// What has no lines: a store. Null in JSON.
    pub const NONE: Self = Self {
        line: 0,
        column: 0,
        length: 0,
    };

    /// Makes a point at `line` and `column`, both from 1.
    #[must_use]
    pub fn new(line: u32, column: u32) -> Self {
        Self {
            line,
            column,
            length: 0,
        }
    }

    /// Returns the place of the byte at `offset` in `text`.
    ///
    /// Lines end at LF. Bytes that are not UTF-8 count one column each. An
    /// offset past the end means the end.
    #[must_use]
    pub fn at(text: &[u8], offset: usize) -> Self {
        let before = &text[..offset.min(text.len())];
        let line_start = before
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |i| i + 1);
        let lines = before.split(|&b| b == b'\n').count();
        let columns = String::from_utf8_lossy(&before[line_start..])
            .chars()
            .count();
        Self::new(bounded(lines), bounded(columns + 1))
    }

    /// Returns the same place with a length in characters.
    #[must_use]
    pub fn with_length(self, length: usize) -> Self {
        Self {
            length: bounded(length),
            ..self
        }
    }
}

fn bounded(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $variant:ident = $code:literal,)+) => {
        /// The kind of a finding, with a stable code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Rule {
            /// Every rule, in the order of this file.
            pub const ALL: &[Rule] = &[$(Rule::$variant),+];

            /// Returns the stable code, as printed between brackets.
            #[must_use]
            pub fn code(self) -> &'static str {
                match self {
                    $(Self::$variant => $code,)+
                }
            }
        }
    };
}

rules! {
    /// The file is not text: UTF-16, a NUL in the frontmatter, binary.
    NotText = "not-text",
    /// Bytes that are not UTF-8, replaced by U+FFFD.
    InvalidUtf8 = "invalid-utf8",
    /// A NUL in the body.
    NulInBody = "nul-in-body",
    /// The file does not begin with a `---` line.
    FrontmatterMissing = "frontmatter-missing",
    /// Text or a blank line stands before the first `---`.
    FrontmatterNotFirst = "frontmatter-not-first",
    /// No `---` line closes the frontmatter.
    FrontmatterUnclosed = "frontmatter-unclosed",
    /// The frontmatter is over its bound.
    FrontmatterTooLarge = "frontmatter-too-large",
    /// Blanks follow the three dashes of a fence.
    FenceBlanks = "fence-blanks",
    /// A UTF-8 byte-order mark stands first.
    ByteOrderMark = "byte-order-mark",
    /// The file's line ends are lone carriage returns.
    LoneCarriageReturn = "lone-carriage-return",
    /// Some lines end in LF, others in CRLF.
    MixedLineEnds = "mixed-line-ends",
    /// The frontmatter is not YAML.
    YamlInvalid = "yaml-invalid",
    /// A raw control character in the frontmatter.
    YamlControlCharacter = "yaml-control-character",
    /// A YAML tag outside the core set.
    YamlTag = "yaml-tag",
    /// Aliases that grow beyond the bounds.
    YamlAliases = "yaml-aliases",
    /// Nested deeper than the bound.
    YamlDepth = "yaml-depth",
    /// More values than the bound.
    YamlValues = "yaml-values",
    /// The frontmatter is not a mapping of fields.
    NotAMapping = "not-a-mapping",
    /// An unquoted value holds a colon and a blank.
    UnquotedColon = "unquoted-colon",
    /// A field stands twice; the first counts.
    DuplicateField = "duplicate-field",
    /// A field outside the specification.
    UnknownField = "unknown-field",
    /// A value is not of the type that the specification asks for.
    FieldType = "field-type",
    /// A value is over the length that the specification allows.
    FieldTooLong = "field-too-long",
    /// A tab stands behind the colon of a field.
    TabAfterColon = "tab-after-colon",
    /// A comment cuts an unquoted value short.
    ValueCut = "value-cut",
    /// An unquoted word that YAML 1.1 takes for true or false.
    Yaml11Boolean = "yaml-1-1-boolean",
    /// Characters that show nothing, or act on a terminal.
    HiddenCharacters = "hidden-characters",
    /// The name is missing; the folder's name stands in.
    NameMissing = "name-missing",
    /// The name has characters or hyphens that the specification refuses.
    NameInvalid = "name-invalid",
    /// The name is over 64 characters.
    NameTooLong = "name-too-long",
    /// The name is not the folder's name.
    NameMismatch = "name-mismatch",
    /// The name could be a path, or has control characters, or is over its bound.
    NameUnsafe = "name-unsafe",
    /// The description is missing, empty, or has no plain text form.
    DescriptionMissing = "description-missing",
    /// The description is over 1,024 characters.
    DescriptionTooLong = "description-too-long",
    /// The SKILL.md is over its bound.
    FileTooLarge = "file-too-large",
    /// SKILL.md is not a regular file.
    NotAFile = "not-a-file",
    /// A plain file sits in a root.
    PlainFile = "plain-file",
    /// A folder in a root has no SKILL.md.
    NoSkillFile = "no-skill-file",
    /// The file is called `skill.md` or the like.
    SkillFileName = "skill-file-name",
    /// A link leaves the folder it may not leave.
    LinkLeaves = "link-leaves",
    /// A link points at nothing.
    LinkDangling = "link-dangling",
    /// Links that lead round in a ring.
    LinkRing = "link-ring",
    /// The system refused to read it.
    Unreadable = "unreadable",
    /// A root holds more than the bound.
    CandidatesBound = "candidates-bound",
    /// A scope file cannot be read.
    ScopeUnreadable = "scope-unreadable",
    /// A scope file is not what a scope file must be.
    ScopeMalformed = "scope-malformed",
    /// A scope file has a name in both lists; `off` wins.
    ScopeBothLists = "scope-both-lists",
    /// A scope file has a name twice in one list.
    ScopeDuplicate = "scope-duplicate",
    /// An attached folder of a conversation is not there or not a folder.
    AttachedFolder = "attached-folder",
    /// The store of personal skills gives no answer, or not this one.
    StoreUnreachable = "store-unreachable",
    /// The store is no store, or what is in it breaks the rules.
    StoreDamaged = "store-damaged",
    /// A later version of this program made the store.
    StoreNewer = "store-newer",
    /// The store's server does not let the user at personal skills.
    StoreNotAllowed = "store-not-allowed",
    /// The store's database has no tables for personal skills.
    StoreNotSetUp = "store-not-set-up",
    /// Nobody can tell which store is meant.
    StoreUnknown = "store-unknown",
    /// A bundled file's link leaves the skill.
    ResourceLeaves = "resource-leaves",
    /// A bundled file's link cannot be resolved.
    ResourceUnresolved = "resource-unresolved",
    /// A bundled file is over its bound.
    ResourceTooLarge = "resource-too-large",
    /// A bundled folder cannot be listed.
    ResourceUnlisted = "resource-unlisted",
    /// A bundled folder is named, and not entered.
    ResourceNotEntered = "resource-not-entered",
    /// The listing of bundled files stops at a bound.
    ResourcesBound = "resources-bound",
    /// Bundled folders are nested deeper than the bound.
    ResourcesDepth = "resources-depth",
    /// The findings at the end of a catalog stop at a bound.
    CatalogBound = "catalog-bound",
    /// The body holds a closing skill tag, which is escaped.
    TagInBody = "tag-in-body",
    /// A link in the body points at nothing.
    LinkBroken = "link-broken",
    /// A link in the body has other upper or lower case than the file.
    LinkCase = "link-case",
    /// A link in the body leads out of the skill's folder.
    LinkOutside = "link-outside",
    /// A path in the body is written with backslashes.
    LinkBackslash = "link-backslash",
    /// Nothing stands behind the frontmatter.
    BodyEmpty = "body-empty",
    /// The body is longer than agents advise.
    BodyTooLong = "body-too-long",
    /// Marks of an unresolved merge.
    MergeMarker = "merge-marker",
    /// Two skills of the checked tree bear one name.
    NameDuplicate = "name-duplicate",
    /// Two skills of the checked tree have names that differ in case only.
    NameCase = "name-case",
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

/// One finding about one place.
///
/// `message` and `help` may quote what a file says; whoever prints them cleans
/// them first (see [`crate::text::clean`]).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Diagnostic {
    /// What kind of finding it is.
    pub rule: Rule,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong: lower case, without a final stop.
    pub message: String,
    /// The file or folder that it is about; absolute.
    #[serde(serialize_with = "crate::text::serialize_path")]
    pub path: PathBuf,
    /// Where in the file; [`Span::START`] for a whole file or folder,
    /// [`Span::NONE`] for a store.
    #[serde(flatten)]
    pub span: Span,
    /// What to do about it, if there is something to type or change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// What follows a path: `:3:14`, or nothing.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::NONE {
            return Ok(());
        }
        write!(f, ":{}:{}", self.line, self.column)
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let known = Some(self).filter(|span| **span != Self::NONE);
        let mut place = serializer.serialize_struct("Span", 2)?;
        place.serialize_field("line", &known.map(|span| span.line))?;
        place.serialize_field("column", &known.map(|span| span.column))?;
        place.end()
    }
}

impl Diagnostic {
    /// Makes a finding about the whole of `path`.
    #[must_use]
    pub fn new(rule: Rule, severity: Severity, path: &Path, message: impl Into<String>) -> Self {
        Self {
            rule,
            severity,
            message: message.into(),
            path: path.to_path_buf(),
            span: Span::START,
            help: None,
        }
    }

    /// Makes an error about the whole of `path`.
    #[must_use]
    pub fn error(rule: Rule, path: &Path, message: impl Into<String>) -> Self {
        Self::new(rule, Severity::Error, path, message)
    }

    /// Makes a warning about the whole of `path`.
    #[must_use]
    pub fn warning(rule: Rule, path: &Path, message: impl Into<String>) -> Self {
        Self::new(rule, Severity::Warning, path, message)
    }

    /// Makes a note about the whole of `path`.
    #[must_use]
    pub fn note(rule: Rule, path: &Path, message: impl Into<String>) -> Self {
        Self::new(rule, Severity::Note, path, message)
    }

    /// Returns the same finding at a place in the file.
    #[must_use]
    pub fn at(self, span: Span) -> Self {
        Self { span, ..self }
    }

    /// Returns the same finding with a next step.
    #[must_use]
    pub fn with_help(self, help: impl Into<String>) -> Self {
        Self {
            help: Some(help.into()),
            ..self
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}: {}[{}]: {}",
            self.path.display(),
            self.span,
            self.severity,
            self.rule,
            self.message
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_kebab_case() {
        let mut codes: Vec<_> = Rule::ALL.iter().map(|rule| rule.code()).collect();
        codes.sort_unstable();
        codes.dedup();

        assert_eq!(codes.len(), Rule::ALL.len());
        assert!(codes.iter().all(|code| {
            code.bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        }));
    }

    #[test]
    fn places_count_lines_and_characters_from_one() {
        let text = "a\r\né\u{1F600}x\n".as_bytes();

        for (offset, line, column) in [
            (0, 1, 1),
            (3, 2, 1),
            (5, 2, 2),
            (9, 2, 3),
            (11, 3, 1),
            (99, 3, 1),
        ] {
            assert_eq!(
                Span::at(text, offset),
                Span::new(line, column),
                "offset {offset}"
            );
        }
    }
}
