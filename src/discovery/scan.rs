//! Roots to skills: what is read, what is refused, who owns a name.
//!
//! Each root is listed once and each SKILL.md opened relative to it, on as many
//! threads as there are cores. This file decides which entries are skill
//! folders; what a SKILL.md says is the reader's business.

use std::collections::HashSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::broken::{self, Broken};
use super::difference::Digest;
use super::roots::{Origin, Root};
use super::skill_file::{self, SKILL_FILE, errno_of};
use crate::diagnostic::Diagnostic;
use crate::hash::Map;
use crate::limits::Limits;
use crate::name::Source;
use crate::skill::frontmatter;
use crate::skill::loading;
use crate::text;

/// Entries for each thread at least: with fewer, a thread costs more than it
/// saves.
const ENTRIES_A_THREAD: usize = 96;

/// A skill that loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// The name, in Unicode normalisation form C; what everything goes by.
    pub name: String,
    /// The description as the file has it, line ends included.
    pub description: String,
    /// What to type behind its slash command, if it says so.
    pub argument_hint: Option<String>,
    /// Where it is kept.
    pub kept: Kept,
    /// Whether the project ships it: it really lies in its folder, and was not
    /// found in a root of home.
    pub is_in_project: bool,
    /// Bytes of its SKILL.md.
    pub size: u64,
    /// What stands before the body of its SKILL.md, to be compared; of a personal
    /// skill, what the store says of it.
    pub frontmatter: Digest,
    /// The body of its SKILL.md, to be compared; of a personal skill, the whole.
    pub body: Digest,
    /// What is wrong with it although it loads.
    pub diagnostics: Vec<Diagnostic>,
    /// The location of the skill that owns its name, if another one does.
    pub shadowed_by: Option<PathBuf>,
}

/// Where a skill is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// In a folder under a root.
    InFolder {
        /// The root it was found in.
        root: Arc<Root>,
        /// The skill's folder, at its first path; absolute.
        folder: PathBuf,
    },
    /// In the store of personal skills of this name, under the skill's own:
    /// [`PersonalStore::place`](crate::personal::PersonalStore::place).
    InStore(Arc<str>),
}

impl Skill {
    /// Returns the skill's folder; a personal skill has none.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        match &self.kept {
            Kept::InFolder { folder, .. } => Some(folder),
            Kept::InStore(_) => None,
        }
    }

    /// Returns the root it was found in; a personal skill has none.
    #[must_use]
    pub fn root(&self) -> Option<&Arc<Root>> {
        match &self.kept {
            Kept::InFolder { root, .. } => Some(root),
            Kept::InStore(_) => None,
        }
    }

    /// Returns the path of the SKILL.md; a personal skill has none.
    #[must_use]
    pub fn location(&self) -> Option<PathBuf> {
        Some(self.folder()?.join(SKILL_FILE))
    }

    /// Returns what findings name: the path of the SKILL.md, or the qualified
    /// name of a personal skill.
    #[must_use]
    pub fn place(&self) -> PathBuf {
        self.location()
            .unwrap_or_else(|| Source::Personal.qualify(&self.name).into())
    }

    /// Returns where it comes from.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.root().map_or(Origin::Personal, |root| root.origin)
    }

    /// Returns who keeps the skill.
    #[must_use]
    pub fn source(&self) -> Source {
        match self.kept {
            Kept::InFolder { .. } => Source::Workspace,
            Kept::InStore(_) => Source::Personal,
        }
    }
}

/// A root, and what came of looking at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookedAt {
    /// The root.
    pub root: Arc<Root>,
    /// Whether it is there and was listed.
    pub outcome: RootOutcome,
}

/// What came of looking at a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RootOutcome {
    /// It was listed.
    Listed,
    /// Nothing is there.
    Missing,
    /// It is the same real folder as an earlier root.
    SameFolder,
    /// It could not or may not be listed; a [`Broken`] has the reason.
    Refused,
}

/// What the roots hold.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub(super) roots: Vec<LookedAt>,
    /// In the order of precedence.
    pub(super) skills: Vec<Skill>,
    /// In the order in which they were met.
    pub(super) broken: Vec<Broken>,
}

