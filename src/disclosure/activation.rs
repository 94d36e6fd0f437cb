//! Activation: giving the model a skill's instructions.
//!
//! The SKILL.md is read again each time. Whether the skill is on is asked by
//! whoever activates: a person may use what the model may not.

use std::path::{Path, PathBuf};

use super::body::{closing_tags, escape_closing_tags, instructions};
use super::error::ActivationError;
use super::ledger::Ledger;
use crate::diagnostic::{Diagnostic, Rule, Span};
use crate::discovery::scan::Skill;
use crate::discovery::snapshot::Snapshot;
use crate::limits::Limits;
use crate::name::Source;
use crate::personal::{self, PersonalError};
use crate::skill::frontmatter;
use crate::skill::loading;
use crate::skill::resources;
use crate::text::visible;
use crate::text::{counted, escape_xml, visible_path};

/// What a skill gives the model at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activation {
    /// The name by which it was asked for.
    pub asked: String,
    /// The bare name.
    pub name: String,
    /// The bare name, or the qualified one where both sources have it; what
    /// hides in it is written out.
    pub alias: String,
    /// The description as the file has it.
    pub description: String,
    /// Who keeps the skill.
    pub source: Source,
    /// The path of the SKILL.md; none for a personal skill.
    pub location: Option<PathBuf>,
    /// The real path of the skill's folder; none for a personal skill. The
    /// model may read in it from now on.
    pub dir: Option<PathBuf>,
    /// Bytes of the SKILL.md.
    pub size: u64,
    /// The body as the wrapper holds it: trimmed, cleaned, `{baseDir}` replaced,
    /// closing skill tags escaped, and without comments if it is personal.
    pub instructions: String,
    /// The bundled files by name, as [`resources::names`] lists them.
    pub resources: Vec<String>,
    /// How many files more there are; 0 also where they were not counted.
    pub resources_left_out: usize,
    /// Whether a bound kept files off [`resources`](Self::resources).
    pub resources_truncated: bool,
    /// What was met on the way: bounds, links, escaped tags.
    pub diagnostics: Vec<Diagnostic>,
    /// The whole SKILL.md.
    pub(super) raw: Vec<u8>,
    /// The body in it, as it stands there; of a personal skill, without comments.
    pub(super) body: Vec<u8>,
}

/// What an activation is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Freshness {
    /// Name, description and place must be those of the snapshot, which is what
    /// the model was told. The body may have changed.
    AsInSnapshot,
    /// Whatever the file says now.
    Fresh,
}

/// What came of giving a skill in a conversation.
pub(super) enum Given {
    /// Its instructions were given.
    Now(Box<Activation>),
    /// They had been given before.
    Before {
        /// Whether it says something else now.
        is_rewritten: bool,
    },
}

impl Snapshot {
    /// Reads the skill called `name`, which must be among the allowed ones: an
    /// alias, or a bare or qualified name.
    ///
    /// Does not ask whether the skill is on: that binds only the model.
    ///
    /// # Errors
    ///
    /// Returns an error if no skill or more than one bears the name, if it is
    /// not allowed, if its SKILL.md cannot be read or does not load any more, or,
    /// under [`Freshness::AsInSnapshot`], if it says something else now.
    pub fn activate(
        &self,
        name: &str,
        freshness: Freshness,
    ) -> Result<Activation, ActivationError> {
        let skill = self.find(name)?;
        self.require_permitted(skill)?;
        self.activate_skill(skill, name, freshness)
    }

    /// Reads `skill` and records it in `ledger`, if it is not there already.
    pub(super) fn give(
        &self,
        skill: &Skill,
        asked: &str,
        freshness: Freshness,
        ledger: Option<&mut Ledger>,
    ) -> Result<Given, ActivationError> {
        if let Some(ledger) = ledger.as_deref()
            && ledger.has(skill)
        {
            return Ok(Given::Before {
                is_rewritten: self.is_rewritten(skill, ledger),
            });
        }
        let activation = self.activate_skill(skill, asked, freshness)?;
        if let Some(ledger) = ledger {
            ledger.record(&activation);
        }
        Ok(Given::Now(Box::new(activation)))
    }

