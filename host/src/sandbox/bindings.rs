//! The guest contract of `wit/`, as Wasmtime's macro reads it, and nothing else.

#![allow(missing_docs, unreachable_pub, clippy::all, reason = "the macro writes this code")]

wasmtime::component::bindgen!({
    path: "../wit",
    world: "toolhost:tool/tool",
    imports: {
        "toolhost:tool/kv": async,
        "toolhost:tool/invoke": async,
        "toolhost:tool/context": trappable,
    },
    exports: { default: async },
});
