//! See `fuzz_bodies::pattern`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| exuvia_fuzz::fuzz_bodies::pattern(bytes));
