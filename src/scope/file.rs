//! What a scope file says: its decisions, each with its place.
//!
//! A file that is not exactly what a scope file must be has a fault and no
//! decisions; it is never read as an empty one, because it may have said
//! *off*. This file does not know where the bytes come from.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::document::{Document, PLACES};
use super::{Scope, State};
use crate::diagnostic::{Diagnostic, Rule, Span};
use crate::env::Secret;
use crate::hash::Map;
use crate::json::{List, Malformed, Places};
use crate::limits::Limits;
use crate::name::{Source, split_qualified};
use crate::text::{counted, nfc};

/// One name in one list of one scope file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The name in Unicode normalisation form C, the form that is compared;
    /// bare or qualified.
    pub name: String,
    /// Which list it is in.
    pub state: State,
    /// Where it stands in the file.
    pub span: Span,
}

/// An attached folder, as a conversation's `places` has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The text of the path, as written.
    pub text: String,
    /// Where it stands in the file.
    pub span: Span,
}

/// Why a scope file has no decisions to give.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Fault {
    /// What is wrong, and what to do.
    pub diagnostic: Diagnostic,
    /// Where it is wrong, if one place is to blame; the diagnostic says
    /// [`Span::START`] otherwise.
    pub span: Option<Span>,
}

impl Fault {
    /// Makes a fault of the whole file: it cannot be opened or read.
    #[must_use]
    pub fn unreadable(path: &Path, message: impl Into<String>) -> Self {
        Self {
            diagnostic: Diagnostic::error(Rule::ScopeUnreadable, path, message),
            span: None,
        }
    }

    pub(super) fn with_help(self, help: &str) -> Self {
        Self {
            diagnostic: self.diagnostic.with_help(help),
            ..self
        }
    }

    pub(super) fn whole(path: &Path, message: impl Into<String>) -> Self {
        Self {
            diagnostic: Diagnostic::error(Rule::ScopeMalformed, path, message),
            span: None,
        }
    }

    pub(super) fn at(path: &Path, span: Span, malformed: Malformed) -> Self {
        let diagnostic = Diagnostic::error(Rule::ScopeMalformed, path, malformed.message).at(span);
        Self {
            diagnostic: Diagnostic {
                help: Some(malformed.help.unwrap_or(BY_HAND.into()).into_owned()),
                ..diagnostic
            },
            span: Some(span),
        }
    }
}

/// The next step where there is no better one: a file that may say *off* is not
/// repaired by guessing.
const BY_HAND: &str = "mend the file by hand; until then it is not written";

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.diagnostic.path.display())?;
        if let Some(span) = self.span {
            write!(f, "{}:{}:", span.line, span.column)?;
        }
        write!(f, " {}", self.diagnostic.message)
    }
}

/// What one scope says.
#[derive(Debug, Clone)]
pub struct Decisions {
    scope: Scope,
    path: Arc<Path>,
    entries: Vec<Decision>,
    by_bare_name: Map<String, Entries>,
    fault: Option<Fault>,
    warnings: Vec<Diagnostic>,
    ignores_project_on: bool,
    store: Option<Secret>,
    places: Vec<Place>,
    id: Option<String>,
    workspace: Option<String>,
}

/// Indices of the entries that share a bare name.
#[derive(Debug, Clone, Copy, Default)]
struct Entries {
    bare: Option<usize>,
    personal: Option<usize>,
    workspace: Option<usize>,
}

impl Entries {
    fn slot(&mut self, source: Option<Source>) -> &mut Option<usize> {
        match source {
            None => &mut self.bare,
            Some(Source::Personal) => &mut self.personal,
            Some(Source::Workspace) => &mut self.workspace,
        }
    }
}

impl Decisions {
    /// Makes the decisions of a scope that says nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// use codeaf_skills::scope::{Decisions, Scope, State};
    ///
    /// let global = Decisions::new(Scope::Global).on("pdf").off("personal/review");
    /// assert_eq!(global.state_of("pdf"), Some(State::On));
    /// assert_eq!(global.state_of("review"), None);
    /// ```
    #[must_use]
    pub fn new(scope: Scope) -> Self {
        Self::missing(scope, Path::new(""))
    }

    /// Makes the decisions of a scope file that does not exist.
    #[must_use]
    pub fn missing(scope: Scope, path: &Path) -> Self {
        Self {
            scope,
            path: Arc::from(path),
            entries: Vec::new(),
            by_bare_name: Map::default(),
            fault: None,
            warnings: Vec::new(),
            ignores_project_on: false,
            store: None,
            places: Vec::new(),
            id: None,
            workspace: None,
        }
    }

