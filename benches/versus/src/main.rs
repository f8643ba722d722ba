//! The same scripts in several shells, interleaved: round by round each shell runs each script once, so that what else the machine
//! does hits all alike. Outputs must agree. Prints medians, and ratios to bash.
//!
//!     cargo run --release --manifest-path benches/versus/Cargo.toml [--features peers] [ROUNDS]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use exuvia::{Run, Shell, State};

/// A shell: runs a script and gives its output.
struct Contender {
    name: &'static str,
    run: Box<dyn FnMut(&str) -> Option<Vec<u8>>>,
}

fn exuvia() -> Contender {
    let run = |script: &str| {
        let mut shell = Shell::builder().state(State::Fresh).build().ok()?;
        Some(shell.execute(Run::command(script)).stdout)
    };
    Contender { name: "exuvia", run: Box::new(run) }
}

fn process(name: &'static str) -> Option<Contender> {
    Command::new(name).args(["-c", ":"]).status().ok()?;
    let directory = std::env::temp_dir().join(format!("versus-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&directory).ok()?;
    let run = move |script: &str| {
        let output = Command::new(name).args(["-c", script]).current_dir(&directory).env("LANG", "C.UTF-8").output().ok()?;
        Some(output.stdout)
    };
    Some(Contender { name, run: Box::new(run) })
}

#[cfg(feature = "peers")]
fn bashkit() -> Option<Contender> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
    let limits = bashkit::ExecutionLimits::cli();
    let run = move |script: &str| {
        let mut shell = bashkit::Bash::builder().limits(limits.clone()).build();
        let result = runtime.block_on(shell.exec(script)).ok()?;
        Some(result.stdout.into_bytes())
    };
    Some(Contender { name: "bashkit", run: Box::new(run) })
}

#[cfg(not(feature = "peers"))]
fn bashkit() -> Option<Contender> {
    None
}

fn scripts() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.file_stem()?.to_str()?.to_owned();
        Some((name, std::fs::read_to_string(path).ok()?))
    };
    paths.into_iter().filter_map(read).collect()
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

fn main() {
    let rounds: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(5);
    let mut contenders: Vec<Contender> =
        [Some(exuvia()), process("bash"), process("dash"), bashkit()].into_iter().flatten().collect();
    println!("{:<16}{}", "script", contenders.iter().map(|c| format!("{:>12}", c.name)).collect::<String>());
    for (name, script) in scripts() {
        let mut times = vec![Vec::new(); contenders.len()];
        let mut agree = vec![true; contenders.len()];
        for _ in 0..rounds {
            let mut expected = None;
            for index in [1, 0].into_iter().chain(2..contenders.len()) {
                let Some(contender) = contenders.get_mut(index) else { continue };
                let start = Instant::now();
                let output = (contender.run)(&script);
                times[index].push(start.elapsed().as_secs_f64());
                let reference = expected.get_or_insert_with(|| output.clone());
                agree[index] &= output == *reference;
            }
        }
        let medians: Vec<f64> = times.iter_mut().map(|times| median(times)).collect();
        let bash = medians.get(1).copied().unwrap_or(f64::NAN);
        let cells = medians.iter().zip(&agree).map(|(time, agree)| {
            if *agree { format!("{:>11.1}x", bash / time) } else { format!("{:>12}", "differs") }
        });
        println!("{name:<16}{}   (bash {:.1} ms)", cells.collect::<String>(), bash * 1e3);
    }
}
