//! Roots to skills as another agent system takes them, from the table of its
//! places and the verdict on each SKILL.md.
//!
//! It is slower than the ordinary scan, and reads one folder after the other.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;

use super::broken::{self, Broken};
use super::roots::{Origin, Root};
use super::scan::{LookedAt, RootOutcome, Scan, Skill};
use super::skill_file::{self, SKILL_FILE, errno_of};
use crate::diagnostic::{Diagnostic, Rule, Severity};
use crate::env::Env;
use crate::limits::Limits;
use crate::skill::profile::{
    Base, Links, Outcome, PlaceCase, Places, Profile, SameName, findings, verdict,
};
use crate::text;

/// Returns every root of the system of `profile`, first the one that comes
/// first in its order; what was given comes before all.
pub(super) fn roots(env: &Env, attached: &[PathBuf], profile: &Profile) -> Vec<Root> {
    let places = profile.places;
    let under = |base: &Path, children: &[&str], origin| -> Vec<Root> {
        let children = children.iter().map(|child| base.join(child));
        children.map(|path| root(path, origin, places)).collect()
    };
    let given = env.given_roots.iter();
    let mut roots: Vec<Root> = given
        .map(|path| root(env.absolute(path), Origin::Given, places))
        .collect();
    let of_project = bases(env, places)
        .into_iter()
        .flat_map(|base| under(base, places.project, Origin::Project));
    let of_attached = attached
        .iter()
        .flat_map(|folder| under(folder, places.project, Origin::Attached));
    let of_home = env
        .home
        .iter()
        .flat_map(|home| under(home, places.home, Origin::Home));
    if places.first == Some(Base::Home) {
        roots.extend(of_home.chain(of_project).chain(of_attached));
    } else {
        roots.extend(of_project.chain(of_attached).chain(of_home));
    }
    roots
}

fn root(path: PathBuf, origin: Origin, places: &Places) -> Root {
    let boundary = (!matches!(places.folder_links, Some(Links::Followed))).then(|| path.clone());
    Root {
        path,
        origin,
        boundary,
    }
}

/// Returns the starting folder, and those above it up to the repository where
/// the system looks there too.
fn bases<'a>(env: &'a Env, places: &Places) -> Vec<&'a Path> {
    let start = env.start.as_path();
    let is_repository = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
    let top = start.ancestors().find(is_repository);
    match (places.walks_up, top) {
        (Some(true), Some(top)) => start
            .ancestors()
            .take_while(|folder| folder.starts_with(top))
            .collect(),
        _ => vec![start],
    }
}

/// Looks at the roots as the system of `profile` does.
///
/// `project` is the project's folder, without links.
pub(super) fn scan(
    roots: Vec<Root>,
    project: Option<&Path>,
    profile: &'static Profile,
    limits: &Limits,
) -> Scan {
    let mut look = Look {
        profile,
        places: profile.places,
        limits,
        project,
        room: profile.places.candidates.unwrap_or(limits.candidates),
        met: HashSet::new(),
        found: Vec::new(),
    };
    let mut looked_at = Vec::new();
    let mut is_limited = false;
    for root in roots {
        let root = Arc::new(root);
        // A root that is left is enough, there or not.
        let outcome = if is_limited || look.limited(&root.path) {
            is_limited = true;
            RootOutcome::Refused
        } else {
            let (outcome, left_over) = look.root(&root);
            is_limited = left_over && look.limited(&root.path);
            outcome
        };
        looked_at.push(LookedAt { root, outcome });
    }
    let mut found = look.found;
    settle_names(&mut found, profile);
    let mut scan = Scan {
        roots: looked_at,
        ..Scan::default()
    };
    for found in within_bound(found, profile.places) {
        match found {
            Found::Skill(skill) => scan.skills.push(*skill),
            Found::Broken(broken) => scan.broken.push(broken),
        }
    }
    scan
}

/// What came of a candidate.
enum Found {
    Skill(Box<Skill>),
    Broken(Broken),
}

/// A root that is there.
struct OpenRoot<'a> {
    root: &'a Arc<Root>,
    /// The same folder without links.
    real: PathBuf,
}

struct Look<'a> {
    profile: &'static Profile,
    places: &'static Places,
    limits: &'a Limits,
    project: Option<&'a Path>,
    /// How many more candidates may be looked at.
    room: usize,
    /// Real folders of roots, and in a deep walk of all that was entered.
    met: HashSet<PathBuf>,
    /// In the order in which it was met.
    found: Vec<Found>,
}

