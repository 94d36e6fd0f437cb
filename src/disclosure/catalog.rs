//! The catalog: what the model is told of the skills before it asks.
//!
//! This file decides entries, their three forms and the budget. It does not
//! know where the text is put.

use std::cmp::Reverse;
use std::path::PathBuf;

use serde::Serialize;

use super::commands::command_text;
use super::{cut, json_line};
use crate::diagnostic::{Diagnostic, Rule, Severity};
use crate::discovery::broken::Broken;
use crate::discovery::scan::Skill;
use crate::discovery::snapshot::Snapshot;
use crate::name::Source;
use crate::text::visible;
use crate::text::{counted, escape_xml, one_line, size, visible_path};

/// What stands above the entries of the text form.
const HEAD: &str = "\
## Skills

A skill is a folder of instructions for one kind of task. When the work matches a skill below, \
call `skill` with its name before starting, and follow what it returns.

";

/// What is disclosed to the model: one entry a callable skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalog {
    /// The callable skills, by name (bytes), then source.
    pub entries: Vec<CatalogEntry>,
    /// What is wrong with the callable skills, and bounds that bit.
    pub diagnostics: Vec<Diagnostic>,
    /// Why broken candidates were not taken, but for notes.
    ///
    /// For programs alone: what cannot be called has no place in a prompt, and
    /// its names and paths least of all.
    pub broken: Vec<Diagnostic>,
    /// How many diagnostics are written at most.
    most: usize,
    /// The starting folder, which the diagnostic on that bound is about.
    start: PathBuf,
}

/// One skill of a catalog. No text of it acts on a terminal or hides anything,
/// but for the location, which is exact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CatalogEntry {
    /// The bare name.
    pub name: String,
    /// The description on one line.
    pub description: String,
    /// The path of the SKILL.md; a personal skill has none.
    #[serde(serialize_with = "crate::text::serialize_some_path")]
    pub location: Option<PathBuf>,
    /// What a person types to use the skill.
    pub command: String,
    /// Bytes of the SKILL.md.
    pub size: u64,
    /// Who keeps the skill.
    pub source: Source,
    /// The qualified name, where both sources have the bare one.
    pub alias: Option<String>,
}

impl CatalogEntry {
    fn new(snapshot: &Snapshot, skill: &Skill) -> Self {
        let name = visible(&skill.name).into_owned();
        let alias = snapshot.shown_alias(skill);
        Self {
            description: one_line(&skill.description).into_owned(),
            location: skill.location(),
            command: command_text(&alias, &[]),
            size: skill.size,
            source: skill.source(),
            alias: (alias != name).then_some(alias),
            name,
        }
    }

    /// Returns the name by which the model calls the skill.
    #[must_use]
    pub fn called(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.name)
    }
}

/// How a catalog is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CatalogForm {
    /// A heading, a paragraph and a list, in Markdown; no diagnostics.
    Text,
    /// `<available_skills>`, the form of the client guide.
    Xml,
    /// One object on one line.
    Json,
}

/// A catalog as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The text with its last line feed; empty where nothing is callable, but
    /// for [`CatalogForm::Json`].
    pub text: String,
    /// How many descriptions were cut.
    pub cut: usize,
    /// The length in characters at which they were cut, `…` counted; the length
    /// of the longest description where none was.
    pub longest: usize,
}

/// Why a catalog does not fit its budget: no description can be cut further,
/// and no name is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the catalog does not fit in {budget} characters: with its descriptions cut to nothing it has {smallest}"
)]
pub struct BudgetError {
    /// The characters that were allowed.
    pub budget: usize,
    /// The fewest characters that would do.
    pub smallest: usize,
}

impl Snapshot {
    /// Returns what the model is told of the skills.
    ///
    /// # Examples
    ///
    /// ```
    /// use codeaf_skills::{CatalogForm, Env, Snapshot};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let snapshot = Snapshot::load(&Env::new("/nowhere"))?;
    /// let prompt = snapshot.catalog().render(CatalogForm::Text, Some(8_000))?;
    /// assert_eq!(prompt.text, "");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn catalog(&self) -> Catalog {
        let callable = self.callable();
        let gravest = |broken: &Broken| {
            let severity = broken.severity();
            let reasons = broken.diagnostics.iter().cloned();
            reasons
                .filter(move |reason| reason.severity == severity)
                .collect::<Vec<_>>()
        };
        let (bounds, broken): (Vec<_>, Vec<_>) = self
            .broken()
            .iter()
            .filter(|broken| broken.severity() > Severity::Note)
            .flat_map(gravest)
            .partition(|reason| reason.rule == Rule::CandidatesBound);
        let of_callable = callable.iter().flat_map(|skill| &skill.diagnostics);
        Catalog {
            entries: callable
                .iter()
                .map(|skill| CatalogEntry::new(self, skill))
                .collect(),
            diagnostics: bounds.into_iter().chain(of_callable.cloned()).collect(),
            broken,
            most: self.env().limits.catalog_diagnostics,
            start: self.env().start.clone(),
        }
    }
}

