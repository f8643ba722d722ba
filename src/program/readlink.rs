//! `readlink`: what a symbolic link holds, or where a path leads.

use super::usage;
use crate::args::{COREUTILS, Opt, Spec};
use crate::fs::Existing;
use crate::kernel::{Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "readlink",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Canonicalize,
    CanonicalizeExisting,
    CanonicalizeMissing,
    NoNewline,
    Quiet,
    Verbose,
    Zero,
}

static SPEC: Spec<Flag> = Spec::new(
    "readlink",
    COREUTILS,
    &["[OPTION]... FILE..."],
    "Print value of a symbolic link or canonical file name\n",
    &[
        Opt::flag(
            Flag::Canonicalize,
            'f',
            "canonicalize",
            "canonicalize by following every symlink in\nevery component of the given name recursively;\nall but the last component must exist",
        ),
        Opt::flag(
            Flag::CanonicalizeExisting,
            'e',
            "canonicalize-existing",
            "canonicalize by following every symlink in\nevery component of the given name recursively,\nall components must exist",
        ),
        Opt::flag(
            Flag::CanonicalizeMissing,
            'm',
            "canonicalize-missing",
            "canonicalize by following every symlink in\nevery component of the given name recursively,\nwithout requirements on components existence",
        ),
        Opt::flag(
            Flag::NoNewline,
            'n',
            "no-newline",
            "do not output the trailing delimiter",
        ),
        Opt::flag(Flag::Quiet, 'q', "quiet", ""),
        Opt::flag(
            Flag::Quiet,
            's',
            "silent",
            "suppress most error messages (on by default)",
        ),
        Opt::flag(Flag::Verbose, 'v', "verbose", "report error messages"),
        Opt::flag(
            Flag::Zero,
            'z',
            "zero",
            "end each output line with NUL, not newline",
        ),
    ],
);

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    if parsed.operands.is_empty() {
        return Err(usage::refuse(proc, &SPEC.missing_operand()).await);
    }
    let modes = [
        Flag::Canonicalize,
        Flag::CanonicalizeExisting,
        Flag::CanonicalizeMissing,
    ];
    let existing = match parsed.last_of(&modes) {
        None => None,
        Some(Flag::CanonicalizeExisting) => Some(Existing::All),
        Some(Flag::CanonicalizeMissing) => Some(Existing::None),
        Some(_) => Some(Existing::Parent),
    };
    let verbose = parsed.last_of(&[Flag::Quiet, Flag::Verbose]) == Some(Flag::Verbose);
    let mut end: &[u8] = if parsed.has(Flag::Zero) { b"\0" } else { b"\n" };
    if parsed.has(Flag::NoNewline) {
        if parsed.operands.len() > 1 {
            proc.warn("ignoring --no-newline with multiple arguments").await?;
        } else {
            end = b"";
        }
    }
    let mut status = 0;
    for path in &parsed.operands {
        let found = match existing {
            Some(existing) => proc.canonicalize(path, existing),
            None => proc.read_link(path),
        };
        match found {
            Ok(text) => proc.write(&[&text, end].concat()).await?,
            Err(errno) => {
                status = 1;
                if verbose {
                    usage::warn_file(proc, path, errno).await?;
                }
            }
        }
    }
    Ok(status)
}
