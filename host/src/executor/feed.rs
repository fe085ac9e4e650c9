//! What happens in calls, told to whoever listens: a tenant's calls to that tenant's listeners.
//!
//! A call looks once, at its beginning, whether anybody listens, and waits for nobody. What waits for the listeners of one
//! tenant is bounded; one that falls behind it has lost events and is told so.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use super::Host;
use super::crowd::{Crowd, CrowdPlace};
use crate::gate::{Hearer, Passed, Progress};
use crate::id::{ApprovalId, CallId, RunId, TenantId};
use crate::spec::{Code, Failure, Gate};

/// How many listeners there are at once, and how many of one tenant: each holds a connection.
const LISTENERS: usize = 256;
const LISTENERS_OF_A_TENANT: usize = 16;

/// Events of one tenant that wait for its slowest listener.
const WAITING: usize = 1_024;

/// Something that happened in a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The call.
    pub call_id: CallId,
    /// The tool as the caller named it, as far as it may be shown.
    pub tool: String,
    /// What happened.
    pub what: Happening,
}

/// What can happen in a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Happening {
    /// It came in, and has its place in the log.
    Started {
        /// What it belongs to.
        run: RunId,
        /// The way in: `cli`, `mcp` or `http`.
        surface: &'static str,
        /// The call whose tool makes this one.
        within: Option<CallId>,
    },
    /// A gate decided.
    Gate {
        /// The gate.
        gate: Gate,
        /// Whether it let the call through.
        passed: bool,
    },
    /// It waits for a reviewer.
    Waits {
        /// The question.
        approval: ApprovalId,
    },
    /// Its guest told how far it is.
    Progress(Progress),
    /// It ended, and is recorded.
    Ended {
        /// `ok`, or a failure's code.
        code: &'static str,
        /// The attempt that decided, from 1; 0 if none was made.
        attempt: u32,
        /// The outcome is that of an earlier call with the same key.
        replayed: bool,
        /// From the beginning to the end, in milliseconds.
        wall_ms: u64,
    },
}

/// There are as many listeners as there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "there are as many listeners as there may be: {LISTENERS_OF_A_TENANT} of one tenant, {LISTENERS} in all"
)]
pub struct TooManyListeners;

/// So many events were thrown away, since their reader was too slow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lost(pub u64);

/// All that is told to anybody.
#[derive(Debug)]
pub(super) struct Feeds {
    /// How many listen at all, so that a call without a listener asks for nothing else.
    listening: AtomicUsize,
    by_tenant: Mutex<HashMap<TenantId, broadcast::Sender<Arc<Event>>>>,
    crowd: Crowd,
}

impl Default for Feeds {
    fn default() -> Self {
        Self {
            listening: AtomicUsize::new(0),
            by_tenant: Mutex::default(),
            crowd: Crowd::new(LISTENERS, LISTENERS_OF_A_TENANT),
        }
    }
}

impl Host {
    /// Begins to listen to what happens in a tenant's calls in this process, until the host [closes](Self::close).
    ///
    /// # Errors
    /// [`TooManyListeners`] if there are as many as there may be.
    pub fn listen(&self, tenant: &TenantId) -> Result<Listener, TooManyListeners> {
        self.inner.feeds.listen(tenant, self.inner.closing.clone())
    }
}

impl Feeds {
    /// Where a call's events go; none if nobody of its tenant listens.
    pub(super) fn of(&self, tenant: &TenantId, call_id: &CallId, tool: &str) -> Option<Feed> {
        if self.listening.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let by_tenant = self.by_tenant.lock().unwrap_or_else(PoisonError::into_inner);
        let listeners = by_tenant.get(tenant)?.clone();
        Some(Feed { listeners, call_id: call_id.clone(), tool: crate::gate::shown(tool) })
    }

    /// Begins to listen to a tenant's calls, until `end`.
    pub(super) fn listen(
        self: &Arc<Self>,
        tenant: &TenantId,
        end: CancellationToken,
    ) -> Result<Listener, TooManyListeners> {
        let place = self.crowd.enter(tenant).ok_or(TooManyListeners)?;
        let mut by_tenant = self.by_tenant.lock().unwrap_or_else(PoisonError::into_inner);
        let listeners = by_tenant.entry(tenant.clone()).or_insert_with(|| broadcast::channel(WAITING).0);
        let events = Some(listeners.subscribe());
        self.listening.fetch_add(1, Ordering::Relaxed);
        Ok(Listener { feeds: self.clone(), tenant: tenant.clone(), events, end, _place: place })
    }
}

/// Where the events of one call go.
#[derive(Debug, Clone)]
pub(super) struct Feed {
    listeners: broadcast::Sender<Arc<Event>>,
    call_id: CallId,
    tool: String,
}

