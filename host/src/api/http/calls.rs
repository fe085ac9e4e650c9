//! `POST /v1/calls`: many calls in one request, `{calls: [{tool, arguments, idempotency_key}], run, allow, wait}`, and
//! one outcome for each, `{results: [...]}`, in the order of the calls. `wait` goes with a single call: until its reviewer has
//! decided, where one has to agree. A failure of a tool is a result; a status other than
//! 200 means that nothing ran.

use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde_json::{Value, json};

use super::answers::{failed, ok, read, refused};
use super::fault::Fault;
use super::query::no_query;
use super::routes::{Group, Served};
use crate::api::{batch, view};
use crate::gate::{Call, Surface};
use crate::id::{IdError, IdempotencyKey};

/// The header for the key of a request's one call (draft-ietf-httpapi-idempotency-key-header), without quotes or in
/// them.
const KEY_HEADER: &str = "idempotency-key";

/// Makes the calls of one request. If the future is dropped, so are the calls; one with a key goes on for a moment.
pub(super) async fn answer(State(served): State<Served>, request: Request) -> Result<Response, Response> {
    let (principal, _place) = served.admit(request.headers(), Some(Role::Caller), Group::Calls).await?;
    no_query(request.uri())?;
    let (parts, body) = request.into_parts();
    let text = read(&parts, body, served.body_within).await?;
    let mut calls = batch::request(&text, &principal.caller(Surface::Http))
        .map_err(|fault| refused(&fault.to_string()))?;
    add_key(&parts.headers, &mut calls)?;
    let outcomes = served.host().call_many(calls).await.map_err(|fault| refused(&fault.to_string()))?;
    let results: Vec<Value> = outcomes.iter().map(view::outcome).collect();
    Ok(ok(&json!({"results": results})))
}

/// Gives the request's one call the key of the header.
pub(super) fn add_key(headers: &HeaderMap, calls: &mut [Call]) -> Result<(), Response> {
    let mut values = headers.get_all(KEY_HEADER).iter();
    let Some(value) = values.next() else { return Ok(()) };
    if values.next().is_some() {
        return Err(refused("the header Idempotency-Key is there more than once"));
    }
    let text = value.to_str().map_err(|_| refused("the header Idempotency-Key has to be printable ASCII"))?;
    let bare = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    let key: IdempotencyKey = bare.parse().map_err(|fault: IdError| refused(&fault.to_string()))?;
    let [call] = calls else {
        let text =
            "The header Idempotency-Key is for one call; write idempotency_key into each of the calls.";
        return Err(failed(Fault::KeyMismatch, text));
    };
    if call.key.as_ref().is_some_and(|own| *own != key) {
        return Err(failed(Fault::KeyMismatch, "The call has another idempotency_key than the header."));
    }
    call.key = Some(key);
    Ok(())
}
