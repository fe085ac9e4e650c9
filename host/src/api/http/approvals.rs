//! `/v1/approvals`: what waits for a reviewer, and the reviewer's answers. `GET` lists the tenant's questions that are
//! open, or all with `?all=true`; `GET /v1/approvals/{id}` shows one whole, and `POST` there with
//! `{approve, reason, arguments}` decides it; `arguments` are those that the call runs with instead of its own.
//!
//! Approvers of the tenant decide. Its callers see the questions, and decide about their own calls only if the tenant's
//! settings let them. Operators see the questions of all tenants.

use axum::Json;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::answers::{failed, read, refused};
use crate::api::batch::present;
use crate::api::identity::{Principal, REASON_CHARS};
use crate::api::view;
use crate::executor::Host;
use crate::gate::check_edit;
use crate::id::ApprovalId;
use crate::spec::is_clean;
use crate::store::{Approval, DecideError, Decision, StoreError};

/// A reviewer's answer, as it is sent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    approve: bool,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default, deserialize_with = "present")]
    arguments: Option<Box<RawValue>>,
}

/// The tenant's questions, and for an operator those of all, newest first, at most 1,000, with their arguments cut to 2,000 characters.
pub(super) async fn list(host: &Host, reader: &Principal, query: Option<&str>) -> Response {
    let all = match query {
        None | Some("" | "all=false") => false,
        Some("all=true") => true,
        Some(_) => return refused("the query has to be all=true, or nothing"),
    };
    let tenant = (!reader.roles.operator).then_some(&reader.tenant.id);
    match host.store().approvals().list(tenant, !all).await {
        Ok(found) => {
            let approvals: Vec<Value> = found.iter().map(view::approval).collect();
            Json(json!({"approvals": approvals})).into_response()
        }
        Err(fault) => unavailable(&fault),
    }
}

/// One question of the tenant, with all of its arguments.
pub(super) async fn show(host: &Host, reader: &Principal, id: &str) -> Response {
    match find(host, reader, id).await {
        Ok(asked) => Json(view::approval(&asked)).into_response(),
        Err(refusal) => refusal,
    }
}

/// A question of another tenant is answered as one that never was.
async fn find(host: &Host, reader: &Principal, id: &str) -> Result<Approval, Response> {
    let Ok(id) = id.parse::<ApprovalId>() else { return Err(no_such_approval()) };
    match host.store().approvals().get(&id).await {
        Ok(Some(asked)) if reader.roles.operator || asked.binding.tenant == reader.tenant.id => Ok(asked),
        Ok(_) => Err(no_such_approval()),
        Err(fault) => Err(unavailable(&fault)),
    }
}

/// Takes a decision down. Of two the first counts, and the second is told so.
pub(super) async fn decide(host: &Host, reader: &Principal, id: &str, parts: &Parts, body: Body) -> Response {
    let text = match read(parts, body).await {
        Ok(text) => text,
        Err(refusal) => return refusal,
    };
    let answer: Answer = match serde_json::from_slice(&text) {
        Ok(answer) => answer,
        Err(fault) => {
            let fault: String = fault.to_string().chars().take(REASON_CHARS).collect();
            return refused(&format!("the answer cannot be read: {fault}"));
        }
    };
    let reason = answer.reason.as_deref();
    if let Err(fault) = check_reason(answer.approve, reason) {
        return refused(fault);
    }
    let edited = answer.arguments.as_deref().map(RawValue::get);
    let asked = match find(host, reader, id).await {
        Ok(asked) => asked,
        Err(refusal) => return refusal,
    };
    let id = asked.id;
    let Some(approver) = reader.decides(&asked.binding) else {
        let text = "This key or token may not decide about that call. One of an approver of its tenant is needed, who did \
                    not make the call.";
        return failed(StatusCode::FORBIDDEN, "forbidden", text);
    };
    let decision = match reason {
        Some(reason) if !answer.approve => Decision::Deny { reason },
        reason => Decision::Approve { reason, edited },
    };
    if let Some(edited) = edited {
        if !answer.approve {
            return refused("a denial changes no arguments");
        }
        if let Err(fault) = check_edit(&asked.binding.tool, edited, &host.tools()) {
            return refused(&fault.message);
        }
    }
    match host.store().approvals().decide(&id, &approver, decision).await {
        Ok(decided) => Json(view::approval(&decided.approval)).into_response(),
        Err(DecideError::NotFound(_)) => no_such_approval(),
        Err(fault @ DecideError::NotPending { .. }) => {
            failed(StatusCode::CONFLICT, "not_pending", &fault.to_string())
        }
        Err(DecideError::Store(fault)) => unavailable(&fault),
    }
}

fn check_reason(approve: bool, reason: Option<&str>) -> Result<(), &'static str> {
    match reason {
        None if approve => Ok(()),
        None => Err("a denial needs a reason, which the caller is told"),
        Some(text) if text.trim().is_empty() || text.chars().count() > REASON_CHARS => {
            Err("a reason has 1 to 500 characters")
        }
        Some(text) if !is_clean(text) => Err("the reason has control characters in it"),
        Some(_) => Ok(()),
    }
}

fn no_such_approval() -> Response {
    let text = "There is no such approval. GET /v1/approvals lists those that are open.";
    failed(StatusCode::NOT_FOUND, "no_such_approval", text)
}

fn unavailable(fault: &StoreError) -> Response {
    tracing::error!(%fault, "approvals cannot be read or decided");
    let text = "The store does not answer. Try again in a moment.";
    failed(StatusCode::SERVICE_UNAVAILABLE, "store_unavailable", text)
}
