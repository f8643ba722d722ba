//! `times`: processor time of the shell and of its children. No time is charged to processes here, as `time` has it too.

use crate::args::BuiltinSpec;
use crate::interp::{Flow, Interp};

const SPEC: BuiltinSpec = BuiltinSpec::new("times", "");

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    if let Err(status) = interp.parse_options(&SPEC, args) {
        return Ok(status);
    }
    interp.print("0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n");
    Ok(0)
}
