//! `check` with several profiles: which agent takes which skill?

use codeaf_skills::check::Checked;
use codeaf_skills::check::matrix::Matrix;
use codeaf_skills::skill::profile::{Outcome, Profile};
use codeaf_skills::{Env, Severity};

use crate::args::CheckFormat;
use crate::failure::Failure;
use crate::render::Console;
use crate::report;

/// Prints the matrix and returns whether the check fails: one of the profiles
/// drops a skill, or the first has an error; if strict, at anything less than
/// loading.
pub(super) fn write(
    checked: &[Checked],
    profiles: &[&'static Profile],
    format: CheckFormat,
    strict: bool,
    env: &Env,
    console: &mut Console,
) -> Result<bool, Failure> {
    let matrix = Matrix::of(checked, profiles, &env.limits);
    if format == CheckFormat::Json {
        console.json(&matrix)?;
    } else {
        report::matrix::write(&matrix, console)?;
    }
    let limit = if strict {
        Severity::Warning
    } else {
        Severity::Error
    };
    // The findings of an agent are in its column already.
    let is_judged = profiles
        .first()
        .is_some_and(|first| !first.severities.is_empty());
    let mut findings = checked
        .iter()
        .filter(|_| is_judged)
        .flat_map(|one| &one.findings);
    Ok(fails(&matrix, strict) || findings.any(|finding| finding.severity >= limit))
}

/// Whether an agent drops a skill; if strict, whether it does anything else than
/// load it. What nobody knows is no fault of the skill's.
fn fails(matrix: &Matrix, strict: bool) -> bool {
    let mut outcomes = matrix.rows.iter().flat_map(|row| &row.outcomes);
    outcomes.any(|outcome| match outcome {
        Outcome::Drops => true,
        Outcome::LoadsChanged | Outcome::LoadsWithWarning => strict,
        Outcome::Loads | Outcome::Unknown => false,
    })
}
