//! Which skill is meant by a name, and whether it may be activated at all.
//!
//! One rule and one set of errors for the model, a person and the program. It
//! does not ask whether a skill is on: that binds only the model.

use super::error::ActivationError;
use crate::discovery::scan::Skill;
use crate::discovery::snapshot::{Lookup, Snapshot};
use crate::name::{Source, split_qualified};
use crate::scope::Scope;
use crate::text::visible;

impl Snapshot {
    /// Returns the skill that a person means by `name`: an alias, or a bare or
    /// qualified name, as it is or as it was shown.
    ///
    /// # Errors
    ///
    /// Returns [`ActivationError::NotFound`], with the names that may have been
    /// meant, [`ActivationError::Unknown`] while the store of personal skills
    /// gives no answer, or [`ActivationError::Ambiguous`].
    ///
    /// # Examples
    ///
    /// ```
    /// use codeaf_skills::{Env, Snapshot};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let snapshot = Snapshot::load(&Env::new("/nowhere"))?;
    /// assert_eq!(snapshot.find("pdf").unwrap_err().code(), "skill_not_found");
    /// # Ok(())
    /// # }
    /// ```
    pub fn find(&self, name: &str) -> Result<&Skill, ActivationError> {
        self.called(name, || self.missed(name))
    }

    /// Says why no skill is called `name`, as far as that is known.
    fn missed(&self, name: &str) -> ActivationError {
        let is_broken = !self.broken_called(name).is_empty()
            || !self.too_deep(name).is_empty()
            || !self.beyond_bound(name).is_empty();
        let may_be_personal = split_qualified(name).0 != Some(Source::Workspace);
        let (name, near) = (name.to_owned(), self.near(name));
        match self.personal_fault() {
            Some(fault) if may_be_personal && !is_broken => ActivationError::Unknown {
                name,
                near,
                fault: Box::new(fault.clone()),
            },
            _ => ActivationError::NotFound {
                name,
                near,
                is_broken,
            },
        }
    }

    /// Returns the skill that `name` means; what is told of a miss is the
    /// caller's, for not everybody may know of everything.
    pub(super) fn called(
        &self,
        name: &str,
        not_found: impl FnOnce() -> ActivationError,
    ) -> Result<&Skill, ActivationError> {
        match self.lookup_shown(name) {
            Lookup::Found(skill) => Ok(skill),
            Lookup::Ambiguous(aliases) => Err(ActivationError::Ambiguous {
                name: name.to_owned(),
                aliases,
            }),
            Lookup::NotFound => Err(not_found()),
        }
    }

    /// Refuses a skill that is not among the allowed ones, whoever asks for it.
    pub(super) fn require_permitted(&self, skill: &Skill) -> Result<(), ActivationError> {
        if self.permits(skill) {
            return Ok(());
        }
        let name = self.shown_alias(skill);
        Err(ActivationError::NotAllowed { name })
    }

    /// Refuses a skill that the model may not use: not allowed, or off.
    pub(crate) fn require_on(&self, skill: &Skill) -> Result<(), ActivationError> {
        self.require_permitted(skill)?;
        if self.resolution(skill).is_on() {
            return Ok(());
        }
        let name = self.shown_alias(skill);
        let on = self.turning_on(skill);
        Err(ActivationError::Off { name, on })
    }

    /// Returns the words that turn `skill`, which is off, on: in the scope where
    /// it works, as [`opposite`](Self::opposite) knows it.
    pub(super) fn turning_on(&self, skill: &Skill) -> String {
        let (scope, name) = match self.opposite(skill) {
            Some((scope, change)) => (scope, change.name),
            // No file that is here could do it, and a narrower one would.
            None => (Scope::Conversation, self.entry_name(skill)),
        };
        let flag = match (scope, self.conversation()) {
            (Scope::Global, _) => "--global".to_owned(),
            (Scope::Project, _) => "--project".to_owned(),
            (Scope::Conversation, Some(found)) => {
                let folder = found.folder.display().to_string();
                format!("--conversation {}", visible(&folder))
            }
            (Scope::Conversation, None) => "--conversation PATH".to_owned(),
        };
        format!("on {} {flag}", visible(&name))
    }

    /// Refuses to go on while a scope file may have said *off* unread.
    pub(crate) fn require_readable(&self) -> Result<(), ActivationError> {
        match self.scope_faults().next() {
            None => Ok(()),
            Some(fault) => Err(ActivationError::ScopeUnreadable {
                fault: Box::new(fault.clone()),
            }),
        }
    }

    /// Looks a name up as it was shown, in which what hides is written out.
    pub(super) fn lookup_shown(&self, name: &str) -> Lookup<'_> {
        match self.lookup(name) {
            Lookup::NotFound if name.contains('\\') => self
                .owners()
                .find(|skill| self.shown_alias(skill) == name)
                .map_or(Lookup::NotFound, Lookup::Found),
            found => found,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_folders::Folders;

    #[test]
    fn a_miss_says_what_may_have_been_meant_on_or_off() {
        let folders = Folders::new();
        folders.skill("home", "pdf-kit", "P.", "");
        folders.write(
            "home/.agents/skills/bad-kit/SKILL.md",
            "---\nname: bad-kit\n---\n",
        );
        folders.write("home/.agents/skills/team/deep-kit/SKILL.md", "---\n---\n");
        let snapshot = folders.load();

        let miss = |name: &str| {
            let error = snapshot.find(name).unwrap_err();
            (
                error.to_string(),
                error.help().map(std::borrow::Cow::into_owned),
            )
        };

        assert_eq!(snapshot.find("workspace/pdf-kit").unwrap().name, "pdf-kit");
        assert_eq!(
            miss("pdfkit"),
            (
                "no skill is called `pdfkit`".to_owned(),
                Some("did you mean `pdf-kit`?".to_owned())
            )
        );
        for name in ["bad-kit", "deep-kit"] {
            assert_eq!(
                miss(name).1,
                Some(format!(
                    "something of that name is there and was not taken: `codeaf-skills why {name}` tells the fault"
                ))
            );
        }
        assert_eq!(miss("zzz").1, None);
    }
}
