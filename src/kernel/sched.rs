//! The scheduler: a FIFO of tasks, each a boxed future, on whatever thread polls the run.
//!
//! A task that waits registers its waker with what it waits for; waking puts it at the end of the queue. So the order of
//! everything follows from the script alone. A timer whose time has come goes first, so that `timeout` ends a loop that never
//! waits. When no task is ready, virtual time jumps to the next timer; when there is no timer either and no host call is pending,
//! the run is deadlocked.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use super::process::Pid;
use super::{Halt, Kernel, lock};
use crate::fs::Timestamp;

/// What a task runs.
pub type TaskFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The queue of ready tasks, shared with wakers.
#[derive(Debug, Default)]
pub(super) struct Ready {
    queue: Mutex<VecDeque<usize>>,
    outer: Mutex<Option<Waker>>,
    running: AtomicBool,
}

#[derive(Debug)]
struct TaskWaker {
    id: usize,
    queued: AtomicBool,
    ready: Arc<Ready>,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.queued.swap(true, Relaxed) {
            return;
        }
        lock(&self.ready.queue).push_back(self.id);
        if !self.ready.running.load(Relaxed)
            && let Some(waker) = lock(&self.ready.outer).take()
        {
            waker.wake();
        }
    }
}

struct Task {
    future: Option<TaskFuture>,
    pid: Pid,
    notify: Arc<TaskWaker>,
    waker: Waker,
    suspended: bool,
}

/// Tasks and timers.
#[derive(Default)]
pub(super) struct Sched {
    tasks: Vec<Option<Task>>,
    free: Vec<usize>,
    /// Tasks not yet finished.
    live: usize,
    timers: BinaryHeap<Reverse<(Timestamp, u64, TimerWaker)>>,
    timer_sequence: u64,
    /// Timers of tasks that only look for news.
    watchers: usize,
    /// Host calls in flight: while there is one, silence is no deadlock.
    pub(super) host_calls: usize,
}

struct TimerWaker(Waker);

impl PartialEq for TimerWaker {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
impl Eq for TimerWaker {}
impl PartialOrd for TimerWaker {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for TimerWaker {
    fn cmp(&self, _: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

/// What the scheduler found when it stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// No task is left.
    Idle,
    /// The slice of the whole run is used up; poll again.
    Yielded,
    /// All tasks wait; the earliest timer is at this time (real clock only).
    Sleeping(Timestamp),
    /// All tasks wait for the host.
    Pending,
    /// The meter is poisoned.
    Halted,
}

impl Kernel {
    /// Starts a task that belongs to process `pid`.
    pub fn spawn_task(&self, pid: Pid, future: TaskFuture) {
        let mut sched = lock(&self.inner.sched);
        let id = sched.free.pop().unwrap_or_else(|| {
            sched.tasks.push(None);
            sched.tasks.len() - 1
        });
        let notify = Arc::new(TaskWaker {
            id,
            queued: AtomicBool::new(true),
            ready: Arc::clone(&self.inner.ready),
        });
        let waker = Waker::from(Arc::clone(&notify));
        let task = Task {
            future: Some(future),
            pid,
            notify,
            waker,
            suspended: false,
        };
        if let Some(slot) = sched.tasks.get_mut(id) {
            *slot = Some(task);
        }
        sched.live += 1;
        drop(sched);
        lock(&self.inner.ready.queue).push_back(id);
    }

    /// Runs ready tasks until there are none, `slice` units of work are done, or the meter halts.
    pub fn run_tasks(&self, cx: &mut Context<'_>, slice: u64) -> Progress {
        *lock(&self.inner.ready.outer) = Some(cx.waker().clone());
        self.inner.ready.running.store(true, Relaxed);
        let _base = crate::stack::Base::here();
        let progress = self.run_until_quiet(slice);
        self.inner.ready.running.store(false, Relaxed);
        // A waker may have fired between the last look and `running = false`.
        if matches!(progress, Progress::Pending | Progress::Sleeping(_))
            && !lock(&self.inner.ready.queue).is_empty()
        {
            return Progress::Yielded;
        }
        progress
    }

    fn run_until_quiet(&self, slice: u64) -> Progress {
        let start = self.meter().usage().steps;
        loop {
            if self.deadline().is_some_and(|deadline| self.now() >= deadline) {
                self.meter().stop(Halt::WallClock);
            }
            if self.meter().halted().is_some() {
                return Progress::Halted;
            }
            self.fire_due();
            let next = lock(&self.inner.ready.queue).pop_front();
            if let Some(id) = next {
                self.poll_task(id);
                if self.meter().usage().steps - start > slice {
                    return Progress::Yielded;
                }
                continue;
            }
            if lock(&self.inner.sched).live == 0 {
                return Progress::Idle;
            }
            if let Some(progress) = self.next_timer() {
                return progress;
            }
        }
    }

    /// Fires the timers whose time has come while tasks were at work.
    fn fire_due(&self) {
        let mut sched = lock(&self.inner.sched);
        while let Some(Reverse((at, _, _))) = sched.timers.peek() {
            if *at > self.now() {
                return;
            }
            if let Some(Reverse((_, _, waker))) = sched.timers.pop() {
                waker.0.wake();
            }
        }
    }