    pub(super) fn activate_skill(
        &self,
        skill: &Skill,
        asked: &str,
        freshness: Freshness,
    ) -> Result<Activation, ActivationError> {
        let alias = self.shown_alias(skill);
        let changed = |what| ActivationError::Changed {
            name: alias.clone(),
            what,
            location: skill.place(),
        };
        let read_error = |found: Box<Diagnostic>| match found.rule {
            // It was none when the snapshot was taken.
            Rule::LinkLeaves if freshness == Freshness::AsInSnapshot => changed("location"),
            _ => ActivationError::Read {
                name: alias.clone(),
                diagnostic: found,
            },
        };
        let dir = match skill.source() {
            Source::Personal => None,
            Source::Workspace => Some(self.real_folder(skill).map_err(read_error)?),
        };
        let raw = self.read_skill(skill).map_err(read_error)?;
        let text = Text::of(skill, &raw, &self.env().limits).map_err(read_error)?;
        if freshness == Freshness::AsInSnapshot
            && let Some(what) = text.differs_from(skill)
        {
            return Err(changed(what));
        }
        let read = Read {
            asked: asked.to_owned(),
            alias,
            source: skill.source(),
            place: skill.place(),
            location: skill.location(),
            dir,
            text,
            raw,
        };
        Ok(read.into_activation(&self.env().limits))
    }
}

/// What a SKILL.md says that loads.
struct Text {
    name: String,
    description: String,
    body: Vec<u8>,
}

impl Text {
    /// Reads a text by the rules of the source that keeps it.
    fn of(skill: &Skill, raw: &[u8], limits: &Limits) -> Result<Self, Box<Diagnostic>> {
        let place = skill.place();
        let Some(folder) = skill.folder() else {
            let skill = personal::read(raw, &place, limits)
                .map_err(|error| Box::new(refused(error, &place)))?;
            return Ok(Self {
                name: skill.name,
                description: skill.description,
                body: skill.body,
            });
        };
        let facts = frontmatter::read(raw, limits);
        let folder = folder.file_name().unwrap_or_default();
        let loaded = loading::load(&facts, &place, &folder.to_string_lossy(), limits)
            .map_err(|reasons| Box::new(gravest(reasons, &place)))?;
        Ok(Self {
            name: loaded.name,
            description: loaded.description,
            body: raw[facts.body..].to_vec(),
        })
    }

    fn differs_from(&self, skill: &Skill) -> Option<&'static str> {
        if self.name != skill.name {
            Some("name")
        } else if self.description != skill.description {
            Some("description")
        } else {
            None
        }
    }
}

/// Makes a finding of what the store should never have taken.
fn refused(error: PersonalError, place: &Path) -> Diagnostic {
    match error {
        PersonalError::InvalidContent(found) => *found,
        other => Diagnostic::error(Rule::Unreadable, place, other.to_string()),
    }
}

/// Returns the first error of the reasons why a skill does not load.
fn gravest(reasons: Vec<Diagnostic>, location: &Path) -> Diagnostic {
    reasons
        .into_iter()
        .rev()
        .max_by_key(|reason| reason.severity)
        .unwrap_or_else(|| Diagnostic::error(Rule::Unreadable, location, "does not load any more"))
}

/// A SKILL.md that was read and loads.
struct Read {
    asked: String,
    alias: String,
    source: Source,
    place: PathBuf,
    location: Option<PathBuf>,
    dir: Option<PathBuf>,
    text: Text,
    raw: Vec<u8>,
}

