//! `rev` of util-linux: every line with its characters in reverse.

use super::usage::Failure;
use super::{lines, usage};
use crate::args::{Opt, Spec, UTIL_LINUX};
use crate::fs::{Errno, OpenFlags};
use crate::kernel::{Input, Proc, Program, Stop};
use crate::text::utf8;

/// The program.
pub const PROGRAM: Program = Program {
    name: "rev",
    run: |proc| Box::pin(run(proc)),
};

static SPEC: Spec<()> = Spec::new(
    "rev",
    UTIL_LINUX,
    &["[options] [file ...]"],
    "\nReverse lines characterwise.\n",
    NO_OPTIONS,
)
.help_letter('h')
.version_letter('V');

const NO_OPTIONS: &[Opt<()>] = &[];

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let from_stdin = parsed.operands.is_empty();
    let mut status = 0;
    for path in usage::operands_or_stdin(parsed.operands) {
        // Unlike in coreutils, `-` is a file.
        let opened = if from_stdin {
            proc.stdin()
        } else {
            proc.open(&path, OpenFlags::READ).await
        };
        let mut input = match opened {
            Ok(file) => Input::new(file),
            Err(errno) => {
                status = 1;
                proc.warn([b"cannot open ", path.as_slice(), format!(": {errno}").as_bytes()].concat())
                    .await?;
                continue;
            }
        };
        let mut count = 0;
        let done = reverse(proc, &mut input, &mut count).await;
        if let Err(errno) = usage::settle(done)? {
            status = 1;
            let name = if from_stdin { b"stdin".as_slice() } else { &path };
            proc.warn([name, format!(": {count}: {errno}").as_bytes()].concat())
                .await?;
        }
    }
    Ok(status)
}

async fn reverse(proc: &mut Proc, input: &mut Input, count: &mut u64) -> Result<(), Failure> {
    // What stood before a NUL: the C string ends there, and the next line is read behind it.
    let mut cut_off = Vec::new();
    loop {
        let block = lines::whole_lines(input, b'\n').await?;
        if block.is_empty() {
            break;
        }
        for line in lines::split(block, b'\n') {
            check(line)?;
            let start = memchr::memchr(0, line);
            if let Some(at) = start {
                cut_off.extend_from_slice(line.get(..at).unwrap_or_default());
                continue;
            }
            *count += 1;
            let text = lines::text(line, b'\n');
            if cut_off.is_empty() {
                push_reversed(proc.out(), text);
            } else {
                cut_off.extend_from_slice(text);
                push_reversed(proc.out(), &cut_off);
                cut_off.clear();
            }
            if text.len() < line.len() {
                proc.out().push(b'\n');
            }
            proc.flush_if_full().await?;
        }
    }
    push_reversed(proc.out(), &cut_off);
    Ok(())
}

/// An invalid character ends the work; one that the end of the input cuts off is left out.
fn check(line: &[u8]) -> Result<(), Errno> {
    match std::str::from_utf8(line) {
        Err(error) if error.error_len().is_some() => Err(Errno::EILSEQ),
        _ => Ok(()),
    }
}

fn push_reversed(out: &mut Vec<u8>, text: &[u8]) {
    let text = match std::str::from_utf8(text) {
        Ok(valid) => valid.as_bytes(),
        Err(error) => text.get(..error.valid_up_to()).unwrap_or_default(),
    };
    let start = out.len();
    out.extend(text.iter().rev());
    if text.is_ascii() {
        return;
    }
    // The bytes of each character were reversed too: turn them round again.
    let mut end = out.len();
    for (_, unit) in utf8::units(text) {
        if let Some(character) = out.get_mut(end - unit.len()..end) {
            character.reverse();
        }
        end -= unit.len();
    }
    debug_assert_eq!(end, start);
}
