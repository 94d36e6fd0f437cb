//! The one snapshot that all requests are answered from, and what of it
//! changed.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use codeaf_skills::disclosure::{Served, SkillEntry};
use codeaf_skills::text::{one_line, visible};
use codeaf_skills::{Digest, DiscoveryError, Env, Snapshot};
use serde_json::Value;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::contents::Contents;
use super::log::Log;
use super::project::{anchored, with_roots};

/// The skills that are served.
#[derive(Debug)]
pub(super) struct Skills {
    state: Mutex<State>,
    /// Held while the skills are looked at, so that an older look never takes
    /// the place of a newer one.
    looking: Mutex<()>,
    contents: Mutex<Contents>,
    changes: watch::Sender<Changes>,
    pub(super) log: Log,
    /// Cancelled when the process is to end.
    pub(super) closing: CancellationToken,
    /// Cancelled when the client hung up, and with `closing`: who listens for
    /// changes is done.
    pub(super) hung_up: CancellationToken,
    pub(super) waker: super::watch::Waker,
}

#[derive(Debug)]
struct State {
    /// As the process was started; paths are absolute.
    env: Env,
    snapshot: Snapshot,
    /// What each list showed last, to a client or at a look; nothing before the
    /// first of either, and never nothing once a client was answered.
    shown: Shown,
}

/// Digests of what lists show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Shown {
    tools: Option<Digest>,
    prompts: Option<Digest>,
    resources: Option<Digest>,
}

impl Shown {
    pub(super) fn tools(tools: &[Option<Value>; 2]) -> Self {
        let texts = tools
            .each_ref()
            .map(|tool| tool.as_ref().map(Value::to_string));
        Self {
            tools: Some(Digest::of(&texts)),
            ..Self::default()
        }
    }

    pub(super) fn prompts(prompts: &[Prompt]) -> Self {
        Self {
            prompts: Some(Digest::of(prompts)),
            ..Self::default()
        }
    }

    /// `served` are the files of the skills of `snapshot`.
    pub(super) fn resources(snapshot: &Snapshot, served: &[Served]) -> Self {
        // What an entry shows beyond the list of its files.
        let contents: Vec<_> = snapshot
            .callable()
            .iter()
            .map(|skill| (skill.frontmatter, skill.body))
            .collect();
        Self {
            resources: Some(Digest::of(&(served, contents))),
            ..Self::default()
        }
    }

    /// Returns what either knows.
    fn and(self, other: Self) -> Self {
        Self {
            tools: self.tools.or(other.tools),
            prompts: self.prompts.or(other.prompts),
            resources: self.resources.or(other.resources),
        }
    }

    fn is_whole(&self) -> bool {
        self.tools.is_some() && self.prompts.is_some() && self.resources.is_some()
    }

    /// Takes over what `now` knows; returns the lists that show something else.
    fn replace(&mut self, now: Self) -> Changes {
        let has_changed = |known: &mut Option<Digest>, now: Option<Digest>| {
            let before = *known;
            *known = now.or(before);
            u64::from(before.is_some() && *known != before)
        };
        Changes {
            tools: has_changed(&mut self.tools, now.tools),
            prompts: has_changed(&mut self.prompts, now.prompts),
            resources: has_changed(&mut self.resources, now.resources),
        }
    }
}

/// How often each list changed since the start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Changes {
    pub(super) tools: u64,
    pub(super) prompts: u64,
    pub(super) resources: u64,
}

/// What a client can list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    Tools,
    Prompts,
    Resources,
}

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources => "resources",
        })
    }
}

impl Changes {
    /// Returns the lists that changed since `seen`.
    pub(super) fn since(self, seen: Self) -> impl Iterator<Item = List> {
        let pairs = [
            (List::Tools, self.tools != seen.tools),
            (List::Prompts, self.prompts != seen.prompts),
            (List::Resources, self.resources != seen.resources),
        ];
        let changed = pairs.into_iter().filter(|(_, has_changed)| *has_changed);
        changed.map(|(list, _)| list)
    }
}

/// A skill as a person's command.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Prompt {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) arguments: Option<String>,
}

impl Skills {
    pub(super) fn new(snapshot: Snapshot, log: Log) -> Arc<Self> {
        let state = State {
            env: anchored(snapshot.env()),
            snapshot,
            shown: Shown::default(),
        };
        let closing = CancellationToken::new();
        let skills = Self {
            hung_up: closing.child_token(),
            state: Mutex::new(state),
            looking: Mutex::default(),
            contents: Mutex::default(),
            changes: watch::Sender::default(),
            log,
            closing,
            waker: super::watch::Waker::default(),
        };
        skills.tell_faults(&skills.snapshot());
        Arc::new(skills)
    }

    /// Returns the skills under decisions that are read now. Nothing is scanned:
    /// that a folder changed is noticed elsewhere.
    pub(super) fn now(&self) -> Snapshot {
        let fresh = self.snapshot().with_fresh_scopes().with_fresh_personal();
        self.tell_faults(&fresh);
        fresh
    }

    /// Returns the skills as they were last read.
    pub(super) fn snapshot(&self) -> Snapshot {
        self.state().snapshot.clone()
    }

    /// Whether it is known what the lists show, so that a change of them is one.
    pub(super) fn is_settled(&self) -> bool {
        self.state().shown.is_whole()
    }

