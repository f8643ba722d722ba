//! `sed`: edits a stream of lines.
//!
//! [`scan`] and [`compile`] turn the script into a flat list of commands ([`script`]), [`input`] reads lines and edits in place,
//! [`output`] writes, [`execute`] runs. Behaviour is that of GNU sed 4.9.

mod compile;
mod escape;
mod execute;
mod input;
mod list;
mod output;
mod range;
mod scan;
mod script;
mod substitute;

use super::usage;
use crate::args::{Complaint, Opt, Parsed, SED, Spec};
use crate::kernel::{Input, Proc, Program, Stop, WriteFailure};
use compile::{Compiler, Dialect};
use execute::{Manner, Run};
use input::{InPlace, Lines};
use output::Outputs;
use scan::{ScriptError, Source};
use script::Script;

/// The program.
pub const PROGRAM: Program = Program {
    name: "sed",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Quiet,
    Expression,
    File,
    FollowSymlinks,
    InPlace,
    LineLength,
    Posix,
    Extended,
    Separate,
    Sandbox,
    Unbuffered,
    NullData,
    Binary,
}

static SPEC: Spec<Flag> = Spec::new(
    "sed",
    SED,
    &["[OPTION]... {script-only-if-no-other-script} [input-file]..."],
    "",
    &[
        Opt::flag(
            Flag::Quiet,
            'n',
            "quiet",
            "suppress automatic printing of pattern space",
        ),
        Opt::long(Flag::Quiet, "silent", ""),
        Opt::required(
            Flag::Expression,
            'e',
            "expression",
            "script",
            "add the script to the commands to be executed",
        ),
        Opt::required(
            Flag::File,
            'f',
            "file",
            "script-file",
            "add the contents of script-file to the commands to be executed",
        ),
        Opt::long(
            Flag::FollowSymlinks,
            "follow-symlinks",
            "follow symlinks when processing in place",
        ),
        Opt::optional(
            Flag::InPlace,
            'i',
            "in-place",
            "SUFFIX",
            "edit files in place (makes backup if SUFFIX supplied)",
        ),
        Opt::required(
            Flag::LineLength,
            'l',
            "line-length",
            "N",
            "specify the desired line-wrap length for the `l' command",
        ),
        Opt::long(Flag::Posix, "posix", "disable all GNU extensions."),
        Opt::flag(
            Flag::Extended,
            'E',
            "regexp-extended",
            "use extended regular expressions in the script\n(for portability use POSIX -E).",
        ),
        Opt::short(Flag::Extended, 'r', ""),
        Opt::long(
            Flag::Sandbox,
            "sandbox",
            "operate in sandbox mode (disable e/r/w commands).",
        ),
        Opt::flag(
            Flag::Separate,
            's',
            "separate",
            "consider files as separate rather than as a single,\ncontinuous long stream.",
        ),
        Opt::flag(
            Flag::Unbuffered,
            'u',
            "unbuffered",
            "load minimal amounts of data from the input files and flush\nthe output buffers more often",
        ),
        Opt::flag(
            Flag::NullData,
            'z',
            "null-data",
            "separate lines by NUL characters",
        ),
        Opt::long(Flag::NullData, "zero-terminated", ""),
        Opt::flag(Flag::Binary, 'b', "binary", ""),
    ],
)
.complains(Complaint::Help)
.own_help(include_str!("usage.txt"));

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    proc.write_failure = WriteFailure {
        status: 4,
        sentence: "couldn't flush stdout",
    };
    let parsed = usage::parse(proc, &SPEC).await?;
    let dialect = Dialect {
        extended: parsed.has(Flag::Extended),
        posix: parsed.has(Flag::Posix),
        sandbox: parsed.has(Flag::Sandbox),
        null_data: parsed.has(Flag::NullData),
    };
    let mut operands = parsed.operands.clone();
    let mut compiler = Compiler::new(dialect);
    if parsed.has(Flag::Expression) || parsed.has(Flag::File) {
        add_pieces(proc, &parsed, &mut compiler).await?;
    } else if operands.is_empty() {
        return Err(usage::refuse(proc, &SPEC.bare_usage()).await);
    } else {
        let script = operands.remove(0);
        let added = compiler.add(&script, Source::Expression(1));
        accept(proc, added).await?;
    }
    let finished = compiler.finish();
    let script = accept(proc, finished).await?;
    edit(proc, &parsed, dialect, &script, operands).await
}

async fn edit(
    proc: &mut Proc,
    parsed: &Parsed<Flag>,
    dialect: Dialect,
    script: &Script,
    operands: Vec<Vec<u8>>,
) -> Result<i32, Stop> {
    let manner = Manner {
        quiet: parsed.has(Flag::Quiet) || script.quiet,
        line_length: parsed.last(Flag::LineLength).map_or(70, leading_number),
        delimiter: if dialect.null_data { 0 } else { b'\n' },
        posix_next: dialect.posix || proc.variable(b"POSIXLY_CORRECT").is_some(),
    };
    let in_place = parsed.has(Flag::InPlace).then(|| InPlace {
        suffix: parsed
            .last(Flag::InPlace)
            .filter(|suffix| !suffix.is_empty())
            .map(<[u8]>::to_vec),
        follow_symlinks: parsed.has(Flag::FollowSymlinks),
    });
    if in_place.is_some() && operands.is_empty() {
        return Err(usage::fail(proc, 4, "no input files").await);
    }
    let separate = parsed.has(Flag::Separate) || in_place.is_some();
    let names = usage::operands_or_stdin(operands);
    let unbuffered = parsed.has(Flag::Unbuffered);
    let outputs = Outputs::open(proc, &script.outputs, manner.delimiter, unbuffered).await?;
    let lines = Lines::new(names, separate, in_place, manner.delimiter, unbuffered);
    Run::new(proc, script, &manner, lines, outputs).run().await
}

/// The pieces of `-e` and `-f`, in order.
async fn add_pieces(proc: &mut Proc, parsed: &Parsed<Flag>, compiler: &mut Compiler) -> Result<(), Stop> {
    let mut expressions = 0;
    for (flag, value) in &parsed.options {
        let value = value.clone().unwrap_or_default();
        let added = match flag {
            Flag::Expression => {
                expressions += 1;
                compiler.add(&value, Source::Expression(expressions))
            }
            Flag::File => {
                let text = script_file(proc, &value).await?;
                compiler.add(&text, Source::File(value))
            }
            _ => Ok(()),
        };
        accept(proc, added).await?;
    }
    Ok(())
}

async fn script_file(proc: &mut Proc, name: &[u8]) -> Result<Vec<u8>, Stop> {
    let mut lease = proc.kernel.lease();
    let opened = if name == b"-" || name == b"/dev/stdin" {
        proc.stdin()
    } else {
        proc.open(name, crate::fs::OpenFlags::READ).await
    };
    match opened {
        // What cannot be read, such as a directory, is an empty script.
        Ok(file) => Ok(Input::new(file).rest(&mut lease).await.unwrap_or_default()),
        Err(errno) => {
            let message = [b"couldn't open file ", name, b": ", errno.message().as_bytes()].concat();
            Err(usage::fail(proc, 4, message).await)
        }
    }
}

async fn accept<T>(proc: &mut Proc, result: Result<T, ScriptError>) -> Result<T, Stop> {
    match result {
        Ok(value) => Ok(value),
        Err(error) => Err(usage::fail(proc, error.status, error.message).await),
    }
}

/// `atoi`.
fn leading_number(text: &[u8]) -> usize {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0usize, |sum, digit| {
        sum.saturating_mul(10).saturating_add(usize::from(digit - b'0'))
    })
}
