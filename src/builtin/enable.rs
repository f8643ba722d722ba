//! `enable [-a] [-dnps] [-f filename] [name …]`
//!
//! There are no shared objects to load builtins from: `-f` fails as the dynamic linker would, `-d` finds none loaded.

use std::sync::Arc;

use crate::args::{BuiltinParsed, BuiltinSpec};
use crate::fs::Follow;
use crate::interp::{Builtin, Flow, Interp};

const SPEC: BuiltinSpec = BuiltinSpec::new("enable", "adnpsf:");

/// The special builtins of POSIX, with bash's `source`.
const SPECIAL: [&str; 16] = [
    ".", ":", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set", "shift",
    "source", "times", "trap", "unset",
];

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    let parsed = match interp.parse_options(&SPEC, args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    if parsed.operands.is_empty() || parsed.has(b'p') {
        list(interp, &parsed);
        return Ok(0);
    }
    if let Some(file) = parsed.last(b'f') {
        return load(interp, file, &parsed.operands);
    }
    let mut status = 0;
    for name in &parsed.operands {
        let Some(builtin) = known(interp, name) else {
            if name.is_empty() && !parsed.has(b'd') {
                // The linker finds the shell itself under the empty name.
                interp.complain("enable", missing_symbol(name));
            }
            interp.complain("enable", [name, b": not a shell builtin".as_slice()].concat());
            status = 1;
            continue;
        };
        if parsed.has(b'd') {
            interp.complain("enable", format!("{}: not dynamically loaded", builtin.name));
            status = 1;
        } else if parsed.has(b'n') {
            Arc::make_mut(&mut interp.disabled).insert(builtin.name);
        } else {
            Arc::make_mut(&mut interp.disabled).remove(builtin.name);
        }
    }
    Ok(status)
}

/// The builtin of this name, disabled or not.
fn known(interp: &Interp, name: &[u8]) -> Option<&'static Builtin> {
    interp
        .builtins
        .iter()
        .find(|builtin| builtin.name.as_bytes() == name)
}

fn list(interp: &mut Interp, parsed: &BuiltinParsed) {
    let (all, off) = (parsed.has(b'a'), parsed.has(b'n'));
    for builtin in interp.builtins {
        if parsed.has(b's') && !SPECIAL.contains(&builtin.name) {
            continue;
        }
        let disabled = interp.disabled.contains(builtin.name);
        if all || disabled == off {
            interp.print(format!(
                "enable {}{}\n",
                if disabled { "-n " } else { "" },
                builtin.name
            ));
        }
    }
}

/// What the dynamic linker says of a builtin that the shell's own binary does not hold.
fn missing_symbol(name: &[u8]) -> Vec<u8> {
    let symbol = [name, b"_struct"].concat();
    [
        b"cannot find ",
        symbol.as_slice(),
        b" in shared object : bash: undefined symbol: ",
        &symbol,
    ]
    .concat()
}

fn load(interp: &mut Interp, file: &[u8], names: &[Vec<u8>]) -> Flow {
    if file.is_empty() {
        for name in names {
            interp.complain("enable", missing_symbol(name));
        }
        return Ok(1);
    }
    let reason: &[u8] = if interp.proc.metadata(file, Follow::Yes).is_ok() {
        b"invalid ELF header"
    } else {
        b"cannot open shared object file: No such file or directory"
    };
    interp.complain(
        "enable",
        [b"cannot open shared object ", file, b": ", file, b": ", reason].concat(),
    );
    Ok(1)
}
