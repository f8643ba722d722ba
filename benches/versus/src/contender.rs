//! Shells that run a script and give its output.

use std::path::{Path, PathBuf};
use std::process::Command;

use exuvia::{Run, Shell, State};

use crate::clock::Clock;

/// A shell.
pub struct Contender {
    pub name: &'static str,
    run: Box<dyn FnMut(&str) -> Option<Vec<u8>>>,
}

/// All that are there, bash first. Those that are not are said on standard error.
pub fn all() -> Vec<Contender> {
    let found = [
        ("bash", process("bash", Path::new("bash"))),
        ("exuvia", Some(exuvia())),
        ("dash", process("dash", Path::new("dash"))),
        ("brush", brush().and_then(|program| process("brush", &program))),
        ("bashkit", bashkit()),
    ];
    let there = |(name, contender): (&str, Option<Contender>)| {
        if contender.is_none() {
            eprintln!("versus: {name} is missing: see the page on top of main.rs");
        }
        contender
    };
    found.into_iter().filter_map(there).collect()
}

/// What runs and in which version, a line each.
pub fn versions() -> Vec<String> {
    let said = |program: &Path, argument: &str| {
        let output = Command::new(program).arg(argument).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        text.lines().next().map(str::to_owned)
    };
    let packaged = Command::new("dpkg-query")
        .args(["-W", "-f", "dash ${Version}", "dash"])
        .output()
        .ok()
        .filter(|output| output.status.success())
        .and_then(|output| String::from_utf8(output.stdout).ok());
    let brush = brush().and_then(|program| said(&program, "--version"));
    let bashkit = cfg!(feature = "peers").then(|| "bashkit, as Cargo.lock pins it".to_owned());
    [said(Path::new("bash"), "--version"), packaged, brush, bashkit]
        .into_iter()
        .flatten()
        .collect()
}

fn exuvia() -> Contender {
    let run = |script: &str| {
        let mut shell = Shell::builder().state(State::Fresh).build().ok()?;
        Some(shell.execute(Run::command(script)).stdout)
    };
    Contender {
        name: "exuvia",
        run: Box::new(run),
    }
}

/// brush's program: what `BRUSH` says, where `cargo install --root benches/versus/target/brush brush-shell` puts it, or along `PATH`.
fn brush() -> Option<PathBuf> {
    let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/brush/bin/brush");
    let named = std::env::var_os("BRUSH").map(PathBuf::from);
    let candidates = named.into_iter().chain([installed, PathBuf::from("brush")]);
    let runs = |program: &PathBuf| {
        let status = Command::new(program).args(["-c", ":"]).status();
        status.is_ok_and(|status| status.success())
    };
    candidates.into_iter().find(runs)
}

fn process(name: &'static str, program: &Path) -> Option<Contender> {
    Command::new(program).args(["-c", ":"]).status().ok()?;
    let directory = std::env::temp_dir().join(format!("versus-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&directory).ok()?;
    let program = program.to_owned();
    let run = move |script: &str| {
        let output = Command::new(&program)
            .args(["-c", script])
            .current_dir(&directory)
            .env("LANG", "C.UTF-8")
            .output()
            .ok()?;
        Some(output.stdout)
    };
    Some(Contender {
        name,
        run: Box::new(run),
    })
}

#[cfg(feature = "peers")]
fn bashkit() -> Option<Contender> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .ok()?;
    // Enough for every script here that ends in a time that can be borne.
    let limits = bashkit::ExecutionLimits::cli()
        .max_work_units(u64::MAX)
        .timeout(std::time::Duration::from_secs_f64(PATIENCE));
    let run = move |script: &str| {
        let mut shell = bashkit::Bash::builder().limits(limits.clone()).build();
        let result = runtime.block_on(shell.exec(script)).ok()?;
        Some(result.stdout.into_bytes())
    };
    Some(Contender {
        name: "bashkit",
        run: Box::new(run),
    })
}

#[cfg(not(feature = "peers"))]
fn bashkit() -> Option<Contender> {
    None
}

/// What a contender did with a script, over all rounds.
#[derive(Clone)]
pub struct Timing {
    pub times: Vec<f64>,
    pub agrees: bool,
}

impl Timing {
    pub fn median(&self) -> f64 {
        median(self.times.clone())
    }

    /// What a table shows instead of a ratio.
    pub fn failure(&self) -> Option<&'static str> {
        match (self.agrees, self.median() > FAR_BEHIND) {
            (true, _) => None,
            (false, true) => Some("too slow"),
            (false, false) => Some("differs"),
        }
    }
}

/// Seconds after which a script is not run in the same shell again.
const FAR_BEHIND: f64 = 3.0;

/// Seconds after which a script is given up, where the shell can do that.
#[cfg(feature = "peers")]
const PATIENCE: f64 = 10.0;

/// Runs a script in every shell, round by round; the first one says what is right.
pub fn compare(contenders: &mut [Contender], script: &str, rounds: usize, clock: Clock) -> Vec<Timing> {
    let empty = Timing {
        times: Vec::new(),
        agrees: true,
    };
    let mut results = vec![empty; contenders.len()];
    for _ in 0..rounds {
        let mut expected = None;
        for (contender, result) in contenders.iter_mut().zip(&mut results) {
            // One that is wrong, or far behind, need not be asked again.
            if !result.agrees || result.times.iter().any(|time| *time > FAR_BEHIND) {
                continue;
            }
            let start = clock.now();
            let output = (contender.run)(script);
            result.times.push(clock.now() - start);
            let reference = expected.get_or_insert_with(|| output.clone());
            result.agrees &= output.is_some() && output == *reference;
        }
    }
    results
}

pub fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

/// A header and its rule.
pub fn head(first: &str, columns: &[&str]) {
    println!("| {first} | {} |", columns.join(" | "));
    println!("| --- |{}", " ---: |".repeat(columns.len()));
}
