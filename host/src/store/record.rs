//! The audit record and trace of one call, as it is written and as it is read back.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::id::{CallId, Digest, RunId, TenantId, UserId};
use crate::spec::Gate;

/// The code of a call that has begun and has not ended. No surface ever answers with it.
pub const EXECUTING: &str = "executing";

/// Something that happened during a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceEvent {
    /// When, in microseconds since the call began.
    pub offset_us: u64,
    /// What happened, in one word of the host's own.
    pub name: Cow<'static, str>,
    /// More about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// What is known of a side-effecting call before its tool starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallStart {
    /// The call.
    pub call_id: CallId,
    /// Whose call it is.
    pub tenant: TenantId,
    /// The person or program behind it.
    pub user: Option<UserId>,
    /// What it belongs to.
    pub run: RunId,
    /// The tool as the caller named it.
    pub tool: String,
    /// The component that runs.
    pub component: Option<Digest>,
    /// The way in: `cli`, `mcp` or `http`.
    pub surface: &'static str,
    /// When the call came in, by [`now_unix_ms`](super::now_unix_ms).
    pub started_unix_ms: u64,
    /// The attempt that begins, from 1.
    pub attempt: u32,
    /// The arguments exactly as they were given.
    pub arguments: String,
}

/// One call from its beginning to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRecord {
    /// The call.
    pub call_id: CallId,
    /// Whose call it was.
    pub tenant: TenantId,
    /// The person or program behind it.
    pub user: Option<UserId>,
    /// What it belonged to.
    pub run: RunId,
    /// The tool as the caller named it, which need not exist.
    pub tool: String,
    /// The component that was to run; none if no tool was found.
    pub component: Option<Digest>,
    /// The way in: `cli`, `mcp` or `http`.
    pub surface: &'static str,
    /// The tool was to be taken as having a side effect.
    pub side_effect: bool,
    /// When the call came in, by [`now_unix_ms`](super::now_unix_ms).
    pub started_unix_ms: u64,
    /// From the beginning to the end, in milliseconds.
    pub wall_ms: u64,
    /// Fuel burnt by the guest.
    pub fuel: u64,
    /// The most memory that the guest held, in bytes.
    pub memory_peak_bytes: u64,
    /// The attempt that decided, from 1; 0 if none was made.
    pub attempt: u32,
    /// `ok`, a failure's code, or [`EXECUTING`].
    pub code: Cow<'static, str>,
    /// The gate that refused.
    pub gate: Option<Gate>,
    /// The type of failure that the caller was shown.
    pub kind: Option<String>,
    /// The message that the caller was shown.
    pub message: Option<String>,
    /// What only operators are told.
    pub operator: Option<String>,
    /// The arguments exactly as they were given, however broken.
    pub arguments: String,
    /// The content that the guest returned, before anything was cut, as JSON text.
    pub raw_content: Option<String>,
    /// The structured value that the guest returned, exactly as it wrote it.
    pub raw_structured: Option<String>,
    /// What happened on the way, in order.
    pub events: Vec<TraceEvent>,
}

impl CallStart {
    pub(super) fn into_record(self, code: &'static str) -> CallRecord {
        CallRecord {
            call_id: self.call_id,
            tenant: self.tenant,
            user: self.user,
            run: self.run,
            tool: self.tool,
            component: self.component,
            surface: self.surface,
            side_effect: true,
            started_unix_ms: self.started_unix_ms,
            wall_ms: 0,
            fuel: 0,
            memory_peak_bytes: 0,
            attempt: self.attempt,
            code: Cow::Borrowed(code),
            gate: None,
            kind: None,
            message: None,
            operator: None,
            arguments: self.arguments,
            raw_content: None,
            raw_structured: None,
            events: Vec::new(),
        }
    }
}
