//! Why a run stops in the middle: errors of the program, and what ends the process.

use crate::kernel::{Halt, Stop};
use crate::pattern::RegexError;
use crate::program::awk::record::RecordError;

/// Why the machine stops in the middle.
#[derive(Debug)]
pub enum Trouble {
    /// An error of the program: the message.
    Fatal(Vec<u8>),
    Halt(Halt),
    Stop(Stop),
    /// An error with its whole text.
    Unlocated(Vec<u8>),
    /// `exit` in a rule about files.
    Exit,
}

impl From<Halt> for Trouble {
    fn from(halt: Halt) -> Self {
        Trouble::Halt(halt)
    }
}

impl From<Stop> for Trouble {
    fn from(stop: Stop) -> Self {
        Trouble::Stop(stop)
    }
}

impl From<RecordError> for Trouble {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::Regex(error) => error.into(),
            RecordError::Halt(halt) => Trouble::Halt(halt),
            RecordError::TooMany => fatal("too many fields"),
        }
    }
}

impl From<RegexError> for Trouble {
    fn from(error: RegexError) -> Self {
        fatal(format!("regexp: {error}"))
    }
}

/// An error of the program.
pub fn fatal(message: impl AsRef<[u8]>) -> Trouble {
    Trouble::Fatal(message.as_ref().to_vec())
}

pub type Run<T> = Result<T, Trouble>;
