//! What is known under each component's name, whichever host sees it: what was accepted last, what waits for an operator,
//! and the bytes of those that were uploaded.
//!
//! Whether something is accepted is decided by the caller. Here it is only remembered, and each change is told to the
//! other processes on the store.

mod bytes;
mod rows;
#[cfg(test)]
mod tests;

use sqlx::{Any, AssertSqlSafe, Transaction};

use super::bells::{COMPONENTS, LOOK_ANYWAY, LOOK_UNTOLD};
use super::clock::{column, now_unix_ms};
use super::database::Kind;
use super::{Store, StoreError, within};
use crate::id::Digest;
use rows::{COLUMNS, known, version};

/// The one bell that all changes ring.
const BELL: usize = 0;

/// One version of a component: its code, and what it says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// The identity of its code.
    pub digest: Digest,
    /// The hash of its description.
    pub mark: String,
    /// The names of its tools, in its own order.
    pub tools: Vec<String>,
    /// Who accepted it, or brought it.
    pub by: String,
    /// When that was, in milliseconds since 1970.
    pub since_unix_ms: u64,
}

impl Version {
    /// A version as somebody brings it now.
    #[must_use]
    pub fn now(digest: Digest, description: &str, tools: Vec<String>, by: &str) -> Self {
        let mark = Digest::of(description.as_bytes()).hex();
        Self { digest, mark, tools, by: by.to_owned(), since_unix_ms: now_unix_ms() }
    }

    /// Whether both are the same code and say the same.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.digest == other.digest && self.mark == other.mark
    }
}

/// What is known under one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownComponent {
    /// The component's name.
    pub name: String,
    /// Its bytes are in the store.
    pub uploaded: bool,
    /// What was accepted last.
    pub accepted: Option<Version>,
    /// What waits to be accepted.
    pub waiting: Option<Version>,
}

/// What is to be remembered of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// It is accepted; what waits of the same version waits no longer.
    Accepted,
    /// The same, unless another version was accepted meanwhile.
    FirstSeen,
    /// It waits for an operator, in place of whatever waited.
    Waiting,
}

/// A component that was met, with what is to be remembered of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Met {
    /// The component's name.
    pub name: String,
    /// Its bytes are in the store.
    pub uploaded: bool,
    /// What it is.
    pub version: Version,
    /// What it says about itself.
    pub description: String,
    /// What is to be remembered.
    pub keep: Keep,
}

/// What is known of components.
#[derive(Debug, Clone)]
pub struct Components {
    store: Store,
}

impl Components {
    pub(super) fn new(store: Store) -> Self {
        Self { store }
    }

    /// All that is known, by name.
    ///
    /// # Errors
    /// Any [`StoreError`].
    pub async fn list(&self) -> Result<Vec<KnownComponent>, StoreError> {
        const WHAT: &str = "list components";
        within(WHAT, async {
            let rows = sqlx::query(AssertSqlSafe(format!("SELECT {COLUMNS} FROM components ORDER BY name")))
                .fetch_all(&self.store.inner.database.reads)
                .await
                .map_err(|source| StoreError::query(WHAT, source))?;
            rows.iter().map(known).collect()
        })
        .await
    }

    /// What is known under one name.
    ///
    /// # Errors
    /// Any [`StoreError`].
    pub async fn get(&self, name: &str) -> Result<Option<KnownComponent>, StoreError> {
        const WHAT: &str = "look up a component";
        within(WHAT, async {
            let row = sqlx::query(AssertSqlSafe(format!("SELECT {COLUMNS} FROM components WHERE name = $1")))
                .bind(name.to_owned())
                .fetch_optional(&self.store.inner.database.reads)
                .await
                .map_err(|source| StoreError::query(WHAT, source))?;
            row.as_ref().map(known).transpose()
        })
        .await
    }

    /// What the accepted and the waiting version of a component say about themselves.
    ///
    /// # Errors
    /// Any [`StoreError`].
    pub async fn descriptions(&self, name: &str) -> Result<(Option<String>, Option<String>), StoreError> {
        const WHAT: &str = "read the description of a component";
        within(WHAT, async {
            let asked = "SELECT accepted_description, waiting_description FROM components WHERE name = $1";
            let row = sqlx::query_as(asked)
                .bind(name.to_owned())
                .fetch_optional(&self.store.inner.database.reads)
                .await;
            row.map(Option::unwrap_or_default).map_err(|source| StoreError::query(WHAT, source))
        })
        .await
    }

