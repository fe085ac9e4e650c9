//! The closed list of ways in which a call fails. The code decides; texts are for readers and are never parsed.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::input::InputRequired;
use crate::id::ApprovalId;

/// The stable code of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Code {
    /// Gate 1: there is no such tool, or none that this caller may see.
    NoSuchTool,
    /// Gate 2: this caller may not use the tool.
    NotAllowed,
    /// Gate 3: the arguments are not one JSON object.
    BadJson,
    /// Gate 4: the arguments do not match the schema.
    BadArgs,
    /// Gate 5: a reviewer has to agree first.
    NeedsApproval,
    /// The reviewer said no, or nobody answered in time.
    ApprovalDenied,
    /// The attempt timeout or the deadline passed.
    Timeout,
    /// The caller went away.
    Cancelled,
    /// The CPU budget is used up.
    FuelExhausted,
    /// A cap on memory, tables or instances was reached.
    MemoryLimit,
    /// The tool reported a failure of its own.
    ToolError,
    /// The guest trapped or left without an answer.
    ToolCrashed,
    /// The result breaks its output schema, or is too large to be passed on.
    BadResult,
    /// The same key was used with other arguments.
    KeyConflict,
    /// Calls between tools nest too deep, or in a circle.
    InvokeLimit,
    /// There is no room for the call right now.
    Overloaded,
    /// A quota is used up.
    QuotaExceeded,
    /// An at-most-once call was lost: it may have taken effect.
    OutcomeUnknown,
    /// An at-least-once call kept dying.
    ExecutionAbandoned,
    /// A fault of the host's own.
    Internal,
}

impl Code {
    /// The code as it stands on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.texts().0
    }

    /// The type that a model is shown. A tool's own failure has the guest's kind instead.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        self.texts().1
    }

    /// Whether the same caller may succeed by trying again, unless the guest says otherwise.
    #[must_use]
    pub const fn retryable(self) -> bool {
        matches!(
            self,
            Self::NoSuchTool | Self::BadJson | Self::BadArgs | Self::Overloaded | Self::QuotaExceeded
        )
    }

    const fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::NoSuchTool => ("no_such_tool", "UnknownTool"),
            Self::NotAllowed => ("not_allowed", "NotAllowed"),
            Self::BadJson => ("bad_json", "InvalidJson"),
            Self::BadArgs => ("bad_args", "InvalidArguments"),
            Self::NeedsApproval => ("needs_approval", "ApprovalRequired"),
            Self::ApprovalDenied => ("approval_denied", "ApprovalDenied"),
            Self::Timeout => ("timeout", "Timeout"),
            Self::Cancelled => ("cancelled", "Cancelled"),
            Self::FuelExhausted => ("fuel_exhausted", "FuelExhausted"),
            Self::MemoryLimit => ("memory_limit", "MemoryLimit"),
            Self::ToolError => ("tool_error", "ToolError"),
            Self::ToolCrashed => ("tool_crashed", "ToolCrashed"),
            Self::BadResult => ("bad_result", "BadResult"),
            Self::KeyConflict => ("key_conflict", "KeyConflict"),
            Self::InvokeLimit => ("invoke_limit", "InvokeLimit"),
            Self::Overloaded => ("overloaded", "Overloaded"),
            Self::QuotaExceeded => ("quota_exceeded", "QuotaExceeded"),
            Self::OutcomeUnknown => ("outcome_unknown", "OutcomeUnknown"),
            Self::ExecutionAbandoned => ("execution_abandoned", "ExecutionAbandoned"),
            Self::Internal => ("internal", "Internal"),
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The five gates, in the order in which they are passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// The tool is there.
    Exists = 1,
    /// The caller may use it.
    Allowed,
    /// The arguments are one JSON object.
    Json,
    /// The arguments match the schema.
    Schema,
    /// A reviewer agreed, where one is asked.
    Approved,
}

impl Gate {
    /// All gates, in order.
    pub const ALL: [Self; 5] = [Self::Exists, Self::Allowed, Self::Json, Self::Schema, Self::Approved];

    /// The gate's place in the order, from 1.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The gate's name on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exists => "exists",
            Self::Allowed => "allowed",
            Self::Json => "json",
            Self::Schema => "schema",
            Self::Approved => "approved",
        }
    }
}

/// A call that did not succeed. The message is for the caller and its model; `operator` is for the log alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{message}")]
#[non_exhaustive]
pub struct Failure {
    /// The stable code.
    pub code: Code,
    /// The type that a model is shown.
    pub kind: String,
    /// What a model is told.
    pub message: String,
    /// Whether the same caller may succeed by trying again.
    pub retryable: bool,
    /// How long to wait before that, in milliseconds.
    pub retry_after_ms: Option<u64>,
    /// The gate that refused.
    pub gate: Option<Gate>,
    /// JSON pointers (RFC 6901) of the arguments at fault.
    pub pointers: Vec<String>,
    /// The tool may have had its side effect all the same.
    pub may_have_taken_effect: bool,
    /// What the tool asks of the client before it can go on. Such an end is none: the call goes on with the answers.
    #[serde(skip)]
    pub input: Option<Box<InputRequired>>,
    /// The question that a reviewer has to answer.
    #[serde(skip)]
    pub approval: Option<ApprovalId>,
    /// What an operator needs to know, never shown to a caller.
    #[serde(skip)]
    pub operator: Option<String>,
}

impl Failure {
    /// A failure with the code's own type and retryability.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            kind: code.kind().to_owned(),
            message: message.into(),
            retryable: code.retryable(),
            retry_after_ms: None,
            gate: None,
            pointers: Vec::new(),
            may_have_taken_effect: false,
            input: None,
            approval: None,
            operator: None,
        }
    }

    /// A fault of the host's own: the caller learns the call id, the operator the reason.
    pub fn internal(call: &crate::id::CallId, operator: impl fmt::Display) -> Self {
        let message = format!("The host failed to run this call. Report the call id {call} to the operator.");
        Self { operator: Some(operator.to_string()), ..Self::new(Code::Internal, message) }
    }

    /// The time that a call, or one attempt of it, was given is over.
    #[must_use]
    pub fn timed_out(after: Duration) -> Self {
        Self::new(Code::Timeout, format!("timed out after {}", spoken(after)))
    }

    /// The same, where nobody knows whether the tool had its side effect.
    #[must_use]
    pub fn unsure(self) -> Self {
        Self { may_have_taken_effect: true, ..self }
    }

    /// The same, refused at a gate.
    #[must_use]
    pub fn at(self, gate: Gate) -> Self {
        Self { gate: Some(gate), ..self }
    }

    /// The text that stands in the result's content: `Error (TYPE): message`.
    #[must_use]
    pub fn text(&self) -> String {
        format!("Error ({}): {}", self.kind, self.message)
    }
}

/// A duration as people say it: `10s`, `250ms`, `1.5s`.
fn spoken(duration: Duration) -> String {
    if duration.as_millis() < 1_000 {
        format!("{}ms", duration.as_millis())
    } else {
        format!("{}s", duration.as_millis() as f64 / 1_000.0)
    }
}
