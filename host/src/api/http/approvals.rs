//! `/v1/approvals`: what waits for a reviewer, and the reviewer's answers. `GET` lists the tenant's questions that are
//! open, or all with `?all=true`; `GET /v1/approvals/{id}` shows one whole, and `POST` there with
//! `{approve, reason, arguments}` decides it; `arguments` are those that the call runs with instead of its own.
//!
//! Whoever has one of the tenant's approver keys decides. Its callers see the questions, and decide only if the tenant's
//! settings let them approve their own calls.

use std::sync::Arc;

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
use crate::api::identity::{REASON_CHARS, decides_itself};
use crate::api::view;
use crate::executor::Host;
use crate::gate::check_edit;
use crate::id::ApprovalId;
use crate::policy::Tenant;
use crate::spec::is_clean;
use crate::store::{Approval, DecideError, Decision, StoreError};

/// Who asks about approvals.
pub(super) enum Reader {
    /// The bearer of an approver key.
    Approver(Arc<Tenant>),
    /// A caller of the tenant.
    Caller(Arc<Tenant>),
}

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

impl Reader {
    fn tenant(&self) -> &Tenant {
        match self {
            Self::Approver(tenant) | Self::Caller(tenant) => tenant,
        }
    }

    /// The name under which this reader's decisions are recorded; none for one who may not decide.
    fn decides_as(&self) -> Option<String> {
        match self {
            Self::Approver(tenant) => Some(format!("an approver of {}", tenant.id)),
            Self::Caller(tenant) => decides_itself(tenant),
        }
    }
}

/// The tenant's questions, newest first, at most 1,000, with their arguments cut to 2,000 characters.
pub(super) async fn list(host: &Host, reader: &Reader, query: Option<&str>) -> Response {
    let all = match query {
        None | Some("" | "all=false") => false,
        Some("all=true") => true,
        Some(_) => return refused("the query has to be all=true, or nothing"),
    };
    match host.store().approvals().list(Some(&reader.tenant().id), !all).await {
        Ok(found) => {
            let approvals: Vec<Value> = found.iter().map(view::approval).collect();
            Json(json!({"approvals": approvals})).into_response()
        }
        Err(fault) => unavailable(&fault),
    }
}

/// One question of the tenant, with all of its arguments.
pub(super) async fn show(host: &Host, reader: &Reader, id: &str) -> Response {
    match find(host, reader, id).await {
        Ok(asked) => Json(view::approval(&asked)).into_response(),
        Err(refusal) => refusal,
    }
}

/// A question of another tenant is answered as one that never was.
async fn find(host: &Host, reader: &Reader, id: &str) -> Result<Approval, Response> {
    let Ok(id) = id.parse::<ApprovalId>() else { return Err(no_such_approval()) };
    match host.store().approvals().get(&id).await {
        Ok(Some(asked)) if asked.binding.tenant == reader.tenant().id => Ok(asked),
        Ok(_) => Err(no_such_approval()),
        Err(fault) => Err(unavailable(&fault)),
    }
}

/// Takes a decision down. Of two the first counts, and the second is told so.
pub(super) async fn decide(host: &Host, reader: &Reader, id: &str, parts: &Parts, body: Body) -> Response {
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
    let Some(approver) = reader.decides_as() else {
        let text = "Callers of this tenant may not decide about their own calls. One of its approver keys is needed.";
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

/// Whose approvals a request is about, if it shows a key for them; `caller` is whom it authenticates as a caller.
pub(super) fn reader(host: &Host, key: Option<&str>, caller: Option<Arc<Tenant>>) -> Option<Reader> {
    let approver = key.and_then(|key| host.tenant_of_approver(key));
    approver.map(Reader::Approver).or_else(|| caller.map(Reader::Caller))
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
