//! An idempotency key in the hand of a call: settled with the call's outcome, or given back if nothing ran.

use std::time::Duration;

use crate::id::CallId;
use crate::spec::Failure;
use crate::store::{Keyed, Settled, Store, StoreError};

/// How long the store may still work on a statement after it gave no answer.
const UNDER_WAY: Duration = Duration::from_secs(6);

/// The pauses between tries to let go of a key while the store fails.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// A key that this call claimed. Dropped before [`start`](Self::start) it is given back; dropped afterwards, it is
/// settled as the failure that was named then.
#[derive(Debug)]
pub(super) struct Claimed {
    /// How often a call with the key was started, this time included.
    run: u32,
    held: Option<Held>,
}

#[derive(Debug)]
struct Held {
    store: Store,
    keyed: Keyed,
    call: CallId,
    /// What is kept when the key is let go of; none while nothing has run.
    settled: Option<Settled>,
}

impl Claimed {
    /// Claims a key. None if another call has it.
    ///
    /// # Errors
    /// Any [`StoreError`]; the key is given back as soon as the store answers.
    pub(super) async fn claim(
        store: &Store,
        keyed: &Keyed,
        call: &CallId,
    ) -> Result<Option<Self>, StoreError> {
        let held = Held { store: store.clone(), keyed: keyed.clone(), call: call.clone(), settled: None };
        // In a task of its own, so that a caller who goes away cannot come between the statement and its answer. What
        // nobody waits for any more is dropped with the task, and given back.
        let claiming = tokio::spawn(async move {
            match held.store.ledger().claim(&held.keyed, &held.call).await {
                Ok(Some(run)) => Ok(Some(Self { run, held: Some(held) })),
                Ok(None) => Ok(None),
                Err(fault) => {
                    tokio::spawn(async move {
                        // A statement that gave no answer may still be under way.
                        tokio::time::sleep(UNDER_WAY).await;
                        held.let_go().await;
                    });
                    Err(fault)
                }
            }
        });
        // The task is gone only while the process ends.
        claiming.await.unwrap_or(Ok(None))
    }

    /// How often a call with the key was started before, and lost.
    pub(super) fn lost_runs(&self) -> u32 {
        self.run.saturating_sub(1)
    }

    /// The guest is about to start; the failure is what becomes of the call if it is dropped.
    pub(super) fn start(&mut self, attempt: u32, dropped: Failure) {
        if let Some(held) = &mut self.held {
            held.settled =
                Some(Settled { attempt, usage: crate::spec::Usage::default(), result: Err(dropped) });
        }
    }

    /// The guest did not start after all: the key is given back when this is dropped.
    pub(super) fn never_started(&mut self) {
        if let Some(held) = &mut self.held {
            held.settled = None;
        }
    }

    /// Gives the key back. If the store fails, or the future is dropped, that is still tried.
    pub(super) async fn give_back(mut self) {
        self.never_started();
        let Some(held) = &self.held else { return };
        if held.store.ledger().release(&held.keyed, &held.call).await.is_ok() {
            self.held = None;
        }
    }

    /// Keeps the call's outcome. On disk when it returns; if the future is dropped, or fails, that is still tried. False if
    /// others took the call for lost, and started it again.
    ///
    /// # Errors
    /// Any [`StoreError`].
    pub(super) async fn settle(mut self, settled: Settled) -> Result<bool, StoreError> {
        let Some(held) = &mut self.held else { return Ok(true) };
        let settled = held.settled.insert(settled);
        let kept = held.store.ledger().settle(&held.keyed, &held.call, settled).await?;
        self.held = None;
        Ok(kept)
    }
}

impl Drop for Claimed {
    fn drop(&mut self) {
        let Some(held) = self.held.take() else { return };
        // Without a runtime the key stays taken until the process ends, and is that of a lost call then.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(held.let_go());
        }
    }
}

impl Held {
    async fn let_go(self) {
        let ledger = self.store.ledger();
        let mut pause = FIRST_PAUSE;
        loop {
            let done = match &self.settled {
                Some(settled) => ledger.settle(&self.keyed, &self.call, settled).await.map(|_| ()),
                None => ledger.release(&self.keyed, &self.call).await,
            };
            let Err(fault) = done else { return };
            tracing::error!(%fault, call = %self.call, "an idempotency key is held until the store answers");
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}
