//! `gzip`, `gunzip` and `zcat`.
//!
//! The deflate streams are made by another library than gzip's, so that the bytes differ; what matters is that either reads the other's
//! files ([`codec`]). In Debian `gunzip` and `zcat` are scripts that run gzip, which is the name in their messages.

pub mod codec;

use self::codec::{Broken, pack, unpack};
use super::message::message;
use super::usage;
use crate::args::{Complaint, Opt, Package, Parsed, Spec, UsageError};
use crate::fs::{Errno, FileKind, Follow, Metadata, OpenFlags};
use crate::kernel::{Input, Lease, Proc, Program, Stop};

/// `gzip`
pub const GZIP: Program = Program {
    name: "gzip",
    run: |proc| Box::pin(run(proc, As::Gzip)),
};

/// `gunzip`
pub const GUNZIP: Program = Program {
    name: "gunzip",
    run: |proc| Box::pin(run(proc, As::Gunzip)),
};

/// `zcat`
pub const ZCAT: Program = Program {
    name: "zcat",
    run: |proc| Box::pin(run(proc, As::Zcat)),
};

#[derive(Clone, Copy, PartialEq)]
enum As {
    Gzip,
    Gunzip,
    Zcat,
}

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Ascii,
    Stdout,
    Decompress,
    Force,
    Keep,
    List,
    NoName,
    Name,
    Quiet,
    Recursive,
    Suffix,
    Test,
    Verbose,
    Fast,
    Best,
    Level,
    Rsyncable,
    Synchronous,
    License,
    Lzw,
}

static SPEC: Spec<Flag> = Spec::new(
    "gzip",
    Package::Line("gzip 1.12"),
    &["[OPTION]... [FILE]..."],
    "Compress or uncompress FILEs (by default, compress FILES in-place).\n\nMandatory arguments to long options are mandatory for short options too.",
    &[
        Opt::flag(Flag::Ascii, 'a', "ascii", ""),
        Opt::flag(Flag::Stdout, 'c', "stdout", "write on standard output, keep original files unchanged"),
        Opt::long(Flag::Stdout, "to-stdout", ""),
        Opt::flag(Flag::Decompress, 'd', "decompress", "decompress"),
        Opt::long(Flag::Decompress, "uncompress", ""),
        Opt::flag(Flag::Force, 'f', "force", "force overwrite of output file and compress links"),
        Opt::flag(Flag::Keep, 'k', "keep", "keep (don't delete) input files"),
        Opt::flag(Flag::List, 'l', "list", "list compressed file contents"),
        Opt::flag(Flag::License, 'L', "license", ""),
        Opt::flag(Flag::NoName, 'n', "no-name", "do not save or restore the original name and timestamp"),
        Opt::flag(Flag::Name, 'N', "name", "save or restore the original name and timestamp"),
        Opt::flag(Flag::Quiet, 'q', "quiet", "suppress all warnings"),
        Opt::long(Flag::Quiet, "silent", ""),
        Opt::flag(Flag::Recursive, 'r', "recursive", "operate recursively on directories"),
        Opt::long(Flag::Rsyncable, "rsyncable", "make rsync-friendly archive"),
        Opt::required(Flag::Suffix, 'S', "suffix", "SUF", "use suffix SUF on compressed files"),
        Opt::long(Flag::Synchronous, "synchronous", "synchronous output (safer if system crashes, but slower)"),
        Opt::flag(Flag::Test, 't', "test", "test compressed file integrity"),
        Opt::flag(Flag::Verbose, 'v', "verbose", "verbose mode"),
        Opt::long(Flag::Fast, "fast", "compress faster"),
        Opt::long(Flag::Best, "best", "compress better"),
        Opt::short(Flag::Lzw, 'Z', ""),
        Opt::digits(Flag::Level, ""),
    ],
)
.complains(Complaint::BackquotedTry)
.help_letter('h')
.version_letter('V')
.notes("With no FILE, or when FILE is -, read standard input.\n\nReport bugs to <bug-gzip@gnu.org>.");

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Compress,
    Decompress,
    Test,
}

struct Plan {
    mode: Mode,
    stdout: bool,
    force: bool,
    keep: bool,
    /// Use the name in the header; `None`: the program's habit.
    names: Option<bool>,
    quiet: bool,
    recursive: bool,
    verbose: bool,
    level: u32,
    suffix: Vec<u8>,
    paths: Vec<Vec<u8>>,
}

