//! The bounds that follow from how sub-schemas lead to each other.
//!
//! It refuses schemas whose check would not end, or would need work or stack out of proportion to the value. Each
//! sub-schema is looked at once per level of the value, so the check of the schema is itself bounded.

use super::graph::{Graph, NodeId};
use super::rules::Rules;
use super::{SchemaFault, SchemaLimits};
use crate::json::Limits;

/// Refuses cycles for the same value, too much expansion, and too much stack.
pub(super) fn check(graph: &Graph, limits: &SchemaLimits) -> Result<(), SchemaFault> {
    let order = children_first(graph)?;
    check_expansion(graph, &order, limits)?;
    check_frames(graph, &order, limits)
}

/// The steps that a value may cost for each byte of its text if its schema is [flat](is_flat).
pub(super) const FLAT_STEPS_PER_BYTE: usize = 16;

/// Whether each part of a value meets one sub-schema at most, with short lists to compare it with. Then the work of a
/// check is bounded by the length of the value's text, without a walk that counts it.
pub(super) fn is_flat(graph: &Graph) -> bool {
    const LISTED: usize = 64;
    graph.nodes.iter().all(|node| {
        let one_at_a_time = |rules: &Rules| {
            rules.pattern_properties.is_empty()
                && rules.property_names.is_none()
                && rules.dependent_required.is_empty()
                && rules.unevaluated_properties.is_none()
                && rules.unevaluated_items.is_none()
                && rules.contains.is_none()
                && rules.required.len() <= LISTED
                && rules.options.as_ref().is_none_or(|options| options.len() <= LISTED)
        };
        node.same_value.is_empty() && node.rules.as_deref().is_none_or(one_at_a_time)
    })
}

/// All sub-schemas, each after those that it applies to the same value.
fn children_first(graph: &Graph) -> Result<Vec<NodeId>, SchemaFault> {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Visit {
        Not,
        Open,
        Done,
    }
    let mut visits = vec![Visit::Not; graph.nodes.len()];
    let mut order = Vec::with_capacity(graph.nodes.len());
    for start in 0..graph.nodes.len() {
        // An explicit stack: a chain of a thousand references must not become a thousand frames.
        let mut stack = vec![(start, 0)];
        while let Some(top) = stack.last_mut() {
            let (id, next) = *top;
            let Some(visit) = visits.get_mut(id) else { break };
            if next == 0 && *visit == Visit::Done {
                stack.pop();
                continue;
            }
            *visit = Visit::Open;
            match graph.node(id).and_then(|node| node.same_value.get(next)) {
                Some(&target) => {
                    top.1 += 1;
                    match visits.get(target) {
                        Some(Visit::Open) => {
                            let pointer =
                                graph.node(target).map(|node| node.pointer.clone()).unwrap_or_default();
                            return Err(SchemaFault::Cycle { pointer });
                        }
                        Some(Visit::Not) => stack.push((target, 0)),
                        _ => {}
                    }
                }
                None => {
                    *visit = Visit::Done;
                    order.push(id);
                    stack.pop();
                }
            }
        }
    }
    Ok(order)
}

fn check_expansion(graph: &Graph, order: &[NodeId], limits: &SchemaLimits) -> Result<(), SchemaFault> {
    let mut sizes = vec![1_usize; graph.nodes.len()];
    for &id in order {
        let Some(node) = graph.node(id) else { continue };
        let below = node.same_value.iter().filter_map(|&target| sizes.get(target));
        let size = below.fold(1_usize, |sum, &size| sum.saturating_add(size));
        if size > limits.expansion {
            return Err(SchemaFault::Expansion { pointer: node.pointer.clone(), limit: limits.expansion });
        }
        if let Some(slot) = sizes.get_mut(id) {
            *slot = size;
        }
    }
    Ok(())
}

fn check_frames(graph: &Graph, order: &[NodeId], limits: &SchemaLimits) -> Result<(), SchemaFault> {
    // How high the stack grows from each sub-schema when the value has so many more levels below it.
    let mut below = vec![0_usize; graph.nodes.len()];
    for _ in 0..=Limits::ARGUMENTS.depth {
        let mut here = vec![1_usize; graph.nodes.len()];
        for &id in order {
            let Some(node) = graph.node(id) else { continue };
            let same = node.same_value.iter().filter_map(|&target| here.get(target)).max();
            let part = node.parts.iter().filter_map(|&target| below.get(target)).max();
            let height = 1 + same.max(part).copied().unwrap_or(0);
            if height > limits.frames {
                return Err(SchemaFault::Frames { limit: limits.frames });
            }
            if let Some(slot) = here.get_mut(id) {
                *slot = height;
            }
        }
        below = here;
    }
    Ok(())
}
