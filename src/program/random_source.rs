//! Random integers as gnulib makes them of random bytes, so that `--random-source` gives what it gives elsewhere.

use std::sync::Arc;

use crate::fs::Errno;
use crate::kernel::{File, Kernel};

/// Where random bytes come from.
#[derive(Debug)]
pub enum Bytes {
    /// The run's generator.
    Kernel(Kernel),
    /// A file.
    File(Arc<File>),
}

/// Why there are no more bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exhausted {
    /// The file has ended.
    End,
    /// It cannot be read.
    Error(Errno),
}

/// Random integers.
#[derive(Debug)]
pub struct RandomSource {
    bytes: Bytes,
    buffer: Vec<u8>,
    start: usize,
    /// Randomness that is left from the last number: one of `0 ..= most`.
    number: u64,
    most: u64,
}

impl RandomSource {
    /// Numbers made of these bytes.
    pub fn new(bytes: Bytes) -> RandomSource {
        RandomSource {
            bytes,
            buffer: Vec::new(),
            start: 0,
            number: 0,
            most: 0,
        }
    }

    async fn byte(&mut self) -> Result<u64, Exhausted> {
        if self.start >= self.buffer.len() {
            self.buffer.clear();
            self.start = 0;
            match &self.bytes {
                Bytes::Kernel(kernel) => {
                    self.buffer.resize(64, 0);
                    kernel.fill_random(&mut self.buffer);
                }
                Bytes::File(file) => {
                    file.read(&mut self.buffer, 4096)
                        .await
                        .map_err(Exhausted::Error)?;
                }
            }
        }
        let byte = self.buffer.get(self.start).copied().ok_or(Exhausted::End)?;
        self.start += 1;
        Ok(u64::from(byte))
    }

    /// One of `0 ..= greatest`, each as likely as the others (`randint_genmax`).
    pub async fn up_to(&mut self, greatest: u64) -> Result<u64, Exhausted> {
        let choices = greatest.wrapping_add(1);
        let (mut number, mut most) = (self.number, self.most);
        loop {
            while most < greatest {
                number = (number << 8).wrapping_add(self.byte().await?);
                most = (most << 8).wrapping_add(255);
            }
            if most == greatest {
                (self.number, self.most) = (0, 0);
                return Ok(number);
            }
            let excess = most - greatest;
            let unusable = excess % choices;
            let last_usable = most - unusable;
            if number <= last_usable {
                self.number = number / choices;
                self.most = excess / choices;
                return Ok(number % choices);
            }
            // The number fell among the unusable ones: which of them it was is randomness still.
            number -= last_usable + 1;
            most = unusable - 1;
        }
    }
}
