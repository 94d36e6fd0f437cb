//! The report as one JSON object, which `--json` promises to keep.

use std::io;
use std::path::Path;

use codeaf_skills::Diagnostic;
use codeaf_skills::check::Verdict;
use serde::Serialize;

use super::Report;
use crate::render::Console;

#[derive(Serialize)]
struct Answer<'a> {
    version: u8,
    skills: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    #[serde(serialize_with = "codeaf_skills::text::serialize_path")]
    location: &'a Path,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    verdict: Verdict,
    diagnostics: &'a [Diagnostic],
}

pub(super) fn write(report: &Report, console: &mut Console) -> io::Result<()> {
    let skills = report.checked.iter().map(|one| Row {
        location: &one.target.file,
        name: one.name.as_deref(),
        verdict: one.verdict(),
        diagnostics: &one.findings,
    });
    console.json(&Answer {
        version: 1,
        skills: skills.collect(),
    })
}
