//! The second source in a snapshot: what a store of personal skills lists, put
//! beside what was found in folders.
//!
//! While the store does not answer, the names that it last listed stay: a bare
//! name must not come to mean another skill by that.

use std::path::Path;
use std::sync::Arc;

use super::difference::Digest;
use super::scan::{Kept, Skill};
use super::snapshot::{DiscoveryError, Snapshot, scope_path};
use crate::diagnostic::{Diagnostic, Rule, Span};
use crate::env::{Env, StoreChoice};
use crate::name::{Source, is_kebab};
use crate::personal::{self, BadStore, Entry, Owner, PersonalStore, StoreFault, StoreUrl};
use crate::scope::{Decisions, Scope, store};

/// A store and what came of asking it.
#[derive(Debug, Clone, Default)]
pub(super) struct Personal {
    /// None where none is wanted, or nobody can tell which.
    store: Option<Arc<dyn PersonalStore>>,
    /// Why it gave no answer when it was last asked.
    fault: Option<Arc<Diagnostic>>,
}

/// Returns the store of personal skills that `env` or the global scope file
/// names, or the default: `~/.codeaf/personal.db`. None if there is none.
///
/// # Errors
///
/// Returns why nobody can tell which store is meant.
pub fn store_of(env: &Env) -> Result<Option<Arc<dyn PersonalStore>>, StoreFault> {
    let global = scope_path(Scope::Global, env, None, None).ok();
    let global = global.map(|path| store::load(&path, &env.limits));
    chosen(env, global.as_ref())
}

fn chosen(
    env: &Env,
    global: Option<&Decisions>,
) -> Result<Option<Arc<dyn PersonalStore>>, StoreFault> {
    let bad = |error: &BadStore| StoreFault::NoPlace {
        cause: error.to_string(),
        named_by: match (error, global) {
            (BadStore::Roots { .. }, _) => "PGSSLROOTCERT".to_owned(),
            (_, Some(global)) if env.store.is_none() => {
                format!("`\"store\"` in {}", global.path().display())
            }
            _ => "`--store` or CODEAF_SKILLS_STORE".to_owned(),
        },
    };
    let parsed = |text: &str, env: &Env| StoreUrl::parse(text, env).map_err(|error| bad(&error));
    let url = match (&env.store, global) {
        (Some(StoreChoice::None), _) => return Ok(None),
        (Some(StoreChoice::Url(url)), _) => parsed(&url.0, env)?,
        (None, Some(global)) if global.fault().is_some() => {
            let file = global.path().display();
            return Err(StoreFault::NoPlace {
                cause: format!("{file} cannot be read"),
                named_by: file.to_string(),
            });
        }
        (None, global) => match (global.and_then(Decisions::store), &env.home) {
            (Some(url), _) => {
                let file = global.and_then(|global| global.path().parent());
                // From the working folder, a repository could bring the store.
                let beside = Env {
                    start: file.unwrap_or(Path::new("/")).to_path_buf(),
                    ..env.clone()
                };
                parsed(&url.0, &beside)?
            }
            (None, Some(home)) if cfg!(feature = "personal") => StoreUrl::default_in(home),
            (None, _) => return Ok(None),
        },
    };
    personal::open(&url, env)
        .map(Some)
        .map_err(|error| bad(&error))
}

impl Snapshot {
    /// Looks at every root as [`load`](Self::load) does, and takes what `store`
    /// lists as the skills of the personal source.
    ///
    /// A store that gives no answer is a finding of the snapshot, not an error:
    /// [`personal_fault`](Self::personal_fault).
    ///
    /// # Errors
    ///
    /// Those of [`load`](Self::load).
    pub fn load_with_store(
        env: &Env,
        store: Arc<dyn PersonalStore>,
    ) -> Result<Self, DiscoveryError> {
        Ok(Self::load_folders(env)?.listing(Some(store)))
    }

    /// Adds what the store lists that was chosen.
    pub(super) fn with_chosen_store(mut self) -> Self {
        let global = self.scopes().files.iter();
        let global = global.clone().find(|file| file.scope() == Scope::Global);
        match chosen(self.env(), global) {
            Ok(store) => self.listing(store),
            Err(fault) => {
                let named_by = global.filter(|_| self.env().store.is_none());
                let place = named_by.map_or(Path::new("--store"), |file| file.path());
                self.personal.fault = Some(Arc::new(unknown(place, &fault)));
                self
            }
        }
    }

