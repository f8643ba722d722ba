//! Plays cases on several threads and judges what came out.

use super::format::{Case, Observed};
use super::load::Loaded;
use super::shell::{RunError, Runner};
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;

/// The judgement of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    /// It differs from bash as its known block says.
    Known,
    /// What was expected, and what came out.
    Differs(Observed, Observed),
    /// A known difference that agrees with bash now.
    Resolved,
    TimedOut,
    /// The shell could not be run, or the case has no expectation.
    Broken(String),
}

impl Outcome {
    /// Whether the closing line counts it as a failure.
    pub fn is_failure(&self) -> bool {
        !matches!(self, Outcome::Passed | Outcome::Known)
    }

    /// The word of the JSON report.
    pub fn word(&self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Known => "known",
            Outcome::Differs(..) => "failed",
            Outcome::Resolved => "resolved",
            Outcome::TimedOut => "timed-out",
            Outcome::Broken(_) => "broken",
        }
    }
}

/// A case, where it is, and how it went.
pub struct Played<'a> {
    pub loaded: &'a Loaded,
    pub case: &'a Case,
    pub outcome: Outcome,
    /// It may fail: `corpus/pending.txt` names it.
    pub pending: bool,
}

impl Played<'_> {
    /// `folder/file/name`
    pub fn id(&self) -> String {
        self.loaded.id(self.case)
    }

    /// Whether it fails, and was not known to.
    pub fn fails(&self) -> bool {
        self.outcome.is_failure() && !self.pending
    }
}

/// What to play and how to judge.
#[derive(Clone, Copy, Default)]
pub struct Rules<'a> {
    pub jobs: usize,
    /// Only cases whose id or tags contain this.
    pub filter: Option<&'a str>,
    /// Other shells word their messages otherwise.
    pub ignore_stderr: bool,
    /// Known differences are those of the emulated shell, not of others.
    pub emulated: bool,
}

/// The cases that the filter lets through.
pub fn select<'a>(files: &'a [Loaded], filter: Option<&str>) -> Vec<(&'a Loaded, &'a Case)> {
    let chosen = |loaded: &Loaded, case: &Case| match filter {
        Some(text) => case.has_tag(text) || loaded.id(case).contains(text),
        None => true,
    };
    files
        .iter()
        .flat_map(|loaded| loaded.file.cases.iter().map(move |case| (loaded, case)))
        .filter(|(loaded, case)| chosen(loaded, case))
        .collect()
}

/// Plays the chosen cases; results come in the order of the corpus.
pub fn play<'a>(files: &'a [Loaded], runner: &dyn Runner, rules: &Rules) -> Vec<Played<'a>> {
    let cases = select(files, rules.filter);
    let outcomes = in_parallel(&cases, rules.jobs, |(_, case)| judge(case, runner, rules));
    let played = |((loaded, case), outcome): (&(&'a Loaded, &'a Case), Outcome)| Played {
        loaded,
        case,
        outcome,
        pending: false,
    };
    cases.iter().zip(outcomes).map(played).collect()
}

/// Applies `work` to every item on `jobs` threads and shows progress on a terminal.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], jobs: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = channel();
    let mut results: Vec<(usize, R)> = Vec::new();
    thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, items.len().max(1)) {
            let (sender, next, work) = (sender.clone(), &next, &work);
            // Parsers and expanders recurse to a bound; debug builds need room for it.
            let body = move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    if sender.send((index, work(item))).is_err() {
                        break;
                    }
                }
            };
            if thread::Builder::new()
                .stack_size(8 << 20)
                .spawn_scoped(scope, body)
                .is_err()
            {
                break;
            }
        }
        drop(sender);
        let terminal = io::stderr().is_terminal();
        for result in receiver {
            results.push(result);
            if terminal {
                progress(results.len(), items.len());
            }
        }
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

fn progress(done: usize, all: usize) {
    let end = if done == all { "\r\x1b[K" } else { "" };
    // A terminal that went away is no reason to stop.
    drop(write!(io::stderr(), "\r{done}/{all}{end}"));
}

fn judge(case: &Case, runner: &dyn Runner, rules: &Rules) -> Outcome {
    let Some(expected) = &case.expected else {
        return Outcome::Broken("no expectation: run `exuvia corpus record`".to_owned());
    };
    let actual = match runner.run(case) {
        Ok(actual) => actual,
        Err(RunError::TimedOut) => return Outcome::TimedOut,
        Err(RunError::Failed(message)) => return Outcome::Broken(message),
    };
    let same = |expected: &Observed| agree(case, expected, &actual, rules.ignore_stderr);
    let known = case.known_expected.as_ref().filter(|_| rules.emulated);
    match known {
        Some(known) if same(known) => Outcome::Known,
        Some(_) if same(expected) => Outcome::Resolved,
        Some(known) => Outcome::Differs(known.clone(), actual),
        None if same(expected) => Outcome::Passed,
        None => Outcome::Differs(expected.clone(), actual),
    }
}

/// Whether two results are the same for this case.
pub fn agree(case: &Case, expected: &Observed, actual: &Observed, ignore_stderr: bool) -> bool {
    let same = |a: &[u8], b: &[u8]| {
        if case.has_tag("unordered") {
            sorted_lines(a) == sorted_lines(b)
        } else {
            a == b
        }
    };
    expected.status == actual.status
        && same(&expected.stdout, &actual.stdout)
        && (ignore_stderr || same(&expected.stderr, &actual.stderr))
}

fn sorted_lines(text: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = text.split(|&b| b == b'\n').collect();
    lines.sort_unstable();
    lines
}
