//! What each role may do, and who may decide about whose calls.

use serde_json::{Value, json};
use toolhost::id::Digest;
use toolhost_tests::guest::{Guest, GuestTool};
use toolhost_tests::host::Ground;
use toolhost_tests::wire::Served;

use super::*;
use crate::approvals::asked;

/// A tool that runs only after a reviewer agrees.
fn asking(further: &str) -> Ground {
    let mut asks = GuestTool::new("asks");
    asks.requires_approval = true;
    Ground::new()
        .component("asks", &Guest::of(vec![asks], &Guest::echo()).build())
        .config(&format!("{TENANTS}{further}"))
}

async fn decide(served: &Served, key: &str, id: &str) -> (u16, Value) {
    send(served, key, "POST", &format!("/v1/approvals/{id}"), r#"{"approve":true}"#).await
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_decides_about_a_call_of_its_own() {
    let ground = asking("");
    let folder = ground.path();
    let served = Served::start(folder);
    let both = ["--role", "caller", "--role", "approver"];
    let anna = make(folder, &[&["--tenant", "acme", "--user", "anna"][..], &both].concat());
    let nameless = make(folder, &[&["--tenant", "acme"][..], &both].concat());
    let annas_own = make(folder, &["--tenant", "acme", "--user", "anna", "--role", "approver"]);
    let berta = make(folder, &["--tenant", "acme", "--user", "berta", "--role", "approver"]);
    let stranger = make(folder, &["--tenant", "globex", "--user", "carl", "--role", "approver"]);
    let caller = make(folder, &["--tenant", "acme", "--user", "dora"]);
    let id = asked(&super::call(&served, &anna, "asks", json!({"a": 1})).await);
    for (key, status) in [(&anna, 403), (&annas_own, 403), (&nameless, 403), (&caller, 403), (&stranger, 404)]
    {
        let (seen, answer) = decide(&served, key, &id).await;
        assert_eq!(seen, status, "{answer}");
    }
    let (status, decided) = decide(&served, &berta, &id).await;
    assert_eq!((status, &decided["decided_by"]), (200, &json!("berta of acme")), "{decided}");
    // The approval is the user's: another one's equal call is asked about anew.
    assert_ne!(asked(&super::call(&served, &caller, "asks", json!({"a": 1})).await), id);
    assert_eq!(super::call(&served, &anna, "asks", json!({"a": 1})).await["ok"], true);
    let (status, answer) = send(&served, &berta, "POST", "/v1/calls", r#"{"calls":[]}"#).await;
    assert_eq!((status, &answer["error"]["code"]), (403, &json!("forbidden")), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_may_decide_about_its_own_calls_does_so_under_its_name() {
    let ground = asking("");
    let text = std::fs::read_to_string(ground.path().join("host.toml")).unwrap();
    let ground = ground.plain_config(&text.replace("id = \"acme\"", "id = \"acme\"\nself_approve = true"));
    let folder = ground.path();
    let served = Served::start(folder);
    let [anna, dora] = ["anna", "dora"].map(|user| make(folder, &["--tenant", "acme", "--user", user]));
    let id = asked(&super::call(&served, &anna, "asks", json!({"a": 1})).await);
    assert_eq!(decide(&served, &dora, &id).await.0, 403, "another caller is no approver");
    let (status, decided) = decide(&served, &anna, &id).await;
    assert_eq!((status, &decided["decided_by"]), (200, &json!("acme itself")), "{decided}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_sees_the_questions_of_all_tenants_and_decides_about_none() {
    let ground = asking("");
    let folder = ground.path();
    let digest = Digest::of(b"key-of-an-operator").to_string();
    let text = std::fs::read_to_string(folder.join("host.toml")).unwrap();
    let ground = ground.plain_config(
        &text.replace("id = \"globex\"", &format!("id = \"globex\"\noperator_keys = [\"{digest}\"]")),
    );
    let folder = ground.path();
    let served = Served::start(folder);
    let [acme, globex] = ["acme", "globex"].map(|tenant| make(folder, &["--tenant", tenant]));
    let operator = make(folder, &["--tenant", "globex", "--role", "operator"]);
    let mut ids = Vec::new();
    for key in [&acme, &globex] {
        ids.push(asked(&super::call(&served, key, "asks", json!({"a": 1})).await));
    }
    for (key, seen) in [(acme.as_str(), 1), (&globex, 1), (&operator, 2), ("key-of-an-operator", 2)] {
        let (status, list) = send(&served, key, "GET", "/v1/approvals", "").await;
        assert_eq!((status, list["approvals"].as_array().unwrap().len()), (200, seen), "{list}");
    }
    for id in &ids {
        for key in [operator.as_str(), "key-of-an-operator"] {
            assert_eq!(send(&served, key, "GET", &format!("/v1/approvals/{id}"), "").await.0, 200);
            assert_eq!(decide(&served, key, id).await.0, 403);
        }
    }
    assert_eq!(status(&served, &operator).await, 403, "it calls nothing");
}
