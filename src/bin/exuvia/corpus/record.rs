//! `corpus record`: asks real bash, and writes what it answered into the case files.
//!
//! A case that is not the same twice, or that shows the machine it ran on, is refused: nothing is replaced to make it pass.

use super::format::{Case, Observed};
use super::load::{Loaded, load};
use super::play::{agree, in_parallel};
use super::report::difference;
use super::shell::{RealShell, RunError, Runner, TEMPORARY_NAME};
use std::fs;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// Which block is written, and for which cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Expectations of cases that have none.
    Missing,
    /// All expectations anew.
    All,
    /// The known blocks, from the emulated shell.
    Known,
}

/// Records below `paths`; the result is whether every case was accepted.
pub fn record(paths: &[PathBuf], scope: Scope, jobs: usize, emulated: &dyn Runner) -> bool {
    let (mut files, errors) = load(paths);
    for error in &errors {
        eprintln!("{error}");
    }
    let judge = RealShell::bash();
    let runner: &dyn Runner = if scope == Scope::Known { emulated } else { &judge };
    let mut recorded = 0;
    let mut refused = errors.len();
    for loaded in &mut files {
        let wanted = loaded
            .file
            .cases
            .iter()
            .map(|case| is_wanted(case, scope))
            .collect::<Vec<_>>();
        let cases: Vec<(&Case, bool)> = loaded.file.cases.iter().zip(wanted).collect();
        let results = in_parallel(&cases, jobs, |(case, wanted)| {
            wanted.then(|| observe(case, runner))
        });
        for (index, result) in results.into_iter().enumerate() {
            let id = loaded
                .file
                .cases
                .get(index)
                .map(|c| format!("{}/{}", loaded.topic, c.name));
            match (result, loaded.file.cases.get_mut(index)) {
                (Some(Ok(observed)), Some(case)) => {
                    recorded += usize::from(store(case, scope, observed, &id.unwrap_or_default()));
                }
                (Some(Err(reason)), _) => {
                    refused += 1;
                    eprintln!("refused: {}: {reason}", id.unwrap_or_default());
                }
                _ => {}
            }
        }
        refused += usize::from(!save(loaded));
    }
    println!("{recorded} recorded, {refused} refused");
    refused == 0
}

fn save(loaded: &Loaded) -> bool {
    match loaded.save() {
        Ok(_) => true,
        Err(error) => {
            eprintln!("{}: {error}", loaded.path.display());
            false
        }
    }
}

fn is_wanted(case: &Case, scope: Scope) -> bool {
    match scope {
        Scope::Missing => case.expected.is_none(),
        Scope::All => true,
        Scope::Known => case.known.is_some(),
    }
}

/// Puts the result into the case; says what changed when there was another before.
fn store(case: &mut Case, scope: Scope, observed: Observed, id: &str) -> bool {
    let slot = if scope == Scope::Known {
        &mut case.known_expected
    } else {
        &mut case.expected
    };
    if slot.as_ref() == Some(&observed) {
        return false;
    }
    if let Some(before) = slot {
        println!("changed: {id}\n{}", difference(before, &observed));
    }
    *slot = Some(observed);
    true
}

/// Runs a case twice and returns what it printed, or why it may not be recorded.
fn observe(case: &Case, runner: &dyn Runner) -> Result<Observed, String> {
    let run = || match runner.run(case) {
        Ok(observed) => Ok(observed),
        Err(RunError::TimedOut) => Err("timed out".to_owned()),
        Err(RunError::Failed(message)) => Err(message),
    };
    let (first, second) = (run()?, run()?);
    if !agree(case, &first, &second, false) {
        return Err(format!("two runs differ\n{}", difference(&first, &second)));
    }
    match leak(&first) {
        Some(what) => Err(format!(
            "the output shows {what}\n{}",
            difference(&Observed::default(), &first)
        )),
        None => Ok(first),
    }
}

/// What of this machine an expectation shows, if anything.
pub fn leak(observed: &Observed) -> Option<&'static str> {
    let text = [observed.stdout.as_slice(), observed.stderr.as_slice()].concat();
    let holds = |needle: &[u8]| !needle.is_empty() && text.windows(needle.len()).any(|w| w == needle);
    let host = fs::read("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = host.trim_ascii();
    if holds(TEMPORARY_NAME.as_bytes()) {
        Some("the temporary directory (see `cwd: mapped`)")
    } else if host.len() > 5 && holds(host) {
        Some("the name of the host")
    } else if holds(today().as_bytes()) {
        Some("the date of today")
    } else {
        None
    }
}

/// `YYYY-MM-DD` in UTC, by the usual era arithmetic.
fn today() -> String {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_secs());
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02}")
}
