//! `awk` and `gawk`: a language for records and fields. Behaviour is that of GNU awk 5.2.
//!
//! [`lexer`] and [`parser`] (with [`statement`], [`expression`], [`call`]) turn source into [`code`] in one pass; [`machine`] runs
//! it on [`value`]s, with [`operate`] for what needs no waiting and [`execute`] for what does; [`record`], [`split`] and [`reader`]
//! make records and fields; [`array`] keeps gawk's order of keys.

mod array;
mod call;
mod code;
mod execute;
mod expression;
mod files;
mod format;
mod inplace;
mod lexer;
mod library;
mod machine;
mod number;
mod operate;
mod options;
mod parser;
mod random;
mod reader;
mod record;
mod regex;
mod sort;
mod sources;
mod special;
mod split;
mod statement;
mod streams;
mod strings;
mod time;
mod value;

use crate::kernel::{Proc, Program, Stop};
use code::Special;
use machine::{Flow, Machine, Phase, Run, Trouble};
use options::Options;
use parser::Parser;
use value::{Text, Value};

/// `awk`.
pub const AWK: Program = Program {
    name: "awk",
    run: |proc| Box::pin(run(proc)),
};

/// `gawk`.
pub const GAWK: Program = Program {
    name: "gawk",
    run: |proc| Box::pin(run(proc)),
};

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    proc.write_failure.sentence = "warning: error writing standard output";
    let options = options::read(proc).await?;
    let sources = sources::read(proc, &options).await?;
    let program = compile(proc, &sources).await?;
    let mut machine = Machine::new(proc, program);
    let outcome = match prepare(&mut machine, &options) {
        Ok(()) => run_program(&mut machine).await,
        Err(trouble) => Err(trouble),
    };
    let outcome = match outcome {
        Ok(()) => finish(&mut machine).await,
        Err(trouble) => Err(trouble),
    };
    match outcome {
        Ok(()) => Ok(machine.status),
        Err(trouble) => report(&mut machine, trouble).await,
    }
}

/// Reads the sources; an error is printed and ends awk.
async fn compile(proc: &mut Proc, sources: &[(Vec<u8>, Vec<u8>)]) -> Result<code::Program, Stop> {
    let mut parser = Parser::new();
    let mut error = None;
    for (name, text) in sources {
        if let Err(found) = parser.add(text, name) {
            error = Some(found);
            break;
        }
    }
    let warnings = std::mem::take(&mut parser.warnings);
    for warning in warnings {
        proc.warn(warning).await?;
    }
    let (errors, error) = match error {
        Some(error) => (std::mem::take(&mut parser.errors), error),
        None => match parser.finish() {
            Ok(program) => return Ok(program),
            Err(error) => (Vec::new(), error),
        },
    };
    for line in errors.iter().chain(&error.lines) {
        proc.warn(line).await?;
    }
    Err(Stop::Exit(error.status))
}

/// Sets the variables that a program starts with.
fn prepare(machine: &mut Machine<'_>, options: &Options) -> Run<()> {
    let text = |text: &[u8]| Value::Text(Text::small(text));
    for (special, value) in [
        (Special::Fs, text(b" ")),
        (Special::Ofs, text(b" ")),
        (Special::Ors, text(b"\n")),
        (Special::Rs, text(b"\n")),
        (Special::Convfmt, text(b"%.6g")),
        (Special::Ofmt, text(b"%.6g")),
        (Special::Subsep, text(b"\x1c")),
        (Special::Fpat, text(b"[^[:space:]]+")),
        (Special::Rlength, Value::Number(-1.0)),
        (Special::Rstart, Value::Number(0.0)),
        (Special::Argind, Value::Number(0.0)),
        (Special::Ignorecase, Value::Number(0.0)),
        (Special::Binmode, Value::Number(0.0)),
        (Special::Lint, Value::Number(0.0)),
        (Special::Prec, Value::Number(53.0)),
        (Special::Roundmode, text(b"N")),
        (Special::Textdomain, text(b"messages")),
        (Special::Filename, text(b"")),
        (Special::Errno, text(b"")),
        (Special::Rt, text(b"")),
        (Special::Fieldwidths, text(b"")),
    ] {
        machine.set_global(special, value);
    }
    prepare_arrays(machine, options)?;
    machine.files.next = 1.0;
    machine.in_place = options.in_place.then(inplace::InPlace::default);
    if let Some(separator) = &options.separator {
        machine.assign_operand(b"FS", separator)?;
    }
    for (name, value) in &options.assignments {
        machine.assign_operand(name, value)?;
    }
    Ok(())
}

