//! `unset [-f] [-v] [-n] [name …]`

use std::sync::Arc;

use crate::args::BuiltinSpec;
use crate::expand::{Attributes, ExpandHost, Value, word};
use crate::interp::{Flow, Interp};

const SPEC: BuiltinSpec = BuiltinSpec::new("unset", "fnv");

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    let parsed = match interp.parse_options(&SPEC, args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let (functions, variables) = (parsed.has(b'f'), parsed.has(b'v'));
    if functions && variables {
        interp.complain("unset", "cannot simultaneously unset a function and a variable");
        return Ok(1);
    }
    let mut status = 0;
    for name in &parsed.operands {
        let done = if functions {
            unset_function(interp, name)
        } else if parsed.has(b'n') {
            unset_reference(interp, name)
        } else {
            unset_any(interp, name, variables)?
        };
        status |= i32::from(!done);
    }
    Ok(status)
}

fn unset_function(interp: &mut Interp, name: &[u8]) -> bool {
    if interp.functions.get(name).is_some_and(|entry| entry.readonly) {
        interp.complain("unset", [name, b": cannot unset: readonly function"].concat());
        return false;
    }
    if interp.functions.contains_key(name) {
        Arc::make_mut(&mut interp.functions).remove(name);
    }
    true
}

/// A variable; when there is none, a function.
fn unset_any(interp: &mut Interp, text: &[u8], only_variables: bool) -> Flow<bool> {
    let (name, key) = crate::interp::split_subscript(text);
    if !word::is_name(name) && !only_variables {
        return Ok(unset_function(interp, text));
    }
    if !word::is_name(name) {
        interp.complain("unset", [b"`", text, b"': not a valid identifier"].concat());
        return Ok(false);
    }
    let (resolved, embedded) = interp.resolve(name);
    if let Some(key) = key.map(<[u8]>::to_vec).or(embedded) {
        let written = interp.written_elements.iter().any(|element| element == text);
        return unset_element(interp, &resolved, &key, written);
    }
    if interp.vars.get(&resolved).is_none() && !only_variables && interp.functions.contains_key(name) {
        return Ok(unset_function(interp, name));
    }
    Ok(unset_name(interp, &resolved))
}

fn unset_name(interp: &mut Interp, name: &[u8]) -> bool {
    if interp
        .vars
        .get(name)
        .is_some_and(|variable| variable.attributes.has(Attributes::READONLY))
    {
        interp.complain("unset", [name, b": cannot unset: readonly variable"].concat());
        return false;
    }
    let keep = interp.options.shopt(crate::interp::Shopt::LocalvarUnset);
    interp.vars.unset_local(name, keep);
    interp.after_unset(name);
    true
}

/// What is no nameref is left alone; a readonly variable is refused all the same.
fn unset_reference(interp: &mut Interp, name: &[u8]) -> bool {
    let readonly = interp
        .vars
        .get(name)
        .is_some_and(|variable| variable.attributes.has(Attributes::READONLY));
    !(readonly || interp.is_reference(name)) || unset_name(interp, name)
}

fn unset_element(interp: &mut Interp, name: &[u8], key: &[u8], written: bool) -> Flow<bool> {
    let Some(variable) = interp.vars.get(name) else {
        return Ok(true);
    };
    if variable.attributes.has(Attributes::READONLY) {
        interp.complain("unset", [name, b": cannot unset: readonly variable"].concat());
        return Ok(false);
    }
    let value = variable.value.clone();
    match value {
        // `BASH_ALIASES` and `BASH_CMDS` are only views: nothing goes.
        value if interp.is_dynamic_assoc(&value) => Ok(true),
        Value::Assoc(array) => {
            drop(array);
            let key = match written {
                true => key.to_vec(),
                false => interp.expand_key(key),
            };
            if let Value::Assoc(array) = &mut interp.vars.entry(name).value {
                Arc::make_mut(array).remove(&key);
            }
            Ok(true)
        }
        Value::Indexed(array) => {
            if matches!(key, b"@" | b"*") {
                drop(array);
                interp.vars.entry(name).value = Value::Indexed(Arc::default());
                return Ok(true);
            }
            let index = match crate::expand::arith::evaluate(interp, key) {
                Ok(index) => index,
                Err(failure) => return Err(interp.fail_expansion(failure)),
            };
            let Some(index) = array.resolve(index) else {
                interp.complain("unset", [b"[", key, b"]: bad array subscript"].concat());
                return Ok(false);
            };
            drop(array);
            if let Value::Indexed(array) = &mut interp.vars.entry(name).value {
                Arc::make_mut(array).remove(index);
            }
            Ok(true)
        }
        _ if key == b"0" => Ok(unset_name(interp, name)),
        _ => {
            interp.complain("unset", [name, b": not an array variable"].concat());
            Ok(false)
        }
    }
}
