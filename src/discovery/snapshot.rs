//! The immutable view: skills, scopes and what they say of each other, read at
//! one moment.
//!
//! Commands and engines read everything through a [`Snapshot`]; none computes a
//! resolution of its own.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::as_profile;
use super::broken::{Broken, skill_folders_in};
use super::conversation::{Conversation, ConversationError};
use super::personal::Personal;
use super::project::Project;
use super::roots::{Origin, roots};
use super::scan::{LookedAt, Scan, Skill, mark_shadowed, scan};
use super::skill_file::SKILL_FILE;
use crate::diagnostic::{Diagnostic, Rule};
use crate::env::Env;
use crate::name::{Source, near, split_qualified};
use crate::scope::{
    Cause, Change, Decision, Decisions, Fault, Missing, Resolution, Scope, ScopePath, Scopes,
    State, Step, Subject, store,
};
use crate::skill::profile::Profile;
use crate::text::{nfc, unescaped};

/// Everything there is to know about the skills of one place at one moment.
///
/// A clone is cheap: what was found is shared.
#[derive(Debug, Clone)]
pub struct Snapshot {
    found: Arc<Found>,
    /// By name (bytes), then source, then precedence.
    skills: Arc<Vec<Skill>>,
    /// Whether a personal skill is among them.
    has_personal: bool,
    pub(super) personal: Personal,
    scopes: Arc<Scopes>,
}

/// What was found in folders, whatever the scopes say of it.
#[derive(Debug)]
struct Found {
    env: Env,
    profile: &'static Profile,
    project: Option<Project>,
    conversation: Option<Conversation>,
    roots: Vec<LookedAt>,
    broken: Vec<Broken>,
    /// Attached folders, in order.
    attached: Vec<PathBuf>,
    /// Attached folders that are not there.
    warnings: Vec<Diagnostic>,
}

/// Why no snapshot could be taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DiscoveryError {
    /// The conversation that was named is none.
    #[error(transparent)]
    Conversation(#[from] ConversationError),
    /// Nobody knows which folders a system looks in.
    #[error("where {profile} looks is not known")]
    UnknownPlaces {
        /// The system's profile.
        profile: &'static str,
    },
    /// The store of personal skills gives no answer, and it must.
    #[error("{}: {}", fault.path.display(), fault.message)]
    Store {
        /// Where and why.
        fault: Box<Diagnostic>,
    },
    /// A folder that was to be attached is not there.
    #[error("cannot attach {path}: it is not a folder")]
    NotAFolder {
        /// What was named.
        path: PathBuf,
    },
}

/// Why a scope does not exist here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoScope {
    /// There is no home folder.
    #[error("there is no global scope without a home folder")]
    NoHome,
    /// The starting folder is home.
    #[error("the home folder is never a project")]
    HomeIsNoProject,
    /// No conversation was named.
    #[error("no conversation is named")]
    NoConversation,
}

/// What a name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup<'a> {
    /// One skill.
    Found(&'a Skill),
    /// Several sources have it; these are the qualified names.
    Ambiguous(Vec<String>),
    /// No skill bears it.
    NotFound,
}

impl Snapshot {
    /// Looks at every root, reads every scope file, and asks the store of
    /// personal skills that `env` or the global scope file names, or the default
    /// one: [`store_of`](super::personal::store_of).
    ///
    /// A broken skill, an unreadable scope file or a store that gives no answer
    /// is part of the snapshot, not an error.
    ///
    /// # Errors
    ///
    /// Returns an error if the conversation or a folder that was named is not
    /// there, or the store gives no answer and [`Env::require_store`] asks for
    /// one.
    pub fn load(env: &Env) -> Result<Self, DiscoveryError> {
        let snapshot = Self::load_folders(env)?.with_chosen_store();
        match snapshot.personal_fault() {
            Some(fault) if env.require_store => Err(DiscoveryError::Store {
                fault: Box::new(fault.clone()),
            }),
            _ => Ok(snapshot),
        }
    }

