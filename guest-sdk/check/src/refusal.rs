//! The answer of gates 3 and 4 when they say no.
//!
//! It owns the two message templates, because a model reads them word for word and the same words must come from
//! the host and from a tool author's own tests. It knows no wire and no gate number.

use std::fmt;

use crate::json;
use crate::schema::Faults;

/// Why arguments were refused, in words that a model can act on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Refusal {
    /// The stable code: `bad_json` or `bad_args`.
    pub code: &'static str,
    /// The type shown to a model: `InvalidJson` or `InvalidArguments`.
    pub kind: &'static str,
    /// The whole message, ready to be shown.
    pub message: String,
    /// JSON pointers of the faulty places, in the order of the message; empty for `bad_json`.
    pub pointers: Vec<String>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Refusal {
    /// The refusal of gate 3: the text is not one JSON object within the bounds.
    #[must_use]
    pub fn bad_json(tool: &str, fault: &json::Fault) -> Self {
        Self {
            code: "bad_json",
            kind: "InvalidJson",
            message: format!("The arguments for '{tool}' are not valid JSON: {fault}. Send one JSON object."),
            pointers: Vec::new(),
        }
    }

    /// The refusal of gate 4: the arguments do not match the tool's schema.
    #[must_use]
    pub fn bad_args(tool: &str, faults: &Faults) -> Self {
        Self {
            code: "bad_args",
            kind: "InvalidArguments",
            message: format!(
                "The arguments for '{tool}' do not match its schema. {faults} Fix those fields and call the tool again."
            ),
            pointers: faults.pointers(),
        }
    }
}
