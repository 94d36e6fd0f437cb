//! Fields outside the specification, moved under `metadata` with the comments
//! right above them.

use std::borrow::Cow;

use super::edits::{self, Edit, Head};
use super::{Draft, Fix, Left};
use crate::diagnostic::{Rule, Span};
use crate::name;
use crate::skill::frontmatter::{Content, Field, ScalarKind, Style, Value};
use crate::skill::loading::{FIELDS, acted_on, odd_blank};

const KEY: &str = "metadata";

/// Blanks before an entry where `metadata` has none yet.
const INDENT: usize = 2;

/// Moves what can be moved, and says what stays.
pub(super) fn gather(draft: &mut Draft, fixes: &mut Vec<Fix>, left: &mut Vec<Left>) {
    if !draft.has_fields() {
        return;
    }
    let fields = draft.facts.fields.clone();
    let unknown = (0..fields.len()).filter(|&i| !FIELDS.contains(&&*fields[i].key));
    let Some(head) = Head::new(&draft.bytes, &draft.facts) else {
        return;
    };
    let home = Home::of(&fields, &head);
    let mut movable = Vec::new();
    let mut stay = |index: usize, why: Cow<'static, str>| {
        let Field { key, key_span, .. } = &fields[index];
        left.push(Left {
            span: *key_span,
            key: key.to_string(),
            why,
        });
    };
    for index in unknown {
        match reason_to_stay(&fields, index, home.as_ref(), &head) {
            Some(why) => stay(index, why),
            None => movable.push(index),
        }
    }
    let Ok(home) = home else { return };
    let taken = draft.settle(&movable, |draft, some| {
        let head = Head::new(&draft.bytes, &draft.facts)?;
        let edits = home.edits(&fields, some, &head)?;
        let edited = edits::apply(&draft.bytes, &edits)?;
        Some((edited, home.moved(&fields, some)))
    });
    for index in movable {
        let Field { key, key_span, .. } = &fields[index];
        if taken.binary_search(&index).is_ok() {
            let what = format!("moved `{key}` under `{KEY}`");
            fixes.push(Fix::new(Rule::UnknownField, *key_span, what));
        } else {
            stay(index, "moving it would change what is read".into());
        }
    }
    left.sort_by_key(|left| left.span);
}

/// Where moved fields go.
struct Home {
    /// The field `metadata`, if there is one.
    field: Option<usize>,
    /// The entries that it has.
    keys: Vec<String>,
    /// Blanks before an entry.
    indent: usize,
}

impl Home {
    /// Finds the place for moved fields, or says why there is none.
    fn of(fields: &[Field], head: &Head) -> Result<Self, &'static str> {
        let mut found = (0..fields.len()).filter(|&i| fields[i].key == KEY);
        let home = |field, keys, indent| {
            Ok(Self {
                field,
                keys,
                indent,
            })
        };
        let Some(index) = found.next() else {
            return home(None, Vec::new(), INDENT);
        };
        if found.next().is_some() {
            return Err("`metadata` stands twice");
        }
        let Field {
            key_span, value, ..
        } = &fields[index];
        match &value.content {
            Content::Mapping(entries) => {
                let first = entries.first().map_or(Span::START, |entry| entry.key_span);
                let indent = (first.column as usize).saturating_sub(1);
                let before = head.line(first.line).get(..indent).unwrap_or("-");
                if first.line <= key_span.line || !before.bytes().all(|b| b == b' ') || indent == 0
                {
                    return Err("`metadata` has no line for each entry");
                }
                let keys = entries.iter().map(|entry| entry.key.to_string());
                home(Some(index), keys.collect(), indent)
            }
            Content::Scalar(scalar)
                if scalar.kind == ScalarKind::Null
                    && scalar.text.is_empty()
                    && scalar.style == Some(Style::Plain) =>
            {
                home(Some(index), Vec::new(), INDENT)
            }
            _ => Err("`metadata` is not a mapping of names to texts"),
        }
    }

    /// Returns the edits that move `some` of the fields.
    fn edits(&self, fields: &[Field], some: &[usize], head: &Head) -> Option<Vec<Edit>> {
        let mut edits = Vec::with_capacity(some.len() + 1);
        let mut moved = String::new();
        for &index in some {
            let (first, last) = head.lines_of(fields, index)?;
            edits.push(Edit::new(head.start(first)..head.start(last + 1), ""));
            for number in first..=last {
                if !head.line(number).is_empty() {
                    moved.extend(std::iter::repeat_n(' ', self.indent));
                }
                moved.push_str(head.whole_line(number));
            }
        }
        let at = if let Some(index) = self.field {
            head.start(head.lines_of(fields, index)?.1 + 1)
        } else {
            moved.insert_str(0, &format!("{KEY}:{}", head.line_end()));
            edits.first()?.range.start
        };
        edits.push(Edit::new(at..at, moved));
        Some(edits)
    }

    /// Returns the fields as they are to be read once `some` have moved.
    fn moved(&self, fields: &[Field], some: &[usize]) -> Vec<Field> {
        let is_moved = |index: &usize| some.binary_search(index).is_ok();
        let mut entries: Vec<Field> = some.iter().map(|&index| fields[index].clone()).collect();
        let place = self.field.or(some.first().copied());
        let mut after = Vec::with_capacity(fields.len());
        for (index, field) in fields.iter().enumerate() {
            if Some(index) == place {
                let mut before = match &field.value.content {
                    Content::Mapping(before) if self.field.is_some() => before.clone(),
                    _ => Vec::new(),
                };
                before.append(&mut entries);
                after.push(Field {
                    key: Cow::Borrowed(KEY),
                    key_span: field.key_span,
                    value: Value {
                        span: field.value.span,
                        content: Content::Mapping(before),
                    },
                });
            } else if !is_moved(&index) {
                after.push(field.clone());
            }
        }
        after
    }
}

/// Says why a field cannot move, if it cannot.
fn reason_to_stay(
    fields: &[Field],
    index: usize,
    home: Result<&Home, &&'static str>,
    head: &Head,
) -> Option<Cow<'static, str>> {
    let field = &fields[index];
    let home = match home {
        Ok(home) => home,
        Err(why) => return Some((*why).into()),
    };
    if let Some(blank) = odd_blank(&field.key) {
        let code = u32::from(blank);
        return Some(format!("its name begins with U+{code:04X}, which shows as a blank").into());
    }
    if let Some(why) = acted_on(&field.key) {
        return Some(why.into());
    }
    let has_key = |other: &&Field| other.key == field.key;
    let why = if fields.iter().filter(has_key).count() > 1 {
        Some("it stands twice")
    } else if !name::near(&field.key, FIELDS).is_empty() {
        Some("it may be a slip for a field of the specification")
    } else if home.keys.iter().any(|key| *key == field.key) {
        Some("`metadata` has an entry of that name")
    } else if head.lines_of(fields, index).is_none() {
        Some("it has no line of its own")
    } else {
        match &field.value.content {
            Content::Sequence(_) => Some("its value is a list, not text"),
            Content::Mapping(_) => Some("its value is a mapping, not text"),
            Content::Scalar(scalar) if scalar.kind == ScalarKind::Null => Some("it has no value"),
            Content::Scalar(_) => None,
        }
    };
    why.map(Cow::Borrowed)
}
