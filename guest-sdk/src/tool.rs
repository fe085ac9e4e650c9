//! What a tool is beneath the `#[tool]` macro: a spec and a function from arguments to a reply.

use serde_json::Value;

use crate::content::Content;
use crate::context::Context;
use crate::failure::ToolError;
use crate::input::InputRequired;

/// One callable thing that a component offers.
///
/// `#[tool]` writes this from a function. Write it by hand where a schema is only known at run time:
///
/// ```
/// use toolhost_sdk::{json, Context, Reply, Tool, ToolError, ToolResult, ToolSpec};
///
/// struct Echo;
///
/// impl Tool for Echo {
///     fn name(&self) -> &str {
///         "echo"
///     }
///
///     fn spec(&self) -> ToolSpec {
///         let schema = json!({ "type": "object", "additionalProperties": false });
///         ToolSpec::new(self.name(), "Returns its arguments as text. No side effect.", schema)
///     }
///
///     fn call(&self, _ctx: &Context, arguments: &str) -> Result<Reply, ToolError> {
///         Ok(Reply::Done(ToolResult::text(arguments)))
///     }
/// }
///
/// toolhost_sdk::export!(Echo);
/// # fn main() {}
/// ```
pub trait Tool {
    /// The name, `[A-Za-z_][A-Za-z0-9_-]{0,47}`. The host refuses a component with another one.
    fn name(&self) -> &str;

    /// All that the host and a model are told about the tool. Called without a context: the answer is the same for
    /// every tenant, and each time.
    fn spec(&self) -> ToolSpec;

    /// Runs one call. `arguments` is the text of one JSON object, which the host has already checked against the
    /// input schema.
    ///
    /// # Errors
    /// What the model is told when the tool could not do its work.
    fn call(&self, ctx: &Context, arguments: &str) -> Result<Reply, ToolError>;
}

/// One tool as its component describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// The name, as [`Tool::name`].
    pub name: String,
    /// A short name for people.
    pub title: Option<String>,
    /// What the tool does, when not to use it, and whether it has a side effect.
    pub description: String,
    /// The JSON Schema (2020-12) of the arguments: an object that refuses unknown properties.
    pub input_schema: Value,
    /// The JSON Schema (2020-12) of the structured result.
    pub output_schema: Option<Value>,
    /// Hints about behaviour.
    pub annotations: Annotations,
    /// How the tool would like to be run.
    pub wishes: Wishes,
    /// Client capabilities without which the tool cannot work, such as `elicitation`.
    pub required_capabilities: Vec<String>,
    /// Examples of calls.
    pub examples: Vec<Example>,
}

impl ToolSpec {
    /// A spec with no hints, no wishes and no output schema.
    pub fn new(name: impl Into<String>, description: impl Into<String>, input_schema: Value) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: description.into(),
            input_schema,
            output_schema: None,
            annotations: Annotations::default(),
            wishes: Wishes::default(),
            required_capabilities: Vec::new(),
            examples: Vec::new(),
        }
    }
}

/// What a tool says about its behaviour. Hints: the operator decides what they count for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Annotations {
    /// The tool changes nothing outside its own call.
    pub read_only: bool,
    /// The tool may destroy or overwrite something.
    pub destructive: bool,
    /// Calling again with the same arguments changes nothing further.
    pub idempotent: bool,
    /// The tool reaches things that the operator does not control, such as the web.
    pub open_world: bool,
}

/// How a tool would like to be run. A wish can only make the operator's rule stricter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wishes {
    /// Ask a person before each call.
    pub requires_approval: bool,
    /// The longest that one attempt may take, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// The pool of executions that the tool would like to run in.
    pub pool: Option<String>,
    /// What to do with a lost attempt.
    pub delivery: Option<Delivery>,
    /// A template for the idempotency key, such as `refund:{order_id}`; names in braces are parameters.
    pub idempotency_key: Option<String>,
}

/// What happens to a side-effecting call whose attempt was lost in a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// It is never started again; the caller is told that the outcome is unknown.
    AtMostOnce,
    /// It is started again, a bounded number of times.
    AtLeastOnce,
}

/// One example of a call, for people and models.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// What the example shows.
    pub title: String,
    /// The arguments: a JSON object.
    pub arguments: Value,
}

/// How a call ended, when it did not fail.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// The tool is done.
    Done(ToolResult),
    /// The tool asks for input; the call is made again with the answers.
    InputRequired(InputRequired),
}

/// What a tool returns when it is done: blocks for the model to read, and a structured value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolResult {
    /// Blocks for the model to read, in order.
    pub content: Vec<Content>,
    /// The value that meets the output schema.
    pub structured: Option<Value>,
}

impl ToolResult {
    /// An empty result, to which blocks are added.
    pub fn new() -> Self {
        Self::default()
    }

    /// A result of one text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new().with(Content::text(text))
    }

    /// The same result with one more block.
    #[must_use]
    pub fn with(mut self, content: Content) -> Self {
        self.content.push(content);
        self
    }

    /// The same result with a structured value.
    #[must_use]
    pub fn structured(mut self, value: Value) -> Self {
        self.structured = Some(value);
        self
    }
}
