//! `echo`: prints its arguments. The program of coreutils; the shell's own is `builtin::echo`.

use crate::kernel::{Proc, Program, Stop};
use crate::text::escape::{self, Reader};

/// The program.
pub const PROGRAM: Program = Program {
    name: "echo",
    run: |proc| Box::pin(run(proc)),
};

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let posix = proc.variable(b"POSIXLY_CORRECT").is_some();
    let args = proc.arguments().to_vec();
    let mut rest = args.as_slice();
    let (mut newline, mut escapes) = (true, false);
    while let Some((first, tail)) = rest.split_first() {
        let Some(letters) = first
            .strip_prefix(b"-")
            .filter(|letters| !letters.is_empty() && !posix)
        else {
            break;
        };
        if !letters.iter().all(|letter| matches!(letter, b'n' | b'e' | b'E')) {
            break;
        }
        for letter in letters {
            match letter {
                b'n' => newline = false,
                b'e' => escapes = true,
                _ => escapes = false,
            }
        }
        rest = tail;
    }
    let text = rest.join(&b' ');
    if escapes {
        let read = escape::unescape(&text, Reader::ProgramEcho);
        proc.write(&read.bytes).await?;
        if read.stop {
            return Ok(0);
        }
    } else {
        proc.write(&text).await?;
    }
    if newline {
        proc.write(b"\n").await?;
    }
    Ok(0)
}
