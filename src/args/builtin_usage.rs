//! The topics of `help`: every builtin and keyword of bash 5.2, with the usage line that `help -s` prints.
//!
//! The usage lines are recorded from bash (they are part of its error messages); what each one does is told in our own words.

/// A topic of `help`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltinUsage {
    /// The word that names it.
    pub name: &'static str,
    /// What bash prints as its title: `[[ ... ]]` for `[[`.
    pub title: &'static str,
    /// The usage line, without the title.
    pub usage: &'static str,
    /// What it does, in a sentence.
    pub summary: &'static str,
}

impl BuiltinUsage {
    /// What `help NAME` and `NAME --help` print.
    pub fn help_text(&self) -> Vec<u8> {
        format!("{}: {}\n    {}\n", self.title, self.usage, self.summary).into_bytes()
    }
}

/// The topic of a name.
pub fn builtin_usage(name: &str) -> Option<&'static BuiltinUsage> {
    let at = USAGES.binary_search_by(|topic| topic.name.cmp(name)).ok()?;
    USAGES.get(at)
}

/// All topics, sorted by name.
pub fn builtin_usages() -> &'static [BuiltinUsage] {
    USAGES
}

const fn topic(
    name: &'static str,
    title: &'static str,
    usage: &'static str,
    summary: &'static str,
) -> BuiltinUsage {
    BuiltinUsage {
        name,
        title,
        usage,
        summary,
    }
}

