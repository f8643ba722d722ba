//! Pipelines of several stages, `time`, and background commands.

use std::sync::Arc;

use super::job::Process;
use super::{Divert, Flow, Interp, Set, Shopt, TrapKey};
use crate::fs::Device;
use crate::kernel::{Disposition, File, Pid, Signal, WaitStatus};
use crate::syntax::ast::{
    AndOr, Command, CompoundKind, Item, List, Part, Pipeline, Redirect, RedirectFd, RedirectOp, Stages,
    TimeFormat, Word,
};

/// How a pipeline runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    Foreground,
    Background,
}

impl Interp {
    /// Everything but a single command without `time`.
    pub(super) async fn long_pipeline(&mut self, pipeline: &Pipeline) -> Flow {
        let start = pipeline.time.map(|format| (format, self.proc.kernel.now()));
        let saved = self.context.unchecked;
        self.context.unchecked |= pipeline.negated;
        let result = match pipeline.commands.as_slice() {
            [] => Ok(0),
            [command] => self.command(command).await,
            _ => self.stages(&pipeline.commands, &pipeline.pipe_stderr).await,
        };
        self.context.unchecked = saved;
        if let Some((format, start)) = start {
            self.report_time(format, start);
            self.flush().await?;
        }
        let status = result?;
        self.status = if pipeline.negated {
            i32::from(status == 0)
        } else {
            status
        };
        Ok(self.status)
    }

    async fn stages(&mut self, commands: &Stages, pipe_stderr: &[bool]) -> Flow {
        self.flush().await?;
        let Some(last) = commands.last() else {
            return Ok(0);
        };
        self.debug_stages(commands).await?;
        let debugged = self.was_debugged(last);
        let (mut processes, input) = self.start_stages(commands, pipe_stderr, Manner::Foreground)?;
        let last_here = self.options.shopt(Shopt::Lastpipe) && !self.options.is(Set::Monitor);
        let mut own = None;
        if last_here {
            self.debugged = debugged;
            own = Some(self.last_stage_here(last, input).await);
            self.debugged = false;
        } else {
            let mut child = self.fork(self.stage_group(&processes), true)?;
            child.words_outside = matches!(last, Command::Simple(_));
            child.debugged = debugged;
            if let Some(input) = input {
                child.set_fd(0, input);
            }
            child.detached = true;
            child.jobs = self.jobs.inherited();
            let pid = child.proc.pid;
            let status = child
                .run_to_end(Body::stage(commands, commands.len() - 1))
                .await?;
            processes.push(Process {
                pid,
                text: Arc::default(),
                status: Some(status),
            });
        }
        for process in processes.iter_mut().filter(|process| process.status.is_none()) {
            process.status = Some(self.wait_child(process.pid).await);
        }
        let ended = |process: &Process| process.status.map_or(127, WaitStatus::code);
        let mut statuses: Vec<i32> = processes.iter().map(ended).collect();
        if let Some(own) = own {
            statuses.push(own?);
        }
        if processes.iter().any(was_killed) {
            for (process, command) in processes.iter_mut().zip(commands.iter()) {
                process.text = crate::syntax::print::print_command(command).into();
            }
            self.say_killed(&processes);
        }
        self.notify_jobs();
        let status = self.pipeline_status(&statuses);
        self.pipe_status = statuses;
        self.status = status;
        Ok(status)
    }

    /// The DEBUG trap runs in this shell before it starts a simple command as a process.
    async fn debug_stages(&mut self, commands: &[Command]) -> Flow<()> {
        if !self.noting {
            return Ok(());
        }
        for command in commands {
            if let Command::Simple(simple) = command {
                self.at_line(simple.line);
                self.debug_trap(simple.line, || crate::syntax::print::print_simple(simple))
                    .await?;
            }
        }
        Ok(())
    }

    fn was_debugged(&self, command: &Command) -> bool {
        matches!(command, Command::Simple(_)) && self.has_trap(TrapKey::Debug)
    }

