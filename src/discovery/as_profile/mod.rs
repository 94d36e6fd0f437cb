//! Roots to skills as another agent system takes them, from the table of its
//! places and the verdict on each SKILL.md.
//!
//! It is slower than the ordinary scan: it reads one folder after the other.

mod look;
mod names;
mod reading;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::broken::Broken;
use super::roots::{Origin, Root};
use super::scan::{LookedAt, RootOutcome, Scan, Skill};
use crate::env::Env;
use crate::limits::Limits;
use crate::skill::profile::{Base, Links, Places, Profile};
use look::Look;

/// Returns every root of the system of `profile`, first the one that comes
/// first in its order; what was given comes before all.
pub(super) fn roots(env: &Env, attached: &[PathBuf], profile: &Profile) -> Vec<Root> {
    let places = profile.places;
    let under = |base: &Path, children: &[&str], origin| -> Vec<Root> {
        let children = children.iter().map(|child| base.join(child));
        children.map(|path| root(path, origin, places)).collect()
    };
    let given = env.given_roots.iter();
    let mut roots: Vec<Root> = given
        .map(|path| root(env.absolute(path), Origin::Given, places))
        .collect();
    let of_project = bases(env, places)
        .into_iter()
        .flat_map(|base| under(base, places.project, Origin::Project));
    let of_attached = attached
        .iter()
        .flat_map(|folder| under(folder, places.project, Origin::Attached));
    let of_home = env
        .home
        .iter()
        .flat_map(|home| under(home, places.home, Origin::Home));
    if places.first == Some(Base::Home) {
        roots.extend(of_home.chain(of_project).chain(of_attached));
    } else {
        roots.extend(of_project.chain(of_attached).chain(of_home));
    }
    roots
}

fn root(path: PathBuf, origin: Origin, places: &Places) -> Root {
    let boundary = (!matches!(places.folder_links, Some(Links::Followed))).then(|| path.clone());
    Root {
        path,
        origin,
        boundary,
    }
}

/// Returns the starting folder, and those above it up to the repository where
/// the system looks there too.
fn bases<'a>(env: &'a Env, places: &Places) -> Vec<&'a Path> {
    let start = env.start.as_path();
    let is_repository = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
    let top = start.ancestors().find(is_repository);
    match (places.walks_up, top) {
        (Some(true), Some(top)) => start
            .ancestors()
            .take_while(|folder| folder.starts_with(top))
            .collect(),
        _ => vec![start],
    }
}

/// Looks at the roots as the system of `profile` does.
///
/// `project` is the project's folder, without links.
pub(super) fn scan(
    roots: Vec<Root>,
    project: Option<&Path>,
    profile: &'static Profile,
    limits: &Limits,
) -> Scan {
    let mut look = Look::new(profile, project, limits);
    let mut looked_at = Vec::new();
    let mut is_limited = false;
    for root in roots {
        let root = Arc::new(root);
        // A root that is left is enough, there or not.
        let outcome = if is_limited || look.limited(&root.path) {
            is_limited = true;
            RootOutcome::Refused
        } else {
            let (outcome, left_over) = look.root(&root);
            is_limited = left_over && look.limited(&root.path);
            outcome
        };
        looked_at.push(LookedAt { root, outcome });
    }
    let mut found = look.found;
    names::settle(&mut found, profile);
    let mut scan = Scan {
        roots: looked_at,
        ..Scan::default()
    };
    for found in names::within_bound(found, profile.places) {
        match found {
            Found::Skill(skill) => scan.skills.push(*skill),
            Found::Broken(broken) => scan.broken.push(broken),
        }
    }
    scan
}

/// What came of a candidate.
enum Found {
    Skill(Box<Skill>),
    Broken(Broken),
}
