//! Questions that a tool asks of the client or of the person behind it, and the answers.

use serde_json::Value;

/// What a tool returns when it needs input before it can go on. It must have had no side effect yet: until it returns a
/// result, the host may run the call again from its beginning. The call is made again with the answers, which
/// [`crate::Context::answer`] gives, and with the state, which [`crate::Context::state`] gives.
///
/// ```
/// use toolhost_sdk::{json, InputRequired};
///
/// let question = InputRequired::new()
///     .ask("size", "elicitation/create", json!({ "message": "Which size?", "requestedSchema": { "type": "object" } }))
///     .with_state(b"step 2".as_slice());
/// # assert_eq!(question.requests.len(), 1);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InputRequired {
    /// What is asked; at least one.
    pub requests: Vec<InputRequest>,
    /// Bytes that the host seals and gives back with the answers.
    pub state: Option<Vec<u8>>,
}

impl InputRequired {
    /// No question yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with one more request: an id that is unique within the reply, an MCP method such as
    /// `elicitation/create`, and the method's parameters as a JSON object.
    #[must_use]
    pub fn ask(mut self, id: impl Into<String>, method: impl Into<String>, params: Value) -> Self {
        self.requests.push(InputRequest { id: id.into(), method: method.into(), params });
        self
    }

    /// The same with bytes that the host seals and gives back with the answers.
    #[must_use]
    pub fn with_state(mut self, state: impl Into<Vec<u8>>) -> Self {
        self.state = Some(state.into());
        self
    }
}

/// One thing that the tool asks.
#[derive(Debug, Clone, PartialEq)]
pub struct InputRequest {
    /// A name for this request, unique within the reply.
    pub id: String,
    /// The MCP method, such as `elicitation/create`.
    pub method: String,
    /// The method's parameters: a JSON object.
    pub params: Value,
}

/// An answer to an earlier input request.
#[derive(Debug, Clone, PartialEq)]
pub struct InputAnswer {
    /// The id of the request that is answered.
    pub id: String,
    /// The client's result, as MCP defines it for the request's method.
    pub value: Value,
}
