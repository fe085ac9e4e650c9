//! What a tool asks of the client or of the person behind it before it can go on.

use std::fmt;

/// What may be asked: the methods of MCP 2026-07-28 that a result may ask a client for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InputMethod {
    /// The person fills in a form.
    Elicit,
    /// The client's model writes a message.
    Sample,
    /// The client names its folders.
    ListRoots,
}

impl InputMethod {
    /// All methods.
    pub const ALL: [Self; 3] = [Self::Elicit, Self::Sample, Self::ListRoots];

    /// The method's name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Elicit => "elicitation/create",
            Self::Sample => "sampling/createMessage",
            Self::ListRoots => "roots/list",
        }
    }

    /// The client capability without which the method is not asked for.
    #[must_use]
    pub const fn capability(self) -> &'static str {
        match self {
            Self::Elicit => "elicitation",
            Self::Sample => "sampling",
            Self::ListRoots => "roots",
        }
    }
}

impl fmt::Display for InputMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One thing that is asked, as a guest wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawRequest {
    /// A name for it.
    pub id: String,
    /// The method.
    pub method: String,
    /// The method's parameters: JSON text.
    pub params: String,
}

/// One thing that is asked, after it was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputRequest {
    /// A name for it, unique among those that are asked together.
    pub id: String,
    /// The method.
    pub method: InputMethod,
    /// The method's parameters: the text of one JSON object.
    pub params: String,
}

/// What a tool asks for, and what the client sends back with the answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputRequired {
    /// What is asked; nothing, if the client can be asked nothing of it.
    pub requests: Vec<InputRequest>,
    /// The state of the call, sealed; none for a tool that needs none and has no side effect.
    pub state: Option<String>,
}

/// A client's answer to one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputAnswer {
    /// The request's name.
    pub id: String,
    /// The client's result: the text of one JSON object.
    pub value: String,
}
