//! Which folder is the project.
//!
//! This file decides where the search for a project begins and ends. It does
//! not know what a project's scope file says.

use std::path::{Path, PathBuf};

use crate::env::Env;

/// The folder whose scope file and roots count as the project's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// The project's folder, absolute.
    pub folder: PathBuf,
    /// Whether `.git` or `.codeaf` marks it. Without a mark it is only read,
    /// unless a write names the project scope outright.
    pub marked: bool,
}

impl Project {
    /// The entries that make a folder a project.
    pub const MARKERS: [&'static str; 2] = [".git", ".codeaf"];

    /// Finds the project of the starting folder: the nearest folder at or above
    /// it that holds `.git` or `.codeaf`, else the starting folder itself.
    ///
    /// The search stops below home, which is never a project.
    #[must_use]
    pub fn find(env: &Env) -> Option<Self> {
        let mut searched = Self::searched(env);
        let start = searched.next()?;
        let last = searched.last().unwrap_or(start);
        let marked = is_marked(last);
        Some(Self {
            folder: if marked { last } else { start }.to_path_buf(),
            marked,
        })
    }

    /// Returns the folders in which a marker would make the project, nearest
    /// first: from the starting folder up to the one that has it, or to the last
    /// below home.
    pub fn searched(env: &Env) -> impl Iterator<Item = &Path> {
        let homes = real_homes(env);
        let mut is_found = false;
        env.start.ancestors().take_while(move |folder| {
            let is_searched = !is_found && !homes.iter().any(|home| home == folder);
            is_found = is_found || (is_searched && is_marked(folder));
            is_searched
        })
    }

    /// Returns the folders from the starting folder up to the project, nearest
    /// first.
    pub fn bases<'a>(&'a self, start: &'a Path) -> impl Iterator<Item = &'a Path> {
        start
            .ancestors()
            .take_while(|folder| folder.starts_with(&self.folder))
    }
}

fn is_marked(folder: &Path) -> bool {
    // A `.git` file marks a linked worktree or a submodule.
    Project::MARKERS
        .iter()
        .any(|marker| folder.join(marker).symlink_metadata().is_ok())
}

fn real_homes(env: &Env) -> Vec<PathBuf> {
    [&env.home, &env.login_home]
        .into_iter()
        .flatten()
        .flat_map(|home| [home.canonicalize().ok(), Some(home.clone())])
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn found(root: &Path, start: &str) -> Option<(String, bool)> {
        let mut env = Env::new(root.join(start));
        env.home = Some(root.join("home"));
        let project = Project::find(&env)?;
        let folder = project.folder.strip_prefix(root).ok()?.to_str()?.to_owned();
        Some((folder, project.marked))
    }

    #[test]
    fn the_nearest_marker_below_home_makes_the_project() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap();
        for folder in [
            "home/.codeaf",
            "home/plain/deep",
            "home/repo/.git",
            "home/repo/sub/.codeaf",
            "home/repo/sub/deep",
            "home/repo/other",
        ] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        fs::create_dir_all(root.join("home/worktree/src")).unwrap();
        fs::write(root.join("home/worktree/.git"), "gitdir: elsewhere").unwrap();

        for (start, project) in [
            ("home/repo", Some(("home/repo", true))),
            ("home/repo/other", Some(("home/repo", true))),
            ("home/repo/sub/deep", Some(("home/repo/sub", true))),
            ("home/worktree/src", Some(("home/worktree", true))),
            ("home/plain/deep", Some(("home/plain/deep", false))),
            ("home", None),
        ] {
            let project = project.map(|(folder, marked)| (folder.to_owned(), marked));
            assert_eq!(found(&root, start), project, "{start}");
        }
    }

    #[test]
    fn the_search_ends_at_the_marker_or_below_home() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("home/repo/.git")).unwrap();
        fs::create_dir_all(root.join("home/repo/a/b")).unwrap();
        fs::create_dir_all(root.join("home/plain/a")).unwrap();
        let searched = |start: &str| {
            let mut env = Env::new(root.join(start));
            env.home = Some(root.join("home"));
            let folders = Project::searched(&env).map(|folder| folder.strip_prefix(&root).unwrap());
            folders
                .map(|folder| folder.display().to_string())
                .collect::<Vec<_>>()
        };

        assert_eq!(
            searched("home/repo/a/b"),
            ["home/repo/a/b", "home/repo/a", "home/repo"]
        );
        assert_eq!(searched("home/plain/a"), ["home/plain/a", "home/plain"]);
        assert!(searched("home").is_empty());
    }

    #[test]
    fn bases_go_from_the_start_up_to_the_project() {
        let project = Project {
            folder: "/a/b".into(),
            marked: true,
        };

        let bases: Vec<_> = project.bases(Path::new("/a/b/c/d")).collect();

        assert_eq!(
            bases,
            [
                Path::new("/a/b/c/d"),
                Path::new("/a/b/c"),
                Path::new("/a/b")
            ]
        );
    }
}
