//! `gzip`, `gunzip` and `zcat`.
//!
//! The deflate streams are made by another library than gzip's, so that the bytes differ; what matters is that either reads the other's
//! files ([`codec`]). A file goes from its input to its [`Sink`] piece by piece. In Debian `gunzip` and `zcat` are scripts that run gzip, which is the name in their messages.

pub mod codec;

use std::sync::Arc;

use self::codec::{Broken, Packer, Unpacker};
use super::message::message;
use super::usage;
use crate::args::{Complaint, Opt, Package, Parsed, Spec, UsageError};
use crate::fs::{Errno, FileKind, Follow, Metadata, OpenFlags};
use crate::kernel::{File, Input, Proc, Program, Stop};

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
    match broken {
        Broken::Unreadable(errno) => return fail(proc, path, errno).await,
        Broken::Garbage if plan.quiet => return Ok(2),
        _ => {}
    }
    proc.flush().await?;
    proc.write_error(b"\n").await?;
    proc.warn(message!(path, ": ", broken.sentence())).await?;
    Ok(if broken == Broken::Garbage { 2 } else { 1 })
}

/// Where the result goes.
enum Sink {
    Stdout,
    /// `-t`
    Nowhere,
    /// A new file.
    File(Arc<File>),
}

/// What ended the work on a file before its end.
enum Fault {
    /// The input.
    Broken(Broken),
    /// The new file cannot be written.
    Sink(Errno),
    Stop(Stop),
}

impl From<Stop> for Fault {
    fn from(stop: Stop) -> Fault {
        Fault::Stop(stop)
    }
}

impl From<Broken> for Fault {
    fn from(broken: Broken) -> Fault {
        Fault::Broken(broken)
    }
}

impl Sink {
    async fn write(&self, proc: &mut Proc, data: &[u8]) -> Result<(), Fault> {
        match self {
            Sink::Stdout => Ok(proc.write(data).await?),
            Sink::Nowhere => Ok(()),
            Sink::File(file) => file.write_all(data).await.map_err(Fault::Sink),
        }
    }
}

/// Bytes without compression, and with it.
type Sizes = (u64, u64);

/// Packs an input.
async fn pack(proc: &mut Proc, input: &mut Input, mut packer: Packer, sink: &Sink) -> Result<Sizes, Fault> {
    let mut before = 0;
    loop {
        let block = input.block().await.map_err(Broken::Unreadable)?;
        before += block.len() as u64;
        if block.is_empty() {
            packer.finish(proc).await?;
        } else {
            packer.push(proc, block).await?;
        }
        let ended = block.is_empty();
        let packed = packer.take();
        sink.write(proc, &packed).await?;
        if ended {
            return Ok((before, packer.payload()));
        }
    }
}

/// Unpacks an input behind its first header: its sizes so far, and what was wrong.
async fn unpack(
    proc: &mut Proc,
    unpacker: &mut Unpacker,
    sink: &Sink,
) -> Result<(Sizes, Option<Broken>), Fault> {
    let (mut piece, mut whole) = (Vec::new(), 0);
    while let Some(read) = unpacker.read(proc, &mut piece).await? {
        whole += piece.len() as u64;
        sink.write(proc, &piece).await?;
        piece.clear();
        if let Err(broken) = read {
            return Ok(((whole, unpacker.payload), Some(broken)));
        }
    }
    Ok(((whole, unpacker.payload), None))
}

/// `-cdf` passes on what is no gzip file.
async fn copy(proc: &mut Proc, mut input: Input) -> Result<(), Fault> {
    loop {
        let block = input.block().await.map_err(Broken::Unreadable)?;
        if block.is_empty() {
            return Ok(());
        }
        proc.write(block).await?;
    }
}

async fn work_on_stdin(proc: &mut Proc, plan: &Plan) -> Result<i32, Stop> {
    let input = match proc.stdin() {
        Ok(file) => Input::new(file),
        Err(errno) => return fail(proc, b"stdin", errno).await,
    };
    match convert_stdin(proc, plan, input).await {
        Ok(()) => Ok(0),
        Err(fault) => blame(proc, plan, b"stdin", b"stdout", fault).await,
    }
}

