//! What each rule is about: the page that `check --explain` shows.
//!
//! Prose and examples alone. Who finds a breach, and how bad it is, is decided
//! where it is found.

mod body;
mod files;
mod frontmatter;
mod scopes;

use crate::diagnostic::Rule;

/// The page of one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// The rule.
    pub rule: Rule,
    /// What a finding says, in a few words: lower case, no final stop.
    pub title: &'static str,
    /// What is looked for, in whole sentences.
    pub what: &'static str,
    /// What it costs, in whole sentences.
    pub why: &'static str,
    /// What breaks the rule: lines of a file, or a listing. Empty where no
    /// example says more than the words.
    pub bad: &'static str,
    /// The same, mended.
    pub good: &'static str,
    /// Which agents care, in whole sentences; empty where it is a matter of
    /// this program alone.
    pub agents: &'static str,
}

impl Record {
    /// Returns the page of `rule`.
    ///
    /// # Examples
    ///
    /// ```
    /// use codeaf_skills::{Rule, check::rules::Record};
    ///
    /// assert_eq!(Record::of(Rule::BodyEmpty).title, "the body is empty");
    /// ```
    #[must_use]
    pub const fn of(rule: Rule) -> &'static Self {
        match Self::find(rule) {
            Some(record) => record,
            None => unreachable!(),
        }
    }

    const fn find(rule: Rule) -> Option<&'static Self> {
        const TABLES: [&[Record]; 4] = [
            frontmatter::RECORDS,
            body::RECORDS,
            files::RECORDS,
            scopes::RECORDS,
        ];
        let mut table = 0;
        while table < TABLES.len() {
            let mut at = 0;
            while at < TABLES[table].len() {
                let record = &TABLES[table][at];
                if record.rule as usize == rule as usize {
                    return Some(record);
                }
                at += 1;
            }
            table += 1;
        }
        None
    }
}

// A rule without a page does not compile.
const _: () = {
    let mut at = 0;
    while at < Rule::ALL.len() {
        let _ = Record::of(Rule::ALL[at]);
        at += 1;
    }
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_is_whole_sentences_under_a_short_title() {
        for &rule in Rule::ALL {
            let record = Record::of(rule);

            assert!(
                !record.title.is_empty() && record.title.len() < 70,
                "{rule}"
            );
            assert!(!record.title.ends_with('.'), "{rule}");
            assert!(
                !record.title.starts_with(char::is_uppercase)
                    || record.title.starts_with("SKILL.md"),
                "{rule}"
            );
            for text in [record.what, record.why] {
                assert!(text.ends_with('.'), "{rule}: {text}");
                assert!(
                    text.starts_with(|c: char| c.is_uppercase() || c == '`'),
                    "{rule}: {text}"
                );
            }
            assert!(
                record.agents.is_empty() || record.agents.ends_with('.'),
                "{rule}"
            );
            assert_eq!(record.bad.is_empty(), record.good.is_empty(), "{rule}");
            assert!(record.bad.is_empty() || record.bad != record.good, "{rule}");
        }
    }
}
