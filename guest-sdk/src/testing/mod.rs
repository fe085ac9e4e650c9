//! Tests of a tool as plain Rust, without a host.
