//! The pure edit: a scope file's text and some changes in, the new text out.
//!
//! Only the two lists change; where one is missing it is added last in its
//! object. White space follows the file's own style. This file does not know
//! the disk.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::State;
use super::document::{Document, PLACES, SKILLS};
use super::style::Style;
use crate::json::{List, Malformed};
use crate::text::nfc;

/// What one edit does with one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The name, bare or qualified; compared in Unicode normalisation form C.
    pub name: String,
    /// The list that the name is to be in; `None`: in neither, so that wider
    /// scopes decide.
    pub state: Option<State>,
}

impl Change {
    /// Makes the change that writes `name` into the list `on`.
    #[must_use]
    pub fn on(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            state: Some(State::On),
        }
    }

    /// Makes the change that writes `name` into the list `off`.
    #[must_use]
    pub fn off(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            state: Some(State::Off),
        }
    }

    /// Makes the change that takes `name` out of both lists.
    #[must_use]
    pub fn clear(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            state: None,
        }
    }
}

/// The text that a missing file is edited as.
pub(super) const MISSING: &str = "{}\n";

/// Applies `changes` to the two lists of `document`. Returns the new text, or
/// `None` where every change already holds.
///
/// A later change of the same name counts. A name that is not changed keeps its
/// bytes and its place, also where it stands twice or in both lists.
pub(super) fn edited(document: &Document<'_>, changes: &[Change]) -> Option<String> {
    let wanted = Wanted::new(changes);
    let edits = State::ALL.map(|state| ListEdit::new(document, state, &wanted));
    if edits.iter().all(ListEdit::is_nothing) {
        return None;
    }
    let outer = Style::of(document.text, &document.root, None);
    let style = match document.holder() {
        Some(holder) => Style::of(
            document.text,
            holder,
            document.skills.is_some().then_some(&outer),
        ),
        None => outer.one_deeper(),
    };

    let neither = edits.iter().all(|edit| edit.list.is_none());
    let mut patches: Vec<(Range<usize>, String)> = Vec::new();
    let mut missing = Vec::new();
    for edit in &edits {
        // A file that has neither list gets both, as a new file does.
        if edit.is_nothing() && !neither {
            continue;
        }
        let text = edit.text(document, &style);
        match edit.list {
            Some(list) => patches.push((list.value.range(), text)),
            None => missing.push((edit.state.as_str(), text)),
        }
    }
    if !missing.is_empty() {
        patches.push(if let Some(holder) = document.holder() {
            style.insertion(document.text, holder, &missing)
        } else {
            let skills = (SKILLS, style.object(&missing));
            outer.insertion(document.text, &document.root, &[skills])
        });
    }
    Some(patched(document.text, patches))
}

/// Appends `place` to the attached folders of a conversation. Returns the new
/// text, or `None` where it is among them.
///
/// The whole text is kept but for the list `places`, which is added last where
/// it is missing. A value that is no list of texts is an error.
pub(super) fn attached(document: &Document<'_>, place: &str) -> Result<Option<String>, Malformed> {
    let style = Style::of(document.text, &document.root, None);
    let list = match document.root.get(PLACES) {
        Some(value) => Some(List::parse(document.text, PLACES, value)?),
        None => None,
    };
    let mut pieces = Pieces::default();
    if let Some(list) = &list {
        if list.elements.iter().any(|element| element.string == place) {
            return Ok(None);
        }
        pieces = Pieces::new(document.text, list);
    }
    // A text always has a JSON form.
    pieces.push(serde_json::Value::from(place).to_string(), &style);
    let text = pieces.without(&HashSet::new());
    let patch = match list {
        Some(list) => (list.value.range(), text),
        None => style.insertion(document.text, &document.root, &[(PLACES, text)]),
    };
    Ok(Some(patched(document.text, vec![patch])))
}

