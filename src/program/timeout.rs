//! `timeout`: runs a command and ends it when it takes too long.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use super::env::signal_of;
use super::launch::launch_status;
use super::{duration, usage};
use crate::args::{COREUTILS, Opt, Parsed, Spec, UsageError, quote};
use crate::kernel::{Disposition, Launch, Pid, Proc, Program, Signal, Stop, WaitStatus};

/// The program.
pub const PROGRAM: Program = Program {
    name: "timeout",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    PreserveStatus,
    Foreground,
    KillAfter,
    Signal,
    Verbose,
}

static SPEC: Spec<Flag> = Spec::new(
    "timeout",
    COREUTILS,
    &["[OPTION] DURATION COMMAND [ARG]...", "[OPTION]"],
    "Start COMMAND, and kill it if still running after DURATION.\n\nMandatory arguments to long options are mandatory for short \
     options too.",
    &[
        Opt::long(
            Flag::PreserveStatus,
            "preserve-status",
            "exit with the same status as COMMAND, even when the\ncommand times out",
        ),
        Opt::long(
            Flag::Foreground,
            "foreground",
            "when not running timeout directly from a shell prompt,\nallow COMMAND to read from the TTY and get TTY signals;\nin \
             this mode, children of COMMAND will not be timed out",
        ),
        Opt::required(
            Flag::KillAfter,
            'k',
            "kill-after",
            "DURATION",
            "also send a KILL signal if COMMAND is still running\nthis long after the initial signal was sent",
        ),
        Opt::required(
            Flag::Signal,
            's',
            "signal",
            "SIGNAL",
            "specify the signal to be sent on timeout;\nSIGNAL may be a name like 'HUP' or a number;\nsee 'kill -l' for a list of \
             signals",
        ),
        Opt::flag(Flag::Verbose, 'v', "verbose", "diagnose to stderr any signal sent upon timeout"),
    ],
)
.posix()
.fails_with(125)
.notes(
    "DURATION is a floating point number with an optional suffix:\n's' for seconds (the default), 'm' for minutes, 'h' for hours or \
     'd' for days.\nA duration of 0 disables the associated timeout.\n\nUpon timeout, send the TERM signal to COMMAND, if no other \
     SIGNAL specified.\nThe TERM signal kills any process that does not block or catch that signal.\nIt may be necessary to use the \
     KILL signal, since this signal can't be caught.\n\nExit status:\n  124  if COMMAND times out, and --preserve-status is not \
     specified\n  125  if the timeout command itself fails\n  126  if COMMAND is found but cannot be invoked\n  127  if COMMAND \
     cannot be found\n  137  if COMMAND (or timeout itself) is sent the KILL (9) signal (128+9)\n  -    the exit status of COMMAND \
     otherwise",
);

struct Options {
    preserve_status: bool,
    foreground: bool,
    kill_after: Duration,
    /// `None` is signal 0, which nobody feels.
    signal: Option<Signal>,
    verbose: bool,
    limit: Duration,
    command: Vec<Vec<u8>>,
}

impl Options {
    fn from_parsed(parsed: Parsed<Flag>) -> Result<Options, UsageError> {
        let mut options = Options {
            preserve_status: parsed.has(Flag::PreserveStatus),
            foreground: parsed.has(Flag::Foreground),
            kill_after: Duration::ZERO,
            signal: Some(Signal::TERM),
            verbose: parsed.has(Flag::Verbose),
            limit: Duration::ZERO,
            command: parsed.operands,
        };
        for (flag, value) in &parsed.options {
            let text = value.as_deref().unwrap_or_default();
            match flag {
                Flag::KillAfter => options.kill_after = interval(text)?,
                Flag::Signal => {
                    options.signal = parse_signal(text).ok_or_else(|| {
                        SPEC.complain([&*quote(text), b": invalid signal".as_slice()].concat())
                    })?;
                }
                _ => {}
            }
        }
        if options.command.len() < 2 {
            return Err(SPEC.bare_usage());
        }
        let limit = options.command.remove(0);
        options.limit = interval(&limit)?;
        Ok(options)
    }
}

