//! What is there and is no skill: by which names it may be meant, and which names
//! are not gone because of it.
//!
//! The names in files that are called otherwise, or stand too deep, are read only
//! for a name that no skill bears.

use std::path::{Path, PathBuf};

use super::{Lookup, Snapshot};
use crate::diagnostic::{Diagnostic, Rule, Severity};
use crate::discovery::broken::{Broken, skill_folders_in};
use crate::discovery::roots::Origin;
use crate::discovery::skill_file::{SKILL_FILE, name_in};
use crate::hash::{Map, Set};
use crate::name::{Source, near, split_qualified, unsafe_because};
use crate::text::nfc;

/// How many files that are no skills of a root are read for their name.
const READ_FOR_A_NAME: usize = 512;

/// Why a name that no skill bears may not be gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt<'a> {
    /// What stands at this path bears it, and is not loaded.
    NotLoaded(&'a Path),
    /// A root, or what lies in one, was not read, or not read whole.
    Root(&'a Diagnostic),
}

/// Which names may not be gone, though no skill bears them: their decisions must
/// hold again as soon as what is there loads.
#[derive(Debug)]
pub struct Doubts<'a> {
    not_loaded: Map<String, PathBuf>,
    root: Option<&'a Diagnostic>,
}

impl Doubts<'_> {
    /// Returns why `name`, bare or qualified, may not be gone.
    #[must_use]
    pub fn of(&self, name: &str) -> Option<Doubt<'_>> {
        let (source, bare) = split_qualified(name);
        if source == Some(Source::Personal) {
            return None;
        }
        let not_loaded = self.not_loaded.get(bare);
        not_loaded
            .map(|path| Doubt::NotLoaded(path))
            .or(self.root.map(Doubt::Root))
    }
}

impl Snapshot {
    /// Returns why a root was not read, or not read whole.
    pub fn root_faults(&self) -> impl Iterator<Item = &Diagnostic> {
        let roots: Set<&Path> = self.roots().iter().map(|of| &*of.root.path).collect();
        self.broken()
            .iter()
            .filter(move |broken| roots.contains(&*broken.location))
            .flat_map(|broken| &broken.diagnostics)
            .filter(|found| found.severity > Severity::Note)
    }

