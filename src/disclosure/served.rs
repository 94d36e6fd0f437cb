//! A skill's files as other programs fetch them: what the Skills extension of
//! MCP (SEP-2640) tells of a skill, its folders, and the bytes of a file.
//!
//! Only callable skills are served. Fetching a file activates nothing. This
//! file does not know the protocol that carries the answers.

use serde::Serialize;
use serde_json::{Map, Value};

use super::address::{AddressError, AddressFault, Addressed};
use super::error::ActivationError;
use crate::diagnostic::{Diagnostic, Rule, Severity};
use crate::discovery::bundled::ResourceError;
use crate::discovery::scan::Skill;
use crate::discovery::skill_file::SKILL_FILE;
use crate::discovery::snapshot::Snapshot;
use crate::name::{Source, is_spec_name};
use crate::skill::frontmatter;
use crate::skill::resources::{
    self, Carried, Hashed, ReadError, Sha256, Stamp, Tree, media_type, sha256_of,
};
use crate::text::{counted, nfc, one_line, size, visible};

/// Files of a skill that a host of the extension need not exceed (SEP-2640).
const HOST_FILES: usize = 512;
/// Bytes of a skill that a host of the extension need not exceed (SEP-2640).
const HOST_BYTES: u64 = 16 * 1024 * 1024;
/// The media type by which the extension knows a folder.
const FOLDER: &str = "inode/directory";

/// A skill as the extension lists it. Serialises to its entry there.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SkillEntry {
    /// The address of the SKILL.md.
    pub uri: String,
    /// Every field that the author wrote.
    pub frontmatter: Map<String, Value>,
    /// Every file of the skill, SKILL.md included, in byte order of the paths.
    pub resources: Vec<EntryFile>,
    /// What is left out, and what hosts may make of the skill: it is larger than
    /// they need take.
    #[serde(skip)]
    pub warnings: Vec<Diagnostic>,
}

/// A file of a [`SkillEntry`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EntryFile {
    /// Its address.
    pub uri: String,
    /// The digest of its bytes.
    #[serde(serialize_with = "digest_text")]
    pub digest: Sha256,
    /// Its bytes.
    pub size: u64,
    /// Its stamp when it was hashed; none for a SKILL.md.
    #[serde(skip)]
    pub stamp: Option<Stamp>,
}

fn digest_text<S: serde::Serializer>(digest: &Sha256, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(digest)
}

/// A file or a folder of a skill. Serialises to a resource of MCP.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Served {
    /// Its address.
    pub uri: String,
    /// The skill's name for a SKILL.md, else the path in the skill's folder; what
    /// hides in it is written out.
    pub name: String,
    /// The skill's description on one line, for a SKILL.md.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its media type, if its name tells one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<&'static str>,
    /// Its bytes; none for a folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// By which it is seen that its bytes may be others; none for a SKILL.md,
    /// whose content a [`Skill`] has the digests of, and none for a folder.
    #[serde(skip)]
    pub stamp: Option<Stamp>,
}

/// The bytes at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedFile {
    /// The media type, by name, else by content.
    pub mime_type: &'static str,
    /// The bytes.
    pub content: Carried,
}

/// Why nothing is served at an address.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServedError {
    /// What was asked for is no address of a file of a skill.
    #[error("the address `{}` {fault}", visible(uri))]
    NoAddress {
        /// What was asked for.
        uri: String,
        /// What is wrong with it.
        fault: AddressFault,
    },
    /// No skill bears the name in the address.
    #[error("no skill is at {}", visible(uri))]
    Unknown {
        /// The address that was asked for.
        uri: String,
    },
    /// The address is that of the skill's folder, and a file is asked for.
    #[error(
        "{} is the folder of a skill: add the path of a file, as in {}/SKILL.md",
        visible(uri),
        visible(uri)
    )]
    NotAFile {
        /// The address that was asked for.
        uri: String,
    },
    /// The skill is not callable.
    #[error(transparent)]
    NotCallable(#[from] ActivationError),
    /// The address is that of something else than a SKILL.md.
    #[error("{} is not the SKILL.md of a skill", visible(uri))]
    NotASkill {
        /// The address that was asked for.
        uri: String,
    },
    /// The extension cannot carry the skill, or its folder cannot be read.
    #[error("{}", one_line(&found.to_string()))]
    NotCarried {
        /// Where and why.
        found: Box<Diagnostic>,
    },
    /// The address is not that of a folder.
    #[error("{} is not a folder of a skill", visible(uri))]
    NotAFolder {
        /// The address that was asked for.
        uri: String,
    },
    /// The file is not there, or may not be read.
    #[error("cannot read {}: {source}", visible(uri))]
    NotRead {
        /// The address that was asked for.
        uri: String,
        /// Why not.
        source: ResourceError,
    },
}

