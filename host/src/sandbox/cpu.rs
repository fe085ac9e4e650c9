//! Who may compute. From its second tick on a guest goes on only with one of a few permits, passed round at each
//! tick, so that endless loops leave a core for timers, health checks and short calls.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use wasmtime::{Store, UpdateDeadline};

/// The permits of the process.
#[derive(Debug, Clone)]
pub(super) struct CpuPermits(Arc<Semaphore>);

/// The place of one guest's permit. Empty while the guest does not compute.
#[derive(Debug, Clone, Default)]
struct Place(Arc<Mutex<Option<OwnedSemaphorePermit>>>);

impl Place {
    fn put(&self, permit: Option<OwnedSemaphorePermit>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = permit;
    }
}

impl CpuPermits {
    /// A number of permits.
    pub(super) fn new(permits: usize) -> Self {
        Self(Arc::new(Semaphore::new(permits)))
    }

    /// Makes a store's guest share, and returns the wrapper in which its work has to be polled.
    pub(super) fn share<T: 'static>(&self, store: &mut Store<T>) -> Turns {
        let place = Place::default();
        let mine = place.clone();
        let permits = self.0.clone();
        let mut ticks = 0_u64;
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(move |_| {
            ticks += 1;
            mine.put(None);
            // The first tick may be nearly over when a call begins: a short call never waits.
            if ticks == 1 {
                return Ok(UpdateDeadline::Yield(1));
            }
            let (permits, mine) = (permits.clone(), mine.clone());
            Ok(UpdateDeadline::YieldCustom(
                1,
                Box::pin(async move {
                    // Without this a lone guest would get its permit back at once and never let go of the thread,
                    // and its own deadline would not be looked at.
                    tokio::task::yield_now().await;
                    // The semaphore is never closed; it serves in the order of asking.
                    mine.put(permits.acquire_owned().await.ok());
                }),
            ))
        });
        Turns { place }
    }
}

/// Gives the permit back whenever the guest waits, so that a sleeping guest holds none.
#[derive(Debug)]
pub(super) struct Turns {
    place: Place,
}

impl Turns {
    /// Wraps the guest's work.
    pub(super) fn of<F: Future>(self, work: F) -> Sharing<F> {
        Sharing { place: self.place, work: Box::pin(work) }
    }
}

/// A guest's work that gives its permit back whenever it waits. Dropping it ends the guest and frees the permit.
pub(super) struct Sharing<F> {
    place: Place,
    work: Pin<Box<F>>,
}

impl<F: Future> Future for Sharing<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let polled = self.work.as_mut().poll(cx);
        self.place.put(None);
        polled
    }
}

impl<F> Drop for Sharing<F> {
    fn drop(&mut self) {
        self.place.put(None);
    }
}