    /// `lastpipe`: the last command runs in this shell.
    async fn last_stage_here(&mut self, command: &Command, input: Option<Arc<File>>) -> Flow {
        let old = input.map(|input| self.proc.fds.set(0, input, u32::MAX).ok().flatten());
        let result = self.command(command).await;
        if let Some(old) = old {
            let _ = match old {
                Some(file) => self.proc.fds.set(0, file, u32::MAX).map(drop),
                None => self.proc.fds.close(0).map(drop),
            };
        }
        result
    }

    /// The process group of the next stage: under `set -m` that of the first one.
    fn stage_group(&self, processes: &[Process]) -> Option<Pid> {
        self.options
            .is(Set::Monitor)
            .then(|| processes.first().map_or(0, |process| process.pid))
    }

    /// Starts all commands but the last, which write into a pipe each; what the last one reads is left.
    fn start_stages(
        &mut self,
        commands: &Stages,
        pipe_stderr: &[bool],
        manner: Manner,
    ) -> Flow<(Vec<Process>, Option<Arc<File>>)> {
        let mut processes = Vec::with_capacity(commands.len());
        let mut input: Option<Arc<File>> = None;
        // Made here, it is shared by all stages.
        self.vars.environment();
        for (i, command) in commands.iter().enumerate().take(commands.len().saturating_sub(1)) {
            let (reader, writer) = self.proc.kernel.pipe();
            let mut child = self.fork(self.stage_group(&processes), false)?;
            if manner == Manner::Background {
                child.go_background(i == 0);
            } else {
                child.jobs = self.jobs.inherited();
                child.words_outside = matches!(command, Command::Simple(_));
            }
            if let Some(input) = input.take() {
                child.set_fd(0, input);
            }
            child.set_fd(1, writer);
            child.debugged = self.was_debugged(command);
            child.detached = true;
            let text = match manner {
                Manner::Background => crate::syntax::print::print_command(command).into(),
                Manner::Foreground => Arc::default(),
            };
            processes.push(Process {
                pid: child.proc.pid,
                text,
                status: None,
            });
            child.start_task(match pipe_stderr.get(i) {
                Some(true) => Body::List(single(&joins_stderr(command))),
                _ => Body::stage(commands, i),
            });
            input = Some(reader);
        }
        Ok((processes, input))
    }

    fn pipeline_status(&self, statuses: &[i32]) -> i32 {
        let last = statuses.last().copied().unwrap_or(0);
        if self.options.is(Set::Pipefail) {
            return statuses
                .iter()
                .rev()
                .copied()
                .find(|status| *status != 0)
                .unwrap_or(0);
        }
        last
    }

    /// Waits for a child.
    pub(super) async fn wait_child(&mut self, pid: Pid) -> WaitStatus {
        self.proc
            .kernel
            .wait(pid)
            .await
            .unwrap_or(WaitStatus::Exited(127))
    }

    pub(super) fn set_fd(&mut self, fd: u32, file: Arc<File>) {
        let _ = self.proc.fds.set(fd, file, u32::MAX);
    }

    /// `command &`
    pub(super) async fn background(&mut self, and_or: &AndOr) -> Flow {
        self.flush().await?;
        if and_or.rest.is_empty() {
            self.debug_stages(&and_or.first.commands).await?;
        }
        let processes = match and_or {
            AndOr {
                first:
                    Pipeline {
                        commands,
                        pipe_stderr,
                        time: None,
                        ..
                    },
                rest,
            } if commands.len() > 1 && rest.is_empty() => self.background_stages(commands, pipe_stderr)?,
            _ => vec![self.background_list(and_or)?],
        };
        self.last_background = processes.last().map(|process| process.pid);
        self.update_jobs();
        self.jobs.clean();
        let id = self.jobs.add(
            processes,
            self.options.is(Set::Monitor),
            Arc::clone(&self.proc.cwd),
            self.proc.kernel.lease(),
        );
        if let Some(pid) = self.last_background.filter(|_| self.is_interactive()) {
            self.print_error(format!("[{id}] {pid}\n"));
        }
        self.status = 0;
        self.set_pipe_status(0);
        Ok(0)
    }

