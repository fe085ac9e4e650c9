//! Keys and rounds of single calls over HTTP.

use serde_json::{Value, json};
use toolhost_tests::wire::{Answer, Served, exchange};

use super::assert_fault;
use crate::ledger::{ground, lines};

const X: &str = r#""arguments":{"line":"x"}"#;

async fn call(served: &Served, tool: &str, key: Option<&str>, body: &str) -> Answer {
    let headers: Vec<(&str, &str)> = key.map(|key| ("Idempotency-Key", key)).into_iter().collect();
    exchange(&served.address, "POST", &format!("/v1/tools/{tool}/call"), &headers, body).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_of_the_header_or_of_the_body_is_one_key() {
    let ground = ground();
    let served = Served::start(ground.path());
    let in_body = format!(r#"{{{X},"idempotency_key":"k"}}"#);
    let plain = format!("{{{X}}}");
    for (key, body, replayed) in [
        (Some("k"), &plain, false),
        (Some("\"k\""), &plain, true),
        (None, &in_body, true),
        (Some("k"), &in_body, true),
        (None, &plain, false),
    ] {
        let outcome = call(&served, "append", key, body).await.json();
        assert_eq!((&outcome["ok"], &outcome["replayed"]), (&json!(true), &json!(replayed)), "{outcome}");
    }
    assert_eq!(lines(ground.path()), 2);
    assert_fault(&call(&served, "append", Some("other"), &in_body).await, 409, "key_mismatch");
    let changed = call(&served, "append", Some("k"), r#"{"arguments":{"line":"y"}}"#).await.json();
    assert_eq!(changed["error"]["code"], "key_conflict", "{changed}");
    assert_eq!(lines(ground.path()), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_asks_and_goes_on_with_the_answers_and_the_state() {
    let ground = ground();
    let served = Served::start(ground.path());
    let asked = call(&served, "confirm", None, &format!("{{{X}}}")).await.json();
    assert_eq!(asked["error"]["type"], "InputRequired", "{asked}");
    let question = &asked["input"]["requests"][0];
    assert_eq!((&question["id"], &question["method"]), (&json!("sure"), &json!("elicitation/create")));
    let state = asked["input"]["state"].as_str().unwrap();
    let answering = |state: &str| {
        let answers = json!({"sure": {"action": "accept", "content": {"sure": true}}});
        format!(r#"{{{X},"answers":{answers},"state":{}}}"#, json!(state))
    };
    for replayed in [false, true] {
        let done = call(&served, "confirm", None, &answering(state)).await.json();
        assert_eq!(done["content"][0]["text"], "appended, asked about x", "{done}");
        assert_eq!(done["replayed"], replayed);
    }
    assert_eq!(lines(ground.path()), 1);
    assert_fault(&call(&served, "confirm", None, &answering("not ours")).await, 409, "state_mismatch");
    let other = answering(state).replace("\"x\"", "\"y\"");
    let other: Value = call(&served, "confirm", None, &other).await.json();
    assert_eq!(other["error"]["code"], "bad_args", "a state is good for its call alone: {other}");
    assert_eq!(lines(ground.path()), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deadline_of_the_request_ends_its_call() {
    let ground = super::two_tenants();
    let served = Served::start(ground.path());
    let body = r#"{"deadline_ms":200}"#;
    let outcome = super::post(&served, super::ACME, "/v1/tools/spin/call", body).await.json();
    assert_eq!(outcome["error"]["message"], "timed out after 200ms", "{outcome}");
    assert_eq!(outcome["error"]["code"], "timeout");
}
