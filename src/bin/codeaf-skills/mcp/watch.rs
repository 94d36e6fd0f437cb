//! How a change is noticed: the system tells of the folders that matter, and
//! after a moment of quiet the skills are looked at again.
//!
//! Watched are the folders of roots, skills and scope files, and the way to
//! those that are not there yet. Where the system cannot watch, the thread looks
//! by itself. This file decides when to look, not what a change is.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

use codeaf_skills::skill::resources;
use codeaf_skills::{Project, RootOutcome, Scope, Snapshot};
use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind};
use notify::{Config, Event, RecommendedWatcher, RecursiveMode, Watcher};

use super::limits;
use super::skills::Skills;

/// Starts the thread that looks, once.
pub(super) fn start(skills: &Arc<Skills>) {
    if !skills.waker.inner.is_started.swap(true, Ordering::Relaxed) {
        let skills = Arc::clone(skills);
        thread::spawn(move || look(&skills));
    }
}

/// Tells the thread that it may have to look. A clone wakes the same thread.
#[derive(Debug, Clone, Default)]
pub(super) struct Waker {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    is_started: AtomicBool,
    /// Whether what is watched must be built anew: a watched folder came, went,
    /// or was replaced, or events were lost.
    must_watch_anew: AtomicBool,
    happened: Mutex<bool>,
    bell: Condvar,
}

impl Waker {
    pub(super) fn wake(&self) {
        let mut happened = self.lock();
        *happened = true;
        self.inner.bell.notify_one();
    }

    fn watch_anew(&self) {
        self.inner.must_watch_anew.store(true, Ordering::Relaxed);
        self.wake();
    }

