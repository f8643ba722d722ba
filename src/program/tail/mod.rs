//! `tail`: the last part of files, or all but the first; and what is added to them.
//!
//! The end of a seekable file is looked for from behind. Of anything else the end is held in [`Blocks`]. What follows is in
//! [`follow`].

mod follow;
mod options;

use std::sync::Arc;

use super::blocks::{Blocks, Unit};
use super::usage::{self, Failure};
use crate::args::quoteaf;
use crate::fs::FileKind;
use crate::kernel::{File, Input, Proc, Program, Stop};
use options::{Follow, Plan};

/// The program.
pub const PROGRAM: Program = Program {
    name: "tail",
    run: |proc| Box::pin(run(proc)),
};

/// Prints headers where they are due.
#[derive(Debug)]
struct Headers {
    wanted: bool,
    first: bool,
}

impl Headers {
    async fn show(&mut self, proc: &mut Proc, path: &[u8]) -> Result<(), Stop> {
        if !self.wanted {
            return Ok(());
        }
        let blank = if self.first { b"".as_slice() } else { b"\n" };
        self.first = false;
        proc.write(&[blank, b"==> ", pretty(path), b" <==\n"].concat())
            .await
    }
}

/// As messages and headers name a file.
fn pretty(path: &[u8]) -> &[u8] {
    if path == b"-" { b"standard input" } else { path }
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let plan = Plan::from_arguments(proc.arguments());
    let mut plan = usage::accept(proc, plan).await?;
    for warning in &plan.warnings {
        proc.warn(warning).await?;
    }
    if plan.from_start {
        // The number is that of the first unit.
        plan.count = plan.count.saturating_sub(1);
    }
    if plan.follow == Some(Follow::Name) && plan.files.iter().any(|path| path == b"-") {
        let message = [b"cannot follow ", &*quoteaf(b"-"), b" by name"];
        return Err(usage::fail(proc, 1, message.concat()).await);
    }
    if plan.count == 0 && plan.follow.is_none() && !plan.from_start {
        return Ok(0);
    }
    let mut headers = Headers {
        wanted: plan.headers.unwrap_or(plan.files.len() > 1),
        first: true,
    };
    let mut status = 0;
    let mut followed = Vec::with_capacity(plan.files.len());
    for path in &plan.files {
        let file = match proc.open_operand(path).await {
            Ok(file) => file,
            Err(errno) => {
                status = 1;
                let reason = format!(" for reading: {errno}");
                usage::warn_about(proc, "cannot open", pretty(path), &reason).await?;
                followed.push(follow::Followed::missing(path, errno));
                continue;
            }
        };
        headers.show(proc, path).await?;
        let done = show_end(proc, &file, &plan).await;
        if let Err(errno) = usage::settle(done)? {
            status = 1;
            usage::warn_about(proc, "error reading", pretty(path), &format!(": {errno}")).await?;
            followed.push(follow::refused(proc, path, &plan).await?);
            continue;
        }
        followed.push(follow::Followed::open(path, file));
    }
    if plan.follow.is_some() && follow::any_to_follow(&followed) {
        proc.flush().await?;
        return follow::follow(proc, followed, &plan, headers).await;
    }
    Ok(status)
}

async fn show_end(proc: &mut Proc, file: &Arc<File>, plan: &Plan) -> Result<(), Failure> {
    let unit = if plan.lines {
        Unit::Lines(plan.delimiter)
    } else {
        Unit::Bytes
    };
    if plan.from_start {
        return show_from(proc, file, unit, plan.count).await;
    }
    let metadata = file.metadata()?;
    if file.is_seekable() && metadata.kind == FileKind::Regular && metadata.size > file.offset() {
        find_end(file, unit, plan.count, metadata.size).await?;
        return copy(proc, file).await;
    }
    let mut blocks = Blocks::new(&proc.kernel, unit, plan.count);
    let mut input = Input::new(Arc::clone(file));
    loop {
        let block = input.block().await?;
        if block.is_empty() {
            break;
        }
        blocks.push(block)?;
        while blocks.pop_excess().is_some() {}
    }
    blocks.end();
    while blocks.pop_excess().is_some() {}
    let mut start = blocks.split();
    while let Some(block) = blocks.pop() {
        proc.write(block.get(start..).unwrap_or_default()).await?;
        start = 0;
    }
    Ok(())
}

/// All but the first `count` units.
async fn show_from(proc: &mut Proc, file: &Arc<File>, unit: Unit, count: u64) -> Result<(), Failure> {
    if unit == Unit::Bytes && file.is_seekable() {
        file.seek(file.offset().saturating_add(count))?;
        return copy(proc, file).await;
    }
    let mut input = Input::new(Arc::clone(file));
    let mut left = count;
    while left > 0 && input.fill().await? {
        let block = input.buffered();
        let end = unit.offset_behind(block, left);
        left -= unit.count(block.get(..end).unwrap_or_default());
        input.consume(end);
    }
    proc.write(input.buffered()).await?;
    copy(proc, file).await
}

async fn copy(proc: &mut Proc, file: &File) -> Result<(), Failure> {
    while file.read(proc.out(), 64 << 10).await? > 0 {
        proc.flush_if_full().await?;
    }
    Ok(())
}

/// Moves to where the last `count` units of a seekable file begin, but not before its position.
async fn find_end(file: &File, unit: Unit, count: u64, size: u64) -> Result<(), Failure> {
    const BLOCK: u64 = 64 << 10;
    let floor = file.offset();
    let Unit::Lines(delimiter) = unit else {
        file.seek(size.saturating_sub(count).max(floor))?;
        return Ok(());
    };
    let mut left = count;
    let mut end = size;
    let mut block = Vec::new();
    while end > floor {
        let start = end.saturating_sub(BLOCK).max(floor);
        file.seek(start)?;
        block.clear();
        while block.len() < (end - start) as usize {
            let missing = (end - start) as usize - block.len();
            if file.read(&mut block, missing).await? == 0 {
                break;
            }
        }
        if end == size && block.last() != Some(&delimiter) {
            // The last line lacks its delimiter and counts all the same.
            if left == 0 {
                file.seek(size)?;
                return Ok(());
            }
            left -= 1;
        }
        for at in memchr::memrchr_iter(delimiter, &block) {
            if left == 0 {
                file.seek(start + at as u64 + 1)?;
                return Ok(());
            }
            left -= 1;
        }
        end = start;
    }
    file.seek(floor)?;
    Ok(())
}
