//! `-c`: reads a list of digests and says which files still have them.

use super::algorithm::Algorithm;
use super::list::{Entry, Reader, push_escaped};
use super::options::{Plan, Talk};
use super::{digest_file, usage};
use crate::args::quotef;
use crate::fs::Errno;
use crate::kernel::{Proc, Stop};

/// What a list came to.
#[derive(Default)]
struct Tally {
    formatted: bool,
    matched: bool,
    misformatted: u64,
    unreadable: u64,
    mismatched: u64,
}

/// Checks one list. Whether all was well.
pub async fn check_list(proc: &mut Proc, plan: &Plan, path: &[u8]) -> Result<bool, Stop> {
    let Some(mut input) = usage::open_input(proc, path).await? else {
        return Ok(false);
    };
    let is_stdin = path == b"-";
    let name = quotef(if is_stdin { b"standard input" } else { path });
    let mut reader = Reader {
        algorithm: plan.given.then_some(plan.algorithm),
        one_blank: None,
    };
    let mut tally = Tally::default();
    let mut number = 0_u64;
    loop {
        proc.kernel.breathe().await;
        let line = match input.line(b'\n').await {
            Ok(Some(line)) => line.to_vec(),
            Ok(None) => break,
            Err(_) => {
                proc.warn([&name, b": read error".as_slice()].concat()).await?;
                return Ok(false);
            }
        };
        number += 1;
        proc.charge(1)?;
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if text.is_empty() || text.starts_with(b"#") {
            continue;
        }
        let entry = reader
            .read(text)
            .filter(|entry| !(is_stdin && entry.name == b"-"));
        match entry {
            Some(entry) => check_file(proc, plan, &entry, &mut tally).await?,
            None => {
                tally.misformatted += 1;
                if plan.talk == Talk::Warn {
                    let tag = reader.algorithm.map_or("CRC", Algorithm::tag);
                    let what = format!(": {number}: improperly formatted {tag} checksum line");
                    proc.warn([&name, what.as_bytes()].concat()).await?;
                }
            }
        }
    }
    sum_up(proc, plan, &name, &tally).await?;
    Ok(tally.formatted
        && tally.matched
        && tally.mismatched == 0
        && tally.unreadable == 0
        && !(plan.strict && tally.misformatted > 0))
}

async fn check_file(proc: &mut Proc, plan: &Plan, entry: &Entry, tally: &mut Tally) -> Result<(), Stop> {
    tally.formatted = true;
    let hasher = entry.algorithm.hasher(entry.digest.len());
    let outcome = match digest_file(proc, &entry.name, hasher, false).await? {
        Err(Errno::ENOENT) if plan.ignore_missing => return Ok(()),
        Err(errno) => {
            usage::warn_file(proc, &entry.name, errno).await?;
            tally.unreadable += 1;
            ": FAILED open or read\n"
        }
        Ok((digest, _)) if digest == entry.digest => {
            tally.matched = true;
            if plan.talk == Talk::Quiet {
                return Ok(());
            }
            ": OK\n"
        }
        Ok(_) => {
            tally.mismatched += 1;
            ": FAILED\n"
        }
    };
    if plan.talk == Talk::Nothing {
        return Ok(());
    }
    let mut line = Vec::new();
    if entry.name.contains(&b'\n') {
        line.push(b'\\');
        push_escaped(&mut line, &entry.name);
    } else {
        line.extend_from_slice(&entry.name);
    }
    line.extend_from_slice(outcome.as_bytes());
    proc.write(&line).await
}

async fn sum_up(proc: &mut Proc, plan: &Plan, name: &[u8], tally: &Tally) -> Result<(), Stop> {
    if !tally.formatted {
        let message = [name, b": no properly formatted checksum lines found"].concat();
        return proc.warn(message).await;
    }
    if plan.talk == Talk::Nothing {
        return Ok(());
    }
    let counted = [
        (tally.misformatted, "line is", "lines are", "improperly formatted"),
        (
            tally.unreadable,
            "listed file",
            "listed files",
            "could not be read",
        ),
        (
            tally.mismatched,
            "computed checksum",
            "computed checksums",
            "did NOT match",
        ),
    ];
    for (count, one, many, what) in counted {
        if count > 0 {
            let noun = if count == 1 { one } else { many };
            proc.warn(format!("WARNING: {count} {noun} {what}")).await?;
        }
    }
    if plan.ignore_missing && !tally.matched {
        proc.warn([name, b": no file was verified"].concat()).await?;
    }
    Ok(())
}
