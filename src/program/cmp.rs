//! `cmp`: compares two files byte by byte.
//!
//! Both files are read block by block; lines are counted only up to the first difference.

use std::sync::Arc;

use super::message::message;
use super::usage;
use crate::args::{Complaint, CountError, DIFFUTILS, Opt, Parsed, Spec, UsageError, parse_count};
use crate::fs::{Errno, FileKind, OpenFlags};
use crate::kernel::{File, Input, Proc, Program, Stop};
use crate::text::escape;

/// The program.
pub const PROGRAM: Program = Program {
    name: "cmp",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    PrintBytes,
    IgnoreInitial,
    Verbose,
    Bytes,
    Silent,
}

static SPEC: Spec<Flag> = Spec::new(
    "cmp",
    DIFFUTILS,
    &["[OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]"],
    "Compare two files byte by byte.\n\nThe optional SKIP1 and SKIP2 specify the number of bytes to skip\nat the beginning of each file (zero by default).\n\nMandatory arguments to long options are mandatory for short options too.",
    &[
        Opt::flag(Flag::PrintBytes, 'b', "print-bytes", "print differing bytes"),
        Opt::required(
            Flag::IgnoreInitial,
            'i',
            "ignore-initial",
            "SKIP",
            "skip first SKIP bytes of both inputs;\nSKIP1:SKIP2 skips so many of each",
        ),
        Opt::flag(
            Flag::Verbose,
            'l',
            "verbose",
            "output byte numbers and differing byte values",
        ),
        Opt::required(Flag::Bytes, 'n', "bytes", "LIMIT", "compare at most LIMIT bytes"),
        Opt::flag(Flag::Silent, 's', "quiet", "suppress all normal output"),
        Opt::long(Flag::Silent, "silent", ""),
    ],
)
.fails_with(2)
.complains(Complaint::NamedTry)
.version_letter('v')
.notes(
    "SKIP values may be followed by the following multiplicative suffixes:\nkB 1000, K 1024, MB 1,000,000, M 1,048,576,\nGB 1,000,000,000, G 1,073,741,824, and so on for T, P, E, Z, Y.\n\nIf a FILE is '-' or missing, read standard input.\nExit status is 0 if inputs are the same, 1 if different, 2 if trouble.\n\nReport bugs to: bug-diffutils@gnu.org\nGNU diffutils home page: <https://www.gnu.org/software/diffutils/>\nGeneral help using GNU software: <https://www.gnu.org/gethelp/>",
);

/// What is said about differences.
#[derive(Clone, Copy, PartialEq)]
enum Report {
    First,
    All,
    Nothing,
}

struct Options {
    report: Report,
    print_bytes: bool,
    skip: [u64; 2],
    limit: u64,
}

/// A file being read.
struct Side {
    name: Vec<u8>,
    input: Input,
    size: Option<u64>,
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let options = read_options(&parsed);
    let options = usage::accept(proc, options).await?;
    let mut operands = parsed.operands.into_iter();
    let Some(left) = operands.next() else {
        let last = proc.args.last().cloned().unwrap_or_default();
        let error = SPEC.complain(message!("missing operand after '", last, "'"));
        return Err(usage::refuse(proc, &error).await);
    };
    let right = operands.next().unwrap_or_else(|| b"-".to_vec());
    if left == b"-" && right == b"-" {
        return Ok(0);
    }
    let (left_name, right_name) = (left, right);
    let left = match open(proc, &left_name).await {
        Ok(file) => file,
        Err(errno) => return fail(proc, &left_name, errno, options.report).await,
    };
    let right = match open(proc, &right_name).await {
        Ok(file) => file,
        Err(errno) => return fail(proc, &right_name, errno, options.report).await,
    };
    let found = (left.metadata(), right.metadata());
    if let (Ok(one), Ok(other)) = &found
        && left.open_node().is_some()
        && (one.device, one.inode) == (other.device, other.inode)
        && options.skip[0] == options.skip[1]
    {
        return Ok(0);
    }
    let size = |file: &File, metadata: &Result<crate::fs::Metadata, Errno>| {
        let found = metadata
            .as_ref()
            .ok()
            .filter(|found| found.kind == FileKind::Regular)?;
        Some(found.size.saturating_sub(file.offset()))
    };
    let sides = [
        Side {
            size: size(&left, &found.0),
            name: left_name,
            input: Input::new(left),
        },
        Side {
            size: size(&right, &found.1),
            name: right_name,
            input: Input::new(right),
        },
    ];
    compare(proc, sides, &options).await
}

