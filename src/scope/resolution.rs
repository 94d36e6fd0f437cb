//! The one rule: the narrowest scope that names the skill wins.
//!
//! This file decides the effective state of a skill, the cause, and the trail
//! of everything that was asked. It is pure: it does not know where decisions
//! come from, nor what a skill holds.

use std::path::Path;
use std::sync::Arc;

use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::file::{Decision, Decisions};
use super::{Scope, State};
use crate::diagnostic::Span;
use crate::name::{Source, split_qualified};
use crate::text::nfc;

/// A skill, as far as decisions care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subject<'a> {
    /// Its bare name, in any Unicode normalisation form.
    pub name: &'a str,
    /// Who keeps it.
    pub source: Source,
    /// Whether an entry without a source means this skill: true for a
    /// workspace skill, and for a personal one whose name no workspace skill
    /// bears.
    pub is_meant_by_bare_name: bool,
    /// Whether a root of the project ships it.
    pub is_from_project: bool,
}

impl<'a> From<&'a str> for Subject<'a> {
    /// A skill of that name, bare or qualified, that no project ships.
    fn from(name: &'a str) -> Self {
        let (source, bare) = split_qualified(name);
        let source = source.unwrap_or(Source::Workspace);
        Self {
            name: bare,
            source,
            is_meant_by_bare_name: source == Source::Workspace,
            is_from_project: false,
        }
    }
}

/// The state that holds for a skill, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolution {
    /// On or off.
    pub state: State,
    /// What decided it.
    pub cause: Cause,
}

impl Resolution {
    /// The answer for a skill that no scope names.
    pub const OFF_BY_DEFAULT: Self = Self {
        state: State::Off,
        cause: Cause::Default,
    };

    /// Returns whether the skill is on.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.state == State::On
    }
}

/// What decided a state. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// No scope names the skill.
    Default,
    /// One decision of one scope file.
    Decided {
        /// The scope that decided.
        scope: Scope,
        /// Its scope file.
        path: Arc<Path>,
        /// Where the decision stands in it.
        span: Span,
    },
    /// A scope file that cannot be read, and that may have said *off*.
    Unreadable {
        /// The scope that cannot be asked.
        scope: Scope,
        /// Its scope file.
        path: Arc<Path>,
        /// Where the fault is, if it has a place.
        span: Option<Span>,
    },
}

impl Cause {
    /// Returns the scope that decided, or that cannot be asked; `None` for the
    /// default.
    #[must_use]
    pub fn scope(&self) -> Option<Scope> {
        match self {
            Self::Default => None,
            Self::Decided { scope, .. } | Self::Unreadable { scope, .. } => Some(*scope),
        }
    }

    /// Returns whether a scope file that cannot be read is the cause.
    #[must_use]
    pub fn is_unreadable(&self) -> bool {
        matches!(self, Self::Unreadable { .. })
    }
}

impl Serialize for Cause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (scope, path, span) = match self {
            Self::Default => {
                let mut cause = serializer.serialize_struct("Cause", 1)?;
                cause.serialize_field("scope", "default")?;
                return cause.end();
            }
            Self::Decided { scope, path, span } => (scope, path, Some(span)),
            Self::Unreadable { scope, path, span } => (scope, path, span.as_ref()),
        };
        let mut cause = serializer.serialize_struct("Cause", 5)?;
        cause.serialize_field("scope", scope)?;
        if self.is_unreadable() {
            cause.serialize_field("unreadable", &true)?;
        }
        cause.serialize_field("path", &crate::text::path_text(path))?;
        if let Some(span) = span {
            cause.serialize_field("line", &span.line)?;
            cause.serialize_field("column", &span.column)?;
        }
        cause.end()
    }
}

