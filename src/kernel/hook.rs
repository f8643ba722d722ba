//! What a host is asked before a program runs and before a file is opened.
//!
//! The two choke points of the system: every program, script and program of the host passes [`Proc::load`](super::Proc::load), every redirection and every
//! file that a program reads or writes passes `Proc::open`. A refusal is an error of the system call, so scripts see it as they would
//! on a machine: `Permission denied`, status 126.
//!
//! Hooks watch and refuse; they are no boundary of their own. What must not be reached is not mounted.

use super::Proc;
use crate::fs::{Errno, OpenFlags};

/// A host's say in what a run does. Called in the middle of a run, so it should answer at once.
pub trait Hooks: Send + Sync {
    /// Before a program, a script or a program of the host runs. Builtins and functions are no programs.
    ///
    /// # Errors
    /// What `execve` fails with; `EACCES` is "Permission denied" and status 126.
    fn before_exec(&self, exec: &Exec<'_>) -> Result<(), Errno> {
        let _ = exec;
        Ok(())
    }

    /// Before a file, directory, device or named pipe is opened by its path.
    ///
    /// # Errors
    /// What `open` fails with.
    fn before_open(&self, open: &Open<'_>) -> Result<(), Errno> {
        let _ = open;
        Ok(())
    }
}

/// A program about to run.
#[derive(Debug, Clone, Copy)]
pub struct Exec<'a> {
    /// Where it was found; for a script, first the script and then its interpreter.
    pub path: &'a [u8],
    /// Its arguments; the first is its name.
    pub arguments: &'a [Vec<u8>],
    /// Its working directory.
    pub cwd: &'a [u8],
    /// Its environment.
    pub environment: &'a [(Vec<u8>, Vec<u8>)],
}

/// A file about to be opened.
#[derive(Debug, Clone)]
pub struct Open<'a> {
    /// The path as it was given.
    pub path: &'a [u8],
    /// The directory that it starts from when it is relative.
    pub cwd: &'a [u8],
    /// What it is opened for.
    pub flags: OpenFlags,
}

impl Proc {
    pub(super) fn ask_before_exec(&self, path: &[u8]) -> Result<(), Errno> {
        match self.kernel.hooks() {
            Some(hooks) => hooks.before_exec(&Exec {
                path,
                arguments: &self.args,
                cwd: &self.cwd,
                environment: &self.environment.to_vec(),
            }),
            None => Ok(()),
        }
    }

    pub(super) fn ask_before_open(&self, path: &[u8], flags: OpenFlags) -> Result<(), Errno> {
        match self.kernel.hooks() {
            Some(hooks) => hooks.before_open(&Open {
                path,
                cwd: &self.cwd,
                flags,
            }),
            None => Ok(()),
        }
    }
}
