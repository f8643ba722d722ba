//! See `fuzz_bodies::round_trip`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| exuvia_fuzz::fuzz_bodies::round_trip(bytes));