/// What one scope says about a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The scope.
    pub scope: Scope,
    /// Its scope file, which need not exist.
    pub path: Arc<Path>,
    /// What it says; `None` where it does not name the skill or cannot be read.
    pub decision: Option<State>,
    /// The entry that says so as it stands there, bare or qualified.
    pub entry: Option<String>,
    /// Where it says so, or where its fault is.
    pub span: Option<Span>,
    /// Whether this step is the cause of the answer.
    pub wins: bool,
    /// Whether it says *on* and that does not count, because project scope can
    /// say only *off*.
    pub is_ignored: bool,
    /// Whether its file cannot be read.
    pub is_unreadable: bool,
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut step = serializer.serialize_struct("Step", 9)?;
        step.serialize_field("scope", &self.scope)?;
        step.serialize_field("path", &crate::text::path_text(&self.path))?;
        step.serialize_field("decision", &self.decision)?;
        step.serialize_field("line", &self.span.map(|span| span.line))?;
        step.serialize_field("column", &self.span.map(|span| span.column))?;
        step.serialize_field("wins", &self.wins)?;
        if let Some(entry) = &self.entry {
            step.serialize_field("entry", entry)?;
        }
        if self.is_ignored {
            step.serialize_field("ignored", &true)?;
        }
        if self.is_unreadable {
            step.serialize_field("unreadable", &true)?;
        }
        step.end()
    }
}

/// An entry of a scope file whose name no skill bears. Serialises to an object
/// with `name`, `scope`, `path`, `line` and `column`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Missing {
    /// The name in Unicode normalisation form C, bare or qualified.
    pub name: String,
    /// The scope that names it.
    pub scope: Scope,
    /// Its scope file.
    #[serde(serialize_with = "crate::text::serialize_path")]
    pub path: Arc<Path>,
    /// What the entry says.
    pub state: State,
    /// Where it stands in the file.
    #[serde(flatten)]
    pub span: Span,
}

/// The decisions of every scope there is, at one moment.
#[derive(Debug, Clone, Default)]
pub struct Scopes {
    /// One element a scope, in any order. A scope that does not exist (no
    /// conversation, no home) has none.
    pub files: Vec<Decisions>,
    /// Whether project scope can say only *off*. The global file can ask for
    /// the same, see [`Decisions::ignores_project_on`].
    pub ignore_project_on: bool,
}

impl Scopes {
    /// Makes the scopes of `files`, in which projects may turn skills on.
    #[must_use]
    pub fn new(files: Vec<Decisions>) -> Self {
        Self {
            files,
            ignore_project_on: false,
        }
    }

    /// Returns whether project scope can say only *off*, by the flag or by the
    /// global file.
    #[must_use]
    pub fn ignores_project_on(&self) -> bool {
        self.ignore_project_on || self.files.iter().any(Decisions::ignores_project_on)
    }

    /// Returns the effective state of a skill.
    ///
    /// The narrowest scope that names it wins. Inside one file an entry with
    /// the skill's source beats one without. A skill that no scope names is
    /// off. A file that cannot be read may have said *off*: an answer that
    /// would have to pass through it is off, with the cause
    /// [`Cause::Unreadable`]; a narrower scope that names the skill still
    /// decides.
    ///
    /// Where projects may say only *off*, an *on* of the project scope counts
    /// as silence, and so does the *on* of the global scope for a skill that a
    /// project root ships.
    ///
    /// # Examples
    ///
    /// ```
    /// use codeaf_skills::scope::{Decisions, Scope, Scopes, State};
    ///
    /// let scopes = Scopes::new(vec![
    ///     Decisions::new(Scope::Global).on("pdf").off("workspace/pdf"),
    ///     Decisions::new(Scope::Project),
    /// ]);
    /// assert_eq!(scopes.resolve("pdf").state, State::Off);
    /// ```
    #[must_use]
    pub fn resolve<'a>(&self, subject: impl Into<Subject<'a>>) -> Resolution {
        let precedence = Precedence::new(&self.files, self.ignores_project_on());
        precedence.resolve(&subject.into())
    }

    /// Returns what every scope says about a skill, the narrowest first, with
    /// the one marked that [`resolve`](Self::resolve) points at.
    #[must_use]
    pub fn trail<'a>(&self, subject: impl Into<Subject<'a>>) -> Vec<Step> {
        let precedence = Precedence::new(&self.files, self.ignores_project_on());
        precedence.trail(&subject.into())
    }

    /// Returns the entries of every scope file that no skill bears, by name,
    /// then from the widest scope. `is_known` says whether there is a skill of
    /// that source (any source for `None`) and bare name.
    #[must_use]
    pub fn missing(&self, is_known: impl Fn(Option<Source>, &str) -> bool) -> Vec<Missing> {
        let mut missing = Vec::new();
        for file in &self.files {
            for decision in file.entries() {
                let (source, bare) = split_qualified(&decision.name);
                if !is_known(source, bare) {
                    missing.push(Missing {
                        name: decision.name.clone(),
                        scope: file.scope(),
                        path: Arc::clone(file.path()),
                        state: decision.state,
                        span: decision.span,
                    });
                }
            }
        }
        missing.sort_by(|a, b| (&a.name, a.scope).cmp(&(&b.name, b.scope)));
        missing
    }
}

