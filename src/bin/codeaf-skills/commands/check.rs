//! `check`: will these skills work, and where?

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use codeaf_skills::check::config::{self, Baseline, CheckConfig, ConfigError, Level};
use codeaf_skills::check::fix::FixOptions;
use codeaf_skills::check::matrix::Matrix;
use codeaf_skills::check::rules::Record;
use codeaf_skills::check::targets::{self, Found};
use codeaf_skills::check::{self, Checked, Keep, Target};
use codeaf_skills::name::near;
use codeaf_skills::skill::profile::Profile;
use codeaf_skills::{Diagnostic, Env, Rule};

use super::{DONE, REFUSED, Status, mend};
use crate::args::{Check, CheckFormat, Mending};
use crate::failure::Failure;
use crate::render::{Console, cell, wrap};
use crate::report::{self, Report};

pub(super) fn run(args: &Check, env: &Env, console: &mut Console) -> Result<Status, Failure> {
    match args.explain.as_deref() {
        None => {}
        Some("") => return list_rules(console),
        Some(code) => return explain(config::rule(code)?, console),
    }
    let format = format(args, console)?;
    let paths = paths(args)?;
    let config = CheckConfig::load(env, &paths)?.with_levels(levels(args)?);
    tell_of_config(&config, env, &paths, console);
    let profiles = profiles(args, &config)?;
    let mut found = find(&paths, &config, env);
    let mut all_mended = true;
    if let Some(mending) = args.fix {
        let options = FixOptions {
            unknown_keys: mending == Mending::UnknownKeys,
            allowed: &config.allowed(),
        };
        if args.dry_run {
            return mend::preview(&found, options, env, console);
        }
        all_mended = mend::mend(&mut found, options, env, console);
    }
    let project = config::project_of(env, &paths);
    let folder = project.map_or_else(|| env.start.clone(), |project| project.folder);
    let old = match baseline(args, &config, env) {
        // What is written anew takes nothing from the old one.
        Some(path) if format != CheckFormat::Baseline => {
            Some(Baseline::load(&path, &folder, &env.limits)?)
        }
        _ => None,
    };
    // Several profiles are columns of a matrix where a person or a program can
    // read one; what lies beyond the frontmatter is judged by the first. Whether
    // the check fails does not hang on its form.
    let is_matrix = profiles.len() > 1 && matches!(format, CheckFormat::Text | CheckFormat::Json);
    let judges: &[&[&Profile]] = &[&profiles, &profiles[..1]];
    let judges = if is_matrix { judges } else { &judges[..1] };
    let mut silenced = Vec::new();
    let keep = if is_matrix {
        Keep::All
    } else {
        Keep::WhereFound
    };
    let mut lists = check::check_each(&found.targets, judges, keep, &env.limits);
    for checked in &mut lists {
        add_strays(checked, &found.findings);
        for one in &mut *checked {
            config.apply(&mut one.findings);
        }
        silenced.push(old.as_ref().map_or(0, |old| old.filter(checked)));
    }
    let report = Report {
        checked: &lists[0],
        skills: found.targets.len(),
        silenced: silenced[0],
        base: report::repository(&env.start),
        folder,
    };
    if is_matrix {
        let matrix = Matrix::of(&lists[1], &profiles, &env.limits);
        if format == CheckFormat::Json {
            console.json(&matrix)?;
        } else {
            report::matrix::write(&matrix, console)?;
        }
    } else {
        report::write(format, &report, console)?;
    }
    let fails = format != CheckFormat::Baseline && report.fails(args.strict);
    Ok(if fails || !all_mended { REFUSED } else { DONE })
}

/// Says which check.json holds, to whoever wants to know, and which do not, to
/// all.
fn tell_of_config(config: &CheckConfig, env: &Env, paths: &[PathBuf], console: &mut Console) {
    for other in config::not_heeded(env, paths) {
        console.note(format_args!(
            "note: {} is not heeded: one check heeds one file, that of the first PATH",
            console.path(&other)
        ));
    }
    if console.is_verbose() {
        let which = if config.exists {
            format!("by {}", console.path(&config.path))
        } else {
            "without a check.json".to_owned()
        };
        console.note(format_args!("checked {which}"));
    }
}

fn find(paths: &[PathBuf], config: &CheckConfig, env: &Env) -> Found {
    let mut found = targets::targets(paths, env);
    config.leave_out(&mut found);
    found
}