async fn convert_stdin(proc: &mut Proc, plan: &Plan, mut input: Input) -> Result<(), Fault> {
    if plan.mode == Mode::Compress {
        let packer = Packer::new(proc, plan.level, None, 0)?;
        let sizes = pack(proc, &mut input, packer, &Sink::Stdout).await?;
        if plan.verbose {
            proc.write_error(format!("{}\n", ratio(sizes)).as_bytes()).await?;
        }
        return Ok(());
    }
    let (mut unpacker, broken) = Unpacker::new(proc, input).await?;
    match broken {
        Some(Broken::NotGzip) if plan.force && plan.stdout => copy(proc, unpacker.into_input()).await,
        Some(broken) => Err(broken.into()),
        None => {
            let sink = if plan.mode == Mode::Test {
                Sink::Nowhere
            } else {
                Sink::Stdout
            };
            match unpack(proc, &mut unpacker, &sink).await?.1 {
                Some(broken) => Err(broken.into()),
                None if plan.verbose && plan.mode == Mode::Test => Ok(proc.write_error(b" OK\n").await?),
                None => Ok(()),
            }
        }
    }
}

/// Says what went wrong: the status.
async fn blame(proc: &mut Proc, plan: &Plan, path: &[u8], target: &[u8], fault: Fault) -> Result<i32, Stop> {
    match fault {
        Fault::Broken(broken) => complain(proc, plan, path, broken).await,
        Fault::Sink(errno) => fail(proc, target, errno).await,
        Fault::Stop(stop) => Err(stop),
    }
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
    let mut work = Work {
        plan,
        path: &path,
        target,
        found: &found,
    };
    match plan.mode {
        Mode::Compress => work.compress(proc, input).await,
        Mode::Decompress | Mode::Test => work.decompress(proc, input).await,
    }
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

/// A file that is worked on.
struct Work<'a> {
    plan: &'a Plan,
    path: &'a [u8],
    /// The new file.
    target: Vec<u8>,
    /// What the old one is.
    found: &'a Metadata,
}