/// Returns the effective state of the skill called `name`.
///
/// The short form of [`Scopes::resolve`] for a workspace skill that no project
/// ships, where projects may turn skills on.
///
/// # Examples
///
/// ```
/// use codeaf_skills::scope::{Decisions, Scope, State, resolve};
///
/// let global = Decisions::new(Scope::Global).on("pdf");
/// let project = Decisions::new(Scope::Project).off("pdf");
/// let resolution = resolve("pdf", &[global, project]);
/// assert_eq!(resolution.state, State::Off);
/// assert_eq!(resolution.cause.scope(), Some(Scope::Project));
/// ```
#[must_use]
pub fn resolve(name: &str, scopes: &[Decisions]) -> Resolution {
    let ignores_project_on = scopes.iter().any(Decisions::ignores_project_on);
    Precedence::new(scopes, ignores_project_on).resolve(&Subject::from(name))
}

/// What one file says about a skill.
enum Answer<'a> {
    Silent,
    Says(&'a Decision),
    /// It says *on*, and that does not count.
    Ignored(&'a Decision),
    Unreadable(Option<Span>),
}

/// The one rule.
struct Precedence<'a> {
    files: &'a [Decisions],
    ignores_project_on: bool,
}

impl<'a> Precedence<'a> {
    fn new(files: &'a [Decisions], ignores_project_on: bool) -> Self {
        Self {
            files,
            ignores_project_on,
        }
    }

