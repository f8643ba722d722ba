//! Signals: numbers, names, sentences, and what a process does with them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::task::Waker;

/// A signal number of Linux, 1 to 64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signal(u8);

/// Names of 1 to 31 without `SIG`, and what bash says of a process that the signal ended.
const TABLE: [(&str, &str); 31] = [
    ("HUP", "Hangup"),
    ("INT", "Interrupt"),
    ("QUIT", "Quit"),
    ("ILL", "Illegal instruction"),
    ("TRAP", "Trace/breakpoint trap"),
    ("ABRT", "Aborted"),
    ("BUS", "Bus error"),
    ("FPE", "Floating point exception"),
    ("KILL", "Killed"),
    ("USR1", "User defined signal 1"),
    ("SEGV", "Segmentation fault"),
    ("USR2", "User defined signal 2"),
    ("PIPE", "Broken pipe"),
    ("ALRM", "Alarm clock"),
    ("TERM", "Terminated"),
    ("STKFLT", "Stack fault"),
    ("CHLD", "Child exited"),
    ("CONT", "Continued"),
    ("STOP", "Stopped (signal)"),
    ("TSTP", "Stopped"),
    ("TTIN", "Stopped (tty input)"),
    ("TTOU", "Stopped (tty output)"),
    ("URG", "Urgent I/O condition"),
    ("XCPU", "CPU time limit exceeded"),
    ("XFSZ", "File size limit exceeded"),
    ("VTALRM", "Virtual timer expired"),
    ("PROF", "Profiling timer expired"),
    ("WINCH", "Window changed"),
    ("IO", "I/O possible"),
    ("PWR", "Power failure"),
    ("SYS", "Bad system call"),
];

impl Signal {
    /// Hang-up.
    pub const HUP: Signal = Signal(1);
    /// Interrupt from the keyboard.
    pub const INT: Signal = Signal(2);
    /// Quit from the keyboard.
    pub const QUIT: Signal = Signal(3);
    /// Cannot be caught.
    pub const KILL: Signal = Signal(9);
    /// Write to a pipe without readers.
    pub const PIPE: Signal = Signal(13);
    /// Timer.
    pub const ALRM: Signal = Signal(14);
    /// Polite end.
    pub const TERM: Signal = Signal(15);
    /// A child ended.
    pub const CHLD: Signal = Signal(17);
    /// Go on.
    pub const CONT: Signal = Signal(18);
    /// Cannot be caught.
    pub const STOP: Signal = Signal(19);

    /// By number.
    pub fn from_number(number: i64) -> Option<Signal> {
        match u8::try_from(number) {
            Ok(n @ (1..=31 | 34..=64)) => Some(Signal(n)),
            _ => None,
        }
    }

    /// By name with or without `SIG`, in any case, including `RTMIN+n` and `RTMAX-n`.
    pub fn from_name(name: &[u8]) -> Option<Signal> {
        let upper = name.to_ascii_uppercase();
        let bare = upper.strip_prefix(b"SIG").unwrap_or(&upper);
        match bare {
            b"IOT" => return Some(Signal(6)),
            b"CLD" => return Some(Signal::CHLD),
            b"POLL" => return Some(Signal(29)),
            _ => {}
        }
        Signal::all().find(|signal| signal.name().as_bytes() == bare)
    }

    /// Every signal, in order of number.
    pub fn all() -> impl Iterator<Item = Signal> {
        (1..=31).chain(34..=64).map(Signal)
    }

    /// The number.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The name without `SIG`.
    pub fn name(self) -> String {
        match self.0 {
            34 => "RTMIN".into(),
            64 => "RTMAX".into(),
            n @ 35..=49 => format!("RTMIN+{}", n - 34),
            n @ 50..=63 => format!("RTMAX-{}", 64 - n),
            n => TABLE
                .get(usize::from(n) - 1)
                .map_or_else(String::new, |row| row.0.into()),
        }
    }

