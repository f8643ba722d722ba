//! `nice`: becomes a program with another priority, which means nothing here, but is counted along.

use super::launch::{become_program, launch_status};
use super::usage;
use crate::args::{COREUTILS, Opt, Spec, quote};
use crate::kernel::{Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "nice",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Adjustment,
}

static SPEC: Spec<Flag> = Spec::new(
    "nice",
    COREUTILS,
    &["[OPTION] [COMMAND [ARG]...]"],
    "Run COMMAND with an adjusted niceness, which affects process scheduling.\nWith no COMMAND, print the current niceness.  \
     Niceness values range from\n-20 (most favorable to the process) to 19 (least favorable to the process).\n\nMandatory arguments \
     to long options are mandatory for short options too.",
    &[Opt::required(Flag::Adjustment, 'n', "adjustment", "N", "add integer N to the niceness (default 10)")],
)
.posix()
.fails_with(125);

/// The environment variable in which the niceness is handed on.
const NICENESS: &[u8] = b"_EXUVIA_NICENESS";

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let arguments = modernized(proc.arguments());
    let parsed = SPEC.parse(&arguments);
    let parsed = usage::accept(proc, parsed).await?;
    let current: i64 = proc
        .variable(NICENESS)
        .and_then(|text| std::str::from_utf8(text).ok()?.parse().ok())
        .unwrap_or(0);
    let given = parsed.last(Flag::Adjustment);
    let adjustment = match given {
        None => 10,
        Some(text) => match parse_adjustment(text) {
            Some(number) => number,
            None => {
                let message = [b"invalid adjustment ", &*quote(text)].concat();
                return Err(usage::fail(proc, 125, message).await);
            }
        },
    };
    if parsed.operands.is_empty() {
        if given.is_some() {
            let error = SPEC.complain("a command must be given with an adjustment");
            return Err(usage::refuse(proc, &error).await);
        }
        proc.write(format!("{current}\n").as_bytes()).await?;
        return Ok(0);
    }
    let mut niceness = (current + adjustment).clamp(-20, 19);
    if niceness < current && proc.user.uid != 0 {
        proc.warn("cannot set niceness: Permission denied").await?;
        niceness = current;
    }
    let mut environment = proc.environment.to_vec();
    environment.retain(|(name, _)| name != NICENESS);
    environment.push((NICENESS.to_vec(), niceness.to_string().into_bytes()));
    let command = parsed.operands.first().cloned().unwrap_or_default();
    match become_program(proc, parsed.operands, Some(environment)).await? {
        Ok(status) => Ok(status),
        Err(errno) => {
            proc.warn([&*quote(&command), b": ", errno.message().as_bytes()].concat())
                .await?;
            Ok(launch_status(errno))
        }
    }
}

/// The arguments with `-5` and `--5` of old, where an option may be, as `-n 5` and `-n -5`.
fn modernized(words: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut done = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let is_old = match word.as_slice() {
            [b'-', b'-' | b'+', digit, ..] | [b'-', digit, ..] => digit.is_ascii_digit(),
            _ => false,
        };
        if is_old {
            done.push(b"-n".to_vec());
            done.push(word.get(1..).unwrap_or_default().to_vec());
            continue;
        }
        done.push(word.clone());
        if word == b"--" || !word.starts_with(b"-") || word == b"-" {
            break;
        }
        if word == b"-n" || (word.starts_with(b"--") && !word.contains(&b'=')) {
            done.extend(rest.next().cloned());
        }
    }
    done.extend(rest.cloned());
    done
}

/// A whole number; one that is too large is as large as can be.
fn parse_adjustment(text: &[u8]) -> Option<i64> {
    let text = text.trim_ascii_start();
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        _ => (false, text),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let size = digits
        .iter()
        .fold(0_i64, |sum, digit| (sum * 10 + i64::from(digit - b'0')).min(39));
    Some(if negative { -size } else { size })
}