impl Feed {
    /// Tells all listeners of the call's tenant. Never waits.
    pub(super) fn tell(&self, what: Happening) {
        let event = Event { call_id: self.call_id.clone(), tool: self.tool.clone(), what };
        // Whoever listened may have left.
        let _ = self.listeners.send(Arc::new(event));
    }

    /// Tells what each gate decided that was asked.
    pub(super) fn tell_gates(&self, passed: &Result<Passed, Failure>) {
        let (asked, refused) = match passed {
            Ok(Passed::Ticket(_)) => (5, false),
            // An outcome that stands is found before the last gate, which is not asked then.
            Ok(Passed::Replay(_)) => (4, false),
            Err(Failure { gate: Some(gate), .. }) => (gate.number(), true),
            // What is refused between two gates was refused by neither.
            Err(failure) if failure.code == Code::InvokeLimit => (2, false),
            Err(_) => (4, false),
        };
        for gate in Gate::ALL.into_iter().take(usize::from(asked)) {
            let passed = !(refused && gate.number() == asked);
            self.tell(Happening::Gate { gate, passed });
        }
    }

    /// A way for the call's guest to tell how far it is.
    pub(super) fn hearer(&self) -> Hearer {
        let feed = self.clone();
        Hearer::new(move |progress| feed.tell(Happening::Progress(progress.clone())))
    }
}

/// Listens to the calls of one tenant. Dropped it listens no longer.
#[derive(Debug)]
pub struct Listener {
    feeds: Arc<Feeds>,
    tenant: TenantId,
    /// Taken when it is dropped.
    events: Option<broadcast::Receiver<Arc<Event>>>,
    end: CancellationToken,
    _place: CrowdPlace,
}

impl Listener {
    /// The next event; none when the host ends. Dropping the future loses nothing.
    ///
    /// # Errors
    /// [`Lost`] if events were thrown away, since this listener was too slow.
    pub async fn next(&mut self) -> Option<Result<Arc<Event>, Lost>> {
        let events = self.events.as_mut()?;
        tokio::select! {
            heard = events.recv() => match heard {
                Ok(event) => Some(Ok(event)),
                Err(broadcast::error::RecvError::Lagged(number)) => Some(Err(Lost(number))),
                Err(broadcast::error::RecvError::Closed) => None,
            },
            () = self.end.cancelled() => None,
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let mut by_tenant = self.feeds.by_tenant.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.events.take());
        self.feeds.listening.fetch_sub(1, Ordering::Relaxed);
        if by_tenant.get(&self.tenant).is_some_and(|listeners| listeners.receiver_count() == 0) {
            by_tenant.remove(&self.tenant);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tenant(name: &str) -> TenantId {
        name.parse().unwrap()
    }

    fn progress(done: f64) -> Happening {
        Happening::Progress(Progress { done, total: None, message: None })
    }

    fn feed(feeds: &Feeds, name: &str) -> Option<Feed> {
        feeds.of(&tenant(name), &CallId::fresh(), "t")
    }

    #[tokio::test]
    async fn a_tenant_hears_its_own_calls_alone_and_a_call_without_a_listener_has_no_feed() {
        let feeds = Arc::new(Feeds::default());
        assert!(feed(&feeds, "one").is_none());
        let end = CancellationToken::new();
        let mut one = feeds.listen(&tenant("one"), end.clone()).unwrap();
        assert!(feed(&feeds, "two").is_none());
        let mut two = feeds.listen(&tenant("two"), end.clone()).unwrap();
        feed(&feeds, "one").unwrap().tell(progress(1.0));
        feed(&feeds, "two").unwrap().tell(progress(2.0));
        assert_eq!(one.next().await.unwrap().unwrap().what, progress(1.0));
        assert_eq!(two.next().await.unwrap().unwrap().what, progress(2.0));
        drop(one);
        assert!(feed(&feeds, "one").is_none());
        end.cancel();
        assert_eq!(two.next().await, None);
    }

    #[tokio::test]
    async fn a_slow_listener_holds_up_nobody_and_learns_what_it_lost() {
        let feeds = Arc::new(Feeds::default());
        let mut slow = feeds.listen(&tenant("one"), CancellationToken::new()).unwrap();
        let feed = feed(&feeds, "one").unwrap();
        for _ in 0..WAITING + 5 {
            feed.tell(progress(1.0));
        }
        assert_eq!(slow.next().await, Some(Err(Lost(5))));
    }

    #[test]
    fn there_are_no_more_listeners_than_there_may_be() {
        let feeds = Arc::new(Feeds::default());
        let listen = |name: &str| feeds.listen(&tenant(name), CancellationToken::new());
        let all: Vec<Listener> = (0..LISTENERS_OF_A_TENANT).map(|_| listen("one").unwrap()).collect();
        assert_eq!(listen("one").err(), Some(TooManyListeners));
        assert!(listen("two").is_ok());
        drop(all);
        assert!(listen("one").is_ok());
        assert_eq!(feeds.listening.load(Ordering::Relaxed), 0);
    }
}
