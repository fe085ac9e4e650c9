//! Reviewers over HTTP: who may decide, what a decision is good for, and that it is used once.

use serde_json::Value;
use tokio::task::JoinSet;
use toolhost::id::Digest;
use toolhost_tests::guest::{Guest, GuestTool};
use toolhost_tests::host::Ground;
use toolhost_tests::wire::{Served, http};

const CALLER: &str = "key-of-acme";
const APPROVER: &str = "key-of-its-approver";
const STRANGER: &str = "key-of-another-approver";

fn ground() -> Ground {
    let digest = |key: &str| Digest::of(key.as_bytes()).to_string();
    let mut asks = GuestTool::new("asks");
    asks.requires_approval = true;
    let asks = Guest::of(vec![asks], &Guest::echo()).build();
    Ground::new().component("asks", &asks).config(&format!(
        "[[tenant]]\nid = \"acme\"\nkeys = [\"{}\"]\napprover_keys = [\"{}\"]\n\
         [[tenant]]\nid = \"globex\"\nkeys = [\"{}\"]\napprover_keys = [\"{}\"]\n\
         [[component]]\npath = \"tools/asks.wasm\"\n",
        digest(CALLER),
        digest(APPROVER),
        digest("key-of-globex"),
        digest(STRANGER),
    ))
}

async fn send(served: &Served, key: &str, method: &str, path: &str, body: &str) -> (u16, Value) {
    let headers = [("Authorization", format!("Bearer {key}"))];
    let (status, answer) = http(&served.address, method, path, &headers, body).await;
    (status, serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{status}: {answer}")))
}

async fn call(served: &Served, number: usize) -> Value {
    let body = format!(r#"{{"calls":[{{"tool":"asks","arguments":{{"a":{number}}}}}]}}"#);
    let (status, mut answer) = send(served, CALLER, "POST", "/v1/calls", &body).await;
    assert_eq!(status, 200, "{answer}");
    answer["results"][0].take()
}

async fn decide(served: &Served, key: &str, id: &str, body: &str) -> (u16, Value) {
    send(served, key, "POST", &format!("/v1/approvals/{id}"), body).await
}

/// The id of the approval that a call waits for.
fn asked(result: &Value) -> String {
    assert_eq!(result["error"]["code"], "needs_approval", "{result}");
    result["error"]["approval"].as_str().unwrap_or_else(|| panic!("{result}")).to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approver_decides_by_id_and_a_caller_does_not() {
    let ground = ground();
    let served = Served::start(ground.path());
    let id = asked(&call(&served, 1).await);
    assert_eq!(asked(&call(&served, 1).await), id, "one question, however often it is asked");
    for key in [CALLER, APPROVER] {
        let (status, list) = send(&served, key, "GET", "/v1/approvals", "").await;
        assert_eq!((status, &list["approvals"][0]["id"]), (200, &Value::from(id.as_str())), "{list}");
    }
    let yes = r#"{"approve":true}"#;
    for (key, id, body, status, code) in [
        ("no-key", id.as_str(), yes, 401, "unauthenticated"),
        (CALLER, &id, yes, 403, "forbidden"),
        (STRANGER, &id, yes, 404, "no_such_approval"),
        (APPROVER, "apr_0", yes, 404, "no_such_approval"),
        (APPROVER, &id, r#"{"approve":false}"#, 400, "bad_request"),
        (APPROVER, &id, r#"{"approve":true,"ids":[]}"#, 400, "bad_request"),
    ] {
        let (seen, answer) = decide(&served, key, id, body).await;
        assert_eq!((seen, &answer["error"]["code"]), (status, &Value::from(code)), "{answer}");
    }
    let (status, _) = send(&served, APPROVER, "POST", "/v1/calls", r#"{"calls":[]}"#).await;
    assert_eq!(status, 401, "an approver calls nothing");
    assert_eq!(asked(&call(&served, 1).await), id, "nothing was decided so far");
    let (status, decided) = decide(&served, APPROVER, &id, yes).await;
    assert_eq!((status, &decided["state"]), (200, &Value::from("approved")), "{decided}");
    assert_eq!(decided["decided_by"], "an approver of acme");
    let (status, answer) = decide(&served, APPROVER, &id, r#"{"approve":false,"reason":"No."}"#).await;
    assert_eq!((status, &answer["error"]["code"]), (409, &Value::from("not_pending")), "{answer}");
    assert_eq!(call(&served, 1).await["ok"], true);
    let next = asked(&call(&served, 1).await);
    assert_ne!(next, id, "used once");
    decide(&served, APPROVER, &next, r#"{"approve":false,"reason":"The parcel has left."}"#).await;
    let denied = call(&served, 1).await;
    assert_eq!(denied["error"]["code"], "approval_denied", "{denied}");
    assert!(denied["error"]["message"].as_str().unwrap().contains("The parcel has left."), "{denied}");
    let (_, list) = send(&served, CALLER, "GET", "/v1/approvals?all=true", "").await;
    let states: Vec<&str> =
        list["approvals"].as_array().unwrap().iter().map(|it| it["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["denied", "used"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_that_redeem_one_approval_on_two_nodes_one_runs() {
    let ground = ground();
    let other = ground.another();
    let nodes = [Served::start(ground.path()), Served::start(other.path())];
    let nodes = std::sync::Arc::new(nodes);
    for round in 0..toolhost_tests::rounds(3, 200) {
        let id = asked(&call(&nodes[0], round).await);
        // What one node asked is decided on the other.
        assert_eq!(decide(&nodes[1], APPROVER, &id, r#"{"approve":true}"#).await.0, 200);
        let mut callers = JoinSet::new();
        for caller in 0..64 {
            let nodes = nodes.clone();
            callers.spawn(async move { call(&nodes[caller % 2], round).await });
        }
        let mut ran = 0;
        while let Some(result) = callers.join_next().await {
            let result = result.unwrap();
            if result["ok"] == true {
                ran += 1;
            } else {
                assert_ne!(asked(&result), id);
            }
        }
        assert_eq!(ran, 1);
    }
}