async fn open(proc: &Proc, name: &[u8]) -> Result<Arc<File>, Errno> {
    if name == b"-" {
        proc.stdin()
    } else {
        proc.open(name, OpenFlags::READ).await
    }
}

async fn fail(proc: &mut Proc, name: &[u8], errno: Errno, report: Report) -> Result<i32, Stop> {
    if report != Report::Nothing || errno != Errno::ENOENT {
        proc.warn(message!(name, ": ", errno.message())).await?;
    }
    Ok(2)
}

fn read_options(parsed: &Parsed<Flag>) -> Result<Options, UsageError> {
    let mut options = Options {
        report: Report::First,
        print_bytes: parsed.has(Flag::PrintBytes),
        skip: [0, 0],
        limit: u64::MAX,
    };
    for (flag, value) in &parsed.options {
        let text = value.as_deref().unwrap_or_default();
        let report = match flag {
            Flag::Verbose => Report::All,
            Flag::Silent => Report::Nothing,
            Flag::IgnoreInitial => {
                let mut parts = text.splitn(2, |byte| *byte == b':');
                let first = skip(parts.next().unwrap_or_default())?;
                let second = parts.next().map_or(Ok(first), skip)?;
                options.skip = [first, second];
                continue;
            }
            Flag::Bytes => {
                options.limit = options.limit.min(amount(text, "--bytes")?);
                continue;
            }
            Flag::PrintBytes => continue,
        };
        if options.report != Report::First && options.report != report {
            return Err(SPEC.complain("options -l and -s are incompatible"));
        }
        options.report = report;
    }
    for (slot, text) in options.skip.iter_mut().zip(parsed.operands.iter().skip(2)) {
        *slot = (*slot).max(skip(text)?);
    }
    if let Some(extra) = parsed.operands.get(4) {
        return Err(SPEC.complain(message!("extra operand '", extra, "'")));
    }
    Ok(options)
}

fn skip(text: &[u8]) -> Result<u64, UsageError> {
    amount(text, "--ignore-initial")
}

fn amount(text: &[u8], option: &str) -> Result<u64, UsageError> {
    // A suffix needs a number.
    let starts = text
        .first()
        .is_some_and(|byte| byte.is_ascii_digit() || b"+ \t".contains(byte));
    match parse_count(text, "kKMGTPEZY0") {
        Ok(value) if starts => Ok(value),
        Err(CountError::Overflow) if starts => Ok(u64::MAX),
        _ => Err(SPEC.complain(message!("invalid ", option, " value '", text, "'"))),
    }
}

/// Where the comparison is.
struct Position {
    /// Bytes compared.
    bytes: u64,
    /// Newlines among them.
    lines: u64,
    ends_in_newline: bool,
    differs: bool,
}

async fn compare(proc: &mut Proc, mut sides: [Side; 2], options: &Options) -> Result<i32, Stop> {
    for (side, count) in sides.iter_mut().zip(options.skip) {
        if let Err(errno) = skip_bytes(&mut side.input, count).await {
            return fail(proc, &side.name.clone(), errno, options.report).await;
        }
    }
    let width = offset_width(&sides, options);
    let mut position = Position {
        bytes: 0,
        lines: 0,
        ends_in_newline: true,
        differs: false,
    };
    while position.bytes < options.limit {
        proc.kernel.breathe().await;
        for side in &mut sides {
            if side.input.buffered().is_empty()
                && let Err(errno) = side.input.fill().await
            {
                let name = side.name.clone();
                return fail(proc, &name, errno, options.report).await;
            }
        }
        let [left, right] = &mut sides;
        let left_length = left.input.buffered().len();
        let right_length = right.input.buffered().len();
        if left_length == 0 || right_length == 0 {
            if left_length == right_length {
                break;
            }
            let shorter = if left_length == 0 { &left.name } else { &right.name }.clone();
            return end_of_file(proc, &shorter, &position, options).await;
        }
        let rest = usize::try_from(options.limit - position.bytes).unwrap_or(usize::MAX);
        let length = left_length.min(right_length).min(rest);
        let left_bytes = left.input.buffered().get(..length).unwrap_or_default();
        let right_bytes = right.input.buffered().get(..length).unwrap_or_default();
        if left_bytes != right_bytes {
            match options.report {
                Report::Nothing => return Ok(1),
                Report::First => {
                    let line = first_difference(left, right, length, &position, options);
                    proc.write(&line).await?;
                    return Ok(1);
                }
                Report::All => {
                    position.differs = true;
                    let text = all_differences(left_bytes, right_bytes, &position, width, options);
                    proc.write(&text).await?;
                }
            }
        }
        if options.report == Report::First {
            position.lines += memchr::memchr_iter(b'\n', left_bytes).count() as u64;
        }
        position.ends_in_newline = left_bytes.ends_with(b"\n");
        position.bytes += length as u64;
        left.input.consume(length);
        right.input.consume(length);
    }
    Ok(i32::from(position.differs))
}

