//! `expand` and `unexpand`: tabs to blanks and back.
//!
//! All files are one stream: a file without a newline at its end goes on in the next. Columns are bytes.

pub mod expand;
mod stops;
pub mod unexpand;

use super::usage::{self, Failure};
use crate::kernel::{Input, Proc, Stop};
pub(super) use stops::Stops;

/// What turns bytes into other bytes, one after the other.
trait Converter {
    /// Takes a byte. `Err`: more blanks than can be held, to be written before the byte is offered again.
    fn push(&mut self, byte: u8, out: &mut Vec<u8>) -> Step;
    /// The end of all files.
    fn end(&mut self, out: &mut Vec<u8>);
}

/// What became of a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Done,
    /// The output must be flushed, then the byte offered again.
    Again,
    /// A column cannot be counted.
    TooLong,
}

async fn convert_files(
    proc: &mut Proc,
    operands: Vec<Vec<u8>>,
    converter: &mut impl Converter,
) -> Result<i32, Stop> {
    let mut status = 0;
    for path in usage::operands_or_stdin(operands) {
        let Some(mut input) = usage::open_input(proc, &path).await? else {
            status = 1;
            continue;
        };
        let done = convert(proc, &mut input, converter).await;
        if let Err(errno) = usage::settle(done)? {
            usage::warn_file(proc, &path, errno).await?;
            status = 1;
        }
    }
    converter.end(proc.out());
    Ok(status)
}

async fn convert(proc: &mut Proc, input: &mut Input, converter: &mut impl Converter) -> Result<(), Failure> {
    loop {
        let block = input.block().await?;
        if block.is_empty() {
            return Ok(());
        }
        let mut bytes = block.iter();
        while let Some(byte) = bytes.next() {
            let mut step = converter.push(*byte, proc.out());
            while step == Step::Again {
                proc.flush().await?;
                step = converter.push(*byte, proc.out());
            }
            if step == Step::TooLong {
                return Err(usage::fail(proc, 1, "input line is too long").await.into());
            }
            if bytes.len() % 1024 == 0 {
                proc.flush_if_full().await?;
            }
        }
    }
}
