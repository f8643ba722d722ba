//! A run in progress.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use super::output::{Collected, Sink};
use super::run::Stdin;
use super::{Run, Shell, State};
use crate::fs::Timestamp;
use crate::host::Stopwatch;
use crate::interp::{self, Interp, Start};
use crate::kernel::{self, File, Halt, HostSink, Kernel, Progress, SignalState, WaitStatus};
use crate::outcome::{Event, Outcome};

/// How long virtual time may go on for background commands after the script has ended.
const BACKGROUND_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// Units of work after which a run gives way to its host's executor.
const SLICE: u64 = 1 << 20;

/// The same, when the host's clock is to be looked at in between.
const TIMED_SLICE: u64 = 1 << 16;

/// Units of work that background commands may use after the script has ended.
const BACKGROUND_STEPS: u64 = 50_000_000;

type Ended = Arc<Mutex<Option<(Box<Interp>, interp::Flow<WaitStatus>)>>>;

/// A run in progress: a future of its [`Outcome`].
///
/// It needs no particular executor, gives way after a slice of work, and may be dropped to cancel the run. With virtual time it is never
/// pending for longer than other tasks of the executor take; with real time, or a program of the host that waits, it is.
///
/// ```
/// use std::pin::pin;
/// use std::task::{Context, Poll, Waker};
/// use exuvia::{Event, Run, Shell};
///
/// let mut shell = Shell::new();
/// let mut execution = pin!(shell.start(Run::command("echo one; echo two >&2; exit 3")));
/// let mut events = execution.take_events();
/// let mut context = Context::from_waker(Waker::noop());
/// let outcome = loop {
///     let poll = execution.as_mut().poll(&mut context);
///     events.extend(execution.take_events());
///     if let Poll::Ready(outcome) = poll {
///         break outcome;
///     }
/// };
/// assert_eq!(outcome.status, 3);
/// assert_eq!(events, [Event::Stdout(b"one\n".to_vec()), Event::Stderr(b"two\n".to_vec())]);
/// ```
pub struct Execution<'s> {
    shell: &'s mut Shell,
    kernel: Kernel,
    pub(super) collected: Arc<Mutex<Collected>>,
    ended: Ended,
    /// The status, once the script itself has ended and only background commands are left.
    status: Option<i32>,
    background_from: u64,
    pub(super) sleeping: Arc<Mutex<Option<Timestamp>>>,
    /// How long the run may take, and how long it has.
    wall_clock: Option<(Duration, Stopwatch)>,
}

impl std::fmt::Debug for Execution<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Execution")
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

