//! The lines that are read and not yet in a piece.

use std::collections::VecDeque;

use crate::kernel::{Input, Lease, Proc, Stop};
use crate::program::usage::Failure;

/// What the place of a line takes beside its bytes.
const LINE_ROOM: usize = 32;

/// The lines.
pub struct Lines {
    input: Input,
    lease: Lease,
    held: VecDeque<Vec<u8>>,
    /// Bytes of `held`.
    bytes: usize,
    /// The number of the first line that is held.
    first: u64,
    /// The line that was looked at or taken last.
    pub current: u64,
}

impl Lines {
    pub fn new(proc: &Proc, input: Input) -> Lines {
        Lines {
            input,
            lease: proc.kernel.lease(),
            held: VecDeque::new(),
            bytes: 0,
            first: 1,
            current: 0,
        }
    }

    /// Reads one line more. `false` at the end.
    async fn read(&mut self) -> Result<bool, Failure> {
        let Some(line) = self.input.line(b'\n').await? else {
            return Ok(false);
        };
        self.bytes += line.len() + LINE_ROOM;
        self.held.push_back(line.to_vec());
        self.lease.resize(self.bytes)?;
        Ok(true)
    }

    /// The line of a number, if there is one.
    pub async fn find(&mut self, number: u64) -> Result<Option<&[u8]>, Failure> {
        let Some(place) = number.checked_sub(self.first) else {
            return Ok(None);
        };
        while self.held.len() as u64 <= place {
            if !self.read().await? {
                return Ok(None);
            }
        }
        Ok(self.held.get(place as usize).map(Vec::as_slice))
    }

    /// Takes the first line.
    pub async fn take(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        if self.held.is_empty() && !self.read().await? {
            return Ok(None);
        }
        self.current = self.current.max(self.first);
        self.first += 1;
        let line = self.held.pop_front();
        self.bytes -= line.as_ref().map_or(0, |line| line.len() + LINE_ROOM);
        self.lease.resize(self.bytes)?;
        Ok(line)
    }

    /// The number of the first line that is left; none when there is no line.
    pub async fn first(&mut self) -> Result<Option<u64>, Failure> {
        if self.held.is_empty() && !self.read().await? {
            return Ok(None);
        }
        Ok(Some(self.first))
    }
}

impl From<Stop> for Ended {
    fn from(stop: Stop) -> Self {
        Ended::Stop(stop)
    }
}

/// Why splitting ends early.
#[derive(Debug)]
pub enum Ended {
    Stop(Stop),
    /// The pieces are given up, after this was said.
    Fatal,
}
