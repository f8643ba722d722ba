//! `kill [-s sigspec | -n signum | -sigspec] pid | jobspec …`, `kill -l [sigspec]`
//!
//! A signal to this shell, or to one of its parents that runs in the same task, acts before the next command; see
//! [`Kernel::kill_from`](crate::kernel::Kernel::kill_from).

use super::support::number;
use super::wait::job_message;
use crate::args::BuiltinSpec;
use crate::fs::Errno;
use crate::interp::{Flow, Interp, Set};
use crate::kernel::{Pid, Signal};

const SPEC: BuiltinSpec = BuiltinSpec::new("kill", "");

/// The signals' numbers end below it; bash gives the next ones to DEBUG, ERR and RETURN.
const LIMIT: i64 = 65;

/// What is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sent {
    /// 0 and EXIT: only looks whether the process is there.
    Nothing,
    Signal(Signal),
    /// A name that is no signal of the system (DEBUG, ERR, RETURN, 32, 33).
    Impossible(i64),
}

/// What the options ask for.
struct Request<'a> {
    list: bool,
    sent: Option<Sent>,
    /// What was written for the signal.
    name: &'a [u8],
    operands: &'a [Vec<u8>],
}

/// The builtin.
pub fn run(interp: &mut Interp, args: &[Vec<u8>]) -> Flow {
    let usage = |interp: &mut Interp| Ok(interp.say_usage("kill", SPEC.usage_error(None)));
    match args.first().map(Vec::as_slice) {
        None => return usage(interp),
        Some(b"--help") => return Ok(interp.say_usage("kill", SPEC.help())),
        _ => {}
    }
    let request = match read_request(args, interp.options.is(Set::Posix)) {
        Ok(request) => request,
        Err(Some(message)) => {
            interp.complain("kill", message);
            return Ok(1);
        }
        Err(None) => return usage(interp),
    };
    if request.list {
        return list(interp, request.operands);
    }
    let Some(sent) = request.sent else {
        interp.complain("kill", [request.name, b": invalid signal specification"].concat());
        return Ok(1);
    };
    if request.operands.is_empty() {
        return usage(interp);
    }
    interp.update_jobs();
    let mut any = false;
    for operand in request.operands {
        match send(interp, operand, sent) {
            Ok(()) => any = true,
            Err(None) => interp.complain("kill", [request.name, b": invalid signal specification"].concat()),
            Err(Some(message)) => interp.complain("kill", message),
        }
    }
    Ok(i32::from(!any))
}

/// Reads the options, as bash does word by word. `Err(None)`: the usage is asked for.
fn read_request(args: &[Vec<u8>], posix: bool) -> Result<Request<'_>, Option<Vec<u8>>> {
    let mut request = Request {
        list: false,
        sent: Some(Sent::Signal(Signal::TERM)),
        name: b"TERM",
        operands: args,
    };
    let mut given = false;
    while let Some((word, rest)) = request.operands.split_first() {
        let (name, rest): (&[u8], _) = match word.as_slice() {
            b"-l" | b"-L" => {
                request.list = true;
                request.operands = rest;
                continue;
            }
            b"-s" | b"-n" => {
                let Some((name, rest)) = rest.split_first() else {
                    return Err(Some([word, b": option requires an argument".as_slice()].concat()));
                };
                (name, rest)
            }
            [b'-', b's', name @ ..] if name.first().is_some_and(u8::is_ascii_alphabetic) => (name, rest),
            [b'-', b'n', name @ ..] if name.first().is_some_and(u8::is_ascii_digit) => (name, rest),
            b"--" => {
                request.operands = rest;
                break;
            }
            b"-?" => return Err(None),
            // Only the first is a signal: others are process groups.
            [b'-', name @ ..] if !given => (name, rest),
            _ => break,
        };
        given = true;
        request.name = name;
        request.sent = decode(name, posix);
        request.operands = rest;
    }
    Ok(request)
}

