//! Tools without the macro, and what the host would refuse of them.

use toolhost_sdk::testing::{self, FakeContext, admit};
use toolhost_sdk::{Context, Reply, Tool, ToolError, ToolResult, ToolSpec, Value, json};

struct Raw {
    name: &'static str,
    description: &'static str,
    input: Value,
    output: Option<Value>,
    result: ToolResult,
}

impl Default for Raw {
    fn default() -> Self {
        Self {
            name: "raw",
            description: "Returns what it was made with.",
            input: json!({ "type": "object", "additionalProperties": false }),
            output: None,
            result: ToolResult::text("x"),
        }
    }
}

impl Tool for Raw {
    fn name(&self) -> &str {
        self.name
    }

    fn spec(&self) -> ToolSpec {
        let mut spec = ToolSpec::new(self.name, self.description, self.input.clone());
        spec.output_schema.clone_from(&self.output);
        spec
    }

    fn call(&self, _: &Context, _: &str) -> Result<Reply, ToolError> {
        Ok(Reply::Done(self.result.clone()))
    }
}

#[test]
fn a_handwritten_tool_passes_the_same_gates() {
    assert_eq!(testing::call(&Raw::default(), &FakeContext::new(), "{}").text, "x");
    let seen = testing::call(&Raw::default(), &FakeContext::new(), r#"{"a": 1}"#);
    assert_eq!(seen.kind.as_deref(), Some("InvalidArguments"));
}

#[test]
fn a_result_that_breaks_its_output_schema_is_a_bad_result() {
    let output = Some(json!({ "type": "integer" }));
    let good =
        Raw { output: output.clone(), result: ToolResult::new().structured(json!(1)), ..Raw::default() };
    assert!(!testing::call(&good, &FakeContext::new(), "{}").is_error);
    for result in [ToolResult::text("1"), ToolResult::new().structured(json!("1"))] {
        let bad = Raw { output: output.clone(), result, ..Raw::default() };
        assert_eq!(testing::call(&bad, &FakeContext::new(), "{}").kind.as_deref(), Some("BadResult"));
    }
}

#[test]
fn what_the_host_would_not_load_is_known_before() {
    let refused = |raw: Raw| admit(&[&raw]).expect_err("refused");
    assert_eq!(admit(&[&Raw::default(), &Raw { name: "other", ..Raw::default() }]), Ok(()));
    assert_eq!(admit(&[&Raw::default(), &Raw::default()]), Err("two tools are named 'raw'".to_owned()));
    assert_eq!(refused(Raw { name: "a b", ..Raw::default() }), "'a b' is not a tool's name");
    assert_eq!(refused(Raw { description: " ", ..Raw::default() }), "the tool 'raw' has no description");
    for input in [
        json!({ "type": "object" }),
        json!({ "type": "object", "properties": { "tenant_id": {} }, "additionalProperties": false }),
        json!({ "type": "object", "additionalProperties": false, "$ref": "https://example.com/s" }),
        json!("x"),
    ] {
        let fault = refused(Raw { input, ..Raw::default() });
        assert!(fault.starts_with("the input schema of 'raw': "), "{fault}");
    }
    let open = Raw { input: json!({ "type": "object" }), ..Raw::default() };
    assert_eq!(testing::call(&open, &FakeContext::new(), "{}").kind.as_deref(), Some("RefusedAtLoad"));
    let output = Some(json!({ "type": "nothing" }));
    assert!(refused(Raw { output, ..Raw::default() }).starts_with("the output schema of 'raw': "));
}
