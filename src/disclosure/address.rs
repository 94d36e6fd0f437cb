//! Addresses: how a file of a skill is called where programs fetch it,
//! `skill://NAME/FILE`.
//!
//! The form is that of the Skills extension of MCP (SEP-2640). What stands at
//! an address is not asked here, nor whether the skill is on.

use std::fmt;

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

/// Why an address stands for nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressError {
    /// It is none.
    Malformed(AddressFault),
    /// It is one, and no skill bears the alias in it.
    Unknown,
}

impl From<AddressFault> for AddressError {
    fn from(fault: AddressFault) -> Self {
        Self::Malformed(fault)
    }
}

/// What keeps a text from being an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressFault {
    /// It is that of something else.
    Scheme,
    /// It has a query or a fragment.
    Behind(char),
    /// It names no skill, or two slashes meet, or it ends with one.
    EmptyPart,
    /// A `%` begins no code.
    Code,
    /// A part is not UTF-8.
    NotUtf8,
    /// A part has a slash in it.
    Slash,
}

impl fmt::Display for AddressFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scheme => write!(f, "does not begin with {SCHEME}"),
            Self::Behind(mark) => {
                let code = u32::from(*mark);
                write!(f, "has a `{mark}`, which is written %{code:02X} in the name of a file")
            }
            Self::EmptyPart => f.write_str(
                "has an empty part: write skill://NAME for the folder, skill://NAME/FILE for a file",
            ),
            Self::Code => f.write_str(
                "has a `%` without two hexadecimal digits behind it; a `%` itself is written %25",
            ),
            Self::NotUtf8 => f.write_str("is not UTF-8 once its %-codes are read"),
            Self::Slash => f.write_str("hides a `/` in a %-code, and no name has one"),
        }
    }
}

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

    /// Returns what `address` stands for.
    ///
    /// # Errors
    ///
    /// Returns what keeps it from being an address, or that no skill bears the
    /// alias in it.
    pub fn at_address(&self, address: &str) -> Result<Addressed<'_>, AddressError> {
        let path = address.strip_prefix(SCHEME).ok_or(AddressFault::Scheme)?;
        if let Some(mark) = path.chars().find(|mark| matches!(mark, '?' | '#')) {
            return Err(AddressFault::Behind(mark).into());
        }
        let parts = path.split('/').map(decoded);
        let parts = parts.collect::<Result<Vec<String>, _>>()?;
        // A qualified alias has two parts, and comes first.
        let found = [2, 1].into_iter().find_map(|length| {
            let alias = parts.get(..length)?.join("/");
            let Lookup::Found(skill) = self.lookup(&alias) else {
                return None;
            };
            (self.alias(skill) == alias).then(|| Addressed {
                skill,
                path: parts[length..].join("/"),
            })
        });
        found.ok_or(AddressError::Unknown)
    }
}

/// Returns what an encoded part of a path says.
fn decoded(part: &str) -> Result<String, AddressFault> {
    let is_code = |behind: &str| {
        let digits = behind.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    if !part.split('%').skip(1).all(is_code) {
        return Err(AddressFault::Code);
    }
    let text = percent_decode_str(part).decode_utf8();
    match text.map_err(|_| AddressFault::NotUtf8)? {
        text if text.is_empty() => Err(AddressFault::EmptyPart),
        text if text.contains('/') => Err(AddressFault::Slash),
        text => Ok(text.into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_folders::Folders;
    use super::*;
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
        let fault = |fault: AddressFault| Err(AddressError::Malformed(fault));

        for (address, path) in [
            ("skill://pdf-kit", Ok("")),
            ("skill://pdf-kit/SKILL.md", Ok("SKILL.md")),
            ("skill://pdf%2Dkit/a/b", Ok("a/b")),
            ("skill://pdf-kit/../x", Ok("../x")),
            (
                "skill://workspace/pdf-kit/SKILL.md",
                Err(AddressError::Unknown),
            ),
            ("skill://none/SKILL.md", Err(AddressError::Unknown)),
            ("skill://pdf-kit/", fault(AddressFault::EmptyPart)),
            ("skill://pdf-kit/sub/", fault(AddressFault::EmptyPart)),
            ("skill://pdf-kit//SKILL.md", fault(AddressFault::EmptyPart)),
            ("skill://", fault(AddressFault::EmptyPart)),
            ("skill://pdf-kit/a%2Fb", fault(AddressFault::Slash)),
            ("skill://pdf-kit/%ff", fault(AddressFault::NotUtf8)),
            ("skill://pdf-kit/%zz", fault(AddressFault::Code)),
            ("skill://pdf-kit/a%2", fault(AddressFault::Code)),
            ("skill://pdf-kit/a%%41", fault(AddressFault::Code)),
            (
                "skill://pdf-kit/SKILL.md?x=1#y",
                fault(AddressFault::Behind('?')),
            ),
            (
                "skill://pdf-kit/SKILL.md#x",
                fault(AddressFault::Behind('#')),
            ),
            ("SKILL://pdf-kit/SKILL.md", fault(AddressFault::Scheme)),
            ("file:///pdf-kit/SKILL.md", fault(AddressFault::Scheme)),
            ("pdf-kit/SKILL.md", fault(AddressFault::Scheme)),
            ("", fault(AddressFault::Scheme)),
        ] {
            assert_eq!(at(address), path.map(str::to_owned), "{address}");
        }
    }

    #[test]
    fn what_is_no_address_is_told_why() {
        for (fault, words) in [
            (AddressFault::Scheme, "does not begin with skill://"),
            (
                AddressFault::Behind('?'),
                "has a `?`, which is written %3F in the name of a file",
            ),
            (
                AddressFault::EmptyPart,
                "has an empty part: write skill://NAME for the folder, skill://NAME/FILE for a file",
            ),
            (
                AddressFault::Code,
                "has a `%` without two hexadecimal digits behind it; a `%` itself is written %25",
            ),
            (
                AddressFault::NotUtf8,
                "is not UTF-8 once its %-codes are read",
            ),
            (
                AddressFault::Slash,
                "hides a `/` in a %-code, and no name has one",
            ),
        ] {
            assert_eq!(fault.to_string(), words);
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
