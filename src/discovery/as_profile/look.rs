//! Walking roots: which entries are candidates, and how many are looked at.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;

use super::super::broken::{self, Broken};
use super::super::roots::{Origin, Root};
use super::super::scan::RootOutcome;
use super::super::skill_file::errno_of;
use super::Found;
use super::reading::Candidate;
use crate::diagnostic::{Diagnostic, Rule};
use crate::limits::Limits;
use crate::skill::profile::{Links, PlaceCase, Places, Profile};

/// A root that is there.
pub(super) struct OpenRoot<'a> {
    pub(super) root: &'a Arc<Root>,
    /// The same folder without links.
    real: PathBuf,
}

/// One look at the roots, as far as it has come.
pub(super) struct Look<'a> {
    pub(super) profile: &'static Profile,
    pub(super) places: &'static Places,
    pub(super) limits: &'a Limits,
    pub(super) project: Option<&'a Path>,
    /// How many more candidates may be looked at.
    room: usize,
    /// Real folders of roots, and in a deep walk of all that was entered.
    met: HashSet<PathBuf>,
    /// In the order in which it was met.
    pub(super) found: Vec<Found>,
}

impl<'a> Look<'a> {
    pub(super) fn new(
        profile: &'static Profile,
        project: Option<&'a Path>,
        limits: &'a Limits,
    ) -> Self {
        Self {
            profile,
            places: profile.places,
            limits,
            project,
            room: profile.places.candidates.unwrap_or(limits.candidates),
            met: HashSet::new(),
            found: Vec::new(),
        }
    }

    /// Returns whether no candidate may be looked at any more, and if so says
    /// it: `root` holds or is something that is left.
    pub(super) fn limited(&mut self, root: &Path) -> bool {
        if self.room > 0 {
            return false;
        }
        let most = self.places.candidates.unwrap_or(self.limits.candidates);
        let message = self.places.words(PlaceCase::Limited).map_or_else(
            || format!("the rest is left out: at most {most} candidates are looked at"),
            str::to_owned,
        );
        let warning = Diagnostic::warning(Rule::CandidatesBound, root, message);
        self.found.push(Found::Broken(Broken::at(root, warning)));
        true
    }

    /// Looks at one root; returns whether something is left over in it.
    pub(super) fn root(&mut self, root: &Arc<Root>) -> (RootOutcome, bool) {
        let path = &root.path;
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(_) if is_missing(path) && root.origin != Origin::Given => {
                return (RootOutcome::Missing, false);
            }
            Err(error) => return self.refused(path, PlaceCase::RootUnresolved, &error),
        };
        if !real.is_dir() {
            let error = Errno::NOTDIR.into();
            return self.refused(path, PlaceCase::RootNoFolder, &error);
        }
        if !self.met.insert(real.clone()) {
            return (RootOutcome::SameFolder, false);
        }
        let names = match names_in(&real) {
            Ok(names) => names,
            Err(error) => return self.refused(path, PlaceCase::RootUnlisted, &error),
        };
        let open = OpenRoot { root, real };
        let left_over = self.entries(&open, path, names, 1);
        (RootOutcome::Listed, left_over)
    }

    fn refused(&mut self, path: &Path, case: PlaceCase, error: &io::Error) -> (RootOutcome, bool) {
        self.unreadable(path, case, errno_of(error));
        (RootOutcome::Refused, false)
    }

    /// Looks at each entry of `folder`, which lies `depth` - 1 below its root;
    /// returns whether one is left over.
    fn entries(
        &mut self,
        root: &OpenRoot,
        folder: &Path,
        names: Vec<OsString>,
        depth: usize,
    ) -> bool {
        for name in names {
            if self.room == 0 {
                return true;
            }
            let path = folder.join(name);
            let Some(real) = self.candidate(root, &path) else {
                continue;
            };
            if self.is_deep() && !self.met.insert(real.clone()) {
                continue;
            }
            let candidate = Candidate {
                root,
                folder: &path,
                real: &real,
            };
            let found = self.read(&candidate);
            self.found.extend(found);
            if self.places.depth.is_some_and(|most| depth < most) {
                let below = names_in(&real).unwrap_or_default();
                if self.entries(root, &path, below, depth + 1) {
                    return true;
                }
            }
        }
        false
    }

    fn is_deep(&self) -> bool {
        self.places.depth.is_some_and(|most| most > 1)
    }

    /// Returns the real folder of an entry that may be a skill. What is passed
    /// over in silence does not count as a candidate.
    fn candidate(&mut self, root: &OpenRoot, path: &Path) -> Option<PathBuf> {
        let kind = path.symlink_metadata().ok()?.file_type();
        let is_passed = kind.is_symlink() && self.places.folder_links == Some(Links::Passed);
        if is_passed || !(kind.is_symlink() || kind.is_dir()) {
            return None;
        }
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(error) => {
                self.room -= 1;
                self.unreadable(path, PlaceCase::FolderUnresolved, errno_of(&error));
                return None;
            }
        };
        let is_free = root.root.boundary.is_none() || real.starts_with(&root.real);
        if is_free && !real.is_dir() {
            return None;
        }
        self.room -= 1;
        if !is_free {
            let found = self.link_out(path, &real);
            self.found.push(Found::Broken(Broken::at(path, found)));
            return None;
        }
        Some(real)
    }

    /// Says that an entry of a root leads out of it.
    fn link_out(&self, path: &Path, real: &Path) -> Diagnostic {
        let ours = format!("is a link to {}, outside its root", real.display());
        let name = self.profile.name;
        if self.places.folder_links.is_none() {
            let message = format!("{ours}; whether {name} follows it is not known");
            return Diagnostic::warning(Rule::LinkLeaves, path, message);
        }
        let message = self.places.words(PlaceCase::FolderLeaves);
        Diagnostic::error(Rule::LinkLeaves, path, message.unwrap_or(&ours))
    }

    fn unreadable(&mut self, path: &Path, case: PlaceCase, error: Errno) {
        let mut broken = broken::unreadable(path, error);
        if let Some(words) = self.places.words(case) {
            for found in &mut broken.diagnostics {
                *found = Diagnostic::error(found.rule, path, words);
            }
        }
        self.found.push(Found::Broken(broken));
    }
}

fn is_missing(path: &Path) -> bool {
    path.symlink_metadata().is_err_and(|error| {
        matches!(
            error.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
        )
    })
}

/// Returns the names in a folder, sorted by their bytes.
fn names_in(folder: &Path) -> io::Result<Vec<OsString>> {
    let names = fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name()));
    let mut names = names.collect::<io::Result<Vec<_>>>()?;
    names.sort_unstable();
    Ok(names)
}
