//! What a name means: which skill bears it, what it is called where names must
//! be unique, and what could have been meant by one that no skill bears.

use std::borrow::Cow;
use std::path::Path;

use super::Snapshot;
use crate::discovery::scan::Skill;
use crate::discovery::skill_file::SKILL_FILE;
use crate::name::{Source, near, split_qualified};
use crate::text::{nfc, unescaped};

/// What a name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lookup<'a> {
    /// One skill.
    Found(&'a Skill),
    /// Several sources have it; these are the qualified names.
    Ambiguous(Vec<String>),
    /// No skill bears it.
    NotFound,
}

impl Snapshot {
    /// Returns the skill that `name` means: an alias or a bare or qualified
    /// name, compared in Unicode normalisation form C.
    #[must_use]
    pub fn lookup(&self, name: &str) -> Lookup<'_> {
        match self.lookup_exact(name) {
            // What `visible` wrote out is understood as well.
            Lookup::NotFound => match unescaped(name) {
                Some(name) => self.lookup_exact(&name),
                None => Lookup::NotFound,
            },
            found => found,
        }
    }

    fn lookup_exact(&self, name: &str) -> Lookup<'_> {
        let name = nfc(name);
        let (source, bare) = split_qualified(&name);
        let mut owners = self
            .copies(bare)
            .iter()
            .filter(|skill| skill.shadowed_by.is_none());
        if let Some(source) = source {
            return owners
                .find(|skill| skill.source() == source)
                .map_or(Lookup::NotFound, Lookup::Found);
        }
        match (owners.next(), owners.next()) {
            (Some(skill), None) => Lookup::Found(skill),
            (Some(first), Some(second)) => {
                let qualified = [first, second].map(|skill| skill.source().qualify(bare));
                Lookup::Ambiguous(qualified.into())
            }
            _ => Lookup::NotFound,
        }
    }

    /// Returns every copy of a skill of this bare name, the owner first.
    #[must_use]
    pub fn copies(&self, name: &str) -> &[Skill] {
        let start = self
            .skills
            .partition_point(|skill| skill.name.as_str() < name);
        let length = self.skills[start..].partition_point(|skill| skill.name == name);
        &self.skills[start..start + length]
    }

    /// Returns the skill whose folder or SKILL.md is at `path`, shadowed or not.
    #[must_use]
    pub fn at_path(&self, path: &Path) -> Option<&Skill> {
        let path = self.found.env.absolute(path);
        let folder = if path.ends_with(SKILL_FILE) {
            path.parent()?.to_path_buf()
        } else {
            path
        };
        let mut skills = self.skills.iter();
        let by_path = skills.find(|skill| skill.folder() == Some(&folder));
        by_path.or_else(|| {
            let real = folder.canonicalize().ok()?;
            self.skills.iter().find(|skill| {
                let folder = skill.folder().map(Path::canonicalize);
                folder.is_some_and(|folder| folder.is_ok_and(|folder| folder == real))
            })
        })
    }

    /// Returns how `skill` is called where names must be unique: its bare name,
    /// or the qualified one where both sources have it.
    ///
    /// Aliases are given over all valid skills, on or off, so that a toggle
    /// never renames another entry.
    #[must_use]
    pub fn alias<'a>(&self, skill: &'a Skill) -> Cow<'a, str> {
        let has_twin = || {
            let mut copies = self.copies(&skill.name).iter();
            copies.any(|copy| copy.source() != skill.source())
        };
        if self.has_personal && has_twin() {
            Cow::Owned(skill.source().qualify(&skill.name))
        } else {
            Cow::Borrowed(&skill.name)
        }
    }

    /// Returns the name by which a decision on `skill` is written: a personal one
    /// is named with its source, because its bare name comes to mean another skill
    /// as soon as a folder holds one of that name.
    #[must_use]
    pub fn entry_name(&self, skill: &Skill) -> String {
        match skill.source() {
            Source::Personal => Source::Personal.qualify(&skill.name),
            Source::Workspace => self.alias(skill).into_owned(),
        }
    }

    /// Returns the names by which a person may have meant something else than
    /// `name`: names near it, and the names of skills whose folder bears it; of a
    /// qualified name also the skill that another source has.
    #[must_use]
    pub fn near(&self, name: &str) -> Vec<String> {
        let (source, bare) = split_qualified(name);
        // Another source may have it.
        let by_name = source.and_then(|_| match self.lookup(bare) {
            Lookup::Found(skill) => Some(skill),
            _ => None,
        });
        let by_folder = self.owners().filter(|skill| {
            skill.name != bare
                && skill
                    .folder()
                    .and_then(Path::file_name)
                    .is_some_and(|folder| nfc(&folder.to_string_lossy()) == bare)
        });
        let mut names: Vec<String> = by_name
            .into_iter()
            .chain(by_folder)
            .map(|skill| self.alias(skill).into_owned())
            .collect();
        for found in near(bare, self.owners().map(|skill| skill.name.as_str())) {
            if found != bare && !names.iter().any(|name| name == found) {
                names.push(found.to_owned());
            }
        }
        names
    }
}
