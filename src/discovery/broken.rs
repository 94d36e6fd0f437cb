//! Whatever sat in a root and was not taken, each with its reason.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::roots::{Origin, Root};
use super::skill_file::{SKILL_FILE, UNREADABLE_HELP, errno_of, plain_words};
use crate::diagnostic::{Diagnostic, Rule, Severity};
use crate::limits::Limits;
use crate::text;

/// Something that sat in a root and was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The SKILL.md, or the path of what sat there.
    pub location: PathBuf,
    /// The name that a person would use for it: the frontmatter's if it could
    /// be read, else the folder's or the file's.
    pub name: String,
    /// Why it was not taken; never empty.
    pub diagnostics: Vec<Diagnostic>,
}

impl Broken {
    /// Makes a row about `path`, called as its last part is.
    pub(super) fn at(path: &Path, diagnostic: Diagnostic) -> Self {
        Self::named(path.to_path_buf(), file_name(path), diagnostic)
    }

    pub(super) fn named(
        location: PathBuf,
        name: impl Into<String>,
        diagnostic: Diagnostic,
    ) -> Self {
        Self {
            location,
            name: name.into(),
            diagnostics: vec![diagnostic],
        }
    }

    /// Returns how bad the gravest reason is.
    #[must_use]
    pub fn severity(&self) -> Severity {
        let severities = self
            .diagnostics
            .iter()
            .map(|diagnostic| diagnostic.severity);
        severities.max().unwrap_or(Severity::Note)
    }

    /// Returns whether it is a SKILL.md, or a misnamed one, that was found and
    /// does not load; not a link that was not followed, nor something else.
    #[must_use]
    pub fn is_skill_file(&self) -> bool {
        const NOT_LOOKED_INTO: [Rule; 3] = [Rule::LinkLeaves, Rule::LinkDangling, Rule::LinkRing];
        let name = self.location.file_name();
        name.is_some_and(|name| name.eq_ignore_ascii_case(SKILL_FILE))
            && !self
                .diagnostics
                .iter()
                .any(|found| NOT_LOOKED_INTO.contains(&found.rule))
    }

    /// Returns whether a person who says `name` (in normalisation form C) may
    /// mean this.
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.names().any(|own| own == name)
    }

    /// Returns the names, in normalisation form C, by which a person may mean
    /// this; what stands in a file that was not read is not among them.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        let is_in_folder = self.is_skill_file() || self.location.ends_with(SKILL_FILE);
        let folder = self.location.parent().and_then(Path::file_name);
        let parts = [self.location.file_stem(), folder.filter(|_| is_in_folder)];
        let of_path = parts.into_iter().flatten().map(OsStr::to_string_lossy);
        std::iter::once(self.name.as_str().into())
            .chain(of_path)
            .map(|name| text::nfc(&name).into_owned())
    }

    /// Returns whether it was found for the rule.
    pub(super) fn is_of(&self, rule: Rule) -> bool {
        self.diagnostics.iter().any(|found| found.rule == rule)
    }
}

/// A plain file in a root.
pub(super) fn plain_file(path: &Path) -> Broken {
    let message = "is a file; a skill is a folder with a SKILL.md";
    let note = Diagnostic::note(Rule::PlainFile, path, message);
    Broken::at(
        path,
        note.with_help("to make a skill of it, move it to NAME/SKILL.md"),
    )
}

/// A FIFO, a socket or a device in a root.
pub(super) fn odd_file(path: &Path) -> Broken {
    Broken::at(
        path,
        Diagnostic::note(Rule::PlainFile, path, "is neither a folder nor a file"),
    )
}

/// A link, a root or a folder in it, that leaves what it may not leave.
pub(super) fn leaves(path: &Path, target: &Path, root: &Root) -> Broken {
    let whose = match root.origin {
        Origin::Attached => "the attached folder",
        _ => "the project",
    };
    let message = format!(
        "is a link to {}, outside {whose}, and is not followed",
        target.display()
    );
    let warning = Diagnostic::warning(Rule::LinkLeaves, path, message);
    Broken::at(
        path,
        warning.with_help("copy it in, or name the folder with --skills-dir"),
    )
}

