//! What one call has left: requests, places for those under way, bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

use crate::policy::EgressLimits;
use crate::sandbox::Meter;

/// Counts for one call, in both directions and over all its requests.
pub(super) struct Budget {
    requests: AtomicU32,
    bytes: AtomicU64,
    places: Arc<Semaphore>,
    most: EgressLimits,
    meter: Option<Arc<dyn Meter>>,
}

impl Budget {
    pub(super) fn new(most: &EgressLimits, meter: Option<Arc<dyn Meter>>) -> Self {
        Self {
            requests: AtomicU32::new(0),
            bytes: AtomicU64::new(0),
            places: Arc::new(Semaphore::new(usize::try_from(most.at_once).unwrap_or(usize::MAX))),
            most: *most,
            meter,
        }
    }

    /// Counts one more request. False if there may be none.
    pub(super) fn request(&self) -> bool {
        self.requests.fetch_add(1, Ordering::Relaxed) < self.most.requests
    }

    /// Counts bytes, for the call and for its tenant. False if there may be no more. A write of nothing counts as a byte,
    /// since it costs as much.
    pub(super) fn bytes(&self, count: usize) -> bool {
        let count = u64::try_from(count).unwrap_or(u64::MAX).max(1);
        let before = self.bytes.fetch_add(count, Ordering::Relaxed);
        let left = self.meter.as_ref().is_none_or(|meter| meter.egress(count));
        left && before.saturating_add(count) <= self.most.bytes
    }

    /// Waits until another of the call's requests may be under way.
    pub(super) async fn place(&self) -> Result<OwnedSemaphorePermit, AcquireError> {
        self.places.clone().acquire_owned().await
    }

    pub(super) const fn limits(&self) -> &EgressLimits {
        &self.most
    }
}
