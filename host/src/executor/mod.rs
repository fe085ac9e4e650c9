//! The one path of a call: into the log, through the gates, into a pool, into the sandbox, and out through the
//! checks of the result. Every surface calls [`Host::execute`], and nothing else can reach the sandbox.

mod ask;
mod attempts;
mod claimed;
mod components;
mod configure;
mod crowd;
mod described;
mod drift;
mod feed;
mod guard;
mod inspect;
mod journey;
mod linger;
mod load;
mod many;
mod nested;
mod place;
mod pools;
mod quotas;
mod raw;
mod reach;
mod redeemed;
mod reload;
mod settings;
mod settle;
mod start;
mod wait;
mod watch;

use std::path::Path;
use std::pin::pin;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use attempts::Ended;
pub use components::{ComponentError, ComponentState, ComponentView, Components, Taken};
use configure::InForce;
pub use configure::Reconfigured;
pub use crowd::{Crowd, CrowdPlace};
pub use described::described;
pub use drift::{Difference, Drift};
pub use feed::{Event, Happening, Listener, Lost, TooManyListeners};
use feed::{Feed, Feeds};
use guard::Guarded;
pub use inspect::Inspection;
use journey::{Journey, RECORD_BYTES};
use linger::Lingerers;
pub use load::{LoadError, LoadReport, LoadedComponent, RefusedComponent};
pub use many::{MOST_CALLS, TooManyCalls};
use nested::Chain;
use pools::Pools;
use quotas::TenantUse;
use redeemed::RedeemedApproval;
use reload::Loaded;
pub use reload::{ReloadError, Reloaded};
pub(crate) use settings::is_pattern;
pub use settings::{
    Authentication, ComponentSettings, EgressSettings, ListenError, OnChange, Origin, ServerSettings,
    Settings,
};
pub use start::StartError;
use start::make_folders;
use wait::Waited;

use crate::gate::{self, Call, Explained, Passed};
use crate::id::{CallId, TenantId, hex, same};
use crate::policy::{Pattern, Roles, Tenant};
use crate::provider::Exports;
use crate::registry::{Registry, Snapshot};
use crate::sandbox::{EngineReport, Sandbox};
use crate::spec::{Failure, Outcome, Usage};
use crate::store::Store;

/// A running host. A cheap handle; all handles share one engine, one registry and one store.
#[derive(Debug, Clone)]
pub struct Host {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    settings: Settings,
    /// Those of now, of which tenants and components may differ from the start's.
    in_force: RwLock<Arc<InForce>>,
    store: Store,
    sandbox: Arc<Sandbox>,
    registry: Registry,
    exports: Exports,
    pools: Pools,
    loaded: Loaded,
    lingerers: Lingerers,
    /// One clone for each call that has not been answered, and this one.
    under_way: Arc<()>,
    waiters: Crowd,
    feeds: Arc<Feeds>,
    closing: CancellationToken,
}

impl Host {
    /// What the host was started with.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    /// The settings that are in force now: those of the start, but for tenants and components that changed since.
    #[must_use]
    pub fn settings_now(&self) -> Settings {
        self.in_force().settings.clone()
    }