    /// Returns the files from the narrowest scope to the widest.
    fn narrowest_first(&self) -> impl Iterator<Item = &'a Decisions> {
        // `Scope` orders from the widest to the narrowest.
        let scopes = Scope::ALL.into_iter().rev();
        scopes.flat_map(|scope| self.files.iter().filter(move |file| file.scope() == scope))
    }

    fn resolve(&self, subject: &Subject<'_>) -> Resolution {
        let name = nfc(subject.name);
        let answers = self
            .narrowest_first()
            .map(|file| (file, self.answer(file, subject, &name)));
        for (file, answer) in answers {
            let (scope, path) = (file.scope(), file.path());
            match answer {
                Answer::Silent | Answer::Ignored(_) => {}
                Answer::Says(decision) => {
                    return Resolution {
                        state: decision.state,
                        cause: Cause::Decided {
                            scope,
                            path: Arc::clone(path),
                            span: decision.span,
                        },
                    };
                }
                Answer::Unreadable(span) => {
                    return Resolution {
                        state: State::Off,
                        cause: Cause::Unreadable {
                            scope,
                            path: Arc::clone(path),
                            span,
                        },
                    };
                }
            }
        }
        Resolution::OFF_BY_DEFAULT
    }

    fn trail(&self, subject: &Subject<'_>) -> Vec<Step> {
        let name = nfc(subject.name);
        let winner = self.resolve(subject).cause.scope();
        let step = |file: &Decisions| {
            let answer = self.answer(file, subject, &name);
            let (decision, span) = match &answer {
                Answer::Silent => (None, None),
                Answer::Says(decision) | Answer::Ignored(decision) => {
                    (Some(*decision), Some(decision.span))
                }
                Answer::Unreadable(span) => (None, *span),
            };
            Step {
                scope: file.scope(),
                path: Arc::clone(file.path()),
                decision: decision.map(|decision| decision.state),
                entry: decision.map(|decision| decision.name.clone()),
                span,
                wins: winner == Some(file.scope()),
                is_ignored: matches!(answer, Answer::Ignored(_)),
                is_unreadable: matches!(answer, Answer::Unreadable(_)),
            }
        };
        self.narrowest_first().map(step).collect()
    }

    fn answer<'f>(&self, file: &'f Decisions, subject: &Subject<'_>, name: &str) -> Answer<'f> {
        if let Some(fault) = file.fault() {
            return Answer::Unreadable(fault.span);
        }
        let qualified = file.decision(Some(subject.source), name);
        let bare = || {
            subject
                .is_meant_by_bare_name
                .then(|| file.decision(None, name))
                .flatten()
        };
        match qualified.or_else(bare) {
            None => Answer::Silent,
            Some(decision) if self.ignores(file.scope(), subject, decision) => {
                Answer::Ignored(decision)
            }
            Some(decision) => Answer::Says(decision),
        }
    }

    /// Whether `decision` is an *on* that a project must not say for itself.
    fn ignores(&self, scope: Scope, subject: &Subject<'_>, decision: &Decision) -> bool {
        self.ignores_project_on
            && decision.state == State::On
            && match scope {
                Scope::Conversation => false,
                Scope::Project => true,
                // A copy from the repository stands in for the one that the
                // user turned on at home.
                Scope::Global => subject.is_from_project,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use proptest::prelude::*;

    fn says(scope: Scope, word: &str) -> Decisions {
        let decisions = Decisions::new(scope);
        match word {
            "on" => decisions.on("pdf"),
            "off" => decisions.off("pdf"),
            _ => decisions,
        }
    }

    fn broken(scope: Scope) -> Decisions {
        let text = b"{\n  \"off\": [}";
        Decisions::parse(scope, Path::new("/broken"), text, &Limits::DEFAULT)
    }

    fn from_project(name: &str) -> Subject<'_> {
        Subject {
            is_from_project: true,
            ..name.into()
        }
    }

    #[test]
    fn the_narrowest_scope_that_names_it_wins() {
        const G: Option<Scope> = Some(Scope::Global);
        const P: Option<Scope> = Some(Scope::Project);
        const C: Option<Scope> = Some(Scope::Conversation);
        use State::{Off, On};
        for (global, project, conversation, state, scope) in [
            ("-", "-", "-", Off, None),
            ("-", "-", "on", On, C),
            ("-", "-", "off", Off, C),
            ("-", "on", "-", On, P),
            ("-", "on", "on", On, C),
            ("-", "on", "off", Off, C),
            ("-", "off", "-", Off, P),
            ("-", "off", "on", On, C),
            ("-", "off", "off", Off, C),
            ("on", "-", "-", On, G),
            ("on", "-", "on", On, C),
            ("on", "-", "off", Off, C),
            ("on", "on", "-", On, P),
            ("on", "on", "on", On, C),
            ("on", "on", "off", Off, C),
            ("on", "off", "-", Off, P),
            ("on", "off", "on", On, C),
            ("on", "off", "off", Off, C),
            ("off", "-", "-", Off, G),
            ("off", "-", "on", On, C),
            ("off", "-", "off", Off, C),
            ("off", "on", "-", On, P),
            ("off", "on", "on", On, C),
            ("off", "on", "off", Off, C),
            ("off", "off", "-", Off, P),
            ("off", "off", "on", On, C),
            ("off", "off", "off", Off, C),
        ] {
            let files = [
                says(Scope::Global, global),
                says(Scope::Project, project),
                says(Scope::Conversation, conversation),
            ];

            let resolution = resolve("pdf", &files);

            let row = format!("{global} {project} {conversation}");
            assert_eq!(resolution.state, state, "{row}");
            assert_eq!(resolution.cause.scope(), scope, "{row}");
        }
    }

    #[test]
    fn scope_comes_first_then_the_qualified_entry() {
        let personal = Subject {
            source: Source::Personal,
            is_meant_by_bare_name: false,
            ..Subject::from("pdf")
        };
        let alone = Subject {
            is_meant_by_bare_name: true,
            ..personal
        };
        let workspace = Subject::from("pdf");
        let global = |d: fn(Decisions) -> Decisions| d(Decisions::new(Scope::Global));
        let project = |d: fn(Decisions) -> Decisions| d(Decisions::new(Scope::Project));
        let silent = || Decisions::new(Scope::Project);
        for (row, files, subject, is_on) in [
            (
                1,
                [global(|d| d.on("pdf").off("workspace/pdf")), silent()],
                workspace,
                false,
            ),
            (
                2,
                [global(|d| d.off("pdf").on("workspace/pdf")), silent()],
                workspace,
                true,
            ),
            (
                3,
                [global(|d| d.on("workspace/pdf")), project(|d| d.off("pdf"))],
                workspace,
                false,
            ),
            (4, [global(|d| d.on("pdf")), silent()], personal, false),
            (5, [global(|d| d.on("pdf")), silent()], alone, true),
            (
                6,
                [global(|d| d.on("personal/pdf")), silent()],
                personal,
                true,
            ),
            (
                7,
                [global(|d| d.on("personal/pdf")), silent()],
                workspace,
                false,
            ),
            (
                8,
                [global(|d| d.on("personal/pdf")), project(|d| d.off("pdf"))],
                personal,
                true,
            ),
        ] {
            let scopes = Scopes::new(files.to_vec());

            assert_eq!(scopes.resolve(subject).is_on(), is_on, "row {row}");
        }
    }

    #[test]
    fn names_are_compared_in_one_normal_form() {
        let files = [Decisions::new(Scope::Global).on("cafe\u{301}")];

        assert!(resolve("caf\u{e9}", &files).is_on());
        assert!(resolve("cafe\u{301}", &files).is_on());
        assert!(!resolve("Caf\u{e9}", &files).is_on());
    }

    #[test]
    fn an_answer_that_passes_through_an_unreadable_file_is_off() {
        let scopes = Scopes::new(vec![
            Decisions::new(Scope::Global).on("pdf").on("doc"),
            broken(Scope::Project),
            Decisions::new(Scope::Conversation).on("doc"),
        ]);

        let through = scopes.resolve("pdf");
        let before = scopes.resolve("doc");

        assert_eq!(through.state, State::Off);
        assert!(through.cause.is_unreadable());
        assert_eq!(
            serde_json::to_string(&through.cause).unwrap(),
            r#"{"scope":"project","unreadable":true,"path":"/broken","line":2,"column":11}"#
        );
        assert!(before.is_on());
        assert!(scopes.resolve("unnamed").cause.is_unreadable());
    }

    #[test]
    fn a_project_that_may_only_say_off_turns_nothing_on() {
        let all = |global: &str, project: &str, conversation: &str| {
            let mut scopes = Scopes::new(vec![
                says(Scope::Global, global),
                says(Scope::Project, project),
                says(Scope::Conversation, conversation),
            ]);
            scopes.ignore_project_on = true;
            scopes
        };
        for (global, project, conversation, home_copy, project_copy) in [
            ("-", "on", "-", false, false),
            ("on", "-", "-", true, false),
            ("on", "on", "-", true, false),
            ("on", "off", "-", false, false),
            ("off", "on", "-", false, false),
            ("-", "-", "on", true, true),
            ("off", "off", "on", true, true),
            ("on", "on", "off", false, false),
        ] {
            let scopes = all(global, project, conversation);
            let row = format!("{global} {project} {conversation}");
            assert_eq!(scopes.resolve("pdf").is_on(), home_copy, "{row}");
            let shipped = scopes.resolve(from_project("pdf"));
            assert_eq!(shipped.is_on(), project_copy, "{row}");
        }
    }

    #[test]
    fn the_global_file_can_ask_that_projects_say_only_off() {
        let text = br#"{"ignoreProjectOn": true}"#;
        let global = Decisions::parse(Scope::Global, Path::new("/g"), text, &Limits::DEFAULT);
        let project = Decisions::new(Scope::Project).on("pdf");

        let files = [global, project];

        assert!(!resolve("pdf", &files).is_on());
        assert!(Scopes::new(files.to_vec()).ignores_project_on());
    }

    #[test]
    fn the_trail_has_every_scope_and_marks_the_winner() {
        let mut scopes = Scopes::new(vec![
            Decisions::new(Scope::Global).on("pdf"),
            says(Scope::Project, "on"),
            Decisions::new(Scope::Conversation),
        ]);
        scopes.ignore_project_on = true;

        let trail = serde_json::to_string(&scopes.trail("pdf")).unwrap();

        assert_eq!(
            trail,
            concat!(
                r#"[{"scope":"conversation","path":"","decision":null,"line":null,"column":null,"wins":false},"#,
                r#"{"scope":"project","path":"","decision":"on","line":1,"column":1,"wins":false,"entry":"pdf","ignored":true},"#,
                r#"{"scope":"global","path":"","decision":"on","line":1,"column":1,"wins":true,"entry":"pdf"}]"#
            )
        );
    }

    #[test]
    fn the_trail_stops_at_what_cannot_be_read() {
        let scopes = Scopes::new(vec![
            Decisions::new(Scope::Global).on("pdf"),
            broken(Scope::Project),
        ]);

        let trail = scopes.trail("pdf");

        assert!(trail[0].wins && trail[0].is_unreadable);
        assert_eq!(trail[0].decision, None);
        assert!(!trail[1].wins);
        assert_eq!(trail[1].decision, Some(State::On));
    }

    #[test]
    fn causes_have_the_shape_that_json_readers_know() {
        let files = [Decisions::parse(
            Scope::Global,
            Path::new("/g.json"),
            b"{\"on\": [\"pdf\"]}",
            &Limits::DEFAULT,
        )];

        let json = |name| serde_json::to_string(&resolve(name, &files).cause).unwrap();

        assert_eq!(
            json("pdf"),
            r#"{"scope":"global","path":"/g.json","line":1,"column":9}"#
        );
        assert_eq!(json("doc"), r#"{"scope":"default"}"#);
    }

    #[test]
    fn entries_that_no_skill_bears_are_missing() {
        let scopes = Scopes::new(vec![
            Decisions::new(Scope::Project).on("pdf").off("gone"),
            Decisions::new(Scope::Global).on("personal/pdf").on("gone"),
        ]);

        let missing =
            scopes.missing(|source, name| source != Some(Source::Personal) && name == "pdf");

        let names: Vec<_> = missing.iter().map(|m| (m.name.as_str(), m.scope)).collect();
        assert_eq!(
            names,
            [
                ("gone", Scope::Global),
                ("gone", Scope::Project),
                ("personal/pdf", Scope::Global),
            ]
        );
        let json = serde_json::to_value(&missing[0]).unwrap();
        assert_eq!(json["line"], 1);
        assert_eq!(json["scope"], "global");
    }

    fn any_decisions(scope: Scope) -> impl Strategy<Value = Decisions> {
        let name = prop::sample::select(vec!["a", "b", "workspace/a", "personal/a"]);
        let entries = prop::collection::vec((name, any::<bool>()), 0..4);
        (entries, 0..8).prop_map(move |(entries, chance)| {
            if chance == 0 {
                return broken(scope);
            }
            entries
                .into_iter()
                .fold(Decisions::new(scope), |decisions, (name, is_on)| {
                    if is_on {
                        decisions.on(name)
                    } else {
                        decisions.off(name)
                    }
                })
        })
    }

    proptest! {
        #[test]
        fn the_order_of_files_does_not_matter(
            files in Scope::ALL.map(any_decisions),
            turn in 0usize..3,
            ignores in any::<bool>(),
            shipped in any::<bool>(),
        ) {
            let mut one = Scopes::new(files.to_vec());
            one.ignore_project_on = ignores;
            let mut other = one.clone();
            other.files.rotate_left(turn);
            other.files.swap(0, 1);
            let subject = Subject { is_from_project: shipped, ..Subject::from("a") };

            prop_assert_eq!(one.resolve(subject), other.resolve(subject));
            prop_assert_eq!(one.trail(subject), other.trail(subject));
        }

        #[test]
        fn a_weaker_scope_never_changes_an_answer(
            files in Scope::ALL.map(any_decisions),
            ignores in any::<bool>(),
            shipped in any::<bool>(),
        ) {
            let subject = Subject { is_from_project: shipped, ..Subject::from("a") };
            let of = |files: &[Decisions]| {
                let mut scopes = Scopes::new(files.to_vec());
                scopes.ignore_project_on = ignores;
                scopes.resolve(subject)
            };
            for widest in 1..3 {
                let narrow = of(&files[widest..]);
                if narrow != Resolution::OFF_BY_DEFAULT {
                    prop_assert_eq!(narrow, of(&files[widest - 1..]));
                }
            }
        }

        #[test]
        fn the_trail_points_at_the_cause(files in Scope::ALL.map(any_decisions), ignores in any::<bool>()) {
            let mut scopes = Scopes::new(files.to_vec());
            scopes.ignore_project_on = ignores;

            let resolution = scopes.resolve("a");
            let winners: Vec<_> = scopes.trail("a").into_iter().filter(|step| step.wins).collect();

            match resolution.cause.scope() {
                None => prop_assert!(winners.is_empty()),
                Some(scope) => {
                    prop_assert_eq!(winners.len(), 1);
                    prop_assert_eq!(winners[0].scope, scope);
                    prop_assert_eq!(winners[0].decision.unwrap_or(State::Off), resolution.state);
                }
            }
        }
    }
}
