//! The report as SARIF 2.1.0, the form that code scanning takes.

use std::collections::HashMap;
use std::fmt::Write;
use std::io;
use std::path::Path;

use codeaf_skills::check::Checked;
use codeaf_skills::check::config::fingerprints;
use codeaf_skills::check::rules::Record;
use codeaf_skills::{Diagnostic, Rule, Severity};
use serde_json::{Value, json};

use super::Report;
use crate::render::Console;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

pub(super) fn write(report: &Report, console: &mut Console) -> io::Result<()> {
    console.json(&log(report))
}

fn log(report: &Report) -> Value {
    let mut rules: Vec<Rule> = report.findings().map(|(found, _)| found.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    let results: Vec<Value> = report
        .checked
        .iter()
        .flat_map(|one| results(one, &rules, report))
        .collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "codeaf-skills",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.into_iter().map(rule).collect::<Vec<_>>(),
            }},
            // Columns count characters, not UTF-16 units.
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule(rule: Rule) -> Value {
    let record = Record::of(rule);
    let mut help = format!("{} {}", record.what, record.why);
    let mut markdown = format!("{}\n\n{}\n", record.what, record.why);
    for (head, example) in [("Bad", record.bad), ("Good", record.good)] {
        if !example.is_empty() {
            let _ = write!(
                markdown,
                "\n{head}:\n\n~~~~text\n{}\n~~~~\n",
                example.trim_end()
            );
        }
    }
    if !record.agents.is_empty() {
        let _ = write!(help, " {}", record.agents);
        let _ = write!(markdown, "\n{}\n", record.agents);
    }
    json!({
        "id": rule.code(),
        "shortDescription": {"text": record.title},
        "fullDescription": {"text": record.what},
        "help": {"text": help, "markdown": markdown},
    })
}

/// Returns the results of one file. Each is known again, when lines have moved,
/// by the same fingerprint as in a baseline; equal ones are counted.
fn results(one: &Checked, rules: &[Rule], report: &Report) -> Vec<Value> {
    let mut seen = HashMap::new();
    one.findings
        .iter()
        .zip(fingerprints(one))
        .map(|(finding, fingerprint)| {
            let index = rules.binary_search(&finding.rule).unwrap_or_default();
            let count = seen.entry(fingerprint).or_insert(0);
            *count += 1;
            result(finding, index, &format!("{fingerprint}:{count}"), report)
        })
        .collect()
}

fn result(finding: &Diagnostic, index: usize, print: &str, report: &Report) -> Value {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let span = finding.span;
    let mut region = json!({"startLine": span.line, "startColumn": span.column});
    if span.length > 0 {
        region["endColumn"] = json!(span.column.saturating_add(span.length));
    }
    json!({
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": level,
        "message": {"text": report.text(finding)},
        "locations": [{"physicalLocation": {
            "artifactLocation": artifact(&finding.path, report),
            "region": region,
        }}],
        "partialFingerprints": {"primaryLocationLineHash": print},
    })
}

/// Returns where a file is: relative to the top of the repository, as code
/// scanning asks, or whole where it lies outside.
fn artifact(path: &Path, report: &Report) -> Value {
    let short = report.path(path);
    if short.is_absolute() {
        json!({"uri": format!("file://{}", encoded(short))})
    } else {
        json!({"uri": encoded(short), "uriBaseId": "%SRCROOT%"})
    }
}

/// Percent-encodes what may not stand in a URI.
fn encoded(path: &Path) -> String {
    let mut uri = String::new();
    for &byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}
