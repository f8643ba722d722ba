//! What a run came to.

use crate::kernel::{Halt, Usage};

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The exit status, 0 to 255.
    pub status: i32,
    /// Everything written to standard output.
    pub stdout: Vec<u8>,
    /// Everything written to standard error.
    pub stderr: Vec<u8>,
    /// What it used.
    pub usage: Usage,
    /// Why it was ended from outside, if it was; standard error says it too.
    pub halt: Option<Halt>,
}

/// A piece of output, in the order it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Standard output.
    Stdout(Vec<u8>),
    /// Standard error.
    Stderr(Vec<u8>),
}
