//! The sub-schemas of a schema and how they lead to each other.
//!
//! It owns the walk over the schema's text: counting, nesting, keywords, references. What each sub-schema demands is
//! read into [`Rules`] on the way. Values of a wrong type are read as absent here; the meta-schema refuses them.

use std::collections::HashMap;

use serde_json::Value;

use super::keywords::{Applies, Holds, holds};
use super::rules::Rules;
use super::{SchemaFault, SchemaLimits};

/// The place of a sub-schema in [`Graph::nodes`].
pub(super) type NodeId = usize;

/// All sub-schemas; the root is the first.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    by_pointer: HashMap<String, NodeId>,
    by_anchor: HashMap<String, NodeId>,
    n_patterns: usize,
    n_unevaluated: usize,
}

/// One sub-schema.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) pointer: String,
    /// `None` for `true` and `false`.
    pub(super) rules: Option<Box<Rules>>,
    /// What a boolean schema says; `true` for all others.
    pub(super) allows: bool,
    /// Sub-schemas applied to the same value.
    pub(super) same_value: Vec<NodeId>,
    /// Sub-schemas applied to parts of the value.
    pub(super) parts: Vec<NodeId>,
    references: Vec<String>,
}

impl Graph {
    /// Reads every sub-schema and resolves the references between them.
    pub(super) fn read(root: &Value, limits: &SchemaLimits) -> Result<Self, SchemaFault> {
        let mut graph = Self::default();
        graph.add(root, String::new(), 1, limits)?;
        graph.resolve()?;
        Ok(graph)
    }

