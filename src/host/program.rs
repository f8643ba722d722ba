//! Programs that a host adds.

use crate::kernel::{Proc, ProgramFuture};

/// A program of the host. It runs as a process of the shell and sees only its [`Proc`]; it may await the host's own I/O through
/// [`Kernel::host_call`](crate::kernel::Kernel::host_call), and may run other commands with [`Proc::spawn`].
pub trait HostProgram: Send + Sync {
    /// The body: ends in the exit status.
    fn run<'a>(&'a self, proc: &'a mut Proc) -> ProgramFuture<'a>;
}
