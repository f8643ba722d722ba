//! Programs made from the bytes, run here and by real bash: see `generate::program` and `fuzz_bodies::compare`.
#![no_main]
use exuvia_fuzz::{directory, fuzz_bodies, generate};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let program = generate::program(generate::Choices::Bytes(bytes), 3);
    if let Some(difference) = fuzz_bodies::compare(&program, directory()) {
        panic!("{difference}");
    }
});
