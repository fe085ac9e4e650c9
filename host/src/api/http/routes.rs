//! The routes: `/mcp`, `/v1/calls`, `/v1/approvals`, `/healthz`, `/readyz`. Every one of them, and every path that there is not, checks `Host` and
//! `Origin` first.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::header::{ALLOW, AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, get, post};
use axum::{Json, Router};
use serde_json::{Value, json};

use super::answers::{error, failed};
use super::approvals::{self, Reader};
use super::calls;
use super::origin::Origins;
use crate::api::identity::{Identity, Principal};
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
    mcp: mcp::Mount,
}

impl Served {
    pub(super) fn new(host: Host, origins: Origins, identity: Identity, mcp: mcp::Mount) -> Self {
        Self(Arc::new(Parts { host, origins, identity, mcp }))
    }
}

pub(super) fn router(served: Served) -> Router {
    Router::new()
        .route("/mcp", any(answer_mcp))
        .route("/v1/calls", post(answer_calls).fallback(only_post))
        .route("/v1/approvals", get(list_approvals).fallback(only_get))
        .route("/v1/approvals/{id}", get(show_approval).post(decide_approval).fallback(get_or_post))
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
    let Some(caller) = caller(&served, request.headers(), Surface::Mcp) else { return unauthenticated() };
    served.mcp.respond(caller, request).await.map(Body::new)
}

async fn answer_calls(State(Served(served)): State<Served>, request: Request) -> Response {
    let Some(caller) = caller(&served, request.headers(), Surface::Http) else { return unauthenticated() };
    let (parts, body) = request.into_parts();
    calls::answer(&served.host, &caller, &parts, body).await
}

async fn list_approvals(State(Served(served)): State<Served>, request: Request) -> Response {
    let Some(reader) = reader(&served, request.headers()) else { return unauthenticated() };
    approvals::list(&served.host, &reader, request.uri().query()).await
}

async fn show_approval(
    State(Served(served)): State<Served>,
    Path(id): Path<String>,
    request: Request,
) -> Response {
    let Some(reader) = reader(&served, request.headers()) else { return unauthenticated() };
    approvals::show(&served.host, &reader, &id).await
}

async fn decide_approval(
    State(Served(served)): State<Served>,
    Path(id): Path<String>,
    request: Request,
) -> Response {
    let Some(reader) = reader(&served, request.headers()) else { return unauthenticated() };
    let (parts, body) = request.into_parts();
    approvals::decide(&served.host, &reader, &id, &parts, body).await
}

fn reader(served: &Parts, headers: &HeaderMap) -> Option<Reader> {
    let caller = caller(served, headers, Surface::Http);
    approvals::reader(&served.host, bearer(headers), caller.map(|caller| caller.tenant))
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
    let text = "There is nothing here. MCP is served at /mcp, calls are taken at /v1/calls.";
    failed(StatusCode::NOT_FOUND, "no_such_path", text)
}

/// Whom a request comes from.
fn principal(served: &Parts, headers: &HeaderMap) -> Option<Principal> {
    served.identity.principal(&served.host, bearer(headers))
}

/// Whom a request comes from, if it may call tools.
fn caller(served: &Parts, headers: &HeaderMap, surface: Surface) -> Option<Caller> {
    let principal = principal(served, headers)?;
    principal.roles.caller.then(|| principal.caller(surface))
}

/// The key in the one `Authorization` header (RFC 6750).
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, key) = value.to_str().ok()?.split_once(' ')?;
    let key = key.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !key.is_empty()).then_some(key)
}

/// The same answer whether the key is missing, misread or unknown.
fn unauthenticated() -> Response {
    let body = error("unauthenticated", "A valid key is needed: send `Authorization: Bearer KEY`.");
    let mut response = (StatusCode::UNAUTHORIZED, Json(body)).into_response();
    let challenge = HeaderValue::from_static("Bearer realm=\"toolhost\"");
    response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    response
}
