//! `touch`: sets the times of files, making those that are not there.

use jiff::civil;

use super::attribute_change;
use super::message::{complain, message};
use super::{dates, usage};
use crate::args::{COREUTILS, Opt, Parsed, Spec, UsageError, quote};
use crate::fs::{Access, Errno, FileKind, Follow, OpenFlags, Timestamp};
use crate::kernel::{Proc, Program, Stop};
use crate::text::zone::{Prefer, local_to_timestamp};

/// The program.
pub const PROGRAM: Program = Program {
    name: "touch",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Access,
    NoCreate,
    Date,
    Force,
    NoDereference,
    Modification,
    Reference,
    Stamp,
    Time,
}

static SPEC: Spec<Flag> = Spec::new(
    "touch",
    COREUTILS,
    &["[OPTION]... FILE..."],
    "Update the access and modification times of each FILE to the current time.\n\nA FILE argument that does not exist is created empty, unless -c or -h\nis supplied.\n\nA FILE argument string of - is handled specially and causes touch to\nchange the times of the file associated with standard output.",
    &[
        Opt::short(Flag::Access, 'a', "change only the access time"),
        Opt::flag(Flag::NoCreate, 'c', "no-create", "do not create any files"),
        Opt::required(Flag::Date, 'd', "date", "STRING", "parse STRING and use it instead of current time"),
        Opt::short(Flag::Force, 'f', "(ignored)"),
        Opt::flag(
            Flag::NoDereference,
            'h',
            "no-dereference",
            "affect each symbolic link instead of any referenced\nfile (useful only on systems that can change the\ntimestamps of a symlink)",
        ),
        Opt::short(Flag::Modification, 'm', "change only the modification time"),
        Opt::required(
            Flag::Reference,
            'r',
            "reference",
            "FILE",
            "use this file's times instead of current time",
        ),
        Opt::short(Flag::Stamp, 't', "use [[CC]YY]MMDDhhmm[.ss] instead of current time").takes("STAMP"),
        Opt::long(
            Flag::Time,
            "time",
            "change the specified time:\nWORD is access, atime, or use: equivalent to -a\nWORD is modify or mtime: equivalent to -m",
        )
        .takes("WORD"),
    ],
)
.notes("\nNote that the -d and -t options accept different time-date formats.\n");

#[derive(Clone, Copy, PartialEq)]
enum Which {
    Access,
    Modification,
}

const TIMES: &[(&str, Which)] = &[
    ("atime", Which::Access),
    ("access", Which::Access),
    ("use", Which::Access),
    ("mtime", Which::Modification),
    ("modify", Which::Modification),
];

struct Options {
    access: bool,
    modification: bool,
    create: bool,
    follow: Follow,
    /// The times to set, access first; without them, now.
    times: Option<(Timestamp, Timestamp)>,
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let options = read_options(proc, &parsed);
    let options = usage::accept(proc, options).await?;
    if parsed.operands.is_empty() {
        return Err(usage::refuse(proc, &SPEC.missing_file_operand()).await);
    }
    let mut status = 0;
    for path in &parsed.operands {
        if !touch(proc, path, &options).await? {
            status = 1;
        }
    }
    Ok(status)
}

fn read_options(proc: &Proc, parsed: &Parsed<Flag>) -> Result<Options, UsageError> {
    let mut options = Options {
        access: parsed.has(Flag::Access),
        modification: parsed.has(Flag::Modification),
        create: !parsed.has(Flag::NoCreate),
        follow: if parsed.has(Flag::NoDereference) {
            Follow::No
        } else {
            Follow::Yes
        },
        times: None,
    };
    for (flag, value) in &parsed.options {
        let value = value.as_deref().unwrap_or_default();
        match flag {
            Flag::Time => match SPEC.choose("--time", value, TIMES)? {
                Which::Access => options.access = true,
                Which::Modification => options.modification = true,
            },
            Flag::Stamp => {
                let time = stamp(proc, value).ok_or_else(|| invalid_date(value))?;
                options.times = Some((time, time));
            }
            _ => {}
        }
    }
    if !options.access && !options.modification {
        (options.access, options.modification) = (true, true);
    }
    let (date, reference) = (parsed.last(Flag::Date), parsed.last(Flag::Reference));
    if options.times.is_some() && (date.is_some() || reference.is_some()) {
        return Err(SPEC.complain("cannot specify times from more than one source"));
    }
    if let Some(path) = reference {
        options.times = Some(reference_times(proc, path, options.follow)?);
    }
    if let Some(text) = date {
        let (access, modification) = options
            .times
            .unwrap_or_else(|| (proc.kernel.now(), proc.kernel.now()));
        let parse = |from| dates::parse(proc, text, from).ok_or_else(|| invalid_date(text));
        options.times = Some((parse(access)?, parse(modification)?));
    }
    Ok(options)
}

