//! `head`: the first part of files, or all but the last.
//!
//! What is read beyond the last line is given back to a seekable file; bytes are never read beyond the last. For all but
//! the last N the end is held back in [`Blocks`].

use super::blocks::{Blocks, Unit};
use super::usage::{self, Failure};
use crate::args::{COREUTILS, CountError, Opt, Parsed, Spec, UsageError, parse_count};
use crate::kernel::{Input, Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "head",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Bytes,
    Lines,
    Quiet,
    Verbose,
    Zero,
    PresumePipe,
    Digit,
}

static SPEC: Spec<Flag> = Spec::new(
    "head",
    COREUTILS,
    &["[OPTION]... [FILE]..."],
    "Print the first 10 lines of each FILE to standard output.\n\
     With more than one FILE, precede each with a header giving the file name.\n\n\
     With no FILE, or when FILE is -, read standard input.",
    &[
        Opt::required(Flag::Bytes, 'c', "bytes", "[-]NUM", "print the first NUM bytes of each file;\nwith the leading '-', print all but the last\nNUM bytes of each file"),
        Opt::required(Flag::Lines, 'n', "lines", "[-]NUM", "print the first NUM lines instead of the first 10;\nwith the leading '-', print all but the last\nNUM lines of each file"),
        Opt::flag(Flag::Quiet, 'q', "quiet", "never print headers giving file names"),
        Opt::long(Flag::Quiet, "silent", ""),
        Opt::flag(Flag::Verbose, 'v', "verbose", "always print headers giving file names"),
        Opt::flag(Flag::Zero, 'z', "zero-terminated", "line delimiter is NUL, not newline"),
        Opt { help: "", ..Opt::long(Flag::PresumePipe, "-presume-input-pipe", "") },
        Opt { help: "", ..Opt::digits(Flag::Digit, "") },
    ],
)
.notes(
    "NUM may have a multiplier suffix:\nb 512, kB 1000, K 1024, MB 1000*1000, M 1024*1024,\n\
     GB 1000*1000*1000, G 1024*1024*1024, and so on for T, P, E, Z, Y.\n\
     Binary prefixes can be used, too: KiB=K, MiB=M, and so on.",
);

#[derive(Debug)]
struct Plan {
    count: u64,
    all_but: bool,
    lines: bool,
    delimiter: u8,
    /// `None`: headers when there is more than one file.
    headers: Option<bool>,
}

impl Plan {
    fn unit(&self) -> Unit {
        if self.lines {
            Unit::Lines(self.delimiter)
        } else {
            Unit::Bytes
        }
    }

    fn set(&mut self, flag: Flag, value: &[u8]) -> Result<(), UsageError> {
        match flag {
            Flag::Bytes | Flag::Lines => {
                self.lines = flag == Flag::Lines;
                let digits = value.strip_prefix(b"-");
                self.all_but = digits.is_some();
                self.count = count(digits.unwrap_or(value), self.lines)?;
                if self.all_but && !self.lines && i64::try_from(self.count).is_err() {
                    return Err(too_large(digits.unwrap_or(value), self.lines));
                }
            }
            Flag::Quiet => self.headers = Some(false),
            Flag::Verbose => self.headers = Some(true),
            Flag::Zero => self.delimiter = 0,
            Flag::PresumePipe => {}
            Flag::Digit => return Err(invalid_trailing(value)),
        }
        Ok(())
    }

    /// The obsolete first argument `-5`, `-5c`, `-5qz`, …: whether it is one.
    fn set_obsolete(&mut self, argument: &[u8]) -> Result<bool, UsageError> {
        let Some(text) = argument.strip_prefix(b"-") else {
            return Ok(false);
        };
        let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if length == 0 {
            return Ok(false);
        }
        let (digits, letters) = text.split_at_checked(length).unwrap_or_default();
        let mut number = digits.to_vec();
        for letter in letters {
            match letter {
                b'c' | b'b' | b'k' | b'm' => {
                    self.lines = false;
                    number.truncate(length);
                    number.extend((*letter != b'c').then_some(*letter));
                }
                b'l' => self.lines = true,
                b'q' => self.headers = Some(false),
                b'v' => self.headers = Some(true),
                b'z' => self.delimiter = 0,
                _ => return Err(invalid_trailing(&[*letter])),
            }
        }
        self.count = count(&number, self.lines)?;
        Ok(true)
    }

