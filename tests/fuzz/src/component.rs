//! The admission of components: bytes are refused or compiled by the engine that serves, whose switches and bounds hold.
//!
//! The compiler runs in this process, where it can be watched; serving, it runs in a child that can be killed.

use std::sync::LazyLock;

use toolhost::policy::{Limits, Pools};
use toolhost::sandbox::engine_config;
use wasmtime::Engine;
use wasmtime::component::Component;

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let pools = Pools::default();
    Engine::new(&engine_config(&Limits::default(), &pools)).expect("an engine")
});

/// Tries one input.
pub fn run(bytes: &[u8]) {
    // Compiling is outside of what Wasmtime promises to bound; the child's limits do that.
    if bytes.len() > 64 << 10 {
        return;
    }
    let Ok(component) = Component::new(&ENGINE, bytes) else { return };
    let ty = component.component_type();
    for (name, _) in ty.imports(&ENGINE).chain(ty.exports(&ENGINE)) {
        assert!(!name.is_empty());
    }
    let _needs = component.resources_required();
}