impl Work<'_> {
    async fn compress(&mut self, proc: &mut Proc, mut input: Input) -> Result<i32, Stop> {
        let sink = match self.sink(proc).await? {
            Ok(sink) => sink,
            Err(status) => return Ok(status),
        };
        let name = self.path.rsplit(|byte| *byte == b'/').next().unwrap_or(self.path);
        let named = self.plan.names != Some(false);
        let time = if named {
            u32::try_from(self.found.mtime.seconds).unwrap_or(0)
        } else {
            0
        };
        let packer = Packer::new(proc, self.plan.level, named.then_some(name), time)?;
        match pack(proc, &mut input, packer, &sink).await {
            Ok(sizes) => self.finish(proc, &sink, sizes, 0).await,
            Err(fault) => self.give_up(proc, &sink, fault).await,
        }
    }

    async fn decompress(&mut self, proc: &mut Proc, input: Input) -> Result<i32, Stop> {
        let (mut unpacker, broken) = Unpacker::new(proc, input).await?;
        match broken {
            Some(Broken::NotGzip) if self.plan.force && self.plan.stdout => {
                return match copy(proc, unpacker.into_input()).await {
                    Ok(()) => Ok(0),
                    Err(fault) => self.give_up(proc, &Sink::Stdout, fault).await,
                };
            }
            Some(broken) => return complain(proc, self.plan, self.path, broken).await,
            None => {}
        }
        if let (Some(name), Some(true)) = (&unpacker.name, self.plan.names) {
            let base = |path: &[u8]| path.rsplit(|byte| *byte == b'/').next().map_or(0, <[u8]>::len);
            let directory = self.path.len() - base(self.path);
            let own = name.get(name.len() - base(name)..).unwrap_or_default();
            self.target = [self.path.get(..directory).unwrap_or_default(), own].concat();
        }
        let sink = match self.sink(proc).await? {
            Ok(sink) => sink,
            Err(status) => return Ok(status),
        };
        match unpack(proc, &mut unpacker, &sink).await {
            Ok((sizes, None)) => self.finish(proc, &sink, sizes, 0).await,
            // What follows does not spoil the file.
            Ok((sizes, Some(Broken::Garbage))) => {
                let status = complain(proc, self.plan, self.path, Broken::Garbage).await?;
                self.finish(proc, &sink, sizes, status).await
            }
            Ok((_, Some(broken))) => self.give_up(proc, &sink, broken.into()).await,
            Err(fault) => self.give_up(proc, &sink, fault).await,
        }
    }

    /// Opens the new file; a status where that cannot be.
    async fn sink(&self, proc: &mut Proc) -> Result<Result<Sink, i32>, Stop> {
        let opened = self.open_sink(proc).await?;
        if self.plan.verbose && opened.is_ok() {
            proc.flush().await?;
            proc.write_error(&message!(self.path, ":\t")).await?;
        }
        Ok(opened)
    }

    async fn open_sink(&self, proc: &mut Proc) -> Result<Result<Sink, i32>, Stop> {
        let (plan, target) = (self.plan, self.target.as_slice());
        if plan.mode == Mode::Test {
            return Ok(Ok(Sink::Nowhere));
        }
        if plan.stdout {
            return Ok(Ok(Sink::Stdout));
        }
        if proc.metadata(target, Follow::No).is_ok() {
            if !plan.force {
                let text = message!(target, " already exists;\tnot overwritten");
                return Ok(Err(warn(proc, plan, text).await?));
            }
            if let Err(errno) = proc.unlink(target) {
                return Ok(Err(fail(proc, target, errno).await?));
            }
        }
        match proc.open_mode(target, OpenFlags::CREATE, 0o600).await {
            Ok(file) => Ok(Ok(Sink::File(file))),
            Err(errno) => Ok(Err(fail(proc, target, errno).await?)),
        }
    }

    /// A file that went wrong leaves nothing behind.
    async fn give_up(&self, proc: &mut Proc, sink: &Sink, fault: Fault) -> Result<i32, Stop> {
        if matches!(sink, Sink::File(_)) {
            let _gone = proc.unlink(&self.target);
        }
        blame(proc, self.plan, self.path, &self.target, fault).await
    }

    /// The new file gets the mode and times of the old one, which goes.
    async fn finish(&self, proc: &mut Proc, sink: &Sink, sizes: Sizes, status: i32) -> Result<i32, Stop> {
        let (plan, target, found) = (self.plan, self.target.as_slice(), self.found);
        if plan.mode == Mode::Test {
            if plan.verbose {
                proc.write_error(b" OK\n").await?;
            }
            return Ok(status);
        }
        if matches!(sink, Sink::File(_)) {
            let done = proc
                .set_mode(target, found.mode, Follow::Yes)
                .and_then(|()| proc.set_times(target, Some(found.atime), Some(found.mtime), Follow::Yes));
            if let Err(errno) = done {
                return fail(proc, target, errno).await;
            }
        }
        if plan.verbose {
            let (what, target) = match sink {
                Sink::File(_) if plan.keep => ("created", target),
                Sink::File(_) => ("replaced with", target),
                _ => ("replaced with", &b"stdout"[..]),
            };
            let line = message!(ratio(sizes), format!(" -- {what} "), target, "\n");
            proc.flush().await?;
            proc.write_error(&line).await?;
        }
        if !plan.keep
            && !plan.stdout
            && let Err(errno) = proc.unlink(self.path)
        {
            return fail(proc, self.path, errno).await;
        }
        Ok(status)
    }
}

/// How much smaller it is, in percent.
fn ratio((whole, packed): Sizes) -> String {
    let saved = if whole == 0 {
        0.0
    } else {
        (whole as f64 - packed as f64) / whole as f64 * 100.0
    };
    format!("{saved:5.1}%")
}
