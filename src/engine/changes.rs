//! What changed between two views of the skills, in words: for the model, once,
//! and for a person.

use crate::disclosure::{CatalogForm, Ledger};
use crate::discovery::difference::Difference;
use crate::discovery::snapshot::{Lookup, Snapshot};
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

/// Returns what the model is told once, at the tail, of skills that are
/// different now; nothing if it can see nothing of that.
///
/// `told` is the catalog that it was told last.
pub(super) fn note(
    differences: &[Difference],
    later: &Snapshot,
    ledger: &Ledger,
    told: &str,
) -> Option<String> {
    let now = catalog(later);
    let mut parts = Vec::new();
    if now != told {
        parts.push(format!(
            "The skills have changed. This list takes the place of every earlier one:\n\n{}",
            now.trim_end()
        ));
    }
    let is_loaded = |alias: &str| match later.lookup(alias) {
        Lookup::Found(skill) => later.permits(skill) && ledger.knows(skill),
        _ => false,
    };
    let rewritten: Vec<String> = differences
        .iter()
        .filter_map(|difference| match difference {
            Difference::Rewritten { alias } | Difference::Moved { alias, .. } => Some(alias),
            _ => None,
        })
        .filter(|alias| is_loaded(alias))
        .map(|alias| visible(alias).into_owned())
        .collect();
    if !rewritten.is_empty() {
        parts.push(format!(
            "The instructions of these skills have changed since they were loaded: {}. \
             Load one again before you rely on it.",
            rewritten.join(", ")
        ));
    }
    (!parts.is_empty()).then(|| parts.join("\n\n"))
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
