//! What outlives a call: audit records and traces, idempotency keys, keys and values of guests, approvals, components. In a SQLite
//! file, which several processes of one machine may use at once, or in PostgreSQL, for processes of any machines.
//!
//! Everything here waits at most 5 s and answers with a typed error, but for what waits for a reviewer. Nothing decides: who may read a trace or answer
//! a question is the caller's business, and is passed in as a tenant or a [`View`].

mod approvals;
mod bells;
mod calls;
mod cipher;
mod clock;
mod components;
mod database;
mod error;
mod keys;
mod kv;
mod ledger;
mod log;
mod node;
mod open;
mod place;
mod recent;
mod record;
mod seal;
mod secrets;
mod settings;
#[cfg(test)]
mod tests;
mod url;

use std::future::Future;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::task::AbortHandle;

use crate::id::{CallId, TenantId};
use database::{Database, LEASE};
use node::Node;

pub use approvals::{Approval, ApprovalState, Approvals, Binding, DecideError, Decided, Decision, Redeemed};
pub use clock::now_unix_ms;
pub use components::{Components, Keep, KnownComponent, Met, Version};
pub use error::StoreError;
pub use keys::{FreshKey, KEY_PREFIX, KeyChange, KeyError, KeyPowers, KeyState, Keys, StoredKey};
pub use kv::{KeyPage, Kv, KvError};
pub use ledger::{Keyed, Known, Ledger, Settled};
pub use log::{CallLog, Figures, Row, Slot, Text};
pub use place::Place;
pub use recent::{CallPage, CallSummary, Wanted};
pub use record::{CallRecord, CallStart, EXECUTING, TraceEvent};
pub use seal::SealError;
pub use secrets::{SecretError, SecretSettings, SecretSource, secret_fault};
pub use settings::StoreSettings;
pub use url::{DatabaseUrl, PostgresUrl, PostgresUrlFault};

/// How long one request to the store may take.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// Whose rows somebody may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View<'a> {
    /// Those of every tenant.
    Operator,
    /// Those of one tenant.
    Tenant(&'a TenantId),
}

/// An open store. A cheap handle; the last one dropped ends the background work, after what was logged is written.
#[derive(Debug, Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    settings: StoreSettings,
    log: CallLog,
    database: Arc<Database>,
    node: Arc<Node>,
    sealer: cipher::Cipher,
    secrets_key: Option<cipher::Cipher>,
    /// Rung whenever a call lets go of an idempotency key.
    settled: bells::Bells,
    /// Rung whenever a reviewer decides.
    decided: bells::Bells,
    /// Keys that were shown lately.
    keys: keys::KeyCache,
    /// Rung whenever what is known of components changes.
    components: bells::Bells,
    background: std::sync::OnceLock<Vec<AbortHandle>>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.background.get().into_iter().flatten().for_each(AbortHandle::abort);
    }
}

impl Store {
    /// Opens the store, creating what is missing for this user alone, and brings its tables up to date. Calls that
    /// a dead process had begun become `outcome_unknown`. Old rows are removed a second later, and then hourly.
    ///
    /// Needs a Tokio runtime, which also runs the writer of the log.
    ///
    /// # Errors
    /// [`StoreError::Open`] says what stands in the way; others if the database fails afterwards.
    pub async fn open(settings: &StoreSettings) -> Result<Self, StoreError> {
        open::open(settings, log::Bounds::default()).await
    }

    /// What the store was opened with.
    #[must_use]
    pub fn settings(&self) -> &StoreSettings {
        &self.inner.settings
    }

    /// The log of calls.
    #[must_use]
    pub fn log(&self) -> CallLog {
        self.inner.log.clone()
    }

    /// The keys and values that a component keeps for a tenant. Whether it may is decided before.
    #[must_use]
    pub fn kv(&self, tenant: &TenantId, component: &str) -> Kv {
        Kv::new(self.clone(), tenant, component)
    }

    /// Questions to reviewers.
    #[must_use]
    pub fn approvals(&self) -> Approvals {
        Approvals::new(self.clone())
    }

    /// Keys with which callers prove who they are.
    #[must_use]
    pub fn keys(&self) -> Keys {
        Keys::new(self.clone())
    }

    /// What became of idempotency keys.
    #[must_use]
    pub fn ledger(&self) -> Ledger {
        Ledger::new(self.clone())
    }

    /// What is known of components.
    #[must_use]
    pub fn components(&self) -> Components {
        Components::new(self.clone())
    }

