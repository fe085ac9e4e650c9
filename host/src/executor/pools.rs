//! Permits: how many executions run at once, and how many of them one tool and one tenant may hold.
//!
//! A call waits for its shares before it waits for the pool, so that a tenant that floods the host waits for itself
//! and not in front of others. Waiting is bounded in number and ends with the call's deadline.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use crate::id::{TenantId, ToolName};
use crate::policy::{PoolSettings, Pools as Settings};

/// How many calls may wait for one pool, for each of its places.
const WAITING_PER_PLACE: usize = 8;

/// Why a call got no permit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoPermit {
    /// Too many calls are waiting already.
    Full,
    /// The deadline passed first.
    TooLate,
}

/// All pools of the process.
#[derive(Debug)]
pub(super) struct Pools(HashMap<String, Pool>);

#[derive(Debug)]
struct Pool {
    settings: PoolSettings,
    places: Arc<Semaphore>,
    waiting: AtomicUsize,
    tools: Shares<ToolName>,
    tenants: Shares<TenantId>,
}

/// Shares by name. Only tools that exist and tenants that are known have one, so that the map is bounded.
#[derive(Debug)]
struct Shares<K>(Mutex<HashMap<K, Arc<Semaphore>>>);

impl<K: std::hash::Hash + Eq + Clone> Shares<K> {
    fn of(&self, key: &K, size: u32) -> Arc<Semaphore> {
        let mut shares = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = shares.get(key) {
            return share.clone();
        }
        let share = Arc::new(Semaphore::new(places(size)));
        shares.insert(key.clone(), share.clone());
        share
    }
}

/// A place in a pool. Dropping it frees the place.
#[derive(Debug)]
pub(super) struct Permit {
    _held: [OwnedSemaphorePermit; 3],
}

impl Pools {
    pub(super) fn new(settings: &Settings) -> Self {
        let pool = |settings: PoolSettings| Pool {
            settings,
            places: Arc::new(Semaphore::new(places(settings.size))),
            waiting: AtomicUsize::new(0),
            tools: Shares(Mutex::default()),
            tenants: Shares(Mutex::default()),
        };
        Self(settings.iter().map(|(name, settings)| (name.to_owned(), pool(settings))).collect())
    }

    /// Takes a place, or waits for one until the deadline. Dropping the future leaves the line.
    pub(super) async fn take(
        &self,
        pool: &str,
        tool: &ToolName,
        tenant: &TenantId,
        ends: Instant,
    ) -> Result<Permit, NoPermit> {
        // The registry holds no tool with a pool that is not there.
        let pool = self.0.get(pool).ok_or(NoPermit::Full)?;
        let line = [
            pool.tools.of(tool, pool.settings.tool_share),
            pool.tenants.of(tenant, pool.settings.tenant_share),
            pool.places.clone(),
        ];
        if let Some(permit) = at_once(&line) {
            return Ok(permit);
        }
        let _waiting = Waiting::join(pool)?;
        let [tool, tenant, places] = line;
        let all = async {
            let held = [
                tool.acquire_owned().await.ok()?,
                tenant.acquire_owned().await.ok()?,
                places.acquire_owned().await.ok()?,
            ];
            Some(Permit { _held: held })
        };
        match timeout_at(ends, all).await {
            Ok(Some(permit)) => Ok(permit),
            // The semaphores are never closed.
            Ok(None) => Err(NoPermit::Full),
            Err(_elapsed) => Err(NoPermit::TooLate),
        }
    }

    /// How many places are taken, in all pools together.
    pub(super) fn taken(&self) -> usize {
        self.0
            .values()
            .map(|pool| places(pool.settings.size).saturating_sub(pool.places.available_permits()))
            .sum()
    }
}

fn at_once(line: &[Arc<Semaphore>; 3]) -> Option<Permit> {
    let [tool, tenant, places] = line;
    let held = [
        tool.clone().try_acquire_owned().ok()?,
        tenant.clone().try_acquire_owned().ok()?,
        places.clone().try_acquire_owned().ok()?,
    ];
    Some(Permit { _held: held })
}

/// One call in the line. Dropping it leaves.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn join(pool: &'a Pool) -> Result<Self, NoPermit> {
        let most = places(pool.settings.size).saturating_mul(WAITING_PER_PLACE);
        let before = pool.waiting.fetch_add(1, Ordering::Relaxed);
        // Made first, so that leaving is certain.
        let waiting = Self(&pool.waiting);
        if before >= most { Err(NoPermit::Full) } else { Ok(waiting) }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn places(size: u32) -> usize {
    usize::try_from(size).unwrap_or(Semaphore::MAX_PERMITS).clamp(1, Semaphore::MAX_PERMITS)
}

#[cfg(test)]
mod tests;
