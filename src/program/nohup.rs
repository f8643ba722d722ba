//! `nohup`: becomes a program that a hang-up does not end. There is no terminal, so no stream is redirected.

use super::launch::{become_program, launch_status};
use super::usage;
use crate::args::{COREUTILS, Spec, quoteaf};
use crate::kernel::{Disposition, Proc, Program, Signal, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "nohup",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {}

static SPEC: Spec<Flag> = Spec::new(
    "nohup",
    COREUTILS,
    &["COMMAND [ARG]...", "OPTION"],
    "Run COMMAND, ignoring hangup signals.\n",
    &[],
)
.posix()
.fails_with(125);

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let Some(command) = parsed.operands.first().cloned() else {
        return Err(usage::refuse(proc, &SPEC.missing_operand()).await);
    };
    proc.signals.set(Signal::HUP, Disposition::Ignore);
    match become_program(proc, parsed.operands, None).await? {
        Ok(status) => Ok(status),
        Err(errno) => {
            let message = [
                b"failed to run command ",
                &*quoteaf(&command),
                b": ",
                errno.message().as_bytes(),
            ];
            proc.warn(message.concat()).await?;
            Ok(launch_status(errno))
        }
    }
}
