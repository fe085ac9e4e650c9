//! The connections to the database, and the few things in which SQLite and PostgreSQL differ. All statements but one are
//! written once, for both, with numbered parameters; the one is that of the call log.

use std::collections::BTreeSet;
use std::path::Path;
use std::str::FromStr as _;
use std::time::Duration;

use sqlx::any::{AnyArguments, AnyConnectOptions, AnyPoolOptions};
use sqlx::query::Query;
use sqlx::{
    Any, AnyConnection, AnyPool, AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _,
    Row as _, Transaction,
};

use super::clock::{figure, now_unix_ms};
use super::url::DatabaseUrl;
use super::{ANSWER_WITHIN, StoreError, within};

/// The moment by the database's own clock, in milliseconds since 1970.
pub(super) const POSTGRES_NOW: &str = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";

/// How long SQLite waits for the lock of another process. Shorter than a request may take, so that the request
/// learns the reason.
const SQLITE_BUSY: &str = "PRAGMA busy_timeout = 3000";
/// In WAL mode only FULL keeps the last commits through a loss of power. The log grows to 16 MiB before it is written
/// back, so that pages that change often are written back once for many times. What is sorted on the way stays in memory, since
/// a server opens no file outside of its own folders.
const SQLITE_SETTINGS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; \
     PRAGMA wal_autocheckpoint = 4096; PRAGMA journal_size_limit = 67108864; PRAGMA trusted_schema = OFF; \
     PRAGMA temp_store = MEMORY";

const READERS: u32 = 4;
const POSTGRES_WRITERS: u32 = 12;

/// An open database.
#[derive(Debug)]
pub(super) struct Database {
    kind: Kind,
    /// For SQLite one connection, since it has one writer at a time: waiting for it in line is faster and fairer than
    /// trying for the lock.
    pub(super) writes: AnyPool,
    pub(super) reads: AnyPool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Sqlite,
    Postgres,
}

impl Database {
    /// Connects. Tables are not looked at.
    pub(super) async fn connect(url: &DatabaseUrl) -> Result<Self, sqlx::Error> {
        let (kind, options) = options(url)?;
        let writers = if kind == Kind::Sqlite { 1 } else { POSTGRES_WRITERS };
        let writes = pool(&options, kind, writers).await?;
        let reads = pool(&options, kind, READERS).await?;
        Ok(Self { kind, writes, reads })
    }

    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    /// Begins a transaction that no other with the same scope runs beside, in any process.
    pub(super) async fn begin(&self, scope: &str) -> Result<Transaction<'static, Any>, sqlx::Error> {
        let mut transaction = self.begin_beside_others().await?;
        // On SQLite there is one writer at a time anyway.
        if self.kind == Kind::Postgres {
            sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
                .bind(scope.to_owned())
                .execute(&mut *transaction)
                .await?;
        }
        Ok(transaction)
    }

    /// Begins a transaction that needs no other to wait.
    pub(super) async fn begin_beside_others(&self) -> Result<Transaction<'static, Any>, sqlx::Error> {
        match self.kind {
            Kind::Sqlite => self.writes.begin_with("BEGIN IMMEDIATE").await,
            Kind::Postgres => self.writes.begin().await,
        }
    }

    /// The moment, by the clock that all processes on the database share: its own, and on one machine the machine's.
    pub(super) async fn now(&self) -> Result<u64, StoreError> {
        if self.kind == Kind::Sqlite {
            return Ok(now_unix_ms());
        }
        self.number("tell the time", sqlx::query(AssertSqlSafe(format!("SELECT {POSTGRES_NOW}")))).await
    }

    /// Runs one statement that writes, within the time that a request may take. Gives the number of rows that it touched.
    pub(super) async fn write(
        &self,
        what: &'static str,
        statement: Query<'_, Any, AnyArguments>,
    ) -> Result<u64, StoreError> {
        within(what, async {
            let done = statement.execute(&self.writes).await;
            done.map(|done| done.rows_affected()).map_err(|source| StoreError::query(what, source))
        })
        .await
    }

    /// Asks for one whole number, within the time that a request may take.
    pub(super) async fn number(
        &self,
        what: &'static str,
        question: Query<'_, Any, AnyArguments>,
    ) -> Result<u64, StoreError> {
        within(what, async {
            let row = question.fetch_one(&self.reads).await;
            row.and_then(|row| row.try_get(0)).map(figure).map_err(|source| StoreError::query(what, source))
        })
        .await
    }

    /// Asks for a set of texts, within the time that a request may take.
    pub(super) async fn texts(
        &self,
        what: &'static str,
        question: &'static str,
    ) -> Result<BTreeSet<String>, StoreError> {
        within(what, async {
            let texts = sqlx::query_scalar::<_, String>(question).fetch_all(&self.reads).await;
            texts.map(BTreeSet::from_iter).map_err(|source| StoreError::query(what, source))
        })
        .await
    }

    pub(super) async fn close(&self) {
        self.writes.close().await;
        self.reads.close().await;
    }
}

