//! `show`: everything on one skill.

use std::io;
use std::path::Path;

use clap::builder::styling::Style;
use codeaf_skills::name::SKILL_FILE;
use codeaf_skills::skill::frontmatter::{Content, Facts, Field, Value, read};
use codeaf_skills::skill::loading::allowed_tools;
use codeaf_skills::skill::resources;
use codeaf_skills::text::{clean, counted, one_line, path_text, size, visible};
use codeaf_skills::{
    ActivationError, Broken, Cause, Diagnostic, Env, Kept, Origin, Skill, Snapshot, Source, State,
    Step, split_qualified,
};
use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::list::print_finding;
use super::{
    DONE, Status, about, load, note_state, quoted_exactly, refuse_raw_json, state_and_cause,
};
use crate::args::Show;
use crate::failure::Failure;
use crate::render::{Console, cell, wrap};

/// Characters of English and Markdown in a token, as a rule of thumb of the
/// common tokenizers.
const CHARACTERS_PER_TOKEN: usize = 4;

/// Columns of the names of fields.
const LABEL_WIDTH: usize = 14;

pub(super) fn run(args: &Show, env: &Env, console: &mut Console) -> Result<Status, Failure> {
    refuse_raw_json(args.raw, console)?;
    let snapshot = load(env, console)?;
    let skill = match find(&args.skill, &snapshot)? {
        Meant::Skill(skill) => skill,
        Meant::Broken(broken) => return show_broken(broken, args, console),
    };
    let bytes = snapshot.read_skill(skill).map_err(|found| {
        Failure::new(
            "skill-read-error",
            format!("{}: {}", console.path(&found.path), found.message),
        )
    })?;
    let facts = read(&bytes, &env.limits);
    let body = String::from_utf8_lossy(&bytes[facts.body..]).into_owned();
    if args.raw {
        note_state(&snapshot, skill, console);
        console.write(clean(&body).as_ref())?;
        return Ok(DONE);
    }
    note_state(&snapshot, skill, console);
    let shown = Shown::new(skill, &snapshot, facts, &body);
    if console.json {
        console.json(&shown.document())?;
    } else {
        shown.print(console)?;
    }
    Ok(DONE)
}

enum Meant<'a> {
    Skill(&'a Skill),
    Broken(&'a Broken),
}

/// A name, or a path: anything with a slash that is no alias, or a dot.
fn find<'a>(wanted: &str, snapshot: &'a Snapshot) -> Result<Meant<'a>, Failure> {
    let not_found = match snapshot.find(wanted) {
        Ok(skill) => return Ok(Meant::Skill(skill)),
        Err(error @ (ActivationError::NotFound { .. } | ActivationError::Unknown { .. })) => error,
        Err(error) => return Err(error.into()),
    };
    let path = snapshot.env().absolute(Path::new(wanted));
    let is_qualified = split_qualified(wanted).0.is_some();
    let is_path = wanted == "."
        || wanted == ".."
        || wanted.contains('/') && !is_qualified
        || is_qualified && path.exists();
    if is_path && let Some(skill) = snapshot.at_path(&path) {
        return Ok(Meant::Skill(skill));
    }
    let named = snapshot.broken_called(wanted).into_iter();
    let at_path = snapshot.broken().iter().filter(|broken| {
        is_path && (broken.location == path || broken.location.parent() == Some(&path))
    });
    let mut unloaded = named.chain(at_path).filter(|broken| broken.is_skill_file());
    if let Some(broken) = unloaded.next() {
        return Ok(Meant::Broken(broken));
    }
    if is_path {
        return Err(not_at(&path, wanted, snapshot));
    }
    let failure = Failure::from(not_found);
    Err(match snapshot.broken_called(wanted).first() {
        Some(broken) => {
            let reason = broken
                .diagnostics
                .first()
                .map(|found| found.message.as_str())
                .unwrap_or_default();
            failure.help(format!(
                "something of that name {reason}; `codeaf-skills {}` tells more",
                about("why", wanted, "")
            ))
        }
        None => failure,
    })
}

