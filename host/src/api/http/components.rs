//! `/v1/components`, for operators: what is served and why something is not, uploads, and their acceptance. `GET` lists, and
//! shows one with what the version that waits would change; `PUT /v1/components/{name}` uploads `application/wasm`; `POST` there
//! with `{accept, digest}` accepts or rejects what waits; `DELETE` takes an upload out.

use axum::extract::{Request, State};
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};

use super::answers::{failed, ok, read, read_component, refused};
use super::fault::Fault;
use super::query::no_query;
use super::routes::{Group, Segment, Served, segment};
use crate::api::batch::object;
use crate::api::components as wire;
use crate::api::identity::Role;
use crate::executor::ComponentError;
use crate::id::{ComponentName, Digest};
use crate::spec::clean;

/// An operator's word about the version that waits. The digest is the one that was shown, so that nothing that took its place
/// meanwhile is accepted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Word {
    accept: bool,
    digest: String,
}

/// All components of this host, and those that its store knows.
pub(super) async fn list(State(served): State<Served>, request: Request) -> Result<Response, Response> {
    let (_, _place) = served.admit(request.headers(), Some(Role::Operator), Group::Questions).await?;
    no_query(request.uri())?;
    let all = served.host().components().list().await.map_err(|fault| unchanged(&fault))?;
    let components: Vec<Value> = all.iter().map(wire::component).collect();
    Ok(ok(&json!({"components": components})))
}

/// One component, and what the version that waits would change.
pub(super) async fn show(
    State(served): State<Served>,
    name: Segment,
    request: Request,
) -> Result<Response, Response> {
    let (_, _place) = served.admit(request.headers(), Some(Role::Operator), Group::Questions).await?;
    no_query(request.uri())?;
    let shown = served.host().components().show(&segment(name)?).await;
    let (view, drift) = shown.map_err(|fault| unchanged(&fault))?;
    Ok(ok(&wire::component_with_changes(&view, drift.as_ref())))
}

/// Takes an upload. Dropping the future may leave it taken or not.
pub(super) async fn upload(
    State(served): State<Served>,
    name: Segment,
    request: Request,
) -> Result<Response, Response> {
    let (principal, _place) = served.admit(request.headers(), Some(Role::Operator), Group::Uploads).await?;
    no_query(request.uri())?;
    let name: ComponentName = segment(name)?.parse().map_err(|fault| refused(&format!("{fault}")))?;
    let (parts, body) = request.into_parts();
    let bytes = read_component(&parts, body, served.body_within).await?;
    let taken = served.host().components().add(&name, &bytes, &principal.named(Role::Operator)).await;
    Ok(ok(&wire::taken(&taken.map_err(|fault| unchanged(&fault))?)))
}

/// Accepts or rejects what waits.
pub(super) async fn decide(
    State(served): State<Served>,
    name: Segment,
    request: Request,
) -> Result<Response, Response> {
    let (principal, _place) = served.admit(request.headers(), Some(Role::Operator), Group::Uploads).await?;
    no_query(request.uri())?;
    let name = segment(name)?;
    let (parts, body) = request.into_parts();
    let text = read(&parts, body, served.body_within).await?;
    let word: Word = object(&text).map_err(|fault| refused(&format!("the word cannot be read: {fault}")))?;
    let digest: Digest = word.digest.parse().map_err(|fault| refused(&format!("{fault}")))?;
    let components = served.host().components();
    if word.accept {
        let view = components.accept(&name, Some(digest), &principal.named(Role::Operator)).await;
        return Ok(ok(&wire::component(&view.map_err(|fault| unchanged(&fault))?)));
    }
    components.reject(&name, Some(digest)).await.map_err(|fault| unchanged(&fault))?;
    Ok(ok(&json!({"name": name, "rejected": true})))
}

/// Takes an upload out.
pub(super) async fn remove(
    State(served): State<Served>,
    name: Segment,
    request: Request,
) -> Result<Response, Response> {
    let (_, _place) = served.admit(request.headers(), Some(Role::Operator), Group::Uploads).await?;
    no_query(request.uri())?;
    let name = segment(name)?;
    served.host().components().remove(&name).await.map_err(|fault| unchanged(&fault))?;
    Ok(ok(&json!({"name": name, "removed": true})))
}

/// Nothing was changed, or not as it was meant.
fn unchanged(fault: &ComponentError) -> Response {
    let kind = match fault {
        ComponentError::NoSuchComponent(_) => Fault::NoSuchComponent,
        ComponentError::NothingWaits(_) => Fault::NothingWaits,
        ComponentError::OtherWaits { .. } => Fault::OtherVersionWaits,
        ComponentError::NotConfigured(_) => Fault::NotConfigured,
        ComponentError::NameTaken { .. } => Fault::NameTaken,
        ComponentError::ToolTaken(_) => Fault::ToolTaken,
        ComponentError::Load(_) => Fault::ComponentRefused,
        ComponentError::IsFile { .. } => Fault::ComponentIsAFile,
        ComponentError::TooMany { .. } => Fault::TooManyComponents,
        ComponentError::Reload(_) => Fault::ReloadFailed,
        ComponentError::Store(fault) => return super::answers::unavailable(fault),
    };
    debug_assert_eq!(kind.code(), fault.code());
    failed(kind, &clean(format!("{fault}.")))
}
