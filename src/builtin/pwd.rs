//! `pwd [-LP]`

use crate::args::BuiltinSpec;
use crate::fs::Existing;
use crate::interp::{Flow, Interp, Set};

const SPEC: BuiltinSpec = BuiltinSpec::new("pwd", "LP");

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    let parsed = match interp.parse_options(&SPEC, args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let physical = match parsed.options.last() {
        Some(option) => option.letter == b'P',
        None => interp.options.is(Set::Physical),
    };
    let mut path = interp.proc.cwd.to_vec();
    if physical {
        path = interp
            .proc
            .fs
            .canonicalize(&interp.proc.view(), &path, Existing::All)
            .unwrap_or(path);
    }
    path.push(b'\n');
    interp.print(path);
    Ok(0)
}
