//! What the model gets: the catalog, the `skill` tool and a skill's
//! instructions; and what a person types to give them to it.
//!
//! A skill is *callable* if it is on, allowed and owns its name. This room
//! decides no state and writes nothing; what it reads from disk is one skill's
//! own folder, at the moment of its activation.

pub mod activation;
#[cfg(feature = "extension")]
pub mod address;
mod body;
pub mod catalog;
pub mod commands;
mod error;
pub mod file_tool;
mod find;
mod forms;
pub mod ledger;
pub mod reply;
#[cfg(feature = "extension")]
pub mod served;
pub mod tool;

use std::borrow::Cow;

use serde::Serialize;

use crate::discovery::scan::Skill;
use crate::discovery::snapshot::Snapshot;
use crate::env::Allowed;
use crate::name::{Source, split_qualified};
use crate::text::{visible, write_json};

pub use activation::{Activation, Freshness};
pub use catalog::{BudgetError, Catalog, CatalogEntry, CatalogForm, Rendered};
pub use commands::{Commands, Invoked, SlashCommand, Typed};
pub use error::ActivationError;
pub use file_tool::FILE_TOOL;
pub use ledger::{Ledger, TranscriptFault, Withdrawn};
pub use reply::{Outcome, Reply, row};
#[cfg(feature = "extension")]
pub use served::{Served, ServedError, ServedFile, SkillEntry};
pub use tool::ToolCall;

impl Snapshot {
    /// Returns the skills that the model may activate: on, allowed, valid, not
    /// shadowed and within reach; by name (bytes), then source.
    ///
    /// While a scope file cannot be read there are none: it may have said
    /// *off*, and an offer must not depend on which skills it would have named.
    #[must_use]
    pub fn callable(&self) -> Vec<&Skill> {
        if self.scope_faults().next().is_some() {
            return Vec::new();
        }
        self.owners()
            .filter(|skill| self.is_reachable(skill))
            .filter(|skill| self.permits(skill) && self.resolution(skill).is_on())
            .collect()
    }

    /// Returns the skills that a person may call, on or off: those that own their
    /// name and are allowed; by name (bytes), then source.
    pub fn permitted(&self) -> impl Iterator<Item = &Skill> {
        self.owners().filter(|skill| self.permits(skill))
    }

    /// Returns whether `skill` is among the allowed skills, by its bare or its
    /// qualified name. It binds the model and a person alike.
    #[must_use]
    pub fn permits(&self, skill: &Skill) -> bool {
        if self.env().allowed == Allowed::All {
            return true;
        }
        let allowed = &self.env().allowed;
        names_of(skill).any(|name| allowed.permits([&*name]))
    }

    /// Returns the names among the allowed skills that no skill bears, so that
    /// they allow nothing.
    ///
    /// While the store of personal skills gives no answer, a name that could be
    /// one of them is not among these.
    #[must_use]
    pub fn unknown_allowed(&self) -> Vec<&str> {
        let Allowed::Only(names) = &self.env().allowed else {
            return Vec::new();
        };
        let is_away = self.personal_fault().is_some();
        let is_known = |name: &str| {
            let may_be_personal = split_qualified(name).0 != Some(Source::Workspace);
            is_away && may_be_personal
                || self
                    .owners()
                    .any(|skill| names_of(skill).any(|borne| borne == name))
        };
        let names = names.iter().map(String::as_str);
        names.filter(|name| !is_known(name)).collect()
    }

    /// Returns the names of the callable skills for the enum of a tool, in the
    /// order of the catalog; nothing if there are none, for then there is no
    /// tool.
    fn callable_names(&self) -> Option<Vec<String>> {
        let callable = self.callable();
        let names = callable.iter().map(|skill| self.shown_alias(skill));
        let names: Vec<String> = names.collect();
        (!names.is_empty()).then_some(names)
    }

    /// Returns the alias of `skill` as the model sees it.
    pub(crate) fn shown_alias(&self, skill: &Skill) -> String {
        visible(&self.alias(skill)).into_owned()
    }
}

/// Returns the names by which `skill` is allowed; its alias is one of them.
fn names_of(skill: &Skill) -> impl Iterator<Item = Cow<'_, str>> {
    let qualified = skill.source().qualify(&skill.name);
    [Cow::Borrowed(skill.name.as_str()), Cow::Owned(qualified)].into_iter()
}

/// Returns `text`, cut to `length` characters with `…` as the last of them if
/// it has more.
///
/// What is drawn as one character is not cut in two: an emoji sequence, a flag,
/// a letter and its marks go as a whole.
#[must_use]
pub fn cut(text: &str, length: usize) -> Cow<'_, str> {
    // Bytes bound characters.
    if text.len() <= length || text.chars().nth(length).is_none() {
        return Cow::Borrowed(text);
    }
    let chars: Vec<char> = text.chars().take(length + 1).collect();
    let mut kept = length.saturating_sub(1);
    while kept > 0 && !parts(&chars, kept) {
        kept -= 1;
    }
    Cow::Owned(chars[..kept].iter().chain(['…'].iter()).collect())
}

