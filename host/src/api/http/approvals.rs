//! `/v1/approvals`: what waits for a reviewer, and the reviewer's answers. `GET` lists the tenant's questions that are
//! open, or all with `?all=true`; `GET /v1/approvals/{id}` shows one whole, and `POST` there with
//! `{approve, reason, arguments}` decides it; `arguments` are those that the call runs with instead of its own.
//!
//! Approvers of the tenant decide. Its callers see the questions, and decide about their own calls only if the tenant's
//! settings let them. Operators see the questions of all tenants.

use axum::extract::{Request, State};
use axum::response::Response;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::answers::{failed, ok, read, refused, unavailable};
use super::fault::Fault;
use super::query::{Query, no_query};
use super::routes::{Group, Segment, Served, segment};
use crate::api::batch::{object, present};
use crate::api::identity::{Principal, REASON_CHARS};
use crate::api::view;
use crate::executor::Host;
use crate::gate::check_edit;
use crate::id::ApprovalId;
use crate::spec::is_clean;
use crate::store::{Approval, DecideError, Decision};

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
pub(super) async fn list(State(served): State<Served>, request: Request) -> Result<Response, Response> {
    let (principal, _place) = served.admit(request.headers(), None, Group::Questions).await?;
    let mut query = Query::of(request.uri())?;
    let all = query.one("all")?.unwrap_or(false);
    query.close()?;
    let tenant = (!principal.roles.operator).then_some(&principal.tenant.id);
    let found = served.host().store().approvals().list(tenant, !all).await;
    let found = found.map_err(|fault| unavailable(&fault))?;
    let seen = found.iter().filter(|asked| may_see(&principal, asked));
    let approvals: Vec<Value> = seen.map(view::approval).collect();
    Ok(ok(&json!({"approvals": approvals})))
}

/// One question of the tenant, with all of its arguments.
pub(super) async fn show(
    State(served): State<Served>,
    id: Segment,
    request: Request,
) -> Result<Response, Response> {
    let (principal, _place) = served.admit(request.headers(), None, Group::Questions).await?;
    no_query(request.uri())?;
    Ok(ok(&view::approval(&find(served.host(), &principal, &segment(id)?).await?)))
}

/// Whether a question is the reader's tenant's, or any for an operator, about a tool that its key or token leaves it.
fn may_see(reader: &Principal, asked: &Approval) -> bool {
    let own = reader.roles.operator || asked.binding.tenant == reader.tenant.id;
    own && reader.tenant.access.leaves(asked.binding.tool.as_str())
}

/// A question of another tenant is answered as one that never was.
async fn find(host: &Host, reader: &Principal, id: &str) -> Result<Approval, Response> {
    let Ok(id) = id.parse::<ApprovalId>() else { return Err(no_such_approval()) };
    match host.store().approvals().get(&id).await {
        Ok(Some(asked)) if may_see(reader, &asked) => Ok(asked),
        Ok(_) => Err(no_such_approval()),
        Err(fault) => Err(unavailable(&fault)),
    }
}

/// Takes a decision down. Of two the first counts, and the second is told so.
pub(super) async fn decide(
    State(served): State<Served>,
    id: Segment,
    request: Request,
) -> Result<Response, Response> {
    let (principal, _place) = served.admit(request.headers(), None, Group::Questions).await?;
    no_query(request.uri())?;
    let (host, id) = (served.host(), segment(id)?);
    let (parts, body) = request.into_parts();
    let text = read(&parts, body, served.body_within).await?;
    let answer: Answer =
        object(&text).map_err(|fault| refused(&format!("the answer cannot be read: {fault}")))?;
    let reason = answer.reason.as_deref();
    check_reason(answer.approve, reason).map_err(refused)?;
    let edited = answer.arguments.as_deref().map(RawValue::get);
    let asked = find(host, &principal, &id).await?;
    let id = asked.id;
    let Some(approver) = principal.decides(&asked.binding) else {
        let text = "This key or token may not decide about that call. One of an approver of its tenant is needed, who did \
                    not make the call.";
        return Err(failed(Fault::Forbidden, text));
    };
    let decision = match reason {
        Some(reason) if !answer.approve => Decision::Deny { reason },
        reason => Decision::Approve { reason, edited },
    };
    if let Some(edited) = edited {
        if !answer.approve {
            return Err(refused("a denial changes no arguments"));
        }
        check_edit(&asked.binding.tool, edited, &host.tools()).map_err(|fault| refused(&fault.message))?;
    }
    match host.store().approvals().decide(&id, &approver, decision).await {
        Ok(decided) => Ok(ok(&view::approval(&decided.approval))),
        Err(DecideError::NotFound(_)) => Err(no_such_approval()),
        Err(fault @ DecideError::NotPending { .. }) => Err(failed(Fault::NotPending, &fault.to_string())),
        Err(DecideError::Store(fault)) => Err(unavailable(&fault)),
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
    failed(Fault::NoSuchApproval, text)
}
