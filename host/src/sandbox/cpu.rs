//! Who may compute. From its second tick on a guest goes on only with one of a few permits, passed round at each
//! tick, so that endless loops leave a core for timers, health checks and short calls.
//!
//! Permits are passed round between tenants first and between the calls of a tenant then, so that one with a hundred
//! loops gets no more than one with a single call.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use wasmtime::{Store, UpdateDeadline};

use crate::id::TenantId;

/// The permits of the process.
#[derive(Debug, Clone)]
pub(super) struct CpuPermits(Arc<Permits>);

#[derive(Debug)]
struct Permits {
    number: usize,
    all: Arc<Semaphore>,
    /// One line for each tenant that ever computed for long. Tenants come from the configuration, which bounds them.
    tenants: Mutex<HashMap<TenantId, Arc<Semaphore>>>,
}

/// The place of one guest's permits: the tenant's and the process's. Empty while the guest does not compute.
#[derive(Debug, Clone, Default)]
struct Place(Arc<Mutex<Option<[OwnedSemaphorePermit; 2]>>>);

impl Place {
    fn put(&self, permits: Option<[OwnedSemaphorePermit; 2]>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = permits;
    }
}

impl CpuPermits {
    /// A number of permits.
    pub(super) fn new(number: usize) -> Self {
        let all = Arc::new(Semaphore::new(number));
        Self(Arc::new(Permits { number, all, tenants: Mutex::default() }))
    }

    /// Makes a store's guest share, and returns the wrapper in which its work has to be polled. Without a tenant it
    /// stands in line by itself.
    pub(super) fn share<T: 'static>(&self, store: &mut Store<T>, tenant: Option<&TenantId>) -> Turns {
        let place = Place::default();
        let (mine, permits, tenant) = (place.clone(), self.clone(), tenant.cloned());
        let mut ticks = 0_u64;
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(move |_| {
            ticks += 1;
            mine.put(None);
            // The first tick may be nearly over when a call begins: a short call never waits.
            if ticks == 1 {
                return Ok(UpdateDeadline::Yield(1));
            }
            let (line, all, mine) = (permits.line(tenant.as_ref()), permits.0.all.clone(), mine.clone());
            let turn = async move {
                // Without this a lone guest would get its permit back at once and never let go of the thread, and its
                // own deadline would not be looked at.
                tokio::task::yield_now().await;
                // The semaphores are never closed; they serve in the order of asking.
                let (Ok(first), Ok(second)) = (line.acquire_owned().await, all.acquire_owned().await) else {
                    return;
                };
                mine.put(Some([first, second]));
            };
            Ok(UpdateDeadline::YieldCustom(1, Box::pin(turn)))
        });
        Turns { place }
    }

    fn line(&self, tenant: Option<&TenantId>) -> Arc<Semaphore> {
        let Some(tenant) = tenant else { return Arc::new(Semaphore::new(1)) };
        let mut lines = self.0.tenants.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = lines.get(tenant) {
            return line.clone();
        }
        let line = Arc::new(Semaphore::new(self.0.number));
        lines.insert(tenant.clone(), line.clone());
        line
    }
}

/// Gives the permits back whenever the guest waits, so that a sleeping guest holds none.
#[derive(Debug)]
pub(super) struct Turns {
    place: Place,
}

impl Turns {
    /// Wraps the guest's work.
    pub(super) fn of<F: Future>(self, work: Pin<&mut F>) -> Sharing<'_, F> {
        Sharing { place: self.place, work }
    }
}

/// A guest's work that gives its permits back whenever it waits, and when it is dropped. The guest ends where the work
/// itself is dropped.
pub(super) struct Sharing<'a, F> {
    place: Place,
    work: Pin<&'a mut F>,
}

impl<F: Future> Future for Sharing<'_, F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let polled = self.work.as_mut().poll(cx);
        self.place.put(None);
        polled
    }
}

impl<F> Drop for Sharing<'_, F> {
    fn drop(&mut self) {
        self.place.put(None);
    }
}
