//! The jobs of a shell: what runs in the background, which one is current, and what is said when it ends.
//!
//! A script has jobs as an interactive shell has, only without process groups unless `set -m`. bash looks at them when it reads a line,
//! and after each command that it waited for ([`Interp::notify_jobs`]): a job killed by a signal is reported then. When a job may be
//! forgotten depends on how the shell was started: `bash -c` forgets it as soon as it has ended, a script keeps it until `jobs` has
//! shown it or `wait` has asked for it. Job tests are in `corpus/cases/job`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Interp, Set, TrapKey};
use crate::kernel::{Lease, Pid, Signal, WaitStatus};

/// A process of a job.
#[derive(Debug, Clone)]
pub struct Process {
    /// Its number.
    pub pid: Pid,
    /// The command, as `jobs` prints it.
    pub text: Arc<[u8]>,
    /// How it ended, when it has.
    pub status: Option<WaitStatus>,
}

/// What a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobState {
    /// Some process runs.
    Running,
    /// No process runs, and some are stopped.
    Stopped,
    /// All processes have ended.
    Dead,
}

/// A job.
#[derive(Debug, Clone)]
pub struct Job {
    /// `%id`
    pub id: u32,
    /// Its processes; the last one gives the status.
    pub processes: Vec<Process>,
    /// What it does, as far as the shell knows.
    pub state: JobState,
    /// Has a process group of its own: that of its first process.
    pub group: bool,
    /// `disown -h`
    pub keep: bool,
    /// Its state was shown.
    pub notified: bool,
    /// `fg` brought it to the foreground.
    pub foreground: bool,
    /// Belongs to the shell that this one was forked from: it can be listed, not waited for.
    pub inherited: bool,
    /// Where it was started.
    pub directory: Arc<[u8]>,
    /// Its share of the run's memory.
    pub(super) _lease: Option<Arc<Lease>>,
}

/// How a job is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobStyle {
    /// `jobs`: one line.
    Standard,
    /// `jobs -l`: a line a process.
    Long,
    /// A message about a job that was killed: long, without its number.
    Message,
}

/// The jobs of a shell; cloning shares them until changed. Each question that is asked after every command (which runs, which has
/// changed, which number is next) is answered from an index, so that a script with a hundred thousand jobs stays linear.
#[derive(Debug, Clone, Default)]
pub struct Jobs {
    table: Arc<Table>,
    current: Option<u32>,
    previous: Option<u32>,
    /// Statuses of processes that are no job any more: `wait PID` still answers.
    finished: Arc<BTreeMap<Pid, WaitStatus>>,
}

/// The jobs by number, and what is known of them all.
#[derive(Debug, Clone, Default)]
struct Table {
    jobs: BTreeMap<u32, Job>,
    /// The job of each process.
    of_process: BTreeMap<Pid, u32>,
    /// Jobs of this shell that are not dead.
    active: BTreeSet<u32>,
    /// Jobs that run, also those of the shell that this one was forked from.
    running: BTreeSet<u32>,
    /// Jobs that are stopped, likewise.
    stopped: BTreeSet<u32>,
    /// Jobs that stopped or died and were not shown.
    news: BTreeSet<u32>,
    /// Dead jobs that were shown.
    over: BTreeSet<u32>,
}

impl Table {
    /// Puts a job in, and notes what it does.
    fn put(&mut self, job: Job) {
        let id = job.id;
        let dead = job.state == JobState::Dead;
        for (set, belongs) in [
            (&mut self.active, !dead && !job.inherited),
            (&mut self.running, job.state == JobState::Running),
            (&mut self.stopped, job.state == JobState::Stopped),
            (
                &mut self.news,
                job.state != JobState::Running && !job.notified && !job.inherited,
            ),
            (&mut self.over, dead && job.notified),
        ] {
            if belongs {
                set.insert(id);
            } else {
                set.remove(&id);
            }
        }
        self.of_process
            .extend(job.processes.iter().map(|process| (process.pid, id)));
        self.jobs.insert(id, job);
    }

