//! Tags by which a body could pass itself off as standing outside of its skill.

use super::Found;
use crate::diagnostic::Rule;
use crate::text::{SkillTag, skill_tags};

/// Looks through `body`, which begins at `start` in its file.
pub(super) fn find(body: &str, start: usize, found: &mut Found) {
    for (at, tag) in skill_tags(body.as_bytes()) {
        let place = start + at..start + at + tag.length();
        found.warn(Rule::TagInBody, place, || {
            let (message, help) = match tag {
                SkillTag::Opens => (
                    "`<skill ` begins a wrapper like the one that a model gets a skill in",
                    "write it otherwise: a model may take what follows for another skill",
                ),
                SkillTag::Closes => (
                    "`</skill` closes the wrapper that a model gets the skill in, and reaches it as `&lt;/skill`",
                    "write the tag otherwise, if the model is to see it as it is",
                ),
            };
            (message.to_owned(), help.to_owned())
        });
    }
}