/// Looks at every root and reads every skill folder in them.
///
/// `project` is the project's folder, without links.
pub(super) fn scan(roots: Vec<Root>, project: Option<&Path>, limits: &Limits) -> Scan {
    let mut scan = Scan::default();
    let opened = open_roots(roots, &mut scan);
    let mut sieve = Sieve {
        roots: &opened,
        project,
        linked: HashSet::new(),
        limits,
    };
    let mut entries = Vec::new();
    for index in 0..opened.len() {
        sieve.sift(index, &mut entries);
    }
    let outcomes = read_all(&opened, entries, limits);
    scan.skills.reserve(outcomes.len());
    for outcome in outcomes {
        match outcome {
            Ok(skill) => scan.skills.push(skill),
            Err(broken) => scan.broken.push(broken),
        }
    }
    scan
}

/// A root that is there, with a handle on it.
struct OpenRoot {
    root: Arc<Root>,
    /// The same folder without links.
    real: PathBuf,
    handle: OwnedFd,
}

fn open_roots(roots: Vec<Root>, scan: &mut Scan) -> Vec<OpenRoot> {
    let mut there = Vec::new();
    for root in roots {
        let root = Arc::new(root);
        let outcome = match open_folder(&root) {
            Ok(Some((real, handle))) => {
                let root = Arc::clone(&root);
                there.push((scan.roots.len(), OpenRoot { root, real, handle }));
                RootOutcome::Listed
            }
            Ok(None) => RootOutcome::Missing,
            Err(error) => {
                scan.broken.push(broken::unreadable(&root.path, error));
                RootOutcome::Refused
            }
        };
        scan.roots.push(LookedAt { root, outcome });
    }
    // A root that is a link is judged once it is known where the others are.
    let known: Vec<PathBuf> = there
        .iter()
        .filter(|(_, root)| is_within(&root.real, root.root.boundary.as_deref()))
        .map(|(_, root)| root.real.clone())
        .collect();
    let mut met = HashSet::new();
    let mut opened = Vec::new();
    for (index, root) in there {
        let outcome = &mut scan.roots[index].outcome;
        if !known.iter().any(|folder| root.real.starts_with(folder)) {
            *outcome = RootOutcome::Refused;
            scan.broken
                .push(broken::leaves(&root.root.path, &root.real, &root.root));
        } else if met.insert(root.real.clone()) {
            opened.push(root);
        } else {
            *outcome = RootOutcome::SameFolder;
        }
    }
    opened
}

/// Opens the folder of a root; nothing where none is there. One that was named
/// outright, or is a link to nothing, is worth a word.
fn open_folder(root: &Root) -> Result<Option<(PathBuf, OwnedFd)>, Errno> {
    // Most roots are not there, and one question tells.
    match rustix::fs::lstat(&root.path) {
        Err(Errno::NOENT | Errno::NOTDIR) if root.origin != Origin::Given => return Ok(None),
        _ => {}
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let handle = rustix::fs::open(&root.path, flags, Mode::empty())?;
    let real = root.path.canonicalize().map_err(|error| errno_of(&error))?;
    Ok(Some((real, handle)))
}

fn is_within(real: &Path, boundary: Option<&Path>) -> bool {
    let is_in = |folder: &Path| real.starts_with(folder);
    boundary
        .is_none_or(|folder| is_in(folder) || folder.canonicalize().is_ok_and(|real| is_in(&real)))
}

/// A folder in a root that may be a skill.
struct Candidate {
    root: usize,
    name: OsString,
    /// The real folder where the entry is a link.
    target: Option<PathBuf>,
    is_in_project: bool,
}

/// An entry of a root: something to read, or a row already.
type Entry = Result<Candidate, Broken>;

/// Decides which entries of the roots are skill folders.
struct Sieve<'a> {
    roots: &'a [OpenRoot],
    project: Option<&'a Path>,
    /// Real folders that a link has already brought in.
    linked: HashSet<PathBuf>,
    limits: &'a Limits,
}

