//! `yes`: prints a line for ever; a closed pipe ends it.

use super::usage;
use crate::args::{COREUTILS, Spec};
use crate::kernel::{Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "yes",
    run: |proc| Box::pin(run(proc)),
};

static SPEC: Spec<()> = Spec::new(
    "yes",
    COREUTILS,
    &["[STRING]...", "OPTION"],
    "Repeatedly output a line with all specified STRING(s), or 'y'.\n",
    &[],
);

/// Lines are put together to about this much.
const BLOCK: usize = 8 << 10;

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    proc.write_failure.sentence = "standard output";
    let parsed = usage::parse(proc, &SPEC).await?;
    let mut line = if parsed.operands.is_empty() {
        b"y".to_vec()
    } else {
        parsed.operands.join(&b' ')
    };
    line.push(b'\n');
    let block = line.repeat((BLOCK / line.len()).max(1));
    loop {
        proc.write(&block).await?;
    }
}
