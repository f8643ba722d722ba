//! The text of a `bc` program: its files, then standard input, read as it comes.

use std::collections::VecDeque;

use crate::fs::Errno;
use crate::kernel::{Input, Lease, Proc};

/// What is read next.
#[derive(Debug)]
enum Place {
    File(Vec<u8>),
    Stdin,
}

/// Why there is no more text.
#[derive(Debug)]
pub enum SourceError {
    /// A file cannot be opened.
    Unavailable(Vec<u8>),
    /// Reading failed.
    Read(Errno),
}

/// The text.
pub struct Source {
    waiting: VecDeque<Place>,
    current: Option<Input>,
    /// What messages call the text that is read.
    pub name: Vec<u8>,
    /// Text that is read and not used.
    pub buffer: Vec<u8>,
    /// The line in which it begins.
    pub line: usize,
    /// Nothing follows the buffer.
    pub ended: bool,
    lease: Lease,
}

impl Source {
    /// The files and then standard input.
    pub fn new(files: Vec<Vec<u8>>, lease: Lease) -> Self {
        let mut waiting: VecDeque<Place> = files.into_iter().map(Place::File).collect();
        waiting.push_back(Place::Stdin);
        Source {
            waiting,
            current: None,
            name: Vec::new(),
            buffer: Vec::new(),
            line: 1,
            ended: false,
            lease,
        }
    }

    /// Takes what an item used.
    pub fn consume(&mut self, length: usize, line: usize) {
        self.buffer.drain(..length.min(self.buffer.len()));
        self.line = line;
    }

    /// Reads on: after this there is more text, or the end.
    pub async fn more(&mut self, proc: &Proc) -> Result<(), SourceError> {
        loop {
            if let Some(input) = &mut self.current {
                let block = input.block().await.map_err(SourceError::Read)?;
                if !block.is_empty() {
                    self.buffer.extend_from_slice(block);
                    let held = self.buffer.len() * 2;
                    return self
                        .lease
                        .resize(held)
                        .map_err(|_| SourceError::Read(Errno::ENOMEM));
                }
                self.current = None;
            }
            if !self.open_next(proc).await? {
                self.ended = true;
                return Ok(());
            }
        }
    }

    async fn open_next(&mut self, proc: &Proc) -> Result<bool, SourceError> {
        let file = match self.waiting.pop_front() {
            None => return Ok(false),
            Some(Place::File(path)) => {
                let opened = proc.open(&path, crate::fs::OpenFlags::READ).await;
                let Ok(file) = opened else {
                    return Err(SourceError::Unavailable(path));
                };
                self.name = path;
                file
            }
            Some(Place::Stdin) => {
                self.name = b"(standard_in)".to_vec();
                proc.stdin().map_err(SourceError::Read)?
            }
        };
        if !self.buffer.is_empty() {
            // A token does not go on in the next file.
            self.buffer.push(b' ');
        }
        self.line = 1;
        self.current = Some(Input::new(file));
        Ok(true)
    }
}
