//! The last operand, `-t` and `-T` of `cp`, `mv`, `ln` and `install`: one destination, or a directory to put things in.

use super::message::message;
use super::path;
use super::usage;
use crate::args::{Opt, Parsed, Spec, UsageError, quoteaf};
use crate::fs::{Errno, FileKind, Follow};
use crate::kernel::{Proc, Stop};

/// Where the sources go.
#[derive(Debug)]
pub enum Destination {
    /// Into this directory, each under its own name.
    Into(Vec<u8>),
    /// The only source becomes this.
    At(Vec<u8>),
}

/// What the options say about it.
#[derive(Debug, Default)]
pub struct Wanted {
    /// `-t`.
    pub directory: Option<Vec<u8>>,
    /// `-T`.
    pub no_directory: bool,
}

/// A program's options for its destination.
#[derive(Debug, Clone, Copy)]
pub struct DestinationFlags<F> {
    /// `-t`.
    pub directory: F,
    /// `-T`.
    pub no_directory: F,
}

impl<F: Copy + PartialEq> DestinationFlags<F> {
    /// The row of `-t`.
    pub const fn directory_row(self, help: &'static str) -> Opt<F> {
        Opt::required(self.directory, 't', "target-directory", "DIRECTORY", help)
    }

    /// The row of `-T`.
    pub const fn no_directory_row(self, help: &'static str) -> Opt<F> {
        Opt::flag(self.no_directory, 'T', "no-target-directory", help)
    }

    /// What was asked for; a second `-t` is refused.
    pub fn wanted(self, parsed: &Parsed<F>) -> Result<Wanted, UsageError> {
        let mut directories = parsed.values(self.directory);
        let directory = directories.next().map(<[u8]>::to_vec);
        if directories.next().is_some() {
            return Err(UsageError::plain(1, "multiple target directories specified"));
        }
        Ok(Wanted {
            directory,
            no_directory: parsed.has(self.no_directory),
        })
    }
}

/// Fails unless `path` is a directory that can be entered.
pub fn check_directory(proc: &Proc, path: &[u8]) -> Result<(), Errno> {
    match proc.metadata(path, Follow::Yes)?.kind {
        FileKind::Directory => Ok(()),
        _ => Err(Errno::ENOTDIR),
    }
}

/// Takes the destination off the operands, with the complaints that the tools share.
pub async fn take<F: Copy + PartialEq>(
    proc: &mut Proc,
    spec: &Spec<F>,
    operands: &mut Vec<Vec<u8>>,
    wanted: Wanted,
) -> Result<Destination, Stop> {
    let least = if wanted.directory.is_some() { 1 } else { 2 };
    if operands.len() < least {
        let error = match operands.first() {
            Some(only) => spec.missing_destination(only),
            None => spec.missing_file_operand(),
        };
        return Err(usage::refuse(proc, &error).await);
    }
    if wanted.no_directory {
        if wanted.directory.is_some() {
            let line = "cannot combine --target-directory (-t) and --no-target-directory (-T)";
            return Err(usage::fail(proc, 1, line).await);
        }
        if let Some(extra) = operands.get(2) {
            let error = spec.complain(message!("extra operand ", quoteaf(extra)));
            return Err(usage::refuse(proc, &error).await);
        }
        return Ok(Destination::At(operands.pop().unwrap_or_default()));
    }
    if let Some(directory) = wanted.directory {
        return match check_directory(proc, &directory) {
            Ok(()) => Ok(Destination::Into(directory)),
            Err(errno) => {
                let line = message!("target directory ", quoteaf(&directory), ": ", errno.message());
                Err(usage::fail(proc, 1, line).await)
            }
        };
    }
    let last = operands.pop().unwrap_or_default();
    match check_directory(proc, &last) {
        Ok(()) => Ok(Destination::Into(last)),
        Err(errno) if operands.len() > 1 => {
            let line = message!("target ", quoteaf(&last), ": ", errno.message());
            Err(usage::fail(proc, 1, line).await)
        }
        Err(_) => Ok(Destination::At(last)),
    }
}

/// The name of a source in a directory. `..` has none there: it stands for the directory itself.
pub fn name_in(directory: &[u8], source: &[u8]) -> Vec<u8> {
    match path::without_trailing_slashes(path::last_component(source)) {
        b".." => path::concatenate(directory, b"."),
        name => path::concatenate(directory, name),
    }
}