impl Sieve<'_> {
    fn sift(&mut self, index: usize, entries: &mut Vec<Entry>) {
        let root = &self.roots[index];
        let (mut names, fault) = list_folder(&root.handle);
        entries.extend(fault.map(|error| Err(broken::unreadable(&root.root.path, error))));
        names.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        // The bound holds for each root of its own, so that none starves another.
        let left_out = names.len().saturating_sub(self.limits.candidates);
        names.truncate(self.limits.candidates);
        let is_in_project = self.is_in_project(&root.root, &root.real);
        for (name, kind) in names {
            entries.extend(match kind {
                FileType::Directory => self.folder(index, name, is_in_project),
                FileType::Symlink => self.judge_link(index, name),
                FileType::RegularFile => Some(Err(broken::plain_file(&root.root.path.join(name)))),
                _ => Some(Err(broken::odd_file(&root.root.path.join(name)))),
            });
        }
        if left_out > 0 {
            entries.push(Err(broken::beyond_bound(
                &root.root.path,
                left_out,
                self.limits,
            )));
        }
    }

    /// Returns nothing for a folder that was already met.
    fn folder(&self, root: usize, name: OsString, is_in_project: bool) -> Option<Entry> {
        let is_linked = |folder: &Path| self.linked.contains(folder);
        let met = !self.linked.is_empty() && is_linked(&self.roots[root].real.join(&name));
        let candidate = Candidate {
            root,
            name,
            target: None,
            is_in_project,
        };
        (!met).then_some(Ok(candidate))
    }

    fn judge_link(&mut self, root: usize, name: OsString) -> Option<Entry> {
        let OpenRoot {
            root: owner, real, ..
        } = &self.roots[root];
        let path = owner.path.join(&name);
        let target = match path.canonicalize() {
            Ok(target) => target,
            Err(error) => return Some(Err(broken::unreadable(&path, errno_of(&error)))),
        };
        let is_known = is_within(&target, owner.boundary.as_deref())
            || self.roots.iter().any(|root| target.starts_with(&root.real));
        if !is_known {
            return Some(Err(broken::leaves(&path, &target, owner)));
        }
        if !target.is_dir() {
            return Some(Err(broken::plain_file(&path)));
        }
        if self.was_met(&target, root, &real.join(&name)) || !self.linked.insert(target.clone()) {
            return None;
        }
        Some(Ok(Candidate {
            is_in_project: self.is_in_project(owner, &target),
            root,
            name,
            target: Some(target),
        }))
    }

    /// Whether the project ships what really lies at `real`: however it was
    /// reached, but for home's roots, which are the user's own choice.
    fn is_in_project(&self, root: &Root, real: &Path) -> bool {
        let is_inside = self
            .project
            .is_some_and(|project| real.starts_with(project));
        is_inside && root.origin != Origin::Home
    }

    /// Returns whether `target` is an entry that stands before `link`: in an
    /// earlier root, or in the same one under a smaller name.
    fn was_met(&self, target: &Path, root: usize, link: &Path) -> bool {
        let in_earlier = self.roots[..root]
            .iter()
            .any(|root| target.parent() == Some(&root.real));
        in_earlier || target.parent() == link.parent() && target.file_name() < link.file_name()
    }
}

/// Returns the entries of a folder, unsorted, and the error that ended the
/// listing early if one did.
fn list_folder(handle: &OwnedFd) -> (Vec<(OsString, FileType)>, Option<Errno>) {
    let mut names = Vec::new();
    let entries = match Dir::read_from(handle) {
        Ok(entries) => entries,
        Err(error) => return (names, Some(error)),
    };
    for entry in entries {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => return (names, Some(error)),
        };
        let name = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        let kind = match entry.file_type() {
            // Some file systems don't say what an entry is.
            FileType::Unknown => rustix::fs::statat(handle, name, AtFlags::SYMLINK_NOFOLLOW)
                .map_or(FileType::Unknown, |stat| {
                    FileType::from_raw_mode(stat.st_mode)
                }),
            kind => kind,
        };
        names.push((OsString::from_vec(name.to_bytes().to_vec()), kind));
    }
    (names, None)
}

