//! A process as its own code sees it: arguments, environment, working directory, descriptors, files.
//!
//! This is all that a program gets; it never sees shell state. Standard output is buffered here and flushed when it is
//! large and at the end, as C's `stdout` is when it is no terminal; standard error is not buffered.

use std::sync::Arc;
use std::time::Duration;

use super::fd::Fds;
use super::file::File;
use super::process::{Pid, WaitStatus};
use super::signal::{Disposition, Signal, SignalState};
use super::{Environment, Halt, Kernel, after};
use crate::fs::{
    Credentials, Device, DirEntry, Errno, FileKind, Follow, Fs, Metadata, OpenFlags, Opened, View,
};

/// Why a program ends before its `main` returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The run is halted.
    Halt(Halt),
    /// `exit(status)`.
    Exit(i32),
    /// Ended by a signal of its own doing (`SIGPIPE`).
    Signal(Signal),
}

impl From<Halt> for Stop {
    fn from(halt: Halt) -> Self {
        Stop::Halt(halt)
    }
}

/// A process.
#[derive(Clone)]
pub struct Proc {
    /// The system.
    pub kernel: Kernel,
    /// The file tree.
    pub fs: Fs,
    /// Its number.
    pub pid: Pid,
    /// Its parent's number.
    pub parent: Pid,
    /// Arguments, the name it was called by first.
    pub args: Vec<Vec<u8>>,
    /// Its environment.
    pub environment: Environment,
    /// Working directory, absolute.
    pub cwd: Arc<[u8]>,
    /// File mode creation mask.
    pub umask: u32,
    /// Who it runs as.
    pub user: Credentials,
    /// Open descriptors.
    pub fds: Fds,
    /// What it does with signals.
    pub signals: Arc<SignalState>,
    /// Nesting of processes and calls that led here; bounded by [`super::Limits::depth`].
    pub depth: u32,
    /// Descriptors it may have (`ulimit -n`).
    pub open_files: u32,
    /// What `ulimit` shows.
    pub resources: super::Resources,
    /// What a failed write to standard output leads to.
    pub write_failure: WriteFailure,
    stdout: Vec<u8>,
}

/// The end of a program whose standard output cannot be written: GNU programs differ in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteFailure {
    /// The exit status.
    pub status: i32,
    /// What stands before the error.
    pub sentence: &'static str,
}

impl Default for WriteFailure {
    /// As coreutils do.
    fn default() -> Self {
        WriteFailure {
            status: 1,
            sentence: "write error",
        }
    }
}

impl std::fmt::Debug for Proc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Proc")
            .field("pid", &self.pid)
            .field("args", &self.args)
            .finish_non_exhaustive()
    }
}

/// How to start a child: what it does not say is inherited.
#[derive(Debug, Default)]
pub struct Launch {
    /// Arguments, the command first; it is looked up along `PATH`.
    pub args: Vec<Vec<u8>>,
    /// The whole environment.
    pub environment: Option<Vec<(Vec<u8>, Vec<u8>)>>,
    /// The working directory.
    pub cwd: Option<Vec<u8>>,
    /// Descriptors that differ.
    pub fds: Vec<(u32, Arc<File>)>,
    /// A process group of its own.
    pub new_group: bool,
    /// `argv[0]`, when it is not the command.
    pub name: Option<Vec<u8>>,
}

/// Standard output is flushed when it holds this much.
const STDOUT_BUFFER: usize = 32 << 10;

impl Proc {
    /// A first process.
    pub fn new(kernel: Kernel, fs: Fs, pid: Pid, fds: Fds, user: Credentials) -> Proc {
        let limits = kernel.meter().limits();
        let (open_files, resources) = (limits.open_files, super::Resources::new(&limits));
        Proc {
            kernel,
            fs,
            pid,
            parent: 1,
            args: Vec::new(),
            environment: Environment::default(),
            cwd: Arc::from(&b"/"[..]),
            umask: 0o022,
            user,
            fds,
            signals: Arc::default(),
            depth: 0,
            open_files,
            resources,
            write_failure: WriteFailure::default(),
            stdout: Vec::new(),
        }
    }

