//! The one meter: every limit and every counter of a run.
//!
//! Work is charged at choke points (a statement, a field, bytes through a descriptor, a file-system call, the growth of
//! a collected buffer, a task, a pattern step). The unit, a step, is what about ten nanoseconds of a processor do, so that the limit on steps
//! bounds the time of a run, whatever it does: see [`cost`]. Where the true cost depends on the input, so does the charge. The first [`Halt`] poisons the meter: the scheduler runs no task
//! any more, so no `|| true` and no trap can see it. Counters are atomics only so that a run can move between
//! threads; they are never contended, and are updated by load and store.
//!
//! Tests: `tests/limits.rs`.

use std::fmt;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a run may use. Every value is a hard bound; ordinary work stays far below the defaults.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Units of work, each about ten nanoseconds of a processor: 10 for a statement, 150 for a process, 1 for 128 bytes moved.
    pub steps: u64,
    /// Bytes written to the run's standard output and standard error together.
    pub output_bytes: u64,
    /// Bytes held at one time in variables, buffers and pipes.
    pub memory_bytes: u64,
    /// Depth of function calls, `eval`, `source`, subshells and substitutions.
    pub depth: u32,
    /// Processes alive at one time.
    pub processes: u32,
    /// Descriptors open in one process (`ulimit -n`).
    pub open_files: u32,
    /// Bytes of one pipe's buffer.
    pub pipe_bytes: u32,
    /// Wall-clock time of the run, by the host's clock; looked at whenever the run is polled, which it asks for often enough
    /// while it works. A host with an executor of its own sets a timer to poll a run that sleeps. `None`: no bound.
    pub wall_clock: Option<Duration>,
    /// Time of the run by its own clock, which a virtual one spends on sleeping and on work. Ends the run as `wall_clock` does, and at the
    /// same place each time. Background commands that outlive the script end then too, without a word. `None`: no bound.
    pub time: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            steps: 100_000_000,
            output_bytes: 64 << 20,
            memory_bytes: 512 << 20,
            depth: 10_000,
            processes: 1_024,
            open_files: 1_024,
            pipe_bytes: 64 << 10,
            wall_clock: None,
            time: None,
        }
    }
}

/// Why a run was ended from outside the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Halt {
    /// [`Limits::steps`] are used up.
    Steps = 1,
    /// [`Limits::output_bytes`] are written.
    Output,
    /// [`Limits::memory_bytes`] would be exceeded.
    Memory,
    /// [`Limits::depth`] is reached.
    Depth,
    /// [`Limits::processes`] are alive.
    Processes,
    /// [`Limits::wall_clock`] or [`Limits::time`] has passed.
    WallClock,
    /// The host cancelled the run.
    Cancelled,
    /// Every task waits for another one: nothing can happen any more.
    Deadlock,
}

impl Halt {
    const ALL: [Halt; 8] = [
        Halt::Steps,
        Halt::Output,
        Halt::Memory,
        Halt::Depth,
        Halt::Processes,
        Halt::WallClock,
        Halt::Cancelled,
        Halt::Deadlock,
    ];

    fn from_code(code: u8) -> Option<Halt> {
        code.checked_sub(1)
            .and_then(|i| Halt::ALL.get(usize::from(i)).copied())
    }

    /// The exit status a halted run reports: 124 when time ran out, 130 when cancelled, else 137.
    pub const fn status(self) -> i32 {
        match self {
            Halt::WallClock => 124,
            Halt::Cancelled => 130,
            _ => 137,
        }
    }
}

impl fmt::Display for Halt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Halt::Steps => "step limit reached",
            Halt::Output => "output limit reached",
            Halt::Memory => "memory limit reached",
            Halt::Depth => "recursion limit reached",
            Halt::Processes => "process limit reached",
            Halt::WallClock => "time limit reached",
            Halt::Cancelled => "cancelled",
            Halt::Deadlock => "deadlock: every process waits for another one",
        })
    }
}

