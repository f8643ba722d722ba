//! `-exec`, `-execdir`, `-ok`, `-okdir`: running commands.
//!
//! With `+` paths are gathered until they fill a command line or, with `-execdir`, until the next one is in another directory; at the end
//! the rest is run. Such an action is always true, and a command that fails shows in the exit status of `find`.

use super::Finder;
use crate::args::quote;
use crate::fs::OpenFlags;
use crate::kernel::{Launch, Proc, Stop, WaitStatus};
use crate::program::message::{ask_plainly, message};
use crate::program::path;

/// Bytes of arguments that one command line holds.
const LINE: usize = 128 << 10;

/// A command to run.
#[derive(Debug, Default)]
pub struct Exec {
    /// The words; `{}` in them stands for the path.
    pub words: Vec<Vec<u8>>,
    /// In the directory of the file, which is `./name` there.
    pub in_directory: bool,
    /// Ask before.
    pub asks: bool,
    /// Ends in `+`.
    pub gathers: bool,
    /// What is gathered, and where it is run.
    pub gathered: Vec<Vec<u8>>,
    pub directory: Option<Vec<u8>>,
    pub bytes: usize,
}

/// A path as a command sees it, and the directory it runs in, if that is another.
fn seen(exec: &Exec, path: &[u8]) -> (Vec<u8>, Option<Vec<u8>>) {
    if !exec.in_directory {
        return (path.to_vec(), None);
    }
    let name = path::last_component(path);
    if name.is_empty() {
        return (b"/".to_vec(), Some(b"/".to_vec()));
    }
    let directory = path::directory_name(path).to_vec();
    (path::join(b".", name), Some(directory))
}

/// `word` with each `{}` replaced.
fn substitute(word: &[u8], path: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(word.len() + path.len());
    let mut rest = word;
    while let Some(at) = memchr::memmem::find(rest, b"{}") {
        out.extend_from_slice(rest.get(..at).unwrap_or_default());
        out.extend_from_slice(path);
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    out
}

impl Finder {
    /// Runs the command for a path, or puts the path aside; whether it succeeded.
    pub async fn exec(&mut self, proc: &mut Proc, exec: &mut Exec, path: &[u8]) -> Result<bool, Stop> {
        let (path_seen, directory) = seen(exec, path);
        if exec.gathers {
            let needed = path_seen.len() + 1;
            if exec.directory != directory || exec.bytes + needed > LINE {
                self.run_gathered(proc, exec).await?;
            }
            if exec.gathered.is_empty() {
                exec.bytes = exec.words.iter().map(|word| word.len() + 1).sum();
                exec.directory = directory;
            }
            exec.bytes += needed;
            exec.gathered.push(path_seen);
            return Ok(true);
        }
        if exec.asks && !ask(proc, &exec.words, path).await? {
            return Ok(false);
        }
        let words = exec
            .words
            .iter()
            .map(|word| substitute(word, &path_seen))
            .collect();
        let status = self.launch(proc, words, directory, exec.asks).await?;
        Ok(status == Some(0))
    }

    /// Runs what `+` gathered.
    pub async fn run_gathered(&mut self, proc: &mut Proc, exec: &mut Exec) -> Result<(), Stop> {
        if exec.gathered.is_empty() {
            return Ok(());
        }
        let mut words = exec.words.clone();
        words.append(&mut exec.gathered);
        let status = self.launch(proc, words, exec.directory.take(), false).await?;
        if status != Some(0) {
            self.status = 1;
        }
        Ok(())
    }

    /// Starts a command and waits for it. Its exit status, unless it did not start or was killed.
    async fn launch(
        &mut self,
        proc: &mut Proc,
        words: Vec<Vec<u8>>,
        directory: Option<Vec<u8>>,
        without_input: bool,
    ) -> Result<Option<u8>, Stop> {
        self.lost_output |= proc.try_flush().await?.is_err();
        self.outputs.flush(proc).await?;
        let name = words.first().cloned().unwrap_or_default();
        let cwd = match directory {
            None => None,
            Some(directory) => match proc.canonicalize(&directory, crate::fs::Existing::All) {
                Ok(path) => Some(path),
                Err(errno) => {
                    self.fail(proc, message!(quote(&directory), ": ", errno.message()))
                        .await?;
                    return Ok(None);
                }
            },
        };
        let mut fds = Vec::new();
        if without_input && let Ok(null) = proc.open(b"/dev/null", OpenFlags::READ).await {
            fds.push((0, null));
        }
        let launch = Launch {
            args: words,
            cwd,
            fds,
            ..Launch::default()
        };
        let waited = match proc.spawn(launch) {
            Ok(pid) => proc.wait(pid).await,
            Err(errno) => {
                proc.warn(message!(quote(&name), ": ", errno.message())).await?;
                return Ok(None);
            }
        };
        match waited {
            Ok(WaitStatus::Exited(code)) => Ok(Some(code)),
            Ok(WaitStatus::Signaled(signal)) => {
                let number = signal.number().to_string();
                proc.warn(message!(quote(&name), " terminated by signal ", number))
                    .await?;
                Ok(None)
            }
            Err(_) => Ok(None),
        }
    }
}

/// `-ok` and `-okdir`: whether to run a command.
async fn ask(proc: &mut Proc, words: &[Vec<u8>], path: &[u8]) -> Result<bool, Stop> {
    let command = words.first().map_or(&b""[..], Vec::as_slice);
    ask_plainly(proc, &message!("< ", command, " ... ", path, " > ? ")).await
}
