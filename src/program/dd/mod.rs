//! `dd`: copies blocks, with conversions, and says how many.
//!
//! [`operands`] reads the command line, [`copy`] moves the blocks, [`report`] is what stands on standard error at the end. Conversions to and from EBCDIC, `block`,
//! `unblock` and `sparse` are refused as unknown ones are; flags that concern caches and devices (`direct`, `sync`, `nocache` …) have
//! nothing to act on here.

mod copy;
mod operands;
mod report;

use std::sync::Arc;

use self::copy::Copy;
use self::operands::Plan;
use super::message::message;
use super::usage;
use crate::args::{COREUTILS, Spec, quoteaf};
use crate::fs::{Errno, OpenFlags};
use crate::kernel::{File, Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "dd",
    run: |proc| Box::pin(run(proc)),
};

static SPEC: Spec<()> =
    Spec::new("dd", COREUTILS, &["[OPERAND]...", "OPTION"], "", &[]).own_help(include_str!("usage.txt"));

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let plan = Plan::from_operands(&SPEC, &parsed.operands);
    let plan = usage::accept(proc, plan).await?;
    if plan.output_flags.append && plan.output.is_some() && !plan.conversions.keep_length {
        proc.warn("you probably want conv=notrunc with oflag=append")
            .await?;
    }
    let Some(input) = open_input(proc, &plan).await? else {
        return Ok(1);
    };
    let Some(output) = open_output(proc, &plan).await? else {
        return Ok(1);
    };
    let mut copy = Copy::new(proc, &plan, input, output).await?;
    let well = copy.run(proc).await?;
    report::print(proc, plan.level, &copy.counts).await?;
    Ok(i32::from(!well))
}

async fn refuse(proc: &mut Proc, path: &[u8], errno: Errno) -> Result<(), Stop> {
    proc.warn(message!("failed to open ", quoteaf(path), ": ", errno.message()))
        .await
}

async fn open_input(proc: &mut Proc, plan: &Plan) -> Result<Option<Arc<File>>, Stop> {
    let Some(path) = &plan.input else {
        return Ok(proc.stdin().ok());
    };
    let flags = OpenFlags {
        directory: plan.input_flags.directory,
        nofollow: plan.input_flags.no_follow,
        ..OpenFlags::READ
    };
    match proc.open(path, flags).await {
        Ok(file) => Ok(Some(file)),
        Err(errno) => {
            refuse(proc, path, errno).await?;
            Ok(None)
        }
    }
}

/// Opens the output and gives it its length: it is cut where writing starts, unless `notrunc` is asked for.
async fn open_output(proc: &mut Proc, plan: &Plan) -> Result<Option<Arc<File>>, Stop> {
    let Some(path) = &plan.output else {
        return Ok(proc.fds.get(1).cloned().ok());
    };
    let start = plan.seek_bytes();
    let cut = !plan.conversions.keep_length;
    let flags = OpenFlags {
        create: !plan.conversions.no_create,
        exclusive: plan.conversions.exclusive,
        truncate: cut && start == 0,
        append: plan.output_flags.append,
        nofollow: plan.output_flags.no_follow,
        ..OpenFlags::WRITE
    };
    let opened = proc.open(path, flags).await;
    let sized = match &opened {
        Ok(file) if cut && start > 0 && file.is_seekable() => proc.truncate(path, start),
        _ => Ok(()),
    };
    match opened {
        Ok(file) => {
            if let Err(errno) = sized {
                let place = message!(
                    "failed to truncate to ",
                    start.to_string(),
                    " bytes in output file "
                );
                proc.warn(message!(place, quoteaf(path), ": ", errno.message()))
                    .await?;
                return Ok(None);
            }
            Ok(Some(file))
        }
        Err(errno) => {
            refuse(proc, path, errno).await?;
            Ok(None)
        }
    }
}
