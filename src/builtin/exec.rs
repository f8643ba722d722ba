//! `exec [-cl] [-a name] [command [args]]`

use crate::args::BuiltinSpec;
use crate::interp::{Divert, Flow, Interp, Shopt};

const SPEC: BuiltinSpec = BuiltinSpec::new("exec", "cla:");

/// The builtin. Without a command its redirections stay; the caller sees to that.
pub async fn run(interp: &mut Interp, args: Vec<Vec<u8>>) -> Flow {
    let parsed = match interp.parse_options(&SPEC, &args) {
        Ok(parsed) => parsed,
        Err(status) => return Ok(status),
    };
    if parsed.operands.is_empty() {
        return Ok(0);
    }
    let name = parsed.last(b'a').map(<[u8]>::to_vec);
    let (clear, login) = (parsed.has(b'c'), parsed.has(b'l'));
    let status = interp.exec_program(parsed.operands, name, clear, login).await?;
    match status {
        Ok(status) => Err(interp.leave_shell(status)),
        // A subshell ends all the same.
        Err(status)
            if interp.subshell == 0 && (interp.options.shopt(Shopt::Execfail) || interp.is_interactive()) =>
        {
            Ok(status)
        }
        Err(status) => Err(Divert::Exit(status)),
    }
}
