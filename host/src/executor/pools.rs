//! Permits: how many executions run at once, and how many of them one tool and one tenant may hold.
//!
//! A call that finds no place waits in a line. Places are given out fairly between tenants and then between the tools
//! of a tenant, by their weights; a call whose tool or tenant holds its share already is passed over until it does not.
//! Waiting is bounded, for a tenant as for all together, and ends with the call's deadline.

mod line;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use crate::id::{TenantId, ToolName};
use crate::policy::{PoolSettings, Pools as Settings};
use line::Line;

/// How many calls may wait for one pool, for each of its places.
const WAITING_PER_PLACE: u32 = 8;

/// Why a call got no permit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoPermit {
    /// Too many calls are waiting already.
    Full,
    /// The deadline passed first.
    TooLate,
}

/// Who asks for a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asking {
    /// The tool that is to run.
    pub(super) tool: ToolName,
    /// For whom.
    pub(super) tenant: TenantId,
    /// How much of a crowded pool the tenant gets, and the tool of what its tenant gets, against others.
    pub(super) weights: Weights,
    /// It had a place before and only waited for another tool: it is never refused for the length of the line, and
    /// comes before other calls of its tool.
    pub(super) resumes: bool,
}

/// Shares of a crowded pool, against 1 for most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Weights {
    pub(super) tenant: u32,
    pub(super) tool: u32,
}

/// All pools of the process.
#[derive(Debug)]
pub(super) struct Pools(FxHashMap<String, Arc<Pool>>);

#[derive(Debug)]
struct Pool {
    settings: PoolSettings,
    state: Mutex<State>,
}

/// Names come from the registry and the configuration, so that nobody can choose many that collide.
#[derive(Debug, Default)]
struct State {
    held: u32,
    tools: FxHashMap<ToolName, u32>,
    tenants: FxHashMap<TenantId, u32>,
    line: Line,
}

/// A place in a pool. Dropping it frees the place.
#[derive(Debug)]
pub(super) struct Permit {
    pool: Arc<Pool>,
    tool: ToolName,
    tenant: TenantId,
}

impl Pools {
    pub(super) fn new(settings: &Settings) -> Self {
        let pool = |settings| Arc::new(Pool { settings, state: Mutex::default() });
        Self(settings.iter().map(|(name, settings)| (name.to_owned(), pool(settings))).collect())
    }

    /// Takes a place, or waits for one until the deadline. Dropping the future leaves the line.
    pub(super) async fn take(&self, pool: &str, asking: &Asking, ends: Instant) -> Result<Permit, NoPermit> {
        // The registry holds no tool with a pool that is not there.
        let pool = self.0.get(pool).ok_or(NoPermit::Full)?;
        let waiting = {
            let mut state = pool.lock();
            if state.has_room(&pool.settings, asking) {
                return Ok(pool.grant(&mut state, asking));
            }
            if !asking.resumes && state.line.is_full(&pool.settings, &asking.tenant) {
                return Err(NoPermit::Full);
            }
            let (number, granted) = state.line.join(asking);
            Waiting { pool, asking, number, granted }
        };
        waiting.until(ends).await
    }

    /// Takes a place if there is one at this moment.
    pub(super) fn take_at_once(&self, pool: &str, asking: &Asking) -> Option<Permit> {
        let pool = self.0.get(pool)?;
        let mut state = pool.lock();
        state.has_room(&pool.settings, asking).then(|| pool.grant(&mut state, asking))
    }

    /// How many places are taken, in all pools together.
    pub(super) fn taken(&self) -> usize {
        self.0.values().map(|pool| usize::try_from(pool.lock().held).unwrap_or(usize::MAX)).sum()
    }
}

impl Pool {
    /// No holder of the lock can panic between two changes that belong together.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn grant(self: &Arc<Self>, state: &mut State, asking: &Asking) -> Permit {
        state.held += 1;
        add(&mut state.tools, &asking.tool);
        add(&mut state.tenants, &asking.tenant);
        Permit { pool: self.clone(), tool: asking.tool.clone(), tenant: asking.tenant.clone() }
    }
}

impl State {
    /// Whether there is a place, and a share of it for the tool and the tenant. Nobody is overtaken by taking it: those
    /// who wait while a place is free wait for their own shares.
    fn has_room(&self, settings: &PoolSettings, asking: &Asking) -> bool {
        self.held < settings.size && self.has_share(settings, &asking.tool, &asking.tenant)
    }

    fn has_share(&self, settings: &PoolSettings, tool: &ToolName, tenant: &TenantId) -> bool {
        self.tools.get(tool).is_none_or(|held| *held < settings.tool_share)
            && self.tenants.get(tenant).is_none_or(|held| *held < settings.tenant_share)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let settings = &self.pool.settings;
        let mut state = self.pool.lock();
        state.held -= 1;
        take_away(&mut state.tools, &self.tool);
        take_away(&mut state.tenants, &self.tenant);
        while state.held < settings.size && !state.line.is_empty() {
            let next = {
                let State { line, tools, tenants, .. } = &mut *state;
                line.next(
                    |tenant| tenants.get(tenant).is_none_or(|held| *held < settings.tenant_share),
                    |tool| tools.get(tool).is_none_or(|held| *held < settings.tool_share),
                )
            };
            let Some((asking, granted)) = next else { return };
            let permit = self.pool.grant(&mut state, &asking);
            // Whoever leaves the line does so under this lock, so that somebody is there to get it.
            if let Err(permit) = granted.send(permit) {
                drop(state);
                drop(permit);
                return;
            }
        }
    }
}

/// One call in the line. Dropping it leaves.
struct Waiting<'a> {
    pool: &'a Arc<Pool>,
    asking: &'a Asking,
    number: u64,
    granted: oneshot::Receiver<Permit>,
}

impl Waiting<'_> {
    async fn until(mut self, ends: Instant) -> Result<Permit, NoPermit> {
        match timeout_at(ends, &mut self.granted).await {
            Ok(Ok(permit)) => Ok(permit),
            // The line is dropped with the pool, which this call holds.
            Ok(Err(_)) => Err(NoPermit::Full),
            Err(_elapsed) => Err(NoPermit::TooLate),
        }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        // A permit that came at this very moment is freed with the receiver.
        self.pool.lock().line.leave(self.asking, self.number);
    }
}

fn add<K: std::hash::Hash + Eq + Clone>(held: &mut FxHashMap<K, u32>, key: &K) {
    match held.get_mut(key) {
        Some(count) => *count += 1,
        None => drop(held.insert(key.clone(), 1)),
    }
}

/// The entry stays at zero: its name comes from the registry or the configuration, which bound how many there are.
fn take_away<K: std::hash::Hash + Eq>(held: &mut FxHashMap<K, u32>, key: &K) {
    if let Some(count) = held.get_mut(key) {
        *count = count.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests;