    /// Looks at the folders alone.
    pub(super) fn load_folders(env: &Env) -> Result<Self, DiscoveryError> {
        Self::load_with(env, Profile::CODEAF, |project, attached| {
            let looked_at = roots(env, project, attached);
            let folder = project.and_then(|project| project.folder.canonicalize().ok());
            let mut scan = scan(looked_at, folder.as_deref(), &env.limits);
            mark_shadowed(&mut scan.skills);
            scan
        })
    }

    /// Looks at the roots of the system of `profile`, in its order and within
    /// its bounds, and takes what it would take; the scopes stay ours.
    ///
    /// Folders that were given or attached are looked at as well, under the
    /// rules of that system. What is not known of it is in
    /// [`Places::not_known`](crate::skill::profile::Places::not_known).
    ///
    /// # Errors
    ///
    /// Those of [`load`](Self::load), and one if nobody knows which folders the
    /// system looks in.
    pub fn load_as(env: &Env, profile: &'static Profile) -> Result<Self, DiscoveryError> {
        if profile == Profile::CODEAF {
            return Self::load(env);
        }
        Self::load_folders_as(env, profile)
    }

    /// Looks at the same folders again, and reads every scope file.
    pub(super) fn look_again(&self) -> Result<Self, DiscoveryError> {
        Self::load_folders_as(&self.found.env, self.found.profile)
    }

    fn load_folders_as(env: &Env, profile: &'static Profile) -> Result<Self, DiscoveryError> {
        if profile == Profile::CODEAF {
            return Self::load_folders(env);
        }
        if !profile.places.are_known() {
            return Err(DiscoveryError::UnknownPlaces {
                profile: profile.name,
            });
        }
        Self::load_with(env, profile, |project, attached| {
            let looked_at = as_profile::roots(env, attached, profile);
            let folder = project.and_then(|project| project.folder.canonicalize().ok());
            as_profile::scan(looked_at, folder.as_deref(), profile, &env.limits)
        })
    }

    fn load_with(
        env: &Env,
        profile: &'static Profile,
        look: impl FnOnce(Option<&Project>, &[PathBuf]) -> Scan,
    ) -> Result<Self, DiscoveryError> {
        let project = Project::find(env);
        let conversation = Conversation::find(env)?;
        let scopes = read_scopes(env, project.as_ref(), conversation.as_ref());
        let mut warnings = Vec::new();
        let attached = attached_folders(env, &scopes, &mut warnings)?;
        let scan = look(project.as_ref(), &attached);
        let found = Arc::new(Found {
            env: env.clone(),
            profile,
            project,
            conversation,
            roots: scan.roots,
            broken: scan.broken,
            attached,
            warnings,
        });
        Ok(Self {
            found,
            skills: Arc::new(in_order(scan.skills)),
            has_personal: false,
            personal: Personal::default(),
            scopes: Arc::new(scopes),
        })
    }

    /// Returns the same skills under decisions that are read again.
    #[must_use]
    pub fn with_fresh_scopes(&self) -> Self {
        let found = &self.found;
        let scopes = read_scopes(
            &found.env,
            found.project.as_ref(),
            found.conversation.as_ref(),
        );
        Self {
            scopes: Arc::new(scopes),
            ..self.clone()
        }
    }

    /// Returns what the snapshot was taken with.
    #[must_use]
    pub fn env(&self) -> &Env {
        &self.found.env
    }

    /// Returns the project, if there is one.
    #[must_use]
    pub fn project(&self) -> Option<&Project> {
        self.found.project.as_ref()
    }

    /// Returns the conversation, if one was named.
    #[must_use]
    pub fn conversation(&self) -> Option<&Conversation> {
        self.found.conversation.as_ref()
    }

    /// Returns the attached folders that are there: those of the conversation,
    /// then those that were named.
    #[must_use]
    pub fn attached(&self) -> &[PathBuf] {
        &self.found.attached
    }

    /// Returns the real path of a folder that can be attached.
    ///
    /// # Errors
    ///
    /// Returns [`DiscoveryError::NotAFolder`] if none is there.
    pub fn attachable(&self, folder: &Path) -> Result<PathBuf, DiscoveryError> {
        let path = self.env().absolute(folder);
        match path.canonicalize() {
            Ok(real) if real.is_dir() => Ok(real),
            _ => Err(DiscoveryError::NotAFolder { path }),
        }
    }

