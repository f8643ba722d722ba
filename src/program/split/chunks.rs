//! The kinds of pieces that look at the whole input: `-n` and `-C`.

use super::options::{Kind, Options};
use super::output::Output;
use super::read_failed;
use crate::kernel::{Input, Proc, Stop};
use crate::program::lines;

/// Reads the input and cuts it.
pub async fn split(
    proc: &mut Proc,
    mut input: Input,
    output: &mut Output,
    options: &Options,
    kind: Kind,
) -> Result<(), Stop> {
    let mut lease = proc.kernel.lease();
    let data = match input.rest(&mut lease).await {
        Ok(data) => data,
        Err(errno) => return Err(read_failed(proc, &options.input, errno).await),
    };
    match kind {
        Kind::LineBytes(size) => line_bytes(proc, output, &data, size, options.separator).await,
        Kind::Chunks(chosen, count) => byte_chunks(proc, output, &data, (chosen, count)).await,
        Kind::LineChunks(chosen, count) => {
            line_chunks(proc, output, &data, (chosen, count), options.separator).await
        }
        Kind::RoundRobin(chosen, count) => {
            round_robin(proc, output, &data, (chosen, count), options.separator).await
        }
        Kind::Bytes(_) | Kind::Lines(_) => Ok(()),
    }
}

/// Whole lines of at most `size` bytes a piece; a longer line is cut.
async fn line_bytes(
    proc: &mut Proc,
    output: &mut Output,
    data: &[u8],
    size: u64,
    separator: u8,
) -> Result<(), Stop> {
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    let mut rest = data;
    while !rest.is_empty() {
        proc.kernel.breathe().await;
        let window = rest.get(..size).unwrap_or(rest);
        let end = if rest.len() < size {
            rest.len()
        } else {
            memchr::memrchr(separator, window).map_or(window.len(), |at| at + 1)
        };
        let (piece, behind) = rest.split_at_checked(end).unwrap_or((rest, b""));
        output.begin(proc).await?;
        output.write(proc, piece).await?;
        rest = behind;
    }
    Ok(())
}

/// A piece, for which an empty one may be left out. There may be many more of these than bytes, so each is paid for.
async fn put(proc: &mut Proc, output: &mut Output, piece: &[u8]) -> Result<(), Stop> {
    proc.charge(5)?;
    if piece.is_empty() && output.elides_empty {
        return Ok(());
    }
    output.begin(proc).await?;
    output.write(proc, piece).await
}

async fn byte_chunks(
    proc: &mut Proc,
    output: &mut Output,
    data: &[u8],
    (chosen, count): (Option<u64>, u64),
) -> Result<(), Stop> {
    // With fewer bytes than chunks each has one, and the rest are empty.
    let size = (data.len() as u64).max(count) / count;
    let bound = |number: u64| {
        let at = if number == count { u64::MAX } else { number * size };
        usize::try_from(at).unwrap_or(usize::MAX).min(data.len())
    };
    let chunk = |number: u64| data.get(bound(number - 1)..bound(number)).unwrap_or_default();
    if let Some(chosen) = chosen {
        return proc.write(chunk(chosen)).await;
    }
    for number in 1..=count {
        put(proc, output, chunk(number)).await?;
    }
    Ok(())
}

/// Chunks of about the same size, of whole lines: a line belongs to the chunk that it starts in.
async fn line_chunks(
    proc: &mut Proc,
    output: &mut Output,
    data: &[u8],
    (chosen, count): (Option<u64>, u64),
    separator: u8,
) -> Result<(), Stop> {
    let size = (data.len() as u64).max(count) / count;
    let mut start = 0;
    for number in 1..=count {
        proc.kernel.breathe().await;
        let bound = if number == count { u64::MAX } else { number * size };
        let bound = usize::try_from(bound).unwrap_or(usize::MAX);
        let end = if bound >= data.len() {
            data.len()
        } else if bound <= start {
            start
        } else {
            let from = data.get(bound - 1..).unwrap_or_default();
            memchr::memchr(separator, from).map_or(data.len(), |at| bound + at)
        };
        let piece = data.get(start..end).unwrap_or_default();
        start = end;
        match chosen {
            Some(chosen) if chosen == number => return proc.write(piece).await,
            Some(_) => {}
            None => put(proc, output, piece).await?,
        }
    }
    Ok(())
}

async fn round_robin(
    proc: &mut Proc,
    output: &mut Output,
    data: &[u8],
    (chosen, count): (Option<u64>, u64),
    separator: u8,
) -> Result<(), Stop> {
    for number in 1..=count {
        if chosen.is_some_and(|chosen| chosen != number) {
            continue;
        }
        let all = lines::split(data, separator).enumerate();
        let own = all.filter(|(index, _)| *index as u64 % count == number - 1);
        let piece: Vec<u8> = own.flat_map(|(_, line)| line.iter().copied()).collect();
        proc.charge(data.len() as u64 / 4096 + 1)?;
        proc.kernel.breathe().await;
        match chosen {
            Some(_) => return proc.write(&piece).await,
            None => put(proc, output, &piece).await?,
        }
    }
    Ok(())
}
