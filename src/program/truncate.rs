//! `truncate`: sets the length of files, absolutely or from what it is.

use super::message::{complain, message};
use super::usage;
use crate::args::{COREUTILS, CountError, Opt, Parsed, Spec, UsageError, parse_signed_count, quote, quoteaf};
use crate::fs::{Errno, Follow, OpenFlags};
use crate::kernel::{Proc, Program, Stop};

/// The program.
pub const PROGRAM: Program = Program {
    name: "truncate",
    run: |proc| Box::pin(run(proc)),
};

/// What `--io-blocks` counts.
const BLOCK: i64 = 4096;

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    NoCreate,
    Blocks,
    Reference,
    Size,
}

static SPEC: Spec<Flag> = Spec::new(
    "truncate",
    COREUTILS,
    &["OPTION... FILE..."],
    "Shrink or extend the size of each FILE to the specified size\n\nA FILE argument that does not exist is created.\n\nIf a FILE is larger than the specified size, the extra data is lost.\nIf a FILE is shorter, it is extended and the sparse extended part (hole)\nreads as zero bytes.\n\nMandatory arguments to long options are mandatory for short options too.",
    &[
        Opt::flag(Flag::NoCreate, 'c', "no-create", "do not create any files"),
        Opt::flag(
            Flag::Blocks,
            'o',
            "io-blocks",
            "treat SIZE as number of IO blocks instead of bytes",
        ),
        Opt::required(
            Flag::Reference,
            'r',
            "reference",
            "RFILE",
            "base size on RFILE",
        ),
        Opt::required(
            Flag::Size,
            's',
            "size",
            "SIZE",
            "set or adjust the file size by SIZE bytes",
        ),
    ],
)
.notes(
    "The SIZE argument is an integer and optional unit (example: 10K is 10*1024).\nUnits are K,M,G,T,P,E,Z,Y (powers of 1024) or KB,MB,... (powers of 1000).\nBinary prefixes can be used, too: KiB=K, MiB=M, and so on.\n\nSIZE may also be prefixed by one of the following modifying characters:\n'+' extend by, '-' reduce by, '<' at most, '>' at least,\n'/' round down to multiple of, '%' round up to multiple of.",
);

/// How the size that was given relates to the one that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Relation {
    Absolute,
    Change,
    AtMost,
    AtLeast,
    RoundDown,
    RoundUp,
}

#[derive(Debug, Clone, Copy)]
struct Size {
    relation: Relation,
    amount: i64,
}

struct Wanted {
    size: Size,
    /// The size that a relative one starts from, instead of the file's.
    base: Option<u64>,
    blocks: bool,
    create: bool,
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let wanted = read_options(proc, &parsed);
    let wanted = usage::accept(proc, wanted).await?;
    let mut status = 0;
    for path in &parsed.operands {
        if !truncate(proc, path, &wanted).await? {
            status = 1;
        }
    }
    Ok(status)
}

fn read_options(proc: &Proc, parsed: &Parsed<Flag>) -> Result<Wanted, UsageError> {
    let mut size = None;
    for text in parsed.values(Flag::Size) {
        size = Some(parse_size(text)?);
    }
    let reference = parsed.last(Flag::Reference);
    let (size_option, reference_option) = (quote(b"--size"), quote(b"--reference"));
    if size.is_none() && reference.is_none() {
        let line = message!("you must specify either ", size_option, " or ", reference_option);
        return Err(SPEC.complain(line));
    }
    let absolute = size.is_some_and(|size| size.relation == Relation::Absolute);
    if absolute && reference.is_some() {
        let line = message!(
            "you must specify a relative ",
            size_option,
            " with ",
            reference_option
        );
        return Err(SPEC.complain(line));
    }
    let blocks = parsed.has(Flag::Blocks);
    if blocks && size.is_none() {
        let line = message!(
            quote(b"--io-blocks"),
            " was specified but ",
            size_option,
            " was not"
        );
        return Err(SPEC.complain(line));
    }
    if parsed.operands.is_empty() {
        return Err(SPEC.missing_file_operand());
    }
    let base = reference.map(|path| reference_size(proc, path)).transpose()?;
    let (size, base) = match (size, base) {
        (Some(size), base) => (size, base),
        (None, base) => {
            let amount = i64::try_from(base.unwrap_or_default()).unwrap_or(i64::MAX);
            (
                Size {
                    relation: Relation::Absolute,
                    amount,
                },
                None,
            )
        }
    };
    Ok(Wanted {
        size,
        base,
        blocks,
        create: !parsed.has(Flag::NoCreate),
    })
}

