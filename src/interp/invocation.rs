//! The program `bash`: its options and operands, and the shell that they ask for.

use super::Divert;
use super::interactive::StartUp;
use super::startup::Start;
use super::{Builtin, Interp, Run, Set, Shopt};
use crate::kernel::{Proc, Stop, WaitStatus, cost};

/// What the options of `bash` ask for.
#[derive(Debug, Default)]
struct Invocation {
    command: bool,
    stdin: bool,
    version: bool,
    help: bool,
    set: Vec<(usize, bool)>,
    shopt: Vec<(usize, bool)>,
    posix: bool,
    /// Lists of options to print first: the builtin that does, and its argument.
    lists: Vec<(&'static [u8], Vec<u8>)>,
    login: bool,
    interactive: bool,
    start_up: StartUp,
    operands: Vec<Vec<u8>>,
}

/// What follows an invalid option.
const USAGE: &str = "\
Usage:\tbash [GNU long option] [option] ...
\tbash [GNU long option] [option] script-file ...
GNU long options:
\t--debug
\t--debugger
\t--dump-po-strings
\t--dump-strings
\t--help
\t--init-file
\t--login
\t--noediting
\t--noprofile
\t--norc
\t--posix
\t--pretty-print
\t--rcfile
\t--restricted
\t--verbose
\t--version
Shell options:
\t-ilrsD or -c command or -O shopt_option\t\t(invocation only)
\t-abefhkmnptuvxBCEHPT or -o option
";

/// What `--version` says.
const VERSION: &str = "\
GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)
Copyright (C) 2022 Free Software Foundation, Inc.
License GPLv3+: GNU GPL version 3 or later <http://gnu.org/licenses/gpl.html>

This is free software; you are free to change and redistribute it.
There is NO WARRANTY, to the extent permitted by law.
";

/// What `--help` says after the usage.
const MORE_HELP: &str = "\
Type `bash -c \"help set\"' for more information about shell options.
Type `bash -c help' for more information about shell builtin commands.
Use the `bashbug' command to report bugs.

bash home page: <http://www.gnu.org/software/bash>
General help using GNU software: <http://www.gnu.org/gethelp/>
";

/// The program `bash` (and `sh`, which starts in posix mode).
pub async fn bash(proc: &mut Proc, builtins: &'static [Builtin]) -> Result<i32, Stop> {
    let name = proc
        .name()
        .rsplit(|byte| *byte == b'/')
        .next()
        .unwrap_or_default()
        .to_vec();
    let mut invocation = match parse_arguments(proc.arguments()) {
        Ok(invocation) => invocation,
        Err(message) => {
            let usage = if message.ends_with(b": invalid option") {
                USAGE
            } else {
                ""
            };
            let text = [proc.name(), b": ", &message, b"\n", usage.as_bytes()].concat();
            proc.write_error(&text).await?;
            return Ok(2);
        }
    };
    if invocation.version {
        proc.write(VERSION.as_bytes()).await?;
        return Ok(0);
    }
    if invocation.help {
        let head = "GNU bash, version 5.2.15(1)-release-(x86_64-pc-linux-gnu)\n";
        proc.write([head, USAGE, MORE_HELP].concat().as_bytes()).await?;
        return Ok(0);
    }
    proc.charge(cost::SHELL)?;
    let mut interp = Interp::new(proc.clone(), builtins);
    proc.fds = crate::kernel::Fds::default();
    interp.zero = interp.proc.name().into();
    if name == b"sh" || invocation.posix {
        interp.options.set(Set::Posix, true);
        interp.options.set_shopt(Shopt::ExpandAliases, true);
    }
    for (index, on) in &invocation.set {
        interp.options.set_index(*index, *on);
    }
    for (index, on) in &invocation.shopt {
        interp.options.shopt_index(*index, *on);
    }
    interp.options.set_shopt(Shopt::LoginShell, invocation.login);
    for (builtin, argument) in &invocation.lists {
        interp.list_options(builtin, argument);
    }
    if !invocation.lists.is_empty() {
        let _ = interp.flush().await;
    }
    let interactive = invocation
        .interactive
        .then(|| std::mem::take(&mut invocation.start_up));
    let start = match choose_start(&mut interp, invocation) {
        Ok(start) => start,
        Err(message) => {
            let text = [&*interp.zero, b": ", &message, b"\n"].concat();
            proc.fds = interp.proc.fds.clone();
            proc.write_error(&text).await?;
            return Ok(2);
        }
    };
    let status = match interactive {
        Some(start_up) => interp.run_interactive(start, start_up).await,
        None => interp.run_start(start).await,
    };
    drop(interp);
    match status {
        Ok(WaitStatus::Exited(code)) => Ok(i32::from(code)),
        Ok(WaitStatus::Signaled(signal)) => Err(Stop::Signal(signal)),
        Err(Divert::Halt(halt)) => Err(Stop::Halt(halt)),
        Err(_) => Ok(1),
    }
}

fn choose_start(interp: &mut Interp, invocation: Invocation) -> Result<Start, Vec<u8>> {
    let mut operands = invocation.operands.into_iter();
    let start = if invocation.command {
        let Some(text) = operands.next() else {
            return Err(b"-c: option requires an argument".to_vec());
        };
        if let Some(zero) = operands.next() {
            interp.zero = zero.into();
        }
        Start::Command(text)
    } else if invocation.stdin {
        Start::Stdin
    } else {
        match operands.next() {
            Some(path) => {
                interp.zero = path.as_slice().into();
                Start::File(path)
            }
            None => Start::Stdin,
        }
    };
    interp.set_positional(operands);
    Ok(start)
}

fn parse_arguments(args: &[Vec<u8>]) -> Result<Invocation, Vec<u8>> {
    let mut invocation = Invocation::default();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if arg == b"--" || arg == b"-" {
            invocation.operands.extend(rest.cloned());
            return Ok(invocation);
        }
        if let Some(long) = arg.strip_prefix(b"--") {
            match long {
                b"version" => invocation.version = true,
                b"help" => invocation.help = true,
                b"posix" => invocation.posix = true,
                b"login" => invocation.login = true,
                b"norc" => invocation.start_up = StartUp::Nothing,
                b"noprofile" | b"noediting" => {}
                b"verbose" => invocation.set.push((Set::Verbose as usize, true)),
                b"rcfile" | b"init-file" => match rest.next() {
                    // `--norc` wins, wherever it stands.
                    Some(_) if invocation.start_up == StartUp::Nothing => {}
                    Some(file) => invocation.start_up = StartUp::File(file.clone()),
                    None => return Err([long, b": option requires an argument".as_slice()].concat()),
                },
                _ => return Err([arg, b": invalid option".as_slice()].concat()),
            }
            continue;
        }
        let sign = arg.first().copied();
        if !matches!(sign, Some(b'-' | b'+')) || arg.len() < 2 {
            invocation.operands.push(arg.clone());
            break;
        }
        let on = sign == Some(b'-');
        for letter in arg.get(1..).unwrap_or_default() {
            match letter {
                b'c' if on => invocation.command = true,
                b's' if on => invocation.stdin = true,
                b'l' => invocation.login = true,
                b'i' if on => invocation.interactive = true,
                b'o' | b'O' => named_option(*letter, on, rest.next(), &mut invocation)?,
                letter => match super::options::letter_index(*letter) {
                    Some(index) => invocation.set.push((index, on)),
                    None => return Err([&[b'-', *letter], b": invalid option".as_slice()].concat()),
                },
            }
        }
    }
    invocation.operands.extend(rest.cloned());
    Ok(invocation)
}