impl<'s> Execution<'s> {
    pub(super) fn start(shell: &'s mut Shell, run: Run) -> Execution<'s> {
        let kernel = shell.interp.proc.kernel.clone();
        let limits = run.limits.clone().unwrap_or_else(|| shell.limits.clone());
        let wall_clock = limits.wall_clock.map(|time| (time, Stopwatch::start()));
        let time = limits.time;
        kernel.restart(limits);
        kernel.set_deadline(time.map(|time| kernel::after(kernel.now(), time)));
        let collected: Arc<Mutex<Collected>> = Arc::default();
        let mut interp = shell.interp.clone();
        prepare(&mut interp, &run, &kernel, &collected, shell.state);
        let ended: Ended = Arc::default();
        let slot = Arc::clone(&ended);
        let start = run.start.unwrap_or(Start::Command(Vec::new()));
        let pid = interp.proc.pid;
        let task_kernel = kernel.clone();
        let task = async move {
            let flow = interp.run_start(start).await;
            interp.close_files();
            let status = flow.unwrap_or(WaitStatus::Exited(1));
            *kernel::lock(&slot) = Some((Box::new(interp), flow));
            task_kernel.exit_process(pid, status);
            leave_background(&task_kernel);
        };
        kernel.spawn_task(pid, Box::pin(task));
        Execution {
            shell,
            kernel,
            collected,
            ended,
            status: None,
            background_from: 0,
            sleeping: Arc::default(),
            wall_clock,
        }
    }

    /// The time that is left of [`Limits::wall_clock`]; ends the run when there is none.
    fn time_left(&self) -> Option<Duration> {
        let (time, since) = self.wall_clock.as_ref()?;
        let left = time.saturating_sub(since.elapsed());
        if left.is_zero() {
            self.kernel.meter().stop(Halt::WallClock);
        }
        Some(left)
    }

    /// Lets the host wait for `at`, but not beyond the time that is left.
    fn sleep(&self, at: Option<Timestamp>, left: Option<Duration>) {
        let end = left.map(|left| kernel::after(self.kernel.now(), left));
        *kernel::lock(&self.sleeping) = match (at, end) {
            (Some(at), Some(end)) => Some(at.min(end)),
            (at, end) => at.or(end),
        };
    }

    /// Takes the output so far as events in order; the outcome then holds none.
    pub fn take_events(&mut self) -> Vec<Event> {
        let mut collected = kernel::lock(&self.collected);
        if collected.events.is_none() {
            let mut events = Vec::new();
            let stdout = std::mem::take(&mut collected.stdout);
            let stderr = std::mem::take(&mut collected.stderr);
            if !stdout.is_empty() {
                events.push(Event::Stdout(stdout));
            }
            if !stderr.is_empty() {
                events.push(Event::Stderr(stderr));
            }
            collected.events = Some(events);
        }
        collected.events.replace(Vec::new()).unwrap_or_default()
    }

    /// Ends the run: the next poll is ready, with status 130.
    pub fn cancel(&self) {
        self.kernel.meter().stop(Halt::Cancelled);
    }

    /// The script itself has ended: keep its state, let background commands finish.
    fn settle(&mut self) {
        let Some((interp, flow)) = kernel::lock(&self.ended).take() else {
            return;
        };
        self.status = Some(match flow {
            Ok(status) => status.code(),
            Err(_) => 1,
        });
        if self.shell.state == State::Persistent && flow.is_ok() {
            self.shell.interp = *interp;
        }
        self.background_from = self.kernel.meter().usage().steps;
    }

    fn finish(&mut self, halt: Option<Halt>) -> Outcome {
        self.kernel.drop_all_tasks();
        let usage = self.kernel.meter().usage();
        let mut collected = kernel::lock(&self.collected);
        let mut status = self.status.unwrap_or(1);
        if let Some(halt) = halt {
            status = halt.status();
            let message = format!("exuvia: {halt}\n").into_bytes();
            match &mut collected.events {
                Some(events) => events.push(Event::Stderr(message)),
                None => collected.stderr.extend_from_slice(&message),
            }
        }
        let (stdout, stderr) = (
            std::mem::take(&mut collected.stdout),
            std::mem::take(&mut collected.stderr),
        );
        Outcome {
            status,
            stdout,
            stderr,
            usage,
            halt,
        }
    }
}

/// Makes a copy of the shell's state ready to run.
fn prepare(interp: &mut Interp, run: &Run, kernel: &Kernel, collected: &Arc<Mutex<Collected>>, state: State) {
    let sink = |error| -> Arc<dyn HostSink> {
        Arc::new(Sink {
            collected: Arc::clone(collected),
            error,
        })
    };
    let stdin = match &run.stdin {
        Stdin::Empty => File::device(kernel, crate::fs::Device::Null, crate::fs::OpenFlags::READ),
        Stdin::Bytes(bytes) => File::bytes(kernel, Arc::clone(bytes)),
        Stdin::Host(source) => File::source(kernel, Arc::clone(source)),
    };
    let standard = [
        Arc::new(stdin),
        Arc::new(File::sink(kernel, sink(false))),
        Arc::new(File::sink(kernel, sink(true))),
    ];
    for (fd, file) in (0..).zip(standard) {
        let _ = interp.proc.fds.set(fd, file, u32::MAX);
    }
    let signals: Arc<SignalState> = Arc::clone(&interp.proc.signals);
    kernel.enter_process(interp.proc.pid, interp.proc.parent, signals);
    for (name, value) in &run.env {
        interp.vars.set_exported(name, value.clone());
    }
    if let Some(cwd) = &run.cwd {
        interp.proc.cwd = cwd.as_slice().into();
        interp.vars.set_exported(b"PWD", cwd.clone());
    }
    if run.trace {
        interp.options.set(interp::Set::Xtrace, true);
    }
    interp.zero = run.zero.as_deref().unwrap_or(b"bash").into();
    if !run.args.is_empty() || state == State::Fresh {
        interp.set_positional(run.args.iter().cloned());
    }
    interp.restart_clock();
}

/// The script itself has ended: from now on time that is over ends background commands without a word.
fn leave_background(kernel: &Kernel) {
    let horizon = kernel::after(kernel.now(), BACKGROUND_TIME);
    let deadline = kernel.deadline().unwrap_or(horizon);
    kernel.set_deadline(None);
    kernel.set_horizon(Some(horizon.min(deadline)));
}

impl Future for Execution<'_> {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Outcome> {
        let this = &mut *self;
        let left = this.time_left();
        let progress = this
            .kernel
            .run_tasks(cx, if left.is_some() { TIMED_SLICE } else { SLICE });
        *kernel::lock(&this.sleeping) = None;
        if this.status.is_none() {
            this.settle();
        }
        let halt = this.kernel.meter().halted();
        if halt.is_some() && this.status.is_none() {
            return Poll::Ready(this.finish(halt));
        }
        let spent =
            this.kernel.meter().usage().steps - this.background_from.min(this.kernel.meter().usage().steps);
        let over = this.status.is_some() && spent > BACKGROUND_STEPS;
        match progress {
            Progress::Idle => Poll::Ready(this.finish(halt)),
            Progress::Halted => Poll::Ready(this.finish(halt)),
            Progress::Pending | Progress::Sleeping(_)
                if this.status.is_some() && !this.kernel.awaits_host() =>
            {
                Poll::Ready(this.finish(None))
            }
            _ if over => Poll::Ready(this.finish(None)),
            Progress::Yielded => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            Progress::Sleeping(at) => {
                this.sleep(Some(at), left);
                Poll::Pending
            }
            Progress::Pending if this.kernel.awaits_host() => {
                this.sleep(None, left);
                Poll::Pending
            }
            Progress::Pending => {
                this.kernel.meter().stop(Halt::Deadlock);
                Poll::Ready(this.finish(Some(Halt::Deadlock)))
            }
        }
    }
}

impl Drop for Execution<'_> {
    fn drop(&mut self) {
        self.kernel.drop_all_tasks();
        self.kernel.set_horizon(None);
        self.kernel.set_deadline(None);
    }
}