    pub(super) fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id)
    }

    pub(super) fn rules(&self, id: NodeId) -> Option<&Rules> {
        self.nodes.get(id)?.rules.as_deref()
    }

    /// All sub-schemas that can meet the same value as `start`, itself included.
    pub(super) fn same_value_closure(&self, start: NodeId) -> Vec<NodeId> {
        let mut seen = vec![start];
        let mut at = 0;
        while let Some(&id) = seen.get(at) {
            at += 1;
            for &next in self.node(id).map_or(&[][..], |node| &node.same_value) {
                if !seen.contains(&next) {
                    seen.push(next);
                }
            }
        }
        seen
    }

    fn add(
        &mut self,
        schema: &Value,
        pointer: String,
        depth: usize,
        limits: &SchemaLimits,
    ) -> Result<NodeId, SchemaFault> {
        if self.nodes.len() >= limits.subschemas {
            return Err(SchemaFault::TooManySubschemas { limit: limits.subschemas });
        }
        if depth > limits.depth {
            return Err(SchemaFault::TooDeep { pointer, limit: limits.depth });
        }
        let id = self.nodes.len();
        self.by_pointer.insert(pointer.clone(), id);
        self.nodes.push(Node {
            pointer: pointer.clone(),
            rules: None,
            allows: schema != &Value::Bool(false),
            same_value: Vec::new(),
            parts: Vec::new(),
            references: Vec::new(),
        });
        let Value::Object(members) = schema else { return Ok(id) };
        let mut rules = Rules::read(members);
        for (keyword, value) in members {
            let Some(holds) = holds(keyword) else {
                return Err(SchemaFault::UnknownKeyword { pointer, keyword: keyword.clone() });
            };
            let below = || format!("{pointer}/{}", escape(keyword));
            match (holds, value) {
                (Holds::One(applies), value) => {
                    let target = self.add(value, below(), depth + 1, limits)?;
                    self.link(id, target, applies);
                    rules.set_one(keyword, target);
                }
                (Holds::List(applies), Value::Array(items)) => {
                    for (index, item) in items.iter().enumerate() {
                        let target = self.add(item, format!("{}/{index}", below()), depth + 1, limits)?;
                        self.link(id, target, applies);
                        rules.push_list(keyword, target);
                    }
                }
                (Holds::Map(applies), Value::Object(entries)) => {
                    for (name, item) in entries {
                        let target =
                            self.add(item, format!("{}/{}", below(), escape(name)), depth + 1, limits)?;
                        self.link(id, target, applies);
                        rules.insert_map(keyword, name, target, item);
                    }
                }
                (Holds::Reference, Value::String(reference)) => self.note_reference(id, reference)?,
                (Holds::Anchor, Value::String(anchor)) => {
                    let before = self.by_anchor.insert(anchor.clone(), id);
                    if before.is_some_and(|other| other != id) {
                        return Err(SchemaFault::DoubledAnchor { pointer, anchor: anchor.clone() });
                    }
                }
                (Holds::Id, _) if id != 0 => return Err(SchemaFault::NestedId { pointer }),
                _ => {}
            }
        }
        self.n_patterns += usize::from(rules.pattern.is_some()) + rules.pattern_properties.len();
        if self.n_patterns > limits.patterns {
            return Err(SchemaFault::TooManyPatterns { limit: limits.patterns });
        }
        self.n_unevaluated += usize::from(rules.unevaluated_properties.is_some())
            + usize::from(rules.unevaluated_items.is_some());
        if self.n_unevaluated > limits.unevaluated {
            return Err(SchemaFault::TooManyUnevaluated { limit: limits.unevaluated });
        }
        if let Some(node) = self.nodes.get_mut(id) {
            node.rules = Some(Box::new(rules));
        }
        Ok(id)
    }

    fn link(&mut self, from: NodeId, to: NodeId, applies: Applies) {
        if let Some(node) = self.nodes.get_mut(from) {
            match applies {
                Applies::SameValue => node.same_value.push(to),
                Applies::Part => node.parts.push(to),
                Applies::Nothing => {}
            }
        }
    }

    fn note_reference(&mut self, from: NodeId, reference: &str) -> Result<(), SchemaFault> {
        let Some(node) = self.nodes.get_mut(from) else { return Ok(()) };
        if !reference.starts_with('#') {
            return Err(SchemaFault::RemoteRef {
                pointer: node.pointer.clone(),
                reference: short(reference),
            });
        }
        node.references.push(reference.to_owned());
        Ok(())
    }

    fn resolve(&mut self) -> Result<(), SchemaFault> {
        for id in 0..self.nodes.len() {
            let Some(node) = self.nodes.get_mut(id) else { break };
            for reference in std::mem::take(&mut node.references) {
                let Some(target) = self.target(&reference) else {
                    let pointer = self.nodes.get(id).map(|node| node.pointer.clone()).unwrap_or_default();
                    return Err(SchemaFault::DanglingRef { pointer, reference: short(&reference) });
                };
                self.link(id, target, Applies::SameValue);
                if let Some(rules) = self.nodes.get_mut(id).and_then(|node| node.rules.as_mut()) {
                    rules.references.push(target);
                }
            }
        }
        Ok(())
    }

    pub(super) fn target(&self, reference: &str) -> Option<NodeId> {
        let fragment = percent_decode(reference.strip_prefix('#')?)?;
        if fragment.is_empty() {
            Some(0)
        } else if fragment.starts_with('/') {
            self.by_pointer.get(&normal_pointer(&fragment)).copied()
        } else {
            self.by_anchor.get(&fragment).copied()
        }
    }
}

/// A key as a segment of a JSON pointer.
pub(super) fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// A text from a schema, short enough to be repeated.
pub(super) fn short(text: &str) -> String {
    super::words::cut(text, 80)
}

/// A pointer with each segment escaped in the one way that [`escape`] does.
fn normal_pointer(pointer: &str) -> String {
    let segments = pointer.split('/').map(|segment| escape(&segment.replace("~1", "/").replace("~0", "~")));
    segments.collect::<Vec<_>>().join("/")
}

fn percent_decode(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte == b'%' {
            let digits = rest.get(..2).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
            out.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            rest = rest.get(2..)?;
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).ok()
}