/// Replaces ranges of `text` that do not overlap.
fn patched(text: &str, mut patches: Vec<(Range<usize>, String)>) -> String {
    patches.sort_by_key(|(range, _)| range.start);
    let mut result = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for (range, replacement) in patches {
        result.push_str(&text[at..range.start]);
        result.push_str(&replacement);
        at = range.end;
    }
    result.push_str(&text[at..]);
    result
}

/// The names that change, in the order in which they were first given.
struct Wanted {
    order: Vec<String>,
    states: HashMap<String, Option<State>>,
}

impl Wanted {
    fn new(changes: &[Change]) -> Self {
        let mut wanted = Self {
            order: Vec::new(),
            states: HashMap::with_capacity(changes.len()),
        };
        for change in changes {
            let name = nfc(&change.name).into_owned();
            if wanted.states.insert(name.clone(), change.state).is_none() {
                wanted.order.push(name);
            }
        }
        wanted
    }
}

/// What happens to one list.
struct ListEdit<'d, 'a> {
    state: State,
    list: Option<&'d List<'a>>,
    added: Vec<String>,
    /// Indices of the elements that go.
    removed: HashSet<usize>,
}

impl<'d, 'a> ListEdit<'d, 'a> {
    fn new(document: &'d Document<'a>, state: State, wanted: &Wanted) -> Self {
        let list = document.list(state);
        let mut removed = HashSet::new();
        let mut kept = HashSet::new();
        for (index, element) in list.iter().flat_map(|list| &list.elements).enumerate() {
            let name = nfc(&element.string);
            match wanted.states.get(name.as_ref()) {
                None => {}
                Some(wish) if *wish == Some(state) && kept.insert(name.into_owned()) => {}
                Some(_) => {
                    removed.insert(index);
                }
            }
        }
        let is_new = |name: &&String| {
            wanted.states.get(*name) == Some(&Some(state)) && !kept.contains(*name)
        };
        Self {
            state,
            list,
            added: wanted.order.iter().filter(is_new).cloned().collect(),
            removed,
        }
    }

    fn is_nothing(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }

    /// Returns the whole list as it will be written.
    fn text(&self, document: &Document<'_>, style: &Style) -> String {
        let mut pieces = match self.list {
            Some(list) => Pieces::new(document.text, list),
            None => Pieces::default(),
        };
        let sibling = State::ALL
            .into_iter()
            .filter(|state| *state != self.state)
            .find_map(|state| document.list(state));
        let beside = sibling.filter(|list| !list.elements.is_empty());
        let style = match beside {
            // What is beside it on one line shows how this file writes lists.
            Some(list) if !list.value.text.contains('\n') => &style.on_one_line(),
            _ => style,
        };
        for name in &self.added {
            // A text always has a JSON form.
            let quoted = serde_json::Value::from(name.as_str()).to_string();
            pieces.push(quoted, style);
        }
        pieces.without(&self.removed)
    }
}

/// A list taken apart, so that every byte of white space has its owner.
#[derive(Default)]
struct Pieces {
    /// What is between the brackets of an empty list.
    blank: String,
    pieces: Vec<Piece>,
}

/// An element, the white space before it, and that after it.
struct Piece {
    lead: String,
    text: String,
    trail: String,
}

impl Pieces {
    fn new(text: &str, list: &List<'_>) -> Self {
        let inside = list.value.start + 1..list.value.end() - 1;
        if list.elements.is_empty() {
            return Self {
                blank: text[inside].to_owned(),
                pieces: Vec::new(),
            };
        }
        let mut at = inside.start;
        let mut pieces: Vec<Piece> = Vec::with_capacity(list.elements.len());
        for element in &list.elements {
            let between = &text[at..element.value.start];
            // Before every element but the first there is a comma.
            let (trail, lead) = between.split_once(',').unwrap_or(("", between));
            if let Some(before) = pieces.last_mut() {
                trail.clone_into(&mut before.trail);
            }
            pieces.push(Piece {
                lead: lead.to_owned(),
                text: element.value.text.to_owned(),
                trail: String::new(),
            });
            at = element.value.end();
        }
        if let Some(last) = pieces.last_mut() {
            text[at..inside.end].clone_into(&mut last.trail);
        }
        Self {
            blank: String::new(),
            pieces,
        }
    }

