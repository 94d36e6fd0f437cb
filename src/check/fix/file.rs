//! Mends a file on the disk: read once, replaced as a whole, called SKILL.md.

use std::ffi::OsString;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::{Fix, FixOptions, Left, Mended, mend};
use crate::diagnostic::{Rule, Span};
use crate::discovery::skill_file::SKILL_FILE;
use crate::disk::{self, Content, Folder, Refused};
use crate::limits::Limits;

/// How long a mend waits for another program that mends in the same folder.
const LOCK_PATIENCE: std::time::Duration = Limits::DEFAULT.lock_patience;

/// Why a file was not mended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FixError {
    /// Another program changed the file between our read and our write.
    #[error("{} changed while it was being mended", path.display())]
    Conflict {
        /// The file.
        path: PathBuf,
    },
    /// The file is a link out of the folder of the skill.
    #[error("{} leads to {}, outside the skill's folder", path.display(), target.display())]
    LinkLeaves {
        /// The file.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// The file may not be written: its owner protected it.
    #[error("{} is read-only", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// The file is over its bound.
    #[error("{} is over {limit} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The most that is read, in bytes.
        limit: usize,
    },
    /// The operating system refused.
    #[error("cannot {action} {}", path.display())]
    Io {
        /// What was refused, in plain words.
        action: &'static str,
        /// The file or folder that it was refused for.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

impl From<Refused> for FixError {
    fn from(refused: Refused) -> Self {
        let Refused {
            action,
            path,
            source,
        } = refused;
        Self::Io {
            action,
            path,
            source,
        }
    }
}

impl FixError {
    fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Refused::new(action, path, source).into()
    }

    /// Returns what to do about it, if there is something to type or change.
    #[must_use]
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::Conflict { .. } => Some("try again when the other program is done"),
            Self::LinkLeaves { .. } => Some("copy the file into the folder"),
            Self::ReadOnly { .. } => Some("`chmod u+w` lets it be written, if it is yours to mend"),
            Self::TooLarge { .. } => Some("move parts of it into files under references/"),
            Self::Io { .. } => None,
        }
    }
}

/// What was done to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    /// Where the file is now.
    pub file: PathBuf,
    /// What was mended; nothing was written if it is empty.
    pub fixes: Vec<Fix>,
    /// Fields that should have moved, and stay.
    pub left: Vec<Left>,
    /// How many other names the file had (hard links); they keep the old text.
    pub other_names: u64,
}

/// What [`fix_file`] would do. The texts are equal where the content stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// The file as it is, decoded; what is not UTF-8 is replaced by U+FFFD.
    pub before: String,
    /// The file as it would be, decoded likewise.
    pub after: String,
    /// Where the file would be.
    pub file: PathBuf,
    /// What would be mended.
    pub fixes: Vec<Fix>,
    /// Fields that should move, and would stay.
    pub left: Vec<Left>,
}

/// Mends a file in place, and calls it SKILL.md if only the case of its name is
/// wrong and nothing else is called so.
///
/// The file is replaced as a whole; mode and owner stay, and a link inside the
/// skill's folder stays a link. One that its owner may not write is left alone,
/// and other names of the file (hard links) keep what it said. Where there is nothing to mend, nothing is
/// touched. Waits while another writer holds the folder's lock.
///
/// # Errors
///
/// Whatever the error, the file is the old or the mended one, whole, and no
/// temporary file is left behind. See [`FixError`].
pub fn fix_file(file: &Path, options: FixOptions<'_>, limits: &Limits) -> Result<Fixed, FixError> {
    let draft = FileDraft::read(file, options, limits)?;
    let mut other_names = 0;
    if let Some(after) = &draft.mended.bytes {
        other_names = draft.may_be_written()?;
        draft.write(after)?;
    }
    if let Some(to) = &draft.new_name {
        rename(file, to)?;
    }
    Ok(Fixed {
        fixes: draft.fixes(),
        file: draft.new_name.unwrap_or_else(|| file.to_path_buf()),
        left: draft.mended.left,
        other_names,
    })
}

