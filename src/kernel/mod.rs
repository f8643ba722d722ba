//! The simulated operating system: tasks, processes, pipes, descriptors, signals, clock, randomness, and the one meter.
//!
//! Everything here is `Send`: a run may move between threads, but only one thread at a time polls it, so no lock is
//! ever contended. No lock is held over an `.await`; the compiler checks that, because a guard is not `Send`.

mod calls;
mod clock;
mod environment;
mod exec;
mod fd;
mod file;
mod file_test;
mod hook;
mod input;
mod meter;
mod moment;
mod pipe;
mod proc;
mod process;
mod resource;
mod rng;
mod sched;
mod signal;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

pub use clock::{Clock, HostClock, after, between};
pub use environment::Environment;
pub use exec::{Image, Loader, Program, ProgramFn, ProgramFuture};
pub use fd::Fds;
pub use file::{File, HostSink, HostSource};
pub use hook::{Exec, Hooks, Open};
pub use input::Input;
pub use meter::{Halt, Held, Lease, Limits, Meter, Usage, cost};
pub use pipe::{Pipe, PipeReader, PipeWriter};
pub use proc::{Launch, Proc, Stop, WriteFailure};
pub use process::{Pid, WaitStatus};
pub use resource::{Bound, Resource, Resources, UNLIMITED};
pub use rng::Rng;
pub use sched::{Progress, TaskFuture, yield_now};
pub use signal::{Disposition, Signal, SignalState};

use crate::fs::Timestamp;
use crate::net::Network;

/// A future on the heap: only where recursion or a table forces it.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Locks a mutex. Poisoning cannot happen without a panic; if a host's code panics, the data is still sound.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The system that the processes of one shell share; cheap to clone.
#[derive(Clone)]
pub struct Kernel {
    inner: Arc<Inner>,
}

struct Inner {
    meter: Arc<Meter>,
    sched: Mutex<sched::Sched>,
    ready: Arc<sched::Ready>,
    processes: Mutex<process::Processes>,
    clock: Clock,
    /// Nanoseconds that virtual time has jumped.
    jumped: AtomicI64,
    rng: Mutex<Rng>,
    loader: Arc<dyn Loader>,
    hooks: OnceLock<Arc<dyn Hooks>>,
    network: OnceLock<Network>,
    fifos: Mutex<HashMap<(u64, u64), Weak<file::FifoPipe>>>,
    pipe_bytes: AtomicU32,
    files_opened: AtomicU64,
    /// Timers beyond this time do not fire: the script has ended.
    horizon: Mutex<Option<Timestamp>>,
    /// The run is ended at this time; `has_deadline` spares the lock.
    deadline: Mutex<Option<Timestamp>>,
    has_deadline: AtomicBool,
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel")
            .field("clock", &self.inner.clock)
            .finish_non_exhaustive()
    }
}

impl Kernel {
    /// A system without processes.
    pub fn new(limits: Limits, clock: Clock, seed: u64, first_pid: Pid, loader: Arc<dyn Loader>) -> Kernel {
        let pipe_bytes = AtomicU32::new(limits.pipe_bytes);
        Kernel {
            inner: Arc::new(Inner {
                meter: Arc::new(Meter::new(limits)),
                sched: Mutex::default(),
                ready: Arc::default(),
                processes: Mutex::new(process::Processes::new(first_pid)),
                clock,
                jumped: AtomicI64::new(0),
                rng: Mutex::new(Rng::new(seed)),
                loader,
                hooks: OnceLock::new(),
                network: OnceLock::new(),
                fifos: Mutex::default(),
                pipe_bytes,
                files_opened: AtomicU64::new(1),
                horizon: Mutex::default(),
                deadline: Mutex::default(),
                has_deadline: AtomicBool::new(false),
            }),
        }
    }

    /// Starts the count of a new run.
    pub fn restart(&self, limits: Limits) {
        self.inner.pipe_bytes.store(limits.pipe_bytes, Relaxed);
        // Work of the last run stays visible as time that has passed.
        let spent = self.meter().usage().steps;
        self.inner
            .jumped
            .fetch_add((spent * NANOS_PER_STEP) as i64, Relaxed);
        self.inner.meter.restart(limits);
    }

    /// A system like this one, without its processes.
    #[must_use]
    pub fn fork(&self, limits: Limits) -> Kernel {
        let clock = match &self.inner.clock {
            Clock::Virtual { .. } => Clock::Virtual { start: self.now() },
            real @ Clock::Real(_) => real.clone(),
        };
        let next = lock(&self.inner.processes).next_pid();
        let kernel = Kernel::new(limits, clock, self.random(), next, Arc::clone(&self.inner.loader));
        if let Some(hooks) = self.hooks() {
            kernel.set_hooks(Arc::clone(hooks));
        }
        if let Some(network) = self.network() {
            kernel.set_network(network.clone());
        }
        kernel
    }

