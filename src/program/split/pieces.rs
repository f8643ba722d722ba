//! Pieces of so many lines or bytes, cut from a stream.

use super::output::Output;
use super::read_failed;
use crate::kernel::{Input, Proc, Stop};

async fn block<'a>(proc: &mut Proc, input: &'a mut Input, name: &[u8]) -> Result<&'a [u8], Stop> {
    proc.kernel.breathe().await;
    match input.block().await {
        Ok(block) => Ok(block),
        Err(errno) => Err(read_failed(proc, name, errno).await),
    }
}

/// Pieces of `size` bytes.
pub async fn bytes(proc: &mut Proc, mut input: Input, output: &mut Output, size: u64) -> Result<(), Stop> {
    let name = output.input.clone();
    let mut left = 0;
    loop {
        let block = block(proc, &mut input, &name).await?;
        if block.is_empty() {
            return Ok(());
        }
        let mut rest = block.to_vec();
        while !rest.is_empty() {
            if left == 0 {
                output.begin(proc).await?;
                left = size;
            }
            let step = usize::try_from(left).unwrap_or(usize::MAX).min(rest.len());
            let behind = rest.split_off(step);
            output.write(proc, &rest).await?;
            left -= step as u64;
            rest = behind;
        }
    }
}

/// Pieces of `count` lines.
pub async fn lines(
    proc: &mut Proc,
    mut input: Input,
    output: &mut Output,
    count: u64,
    separator: u8,
) -> Result<(), Stop> {
    let name = output.input.clone();
    let mut left = 0;
    loop {
        let block = block(proc, &mut input, &name).await?;
        if block.is_empty() {
            return Ok(());
        }
        let mut rest = block.to_vec();
        while !rest.is_empty() {
            if left == 0 {
                output.begin(proc).await?;
                left = count;
            }
            let wanted = usize::try_from(left).unwrap_or(usize::MAX);
            let end = memchr::memchr_iter(separator, &rest).nth(wanted - 1);
            let step = end.map_or(rest.len(), |at| at + 1);
            let behind = rest.split_off(step);
            output.write(proc, &rest).await?;
            left = match end {
                Some(_) => 0,
                None => left - memchr::memchr_iter(separator, &rest).count() as u64,
            };
            rest = behind;
        }
    }
}
