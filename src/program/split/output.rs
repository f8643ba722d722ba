//! The pieces: their names, and the files or commands that they go to.

use std::sync::Arc;

use super::options::Options;
use crate::args::quoteaf;
use crate::fs::OpenFlags;
use crate::kernel::{File, Pid, Proc, Stop, WaitStatus};
use crate::program::launch;
use crate::program::message::message;
use crate::program::usage;

/// Makes one name after the other.
#[derive(Debug, Clone)]
pub struct Names {
    /// What comes before the letters.
    pub prefix: Vec<u8>,
    /// The letters or digits.
    pub alphabet: &'static [u8],
    /// The digits of the next name, as indices.
    pub digits: Vec<usize>,
    /// What follows.
    pub suffix: Vec<u8>,
    /// Grow longer rather than end.
    pub widens: bool,
    /// There was a name already.
    pub begun: bool,
}

impl Names {
    /// The next name; `None` when there are no more.
    fn next(&mut self) -> Option<Vec<u8>> {
        if self.begun {
            self.advance()?;
        }
        self.begun = true;
        let letters = self.digits.iter().filter_map(|digit| self.alphabet.get(*digit));
        let mut name = self.prefix.clone();
        name.extend(letters);
        name.extend_from_slice(&self.suffix);
        Some(name)
    }

    fn advance(&mut self) -> Option<()> {
        for index in (0..self.digits.len()).rev() {
            let digit = self.digits.get_mut(index)?;
            *digit += 1;
            if index == 0 && self.widens && *digit + 1 == self.alphabet.len() {
                // The last letter begins all longer names.
                self.prefix.extend(self.alphabet.last());
                let length = self.digits.len() + 1;
                self.digits = vec![0; length];
                return Some(());
            }
            if *digit < self.alphabet.len() {
                return Some(());
            }
            *digit = 0;
        }
        None
    }
}

/// Where the current piece goes.
enum Piece {
    None,
    File(Arc<File>),
    Command(Pid, Arc<File>, Vec<u8>),
}

/// The pieces.
pub struct Output {
    names: Names,
    filter: Option<Vec<u8>>,
    verbose: bool,
    /// The input's name, for messages.
    pub input: Vec<u8>,
    /// The input's device and number.
    node: Option<(u64, u64)>,
    /// Pieces without bytes are left out.
    pub elides_empty: bool,
    piece: Piece,
}

fn identity(file: &File) -> Option<(u64, u64)> {
    file.open_node()?;
    let found = file.metadata().ok()?;
    Some((found.device, found.inode))
}

impl Output {
    /// Before the first piece.
    pub fn new(options: &Options, names: Names, input: &Arc<File>) -> Output {
        Output {
            names,
            filter: options.filter.clone(),
            verbose: options.verbose,
            input: options.input.clone(),
            node: identity(input),
            elides_empty: options.elide_empty,
            piece: Piece::None,
        }
    }

    /// Ends the current piece and begins the next one.
    pub async fn begin(&mut self, proc: &mut Proc) -> Result<(), Stop> {
        self.close(proc).await?;
        let Some(name) = self.names.next() else {
            return Err(usage::fail(proc, 1, "output file suffixes exhausted").await);
        };
        if let Some(filter) = self.filter.clone() {
            return self.begin_command(proc, name, filter).await;
        }
        if self.verbose {
            proc.write(&message!("creating file ", quoteaf(&name), "\n"))
                .await?;
        }
        let flags = OpenFlags {
            truncate: false,
            ..OpenFlags::CREATE
        };
        let file = match proc.open_mode(&name, flags, 0o666).await {
            Ok(file) => file,
            Err(errno) => {
                usage::warn_file(proc, &name, errno).await?;
                return Err(Stop::Exit(1));
            }
        };
        if self.node.is_some() && identity(&file) == self.node {
            let message = message!(quoteaf(&name), " would overwrite input; aborting");
            return Err(usage::fail(proc, 1, message).await);
        }
        match proc.open_mode(&name, OpenFlags::CREATE, 0o666).await {
            Ok(file) => self.piece = Piece::File(file),
            Err(errno) => {
                usage::warn_file(proc, &name, errno).await?;
                return Err(Stop::Exit(1));
            }
        }
        Ok(())
    }

    async fn begin_command(&mut self, proc: &mut Proc, name: Vec<u8>, filter: Vec<u8>) -> Result<(), Stop> {
        if self.verbose {
            proc.write(&message!("executing with FILE=", quoteaf(&name), "\n"))
                .await?;
        }
        proc.flush().await?;
        let (reader, writer) = proc.kernel.pipe();
        let mut environment = proc.environment.to_vec();
        environment.retain(|(known, _)| known != b"FILE");
        environment.push((b"FILE".to_vec(), name.clone()));
        let mut command = launch::shell(filter, vec![(0, reader)]);
        command.environment = Some(environment);
        match proc.spawn(command) {
            Ok(pid) => self.piece = Piece::Command(pid, writer, name),
            Err(errno) => return Err(usage::fail(proc, 1, errno.message()).await),
        }
        Ok(())
    }

    /// Writes to the current piece.
    pub async fn write(&mut self, proc: &mut Proc, bytes: &[u8]) -> Result<(), Stop> {
        let result = match &self.piece {
            Piece::None => return Ok(()),
            Piece::File(file) => file.write_all(bytes).await,
            // A command need not read everything.
            Piece::Command(_, file, _) => match file.write_all(bytes).await {
                Err(crate::fs::Errno::EPIPE) => Ok(()),
                result => result,
            },
        };
        match result {
            Ok(()) => Ok(()),
            Err(errno) => {
                let text = format!("write error: {errno}");
                Err(usage::fail(proc, 1, text).await)
            }
        }
    }

    /// Ends the current piece; waits for its command.
    pub async fn close(&mut self, proc: &mut Proc) -> Result<(), Stop> {
        let Piece::Command(pid, writer, name) = std::mem::replace(&mut self.piece, Piece::None) else {
            return Ok(());
        };
        drop(writer);
        let filter = self.filter.clone().unwrap_or_default();
        let (status, what) = match proc.wait(pid).await {
            Ok(WaitStatus::Exited(0)) | Err(_) => return Ok(()),
            Ok(WaitStatus::Exited(code)) => (i32::from(code), format!("exit {code}")),
            Ok(WaitStatus::Signaled(signal)) => {
                if signal == crate::kernel::Signal::PIPE {
                    return Ok(());
                }
                let name = signal.name();
                (128 + i32::from(signal.number()), format!("signal {name}"))
            }
        };
        let message = message!("with FILE=", name, ", ", what, " from command: ", filter);
        Err(usage::fail(proc, status, message).await)
    }
}
