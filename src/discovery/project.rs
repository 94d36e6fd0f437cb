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
    /// Finds the project of the starting folder: the nearest folder at or above
    /// it that holds `.git` or `.codeaf`, else the starting folder itself.
    ///
    /// The search stops below home, which is never a project.
    #[must_use]
    pub fn find(env: &Env) -> Option<Self> {
        let homes = real_homes(env);
        let below_home = || {
            env.start
                .ancestors()
                .take_while(|folder| !homes.iter().any(|home| home == folder))
        };
        let marked = below_home().find(|folder| is_marked(folder));
        let folder = marked.or_else(|| below_home().next())?;
        Some(Self {
            folder: folder.to_path_buf(),
            marked: marked.is_some(),
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
    [".git", ".codeaf"]
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
