//! The scripts of `benches/scripts`: how many times as fast as bash each shell runs them.

use std::path::{Path, PathBuf};

use crate::clock::Clock;
use crate::contender::{all, compare, head};

/// How many times as fast as bash exuvia is to be.
fn target(name: &str) -> f64 {
    match name {
        "substitution" | "subshell" | "pipeline" | "fib" | "here-document" => 100.0,
        _ => 5.0,
    }
}

pub fn table(rounds: usize, clock: Clock) {
    let mut contenders = all();
    let mut columns = vec!["bash, ms", "target"];
    columns.extend(contenders.iter().skip(1).map(|contender| contender.name));
    head("script", &columns);
    for (name, script) in scripts() {
        let results = compare(&mut contenders, &script, rounds, clock);
        let bash = results.first().map_or(f64::NAN, |result| result.median());
        let cells: Vec<String> = contenders
            .iter()
            .zip(&results)
            .skip(1)
            .map(|(contender, result)| {
                let ratio = bash / result.median();
                let missed = contender.name == "exuvia" && ratio < target(&name);
                match (result.failure(), missed) {
                    (Some(failure), _) => failure.into(),
                    (None, true) => format!("**{ratio:.1}**"),
                    (None, false) => format!("{ratio:.1}"),
                }
            })
            .collect();
        println!(
            "| {name} | {:.1} | {} | {} |",
            bash * 1e3,
            target(&name),
            cells.join(" | ")
        );
    }
}

fn scripts() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.file_stem()?.to_str()?.to_owned();
        Some((name, std::fs::read_to_string(path).ok()?))
    };
    paths.into_iter().filter_map(read).collect()
}
