//! `exit [n]`, `logout [n]`

use crate::interp::{Flow, Interp};

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    if let Some(status) = interp.help_asked("exit", args) {
        return Ok(status);
    }
    let args = if args.first().is_some_and(|arg| arg == b"--") {
        args.get(1..).unwrap_or_default()
    } else {
        args
    };
    interp.say_exit();
    match args {
        [] => Err(interp.leave_shell(interp.exit_status())),
        [text, rest @ ..] => match interp.status_argument("exit", text) {
            Err(status) => Err(interp.leave_shell(status)),
            Ok(_) if !rest.is_empty() => Err(interp.too_many("exit")),
            Ok(status) => Err(interp.leave_shell(status)),
        },
    }
}

/// `logout [n]`: only a login shell, and none is one here.
pub fn run_logout(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    if let Some(status) = interp.help_asked("logout", args) {
        return Ok(status);
    }
    interp.complain("logout", "not login shell: use `exit'");
    Ok(1)
}