fn reference_size(proc: &Proc, path: &[u8]) -> Result<u64, UsageError> {
    match proc.metadata(path, Follow::Yes) {
        Ok(found) => Ok(found.size),
        Err(errno) => Err(UsageError::plain(
            1,
            message!("cannot stat ", quoteaf(path), ": ", errno.message()),
        )),
    }
}

fn parse_size(text: &[u8]) -> Result<Size, UsageError> {
    let text = text.trim_ascii_start();
    let (relation, rest) = match text.split_first() {
        Some((b'<', rest)) => (Relation::AtMost, rest),
        Some((b'>', rest)) => (Relation::AtLeast, rest),
        Some((b'/', rest)) => (Relation::RoundDown, rest),
        Some((b'%', rest)) => (Relation::RoundUp, rest),
        _ => (Relation::Absolute, text),
    };
    let number = rest.trim_ascii_start();
    let signed = matches!(number.first(), Some(b'+' | b'-'));
    if signed && relation != Relation::Absolute {
        return Err(SPEC.complain("multiple relative modifiers specified"));
    }
    let relation = if signed { Relation::Change } else { relation };
    let amount = parse_signed_count(number, "EgGkKmMPtTYZ0").map_err(|error| {
        let reason = match error {
            CountError::Invalid => Vec::new(),
            CountError::Overflow => message!(": ", Errno::EOVERFLOW.message()),
        };
        UsageError::plain(1, message!("Invalid number: ", quote(number), reason))
    })?;
    if amount == 0 && matches!(relation, Relation::RoundDown | Relation::RoundUp) {
        return Err(UsageError::plain(1, "division by zero"));
    }
    Ok(Size { relation, amount })
}

async fn truncate(proc: &mut Proc, path: &[u8], wanted: &Wanted) -> Result<bool, Stop> {
    let flags = OpenFlags {
        create: wanted.create,
        ..OpenFlags::WRITE
    };
    // A pipe would wait for its reader.
    let opened = match proc.metadata(path, Follow::Yes) {
        Ok(found) if found.kind == crate::fs::FileKind::Fifo => Err(Errno::ENXIO),
        _ => proc.open(path, flags).await.map(|_| ()),
    };
    if let Err(errno) = opened {
        if !wanted.create && errno == Errno::ENOENT {
            return Ok(true);
        }
        let line = message!("cannot open ", quoteaf(path), " for writing: ", errno.message());
        proc.warn(line).await?;
        return Ok(false);
    }
    let found = match proc.metadata(path, Follow::Yes) {
        Ok(found) => found.size,
        Err(errno) => {
            complain(proc, "cannot fstat", path, errno).await?;
            return Ok(false);
        }
    };
    let length = match length(path, wanted, found) {
        Ok(length) => length,
        Err(line) => {
            proc.warn(line).await?;
            return Ok(false);
        }
    };
    if let Err(errno) = proc.truncate(path, length) {
        let line = message!(
            "failed to truncate ",
            quoteaf(path),
            " at ",
            length.to_string(),
            " bytes: ",
            errno.message()
        );
        proc.warn(line).await?;
        return Ok(false);
    }
    Ok(true)
}

/// The length that a file of `found` bytes gets, or what is wrong with it.
fn length(path: &[u8], wanted: &Wanted, found: u64) -> Result<u64, Vec<u8>> {
    let unit = if wanted.blocks { BLOCK } else { 1 };
    let Some(amount) = wanted.size.amount.checked_mul(unit) else {
        let line = message!(
            "overflow in ",
            wanted.size.amount.to_string(),
            " * ",
            unit.to_string(),
            " byte blocks for file ",
            quoteaf(path)
        );
        return Err(line);
    };
    let base = i128::from(wanted.base.unwrap_or(found));
    let amount = i128::from(amount);
    let (length, overflow) = match wanted.size.relation {
        Relation::Absolute => (amount, ""),
        Relation::Change => (base + amount, "overflow extending size of file "),
        Relation::AtMost => (base.min(amount), ""),
        Relation::AtLeast => (base.max(amount), ""),
        Relation::RoundDown => (base - base.rem_euclid(amount), ""),
        Relation::RoundUp => (
            base + (amount - base.rem_euclid(amount)) % amount,
            "overflow rounding up size of file ",
        ),
    };
    if length > i128::from(i64::MAX) {
        return Err(message!(overflow, quoteaf(path)));
    }
    Ok(u64::try_from(length).unwrap_or(0))
}
