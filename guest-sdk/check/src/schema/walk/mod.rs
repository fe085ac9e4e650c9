//! The walk over a value and its schema that finds every fault and says it in our words.
//!
//! It owns the bound on work: each step is counted before it is made, and a walk that runs out of steps refuses the
//! value. Alternatives are all tried, because a message needs what each of them says, so the walk is also an upper
//! bound for the schema library, which stops at the first answer and gives the verdict afterwards.

mod arrays;
mod findings;
mod forms;
mod objects;
mod scalars;

use serde_json::Value;

use super::graph::{Graph, NodeId};
use super::rules::Rules;
use super::words::{self, Place};
use super::{Fault, Faults, SchemaLimits};
use crate::canonical::equal;
use findings::{Findings, Nature};

/// Everything wrong with `value`; empty if nothing is. A walk that runs out of steps gives one fault that says so.
pub(super) fn faults(graph: &Graph, value: &Value, limits: &SchemaLimits) -> Result<Faults, OutOfSteps> {
    let mut walk = Walk {
        graph,
        steps_left: limits.steps,
        listed: limits.faults,
        marking: graph.nodes.iter().any(|node| {
            node.rules.as_ref().is_some_and(|rules| {
                rules.unevaluated_properties.is_some() || rules.unevaluated_items.is_some()
            })
        }),
    };
    let mut findings = Findings::default();
    walk.node(0, value, &Place::ROOT, false, &mut findings)?;
    Ok(findings.into_faults())
}

/// The value needs more work than the bound allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OutOfSteps;

impl OutOfSteps {
    pub(super) fn into_faults(self) -> Faults {
        Faults::one(Fault::new(
            &Place::ROOT,
            "too large or too deeply nested to be checked against this schema; send less at once",
        ))
    }
}

struct Walk<'s> {
    graph: &'s Graph,
    steps_left: usize,
    listed: usize,
    /// Whether any `unevaluated...` keyword needs to know what the others looked at.
    marking: bool,
}

/// Which parts of a value have been looked at by sub-schemas that accepted it.
#[derive(Debug, Default)]
struct Marks<'v> {
    every_property: bool,
    properties: Vec<&'v str>,
    every_item: bool,
    first_items: usize,
    items: Vec<usize>,
}

impl Marks<'_> {
    fn merge(&mut self, other: Self) {
        self.every_property |= other.every_property;
        self.properties.extend(other.properties);
        self.every_item |= other.every_item;
        self.first_items = self.first_items.max(other.first_items);
        self.items.extend(other.items);
    }
}

impl<'s> Walk<'s> {
    fn spend(&mut self, steps: usize) -> Result<(), OutOfSteps> {
        self.steps_left = self.steps_left.checked_sub(steps).ok_or(OutOfSteps)?;
        Ok(())
    }

    fn find(&self, out: &mut Findings, place: &Place<'_>, nature: Nature, reason: impl FnOnce() -> String) {
        out.push(self.listed, || (Fault::new(place, reason()), nature));
    }

    /// Checks a value against one sub-schema.
    ///
    /// With `trial` the sub-schema is one of several forms; then a tag that names another form ends the look at
    /// this one, so that a tree of tagged unions costs what its own form costs.
    fn node<'v>(
        &mut self,
        id: NodeId,
        value: &'v Value,
        place: &Place<'_>,
        trial: bool,
        out: &mut Findings,
    ) -> Result<Marks<'v>, OutOfSteps> {
        self.spend(1)?;
        let graph = self.graph;
        let mut marks = Marks::default();
        let Some(node) = graph.node(id) else { return Ok(marks) };
        let Some(rules) = node.rules.as_deref() else {
            if !node.allows {
                self.find(out, place, Nature::Other, || "not allowed".to_owned());
            }
            return Ok(marks);
        };
        if let Some(types) = rules.types
            && !types.accept(value)
        {
            self.find(out, place, Nature::Type(types), || words::wrong_type(&[types], value));
            return Ok(marks);
        }
        self.constant(rules, value, place, out)?;
        match value {
            Value::String(text) => self.text(rules, value, text, place, out)?,
            Value::Number(number) => self.number(rules, number, place, out)?,
            Value::Object(members) => {
                if trial && self.is_tagged_otherwise(rules, members, place, out) {
                    return Ok(marks);
                }
                self.object(rules, members, place, out, &mut marks)?;
            }
            Value::Array(items) => self.array(rules, items, place, out, &mut marks)?,
            Value::Bool(_) | Value::Null => {}
        }
        self.same_value(rules, value, place, trial, out, &mut marks)?;
        match value {
            Value::Object(members) => {
                self.unevaluated_properties(id, rules, members, place, out, &mut marks)?
            }
            Value::Array(items) => self.unevaluated_items(rules, items, place, out, &mut marks)?,
            _ => {}
        }
        Ok(marks)
    }

    /// Whether a value is accepted by a sub-schema, and what it marked then.
    fn accepts<'v>(
        &mut self,
        id: NodeId,
        value: &'v Value,
        place: &Place<'_>,
    ) -> Result<Option<Marks<'v>>, OutOfSteps> {
        let mut findings = Findings::default();
        let marks = self.node(id, value, place, true, &mut findings)?;
        Ok(findings.is_empty().then_some(marks))
    }

    fn constant(
        &mut self,
        rules: &Rules,
        value: &Value,
        place: &Place<'_>,
        out: &mut Findings,
    ) -> Result<(), OutOfSteps> {
        let constant = rules.constant.as_ref().map(std::slice::from_ref);
        for options in constant.into_iter().chain(rules.options.as_deref()) {
            self.spend(options.len() / 8)?;
            if !options.iter().any(|option| equal(option, value)) {
                let found = words::echo(value);
                let nature = Nature::Options { wanted: options.to_vec(), found: found.clone() };
                self.find(out, place, nature, || words::wrong_option(options, &found));
            }
        }
        Ok(())
    }

    fn same_value<'v>(
        &mut self,
        rules: &Rules,
        value: &'v Value,
        place: &Place<'_>,
        trial: bool,
        out: &mut Findings,
        marks: &mut Marks<'v>,
    ) -> Result<(), OutOfSteps> {
        for &target in rules.references.iter().chain(&rules.all_of) {
            let below = self.node(target, value, place, trial, out)?;
            marks.merge(below);
        }
        for (name, target) in &rules.dependent_schemas {
            self.spend(1)?;
            if value.get(name).is_some() {
                let below = self.node(*target, value, place, trial, out)?;
                marks.merge(below);
            }
        }
        if !rules.any_of.is_empty() {
            self.any_of(&rules.any_of, value, place, out, marks)?;
        }
        if !rules.one_of.is_empty() {
            self.one_of(&rules.one_of, value, place, out, marks)?;
        }
        if let Some(not) = rules.not
            && self.accepts(not, value, place)?.is_some()
        {
            self.find(out, place, Nature::Other, || "has a form that the schema forbids".to_owned());
        }
        if let Some(condition) = rules.if_ {
            let branch = match self.accepts(condition, value, place)? {
                Some(below) => {
                    marks.merge(below);
                    rules.then
                }
                None => rules.else_,
            };
            if let Some(branch) = branch {
                let below = self.node(branch, value, place, trial, out)?;
                marks.merge(below);
            }
        }
        Ok(())
    }
}
