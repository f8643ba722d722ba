//! `strings`: the printable parts of files. Behaviour is that of GNU binutils 2.40.
//!
//! Files are scanned whole, which is what `-a` says; the encodings are bytes of 7 and of 8 bits (`-e s`, `-e S`), the others and `-d`, `-T`,
//! `-U` are refused.

use super::message::message;
use super::usage::{self, Failure};
use crate::args::{Complaint, Opt, Outcome, Package, Parsed, Spec};
use crate::fs::{Errno, FileKind, Follow};
use crate::kernel::{Input, Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "strings",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Flag {
    All,
    Bytes,
    Digit,
    Encoding,
    FileName,
    Octal,
    Radix,
    Separator,
    WhiteSpace,
}

static SPEC: Spec<Flag> = Spec::new(
    "strings",
    Package::Line("GNU strings (GNU Binutils for Debian) 2.40"),
    &["[option(s)] [file(s)]"],
    "",
    &[
        Opt::flag(Flag::All, 'a', "all", ""),
        Opt::flag(Flag::FileName, 'f', "print-file-name", ""),
        Opt::required(Flag::Bytes, 'n', "bytes", "number", ""),
        Opt::digits(Flag::Digit, ""),
        Opt::required(Flag::Radix, 't', "radix", "{o,d,x}", ""),
        Opt::short(Flag::Octal, 'o', ""),
        Opt::flag(Flag::WhiteSpace, 'w', "include-all-whitespace", ""),
        Opt::required(Flag::Encoding, 'e', "encoding", "{s,S}", ""),
        Opt::required(Flag::Separator, 's', "output-separator", "string", ""),
    ],
)
.own_help(HELP)
.complains(Complaint::Help)
.help_letter('h')
.version_letter('V');

const HELP: &str = "\
Usage: {name} [option(s)] [file(s)]
 Display printable strings in [file(s)] (stdin by default)
 The options are:
  -a - --all                Scan the entire file, not just the data section [default]
  -f --print-file-name      Print the name of the file before each string
  -n <number>               Locate & print any sequence of at least <number>
    --bytes=<number>         displayable characters.  (The default is 4).
  -t --radix={o,d,x}        Print the location of the string in base 8, 10 or 16
  -w --include-all-whitespace Include all whitespace as valid string characters
  -o                        An alias for --radix=o
  -e --encoding={s,S}       Select character size: s = 7-bit, S = 8-bit
  -s --output-separator=<string> String used to separate strings in output.
  -h --help                 Display this information
  -v -V --version           Print the program's version number
Report bugs to <https://sourceware.org/bugzilla/>
";

/// How positions are written.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Radix {
    Octal,
    Decimal,
    Hexadecimal,
}

struct Plan {
    least: usize,
    radix: Option<Radix>,
    names: bool,
    eight_bits: bool,
    white_space: bool,
    separator: Vec<u8>,
    paths: Vec<Vec<u8>>,
}

/// A value that cannot be used: a sentence, or none for the usage.
fn plan(parsed: Parsed<Flag>) -> Result<Plan, Option<Vec<u8>>> {
    let mut plan = Plan {
        least: 4,
        radix: None,
        names: parsed.has(Flag::FileName),
        eight_bits: false,
        white_space: parsed.has(Flag::WhiteSpace),
        separator: b"\n".to_vec(),
        paths: Vec::new(),
    };
    let mut digits: Vec<u8> = Vec::new();
    for (flag, value) in parsed.options {
        let text = value.unwrap_or_default();
        match flag {
            Flag::Bytes => plan.least = count(&text)?,
            Flag::Digit => digits.extend_from_slice(&text),
            Flag::Octal => plan.radix = Some(Radix::Octal),
            Flag::Radix => {
                plan.radix = Some(match text.as_slice() {
                    b"o" => Radix::Octal,
                    b"d" => Radix::Decimal,
                    b"x" => Radix::Hexadecimal,
                    _ => return Err(None),
                });
            }
            Flag::Encoding => {
                plan.eight_bits = match text.as_slice() {
                    b"s" => false,
                    b"S" => true,
                    _ => return Err(None),
                }
            }
            Flag::Separator => plan.separator = text,
            Flag::All | Flag::FileName | Flag::WhiteSpace => {}
        }
    }
    if !digits.is_empty() {
        plan.least = count(&digits)?;
    }
    plan.paths = parsed.operands;
    Ok(plan)
}

