//! Properties that hold for every script: no panic, no hang, the same again, whatever the pipes hold; what is printed reads again; and
//! generated programs do what real bash does, where it is installed.
//!
//! `EXUVIA_CASES=1000 cargo test --test properties` tries more, `EXUVIA_SEED=5` begins elsewhere.

#![allow(clippy::expect_used, clippy::panic)] // a test fails by panicking

#[path = "fuzz_bodies/mod.rs"]
#[allow(dead_code)] // the fuzz targets use the rest
mod fuzz_bodies;
#[path = "generate/mod.rs"]
#[allow(dead_code)] // the fuzz targets use the rest
mod generate;

use exuvia::kernel::Limits;
use exuvia::{Outcome, Run};
use generate::Choices;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

fn cases(default: u64) -> ProptestConfig {
    let cases = number("EXUVIA_CASES", default) as u32;
    let rng_seed = RngSeed::Fixed(number("EXUVIA_SEED", 0));
    ProptestConfig {
        cases,
        rng_seed,
        failure_persistence: None,
        max_shrink_iters: 200,
        ..ProptestConfig::default()
    }
}

/// Bytes of which many mean something to a shell.
fn shell_bytes() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![4 => any::<u8>(), 12 => proptest::sample::select(&b" \n$(){}[]'\"`\\;&|<>=*?!#~/%^,:@+-aex01"[..])];
    proptest::collection::vec(byte, 0..80)
}

fn soup() -> impl Strategy<Value = String> {
    (any::<u64>(), 1_usize..60).prop_map(|(seed, length)| generate::soup(&mut Choices::Seed(seed), length))
}

fn program() -> impl Strategy<Value = String> {
    (any::<u64>(), 1_usize..6).prop_map(|(seed, size)| generate::program(Choices::Seed(seed), size))
}

fn run(script: &str, limits: Limits) -> Outcome {
    let mut shell = fuzz_bodies::fixed()
        .limits(limits)
        .build()
        .expect("the tree is small");
    shell.execute(Run::command(script))
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn any_bytes_parse(bytes in shell_bytes()) {
        fuzz_bodies::parse(&bytes);
        fuzz_bodies::round_trip(&bytes);
    }

    #[test]
    fn any_pieces_parse(text in soup()) {
        fuzz_bodies::parse(text.as_bytes());
        fuzz_bodies::round_trip(text.as_bytes());
    }

    #[test]
    fn any_pattern_ends(bytes in shell_bytes()) {
        fuzz_bodies::pattern(&bytes);
    }

    #[test]
    fn programs_print_and_read_again(text in program()) {
        fuzz_bodies::round_trip(text.as_bytes());
    }
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn any_bytes_run(bytes in shell_bytes()) {
        fuzz_bodies::session(&bytes);
    }

    #[test]
    fn any_pieces_run(text in soup()) {
        fuzz_bodies::session(text.as_bytes());
    }

    #[test]
    fn any_arithmetic_ends(bytes in shell_bytes()) {
        fuzz_bodies::arithmetic(&bytes);
    }

    #[test]
    fn any_word_expands(bytes in shell_bytes()) {
        fuzz_bodies::expansion(&bytes);
    }

    #[test]
    fn the_same_again(text in program()) {
        let limits = fuzz_bodies::limits();
        prop_assert_eq!(run(&text, limits.clone()), run(&text, limits));
    }

    #[test]
    fn pipes_of_any_size(text in program()) {
        let with = |pipe_bytes| {
            let outcome = run(&text, Limits { pipe_bytes, steps: 50_000_000, ..Limits::default() });
            (outcome.halt, outcome.status, outcome.stdout)
        };
        let usual = with(64 << 10);
        prop_assume!(usual.0.is_none());
        for size in [1, 5, 1 << 20] {
            prop_assert_eq!(&with(size), &usual, "pipes of {} bytes", size);
        }
    }
}

/// What fuzzing has found once: a file a finding, in a folder a target.
#[test]
fn findings_stay_fixed() {
    let targets: [(&str, fn(&[u8])); 6] = [
        ("parse", fuzz_bodies::parse),
        ("round_trip", fuzz_bodies::round_trip),
        ("pattern", fuzz_bodies::pattern),
        ("arithmetic", fuzz_bodies::arithmetic),
        ("expansion", fuzz_bodies::expansion),
        ("session", fuzz_bodies::session),
    ];
    for (target, body) in targets {
        let folder = format!("{}/fuzz/seeds/{target}", env!("CARGO_MANIFEST_DIR"));
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            body(&std::fs::read(entry.path()).expect("a finding"));
        }
    }
}

/// Whether real bash can be asked.
fn bash_is_here() -> bool {
    std::process::Command::new("timeout")
        .args(["5", "bash", "-c", ":"])
        .status()
        .is_ok_and(|status| status.success())
}

#[test]
fn programs_do_what_bash_does() {
    if !bash_is_here() {
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let (seed, count) = (number("EXUVIA_SEED", 0), number("EXUVIA_CASES", 150));
    let mut differences = Vec::new();
    for seed in seed..seed + count {
        let program = generate::program(Choices::Seed(seed), 1 + (seed % 4) as usize);
        if let Some(difference) = fuzz_bodies::compare(&program, directory.path()) {
            differences.push(format!("== seed {seed}\n{difference}"));
        }
    }
    assert!(
        differences.is_empty(),
        "{} of {count} differ\n{}",
        differences.len(),
        differences.join("\n")
    );
}
