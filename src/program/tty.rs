//! `tty`: there is no terminal.

use super::usage;
use crate::args::{COREUTILS, Opt, Spec};
use crate::kernel::{Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "tty",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Silent,
}

static SPEC: Spec<Flag> = Spec::new(
    "tty",
    COREUTILS,
    &["[OPTION]..."],
    "Print the file name of the terminal connected to standard input.\n",
    &[
        Opt::flag(
            Flag::Silent,
            's',
            "silent",
            "print nothing, only return an exit status",
        ),
        Opt::long(Flag::Silent, "quiet", ""),
    ],
)
.fails_with(2);

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    usage::accept(proc, SPEC.check_operands(&parsed, 0, 0)).await?;
    if !parsed.has(Flag::Silent) {
        proc.write(b"not a tty\n").await?;
    }
    Ok(1)
}
