//! Where skills stand under a folder that is not one itself.
//!
//! The children of a root are looked at, and a skill is never entered, so that
//! a root costs one listing and one look at each child. Other folders are
//! entered one after the other, without links.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Search;
use super::ignoring::{GIT, GITIGNORE, Rules};
use crate::diagnostic::{Diagnostic, Rule, Severity};
use crate::discovery::broken;
use crate::discovery::roots;
use crate::discovery::skill_file;
use crate::text::counted;

/// Folders that hold no skill of the repository's own.
const PASSED_OVER: [&str; 2] = [GIT, "node_modules"];

/// The name of every root.
pub(super) const SKILLS: &str = "skills";

/// Searches the folder `shown`, whose real path is `real`. Returns how many
/// entries git ignores.
pub(super) fn walk(search: &mut Search<'_>, shown: &Path, real: &Path) -> usize {
    let boundary = search.boundary(real);
    let mut walk = Walk {
        search,
        boundary,
        stack: Vec::new(),
        linked_roots: Vec::new(),
        roots: HashSet::new(),
        too_deep: Vec::new(),
        ignored: 0,
    };
    let place = if shown.file_name().is_some_and(|name| name == SKILLS) {
        Place::Root
    } else {
        Place::Named
    };
    let found = walk.search.met.len();
    walk.stack.push(Folder {
        shown: shown.to_path_buf(),
        real: real.to_path_buf(),
        // What was named outright is looked at although git ignores it.
        rules: Rules::leading_to(real).unwrap_or_default(),
        place,
    });
    walk.run(shown);
    let Walk {
        too_deep, ignored, ..
    } = walk;
    if search.met.len() == found {
        search.findings.extend(too_deep);
    }
    ignored
}

/// A folder to be looked at.
struct Folder {
    shown: PathBuf,
    real: PathBuf,
    /// Those of the folders above it.
    rules: Rules,
    place: Place,
}

/// What a folder means for its children.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The PATH itself: its children may be skills, or anything else.
    Named,
    /// Its children are meant to be skills.
    Root,
    /// The same behind a link: what is no skill in it is not searched.
    LinkedRoot,
    /// Its children are not skills.
    Plain,
}

impl Place {
    fn of_child(name: &OsString) -> Self {
        if name == SKILLS {
            Self::Root
        } else {
            Self::Plain
        }
    }

    fn is_root(self) -> bool {
        matches!(self, Self::Root | Self::LinkedRoot)
    }
}

struct Walk<'s, 'a> {
    search: &'s mut Search<'a>,
    /// The real folder that links may not leave.
    boundary: PathBuf,
    stack: Vec<Folder>,
    /// Links to roots, looked at when all else was.
    linked_roots: Vec<PathBuf>,
    /// Real paths of the roots that were looked at.
    roots: HashSet<PathBuf>,
    /// Notes on children of the PATH, told only if there is no skill under it.
    too_deep: Vec<Diagnostic>,
    ignored: usize,
}

impl Walk<'_, '_> {
    fn run(&mut self, path: &Path) {
        loop {
            while let Some(folder) = self.stack.pop() {
                if self.search.folders >= self.search.env.limits.searched_folders {
                    let left_out = self.stack.len() + 1;
                    self.search.findings.push(self.beyond_bound(path, left_out));
                    return;
                }
                self.search.folders += 1;
                self.visit(folder);
                self.search.progress();
            }
            let Some(link) = self.linked_roots.pop() else {
                return;
            };
            self.enter_linked_root(link);
        }
    }

    fn visit(&mut self, mut folder: Folder) {
        let listing = match Listing::read(&folder.real) {
            Ok(listing) => listing,
            Err(error) => return self.tell_unreadable(&folder, &error),
        };
        if listing.is_repository {
            folder.rules = Rules::of_repository(&folder.real);
        }
        if listing.has_gitignore {
            folder.rules = folder.rules.with_file_in(&folder.real);
        }
        let mut entries = listing.entries;
        if folder.place != Place::Plain {
            self.roots.insert(folder.real.clone());
            let left_out = entries.len().saturating_sub(self.search.room);
            entries.truncate(self.search.room);
            self.search.room -= entries.len();
            if left_out > 0 {
                let limits = &self.search.env.limits;
                let broken = broken::beyond_bound(&folder.shown, left_out, limits);
                self.search.findings.extend(broken.diagnostics);
            }
        }
        // The stack turns them round again.
        for (name, is_link) in entries.into_iter().rev() {
            self.judge(&folder, name, is_link);
        }
    }

    fn judge(&mut self, folder: &Folder, name: OsString, is_link: bool) {
        let real = folder.real.join(&name);
        if folder.rules.ignore(&real, !is_link) {
            self.ignored += 1;
        } else if is_link {
            self.judge_link(folder, &folder.shown.join(name));
        } else {
            self.judge_folder(folder, &name, real);
        }
    }

    fn judge_folder(&mut self, parent: &Folder, name: &OsString, real: PathBuf) {
        let shown = parent.shown.join(name);
        let place = Place::of_child(name);
        if parent.place != Place::Plain {
            match self.search.take_skill(&shown, &real) {
                Ok(()) if place == Place::Plain => return,
                Ok(()) => {}
                Err(fault) if fault.rule != Rule::NoSkillFile && parent.place.is_root() => {
                    return self.search.findings.push(fault);
                }
                Err(note) => self.tell_no_skill(parent.place, place, note),
            }
        }
        if parent.place != Place::LinkedRoot {
            self.stack.push(Folder {
                shown,
                real,
                rules: parent.rules.clone(),
                place,
            });
        }
    }