    /// What is known of one call: all that ended before, and the beginnings of side-effecting ones. A call of
    /// another tenant is answered as one that never was.
    ///
    /// # Errors
    /// Any [`StoreError`] of reading.
    pub async fn trace(&self, view: View<'_>, call: &CallId) -> Result<Option<CallRecord>, StoreError> {
        // What cannot be written yet cannot be read yet; what is written can.
        let _ = self.inner.log.flush().await;
        within("read a trace", calls::read(&self.inner.database.reads, view, call)).await
    }

    /// Removes traces and idempotency keys of calls that began longer ago than this, and approvals that expired longer
    /// ago; and the bytes of components that nobody has any more. Calls that have not
    /// ended stay. Gives the number of removed rows.
    ///
    /// # Errors
    /// Any [`StoreError`] of writing; what was removed until then is gone.
    pub async fn prune(&self, older_than: Duration) -> Result<u64, StoreError> {
        let before = self.inner.database.now().await?.saturating_sub(clock::millis(older_than));
        let removed = self.remove("remove old calls", calls::PRUNE, before).await?;
        self.inner.node.forget_the_dead().await?;
        let removed = removed + self.components().prune_bytes().await?;
        Ok(removed + self.approvals().prune(before).await? + self.ledger().prune(before).await?)
    }

    /// Settles the calls of processes that died: each becomes `outcome_unknown`. Gives their number.
    ///
    /// # Errors
    /// Any [`StoreError`].
    pub async fn settle_lost_calls(&self) -> Result<u64, StoreError> {
        let (ledger, mut settled) = (self.ledger(), 0);
        let mut nodes = calls::executing_nodes(&self.inner.database).await?;
        nodes.extend(ledger.executing_nodes().await?);
        nodes.remove(self.inner.node.id());
        for id in nodes {
            if self.inner.node.is_gone(&id).await? {
                settled += calls::settle_lost(&self.inner.database, &id).await?;
                ledger.settle_lost(&id).await?;
            }
        }
        if settled > 0 {
            tracing::warn!(calls = settled, "a process died while calls ran; their outcome is unknown");
        }
        Ok(settled)
    }

    /// Tells the other hosts on this store which tools this one serves, by a hash of them.
    ///
    /// # Errors
    /// Any [`StoreError`].
    pub async fn announce_tools(&self, hash: &str) -> Result<(), StoreError> {
        self.inner.node.announce(hash).await
    }

    /// How many other hosts on this store serve other tools, by that hash. Hosts on one SQLite file are not compared.
    ///
    /// # Errors
    /// Any [`StoreError`].
    pub async fn hosts_with_other_tools(&self, hash: &str) -> Result<u64, StoreError> {
        self.inner.node.differing(hash).await
    }

    /// Writes what is logged and closes the connections. Other handles fail from then on.
    ///
    /// # Errors
    /// [`StoreError::Timeout`] if the log could not be written within 5 s.
    pub async fn close(self) -> Result<(), StoreError> {
        let written = self.inner.log.flush().await;
        self.inner.database.close().await;
        written
    }
}

impl Store {
    /// Removes old rows a few at a time, so that calls are recorded in between. The statement takes a moment and a number.
    async fn remove(
        &self,
        what: &'static str,
        statement: &'static str,
        before_unix_ms: u64,
    ) -> Result<u64, StoreError> {
        let mut removed = 0;
        loop {
            let some = sqlx::query(statement).bind(clock::column(before_unix_ms)).bind(calls::PRUNED_AT_ONCE);
            let some = self.inner.database.write(what, some).await?;
            removed += some;
            if some < calls::PRUNED_AT_ONCE.unsigned_abs() {
                return Ok(removed);
            }
        }
    }
}

/// Keeps a store tidy for as long as somebody else holds it.
async fn retain(store: Weak<Inner>, keep: Duration) {
    // A process that died is known to be gone a lease later.
    const ROUNDS_PER_HOUR: u64 = 3_600 / LEASE.as_secs();
    tokio::time::sleep(Duration::from_secs(1)).await;
    for round in 0_u64.. {
        let Some(inner) = store.upgrade() else { return };
        let store = Store { inner };
        if let Err(fault) = store.settle_lost_calls().await {
            tracing::warn!(%fault, "calls of processes that may have died are looked at again later");
        }
        if round.is_multiple_of(ROUNDS_PER_HOUR)
            && let Err(fault) = store.prune(keep).await
        {
            tracing::warn!(%fault, "old rows stay for another hour");
        }
        drop(store);
        tokio::time::sleep(LEASE).await;
    }
}

/// Bounds a request to the store.
async fn within<T>(
    what: &'static str,
    request: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    match tokio::time::timeout(ANSWER_WITHIN, request).await {
        Ok(answer) => answer,
        Err(_) => Err(StoreError::Timeout { what, within: ANSWER_WITHIN, last_fault: None }),
    }
}
