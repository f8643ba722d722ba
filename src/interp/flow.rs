//! Control flow as a value.

use crate::expand::Failure;
use crate::kernel::{Halt, Signal};

/// Why execution leaves a command other than by finishing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Divert {
    /// `break n`
    Break(u32),
    /// `continue n`
    Continue(u32),
    /// `return status`
    Return(i32),
    /// `exit status`, `set -e`, a fatal error
    Exit(i32),
    /// An error that abandons the complete command being read; the shell goes on with the next one.
    Discard(i32),
    /// The process is ended by a signal of its own doing.
    Kill(Signal),
    /// The run is halted.
    Halt(Halt),
}

impl From<Halt> for Divert {
    fn from(halt: Halt) -> Self {
        Divert::Halt(halt)
    }
}

/// A status, or the reason to leave.
pub type Flow<T = i32> = Result<T, Divert>;

/// What expansion may end in.
pub type ExpandFailure = Failure<Divert>;
