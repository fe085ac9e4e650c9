//! What became of each idempotency key, so that a side effect happens once for it.
//!
//! | state | becomes | when |
//! |---|---|---|
//! | none | executing | a call claims the key, in one statement, before its guest starts |
//! | executing | done | the call ends; its outcome is what every later call with the key gets |
//! | executing | none | the call was refused before its guest started |
//! | executing | unknown | the process that ran the call died: nobody can know what happened |
//! | unknown | executing | a call that is to happen at least once claims the key again, a bounded number of times |
//!
//! A row is its claimant's alone: nothing but the call that claimed it, or the death of its process, changes it. What has
//! ended is kept as long as traces are.

mod settled;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::time::Duration;

use sqlx::any::{AnyArguments, AnyRow};
use sqlx::query::Query;
use sqlx::{Any, AssertSqlSafe, Row as _};
use tokio::time::Instant;

use super::bells::{Bells, LOOK_ANYWAY, LOOK_UNTOLD, SETTLED};
use super::clock::column;
use super::{Store, StoreError, within};
use crate::id::{CallId, TenantId, ToolName};

pub use settled::Settled;

/// A call and its key. Keys of one tenant's tool are apart from all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keyed {
    /// Whose call it is.
    pub tenant: TenantId,
    /// The tool.
    pub tool: ToolName,
    /// The key.
    pub key: String,
    /// The hash of the canonical arguments.
    pub arguments_digest: String,
    /// How often a call with the key may be started, if it is lost: once, unless it is to happen at least once.
    pub runs: u32,
}

/// What the ledger knows of a key.
#[derive(Debug, Clone, PartialEq)]
pub enum Known {
    /// Nothing: the call may claim it.
    Free,
    /// A call with it is running.
    Executing,
    /// That call ended so.
    Done {
        /// The call.
        call: CallId,
        /// Its outcome.
        settled: Box<Settled>,
    },
    /// That call was lost: it may have taken effect, and no further run is left.
    Lost {
        /// The call.
        call: CallId,
        /// How often it was started.
        runs: u32,
    },
    /// It was used with other arguments.
    Conflict,
}

/// The keys of a store.
#[derive(Debug, Clone)]
pub struct Ledger {
    store: Store,
}

impl Ledger {
    pub(super) fn new(store: Store) -> Self {
        Self { store }
    }

    /// What is known of a key at this moment.
    ///
    /// # Errors
    /// Any [`StoreError`].
    pub async fn look(&self, keyed: &Keyed) -> Result<Known, StoreError> {
        self.look_further(keyed).await.map(|(known, _)| known)
    }

    /// The same, and how soon it is worth looking again.
    async fn look_further(&self, keyed: &Keyed) -> Result<(Known, Duration), StoreError> {
        const WHAT: &str = "look up an idempotency key";
        let Some(row) = within(WHAT, self.row(WHAT, keyed)).await? else {
            return Ok((Known::Free, LOOK_UNTOLD));
        };
        let (node, known) = read(&row, keyed)?;
        if node == self.store.inner.node.id() {
            return Ok((known, LOOK_ANYWAY));
        }
        // A process that died cannot settle any more.
        if known != Known::Executing || !self.store.inner.node.is_gone(&node).await? {
            return Ok((known, LOOK_UNTOLD));
        }
        self.settle_lost(&node).await?;
        let known = match within(WHAT, self.row(WHAT, keyed)).await? {
            None => Known::Free,
            Some(row) => read(&row, keyed)?.1,
        };
        Ok((known, LOOK_UNTOLD))
    }

    /// The same once no call with the key is running; none if one still is when the time is over. Dropping the future
    /// changes nothing.
    ///
    /// # Errors
    /// Any [`StoreError`].
    pub async fn join(&self, keyed: &Keyed, until: Instant) -> Result<Option<Known>, StoreError> {
        loop {
            // Listened for before looking, so that no end is missed in between.
            let Some(ended) = self.store.inner.settled.rung(bell(keyed)) else { return Ok(None) };
            match self.look_further(keyed).await? {
                (Known::Executing, _) if Instant::now() >= until => return Ok(None),
                (Known::Executing, again) => {
                    let look = until.min(Instant::now() + again);
                    let _ = tokio::time::timeout_at(look, ended).await;
                }
                (known, _) => return Ok(Some(known)),
            }
        }
    }

