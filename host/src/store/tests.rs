#![expect(clippy::disallowed_methods, reason = "the tests look at the files, and one process has to die")]

use super::log::Bounds;
use super::*;
use crate::spec::Gate;

#[path = "../../../tests/src/postgres.rs"]
mod postgres;

/// A database of the folder's own: a file in it, or, where the tests are given a PostgreSQL server, one there.
pub(super) fn database(folder: &tempfile::TempDir) -> DatabaseUrl {
    match postgres::database(folder.path()) {
        Some(url) => DatabaseUrl::Postgres(PostgresUrl::parse(&url).unwrap()),
        None => DatabaseUrl::Sqlite(folder.path().join("state").join("toolhost.db")),
    }
}

fn file(settings: &StoreSettings) -> &std::path::Path {
    match &settings.database {
        DatabaseUrl::Sqlite(file) => file,
        DatabaseUrl::Postgres(url) => panic!("{url} is no file"),
    }
}

pub(super) fn settings(folder: &tempfile::TempDir) -> StoreSettings {
    StoreSettings {
        database: database(folder),
        artefacts: folder.path().join("artefacts"),
        trace_retention: Duration::from_secs(7 * 86_400),
        approval_lifetime: Duration::from_secs(86_400),
        secrets: Vec::new(),
        secrets_key: None,
    }
}

pub(super) async fn store(folder: &tempfile::TempDir) -> Store {
    Store::open(&settings(folder)).await.unwrap()
}

pub(super) async fn small_store(folder: &tempfile::TempDir, rows: usize, bytes: usize) -> Store {
    open::open(&settings(folder), Bounds { rows, bytes }).await.unwrap()
}

pub(super) fn tenant(name: &str) -> TenantId {
    name.parse().unwrap()
}

pub(super) fn start(call: &CallId) -> CallStart {
    CallStart {
        call_id: call.clone(),
        tenant: tenant("shop"),
        user: Some("ann".parse().unwrap()),
        run: "run-1".parse().unwrap(),
        tool: "cancel_order".into(),
        component: Some(crate::id::Digest::of(b"x")),
        surface: "mcp",
        started_unix_ms: now_unix_ms(),
        attempt: 1,
        arguments: r#"{"order_id": 9007199254740993}"#.into(),
    }
}

pub(super) fn ended(call: &CallId) -> CallRecord {
    CallRecord {
        wall_ms: 12,
        fuel: u64::MAX,
        memory_peak_bytes: 65_536,
        gate: Some(Gate::Schema),
        kind: Some("InvalidArguments".into()),
        message: Some("two\nlines and ünïcode".into()),
        operator: Some("for operators".into()),
        raw_content: Some("[]".into()),
        raw_structured: Some("1.0".into()),
        events: vec![TraceEvent { offset_us: 7, name: "admitted".into(), detail: "\"quoted\"".into() }],
        ..start(call).into_record("bad_args")
    }
}

#[tokio::test]
async fn a_trace_says_what_was_recorded_to_whom_it_concerns() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let call = CallId::fresh();
    let record = ended(&call);
    store.log().try_reserve(100).unwrap().finish(|row| row.fill(&record.clone()));
    let read = store.trace(View::Operator, &call).await.unwrap().unwrap();
    // Figures are signed on disk; the largest of them stands for all beyond.
    assert_eq!(read, CallRecord { fuel: i64::MAX.unsigned_abs(), ..record });
    assert!(store.trace(View::Tenant(&tenant("shop")), &call).await.unwrap().is_some());
    assert_eq!(store.trace(View::Tenant(&tenant("other")), &call).await.unwrap(), None);
    assert_eq!(store.trace(View::Operator, &CallId::fresh()).await.unwrap(), None);
}

#[tokio::test]
async fn several_handles_open_one_file_at_once_and_see_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(&folder);
    let opened: Vec<_> = (0..8)
        .map(|_| {
            let settings = settings.clone();
            tokio::spawn(async move { Store::open(&settings).await })
        })
        .collect();
    let mut stores = Vec::new();
    for task in opened {
        stores.push(task.await.unwrap().unwrap());
    }
    let call = CallId::fresh();
    let (writer, reader) = (&stores[0], &stores[7]);
    writer.log().try_reserve(0).unwrap().finish(|row| row.fill(&ended(&call)));
    writer.log().flush().await.unwrap();
    assert!(reader.trace(View::Operator, &call).await.unwrap().is_some());
}

#[tokio::test]
async fn calls_of_dead_processes_are_settled_and_those_of_living_ones_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let living = store(&folder).await;
    let (runs, lost) = (CallId::fresh(), CallId::fresh());
    let mut slots = Vec::new();
    for call in [&runs, &lost] {
        let mut slot = living.log().try_reserve(0).unwrap();
        slot.begin(start(call)).await.unwrap();
        slots.push(slot);
    }
    // As a process would leave it that was killed: the row is there, and nobody holds the lock.
    sqlx::query("UPDATE calls SET node = '00ff' WHERE call_id = $1")
        .bind(lost.as_str().to_owned())
        .execute(&living.inner.database.writes)
        .await
        .unwrap();
    let later = store(&folder).await;
    let code = async |call| later.trace(View::Operator, call).await.unwrap().unwrap().code;
    assert_eq!(code(&lost).await, "outcome_unknown");
    assert_eq!(code(&runs).await, EXECUTING);
    assert_eq!(later.settle_lost_calls().await.unwrap(), 0);
}

