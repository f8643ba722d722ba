//! `tac`: records last to first.
//!
//! The whole of a file is held. Records end with the separator, or begin with it (`-b`). A regular expression is matched as GNU
//! tac does, from the end towards the start: the separator is the last place where a match begins, and is as long as that match.

use super::usage;
use crate::args::{COREUTILS, Opt, Parsed, Spec};
use crate::kernel::{Input, Proc, Program, Stop};
use crate::pattern::{Regex, RegexOptions, Syntax};

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
    let separator = match Separator::read(&parsed) {
        Ok(separator) => separator,
        Err(message) => return Err(usage::fail(proc, 1, message).await),
    };
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

/// What stands between records.
enum Separator {
    Text(Vec<u8>),
    Regex(Regex),
}

impl Separator {
    fn read(parsed: &Parsed<Flag>) -> Result<Separator, String> {
        let text = parsed.last(Flag::Separator).unwrap_or(b"\n");
        if !parsed.has(Flag::Regex) {
            // An empty string means NUL.
            let text = if text.is_empty() { b"\0" } else { text };
            return Ok(Separator::Text(text.to_vec()));
        }
        if text.is_empty() {
            return Err("separator cannot be empty".to_owned());
        }
        let options = RegexOptions {
            newline_anchors: true,
            gnu: true,
            ..RegexOptions::default()
        };
        Regex::compile(&emacs_syntax(text), Syntax::Basic, options)
            .map(Separator::Regex)
            .map_err(|error| error.to_string())
    }
}

async fn show(proc: &mut Proc, text: &[u8], separator: &Separator, before: bool) -> Result<(), Stop> {
    let finder = match separator {
        Separator::Text(separator) => Some(memchr::memmem::FinderRev::new(separator)),
        Separator::Regex(_) => None,
    };
    let mut end = text.len();
    let mut searched = text.len();
    loop {
        let rest = text.get(..searched).unwrap_or_default();
        let found = match (&finder, separator) {
            (Some(finder), _) => finder.rfind(rest).map(|at| (at, at + finder.needle().len())),
            (None, Separator::Regex(regex)) => last_match(proc, regex, rest)?,
            (None, Separator::Text(_)) => None,
        };
        let Some((start, behind)) = found else {
            return proc.write(text.get(..end).unwrap_or_default()).await;
        };
        let cut = if before { start } else { behind };
        proc.write(text.get(cut..end).unwrap_or_default()).await?;
        end = cut;
        searched = start;
    }
}

/// The match that begins last, before the end of `text`. Looks at the end first, then twice as far back, and so on.
fn last_match(proc: &Proc, regex: &Regex, text: &[u8]) -> Result<Option<(usize, usize)>, Stop> {
    let mut window = 64;
    while !text.is_empty() {
        let start = text.len().saturating_sub(window);
        proc.charge(window as u64 / 64)?;
        let mut last = None;
        let mut from = start;
        while let Ok(Some(found)) = regex.find_at(text, from) {
            if found.0 >= text.len() {
                break;
            }
            last = Some(found);
            from = found.0 + 1;
        }
        if last.is_some() || start == 0 {
            return Ok(last);
        }
        window *= 2;
    }
    Ok(None)
}

/// Emacs' syntax, which GNU tac is compiled for, as a basic expression: `+` and `?` are operators without a backslash, and there are
/// no intervals.
fn emacs_syntax(pattern: &[u8]) -> Vec<u8> {
    let mut basic = Vec::with_capacity(pattern.len());
    let mut bytes = pattern.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'+' | b'?' => basic.extend([b'\\', byte]),
            b'\\' => match bytes.next() {
                Some(literal @ (b'+' | b'?' | b'{' | b'}')) => basic.push(literal),
                Some(other) => basic.extend([b'\\', other]),
                None => basic.push(b'\\'),
            },
            b'[' => {
                basic.push(byte);
                // A bracket expression is copied: `]` in its first place is a member.
                basic.extend(bytes.next_if_eq(&b'^'));
                basic.extend(bytes.next_if_eq(&b']'));
                for member in bytes.by_ref() {
                    basic.push(member);
                    if member == b']' {
                        break;
                    }
                }
            }
            _ => basic.push(byte),
        }
    }
    basic
}