/// Returns the PATHs; `-` stands for those of standard input.
fn paths(args: &Check) -> Result<Cow<'_, [PathBuf]>, Failure> {
    let is_dash = |path: &PathBuf| path == Path::new("-");
    if !args.paths.iter().any(is_dash) {
        return Ok(Cow::Borrowed(&args.paths));
    }
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|error| {
            Failure::from_error("paths-not-read", error)
                .context("cannot read paths from standard input")
        })?;
    let mut paths = targets::parse_list(&bytes);
    paths.extend(args.paths.iter().filter(|path| !is_dash(path)).cloned());
    if paths.is_empty() {
        // Without any, the working folder would be searched, which nobody asked for.
        return Err(
            Failure::new("no-paths", "there is no path on standard input")
                .help("write one path a line"),
        );
    }
    Ok(Cow::Owned(paths))
}

/// Returns the file of old findings, if there is to be one.
fn baseline(args: &Check, config: &CheckConfig, env: &Env) -> Option<PathBuf> {
    let named = args.baseline.as_ref().map(|path| env.absolute(path));
    named.or_else(|| config.baseline.clone())
}

/// Gives each finding that is about no target a row of its own, in the order of
/// paths.
///
/// A file with a wrong name is a target, and was told of when it was checked.
fn add_strays(checked: &mut Vec<Checked>, findings: &[Diagnostic]) {
    let is_target =
        |finding: &Diagnostic| checked.iter().any(|one| one.target.file == finding.path);
    let strays: Vec<Diagnostic> = findings
        .iter()
        .filter(|finding| !is_target(finding))
        .cloned()
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
    if args.dry_run && console.json {
        return Err(Failure::usage("--json and --fix -n exclude each other")
            .help("a preview is a diff: leave --json out"));
    }
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

/// Returns the profiles of the flags, else of the project, else the
/// specification; `all` stands for every one.
fn profiles(args: &Check, config: &CheckConfig) -> Result<Vec<&'static Profile>, Failure> {
    let known = || Profile::ALL.iter().map(|profile| profile.name);
    let mut profiles = Vec::new();
    for name in &args.profile {
        profiles.extend(named(name).ok_or_else(|| {
            let names: Vec<&str> = known().collect();
            Failure::usage(format!("there is no profile `{}`", cell(name)))
                .help(suggestion(name, &names))
        })?);
    }
    if args.profile.is_empty() {
        for wanted in &config.profiles {
            let found = named(&wanted.name);
            profiles.extend(found.ok_or_else(|| config.unknown_profile(wanted, known()))?);
        }
    }
    if profiles.is_empty() {
        profiles.push(Profile::SPEC);
    }
    let mut seen = HashSet::new();
    profiles.retain(|profile| seen.insert(profile.name));
    Ok(profiles)
}

fn named(name: &str) -> Option<Vec<&'static Profile>> {
    match name {
        "all" => Some(Profile::ALL.to_vec()),
        name => Profile::named(name).map(|profile| vec![profile]),
    }
}

fn suggestion(name: &str, names: &[&str]) -> String {
    match near(name, names.iter().copied()).first() {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("the profiles are {}", names.join(", ")),
    }
}

/// What the flags make of rules. Named in several, a rule is as bad as the
/// strictest says.
fn levels(args: &Check) -> Result<Vec<(Rule, Level)>, Failure> {
    let allow = args.allow.iter().map(|code| (code, Level::Allow));
    let warn = args.warn.iter().map(|code| (code, Level::Warn));
    let deny = args.deny.iter().map(|code| (code, Level::Deny));
    allow
        .chain(warn)
        .chain(deny)
        .map(|(code, level)| Ok((config::rule(code)?, level)))
        .collect()
}

/// Prints each rule with its title.
fn list_rules(console: &mut Console) -> Result<Status, Failure> {
    let titles = Rule::ALL.iter().map(|&rule| (rule, Record::of(rule).title));
    if console.json {
        let rules: Vec<_> = titles
            .map(|(rule, title)| serde_json::json!({ "rule": rule, "title": title }))
            .collect();
        console.json(&serde_json::json!({ "version": 1, "rules": rules }))?;
        return Ok(DONE);
    }
    let longest = Rule::ALL.iter().map(|rule| rule.code().len()).max();
    let column = longest.unwrap_or(0) + 2;
    for (rule, title) in titles {
        let room = console.width.saturating_sub(column).max(20);
        let mut code = rule.code();
        for line in wrap(title, room) {
            console.line(format_args!("{code:column$}{line}"))?;
            code = "";
        }
    }
    Ok(DONE)
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

impl From<config::UnknownRule> for Failure {
    fn from(error: config::UnknownRule) -> Self {
        let help = error.help();
        Self::usage(error).help(help)
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        let help = error.help().map(str::to_owned);
        Self {
            help,
            ..Self::from_error("check-config", error)
        }
    }
}
