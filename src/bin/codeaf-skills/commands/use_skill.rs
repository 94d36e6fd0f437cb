//! `use`: a skill as the model would get it, for a person.

use std::borrow::Cow;

use codeaf_skills::text::path_text;
use codeaf_skills::{Activation, Diagnostic, Env, Freshness, Rule, Source};
use serde::Serialize;

use super::{DONE, Status, load, note_state};
use crate::args::{Use, UseProfile};
use crate::failure::Failure;
use crate::render::Console;

pub(super) fn run(args: &Use, env: &Env, console: &mut Console) -> Result<Status, Failure> {
    let snapshot = load(env, console)?;
    let activation = snapshot.activate(&args.name, Freshness::Fresh)?;
    note_state(&snapshot, snapshot.find(&args.name)?, console);
    let profile = args.profile.unwrap_or(UseProfile::Codeaf);
    // The other forms keep the body as it is.
    let is_shown =
        |found: &&Diagnostic| profile == UseProfile::Codeaf || found.rule != Rule::TagInBody;
    for diagnostic in activation.diagnostics.iter().filter(is_shown) {
        console.finding(diagnostic);
    }
    let arguments = args.arguments.join(" ");
    match profile {
        UseProfile::Codeaf if console.json => {
            console.json(&Document::new(&activation, &arguments))?;
        }
        UseProfile::Codeaf => {
            console.line(activation.content())?;
            if !arguments.is_empty() {
                console.line(format!("\n{arguments}"))?;
            }
        }
        UseProfile::Albedo => console.json(&activation.to_albedo(&arguments, &env.limits)?)?,
        UseProfile::Coder => console.json(&activation.to_coder())?,
        UseProfile::Vbot => console.json(&activation.to_vbot())?,
    }
    Ok(DONE)
}

#[derive(Serialize)]
struct Document<'a> {
    version: u8,
    name: &'a str,
    description: &'a str,
    source: Source,
    location: Option<Cow<'a, str>>,
    dir: Option<String>,
    arguments: &'a str,
    instructions: &'a str,
    resources: &'a [String],
    /// Null where nobody counted.
    resources_left_out: Option<usize>,
}

impl<'a> Document<'a> {
    fn new(activation: &'a Activation, arguments: &'a str) -> Self {
        Self {
            version: 1,
            name: &activation.name,
            description: &activation.description,
            source: activation.source,
            location: activation.location.as_deref().map(path_text),
            dir: activation
                .dir
                .as_ref()
                .map(|dir| dir.to_string_lossy().into_owned()),
            arguments,
            instructions: &activation.instructions,
            resources: &activation.resources,
            resources_left_out: (!activation.resources_truncated
                || activation.resources_left_out > 0)
                .then_some(activation.resources_left_out),
        }
    }
}
