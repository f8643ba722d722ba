//! `return [n]`

use crate::interp::{Divert, Flow, Interp, Misuse};

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    if let Some(status) = interp.help_asked("return", args) {
        return Ok(status);
    }
    let args = if args.first().is_some_and(|arg| arg == b"--") {
        args.get(1..).unwrap_or_default()
    } else {
        args
    };
    if !interp.can_return() {
        if let [text] = args {
            let _ = interp.status_argument("return", text);
        }
        interp.complain("return", "can only `return' from a function or sourced script");
        interp.misuse = Misuse::Usage;
        return Ok(2);
    }
    match args {
        [] => Err(Divert::Return(interp.return_status())),
        [text] => match interp.status_argument("return", text) {
            Ok(status) | Err(status) => Err(Divert::Return(status)),
        },
        _ => Err(interp.too_many("return")),
    }
}
