//! Tools for the tests of this module: any schema as a tool that can be called, and the corpus of awkward ones.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use toolhost_check::{Accept, Schema, SchemaLimits};

use crate::id::Digest;
use crate::policy::{Grants, Limits, Pools, Retry, ToolOverride, ToolPolicy, Wider};
use crate::registry::{Entry, Snapshot, Source};
use crate::spec::{Annotations, ToolSpec, Wishes};

/// The same schemas that real components offer in the tests from outside.
pub(super) fn corpus() -> Vec<(String, Schema)> {
    let text = include_str!("../../../tests/corpora/schemas.json");
    let cases: Vec<Value> = serde_json::from_str(text).unwrap();
    cases.iter().map(|case| (case["name"].as_str().unwrap().to_owned(), schema(&case["schema"]))).collect()
}

pub(super) fn schema(source: &Value) -> Schema {
    let accept = Accept { open: true, reserved_names: true };
    Schema::admit_input(&source.to_string(), &SchemaLimits::TOOL, accept)
        .unwrap_or_else(|fault| panic!("{fault}: {source}"))
}

pub(super) fn entry(name: &str, input: Schema) -> Entry {
    let spec = ToolSpec {
        name: name.parse().unwrap(),
        title: None,
        description: "Does what the test wants.".to_owned(),
        input_schema: input.source().to_string(),
        output_schema: None,
        annotations: Annotations::default(),
        wishes: Wishes::default(),
        required_capabilities: vec![],
        examples: vec![],
    };
    let pools = Pools::default();
    let wider = Wider { limits: Limits::default(), pools: &pools, retry: Retry::default(), runs: 3 };
    let policy = ToolPolicy::effective(&spec, false, &ToolOverride::default(), &wider);
    let source = Arc::new(Source {
        path: PathBuf::from("tools/test.wasm"),
        digest: Digest::of(b""),
        name: "test".to_owned(),
        grants: Grants::default(),
        config: Arc::default(),
    });
    Entry { name: spec.name.clone(), spec, policy, source, input, output: None, policy_hash: String::new() }
}

pub(super) fn snapshot(tools: Vec<(String, Schema)>) -> Arc<Snapshot> {
    let entries = tools.into_iter().map(|(name, schema)| entry(&name, schema)).collect();
    Arc::new(Snapshot::new(entries).0)
}
