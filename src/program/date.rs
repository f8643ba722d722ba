//! `date`: prints a point in time. Setting the clock is refused, as to any user but root.

use super::usage;
use crate::args::{COREUTILS, Opt, Parsed, Spec, UsageError, quote};
use crate::fs::{Follow, Timestamp};
use crate::kernel::{Input, Proc, Program, Stop};
use crate::text::strftime::{Dialect, Moment, strftime};
use crate::text::{date_parse, zone};
use jiff::tz::TimeZone;

/// The program.
pub const PROGRAM: Program = Program {
    name: "date",
    run: |proc| Box::pin(run(proc)),
};

#[derive(Clone, Copy, PartialEq)]
enum Flag {
    Date,
    File,
    Iso,
    Resolution,
    Email,
    Rfc3339,
    Reference,
    Set,
    Universal,
}

static SPEC: Spec<Flag> = Spec::new(
    "date",
    COREUTILS,
    &["[OPTION]... [+FORMAT]", "[-u|--utc|--universal] [MMDDhhmm[[CC]YY][.ss]]"],
    "Display date and time in the given FORMAT.\nWith -s, or with [MMDDhhmm[[CC]YY][.ss]], set the date and time.\n\nMandatory \
     arguments to long options are mandatory for short options too.",
    &[
        Opt::required(Flag::Date, 'd', "date", "STRING", "display time described by STRING, not 'now'"),
        Opt::required(Flag::File, 'f', "file", "DATEFILE", "like --date; once for each line of DATEFILE"),
        Opt::optional(
            Flag::Iso,
            'I',
            "iso-8601",
            "FMT",
            "output date/time in ISO 8601 format.\nFMT='date' for date only (the default),\n'hours', 'minutes', 'seconds', or \
             'ns'\nfor date and time to the indicated precision.\nExample: 2006-08-14T02:34:56-06:00",
        ),
        Opt::long(Flag::Resolution, "resolution", "output the available resolution of timestamps\nExample: 0.000000001"),
        Opt::flag(
            Flag::Email,
            'R',
            "rfc-email",
            "output date and time in RFC 5322 format.\nExample: Mon, 14 Aug 2006 02:34:56 -0600",
        ),
        Opt::long(Flag::Email, "rfc-822", ""),
        Opt::long(Flag::Email, "rfc-2822", ""),
        Opt::long(
            Flag::Rfc3339,
            "rfc-3339",
            "output date/time in RFC 3339 format.\nFMT='date', 'seconds', or 'ns'\nfor date and time to the indicated \
             precision.\nExample: 2006-08-14 02:34:56-06:00",
        )
        .takes("FMT"),
        Opt::required(Flag::Reference, 'r', "reference", "FILE", "display the last modification time of FILE"),
        Opt::required(Flag::Set, 's', "set", "STRING", "set time described by STRING"),
        Opt::flag(Flag::Universal, 'u', "utc", "print or set Coordinated Universal Time (UTC)"),
        Opt::long(Flag::Universal, "universal", ""),
    ],
)
.long_order(&[
    "date",
    "debug",
    "file",
    "iso-8601",
    "reference",
    "resolution",
    "rfc-email",
    "rfc-822",
    "rfc-2822",
    "rfc-3339",
    "set",
    "uct",
    "utc",
    "universal",
]);

/// Where the time comes from.
#[derive(Debug)]
enum Source {
    Now,
    Text(Vec<u8>),
    File(Vec<u8>),
    Reference(Vec<u8>),
    Resolution,
    /// A time that the clock would be set to.
    Set(Vec<u8>),
    SetPosix(Vec<u8>),
}

#[derive(Debug)]
struct Options {
    source: Source,
    format: Vec<u8>,
    universal: bool,
}

/// What a conversion may grow to.
const LIMIT: usize = 1 << 24;

#[derive(Clone, Copy, PartialEq)]
enum Precision {
    Hours,
    Minutes,
    Date,
    Seconds,
    Nanoseconds,
}

impl Options {
    fn from_parsed(parsed: &Parsed<Flag>) -> Result<Options, UsageError> {
        let mut formats: Vec<Vec<u8>> = Vec::new();
        for (flag, value) in &parsed.options {
            match flag {
                Flag::Iso => formats.push(iso(value.as_deref())?.to_vec()),
                Flag::Email => formats.push(b"%a, %d %b %Y %H:%M:%S %z".to_vec()),
                Flag::Rfc3339 => formats.push(rfc_3339(value.as_deref().unwrap_or_default())?.to_vec()),
                _ => {}
            }
            if formats.len() > 1 {
                return Err(UsageError::plain(1, "multiple output formats specified"));
            }
        }
        let mut source = Options::source(parsed)?;
        let mut operands = parsed.operands.iter();
        if let Some(operand) = operands.next() {
            if let Some(extra) = operands.next() {
                return Err(SPEC.extra_operand(extra));
            }
            if let Some(format) = operand.strip_prefix(b"+") {
                if !formats.is_empty() {
                    return Err(UsageError::plain(1, "multiple output formats specified"));
                }
                formats.push(format.to_vec());
            } else if matches!(source, Source::Now) {
                source = Source::SetPosix(operand.clone());
            } else {
                let message = [
                    b"the argument ",
                    &*quote(operand),
                    b" lacks a leading '+';\nwhen using an option to specify date(s), any non-option\nargument must be a format \
                      string beginning with '+'",
                ]
                .concat();
                return Err(SPEC.complain(message));
            }
        }
        let format = formats.pop().unwrap_or_else(|| match source {
            Source::Resolution => b"%s.%N".to_vec(),
            _ => b"%a %b %e %H:%M:%S %Z %Y".to_vec(),
        });
        Ok(Options {
            source,
            format,
            universal: parsed.has(Flag::Universal),
        })
    }

