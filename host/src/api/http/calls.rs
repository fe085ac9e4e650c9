//! `POST /v1/calls`: many calls in one request, `{calls: [{tool, arguments, idempotency_key}], run, allow, wait}`, and
//! one outcome for each, `{results: [...]}`, in the order of the calls. `wait` goes with a single call: until its reviewer has
//! decided, where one has to agree. A failure of a tool is a result; a status other than
//! 200 means that nothing ran.
//!
//! Or a model's reply as its provider gave it, `{format, reply, strict, run, allow}`, and `{messages}` for the next request
//! beside the results.

use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde_json::{Value, json};

use super::answers::{failed, ok, read, refused};
use super::fault::Fault;
use super::query::no_query;
use super::routes::{Group, Served};
use crate::api::batch::Reply;
use crate::api::identity::{Principal, Role};
use crate::api::{batch, view};
use crate::executor::{Host, MOST_CALLS, TooManyCalls};
use crate::gate::{Call, Surface};
use crate::id::{IdError, IdempotencyKey};
use crate::provider::{self, Wanted};
use crate::spec::clean;

/// The header for the key of a request's one call (draft-ietf-httpapi-idempotency-key-header), without quotes or in
/// them.
const KEY_HEADER: &str = "idempotency-key";

/// Makes the calls of one request. If the future is dropped, so are the calls; one with a key goes on for a moment.
pub(super) async fn answer(State(served): State<Served>, request: Request) -> Result<Response, Response> {
    let (principal, _place) = served.admit(request.headers(), Some(Role::Caller), Group::Calls).await?;
    no_query(request.uri())?;
    let (parts, body) = request.into_parts();
    let text = read(&parts, body, served.body_within).await?;
    if let Some(reply) = batch::reply(&text).map_err(|fault| refused(&fault.to_string()))? {
        if parts.headers.contains_key(KEY_HEADER) {
            let text = "A model's reply has no key of its own; name a run, in which equal calls are one.";
            return Err(failed(Fault::KeyMismatch, text));
        }
        return answer_reply(served.host(), &principal, reply).await;
    }
    let mut calls = batch::request(&text, &principal.caller(Surface::Http))
        .map_err(|fault| refused(&fault.to_string()))?;
    add_key(&parts.headers, &mut calls)?;
    let outcomes = served.host().call_many(calls).await.map_err(|fault| refused(&fault.to_string()))?;
    let results: Vec<Value> = outcomes.iter().map(view::outcome).collect();
    Ok(ok(&json!({"results": results})))
}

/// Makes the calls of a model's reply, and gives what goes into the next request to its provider.
async fn answer_reply(host: &Host, principal: &Principal, reply: Reply) -> Result<Response, Response> {
    let Reply { format, strict, allow, run, text } = reply;
    let (exporting, tools, tenant) = (host.clone(), host.tools(), principal.tenant.clone());
    // The first reply of a snapshot may write its tools, and a long one takes a while to read.
    let read = tokio::task::spawn_blocking(move || {
        let wanted = Wanted { format, strict, access: &tenant.access, narrowed: allow.as_deref() };
        provider::turn(exporting.exports(), &tools, &wanted, text.as_bytes())
    });
    // The task ends before it is done only with the process.
    let read = read.await.map_err(|_| failed(Fault::StoreUnavailable, "The host is ending."))?;
    let turn = read.map_err(|fault| failed(Fault::ReplyMismatch, &clean(fault.to_string())))?;
    let found = turn.asked.len();
    if found > MOST_CALLS {
        return Err(refused(&TooManyCalls { found }.to_string()));
    }
    let calls = turn.calls(&principal.caller(Surface::Http));
    let calls = calls.into_iter().map(|call| Call { run: run.clone(), ..call }).collect();
    let outcomes = host.call_many(calls).await.map_err(|fault| refused(&fault.to_string()))?;
    let results: Vec<Value> = outcomes.iter().map(view::outcome).collect();
    let messages = turn.results(&outcomes);
    Ok(ok(&json!({"messages": messages, "results": results, "cut_off": turn.cut_off})))
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
