//! What the model is told of skills, and when: `message[0]`, rendered as seldom
//! as can be, and a note at the tail for whatever else changes.

use std::path::{Path, PathBuf};

use super::belt::Tool;
use super::changes;
use super::conversation::{Chat, Event, Told};
use super::error::ChatError;
use super::prompt::Prompt;
use super::transcript::Entry;
use crate::discovery::difference::Difference;
use crate::discovery::snapshot::Snapshot;
use crate::scope::{self, Scope};
use crate::text::{path_text, visible};

/// A loaded skill that may be loaded anew.
struct Reopened {
    alias: String,
    /// Its qualified name, as the ledger has it.
    name: String,
    is_callable: bool,
}

impl Chat {
    /// Reads the decisions again, for a turn.
    pub(super) fn refresh(&mut self, tell: &mut dyn FnMut(Event<'_>)) -> Result<(), ChatError> {
        let fresh = self.fresh();
        for fault in fresh.scope_faults() {
            tell(Event::ScopeUnreadable(fault));
        }
        let differences = self.take(fresh)?;
        let rewritten = changes::rewritten(&differences);
        if !rewritten.is_empty() {
            self.reopen(|alias| rewritten.contains(&alias))?;
        }
        self.withdraw()
    }

    /// Takes the view of one turn: the same folders, under decisions that are
    /// read again, with what the store of personal skills lists now.
    fn fresh(&self) -> Snapshot {
        self.snapshot.with_fresh_scopes().with_fresh_personal()
    }

    /// Takes another view of the skills, and returns what is different in it.
    /// `message[0]` is rendered again for a changed decision, and where the belt
    /// is another one: prompt and belt name the same tools. Of whatever else the
    /// model can see it is told once.
    fn take(&mut self, later: Snapshot) -> Result<Vec<Difference>, ChatError> {
        let differences = self.snapshot.diff(&later);
        let other_belt = self.permissions.belt(&later) != self.told.belt;
        self.snapshot = later;
        if other_belt || changes::of_decisions(&differences) {
            self.render();
        } else if self.told.belt.contains(&Tool::Skill) {
            let catalog = changes::catalog(&self.snapshot);
            if catalog != self.told.catalog {
                self.transcript.append(Entry::Note {
                    content: changes::of_catalog(&catalog),
                    catalog: true,
                    reopened: Vec::new(),
                    withdrawn: Vec::new(),
                })?;
                self.told.catalog = catalog;
            }
        }
        Ok(differences)
    }

    /// Lets the loaded skills that say something else now be loaded anew, if
    /// their alias `is_meant`, and tells the model of those that it may load.
    /// Returns their aliases.
    fn reopen(&mut self, is_meant: impl Fn(&str) -> bool) -> Result<Vec<String>, ChatError> {
        let callable = if self.told.belt.contains(&Tool::Skill) {
            self.snapshot.callable()
        } else {
            Vec::new()
        };
        let rewritten = self.snapshot.rewritten(&self.ledger).into_iter();
        let reopened: Vec<Reopened> = rewritten
            .filter(|skill| self.snapshot.permits(skill))
            .map(|skill| Reopened {
                alias: self.snapshot.alias(skill).into_owned(),
                name: skill.source().qualify(&visible(&skill.name)),
                is_callable: callable.contains(&skill),
            })
            .filter(|skill| is_meant(&skill.alias))
            .collect();
        if !reopened.is_empty() {
            let callable = reopened.iter().filter(|skill| skill.is_callable);
            let callable: Vec<_> = callable.map(|skill| visible(&skill.alias)).collect();
            let words = changes::of_rewritten(&callable).unwrap_or_default();
            let names: Vec<String> = reopened.iter().map(|skill| skill.name.clone()).collect();
            self.transcript.append(Entry::Note {
                content: words,
                catalog: false,
                reopened: names.clone(),
                withdrawn: Vec::new(),
            })?;
            self.ledger.reopen(&names);
        }
        Ok(reopened.into_iter().map(|skill| skill.alias).collect())
    }

    /// Takes the loaded skills that are no longer in force out of the ledger, and
    /// tells the model.
    pub(super) fn withdraw(&mut self) -> Result<(), ChatError> {
        if !self.settings.skills {
            return Ok(());
        }
        let withdrawn = self.snapshot.withdrawn(&self.ledger);
        if withdrawn.is_empty() {
            return Ok(());
        }
        let lines: Vec<String> = withdrawn.iter().map(changes::of_withdrawn).collect();
        let names: Vec<String> = withdrawn.into_iter().map(|skill| skill.name).collect();
        self.transcript.append(Entry::Note {
            content: lines.join("\n"),
            catalog: false,
            reopened: Vec::new(),
            withdrawn: names.clone(),
        })?;
        self.ledger.withdraw(&names);
        Ok(())
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
        let differences = self.take(later)?;
        let reopened = self.reopen(|_| true)?;
        self.withdraw()?;
        let told = changes::rewritten(&differences);
        // An earlier run had loaded what was different before this one began.
        let earlier = reopened
            .into_iter()
            .filter(|alias| !told.contains(&alias.as_str()));
        let earlier: Vec<Difference> = earlier
            .map(|alias| Difference::Rewritten { alias })
            .collect();
        let all = differences.iter().chain(&earlier);
        Ok(all.filter_map(changes::words).collect())
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
