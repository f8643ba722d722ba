//! `caller [expr]`

use crate::args::BuiltinSpec;
use crate::interp::{Flow, Frame, Interp};

const SPEC: BuiltinSpec = BuiltinSpec::new("caller", "");

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    if interp.frames.is_empty() {
        return Ok(1);
    }
    let parsed = match interp.parse_options(&SPEC, args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    let Some(operand) = parsed.operands.first() else {
        let line = frame(interp, 0).map_or(0, |frame| frame.call_line);
        let source = frame(interp, 1).map_or(b"NULL".as_slice(), |frame| &frame.source);
        let text = [format!("{line} ").as_bytes(), source, b"\n"].concat();
        interp.print(text);
        return Ok(0);
    };
    let Some(level) = super::support::number(operand) else {
        interp.complain("caller", [operand, b": invalid number".as_slice()].concat());
        return Ok(interp.say_usage("caller", SPEC.usage_error(None)));
    };
    let Some(level) = usize::try_from(level).ok() else {
        return Ok(1);
    };
    let (Some(callee), Some(caller)) = (frame(interp, level), frame(interp, level.saturating_add(1))) else {
        return Ok(1);
    };
    let text = [
        format!("{} ", callee.call_line).as_bytes(),
        &caller.name,
        b" ",
        &caller.source,
        b"\n",
    ]
    .concat();
    interp.print(text);
    Ok(0)
}

/// The frame so many levels out.
fn frame(interp: &Interp, level: usize) -> Option<&Frame> {
    interp.frames.iter().rev().nth(level)
}
