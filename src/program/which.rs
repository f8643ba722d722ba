//! `which`: where programs are found, as Debian's shell script of debianutils looks for them.
//!
//! It sees `PATH` only, so it knows no builtins, functions or aliases. Its complaints are those of the shell that runs the script.

use super::message::message;
use crate::fs::{Access, FileKind, Follow};
use crate::kernel::{Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "which",
    run: |proc| Box::pin(run(proc)),
};

/// Where the script's shell looks when `PATH` is not set.
const DEFAULT_PATH: &[u8] = b"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let arguments = proc.arguments().to_vec();
    let (all, operands) = match options(&arguments) {
        Ok(parsed) => parsed,
        Err(letter) => {
            let complaint = message!("Illegal option -", [letter], "\n");
            proc.write_error(&complaint).await?;
            proc.write(b"Usage: /usr/bin/which [-a] args\n").await?;
            return Ok(2);
        }
    };
    let path = proc.variable(b"PATH").unwrap_or(DEFAULT_PATH).to_vec();
    let mut status = i32::from(operands.is_empty());
    for name in operands {
        let mut found = false;
        for candidate in candidates(&path, name) {
            if !is_program(proc, &candidate) {
                continue;
            }
            found = true;
            proc.write(&message!(candidate, "\n")).await?;
            if !all {
                break;
            }
        }
        status |= i32::from(!found);
    }
    Ok(status)
}

/// Whether `-a` was given, and the operands; or the letter that is no option.
fn options(arguments: &[Vec<u8>]) -> Result<(bool, &[Vec<u8>]), u8> {
    let mut all = false;
    let mut rest = arguments;
    while let Some((first, after)) = rest.split_first() {
        match first.as_slice() {
            b"--" => return Ok((all, after)),
            [b'-', letters @ ..] if !letters.is_empty() => {
                if let Some(unknown) = letters.iter().find(|letter| **letter != b'a') {
                    return Err(*unknown);
                }
                all = true;
            }
            _ => break,
        }
        rest = after;
    }
    Ok((all, rest))
}

/// The paths where a name may be.
fn candidates(path: &[u8], name: &[u8]) -> Vec<Vec<u8>> {
    if name.contains(&b'/') {
        return vec![name.to_vec()];
    }
    let mut directories: Vec<&[u8]> = path.split(|byte| *byte == b':').collect();
    // What is behind the last colon does not count when it is empty, unless only one colon is there.
    let single = path.ends_with(b":") && !path.ends_with(b"::") && path.len() > 1;
    if directories.last().is_some_and(|last| last.is_empty()) && !single {
        directories.pop();
    }
    let in_directory = |directory: &[u8]| {
        let directory = if directory.is_empty() { b"." } else { directory };
        message!(directory, "/", name)
    };
    directories.into_iter().map(in_directory).collect()
}

fn is_program(proc: &Proc, path: &[u8]) -> bool {
    proc.metadata(path, Follow::Yes)
        .is_ok_and(|found| found.kind == FileKind::Regular)
        && proc.access(path, Access::EXECUTE).is_ok()
}