    /// Appends an element in the manner of those before it.
    fn push(&mut self, text: String, style: &Style) {
        let before_comma = match self.pieces.as_slice() {
            [.., second_last, _] => second_last.trail.clone(),
            _ => String::new(),
        };
        let is_pair = self.pieces.len() > 1;
        let (lead, trail) = match self.pieces.last_mut() {
            Some(last) => {
                let shown = is_pair || last.lead.contains('\n');
                let lead = if shown { &last.lead } else { &style.gap };
                (
                    lead.clone(),
                    std::mem::replace(&mut last.trail, before_comma),
                )
            }
            None if !self.blank.is_empty() => (self.blank.clone(), self.blank.clone()),
            None => style.around_element(),
        };
        self.pieces.push(Piece { lead, text, trail });
    }

    /// Returns the list without the elements at `removed`.
    ///
    /// The white space at both ends of the list stays. Where nothing is left,
    /// it goes, unless it is the same at both ends: then it may have been there
    /// before the first element was, and taking a decision back must give the
    /// same bytes again.
    fn without(self, removed: &HashSet<usize>) -> String {
        let ends = match self.pieces.as_slice() {
            [] => (self.blank.clone(), String::new()),
            [first, .., last] => (first.lead.clone(), last.trail.clone()),
            [only] => (only.lead.clone(), only.trail.clone()),
        };
        let mut kept: Vec<Piece> = self
            .pieces
            .into_iter()
            .enumerate()
            .filter_map(|(index, piece)| (!removed.contains(&index)).then_some(piece))
            .collect();
        let Some(first) = kept.first_mut() else {
            let blank = if ends.0 == ends.1 {
                ends.0
            } else {
                String::new()
            };
            return format!("[{blank}]");
        };
        first.lead = ends.0;
        if let Some(last) = kept.last_mut() {
            last.trail = ends.1;
        }
        let elements: Vec<String> = kept
            .into_iter()
            .map(|piece| piece.lead + &piece.text + &piece.trail)
            .collect();
        format!("[{}]", elements.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::Scope;
    use proptest::prelude::*;

    fn edit(scope: Scope, text: &str, changes: &[Change]) -> Option<String> {
        let document = Document::parse_text(scope, text).expect(text);
        edited(&document, changes)
    }

    /// Reads changes as people type them: `+a` on, `-a` off, `=a` clear.
    fn changes(words: &str) -> Vec<Change> {
        words
            .split(' ')
            .map(|word| match word.split_at(1) {
                ("+", name) => Change::on(name),
                ("-", name) => Change::off(name),
                (_, name) => Change::clear(name),
            })
            .collect()
    }

    /// Checks cases `before | changes | after`, in which `⏎`, `␍` and `⇥` are
    /// line feed, carriage return and tab.
    fn check(scope: Scope, cases: &[&str]) {
        for case in cases {
            let case = case
                .replace('⏎', "\n")
                .replace('␍', "\r")
                .replace('⇥', "\t");
            let [before, words, after] = case.splitn(3, " | ").collect::<Vec<_>>()[..] else {
                panic!("three parts: {case}");
            };

            let result = edit(scope, before, &changes(words));

            assert_eq!(result.as_deref(), Some(after), "{before:?} {words}");
        }
    }

    #[test]
    fn a_missing_file_gets_both_lists() {
        check(
            Scope::Project,
            &[
                r#"{}⏎ | +x | {⏎  "on": [⏎    "x"⏎  ],⏎  "off": []⏎}⏎"#,
                r#"{}⏎ | -x | {⏎  "on": [],⏎  "off": [⏎    "x"⏎  ]⏎}⏎"#,
                r#"{} | +x +y | {⏎  "on": [⏎    "x",⏎    "y"⏎  ],⏎  "off": []⏎}"#,
            ],
        );
    }

    #[test]
    fn lists_on_one_line_stay_on_it() {
        check(
            Scope::Project,
            &[
                r#"{"on": ["a"], "off": []} | +x | {"on": ["a", "x"], "off": []}"#,
                r#"{"on":["a"],"off":[]} | +x -y | {"on":["a","x"],"off":["y"]}"#,
                r#"{"on": ["a","b"]} | +x | {"on": ["a","b","x"]}"#,
                r#"{"on": [ "a" ]} | +x | {"on": [ "a", "x" ]}"#,
                r#"{"on": [ ], "off": []} | +x | {"on": [ "x" ], "off": []}"#,
                r#"{"off":["b-kit"],   "on":["a-kit"]} | -a-kit | {"off":["b-kit","a-kit"],   "on":[]}"#,
                r#"{"on": ["a", "b", "c"]} | =a | {"on": ["b", "c"]}"#,
                r#"{"on": [ "a" , "b" ]} | =b | {"on": [ "a" ]}"#,
                r#"{"on": ["a", "b", "c"]} | =b +d | {"on": ["a", "c", "d"]}"#,
            ],
        );
    }

    #[test]
    fn lists_over_several_lines_stay_so() {
        check(
            Scope::Project,
            &[
                r#"{⏎⇥"on": [⏎⇥⇥"a"⏎⇥]⏎} | +x | {⏎⇥"on": [⏎⇥⇥"a",⏎⇥⇥"x"⏎⇥]⏎}"#,
                r#"{⏎⇥"on": []⏎} | +x | {⏎⇥"on": [⏎⇥⇥"x"⏎⇥]⏎}"#,
                r#"{⏎ "on": [⏎  "a",⏎  "b"⏎ ]⏎} | =a | {⏎ "on": [⏎  "b"⏎ ]⏎}"#,
                r#"{⏎ "on": [⏎  "a"⏎ ]⏎} | =a | {⏎ "on": []⏎}"#,
                r#"{⏎ "on": [⏎  "a"⏎ ]⏎} | =a +b | {⏎ "on": [⏎  "b"⏎ ]⏎}"#,
                r#"{⏎  "on": ["a"],⏎  "off": []⏎} | -x | {⏎  "on": ["a"],⏎  "off": ["x"]⏎}"#,
                r#"{␍⏎  "on": []␍⏎}␍⏎ | +x | {␍⏎  "on": [␍⏎    "x"␍⏎  ]␍⏎}␍⏎"#,
                r#"{"on": [⏎  "a"⏎  , "b"⏎]} | +x | {"on": [⏎  "a"⏎  , "b"⏎  , "x"⏎]}"#,
            ],
        );
    }

    #[test]
    fn a_list_that_is_missing_is_added_last_in_the_style_of_its_object() {
        check(
            Scope::Project,
            &[
                r#"{"z": 1.10} | +x | {"z": 1.10, "on": ["x"], "off": []}"#,
                r#"{"off":[],"z":1E2} | +x | {"off":[],"z":1E2,"on":["x"]}"#,
                r#"{ "off": [] } | +x | { "off": [], "on": ["x"] }"#,
                r#"{ } | +x | { "on": ["x"], "off": [] }"#,
                r#"{⏎} | +x | {⏎  "on": [⏎    "x"⏎  ],⏎  "off": []⏎}"#,
                r#"{⏎    "off": [⏎        "b"⏎    ],⏎    "z": 1⏎} | +x | {⏎    "off": [⏎        "b"⏎    ],⏎    "z": 1,⏎    "on": [⏎        "x"⏎    ]⏎}"#,
            ],
        );
    }

    #[test]
    fn repeats_and_other_spellings_of_a_name_go_with_it() {
        check(
            Scope::Project,
            &[
                r#"{"on": ["a", "b"], "off": ["a"]} | +a | {"on": ["a", "b"], "off": []}"#,
                r#"{"on": ["a", "b"], "off": ["a"]} | -a | {"on": ["b"], "off": ["a"]}"#,
                r#"{"on": ["a", "b", "a"], "off": ["a", "a"]} | =a | {"on": ["b"], "off": []}"#,
                r#"{"on": ["b", "a", "a"], "off": ["b"]} | +a | {"on": ["b", "a"], "off": ["b"]}"#,
                r#"{"on": ["e\u0301", "é"]} | =é | {"on": []}"#,
                "{\"on\": []} | +e\u{301} | {\"on\": [\"\u{e9}\"]}",
                r#"{"on": []} | +a"\ | {"on": ["a\"\\"]}"#,
                r#"{"on": [], "off": []} | +a -a +b | {"on": ["b"], "off": ["a"]}"#,
            ],
        );
    }

    #[test]
    fn the_lists_of_a_conversation_are_under_skills() {
        check(
            Scope::Conversation,
            &[
                r#"{⏎  "id": 1⏎}⏎ | +x | {⏎  "id": 1,⏎  "skills": {⏎    "on": [⏎      "x"⏎    ],⏎    "off": []⏎  }⏎}⏎"#,
                r#"{⏎  "id": 1,⏎  "skills": {}⏎}⏎ | +x | {⏎  "id": 1,⏎  "skills": {⏎    "on": [⏎      "x"⏎    ],⏎    "off": []⏎  }⏎}⏎"#,
                r#"{"id":1} | +x | {"id":1,"skills":{"on":["x"],"off":[]}}"#,
                r#"{"id": 1, "skills": {}} | +x | {"id": 1, "skills": {"on": ["x"], "off": []}}"#,
                r#"{⏎  "skills": {⏎    "on": []⏎  }⏎} | -x | {⏎  "skills": {⏎    "on": [],⏎    "off": [⏎      "x"⏎    ]⏎  }⏎}"#,
                r#"{⏎  "skills": {"on": ["a"]},⏎  "on": 7⏎} | +x | {⏎  "skills": {"on": ["a", "x"]},⏎  "on": 7⏎}"#,
                r#"{} | +x | {⏎  "skills": {⏎    "on": [⏎      "x"⏎    ],⏎    "off": []⏎  }⏎}"#,
            ],
        );
    }

    #[test]
    fn what_already_holds_is_no_edit() {
        for (text, words) in [
            ("{}", "=x"),
            (r#"{"on": ["a"], "off": ["b"]}"#, "+a -b =c"),
            (r#"{"on": ["a", "z", "z"], "off": ["z"]}"#, "+a"),
            ("{\"on\": [\"e\u{301}\"]}", "+\u{e9}"),
        ] {
            assert_eq!(edit(Scope::Global, text, &changes(words)), None, "{text}");
        }
        assert_eq!(edit(Scope::Global, "{}", &[]), None);
    }

    #[test]
    fn ten_thousand_names_are_one_pass() {
        let all: Vec<Change> = (0..10_000).map(|n| Change::on(format!("n{n}"))).collect();

        let text = edit(Scope::Global, MISSING, &all).unwrap();
        let back: Vec<Change> = (0..10_000)
            .map(|n| Change::clear(format!("n{n}")))
            .collect();

        assert_eq!(text.lines().count(), 10_005);
        assert_eq!(
            edit(Scope::Global, &text, &back).unwrap(),
            "{\n  \"on\": [],\n  \"off\": []\n}\n"
        );
    }

    /// White space as JSON allows it.
    fn blank() -> impl Strategy<Value = String> {
        prop::sample::select(vec!["", "", " ", "\n", "\n  ", "\t", "\r\n    ", "  "])
            .prop_map(str::to_owned)
    }

    fn any_name() -> impl Strategy<Value = String> {
        let names = vec![
            "a",
            "b",
            "cc",
            "personal/a",
            "e\u{301}",
            "\u{e9}",
            "\\u0061",
            "\\\"",
        ];
        prop::sample::select(names).prop_map(|name| format!("\"{name}\""))
    }

    fn joined(open: char, parts: &[(String, String, String)], empty: &str, close: char) -> String {
        let inside: Vec<String> = parts
            .iter()
            .map(|(before, part, after)| format!("{before}{part}{after}"))
            .collect();
        let inside = if parts.is_empty() {
            empty.to_owned()
        } else {
            inside.join(",")
        };
        format!("{open}{inside}{close}")
    }

    fn any_list() -> impl Strategy<Value = String> {
        let part = (blank(), any_name(), blank());
        (prop::collection::vec(part, 0..4), blank())
            .prop_map(|(parts, empty)| joined('[', &parts, &empty, ']'))
    }

    fn any_value() -> impl Strategy<Value = String> {
        let leaves = vec![
            "1.10",
            "1E2",
            "-0.0e-7",
            "12345678901234567890123",
            "null",
            "true",
            "\"\\u00e9\"",
            "\"\u{e9}, [on]\"",
            "\"\\ud83e\\udded\"",
            "{}",
            "[ ]",
        ];
        let leaf = prop::sample::select(leaves).prop_map(str::to_owned);
        leaf.prop_recursive(3, 12, 3, |inner| {
            let part = (blank(), inner, blank());
            (prop::collection::vec(part, 0..3), blank(), any::<bool>()).prop_map(
                |(parts, empty, is_list)| {
                    if is_list {
                        return joined('[', &parts, &empty, ']');
                    }
                    let keyed: Vec<_> = parts
                        .into_iter()
                        .enumerate()
                        .map(|(n, (b, part, a))| (b.clone(), format!("\"k{n}\"{a}:{b}{part}"), a))
                        .collect();
                    joined('{', &keyed, &empty, '}')
                },
            )
        })
    }

    /// An object with some other members, and the given ones among them.
    fn any_object(ours: Vec<(&'static str, BoxedStrategy<String>)>) -> BoxedStrategy<String> {
        let (keys, values): (Vec<_>, Vec<_>) = ours.into_iter().unzip();
        let others = prop::collection::vec(any_value(), 0..4);
        let blanks = prop::collection::vec((blank(), blank(), blank(), blank()), 8);
        let all = (
            values,
            others,
            blanks,
            any::<prop::sample::Index>(),
            blank(),
        );
        all.prop_map(move |(values, others, blanks, turn, empty)| {
            let mut members: Vec<(String, String)> = keys
                .iter()
                .map(|key| (*key).to_owned())
                .zip(values)
                .chain(
                    others
                        .into_iter()
                        .enumerate()
                        .map(|(n, v)| (format!("o{n}"), v)),
                )
                .collect();
            if !members.is_empty() {
                let turn = turn.index(members.len());
                members.rotate_left(turn);
            }
            let parts: Vec<_> = members
                .into_iter()
                .zip(blanks)
                .map(|((key, value), (a, b, c, d))| (a, format!("\"{key}\"{b}:{c}{value}"), d))
                .collect();
            joined('{', &parts, &empty, '}')
        })
        .boxed()
    }

    /// A scope file that has as many of the two lists as one of `counts`.
    fn any_file(counts: &'static [usize]) -> impl Strategy<Value = (Scope, String)> {
        let lists = || vec![("on", any_list().boxed()), ("off", any_list().boxed())];
        let holder = prop::sample::select(counts)
            .prop_flat_map(move |count| any_object(lists().into_iter().take(count).collect()))
            .boxed();
        let with_skills = any_object(vec![("skills", holder.clone())]);
        let meta = if counts.contains(&0) {
            prop_oneof![with_skills, any_object(Vec::new())].boxed()
        } else {
            with_skills
        };
        let file = prop_oneof![
            holder.prop_map(|text| (Scope::Project, text)),
            meta.prop_map(|text| (Scope::Conversation, text)),
        ];
        (blank(), file, blank())
            .prop_map(|(before, (scope, text), after)| (scope, format!("{before}{text}{after}")))
    }

    fn any_changes() -> impl Strategy<Value = Vec<Change>> {
        let state = prop::sample::select(vec![None, Some(State::On), Some(State::Off)]);
        let name = prop::sample::select(vec!["a", "b", "x", "\u{e9}", "personal/a", "\""]);
        let change = (name, state).prop_map(|(name, state)| Change {
            name: name.to_owned(),
            state,
        });
        prop::collection::vec(change, 1..4)
    }

    /// The text with both lists cut out.
    fn outside(scope: Scope, text: &str) -> String {
        let document = Document::parse_text(scope, text).expect(text);
        let cut = State::ALL
            .into_iter()
            .filter_map(|state| Some((document.list(state)?.value.range(), "[]".to_owned())))
            .collect();
        patched(text, cut)
    }

    fn names(scope: Scope, text: &str, state: State) -> Vec<String> {
        let document = Document::parse_text(scope, text).expect(text);
        let list = document.list(state).into_iter();
        list.flat_map(|list| &list.elements)
            .map(|element| nfc(&element.string).into_owned())
            .collect()
    }

    proptest! {
        #[test]
        fn on_then_clear_gives_the_same_bytes(
            (scope, text) in any_file(&[2]),
            state in prop::sample::select(State::ALL.to_vec()),
            new in prop::collection::vec("[x-z]", 1..3),
        ) {
            let written: Vec<Change> = new.iter().map(|name| Change { name: name.clone(), state: Some(state) }).collect();
            let cleared: Vec<Change> = new.into_iter().map(Change::clear).collect();

            let there = edit(scope, &text, &written).expect("a new name");
            let back = edit(scope, &there, &cleared).expect("a name to clear");

            prop_assert_eq!(back, text, "by way of {:?}", there);
        }

        #[test]
        fn editing_twice_equals_once((scope, text) in any_file(&[0, 1, 2]), changes in any_changes()) {
            if let Some(once) = edit(scope, &text, &changes) {
                prop_assert_ne!(&once, &text);
                prop_assert_eq!(edit(scope, &once, &changes), None);
            }
        }

        #[test]
        fn bytes_outside_the_lists_never_change((scope, text) in any_file(&[2]), changes in any_changes()) {
            if let Some(after) = edit(scope, &text, &changes) {
                prop_assert_eq!(outside(scope, &after), outside(scope, &text));
            }
        }

        #[test]
        fn what_is_added_is_added_in_one_piece((scope, text) in any_file(&[0]), changes in any_changes()) {
            if let Some(after) = edit(scope, &text, &changes) {
                let start = text.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
                let rest = text.bytes().rev().zip(after.bytes().rev()).take_while(|(a, b)| a == b).count();
                prop_assert!(start + rest >= text.len(), "{after:?}");
            }
        }

        #[test]
        fn every_change_holds_and_others_keep_their_order((scope, text) in any_file(&[0, 1, 2]), changes in any_changes()) {
            let after = edit(scope, &text, &changes).unwrap_or_else(|| text.clone());
            let last = |name: &str| changes.iter().rev().find(|change| change.name == name);
            for state in State::ALL {
                let now = names(scope, &after, state);
                for change in &changes {
                    let times = now.iter().filter(|name| **name == change.name).count();
                    let wanted = last(&change.name).is_some_and(|last| last.state == Some(state));
                    prop_assert_eq!(times, usize::from(wanted), "{} in {:?}", change.name, after);
                }
                let untouched = |names: Vec<String>| -> Vec<String> {
                    names.into_iter().filter(|name| last(name).is_none()).collect()
                };
                prop_assert_eq!(untouched(now), untouched(names(scope, &text, state)));
            }
        }
    }
}
