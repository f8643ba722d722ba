//! `sort`: sorts, merges or checks lines.
//!
//! All input is held in one buffer; a line is its place in it and a [`Key::rank`], a number in the order of the first key, so that
//! most comparisons are one of integers. Text sorts by bytes, which is the order of `C.UTF-8`. Sorting is stable, lines that are
//! equal by all keys are compared as a whole unless `-s` or `-u` say otherwise.
//!
//! `--parallel`, `-S`, `-T`, `--batch-size` and `--compress-program` say how the real sort uses its machine and do not change what comes
//! out; their values are checked, then unused.

mod decimal;
mod key;
mod merge;
mod options;

use std::cmp::Ordering;
use std::sync::Arc;

use super::usage::{self, Failure};
use crate::args::{quoteaf, quotef};
use crate::fs::{Access, Errno, OpenFlags};
use crate::kernel::{Disposition, File, Input, Lease, Proc, Program, Signal, Stop};
use key::{Context, Key};
use md5::{Digest, Md5};
use options::{Check, Plan};

/// The program.
pub const PROGRAM: Program = Program {
    name: "sort",
    run: |proc| Box::pin(run(proc)),
};

/// Ends the program with the status of trouble.
async fn fail(proc: &mut Proc, message: impl AsRef<[u8]>) -> Stop {
    usage::fail(proc, i32::from(options::FAILURE), message).await
}

/// `open failed: FILE: ERROR`
async fn file_failed(proc: &mut Proc, what: &str, path: &[u8], errno: Errno) -> Stop {
    let reason = format!(": {errno}");
    fail(
        proc,
        [what.as_bytes(), b": ", &quotef(path), reason.as_bytes()].concat(),
    )
    .await
}

/// How lines compare.
struct Comparer {
    keys: Vec<Key>,
    context: Context,
    reverse: bool,
    last_resort: bool,
}

impl Comparer {
    /// The rank of a line.
    fn rank(&self, line: &[u8]) -> u64 {
        match self.keys.first() {
            Some(key) => key.rank(line, &self.context),
            None => {
                let rank = key::first_bytes(line.iter().copied());
                if self.reverse { !rank } else { rank }
            }
        }
    }

    /// Compares lines whose ranks are equal.
    fn compare(&self, left: &[u8], right: &[u8]) -> Ordering {
        for key in &self.keys {
            let order = key.compare(left, right, &self.context);
            if order.is_ne() {
                return order;
            }
        }
        if !self.last_resort && !self.keys.is_empty() {
            return Ordering::Equal;
        }
        let order = left.cmp(right);
        if self.reverse { order.reverse() } else { order }
    }
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let plan = Plan::from_arguments(proc.arguments());
    let mut plan = usage::accept(proc, plan).await?;
    if let Some(list) = plan.files_from.take() {
        plan.files = read_names(proc, &list).await?;
    }
    if plan.files.is_empty() {
        plan.files.push(b"-".to_vec());
    }
    let comparer = comparer(proc, &plan).await?;
    if let Some(check) = plan.check {
        return check_order(proc, &plan, &comparer, check).await;
    }
    check_access(proc, &plan).await?;
    if plan.merge {
        merge::merge(proc, &plan, &comparer).await?;
    } else {
        sort(proc, &plan, &comparer).await?;
    }
    Ok(0)
}

async fn comparer(proc: &mut Proc, plan: &Plan) -> Result<Comparer, Stop> {
    let random = if plan.keys.iter().any(|key| key.order.random) {
        Some(random_state(proc, plan).await?)
    } else {
        None
    };
    Ok(Comparer {
        keys: plan.keys.clone(),
        context: Context {
            separator: plan.separator,
            random,
        },
        reverse: plan.reverse,
        last_resort: !plan.stable && !plan.unique,
    })
}

async fn random_state(proc: &mut Proc, plan: &Plan) -> Result<Md5, Stop> {
    let mut seed = Vec::new();
    match &plan.random_source {
        None => {
            seed.resize(16, 0);
            proc.kernel.fill_random(&mut seed);
        }
        Some(path) => {
            let file = match proc.open(path, OpenFlags::READ).await {
                Ok(file) => file,
                Err(errno) => return Err(file_failed(proc, "open failed", path, errno).await),
            };
            while seed.len() < 16 {
                let missing = 16 - seed.len();
                match file.read(&mut seed, missing).await {
                    Ok(0) => {
                        let message = [crate::args::quote(path).as_slice(), b": end of file"].concat();
                        return Err(fail(proc, message).await);
                    }
                    Ok(_) => {}
                    Err(errno) => {
                        let message = format!(": read error: {errno}");
                        let message = [crate::args::quote(path).as_slice(), message.as_bytes()].concat();
                        return Err(fail(proc, message).await);
                    }
                }
            }
        }
    }
    let mut state = Md5::new();
    state.update(&seed);
    Ok(state)
}

