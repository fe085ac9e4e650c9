//! Outgoing HTTP: the one way from a guest to the network. Linked for every guest, since JavaScript and Python components
//! do not start without it, and denied unless granted.
//!
//! A request is checked whole before anything is resolved (`request`): scheme, host and port against the rules, its target
//! and its framing rebuilt from parsed parts. `connect` resolves the name once, looks at every address, and dials
//! one of those. `send` puts secrets in last and counts what passes (`body`). No redirect is followed, no
//! connection is used twice, and so none by two tenants.

mod body;
mod budget;
mod connect;
mod fetch;
mod held;
mod network;
mod request;
mod send;
mod tls;

use std::sync::{Arc, Mutex, PoisonError};

pub use fetch::{FetchError, Fetcher};
pub use network::{Connection, Later, Network, SystemNetwork};
pub use tls::AuthorityError;
use tokio_rustls::TlsConnector;
use wasmtime_wasi_http::{RequestOptions, WasiHttpCtx, WasiHttpHooks};

use budget::Budget;
pub(super) use held::Held;
use request::Checked;

use crate::policy::{EgressLimits, Granted, Tenant};
use crate::registry::Source;
use crate::sandbox::Meter;
use crate::spec::{Scrubber, clean, truncate};

/// Header fields of one request, in bytes.
const FIELDS: usize = 16 << 10;
/// Notes of one call for its trace, and characters of one.
const NOTES: usize = 64;
const NOTE_CHARS: usize = 400;

/// The settings of one call.
pub(super) fn context() -> WasiHttpCtx {
    let mut context = WasiHttpCtx::new();
    context.set_field_size_limit(FIELDS);
    context
}

/// What all calls share: how names are resolved and peers reached.
#[derive(Debug)]
pub struct Egress {
    limits: EgressLimits,
    network: Arc<dyn Network>,
    tls: Tls,
}

/// The connector has no `Debug` of its own.
struct Tls(TlsConnector);

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tls")
    }
}

impl Egress {
    /// Egress over a network, with certificate authorities beside the public ones.
    ///
    /// # Errors
    /// [`AuthorityError`] if one cannot be read.
    pub fn new(
        limits: EgressLimits,
        authorities: &[Vec<u8>],
        network: Arc<dyn Network>,
    ) -> Result<Self, AuthorityError> {
        Ok(Self { limits, network, tls: Tls(tls::connector(authorities)?) })
    }
}

/// What one call may send, and has sent.
pub(super) struct Outgoing {
    egress: Arc<Egress>,
    source: Arc<Source>,
    tenant: Arc<Tenant>,
    budget: Arc<Budget>,
    held: Held,
    notes: Notes,
}

impl Outgoing {
    pub(super) fn new(
        egress: &Arc<Egress>,
        source: &Arc<Source>,
        tenant: &Arc<Tenant>,
        held: Held,
        meter: Option<Arc<dyn Meter>>,
    ) -> Self {
        Self {
            egress: egress.clone(),
            source: source.clone(),
            tenant: tenant.clone(),
            budget: Arc::new(Budget::new(&egress.limits, meter)),
            held,
            notes: Notes::default(),
        }
    }

    pub(super) fn granted(&self) -> Granted<'_> {
        Granted::new(&self.source.grants, &self.tenant.narrowing)
    }

    pub(super) fn held(&self) -> &Held {
        &self.held
    }

    /// Finds what the guest must not say, if its component was granted any secret.
    pub(super) fn scrubber(&self) -> Option<&Arc<Scrubber>> {
        self.held.scrubber()
    }

    /// What happened on the way, for the call's trace.
    pub(super) fn notes(&self) -> Vec<String> {
        self.notes.take()
    }
}

/// Lines for a call's trace. They name hosts and never a path, which may hold what is secret.
#[derive(Debug, Default)]
struct Notes(Mutex<Vec<String>>);

impl Notes {
    fn add(&self, note: String) {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.len() < NOTES {
            notes.push(clean(truncate(&note, NOTE_CHARS).text));
        }
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The hooks of a call: without a grant every request is refused before anything is resolved or dialled.
#[derive(Default)]
pub(super) struct Hooks(pub(super) Option<Arc<Outgoing>>);

pub(super) type Sent = Result<
    (
        http::Response<wasmtime_wasi_http::WasiBody>,
        Box<dyn Future<Output = Result<(), wasmtime_wasi_http::Error>> + Send>,
    ),
    wasmtime_wasi_http::Error,
>;

impl WasiHttpHooks for Hooks {
    fn send_request(
        &mut self,
        request: http::Request<wasmtime_wasi_http::WasiBody>,
        options: Option<RequestOptions>,
        _done: Box<dyn Future<Output = Result<(), wasmtime_wasi_http::Error>> + Send>,
    ) -> Box<dyn Future<Output = Sent> + Send> {
        let Some(outgoing) = &self.0 else {
            return Box::new(async { Err(wasmtime_wasi_http::Error::HttpRequestDenied) });
        };
        let (parts, body) = request.into_parts();
        match Checked::new(Arc::clone(outgoing), parts, options) {
            Ok(checked) => Box::new(send::send(checked, body)),
            Err(refused) => {
                outgoing.notes.add(refused.note);
                Box::new(async { Err(refused.error) })
            }
        }
    }

    /// The host writes it itself, from parsed parts.
    fn set_host_header(&mut self) -> bool {
        false
    }

    /// A body that nobody sends is buffered all the same, and a guest may hold many.
    fn p2_outgoing_body_chunk_size(&mut self) -> usize {
        4_096
    }
}
