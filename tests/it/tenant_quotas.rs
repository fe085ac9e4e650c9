//! What a tenant may use over time: counted for it alone, whatever becomes of its calls.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::task::JoinSet;
use toolhost::executor::Host;
use toolhost::gate::Call;
use toolhost::spec::Outcome;
use toolhost_tests::host::{Ground, caller, text};
use toolhost_tests::peer::{FakeNetwork, Peer, Script};
use toolhost_tests::until;

use super::egress::{PUBLIC, get, ground};
use super::ledger::Hold;

/// A host with a tenant for each quota, and one without any, `free`.
async fn start(quotas: &[(&str, &str)]) -> (Ground, Host) {
    let mut config = "[[component]]\npath = \"tools/*.wasm\"\ntrust_annotations = true\ngrants.invoke = true\n\
                      grants.directories = [{ host = \"effects\", guest = \"/effects\", access = \"writable\" }]\n\
                      [[tenant]]\nid = \"free\"\n"
        .to_owned();
    for (tenant, quota) in quotas {
        config.push_str(&format!("[[tenant]]\nid = \"{tenant}\"\nquotas = {{ {quota} }}\n"));
    }
    let ground = Ground::new().samples(&["math", "chaos", "effects"]).config(&config);
    std::fs::create_dir(ground.path().join("effects")).unwrap();
    let host = ground.start().await;
    (ground, host)
}

async fn call(host: &Host, tenant: &str, tool: &str, arguments: &str) -> Outcome {
    host.execute(Call::new(caller(host, tenant), tool, arguments.to_owned())).await
}

async fn multiply(host: &Host, tenant: &str) -> Outcome {
    call(host, tenant, "multiply", r#"{"a":6,"b":7}"#).await
}

fn used_up(outcome: &Outcome, what: &str) {
    assert_eq!(outcome.code(), "quota_exceeded", "{outcome:?}");
    let failure = outcome.result.as_ref().unwrap_err();
    assert!(failure.retryable && failure.retry_after_ms.is_some_and(|wait| wait > 0), "{failure:?}");
    assert!(text(outcome).contains(what), "{outcome:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_has_so_many_calls_a_second() {
    let (_ground, host) = start(&[("few", "calls_per_second = 1")]).await;
    let began = Instant::now();
    let mut calls = JoinSet::new();
    for _ in 0..20 {
        let host = host.clone();
        calls.spawn(async move { multiply(&host, "few").await });
    }
    let outcomes = calls.join_all().await;
    let (ran, refused): (Vec<_>, Vec<_>) = outcomes.iter().partition(|outcome| outcome.code() == "ok");
    assert!(!ran.is_empty() && ran.len() as u64 <= 2 + began.elapsed().as_secs(), "{} ran", ran.len());
    used_up(refused[0], "The quota of 1 calls per second is used up");
    assert_eq!(multiply(&host, "free").await.code(), "ok");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_has_so_many_calls_at_a_time() {
    let (_ground, host) = start(&[("two", "concurrent_calls = 2"), ("one", "concurrent_calls = 1")]).await;
    let mut asleep = JoinSet::new();
    for _ in 0..2 {
        let host = host.clone();
        asleep.spawn(async move { call(&host, "two", "sleep", r#"{"ms":60000}"#).await });
    }
    until("two run", || host.running() == 2).await;
    used_up(&multiply(&host, "two").await, "The quota of 2 calls at the same time");
    assert_eq!(multiply(&host, "free").await.code(), "ok");
    // What a call calls is part of it.
    let relayed = json!({"tool": "multiply", "arguments": "{\"a\":6,\"b\":7}"}).to_string();
    assert_eq!(text(&call(&host, "one", "relay", &relayed).await), "42");
    // Calls that are dropped are over.
    asleep.shutdown().await;
    until("none runs", || host.running() == 0).await;
    assert_eq!(multiply(&host, "two").await.code(), "ok");
}

#[tokio::test(flavor = "multi_thread")]
async fn fuel_is_charged_whatever_became_of_the_call() {
    let least = "fuel_per_minute = 100";
    let (ground, host) =
        start(&[("ends", least), ("times_out", least), ("traps", least), ("goes", least)]).await;
    assert_eq!(multiply(&host, "ends").await.code(), "ok");
    let late = Call {
        deadline: Some(Duration::from_millis(200)),
        ..Call::new(caller(&host, "times_out"), "spin", "{}")
    };
    assert_eq!(host.execute(late).await.code(), "timeout");
    assert_eq!(call(&host, "traps", "crash", "{}").await.code(), "tool_crashed");
    let hold = Hold::new(&ground, "before");
    tokio::select! {
        outcome = call(&host, "goes", "append", r#"{"line":"x"}"#) => panic!("{outcome:?}"),
        () = hold.reached() => {}
    }
    for tenant in ["ends", "times_out", "traps", "goes"] {
        used_up(&multiply(&host, tenant).await, "The quota of 100 fuel per minute");
    }
    assert_eq!(multiply(&host, "free").await.code(), "ok");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_has_so_many_bytes_over_the_network() {
    let large = [b"HTTP/1.1 200 OK\r\nContent-Length: 40000\r\n\r\n".to_vec(), vec![b'x'; 40_000]].concat();
    let peer = Peer::start(Script::Pieces(vec![large])).await;
    let network = FakeNetwork::to(peer.address);
    network.name("ok.test", &[PUBLIC]);
    let tenants = "[[tenant]]\nid = \"few\"\nquotas = { egress_bytes_per_minute = \"10KiB\" }\n[[tenant]]\nid = \"free\"\n";
    let host = ground(&json!(["http://ok.test"]), tenants).start_on(network).await;
    let arguments = json!({"requests": [get("http", "ok.test")]}).to_string();
    let first = call(&host, "few", "fetch", &arguments).await;
    assert!(text(&first).contains("body size exceeds limit"), "{first:?}");
    used_up(&call(&host, "few", "fetch", &arguments).await, "10240 bytes per minute over the network");
    assert!(text(&call(&host, "free", "fetch", &arguments).await).contains("200 x"));
}
