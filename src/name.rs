//! Names: where a skill is kept, how it is called, and what is near a name.
//!
//! This file decides aliases and near names. It does not know where skills
//! come from or whether they are on.

use std::fmt;

use serde::Serialize;

/// The file that makes a folder a skill.
pub const SKILL_FILE: &str = "SKILL.md";

/// Who keeps a skill. Ordered as listings show them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The user's own store.
    Personal,
    /// A folder under a root.
    Workspace,
}

impl Source {
    /// Every source, in order.
    pub const ALL: [Self; 2] = [Self::Personal, Self::Workspace];

    /// Returns the word before the slash of a qualified name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Personal => "personal",
            Self::Workspace => "workspace",
        }
    }

    /// Returns the qualified form of `name`, such as `workspace/pdf`.
    #[must_use]
    pub fn qualify(self, name: &str) -> String {
        format!("{}/{name}", self.as_str())
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Characters of a name (specification: 1–64).
pub const SPEC_NAME_CHARACTERS: usize = 64;

/// Returns whether `name` is one that the specification allows: 1 to 64
/// characters, `a`–`z`, `0`–`9` and single hyphens between them.
#[must_use]
pub fn is_spec_name(name: &str) -> bool {
    name.len() <= SPEC_NAME_CHARACTERS && is_kebab(name)
}

/// Returns whether `name` is `a`–`z`, `0`–`9` and single hyphens between them,
/// of any length: coder's `^[a-z0-9]+(-[a-z0-9]+)*$`.
#[must_use]
pub fn is_kebab(name: &str) -> bool {
    let mut hyphen_may_follow = false;
    let is_allowed = |b: u8| {
        let is_hyphen = b == b'-';
        let had_part = std::mem::replace(&mut hyphen_may_follow, !is_hyphen);
        b.is_ascii_lowercase() || b.is_ascii_digit() || is_hyphen && had_part
    };
    name.bytes().all(is_allowed) && hyphen_may_follow
}

/// Returns why `name` cannot be the name of a skill, as the end of a sentence:
/// it could be taken for a path or acts on a terminal, or has over `most`
/// bytes.
#[must_use]
pub fn unsafe_because(name: &str, most: usize) -> Option<String> {
    if name.is_empty() {
        Some("is empty".to_owned())
    } else if name == "." || name == ".." {
        Some("is a path".to_owned())
    } else if name.contains(['/', '\\']) {
        Some("holds a slash".to_owned())
    } else if name.chars().any(char::is_control) {
        Some("holds a control character".to_owned())
    } else if name.len() > most {
        Some(format!("has {} bytes; {most} are the most", name.len()))
    } else {
        None
    }
}

/// Splits a qualified name into its source and its bare name.
///
/// # Examples
///
/// ```
/// use codeaf_skills::{Source, split_qualified};
///
/// assert_eq!(split_qualified("personal/review"), (Some(Source::Personal), "review"));
/// assert_eq!(split_qualified("review"), (None, "review"));
/// ```
#[must_use]
pub fn split_qualified(name: &str) -> (Option<Source>, &str) {
    Source::ALL
        .into_iter()
        .find_map(|source| {
            let bare = name.strip_prefix(source.as_str())?.strip_prefix('/')?;
            Some((Some(source), bare))
        })
        .unwrap_or((None, name))
}

/// Returns whether `name` matches `pattern`, in which `*` stands for any run of
/// characters and `?` for one. Everything else stands for itself.
#[must_use]
pub fn matches_pattern(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n) = (0, 0);
    // Where to go on after the last star when what follows it does not fit.
    let mut retry: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                retry = Some((p + 1, n));
                p += 1;
            }
            Some(&c) if c == '?' || c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => {
                let Some((after_star, from)) = retry else {
                    return false;
                };
                retry = Some((after_star, from + 1));
                p = after_star;
                n = from + 1;
            }
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

/// Returns whether `name`, bare or qualified, is one that `pattern` means: a
/// pattern with a slash is held against the whole of it, any other one against
/// what follows the source, so that `p*` does not mean every personal skill.
#[must_use]
pub fn is_meant_by(pattern: &str, name: &str) -> bool {
    if pattern.contains('/') {
        matches_pattern(pattern, name)
    } else {
        matches_pattern(pattern, split_qualified(name).1)
    }
}

/// Returns whether `name` is a pattern for [`matches_pattern`].
#[must_use]
pub fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?'])
}

