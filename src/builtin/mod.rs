//! Builtins: one file each, and the sorted table of them.
//!
//! A builtin is a part of the shell: it sees [`Interp`](crate::interp::Interp). Most are plain functions that print into the shell's pending
//! output; those that run commands or wait are coroutines. Usage texts stand in `args::builtin_usage`.

mod alias;
mod bind;
mod break_;
mod builtin_;
mod caller;
mod cd;
mod colon;
mod command;
mod compgen;
mod complete;
mod compopt;
mod declare;
mod dirs;
mod disown;
mod echo;
mod enable;
mod eval;
mod exec;
mod exit;
mod export;
mod fc;
mod fg;
mod getopts;
mod hash;
mod help;
mod history;
mod jobs;
mod kill;
mod let_;
mod mapfile;
mod operand;
mod printf;
mod pwd;
mod read;
mod return_;
mod set;
mod shift;
mod shopt;
mod source;
mod support;
mod suspend;
mod test;
mod times;
mod trap;
mod type_;
mod ulimit;
mod umask;
mod unset;
mod wait;

pub(crate) use declare::describe as describe_variable;

use crate::interp::{Builtin, BuiltinKind, Run};

const fn plain(
    name: &'static str,
    kind: BuiltinKind,
    run: fn(&mut crate::interp::Interp, &[Vec<u8>]) -> crate::interp::Flow,
) -> Builtin {
    Builtin {
        name,
        kind,
        run: Run::Plain(run),
    }
}

use BuiltinKind::{Declaration, Ordinary, Special};

/// Every builtin, sorted by name.
pub static BUILTINS: &[Builtin] = &[
    Builtin {
        name: ".",
        kind: Special,
        run: Run::Waiting(|interp, args| Box::pin(source::run_dot(interp, args))),
    },
    plain(":", Special, colon::run),
    plain("[", Ordinary, test::bracket),
    plain("alias", Ordinary, alias::run),
    Builtin {
        name: "bg",
        kind: Ordinary,
        run: Run::Waiting(|interp, args| Box::pin(fg::run_bg(interp, args))),
    },
    plain("bind", Ordinary, bind::run),
    plain("break", Special, break_::run_break),
    Builtin {
        name: "builtin",
        kind: Ordinary,
        run: Run::Waiting(|interp, args| Box::pin(builtin_::run(interp, args))),
    },
    plain("caller", Ordinary, caller::run),
    plain("cd", Ordinary, cd::run),
    Builtin {
        name: "command",
        kind: Ordinary,
        run: Run::Waiting(|interp, args| Box::pin(command::run(interp, args))),
    },
    Builtin {
        name: "compgen",
        kind: Ordinary,
        run: Run::Waiting(|interp, args| Box::pin(compgen::run(interp, args))),
    },
    plain("complete", Ordinary, complete::run),
    plain("compopt", Ordinary, compopt::run),
    plain("continue", Special, break_::run_continue),
    plain("declare", Declaration, declare::run),
    plain("dirs", Ordinary, dirs::run),
    plain("disown", Ordinary, disown::run),
    plain("echo", Ordinary, echo::run),
    plain("enable", Ordinary, enable::run),
    Builtin {
        name: "eval",
        kind: Special,
        run: Run::Waiting(|interp, args| Box::pin(eval::run(interp, args))),
    },
    Builtin {
        name: "exec",
        kind: Special,
        run: Run::Waiting(|interp, args| Box::pin(exec::run(interp, args))),
    },
    plain("exit", Special, exit::run),
    plain("export", Declaration, export::run),
    plain("false", Ordinary, colon::run_false),
    Builtin {
        name: "fc",
        kind: Ordinary,
        run: Run::Waiting(|interp, args| Box::pin(fc::run(interp, args))),
    },
    Builtin {
        name: "fg",
        kind: Ordinary,
        run: Run::Waiting(|interp, args| Box::pin(fg::run(interp, args))),
    },
    plain("getopts", Ordinary, getopts::run),
    plain("hash", Ordinary, hash::run),
    plain("help", Ordinary, help::run),
    Builtin {
        name: "history",
        kind: Ordinary,
        run: Run::Waiting(|interp, args| Box::pin(history::run(interp, args))),
    },
    Builtin {
        name: "jobs",
        kind: Ordinary,
        run: Run::Waiting(|interp, args| Box::pin(jobs::run(interp, args))),
    },
    plain("kill", Ordinary, kill::run),
    plain("let", Ordinary, let_::run),
    plain("local", Declaration, declare::run_local),
    plain("logout", Ordinary, exit::run_logout),
    Builtin {
        name: "mapfile",
        kind: Ordinary,
        run: Run::Waiting(|interp, args| Box::pin(mapfile::run(interp, "mapfile", args))),
    },
    plain("popd", Ordinary, dirs::run_popd),
    plain("printf", Ordinary, printf::run),
    plain("pushd", Ordinary, dirs::run_pushd),
    plain("pwd", Ordinary, pwd::run),
    Builtin {
        name: "read",
        kind: Ordinary,
        run: Run::Eager(read::run_now, |interp, args| Box::pin(read::run(interp, args))),
    },
    Builtin {
        name: "readarray",
        kind: Ordinary,
        run: Run::Waiting(|interp, args| Box::pin(mapfile::run(interp, "readarray", args))),
    },
    plain("readonly", Declaration, export::run_readonly),
    plain("return", Special, return_::run),
    plain("set", Special, set::run),
    plain("shift", Special, shift::run),
    plain("shopt", Ordinary, shopt::run),
    Builtin {
        name: "source",
        kind: Special,
        run: Run::Waiting(|interp, args| Box::pin(source::run(interp, args))),
    },
    plain("suspend", Ordinary, suspend::run),
    plain("test", Ordinary, test::run),
    plain("times", Special, times::run),
    plain("trap", Special, trap::run),
    plain("true", Ordinary, colon::run),
    plain("type", Ordinary, type_::run),
    plain("typeset", Declaration, declare::run_typeset),
    plain("ulimit", Ordinary, ulimit::run),
    plain("umask", Ordinary, umask::run),
    plain("unalias", Ordinary, alias::run_unalias),
    plain("unset", Special, unset::run),
    Builtin {
        name: "wait",
        kind: Ordinary,
        run: Run::Waiting(|interp, args| Box::pin(wait::run(interp, args))),
    },
];

#[cfg(test)]
mod tests {
    use super::BUILTINS;

    #[test]
    fn table_is_sorted() {
        assert!(BUILTINS.is_sorted_by(|a, b| a.name < b.name));
    }
}
