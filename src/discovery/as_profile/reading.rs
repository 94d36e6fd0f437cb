//! One candidate: opening its SKILL.md and asking the system's judge about it.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;

use super::super::broken::Broken;
use super::super::difference::Digest;
use super::super::roots::Origin;
use super::super::scan::{Kept, Skill};
use super::super::skill_file::{self, SKILL_FILE, errno_of};
use super::Found;
use super::look::{Look, OpenRoot};
use crate::diagnostic::{Diagnostic, Rule, Severity};
use crate::limits::Limits;
use crate::skill::frontmatter;
use crate::skill::profile::{Links, Outcome, PlaceCase, ProfileVerdict, Told, findings, verdict};
use crate::text;

/// A folder that may be a skill.
pub(super) struct Candidate<'a> {
    pub(super) root: &'a OpenRoot<'a>,
    /// The folder at its first path.
    pub(super) folder: &'a Path,
    /// The same folder without links.
    pub(super) real: &'a Path,
}

/// A SKILL.md that was read.
struct SkillFile {
    bytes: Vec<u8>,
    /// Bytes of the whole file, read or not.
    size: u64,
}

impl Look<'_> {
    /// Reads the SKILL.md of a folder, if it has one.
    pub(super) fn read(&self, candidate: &Candidate) -> Option<Found> {
        let folder = candidate.folder;
        let location = folder.join(SKILL_FILE);
        let links = self.places.file_links;
        let file = location.symlink_metadata().ok();
        let is_link = file.as_ref().is_some_and(fs::Metadata::is_symlink);
        if file.is_none() || is_link && links == Some(Links::Passed) {
            let words = self.places.words(PlaceCase::NoSkillFile)?;
            let warning = Diagnostic::warning(Rule::NoSkillFile, folder, words);
            return Some(Found::Broken(Broken::at(folder, warning)));
        }
        let opened = if links == Some(Links::Followed) {
            skill_file::open_following(&location)
        } else {
            skill_file::open_in(candidate.real)
        };
        let opened =
            opened.map_err(|error| (case_of(error), skill_file::refusal(error, &location)));
        let read = opened.and_then(|file| read(file.into(), &location, self.limits));
        Some(match read {
            Ok(file) => self.judge(candidate, &file),
            Err((case, ours)) => Found::Broken(self.spoken(folder, case, ours)),
        })
    }

    /// Asks the judge of the system about a SKILL.md.
    fn judge(&self, candidate: &Candidate, file: &SkillFile) -> Found {
        let folder = candidate.folder;
        let location = folder.join(SKILL_FILE);
        let own_name = text::path_text(Path::new(folder.file_name().unwrap_or_default()));
        let judged = verdict(&file.bytes, &location, &own_name, self.profile, self.limits);
        let name = judged
            .name
            .as_deref()
            .filter(|name| !name.trim().is_empty());
        let name = text::nfc(name.unwrap_or(&own_name)).into_owned();
        if judged.outcome == Outcome::Drops {
            return Found::Broken(self.dropped(folder, name, &judged));
        }
        let mut diagnostics = Vec::new();
        if !judged.told.is_empty() {
            diagnostics = findings(&file.bytes, &location, &own_name, self.profile, self.limits);
            diagnostics.retain(|found| found.severity > Severity::Note);
        }
        let (head, body) = file
            .bytes
            .split_at(frontmatter::read(&file.bytes, self.limits).body);
        let root = candidate.root.root;
        let is_inside = |project: &Path| candidate.real.starts_with(project);
        Found::Skill(Box::new(Skill {
            name,
            description: judged.description.unwrap_or_default(),
            argument_hint: None,
            kept: Kept::InFolder {
                root: Arc::clone(root),
                folder: folder.to_path_buf(),
            },
            is_in_project: self.project.is_some_and(is_inside) && root.origin != Origin::Home,
            size: file.size,
            frontmatter: Digest::of(head),
            body: Digest::of(body),
            diagnostics,
            shadowed_by: None,
        }))
    }

    /// Makes a row about a SKILL.md that the system drops.
    fn dropped(&self, folder: &Path, name: String, judged: &ProfileVerdict) -> Broken {
        let location = self.blamed(folder);
        let fatal = |told: &&Told| told.outcome == Outcome::Drops;
        let diagnostic = |told: &Told| {
            let message = match (told.text.as_str(), told.reader) {
                ("", "") => format!("{} drops the skill", self.profile.name),
                ("", reader) => format!("{reader} drops the skill"),
                (words, "") => words.to_owned(),
                (words, reader) => format!("{reader} drops the skill: {words}"),
            };
            let error = Diagnostic::error(told.rule, &location, message);
            if self.places.blames_folder {
                error
            } else {
                error.at(told.span)
            }
        };
        let diagnostics = judged.told.iter().filter(fatal).map(diagnostic).collect();
        Broken {
            location,
            name,
            diagnostics,
        }
    }

    /// Returns the path that the system names where a SKILL.md is at fault.
    fn blamed(&self, folder: &Path) -> PathBuf {
        if self.places.blames_folder {
            folder.to_path_buf()
        } else {
            folder.join(SKILL_FILE)
        }
    }

    /// Makes a row about a SKILL.md in the system's words, or in ours where it
    /// has none.
    fn spoken(&self, folder: &Path, case: PlaceCase, ours: Diagnostic) -> Broken {
        let is_unknown = case == PlaceCase::FileLeaves && self.places.file_links.is_none();
        let diagnostic = match self.places.words(case) {
            Some(words) => Diagnostic::error(ours.rule, &self.blamed(folder), words),
            None if is_unknown => {
                let message = format!(
                    "SKILL.md is a link out of the skill's folder; whether {} reads it is not known",
                    self.profile.name
                );
                Diagnostic::warning(ours.rule, &ours.path, message)
            }
            None => ours,
        };
        Broken {
            location: diagnostic.path.clone(),
            ..Broken::at(folder, diagnostic)
        }
    }
}

fn case_of(error: Errno) -> PlaceCase {
    match error {
        Errno::XDEV => PlaceCase::FileLeaves,
        Errno::NOENT | Errno::LOOP => PlaceCase::FileUnresolved,
        Errno::NXIO => PlaceCase::FileNotRegular,
        _ => PlaceCase::FileUnreadable,
    }
}

type Fault = (PlaceCase, Diagnostic);

/// Reads a SKILL.md and returns its size too; what is beyond every bound of a
/// system is not read.
fn read(file: File, location: &Path, limits: &Limits) -> Result<SkillFile, Fault> {
    let failed = |error: io::Error| {
        let ours = skill_file::unreadable(location, errno_of(&error));
        (PlaceCase::FileUnreadable, ours)
    };
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        let ours = skill_file::not_regular(location);
        return Err((PlaceCase::FileNotRegular, ours));
    }
    let most = limits.resource_bytes.max(limits.skill_bytes as u64);
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    let size = metadata.len();
    Ok(SkillFile { bytes, size })
}
