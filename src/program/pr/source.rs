//! The inputs of `pr`, byte by byte.

use crate::fs::Errno;
use crate::kernel::Proc;
use crate::kernel::{Input, Stop};
use crate::program::message::message;
use crate::program::usage;

/// A file that is read.
pub struct Source {
    pub name: Vec<u8>,
    input: Option<Input>,
    error: Option<Errno>,
}

impl Source {
    pub fn new(name: Vec<u8>, input: Input) -> Source {
        Source {
            name,
            input: Some(input),
            error: None,
        }
    }

    /// The next byte, which stays.
    pub async fn peek(&mut self, proc: &Proc) -> Result<Option<u8>, Stop> {
        let Some(input) = &mut self.input else {
            return Ok(None);
        };
        if input.buffered().is_empty() {
            if let Err(errno) = input.fill().await {
                self.error = Some(errno);
            }
            // Each byte is looked at several times.
            proc.charge(input.buffered().len() as u64 / 4)?;
        }
        Ok(input.buffered().first().copied())
    }

    /// Takes the next byte.
    pub async fn next(&mut self, proc: &Proc) -> Result<Option<u8>, Stop> {
        let byte = self.peek(proc).await?;
        if let Some(input) = &mut self.input {
            input.consume(1);
        }
        Ok(byte)
    }

    /// Takes the newline that follows a form feed.
    pub async fn pass_newline(&mut self, proc: &Proc) -> Result<(), Stop> {
        if self.peek(proc).await? == Some(b'\n') {
            self.next(proc).await?;
        }
        Ok(())
    }

    /// Has done with the file; an error while it was read ends the program.
    pub async fn close(&mut self, proc: &mut Proc) -> Result<(), Stop> {
        self.input = None;
        match self.error.take() {
            None => Ok(()),
            Some(errno) => {
                let line = message!(crate::args::quotef(&self.name), ": ", errno.message());
                Err(usage::fail(proc, 1, line).await)
            }
        }
    }
}
