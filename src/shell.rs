//! The face that hosts use: [`Shell`], [`ShellBuilder`], [`Run`], [`Execution`].
//!
//! A shell holds a file tree and the state of one interpreter. A run works on a copy of that state (copying is cheap); the copy becomes the
//! state when the run ends well, unless the shell was built for fresh runs. So a run that is cancelled, or met a limit,
//! leaves variables as they were, and files as the script left them.
//!
//! This is the only module that knows the tables of builtins and programs.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use crate::builtin::BUILTINS;
use crate::error::Error;
use crate::fs::{Credentials, FileSystem, Fs, Quota, Timestamp, View, base_fs};
use crate::host::{HostProgram, Stopwatch, block_on, system_time};
use crate::interp::{self, Interp, Start};
use crate::kernel::{
    self, Clock, Fds, File, Halt, HostSink, HostSource, Kernel, Limits, Loader, Pid, Proc, ProgramFuture,
    Progress, SignalState, WaitStatus,
};
use crate::outcome::{Event, Outcome};
use crate::program;
use crate::snapshot::Snapshot;

/// The directory a shell starts in.
const WORKSPACE: &[u8] = b"/workspace";

/// The first process number.
const FIRST_PID: Pid = 1000;

/// How long virtual time may go on for background commands after the script has ended.
const BACKGROUND_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// Units of work after which a run gives way to its host's executor.
const SLICE: u64 = 1 << 20;

/// The same, when the host's clock is to be looked at in between.
const TIMED_SLICE: u64 = 1 << 13;

/// Units of work that background commands may use after the script has ended.
const BACKGROUND_STEPS: u64 = 5_000_000;

/// What a run is given: a script, and what it sees as arguments, input, environment and directory.
///
/// ```
/// use exuvia::{Run, Shell};
///
/// let run = Run::command("echo \"$0 $1 $PWD $TEAM\"; tr a-z A-Z")
///     .zero("greet")
///     .args(["ada"])
///     .env("TEAM", "blue")
///     .cwd("/tmp")
///     .stdin("text\n");
/// let outcome = Shell::new().execute(run);
/// assert_eq!(outcome.stdout, b"greet ada /tmp blue\nTEXT\n");
/// ```
#[derive(Clone, Default)]
pub struct Run {
    start: Option<Start>,
    args: Vec<Vec<u8>>,
    zero: Option<Vec<u8>>,
    stdin: Stdin,
    env: Vec<(Vec<u8>, Vec<u8>)>,
    cwd: Option<Vec<u8>>,
    limits: Option<Limits>,
    trace: bool,
}

#[derive(Clone, Default)]
enum Stdin {
    #[default]
    Empty,
    Bytes(Arc<[u8]>),
    Host(Arc<dyn HostSource>),
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run")
            .field("start", &self.start)
            .field("args", &self.args)
            .finish_non_exhaustive()
    }
}

impl Run {
    /// Runs a text, as `bash -c` does.
    pub fn command(text: impl AsRef<[u8]>) -> Run {
        Run {
            start: Some(Start::Command(text.as_ref().to_vec())),
            ..Run::default()
        }
    }

    /// Runs a script file of the tree.
    pub fn file(path: impl AsRef<[u8]>) -> Run {
        let path = path.as_ref().to_vec();
        Run {
            zero: Some(path.clone()),
            start: Some(Start::File(path)),
            ..Run::default()
        }
    }

    /// Reads the script from standard input, as `bash -s` does.
    pub fn stdin_script() -> Run {
        Run {
            start: Some(Start::Stdin),
            ..Run::default()
        }
    }

    /// Runs a text as the script file `name`, which need not exist.
    pub fn script(text: impl AsRef<[u8]>, name: impl AsRef<[u8]>) -> Run {
        let (text, name) = (text.as_ref().to_vec(), name.as_ref().to_vec());
        Run {
            start: Some(Start::Script {
                text,
                name: name.clone(),
            }),
            zero: Some(name),
            ..Run::default()
        }
    }

    /// Traces commands, as `set -x` does.
    #[must_use]
    pub fn trace(mut self) -> Run {
        self.trace = true;
        self
    }

