//! Runs one script.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use clap::Parser;
use exuvia::host::SystemClock;
use exuvia::kernel::{Clock, HostSource, Limits};
use exuvia::{Event, Outcome, Run, Shell, ShellBuilder, State};

use super::options::{Options, Time};

/// Parses the words and runs; the exit status is the script's.
pub fn run(words: impl Iterator<Item = OsString>) -> ExitCode {
    let options = match Options::try_parse_from(std::iter::once(OsString::from("exuvia")).chain(words)) {
        Ok(options) => options,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    match execute(&options) {
        Ok(status) => ExitCode::from(status),
        Err(message) => {
            eprintln!("exuvia: {message}");
            ExitCode::from(2)
        }
    }
}

fn execute(options: &Options) -> Result<u8, String> {
    let builder = configure(options)?;
    #[cfg(feature = "http")]
    let (builder, _runtime) = options.reach.give(builder)?;
    let mut shell = builder.build().map_err(|error| error.to_string())?;
    let run = request(options)?;
    if options.json {
        let outcome = shell.execute(run);
        print_json(&outcome).map_err(|error| error.to_string())?;
        return Ok(outcome.status as u8);
    }
    Ok(stream(&mut shell, run))
}

fn configure(options: &Options) -> Result<ShellBuilder, String> {
    let mut builder = Shell::builder().state(State::Fresh);
    if let Some(text) = &options.limits {
        builder = builder.limits(parse_limits(text)?);
    }
    if options.time == Time::Real {
        builder = builder.clock(Clock::Real(Arc::new(SystemClock)));
    }
    super::mount::mount(builder, options.dir.as_deref(), options.dir_rw.as_deref())
}

fn parse_limits(text: &str) -> Result<Limits, String> {
    let mut limits = Limits::default();
    for pair in text.split(',').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair
            .split_once('=')
            .ok_or_else(|| format!("--limits: '{pair}' is not NAME=VALUE"))?;
        let number: u64 = value
            .parse()
            .map_err(|_| format!("--limits: '{value}' is not a number"))?;
        let small = || u32::try_from(number).map_err(|_| format!("--limits: '{value}' is too large"));
        match name {
            "steps" => limits.steps = number,
            "output-bytes" => limits.output_bytes = number,
            "memory-bytes" => limits.memory_bytes = number,
            "depth" => limits.depth = small()?,
            "processes" => limits.processes = small()?,
            "open-files" => limits.open_files = small()?,
            "pipe-bytes" => limits.pipe_bytes = small()?,
            "wall-clock-ms" => limits.wall_clock = Some(Duration::from_millis(number)),
            "time-ms" => limits.time = Some(Duration::from_millis(number)),
            _ => return Err(format!("--limits: unknown limit '{name}'")),
        }
    }
    Ok(limits)
}

fn request(options: &Options) -> Result<Run, String> {
    let words: Vec<&[u8]> = options.words.iter().map(|word| word.as_bytes()).collect();
    let (mut run, args) = match (&options.command, words.split_first()) {
        (Some(text), rest) => {
            let (zero, args) = rest.map_or((b"bash".as_slice(), words.as_slice()), |(zero, args)| {
                (zero, args)
            });
            (Run::command(text.as_bytes()).zero(zero), args)
        }
        (None, Some((path, args))) if *path != b"-" => (script(path)?, args),
        (None, Some((_, args))) => (Run::stdin_script(), args),
        (None, None) => (Run::stdin_script(), words.as_slice()),
    };
    run = run.args(args);
    if !stdin_is_null() {
        run = run.stdin_from(Arc::new(HostStdin::default()));
    }
    if options.trace {
        run = run.trace();
    }
    Ok(run)
}

/// A script of the host runs under its own name.
fn script(path: &[u8]) -> Result<Run, String> {
    let host = std::path::Path::new(std::ffi::OsStr::from_bytes(path));
    match std::fs::read(host) {
        Ok(text) => Ok(Run::script(text, path)),
        Err(error) => Err(format!("{}: {error}", host.display())),
    }
}

/// `/dev/null` for a script too, so that programs that look at the kind of their input see what it is. Not told on systems other than Linux.
fn stdin_is_null() -> bool {
    /// Major 1, minor 3.
    const NULL: u64 = 0x103;
    std::fs::metadata("/dev/stdin")
        .is_ok_and(|found| found.file_type().is_char_device() && found.rdev() == NULL)
}

/// Standard input of the host, read when the script asks for it.
#[derive(Debug, Default)]
struct HostStdin {
    ended: Mutex<bool>,
}

impl HostSource for HostStdin {
    fn poll_read(&self, _: &mut Context<'_>, max: usize) -> Poll<Vec<u8>> {
        let mut ended = self
            .ended
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut buffer = vec![0; max];
        let count = if *ended {
            0
        } else {
            std::io::stdin().lock().read(&mut buffer).unwrap_or(0)
        };
        *ended = count == 0;
        buffer.truncate(count);
        Poll::Ready(buffer)
    }
}

/// Prints output as it comes.
fn stream(shell: &mut Shell, run: Run) -> u8 {
    let outcome = shell.execute_with(run, |event| {
        // A reader that went away ends the run by its own means: the script's writes succeed.
        let _ = match event {
            Event::Stdout(text) => std::io::stdout()
                .lock()
                .write_all(&text)
                .and_then(|()| std::io::stdout().flush()),
            Event::Stderr(text) => std::io::stderr().lock().write_all(&text),
        };
    });
    outcome.status as u8
}

fn print_json(outcome: &Outcome) -> std::io::Result<()> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let value = serde_json::json!({
        "status": outcome.status,
        "stdout": text(&outcome.stdout),
        "stderr": text(&outcome.stderr),
        "usage": outcome.usage,
        "halt": outcome.halt,
    });
    writeln!(std::io::stdout().lock(), "{value:#}")
}
