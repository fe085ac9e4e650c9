//! From settings to an open store: the folder, the file, the lock, the tables, the background tasks.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, SqlitePool};

use super::error::StoreError;
use super::log::{self, Bounds, CallLog, Queue};
use super::node::{self, Node, OpenLock};
use super::settings::StoreSettings;
use super::{ANSWER_WITHIN, Inner, Store, retain};

static MIGRATIONS: Migrator = sqlx::migrate!("./migrations");

/// How long other processes may take to open the store before this one gives up.
const LOCK_WITHIN: Duration = Duration::from_secs(30);
/// How long SQLite waits for the lock of another process. Shorter than a request may take, so that the request
/// learns the reason.
const BUSY_WITHIN: Duration = Duration::from_secs(3);
const READERS: u32 = 4;

/// Opens the store with a log of a given size.
pub(super) async fn open(settings: &StoreSettings, bounds: Bounds) -> Result<Store, StoreError> {
    let fault = |reason: String| StoreError::Open { path: settings.sqlite.clone(), reason };
    let file = settings.sqlite.clone();
    let lock = tokio::task::spawn_blocking(move || prepare(&file))
        .await
        .map_err(|panic| fault(panic.to_string()))?
        .map_err(|cause| fault(cause.to_string()))?;

    let options = SqliteConnectOptions::new()
        .filename(&settings.sqlite)
        .journal_mode(SqliteJournalMode::Wal)
        // In WAL mode only FULL keeps the last commits through a loss of power.
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY_WITHIN)
        .foreign_keys(true)
        .pragma("journal_size_limit", "67108864")
        .pragma("trusted_schema", "OFF")
        .disable_statement_logging();
    let writes = pool(&options, 1).await.map_err(|cause| fault(advice(&cause)))?;
    MIGRATIONS.run(&writes).await.map_err(|cause| fault(migration_advice(&cause)))?;
    let reads = pool(&options, READERS).await.map_err(|cause| fault(advice(&cause)))?;

    let folder = nodes_folder(settings);
    let joined = tokio::task::spawn_blocking(move || Node::join(&folder)).await;
    let node = joined.map_err(|panic| fault(panic.to_string()))?.map_err(|cause| fault(cause.to_string()))?;
    let node = Arc::new(node);
    drop(lock);

    let queue = Arc::new(Queue::new(bounds));
    log::spawn(Arc::clone(&queue), writes.clone(), node.id().to_owned());
    let store = Store {
        inner: Arc::new(Inner {
            settings: settings.clone(),
            log: CallLog::new(queue, Arc::clone(&node)),
            writes,
            reads,
            node,
            settled: tokio::sync::Notify::new(),
            retention: OnceLock::new(),
        }),
    };
    store.settle_lost_calls().await?;
    let task = tokio::spawn(retain(Arc::downgrade(&store.inner), settings.trace_retention));
    // Set once, here.
    let _ = store.inner.retention.set(task.abort_handle());
    Ok(store)
}

/// Whether the process of that id is gone.
pub(super) async fn is_gone(settings: &StoreSettings, id: &str) -> bool {
    let (folder, id) = (nodes_folder(settings), id.to_owned());
    tokio::task::spawn_blocking(move || Node::is_gone(&folder, &id)).await.unwrap_or(false)
}

async fn pool(options: &SqliteConnectOptions, size: u32) -> Result<SqlitePool, sqlx::Error> {
    SqlitePoolOptions::new()
        .max_connections(size)
        .acquire_timeout(ANSWER_WITHIN)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .connect_with(options.clone())
        .await
}

/// Makes the folder and the file for this user alone, and takes the right to open. Blocks the thread.
fn prepare(file: &Path) -> std::io::Result<OpenLock> {
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        node::create_folder(folder)?;
    }
    // SQLite gives its side files the mode of this one.
    node::open_private(file)?;
    let mut lock = file.as_os_str().to_owned();
    lock.push(".lock");
    OpenLock::acquire(&PathBuf::from(lock), LOCK_WITHIN)
}

fn nodes_folder(settings: &StoreSettings) -> PathBuf {
    settings.sqlite.parent().unwrap_or(Path::new("")).join("nodes")
}

fn advice(cause: &sqlx::Error) -> String {
    match cause.as_database_error().and_then(|fault| fault.code()).as_deref() {
        Some("26") => {
            "it is not a SQLite database. Name another file in [store] url, or move this one away".into()
        }
        Some("11") => format!("{cause}. Restore it from a backup, or move it away to begin anew"),
        _ => cause.to_string(),
    }
}

fn migration_advice(cause: &sqlx::migrate::MigrateError) -> String {
    match cause {
        sqlx::migrate::MigrateError::VersionMissing(_) | sqlx::migrate::MigrateError::VersionTooNew(..) => {
            "a newer version of this program has used it. Use that version".to_owned()
        }
        other => other.to_string(),
    }
}