    /// Positional parameters.
    #[must_use]
    pub fn args<A: AsRef<[u8]>>(mut self, args: impl IntoIterator<Item = A>) -> Run {
        self.args = args.into_iter().map(|arg| arg.as_ref().to_vec()).collect();
        self
    }

    /// `$0`
    #[must_use]
    pub fn zero(mut self, name: impl AsRef<[u8]>) -> Run {
        self.zero = Some(name.as_ref().to_vec());
        self
    }

    /// Standard input; empty otherwise.
    #[must_use]
    pub fn stdin(mut self, bytes: impl AsRef<[u8]>) -> Run {
        self.stdin = Stdin::Bytes(bytes.as_ref().into());
        self
    }

    /// Standard input from the host, read as it is needed.
    #[must_use]
    pub fn stdin_from(mut self, source: Arc<dyn HostSource>) -> Run {
        self.stdin = Stdin::Host(source);
        self
    }

    /// An exported variable for this run.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Run {
        self.env.push((name.as_ref().to_vec(), value.as_ref().to_vec()));
        self
    }

    /// The working directory of this run, absolute.
    #[must_use]
    pub fn cwd(mut self, path: impl AsRef<[u8]>) -> Run {
        self.cwd = Some(path.as_ref().to_vec());
        self
    }

    /// Limits of this run instead of the shell's.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Run {
        self.limits = Some(limits);
        self
    }
}

/// Whether variables, functions and options last from run to run. Files always do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum State {
    /// They last: runs are lines typed into one shell.
    #[default]
    Persistent,
    /// Each run is a new `bash`.
    Fresh,
}

/// Collects what a [`Shell`] is made of.
///
/// ```
/// use exuvia::kernel::{Halt, Limits};
/// use exuvia::{Shell, State};
///
/// let mut shell = Shell::builder()
///     .file("/workspace/list", "b\na\n")
///     .file_mode("/usr/local/bin/hello", "#!/bin/bash\necho hello $1\n", 0o755)
///     .env("WHO", "world")
///     .limits(Limits { steps: 10_000, ..Limits::default() })
///     .state(State::Fresh)
///     .build()?;
/// assert_eq!(shell.run("hello $WHO; tac list; WHO=lost").stdout, b"hello world\na\nb\n");
/// assert_eq!(shell.run("echo $WHO").stdout, b"world\n");
/// assert_eq!(shell.run("while true; do true; done").halt, Some(Halt::Steps));
/// # Ok::<(), exuvia::Error>(())
/// ```
pub struct ShellBuilder {
    files: Vec<(Vec<u8>, Vec<u8>, u32)>,
    mounts: Vec<(Vec<u8>, Arc<dyn FileSystem>)>,
    env: Vec<(Vec<u8>, Vec<u8>)>,
    user: Credentials,
    hostname: Option<Vec<u8>>,
    limits: Limits,
    quota: Quota,
    clock: Option<Clock>,
    seed: u64,
    state: State,
    cwd: Vec<u8>,
    programs: BTreeMap<String, Arc<dyn HostProgram>>,
}

impl std::fmt::Debug for ShellBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShellBuilder")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl Default for ShellBuilder {
    fn default() -> Self {
        let env = [
            ("HOME", "/workspace"),
            ("LANG", "C.UTF-8"),
            ("PATH", "/usr/local/bin:/usr/bin:/bin"),
            ("TERM", "dumb"),
            ("USER", "user"),
        ];
        ShellBuilder {
            files: Vec::new(),
            mounts: Vec::new(),
            env: env.map(|(name, value)| (name.into(), value.into())).to_vec(),
            user: Credentials { uid: 1000, gid: 1000 },
            hostname: None,
            limits: Limits::default(),
            quota: Quota {
                bytes: 1 << 30,
                ..Quota::default()
            },
            clock: None,
            seed: 0,
            state: State::default(),
            cwd: WORKSPACE.to_vec(),
            programs: BTreeMap::new(),
        }
    }
}

impl ShellBuilder {
    /// Puts a file into the tree, mode 644; parents are made.
    #[must_use]
    pub fn file(self, path: impl AsRef<[u8]>, contents: impl AsRef<[u8]>) -> Self {
        self.file_mode(path, contents, 0o644)
    }

