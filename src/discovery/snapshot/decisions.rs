//! What the scopes say of the skills that are there: the effective state of each,
//! the entry that decided, and the change that turns it round.

use super::{Lookup, Snapshot};
use crate::discovery::roots::Origin;
use crate::discovery::scan::Skill;
use crate::name::{Source, split_qualified};
use crate::scope::{
    Cause, Change, Decision, Decisions, Missing, Resolution, Scope, Scopes, State, Step, Subject,
    store,
};

impl Snapshot {
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
    /// copy which the global scope turned on, or stands in for one that does not
    /// load, or by an entry of the global scope that named a personal skill before
    /// this copy came.
    #[must_use]
    pub fn on_by_this_repository(&self, skill: &Skill, resolution: &Resolution) -> bool {
        let is_theirs = skill.is_in_project && skill.shadowed_by.is_none();
        if !is_theirs || resolution.state == State::Off {
            return false;
        }
        match resolution.cause.scope() {
            Some(Scope::Project) => true,
            Some(Scope::Global) => {
                let mut copies = self.copies(&skill.name).iter();
                let is_bare = || {
                    let entry = self.entry_of(&resolution.cause);
                    entry.is_some_and(|entry| split_qualified(&entry.name).0.is_none())
                };
                let may_be_personal = self.personal_fault().is_some();
                copies.any(|copy| match copy.source() {
                    Source::Personal => is_bare(),
                    Source::Workspace => copy.origin() == Origin::Home,
                }) || may_be_personal && is_bare()
                    || self.broken_at_home(&skill.name).is_some()
            }
            _ => false,
        }
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