    fn source(parsed: &Parsed<Flag>) -> Result<Source, UsageError> {
        let kinds = [Flag::Date, Flag::File, Flag::Reference, Flag::Resolution];
        let given = kinds.iter().filter(|flag| parsed.has(**flag)).count();
        if given > 1 {
            return Err(SPEC.complain("the options to specify dates for printing are mutually exclusive"));
        }
        if given > 0 && parsed.has(Flag::Set) {
            return Err(SPEC.complain("the options to print and set the time may not be used together"));
        }
        let value = |flag| parsed.last(flag).unwrap_or_default().to_vec();
        Ok(
            match parsed.last_of(&[
                Flag::Date,
                Flag::File,
                Flag::Reference,
                Flag::Resolution,
                Flag::Set,
            ]) {
                Some(Flag::Date) => Source::Text(value(Flag::Date)),
                Some(Flag::File) => Source::File(value(Flag::File)),
                Some(Flag::Reference) => Source::Reference(value(Flag::Reference)),
                Some(Flag::Resolution) => Source::Resolution,
                Some(_) => Source::Set(value(Flag::Set)),
                None => Source::Now,
            },
        )
    }
}

fn iso(value: Option<&[u8]>) -> Result<&'static [u8], UsageError> {
    let choices = [
        ("hours", Precision::Hours),
        ("minutes", Precision::Minutes),
        ("date", Precision::Date),
        ("seconds", Precision::Seconds),
        ("ns", Precision::Nanoseconds),
    ];
    let precision = match value {
        None => Precision::Date,
        Some(word) => SPEC.choose("--iso-8601", word, &choices)?,
    };
    Ok(match precision {
        Precision::Date => b"%Y-%m-%d",
        Precision::Hours => b"%Y-%m-%dT%H%:z",
        Precision::Minutes => b"%Y-%m-%dT%H:%M%:z",
        Precision::Seconds => b"%Y-%m-%dT%H:%M:%S%:z",
        Precision::Nanoseconds => b"%Y-%m-%dT%H:%M:%S,%N%:z",
    })
}

fn rfc_3339(word: &[u8]) -> Result<&'static [u8], UsageError> {
    let choices = [
        ("date", Precision::Date),
        ("seconds", Precision::Seconds),
        ("ns", Precision::Nanoseconds),
    ];
    Ok(match SPEC.choose("--rfc-3339", word, &choices)? {
        Precision::Seconds => b"%Y-%m-%d %H:%M:%S%:z",
        Precision::Nanoseconds => b"%Y-%m-%d %H:%M:%S.%N%:z",
        _ => b"%Y-%m-%d",
    })
}

async fn run(proc: &mut Proc) -> Result<i32, Stop> {
    let parsed = usage::parse(proc, &SPEC).await?;
    let options = usage::accept(proc, Options::from_parsed(&parsed)).await?;
    let variable = if options.universal {
        Some(&b"UTC0"[..])
    } else {
        proc.variable(b"TZ")
    };
    let zone = zone::from_variable(variable);
    match &options.source {
        Source::Now => {
            let now = proc.kernel.now();
            print(proc, &options, now, &zone).await
        }
        Source::Text(text) => print_text(proc, &options, text, &zone).await,
        Source::File(path) => print_lines(proc, &options, path, &zone).await,
        Source::Reference(path) => match proc.metadata(path, Follow::Yes) {
            Ok(metadata) => print(proc, &options, metadata.mtime, &zone).await,
            Err(errno) => {
                usage::warn_file(proc, path, errno).await?;
                Ok(1)
            }
        },
        Source::Resolution => {
            let smallest = Timestamp { seconds: 0, nanos: 1 };
            print(proc, &options, smallest, &zone).await
        }
        Source::Set(text) => {
            let when = parse(proc, text, &zone);
            set(proc, &options, text, when, &zone).await
        }
        Source::SetPosix(text) => {
            let when = posix_time(proc, text, &zone);
            set(proc, &options, text, when, &zone).await
        }
    }
}

fn parse(proc: &Proc, text: &[u8], zone: &TimeZone) -> Option<Timestamp> {
    let now = proc.kernel.now();
    let now = jiff::Timestamp::new(now.seconds, now.nanos as i32).ok()?;
    from_jiff(date_parse::parse(text, now, zone)?)
}