    /// Returns every root in order, with what came of looking at it.
    #[must_use]
    pub fn roots(&self) -> &[LookedAt] {
        &self.found.roots
    }

    /// Returns every skill that loaded, by name (bytes), then source, then
    /// precedence; shadowed ones too.
    #[must_use]
    pub fn skills(&self) -> &[Skill] {
        &self.skills
    }

    /// Puts other skills in the place of the personal ones.
    pub(super) fn set_personal(&mut self, listed: Vec<Skill>) {
        // Nobody else has those of a snapshot that is just being taken.
        let mut skills = Arc::unwrap_or_clone(std::mem::take(&mut self.skills));
        skills.retain(|skill| skill.source() == Source::Workspace);
        self.has_personal = !listed.is_empty();
        skills.extend(listed);
        self.skills = Arc::new(in_order(skills));
    }

    /// Returns the skills that own their name, by name (bytes), then source.
    pub fn owners(&self) -> impl Iterator<Item = &Skill> {
        self.skills
            .iter()
            .filter(|skill| skill.shadowed_by.is_none())
    }

    /// Returns whatever sat in a root and was not taken, in the order in which
    /// it was met.
    #[must_use]
    pub fn broken(&self) -> &[Broken] {
        &self.found.broken
    }

    /// Returns the scopes and what their files say.
    #[must_use]
    pub fn scopes(&self) -> &Scopes {
        &self.scopes
    }

    /// Returns what is odd about attached folders and readable scope files, and
    /// why the store of personal skills gave no answer.
    pub fn warnings(&self) -> impl Iterator<Item = &Diagnostic> {
        let of_files = self.scopes.files.iter().flat_map(Decisions::warnings);
        let of_folders = self.found.warnings.iter();
        of_folders.chain(of_files).chain(self.personal_fault())
    }

    /// Returns where the decisions of `scope` live.
    ///
    /// # Errors
    ///
    /// Returns why the scope does not exist here.
    pub fn scope_path(&self, scope: Scope) -> Result<ScopePath, NoScope> {
        scope_path(
            scope,
            &self.found.env,
            self.found.project.as_ref(),
            self.found.conversation.as_ref(),
        )
    }

    /// Returns what is wrong with each scope file that cannot be read.
    pub fn scope_faults(&self) -> impl Iterator<Item = &Fault> {
        self.scopes.files.iter().filter_map(Decisions::fault)
    }

    /// Returns the effective state of `skill` and its cause.
    #[must_use]
    pub fn resolution(&self, skill: &Skill) -> Resolution {
        self.scopes.resolve(self.subject(skill))
    }

    /// Returns what every scope says of `skill`, the narrowest scope first.
    #[must_use]
    pub fn trail(&self, skill: &Skill) -> Vec<Step> {
        self.scopes.trail(self.subject(skill))
    }

