//! `cat`: copies files to standard output, marking lines and invisible bytes on request.
//!
//! Without options blocks go straight from file to file. With options the text is walked line by line; what is between two
//! newlines is copied whole unless `-v` or `-T` must look at every byte. Numbers and runs of blank lines go on from one
//! file to the next.

use super::usage::{self, Failure};
use crate::args::{COREUTILS, Opt, Parsed, Spec};
use crate::fs::FileKind;
use crate::kernel::{File, Input, Proc, Program, Stop};
use crate::text::escape;

/// The program.
pub const PROGRAM: Program = Program {
    name: "cat",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    All,
    NumberNonblank,
    NonprintingEnds,
    Ends,
    Number,
    Squeeze,
    NonprintingTabs,
    Tabs,
    Unbuffered,
    Nonprinting,
}

static SPEC: Spec<Flag> = Spec::new(
    "cat",
    COREUTILS,
    &["[OPTION]... [FILE]..."],
    "Concatenate FILE(s) to standard output.\n\nWith no FILE, or when FILE is -, read standard input.",
    &[
        Opt::flag(Flag::All, 'A', "show-all", "equivalent to -vET"),
        Opt::flag(
            Flag::NumberNonblank,
            'b',
            "number-nonblank",
            "number nonempty output lines, overrides -n",
        ),
        Opt::short(Flag::NonprintingEnds, 'e', "equivalent to -vE"),
        Opt::flag(Flag::Ends, 'E', "show-ends", "display $ at end of each line"),
        Opt::flag(Flag::Number, 'n', "number", "number all output lines"),
        Opt::flag(
            Flag::Squeeze,
            's',
            "squeeze-blank",
            "suppress repeated empty output lines",
        ),
        Opt::short(Flag::NonprintingTabs, 't', "equivalent to -vT"),
        Opt::flag(Flag::Tabs, 'T', "show-tabs", "display TAB characters as ^I"),
        Opt::short(Flag::Unbuffered, 'u', "(ignored)"),
        Opt::flag(
            Flag::Nonprinting,
            'v',
            "show-nonprinting",
            "use ^ and M- notation, except for LFD and TAB",
        ),
    ],
);

#[derive(Debug, Default)]
struct Format {
    number: bool,
    number_nonblank: bool,
    squeeze: bool,
    ends: bool,
    tabs: bool,
    nonprinting: bool,
}

impl Format {
    fn from_options(parsed: &Parsed<Flag>) -> Format {
        let mut format = Format::default();
        for (flag, _) in &parsed.options {
            match flag {
                Flag::All => (format.nonprinting, format.ends, format.tabs) = (true, true, true),
                Flag::NumberNonblank => (format.number, format.number_nonblank) = (true, true),
                Flag::NonprintingEnds => (format.nonprinting, format.ends) = (true, true),
                Flag::Ends => format.ends = true,
                Flag::Number => format.number = true,
                Flag::Squeeze => format.squeeze = true,
                Flag::NonprintingTabs => (format.nonprinting, format.tabs) = (true, true),
                Flag::Tabs => format.tabs = true,
                Flag::Unbuffered => {}
                Flag::Nonprinting => format.nonprinting = true,
            }
        }
        format
    }

    fn is_plain(&self) -> bool {
        !(self.number || self.squeeze || self.ends || self.tabs || self.nonprinting)
    }
}

/// Where the output stands between two blocks.
#[derive(Debug, Default)]
struct State {
    lines: u64,
    /// Something of the current line is out.
    in_line: bool,
    /// Empty lines before here.
    blank_lines: u64,
    /// A carriage return that `-E` shows as `^M` if a newline follows.
    pending_return: bool,
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let format = Format::from_options(&parsed);
    let mut state = State::default();
    let mut status = 0;
    if let Err(errno) = proc.fds.get(1) {
        return Err(usage::fail(proc, 1, format!("standard output: {errno}")).await);
    }
    let mut read_stdin = false;
    for path in usage::operands_or_stdin(parsed.operands) {
        read_stdin |= path == b"-";
        let Some(input) = usage::open_input(proc, &path).await? else {
            status = 1;
            continue;
        };
        if proc
            .fds
            .get(1)
            .is_ok_and(|output| is_own_output(input.file(), output))
        {
            let message = [
                &crate::args::quotef(&path),
                b": input file is output file".as_slice(),
            ]
            .concat();
            proc.warn(message).await?;
            status = 1;
            continue;
        }
        let copied = if format.is_plain() {
            copy(proc, input).await
        } else {
            show(proc, input, &format, &mut state).await
        };
        if let Err(errno) = usage::settle(copied)? {
            usage::warn_file(proc, &path, errno).await?;
            status = 1;
        }
    }
    if state.pending_return {
        proc.write(b"\r").await?;
    }
    if read_stdin && let Err(errno) = proc.stdin() {
        return Err(usage::fail(proc, 1, format!("closing standard input: {errno}")).await);
    }
    Ok(status)
}

