//! Write tools in Rust.