/// Whether a text may be cut before the character at `at`, which is not the
/// first.
fn parts(chars: &[char], at: usize) -> bool {
    const JOINERS: [char; 2] = ['\u{200c}', '\u{200d}'];
    let is_flag_letter = |c: &&char| matches!(c, '\u{1f1e6}'..='\u{1f1ff}');
    let c = chars[at];
    let continues = JOINERS.contains(&c)
        || matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0020}'..='\u{e007f}')
        || unicode_normalization::char::is_combining_mark(c);
    let splits_flag =
        is_flag_letter(&&c) && chars[..at].iter().rev().take_while(is_flag_letter).count() % 2 == 1;
    !continues && !splits_flag && !JOINERS.contains(&chars[at - 1])
}

/// Writes `object` as JSON on one line with its line feed.
fn json_line(object: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    // Writing to memory does not fail, and no map here has a key that is not
    // text.
    write_json(&mut bytes, object).expect("a document of texts and numbers is JSON");
    bytes.push(b'\n');
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod test_folders;

#[cfg(test)]
mod tests {
    use super::test_folders::Folders;
    use super::*;
    use crate::env::Allowed;
    use crate::text::hidden_characters;
    use proptest::prelude::*;

    fn names(skills: &[&Skill]) -> Vec<String> {
        skills.iter().map(|skill| skill.name.clone()).collect()
    }

    #[test]
    fn callable_is_on_and_allowed_and_owner_of_the_name() {
        let mut folders = Folders::new();
        folders
            .skill("home", "a-kit", "A.", "")
            .skill("home", "b-kit", "B.", "");
        folders
            .skill("home", "c-kit", "C.", "")
            .skill("project", "c-kit", "C here.", "");
        folders.global(r#"{"on": ["a-kit", "c-kit"], "off": []}"#);

        for (allowed, callable) in [
            (Allowed::All, &["a-kit", "c-kit"][..]),
            (Allowed::parse("workspace/c-kit,b-kit"), &["c-kit"]),
            (Allowed::parse(""), &[]),
        ] {
            folders.env.allowed = allowed;
            let snapshot = folders.load();
            let found = snapshot.callable();
            assert_eq!(names(&found), callable);
            assert!(found.iter().all(|skill| skill.shadowed_by.is_none()));
        }
    }

    #[test]
    fn nothing_is_callable_while_a_scope_file_cannot_be_read() {
        let folders = Folders::new();
        folders.skill("home", "a-kit", "A.", "");
        folders.global("{").project(r#"{"on": ["a-kit"]}"#);

        let snapshot = folders.load();

        assert!(snapshot.callable().is_empty());
        assert!(snapshot.tool_definition().is_none());
    }

    #[test]
    fn what_hides_in_a_name_is_written_out() {
        for (name, shown) in [
            ("pdf", "pdf"),
            ("pd\u{200b}f", "pd\\u{200b}f"),
            ("a\nb\u{202e}", "a\\u{a}b\\u{202e}"),
            ("\u{2764}\u{fe0f}", "\u{2764}\u{fe0f}"),
        ] {
            assert_eq!(visible(name), shown);
        }
    }

    #[test]
    fn a_cut_takes_whole_drawn_characters() {
        for (text, length, kept) in [
            ("abcdef", 6, "abcdef"),
            ("abcdef", 5, "abcd…"),
            ("abcdef", 1, "…"),
            ("éééé", 3, "éé…"),
            ("ab\u{1f468}\u{200d}\u{1f469}z", 5, "ab…"),
            ("ab\u{2764}\u{fe0f}z", 4, "ab…"),
            (
                "a\u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7}z",
                5,
                "a\u{1f1e9}\u{1f1ea}…",
            ),
            ("e\u{301}\u{302}x", 3, "…"),
        ] {
            assert_eq!(cut(text, length), kept, "{text:?} {length}");
        }
    }

    #[test]
    fn json_escapes_what_hides_and_keeps_the_data() {
        let text = "a\u{202e}b\u{e0041}\u{7f}\u{2764}\u{fe0f}";

        let line = json_line(&text);

        assert_eq!(line, "\"a\\u202eb\\udb40\\udc41\\u007f\u{2764}\u{fe0f}\"\n");
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
    }

    proptest! {
        #[test]
        fn a_cut_text_is_a_beginning_of_at_most_the_length(text in any::<String>(), length in 1_usize..20) {
            let short = cut(&text, length).into_owned();
            prop_assert!(short.chars().count() <= length);
            let kept = short.strip_suffix('…').unwrap_or(&short);
            prop_assert!(text.starts_with(kept));
        }

        #[test]
        fn visible_names_hold_nothing_hidden_and_stay_different(
            a in "[a\u{200b}\u{200d}\u{fe0f}\u{1f468}\u{202e}]{0,6}",
            b in "[a\u{200b}\u{200d}\u{fe0f}\u{1f468}\u{202e}]{0,6}",
        ) {
            prop_assert!(hidden_characters(&visible(&a)).is_empty());
            prop_assert_eq!(a == b, visible(&a) == visible(&b));
        }
    }
}