impl Served {
    /// Returns whether it is a folder.
    #[must_use]
    pub fn is_folder(&self) -> bool {
        self.mime_type == Some(FOLDER)
    }
}

impl ServedError {
    /// Returns the stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoAddress { .. } => "invalid_address",
            Self::Unknown { .. } => "skill_not_found",
            Self::NotAFile { .. } => "not_a_file",
            Self::NotCallable(error) => error.code(),
            Self::NotASkill { .. } => "not_a_skill",
            Self::NotCarried { .. } => "skill_not_carried",
            Self::NotAFolder { .. } => "not_a_folder",
            Self::NotRead { source, .. } => source.code(),
        }
    }
}

impl Snapshot {
    /// Returns the files of every callable skill, by skill, then by path.
    ///
    /// A skill whose folder cannot be read has none; why is returned beside.
    #[must_use]
    pub fn served(&self) -> (Vec<Served>, Vec<Diagnostic>) {
        let mut served = Vec::new();
        let mut faults = Vec::new();
        for skill in self.callable() {
            match self.tree(skill) {
                Ok(tree) => served.extend(
                    tree.files
                        .iter()
                        .map(|(path, stamp)| self.file(skill, path, stamp)),
                ),
                Err(found) => faults.push(*found),
            }
        }
        (served, faults)
    }

    /// Returns the extension's entry of the skill whose SKILL.md is at `uri`.
    ///
    /// # Errors
    ///
    /// Returns why none is served there.
    pub fn entry_at(&self, uri: &str) -> Result<SkillEntry, ServedError> {
        let found = self.callable_at(uri)?;
        if found.path != SKILL_FILE {
            let uri = uri.to_owned();
            if found.path.is_empty() {
                return Err(ServedError::NotAFile { uri });
            }
            return Err(ServedError::NotASkill { uri });
        }
        self.entry(found.skill)
            .map_err(|found| ServedError::NotCarried { found })
    }

    /// Returns the extension's entry of `skill`, read now.
    ///
    /// # Errors
    ///
    /// Returns why the extension cannot carry the skill: its frontmatter has no
    /// name by the specification or no text as description, or the folder cannot
    /// be read as a whole, or holds more than [`tree_bytes`](crate::Limits::tree_bytes).
    pub fn entry(&self, skill: &Skill) -> Result<SkillEntry, Box<Diagnostic>> {
        let bytes = self.read_skill_for_model(skill)?;
        let facts = frontmatter::read(&bytes, &self.env().limits);
        let frontmatter = facts.to_json();
        let refused =
            |rule, message| Err(Box::new(Diagnostic::warning(rule, &skill.place(), message)));
        let name = frontmatter.get("name").and_then(Value::as_str);
        if !name.is_some_and(|name| is_spec_name(name) && nfc(name) == skill.name) {
            let message = "not in the list of skills: its name is not one by the specification";
            return refused(Rule::NameInvalid, message);
        }
        if !frontmatter.get("description").is_some_and(Value::is_string) {
            let message = "not in the list of skills: its description is not text";
            return refused(Rule::DescriptionMissing, message);
        }
        let (resources, mut warnings) = self.hashed(skill, &bytes)?;
        warnings.extend(too_large(skill, &resources));
        Ok(SkillEntry {
            uri: self.skill_address(skill),
            warnings,
            frontmatter,
            resources,
        })
    }

