//! Whether two snapshots show the same, and what is different if they do not.
//!
//! What counts is what a model or a client can see: the skills that own their
//! names, and scope files that cannot be read. Why a skill is on, what is
//! shadowed and what did not load are matters of `list` and `why`, and change
//! nothing here.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::Hash;
use std::path::{Path, PathBuf};

use super::scan::Skill;
use super::skill_file::SKILL_FILE;
use super::snapshot::Snapshot;
use crate::hash;
use crate::name::Source;
use crate::scope::{Fault, State};

/// A short stand-in for some content: equal for equal content within one
/// process, and different for different content but for a chance of 1 in 2⁶⁴.
///
/// It is not to be stored, and it proves nothing against somebody who wants two
/// contents to look alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(u64);

impl Digest {
    /// Returns the digest of anything that can be hashed.
    #[must_use]
    pub fn of<T: Hash + ?Sized>(content: &T) -> Self {
        Self(hash::of(content))
    }
}

/// One difference between an earlier and a later snapshot. Names are aliases,
/// as they are in the later one; that of a removed skill as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// A scope file cannot be read, or is wrong in another way than before:
    /// no skill is offered until it is mended.
    ScopeUnreadable {
        /// Where and why.
        fault: Fault,
    },
    /// A scope file that could not be read can be read again.
    ScopeMended {
        /// The scope file.
        path: PathBuf,
    },
    /// A skill is there that was not.
    Added {
        /// Its alias.
        alias: String,
        /// Its state; off if it is not among the allowed skills, or kept in a
        /// store that gives no answer.
        state: State,
    },
    /// A skill is gone, or no longer loads.
    Removed {
        /// The alias that it had.
        alias: String,
    },
    /// A skill is called by another alias, because the other source got a skill
    /// of its name, or lost it.
    Renamed {
        /// The alias that it had.
        from: String,
        /// Its alias.
        alias: String,
    },
    /// Another folder owns the name now.
    Moved {
        /// Its alias.
        alias: String,
        /// The SKILL.md that owned the name.
        from: PathBuf,
        /// The SKILL.md that owns it.
        location: PathBuf,
    },
    /// A skill was turned on.
    TurnedOn {
        /// Its alias.
        alias: String,
    },
    /// A skill was turned off.
    TurnedOff {
        /// Its alias.
        alias: String,
    },
    /// The description or the argument hint is another one.
    Described {
        /// Its alias.
        alias: String,
    },
    /// Something else in the frontmatter is different.
    Annotated {
        /// Its alias.
        alias: String,
    },
    /// The instructions are different.
    Rewritten {
        /// Its alias.
        alias: String,
    },
}

impl Snapshot {
    /// Returns the digest of what a model or a client can see of the snapshot:
    /// aliases, descriptions, argument hints, sizes, contents, locations and
    /// states of the skills that own their names, and faults of scope files.
    ///
    /// Two snapshots have the same digest if and only if [`diff`](Self::diff)
    /// finds nothing.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let faults: Vec<_> = self.scope_faults().collect();
        let skills: Vec<_> = seen(self).collect();
        Digest::of(&(faults, skills))
    }

    /// Returns what is different in `later`: faults of scope files first, by
    /// path, then skills by name (bytes) and source.
    ///
    /// One skill can have several differences, in the order of [`Difference`].
    /// A state here is what the model sees: a skill that is not among the
    /// allowed ones, or kept in a store that gives no answer, counts as off. While a scope file cannot be read no skill is
    /// offered, whatever is said of the others.
    ///
    /// # Examples
    ///
    /// ```
    /// use codeaf_skills::{Change, Difference, Env, Scope, Snapshot, State, scope};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let skill = folder.path().join(".agents/skills/pdf");
    /// # std::fs::create_dir_all(&skill)?;
    /// # std::fs::write(skill.join("SKILL.md"), "---\nname: pdf\ndescription: Reads PDF files.\n---\n")?;
    /// let earlier = Snapshot::load(&Env::new(folder.path()))?;
    /// let project = earlier.scope_path(Scope::Project)?;
    /// scope::edit(&project, &[Change::on("pdf")], &earlier.env().limits)?;
    ///
    /// let later = earlier.with_fresh_scopes();
    ///
    /// assert_ne!(earlier.digest(), later.digest());
    /// assert_eq!(earlier.diff(&later), [Difference::TurnedOn { alias: "pdf".into() }]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn diff(&self, later: &Self) -> Vec<Difference> {
        let mut skills = BTreeMap::<_, (Option<Seen>, Option<Seen>)>::new();
        for skill in seen(self) {
            skills.insert(skill.key(), (Some(skill), None));
        }
        for skill in seen(later) {
            let key = skill.key();
            skills.entry(key).or_default().1 = Some(skill);
        }
        let of_skills = skills.into_values().flat_map(|pair| match pair {
            (Some(earlier), Some(later)) => earlier.differences(&later),
            (earlier, later) => earlier
                .map(Seen::removed)
                .into_iter()
                .chain(later.map(Seen::added))
                .collect(),
        });
        fault_differences(self, later)
            .into_iter()
            .chain(of_skills)
            .collect()
    }
}