impl std::error::Error for Halt {}

/// What a run used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Usage {
    /// Units of work; the same script, files and seed always give the same number.
    pub steps: u64,
    /// The most bytes held at one time.
    pub peak_bytes: u64,
    /// Bytes written to the run's standard output and error.
    pub output_bytes: u64,
    /// Processes started.
    pub processes: u64,
}

/// What frequent work costs, in steps.
pub mod cost {
    /// A statement: a simple command, a turn of a loop.
    pub const STATEMENT: u64 = 10;
    /// A field of a command that had to be expanded.
    pub const FIELD: u64 = 3;
    /// Calling a function.
    pub const FUNCTION: u64 = 15;
    /// A new process.
    pub const PROCESS: u64 = 150;
    /// Finding out what a file is that a process is to run.
    pub const PROGRAM: u64 = 150;
    /// A shell comes to life.
    pub const SHELL: u64 = 400;
    /// A redirection.
    pub const REDIRECTION: u64 = 40;
    /// A command, a call, or a turn of a loop in a language of a program's own (awk, sed).
    pub const TURN: u64 = 5;
    /// A line that a program reads and works on.
    pub const LINE: u64 = 4;
    /// A system call on a path.
    pub const PATH: u64 = 20;
    /// A read or write, beside the bytes.
    pub const TRANSFER: u64 = 4;
    /// Matching a pattern, beside the bytes.
    pub const MATCH: u64 = 4;
}

/// Units a task may use before it lets others run.
const SLICE: u64 = 2_048;

/// Bytes that are moved in a step.
const BYTES: u64 = 128;

/// The meter of one run.
#[derive(Debug)]
pub struct Meter {
    limits: Mutex<Limits>,
    step_limit: AtomicU64,
    output_limit: AtomicU64,
    memory_limit: AtomicU64,
    depth_limit: AtomicU64,
    process_limit: AtomicU64,
    steps: AtomicU64,
    slice_end: AtomicU64,
    output: AtomicU64,
    held: AtomicU64,
    peak: AtomicU64,
    alive: AtomicU64,
    started: AtomicU64,
    halt: AtomicU8,
}

impl Meter {
    /// A fresh meter.
    pub fn new(limits: Limits) -> Self {
        Meter {
            step_limit: AtomicU64::new(limits.steps),
            output_limit: AtomicU64::new(limits.output_bytes),
            memory_limit: AtomicU64::new(limits.memory_bytes),
            depth_limit: AtomicU64::new(u64::from(limits.depth)),
            process_limit: AtomicU64::new(u64::from(limits.processes)),
            limits: Mutex::new(limits),
            steps: AtomicU64::new(0),
            slice_end: AtomicU64::new(SLICE),
            output: AtomicU64::new(0),
            held: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            alive: AtomicU64::new(0),
            started: AtomicU64::new(0),
            halt: AtomicU8::new(0),
        }
    }

    /// Starts the count of a new run. Bytes held stay held: variables outlive runs.
    pub fn restart(&self, limits: Limits) {
        self.step_limit.store(limits.steps, Relaxed);
        self.output_limit.store(limits.output_bytes, Relaxed);
        self.memory_limit.store(limits.memory_bytes, Relaxed);
        self.depth_limit.store(u64::from(limits.depth), Relaxed);
        self.process_limit.store(u64::from(limits.processes), Relaxed);
        *super::lock(&self.limits) = limits;
        for counter in [
            &self.steps,
            &self.slice_end,
            &self.output,
            &self.alive,
            &self.started,
        ] {
            counter.store(0, Relaxed);
        }
        self.peak.store(self.held.load(Relaxed), Relaxed);
        self.halt.store(0, Relaxed);
    }

    /// [`Limits::depth`] in force.
    #[inline]
    pub fn depth_limit(&self) -> u32 {
        self.depth_limit.load(Relaxed) as u32
    }

