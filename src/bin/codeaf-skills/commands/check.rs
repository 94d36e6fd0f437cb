//! `check`: will these skills work, and where?

mod matrix;

use codeaf_skills::check::rules::Record;
use codeaf_skills::check::{self, Checked, Target, targets};
use codeaf_skills::name::near;
use codeaf_skills::skill::profile::Profile;
use codeaf_skills::{Diagnostic, Env, Rule, Severity};

use super::{DONE, REFUSED, Status};
use crate::args::{Check, CheckFormat};
use crate::failure::Failure;
use crate::render::{Console, cell};
use crate::report::{self, Report};

pub(super) fn run(args: &Check, env: &Env, console: &mut Console) -> Result<Status, Failure> {
    if let Some(code) = &args.explain {
        return explain(rule(code)?, console);
    }
    let format = format(args, console)?;
    if matrix::is_wanted(args) {
        return matrix::run(args, format, env, console);
    }
    let profile = profile(args)?;
    let levels = Levels::new(args)?;
    let found = targets::targets(&args.paths, env);
    let mut checked = check::check(&found.targets, profile, &env.limits);
    add_strays(&mut checked, found.findings);
    for one in &mut checked {
        levels.apply(&mut one.findings);
    }
    let report = Report {
        checked: &checked,
        skills: found.targets.len(),
        base: report::repository(&env.start),
    };
    report::write(format, &report, console)?;
    let worst = checked.iter().flat_map(|one| &one.findings);
    let worst = worst.map(|finding| finding.severity).max();
    let limit = if args.strict {
        Severity::Warning
    } else {
        Severity::Error
    };
    let fails = found.targets.is_empty() || worst >= Some(limit);
    Ok(if fails { REFUSED } else { DONE })
}

/// Gives each finding that is about no target a row of its own, in the order of
/// paths.
///
/// A file with a wrong name is a target, and was told of when it was checked.
fn add_strays(checked: &mut Vec<Checked>, findings: Vec<Diagnostic>) {
    let is_target =
        |finding: &Diagnostic| checked.iter().any(|one| one.target.file == finding.path);
    let strays: Vec<Diagnostic> = findings
        .into_iter()
        .filter(|finding| !is_target(finding))
        .collect();
    for group in strays.chunk_by(|a, b| a.path == b.path) {
        checked.push(Checked {
            target: Target {
                file: group[0].path.clone(),
            },
            bytes: Vec::new(),
            name: None,
            findings: group.to_vec(),
        });
    }
    checked.sort_by(|a, b| a.target.cmp(&b.target));
}

fn format(args: &Check, console: &Console) -> Result<CheckFormat, Failure> {
    match args.format {
        Some(CheckFormat::Json) => Ok(CheckFormat::Json),
        Some(_) if console.json => Err(Failure::usage(
            "--json and another --format exclude each other",
        )
        .help("leave one of them out")),
        Some(format) => Ok(format),
        None if console.json => Ok(CheckFormat::Json),
        None => Ok(CheckFormat::Text),
    }
}

fn profile(args: &Check) -> Result<&'static Profile, Failure> {
    match args.profile.first() {
        None => Ok(Profile::SPEC),
        Some(name) => named(name),
    }
}

fn named(name: &str) -> Result<&'static Profile, Failure> {
    Profile::named(name).ok_or_else(|| {
        let names: Vec<&str> = Profile::ALL.iter().map(|profile| profile.name).collect();
        Failure::usage(format!("there is no profile `{}`", cell(name)))
            .help(suggestion(name, &names))
    })
}

fn rule(code: &str) -> Result<Rule, Failure> {
    let known = Rule::ALL.iter().find(|rule| rule.code() == code);
    known.copied().ok_or_else(|| {
        let codes: Vec<&str> = Rule::ALL.iter().map(|rule| rule.code()).collect();
        Failure::usage(format!("there is no rule `{}`", cell(code))).help(
            match near(code, codes).first() {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "a finding has the code of its rule between brackets".to_owned(),
            },
        )
    })
}

fn suggestion(name: &str, names: &[&str]) -> String {
    match near(name, names.iter().copied()).first() {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("the profiles are {}", names.join(", ")),
    }
}

/// What the flags make of rules. Named in several, a rule is as bad as the
/// strictest says.
struct Levels {
    levels: Vec<(Rule, Option<Severity>)>,
}

impl Levels {
    fn new(args: &Check) -> Result<Self, Failure> {
        let mut levels = Vec::new();
        for (codes, level) in [
            (&args.deny, Some(Severity::Error)),
            (&args.warn, Some(Severity::Warning)),
            (&args.allow, None),
        ] {
            for code in codes {
                levels.push((rule(code)?, level));
            }
        }
        Ok(Self { levels })
    }

    fn apply(&self, findings: &mut Vec<Diagnostic>) {
        findings.retain_mut(|finding| {
            match self.levels.iter().find(|(rule, _)| *rule == finding.rule) {
                None => true,
                Some((_, Some(level))) => {
                    finding.severity = *level;
                    true
                }
                Some((_, None)) => false,
            }
        });
    }
}

fn explain(rule: Rule, console: &mut Console) -> Result<Status, Failure> {
    let record = Record::of(rule);
    if console.json {
        console.json(&serde_json::json!({
            "version": 1,
            "rule": rule,
            "title": record.title,
            "what": record.what,
            "why": record.why,
            "bad": record.bad,
            "good": record.good,
            "agents": record.agents,
        }))?;
    } else {
        console.write(report::page(record, console.width))?;
    }
    Ok(DONE)
}
