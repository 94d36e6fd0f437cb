//! Which paths git ignores, and which ones a list of such patterns names.
//!
//! Only what stands in the repository counts, so that a check says the same on
//! every machine: its `.gitignore` files and `.git/info/exclude`, not the
//! user's own list. This is the only file that knows the crate `ignore`.

use std::path::Path;
use std::rc::Rc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The folder that makes a repository; a file of this name, a linked worktree.
pub(super) const GIT: &str = ".git";
/// The file with patterns of what git ignores.
pub(super) const GITIGNORE: &str = ".gitignore";

/// The rules that hold in one folder: its own and those of the folders above.
#[derive(Debug, Clone, Default)]
pub(super) struct Rules(Option<Rc<Level>>);

#[derive(Debug)]
struct Level {
    rules: Gitignore,
    above: Rules,
}

impl Rules {
    /// Returns the rules that the folders above `folder`, a real path, have for
    /// it, up to the top of its repository. `None`: git ignores `folder`.
    pub(super) fn leading_to(folder: &Path) -> Option<Self> {
        let mut above: Vec<&Path> = Vec::new();
        for ancestor in folder.ancestors() {
            above.push(ancestor);
            if ancestor.join(GIT).symlink_metadata().is_ok() {
                return Self::down(&above);
            }
        }
        Some(Self::default())
    }

    /// Goes from the top of a repository, which stands last, down to the first.
    fn down(folders: &[&Path]) -> Option<Self> {
        let mut folders = folders.iter().rev();
        let mut above = folders.next()?;
        let mut rules = Self::of_repository(above);
        for folder in folders {
            if is_plain_file(&above.join(GITIGNORE)) {
                rules = rules.with_file_in(above);
            }
            if rules.ignore(folder, true) {
                return None;
            }
            above = folder;
        }
        Some(rules)
    }

    /// Returns the rules that hold at the top of a repository.
    pub(super) fn of_repository(top: &Path) -> Self {
        let exclude = top.join(GIT).join("info/exclude");
        if is_plain_file(&exclude) {
            Self::default().with(top, |builder| {
                builder.add(&exclude);
            })
        } else {
            Self::default()
        }
    }

    /// Adds the rules of the `.gitignore` in `folder`, which must be a regular
    /// file: git follows no link there, and a pipe would be waited for.
    pub(super) fn with_file_in(self, folder: &Path) -> Self {
        self.with(folder, |builder| {
            builder.add(folder.join(GITIGNORE));
        })
    }

    fn with(self, folder: &Path, fill: impl FnOnce(&mut GitignoreBuilder)) -> Self {
        // Like git, this passes over a pattern that is none.
        let mut builder = GitignoreBuilder::new(folder);
        fill(&mut builder);
        match builder.build() {
            Ok(rules) if !rules.is_empty() => Self(Some(Rc::new(Level { rules, above: self }))),
            _ => self,
        }
    }

    /// Returns whether git ignores `path`, an entry of the folder that these
    /// rules hold in. To git, a link is no folder.
    pub(super) fn ignore(&self, path: &Path, is_folder: bool) -> bool {
        let mut level = self.0.as_deref();
        while let Some(Level { rules, above }) = level {
            match rules.matched(path, is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => level = above.0.as_deref(),
            }
        }
        false
    }
}

fn is_plain_file(path: &Path) -> bool {
    path.symlink_metadata()
        .is_ok_and(|metadata| metadata.is_file())
}

/// Patterns as a `.gitignore` has them, under one folder.
#[derive(Debug, Clone)]
pub(crate) struct Patterns(Gitignore);

impl Patterns {
    /// Reads patterns that are relative to `folder`, an absolute path.
    ///
    /// # Errors
    ///
    /// Returns the index of the pattern that is none, and what is wrong with it.
    pub(crate) fn parse<'a>(
        folder: &Path,
        patterns: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, (usize, String)> {
        let mut builder = GitignoreBuilder::new(folder);
        for (index, pattern) in patterns.into_iter().enumerate() {
            let added = builder.add_line(None, pattern);
            added.map_err(|error| (index, plain_words(&error)))?;
        }
        let built = builder.build();
        built.map(Self).map_err(|error| (0, plain_words(&error)))
    }

    /// Returns whether a pattern names `path` or a folder above it.
    pub(crate) fn name(&self, path: &Path) -> bool {
        let Ok(inner) = path.strip_prefix(self.0.path()) else {
            return false;
        };
        let above = inner.ancestors().skip(1).filter(|folder| *folder != "");
        let is_named = |path, is_folder| self.0.matched(path, is_folder).is_ignore();
        is_named(inner, false) || above.into_iter().any(|folder| is_named(folder, true))
    }
}

/// Leaves out the glob, which whoever reports it shows in its place.
fn plain_words(error: &ignore::Error) -> String {
    match error {
        ignore::Error::Glob { err, .. } => err.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_nearest_file_decides_and_nothing_above_the_repository_counts() {
        let temporary = tempfile::tempdir().unwrap();
        let top = temporary.path().canonicalize().unwrap();
        for (file, text) in [
            (".gitignore", "*\n"),
            ("repo/.git/info/exclude", "private\n"),
            ("repo/.gitignore", "build/\n*.tmp\n[\n"),
            ("repo/sub/.gitignore", "!keep.tmp\n/local\n"),
        ] {
            fs::create_dir_all(top.join(file).parent().unwrap()).unwrap();
            fs::write(top.join(file), text).unwrap();
        }
        let sub = top.join("repo/sub");
        let rules = Rules::leading_to(&sub).unwrap().with_file_in(&sub);

        for (name, is_folder, is_ignored) in [
            ("build", true, true),
            ("build", false, false),
            ("a.tmp", true, true),
            ("keep.tmp", true, false),
            ("local", true, true),
            ("private", true, true),
            ("other", true, false),
        ] {
            let found = rules.ignore(&sub.join(name), is_folder);
            assert_eq!(found, is_ignored, "{name}");
        }
        assert!(Rules::leading_to(&top.join("repo/build/deep")).is_none());
    }

    #[test]
    fn patterns_name_paths_and_all_that_is_under_them() {
        let folder = Path::new("/p");
        let patterns = Patterns::parse(folder, ["vendor/", "/old", "**/draft-*"]).unwrap();

        for (path, is_named) in [
            ("/p/vendor/x/SKILL.md", true),
            ("/p/a/vendor/x/SKILL.md", true),
            ("/p/old/SKILL.md", true),
            ("/p/a/old/SKILL.md", false),
            ("/p/skills/draft-x/SKILL.md", true),
            ("/p/skills/x/SKILL.md", false),
            ("/elsewhere/vendor/x/SKILL.md", false),
            ("/p", false),
        ] {
            assert_eq!(patterns.name(Path::new(path)), is_named, "{path}");
        }
    }

    #[test]
    fn a_pattern_that_is_none_is_told_by_its_index() {
        let (index, words) = Patterns::parse(Path::new("/p"), ["fine", "a{b"]).unwrap_err();

        assert_eq!(index, 1);
        assert!(words.contains("alternate"), "{words}");
    }
}
