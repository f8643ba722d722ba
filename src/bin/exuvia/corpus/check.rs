//! `corpus check`: is the corpus well-formed, complete, and still what this machine's bash says?

use super::load::{Loaded, load};
use super::play::{Rules, play};
use super::record::leak;
use super::report;
use super::shell::RealShell;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Checks the files below `paths`; the result is whether all is well.
pub fn check(paths: &[PathBuf], jobs: usize) -> bool {
    let (files, mut errors) = load(paths);
    errors.extend(bash_version());
    for loaded in &files {
        errors.extend(complaints(loaded));
    }
    if paths.is_empty() {
        errors.extend(known_differences(
            &files,
            Path::new("corpus/known-differences.md"),
        ));
    }
    for error in &errors {
        eprintln!("{error}");
    }
    let played = play(
        &files,
        &RealShell::bash(),
        &Rules {
            jobs,
            ..Rules::default()
        },
    );
    print!("{}", report::text(&played));
    errors.is_empty() && !played.iter().any(|p| p.outcome.is_failure())
}

fn complaints(loaded: &Loaded) -> Vec<String> {
    let mut errors = Vec::new();
    for case in &loaded.file.cases {
        let mut complain = |what: String| {
            errors.push(format!(
                "{}:{}: {}: {what}",
                loaded.path.display(),
                case.line,
                case.name
            ));
        };
        if let Some(what) = case.expected.as_ref().and_then(leak) {
            complain(format!("the expectation shows {what}"));
        }
        if case.known.is_some() && case.known_expected.is_none() {
            complain("known: without a known block: run `exuvia corpus record --known`".to_owned());
        }
        for tag in case
            .tags
            .iter()
            .filter(|t| !["posix", "slow", "unordered"].contains(&t.as_str()))
        {
            complain(format!("unknown tag {tag}"));
        }
    }
    errors
}

/// Another release prints other messages; then a difference says nothing.
fn bash_version() -> Option<String> {
    let script = "echo ${BASH_VERSINFO[0]}.${BASH_VERSINFO[1]}";
    let output = Command::new("bash").args(["-c", script]).output();
    let version = output
        .map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned())
        .unwrap_or_default();
    (version != "5.2").then(|| format!("the judge is bash 5.2, this machine has bash '{version}'"))
}

/// The ids of the page and of the cases must be the same.
fn known_differences(files: &[Loaded], page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).unwrap_or_default();
    let listed: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(id, _)| id)
        .collect();
    let cases = files.iter().flat_map(|f| &f.file.cases);
    let used: BTreeSet<&str> = cases.filter_map(|c| c.known.as_deref()).collect();
    let unused = listed
        .difference(&used)
        .map(|id| format!("{}: {id} has no case", page.display()));
    let unlisted = used
        .difference(&listed)
        .map(|id| format!("{}: {id} is missing", page.display()));
    unused.chain(unlisted).collect()
}
