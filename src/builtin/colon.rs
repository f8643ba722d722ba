//! `:`, `true`, `false`

use crate::interp::{Flow, Interp};

/// Succeeds.
pub fn run(_: &mut Interp, _: &[Vec<u8>]) -> Flow {
    Ok(0)
}

/// Fails.
pub fn run_false(_: &mut Interp, _: &[Vec<u8>]) -> Flow {
    Ok(1)
}
