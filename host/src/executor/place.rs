//! A call's place in its pool, which it gives up while it waits for something else than its guest.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::Instant;

use super::Host;
use super::pools::{Asking, NoPermit, Permit, Weights};
use crate::gate::Admitted;
use crate::policy::{Pools, Tenant};
use crate::registry::Entry;

/// A place in a pool. Dropped, it is free.
pub(super) struct Place {
    host: Host,
    entry: Arc<Entry>,
    tenant: Arc<Tenant>,
    held: Mutex<Option<Permit>>,
}

impl Place {
    /// Takes a place for an admitted call, or waits for one until the deadline.
    pub(super) async fn take(host: &Host, admitted: &Admitted, ends: Instant) -> Result<Self, NoPermit> {
        let (entry, tenant) = (admitted.entry().clone(), admitted.caller().tenant.clone());
        let place = Self { host: host.clone(), entry, tenant, held: Mutex::default() };
        place.fill(false, ends).await?;
        Ok(place)
    }

    /// Frees the place.
    pub(super) fn free(&self) {
        self.put(None);
    }

    /// Takes a place again, before the tool's other calls.
    pub(super) async fn retake(&self, ends: Instant) -> Result<(), NoPermit> {
        self.fill(true, ends).await
    }

    /// Takes a place among the tools that wait for another one, if there is one at this moment. Nobody waits for it: the
    /// guest holds a place that those need who could make room.
    pub(super) fn delegate(&self) -> Option<Permit> {
        self.host.inner.pools.take_at_once(Pools::DELEGATE, &self.asking(false))
    }

    async fn fill(&self, resumes: bool, ends: Instant) -> Result<(), NoPermit> {
        let pool = &self.entry.policy.pool;
        let permit = self.host.inner.pools.take(pool, &self.asking(resumes), ends).await?;
        self.put(Some(permit));
        Ok(())
    }

    fn asking(&self, resumes: bool) -> Asking {
        Asking {
            tool: self.entry.name.clone(),
            tenant: self.tenant.id.clone(),
            weights: Weights { tenant: self.tenant.weight, tool: self.entry.policy.weight },
            resumes,
        }
    }

    fn put(&self, permit: Option<Permit>) {
        let before =
            std::mem::replace(&mut *self.held.lock().unwrap_or_else(PoisonError::into_inner), permit);
        drop(before);
    }
}