    /// Each stage is a child of this shell, so that `jobs` and `kill` see it.
    fn background_stages(&mut self, commands: &Stages, pipe_stderr: &[bool]) -> Flow<Vec<Process>> {
        let Some(last) = commands.last() else {
            return Ok(Vec::new());
        };
        let (mut processes, input) = self.start_stages(commands, pipe_stderr, Manner::Background)?;
        let mut child = self.fork(self.stage_group(&processes), false)?;
        child.debugged = self.was_debugged(last);
        child.go_background(false);
        if let Some(input) = input {
            child.set_fd(0, input);
        }
        let text = crate::syntax::print::print_command(last).into();
        processes.push(Process {
            pid: child.proc.pid,
            text,
            status: None,
        });
        child.start_task(Body::stage(commands, commands.len() - 1));
        Ok(processes)
    }

    fn background_list(&mut self, and_or: &AndOr) -> Flow<Process> {
        let mut child = self.fork(self.stage_group(&[]), false)?;
        if let ([command], []) = (and_or.first.commands.as_slice(), and_or.rest.as_slice()) {
            child.debugged = self.was_debugged(command);
        }
        child.go_background(true);
        // A `!` in front is lost in the background.
        let mut and_or = and_or.clone();
        if and_or.rest.is_empty() {
            and_or.first.negated = false;
        }
        let text = crate::syntax::print::print_and_or(&and_or).into();
        let process = Process {
            pid: child.proc.pid,
            text,
            status: None,
        };
        let list = match (and_or.first.commands.as_slice(), and_or.rest.as_slice()) {
            ([command], []) if and_or.first.time.is_none() => single(command),
            _ => Arc::new(list_of(and_or)),
        };
        child.start_task(Body::List(list));
        Ok(process)
    }

    /// What a background process is spared without job control: input, and signals from the keyboard.
    fn go_background(&mut self, reads_nothing: bool) {
        if !self.options.is(Set::Monitor) {
            if reads_nothing && !self.detached {
                let null = File::device(&self.proc.kernel, Device::Null, crate::fs::OpenFlags::READ);
                self.set_fd(0, Arc::new(null));
            }
            for signal in [Signal::INT, Signal::QUIT] {
                self.proc.signals.set(signal, Disposition::Ignore);
            }
        }
        self.detached = true;
    }

    fn report_time(&mut self, format: TimeFormat, start: crate::fs::Timestamp) {
        let real = crate::kernel::between(start, self.proc.kernel.now());
        let text = match format {
            TimeFormat::Posix => b"real %2R\nuser %2U\nsys %2S".to_vec(),
            TimeFormat::Default => self
                .scalar(b"TIMEFORMAT")
                .unwrap_or_else(|| b"\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS".to_vec()),
        };
        if text.is_empty() {
            return;
        }
        match time_text(&text, real) {
            Ok(line) => self.print_error([&line, b"\n".as_slice()].concat()),
            Err(letter) => {
                let letter = char::from(letter);
                self.error(format!("TIMEFORMAT: `{letter}': invalid format character"));
            }
        }
    }
}

/// `TIMEFORMAT`: `%[p][l]R`, `U`, `S`, `%P`, `%%`. All time is the caller's: no process is charged separately.
/// A letter that is none of these is given back.
fn time_text(format: &[u8], real: std::time::Duration) -> Result<Vec<u8>, u8> {
    let mut out = Vec::new();
    let mut bytes = format.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let mut precision = 3usize;
        let mut long = false;
        if let Some(digit) = bytes.next_if(u8::is_ascii_digit) {
            precision = usize::from(digit - b'0').min(6);
        }
        if bytes.next_if_eq(&b'l').is_some() {
            long = true;
        }
        match bytes.next() {
            Some(b'%') => out.push(b'%'),
            Some(b'P') => out.extend_from_slice(b"100.00"),
            Some(b'R') => out.extend_from_slice(seconds(real, precision, long).as_bytes()),
            Some(b'U' | b'S') => {
                out.extend_from_slice(seconds(std::time::Duration::ZERO, precision, long).as_bytes())
            }
            Some(other) => return Err(other),
            None => out.push(b'%'),
        }
    }
    Ok(out)
}