    fn take(&mut self, id: u32) -> Option<Job> {
        let job = self.jobs.remove(&id)?;
        for set in [
            &mut self.active,
            &mut self.running,
            &mut self.stopped,
            &mut self.news,
            &mut self.over,
        ] {
            set.remove(&id);
        }
        for process in &job.processes {
            self.of_process.remove(&process.pid);
        }
        Some(job)
    }
}

/// How many statuses of finished processes are kept, as `CHILD_MAX` bounds it in bash.
const KEPT: usize = 4096;

/// The width of the longest description of a signal; states are padded to it.
const STATE_WIDTH: usize = 24;

impl Job {
    /// Bytes that a job and a process of it take beside their texts.
    const ENTRY: usize = 256;
    const PROCESS: usize = 128;

    /// The process that gives the status.
    pub fn last(&self) -> Option<&Process> {
        self.processes.last()
    }

    /// The number of the process that gives the status.
    pub fn pid(&self) -> Pid {
        self.last().map_or(0, |process| process.pid)
    }

    /// The number of the first process, which leads the group.
    pub fn leader(&self) -> Pid {
        self.processes.first().map_or(0, |process| process.pid)
    }

    /// Numbers of the processes that have not ended.
    pub fn alive(&self) -> impl Iterator<Item = Pid> {
        self.processes
            .iter()
            .filter(|process| process.status.is_none())
            .map(|process| process.pid)
    }

    /// The status, once all processes have ended.
    pub fn status(&self) -> Option<WaitStatus> {
        (self.state == JobState::Dead)
            .then(|| self.last()?.status)
            .flatten()
    }

    fn state_of(&self, process: &Process, posix: bool) -> String {
        match (self.state, process.status) {
            (JobState::Running, _) => "Running".into(),
            (JobState::Stopped, _) => "Stopped".into(),
            (_, Some(WaitStatus::Signaled(signal))) => signal.description(),
            (_, Some(WaitStatus::Exited(0))) => "Done".into(),
            (_, Some(WaitStatus::Exited(code))) if posix => format!("Done({code})"),
            (_, Some(WaitStatus::Exited(code))) => format!("Exit {code}"),
            (_, None) => "Unknown status".into(),
        }
    }
}

impl Jobs {
    /// What a forked shell sees of its parent's jobs when it may list them.
    pub(super) fn inherited(&self) -> Jobs {
        if self.is_empty() {
            return Jobs::default();
        }
        let mut table = Table::default();
        for job in self.iter() {
            table.put(Job {
                inherited: true,
                ..job.clone()
            });
        }
        Jobs {
            table: Arc::new(table),
            current: self.current,
            previous: self.previous,
            finished: Arc::default(),
        }
    }

    /// Number of jobs.
    pub fn len(&self) -> usize {
        self.table.jobs.len()
    }