/// The names in a file of `--files0-from`.
async fn read_names(proc: &mut Proc, list: &[u8]) -> Result<Vec<Vec<u8>>, Stop> {
    let file = match proc.open_operand(list).await {
        Ok(file) => file,
        Err(errno) => return Err(file_failed(proc, "open failed", list, errno).await),
    };
    let mut lease = proc.kernel.lease();
    let Ok(bytes) = Input::new(file).rest(&mut lease).await else {
        let message = [b"cannot read file names from ", quoteaf(list).as_slice()].concat();
        return Err(fail(proc, message).await);
    };
    if bytes.is_empty() {
        return Err(fail(proc, [b"no input from ", quoteaf(list).as_slice()].concat()).await);
    }
    let bytes = bytes.strip_suffix(b"\0").unwrap_or(&bytes);
    let mut names = Vec::new();
    for (index, name) in bytes.split(|byte| *byte == 0).enumerate() {
        if name == b"-" && list == b"-" {
            let message = "when reading file names from stdin, no file name of '-' allowed";
            return Err(fail(proc, message).await);
        }
        if name.is_empty() {
            let place = format!(":{}: invalid zero-length file name", index + 1);
            return Err(fail(proc, [&quotef(list), place.as_bytes()].concat()).await);
        }
        names.push(name.to_vec());
    }
    Ok(names)
}

/// All inputs must be there, and the output writable, before anything is read.
async fn check_access(proc: &mut Proc, plan: &Plan) -> Result<(), Stop> {
    for path in plan.files.iter().filter(|path| *path != b"-") {
        if let Err(errno) = proc.access(path, Access::READ) {
            return Err(file_failed(proc, "cannot read", path, errno).await);
        }
    }
    if let Some(path) = &plan.output {
        let flags = OpenFlags {
            create: true,
            ..OpenFlags::WRITE
        };
        if let Err(errno) = proc.open(path, flags).await {
            return Err(file_failed(proc, "open failed", path, errno).await);
        }
    }
    Ok(())
}

/// A line in the buffer.
#[derive(Debug, Clone, Copy)]
struct Line {
    rank: u64,
    start: usize,
    end: usize,
}

fn text(buffer: &[u8], line: Line) -> &[u8] {
    buffer.get(line.start..line.end).unwrap_or_default()
}

/// Everything there is to sort, each line with its delimiter.
async fn read_all(proc: &mut Proc, plan: &Plan, lease: &mut Lease) -> Result<Vec<u8>, Stop> {
    let mut buffer = Vec::new();
    for path in &plan.files {
        let file = match proc.open_operand(path).await {
            Ok(file) => file,
            Err(errno) => return Err(file_failed(proc, "open failed", path, errno).await),
        };
        let mut input_lease = proc.kernel.lease();
        let bytes = match Input::new(file).rest(&mut input_lease).await {
            Ok(bytes) => bytes,
            Err(errno) => return Err(file_failed(proc, "read failed", path, errno).await),
        };
        lease.grow(bytes.len() + 1)?;
        drop(input_lease);
        if buffer.is_empty() {
            buffer = bytes;
        } else {
            buffer.extend_from_slice(&bytes);
        }
        if buffer.last().is_some_and(|byte| *byte != plan.delimiter) {
            buffer.push(plan.delimiter);
        }
    }
    Ok(buffer)
}

/// Lines sorted without a pause.
const RUN: usize = 64 << 10;

async fn sort(proc: &mut Proc, plan: &Plan, comparer: &Comparer) -> Result<(), Stop> {
    let mut lease = proc.kernel.lease();
    let buffer = read_all(proc, plan, &mut lease).await?;
    let count = memchr::memchr_iter(plan.delimiter, &buffer).count();
    lease.grow(count.saturating_mul(2 * size_of::<Line>()))?;
    let mut lines = Vec::with_capacity(count);
    let mut start = 0;
    for end in memchr::memchr_iter(plan.delimiter, &buffer) {
        let rank = comparer.rank(buffer.get(start..end).unwrap_or_default());
        lines.push(Line { rank, start, end });
        start = end + 1;
    }
    let compare = |left: &Line, right: &Line| {
        let by_rank = left.rank.cmp(&right.rank);
        by_rank.then_with(|| comparer.compare(text(&buffer, *left), text(&buffer, *right)))
    };
    // Runs first, so that others can go on in between; the sort over all finds them and merges.
    for run in lines.chunks_mut(RUN) {
        proc.charge(run.len() as u64 / 2 + 1)?;
        run.sort_by(compare);
        proc.kernel.breathe().await;
    }
    if lines.len() > RUN {
        proc.charge(lines.len() as u64 / 4)?;
        lines.sort_by(compare);
    }
    if plan.unique {
        lines.dedup_by(|next, kept| compare(kept, next).is_eq());
    }
    let mut output = Output::open(proc, plan).await?;
    for line in lines {
        // With its delimiter.
        let bytes = buffer.get(line.start..=line.end).unwrap_or_default();
        output.write(proc, bytes).await?;
    }
    output.flush(proc).await
}

