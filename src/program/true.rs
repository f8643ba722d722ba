//! `true`: succeeds. Only `--help` and `--version` alone make it print something.

use super::usage;
use crate::args::{COREUTILS, Spec};
use crate::kernel::{Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "true",
    run: |proc| Box::pin(run(proc)),
};

static SPEC: Spec<()> = Spec::new(
    "true",
    COREUTILS,
    &["[ignored command line arguments]", "OPTION"],
    "Exit with a status code indicating success.",
    &[],
);

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let answer = match proc.arguments() {
        [only] if only == b"--help" => SPEC.help(),
        [only] if only == b"--version" => SPEC.version(),
        _ => return Ok(0),
    };
    Err(usage::refuse(proc, &answer).await)
}
