//! What every program does first and says the same way: parse its arguments or answer instead, and open its operands.

use crate::args::{Outcome, Parsed, Spec, UsageError, quoteaf, quotef};
use crate::fs::Errno;
use crate::kernel::{Input, Proc, Stop};

/// Parses the arguments of `proc`; prints the complaint, help or version and ends the program when it does not run with them.
pub async fn parse<F: Copy + PartialEq>(proc: &mut Proc, spec: &Spec<F>) -> Result<Parsed<F>, Stop> {
    let parsed = ordered(proc, spec).parse(proc.arguments());
    accept(proc, parsed).await
}

/// The command line as the environment wants it read: with `POSIXLY_CORRECT`, options end at the first operand.
pub fn ordered<F: Copy>(proc: &Proc, spec: &Spec<F>) -> Spec<F> {
    if proc.variable(b"POSIXLY_CORRECT").is_some() {
        spec.posix()
    } else {
        *spec
    }
}

/// The value, or the end of the program with what the error prints.
pub async fn accept<T>(proc: &mut Proc, result: Result<T, UsageError>) -> Result<T, Stop> {
    match result {
        Ok(value) => Ok(value),
        Err(error) => Err(refuse(proc, &error).await),
    }
}

/// Prints a complaint on standard error, or help and version on standard output, and ends the program.
pub async fn refuse(proc: &mut Proc, error: &UsageError) -> Stop {
    let text = error.text(proc.name());
    let written = match error.outcome {
        Outcome::Output => proc.write(&text).await,
        Outcome::Complaint => proc.write_error(&text).await,
    };
    match written {
        Ok(()) => Stop::Exit(i32::from(error.status)),
        Err(stop) => stop,
    }
}

/// Prints `NAME: message` and ends the program with `status`.
pub async fn fail(proc: &mut Proc, status: i32, message: impl AsRef<[u8]>) -> Stop {
    match proc.warn(message).await {
        Ok(()) => Stop::Exit(status),
        Err(stop) => stop,
    }
}

/// Prints `NAME: FILE: ERROR`, the file quoted where it needs it.
pub async fn warn_file(proc: &mut Proc, path: &[u8], errno: Errno) -> Result<(), Stop> {
    let message = [&quotef(path), b": ".as_slice(), errno.message().as_bytes()].concat();
    proc.warn(message).await
}

/// Opens an operand for reading (`-` is standard input). Says why not, and gives `None`, when it cannot be.
pub async fn open_input(proc: &mut Proc, path: &[u8]) -> Result<Option<Input>, Stop> {
    match proc.open_operand(path).await {
        Ok(file) => Ok(Some(Input::new(file))),
        Err(errno) => {
            warn_file(proc, path, errno).await?;
            Ok(None)
        }
    }
}

/// The operands, or standard input when there are none.
pub fn operands_or_stdin(operands: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    if operands.is_empty() {
        vec![b"-".to_vec()]
    } else {
        operands
    }
}

/// Why work on one file ends early.
#[derive(Debug, Clone, Copy)]
pub enum Failure {
    /// The program ends.
    Stop(Stop),
    /// The file cannot be read; the program says so and goes on.
    File(Errno),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        Failure::Stop(stop)
    }
}

impl From<crate::kernel::Halt> for Failure {
    fn from(halt: crate::kernel::Halt) -> Self {
        Failure::Stop(Stop::Halt(halt))
    }
}

impl From<Errno> for Failure {
    fn from(errno: Errno) -> Self {
        Failure::File(errno)
    }
}

/// What work on a file came to, when the program goes on.
pub fn settle<T>(result: Result<T, Failure>) -> Result<Result<T, Errno>, Stop> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(Failure::File(errno)) => Ok(Err(errno)),
        Err(Failure::Stop(stop)) => Err(stop),
    }
}

/// Prints `NAME: BEFORE 'FILE' AFTER`, the file always in quotes.
pub async fn warn_about(proc: &mut Proc, before: &str, path: &[u8], after: &str) -> Result<(), Stop> {
    let message = [before.as_bytes(), b" ", &quoteaf(path), after.as_bytes()].concat();
    proc.warn(message).await
}
