//! What is decided once everything is found: who owns a name, and which lines a
//! system shows.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::super::broken::Broken;
use super::super::scan::Skill;
use super::Found;
use crate::diagnostic::{Diagnostic, Rule};
use crate::skill::profile::{PlaceCase, Places, Profile, SameName};

/// Decides which skill of a name is taken, as far as that is known.
pub(super) fn settle(found: &mut [Found], profile: &Profile) {
    let places = profile.places;
    let mut skills: Vec<&mut Skill> = found
        .iter_mut()
        .filter_map(|found| match found {
            Found::Skill(skill) => Some(&mut **skill),
            Found::Broken(_) => None,
        })
        .collect();
    if places.same_name == Some(SameName::Last) {
        skills.reverse();
    }
    let mut owners: HashMap<String, PathBuf> = HashMap::new();
    for skill in skills {
        let location = skill.place();
        let Some(winner) = owners.get(&skill.name) else {
            owners.insert(skill.name.clone(), location);
            continue;
        };
        let unsettled = |how: &str| {
            let other = winner.display();
            format!("which of two skills of this name is taken {how}: the other is {other}")
        };
        let message = match places.same_name {
            Some(SameName::AllStay) => None,
            Some(SameName::Unsettled) => Some(unsettled("can change from run to run")),
            None => Some(unsettled("is not known")),
            Some(SameName::First | SameName::Last) => {
                skill.shadowed_by = Some(winner.clone());
                places.words(PlaceCase::NameTaken).map(|words| {
                    words
                        .replace("{winner}", &winner.to_string_lossy())
                        .replace("{name}", &skill.name)
                })
            }
        };
        skill.diagnostics.extend(
            message.map(|message| Diagnostic::warning(Rule::NameDuplicate, &location, message)),
        );
    }
}

/// Leaves out what the system does not show; the last line that it shows says
/// how much that is.
pub(super) fn within_bound(mut found: Vec<Found>, places: &Places) -> Vec<Found> {
    let Some(most) = places.diagnostics else {
        return found;
    };
    let is_told = |found: &Found| match found {
        Found::Skill(skill) => is_loser_told(skill),
        Found::Broken(_) => true,
    };
    let total = found.iter().filter(|found| is_told(found)).count();
    if total <= most {
        return found;
    }
    let shown = most.saturating_sub(1);
    let mut left = shown;
    let mut last = None;
    found.retain_mut(|found| {
        if !is_told(found) {
            return true;
        }
        if left > 0 {
            left -= 1;
            return true;
        }
        match found {
            Found::Skill(skill) => {
                skill
                    .diagnostics
                    .retain(|told| told.rule != Rule::NameDuplicate);
                last = Some(Broken {
                    location: skill.folder().map(Path::to_path_buf).unwrap_or_default(),
                    name: skill.name.clone(),
                    diagnostics: Vec::new(),
                });
                true
            }
            Found::Broken(broken) => {
                last = Some(broken.clone());
                false
            }
        }
    });
    let omitted = last.and_then(|last| omitted(total - shown, &last, places));
    found.extend(omitted.map(Found::Broken));
    found
}

fn is_loser_told(skill: &Skill) -> bool {
    let mut diagnostics = skill.diagnostics.iter();
    diagnostics.any(|found| found.rule == Rule::NameDuplicate)
}

/// Makes the line about `count` lines that are left out, the last of which may
/// be about a bound: that is said all the same.
fn omitted(count: usize, last: &Broken, places: &Places) -> Option<Broken> {
    let words = places.words(PlaceCase::Omitted)?;
    let message = words.replace("{count}", &count.to_string());
    let warning = Diagnostic::warning(Rule::CandidatesBound, &last.location, message);
    let bound = last
        .diagnostics
        .iter()
        .find(|found| found.rule == Rule::CandidatesBound);
    let warning = match bound {
        Some(bound) => warning.with_help(format!("the last of them says: {}", bound.message)),
        None => warning,
    };
    Some(Broken::at(&last.location, warning))
}
