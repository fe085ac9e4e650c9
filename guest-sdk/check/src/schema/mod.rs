//! JSON Schemas of tools: compiled once at load, checked at every call.
//!
//! It refuses at load what could make a later check go wrong: schemas over the bounds, references out of the schema,
//! cycles, regular expressions that are not linear, misspelt keywords. A check then reads the value twice. The walk
//! (`walk`) counts the work and finds the faults in our words; the schema library gives the verdict, and only after
//! the walk has shown that the work is bounded. Where the schema alone bounds it, a valid value is read by the library
//! only. If the two ever disagree, the library is believed.

mod admission;
mod bounds;
mod graph;
mod judge;
mod keywords;
mod limits;
mod refused;
mod rules;
mod walk;
mod words;

#[cfg(test)]
mod tests;

use std::fmt;

use serde_json::Value;

pub use admission::RESERVED_NAMES;
pub use keywords::{Applies, Holds, holds};
pub use limits::SchemaLimits;
pub use refused::SchemaFault;
pub use words::{Fault, Faults};

use crate::arguments::Arguments;
use crate::json::{self, Limits};
use crate::refusal::Refusal;
use graph::{Graph, short};
use words::Place;

/// The dialect that schemas are written in.
pub const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// How deep the JSON of a schema may be nested; the bound on nested sub-schemas bites first.
const TEXT_DEPTH: usize = 100;

/// What an operator accepts of one tool's input schema although it is refused by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Accept {
    /// Properties that the schema does not name.
    pub open: bool,
    /// Properties named as in [`RESERVED_NAMES`].
    pub reserved_names: bool,
}

/// A schema that is sound, bounded and ready to check values. Cheap to share by reference, not meant to be cloned.
pub struct Schema {
    source: Value,
    graph: Graph,
    judge: jsonschema::Validator,
    limits: SchemaLimits,
    /// A text no longer than this needs no walk to bound the work on its value.
    short_text_bytes: usize,
}

impl Schema {
    /// Compiles a schema of JSON Schema 2020-12. This takes up to milliseconds and is done once, at load.
    ///
    /// # Errors
    ///
    /// The first fault, named with its place.
    pub fn compile(text: &str, limits: &SchemaLimits) -> Result<Self, SchemaFault> {
        let source = parse(text, limits)?;
        let mut graph = Graph::read(&source, limits)?;
        judge::check_meta(&source)?;
        bounds::check(&graph, limits)?;
        check_divisors(&graph)?;
        judge::arm(&mut graph, limits)?;
        let judge = judge::compile(&without_id(&source), limits)?;
        let short_text_bytes =
            if bounds::is_flat(&graph) { limits.steps / bounds::FLAT_STEPS_PER_BYTE } else { 0 };
        Ok(Self { source, graph, judge, limits: *limits, short_text_bytes })
    }

    /// Compiles the input schema of a tool: an object that refuses properties it does not name, none of them named
    /// like a value of the context or the policy, unless that is accepted.
    ///
    /// # Errors
    ///
    /// The first fault, named with its place.
    pub fn admit_input(text: &str, limits: &SchemaLimits, accept: Accept) -> Result<Self, SchemaFault> {
        let schema = Self::compile(text, limits)?;
        admission::check(&schema.graph, accept)?;
        Ok(schema)
    }

    /// The schema as it was written.
    #[must_use]
    pub fn source(&self) -> &Value {
        &self.source
    }

    /// The sub-schema that a reference in this schema leads to. Every reference of a compiled schema leads to one.
    #[must_use]
    pub fn target(&self, reference: &str) -> Option<&Value> {
        let node = self.graph.node(self.graph.target(reference)?)?;
        self.source.pointer(&node.pointer)
    }

    /// Checks the arguments for `tool`: gate 4.
    ///
    /// # Errors
    ///
    /// A `bad_args` refusal with all faults, the first [`SchemaLimits::faults`] in full.
    pub fn check(&self, tool: &str, arguments: &Arguments) -> Result<(), Refusal> {
        self.check_read(arguments.value(), arguments.raw().len())
            .map_err(|faults| Refusal::bad_args(tool, &faults))
    }

    /// Checks any value, such as a result against its output schema. The root is called `(arguments)` in fields.
    ///
    /// # Errors
    ///
    /// All faults, the first [`SchemaLimits::faults`] in full; never an empty list.
    pub fn check_value(&self, value: &Value) -> Result<(), Faults> {
        let faults = walk::faults(&self.graph, value, &self.limits).map_err(walk::OutOfSteps::into_faults)?;
        if self.judge.is_valid(value) {
            return Ok(());
        }
        if faults.n_faults() == 0 {
            return Err(Faults::one(Fault::new(
                &Place::ROOT,
                "does not have the form that the schema asks for",
            )));
        }
        Err(faults)
    }

    /// The same verdict, sooner, for a value that was read from a text of so many bytes.
    ///
    /// # Errors
    ///
    /// As [`check_value`](Self::check_value).
    pub fn check_read(&self, value: &Value, text_bytes: usize) -> Result<(), Faults> {
        if text_bytes <= self.short_text_bytes && self.judge.is_valid(value) {
            return Ok(());
        }
        self.check_value(value)
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schema")
            .field("source", &self.source)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

fn parse(text: &str, limits: &SchemaLimits) -> Result<Value, SchemaFault> {
    if text.len() > limits.bytes {
        return Err(SchemaFault::TooLarge { bytes: text.len(), limit: limits.bytes });
    }
    let json_limits = Limits { bytes: limits.bytes, depth: TEXT_DEPTH, ..Limits::ARGUMENTS };
    let kind = json::scan(text.as_bytes(), &json_limits).map_err(SchemaFault::Json)?;
    if kind != json::Kind::Object {
        return Err(SchemaFault::NotAnObject { found: kind.with_article() });
    }
    let value: Value = serde_json::from_str(text)
        .map_err(|error| SchemaFault::Json(json::unreadable(text.as_bytes(), &error)))?;
    match value.get("$schema") {
        None => Ok(value),
        Some(Value::String(dialect)) if dialect.trim_end_matches('#') == DIALECT => Ok(value),
        Some(other) => Err(SchemaFault::Dialect { found: short(other.as_str().unwrap_or("not a string")) }),
    }
}

/// The schema without `$id`: references stay inside anyway, and a name that equals a known schema's would confuse.
fn without_id(source: &Value) -> Value {
    let mut source = source.clone();
    if let Some(members) = source.as_object_mut() {
        members.shift_remove("$id");
    }
    source
}

fn check_divisors(graph: &Graph) -> Result<(), SchemaFault> {
    let limit = crate::decimal::DIVISOR_DIGITS;
    for node in &graph.nodes {
        let divisor = node.rules.as_ref().and_then(|rules| rules.multiple_of.as_ref());
        if divisor.is_some_and(|divisor| divisor.decimal.digits_len() > limit) {
            return Err(SchemaFault::LongDivisor { pointer: node.pointer.clone(), limit });
        }
    }
    Ok(())
}