    /// Puts a file of a mode into the tree; parents are made.
    #[must_use]
    pub fn file_mode(mut self, path: impl AsRef<[u8]>, contents: impl AsRef<[u8]>, mode: u32) -> Self {
        self.files
            .push((path.as_ref().to_vec(), contents.as_ref().to_vec(), mode));
        self
    }

    /// Mounts a tree at a directory, which is made when it is not there.
    #[must_use]
    pub fn mount(mut self, at: impl AsRef<[u8]>, tree: Arc<dyn FileSystem>) -> Self {
        self.mounts.push((at.as_ref().to_vec(), tree));
        self
    }

    /// An exported variable; replaces an earlier one of the same name.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Self {
        let name = name.as_ref().to_vec();
        self.env.retain(|(old, _)| *old != name);
        self.env.push((name, value.as_ref().to_vec()));
        self
    }

    /// Starts without any exported variable.
    #[must_use]
    pub fn env_clear(mut self) -> Self {
        self.env.clear();
        self
    }

    /// Who processes run as: 0 passes permission checks; the default is 1000.
    #[must_use]
    pub fn user(mut self, uid: u32, gid: u32) -> Self {
        self.user = Credentials { uid, gid };
        self
    }

    /// `HOSTNAME`, and what `hostname` prints.
    #[must_use]
    pub fn hostname(mut self, name: impl AsRef<[u8]>) -> Self {
        self.hostname = Some(name.as_ref().to_vec());
        self
    }

    /// What each run may use.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Bytes and nodes that the tree may hold; 1 GiB otherwise.
    #[must_use]
    pub fn quota(mut self, quota: Quota) -> Self {
        self.quota = quota;
        self
    }

    /// How time passes; otherwise virtual from the host's time.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Where randomness starts. The same script, files, clock and seed give the same bytes.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Whether state lasts from run to run.
    #[must_use]
    pub fn state(mut self, state: State) -> Self {
        self.state = state;
        self
    }

    /// The working directory; made when it is not there.
    #[must_use]
    pub fn cwd(mut self, path: impl AsRef<[u8]>) -> Self {
        self.cwd = path.as_ref().to_vec();
        self
    }

    /// Adds a program of the host to `/usr/bin`, in place of one of the same name.
    #[must_use]
    pub fn program(mut self, name: impl Into<String>, program: Arc<dyn HostProgram>) -> Self {
        self.programs.insert(name.into(), program);
        self
    }

    /// Builds the shell.
    ///
    /// # Errors
    /// [`Error::File`] when a file or mount cannot be made.
    pub fn build(self) -> Result<Shell, Error> {
        let fs = self.tree()?;
        let now = system_time();
        let clock = self.clock.unwrap_or(Clock::Virtual { start: now });
        let loader = Arc::new(Programs { host: self.programs });
        let kernel = Kernel::new(self.limits.clone(), clock, self.seed, FIRST_PID, loader);
        let mut proc = Proc::new(kernel, fs, FIRST_PID, Fds::default(), self.user);
        proc.cwd = self.cwd.into();
        proc.environment = Arc::new(self.env);
        let interp = Interp::new(proc, BUILTINS);
        Ok(Shell {
            interp,
            limits: self.limits,
            state: self.state,
        })
    }

    fn tree(&self) -> Result<Fs, Error> {
        let fs = if self.programs.is_empty() {
            base_fs(program_names(), self.quota)
        } else {
            let names: Vec<&str> = program_names()
                .iter()
                .copied()
                .chain(self.programs.keys().map(String::as_str))
                .collect();
            base_fs(&names, self.quota)
        };
        let fs = fs.map_err(|errno| Error::File(b"/".to_vec(), errno))?;
        let now = system_time();
        let root = View {
            now,
            umask: 0o022,
            ..View::ROOT
        };
        let user = View {
            user: self.user,
            ..root
        };
        let failed = |path: &[u8]| {
            let path = path.to_vec();
            move |errno| Error::File(path, errno)
        };
        for (at, tree) in &self.mounts {
            let placeholder = [at.as_slice(), b"/."].concat();
            fs.write_with_parents(&root, &placeholder, b"").ok();
            fs.mount(at, Arc::clone(tree)).map_err(failed(at))?;
        }
        if let Some(name) = &self.hostname {
            fs.write(&root, b"/etc/hostname", &[name.as_slice(), b"\n"].concat())
                .map_err(failed(b"/etc/hostname"))?;
        }
        for (path, contents, mode) in &self.files {
            fs.write_with_parents(&user, path, contents)
                .or_else(|_| fs.write_with_parents(&root, path, contents))
                .and_then(|()| fs.set_mode(&root, path, *mode, crate::fs::Follow::Yes))
                .map_err(failed(path))?;
        }
        Ok(fs)
    }
}

