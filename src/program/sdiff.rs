//! `sdiff`: differences side by side, which `diff -y` prints. Merging with `-o` is refused.
//!
//! Tests: `corpus/cases/program/sdiff.case`.

use super::launch::become_program;
use super::message::message;
use super::usage;
use crate::args::{Complaint, DIFFUTILS, Opt, Spec, UsageError};
use crate::kernel::{Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "sdiff",
    run: |proc| Box::pin(run(proc)),
};

/// What is handed on to diff, and what is not.
#[derive(Clone, Copy, PartialEq)]
enum Flag {
    /// As this option.
    Plain(&'static str),
    /// As this option with the value behind it.
    Valued(&'static str),
    Suppress,
    Output,
    Program,
}

static SPEC: Spec<Flag> = Spec::new(
    "sdiff",
    DIFFUTILS,
    &["[OPTION]... FILE1 FILE2"],
    "",
    &[
        Opt::required(Flag::Output, 'o', "output", "FILE", ""),
        Opt::flag(Flag::Plain("-i"), 'i', "ignore-case", ""),
        Opt::flag(Flag::Plain("-E"), 'E', "ignore-tab-expansion", ""),
        Opt::flag(Flag::Plain("-Z"), 'Z', "ignore-trailing-space", ""),
        Opt::flag(Flag::Plain("-b"), 'b', "ignore-space-change", ""),
        Opt::flag(Flag::Plain("-w"), 'W', "ignore-all-space", ""),
        Opt::flag(Flag::Plain("-B"), 'B', "ignore-blank-lines", ""),
        Opt::required(Flag::Valued("-I"), 'I', "ignore-matching-lines", "RE", ""),
        Opt::long(Flag::Plain("--strip-trailing-cr"), "strip-trailing-cr", ""),
        Opt::flag(Flag::Plain("-a"), 'a', "text", ""),
        Opt::required(Flag::Valued("-W"), 'w', "width", "NUM", ""),
        Opt::flag(Flag::Plain("--left-column"), 'l', "left-column", ""),
        Opt::flag(Flag::Suppress, 's', "suppress-common-lines", ""),
        Opt::flag(Flag::Plain("-t"), 't', "expand-tabs", ""),
        Opt::long(Flag::Valued("--tabsize"), "tabsize", "").takes("NUM"),
        Opt::flag(Flag::Plain("-d"), 'd', "minimal", ""),
        Opt::flag(Flag::Plain("-H"), 'H', "speed-large-files", ""),
        Opt::long(Flag::Program, "diff-program", "").takes("PROGRAM"),
    ],
)
.fails_with(2)
.complains(Complaint::NamedTry)
.version_letter('v')
.long_order(&["speed-large-files", "strip-trailing-cr", "suppress-common-lines"])
.own_help(include_str!("sdiff_help.txt"));

fn arguments(arguments: &[Vec<u8>], called: &[u8]) -> Result<Vec<Vec<u8>>, UsageError> {
    let parsed = SPEC.parse(arguments)?;
    let [_, _] = parsed.operands.as_slice() else {
        return Err(SPEC.complain(match parsed.operands.get(2) {
            Some(extra) => message!("extra operand '", extra, "'"),
            None => message!(
                "missing operand after '",
                arguments.last().map_or(called, Vec::as_slice),
                "'"
            ),
        }));
    };
    if parsed.has(Flag::Output) {
        return Err(SPEC.complain("merging with -o is not supported"));
    }
    let program = parsed.last(Flag::Program).unwrap_or(b"diff").to_vec();
    let mut words = vec![program];
    for (flag, value) in &parsed.options {
        match flag {
            Flag::Plain(option) => words.push(option.as_bytes().to_vec()),
            Flag::Valued(option) => {
                words.push(option.as_bytes().to_vec());
                words.extend(value.clone());
            }
            Flag::Suppress | Flag::Output | Flag::Program => {}
        }
    }
    if parsed.has(Flag::Suppress) {
        words.push(b"--suppress-common-lines".to_vec());
    }
    words.extend([b"-y".to_vec(), b"--".to_vec()]);
    words.extend(parsed.operands);
    Ok(words)
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let words = arguments(proc.arguments(), proc.name());
    let words = usage::accept(proc, words).await?;
    let program = words.first().cloned().unwrap_or_default();
    match become_program(proc, words, None).await? {
        Ok(status) => Ok(status),
        Err(errno) => {
            // Unlike other programs that run one, it has one status for all trouble.
            Err(usage::fail(proc, 2, message!(program, ": ", errno.message())).await)
        }
    }
}