    /// Fires the earliest timer; says why not.
    fn next_timer(&self) -> Option<Progress> {
        let mut sched = lock(&self.inner.sched);
        let Some(Reverse((at, _, _))) = sched.timers.peek() else {
            return Some(Progress::Pending);
        };
        let at = *at;
        if lock(&self.inner.horizon).is_some_and(|horizon| at > horizon) {
            return Some(Progress::Pending);
        }
        if sched.host_calls > 0 && self.now() < at {
            return Some(Progress::Pending);
        }
        let deadline = self.deadline().filter(|deadline| *deadline < at);
        let until = deadline.unwrap_or(at);
        if !self.advance_to(until) {
            return Some(Progress::Sleeping(until));
        }
        if deadline.is_some() {
            // The caller finds that the deadline has come.
            return None;
        }
        let Reverse((_, _, waker)) = sched.timers.pop()?;
        drop(sched);
        waker.0.wake();
        None
    }

    fn poll_task(&self, id: usize) {
        let taken = {
            let mut sched = lock(&self.inner.sched);
            let Some(Some(task)) = sched.tasks.get_mut(id) else {
                return;
            };
            task.notify.queued.store(false, Relaxed);
            if task.suspended {
                return;
            }
            task.future.take().map(|future| (future, task.waker.clone()))
        };
        let Some((mut future, waker)) = taken else { return };
        self.meter().start_slice();
        let done = future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
        let mut sched = lock(&self.inner.sched);
        match sched.tasks.get_mut(id) {
            Some(Some(task)) if !done => task.future = Some(future),
            Some(slot @ Some(_)) => {
                *slot = None;
                sched.free.push(id);
                sched.live -= 1;
                drop(sched);
                drop(future);
            }
            // The process was killed while this task ran: its slot is already free.
            _ => {
                drop(sched);
                drop(future);
            }
        }
    }

    /// Drops every task of a process. Its descriptors close as its futures go.
    pub(super) fn drop_tasks(&self, pid: Pid) {
        let mut sched = lock(&self.inner.sched);
        let mut dropped = Vec::new();
        for id in 0..sched.tasks.len() {
            let Some(slot) = sched.tasks.get_mut(id) else {
                continue;
            };
            if slot.as_ref().is_some_and(|task| task.pid == pid) {
                // A task that is running now has no future here; it is dropped when its poll returns. Its
                // number is not reused before, because a waker may still name it: that costs a spurious poll only.
                dropped.push(slot.take());
                sched.free.push(id);
                sched.live -= 1;
            }
        }
        drop(sched);
        drop(dropped);
    }

    /// Stops or continues every task of a process.
    pub(super) fn suspend_tasks(&self, pid: Pid, suspend: bool) {
        let mut wake = Vec::new();
        for task in lock(&self.inner.sched).tasks.iter_mut().flatten() {
            if task.pid == pid {
                task.suspended = suspend;
                wake.push(task.waker.clone());
            }
        }
        if !suspend {
            wake.into_iter().for_each(Waker::wake);
        }
    }

    /// Drops all tasks: the end of a run, or its cancellation.
    pub fn drop_all_tasks(&self) {
        let tasks = {
            let mut sched = lock(&self.inner.sched);
            sched.live = 0;
            sched.free.clear();
            sched.timers.clear();
            std::mem::take(&mut sched.tasks)
        };
        drop(tasks);
        lock(&self.inner.ready.queue).clear();
    }

    /// Waits until `at`.
    pub async fn sleep_until(&self, at: Timestamp) {
        let mut registered = false;
        std::future::poll_fn(|cx| {
            if self.now() >= at {
                return Poll::Ready(());
            }
            if !registered {
                registered = true;
                let mut sched = lock(&self.inner.sched);
                let sequence = sched.timer_sequence;
                sched.timer_sequence += 1;
                sched
                    .timers
                    .push(Reverse((at, sequence, TimerWaker(cx.waker().clone()))));
            }
            Poll::Pending
        })
        .await;
    }

    /// Waits for a time only to look for news then, as `tail -f` does.
    pub async fn watch_for(&self, duration: std::time::Duration) {
        lock(&self.inner.sched).watchers += 1;
        let guard = Watcher(self);
        self.sleep_until(super::after(self.now(), duration)).await;
        drop(guard);
    }

    /// Whether there can be no news any more: time is virtual, and all other tasks wait for each other or look for news too.
    pub fn only_watchers_left(&self) -> bool {
        let sched = lock(&self.inner.sched);
        matches!(self.inner.clock, super::Clock::Virtual { .. })
            && sched.host_calls == 0
            && sched.timers.len() <= sched.watchers
            && lock(&self.inner.ready.queue).is_empty()
    }

    /// Awaits a future of the host; meanwhile the run is pending, not deadlocked.
    pub async fn host_call<T>(&self, future: impl Future<Output = T>) -> T {
        lock(&self.inner.sched).host_calls += 1;
        let guard = HostCall(self);
        let value = future.await;
        drop(guard);
        value
    }
}

struct Watcher<'a>(&'a Kernel);

impl Drop for Watcher<'_> {
    fn drop(&mut self) {
        lock(&self.0.inner.sched).watchers -= 1;
    }
}

struct HostCall<'a>(&'a Kernel);

impl Drop for HostCall<'_> {
    fn drop(&mut self) {
        lock(&self.0.inner.sched).host_calls -= 1;
    }
}

/// Lets every other ready task run once.
pub async fn yield_now() {
    let mut yielded = false;
    std::future::poll_fn(move |cx| {
        if yielded {
            return Poll::Ready(());
        }
        yielded = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