    /// Makes the decisions of a scope file that cannot be read.
    #[must_use]
    pub fn faulty(scope: Scope, path: &Path, fault: Fault) -> Self {
        Self {
            fault: Some(fault),
            ..Self::missing(scope, path)
        }
    }

    /// Reads the bytes of a scope file. A file that is malformed yields a
    /// [`fault`](Self::fault) and no decisions.
    #[must_use]
    pub fn parse(scope: Scope, path: &Path, bytes: &[u8], limits: &Limits) -> Self {
        Document::parse(scope, path, bytes, limits)
            .and_then(|document| Self::read(scope, path, &document))
            .unwrap_or_else(|fault| Self::faulty(scope, path, fault))
    }

    /// Returns the same decisions with `name` on.
    #[must_use]
    pub fn on(self, name: &str) -> Self {
        self.with(name, State::On)
    }

    /// Returns the same decisions with `name` off.
    #[must_use]
    pub fn off(self, name: &str) -> Self {
        self.with(name, State::Off)
    }

    /// Returns which scope says it.
    #[must_use]
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// Returns the scope file, as the caller named it.
    #[must_use]
    pub fn path(&self) -> &Arc<Path> {
        &self.path
    }

    /// Returns the decisions that count, those of `on` first: a name that
    /// stands in both lists is here once, off.
    #[must_use]
    pub fn entries(&self) -> &[Decision] {
        &self.entries
    }

    /// Returns why the file cannot be read, if it cannot.
    #[must_use]
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    /// Returns what is odd about the file, in its order.
    #[must_use]
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Returns whether this is the global file and says `"ignoreProjectOn": true`.
    #[must_use]
    pub fn ignores_project_on(&self) -> bool {
        self.ignores_project_on
    }

    /// Returns the store of personal skills that the global file names under
    /// `"store"`. It can hold a password.
    #[must_use]
    pub fn store(&self) -> Option<&Secret> {
        self.store.as_ref()
    }

    /// Returns the attached folders of a conversation; empty for other scopes.
    #[must_use]
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// Returns the id that a conversation's `meta.json` gives it, as it stands
    /// there.
    #[must_use]
    pub fn conversation_id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Returns the folder in which a conversation began, as its `meta.json` has
    /// it.
    #[must_use]
    pub fn workspace(&self) -> Option<&Path> {
        self.workspace.as_deref().map(Path::new)
    }

    /// Returns the state of the entry that is exactly `name`, bare or
    /// qualified. Which entry speaks for a skill, [`Scopes::resolve`] knows.
    ///
    /// [`Scopes::resolve`]: super::Scopes::resolve
    #[must_use]
    pub fn state_of(&self, name: &str) -> Option<State> {
        let name = nfc(name);
        let (source, bare) = split_qualified(&name);
        self.decision(source, bare).map(|decision| decision.state)
    }

    /// Returns the entry for the bare name `bare` (in normalisation form C)
    /// that is qualified with `source`, or not qualified for `None`.
    pub(super) fn decision(&self, source: Option<Source>, bare: &str) -> Option<&Decision> {
        let mut entries = *self.by_bare_name.get(bare)?;
        Some(&self.entries[(*entries.slot(source))?])
    }

    fn with(mut self, name: &str, state: State) -> Self {
        self.insert(name, state, Span::START);
        self
    }

    /// Takes in one more entry. Returns the state that the name had before, if
    /// it is not new; of two states, off stays.
    fn insert(&mut self, written: &str, state: State, span: Span) -> Option<State> {
        let name = nfc(written).into_owned();
        let (source, bare) = split_qualified(&name);
        if !self.by_bare_name.contains_key(bare) {
            self.by_bare_name
                .insert(bare.to_owned(), Entries::default());
        }
        let slot = self.by_bare_name.get_mut(bare)?.slot(source);
        let index = *slot.get_or_insert(self.entries.len());
        let Some(held) = self.entries.get_mut(index) else {
            self.entries.push(Decision { name, state, span });
            return None;
        };
        let before = held.state;
        if before == State::On && state == State::Off {
            *held = Decision { name, state, span };
        }
        Some(before)
    }

    /// Takes what a well-formed document says.
    fn read(scope: Scope, path: &Path, document: &Document<'_>) -> Result<Self, Fault> {
        let mut decisions = Self::missing(scope, path);
        let mut places = Places::new(document.text);
        for state in State::ALL {
            if let Some(list) = document.list(state) {
                decisions.entries.reserve(list.elements.len());
                decisions.by_bare_name.reserve(list.elements.len());
                decisions.read_list(state, list, &mut places);
            }
        }
        decisions.warnings.sort_by_key(|warning| warning.span);
        if scope == Scope::Global {
            decisions.ignores_project_on = document.ignores_project_on(path)?;
            decisions.store = document.store(path)?.map(Secret);
        }
        if scope == Scope::Conversation {
            decisions.read_places(document);
            let text = |key| Some(document.root.get(key)?.string().ok()?.into_owned());
            decisions.id = text("id");
            decisions.workspace = text("workspace");
        }
        Ok(decisions)
    }

