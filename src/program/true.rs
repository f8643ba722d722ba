//! `true`: succeeds.

use crate::kernel::{Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "true",
    run: |proc| Box::pin(run(proc)),
};

async fn run(_: &mut Proc) -> Result<i32, Stop> {
    Ok(0)
}
