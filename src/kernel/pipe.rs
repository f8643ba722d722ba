//! Pipes: a bounded buffer between tasks.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use super::{Lease, lock};
use crate::fs::Errno;

#[derive(Debug, Default)]
struct State {
    buffer: VecDeque<u8>,
    capacity: usize,
    readers: usize,
    writers: usize,
    waiting_readers: Vec<Waker>,
    waiting_writers: Vec<Waker>,
    /// Opens of a named pipe that wait for the other side.
    opens: u64,
    /// The buffer's share of the run's memory.
    lease: Option<Lease>,
}

impl State {
    fn wake_readers(&mut self) -> Vec<Waker> {
        std::mem::take(&mut self.waiting_readers)
    }
    fn wake_writers(&mut self) -> Vec<Waker> {
        std::mem::take(&mut self.waiting_writers)
    }
}

fn register(list: &mut Vec<Waker>, cx: &Context<'_>) {
    if !list.iter().any(|waker| waker.will_wake(cx.waker())) {
        list.push(cx.waker().clone());
    }
}

/// A pipe; ends are counted by [`PipeReader`] and [`PipeWriter`].
#[derive(Debug, Clone)]
pub struct Pipe(Arc<Mutex<State>>);

impl Pipe {
    /// An empty pipe without ends.
    pub fn new(capacity: usize, lease: Lease) -> Pipe {
        Pipe(Arc::new(Mutex::new(State {
            capacity: capacity.max(1),
            lease: Some(lease),
            ..State::default()
        })))
    }

    /// Both ends of a new pipe.
    pub fn pair(capacity: usize, lease: Lease) -> (PipeReader, PipeWriter) {
        let pipe = Pipe::new(capacity, lease);
        (pipe.reader(), pipe.writer())
    }

    /// One more reading end.
    pub fn reader(&self) -> PipeReader {
        let mut state = lock(&self.0);
        state.readers += 1;
        state.opens += 1;
        let wakers = state.wake_writers();
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
        PipeReader(self.clone())
    }

    /// One more writing end.
    pub fn writer(&self) -> PipeWriter {
        let mut state = lock(&self.0);
        state.writers += 1;
        state.opens += 1;
        let wakers = state.wake_readers();
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
        PipeWriter(self.clone())
    }

    /// Whether nobody reads.
    pub fn has_no_reader(&self) -> bool {
        lock(&self.0).readers == 0
    }

    /// Waits until the other side of a named pipe is open (or was, in the meantime).
    pub async fn wait_for_peer(&self, for_writer: bool) {
        let start = lock(&self.0).opens;
        std::future::poll_fn(|cx| {
            let mut state = lock(&self.0);
            let present = if for_writer {
                state.writers > 0
            } else {
                state.readers > 0
            };
            if present || state.opens != start {
                return Poll::Ready(());
            }
            if for_writer {
                register(&mut state.waiting_readers, cx);
            } else {
                register(&mut state.waiting_writers, cx);
            }
            Poll::Pending
        })
        .await;
    }

    /// Moves up to `max` bytes into `into`: `None` when a reader must wait, `Some(0)` at the end.
    pub fn try_read(&self, into: &mut Vec<u8>, max: usize) -> Option<usize> {
        let mut state = lock(&self.0);
        let count = state.buffer.len().min(max);
        if count == 0 && max > 0 {
            return (state.writers == 0).then_some(0);
        }
        let (front, back) = state.buffer.as_slices();
        let first = front.len().min(count);
        into.extend_from_slice(front.get(..first).unwrap_or_default());
        into.extend_from_slice(back.get(..count - first).unwrap_or_default());
        state.buffer.drain(..count);
        let wakers = state.wake_writers();
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
        Some(count)
    }

    /// Reads like [`Pipe::try_read`], waiting for data.
    pub async fn read(&self, into: &mut Vec<u8>, max: usize) -> usize {
        std::future::poll_fn(|cx| {
            if let Some(count) = self.try_read(into, max) {
                return Poll::Ready(count);
            }
            register(&mut lock(&self.0).waiting_readers, cx);
            Poll::Pending
        })
        .await
    }

