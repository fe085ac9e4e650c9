use std::sync::Arc;

use super::*;
use crate::spec::{Code, Content, Failure, Media, Success, Usage};
use crate::store::StoreSettings;
use crate::store::now_unix_ms;

async fn store(folder: &tempfile::TempDir) -> Store {
    Store::open(&StoreSettings {
        database: super::super::tests::database(folder),
        artefacts: folder.path().join("artefacts"),
        trace_retention: Duration::from_secs(86_400),
        approval_lifetime: Duration::from_secs(60),
        secrets: Vec::new(),
        secrets_key: None,
    })
    .await
    .unwrap()
}

fn keyed(key: &str, digest: &str) -> Keyed {
    Keyed {
        tenant: "acme".parse().unwrap(),
        tool: "refund".parse().unwrap(),
        key: key.to_owned(),
        arguments_digest: digest.to_owned(),
        runs: 1,
    }
}

fn success() -> Settled {
    let structured = serde_json::value::RawValue::from_string(r#"{"n":9007199254740993.10}"#.to_owned());
    Settled {
        attempt: 1,
        usage: Usage { wall_ms: 3, fuel: 4, memory_peak_bytes: 5 },
        result: Ok(Success {
            content: vec![
                Content::Text("done".to_owned()),
                Content::Image(Media { data: vec![0, 255, 7], mime_type: "image/png".to_owned() }),
            ],
            structured: Some(structured.unwrap()),
            truncated: true,
        }),
    }
}

#[tokio::test]
async fn of_many_claims_one_is_granted() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let granted = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let mut claims = tokio::task::JoinSet::new();
    for _ in 0..64 {
        let (ledger, granted) = (store.ledger(), granted.clone());
        claims.spawn(async move {
            if ledger.claim(&keyed("k", "a"), &CallId::fresh()).await.unwrap().is_some() {
                granted.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            }
        });
    }
    while let Some(ended) = claims.join_next().await {
        ended.unwrap();
    }
    assert_eq!(granted.load(std::sync::atomic::Ordering::Relaxed), 1);
    assert_eq!(store.ledger().look(&keyed("k", "a")).await.unwrap(), Known::Executing);
    assert_eq!(store.ledger().look(&keyed("k", "b")).await.unwrap(), Known::Conflict);
    let other = Keyed { tenant: "other".parse().unwrap(), ..keyed("k", "a") };
    assert_eq!(store.ledger().look(&other).await.unwrap(), Known::Free);
}

#[tokio::test]
async fn an_outcome_is_kept_whole_and_nobody_else_can_change_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let (ledger, key, call) = (store.ledger(), keyed("k", "a"), CallId::fresh());
    assert_eq!(ledger.claim(&key, &call).await.unwrap(), Some(1));
    assert!(!ledger.settle(&key, &CallId::fresh(), &success()).await.unwrap(), "a stranger is told so");
    ledger.release(&key, &CallId::fresh()).await.unwrap();
    assert_eq!(ledger.look(&key).await.unwrap(), Known::Executing, "a stranger changed it");
    assert!(ledger.settle(&key, &call, &success()).await.unwrap());
    let failed = Settled {
        result: Err(Failure { may_have_taken_effect: true, ..Failure::new(Code::Timeout, "late") }),
        ..success()
    };
    assert!(ledger.settle(&key, &call, &failed).await.unwrap(), "repeating it is no fault");
    let done = Known::Done { call: call.clone(), settled: Box::new(success()) };
    assert_eq!(ledger.look(&key).await.unwrap(), done, "an outcome is final");
    let other = keyed("failed", "a");
    assert_eq!(ledger.claim(&other, &call).await.unwrap(), Some(1));
    ledger.settle(&other, &call, &failed).await.unwrap();
    assert_eq!(ledger.look(&other).await.unwrap(), Known::Done { call, settled: Box::new(failed) });
}

#[tokio::test]
async fn a_call_joins_the_one_that_runs_and_no_longer_than_it_may() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let (ledger, key, call) = (store.ledger(), keyed("k", "a"), CallId::fresh());
    assert_eq!(ledger.claim(&key, &call).await.unwrap(), Some(1));
    let soon = Instant::now() + Duration::from_millis(30);
    assert_eq!(ledger.join(&key, soon).await.unwrap(), None);
    let joined = tokio::spawn({
        let (ledger, key) = (ledger.clone(), key.clone());
        async move { ledger.join(&key, Instant::now() + Duration::from_secs(20)).await.unwrap() }
    });
    ledger.release(&key, &call).await.unwrap();
    // Told, and not found out by looking again after some seconds.
    let told = tokio::time::timeout(LOOK_ANYWAY / 2, joined).await.expect("it is told");
    assert_eq!(told.unwrap(), Some(Known::Free));
}

