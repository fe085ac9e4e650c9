//! A component's compiled code, linked and ready to be instantiated for a call.

use wasmtime::component::{Component, ComponentExportIndex, Linker, TypedFunc};
use wasmtime::{Engine, Store};

use super::bindings::ToolPre;
use super::bindings::exports::toolhost::tool::tools::{CallRequest, Failure, Reply};
use super::state::HostState;

/// The instance that a tool exports, and its function.
const TOOLS: &str = "toolhost:tool/tools@0.1.0";
const CALL: &str = "call";

type Call = TypedFunc<(CallRequest,), (Result<Reply, Failure>,)>;

/// Linked code. Cheap to share, not meant to be cloned.
pub(super) struct Code {
    pre: ToolPre<HostState>,
    call: ComponentExportIndex,
}

impl Code {
    /// Links a component against the contract.
    pub(super) fn link(linker: &Linker<HostState>, component: &Component) -> wasmtime::Result<Self> {
        let pre = ToolPre::new(linker.instantiate_pre(component)?)?;
        let call = component
            .get_export_index(None, TOOLS)
            .and_then(|tools| component.get_export_index(Some(&tools), CALL))
            .ok_or_else(|| wasmtime::format_err!("there is no export {TOOLS}#{CALL}"))?;
        Ok(Self { pre, call })
    }

    pub(super) fn engine(&self) -> &Engine {
        self.pre.engine()
    }

    /// All that the component exports, for `describe`.
    pub(super) fn whole(&self) -> &ToolPre<HostState> {
        &self.pre
    }

    /// An instance's function `call` alone: a call needs no other, and each costs a check of its type.
    pub(super) async fn instantiate(&self, store: &mut Store<HostState>) -> wasmtime::Result<Call> {
        let instance = self.pre.instance_pre().instantiate_async(&mut *store).await?;
        instance.get_typed_func(store, self.call)
    }
}
