//! Commands: the interpreter of one shell process.
//!
//! [`Interp`] is the state of a shell; cloning it is `fork`, and costs a fraction of a microsecond because everything large is shared until
//! written. Its methods stand one family a file: lists and pipelines, simple and compound commands, functions, redirections, traps, jobs.
//!
//! Execution is `async` only where it may wait. A simple command whose words run nothing and whose builtin is a plain function takes
//! the synchronous path in `simple`; a future is boxed only where the language recurses. Deep recursion moves to a task of its own
//! every `HOP` levels, so that the host's stack stays small.

mod arguments;
mod assign;
mod compat;
pub mod completion;
mod compound;
mod cond;
mod coproc;
mod dynamic;
mod external;
mod flow;
mod function;
pub mod history;
mod host;
mod interactive;
mod invocation;
pub mod job;
mod list;
mod message;
mod now;
pub mod options;
mod pipeline;
mod progress;
mod prompt;
mod redirect;
mod run;
mod simple;
mod startup;
mod subshell;
pub mod test;
mod trap;
mod variable;
pub mod vars;
mod xtrace;

use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use arguments::Arguments;
pub use assign::Declared;
pub use dynamic::{Dynamic, Kept};
pub use flow::{Divert, ExpandFailure, Flow};
pub use function::FunctionEntry;
pub use invocation::bash;
use job::Jobs;
pub use options::{Options, Set, Shopt};
pub use run::Origin;
pub use simple::{Builtin, BuiltinKind, Misuse, Run};
pub use startup::Start;
pub use trap::{TrapKey, Traps};
pub use variable::{split_reference, split_subscript};
use vars::Vars;

use crate::expand::Ifs;
use crate::fs::Timestamp;
use crate::kernel::{File, Held, Pid, Proc};
use crate::syntax::ast::Name;

/// Levels of nesting that one task runs on the host's stack.
const HOP: u32 = 12;

/// A running function, sourced file or script: one element of `FUNCNAME`.
#[derive(Debug, Clone)]
pub struct Frame {
    /// `main`, `source`, or the function's name.
    pub name: Name,
    /// Where its code stands: an element of `BASH_SOURCE`.
    pub source: Arc<[u8]>,
    /// The line it was called from: an element of `BASH_LINENO`.
    pub call_line: u32,
    /// Its arguments, where `extdebug` was on when it was called: `BASH_ARGC` and `BASH_ARGV` show them.
    pub arguments: Option<Arc<Arguments>>,
}

/// What of the functions that were running is still there when the shell ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Leaving {
    /// Nothing.
    #[default]
    Nothing,
    /// After `set -e`: names and arguments, but no locals.
    Frames,
    /// After `exit`: everything.
    All,
}

/// How a failure of a command is looked at by what runs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Context {
    /// Inside a condition, `!`, or a non-final part of `&&`/`||`: `set -e` and the ERR trap do not act.
    pub unchecked: bool,
    /// Loops around this command in the running function.
    pub loops: u32,
}

