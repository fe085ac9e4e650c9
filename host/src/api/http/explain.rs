//! `POST /v1/explain`: what each gate would say to a call, and by which rule, for operators alone. Runs nothing, asks nobody
//! and uses nothing up.

use axum::extract::{Request, State};
use axum::response::Response;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::answers::{failed, ok, read, refused};
use super::fault::Fault;
use super::query::no_query;
use super::routes::{Group, Served};
use crate::api::batch::{self, object, present};
use crate::api::identity::Role;
use crate::api::view;
use crate::gate::{Call, Caller, Surface};
use crate::id::{TenantId, UserId};

/// What an operator asks about.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    tool: String,
    #[serde(default, deserialize_with = "present")]
    arguments: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "present")]
    allow: Option<Vec<String>>,
    #[serde(default, deserialize_with = "present")]
    tenant: Option<String>,
    #[serde(default, deserialize_with = "present")]
    user: Option<String>,
}

/// The five verdicts, `{verdicts: [{gate, name, passed, rule, message}]}`, on a call of the named tenant, or of the operator's
/// own.
pub(super) async fn answer(State(served): State<Served>, request: Request) -> Result<Response, Response> {
    let (principal, _place) = served.admit(request.headers(), Some(Role::Operator), Group::Questions).await?;
    no_query(request.uri())?;
    let (parts, body) = request.into_parts();
    let text = read(&parts, body, served.body_within).await?;
    let question: Question =
        object(&text).map_err(|fault| refused(&format!("the request cannot be read: {fault}")))?;
    let allow = batch::allow(question.allow.as_deref()).map_err(|fault| refused(&fault.to_string()))?;
    let user = question.user.as_deref().map(str::parse::<UserId>).transpose();
    let user = user.map_err(|fault| refused(&fault.to_string()))?;
    let tenant = match &question.tenant {
        None => principal.tenant,
        Some(name) => {
            let id: Option<TenantId> = name.parse().ok();
            id.and_then(|id| served.host().tenant(&id))
                .ok_or_else(|| failed(Fault::NoSuchTenant, "There is no such tenant."))?
        }
    };
    let arguments = question.arguments.as_deref().map_or("{}", RawValue::get);
    let caller = Caller { tenant, user, surface: Surface::Http };
    let verdicts = served.host().explain(&Call { allow, ..Call::new(caller, question.tool, arguments) });
    let verdicts: Vec<Value> = verdicts.iter().map(view::verdict).collect();
    Ok(ok(&json!({"verdicts": verdicts})))
}
