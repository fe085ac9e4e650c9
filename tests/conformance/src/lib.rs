//! The tools that the official MCP conformance suite calls. Their names, and what they return, are the suite's.
//!
//! The fixtures that need a resource, a prompt or a task are not here.

mod input;
mod media;
mod special;

use std::thread::sleep;
use std::time::Duration;

use toolhost_sdk::{Content, Context, InputRequired, Resource, ResourceBody, ToolError, json, tool};

pub use self::input::{
    test_input_required_result_capabilities, test_input_required_result_elicitation,
    test_input_required_result_list_roots, test_input_required_result_multi_round,
    test_input_required_result_multiple_inputs, test_input_required_result_request_state,
    test_input_required_result_sampling, test_input_required_result_tampered_state,
};
pub use self::special::{CustomHeader, JsonSchema202012, MissingCapability};

/// How long the suite wants to see a tool at work between two messages.
const PAUSE: Duration = Duration::from_millis(50);

/// Returns one text. For the conformance suite; it has no side effect.
#[tool(read_only, idempotent)]
fn test_simple_text() -> Content {
    Content::text("This is a simple text response for testing.")
}

/// Returns one image. For the conformance suite; it has no side effect.
#[tool(read_only, idempotent)]
fn test_image_content() -> Content {
    Content::image("image/png", media::RED_PIXEL)
}

/// Returns one sound. For the conformance suite; it has no side effect.
#[tool(read_only, idempotent)]
fn test_audio_content() -> Content {
    Content::audio("audio/wav", media::SILENCE)
}

/// Returns one resource with its contents. For the conformance suite; it has no side effect.
#[tool(read_only, idempotent)]
fn test_embedded_resource() -> Content {
    text_resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")
}

/// Returns a text, an image and a resource. For the conformance suite; it has no side effect.
#[tool(read_only, idempotent)]
fn test_multiple_content_types() -> Vec<Content> {
    vec![
        Content::text("Multiple content types test:"),
        Content::image("image/png", media::RED_PIXEL),
        text_resource("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#),
    ]
}

/// Fails each time. For the conformance suite; it has no side effect.
#[tool(read_only, idempotent)]
fn test_error_handling() -> Result<Content, ToolError> {
    Err(ToolError::new("This tool intentionally returns an error for testing"))
}

/// Reports its progress in three steps. For the conformance suite; it has no side effect.
#[tool(read_only, idempotent)]
fn test_tool_with_progress(ctx: &Context) -> Content {
    ctx.progress(0.0, Some(100.0), None);
    sleep(PAUSE);
    ctx.progress(50.0, Some(100.0), None);
    sleep(PAUSE);
    ctx.progress(100.0, Some(100.0), None);
    Content::text("All three steps are done.")
}

/// Writes to the operator's log, of which a client that asked for no log level must see nothing. For the conformance
/// suite; it has no side effect.
#[tool(read_only, idempotent)]
fn test_logging_tool(ctx: &Context) -> Content {
    ctx.info("Tool execution started");
    sleep(PAUSE);
    ctx.info("Tool processing data");
    sleep(PAUSE);
    ctx.info("Tool execution completed");
    Content::text("The log has three messages.")
}

/// Asks for a name after some progress. For the conformance suite, which looks for requests of the server's own on the
/// answer's stream; it has no side effect.
#[tool(read_only, idempotent)]
fn test_streaming_elicitation(ctx: &Context) -> InputRequired {
    ctx.progress(0.0, Some(1.0), None);
    sleep(PAUSE);
    let schema =
        json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
    let question = json!({ "message": "What is your name?", "requestedSchema": schema });
    InputRequired::new().ask("name", "elicitation/create", question)
}

toolhost_sdk::export!(
    test_simple_text,
    test_image_content,
    test_audio_content,
    test_embedded_resource,
    test_multiple_content_types,
    test_error_handling,
    test_tool_with_progress,
    test_logging_tool,
    test_streaming_elicitation,
    CustomHeader,
    JsonSchema202012,
    MissingCapability,
    test_input_required_result_capabilities,
    test_input_required_result_elicitation,
    test_input_required_result_list_roots,
    test_input_required_result_multi_round,
    test_input_required_result_multiple_inputs,
    test_input_required_result_request_state,
    test_input_required_result_sampling,
    test_input_required_result_tampered_state,
);

fn text_resource(uri: &str, mime_type: &str, text: &str) -> Content {
    let body = ResourceBody::Text(text.to_owned());
    Content::Resource(Resource { uri: uri.to_owned(), mime_type: Some(mime_type.to_owned()), body })
}

#[cfg(test)]
mod tests {
    use toolhost_sdk::Tool;
    use toolhost_sdk::testing::{self, FakeContext};

    use super::*;

    #[test]
    fn the_host_takes_all_of_them() {
        let tools: [&dyn Tool; 12] = [
            &test_simple_text {},
            &test_image_content {},
            &test_audio_content {},
            &test_embedded_resource {},
            &test_multiple_content_types {},
            &test_error_handling {},
            &test_tool_with_progress {},
            &test_logging_tool {},
            &test_streaming_elicitation {},
            &CustomHeader {},
            &JsonSchema202012 {},
            &MissingCapability {},
        ];
        assert_eq!(testing::admit(&tools), Ok(()));
    }

    #[test]
    fn conditions_of_the_schema_hold() {
        let ask = |arguments| testing::call(&JsonSchema202012 {}, &FakeContext::new(), arguments).is_error;
        assert!(!ask(r#"{"contactMethod": "phone", "phone": "1"}"#));
        assert!(ask(r#"{"contactMethod": "phone", "email": "a@b.example"}"#));
        assert!(ask(r#"{"contactMethod": "fax", "phone": "1", "email": "a@b.example"}"#));
    }
}
