//! The Rust types and functions generated from `wit/`. Nothing but `crate::guest` uses them: tools are written
//! against the SDK's own types, so that a tool also runs natively, where no host answers.
#![allow(
    missing_docs,
    unreachable_pub,
    missing_debug_implementations,
    clippy::all,
    reason = "generated code"
)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "generated code"
)]
#![allow(clippy::allow_attributes_without_reason, reason = "generated code")]

wit_bindgen::generate!({
    path: "../wit",
    world: "tool",
    pub_export_macro: true,
    export_macro_name: "export_component",
    default_bindings_module: "toolhost_sdk::bindings",
    generate_all,
});
