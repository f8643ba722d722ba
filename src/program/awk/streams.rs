//! Files, pipes and commands that a program reads from and writes to, by name.

use std::sync::Arc;

use super::machine::{Run, fatal};
use super::reader::Reader;
use crate::fs::{Errno, OpenFlags};
use crate::kernel::{File, Input, Pid, Proc, Stop, WaitStatus};
use crate::program::launch::shell;

/// What a name was opened as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    OutputFile,
    OutputPipe,
    InputFile,
    InputPipe,
    Coprocess,
}

/// An open file, pipe or command.
#[derive(Debug)]
pub struct Stream {
    pub name: Vec<u8>,
    pub kind: Kind,
    /// Where output goes; none for standard output, which the process buffers, and where there is only input.
    output: Option<Arc<File>>,
    is_stdout: bool,
    buffer: Vec<u8>,
    pub reader: Option<Reader>,
    child: Option<Pid>,
}

/// All of them, in the order in which they were opened.
#[derive(Debug, Default)]
pub struct Streams {
    pub list: Vec<Stream>,
}

/// A buffer is written when it holds this much.
const FULL: usize = 16 << 10;

impl Streams {
    /// Where a name is in the list.
    pub fn find(&self, name: &[u8], kind: impl Fn(Kind) -> bool) -> Option<usize> {
        self.list
            .iter()
            .position(|stream| stream.name == name && kind(stream.kind))
    }

    /// Opens a file for output.
    pub async fn open_output(&mut self, proc: &mut Proc, name: &[u8], append: bool) -> Result<usize, Errno> {
        let mut stream = Stream::new(name, Kind::OutputFile);
        match name {
            b"/dev/stdout" | b"-" => stream.is_stdout = true,
            b"/dev/stderr" => stream.output = Some(proc.fds.get(2).cloned()?),
            _ => {
                let flags = if append {
                    OpenFlags::APPEND
                } else {
                    OpenFlags::CREATE
                };
                stream.output = Some(proc.open(name, flags).await?);
            }
        }
        self.list.push(stream);
        Ok(self.list.len() - 1)
    }

    /// Starts a command that output goes to, that input comes from, or both.
    pub fn open_command(&mut self, proc: &mut Proc, command: &[u8], kind: Kind) -> Result<usize, Errno> {
        let mut stream = Stream::new(command, kind);
        let mut fds = Vec::new();
        if matches!(kind, Kind::OutputPipe | Kind::Coprocess) {
            let (reader, writer) = proc.kernel.pipe();
            fds.push((0, reader));
            stream.output = Some(writer);
        }
        if matches!(kind, Kind::InputPipe | Kind::Coprocess) {
            let (reader, writer) = proc.kernel.pipe();
            fds.push((1, writer));
            stream.reader = Some(Reader::new(Input::new(reader), proc.kernel.lease()));
        }
        stream.child = Some(proc.spawn(shell(command.to_vec(), fds))?);
        self.list.push(stream);
        Ok(self.list.len() - 1)
    }

    /// Opens a file for input.
    pub async fn open_input(&mut self, proc: &mut Proc, name: &[u8]) -> Result<usize, Errno> {
        let file = match name {
            b"-" | b"/dev/stdin" => proc.stdin()?,
            _ => proc.open(name, OpenFlags::READ).await?,
        };
        if file
            .metadata()
            .is_ok_and(|metadata| metadata.kind == crate::fs::FileKind::Directory)
        {
            return Err(Errno::EISDIR);
        }
        let mut stream = Stream::new(name, Kind::InputFile);
        stream.reader = Some(Reader::new(Input::new(file), proc.kernel.lease()));
        self.list.push(stream);
        Ok(self.list.len() - 1)
    }

    /// Writes everything that is buffered.
    pub async fn flush_all(&mut self, proc: &mut Proc) -> Result<(), Stop> {
        proc.flush().await?;
        for stream in &mut self.list {
            // A reader that went away is noticed at the next print.
            let _ = stream.flush(proc).await;
        }
        Ok(())
    }

    /// Closes a stream of the list: what `close` gives.
    pub async fn close(&mut self, proc: &mut Proc, index: usize) -> Run<f64> {
        if index >= self.list.len() {
            return Ok(-1.0);
        }
        let mut stream = self.list.remove(index);
        let flushed = stream.flush(proc).await;
        stream.output = None;
        let Some(child) = stream.child else {
            if let Some(reader) = &mut stream.reader {
                reader.give_back();
            }
            return match flushed {
                Ok(()) => Ok(0.0),
                Err(errno) => Err(fatal(
                    [
                        b"flush to \"",
                        stream.name.as_slice(),
                        format!("\" failed: {errno}").as_bytes(),
                    ]
                    .concat(),
                )),
            };
        };
        // A command whose output nobody reads any more meets a closed pipe.
        stream.reader = None;
        Ok(match proc.wait(child).await {
            Ok(status) => status_number(status),
            Err(_) => -1.0,
        })
    }

    /// Closes the side that a co-process reads from.
    pub async fn close_to(&mut self, proc: &mut Proc, index: usize) -> Result<(), Stop> {
        if let Some(stream) = self.list.get_mut(index) {
            let _ = stream.flush(proc).await;
            stream.output = None;
        }
        Ok(())
    }
}

impl Stream {
    /// A co-process whose input was closed.
    pub fn is_write_closed(&self) -> bool {
        self.kind == Kind::Coprocess && self.output.is_none()
    }

    fn new(name: &[u8], kind: Kind) -> Stream {
        Stream {
            name: name.to_vec(),
            kind,
            output: None,
            is_stdout: false,
            buffer: Vec::new(),
            reader: None,
            child: None,
        }
    }

    /// Writes text through the buffer.
    pub async fn write(&mut self, proc: &mut Proc, text: &[u8]) -> Result<Result<(), Errno>, Stop> {
        if self.is_stdout {
            proc.write(text).await?;
            return Ok(Ok(()));
        }
        self.buffer.extend_from_slice(text);
        let at_once = self.name == b"/dev/stderr" || self.kind == Kind::Coprocess;
        if at_once || self.buffer.len() >= FULL {
            if self.name == b"/dev/stderr" {
                proc.flush().await?;
            }
            return Ok(self.flush(proc).await);
        }
        Ok(Ok(()))
    }

    /// Writes what is buffered.
    pub async fn flush(&mut self, proc: &mut Proc) -> Result<(), Errno> {
        if self.is_stdout {
            return proc.flush().await.map_err(|_| Errno::EPIPE);
        }
        let buffer = std::mem::take(&mut self.buffer);
        match &self.output {
            Some(file) if !buffer.is_empty() => file.write_all(&buffer).await,
            _ => Ok(()),
        }
    }
}

/// How a command ended, as awk's functions give it: a signal counts from 256 on.
pub fn status_number(status: WaitStatus) -> f64 {
    match status {
        WaitStatus::Exited(code) => f64::from(code),
        WaitStatus::Signaled(signal) => 256.0 + f64::from(signal.number()),
    }
}
