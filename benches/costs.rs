//! What the small things cost: creating a shell, forking it, one-line runs, an idle shell's bytes, parsing. Prints the least of many
//! batches, since what else the machine does only ever adds.
//!
//!     cargo bench --profile fast --bench costs [-- NAME]

use std::hint::black_box;
use std::time::{Duration, Instant};

use exuvia::{Run, Shell, State};

/// Batches of which the best counts, and how long one should take.
const BATCHES: usize = 40;
const BATCH: Duration = Duration::from_millis(5);

/// Shells that are kept to see how large one is.
const IDLE: usize = 10_000;

const UNIT: &str =
    "if [ \"$a\" = b ]; then\n  for f in *.txt; do echo \"$f: ${f%.txt}\" | tr a-z A-Z >> out; done\nfi\n";

/// Seconds of one `work`, in the best batch.
fn seconds(mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    work();
    let once = start.elapsed().max(Duration::from_nanos(50));
    let count = (BATCH.as_nanos() / once.as_nanos()).clamp(1, 20_000) as u32;
    let batch = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        (0..count).for_each(|_| work());
        start.elapsed().as_secs_f64() / f64::from(count)
    };
    (0..BATCHES)
        .map(|_| batch(&mut work))
        .fold(f64::INFINITY, f64::min)
}

/// Resident bytes of this process.
fn resident() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<f64>().ok());
    pages.unwrap_or(f64::NAN) * 4096.0
}

/// Bytes of each of many shells that are kept.
fn idle(make: impl Fn() -> Shell) -> f64 {
    let mut kept: Vec<Shell> = Vec::with_capacity(IDLE);
    kept.extend((0..100).map(|_| make()));
    let before = resident();
    kept.extend((100..IDLE).map(|_| make()));
    let bytes = (resident() - before) / (IDLE - 100) as f64;
    black_box(&kept);
    bytes
}

fn print(name: &str, value: f64, unit: &str, target: &str) {
    println!("{name:<24}{value:>10.2} {unit:<5} (target {target})");
}

fn main() {
    let only = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let wanted = |name: &str| only.as_ref().is_none_or(|only| name.contains(only.as_str()));
    let micros = |name: &str, target: &str, work: &mut dyn FnMut()| {
        if wanted(name) {
            print(name, seconds(work) * 1e6, "µs", target);
        }
    };
    micros("new", "20", &mut || drop(black_box(Shell::new())));
    micros("build", "20", &mut || {
        let builder = Shell::builder().env("A", "1").state(State::Fresh);
        drop(black_box(builder.file("/workspace/f", "x\n").build()));
    });
    let mut shell = Shell::new();
    shell.run("x=1; f() { echo f; }");
    micros("fork", "3", &mut || drop(black_box(shell.fork())));
    for (name, target, script) in [
        ("run nothing", "3", ":"),
        ("run echo", "3", "echo hi"),
        ("run pipeline", "10", "echo hi | tr a-z A-Z | cat"),
        ("run substitution", "-", "x=$(echo hi)"),
    ] {
        micros(name, target, &mut || {
            drop(black_box(shell.execute(Run::command(script))))
        });
    }
    if wanted("idle") {
        print("idle new", idle(Shell::new) / 1024.0, "KiB", "32");
        let used = || {
            let mut shell = Shell::new();
            shell.run("x=1; echo hi > f; echo hi | cat");
            shell
        };
        print("idle used", idle(used) / 1024.0, "KiB", "32");
        print(
            "idle fork",
            idle(|| shell.fork().unwrap_or_default()) / 1024.0,
            "KiB",
            "-",
        );
    }
    if wanted("parse") {
        let source = UNIT.repeat(2000);
        let time = seconds(|| {
            drop(black_box(exuvia::syntax::parse_all(
                black_box(source.as_bytes()),
                &(),
            )))
        });
        print("parse", source.len() as f64 / time / 1e6, "MB/s", "40");
    }
}
