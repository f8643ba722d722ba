//! `tr`: translates, squeezes and deletes bytes.
//!
//! [`set`] reads the two sets, [`plan`] checks them against each other and makes tables of 256 entries; here the tables are applied
//! to blocks.

mod plan;
mod set;

use super::usage::{self, Failure};
use crate::args::{COREUTILS, Opt, Spec};
use crate::kernel::{Input, Proc, Program, Stop};
use plan::Plan;

/// The program.
pub const PROGRAM: Program = Program {
    name: "tr",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Flag {
    Complement,
    Delete,
    Squeeze,
    Truncate,
}

static SPEC: Spec<Flag> = Spec::new(
    "tr",
    COREUTILS,
    &["[OPTION]... STRING1 [STRING2]"],
    "Translate, squeeze, and/or delete characters from standard input,\nwriting to standard output.\n",
    &[
        Opt::flag(
            Flag::Complement,
            'c',
            "complement",
            "use the complement of STRING1",
        ),
        Opt::short(Flag::Complement, 'C', ""),
        Opt::flag(
            Flag::Delete,
            'd',
            "delete",
            "delete characters in STRING1, do not translate",
        ),
        Opt::flag(
            Flag::Squeeze,
            's',
            "squeeze-repeats",
            "replace each sequence of a repeated character\nthat is listed in the last specified SET,\n\
             with a single occurrence of that character",
        ),
        Opt::flag(
            Flag::Truncate,
            't',
            "truncate-set1",
            "first truncate STRING1 to length of STRING2",
        ),
    ],
)
.posix()
.notes(
    "SETs are specified as strings of characters.  Most represent themselves.\n\
     Interpreted sequences are:\n\n\
     \x20 \\NNN            character with octal value NNN (1 to 3 octal digits)\n\
     \x20 \\\\              backslash\n\
     \x20 \\a              audible BEL\n\
     \x20 \\b              backspace\n\
     \x20 \\f              form feed\n\
     \x20 \\n              new line\n\
     \x20 \\r              return\n\
     \x20 \\t              horizontal tab\n\
     \x20 \\v              vertical tab\n\
     \x20 CHAR1-CHAR2     all characters from CHAR1 to CHAR2 in ascending order\n\
     \x20 [CHAR*]         in STRING2, copies of CHAR until length of STRING1\n\
     \x20 [CHAR*REPEAT]   REPEAT copies of CHAR, REPEAT octal if starting with 0\n\
     \x20 [:CLASS:]       all characters of a class: alnum, alpha, blank, cntrl, digit,\n\
     \x20                 graph, lower, print, punct, space, upper or xdigit\n\
     \x20 [=CHAR=]        all characters which are equivalent to CHAR\n\n\
     Translation occurs if -d is not given and both STRING1 and STRING2 appear.",
);

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let mut warnings = Vec::new();
    let sets: usize = parsed.operands.iter().map(Vec::len).sum();
    proc.charge(sets as u64 * 8)?;
    let plan = Plan::from_arguments(&parsed, &mut warnings);
    for warning in warnings {
        proc.warn(warning).await?;
    }
    let plan = usage::accept(proc, plan).await?;
    let mut input = match proc.stdin() {
        Ok(file) => Input::new(file),
        Err(errno) => return Err(usage::fail(proc, 1, format!("read error: {errno}")).await),
    };
    let done = filter(proc, &mut input, &plan).await;
    match usage::settle(done)? {
        Ok(()) => Ok(0),
        Err(errno) => Err(usage::fail(proc, 1, format!("read error: {errno}")).await),
    }
}

async fn filter(proc: &mut Proc, input: &mut Input, plan: &Plan) -> Result<(), Failure> {
    let mut last = None;
    loop {
        let block = input.block().await?;
        if block.is_empty() {
            return Ok(());
        }
        let out = proc.out();
        let start = out.len();
        match &plan.delete {
            Some(delete) => out.extend(block.iter().copied().filter(|byte| !delete.has(*byte))),
            None => out.extend(block.iter().map(|byte| plan.translate.to(*byte))),
        }
        if let Some(squeeze) = &plan.squeeze {
            squeeze_repeats(out, start, squeeze, &mut last);
        }
        proc.flush_if_full().await?;
    }
}

/// Leaves out what repeats the byte before it, behind `start`.
fn squeeze_repeats(out: &mut Vec<u8>, start: usize, squeeze: &plan::Members, last: &mut Option<u8>) {
    let mut kept = start;
    for at in start..out.len() {
        let Some(byte) = out.get(at).copied() else { break };
        if *last == Some(byte) && squeeze.has(byte) {
            continue;
        }
        *last = Some(byte);
        if let Some(slot) = out.get_mut(kept) {
            *slot = byte;
        }
        kept += 1;
    }
    out.truncate(kept);
}
