//! How a call ended, in the one form that every surface shows.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::content::{Content, same_raw};
use super::failure::Failure;
use crate::id::CallId;

/// What a call used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Time from admission to the end, in milliseconds.
    pub wall_ms: u64,
    /// Fuel burnt by the guest.
    pub fuel: u64,
    /// The most memory that the guest held, in bytes.
    pub memory_peak_bytes: u64,
}

/// A result that passed every check.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Success {
    /// Blocks for the model to read, cut to the limit.
    pub content: Vec<Content>,
    /// The structured value, with every digit that the guest wrote.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub structured: Option<Box<RawValue>>,
    /// Text was cut.
    pub truncated: bool,
}

/// A value of `null` is one, and not the same as none.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

impl PartialEq for Success {
    fn eq(&self, other: &Self) -> bool {
        self.content == other.content
            && self.truncated == other.truncated
            && same_raw(self.structured.as_deref(), other.structured.as_deref())
    }
}

/// How one call ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The call.
    pub call_id: CallId,
    /// The tool as the caller named it.
    pub tool: String,
    /// The attempt that decided, from 1; 0 if none was made.
    pub attempt: u32,
    /// The outcome is that of an earlier call with the same key.
    pub replayed: bool,
    /// What the call used.
    pub usage: Usage,
    /// The result, or why there is none.
    pub result: Result<Success, Failure>,
}

impl Outcome {
    /// The stable code: `ok`, or the failure's.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match &self.result {
            Ok(_) => "ok",
            Err(failure) => failure.code.as_str(),
        }
    }
}