impl Catalog {
    /// Writes the catalog in `form`, in at most `max_chars` characters (Unicode
    /// scalar values, the last line feed counted).
    ///
    /// Every name stays. Descriptions over one common length are cut there, the
    /// greatest length with which the whole fits. What is drawn as one
    /// character is not cut in two, so a cut description can be shorter.
    ///
    /// # Errors
    ///
    /// Returns an error if it does not fit even with each description cut to
    /// `…`.
    pub fn render(
        &self,
        form: CatalogForm,
        max_chars: Option<usize>,
    ) -> Result<Rendered, BudgetError> {
        let lengths = || {
            self.entries
                .iter()
                .map(|entry| entry.description.chars().count())
        };
        let longest = lengths().max().unwrap_or(0);
        let told = self.told(form);
        let rendered = |length| Rendered {
            text: self.write(form, length, &told),
            cut: lengths().filter(|&of_entry| of_entry > length).count(),
            longest: length,
        };
        let whole = rendered(longest);
        let Some(budget) = max_chars.filter(|&most| whole.characters() > most) else {
            return Ok(whole);
        };
        let mut best = rendered(longest.min(1));
        if best.characters() > budget {
            return Err(BudgetError {
                budget,
                smallest: best.characters(),
            });
        }
        // `best` fits, and what is cut at `over` does not.
        let mut over = longest;
        while over - best.longest > 1 {
            let middle = rendered(best.longest + (over - best.longest) / 2);
            if middle.characters() > budget {
                over = middle.longest;
            } else {
                best = middle;
            }
        }
        Ok(best)
    }

    /// Returns the diagnostics that `form` ends with: bounds first, then the
    /// gravest, and in the last place how many are left out.
    ///
    /// At most [`Limits::catalog_diagnostics`](crate::Limits::catalog_diagnostics)
    /// of them, and one where that is none.
    fn told(&self, form: CatalogForm) -> Vec<Diagnostic> {
        let mut told = match form {
            CatalogForm::Text => Vec::new(),
            CatalogForm::Xml => self.diagnostics.clone(),
            CatalogForm::Json => [&self.diagnostics[..], &self.broken].concat(),
        };
        // This bound must not hide that another one bit.
        told.sort_by_key(|found| {
            let is_bound = found.rule == Rule::CandidatesBound;
            (!is_bound, Reverse(found.severity))
        });
        if told.len() > self.most {
            let shown = self.most.saturating_sub(1);
            let left_out = counted(told.len() - shown, "more diagnostic");
            told.truncate(shown);
            let message = format!("{left_out} left out");
            told.push(
                Diagnostic::warning(Rule::CatalogBound, &self.start, message)
                    .with_help("`codeaf-skills list` shows all of them"),
            );
        }
        for found in &mut told {
            found.message = one_line(&found.message).into_owned();
            found.help = found
                .help
                .as_deref()
                .map(|help| one_line(help).into_owned());
        }
        told
    }

    /// Writes the catalog with no description over `length` characters, and
    /// what is `told` at its end.
    fn write(&self, form: CatalogForm, length: usize, told: &[Diagnostic]) -> String {
        match form {
            CatalogForm::Json => self.json(length, told),
            CatalogForm::Text | CatalogForm::Xml if self.entries.is_empty() => String::new(),
            CatalogForm::Text => self.text(length),
            CatalogForm::Xml => self.xml(length, told),
        }
    }

    fn text(&self, length: usize) -> String {
        let mut lines = vec![HEAD.to_owned()];
        lines.extend(self.entries.iter().map(|entry| {
            let (called, size) = (entry.called(), size(entry.size));
            // Only a personal skill can do without one.
            match cut(&entry.description, length) {
                none if none.is_empty() => format!("- {called} ({size})\n"),
                description => format!("- {called} ({size}): {description}\n"),
            }
        }));
        lines.concat()
    }