    /// [`Limits::memory_bytes`] in force.
    #[inline]
    pub fn memory_limit(&self) -> u64 {
        self.memory_limit.load(Relaxed)
    }

    /// The limits in force.
    pub fn limits(&self) -> Limits {
        super::lock(&self.limits).clone()
    }

    /// Charges `units` of work.
    #[inline]
    pub fn charge(&self, units: u64) -> Result<(), Halt> {
        let steps = self.steps.load(Relaxed).saturating_add(units);
        self.steps.store(steps, Relaxed);
        if steps > self.step_limit.load(Relaxed) || self.halt.load(Relaxed) != 0 {
            return Err(self.halt_or(Halt::Steps));
        }
        Ok(())
    }

    /// One level of recursion more: [`Halt::Depth`] where the host's stack has no room for it.
    pub fn nest(&self) -> Result<(), Halt> {
        if crate::stack::is_low() {
            return Err(self.halt_or(Halt::Depth));
        }
        Ok(())
    }

    /// Charges for moving `bytes`.
    #[inline]
    pub fn charge_bytes(&self, bytes: usize) -> Result<(), Halt> {
        self.charge(bytes as u64 / BYTES + cost::TRANSFER)
    }

    /// The current task has used its slice.
    #[inline]
    pub fn slice_spent(&self) -> bool {
        self.steps.load(Relaxed) >= self.slice_end.load(Relaxed)
    }

    pub(super) fn start_slice(&self) {
        self.slice_end.store(self.steps.load(Relaxed) + SLICE, Relaxed);
    }

    /// Charges bytes of the run's own output; says how many of them may still be written.
    pub fn charge_output(&self, bytes: usize) -> usize {
        let before = self.output.load(Relaxed);
        let allowed = (bytes as u64).min(self.output_limit.load(Relaxed).saturating_sub(before));
        self.output.store(before + allowed, Relaxed);
        if allowed < bytes as u64 {
            self.stop(Halt::Output);
        }
        allowed as usize
    }

    /// Adds to the bytes held; the twin of [`Meter::release`]. Prefer a [`Lease`].
    #[inline]
    pub fn hold(&self, bytes: u64) -> Result<(), Halt> {
        let held = self.held.load(Relaxed).saturating_add(bytes);
        if held > self.memory_limit.load(Relaxed) {
            return Err(self.halt_or(Halt::Memory));
        }
        self.held.store(held, Relaxed);
        if held > self.peak.load(Relaxed) {
            self.peak.store(held, Relaxed);
        }
        Ok(())
    }

    /// Adds to the bytes held, even when that is too much: then the run ends at its next charge. For what is already there.
    #[inline]
    pub fn hold_anyway(&self, bytes: u64) {
        if self.hold(bytes).is_err() {
            self.held
                .store(self.held.load(Relaxed).saturating_add(bytes), Relaxed);
        }
    }

    /// Gives bytes back.
    #[inline]
    pub fn release(&self, bytes: u64) {
        self.held
            .store(self.held.load(Relaxed).saturating_sub(bytes), Relaxed);
    }

    /// Would `bytes` more fit? Halts when they would not: to be asked before a large allocation.
    pub fn check_memory(&self, bytes: u64) -> Result<(), Halt> {
        if self.held.load(Relaxed).saturating_add(bytes) > self.memory_limit.load(Relaxed) {
            return Err(self.halt_or(Halt::Memory));
        }
        Ok(())
    }

    /// Bytes that may still be held.
    pub fn free_bytes(&self) -> usize {
        let free = self
            .memory_limit
            .load(Relaxed)
            .saturating_sub(self.held.load(Relaxed));
        usize::try_from(free).unwrap_or(usize::MAX)
    }

    pub(super) fn process_started(&self) -> Result<(), Halt> {
        let alive = self.alive.load(Relaxed) + 1;
        if alive > self.process_limit.load(Relaxed) {
            return Err(self.halt_or(Halt::Processes));
        }
        self.alive.store(alive, Relaxed);
        self.started.store(self.started.load(Relaxed) + 1, Relaxed);
        Ok(())
    }

