//! Where sed writes: standard output, the files of `w`, and the file that is edited in place.

use std::sync::Arc;

use crate::fs::{Errno, OpenFlags};
use crate::kernel::{File, Proc, Stop};
use crate::program::usage;

/// One destination.
#[derive(Debug, Default)]
struct Sink {
    /// None for standard output, which the process buffers.
    file: Option<Arc<File>>,
    name: Vec<u8>,
    buffer: Vec<u8>,
    /// The last line was written without its newline, which is due before anything else.
    owes_newline: bool,
}

/// All destinations.
#[derive(Debug)]
pub struct Outputs {
    sinks: Vec<Sink>,
    /// The file edited in place.
    in_place: Option<Sink>,
    delimiter: u8,
    unbuffered: bool,
}

/// A destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum To {
    /// Standard output, or the file edited in place.
    Current,
    /// A file of `w`, by its place in the script's list.
    File(usize),
}

/// A buffer is written when it holds this much.
const FULL: usize = 32 << 10;

impl Outputs {
    /// Opens the files of a script; failure ends sed.
    pub async fn open(
        proc: &mut Proc,
        names: &[Vec<u8>],
        delimiter: u8,
        unbuffered: bool,
    ) -> Result<Outputs, Stop> {
        let mut sinks = vec![Sink {
            name: b"stdout".to_vec(),
            ..Sink::default()
        }];
        for name in names {
            let mut sink = Sink {
                name: name.clone(),
                ..Sink::default()
            };
            match name.as_slice() {
                b"/dev/stdout" => {}
                b"/dev/stderr" => sink.file = proc.fds.get(2).ok().cloned(),
                _ => match proc.open(name, OpenFlags::CREATE).await {
                    Ok(file) => sink.file = Some(file),
                    Err(errno) => {
                        let message = [
                            b"couldn't open file ",
                            name.as_slice(),
                            b": ",
                            errno.message().as_bytes(),
                        ];
                        return Err(usage::fail(proc, 4, message.concat()).await);
                    }
                },
            }
            sinks.push(sink);
        }
        Ok(Outputs {
            sinks,
            in_place: None,
            delimiter,
            unbuffered,
        })
    }

    /// From now on [`To::Current`] is this file.
    pub fn begin_in_place(&mut self, file: Arc<File>, name: &[u8]) {
        self.in_place = Some(Sink {
            file: Some(file),
            name: name.to_vec(),
            ..Sink::default()
        });
    }

    /// Ends the file that is edited in place.
    pub async fn end_in_place(&mut self, proc: &mut Proc) -> Result<(), Stop> {
        match self.in_place.take() {
            Some(mut sink) => sink.flush(proc).await,
            None => Ok(()),
        }
    }

    fn sink(&mut self, to: To) -> Option<&mut Sink> {
        match (to, &mut self.in_place) {
            (To::Current, Some(sink)) => Some(sink),
            (To::Current, None) => self.sinks.first_mut(),
            // `/dev/stdout` knows nothing of a newline that standard output owes.
            (To::File(place), _) => self.sinks.get_mut(place + 1),
        }
    }

    /// Writes text as it is, behind a newline that is still due.
    pub async fn text(&mut self, proc: &mut Proc, to: To, text: &[u8]) -> Result<(), Stop> {
        self.write(proc, to, text, None).await
    }

    /// Writes a line, and its newline if it had one.
    pub async fn line(&mut self, proc: &mut Proc, to: To, line: &[u8], newline: bool) -> Result<(), Stop> {
        self.write(proc, to, line, Some(newline)).await
    }

    async fn write(
        &mut self,
        proc: &mut Proc,
        to: To,
        text: &[u8],
        newline: Option<bool>,
    ) -> Result<(), Stop> {
        let (delimiter, unbuffered) = (self.delimiter, self.unbuffered);
        let Some(sink) = self.sink(to) else {
            return Ok(());
        };
        let out = if sink.file.is_none() {
            proc.out()
        } else {
            &mut sink.buffer
        };
        if sink.owes_newline {
            out.push(delimiter);
        }
        out.extend_from_slice(text);
        if newline == Some(true) {
            out.push(delimiter);
        }
        sink.owes_newline = newline == Some(false);
        if sink.file.is_some() {
            if sink.buffer.len() >= FULL || unbuffered {
                sink.flush(proc).await?;
            }
            Ok(())
        } else if unbuffered {
            proc.flush().await
        } else {
            proc.flush_if_full().await
        }
    }

    /// Writes what is buffered, so that others can read it.
    pub async fn flush(&mut self, proc: &mut Proc) -> Result<(), Stop> {
        for sink in self.sinks.iter_mut().chain(self.in_place.as_mut()) {
            sink.flush(proc).await?;
        }
        proc.flush().await
    }

    /// Writes the files of `w` alone.
    pub async fn flush_files(&mut self, proc: &mut Proc) -> Result<(), Stop> {
        for sink in &mut self.sinks {
            sink.flush(proc).await?;
        }
        Ok(())
    }
}

impl Sink {
    async fn flush(&mut self, proc: &mut Proc) -> Result<(), Stop> {
        let Some(file) = self.file.as_ref().filter(|_| !self.buffer.is_empty()) else {
            return Ok(());
        };
        let written = file.write_all(&self.buffer).await;
        self.buffer.clear();
        match written {
            Ok(()) => Ok(()),
            Err(errno) => Err(self.failed(proc, errno).await),
        }
    }

    async fn failed(&self, proc: &mut Proc, errno: Errno) -> Stop {
        let message = [
            b"couldn't write to ",
            self.name.as_slice(),
            b": ",
            errno.message().as_bytes(),
        ]
        .concat();
        usage::fail(proc, 4, message).await
    }
}
