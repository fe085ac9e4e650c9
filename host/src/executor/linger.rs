//! A call whose caller gave a key, and with it its word that it will ask again: it outlives a caller that went away.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::spec::Outcome;

/// How long such a call goes on without its caller.
const LINGER: Duration = Duration::from_secs(10);

/// The calls that may go on without their callers, for the end of the host to wait for.
#[derive(Debug, Default)]
pub(super) struct Lingerers {
    /// One clone for each task, and this one.
    tasks: Arc<()>,
    stop: CancellationToken,
}

impl Lingerers {
    /// Starts a call in a task of its own.
    pub(super) fn start(&self, call: impl Future<Output = Outcome> + Send + 'static) -> Lingering {
        let (stop, task) = (self.stop.clone(), self.tasks.clone());
        Lingering(Some(tokio::spawn(async move {
            let outcome = tokio::select! {
                outcome = call => Some(outcome),
                () = stop.cancelled() => None,
            };
            // The call is recorded by now.
            drop(task);
            outcome
        })))
    }

    /// Whether none is left.
    pub(super) fn is_empty(&self) -> bool {
        Arc::strong_count(&self.tasks) == 1
    }

    /// Cancels those that are left, and waits until each is recorded.
    pub(super) async fn end(&self) {
        self.stop.cancel();
        while !self.is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// A call in a task of its own. Dropped before its end it goes on for a while, and is cancelled then.
pub(super) struct Lingering(Option<JoinHandle<Option<Outcome>>>);

impl Lingering {
    /// The outcome; none if the call was cancelled because the host ended.
    pub(super) async fn outcome(mut self) -> Option<Outcome> {
        let outcome = self.0.as_mut()?.await.ok().flatten();
        self.0 = None;
        outcome
    }
}

impl Drop for Lingering {
    fn drop(&mut self) {
        let Some(call) = self.0.take() else { return };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn(async move {
                let abort = call.abort_handle();
                if tokio::time::timeout(LINGER, call).await.is_err() {
                    abort.abort();
                }
            })),
            Err(_) => call.abort(),
        }
    }
}