    fn read_list(&mut self, state: State, list: &List<'_>, places: &mut Places<'_>) {
        let mut odd = 0;
        for element in &list.elements {
            let span = places.of(element.value);
            let Some(before) = self.insert(&element.string, state, span) else {
                continue;
            };
            odd += 1;
            if odd <= WARNINGS {
                let name = &element.string;
                let (rule, message) = if before == state {
                    let message = format!("`{name}` stands twice in `{state}`");
                    (Rule::ScopeDuplicate, message)
                } else {
                    let message = format!("`{name}` is in both lists; off wins");
                    (Rule::ScopeBothLists, message)
                };
                let warning = Diagnostic::warning(rule, &self.path, message).at(span);
                self.warnings
                    .push(warning.with_help("keep the name once, in one of the lists"));
            }
        }
        if odd > WARNINGS {
            let more = counted(odd - WARNINGS, "more name");
            let message = format!("{more} in `{state}` stand in the file before");
            let end = places.at(list.value.end());
            self.warnings
                .push(Diagnostic::warning(Rule::ScopeDuplicate, &self.path, message).at(end));
        }
    }

    fn read_places(&mut self, document: &Document<'_>) {
        let Some(value) = document.root.get(PLACES) else {
            return;
        };
        let mut places = Places::new(document.text);
        match List::parse(document.text, PLACES, value) {
            Ok(list) => {
                self.places = list
                    .elements
                    .into_iter()
                    .map(|element| Place {
                        span: places.of(element.value),
                        text: element.string.into_owned(),
                    })
                    .collect();
            }
            Err(malformed) => {
                let message = "`places` is not a list of paths, so no folder is attached";
                self.warnings.push(
                    Diagnostic::warning(Rule::AttachedFolder, &self.path, message)
                        .at(places.at(malformed.offset)),
                );
            }
        }
    }
}

