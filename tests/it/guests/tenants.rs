//! Guests that want to act for somebody else, and callers that want the places of others.

#![deny(dead_code)]

use std::sync::Arc;

use tokio::task::JoinSet;
use toolhost::gate::Call;
use toolhost::spec::Code;
use toolhost_tests::host::{Ground, caller, text};
use toolhost_tests::process::Held;
use toolhost_tests::wire::{Served, shown};
use toolhost_tests::{rounds, until};

use super::{Stage, tests};

toolhost_tests::foreach_tenants_guest!(tests);

const CONFIG: &str = r#"
[pools.default]
size = 8
tool_share = 8
tenant_share = 4
[[component]]
path = "tools/*.wasm"
trust_annotations = true
grants = { invoke = true }
[[component]]
path = "tools/t_tenant_matrix_reads_keys_of_others.wasm"
grants = { kv = true }
[[tenant]]
id = "local"
allow = ["*"]
deny = ["b111_*"]
[[tenant]]
id = "other"
allow = ["*"]
"#;

#[tokio::test(flavor = "multi_thread")]
async fn every_guest_of_the_group_gets_its_end() {
    super::run("tenants", CONFIG).await;
}

/// The answer to a call of a tenant.
async fn asked_by(stage: &Stage, tenant: &str, arguments: &str) -> String {
    text(&stage.host.execute(Call::new(caller(&stage.host, tenant), stage.guest.name, arguments)).await)
}

async fn b55_says_secretary(stage: Stage) {
    stage.answers("The Secretary of the token ring has no password: see api_key.md").await;
}

async fn b56_takes_its_tenant_from_arguments(stage: Stage) {
    for tenant in ["local", "other"] {
        assert_eq!(asked_by(&stage, tenant, "{}").await, tenant);
    }
    for name in ["tenant_id", "user_id", "tenant", "_meta", "run_id", "TENANT_ID"] {
        let outcome = stage.call(&format!(r#"{{"{name}":"other"}}"#)).await;
        let said = stage.verdict(&outcome, Code::BadArgs);
        assert!(said.contains(name), "{said}");
    }
}

async fn b56_has_a_property_for_the_tenant(stage: Stage) {
    let reason = stage.refusal();
    assert!(reason.contains("'tenant_id'"), "{reason}");
}

async fn b58_answers_whoever_asks(stage: Stage) {
    let ground = Ground::new().component("t", &stage.guest.component());
    let served = Arc::new(Served::start(ground.path()));
    let mut clients = JoinSet::new();
    // Each request has the id 0.
    for client in 0..rounds(16, 200) {
        let (served, name) = (served.clone(), stage.guest.name);
        clients.spawn(async move {
            let own = format!(r#"{{"a":{client}}}"#);
            assert_eq!(shown(&served.call(name, &own).await), own);
        });
    }
    while let Some(client) = clients.join_next().await {
        client.unwrap();
    }
    stage.answers("{}").await;
}

async fn b110_is_called_by_a_flood(stage: Stage) {
    let mut flood = JoinSet::new();
    for _ in 0..rounds(400, 1_000) {
        let stage = stage.clone();
        flood.spawn(async move { asked_by(&stage, "local", "{}").await });
    }
    until("they run", || stage.host.running() >= 4).await;
    let mut ahead = 0;
    for _ in 0..10 {
        assert_eq!(asked_by(&stage, "other", r#"{"a":1}"#).await, r#"{"a":1}"#);
        ahead += usize::from(!flood.is_empty());
    }
    assert!(ahead > 0, "the other tenant had to wait for the whole flood");
    while let Some(ended) = flood.join_next().await {
        let said = ended.unwrap();
        assert!(said == "{}" || said.starts_with("Error (Overloaded)"), "{said}");
    }
    assert_eq!(stage.guest.answer(), "ok");
}

async fn b111_is_called_without_end(stage: Stage) {
    let ground = Ground::new().component("t", &stage.guest.component());
    let served = Served::start(ground.path());
    let work = async || {
        for _ in 0..rounds(200, 100_000) {
            assert_eq!(shown(&served.call(stage.guest.name, "{}").await), "b111");
        }
        Held::idle(&served).await
    };
    let before = work().await;
    work().await.assert_no_more_than(&before);
    assert_eq!(stage.guest.answer(), "ok");
}

async fn t_tenant_matrix_reads_keys_of_others(stage: Stage) {
    for (tenant, arguments, expected) in [
        ("local", r#"{"a":"of local"}"#, r#"{"a":"of local"}"#),
        ("other", r#"{"a":"of other"}"#, r#"{"a":"of other"}"#),
        ("local", "{}", r#"{"a":"of local"}"#),
        ("other", "{}", r#"{"a":"of other"}"#),
    ] {
        assert_eq!(asked_by(&stage, tenant, arguments).await, expected);
    }
    assert_eq!(stage.guest.answer(), "ok");
}

async fn t_onedoor_calls_itself(stage: Stage) {
    stage.answers("invoke_limit").await;
}

async fn t_onedoor_calls_a_denied_tool(stage: Stage) {
    stage.answers("not_allowed").await;
}
