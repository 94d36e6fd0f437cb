//! What the model is told of skills, and when: `message[0]`, rendered as seldom
//! as can be, and a note at the tail for whatever else changes.

use std::path::{Path, PathBuf};

use super::belt::Tool;
use super::changes;
use super::conversation::{Chat, Event, Told};
use super::error::ChatError;
use super::prompt::Prompt;
use super::transcript::Entry;
use crate::discovery::snapshot::Snapshot;
use crate::scope::{self, Scope};
use crate::text::path_text;

impl Chat {
    /// Reads the decisions again, for a turn.
    pub(super) fn refresh(&mut self, tell: &mut dyn FnMut(Event<'_>)) -> Result<(), ChatError> {
        let fresh = self.fresh();
        for fault in fresh.scope_faults() {
            tell(Event::ScopeUnreadable(fault));
        }
        let note = self.take(fresh);
        match note {
            Some(content) => self.tell_model(content, false),
            None => Ok(()),
        }
    }

    /// Takes the view of one turn: the same folders, under decisions that are
    /// read again, with what the store of personal skills lists now.
    fn fresh(&self) -> Snapshot {
        self.snapshot.with_fresh_scopes().with_fresh_personal()
    }

    /// Takes another view of the skills. `message[0]` is rendered again for a
    /// changed decision, and where the belt is another one: prompt and belt name
    /// the same tools. Whatever else the model can see is returned as a note.
    fn take(&mut self, later: Snapshot) -> Option<String> {
        let differences = self.snapshot.diff(&later);
        let other_belt = self.permissions.belt(&later) != self.told.belt;
        self.snapshot = later;
        if other_belt || changes::of_decisions(&differences) {
            self.render();
            return None;
        }
        if !self.told.belt.contains(&Tool::Skill) {
            return None;
        }
        let told = &self.told.catalog;
        let note = changes::note(&differences, &self.snapshot, &self.ledger, told);
        self.told.catalog = changes::catalog(&self.snapshot);
        note
    }

    fn tell_model(&mut self, content: String, reload: bool) -> Result<(), ChatError> {
        Ok(self.transcript.append(Entry::Note { content, reload })?)
    }

    /// Renders `message[0]` from the snapshot as it is.
    pub(super) fn render(&mut self) {
        let belt = self.permissions.belt(&self.snapshot);
        let catalog = if belt.contains(&Tool::Skill) {
            changes::catalog(&self.snapshot)
        } else {
            String::new()
        };
        let prompt = Prompt {
            tags: &self.tags,
            belt: &belt,
            working_folder: &self.snapshot.env().start,
            standing: self.settings.standing.as_deref(),
            attached: self.snapshot.attached(),
            catalog: &catalog,
        };
        self.told = Told {
            text: prompt.render(),
            belt,
            from: self.transcript.next_line(),
            catalog,
        };
    }

    /// Reads the skills again, as `/reload` does: in one step for prompt, tool,
    /// commands and activation. The model is told once what changed.
    ///
    /// Returns what is different, in words for a person; empty if nothing is.
    ///
    /// # Errors
    ///
    /// Returns why the skills cannot be read; then everything is as before.
    pub fn reload(&mut self) -> Result<Vec<String>, ChatError> {
        let later = self.snapshot.reload()?;
        let differences = self.snapshot.diff(&later);
        let note = self.take(later);
        self.ledger.reopen();
        // Also without a word for the model: what was loaded is opened again.
        self.tell_model(note.unwrap_or_default(), true)?;
        Ok(differences.iter().filter_map(changes::words).collect())
    }

    /// Attaches a folder, as `/folder DIR` does: writes it into `meta.json`, and
    /// reads the skills again with it. Returns its path.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be attached; then everything is as before.
    pub fn attach(&mut self, folder: &Path) -> Result<PathBuf, ChatError> {
        let path = self.snapshot.attachable(folder)?;
        let meta = self
            .snapshot
            .scope_path(Scope::Conversation)
            .map_err(|_| ChatError::NoPlace)?;
        scope::attach(&meta, &path_text(&path), &self.snapshot.env().limits)?;
        self.snapshot = self.snapshot.reload()?;
        self.render();
        Ok(path)
    }
}