fn interval(text: &[u8]) -> Result<Duration, UsageError> {
    duration::parse(text).ok_or_else(|| SPEC.complain([b"invalid time interval ", &*quote(text)].concat()))
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let options = Options::from_parsed(parsed);
    let options = usage::accept(proc, options).await?;
    // The command gets these signals as they were; timeout passes them on.
    let child = start(proc, &options).await?;
    let passed_on = [Signal::HUP, Signal::INT, Signal::QUIT, Signal::TERM, Signal::ALRM];
    for signal in passed_on {
        if proc.signals.disposition(signal) == Disposition::Default {
            proc.signals.set(signal, Disposition::Catch);
        }
    }
    let mut timed_out = false;
    let mut timer = Some(options.limit).filter(|limit| !limit.is_zero());
    let mut next_signal = options.signal;
    let status = loop {
        match happening(proc, child, timer).await {
            Event::Ended(status) => break status,
            Event::Signal(signal) => send(proc, &options, child, Some(signal)),
            Event::Time => {
                timed_out = true;
                announce(proc, &options, next_signal).await?;
                send(proc, &options, child, next_signal);
                timer = Some(options.kill_after)
                    .filter(|time| !time.is_zero() && next_signal != Some(Signal::KILL));
                if next_signal == Some(Signal::KILL) && !options.foreground {
                    // The signal goes to timeout's own group too.
                    return Err(Stop::Signal(Signal::KILL));
                }
                next_signal = Some(Signal::KILL);
            }
        }
    };
    conclude(proc, &options, status, timed_out)
}

async fn start(proc: &mut Proc, options: &Options) -> Result<Pid, Stop> {
    let launch = Launch {
        args: options.command.clone(),
        new_group: !options.foreground,
        ..Launch::default()
    };
    match proc.spawn(launch) {
        Ok(child) => Ok(child),
        Err(errno) => {
            let name = options.command.first().map_or(&b""[..], Vec::as_slice);
            let line = [b"failed to run command ", &*quote(name), b": "].concat();
            let line = [&line, errno.message().as_bytes()].concat();
            Err(usage::fail(proc, launch_status(errno), line).await)
        }
    }
}

/// A signal by number or name, 0 too.
fn parse_signal(text: &[u8]) -> Option<Option<Signal>> {
    if !text.is_empty() && text.iter().all(|byte| *byte == b'0') {
        return Some(None);
    }
    signal_of(text).map(Some)
}

enum Event {
    Ended(WaitStatus),
    Signal(Signal),
    Time,
}

/// Waits for the end of the command, a signal, or the time.
async fn happening(proc: &Proc, child: Pid, timer: Option<Duration>) -> Event {
    let kernel = &proc.kernel;
    let mut ended = pin!(kernel.wait_any(&proc.signals, || {
        if let Some(signal) = proc.signals.take_pending() {
            return Some(Event::Signal(signal));
        }
        let status = kernel.status_of(child)?;
        kernel.reap(child);
        Some(Event::Ended(status))
    }));
    let Some(timer) = timer else {
        return ended.await;
    };
    let mut time = pin!(proc.sleep(timer));
    poll_fn(|cx| match ended.as_mut().poll(cx) {
        Poll::Ready(event) => Poll::Ready(event),
        Poll::Pending => time.as_mut().poll(cx).map(|()| Event::Time),
    })
    .await
}

async fn announce(proc: &mut Proc, options: &Options, signal: Option<Signal>) -> Result<(), Stop> {
    if !options.verbose {
        return Ok(());
    }
    let name = options.command.first().map_or(&b""[..], Vec::as_slice);
    let message = format!(
        "sending signal {} to command ",
        signal.map_or_else(|| "EXIT".to_owned(), Signal::name)
    );
    proc.warn([message.as_bytes(), &quote(name)].concat()).await
}

fn send(proc: &Proc, options: &Options, child: Pid, signal: Option<Signal>) {
    // The command may have ended meanwhile, which is as good.
    let _ = proc.kernel.kill(child, signal);
    if !options.foreground {
        let _ = proc.kernel.kill_group(child, signal);
    }
    if signal != Some(Signal::KILL) && signal != Some(Signal::CONT) {
        let _ = proc.kernel.kill(child, Some(Signal::CONT));
    }
}

fn conclude(proc: &Proc, options: &Options, status: WaitStatus, timed_out: bool) -> Result<i32, Stop> {
    let killed = matches!(status, WaitStatus::Signaled(signal) if signal == Signal::KILL);
    match status {
        _ if timed_out && !options.preserve_status && !killed => Ok(124),
        WaitStatus::Signaled(signal) if !timed_out => {
            proc.signals.set(signal, Disposition::Default);
            Err(Stop::Signal(signal))
        }
        status => Ok(status.code()),
    }
}
