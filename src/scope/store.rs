//! THE write path, and the one way to read a scope file.
//!
//! No other code writes a scope file. A write locks the folder of the real
//! file, reads the file again, edits, and puts a new file in its place with
//! one rename: whoever reads sees the old file or the new one, whole. What an
//! edit does to the text is decided elsewhere.

mod folder;
mod links;

use std::io;
use std::path::{Path, PathBuf};

use super::document::Document;
use super::edit::{self, Change};
use super::file::{Decisions, Fault};
use super::{Scope, ScopePath};
use crate::disk::{self, Content, Refused};
use crate::limits::Limits;
use crate::text::system_words;
use folder::Folder;

/// How often an edit begins again when somebody else changed the file, or
/// moved its folder, in the middle. Only programs that take no lock can do so.
const ATTEMPTS: usize = 16;

/// Why a scope file could not be replaced.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another program kept changing the file between our read and our write.
    #[error("{} kept changing while it was being edited", path.display())]
    Conflict {
        /// The scope file.
        path: PathBuf,
    },
    /// Another program held the lock on the folder for as long as we wait.
    #[error("another program keeps {} locked", path.display())]
    Busy {
        /// The folder of the scope file.
        path: PathBuf,
    },
    /// The file exists but is not a scope file that we can keep intact.
    #[error("cannot edit {fault}")]
    Unreadable {
        /// The scope file.
        path: PathBuf,
        /// What is wrong with it, and where.
        fault: Box<Fault>,
    },
    /// The scope file is a link, or stands in one, that leaves the folder it
    /// may not leave.
    #[error(
        "{} leads to {}, outside the project {}",
        path.display(), target.display(), within.display()
    )]
    LinkLeaves {
        /// The scope file.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
        /// The real folder of the project.
        within: PathBuf,
    },
    /// The scope file is a link into a folder that does not exist.
    #[error("{} is a link, and {} does not exist", path.display(), folder.display())]
    LinkDangles {
        /// The scope file.
        path: PathBuf,
        /// The folder that is missing.
        folder: PathBuf,
    },
    /// The scope file is a link, and the links lead round in a ring.
    #[error("the links of {} lead round in a ring", path.display())]
    LinkRing {
        /// The scope file.
        path: PathBuf,
    },
    /// There is no conversation to write to: its `meta.json` is missing.
    #[error("there is no conversation at {}: its meta.json is missing", path.display())]
    NoConversation {
        /// The `meta.json` that is not there.
        path: PathBuf,
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

impl StoreError {
    fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io {
            action,
            path: path.to_path_buf(),
            source,
        }
    }

    fn unreadable(fault: Fault) -> Self {
        Self::Unreadable {
            path: fault.diagnostic.path.clone(),
            fault: Box::new(fault),
        }
    }

    /// Returns the stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Conflict { .. } | Self::Busy { .. } => "scope-conflict",
            Self::Unreadable { .. } => "scope-unreadable",
            Self::LinkLeaves { .. } | Self::LinkDangles { .. } | Self::LinkRing { .. } => {
                "scope-link"
            }
            Self::NoConversation { .. } => "conversation-not-found",
            Self::Io { .. } => "scope-not-written",
        }
    }

    /// Returns what to do about it, if there is something to type or change.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Conflict { .. } | Self::Busy { .. } => {
                Some("try again when the other program is done".to_owned())
            }
            Self::Unreadable { fault, .. } => fault.diagnostic.help.clone(),
            Self::LinkLeaves { .. } => Some(
                "a repository must not lead a write elsewhere: replace the link with a file, or use --global"
                    .to_owned(),
            ),
            Self::LinkDangles { folder, .. } => {
                Some(format!("make the folder {}, or remove the link", folder.display()))
            }
            Self::LinkRing { path } => Some(format!(
                "put a file in the place of the link: `ls -l {}` shows where it leads",
                path.display()
            )),
            Self::NoConversation { .. } => {
                Some("start the conversation first, or use --project or --global".to_owned())
            }
            Self::Io { .. } => None,
        }
    }
}

impl From<Refused> for StoreError {
    fn from(refused: Refused) -> Self {
        let Refused {
            action,
            path,
            source,
        } = refused;
        if source.kind() == io::ErrorKind::WouldBlock {
            return Self::Busy { path };
        }
        Self::Io {
            action,
            path,
            source,
        }
    }
}

/// Whether an edit had anything to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The file was replaced.
    Changed,
    /// Every change already held, and nothing was touched.
    Unchanged,
}

