//! `shuf`: lines, words or numbers in random order.
//!
//! The algorithms are gnulib's, so that `--random-source` gives the same order as the real shuf. Without it the run's seeded
//! generator is the source.

use std::collections::HashMap;

use super::message::message;
use super::random_source::{Bytes, Exhausted, RandomSource};
use super::usage::{self, Failure};
use super::{lines, numbers};
use crate::args::{COREUTILS, CountError, Opt, Parsed, Spec, UsageError, parse_count, quote};
use crate::fs::{FileKind, OpenFlags};
use crate::kernel::{Input, Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "shuf",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Echo,
    Range,
    Count,
    Output,
    RandomSource,
    Repeat,
    Zero,
}

static SPEC: Spec<Flag> = Spec::new(
    "shuf",
    COREUTILS,
    &[
        "[OPTION]... [FILE]",
        "-e [OPTION]... [ARG]...",
        "-i LO-HI [OPTION]...",
    ],
    "Write a random permutation of the input lines to standard output.\n\n\
     With no FILE, or when FILE is -, read standard input.",
    &[
        Opt::flag(Flag::Echo, 'e', "echo", "treat each ARG as an input line"),
        Opt::required(
            Flag::Range,
            'i',
            "input-range",
            "LO-HI",
            "treat each number LO through HI as an input line",
        ),
        Opt::required(
            Flag::Count,
            'n',
            "head-count",
            "COUNT",
            "output at most COUNT lines",
        ),
        Opt::required(
            Flag::Output,
            'o',
            "output",
            "FILE",
            "write result to FILE instead of standard output",
        ),
        Opt::long(Flag::RandomSource, "random-source", "get random bytes from FILE").takes("FILE"),
        Opt::flag(Flag::Repeat, 'r', "repeat", "output lines can be repeated"),
        Opt::flag(
            Flag::Zero,
            'z',
            "zero-terminated",
            "line delimiter is NUL, not newline",
        ),
    ],
);

#[derive(Debug)]
struct Plan {
    echo: bool,
    /// First number and how many.
    range: Option<(u64, u64)>,
    count: u64,
    output: Option<Vec<u8>>,
    random_source: Option<Vec<u8>>,
    repeat: bool,
    delimiter: u8,
    operands: Vec<Vec<u8>>,
}

impl Plan {
    fn from_arguments(arguments: &[Vec<u8>]) -> Result<Plan, UsageError> {
        let Parsed { options, operands } = SPEC.parse(arguments)?;
        let mut plan = Plan {
            echo: false,
            range: None,
            count: u64::MAX,
            output: None,
            random_source: None,
            repeat: false,
            delimiter: b'\n',
            operands,
        };
        for (flag, value) in options {
            plan.set(flag, value.unwrap_or_default())?;
        }
        if plan.echo && plan.range.is_some() {
            return Err(SPEC.complain("cannot combine -e and -i options"));
        }
        let most = usize::from(plan.range.is_none());
        if let (false, Some(extra)) = (plan.echo, plan.operands.get(most)) {
            return Err(SPEC.extra_operand(extra));
        }
        Ok(plan)
    }

    fn set(&mut self, flag: Flag, value: Vec<u8>) -> Result<(), UsageError> {
        let plain = |text: &str| Err(UsageError::plain(1, text));
        match flag {
            Flag::Echo => self.echo = true,
            Flag::Range => {
                if self.range.is_some() {
                    return plain("multiple -i options specified");
                }
                self.range = Some(range(&value)?);
            }
            Flag::Count => match parse_count(&value, "") {
                Ok(count) => self.count = self.count.min(count),
                Err(CountError::Overflow) => {}
                Err(CountError::Invalid) => {
                    return Err(UsageError::plain(
                        1,
                        message!("invalid line count: ", quote(&value)),
                    ));
                }
            },
            Flag::Output => {
                if self.output.as_ref().is_some_and(|before| *before != value) {
                    return plain("multiple output files specified");
                }
                self.output = Some(value);
            }
            Flag::RandomSource => {
                if self.random_source.as_ref().is_some_and(|before| *before != value) {
                    return plain("multiple random sources specified");
                }
                self.random_source = Some(value);
            }
            Flag::Repeat => self.repeat = true,
            Flag::Zero => self.delimiter = 0,
        }
        Ok(())
    }
}

