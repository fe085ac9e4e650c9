//! The fixtures whose spec the `#[tool]` macro does not write: a schema by hand, a capability that the client must have.

use toolhost_sdk::{Annotations, Context, Reply, Tool, ToolError, ToolResult, ToolSpec, json};

const HARMLESS: Annotations =
    Annotations { read_only: true, destructive: false, idempotent: true, open_world: false };

/// A tool whose schema uses what JSON Schema 2020-12 brought: anchors, conditions, composition.
#[derive(Debug)]
pub struct JsonSchema202012;

impl Tool for JsonSchema202012 {
    fn name(&self) -> &str {
        "json_schema_2020_12_tool"
    }

    fn spec(&self) -> ToolSpec {
        let address = json!({
            "$anchor": "addressDef",
            "type": "object",
            "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
        });
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": { "address": address },
            "properties": {
                "name": { "type": "string" },
                "address": { "$ref": "#/$defs/address" },
                "contactMethod": { "type": "string", "enum": ["phone", "email"] },
                "phone": { "type": "string" },
                "email": { "type": "string" }
            },
            "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
            "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
            "then": { "required": ["phone"] },
            "else": { "required": ["email"] },
            "additionalProperties": false
        });
        harmless(self.name(), "Tool with JSON Schema 2020-12 features", schema)
    }

    fn call(&self, _ctx: &Context, arguments: &str) -> Result<Reply, ToolError> {
        Ok(Reply::Done(ToolResult::text(arguments)))
    }
}

/// A tool that only serves clients which let a server use their model.
#[derive(Debug)]
pub struct MissingCapability;

impl Tool for MissingCapability {
    fn name(&self) -> &str {
        "test_missing_capability"
    }

    fn spec(&self) -> ToolSpec {
        let mut spec = harmless(
            self.name(),
            "Serves only clients with the capability 'sampling'. For the conformance suite; it has no side effect.",
            no_arguments(),
        );
        spec.required_capabilities = vec!["sampling".to_owned()];
        spec
    }

    fn call(&self, _ctx: &Context, _arguments: &str) -> Result<Reply, ToolError> {
        Ok(Reply::Done(ToolResult::text("The client has the capability.")))
    }
}

/// A tool with a parameter that clients repeat in a header, for gateways that do not read bodies.
#[derive(Debug)]
pub struct CustomHeader;

impl Tool for CustomHeader {
    fn name(&self) -> &str {
        "test_custom_header"
    }

    fn spec(&self) -> ToolSpec {
        let schema = json!({
            "type": "object",
            "properties": {
                "region": { "type": "string", "description": "A region.", "x-mcp-header": "Region" }
            },
            "required": ["region"],
            "additionalProperties": false
        });
        harmless(
            self.name(),
            "Returns its arguments; its region also stands in the header Mcp-Param-Region. For the conformance suite; \
             it has no side effect.",
            schema,
        )
    }

    fn call(&self, _ctx: &Context, arguments: &str) -> Result<Reply, ToolError> {
        Ok(Reply::Done(ToolResult::text(arguments)))
    }
}

fn harmless(name: &str, description: &str, schema: toolhost_sdk::Value) -> ToolSpec {
    let mut spec = ToolSpec::new(name, description, schema);
    spec.annotations = HARMLESS;
    spec
}

fn no_arguments() -> toolhost_sdk::Value {
    json!({ "type": "object", "properties": {}, "additionalProperties": false })
}