/// Names of all programs, `bash` and `sh` with them.
fn program_names() -> &'static [&'static str] {
    static NAMES: OnceLock<Vec<&'static str>> = OnceLock::new();
    NAMES.get_or_init(|| {
        program::PROGRAMS
            .iter()
            .map(|program| program.name)
            .chain(["bash", "sh"])
            .collect()
    })
}

/// The programs of a shell: the host's, then the table, then the shell itself.
struct Programs {
    host: BTreeMap<String, Arc<dyn HostProgram>>,
}

impl Loader for Programs {
    fn start<'a>(&self, name: &[u8], proc: &'a mut Proc) -> Option<ProgramFuture<'a>> {
        if !self.host.is_empty()
            && let Ok(text) = std::str::from_utf8(name)
            && let Some(program) = self.host.get(text).cloned()
        {
            return Some(Box::pin(async move { program.run(proc).await }));
        }
        if let Some(program) = program::find(name) {
            return Some((program.run)(proc));
        }
        matches!(name, b"bash" | b"sh")
            .then(|| -> ProgramFuture<'a> { Box::pin(interp::bash(proc, BUILTINS)) })
    }

    fn needs_task(&self, name: &[u8]) -> bool {
        program::runs_others(name) || self.host.keys().any(|host| host.as_bytes() == name)
    }
}

/// A shell: a file tree, and the state of an interpreter.
///
/// ```
/// let mut shell = exuvia::Shell::new();
/// let outcome = shell.run("x=world; echo hello $x | tr a-z A-Z");
/// assert_eq!(outcome.stdout, b"HELLO WORLD\n");
/// assert_eq!(outcome.status, 0);
/// ```
pub struct Shell {
    interp: Interp,
    limits: Limits,
    state: State,
}

impl std::fmt::Debug for Shell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shell")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

impl Default for Shell {
    fn default() -> Self {
        Shell::new()
    }
}

impl Shell {
    /// A shell with all defaults: an empty `/workspace`, virtual time, state that lasts.
    ///
    /// # Panics
    /// Never: the default tree is built from constants.
    #[allow(clippy::missing_panics_doc, clippy::expect_used)]
    pub fn new() -> Shell {
        ShellBuilder::default()
            .build()
            .expect("the default tree fits its quota")
    }

    /// A builder with the defaults.
    pub fn builder() -> ShellBuilder {
        ShellBuilder::default()
    }

    /// The file tree.
    pub fn fs(&self) -> &Fs {
        &self.interp.proc.fs
    }

    /// The working directory of the next run.
    pub fn cwd(&self) -> &[u8] {
        &self.interp.proc.cwd
    }

    /// Runs a text to its end, blocking the thread.
    pub fn run(&mut self, script: impl AsRef<[u8]>) -> Outcome {
        self.execute(Run::command(script))
    }

    /// Runs something to its end, blocking the thread.
    pub fn execute(&mut self, run: Run) -> Outcome {
        let kernel = self.interp.proc.kernel.clone();
        let mut execution = self.start(run);
        let until = Arc::clone(&execution.sleeping);
        block_on(Pin::new(&mut execution), || {
            let at = (*kernel::lock(&until))?;
            Some(kernel::between(kernel.now(), at))
        })
    }

    /// Runs something to its end, blocking the thread, and hands output over as it is written. The outcome then holds none.
    pub fn execute_with(&mut self, run: Run, mut output: impl FnMut(Event)) -> Outcome {
        let kernel = self.interp.proc.kernel.clone();
        let mut execution = self.start(run);
        let until = Arc::clone(&execution.sleeping);
        let mut events = execution.take_events();
        let collected = Arc::clone(&execution.collected);
        let mut hand_over = |events: &mut Vec<Event>| events.drain(..).for_each(&mut output);
        hand_over(&mut events);
        let drain = || {
            kernel::lock(&collected)
                .events
                .as_mut()
                .map(std::mem::take)
                .unwrap_or_default()
        };
        let mut execution = Pin::new(&mut execution);
        block_on(
            std::future::poll_fn(|cx| {
                let poll = execution.as_mut().poll(cx);
                hand_over(&mut drain());
                poll
            }),
            || {
                let at = (*kernel::lock(&until))?;
                Some(kernel::between(kernel.now(), at))
            },
        )
    }

