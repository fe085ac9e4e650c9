//! Guests that want more time than they have, or that of others.

#![deny(dead_code)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::task::JoinSet;
use toolhost::spec::Code;
use toolhost::store::View;
use toolhost_tests::corpus::HostileGuest;
use toolhost_tests::host::{Ground, call, text};
use toolhost_tests::{rounds, until};

use super::{PATIENCE, SHORT, Stage, tests};

toolhost_tests::foreach_time_guest!(tests);

const CONFIG: &str = r#"
[[component]]
path = "tools/*.wasm"
trust_annotations = true
[[component]]
path = "tools/b02_sleeps_and_wakes_when_all_have_left.wasm"
grants = { kv = true }
[[component]]
path = "tools/b03_waits_for_a_tool_that_never_ends.wasm"
grants = { invoke = true }
[[component]]
path = "tools/b07_wishes_for_ten_minutes.wasm"
tool.b07_wishes_for_ten_minutes = { attempt_timeout = "200ms" }
[[component]]
path = "tools/b22_uses_up_its_fuel_in_a_start_function.wasm"
tool.b22_uses_up_its_fuel_in_a_start_function = { fuel = 30_000_000 }
"#;

#[tokio::test(flavor = "multi_thread")]
async fn every_guest_of_the_group_gets_its_end() {
    super::run("time", CONFIG).await;
}

/// Calls the neighbour until something has happened, and gives how often it was answered.
async fn answered_until(stage: &Stage, done: &AtomicBool) -> usize {
    let mut answered = 0;
    while !done.load(Ordering::Relaxed) {
        assert_eq!(text(&call(&stage.host, "multiply", r#"{"a":2,"b":3}"#).await), "6");
        answered += 1;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    answered
}

async fn b01_sleeps_for_an_hour(stage: Stage) {
    stage.is_stopped().await;
}

async fn b02_sleeps_and_wakes_when_all_have_left(stage: Stage) {
    let left = tokio::time::timeout(Duration::from_millis(100), stage.call("{}")).await;
    assert!(left.is_err());
    stage.is_over().await;
    // Longer than it sleeps.
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert_eq!(text(&stage.call(r#"{"a":1}"#).await), r#"{"a":1}"#);
    assert_eq!(stage.guest.answer(), "cancelled");
}

async fn b03_waits_for_a_tool_that_never_ends(stage: Stage) {
    stage.is_stopped().await;
}

async fn b07_wishes_for_ten_minutes(stage: Stage) {
    assert_eq!(stage.ends(Code::Timeout).await, "Error (Timeout): timed out after 200ms");
}

async fn b08_loops_in_its_start_function(stage: Stage) {
    stage.is_refused("its start function and `describe` ");
}

async fn b09_loops_in_the_start_of_each_call(stage: Stage) {
    stage.is_stopped().await;
}

async fn b10_loops_and_yields(stage: Stage) {
    stage.is_stopped().await;
}

async fn b11_loops_without_a_host_call(stage: Stage) {
    stage.is_stopped().await;
}

async fn b12_is_cancelled_and_called_again(stage: Stage) {
    for round in 0..rounds(5, 200) {
        let left = tokio::time::timeout(Duration::from_millis(30), stage.call("{}")).await;
        assert!(left.is_err(), "it does not loop");
        let arguments = format!(r#"{{"a":{round}}}"#);
        assert_eq!(text(&stage.call(&arguments).await), arguments);
    }
    assert_eq!(stage.guest.answer(), "cancelled");
}

async fn b13_works_and_waits_in_turns(stage: Stage) {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..rounds(150, 1_000) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let left = tokio::time::timeout(Duration::from_micros(seed % 12_000), stage.call("{}")).await;
        assert!(left.is_err(), "it never ends by itself");
    }
    assert_eq!(stage.guest.answer(), "cancelled");
}

async fn b14_exports_an_async_function(stage: Stage) {
    let reason = stage.refusal();
    assert!(reason.starts_with("it is not a component that this host can compile: "), "{reason}");
    assert!(reason.contains("async"), "{reason}");
}

async fn b15_computes_on_every_thread(stage: Stage) {
    let done = Arc::new(AtomicBool::new(false));
    let mut running = JoinSet::new();
    // A new one every few milliseconds, so that there are always some.
    for number in 0..rounds(60, 1_000) {
        let stage = stage.clone();
        running.spawn(async move {
            tokio::time::sleep(Duration::from_millis(20) * u32::try_from(number).unwrap()).await;
            stage.call_shortly("{}").await
        });
    }
    let others = tokio::spawn({
        let (stage, done) = (stage.clone(), done.clone());
        async move { answered_until(&stage, &done).await }
    });
    while let Some(ended) = running.join_next().await {
        stage.verdict(&ended.unwrap(), Code::Timeout);
    }
    done.store(true, Ordering::Relaxed);
    assert!(others.await.unwrap() > 2);
}

async fn b16_is_large_to_compile(stage: Stage) {
    stage.answers("b16").await;
    // Once more, beside a host that has calls to answer.
    let done = Arc::new(AtomicBool::new(false));
    let others = tokio::spawn({
        let (stage, done) = (stage.clone(), done.clone());
        async move { answered_until(&stage, &done).await }
    });
    let other = Ground::new().component("large", &stage.guest.component()).start().await;
    done.store(true, Ordering::Relaxed);
    assert!(!other.load_report().loaded[0].from_cache);
    assert!(others.await.unwrap() > 2);
}

async fn b18_waits_for_an_answer_nobody_gives(stage: Stage) {
    let said =
        tokio::time::timeout(PATIENCE, stage.ends(Code::NeedsApproval)).await.expect("it ends at once");
    assert!(said.starts_with("Error (ApprovalRequired): "), "{said}");
}

async fn b22_uses_up_its_fuel_in_a_start_function(stage: Stage) {
    stage.ends(Code::FuelExhausted).await;
}

async fn b22_says_that_it_timed_out(stage: Stage) {
    let outcome = stage.call("{}").await;
    let said = stage.verdict(&outcome, Code::ToolError);
    assert!(said.starts_with("Error (Timeout): timed out after 10s: all fuel"), "{said}");
    let record = stage.host.store().trace(View::Operator, &outcome.call_id).await.unwrap();
    assert_eq!(record.unwrap().code, "tool_error");
}

async fn b23_fills_the_pool(stage: Stage) {
    let ground = Ground::new().component("t", &HostileGuest::named(stage.guest.name).component()).config(
        "[pools.default]\nsize = 2\ntool_share = 2\ntenant_share = 2\n[[component]]\npath = \"tools/*.wasm\"\n",
    );
    let alone = Stage { host: ground.start().await, ..stage };
    let mut held = JoinSet::new();
    for _ in 0..2 {
        let alone = alone.clone();
        held.spawn(async move { alone.call("{}").await });
    }
    until("they run", || alone.host.running() >= 2).await;
    alone.is_stopped().await;
    held.abort_all();
    while held.join_next().await.is_some() {}
    assert_eq!(alone.host.running(), 0);
}

async fn wasmtime_13393_fills_memory_in_bulk(stage: Stage) {
    let began = std::time::Instant::now();
    stage.is_stopped().await;
    assert!(began.elapsed() < SHORT + PATIENCE);
}
