//! `POST /v1/calls`: many calls in one request, `{calls: [{tool, arguments, idempotency_key}], run, allow, wait}`, and
//! one outcome for each, `{results: [...]}`, in the order of the calls. `wait` goes with a single call: until its reviewer has
//! decided, where one has to agree. A failure of a tool is a result; a status other than
//! 200 means that nothing ran.

use axum::Json;
use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use super::answers::{read, refused};
use crate::api::{batch, view};
use crate::executor::Host;
use crate::gate::{Call, Caller};
use crate::id::IdempotencyKey;

/// The header for the key of a request's one call (draft-ietf-httpapi-idempotency-key-header), without quotes or in
/// them.
const KEY_HEADER: &str = "idempotency-key";

/// Makes the calls of one request. If the future is dropped, so are the calls; one with a key goes on for a moment.
pub(super) async fn answer(host: &Host, caller: &Caller, parts: &Parts, body: Body) -> Response {
    let text = match read(parts, body).await {
        Ok(text) => text,
        Err(refusal) => return refusal,
    };
    let mut calls = match batch::request(&text, caller) {
        Ok(calls) => calls,
        Err(fault) => return refused(&fault.to_string()),
    };
    if let Err(reason) = add_key(&parts.headers, &mut calls) {
        return refused(&reason);
    }
    match host.call_many(calls).await {
        Ok(outcomes) => {
            let results: Vec<Value> = outcomes.iter().map(view::outcome).collect();
            Json(json!({"results": results})).into_response()
        }
        Err(fault) => refused(&fault.to_string()),
    }
}

/// Gives the request's one call the key of the header.
fn add_key(headers: &HeaderMap, calls: &mut [Call]) -> Result<(), String> {
    let mut values = headers.get_all(KEY_HEADER).iter();
    let Some(value) = values.next() else { return Ok(()) };
    let ([call], None) = (calls, values.next()) else {
        return Err(
            "the header Idempotency-Key is for one call; write idempotency_key into each of the calls".into(),
        );
    };
    let text = value.to_str().map_err(|_| "the header Idempotency-Key has to be printable ASCII")?;
    let bare = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    let key: IdempotencyKey = bare.parse().map_err(|fault| format!("{fault}"))?;
    if call.key.as_ref().is_some_and(|own| *own != key) {
        return Err("the call has another idempotency_key than the header".into());
    }
    call.key = Some(key);
    Ok(())
}
