//! `suspend [-f]`: stops the shell until it is continued. Nothing outside could continue it, so that it always fails.

use crate::args::BuiltinSpec;
use crate::interp::{Divert, Flow, Interp, Set};

const SPEC: BuiltinSpec = BuiltinSpec::new("suspend", "f");

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    let parsed = match interp.parse_options(&SPEC, args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    if parsed.has(b'f') || interp.options.is(Set::Monitor) {
        if !parsed.operands.is_empty() {
            interp.complain("suspend", "too many arguments");
            return Err(Divert::Exit(1));
        }
        interp.complain("suspend", "cannot suspend: nothing could continue this shell");
        return Ok(1);
    }
    interp.complain("suspend", "cannot suspend: no job control");
    Ok(1)
}
