//! Which files a skill bundles, by name only.
//!
//! This file decides what is listed, what is only named in a diagnostic, and
//! where the walk stops. It opens no file and does not know how names are
//! printed: they may hold anything that a file name can.

use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use serde::Serialize;

use super::page::not_entered;
use super::stamp::Stamp;
use crate::diagnostic::{Diagnostic, Rule};
use crate::limits::Limits;
use crate::text::counted;

/// The names of a skill's bundled files, and what kept others off the list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Listing {
    /// Paths relative to the skill's folder, separated by `/`, in byte order.
    /// A name that is not UTF-8 has U+FFFD in place of its odd bytes.
    pub resources: Vec<String>,
    /// Whether a bound kept files off the list.
    pub truncated: bool,
    /// How many files the bounds left out: 0 for none; nothing where a bound
    /// stopped the counting too.
    pub left_out: Option<usize>,
    /// What was met and not listed, and the bounds that bit.
    pub diagnostics: Vec<Diagnostic>,
}

/// Lists the files bundled in the skill folder `dir`.
///
/// SKILL.md and hidden files are listed. A link that stays inside the skill is
/// listed under its own name; one that leaves it, points at nothing, or leads
/// to a file over [`Limits::resource_bytes`] is left to a diagnostic, and so is
/// whatever is not a file. Each folder is listed once, under its real path where
/// the walk comes there, whatever links lead to it. Folders
/// called `.git` or `node_modules` are not entered, nor are those deeper than
/// [`Limits::walk_depth`]. A folder that cannot be read is a diagnostic, too:
/// there is always a listing.
#[must_use]
pub fn list(dir: &Path, limits: &Limits) -> Listing {
    Walk::new(dir, limits, Hidden::Listed).run()
}

/// Lists what the model is told of: the bundled files of `dir` without the
/// skill's own SKILL.md and without anything hidden.
///
/// No part of a name begins with a dot, and hidden folders use up no bound, so
/// a large `.venv` takes no place from the files that matter. A name that is not
/// UTF-8, which no tool can give back, is only reported. Otherwise as [`list`].
#[must_use]
pub fn names(dir: &Path, limits: &Limits) -> Listing {
    Walk::new(dir, limits, Hidden::PassedOver).run()
}

/// Everything in a skill's folder, as a program fetches it that takes the whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    /// Files by path, each with its stamp; paths as in [`Listing::resources`], in
    /// byte order.
    pub files: Vec<(String, Stamp)>,
    /// Folders, empty ones too, in byte order; the skill's own is not named.
    pub folders: Vec<String>,
    /// Whether nothing was left out by [`Limits::tree_entries`] or
    /// [`Limits::tree_depth`].
    pub is_whole: bool,
    /// What was met and is not in it, and the bounds that bit.
    pub diagnostics: Vec<Diagnostic>,
}

/// Returns everything in the skill folder `dir` that can be read by its name.
///
/// By the rules of [`list`], but for its bounds: many and large files are no
/// reason to leave one out.
#[must_use]
pub fn tree(dir: &Path, limits: &Limits) -> Tree {
    let limits = Limits {
        resources: usize::MAX,
        resource_bytes: u64::MAX,
        walked_entries: limits.tree_entries,
        walk_depth: limits.tree_depth,
        ..*limits
    };
    let mut walk = Walk::new(dir, &limits, Hidden::Listed);
    walk.start();
    walk.found.retain(|(name, _)| !name.contains('\u{fffd}'));
    walk.found
        .sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    walk.folders.sort_unstable();
    Tree {
        is_whole: walk.unseen == 0 && !walk.too_deep,
        files: walk.found,
        folders: walk.folders,
        diagnostics: walk.diagnostics,
    }
}

/// What becomes of SKILL.md and of names that begin with a dot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hidden {
    Listed,
    PassedOver,
}

/// A link to a folder in the skill.
struct Link {
    /// The folder's real path.
    real: PathBuf,
    /// The link's own name.
    relative: String,
    /// How deep the link lies.
    depth: usize,
}

