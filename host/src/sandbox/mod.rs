//! Wasmtime, narrowed to what tools need: compile a component, let it describe itself, run one call.
//!
//! Owns the engine and the compiled code, by digest. Knows neither the registry's list nor any wire. A guest
//! inherits nothing from the process; what it is given comes from the ticket that the gates made.

mod artefacts;
mod bindings;
mod code;
mod compile;
mod convert;
mod cpu;
mod describe;
mod egress;
mod engine;
mod files;
mod folders;
mod host;
mod invoke;
mod limiter;
mod meter;
mod outcome;
mod prepare;
mod run;
mod scrubbed;
mod sections;
mod selftest;
mod sink;
mod state;
mod wasi;

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use artefacts::Artefacts;
pub use artefacts::{ArtefactError, make_artefact_folder};
use code::Code;
pub use compile::{BROKER_WORD, COMPILE_WORD, COMPONENT_BYTES, Child, CompileError, Compiler, child_main};
use cpu::CpuPermits;
pub use describe::DescribeError;
pub use egress::{AuthorityError, Connection, Egress, FetchError, Fetcher, Later, Network, SystemNetwork};
pub use engine::{EngineError, EngineReport, config as engine_config};
use files::Folders;
pub use folders::{DirectoryError, host_path, make_folder};
pub use invoke::{Invoke, Invoking};
pub use limiter::Denial;
pub use meter::Meter;
pub use outcome::{Ended, Used};
pub use prepare::{PrepareError, Prepared};
pub use run::{Attempt, Ran};
pub use selftest::SelfTestError;
use state::HostState;
use wasmtime::Engine;
use wasmtime::component::Linker;

use crate::gate::Admitted;
use crate::id::Digest;
use crate::policy::{Limits, Pools};
use crate::store::Store;

/// Why there is no sandbox.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// The engine could not be set up.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The folder of artefacts does not work.
    #[error(transparent)]
    Artefacts(#[from] ArtefactError),
    /// A certificate authority cannot be used.
    #[error(transparent)]
    Authority(#[from] AuthorityError),
    /// A guest could not be stopped.
    #[error(transparent)]
    SelfTest(#[from] SelfTestError),
    /// The host's own functions do not fit together.
    #[error("the host functions cannot be linked: {0}")]
    Linker(String),
}

/// The engine, its linker, and the compiled components.
pub struct Sandbox {
    engine: Engine,
    report: EngineReport,
    linker: Linker<HostState>,
    artefacts: Artefacts,
    cpu: CpuPermits,
    egress: Arc<Egress>,
    store: Store,
    folders: Arc<Folders>,
    describe_memory: u64,
    /// One component describes itself at a time, so that the time it has is its own.
    describing: tokio::sync::Mutex<()>,
    code: RwLock<HashMap<Digest, Arc<Code>>>,
}

impl Sandbox {
    /// Sets up the engine, once for the life of the process, and proves that it can stop a guest.
    ///
    /// # Errors
    /// [`SandboxError`] if the pool cannot be reserved, a loop cannot be stopped, or the artefact folder does not
    /// work.
    pub fn new(
        limits: &Limits,
        pools: &Pools,
        artefacts: &Path,
        compiler: Compiler,
        egress: Egress,
        store: Store,
    ) -> Result<Self, SandboxError> {
        let egress = Arc::new(egress);
        let (engine, mut report) = engine::build(limits, pools)?;
        report.loop_stopped_in = selftest::stop_a_loop(&engine)?;
        let linker = host::linker(&engine).map_err(|e| SandboxError::Linker(format!("{e:#}")))?;
        let artefacts = Artefacts::open(artefacts, &engine, compiler)?;
        let cpu = CpuPermits::new(report.cpu_permits);
        let describe_memory = limits.memory_bytes;
        let (folders, describing, code) = (Arc::default(), tokio::sync::Mutex::default(), RwLock::default());
        Ok(Self {
            engine,
            report,
            linker,
            artefacts,
            cpu,
            egress,
            store,
            folders,
            describe_memory,
            describing,
            code,
        })
    }

    /// What the engine makes of this machine.
    #[must_use]
    pub fn report(&self) -> &EngineReport {
        &self.report
    }

    /// Compiles a component, or takes it from the cache, links it and lets it describe itself.
    ///
    /// # Errors
    /// [`PrepareError`] names what is wrong with the component.
    pub async fn prepare(&self, component: &[u8]) -> Result<Prepared, PrepareError> {
        let (prepared, code) = prepare::prepare(self, component).await?;
        self.code.write().unwrap_or_else(PoisonError::into_inner).insert(prepared.digest, Arc::new(code));
        Ok(prepared)
    }

    /// Lets go of all code but that of these components. A call that has its code already goes on.
    pub fn keep(&self, used: &HashSet<Digest>) {
        self.code.write().unwrap_or_else(PoisonError::into_inner).retain(|digest, _| used.contains(digest));
    }

    /// Runs one attempt at an admitted call to its end. Dropping the future ends the guest at once. `others` is its way
    /// to other tools, if it has one.
    pub async fn run(&self, admitted: &Admitted, attempt: Attempt, others: Option<Arc<dyn Invoke>>) -> Ran {
        match self.code(&admitted.entry().source.digest) {
            Some(code) => run::run(&code, self, admitted, attempt, others).await,
            None => Ran::never(Ended::Fault("the component's code is not there any more".to_owned())),
        }
    }

    fn code(&self, digest: &Digest) -> Option<Arc<Code>> {
        self.code.read().unwrap_or_else(PoisonError::into_inner).get(digest).cloned()
    }
}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sandbox").field("report", &self.report).finish_non_exhaustive()
    }
}