    /// Returns what lies directly in the folder at `uri`: files, then folders,
    /// each in byte order.
    ///
    /// # Errors
    ///
    /// Returns why there is no such folder.
    pub fn folder_at(&self, uri: &str) -> Result<Vec<Served>, ServedError> {
        let Addressed { skill, path } = self.callable_at(uri)?;
        let tree = self
            .tree(skill)
            .map_err(|found| ServedError::NotCarried { found })?;
        if !path.is_empty() && !tree.folders.contains(&path) {
            return Err(self.no_folder(skill, &path, uri.to_owned()));
        }
        let is_child = |other: &str| {
            let parent = other.rsplit_once('/').map_or("", |(parent, _)| parent);
            parent == path
        };
        let files = tree.files.iter().filter(|(file, _)| is_child(file));
        let folders = tree.folders.iter().filter(|folder| is_child(folder));
        Ok(files
            .map(|(file, stamp)| self.file(skill, file, stamp))
            .chain(folders.map(|folder| self.folder(skill, folder)))
            .collect())
    }

    /// Returns why no folder is served at `path`: what a file there is refused
    /// for, too, or that it is one.
    fn no_folder(&self, skill: &Skill, path: &str, uri: String) -> ServedError {
        if skill.source() == Source::Personal && resources::plain(path) != SKILL_FILE {
            let source = ResourceError::NoFiles;
            return ServedError::NotRead { uri, source };
        }
        let looked = self.real_folder(skill).map_err(ResourceError::Folder);
        match looked.and_then(|folder| Ok(resources::look(&folder, path)?)) {
            Ok(()) | Err(ResourceError::Read(ReadError::NotAFile(_))) => {
                ServedError::NotAFolder { uri }
            }
            Err(source) => ServedError::NotRead { uri, source },
        }
    }

    /// Hashes the bundled file at `uri`, as it is listed by
    /// [`served`](Self::served) with a stamp; nothing if it is not there any
    /// more, or is more than is hashed.
    #[must_use]
    pub fn hashed_at(&self, uri: &str) -> Option<Hashed> {
        let Addressed { skill, path } = self.at_address(uri).ok()?;
        let folder = self.real_folder(skill).ok()?;
        resources::sha256(&folder, &path, self.env().limits.tree_bytes).ok()
    }

    /// Returns the bytes of the file at `uri`.
    ///
    /// # Errors
    ///
    /// Returns why nothing is served there.
    pub fn file_at(&self, uri: &str) -> Result<ServedFile, ServedError> {
        let Addressed { skill, path } = self.callable_at(uri)?;
        if path.is_empty() {
            let uri = uri.to_owned();
            return Err(ServedError::NotAFile { uri });
        }
        let bytes = self
            .whole(skill, &path)
            .map_err(|source| ServedError::NotRead {
                uri: uri.to_owned(),
                source,
            })?;
        let content = Carried::new(bytes);
        Ok(ServedFile {
            mime_type: media_type(&path).unwrap_or_else(|| content.media_type()),
            content,
        })
    }

