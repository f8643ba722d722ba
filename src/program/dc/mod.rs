//! `dc`: a calculator whose numbers lie on a stack. Behaviour is that of GNU dc 1.4.1.
//!
//! [`machine`] runs commands without waiting, for a while at a time, and hands over what it printed and what it needs; [`operations`] are the
//! commands on numbers, [`registers`] those on registers, [`scan`] reads a program's letters.

mod machine;
mod operations;
mod registers;
mod scan;

use self::machine::{Event, Machine};
use super::launch::shell;
use super::usage;
use crate::args::{Opt, Outcome, Package, Parsed, Spec};
use crate::kernel::{Input, Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "dc",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Expression,
    File,
}

macro_rules! usage {
    () => {
        "Usage: dc [OPTION] [file ...]\n  -e, --expression=EXPR    evaluate expression\n  -f, --file=FILE          evaluate contents of file\n  -h, --help               display this help and exit\n  -V, --version            output version information and exit\n\n"
    };
}

macro_rules! report {
    () => {
        "Email bug reports to:  bug-dc@gnu.org .\n"
    };
}

const USAGE: &str = usage!();
const REPORT: &str = report!();

static SPEC: Spec<Flag> = Spec::new(
    "dc",
    Package::Line(
        "dc (GNU bc 1.07.1) 1.4.1\n\nCopyright 1994, 1997, 1998, 2000, 2001, 2003-2006, 2008, 2010, 2012-2017 Free Software Foundation, Inc.\nThis is free software; see the source for copying conditions.  There is NO\nwarranty; not even for MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE,\nto the extent permitted by law.",
    ),
    &["[OPTION] [file ...]"],
    "",
    &[
        Opt::required(
            Flag::Expression,
            'e',
            "expression",
            "EXPR",
            "evaluate expression",
        ),
        Opt::required(Flag::File, 'f', "file", "FILE", "evaluate contents of file"),
    ],
)
.own_help(concat!(usage!(), report!()))
.help_letter('h')
.version_letter('V');

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed: Parsed<Flag> = match SPEC.parse(proc.arguments()) {
        Ok(parsed) => parsed,
        Err(error) if error.outcome == Outcome::Output => return Err(usage::refuse(proc, &error).await),
        Err(error) => {
            let text = error.text(proc.name());
            let first = text
                .split_inclusive(|byte| *byte == b'\n')
                .next()
                .unwrap_or_default();
            // The last line of the usage is printed to standard output.
            proc.write_error(&[first, USAGE.as_bytes()].concat()).await?;
            proc.write(REPORT.as_bytes()).await?;
            return Ok(1);
        }
    };
    let width = proc.variable(b"DC_LINE_LENGTH").map_or(70, |text| {
        match crate::text::number::scan_signed(text, 10).value {
            0 => 0,
            width @ 2.. => width as usize,
            _ => 70,
        }
    });
    let mut machine = Machine::new(&proc.kernel, width);
    let mut stdin = proc.stdin().ok().map(Input::new);
    let any = !parsed.options.is_empty() || !parsed.operands.is_empty();
    for (flag, value) in &parsed.options {
        let value = value.clone().unwrap_or_default();
        let goes_on = match flag {
            Flag::Expression => play(proc, &mut machine, value, &mut stdin, false).await?,
            Flag::File => play_file(proc, &mut machine, &value, &mut stdin).await?,
        };
        if !goes_on {
            return Ok(0);
        }
    }
    for path in &parsed.operands {
        if !play_file(proc, &mut machine, path, &mut stdin).await? {
            return Ok(0);
        }
    }
    if !any {
        play(proc, &mut machine, Vec::new(), &mut stdin, true).await?;
    }
    Ok(0)
}

/// Runs a file, `-` being standard input. `false`: the program has ended.
async fn play_file(
    proc: &mut Proc,
    machine: &mut Machine,
    path: &[u8],
    stdin: &mut Option<Input>,
) -> Result<bool, Stop> {
    if path == b"-" {
        return play(proc, machine, Vec::new(), stdin, true).await;
    }
    let text = match proc.open_operand(path).await {
        Ok(file) => {
            let mut lease = proc.kernel.lease();
            Input::new(file).rest(&mut lease).await
        }
        Err(errno) => Err(errno),
    };
    match text {
        Ok(text) => play(proc, machine, text, stdin, false).await,
        Err(_) => {
            proc.warn([b"Could not open file ", path].concat()).await?;
            Ok(true)
        }
    }
}

/// Runs a text; `more` lines of it come from standard input. `false`: the program has ended.
async fn play(
    proc: &mut Proc,
    machine: &mut Machine,
    text: Vec<u8>,
    stdin: &mut Option<Input>,
    more: bool,
) -> Result<bool, Stop> {
    machine.start(text, more);
    loop {
        let event = machine.run()?;
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
            Event::More => {
                let line = line(stdin).await;
                machine.more(line);
            }
            Event::Read => {
                let line = line(stdin).await;
                machine.give(line);
            }
            Event::Command(command) => {
                proc.flush().await?;
                if let Ok(child) = proc.spawn(shell(command, Vec::new())) {
                    let _ = proc.wait(child).await;
                }
            }
        }
    }
}

/// The next line of standard input with its newline; nothing at the end.
async fn line(stdin: &mut Option<Input>) -> Option<Vec<u8>> {
    let input = stdin.as_mut()?;
    let line = input.line(b'\n').await.ok()??;
    Some(line.to_vec())
}
