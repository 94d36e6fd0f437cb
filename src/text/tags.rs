//! Tags of the wrapper that a model gets a skill in.

use memchr::memchr_iter;

/// A tag of the wrapper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkillTag {
    /// `<skill` and a blank, as before a name.
    Opens,
    /// `</skill`, whatever follows.
    Closes,
}

impl SkillTag {
    /// Bytes from the bracket to the end of the word.
    #[must_use]
    pub fn length(self) -> usize {
        match self {
            Self::Opens => OPENS.len(),
            Self::Closes => CLOSES.len(),
        }
    }
}

const OPENS: &[u8] = b"<skill";
const CLOSES: &[u8] = b"</skill";

/// Returns where the tags of a skill's wrapper begin in a text, in any case.
///
/// # Examples
///
/// ```
/// use codeaf_skills::text::{SkillTag, skill_tags};
///
/// let tags: Vec<_> = skill_tags(b"<skill name=a> <skills> </SKILL>").collect();
/// assert_eq!(tags, [(0, SkillTag::Opens), (24, SkillTag::Closes)]);
/// ```
pub fn skill_tags(text: &[u8]) -> impl Iterator<Item = (usize, SkillTag)> {
    memchr_iter(b'<', text).filter_map(|at| Some((at, tag_at(&text[at..])?)))
}

fn tag_at(text: &[u8]) -> Option<SkillTag> {
    let begins = |tag: &[u8]| {
        text.get(..tag.len())
            .is_some_and(|word| word.eq_ignore_ascii_case(tag))
    };
    let is_spaced = || text.get(OPENS.len()).is_some_and(u8::is_ascii_whitespace);
    if begins(CLOSES) {
        Some(SkillTag::Closes)
    } else if begins(OPENS) && is_spaced() {
        Some(SkillTag::Opens)
    } else {
        None
    }
}