fn range(text: &[u8]) -> Result<(u64, u64), UsageError> {
    const SENTENCE: &str = "invalid input range";
    let number = |text: &[u8]| numbers::unsigned(text, "", (0, u64::MAX), SENTENCE);
    let invalid = || UsageError::plain(1, message!(SENTENCE, ": ", quote(text)));
    let Some(dash) = memchr::memchr(b'-', text) else {
        number(text)?;
        return Err(invalid());
    };
    let (low, high) = text.split_at_checked(dash).unwrap_or_default();
    let (low, high) = (number(low)?, number(high.get(1..).unwrap_or_default())?);
    let count = high.wrapping_sub(low).wrapping_add(1);
    if (low <= high) == (count == 0) {
        Err(invalid())
    } else {
        Ok((low, count))
    }
}

/// What is shuffled.
enum Items {
    Words(Vec<Vec<u8>>),
    Lines(Vec<u8>, Vec<(usize, usize)>),
    Numbers(u64, u64),
}

impl Items {
    fn count(&self) -> u64 {
        match self {
            Items::Words(words) => words.len() as u64,
            Items::Lines(_, places) => places.len() as u64,
            Items::Numbers(_, count) => *count,
        }
    }

    fn push(&self, out: &mut Vec<u8>, index: u64) {
        let place = usize::try_from(index).unwrap_or(usize::MAX);
        match self {
            Items::Words(words) => out.extend_from_slice(words.get(place).map_or(b"", Vec::as_slice)),
            Items::Lines(text, places) => {
                let (start, end) = places.get(place).copied().unwrap_or_default();
                out.extend_from_slice(text.get(start..end).unwrap_or_default());
            }
            Items::Numbers(first, _) => out.extend_from_slice((first + index).to_string().as_bytes()),
        }
    }
}

async fn exhausted(proc: &mut Proc, plan: &Plan, why: Exhausted) -> Stop {
    let path = plan.random_source.as_deref().unwrap_or_default();
    let reason = match why {
        Exhausted::End => ": end of file".to_owned(),
        Exhausted::Error(errno) => format!(": read error: {errno}"),
    };
    usage::fail(proc, 1, message!(quote(path), reason)).await
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let plan = Plan::from_arguments(proc.arguments());
    let mut plan = usage::accept(proc, plan).await?;
    let mut input = None;
    if !plan.echo && plan.range.is_none() {
        let path = plan.operands.first().cloned().unwrap_or_else(|| b"-".to_vec());
        let Some(opened) = usage::open_input(proc, &path).await? else {
            return Ok(1);
        };
        input = Some(opened);
    }
    let mut source = random_source(proc, &plan).await?;
    if let Some(input) = &mut input
        && !plan.repeat
        && plan.count != u64::MAX
        && !is_small(input)
    {
        return sample(proc, &plan, input, &mut source).await;
    }
    let mut lease = proc.kernel.lease();
    let items = match (plan.range, &mut input) {
        (Some((first, count)), _) => Items::Numbers(first, count),
        (None, Some(input)) => {
            let read = input.rest(&mut lease).await;
            read_lines(proc, &plan, read).await?
        }
        (None, None) => Items::Words(std::mem::take(&mut plan.operands)),
    };
    open_output(proc, &plan).await?;
    if plan.repeat {
        return repeat(proc, &plan, &items, &mut source).await;
    }
    let count = items.count().min(plan.count);
    permute(proc, &plan, &items, count, &mut source).await?;
    Ok(0)
}

async fn random_source(proc: &mut Proc, plan: &Plan) -> Result<RandomSource, Stop> {
    let Some(path) = &plan.random_source else {
        return Ok(RandomSource::new(Bytes::Kernel(proc.kernel.clone())));
    };
    match proc.open(path, OpenFlags::READ).await {
        Ok(file) => Ok(RandomSource::new(Bytes::File(file))),
        Err(errno) => {
            usage::warn_file(proc, path, errno).await?;
            Err(Stop::Exit(1))
        }
    }
}

/// Up to 8 MiB that are known before are read as a whole.
fn is_small(input: &Input) -> bool {
    let file = input.file();
    file.metadata().is_ok_and(|metadata| {
        metadata.kind == FileKind::Regular && metadata.size.saturating_sub(file.offset()) <= 8 << 20
    })
}

async fn read_lines(
    proc: &mut Proc,
    plan: &Plan,
    read: Result<Vec<u8>, crate::fs::Errno>,
) -> Result<Items, Stop> {
    let text = match usage::settle(read.map_err(Failure::from))? {
        Ok(text) => text,
        Err(errno) => return Err(usage::fail(proc, 1, format!("read error: {errno}")).await),
    };
    let mut places = Vec::new();
    let mut start = 0;
    for line in lines::split(&text, plan.delimiter) {
        places.push((start, start + lines::text(line, plan.delimiter).len()));
        start += line.len();
    }
    Ok(Items::Lines(text, places))
}