/// One shell process.
#[derive(Clone)]
pub struct Interp {
    /// The process.
    pub proc: Proc,
    /// Variables.
    pub vars: Vars,
    /// Functions by name.
    pub functions: Arc<FxHashMap<Name, FunctionEntry>>,
    /// Aliases by name.
    pub aliases: Arc<std::collections::BTreeMap<Vec<u8>, Held>>,
    /// `set` and `shopt` options.
    pub options: Options,
    /// Traps.
    pub traps: Arc<Traps>,
    /// Background jobs.
    pub jobs: Jobs,
    /// `$1 …`
    pub positional: Arc<Arguments>,
    /// The arguments below those of functions in `BASH_ARGV`, once something asked for them.
    first_arguments: Option<Arc<Arguments>>,
    /// `$0`
    pub zero: Arc<[u8]>,
    /// `$?`
    pub status: i32,
    /// `PIPESTATUS`
    pub pipe_status: Vec<i32>,
    /// `FUNCNAME`, innermost last.
    pub frames: imbl::Vector<Frame>,
    /// The line of the running command.
    pub line: u32,
    /// What is added to lines of the tree: a command substitution counts from the line of its command.
    line_shift: i64,
    /// `BASH_COMMAND`, kept while a trap runs.
    pub command_text: Option<Arc<[u8]>>,
    /// How failures are looked at.
    pub context: Context,
    /// Subshells around this process.
    pub subshell: u32,
    /// What an assignment to `BASH_SUBSHELL` adds to them.
    subshell_offset: i64,
    /// The words of a pipeline's simple command are expanded: `BASH_SUBSHELL` does not count its process yet.
    pub words_outside: bool,
    /// `set` gave positional parameters since a file began to be sourced, outside of functions.
    pub positional_reset: bool,
    /// Operands of `unset` that were written as `name[…]`: their subscripts are expanded already.
    pub written_elements: Vec<Vec<u8>>,
    /// How the special builtin that runs failed, which may end a shell in POSIX mode.
    pub misuse: Misuse,
    /// The values of variables in front of a command are expanded.
    preparing: bool,
    /// `$$`
    pub shell_pid: Pid,
    /// `$PPID`
    pub shell_parent: Pid,
    /// `$!`
    pub last_background: Option<Pid>,
    /// `DIRSTACK` below the working directory.
    pub directories: Arc<Vec<Held>>,
    /// Remembered command paths (`hash`): path and hits.
    pub hashed: Arc<std::collections::BTreeMap<Vec<u8>, (Held, u32)>>,
    /// Builtins switched off by `enable -n`.
    pub disabled: Arc<std::collections::BTreeSet<&'static str>>,
    /// The letter in `$-` that tells how the shell was started.
    pub started_as: Option<u8>,
    /// `BASH_EXECUTION_STRING`
    pub execution_string: Option<Arc<[u8]>>,
    /// The state of `getopts` inside a cluster of options.
    pub getopts_offset: usize,
    /// `SECONDS` counts from here.
    pub seconds_base: Timestamp,
    /// `RANDOM`'s state, once it was seeded by an assignment.
    pub random: u64,
    /// The last value of `RANDOM`.
    pub last_random: u16,
    /// Builtins of this shell.
    pub builtins: &'static [Builtin],
    /// Redirections of the `exec` that is running stay.
    keep_redirects: bool,
    /// Runs in a pipeline or in the background: commands started with `&` keep its input.
    detached: bool,
    /// `bash -i`; subshells still print as such.
    interactive: bool,
    /// What an interactive shell does just now.
    stage: interactive::Stage,
    /// Complete commands that were read from a script, for `\#` in prompts.
    commands: u64,
    /// An ERR or DEBUG trap was set at some time, or a text asked for it: commands are noted for `BASH_COMMAND`.
    noting: bool,
    /// Runs inside a command substitution: says nothing of killed jobs.
    in_substitution: bool,
    /// A trap is running: its own kind does not run again.
    in_trap: u8,
    /// The trap that is running, and `$?` before the last one that was not a signal's: `return` and `exit` go by that.
    trap: Option<TrapKey>,
    trap_status: i32,
    /// A `[[` had an error: bash's parser takes the next one, wherever it is, for a plain word.
    cond_open: bool,
    /// What an `exit` or `set -e` leaves standing for the EXIT trap.
    leaving: Leaving,
    /// The shell that started this process ran the DEBUG trap of its command already.
    debugged: bool,
    /// Depth of substitutions, `eval`, sourced files and traps for `PS4`.
    pub evals: u32,
    /// Where traces go instead of standard error.
    trace_descriptor: Option<u32>,
    /// `PS4` expanded for the command that is running.
    trace_prompt: Vec<u8>,
    /// Levels since the current task began.
    nest: u32,
    /// Depth of function calls, `eval` and `source`.
    depth: u32,
    /// Levels of arithmetic that are being evaluated.
    arithmetic_depth: u32,
    /// Status of the last command substitution of the current command.
    substitution_status: Option<i32>,
    /// The `IFS` prepared.
    ifs: Arc<Ifs>,
    /// It must be prepared anew.
    ifs_changed: bool,
    /// Empty buffers for fields.
    buffers: Vec<Vec<u8>>,
    /// An empty list for the fields of a command.
    spare_args: Vec<Vec<u8>>,
    /// `LC_ALL`, `LC_CTYPE` or `LANG` say `C`.
    byte_locale: bool,
    /// One of them was assigned: scopes may change the locale.
    locale_varies: bool,
    /// What builtins have printed and not yet written, in order.
    pending: Vec<(Arc<File>, Vec<u8>)>,
    /// A builtin failed to write its output; said once.
    write_failed: bool,
    /// Why.
    pending_errno: Option<crate::fs::Errno>,
    /// `$_`
    pub last_argument: Vec<u8>,
    /// Array values of the declaration builtin that is about to run.
    pub declared: Vec<Declared>,
    /// Descriptors of process substitutions to close after the command.
    process_fds: Vec<u32>,
    /// The command runs in a process that does nothing else: a program may take its place.
    tail: bool,
    /// The current statement is a command of `&&`, `||` or `if`: nesting of `time`.
    started_at: Timestamp,
    /// The history list: what `history -s` puts there, and what is read under `set -o history`.
    pub history: Arc<history::History>,
    /// Specifications of `complete` by command.
    pub completions: Arc<std::collections::BTreeMap<Vec<u8>, completion::Completion>>,
    /// There was one: `complete -r` of a name without one is an error from then on.
    pub has_completed: bool,
    /// The format that `printf` used last, and its text.
    pub last_format: Option<Arc<(Vec<u8>, crate::text::printf::Format)>>,
    /// The process of the last process substitution: `wait` waits for it too.
    pub last_substitution: Option<Pid>,
    /// What the synchronous path stopped at, and what goes on then, innermost first.
    waiting: Option<now::Wait>,
    levels: Vec<now::Level>,
    /// Depth of prompt strings inside prompt strings.
    prompts: u32,
    /// Compiled patterns by their text.
    patterns: Arc<FxHashMap<Vec<u8>, (crate::pattern::PatternOptions, Arc<crate::pattern::Pattern>)>>,
    /// The regular expression used last, and its text: loops use the same one again.
    last_regex: Option<Arc<(Vec<u8>, crate::pattern::RegexOptions, crate::pattern::Regex)>>,
    /// Coprocesses that run.
    coprocs: Vec<coproc::Running>,
}

impl std::fmt::Debug for Interp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Interp")
            .field("proc", &self.proc)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}