fn seconds(time: std::time::Duration, precision: usize, long: bool) -> String {
    let micros = time.as_micros();
    let (minutes, rest) = if long {
        (micros / 60_000_000, micros % 60_000_000)
    } else {
        (0, micros)
    };
    let scale = 10u128.pow(6 - precision as u32);
    let fraction = rest % 1_000_000 / scale;
    let whole = rest / 1_000_000;
    let number = if precision == 0 {
        whole.to_string()
    } else {
        format!("{whole}.{fraction:0precision$}")
    };
    if long {
        format!("{minutes}m{number}s")
    } else {
        number
    }
}

/// The line of a pipeline that was made for one stage of another. Its failure is that one's, and not looked at twice.
pub(super) const STAGE: u32 = 0;

/// What a process of the shell's own runs.
pub(super) enum Body {
    /// A list.
    List(Arc<List>),
    /// A command of a pipeline, by its number.
    Stage(Arc<[Command]>, usize),
}

impl Body {
    /// A command of a pipeline. The process of a stage is also that of a `( … )`.
    fn stage(commands: &Stages, at: usize) -> Body {
        match (commands, commands.get(at)) {
            (Stages::Many(commands), Some(command)) if !is_subshell(command) => {
                Body::Stage(Arc::clone(commands), at)
            }
            (_, Some(command)) => Body::List(single(command)),
            (_, None) => Body::List(Arc::default()),
        }
    }
}

fn is_subshell(command: &Command) -> bool {
    matches!(command, Command::Compound(compound) if matches!(compound.kind, CompoundKind::Subshell(_)))
}

/// The process was ended by a signal.
fn was_killed(process: &Process) -> bool {
    matches!(process.status, Some(WaitStatus::Signaled(_)))
}

/// A command as the list of a process of its own, which is also the process of a `( … )`.
pub(super) fn single(command: &Command) -> Arc<List> {
    let mut command = command.clone();
    if let Command::Compound(compound) = &mut command
        && let CompoundKind::Subshell(body) = &compound.kind
    {
        if compound.redirects.is_empty() {
            return Arc::clone(body);
        }
        let group = CompoundKind::Group(List::clone(body));
        Arc::make_mut(compound).kind = group;
    }
    let pipeline = Pipeline {
        time: None,
        negated: false,
        commands: Stages::One(command),
        pipe_stderr: Vec::new(),
        line: STAGE,
    };
    Arc::new(list_of(AndOr {
        first: pipeline,
        rest: Vec::new(),
    }))
}

fn list_of(and_or: AndOr) -> List {
    List {
        items: vec![Item {
            and_or,
            background: false,
            newline: false,
        }],
    }
}

impl Interp {
    /// Gives this process a task of its own that runs a list and ends the process.
    pub(super) fn start_task(mut self: Box<Self>, body: Body) {
        let (kernel, pid) = (self.proc.kernel.clone(), self.proc.pid);
        self.nest = 0;
        let task = async move {
            let status = self.subshell_body(&body).await;
            let (kernel, pid) = (self.proc.kernel.clone(), self.proc.pid);
            drop(self);
            match status {
                Ok(status) => kernel.exit_process(pid, status),
                Err(_) => std::future::pending().await,
            }
        };
        kernel.spawn_task(pid, Box::pin(task));
    }