    /// What bash says of a process that this ended.
    pub fn description(self) -> String {
        match TABLE.get(usize::from(self.0).wrapping_sub(1)) {
            Some(row) => row.1.into(),
            None => format!("Real-time signal {}", self.0 - 34),
        }
    }

    /// Ends a process that neither ignores nor catches it.
    pub fn terminates(self) -> bool {
        self.default_action() == DefaultAction::Terminate
    }

    pub(super) const fn bit(self) -> u64 {
        1 << (self.0 - 1)
    }

    /// What happens when the process neither ignores nor catches it.
    pub(super) const fn default_action(self) -> DefaultAction {
        match self.0 {
            17 | 23 | 28 => DefaultAction::Ignore,
            18 => DefaultAction::Continue,
            19..=22 => DefaultAction::Stop,
            _ => DefaultAction::Terminate,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DefaultAction {
    Terminate,
    Ignore,
    Stop,
    Continue,
}

/// What one process does with signals, and which wait to be handled. Shared by its tasks and the kernel.
#[derive(Debug, Default)]
pub struct SignalState {
    pending: AtomicU64,
    /// Ends of children that wait: a trap on CHLD runs once a child.
    children: AtomicU32,
    ignored: AtomicU64,
    caught: AtomicU64,
    waker: Mutex<Option<Waker>>,
}

impl SignalState {
    /// The state of a child: ignored signals stay ignored, caught ones fall back to their default.
    #[must_use]
    pub fn inherit(&self) -> SignalState {
        SignalState {
            ignored: AtomicU64::new(self.ignored.load(Relaxed)),
            ..SignalState::default()
        }
    }

    /// Sets what happens on `signal`.
    pub fn set(&self, signal: Signal, disposition: Disposition) {
        let change = |cell: &AtomicU64, on: bool| {
            let old = cell.load(Relaxed);
            cell.store(
                if on {
                    old | signal.bit()
                } else {
                    old & !signal.bit()
                },
                Relaxed,
            );
        };
        change(&self.ignored, disposition == Disposition::Ignore);
        change(&self.caught, disposition == Disposition::Catch);
    }

    /// What happens on `signal`.
    pub fn disposition(&self, signal: Signal) -> Disposition {
        if self.ignored.load(Relaxed) & signal.bit() != 0 {
            Disposition::Ignore
        } else if self.caught.load(Relaxed) & signal.bit() != 0 {
            Disposition::Catch
        } else {
            Disposition::Default
        }
    }

    /// Some caught signal waits.
    #[inline]
    pub fn is_pending(&self) -> bool {
        self.pending.load(Relaxed) != 0
    }

    /// The waiting signal of the lowest number.
    pub fn first_pending(&self) -> Option<Signal> {
        let pending = self.pending.load(Relaxed);
        Signal::all().find(|signal| pending & signal.bit() != 0)
    }

    /// The waiting signal of the lowest number; it waits no more.
    pub fn take_pending(&self) -> Option<Signal> {
        let pending = self.pending.load(Relaxed);
        let signal = Signal::all().find(|signal| pending & signal.bit() != 0)?;
        let more = signal == Signal::CHLD && {
            let children = self.children.load(Relaxed).saturating_sub(1);
            self.children.store(children, Relaxed);
            children > 0
        };
        if !more {
            self.pending.store(pending & !signal.bit(), Relaxed);
        }
        Some(signal)
    }

    pub(super) fn raise(&self, signal: Signal) {
        if signal == Signal::CHLD {
            let children = self.children.load(Relaxed);
            self.children.store(children.saturating_add(1), Relaxed);
        }
        self.pending
            .store(self.pending.load(Relaxed) | signal.bit(), Relaxed);
        if let Some(waker) = super::lock(&self.waker).take() {
            waker.wake();
        }
    }

    pub(super) fn on_pending(&self, waker: &Waker) {
        *super::lock(&self.waker) = Some(waker.clone());
    }
}

/// What a process does with a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disposition {
    /// The system's default.
    Default,
    /// Nothing.
    Ignore,
    /// It waits in [`SignalState::take_pending`] for the shell.
    Catch,
}
