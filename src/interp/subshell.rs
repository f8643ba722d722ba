//! Subshells: `( … )`, command substitution, process substitution, coprocesses, and moving deep work to a new task.

use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

use super::job::{Jobs, Process};
use super::pipeline::Body;
use super::{Divert, ExpandFailure, Flow, HOP, Interp, Set, Shopt};
use crate::fs::OpenFlags;
use crate::kernel::{BoxFuture, File, Pid, Proc, WaitStatus, lock};
use crate::stack;
use crate::syntax::ast::{List, Substitution, Word};

/// Bytes that a level of nesting takes on the heap, about: its futures, its frame and scope.
const LEVEL: usize = 2048;

impl Interp {
    /// A child process with a copy of this shell. `inline`: it runs inside the caller's task.
    pub(super) fn fork(&self, group: Option<Pid>, inline: bool) -> Flow<Box<Interp>> {
        // What is copied at once; the rest is shared until it changes.
        let copied = self.last_argument.len() + self.proc.fds.places() * 16;
        self.proc.kernel.meter().charge(copied as u64 / 8)?;
        let proc = self.proc.fork(group, inline)?;
        let mut child = Box::new(self.copy(proc));
        child.reset_traps();
        Ok(child)
    }

    /// The state of a child: everything but what this shell is in the midst of, its jobs and its buffers.
    fn copy(&self, proc: Proc) -> Interp {
        Interp {
            random: proc.kernel.random() & 0x7fff_ffff,
            proc,
            vars: self.vars.clone(),
            functions: Arc::clone(&self.functions),
            aliases: Arc::clone(&self.aliases),
            traps: Arc::clone(&self.traps),
            jobs: Jobs::default(),
            positional: Arc::clone(&self.positional),
            first_arguments: self.first_arguments.clone(),
            zero: Arc::clone(&self.zero),
            pipe_status: self.pipe_status.clone(),
            frames: self.frames.clone(),
            command_text: self.command_text.clone(),
            subshell: self.subshell + u32::from(!self.words_outside),
            words_outside: false,
            preparing: false,
            directories: Arc::clone(&self.directories),
            hashed: Arc::clone(&self.hashed),
            disabled: Arc::clone(&self.disabled),
            execution_string: self.execution_string.clone(),
            in_trap: 0,
            trap: None,
            trace_prompt: self.trace_prompt.clone(),
            ifs: Arc::clone(&self.ifs),
            buffers: Vec::new(),
            spare_args: Vec::new(),
            pending: Vec::new(),
            last_argument: self.last_argument.clone(),
            declared: Vec::new(),
            process_fds: Vec::new(),
            tail: false,
            history: Arc::clone(&self.history),
            completions: Arc::clone(&self.completions),
            last_format: self.last_format.clone(),
            last_substitution: None,
            waiting: None,
            levels: Vec::new(),
            patterns: Arc::clone(&self.patterns),
            last_regex: self.last_regex.clone(),
            coprocs: Vec::new(),
            written_elements: Vec::new(),
            ..*self
        }
    }

    /// `( … )`
    pub(super) async fn subshell(&mut self, body: &Arc<List>) -> Flow {
        self.flush().await?;
        let mut child = self.fork(None, true)?;
        // A loop outside is not one to leave from here.
        child.context.loops = 0;
        let pid = child.proc.pid;
        let ended = child.run_to_end(Body::List(Arc::clone(body))).await?;
        if let WaitStatus::Signaled(_) = ended {
            let text = [b"( ", crate::syntax::print::print_list(body).as_slice(), b" )"]
                .concat()
                .into();
            self.say_killed(&[Process {
                pid,
                text,
                status: Some(ended),
            }]);
        }
        self.notify_jobs();
        self.status = ended.code();
        self.set_pipe_status(self.status);
        Ok(self.status)
    }

    /// `$( … )`: the output, without NUL bytes and trailing newlines.
    pub(super) async fn command_substitution(
        &mut self,
        substitution: &Substitution,
    ) -> Result<Vec<u8>, ExpandFailure> {
        if let Some(word) = &substitution.file {
            return self.read_file(word).await;
        }
        if let Some(error) = &substitution.error {
            let status = self.say_syntax_error(error, b"command substitution");
            self.substitution_status = Some(status);
            return Ok(Vec::new());
        }
        self.flush().await?;
        let collector = Arc::new(File::collector(&self.proc.kernel));
        let mut child = self.fork(None, true)?;
        child.evals += 1;
        child.set_fd(1, Arc::clone(&collector));
        child.jobs = self.jobs.inherited();
        child.in_substitution = true;
        if !self.options.shopt(Shopt::InheritErrexit) && !self.options.is(Set::Posix) {
            child.options.set(Set::Errexit, false);
        }
        if let Some(first) = first_line(&substitution.body) {
            child.line_shift = i64::from(self.line) - i64::from(first);
        }
        let body = Body::List(Arc::clone(&substitution.body));
        let status = child.run_to_end(body).await?.code();
        // An empty one succeeds.
        let status = if substitution.body.items.is_empty() {
            0
        } else {
            status
        };
        // Background commands that still hold the stream keep it open, as a pipe would be.
        self.wait_for_writers(&collector).await;
        self.substitution_status = Some(status);
        self.status = status;
        let mut output = collector.take_collected();
        self.proc
            .kernel
            .meter()
            .charge_bytes(output.len())
            .map_err(Divert::from)?;
        self.trim_substituted(&mut output);
        Ok(output)
    }

