//! `mkdir`: makes directories.
//!
//! With `-p` the missing ancestors are made one by one with the mask less `u+wx`, so that the next one can be made in them; `-m` is
//! for the last directory alone and ignores the mask.

use super::message::message;
use super::usage;
use crate::args::{COREUTILS, Opt, Spec, UsageError, quote, quoteaf};
use crate::fs::{Errno, FileKind, Follow};
use crate::kernel::{Proc, Program, Stop};
use crate::text::mode::{Adjusted, ModeChange};

/// The program.
pub const PROGRAM: Program = Program {
    name: "mkdir",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Mode,
    Parents,
    Verbose,
    DefaultContext,
    Context,
}

static SPEC: Spec<Flag> = Spec::new(
    "mkdir",
    COREUTILS,
    &["[OPTION]... DIRECTORY..."],
    "Create the DIRECTORY(ies), if they do not already exist.",
    &[
        Opt::required(
            Flag::Mode,
            'm',
            "mode",
            "MODE",
            "set file mode (as in chmod), not a=rwx - umask",
        ),
        Opt::flag(
            Flag::Parents,
            'p',
            "parents",
            "no error if existing, make parent directories as needed,\nwith their file modes unaffected by any -m option.",
        ),
        Opt::flag(
            Flag::Verbose,
            'v',
            "verbose",
            "print a message for each created directory",
        ),
        Opt::short(
            Flag::DefaultContext,
            'Z',
            "set SELinux security context of each created directory\nto the default type",
        ),
        Opt::long(
            Flag::Context,
            "context",
            "like -Z, or if CTX is specified then set the SELinux\nor SMACK security context to CTX",
        )
        .may_take("CTX"),
    ],
);

struct Wanted {
    parents: bool,
    verbose: bool,
    /// The bits that a directory is to have in the end, when they were said.
    mode: Option<Adjusted>,
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    if parsed.operands.is_empty() {
        return Err(usage::refuse(proc, &SPEC.missing_operand()).await);
    }
    if parsed.last(Flag::Context).is_some() {
        proc.warn("warning: ignoring --context; it requires an SELinux/SMACK-enabled kernel")
            .await?;
    }
    let mode = match parsed.last(Flag::Mode) {
        None => None,
        Some(text) => {
            let change = ModeChange::parse(text)
                .ok_or_else(|| UsageError::plain(1, message!("invalid mode ", quote(text))));
            let change = usage::accept(proc, change).await?;
            Some(change.adjust(0o777, true, proc.umask))
        }
    };
    let wanted = Wanted {
        parents: parsed.has(Flag::Parents),
        verbose: parsed.has(Flag::Verbose),
        mode,
    };
    let mut status = 0;
    for path in &parsed.operands {
        if let Err((path, errno)) = make(proc, path, &wanted).await? {
            let line = message!("cannot create directory ", quote(&path), ": ", errno.message());
            proc.warn(line).await?;
            status = 1;
        }
    }
    Ok(status)
}

type Made = Result<(), (Vec<u8>, Errno)>;

async fn make(proc: &mut Proc, path: &[u8], wanted: &Wanted) -> Result<Made, Stop> {
    if wanted.parents
        && let Err(failed) = make_ancestors(proc, path, wanted.verbose).await?
    {
        return Ok(Err(failed));
    }
    let made = make_one(proc, path, wanted);
    match made {
        Ok(()) => announce(proc, path, wanted.verbose).await?,
        // What is there already will do.
        Err(errno) if wanted.parents && errno != Errno::ENOENT && is_directory(proc, path) => {}
        Err(errno) => return Ok(Err((path.to_vec(), errno))),
    }
    Ok(Ok(()))
}

fn make_one(proc: &Proc, path: &[u8], wanted: &Wanted) -> Result<(), Errno> {
    let Some(mode) = wanted.mode else {
        return proc.make_dir(path, 0o777);
    };
    let Adjusted { mode, concerned } = mode;
    // With special bits it is not open to others before they are set, and then only the bits that were said are changed.
    let special = concerned & 0o6000 != 0 || mode & 0o1000 != 0;
    let first = if special { mode & !0o022 } else { mode };
    let mut view = proc.view();
    view.umask &= !mode;
    proc.fs.make_dir(&view, path, first & 0o1777)?;
    let made = proc.metadata(path, Follow::Yes)?.mode;
    if (made ^ mode) & concerned == 0 {
        return Ok(());
    }
    proc.set_mode(path, mode | (made & !concerned), Follow::Yes)
}

fn is_directory(proc: &Proc, path: &[u8]) -> bool {
    proc.metadata(path, Follow::Yes)
        .is_ok_and(|metadata| metadata.kind == FileKind::Directory)
}

async fn announce(proc: &mut Proc, path: &[u8], verbose: bool) -> Result<(), Stop> {
    if verbose {
        let line = message!(proc.name(), ": created directory ", quoteaf(path), "\n");
        proc.write(&line).await?;
    }
    Ok(())
}

/// Makes what is missing in front of the last component.
async fn make_ancestors(proc: &mut Proc, path: &[u8], verbose: bool) -> Result<Made, Stop> {
    let mut end = 0;
    while let Some(next) = next_component_end(path, end) {
        let Some(ancestor) = path.get(..next) else { break };
        end = next;
        if matches!(super::path::base_name(ancestor), b"." | b"..") {
            continue;
        }
        let mut view = proc.view();
        view.umask &= !0o300;
        match proc.fs.make_dir(&view, ancestor, 0o777) {
            Ok(()) => {
                let ancestor = ancestor.to_vec();
                announce(proc, &ancestor, verbose).await?;
            }
            Err(errno) => match proc.metadata(ancestor, Follow::Yes) {
                Ok(found) if found.kind == FileKind::Directory => {}
                Ok(_) => return Ok(Err((ancestor.to_vec(), Errno::ENOTDIR))),
                Err(_) => return Ok(Err((ancestor.to_vec(), errno))),
            },
        }
    }
    Ok(Ok(()))
}

/// The end of the next component after `from` that is not the last one.
fn next_component_end(path: &[u8], from: usize) -> Option<usize> {
    let start = from + path.get(from..)?.iter().take_while(|byte| **byte == b'/').count();
    let end = start + memchr::memchr(b'/', path.get(start..)?)?;
    let more = path.get(end..)?.iter().any(|byte| *byte != b'/');
    (more && end > start).then_some(end)
}
