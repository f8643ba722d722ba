//! `paste`: joins lines of files side by side, or with `-s` the lines of each file.
//!
//! Every `-` takes the next line of the one standard input.

use super::usage::Failure;
use super::{lines, usage};
use crate::args::{COREUTILS, Opt, Spec, UsageError};
use crate::fs::Errno;
use crate::kernel::{Input, Proc, Program, Stop};
use crate::text::escape;

/// The program.
pub const PROGRAM: Program = Program {
    name: "paste",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Delimiters,
    Serial,
    Zero,
}

static SPEC: Spec<Flag> = Spec::new(
    "paste",
    COREUTILS,
    &["[OPTION]... [FILE]..."],
    "Write lines consisting of the sequentially corresponding lines from\n\
     each FILE, separated by TABs, to standard output.\n\n\
     With no FILE, or when FILE is -, read standard input.",
    &[
        Opt::required(
            Flag::Delimiters,
            'd',
            "delimiters",
            "LIST",
            "reuse characters from LIST instead of TABs",
        ),
        Opt::flag(
            Flag::Serial,
            's',
            "serial",
            "paste one file at a time instead of in parallel",
        ),
        Opt::flag(
            Flag::Zero,
            'z',
            "zero-terminated",
            "line delimiter is NUL, not newline",
        ),
    ],
);

/// The delimiters in turn; `None` is the empty one, `\0`.
type Delimiters = Vec<Option<u8>>;

fn delimiters(list: &[u8]) -> Result<Delimiters, UsageError> {
    let mut result = Vec::new();
    let mut bytes = list.iter();
    while let Some(byte) = bytes.next() {
        if *byte != b'\\' {
            result.push(Some(*byte));
            continue;
        }
        let Some(&letter) = bytes.next() else {
            let message = [b"delimiter list ends with an unescaped backslash: ", list];
            return Err(UsageError::plain(1, message.concat()));
        };
        result.push(match letter {
            b'0' => None,
            // GNU's list knows all letters but this.
            b'a' => Some(b'a'),
            letter => Some(escape::letter(letter).unwrap_or(letter)),
        });
    }
    if result.is_empty() {
        result.push(None);
    }
    Ok(result)
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let list = parsed.last(Flag::Delimiters).unwrap_or(b"\t");
    let delimiters = usage::accept(proc, delimiters(list)).await?;
    let line_end = if parsed.has(Flag::Zero) { 0 } else { b'\n' };
    let paths = usage::operands_or_stdin(parsed.operands.clone());
    if parsed.has(Flag::Serial) {
        paste_serial(proc, &paths, &delimiters, line_end).await
    } else {
        paste_parallel(proc, &paths, &delimiters, line_end).await
    }
}

async fn paste_serial(
    proc: &mut Proc,
    paths: &[Vec<u8>],
    delimiters: &Delimiters,
    line_end: u8,
) -> Result<i32, Stop> {
    let mut status = 0;
    for path in paths {
        let Some(mut input) = usage::open_input(proc, path).await? else {
            status = 1;
            continue;
        };
        let done = join_lines(proc, &mut input, delimiters, line_end).await;
        let failed = usage::settle(done)?.err();
        proc.write(&[line_end]).await?;
        if let Some(errno) = failed {
            usage::warn_file(proc, path, errno).await?;
            status = 1;
        }
    }
    Ok(status)
}

async fn join_lines(
    proc: &mut Proc,
    input: &mut Input,
    delimiters: &Delimiters,
    line_end: u8,
) -> Result<(), Failure> {
    let mut turn = delimiters.iter().cycle();
    let mut first = true;
    loop {
        let block = lines::whole_lines(input, line_end).await?;
        if block.is_empty() {
            return Ok(());
        }
        for line in lines::split(block, line_end) {
            if !first {
                proc.out().extend(turn.next().copied().flatten());
            }
            first = false;
            proc.write(lines::text(line, line_end)).await?;
        }
    }
}

/// A file of a row of files.
struct Column {
    path: Vec<u8>,
    /// Where its lines come from; `None`: the shared standard input.
    input: Option<Input>,
    ended: bool,
}

async fn paste_parallel(
    proc: &mut Proc,
    paths: &[Vec<u8>],
    delimiters: &Delimiters,
    line_end: u8,
) -> Result<i32, Stop> {
    let mut stdin = None;
    let mut columns = Vec::with_capacity(paths.len());
    for path in paths {
        let shared = path == b"-";
        let mut input = None;
        if !shared || stdin.is_none() {
            let Some(opened) = usage::open_input(proc, path).await? else {
                return Ok(1);
            };
            *(if shared { &mut stdin } else { &mut input }) = Some(opened);
        }
        columns.push(Column {
            path: path.clone(),
            input,
            ended: false,
        });
    }
    let mut status = 0;
    let mut row = Vec::new();
    while columns.iter().any(|column| !column.ended) {
        row.clear();
        let mut turn = delimiters.iter().cycle();
        let mut any = false;
        for (index, column) in columns.iter_mut().enumerate() {
            if index > 0 {
                row.extend(turn.next().copied().flatten());
            }
            match next_line(column, &mut stdin, line_end, &mut row).await {
                Ok(found) => any |= found,
                Err(errno) => {
                    column.ended = true;
                    status = 1;
                    usage::warn_file(proc, &column.path, errno).await?;
                }
            }
        }
        if any {
            row.push(line_end);
            proc.write(&row).await?;
        }
    }
    Ok(status)
}

/// Appends the next line of a column to the row; whether there was one.
async fn next_line(
    column: &mut Column,
    stdin: &mut Option<Input>,
    line_end: u8,
    row: &mut Vec<u8>,
) -> Result<bool, Errno> {
    let Some(input) = column.input.as_mut().or(stdin.as_mut()).filter(|_| !column.ended) else {
        return Ok(false);
    };
    let Some(line) = input.line(line_end).await? else {
        column.ended = true;
        return Ok(false);
    };
    row.extend_from_slice(lines::text(line, line_end));
    Ok(true)
}
