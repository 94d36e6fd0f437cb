//! What is to be checked: from the PATHs of a command line to SKILL.md files.
//!
//! A PATH is a SKILL.md, a skill folder, a root, or any other folder, which is
//! searched like a repository. This file decides what a PATH is; `walk` decides
//! where skills stand under a folder. Neither reads a SKILL.md.

mod ignoring;
mod walk;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::Target;
use crate::diagnostic::{Diagnostic, Rule, Severity};
use crate::discovery::broken;
use crate::discovery::project::Project;
use crate::discovery::roots;
use crate::discovery::skill_file::{self, SKILL_FILE};
use crate::env::Env;
use crate::text::counted;

pub(super) use ignoring::Patterns;

/// What the PATHs came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// What is to be checked, sorted by the bytes of the paths. No skill is
    /// here twice, by whatever links it was reached. If nothing is here, a
    /// finding of severity error says why.
    pub targets: Vec<Target>,
    /// What is wrong with the PATHs and on the way to the targets, sorted by
    /// path. One about a misnamed file ([`Rule::SkillFileName`]) has the path of
    /// a target; no other has.
    pub findings: Vec<Diagnostic>,
}

/// How far a search has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Folders that were entered.
    pub folders: usize,
    /// SKILL.md files that were found.
    pub skills: usize,
}

/// Finds what `paths` name; without any, what is under the starting folder.
///
/// - A file called SKILL.md, in upper or lower case, is checked; one that is not
///   called exactly so has a finding besides.
/// - A folder with such a file is a skill, and is not searched, unless it is the
///   top of a repository or called `skills` too.
/// - Any other folder is searched: the skills in it are its own children and the
///   children of every folder called `skills`, at any depth, hidden ones too.
///   What git ignores is passed over (unless the PATH itself is ignored: it was
///   named outright), and so are `.git` and `node_modules`. A `.gitignore` inside
///   a skill is about its resources, and not read.
/// - Links are followed to a skill or a root inside the project that holds the
///   PATH, or inside the PATH if no project does. One that leaves it has a
///   finding. Under the roots of the home folder they may lead anywhere in it.
///
/// Two of [`Limits`](crate::Limits) bound the search: `candidates` the entries
/// of all roots, `searched_folders` the folders entered. A bound that bites is a
/// finding.
///
/// # Examples
///
/// ```
/// use codeaf_skills::{Env, check::targets::targets};
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let start = folder.path().canonicalize().unwrap();
/// let skill = start.join(".agents/skills/pdf");
/// std::fs::create_dir_all(&skill).unwrap();
/// std::fs::write(skill.join("SKILL.md"), "").unwrap();
///
/// let found = targets(&[], &Env::new(&start));
/// assert_eq!(found.targets[0].file, skill.join("SKILL.md"));
/// ```
#[must_use]
pub fn targets(paths: &[PathBuf], env: &Env) -> Found {
    targets_with_progress(paths, env, &mut |_| {})
}

/// Finds the same as [`targets`], and tells `tell` after each folder how far it
/// has come.
pub fn targets_with_progress(
    paths: &[PathBuf],
    env: &Env,
    tell: &mut dyn FnMut(Progress),
) -> Found {
    let mut search = Search::new(env, tell);
    if paths.is_empty() {
        search.look_at(&env.start);
    }
    for path in paths {
        search.look_at(&env.absolute(path));
    }
    search.finish()
}

