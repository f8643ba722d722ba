//! `false`: fails.

use crate::kernel::{Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "false",
    run: |proc| Box::pin(run(proc)),
};

async fn run(_: &mut Proc) -> Result<i32, Stop> {
    Ok(1)
}
