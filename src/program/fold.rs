//! `fold`: breaks lines that are too long. Columns are bytes, as in GNU fold.

use super::numbers;
use super::usage::{self, Failure};
use crate::args::{COREUTILS, Opt, Parsed, Spec};
use crate::kernel::{Input, Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "fold",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Bytes,
    Spaces,
    Width,
}

static SPEC: Spec<Flag> = Spec::new(
    "fold",
    COREUTILS,
    &["[OPTION]... [FILE]..."],
    "Wrap input lines in each FILE, writing to standard output.\n\n\
     With no FILE, or when FILE is -, read standard input.",
    &[
        Opt::flag(Flag::Bytes, 'b', "bytes", "count bytes rather than columns"),
        Opt::flag(Flag::Spaces, 's', "spaces", "break at spaces"),
        Opt::required(
            Flag::Width,
            'w',
            "width",
            "WIDTH",
            "use WIDTH columns instead of 80",
        ),
    ],
);

struct Plan {
    bytes: bool,
    spaces: bool,
    width: u64,
}

/// The obsolete `-N` written as `-wN`; as the value of another option it stays.
pub(super) fn modernized(arguments: &[Vec<u8>], letter: u8) -> Vec<Vec<u8>> {
    let mut result: Vec<Vec<u8>> = Vec::with_capacity(arguments.len());
    let mut ended = false;
    for word in arguments {
        let is_value = result.last().is_some_and(|before| {
            before.len() > 1
                && before.starts_with(b"-")
                && !before.starts_with(b"--")
                && before.ends_with(&[letter])
        });
        ended |= word == b"--";
        match word.split_first() {
            Some((b'-', digits)) if !ended && !is_value && digits.first().is_some_and(u8::is_ascii_digit) => {
                result.push([&[b'-', letter], digits].concat());
            }
            _ => result.push(word.clone()),
        }
    }
    result
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = SPEC.parse(&modernized(proc.arguments(), b'w'));
    let parsed: Parsed<Flag> = usage::accept(proc, parsed).await?;
    let mut width = 80;
    for (flag, value) in &parsed.options {
        if let (Flag::Width, Some(text)) = (flag, value) {
            let bounds = (1, u64::MAX - 9);
            let number = numbers::unsigned(text, "", bounds, "invalid number of columns");
            width = usage::accept(proc, number).await?;
        }
    }
    let plan = Plan {
        bytes: parsed.has(Flag::Bytes),
        spaces: parsed.has(Flag::Spaces),
        width,
    };
    let mut status = 0;
    for path in usage::operands_or_stdin(parsed.operands) {
        let Some(mut input) = usage::open_input(proc, &path).await? else {
            status = 1;
            continue;
        };
        let done = fold(proc, &mut input, &plan).await;
        if let Err(errno) = usage::settle(done)? {
            usage::warn_file(proc, &path, errno).await?;
            status = 1;
        }
    }
    Ok(status)
}

impl Plan {
    /// Where the column is behind a byte.
    fn advance(&self, column: u64, byte: u8) -> u64 {
        match byte {
            _ if self.bytes => column + 1,
            8 => column.saturating_sub(1),
            b'\r' => 0,
            b'\t' => column + 8 - column % 8,
            _ => column + 1,
        }
    }
}

async fn fold(proc: &mut Proc, input: &mut Input, plan: &Plan) -> Result<(), Failure> {
    let mut lease = proc.kernel.lease();
    // The output line so far, and its column.
    let mut line: Vec<u8> = Vec::new();
    let mut column = 0;
    loop {
        let block = input.block().await?;
        if block.is_empty() {
            proc.write(&line).await?;
            return Ok(());
        }
        for byte in block {
            if *byte == b'\n' {
                line.push(b'\n');
                proc.write(&line).await?;
                line.clear();
                column = 0;
                continue;
            }
            column = plan.advance(column, *byte);
            while column > plan.width && !line.is_empty() {
                let blank = line.iter().rposition(|byte| matches!(byte, b' ' | b'\t'));
                let cut = blank.filter(|_| plan.spaces).map_or(line.len(), |at| at + 1);
                proc.out().extend(line.drain(..cut));
                proc.out().push(b'\n');
                proc.flush_if_full().await?;
                column = line.iter().fold(0, |column, byte| plan.advance(column, *byte));
                column = plan.advance(column, *byte);
            }
            line.push(*byte);
        }
        lease.resize(line.len())?;
    }
}
