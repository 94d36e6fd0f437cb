//! What `check` found, in each of its forms.

mod github;
mod json;
pub(crate) mod matrix;
mod sarif;
pub(crate) mod text;

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use codeaf_skills::check::Checked;
use codeaf_skills::check::config::Baseline;
use codeaf_skills::{Diagnostic, Severity};
use memchr::memchr_iter;

use crate::args::CheckFormat;
use crate::render::{Console, cell};

pub(crate) use text::page;

/// What there is to print.
pub(crate) struct Report<'a> {
    /// The skills, and whatever else there is something to say about, in the
    /// order of their paths.
    pub(crate) checked: &'a [Checked],
    /// How many skills were checked.
    pub(crate) skills: usize,
    /// How many findings a baseline keeps quiet.
    pub(crate) silenced: usize,
    /// The folder that other programs take paths from.
    pub(crate) base: PathBuf,
    /// The folder that a baseline takes paths from.
    pub(crate) folder: PathBuf,
}

/// Prints the whole report.
pub(crate) fn write(format: CheckFormat, report: &Report, console: &mut Console) -> io::Result<()> {
    match format {
        CheckFormat::Text => text::write(report, console),
        CheckFormat::Github => github::write(report, console),
        CheckFormat::Sarif => sarif::write(report, console),
        CheckFormat::Json => json::write(report, console),
        CheckFormat::Baseline => {
            let baseline = Baseline::of(report.checked, &report.folder);
            console.write(baseline.to_string())
        }
    }
}

/// Returns the top of the repository around `start`, or `start` itself.
pub(crate) fn repository(start: &Path) -> PathBuf {
    let mut folders = start.ancestors();
    let top = folders.find(|folder| folder.join(".git").symlink_metadata().is_ok());
    top.unwrap_or(start).to_path_buf()
}

impl Report<'_> {
    /// Returns each finding, with the bytes of its file where they are known.
    fn findings(&self) -> impl Iterator<Item = (&Diagnostic, &[u8])> {
        self.checked.iter().flat_map(|one| {
            one.findings.iter().map(|finding| {
                let is_about_it = finding.path == one.target.file;
                let bytes: &[u8] = if is_about_it { &one.bytes } else { &[] };
                (finding, bytes)
            })
        })
    }

    /// Whether a check with this outcome has failed: on an error, on a warning
    /// where it is `strict`, and where there was nothing to check.
    pub(crate) fn fails(&self, strict: bool) -> bool {
        let worst = self.findings().map(|(finding, _)| finding.severity).max();
        let limit = if strict {
            Severity::Warning
        } else {
            Severity::Error
        };
        self.skills == 0 || worst >= Some(limit)
    }

    fn count(&self, severity: Severity) -> usize {
        let all = self.findings();
        all.filter(|(finding, _)| finding.severity == severity)
            .count()
    }

    /// Returns the path from the top of the repository, or a whole path where it
    /// lies outside.
    fn path<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.base).unwrap_or(path)
    }

    /// Returns the message and its help as one text for other programs.
    fn text(&self, finding: &Diagnostic) -> String {
        let short = |text: &str| {
            let base = format!("{}/", self.base.display());
            cell(&text.replace(&base, ""))
        };
        match &finding.help {
            Some(help) => format!("{}\nhelp: {}", short(&finding.message), short(help)),
            None => short(&finding.message),
        }
    }
}

/// Returns the line of a finding without its line end; bytes that are not UTF-8
/// are U+FFFD, so that characters count as columns do.
fn source_line(bytes: &[u8], line: u32) -> Option<Cow<'_, str>> {
    let above = usize::try_from(line).ok()?.checked_sub(1)?;
    let mut ends = memchr_iter(b'\n', bytes);
    let start = match above.checked_sub(1) {
        None => 0,
        Some(last) => ends.nth(last)? + 1,
    };
    let line = &bytes[start..ends.next().unwrap_or(bytes.len())];
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // A line can have a million bytes, and many findings; this is the quick way.
    let text = str::from_utf8(line).map(Cow::Borrowed);
    Some(text.unwrap_or_else(|_| String::from_utf8_lossy(line)))
}
