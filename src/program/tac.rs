//! `tac`: records last to first.
//!
//! The whole of a file is held. Records end with the separator, or begin with it (`-b`). A regular expression is matched as GNU
//! tac does, from the end towards the start: the separator is the last place where a match begins, and is as long as that match.

use super::usage;
use crate::args::{COREUTILS, Opt, Spec};
use crate::kernel::{Input, Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "tac",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Before,
    Regex,
    Separator,
}

static SPEC: Spec<Flag> = Spec::new(
    "tac",
    COREUTILS,
    &["[OPTION]... [FILE]..."],
    "Write each FILE to standard output, last line first.\n\n\
     With no FILE, or when FILE is -, read standard input.",
    &[
        Opt::flag(
            Flag::Before,
            'b',
            "before",
            "attach the separator before instead of after",
        ),
        Opt::flag(
            Flag::Regex,
            'r',
            "regex",
            "interpret the separator as a regular expression",
        ),
        Opt::required(
            Flag::Separator,
            's',
            "separator",
            "STRING",
            "use STRING as the separator instead of newline",
        ),
    ],
);

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let separator = parsed.last(Flag::Separator).unwrap_or(b"\n").to_vec();
    if parsed.has(Flag::Regex) && separator.is_empty() {
        return Err(usage::fail(proc, 1, "separator cannot be empty").await);
    }
    if parsed.has(Flag::Regex) {
        return Err(usage::fail(proc, 1, "regular expressions as separators are not supported").await);
    }
    // An empty string means NUL.
    let separator = if separator.is_empty() { vec![0] } else { separator };
    let before = parsed.has(Flag::Before);
    let mut status = 0;
    for path in usage::operands_or_stdin(parsed.operands) {
        let name = if path == b"-" {
            b"standard input".as_slice()
        } else {
            &path
        };
        let mut input = match proc.open_operand(&path).await {
            Ok(file) => Input::new(file),
            Err(errno) => {
                status = 1;
                usage::warn_about(proc, "failed to open", name, &format!(" for reading: {errno}")).await?;
                continue;
            }
        };
        let mut lease = proc.kernel.lease();
        match input.rest(&mut lease).await {
            Ok(text) => show(proc, &text, &separator, before).await?,
            Err(errno) => {
                status = 1;
                // GNU tac finds out when it seeks.
                let errno = if errno == crate::fs::Errno::EISDIR {
                    crate::fs::Errno::EINVAL
                } else {
                    errno
                };
                let message = [
                    &crate::args::quotef(&path),
                    format!(": read error: {errno}").as_bytes(),
                ]
                .concat();
                proc.warn(message).await?;
            }
        }
    }
    Ok(status)
}

async fn show(proc: &mut Proc, text: &[u8], separator: &[u8], before: bool) -> Result<(), Stop> {
    let finder = memchr::memmem::FinderRev::new(separator);
    let mut end = text.len();
    let mut searched = text.len();
    loop {
        let Some(at) = finder.rfind(text.get(..searched).unwrap_or_default()) else {
            return proc.write(text.get(..end).unwrap_or_default()).await;
        };
        let cut = if before { at } else { at + separator.len() };
        proc.write(text.get(cut..end).unwrap_or_default()).await?;
        end = cut;
        searched = at;
    }
}
