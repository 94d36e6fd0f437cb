//! Will this skill work, where, and how is it mended?
//!
//! Facts of one SKILL.md and of the files beside it come in; findings come out,
//! each of one [`Rule`]. What counts as a breach is the profile's business.

pub mod body;
pub mod config;
pub mod fix;
pub mod matrix;
pub mod rules;
pub mod targets;

mod tree;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde::Serialize;

use crate::diagnostic::{Diagnostic, Rule, Severity, Span};
use crate::discovery::broken;
use crate::discovery::skill_file::{self, SKILL_FILE};
use crate::limits::Limits;
use crate::skill::frontmatter::{self, Facts};
use crate::skill::profile::{Profile, Reading};
use crate::skill::resources;
use crate::text;
use body::Folder;

/// Up to here, one thread is done before others have begun.
const FEW: usize = 16;

/// One SKILL.md to be checked.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    /// The SKILL.md, or the file that should be called so; absolute.
    pub file: PathBuf,
}

/// What came of checking one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// What was checked.
    pub target: Target,
    /// The file's bytes, for showing lines of it; empty if it could not be read,
    /// or if they are not kept.
    pub bytes: Vec<u8>,
    /// The name that the skill goes by, if it has one.
    pub name: Option<String>,
    /// All findings, in file order.
    pub findings: Vec<Diagnostic>,
}

impl Checked {
    /// Returns the gravest finding's meaning for the whole skill.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match self.findings.iter().map(|found| found.severity).max() {
            Some(Severity::Error) => Verdict::Error,
            Some(Severity::Warning) => Verdict::Warning,
            _ => Verdict::Ok,
        }
    }
}

/// How a skill fares under a profile. Notes do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// No error and no warning.
    Ok,
    /// It works, and may not work elsewhere or as meant.
    Warning,
    /// It breaks a rule of the profile.
    Error,
}

/// Checks each of `targets` by each of `profiles`, and then what holds of all
/// of them together: names that stand twice.
///
/// What several profiles say of one place is told once, as the strictest has it.
/// What cannot be read is a finding; nothing is waited for, and no link is
/// followed out of its folder. The answers are in the order of `targets`.
///
/// # Examples
///
/// ```
/// use codeaf_skills::Limits;
/// use codeaf_skills::check::{self, Target, Verdict};
/// use codeaf_skills::skill::profile::Profile;
///
/// # fn main() -> std::io::Result<()> {
/// # let folder = tempfile::tempdir()?;
/// let file = folder.path().join("pdf/SKILL.md");
/// # std::fs::create_dir(folder.path().join("pdf"))?;
/// std::fs::write(&file, "---\nname: pdf\ndescription: Reads PDF files.\n---\nSee [the guide](guide.md).\n")?;
///
/// let checked = check::check(&[Target { file }], &[Profile::SPEC], &Limits::DEFAULT);
///
/// assert_eq!(checked[0].verdict(), Verdict::Warning);
/// assert_eq!(checked[0].findings[0].message, "`guide.md` is not there");
/// # Ok(())
/// # }
/// ```
#[must_use]
pub fn check(targets: &[Target], profiles: &[&Profile], limits: &Limits) -> Vec<Checked> {
    check_each(targets, &[profiles], Keep::All, limits)
        .pop()
        .unwrap_or_default()
}

/// Of which files [`check_each`] keeps the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Of all.
    All,
    /// Of those that something is found in. Most of many are fine, and their
    /// bytes are most of the memory that a check takes.
    WhereFound,
}

/// Checks `targets` once for each of several `judges`, as [`check`] does for one
/// list of profiles; each file is read once.
#[must_use]
pub fn check_each(
    targets: &[Target],
    judges: &[&[&Profile]],
    keep: Keep,
    limits: &Limits,
) -> Vec<Vec<Checked>> {
    let mut lists: Vec<Vec<Read>> = judges.iter().map(|_| Vec::new()).collect();
    let check = |target: &Target, buffer: &mut Vec<u8>| {
        let mut reads = check_one(target, buffer, judges, limits);
        for read in &mut reads {
            if keep == Keep::All || !read.checked.findings.is_empty() {
                read.checked.bytes.clone_from(buffer);
            }
        }
        reads
    };
    for reads in each(targets, check) {
        for (list, read) in lists.iter_mut().zip(reads) {
            list.push(read);
        }
    }
    let checked = lists.into_iter().map(|mut read| {
        tree::find(&mut read, limits);
        read.into_iter().map(|one| one.checked).collect()
    });
    checked.collect()
}

