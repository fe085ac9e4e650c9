//! A call's place in its pool, which it gives up while it waits for something else than its guest.

use std::sync::{Mutex, PoisonError};

use tokio::time::Instant;

use super::Host;
use super::pools::{Asking, NoPermit, Permit, Weights};
use crate::gate::Admitted;
use crate::policy::Pools;

/// A place in a pool. Dropped, it is free.
pub(super) struct Place {
    host: Host,
    pool: String,
    asking: Asking,
    held: Mutex<Option<Permit>>,
}

impl Place {
    /// Takes a place for an admitted call, or waits for one until the deadline.
    pub(super) async fn take(host: &Host, admitted: &Admitted, ends: Instant) -> Result<Self, NoPermit> {
        let entry = admitted.entry();
        let tenant = &admitted.caller().tenant;
        let asking = Asking {
            tool: entry.name.clone(),
            tenant: tenant.id.clone(),
            weights: Weights { tenant: tenant.weight, tool: entry.policy.weight },
            resumes: false,
        };
        let pool = entry.policy.pool.clone();
        let permit = host.inner.pools.take(&pool, &asking, ends).await?;
        Ok(Self { host: host.clone(), pool, asking, held: Mutex::new(Some(permit)) })
    }

    /// Frees the place.
    pub(super) fn free(&self) {
        self.put(None);
    }

    /// Takes a place again, before the tool's other calls.
    pub(super) async fn retake(&self, ends: Instant) -> Result<(), NoPermit> {
        let asking = Asking { resumes: true, ..self.asking.clone() };
        self.put(Some(self.host.inner.pools.take(&self.pool, &asking, ends).await?));
        Ok(())
    }

    /// Takes a place among the tools that wait for another one, if there is one at this moment. Nobody waits for it: the
    /// guest holds a place that those need who could make room.
    pub(super) fn delegate(&self) -> Option<Permit> {
        self.host.inner.pools.take_at_once(Pools::DELEGATE, &self.asking)
    }

    fn put(&self, permit: Option<Permit>) {
        let before =
            std::mem::replace(&mut *self.held.lock().unwrap_or_else(PoisonError::into_inner), permit);
        drop(before);
    }
}
