//! The one path of a call: into the log, through the gates, into a pool, into the sandbox, and out through the
//! checks of the result. Every surface calls [`Host::execute`], and nothing else can reach the sandbox.

mod ask;
mod attempts;
mod claimed;
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
mod settings;
mod settle;
mod wait;

use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use attempts::Ended;
use guard::Guarded;
pub use inspect::Inspection;
use journey::{Journey, RECORD_BYTES};
use linger::Lingerers;
pub use load::{LoadError, LoadReport, LoadedComponent, RefusedComponent};
pub use many::{MOST_CALLS, TooManyCalls};
use nested::Chain;
use pools::Pools;
use quotas::TenantUses;
use redeemed::RedeemedApproval;
pub(crate) use settings::is_pattern;
pub use settings::{
    Authentication, ComponentSettings, EgressSettings, ListenError, ServerSettings, Settings,
};
use wait::Waiters;

use crate::gate::{self, Call, Explained, Passed};
use crate::id::{CallId, TenantId, hex, same};
use crate::policy::{DirectoryPower, Roles, Tenant};
use crate::registry::{Registry, Snapshot};
use crate::sandbox::{
    Compiler, DirectoryError, Egress, EngineReport, Network, Sandbox, SandboxError, SystemNetwork,
    make_folder,
};
use crate::spec::{Failure, Outcome, Usage};
use crate::store::{Store, StoreError};

/// Why a host did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The store could not be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The sandbox could not be set up.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// A folder that a tenant has of its own is not there and cannot be made.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// The configuration asks for what must not be done with a tool.
    #[error("the component {}: {fault}", path.display())]
    Tool {
        /// The component's file.
        path: PathBuf,
        /// What is asked for.
        fault: LoadError,
    },
    /// A directory is granted that a guest could replace.
    #[error(
        "{} is granted inside of {}, where a guest may write and could put a link in its place; grant directories \
         that do not lie in each other",
        inner.display(), outer.display()
    )]
    Nested {
        /// The directory.
        inner: PathBuf,
        /// The writable one around it.
        outer: PathBuf,
    },
}

/// A running host. A cheap handle; all handles share one engine, one registry and one store.
#[derive(Debug, Clone)]
pub struct Host {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    settings: Settings,
    tenants: std::collections::BTreeMap<TenantId, Arc<Tenant>>,
    store: Store,
    sandbox: Arc<Sandbox>,
    registry: Registry,
    pools: Pools,
    report: LoadReport,
    uses: TenantUses,
    lingerers: Lingerers,
    /// One clone for each call that has not been answered, and this one.
    under_way: Arc<()>,
    waiters: Waiters,
    closing: CancellationToken,
}

impl Host {
    /// Opens the store, sets up the engine and loads every component. A component that is refused is in
    /// [`load_report`](Self::load_report), and the others are served.
    ///
    /// `compiler` is the way to a compiler: the `host` program, which compiles components in a process of its own, or a
    /// broker that starts it.
    ///
    /// # Errors
    /// [`StartError`] if there is no store, no sandbox, or no folder where a grant names one for each tenant.
    pub async fn start(settings: Settings, compiler: impl Into<Compiler>) -> Result<Self, StartError> {
        Self::start_on(settings, compiler, Arc::new(SystemNetwork::default())).await
    }

