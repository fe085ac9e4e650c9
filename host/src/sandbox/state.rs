//! The data in a store: one field for each capability. It lives for one call and dies with it.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::time::Instant;
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use super::http::DeniedHttp;
use super::limiter::Limiter;
use crate::gate::Progress;
use crate::id::TenantId;
use crate::store::Kv;

/// Resources that a guest may hold at once: streams, directories, requests. The host keeps buffers for each, which
/// no limiter sees.
const RESOURCES: usize = 256;

/// Who calls, as the guest is told it.
#[derive(Debug, Clone)]
pub(super) struct CallContext {
    pub(super) tenant: TenantId,
    pub(super) user: Option<String>,
    pub(super) run: String,
    pub(super) call: String,
    pub(super) attempt: u32,
    pub(super) fence: u64,
    pub(super) key: Option<String>,
    pub(super) ends: Instant,
    /// The tenant's settings, then the component's.
    pub(super) config: [Arc<BTreeMap<String, String>>; 2],
}

/// The `T` of the store.
pub(super) struct HostState {
    pub(super) limiter: Limiter,
    /// None while a component describes itself: then there is nobody to tell about.
    pub(super) context: Option<CallContext>,
    /// The component's own store for this tenant, where it was granted.
    pub(super) kv: Option<Kv>,
    pub(super) progress: Option<mpsc::Sender<Progress>>,
    pub(super) messages: u32,
    wasi: WasiCtx,
    http: WasiHttpCtx,
    hooks: DeniedHttp,
    table: ResourceTable,
}

impl HostState {
    /// A state that gives nothing but what the WASI context holds.
    pub(super) fn new(memory_bytes: u64, wasi: WasiCtx) -> Self {
        let mut table = ResourceTable::new();
        table.set_max_capacity(RESOURCES);
        Self {
            limiter: Limiter::new(memory_bytes),
            context: None,
            kv: None,
            progress: None,
            messages: 0,
            wasi,
            http: super::http::context(),
            hooks: DeniedHttp,
            table,
        }
    }
}

impl super::bindings::toolhost::tool::types::Host for HostState {}

impl WasiView for HostState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl WasiHttpView for HostState {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { hooks: &mut self.hooks, table: &mut self.table, ctx: &mut self.http }
    }
}