    /// Takes out NUL bytes, with a warning, and newlines at the end.
    fn trim_substituted(&mut self, output: &mut Vec<u8>) {
        if memchr::memchr(0, output).is_some() {
            output.retain(|byte| *byte != 0);
            self.error(b"warning: command substitution: ignored null byte in input");
        }
        while output.last() == Some(&b'\n') {
            output.pop();
        }
    }

    async fn wait_for_writers(&self, collector: &Arc<File>) {
        let signals = Arc::clone(&self.proc.signals);
        if Arc::strong_count(collector) > 1 {
            self.proc
                .kernel
                .wait_any(&signals, || (Arc::strong_count(collector) == 1).then_some(()))
                .await;
        }
    }

    async fn read_file(&mut self, word: &Word) -> Result<Vec<u8>, ExpandFailure> {
        let mut fields = Vec::new();
        crate::expand::word::fields(self, std::slice::from_ref(word), &mut fields).await?;
        let path = fields.into_iter().next().unwrap_or_default();
        let file = match self.proc.open(&path, OpenFlags::READ).await {
            Ok(file) => file,
            Err(errno) => {
                self.error([path.as_slice(), format!(": {errno}").as_bytes()].concat());
                // No command runs that could have failed, and so nothing keeps `set -e` from acting at once.
                if self.options.is(Set::Errexit) {
                    self.status = 1;
                    return Err(self.leave_shell(1).into());
                }
                self.substitution_status = Some(1);
                return Ok(Vec::new());
            }
        };
        let mut output = Vec::new();
        let mut lease = self.proc.kernel.lease();
        while let Ok(1..) = file.read(&mut output, 1 << 16).await {
            lease.resize(output.len()).map_err(Divert::from)?;
        }
        self.trim_substituted(&mut output);
        self.substitution_status = Some(0);
        Ok(output)
    }

    /// `<( … )` and `>( … )`: a pipe under `/dev/fd`.
    pub(super) fn process_substitution(&mut self, write: bool, body: &Arc<List>) -> Flow<Vec<u8>> {
        let (reader, writer) = self.proc.kernel.pipe();
        let mut child = self.fork(None, false)?;
        child.forget_inherited_traps();
        let (ours, theirs) = if write { (writer, reader) } else { (reader, writer) };
        child.set_fd(u32::from(!write), theirs);
        let pid = child.proc.pid;
        child.start_task(Body::List(Arc::clone(body)));
        self.last_background = Some(pid);
        self.last_substitution = Some(pid);
        let limit = self.proc.open_files;
        // bash takes the highest free number below 64.
        let fd = (4..=63).rev().find(|fd| self.proc.fds.get(*fd).is_err());
        let fd = match fd {
            Some(fd) => self.proc.fds.set(fd, ours, limit).map(|_| fd),
            None => self.proc.fds.insert(ours, 64, limit),
        };
        let Ok(fd) = fd else {
            return Err(Divert::Discard(1));
        };
        self.process_fds.push(fd);
        Ok(format!("/dev/fd/{fd}").into_bytes())
    }

    /// Closes descriptors of process substitutions that were opened since `first`.
    pub(super) fn close_process_fds(&mut self, first: usize) {
        while self.process_fds.len() > first {
            if let Some(fd) = self.process_fds.pop() {
                let _ = self.proc.fds.close(fd);
            }
        }
    }

    /// Runs `work` on this shell in a task of its own, so that the host's stack starts anew; the caller waits.
    pub(super) async fn on_new_task<F>(&mut self, work: F) -> Flow
    where
        F: for<'a> FnOnce(&'a mut Interp) -> BoxFuture<'a, Flow> + Send + 'static,
    {
        let hollow = self.hollow();
        let mut moved = std::mem::replace(self, hollow);
        let (kernel, pid) = (moved.proc.kernel.clone(), moved.proc.pid);
        let slot: Arc<Mutex<Handover>> = Arc::default();
        let ours = Arc::clone(&slot);
        let nest = std::mem::replace(&mut moved.nest, 0);
        let mut lease = kernel.lease();
        lease.grow(HOP as usize * LEVEL)?;
        let task = async move {
            let flow = work(&mut moved).await;
            let mut slot = lock(&slot);
            slot.value = Some((Box::new(moved), flow));
            if let Some(waker) = slot.waker.take() {
                waker.wake();
            }
        };
        kernel.spawn_task(pid, Box::pin(task));
        let (back, flow) = std::future::poll_fn(|cx| {
            let mut slot = lock(&ours);
            match slot.value.take() {
                Some(value) => Poll::Ready(value),
                None => {
                    slot.waker = Some(cx.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await;
        *self = *back;
        self.nest = nest;
        flow
    }

    /// A command of this line of the tree runs.
    #[inline]
    pub(super) fn at_line(&mut self, line: u32) {
        self.line = u32::try_from(i64::from(line) + self.line_shift).unwrap_or(line);
    }

    /// One level deeper; says whether a new task is due. The twin of [`Interp::leave`].
    pub(super) fn enter(&mut self) -> Flow<bool> {
        self.nest += 1;
        Ok(self.hops_at(self.nest))
    }

    /// This level of nesting goes on in a task of its own. Without optimisation a few levels fill the host's stack.
    #[inline]
    pub(super) fn hops_at(&self, nest: u32) -> bool {
        nest.is_multiple_of(HOP) || stack::is_half_used()
    }

    /// One level up.
    pub(super) fn leave(&mut self) {
        self.nest = self.nest.saturating_sub(1);
    }
}

/// The line of the first command of a list.
fn first_line(list: &List) -> Option<u32> {
    list.items.first().map(|item| item.and_or.first.line)
}

/// A shell on its way back from a task.
#[derive(Default)]
struct Handover {
    value: Option<(Box<Interp>, Flow)>,
    waker: Option<Waker>,
}