/// Reads a list of paths, as `check -` has it on standard input: one a line, or
/// with a NUL after each if there is a NUL in it. Empty ones are passed over.
///
/// An empty list is not the same as no PATH: nothing is to be checked.
///
/// # Examples
///
/// ```
/// use codeaf_skills::check::targets::parse_list;
///
/// assert_eq!(parse_list(b"a\n\nb c\r\n"), ["a".into(), std::path::PathBuf::from("b c")]);
/// assert_eq!(parse_list(b"a\nb\0c\0").len(), 2);
/// ```
#[must_use]
pub fn parse_list(bytes: &[u8]) -> Vec<PathBuf> {
    let has_nul = bytes.contains(&0);
    let separator = if has_nul { 0 } else { b'\n' };
    bytes
        .split(|&byte| byte == separator)
        .map(|path| match path.strip_suffix(b"\r") {
            Some(before) if !has_nul => before,
            _ => path,
        })
        .filter(|path| !path.is_empty())
        .map(|path| PathBuf::from(OsStr::from_bytes(path)))
        .collect()
}

/// A SKILL.md that was come across.
struct Met {
    /// The path as it is shown.
    file: PathBuf,
    /// The same file in its folder's real path.
    real: PathBuf,
}

/// What is gathered over all PATHs.
struct Search<'a> {
    env: &'a Env,
    tell: &'a mut dyn FnMut(Progress),
    met: Vec<Met>,
    findings: Vec<Diagnostic>,
    /// PATHs under which nothing was found and that nothing else is wrong with,
    /// each with the number of entries that git ignores.
    barren: Vec<(PathBuf, usize)>,
    /// Entries of roots that may still be looked at.
    room: usize,
    /// Folders that were entered.
    folders: usize,
}

impl<'a> Search<'a> {
    fn new(env: &'a Env, tell: &'a mut dyn FnMut(Progress)) -> Self {
        Self {
            env,
            tell,
            met: Vec::new(),
            findings: Vec::new(),
            barren: Vec::new(),
            room: env.limits.candidates,
            folders: 0,
        }
    }

    /// Looks at one PATH, absolute.
    fn look_at(&mut self, path: &Path) {
        let is_named_so = has_skill_file_name(path);
        match path.metadata() {
            Ok(metadata) if metadata.is_dir() && (!is_named_so || skill_file::is_in(path)) => {
                self.look_at_folder(path);
            }
            Ok(_) if is_named_so => self.look_at_file(path),
            Ok(_) => self.findings.push(no_skill_file(path)),
            // A link to nothing; whoever reads it says so.
            Err(_) if is_named_so && path.symlink_metadata().is_ok() => self.look_at_file(path),
            Err(error) => self.findings.push(self.not_there(path, &error)),
        }
    }

    fn look_at_file(&mut self, file: &Path) {
        let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else {
            return;
        };
        if name != SKILL_FILE {
            let broken = broken::misnamed_file(folder, name);
            self.findings.extend(broken.diagnostics);
        }
        let real = folder.canonicalize().unwrap_or_else(|_| folder.into());
        self.met.push(Met {
            file: file.to_path_buf(),
            real: real.join(name),
        });
    }

    fn look_at_folder(&mut self, folder: &Path) {
        let real = match folder.canonicalize() {
            Ok(real) => real,
            Err(error) => return self.findings.push(self.not_there(folder, &error)),
        };
        let (found, told) = (self.met.len(), self.findings.len());
        let may_hold_more =
            folder.ends_with(walk::SKILLS) || real.join(ignoring::GIT).symlink_metadata().is_ok();
        if self.take_skill(folder, &real).is_ok() && !may_hold_more {
            return;
        }
        let ignored = walk::walk(self, folder, &real);
        let new = &self.findings[told..];
        let is_told = new.iter().any(|new| new.severity == Severity::Error);
        if self.met.len() == found && !is_told {
            self.barren.push((folder.to_path_buf(), ignored));
        }
    }

