//! A schema without references: each stands where it is used.
//!
//! It owns the bounds on what that may cost. A sub-schema that leads back to itself, or that would make the whole too
//! large, is cut down to its type, and that is noted: the model sees less, and the gates still check all of it.

use serde_json::{Map, Value};
use toolhost_check::Schema;
use toolhost_check::schema::{Applies, Holds, holds};

use super::Note;

/// Bytes that references may add to a schema.
const ADDED_BYTES: usize = 64 * 1024;
/// Sub-schemas inside each other, references followed.
const DEEPEST: usize = 64;

/// Annotations that tell a model something. Dialects, names of schemas and extensions do not.
const TELLING: [&str; 4] = ["title", "description", "default", "examples"];

/// The schema with references replaced by what they lead to, and what had to be cut.
pub(super) fn inline(schema: &Schema) -> (Value, Vec<Note>) {
    let mut inliner = Inliner { schema, open: vec![schema.source()], left: ADDED_BYTES, notes: Vec::new() };
    let inlined = inliner.node(schema.source(), "", 0);
    (inlined, inliner.notes)
}

struct Inliner<'s> {
    schema: &'s Schema,
    /// The targets that are being put in place, outermost first.
    open: Vec<&'s Value>,
    left: usize,
    notes: Vec<Note>,
}

impl<'s> Inliner<'s> {
    fn node(&mut self, source: &'s Value, place: &str, depth: usize) -> Value {
        let Value::Object(members) = source else { return source.clone() };
        if depth > DEEPEST {
            self.notes.push(Note::new(place, "$ref", "nests too deeply to be written out"));
            return outline(source);
        }
        let mut node = Map::with_capacity(members.len());
        let mut references = Vec::new();
        for (keyword, held) in members {
            let below = format!("{place}/{keyword}");
            let kept = match (holds(keyword), held) {
                (Some(Holds::One(Applies::Nothing) | Holds::Map(Applies::Nothing)), _) => continue,
                (Some(Holds::One(_)), held) => self.node(held, &below, depth + 1),
                (Some(Holds::List(_)), Value::Array(items)) => {
                    let numbered = items.iter().enumerate();
                    numbered.map(|(at, item)| self.node(item, &format!("{below}/{at}"), depth + 1)).collect()
                }
                (Some(Holds::Map(_)), Value::Object(entries)) => {
                    let named = entries.iter();
                    let named = named.map(|(name, item)| {
                        (name.clone(), self.node(item, &format!("{below}/{name}"), depth + 1))
                    });
                    Value::Object(named.collect())
                }
                (Some(Holds::Reference), Value::String(reference)) => {
                    references.push(reference);
                    continue;
                }
                (Some(Holds::Assertion), held) => held.clone(),
                (Some(Holds::Annotation), held) if TELLING.contains(&keyword.as_str()) => held.clone(),
                _ => continue,
            };
            node.insert(keyword.clone(), kept);
        }
        for reference in references {
            let target = self.follow(reference, place, depth);
            combine(&mut node, target);
        }
        Value::Object(node)
    }

    fn follow(&mut self, reference: &str, place: &str, depth: usize) -> Value {
        // Schemas with references that lead nowhere are refused at load.
        let Some(target) = self.schema.target(reference) else { return Value::Bool(true) };
        if self.open.iter().any(|open| std::ptr::eq(*open, target)) {
            self.notes.push(Note::new(place, "$ref", "leads back to itself"));
            return outline(target);
        }
        let Some(left) = self.left.checked_sub(target.to_string().len()) else {
            self.notes.push(Note::new(place, "$ref", "would make the schema too large"));
            return outline(target);
        };
        self.left = left;
        self.open.push(target);
        let node = self.node(target, place, depth + 1);
        self.open.pop();
        node
    }
}

/// What is left of a schema that cannot be written out: its type and what it says.
fn outline(schema: &Value) -> Value {
    let members = schema.as_object().into_iter().flatten();
    let kept = members.filter(|(keyword, _)| matches!(keyword.as_str(), "type" | "description"));
    Value::Object(kept.map(|(keyword, held)| (keyword.clone(), held.clone())).collect())
}

/// Adds what a reference leads to. Where the schema says something of its own, both have to hold side by side: keywords
/// such as `additionalProperties` look at their neighbours.
fn combine(node: &mut Map<String, Value>, target: Value) {
    let only_tells = node.keys().all(|keyword| TELLING.contains(&keyword.as_str()));
    match target {
        Value::Bool(true) => {}
        Value::Object(members) if only_tells => {
            for (keyword, held) in members {
                node.entry(keyword).or_insert(held);
            }
        }
        other => {
            let all = node.entry("allOf").or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(all) = all {
                all.push(other);
            }
        }
    }
}
