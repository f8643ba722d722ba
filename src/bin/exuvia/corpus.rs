//! `exuvia corpus`: the conformance cases, played in the emulated shell or in any real one.
//!
//! `corpus/README.md` describes the format and the commands. The parts: [`format`] and [`escape`] read and write case files, [`load`] finds them,
//! [`shell`] runs one case in a real shell and [`emulated`] in ours, [`play`] runs many and judges, [`report`] says how it went,
//! [`pending`] keeps the list of what may fail today, [`record`] and [`check`] are the commands that ask real bash.
//!
//! This module is part of the program, not of the library: it owns real processes, threads, files and the clock, since its work is to compare
//! the emulated shell with real ones. Arguments are parsed by hand: there are few, and the module builds without dependencies.

pub mod check;
pub mod emulated;
pub mod escape;
pub mod format;
pub mod load;
pub mod pending;
pub mod play;
pub mod record;
pub mod report;
pub mod shell;

use pending::{Growth, Pending};
use record::Scope;
use shell::{RealShell, Runner};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, thread};

/// The text of `exuvia corpus --help`.
pub const HELP: &str = "\
usage: exuvia corpus run [--shell COMMAND] [--ignore-stderr] [--json FILE] [--jobs N] [--filter TEXT]
                         [--update-pending [--force]] [PATH...]
       exuvia corpus record [--all | --known] [--jobs N] [PATH...]
       exuvia corpus check [--jobs N] [PATH...]

run     play cases in the emulated shell, or with --shell in real processes
record  write the expectations of cases that have none, from this machine's bash
check   is every case well-formed, recorded, and what this machine's bash says?

  --shell COMMAND   a program and its first arguments: 'bash --posix'
  --ignore-stderr   do not compare standard error: other shells word it otherwise
  --json FILE       also write a report for machines
  --jobs N          threads; default: one a processor
  --filter TEXT     only cases whose id contains TEXT or that carry it as a tag
  --update-pending  take cases that pass now out of corpus/pending.txt, the list of those that may fail
  --force           with --update-pending: also add those that fail
  --all             rewrite all expectations, and show what changed
  --known           write what the emulated shell prints into cases with `known:`
";

/// The command of `exuvia corpus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Run,
    Record(Scope),
    Check,
    Help,
}

/// The arguments of `exuvia corpus`.
#[derive(Clone, Debug)]
pub struct CorpusArgs {
    pub action: Action,
    pub shell: Option<String>,
    pub ignore_stderr: bool,
    pub json: Option<PathBuf>,
    pub jobs: Option<usize>,
    pub filter: Option<String>,
    /// `--update-pending`, with `--force` or without.
    pub update: Option<Growth>,
    pub force: bool,
    pub paths: Vec<PathBuf>,
}

impl CorpusArgs {
    /// Reads the words after `exuvia corpus`.
    pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Self, String> {
        let mut words = words.into_iter();
        let action = match words.next().as_deref().and_then(|w| w.to_str()) {
            Some("run") => Action::Run,
            Some("record") => Action::Record(Scope::Missing),
            Some("check") => Action::Check,
            Some("help" | "--help" | "-h") => Action::Help,
            Some(other) => return Err(format!("unknown command: {other}")),
            None => return Err("a command is missing: run, record or check".to_owned()),
        };
        let mut args = CorpusArgs {
            action,
            shell: None,
            ignore_stderr: false,
            json: None,
            jobs: None,
            filter: None,
            update: None,
            force: false,
            paths: Vec::new(),
        };
        while let Some(word) = words.next() {
            args.take(&word, &mut words)?;
        }
        match (args.force, args.update.as_mut()) {
            (true, None) => return Err("--force goes with --update-pending".to_owned()),
            (true, Some(growth)) => *growth = Growth::Allowed,
            (false, _) => {}
        }
        if args.update.is_some() && args.shell.is_some() {
            return Err("--update-pending is about the emulated shell".to_owned());
        }
        Ok(args)
    }

