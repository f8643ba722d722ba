//! What a call costs in this process, in microseconds: the embedded shells only.

use std::hint::black_box;

use exuvia::Shell;

use crate::clock::Clock;
use crate::contender::{head, median};

/// The median of some batches, in microseconds a call.
fn measure(rounds: usize, clock: Clock, mut call: impl FnMut()) -> f64 {
    const BATCH: u32 = 200;
    let batch = |_| {
        let began = clock.now();
        for _ in 0..BATCH {
            call();
        }
        (clock.now() - began) * 1e6 / f64::from(BATCH)
    };
    median((0..rounds.max(5) * 3).map(batch).collect())
}

/// A row: name, unit, target, exuvia, bashkit; `at_least` says which side of the target is good.
fn row(name: &str, target: f64, at_least: bool, exuvia: f64, bashkit: Option<f64>) {
    let missed = if at_least {
        exuvia < target
    } else {
        exuvia > target
    };
    let shown = if missed {
        format!("**{exuvia:.1}**")
    } else {
        format!("{exuvia:.1}")
    };
    let bashkit = bashkit.map_or("–".into(), |value| format!("{value:.1}"));
    println!("| {name} | {target} | {shown} | {bashkit} |");
}

pub fn table(rounds: usize, clock: Clock) {
    head("in this process", &["target", "exuvia", "bashkit"]);
    let peers = peers::measure_all(rounds, clock);
    row(
        "new shell, µs",
        20.0,
        false,
        measure(rounds, clock, || drop(black_box(Shell::new()))),
        peers.new,
    );
    let mut shell = Shell::new();
    shell.run("x=1; f() { echo f; }");
    row(
        "fork, µs",
        3.0,
        false,
        measure(rounds, clock, || drop(black_box(shell.fork()))),
        None,
    );
    for ((name, script, target), peer) in [
        ("`echo hi`, µs", "echo hi", 3.0),
        (
            "`echo hi \\| tr a-z A-Z \\| cat`, µs",
            "echo hi | tr a-z A-Z | cat",
            10.0,
        ),
    ]
    .into_iter()
    .zip(peers.runs)
    {
        let time = measure(rounds, clock, || drop(black_box(shell.run(script))));
        row(name, target, false, time, peer);
    }
    row(
        "idle shell, KiB",
        32.0,
        false,
        idle(|| Box::new(Shell::new())),
        peers.idle,
    );
    let unit = "if [ \"$a\" = b ]; then\n  for f in *.txt; do echo \"$f: ${f%.txt}\" | tr a-z A-Z >> out; done\nfi\n";
    let source = unit.repeat(2000);
    let parsing = median(
        (0..rounds.max(5) * 3)
            .map(|_| {
                let began = clock.now();
                let _ = black_box(exuvia::syntax::parse_all(source.as_bytes(), &()));
                source.len() as f64 / 1e6 / (clock.now() - began)
            })
            .collect(),
    );
    row("parsing, MB/s", 40.0, true, parsing, None);
}

/// KiB that a shell takes while it waits: the growth of this process over a thousand.
fn idle(make: impl Fn() -> Box<dyn std::any::Any>) -> f64 {
    const SHELLS: usize = 1000;
    let mut kept = vec![make()];
    let before = resident();
    kept.extend((0..SHELLS).map(|_| make()));
    let grown = resident() - before;
    drop(kept);
    grown / SHELLS as f64
}

/// KiB of memory that this process has.
fn resident() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("VmRSS:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
        .unwrap_or(f64::NAN)
}

/// The same figures of bashkit.
struct Peers {
    new: Option<f64>,
    runs: [Option<f64>; 2],
    idle: Option<f64>,
}

#[cfg(feature = "peers")]
mod peers {
    use super::{Clock, Peers, black_box, idle, measure};

    pub fn measure_all(rounds: usize, clock: Clock) -> Peers {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
            return Peers {
                new: None,
                runs: [None, None],
                idle: None,
            };
        };
        let make = || {
            bashkit::Bash::builder()
                .limits(bashkit::ExecutionLimits::cli())
                .build()
        };
        let mut shell = make();
        let runs = ["echo hi", "echo hi | tr a-z A-Z | cat"].map(|script| {
            Some(measure(rounds, clock, || {
                drop(black_box(runtime.block_on(shell.exec(script))))
            }))
        });
        Peers {
            new: Some(measure(rounds, clock, || drop(black_box(make())))),
            runs,
            idle: Some(idle(|| Box::new(make()))),
        }
    }
}

#[cfg(not(feature = "peers"))]
mod peers {
    use super::{Clock, Peers};

    pub fn measure_all(_: usize, _: Clock) -> Peers {
        Peers {
            new: None,
            runs: [None, None],
            idle: None,
        }
    }
}