    /// Takes `folder` as a target if it is a skill folder. If not, returns what
    /// it holds instead.
    fn take_skill(&mut self, folder: &Path, real: &Path) -> Result<(), Diagnostic> {
        if skill_file::is_in(real) {
            self.met.push(Met {
                file: folder.join(SKILL_FILE),
                real: real.join(SKILL_FILE),
            });
            return Ok(());
        }
        let broken = broken::without_skill_file(folder);
        let Some(finding) = broken.diagnostics.into_iter().next() else {
            return Ok(());
        };
        if finding.rule != Rule::SkillFileName {
            return Err(finding);
        }
        let real = real.join(broken.location.file_name().unwrap_or_default());
        self.findings.push(finding);
        self.met.push(Met {
            file: broken.location,
            real,
        });
        Ok(())
    }

    /// Returns the real folder that links found under `real` may not leave.
    fn boundary(&self, real: &Path) -> PathBuf {
        let env = Env {
            start: real.to_path_buf(),
            ..self.env.clone()
        };
        if let Some(project) = Project::find(&env).filter(|project| project.marked) {
            return project.folder;
        }
        let home = env.home.and_then(|home| home.canonicalize().ok());
        let is_in_root = |home: &PathBuf| roots::of_home(home).any(|root| real.starts_with(root));
        home.filter(is_in_root)
            .unwrap_or_else(|| real.to_path_buf())
    }

    fn progress(&mut self) {
        (self.tell)(Progress {
            folders: self.folders,
            skills: self.met.len(),
        });
    }

    fn not_there(&self, path: &Path, error: &std::io::Error) -> Diagnostic {
        let is_link = path.symlink_metadata().is_ok();
        let errno = skill_file::errno_of(error);
        if errno == Errno::NOENT && !is_link {
            let message = "there is no such file or folder";
            let help = format!("paths are taken from {}", self.env.start.display());
            return Diagnostic::error(Rule::Unreadable, path, message).with_help(help);
        }
        let finding = broken::unreadable(path, errno).diagnostics.pop();
        finding.map_or_else(
            || Diagnostic::error(Rule::Unreadable, path, "cannot be read"),
            |finding| Diagnostic {
                severity: Severity::Error,
                ..finding
            },
        )
    }

    fn finish(mut self) -> Found {
        let severity = if self.met.is_empty() {
            Severity::Error
        } else {
            Severity::Warning
        };
        for (path, ignored) in &self.barren {
            self.findings.push(without_skills(path, *ignored, severity));
        }
        self.findings
            .sort_by(|a, b| (&a.path, a).cmp(&(&b.path, b)));
        self.findings.dedup();
        // Of several ways to one skill, the one without links is shown.
        self.met.sort_by(|a, b| {
            let key = |met: &'_ Met| met.file != met.real;
            (&a.real, key(a), &a.file).cmp(&(&b.real, key(b), &b.file))
        });
        self.met.dedup_by(|a, b| a.real == b.real);
        let mut targets: Vec<Target> = self
            .met
            .into_iter()
            .map(|met| Target { file: met.file })
            .collect();
        targets.sort_by(|a, b| a.file.as_os_str().cmp(b.file.as_os_str()));
        Found {
            targets,
            findings: self.findings,
        }
    }
}

fn has_skill_file_name(path: &Path) -> bool {
    path.file_name()
        .is_some_and(|name| name.eq_ignore_ascii_case(SKILL_FILE))
}

fn no_skill_file(path: &Path) -> Diagnostic {
    let message = "is a file, and not a SKILL.md";
    Diagnostic::error(Rule::PlainFile, path, message)
        .with_help("name a SKILL.md, a skill's folder, a root or a repository")
}

fn without_skills(path: &Path, ignored: usize, severity: Severity) -> Diagnostic {
    let mut message = "holds no skill".to_owned();
    let mut help = "a skill is a folder with a SKILL.md, in the folder that is named or in any \
                    folder called `skills` under it";
    if ignored > 0 {
        let left_out = counted(ignored, "entry");
        message = format!("{message}; {left_out} that git ignores were passed over");
        help = "name an ignored folder outright to check it";
    }
    Diagnostic::new(Rule::NoSkillFile, severity, path, message).with_help(help)
}

#[cfg(test)]
mod tests;
