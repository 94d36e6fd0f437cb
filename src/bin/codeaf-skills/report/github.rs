//! The report as workflow commands of GitHub Actions, which become annotations.
//!
//! GitHub shows ten annotations of a kind for a step. What goes beyond is
//! printed as plain lines, so that the log still has everything.

use std::io;

use codeaf_skills::text::{counted, path_text};
use codeaf_skills::{Diagnostic, Severity};

use super::Report;
use crate::render::{Console, cell};

/// Annotations of one kind that GitHub shows for a step; see "Usage limits" of
/// its workflow commands.
const SHOWN: usize = 10;

pub(super) fn write(report: &Report, console: &mut Console) -> io::Result<()> {
    let mut counts = [0; 3];
    let mut rest = Vec::new();
    for (finding, _) in report.findings() {
        let count = &mut counts[finding.severity as usize];
        *count += 1;
        // One notice is kept for what is left out.
        let most = SHOWN - usize::from(finding.severity == Severity::Note);
        if *count <= most {
            console.line(command(finding, report))?;
        } else {
            rest.push(finding);
        }
    }
    for finding in &rest {
        console.line(plain(finding, report))?;
    }
    if !rest.is_empty() {
        console.line(format_args!(
            "::notice::{} not annotated, because GitHub shows {SHOWN} of a kind; the log has them all",
            counted(rest.len(), "more finding")
        ))?;
    }
    Ok(())
}

fn command(finding: &Diagnostic, report: &Report) -> String {
    let kind = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let span = finding.span;
    let end = match span.length {
        0 => String::new(),
        length => format!(",endColumn={}", span.column.saturating_add(length)),
    };
    format!(
        "::{kind} file={},line={},col={}{end},title={}::{}",
        property(&cell(&path_text(report.path(&finding.path)))),
        span.line,
        span.column,
        property(finding.rule.code()),
        data(&report.text(finding)),
    )
}

/// A line that no runner takes for a command: it begins with our own word, and
/// the mark of old commands, which counts anywhere, is broken.
fn plain(finding: &Diagnostic, report: &Report) -> String {
    let path = path_text(report.path(&finding.path));
    let text = report.text(finding);
    let line = format!(
        "{}[{}] {}:{}:{}: {text}",
        finding.severity,
        finding.rule,
        cell(&path),
        finding.span.line,
        finding.span.column
    );
    line.replace('\n', "; ").replace("##[", "## [")
}

/// Escapes the text of a command, as the runner's toolkit does.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_command_or_a_property_is_escaped() {
        assert_eq!(data("50%\r\nof: a, b"), "50%25%0D%0Aof: a, b");
        assert_eq!(property("a:b,c%d\n"), "a%3Ab%2Cc%25d%0A");
    }
}
