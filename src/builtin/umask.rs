//! `umask [-p] [-S] [mode]`

use crate::args::BuiltinSpec;
use crate::interp::{Flow, Interp};
use crate::text::mode::{UmaskError, symbolic_umask};

const SPEC: BuiltinSpec = BuiltinSpec::new("umask", "Sp");

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    let parsed = match interp.parse_options(&SPEC, args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let symbolic = parsed.has(b'S');
    let Some(mode) = parsed.operands.first() else {
        show(interp, symbolic, parsed.has(b'p'));
        return Ok(0);
    };
    match read_mask(mode, interp.proc.umask) {
        Ok(mask) => interp.proc.umask = mask,
        Err(message) => {
            interp.complain("umask", message);
            return Ok(1);
        }
    }
    if symbolic {
        show(interp, true, false);
    }
    Ok(0)
}

/// The new mask, or the message.
fn read_mask(mode: &[u8], old: u32) -> Result<u32, Vec<u8>> {
    if mode.first().is_some_and(u8::is_ascii_digit) {
        return octal(mode).ok_or_else(|| [mode, b": octal number out of range"].concat());
    }
    symbolic_umask(mode, old).map_err(|error| match error {
        UmaskError::Operator(byte) => {
            [b"`", [byte].as_slice(), b"': invalid symbolic mode operator"].concat()
        }
        UmaskError::Character(byte) => {
            [b"`", [byte].as_slice(), b"': invalid symbolic mode character"].concat()
        }
    })
}

/// bash takes all bits of a mode, and the system drops those above the permissions.
fn octal(text: &[u8]) -> Option<u32> {
    let value = text.iter().try_fold(0u32, |value, digit| match digit {
        b'0'..=b'7' if value <= 0o7777 => Some(value * 8 + u32::from(digit - b'0')),
        _ => None,
    })?;
    (value <= 0o7777).then_some(value & 0o777)
}

fn show(interp: &mut Interp, symbolic: bool, reusable: bool) {
    let mask = interp.proc.umask & 0o777;
    let text = if symbolic {
        letters(!mask)
    } else {
        format!("{mask:04o}")
    };
    let prefix = match (reusable, symbolic) {
        (false, _) => "",
        (true, false) => "umask ",
        (true, true) => "umask -S ",
    };
    interp.print(format!("{prefix}{text}\n"));
}

/// `u=rwx,g=rx,o=rx`
fn letters(mode: u32) -> String {
    let classes = [("u", 6), ("g", 3), ("o", 0)].map(|(class, shift)| {
        let bits = mode >> shift & 7;
        let letters: String = [(4, 'r'), (2, 'w'), (1, 'x')]
            .iter()
            .filter(|(bit, _)| bits & bit != 0)
            .map(|(_, letter)| *letter)
            .collect();
        format!("{class}={letters}")
    });
    classes.join(",")
}
