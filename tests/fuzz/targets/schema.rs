//! Fuzzes the admission of schemas and gate 4.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolhost_fuzz::schema::run(data));
