//! `sync`: everything is written at once here, so it only looks whether the files are there.

use super::message::message;
use super::usage;
use crate::args::{COREUTILS, Opt, Spec, quoteaf};
use crate::fs::Follow;
use crate::kernel::{Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "sync",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Data,
    FileSystem,
}

static SPEC: Spec<Flag> = Spec::new(
    "sync",
    COREUTILS,
    &["[OPTION] [FILE]..."],
    "Synchronize cached writes to persistent storage\n\nIf one or more files are specified, sync only them,\nor their containing file systems.\n",
    &[
        Opt::flag(
            Flag::Data,
            'd',
            "data",
            "sync only file data, no unneeded metadata",
        ),
        Opt::flag(
            Flag::FileSystem,
            'f',
            "file-system",
            "sync the file systems that contain the files",
        ),
    ],
);

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    if parsed.has(Flag::Data) && parsed.has(Flag::FileSystem) {
        let line = "cannot specify both --data and --file-system";
        return Err(usage::fail(proc, 1, line).await);
    }
    if parsed.has(Flag::Data) && parsed.operands.is_empty() {
        return Err(usage::fail(proc, 1, "--data needs at least one argument").await);
    }
    let mut status = 0;
    for path in &parsed.operands {
        if let Err(errno) = proc.metadata(path, Follow::Yes) {
            let line = message!("error opening ", quoteaf(path), ": ", errno.message());
            proc.warn(line).await?;
            status = 1;
        }
    }
    Ok(status)
}
