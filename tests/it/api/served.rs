//! `/v1/components`: an operator uploads, sees what would change, accepts it, and takes it out, while the server runs.

use serde_json::json;
use toolhost_tests::wire::raw_exchange;

use super::*;
use crate::components::version;

const OPERATOR: &str = "key-of-the-operator";

fn ground() -> Ground {
    let digest = |key: &str| Digest::of(key.as_bytes()).to_string();
    Ground::new().config(&format!(
        "[[component]]\nuploaded = \"up\"\ntrust_annotations = true\n\
         [[tenant]]\nid = \"acme\"\nkeys = [\"{}\"]\noperator_keys = [\"{}\"]\n",
        digest(ACME),
        digest(OPERATOR),
    ))
}

async fn put(served: &Served, key: &str, name: &str, kind: &str, component: &[u8]) -> Answer {
    let head = format!(
        "PUT /v1/components/{name} HTTP/1.1\r\nConnection: close\r\nHost: {}\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
        served.address,
        component.len()
    );
    raw_exchange(&served.address, &[head.as_bytes(), component].concat()).await
}

async fn decide(served: &Served, accept: bool, component: &[u8]) -> Answer {
    let body = json!({"accept": accept, "digest": Digest::of(component).to_string()}).to_string();
    post(served, OPERATOR, "/v1/components/up", &body).await
}

async fn called(served: &Served) -> Value {
    post(served, ACME, "/v1/tools/t/call", "{}").await.json()["content"][0]["text"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_uploads_looks_and_accepts_while_the_server_runs() {
    const WASM: &str = "application/wasm";
    let (first, second) = (version("t", "v1 does it."), version("t", "v2 does it."));
    let ground = ground();
    let served = Served::start(ground.path());

    let listed = get(&served, OPERATOR, "/v1/components").await.json();
    assert_eq!(listed, json!({"components": []}));
    for refused in [
        put(&served, ACME, "up", WASM, &first).await,
        get(&served, ACME, "/v1/components").await,
        get(&served, ACME, "/v1/components/up").await,
        post(&served, ACME, "/v1/components/up", r#"{"accept":true,"digest":"x"}"#).await,
        send(&served, ACME, "DELETE", "/v1/components/up", "").await,
    ] {
        assert_fault(&refused, 403, "forbidden");
    }
    assert_fault(&put(&served, OPERATOR, "up", "text/plain", &first).await, 415, "not_wasm");
    assert_fault(&put(&served, OPERATOR, "other", WASM, &first).await, 409, "not_configured");
    assert_fault(&put(&served, OPERATOR, "up", WASM, b"\0asm").await, 422, "component_refused");
    assert_fault(&put(&served, OPERATOR, "a%2Fb", WASM, &first).await, 400, "bad_request");

    let taken = put(&served, OPERATOR, "up", WASM, &first).await.json();
    assert_eq!(taken["state"], "waiting", "{taken}");
    assert_eq!(taken["version"]["by"], "an operator of acme");
    assert_fault(&decide(&served, true, &second).await, 409, "other_version_waits");
    assert_eq!(decide(&served, true, &first).await.json()["state"], "served");
    assert_eq!(called(&served).await, "v1");

    assert_eq!(put(&served, OPERATOR, "up", WASM, &second).await.status, 200);
    let shown = get(&served, OPERATOR, "/v1/components/up").await.json();
    assert_eq!(shown["state"], "served_and_waiting", "{shown}");
    assert_eq!(shown["changes"]["differences"].as_array().map(Vec::len), Some(1), "{shown}");
    assert_eq!(called(&served).await, "v1", "what was accepted is served on");
    assert_eq!(decide(&served, false, &second).await.json()["rejected"], true);
    assert_fault(&decide(&served, true, &second).await, 409, "nothing_waits");

    assert_eq!(send(&served, OPERATOR, "DELETE", "/v1/components/up", "").await.status, 200);
    assert_fault(&get(&served, OPERATOR, "/v1/components/up").await, 404, "no_such_component");
    let gone = post(&served, ACME, "/v1/tools/t/call", "{}").await.json();
    assert_eq!(gone["error"]["code"], "no_such_tool");
    let other = send(&served, OPERATOR, "PATCH", "/v1/components/up", "").await;
    assert_fault(&other, 405, "method_not_allowed");
    assert_eq!(other.header("allow"), Some("DELETE, GET, POST, PUT"));
}
