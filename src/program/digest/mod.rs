//! `md5sum`, `sha1sum`, `sha224sum`, `sha256sum`, `sha384sum`, `sha512sum`, `b2sum`, `cksum` and `sum`: checksums of files, and checking lists of them.
//!
//! One program under nine names, as in coreutils: a name fixes the algorithm and which options there are. [`algorithm`] computes, [`check`] reads
//! lists for `-c`, [`options`] is the command line.

mod algorithm;
mod check;
mod list;
mod options;

use self::algorithm::{Algorithm, Hasher};
use self::options::{Mode, Plan, Variant};
use super::usage;
use crate::fs::Errno;
use crate::kernel::{Input, Proc, Program, Stop};

macro_rules! program {
    ($constant:ident, $name:literal, $variant:expr) => {
        /// The program.
        pub const $constant: Program = Program {
            name: $name,
            run: |proc| Box::pin(run(proc, $variant)),
        };
    };
}

program!(B2SUM, "b2sum", &options::B2SUM);
program!(CKSUM, "cksum", &options::CKSUM);
program!(MD5SUM, "md5sum", &options::MD5SUM);
program!(SHA1SUM, "sha1sum", &options::SHA1SUM);
program!(SHA224SUM, "sha224sum", &options::SHA224SUM);
program!(SHA256SUM, "sha256sum", &options::SHA256SUM);
program!(SHA384SUM, "sha384sum", &options::SHA384SUM);
program!(SHA512SUM, "sha512sum", &options::SHA512SUM);
program!(SUM, "sum", &options::SUM);

async fn run(proc: &mut Proc, variant: &'static Variant) -> Result<i32, Stop> {
    let plan = Plan::from_arguments(variant, proc.arguments());
    let plan = usage::accept(proc, plan).await?;
    let mut status = 0;
    for path in usage::operands_or_stdin(plan.paths.clone()) {
        let well = match plan.mode {
            Mode::Check => check::check_list(proc, &plan, &path).await?,
            _ => print_digest(proc, &plan, &path).await?,
        };
        if !well {
            status = 1;
        }
    }
    Ok(status)
}

/// A file's digest; says why not when it cannot be read.
async fn digest_file(
    proc: &mut Proc,
    path: &[u8],
    mut hasher: Hasher,
    ignore_errors: bool,
) -> Result<Result<(Vec<u8>, u64), Errno>, Stop> {
    let mut input = match proc.open_operand(path).await {
        Ok(file) => Input::new(file),
        Err(errno) => return Ok(Err(errno)),
    };
    let mut length = 0;
    loop {
        proc.kernel.breathe().await;
        match input.block().await {
            Ok([]) => break,
            Ok(block) => {
                length += block.len() as u64;
                // As much work as a descriptor's charge for the bytes stands for.
                hasher.update(block);
                proc.charge(block.len() as u64 / 4096)?;
            }
            // The CRC of GNU cksum ends at an error as at the end of the file.
            Err(_) if ignore_errors => break,
            Err(errno) => return Ok(Err(errno)),
        }
    }
    Ok(Ok((hasher.finish(length), length)))
}

async fn print_digest(proc: &mut Proc, plan: &Plan, path: &[u8]) -> Result<bool, Stop> {
    let hasher = plan.algorithm.hasher(plan.length);
    let crc = plan.algorithm == Algorithm::Crc;
    let (digest, length) = match digest_file(proc, path, hasher, crc).await? {
        Ok(found) => found,
        Err(errno) => {
            usage::warn_file(proc, path, errno).await?;
            return Ok(false);
        }
    };
    let mut line = Vec::new();
    if plan.algorithm.is_number() {
        line = plan.algorithm.number_line(&digest, length).into_bytes();
        if !plan.paths.is_empty() {
            line.push(b' ');
            line.extend_from_slice(path);
        }
    } else {
        list::push_line(&mut line, plan, path, &digest);
    }
    line.push(plan.line_end);
    proc.write(&line).await?;
    Ok(true)
}
