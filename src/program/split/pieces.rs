//! Pieces of so many lines or bytes, cut from a stream.

use super::output::Output;
use super::read_failed;
use crate::kernel::{Input, Proc, Stop};
use crate::program::blocks::Unit;

/// Pieces of `size` units; blocks of the input are cut where they lie.
pub async fn cut(
    proc: &mut Proc,
    mut input: Input,
    output: &mut Output,
    unit: Unit,
    size: u64,
) -> Result<(), Stop> {
    let name = output.input.clone();
    let mut left = 0;
    loop {
        proc.kernel.breathe().await;
        let mut rest = match input.block().await {
            Ok(block) => block,
            Err(errno) => return Err(read_failed(proc, &name, errno).await),
        };
        if rest.is_empty() {
            return Ok(());
        }
        while !rest.is_empty() {
            if left == 0 {
                output.begin(proc).await?;
                left = size;
            }
            let end = unit.offset_behind(rest, left);
            let (piece, behind) = rest.split_at_checked(end).unwrap_or((rest, b""));
            output.write(proc, piece).await?;
            left -= unit.count(piece);
            rest = behind;
        }
    }
}