impl Look<'_> {
    /// Returns whether no candidate may be looked at any more, and if so says
    /// it: `root` holds or is something that is left.
    fn limited(&mut self, root: &Path) -> bool {
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
    fn root(&mut self, root: &Arc<Root>) -> (RootOutcome, bool) {
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
            self.skill_folder(root, &path, &real);
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

    /// Reads the SKILL.md of a folder, if it has one.
    fn skill_folder(&mut self, root: &OpenRoot, folder: &Path, real: &Path) {
        let location = folder.join(SKILL_FILE);
        let links = self.places.file_links;
        let file = location.symlink_metadata().ok();
        let is_link = file.as_ref().is_some_and(fs::Metadata::is_symlink);
        if file.is_none() || is_link && links == Some(Links::Passed) {
            if let Some(words) = self.places.words(PlaceCase::NoSkillFile) {
                let warning = Diagnostic::warning(Rule::NoSkillFile, folder, words);
                self.found.push(Found::Broken(Broken::at(folder, warning)));
            }
            return;
        }
        let opened = if links == Some(Links::Followed) {
            skill_file::open_following(&location)
        } else {
            skill_file::open_in(real)
        };
        let opened =
            opened.map_err(|error| (case_of(error), skill_file::refusal(error, &location)));
        match opened.and_then(|file| read(file.into(), &location, self.limits)) {
            Ok((bytes, size)) => {
                let found = self.judge(root, folder, real, (&bytes, size));
                self.found.push(found);
            }
            Err((case, ours)) => {
                let broken = self.spoken(folder, case, ours);
                self.found.push(Found::Broken(broken));
            }
        }
    }

    /// Asks the judge of the system about a SKILL.md that was read.
    fn judge(
        &self,
        root: &OpenRoot,
        folder: &Path,
        real: &Path,
        (bytes, size): (&[u8], u64),
    ) -> Found {
        let location = folder.join(SKILL_FILE);
        let own_name = text::path_text(Path::new(folder.file_name().unwrap_or_default()));
        let judged = verdict(bytes, &location, &own_name, self.profile, self.limits);
        let name = judged.name.filter(|name| !name.trim().is_empty());
        let name = text::nfc(name.as_deref().unwrap_or(&own_name)).into_owned();
        if judged.outcome == Outcome::Drops {
            let fatal = judged
                .told
                .iter()
                .filter(|told| told.outcome == Outcome::Drops);
            let blamed = self.blamed(folder);
            let diagnostics = fatal.map(|told| {
                let message = match (told.text.as_str(), told.reader) {
                    ("", "") => format!("{} drops the skill", self.profile.name),
                    ("", reader) => format!("{reader} drops the skill"),
                    (words, "") => words.to_owned(),
                    (words, reader) => format!("{reader} drops the skill: {words}"),
                };
                let error = Diagnostic::error(told.rule, &blamed, message);
                if self.places.blames_folder {
                    error
                } else {
                    error.at(told.span)
                }
            });
            return Found::Broken(Broken {
                diagnostics: diagnostics.collect(),
                location: blamed.clone(),
                name,
            });
        }
        let mut diagnostics = Vec::new();
        if !judged.told.is_empty() {
            diagnostics = findings(bytes, &location, &own_name, self.profile, self.limits);
            diagnostics.retain(|found| found.severity > Severity::Note);
        }
        let is_inside = self
            .project
            .is_some_and(|project| real.starts_with(project));
        Found::Skill(Box::new(Skill {
            name,
            description: judged.description.unwrap_or_default(),
            argument_hint: None,
            root: Arc::clone(root.root),
            folder: folder.to_path_buf(),
            is_in_project: is_inside && root.root.origin != Origin::Home,
            size,
            diagnostics,
            shadowed_by: None,
        }))
    }

    /// Returns the path that the system names where a SKILL.md is at fault.
    fn blamed(&self, folder: &Path) -> PathBuf {
        if self.places.blames_folder {
            folder.to_path_buf()
        } else {
            folder.join(SKILL_FILE)
        }
    }

    /// Makes a row about a SKILL.md in the system's words, or in ours where it
    /// has none.
    fn spoken(&self, folder: &Path, case: PlaceCase, ours: Diagnostic) -> Broken {
        let is_unknown = case == PlaceCase::FileLeaves && self.places.file_links.is_none();
        let diagnostic = match self.places.words(case) {
            Some(words) => Diagnostic::error(ours.rule, &self.blamed(folder), words),
            None if is_unknown => {
                let message = format!(
                    "SKILL.md is a link out of the skill's folder; whether {} reads it is not known",
                    self.profile.name
                );
                Diagnostic::warning(ours.rule, &ours.path, message)
            }
            None => ours,
        };
        Broken {
            location: diagnostic.path.clone(),
            ..Broken::at(folder, diagnostic)
        }
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

fn case_of(error: Errno) -> PlaceCase {
    match error {
        Errno::XDEV => PlaceCase::FileLeaves,
        Errno::NOENT | Errno::LOOP => PlaceCase::FileUnresolved,
        Errno::NXIO => PlaceCase::FileNotRegular,
        _ => PlaceCase::FileUnreadable,
    }
}

type Fault = (PlaceCase, Diagnostic);

/// Reads a SKILL.md and returns its size too; what is beyond every bound of a
/// system is not read.
fn read(file: File, location: &Path, limits: &Limits) -> Result<(Vec<u8>, u64), Fault> {
    let failed = |error: io::Error| {
        let ours = skill_file::unreadable(location, errno_of(&error));
        (PlaceCase::FileUnreadable, ours)
    };
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        let ours = skill_file::not_regular(location);
        return Err((PlaceCase::FileNotRegular, ours));
    }
    let most = limits.resource_bytes.max(limits.skill_bytes as u64);
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    Ok((bytes, metadata.len()))
}

/// Decides which skill of a name is taken, as far as that is known.
fn settle_names(found: &mut [Found], profile: &Profile) {
    let places = profile.places;
    let mut skills: Vec<&mut Skill> = found
        .iter_mut()
        .filter_map(|found| match found {
            Found::Skill(skill) => Some(&mut **skill),
            Found::Broken(_) => None,
        })
        .collect();
    if places.same_name == Some(SameName::Last) {
        skills.reverse();
    }
    let mut owners: HashMap<String, PathBuf> = HashMap::new();
    for skill in skills {
        let location = skill.location();
        let Some(winner) = owners.get(&skill.name) else {
            owners.insert(skill.name.clone(), location);
            continue;
        };
        let unsettled = |how: &str| {
            let other = winner.display();
            format!("which of two skills of this name is taken {how}: the other is {other}")
        };
        let message = match places.same_name {
            Some(SameName::AllStay) => None,
            Some(SameName::Unsettled) => Some(unsettled("can change from run to run")),
            None => Some(unsettled("is not known")),
            Some(SameName::First | SameName::Last) => {
                skill.shadowed_by = Some(winner.clone());
                places.words(PlaceCase::NameTaken).map(|words| {
                    words
                        .replace("{winner}", &winner.to_string_lossy())
                        .replace("{name}", &skill.name)
                })
            }
        };
        skill.diagnostics.extend(
            message.map(|message| Diagnostic::warning(Rule::NameDuplicate, &location, message)),
        );
    }
}

/// Leaves out what the system does not show; the last line that it shows says
/// how much that is.
fn within_bound(mut found: Vec<Found>, places: &Places) -> Vec<Found> {
    let Some(most) = places.diagnostics else {
        return found;
    };
    let is_told = |found: &Found| match found {
        Found::Skill(skill) => is_loser_told(skill),
        Found::Broken(_) => true,
    };
    let total = found.iter().filter(|found| is_told(found)).count();
    if total <= most {
        return found;
    }
    let shown = most.saturating_sub(1);
    let mut left = shown;
    let mut last = None;
    found.retain_mut(|found| {
        if !is_told(found) {
            return true;
        }
        if left > 0 {
            left -= 1;
            return true;
        }
        match found {
            Found::Skill(skill) => {
                skill
                    .diagnostics
                    .retain(|told| told.rule != Rule::NameDuplicate);
                last = Some(Broken {
                    location: skill.folder.clone(),
                    name: skill.name.clone(),
                    diagnostics: Vec::new(),
                });
                true
            }
            Found::Broken(broken) => {
                last = Some(broken.clone());
                false
            }
        }
    });
    let omitted = last.and_then(|last| omitted(total - shown, &last, places));
    found.extend(omitted.map(Found::Broken));
    found
}

fn is_loser_told(skill: &Skill) -> bool {
    let mut diagnostics = skill.diagnostics.iter();
    diagnostics.any(|found| found.rule == Rule::NameDuplicate)
}

/// Makes the line about `count` lines that are left out, the last of which may
/// be about a bound: that is said all the same.
fn omitted(count: usize, last: &Broken, places: &Places) -> Option<Broken> {
    let words = places.words(PlaceCase::Omitted)?;
    let message = words.replace("{count}", &count.to_string());
    let warning = Diagnostic::warning(Rule::CandidatesBound, &last.location, message);
    let bound = last
        .diagnostics
        .iter()
        .find(|found| found.rule == Rule::CandidatesBound);
    let warning = match bound {
        Some(bound) => warning.with_help(format!("the last of them says: {}", bound.message)),
        None => warning,
    };
    Some(Broken::at(&last.location, warning))
}
