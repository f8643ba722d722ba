//! `echo [-neE] [arg …]`

use crate::args::EchoSwitches;
use crate::interp::{Flow, Interp, Set, Shopt};
use crate::text::escape;

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    let mut switches = EchoSwitches {
        newline: true,
        escapes: interp.options.shopt(Shopt::XpgEcho),
    };
    let mut rest = args;
    if !(switches.escapes && interp.options.is(Set::Posix)) {
        rest = args.get(switches.read(args)..).unwrap_or_default();
    }
    let mut text = Vec::new();
    for (i, arg) in rest.iter().enumerate() {
        if i > 0 {
            text.push(b' ');
        }
        if switches.escapes {
            let read = escape::unescape(arg, escape::Reader::Echo);
            text.extend_from_slice(&read.bytes);
            if read.stop {
                interp.print(text);
                return Ok(0);
            }
        } else {
            text.extend_from_slice(arg);
        }
    }
    if switches.newline {
        text.push(b'\n');
    }
    interp.print(text);
    Ok(0)
}
