//! `echo`: prints its arguments. The program of coreutils; the shell's own is `builtin::echo`.

use super::usage;
use crate::args::{COREUTILS, EchoSwitches, Spec};
use crate::kernel::{Proc, Program, Stop};
use crate::text::escape::{self, Reader};

/// The program.
pub const PROGRAM: Program = Program {
    name: "echo",
    run: |proc| Box::pin(run(proc)),
};

static SPEC: Spec<()> = Spec::new(
    "echo",
    COREUTILS,
    &["[SHORT-OPTION]... [STRING]...", "LONG-OPTION"],
    "Echo the STRING(s) to standard output.\n\n  -n             do not output the trailing newline\n  -e             enable \
     interpretation of backslash escapes\n  -E             disable interpretation of backslash escapes (default)",
    &[],
);

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let posix = proc.variable(b"POSIXLY_CORRECT").is_some();
    let args = proc.arguments().to_vec();
    let mut rest = args.as_slice();
    let mut switches = EchoSwitches {
        newline: true,
        escapes: false,
    };
    // With POSIXLY_CORRECT, there are options only when `-n` comes first, and escapes always.
    let has_options = !posix || rest.first().is_some_and(|first| first == b"-n");
    match rest {
        [only] if has_options && only == b"--help" => return Err(usage::refuse(proc, &SPEC.help()).await),
        [only] if has_options && only == b"--version" => {
            return Err(usage::refuse(proc, &SPEC.version()).await);
        }
        _ => {}
    }
    if has_options {
        rest = rest.get(switches.read(rest)..).unwrap_or_default();
    }
    let text = rest.join(&b' ');
    if switches.escapes || posix {
        let read = escape::unescape(&text, Reader::ProgramEcho);
        proc.write(&read.bytes).await?;
        if read.stop {
            return Ok(0);
        }
    } else {
        proc.write(&text).await?;
    }
    if switches.newline {
        proc.write(b"\n").await?;
    }
    Ok(0)
}
