//! Tests of a tool as plain Rust, without a host and without WebAssembly.
//!
//! The arguments are checked by the code that the host uses, so that a test reads exactly the words that a model
//! would read.
//!
//! ```
//! use toolhost_sdk::testing::{self, FakeContext};
//! use toolhost_sdk::{Context, tool};
//!
//! /// Greets a person. No side effect.
//! #[tool(read_only)]
//! fn greet(ctx: &Context, name: String) -> String {
//!     format!("Hello {name}, from {}", ctx.tenant_id())
//! }
//!
//! let acme = FakeContext::new().tenant("acme");
//! assert_eq!(testing::call(&greet {}, &acme, r#"{"name": "Ada"}"#).text, "Hello Ada, from acme");
//! assert_eq!(
//!     testing::call(&greet {}, &acme, r#"{"nmae": "Ada"}"#).kind.as_deref(),
//!     Some("InvalidArguments")
//! );
//! ```

mod admission;
mod fake;

use serde_json::Value;
use toolhost_check::{Arguments, Schema, SchemaLimits};

pub use self::admission::admit;
pub use self::fake::{FakeContext, Progress};
use crate::content::Content;
use crate::failure::ToolError;
use crate::input::InputRequired;
use crate::tool::{Reply, Tool, ToolResult};

/// Runs one call as the host would: the arguments have to be one JSON object that matches the schema, and the result
/// has to match the output schema. What only an operator's configuration decides is left out: who may call,
/// approval, limits, and the cutting of long texts.
pub fn call(tool: &dyn Tool, context: &FakeContext, arguments: &str) -> Seen {
    match run(tool, context, arguments) {
        Ok(Reply::Done(result)) => Seen::result(result),
        Ok(Reply::InputRequired(question)) => Seen { asks: Some(question), ..Seen::default() },
        Err(error) => Seen::failure(&error),
    }
}

fn run(tool: &dyn Tool, context: &FakeContext, arguments: &str) -> Result<Reply, ToolError> {
    let input = admission::input_schema(tool).map_err(|fault| refused_at_load(&fault))?;
    let output = admission::output_schema(tool).map_err(|fault| refused_at_load(&fault))?;
    let name = tool.name();
    // Whoever sends other arguments may succeed, hence retryable as at the host's gates.
    let refused =
        |refusal: toolhost_check::Refusal| ToolError::with_kind(refusal.kind, refusal.message).retryable();
    let checked = Arguments::parse(name, arguments).map_err(refused)?;
    input.check(name, &checked).map_err(refused)?;
    let reply = tool.call(&context.context(), arguments)?;
    if let (Some(schema), Reply::Done(result)) = (output, &reply) {
        check_result(name, &schema, result)?;
    }
    Ok(reply)
}

fn check_result(name: &str, schema: &Schema, result: &ToolResult) -> Result<(), ToolError> {
    let Some(value) = &result.structured else {
        let message =
            format!("The result of '{name}' has no structured value, and its output schema asks for one.");
        return Err(ToolError::with_kind("BadResult", message));
    };
    schema.check_value(value).map_err(|faults| {
        ToolError::with_kind(
            "BadResult",
            format!("The result of '{name}' does not match its output schema. {faults}"),
        )
    })
}

fn refused_at_load(fault: &str) -> ToolError {
    ToolError::with_kind("RefusedAtLoad", format!("The host would not load this tool: {fault}"))
}

/// The limits under which the host takes a tool's schemas by default.
const LIMITS: &SchemaLimits = &SchemaLimits::TOOL;

/// What a model would be shown of one call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seen {
    /// The text, as the model reads it: the text blocks of a result, or `Error (KIND): MESSAGE`.
    pub text: String,
    /// Whether the call failed.
    pub is_error: bool,
    /// The kind of failure.
    pub kind: Option<String>,
    /// Whether the model is told that the same call may succeed later.
    pub retryable: bool,
    /// The structured value of a result.
    pub structured: Option<Value>,
    /// The blocks of a result.
    pub content: Vec<Content>,
    /// What the tool asks, where it needs input before it can go on.
    pub asks: Option<InputRequired>,
}

impl Seen {
    fn result(result: ToolResult) -> Self {
        let texts: Vec<&str> = result
            .content
            .iter()
            .filter_map(|block| if let Content::Text(text) = block { Some(text.as_str()) } else { None })
            .collect();
        Self {
            text: texts.join("\n"),
            structured: result.structured,
            content: result.content,
            ..Self::default()
        }
    }

    fn failure(error: &ToolError) -> Self {
        Self {
            text: format!("Error ({}): {}", error.kind(), error.message()),
            is_error: true,
            kind: Some(error.kind().to_owned()),
            retryable: error.is_retryable(),
            ..Self::default()
        }
    }
}
