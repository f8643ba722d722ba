//! `alias [-p] [name[=value] …]`, `unalias [-a] name [name …]`

use std::sync::Arc;

use crate::args::BuiltinSpec;
use crate::interp::{Flow, Interp, Set};
use crate::text::quote;

const ALIAS: BuiltinSpec = BuiltinSpec::new("alias", "p");
const UNALIAS: BuiltinSpec = BuiltinSpec::new("unalias", "a");

/// `alias`
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    let parsed = match interp.parse_options(&ALIAS, args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let reusable = parsed.has(b'p');
    if reusable || parsed.operands.is_empty() {
        let aliases = Arc::clone(&interp.aliases);
        let mut all: Vec<_> = aliases.iter().collect();
        // bash compares first bytes as signed ones.
        all.sort_by_key(|(name, _)| name.first().map(|byte| byte.cast_signed()));
        all.into_iter()
            .for_each(|(name, value)| show(interp, name, value, reusable));
    }
    let mut status = 0;
    for operand in &parsed.operands {
        // A `=` at the start is a part of the name.
        let equals = operand
            .iter()
            .skip(1)
            .position(|byte| *byte == b'=')
            .map(|at| at + 1);
        let done = match equals.and_then(|at| Some((operand.get(..at)?, operand.get(at + 1..)?))) {
            Some((name, value)) => define(interp, name, value),
            None => print_one(interp, operand, reusable),
        };
        if !done {
            status = 1;
        }
    }
    Ok(status)
}

fn define(interp: &mut Interp, name: &[u8], value: &[u8]) -> bool {
    if !is_alias_name(name) {
        interp.complain("alias", [b"`", name, b"': invalid alias name"].concat());
        return false;
    }
    let kept = interp.proc.kernel.held(name, value.to_vec());
    Arc::make_mut(&mut interp.aliases).insert(name.to_vec(), kept);
    true
}

fn print_one(interp: &mut Interp, name: &[u8], reusable: bool) -> bool {
    match interp.aliases.get(name).cloned() {
        Some(value) => show(interp, name, &value, reusable),
        None => interp.complain("alias", [name, b": not found"].concat()),
    }
    interp.aliases.contains_key(name)
}

fn show(interp: &mut Interp, name: &[u8], value: &[u8], reusable: bool) {
    let prefix: &[u8] = match name.first() {
        _ if interp.options.is(Set::Posix) && !reusable => b"",
        Some(b'-') => b"alias -- ",
        _ => b"alias ",
    };
    interp.print([prefix, name, b"=", &quote::single_quoted(value), b"\n"].concat());
}

/// No blank, operator, quote, `$`, `/` or control of expansion may stand in it.
fn is_alias_name(name: &[u8]) -> bool {
    !name.is_empty() && !name.iter().any(|byte| b" \t\n()<>;&|'\"\\`$/".contains(byte))
}

/// `unalias`
pub fn run_unalias(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    let parsed = match interp.parse_options(&UNALIAS, args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    if parsed.has(b'a') {
        interp.aliases = Arc::default();
        return Ok(0);
    }
    if parsed.operands.is_empty() {
        return Ok(interp.say_usage("unalias", UNALIAS.usage_error(None)));
    }
    let mut status = 0;
    for name in &parsed.operands {
        if Arc::make_mut(&mut interp.aliases).remove(name).is_none() {
            interp.complain("unalias", [name, b": not found".as_slice()].concat());
            status = 1;
        }
    }
    Ok(status)
}
