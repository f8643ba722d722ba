//! `env`: prints the environment, or becomes a program in a changed one.

use super::env_split;
use super::launch::{become_program, launch_status};
use super::usage;
use crate::args::{COREUTILS, Opt, Parsed, Spec, UsageError, quote, quoteaf};
use crate::kernel::{Disposition, Proc, Program, Signal, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "env",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Ignore,
    Null,
    Unset,
    Chdir,
    Split,
    BlockSignal,
    DefaultSignal,
    IgnoreSignal,
    ListSignals,
    Debug,
}

static SPEC: Spec<Flag> = Spec::new(
    "env",
    COREUTILS,
    &["[OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]"],
    "Set each NAME to VALUE in the environment and run COMMAND.\n\nMandatory arguments to long options are mandatory for short \
     options too.",
    &[
        Opt::flag(Flag::Ignore, 'i', "ignore-environment", "start with an empty environment"),
        Opt::flag(Flag::Null, '0', "null", "end each output line with NUL, not newline"),
        Opt::required(Flag::Unset, 'u', "unset", "NAME", "remove variable from the environment"),
        Opt::required(Flag::Chdir, 'C', "chdir", "DIR", "change working directory to DIR"),
        Opt::required(
            Flag::Split,
            'S',
            "split-string",
            "S",
            "process and split S into separate arguments;\nused to pass multiple arguments on shebang lines",
        ),
        Opt::long(Flag::BlockSignal, "block-signal", "block delivery of SIG signal(s) to COMMAND").may_take("SIG"),
        Opt::long(Flag::DefaultSignal, "default-signal", "reset handling of SIG signal(s) to the default")
            .may_take("SIG"),
        Opt::long(Flag::IgnoreSignal, "ignore-signal", "set handling of SIG signal(s) to do nothing").may_take("SIG"),
        Opt::long(Flag::ListSignals, "list-signal-handling", "list non default signal handling to stderr"),
        Opt::flag(Flag::Debug, 'v', "debug", "print verbose information for each processing step"),
    ],
)
.posix()
.fails_with(125)
.notes(
    "A mere - implies -i.  If no COMMAND, print the resulting environment.\n\nSIG may be a signal name like 'PIPE', or a signal \
     number like '13'.\nWithout SIG, all known signals are included.  Multiple signals can be\ncomma-separated.",
);

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let arguments = proc.arguments().to_vec();
    let split = env_split::expand(&arguments, |name| proc.variable(name).map(<[u8]>::to_vec));
    let (arguments, mut debug) = usage::accept(proc, split).await?;
    let parsed = SPEC.parse(&arguments);
    let parsed = usage::accept(proc, parsed).await?;
    if parsed.has(Flag::BlockSignal) {
        return Err(usage::fail(proc, 125, "cannot block signals: Operation not supported").await);
    }
    let mut operands = parsed.operands.clone();
    let environment = environment(proc, &parsed, &mut operands, &mut debug).await?;
    if parsed.has(Flag::Debug) {
        if let Some(directory) = parsed.last(Flag::Chdir).filter(|_| !operands.is_empty()) {
            debug.extend_from_slice(&[b"chdir:    ", quoteaf(directory).as_slice(), b"\n"].concat());
        }
        proc.write_error(&debug).await?;
    }
    if let Some(error) = conflict(&parsed, &operands) {
        return Err(usage::refuse(proc, &error).await);
    }
    if operands.is_empty() {
        return print(proc, &environment, parsed.has(Flag::Null)).await;
    }
    set_signals(proc, &parsed).await?;
    start(proc, &parsed, operands, environment).await
}

/// What the command's environment is: the options and the assignments among the operands, which are taken off.
async fn environment(
    proc: &mut Proc,
    parsed: &Parsed<Flag>,
    operands: &mut Vec<Vec<u8>>,
    debug: &mut Vec<u8>,
) -> Result<Vec<(Vec<u8>, Vec<u8>)>, Stop> {
    let mut ignore = parsed.has(Flag::Ignore);
    if operands.first().is_some_and(|word| word == b"-") {
        ignore = true;
        operands.remove(0);
    }
    let mut environment = Vec::new();
    if ignore {
        debug.extend_from_slice(b"cleaning environ\n");
    } else {
        environment = proc.environment.to_vec();
    }
    for name in parsed.values(Flag::Unset) {
        if name.is_empty() || name.contains(&b'=') {
            let message = [b"cannot unset ", &*quote(name), b": Invalid argument"].concat();
            return Err(usage::fail(proc, 125, message).await);
        }
        debug.extend_from_slice(&[b"unset:    ", name, b"\n"].concat());
        environment.retain(|(known, _)| *known != name);
    }
    let assignments = operands.iter().take_while(|word| word.contains(&b'=')).count();
    for word in operands.drain(..assignments) {
        debug.extend_from_slice(&[b"setenv:   ", word.as_slice(), b"\n"].concat());
        proc.charge(environment.len() as u64 / 4)?;
        assign(&mut environment, &word);
    }
    Ok(environment)
}

fn assign(environment: &mut Vec<(Vec<u8>, Vec<u8>)>, word: &[u8]) {
    let at = word.iter().position(|byte| *byte == b'=').unwrap_or(word.len());
    let name = word.get(..at).unwrap_or_default();
    let value = word.get(at + 1..).unwrap_or_default().to_vec();
    match environment.iter_mut().find(|(known, _)| known == name) {
        Some((_, old)) => *old = value,
        None => environment.push((name.to_vec(), value)),
    }
}