    fn from_arguments(arguments: &[Vec<u8>]) -> Result<(Plan, Vec<Vec<u8>>), UsageError> {
        let mut plan = Plan {
            count: 10,
            all_but: false,
            lines: true,
            delimiter: b'\n',
            headers: None,
        };
        let mut rest = arguments;
        if let Some((first, others)) = arguments.split_first()
            && plan.set_obsolete(first)?
        {
            rest = others;
        }
        let Parsed { options, operands } = SPEC.parse(rest)?;
        for (flag, value) in options {
            plan.set(flag, value.as_deref().unwrap_or_default())?;
        }
        Ok((plan, usage::operands_or_stdin(operands)))
    }
}

fn invalid_trailing(letter: &[u8]) -> UsageError {
    SPEC.complain([b"invalid trailing option -- ", letter].concat())
}

fn sentence(lines: bool) -> &'static str {
    if lines {
        "invalid number of lines:"
    } else {
        "invalid number of bytes:"
    }
}

fn too_large(text: &[u8], lines: bool) -> UsageError {
    let message = [
        sentence(lines).as_bytes(),
        b" ",
        &crate::args::quote(text),
        b": Value too large for defined data type",
    ];
    UsageError::plain(1, message.concat())
}

fn count(text: &[u8], lines: bool) -> Result<u64, UsageError> {
    parse_count(text, "bkKmMGTPEZY0").map_err(|error| match error {
        CountError::Invalid => SPEC.invalid(sentence(lines), text),
        CountError::Overflow => too_large(text, lines),
    })
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let plan = Plan::from_arguments(proc.arguments());
    let (plan, paths) = usage::accept(proc, plan).await?;
    let headers = plan.headers.unwrap_or(paths.len() > 1);
    let mut status = 0;
    let mut first = true;
    for path in paths {
        let name = if path == b"-" {
            b"standard input".as_slice()
        } else {
            &path
        };
        let file = match proc.open_operand(&path).await {
            Ok(file) => file,
            Err(errno) => {
                status = 1;
                usage::warn_about(proc, "cannot open", name, &format!(" for reading: {errno}")).await?;
                continue;
            }
        };
        if headers {
            let blank = if first { b"".as_slice() } else { b"\n" };
            proc.write(&[blank, b"==> ", name, b" <==\n"].concat()).await?;
            first = false;
        }
        let done = show(proc, Input::new(file), &plan).await;
        if let Err(errno) = usage::settle(done)? {
            status = 1;
            usage::warn_about(proc, "error reading", name, &format!(": {errno}")).await?;
        }
    }
    Ok(status)
}

async fn show(proc: &mut Proc, mut input: Input, plan: &Plan) -> Result<(), Failure> {
    match (plan.all_but, plan.lines) {
        (true, _) => show_all_but(proc, &mut input, plan).await,
        (false, true) => show_lines(proc, &mut input, plan).await,
        (false, false) => show_bytes(proc, &input, plan.count).await,
    }
}

async fn show_bytes(proc: &mut Proc, input: &Input, count: u64) -> Result<(), Failure> {
    let mut left = count;
    while left > 0 {
        let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(64 << 10);
        let taken = input.file().read(proc.out(), wanted).await?;
        if taken == 0 {
            break;
        }
        left -= taken as u64;
        proc.flush_if_full().await?;
    }
    Ok(())
}

async fn show_lines(proc: &mut Proc, input: &mut Input, plan: &Plan) -> Result<(), Failure> {
    let mut left = plan.count;
    while left > 0 && input.fill().await? {
        let block = input.buffered();
        let end = plan.unit().offset_behind(block, left);
        let shown = block.get(..end).unwrap_or_default();
        left -= memchr::memchr_iter(plan.delimiter, shown).count() as u64;
        proc.write(shown).await?;
        input.consume(end);
    }
    input.give_back();
    Ok(())
}

async fn show_all_but(proc: &mut Proc, input: &mut Input, plan: &Plan) -> Result<(), Failure> {
    let mut blocks = Blocks::new(&proc.kernel, plan.unit(), plan.count);
    let (begin, mut printed) = (input.file().offset(), 0);
    loop {
        let block = input.block().await?;
        if block.is_empty() {
            break;
        }
        blocks.push(block)?;
        while let Some(shown) = blocks.pop_excess() {
            printed += shown.len();
            proc.write(&shown).await?;
        }
    }
    blocks.end();
    while let Some(shown) = blocks.pop_excess() {
        printed += shown.len();
        proc.write(&shown).await?;
    }
    let end = blocks.split();
    if let Some(last) = blocks.pop() {
        let shown = last.get(..end).unwrap_or_default();
        printed += shown.len();
        proc.write(shown).await?;
    }
    // Others who share the descriptor go on behind what was printed.
    if input.file().is_seekable() {
        input.file().seek(begin + printed as u64)?;
    }
    Ok(())
}
