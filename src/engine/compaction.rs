//! Compaction: a summary takes the place of what was said, and loaded skills stay
//! as they are.
//!
//! What stays and what is summarised, `summary` decides.

use serde_json::{Value, json};

use super::conversation::{Chat, Event};
use super::error::ChatError;
use super::messages::messages;
use super::model::{Model, ModelError, Request};
use super::summary;
use super::tags::Tags;
use super::transcript::Entry;

impl Chat {
    pub(super) fn is_over_budget(&self) -> bool {
        summary::tokens(&self.messages()) > self.settings.context_tokens
    }

    /// Compacts on the way to an answer. One that fails changes nothing and
    /// keeps nobody from answering.
    pub(super) fn compact_or_go_on(
        &mut self,
        model: &mut dyn Model,
        tell: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), ChatError> {
        let limits = self.snapshot.env().limits;
        let kept = limits.kept_tokens.min(self.settings.context_tokens / 4);
        match self.compact_all_but(kept, model, tell) {
            Err(ChatError::Model(ModelError::Failed { message, .. })) => {
                tell(Event::Note(&format!("not compacted: {message}")));
                Ok(())
            }
            Err(ChatError::NothingToCompact) => Ok(()),
            done => done,
        }
    }

    /// Puts a summary, which the model writes, in the place of what was said: of
    /// all but a turn that is not over.
    ///
    /// Loaded skills that are not in what stays are put back verbatim, in the
    /// order of activation, and still count as loaded.
    ///
    /// # Errors
    ///
    /// Returns why there is no summary; then everything is as before.
    pub fn compact(
        &mut self,
        model: &mut dyn Model,
        tell: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), ChatError> {
        self.refresh(tell)?;
        self.compact_all_but(0, model, tell)
    }

    /// Compacts all but the latest turns that have `tokens` together.
    fn compact_all_but(
        &mut self,
        tokens: usize,
        model: &mut dyn Model,
        tell: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), ChatError> {
        let budget = self.settings.context_tokens;
        let seen = self.transcript.seen();
        let kept = summary::kept_from(&seen, tokens, &self.tags).min(summary::open_turn(&seen));
        let before = &seen[..kept];
        let is_new = |(_, entry): &&&(usize, Entry)| !matches!(entry, Entry::Summary { .. });
        if before.iter().filter(is_new).count() == 0 {
            return Err(ChatError::NothingToCompact);
        }
        let kept_from = seen
            .get(kept)
            .map_or(self.transcript.next_line(), |(line, _)| *line);
        let parts = summary::material(before, budget / 2);
        let tail = messages(&seen[kept..], &self.tags);
        let tokens_before = summary::tokens(&self.messages());
        let content = written(&parts, &self.tags, model)?;
        let tail: Vec<String> = tail.iter().map(Value::to_string).collect();
        let tail: Vec<&str> = tail.iter().map(String::as_str).collect();
        let skills = if self.settings.skills {
            let put_back = self.ledger.reinjection(&tail);
            put_back.into_iter().map(str::to_owned).collect()
        } else {
            Vec::new()
        };
        self.transcript.append(Entry::Summary {
            content,
            skills,
            kept_from,
        })?;
        self.render();
        let tokens_after = summary::tokens(&self.messages());
        tell(Event::Note(&format!(
            "compacted: about {tokens_before} tokens became {tokens_after}"
        )));
        Ok(())
    }
}

/// Lets the model write the summary, part by part.
fn written(parts: &[String], tags: &Tags, model: &mut dyn Model) -> Result<String, ChatError> {
    let mut written = String::new();
    for part in parts {
        let messages = [
            json!({"role": "system", "content": summary::instructions(tags)}),
            json!({"role": "user", "content": summary::question(&written, part, tags)}),
        ];
        let request = Request {
            messages: &messages,
            tools: &[],
        };
        let answer = model.answer(request, &mut |_| {})?;
        if answer.text.trim().is_empty() {
            return Err(ModelError::Failed {
                message: "the model wrote no summary".to_owned(),
                help: Some("try `/compact` again, or another model".to_owned()),
            }
            .into());
        }
        answer.text.trim().clone_into(&mut written);
    }
    Ok(written)
}