    /// There is no job.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.table.jobs.is_empty()
    }

    /// Adds a job, which becomes the current one unless one is stopped. The lease is to hold what it takes.
    pub fn add(
        &mut self,
        processes: Vec<Process>,
        group: bool,
        directory: Arc<[u8]>,
        mut lease: Lease,
    ) -> u32 {
        let id = self.table.jobs.last_key_value().map_or(0, |(id, _)| *id) + 1;
        let room = |process: &Process| process.text.len() + Job::PROCESS;
        lease.set(Job::ENTRY + processes.iter().map(room).sum::<usize>());
        Arc::make_mut(&mut self.table).put(Job {
            id,
            processes,
            state: JobState::Running,
            group,
            keep: false,
            foreground: false,
            notified: false,
            inherited: false,
            directory,
            _lease: Some(Arc::new(lease)),
        });
        self.choose_current();
        id
    }

    /// All jobs.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Job> {
        self.table.jobs.values()
    }

    /// The jobs of this shell that are not dead.
    pub fn active(&self) -> impl DoubleEndedIterator<Item = &Job> {
        self.table.active.iter().filter_map(|id| self.get(*id))
    }

    /// A job by number.
    pub fn get(&self, id: u32) -> Option<&Job> {
        self.table.jobs.get(&id)
    }

    /// Changes a job.
    pub fn change(&mut self, id: u32, change: impl FnOnce(&mut Job)) {
        let table = Arc::make_mut(&mut self.table);
        if let Some(mut job) = table.jobs.remove(&id) {
            change(&mut job);
            table.put(job);
        }
    }

    /// The job that a process belongs to.
    pub fn of_process(&self, pid: Pid) -> Option<&Job> {
        self.get(*self.table.of_process.get(&pid)?)
    }

    /// The current job (`%+`) and the previous one (`%-`).
    pub fn current(&self) -> (Option<u32>, Option<u32>) {
        (self.current, self.previous)
    }

    /// Forgets a job; its status can still be asked for.
    pub fn remove(&mut self, id: u32) {
        let Some(job) = Arc::make_mut(&mut self.table).take(id) else {
            return;
        };
        if let (pid, Some(status)) = (job.pid(), job.status()) {
            self.remember(pid, status);
        }
        if self.current == Some(id) || self.previous == Some(id) {
            self.choose_current();
        }
    }

    /// Forgets the dead jobs that were shown.
    pub fn clean(&mut self) {
        while let Some(id) = self.table.over.first().copied() {
            self.remove(id);
        }
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

    /// Forgets the statuses of all that is no job any more.
    pub fn forget_finished(&mut self) {
        self.finished = Arc::default();
    }

    fn state(&self, id: Option<u32>) -> Option<JobState> {
        self.get(id?).map(|job| job.state)
    }

    /// The newest job that runs or, when asked for, is stopped; older than `before`.
    fn newest(&self, state: JobState, before: Option<u32>) -> Option<u32> {
        let jobs = match state {
            JobState::Stopped => &self.table.stopped,
            _ => &self.table.running,
        };
        jobs.range(..before.unwrap_or(u32::MAX)).next_back().copied()
    }

    /// What a script does not say now it never says.
    fn ignore_news(&mut self, id: u32) {
        Arc::make_mut(&mut self.table).news.remove(&id);
    }

    /// Chooses the current job anew: a stopped one first, then the newest that runs.
    pub fn choose_current(&mut self) {
        let stopped = |id: Option<u32>| id.filter(|_| self.state(id) == Some(JobState::Stopped));
        let candidate = stopped(self.current)
            .or_else(|| stopped(self.previous))
            .or_else(|| self.newest(JobState::Stopped, None))
            .or_else(|| self.newest(JobState::Running, None));
        match candidate {
            Some(id) => self.set_current(id),
            None => (self.current, self.previous) = (None, None),
        }
    }

    /// Makes a job the current one; the one before becomes the previous one, unless a better one is there.
    pub fn set_current(&mut self, id: u32) {
        if self.current != Some(id) {
            self.previous = self.current.replace(id);
        }
        let state = self.state(self.current);
        if self.previous != self.current && self.state(self.previous) == Some(JobState::Stopped) {
            return;
        }
        let candidate = match state {
            Some(JobState::Stopped) => self
                .newest(JobState::Stopped, Some(id))
                .or_else(|| self.newest(JobState::Running, None)),
            _ => self.newest(JobState::Running, Some(id)),
        };
        self.previous = candidate.or(self.current);
    }
}

/// How a job's name failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobError {
    /// There is none.
    Missing,
    /// There are several.
    Ambiguous,
}

impl Interp {
    /// Learns which processes have ended or stopped.
    pub fn update_jobs(&mut self) {
        let kernel = self.proc.kernel.clone();
        let mut changed = Vec::new();
        for job in self.jobs.active() {
            let look = |process: &Process| {
                let ended = process
                    .status
                    .is_none()
                    .then(|| kernel.status_of(process.pid))
                    .flatten();
                match ended {
                    None if process.status.is_none() && !kernel.exists(process.pid) => {
                        Some(WaitStatus::Exited(127))
                    }
                    None => process.status,
                    Some(status) => {
                        kernel.reap(process.pid);
                        Some(status)
                    }
                }
            };
            let statuses: Vec<_> = job.processes.iter().map(look).collect();
            let both = || job.processes.iter().zip(&statuses);
            let mut alive = both().filter(|(_, status)| status.is_none());
            let state = if statuses.iter().all(Option::is_some) {
                JobState::Dead
            } else if alive.all(|(process, _)| kernel.is_stopped(process.pid)) {
                JobState::Stopped
            } else {
                JobState::Running
            };
            let ended = both().any(|(process, status)| process.status != *status);
            if ended || state != job.state {
                changed.push((job.id, statuses, state));
            }
        }
        for (id, statuses, state) in changed {
            let mut moved = false;
            self.jobs.change(id, |job| {
                moved = state != job.state;
                job.notified &= !moved || state == JobState::Running;
                job.state = state;
                for (process, status) in job.processes.iter_mut().zip(statuses) {
                    process.status = status;
                }
            });
            if moved && state == JobState::Stopped {
                self.jobs.set_current(id);
            }
        }
    }

