//! From a path to what runs: programs of the table, and scripts through their `#!` line.

use std::sync::Arc;

use super::BoxFuture;
use super::proc::{Proc, Stop};
use super::process::WaitStatus;
use crate::fs::{Access, Errno, FileKind, Follow, OpenNode, PROGRAM_MARK};

/// The body of a program.
pub type ProgramFn = for<'a> fn(&'a mut Proc) -> ProgramFuture<'a>;

/// A program at work; ends in its exit status.
pub type ProgramFuture<'a> = BoxFuture<'a, Result<i32, Stop>>;

/// A row of the table of programs.
#[derive(Clone, Copy)]
pub struct Program {
    /// The file name under `/usr/bin`.
    pub name: &'static str,
    /// The body.
    pub run: ProgramFn,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Program").field(&self.name).finish()
    }
}

/// What knows the programs; given by the façade, so that the kernel knows none.
pub trait Loader: Send + Sync {
    /// Starts the program of this name on `proc`; `None` when there is none.
    fn start<'a>(&self, name: &[u8], proc: &'a mut Proc) -> Option<ProgramFuture<'a>>;
    /// The program may run other programs, or is long: it gets a task of its own.
    fn needs_task(&self, name: &[u8]) -> bool;
}

/// What a path stands for when it is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Image {
    /// A program of the table.
    Program(Vec<u8>),
    /// A script: run this program (a path) with these arguments in front.
    Script {
        /// The path after `#!`.
        interpreter: Vec<u8>,
        /// The rest of that line, if any, then the script's path.
        arguments: Vec<Vec<u8>>,
    },
}

impl Proc {
    /// Looks at what `path` stands for. `ENOEXEC`: a file without mark or `#!`, which a shell runs as a script.
    pub fn image(&self, path: &[u8]) -> Result<Image, Errno> {
        self.image_of(path, self.fs.open_program(&self.view(), path)?)
    }

    fn image_of(&self, path: &[u8], node: OpenNode) -> Result<Image, Errno> {
        self.kernel
            .meter()
            .charge(super::cost::PROGRAM)
            .map_err(|_| Errno::EIO)?;
        let head = node.read_chunk(0, 256)?.into_vec();
        if let Some(rest) = head.strip_prefix(PROGRAM_MARK) {
            let name = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
            return Ok(Image::Program(name.to_vec()));
        }
        let Some(line) = head.strip_prefix(b"#!") else {
            return Err(Errno::ENOEXEC);
        };
        let line = line
            .split(|byte| *byte == b'\n')
            .next()
            .unwrap_or_default()
            .trim_ascii();
        let mut words = line.splitn(2, |byte| *byte == b' ' || *byte == b'\t');
        let interpreter = words.next().unwrap_or_default().to_vec();
        if interpreter.is_empty() {
            return Err(Errno::ENOEXEC);
        }
        let argument = words
            .next()
            .map(<[u8]>::trim_ascii)
            .filter(|word| !word.is_empty());
        let arguments = argument
            .into_iter()
            .map(<[u8]>::to_vec)
            .chain([path.to_vec()])
            .collect();
        Ok(Image::Script {
            interpreter,
            arguments,
        })
    }

    /// Resolves `path` through `#!` lines to a program, rewriting the arguments.
    pub fn load(&mut self, path: &[u8]) -> Result<Vec<u8>, Errno> {
        self.load_opened(path, None)
    }

    /// The same for a path that was opened already.
    pub fn load_opened(&mut self, path: &[u8], mut node: Option<OpenNode>) -> Result<Vec<u8>, Errno> {
        let mut path = path.to_vec();
        for _ in 0..5 {
            self.ask_before_exec(&path)?;
            let image = match node.take() {
                Some(node) => self.image_of(&path, node)?,
                None => self.image(&path)?,
            };
            match image {
                Image::Program(name) => return Ok(name),
                Image::Script {
                    interpreter,
                    arguments,
                } => {
                    let rest = self.args.split_off(1.min(self.args.len()));
                    self.args = std::iter::once(interpreter.clone())
                        .chain(arguments)
                        .chain(rest)
                        .collect();
                    path = interpreter;
                }
            }
        }
        Err(Errno::ELOOP)
    }

    /// Finds a command as `execvp` does: along `PATH`, unless it has a slash.
    pub fn find_program(&self, name: &[u8]) -> Result<Vec<u8>, Errno> {
        if name.contains(&b'/') {
            return Ok(name.to_vec());
        }
        let path = self
            .variable(b"PATH")
            .unwrap_or(b"/usr/local/bin:/usr/bin:/bin")
            .to_vec();
        let mut denied = Errno::ENOENT;
        for directory in path.split(|byte| *byte == b':') {
            let mut candidate = if directory.is_empty() {
                b".".to_vec()
            } else {
                directory.to_vec()
            };
            candidate.push(b'/');
            candidate.extend_from_slice(name);
            let Ok(metadata) = self.metadata(&candidate, Follow::Yes) else {
                continue;
            };
            if metadata.kind != FileKind::Regular {
                continue;
            }
            match self.fs.access(&self.view(), &candidate, Access::EXECUTE) {
                Ok(()) => return Ok(candidate),
                Err(errno) => denied = errno,
            }
        }
        Err(denied)
    }

    /// Runs the program `name` of the table on this process, to its end: what `_start` and `exit` do around `main`.
    pub async fn run_program(&mut self, name: &[u8]) -> WaitStatus {
        let loader = Arc::clone(self.kernel.loader());
        let Some(future) = loader.start(name, self) else {
            return WaitStatus::Exited(127);
        };
        let result = future.await;
        match self.finish(result).await {
            Ok(code) | Err(Stop::Exit(code)) => WaitStatus::Exited(code as u8),
            Err(Stop::Signal(signal)) => WaitStatus::Signaled(signal),
            Err(Stop::Halt(_)) => std::future::pending().await,
        }
    }
}