    /// Waits until something happens, or for `most`; returns whether it did.
    fn wait(&self, most: Option<Duration>) -> bool {
        let mut happened = self.lock();
        let deadline = most.map(|most| Instant::now() + most);
        while !*happened {
            let bell = &self.inner.bell;
            happened = match deadline {
                None => bell.wait(happened).unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return false;
                    }
                    let waited = bell.wait_timeout(happened, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        *happened = false;
        true
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, bool> {
        self.inner
            .happened
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn look(skills: &Skills) {
    let waker = &skills.waker;
    // The first answers come first.
    thread::sleep(limits::QUIET);
    let mut places = Places::of(&skills.snapshot());
    let mut watched = Watched::new(&places, waker, skills);
    // What changed until the watch stood.
    skills.refresh();
    while !skills.closing.is_cancelled() {
        let now = Places::of(&skills.snapshot());
        let is_stale = waker.inner.must_watch_anew.swap(false, Ordering::Relaxed);
        if is_stale || now != places {
            let adjusted = watched
                .as_mut()
                .is_some_and(|watched| !is_stale && watched.adjust(&places, &now));
            if !adjusted {
                // The new watch stands before the old one falls.
                watched = Watched::new(&now, waker, skills);
            }
            places = now;
            skills.refresh();
            thread::sleep(limits::QUIET);
            continue;
        }
        let most = watched.is_none().then_some(limits::BY_HAND);
        if waker.wait(most) {
            let began = Instant::now();
            while began.elapsed() < limits::BUSY && waker.wait(Some(limits::QUIET)) {}
        }
        skills.refresh();
    }
}

/// Which entries of a folder matter.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Entries {
    All,
    Named(BTreeSet<OsString>),
}

/// The folders to watch, each with the entries that matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Places {
    folders: BTreeMap<PathBuf, Entries>,
    /// Folders above which no way is watched while they are there: only what
    /// would make another project is.
    tops: BTreeSet<PathBuf>,
}

impl Places {
    fn of(snapshot: &Snapshot) -> Self {
        let env = snapshot.env();
        let project = snapshot.project().map(|project| &project.folder);
        let tops = env.home.iter().chain(project).chain([&env.start]);
        let mut places = Self {
            tops: tops
                .chain(&env.folders)
                .filter(|top| top.is_dir())
                .cloned()
                .collect(),
            ..Self::default()
        };
        places.add_scopes_and_roots(snapshot);
        places.add_skills(snapshot);
        places
    }

    fn add_scopes_and_roots(&mut self, snapshot: &Snapshot) {
        for scope in Scope::ALL {
            if let Ok(path) = snapshot.scope_path(scope) {
                self.way_to(&path.file);
            }
        }
        for folder in Project::searched(snapshot.env()) {
            for marker in Project::MARKERS {
                // It would make another project.
                self.name(folder, OsStr::new(marker));
            }
        }
        for looked_at in snapshot.roots() {
            self.way_to(&looked_at.root.path);
            if looked_at.outcome == RootOutcome::Listed {
                self.all_of(&looked_at.root.path);
            }
        }
    }

    /// Adds the folders of all skills, those among them that do not load, and
    /// what lies below the folders that are served.
    fn add_skills(&mut self, snapshot: &Snapshot) {
        for skill in snapshot.skills() {
            if let (Some(folder), Some(file)) = (skill.folder(), skill.location()) {
                self.all_of(folder);
                self.behind_link(&file);
            }
        }
        for broken in snapshot.broken() {
            let location = &broken.location;
            match location.parent() {
                Some(folder) if location.ends_with("SKILL.md") => {
                    self.all_of(folder);
                    self.behind_link(location);
                }
                // What a link leads to is not followed, nor watched.
                _ if !location.is_symlink() => self.all_of(location),
                _ => {}
            }
        }
        let callable = snapshot.callable();
        for folder in callable.iter().filter_map(|skill| skill.folder()) {
            for inner in resources::tree(folder, &snapshot.env().limits).folders {
                self.all_of(&folder.join(inner));
            }
        }
    }

    /// Adds the folders on the way to `path`, which need not be there, from a top
    /// on, and on the way to where links lead. Outside of all tops the nearest
    /// folder that is there will do.
    fn way_to(&mut self, path: &Path) {
        let is_below_top = self.tops.iter().any(|top| path.starts_with(top));
        for entry in path.ancestors() {
            let (Some(folder), Some(name)) = (entry.parent(), entry.file_name()) else {
                break;
            };
            if self.name(folder, name) && (!is_below_top || self.tops.contains(folder)) {
                break;
            }
        }
        if let Ok(real) = path.canonicalize()
            && real != path
        {
            self.way_to(&real);
        }
    }

    /// Adds the folder that a linked file really lies in.
    fn behind_link(&mut self, file: &Path) {
        if file.is_symlink()
            && let Ok(real) = file.canonicalize()
        {
            self.way_to(&real);
        }
    }

    fn all_of(&mut self, folder: &Path) {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.into());
        if real.is_dir() {
            self.folders.insert(real, Entries::All);
        }
    }

    /// Adds one entry of a folder; returns whether the folder is there.
    fn name(&mut self, folder: &Path, name: &OsStr) -> bool {
        if !folder.is_dir() {
            return false;
        }
        let entries = self.folders.entry(folder.to_path_buf());
        let entries = entries.or_insert_with(|| Entries::Named(BTreeSet::new()));
        if let Entries::Named(names) = entries {
            names.insert(name.to_owned());
        }
        true
    }

    /// Whether an event at `path` may change what is found.
    fn matter(&self, path: &Path) -> bool {
        let is_named = |folder: &Path, name: &OsStr| match self.folders.get(folder) {
            Some(Entries::All) => true,
            Some(Entries::Named(names)) => names.contains(name),
            None => false,
        };
        self.folders.contains_key(path)
            || matches!((path.parent(), path.file_name()), (Some(folder), Some(name)) if is_named(folder, name))
    }
}

/// A watch that stands; dropped, it falls.
struct Watched {
    watcher: RecommendedWatcher,
    /// What its ear goes by.
    places: Arc<RwLock<Places>>,
}

impl Watched {
    /// Returns nothing, and says so, where the system cannot watch.
    fn new(places: &Places, waker: &Waker, skills: &Skills) -> Option<Self> {
        match Self::watch(places, waker) {
            Ok(watched) => Some(watched),
            Err(error) => {
                skills.log.note(&format!(
                    "changes cannot be watched, so they are looked for every {:.1} seconds: {error}",
                    limits::BY_HAND.as_secs_f64()
                ));
                None
            }
        }
    }

    fn watch(places: &Places, waker: &Waker) -> notify::Result<Self> {
        let shared = Arc::new(RwLock::new(places.clone()));
        let ear = Ear {
            places: Arc::clone(&shared),
            waker: waker.clone(),
        };
        let hear = move |event| ear.hear(event);
        let mut watcher = RecommendedWatcher::new(hear, Config::default())?;
        add(&mut watcher, places.folders.keys())?;
        Ok(Self {
            watcher,
            places: shared,
        })
    }

    /// Watches `now` instead of `before`; returns whether it could.
    fn adjust(&mut self, before: &Places, now: &Places) -> bool {
        // Not held while the watcher is told: it may be in the ear.
        *self.places.write().unwrap_or_else(PoisonError::into_inner) = now.clone();
        for gone in before.folders.keys() {
            if !now.folders.contains_key(gone) {
                // It may be gone from the disk, too.
                let _ = self.watcher.unwatch(gone);
            }
        }
        let is_new = |folder: &&PathBuf| !before.folders.contains_key(*folder);
        add(&mut self.watcher, now.folders.keys().filter(is_new)).is_ok()
    }
}

fn add<'a>(
    watcher: &mut RecommendedWatcher,
    folders: impl Iterator<Item = &'a PathBuf>,
) -> notify::Result<()> {
    for folder in folders {
        match watcher.watch(folder, RecursiveMode::NonRecursive) {
            Err(error) if is_exhausted(&error) => return Err(error),
            // Gone since, or not ours to look at: then nothing in it is found
            // either.
            Err(_) | Ok(()) => {}
        }
    }
    Ok(())
}

fn is_exhausted(error: &notify::Error) -> bool {
    use notify::ErrorKind;
    match &error.kind {
        ErrorKind::MaxFilesWatch => true,
        ErrorKind::Io(error) => !matches!(
            error.kind(),
            std::io::ErrorKind::NotFound
                | std::io::ErrorKind::NotADirectory
                | std::io::ErrorKind::PermissionDenied
        ),
        _ => false,
    }
}

/// Hears events on the watcher's own thread.
struct Ear {
    places: Arc<RwLock<Places>>,
    waker: Waker,
}

impl Ear {
    fn hear(&self, event: notify::Result<Event>) {
        let Ok(event) = event else {
            return self.waker.watch_anew();
        };
        if event.need_rescan() {
            return self.waker.watch_anew();
        }
        let is_look = matches!(event.kind, EventKind::Access(kind)
            if kind != AccessKind::Close(AccessMode::Write));
        let places = self.places.read().unwrap_or_else(PoisonError::into_inner);
        if is_look || !event.paths.iter().any(|path| places.matter(path)) {
            return;
        }
        let is_move = matches!(
            event.kind,
            EventKind::Create(_) | EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))
        );
        let is_watched = |path: &PathBuf| places.folders.contains_key(path);
        if is_move && event.paths.iter().any(is_watched) {
            self.waker.watch_anew();
        } else {
            self.waker.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use codeaf_skills::Env;
    use std::fs;

    #[test]
    fn what_may_change_the_answer_matters_and_nothing_else() {
        let temporary = tempfile::tempdir().unwrap();
        let top = temporary.path().canonicalize().unwrap();
        let skill = top.join("home/.agents/skills/pdf");
        fs::create_dir_all(skill.join("scripts")).unwrap();
        fs::create_dir_all(top.join("project/.codeaf")).unwrap();
        fs::create_dir_all(top.join("project/a/b")).unwrap();
        fs::write(
            skill.join("SKILL.md"),
            "---\nname: pdf\ndescription: Reads.\n---\n",
        )
        .unwrap();
        fs::write(
            top.join("project/.codeaf/skills.json"),
            r#"{"on": ["pdf"]}"#,
        )
        .unwrap();
        let mut env = Env::new(top.join("project/a/b"));
        env.home = Some(top.join("home"));

        let places = Places::of(&Snapshot::load(&env).unwrap());

        for (path, matters) in [
            ("home/.agents/skills/pdf/SKILL.md", true),
            ("home/.agents/skills/pdf/scripts/new.sh", true),
            ("home/.agents/skills/new", true),
            ("home/.claude", true),
            ("home/.codeaf", true),
            ("home/.bash_history", false),
            ("project/.codeaf/skills.json", true),
            ("project/.codeaf/other.json", false),
            ("project/.git", true),
            ("project/a/.git", true),
            ("project/a/b/.codeaf", true),
            ("project/a/b/main.rs", false),
            (".git", false),
            ("project/README.md", false),
            ("other", false),
        ] {
            assert_eq!(places.matter(&top.join(path)), matters, "{path}");
        }
    }
}