/// One walk over one skill's folder.
struct Walk<'a> {
    /// The folder as the caller named it; diagnostics carry its spelling.
    dir: &'a Path,
    /// The real path of `dir`.
    root: PathBuf,
    /// That folder, opened.
    handle: Option<Dir>,
    limits: &'a Limits,
    hidden: Hidden,
    /// Real folders seen, and the name under which each was.
    visited: HashMap<PathBuf, String>,
    /// Links to folders. They are followed once the walk is through, when it is
    /// known which folders it came to without them.
    links: VecDeque<Link>,
    /// Files found and their stamps, in the order of the walk.
    found: Vec<(String, Stamp)>,
    /// Folders entered, without the first.
    folders: Vec<String>,
    diagnostics: Vec<Diagnostic>,
    /// Entries looked at.
    walked: usize,
    /// Entries known and, for the bound, not looked at.
    unseen: usize,
    /// Whether a folder lay deeper than the bound.
    too_deep: bool,
}

impl<'a> Walk<'a> {
    fn new(dir: &'a Path, limits: &'a Limits, hidden: Hidden) -> Self {
        Self {
            dir,
            root: PathBuf::new(),
            handle: None,
            limits,
            hidden,
            visited: HashMap::new(),
            links: VecDeque::new(),
            found: Vec::new(),
            folders: Vec::new(),
            diagnostics: Vec::new(),
            walked: 0,
            unseen: 0,
            too_deep: false,
        }
    }

    fn run(mut self) -> Listing {
        self.start();
        self.finish()
    }

    fn start(&mut self) {
        let opened = self.dir.canonicalize().and_then(|root| {
            let handle = Dir::open_ambient_dir(&root, ambient_authority())?;
            Ok((root, handle))
        });
        match opened {
            Ok((root, handle)) => {
                self.root.clone_from(&root);
                self.handle = Some(handle);
                self.enter(&root, "", 0);
                while let Some(link) = self.links.pop_front() {
                    self.enter_below(&link.real, &link.relative, link.depth);
                }
            }
            Err(error) => self.unlisted("", &error),
        }
    }

    fn finish(mut self) -> Listing {
        let over = self.found.len().saturating_sub(self.limits.resources);
        let counted_all = self.unseen == 0 && !self.too_deep;
        if over > 0 {
            let more = if counted_all { "" } else { "at least " };
            let listed = counted(self.limits.resources, "file");
            self.report_bound(match self.hidden {
                Hidden::Listed => format!("listed {listed}, left out {more}{over} more"),
                Hidden::PassedOver => {
                    format!("the model is told of {listed}, and not of {more}{over} more")
                }
            });
        }
        if self.unseen > 0 {
            let seen = counted(self.limits.walked_entries, "entry");
            let unseen = self.unseen;
            self.report_bound(format!("looked at {seen}, left out at least {unseen} more"));
        }
        self.found.truncate(self.limits.resources);
        let mut resources: Vec<String> = self.found.into_iter().map(|(name, _)| name).collect();
        resources.sort_unstable();
        Listing {
            resources,
            truncated: over > 0 || !counted_all,
            left_out: counted_all.then_some(over),
            diagnostics: self.diagnostics,
        }
    }

    /// Walks the folder whose real path is `real`, listed as `relative`, unless it
    /// was walked before; `depth` is that of its parent.
    fn enter_below(&mut self, real: &Path, relative: &str, depth: usize) {
        if let Some(first) = self.visited.get(real) {
            let first = if first.is_empty() { "." } else { first };
            let message = format!("{relative}: the same folder as {first}");
            self.note(Rule::ResourceNotEntered, relative, message);
        } else if depth >= self.limits.walk_depth {
            self.too_deep = true;
            let message = "resource depth limit reached".to_owned();
            self.warn(Rule::ResourcesDepth, relative, message);
        } else {
            self.enter(real, relative, depth + 1);
        }
    }

    /// Walks the folder whose real path is `real`, listed as `relative`.
    fn enter(&mut self, real: &Path, relative: &str, depth: usize) {
        let children = match self.children(real, relative) {
            Ok(children) => children,
            Err(error) => return self.unlisted(relative, &error),
        };
        self.visited.insert(real.to_path_buf(), relative.to_owned());
        if !relative.is_empty() {
            self.folders.push(relative.to_owned());
        }
        for child in children {
            if self.walked >= self.limits.walked_entries {
                self.unseen += 1;
                continue;
            }
            self.walked += 1;
            let listed = listed_name(relative, &child);
            if child.to_str().is_none() {
                let message = format!("{listed}: the name is not UTF-8, so `read` cannot reach it");
                self.warn(Rule::InvalidUtf8, &listed, message);
                if self.hidden == Hidden::PassedOver {
                    continue;
                }
            }
            self.look_at(&real.join(&child), &listed, depth);
        }
    }