    fn take(&mut self, word: &OsString, rest: &mut impl Iterator<Item = OsString>) -> Result<(), String> {
        let text = word.to_string_lossy();
        let (name, joined) = match text.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(OsString::from(value))),
            _ => (text.as_ref(), None),
        };
        let mut value = || {
            joined
                .clone()
                .or_else(|| rest.next())
                .ok_or(format!("{name} needs a value"))
        };
        let mut string = || value().map(|v| v.to_string_lossy().into_owned());
        match (name, self.action) {
            ("--shell", Action::Run) => self.shell = Some(string()?),
            ("--ignore-stderr", Action::Run) => self.ignore_stderr = true,
            ("--json", Action::Run) => self.json = Some(PathBuf::from(value()?)),
            ("--filter", Action::Run) => self.filter = Some(string()?),
            ("--update-pending", Action::Run) => self.update = Some(Growth::Forbidden),
            ("--force", Action::Run) => self.force = true,
            ("--jobs", _) => self.jobs = Some(string()?.parse().map_err(|_| "--jobs takes a number")?),
            ("--all", Action::Record(_)) => self.action = Action::Record(Scope::All),
            ("--known", Action::Record(_)) => self.action = Action::Record(Scope::Known),
            ("--help" | "-h", _) => self.action = Action::Help,
            (name, _) if name.starts_with('-') => return Err(format!("unknown option: {name}")),
            _ => self.paths.push(PathBuf::from(word)),
        }
        Ok(())
    }
}

/// Does what the arguments say: 0 all is well, 1 some case is not, 2 the arguments or files are wrong.
pub fn run(args: &CorpusArgs) -> ExitCode {
    let jobs = args
        .jobs
        .unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    let well = match args.action {
        Action::Run => return run_cases(args, jobs),
        Action::Record(scope) => record::record(&args.paths, scope, jobs, &emulated::Emulated),
        Action::Check => check::check(&args.paths, jobs),
        Action::Help => {
            print!("{HELP}");
            true
        }
    };
    ExitCode::from(u8::from(!well))
}

fn run_cases(args: &CorpusArgs, jobs: usize) -> ExitCode {
    let (files, errors) = load::load(&args.paths);
    for error in &errors {
        eprintln!("{error}");
    }
    let real = args.shell.as_deref().map(RealShell::new);
    let runner: &dyn Runner = match &real {
        Some(real) => real,
        None => &emulated::Emulated,
    };
    let filter = args.filter.as_deref();
    let rules = play::Rules {
        jobs,
        filter,
        ignore_stderr: args.ignore_stderr,
        emulated: real.is_none(),
    };
    let mut played = play::play(&files, runner, &rules);
    if real.is_none()
        && let Err(error) = apply_pending(args, &files, &mut played)
    {
        eprintln!("{}: {error}", pending::FILE);
        return ExitCode::from(2);
    }
    print!("{}", report::text(&played));
    if let Some(path) = &args.json
        && let Err(error) = fs::write(path, report::json(&played))
    {
        eprintln!("{}: {error}", path.display());
        return ExitCode::from(2);
    }
    if !errors.is_empty() {
        return ExitCode::from(2);
    }
    ExitCode::from(u8::from(played.iter().any(play::Played::fails)))
}

/// Marks the cases that may fail; updates the list when asked.
fn apply_pending(
    args: &CorpusArgs,
    files: &[load::Loaded],
    played: &mut [play::Played],
) -> std::io::Result<()> {
    let path = Path::new(pending::FILE);
    let mut list = Pending::load(path)?;
    if let Some(growth) = args.update {
        list = list.updated(played, growth);
    }
    if args.paths.is_empty() {
        let strangers = list.strangers(files);
        if args.update.is_some() {
            list = list.without(&strangers);
        } else {
            for id in strangers {
                eprintln!("{}: no case {id}", pending::FILE);
            }
        }
    }
    if args.update.is_some() {
        list.save(path)?;
        eprintln!("{}: {} cases", pending::FILE, list.len());
    }
    list.mark(played);
    Ok(())
}