impl Plan {
    fn from_options(parsed: Parsed<Flag>, program: As) -> Result<Plan, UsageError> {
        let mut plan = Plan {
            mode: if program == As::Gzip {
                Mode::Compress
            } else {
                Mode::Decompress
            },
            stdout: program == As::Zcat,
            force: false,
            keep: false,
            names: None,
            quiet: false,
            recursive: false,
            verbose: false,
            level: 6,
            suffix: b".gz".to_vec(),
            paths: parsed.operands,
        };
        for (flag, value) in parsed.options {
            match flag {
                Flag::Stdout => plan.stdout = true,
                Flag::Decompress if plan.mode == Mode::Compress => plan.mode = Mode::Decompress,
                Flag::Test => plan.mode = Mode::Test,
                Flag::Force => plan.force = true,
                Flag::Keep => plan.keep = true,
                Flag::NoName => plan.names = Some(false),
                Flag::Name => plan.names = Some(true),
                Flag::Quiet => plan.quiet = true,
                Flag::Verbose => plan.verbose = true,
                Flag::Recursive => plan.recursive = true,
                Flag::Fast => plan.level = 1,
                Flag::Best => plan.level = 9,
                Flag::Level => plan.level = digit(value.as_deref()),
                Flag::Suffix => plan.suffix = value.unwrap_or_default(),
                Flag::List => return Err(UsageError::plain(1, "-l is not supported")),
                Flag::Lzw => return Err(SPEC.complain("-Z not supported in this version")),
                Flag::License => return Err(UsageError::plain(1, "-L is not supported")),
                // They change nothing that shows.
                Flag::Ascii | Flag::Decompress | Flag::Rsyncable | Flag::Synchronous => {}
            }
        }
        Ok(plan)
    }
}

fn digit(value: Option<&[u8]>) -> u32 {
    let digit = value.and_then(|value| value.first()).copied().unwrap_or(b'6');
    u32::from(digit.saturating_sub(b'0')).clamp(1, 9)
}

async fn run(proc: &mut Proc, program: As) -> Result<i32, Stop> {
    if let Some(name) = proc.args.first_mut() {
        *name = b"gzip".to_vec();
    }
    let parsed = usage::parse(proc, &SPEC).await?;
    let plan = usage::accept(proc, Plan::from_options(parsed, program)).await?;
    let mut status = 0;
    let mut pending: Vec<Vec<u8>> = usage::operands_or_stdin(plan.paths.clone());
    pending.reverse();
    while let Some(path) = pending.pop() {
        let done = if path == b"-" {
            work_on_stdin(proc, &plan).await?
        } else {
            work_on_file(proc, &plan, &path, &mut pending).await?
        };
        // An error outweighs a warning.
        status = match (status, done) {
            (1, _) | (_, 1) => 1,
            (before, done) => before.max(done),
        };
    }
    Ok(status)
}

async fn warn(proc: &mut Proc, plan: &Plan, text: impl AsRef<[u8]>) -> Result<i32, Stop> {
    if !plan.quiet {
        proc.warn(text).await?;
    }
    Ok(2)
}

async fn fail(proc: &mut Proc, path: &[u8], errno: Errno) -> Result<i32, Stop> {
    proc.warn(message!(path, ": ", errno.message())).await?;
    Ok(1)
}

/// Says what is wrong with a file: the status.
async fn complain(proc: &mut Proc, plan: &Plan, path: &[u8], broken: Broken) -> Result<i32, Stop> {
    let what = match broken {
        Broken::NotGzip => "not in gzip format",
        Broken::Short => "unexpected end of file",
        Broken::Data => "invalid compressed data--format violated",
        Broken::Checksum => "invalid compressed data--crc error",
        Broken::Length => "invalid compressed data--length error",
        Broken::Garbage => {
            if plan.quiet {
                return Ok(2);
            }
            "decompression OK, trailing garbage ignored"
        }
    };
    proc.flush().await?;
    proc.write_error(b"\n").await?;
    proc.warn(message!(path, ": ", what)).await?;
    Ok(if broken == Broken::Garbage { 2 } else { 1 })
}

async fn work_on_stdin(proc: &mut Proc, plan: &Plan) -> Result<i32, Stop> {
    let input = match proc.stdin() {
        Ok(file) => Input::new(file),
        Err(errno) => return fail(proc, b"stdin", errno).await,
    };
    let (data, _lease) = match read(proc, input).await {
        Ok(read) => read,
        Err(errno) => return fail(proc, b"stdin", errno).await,
    };
    if plan.mode == Mode::Compress {
        let (packed, _lease) = pack(proc, &data, plan.level, None, 0).await?;
        proc.write(&packed).await?;
        return Ok(0);
    }
    let unpacked = unpack(proc, &data).await?;
    if unpacked.broken == Some(Broken::NotGzip) && plan.force && plan.stdout {
        proc.write(&data).await?;
        return Ok(0);
    }
    if plan.mode == Mode::Decompress {
        proc.write(&unpacked.data).await?;
    }
    match unpacked.broken {
        Some(broken) => complain(proc, plan, b"stdin", broken).await,
        None => Ok(0),
    }
}

