//! Buffered reading for programs that read to the end.
//!
//! What a program has buffered and not used can be given back to a seekable file ([`Input::give_back`]), as `head`, `sed q`
//! and `grep -m` do.

use std::sync::Arc;

use super::file::File;
use crate::fs::Errno;

/// Bytes asked for at a time.
const BLOCK: usize = 64 << 10;

/// A buffered reader.
#[derive(Debug)]
pub struct Input {
    file: Arc<File>,
    buffer: Vec<u8>,
    start: usize,
    ended: bool,
    /// Nothing is read that is not asked for.
    unbuffered: bool,
    /// The share of the run's memory of a buffer that has outgrown [`ROOM`], for a line that is long.
    lease: Option<super::Lease>,
}

/// Buffers of this size are not counted.
const ROOM: usize = 4 * BLOCK;

impl Input {
    /// Reads from a file's current position.
    pub fn new(file: Arc<File>) -> Input {
        Input {
            file,
            buffer: Vec::new(),
            start: 0,
            ended: false,
            unbuffered: false,
            lease: None,
        }
    }

    /// Reads no further than the line that is asked for, and a byte to see whether more comes (`sed -u`).
    pub fn unbuffered(file: Arc<File>) -> Input {
        Input {
            unbuffered: true,
            ..Input::new(file)
        }
    }

    /// The file.
    pub fn file(&self) -> &Arc<File> {
        &self.file
    }

    /// What is read and not yet consumed.
    pub fn buffered(&self) -> &[u8] {
        self.buffer.get(self.start..).unwrap_or_default()
    }

    /// Takes `count` bytes out of the buffer.
    pub fn consume(&mut self, count: usize) {
        self.start = (self.start + count).min(self.buffer.len());
    }

    /// Takes up to `count` bytes out of the buffer and shows them.
    pub fn take(&mut self, count: usize) -> &[u8] {
        let start = self.start;
        self.consume(count);
        self.buffer.get(start..self.start).unwrap_or_default()
    }

    /// Reads one more block behind what is buffered. `false` at the end.
    pub async fn fill(&mut self) -> Result<bool, Errno> {
        let more = self.read_block().await?;
        self.hold()?;
        Ok(more)
    }

    /// Counts a large buffer.
    fn hold(&mut self) -> Result<(), Errno> {
        if self.buffer.capacity() <= ROOM {
            return Ok(());
        }
        let lease = self.lease.get_or_insert_with(|| self.file.lease());
        lease.resize(self.buffer.capacity()).map_err(|_| Errno::ENOMEM)
    }

    async fn read_block(&mut self) -> Result<bool, Errno> {
        if self.ended {
            return Ok(false);
        }
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        let most = if self.unbuffered { 1 } else { BLOCK };
        let count = self.file.read(&mut self.buffer, most).await?;
        self.ended = count == 0;
        Ok(count > 0)
    }

    /// Reads on to the end of a line. `false` at the end of the input.
    async fn fill_line(&mut self, delimiter: u8) -> Result<bool, Errno> {
        if !self.unbuffered || self.ended {
            return self.fill().await;
        }
        let count = self.file.read_until(&mut self.buffer, delimiter, BLOCK).await?;
        self.ended = count == 0;
        self.hold()?;
        Ok(count > 0)
    }

    /// The next block, whole: empty at the end.
    pub async fn block(&mut self) -> Result<&[u8], Errno> {
        if self.buffered().is_empty() {
            self.fill().await?;
        }
        let start = std::mem::replace(&mut self.start, self.buffer.len());
        Ok(self.buffer.get(start..).unwrap_or_default())
    }

    /// The next line with its `delimiter`; the last one may lack it. `None` at the end.
    pub async fn line(&mut self, delimiter: u8) -> Result<Option<&[u8]>, Errno> {
        let mut searched = 0;
        let end = loop {
            let found = memchr::memchr(delimiter, self.buffered().get(searched..).unwrap_or_default());
            if let Some(i) = found {
                break searched + i + 1;
            }
            searched = self.buffered().len();
            if !self.fill_line(delimiter).await? {
                break searched;
            }
        };
        if end == 0 {
            return Ok(None);
        }
        self.file.charge_work(super::cost::LINE)?;
        let start = self.start;
        self.start += end;
        Ok(self.buffer.get(start..start + end))
    }

    /// Everything that is left. The caller holds a lease for it.
    pub async fn rest(&mut self, lease: &mut super::Lease) -> Result<Vec<u8>, Errno> {
        loop {
            lease.resize(self.buffer.len()).map_err(|_| Errno::ENOMEM)?;
            self.lease = None;
            if !self.read_block().await? {
                let mut rest = std::mem::take(&mut self.buffer);
                rest.drain(..self.start);
                self.start = 0;
                return Ok(rest);
            }
        }
    }

    /// Moves a seekable file's position back to the first byte not consumed.
    pub fn give_back(&mut self) {
        let unused = self.buffered().len() as u64;
        if unused > 0 && self.file.is_seekable() {
            let position = self.file.offset().saturating_sub(unused);
            if self.file.seek(position).is_ok() {
                self.buffer.clear();
                self.start = 0;
                self.ended = false;
            }
        }
    }
}
