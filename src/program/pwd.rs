//! `pwd`: prints the working directory. The program of coreutils: without links, unless `-L` is given.

use super::message::message;
use super::usage;
use crate::args::{COREUTILS, Opt, Spec, quote};
use crate::fs::{Existing, Follow};
use crate::kernel::{Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "pwd",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flag {
    Logical,
    Physical,
}

static SPEC: Spec<Flag> = Spec::new(
    "pwd",
    COREUTILS,
    &["[OPTION]..."],
    "Print the full filename of the current working directory.\n",
    &[
        Opt::flag(
            Flag::Logical,
            'L',
            "logical",
            "use PWD from environment, even if it contains symlinks",
        ),
        Opt::flag(Flag::Physical, 'P', "physical", "avoid all symlinks"),
    ],
);

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    if !parsed.operands.is_empty() {
        proc.warn("ignoring non-option arguments").await?;
    }
    let logical = match parsed.last_of(&[Flag::Logical, Flag::Physical]) {
        Some(Flag::Logical) => true,
        Some(_) => false,
        None => proc.variable(b"POSIXLY_CORRECT").is_some(),
    };
    let said = if logical { logical_path(proc) } else { None };
    let path = said.map_or_else(|| proc.canonicalize(b".", Existing::All), Ok);
    let Ok(path) = path else {
        let line = message!(
            "couldn't find directory entry in ",
            quote(b".."),
            " with matching i-node"
        );
        return Err(usage::fail(proc, 1, line).await);
    };
    proc.write(&message!(path, "\n")).await?;
    Ok(0)
}

/// `PWD`, where it names this directory without detours.
fn logical_path(proc: &Proc) -> Option<Vec<u8>> {
    let path = proc.variable(b"PWD").filter(|path| path.starts_with(b"/"))?;
    let detour = |part: &[u8]| part == b"." || part == b"..";
    if path.split(|byte| *byte == b'/').any(detour) {
        return None;
    }
    let node = |path: &[u8]| {
        let found = proc.metadata(path, Follow::Yes).ok()?;
        Some((found.device, found.inode))
    };
    (node(path)? == node(b".")?).then(|| path.to_vec())
}