    /// Starts something. The future needs no particular executor, gives way after a slice of work, and may be dropped to cancel.
    pub fn start(&mut self, run: Run) -> Execution<'_> {
        Execution::start(self, run)
    }

    /// An independent copy: files and state are shared until one of them changes.
    ///
    /// # Errors
    /// [`Error::File`] when a mounted tree cannot be copied.
    pub fn fork(&self) -> Result<Shell, Error> {
        let fs = self
            .interp
            .proc
            .fs
            .fork()
            .map_err(|errno| Error::File(b"/".to_vec(), errno))?;
        let mut interp = self.interp.clone();
        interp.proc.kernel = self.interp.proc.kernel.fork(self.limits.clone());
        interp.proc.fs = fs;
        let lease = interp.proc.kernel.lease();
        interp.vars.hold(&lease);
        interp.proc.fds = Fds::default();
        Ok(Shell {
            interp,
            limits: self.limits.clone(),
            state: self.state,
        })
    }
}

impl Shell {
    /// Saves files and state.
    ///
    /// # Errors
    /// [`Error::File`] when a mounted tree cannot be saved.
    pub fn snapshot(&self) -> Result<Snapshot, Error> {
        Snapshot::take(&self.interp)
    }

    /// Puts files and state back to what they were when `snapshot` was taken.
    ///
    /// # Errors
    /// [`Error::Snapshot`] when it is of another version, [`Error::File`] when its files cannot be made.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), Error> {
        let fs = snapshot.fs()?;
        let mut proc = self.interp.proc.clone();
        proc.fs = fs;
        proc.cwd = snapshot.cwd().into();
        proc.environment = Arc::default();
        proc.fds = Fds::default();
        let fresh = Interp::new(proc, BUILTINS);
        let state = std::mem::replace(&mut self.state, State::Persistent);
        let old = std::mem::replace(&mut self.interp, fresh);
        let outcome = self.execute(Run::command(snapshot.state()).limits(Limits::default()));
        self.state = state;
        if outcome.status != 0 {
            self.interp = old;
            return Err(Error::Snapshot(
                String::from_utf8_lossy(&outcome.stderr).into_owned(),
            ));
        }
        Ok(())
    }
}

/// Where the output of a run goes until the host takes it.
#[derive(Default)]
struct Collected {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    /// In order, when the host asked for events.
    events: Option<Vec<Event>>,
}

struct Sink {
    collected: Arc<Mutex<Collected>>,
    error: bool,
}

impl HostSink for Sink {
    fn write(&self, data: &[u8]) {
        let mut collected = kernel::lock(&self.collected);
        if let Some(events) = &mut collected.events {
            match (events.last_mut(), self.error) {
                (Some(Event::Stdout(text)), false) | (Some(Event::Stderr(text)), true) => {
                    text.extend_from_slice(data)
                }
                (_, false) => events.push(Event::Stdout(data.to_vec())),
                (_, true) => events.push(Event::Stderr(data.to_vec())),
            }
            return;
        }
        let buffer = if self.error {
            &mut collected.stderr
        } else {
            &mut collected.stdout
        };
        buffer.extend_from_slice(data);
    }
}

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
    collected: Arc<Mutex<Collected>>,
    ended: Ended,
    /// The status, once the script itself has ended and only background commands are left.
    status: Option<i32>,
    background_from: u64,
    sleeping: Arc<Mutex<Option<Timestamp>>>,
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
    fn start(shell: &'s mut Shell, run: Run) -> Execution<'s> {
        let kernel = shell.interp.proc.kernel.clone();
        let limits = run.limits.clone().unwrap_or_else(|| shell.limits.clone());
        let wall_clock = limits.wall_clock.map(|time| (time, Stopwatch::start()));
        kernel.restart(limits);
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
        self.kernel
            .set_horizon(Some(kernel::after(self.kernel.now(), BACKGROUND_TIME)));
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
    }
}