    /// Remembers components that were met, all of them or none, and tells the other processes. On disk when it returns.
    ///
    /// # Errors
    /// Any [`StoreError`]; nothing is remembered then.
    pub async fn remember(&self, met: &[Met]) -> Result<(), StoreError> {
        if met.is_empty() {
            return Ok(());
        }
        self.change("remember components", async |transaction| {
            for one in met {
                put(transaction, one).await?;
            }
            Ok(true)
        })
        .await
        .map(drop)
    }

    /// Accepts what waits under a name, if it is that very version. False if it is not.
    ///
    /// # Errors
    /// Any [`StoreError`].
    pub async fn accept(&self, name: &str, waiting: &Version, by: &str) -> Result<bool, StoreError> {
        self.change("accept a component", async |transaction| {
            let accepted = sqlx::query(
                "UPDATE components SET accepted_digest = waiting_digest, accepted_mark = waiting_mark, \
                 accepted_tools = waiting_tools, accepted_description = waiting_description, accepted_by = $4, \
                 accepted_unix_ms = $5, waiting_digest = NULL, waiting_mark = NULL, waiting_tools = NULL, \
                 waiting_description = NULL, waiting_by = NULL, waiting_unix_ms = NULL \
                 WHERE name = $1 AND waiting_digest = $2 AND waiting_mark = $3",
            )
            .bind(name.to_owned())
            .bind(waiting.digest.to_string())
            .bind(waiting.mark.clone())
            .bind(by.to_owned())
            .bind(column(now_unix_ms()))
            .execute(&mut **transaction)
            .await?;
            Ok(accepted.rows_affected() == 1)
        })
        .await
    }

    /// Forgets what waits under a name, if it is that very version. False if it is not. Of a name under which nothing was
    /// ever accepted nothing is left.
    ///
    /// # Errors
    /// Any [`StoreError`].
    pub async fn reject(&self, name: &str, waiting: &Version) -> Result<bool, StoreError> {
        self.change("reject a component", async |transaction| {
            let rejected = sqlx::query(
                "UPDATE components SET waiting_digest = NULL, waiting_mark = NULL, waiting_tools = NULL, \
                 waiting_description = NULL, waiting_by = NULL, waiting_unix_ms = NULL \
                 WHERE name = $1 AND waiting_digest = $2 AND waiting_mark = $3",
            )
            .bind(name.to_owned())
            .bind(waiting.digest.to_string())
            .bind(waiting.mark.clone())
            .execute(&mut **transaction)
            .await?;
            sqlx::query("DELETE FROM components WHERE name = $1 AND accepted_digest IS NULL AND waiting_digest IS NULL")
                .bind(name.to_owned())
                .execute(&mut **transaction)
                .await?;
            Ok(rejected.rows_affected() == 1)
        })
        .await
    }

    /// Forgets all that is known under a name. False if nothing was. The bytes go when old rows are removed.
    ///
    /// # Errors
    /// Any [`StoreError`].
    pub async fn forget(&self, name: &str) -> Result<bool, StoreError> {
        self.change("forget a component", async |transaction| {
            let gone = sqlx::query("DELETE FROM components WHERE name = $1").bind(name.to_owned());
            Ok(gone.execute(&mut **transaction).await?.rows_affected() == 1)
        })
        .await
    }

    /// How often anything changed here, in any process.
    ///
    /// # Errors
    /// Any [`StoreError`].
    pub async fn changes(&self) -> Result<u64, StoreError> {
        let asked = sqlx::query("SELECT times FROM components_changed WHERE id = 1");
        self.store.inner.database.number("look whether components changed", asked).await
    }