    /// Returns the same folders' skills with what the store of personal skills
    /// lists now; the same snapshot if it has no store.
    ///
    /// A conversation asks for it at each turn. If the store does not answer,
    /// the names that it last listed stay, and none of them can be called.
    #[must_use]
    pub fn with_fresh_personal(&self) -> Self {
        match &self.personal.store {
            Some(store) => self.clone().listing(Some(Arc::clone(store))),
            None => self.clone(),
        }
    }

    /// Takes a new snapshot of the same place, with the same store.
    ///
    /// # Errors
    ///
    /// Those of [`load`](Self::load).
    pub fn reload(&self) -> Result<Self, DiscoveryError> {
        let mut again = self.look_again()?;
        again.personal = self.personal.clone();
        Ok(again.with_fresh_personal())
    }

    /// Returns the store of personal skills, if the snapshot has one.
    #[must_use]
    pub fn store(&self) -> Option<&Arc<dyn PersonalStore>> {
        self.personal.store.as_ref()
    }

    /// Returns why the store of personal skills gave no answer.
    #[must_use]
    pub fn personal_fault(&self) -> Option<&Diagnostic> {
        self.personal.fault.as_deref()
    }

    /// Returns whether `skill` can be read as far as is known: a personal one
    /// cannot while the store does not answer.
    #[must_use]
    pub fn is_reachable(&self, skill: &Skill) -> bool {
        skill.source() == Source::Workspace || self.personal_fault().is_none()
    }

    /// Puts in what `store` lists now.
    fn listing(mut self, store: Option<Arc<dyn PersonalStore>>) -> Self {
        let fault = store
            .as_ref()
            .and_then(|store| match store.list(Owner::Me) {
                Ok(entries) => {
                    self.put_personal(&entries, store);
                    None
                }
                Err(fault) => Some(Arc::new(unknown(Path::new(store.place()), &fault))),
            });
        self.personal = Personal { store, fault };
        self
    }

    /// Puts `entries` in the place of the personal skills so far.
    fn put_personal(&mut self, entries: &[Entry], store: &Arc<dyn PersonalStore>) {
        let place: Arc<str> = store.place().into();
        let mut listed: Vec<Skill> = Vec::with_capacity(entries.len());
        for entry in entries {
            // The first of a name counts. What is no name could be taken for an
            // alias, and no store of ours lists it.
            let is_new = listed.iter().all(|skill| skill.name != entry.name);
            if is_new && is_kebab(&entry.name) {
                listed.push(skill_of(entry, &place));
            }
        }
        let now = self.skills().iter();
        let now = now.filter(|skill| skill.source() == Source::Personal);
        if !now.eq(&listed) {
            self.set_personal(listed);
        }
    }
}

fn skill_of(entry: &Entry, place: &Arc<str>) -> Skill {
    Skill {
        name: entry.name.clone(),
        description: entry.description.clone(),
        argument_hint: None,
        kept: Kept::InStore(Arc::clone(place)),
        is_in_project: false,
        size: entry.size,
        frontmatter: Digest::of(&(&entry.name, &entry.description)),
        body: Digest::of(&entry.revision),
        diagnostics: Vec::new(),
        shadowed_by: None,
    }
}

fn unknown(place: &Path, fault: &StoreFault) -> Diagnostic {
    let message = format!("personal skills are unknown: {fault}");
    Diagnostic {
        help: fault.help(),
        ..Diagnostic::warning(fault.rule(), place, message).at(Span::NONE)
    }
}

/// Reads the text of a personal skill.
pub(super) fn read(personal: &Personal, skill: &Skill) -> Result<Vec<u8>, Box<Diagnostic>> {
    let error = |rule, message: &str| {
        Box::new(Diagnostic::error(rule, &skill.place(), message).at(Span::NONE))
    };
    let gone = || error(Rule::Unreadable, "is in the store no more");
    let store = personal.store.as_ref().ok_or_else(gone)?;
    let text = store.read(Owner::Me, &skill.name).map_err(|fault| {
        let mut error = error(fault.rule(), &fault.to_string());
        error.help = fault.help();
        error
    })?;
    text.ok_or_else(gone)
}

#[cfg(test)]
mod tests {
    //! The merge and lookup tables of coder's two sources.

    use super::*;
    use crate::discovery::difference::Difference;
    use crate::discovery::snapshot::Lookup;
    use crate::personal::test_store::Store;
    use crate::scope::State;
    use std::fs;

    /// A home with workspace skills, and a store with personal ones.
    struct World {
        _folder: tempfile::TempDir,
        env: Env,
        store: Arc<Store>,
    }