fn fault_differences(earlier: &Snapshot, later: &Snapshot) -> Vec<Difference> {
    let mut faults = BTreeMap::<&Path, (Option<&Fault>, Option<&Fault>)>::new();
    for fault in earlier.scope_faults() {
        faults.entry(&fault.diagnostic.path).or_default().0 = Some(fault);
    }
    for fault in later.scope_faults() {
        faults.entry(&fault.diagnostic.path).or_default().1 = Some(fault);
    }
    let difference = |(path, (before, now)): (&Path, (Option<&Fault>, Option<&Fault>))| match now {
        Some(fault) => (before != now).then(|| Difference::ScopeUnreadable {
            fault: fault.clone(),
        }),
        None => Some(Difference::ScopeMended { path: path.into() }),
    };
    faults.into_iter().filter_map(difference).collect()
}

fn seen(snapshot: &Snapshot) -> impl Iterator<Item = Seen<'_>> {
    snapshot.owners().map(|skill| Seen::of(snapshot, skill))
}

/// All that can be seen of a skill.
#[derive(PartialEq, Eq, Hash)]
struct Seen<'a> {
    name: &'a str,
    source: Source,
    alias: Cow<'a, str>,
    folder: Option<&'a Path>,
    is_on: bool,
    description: &'a str,
    argument_hint: Option<&'a str>,
    size: u64,
    frontmatter: Digest,
    body: Digest,
}

impl<'a> Seen<'a> {
    fn of(snapshot: &Snapshot, skill: &'a Skill) -> Self {
        Self {
            name: &skill.name,
            source: skill.source(),
            alias: snapshot.alias(skill),
            folder: skill.folder(),
            is_on: snapshot.is_reachable(skill)
                && snapshot.permits(skill)
                && snapshot.resolution(skill).is_on(),
            description: &skill.description,
            argument_hint: skill.argument_hint.as_deref(),
            size: skill.size,
            frontmatter: skill.frontmatter,
            body: skill.body,
        }
    }

    fn key(&self) -> (&'a str, Source) {
        (self.name, self.source)
    }

    fn added(self) -> Difference {
        Difference::Added {
            alias: self.alias.into_owned(),
            state: if self.is_on { State::On } else { State::Off },
        }
    }

    fn removed(self) -> Difference {
        Difference::Removed {
            alias: self.alias.into_owned(),
        }
    }

