//! A tool as MCP lists it. Schemas stand as the tool wrote them: MCP takes all of JSON Schema 2020-12.

use serde_json::{Map, Value, json};

use crate::id::ToolName;
use crate::spec::{Annotations, ToolSpec};

/// The tool in MCP's form, with the hints that are in force.
#[must_use]
pub fn tool(name: &ToolName, spec: &ToolSpec, shown: Annotations) -> Value {
    let mut tool = Map::new();
    tool.insert("name".to_owned(), name.as_str().into());
    if let Some(title) = &spec.title {
        tool.insert("title".to_owned(), title.as_str().into());
    }
    tool.insert("description".to_owned(), spec.description.as_str().into());
    tool.insert("inputSchema".to_owned(), schema(&spec.input_schema));
    if let Some(output) = &spec.output_schema {
        tool.insert("outputSchema".to_owned(), schema(output));
    }
    // All four are written out: what a client assumes about an absent hint differs from hint to hint.
    let hints = json!({
        "readOnlyHint": shown.read_only,
        "destructiveHint": shown.destructive,
        "idempotentHint": shown.idempotent,
        "openWorldHint": shown.open_world,
    });
    tool.insert("annotations".to_owned(), hints);
    tool.into()
}

/// A schema with its keys in their order and its numbers as they were written. MCP wants an object, so that the two
/// schemas which are a bare word are written in their long form.
fn schema(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => object.into(),
        Ok(Value::Bool(false)) => json!({"not": {}}),
        // Schemas were checked at load, so that this is `true`.
        _ => json!({}),
    }
}
