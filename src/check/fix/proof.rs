//! Whether a mended file still says what it said. What is not proved is not done.

use std::collections::BTreeMap;
use std::path::Path;

use super::Draft;
use crate::diagnostic::{Diagnostic, Rule};
use crate::limits::Limits;
use crate::skill::frontmatter::{self, Content, Facts, Field, Value};
use crate::skill::loading;

/// Readings that one kind of mend may cost when not all of it can be proved.
/// Finding one bad mend among a thousand takes twenty.
const READINGS: usize = 64;

impl Draft<'_> {
    /// Applies as many of `all` as can be proved, and returns them in order.
    ///
    /// `attempt` makes the bytes that some of them lead to, and the fields that
    /// are to be read there.
    pub(super) fn settle<T: Copy>(
        &mut self,
        all: &[T],
        attempt: impl Fn(&Self, &[T]) -> Option<(Vec<u8>, Vec<Field>)>,
    ) -> Vec<T> {
        let mut taken = Vec::new();
        if all.is_empty() {
            return taken;
        }
        let mut best = None;
        let mut waiting = vec![all];
        let before = Loading::new(&self.facts, self.folder, self.limits);
        for _ in 0..READINGS {
            let Some(part) = waiting.pop() else { break };
            let tried = [&taken[..], part].concat();
            let proved = attempt(self, &tried).and_then(|(after, expected)| {
                Some((self.read_again(&before, &after, &expected)?, after))
            });
            if proved.is_some() {
                (taken, best) = (tried, proved);
            } else if part.len() > 1 {
                let (first, second) = part.split_at(part.len() / 2);
                waiting.extend([second, first]);
            }
        }
        if let Some((facts, bytes)) = best {
            self.facts = facts;
            self.bytes = bytes;
        }
        taken
    }

    /// Reads a mended file. `None`: its fields are not `expected`, its body is
    /// not the same but for line ends, or it loads worse.
    fn read_again(&self, before: &Loading, after: &[u8], expected: &[Field]) -> Option<Facts> {
        if after.len() > self.limits.skill_bytes.max(self.bytes.len()) {
            return None;
        }
        let facts = frontmatter::read(after, self.limits);
        let is_proved = rule_of(&self.facts) == rule_of(&facts)
            && self.facts.tags.len() == facts.tags.len()
            && self.facts.closing.is_some() == facts.closing.is_some()
            && same_fields(expected, &facts.fields)
            && same_body(&self.bytes[self.facts.body..], &after[facts.body..])
            && self.loads_no_worse(before, &facts);
        is_proved.then_some(facts)
    }

    fn loads_no_worse(&self, before: &Loading, facts: &Facts) -> bool {
        let after = Loading::new(facts, self.folder, self.limits);
        let is_worse = |(rule, count): (&Rule, &usize)| before.findings.get(rule) < Some(count);
        before.identity == after.identity && !after.findings.iter().any(is_worse)
    }
}

/// What discovery would make of a file.
struct Loading {
    /// Name and description, if it loads.
    identity: Option<(String, String)>,
    findings: BTreeMap<Rule, usize>,
}

impl Loading {
    fn new(facts: &Facts, folder: &str, limits: &Limits) -> Self {
        let (identity, list) = match loading::load(facts, Path::new(""), folder, limits) {
            Ok(loaded) => (Some((loaded.name, loaded.description)), loaded.diagnostics),
            Err(list) => (None, list),
        };
        let mut findings = BTreeMap::new();
        for Diagnostic { rule, .. } in list {
            *findings.entry(rule).or_insert(0) += 1;
        }
        Self { identity, findings }
    }
}

fn rule_of(facts: &Facts) -> Option<Rule> {
    facts.fault.as_ref().map(|fault| fault.rule)
}

/// Whether two lists of fields say the same, wherever and however it is written.
fn same_fields(one: &[Field], other: &[Field]) -> bool {
    let same = |(one, other): (&Field, &Field)| {
        one.key == other.key && same_value(&one.value, &other.value)
    };
    one.len() == other.len() && one.iter().zip(other).all(same)
}

fn same_value(one: &Value, other: &Value) -> bool {
    match (&one.content, &other.content) {
        (Content::Scalar(one), Content::Scalar(other)) => {
            one.text == other.text
                && one.kind == other.kind
                && one.repaired.is_some() == other.repaired.is_some()
        }
        (Content::Sequence(one), Content::Sequence(other)) => {
            let mut pairs = one.iter().zip(other);
            one.len() == other.len() && pairs.all(|(one, other)| same_value(one, other))
        }
        (Content::Mapping(one), Content::Mapping(other)) => same_fields(one, other),
        _ => false,
    }
}

fn same_body(before: &[u8], after: &[u8]) -> bool {
    before == after || lines(before).eq(lines(after))
}

fn lines(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    body.split(|&b| b == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}
