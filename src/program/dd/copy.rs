//! The copying itself: skip, read, convert, collect into output blocks, write.

use std::sync::Arc;

use super::super::message::message;
use super::operands::{Case, Level, Plan};
use super::report::Counts;
use crate::args::{quoteaf, quotef};
use crate::fs::{Errno, FileKind};
use crate::kernel::{Disposition, File, Lease, Proc, Signal, Stop};

/// A copy in progress.
pub struct Copy<'p> {
    plan: &'p Plan,
    input: Arc<File>,
    output: Arc<File>,
    pub counts: Counts,
    /// What waits for an output block to be full.
    waiting: Vec<u8>,
    /// `swab`: the first byte of a pair whose second has not come.
    odd: Option<u8>,
    /// Holds both buffers.
    _lease: Lease,
}

/// The largest block; the real one fails where memory ends.
const LARGEST: u64 = 1 << 40;

impl<'p> Copy<'p> {
    pub async fn new(
        proc: &mut Proc,
        plan: &'p Plan,
        input: Arc<File>,
        output: Arc<File>,
    ) -> Result<Copy<'p>, Stop> {
        let memory = proc.kernel.meter().limits().memory_bytes;
        for (size, which) in [(plan.input_block, "input"), (plan.output_block, "output")] {
            if size > memory.min(LARGEST) {
                let human = super::report::with_unit(size, 1024);
                let line = format!("memory exhausted by {which} buffer of size {size} bytes ({human})");
                return Err(super::usage::fail(proc, 1, line).await);
            }
        }
        let mut lease = proc.kernel.lease();
        let buffers = plan
            .input_block
            .saturating_add(if plan.same_blocks { 0 } else { plan.output_block });
        lease.resize(usize::try_from(buffers).unwrap_or(usize::MAX))?;
        let counts = Counts {
            full_in: 0,
            partial_in: 0,
            full_out: 0,
            partial_out: 0,
            bytes: 0,
            start: proc.kernel.now(),
        };
        Ok(Copy {
            plan,
            input,
            output,
            counts,
            waiting: Vec::new(),
            odd: None,
            _lease: lease,
        })
    }

    fn input_name(&self) -> &[u8] {
        self.plan.input.as_deref().unwrap_or(b"standard input")
    }

    fn output_name(&self) -> &[u8] {
        self.plan.output.as_deref().unwrap_or(b"standard output")
    }

    /// Copies; `false` when something went wrong, which is said.
    pub async fn run(&mut self, proc: &mut Proc) -> Result<bool, Stop> {
        if !self.skip(proc).await? || !self.seek(proc).await? {
            return Ok(false);
        }
        let mut well = true;
        let mut left = self.plan.count.map(|count| count.in_bytes(self.plan.input_block));
        let by_bytes = self.plan.count.is_some_and(|count| count.bytes);
        loop {
            if left == Some(0) {
                break;
            }
            let wanted = match left {
                Some(left) if by_bytes => left.min(self.plan.input_block),
                _ => self.plan.input_block,
            };
            let mut block = Vec::new();
            if let Err(errno) = self.read_block(&mut block, wanted).await {
                self.cannot_read(proc, errno).await?;
                well = false;
                break;
            }
            if block.is_empty() {
                break;
            }
            let length = block.len() as u64;
            // A short block counts as one, unless bytes are counted.
            left =
                left.map(|left| left.saturating_sub(if by_bytes { length } else { self.plan.input_block }));
            if length == self.plan.input_block {
                self.counts.full_in += 1;
            } else {
                self.counts.partial_in += 1;
                if self.plan.conversions.pad {
                    block.resize(self.plan.input_block as usize, 0);
                }
            }
            proc.charge(1)?;
            if !self.put(proc, block).await? {
                return Ok(false);
            }
        }
        Ok(self.finish(proc).await? && well)
    }

    /// Reads a block: from a file or device a whole one, from a pipe what a single read gives, unless whole blocks are asked for.
    async fn read_block(&self, block: &mut Vec<u8>, wanted: u64) -> Result<(), Errno> {
        let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
        let is_pipe = self.input.metadata()?.kind == FileKind::Fifo;
        let whole = self.plan.input_flags.full_blocks || !is_pipe;
        while block.len() < wanted {
            let count = self.input.read(block, wanted - block.len()).await?;
            if count == 0 || !whole {
                break;
            }
        }
        Ok(())
    }

    async fn cannot_read(&self, proc: &mut Proc, errno: Errno) -> Result<(), Stop> {
        let name = quoteaf(self.input_name());
        proc.warn(message!("error reading ", name, ": ", errno.message()))
            .await
    }

    async fn skip(&mut self, proc: &mut Proc) -> Result<bool, Stop> {
        let mut left = self.plan.skip.in_bytes(self.plan.input_block);
        if left == 0 {
            return Ok(true);
        }
        let mut short = false;
        if self.input.is_seekable() {
            let (at, size) = (
                self.input.offset(),
                self.input.metadata().map_or(0, |found| found.size),
            );
            let to = at.saturating_add(left);
            short = to > size;
            let _ = self.input.seek(to.min(size.max(at)));
        } else {
            let mut dropped = Vec::new();
            while left > 0 {
                dropped.clear();
                match self.input.read(&mut dropped, left.min(64 << 10) as usize).await {
                    Ok(0) => {
                        short = true;
                        break;
                    }
                    Ok(count) => left -= count as u64,
                    Err(errno) => {
                        self.cannot_read(proc, errno).await?;
                        return Ok(false);
                    }
                }
            }
        }
        if short && self.plan.level != Level::None {
            let line = message!(quotef(self.input_name()), ": cannot skip to specified offset");
            proc.warn(line).await?;
        }
        Ok(true)
    }

    async fn seek(&mut self, proc: &mut Proc) -> Result<bool, Stop> {
        let by = self.plan.seek_bytes();
        if by == 0 {
            return Ok(true);
        }
        let to = self.output.offset().saturating_add(by);
        if let Err(errno) = self.output.seek(to) {
            let line = message!(quoteaf(self.output_name()), ": cannot seek: ", errno.message());
            proc.warn(line).await?;
            return Ok(false);
        }
        Ok(true)
    }

    /// Converts a block and writes it, or what it makes full.
    async fn put(&mut self, proc: &mut Proc, mut block: Vec<u8>) -> Result<bool, Stop> {
        let conversions = self.plan.conversions;
        match conversions.case {
            Case::Keep => {}
            Case::Lower => block.make_ascii_lowercase(),
            Case::Upper => block.make_ascii_uppercase(),
        }
        if conversions.swap {
            block.splice(0..0, self.odd.take());
            if block.len() % 2 == 1 {
                self.odd = block.pop();
            }
            for pair in block.chunks_exact_mut(2) {
                pair.reverse();
            }
        }
        let whole = self.plan.same_blocks && conversions.case == Case::Keep && !conversions.swap;
        if whole {
            return self.write(proc, &block).await;
        }
        self.waiting.extend_from_slice(&block);
        let size = self.plan.output_block as usize;
        if self.waiting.len() < size {
            return Ok(true);
        }
        let mut waiting = std::mem::take(&mut self.waiting);
        for full in waiting.chunks_exact(size) {
            if !self.write(proc, full).await? {
                return Ok(false);
            }
        }
        waiting.drain(..waiting.len() / size * size);
        self.waiting = waiting;
        Ok(true)
    }

    async fn write(&mut self, proc: &mut Proc, block: &[u8]) -> Result<bool, Stop> {
        if let Err(errno) = self.output.write_all(block).await {
            if let Some(halt) = proc.kernel.meter().halted() {
                return Err(Stop::Halt(halt));
            }
            if errno == Errno::EPIPE && proc.signals.disposition(Signal::PIPE) == Disposition::Default {
                return Err(Stop::Signal(Signal::PIPE));
            }
            let line = message!(
                "error writing ",
                quoteaf(self.output_name()),
                ": ",
                errno.message()
            );
            proc.warn(line).await?;
            return Ok(false);
        }
        self.counts.bytes += block.len() as u64;
        if block.len() as u64 == self.plan.output_block {
            self.counts.full_out += 1;
        } else {
            self.counts.partial_out += 1;
        }
        Ok(true)
    }

    /// Writes what is left.
    async fn finish(&mut self, proc: &mut Proc) -> Result<bool, Stop> {
        let mut rest = std::mem::take(&mut self.waiting);
        rest.extend(self.odd.take());
        if rest.is_empty() {
            return Ok(true);
        }
        self.write(proc, &rest).await
    }
}
