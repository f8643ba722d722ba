//! [`VirtualWorkspace`]: a workspace whose commands run in an emulated [`Shell`], on its own file tree.

use std::pin::Pin;
use std::time::Duration;

use super::failure::Failure;
use super::workspace::{Command, End, Fault, Node, Output, Work, Workspace};
use crate::error::Error;
use crate::fs::{DirEntry, Errno, Follow, OpenFlags, Opened};
use crate::kernel::{Halt, Limits};
use crate::outcome::Event;
use crate::shell::{Run, Shell, ShellBuilder, State};

/// An emulated workspace. It lives in this process, and is no isolation boundary.
///
/// A time-out counts the shell's own time, which sleeping uses up at once and work at a microsecond a unit, as well as the host's, whichever is
/// over first.
#[derive(Debug)]
pub struct VirtualWorkspace {
    shell: Shell,
    directory: Vec<u8>,
}

impl VirtualWorkspace {
    /// A builder of shells that suit a workspace: each command is a new shell, work is bounded by the time-out, and more output
    /// than a reply holds is no reason to end a command.
    pub fn builder() -> ShellBuilder {
        Shell::builder().state(State::Fresh).limits(Limits {
            steps: 2_000_000_000,
            output_bytes: 1 << 30,
            ..Limits::default()
        })
    }

    /// An empty workspace.
    ///
    /// # Errors
    /// None are known: the tree is built from constants.
    pub fn in_memory() -> Result<VirtualWorkspace, Error> {
        Ok(VirtualWorkspace::new(VirtualWorkspace::builder().build()?))
    }

    /// The workspace of a shell. Its limits hold for each command; its state lasts from command to command if it was built so.
    pub fn new(shell: Shell) -> VirtualWorkspace {
        VirtualWorkspace {
            directory: shell.cwd().to_vec(),
            shell,
        }
    }

    /// The shell.
    pub fn shell(&self) -> &Shell {
        &self.shell
    }

    /// The shell, to prepare files, take a snapshot, or run things on the side.
    pub fn shell_mut(&mut self) -> &mut Shell {
        &mut self.shell
    }

    fn limits(&self, timeout: Duration) -> Limits {
        let limits = self.shell.limits().clone();
        let bound = |limit: Option<Duration>| Some(limit.map_or(timeout, |limit| limit.min(timeout)));
        Limits {
            time: bound(limits.time),
            wall_clock: bound(limits.wall_clock),
            ..limits
        }
    }

    fn read_now(&self, path: &[u8], offset: u64, max: usize) -> Result<Vec<u8>, Errno> {
        let view = self.shell.view();
        let Opened::File(file) = opened(self.shell.fs().open(&view, path, OpenFlags::READ, 0)?)? else {
            return Err(Errno::EINVAL);
        };
        let mut contents = Vec::new();
        while contents.len() < max {
            let chunk = file.read_chunk(offset + contents.len() as u64, max - contents.len())?;
            if chunk.is_empty() {
                break;
            }
            contents.extend_from_slice(&chunk);
        }
        Ok(contents)
    }

    /// A write that fails midway would leave half a file: so the tree goes back to what it was, where it can.
    fn write_now(&self, path: &[u8], contents: &[u8]) -> Result<(), Errno> {
        let fs = self.shell.fs();
        let before = fs.snapshot();
        let written = fs.write_with_parents(&self.shell.view(), path, contents);
        if let (Err(_), Ok(before)) = (&written, before) {
            fs.restore(&before)?;
        }
        written
    }

    fn node_now(&self, path: &[u8]) -> Result<Node, Errno> {
        let metadata = self.shell.fs().metadata(&self.shell.view(), path, Follow::Yes)?;
        Ok(Node {
            kind: metadata.kind,
            size: metadata.size,
            mode: metadata.mode,
            links: metadata.nlink,
        })
    }
}

fn opened(opened: Opened) -> Result<Opened, Errno> {
    match opened {
        Opened::Directory(_) => Err(Errno::EISDIR),
        other => Ok(other),
    }
}

/// The shell says in a line of its own that it was ended from outside; the tool has a better one.
fn without_notice(events: &mut [Event], halt: Halt) {
    let notice = format!("exuvia: {halt}\n");
    if let Some(Event::Stderr(text)) = events.last_mut()
        && text.ends_with(notice.as_bytes())
    {
        text.truncate(text.len() - notice.len());
    }
}

impl Workspace for VirtualWorkspace {
    fn directory(&self) -> &[u8] {
        &self.directory
    }

    fn run<'a>(
        &'a mut self,
        command: Command<'a>,
        output: &'a mut Output<'_>,
    ) -> Work<'a, Result<End, Failure>> {
        Box::pin(async move {
            let run = Run::command(command.text).limits(self.limits(command.timeout));
            let mut execution = self.shell.start(run);
            // From now on events keep their order.
            execution.take_events();
            let outcome = std::future::poll_fn(|cx| {
                if command.cancel.poll_cancelled(cx) {
                    execution.cancel();
                }
                let poll = Pin::new(&mut execution).poll(cx);
                let mut events = execution.take_events();
                if let std::task::Poll::Ready(outcome) = &poll
                    && let Some(halt @ (Halt::WallClock | Halt::Cancelled)) = outcome.halt
                {
                    without_notice(&mut events, halt);
                }
                events.into_iter().for_each(&mut *output);
                poll
            })
            .await;
            Ok(match outcome.halt {
                Some(Halt::WallClock) => End::TimedOut,
                Some(Halt::Cancelled) => End::Cancelled,
                _ => End::Exited(outcome.status),
            })
        })
    }

    fn node<'a>(&'a mut self, path: &'a [u8]) -> Work<'a, Result<Node, Fault>> {
        Box::pin(async move { Ok(self.node_now(path)?) })
    }

    fn read<'a>(&'a mut self, path: &'a [u8], offset: u64, max: usize) -> Work<'a, Result<Vec<u8>, Fault>> {
        Box::pin(async move { Ok(self.read_now(path, offset, max)?) })
    }

    fn write<'a>(&'a mut self, path: &'a [u8], contents: &'a [u8]) -> Work<'a, Result<(), Fault>> {
        Box::pin(async move { Ok(self.write_now(path, contents)?) })
    }

    fn list<'a>(&'a mut self, path: &'a [u8]) -> Work<'a, Result<Vec<DirEntry>, Fault>> {
        Box::pin(async move { Ok(self.shell.fs().read_dir(&self.shell.view(), path)?) })
    }
}