/// A connection for the tables to be brought up to date on, which may take longer than a request.
pub(super) async fn first(url: &DatabaseUrl) -> Result<AnyPool, sqlx::Error> {
    let (kind, options) = options(url)?;
    // A pool would try to connect again and again, and say at last that it took too long.
    let mut alone = AnyConnection::connect_with(&options).await?;
    if kind == Kind::Sqlite {
        set_up(&mut alone, kind).await?;
    }
    alone.close().await?;
    match kind {
        Kind::Sqlite => pool(&options, kind, 1).await,
        Kind::Postgres => AnyPoolOptions::new().max_connections(1).connect_with(options).await,
    }
}

fn options(url: &DatabaseUrl) -> Result<(Kind, AnyConnectOptions), sqlx::Error> {
    sqlx::any::install_default_drivers();
    let (kind, text) = match url {
        DatabaseUrl::Sqlite(file) => (Kind::Sqlite, sqlite_url(file)?),
        DatabaseUrl::Postgres(url) => (Kind::Postgres, url.whole().to_owned()),
    };
    Ok((kind, AnyConnectOptions::from_str(&text)?.disable_statement_logging()))
}

async fn pool(options: &AnyConnectOptions, kind: Kind, size: u32) -> Result<AnyPool, sqlx::Error> {
    AnyPoolOptions::new()
        .max_connections(size)
        .acquire_timeout(ANSWER_WITHIN)
        .idle_timeout(None)
        .max_lifetime(None)
        // A server may have closed a connection; a file cannot.
        .test_before_acquire(kind == Kind::Postgres)
        // After a fault of its disk SQLite has rolled back by itself, and the connection would take itself for being in a
        // transaction for good.
        .before_acquire(|connection, _| Box::pin(async move { Ok(!connection.is_in_transaction()) }))
        .after_connect(move |connection, _| Box::pin(set_up(connection, kind)))
        .connect_with(options.clone())
        .await
}

async fn set_up(connection: &mut AnyConnection, kind: Kind) -> Result<(), sqlx::Error> {
    match kind {
        Kind::Sqlite => {
            connection.execute(SQLITE_BUSY).await?;
            connection.execute(SQLITE_SETTINGS).await?;
        }
        // What a statement may take is bounded by the server too, so that none is left behind by a request that gave up.
        Kind::Postgres => {
            const SETTINGS: &str = "SET statement_timeout = '5s'; SET idle_in_transaction_session_timeout = '15s'; \
                                    SET client_min_messages = warning";
            connection.execute(SETTINGS).await?;
        }
    }
    Ok(())
}

/// The URL of a file that is there.
fn sqlite_url(file: &Path) -> Result<String, sqlx::Error> {
    let wrong = |reason: &str| sqlx::Error::Configuration(reason.to_owned().into());
    let file = std::path::absolute(file).map_err(sqlx::Error::Io)?;
    let path = file.to_str().ok_or_else(|| wrong("the path of the store has to be UTF-8"))?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-~".contains(&byte);
    let mut url = String::from("sqlite://");
    for byte in path.bytes() {
        if plain(byte) { url.push(char::from(byte)) } else { url.push_str(&format!("%{byte:02X}")) }
    }
    Ok(url)
}

/// How long a process is taken to live after its last sign.
pub(super) const LEASE: Duration = Duration::from_secs(15);