    /// Resolves `%n`, `%%`, `%+`, `%-`, `%text`, `%?text`; a number or text may lack its `%`.
    pub fn find_job(&self, spec: &[u8]) -> Result<u32, JobError> {
        let text = spec.strip_prefix(b"%").unwrap_or(spec);
        let (current, previous) = self.jobs.current();
        match text {
            b"" | b"%" | b"+" => return current.ok_or(JobError::Missing),
            b"-" => return previous.ok_or(JobError::Missing),
            _ => {}
        }
        if text.iter().all(u8::is_ascii_digit) {
            let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
            return number
                .and_then(|id| self.jobs.get(id))
                .map(|job| job.id)
                .ok_or(JobError::Missing);
        }
        let matches = |process: &Process| match text.strip_prefix(b"?") {
            Some(part) => memchr::memmem::find(&process.text, part).is_some(),
            None => process.text.starts_with(text),
        };
        let mut found = self.jobs.iter().filter(|job| job.processes.iter().any(matches));
        match (found.next(), found.next()) {
            (Some(job), None) => Ok(job.id),
            (Some(_), Some(_)) => Err(JobError::Ambiguous),
            _ => Err(JobError::Missing),
        }
    }

    /// Looks at the jobs where bash does: says which were killed, forgets what need not be kept.
    pub fn notify_jobs(&mut self) {
        if self.jobs.is_empty() {
            return;
        }
        self.update_jobs();
        self.reap_coprocs();
        let news: Vec<Job> = self
            .jobs
            .table
            .news
            .iter()
            .filter_map(|id| self.jobs.get(*id).cloned())
            .collect();
        let script = self.started_as != Some(b'c') && !self.in_substitution;
        for job in news {
            let killed = matches!(job.status(), Some(WaitStatus::Signaled(_)));
            if script && !killed {
                self.jobs.ignore_news(job.id);
                continue;
            }
            if self.in_substitution {
                // What was started last is kept until `wait` asks for it.
                if job.state == JobState::Dead && self.last_background != Some(job.pid()) {
                    self.mark_notified(job.id);
                }
                continue;
            }
            self.notify_job(&job);
            self.mark_notified(job.id);
        }
        self.jobs.clean();
    }

    fn notify_job(&mut self, job: &Job) {
        let monitor = self.options.is(Set::Monitor);
        match job.status() {
            None if job.state == JobState::Stopped => {
                let text = self.describe_job(job, JobStyle::Standard);
                self.print_error([b"\n", text.as_slice()].concat());
            }
            Some(WaitStatus::Signaled(signal)) if self.reports(signal) => {
                let text = self.describe_job(job, JobStyle::Message);
                self.error_text(&text);
            }
            // What `fg` waited for is no news.
            Some(_) if monitor && !job.foreground => {
                let text = self.describe_job(job, JobStyle::Standard);
                self.print_error(text);
            }
            _ => {}
        }
    }

    /// The signal is one whose victims are reported.
    fn reports(&self, signal: Signal) -> bool {
        !matches!(signal, Signal::INT | Signal::TERM | Signal::PIPE)
            && !self.traps.active.contains_key(&TrapKey::Signal(signal))
    }

    /// The message with the shell's prefix; it ends its own lines.
    fn error_text(&mut self, text: &[u8]) {
        self.error(text.strip_suffix(b"\n").unwrap_or(text));
    }

    /// The state of a job was shown.
    pub fn mark_notified(&mut self, id: u32) {
        self.jobs.change(id, |job| job.notified = true);
    }