fn from_jiff(when: jiff::Timestamp) -> Option<Timestamp> {
    let nanos = when.subsec_nanosecond();
    let (seconds, nanos) = if nanos < 0 {
        (when.as_second() - 1, nanos + 1_000_000_000)
    } else {
        (when.as_second(), nanos)
    };
    Some(Timestamp {
        seconds,
        nanos: u32::try_from(nanos).ok()?,
    })
}

async fn invalid(proc: &mut Proc, text: &[u8]) -> Result<i32, Stop> {
    proc.warn([b"invalid date ", &*quote(text)].concat()).await?;
    Ok(1)
}

async fn print_text(proc: &mut Proc, options: &Options, text: &[u8], zone: &TimeZone) -> Result<i32, Stop> {
    match parse(proc, text, zone) {
        Some(when) => print(proc, options, when, zone).await,
        None => invalid(proc, text).await,
    }
}

async fn print_lines(proc: &mut Proc, options: &Options, path: &[u8], zone: &TimeZone) -> Result<i32, Stop> {
    let file = match proc.open_operand(path).await {
        Ok(file) => file,
        Err(errno) => {
            usage::warn_file(proc, path, errno).await?;
            return Ok(1);
        }
    };
    let mut input = Input::new(file);
    let mut status = 0;
    loop {
        let line = match input.line(b'\n').await {
            Ok(Some(line)) => line.strip_suffix(b"\n").unwrap_or(line).to_vec(),
            Ok(None) => return Ok(status),
            Err(errno) => {
                usage::warn_file(proc, path, errno).await?;
                return Ok(1);
            }
        };
        status |= print_text(proc, options, &line, zone).await?;
    }
}

async fn print(proc: &mut Proc, options: &Options, when: Timestamp, zone: &TimeZone) -> Result<i32, Stop> {
    let Some(moment) = Moment::new(when.seconds, when.nanos, zone) else {
        let message = format!("time ‘{}.{:09}’ is out of range", when.seconds, when.nanos);
        proc.warn(message).await?;
        return Ok(1);
    };
    let format = with_resolution(&options.format);
    let Some(mut text) = strftime(&format, &moment, Dialect::Gnulib, LIMIT) else {
        proc.warn("memory exhausted").await?;
        return Ok(1);
    };
    text.push(b'\n');
    proc.write(&text).await?;
    Ok(0)
}

/// `%-N` means as many digits as the clock has.
fn with_resolution(format: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(format.len());
    let mut rest = format;
    loop {
        rest = match rest {
            [b'%', b'-', b'N', after @ ..] => {
                out.extend_from_slice(b"%9N");
                after
            }
            [b'%', b'%', after @ ..] => {
                out.extend_from_slice(b"%%");
                after
            }
            [byte, after @ ..] => {
                out.push(*byte);
                after
            }
            [] => return out,
        };
    }
}

/// What happens to anybody but root: the time is printed all the same.
async fn set(
    proc: &mut Proc,
    options: &Options,
    text: &[u8],
    when: Option<Timestamp>,
    zone: &TimeZone,
) -> Result<i32, Stop> {
    let Some(when) = when else {
        return invalid(proc, text).await;
    };
    proc.warn("cannot set date: Operation not permitted").await?;
    print(proc, options, when, zone).await?;
    Ok(1)
}

/// `MMDDhhmm[[CC]YY][.ss]`
fn posix_time(proc: &Proc, text: &[u8], zone: &TimeZone) -> Option<Timestamp> {
    let (digits, seconds) = match text.iter().position(|byte| *byte == b'.') {
        Some(at) => (text.get(..at)?, text.get(at + 1..)?),
        None => (text, &b"00"[..]),
    };
    let all_digits = digits.iter().chain(seconds).all(u8::is_ascii_digit);
    if !all_digits || seconds.len() != 2 || !matches!(digits.len(), 8 | 10 | 12) {
        return None;
    }
    let pair = |at: usize| {
        let pair = digits.get(at..at + 2)?;
        pair.iter().try_fold(0i16, |sum, digit| {
            sum.checked_mul(10)?.checked_add(i16::from(digit - b'0'))
        })
    };
    let now = proc.kernel.now();
    let this_year = Moment::new(now.seconds, 0, zone)?.year as i16;
    let year = match digits.len() {
        8 => this_year,
        10 => pair(8).map(|year| if year < 69 { 2000 + year } else { 1900 + year })?,
        _ => pair(8)? * 100 + pair(10)?,
    };
    let second = seconds
        .iter()
        .fold(0i8, |sum, digit| sum * 10 + (digit - b'0') as i8);
    let civil = jiff::civil::DateTime::new(
        year,
        pair(0)? as i8,
        pair(2)? as i8,
        pair(4)? as i8,
        pair(6)? as i8,
        second,
        0,
    )
    .ok()?;
    from_jiff(zone::local_to_timestamp(zone, civil, zone::Prefer::Any)?)
}