#[rustfmt::skip]
static USAGES: &[BuiltinUsage] = &[
    topic("%", "%", "job_spec [&]",
        "Bring a job to the foreground by naming it."),
    topic("((", "(( ... ))", "(( expression ))",
        "Evaluate an arithmetic expression; succeed if it is not zero."),
    topic(".", ".", ". filename [arguments]",
        "Run the commands of a file in this shell."),
    topic(":", ":", ":",
        "Do nothing, successfully."),
    topic("[", "[", "[ arg... ]",
        "Evaluate a condition; the last argument must be a `]'."),
    topic("[[", "[[ ... ]]", "[[ expression ]]",
        "Evaluate a condition with the shell's own syntax."),
    topic("alias", "alias", "alias [-p] [name[=value] ... ]",
        "Define aliases, or print them."),
    topic("bg", "bg", "bg [job_spec ...]",
        "Let stopped jobs go on in the background."),
    topic("bind", "bind", "bind [-lpsvPSVX] [-m keymap] [-f filename] [-q name] [-u name] [-r keyseq] [-x keyseq:shell-command] [keyseq:readline-function or readline-command]",
        "Set key bindings of the line editor."),
    topic("break", "break", "break [n]",
        "Leave enclosing loops."),
    topic("builtin", "builtin", "builtin [shell-builtin [arg ...]]",
        "Run a builtin even where a function has its name."),
    topic("caller", "caller", "caller [expr]",
        "Print where the current function was called."),
    topic("case", "case", "case WORD in [PATTERN [| PATTERN]...) COMMANDS ;;]... esac",
        "Run the commands of the first pattern that matches."),
    topic("cd", "cd", "cd [-L|[-P [-e]] [-@]] [dir]",
        "Change the working directory."),
    topic("command", "command", "command [-pVv] command [arg ...]",
        "Run a command without looking for functions, or describe it."),
    topic("compgen", "compgen", "compgen [-abcdefgjksuv] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix] [word]",
        "Print possible completions of a word."),
    topic("complete", "complete", "complete [-abcdefgjksuv] [-pr] [-DEI] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] [-X filterpat] [-P prefix] [-S suffix] [name ...]",
        "Say how the arguments of a command are completed."),
    topic("compopt", "compopt", "compopt [-o|+o option] [-DEI] [name ...]",
        "Change options of a completion."),
    topic("continue", "continue", "continue [n]",
        "Go on with the next turn of an enclosing loop."),
    topic("coproc", "coproc", "coproc [NAME] command [redirections]",
        "Run a command in the background, joined by two pipes."),
    topic("declare", "declare", "declare [-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name ...]",
        "Declare variables and give them attributes and values."),
    topic("dirs", "dirs", "dirs [-clpv] [+N] [-N]",
        "Print the stack of directories."),
    topic("disown", "disown", "disown [-h] [-ar] [jobspec ... | pid ...]",
        "Forget jobs, or keep them from SIGHUP."),
    topic("echo", "echo", "echo [-neE] [arg ...]",
        "Print the arguments, separated by spaces."),
    topic("enable", "enable", "enable [-a] [-dnps] [-f filename] [name ...]",
        "Turn builtins on and off."),
    topic("eval", "eval", "eval [arg ...]",
        "Run the arguments, joined by spaces, as a command."),
    topic("exec", "exec", "exec [-cl] [-a name] [command [argument ...]] [redirection ...]",
        "Replace the shell by a command, or redirect its descriptors."),
    topic("exit", "exit", "exit [n]",
        "Leave the shell with a status."),
    topic("export", "export", "export [-fn] [name[=value] ...] or export -p",
        "Pass variables on to the commands that are run."),
    topic("false", "false", "false",
        "Do nothing, unsuccessfully."),
    topic("fc", "fc", "fc [-e ename] [-lnr] [first] [last] or fc -s [pat=rep] [command]",
        "List, edit and run commands of the history."),
    topic("fg", "fg", "fg [job_spec]",
        "Bring a job to the foreground."),
    topic("for", "for", "for NAME [in WORDS ... ] ; do COMMANDS; done",
        "Run commands for each of some words."),
    topic("for ((", "for ((", "for (( exp1; exp2; exp3 )); do COMMANDS; done",
        "Run commands while an arithmetic expression holds."),
    topic("function", "function", "function name { COMMANDS ; } or name () { COMMANDS ; }",
        "Define a function."),
    topic("getopts", "getopts", "getopts optstring name [arg ...]",
        "Parse the options of a script, one a call."),
    topic("hash", "hash", "hash [-lr] [-p pathname] [-dt] [name ...]",
        "Remember where commands are, or forget it."),
    topic("help", "help", "help [-dms] [pattern ...]",
        "Print what is known about builtins."),
    topic("history", "history", "history [-c] [-d offset] [n] or history -anrw [filename] or history -ps arg [arg...]",
        "Print or change the list of past commands."),
    topic("if", "if", "if COMMANDS; then COMMANDS; [ elif COMMANDS; then COMMANDS; ]... [ else COMMANDS; ] fi",
        "Run commands depending on the status of others."),
    topic("jobs", "jobs", "jobs [-lnprs] [jobspec ...] or jobs -x command [args]",
        "Print the jobs."),
    topic("kill", "kill", "kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]",
        "Send a signal to jobs or processes."),
    topic("let", "let", "let arg [arg ...]",
        "Evaluate arithmetic expressions."),
    topic("local", "local", "local [option] name[=value] ...",
        "Declare variables of the running function."),
    topic("logout", "logout", "logout [n]",
        "Leave a login shell."),
    topic("mapfile", "mapfile", "mapfile [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]",
        "Read lines into an indexed array."),
    topic("popd", "popd", "popd [-n] [+N | -N]",
        "Remove entries from the stack of directories."),
    topic("printf", "printf", "printf [-v var] format [arguments]",
        "Print arguments under the control of a format."),
    topic("pushd", "pushd", "pushd [-n] [+N | -N | dir]",
        "Add a directory to the stack and change to it."),
    topic("pwd", "pwd", "pwd [-LP]",
        "Print the working directory."),
    topic("read", "read", "read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]",
        "Read a line and split it into variables."),
    topic("readarray", "readarray", "readarray [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]",
        "Read lines into an indexed array."),
    topic("readonly", "readonly", "readonly [-aAf] [name[=value] ...] or readonly -p",
        "Make variables or functions unchangeable."),
    topic("return", "return", "return [n]",
        "Leave a function or a sourced file with a status."),
    topic("select", "select", "select NAME [in WORDS ... ;] do COMMANDS; done",
        "Let the user choose from a menu, again and again."),
    topic("set", "set", "set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]",
        "Set shell options and positional parameters, or print variables."),
    topic("shift", "shift", "shift [n]",
        "Drop the first positional parameters."),
    topic("shopt", "shopt", "shopt [-pqsu] [-o] [optname ...]",
        "Set and print the optional behaviours of the shell."),
    topic("source", "source", "source filename [arguments]",
        "Run the commands of a file in this shell."),
    topic("suspend", "suspend", "suspend [-f]",
        "Stop the shell until it gets SIGCONT."),
    topic("test", "test", "test [expr]",
        "Evaluate a condition."),
    topic("time", "time", "time [-p] pipeline",
        "Report how long a pipeline took."),
    topic("times", "times", "times",
        "Print the processor time used so far."),
    topic("trap", "trap", "trap [-lp] [[arg] signal_spec ...]",
        "Run commands when signals and other events arrive."),
    topic("true", "true", "true",
        "Do nothing, successfully."),
    topic("type", "type", "type [-afptP] name [name ...]",
        "Tell how a name would be understood as a command."),
    topic("typeset", "typeset", "typeset [-aAfFgiIlnrtux] name[=value] ... or typeset -p [-aAfFilnrtux] [name ...]",
        "Declare variables and give them attributes and values."),
    topic("ulimit", "ulimit", "ulimit [-SHabcdefiklmnpqrstuvxPRT] [limit]",
        "Print or change resource limits."),
    topic("umask", "umask", "umask [-p] [-S] [mode]",
        "Print or set the mode bits that new files lack."),
    topic("unalias", "unalias", "unalias [-a] name [name ...]",
        "Remove aliases."),
    topic("unset", "unset", "unset [-f] [-v] [-n] [name ...]",
        "Remove variables and functions."),
    topic("until", "until", "until COMMANDS; do COMMANDS-2; done",
        "Run commands until a condition holds."),
    topic("variables", "variables", "variables - Names and meanings of some shell variables",
        "Variables that the shell knows."),
    topic("wait", "wait", "wait [-fn] [-p var] [id ...]",
        "Wait until jobs or processes have ended."),
    topic("while", "while", "while COMMANDS; do COMMANDS-2; done",
        "Run commands while a condition holds."),
    topic("{", "{ ... }", "{ COMMANDS ; }",
        "Run commands as one."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorted_for_binary_search() {
        assert!(USAGES.is_sorted_by(|left, right| left.name < right.name));
        assert_eq!(builtin_usage("shift").map(|topic| topic.usage), Some("shift [n]"));
    }
}