    /// Says how processes in the foreground died, where bash does. The last one decides.
    pub(super) fn say_killed(&mut self, processes: &[Process]) {
        let killed = processes.iter().rev().find_map(|process| match process.status {
            Some(WaitStatus::Exited(0)) if self.options.is(Set::Pipefail) => None,
            status => Some(status),
        });
        let Some(Some(WaitStatus::Signaled(signal))) = killed else {
            return;
        };
        if self.in_substitution || matches!(signal, Signal::INT | Signal::PIPE) {
            return;
        }
        if !self.reports(signal) {
            self.print_error(format!("{}\n", signal.description()));
            return;
        }
        let job = Job {
            id: 0,
            processes: processes.to_vec(),
            state: JobState::Dead,
            group: false,
            keep: false,
            foreground: false,
            notified: true,
            inherited: false,
            directory: Arc::clone(&self.proc.cwd),
            _lease: None,
        };
        let text = self.describe_job(&job, JobStyle::Message);
        self.error_text(&text);
    }

    /// The lines that tell of a job.
    pub fn describe_job(&mut self, job: &Job, style: JobStyle) -> Vec<u8> {
        let mut text = Vec::new();
        if style != JobStyle::Message {
            let mark = match self.jobs.current() {
                (Some(current), _) if current == job.id => '+',
                (_, Some(previous)) if previous == job.id => '-',
                _ => ' ',
            };
            text.extend_from_slice(format!("[{}]{mark} ", job.id).as_bytes());
        }
        let tail = self.job_tail(job);
        let long = style != JobStyle::Standard;
        let count = job.processes.len();
        for (i, process) in job.processes.iter().enumerate() {
            self.describe_process(job, process, i, long, &mut text);
            if i + 1 == count {
                text.extend_from_slice(&tail);
            }
            if long || i + 1 == count {
                text.push(b'\n');
            }
        }
        text
    }

    fn describe_process(&self, job: &Job, process: &Process, index: usize, long: bool, text: &mut Vec<u8>) {
        let posix = self.options.is(Set::Posix);
        let state = |process: &Process| job.state_of(process, posix);
        match (index, long) {
            (0, _) => {}
            (_, true) => text.extend_from_slice(b"     "),
            (_, false) => text.extend_from_slice(b" |"),
        }
        if long {
            text.extend_from_slice(format!("{:5}", process.pid).as_bytes());
        }
        text.push(b' ');
        let shown = match (index, long) {
            (0, true) => Some(state(process)),
            (0, false) => job.last().map(state),
            (_, true) => {
                let same = job
                    .processes
                    .first()
                    .is_some_and(|first| first.status == process.status);
                Some(if same { String::new() } else { state(process) })
            }
            (_, false) => None,
        };
        if let Some(shown) = shown {
            // Nothing to say leaves room for the bar.
            let width = if shown.is_empty() {
                STATE_WIDTH - 2
            } else {
                STATE_WIDTH
            };
            text.extend_from_slice(format!("{shown:width$}").as_bytes());
        }
        if index > 0 && long {
            text.extend_from_slice(b"| ");
        }
        text.extend_from_slice(&process.text);
    }

    /// What follows the command: `&`, and where it runs when that is not here.
    fn job_tail(&mut self, job: &Job) -> Vec<u8> {
        let mut tail = Vec::new();
        if job.state == JobState::Running {
            tail.extend_from_slice(b" &");
        }
        if job.directory != self.proc.cwd {
            let directory = self.polite_directory(&job.directory);
            tail.extend_from_slice(&[b"  (wd: ", directory.as_slice(), b")"].concat());
        }
        tail
    }

    /// A directory with `~` in place of `HOME`.
    pub fn polite_directory(&mut self, directory: &[u8]) -> Vec<u8> {
        let home = self
            .scalar(b"HOME")
            .filter(|home| home.len() > 1)
            .unwrap_or_default();
        match directory.strip_prefix(home.as_slice()) {
            Some(rest) if !home.is_empty() && matches!(rest.first(), None | Some(b'/')) => {
                [b"~", rest].concat()
            }
            _ => directory.to_vec(),
        }
    }
}