/// Warnings of one list that are told one by one. A file with more was not
/// written by hand, and the first few show what is wrong with it.
const WARNINGS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(scope: Scope, text: &str) -> Decisions {
        Decisions::parse(
            scope,
            Path::new("/f.json"),
            text.as_bytes(),
            &Limits::DEFAULT,
        )
    }

    #[test]
    fn every_decision_has_its_place_in_characters() {
        let text =
            "{\n  \"off\": [\"é\", \"b\"],\n\t\"on\": [\n    \"personal/ü\",\"d\\u0065\"\n]}";

        let decisions = parse(Scope::Project, text);

        let found: Vec<_> = decisions
            .entries()
            .iter()
            .map(|d| {
                (
                    d.name.as_str(),
                    d.state,
                    d.span.line,
                    d.span.column,
                    d.span.length,
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                ("personal/ü", State::On, 4, 5, 12),
                ("de", State::On, 4, 18, 9),
                ("é", State::Off, 2, 11, 3),
                ("b", State::Off, 2, 16, 3),
            ]
        );
        assert_eq!(decisions.fault(), None);
    }

    #[test]
    fn keys_that_stand_twice_in_values_of_others_are_theirs() {
        let text = r#"{"on": ["a"], "editor": {"x": 1, "x": [{"y": 1, "y": 2}]}}"#;

        let global = parse(Scope::Global, text);
        let meta = parse(
            Scope::Conversation,
            r#"{"id": {"x": 1, "x": 2}, "skills": {"off": [], "off": ["a"]}}"#,
        );

        assert_eq!(global.fault(), None);
        assert_eq!(global.state_of("a"), Some(State::On));
        assert!(meta.fault().is_some(), "the object under `skills` is ours");
    }

    #[test]
    fn what_is_not_a_scope_file_is_a_fault_with_its_place() {
        for (text, place, words) in [
            ("", None, "empty"),
            ("\u{feff}{}", Some((1, 1)), "U+FEFF"),
            ("[\"a\"]", Some((1, 1)), "object"),
            ("{\n  \"on\": [\"a\", 7]}", Some((2, 15)), "a number"),
            ("{\"on\": \"a\"}", Some((1, 8)), "a text"),
            ("{\"off\": null}", Some((1, 9)), "null"),
            ("{\"on\": [], \"o\\u006e\": []}", Some((1, 12)), "twice"),
            ("{\"x\": 1, \"x\": 2}", Some((1, 10)), "twice"),
            ("{ // a\n}", Some((1, 3)), "comments"),
            ("{\"on\": [\"\\ud800\"]}", Some((1, 9)), "surrogate"),
            ("{\"ignoreProjectOn\": 1}", Some((1, 21)), "true or false"),
        ] {
            let decisions = parse(Scope::Global, text);

            let fault = decisions.fault().expect(text);
            let span = fault.span.map(|span| (span.line, span.column));
            assert_eq!(span, place, "{text:?}");
            assert!(
                fault.diagnostic.message.contains(words),
                "{text:?}: {fault}"
            );
            assert!(decisions.entries().is_empty());
        }
    }

    #[test]
    fn bytes_that_are_no_text_and_files_over_the_bound_are_faults() {
        let path = Path::new("/f.json");
        let small = Limits {
            scope_bytes: 4,
            ..Limits::DEFAULT
        };

        let latin = Decisions::parse(Scope::Global, path, b"{\n \"\xe9\": 1}", &Limits::DEFAULT);
        let long = Decisions::parse(Scope::Global, path, b"{   }", &small);

        assert_eq!(latin.fault().unwrap().span, Some(Span::new(2, 3)));
        assert_eq!(
            long.fault().unwrap().to_string(),
            "/f.json: the file is over 4 bytes"
        );
    }

    #[test]
    fn a_conversation_has_its_lists_under_skills() {
        let text = r#"{"on": 7, "id": "\ud800", "skills": {"on": ["pdf"], "x": {}}, "places": ["/a", "b"]}"#;

        let decisions = parse(Scope::Conversation, text);

        assert_eq!(decisions.fault(), None);
        assert_eq!(decisions.state_of("pdf"), Some(State::On));
        let places: Vec<_> = decisions.places().iter().map(|p| p.text.as_str()).collect();
        assert_eq!(places, ["/a", "b"]);
        assert_eq!(
            (decisions.conversation_id(), decisions.workspace()),
            (None, None)
        );
        let text = r#"{"id": "0123", "workspace": "/w"}"#;
        let decisions = parse(Scope::Conversation, text);
        assert_eq!(decisions.conversation_id(), Some("0123"));
        assert_eq!(decisions.workspace(), Some(Path::new("/w")));
    }

    #[test]
    fn faults_inside_skills_are_found_and_odd_places_only_warned_of() {
        for (text, place) in [
            (r#"{"skills": []}"#, (1, 12)),
            (r#"{"skills": null}"#, (1, 12)),
            (r#"{"skills": {"on": [], "on": []}}"#, (1, 23)),
            (r#"{"skills": {"off": {}}}"#, (1, 20)),
        ] {
            let span = parse(Scope::Conversation, text).fault().unwrap().span;
            assert_eq!(span.map(|s| (s.line, s.column)), Some(place), "{text}");
        }
        for text in [r#"{"places": "a"}"#, r#"{"places": ["a", {}]}"#] {
            let decisions = parse(Scope::Conversation, text);
            assert_eq!(decisions.fault(), None);
            assert!(decisions.places().is_empty());
            assert_eq!(decisions.warnings()[0].rule, Rule::AttachedFolder);
        }
    }

    #[test]
    fn off_wins_inside_one_file_and_repeats_count_once() {
        let text = r#"{"off": ["a", "cafe\u0301"], "on": ["b", "a", "b", "café"]}"#;

        let decisions = parse(Scope::Global, text);

        assert_eq!(decisions.state_of("a"), Some(State::Off));
        assert_eq!(decisions.state_of("b"), Some(State::On));
        assert_eq!(decisions.state_of("cafe\u{301}"), Some(State::Off));
        assert_eq!(decisions.entries().len(), 3);
        let rules: Vec<_> = decisions.warnings().iter().map(|w| w.rule).collect();
        assert_eq!(
            rules,
            [
                Rule::ScopeBothLists,
                Rule::ScopeBothLists,
                Rule::ScopeDuplicate
            ]
        );
    }

    #[test]
    fn warnings_are_bounded_and_say_how_many_are_left_out() {
        let text = format!(r#"{{"on": [{}"a"]}}"#, r#""a","#.repeat(100));

        let warnings = parse(Scope::Global, &text).warnings().to_vec();

        assert_eq!(warnings.len(), 65);
        assert!(warnings.iter().any(|w| w.message.contains("36 more names")));
    }

    #[test]
    fn nesting_that_nobody_descends_into_is_no_fault() {
        let deep = format!(r#"{{"x": {}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));

        assert_eq!(parse(Scope::Global, &deep).fault(), None);
    }
}
