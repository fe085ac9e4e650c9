//! `/v1/tools`: the tools that a caller may call, and one call of one of them.
//!
//! The list is the same from request to request for as long as the tools and the tenant's rules are, and has an `ETag` (RFC
//! 9110, section 8.8.3) that says so.

use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, ETAG, IF_NONE_MATCH, VARY};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::answers::{failed, ok, read, refused, unavailable};
use super::calls::add_key;
use super::fault::Fault;
use super::query::{Query, no_query};
use super::routes::{Group, Segment, Served, segment};
use crate::api::batch::{self, Single};
use crate::api::identity::Role;
use crate::api::{mcp, view};
use crate::executor::Host;
use crate::gate::{Answers, Call, Kept, Surface};
use crate::id::hex;
use crate::policy::{Pattern, Tenant};
use crate::registry::{Entry, Snapshot};
use crate::spec::InputMethod;
use crate::store::SealError;

/// A form in which tools are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Format {
    /// As MCP's `tools/list` has them.
    #[default]
    Mcp,
}

impl Format {
    const ALL: [(&str, Self); 1] = [("mcp", Self::Mcp)];

    fn parse(text: Option<&str>) -> Result<Self, Response> {
        let Some(text) = text else { return Ok(Self::default()) };
        let known = Self::ALL.into_iter().find(|(name, _)| *name == text);
        known.map(|(_, format)| format).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.into_iter().map(|(name, _)| name).collect();
            let message = format!("There is no such format. Use one of: {}.", names.join(", "));
            failed(Fault::UnsupportedFormat, &message)
        })
    }

    /// One tool in this form.
    fn tool(self, entry: &Entry) -> Value {
        match self {
            Self::Mcp => mcp::render_tool(entry),
        }
    }
}

/// The tools that the caller may call, by name, narrowed by `allow`.
pub(super) async fn list(State(served): State<Served>, request: Request) -> Result<Response, Response> {
    let (principal, _place) = served.admit(request.headers(), Some(Role::Caller), Group::Questions).await?;
    let mut query = Query::of(request.uri())?;
    let (format, allow): (Option<String>, Vec<String>) = (query.one("format")?, query.all("allow")?);
    query.close()?;
    let format = Format::parse(format.as_deref())?;
    let texts = (!allow.is_empty()).then_some(allow);
    let allow = batch::allow(texts.as_deref()).map_err(|fault| refused(&fault.to_string()))?;
    let tools = served.host().tools();
    let tag = tag(&tools, &principal.tenant, &format!("{format:?} {allow:?}"));
    Ok(tagged(request.headers(), &tag, || {
        let visible = tools.visible(&principal.tenant.access, allow.as_deref());
        let tools: Vec<Value> = visible.map(|entry| format.tool(entry)).collect();
        json!({"tools": tools})
    }))
}

/// One tool. What the caller may not call is answered as one that never was.
pub(super) async fn show(
    State(served): State<Served>,
    name: Segment,
    request: Request,
) -> Result<Response, Response> {
    let (principal, _place) = served.admit(request.headers(), Some(Role::Caller), Group::Questions).await?;
    let name = segment(name)?;
    let mut query = Query::of(request.uri())?;
    let format: Option<String> = query.one("format")?;
    query.close()?;
    let format = Format::parse(format.as_deref())?;
    let tools = served.host().tools();
    let permits = principal.tenant.access.permits(&name, None);
    let Some(entry) = tools.get(&name).filter(|_| permits) else {
        return Err(failed(
            Fault::NoSuchTool,
            "There is no such tool. GET /v1/tools lists those that there are.",
        ));
    };
    let tag = tag(&tools, &principal.tenant, &format!("{format:?} {name}"));
    Ok(tagged(request.headers(), &tag, || format.tool(entry)))
}

/// Makes one call of one tool. If the future is dropped, so is the call; one with a key goes on for a moment.
pub(super) async fn call(
    State(served): State<Served>,
    name: Segment,
    request: Request,
) -> Result<Response, Response> {
    let (principal, _place) = served.admit(request.headers(), Some(Role::Caller), Group::Calls).await?;
    let name = segment(name)?;
    no_query(request.uri())?;
    let (parts, body) = request.into_parts();
    let text = read(&parts, body, served.body_within).await?;
    let caller = principal.caller(Surface::Http);
    let single = batch::single(&text, &caller, &name).map_err(|fault| refused(&fault.to_string()))?;
    let mut call = whole(served.host(), single).await?;
    add_key(&parts.headers, std::slice::from_mut(&mut call))?;
    Ok(ok(&view::outcome(&served.host().execute(call).await)))
}

/// The call with what it brings of an earlier round. Whoever speaks HTTP is a program that can answer anything.
async fn whole(host: &Host, single: Single) -> Result<Call, Response> {
    let Single { call, answers, state } = single;
    let round = match state {
        None => None,
        Some(state) => match Kept::open(host.store(), &state).await {
            Ok(Kept::Round(round)) => Some(round),
            Ok(Kept::Approval { .. }) => return Err(not_ours(&SealError::Forged)),
            Err(SealError::Store(fault)) => return Err(unavailable(&fault)),
            Err(fault) => return Err(not_ours(&fault)),
        },
    };
    let answers = match (answers, round) {
        (None, None) => None,
        (given, round) => Some(Answers { given: given.unwrap_or_default(), round }),
    };
    Ok(Call { asks: InputMethod::ALL.to_vec(), answers, ..call })
}

fn not_ours(fault: &SealError) -> Response {
    failed(
        Fault::StateMismatch,
        &format!("The state cannot be used: {fault}. Make the call again without it."),
    )
}

/// What a list rests on: this program, the tools, the rules of the caller's tenant, and what was asked for.
fn tag(tools: &Snapshot, tenant: &Tenant, asked: &str) -> String {
    let mut hash = Sha256::new();
    let rules: &[&Vec<Pattern>] = &[&tenant.access.allow, &tenant.access.deny];
    hash.update(format!("{} {} {} {rules:?} {asked}", env!("CARGO_PKG_VERSION"), tools.hash(), tenant.id));
    format!("\"{}\"", hex(&hash.finalize()))
}

/// An answer with its tag, without a body where the client has it already.
fn tagged(headers: &HeaderMap, tag: &str, body: impl FnOnce() -> Value) -> Response {
    let mut response =
        if is_known(headers, tag) { StatusCode::NOT_MODIFIED.into_response() } else { ok(&body()) };
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(ETAG, tag);
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(VARY, HeaderValue::from_static("Authorization"));
    response
}

/// Whether `If-None-Match` has the tag (RFC 9110, section 13.1.2).
fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let values = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut tags = values.flat_map(|text| text.split(',')).map(str::trim);
    tags.any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_known_by_itself_and_by_no_other() {
        for (values, known) in [
            (&[][..], false),
            (&["\"a\""], true),
            (&["W/\"a\""], true),
            (&["\"b\", \"a\""], true),
            (&["\"b\"", "*"], true),
            (&["a"], false),
            (&["\"ab\""], false),
        ] {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(IF_NONE_MATCH, HeaderValue::from_static(value));
            }
            assert_eq!(is_known(&headers, "\"a\""), known, "{values:?}");
        }
    }
}
