//! `resources` and `read`: the files that a skill bundles.

use codeaf_skills::skill::resources::{Encoding, Page, ReadError, Window};
use codeaf_skills::text::visible;
use codeaf_skills::{Diagnostic, Env, ResourceError};
use serde::Serialize;

use super::{DONE, Status, about, load, note_state};
use crate::args::{OneSkill, Read};
use crate::failure::Failure;
use crate::render::Console;

pub(super) fn resources(
    args: &OneSkill,
    env: &Env,
    console: &mut Console,
) -> Result<Status, Failure> {
    let snapshot = load(env, console)?;
    let skill = snapshot.find(&args.name)?;
    note_state(&snapshot, skill, console);
    let listing = snapshot
        .resources(skill)
        .map_err(|found| unreadable(&found))?;
    if console.json {
        console.json(&Document {
            version: 1,
            resources: &listing.resources,
            truncated: listing.truncated,
            diagnostics: &listing.diagnostics,
        })?;
        return Ok(DONE);
    }
    for resource in &listing.resources {
        console.line(visible(resource))?;
    }
    for diagnostic in &listing.diagnostics {
        console.finding(diagnostic);
    }
    Ok(DONE)
}

#[derive(Serialize)]
struct Document<'a> {
    version: u8,
    resources: &'a [String],
    truncated: bool,
    diagnostics: &'a [Diagnostic],
}

pub(super) fn read(args: &Read, env: &Env, console: &mut Console) -> Result<Status, Failure> {
    let snapshot = load(env, console)?;
    let skill = snapshot.find(&args.name)?;
    note_state(&snapshot, skill, console);
    let page = |offset, limit| {
        let window = Window { offset, limit };
        let page = snapshot.read_resource(skill, &args.resource, window);
        page.map_err(|error| not_read(error, args))
    };
    if console.json {
        let page = page(args.offset, args.limit)?;
        console.json(&PageDocument {
            version: 1,
            page: &page,
        })?;
        return Ok(DONE);
    }
    // Without a limit the whole file is printed, page by page.
    let mut offset = args.offset;
    loop {
        let page = page(
            offset,
            Some(args.limit.unwrap_or(env.limits.page_bytes_max)),
        )?;
        console.write(bytes_of(&page)?)?;
        if !page.truncated || args.limit.is_some() {
            return Ok(DONE);
        }
        offset = page.next_offset;
    }
}

fn not_read(error: ResourceError, args: &Read) -> Failure {
    let help = match &error {
        ResourceError::Read(ReadError::PastEnd(_, bytes)) => {
            format!("the file has {bytes} bytes: give --offset from 0 to {bytes}")
        }
        ResourceError::Folder(found) if found.help.is_some() => {
            found.help.clone().unwrap_or_default()
        }
        _ => format!(
            "`codeaf-skills {}` lists the files",
            about("resources", &args.name, "")
        ),
    };
    let what = format!(
        "cannot read `{}` of `{}`",
        visible(&args.resource),
        visible(&args.name)
    );
    Failure::told_to_models(error.code(), error)
        .context(what)
        .help(help)
}

fn unreadable(found: &Diagnostic) -> Failure {
    Failure::new(
        "skill-read-error",
        format!("{}: {}", found.path.display(), found.message),
    )
}

fn bytes_of(page: &Page) -> Result<Vec<u8>, Failure> {
    use base64::Engine;
    match page.encoding {
        Encoding::Utf8 => Ok(page.content.clone().into_bytes()),
        Encoding::Base64 => base64::engine::general_purpose::STANDARD
            .decode(&page.content)
            .map_err(|error| Failure::from_error("resource-not-read", error)),
    }
}

#[derive(Serialize)]
struct PageDocument<'a> {
    version: u8,
    #[serde(flatten)]
    page: &'a Page,
}
