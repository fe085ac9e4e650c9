//! From a component that was described to tools that can be called: each is checked against what the operator says.

use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use toolhost_check::{Accept, Schema, SchemaLimits};

use super::{Candidate, LoadError, LoadedComponent};
use crate::executor::settings::{ComponentSettings, Settings};
use crate::id::hex;
use crate::policy::{ToolOverride, ToolPolicy};
use crate::registry::{Entry, Source};
use crate::sandbox::Prepared;
use crate::spec::{SpecFault, ToolSpec, is_clean};

/// The tools of a component, under the settings of its entry.
///
/// # Errors
/// [`LoadError`] names the tool and what is wrong with it.
pub(in crate::executor) fn entries(
    candidate: &Candidate,
    settings: &Settings,
    prepared: &Prepared,
) -> Result<(LoadedComponent, Vec<Entry>), LoadError> {
    let component = &candidate.component;
    let has = |name: &String| prepared.specs.iter().any(|spec| spec.name.as_str() == name.as_str());
    if let Some(name) = component.tools.keys().find(|name| !has(name)) {
        return Err(LoadError::NoSuchTool(name.clone()));
    }
    let source = Arc::new(Source {
        path: candidate.path.clone(),
        digest: prepared.digest,
        name: candidate.name.clone(),
        grants: component.grants.clone(),
        config: Arc::new(component.config.clone()),
    });
    let mut entries = Vec::with_capacity(prepared.specs.len());
    for spec in &prepared.specs {
        entries.push(entry(&source, component, settings, spec.clone())?);
    }
    let loaded = LoadedComponent {
        path: candidate.path.clone(),
        name: candidate.name.clone(),
        digest: prepared.digest,
        tools: entries.iter().map(|entry| entry.name.clone()).collect(),
        trusted: component.trust_annotations,
        from_cache: prepared.from_cache,
        prepared: Arc::new(prepared.clone()),
    };
    Ok((loaded, entries))
}

fn entry(
    source: &Arc<Source>,
    component: &ComponentSettings,
    settings: &Settings,
    spec: ToolSpec,
) -> Result<Entry, LoadError> {
    let untouched = ToolOverride::default();
    let operator = component.tools.get(spec.name.as_str()).unwrap_or(&untouched);
    let name = match &component.prefix {
        Some(prefix) => format!("{prefix}{}", spec.name).parse().map_err(SpecFault::from)?,
        None => spec.name.clone(),
    };
    let fault =
        |which: &'static str, reason: String| SpecFault::Schema { tool: spec.name.clone(), which, reason };
    let bounds = SchemaLimits::default();
    let accept = Accept { open: operator.accept_open_schema, reserved_names: operator.accept_open_schema };
    let input = Schema::admit_input(&spec.input_schema, &bounds, accept)
        .map_err(|e| fault("input", e.to_string()))?;
    if !has_clean_texts(input.source()) {
        return Err(SpecFault::Hidden { tool: spec.name.to_string(), field: "input schema" }.into());
    }
    let output = match &spec.output_schema {
        Some(text) => Some(Schema::compile(text, &bounds).map_err(|e| fault("output", e.to_string()))?),
        None => None,
    };
    if output.as_ref().is_some_and(|output| !has_clean_texts(output.source())) {
        return Err(SpecFault::Hidden { tool: spec.name.to_string(), field: "output schema" }.into());
    }
    let policy = ToolPolicy::effective(&spec, component.trust_annotations, operator, &settings.wider());
    if operator.retries.is_some_and(|retries| retries > policy.retry.retries) {
        return Err(LoadError::RetriesWrite(name, source.digest));
    }
    let mut hash = Sha256::new();
    hash.update(format!("{spec:?}{policy:?}{:?}{:?}", source.grants, source.config).as_bytes());
    let policy_hash = hex(&hash.finalize());
    Ok(Entry { name, spec, policy, source: source.clone(), input, output, policy_hash })
}

/// Whether every key and string of a schema is what people see. Its depth is bounded where it is compiled.
fn has_clean_texts(schema: &serde_json::Value) -> bool {
    match schema {
        serde_json::Value::String(text) => is_clean(text),
        serde_json::Value::Array(items) => items.iter().all(has_clean_texts),
        serde_json::Value::Object(members) => {
            members.iter().all(|(key, value)| is_clean(key) && has_clean_texts(value))
        }
        _ => true,
    }
}
