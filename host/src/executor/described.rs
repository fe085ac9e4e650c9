//! What a component says about itself, as one JSON value: what an operator accepts beside the code.

use serde_json::{Value, json};

use crate::sandbox::Prepared;
use crate::spec::{Delivery, ToolSpec};

/// The description of a whole component as text. The same component has the same text in every process.
pub(super) fn description(prepared: &Prepared) -> String {
    let tools: Vec<Value> = prepared.specs.iter().map(described).collect();
    json!({"imports": prepared.imports, "tools": tools}).to_string()
}

/// What a component says about one of its tools: words, schemas, hints and wishes.
#[must_use]
pub fn described(spec: &ToolSpec) -> Value {
    let (hints, wishes) = (spec.annotations, &spec.wishes);
    let millis = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    json!({
        "name": spec.name.as_str(),
        "title": spec.title,
        "description": spec.description,
        "input_schema": parsed(&spec.input_schema),
        "output_schema": spec.output_schema.as_deref().map(parsed),
        "annotations": {
            "read_only": hints.read_only,
            "destructive": hints.destructive,
            "idempotent": hints.idempotent,
            "open_world": hints.open_world,
        },
        "wishes": {
            "requires_approval": wishes.requires_approval,
            "timeout_ms": wishes.timeout.map(millis),
            "pool": wishes.pool.as_ref().map(ToString::to_string),
            "delivery": wishes.delivery.map(Delivery::as_str),
            "idempotency_key": wishes.idempotency_key,
        },
        "required_capabilities": spec.required_capabilities,
        "examples": spec.examples.iter().map(|example| json!({
            "title": example.title,
            "arguments": parsed(&example.arguments),
        })).collect::<Vec<_>>(),
    })
}

/// JSON text as JSON. A schema was parsed when its component was loaded; what is not JSON stays a text.
fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}
