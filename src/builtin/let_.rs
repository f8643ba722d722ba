//! `let arg [arg …]`

use crate::expand::Failure;
use crate::interp::{Flow, Interp};

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    if let Some(status) = interp.help_asked("let", args) {
        return Ok(status);
    }
    let args = if args.first().is_some_and(|arg| arg == b"--") {
        args.get(1..).unwrap_or_default()
    } else {
        args
    };
    if args.is_empty() {
        interp.complain("let", "expression expected");
        return Ok(1);
    }
    let mut value = 0;
    for arg in args {
        match crate::expand::arith::evaluate(interp, arg) {
            Ok(number) => value = number,
            Err(Failure::Arith(message)) => {
                interp.complain("let", message);
                return Ok(1);
            }
            Err(Failure::Discard(message)) => {
                interp.error(message);
                return Ok(1);
            }
            Err(failure) => return Err(interp.fail_expansion(failure)),
        }
    }
    Ok(i32::from(value == 0))
}
