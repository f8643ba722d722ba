//! Builtins: one file each, and the sorted table of them.
//!
//! A builtin is a part of the shell: it sees [`Interp`](crate::interp::Interp). Most are plain functions that print into the shell's pending
//! output; those that run commands or wait are coroutines. Usage texts stand in `args::builtin_usage`.

mod break_;
mod builtin_;
mod cd;
mod colon;
mod command;
mod declare;
mod echo;
mod eval;
mod exec;
mod exit;
mod export;
mod getopts;
mod let_;
mod printf;
mod pwd;
mod read;
mod return_;
mod set;
mod shift;
mod shopt;
mod source;
mod support;
mod test;
mod trap;
mod type_;
mod unset;
mod wait;

pub(crate) use declare::describe as describe_variable;

use crate::interp::{Builtin, BuiltinKind, Run};

const fn plain(name: &'static str, kind: BuiltinKind, run: fn(&mut crate::interp::Interp, &[Vec<u8>]) -> crate::interp::Flow) -> Builtin {
    Builtin { name, kind, run: Run::Plain(run) }
}

use BuiltinKind::{Declaration, Ordinary, Special};

/// Every builtin, sorted by name.
pub static BUILTINS: &[Builtin] = &[
    Builtin { name: ".", kind: Special, run: Run::Waiting(|interp, args| Box::pin(source::run_dot(interp, args))) },
    plain(":", Special, colon::run),
    plain("[", Ordinary, test::bracket),
    plain("break", Special, break_::run_break),
    Builtin { name: "builtin", kind: Ordinary, run: Run::Waiting(|interp, args| Box::pin(builtin_::run(interp, args))) },
    plain("cd", Ordinary, cd::run),
    Builtin { name: "command", kind: Ordinary, run: Run::Waiting(|interp, args| Box::pin(command::run(interp, args))) },
    plain("continue", Special, break_::run_continue),
    plain("declare", Declaration, declare::run),
    plain("echo", Ordinary, echo::run),
    Builtin { name: "eval", kind: Special, run: Run::Waiting(|interp, args| Box::pin(eval::run(interp, args))) },
    Builtin { name: "exec", kind: Special, run: Run::Waiting(|interp, args| Box::pin(exec::run(interp, args))) },
    plain("exit", Special, exit::run),
    plain("export", Declaration, export::run),
    plain("false", Ordinary, colon::run_false),
    plain("getopts", Ordinary, getopts::run),
    plain("let", Ordinary, let_::run),
    plain("local", Declaration, declare::run_local),
    plain("printf", Ordinary, printf::run),
    plain("pwd", Ordinary, pwd::run),
    Builtin { name: "read", kind: Ordinary, run: Run::Waiting(|interp, args| Box::pin(read::run(interp, args))) },
    plain("readonly", Declaration, export::run_readonly),
    plain("return", Special, return_::run),
    plain("set", Special, set::run),
    plain("shift", Special, shift::run),
    plain("shopt", Ordinary, shopt::run),
    Builtin { name: "source", kind: Special, run: Run::Waiting(|interp, args| Box::pin(source::run(interp, args))) },
    plain("test", Ordinary, test::run),
    plain("trap", Special, trap::run),
    plain("true", Ordinary, colon::run),
    plain("type", Ordinary, type_::run),
    plain("typeset", Declaration, declare::run_typeset),
    plain("unset", Special, unset::run),
    Builtin { name: "wait", kind: Ordinary, run: Run::Waiting(|interp, args| Box::pin(wait::run(interp, args))) },
];

#[cfg(test)]
mod tests {
    use super::BUILTINS;

    #[test]
    fn table_is_sorted() {
        assert!(BUILTINS.is_sorted_by(|a, b| a.name < b.name));
    }
}
