//! The shapes of approvals and of what supervisors ask, for the document alone.

#![expect(dead_code, reason = "shapes are described and never made")]

use serde_json::Value;
use utoipa::ToSchema;

use super::shapes::{no, yes};

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
