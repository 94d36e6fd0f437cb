//! `check` with several profiles: which agent takes which skill?

use codeaf_skills::check::matrix::Matrix;
use codeaf_skills::check::{self, targets};
use codeaf_skills::skill::profile::{Outcome, Profile};
use codeaf_skills::{Env, Severity};

use super::{Levels, add_strays, named};
use crate::args::{Check, CheckFormat};
use crate::commands::{DONE, REFUSED, Status};
use crate::failure::Failure;
use crate::render::Console;
use crate::report;

/// What stands for every profile.
const ALL: &str = "all";

pub(super) fn is_wanted(args: &Check) -> bool {
    args.profile.len() > 1 || args.profile.iter().any(|name| name == ALL)
}

/// Findings beyond the frontmatter are those of the first profile. It fails
/// where one of the profiles drops a skill, and where the first has an error.
pub(super) fn run(
    args: &Check,
    format: CheckFormat,
    env: &Env,
    console: &mut Console,
) -> Result<Status, Failure> {
    if matches!(format, CheckFormat::Github | CheckFormat::Sarif) {
        return Err(Failure::usage("several profiles are shown as text or JSON")
            .help("name one profile, or leave --format out"));
    }
    let profiles = profiles(args)?;
    let levels = Levels::new(args)?;
    let found = targets::targets(&args.paths, env);
    let first = profiles.first().copied().unwrap_or(Profile::SPEC);
    let mut checked = check::check(&found.targets, first, &env.limits);
    add_strays(&mut checked, found.findings);
    for one in &mut checked {
        levels.apply(&mut one.findings);
    }
    let matrix = Matrix::of(&checked, &profiles, &env.limits);
    if format == CheckFormat::Json {
        console.json(&matrix)?;
    } else {
        report::matrix::write(&matrix, console)?;
    }
    let mut findings = checked.iter().flat_map(|one| &one.findings);
    let fails = found.targets.is_empty()
        || fails(&matrix, args.strict)
        || findings.any(|finding| finding.severity >= limit(args.strict));
    Ok(if fails { REFUSED } else { DONE })
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

fn limit(strict: bool) -> Severity {
    if strict {
        Severity::Warning
    } else {
        Severity::Error
    }
}

/// Returns the columns, each once.
fn profiles(args: &Check) -> Result<Vec<&'static Profile>, Failure> {
    let mut profiles: Vec<&'static Profile> = Vec::new();
    for name in &args.profile {
        let meant = match name.as_str() {
            ALL => Profile::ALL.to_vec(),
            name => vec![named(name)?],
        };
        for profile in meant {
            if profiles.iter().all(|known| known.name != profile.name) {
                profiles.push(profile);
            }
        }
    }
    Ok(profiles)
}
