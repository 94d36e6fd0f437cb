//! What a skill asks of the place where it runs, as one system has it written
//! under `metadata`.

use crate::diagnostic::Span;
use crate::skill::frontmatter::{Content, Field, ScalarKind, Value};

/// Where requirements stand and what they may be.
///
/// One root, a leaf or a group of such nodes, and beside it a list of nodes that
/// are optional. Whether they are met is not looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Requirements {
    /// The entry of `metadata` that has `requirements`.
    pub under: &'static str,
    /// What a text can be asked for as.
    pub leaves: &'static [&'static str],
    /// What holds a list of nodes.
    pub groups: &'static [&'static str],
    /// What holds a list of nodes that may be missing.
    pub optional: &'static str,
}

impl Requirements {
    /// Returns where `metadata` breaks the form, and the system's words.
    pub(super) fn fault(&self, metadata: &Value) -> Option<(Span, String)> {
        let own = entry(metadata, self.under)?;
        let Content::Mapping(_) = own.content else {
            let words = format!("metadata.{} must be a mapping", self.under);
            return Some((own.span, words));
        };
        let requirements = entry(own, "requirements")?;
        let Content::Mapping(entries) = &requirements.content else {
            return Some((requirements.span, "… must be a mapping".to_owned()));
        };
        let (roots, others): (Vec<&Field>, Vec<&Field>) = entries
            .iter()
            .filter(|field| field.key != self.optional)
            .partition(|field| self.is_node(&field.key));
        if let Some(first) = others.first() {
            let words = format!("… has unknown key(s): {}", keys(&others));
            return Some((first.key_span, words));
        }
        if let [_, second, ..] = roots[..] {
            let words = format!(
                "… must define only one required root, got: {}",
                keys(&roots)
            );
            return Some((second.key_span, words));
        }
        let optional = entry(requirements, self.optional);
        let in_root = roots.first().and_then(|root| self.node(root));
        in_root.or_else(|| optional.and_then(|list| self.list(list)))
    }

    fn is_node(&self, key: &str) -> bool {
        self.leaves.contains(&key) || self.groups.contains(&key)
    }

    /// Looks at one node. How deep they stand in each other is bounded by the
    /// reader of frontmatter.
    fn node(&self, node: &Field) -> Option<(Span, String)> {
        if self.groups.contains(&&*node.key) {
            return self.list(&node.value);
        }
        let text = node
            .value
            .scalar()
            .filter(|scalar| scalar.kind == ScalarKind::Text);
        let is_filled = text.is_some_and(|scalar| !scalar.text.trim().is_empty());
        (!is_filled).then(|| (node.value.span, "… must be a non-empty string".to_owned()))
    }

    fn list(&self, value: &Value) -> Option<(Span, String)> {
        let says = |words: &str| Some((value.span, words.to_owned()));
        let Content::Sequence(items) = &value.content else {
            return says("… must be a list");
        };
        if items.is_empty() {
            return says("… must not be empty");
        }
        items.iter().find_map(|item| match &item.content {
            Content::Mapping(entries) if entries.len() == 1 => {
                if self.is_node(&entries[0].key) {
                    self.node(&entries[0])
                } else {
                    let words = format!("… has unknown key(s): {}", entries[0].key);
                    Some((item.span, words))
                }
            }
            _ => Some((
                item.span,
                "… must define exactly one requirement".to_owned(),
            )),
        })
    }
}

fn entry<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    let Content::Mapping(entries) = &value.content else {
        return None;
    };
    let found = entries.iter().find(|entry| entry.key == key);
    found.map(|entry| &entry.value)
}

fn keys(fields: &[&Field]) -> String {
    let keys: Vec<&str> = fields.iter().map(|field| &*field.key).collect();
    keys.join(", ")
}
