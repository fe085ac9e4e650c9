use serde_json::json;

use super::*;
use crate::api::batch::MOST_PATTERNS;

fn parse(meta: &Value) -> Result<RequestMeta, String> {
    RequestMeta::parse(meta.as_object().unwrap()).map_err(|fault| fault.to_string())
}

#[test]
fn our_keys_are_read_and_all_others_are_left_alone() {
    let meta = parse(&json!({
        "progressToken": 1,
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "tenant_id": "victim",
        "toolhost/run": "run 1",
        "toolhost/idempotency-key": "k/1",
        "toolhost/allow": ["get_*", "multiply"],
        "toolhost/wait": true,
    }))
    .unwrap();
    assert_eq!(meta.run, Some("run 1".parse().unwrap()));
    assert_eq!(meta.key, Some("k/1".parse().unwrap()));
    assert_eq!(meta.allow, Some(vec!["get_*".parse().unwrap(), "multiply".parse().unwrap()]));
    assert_eq!(parse(&json!({})), Ok(RequestMeta::default()));
}

#[test]
fn an_empty_list_narrows_to_nothing() {
    assert_eq!(parse(&json!({"toolhost/allow": []})).unwrap().allow, Some(vec![]));
}

#[test]
fn a_bad_value_is_refused_and_the_key_is_named() {
    for (key, value) in [
        ("toolhost/run", json!("")),
        ("toolhost/run", json!("a\nb")),
        ("toolhost/run", json!(1)),
        ("toolhost/run", Value::Null),
        ("toolhost/idempotency-key", json!("x".repeat(257))),
        ("toolhost/idempotency-key", json!(["k"])),
        ("toolhost/allow", json!("get_*")),
        ("toolhost/allow", json!(["a b"])),
        ("toolhost/allow", json!([1])),
        ("toolhost/allow", json!(vec!["a"; MOST_PATTERNS + 1])),
        ("toolhost/wait", json!("false")),
        ("toolhost/tenant", json!("victim")),
        ("toolhost/idempotency_key", json!("k")),
    ] {
        let fault = parse(&json!({ key: value.clone() })).unwrap_err();
        assert!(fault.contains(&format!("{key:?}")), "{value}: {fault}");
    }
}
