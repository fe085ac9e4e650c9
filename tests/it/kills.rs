//! `kill -9` at any moment of a call's life, and the same call again: the effect happens once at most, what was told is
//! kept, and nothing stays as if it ran.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::task::JoinSet;
use toolhost::store::{EXECUTING, Store, View};
use toolhost_tests::host::Ground;
use toolhost_tests::proxy::Flow;
use toolhost_tests::wire::{Served, shown};

use super::ledger::{append, ground, lines, outcome};
use super::outage::through_a_proxy;

const ARGUMENTS: &str = r#"{"line":"x","pause_ms":20}"#;

/// Makes the call again on a process that lives, and checks what it is told against what happened.
async fn again(ground: &Ground, first: Option<Value>) -> &'static str {
    let served = Served::start(ground.path());
    let answer = append(&served, "k", ARGUMENTS).await;
    let effects = lines(ground.path());
    let code = outcome(&answer)["code"].as_str().unwrap_or("ok");
    if let Some(first) = &first {
        assert_eq!(shown(first), "appended x under k", "{first}");
        assert_eq!(outcome(&answer)["replayed"], true, "what was told is kept: {answer}");
    }
    let seen = match (code, &outcome(&answer)["replayed"], effects) {
        ("ok", Value::Bool(true), 1) => "its outcome was kept",
        ("ok", Value::Bool(false), 1) => "nothing had run",
        ("outcome_unknown", _, 0 | 1) => "nobody knows",
        _ => panic!("{effects} effects: {answer}"),
    };
    let settings = toolhost::config::load(None, ground.path()).unwrap();
    let store = Store::open(&settings.store).await.unwrap();
    store.settle_lost_calls().await.unwrap();
    for answer in first.iter().chain([&answer]) {
        let id = outcome(answer)["call_id"].as_str().unwrap().parse().unwrap();
        let record = store.trace(View::Operator, &id).await.unwrap();
        assert!(record.is_none_or(|record| record.code != EXECUTING), "{answer}");
    }
    seen
}

#[tokio::test(flavor = "multi_thread")]
async fn at_any_moment_the_effect_happens_once_at_most() {
    for round in 0..toolhost_tests::rounds(16, 400) {
        let ground = ground();
        let served = Arc::new(Served::start(ground.path()));
        let call = tokio::spawn({
            let served = served.clone();
            async move { append(&served, "k", ARGUMENTS).await }
        });
        // From before the call has come in to after it was answered.
        tokio::time::sleep(Duration::from_micros(4_000 * u64::try_from(round % 16).unwrap())).await;
        served.kill();
        again(&ground, call.await.ok()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn between_any_two_messages_to_the_database_the_effect_happens_once_at_most_on_postgres() {
    // A call sends fewer. Each message is a moment: before and after the row, the claim, the outcome.
    const MESSAGES: usize = 24;
    let mut rounds = JoinSet::new();
    for message in 0..MESSAGES * toolhost_tests::rounds(1, 20) {
        rounds.spawn(async move {
            let ground = ground();
            let proxy = through_a_proxy(&ground).await;
            let served = Arc::new(Served::start(ground.path()));
            proxy.hold_after(message % MESSAGES);
            let mut call = tokio::spawn({
                let served = served.clone();
                async move { append(&served, "k", ARGUMENTS).await }
            });
            let first = tokio::select! {
                answer = &mut call => Some(answer.unwrap()),
                () = proxy.held() => None,
            };
            served.kill();
            let first = match first {
                Some(answer) => Some(answer),
                None => call.await.ok(),
            };
            proxy.hold_after(usize::MAX);
            proxy.set(Flow::Open);
            again(&ground, first).await
        });
        // Enough at a time that the leases of the dead run out side by side.
        if rounds.len() >= MESSAGES {
            rounds.join_next().await.unwrap().unwrap();
        }
    }
    let mut seen = std::collections::BTreeMap::new();
    while let Some(round) = rounds.join_next().await {
        *seen.entry(round.unwrap()).or_insert(0) += 1;
    }
    assert!(seen.contains_key("nothing had run") && seen.contains_key("its outcome was kept"), "{seen:?}");
}
