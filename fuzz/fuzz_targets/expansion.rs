//! See `fuzz_bodies::expansion`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| exuvia_fuzz::fuzz_bodies::expansion(bytes));
