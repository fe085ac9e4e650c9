//! From settings to an open store: the folder, the file, the lock, the tables, the background tasks.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use sqlx::migrate::Migrator;
use sqlx::postgres::PgListener;

use super::bells::{COMPONENTS, DECIDED, KEYS, SETTLED};
use super::database::{self, Database};
use super::error::StoreError;
use super::log::{self, Bounds, CallLog, Queue};
use super::node::{self, Node, OpenLock};
use super::seal::sealer;
use super::secrets::secrets_key;
use super::settings::StoreSettings;
use super::url::{DatabaseUrl, PostgresUrl};
use super::{Inner, Store, retain};

static SQLITE: Migrator = sqlx::migrate!("./migrations/sqlite");
static POSTGRES: Migrator = sqlx::migrate!("./migrations/postgres");

/// How long other processes may take to open the store before this one gives up.
const LOCK_WITHIN: Duration = Duration::from_secs(30);
/// The pause after the connection on which other processes tell this one was lost.
const LISTEN_AGAIN: Duration = Duration::from_secs(1);

/// Opens the store with a log of a given size.
pub(super) async fn open(settings: &StoreSettings, bounds: Bounds) -> Result<Store, StoreError> {
    let fault = |reason: String| StoreError::Open { database: settings.database.to_string(), reason };
    let secrets_key = match &settings.secrets_key {
        Some(text) => Some(secrets_key(text).ok_or_else(|| {
            fault("TOOLHOST_SECRETS_KEY must be 32 bytes in Base64; `host secrets key` prints one".to_owned())
        })?),
        None => None,
    };
    let lock = match &settings.database {
        DatabaseUrl::Sqlite(file) => {
            let file = file.clone();
            let lock = tokio::task::spawn_blocking(move || prepare(&file)).await;
            Some(lock.map_err(|panic| fault(panic.to_string()))?.map_err(|cause| fault(cause.to_string()))?)
        }
        DatabaseUrl::Postgres(_) => None,
    };
    let first = database::first(&settings.database)
        .await
        .map_err(|cause| fault(advice(&cause, &settings.database)))?;
    tables(&settings.database).run(&first).await.map_err(|cause| fault(migration_advice(&cause)))?;
    first.close().await;
    let database = Database::connect(&settings.database).await;
    let database = Arc::new(database.map_err(|cause| fault(advice(&cause, &settings.database)))?);
    let node = Arc::new(Node::join(&settings.database, &database).await.map_err(fault)?);
    let sealer = sealer(&database).await?;
    drop(lock);

    let queue = Arc::new(Queue::new(bounds));
    log::spawn(Arc::clone(&queue), database.clone(), node.id().to_owned());
    let store = Store {
        inner: Arc::new(Inner {
            settings: settings.clone(),
            log: CallLog::new(queue, Arc::clone(&node)),
            database,
            node,
            sealer,
            secrets_key,
            settled: super::bells::Bells::default(),
            decided: super::bells::Bells::default(),
            keys: super::keys::KeyCache::default(),
            components: super::bells::Bells::default(),
            background: OnceLock::new(),
        }),
    };
    store.settle_lost_calls().await?;
    let weak = Arc::downgrade(&store.inner);
    let mut background = vec![tokio::spawn(retain(weak.clone(), settings.trace_retention)).abort_handle()];
    if let DatabaseUrl::Postgres(url) = &settings.database {
        background.push(tokio::spawn(listen(url.clone(), weak)).abort_handle());
    }
    // Set once, here.
    let _ = store.inner.background.set(background);
    Ok(store)
}

/// The steps from an empty database, or one of an earlier version, to this version's tables.
pub(super) fn tables(database: &DatabaseUrl) -> &'static Migrator {
    match database {
        DatabaseUrl::Sqlite(_) => &SQLITE,
        DatabaseUrl::Postgres(_) => &POSTGRES,
    }
}

/// Passes on what other processes tell: that a row changed which somebody here may wait for.
async fn listen(url: PostgresUrl, store: Weak<Inner>) {
    loop {
        let lost = async {
            let mut listener = PgListener::connect(url.whole()).await?;
            listener.listen_all([SETTLED, DECIDED, COMPONENTS, KEYS]).await?;
            tell_keys(&store, true);
            loop {
                // It gives nothing if the connection was lost, and connects anew before the next.
                let told = listener.try_recv().await?;
                let Some(inner) = store.upgrade() else { return Ok::<_, sqlx::Error>(()) };
                match told {
                    Some(told) => Store { inner }.heard(told.channel(), told.payload()),
                    None => inner.keys.changed(),
                }
            }
        };
        let lost = lost.await;
        tell_keys(&store, false);
        match lost {
            Ok(()) => return,
            // Meanwhile everybody who waits looks for itself from time to time.
            Err(fault) => tracing::warn!(%fault, "other processes cannot tell this one of a change"),
        }
        tokio::time::sleep(LISTEN_AGAIN).await;
    }
}

/// Says whether other processes can tell of changed keys.
fn tell_keys(store: &Weak<Inner>, told: bool) {
    if let Some(inner) = store.upgrade() {
        inner.keys.set_told(told);
    }
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

fn advice(cause: &sqlx::Error, database: &DatabaseUrl) -> String {
    // The system's reason does not name the file.
    if let (sqlx::Error::Io(reason), DatabaseUrl::Postgres(url)) = (cause, database)
        && matches!(reason.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied)
        && !url.certificates().is_empty()
    {
        let files: Vec<String> = url.certificates().iter().map(|file| file.display().to_string()).collect();
        return format!("{cause}; the URL names {}", files.join(", "));
    }
    match cause.as_database_error().and_then(|fault| fault.code()).as_deref() {
        Some("26") => {
            "it is not a SQLite database. Name another file in [store] url, or move this one away".into()
        }
        Some("11") => format!("{cause}. Restore it from a backup, or move it away to begin anew"),
        Some("3D000") => format!("{cause}. Create it with createdb; its tables are made at the first start"),
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

#[cfg(test)]
mod tests;
