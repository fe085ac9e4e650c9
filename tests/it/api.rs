//! The HTTP API from outside: each route with each of its answers, two tenants that see nothing of each other, and requests
//! that mean no good.

mod crowds;
mod events;
mod forms;
mod hostile;
mod keyed;
mod routes;
mod served;

use serde_json::Value;
use toolhost::id::Digest;
use toolhost_tests::guest::{Guest, GuestTool};
use toolhost_tests::host::Ground;
use toolhost_tests::wire::{Answer, Served, exchange};

const ACME: &str = "key-of-acme";
const APPROVER: &str = "key-of-the-approver-of-acme";
const GLOBEX: &str = "key-of-globex";

/// Two tenants, one of which may not use `hidden`, and tools that answer with their arguments.
fn two_tenants() -> Ground {
    let digest = |key: &str| Digest::of(key.as_bytes()).to_string();
    let mut asks = GuestTool::new("asks");
    asks.requires_approval = true;
    let tools = vec![GuestTool::new("echo"), asks, GuestTool::new("hidden")];
    let spin = Guest::new("spin", "(loop $on (br $on)) (unreachable)").build();
    Ground::new()
        .component("echo", &Guest::of(tools, &Guest::echo()).build())
        .component("spin", &spin)
        .config(&format!(
            "[[component]]\npath = \"tools/*.wasm\"\ntrust_annotations = true\n\
             [[tenant]]\nid = \"acme\"\nkeys = [\"{}\"]\napprover_keys = [\"{}\"]\n\
             [[tenant]]\nid = \"globex\"\ndeny = [\"hidden\"]\nkeys = [\"{}\"]\n",
            digest(ACME),
            digest(APPROVER),
            digest(GLOBEX),
        ))
}

/// A request with a key.
async fn send(served: &Served, key: &str, method: &str, path: &str, body: &str) -> Answer {
    let authorization = format!("Bearer {key}");
    exchange(&served.address, method, path, &[("Authorization", &authorization)], body).await
}

async fn get(served: &Served, key: &str, path: &str) -> Answer {
    send(served, key, "GET", path, "").await
}

async fn post(served: &Served, key: &str, path: &str, body: &str) -> Answer {
    send(served, key, "POST", path, body).await
}

/// Fails unless the answer is this error.
fn assert_fault(answer: &Answer, status: u16, code: &str) {
    let body = answer.json();
    assert_eq!((answer.status, &body["error"]["code"]), (status, &Value::from(code)), "{answer:?}");
    assert!(body["error"]["message"].as_str().is_some_and(|text| !text.is_empty()), "{body}");
}