fn prepare_arrays(machine: &mut Machine<'_>, options: &Options) -> Run<()> {
    let name = machine.proc.name().to_vec();
    for (index, operand) in std::iter::once(&name).chain(&options.operands).enumerate() {
        machine.set_input(Special::Argv, index.to_string().as_bytes(), operand)?;
    }
    machine.set_global(Special::Argc, Value::Number(options.operands.len() as f64 + 1.0));
    let environment = machine.proc.environment.clone();
    machine.array_of(Special::Environ.place())?;
    for (name, value) in environment.iter() {
        machine.set_input(Special::Environ, name, value)?;
    }
    let (pid, parent, user) = (machine.proc.pid, machine.proc.parent, machine.proc.user);
    for (key, value) in [
        ("version", "5.2.1".to_owned()),
        ("platform", "posix".to_owned()),
        ("FS", "FS".to_owned()),
        ("pid", pid.to_string()),
        ("ppid", parent.to_string()),
        (
            "pgrpid",
            machine.proc.kernel.group_of(pid).unwrap_or(pid).to_string(),
        ),
        ("uid", user.uid.to_string()),
        ("euid", user.uid.to_string()),
        ("gid", user.gid.to_string()),
        ("egid", user.gid.to_string()),
        ("strftime", "%a %b %e %H:%M:%S %Z %Y".to_owned()),
    ] {
        machine.set_input(Special::Procinfo, key.as_bytes(), value.as_bytes())?;
    }
    machine.prepare_symbols()
}

/// BEGIN, the records, END.
async fn run_program(machine: &mut Machine<'_>) -> Run<()> {
    let program = std::sync::Arc::clone(&machine.program);
    let mut exited = false;
    machine.print_warnings().await?;
    machine.phase = Phase::Begin;
    for entry in &program.begin {
        if machine.execute(*entry as usize).await? == Flow::Exit {
            exited = true;
            break;
        }
    }
    let reads = !program.main.is_empty()
        || !program.end.is_empty()
        || !program.begin_file.is_empty()
        || !program.end_file.is_empty();
    if !exited && reads {
        machine.phase = Phase::Main;
        exited = match run_records(machine).await {
            Ok(exited) => exited,
            Err(Trouble::Exit) => true,
            Err(trouble) => return Err(trouble),
        };
    }
    if exited && machine.phase == Phase::Begin && !reads {
        return Ok(());
    }
    machine.end_in_place().await?;
    machine.phase = Phase::End;
    for entry in &program.end {
        if machine.execute(*entry as usize).await? == Flow::Exit {
            break;
        }
    }
    Ok(())
}

/// The rules over all records; whether one of them exited.
async fn run_records(machine: &mut Machine<'_>) -> Run<bool> {
    let program = std::sync::Arc::clone(&machine.program);
    let mut text = Vec::new();
    loop {
        if !machine.next_record(&mut text).await? {
            return Ok(false);
        }
        machine.nr += 1.0;
        machine.fnr += 1.0;
        std::mem::swap(machine.record.buffer(), &mut text);
        machine.record.renew();
        for entry in &program.main {
            match machine.execute(*entry as usize).await? {
                Flow::Finished => {}
                Flow::Next => break,
                Flow::NextFile => {
                    machine.end_file().await?;
                    break;
                }
                Flow::Exit => return Ok(true),
            }
        }
    }
}

/// Closes what is open, in the order of opening.
async fn finish(machine: &mut Machine<'_>) -> Run<()> {
    if let Some(reader) = &mut machine.files.reader {
        reader.give_back();
    }
    while !machine.streams.list.is_empty() {
        machine.streams.close(machine.proc, 0).await?;
    }
    machine.proc.flush().await?;
    Ok(())
}

/// Prints what went wrong.
async fn report(machine: &mut Machine<'_>, trouble: Trouble) -> Result<i32, Stop> {
    let text = match trouble {
        Trouble::Fatal(message) => machine.located(&[b"fatal: ", message.as_slice()].concat()),
        Trouble::Unlocated(text) => text,
        Trouble::Halt(halt) => return Err(halt.into()),
        Trouble::Stop(stop) => return Err(stop),
        Trouble::Exit => return Ok(machine.status),
    };
    machine.streams.flush_all(machine.proc).await?;
    machine.proc.warn(text).await?;
    Ok(2)
}
