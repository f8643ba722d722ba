//! The process table: who is whose child, how it ended, who waits for it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::{Poll, Waker};

use super::signal::{DefaultAction, Disposition, Signal, SignalState};
use super::{Halt, Kernel, lock};
use crate::fs::Errno;

/// A process number.
pub type Pid = u32;

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitStatus {
    /// By itself, with this status (0 to 255).
    Exited(u8),
    /// By a signal.
    Signaled(Signal),
}

impl WaitStatus {
    /// The shell's `$?` for it.
    pub fn code(self) -> i32 {
        match self {
            WaitStatus::Exited(code) => i32::from(code),
            WaitStatus::Signaled(signal) => 128 + i32::from(signal.number()),
        }
    }
}

pub(super) struct Entry {
    parent: Pid,
    group: Pid,
    signals: Arc<SignalState>,
    status: Option<WaitStatus>,
    stopped: bool,
    /// Has no task of its own: runs inside its parent's.
    inline: bool,
    waiters: Vec<Waker>,
}

pub(super) struct Processes {
    next: Pid,
    table: BTreeMap<Pid, Entry>,
    child_waiters: Vec<Waker>,
}

impl Processes {
    pub(super) fn new(first: Pid) -> Self {
        Processes {
            next: first,
            table: BTreeMap::new(),
            child_waiters: Vec::new(),
        }
    }

    /// Nobody will reap the children of this process.
    fn is_orphaned_by(&self, parent: Pid) -> bool {
        self.table
            .get(&parent)
            .is_none_or(|parent| parent.status.is_some())
    }

    pub(super) fn next_pid(&self) -> Pid {
        self.next
    }
}

impl Kernel {
    /// Enters a process in the table. The caller gives it a task, or runs it `inline` in its own.
    pub fn new_process(
        &self,
        parent: Pid,
        group: Option<Pid>,
        signals: Arc<SignalState>,
        inline: bool,
    ) -> Result<Pid, Halt> {
        self.meter().charge(super::cost::PROCESS)?;
        self.meter().process_started()?;
        let mut processes = lock(&self.inner.processes);
        let pid = processes.next;
        processes.next = if pid >= 4_194_303 { 300 } else { pid + 1 };
        let inherited = processes.table.get(&parent).map_or(pid, |entry| entry.group);
        let group = match group {
            Some(0) => pid,
            Some(group) => group,
            None => inherited,
        };
        let entry = Entry {
            parent,
            group,
            signals,
            status: None,
            stopped: false,
            inline,
            waiters: Vec::new(),
        };
        processes.table.insert(pid, entry);
        Ok(pid)
    }

    /// Enters the first process of a run under a number it may have had before; what an earlier run left is gone.
    pub fn enter_process(&self, pid: Pid, parent: Pid, signals: Arc<SignalState>) {
        let mut processes = lock(&self.inner.processes);
        processes.table.clear();
        processes.child_waiters.clear();
        processes.next = processes.next.max(pid + 1);
        let entry = Entry {
            parent,
            group: pid,
            signals,
            status: None,
            stopped: false,
            inline: false,
            waiters: Vec::new(),
        };
        processes.table.insert(pid, entry);
    }

    /// A process ended by itself.
    pub fn exit_process(&self, pid: Pid, status: WaitStatus) {
        let (waiters, parent_signals) = {
            let mut processes = lock(&self.inner.processes);
            let Some(entry) = processes.table.get_mut(&pid) else {
                return;
            };
            if entry.status.is_some() {
                return;
            }
            entry.status = Some(status);
            let mut waiters = std::mem::take(&mut entry.waiters);
            let parent = entry.parent;
            // A shell that was replaced by `exec` waits for what took its place.
            let awaited = !waiters.is_empty();
            waiters.append(&mut processes.child_waiters);
            let signals = processes
                .table
                .get(&parent)
                .map(|entry| Arc::clone(&entry.signals));
            // Who waits for a process without a parent takes it out.
            if !awaited && processes.is_orphaned_by(parent) {
                processes.table.remove(&pid);
            }
            (waiters, signals)
        };
        self.meter().process_ended();
        if let Some(signals) = parent_signals
            && signals.disposition(Signal::CHLD) == Disposition::Catch
        {
            signals.raise(Signal::CHLD);
        }
        waiters.into_iter().for_each(Waker::wake);
    }