    fn callable_at(&self, uri: &str) -> Result<Addressed<'_>, ServedError> {
        let found = self.at_address(uri).map_err(|error| {
            let uri = uri.to_owned();
            match error {
                AddressError::Malformed(fault) => ServedError::NoAddress { uri, fault },
                AddressError::Unknown => ServedError::Unknown { uri },
            }
        })?;
        self.require_readable()?;
        self.require_on(found.skill)?;
        Ok(found)
    }

    fn file(&self, skill: &Skill, path: &str, stamp: &Stamp) -> Served {
        let is_skill_file = path == SKILL_FILE;
        let name = if is_skill_file { &skill.name } else { path };
        Served {
            uri: self.address(skill, path),
            name: visible(name).into_owned(),
            description: is_skill_file.then(|| one_line(&skill.description).into_owned()),
            mime_type: media_type(path),
            // What is served of a personal skill is shorter than what is stored.
            size: (skill.source() == Source::Workspace).then_some(stamp.size),
            stamp: (!is_skill_file).then_some(*stamp),
        }
    }

    fn folder(&self, skill: &Skill, path: &str) -> Served {
        Served {
            uri: self.address(skill, path),
            name: visible(path).into_owned(),
            description: None,
            mime_type: Some(FOLDER),
            size: None,
            stamp: None,
        }
    }

    /// Returns the files and folders of `skill`; a personal one is its SKILL.md.
    fn tree(&self, skill: &Skill) -> Result<Tree, Box<Diagnostic>> {
        match skill.source() {
            Source::Personal => Ok(Tree {
                files: vec![(SKILL_FILE.to_owned(), Stamp::of_size(skill.size))],
                is_whole: true,
                ..Tree::default()
            }),
            Source::Workspace => Ok(resources::tree(
                &self.real_folder(skill)?,
                &self.env().limits,
            )),
        }
    }

    /// Reads the whole file at `path` in the folder of `skill`.
    fn whole(&self, skill: &Skill, path: &str) -> Result<Vec<u8>, ResourceError> {
        if resources::plain(path) == SKILL_FILE {
            return self
                .read_skill_for_model(skill)
                .map_err(ResourceError::Folder);
        }
        if skill.source() == Source::Personal {
            return Err(ResourceError::NoFiles);
        }
        let folder = self.real_folder(skill).map_err(ResourceError::Folder)?;
        Ok(resources::read_whole(&folder, path, &self.env().limits)?)
    }

    /// Returns every file with its digest, and what is left out; `skill_file` is
    /// the SKILL.md as it was read for the entry.
    fn hashed(
        &self,
        skill: &Skill,
        skill_file: &[u8],
    ) -> Result<(Vec<EntryFile>, Vec<Diagnostic>), Box<Diagnostic>> {
        let tree = self.tree(skill)?;
        let most = self.env().limits.tree_bytes;
        let refused = |why: String| {
            let message = format!("not in the list of skills: {why}");
            let found = Diagnostic::warning(Rule::ResourcesBound, &skill.place(), message);
            Err(Box::new(found))
        };
        if let Some(why) = incomplete(&tree, most) {
            return refused(why);
        }
        let mut room = most;
        let mut files = Vec::with_capacity(tree.files.len());
        for (path, _) in tree.files {
            let (digest, size, stamp) = if path == SKILL_FILE {
                (sha256_of(skill_file), skill_file.len() as u64, None)
            } else {
                let folder = self.real_folder(skill)?;
                match resources::sha256(&folder, &path, room) {
                    Ok(hashed) => (hashed.digest, hashed.size, Some(hashed.stamp)),
                    Err(error) => {
                        return refused(format!("{}: {error}", visible(&path)));
                    }
                }
            };
            room = room.saturating_sub(size);
            files.push(EntryFile {
                uri: self.address(skill, &path),
                digest,
                size,
                stamp,
            });
        }
        // That `.git` is not entered is the rule and no news.
        let is_news = |found: &Diagnostic| found.severity != Severity::Note;
        let left_out = tree.diagnostics.into_iter().filter(is_news).collect();
        Ok((files, left_out))
    }
}

/// Returns why not every file of `tree` can be told with its digest, where more
/// than `most` bytes are not hashed.
fn incomplete(tree: &Tree, most: u64) -> Option<String> {
    if !tree.is_whole {
        return Some("its folder holds too much".to_owned());
    }
    if !tree.files.iter().any(|(path, _)| path == SKILL_FILE) {
        return Some("its SKILL.md is gone".to_owned());
    }
    let sizes = tree.files.iter().map(|(_, stamp)| stamp.size);
    let bytes = sizes.fold(0, u64::saturating_add);
    (bytes > most).then(|| {
        let (all, most) = (size(bytes), size(most));
        format!("{all} in all files, and more than {most} are not hashed")
    })
}

fn too_large(skill: &Skill, files: &[EntryFile]) -> Vec<Diagnostic> {
    let bytes: u64 = files.iter().map(|file| file.size).sum();
    let warns = |rule, message| Diagnostic::warning(rule, &skill.place(), message);
    let many = (files.len() > HOST_FILES).then(|| {
        let count = counted(files.len(), "file");
        let message = format!("{count}; an agent need not take a skill of more than {HOST_FILES}");
        warns(Rule::ResourcesBound, message)
    });
    let large = (bytes > HOST_BYTES).then(|| {
        let (all, most) = (size(bytes), size(HOST_BYTES));
        let message =
            format!("{all} in all files; an agent need not take a skill of more than {most}");
        warns(Rule::ResourceTooLarge, message)
    });
    many.into_iter().chain(large).collect()
}

