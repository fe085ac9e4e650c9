use super::super::database::Kind;
use super::super::tests::{ended, small_store, start, store};
use super::super::{EXECUTING, Store, View};
use crate::id::CallId;

/// Makes every write of a record fail, as a full disk would, without any wait.
async fn break_writes(store: &Store) {
    let statements: &[&str] = match store.inner.database.kind() {
        Kind::Sqlite => &[
            "CREATE TRIGGER broken BEFORE INSERT ON calls BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
        ],
        Kind::Postgres => &[
            "CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS \
             $$ BEGIN RAISE EXCEPTION 'the disk is full'; END $$",
            "CREATE TRIGGER broken BEFORE INSERT ON calls EXECUTE FUNCTION fail()",
        ],
    };
    for statement in statements {
        sqlx::query(*statement).execute(&store.inner.database.writes).await.unwrap();
    }
}

async fn mend_writes(store: &Store) {
    let statement = match store.inner.database.kind() {
        Kind::Sqlite => "DROP TRIGGER broken",
        Kind::Postgres => "DROP TRIGGER broken ON calls",
    };
    sqlx::query(statement).execute(&store.inner.database.writes).await.unwrap();
}

async fn code(store: &Store, call: &CallId) -> Option<String> {
    store.trace(View::Operator, call).await.unwrap().map(|record| record.code.into_owned())
}

#[tokio::test]
async fn a_full_log_has_no_place_and_a_dropped_slot_frees_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let store = small_store(&folder, 2, 1000).await;
    let log = store.log();
    let one = log.try_reserve(10).unwrap();
    let _two = log.try_reserve(10).unwrap();
    assert!(log.try_reserve(10).is_none(), "rows are bounded");
    drop(one);
    assert!(log.try_reserve(991).is_none(), "bytes are bounded");
    assert!(log.try_reserve(usize::MAX).is_none());
    assert!(log.try_reserve(990).is_some(), "a refusal takes nothing");
}

#[tokio::test]
async fn what_a_record_weighs_beyond_its_reservation_is_charged_until_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let store = small_store(&folder, 10, 100_000).await;
    let log = store.log();
    break_writes(&store).await;
    let mut record = ended(&CallId::fresh());
    record.raw_content = Some("x".repeat(200_000));
    log.try_reserve(10).unwrap().finish(|row| row.fill(&record));
    assert!(log.try_reserve(0).is_none());
    mend_writes(&store).await;
    log.flush().await.unwrap();
    assert!(log.try_reserve(100_000).is_some(), "all is freed");
}

#[tokio::test]
async fn nothing_is_lost_while_writes_fail_and_the_log_fills_up() {
    let folder = tempfile::tempdir().unwrap();
    let store = small_store(&folder, 50, 1 << 20).await;
    let log = store.log();
    break_writes(&store).await;
    let calls: Vec<CallId> = (0..50).map(|_| CallId::fresh()).collect();
    for call in &calls {
        log.try_reserve(0).unwrap().finish(|row| row.fill(&ended(call)));
    }
    assert!(log.try_reserve(0).is_none(), "calls are refused, not unrecorded");
    mend_writes(&store).await;
    log.flush().await.unwrap();
    for call in &calls {
        assert_eq!(code(&store, call).await.as_deref(), Some("bad_args"));
    }
    assert!(log.try_reserve(0).is_some());
}

#[tokio::test]
async fn nothing_is_lost_while_another_process_holds_the_database_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let other = Store::open(store.settings()).await.unwrap();
    let held = other.inner.database.writes.begin_with("BEGIN IMMEDIATE").await.unwrap();
    let call = CallId::fresh();
    store.log().try_reserve(0).unwrap().finish(|row| row.fill(&ended(&call)));
    let flush = tokio::spawn({
        let log = store.log();
        async move { log.flush().await }
    });
    tokio::task::yield_now().await;
    assert!(!flush.is_finished());
    held.rollback().await.unwrap();
    flush.await.unwrap().unwrap();
    assert!(code(&store, &call).await.is_some());
}

#[tokio::test]
async fn a_call_begins_on_disk_and_ends_in_the_same_row() {
    let folder = tempfile::tempdir().unwrap();
    let (store, other) = (store(&folder).await, store(&folder).await);
    let call = CallId::fresh();
    let mut slot = store.log().try_reserve(0).unwrap();
    slot.begin(start(&call)).await.unwrap();
    assert_eq!(code(&other, &call).await.as_deref(), Some(EXECUTING));
    slot.finish(|row| row.fill(&ended(&call)));
    store.log().flush().await.unwrap();
    let record = other.trace(View::Operator, &call).await.unwrap().unwrap();
    assert_eq!((&*record.code, record.wall_ms), ("bad_args", 12));
    assert_eq!(record.raw_structured.as_deref(), Some("1.0"));
}

#[tokio::test]
async fn a_call_that_vanished_after_its_beginning_is_recorded_as_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let call = CallId::fresh();
    let mut slot = store.log().try_reserve(0).unwrap();
    slot.begin(start(&call)).await.unwrap();
    drop(slot);
    assert_eq!(code(&store, &call).await.as_deref(), Some("outcome_unknown"));
}

#[tokio::test]
async fn a_beginning_that_is_not_on_disk_is_not_reported_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    break_writes(&store).await;
    let call = CallId::fresh();
    let mut slot = store.log().try_reserve(0).unwrap();
    let fault = slot.begin(start(&call)).await.unwrap_err();
    assert!(fault.is_transient() && fault.to_string().contains("the disk is full"), "{fault}");
    slot.finish(|row| row.fill(&ended(&call)));
    mend_writes(&store).await;
    store.log().flush().await.unwrap();
    assert_eq!(code(&store, &call).await.as_deref(), Some("bad_args"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_beginnings_at_once_share_commits_and_all_are_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let begun: Vec<_> = (0..500)
        .map(|_| {
            let log = store.log();
            tokio::spawn(async move {
                let call = CallId::fresh();
                let mut slot = log.try_reserve(0).unwrap();
                slot.begin(start(&call)).await.unwrap();
                slot.finish(|row| row.fill(&ended(&call)));
            })
        })
        .collect();
    for task in begun {
        task.await.unwrap();
    }
    store.log().flush().await.unwrap();
    let rows: i64 = sqlx::query_scalar("SELECT count(*) FROM calls WHERE code = 'bad_args'")
        .fetch_one(&store.inner.database.reads)
        .await
        .unwrap();
    assert_eq!(rows, 500);
}

#[tokio::test]
async fn records_are_written_although_every_handle_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let calls: Vec<CallId> = (0..1000).map(|_| CallId::fresh()).collect();
    let (reader, writer) = (store(&folder).await, store(&folder).await);
    let slot = writer.log().try_reserve(0).unwrap();
    drop(writer);
    slot.finish(|row| row.fill(&ended(&calls[0])));
    // The writer's task runs on this runtime; each look gives it its turn.
    for _ in 0..2_000 {
        if code(&reader, &calls[0]).await.is_some() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    panic!("the record never came");
}
