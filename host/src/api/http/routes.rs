//! The routes, what each lets in, and whom a request comes from. Every route, and every path that there is not, checks
//! `Host` and `Origin` first.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, any, get, post};
use axum::{Json, Router};
use bytes::Bytes;
use http_body_util::BodyExt as _;
use serde_json::Value;

use super::accept::accepts;
use super::answers::{crowded, error, failed, other_method, refused};
use super::challenge::{Challenge, METADATA, METADATA_OF_MCP};
use super::fault::Fault;
use super::origin::Origins;
use super::{approvals, calls, components, events, explain, health, openapi, records, tools};
use crate::api::identity::{Identity, Principal, Refusal, Role, Roles};
use crate::api::{body, mcp};
use crate::executor::{Crowd, CrowdPlace, Host};
use crate::gate::Surface;

#[cfg(test)]
mod tests;

/// Requests with calls that are under way at once, in all and of one tenant: half of the connections.
const CALLS: (usize, usize) = (896, 448);

/// The same of requests that ask the store or the list of tools. They are short, and wait for few connections to the store.
const QUESTIONS: (usize, usize) = (256, 32);

/// The same of requests that change what is served. Each may hold a whole component in memory.
const UPLOADS: (usize, usize) = (4, 2);

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
    challenge: Challenge,
    mcp: mcp::Mount,
    document: Bytes,
    calls: Crowd,
    questions: Crowd,
    uploads: Crowd,
}

/// A request's share of what its tenant may have under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    /// It runs calls, for as long as these take.
    Calls,
    /// It asks something that is answered at once.
    Questions,
    /// It changes what is served, and may bring a whole component.
    Uploads,
}

/// A part of a path, if it could be read.
pub(super) type Segment = Result<Path<String>, PathRejection>;

impl Served {
    pub(super) fn new(host: Host, origins: Origins, identity: Identity, mcp: mcp::Mount) -> Self {
        let has_keys = !matches!(identity, Identity::Everyone(_));
        let document = openapi::text(has_keys).into();
        let calls = Crowd::new(CALLS.0, CALLS.1);
        let questions = Crowd::new(QUESTIONS.0, QUESTIONS.1);
        let uploads = Crowd::new(UPLOADS.0, UPLOADS.1);
        let challenge = Challenge::new(host.settings());
        let parts = Parts { host, origins, identity, challenge, mcp, document, calls, questions, uploads };
        Self { parts: Arc::new(parts), body_within: body::PATIENCE }
    }

    /// The same with another time for a body to arrive.
    pub(super) fn patient(self, body_within: Duration) -> Self {
        Self { body_within, ..self }
    }

    pub(super) fn host(&self) -> &Host {
        &self.parts.host
    }

    /// How callers are told apart.
    pub(super) fn identity(&self) -> &Identity {
        &self.parts.identity
    }

    /// Whom a request comes from.
    async fn principal(&self, headers: &HeaderMap) -> Result<Principal, Refusal> {
        let identity = &self.parts.identity;
        let key = match bearer(headers) {
            Ok(key) => key,
            // Where nobody has to prove anything, nothing that is sent all the same is looked at.
            Err(Unreadable) if matches!(identity, Identity::Everyone(_)) => None,
            Err(Unreadable) => return Err(Refusal::Invalid),
        };
        identity.principal(&self.parts.host, key).await
    }

    /// Whom a request to a path comes from, if it has a role: that one, or any.
    async fn known_at(
        &self,
        path: &str,
        headers: &HeaderMap,
        role: Option<Role>,
    ) -> Result<Principal, Response> {
        let principal = self.principal(headers).await.and_then(|principal| {
            match role {
                Some(role) => principal.needs(role)?,
                None if principal.roles == Roles::NONE => {
                    return Err(Refusal::InsufficientScope(Role::Caller));
                }
                None => {}
            }
            Ok(principal)
        });
        principal.map_err(|refusal| self.parts.challenge.refuse(path, headers, refusal))
    }

    /// Whom a request to the HTTP API comes from, if it has a role: that one, or any.
    pub(super) async fn known(&self, headers: &HeaderMap, role: Option<Role>) -> Result<Principal, Response> {
        self.known_at("", headers, role).await
    }

    /// The same with a place among the requests that its tenant may have under way.
    pub(super) async fn admit(
        &self,
        headers: &HeaderMap,
        role: Option<Role>,
        group: Group,
    ) -> Result<(Principal, CrowdPlace), Response> {
        let principal = self.known(headers, role).await?;
        let place = self.place(&principal, group)?;
        Ok((principal, place))
    }

    fn place(&self, principal: &Principal, group: Group) -> Result<CrowdPlace, Response> {
        let crowd = match group {
            Group::Calls => &self.parts.calls,
            Group::Questions => &self.parts.questions,
            Group::Uploads => &self.parts.uploads,
        };
        let place = crowd.enter(&principal.tenant.id);
        place.ok_or_else(|| crowded("The tenant has as many requests under way as it may."))
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
        ("/v1/components", get(components::list).fallback(only_get).layer(json())),
        ("/v1/components/{name}", one_component().layer(json())),
        (METADATA, get(metadata).fallback(only_get).layer(json())),
        (METADATA_OF_MCP, get(metadata_of_mcp).fallback(only_get).layer(json())),
        ("/openapi.json", get(document).fallback(only_get).layer(json())),
        ("/healthz", get(health::healthy).fallback(only_get).layer(json())),
        ("/readyz", get(health::ready).fallback(only_get).layer(json())),
    ]
}

fn one_component() -> MethodRouter<Served> {
    get(components::show)
        .put(components::upload)
        .post(components::decide)
        .delete(components::remove)
        .fallback(|| async { other_method("DELETE, GET, POST, PUT") })
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
    let principal = served.known_at("/mcp", request.headers(), Some(Role::Caller)).await?;
    let place = served.place(&principal, Group::Calls)?;
    let response = served.parts.mcp.respond(principal.caller(Surface::Mcp), request).await;
    let streams = response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream");
    if !streams {
        return Ok(response);
    }
    // It keeps its place until it ends.
    Ok(response.map(|body| {
        Body::new(body.map_frame(move |frame| {
            let _held = &place;
            frame
        }))
    }))
}

async fn document(State(served): State<Served>) -> Response {
    ([(CONTENT_TYPE, "application/json")], served.parts.document.clone()).into_response()
}

async fn metadata(State(served): State<Served>, request: Request) -> Response {
    served.parts.challenge.metadata("", request.headers()).unwrap_or_else(nothing_here)
}

async fn metadata_of_mcp(State(served): State<Served>, request: Request) -> Response {
    served.parts.challenge.metadata("/mcp", request.headers()).unwrap_or_else(nothing_here)
}

async fn no_such_path() -> Response {
    nothing_here()
}

fn nothing_here() -> Response {
    let text = "There is nothing here. MCP is served at /mcp, and /openapi.json describes all other paths.";
    failed(Fault::NoSuchPath, text)
}

/// A part of a path.
pub(super) fn segment(read: Segment) -> Result<String, Response> {
    read.map(|Path(text)| text).map_err(|_| refused("the path is not UTF-8"))
}

/// What a request proves its sender by; none if it sends nothing that can be read.
pub(super) fn key(headers: &HeaderMap) -> Option<String> {
    bearer(headers).ok().flatten().map(str::to_owned)
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