    /// Returns the skill that `name` means: an alias or a bare or qualified
    /// name, compared in Unicode normalisation form C.
    #[must_use]
    pub fn lookup(&self, name: &str) -> Lookup<'_> {
        match self.lookup_exact(name) {
            // What `visible` wrote out is understood as well.
            Lookup::NotFound => match unescaped(name) {
                Some(name) => self.lookup_exact(&name),
                None => Lookup::NotFound,
            },
            found => found,
        }
    }

    fn lookup_exact(&self, name: &str) -> Lookup<'_> {
        let name = nfc(name);
        let (source, bare) = split_qualified(&name);
        let mut owners = self
            .copies(bare)
            .iter()
            .filter(|skill| skill.shadowed_by.is_none());
        if let Some(source) = source {
            return owners
                .find(|skill| skill.source() == source)
                .map_or(Lookup::NotFound, Lookup::Found);
        }
        match (owners.next(), owners.next()) {
            (Some(skill), None) => Lookup::Found(skill),
            (Some(first), Some(second)) => {
                let qualified = [first, second].map(|skill| skill.source().qualify(bare));
                Lookup::Ambiguous(qualified.into())
            }
            _ => Lookup::NotFound,
        }
    }

    /// Returns every copy of a skill of this bare name, the owner first.
    #[must_use]
    pub fn copies(&self, name: &str) -> &[Skill] {
        let start = self
            .skills
            .partition_point(|skill| skill.name.as_str() < name);
        let length = self.skills[start..].partition_point(|skill| skill.name == name);
        &self.skills[start..start + length]
    }

    /// Returns the skill whose folder or SKILL.md is at `path`, shadowed or not.
    #[must_use]
    pub fn at_path(&self, path: &Path) -> Option<&Skill> {
        let path = self.found.env.absolute(path);
        let folder = if path.ends_with(SKILL_FILE) {
            path.parent()?.to_path_buf()
        } else {
            path
        };
        let mut skills = self.skills.iter();
        let by_path = skills.find(|skill| skill.folder() == Some(&folder));
        by_path.or_else(|| {
            let real = folder.canonicalize().ok()?;
            self.skills.iter().find(|skill| {
                let folder = skill.folder().map(Path::canonicalize);
                folder.is_some_and(|folder| folder.is_ok_and(|folder| folder == real))
            })
        })
    }

    /// Returns how `skill` is called where names must be unique: its bare name,
    /// or the qualified one where both sources have it.
    ///
    /// Aliases are given over all valid skills, on or off, so that a toggle
    /// never renames another entry.
    #[must_use]
    pub fn alias<'a>(&self, skill: &'a Skill) -> Cow<'a, str> {
        let has_twin = || {
            let mut copies = self.copies(&skill.name).iter();
            copies.any(|copy| copy.source() != skill.source())
        };
        if self.has_personal && has_twin() {
            Cow::Owned(skill.source().qualify(&skill.name))
        } else {
            Cow::Borrowed(&skill.name)
        }
    }

    /// Returns the name by which a decision on `skill` is written: a personal one
    /// is named with its source, because its bare name comes to mean another skill
    /// as soon as a folder holds one of that name.
    #[must_use]
    pub fn entry_name(&self, skill: &Skill) -> String {
        match skill.source() {
            Source::Personal => Source::Personal.qualify(&skill.name),
            Source::Workspace => self.alias(skill).into_owned(),
        }
    }

    /// Returns the names by which a person may have meant something else than
    /// `name`: names near it, and the names of skills whose folder bears it; of a
    /// qualified name also the skill that another source has.
    #[must_use]
    pub fn near(&self, name: &str) -> Vec<String> {
        let (source, bare) = split_qualified(name);
        // Another source may have it.
        let by_name = source.and_then(|_| match self.lookup(bare) {
            Lookup::Found(skill) => Some(skill),
            _ => None,
        });
        let by_folder = self.owners().filter(|skill| {
            skill.name != bare
                && skill
                    .folder()
                    .and_then(Path::file_name)
                    .is_some_and(|folder| nfc(&folder.to_string_lossy()) == bare)
        });
        let mut names: Vec<String> = by_name
            .into_iter()
            .chain(by_folder)
            .map(|skill| self.alias(skill).into_owned())
            .collect();
        for found in near(bare, self.owners().map(|skill| skill.name.as_str())) {
            if found != bare && !names.iter().any(|name| name == found) {
                names.push(found.to_owned());
            }
        }
        names
    }

    /// Returns what sat in a root and could have been meant by `name`.
    #[must_use]
    pub fn broken_called(&self, name: &str) -> Vec<&Broken> {
        let (_, bare) = split_qualified(name);
        let bare = nfc(bare);
        self.found
            .broken
            .iter()
            .filter(|broken| broken.is_called(&bare))
            .collect()
    }

    /// Returns the folders called `name` that stand one level too deep to be
    /// skills.
    #[must_use]
    pub fn too_deep(&self, name: &str) -> Vec<PathBuf> {
        let (_, bare) = split_qualified(name);
        let bare = nfc(bare);
        self.found
            .broken
            .iter()
            .filter(|broken| {
                broken
                    .diagnostics
                    .iter()
                    .any(|found| found.rule == Rule::NoSkillFile)
            })
            .flat_map(|broken| skill_folders_in(&broken.location))
            .filter(|folder| {
                folder
                    .file_name()
                    .is_some_and(|folder| nfc(&folder.to_string_lossy()) == bare)
            })
            .collect()
    }

    /// Returns the entry of a scope file that decided, as it stands there.
    #[must_use]
    pub fn entry_of(&self, cause: &Cause) -> Option<&Decision> {
        let Cause::Decided { scope, span, .. } = cause else {
            return None;
        };
        let file = self
            .scopes
            .files
            .iter()
            .find(|file| file.scope() == *scope)?;
        file.entries()
            .iter()
            .find(|decision| decision.span == *span)
    }

    /// Returns the one change of one scope file that turns `skill` the other
    /// way, and its scope: the scope that decided, or the next narrower one in
    /// which it works.
    ///
    /// Nothing is written; `None` means that no file here could do it.
    #[must_use]
    pub fn opposite(&self, skill: &Skill) -> Option<(Scope, Change)> {
        let now = self.resolution(skill);
        let wanted = match now.state {
            State::On => State::Off,
            State::Off => State::On,
        };
        let entry = self.entry_of(&now.cause).map(|entry| entry.name.clone());
        let own = self.entry_name(skill);
        // The entry that decided is turned round, unless its name could mean two.
        let is_exact = |name: &&String| {
            skill.source() == Source::Workspace && matches!(self.lookup(name), Lookup::Found(_))
        };
        let names = || entry.iter().filter(is_exact).chain([&own]).cloned();
        // What only a project ships is no matter for all other projects.
        let widest = if skill.origin() == Origin::Project {
            Scope::Project
        } else {
            Scope::Global
        };
        let first = now.cause.scope().unwrap_or(widest);
        Scope::ALL
            .into_iter()
            .filter(|scope| *scope >= first)
            .flat_map(|scope| {
                names().map(move |name| {
                    (
                        scope,
                        Change {
                            name,
                            state: Some(wanted),
                        },
                    )
                })
            })
            .find(|(scope, change)| {
                self.scopes_after(*scope, change)
                    .is_some_and(|scopes| scopes.resolve(self.subject(skill)).state == wanted)
            })
    }

    /// Returns the scopes as they would be after a change; `None` where the
    /// file cannot be edited or is not there.
    fn scopes_after(&self, scope: Scope, change: &Change) -> Option<Scopes> {
        let path = self.scope_path(scope).ok()?;
        let edited =
            store::preview(&path, std::slice::from_ref(change), &self.found.env.limits).ok()?;
        let bytes = edited.after.as_bytes();
        let after = Decisions::parse(scope, &path.file, bytes, &self.found.env.limits);
        let others = self
            .scopes
            .files
            .iter()
            .filter(|file| file.scope() != scope)
            .cloned();
        Some(Scopes {
            files: others.chain([after]).collect(),
            ignore_project_on: self.scopes.ignore_project_on,
        })
    }

    /// Returns whether `skill` is on only because of the repository that ships
    /// it: by that project's scope file, or as the copy that shadows the home
    /// copy which the global scope turned on, or by an entry of the global scope
    /// that named a personal skill before this copy came.
    #[must_use]
    pub fn on_by_this_repository(&self, skill: &Skill, resolution: &Resolution) -> bool {
        let is_theirs = skill.is_in_project && skill.shadowed_by.is_none();
        if !is_theirs || resolution.state == State::Off {
            return false;
        }
        match resolution.cause.scope() {
            Some(Scope::Project) => true,
            Some(Scope::Global) => self
                .copies(&skill.name)
                .iter()
                .any(|copy| copy.origin() == Origin::Home || self.may_mean(copy, resolution)),
            _ => false,
        }
    }

    /// Returns whether the entry that decided another skill could have been
    /// written for the personal skill `copy`.
    fn may_mean(&self, copy: &Skill, resolution: &Resolution) -> bool {
        let is_bare = |entry: &Decision| split_qualified(&entry.name).0.is_none();
        copy.source() == Source::Personal && self.entry_of(&resolution.cause).is_some_and(is_bare)
    }

    /// Returns each name that a scope file has in a list and no skill bears.
    ///
    /// While the store of personal skills gives no answer, a name that could be
    /// one of them is not missing.
    #[must_use]
    pub fn missing(&self) -> Vec<Missing> {
        let is_unknown = self.personal_fault().is_some();
        self.scopes.missing(|source, bare| {
            is_unknown && source != Some(Source::Workspace)
                || self
                    .copies(bare)
                    .iter()
                    .any(|copy| source.is_none_or(|source| source == copy.source()))
        })
    }

    /// A bare entry means the workspace's skill where both sources have it,
    /// else whichever does.
    fn subject<'a>(&self, skill: &'a Skill) -> Subject<'a> {
        let workspace_has_it = || {
            self.copies(&skill.name)
                .iter()
                .any(|copy| copy.source() == Source::Workspace)
        };
        Subject {
            name: &skill.name,
            source: skill.source(),
            is_meant_by_bare_name: skill.source() == Source::Workspace || !workspace_has_it(),
            is_from_project: skill.is_in_project,
        }
    }
}