    /// Returns once anything changed since the count was as given, and the count of then: at once where another process on
    /// PostgreSQL did it, within 250 ms on SQLite. While the store does not answer it goes on waiting. Dropping the future
    /// changes nothing.
    pub async fn until_changed(&self, seen: u64) -> u64 {
        let inner = &self.store.inner;
        // Every host looks all the time, and nobody waits for it.
        let often = if inner.database.kind() == Kind::Postgres { LOOK_ANYWAY } else { 2 * LOOK_UNTOLD };
        loop {
            // Listened for before looking, so that no change is missed in between.
            let told = inner.components.rung(BELL);
            match self.changes().await {
                Ok(now) if now != seen => return now,
                Ok(_) => {}
                Err(fault) => tracing::warn!(%fault, "whether components changed is looked at again later"),
            }
            if let Some(told) = told {
                let _ = tokio::time::timeout(often, told).await;
            }
        }
    }

    /// Changes rows in one transaction, one process at a time, and tells the others if anything did change.
    async fn change(
        &self,
        what: &'static str,
        work: impl AsyncFnOnce(&mut Transaction<'_, Any>) -> Result<bool, sqlx::Error>,
    ) -> Result<bool, StoreError> {
        let changed = within(what, async {
            let fault = |source| StoreError::query(what, source);
            let mut transaction = self.store.inner.database.begin("components").await.map_err(fault)?;
            let changed = work(&mut transaction).await.map_err(fault)?;
            if changed {
                sqlx::query("UPDATE components_changed SET times = times + 1 WHERE id = 1")
                    .execute(&mut *transaction)
                    .await
                    .map_err(fault)?;
            }
            transaction.commit().await.map_err(fault)?;
            Ok(changed)
        })
        .await?;
        if changed {
            self.store.tell(COMPONENTS, BELL).await;
        }
        Ok(changed)
    }
}

/// Remembers a version as accepted, in the place of whatever was accepted.
const ACCEPT: &str = "INSERT INTO components (name, uploaded, accepted_digest, accepted_mark, accepted_tools, \
     accepted_description, accepted_by, accepted_unix_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) \
     ON CONFLICT (name) DO UPDATE SET uploaded = excluded.uploaded, accepted_digest = excluded.accepted_digest, \
     accepted_mark = excluded.accepted_mark, accepted_tools = excluded.accepted_tools, \
     accepted_description = excluded.accepted_description, accepted_by = excluded.accepted_by, \
     accepted_unix_ms = excluded.accepted_unix_ms";

/// Writes what is to be remembered of one component.
async fn put(transaction: &mut Transaction<'_, Any>, met: &Met) -> Result<(), sqlx::Error> {
    let statement = match met.keep {
        Keep::Accepted => ACCEPT.to_owned(),
        Keep::FirstSeen => {
            let unless =
                "components.accepted_digest IS NULL OR components.accepted_mark = excluded.accepted_mark";
            format!("{ACCEPT} WHERE {unless}")
        }
        Keep::Waiting => {
            "INSERT INTO components (name, uploaded, waiting_digest, waiting_mark, waiting_tools, \
             waiting_description, waiting_by, waiting_unix_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) \
             ON CONFLICT (name) DO UPDATE SET waiting_digest = excluded.waiting_digest, \
             waiting_mark = excluded.waiting_mark, waiting_tools = excluded.waiting_tools, \
             waiting_description = excluded.waiting_description, waiting_by = excluded.waiting_by, \
             waiting_unix_ms = excluded.waiting_unix_ms"
                .to_owned()
        }
    };
    let Met { name, uploaded, version: met_version, description, keep } = met;
    let statement = sqlx::query(AssertSqlSafe(statement)).bind(name.clone()).bind(i64::from(*uploaded));
    let done = version(statement, met_version, description).execute(&mut **transaction).await?;
    if done.rows_affected() == 0 {
        let fault =
            format!("another version of the component {name} was accepted meanwhile, by another host");
        return Err(sqlx::Error::Protocol(fault));
    }
    if *keep != Keep::Waiting {
        sqlx::query(
            "UPDATE components SET waiting_digest = NULL, waiting_mark = NULL, waiting_tools = NULL, \
             waiting_description = NULL, waiting_by = NULL, waiting_unix_ms = NULL \
             WHERE name = $1 AND waiting_digest = accepted_digest",
        )
        .bind(name.clone())
        .execute(&mut **transaction)
        .await?;
    }
    Ok(())
}