    impl World {
        /// Each skill is a name, and behind a blank its description; `first/` and
        /// `second/` name two roots.
        fn new(personal: &[&str], workspace: &[&str]) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let home = folder.path().join("home");
            let text = |skill: &str| {
                let (name, description) = skill.split_once(' ').unwrap_or((skill, "D"));
                format!("---\nname: {name}\ndescription: {description}\n---\nBody.\n")
            };
            for (index, skill) in workspace.iter().enumerate() {
                let root = [".agents/skills", ".claude/skills"][index.min(1)];
                let folder = home.join(root).join(skill);
                fs::create_dir_all(&folder).unwrap();
                fs::write(folder.join("SKILL.md"), text(skill)).unwrap();
            }
            let store = Store::of(&[]);
            for skill in personal {
                store.put(skill.split(' ').next().unwrap(), &text(skill));
            }
            let mut env = Env::new(folder.path().join("project"));
            env.home = Some(home);
            Self {
                _folder: folder,
                env,
                store,
            }
        }

        fn load(&self) -> Snapshot {
            Snapshot::load_with_store(&self.env, Arc::clone(&self.store) as _).unwrap()
        }

        fn global(&self, json: &str) {
            let folder = self.env.home.as_ref().unwrap().join(".codeaf");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("skills.json"), json).unwrap();
        }
    }

    /// One line a skill: alias, source, description.
    fn lines(snapshot: &Snapshot) -> Vec<String> {
        let line = |skill: &Skill| {
            let (alias, source) = (snapshot.alias(skill), skill.source());
            format!("{alias} -> {source} {}", skill.description)
        };
        snapshot.owners().map(line).collect()
    }

    #[test]
    fn sources_merge_into_one_list_of_aliases() {
        for (number, personal, workspace, merged) in [
            ("CM1", &["a"][..], &[][..], &["a -> personal D"][..]),
            ("CM2", &[], &["a"], &["a -> workspace D"]),
            (
                "CM3",
                &["p"],
                &["w"],
                &["p -> personal D", "w -> workspace D"],
            ),
            (
                "CM4",
                &["s Mine"],
                &["s Workspace"],
                &[
                    "personal/s -> personal Mine",
                    "workspace/s -> workspace Workspace",
                ],
            ),
            (
                "CM5",
                &["d First", "d Second"],
                &["w", "w dup"],
                &["d -> personal First", "w -> workspace D"],
            ),
            (
                "CM6",
                &["z", "a"],
                &["m"],
                &["a -> personal D", "m -> workspace D", "z -> personal D"],
            ),
        ] {
            assert_eq!(
                lines(&World::new(personal, workspace).load()),
                merged,
                "{number}"
            );
        }
    }

    #[test]
    fn lookup_knows_bare_and_qualified_names() {
        let apart = World::new(&["p"], &["w"]);
        let both = World::new(&["s"], &["s"]);
        let none = World::new(&[], &[]);

        for (number, world, name, wanted) in [
            ("CL1", &apart, "p", "personal/p"),
            ("CL1", &apart, "w", "workspace/w"),
            ("CL2", &apart, "personal/p", "personal/p"),
            ("CL2", &apart, "workspace/w", "workspace/w"),
            ("CL3", &both, "s", "ambiguous: personal/s, workspace/s"),
            ("CL4", &both, "personal/s", "personal/s"),
            ("CL4", &both, "workspace/s", "workspace/s"),
            ("CL6", &none, "missing-skill", "not found"),
            ("CL8", &apart, "workspace/p", "not found"),
            ("no folding", &apart, "P", "not found"),
            ("no trimming", &apart, " p", "not found"),
        ] {
            let snapshot = world.load();
            let found = match snapshot.lookup(name) {
                Lookup::Found(skill) => skill.source().qualify(&skill.name),
                Lookup::Ambiguous(aliases) => format!("ambiguous: {}", aliases.join(", ")),
                Lookup::NotFound => "not found".to_owned(),
            };
            assert_eq!(found, wanted, "{number} {name}");
        }
    }

    #[test]
    fn a_twin_in_the_other_source_renames_a_skill() {
        let world = World::new(&[], &["s"]);
        let alone = world.load();
        world.store.put("s", "---\nname: s\n---\nMine.");
        let both = alone.with_fresh_personal();

        let added = Difference::Added {
            alias: "personal/s".to_owned(),
            state: State::Off,
        };
        let renamed = Difference::Renamed {
            from: "s".to_owned(),
            alias: "workspace/s".to_owned(),
        };
        assert_eq!(alone.diff(&both), [added, renamed]);
        assert_ne!(alone.digest(), both.digest());
    }

    #[test]
    fn a_text_of_the_same_size_is_a_difference() {
        let world = World::new(&["a"], &[]);
        let earlier = world.load();
        world.store.remove("a");
        world
            .store
            .put("a", "---\nname: a\ndescription: D\n---\nbODY.\n");

        let later = earlier.with_fresh_personal();

        let alias = "a".to_owned();
        assert_eq!(earlier.diff(&later), [Difference::Rewritten { alias }]);
    }

    #[test]
    fn a_bare_entry_names_the_workspaces_skill_where_both_have_it() {
        let alone = World::new(&["x"], &[]);
        let both = World::new(&["x"], &["x"]);

        for (world, json, states) in [
            (&both, r#"{"on": ["x"]}"#, "off on"),
            (&alone, r#"{"on": ["x"]}"#, "on"),
            (&both, r#"{"on": ["personal/x"]}"#, "on off"),
            (&both, r#"{"on": ["x"], "off": ["workspace/x"]}"#, "off off"),
            (&alone, r#"{"on": ["personal/x"], "off": ["x"]}"#, "on"),
        ] {
            world.global(json);
            let snapshot = world.load();
            let found = snapshot
                .owners()
                .map(|skill| snapshot.resolution(skill).state.as_str());
            assert_eq!(found.collect::<Vec<_>>().join(" "), states, "{json}");
        }
    }

    #[test]
    fn what_the_store_lists_is_read_anew_at_each_turn() {
        let world = World::new(&["a"], &["w"]);
        let first = world.load();

        let same = first.with_fresh_personal();
        world.store.put("w", "---\nname: w\n---\nMine.");
        let second = first.with_fresh_personal();
        let kept = second.with_fresh_scopes();

        assert!(
            std::ptr::eq(first.skills(), same.skills()),
            "nothing is made anew"
        );
        assert_eq!(lines(&first), ["a -> personal D", "w -> workspace D"]);
        let both = [
            "a -> personal D",
            "personal/w -> personal ",
            "workspace/w -> workspace D",
        ];
        assert_eq!(lines(&second), both);
        assert_eq!(lines(&kept), both);
        assert_eq!(lines(&second.reload().unwrap()), both);
    }

    #[test]
    fn a_store_that_is_away_hides_no_workspace_skill_and_gives_no_name_away() {
        let world = World::new(&["a", "s"], &["s", "w"]);
        world.global(r#"{"on": ["a", "w", "personal/s"]}"#);
        let callable = |snapshot: &Snapshot| -> Vec<String> {
            let callable = snapshot.callable().into_iter();
            callable
                .map(|skill| snapshot.alias(skill).into_owned())
                .collect()
        };

        let before = world.load();
        world.store.take_away();
        let after = before.with_fresh_personal();
        let started = world.load();

        assert_eq!(callable(&before), ["a", "personal/s", "w"]);
        assert_eq!(callable(&after), ["w"]);
        assert_eq!(
            lines(&after),
            lines(&before),
            "what was a name of two stays one"
        );
        assert_eq!(callable(&started), ["w"]);
        assert_eq!(lines(&started), ["s -> workspace D", "w -> workspace D"]);
        let told: Vec<String> = after.warnings().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "memory:: warning[store-unreachable]: personal skills are unknown: \
              the store cannot be reached: it is unplugged"
            ]
        );
        assert_eq!(before.personal_fault(), None);
    }

    #[test]
    fn what_may_be_in_a_store_that_is_away_is_not_missing() {
        let world = World::new(&["a"], &["w"]);
        world.global(r#"{"on": ["w", "gone", "personal/gone", "workspace/gone"]}"#);
        let missing = |snapshot: &Snapshot| -> Vec<String> {
            let missing = snapshot.missing().into_iter();
            missing.map(|missing| missing.name).collect()
        };

        let before = world.load();
        world.store.take_away();

        assert_eq!(
            missing(&before),
            ["gone", "personal/gone", "workspace/gone"]
        );
        assert_eq!(missing(&before.with_fresh_personal()), ["workspace/gone"]);
    }

    #[test]
    fn what_is_no_name_is_not_taken() {
        let world = World::new(&["a"], &[]);
        let text = "---\nname: a\n---\nB";
        for name in ["workspace/a", "A", "", "a\u{1b}b", "a--b"] {
            world.store.put(name, text);
        }

        assert_eq!(lines(&world.load()), ["a -> personal D"]);
    }
}