#[tokio::test]
async fn what_a_dead_process_held_is_lost_and_not_free() {
    let folder = tempfile::tempdir().unwrap();
    let first = store(&folder).await;
    let (key, call) = (keyed("k", "a"), CallId::fresh());
    assert_eq!(first.ledger().claim(&key, &call).await.unwrap(), Some(1));
    // The claimant's lock is the only sign of its life.
    let second = store(&folder).await;
    assert_eq!(second.ledger().look(&key).await.unwrap(), Known::Executing);
    first.close().await.unwrap();
    tokio::time::timeout(Duration::from_secs(20), async {
        while second.ledger().look(&key).await.unwrap() == Known::Executing {
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap();
    assert_eq!(second.ledger().look(&key).await.unwrap(), Known::Lost { call, runs: 1 });
    assert_eq!(second.ledger().claim(&key, &CallId::fresh()).await.unwrap(), None);
}

#[tokio::test]
async fn old_keys_are_removed_and_those_that_execute_stay() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let (ledger, call) = (store.ledger(), CallId::fresh());
    for key in ["done", "executing"] {
        assert_eq!(ledger.claim(&keyed(key, "a"), &call).await.unwrap(), Some(1));
    }
    ledger.settle(&keyed("done", "a"), &call, &success()).await.unwrap();
    assert_eq!(ledger.prune(now_unix_ms() + 1_000).await.unwrap(), 1);
    assert_eq!(ledger.look(&keyed("done", "a")).await.unwrap(), Known::Free);
    assert_eq!(ledger.look(&keyed("executing", "a")).await.unwrap(), Known::Executing);
}

#[tokio::test]
async fn what_is_to_happen_at_least_once_is_claimed_again_a_bounded_number_of_times() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let ledger = store.ledger();
    let (once, often) = (keyed("k", "a"), Keyed { runs: 3, ..keyed("k", "a") });
    for run in 1..=3 {
        assert_eq!(ledger.look(&often).await.unwrap(), Known::Free);
        let call = CallId::fresh();
        // A run that never starts is none.
        assert_eq!(ledger.claim(&often, &call).await.unwrap(), Some(run));
        ledger.release(&often, &call).await.unwrap();
        assert_eq!(ledger.claim(&often, &call).await.unwrap(), Some(run));
        assert_eq!(ledger.claim(&often, &CallId::fresh()).await.unwrap(), None);
        let node = store.inner.node.id();
        assert_eq!(ledger.settle_lost(node).await.unwrap(), 1);
        assert_eq!(ledger.claim(&once, &CallId::fresh()).await.unwrap(), None);
        assert_eq!(
            ledger.claim(&Keyed { runs: 3, ..keyed("k", "b") }, &CallId::fresh()).await.unwrap(),
            None
        );
        assert_eq!(ledger.look(&once).await.unwrap(), Known::Lost { call, runs: run });
    }
    assert!(matches!(ledger.look(&often).await.unwrap(), Known::Lost { runs: 3, .. }));
    assert_eq!(ledger.claim(&often, &CallId::fresh()).await.unwrap(), None);
}

#[tokio::test]
async fn a_call_that_was_taken_for_lost_still_tells_its_outcome_unless_another_was_started() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let ledger = store.ledger();
    for restarted in [false, true] {
        let key = Keyed { runs: 2, ..keyed(if restarted { "again" } else { "once" }, "a") };
        let (first, second) = (CallId::fresh(), CallId::fresh());
        assert_eq!(ledger.claim(&key, &first).await.unwrap(), Some(1));
        assert_eq!(ledger.settle_lost(store.inner.node.id()).await.unwrap(), 1);
        if restarted {
            assert_eq!(ledger.claim(&key, &second).await.unwrap(), Some(2));
        }
        assert_eq!(ledger.settle(&key, &first, &success()).await.unwrap(), !restarted);
        let known = ledger.look(&key).await.unwrap();
        let told = Known::Done { call: first, settled: Box::new(success()) };
        assert_eq!(known, if restarted { Known::Executing } else { told });
    }
}

#[tokio::test]
async fn a_process_that_others_may_take_for_dead_claims_nothing_on_postgres() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let (ledger, key) = (store.ledger(), keyed("k", "a"));
    let lapse = sqlx::query("UPDATE nodes SET lease_unix_ms = 0");
    store.inner.database.write("let the lease lapse", lapse).await.unwrap();
    assert_eq!(ledger.claim(&key, &CallId::fresh()).await.unwrap(), None);
    assert_eq!(ledger.look(&key).await.unwrap(), Known::Free);
}
