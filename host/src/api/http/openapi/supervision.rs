//! The shapes of records, verdicts and approvals, and of what supervisors ask, for the document alone.

#![expect(dead_code, reason = "shapes are described and never made")]

use serde_json::Value;
use utoipa::ToSchema;

use super::shapes::{Pattern, Usage, no, yes};

/// A tenant's calls, the latest first.
#[derive(ToSchema)]
pub(super) struct CallList {
    calls: Vec<CallSummary>,
    /// What to give as `before` for the next page; null after the last. A page may be short, or empty, and not be the last.
    #[schema(required)]
    next: Option<String>,
}

/// A call as a list shows it.
#[derive(ToSchema)]
pub(super) struct CallSummary {
    call_id: String,
    #[schema(required)]
    user: Option<String>,
    run: String,
    tool: String,
    surface: String,
    side_effect: bool,
    started_unix_ms: u64,
    wall_ms: u64,
    attempt: u32,
    /// `ok`, a failure's code, or `executing`.
    code: String,
}

/// A call's record and trace.
#[derive(ToSchema)]
pub(super) struct Trace {
    call_id: String,
    tenant: String,
    #[schema(required)]
    user: Option<String>,
    run: String,
    tool: String,
    /// The digest of the component that was to run.
    #[schema(required)]
    component: Option<String>,
    surface: String,
    side_effect: bool,
    started_unix_ms: u64,
    attempt: u32,
    code: String,
    #[schema(required)]
    gate: Option<String>,
    #[schema(required)]
    r#type: Option<String>,
    #[schema(required)]
    message: Option<String>,
    /// Shown to operators alone.
    operator: Option<String>,
    usage: Usage,
    /// The arguments as they were given, as text.
    arguments: String,
    /// What the guest returned before anything was cut, as JSON text.
    #[schema(required)]
    raw_content: Option<String>,
    #[schema(required)]
    raw_structured: Option<String>,
    events: Vec<TraceEvent>,
}

/// Something that happened during a call.
#[derive(ToSchema)]
pub(super) struct TraceEvent {
    /// Since the call began, in microseconds.
    offset_us: u64,
    name: String,
    detail: String,
}

/// What an operator asks about a call.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Question {
    tool: String,
    /// One JSON object; without any it is `{}`.
    #[schema(nullable = false, required = false)]
    arguments: Value,
    /// The request's own narrower list of tools.
    #[schema(nullable = false, inline)]
    allow: Option<Vec<Pattern>>,
    /// Whose call it would be; without it the operator's own tenant's.
    #[schema(nullable = false)]
    tenant: Option<String>,
    #[schema(
        nullable = false,
        min_length = 1,
        max_length = 128,
        pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$"
    )]
    user: Option<String>,
}

/// What each gate would say, in order.
#[derive(ToSchema)]
pub(super) struct Verdicts {
    verdicts: Vec<Verdict>,
}

/// One gate's verdict.
#[derive(ToSchema)]
pub(super) struct Verdict {
    gate: u8,
    name: String,
    /// Null where an earlier gate refused.
    #[schema(required)]
    passed: Option<bool>,
    /// The rule that decided.
    rule: String,
    /// What the caller would be told.
    #[schema(required)]
    message: Option<String>,
}

/// Questions to reviewers, the newest first.
#[derive(ToSchema)]
pub(super) struct Approvals {
    approvals: Vec<Approval>,
}

/// A question to a reviewer, and what became of it.
#[derive(ToSchema)]
pub(super) struct Approval {
    id: String,
    state: String,
    tenant: String,
    #[schema(required)]
    user: Option<String>,
    tool: String,
    component: String,
    arguments: String,
    /// A list cuts them; the question by itself has them whole.
    arguments_cut: bool,
    #[schema(required)]
    edited_arguments: Option<String>,
    created_unix_ms: u64,
    expires_unix_ms: u64,
    #[schema(required)]
    decided_unix_ms: Option<u64>,
    #[schema(required)]
    decided_by: Option<String>,
    #[schema(required)]
    reason: Option<String>,
}

/// A reviewer's decision.
#[derive(ToSchema)]
#[serde(untagged)]
pub(super) enum Decision {
    Approve(Approve),
    Deny(Deny),
}

/// Lets the very call run, once.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Approve {
    #[schema(schema_with = yes)]
    approve: bool,
    #[schema(min_length = 1, max_length = 500, pattern = r"^[!-~]([ -~]*[!-~])?$")]
    reason: Option<String>,
    /// What the call runs with instead of its own arguments.
    #[schema(value_type = Object, nullable = false, required = false)]
    arguments: Option<Value>,
}

/// Refuses the call.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Deny {
    #[schema(schema_with = no)]
    approve: bool,
    /// Why not. The caller is told.
    #[schema(min_length = 1, max_length = 500, pattern = r"^[!-~]([ -~]*[!-~])?$")]
    reason: String,
}

/// The process answers.
#[derive(ToSchema)]
pub(super) struct Healthy {
    ok: bool,
}

/// Whether the host can do its work.
#[derive(ToSchema)]
pub(super) struct Ready {
    ready: bool,
    reasons: Vec<Reason>,
    n_tools: u64,
    n_running: u64,
    /// Of those on the same store; null if it does not answer.
    #[schema(required)]
    n_hosts_with_other_tools: Option<u64>,
    n_refused_components: u64,
}

/// Why it cannot.
#[derive(ToSchema)]
pub(super) struct Reason {
    code: String,
    message: String,
}
