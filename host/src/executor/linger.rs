//! A call whose caller gave a key, and with it its word that it will ask again: it outlives a caller that went away.

use std::time::Duration;

use tokio::task::JoinHandle;

use crate::spec::Outcome;

/// How long such a call goes on without its caller.
const LINGER: Duration = Duration::from_secs(10);

/// A call in a task of its own. Dropped before its end it goes on for a while, and is cancelled then.
pub(super) struct Lingering(Option<JoinHandle<Outcome>>);

impl Lingering {
    pub(super) fn new(call: impl Future<Output = Outcome> + Send + 'static) -> Self {
        Self(Some(tokio::spawn(call)))
    }

    /// The outcome; none if the task fell.
    pub(super) async fn outcome(mut self) -> Option<Outcome> {
        let outcome = self.0.as_mut()?.await.ok();
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
