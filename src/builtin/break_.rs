//! `break [n]`, `continue [n]`

use super::support::number;
use crate::interp::{Divert, Flow, Interp, Set};

/// `break`
pub fn run_break(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    if let Some(status) = interp.help_asked("break", args) {
        return Ok(status);
    }
    leave(interp, "break", args, Divert::Break)
}

/// `continue`
pub fn run_continue(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    if let Some(status) = interp.help_asked("continue", args) {
        return Ok(status);
    }
    leave(interp, "continue", args, Divert::Continue)
}

fn leave(interp: &mut Interp, name: &str, args: &[Vec<u8>], divert: fn(u32) -> Divert) -> Flow {
    let loops = interp.context.loops;
    if loops == 0 {
        if !interp.options.is(Set::Posix) {
            interp.complain(name, "only meaningful in a `for', `while', or `until' loop");
        }
        return Ok(0);
    }
    let args = if args.first().is_some_and(|arg| arg == b"--") {
        args.get(1..).unwrap_or_default()
    } else {
        args
    };
    let levels = match args {
        [] => 1,
        [text] => match number(text) {
            Some(levels) if levels >= 1 => u32::try_from(levels).unwrap_or(u32::MAX),
            Some(_) => {
                interp.complain(name, [text, b": loop count out of range".as_slice()].concat());
                interp.status = 1;
                return Err(Divert::Break(loops));
            }
            None => {
                interp.complain(name, [text, b": numeric argument required".as_slice()].concat());
                return Err(Divert::Exit(128));
            }
        },
        _ => {
            return Err(interp.too_many(name));
        }
    };
    interp.status = 0;
    Err(divert(levels.min(loops)))
}
