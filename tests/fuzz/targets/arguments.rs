//! Fuzzes gate 3.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolhost_fuzz::arguments::run(data));
