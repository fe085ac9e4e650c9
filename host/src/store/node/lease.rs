//! A lease of this process in the database, by the database's clock, so that clocks of machines do not matter.
//!
//! It is renewed by a thread of its own, on a connection of its own: neither a busy guest nor a full pool delays it.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use sqlx::{AnyConnection, AssertSqlSafe, Connection as _};

use crate::store::database::{Database, LEASE, POSTGRES_NOW};
use crate::store::error::StoreError;
use crate::store::url::PostgresUrl;

/// A time without renewal that is more than a late one.
const BREAK: Duration = Duration::from_secs(9);

/// How often the lease is renewed.
const RENEWED_EVERY: Duration = Duration::from_secs(3);

/// The lease of this process. Dropping it gives it back.
#[derive(Debug)]
pub(super) struct Lease {
    /// Since when it has been renewed without a break.
    unbroken: Arc<Mutex<Instant>>,
    /// Dropped to end the thread.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Lease {
    /// Takes a lease for a new id, and has it renewed from then on.
    pub(super) async fn take(url: &PostgresUrl, database: &Database, id: &str) -> Result<Self, String> {
        renew(&mut *database.writes.acquire().await.map_err(|fault| fault.to_string())?, id)
            .await
            .map_err(|fault| fault.to_string())?;
        let (stop, stopped) = channel();
        let (url, id) = (url.clone(), id.to_owned());
        // As if from long ago: whoever is gone when this process begins has had its time.
        let began = Instant::now();
        let unbroken = Arc::new(Mutex::new(began.checked_sub(LEASE).unwrap_or(began)));
        let since = unbroken.clone();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|fault| fault.to_string())?;
        let thread = std::thread::Builder::new().name("lease".to_owned()).spawn(move || {
            let mut connection = None;
            let mut renewed = Instant::now();
            while stopped.recv_timeout(RENEWED_EVERY) == Err(RecvTimeoutError::Timeout) {
                match runtime.block_on(renew_on(&mut connection, &url, &id)) {
                    Ok(()) => {
                        if renewed.elapsed() > BREAK {
                            *since.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
                        }
                        renewed = Instant::now();
                    }
                    Err(fault) => {
                        tracing::error!(%fault, "this process's lease in the store is not renewed");
                        connection = None;
                    }
                }
            }
            runtime.block_on(give_back(connection, &url, &id));
        });
        let thread = thread.map_err(|fault| fault.to_string())?;
        Ok(Self { unbroken, stop: Some(stop), thread: Some(thread) })
    }

    /// Whether this process could renew its lease for as long as one lasts. If it could not, the database may have been
    /// away from all, and a lease that is over says nothing of its holder yet.
    pub(super) fn is_steady(&self) -> bool {
        self.unbroken.lock().unwrap_or_else(PoisonError::into_inner).elapsed() >= LEASE
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        drop(self.stop.take());
        // It ends by itself within the time of one request; nobody has to wait for that.
        drop(self.thread.take());
    }
}

async fn renew_on(
    connection: &mut Option<AnyConnection>,
    url: &PostgresUrl,
    id: &str,
) -> Result<(), sqlx::Error> {
    let renewed = tokio::time::timeout(RENEWED_EVERY, async {
        if connection.is_none() {
            *connection = Some(AnyConnection::connect(url.whole()).await?);
        }
        match connection {
            Some(connection) => renew(connection, id).await,
            None => Ok(()),
        }
    });
    renewed.await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
}

async fn renew(connection: &mut AnyConnection, id: &str) -> Result<(), sqlx::Error> {
    let lease = i64::try_from(LEASE.as_millis()).unwrap_or(i64::MAX);
    let statement = format!(
        "INSERT INTO nodes (id, lease_unix_ms) VALUES ($1, {POSTGRES_NOW} + $2) \
         ON CONFLICT (id) DO UPDATE SET lease_unix_ms = excluded.lease_unix_ms"
    );
    sqlx::query(AssertSqlSafe(statement))
        .bind(id.to_owned())
        .bind(lease)
        .execute(connection)
        .await
        .map(|_| ())
}

/// Others learn at once that this process is gone; without it they would when the lease is over.
async fn give_back(connection: Option<AnyConnection>, url: &PostgresUrl, id: &str) {
    let given = tokio::time::timeout(RENEWED_EVERY, async {
        let mut connection = match connection {
            Some(connection) => connection,
            None => AnyConnection::connect(url.whole()).await?,
        };
        sqlx::query("DELETE FROM nodes WHERE id = $1").bind(id.to_owned()).execute(&mut connection).await?;
        connection.close().await
    });
    if let Ok(Err(fault)) = given.await {
        tracing::warn!(%fault, "this process's lease in the store was not given back");
    }
}

/// Whether the lease of another process is over.
pub(super) async fn is_over(database: &Database, id: &str) -> Result<bool, StoreError> {
    let statement = format!("SELECT count(*) FROM nodes WHERE id = $1 AND lease_unix_ms > {POSTGRES_NOW}");
    let question = sqlx::query(AssertSqlSafe(statement)).bind(id.to_owned());
    Ok(database.number("look whether a process lives", question).await? == 0)
}

/// Removes the leases that ended a day ago and earlier.
pub(super) async fn forget(database: &Database) -> Result<(), StoreError> {
    const DAY_MS: u32 = 86_400_000;
    let statement = format!("DELETE FROM nodes WHERE lease_unix_ms < {POSTGRES_NOW} - {DAY_MS}");
    database.write("remove old leases", sqlx::query(AssertSqlSafe(statement))).await.map(|_| ())
}

/// Says which tools a process serves.
pub(super) async fn announce(database: &Database, id: &str, tools: &str) -> Result<(), StoreError> {
    let statement = sqlx::query("UPDATE nodes SET tools = $2 WHERE id = $1");
    let statement = statement.bind(id.to_owned()).bind(tools.to_owned());
    database.write("say which tools are served", statement).await.map(|_| ())
}

/// How many living processes serve other tools than these.
pub(super) async fn differing(database: &Database, tools: &str) -> Result<u64, StoreError> {
    let statement =
        format!("SELECT count(*) FROM nodes WHERE tools <> $1 AND lease_unix_ms > {POSTGRES_NOW}");
    let question = sqlx::query(AssertSqlSafe(statement)).bind(tools.to_owned());
    database.number("compare the tools of all hosts", question).await
}

/// The condition that the process whose id is that parameter has a lease.
pub(super) fn condition(parameter: u32) -> String {
    format!("EXISTS (SELECT 1 FROM nodes WHERE id = ${parameter} AND lease_unix_ms > {POSTGRES_NOW})")
}