    /// Takes bytes from the front up to and including `delimiter`, at most `max`: for readers that must not take more
    /// than one line. `None` when a reader must wait.
    pub fn try_read_until(&self, into: &mut Vec<u8>, delimiter: u8, max: usize) -> Option<usize> {
        let count = {
            let state = lock(&self.0);
            let (front, back) = state.buffer.as_slices();
            let found = memchr::memchr(delimiter, front)
                .or_else(|| memchr::memchr(delimiter, back).map(|i| i + front.len()));
            found.map_or(state.buffer.len(), |i| i + 1).min(max)
        };
        if count == 0 {
            (lock(&self.0).writers == 0).then_some(0)
        } else {
            self.try_read(into, count)
        }
    }

    /// Takes a line, its newline with it, or what is left at the end. `false`: a reader must wait, or, unless `raw`, there is a backslash.
    pub fn try_read_line(&self, into: &mut Vec<u8>, raw: bool) -> bool {
        let count = {
            let state = lock(&self.0);
            let (front, back) = state.buffer.as_slices();
            let found =
                memchr::memchr(b'\n', front).or_else(|| memchr::memchr(b'\n', back).map(|i| i + front.len()));
            let count = match found {
                Some(i) => i + 1,
                None if state.writers == 0 => state.buffer.len(),
                None => return false,
            };
            if !raw && state.buffer.iter().take(count).any(|byte| *byte == b'\\') {
                return false;
            }
            count
        };
        count == 0 || self.try_read(into, count).is_some()
    }

    /// Ready when a read would not wait.
    pub fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = lock(&self.0);
        if !state.buffer.is_empty() || state.writers == 0 {
            return Poll::Ready(());
        }
        register(&mut state.waiting_readers, cx);
        Poll::Pending
    }

    /// Appends what fits. `Ok(0)`: full.
    pub fn try_write(&self, data: &[u8]) -> Result<usize, Errno> {
        let mut state = lock(&self.0);
        if state.readers == 0 {
            return Err(Errno::EPIPE);
        }
        let count = data.len().min(state.capacity.saturating_sub(state.buffer.len()));
        if count == 0 {
            return Ok(0);
        }
        state.buffer.extend(data.get(..count).unwrap_or_default());
        let size = state.buffer.capacity();
        if let Some(lease) = &mut state.lease
            && lease.bytes() != size as u64
        {
            lease.set(size);
        }
        let wakers = state.wake_readers();
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
        Ok(count)
    }

    /// Appends all of `data`, waiting for room.
    pub async fn write_all(&self, mut data: &[u8]) -> Result<(), Errno> {
        std::future::poll_fn(|cx| {
            loop {
                if data.is_empty() {
                    return Poll::Ready(Ok(()));
                }
                match self.try_write(data) {
                    Err(errno) => return Poll::Ready(Err(errno)),
                    Ok(0) => {
                        register(&mut lock(&self.0).waiting_writers, cx);
                        return Poll::Pending;
                    }
                    Ok(count) => data = data.get(count..).unwrap_or_default(),
                }
            }
        })
        .await
    }

    /// Bytes waiting to be read, or the end is reached: a read would not wait.
    pub fn readable(&self) -> bool {
        let state = lock(&self.0);
        !state.buffer.is_empty() || state.writers == 0
    }
}

/// A reading end; dropping the last one breaks the pipe for writers.
#[derive(Debug)]
pub struct PipeReader(Pipe);

impl PipeReader {
    /// The pipe.
    pub fn pipe(&self) -> &Pipe {
        &self.0
    }
}

impl Drop for PipeReader {
    fn drop(&mut self) {
        let mut state = lock(&self.0.0);
        state.readers -= 1;
        let wakers = if state.readers == 0 {
            state.wake_writers()
        } else {
            Vec::new()
        };
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
    }
}

/// A writing end; dropping the last one is the end of file for readers.
#[derive(Debug)]
pub struct PipeWriter(Pipe);

impl PipeWriter {
    /// The pipe.
    pub fn pipe(&self) -> &Pipe {
        &self.0
    }
}

impl Drop for PipeWriter {
    fn drop(&mut self) {
        let mut state = lock(&self.0.0);
        state.writers -= 1;
        let wakers = if state.writers == 0 {
            state.wake_readers()
        } else {
            Vec::new()
        };
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
    }
}