/// Says why there is no skill at a path, and how to go on.
fn not_at(path: &Path, wanted: &str, snapshot: &Snapshot) -> Failure {
    let said = |why: &str, help: &str| {
        Failure::new("skill-not-found", format!("{} {why}", path.display())).help(help)
    };
    let mut broken = snapshot.broken().iter();
    let passed_over = broken
        .find(|broken| broken.location == path)
        .and_then(|broken| broken.diagnostics.first());
    let typed = quoted_exactly(wanted);
    let judge = format!(
        "a skill is a folder with a SKILL.md; `codeaf-skills check {typed}` judges what is there"
    );
    if let Some(found) = passed_over {
        return said(&found.message, found.help.as_deref().unwrap_or(&judge));
    }
    let file = if path.ends_with(SKILL_FILE) {
        path.to_path_buf()
    } else {
        path.join(SKILL_FILE)
    };
    if !path.exists() {
        let help = "name a skill, or a folder that holds a SKILL.md";
        return said("is not there", help);
    }
    let real = file.canonicalize().ok().filter(|file| file.is_file());
    let Some(root) = real.as_ref().and_then(|file| file.ancestors().nth(2)) else {
        return said("has no SKILL.md", &judge);
    };
    let root = quoted_exactly(&root.to_string_lossy());
    said(
        "lies in no root, and only direct children of a root are skills",
        &format!(
            "`codeaf-skills check {typed}` judges it where it lies; `codeaf-skills --skills-dir {root} show {typed}` takes it for a skill"
        ),
    )
}

fn show_broken(broken: &Broken, args: &Show, console: &mut Console) -> Result<Status, Failure> {
    if args.raw {
        return Err(Failure::new(
            "skill-broken",
            format!("`{}` does not load", visible(&broken.name)),
        )
        .help(format!(
            "`codeaf-skills {}` tells the fault",
            about("why", &broken.name, "")
        )));
    }
    if console.json {
        console.json(&serde_json::json!({
            "version": 1,
            "name": broken.name,
            "broken": true,
            "location": broken.location.to_string_lossy(),
            "diagnostics": broken.diagnostics,
        }))?;
        return Ok(DONE);
    }
    console.line(console.paint(
        Style::new().bold(),
        &format!("{} does not load", visible(&broken.name)),
    ))?;
    for diagnostic in &broken.diagnostics {
        print_finding(diagnostic, console)?;
    }
    Ok(DONE)
}

/// A skill with all that is told about it.
struct Shown<'a> {
    skill: &'a Skill,
    snapshot: &'a Snapshot,
    facts: Facts,
    tools: Vec<String>,
    tokens: usize,
    lines: usize,
    listing: resources::Listing,
}

impl<'a> Shown<'a> {
    fn new(skill: &'a Skill, snapshot: &'a Snapshot, facts: Facts, body: &str) -> Self {
        Self {
            skill,
            snapshot,
            tools: allowed_tools(&facts),
            facts,
            tokens: body.trim().chars().count().div_ceil(CHARACTERS_PER_TOKEN),
            lines: body.trim().lines().count(),
            listing: snapshot.resource_names(skill).unwrap_or_default(),
        }
    }

    fn print(&self, console: &mut Console) -> io::Result<()> {
        let name = visible(&self.snapshot.alias(self.skill)).into_owned();
        console.line(console.paint(Style::new().bold(), &name))?;
        for line in wrap(
            &one_line(&self.skill.description),
            console.width.saturating_sub(2),
        ) {
            console.line(format!("  {line}"))?;
        }
        console.line("")?;
        for (label, value) in self.rows(console) {
            let room = console.width.saturating_sub(LABEL_WIDTH + 2);
            let lines = value.iter().flat_map(|text| wrap(text, room));
            let mut label = label.as_str();
            for line in lines {
                console.line(format!("{label:<LABEL_WIDTH$}  {line}"))?;
                label = "";
            }
        }
        let findings: Vec<&Diagnostic> = self
            .skill
            .diagnostics
            .iter()
            .chain(&self.listing.diagnostics)
            .collect();
        if !findings.is_empty() {
            console.line("")?;
            for diagnostic in findings {
                print_finding(diagnostic, console)?;
            }
        }
        Ok(())
    }

