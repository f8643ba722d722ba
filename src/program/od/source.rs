//! The operands of `od` as one stream. Nothing is read ahead of what `-N` allows, so that who shares the input finds the rest.

use std::collections::VecDeque;
use std::sync::Arc;

use super::super::usage;
use crate::fs::{Errno, FileKind};
use crate::kernel::{File, Proc, Stop};

/// Bytes read at a time.
const BLOCK: usize = 64 << 10;

/// The files that are left.
pub struct Source {
    paths: VecDeque<Vec<u8>>,
    file: Option<(Vec<u8>, Arc<File>)>,
    buffer: Vec<u8>,
    start: usize,
    /// A file could not be read.
    pub failed: bool,
}

impl Source {
    /// Reads standard input when there are no paths.
    pub fn new(paths: &[Vec<u8>]) -> Source {
        Source {
            paths: usage::operands_or_stdin(paths.to_vec()).into(),
            file: None,
            buffer: Vec::new(),
            start: 0,
            failed: false,
        }
    }

    /// Opens the first file that can be opened: whether there is one.
    pub async fn begin(&mut self, proc: &mut Proc) -> Result<bool, Stop> {
        Ok(self.open(proc).await?.is_some())
    }

    async fn open(&mut self, proc: &mut Proc) -> Result<Option<Arc<File>>, Stop> {
        loop {
            if let Some((_, file)) = &self.file {
                return Ok(Some(Arc::clone(file)));
            }
            let Some(path) = self.paths.pop_front() else {
                return Ok(None);
            };
            match proc.open_operand(&path).await {
                Ok(file) => self.file = Some((path, file)),
                Err(errno) => self.complain(proc, &path, errno).await?,
            }
        }
    }

    async fn complain(&mut self, proc: &mut Proc, path: &[u8], errno: Errno) -> Result<(), Stop> {
        self.failed = true;
        usage::warn_file(proc, path, errno).await
    }

    /// Reads a block, at most `most` bytes. `false` at the end of everything.
    async fn fill(&mut self, proc: &mut Proc, most: u64) -> Result<bool, Stop> {
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(BLOCK);
        while let Some(file) = self.open(proc).await? {
            self.buffer.clear();
            self.start = 0;
            match file.read(&mut self.buffer, most).await {
                Ok(0) => self.file = None,
                Ok(_) => return Ok(true),
                Err(errno) => {
                    if let Some((path, _)) = self.file.take() {
                        self.complain(proc, &path, errno).await?;
                    }
                }
            }
        }
        Ok(false)
    }

    /// Skips bytes: how many there were too few.
    pub async fn skip(&mut self, proc: &mut Proc, count: u64) -> Result<u64, Stop> {
        let mut left = count;
        while left > 0 {
            let Some(file) = self.open(proc).await? else { break };
            let metadata = file.metadata().ok();
            if let Some(found) = metadata.filter(|found| found.kind == FileKind::Regular) {
                let rest = found.size.saturating_sub(file.offset());
                let step = rest.min(left);
                if file.seek(file.offset() + step).is_ok() {
                    left -= step;
                    if step == rest {
                        self.file = None;
                    }
                    continue;
                }
            }
            if !self.fill(proc, left).await? {
                break;
            }
            left -= self.buffer.len() as u64;
            self.buffer.clear();
        }
        Ok(left)
    }

    /// Appends `wanted` bytes, fewer only at the end; reads ahead no more than `most`.
    pub async fn read(
        &mut self,
        proc: &mut Proc,
        into: &mut Vec<u8>,
        wanted: usize,
        most: u64,
    ) -> Result<(), Stop> {
        let mut left = wanted;
        while left > 0 {
            if self.start == self.buffer.len() && !self.fill(proc, most - (wanted - left) as u64).await? {
                break;
            }
            let rest = self.buffer.get(self.start..).unwrap_or_default();
            let taken = rest.get(..left).unwrap_or(rest);
            into.extend_from_slice(taken);
            self.start += taken.len();
            left -= taken.len();
        }
        Ok(())
    }

    /// The next byte.
    pub async fn byte(&mut self, proc: &mut Proc) -> Result<Option<u8>, Stop> {
        if self.start == self.buffer.len() {
            proc.kernel.breathe().await;
            if !self.fill(proc, u64::MAX).await? {
                return Ok(None);
            }
        }
        self.start += 1;
        Ok(self.buffer.get(self.start - 1).copied())
    }
}