async fn skip_bytes(input: &mut Input, count: u64) -> Result<(), Errno> {
    let file = Arc::clone(input.file());
    if file.is_seekable() {
        return file.seek(file.offset().saturating_add(count));
    }
    let mut left = count;
    while left > 0 {
        if input.buffered().is_empty() && !input.fill().await? {
            return Ok(());
        }
        let step = usize::try_from(left)
            .unwrap_or(usize::MAX)
            .min(input.buffered().len());
        input.consume(step);
        left -= step as u64;
    }
    Ok(())
}

/// How wide byte numbers are: what the shorter file needs, where both have a length.
fn offset_width(sides: &[Side; 2], options: &Options) -> usize {
    let mut most = options.limit.min(i64::MAX as u64);
    for (side, skip) in sides.iter().zip(options.skip) {
        if let Some(size) = side.size {
            most = most.min(size.saturating_sub(skip));
        }
    }
    most.checked_ilog10().unwrap_or(0) as usize + 1
}

fn first_difference(
    left: &Side,
    right: &Side,
    length: usize,
    position: &Position,
    options: &Options,
) -> Vec<u8> {
    let (one, other) = (left.input.buffered(), right.input.buffered());
    let pairs = one.iter().zip(other).take(length);
    let at = pairs.take_while(|(one, other)| one == other).count();
    let before = one.get(..at).unwrap_or_default();
    let byte = position.bytes + at as u64 + 1;
    let line = position.lines + memchr::memchr_iter(b'\n', before).count() as u64 + 1;
    let mut out = message!(
        left.name,
        " ",
        right.name,
        " differ: byte ",
        byte.to_string(),
        ", line ",
        line.to_string()
    );
    if options.print_bytes
        && let (Some(one), Some(other)) = (one.get(at), other.get(at))
    {
        let shown = format!(" is {one:3o} {} {other:3o} {}", visible(*one), visible(*other));
        out.extend(shown.into_bytes());
    }
    out.push(b'\n');
    out
}

fn all_differences(
    left: &[u8],
    right: &[u8],
    position: &Position,
    width: usize,
    options: &Options,
) -> Vec<u8> {
    let mut out = Vec::new();
    for (at, (one, other)) in left.iter().zip(right).enumerate() {
        if one == other {
            continue;
        }
        let byte = position.bytes + at as u64 + 1;
        let line = if options.print_bytes {
            let shown = visible(*one);
            format!(
                "{byte:width$} {one:3o} {shown:4} {other:3o} {}\n",
                visible(*other)
            )
        } else {
            format!("{byte:width$} {one:3o} {other:3o}\n")
        };
        out.extend(line.into_bytes());
    }
    out
}

/// A byte as `cat -v` shows it.
fn visible(byte: u8) -> String {
    let mut text = Vec::new();
    escape::push_caret(&mut text, byte);
    String::from_utf8_lossy(&text).into_owned()
}

async fn end_of_file(
    proc: &mut Proc,
    name: &[u8],
    position: &Position,
    options: &Options,
) -> Result<i32, Stop> {
    if options.report == Report::Nothing {
        return Ok(1);
    }
    let bytes = position.bytes.to_string();
    let line = match (position.bytes, options.report) {
        (0, _) => message!("EOF on ", name, " which is empty"),
        (_, Report::All) => message!("EOF on ", name, " after byte ", bytes),
        _ => {
            let (relation, line) = if position.ends_in_newline {
                ("line ", position.lines)
            } else {
                ("in line ", position.lines + 1)
            };
            message!(
                "EOF on ",
                name,
                " after byte ",
                bytes,
                ", ",
                relation,
                line.to_string()
            )
        }
    };
    proc.warn(line).await?;
    Ok(1)
}
