//! `printenv`: prints values of the environment.

use super::usage;
use crate::args::{COREUTILS, Opt, Spec};
use crate::kernel::{Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "printenv",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Null,
}

static SPEC: Spec<Flag> = Spec::new(
    "printenv",
    COREUTILS,
    &["[OPTION]... [VARIABLE]..."],
    "Print the values of the specified environment VARIABLE(s).\nIf no VARIABLE is specified, print name and value pairs for \
     them all.\n",
    &[Opt::flag(Flag::Null, '0', "null", "end each output line with NUL, not newline")],
)
.posix()
.fails_with(2);

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let end: &[u8] = if parsed.has(Flag::Null) { b"\0" } else { b"\n" };
    let environment = proc.environment.clone();
    if parsed.operands.is_empty() {
        for (name, value) in environment.iter() {
            proc.write(&[name, b"=".as_slice(), value, end].concat()).await?;
        }
        return Ok(0);
    }
    let mut status = 0;
    for name in &parsed.operands {
        match environment.iter().find(|(known, _)| known == name) {
            Some((_, value)) => proc.write(&[value, end].concat()).await?,
            None => status = 1,
        }
    }
    Ok(status)
}
