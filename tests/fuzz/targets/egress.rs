//! Fuzzes where a request may go.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolhost_fuzz::egress::run(data));
