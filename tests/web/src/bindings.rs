//! The web as WASI gives it, generated from `wit/deps/`.
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
    path: "../../wit",
    inline: "package test:web; world web { import wasi:http/outgoing-handler@0.2.12; }",
    world: "test:web/web",
    generate_all,
});
