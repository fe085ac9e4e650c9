//! The routes, what each lets in, and whom a request comes from. Every route, and every path that there is not, checks
//! `Host` and `Origin` first.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, any, get, post};
use axum::{Json, Router};
use bytes::Bytes;
use serde_json::Value;

use super::accept::accepts;
use super::answers::{crowded, error, failed, other_method, refused};
use super::fault::Fault;
use super::origin::Origins;
use super::{approvals, calls, events, explain, health, openapi, records, tools};
use crate::api::identity::{Identity, Principal};
use crate::api::{body, mcp};
use crate::executor::{Crowd, CrowdPlace, Host};
use crate::gate::Surface;

#[cfg(test)]
mod tests;

/// Requests with calls that are under way at once, in all and of one tenant: half of the connections.
const CALLS: (usize, usize) = (896, 448);

/// The same of requests that ask the store or the list of tools. They are short, and wait for few connections to the store.
const QUESTIONS: (usize, usize) = (256, 32);

/// What all routes share.
#[derive(Debug, Clone)]
pub(super) struct Served {
    parts: Arc<Parts>,
    /// How long a body may take to arrive.
    pub(super) body_within: Duration,
}

#[derive(Debug)]
struct Parts {
    host: Host,
    origins: Origins,
    identity: Identity,
    mcp: mcp::Mount,
    document: Bytes,
    calls: Crowd,
    questions: Crowd,
}

/// What somebody has to be, for a request to be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Known.
    Any,
    /// One who calls tools.
    Caller,
    /// One who runs the host.
    Operator,
}

/// A request's share of what its tenant may have under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    /// It runs calls, for as long as these take.
    Calls,
    /// It asks something that is answered at once.
    Questions,
}

/// A part of a path, if it could be read.
pub(super) type Segment = Result<Path<String>, PathRejection>;

impl Served {
    pub(super) fn new(host: Host, origins: Origins, identity: Identity, mcp: mcp::Mount) -> Self {
        let has_keys = !matches!(identity, Identity::Everyone(_));
        let document = openapi::text(has_keys).into();
        let calls = Crowd::new(CALLS.0, CALLS.1);
        let questions = Crowd::new(QUESTIONS.0, QUESTIONS.1);
        let parts = Parts { host, origins, identity, mcp, document, calls, questions };
        Self { parts: Arc::new(parts), body_within: body::PATIENCE }
    }

    /// The same with another time for a body to arrive.
    pub(super) fn patient(self, body_within: Duration) -> Self {
        Self { body_within, ..self }
    }

    pub(super) fn host(&self) -> &Host {
        &self.parts.host
    }

    /// Whom a request comes from.
    async fn principal(&self, headers: &HeaderMap) -> Result<Principal, Response> {
        self.parts.identity.principal(&self.parts.host, bearer(headers)).ok_or_else(unauthenticated)
    }

    /// Whom a request comes from, if that may do such a thing.
    pub(super) async fn known(&self, headers: &HeaderMap, role: Role) -> Result<Principal, Response> {
        let principal = self.principal(headers).await?;
        let (may, what) = match role {
            Role::Any => (true, ""),
            Role::Caller => (principal.roles.caller, "This key calls no tools."),
            Role::Operator => (principal.roles.operator, "Only operators may do this."),
        };
        if may { Ok(principal) } else { Err(failed(Fault::Forbidden, what)) }
    }

    /// The same with a place among the requests that its tenant may have under way.
    pub(super) async fn admit(
        &self,
        headers: &HeaderMap,
        role: Role,
        group: Group,
    ) -> Result<(Principal, CrowdPlace), Response> {
        let principal = self.known(headers, role).await?;
        let crowd = match group {
            Group::Calls => &self.parts.calls,
            Group::Questions => &self.parts.questions,
        };
        let place = crowd.enter(&principal.tenant.id);
        let place = place.ok_or_else(|| crowded("The tenant has as many requests under way as it may."))?;
        Ok((principal, place))
    }
}

