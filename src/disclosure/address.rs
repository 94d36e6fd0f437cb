//! Addresses: how a file of a skill is called where programs fetch it,
//! `skill://NAME/FILE`.
//!
//! The form is that of the Skills extension of MCP (SEP-2640). What stands at
//! an address is not asked here, nor whether the skill is on.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::discovery::scan::Skill;
use crate::discovery::skill_file::SKILL_FILE;
use crate::discovery::snapshot::{Lookup, Snapshot};

const SCHEME: &str = "skill://";

/// Everything but what a URI calls unreserved.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// What an address stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addressed<'a> {
    /// The skill.
    pub skill: &'a Skill,
    /// A path in its folder, separated by `/`; empty for the folder itself. It
    /// need not be there, and may be anything but absolute.
    pub path: String,
}

impl Snapshot {
    /// Returns the address of `path` in the folder of `skill`; of the folder
    /// itself if the path is empty.
    ///
    /// The skill is called by its alias, so that an address has one meaning:
    /// `skill://personal/review/SKILL.md` where both sources have a `review`.
    #[must_use]
    pub fn address(&self, skill: &Skill, path: &str) -> String {
        let alias = self.alias(skill);
        let parts = alias.split('/').chain(path.split('/'));
        let encoded = parts
            .filter(|part| !part.is_empty())
            .map(|part| utf8_percent_encode(part, ENCODED).to_string());
        format!("{SCHEME}{}", encoded.collect::<Vec<_>>().join("/"))
    }

    /// Returns the address of the SKILL.md of `skill`, by which the extension
    /// knows it.
    #[must_use]
    pub fn skill_address(&self, skill: &Skill) -> String {
        self.address(skill, SKILL_FILE)
    }

    /// Returns what `address` stands for; nothing if it has another form or no
    /// skill bears the alias in it.
    #[must_use]
    pub fn at_address(&self, address: &str) -> Option<Addressed<'_>> {
        let path = address.strip_prefix(SCHEME)?;
        if path.contains(['?', '#']) {
            return None;
        }
        let parts: Vec<String> = path.split('/').map(decoded).collect::<Option<_>>()?;
        // A qualified alias has two parts, and comes first.
        [2, 1].into_iter().find_map(|length| {
            let alias = parts.get(..length)?.join("/");
            let Lookup::Found(skill) = self.lookup(&alias) else {
                return None;
            };
            (self.alias(skill) == alias).then(|| Addressed {
                skill,
                path: parts[length..].join("/"),
            })
        })
    }
}

/// Returns what an encoded part of a path says; nothing if it is empty, is not
/// UTF-8, or hides a separator.
fn decoded(part: &str) -> Option<String> {
    let text = percent_decode_str(part).decode_utf8().ok()?;
    (!text.is_empty() && !text.contains('/')).then(|| text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::super::test_folders::Folders;
    use proptest::prelude::*;

    #[test]
    fn an_address_holds_nothing_but_plain_characters() {
        let folders = Folders::new();
        folders
            .skill("home", "pdf-kit", "Reads.", "")
            .skill("home", "two words", "Odd.", "")
            .skill("home", "caf\u{e9}?#%", "Odd.", "");
        let snapshot = folders.load();

        let addresses: Vec<String> = snapshot
            .owners()
            .map(|skill| snapshot.address(skill, "references/a b.md"))
            .collect();

        assert_eq!(
            addresses,
            [
                "skill://caf%C3%A9%3F%23%25/references/a%20b.md",
                "skill://pdf-kit/references/a%20b.md",
                "skill://two%20words/references/a%20b.md",
            ]
        );
        for (skill, address) in snapshot.owners().zip(&addresses) {
            let found = snapshot.at_address(address).unwrap();
            assert_eq!(
                (found.skill, found.path.as_str()),
                (skill, "references/a b.md")
            );
        }
    }

    #[test]
    fn what_has_another_form_is_no_address() {
        let folders = Folders::new();
        folders.skill("home", "pdf-kit", "Reads.", "");
        let snapshot = folders.load();
        let at = |address| snapshot.at_address(address).map(|found| found.path);

        for (address, path) in [
            ("skill://pdf-kit", Some("")),
            ("skill://pdf-kit/SKILL.md", Some("SKILL.md")),
            ("skill://pdf%2Dkit/a/b", Some("a/b")),
            ("skill://pdf-kit/../x", Some("../x")),
            ("skill://workspace/pdf-kit/SKILL.md", None),
            ("skill://pdf-kit/", None),
            ("skill://pdf-kit//SKILL.md", None),
            ("skill://pdf-kit/a%2Fb", None),
            ("skill://pdf-kit/%ff", None),
            ("skill://pdf-kit/SKILL.md?x", None),
            ("skill://pdf-kit/SKILL.md#x", None),
            ("skill://none/SKILL.md", None),
            ("skill://", None),
            ("SKILL://pdf-kit/SKILL.md", None),
            ("file:///pdf-kit/SKILL.md", None),
            ("pdf-kit/SKILL.md", None),
            ("", None),
        ] {
            assert_eq!(at(address), path.map(str::to_owned), "{address}");
        }
    }

    proptest! {
        #[test]
        fn every_path_is_read_back(parts in prop::collection::vec("[^/\0]{1,5}", 0..4)) {
            let folders = Folders::new();
            folders.skill("home", "pdf-kit", "Reads.", "");
            let snapshot = folders.load();
            let skill = snapshot.owners().next().unwrap();
            let path = parts.join("/");

            let address = snapshot.address(skill, &path);

            prop_assert!(address.is_ascii());
            prop_assert_eq!(snapshot.at_address(&address).unwrap().path, path);
        }
    }
}
