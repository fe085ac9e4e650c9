//! `kill -9` at any moment of a call's life, and the same call again: the effect happens once at most, what was told is
//! kept, and nothing stays as if it ran.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::task::JoinSet;
use toolhost::store::{EXECUTING, Store, View};
use toolhost_tests::host::Ground;
use toolhost_tests::wire::{Served, shown};

use super::ledger::{append, ground, lines, outcome};

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
    // What it writes behind its answer is written before it ends.
    let mut served = served;
    served.terminate();
    served.ended().await;
    let settings = toolhost::config::load(None, ground.path()).unwrap();
    let store = Store::open(&settings.store).await.unwrap();
    for answer in first.iter().chain([&answer]) {
        let id = outcome(answer)["call_id"].as_str().unwrap().parse().unwrap();
        let patience = Instant::now();
        while store.trace(View::Operator, &id).await.unwrap().is_some_and(|record| record.code == EXECUTING) {
            // It was answered, and killed before its record was whole.
            assert!(patience.elapsed() < Duration::from_secs(60), "it stays as if it ran: {answer}");
            store.settle_lost_calls().await.unwrap();
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }
    seen
}

/// Rounds that go on side by side, so that they wait together until the dead are known to be dead.
const SIDE_BY_SIDE: usize = 12;

/// Runs rounds, and counts what came of them. Each has a folder and a database of its own; what is compiled they share.
async fn rounds<R>(number: usize, round: impl Fn(usize, Ground) -> R) -> BTreeMap<&'static str, usize>
where
    R: Future<Output = &'static str> + Send + 'static,
{
    let shared = tempfile::tempdir().unwrap();
    let fresh = || {
        let ground = ground();
        let file = ground.path().join("host.toml");
        let mut text = std::fs::read_to_string(&file).unwrap();
        if !text.contains("[store]") {
            text.push_str("\n[store]\n");
        }
        text.push_str(&format!("artefacts = {:?}\n", shared.path()));
        std::fs::write(&file, text).unwrap();
        ground
    };
    drop(Served::start(fresh().path()));
    let (mut running, mut seen) = (JoinSet::new(), BTreeMap::new());
    for at in 0..number {
        running.spawn(round(at, fresh()));
        if running.len() >= SIDE_BY_SIDE {
            *seen.entry(running.join_next().await.unwrap().unwrap()).or_insert(0) += 1;
        }
    }
    while let Some(round) = running.join_next().await {
        *seen.entry(round.unwrap()).or_insert(0) += 1;
    }
    seen
}

// The start of a host blocks its thread.
#[tokio::test(flavor = "multi_thread", worker_threads = 16)]
async fn at_any_moment_the_effect_happens_once_at_most() {
    let seen = rounds(toolhost_tests::rounds(24, 400), |round, ground| async move {
        let served = Arc::new(Served::start(ground.path()));
        let call = tokio::spawn({
            let served = served.clone();
            async move { append(&served, "k", ARGUMENTS).await }
        });
        // From before the call has come in to after it was answered.
        tokio::time::sleep(Duration::from_millis(5 * u64::try_from(round % 24).unwrap())).await;
        served.kill();
        again(&ground, call.await.ok()).await
    });
    assert!(seen.await.len() > 1, "every call came to the same");
}