/// Sorts by name (bytes), then source; copies of one name stay in the order of
/// precedence.
fn in_order(skills: Vec<Skill>) -> Vec<Skill> {
    // A skill is large, and sorting would move each several times.
    let mut order: Vec<usize> = (0..skills.len()).collect();
    let key = |&index: &usize| (skills[index].name.as_str(), skills[index].source());
    order.sort_by(|a, b| key(a).cmp(&key(b)));
    let mut skills: Vec<_> = skills.into_iter().map(Some).collect();
    let mut sorted = Vec::with_capacity(order.len());
    sorted.extend(order.into_iter().filter_map(|index| skills[index].take()));
    sorted
}

fn read_scopes(
    env: &Env,
    project: Option<&Project>,
    conversation: Option<&Conversation>,
) -> Scopes {
    let paths = Scope::ALL
        .into_iter()
        .filter_map(|scope| scope_path(scope, env, project, conversation).ok());
    Scopes {
        files: paths.map(|path| store::load(&path, &env.limits)).collect(),
        ignore_project_on: env.ignore_project_on,
    }
}

pub(super) fn scope_path(
    scope: Scope,
    env: &Env,
    project: Option<&Project>,
    conversation: Option<&Conversation>,
) -> Result<ScopePath, NoScope> {
    const SCOPE_FILE: &str = ".codeaf/skills.json";
    let (file, within) = match scope {
        Scope::Global => (
            env.home.as_ref().ok_or(NoScope::NoHome)?.join(SCOPE_FILE),
            None,
        ),
        Scope::Project => {
            let folder = &project.ok_or(NoScope::HomeIsNoProject)?.folder;
            (folder.join(SCOPE_FILE), Some(folder.clone()))
        }
        Scope::Conversation => (
            conversation.ok_or(NoScope::NoConversation)?.meta_file(),
            None,
        ),
    };
    Ok(ScopePath {
        scope,
        file,
        within,
    })
}

/// Returns the conversation's folders, then those that were named; a place of a
/// conversation that is gone is a warning, a folder that was named an error.
fn attached_folders(
    env: &Env,
    scopes: &Scopes,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<PathBuf>, DiscoveryError> {
    let mut folders = Vec::new();
    let places = scopes
        .files
        .iter()
        .flat_map(|file| file.places().iter().map(move |place| (file, place)));
    for (decisions, place) in places {
        let path = match (place.text.strip_prefix("~/"), &env.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => env.absolute(Path::new(&place.text)),
        };
        if path.is_dir() {
            folders.push(path);
        } else {
            let message = format!("the attached folder `{}` is not there", place.text);
            warnings.push(
                Diagnostic::warning(Rule::AttachedFolder, decisions.path(), message).at(place.span),
            );
        }
    }
    for folder in &env.folders {
        let path = env.absolute(folder);
        if !path.is_dir() {
            return Err(DiscoveryError::NotAFolder { path });
        }
        folders.push(path);
    }
    Ok(folders)
}
