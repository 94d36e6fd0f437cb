//! The immutable view: skills, scopes and what they say of each other, read at
//! one moment.
//!
//! Commands and engines read everything through a [`Snapshot`]; none computes a
//! resolution of its own.

mod decisions;
mod names;
mod unloaded;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::as_profile;
use super::broken::Broken;
use super::conversation::{Conversation, ConversationError};
use super::personal::Personal;
use super::project::Project;
use super::roots::roots;
use super::scan::{LookedAt, Scan, Skill, mark_shadowed, scan};
use crate::diagnostic::{Diagnostic, Rule};
use crate::env::Env;
use crate::name::Source;
use crate::scope::{Decisions, Fault, Scope, ScopePath, Scopes, store};
use crate::skill::profile::Profile;

pub use names::Lookup;
pub use unloaded::{Doubt, Doubts};

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

    /// Returns what is odd about attached folders and readable scope files, which
    /// roots hold more than is looked at, and why the store of personal skills
    /// gave no answer.
    pub fn warnings(&self) -> impl Iterator<Item = &Diagnostic> {
        let of_files = self.scopes.files.iter().flat_map(Decisions::warnings);
        let of_folders = self.found.warnings.iter();
        let is_bound = |found: &&Diagnostic| found.rule == Rule::CandidatesBound;
        let of_roots = self.root_faults().filter(is_bound);
        of_folders
            .chain(of_roots)
            .chain(of_files)
            .chain(self.personal_fault())
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
