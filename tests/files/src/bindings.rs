//! `wasi:filesystem` as it is, without a language's library before it: a test names paths that no library would.
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
    inline: "
        package test:files;

        world raw {
            import wasi:filesystem/types@0.2.12;
            import wasi:filesystem/preopens@0.2.12;
        }
    ",
    path: "../../wit",
    world: "test:files/raw",
    generate_all,
});
