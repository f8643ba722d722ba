//! `echo [-neE] [arg …]`

use crate::interp::{Flow, Interp, Set, Shopt};
use crate::text::escape;

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    let mut newline = true;
    let mut escapes = interp.options.shopt(Shopt::XpgEcho);
    let mut rest = args;
    let posix = escapes && interp.options.is(Set::Posix);
    while let Some((first, tail)) = rest.split_first() {
        let letters = match first.as_slice() {
            [b'-', letters @ ..] if !letters.is_empty() && !posix => letters,
            _ => break,
        };
        if !letters.iter().all(|letter| matches!(letter, b'n' | b'e' | b'E')) {
            break;
        }
        for letter in letters {
            match letter {
                b'n' => newline = false,
                b'e' => escapes = true,
                _ => escapes = false,
            }
        }
        rest = tail;
    }
    let mut text = Vec::new();
    for (i, arg) in rest.iter().enumerate() {
        if i > 0 {
            text.push(b' ');
        }
        if escapes {
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
    if newline {
        text.push(b'\n');
    }
    interp.print(text);
    Ok(0)
}
