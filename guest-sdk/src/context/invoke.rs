//! What a call to another tool came to.

use std::fmt;

use serde_json::Value;

use crate::content::Content;

/// What another tool returned.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Invoked {
    /// Blocks for the model to read.
    pub content: Vec<Content>,
    /// The structured value.
    pub structured: Option<Value>,
    /// The content was cut.
    pub truncated: bool,
}

impl Invoked {
    /// The text blocks, one after the other with a line break between them.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self
            .content
            .iter()
            .filter_map(|block| if let Content::Text(text) = block { Some(text.as_str()) } else { None })
            .collect();
        texts.join("\n")
    }
}

/// Why another tool did not return a result. Its text is the one that a model would be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvokeError {
    /// The host's stable code, such as `not_allowed` or `tool_error`.
    pub code: String,
    /// The type that a model is shown.
    pub kind: String,
    /// The text that a model is shown.
    pub message: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// How long to wait before that, in milliseconds.
    pub retry_after_ms: Option<u64>,
    /// The other tool may have had its side effect all the same.
    pub may_have_taken_effect: bool,
}

impl InvokeError {
    pub(super) fn arguments(tool: &str, reason: &str) -> Self {
        Self {
            code: "bad_args".to_owned(),
            kind: "InvalidArguments".to_owned(),
            message: format!("The arguments for '{tool}' cannot be written as JSON: {reason}."),
            retryable: false,
            retry_after_ms: None,
            may_have_taken_effect: false,
        }
    }
}

impl fmt::Display for InvokeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for InvokeError {}