    /// The name it was called by.
    pub fn name(&self) -> &[u8] {
        self.args.first().map_or(b"", Vec::as_slice)
    }

    /// Arguments without the name.
    pub fn arguments(&self) -> &[Vec<u8>] {
        self.args.get(1..).unwrap_or_default()
    }

    /// An environment variable.
    pub fn variable(&self, name: &[u8]) -> Option<&[u8]> {
        self.environment.get(name)
    }

    /// What the file tree needs to know about who asks.
    #[inline]
    pub fn view(&self) -> View<'_> {
        View {
            cwd: &self.cwd,
            umask: self.umask,
            user: self.user,
            now: self.kernel.now(),
        }
    }

    /// Charges the meter.
    #[inline]
    pub fn charge(&self, units: u64) -> Result<(), Stop> {
        Ok(self.kernel.meter().charge(units)?)
    }

    /// Standard input; `EBADF` when closed.
    pub fn stdin(&self) -> Result<Arc<File>, Errno> {
        self.fds.get(0).cloned()
    }

    /// Opens a file. Waits only for the other side of a named pipe.
    pub async fn open(&self, path: &[u8], flags: OpenFlags) -> Result<Arc<File>, Errno> {
        self.open_mode(path, flags, 0o666).await
    }

    /// Opens a file, giving a new one `mode` less the mask.
    pub async fn open_mode(&self, path: &[u8], flags: OpenFlags, mode: u32) -> Result<Arc<File>, Errno> {
        if let Some(fd) = crate::fs::descriptor_of_path(path) {
            return self.reopen(fd, flags);
        }
        self.call(path, 2 * super::cost::PATH)?;
        self.ask_before_open(path, flags)?;
        // Who wants to write is refused by the tree.
        if !flags.write
            && let Some(file) = self.open_moment(path)
        {
            return file.map(Arc::new);
        }
        let opened = self.fs.open(&self.view(), path, flags, mode)?;
        let file = match opened {
            Opened::File(node) => File::node(&self.kernel, node, flags),
            Opened::Directory(node) => File::directory(&self.kernel, node),
            Opened::Fifo(node) => File::open_fifo(&self.kernel, node, flags).await,
            Opened::Device(device, _) => match device.descriptor() {
                Some(fd) => return self.reopen(fd, flags),
                None if device == Device::Tty => return Err(Errno::ENXIO),
                None => File::device(&self.kernel, device, flags),
            },
        };
        Ok(Arc::new(file))
    }

    /// Opens what a descriptor refers to by its path: as on Linux, a file anew, and the same pipe.
    fn reopen(&self, fd: u32, flags: OpenFlags) -> Result<Arc<File>, Errno> {
        let file = self.fds.get(fd).map_err(|_| Errno::ENOENT)?;
        Ok(match file.reopened(flags)? {
            Some(anew) => Arc::new(anew),
            None => Arc::clone(file),
        })
    }

    /// Opens an operand of a text program: `-` is standard input.
    pub async fn open_operand(&self, path: &[u8]) -> Result<Arc<File>, Errno> {
        if path == b"-" {
            self.stdin()
        } else {
            self.open(path, OpenFlags::READ).await
        }
    }

    /// What `stat` or `lstat` answers; descriptors' paths answer for their file.
    pub fn metadata(&self, path: &[u8], follow: Follow) -> Result<Metadata, Errno> {
        if let Some(fd) = crate::fs::descriptor_of_path(path) {
            let file = self.descriptor_metadata(fd)?;
            if follow == Follow::Yes {
                return Ok(file);
            }
        }
        if let Some(metadata) = self.process_metadata(path, follow) {
            return metadata;
        }
        self.call(path, super::cost::PATH)?;
        self.fs.metadata(&self.view(), path, follow)
    }

    /// What a descriptor's path answers for its file: a pipe is its process's own.
    pub(super) fn descriptor_metadata(&self, fd: u32) -> Result<Metadata, Errno> {
        let file = self.fds.get(fd).map_err(|_| Errno::ENOENT)?;
        let mut found = file.metadata()?;
        if file.open_node().is_none() && found.kind != FileKind::CharDevice {
            (found.uid, found.gid) = (self.user.uid, self.user.gid);
        }
        Ok(found)
    }

    /// The entries of a directory, sorted by name, without `.` and `..`.
    pub fn read_dir(&self, path: &[u8]) -> Result<Vec<DirEntry>, Errno> {
        let entries = match self.listed_descriptors(path) {
            Some(entries) => entries,
            None => self.fs.read_dir(&self.view(), path)?,
        };
        self.call(path, entries.len() as u64 * 2 + super::cost::PATH)?;
        Ok(entries)
    }

    /// Writes to standard output through the buffer.
    #[inline]
    pub async fn write(&mut self, data: &[u8]) -> Result<(), Stop> {
        self.stdout.extend_from_slice(data);
        if self.stdout.len() >= STDOUT_BUFFER {
            self.flush().await
        } else {
            Ok(())
        }
    }

    /// The buffer of standard output, for code that formats in place; follow it with [`Proc::flush_if_full`].
    #[inline]
    pub fn out(&mut self) -> &mut Vec<u8> {
        &mut self.stdout
    }

    /// Flushes standard output when the buffer is large.
    #[inline]
    pub async fn flush_if_full(&mut self) -> Result<(), Stop> {
        if self.stdout.len() >= STDOUT_BUFFER {
            self.flush().await
        } else {
            Ok(())
        }
    }

    /// Flushes standard output. An error is reported and ends the program, by default as coreutils do ([`WriteFailure`]).
    pub async fn flush(&mut self) -> Result<(), Stop> {
        let Err(errno) = self.try_flush().await? else {
            return Ok(());
        };
        let WriteFailure { status, sentence } = self.write_failure;
        let message = format!("{sentence}: {errno}");
        self.report(message.as_bytes()).await?;
        Err(Stop::Exit(status))
    }

    /// Flushes standard output; an error that does not end the program by itself is for the caller to report.
    pub async fn try_flush(&mut self) -> Result<Result<(), Errno>, Stop> {
        if self.stdout.is_empty() {
            return Ok(Ok(()));
        }
        let data = std::mem::take(&mut self.stdout);
        let result = match self.fds.get(1) {
            Ok(file) => file.write_all(&data).await,
            Err(errno) => Err(errno),
        };
        self.stdout = data;
        self.stdout.clear();
        let Err(errno) = result else {
            return Ok(Ok(()));
        };
        if let Some(halt) = self.kernel.meter().halted() {
            return Err(Stop::Halt(halt));
        }
        if errno == Errno::EPIPE && self.signals.disposition(Signal::PIPE) == Disposition::Default {
            return Err(Stop::Signal(Signal::PIPE));
        }
        Ok(Err(errno))
    }

    /// Prints `NAME: message` and a newline on standard error, after what standard output has buffered, as `error(3)` does.
    pub async fn warn(&mut self, message: impl AsRef<[u8]>) -> Result<(), Stop> {
        self.flush().await?;
        self.report(message.as_ref()).await
    }

    /// `NAME` is what the program was called by: `/bin/cat: x: No such file or directory`.
    async fn report(&mut self, message: &[u8]) -> Result<(), Stop> {
        let line = [self.name(), b": ", message, b"\n"].concat();
        self.write_error(&line).await
    }

    /// Writes to standard error as it is.
    pub async fn write_error(&mut self, data: &[u8]) -> Result<(), Stop> {
        let Ok(file) = self.fds.get(2).cloned() else {
            return Ok(());
        };
        match file.write_all(data).await {
            Err(Errno::EPIPE) if self.signals.disposition(Signal::PIPE) == Disposition::Default => {
                Err(Stop::Signal(Signal::PIPE))
            }
            // There is nowhere to say that standard error cannot be written.
            _ => Ok(()),
        }
    }

    /// Flushes what is left after `main`.
    pub(super) async fn finish(&mut self, result: Result<i32, Stop>) -> Result<i32, Stop> {
        match result {
            Ok(code) => {
                self.flush().await?;
                Ok(code)
            }
            Err(Stop::Exit(code)) => {
                self.flush().await?;
                Ok(code)
            }
            Err(stop) => Err(stop),
        }
    }

    /// Waits for a time.
    pub async fn sleep(&self, duration: Duration) {
        let at = after(self.kernel.now(), duration);
        self.kernel.sleep_until(at).await;
    }

    /// A child's view of the system: same descriptors and directory, its own number.
    pub fn fork(&self, group: Option<Pid>, inline: bool) -> Result<Proc, Halt> {
        let depth = self.depth + 1;
        if depth > self.kernel.meter().depth_limit() {
            self.kernel.meter().stop(Halt::Depth);
            return Err(Halt::Depth);
        }
        let signals = Arc::new(self.signals.inherit());
        let pid = self
            .kernel
            .new_process(self.pid, group, Arc::clone(&signals), inline)?;
        Ok(Proc {
            kernel: self.kernel.clone(),
            fs: self.fs.clone(),
            pid,
            parent: self.pid,
            args: self.args.clone(),
            environment: self.environment.clone(),
            cwd: Arc::clone(&self.cwd),
            fds: self.fds.clone(),
            signals,
            depth,
            resources: self.resources.clone(),
            write_failure: WriteFailure::default(),
            stdout: Vec::new(),
            ..*self
        })
    }

    /// Starts a program as a child, in a task of its own.
    pub fn spawn(&self, launch: Launch) -> Result<Pid, Errno> {
        let command = launch.args.first().cloned().unwrap_or_default();
        let mut child = self.clone();
        child.stdout = Vec::new();
        child.fds = self.fds.inherited();
        child.args = launch.args;
        if let Some(environment) = launch.environment {
            child.environment = environment.into();
        }
        if let Some(cwd) = launch.cwd {
            child.cwd = cwd.into();
        }
        let path = child.find_program(&command)?;
        if let (Some(name), Some(first)) = (launch.name, child.args.first_mut()) {
            *first = name;
        }
        let program = match child.load(&path) {
            // A script without `#!` runs in sh, as execvp does.
            Err(Errno::ENOEXEC) => {
                let rest = child.args.split_off(1.min(child.args.len()));
                child.args = [b"/bin/sh".to_vec(), path].into_iter().chain(rest).collect();
                child.load(b"/bin/sh")?
            }
            result => result?,
        };
        for (fd, file) in launch.fds {
            child.fds.set(fd, file, u32::MAX)?;
        }
        let group = launch.new_group.then_some(0);
        let forked = child.fork(group, false).map_err(|_| Errno::EAGAIN)?;
        Ok(forked.start_task(program))
    }

    /// Gives this process a task that runs a program of the table to its end.
    pub fn start_task(self, program: Vec<u8>) -> Pid {
        let (pid, kernel) = (self.pid, self.kernel.clone());
        let mut proc = self;
        let task = async move {
            let status = proc.run_program(&program).await;
            let (kernel, pid) = (proc.kernel.clone(), proc.pid);
            drop(proc);
            kernel.exit_process(pid, status);
        };
        kernel.spawn_task(pid, Box::pin(task));
        pid
    }

    /// Waits for a child.
    pub async fn wait(&self, pid: Pid) -> Result<WaitStatus, Errno> {
        self.kernel.wait(pid).await
    }
}