/// One target with what the comparison of all of them needs.
struct Read {
    checked: Checked,
    /// Where the name stands.
    name: Span,
}

/// Applies `work` to all of `targets`, on every core where that is worth it; each
/// core has a buffer.
fn each<T: Send>(targets: &[Target], work: impl Fn(&Target, &mut Vec<u8>) -> T + Sync) -> Vec<T> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    if targets.len() <= FEW || threads == 1 {
        let mut buffer = Vec::new();
        let targets = targets.iter();
        return targets.map(|target| work(target, &mut buffer)).collect();
    }
    let next = AtomicUsize::new(0);
    let take_turns = || {
        let mut done = Vec::new();
        let mut buffer = Vec::new();
        loop {
            let turn = next.fetch_add(1, Ordering::Relaxed);
            let Some(target) = targets.get(turn) else {
                return done;
            };
            done.push((turn, work(target, &mut buffer)));
        }
    };
    let mut done: Vec<(usize, T)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(take_turns)).collect();
        workers
            .into_iter()
            .flat_map(|worker| {
                worker
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect()
    });
    done.sort_unstable_by_key(|(turn, _)| *turn);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Returns what each of `judges` makes of one target, whose bytes come into
/// `bytes`.
fn check_one(
    target: &Target,
    bytes: &mut Vec<u8>,
    judges: &[&[&Profile]],
    limits: &Limits,
) -> Vec<Read> {
    let file = target.file.as_path();
    let mut findings = Vec::new();
    let folder = file.parent().unwrap_or(file);
    if let Some(name) = file.file_name().filter(|name| *name != SKILL_FILE) {
        findings.extend(broken::misnamed_file(folder, name).diagnostics);
    }
    if let Err(refusal) = read(file, limits, bytes) {
        bytes.clear();
        let misnamed = findings.pop().and_then(|_| file.file_name());
        findings.push(match misnamed {
            Some(name) => of_misnamed(refusal, &name.to_string_lossy()),
            None => refusal,
        });
        let read = || Read::new(target, None, findings.clone());
        return judges.iter().map(|_| read()).collect();
    }
    let bytes = bytes.as_slice();
    let folder_name = folder.file_name().map(|name| name.to_string_lossy());
    let folder_name = folder_name.unwrap_or_default();
    let facts = frontmatter::read(bytes, limits);
    let mut around = Folder::new(folder, limits);
    let beside = body::findings_in(&mut around, file, bytes, &facts);
    // What hides in a field is told by its line, in full; once is enough.
    let is_told = |found: &Diagnostic| {
        beside
            .iter()
            .any(|other| other.rule == found.rule && other.span.line == found.span.line)
    };
    let name = name(&facts, &folder_name);
    let bundled = if around.has_more() {
        bundled(file, limits)
    } else {
        Vec::new()
    };
    let reading = Reading::new(bytes, &facts, (file, &folder_name), limits);
    let judge = |profiles: &&[&Profile]| {
        let told = profiles
            .iter()
            .flat_map(|profile| reading.findings(profile));
        let mut findings = findings.clone();
        findings.extend(strictest(told.filter(|found| !is_told(found))));
        findings.extend_from_slice(&beside);
        findings.sort_by_key(|found| found.span);
        findings.extend_from_slice(&bundled);
        findings
    };
    let lists = judges.iter().map(judge);
    // The last copy is the thing itself, so that one judge costs none.
    let names = iter::repeat_n(name, judges.len());
    let reads = lists
        .zip(names)
        .map(|(findings, name)| Read::new(target, name, findings));
    reads.collect()
}

