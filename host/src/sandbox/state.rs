//! The data in a store: one field for each capability. It lives for one call and dies with it.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::time::Instant;
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use super::egress::Hooks;
use super::files::{Files, FilesView};
use super::invoke::Invoke;
use super::limiter::Limiter;
use super::sink::Sink;
use super::wasi;
use crate::gate::{Caller, Hearer, Progress};
use crate::id::{CallId, RunId};
use crate::spec::{Scrubber, clean, truncate};
use crate::store::Kv;

/// Resources that a guest may hold at once: streams, directories, requests. The host keeps buffers for each, which
/// no limiter sees.
const RESOURCES: usize = 256;

/// Who calls, as the guest is told it.
#[derive(Debug, Clone)]
pub(super) struct CallContext {
    pub(super) caller: Caller,
    pub(super) run: RunId,
    pub(super) call: CallId,
    pub(super) attempt: u32,
    pub(super) fence: u64,
    pub(super) key: Option<String>,
    pub(super) ends: Instant,
    /// The component's settings, which those of the tenant go before.
    pub(super) config: Arc<BTreeMap<String, String>>,
}

/// The `T` of the store.
pub(super) struct HostState {
    pub(super) limiter: Limiter,
    /// None while a component describes itself: then there is nobody to tell about.
    pub(super) context: Option<CallContext>,
    /// The component's own store for this tenant, where it was granted.
    pub(super) kv: Option<Kv>,
    /// The way to other tools, where it was granted.
    pub(super) others: Option<Arc<dyn Invoke>>,
    pub(super) progress: Option<mpsc::Sender<Progress>>,
    /// Who else hears of it.
    pub(super) hearer: Option<Hearer>,
    pub(super) messages: u32,
    /// The granted directories.
    pub(super) files: Files,
    /// Made when a guest first uses it: many never do, and it is not for nothing.
    wasi: Option<Box<WasiCtx>>,
    output: Sink,
    http: WasiHttpCtx,
    /// The way to the network, where it was granted.
    pub(super) hooks: Hooks,
    table: ResourceTable,
}

impl HostState {
    /// A state that gives nothing but what the WASI context holds; without one, what every guest has, with its output
    /// going into the sink.
    pub(super) fn new(memory_bytes: u64, output: Sink, wasi: Option<WasiCtx>) -> Self {
        let mut table = ResourceTable::new();
        table.set_max_capacity(RESOURCES);
        Self {
            limiter: Limiter::new(memory_bytes),
            context: None,
            kv: None,
            others: None,
            progress: None,
            hearer: None,
            messages: 0,
            files: Files::default(),
            wasi: wasi.map(Box::new),
            output,
            http: super::egress::context(),
            hooks: Hooks::default(),
            table,
        }
    }

    pub(super) fn files(&mut self) -> FilesView<'_> {
        FilesView::new(&mut self.files, &mut self.table)
    }
}

impl HostState {
    /// Finds what the guest must not say, if its component was granted any secret.
    pub(super) fn scrubber(&self) -> Option<&Arc<Scrubber>> {
        self.hooks.0.as_ref()?.scrubber()
    }

    /// A guest's text without the secrets of its call.
    pub(super) fn scrubbed(&self, text: String) -> String {
        match self.scrubber() {
            Some(scrubber) => scrubber.text(text),
            None => text,
        }
    }

    /// What a guest says beside its result, as others may see it: without secrets and invisible characters, and no
    /// longer than that many characters.
    pub(super) fn said(&self, text: String, chars: usize) -> String {
        truncate(&clean(self.scrubbed(text)), chars).text
    }
}

impl super::bindings::toolhost::tool::types::Host for HostState {}

impl WasiView for HostState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let output = &self.output;
        let wasi = self.wasi.get_or_insert_with(|| Box::new(wasi::plain(output)));
        WasiCtxView { ctx: wasi, table: &mut self.table }
    }
}

impl WasiHttpView for HostState {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { hooks: &mut self.hooks, table: &mut self.table, ctx: &mut self.http }
    }
}
