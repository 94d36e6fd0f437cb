//! What holds of all checked skills together: names that collide.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use super::Read;
use crate::diagnostic::{Diagnostic, Rule};
use crate::limits::Limits;

/// Adds to each skill whose name is taken what it is taken by; the first in
/// order owns a name.
pub(super) fn find(read: &mut [Read], limits: &Limits) {
    let mut owners: HashMap<String, usize> = HashMap::new();
    let mut found = Vec::new();
    for (at, one) in read.iter().enumerate() {
        let Some(name) = &one.checked.name else {
            continue;
        };
        // One letter case for all, so that near twins meet.
        let owner = *owners.entry(name.to_lowercase()).or_insert(at);
        if owner != at
            && let Some(finding) = collision(one, &read[owner], limits)
        {
            found.push((at, finding));
        }
    }
    for (at, finding) in found {
        if read[at].checked.bytes.is_empty() {
            read[at].checked.bytes = bytes_of(&read[at], limits).into_owned();
        }
        let findings = &mut read[at].checked.findings;
        let after = findings
            .partition_point(|other| other.path == finding.path && other.span <= finding.span);
        findings.insert(after, finding);
    }
}

fn collision(later: &Read, owner: &Read, limits: &Limits) -> Option<Diagnostic> {
    let (file, first) = (&later.checked.target.file, &owner.checked.target.file);
    if is_same_file(file, first) {
        return None;
    }
    let (name, taken) = (later.checked.name.as_ref()?, owner.checked.name.as_ref()?);
    let finding = if name != taken {
        let message = format!(
            "the name `{name}` differs only in case from `{taken}` of {}",
            first.display()
        );
        Diagnostic::warning(Rule::NameCase, file, message)
            .with_help("give one of them another name: some systems do not tell them apart")
    } else if bytes_of(later, limits) == bytes_of(owner, limits) {
        // The same skill kept for several agents is common, and no fault.
        let message = format!(
            "this SKILL.md is the same, byte for byte, as {}",
            first.display()
        );
        Diagnostic::note(Rule::NameDuplicate, file, message)
            .with_help("a link in one of the places keeps them the same for ever")
    } else {
        let message = format!("the name `{name}` is taken by {}", first.display());
        Diagnostic::warning(Rule::NameDuplicate, file, message)
            .with_help("an agent that sees both takes one of them: rename one, or remove it")
    };
    Some(finding.at(later.name))
}

/// Returns the bytes of a file, read again if they are not kept.
fn bytes_of<'a>(read: &'a Read, limits: &Limits) -> Cow<'a, [u8]> {
    let kept = &read.checked.bytes;
    if !kept.is_empty() {
        return Cow::Borrowed(kept);
    }
    let mut bytes = Vec::new();
    // One that can be read no more is like no other.
    let is_read = super::read(&read.checked.target.file, limits, &mut bytes).is_ok();
    Cow::Owned(if is_read { bytes } else { Vec::new() })
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
