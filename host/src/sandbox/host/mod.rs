//! The table of host functions: one file for each interface of the guest contract, and WASI. Built once.

mod context;
mod invoke;
mod kv;
mod log;
mod progress;
mod secrets;
mod wasi;

use wasmtime::Engine;
use wasmtime::component::{HasSelf, Linker};

use super::bindings::Tool;
use super::state::HostState;

/// Every import that a guest may have. Each is always there; what is not granted answers "denied".
pub(super) fn linker(engine: &Engine) -> wasmtime::Result<Linker<HostState>> {
    let mut linker = Linker::new(engine);
    wasi::link(&mut linker)?;
    super::files::link(&mut linker)?;
    wasmtime_wasi_http::p2::add_only_http_to_linker_async(&mut linker)?;
    Tool::add_to_linker::<_, HasSelf<HostState>>(&mut linker, |state| state)?;
    Ok(linker)
}