    /// Asks these before programs run and files are opened, for good: the first call counts.
    pub fn set_hooks(&self, hooks: Arc<dyn Hooks>) {
        let _ = self.inner.hooks.set(hooks);
    }

    /// Lets programs reach a network, for good: the first call counts.
    pub fn set_network(&self, network: Network) {
        let _ = self.inner.network.set(network);
    }

    /// The network, where the host gives one.
    pub fn network(&self) -> Option<&Network> {
        self.inner.network.get()
    }

    fn hooks(&self) -> Option<&Arc<dyn Hooks>> {
        self.inner.hooks.get()
    }

    /// Timers after this time do not fire any more.
    pub fn set_horizon(&self, at: Option<Timestamp>) {
        *lock(&self.inner.horizon) = at;
    }

    /// At this time the run is ended, by [`Halt::WallClock`].
    pub fn set_deadline(&self, at: Option<Timestamp>) {
        self.inner.has_deadline.store(at.is_some(), Relaxed);
        *lock(&self.inner.deadline) = at;
    }

    /// When the run is ended, if it is.
    pub fn deadline(&self) -> Option<Timestamp> {
        if !self.inner.has_deadline.load(Relaxed) {
            return None;
        }
        *lock(&self.inner.deadline)
    }

    /// A host call is in flight.
    pub fn awaits_host(&self) -> bool {
        lock(&self.inner.sched).host_calls > 0
    }

    /// The meter.
    #[inline]
    pub fn meter(&self) -> &Meter {
        &self.inner.meter
    }

    /// A new, empty lease on the meter.
    pub fn lease(&self) -> Lease {
        Lease::new(Arc::clone(&self.inner.meter))
    }

    /// Keeps a text in a table: see [`Held`].
    pub fn held(&self, key: &[u8], bytes: Vec<u8>) -> Held {
        Held::new(bytes, key.len(), self.lease())
    }

    /// The time.
    pub fn now(&self) -> Timestamp {
        match &self.inner.clock {
            Clock::Real(clock) => clock.now(),
            Clock::Virtual { start } => {
                let jumped = u64::try_from(self.inner.jumped.load(Relaxed)).unwrap_or(0);
                let worked = self.meter().usage().steps * NANOS_PER_STEP;
                after(*start, std::time::Duration::from_nanos(jumped + worked))
            }
        }
    }

    /// Virtual time jumps to `at`; real time does not. Says whether `at` has come.
    pub fn advance_to(&self, at: Timestamp) -> bool {
        let now = self.now();
        if now >= at {
            return true;
        }
        if matches!(self.inner.clock, Clock::Real(_)) {
            return false;
        }
        let nanos = i64::try_from(between(now, at).as_nanos()).unwrap_or(i64::MAX / 4);
        let jumped = self.inner.jumped.load(Relaxed).saturating_add(nanos);
        self.inner.jumped.store(jumped, Relaxed);
        // Beyond what nanoseconds in 63 bits can count (292 years), a timer counts as come.
        true
    }

    /// Draws from the run's generator.
    pub fn random(&self) -> u64 {
        lock(&self.inner.rng).next_bits()
    }

    /// Fills `buffer` from the run's generator.
    pub fn fill_random(&self, buffer: &mut [u8]) {
        lock(&self.inner.rng).fill(buffer);
    }

    /// The table of programs.
    pub fn loader(&self) -> &Arc<dyn Loader> {
        &self.inner.loader
    }

    /// A new pipe.
    pub fn pipe(&self) -> (Arc<File>, Arc<File>) {
        let (reader, writer) = Pipe::pair(self.inner.pipe_bytes.load(Relaxed) as usize, self.lease());
        let (reader, writer) = File::pipe_ends(self, reader, writer);
        (Arc::new(reader), Arc::new(writer))
    }

    /// Numbers open files that are in no tree, so that no two pipes pass for the same file.
    fn next_serial(&self) -> u64 {
        self.inner.files_opened.fetch_add(1, Relaxed)
    }

    /// Lets others run when the current task has used its slice. Call at the head of a loop.
    #[inline]
    pub async fn breathe(&self) {
        if self.meter().slice_spent() {
            yield_now().await;
        }
    }
}

/// Virtual time passes by work: a tenth of a microsecond a unit, so about a microsecond a statement.
const NANOS_PER_STEP: u64 = 100;
