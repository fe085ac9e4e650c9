//! What the routes of the HTTP API answer that is no success: `{error: {code, message}}` and a status.

use axum::Json;
use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use crate::api::body;

/// The body of an error.
pub(super) fn error(code: &str, message: &str) -> Value {
    json!({"error": {"code": code, "message": message}})
}

/// An error.
pub(super) fn failed(status: StatusCode, code: &str, message: &str) -> Response {
    (status, Json(error(code, message))).into_response()
}

/// The request cannot be read, for this reason.
pub(super) fn refused(reason: &str) -> Response {
    failed(StatusCode::BAD_REQUEST, "bad_request", reason)
}

/// Reads the body of a request; the answer to give where it cannot be read.
pub(super) async fn read(parts: &Parts, body: Body) -> Result<Bytes, Response> {
    body::read(&parts.headers, body)
        .await
        .map_err(|fault| failed(fault.status(), fault.code(), &fault.to_string()))
}