    /// Fixes what the lists show now, where that is not known yet.
    ///
    /// It comes before whatever a client is answered or promised: an answer shows
    /// no less than this, so that a change behind it is told, however soon.
    pub(super) fn settle(&self) {
        let _looking = self.look();
        if self.is_settled() {
            return;
        }
        let now = self.lists(&self.now());
        let mut state = self.state();
        state.shown = state.shown.and(now);
    }

    /// Returns where counts of changes come in.
    pub(super) fn changes(&self) -> watch::Receiver<Changes> {
        self.changes.subscribe()
    }

    /// Looks at every root again, and counts what changed.
    pub(super) fn refresh(&self) {
        let _looking = self.look();
        match self.snapshot().reload() {
            Ok(snapshot) => self.put(snapshot),
            Err(error) => self.keep(&error),
        }
    }

    /// Serves the project that the client's roots say.
    pub(super) fn move_to(&self, roots: &[String]) {
        let (env, passed_over) = with_roots(&self.state().env, roots);
        for words in passed_over {
            self.log.warn(&words);
        }
        let _looking = self.look();
        let before = self.snapshot();
        if env.start == before.env().start && env.folders == before.env().folders {
            return;
        }
        let loaded = match before.store() {
            Some(store) => Snapshot::load_with_store(&env, Arc::clone(store)),
            None => Snapshot::load(&env),
        };
        match loaded {
            Ok(snapshot) => {
                self.put(snapshot);
                self.waker.wake();
            }
            Err(error) => self.keep(&error),
        }
    }

    /// Returns the files of the skills of `snapshot`, which a client is shown now.
    pub(super) fn show_served(&self, snapshot: &Snapshot) -> Vec<Served> {
        let served = self.served(snapshot);
        self.show(Shown::resources(snapshot, &served));
        served
    }

    /// Returns the files of the skills of `snapshot`, and tells which have none
    /// because their folder cannot be read.
    fn served(&self, snapshot: &Snapshot) -> Vec<Served> {
        let (mut served, faults) = snapshot.served();
        for found in &faults {
            self.log.finding(found);
        }
        self.contents().settle(snapshot, &mut served);
        served
    }

    /// Tells what an entry of the extension cannot keep to itself, and remembers
    /// the digests in it.
    pub(super) fn note_entry(&self, entry: &SkillEntry) {
        for found in &entry.warnings {
            self.log.finding(found);
        }
        self.contents().learn(entry);
    }

    fn put(&self, snapshot: Snapshot) {
        self.tell_faults(&snapshot);
        let lists = self.lists(&snapshot);
        self.state().snapshot = snapshot;
        self.show(lists);
    }

    fn lists(&self, snapshot: &Snapshot) -> Shown {
        let served = self.served(snapshot);
        Shown::tools(&tools(snapshot))
            .and(Shown::prompts(&prompts(snapshot)))
            .and(Shown::resources(snapshot, &served))
    }

    /// Remembers what lists show now, to a client that asked or at a look.
    ///
    /// Every client is told of what is not as it was: so no change is lost
    /// between an answer and the next look, whichever comes first.
    pub(super) fn show(&self, now: Shown) {
        let changed = self.state().shown.replace(now);
        self.changes.send_if_modified(|changes| {
            changes.tools += changed.tools;
            changes.prompts += changed.prompts;
            changes.resources += changed.resources;
            changed != Changes::default()
        });
    }

    /// A snapshot that cannot be taken leaves the last one in its place.
    fn keep(&self, error: &DiscoveryError) {
        self.log.error(&format!(
            "the skills could not be looked at again, so what was found before stays: {error}"
        ));
    }

    fn tell_faults(&self, snapshot: &Snapshot) {
        for fault in snapshot.scope_faults() {
            self.log.finding(&fault.diagnostic);
        }
    }

    fn look(&self) -> MutexGuard<'_, ()> {
        self.looking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the definitions of the two tools, where they are offered.
pub(super) fn tools(snapshot: &Snapshot) -> [Option<Value>; 2] {
    [snapshot.tool_definition(), snapshot.file_tool_definition()]
}

/// Returns a command for each skill that a person may use, on or off; none
/// while a scope file cannot be read.
pub(super) fn prompts(snapshot: &Snapshot) -> Vec<Prompt> {
    if snapshot.scope_faults().next().is_some() {
        return Vec::new();
    }
    snapshot
        .permitted()
        .map(|skill| Prompt {
            name: visible(&snapshot.alias(skill)).into_owned(),
            description: one_line(&skill.description).into_owned(),
            arguments: skill
                .argument_hint
                .as_deref()
                .map(|hint| one_line(hint).into_owned()),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_shown_before_can_change() {
        let shown = |tools: u8, prompts: Option<u8>| Shown {
            tools: Some(Digest::of(&tools)),
            prompts: prompts.map(|prompts| Digest::of(&prompts)),
            resources: None,
        };
        let mut known = Shown::default();

        for (now, changed) in [
            (shown(1, None), [0, 0, 0]),
            (shown(1, Some(1)), [0, 0, 0]),
            (shown(2, None), [1, 0, 0]),
            (shown(2, Some(1)), [0, 0, 0]),
            (shown(1, Some(2)), [1, 1, 0]),
        ] {
            let changes = known.replace(now);
            assert_eq!([changes.tools, changes.prompts, changes.resources], changed);
        }
    }
}
