//! Background jobs of a shell.

use std::sync::Arc;

use super::Interp;
use crate::kernel::{Pid, WaitStatus};

/// A job.
#[derive(Debug, Clone)]
pub struct Job {
    /// `%id`
    pub id: u32,
    /// Its processes; the last one gives the status.
    pub pids: Vec<Pid>,
    /// How it ended, when known.
    pub status: Option<WaitStatus>,
    /// The command, as `jobs` prints it.
    pub text: Vec<u8>,
    /// Has a process group of its own.
    pub group: bool,
    /// `disown -h`
    pub keep: bool,
    /// Its end was shown.
    pub notified: bool,
}

/// The jobs of a shell; cloning shares them until changed.
#[derive(Debug, Clone, Default)]
pub struct Jobs {
    list: Arc<Vec<Job>>,
    /// Statuses of processes that are no job any more: `wait PID` still answers.
    finished: Arc<std::collections::BTreeMap<Pid, WaitStatus>>,
}

/// How many statuses of finished processes are kept, as `CHILD_MAX` bounds it in bash.
const KEPT: usize = 4096;

impl Jobs {
    /// A subshell has no jobs, but can list its parent's.
    pub(super) fn for_child(&self) -> Jobs {
        Jobs::default()
    }

    /// Number of jobs.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// There is no job.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds a job.
    pub fn add(&mut self, pids: Vec<Pid>, text: Vec<u8>, group: bool) {
        let id = self.list.iter().map(|job| job.id).max().unwrap_or(0) + 1;
        Arc::make_mut(&mut self.list).push(Job { id, pids, status: None, text, group, keep: false, notified: false });
    }

    /// All jobs.
    pub fn iter(&self) -> impl Iterator<Item = &Job> {
        self.list.iter()
    }

    /// A job by number.
    pub fn get(&self, id: u32) -> Option<&Job> {
        self.list.iter().find(|job| job.id == id)
    }

    /// A job by number, to be changed.
    pub fn get_mut(&mut self, id: u32) -> Option<&mut Job> {
        Arc::make_mut(&mut self.list).iter_mut().find(|job| job.id == id)
    }

    /// The job that a process belongs to.
    pub fn of_process(&self, pid: Pid) -> Option<&Job> {
        self.list.iter().find(|job| job.pids.contains(&pid))
    }

    /// The current job (`%+`): the newest; and the previous one (`%-`).
    pub fn current(&self) -> (Option<u32>, Option<u32>) {
        let mut ids = self.list.iter().rev().map(|job| job.id);
        (ids.next(), ids.next())
    }

    /// Forgets a job.
    pub fn remove(&mut self, id: u32) {
        Arc::make_mut(&mut self.list).retain(|job| job.id != id);
    }

    /// Keeps the status of a process that was waited for.
    pub fn remember(&mut self, pid: Pid, status: WaitStatus) {
        let finished = Arc::make_mut(&mut self.finished);
        finished.insert(pid, status);
        if finished.len() > KEPT {
            finished.pop_first();
        }
    }

    /// The status of a process that was waited for.
    pub fn remembered(&self, pid: Pid) -> Option<WaitStatus> {
        self.finished.get(&pid).copied()
    }
}

impl Interp {
    /// Learns which jobs have ended.
    pub fn update_jobs(&mut self) {
        if self.jobs.is_empty() {
            return;
        }
        let kernel = self.proc.kernel.clone();
        let ended: Vec<(u32, Pid, WaitStatus)> = self
            .jobs
            .iter()
            .filter(|job| job.status.is_none())
            .filter_map(|job| {
                let pid = *job.pids.last()?;
                Some((job.id, pid, kernel.status_of(pid)?))
            })
            .collect();
        for (id, pid, status) in ended {
            if let Some(job) = self.jobs.get_mut(id) {
                job.status = Some(status);
            }
            self.jobs.remember(pid, status);
            kernel.reap(pid);
        }
    }

    /// Resolves `%n`, `%%`, `%+`, `%-`, `%text`, `%?text`.
    pub fn find_job(&self, spec: &[u8]) -> Option<u32> {
        let text = spec.strip_prefix(b"%")?;
        let (current, previous) = self.jobs.current();
        match text {
            b"" | b"%" | b"+" => return current,
            b"-" => return previous.or(current),
            _ => {}
        }
        if let Some(number) = crate::expand::arith::plain_number(text) {
            return self.jobs.get(u32::try_from(number).ok()?).map(|job| job.id);
        }
        let found = match text.strip_prefix(b"?") {
            Some(part) => self.jobs.iter().find(|job| memchr::memmem::find(&job.text, part).is_some()),
            None => self.jobs.iter().find(|job| job.text.starts_with(text)),
        };
        found.map(|job| job.id)
    }
}
