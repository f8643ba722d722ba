//! `tee`: copies standard input to files and to standard output.
//!
//! A broken pipe at standard output ends it by SIGPIPE, unless `-p` or `--output-error` say how else to go on. Standard output
//! is written block by block, unbuffered: its readers wait for it.

use std::sync::Arc;

use super::usage;
use crate::args::{COREUTILS, Opt, Spec};
use crate::fs::{Errno, OpenFlags};
use crate::kernel::{Disposition, File, Input, Proc, Program, Signal, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "tee",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Append,
    IgnoreInterrupts,
    Diagnose,
    OutputError,
}

/// What a write error does.
#[derive(Debug, Clone, Copy, PartialEq)]
enum OnError {
    /// SIGPIPE kills, other errors are reported.
    Default,
    Warn,
    WarnNoPipe,
    Exit,
    ExitNoPipe,
}

const MODES: &[(&str, OnError)] = &[
    ("warn", OnError::Warn),
    ("warn-nopipe", OnError::WarnNoPipe),
    ("exit", OnError::Exit),
    ("exit-nopipe", OnError::ExitNoPipe),
];

static SPEC: Spec<Flag> = Spec::new(
    "tee",
    COREUTILS,
    &["[OPTION]... [FILE]..."],
    "Copy standard input to each FILE, and also to standard output.\n",
    &[
        Opt::flag(
            Flag::Append,
            'a',
            "append",
            "append to the given FILEs, do not overwrite",
        ),
        Opt::flag(
            Flag::IgnoreInterrupts,
            'i',
            "ignore-interrupts",
            "ignore interrupt signals",
        ),
        Opt::short(Flag::Diagnose, 'p', "diagnose errors writing to non pipes"),
        Opt::long(
            Flag::OutputError,
            "output-error",
            "set behavior on write error.  See MODE below",
        )
        .may_take("MODE"),
    ],
)
.notes(
    "MODE determines behavior with write errors on the outputs:\n\
     \x20 warn           diagnose errors writing to any output\n\
     \x20 warn-nopipe    diagnose errors writing to any output not a pipe\n\
     \x20 exit           exit on error writing to any output\n\
     \x20 exit-nopipe    exit on error writing to any output not a pipe\n\
     The default MODE for the -p option is 'warn-nopipe'.\n\
     The default operation when --output-error is not specified, is to\n\
     exit immediately on error writing to a pipe, and diagnose errors\n\
     writing to non pipe outputs.",
);

struct Output {
    name: Vec<u8>,
    file: Arc<File>,
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let mut mode = OnError::Default;
    for (flag, value) in &parsed.options {
        match (flag, value) {
            (Flag::Diagnose, _) | (Flag::OutputError, None) => mode = OnError::WarnNoPipe,
            (Flag::OutputError, Some(word)) => {
                let chosen = SPEC.choose("--output-error", word, MODES);
                mode = usage::accept(proc, chosen).await?;
            }
            _ => {}
        }
    }
    if parsed.has(Flag::IgnoreInterrupts) {
        proc.signals.set(Signal::INT, Disposition::Ignore);
    }
    let flags = if parsed.has(Flag::Append) {
        OpenFlags::APPEND
    } else {
        OpenFlags::CREATE
    };
    let mut status = 0;
    let mut outputs = Vec::new();
    if let Ok(stdout) = proc.fds.get(1) {
        outputs.push(Output {
            name: b"standard output".to_vec(),
            file: Arc::clone(stdout),
        });
    }
    for path in &parsed.operands {
        match proc.open(path, flags).await {
            Ok(file) => outputs.push(Output {
                name: path.clone(),
                file,
            }),
            Err(errno) => {
                status = 1;
                usage::warn_file(proc, path, errno).await?;
                if matches!(mode, OnError::Exit | OnError::ExitNoPipe) {
                    return Ok(1);
                }
            }
        }
    }
    copy(proc, outputs, mode, status).await
}

async fn copy(proc: &mut Proc, outputs: Vec<Output>, mode: OnError, status: i32) -> Result<i32, Stop> {
    let (mut outputs, mut status) = (outputs, status);
    let mut input = match proc.stdin() {
        Ok(file) => Input::new(file),
        Err(errno) => return read_failed(proc, errno).await,
    };
    while !outputs.is_empty() {
        let block = match input.block().await {
            Ok([]) => break,
            Ok(block) => block,
            Err(errno) => return read_failed(proc, errno).await,
        };
        let mut open = Vec::with_capacity(outputs.len());
        for output in outputs {
            match output.file.write_all(block).await {
                Ok(()) => open.push(output),
                Err(errno) => {
                    if write_failed(proc, &output, errno, mode).await? {
                        status = 1;
                    }
                }
            }
        }
        outputs = open;
    }
    Ok(status)
}

async fn read_failed(proc: &mut Proc, errno: Errno) -> Result<i32, Stop> {
    Err(usage::fail(proc, 1, format!("read error: {errno}")).await)
}

/// Says what there is to say about a write error; whether it makes the status 1.
async fn write_failed(proc: &mut Proc, output: &Output, errno: Errno, mode: OnError) -> Result<bool, Stop> {
    if let Some(halt) = proc.kernel.meter().halted() {
        return Err(Stop::Halt(halt));
    }
    if errno == Errno::EPIPE {
        match mode {
            OnError::Default if proc.signals.disposition(Signal::PIPE) == Disposition::Default => {
                return Err(Stop::Signal(Signal::PIPE));
            }
            OnError::WarnNoPipe | OnError::ExitNoPipe => return Ok(false),
            _ => {}
        }
    }
    usage::warn_file(proc, &output.name, errno).await?;
    if matches!(mode, OnError::Exit | OnError::ExitNoPipe) {
        return Err(Stop::Exit(1));
    }
    Ok(true)
}