    /// How a process ended, if it has. It stays in the table until [`Kernel::reap`].
    pub fn status_of(&self, pid: Pid) -> Option<WaitStatus> {
        lock(&self.inner.processes)
            .table
            .get(&pid)
            .and_then(|entry| entry.status)
    }

    /// The process is in the table (alive, or ended and not reaped).
    pub fn exists(&self, pid: Pid) -> bool {
        lock(&self.inner.processes).table.contains_key(&pid)
    }

    /// The process is stopped by a signal.
    pub fn is_stopped(&self, pid: Pid) -> bool {
        lock(&self.inner.processes)
            .table
            .get(&pid)
            .is_some_and(|entry| entry.stopped)
    }

    /// Forgets an ended process.
    pub fn reap(&self, pid: Pid) {
        let mut processes = lock(&self.inner.processes);
        if processes
            .table
            .get(&pid)
            .is_some_and(|entry| entry.status.is_some())
        {
            processes.table.remove(&pid);
        }
    }

    /// Waits until a process ends, and reaps it.
    pub async fn wait(&self, pid: Pid) -> Result<WaitStatus, Errno> {
        let status = self.end_of(pid).await?;
        self.reap(pid);
        Ok(status)
    }

    /// Waits until a process ends; its parent still reaps it.
    pub async fn ended(&self, pid: Pid) -> WaitStatus {
        let status = self.end_of(pid).await.unwrap_or(WaitStatus::Exited(127));
        let mut processes = lock(&self.inner.processes);
        let parent = processes.table.get(&pid).map(|entry| entry.parent);
        if parent.is_some_and(|parent| processes.is_orphaned_by(parent)) {
            processes.table.remove(&pid);
        }
        status
    }

    /// The process gets tasks of its own: it ran inside its parent's.
    pub fn detach(&self, pid: Pid) {
        if let Some(entry) = lock(&self.inner.processes).table.get_mut(&pid) {
            entry.inline = false;
        }
    }

    async fn end_of(&self, pid: Pid) -> Result<WaitStatus, Errno> {
        std::future::poll_fn(|cx| {
            let mut processes = lock(&self.inner.processes);
            let Some(entry) = processes.table.get_mut(&pid) else {
                return Poll::Ready(Err(Errno::ECHILD));
            };
            if let Some(status) = entry.status {
                return Poll::Ready(Ok(status));
            }
            if !entry.waiters.iter().any(|waker| waker.will_wake(cx.waker())) {
                entry.waiters.push(cx.waker().clone());
            }
            Poll::Pending
        })
        .await
    }

    /// Waits until `ready` answers something; asked again whenever any process ends or a caught signal arrives.
    pub async fn wait_any<T>(&self, signals: &SignalState, mut ready: impl FnMut() -> Option<T>) -> T {
        std::future::poll_fn(|cx| {
            if let Some(value) = ready() {
                return Poll::Ready(value);
            }
            signals.on_pending(cx.waker());
            let mut processes = lock(&self.inner.processes);
            if !processes
                .child_waiters
                .iter()
                .any(|waker| waker.will_wake(cx.waker()))
            {
                processes.child_waiters.push(cx.waker().clone());
            }
            Poll::Pending
        })
        .await
    }