/// Returns one finding for each rule and place: the gravest, and of equals the
/// first.
fn strictest(found: impl Iterator<Item = Diagnostic>) -> Vec<Diagnostic> {
    let mut kept: Vec<Diagnostic> = Vec::new();
    let mut places: HashMap<(Rule, u32, u32), usize> = HashMap::new();
    for finding in found {
        let place = (finding.rule, finding.span.line, finding.span.column);
        match places.entry(place) {
            Entry::Vacant(vacant) => {
                vacant.insert(kept.len());
                kept.push(finding);
            }
            Entry::Occupied(known) => {
                let known = &mut kept[*known.get()];
                if finding.severity > known.severity {
                    *known = finding;
                }
            }
        }
    }
    kept
}

impl Read {
    /// Makes one without bytes.
    fn new(target: &Target, name: Option<(String, Span)>, findings: Vec<Diagnostic>) -> Self {
        let (name, span) = name.map_or((None, Span::START), |(name, span)| (Some(name), span));
        Self {
            checked: Checked {
                target: target.clone(),
                bytes: Vec::new(),
                name,
                findings,
            },
            name: span,
        }
    }
}

/// Tells in one finding of a file that cannot be read and has a wrong name.
fn of_misnamed(refusal: Diagnostic, name: &str) -> Diagnostic {
    let words = &refusal.message;
    let words = words.strip_prefix("SKILL.md ").unwrap_or(words);
    let message = format!("`{name}`, which must be called `{SKILL_FILE}`, {words}");
    let help = refusal.help.unwrap_or_default();
    Diagnostic {
        message,
        help: Some(format!("{help}, and call it {SKILL_FILE}")),
        ..refusal
    }
}

fn read(file: &Path, limits: &Limits, bytes: &mut Vec<u8>) -> Result<(), Diagnostic> {
    let opened = skill_file::open(file).map_err(|error| skill_file::refusal(error, file))?;
    skill_file::fill(&opened, file, limits, bytes)?;
    Ok(())
}

/// Returns the name that the skill goes by, and where it stands.
fn name(facts: &Facts, folder: &str) -> Option<(String, Span)> {
    if facts.fault.is_some() {
        return None;
    }
    // With another field in it, what stands there is no name.
    let is_whole = facts.slipped.iter().all(|slipped| slipped.above != "name");
    let field = facts.field("name").filter(|_| is_whole);
    let written = field.and_then(|field| Some((field, field.value.scalar()?.text.trim())));
    let (name, span) = match written {
        Some((field, name)) if !name.is_empty() => (name, field.value.span),
        _ => (folder, Span::START),
    };
    (!name.is_empty()).then(|| (text::nfc(name).into_owned(), span))
}

/// Returns what is wrong with the files beside the SKILL.md: those that no
/// agent can read.
fn bundled(file: &Path, limits: &Limits) -> Vec<Diagnostic> {
    let folder = file.parent().unwrap_or(file);
    let help = |rule| match rule {
        Rule::ResourceLeaves => Some("copy what it points at into the skill's folder"),
        Rule::ResourceUnresolved => Some("bring its target back, or remove the link"),
        Rule::ResourceTooLarge => Some("make it smaller, or say where to download it"),
        Rule::ResourceUnlisted => Some("see who owns it and what may be done with it: `ls -ld`"),
        _ => None,
    };
    let listing = resources::names(folder, limits);
    let called = file.file_name().unwrap_or_default().to_string_lossy();
    let is_twin = |name: &&String| {
        let is_like_it = name.eq_ignore_ascii_case(SKILL_FILE);
        is_like_it && *name != SKILL_FILE && **name != *called
    };
    let twins = listing.resources.iter().filter(is_twin).map(|name| {
        let message =
            format!("`{name}` stands beside `{called}`; on macOS and Windows the two are one file");
        let help = format!("keep what you need of it in {SKILL_FILE}, and remove it");
        Diagnostic::warning(Rule::SkillFileName, &folder.join(name), message).with_help(help)
    });
    let twins: Vec<Diagnostic> = twins.collect();
    listing
        .diagnostics
        .into_iter()
        .filter_map(|found| {
            let help = help(found.rule)?;
            Some(found.with_help(help))
        })
        .chain(twins)
        .collect()
}

#[cfg(test)]
mod help_tests;
#[cfg(test)]
mod tests;