/// Where the result goes.
struct Output {
    file: Result<Arc<File>, Errno>,
    /// The file; `None` for standard output.
    path: Option<Vec<u8>>,
    buffer: Vec<u8>,
}

impl Output {
    async fn open(proc: &mut Proc, plan: &Plan) -> Result<Output, Stop> {
        let path = plan.output.clone();
        let file = match &path {
            None => proc.fds.get(1).cloned(),
            Some(path) => match proc.open(path, OpenFlags::CREATE).await {
                Ok(file) => Ok(file),
                Err(errno) => return Err(file_failed(proc, "open failed", path, errno).await),
            },
        };
        Ok(Output {
            file,
            path,
            buffer: Vec::new(),
        })
    }

    async fn write(&mut self, proc: &mut Proc, bytes: &[u8]) -> Result<(), Stop> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= 32 << 10 {
            self.flush(proc).await
        } else {
            Ok(())
        }
    }

    async fn flush(&mut self, proc: &mut Proc) -> Result<(), Stop> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let result = match &self.file {
            Ok(file) => file.write_all(&self.buffer).await,
            Err(errno) => Err(*errno),
        };
        self.buffer.clear();
        let Err(errno) = result else { return Ok(()) };
        if let Some(halt) = proc.kernel.meter().halted() {
            return Err(Stop::Halt(halt));
        }
        if errno == Errno::EPIPE && proc.signals.disposition(Signal::PIPE) == Disposition::Default {
            return Err(Stop::Signal(Signal::PIPE));
        }
        let name = self
            .path
            .as_deref()
            .map_or_else(|| quoteaf(b"standard output"), quotef);
        let message = format!(": {errno}");
        proc.warn([b"fflush failed: ", name.as_slice(), message.as_bytes()].concat())
            .await?;
        Err(fail(proc, "write error").await)
    }
}

/// `-c`, `-C`: whether the lines are in order.
async fn check_order(proc: &mut Proc, plan: &Plan, comparer: &Comparer, check: Check) -> Result<i32, Stop> {
    let Some(path) = plan.files.first() else {
        return Ok(0);
    };
    let file = match proc.open_operand(path).await {
        Ok(file) => file,
        Err(errno) => return Err(file_failed(proc, "open failed", path, errno).await),
    };
    let mut input = Input::new(file);
    let disorder = find_disorder(proc, &mut input, plan, comparer).await;
    match usage::settle(disorder)? {
        Ok(None) => Ok(0),
        Ok(Some((number, line))) => {
            if check == Check::Loudly {
                let place = format!(":{number}: disorder: ");
                let shown = [&quotef(path), place.as_bytes(), &line, &[plan.delimiter]].concat();
                let name = proc.name().to_vec();
                proc.write_error(&[name.as_slice(), b": ", &shown].concat())
                    .await?;
            }
            Ok(1)
        }
        Err(errno) => Err(file_failed(proc, "read failed", path, errno).await),
    }
}

/// The first line that should stand before the line before it, and its number.
async fn find_disorder(
    proc: &mut Proc,
    input: &mut Input,
    plan: &Plan,
    comparer: &Comparer,
) -> Result<Option<(u64, Vec<u8>)>, Failure> {
    let mut previous: Option<Vec<u8>> = None;
    let mut number = 0_u64;
    loop {
        let block = super::lines::whole_lines(input, plan.delimiter).await?;
        if block.is_empty() {
            return Ok(None);
        }
        for line in super::lines::split(block, plan.delimiter) {
            let line = super::lines::text(line, plan.delimiter);
            number += 1;
            if let Some(before) = &previous {
                let order = comparer.compare(before, line);
                if order.is_gt() || (plan.unique && order.is_eq()) {
                    return Ok(Some((number, line.to_vec())));
                }
            }
            let kept = previous.get_or_insert_default();
            kept.clear();
            kept.extend_from_slice(line);
        }
        proc.charge(number / 1024)?;
    }
}
