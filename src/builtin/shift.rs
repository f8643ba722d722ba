//! `shift [n]`

use std::sync::Arc;

use super::support::number;
use crate::interp::{Flow, Interp, Set, Shopt};

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    if let Some(status) = interp.help_asked("shift", args) {
        return Ok(status);
    }
    let args = if args.first().is_some_and(|arg| arg == b"--") {
        args.get(1..).unwrap_or_default()
    } else {
        args
    };
    let count = match args {
        [] => 1,
        [text, rest @ ..] => match number(text) {
            Some(_) if !rest.is_empty() => return Err(interp.too_many("shift")),
            Some(count) => count,
            None => {
                interp.complain(
                    "shift",
                    [text, b": numeric argument required".as_slice()].concat(),
                );
                return Ok(1);
            }
        },
    };
    let Ok(count) = usize::try_from(count) else {
        let text = args.first().cloned().unwrap_or_default();
        interp.complain(
            "shift",
            [&text, b": shift count out of range".as_slice()].concat(),
        );
        return Ok(1);
    };
    if count > interp.positional.len() {
        if interp.options.shopt(Shopt::ShiftVerbose) || interp.options.is(Set::Posix) {
            let text = args.first().cloned().unwrap_or_else(|| b"1".to_vec());
            interp.complain(
                "shift",
                [&text, b": shift count out of range".as_slice()].concat(),
            );
        }
        return Ok(1);
    }
    Arc::make_mut(&mut interp.positional).drain(..count);
    Ok(0)
}