/// A signal by number, or by name in any case; `SIG` in front is not POSIX.
fn decode(text: &[u8], posix: bool) -> Option<Sent> {
    let signal = |number| match number {
        0 => Sent::Nothing,
        _ => Signal::from_number(number).map_or(Sent::Impossible(number), Sent::Signal),
    };
    if let Some(number) = number(text) {
        return (0..LIMIT).contains(&number).then(|| signal(number));
    }
    let upper = text.to_ascii_uppercase();
    match upper.as_slice() {
        b"EXIT" => return Some(Sent::Nothing),
        b"DEBUG" => return Some(Sent::Impossible(LIMIT)),
        b"ERR" => return Some(Sent::Impossible(LIMIT + 1)),
        b"RETURN" => return Some(Sent::Impossible(LIMIT + 2)),
        name if posix && name.starts_with(b"SIG") => return None,
        _ => {}
    }
    Signal::from_name(text).map(Sent::Signal)
}

/// `kill -l` with operands: numbers become names, names become numbers.
fn list(interp: &mut Interp, operands: &[Vec<u8>]) -> Flow {
    if operands.is_empty() {
        interp.print(super::trap::signal_table());
        return Ok(0);
    }
    let posix = interp.options.is(Set::Posix);
    let mut status = 0;
    for operand in operands {
        let line = match number(operand) {
            // A status of a process that was killed.
            Some(number) => match if number > 128 { number - 128 } else { number } {
                0 => Some("EXIT\n".into()),
                number if (1..LIMIT).contains(&number) => Some(
                    Signal::from_number(number)
                        .map_or_else(String::new, |signal| format!("{}\n", signal.name())),
                ),
                _ => None,
            },
            None => decode(operand, posix).map(|sent| match sent {
                Sent::Nothing => "0\n".into(),
                Sent::Signal(signal) => format!("{}\n", signal.number()),
                Sent::Impossible(number) => format!("{number}\n"),
            }),
        };
        match line {
            Some(line) => interp.print(line),
            None => {
                interp.complain(
                    "kill",
                    [operand, b": invalid signal specification".as_slice()].concat(),
                );
                status = 1;
            }
        }
    }
    Ok(status)
}

/// Sends to what an operand names. `Err(None)`: there is no such signal.
fn send(interp: &mut Interp, operand: &[u8], sent: Sent) -> Result<(), Option<Vec<u8>>> {
    if let Some(number) = number(operand)
        .and_then(|number| i32::try_from(number).ok())
        .filter(|_| operand != b"-")
    {
        return send_to_number(interp, number, sent)
            .map_err(|errno| (errno != Errno::EINVAL).then(|| format!("({number}) - {errno}").into_bytes()));
    }
    match operand.first() {
        Some(b'%') => {}
        None => return Err(Some(b"`': not a pid or valid job spec".to_vec())),
        Some(_) => {
            return Err(Some(
                [operand, b": arguments must be process or job IDs"].concat(),
            ));
        }
    }
    let id = match interp.find_job(operand) {
        Ok(id) => id,
        Err(error) => return Err(Some(job_message(operand, error))),
    };
    let Some(job) = interp.jobs.get(id).cloned() else {
        return Ok(());
    };
    let targets: Vec<Pid> = if job.group {
        interp.proc.kernel.members(job.leader())
    } else {
        job.alive().collect()
    };
    interp.jobs.change(id, |job| job.notified = false);
    for pid in targets {
        let _ = deliver(interp, pid, sent);
    }
    interp.update_jobs();
    Ok(())
}

/// A positive number is a process, 0 the shell's own group, -1 everyone else, any other a group.
fn send_to_number(interp: &mut Interp, number: i32, sent: Sent) -> Result<(), Errno> {
    let kernel = interp.proc.kernel.clone();
    let group = match number {
        1.. => return deliver(interp, number.unsigned_abs(), sent),
        0 => kernel.group_of(interp.proc.pid).unwrap_or(interp.proc.pid),
        -1 => 0,
        _ => number.unsigned_abs(),
    };
    let targets = match group {
        0 => kernel
            .all_processes()
            .into_iter()
            .filter(|pid| *pid != interp.proc.pid)
            .collect(),
        group => kernel.members(group),
    };
    if targets.is_empty() {
        return Err(Errno::ESRCH);
    }
    targets.into_iter().try_for_each(|pid| deliver(interp, pid, sent))
}

fn deliver(interp: &mut Interp, pid: Pid, sent: Sent) -> Result<(), Errno> {
    let signal = match sent {
        Sent::Nothing => None,
        Sent::Signal(signal) => Some(signal),
        Sent::Impossible(_) => return Err(Errno::EINVAL),
    };
    interp.proc.kernel.kill_from(interp.proc.pid, pid, signal)
}
