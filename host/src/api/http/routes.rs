//! The routes: `/mcp`, `/v1/calls`, `/v1/approvals`, `/healthz`, `/readyz`, and the metadata of RFC 9728. Every one of them, and every path that there is not, checks `Host` and
//! `Origin` first.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::header::{ALLOW, AUTHORIZATION};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, get, post};
use axum::{Json, Router};
use serde_json::{Value, json};

use super::answers::{error, failed};
use super::approvals;
use super::calls;
use super::challenge::{Challenge, METADATA};
use super::origin::Origins;
use crate::api::identity::{Identity, Principal, Refusal, Role};
use crate::api::mcp;
use crate::executor::Host;
use crate::gate::{Caller, Surface};
use crate::id::CallId;
use crate::store::View;

#[cfg(test)]
mod tests;

/// What all routes share.
#[derive(Debug, Clone)]
pub(super) struct Served(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    host: Host,
    origins: Origins,
    identity: Identity,
    challenge: Challenge,
    mcp: mcp::Mount,
}

impl Served {
    pub(super) fn new(host: Host, origins: Origins, identity: Identity, mcp: mcp::Mount) -> Self {
        let challenge = Challenge::new(host.settings());
        Self(Arc::new(Parts { host, origins, identity, challenge, mcp }))
    }
}

pub(super) fn router(served: Served) -> Router {
    Router::new()
        .route("/mcp", any(answer_mcp))
        .route("/v1/calls", post(answer_calls).fallback(only_post))
        .route("/v1/approvals", get(list_approvals).fallback(only_get))
        .route("/v1/approvals/{id}", get(show_approval).post(decide_approval).fallback(get_or_post))
        .route(METADATA, get(metadata).fallback(only_get))
        .route(&format!("{METADATA}/mcp"), get(metadata_of_mcp).fallback(only_get))
        .route("/healthz", get(healthy))
        .route("/readyz", get(ready))
        .fallback(no_such_path)
        .layer(from_fn_with_state(served.clone(), checked))
        .with_state(served)
}

async fn checked(State(Served(served)): State<Served>, request: Request, next: Next) -> Response {
    match served.origins.check(request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refused) => {
            let code = if refused.header == "Host" { "host_not_allowed" } else { "origin_not_allowed" };
            tracing::warn!(header = refused.header, value = ?refused.value, "a request is refused");
            let mut body = error(code, &refused.to_string());
            if let Some(error) = body.get_mut("error").and_then(Value::as_object_mut) {
                error.insert("value".to_owned(), refused.value.into());
                error.insert("setting".to_owned(), refused.setting.into());
            }
            (StatusCode::FORBIDDEN, Json(body)).into_response()
        }
    }
}

async fn answer_mcp(State(Served(served)): State<Served>, request: Request) -> Response {
    match caller(&served, request.headers(), Surface::Mcp).await {
        Ok(caller) => served.mcp.respond(caller, request).await.map(Body::new),
        Err(refusal) => served.refuse(&request, refusal),
    }
}

async fn answer_calls(State(Served(served)): State<Served>, request: Request) -> Response {
    let caller = match caller(&served, request.headers(), Surface::Http).await {
        Ok(caller) => caller,
        Err(refusal) => return served.refuse(&request, refusal),
    };
    let (parts, body) = request.into_parts();
    calls::answer(&served.host, &caller, &parts, body).await
}

async fn list_approvals(State(Served(served)): State<Served>, request: Request) -> Response {
    match reader(&served, request.headers()).await {
        Ok(reader) => approvals::list(&served.host, &reader, request.uri().query()).await,
        Err(refusal) => served.refuse(&request, refusal),
    }
}

async fn show_approval(
    State(Served(served)): State<Served>,
    Path(id): Path<String>,
    request: Request,
) -> Response {
    match reader(&served, request.headers()).await {
        Ok(reader) => approvals::show(&served.host, &reader, &id).await,
        Err(refusal) => served.refuse(&request, refusal),
    }
}

async fn decide_approval(
    State(Served(served)): State<Served>,
    Path(id): Path<String>,
    request: Request,
) -> Response {
    let reader = match reader(&served, request.headers()).await {
        Ok(reader) => reader,
        Err(refusal) => return served.refuse(&request, refusal),
    };
    let (parts, body) = request.into_parts();
    approvals::decide(&served.host, &reader, &id, &parts, body).await
}

