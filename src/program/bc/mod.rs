//! `bc`: a language for calculations with any number of digits. Behaviour is that of GNU bc 1.07.1.
//!
//! [`source`] reads text, [`lexer`], [`parser`] and [`expression`] turn an item of it into [`code`], and [`machine`] runs that before the
//! next item is read. Numbers are [`decimal`](super::decimal). GNU bc waits for ever in a `read()` behind the end of its input; here the
//! program ends with a message. The interactive mode is refused.

mod code;
mod diagnostic;
mod expression;
mod lexer;
mod library;
mod machine;
mod notice;
mod parser;
mod random;
mod source;

use self::code::Symbols;
use self::diagnostic::{Diagnostics, Strictness};
use self::lexer::Lexer;
use self::machine::{Event, Machine};
use self::parser::{Fail, Item, Parser};
use self::source::{Source, SourceError};
use super::decimal::base::digit_value;
use super::message::message;
use super::usage;
use crate::args::{Complaint, Opt, Outcome, Package, Parsed, Spec};
use crate::kernel::{Input, Proc, Program, Stop};
use crate::program::decimal::printer::Printer;

/// The program.
pub const PROGRAM: Program = Program {
    name: "bc",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Flag {
    Library,
    Quiet,
    Standard,
    Warn,
}

/// `--help`, which follows a complaint too, on standard output.
const HELP: &str = "\
usage: bc [options] [file ...]
  -h  --help         print this usage and exit
  -i  --interactive  force interactive mode
  -l  --mathlib      use the predefined math routines
  -q  --quiet        don't print initial banner
  -s  --standard     non-standard bc constructs are errors
  -w  --warn         warn about non-standard bc constructs
  -v  --version      print version information and exit
";

static SPEC: Spec<Flag> = Spec::new(
    "bc",
    Package::Line(
        "bc 1.07.1\nCopyright 1991-1994, 1997, 1998, 2000, 2004, 2006, 2008, 2012-2017 Free Software Foundation, Inc.",
    ),
    &["[options] [file ...]"],
    "",
    &[
        Opt::flag(Flag::Library, 'l', "mathlib", "use the predefined math routines"),
        Opt::flag(Flag::Quiet, 'q', "quiet", "don't print initial banner"),
        Opt::flag(Flag::Standard, 's', "standard", "non-standard bc constructs are errors"),
        Opt::flag(Flag::Warn, 'w', "warn", "warn about non-standard bc constructs"),
    ],
)
.own_help(HELP)
.complains(Complaint::Silent)
.help_letter('h')
.version_letter('v');

/// Characters of a line, the newline included, unless `BC_LINE_LENGTH` says otherwise.
const LINE_LENGTH: usize = 70;

struct Plan {
    library: bool,
    strictness: Strictness,
    width: usize,
    files: Vec<Vec<u8>>,
}

impl Plan {
    fn new(proc: &Proc, parsed: Parsed<Flag>) -> Plan {
        let strictness = if parsed.has(Flag::Standard) || proc.variable(b"POSIXLY_CORRECT").is_some() {
            Strictness::Standard
        } else if parsed.has(Flag::Warn) {
            Strictness::Warn
        } else {
            Strictness::Gnu
        };
        let width = proc.variable(b"BC_LINE_LENGTH").map_or(LINE_LENGTH, |text| {
            match crate::text::number::scan_signed(text, 10).value {
                0 => 0,
                ..3 => LINE_LENGTH,
                width => width as usize,
            }
        });
        Plan {
            library: parsed.has(Flag::Library),
            strictness,
            width,
            files: parsed.operands,
        }
    }
}

/// The words of `BC_ENV_ARGS` stand before the command line's.
fn arguments(proc: &Proc) -> Vec<Vec<u8>> {
    let more = proc.variable(b"BC_ENV_ARGS").unwrap_or_default();
    let words = more.split(u8::is_ascii_whitespace);
    words
        .filter(|word| !word.is_empty())
        .map(<[u8]>::to_vec)
        .chain(proc.arguments().iter().cloned())
        .collect()
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = match SPEC.parse(&arguments(proc)) {
        Ok(parsed) => parsed,
        Err(error) => {
            let stop = usage::refuse(proc, &error).await;
            if error.outcome == Outcome::Complaint {
                proc.write(HELP.as_bytes()).await?;
            }
            return Err(stop);
        }
    };
    let plan = Plan::new(proc, parsed);
    let mut symbols = Symbols::new();
    let standard = plan.strictness == Strictness::Standard;
    let printer = Printer::new(plan.width, standard);
    let mut machine = Machine::new(&proc.kernel, printer, standard);
    if plan.library {
        machine.load_library(&mut symbols);
    }
    let mut source = Source::new(plan.files, proc.kernel.lease());
    let mut numbers = proc.stdin().ok().map(Input::new);
    loop {
        proc.kernel.breathe().await;
        let item = match next_item(proc, &mut source, &mut symbols, plan.strictness).await? {
            Ok(item) => item,
            Err(error) => return source_error(proc, error).await,
        };
        match item {
            Item::End => return Ok(0),
            Item::Definition(definition) => machine.define(definition, &symbols),
            Item::Line(code) => {
                machine.start(code, &symbols);
                if !play(proc, &mut machine, &symbols, &mut numbers).await? {
                    return Ok(0);
                }
            }
        }
    }
}

async fn source_error(proc: &mut Proc, error: SourceError) -> Result<i32, Stop> {
    proc.flush().await?;
    let line = match error {
        SourceError::Unavailable(path) => message!("File ", path, " is unavailable.\n"),
        SourceError::Read(errno) => message!("bc: ", errno.message(), "\n"),
    };
    proc.write_error(&line).await?;
    Ok(1)
}

/// Reads the next item that is without a mistake, and prints what there is to say about those with one.
async fn next_item(
    proc: &mut Proc,
    source: &mut Source,
    symbols: &mut Symbols,
    strictness: Strictness,
) -> Result<Result<Item, SourceError>, Stop> {
    loop {
        proc.kernel.breathe().await;
        proc.charge(source.buffer.len().min(512) as u64 / 8 + 4)?;
        let mut said = Diagnostics::new(&source.name, strictness);
        let lexer = Lexer::new(&source.buffer, source.line, source.ended);
        let mut parser = Parser::new(lexer, symbols, &mut said);
        let read = parser.item();
        let (used, line) = parser.position();
        proc.charge(used as u64 / 4)?;
        match read {
            Ok(item) => {
                source.consume(used, line);
                if !said.output.is_empty() {
                    proc.write(&said.output).await?;
                }
                if !said.text.is_empty() {
                    proc.flush().await?;
                    proc.write_error(&said.text).await?;
                }
                if !said.failed || matches!(item, Item::End) {
                    return Ok(Ok(item));
                }
            }
            Err(Fail::Incomplete) => {
                proc.flush().await?;
                if let Err(error) = source.more(proc).await {
                    return Ok(Err(error));
                }
            }
            // The parser has gone on after any other.
            Err(_) => return Ok(Ok(Item::End)),
        }
    }
}

/// Runs the item that the machine has. `false`: the program has ended.
async fn play(
    proc: &mut Proc,
    machine: &mut Machine,
    symbols: &Symbols,
    numbers: &mut Option<Input>,
) -> Result<bool, Stop> {
    loop {
        let event = machine.run(symbols)?;
        let out = std::mem::take(&mut machine.printer.out);
        proc.write(&out).await?;
        match event {
            Event::Pause => proc.kernel.breathe().await,
            Event::Done => return Ok(true),
            Event::Exit => return Ok(false),
            Event::Said(text) => {
                proc.flush().await?;
                proc.write_error(&text).await?;
            }
            Event::Read => match read_number(numbers).await {
                Some((text, negative)) => machine.give(&text, negative),
                None => return Err(usage::fail(proc, 1, "read(): end of input").await),
            },
        }
    }
}

/// Reads a number for `read()`, and the character behind it.
async fn read_number(numbers: &mut Option<Input>) -> Option<(Vec<u8>, bool)> {
    let input = numbers.as_mut()?;
    let mut text = Vec::new();
    let mut negative = false;
    loop {
        let byte = match input.buffered().first().copied() {
            Some(byte) => byte,
            None if input.fill().await.ok()? => continue,
            None if text.is_empty() => return None,
            None => break,
        };
        if byte == b'\\' && input.buffered().get(1) == Some(&b'\n') {
            input.consume(2);
            continue;
        }
        input.consume(1);
        match byte.to_ascii_uppercase() {
            b'+' | b'-' if text.is_empty() && !negative => negative = byte == b'-',
            byte if digit_value(byte).is_some() => text.push(byte),
            b'.' if !text.contains(&b'.') => text.push(b'.'),
            0..=b' ' if text.is_empty() && !negative => {}
            _ => break,
        }
    }
    Some((text, negative))
}
