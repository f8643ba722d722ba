//! `patch`: applies what `diff` wrote. Behaviour is that of GNU patch 2.7.6.
//!
//! [`reader`] and [`context`] read a patch, [`names`] finds the file it means, [`place`] finds where each [`hunk`] applies, [`reject`]
//! keeps those that do not. Nobody is there to be asked: questions are printed, and the answer is no, as without a terminal.

mod apply;
mod context;
mod hunk;
mod names;
mod options;
mod place;
mod reader;
mod reject;
mod store;

use self::apply::Session;
use self::options::{Options, Verbosity};
use self::reader::Reader;
use super::message::message;
use super::usage;
use crate::fs::{Existing, Follow};
use crate::kernel::{Input, Lease, Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "patch",
    run: |proc| Box::pin(run(proc)),
};

/// The status when the patch could not be used.
const TROUBLE: i32 = 2;

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let options = Options::from_arguments(proc);
    let options = usage::accept(proc, options).await?;
    if let Some(directory) = &options.directory {
        change_directory(proc, directory).await?;
    }
    let mut lease = proc.kernel.lease();
    let text = read_patch(proc, &options, &mut lease).await?;
    let mut reader = Reader::new(&text);
    let mut session = Session::new(options, proc.kernel.lease());
    let mut found = false;
    while let Some(header) = reader.header(&session.options) {
        proc.kernel.breathe().await;
        if header.has_no_name() && session.options.file.is_none() {
            break;
        }
        session.announce(proc, &header, found).await?;
        found = true;
        session.patch(proc, header, &mut reader).await?;
    }
    if !found && !text.is_empty() {
        if reader.missed_line() {
            session.say(proc, apply::CUT).await?;
        }
        return Err(fatal(proc, "Only garbage was found in the patch input.").await);
    }
    if session.options.verbosity == Verbosity::Verbose {
        if !reader.is_finished() {
            session
                .say(proc, b"Hmm...  Ignoring the trailing garbage.\n")
                .await?;
        }
        session.say(proc, b"done\n").await?;
    }
    session.finish(proc).await
}

/// `patch: **** SENTENCE`, and the end.
async fn fatal(proc: &mut Proc, sentence: impl AsRef<[u8]>) -> Stop {
    usage::fail(proc, TROUBLE, message!("**** ", sentence)).await
}

async fn change_directory(proc: &mut Proc, directory: &[u8]) -> Result<(), Stop> {
    let found = proc.canonicalize(directory, Existing::All);
    let entered = found.and_then(|path| {
        let is_directory = proc.metadata(&path, Follow::Yes)?.kind == crate::fs::FileKind::Directory;
        if is_directory {
            Ok(path)
        } else {
            Err(crate::fs::Errno::ENOTDIR)
        }
    });
    match entered {
        Ok(path) => {
            proc.cwd = path.into();
            Ok(())
        }
        Err(errno) => Err(fatal(
            proc,
            message!("Can't change to directory ", directory, " : ", errno.message()),
        )
        .await),
    }
}

async fn read_patch(proc: &mut Proc, options: &Options, lease: &mut Lease) -> Result<Vec<u8>, Stop> {
    let path = options.input.as_deref().unwrap_or(b"-");
    let read = match proc.open_operand(path).await {
        Ok(file) => Input::new(file).rest(lease).await,
        Err(errno) => Err(errno),
    };
    match read {
        Ok(text) => {
            proc.charge(text.len() as u64 / 8)?;
            Ok(text)
        }
        Err(errno) => Err(fatal(
            proc,
            message!("Can't open patch file ", path, " : ", errno.message()),
        )
        .await),
    }
}
