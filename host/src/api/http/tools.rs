//! `/v1/tools`: the tools that a caller may call, and one call of one of them.
//!
//! The list is the same from request to request for as long as the tools and the tenant's rules are, and has an `ETag` (RFC
//! 9110, section 8.8.3) that says so.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::answers::{failed, ok, read, refused, unavailable};
use super::calls::add_key;
use super::fault::Fault;
use super::query::{Query, no_query};
use super::routes::{Group, Segment, Served, segment};
use crate::api::batch::{self, Single};
use crate::api::identity::Role;
use crate::api::view;
use crate::executor::Host;
use crate::gate::{Answers, Call, Kept, Surface};
use crate::id::hex;
use crate::policy::{Pattern, Tenant};
use crate::provider::{self, Format, Strict, UnknownName, Wanted};
use crate::registry::Snapshot;
use crate::spec::{InputMethod, clean};
use crate::store::SealError;

/// The form in which tools are given.
#[derive(Debug, Clone, Copy)]
struct Form {
    format: Format,
    strict: Strict,
}

impl Form {
    /// The form that a query asks for; MCP's without a word.
    fn of(query: &mut Query) -> Result<Self, Response> {
        let (format, strict): (Option<String>, Option<String>) = (query.one("format")?, query.one("strict")?);
        let unknown =
            |fault: UnknownName| failed(Fault::UnsupportedFormat, &format!("{}.", clean(fault.to_string())));
        let format = format.as_deref().map_or(Ok(Format::Mcp), str::parse).map_err(unknown)?;
        let strict = strict.as_deref().map_or(Ok(Strict::Auto), str::parse).map_err(unknown)?;
        Ok(Self { format, strict })
    }

    /// The tools of a tenant in this form, as JSON text.
    async fn list(
        self,
        host: &Host,
        tools: Arc<Snapshot>,
        tenant: Arc<Tenant>,
        narrowed: Option<Vec<Pattern>>,
    ) -> Result<String, Response> {
        let (host, Self { format, strict }) = (host.clone(), self);
        let listed = tokio::task::spawn_blocking(move || {
            let wanted = Wanted { format, strict, access: &tenant.access, narrowed: narrowed.as_deref() };
            provider::tools(host.exports(), &tools, &wanted).text
        });
        // The task ends before it is done only with the process.
        listed.await.map_err(|_| failed(Fault::StoreUnavailable, "The host is ending."))
    }
}

/// The tools that the caller may call, by name, narrowed by `allow`.
pub(super) async fn list(State(served): State<Served>, request: Request) -> Result<Response, Response> {
    let (principal, _place) = served.admit(request.headers(), Some(Role::Caller), Group::Questions).await?;
    let mut query = Query::of(request.uri())?;
    let (form, allow): (Form, Vec<String>) = (Form::of(&mut query)?, query.all("allow")?);
    query.close()?;
    let texts = (!allow.is_empty()).then_some(allow);
    let allow = batch::allow(texts.as_deref()).map_err(|fault| refused(&fault.to_string()))?;
    let tools = served.host().tools();
    let tag = tag(&tools, &principal.tenant, &format!("{form:?} {allow:?}"));
    if is_known(request.headers(), &tag) {
        return Ok(tagged(&tag, StatusCode::NOT_MODIFIED.into_response()));
    }
    let listed = form.list(served.host(), tools, principal.tenant, allow).await?;
    Ok(tagged(&tag, ([(CONTENT_TYPE, "application/json")], listed).into_response()))
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
    let form = Form::of(&mut query)?;
    query.close()?;
    let tools = served.host().tools();
    let permits = principal.tenant.access.permits(&name, None);
    let pattern = tools.get(&name).filter(|_| permits).and_then(|entry| entry.name.as_str().parse().ok());
    let Some(pattern) = pattern else {
        return Err(failed(
            Fault::NoSuchTool,
            "There is no such tool. GET /v1/tools lists those that there are.",
        ));
    };
    let tag = tag(&tools, &principal.tenant, &format!("{form:?} {name}"));
    if is_known(request.headers(), &tag) {
        return Ok(tagged(&tag, StatusCode::NOT_MODIFIED.into_response()));
    }
    let listed = form.list(served.host(), tools, principal.tenant, Some(vec![pattern])).await?;
    let mut list: Value = serde_json::from_str(&listed).unwrap_or_default();
    // All functions are one tool to Gemini.
    let place = if form.format == Format::Gemini { "/tools/0/functionDeclarations/0" } else { "/tools/0" };
    let tool = list.pointer_mut(place).map(Value::take).unwrap_or_default();
    Ok(tagged(&tag, ok(&tool)))
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
    let (version, rules) = (env!("CARGO_PKG_VERSION"), &tenant.access);
    hash.update(format!("{version} {} {} {rules:?} {asked}", tools.hash(), tenant.id));
    format!("\"{}\"", hex(&hash.finalize()))
}

/// An answer with its tag.
fn tagged(tag: &str, mut response: Response) -> Response {
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
