//! `link` and `unlink`: the system calls, with nothing around them.

use super::message::{complain, message};
use super::usage;
use crate::args::{COREUTILS, Spec, quoteaf};
use crate::fs::Follow;
use crate::kernel::{Proc, Program, Stop};

/// `link`.
pub const PROGRAM: Program = Program {
    name: "link",
    run: |proc| Box::pin(run_link(proc)),
};

/// `unlink`.
pub const UNLINK: Program = Program {
    name: "unlink",
    run: |proc| Box::pin(run_unlink(proc)),
};

static LINK_SPEC: Spec<()> = Spec::new(
    "link",
    COREUTILS,
    &["FILE1 FILE2", "OPTION"],
    "Call the link function to create a link named FILE2 to an existing FILE1.\n",
    &[],
);

static UNLINK_SPEC: Spec<()> = Spec::new(
    "unlink",
    COREUTILS,
    &["FILE", "OPTION"],
    "Call the unlink function to remove the specified FILE.\n",
    &[],
);

async fn run_link(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &LINK_SPEC).await?;
    let checked = LINK_SPEC.check_operands(&parsed, 2, 2);
    usage::accept(proc, checked).await?;
    let [from, to] = parsed.operands.as_slice() else {
        return Ok(1);
    };
    if let Err(errno) = proc.link(from, to, Follow::No) {
        let line = message!(
            "cannot create link ",
            quoteaf(to),
            " to ",
            quoteaf(from),
            ": ",
            errno.message()
        );
        proc.warn(line).await?;
        return Ok(1);
    }
    Ok(0)
}

async fn run_unlink(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &UNLINK_SPEC).await?;
    let checked = UNLINK_SPEC.check_operands(&parsed, 1, 1);
    usage::accept(proc, checked).await?;
    let [path] = parsed.operands.as_slice() else {
        return Ok(1);
    };
    if let Err(errno) = proc.unlink(path) {
        complain(proc, "cannot unlink", path, errno).await?;
        return Ok(1);
    }
    Ok(0)
}