fn named_option(
    letter: u8,
    on: bool,
    name: Option<&Vec<u8>>,
    invocation: &mut Invocation,
) -> Result<(), Vec<u8>> {
    let Some(name) = name else {
        invocation.lists.push(match (letter, on) {
            (b'o', true) => (b"set", b"-o".to_vec()),
            (b'o', false) => (b"set", b"+o".to_vec()),
            (_, true) => (b"shopt", Vec::new()),
            (_, false) => (b"shopt", b"-p".to_vec()),
        });
        return Ok(());
    };
    let (index, list, who, what) = if letter == b'o' {
        (
            super::options::set_index(name),
            &mut invocation.set,
            b"line 0: bash: ".as_slice(),
            b": invalid option name".as_slice(),
        )
    } else {
        (
            super::options::shopt_index(name),
            &mut invocation.shopt,
            b"line 0: ".as_slice(),
            b": invalid shell option name".as_slice(),
        )
    };
    match index {
        Some(index) => {
            list.push((index, on));
            Ok(())
        }
        None => Err([who, name, what].concat()),
    }
}

impl Interp {
    /// Prints a list of options, by the builtin that prints it.
    fn list_options(&mut self, builtin: &[u8], argument: &[u8]) {
        let arguments: Vec<_> = (!argument.is_empty())
            .then(|| argument.to_vec())
            .into_iter()
            .collect();
        if let Some(Run::Plain(run)) = self.find_builtin(builtin).map(|builtin| builtin.run) {
            let _ = run(self, &arguments);
        }
    }
}
