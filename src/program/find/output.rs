//! Files that `-fprint` and its kin write to, each opened once.

use std::sync::Arc;

use super::predicate::Sink;
use crate::fs::{Errno, OpenFlags};
use crate::kernel::{File, Proc, Stop};

/// Flushed when it holds this much.
const BUFFER: usize = 32 << 10;

struct Output {
    path: Vec<u8>,
    file: Arc<File>,
    buffer: Vec<u8>,
}

/// The files of an expression.
#[derive(Default)]
pub struct Outputs {
    files: Vec<Output>,
}

impl Outputs {
    /// Opens a file, unless it is open already.
    pub async fn open(&mut self, proc: &Proc, path: &[u8]) -> Result<Sink, Errno> {
        match path {
            b"/dev/stdout" => return Ok(Sink::Stdout),
            b"/dev/stderr" => return Ok(Sink::Stderr),
            _ => {}
        }
        if let Some(index) = self.files.iter().position(|output| output.path == path) {
            return Ok(Sink::File(index));
        }
        let file = proc.open(path, OpenFlags::CREATE).await?;
        self.files.push(Output {
            path: path.to_vec(),
            file,
            buffer: Vec::new(),
        });
        Ok(Sink::File(self.files.len() - 1))
    }

    /// Prints.
    pub async fn write(&mut self, proc: &mut Proc, sink: Sink, text: &[u8]) -> Result<(), Stop> {
        let index = match sink {
            Sink::Stdout => return proc.write(text).await,
            Sink::Stderr => return proc.write_error(text).await,
            Sink::File(index) => index,
        };
        let Some(output) = self.files.get_mut(index) else {
            return Ok(());
        };
        output.buffer.extend_from_slice(text);
        if output.buffer.len() >= BUFFER {
            self.flush(proc).await?;
        }
        Ok(())
    }

    /// Writes what is left. A file that cannot be written ends the program.
    pub async fn flush(&mut self, proc: &mut Proc) -> Result<(), Stop> {
        for output in &mut self.files {
            let text = std::mem::take(&mut output.buffer);
            if text.is_empty() {
                continue;
            }
            if let Err(errno) = output.file.write_all(&text).await {
                let name = crate::args::quote(&output.path);
                let line = [&*name, b": ", errno.message().as_bytes()].concat();
                proc.warn(line).await?;
                return Err(Stop::Exit(1));
            }
        }
        Ok(())
    }
}
