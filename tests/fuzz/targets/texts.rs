//! Fuzzes what leaves the sandbox as text.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolhost_fuzz::texts::run(data));
