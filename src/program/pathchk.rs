//! `pathchk`: whether names of files can be used, here or on other systems.
//!
//! Tests: `corpus/cases/program/pathchk.case`.

use super::message::message;
use super::usage;
use crate::args::{COREUTILS, Opt, Spec, quote, quoteaf, quotef};
use crate::fs::{Errno, Follow};
use crate::kernel::{Proc, Program, Stop};
use crate::text::utf8;

/// The program.
pub const PROGRAM: Program = Program {
    name: "pathchk",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Basic,
    Extra,
    Both,
}

static SPEC: Spec<Flag> = Spec::new(
    "pathchk",
    COREUTILS,
    &["[OPTION]... NAME..."],
    "",
    &[
        Opt::short(Flag::Basic, 'p', ""),
        Opt::short(Flag::Extra, 'P', ""),
        Opt::long(Flag::Both, "portability", ""),
    ],
)
.own_help(
    "Usage: {name} [OPTION]... NAME...\n\
     Diagnose invalid or unportable file names.\n\n\
     \x20 -p                  check for most POSIX systems\n\
     \x20 -P                  check for empty names and leading \"-\"\n\
     \x20     --portability   check for all POSIX systems (equivalent to -p -P)\n\
     \x20     --help        display this help and exit\n\
     \x20     --version     output version information and exit\n",
);

/// The longest names that every system takes, with the byte at their end, and that this one does.
const PORTABLE_PATH: usize = 256;
const PATH: usize = 4096;
/// The longest parts of names that every system takes, and that this one does.
const PORTABLE_PART: usize = 14;
const PART: usize = 255;

struct Checks {
    basic: bool,
    extra: bool,
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    usage::accept(proc, SPEC.check_operands(&parsed, 1, usize::MAX)).await?;
    let both = parsed.has(Flag::Both);
    let checks = Checks {
        basic: both || parsed.has(Flag::Basic),
        extra: both || parsed.has(Flag::Extra),
    };
    let mut status = 0;
    for name in &parsed.operands {
        proc.charge(name.len() as u64 / 8)?;
        if let Some(sentence) = complaint(proc, name, &checks) {
            proc.warn(sentence).await?;
            status = 1;
        }
    }
    Ok(status)
}

/// What is wrong with a name.
fn complaint(proc: &Proc, name: &[u8], checks: &Checks) -> Option<Vec<u8>> {
    let parts = || name.split(|byte| *byte == b'/').filter(|part| !part.is_empty());
    if checks.extra && parts().any(|part| part.starts_with(b"-")) {
        return Some(message!(
            "leading '-' in a component of file name ",
            quoteaf(name)
        ));
    }
    if (checks.basic || checks.extra) && name.is_empty() {
        return Some(b"empty file name".to_vec());
    }
    let mut exists = false;
    if checks.basic {
        if let Some(sentence) = unportable(name) {
            return Some(sentence);
        }
    } else {
        match proc.metadata(name, Follow::No) {
            Ok(_) => exists = true,
            Err(Errno::ENOENT) if !name.is_empty() => {}
            Err(errno) => return Some(message!(quotef(name), ": ", errno.message())),
        }
    }
    let (path, part) = if checks.basic {
        (PORTABLE_PATH, PORTABLE_PART)
    } else {
        (PATH, PART)
    };
    if !exists && name.len() >= path {
        let exceeded = exceeded(path - 1, name.len());
        return Some(message!(exceeded, "file name ", quoteaf(name)));
    }
    let long = parts().find(|found| !exists && found.len() > part)?;
    let exceeded = exceeded(part, long.len());
    Some(message!(exceeded, "file name component ", quote(long)))
}

fn exceeded(limit: usize, length: usize) -> String {
    format!("limit {limit} exceeded by length {length} of ")
}

/// The first character that not every system takes.
fn unportable(name: &[u8]) -> Option<Vec<u8>> {
    let is_portable = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-/".contains(byte);
    let rest = name.get(name.iter().position(|byte| !is_portable(byte))?..)?;
    let length = utf8::first(rest).map_or(1, utf8::Unit::len);
    let character = rest.get(..length)?;
    Some(message!(
        "nonportable character ",
        quote(character),
        " in file name ",
        quoteaf(name)
    ))
}
