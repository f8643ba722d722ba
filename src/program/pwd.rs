//! `pwd`: prints the working directory. The program of coreutils: without links, unless `-L` is given.

use super::usage;
use crate::args::{COREUTILS, Opt, Spec};
use crate::fs::Existing;
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
    let mut path = proc.cwd.to_vec();
    if parsed.last_of(&[Flag::Logical, Flag::Physical]) != Some(Flag::Logical) {
        path = proc
            .fs
            .canonicalize(&proc.view(), &path, Existing::All)
            .unwrap_or(path);
    }
    path.push(b'\n');
    proc.write(&path).await?;
    Ok(0)
}