    /// Runs a list in this process to its end, inside the caller's task or, when deep, in one of its own.
    pub(super) async fn run_to_end(mut self: Box<Self>, body: Body) -> Flow<WaitStatus> {
        let (kernel, pid) = (self.proc.kernel.clone(), self.proc.pid);
        self.nest += 1;
        if self.nest >= super::HOP || crate::stack::is_half_used() {
            self.start_task(body);
        } else {
            let status = Box::pin(self.subshell_body(&body)).await;
            drop(self);
            match status {
                Ok(status) => kernel.exit_process(pid, status),
                Err(divert) => return Err(divert),
            }
        }
        Ok(kernel.wait(pid).await.unwrap_or(WaitStatus::Exited(127)))
    }

    /// The status a process ends with: the list's, after the EXIT trap.
    async fn subshell_body(&mut self, body: &Body) -> Flow<WaitStatus> {
        let flow = match body {
            Body::Stage(commands, at) => match commands.get(*at) {
                Some(command) => self.command_as_process(command, true).await,
                None => Ok(0),
            },
            Body::List(list) => match super::list::only_command(list) {
                Some(command) => {
                    let first = list.items.first();
                    let stage = first.is_some_and(|item| item.and_or.first.line == STAGE);
                    self.command_as_process(command, stage).await
                }
                None => self.list(list).await,
            },
        };
        self.finish_process(flow).await
    }

    async fn command_as_process(&mut self, command: &Command, stage: bool) -> Flow {
        // A lone program takes this process over.
        self.tail = matches!(command, Command::Simple(_));
        let status = self.command(command).await?;
        if self.proc.signals.is_pending() {
            self.run_pending_traps().await?;
        }
        let counts = !stage && !self.context.unchecked;
        if status != 0 && counts && matches!(command, Command::Simple(_)) {
            return self.command_failed(status).await;
        }
        Ok(status)
    }

    /// What is left to do when a process ends: the EXIT trap, its output.
    pub(super) async fn finish_process(&mut self, flow: Flow) -> Flow<WaitStatus> {
        let status = match flow {
            Ok(status) | Err(Divert::Exit(status) | Divert::Return(status) | Divert::Discard(status)) => {
                status
            }
            Err(Divert::Break(_) | Divert::Continue(_)) => self.status,
            Err(Divert::Kill(signal)) => {
                if signal != Signal::KILL {
                    self.run_exit_trap(128 + i32::from(signal.number())).await?;
                }
                let _ = self.flush().await;
                return Ok(WaitStatus::Signaled(signal));
            }
            Err(halt @ Divert::Halt(_)) => return Err(halt),
        };
        self.status = status;
        let status = match self.run_exit_trap(status).await {
            Ok(status) => status,
            Err(Divert::Kill(signal)) => return Ok(WaitStatus::Signaled(signal)),
            Err(halt @ Divert::Halt(_)) => return Err(halt),
            Err(Divert::Exit(status)) => status,
            Err(_) => self.status,
        };
        self.save_history().await;
        match self.flush().await {
            Ok(()) => Ok(WaitStatus::Exited(status as u8)),
            Err(Divert::Kill(signal)) => Ok(WaitStatus::Signaled(signal)),
            Err(divert) => Err(divert),
        }
    }
}

/// `|&` is `2>&1 |` behind the command's own redirections.
fn joins_stderr(command: &Command) -> Command {
    let word = Word {
        parts: vec![Part::Literal(b"1"[..].into())],
        pure: true,
        ..Word::default()
    };
    let mut command = command.clone();
    match &mut command {
        Command::Simple(simple) => simple.redirects.push(Redirect {
            fd: Some(RedirectFd::Number(2)),
            op: RedirectOp::DuplicateOutput(word),
            line: simple.line,
        }),
        Command::Compound(compound) => {
            let line = compound.line;
            Arc::make_mut(compound).redirects.push(Redirect {
                fd: Some(RedirectFd::Number(2)),
                op: RedirectOp::DuplicateOutput(word),
                line,
            });
        }
        _ => {}
    }
    command
}
