//! The files that a skill bundles, read under the rules of its root.
//!
//! A snapshot is held for a while, and a folder can become a link meanwhile:
//! where the skill really lies is asked again at each reading.

use std::collections::HashMap;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::broken::Broken;
use super::personal;
use super::scan::{Kept, RootOutcome, Skill};
use super::skill_file::{self, SKILL_FILE};
use super::snapshot::Snapshot;
use crate::diagnostic::{Diagnostic, Rule, Span};
use crate::name::Source;
use crate::personal::for_model;
use crate::skill::resources::{self, Listing, Page, ReadError, Window};
use crate::text::{system_words, unescaped};

/// Why a bundled file was not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResourceError {
    /// The skill's folder cannot be read, or is a link now that is not followed.
    #[error("{0}")]
    Folder(Box<Diagnostic>),
    /// The skill is a personal one, and it is not its SKILL.md.
    #[error("resource does not exist: a personal skill has no files")]
    NoFiles,
    /// The file is not there, or may not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl ResourceError {
    /// Returns the stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Folder(_) => "skill_read_error",
            Self::NoFiles => "resource_not_found",
            Self::Read(error) => error.code(),
        }
    }
}

/// Whose folder a file lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder<'a> {
    /// That of a skill, in any state, shadowed or not.
    Skill(&'a Skill),
    /// That of a SKILL.md that does not load.
    Broken(&'a Broken),
}

/// Returns what is the same for every path to a folder, links or not.
fn identity(folder: &Path) -> io::Result<(u64, u64)> {
    let found = folder.metadata()?;
    Ok((found.dev(), found.ino()))
}

impl Snapshot {
    /// Returns whose folder the file at `real`, a real path, lies in, and that
    /// real folder: the innermost, if several hold it.
    ///
    /// A skill's folder that is the starting folder, or holds it, is nobody's:
    /// whoever works inside a skill works on all of it.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be told: then the file may lie in any of them.
    pub fn holder_of(&self, real: &Path) -> io::Result<Option<(PathBuf, Holder<'_>)>> {
        let start = self.env().start.canonicalize()?;
        let around = real.ancestors().skip(1);
        let around = around.filter(|folder| !start.starts_with(folder));
        let around: HashMap<_, _> = around
            .map(|folder| Ok((identity(folder)?, folder)))
            .collect::<io::Result<_>>()?;
        let skills = self
            .skills()
            .iter()
            .filter_map(|skill| Some((skill.folder()?, Holder::Skill(skill))));
        let broken = self.broken().iter().filter(|broken| broken.is_skill_file());
        let broken =
            broken.filter_map(|broken| Some((broken.location.parent()?, Holder::Broken(broken))));
        // A skill's folder that is gone is none of those around the file.
        let innermost = skills
            .chain(broken)
            .filter_map(|(folder, holder)| Some((*around.get(&identity(folder).ok()?)?, holder)))
            .max_by_key(|(folder, _)| folder.components().count());
        Ok(innermost.map(|(folder, holder)| (folder.to_path_buf(), holder)))
    }

    /// Reads the SKILL.md of `skill` as it is now, from its folder or its store.
    ///
    /// # Errors
    ///
    /// Returns why it can no longer be read: gone, over its bound, a link out of
    /// the skill, a folder that became a link which is not followed, or a store
    /// that gives no answer.
    pub fn read_skill(&self, skill: &Skill) -> Result<Vec<u8>, Box<Diagnostic>> {
        if skill.source() == Source::Personal {
            return personal::read(&self.personal, skill);
        }
        let location = skill.place();
        let real = self.real_folder(skill)?;
        let mut bytes = Vec::new();
        skill_file::open_in(&real)
            .map_err(|error| skill_file::refusal(error, &location))
            .and_then(|file| skill_file::fill(&file, &location, &self.env().limits, &mut bytes))?;
        Ok(bytes)
    }

    /// Reads the SKILL.md of `skill` as a model may have it: a personal one is
    /// without HTML comments.
    ///
    /// # Errors
    ///
    /// Those of [`read_skill`](Self::read_skill).
    pub fn read_skill_for_model(&self, skill: &Skill) -> Result<Vec<u8>, Box<Diagnostic>> {
        let bytes = self.read_skill(skill)?;
        Ok(match skill.source() {
            Source::Personal => for_model(&bytes, &self.env().limits),
            Source::Workspace => bytes,
        })
    }

    /// Lists the files that `skill` bundles, SKILL.md and hidden ones included.
    /// Nothing is opened; a personal skill has none.
    ///
    /// # Errors
    ///
    /// Returns why the skill's folder may not be looked into.
    pub fn resources(&self, skill: &Skill) -> Result<Listing, Box<Diagnostic>> {
        self.listed(skill, resources::list)
    }

    /// Lists the files that the model is told of: neither SKILL.md nor hidden
    /// ones.
    ///
    /// # Errors
    ///
    /// Those of [`resources`](Self::resources).
    pub fn resource_names(&self, skill: &Skill) -> Result<Listing, Box<Diagnostic>> {
        self.listed(skill, resources::names)
    }

    /// Reads a page of a bundled file, byte for byte. Of a personal skill there
    /// is only its SKILL.md.
    ///
    /// A name with hidden characters may also be given as it is shown, written
    /// out by [`visible`](crate::text::visible).
    ///
    /// # Errors
    ///
    /// Returns why the folder or the file may not be read.
    pub fn read_resource(
        &self,
        skill: &Skill,
        resource: &str,
        window: Window,
    ) -> Result<Page, ResourceError> {
        if skill.source() == Source::Personal && resources::plain(resource) == SKILL_FILE {
            return self.page_of(skill, self.read_skill(skill), window);
        }
        let folder = self.real_folder(skill).map_err(ResourceError::Folder)?;
        let read = |name: &str| resources::read_bundled(&folder, name, window, &self.env().limits);
        match read(resource) {
            Err(missing @ ReadError::Missing(..)) => {
                let shown = unescaped(resource).and_then(|name| read(&name).ok());
                shown.ok_or_else(|| missing.into())
            }
            read => Ok(read?),
        }
    }

    /// Reads a page of a bundled file as a model may have it: see
    /// [`read_skill_for_model`](Self::read_skill_for_model).
    ///
    /// # Errors
    ///
    /// Those of [`read_resource`](Self::read_resource).
    pub fn read_resource_for_model(
        &self,
        skill: &Skill,
        resource: &str,
        window: Window,
    ) -> Result<Page, ResourceError> {
        if skill.source() == Source::Personal {
            if resources::plain(resource) != SKILL_FILE {
                return Err(ResourceError::NoFiles);
            }
            return self.page_of(skill, self.read_skill_for_model(skill), window);
        }
        self.read_resource(skill, resource, window)
    }

    /// Returns a page of a text that lies in no file.
    fn page_of(
        &self,
        skill: &Skill,
        text: Result<Vec<u8>, Box<Diagnostic>>,
        window: Window,
    ) -> Result<Page, ResourceError> {
        let bytes = text.map_err(ResourceError::Folder)?;
        let (place, limits) = (skill.place(), &self.env().limits);
        Ok(resources::page(&place, &bytes, window, limits)?)
    }

    fn listed(
        &self,
        skill: &Skill,
        list: impl Fn(&Path, &crate::Limits) -> Listing,
    ) -> Result<Listing, Box<Diagnostic>> {
        match skill.source() {
            Source::Personal => Ok(Listing::default()),
            Source::Workspace => Ok(list(&self.real_folder(skill)?, &self.env().limits)),
        }
    }

    /// Returns the real folder of `skill`, which may have become a link since
    /// the snapshot was taken.
    pub(crate) fn real_folder(&self, skill: &Skill) -> Result<PathBuf, Box<Diagnostic>> {
        let Kept::InFolder { root, folder } = &skill.kept else {
            let message = "a personal skill has no folder, and no files beside its text";
            let refusal = Diagnostic::error(Rule::NotAFile, &skill.place(), message)
                .at(Span::NONE)
                .with_help(format!(
                    "`codeaf-skills read {}` prints its text",
                    skill.place().display()
                ));
            return Err(Box::new(refusal));
        };
        let real = folder.canonicalize().map_err(|error| {
            let message = format!("the folder cannot be read: {}", system_words(&error));
            Box::new(Diagnostic::error(Rule::Unreadable, folder, message))
        })?;
        let is_in = |folder: &Path| {
            folder
                .canonicalize()
                .is_ok_and(|folder| real.starts_with(folder))
        };
        let Some(boundary) = &root.boundary else {
            return Ok(real);
        };
        let listed = |looked_at: &&super::scan::LookedAt| looked_at.outcome == RootOutcome::Listed;
        let mut known = self
            .roots()
            .iter()
            .filter(listed)
            .map(|known| &known.root.path);
        if is_in(boundary) || known.any(|path| is_in(path)) {
            return Ok(real);
        }
        let message = format!("is a link to {} now, and is not followed", real.display());
        Err(Box::new(Diagnostic::error(
            Rule::LinkLeaves,
            folder,
            message,
        )))
    }
}