async fn open_output(proc: &mut Proc, plan: &Plan) -> Result<(), Stop> {
    let Some(path) = &plan.output else {
        return Ok(());
    };
    let opened = match proc.open(path, OpenFlags::CREATE).await {
        Ok(file) => proc.fds.set(1, file, proc.open_files).map(drop),
        Err(errno) => Err(errno),
    };
    if let Err(errno) = opened {
        usage::warn_file(proc, path, errno).await?;
        return Err(Stop::Exit(1));
    }
    Ok(())
}

async fn put(proc: &mut Proc, plan: &Plan, items: &Items, index: u64) -> Result<(), Stop> {
    items.push(proc.out(), index);
    proc.out().push(plan.delimiter);
    proc.charge(1)?;
    proc.flush_if_full().await
}

async fn repeat(proc: &mut Proc, plan: &Plan, items: &Items, source: &mut RandomSource) -> Result<i32, Stop> {
    if plan.count == 0 {
        return Ok(0);
    }
    let Some(greatest) = items.count().checked_sub(1) else {
        return Err(usage::fail(proc, 1, "no lines to repeat").await);
    };
    for _ in 0..plan.count {
        match source.up_to(greatest).await {
            Ok(index) => put(proc, plan, items, index).await?,
            Err(why) => return Err(exhausted(proc, plan, why).await),
        }
    }
    Ok(0)
}

/// Prints the first `count` places of a random permutation: Fisher and Yates, with the places that are not as they were in a table.
async fn permute(
    proc: &mut Proc,
    plan: &Plan,
    items: &Items,
    count: u64,
    source: &mut RandomSource,
) -> Result<(), Stop> {
    let total = items.count();
    let mut lease = proc.kernel.lease();
    let mut moved: HashMap<u64, u64> = HashMap::new();
    let mut order = Vec::new();
    for place in 0..count {
        let chosen = match source.up_to(total - place - 1).await {
            Ok(offset) => place + offset,
            Err(why) => return Err(exhausted(proc, plan, why).await),
        };
        let here = moved.remove(&place).unwrap_or(place);
        let index = if chosen == place {
            here
        } else {
            moved.insert(chosen, here).unwrap_or(chosen)
        };
        // The real one prints nothing when its source ends early.
        if plan.random_source.is_some() {
            order.push(index);
        } else {
            put(proc, plan, items, index).await?;
        }
        if place % 1024 == 0 {
            lease.resize(moved.len() * 48 + order.len() * 8)?;
            proc.kernel.breathe().await;
        }
    }
    for index in order {
        put(proc, plan, items, index).await?;
    }
    Ok(())
}

/// `-n` of an input that may be large or endless: holds as many lines as are wanted, and replaces them by later ones with falling
/// probability.
async fn sample(
    proc: &mut Proc,
    plan: &Plan,
    input: &mut Input,
    source: &mut RandomSource,
) -> Result<i32, Stop> {
    let mut lease = proc.kernel.lease();
    let mut kept: Vec<Vec<u8>> = Vec::new();
    let mut number = 0_u64;
    loop {
        // Where the next line goes is drawn before it is known whether there is one.
        let place = if (kept.len() as u64) < plan.count {
            kept.len() as u64
        } else {
            match source.up_to(number).await {
                Ok(place) => place,
                Err(why) => return Err(exhausted(proc, plan, why).await),
            }
        };
        let read = input.line(plan.delimiter).await.map_err(Failure::from);
        let line = match usage::settle(read)? {
            Ok(Some(line)) => lines::text(line, plan.delimiter),
            Ok(None) => break,
            Err(errno) => return Err(usage::fail(proc, 1, format!("read error: {errno}")).await),
        };
        number += 1;
        if let Some(slot) = kept.get_mut(usize::try_from(place).unwrap_or(usize::MAX)) {
            slot.clear();
            slot.extend_from_slice(line);
        } else if (kept.len() as u64) < plan.count {
            lease.grow(line.len() + size_of::<Vec<u8>>())?;
            kept.push(line.to_vec());
        }
    }
    open_output(proc, plan).await?;
    let items = Items::Words(kept);
    permute(proc, plan, &items, items.count(), source).await?;
    Ok(0)
}