impl Read {
    fn into_activation(self, limits: &Limits) -> Activation {
        let listing = self
            .dir
            .as_deref()
            .map_or_else(resources::Listing::default, |dir| {
                resources::names(dir, limits)
            });
        let dir_text = self.dir.as_deref().map(visible_path);
        let (instructions, tags) = instructions(&self.text.body, dir_text.as_deref());
        let mut diagnostics = listing.diagnostics;
        if tags > 0 {
            diagnostics.insert(0, self.tags_in_body(tags));
        }
        Activation {
            asked: self.asked,
            name: self.text.name,
            alias: self.alias,
            description: self.text.description,
            source: self.source,
            location: self.location,
            dir: self.dir,
            size: self.raw.len() as u64,
            instructions,
            resources: listing.resources,
            resources_left_out: listing.left_out.unwrap_or(0),
            resources_truncated: listing.truncated,
            diagnostics,
            raw: self.raw,
            body: self.text.body,
        }
    }

    fn tags_in_body(&self, tags: usize) -> Diagnostic {
        let message = format!(
            "{} escaped in the body: `&lt;/skill`",
            counted(tags, "closing skill tag")
        );
        // A body that is the end of the file has a place in it; and a tag that
        // only the cleaning brought about has none.
        let offset = self.raw.ends_with(&self.text.body).then(|| {
            let tag = closing_tags(&self.text.body).next()?;
            Some(self.raw.len() - self.text.body.len() + tag)
        });
        let span = offset.flatten().map_or(Span::START, |at| {
            Span::at(&self.raw, at).with_length("</skill".len())
        });
        Diagnostic::warning(Rule::TagInBody, &self.place, message)
            .at(span)
            .with_help("write the tag otherwise, if the model is to see it as it is")
    }
}

impl Activation {
    /// Returns what findings name: the location, or the qualified name of a
    /// personal skill.
    pub(super) fn place(&self) -> PathBuf {
        let qualified = || self.source.qualify(&self.name).into();
        self.location.clone().unwrap_or_else(qualified)
    }

    /// Returns the wrapper that the model gets: the instructions between a
    /// `<skill>` tag and its end, with the folder and the bundled files.
    ///
    /// No name, path or text in it can close the wrapper or forge a line of it
    /// before the body.
    #[must_use]
    pub fn content(&self) -> String {
        let name = escape_xml(&self.alias);
        let mut lines = Vec::new();
        if let Some(dir) = &self.dir {
            let dir = visible_path(dir);
            lines.push(format!(
                "<skill name=\"{name}\" dir=\"{}\">",
                escape_xml(&dir)
            ));
            let (dir, _) = escape_closing_tags(&dir);
            lines.push(format!("Relative paths below are relative to {dir}."));
        } else {
            lines.push(format!("<skill name=\"{name}\">"));
        }
        if !self.instructions.is_empty() {
            lines.push(self.instructions.clone());
        }
        lines.extend(self.resources_line());
        lines.push("</skill>".to_owned());
        lines.join("\n")
    }

