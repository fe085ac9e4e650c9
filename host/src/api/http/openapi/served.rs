//! What is served and how it changes, for the document: paths and shapes.

#![expect(dead_code, reason = "shapes are described and never made")]

use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::PathItem;
use utoipa::openapi::path::{HttpMethod, PathItemBuilder};

use super::super::fault::Fault;
use super::operation::{Draft, in_path, operation};
use super::shapes::JsonObject;

/// The components of a host.
#[derive(ToSchema)]
pub(super) struct ComponentList {
    components: Vec<ComponentView>,
}

/// A component as an operator sees it.
#[derive(ToSchema)]
pub(super) struct ComponentView {
    name: String,
    /// Its file; of an uploaded one its name, behind `uploaded:`.
    #[schema(required)]
    path: Option<String>,
    uploaded: bool,
    /// `served`, `served_and_waiting`, `quarantined`, `refused` or `elsewhere`.
    state: String,
    /// The digest of the code that is served.
    #[schema(required)]
    digest: Option<String>,
    tools: Vec<String>,
    #[schema(required)]
    accepted: Option<ComponentVersion>,
    #[schema(required)]
    waiting: Option<ComponentVersion>,
    /// Why it, or a part of it, is not served.
    reasons: Vec<String>,
    /// Of a single component: `{differences, omitted}` if a version waits, else null.
    #[schema(value_type = Option<Object>, required = false)]
    changes: Option<Value>,
}

/// One version of a component.
#[derive(ToSchema)]
pub(super) struct ComponentVersion {
    digest: String,
    tools: Vec<String>,
    by: String,
    since_unix_ms: u64,
}

/// An operator's word about the version that waits.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ComponentWord {
    accept: bool,
    /// The digest of what waits, as it was shown.
    #[schema(pattern = "^sha256:[0-9a-f]{64}$")]
    digest: String,
}

pub(super) fn components() -> Draft {
    operation("list_components", "All components", "For operators.")
        .answers::<ComponentList>("Those of this host, and those that its store knows.")
        .fails(&[Fault::Forbidden, Fault::StoreUnavailable])
}

pub(super) fn component() -> PathItem {
    let name = || in_path("name", "The component's name.");
    let operation = |id: &str, summary: &str| {
        let faults = [Fault::Forbidden, Fault::NoSuchComponent, Fault::StoreUnavailable];
        operation(id, summary, "For operators.").parameter(name()).fails(&faults)
    };
    let waits = [Fault::NothingWaits, Fault::OtherVersionWaits, Fault::ComponentIsAFile, Fault::ReloadFailed];
    let show = operation("show_component", "One component, and what the version that waits would change")
        .answers::<ComponentView>("The component.");
    let upload = operation("upload_component", "Upload a component to the store, for all hosts on it")
        .component()
        .answers::<JsonObject>("What became of it: `{state, version}`, `accepted`, `waiting` or `unchanged`.")
        .fails(&[
            Fault::NotConfigured,
            Fault::NameTaken,
            Fault::ToolTaken,
            Fault::TooManyComponents,
            Fault::ComponentRefused,
            Fault::ReloadFailed,
        ]);
    let decide = operation("decide_component", "Accept or reject the version that waits")
        .body::<ComponentWord>()
        .answers::<JsonObject>("The component, or that its version was rejected.")
        .fails(&waits);
    let remove = operation("remove_component", "Take an uploaded component out")
        .answers::<JsonObject>("It is gone. What it kept for tenants stays.")
        .fails(&[Fault::ComponentIsAFile, Fault::ReloadFailed]);
    PathItemBuilder::new()
        .operation(HttpMethod::Get, show.build())
        .operation(HttpMethod::Put, upload.build())
        .operation(HttpMethod::Post, decide.build())
        .operation(HttpMethod::Delete, remove.build())
        .build()
}
