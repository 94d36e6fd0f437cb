//! `resources` and `read`: the files that a skill bundles.

use codeaf_skills::skill::resources::{self, Encoding, Page, Window};
use codeaf_skills::{Diagnostic, Env, Skill};
use serde::Serialize;

use super::{DONE, Status, find, load};
use crate::args::{OneSkill, Read};
use crate::failure::Failure;
use crate::render::{Console, cell};

pub(super) fn resources(
    args: &OneSkill,
    env: &Env,
    console: &mut Console,
) -> Result<Status, Failure> {
    let snapshot = load(env, console)?;
    let skill = find(&snapshot, &args.name)?;
    let listing = resources::list(&skill.folder, &env.limits);
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
        console.line(cell(resource))?;
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
    let skill = find(&snapshot, &args.name)?;
    if console.json {
        let page = page(skill, args, args.offset, args.limit, env)?;
        console.json(&PageDocument {
            version: 1,
            page: &page,
        })?;
        return Ok(DONE);
    }
    // Without a limit the whole file is printed, page by page.
    let mut offset = args.offset;
    loop {
        let limit = args.limit.unwrap_or(env.limits.page_bytes_max);
        let page = page(skill, args, offset, Some(limit), env)?;
        console.write(bytes_of(&page)?)?;
        if !page.truncated || args.limit.is_some() {
            return Ok(DONE);
        }
        offset = page.next_offset;
    }
}

fn page(
    skill: &Skill,
    args: &Read,
    offset: u64,
    limit: Option<usize>,
    env: &Env,
) -> Result<Page, Failure> {
    let window = Window { offset, limit };
    Ok(resources::read(
        &skill.folder,
        &args.resource,
        window,
        &env.limits,
    )?)
}

fn bytes_of(page: &Page) -> Result<Vec<u8>, Failure> {
    use base64::Engine;
    match page.encoding {
        Encoding::Utf8 => Ok(page.content.clone().into_bytes()),
        Encoding::Base64 => base64::engine::general_purpose::STANDARD
            .decode(&page.content)
            .map_err(|error| Failure::from_error("resource_not_read", error)),
    }
}

#[derive(Serialize)]
struct PageDocument<'a> {
    version: u8,
    #[serde(flatten)]
    page: &'a Page,
}