fn count(text: &[u8]) -> Result<usize, Option<Vec<u8>>> {
    let value = std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse::<i64>().ok());
    match value {
        None => Err(Some(message!("invalid integer argument ", text))),
        Some(..=0) => Err(Some(message!("invalid minimum string length ", text))),
        Some(value) => Ok(value as usize),
    }
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = match SPEC.parse(proc.arguments()) {
        Err(error) if error.outcome == Outcome::Output => return Err(usage::refuse(proc, &error).await),
        parsed => usage::accept(proc, parsed).await?,
    };
    let plan = match plan(parsed) {
        Ok(plan) => plan,
        Err(Some(sentence)) => return Err(usage::fail(proc, 1, sentence).await),
        Err(None) => return Err(usage::refuse(proc, &SPEC.help().with_status(1)).await),
    };
    if plan.paths.is_empty() {
        let Ok(file) = proc.stdin() else { return Ok(1) };
        let done = scan(proc, &plan, b"{standard input}", &mut Input::new(file)).await;
        return Ok(i32::from(usage::settle(done)?.is_err()));
    }
    let mut status = 0;
    for path in &plan.paths {
        // A lone dash says what `-a` does.
        if path != b"-" {
            status |= file(proc, &plan, path).await?;
        }
    }
    Ok(status)
}

async fn file(proc: &mut Proc, plan: &Plan, path: &[u8]) -> Result<i32, Stop> {
    let done = match proc.metadata(path, Follow::Yes) {
        Ok(found) if found.kind == FileKind::Directory => {
            proc.warn(message!("Warning: '", path, "' is a directory"))
                .await?;
            return Ok(1);
        }
        Ok(_) => match proc.open(path, crate::fs::OpenFlags::READ).await {
            Ok(file) => usage::settle(scan(proc, plan, path, &mut Input::new(file)).await)?,
            Err(errno) => Err(errno),
        },
        Err(errno) => Err(errno),
    };
    let Err(errno) = done else { return Ok(0) };
    let sentence = match errno {
        Errno::ENOENT => message!("'", path, "': No such file"),
        errno => message!(path, ": ", errno.message()),
    };
    proc.warn(sentence).await?;
    Ok(1)
}

impl Plan {
    fn is_text(&self, byte: u8) -> bool {
        match byte {
            b'\t' | b' '..=b'~' => true,
            b'\n' | 11..=b'\r' => self.white_space,
            128.. => self.eight_bits,
            _ => false,
        }
    }
}

async fn scan(proc: &mut Proc, plan: &Plan, name: &[u8], input: &mut Input) -> Result<(), Failure> {
    let mut lease = proc.kernel.lease();
    let mut found: Vec<u8> = Vec::new();
    let mut offset = 0;
    loop {
        proc.kernel.breathe().await;
        let block = input.block().await?.to_vec();
        proc.charge(block.len() as u64 / 8)?;
        if block.is_empty() {
            return Ok(show(proc, plan, name, &found, offset).await?);
        }
        for byte in block {
            if plan.is_text(byte) {
                found.push(byte);
            } else {
                show(proc, plan, name, &found, offset).await?;
                found.clear();
            }
            offset += 1;
        }
        lease.resize(found.len())?;
    }
}

/// Prints what was found before `end`, when it is long enough.
async fn show(proc: &mut Proc, plan: &Plan, name: &[u8], found: &[u8], end: u64) -> Result<(), Stop> {
    if found.len() < plan.least {
        return Ok(());
    }
    let mut line = Vec::new();
    if plan.names {
        line.extend(message!(name, ": "));
    }
    let start = end - found.len() as u64;
    line.extend_from_slice(
        match plan.radix {
            None => String::new(),
            Some(Radix::Octal) => format!("{start:7o} "),
            Some(Radix::Decimal) => format!("{start:7} "),
            Some(Radix::Hexadecimal) => format!("{start:7x} "),
        }
        .as_bytes(),
    );
    line.extend_from_slice(found);
    line.extend_from_slice(&plan.separator);
    proc.write(&line).await
}