    /// Tells of a child that is no skill: of every one in the roots that agents
    /// use, and of one with skills in it elsewhere. A folder that happens to be
    /// called `skills` may hold code.
    fn tell_no_skill(&mut self, parent: Place, child: Place, note: Diagnostic) {
        let holds_skills = note.rule == Rule::NoSkillFile && note.help.is_some();
        let folder = note.path.parent().unwrap_or(&note.path);
        if parent == Place::Named {
            if holds_skills && child != Place::Root {
                self.too_deep.push(note);
            }
        } else if note.rule == Rule::NoSkillFile && (holds_skills || roots::is_known(folder)) {
            self.search.findings.push(note);
        }
    }

    /// A link is followed where a skill or a root may stand, and nowhere else.
    fn judge_link(&mut self, parent: &Folder, link: &Path) {
        if parent.place == Place::Plain {
            return self.judge_root_link(link);
        }
        let target = match link.canonicalize() {
            Ok(target) => target,
            Err(error) if parent.place.is_root() => {
                let broken = broken::unreadable(link, skill_file::errno_of(&error));
                return self.search.findings.extend(broken.diagnostics);
            }
            Err(_) => return,
        };
        if !target.is_dir() {
            return;
        }
        if !target.starts_with(&self.boundary) {
            if parent.place.is_root() || skill_file::is_in(&target) {
                return self.search.findings.push(self.leaves(link, &target));
            }
            return self.judge_root_link(link);
        }
        if let Err(note) = self.search.take_skill(link, &target) {
            self.tell_no_skill(parent.place, Place::Plain, note);
            if parent.place == Place::Named {
                self.judge_root_link(link);
            }
        }
    }

    /// Keeps a link that is a root, as `.claude/skills`, or that holds one, as
    /// `.claude`.
    fn judge_root_link(&mut self, link: &Path) {
        let root = link.join(SKILLS);
        if link.ends_with(SKILLS) {
            self.linked_roots.push(link.to_path_buf());
        } else if roots::is_known(&root) && root.is_dir() {
            self.linked_roots.push(root);
        }
    }

    fn enter_linked_root(&mut self, link: PathBuf) {
        let real = match link.canonicalize() {
            Ok(real) => real,
            Err(error) => {
                let broken = broken::unreadable(&link, skill_file::errno_of(&error));
                return self.search.findings.extend(broken.diagnostics);
            }
        };
        if !real.starts_with(&self.boundary) {
            return self.search.findings.push(self.leaves(&link, &real));
        }
        if !real.is_dir() || self.roots.contains(&real) {
            return;
        }
        let Some(rules) = Rules::leading_to(&real) else {
            self.ignored += 1;
            return;
        };
        self.stack.push(Folder {
            shown: link,
            real,
            rules,
            place: Place::LinkedRoot,
        });
    }

    /// A folder where no skill need be is none of our business if it is closed.
    fn tell_unreadable(&mut self, folder: &Folder, error: &io::Error) {
        if error.kind() == io::ErrorKind::NotFound {
            return;
        }
        let broken = broken::unreadable(&folder.shown, skill_file::errno_of(error));
        let told = broken
            .diagnostics
            .into_iter()
            .map(|found| match folder.place {
                Place::Plain => Diagnostic {
                    severity: Severity::Warning,
                    ..found
                },
                _ => found,
            });
        self.search.findings.extend(told);
    }

    fn leaves(&self, link: &Path, target: &Path) -> Diagnostic {
        let message = format!(
            "is a link to {}, outside {}, and is not followed",
            target.display(),
            self.boundary.display()
        );
        Diagnostic::warning(Rule::LinkLeaves, link, message)
            .with_help("copy it in, or name the link outright to check what is behind it")
    }

    fn beyond_bound(&self, path: &Path, left_out: usize) -> Diagnostic {
        let message = format!(
            "left out {} and whatever is under them: at most {} folders are searched",
            counted(left_out, "folder"),
            self.search.env.limits.searched_folders
        );
        Diagnostic::warning(Rule::CandidatesBound, path, message)
            .with_help("name the folders that hold the skills")
    }
}

/// What of a folder's entries matters to a search.
struct Listing {
    /// Folders and links with whether they are links, sorted by name.
    entries: Vec<(OsString, bool)>,
    is_repository: bool,
    has_gitignore: bool,
}

impl Listing {
    fn read(folder: &Path) -> io::Result<Self> {
        let mut listing = Self {
            entries: Vec::new(),
            is_repository: false,
            has_gitignore: false,
        };
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            // Gone in the meantime.
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let name = entry.file_name();
            listing.is_repository |= name == GIT;
            listing.has_gitignore |= name == GITIGNORE && kind.is_file();
            if (kind.is_dir() || kind.is_symlink()) && PASSED_OVER.iter().all(|over| name != *over)
            {
                listing.entries.push((name, kind.is_symlink()));
            }
        }
        listing.entries.sort_unstable();
        Ok(listing)
    }
}