    fn differences(&self, later: &Self) -> Vec<Difference> {
        let alias = || later.alias.to_string();
        let mut differences = Vec::new();
        if self.alias != later.alias {
            let (from, alias) = (self.alias.to_string(), alias());
            differences.push(Difference::Renamed { from, alias });
        }
        if let (Some(from), Some(to)) = (self.folder, later.folder)
            && from != to
        {
            differences.push(Difference::Moved {
                alias: alias(),
                from: from.join(SKILL_FILE),
                location: to.join(SKILL_FILE),
            });
        }
        match (self.is_on, later.is_on) {
            (false, true) => differences.push(Difference::TurnedOn { alias: alias() }),
            (true, false) => differences.push(Difference::TurnedOff { alias: alias() }),
            _ => {}
        }
        let is_described =
            (self.description, self.argument_hint) != (later.description, later.argument_hint);
        if is_described {
            differences.push(Difference::Described { alias: alias() });
        } else if self.frontmatter != later.frontmatter {
            differences.push(Difference::Annotated { alias: alias() });
        }
        if self.body != later.body {
            differences.push(Difference::Rewritten { alias: alias() });
        }
        differences
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::{Allowed, Env};
    use proptest::prelude::*;
    use std::fs;

    /// A home with roots of two agents, and a project.
    struct Place {
        _temporary: tempfile::TempDir,
        top: PathBuf,
        env: Env,
    }

    impl Place {
        fn new() -> Self {
            let temporary = tempfile::tempdir().unwrap();
            let top = temporary.path().canonicalize().unwrap();
            let mut env = Env::new(top.join("project"));
            env.home = Some(top.join("home"));
            let place = Self {
                _temporary: temporary,
                top,
                env,
            };
            place.skill("home/.agents", "pdf", "Reads PDF files.", "Use it.");
            place.write("home/.codeaf/skills.json", r#"{"on": ["pdf"]}"#);
            place.write("project/.codeaf/skills.json", "{}");
            place
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.top.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn skill(&self, agent: &str, name: &str, description: &str, body: &str) {
            self.write(
                &format!("{agent}/skills/{name}/SKILL.md"),
                &format!("---\nname: {name}\ndescription: {description}\n---\n{body}"),
            );
        }

        fn load(&self) -> Snapshot {
            Snapshot::load(&self.env).unwrap()
        }

        /// Returns what is different after `change`, a line each.
        fn after(&mut self, change: impl FnOnce(&mut Self)) -> Vec<String> {
            let earlier = self.load();
            change(self);
            let later = self.load();
            let lines: Vec<_> = earlier.diff(&later).iter().map(line).collect();
            assert_eq!(lines.is_empty(), earlier.digest() == later.digest());
            assert_eq!(lines.is_empty(), later.diff(&earlier).is_empty());
            lines
        }
    }

    fn line(difference: &Difference) -> String {
        match difference {
            Difference::ScopeUnreadable { fault } => {
                format!("unreadable at {}", fault.diagnostic.span.column)
            }
            Difference::ScopeMended { .. } => "mended".to_owned(),
            Difference::Added { alias, state } => format!("added {alias} {}", state.as_str()),
            Difference::Removed { alias } => format!("removed {alias}"),
            Difference::Renamed { from, alias } => format!("renamed {from} {alias}"),
            Difference::Moved {
                alias, location, ..
            } => format!("moved {alias} {}", location.ends_with(SKILL_FILE)),
            Difference::TurnedOn { alias } => format!("on {alias}"),
            Difference::TurnedOff { alias } => format!("off {alias}"),
            Difference::Described { alias } => format!("described {alias}"),
            Difference::Annotated { alias } => format!("annotated {alias}"),
            Difference::Rewritten { alias } => format!("rewritten {alias}"),
        }
    }

    #[test]
    fn what_a_model_can_see_is_a_difference_and_nothing_else() {
        type Change = fn(&mut Place);
        let rows: [(&str, Change, &[&str]); 17] = [
            ("nothing", |_| {}, &[]),
            (
                "the same bytes again",
                |place| place.skill("home/.agents", "pdf", "Reads PDF files.", "Use it."),
                &[],
            ),
            (
                "another scope says the same",
                |place| place.write("project/.codeaf/skills.json", r#"{"on": ["pdf"]}"#),
                &[],
            ),
            (
                "a shadowed copy",
                |place| place.skill("home/.goose", "pdf", "Another.", "Other."),
                &[],
            ),
            (
                "a folder that is no skill",
                |place| place.write("home/.agents/skills/notes/README.md", "Notes."),
                &[],
            ),
            (
                "a bundled file",
                |place| place.write("home/.agents/skills/pdf/a.txt", "A."),
                &[],
            ),
            (
                "a new skill",
                |place| place.skill("home/.agents", "doc", "Reads.", ""),
                &["added doc off"],
            ),
            (
                "a skill gone",
                |place| fs::remove_dir_all(place.top.join("home/.agents/skills/pdf")).unwrap(),
                &["removed pdf"],
            ),
            (
                "a skill that no longer loads",
                |place| place.write("home/.agents/skills/pdf/SKILL.md", "---\n"),
                &["removed pdf"],
            ),
            (
                "off",
                |place| place.write("project/.codeaf/skills.json", r#"{"off": ["pdf"]}"#),
                &["off pdf"],
            ),
            (
                "not allowed",
                |place| place.env.allowed = Allowed::parse("doc"),
                &["off pdf"],
            ),
            (
                "as many bytes in the body",
                |place| place.skill("home/.agents", "pdf", "Reads PDF files.", "Use me."),
                &["rewritten pdf"],
            ),
            (
                "as many bytes in the description",
                |place| place.skill("home/.agents", "pdf", "Reads PDF pages.", "Use it."),
                &["described pdf"],
            ),
            (
                "another field",
                |place| {
                    let text = "Reads PDF files.\nlicense: MIT";
                    place.skill("home/.agents", "pdf", text, "Use it.");
                },
                &["annotated pdf"],
            ),
            (
                "an argument hint and the body",
                |place| {
                    let text = "Reads PDF files.\nargument-hint: FILE";
                    place.skill("home/.agents", "pdf", text, "Use it now.");
                },
                &["described pdf", "rewritten pdf"],
            ),
            (
                "a copy that comes first",
                |place| place.skill("project/.agents", "pdf", "Reads PDF files.", "Use it."),
                &["moved pdf true"],
            ),
            (
                "a scope file with a fault",
                |place| place.write("project/.codeaf/skills.json", r#"{"off": ["#),
                &["unreadable at 10", "off pdf"],
            ),
        ];
        for (row, change, differences) in rows {
            assert_eq!(Place::new().after(change), differences, "{row}");
        }
    }

    #[test]
    fn a_fault_is_told_when_it_comes_changes_and_goes() {
        let mut place = Place::new();
        let mut write = |text: &'static str| {
            place.after(|place| place.write("project/.codeaf/skills.json", text))
        };

        assert_eq!(write("{"), ["unreadable at 2", "off pdf"]);
        assert_eq!(write("{"), [""; 0]);
        assert_eq!(write("{,"), ["unreadable at 2"]);
        assert_eq!(write("{}"), ["mended", "on pdf"]);
    }

    #[test]
    fn differences_stand_in_the_order_of_names() {
        let mut place = Place::new();

        let lines = place.after(|place| {
            place.skill("home/.agents", "zip", "Packs.", "");
            place.skill("home/.agents", "awk", "Cuts.", "");
            place.skill("home/.agents", "pdf", "Reads.", "Use it.");
            place.write(
                "project/.codeaf/skills.json",
                r#"{"on": ["zip"], "off": ["pdf"]}"#,
            );
        });

        assert_eq!(
            lines,
            ["added awk off", "off pdf", "described pdf", "added zip on"]
        );
    }

    proptest! {
        #[test]
        fn content_of_another_byte_has_another_digest(
            content in prop::collection::vec(any::<u8>(), 1..300),
            at in any::<prop::sample::Index>(),
            bit in 0_u8..8,
        ) {
            let mut other = content.clone();
            other[at.index(content.len())] ^= 1 << bit;

            prop_assert_eq!(Digest::of(&content), Digest::of(&content.clone()));
            prop_assert_ne!(Digest::of(&content), Digest::of(&other));
        }
    }
}
