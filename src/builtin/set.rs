//! `set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg …]`

use crate::args::BuiltinSpec;
use crate::expand::{Attributes, Value, readback};
use crate::interp::options::{self, SET_OPTIONS};
use crate::interp::{Flow, Interp, Misuse, Set};
use crate::text::quote;

const SPEC: BuiltinSpec = BuiltinSpec::new("set", "");

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    if args.is_empty() {
        list_all(interp);
        return Ok(0);
    }
    if let Some(letter) = invalid_letter(args) {
        let error = SPEC.usage_error(Some([&letter, b": invalid option".as_slice()].concat()));
        return Ok(interp.say_usage("set", error));
    }
    let mut rest = args.iter().peekable();
    while let Some(arg) = rest.next() {
        let on = match arg.as_slice() {
            b"--" => {
                positional(interp, rest.cloned());
                return Ok(0);
            }
            b"-" => {
                interp.options.set(Set::Xtrace, false);
                interp.options.set(Set::Verbose, false);
                let operands: Vec<_> = rest.cloned().collect();
                if !operands.is_empty() {
                    positional(interp, operands);
                }
                return Ok(0);
            }
            b"--help" => return Ok(interp.say_usage("set", SPEC.help())),
            // A sign without letters is passed over.
            b"+" => continue,
            [b'-', _, ..] => true,
            [b'+', _, ..] => false,
            _ => {
                positional(interp, std::iter::once(arg.clone()).chain(rest.cloned()));
                return Ok(0);
            }
        };
        for letter in arg.get(1..).unwrap_or_default() {
            if *letter == b'o' {
                let Some(name) = rest.next_if(|name| !name.starts_with(b"-")) else {
                    list_options(interp, on);
                    continue;
                };
                match options::set_index(name) {
                    Some(index) => switch(interp, index, on),
                    None => {
                        interp.complain("set", [name, b": invalid option name".as_slice()].concat());
                        interp.misuse = Misuse::Usage;
                        return Ok(2);
                    }
                }
                continue;
            }
            if let Some(index) = options::letter_index(*letter) {
                switch(interp, index, on);
            }
        }
    }
    Ok(0)
}

/// The first option that there is not, with its sign: then nothing is done.
fn invalid_letter(args: &[Vec<u8>]) -> Option<[u8; 2]> {
    let mut rest = args.iter().peekable();
    while let Some(arg) = rest.next() {
        let (sign, letters) = match arg.as_slice() {
            b"--" | b"--help" => return None,
            b"+" => continue,
            [sign @ (b'-' | b'+'), letters @ ..] if !letters.is_empty() => (sign, letters),
            _ => return None,
        };
        for letter in letters {
            if *letter == b'o' {
                rest.next_if(|name| !name.starts_with(b"-"));
            } else if options::letter_index(*letter).is_none() {
                return Some([*sign, *letter]);
            }
        }
    }
    None
}

fn switch(interp: &mut Interp, index: usize, on: bool) {
    interp.switch_option(index, on);
    // `emacs` and `vi` exclude each other.
    if on && index == Set::Vi as usize {
        interp.options.set(Set::Emacs, false);
    } else if on && index == Set::Emacs as usize {
        interp.options.set(Set::Vi, false);
    }
}

fn positional(interp: &mut Interp, args: impl IntoIterator<Item = Vec<u8>>) {
    interp.positional_reset |= !interp.vars.in_function();
    interp.set_positional(args);
}

/// `set -o` and `set +o`.
pub(super) fn list_options(interp: &mut Interp, readable: bool) {
    for (index, option) in SET_OPTIONS.iter().enumerate() {
        let on = interp.options.is_index(index);
        let line = if readable {
            format!("{:<15}\t{}\n", option.name, if on { "on" } else { "off" })
        } else {
            format!("set {}o {}\n", if on { '-' } else { '+' }, option.name)
        };
        interp.print(line);
    }
}

/// `set` alone: every variable with a value, then every function.
fn list_all(interp: &mut Interp) {
    list_variables(interp);
    if interp.options.is(Set::Posix) {
        return;
    }
    let mut functions: Vec<_> = interp.functions.values().cloned().collect();
    functions.sort_by(|a, b| a.function.name.cmp(&b.function.name));
    for entry in functions {
        let text = crate::syntax::print::print_function(&entry.function);
        interp.print([&text, b"\n".as_slice()].concat());
    }
}

/// Every variable with a value, as `name=value`.
pub(super) fn list_variables(interp: &mut Interp) {
    let names: Vec<_> = interp
        .vars
        .sorted()
        .into_iter()
        .map(|(name, variable)| (name.clone(), variable.clone()))
        .collect();
    for (name, variable) in names {
        let value = match variable.value {
            // Empty until something asks for them.
            Value::Dynamic(_) if matches!(&*name, b"DIRSTACK" | b"GROUPS") => {
                Some(Value::Indexed(std::sync::Arc::default()))
            }
            // Numbers that change are not listed.
            Value::Dynamic(code) => interp
                .dynamic(code)
                .filter(|value| value.is_array() || matches!(&*name, b"_" | b"BASHOPTS" | b"SHELLOPTS")),
            Value::Unset => None,
            value => Some(value),
        };
        let Some(value) = value else { continue };
        if variable.attributes.has(Attributes::NAMEREF) && value.scalar().is_none() {
            continue;
        }
        let text = match &value {
            Value::Scalar(text) => quote::listed(text),
            array => readback::compound(array),
        };
        interp.print([&*name, b"=", &text, b"\n"].concat());
    }
}