/// A root or a link in it that cannot be read or resolved.
pub(crate) fn unreadable(path: &Path, error: Errno) -> Broken {
    let is_link = path
        .symlink_metadata()
        .is_ok_and(|metadata| metadata.is_symlink());
    let diagnostic = match error {
        Errno::LOOP => Diagnostic::warning(Rule::LinkRing, path, "is a link in a ring")
            .with_help("remove the link"),
        Errno::NOENT if is_link => {
            Diagnostic::warning(Rule::LinkDangling, path, "is a link to nothing")
                .with_help("bring its target back, or remove the link")
        }
        error => {
            let message = format!("cannot be read: {}", plain_words(error));
            Diagnostic::error(Rule::Unreadable, path, message).with_help(UNREADABLE_HELP)
        }
    };
    Broken::at(path, diagnostic)
}

/// Entries of a root that are beyond the bound.
pub(crate) fn beyond_bound(root: &Path, left_out: usize, limits: &Limits) -> Broken {
    let message = format!(
        "left out {} of this root: at most {} of a root are looked at",
        text::counted(left_out, "entry"),
        limits.candidates
    );
    let warning = Diagnostic::warning(Rule::CandidatesBound, root, message);
    Broken::at(
        root,
        warning.with_help("move what is no skill out of the root"),
    )
}

/// How many entries of a folder are looked at for a reason why it is no skill.
const LOOKED_AT_FOR_A_REASON: usize = 2_048;

/// Says what a folder without SKILL.md holds instead.
pub(crate) fn without_skill_file(folder: &Path) -> Broken {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries.flatten().take(LOOKED_AT_FOR_A_REASON),
        Err(error) => return unreadable(folder, errno_of(&error)),
    };
    let mut names: Vec<OsString> = entries.map(|entry| entry.file_name()).collect();
    names.sort_unstable();
    match names
        .iter()
        .find(|name| name.eq_ignore_ascii_case(SKILL_FILE))
    {
        Some(misnamed) => misnamed_file(folder, misnamed),
        None => Broken::at(folder, without_any(folder, &names)),
    }
}

/// A file that should be called SKILL.md.
pub(crate) fn misnamed_file(folder: &Path, misnamed: &OsStr) -> Broken {
    let location = folder.join(misnamed);
    let message = format!(
        "the file is called `{}`, and must be called `SKILL.md`",
        misnamed.to_string_lossy()
    );
    let error = Diagnostic::error(Rule::SkillFileName, &location, message);
    Broken::named(
        location,
        file_name(folder),
        error.with_help("rename it to SKILL.md"),
    )
}

fn without_any(folder: &Path, names: &[OsString]) -> Diagnostic {
    let mut deeper = names
        .iter()
        .filter(|name| folder.join(name).join(SKILL_FILE).is_file());
    let Some(first) = deeper.next() else {
        return Diagnostic::note(Rule::NoSkillFile, folder, "has no SKILL.md");
    };
    let stand = match 1 + deeper.count() {
        1 => "a skill folder stands".to_owned(),
        count => format!("{count} skill folders stand"),
    };
    let example = Path::new(&file_name(folder)).join(first);
    let message = format!(
        "has no SKILL.md; {stand} one level too deep in it, such as {}",
        example.display()
    );
    Diagnostic::note(Rule::NoSkillFile, folder, message)
        .with_help("only direct children of a root are skills: move the folder up one level")
}

/// Returns the skill folders that stand directly under `folder`.
pub(super) fn skill_folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .take(LOOKED_AT_FOR_A_REASON);
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.join(SKILL_FILE).is_file())
        .collect();
    found.sort();
    found
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or(OsStr::new("/"))
        .to_string_lossy()
        .into_owned()
}
