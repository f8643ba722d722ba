//! `complete [-abcdefgjksuv] [-pr] [-DEI] [-o option] [-A action] … [name …]`
//!
//! Keeps completion specifications and prints them back. [`read_specification`] is `compgen`'s too.

use std::sync::Arc;

use crate::args::{BuiltinParsed, BuiltinSpec};
use crate::interp::completion::{ACTIONS, Completion, OPTIONS, option_place};
use crate::interp::{Flow, Interp};
use crate::text::quote;

const SPEC: BuiltinSpec = BuiltinSpec::new("complete", "abcdefgjko:prsuvA:G:W:P:S:X:F:C:DEI");

/// Names under which bash keeps what `-D`, `-E` and `-I` say.
pub(super) const SPECIAL: [(u8, &[u8]); 3] = [
    (b'D', b"_DefaultCmD_"),
    (b'E', b"_EmptycmD_"),
    (b'I', b"_InitialWorD_"),
];

/// Buckets of bash's table: it is printed in the order of them.
const BUCKETS: u32 = 512;

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    let parsed = match interp.parse_options(&SPEC, args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let completion = match read_specification(interp, "complete", &parsed) {
        Ok(completion) => completion,
        Err(status) => return Ok(status),
    };
    let names = names(&parsed);
    if parsed.has(b'r') {
        return remove(interp, &names);
    }
    if parsed.has(b'p') || (names.is_empty() && completion == Completion::default()) {
        return show(interp, &names);
    }
    if names.is_empty() {
        return Ok(interp.say_usage("complete", SPEC.usage_error(None)));
    }
    interp.has_completed = true;
    let table = Arc::make_mut(&mut interp.completions);
    for name in names {
        table.insert(name, completion.clone());
    }
    Ok(0)
}

/// What the operands or `-D`, `-E`, `-I` name.
pub(super) fn names(parsed: &BuiltinParsed) -> Vec<Vec<u8>> {
    match SPECIAL.iter().find(|(letter, _)| parsed.has(*letter)) {
        Some((_, name)) => vec![name.to_vec()],
        None => parsed.operands.clone(),
    }
}

/// The options that say how words are completed.
pub(super) fn read_specification(
    interp: &mut Interp,
    builtin: &str,
    parsed: &BuiltinParsed,
) -> Result<Completion, i32> {
    let mut completion = Completion::default();
    for option in &parsed.options {
        let value = option.value.clone();
        match option.letter {
            b'A' => {
                let name = value.unwrap_or_default();
                let place = ACTIONS.iter().position(|(action, _)| action.as_bytes() == name);
                let Some(place) = place else {
                    interp.complain(builtin, [&name, b": invalid action name".as_slice()].concat());
                    return Err(2);
                };
                completion.actions |= 1 << place;
            }
            b'o' => {
                let name = value.unwrap_or_default();
                let Some(place) = option_place(&name) else {
                    interp.complain(builtin, [&name, b": invalid option name".as_slice()].concat());
                    return Err(2);
                };
                completion.options |= 1 << place;
            }
            b'G' => completion.glob = value,
            b'W' => completion.words = value,
            b'F' => {
                let name = value.unwrap_or_default();
                if name.iter().any(|byte| b"()<>;&| \t\n".contains(byte)) {
                    interp.complain(
                        builtin,
                        [b"`", name.as_slice(), b"': not a valid identifier"].concat(),
                    );
                    return Err(2);
                }
                completion.function = Some(name);
            }
            b'C' => completion.command = value,
            b'X' => completion.filter = value,
            b'P' => completion.prefix = value,
            b'S' => completion.suffix = value,
            letter => {
                if let Some(place) = ACTIONS.iter().position(|(_, own)| *own == Some(letter)) {
                    completion.actions |= 1 << place;
                }
            }
        }
    }
    Ok(completion)
}

fn remove(interp: &mut Interp, names: &[Vec<u8>]) -> Flow {
    if !interp.has_completed {
        return Ok(0);
    }
    let table = Arc::make_mut(&mut interp.completions);
    if names.is_empty() {
        table.clear();
        return Ok(0);
    }
    let missing: Vec<&Vec<u8>> = names
        .iter()
        .filter(|name| table.remove(name.as_slice()).is_none())
        .collect();
    for name in &missing {
        say_missing(interp, "complete", name);
    }
    Ok(i32::from(!missing.is_empty()))
}

pub(super) fn say_missing(interp: &mut Interp, builtin: &str, name: &[u8]) {
    interp.complain(builtin, [name, b": no completion specification"].concat());
}

fn show(interp: &mut Interp, names: &[Vec<u8>]) -> Flow {
    let table = Arc::clone(&interp.completions);
    if names.is_empty() {
        let mut all: Vec<_> = table.iter().collect();
        all.sort_by_key(|(name, _)| crate::expand::assoc_hash(name) % BUCKETS);
        for (name, completion) in all {
            interp.print(describe(name, completion));
        }
        return Ok(0);
    }
    let mut status = 0;
    for name in names {
        match table.get(name.as_slice()) {
            Some(completion) => interp.print(describe(name, completion)),
            None => {
                say_missing(interp, "complete", name);
                status = 1;
            }
        }
    }
    Ok(status)
}

/// The command that makes a specification.
fn describe(name: &[u8], completion: &Completion) -> Vec<u8> {
    let mut line = b"complete".to_vec();
    for (place, option) in OPTIONS.iter().enumerate() {
        if completion.options & (1 << place) != 0 {
            line.extend_from_slice(format!(" -o {option}").as_bytes());
        }
    }
    for (place, (action, letter)) in ACTIONS.iter().enumerate() {
        if completion.actions & (1 << place) == 0 {
            continue;
        }
        match letter {
            Some(letter) => line.extend_from_slice(&[b' ', b'-', *letter]),
            None => line.extend_from_slice(format!(" -A {action}").as_bytes()),
        }
    }
    let values = [
        (b'G', &completion.glob),
        (b'W', &completion.words),
        (b'P', &completion.prefix),
        (b'S', &completion.suffix),
        (b'X', &completion.filter),
        (b'C', &completion.command),
    ];
    for (letter, value) in values {
        if let Some(value) = value {
            line.extend_from_slice(&[b' ', b'-', letter, b' ']);
            line.extend_from_slice(&quote::single_quoted(value));
        }
    }
    if let Some(function) = &completion.function {
        line.extend_from_slice(&[b" -F ".as_slice(), function].concat());
    }
    line.push(b' ');
    line.extend_from_slice(&shown_name(name));
    line.push(b'\n');
    line
}

pub(super) fn shown_name(name: &[u8]) -> Vec<u8> {
    match SPECIAL.iter().find(|(_, special)| *special == name) {
        Some((letter, _)) => vec![b'-', *letter],
        None if name.is_empty() => b"''".to_vec(),
        None => quote::listed(name),
    }
}
