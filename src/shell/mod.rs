//! The face that hosts use: [`Shell`], [`ShellBuilder`], [`Run`], [`Execution`].
//!
//! A shell holds a file tree and the state of one interpreter. A run works on a copy of that state (copying is cheap); the copy becomes the
//! state when the run ends well, unless the shell was built for fresh runs. So a run that is cancelled, or met a limit,
//! leaves variables as they were, and files as the script left them.
//!
//! This is the only module that knows the tables of builtins and programs.

mod builder;
mod execution;
mod output;
mod programs;
mod run;

use std::pin::Pin;
use std::sync::Arc;

pub use builder::ShellBuilder;
pub use execution::Execution;
pub use run::Run;

use crate::builtin::BUILTINS;
use crate::error::Error;
use crate::fs::{Fs, View};
use crate::host::{block_on, system_time};
use crate::interp::Interp;
use crate::kernel::{self, Fds, Limits};
use crate::outcome::{Event, Outcome};
use crate::snapshot::Snapshot;

/// Whether variables, functions and options last from run to run. Files always do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum State {
    /// They last: runs are lines typed into one shell.
    #[default]
    Persistent,
    /// Each run is a new `bash`.
    Fresh,
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

    /// How the next run would look at the tree: as which user, from where, and when.
    pub fn view(&self) -> View<'_> {
        self.interp.proc.view()
    }

    /// Lets virtual time go on to that of the host, if it is behind: for shells that live long between runs.
    pub fn catch_up(&self) {
        let kernel = &self.interp.proc.kernel;
        let now = system_time();
        if kernel.now() < now {
            kernel.advance_to(now);
        }
    }

    /// What each run may use.
    pub fn limits(&self) -> &Limits {
        &self.limits
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
        proc.environment = crate::kernel::Environment::default();
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
