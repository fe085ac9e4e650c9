//! Fuzzes the admission of components.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolhost_fuzz::component::run(data));
