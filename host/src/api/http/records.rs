//! `GET /v1/calls` and `GET /v1/calls/{id}`: what is recorded of a tenant's calls. An operator sees one call of any tenant;
//! to anybody else another tenant's call is one that never was.

use axum::extract::{Request, State};
use axum::http::Uri;
use axum::response::Response;
use serde_json::{Value, json};

use super::answers::{failed, ok, refused, unavailable};
use super::fault::Fault;
use super::query::{Query, no_query};
use super::routes::{Group, Segment, Served, segment};
use crate::api::view;
use crate::id::CallId;
use crate::store::{View, Wanted};

/// Calls of a page, unless the request says otherwise, and at most.
const PAGE: usize = 100;
const LARGEST_PAGE: usize = 1_000;

/// The longest tool or code that is looked for.
const WORD_BYTES: usize = 64;

/// The tenant's latest calls, a page at a time.
pub(super) async fn list(State(served): State<Served>, request: Request) -> Result<Response, Response> {
    let (principal, _place) = served.admit(request.headers(), None, Group::Questions).await?;
    let wanted = wanted(request.uri())?;
    let found = served.host().store().recent(&principal.tenant.id, &wanted).await;
    let page = found.map_err(|fault| unavailable(&fault))?;
    let left = page.calls.iter().filter(|call| principal.tenant.access.leaves(&call.tool));
    let calls: Vec<Value> = left.map(view::summary).collect();
    Ok(ok(&json!({"calls": calls, "next": page.next.as_ref().map(CallId::as_str)})))
}

/// One call's record and trace.
pub(super) async fn show(
    State(served): State<Served>,
    id: Segment,
    request: Request,
) -> Result<Response, Response> {
    let (principal, _place) = served.admit(request.headers(), None, Group::Questions).await?;
    no_query(request.uri())?;
    let view = if principal.roles.operator { View::Operator } else { View::Tenant(&principal.tenant.id) };
    let missing = || failed(Fault::NoSuchCall, "There is no such call. GET /v1/calls lists the latest.");
    let id: CallId = segment(id)?.parse().map_err(|_| missing())?;
    match served.host().store().trace(view, &id).await {
        // A key or token that is good for some tools reads of those.
        Ok(Some(record)) if !principal.tenant.access.leaves(&record.tool) => Err(missing()),
        Ok(Some(record)) => Ok(ok(&view::trace(&record, view))),
        Ok(None) => Err(missing()),
        Err(fault) => Err(unavailable(&fault)),
    }
}

fn wanted(uri: &Uri) -> Result<Wanted, Response> {
    let mut query = Query::of(uri)?;
    let wanted = Wanted {
        tool: query.one("tool")?,
        code: query.one("code")?,
        before: query.one("before")?,
        limit: query.one("limit")?.unwrap_or(PAGE),
    };
    query.close()?;
    for (name, word) in [("tool", &wanted.tool), ("code", &wanted.code)] {
        let fits = |word: &String| {
            (1..=WORD_BYTES).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_graphic())
        };
        if word.as_ref().is_some_and(|word| !fits(word)) {
            return Err(refused(&format!("{name} has to have 1 to {WORD_BYTES} printable ASCII characters")));
        }
    }
    if !(1..=LARGEST_PAGE).contains(&wanted.limit) {
        return Err(refused(&format!("limit has to be from 1 to {LARGEST_PAGE}")));
    }
    Ok(wanted)
}
