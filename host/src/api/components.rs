//! The wire form of components, for the command line and HTTP.

use serde_json::{Value, json};

use crate::executor::{ComponentView, Drift, Taken};
use crate::store::Version;

/// A component as an operator sees it.
#[must_use]
pub fn component(view: &ComponentView) -> Value {
    json!({
        "name": view.name,
        "path": view.path.as_ref().map(|path| path.display().to_string()),
        "uploaded": view.uploaded,
        "state": view.state.as_str(),
        "digest": view.served.map(|digest| digest.to_string()),
        "tools": view.tools,
        "accepted": view.accepted.as_ref().map(version),
        "waiting": view.waiting.as_ref().map(version),
        "reasons": view.reasons,
    })
}

/// The same with what the version that waits would change; `changes` is null if none waits.
#[must_use]
pub fn component_with_changes(view: &ComponentView, drift: Option<&Drift>) -> Value {
    let mut value = component(view);
    if let Some(object) = value.as_object_mut() {
        object.insert("changes".to_owned(), drift.map(changes).into());
    }
    value
}

/// What became of an upload: `{state, version}`.
#[must_use]
pub fn taken(taken: &Taken) -> Value {
    let (state, taken) = match taken {
        Taken::Accepted(version) => ("accepted", version),
        Taken::Waiting(version) => ("waiting", version),
        Taken::Unchanged(version) => ("unchanged", version),
    };
    json!({"state": state, "version": version(taken)})
}

fn version(version: &Version) -> Value {
    json!({
        "digest": version.digest.to_string(),
        "tools": version.tools,
        "by": version.by,
        "since_unix_ms": version.since_unix_ms,
    })
}

fn changes(drift: &Drift) -> Value {
    let differences: Vec<Value> = drift.differences.iter().map(Value::from).collect();
    json!({"differences": differences, "omitted": drift.omitted})
}
