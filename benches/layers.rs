//! One benchmark a layer, each with its exact number of steps where it has one: parse, start, fork, run, and the scripts of
//! `benches/scripts`. `benches/versus` compares with other shells.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use exuvia::{Run, Shell, State};

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/scripts");

fn parse(c: &mut Criterion) {
    let unit = "if [ \"$a\" = b ]; then\n  for f in *.txt; do echo \"$f: ${f%.txt}\" | tr a-z A-Z >> out; done\nfi\n";
    let source = unit.repeat(2000);
    let mut group = c.benchmark_group("parse");
    group.throughput(Throughput::Bytes(source.len() as u64));
    group.bench_function("script", |b| {
        b.iter(|| exuvia::syntax::parse_all(black_box(source.as_bytes()), &()).map(|lists| lists.len()))
    });
    group.finish();
}

fn shell(c: &mut Criterion) {
    c.bench_function("shell/new", |b| b.iter(Shell::new));
    let mut shell = Shell::new();
    shell.run("x=1; f() { echo f; }");
    c.bench_function("shell/fork", |b| b.iter(|| shell.fork().map(drop)));
    let one_liners = [
        ("echo", "echo hi"),
        ("pipeline", "echo hi | tr a-z A-Z | cat"),
        ("substitution", "x=$(echo hi)"),
        ("glob", "echo /usr/bin/*"),
    ];
    for (name, script) in one_liners {
        println!("run/{name}: {} steps", shell.run(script).usage.steps);
        c.bench_function(&format!("run/{name}"), |b| {
            b.iter(|| shell.run(black_box(script)))
        });
    }
}

fn scripts(c: &mut Criterion) {
    let mut names: Vec<_> = std::fs::read_dir(SCRIPTS)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    names.sort();
    let mut group = c.benchmark_group("script");
    group.sample_size(10);
    for path in names {
        let Ok(text) = std::fs::read(&path) else { continue };
        let name = path
            .file_stem()
            .and_then(|name| name.to_str())
            .unwrap_or_default()
            .to_owned();
        let Ok(mut shell) = Shell::builder().state(State::Fresh).build() else {
            continue;
        };
        println!(
            "script/{name}: {} steps",
            shell.execute(Run::command(&text)).usage.steps
        );
        group.bench_function(name, |b| b.iter(|| shell.execute(Run::command(&text)).status));
    }
    group.finish();
}

criterion_group!(benches, parse, shell, scripts);
criterion_main!(benches);