    /// Returns the names in the folder `real` in byte order: as many as may
    /// still be looked at. The rest is counted, and takes no memory.
    fn children(&mut self, real: &Path, relative: &str) -> io::Result<Vec<OsString>> {
        let room = self.limits.walked_entries.saturating_sub(self.walked);
        let mut smallest = BinaryHeap::with_capacity(room.min(64));
        // Opened from the skill's folder: one that became a link out of it since
        // it was resolved is not listed.
        let inside = real.strip_prefix(&self.root).unwrap_or(real);
        let inside = if inside.as_os_str().is_empty() {
            Path::new(".")
        } else {
            inside
        };
        let handle = self.handle.as_ref().ok_or(io::ErrorKind::NotFound)?;
        for entry in handle.open_dir(inside)?.entries()? {
            let name = entry?.file_name();
            if self.passes_over(&name, relative) {
                continue;
            }
            smallest.push(name);
            if smallest.len() > room {
                smallest.pop();
                self.unseen += 1;
            }
        }
        Ok(smallest.into_sorted_vec())
    }

    fn passes_over(&self, name: &OsStr, relative: &str) -> bool {
        self.hidden == Hidden::PassedOver
            && (name.as_encoded_bytes().starts_with(b".")
                || (relative.is_empty() && name == "SKILL.md"))
    }

    /// Lists, enters or reports the entry at `path`, whose folder is real.
    fn look_at(&mut self, path: &Path, relative: &str, depth: usize) {
        let Some((real, kind)) = self.resolve(path, relative) else {
            return;
        };
        if kind.is_dir() {
            return self.enter_child(path, &real, relative, depth);
        }
        let most = self.limits.resource_bytes;
        if !kind.is_file() {
            let message = format!("{relative}: resource is not a regular file");
            self.warn(Rule::NotAFile, relative, message);
        } else if let Some(closed) = self.closed_above(&real) {
            // A link can lead there.
            let message = format!("{relative}: {closed} is not entered");
            self.note(Rule::ResourceNotEntered, relative, message);
        } else if kind.len() > most {
            let message = format!("{relative}: resource exceeds {most} bytes");
            self.warn(Rule::ResourceTooLarge, relative, message);
        } else {
            self.found.push((relative.to_owned(), Stamp::of(&kind)));
        }
    }

    /// Returns the folder above the file at `real` that is not entered.
    fn closed_above(&self, real: &Path) -> Option<String> {
        let inside = real.strip_prefix(&self.root).ok()?;
        let closed = inside.parent().and_then(not_entered)?;
        Some(closed.display().to_string())
    }

    /// Returns the real path and the kind of the entry at `path`, or reports
    /// why a link is not followed.
    fn resolve(&mut self, path: &Path, relative: &str) -> Option<(PathBuf, Metadata)> {
        match real_entry(path) {
            Ok((real, kind)) if real.starts_with(&self.root) => Some((real, kind)),
            Ok(_) => {
                let message = format!("{relative}: resource symlink escapes skill root");
                self.warn(Rule::ResourceLeaves, relative, message);
                None
            }
            Err(_) => {
                let message = format!("{relative}: resource cannot be resolved");
                self.warn(Rule::ResourceUnresolved, relative, message);
                None
            }
        }
    }

    fn enter_child(&mut self, path: &Path, real: &Path, relative: &str, depth: usize) {
        let inside = real.strip_prefix(&self.root).unwrap_or(real);
        let name = path.file_name().map(Path::new);
        // A link is judged by its own name and by every folder it leads through.
        if let Some(closed) = name.and_then(not_entered).or_else(|| not_entered(inside)) {
            let message = format!("{relative}: {} is not entered", closed.display());
            self.note(Rule::ResourceNotEntered, relative, message);
        } else if path == real {
            self.enter_below(real, relative, depth);
        } else {
            self.links.push_back(Link {
                real: real.to_path_buf(),
                relative: relative.to_owned(),
                depth,
            });
        }
    }

    fn unlisted(&mut self, relative: &str, error: &io::Error) {
        let shown = if relative.is_empty() { "." } else { relative };
        let message = format!("{shown}: resource directory cannot be listed ({error})");
        self.warn(Rule::ResourceUnlisted, relative, message);
    }

