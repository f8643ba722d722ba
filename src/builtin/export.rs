//! `export [-fn] [name[=value] …]`, `readonly [-aAf] [name[=value] …]`, and their `-p`.

use super::declare::{self, Request};
use crate::args::BuiltinSpec;
use crate::expand::Attributes;
use crate::interp::{Flow, Interp};

const EXPORT: BuiltinSpec = BuiltinSpec::new("export", "aAfnp");
const READONLY: BuiltinSpec = BuiltinSpec::new("readonly", "aAfnp");

/// `export`
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    change(interp, &EXPORT, Attributes::EXPORT, args)
}

/// `readonly`
pub fn run_readonly(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    change(interp, &READONLY, Attributes::READONLY, args)
}

fn change(interp: &mut Interp, spec: &BuiltinSpec, attribute: Attributes, args: &[Vec<u8>]) -> Flow {
    let parsed = match interp.parse_options(spec, args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let mut request = Request {
        name: spec.name,
        ..Request::default()
    };
    if parsed.has(b'n') && attribute == Attributes::EXPORT {
        request.off = attribute;
    } else {
        request.on = attribute;
    }
    if parsed.has(b'f') {
        return functions(interp, &parsed.operands, request);
    }
    if parsed.operands.is_empty() {
        if !declare::show_posix(interp, spec.name, attribute) {
            declare::show_with(interp, attribute.with(kind(&parsed)));
        }
        return Ok(0);
    }
    request.on = request.on.with(kind(&parsed));
    let mut status = 0;
    for operand in &parsed.operands {
        status = status.max(declare::assign(interp, operand, request)?);
    }
    Ok(status)
}

/// `readonly -a` and `-A` make arrays.
fn kind(parsed: &crate::args::BuiltinParsed) -> Attributes {
    let mut kind = Attributes::default();
    for option in &parsed.options {
        match option.letter {
            b'a' => kind = kind.with(Attributes::ARRAY),
            b'A' => kind = kind.with(Attributes::ASSOC),
            _ => {}
        }
    }
    kind
}

fn functions(interp: &mut Interp, names: &[Vec<u8>], request: Request) -> Flow {
    if names.is_empty() {
        declare::list_functions(interp, false, request);
        return Ok(0);
    }
    let mut status = 0;
    for name in names {
        if interp.functions.contains_key(name.as_slice()) {
            status = status.max(declare::change_function(interp, name, request));
        } else {
            interp.complain(request.name, [name, b": not a function".as_slice()].concat());
            status = 1;
        }
    }
    Ok(status)
}