async fn metadata(State(Served(served)): State<Served>, request: Request) -> Response {
    served.challenge.metadata("", request.headers()).unwrap_or_else(nothing_here)
}

async fn metadata_of_mcp(State(Served(served)): State<Served>, request: Request) -> Response {
    served.challenge.metadata("/mcp", request.headers()).unwrap_or_else(nothing_here)
}

async fn only_post() -> Response {
    other_method("POST")
}

async fn only_get() -> Response {
    other_method("GET")
}

async fn get_or_post() -> Response {
    other_method("GET, POST")
}

fn other_method(allowed: &'static str) -> Response {
    let body = error("method_not_allowed", &format!("This endpoint takes only {allowed}."));
    (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, allowed)], Json(body)).into_response()
}

/// Answers as long as the process does.
async fn healthy() -> Json<Value> {
    Json(json!({"ok": true}))
}

/// Answers with the reasons why the host cannot do its work. Names no file and no tenant: nobody has to show a key
/// here.
async fn ready(State(Served(served)): State<Served>) -> Response {
    let host = &served.host;
    let mut reasons = Vec::new();
    if host.tools().all().is_empty() {
        reasons.push(json!({"code": "no_tools", "message": "No tool is loaded."}));
    }
    // A call that never was is asked for: the answer says that there is one.
    if let Err(error) = host.store().trace(View::Operator, &CallId::fresh()).await {
        tracing::error!(%error, "the store does not answer");
        reasons.push(json!({"code": "store_unavailable", "message": "The store does not answer."}));
    }
    // While hosts are replaced one by one their tools differ for a while, which is no reason to serve nobody.
    let differing = host.store().hosts_with_other_tools(host.tools().hash()).await.ok();
    let status = if reasons.is_empty() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let body = json!({
        "ready": reasons.is_empty(),
        "reasons": reasons,
        "n_tools": host.tools().all().len(),
        "n_running": host.running(),
        "n_hosts_with_other_tools": differing,
        "n_refused_components": host.load_report().refused.len(),
    });
    (status, Json(body)).into_response()
}

async fn no_such_path() -> Response {
    nothing_here()
}

fn nothing_here() -> Response {
    let text = "There is nothing here. MCP is served at /mcp, calls are taken at /v1/calls.";
    failed(StatusCode::NOT_FOUND, "no_such_path", text)
}

impl Parts {
    fn refuse(&self, request: &Request, refusal: Refusal) -> Response {
        self.challenge.refuse(request.uri().path(), request.headers(), refusal)
    }
}

/// Whom a request comes from.
async fn principal(served: &Parts, headers: &HeaderMap) -> Result<Principal, Refusal> {
    let key = match bearer(headers) {
        Ok(key) => key,
        // Where nobody has to prove anything, nothing that is sent all the same is looked at.
        Err(Unreadable) if matches!(served.identity, Identity::Everyone(_)) => None,
        Err(Unreadable) => return Err(Refusal::Invalid),
    };
    served.identity.principal(&served.host, key).await
}

/// Whom a request comes from, if it may call tools.
async fn caller(served: &Parts, headers: &HeaderMap, surface: Surface) -> Result<Caller, Refusal> {
    let principal = principal(served, headers).await?;
    principal.needs(Role::Caller)?;
    Ok(principal.caller(surface))
}

/// Whom a request comes from, if there is anything that it may see.
async fn reader(served: &Parts, headers: &HeaderMap) -> Result<Principal, Refusal> {
    let principal = principal(served, headers).await?;
    if principal.roles.iter().next().is_none() {
        return Err(Refusal::InsufficientScope(Role::Caller));
    }
    Ok(principal)
}

/// What is sent as proof is of another form.
#[derive(Debug, PartialEq, Eq)]
struct Unreadable;

/// The key in the one `Authorization` header (RFC 6750); none if there is no such header.
fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Unreadable> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = match (values.next(), values.next()) {
        (None, _) => return Ok(None),
        (Some(value), None) => value.to_str().map_err(|_| Unreadable)?,
        _ => return Err(Unreadable),
    };
    let (scheme, key) = value.split_once(' ').ok_or(Unreadable)?;
    let key = key.trim();
    if scheme.eq_ignore_ascii_case("bearer") && !key.is_empty() { Ok(Some(key)) } else { Err(Unreadable) }
}
