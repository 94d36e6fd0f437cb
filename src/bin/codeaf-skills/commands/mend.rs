//! `check --fix`: what the library mends, told and shown.

use std::borrow::Cow;
use std::path::Path;

use codeaf_skills::check::fix::{self, Fix, FixError, FixOptions, Left};
use codeaf_skills::check::targets::Found;
use codeaf_skills::text::{counted, hidden_characters};
use codeaf_skills::{Env, Severity};

use super::diff::{print_diff, unified};
use super::{DONE, REFUSED, Status};
use crate::failure::Failure;
use crate::render::{Console, cell};
use crate::report::text::code_point;

/// Mends each target in place, tells on standard error what was done, and
/// returns whether all could be. Targets get the names that they have then.
pub(super) fn mend(
    found: &mut Found,
    options: FixOptions<'_>,
    env: &Env,
    console: &mut Console,
) -> bool {
    let mut all_done = true;
    for target in &mut found.targets {
        match fix::fix_file(&target.file, options, &env.limits) {
            Ok(fixed) => {
                tell(&target.file, &fixed.fixes, &fixed.left, console);
                if !fixed.fixes.is_empty() {
                    console.note(format_args!("wrote {}", console.path(&fixed.file)));
                }
                if fixed.other_names > 0 {
                    console.note(format_args!(
                        "note: {} had {} (hard links); what they name is as it was",
                        console.path(&fixed.file),
                        counted(
                            usize::try_from(fixed.other_names).unwrap_or(usize::MAX),
                            "other name"
                        )
                    ));
                }
                if fixed.file != target.file {
                    found.findings.retain(|finding| finding.path != target.file);
                    target.file = fixed.file;
                }
            }
            Err(error) => {
                refuse(error, console);
                all_done = false;
            }
        }
    }
    all_done
}

/// Shows what [`mend`] would do as a diff.
pub(super) fn preview(
    found: &Found,
    options: FixOptions<'_>,
    env: &Env,
    console: &mut Console,
) -> Result<Status, Failure> {
    let (mut is_empty, mut all_done) = (true, true);
    let errors = found.findings.iter();
    for error in errors.filter(|finding| finding.severity == Severity::Error) {
        console.finding(error);
        all_done = false;
    }
    for target in &found.targets {
        let preview = match fix::preview(&target.file, options, &env.limits) {
            Ok(preview) => preview,
            Err(error) => {
                refuse(error, console);
                all_done = false;
                continue;
            }
        };
        tell(&target.file, &preview.fixes, &preview.left, console);
        let texts = [&*preview.before, &*preview.after];
        let marks_line_ends = !texts.into_iter().all(has_crlf_alone);
        let [before, after] = texts.map(|text| marked(text, marks_line_ends));
        let diff = unified(&before, &after, &console.path(&target.file));
        if preview.file != target.file {
            let (from, to) = (console.path(&target.file), console.path(&preview.file));
            console.line(format_args!("rename {from} to {to}"))?;
        }
        print_diff(&diff, console)?;
        is_empty &= preview.fixes.is_empty();
    }
    if !is_empty {
        console.note("note: nothing was written; without -n the edits above are made");
    } else if all_done {
        console.note("note: nothing to mend");
    }
    Ok(if all_done { DONE } else { REFUSED })
}

/// Whether each line ends in CR and LF, so that no edit is about line ends.
fn has_crlf_alone(text: &str) -> bool {
    !text.replace("\r\n", "").contains(['\r', '\n'])
}

/// Writes out the carriage returns and the characters that nobody sees, as
/// findings do: they may be all that an edit is about. Other carriage returns stay,
/// so that the diff can be applied.
fn marked(text: &str, marks_line_ends: bool) -> Cow<'_, str> {
    let hidden = hidden_characters(text).into_iter();
    let mut marks: Vec<(usize, char)> = hidden.filter(|&(_, c)| c != '\r').collect();
    if marks_line_ends {
        marks.extend(text.match_indices('\r').map(|(at, _)| (at, '\r')));
        marks.sort_unstable();
    }
    if marks.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut told = 0;
    for (at, c) in marks {
        shown.push_str(&text[told..at]);
        match c {
            '\r' => shown.push('␍'),
            c => shown.push_str(&code_point(c)),
        }
        told = at + c.len_utf8();
    }
    shown.push_str(&text[told..]);
    Cow::Owned(shown)
}

/// Tells why one file is not mended; the others still are.
fn refuse(error: FixError, console: &mut Console) {
    let help = error.help();
    Failure {
        help: help.map(str::to_owned),
        ..Failure::from_error("not-mended", error)
    }
    .report(console);
}

fn tell(file: &Path, fixes: &[Fix], left: &[Left], console: &mut Console) {
    for fix in fixes {
        let place = console.place(file, fix.span.line, fix.span.column);
        console.note(format_args!("{place}: {} [{}]", cell(&fix.what), fix.rule));
    }
    for left in left {
        let place = console.place(file, left.span.line, left.span.column);
        console.note(format_args!(
            "{place}: `{}` stays: {}",
            cell(&left.key),
            left.why
        ));
    }
}
