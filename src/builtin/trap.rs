//! `trap [-lp] [[arg] signal_spec …]`

use crate::args::BuiltinSpec;
use crate::interp::{Flow, Interp, Set, TrapKey};
use crate::kernel::Signal;
use crate::text::quote;

const SPEC: BuiltinSpec = BuiltinSpec::new("trap", "lp");

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    let parsed = match interp.parse_options(&SPEC, args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    if parsed.has(b'l') {
        interp.print(signal_table());
        return Ok(0);
    }
    if parsed.has(b'p') || parsed.operands.is_empty() {
        return show(interp, &parsed.operands);
    }
    set(interp, &parsed.operands)
}

fn set(interp: &mut Interp, operands: &[Vec<u8>]) -> Flow {
    let Some((first, rest)) = operands.split_first() else {
        return Ok(0);
    };
    // A number first, or a lone name, resets.
    let is_number = !first.is_empty() && first.iter().all(u8::is_ascii_digit);
    let reset_all = rest.is_empty() || (is_number && TrapKey::parse(first).is_some());
    let (action, names) = if reset_all {
        (None, operands)
    } else {
        (Some(first.as_slice()), rest)
    };
    if rest.is_empty() && TrapKey::parse(first).is_none() {
        return Ok(interp.say_usage("trap", SPEC.usage_error(None)));
    }
    let action = action.filter(|action| *action != b"-");
    let mut status = 0;
    for name in names {
        match TrapKey::parse(name) {
            Some(key) => {
                if let TrapKey::Signal(signal) = key
                    && interp.traps.ignored_at_start.contains(&signal)
                {
                    continue;
                }
                interp.set_trap(key, action);
            }
            None => {
                interp.complain(
                    "trap",
                    [name, b": invalid signal specification".as_slice()].concat(),
                );
                status = 1;
            }
        }
    }
    Ok(status)
}

fn show(interp: &mut Interp, names: &[Vec<u8>]) -> Flow {
    let traps = std::sync::Arc::clone(&interp.traps);
    let table = if traps.inherited.is_empty() {
        &traps.active
    } else {
        &traps.inherited
    };
    let mut status = 0;
    let keys: Vec<TrapKey> = if names.is_empty() {
        table.keys().copied().collect()
    } else {
        let mut keys = Vec::new();
        for name in names {
            match TrapKey::parse(name) {
                Some(key) => keys.push(key),
                None => {
                    interp.complain(
                        "trap",
                        [name, b": invalid signal specification".as_slice()].concat(),
                    );
                    status = 1;
                }
            }
        }
        keys
    };
    for key in keys {
        if let Some(text) = table.get(&key) {
            let name = key.name();
            let posix = interp.options.is(Set::Posix);
            let shown = name.strip_prefix("SIG").filter(|_| posix).unwrap_or(&name);
            let line = [
                b"trap -- ",
                quote::single_quoted(text).as_slice(),
                b" ",
                shown.as_bytes(),
                b"\n",
            ]
            .concat();
            interp.print(line);
        }
    }
    Ok(status)
}

/// `trap -l` and `kill -l`: five a line.
pub(super) fn signal_table() -> String {
    use std::fmt::Write;
    let mut text = String::new();
    for (i, signal) in Signal::all().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{:2}) SIG{}", signal.number(), signal.name());
        let last_in_row = i % 5 == 4;
        if signal.number() == 64 || last_in_row {
            text.push('\n');
        } else {
            text.push('\t');
        }
    }
    text
}