/// What an edit did.
#[derive(Debug, Clone)]
pub struct Edited {
    /// Whether anything was written.
    pub outcome: Outcome,
    /// What the scope says now.
    pub decisions: Decisions,
    /// The real file, behind all links.
    pub file: PathBuf,
}

/// What an edit would do, to be shown: the URL under `store` stands in it as `…`
/// where it can hold a password. The texts are equal where the edit would do
/// nothing, and `before` is empty where there is no file yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// The text of the file now.
    pub before: String,
    /// The text that an edit would write.
    pub after: String,
}

/// Reads what a scope says.
///
/// A file that does not exist has no decisions. One that cannot be read, or is
/// malformed, has none either, but a [`Decisions::fault`]. Links are followed.
#[must_use]
pub fn load(place: &ScopePath, limits: &Limits) -> Decisions {
    let (scope, path) = (place.scope, &place.file);
    match disk::read(path, limits.scope_bytes) {
        Ok(Some(content)) => Decisions::parse(scope, path, &content.bytes, limits),
        Ok(None) if leads_nowhere(path) => Decisions::faulty(scope, path, behind_nothing(path)),
        Ok(None) => Decisions::missing(scope, path),
        Err(error) => Decisions::faulty(scope, path, unopened(path, &error)),
    }
}

/// Returns the texts of the file before and after an edit, and writes nothing:
/// no folder and no lock either.
///
/// # Errors
///
/// Those of [`edit`] that can be known without writing.
pub fn preview(
    place: &ScopePath,
    changes: &[Change],
    limits: &Limits,
) -> Result<Preview, StoreError> {
    let file = links::real_file(place)?;
    let draft = Draft::read(place, &file, Work::Change(changes), limits)?;
    let before = match draft.before {
        // What is not UTF-8 was refused as malformed.
        Some(content) => String::from_utf8_lossy(&content.bytes).into_owned(),
        None => String::new(),
    };
    let after = draft.after.unwrap_or_else(|| before.clone());
    let shown = |text: String| match Document::parse_text(place.scope, &text) {
        Ok(document) => document.shown().into_owned(),
        // There is no file yet.
        Err(_) => String::new(),
    };
    Ok(Preview {
        before: shown(before),
        after: shown(after),
    })
}

/// Writes `changes` into one scope, all of them or none.
///
/// Where every change already holds, nothing is touched: no folder, no lock, no
/// time stamp. Otherwise the folder is made if it is missing, and the file is
/// replaced as a whole; mode and owner stay, and a link stays a link. A file
/// whose owner we may not keep is refused rather than taken over. Waits while
/// another writer holds the folder's lock.
///
/// # Errors
///
/// Whatever the error, the file is what it was, and no temporary file or new
/// folder is left behind. See [`StoreError`].
pub fn edit(place: &ScopePath, changes: &[Change], limits: &Limits) -> Result<Edited, StoreError> {
    carry_out(place, Work::Change(changes), limits)
}

/// Attaches `folder` to a conversation: writes its path into the list `places`
/// of the `meta.json`, last, unless it is there.
///
/// # Errors
///
/// Those of [`edit`], and one where `places` is not a list of texts.
pub fn attach(place: &ScopePath, folder: &str, limits: &Limits) -> Result<Edited, StoreError> {
    carry_out(place, Work::Attach(folder), limits)
}

/// Starts a conversation: makes its folder, for its user alone, and in it a
/// `meta.json` with the object `meta`. One that is there stays as it is.
///
/// # Errors
///
/// Those of [`edit`].
pub fn begin(
    place: &ScopePath,
    meta: &serde_json::Value,
    limits: &Limits,
) -> Result<Edited, StoreError> {
    carry_out(place, Work::Begin(&format!("{meta:#}\n")), limits)
}

