//! How one reader of an agent system takes a SKILL.md apart, as data.

use super::{Case, Requirements};
use crate::name::is_kebab;

/// One reader of SKILL.md. Most systems have one.
#[derive(Debug, PartialEq, Eq)]
pub struct Reader {
    /// Which of a system's readers it is; empty where there is one.
    pub label: &'static str,
    /// The version that the evidence is of.
    pub version: &'static str,
    /// What ends a line.
    pub line_ends: LineEnds,
    /// What the first line must be; `None` where nobody knows.
    pub opening: Option<FenceLine>,
    /// What closes; `None` where nobody knows.
    pub closing: Option<FenceLine>,
    /// Whether frontmatter that nothing closes goes on to the end of the file.
    pub to_the_end: bool,
    /// Bytes of a whole file.
    pub file_bytes: Option<usize>,
    /// Bytes of frontmatter, both fences and their line ends counted.
    pub frontmatter_bytes: Option<usize>,
    /// Which plain scalars are not text.
    pub scalars: Scalars,
    /// Which of several fields of one name counts.
    pub twice: Which,
    /// What happens where the frontmatter cannot be read.
    pub fallback: Fallback,
    /// Whether the folder's name stands in for a name that is missing.
    pub folder_stands_in: bool,
    /// What becomes of the name's text.
    pub name: TextRule,
    /// Which characters a name may have.
    pub characters: Characters,
    /// What becomes of the description's text.
    pub description: TextRule,
    /// What a skill may ask for under `metadata`.
    pub requirements: Option<Requirements>,
    /// What becomes of the body.
    pub body: Body,
    /// What is done with which cases, in the order in which the reader looks. A
    /// case that is not here is unknown.
    pub checks: &'static [(&'static [Case], Effect, Evidence)],
}

impl Reader {
    /// A reader of whom nothing is known but that it reads YAML between fences.
    pub(super) const UNKNOWN: Self = Self {
        label: "",
        version: "",
        line_ends: LineEnds::Lf,
        opening: None,
        closing: None,
        to_the_end: false,
        file_bytes: None,
        frontmatter_bytes: None,
        scalars: Scalars::Core,
        twice: Which::First,
        fallback: Fallback::None,
        folder_stands_in: false,
        name: TextRule::AS_READ,
        characters: Characters::Any,
        description: TextRule::AS_READ,
        requirements: None,
        body: Body::AsRead,
        checks: &[],
    };

    /// Returns what is done with each case, in the order of [`checks`](Self::checks).
    pub(super) fn each_check(&self) -> impl Iterator<Item = (Case, Effect, Evidence)> {
        let rows = self.checks.iter();
        rows.flat_map(|&(cases, effect, evidence)| {
            cases.iter().map(move |&case| (case, effect, evidence))
        })
    }
}

/// What ends a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnds {
    /// LF, with or without a CR before it.
    Lf,
    /// What Python's `splitlines` takes for a line end, a lone CR among them.
    Python,
}

/// Which line is a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FenceLine {
    /// Three dashes and nothing else; a CR belongs to the line end.
    Bare,
    /// Three dashes in column 1, then blanks.
    Blanks,
    /// Three dashes between any white space.
    Trimmed,
    /// Three dashes in column 1, then anything.
    Prefix,
}

/// Which plain scalars are not text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalars {
    /// None: all are text.
    AllText,
    /// Those of YAML 1.2's core schema.
    Core,
    /// Those of the core schema, and dates.
    CoreAndDates,
    /// Those of YAML 1.1, `yes` and `off` among them.
    Yaml11,
}

/// Which of several fields of one name counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The first.
    First,
    /// The last.
    Last,
}

/// Which characters a name may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Characters {
    /// Any.
    Any,
    /// Lower-case letters, digits and single hyphens between them.
    Kebab,
    /// Any but these.
    Without(&'static str),
    /// Letters, digits and these; first a letter or a digit.
    WordsWith(&'static str),
}

impl Characters {
    /// Whether `name` has no others.
    pub(super) fn allow(self, name: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Kebab => is_kebab(name),
            Self::Without(others) => !name.contains(|c| others.contains(c)),
            Self::WordsWith(more) => {
                name.starts_with(char::is_alphanumeric)
                    && name
                        .chars()
                        .all(|c| c.is_alphanumeric() || more.contains(c))
            }
        }
    }
}

/// What becomes of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// Nothing.
    AsRead,
    /// HTML comments are taken out, then white space at both ends.
    WithoutComments,
}

/// What happens where the frontmatter cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// Nothing more.
    None,
    /// Lines that begin with `name:` and `description:`, at any indentation,
    /// the last of each; also where either is not text or stands twice.
    Lines,
}

/// What becomes of a text, and how long it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextRule {
    /// What is taken off.
    pub trim: Trim,
    /// How long it may be.
    pub most: Option<(usize, Unit)>,
}

impl TextRule {
    /// A description whose bound nobody knows: beyond the specification's 1,024
    /// characters it is a case, and no row answers it.
    pub(super) const UNKNOWN_DESCRIPTION: Self = Self {
        trim: Trim::Nothing,
        most: Some((1_024, Unit::Characters)),
    };

    /// Nothing is taken off, and any length is taken.
    pub(super) const AS_READ: Self = Self {
        trim: Trim::Nothing,
        most: None,
    };
}

/// What is taken off a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trim {
    /// Nothing.
    Nothing,
    /// CR and LF at the end.
    LineEnds,
    /// White space at both ends.
    Space,
    /// White space at both ends, and runs of it become one blank.
    Folds,
}

