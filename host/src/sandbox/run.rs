//! One attempt at one call: a fresh store, the deadline armed before anything of the guest's exists, and nothing
//! left afterwards.

use std::pin::pin;
use std::sync::Arc;

use tokio::time::{Instant, timeout_at};
use wasmtime::Store;

use super::bindings::toolhost::tool::types::CallRequest;
use super::code::Code;
use super::egress::{Held, Outgoing};
use super::files::{self, Files, Folders};
use super::invoke::Invoke;
use super::meter::Meter;
use super::outcome::{Ended, Phase, Used, classify};
use super::scrubbed::scrubbed;
use super::sink::Sink;
use super::state::{CallContext, HostState};
use super::{Sandbox, convert};
use crate::gate::Admitted;

/// The data that a guest may hand to the host in one host call, beyond what it may return, in bytes.
const HOST_CALL_BYTES: usize = 1 << 20;

/// One attempt, as the executor asks for it.
#[derive(Clone)]
pub struct Attempt {
    /// Which attempt it is, from 1.
    pub number: u32,
    /// Grows with each attempt at the same key.
    pub fence: u64,
    /// When it has to be over, which the guest is told.
    pub ends: Instant,
    /// Who counts for the tenant, if it has quotas.
    pub meter: Option<Arc<dyn Meter>>,
}

impl std::fmt::Debug for Attempt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Attempt").field("number", &self.number).finish_non_exhaustive()
    }
}

/// The store of an attempt, whose fuel is told to whoever counts when it goes: also when the attempt is dropped.
struct Metered {
    store: Store<HostState>,
    fuel: u64,
    meter: Option<Arc<dyn Meter>>,
}

impl Metered {
    /// The fuel that was used so far.
    fn used(&self) -> u64 {
        self.fuel.saturating_sub(self.store.get_fuel().unwrap_or(0))
    }
}

impl Drop for Metered {
    fn drop(&mut self) {
        if let Some(meter) = &self.meter {
            meter.fuel(self.used());
        }
    }
}

/// What became of an attempt.
#[derive(Debug)]
pub struct Ran {
    /// How it ended.
    pub ended: Ended,
    /// What it used.
    pub used: Used,
    /// What it wrote to its standard output and error, cut short.
    pub output: Option<String>,
    /// What happened to its requests, for the trace.
    pub notes: Vec<String>,
    /// Code of the guest ran, so that it may have had an effect.
    pub started: bool,
}

impl Ran {
    /// It ended before any code of the guest ran.
    pub(super) fn never(ended: Ended) -> Self {
        Self { ended, used: Used::default(), output: None, notes: Vec::new(), started: false }
    }
}

