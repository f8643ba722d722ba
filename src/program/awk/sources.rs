//! The texts of a program: those of the command line, files, and what they include.
//!
//! `@include "file"` stands between rules, and the order of rules of different kinds does not matter, so what is included is read as a
//! source of its own before the one that includes it. Each file is read once.

use super::options::{Options, Piece};
use crate::fs::{Errno, OpenFlags};
use crate::kernel::{Input, Proc, Stop};
use crate::program::usage;

/// A text and its name in messages.
pub type Source = (Vec<u8>, Vec<u8>);

/// Files that may include each other in a chain.
const DEPTH: usize = 64;

/// All sources, in the order in which they are compiled.
pub async fn read(proc: &mut Proc, options: &Options) -> Result<Vec<Source>, Stop> {
    let mut sources = Vec::new();
    let mut included = Vec::new();
    for piece in &options.pieces {
        let source = match piece {
            Piece::Text(text) => (b"cmd. line".to_vec(), text.clone()),
            Piece::File(name) => match read_file(proc, name).await {
                Ok(text) => (name.clone(), text),
                Err(errno) => {
                    let message = [b"fatal: ", cannot_open(name, errno).as_slice()].concat();
                    return Err(usage::fail(proc, 2, message).await);
                }
            },
        };
        add(proc, source, &mut included, &mut sources).await?;
    }
    Ok(sources)
}

/// Adds a source behind those that it includes.
async fn add(
    proc: &mut Proc,
    source: Source,
    included: &mut Vec<Vec<u8>>,
    sources: &mut Vec<Source>,
) -> Result<(), Stop> {
    // A source waits until those that it includes are done.
    let mut waiting = vec![source];
    while let Some((name, text)) = waiting.last_mut() {
        let Some((line, wanted)) = take_include(text) else {
            sources.extend(waiting.pop());
            continue;
        };
        let place = [name.as_slice(), format!(":{line}: error: ").as_bytes()].concat();
        match find_included(proc, &wanted).await {
            Ok((found, _)) if included.contains(&found) => {}
            Ok((found, text)) if waiting.len() < DEPTH => {
                included.push(found.clone());
                waiting.push((found, text));
            }
            Ok(_) => {
                return Err(usage::fail(
                    proc,
                    1,
                    [&place, b"too many files include each other".as_slice()].concat(),
                )
                .await);
            }
            Err(errno) => {
                let message = [place, cannot_open(&wanted, errno)].concat();
                return Err(usage::fail(proc, 1, message).await);
            }
        }
    }
    Ok(())
}

/// The file of this name, or with `.awk` behind it.
async fn find_included(proc: &mut Proc, name: &[u8]) -> Result<Source, Errno> {
    match read_file(proc, name).await {
        Err(Errno::ENOENT) => {
            let longer = [name, b".awk"].concat();
            let read = read_file(proc, &longer).await.map_err(|_| Errno::ENOENT);
            read.map(|text| (longer, text))
        }
        read => read.map(|text| (name.to_vec(), text)),
    }
}

/// Takes the first `@include "file"` at the start of a line out of a text: its line and the file.
fn take_include(text: &mut [u8]) -> Option<(usize, Vec<u8>)> {
    const WORD: &[u8] = b"@include";
    let mut from = 0;
    loop {
        let at = from + memchr::memmem::find(text.get(from..)?, WORD)?;
        from = at + WORD.len();
        let line_start = text
            .get(..at)?
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |end| end + 1);
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
        if !text.get(line_start..at)?.iter().all(is_blank) {
            continue;
        }
        let rest = text.get(from..)?;
        let blanks = rest.iter().take_while(|byte| is_blank(byte)).count();
        let Some(quoted) = rest.get(blanks..)?.strip_prefix(b"\"") else {
            continue;
        };
        let Some(length) = memchr::memchr2(b'"', b'\n', quoted) else {
            continue;
        };
        if quoted.get(length) != Some(&b'"') {
            continue;
        }
        let name = quoted.get(..length)?.to_vec();
        let line = 1 + memchr::memchr_iter(b'\n', text.get(..at)?).count();
        // Blanks keep what follows on the same line a rule of its own.
        text.get_mut(at..from + blanks + length + 2)?.fill(b' ');
        return Some((line, name));
    }
}

async fn read_file(proc: &mut Proc, name: &[u8]) -> Result<Vec<u8>, Errno> {
    let file = match name {
        b"-" | b"/dev/stdin" => proc.stdin()?,
        _ => proc.open(name, OpenFlags::READ).await?,
    };
    let mut lease = proc.kernel.lease();
    Input::new(file).rest(&mut lease).await
}

fn cannot_open(name: &[u8], errno: Errno) -> Vec<u8> {
    [
        b"cannot open source file `",
        name,
        format!("' for reading: {errno}").as_bytes(),
    ]
    .concat()
}