/// Returns up to three of `names` that a person may have meant by `wanted`,
/// the nearest first.
///
/// Near is: equal but for letter case, hyphens, underscores or blanks; one
/// beginning with the other; or a small edit distance (a third of the length
/// at most, transpositions counted once).
#[must_use]
pub fn near<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    /// More would be a listing, not a hint.
    const SHOWN: usize = 3;
    let folded = fold(wanted);
    let mut found: Vec<(usize, &str)> = names
        .into_iter()
        .filter_map(|name| Some((distance(&folded, &fold(name))?, name)))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
        .into_iter()
        .take(SHOWN)
        .map(|(_, name)| name)
        .collect()
}

fn fold(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '-' | '_' | ' '))
        .flat_map(char::to_lowercase)
        .collect()
}

fn distance(wanted: &str, name: &str) -> Option<usize> {
    let (wanted_length, name_length) = (wanted.chars().count(), name.chars().count());
    let allowed = (wanted_length.max(name_length) / 3).max(1);
    let begins = wanted_length >= 3 && name.starts_with(wanted)
        || name_length >= 3 && wanted.starts_with(name);
    // The edit distance takes time by the product of the lengths.
    let is_long = wanted_length.max(name_length) > SPEC_NAME_CHARACTERS;
    if is_long || wanted_length.abs_diff(name_length) > allowed {
        return begins.then_some(allowed);
    }
    let edits = strsim::damerau_levenshtein(wanted, name);
    if edits <= allowed && edits < wanted_length.max(1) {
        Some(edits)
    } else {
        begins.then_some(allowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qualified_names_split_at_a_known_source_only() {
        for (name, source, bare) in [
            ("pdf", None, "pdf"),
            ("personal/pdf", Some(Source::Personal), "pdf"),
            ("workspace/pdf", Some(Source::Workspace), "pdf"),
            ("plugin/pdf", None, "plugin/pdf"),
            ("personalpdf", None, "personalpdf"),
        ] {
            assert_eq!(split_qualified(name), (source, bare));
        }
    }

    #[test]
    fn the_specification_allows_kebab_case_of_64_characters() {
        for (name, allowed) in [
            ("pdf-processing", true),
            ("a", true),
            ("3000", true),
            ("", false),
            ("-a", false),
            ("a-", false),
            ("a--b", false),
            ("A", false),
            ("caf\u{e9}", false),
            ("a b", false),
            (&"a".repeat(64), true),
            (&"a".repeat(65), false),
        ] {
            assert_eq!(is_spec_name(name), allowed, "{name}");
        }
    }

    #[test]
    fn a_name_that_could_be_a_path_or_acts_is_unsafe() {
        for (name, is_safe) in [
            ("pdf", true),
            ("a b", true),
            ("", false),
            (".", false),
            ("..", false),
            ("...", true),
            ("a/b", false),
            ("a\\b", false),
            ("a\nb", false),
            ("a\u{9b}b", false),
            (&"a".repeat(256), true),
            (&"a".repeat(257), false),
        ] {
            assert_eq!(unsafe_because(name, 256).is_none(), is_safe, "{name:?}");
        }
    }

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, fits) in [
            ("*", "", true),
            ("pdf-*", "pdf-forms", true),
            ("pdf-*", "a-pdf-forms", false),
            ("*-kit", "a-kit-kit", true),
            ("?-kit", "a-kit", true),
            ("?-kit", "-kit", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-b-b", false),
            ("\u{e9}?", "\u{e9}\u{1f600}", true),
            ("pdf", "pdf", true),
            ("pdf", "pdfs", false),
        ] {
            assert_eq!(matches_pattern(pattern, name), fits, "{pattern} {name}");
        }
    }

    #[test]
    fn a_source_is_matched_where_the_pattern_names_one() {
        for (pattern, name, is_meant) in [
            ("x*", "personal/xy", true),
            ("x*", "xy", true),
            ("p*", "personal/xy", false),
            ("personal/*", "personal/xy", true),
            ("*/xy", "workspace/xy", true),
            ("personal/*", "xy", false),
        ] {
            assert_eq!(is_meant_by(pattern, name), is_meant, "{pattern} {name}");
        }
    }

    #[test]
    fn near_names_are_what_a_person_may_have_meant() {
        let names = [
            "deploy-notes",
            "deploy-check",
            "zebra-kit",
            "pdf-processing",
            "b-kit",
        ];

        assert_eq!(near("deploy-note", names), ["deploy-notes"]);
        assert_eq!(near("Deploy_Notes", names), ["deploy-notes"]);
        assert_eq!(near("bb-kit", names), ["b-kit"]);
        assert_eq!(near("pdf", names), ["pdf-processing"]);
        assert_eq!(near("mpa-kit", ["map-kit"]), ["map-kit"]);
        assert!(near("no-such-thing-at-all", names).is_empty());
    }
}