async fn read(proc: &Proc, mut input: Input) -> Result<(Vec<u8>, Lease), Errno> {
    let mut lease = proc.kernel.lease();
    let data = input.rest(&mut lease).await?;
    Ok((data, lease))
}

/// The file to read: itself, or the one with the suffix when there is only that.
fn input_path(proc: &Proc, plan: &Plan, path: &[u8]) -> Result<(Vec<u8>, Metadata), (Vec<u8>, Errno)> {
    match proc.metadata(path, Follow::Yes) {
        Ok(found) => Ok((path.to_vec(), found)),
        Err(Errno::ENOENT) if plan.mode != Mode::Compress && !path.ends_with(&plan.suffix) => {
            let other = [path, &plan.suffix].concat();
            match proc.metadata(&other, Follow::Yes) {
                Ok(found) => Ok((other, found)),
                Err(errno) => Err((other, errno)),
            }
        }
        Err(errno) => Err((path.to_vec(), errno)),
    }
}

/// The name without the suffix of a compressed file.
fn uncompressed_name(path: &[u8], suffix: &[u8]) -> Option<Vec<u8>> {
    let stem = |ending: &[u8]| {
        let stem = path.strip_suffix(ending)?;
        (!stem.is_empty() && !stem.ends_with(b"/")).then(|| stem.to_vec())
    };
    if let Some(stem) = stem(suffix) {
        return Some(stem);
    }
    for ending in [b".gz".as_slice(), b".z", b"-gz", b"-z", b"_z", b".Z"] {
        if let Some(stem) = stem(ending) {
            return Some(stem);
        }
    }
    let archive = stem(b".tgz").or_else(|| stem(b".taz"))?;
    Some([&archive, b".tar".as_slice()].concat())
}

async fn work_on_file(
    proc: &mut Proc,
    plan: &Plan,
    path: &[u8],
    pending: &mut Vec<Vec<u8>>,
) -> Result<i32, Stop> {
    let (path, found) = match input_path(proc, plan, path) {
        Ok(found) => found,
        Err((path, errno)) => return fail(proc, &path, errno).await,
    };
    match found.kind {
        FileKind::Directory if plan.recursive => {
            let entries = match proc.read_dir(&path) {
                Ok(entries) => entries,
                Err(errno) => return fail(proc, &path, errno).await,
            };
            for entry in entries.into_iter().rev() {
                pending.push([path.as_slice(), b"/", &entry.name].concat());
            }
            return Ok(0);
        }
        FileKind::Directory => {
            return warn(proc, plan, message!(path, " is a directory -- ignored")).await;
        }
        FileKind::Regular => {}
        _ if plan.stdout => {}
        _ => {
            let text = message!(path, " is not a directory or a regular file - ignored");
            return warn(proc, plan, text).await;
        }
    }
    let target = match target_name(plan, &path) {
        Ok(target) => target,
        Err(None) => return Ok(0),
        Err(Some(text)) => {
            let status = warn(proc, plan, text).await?;
            // A file that is compressed already is no failure.
            return Ok(if plan.mode == Mode::Compress { 0 } else { status });
        }
    };
    let input = match proc.open(&path, OpenFlags::READ).await {
        Ok(file) => Input::new(file),
        Err(errno) => return fail(proc, &path, errno).await,
    };
    let (data, _lease) = match read(proc, input).await {
        Ok(read) => read,
        Err(errno) => return fail(proc, &path, errno).await,
    };
    convert(proc, plan, &path, target, &found, &data).await
}

/// The name of the file to make, empty where there is none. `Err`: the file is left alone, and what is said of that.
fn target_name(plan: &Plan, path: &[u8]) -> Result<Vec<u8>, Option<Vec<u8>>> {
    let uncompressed = uncompressed_name(path, &plan.suffix);
    if plan.mode != Mode::Compress {
        return match uncompressed {
            Some(name) => Ok(name),
            None if plan.stdout || plan.mode == Mode::Test => Ok(Vec::new()),
            None if plan.recursive => Err(None),
            None => Err(Some(message!(path, ": unknown suffix -- ignored"))),
        };
    }
    if uncompressed.is_some() && path.ends_with(&plan.suffix) && !plan.stdout {
        let suffix = plan.suffix.as_slice();
        let text = message!(path, " already has ", suffix, " suffix -- unchanged");
        return Err((plan.verbose || !plan.recursive).then_some(text));
    }
    Ok([path, &plan.suffix].concat())
}