#[cfg(test)]
mod tests {
    use super::super::test_folders::Folders;
    use super::*;
    use crate::personal::test_store::Store;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn two_kits() -> Folders {
        let folders = Folders::new();
        folders
            .skill("home", "map-kit", "Makes\n maps.", "Do it.")
            .skill("home", "off-kit", "Is off.", "");
        for (path, text) in [
            ("scripts/run.sh", "true"),
            ("references/deep/a.md", "A"),
            (".hidden", "x"),
            (".git/config", "x"),
        ] {
            folders.write(&format!("home/.agents/skills/map-kit/{path}"), text);
        }
        fs::create_dir(folders.folder("home", "map-kit").join("empty")).unwrap();
        folders.global(r#"{"on": ["map-kit"]}"#);
        folders
    }

    fn uris(served: &[Served]) -> Vec<&str> {
        served.iter().map(|served| served.uri.as_str()).collect()
    }

    #[test]
    fn the_files_of_callable_skills_are_served() {
        let folders = two_kits();

        let (served, faults) = folders.load().served();

        assert_eq!(faults, []);
        assert_eq!(
            uris(&served),
            [
                "skill://map-kit/.hidden",
                "skill://map-kit/SKILL.md",
                "skill://map-kit/references/deep/a.md",
                "skill://map-kit/scripts/run.sh",
            ]
        );
        assert_eq!(
            serde_json::to_value(&served[1]).unwrap(),
            serde_json::json!({
                "uri": "skill://map-kit/SKILL.md",
                "name": "map-kit",
                "description": "Makes maps.",
                "mimeType": "text/markdown",
                "size": 59,
            })
        );
    }

    #[test]
    fn an_entry_has_every_field_and_every_file() {
        let folders = two_kits();
        let text = "---\nname: map-kit\ndescription: Makes maps.\nmetadata: {version: 1.5}\nx-own: [1]\n---\nDo it.";
        folders.write("home/.agents/skills/map-kit/SKILL.md", text);

        let entry = folders.load().entry_at("skill://map-kit/SKILL.md").unwrap();

        assert_eq!(entry.warnings, []);
        let json = serde_json::to_value(&entry).unwrap();
        assert_eq!(
            json["frontmatter"],
            serde_json::json!({
                "name": "map-kit",
                "description": "Makes maps.",
                "metadata": {"version": 1.5},
                "x-own": [1],
            })
        );
        let files = json["resources"].as_array().unwrap();
        assert_eq!(files.len(), 4);
        assert_eq!(
            files[1],
            serde_json::json!({
                "uri": "skill://map-kit/SKILL.md",
                "digest": sha256_of(text.as_bytes()).to_string(),
                "size": text.len(),
            })
        );
    }

    #[test]
    fn a_skill_that_hosts_need_not_take_is_complete_all_the_same() {
        let folders = two_kits();
        for index in 0..600 {
            folders.write(&format!("home/.agents/skills/map-kit/many/{index}"), "x");
        }
        let large = fs::File::create(folders.folder("home", "map-kit").join("large")).unwrap();
        large.set_len(17 * 1024 * 1024).unwrap();

        let entry = folders.load().entry_at("skill://map-kit/SKILL.md").unwrap();

        assert_eq!(entry.resources.len(), 605);
        let words: Vec<_> = entry.warnings.iter().map(|found| &found.message).collect();
        assert_eq!(
            words,
            [
                "605 files; an agent need not take a skill of more than 512",
                "17.0 MB in all files; an agent need not take a skill of more than 16.0 MB",
            ]
        );
    }

    #[test]
    fn what_an_entry_leaves_out_is_told() {
        let folders = two_kits();
        let kit = folders.folder("home", "map-kit");
        symlink("../secret", kit.join("link")).unwrap();
        folders.write("home/.agents/skills/secret", "x");

        let entry = folders.load().entry_at("skill://map-kit/SKILL.md").unwrap();

        let words: Vec<_> = entry.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(words.len(), 1, "{words:?}");
        assert!(words[0].contains("link"), "{words:?}");
    }

    #[test]
    fn a_skill_that_takes_hours_to_hash_is_left_out() {
        let folders = two_kits();
        let large = fs::File::create(folders.folder("home", "map-kit").join("large")).unwrap();
        large.set_len(1 << 40).unwrap();

        let error = folders
            .load()
            .entry_at("skill://map-kit/SKILL.md")
            .unwrap_err();

        let words = "not in the list of skills: 1048576.0 MB in all files, and more than 256.0 MB are not hashed";
        assert!(error.to_string().contains(words), "{error}");
    }

    #[test]
    fn what_the_extension_cannot_carry_is_refused_with_its_reason() {
        let folders = Folders::new();
        for (folder, head) in [
            ("Capital", "name: Capital\ndescription: A."),
            ("nameless", "description: A."),
            ("number", "name: number\ndescription: 12"),
        ] {
            let text = format!("---\n{head}\n---\n");
            folders.write(&format!("home/.agents/skills/{folder}/SKILL.md"), text);
        }
        folders.global(r#"{"on": ["Capital", "nameless", "number"]}"#);
        let snapshot = folders.load();
        let words: Vec<_> = snapshot
            .callable()
            .iter()
            .map(|skill| snapshot.entry(skill).unwrap_err().message)
            .collect();

        let by_name = "not in the list of skills: its name is not one by the specification";
        assert_eq!(
            words,
            [
                by_name,
                by_name,
                "not in the list of skills: its description is not text"
            ]
        );
        // Its files are served all the same.
        assert_eq!(snapshot.served().0.len(), 3);
    }

    #[test]
    fn a_folder_lists_its_direct_children() {
        let folders = two_kits();
        symlink(".git", folders.folder("home", "map-kit").join("git")).unwrap();
        let snapshot = folders.load();
        let children = |uri| {
            let found = snapshot.folder_at(uri).map_err(|error| error.to_string())?;
            let line = |served: &Served| match served.mime_type {
                Some(FOLDER) => format!("{}/", served.name),
                _ => served.name.clone(),
            };
            Ok::<_, String>(found.iter().map(line).collect::<Vec<_>>().join(" "))
        };

        for (uri, found) in [
            (
                "skill://map-kit",
                Ok(".hidden map-kit empty/ references/ scripts/"),
            ),
            ("skill://map-kit/empty", Ok("")),
            ("skill://map-kit/references", Ok("references/deep/")),
            (
                "skill://map-kit/references/deep",
                Ok("references/deep/a.md"),
            ),
            (
                "skill://map-kit/SKILL.md",
                Err("skill://map-kit/SKILL.md is not a folder of a skill"),
            ),
            (
                "skill://map-kit/.git",
                Err(
                    "cannot read skill://map-kit/.git: resource lies in .git, which is not entered",
                ),
            ),
            (
                "skill://map-kit/.git/objects",
                Err(
                    "cannot read skill://map-kit/.git/objects: resource lies in .git, which is not entered",
                ),
            ),
            (
                "skill://map-kit/git",
                Err("cannot read skill://map-kit/git: resource lies in .git, which is not entered"),
            ),
            (
                "skill://map-kit/none",
                Err("cannot read skill://map-kit/none: resource does not exist"),
            ),
            (
                "skill://map-kit/..",
                Err(
                    "cannot read skill://map-kit/..: resource must be a relative path without parent traversal",
                ),
            ),
            ("skill://off-kit", Err("the skill `off-kit` is off")),
            ("skill://none", Err("no skill is at skill://none")),
            (
                "file:///etc",
                Err("the address `file:///etc` does not begin with skill://"),
            ),
        ] {
            let found = found.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(children(uri), found, "{uri}");
        }
    }

    #[test]
    fn only_files_of_callable_skills_are_read() {
        let folders = two_kits();
        folders.write("home/.agents/skills/secret", "x");
        let kit = folders.folder("home", "map-kit");
        symlink("../secret", kit.join("link")).unwrap();
        fs::write(kit.join("a.bin"), [0, 255]).unwrap();
        fs::write(kit.join("odd\u{7}.md"), "odd").unwrap();
        let large = fs::File::create(kit.join("large")).unwrap();
        large.set_len(16_777_217).unwrap();
        let snapshot = folders.load();
        let read = |uri| match snapshot.file_at(uri) {
            Ok(file) => format!("{} {:?}", file.mime_type, file.content),
            Err(error) => error.to_string(),
        };

        for (uri, found) in [
            (
                "skill://map-kit/scripts/run.sh",
                "text/x-shellscript Text(\"true\")",
            ),
            ("skill://map-kit/.hidden", "text/plain Text(\"x\")"),
            (
                "skill://map-kit/a.bin",
                "application/octet-stream Blob(\"AP8=\")",
            ),
            ("skill://off-kit/SKILL.md", "the skill `off-kit` is off"),
            (
                "skill://none/SKILL.md",
                "no skill is at skill://none/SKILL.md",
            ),
            (
                "skill://map-kit/link",
                "cannot read skill://map-kit/link: resource path escapes skill root",
            ),
            (
                "skill://map-kit/%2e%2e/secret",
                "cannot read skill://map-kit/%2e%2e/secret: resource must be a relative path without parent traversal",
            ),
            (
                "skill://map-kit",
                "skill://map-kit is the folder of a skill: add the path of a file, as in skill://map-kit/SKILL.md",
            ),
            (
                "skill://map-kit/.git/config",
                "cannot read skill://map-kit/.git/config: resource lies in .git, which is not entered",
            ),
            (
                "skill://map-kit/large",
                "cannot read skill://map-kit/large: resource exceeds 16777216 bytes; it has 16777217 bytes",
            ),
            (
                "skill://map-kit/./a.bin",
                "application/octet-stream Blob(\"AP8=\")",
            ),
            ("skill://map-kit/odd%07.md", "text/markdown Text(\"odd\")"),
        ] {
            assert_eq!(read(uri), found);
        }
    }

    #[test]
    fn a_personal_skill_is_its_text_at_an_address_of_its_own() {
        let folders = Folders::new();
        folders.skill("home", "map-kit", "In a folder.", "");
        folders.global(r#"{"on": ["personal/map-kit", "workspace/map-kit"]}"#);
        let stored = "---\nname: map-kit\ndescription: Kept.\n---\n\nDo <!-- hidden -->it. \n";
        let text = "---\nname: map-kit\ndescription: Kept.\n---\nDo it.";
        let snapshot = folders.load_with(&Store::of(&[("map-kit", stored)]));

        let entry = snapshot.entry_at("skill://personal/map-kit/SKILL.md");
        let file = snapshot.file_at("skill://personal/map-kit/SKILL.md");

        assert_eq!(
            uris(&snapshot.served().0),
            [
                "skill://personal/map-kit/SKILL.md",
                "skill://workspace/map-kit/SKILL.md"
            ]
        );
        let entry = entry.unwrap();
        assert_eq!(entry.frontmatter["description"], "Kept.");
        assert_eq!(entry.resources.len(), 1);
        assert_eq!(entry.resources[0].digest, sha256_of(text.as_bytes()));
        assert_eq!(entry.resources[0].size, text.len() as u64);
        assert_eq!(snapshot.served().0[0].size, None);
        assert_eq!(file.unwrap().content, Carried::Text(text.to_owned()));
        assert!(
            snapshot
                .file_at("skill://personal/map-kit/./SKILL.md")
                .is_ok()
        );
        assert_eq!(
            uris(&snapshot.folder_at("skill://personal/map-kit").unwrap()),
            ["skill://personal/map-kit/SKILL.md"]
        );
        let none = "cannot read skill://personal/map-kit/x: resource does not exist: a personal skill has no files";
        let uri = "skill://personal/map-kit/x";
        for error in [
            snapshot.file_at(uri).unwrap_err(),
            snapshot.folder_at(uri).unwrap_err(),
        ] {
            assert_eq!(
                (error.code(), &*error.to_string()),
                ("resource_not_found", none)
            );
        }
        let asked = serde_json::json!({"name": "personal/map-kit", "path": "x"});
        let message = snapshot.read_skill_file(&asked).message;
        assert_eq!(message["error"]["code"], "resource_not_found");
        // A bare name is nobody's address while both have it.
        assert!(snapshot.file_at("skill://map-kit/SKILL.md").is_err());
        let asked = serde_json::json!({"name": "personal/map-kit", "path": "SKILL.md", "limit": 9});
        let page = snapshot.read_skill_file(&asked).message;
        assert_eq!(page["data"]["content"], "---\nname:");
        let asked = serde_json::json!({"name": "personal/map-kit", "path": "./SKILL.md"});
        let page = snapshot.read_skill_file(&asked).message;
        assert_eq!(page["data"]["content"], text);
    }

    #[test]
    fn nothing_is_served_while_a_scope_file_cannot_be_read() {
        let folders = two_kits();
        folders.project("{");

        let snapshot = folders.load();

        assert_eq!(snapshot.served().0, []);
        let error = snapshot.file_at("skill://map-kit/SKILL.md").unwrap_err();
        assert!(matches!(
            error,
            ServedError::NotCallable(ActivationError::ScopeUnreadable { .. })
        ));
    }
}