    fn rows(&self, console: &Console) -> Vec<(String, Vec<String>)> {
        let skill = self.skill;
        let state = match &skill.shadowed_by {
            Some(owner) => format!("shadowed by {}", console.path(owner)),
            None => state_and_cause(skill, self.snapshot, console),
        };
        let mut rows = vec![
            ("state".to_owned(), vec![state]),
            (
                "source".to_owned(),
                vec![match &skill.kept {
                    Kept::InFolder { root, .. } => {
                        format!("{}, {}", skill.source(), console.path(&root.path))
                    }
                    Kept::InStore(store) => {
                        format!("{}, {}", skill.source(), console.path(Path::new(&**store)))
                    }
                }],
            ),
        ];
        if let Some(location) = skill.location() {
            rows.push(("location".to_owned(), vec![console.path(&location)]));
        }
        rows.push((
            "size".to_owned(),
            vec![format!(
                "{}; {} and about {} of instructions",
                size(skill.size),
                counted(self.lines, "line"),
                counted(self.tokens, "token")
            )],
        ));
        let told = ["name", "description", "allowed-tools"];
        for field in self
            .facts
            .fields
            .iter()
            .filter(|field| !told.contains(&&*field.key))
        {
            rows.push((cell(&field.key), flat(&field.value)));
        }
        if !self.tools.is_empty() {
            let tools: Vec<String> = self.tools.iter().map(|tool| cell(tool)).collect();
            rows.push((
                "allowed-tools".to_owned(),
                vec![
                    tools.join(", "),
                    "(shown only: it pre-approves nothing)".into(),
                ],
            ));
        }
        if !self.listing.resources.is_empty() {
            let mut files: Vec<String> = self
                .listing
                .resources
                .iter()
                .map(|file| visible(file).into_owned())
                .collect();
            match self.listing.left_out {
                Some(0) => {}
                Some(count) => files.push(format!("… {count} more")),
                None => files.push("… and more".to_owned()),
            }
            rows.push(("resources".to_owned(), files));
        }
        rows
    }

    fn document(&self) -> Document<'_> {
        let skill = self.skill;
        let resolution = self.snapshot.resolution(skill);
        Document {
            version: 1,
            name: &skill.name,
            alias: self.snapshot.alias(skill).into_owned(),
            state: resolution.state,
            on_by_this_repository: self.snapshot.on_by_this_repository(skill, &resolution),
            cause: resolution.cause,
            trail: self.snapshot.trail(skill),
            source: skill.source(),
            origin: skill.origin(),
            root: skill.root().map(|root| path_text(&root.path).into_owned()),
            location: skill
                .location()
                .map(|location| path_text(&location).into_owned()),
            dir: skill
                .folder()
                .and_then(|folder| folder.canonicalize().ok())
                .map(|dir| path_text(&dir).into_owned()),
            shadowed_by: skill
                .shadowed_by
                .as_ref()
                .map(|owner| owner.to_string_lossy().into_owned()),
            size: skill.size,
            lines: self.lines,
            tokens: self.tokens,
            description: clean(&skill.description).into_owned(),
            allowed_tools: &self.tools,
            fields: object(&self.facts.fields),
            resources: &self.listing.resources,
            truncated: self.listing.truncated,
            diagnostics: skill
                .diagnostics
                .iter()
                .chain(&self.listing.diagnostics)
                .collect(),
        }
    }
}

#[derive(Serialize)]
struct Document<'a> {
    version: u8,
    name: &'a str,
    alias: String,
    state: State,
    cause: Cause,
    trail: Vec<Step>,
    source: Source,
    origin: Origin,
    root: Option<String>,
    location: Option<String>,
    dir: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shadowed_by: Option<String>,
    size: u64,
    lines: usize,
    tokens: usize,
    description: String,
    #[serde(rename = "allowed-tools")]
    allowed_tools: &'a [String],
    fields: Map<String, Json>,
    resources: &'a [String],
    truncated: bool,
    on_by_this_repository: bool,
    diagnostics: Vec<&'a Diagnostic>,
}

/// Writes a value on as many lines as it has leaves; every text as the file has
/// it, so that `1.10` stays `1.10`.
fn flat(value: &Value) -> Vec<String> {
    match &value.content {
        Content::Scalar(scalar) => vec![cell(&scalar.text)],
        Content::Sequence(items) => items
            .iter()
            .flat_map(flat)
            .map(|item| format!("- {item}"))
            .collect(),
        Content::Mapping(entries) => entries
            .iter()
            .flat_map(|entry| {
                let key = cell(&entry.key);
                flat(&entry.value)
                    .into_iter()
                    .map(move |leaf| format!("{key}: {leaf}"))
            })
            .collect(),
    }
}

/// Of two equal keys the first counts.
fn object(fields: &[Field]) -> Map<String, Json> {
    fields
        .iter()
        .rev()
        .map(|field| (field.key.to_string(), json(&field.value)))
        .collect()
}

fn json(value: &Value) -> Json {
    match &value.content {
        Content::Scalar(scalar) => Json::String(scalar.text.clone()),
        Content::Sequence(items) => items.iter().map(json).collect(),
        Content::Mapping(entries) => Json::Object(object(entries)),
    }
}