/// Returns what [`fix_file`] would do, and writes nothing.
///
/// # Errors
///
/// Those of [`fix_file`] that can be known without writing.
pub fn preview(file: &Path, options: FixOptions<'_>, limits: &Limits) -> Result<Preview, FixError> {
    let draft = FileDraft::read(file, options, limits)?;
    if draft.mended.bytes.is_some() {
        draft.may_be_written()?;
    }
    let before = decoded(&draft.before.bytes);
    let after = draft.mended.bytes.as_deref().map(decoded);
    Ok(Preview {
        after: after.unwrap_or_else(|| before.clone()),
        before,
        fixes: draft.fixes(),
        file: draft.new_name.unwrap_or_else(|| file.to_path_buf()),
        left: draft.mended.left,
    })
}

/// Decodes a file for being looked at; marks stay.
fn decoded(bytes: &[u8]) -> String {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return String::from_utf8_lossy(bytes).into_owned(),
    };
    let pairs = bytes.chunks_exact(2);
    let units: Vec<u16> = pairs.map(|pair| unit([pair[0], pair[1]])).collect();
    String::from_utf16_lossy(&units)
}

/// One reading of a file, and what mending makes of it.
struct FileDraft<'a> {
    path: &'a Path,
    /// Behind all links.
    real: PathBuf,
    before: Content,
    mended: Mended,
    /// Its path with the right name, if its own is wrong.
    new_name: Option<PathBuf>,
}

impl<'a> FileDraft<'a> {
    fn read(path: &'a Path, options: FixOptions<'_>, limits: &Limits) -> Result<Self, FixError> {
        let real = real_file(path)?;
        let limit = limits.skill_bytes;
        let before = disk::read(&real, limit as u64)
            .and_then(|content| content.ok_or_else(|| io::ErrorKind::NotFound.into()))
            .map_err(|source| FixError::io("read", path, source))?;
        if before.bytes.len() > limit {
            return Err(FixError::TooLarge {
                path: path.to_path_buf(),
                limit,
            });
        }
        let folder = folder_of(path)?.file_name().unwrap_or_default();
        Ok(Self {
            path,
            real,
            mended: mend(&before.bytes, &folder.to_string_lossy(), options, limits),
            before,
            new_name: if options.mends(Rule::SkillFileName) {
                new_name(path)?
            } else {
                None
            },
        })
    }

    fn fixes(&self) -> Vec<Fix> {
        let renamed = self.new_name.iter().map(|_| {
            let what = format!("renamed to {SKILL_FILE}");
            Fix::new(Rule::SkillFileName, Span::START, what)
        });
        renamed.chain(self.mended.fixes.iter().cloned()).collect()
    }

    /// Refuses a file that its owner may not write, though renaming would get
    /// round that; returns how many other names it has.
    fn may_be_written(&self) -> Result<u64, FixError> {
        let about = self.real.symlink_metadata();
        let about = about.map_err(|source| FixError::io("look at", self.path, source))?;
        if about.mode() & 0o200 == 0 {
            return Err(FixError::ReadOnly {
                path: self.path.to_path_buf(),
            });
        }
        Ok(about.nlink().saturating_sub(1))
    }

    fn write(&self, after: &[u8]) -> Result<(), FixError> {
        let is_written = match Folder::lock(folder_of(&self.real)?, LOCK_PATIENCE)? {
            // What was true before the lock may be so no more.
            Some(folder) if real_file(self.path)? == self.real => {
                folder.replace(&self.real, Some(&self.before), after)?
            }
            _ => false,
        };
        if is_written {
            Ok(())
        } else {
            Err(conflict(self.path))
        }
    }
}

fn conflict(path: &Path) -> FixError {
    FixError::Conflict {
        path: path.to_path_buf(),
    }
}

fn folder_of(path: &Path) -> Result<&Path, FixError> {
    path.parent().ok_or_else(|| {
        let no_folder = io::ErrorKind::InvalidInput.into();
        FixError::io("find the folder of", path, no_folder)
    })
}

/// Follows the links of a file, which may not leave the folder of the skill.
fn real_file(path: &Path) -> Result<PathBuf, FixError> {
    let folder = folder_of(path)?;
    let failed = |source| FixError::io("follow the links of", path, source);
    let within = disk::real(folder).map_err(failed)?;
    let real = disk::real(path).map_err(failed)?;
    if real.starts_with(&within) {
        Ok(real)
    } else {
        Err(FixError::LinkLeaves {
            path: path.to_path_buf(),
            target: real,
        })
    }
}

