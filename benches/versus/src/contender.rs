//! Shells that run a script and give its output.

use std::process::Command;
use std::time::Instant;

use exuvia::{Run, Shell, State};

/// A shell.
pub struct Contender {
    pub name: &'static str,
    run: Box<dyn FnMut(&str) -> Option<Vec<u8>>>,
}

/// All that are there, bash first.
pub fn all() -> Vec<Contender> {
    let brush = std::env::var("BRUSH").unwrap_or_else(|_| "brush".into());
    let processes = [("bash", "bash".into()), ("dash", "dash".into()), ("brush", brush)];
    let mut list: Vec<Contender> = processes
        .into_iter()
        .filter_map(|(name, program)| process(name, program))
        .collect();
    list.insert(1, exuvia());
    list.extend(bashkit());
    list
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

fn process(name: &'static str, program: String) -> Option<Contender> {
    Command::new(&program).args(["-c", ":"]).status().ok()?;
    let directory = std::env::temp_dir().join(format!("versus-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&directory).ok()?;
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
    let limits = bashkit::ExecutionLimits::cli();
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
pub struct Result {
    pub times: Vec<f64>,
    pub agrees: bool,
}

impl Result {
    pub fn median(&self) -> f64 {
        median(self.times.clone())
    }
}

/// Runs a script in every shell, round by round; the first one says what is right.
pub fn compare(contenders: &mut [Contender], script: &str, rounds: usize) -> Vec<Result> {
    let empty = Result {
        times: Vec::new(),
        agrees: true,
    };
    let mut results = vec![empty; contenders.len()];
    for _ in 0..rounds {
        let mut expected = None;
        for (contender, result) in contenders.iter_mut().zip(&mut results) {
            // One that is wrong, or far behind, need not be asked again.
            if !result.agrees && !result.times.is_empty() {
                continue;
            }
            let start = Instant::now();
            let output = (contender.run)(script);
            result.times.push(start.elapsed().as_secs_f64());
            let reference = expected.get_or_insert_with(|| output.clone());
            result.agrees &= output == *reference;
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