    /// Takes a key for one call. Of any number of calls at once, in any number of processes, one gets it. On disk when
    /// it returns the number of the run, from 1; none if another call has the key.
    ///
    /// # Errors
    /// Any [`StoreError`]. The key may be taken all the same; [`release`](Self::release) is then to be called.
    pub async fn claim(&self, keyed: &Keyed, call: &CallId) -> Result<Option<u32>, StoreError> {
        const WHAT: &str = "claim an idempotency key";
        let database = &self.store.inner.database;
        // A process that others may take for dead claims nothing.
        let statement = sqlx::query(AssertSqlSafe(format!(
            "INSERT INTO ledger (tenant, tool, key, arguments_digest, state, call_id, node, claimed_unix_ms, \
             runs) SELECT $1, $2, $3, $4, 'executing', $5, $6, CAST($7 AS BIGINT), 1 WHERE {} \
             ON CONFLICT (tenant, tool, key) DO UPDATE SET state = 'executing', call_id = excluded.call_id, \
             node = excluded.node, claimed_unix_ms = excluded.claimed_unix_ms, runs = ledger.runs + 1 \
             WHERE ledger.state = 'unknown' AND ledger.arguments_digest = excluded.arguments_digest \
             AND ledger.runs < $8 RETURNING runs",
            database.lives(6)
        )))
        .bind(keyed.tenant.as_str().to_owned())
        .bind(keyed.tool.as_str().to_owned())
        .bind(keyed.key.clone())
        .bind(keyed.arguments_digest.clone())
        .bind(call.as_str().to_owned())
        .bind(self.store.inner.node.id().to_owned())
        .bind(column(database.now().await?))
        .bind(i64::from(keyed.runs));
        // All rows are asked for, though there is one at most: only then the statement has ended and is committed.
        let rows = within(WHAT, async {
            let rows = statement.fetch_all(&database.writes).await;
            rows.map_err(|source| StoreError::query(WHAT, source))
        });
        let Some(row) = rows.await?.pop() else { return Ok(None) };
        runs(&row, keyed).map(Some)
    }

    /// Keeps the outcome of the call that claimed a key. On disk when it returns. Repeating it changes nothing. False if
    /// the key is not that call's any more: it was taken for lost, and another one was started.
    ///
    /// # Errors
    /// Any [`StoreError`]. The outcome may be kept all the same.
    pub async fn settle(&self, keyed: &Keyed, call: &CallId, settled: &Settled) -> Result<bool, StoreError> {
        const WHAT: &str = "keep the outcome of an idempotency key";
        let damaged = |_| StoreError::Damaged { column: "outcome", id: call.to_string() };
        let outcome = serde_json::to_string(settled).map_err(damaged)?;
        // Others may have taken this process for dead. As long as no further run was started, the outcome is known all
        // the same.
        let statement = sqlx::query(
            "UPDATE ledger SET state = 'done', outcome = $1 \
             WHERE tenant = $2 AND tool = $3 AND key = $4 AND call_id = $5 AND state IN ('executing', 'unknown')",
        );
        if self.let_go(WHAT, statement.bind(outcome), keyed, call).await? {
            return Ok(true);
        }
        // Nothing was changed: either the outcome is there already, or the key is another call's.
        Ok(matches!(self.look(keyed).await?, Known::Done { call: other, .. } if other == *call))
    }

    /// Gives a key back: the guest of the call that claimed it never started. What an earlier, lost run did is as unknown
    /// as before.
    ///
    /// # Errors
    /// Any [`StoreError`]. The key stays taken then, until this process ends.
    pub async fn release(&self, keyed: &Keyed, call: &CallId) -> Result<(), StoreError> {
        const WHAT: &str = "give an idempotency key back";
        let first = sqlx::query(
            "DELETE FROM ledger \
             WHERE tenant = $1 AND tool = $2 AND key = $3 AND call_id = $4 AND state = 'executing' AND runs = 1",
        );
        if self.let_go(WHAT, first, keyed, call).await? {
            return Ok(());
        }
        let further = sqlx::query(
            "UPDATE ledger SET state = 'unknown', runs = runs - 1 \
             WHERE tenant = $1 AND tool = $2 AND key = $3 AND call_id = $4 AND state = 'executing'",
        );
        self.let_go(WHAT, further, keyed, call).await.map(|_| ())
    }

