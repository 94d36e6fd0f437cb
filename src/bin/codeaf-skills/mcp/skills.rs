//! The one snapshot that all requests are answered from, and what of it
//! changed.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use codeaf_skills::text::{one_line, visible};
use codeaf_skills::{Digest, DiscoveryError, Env, Snapshot};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::log::Log;
use super::project::{anchored, with_roots};

/// The skills that are served.
#[derive(Debug)]
pub(super) struct Skills {
    state: Mutex<State>,
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
    /// Of the lists that clients were last told of; nothing before the first
    /// look.
    lists: Option<Lists>,
}

/// Digests of what the three lists show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Lists {
    tools: Digest,
    prompts: Digest,
    resources: Digest,
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
            lists: None,
        };
        let closing = CancellationToken::new();
        let skills = Self {
            hung_up: closing.child_token(),
            state: Mutex::new(state),
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

    /// Returns where counts of changes come in.
    pub(super) fn changes(&self) -> watch::Receiver<Changes> {
        self.changes.subscribe()
    }

    /// Looks at every root again, and counts what changed.
    pub(super) fn refresh(&self) {
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

    fn put(&self, snapshot: Snapshot) {
        self.tell_faults(&snapshot);
        let lists = self.lists_of(&snapshot);
        let before = {
            let mut state = self.state();
            state.snapshot = snapshot;
            state.lists.replace(lists)
        };
        let Some(before) = before else { return };
        let count =
            |count: &mut u64, before: Digest, now: Digest| *count += u64::from(before != now);
        self.changes.send_if_modified(|changes| {
            let earlier = *changes;
            count(&mut changes.tools, before.tools, lists.tools);
            count(&mut changes.prompts, before.prompts, lists.prompts);
            count(&mut changes.resources, before.resources, lists.resources);
            *changes != earlier
        });
    }

    /// Remembers what clients may have been told by now, so that only what
    /// changes from here on is news.
    pub(super) fn note_lists(&self) {
        let snapshot = self.snapshot();
        let lists = self.lists_of(&snapshot);
        self.state().lists.get_or_insert(lists);
    }

    fn lists_of(&self, snapshot: &Snapshot) -> Lists {
        let tools = [snapshot.tool_definition(), snapshot.file_tool_definition()];
        let tools = tools.map(|tool| tool.map(|tool| tool.to_string()));
        let (served, faults) = snapshot.served();
        for found in &faults {
            self.log.finding(found);
        }
        // What an entry shows beyond the list of its files.
        let contents: Vec<_> = snapshot
            .callable()
            .iter()
            .map(|skill| (skill.frontmatter, skill.body))
            .collect();
        Lists {
            tools: Digest::of(&tools),
            prompts: Digest::of(&prompts(snapshot)),
            resources: Digest::of(&(served, contents)),
        }
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

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a command for each skill that a person may use, on or off; none
/// while a scope file cannot be read.
pub(super) fn prompts(snapshot: &Snapshot) -> Vec<Prompt> {
    if snapshot.scope_faults().next().is_some() {
        return Vec::new();
    }
    let permitted = snapshot.owners().filter(|skill| snapshot.permits(skill));
    permitted
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