    /// Returns which names may not be gone, though no skill bears them.
    #[must_use]
    pub fn doubts(&self) -> Doubts<'_> {
        let mut not_loaded = Map::default();
        let mut unread = None;
        let mut read = Reading::new(self);
        for broken in self.broken() {
            let had_room = !read.is_cut;
            if broken.severity() > Severity::Note {
                let names = broken.names().chain(read.name_of(broken));
                not_loaded.extend(names.map(|name| (name, broken.location.clone())));
            }
            for folder in skill_folders_under(broken) {
                let names = folder_name(&folder)
                    .into_iter()
                    .chain(read.name_in(&folder));
                not_loaded.extend(names.map(|name| (name, folder.clone())));
            }
            if had_room && read.is_cut {
                unread = broken.diagnostics.first();
            }
        }
        // What was not read may bear any name.
        let root = self.root_faults().next().or(unread);
        Doubts { not_loaded, root }
    }

    /// Returns what sat in a root and could have been meant by `name`.
    #[must_use]
    pub fn broken_called(&self, name: &str) -> Vec<&Broken> {
        let (_, bare) = split_qualified(name);
        let bare = nfc(bare);
        let is_skill = !matches!(self.lookup(&bare), Lookup::NotFound);
        let mut read = Reading::new(self);
        let mut names_itself =
            |broken| !is_skill && read.name_of(broken).is_some_and(|name| name == bare);
        self.broken()
            .iter()
            .filter(|broken| broken.is_called(&bare) || names_itself(broken))
            .collect()
    }

    /// Returns the folders that stand one level too deep to be skills, and are
    /// called `name` or hold a skill of that name.
    #[must_use]
    pub fn too_deep(&self, name: &str) -> Vec<PathBuf> {
        let (_, bare) = split_qualified(name);
        let bare = nfc(bare);
        let mut read = Reading::new(self);
        self.broken()
            .iter()
            .flat_map(skill_folders_under)
            .filter(|folder| {
                let mut names = folder_name(folder).into_iter();
                names.any(|name| name == bare)
                    || read.name_in(folder).is_some_and(|name| name == bare)
            })
            .collect()
    }

    /// Returns the folders called `name` that a root holds beyond the bound on
    /// what is looked at.
    #[must_use]
    pub fn beyond_bound(&self, name: &str) -> Vec<PathBuf> {
        let (_, bare) = split_qualified(name);
        if unsafe_because(bare, self.env().limits.name_bytes).is_some() {
            return Vec::new();
        }
        let cut = self.root_faults();
        let folders = cut
            .filter(|found| found.rule == Rule::CandidatesBound)
            .map(|found| found.path.join(bare));
        let was_met = |folder: &Path| {
            let mut skills = self.skills().iter();
            skills.any(|skill| skill.folder() == Some(folder))
                || self
                    .broken()
                    .iter()
                    .any(|broken| broken.location.starts_with(folder))
        };
        folders
            .filter(|folder| folder.join(SKILL_FILE).is_file() && !was_met(folder))
            .collect()
    }

    /// Returns what does not load and has a name near `name`.
    #[must_use]
    pub fn near_broken(&self, name: &str) -> Vec<&Broken> {
        let (_, bare) = split_qualified(name);
        let faulty = || {
            let broken = self.broken().iter();
            broken.filter(|broken| broken.is_skill_file() && broken.severity() > Severity::Note)
        };
        near(bare, faulty().map(|broken| broken.name.as_str()))
            .into_iter()
            .filter(|near| nfc(near) != nfc(bare))
            .filter_map(|near| faulty().find(|broken| broken.name == near))
            .collect()
    }

    /// Returns what lies in a root of home under `name` and does not load.
    #[must_use]
    pub fn broken_at_home(&self, name: &str) -> Option<&Broken> {
        let roots = self.roots().iter();
        let home: Vec<&Path> = roots
            .filter(|looked_at| looked_at.root.origin == Origin::Home)
            .map(|looked_at| &*looked_at.root.path)
            .collect();
        self.broken().iter().find(|broken| {
            broken.severity() > Severity::Note
                && home.iter().any(|root| broken.location.starts_with(root))
                && broken.is_called(name)
        })
    }
}

/// Returns the skill folders in a folder that is none itself.
fn skill_folders_under(broken: &Broken) -> Vec<PathBuf> {
    if broken.is_of(Rule::NoSkillFile) {
        skill_folders_in(&broken.location)
    } else {
        Vec::new()
    }
}

fn folder_name(folder: &Path) -> Option<String> {
    let name = folder.file_name()?.to_string_lossy();
    Some(nfc(&name).into_owned())
}

/// Reads what files call themselves, as many as the bound allows.
struct Reading<'a> {
    snapshot: &'a Snapshot,
    room: usize,
    /// Whether one was left unread.
    is_cut: bool,
}

impl<'a> Reading<'a> {
    fn new(snapshot: &'a Snapshot) -> Self {
        Self {
            snapshot,
            room: READ_FOR_A_NAME,
            is_cut: false,
        }
    }

    /// Returns the name in a file that is called almost SKILL.md; others were
    /// read already.
    fn name_of(&mut self, broken: &Broken) -> Option<String> {
        if broken.is_of(Rule::SkillFileName) {
            self.read(&broken.location)
        } else {
            None
        }
    }

    /// Returns the name in the SKILL.md of a folder; a link is not followed.
    fn name_in(&mut self, folder: &Path) -> Option<String> {
        if folder.is_symlink() {
            return None;
        }
        self.read(&folder.join(SKILL_FILE))
    }

    fn read(&mut self, file: &Path) -> Option<String> {
        let Some(room) = self.room.checked_sub(1) else {
            self.is_cut = true;
            return None;
        };
        self.room = room;
        let name = name_in(file, &self.snapshot.env().limits)?;
        Some(nfc(&name).into_owned())
    }
}
