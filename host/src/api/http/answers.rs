//! The answers that all routes share: errors, all of the form `{error: {code, message}}`, and the reading of bodies.

use std::time::Duration;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::http::header::{ALLOW, RETRY_AFTER};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use super::fault::Fault;
use crate::api::body::{self, BodyFault};
use crate::sandbox::COMPONENT_BYTES;
use crate::spec::clean;
use crate::store::StoreError;

/// Characters of what is wrong with a request.
const REASON_CHARS: usize = 500;

/// The body of an error.
pub(super) fn error(fault: Fault, message: &str) -> Value {
    json!({"error": {"code": fault.code(), "message": message}})
}

/// An error.
pub(super) fn failed(fault: Fault, message: &str) -> Response {
    (fault.status(), Json(error(fault, message))).into_response()
}

/// The request cannot be read, for this reason, which may quote it.
pub(super) fn refused(reason: &str) -> Response {
    failed(Fault::BadRequest, &clean(reason.chars().take(REASON_CHARS).collect()))
}

/// The path takes other methods.
pub(super) fn other_method(allowed: &'static str) -> Response {
    let mut response = failed(Fault::MethodNotAllowed, &format!("This path takes only {allowed}."));
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    response
}

/// The tenant has no room for a further request of this kind.
pub(super) fn crowded(what: &str) -> Response {
    let mut response = failed(Fault::TooManyRequests, &format!("{what} Try again in a moment."));
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// The store does not answer. The reason is for the operator.
pub(super) fn unavailable(fault: &StoreError) -> Response {
    tracing::error!(%fault, "the store does not answer a request");
    failed(Fault::StoreUnavailable, "The store does not answer. Try again in a moment.")
}

/// Reads the body of a request, which is JSON; the answer to give where it cannot be read.
pub(super) async fn read(parts: &Parts, body: Body, within: Duration) -> Result<Bytes, Response> {
    body::read(&parts.headers, body, within).await.map_err(|reason| unread(reason, Fault::NotJson))
}

/// The same for a component.
pub(super) async fn read_component(parts: &Parts, body: Body, within: Duration) -> Result<Bytes, Response> {
    let read = body::read_as("application/wasm", COMPONENT_BYTES, &parts.headers, body, within).await;
    read.map_err(|reason| unread(reason, Fault::NotWasm))
}

fn unread(reason: BodyFault, other_kind: Fault) -> Response {
    let fault = match reason {
        BodyFault::Kind(_) => other_kind,
        BodyFault::TooLarge(_) => Fault::TooLarge,
        BodyFault::Broken => Fault::BrokenBody,
        BodyFault::TooSlow(_) => Fault::SlowBody,
    };
    debug_assert_eq!(fault.status(), reason.status());
    failed(fault, &reason.to_string())
}

/// A JSON answer that is a success.
pub(super) fn ok(value: &Value) -> Response {
    (StatusCode::OK, Json(value)).into_response()
}