    fn report_bound(&mut self, message: String) {
        self.diagnostics.push(
            Diagnostic::warning(Rule::ResourcesBound, self.dir, message)
                .with_help("a file that is not listed can still be read by its name"),
        );
    }

    fn note(&mut self, rule: Rule, relative: &str, message: String) {
        let path = self.path_of(relative);
        self.diagnostics
            .push(Diagnostic::note(rule, &path, message));
    }

    fn warn(&mut self, rule: Rule, relative: &str, message: String) {
        let path = self.path_of(relative);
        self.diagnostics
            .push(Diagnostic::warning(rule, &path, message));
    }

    fn path_of(&self, relative: &str) -> PathBuf {
        if relative.is_empty() {
            self.dir.to_path_buf()
        } else {
            self.dir.join(relative)
        }
    }
}

/// Returns the name under which `child` of the folder `relative` is listed.
fn listed_name(relative: &str, child: &OsStr) -> String {
    let child = child.to_string_lossy();
    if relative.is_empty() {
        child.into_owned()
    } else {
        format!("{relative}/{child}")
    }
}

/// Returns where the entry at `path` really is, and what it is there.
fn real_entry(path: &Path) -> io::Result<(PathBuf, Metadata)> {
    let kind = path.symlink_metadata()?;
    if !kind.is_symlink() {
        return Ok((path.to_path_buf(), kind));
    }
    let real = path.canonicalize()?;
    let kind = real.symlink_metadata()?;
    Ok((real, kind))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use super::*;

    /// A skill folder that holds SKILL.md and the empty `files`.
    fn skill(files: &[&str]) -> tempfile::TempDir {
        let skill = tempfile::tempdir().expect("a temporary folder");
        for file in ["SKILL.md"].iter().chain(files) {
            let path = skill.path().join(file);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, "").expect("a file");
        }
        skill
    }

    fn listed(skill: &tempfile::TempDir) -> Listing {
        list(skill.path(), &Limits::DEFAULT)
    }

    fn rules(listing: &Listing) -> Vec<Rule> {
        listing.diagnostics.iter().map(|found| found.rule).collect()
    }

    #[test]
    fn files_are_listed_in_byte_order_with_the_hidden_ones() {
        let skill = skill(&["refs/guide.md", "refs.txt", "Zed", ".hidden", ".d/x", "é"]);
        symlink("refs/guide.md", skill.path().join("alias")).expect("a link");

        let listing = listed(&skill);

        assert_eq!(
            listing.resources,
            [
                ".d/x",
                ".hidden",
                "SKILL.md",
                "Zed",
                "alias",
                "refs.txt",
                "refs/guide.md",
                "é"
            ]
        );
        assert_eq!((listing.truncated, listing.left_out), (false, Some(0)));
        assert_eq!(listing.diagnostics, []);
    }

    #[test]
    fn the_model_is_told_of_no_hidden_file_and_not_of_the_skill_file() {
        let skill = skill(&["refs/guide.md", ".venv/lib/x", "refs/.keep", "old/SKILL.md"]);
        for number in 0..3_000 {
            File::create(skill.path().join(format!(".venv/lib/{number}"))).expect("a file");
        }

        let listing = names(skill.path(), &Limits::DEFAULT);

        assert_eq!(listing.resources, ["old/SKILL.md", "refs/guide.md"]);
        assert_eq!((listing.truncated, listing.left_out), (false, Some(0)));
    }

    #[test]
    fn links_that_leave_or_lead_nowhere_are_reported_and_not_listed() {
        let away = tempfile::tempdir().expect("a temporary folder");
        let skill = skill(&[]);
        fs::write(away.path().join("secret"), "").expect("a file");

        for (target, rule, text) in [
            (
                away.path().join("secret"),
                Rule::ResourceLeaves,
                "refs/link: resource symlink escapes skill root",
            ),
            (
                away.path().to_path_buf(),
                Rule::ResourceLeaves,
                "refs/link: resource symlink escapes skill root",
            ),
            (
                "no-such-file".into(),
                Rule::ResourceUnresolved,
                "refs/link: resource cannot be resolved",
            ),
            (
                "link".into(),
                Rule::ResourceUnresolved,
                "refs/link: resource cannot be resolved",
            ),
        ] {
            let link = skill.path().join("refs/link");
            fs::create_dir_all(skill.path().join("refs")).expect("a folder");
            symlink(&target, &link).expect("a link");

            let listing = listed(&skill);

            assert_eq!(listing.resources, ["SKILL.md"], "{}", target.display());
            assert_eq!(rules(&listing), [rule]);
            assert_eq!(listing.diagnostics[0].message, text);
            assert_eq!(listing.diagnostics[0].path, link);
            fs::remove_file(link).expect("no link");
        }
    }

    #[test]
    fn a_folder_reached_twice_is_listed_once_at_its_real_path() {
        let skill = skill(&["b/file", ".c/file"]);
        symlink(".c", skill.path().join("c")).expect("a link");
        symlink(".c", skill.path().join("d")).expect("a link");
        symlink("b", skill.path().join("a")).expect("a link");
        symlink(".", skill.path().join("round")).expect("a link");
        symlink("..", skill.path().join("b/up")).expect("a link");

        let listing = listed(&skill);

        assert_eq!(listing.resources, [".c/file", "SKILL.md", "b/file"]);
        assert_eq!(
            messages(&listing),
            [
                "a: the same folder as b",
                "b/up: the same folder as .",
                "c: the same folder as .c",
                "d: the same folder as .c",
                "round: the same folder as .",
            ]
        );
        assert!(!listing.truncated);
        // What is hidden is told under the first link that shows it.
        let told = names(skill.path(), &Limits::DEFAULT);
        assert_eq!(told.resources, ["b/file", "c/file"]);
        assert!(messages(&told).contains(&"d: the same folder as c"));
    }

    #[test]
    fn a_folder_is_named_as_the_same_only_as_one_that_was_walked() {
        // The walk ends before z, so that only its links come there.
        let skill = skill(&["m/1", "m/2", "z/file"]);
        symlink("z", skill.path().join("a")).expect("a link");
        symlink("z", skill.path().join("b")).expect("a link");
        let limits = Limits {
            walked_entries: 5,
            ..Limits::DEFAULT
        };

        let listing = list(skill.path(), &limits);

        assert_eq!(listing.resources, ["SKILL.md", "m/1"]);
        assert_eq!(
            messages(&listing),
            [
                "b: the same folder as a",
                "looked at 5 entries, left out at least 3 more"
            ]
        );
    }

    #[test]
    fn folders_of_others_are_named_and_not_entered() {
        let skill = skill(&[".git/config", "lib/node_modules/left/pad.js", "lib/run.js"]);
        symlink("lib/node_modules/left", skill.path().join("pad")).expect("a link");
        symlink("lib", skill.path().join("node_modules")).expect("a link");
        symlink(".git/config", skill.path().join("config")).expect("a link");

        let listing = listed(&skill);

        assert_eq!(listing.resources, ["SKILL.md", "lib/run.js"]);
        assert_eq!(
            messages(&listing),
            [
                ".git: .git is not entered",
                "config: .git is not entered",
                "lib/node_modules: node_modules is not entered",
                "node_modules: node_modules is not entered",
                "pad: node_modules is not entered",
            ]
        );
        assert!(
            rules(&listing)
                .iter()
                .all(|&r| r == Rule::ResourceNotEntered)
        );
    }

    #[test]
    fn whatever_is_not_a_file_of_fitting_size_is_reported_and_not_listed() {
        let skill = skill(&["fits"]);
        let at = |name: &str| skill.path().join(name);
        let _socket = UnixListener::bind(at("socket")).expect("a socket");
        for (name, size) in [("fits", 16_777_216), ("large", 16_777_217)] {
            let file = File::create(at(name)).expect("a file");
            file.set_len(size).expect("a sparse file");
        }

        let listing = listed(&skill);

        assert_eq!(listing.resources, ["SKILL.md", "fits"]);
        assert_eq!(
            messages(&listing),
            [
                "large: resource exceeds 16777216 bytes",
                "socket: resource is not a regular file",
            ]
        );
        assert_eq!(rules(&listing), [Rule::ResourceTooLarge, Rule::NotAFile]);
    }

    #[test]
    fn names_that_are_not_utf8_are_listed_with_a_warning() {
        let skill = skill(&[]);
        let name = OsStr::from_bytes(b"caf\xe9");
        if File::create(skill.path().join(name)).is_err() {
            return; // macOS has no such names.
        }

        let listing = listed(&skill);

        assert_eq!(listing.resources, ["SKILL.md", "caf\u{fffd}"]);
        assert_eq!(rules(&listing), [Rule::InvalidUtf8]);
        let told = names(skill.path(), &Limits::DEFAULT);
        assert_eq!(
            (told.resources.len(), rules(&told)),
            (0, vec![Rule::InvalidUtf8])
        );
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_empty_list_with_a_warning() {
        let skill = skill(&[]);

        let listing = list(&skill.path().join("no-such-folder"), &Limits::DEFAULT);

        assert_eq!(listing.resources, [""; 0]);
        assert_eq!(rules(&listing), [Rule::ResourceUnlisted]);
    }

    #[test]
    fn the_list_stops_at_its_bound_and_says_how_many_are_left_out() {
        let files: Vec<String> = (0..600).map(|number| format!("many/{number:03}")).collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();

        for (count, listed, told) in [
            (511, Some(0), Some(0)),
            (512, Some(1), Some(0)),
            (513, Some(2), Some(1)),
            (600, Some(89), Some(88)),
        ] {
            let skill = skill(&files[..count]);

            let all = list(skill.path(), &Limits::DEFAULT);
            let some = names(skill.path(), &Limits::DEFAULT);

            assert_eq!((all.left_out, some.left_out), (listed, told), "{count}");
            assert_eq!(all.resources.len(), 512.min(count + 1));
            assert_eq!(some.resources.len(), 512.min(count));
            if told > Some(0) {
                let words = format!(
                    "the model is told of 512 files, and not of {} more",
                    count - 512
                );
                assert_eq!(messages(&some), [words]);
            }
            for listing in [all, some] {
                let bitten = listing.left_out != Some(0);
                assert_eq!(listing.truncated, bitten);
                assert_eq!(rules(&listing).contains(&Rule::ResourcesBound), bitten);
            }
        }
    }

    #[test]
    fn the_walk_stops_at_2048_entries_and_says_at_least_how_many_are_left() {
        // SKILL.md and the folder are entries, too.
        for (files, left) in [(2_046, 0), (2_047, 1), (2_100, 54)] {
            let skill = skill(&[]);
            fs::create_dir(skill.path().join("many")).expect("a folder");
            for number in 0..files {
                File::create(skill.path().join(format!("many/{number:04}"))).expect("a file");
            }

            let listing = listed(&skill);

            assert_eq!(listing.left_out, (left == 0).then_some(2_047 - 512));
            assert_eq!(listing.resources.last().expect("a name"), "many/0510");
            let bound = format!("looked at 2048 entries, left out at least {left} more");
            assert_eq!(messages(&listing).contains(&bound.as_str()), left > 0);
        }
    }

    #[test]
    fn entries_left_in_every_open_folder_count_as_left() {
        let skill = skill(&["a/1", "a/2", "a/3", "b", "c"]);
        let limits = Limits {
            walked_entries: 3,
            ..Limits::DEFAULT
        };

        let listing = list(skill.path(), &limits);

        // SKILL.md, a, a/1; then a/2, a/3, b and c.
        assert_eq!(listing.resources, ["SKILL.md", "a/1"]);
        assert_eq!(
            messages(&listing),
            ["looked at 3 entries, left out at least 4 more"]
        );
        assert_eq!((listing.truncated, listing.left_out), (true, None));
    }

    #[test]
    fn sixteen_folders_deep_is_listed_and_seventeen_is_not() {
        let deep = "d/".repeat(16);
        let skill = skill(&[&format!("{deep}file"), &format!("{deep}d/file"), "z"]);

        let listing = listed(&skill);

        assert_eq!(
            listing.resources,
            ["SKILL.md".to_owned(), format!("{deep}file"), "z".to_owned()]
        );
        assert_eq!(messages(&listing), ["resource depth limit reached"]);
        assert_eq!((listing.truncated, listing.left_out), (true, None));
    }

    #[test]
    fn a_listing_is_json_in_the_shape_of_the_contract() {
        let skill = skill(&["a"]);

        let json = serde_json::to_string(&listed(&skill)).expect("JSON");

        assert_eq!(
            json,
            r#"{"resources":["SKILL.md","a"],"truncated":false,"left_out":0,"diagnostics":[]}"#
        );
    }

    fn messages(listing: &Listing) -> Vec<&str> {
        let found = listing.diagnostics.iter();
        found.map(|found| found.message.as_str()).collect()
    }
}