    fn in_force(&self) -> Arc<InForce> {
        self.inner.in_force.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What a tenant has left; none for one without quotas.
    fn uses(&self, tenant: &Tenant) -> Option<Arc<TenantUse>> {
        self.in_force().uses.of(tenant).cloned()
    }

    /// What became of every component when they were loaded last.
    #[must_use]
    pub fn load_report(&self) -> Arc<LoadReport> {
        self.inner.loaded.report()
    }

    /// What the engine makes of this machine.
    #[must_use]
    pub fn engine_report(&self) -> &EngineReport {
        self.inner.sandbox.report()
    }

    /// The tools of this moment.
    #[must_use]
    pub fn tools(&self) -> Arc<Snapshot> {
        self.inner.registry.snapshot()
    }

    /// Changes with each list of tools that takes the place of another from now on.
    #[must_use]
    pub fn tools_changed(&self) -> tokio::sync::watch::Receiver<()> {
        self.inner.registry.published()
    }

    /// The tools of this moment in the forms of those who serve models.
    #[must_use]
    pub fn exports(&self) -> &Exports {
        &self.inner.exports
    }

    /// The tenant of that id.
    #[must_use]
    pub fn tenant(&self, id: &TenantId) -> Option<Arc<Tenant>> {
        self.in_force().tenants.get(id).cloned()
    }

    /// What holds now for a tenant, with what its caller's key or token leaves of it. None if it is not served any more.
    #[must_use]
    pub fn tenant_now(&self, of: &Tenant) -> Option<Arc<Tenant>> {
        let now = self.tenant(&of.id)?;
        let narrow = |tenant: Arc<Tenant>, list: &Vec<Pattern>| Arc::new(tenant.narrowed_to(list.clone()));
        Some(of.access.within.iter().fold(now, narrow))
    }

    /// Whose key of the configuration a text is, and what that key is for. Every key is compared whole, so that time tells
    /// nothing.
    #[must_use]
    pub fn holder_of(&self, key: &str) -> Option<(Arc<Tenant>, Roles)> {
        let digest = hex(&Sha256::digest(key.as_bytes()));
        let mut found = None;
        let in_force = self.in_force();
        for tenant in in_force.tenants.values() {
            for (role, keys) in tenant.keys_by_role() {
                for _ in keys.iter().filter(|known| same(known, &digest)) {
                    found = Some((tenant.clone(), Roles::NONE.with(role)));
                }
            }
        }
        found
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.inner.store
    }

    /// How many executions are running.
    #[must_use]
    pub fn running(&self) -> usize {
        self.inner.pools.taken()
    }

    /// Each gate's verdict on a call, for operators. Runs nothing.
    #[must_use]
    pub fn explain(&self, call: &Call) -> Vec<Explained> {
        gate::explain(call, &self.tools())
    }

    /// Runs one call to its end and reports what became of it.
    ///
    /// The call passes every gate before any guest code starts; if one refuses, nothing has run, and the refusal is
    /// recorded. Once admitted it keeps the tool, grants and limits that it was admitted with. It always ends: the
    /// deadline covers waiting for a place, the guest's CPU and waits, and the checks of the result.
    ///
    /// # Cancellation
    ///
    /// Dropping the future stops the guest before it computes another tick and frees everything it held. The call
    /// is recorded as cancelled, and a side-effecting one whose guest had started as one that may have taken effect.
    /// A call with the caller's own key goes on for up to 10 s instead: the caller will ask again, and gets its
    /// outcome.
    pub async fn execute(&self, call: Call) -> Outcome {
        let call_id = CallId::fresh();
        if call.key.is_none() || !self.tools().has_side_effect(&call.tool) {
            return self.answered(call, call_id, None).await;
        }
        let (host, again, id) = (self.clone(), call.clone(), call_id.clone());
        let lingering = self.inner.lingerers.start(async move { host.answered(again, id, None).await });
        match lingering.outcome().await {
            Some(outcome) => outcome,
            None => unanswered(&call.tool, Failure::internal(&call_id, "the host ended").unsure(), call_id),
        }
    }

    async fn answered(&self, mut call: Call, call_id: CallId, chain: Chain) -> Outcome {
        let feed = self.inner.feeds.of(&call.caller.tenant.id, &call_id, &call.tool);
        call.hearer = feed.as_ref().map(Feed::hearer);
        let answered = Guarded(pin!(self.guarded(&call, &call_id, chain, feed))).await;
        match answered {
            Some(outcome) => outcome,
            // The record was written as the call fell.
            None => {
                unanswered(&call.tool, Failure::internal(&call_id, "the host panicked").unsure(), call_id)
            }
        }
    }

    async fn guarded(&self, call: &Call, call_id: &CallId, chain: Chain, feed: Option<Feed>) -> Outcome {
        let weight = RECORD_BYTES + call.arguments.len();
        let _under_way = self.inner.under_way.clone();
        // A tool that runs may go on to its end, and so may the calls that it makes.
        let closed = chain.is_none() && self.inner.closing.is_cancelled();
        let room = if closed { None } else { self.inner.store.log().try_reserve(weight) };
        // Nothing runs unrecorded.
        let Some(slot) = room else { return unanswered(&call.tool, settle::overloaded(), call_id.clone()) };
        let (admitted, later);
        let mut journey = Journey::new(call, call_id.clone(), &self.inner.registry, slot, feed);
        if let Some(within) = &call.within {
            journey.note("invoked", format!("by the call {}", within.call));
        }
        if let Some(Err(spent)) = self.uses(&call.caller.tenant).map(|uses| uses.comes()) {
            return journey.finish(Err(spent));
        }
        let Waited { passed, call: after } = self.pass(call, &mut journey).await;
        journey.gates(&passed);
        match passed {
            Ok(Passed::Ticket(ticket)) => admitted = ticket,
            Ok(Passed::Replay(replay)) => return journey.replay(replay),
            Err(refusal) => return journey.finish(Err(refusal)),
        }
        later = after;
        let call = later.as_deref().unwrap_or(call);
        let approval = RedeemedApproval::new(&self.inner.store, admitted.approval());
        journey.admitted(&admitted);
        journey.note("admitted", "");
        match self.run(call, &admitted, chain, approval, &mut journey).await {
            Ok(Ended::Own(success)) => journey.finish(Ok(success)),
            Ok(Ended::Replay(replay)) => journey.replay(replay),
            Err(failure) => journey.finish(Err(failure)),
        }
    }

    /// Takes no further calls, and keeps none waiting for a reviewer. Running ones go on.
    pub fn close(&self) {
        self.inner.closing.cancel();
    }

    /// Ends when the host takes no further calls.
    pub async fn closed(&self) {
        self.inner.closing.cancelled().await;
    }

    /// [Closes](Self::close), waits for running calls up to `grace`, and writes what waits to be written.
    pub async fn shutdown(&self, grace: Duration) {
        self.close();
        let ends = Instant::now() + grace;
        let under_way = || Arc::strong_count(&self.inner.under_way) > 1;
        while (under_way() || !self.inner.lingerers.is_empty()) && Instant::now() < ends {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        self.inner.lingerers.end().await;
        if let Err(fault) = self.inner.store.log().flush().await {
            tracing::error!(%fault, "the call log was not written to its end");
        }
    }

    /// What a component says about itself. Grants nothing and runs nothing beyond `describe`.
    ///
    /// # Errors
    /// [`LoadError`] names what is wrong with the component.
    pub async fn inspect(&self, path: &Path) -> Result<Inspection, LoadError> {
        inspect::inspect(path, &self.inner.sandbox).await
    }
}

/// The answer to a call that has no journey to tell of.
fn unanswered(tool: &str, failure: Failure, call_id: CallId) -> Outcome {
    Outcome {
        call_id,
        tool: gate::shown(tool),
        attempt: 0,
        replayed: false,
        usage: Usage::default(),
        result: Err(failure),
    }
}