/// Returns the path with the name that it should have. `None`: its name is
/// right or quite another, or a second file bears such a name.
fn new_name(path: &Path) -> Result<Option<PathBuf>, FixError> {
    let is_meant = |name: &OsString| name.eq_ignore_ascii_case(SKILL_FILE);
    let name = path.file_name().unwrap_or_default().to_os_string();
    if name == SKILL_FILE || !is_meant(&name) {
        return Ok(None);
    }
    let folder = folder_of(path)?;
    let names = disk::names(folder).map_err(|source| FixError::io("list", folder, source))?;
    let is_only = names.into_iter().filter(is_meant).count() == 1;
    Ok(is_only.then(|| path.with_file_name(SKILL_FILE)))
}

fn rename(from: &Path, to: &Path) -> Result<(), FixError> {
    let Some(folder) = Folder::lock(folder_of(from)?, LOCK_PATIENCE)? else {
        return Err(conflict(from));
    };
    folder
        .rename_new(from, to)
        .map_err(|refused| match refused.source.kind() {
            io::ErrorKind::AlreadyExists => conflict(to),
            _ => refused.into(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::rc::Rc;
    use tempfile::TempDir;

    const LIMITS: Limits = Limits::DEFAULT;
    const OLD: &str = "---\nname: pdf\ndescription: Use when: asked.\n---\nBody.\n";
    const NEW: &str = "---\nname: pdf\ndescription: 'Use when: asked.'\n---\nBody.\n";

    /// A skill's folder, with a file of this name in it.
    struct Place {
        outer: TempDir,
        file: PathBuf,
    }

    impl Place {
        fn with(name: &str, text: &str) -> Self {
            let outer = TempDir::new().unwrap();
            let folder = outer.path().canonicalize().unwrap().join("pdf");
            fs::create_dir(&folder).unwrap();
            let file = folder.join(name);
            fs::write(&file, text).unwrap();
            Self { outer, file }
        }

        fn folder(&self) -> &Path {
            self.file.parent().unwrap()
        }

        fn fix(&self) -> Result<Fixed, FixError> {
            fix_file(&self.file, FixOptions::default(), &LIMITS)
        }

        fn preview(&self) -> Preview {
            preview(&self.file, FixOptions::default(), &LIMITS).unwrap()
        }

        fn text_of(&self, name: &str) -> String {
            fs::read_to_string(self.folder().join(name)).unwrap()
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(self.folder()).unwrap();
            let mut names: Vec<_> = entries
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        }
    }

    #[test]
    fn a_file_is_mended_in_place_and_keeps_its_mode() {
        let place = Place::with("SKILL.md", OLD);
        fs::set_permissions(&place.file, fs::Permissions::from_mode(0o640)).unwrap();

        let fixed = place.fix().unwrap();

        assert_eq!(fixed.file, place.file);
        assert_eq!(fixed.fixes.len(), 1);
        assert_eq!(place.text_of("SKILL.md"), NEW);
        assert_eq!(fs::metadata(&place.file).unwrap().mode() & 0o7777, 0o640);
        assert_eq!(place.names(), ["SKILL.md"]);
    }

    #[test]
    fn a_read_only_file_is_left_alone() {
        let place = Place::with("SKILL.md", OLD);
        fs::set_permissions(&place.file, fs::Permissions::from_mode(0o444)).unwrap();

        let error = place.fix().unwrap_err();

        assert!(matches!(error, FixError::ReadOnly { .. }), "{error}");
        assert!(error.to_string().ends_with("SKILL.md is read-only"));
        assert_eq!(place.text_of("SKILL.md"), OLD);
        let refused = preview(&place.file, FixOptions::default(), &LIMITS).unwrap_err();
        assert!(matches!(refused, FixError::ReadOnly { .. }), "{refused}");
        fs::set_permissions(&place.file, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(place.fix().unwrap().fixes.len(), 1);
    }

    #[test]
    fn another_name_of_the_file_keeps_the_old_text() {
        let place = Place::with("SKILL.md", OLD);
        fs::hard_link(&place.file, place.folder().join("copy.md")).unwrap();

        let fixed = place.fix().unwrap();

        assert_eq!(fixed.other_names, 1);
        assert_eq!(place.text_of("SKILL.md"), NEW);
        assert_eq!(place.text_of("copy.md"), OLD);
    }

    #[test]
    fn nothing_to_mend_touches_nothing() {
        let place = Place::with("SKILL.md", NEW);
        let state = |path: &Path| {
            let metadata = fs::metadata(path).unwrap();
            (metadata.ino(), metadata.mtime(), metadata.mtime_nsec())
        };
        let before = (state(&place.file), state(place.folder()));

        let fixed = place.fix().unwrap();

        assert_eq!(fixed.fixes, []);
        assert_eq!((state(&place.file), state(place.folder())), before);
    }

    #[test]
    fn a_preview_writes_nothing() {
        let place = Place::with("skill.md", OLD);

        let preview = place.preview();

        assert_eq!(preview.before, OLD);
        assert_eq!(preview.after, NEW);
        assert_eq!(preview.file, place.folder().join("SKILL.md"));
        assert_eq!(preview.fixes.len(), 2);
        assert_eq!(place.text_of("skill.md"), OLD);
        assert_eq!(place.names(), ["skill.md"]);
    }

    #[test]
    fn a_preview_of_another_encoding_shows_its_text() {
        let place = Place::with("SKILL.md", "");
        let text = "\u{feff}---\nname: pdf\n---\n";
        let units = text.encode_utf16().flat_map(u16::to_le_bytes);
        fs::write(&place.file, units.collect::<Vec<u8>>()).unwrap();

        let preview = place.preview();

        assert_eq!(preview.before, text);
        assert_eq!(preview.after, text.trim_start_matches('\u{feff}'));
    }

    #[test]
    fn a_name_of_wrong_case_is_put_right() {
        for name in ["skill.md", "Skill.md", "SKILL.MD"] {
            let place = Place::with(name, OLD);

            let fixed = place.fix().unwrap();

            assert_eq!(fixed.file, place.folder().join("SKILL.md"));
            let rules: Vec<_> = fixed.fixes.iter().map(|fix| fix.rule).collect();
            assert_eq!(rules, [Rule::SkillFileName, Rule::UnquotedColon]);
            assert_eq!(place.text_of("SKILL.md"), NEW);
            assert_eq!(place.names(), ["SKILL.md"]);
        }
    }

    #[test]
    fn a_name_stays_where_another_could_be_meant() {
        for (name, other) in [("skill.md", "SKILL.md"), ("skill.md", "Skill.md")] {
            let place = Place::with(name, NEW);
            fs::write(place.folder().join(other), "other").unwrap();

            let fixed = place.fix().unwrap();

            assert_eq!(fixed.fixes, []);
            assert_eq!(place.text_of(name), NEW);
            assert_eq!(place.text_of(other), "other");
        }
        let place = Place::with("README.md", NEW);
        assert_eq!(place.fix().unwrap().file, place.file);
    }

    #[test]
    fn a_name_that_is_taken_meanwhile_is_not_overwritten() {
        let place = Place::with("skill.md", NEW);
        let taken = place.folder().join("SKILL.md");
        let rival = move |call| match call {
            "rename" => fs::write(&taken, "theirs"),
            _ => Ok(()),
        };

        let error = disk::hook::with(rival, || place.fix()).unwrap_err();

        assert!(matches!(error, FixError::Conflict { .. }), "{error}");
        assert_eq!(place.text_of("SKILL.md"), "theirs");
        assert_eq!(place.text_of("skill.md"), NEW);
    }

    #[test]
    fn a_link_inside_the_folder_stays_a_link() {
        let place = Place::with("real.md", OLD);
        let link = place.folder().join("SKILL.md");
        symlink("real.md", &link).unwrap();

        fix_file(&link, FixOptions::default(), &LIMITS).unwrap();

        assert!(link.is_symlink());
        assert_eq!(place.text_of("real.md"), NEW);
    }

    #[test]
    fn a_link_out_of_the_folder_is_refused() {
        let place = Place::with("x", "");
        let outside = place.outer.path().join("theirs.md");
        fs::write(&outside, OLD).unwrap();
        let link = place.folder().join("SKILL.md");
        symlink(&outside, &link).unwrap();

        let error = fix_file(&link, FixOptions::default(), &LIMITS).unwrap_err();

        assert!(matches!(error, FixError::LinkLeaves { .. }), "{error}");
        assert_eq!(fs::read_to_string(outside).unwrap(), OLD);
    }

    #[test]
    fn what_is_no_bounded_file_is_refused() {
        let place = Place::with("SKILL.md", OLD);
        let small = Limits {
            skill_bytes: 10,
            ..LIMITS
        };
        let error = fix_file(&place.file, FixOptions::default(), &small).unwrap_err();
        assert!(matches!(error, FixError::TooLarge { limit: 10, .. }));

        for name in ["absent.md", "."] {
            let path = place.folder().join("sub").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let error = fix_file(&path, FixOptions::default(), &LIMITS).unwrap_err();
            assert!(matches!(error, FixError::Io { .. }), "{error}");
        }
        let fifo = place.folder().join("skill.md");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &fifo,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        let error = fix_file(&fifo, FixOptions::default(), &LIMITS).unwrap_err();
        assert!(matches!(error, FixError::Io { .. }), "{error}");
    }

    #[test]
    fn a_change_meanwhile_is_a_conflict() {
        for call in ["lock", "create", "sync"] {
            let place = Place::with("SKILL.md", OLD);
            let file = place.file.clone();
            let rival = move |now| {
                if now == call {
                    fs::write(&file, "theirs")?;
                }
                Ok(())
            };

            let error = disk::hook::with(rival, || place.fix()).unwrap_err();

            assert!(matches!(error, FixError::Conflict { .. }), "{error}");
            assert_eq!(place.text_of("SKILL.md"), "theirs");
            assert_eq!(place.names(), ["SKILL.md"]);
        }
    }

    #[test]
    fn a_link_that_turns_outside_before_the_lock_is_a_refusal() {
        let place = Place::with("SKILL.md", OLD);
        let outside = place.outer.path().join("theirs.md");
        fs::write(&outside, OLD).unwrap();
        let (file, target) = (place.file.clone(), outside.clone());
        let rival = move |call| {
            if call == "lock" {
                fs::remove_file(&file)?;
                symlink(&target, &file)?;
            }
            Ok(())
        };

        let error = disk::hook::with(rival, || place.fix()).unwrap_err();

        assert!(matches!(error, FixError::LinkLeaves { .. }), "{error}");
        assert_eq!(fs::read_to_string(outside).unwrap(), OLD);
    }

    #[test]
    fn a_failing_call_leaves_the_old_file_or_the_new_one() {
        for stays in [false, true] {
            for calls_before in 0.. {
                let place = Place::with("skill.md", OLD);
                let failed = Rc::new(RefCell::new(Vec::new()));
                let (seen, mut calls) = (Rc::clone(&failed), 0);
                let hook = move |call| {
                    calls += 1;
                    let is_later = stays && calls > calls_before;
                    if is_later || calls == calls_before + 1 {
                        seen.borrow_mut().push(call);
                        return Err(io::Error::other("made to fail"));
                    }
                    Ok(())
                };

                let result = disk::hook::with(hook, || place.fix());

                let failed = failed.take();
                let row = format!("call {calls_before}, failed {failed:?}: {result:?}");
                let names = place.names();
                let skills: Vec<_> = names.iter().filter(|name| !name.starts_with('.')).collect();
                assert_eq!(skills.len(), 1, "{row}: {names:?}");
                let text = place.text_of(skills[0]);
                assert!(text == OLD || text == NEW, "{row}: {text:?}");
                if result.is_ok() {
                    assert_eq!((&**skills[0], &*text), ("SKILL.md", NEW), "{row}");
                }
                assert!(names.len() == 1 || failed.contains(&"remove"), "{row}");
                if failed.is_empty() {
                    assert!(calls_before > 12, "{calls_before} calls can fail");
                    break;
                }
            }
        }
    }
}