    /// Sends a signal (`None` only checks) to one process.
    pub fn kill(&self, pid: Pid, signal: Option<Signal>) -> Result<(), Errno> {
        let action = {
            let mut processes = lock(&self.inner.processes);
            let entry = processes.table.get_mut(&pid).ok_or(Errno::ESRCH)?;
            let (Some(signal), None) = (signal, entry.status) else {
                return Ok(());
            };
            if signal == Signal::CONT {
                entry.stopped = false;
            }
            let uncatchable = signal == Signal::KILL || signal == Signal::STOP;
            match entry.signals.disposition(signal) {
                Disposition::Ignore if !uncatchable => return Ok(()),
                Disposition::Catch if !uncatchable => {
                    let signals = Arc::clone(&entry.signals);
                    drop(processes);
                    signals.raise(signal);
                    return Ok(());
                }
                _ => {}
            }
            let action = signal.default_action();
            if action == DefaultAction::Stop {
                entry.stopped = true;
            }
            if entry.inline && action == DefaultAction::Terminate {
                // The shell of an inline process looks at its next command and ends itself.
                let signals = Arc::clone(&entry.signals);
                drop(processes);
                signals.raise(signal);
                return Ok(());
            }
            (action, signal)
        };
        match action {
            (DefaultAction::Terminate, signal) => self.terminate(pid, signal),
            (DefaultAction::Stop, _) => {
                self.suspend_tasks(pid, true);
                // Whoever waits may have to know.
                let waiters = std::mem::take(&mut lock(&self.inner.processes).child_waiters);
                waiters.into_iter().for_each(Waker::wake);
            }
            (DefaultAction::Continue, _) => self.suspend_tasks(pid, false),
            (DefaultAction::Ignore, _) => {}
        }
        Ok(())
    }

    /// Sends a signal from a process. One that would end the sender's own task waits until that comes to its next command: the
    /// task is running, and what runs inside it (a subshell that kills its parent) goes on to its end.
    pub fn kill_from(&self, sender: Pid, pid: Pid, signal: Option<Signal>) -> Result<(), Errno> {
        let Some(signal) = signal.filter(|_| self.shares_task(sender, pid)) else {
            return self.kill(pid, signal);
        };
        let signals = lock(&self.inner.processes)
            .table
            .get(&pid)
            .map(|entry| Arc::clone(&entry.signals));
        let signals = signals.ok_or(Errno::ESRCH)?;
        let caught = signals.disposition(signal) == Disposition::Catch;
        let ignored = signals.disposition(signal) == Disposition::Ignore && signal != Signal::KILL;
        if caught || (signal.default_action() == DefaultAction::Terminate && !ignored) {
            signals.raise(signal);
            return Ok(());
        }
        self.kill(pid, Some(signal))
    }

    /// `pid` is `inner`, or a process inside whose task `inner` runs.
    fn shares_task(&self, inner: Pid, pid: Pid) -> bool {
        let processes = lock(&self.inner.processes);
        let mut at = inner;
        loop {
            if at == pid {
                return true;
            }
            match processes.table.get(&at) {
                Some(entry) if entry.inline => at = entry.parent,
                _ => return false,
            }
        }
    }

    /// Sends a signal to every process of a group.
    pub fn kill_group(&self, group: Pid, signal: Option<Signal>) -> Result<(), Errno> {
        let members = self.members(group);
        if members.is_empty() {
            return Err(Errno::ESRCH);
        }
        members.into_iter().try_for_each(|pid| self.kill(pid, signal))
    }

    /// The living processes of a group.
    pub fn members(&self, group: Pid) -> Vec<Pid> {
        self.living(|entry| entry.group == group)
    }

    /// All living processes.
    pub fn all_processes(&self) -> Vec<Pid> {
        self.living(|_| true)
    }

    fn living(&self, wanted: impl Fn(&Entry) -> bool) -> Vec<Pid> {
        let processes = lock(&self.inner.processes);
        let found = processes
            .table
            .iter()
            .filter(|(_, entry)| entry.status.is_none() && wanted(entry));
        found.map(|(pid, _)| *pid).collect()
    }

    /// `pid` is a child of `parent`, alive or not yet reaped.
    pub fn is_child(&self, parent: Pid, pid: Pid) -> bool {
        lock(&self.inner.processes)
            .table
            .get(&pid)
            .is_some_and(|entry| entry.parent == parent)
    }

    /// What runs inside the process's tasks goes with it.
    fn terminate(&self, pid: Pid, signal: Signal) {
        self.drop_tasks(pid);
        for inner in self.living(|entry| entry.inline && entry.parent == pid) {
            self.terminate(inner, Signal::KILL);
            self.reap(inner);
        }
        self.exit_process(pid, WaitStatus::Signaled(signal));
    }

    /// The process group of a process.
    pub fn group_of(&self, pid: Pid) -> Option<Pid> {
        lock(&self.inner.processes)
            .table
            .get(&pid)
            .map(|entry| entry.group)
    }
}