fn conflict(parsed: &Parsed<Flag>, operands: &[Vec<u8>]) -> Option<UsageError> {
    if parsed.has(Flag::Null) && !operands.is_empty() {
        return Some(SPEC.complain("cannot specify --null (-0) with command"));
    }
    if parsed.has(Flag::Chdir) && operands.is_empty() {
        return Some(SPEC.complain("must specify command with --chdir (-C)"));
    }
    None
}

async fn print(proc: &mut Proc, environment: &[(Vec<u8>, Vec<u8>)], null: bool) -> Result<i32, Stop> {
    let end: &[u8] = if null { b"\0" } else { b"\n" };
    for (name, value) in environment {
        proc.write(&[name, b"=".as_slice(), value, end].concat()).await?;
    }
    Ok(0)
}

/// The signals of `--ignore-signal` and its like: all, or a list.
async fn set_signals(proc: &mut Proc, parsed: &Parsed<Flag>) -> Result<(), Stop> {
    for (flag, list) in &parsed.options {
        let disposition = match flag {
            Flag::DefaultSignal => Disposition::Default,
            Flag::IgnoreSignal => Disposition::Ignore,
            _ => continue,
        };
        let Some(list) = list else {
            let all = Signal::all().filter(|signal| *signal != Signal::KILL && *signal != Signal::STOP);
            all.for_each(|signal| proc.signals.set(signal, disposition));
            continue;
        };
        for word in list.split(|byte| *byte == b',').filter(|word| !word.is_empty()) {
            match signal_of(word) {
                Some(signal) if signal == Signal::KILL || signal == Signal::STOP => {
                    let message = format!(
                        "failed to set signal action for signal {}: Invalid argument",
                        signal.number()
                    );
                    return Err(usage::fail(proc, 125, message).await);
                }
                Some(signal) => proc.signals.set(signal, disposition),
                None => {
                    let error = SPEC.complain([&*quote(word), b": invalid signal".as_slice()].concat());
                    return Err(usage::refuse(proc, &error).await);
                }
            }
        }
    }
    if parsed.has(Flag::ListSignals) {
        let ignored = Signal::all().filter(|signal| proc.signals.disposition(*signal) == Disposition::Ignore);
        let lines: Vec<String> = ignored
            .map(|signal| format!("{:<10} ({:2}): IGNORE\n", signal.name(), signal.number()))
            .collect();
        proc.write_error(lines.concat().as_bytes()).await?;
    }
    Ok(())
}

/// A signal by number or name.
pub(super) fn signal_of(word: &[u8]) -> Option<Signal> {
    if word.first().is_some_and(u8::is_ascii_digit) {
        return std::str::from_utf8(word)
            .ok()?
            .parse()
            .ok()
            .and_then(Signal::from_number);
    }
    Signal::from_name(word)
}

async fn start(
    proc: &mut Proc,
    parsed: &Parsed<Flag>,
    operands: Vec<Vec<u8>>,
    environment: Vec<(Vec<u8>, Vec<u8>)>,
) -> Result<i32, Stop> {
    if let Some(directory) = parsed.last(Flag::Chdir) {
        match enter(proc, directory) {
            Ok(path) => proc.cwd = path.into(),
            Err(errno) => {
                let message = [
                    b"cannot change directory to ",
                    &*quoteaf(directory),
                    b": ",
                    errno.message().as_bytes(),
                ];
                return Err(usage::fail(proc, 125, message.concat()).await);
            }
        }
    }
    if parsed.has(Flag::Debug) {
        let mut text = [
            b"executing: ".as_slice(),
            operands.first().map_or(b"", Vec::as_slice),
            b"\n",
        ]
        .concat();
        for (index, word) in operands.iter().enumerate() {
            text.extend_from_slice(format!("   arg[{index}]= ").as_bytes());
            text.extend_from_slice(&quote(word));
            text.push(b'\n');
        }
        proc.write_error(&text).await?;
    }
    let command = operands.first().cloned().unwrap_or_default();
    // The command is looked for along the new PATH.
    proc.environment = environment.into();
    let errno = match become_program(proc, operands, None).await? {
        Ok(status) => return Ok(status),
        Err(errno) => errno,
    };
    let message = [&*quote(&command), b": ", errno.message().as_bytes()].concat();
    proc.warn(message).await?;
    if errno == crate::fs::Errno::ENOENT && command.iter().any(u8::is_ascii_whitespace) {
        proc.warn("use -[v]S to pass options in shebang lines").await?;
    }
    Ok(launch_status(errno))
}

/// The absolute path of a directory that may be entered.
fn enter(proc: &Proc, directory: &[u8]) -> Result<Vec<u8>, crate::fs::Errno> {
    use crate::fs::{Access, Errno, Existing, FileKind, Follow};
    if proc.metadata(directory, Follow::Yes)?.kind != FileKind::Directory {
        return Err(Errno::ENOTDIR);
    }
    proc.fs.access(&proc.view(), directory, Access::EXECUTE)?;
    proc.fs.canonicalize(&proc.view(), directory, Existing::All)
}