    fn xml(&self, length: usize, told: &[Diagnostic]) -> String {
        let mut xml = "<available_skills>\n".to_owned();
        for entry in &self.entries {
            xml.push_str("  <skill>\n");
            let location = entry.location.as_deref().map(visible_path);
            for (name, text) in [
                ("name", entry.called()),
                ("description", &cut(&entry.description, length)),
                ("location", location.as_deref().unwrap_or_default()),
                ("command", &entry.command),
            ] {
                // A personal skill lies nowhere.
                if name != "location" || location.is_some() {
                    xml.push_str(&element(name, text));
                }
            }
            xml.push_str("  </skill>\n");
        }
        if !told.is_empty() {
            xml.push_str("  <diagnostics>\n");
            for diagnostic in told {
                xml.push_str(&element("diagnostic", &one_line(&diagnostic.to_string())));
            }
            xml.push_str("  </diagnostics>\n");
        }
        xml.push_str("</available_skills>\n");
        xml
    }

    fn json(&self, length: usize, told: &[Diagnostic]) -> String {
        #[derive(Serialize)]
        struct Document<'a> {
            version: u8,
            skills: Vec<CatalogEntry>,
            diagnostics: &'a [Diagnostic],
        }
        let short = |entry: &CatalogEntry| CatalogEntry {
            description: cut(&entry.description, length).into_owned(),
            ..entry.clone()
        };
        json_line(&Document {
            version: 1,
            skills: self.entries.iter().map(short).collect(),
            diagnostics: told,
        })
    }
}

impl Rendered {
    fn characters(&self) -> usize {
        self.text.chars().count()
    }
}

fn element(name: &str, text: &str) -> String {
    format!("    <{name}>{}</{name}>\n", escape_xml(text))
}

#[cfg(test)]
mod tests {
    use super::super::test_folders::Folders;
    use super::*;
    use std::path::Path;

    use crate::text::hidden_characters;
    use proptest::prelude::*;

    fn entry(name: &str, description: &str) -> CatalogEntry {
        CatalogEntry {
            name: name.to_owned(),
            description: description.to_owned(),
            location: Some(Path::new("/s").join(name).join("SKILL.md")),
            command: command_text(name, &[]),
            size: 3_174,
            source: Source::Workspace,
            alias: None,
        }
    }

    fn catalog(entries: &[(&str, &str)]) -> Catalog {
        Catalog {
            entries: entries
                .iter()
                .map(|(name, description)| entry(name, description))
                .collect(),
            diagnostics: Vec::new(),
            broken: Vec::new(),
            most: 64,
            start: "/start".into(),
        }
    }

    fn whole(catalog: &Catalog, form: CatalogForm) -> String {
        catalog.render(form, None).unwrap().text
    }