/// What is to be done with a scope file.
#[derive(Clone, Copy)]
enum Work<'a> {
    Change(&'a [Change]),
    Attach(&'a str),
    Begin(&'a str),
}

fn carry_out(place: &ScopePath, work: Work<'_>, limits: &Limits) -> Result<Edited, StoreError> {
    for _ in 0..ATTEMPTS {
        let file = links::real_file(place)?;
        let draft = Draft::read(place, &file, work, limits)?;
        if draft.after.is_none() {
            return Ok(draft.edited(Outcome::Unchanged, file));
        }
        let Some(folder) = Folder::lock(place, &file, limits.lock_patience)? else {
            continue;
        };
        // What was true before the lock may be so no more.
        if links::real_file(place)? != file {
            continue;
        }
        let draft = Draft::read(place, &file, work, limits)?;
        let Some(after) = &draft.after else {
            return Ok(draft.edited(Outcome::Unchanged, file));
        };
        if folder.replace(&file, draft.before.as_ref(), after)? {
            return Ok(draft.edited(Outcome::Changed, file));
        }
    }
    Err(StoreError::Conflict {
        path: place.file.clone(),
    })
}

/// Whether a link on the way to `path` has no target: the file may lie on a
/// disk that is away, and say off.
fn leads_nowhere(path: &Path) -> bool {
    // Above what is there, whatever it is, no link can lead nowhere.
    let there = path
        .ancestors()
        .find(|part| part.symlink_metadata().is_ok());
    there.is_some_and(|part| part.is_symlink() && !part.exists())
}

fn behind_nothing(path: &Path) -> Fault {
    Fault::unreadable(path, "the file is behind a link to nothing")
        .with_help("bring the link's target back, with `{}` in it if it is new, or remove the link")
}

/// Why the file could not be opened, as a fault.
fn unopened(path: &Path, error: &io::Error) -> Fault {
    let (message, help) = match error.kind() {
        io::ErrorKind::IsADirectory => (
            "a folder is in the place of the file".to_owned(),
            "move the folder away",
        ),
        io::ErrorKind::InvalidInput => {
            ("the file is not a regular file".to_owned(), "move it away")
        }
        _ => (
            format!("the file cannot be read: {}", system_words(error)),
            "see who owns it and what may be done with it: `ls -l`",
        ),
    };
    Fault::unreadable(path, message).with_help(help)
}

/// One reading of the file, and what the changes make of it.
struct Draft {
    before: Option<Content>,
    /// The new text; `None` where every change already holds.
    after: Option<String>,
    /// What the scope says once the changes hold.
    decisions: Decisions,
}

impl Draft {
    fn read(
        place: &ScopePath,
        file: &Path,
        work: Work<'_>,
        limits: &Limits,
    ) -> Result<Self, StoreError> {
        let path = &place.file;
        let before = disk::read(file, limits.scope_bytes)
            .map_err(|error| StoreError::unreadable(unopened(path, &error)))?;
        if before.is_none() && leads_nowhere(path) {
            return Err(StoreError::unreadable(behind_nothing(path)));
        }
        let bytes = match &before {
            Some(content) => content.bytes.as_slice(),
            None => edit::MISSING.as_bytes(),
        };
        let document =
            Document::parse(place.scope, path, bytes, limits).map_err(StoreError::unreadable)?;
        let after = match work {
            Work::Change(changes) => edit::edited(&document, changes),
            Work::Attach(folder) => edit::attached(&document, folder)
                .map_err(|malformed| StoreError::unreadable(document.fault(path, malformed)))?,
            Work::Begin(meta) => before.is_none().then(|| meta.to_owned()),
        };
        let begins = matches!(work, Work::Begin(_));
        let decisions = match &after {
            Some(_) if before.is_none() && place.scope == Scope::Conversation && !begins => {
                return Err(StoreError::NoConversation { path: path.clone() });
            }
            Some(after) => Decisions::parse(place.scope, path, after.as_bytes(), limits),
            None => Decisions::parse(place.scope, path, bytes, limits),
        };
        // Also of the new text: an edit can take a file over its bound, and then
        // nobody could read it any more.
        match decisions.fault() {
            Some(fault) => Err(StoreError::unreadable(fault.clone())),
            None => Ok(Self {
                before,
                after,
                decisions,
            }),
        }
    }

    fn edited(self, outcome: Outcome, file: PathBuf) -> Edited {
        Edited {
            outcome,
            decisions: self.decisions,
            file,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::State;
    use std::cell::RefCell;
    use std::fs;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    use std::rc::Rc;
    use tempfile::TempDir;

    const LIMITS: Limits = Limits::DEFAULT;
    const ON_X: &str = "{\n  \"on\": [\n    \"x\"\n  ],\n  \"off\": []\n}\n";

    struct Place {
        folder: TempDir,
        path: ScopePath,
    }

    impl Place {
        /// A project without a scope file.
        fn project() -> Self {
            let folder = TempDir::new().unwrap();
            let root = folder.path().canonicalize().unwrap().join("project");
            fs::create_dir(&root).unwrap();
            let path = ScopePath {
                scope: Scope::Project,
                file: root.join(".codeaf/skills.json"),
                within: Some(root),
            };
            Self { folder, path }
        }

        /// A project with a scope file.
        fn with(text: &str) -> Self {
            let place = Self::project();
            fs::create_dir(place.codeaf()).unwrap();
            fs::write(&place.path.file, text).unwrap();
            place
        }

        /// The same folder, as the global scope has it.
        fn global(mut self) -> Self {
            self.path.scope = Scope::Global;
            self.path.within = None;
            self
        }

        fn codeaf(&self) -> PathBuf {
            self.path.file.parent().unwrap().to_path_buf()
        }

        /// A path beside the project.
        fn outside(&self, name: &str) -> PathBuf {
            self.folder.path().canonicalize().unwrap().join(name)
        }

        fn text(&self) -> String {
            fs::read_to_string(&self.path.file).unwrap()
        }

        fn edit(&self, changes: &[Change]) -> Result<Edited, StoreError> {
            edit(&self.path, changes, &LIMITS)
        }

        fn names_in_folder(&self) -> Vec<String> {
            let mut names: Vec<_> = fs::read_dir(self.codeaf())
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        }
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn a_missing_file_is_made_with_its_folder() {
        let place = Place::project();

        let edited = place.edit(&[Change::on("x")]).unwrap();

        assert_eq!(edited.outcome, Outcome::Changed);
        assert_eq!(edited.file, place.path.file);
        assert_eq!(edited.decisions.state_of("x"), Some(State::On));
        assert_eq!(place.text(), ON_X);
        assert_eq!(place.names_in_folder(), ["skills.json"]);
        assert_eq!(
            load(&place.path, &LIMITS).entries(),
            edited.decisions.entries()
        );
    }

    #[test]
    fn a_home_that_is_made_is_for_its_user_alone() {
        let place = Place::project().global();

        place.edit(&[Change::on("x")]).unwrap();

        assert_eq!(mode(&place.codeaf()), 0o700);
    }

    #[test]
    fn nothing_to_change_touches_nothing() {
        let place = Place::with(r#"{"on":["a"],   "off":["b"]}"#);
        let before = fs::metadata(&place.path.file).unwrap();
        let folder = fs::metadata(place.codeaf()).unwrap();

        let changes = [Change::on("a"), Change::off("b"), Change::clear("c")];
        let edited = place.edit(&changes).unwrap();

        let after = fs::metadata(&place.path.file).unwrap();
        assert_eq!(edited.outcome, Outcome::Unchanged);
        assert_eq!(edited.decisions.entries().len(), 2);
        assert_eq!(before.ino(), after.ino());
        assert_eq!(before.modified().unwrap(), after.modified().unwrap());
        assert_eq!(
            folder.modified().unwrap(),
            fs::metadata(place.codeaf()).unwrap().modified().unwrap()
        );
    }

    #[test]
    fn clearing_in_a_missing_file_makes_no_folder() {
        let place = Place::project();

        let edited = place.edit(&[Change::clear("x")]).unwrap();

        assert_eq!(edited.outcome, Outcome::Unchanged);
        assert!(!place.codeaf().exists());
    }

    #[test]
    fn a_preview_writes_nothing() {
        let place = Place::project();

        let preview = preview(&place.path, &[Change::on("x")], &LIMITS).unwrap();

        assert_eq!(
            (preview.before.as_str(), preview.after.as_str()),
            ("", ON_X)
        );
        assert!(!place.codeaf().exists());
    }

    #[test]
    fn the_mode_is_kept() {
        for wanted in [0o600, 0o640, 0o664, 0o755] {
            let place = Place::with("{}");
            fs::set_permissions(&place.path.file, fs::Permissions::from_mode(wanted)).unwrap();

            place.edit(&[Change::on("x")]).unwrap();

            assert_eq!(mode(&place.path.file), wanted);
        }
    }

    #[test]
    fn the_owner_is_kept_where_we_may_give_files_away() {
        let place = Place::with("{}");
        if std::os::unix::fs::chown(&place.path.file, Some(4_321), Some(8_765)).is_err() {
            return;
        }

        place.edit(&[Change::on("x")]).unwrap();

        let metadata = fs::metadata(&place.path.file).unwrap();
        assert_eq!((metadata.uid(), metadata.gid()), (4_321, 8_765));
    }

    #[test]
    fn a_link_is_edited_behind_the_link_over_several_hops() {
        let place = Place::project().global();
        fs::create_dir_all(place.outside("dotfiles/deep")).unwrap();
        fs::create_dir(place.codeaf()).unwrap();
        let real = place.outside("dotfiles/deep/real.json");
        fs::write(&real, "{\"on\": []}").unwrap();
        symlink("deep/real.json", place.outside("dotfiles/hop")).unwrap();
        symlink("../../dotfiles/hop", &place.path.file).unwrap();

        let edited = place.edit(&[Change::on("x")]).unwrap();

        assert!(place.path.file.is_symlink());
        assert!(place.outside("dotfiles/hop").is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "{\"on\": [\"x\"]}");
        assert_eq!(edited.file, real);
        assert_eq!(edited.decisions.path().as_ref(), place.path.file);
        assert_eq!(place.names_in_folder(), ["skills.json"]);
    }

    #[test]
    fn a_dangling_link_is_refused_as_it_is_when_it_is_read() {
        let place = Place::project().global();
        fs::create_dir(place.codeaf()).unwrap();
        symlink(place.outside("real.json"), &place.path.file).unwrap();

        let read = load(&place.path, &Limits::DEFAULT).fault().cloned();
        let written = place.edit(&[Change::on("x")]).unwrap_err();

        let written = written.to_string();
        assert!(written.ends_with(&read.unwrap().to_string()), "{written}");
        assert!(place.path.file.is_symlink());
        assert!(!place.outside("real.json").exists());
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the other program")]
    fn a_lock_that_is_never_given_back_ends_in_an_error_that_names_the_folder() {
        let place = Place::project().global();
        fs::create_dir(place.codeaf()).unwrap();
        let held = fs::File::open(place.codeaf()).unwrap();
        held.try_lock().unwrap();
        let limits = Limits {
            lock_patience: std::time::Duration::from_millis(30),
            ..Limits::DEFAULT
        };

        let error = edit(&place.path, &[Change::on("x")], &limits).unwrap_err();

        assert!(matches!(error, StoreError::Busy { .. }), "{error}");
        assert!(error.to_string().contains(".codeaf"), "{error}");
        drop(held);
        edit(&place.path, &[Change::on("x")], &limits).unwrap();
    }

    #[test]
    fn an_edit_does_not_take_a_file_over_its_names() {
        let place = Place::project().global();
        let limits = Limits {
            decisions: 2,
            ..Limits::DEFAULT
        };
        let changes = [Change::on("a"), Change::off("b")];
        edit(&place.path, &changes, &limits).unwrap();

        let error = edit(&place.path, &[Change::on("c")], &limits).unwrap_err();

        assert!(error.to_string().contains("2 are the most"), "{error}");
        edit(&place.path, &[Change::clear("b")], &limits).unwrap();
        assert!(load(&place.path, &limits).fault().is_none());
    }

    #[test]
    fn links_that_lead_nowhere_are_refused() {
        let into_nothing = Place::project().global();
        fs::create_dir(into_nothing.codeaf()).unwrap();
        symlink("/no/such/folder/x.json", &into_nothing.path.file).unwrap();
        let folder = Place::project().global();
        symlink("/no/such/folder", folder.codeaf()).unwrap();
        for place in [into_nothing, folder] {
            let error = place.edit(&[Change::on("x")]).unwrap_err();

            assert!(matches!(error, StoreError::LinkDangles { .. }), "{error}");
            assert!(error.to_string().contains("skills.json"), "{error}");
            assert!(load(&place.path, &LIMITS).fault().is_some());
        }

        let ring = Place::project().global();
        fs::create_dir(ring.codeaf()).unwrap();
        symlink("skills.json", &ring.path.file).unwrap();
        assert!(matches!(
            ring.edit(&[Change::on("x")]),
            Err(StoreError::LinkRing { .. })
        ));
        assert!(load(&ring.path, &LIMITS).fault().is_some());
    }

    #[test]
    fn a_project_file_that_leads_outside_is_refused() {
        let file = Place::project();
        fs::create_dir(file.codeaf()).unwrap();
        fs::write(file.outside("theirs.json"), "{}").unwrap();
        symlink(file.outside("theirs.json"), &file.path.file).unwrap();
        let folder = Place::project();
        fs::create_dir(folder.outside("theirs")).unwrap();
        symlink(folder.outside("theirs"), folder.codeaf()).unwrap();
        let dangling = Place::project();
        fs::create_dir(dangling.codeaf()).unwrap();
        symlink(dangling.outside("new.json"), &dangling.path.file).unwrap();
        let sibling = Place::project();
        fs::create_dir(sibling.outside("project-two")).unwrap();
        symlink(sibling.outside("project-two"), sibling.codeaf()).unwrap();
        for place in [file, folder, dangling, sibling] {
            let error = place.edit(&[Change::on("x")]).unwrap_err();

            assert!(matches!(error, StoreError::LinkLeaves { .. }), "{error}");
            assert!(preview(&place.path, &[Change::on("x")], &LIMITS).is_err());
            assert!(!place.outside("new.json").exists());
            assert!(!place.outside("theirs/skills.json").exists());
        }
    }

    #[test]
    fn a_project_file_may_be_a_link_inside_the_project() {
        let place = Place::project();
        let root = place.path.within.clone().unwrap();
        fs::create_dir(root.join("conf")).unwrap();
        symlink("conf", place.codeaf()).unwrap();

        place.edit(&[Change::on("x")]).unwrap();

        assert_eq!(
            fs::read_to_string(root.join("conf/skills.json")).unwrap(),
            ON_X
        );
    }

    #[test]
    fn what_is_no_scope_file_is_never_overwritten() {
        for text in [
            "",
            "{ // a\n}",
            "[]",
            "\u{feff}{}",
            "{\"on\": 1}",
            "{\"a\":1,\"a\":1}",
        ] {
            let place = Place::with(text);

            let error = place.edit(&[Change::on("x")]).unwrap_err();

            assert!(matches!(error, StoreError::Unreadable { .. }), "{error}");
            assert_eq!(place.text(), text);
            assert_eq!(place.names_in_folder(), ["skills.json"]);
        }
    }

    #[test]
    fn folders_and_pipes_in_the_files_place_are_faults_and_do_not_hang() {
        let folder = Place::project();
        fs::create_dir_all(&folder.path.file).unwrap();
        let pipe = Place::project();
        fs::create_dir(pipe.codeaf()).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe.path.file,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR,
            0,
        )
        .unwrap();
        for place in [folder, pipe] {
            let fault = load(&place.path, &LIMITS).fault().cloned().unwrap();
            let error = place.edit(&[Change::on("x")]).unwrap_err();

            assert_eq!(fault.span, None);
            assert!(matches!(error, StoreError::Unreadable { .. }), "{error}");
        }
    }

    #[test]
    fn a_file_in_the_folders_place_is_an_error_that_names_it() {
        let place = Place::project();
        fs::write(place.codeaf(), "mine").unwrap();

        let error = place.edit(&[Change::on("x")]).unwrap_err();

        assert!(error.to_string().contains("make the folder"), "{error}");
        assert!(error.to_string().ends_with(".codeaf"), "{error}");
        assert_eq!(fs::read_to_string(place.codeaf()).unwrap(), "mine");
        assert!(load(&place.path, &LIMITS).fault().is_none());
    }

    #[test]
    fn an_edit_does_not_take_a_file_over_its_bound() {
        let place = Place::with("{\"on\": []}");
        let limits = Limits {
            scope_bytes: 12,
            ..LIMITS
        };

        let error = edit(&place.path, &[Change::on("long")], &limits).unwrap_err();

        assert!(error.to_string().contains("over 12 bytes"), "{error}");
        assert_eq!(place.text(), "{\"on\": []}");
    }

    #[test]
    fn a_conversation_must_be_there() {
        let mut place = Place::project().global();
        place.path.scope = Scope::Conversation;
        place.path.file = place.outside("conversation/meta.json");
        fs::create_dir(place.codeaf()).unwrap();

        let error = place.edit(&[Change::on("x")]).unwrap_err();
        let cleared = place.edit(&[Change::clear("x")]).unwrap();
        fs::write(
            &place.path.file,
            "{\n  \"id\": 12345678901234567890123\n}\n",
        )
        .unwrap();
        place.edit(&[Change::on("x")]).unwrap();

        assert!(
            matches!(error, StoreError::NoConversation { .. }),
            "{error}"
        );
        assert_eq!(cleared.outcome, Outcome::Unchanged);
        let text = fs::read_to_string(&place.path.file).unwrap();
        assert!(text.starts_with("{\n  \"id\": 12345678901234567890123,\n  \"skills\""));
    }

    #[test]
    fn what_a_killed_writer_left_is_removed_by_the_next_write() {
        let place = Place::with("{}");
        for name in [".codeaf-skills-7-0.tmp", ".codeaf-skills-mine.tmp", "a.tmp"] {
            fs::write(place.codeaf().join(name), "half").unwrap();
        }

        place.edit(&[Change::on("x")]).unwrap();

        assert_eq!(
            place.names_in_folder(),
            [".codeaf-skills-mine.tmp", "a.tmp", "skills.json"]
        );
    }

    #[test]
    fn writers_at_once_lose_nothing() {
        let place = Place::project();
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let path = &place.path;
                scope.spawn(move || {
                    for number in 0..50 {
                        let change = Change::on(format!("w{writer}-{number}"));
                        edit(path, &[change], &LIMITS).unwrap();
                    }
                });
            }
        });

        assert_eq!(load(&place.path, &LIMITS).entries().len(), 400);
        assert_eq!(place.names_in_folder(), ["skills.json"]);
    }

    #[test]
    fn what_a_program_without_a_lock_writes_meanwhile_is_not_lost() {
        let place = Place::with("{\"on\": []}");
        let file = place.path.file.clone();
        let mut is_first = true;
        let rival = move |call| {
            if call == "create" && std::mem::take(&mut is_first) {
                fs::write(&file, "{\"on\": [\"theirs\"]}")?;
            }
            Ok(())
        };

        disk::hook::with(rival, || place.edit(&[Change::on("x")])).unwrap();

        assert_eq!(place.text(), "{\"on\": [\"theirs\", \"x\"]}");
        assert_eq!(place.names_in_folder(), ["skills.json"]);
    }

    #[test]
    fn a_file_that_never_rests_is_a_conflict() {
        let place = Place::with("{\"on\": []}");
        let file = place.path.file.clone();
        let mut number = 0;
        let rival = move |call| {
            if call == "create" {
                number += 1;
                fs::write(&file, format!("{{\"n\": {number}}}"))?;
            }
            Ok(())
        };

        let error = disk::hook::with(rival, || place.edit(&[Change::on("x")])).unwrap_err();

        assert!(matches!(error, StoreError::Conflict { .. }), "{error}");
        assert_eq!(place.text(), format!("{{\"n\": {ATTEMPTS}}}"));
        assert_eq!(place.names_in_folder(), ["skills.json"]);
    }

    #[test]
    fn a_folder_that_goes_away_before_the_lock_is_made_again() {
        let place = Place::project();
        let folder = place.codeaf();
        let mut is_first = true;
        let rival = move |call| {
            if call == "lock" && std::mem::take(&mut is_first) {
                fs::remove_dir(&folder)?;
            }
            Ok(())
        };

        disk::hook::with(rival, || place.edit(&[Change::on("x")])).unwrap();

        assert_eq!(place.text(), ON_X);
    }

    #[test]
    fn a_link_that_turns_outside_before_the_lock_is_refused() {
        let place = Place::with("{\"on\": []}");
        let theirs = place.outside("theirs.json");
        fs::write(&theirs, "{}").unwrap();
        let (file, target) = (place.path.file.clone(), theirs.clone());
        let mut is_first = true;
        let rival = move |call| {
            if call == "lock" && std::mem::take(&mut is_first) {
                fs::remove_file(&file)?;
                symlink(&target, &file)?;
            }
            Ok(())
        };

        let error = disk::hook::with(rival, || place.edit(&[Change::on("x")])).unwrap_err();

        assert!(matches!(error, StoreError::LinkLeaves { .. }), "{error}");
        assert_eq!(fs::read_to_string(theirs).unwrap(), "{}");
        assert!(place.path.file.is_symlink());
    }

    #[test]
    fn without_locks_nothing_is_swept_and_the_edit_is_done() {
        let place = Place::with("{}");
        fs::write(place.codeaf().join(".codeaf-skills-7-0.tmp"), "half").unwrap();
        let unsupported = |call| match call {
            "lock" => Err(io::ErrorKind::Unsupported.into()),
            _ => Ok(()),
        };

        disk::hook::with(unsupported, || place.edit(&[Change::on("x")])).unwrap();

        assert_eq!(
            place.names_in_folder(),
            [".codeaf-skills-7-0.tmp", "skills.json"]
        );
    }

    /// Runs `work` with the call after `calls_before` others failing, and all
    /// that follow it if `stays`. Returns the names of the calls that failed.
    fn failing<T>(
        calls_before: usize,
        stays: bool,
        work: impl FnOnce() -> T,
    ) -> (T, Vec<&'static str>) {
        let failed = Rc::new(RefCell::new(Vec::new()));
        let seen = Rc::clone(&failed);
        let mut calls = 0;
        let hook = move |call| {
            calls += 1;
            let is_due = if stays {
                calls > calls_before
            } else {
                calls == calls_before + 1
            };
            if is_due {
                seen.borrow_mut().push(call);
                return Err(io::Error::other("made to fail"));
            }
            Ok(())
        };
        let result = disk::hook::with(hook, work);
        (result, failed.take())
    }

    #[test]
    fn a_failing_call_leaves_the_old_file_or_the_new_one() {
        let old = "{\n  \"keep\": 1.10,\n  \"on\": []\n}\n";
        let new = "{\n  \"keep\": 1.10,\n  \"on\": [\n    \"x\"\n  ]\n}\n";
        for stays in [false, true] {
            let mut calls = 0;
            loop {
                let place = Place::with(old);
                fs::write(place.codeaf().join(".codeaf-skills-7-0.tmp"), "half").unwrap();

                let work = || place.edit(&[Change::on("x")]);
                let (result, failed) = failing(calls, stays, work);

                let text = place.text();
                let row = format!("call {calls}, failed {failed:?}: {result:?}");
                assert_eq!(text, if result.is_ok() { new } else { old }, "{row}");
                if let Err(error) = &result {
                    assert!(error.to_string().contains("project"), "{row}");
                }
                let left = place.names_in_folder().len();
                if !failed.contains(&"remove") && !failed.contains(&"list folder") && result.is_ok()
                {
                    assert_eq!(left, 1, "{row}");
                }
                assert!(left <= 2 || failed.contains(&"remove"), "{row}");
                place.edit(&[Change::off("y")]).unwrap();
                assert_eq!(place.names_in_folder(), ["skills.json"], "{row}");
                if failed.is_empty() {
                    break;
                }
                calls += 1;
            }
            assert!(calls > 12, "{calls} calls can fail");
        }
    }

    #[test]
    fn a_failing_call_leaves_no_folder_behind() {
        for calls in 0.. {
            let place = Place::project();

            let (result, failed) = failing(calls, false, || place.edit(&[Change::on("x")]));

            if result.is_ok() {
                assert_eq!(place.text(), ON_X);
            } else {
                assert!(!place.codeaf().exists(), "call {calls}, failed {failed:?}");
            }
            if failed.is_empty() {
                break;
            }
        }
    }

    fn conversation() -> Place {
        let mut place = Place::project();
        place.path.scope = Scope::Conversation;
        place.path.within = None;
        place.path.file = place.outside("talks/one/meta.json");
        place
    }

    #[test]
    fn a_conversation_is_begun_once_and_for_its_user_alone() {
        let place = conversation();
        let meta = serde_json::json!({"id": "0", "workspace": "/w"});

        let first = begin(&place.path, &meta, &LIMITS).unwrap();
        let second = begin(&place.path, &serde_json::json!({"id": "1"}), &LIMITS).unwrap();

        assert_eq!(first.outcome, Outcome::Changed);
        assert_eq!(second.outcome, Outcome::Unchanged);
        assert_eq!(
            place.text(),
            "{\n  \"id\": \"0\",\n  \"workspace\": \"/w\"\n}\n"
        );
        assert_eq!(mode(place.path.file.parent().unwrap()), 0o700);
    }

    #[test]
    fn attaching_changes_one_list_and_no_other_byte() {
        let place = conversation();
        fs::create_dir_all(place.path.file.parent().unwrap()).unwrap();
        for (before, after) in [
            ("{}\n", "{\n  \"places\": [\n    \"/a b\"\n  ]\n}\n"),
            (
                "{\"spentUsd\": 1.10, \"places\": [\"/x\"],\"n\":1E2}",
                "{\"spentUsd\": 1.10, \"places\": [\"/x\",\"/a b\"],\"n\":1E2}",
            ),
            (
                "{\n  \"places\": [\n    \"/x\"\n  ]\n}\n",
                "{\n  \"places\": [\n    \"/x\",\n    \"/a b\"\n  ]\n}\n",
            ),
        ] {
            fs::write(&place.path.file, before).unwrap();

            let attached = attach(&place.path, "/a b", &LIMITS).unwrap();
            let again = attach(&place.path, "/a b", &LIMITS).unwrap();

            assert_eq!(place.text(), after);
            assert_eq!(attached.outcome, Outcome::Changed);
            assert_eq!(again.outcome, Outcome::Unchanged);
            assert_eq!(again.decisions.places().last().unwrap().text, "/a b");
        }
    }

    #[test]
    fn nothing_is_attached_where_places_is_no_list_or_no_conversation_is() {
        let place = conversation();
        let missing = attach(&place.path, "/a", &LIMITS).unwrap_err();
        fs::create_dir_all(place.path.file.parent().unwrap()).unwrap();
        fs::write(&place.path.file, "{\"places\": 7}").unwrap();

        let no_list = attach(&place.path, "/a", &LIMITS).unwrap_err();

        assert!(matches!(missing, StoreError::NoConversation { .. }));
        assert!(
            no_list.to_string().contains("meta.json:1:12: "),
            "{no_list}"
        );
        assert_eq!(place.text(), "{\"places\": 7}");
    }
}