/// What a length is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes of UTF-8.
    Bytes,
    /// Unicode scalar values.
    Characters,
    /// Units of UTF-16.
    Utf16,
}

impl Unit {
    pub(super) fn count(self, text: &str) -> usize {
        match self {
            Self::Bytes => text.len(),
            Self::Characters => text.chars().count(),
            Self::Utf16 => text.encode_utf16().count(),
        }
    }
}

/// What a reader does with a case. Texts are the system's own, `{name}`,
/// `{folder}`, `{length}` and `{file}` put in, `…` where more follows; empty
/// where it has none or nobody knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It loads, as meant.
    Loads,
    /// It loads with other text than the author wrote; in the system's words,
    /// or in ours where it has none.
    Changes(&'static str),
    /// It loads, and the system says something.
    Warns(&'static str),
    /// It does not load.
    Drops(&'static str),
    /// Nobody could find out.
    Unknown,
}

/// Where knowledge comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Evidence {
    /// The program was run.
    Run,
    /// Its source, or its own tests.
    Source,
    /// Its maker's manual or changelog.
    Docs,
    /// A public report.
    Issue,
    /// Nobody could find out.
    Nobody,
}

/// Where a system looks for skills. `None` stands for what nobody knows.
#[derive(Debug, PartialEq, Eq)]
pub struct Places {
    /// Folders under the project, in the order of the system.
    pub project: &'static [&'static str],
    /// Folders under home, in the order of the system.
    pub home: &'static [&'static str],
    /// Which of project and home comes first in the order.
    pub first: Option<Base>,
    /// Whether the folders above the working folder are looked at too.
    pub walks_up: Option<bool>,
    /// How many folders below a root a skill may lie; `usize::MAX` for any.
    pub depth: Option<usize>,
    /// Whether links to skill folders are followed.
    pub folder_links: Option<Links>,
    /// Whether a SKILL.md that is a link is read.
    pub file_links: Option<Links>,
    /// What becomes of skills of one name.
    pub same_name: Option<SameName>,
    /// Candidates that are looked at.
    pub candidates: Option<usize>,
    /// Diagnostics that are shown.
    pub diagnostics: Option<usize>,
    /// Whether what it says names the skill's folder instead of its SKILL.md.
    pub blames_folder: bool,
    /// What it says of what is no skill; a case that is not here has no words,
    /// or nobody knows them.
    pub words: &'static [(PlaceCase, &'static str)],
    /// What of all this holds only at times, as a part of a sentence; empty
    /// where nothing does.
    pub doubt: &'static str,
}

impl Places {
    /// Places of which nothing is known.
    pub(super) const UNKNOWN: Self = Self {
        project: &[],
        home: &[],
        first: None,
        walks_up: None,
        depth: None,
        folder_links: None,
        file_links: None,
        same_name: None,
        candidates: None,
        diagnostics: None,
        blames_folder: false,
        words: &[],
        doubt: "",
    };

    /// Returns whether any folder is known that the system looks in.
    #[must_use]
    pub fn are_known(&self) -> bool {
        !(self.project.is_empty() && self.home.is_empty())
    }

    /// Returns what the system says of `case`, if it says something.
    #[must_use]
    pub fn words(&self, case: PlaceCase) -> Option<&'static str> {
        let found = self.words.iter().find(|(known, _)| *known == case);
        found.map(|&(_, words)| words)
    }

    /// Returns what is not known of these places, in parts of a sentence.
    #[must_use]
    pub fn not_known(&self) -> Vec<&'static str> {
        let has_both = !self.project.is_empty() && !self.home.is_empty();
        let unknown = [
            (
                has_both && self.first.is_none(),
                "whether the project or home comes first",
            ),
            (
                self.walks_up.is_none(),
                "whether folders above the working folder are looked at",
            ),
            (self.depth.is_none(), "how deep a skill may lie"),
            (
                self.folder_links.is_none(),
                "whether links to skill folders are followed",
            ),
            (
                self.same_name.is_none(),
                "which of several skills of one name is taken",
            ),
        ];
        let unknown = unknown.iter().filter(|(is_unknown, _)| *is_unknown);
        unknown.map(|&(_, what)| what).collect()
    }
}

/// What a system can meet where it looks, beside a SKILL.md that it reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceCase {
    /// A root is there and is no folder.
    RootNoFolder,
    /// A root cannot be listed.
    RootUnlisted,
    /// A root is a link that leads nowhere.
    RootUnresolved,
    /// An entry of a root leads nowhere.
    FolderUnresolved,
    /// A link in a root leaves it.
    FolderLeaves,
    /// A folder has no SKILL.md.
    NoSkillFile,
    /// A SKILL.md is a link that leaves its skill.
    FileLeaves,
    /// A SKILL.md is a link that leads nowhere.
    FileUnresolved,
    /// A SKILL.md is no regular file.
    FileNotRegular,
    /// A SKILL.md cannot be read.
    FileUnreadable,
    /// The name belongs to another skill; `{name}` and `{winner}`, the path of
    /// its SKILL.md, are put in.
    NameTaken,
    /// Candidates are left out.
    Limited,
    /// Diagnostics are left out; `{count}` is put in.
    Omitted,
}

/// A base that roots lie under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// The project.
    Project,
    /// The user's home.
    Home,
}

/// What becomes of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// It is followed wherever it leads.
    Followed,
    /// It is followed within its root or skill.
    Inside,
    /// It is not followed.
    Passed,
}

/// What becomes of skills of one name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SameName {
    /// The first in the order wins.
    First,
    /// The last in the order wins.
    Last,
    /// All of them stay.
    AllStay,
    /// Which one wins can change from run to run.
    Unsettled,
}