    /// The same on another network than the system's. What is checked before it is asked does not change.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub async fn start_on(
        settings: Settings,
        compiler: impl Into<Compiler>,
        network: Arc<dyn Network>,
    ) -> Result<Self, StartError> {
        let folders = settings.clone();
        // A task is lost only if the process ends.
        tokio::task::spawn_blocking(move || make_folders(&folders)).await.unwrap_or(Ok(()))?;
        let store = Store::open(&settings.store).await?;
        let sandbox = Arc::new(Sandbox::new(
            &settings.limits,
            &settings.pools,
            &settings.store.artefacts,
            compiler.into(),
            Egress::new(settings.egress.limits, &settings.egress.authorities, network)
                .map_err(SandboxError::from)?,
            store.clone(),
        )?);
        let (snapshot, report) = load::load(&settings, &sandbox).await?;
        let registry = Registry::default();
        store.announce_tools(snapshot.hash()).await?;
        registry.publish(snapshot);
        let tenants =
            settings.tenants.iter().map(|(id, tenant)| (id.clone(), Arc::new(tenant.clone()))).collect();
        let pools = Pools::new(&settings.pools);
        let uses = TenantUses::new(settings.tenants.values());
        let (lingerers, under_way) = (Lingerers::default(), Arc::new(()));
        let inner = Inner {
            settings,
            tenants,
            store,
            sandbox,
            registry,
            pools,
            report,
            uses,
            lingerers,
            under_way,
            waiters: Waiters::default(),
            closing: CancellationToken::new(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// What the host was started with.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    /// What became of every component.
    #[must_use]
    pub fn load_report(&self) -> &LoadReport {
        &self.inner.report
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

    /// The tenant of that id.
    #[must_use]
    pub fn tenant(&self, id: &TenantId) -> Option<Arc<Tenant>> {
        self.inner.tenants.get(id).cloned()
    }

    /// Whose key of the configuration a text is, and what that key is for. Every key is compared whole, so that time tells
    /// nothing.
    #[must_use]
    pub fn holder_of(&self, key: &str) -> Option<(Arc<Tenant>, Roles)> {
        let digest = hex(&Sha256::digest(key.as_bytes()));
        let mut found = None;
        for tenant in self.inner.tenants.values() {
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

    async fn answered(&self, call: Call, call_id: CallId, chain: Chain) -> Outcome {
        let answered = Guarded(pin!(self.guarded(&call, &call_id, chain))).await;
        match answered {
            Some(outcome) => outcome,
            // The record was written as the call fell.
            None => {
                unanswered(&call.tool, Failure::internal(&call_id, "the host panicked").unsure(), call_id)
            }
        }
    }

    async fn guarded(&self, call: &Call, call_id: &CallId, chain: Chain) -> Outcome {
        let weight = RECORD_BYTES + call.arguments.len();
        let _under_way = self.inner.under_way.clone();
        // A tool that runs may go on to its end, and so may the calls that it makes.
        let closed = chain.is_none() && self.inner.closing.is_cancelled();
        let room = if closed { None } else { self.inner.store.log().try_reserve(weight) };
        // Nothing runs unrecorded.
        let Some(slot) = room else { return unanswered(&call.tool, settle::overloaded(), call_id.clone()) };
        let admitted;
        let mut journey = Journey::new(call, call_id.clone(), &self.inner.registry, slot);
        if let Some(within) = &call.within {
            journey.note("invoked", format!("by the call {}", within.call));
        }
        if let Some(Err(spent)) = self.inner.uses.of(&call.caller.tenant).map(|uses| uses.comes()) {
            return journey.finish(Err(spent));
        }
        match self.pass(call, &mut journey).await {
            Ok(Passed::Ticket(ticket)) => admitted = ticket,
            Ok(Passed::Replay(replay)) => return journey.replay(replay),
            Err(refusal) => return journey.finish(Err(refusal)),
        }
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

/// Refuses directories that lie in each other, and makes every folder that a grant names for each tenant, so that no call is the first to miss one. Blocks the thread.
fn make_folders(settings: &Settings) -> Result<(), StartError> {
    let grants: Vec<_> =
        settings.components.iter().flat_map(|component| component.grants.directories.clone()).collect();
    let writable = grants.iter().filter(|grant| matches!(grant.power, DirectoryPower::Writable(_)));
    for outer in writable.map(|grant| &grant.host) {
        let inside = |inner: &&PathBuf| inner.starts_with(outer) && *inner != outer;
        if let Some(inner) = grants.iter().map(|grant| &grant.host).find(inside) {
            return Err(StartError::Nested { inner: inner.clone(), outer: outer.clone() });
        }
    }
    for grant in &grants {
        for tenant in settings.tenants.keys() {
            make_folder(grant, tenant)?;
        }
    }
    Ok(())
}