type Outcome = Result<Skill, Broken>;

/// Reads every candidate; the outcomes stand in the order of the entries.
fn read_all(roots: &[OpenRoot], mut entries: Vec<Entry>, limits: &Limits) -> Vec<Outcome> {
    let read = |chunk: Vec<Entry>| -> Vec<Outcome> {
        let buffer = Vec::new();
        let mut reader = Reader {
            roots,
            limits,
            buffer,
        };
        chunk
            .into_iter()
            .map(|entry| reader.read(&entry?))
            .collect()
    };
    if entries.len() < 2 * ENTRIES_A_THREAD {
        return read(entries);
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = cores.min(entries.len() / ENTRIES_A_THREAD);
    let size = entries.len().div_ceil(workers);
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        while entries.len() > size {
            let rest = entries.split_off(entries.len() - size);
            threads.push(scope.spawn(move || read(rest)));
        }
        let mut outcomes = read(entries);
        for thread in threads.into_iter().rev() {
            match thread.join() {
                Ok(chunk) => outcomes.extend(chunk),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        outcomes
    })
}

/// Reads one SKILL.md after the other into one buffer.
struct Reader<'a> {
    roots: &'a [OpenRoot],
    limits: &'a Limits,
    buffer: Vec<u8>,
}

impl Reader<'_> {
    fn read(&mut self, candidate: &Candidate) -> Outcome {
        let root = &self.roots[candidate.root];
        let mut location = skill_file::path_in(&root.root.path, &candidate.name);
        let name = text::path_text(Path::new(&candidate.name));
        let opened = match &candidate.target {
            None => skill_file::open_at(&root.handle, &root.real, &candidate.name),
            Some(target) => skill_file::open_in(target),
        };
        let file = match opened {
            Ok(file) => file,
            Err(Errno::NOENT) if location.symlink_metadata().is_err() => {
                location.pop();
                return Err(broken::without_skill_file(&location));
            }
            Err(error) => {
                let diagnostic = skill_file::refusal(error, &location);
                return Err(Broken::named(location, name, diagnostic));
            }
        };
        let size = match skill_file::fill(&file, &location, self.limits, &mut self.buffer) {
            Ok(size) => size,
            Err(diagnostic) => return Err(Broken::named(location, name, diagnostic)),
        };
        let facts = frontmatter::read(&self.buffer, self.limits);
        let (head, body) = self.buffer.split_at(facts.body);
        match loading::load(&facts, &location, &name, self.limits) {
            Ok(loaded) => Ok(Skill {
                name: loaded.name,
                description: loaded.description,
                argument_hint: loaded.argument_hint,
                kept: Kept::InFolder {
                    root: Arc::clone(&root.root),
                    folder: {
                        location.pop();
                        location
                    },
                },
                is_in_project: candidate.is_in_project,
                size,
                frontmatter: Digest::of(head),
                body: Digest::of(body),
                diagnostics: loaded.diagnostics,
                shadowed_by: None,
            }),
            Err(diagnostics) => Err(Broken {
                location,
                name: skill_file::claimed_name(&self.buffer, &facts, self.limits)
                    .unwrap_or_else(|| name.into_owned()),
                diagnostics,
            }),
        }
    }
}

/// The first skill of the workspace owns its name. In a store no name stands
/// twice.
pub(super) fn mark_shadowed(skills: &mut [Skill]) {
    let mut owners: Map<&str, &Path> = Map::default();
    owners.reserve(skills.len());
    let mut shadowed = Vec::new();
    for (index, skill) in skills.iter().enumerate() {
        let Some(folder) = skill.folder() else {
            continue;
        };
        match owners.get(skill.name.as_str()) {
            Some(owner) => shadowed.push((index, owner.join(SKILL_FILE))),
            None => drop(owners.insert(&skill.name, folder)),
        }
    }
    for (index, owner) in shadowed {
        skills[index].shadowed_by = Some(owner);
    }
}