    pub(super) fn process_ended(&self) {
        self.alive
            .store(self.alive.load(Relaxed).saturating_sub(1), Relaxed);
    }

    /// Ends the run. The first reason wins.
    pub fn stop(&self, halt: Halt) {
        if self.halt.load(Relaxed) == 0 {
            self.halt.store(halt as u8, Relaxed);
        }
    }

    fn halt_or(&self, halt: Halt) -> Halt {
        self.stop(halt);
        self.halted().unwrap_or(halt)
    }

    /// Why the run was ended, if it was.
    pub fn halted(&self) -> Option<Halt> {
        Halt::from_code(self.halt.load(Relaxed))
    }

    /// What has been used so far.
    pub fn usage(&self) -> Usage {
        Usage {
            steps: self.steps.load(Relaxed),
            peak_bytes: self.peak.load(Relaxed),
            output_bytes: self.output.load(Relaxed),
            processes: self.started.load(Relaxed),
        }
    }
}

/// Bytes held on a meter for as long as this lives.
#[derive(Debug)]
pub struct Lease {
    meter: Arc<Meter>,
    bytes: u64,
}

impl Lease {
    /// An empty lease.
    pub fn new(meter: Arc<Meter>) -> Self {
        Lease { meter, bytes: 0 }
    }

    /// Holds `bytes` more.
    pub fn grow(&mut self, bytes: usize) -> Result<(), Halt> {
        self.meter.hold(bytes as u64)?;
        self.bytes += bytes as u64;
        Ok(())
    }

    /// Holds exactly `bytes`.
    pub fn resize(&mut self, bytes: usize) -> Result<(), Halt> {
        let bytes = bytes as u64;
        if bytes > self.bytes {
            self.meter.hold(bytes - self.bytes)?;
        } else {
            self.meter.release(self.bytes - bytes);
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Holds exactly `bytes`, even when that is too much: then the run ends at its next charge.
    #[inline]
    pub fn set(&mut self, bytes: usize) {
        let bytes = bytes as u64;
        if bytes > self.bytes {
            self.meter.hold_anyway(bytes - self.bytes);
        } else {
            self.meter.release(self.bytes - bytes);
        }
        self.bytes = bytes;
    }

    /// Both are on the same meter.
    #[inline]
    pub fn is_sibling(&self, other: &Lease) -> bool {
        Arc::ptr_eq(&self.meter, &other.meter)
    }

    /// An empty lease on the same meter.
    #[must_use]
    pub fn sibling(&self) -> Lease {
        Lease::new(Arc::clone(&self.meter))
    }

    /// Charges work where no error can be handed on: what is too much ends the run at its next charge.
    #[inline]
    pub fn pay(&self, units: u64) {
        let _ = self.meter.charge(units);
    }

    /// Bytes held.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// A text that is kept in a table of its own (an alias, a trap, a remembered path), with its share of the run's memory.
#[derive(Debug, Clone)]
pub struct Held {
    bytes: Vec<u8>,
    _lease: Lease,
}

impl Held {
    /// Bytes that the place in a table costs beside the text.
    const ENTRY: usize = 128;

    /// Keeps `bytes`; too much ends the run at its next charge. `key` is what else is kept for it.
    pub fn new(bytes: Vec<u8>, key: usize, mut lease: Lease) -> Self {
        lease.set(bytes.capacity() + key + Self::ENTRY);
        Held { bytes, _lease: lease }
    }
}

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Held {}

impl std::ops::Deref for Held {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

/// The copy of what is held is held as well, and the copying is paid for: one that is too much ends the run at its next charge.
impl Clone for Lease {
    fn clone(&self) -> Self {
        self.meter.hold_anyway(self.bytes);
        self.pay(self.bytes / 128 + 4);
        Lease {
            meter: Arc::clone(&self.meter),
            bytes: self.bytes,
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.meter.release(self.bytes);
    }
}
