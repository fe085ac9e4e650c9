//! The baseline: the same component under Wasmtime alone, with a fresh store and a typed call each time.

use wasmtime::component::{Component, Linker, ResourceTable};
use wasmtime::{Config, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, Store};
use wasmtime_wasi::{WasiCtx, WasiCtxBuilder, WasiCtxView, WasiView};

mod bindings {
    wasmtime::component::bindgen!({
        path: "../wit",
        world: "toolhost:tool/tool",
        exports: { default: async },
    });
}

use bindings::ToolPre;
use bindings::toolhost::tool::types::{CallRequest, Reply};

struct State {
    wasi: WasiCtx,
    table: ResourceTable,
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

/// Wasmtime's own pooling settings, with the same means of interruption.
pub(crate) fn default_pooling() -> Config {
    let mut config = Config::new();
    config
        .consume_fuel(true)
        .epoch_interruption(true)
        .allocation_strategy(InstanceAllocationStrategy::Pooling(PoolingAllocationConfig::default()));
    config
}

/// One component, ready to be instantiated.
pub(crate) struct Bare {
    engine: Engine,
    pre: ToolPre<State>,
}

impl Bare {
    pub(crate) fn new(config: &Config, component: &[u8]) -> Self {
        let engine = Engine::new(config).unwrap();
        let component = Component::new(&engine, component).unwrap();
        let mut linker = Linker::new(&engine);
        wasmtime_wasi::p2::add_to_linker_async(&mut linker).unwrap();
        // Of the contract `multiply` imports the types alone.
        linker.instance("toolhost:tool/types@0.1.0").unwrap();
        let pre = ToolPre::new(linker.instantiate_pre(&component).unwrap()).unwrap();
        Self { engine, pre }
    }

    pub(crate) async fn call(&self, name: &str, arguments: &str) {
        let state = State { wasi: WasiCtxBuilder::new().build(), table: ResourceTable::new() };
        let mut store = Store::new(&self.engine, state);
        store.set_fuel(1_000_000_000).unwrap();
        store.set_epoch_deadline(1_000_000);
        let request = CallRequest {
            name: name.to_owned(),
            arguments: arguments.to_owned(),
            answers: Vec::new(),
            state: None,
        };
        let tool = self.pre.instantiate_async(&mut store).await.unwrap();
        let reply = tool.toolhost_tool_tools().call_call(&mut store, &request).await.unwrap();
        assert!(matches!(reply, Ok(Reply::Done(_))));
    }
}
