//! [`Workspace`]: what the tools need of the place they work in.

use std::time::Duration;

use super::cancel::Cancel;
use super::failure::Failure;
use crate::fs::{DirEntry, Errno, FileKind};
use crate::kernel::BoxFuture;
use crate::outcome::Event;

/// What a workspace's methods give: a future that needs no particular executor.
pub type Work<'a, T> = BoxFuture<'a, T>;

/// Where the output of a command goes, piece by piece and in order.
pub type Output<'a> = dyn FnMut(Event) + Send + 'a;

/// A command to run.
#[derive(Debug, Clone, Copy)]
pub struct Command<'a> {
    /// A text for `bash -c`.
    pub text: &'a str,
    /// After this time the command and all that it started is killed.
    pub timeout: Duration,
    /// When the host cancels, the same happens.
    pub cancel: &'a Cancel,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself, with this exit status.
    Exited(i32),
    /// Killed when its time was over.
    TimedOut,
    /// Killed by the host.
    Cancelled,
}

/// Why a file operation failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The file's fault.
    File(Errno),
    /// The workspace's own: it is gone, or cannot be reached.
    Workspace(Failure),
}

impl From<Errno> for Fault {
    fn from(errno: Errno) -> Fault {
        Fault::File(errno)
    }
}

/// What is known of a file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// The kind.
    pub kind: FileKind,
    /// Length in bytes.
    pub size: u64,
    /// Permission bits.
    pub mode: u32,
    /// The number of its names.
    pub links: u64,
}

/// A place with files where commands run. Calls are made one at a time.
///
/// Paths are absolute. Symbolic links are followed, except by [`Workspace::list`], which tells them as what they are.
pub trait Workspace: Send {
    /// Where commands start, and what relative paths are taken from.
    fn directory(&self) -> &[u8] {
        b"/workspace"
    }

    /// Runs a command in a fresh shell; what it prints goes to `output` as it comes.
    fn run<'a>(
        &'a mut self,
        command: Command<'a>,
        output: &'a mut Output<'_>,
    ) -> Work<'a, Result<End, Failure>>;

    /// Looks at a file.
    fn node<'a>(&'a mut self, path: &'a [u8]) -> Work<'a, Result<Node, Fault>>;

    /// Reads a regular file from `offset`: at most `max` bytes, and less only at its end.
    fn read<'a>(&'a mut self, path: &'a [u8], offset: u64, max: usize) -> Work<'a, Result<Vec<u8>, Fault>>;

    /// Sets the contents of a regular file in place: mode, owner and links stay. Makes it, and directories above it, where there is none.
    /// When it fails, the file is as it was, as far as that can be done.
    fn write<'a>(&'a mut self, path: &'a [u8], contents: &'a [u8]) -> Work<'a, Result<(), Fault>>;

    /// The names of a directory, sorted by bytes, without `.` and `..`.
    fn list<'a>(&'a mut self, path: &'a [u8]) -> Work<'a, Result<Vec<DirEntry>, Fault>>;
}
