//! Guests that want more memory than they have, or that of others.

#![deny(dead_code)]

use toolhost::spec::Code;
use toolhost::store::View;
use toolhost_tests::corpus::HostileGuest;
use toolhost_tests::host::{Ground, call, text};
use toolhost_tests::process::Held;
use toolhost_tests::rounds;
use toolhost_tests::wire::{Served, shown};

use super::{Stage, tests};

toolhost_tests::foreach_memory_guest!(tests);

#[tokio::test(flavor = "multi_thread")]
async fn every_guest_of_the_group_gets_its_end() {
    super::run("memory", "").await;
}

/// Lets a process of its own do the same work twice, and compares what it holds.
async fn holds_no_more(stage: &Stage, times: usize, shows: &str) {
    let ground = Ground::new().component("t", &stage.guest.component());
    let ground =
        ground.config("[limits]\nattempt_timeout = \"1s\"\n[[component]]\npath = \"tools/*.wasm\"\n");
    let served = Served::start(ground.path());
    let work = async || {
        for _ in 0..times {
            assert_eq!(shown(&served.call(stage.guest.name, "{}").await), shows);
        }
        Held::idle(&served).await
    };
    let before = work().await;
    work().await.assert_no_more_than(&before);
}

async fn b19_grows_until_it_dies(stage: Stage) {
    let outcome = stage.call("{}").await;
    stage.verdict(&outcome, Code::MemoryLimit);
    assert!(outcome.usage.memory_peak_bytes <= 128 << 20, "{:?}", outcome.usage);
}

async fn b19_is_refused_memory_and_answers(stage: Stage) {
    stage.answers("refused").await;
}

async fn b19_has_four_memories(stage: Stage) {
    stage.is_refused("the sandbox cannot hold it: ");
}

async fn b25_needs_more_than_a_call_has(stage: Stage) {
    stage.is_refused("the sandbox cannot hold it: ");
}

async fn b27_touches_all_its_memory(stage: Stage) {
    stage.answers("b27").await;
    holds_no_more(&stage, rounds(30, 500), "b27").await;
}

async fn b28_sleeps_in_short_turns(stage: Stage) {
    stage.is_stopped().await;
    holds_no_more(&stage, rounds(1, 600), "Error (Timeout): timed out after 1s").await;
}

async fn b29_writes_without_end(stage: Stage) {
    let outcome = stage.call_shortly("{}").await;
    stage.verdict(&outcome, Code::Timeout);
    let record = stage.host.store().trace(View::Operator, &outcome.call_id).await.unwrap().unwrap();
    let kept = format!("{record:?}");
    assert!(kept.contains("xxxxxxxx") && kept.len() < 6_000, "{} bytes", kept.len());
}

async fn b29_floods_while_it_describes_itself(stage: Stage) {
    stage.answers("b29").await;
}

async fn b38_fills_its_memory(stage: Stage) {
    stage.answers("b38").await;
}

async fn b38_looks_for_what_others_left(stage: Stage) {
    for _ in 0..rounds(40, 100_000) {
        assert_eq!(text(&call(&stage.host, "b38_fills_its_memory", "{}").await), "b38");
        stage.answers("clean").await;
    }
    assert!(HostileGuest::named("b38_fills_its_memory").source.contains("0xa5"));
}

async fn ghsa_p8xm_has_a_table_of_four_billion(stage: Stage) {
    let reason = stage.refusal();
    assert!(reason.contains("4294967295") || reason.contains("0xffffffff"), "{reason}");
}

async fn ghsa_p8xm_has_a_64_bit_table(stage: Stage) {
    stage.is_refused("it is not a component that this host can compile: ");
}

async fn ghsa_p8xm_grows_a_table(stage: Stage) {
    assert!(stage.ends(Code::MemoryLimit).await.contains("table"));
}

async fn ghsa_852m_asks_for_all_randomness(stage: Stage) {
    stage.ends(Code::BadResult).await;
}

async fn ghsa_852m_opens_clocks_for_ever(stage: Stage) {
    stage.ends(Code::BadResult).await;
}

async fn ghsa_852m_reports_a_long_message(stage: Stage) {
    stage.ends(Code::BadResult).await;
}