fn invalid_date(text: &[u8]) -> UsageError {
    UsageError::plain(1, message!("invalid date format ", quote(text)))
}

fn reference_times(proc: &Proc, path: &[u8], follow: Follow) -> Result<(Timestamp, Timestamp), UsageError> {
    let found = attribute_change::reference(proc, path, follow)?;
    Ok((found.atime, found.mtime))
}

/// `[[CC]YY]MMDDhhmm[.ss]`.
fn stamp(proc: &Proc, text: &[u8]) -> Option<Timestamp> {
    let (digits, seconds) = match text.iter().position(|byte| *byte == b'.') {
        Some(dot) => (text.get(..dot)?, Some(text.get(dot + 1..)?)),
        None => (text, None),
    };
    let pairs = |text: &[u8]| -> Option<Vec<i16>> {
        if !text.len().is_multiple_of(2) || !text.iter().all(u8::is_ascii_digit) {
            return None;
        }
        Some(
            text.iter()
                .step_by(2)
                .zip(text.iter().skip(1).step_by(2))
                .map(|(tens, ones)| i16::from(tens - b'0') * 10 + i16::from(ones - b'0'))
                .collect(),
        )
    };
    let seconds = match seconds.map(pairs) {
        None => 0,
        Some(Some(pair)) if pair.len() == 1 => *pair.first()?,
        Some(_) => return None,
    };
    let zone = dates::zone(proc);
    let (year, rest) = match pairs(digits)?.as_slice() {
        [century, year, rest @ ..] if rest.len() == 4 => (century * 100 + year, rest.to_vec()),
        [year, rest @ ..] if rest.len() == 4 => (year + if *year < 69 { 2000 } else { 1900 }, rest.to_vec()),
        rest if rest.len() == 4 => {
            let now = zone.to_datetime(dates::to_jiff(proc.kernel.now()));
            (now.year(), rest.to_vec())
        }
        _ => return None,
    };
    let [month, day, hour, minute] = rest.as_slice() else {
        return None;
    };
    // A leap second is the first of the next minute.
    let leap = i64::from(seconds == 60);
    let date = civil::Date::new(year, *month as i8, *day as i8).ok()?;
    let time = civil::Time::new(*hour as i8, *minute as i8, seconds as i8 - leap as i8, 0).ok()?;
    let local = civil::DateTime::from_parts(date, time);
    let found = local_to_timestamp(&zone, local, Prefer::Any)?;
    let time = dates::from_jiff(found);
    (zone.to_datetime(found) == local).then(|| Timestamp {
        seconds: time.seconds + leap,
        ..time
    })
}

/// Opens the file for writing, so that it is made if need be. An existing one is only checked: to open a pipe would wait.
async fn create(proc: &Proc, path: &[u8]) -> Result<(), Errno> {
    match proc.metadata(path, Follow::Yes) {
        Ok(found) if found.kind == FileKind::Regular => proc.access(path, Access::WRITE),
        Ok(_) => Ok(()),
        Err(_) => {
            let flags = OpenFlags {
                create: true,
                ..OpenFlags::WRITE
            };
            proc.open(path, flags).await.map(drop)
        }
    }
}

async fn touch(proc: &mut Proc, path: &[u8], options: &Options) -> Result<bool, Stop> {
    if path == b"-" {
        return touch_output(proc, options).await;
    }
    let mut opened = Ok(());
    if options.create && options.follow == Follow::Yes {
        opened = create(proc, path).await;
    }
    let Err(errno) = set_times(proc, path, options, options.follow) else {
        return Ok(true);
    };
    match opened {
        Err(reason) if reason != Errno::EISDIR => complain(proc, "cannot touch", path, reason).await?,
        _ if !options.create && errno == Errno::ENOENT => return Ok(true),
        _ => complain(proc, "setting times of", path, errno).await?,
    }
    Ok(false)
}

/// `-` is the file that standard output goes to.
async fn touch_output(proc: &mut Proc, options: &Options) -> Result<bool, Stop> {
    let path = match proc.fds.get(1) {
        Ok(file) => file.open_node().map(|node| node.path().to_vec()),
        // Nothing is there, and nothing is to be created.
        Err(Errno::EBADF) if !options.create => return Ok(true),
        Err(errno) => {
            complain(proc, "setting times of", b"-", errno).await?;
            return Ok(false);
        }
    };
    let Some(path) = path else { return Ok(true) };
    if let Err(errno) = set_times(proc, &path, options, Follow::Yes) {
        complain(proc, "setting times of", b"-", errno).await?;
        return Ok(false);
    }
    Ok(true)
}

fn set_times(proc: &Proc, path: &[u8], options: &Options, follow: Follow) -> Result<(), Errno> {
    match options.times {
        None => proc.set_times_now(path, options.access, options.modification, follow),
        Some((access, modification)) => proc.set_times(
            path,
            options.access.then_some(access),
            options.modification.then_some(modification),
            follow,
        ),
    }
}