async fn convert(
    proc: &mut Proc,
    plan: &Plan,
    path: &[u8],
    mut target: Vec<u8>,
    found: &Metadata,
    data: &[u8],
) -> Result<i32, Stop> {
    if plan.mode == Mode::Compress {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
        let named = plan.names != Some(false);
        let time = if named {
            u32::try_from(found.mtime.seconds).unwrap_or(0)
        } else {
            0
        };
        let (packed, _lease) = pack(proc, data, plan.level, named.then_some(name), time).await?;
        return conclude(proc, plan, path, &target, found, (data, &packed)).await;
    }
    let unpacked = unpack(proc, data).await?;
    if let (Some(name), Some(true)) = (&unpacked.name, plan.names) {
        let directory = path.len() - path.rsplit(|byte| *byte == b'/').next().unwrap_or(path).len();
        let own = name.rsplit(|byte| *byte == b'/').next().unwrap_or(name);
        target = [path.get(..directory).unwrap_or_default(), own].concat();
    }
    let mut status = 0;
    match unpacked.broken {
        Some(Broken::NotGzip) if plan.force && plan.stdout => {
            proc.write(data).await?;
            return Ok(0);
        }
        Some(broken) => {
            if plan.stdout && plan.mode == Mode::Decompress {
                proc.write(&unpacked.data).await?;
            }
            status = complain(proc, plan, path, broken).await?;
            if status == 1 || plan.stdout {
                return Ok(status);
            }
        }
        None => {}
    }
    match conclude(proc, plan, path, &target, found, (data, &unpacked.data)).await? {
        0 => Ok(status),
        failed => Ok(failed),
    }
}

/// Puts what was made where it belongs, and removes the old file.
async fn conclude(
    proc: &mut Proc,
    plan: &Plan,
    path: &[u8],
    target: &[u8],
    found: &Metadata,
    (data, made): (&[u8], &[u8]),
) -> Result<i32, Stop> {
    if plan.mode == Mode::Test {
        if plan.verbose {
            proc.write_error(&message!(path, ":\t OK\n")).await?;
        }
        return Ok(0);
    }
    if plan.stdout {
        proc.write(made).await?;
        return Ok(0);
    }
    let stored = store(proc, plan, target, made, found).await?;
    if stored != 0 {
        return Ok(stored);
    }
    if plan.verbose {
        report(proc, plan, path, target, (data.len(), made.len())).await?;
    }
    if !plan.keep
        && let Err(errno) = proc.unlink(path)
    {
        return fail(proc, path, errno).await;
    }
    Ok(0)
}

/// Writes the new file with the mode and times of the old one.
async fn store(
    proc: &mut Proc,
    plan: &Plan,
    target: &[u8],
    made: &[u8],
    found: &Metadata,
) -> Result<i32, Stop> {
    if proc.metadata(target, Follow::No).is_ok() {
        if !plan.force {
            return warn(proc, plan, message!(target, " already exists;\tnot overwritten")).await;
        }
        if let Err(errno) = proc.unlink(target) {
            return fail(proc, target, errno).await;
        }
    }
    let file = match proc.open_mode(target, OpenFlags::CREATE, 0o600).await {
        Ok(file) => file,
        Err(errno) => return fail(proc, target, errno).await,
    };
    let written = match file.write_all(made).await {
        Ok(()) => proc.set_mode(target, found.mode, Follow::Yes),
        failed => failed,
    };
    let written =
        written.and_then(|()| proc.set_times(target, Some(found.atime), Some(found.mtime), Follow::Yes));
    match written {
        Ok(()) => Ok(0),
        Err(errno) => fail(proc, target, errno).await,
    }
}

/// How much smaller it is, in percent of the larger file.
async fn report(
    proc: &mut Proc,
    plan: &Plan,
    path: &[u8],
    target: &[u8],
    (before, after): (usize, usize),
) -> Result<(), Stop> {
    let (large, small) = match plan.mode {
        Mode::Compress => (before as f64, after as f64),
        _ => (after as f64, before as f64),
    };
    let ratio = if large == 0.0 {
        0.0
    } else {
        (large - small) / large * 100.0
    };
    let what = if plan.keep { "created" } else { "replaced with" };
    let line = message!(path, format!(":\t{ratio:5.1}% -- {what} "), target, "\n");
    proc.write_error(&line).await
}