#[tokio::test]
async fn a_process_that_died_holds_no_lock_on_sqlite() {
    // The child is this test in a process of its own, which ends without any clean-up.
    // The file is named by a filter that fits no test.
    if let Some(file) = std::env::args().find(|it| it.ends_with("/toolhost.db")) {
        let database = DatabaseUrl::Sqlite(file.into());
        let settings = StoreSettings { database, ..settings(&tempfile::tempdir().unwrap()) };
        let store = Store::open(&settings).await.unwrap();
        let mut slot = store.log().try_reserve(0).unwrap();
        slot.begin(start(&"died".parse().unwrap())).await.unwrap();
        std::process::abort();
    }
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(&folder);
    let ended = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "store::tests::a_process_that_died_holds_no_lock_on_sqlite"])
        .arg(file(&settings))
        .output()
        .unwrap();
    assert!(!ended.status.success());
    let nodes = file(&settings).with_file_name("nodes");
    assert_eq!(std::fs::read_dir(&nodes).unwrap().count(), 1);
    let store = Store::open(&settings).await.unwrap();
    let record = store.trace(View::Operator, &"died".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!((&*record.code, record.attempt), ("outcome_unknown", 1));
    assert_eq!(std::fs::read_dir(&nodes).unwrap().count(), 1, "the dead process's lock file is removed");
}

#[tokio::test]
async fn pruning_removes_what_is_old_and_has_ended() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let calls: Vec<CallId> = (0..3).map(|_| CallId::fresh()).collect();
    let log = store.log();
    log.try_reserve(0)
        .unwrap()
        .finish(|row| row.fill(&CallRecord { started_unix_ms: 1_000, ..ended(&calls[0]) }));
    log.try_reserve(0).unwrap().finish(|row| row.fill(&ended(&calls[1])));
    let mut running = log.try_reserve(0).unwrap();
    running.begin(CallStart { started_unix_ms: 1_000, ..start(&calls[2]) }).await.unwrap();
    log.flush().await.unwrap();
    assert_eq!(store.prune(Duration::from_secs(3600)).await.unwrap(), 1);
    let mut left = Vec::new();
    for call in &calls {
        left.push(store.trace(View::Operator, call).await.unwrap().is_some());
    }
    assert_eq!(left, [false, true, true]);
}

#[tokio::test]
async fn pruning_goes_on_until_nothing_old_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    for _ in 0..4_500 {
        let record = CallRecord { started_unix_ms: 1, ..ended(&CallId::fresh()) };
        store.log().try_reserve(0).unwrap().finish(|row| row.fill(&record));
    }
    store.log().flush().await.unwrap();
    assert_eq!(store.prune(Duration::from_secs(1)).await.unwrap(), 4_500);
}

#[cfg(unix)]
#[tokio::test]
async fn nobody_else_may_read_what_is_stored_on_sqlite() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    store.kv(&tenant("shop"), "c").set("k", b"v").await.unwrap();
    let state = folder.path().join("state");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&state), 0o700);
    let mut files = 0;
    for entry in std::fs::read_dir(&state).unwrap().flatten().filter(|it| it.path().is_file()) {
        assert_eq!(mode(&entry.path()), 0o600, "{:?}", entry.path());
        files += 1;
    }
    assert!(files >= 3, "the database, its log and the lock");
}

#[tokio::test]
async fn what_cannot_be_opened_is_named_with_the_reason_on_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(&folder);
    std::fs::create_dir_all(file(&settings).parent().unwrap()).unwrap();
    std::fs::write(
        file(&settings),
        "not a database at all, but a text that is long enough to be one ".repeat(40),
    )
    .unwrap();
    let fault = Store::open(&settings).await.unwrap_err().to_string();
    assert!(fault.contains("toolhost.db") && fault.contains("not a SQLite database"), "{fault}");

    let below = DatabaseUrl::Sqlite(file(&settings).join("below/a/file"));
    let blocked = StoreSettings { database: below, ..settings };
    assert!(matches!(Store::open(&blocked).await, Err(StoreError::Open { .. })));
}

#[tokio::test]
async fn a_newer_schema_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let first = store(&folder).await;
    let newer = "UPDATE _sqlx_migrations SET version = 9999 WHERE version = (SELECT max(version) FROM _sqlx_migrations)";
    sqlx::query(newer).execute(&first.inner.database.writes).await.unwrap();
    let fault = Store::open(&settings(&folder)).await.unwrap_err().to_string();
    assert!(fault.contains("newer version"), "{fault}");
}

#[tokio::test]
async fn closing_writes_what_is_logged() {
    let folder = tempfile::tempdir().unwrap();
    let call = CallId::fresh();
    let first = store(&folder).await;
    first.log().try_reserve(0).unwrap().finish(|row| row.fill(&ended(&call)));
    first.close().await.unwrap();
    let second = store(&folder).await;
    assert!(second.trace(View::Operator, &call).await.unwrap().is_some());
}
