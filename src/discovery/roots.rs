//! Which folders are looked at, in which order.
//!
//! The order here is the precedence of copies: the first valid skill owns its
//! name. This file touches no disk.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::project::Project;
use crate::env::Env;

/// The children of every base, in order.
const CHILDREN: [&str; 9] = [
    ".codeaf/skills",
    ".agents/skills",
    ".claude/skills",
    ".codex/skills",
    ".cursor/skills",
    ".gemini/skills",
    ".opencode/skills",
    ".goose/skills",
    ".github/skills",
];

/// The children that are looked at under home alone, after [`CHILDREN`].
const HOME_CHILDREN: [&str; 3] = [
    ".copilot/skills",
    ".config/opencode/skills",
    ".config/goose/skills",
];

/// Where a skill comes from, in the order in which groups of skills are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The user's own store.
    Personal,
    /// A root that was given: `--skills-dir` or `CODEAF_SKILLS_PATH`.
    Given,
    /// A root of the project, or of a folder between it and the starting folder.
    Project,
    /// A root of an attached folder.
    Attached,
    /// A root of the home folder.
    Home,
}

impl Origin {
    /// Returns the word that stands in output and in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Personal => "personal",
            Self::Given => "given",
            Self::Project => "project",
            Self::Attached => "attached",
            Self::Home => "home",
        }
    }
}

/// A folder whose children are looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// The folder, absolute, links in it unresolved.
    pub path: PathBuf,
    /// Why it is looked at.
    pub origin: Origin,
    /// The folder that links under this root may not leave, unless for another
    /// root; none where links are followed anywhere.
    pub boundary: Option<PathBuf>,
}

/// Returns every root of `env`, first the one that wins.
#[must_use]
pub fn roots(env: &Env, project: Option<&Project>, attached: &[PathBuf]) -> Vec<Root> {
    let given = env.given_roots.iter().map(|path| Root {
        path: env.absolute(path),
        origin: Origin::Given,
        boundary: None,
    });
    let of_project = project.into_iter().flat_map(|project| {
        project
            .bases(&env.start)
            .flat_map(|base| under(base, &CHILDREN, Origin::Project, Some(&project.folder)))
    });
    let of_attached = attached
        .iter()
        .flat_map(|folder| under(folder, &CHILDREN, Origin::Attached, Some(folder)));
    let of_home = env.home.iter().flat_map(|home| {
        let children = [&CHILDREN[..], &HOME_CHILDREN].concat();
        under(home, &children, Origin::Home, None).collect::<Vec<_>>()
    });
    given
        .chain(of_project)
        .chain(of_attached)
        .chain(of_home)
        .collect()
}

/// Returns whether `path` ends as the roots of agents do, under whatever base.
#[cfg(feature = "check")]
pub(crate) fn is_known(path: &Path) -> bool {
    let mut children = CHILDREN.iter().chain(&HOME_CHILDREN);
    children.any(|child| path.ends_with(child))
}

/// Returns the roots that are looked at under a home.
#[cfg(feature = "check")]
pub(crate) fn of_home(home: &Path) -> impl Iterator<Item = PathBuf> {
    let children = CHILDREN.iter().chain(&HOME_CHILDREN);
    children.map(move |child| home.join(child))
}

fn under<'a>(
    base: &'a Path,
    children: &[&'static str],
    origin: Origin,
    boundary: Option<&'a Path>,
) -> impl Iterator<Item = Root> + use<'a> {
    let children = children.to_vec();
    children.into_iter().map(move |child| Root {
        path: base.join(child),
        origin,
        boundary: boundary.map(Path::to_path_buf),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_given_then_project_then_attached_then_home() {
        let mut env = Env::new("/p/sub");
        env.home = Some("/h".into());
        env.given_roots = vec!["/given".into(), "relative".into()];
        let project = Project {
            folder: "/p".into(),
            marked: true,
        };

        let roots = roots(&env, Some(&project), &["/att".into()]);

        let paths: Vec<_> = roots
            .iter()
            .map(|root| root.path.to_str().unwrap())
            .collect();
        assert_eq!(
            paths[..4],
            [
                "/given",
                "/p/sub/relative",
                "/p/sub/.codeaf/skills",
                "/p/sub/.agents/skills"
            ]
        );
        assert_eq!(paths[11], "/p/.codeaf/skills");
        assert_eq!(paths[20], "/att/.codeaf/skills");
        assert_eq!(
            paths[29..],
            [
                "/h/.codeaf/skills",
                "/h/.agents/skills",
                "/h/.claude/skills",
                "/h/.codex/skills",
                "/h/.cursor/skills",
                "/h/.gemini/skills",
                "/h/.opencode/skills",
                "/h/.goose/skills",
                "/h/.github/skills",
                "/h/.copilot/skills",
                "/h/.config/opencode/skills",
                "/h/.config/goose/skills",
            ]
        );
    }

    #[test]
    fn without_project_and_home_only_given_roots_are_left() {
        let env = Env::new("/p");

        assert!(roots(&env, None, &[]).is_empty());
    }
}