    /// Runs a statement on the row of the call that claimed a key, and tells those who wait for it. Gives whether the row
    /// was there.
    async fn let_go(
        &self,
        what: &'static str,
        statement: Query<'_, Any, AnyArguments>,
        keyed: &Keyed,
        call: &CallId,
    ) -> Result<bool, StoreError> {
        let statement = statement
            .bind(keyed.tenant.as_str().to_owned())
            .bind(keyed.tool.as_str().to_owned())
            .bind(keyed.key.clone())
            .bind(call.as_str().to_owned());
        let touched = self.store.inner.database.write(what, statement).await?;
        self.store.tell(SETTLED, bell(keyed)).await;
        Ok(touched == 1)
    }

    /// Settles the keys of a process that died. Gives their number.
    pub(super) async fn settle_lost(&self, node: &str) -> Result<u64, StoreError> {
        let statement =
            sqlx::query("UPDATE ledger SET state = 'unknown' WHERE state = 'executing' AND node = $1");
        self.store.inner.database.write("settle lost idempotency keys", statement.bind(node.to_owned())).await
    }

    /// The processes that hold keys.
    pub(super) async fn executing_nodes(&self) -> Result<BTreeSet<String>, StoreError> {
        const ASK: &str = "SELECT DISTINCT node FROM ledger WHERE state = 'executing'";
        self.store.inner.database.texts("settle lost idempotency keys", ASK).await
    }

    /// Removes the keys that were claimed before a moment and are not executing. Gives their number.
    pub(super) async fn prune(&self, before_unix_ms: u64) -> Result<u64, StoreError> {
        self.store
            .remove(
                "remove old idempotency keys",
                "DELETE FROM ledger WHERE (tenant, tool, key) IN (SELECT tenant, tool, key FROM ledger \
                 WHERE claimed_unix_ms < $1 AND state <> 'executing' LIMIT $2)",
                before_unix_ms,
            )
            .await
    }

    async fn row(&self, what: &'static str, keyed: &Keyed) -> Result<Option<AnyRow>, StoreError> {
        sqlx::query(
            "SELECT arguments_digest, state, call_id, node, outcome, runs FROM ledger \
             WHERE tenant = $1 AND tool = $2 AND key = $3",
        )
        .bind(keyed.tenant.as_str().to_owned())
        .bind(keyed.tool.as_str().to_owned())
        .bind(keyed.key.clone())
        .fetch_optional(&self.store.inner.database.reads)
        .await
        .map_err(|source| StoreError::query(what, source))
    }
}

/// The bell that rings when a call lets go of a key.
fn bell(keyed: &Keyed) -> usize {
    Bells::of(&(keyed.tenant.as_str(), keyed.tool.as_str(), &keyed.key))
}

fn runs(row: &AnyRow, keyed: &Keyed) -> Result<u32, StoreError> {
    let runs: i64 =
        row.try_get("runs").map_err(|source| StoreError::query("read an idempotency key", source))?;
    u32::try_from(runs).map_err(|_| StoreError::Damaged { column: "runs", id: keyed.key.clone() })
}

/// The process that holds a key, and what its row says of a call with these arguments.
fn read(row: &AnyRow, keyed: &Keyed) -> Result<(String, Known), StoreError> {
    let fault = |source| StoreError::query("read an idempotency key", source);
    let damaged = |column| StoreError::Damaged { column, id: keyed.key.clone() };
    let text = |column| row.try_get::<String, _>(column).map_err(fault);
    let node = text("node")?;
    if text("arguments_digest")? != keyed.arguments_digest {
        return Ok((node, Known::Conflict));
    }
    let call: CallId = text("call_id")?.parse().map_err(|_| damaged("call_id"))?;
    let known = match text("state")?.as_str() {
        "executing" => Known::Executing,
        "unknown" => match runs(row, keyed)? {
            runs if runs < keyed.runs => Known::Free,
            runs => Known::Lost { call, runs },
        },
        "done" => {
            let outcome: Option<String> = row.try_get("outcome").map_err(fault)?;
            let outcome = outcome.ok_or_else(|| damaged("outcome"))?;
            let settled = serde_json::from_str(&outcome).map_err(|_| damaged("outcome"))?;
            Known::Done { call, settled: Box::new(settled) }
        }
        _ => return Err(damaged("state")),
    };
    Ok((node, known))
}
