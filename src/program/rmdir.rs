//! `rmdir`: removes empty directories.

use super::message::message;
use super::{path, usage};
use crate::args::{COREUTILS, Opt, Spec, quoteaf};
use crate::fs::{Errno, FileKind, Follow};
use crate::kernel::{Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "rmdir",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    IgnoreNonEmpty,
    Parents,
    Verbose,
}

static SPEC: Spec<Flag> = Spec::new(
    "rmdir",
    COREUTILS,
    &["[OPTION]... DIRECTORY..."],
    "Remove the DIRECTORY(ies), if they are empty.",
    &[
        Opt::long(
            Flag::IgnoreNonEmpty,
            "ignore-fail-on-non-empty",
            "ignore each failure that is solely because a directory\nis non-empty",
        ),
        Opt::flag(
            Flag::Parents,
            'p',
            "parents",
            "remove DIRECTORY and its ancestors; e.g., 'rmdir -p a/b' is\nsimilar to 'rmdir a/b a'",
        ),
        Opt::long(Flag::Parents, "path", ""),
        Opt::flag(
            Flag::Verbose,
            'v',
            "verbose",
            "output a diagnostic for every directory processed",
        ),
    ],
);

struct Options {
    ignore_non_empty: bool,
    parents: bool,
    verbose: bool,
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    if parsed.operands.is_empty() {
        return Err(usage::refuse(proc, &SPEC.missing_operand()).await);
    }
    let options = Options {
        ignore_non_empty: parsed.has(Flag::IgnoreNonEmpty),
        parents: parsed.has(Flag::Parents),
        verbose: parsed.has(Flag::Verbose),
    };
    let mut status = 0;
    for operand in &parsed.operands {
        if !remove(proc, operand, &options).await? {
            status = 1;
        }
    }
    Ok(status)
}

async fn announce(proc: &mut Proc, directory: &[u8], options: &Options) -> Result<(), Stop> {
    if options.verbose {
        let line = message!(proc.name(), ": removing directory, ", quoteaf(directory), "\n");
        proc.write(&line).await?;
    }
    Ok(())
}

async fn remove(proc: &mut Proc, operand: &[u8], options: &Options) -> Result<bool, Stop> {
    announce(proc, operand, options).await?;
    if let Err(errno) = proc.remove_dir(operand) {
        if options.ignore_non_empty && is_non_empty(proc, operand, errno) {
            return Ok(true);
        }
        let reason = if is_link_to_directory(proc, operand, errno) {
            "Symbolic link not followed"
        } else {
            errno.message()
        };
        let line = message!("failed to remove ", quoteaf(operand), ": ", reason);
        proc.warn(line).await?;
        return Ok(false);
    }
    if options.parents {
        return remove_ancestors(proc, operand, options).await;
    }
    Ok(true)
}

async fn remove_ancestors(proc: &mut Proc, operand: &[u8], options: &Options) -> Result<bool, Stop> {
    let mut rest = path::without_trailing_slashes(operand);
    while let Some(slash) = memchr::memrchr(b'/', rest) {
        let before = rest.get(..slash).unwrap_or_default();
        let end = before
            .iter()
            .rposition(|byte| *byte != b'/')
            .map_or(0, |last| last + 1);
        rest = before.get(..end.max(1)).unwrap_or(b"/");
        announce(proc, rest, options).await?;
        if let Err(errno) = proc.remove_dir(rest) {
            if options.ignore_non_empty && is_non_empty(proc, rest, errno) {
                return Ok(true);
            }
            let line = message!(
                "failed to remove directory ",
                quoteaf(rest),
                ": ",
                errno.message()
            );
            proc.warn(line).await?;
            return Ok(false);
        }
    }
    Ok(true)
}

/// The failure comes from what is in the directory.
fn is_non_empty(proc: &Proc, directory: &[u8], errno: Errno) -> bool {
    match errno {
        Errno::ENOTEMPTY | Errno::EEXIST => true,
        Errno::EACCES | Errno::EPERM | Errno::EROFS | Errno::EBUSY => {
            proc.read_dir(directory).is_ok_and(|entries| !entries.is_empty())
        }
        _ => false,
    }
}

/// `link/` is a link all the same, and says so.
fn is_link_to_directory(proc: &Proc, operand: &[u8], errno: Errno) -> bool {
    if errno != Errno::ENOTDIR || !operand.ends_with(b"/") {
        return false;
    }
    let kind = |path: &[u8], follow| proc.metadata(path, follow).map(|metadata| metadata.kind);
    kind(path::without_trailing_slashes(operand), Follow::No) == Ok(FileKind::Symlink)
        && matches!(kind(operand, Follow::Yes), Ok(FileKind::Directory) | Err(_))
}