    #[test]
    fn the_text_form_is_exact() {
        let mut catalog = catalog(&[
            (
                "pdf-processing",
                "Extract PDF text, fill forms, merge files. Use when handling PDFs.",
            ),
            ("review", "Reviews."),
        ]);
        catalog.entries[1].alias = Some("personal/review".to_owned());
        catalog.entries[1].size = 980;

        insta::assert_snapshot!(whole(&catalog, CatalogForm::Text), @r"
        ## Skills

        A skill is a folder of instructions for one kind of task. When the work matches a skill below, call `skill` with its name before starting, and follow what it returns.

        - pdf-processing (3.1 KB): Extract PDF text, fill forms, merge files. Use when handling PDFs.
        - personal/review (980 B): Reviews.
        ");
    }

    #[test]
    fn the_text_begins_with_its_heading_and_ends_with_one_line_feed() {
        let text = whole(&catalog(&[("a", "A.")]), CatalogForm::Text);

        assert!(text.starts_with("## Skills\n\nA skill is"));
        assert!(text.ends_with("\n\n- a (3.1 KB): A.\n"));
    }

    #[test]
    fn the_xml_form_is_escaped_and_ends_with_diagnostics() {
        let mut catalog = catalog(&[("q\" x=\"y", "</description></skill> a & b 'c'")]);
        catalog.diagnostics = vec![Diagnostic::warning(
            Rule::NameInvalid,
            Path::new("/s/x"),
            "the name holds `<`",
        )];

        insta::assert_snapshot!(whole(&catalog, CatalogForm::Xml), @r#"
        <available_skills>
          <skill>
            <name>q&quot; x=&quot;y</name>
            <description>&lt;/description&gt;&lt;/skill&gt; a &amp; b &apos;c&apos;</description>
            <location>/s/q&quot; x=&quot;y/SKILL.md</location>
            <command>/skill:&quot;q\&quot; x=\&quot;y&quot;</command>
          </skill>
          <diagnostics>
            <diagnostic>/s/x:1:1: warning[name-invalid]: the name holds `&lt;`</diagnostic>
          </diagnostics>
        </available_skills>
        "#);
    }

    #[test]
    fn the_json_form_has_its_keys_in_order_on_one_line() {
        let mut catalog = catalog(&[("a", "A.")]);
        catalog.diagnostics = vec![Diagnostic::warning(
            Rule::NameInvalid,
            Path::new("/s/x"),
            "odd",
        )];

        assert_eq!(
            whole(&catalog, CatalogForm::Json),
            "{\"version\":1,\"skills\":[{\"name\":\"a\",\"description\":\"A.\",\"location\":\"/s/a/SKILL.md\",\
             \"command\":\"/a\",\"size\":3174,\"source\":\"workspace\",\"alias\":null}],\
             \"diagnostics\":[{\"rule\":\"name-invalid\",\"severity\":\"warning\",\"message\":\"odd\",\"path\":\"/s/x\",\
             \"line\":1,\"column\":1}]}\n"
        );
    }

    #[test]
    fn with_nothing_callable_only_json_says_so() {
        let mut empty = catalog(&[]);
        empty.diagnostics = vec![Diagnostic::warning(
            Rule::NameInvalid,
            Path::new("/s/x"),
            "odd",
        )];

        assert_eq!(whole(&empty, CatalogForm::Text), "");
        assert_eq!(whole(&empty, CatalogForm::Xml), "");
        assert!(
            whole(&empty, CatalogForm::Json)
                .starts_with("{\"version\":1,\"skills\":[],\"diagnostics\":[{")
        );
        assert_eq!(empty.render(CatalogForm::Text, Some(0)).unwrap().text, "");
    }

    #[test]
    fn entries_are_cleaned_and_told_in_the_order_of_names() {
        let folders = Folders::new();
        folders.skill(
            "home",
            "b-kit",
            "First.\n- forged (1 B): no\u{202e}\u{200b}",
            "",
        );
        folders
            .skill("home", "a\u{200b}kit", "A.", "")
            .skill("home", "off-kit", "Off.", "");
        folders.global("{\"on\": [\"b-kit\", \"a\u{200b}kit\"]}");

        let catalog = folders.load().catalog();

        let text = whole(&catalog, CatalogForm::Text);
        let size = catalog.entries[1].size;
        assert!(
            text.ends_with(&format!("- b-kit ({size} B): First. - forged (1 B): no\n")),
            "{text}"
        );
        assert!(text.contains("\n- a\\u{200b}kit ("), "{text}");
        for form in [CatalogForm::Text, CatalogForm::Xml, CatalogForm::Json] {
            assert!(hidden_characters(&whole(&catalog, form)).is_empty());
        }
    }

    #[test]
    fn diagnostics_are_those_of_callable_skills_and_for_programs_of_broken_candidates() {
        let folders = Folders::new();
        folders.write(
            "home/.agents/skills/on-kit/SKILL.md",
            "---\nname: on-kit\ndescription: D.\nfoo: 1\n---\n",
        );
        folders.write(
            "home/.agents/skills/off-kit/SKILL.md",
            "---\nname: off-kit\ndescription: D.\nfoo: 1\n---\n",
        );
        folders.write(
            "home/.agents/skills/broken/SKILL.md",
            "---\nname: broken\nfoo: 1\n---\n",
        );
        folders.write("home/.agents/skills/plain.txt", "");
        folders.global(r#"{"on": ["on-kit"]}"#);

        let catalog = folders.load().catalog();

        let told = |form| {
            let told = catalog.told(form).into_iter();
            told.map(|found| (found.rule, found.path))
                .collect::<Vec<_>>()
        };
        let of_on = (
            Rule::UnknownField,
            folders.folder("home", "on-kit").join("SKILL.md"),
        );
        let of_broken = (
            Rule::DescriptionMissing,
            folders.folder("home", "broken").join("SKILL.md"),
        );
        assert_eq!(told(CatalogForm::Text), []);
        assert_eq!(told(CatalogForm::Xml), std::slice::from_ref(&of_on));
        assert_eq!(told(CatalogForm::Json), [of_broken, of_on]);
    }

    #[test]
    fn no_bound_hides_that_a_bound_bit() {
        let path = Path::new("/s");

        for (errors, most, shown, notice) in [
            (63, 64, 64, None),
            (64, 64, 64, Some("2 more diagnostics left out")),
            (128, 64, 64, Some("66 more diagnostics left out")),
            (1, 1, 1, Some("2 more diagnostics left out")),
            (1, 0, 1, Some("2 more diagnostics left out")),
        ] {
            let mut catalog = catalog(&[]);
            catalog.most = most;
            catalog.broken =
                vec![Diagnostic::error(Rule::DescriptionMissing, path, "none"); errors];
            catalog.diagnostics = vec![Diagnostic::warning(
                Rule::CandidatesBound,
                path,
                "7 entries were left out",
            )];

            let told = catalog.told(CatalogForm::Json);

            assert_eq!(told.len(), shown);
            assert!(most < 2 || told[0].rule == Rule::CandidatesBound);
            let last = &told[shown - 1];
            assert_eq!(
                (last.rule == Rule::CatalogBound).then_some(last.message.as_str()),
                notice
            );
        }
    }

    #[test]
    fn descriptions_are_cut_at_one_common_length() {
        let catalog = catalog(&[("a", "0123456789"), ("b", "01234"), ("c", "ééééééé")]);
        let full = whole(&catalog, CatalogForm::Text).chars().count();

        for (spare, lines, cut, longest) in [
            (0, ["0123456789", "01234", "ééééééé"], 0, 10),
            (1, ["01234567…", "01234", "ééééééé"], 1, 9),
            (4, ["01234…", "01234", "ééééé…"], 2, 6),
            (5, ["01234…", "01234", "ééééé…"], 2, 6),
            (19, ["…", "…", "…"], 3, 1),
        ] {
            let rendered = catalog
                .render(CatalogForm::Text, Some(full - spare))
                .unwrap();
            let found: Vec<_> = rendered
                .text
                .lines()
                .filter_map(|line| line.split_once("): "))
                .map(|(_, text)| text)
                .collect();
            assert_eq!(
                (&found[..], rendered.cut, rendered.longest),
                (&lines[..], cut, longest),
                "{spare}"
            );
        }
        let error = catalog
            .render(CatalogForm::Text, Some(full - 20))
            .unwrap_err();
        assert_eq!(error.smallest, full - 19);
        assert!(
            catalog
                .render(CatalogForm::Text, Some(error.smallest))
                .is_ok()
        );
    }

    fn any_description() -> impl Strategy<Value = String> {
        "([a-z&<\" ]|é|\u{1f468}\u{200d}\u{1f469}|\u{2764}\u{fe0f}|\u{1f1e9}\u{1f1ea}|e\u{301}){1,40}"
            .prop_map(|text| one_line(&text).into_owned())
    }

    proptest! {
        #[test]
        fn the_greatest_common_length_is_found(
            descriptions in prop::collection::vec(any_description(), 1..6),
            form in prop::sample::select(vec![CatalogForm::Text, CatalogForm::Xml, CatalogForm::Json]),
            share in 0.0_f64..1.2,
        ) {
            let mut catalog = catalog(&[]);
            for (i, text) in descriptions.iter().enumerate() {
                catalog.entries.push(entry(&format!("kit-{i}"), text));
            }
            let length = |length| catalog.write(form, length, &[]).chars().count();
            let (smallest, full) = (length(1), length(usize::MAX));
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
            let budget = smallest.saturating_sub(3) + ((full - smallest + 6) as f64 * share) as usize;

            match catalog.render(form, Some(budget)) {
                Err(error) => {
                    prop_assert_eq!(error.smallest, smallest);
                    prop_assert!(smallest > budget);
                }
                Ok(rendered) => {
                    prop_assert!(rendered.text.chars().count() <= budget);
                    let named = |entry: &CatalogEntry| rendered.text.contains(&entry.name);
                    prop_assert!(catalog.entries.iter().all(named));
                    prop_assert!(hidden_characters(&rendered.text).is_empty());
                    if rendered.cut == 0 {
                        prop_assert_eq!(rendered.text.chars().count(), full);
                    } else {
                        prop_assert!(length(rendered.longest + 1) > budget);
                    }
                }
            }
        }
    }
}