    fn resources_line(&self) -> Option<String> {
        if self.resources.is_empty() {
            return None;
        }
        let names: Vec<_> = self.resources.iter().map(|name| visible(name)).collect();
        let (names, _) = escape_closing_tags(&names.join(", "));
        let more = match (self.resources_left_out, self.resources_truncated) {
            (0, false) => String::new(),
            (0, true) => ", … more".to_owned(),
            (left_out, _) => format!(", … {left_out} more"),
        };
        Some(format!("resources: {names}{more}"))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::super::test_folders::Folders;
    use super::*;
    use crate::personal::test_store::Store;
    use serde_json::json;

    fn fresh(folders: &Folders, name: &str) -> Activation {
        folders.load().activate(name, Freshness::Fresh).unwrap()
    }

    fn error(folders: &Folders, name: &str) -> ActivationError {
        folders.load().activate(name, Freshness::Fresh).unwrap_err()
    }

    #[test]
    fn the_wrapper_is_exact() {
        let folders = Folders::new();
        let body = "\n# map-kit\n\nRun `{baseDir}/scripts/run.sh`.\nSee [the guide](references/guide.md). <!-- stays -->\n\n";
        folders.skill("home", "map-kit", "Make maps.", body);
        for file in [
            "scripts/run.sh",
            "references/guide.md",
            ".hidden",
            ".git/config",
        ] {
            folders.write(&format!("home/.agents/skills/map-kit/{file}"), "x");
        }

        let activation = fresh(&folders, "map-kit");

        let dir = folders.folder("home", "map-kit");
        let path = dir.display();
        assert_eq!(
            activation.content(),
            format!(
                "<skill name=\"map-kit\" dir=\"{path}\">\n\
                 Relative paths below are relative to {path}.\n\
                 # map-kit\n\nRun `{path}/scripts/run.sh`.\nSee [the guide](references/guide.md). <!-- stays -->\n\
                 resources: references/guide.md, scripts/run.sh\n\
                 </skill>"
            )
        );
        assert_eq!(activation.dir, Some(dir.clone()));
        assert_eq!(activation.location, Some(dir.join("SKILL.md")));
        assert_eq!(
            activation.size,
            fs::metadata(dir.join("SKILL.md")).unwrap().len()
        );
        assert!(activation.diagnostics.is_empty());
    }

    #[test]
    fn without_body_and_files_the_wrapper_has_no_empty_lines() {
        let folders = Folders::new();
        folders.skill("home", "a-kit", "A.", " \n");

        let content = fresh(&folders, "a-kit").content();

        let path = folders.folder("home", "a-kit").display().to_string();
        assert_eq!(
            content,
            format!(
                "<skill name=\"a-kit\" dir=\"{path}\">\nRelative paths below are relative to {path}.\n</skill>"
            )
        );
    }

    #[test]
    fn a_personal_skill_has_neither_folder_nor_comments() {
        let folders = Folders::new();
        let store = Store::of(&[(
            "note",
            "---\nname: note\ndescription: <!-- kept -->\n---\n\n A <!-- gone -->{baseDir} </sk<!-- -->ill>. \n",
        )]);

        let snapshot = folders.load_with(&store);
        let activation = snapshot.activate("note", Freshness::AsInSnapshot).unwrap();

        assert_eq!(
            activation.content(),
            "<skill name=\"note\">\nA {baseDir} &lt;/skill>.\n</skill>"
        );
        assert_eq!(activation.description, "<!-- kept -->");
        assert_eq!((&activation.location, &activation.dir), (&None, &None));
        assert!(activation.resources.is_empty() && !activation.resources_truncated);
        assert_eq!(
            activation.to_coder(),
            json!({"name": "note", "body": "A {baseDir} </skill>.", "files": []})
        );
    }

    #[test]
    fn comments_are_taken_out_once() {
        let folders = Folders::new();
        let store = Store::of(&[("a", "---\nname: a\n---\n<!<!-- x -->-- y -->z")]);
        folders.skill("home", "w", "W.", "a <!-- stays -->");

        let snapshot = folders.load_with(&store);
        let activate = |name| snapshot.activate(name, Freshness::Fresh).unwrap();

        assert_eq!(activate("a").instructions, "<!-- y -->z");
        assert_eq!(activate("a").to_coder()["body"], "<!-- y -->z");
        assert_eq!(activate("w").instructions, "a <!-- stays -->");
    }

    #[test]
    fn a_personal_skill_that_changed_is_gone_or_away_says_so() {
        let folders = Folders::new();
        let store = Store::of(&[("a", "---\nname: a\ndescription: A.\n---\nB")]);
        let snapshot = folders.load_with(&store);
        let words = || {
            let error = snapshot.activate("a", Freshness::AsInSnapshot).unwrap_err();
            format!("{}: {error}", error.code())
        };

        store.remove("a");
        store.put("a", "---\nname: a\ndescription: Other.\n---\nB");
        let changed = words();
        store.remove("a");
        let gone = words();
        store.take_away();
        let away = words();

        assert_eq!(
            changed,
            "skill_changed: the description of the skill `a` changed since the skills were read"
        );
        assert_eq!(
            gone,
            "skill_read_error: cannot read the skill `a`: personal/a: error[unreadable]: is in the store no more"
        );
        assert_eq!(
            away,
            "skill_read_error: cannot read the skill `a`: personal/a: error[store-unreachable]: the store cannot be reached: it is unplugged"
        );
    }

    #[test]
    fn the_line_of_resources_says_how_many_more_there_are() {
        let mut folders = Folders::new();
        folders
            .skill("home", "many", "Many.", "")
            .write("home/.agents/skills/many/d/e/f", "");
        for i in 0..5 {
            folders.write(&format!("home/.agents/skills/many/{i}.txt"), "");
        }

        let line = |folders: &Folders| {
            let content = fresh(folders, "many").content();
            content
                .lines()
                .find(|line| line.starts_with("resources: "))
                .unwrap()
                .to_owned()
        };
        let all = line(&folders);
        folders.env.limits.resources = 2;
        let counted = line(&folders);
        folders.env.limits.resources = 512;
        folders.env.limits.walk_depth = 1;
        let uncounted = line(&folders);

        assert_eq!(all, "resources: 0.txt, 1.txt, 2.txt, 3.txt, 4.txt, d/e/f");
        assert_eq!(counted, "resources: 0.txt, 1.txt, … 4 more");
        assert_eq!(
            uncounted,
            "resources: 0.txt, 1.txt, 2.txt, 3.txt, 4.txt, … more"
        );
    }

    #[test]
    fn no_name_path_or_text_breaks_the_wrapper() {
        let folders = Folders::new();
        let name = "q\" dir=\"etc";
        let body = "One </SKILL> two\u{202e}\u{e0072}.";
        let text = format!("---\nname: '{name}'\ndescription: Q.\n---\n{body}");
        folders.write("home/.agents/skills/a\n\"b'>\u{200b}/SKILL.md", text);
        folders.write("home/.agents/skills/a\n\"b'>\u{200b}/x\n<\u{2028}.md", "");
        folders.write("home/.agents/skills/a\n\"b'>\u{200b}/<\u{2f}skill>y", "");

        let activation = fresh(&folders, name);

        let roots = folders
            .top
            .join("home/.agents/skills")
            .display()
            .to_string();
        assert_eq!(
            activation.content(),
            format!(
                "<skill name=\"q&quot; dir=&quot;etc\" dir=\"{roots}/a\\u{{a}}&quot;b&apos;&gt;\\u{{200b}}\">\n\
                 Relative paths below are relative to {roots}/a\\u{{a}}\"b'>\\u{{200b}}.\n\
                 One &lt;/SKILL> two.\n\
                 resources: &lt;/skill>y, x\\u{{a}}<\\u{{2028}}.md\n\
                 </skill>"
            )
        );
        let [found] = &activation.diagnostics[..] else {
            panic!("{:?}", activation.diagnostics);
        };
        assert_eq!(
            (found.rule, found.span),
            (Rule::TagInBody, Span::new(5, 5).with_length(7))
        );
        assert_eq!(
            found.message,
            "1 closing skill tag escaped in the body: `&lt;/skill`"
        );
    }

    #[test]
    fn any_spelling_of_a_name_activates_on_or_off() {
        let folders = Folders::new();
        folders.skill("home", "cafe\u{301}-kit", "Coffee.", "Brew.");

        for name in ["café-kit", "cafe\u{301}-kit", "workspace/café-kit"] {
            let activation = fresh(&folders, name);
            assert_eq!(
                (activation.asked.as_str(), activation.alias.as_str()),
                (name, "café-kit")
            );
        }
    }

    #[test]
    fn errors_have_a_code_and_a_next_step() {
        let folders = Folders::new();
        folders.skill("home", "map-kit", "Maps.", "");

        let error = error(&folders, "mpa-kit");

        assert_eq!(error.code(), "skill_not_found");
        assert_eq!(error.to_string(), "no skill is called `mpa-kit`");
        assert_eq!(error.help().unwrap(), "did you mean `map-kit`?");
    }

    #[test]
    fn a_file_that_is_gone_broken_or_a_link_out_is_a_read_error() {
        let folders = Folders::new();
        folders
            .skill("home", "map-kit", "Maps.", "")
            .write("secret", "---\nname: s\ndescription: S.\n---\n");
        let snapshot = folders.load();
        let file = folders.folder("home", "map-kit").join("SKILL.md");
        let words = |freshness| {
            let error = snapshot.activate("map-kit", freshness).unwrap_err();
            assert_eq!(error.code(), "skill_read_error");
            error.to_string()
        };

        fs::write(&file, "---\nname: map-kit\nfoo: 1\n---\n").unwrap();
        let broken = words(Freshness::Fresh);
        fs::remove_file(&file).unwrap();
        let gone = words(Freshness::AsInSnapshot);
        symlink(folders.top.join("secret"), &file).unwrap();
        let link = words(Freshness::Fresh);

        assert!(
            broken.contains("SKILL.md:2:1: error[description-missing]: there is no description"),
            "{broken}"
        );
        assert!(
            gone.starts_with("cannot read the skill `map-kit`: "),
            "{gone}"
        );
        assert!(link.contains("error[link-leaves]"), "{link}");
    }

    #[test]
    fn a_project_folder_that_became_a_link_out_is_not_followed() {
        let folders = Folders::new();
        folders.skill("project", "map-kit", "Maps.", "");
        folders.write(
            "elsewhere/SKILL.md",
            "---\nname: map-kit\ndescription: Maps.\n---\nEvil.",
        );
        folders.write(
            "home/.agents/skills/near-kit/SKILL.md",
            "---\nname: map-kit\ndescription: Maps.\n---\nKnown.",
        );
        let snapshot = folders.load();
        let folder = folders.folder("project", "map-kit");
        let relink = |target: PathBuf| {
            let _ = fs::remove_file(&folder);
            symlink(target, &folder).unwrap();
            snapshot.activate("map-kit", Freshness::AsInSnapshot)
        };
        folders.remove("project/.agents/skills/map-kit");

        let out = relink(folders.top.join("elsewhere")).unwrap_err();
        let known = relink(folders.folder("home", "near-kit")).unwrap();

        assert_eq!(
            out.to_string(),
            "the location of the skill `map-kit` changed since the skills were read"
        );
        assert_eq!(known.instructions, "Known.");
        assert_eq!(known.dir, Some(folders.folder("home", "near-kit")));
    }

    #[test]
    fn only_a_fresh_activation_takes_a_new_name_or_description() {
        let folders = Folders::new();
        folders.skill("home", "map-kit", "Maps.", "");
        let snapshot = folders.load();
        let file = "home/.agents/skills/map-kit/SKILL.md";

        for (text, what) in [
            ("---\nname: other\ndescription: Maps.\n---\n", "name"),
            (
                "---\nname: map-kit\ndescription: More.\n---\n",
                "description",
            ),
        ] {
            folders.write(file, text);
            let error = snapshot
                .activate("map-kit", Freshness::AsInSnapshot)
                .unwrap_err();
            assert_eq!(error.code(), "skill_changed");
            assert_eq!(
                error.to_string(),
                format!("the {what} of the skill `map-kit` changed since the skills were read")
            );
            assert_eq!(error.help().unwrap(), "`/reload` reads the skills again");
            assert!(snapshot.activate("map-kit", Freshness::Fresh).is_ok());
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_replaced() {
        let folders = Folders::new();
        folders.write(
            "home/.agents/skills/odd/SKILL.md",
            b"---\nname: odd\ndescription: Odd.\n---\r\na\xffb\0\r\nc\r\n",
        );

        assert_eq!(fresh(&folders, "odd").instructions, "a\u{fffd}b\nc");
    }
}
