//! What an input schema must be beyond a sound schema.
//!
//! It owns the rule that a model can only send what the tool names, and that no argument carries a name of the
//! context or the policy: the tenant is never an argument.

use std::collections::BTreeSet;

use super::graph::{Graph, NodeId};
use super::rules::Rules;
use super::{Accept, SchemaFault};

/// Names of values that the host gives or decides.
pub const RESERVED_NAMES: [&str; 7] =
    ["tenant_id", "user_id", "run_id", "call_id", "idempotency_key", "requires_approval", "side_effect"];

pub(super) fn check(graph: &Graph, accept: Accept) -> Result<(), SchemaFault> {
    let root = graph.rules(0);
    if !root.and_then(|rules| rules.types).is_some_and(|types| types.only_object()) {
        return Err(SchemaFault::NotObjectTyped);
    }
    let reachable = graph.same_value_closure(0);
    if !accept.reserved_names {
        check_names(graph, &reachable)?;
    }
    if !accept.open && !is_closed(graph, &reachable) {
        return Err(SchemaFault::Open);
    }
    Ok(())
}

fn check_names(graph: &Graph, reachable: &[NodeId]) -> Result<(), SchemaFault> {
    for (pointer, rules) in each(graph, reachable) {
        let mut names: BTreeSet<&str> =
            rules.names().chain(rules.required.iter().map(String::as_str)).collect();
        names.extend(rules.dependent_schemas.iter().map(|(name, _)| name.as_str()));
        for (name, others) in &rules.dependent_required {
            names.insert(name);
            names.extend(others.iter().map(String::as_str));
        }
        for name in RESERVED_NAMES {
            let text = serde_json::Value::String(name.to_owned());
            if names.contains(name)
                || rules.pattern_properties.iter().any(|(pattern, _)| pattern.accepts(&text))
            {
                return Err(SchemaFault::ReservedName { pointer: pointer.to_owned(), name: name.to_owned() });
            }
        }
    }
    Ok(())
}

/// Whether every object with a property that the schema does not name is refused.
fn is_closed(graph: &Graph, reachable: &[NodeId]) -> bool {
    let refuses =
        |target: Option<NodeId>| target.and_then(|id| graph.node(id)).is_some_and(|node| !node.allows);
    let always = always_applied(graph);
    if each(graph, &always)
        .any(|(_, rules)| refuses(rules.additional_properties) && rules.pattern_properties.is_empty())
    {
        return true;
    }
    // `unevaluatedProperties` lets pass what any other sub-schema has looked at.
    let looks_at_all = |rules: &Rules| {
        !rules.pattern_properties.is_empty()
            || rules.additional_properties.is_some_and(|id| !refuses(Some(id)))
            || rules.unevaluated_properties.is_some_and(|id| !refuses(Some(id)))
    };
    each(graph, &always).any(|(_, rules)| refuses(rules.unevaluated_properties))
        && !each(graph, reachable).any(|(_, rules)| looks_at_all(rules))
}

/// The sub-schemas that every value must meet: the root, and what it leads to through `$ref` and `allOf` alone.
fn always_applied(graph: &Graph) -> Vec<NodeId> {
    let mut always = vec![0];
    let mut at = 0;
    while let Some(&id) = always.get(at) {
        at += 1;
        if let Some(rules) = graph.rules(id) {
            for &next in rules.references.iter().chain(&rules.all_of) {
                if !always.contains(&next) {
                    always.push(next);
                }
            }
        }
    }
    always
}

fn each<'g>(graph: &'g Graph, ids: &'g [NodeId]) -> impl Iterator<Item = (&'g str, &'g Rules)> {
    ids.iter().filter_map(|&id| Some((graph.node(id)?.pointer.as_str(), graph.rules(id)?)))
}
