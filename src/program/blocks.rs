//! The last part of a stream, held back block by block: what `head -n -N` may not print yet, and `tail -n N` must keep.
//!
//! A block leaves at the front when the blocks behind it hold more than the part that is asked for.

use std::collections::VecDeque;

use crate::kernel::{Halt, Kernel, Lease};

/// Small pieces are put together up to this length.
const BLOCK: usize = 64 << 10;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Lines that end with this byte; the last one may lack it.
    Lines(u8),
}

impl Unit {
    /// How many units there are, a line without its delimiter as none.
    pub fn count(self, bytes: &[u8]) -> u64 {
        match self {
            Unit::Bytes => bytes.len() as u64,
            Unit::Lines(delimiter) => memchr::memchr_iter(delimiter, bytes).count() as u64,
        }
    }

    /// The offset behind the first `count` units; the length when there are fewer.
    pub fn offset_behind(self, bytes: &[u8], count: u64) -> usize {
        let Ok(count) = usize::try_from(count) else {
            return bytes.len();
        };
        match (self, count.checked_sub(1)) {
            (_, None) => 0,
            (Unit::Bytes, _) => count.min(bytes.len()),
            (Unit::Lines(delimiter), Some(before)) => memchr::memchr_iter(delimiter, bytes)
                .nth(before)
                .map_or(bytes.len(), |at| at + 1),
        }
    }
}

#[derive(Debug)]
struct Block {
    bytes: Vec<u8>,
    units: u64,
}

/// A queue of blocks.
#[derive(Debug)]
pub struct Blocks {
    unit: Unit,
    keep: u64,
    queue: VecDeque<Block>,
    units: u64,
    lease: Lease,
    held: usize,
}

impl Blocks {
    /// Keeps the last `keep` units.
    pub fn new(kernel: &Kernel, unit: Unit, keep: u64) -> Blocks {
        Blocks {
            unit,
            keep,
            queue: VecDeque::new(),
            units: 0,
            lease: kernel.lease(),
            held: 0,
        }
    }

    /// Adds bytes at the end.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Halt> {
        let units = self.unit.count(bytes);
        self.units += units;
        self.held += bytes.len();
        self.lease.resize(self.held)?;
        match self.queue.back_mut() {
            Some(last) if last.bytes.len() + bytes.len() <= BLOCK => {
                last.bytes.extend_from_slice(bytes);
                last.units += units;
            }
            _ => self.queue.push_back(Block {
                bytes: bytes.to_vec(),
                units,
            }),
        }
        Ok(())
    }

    /// Takes the first block out when the last `keep` units lie behind it.
    pub fn pop_excess(&mut self) -> Option<Vec<u8>> {
        let first = self.queue.front()?;
        if self.units - first.units <= self.keep {
            return None;
        }
        self.pop()
    }

    /// Takes the first block out.
    pub fn pop(&mut self) -> Option<Vec<u8>> {
        let first = self.queue.pop_front()?;
        self.units -= first.units;
        self.held -= first.bytes.len();
        Some(first.bytes)
    }

    /// The stream has ended: a last line without its delimiter counts from now on.
    pub fn end(&mut self) {
        if let (Unit::Lines(delimiter), Some(last)) = (self.unit, self.queue.back_mut())
            && last.bytes.last().is_some_and(|byte| *byte != delimiter)
        {
            last.units += 1;
            self.units += 1;
        }
    }

    /// After [`Blocks::end`], when no excess is left: where in the first block the part that is kept begins.
    pub fn split(&self) -> usize {
        let excess = self.units.saturating_sub(self.keep);
        self.queue
            .front()
            .map_or(0, |first| self.unit.offset_behind(&first.bytes, excess))
    }
}