/// Runs one attempt to its end. Dropping the future ends the guest at once: it is not running in between polls.
pub(super) async fn run(
    code: &Code,
    sandbox: &Sandbox,
    admitted: &Admitted,
    attempt: Attempt,
    others: Option<Arc<dyn Invoke>>,
) -> Ran {
    let output = Sink::default();
    let mut state = state(sandbox, admitted, &attempt, output.clone());
    state.others = others;
    if admitted.granted().has_http() {
        let held = match timeout_at(attempt.ends, secrets(sandbox, admitted)).await {
            Ok(held) => held,
            Err(_elapsed) => return Ran::never(Ended::TimedOut),
        };
        let (source, tenant) = (&admitted.entry().source, &admitted.caller().tenant);
        let outgoing = Outgoing::new(&sandbox.egress, source, tenant, held, attempt.meter.clone());
        state.hooks.0 = Some(Arc::new(outgoing));
    }
    if admitted.granted().has_directories() {
        state.files = match directories(admitted, &sandbox.folders, attempt.ends).await {
            Ok(files) => files,
            Err(ended) => return Ran::never(ended),
        };
    }
    let limits = admitted.limits();
    let mut store = Store::new(code.engine(), state);
    store.limiter(|state| &mut state.limiter);
    store.set_hostcall_fuel(limits.raw_result_bytes.saturating_add(HOST_CALL_BYTES));
    if let Err(fault) = store.set_fuel(limits.fuel) {
        return Ran::never(Ended::Fault(format!("{fault:#}")));
    }
    let mut metered = Metered { store, fuel: limits.fuel, meter: attempt.meter };
    let store = &mut metered.store;
    let turns = sandbox.cpu.share(store, Some(&admitted.caller().tenant.id));
    let request = CallRequest {
        name: admitted.entry().spec.name.as_str().to_owned(),
        arguments: admitted.arguments().raw().to_owned(),
        answers: admitted.answers().iter().map(convert::answer).collect(),
        state: admitted.state().map(<[u8]>::to_vec),
    };
    let answered = {
        let work = pin!(async {
            let call = code.instantiate(&mut *store).await.map_err(|error| (Phase::Start, error))?;
            let (said,) =
                call.call_async(&mut *store, (request,)).await.map_err(|error| (Phase::Call, error))?;
            Ok(said)
        });
        // The timer stands outside of the guest and wakes this task whatever the guest does; dropping the work ends it.
        timeout_at(attempt.ends, turns.of(work)).await
    };
    let state = metered.store.data();
    let ended = match answered {
        Err(_elapsed) => Ended::TimedOut,
        Ok(Ok(said)) => Ended::Returned(scrubbed(convert::reply(said), state.scrubber().map(Arc::as_ref))),
        Ok(Err((phase, error))) => classify(phase, &error, state.limiter.denied()),
    };
    let used = Used { fuel: metered.used(), memory_peak_bytes: state.limiter.peak() };
    // A sandbox that found no room was never entered.
    let started = !matches!(ended, Ended::NoRoom(_));
    let notes = state.hooks.0.as_ref().map_or_else(Vec::new, |outgoing| outgoing.notes());
    let output = output.text().map(|text| state.scrubbed(text));
    Ran { ended, used, output, notes, started }
}

/// The secrets that a call may send. One without a value is told to the operator, and to the guest if it asks.
async fn secrets(sandbox: &Sandbox, admitted: &Admitted) -> Held {
    let mut held = Vec::new();
    for grant in admitted.granted().secrets() {
        match sandbox.store.secret(&admitted.caller().tenant.id, &grant.name).await {
            Ok(Some(value)) => held.push((grant.clone(), value)),
            Ok(None) => {}
            Err(fault) => tracing::error!(%fault, "a secret has no value that can be used"),
        }
    }
    Held::new(held)
}

/// The directories of a component that was granted some.
async fn directories(admitted: &Admitted, folders: &Arc<Folders>, ends: Instant) -> Result<Files, Ended> {
    let (source, folders) = (Arc::clone(&admitted.entry().source), Arc::clone(folders));
    let grants: Vec<_> = admitted.granted().directories().collect();
    let (tenant, call) = (admitted.caller().tenant.id.clone(), admitted.call_id().clone());
    // Opening a directory can block, on a network file system for long.
    let opening =
        tokio::task::spawn_blocking(move || files::open(&grants, &source.name, &tenant, &call, &folders));
    match timeout_at(ends, opening).await {
        Err(_elapsed) => Err(Ended::TimedOut),
        Ok(Ok(Ok(files))) => Ok(files),
        Ok(Ok(Err(fault))) => Err(Ended::Fault(fault.to_string())),
        Ok(Err(fault)) => Err(Ended::Fault(fault.to_string())),
    }
}

fn state(sandbox: &Sandbox, admitted: &Admitted, attempt: &Attempt, output: Sink) -> HostState {
    let entry = admitted.entry();
    let tenant = &admitted.caller().tenant;
    let mut state = HostState::new(admitted.limits().memory_bytes, output, None);
    state.progress = admitted.progress().cloned();
    state.hearer = admitted.hearer().cloned();
    let granted = admitted.granted();
    state.kv = granted.kv().then(|| sandbox.store.kv(&tenant.id, &entry.source.name));
    state.context = Some(CallContext {
        caller: admitted.caller().clone(),
        run: admitted.run().clone(),
        call: admitted.call_id().clone(),
        attempt: attempt.number,
        fence: attempt.fence,
        key: admitted.idempotency_key().map(str::to_owned),
        ends: attempt.ends,
        config: Arc::clone(&entry.source.config),
    });
    state
}
