//! What changed between two views of the skills, in words: for the model, once,
//! and for a person.

use std::borrow::Cow;

use crate::disclosure::{CatalogForm, Withdrawn};
use crate::discovery::difference::Difference;
use crate::discovery::snapshot::Snapshot;
use crate::name::{Source, split_qualified};
use crate::scope::State;
use crate::text::visible;

/// Whether a decision is among the differences: then `message[0]` says what
/// holds.
pub(super) fn of_decisions(differences: &[Difference]) -> bool {
    differences.iter().any(|difference| {
        matches!(
            difference,
            Difference::TurnedOn { .. }
                | Difference::TurnedOff { .. }
                | Difference::ScopeUnreadable { .. }
                | Difference::ScopeMended { .. }
        )
    })
}

/// Returns the catalog as the model is told of it; empty with nothing callable.
pub(super) fn catalog(snapshot: &Snapshot) -> String {
    // Without a budget every catalog fits.
    let rendered = snapshot.catalog().render(CatalogForm::Text, None);
    rendered.map(|rendered| rendered.text).unwrap_or_default()
}

/// Returns what the model is told once, at the tail, of a catalog that takes the
/// place of the one that it was told last.
pub(super) fn of_catalog(catalog: &str) -> String {
    format!(
        "The skills have changed. This list takes the place of every earlier one:\n\n{}",
        catalog.trim_end()
    )
}

/// Returns what the model is told once of loaded skills that say something else
/// now, by their aliases; nothing of none.
pub(super) fn of_rewritten(aliases: &[Cow<'_, str>]) -> Option<String> {
    (!aliases.is_empty()).then(|| {
        format!(
            "The instructions of these skills have changed since they were loaded: {}. \
             Load one again before you rely on it.",
            aliases.join(", ")
        )
    })
}

/// Returns what the model is told once of a loaded skill that is no longer in
/// force.
pub(super) fn of_withdrawn(withdrawn: &Withdrawn) -> String {
    let (source, bare) = split_qualified(&withdrawn.name);
    let name = match source {
        Some(Source::Workspace) => bare,
        _ => &withdrawn.name,
    };
    let what = if withdrawn.is_allowed {
        "was turned off"
    } else {
        "is not allowed any more"
    };
    format!("The skill {name} {what}: do not follow its instructions any more.")
}

/// Returns the aliases of the skills that are another text, or another copy.
pub(super) fn rewritten(differences: &[Difference]) -> Vec<&str> {
    differences
        .iter()
        .filter_map(|difference| match difference {
            Difference::Rewritten { alias } | Difference::Moved { alias, .. } => {
                Some(alias.as_str())
            }
            _ => None,
        })
        .collect()
}

/// Returns a difference as a line for a person.
pub(super) fn words(difference: &Difference) -> Option<String> {
    let line = match difference {
        Difference::Added { alias, state } => match state {
            State::On => format!("{} is new, and on", visible(alias)),
            State::Off => format!("{} is new, and off", visible(alias)),
        },
        Difference::Removed { alias } => format!("{} is gone", visible(alias)),
        Difference::Renamed { from, alias } => {
            format!("{} is called {} now", visible(from), visible(alias))
        }
        Difference::Moved {
            alias, location, ..
        } => {
            format!(
                "{} is the copy at {} now",
                visible(alias),
                location.display()
            )
        }
        Difference::TurnedOn { alias } => format!("{} is on", visible(alias)),
        Difference::TurnedOff { alias } => format!("{} is off", visible(alias)),
        Difference::Described { alias } => format!("{} has a new description", visible(alias)),
        Difference::Annotated { alias } => format!("{} has other fields", visible(alias)),
        Difference::Rewritten { alias } => format!("{} has new instructions", visible(alias)),
        // These are told as what they are, with place and cause.
        Difference::ScopeUnreadable { .. } | Difference::ScopeMended { .. } => return None,
    };
    Some(line)
}
