//! `shopt [-pqsu] [-o] [optname …]`

use crate::args::BuiltinSpec;
use crate::interp::options::{self, SET_OPTIONS, SHOPT_OPTIONS};
use crate::interp::{Flow, Interp, Shopt};

const SPEC: BuiltinSpec = BuiltinSpec::new("shopt", "opqsu");

/// Which family of options.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Shopt,
    Set,
}

impl Family {
    fn index(self, name: &[u8]) -> Option<usize> {
        match self {
            Family::Shopt => options::shopt_index(name),
            Family::Set => options::set_index(name),
        }
    }

    fn name(self, index: usize) -> &'static str {
        match self {
            Family::Shopt => SHOPT_OPTIONS.get(index).map_or("", |(name, _)| name),
            Family::Set => SET_OPTIONS.get(index).map_or("", |option| option.name),
        }
    }

    fn count(self) -> usize {
        if self == Family::Shopt {
            SHOPT_OPTIONS.len()
        } else {
            SET_OPTIONS.len()
        }
    }

    fn is_on(self, interp: &Interp, index: usize) -> bool {
        match self {
            Family::Shopt => interp.options.is_shopt_index(index),
            Family::Set => interp.options.is_index(index),
        }
    }
}

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    let parsed = match interp.parse_options(&SPEC, args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let family = if parsed.has(b'o') {
        Family::Set
    } else {
        Family::Shopt
    };
    let (set, unset) = (parsed.has(b's'), parsed.has(b'u'));
    if set && unset {
        interp.complain("shopt", "cannot set and unset shell options simultaneously");
        return Ok(1);
    }
    let (quiet, readable) = (parsed.has(b'q'), parsed.has(b'p'));
    if parsed.operands.is_empty() {
        for index in 0..family.count() {
            let on = family.is_on(interp, index);
            if (set && !on) || (unset && on) || quiet {
                continue;
            }
            show(interp, family, index, readable);
        }
        return Ok(0);
    }
    let mut status = 0;
    for name in &parsed.operands {
        let Some(index) = family.index(name) else {
            let what: &[u8] = if family == Family::Set {
                b": invalid option name"
            } else {
                b": invalid shell option name"
            };
            interp.complain("shopt", [name, what].concat());
            // bash forgets the failure where it sets options of `set`.
            if family == Family::Shopt || !(set || unset) {
                status = 1;
            }
            continue;
        };
        if set || unset {
            match family {
                Family::Shopt => {
                    interp.options.shopt_index(index, set);
                    interp.switch_compatibility(index, set);
                    if set && index == Shopt::Extdebug as usize {
                        interp.note_first_arguments();
                    }
                }
                Family::Set => interp.switch_option(index, set),
            }
            continue;
        }
        if !family.is_on(interp, index) {
            status = 1;
        }
        if !quiet {
            show(interp, family, index, readable);
        }
    }
    Ok(status)
}

fn show(interp: &mut Interp, family: Family, index: usize, readable: bool) {
    let (name, on) = (family.name(index), family.is_on(interp, index));
    let line = match (readable, family) {
        (true, Family::Shopt) => format!("shopt -{} {name}\n", if on { 's' } else { 'u' }),
        (true, Family::Set) => format!("set {}o {name}\n", if on { '-' } else { '+' }),
        (false, _) => format!("{name:<15}\t{}\n", if on { "on" } else { "off" }),
    };
    interp.print(line);
}