/// All routes, but for the paths that there are not.
fn routes() -> Vec<(&'static str, MethodRouter<Served>)> {
    let json = || from_fn(takes_json);
    let only_get = || async { other_method("GET") };
    let only_post = || async { other_method("POST") };
    let both = || async { other_method("GET, POST") };
    vec![
        ("/mcp", any(answer_mcp)),
        ("/v1/tools", get(tools::list).fallback(only_get).layer(json())),
        ("/v1/tools/{name}", get(tools::show).fallback(only_get).layer(json())),
        ("/v1/tools/{name}/call", post(tools::call).fallback(only_post).layer(json())),
        ("/v1/calls", get(records::list).post(calls::answer).fallback(both).layer(json())),
        ("/v1/calls/{id}", get(records::show).fallback(only_get).layer(json())),
        ("/v1/events", get(events::listen).fallback(only_get).layer(from_fn(takes_events))),
        ("/v1/explain", post(explain::answer).fallback(only_post).layer(json())),
        ("/v1/approvals", get(approvals::list).fallback(only_get).layer(json())),
        ("/v1/approvals/{id}", get(approvals::show).post(approvals::decide).fallback(both).layer(json())),
        ("/openapi.json", get(document).fallback(only_get).layer(json())),
        ("/healthz", get(health::healthy).fallback(only_get).layer(json())),
        ("/readyz", get(health::ready).fallback(only_get).layer(json())),
    ]
}

pub(super) fn router(served: Served) -> Router {
    routes()
        .into_iter()
        .fold(Router::new(), |router, (path, route)| router.route(path, route))
        .fallback(no_such_path)
        .layer(from_fn_with_state(served.clone(), checked))
        .with_state(served)
}

async fn checked(State(served): State<Served>, request: Request, next: Next) -> Response {
    match served.parts.origins.check(request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refused) => {
            let fault =
                if refused.header == "Host" { Fault::HostNotAllowed } else { Fault::OriginNotAllowed };
            tracing::warn!(header = refused.header, value = ?refused.value, "a request is refused");
            let mut body = error(fault, &refused.to_string());
            if let Some(error) = body.get_mut("error").and_then(Value::as_object_mut) {
                error.insert("value".to_owned(), refused.value.into());
                error.insert("setting".to_owned(), refused.setting.into());
            }
            (fault.status(), Json(body)).into_response()
        }
    }
}

async fn takes_json(request: Request, next: Next) -> Response {
    takes("application/json", request, next).await
}

async fn takes_events(request: Request, next: Next) -> Response {
    takes("text/event-stream", request, next).await
}

/// Answers only a client that takes the form of the answer. Errors are JSON all the same.
async fn takes(kind: &str, request: Request, next: Next) -> Response {
    if accepts(request.headers(), kind) {
        return next.run(request).await;
    }
    failed(Fault::NotAcceptable, &format!("This path answers in {kind}, which the Accept header leaves out."))
}

async fn answer_mcp(State(served): State<Served>, request: Request) -> Result<Response, Response> {
    let (principal, _place) = served.admit(request.headers(), Role::Caller, Group::Calls).await?;
    Ok(served.parts.mcp.respond(principal.caller(Surface::Mcp), request).await)
}

async fn document(State(served): State<Served>) -> Response {
    ([(CONTENT_TYPE, "application/json")], served.parts.document.clone()).into_response()
}

async fn no_such_path() -> Response {
    let text = "There is nothing here. MCP is served at /mcp, and /openapi.json describes all other paths.";
    failed(Fault::NoSuchPath, text)
}

/// A part of a path.
pub(super) fn segment(read: Segment) -> Result<String, Response> {
    read.map(|Path(text)| text).map_err(|_| refused("the path is not UTF-8"))
}

/// The key in the one `Authorization` header (RFC 6750).
pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, key) = value.to_str().ok()?.split_once(' ')?;
    let key = key.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !key.is_empty()).then_some(key)
}

/// The same answer whether the key is missing, misread or unknown.
fn unauthenticated() -> Response {
    let body = error(Fault::Unauthenticated, "A valid key is needed: send `Authorization: Bearer KEY`.");
    let mut response = (StatusCode::UNAUTHORIZED, Json(body)).into_response();
    let challenge = HeaderValue::from_static("Bearer realm=\"toolhost\"");
    response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    response
}