/// Copying a file behind its own end would never stop.
fn is_own_output(input: &File, output: &File) -> bool {
    let (Some(from), Some(to)) = (input.open_node(), output.open_node()) else {
        return false;
    };
    from.id() == to.id()
        && input
            .metadata()
            .is_ok_and(|metadata| metadata.kind == FileKind::Regular && input.offset() < metadata.size)
}

async fn copy(proc: &mut Proc, mut input: Input) -> Result<(), Failure> {
    loop {
        let block = input.block().await?;
        if block.is_empty() {
            return Ok(());
        }
        proc.write(block).await?;
        // What is there goes on at once: a reader may wait for it.
        proc.flush().await?;
    }
}

async fn show(proc: &mut Proc, mut input: Input, format: &Format, state: &mut State) -> Result<(), Failure> {
    loop {
        let block = input.block().await?;
        if block.is_empty() {
            return Ok(());
        }
        for line in block.split_inclusive(|byte| *byte == b'\n') {
            show_line(proc.out(), line, format, state);
            proc.flush_if_full().await?;
        }
        proc.flush().await?;
    }
}

/// Shows a line or the part of one that is there.
fn show_line(out: &mut Vec<u8>, line: &[u8], format: &Format, state: &mut State) {
    let (text, newline) = match line.strip_suffix(b"\n") {
        Some(text) => (text, true),
        None => (line, false),
    };
    if text.is_empty() && newline && !state.in_line && !state.pending_return {
        state.blank_lines += 1;
        if format.squeeze && state.blank_lines > 1 {
            return;
        }
        if format.number && !format.number_nonblank {
            number_line(out, state);
        }
    } else if !state.in_line && !text.is_empty() {
        state.blank_lines = 0;
        state.in_line = true;
        if format.number {
            number_line(out, state);
        }
    }
    show_text(out, text, newline, format, state);
    if newline {
        if format.ends {
            out.push(b'$');
        }
        out.push(b'\n');
        state.in_line = false;
    }
}

fn number_line(out: &mut Vec<u8>, state: &mut State) {
    state.lines += 1;
    let number = format!("{:6}\t", state.lines);
    out.extend_from_slice(number.as_bytes());
}

/// Shows what is between newlines; `newline`: one follows.
fn show_text(out: &mut Vec<u8>, text: &[u8], newline: bool, format: &Format, state: &mut State) {
    let mut text = text;
    if format.ends && !format.nonprinting {
        if state.pending_return && (!text.is_empty() || newline) {
            out.extend_from_slice(if text.is_empty() { b"^M" } else { b"\r" });
            state.pending_return = false;
        }
        if let Some(before) = text.strip_suffix(b"\r") {
            show_bytes(out, before, format);
            if newline {
                out.extend_from_slice(b"^M");
            } else {
                state.pending_return = true;
            }
            text = b"";
        }
    }
    show_bytes(out, text, format);
}

fn show_bytes(out: &mut Vec<u8>, text: &[u8], format: &Format) {
    if !format.nonprinting && !format.tabs {
        out.extend_from_slice(text);
        return;
    }
    for &byte in text {
        match byte {
            b'\t' if format.tabs => out.extend_from_slice(b"^I"),
            b'\t' => out.push(byte),
            _ if !format.nonprinting => out.push(byte),
            _ => escape::push_caret(out, byte),
        }
    }
}
