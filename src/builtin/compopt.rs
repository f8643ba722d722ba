//! `compopt [-o|+o option] [-DEI] [name …]`
//!
//! Without names it acts on the completion that is being made, and here none ever is.

use std::sync::Arc;

use super::complete::{names, say_missing, shown_name};
use crate::args::BuiltinSpec;
use crate::interp::completion::{OPTIONS, option_place};
use crate::interp::{Flow, Interp};

const SPEC: BuiltinSpec = BuiltinSpec::with_plus("compopt", "o:DEI");

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    let parsed = match interp.parse_options(&SPEC, args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let (mut on, mut off) = (0_u8, 0_u8);
    for option in parsed.options.iter().filter(|option| option.letter == b'o') {
        let name = option.value.clone().unwrap_or_default();
        let Some(place) = option_place(&name) else {
            interp.complain("compopt", [&name, b": invalid option name".as_slice()].concat());
            return Ok(2);
        };
        let bits = if option.plus { &mut off } else { &mut on };
        *bits |= 1 << place;
    }
    let names = names(&parsed);
    if names.is_empty() {
        interp.complain("compopt", "not currently executing completion function");
        return Ok(1);
    }
    let mut status = 0;
    for name in names {
        let Some(completion) = Arc::make_mut(&mut interp.completions).get_mut(&name) else {
            say_missing(interp, "compopt", &name);
            status = 1;
            continue;
        };
        completion.options = (completion.options | on) & !off;
        if on == 0 && off == 0 {
            let options = completion.options;
            show(interp, &name, options);
        }
    }
    Ok(status)
}

fn show(interp: &mut Interp, name: &[u8], options: u8) {
    let mut line = b"compopt".to_vec();
    for (place, option) in OPTIONS.iter().enumerate() {
        let sign = if options & (1 << place) != 0 { '-' } else { '+' };
        line.extend_from_slice(format!(" {sign}o {option}").as_bytes());
    }
    line.push(b' ');
    line.extend_from_slice(&shown_name(name));
    line.push(b'\n');
    interp.print(line);
}
