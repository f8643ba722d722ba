//! See `fuzz_bodies::session`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| exuvia_fuzz::fuzz_bodies::session(bytes));
