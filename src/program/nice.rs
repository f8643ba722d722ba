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
    let arguments: Vec<Vec<u8>> = proc.arguments().iter().map(|word| obsolete(word)).collect();
    let parsed = SPEC.parse(&arguments);
    let parsed = usage::accept(proc, parsed).await?;
    let current: i64 = proc
        .variable(NICENESS)
        .and_then(|text| std::str::from_utf8(text).ok()?.parse().ok())
        .unwrap_or(0);
    let given = parsed.last(Flag::Adjustment);
    let adjustment = match given {
        None => 10,
        Some(text) => match std::str::from_utf8(text)
            .ok()
            .and_then(|text| text.trim_start().parse::<i64>().ok())
        {
            Some(number) => number.clamp(-39, 39),
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
    let niceness = (current + adjustment).clamp(-20, 19);
    let mut environment = proc.environment.as_ref().clone();
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

/// `-5` and `--5` of old are `-n 5` and `-n -5`.
fn obsolete(word: &[u8]) -> Vec<u8> {
    let number = match word {
        [b'-', sign @ (b'-' | b'+'), digits @ ..] if !digits.is_empty() => (Some(*sign), digits),
        [b'-', digits @ ..] if !digits.is_empty() => (None, digits),
        _ => return word.to_vec(),
    };
    if !number.1.iter().all(u8::is_ascii_digit) {
        return word.to_vec();
    }
    let sign = if number.0 == Some(b'-') { &b"-"[..] } else { b"" };
    [b"-n", sign, number.1].concat()
}
