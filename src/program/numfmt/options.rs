//! The command line of `numfmt`.

use super::format::Format;
use super::scale::Scale;
use crate::args::{COREUTILS, Opt, Parsed, Spec, UsageError, quote};
use crate::program::decimal::Number;
use crate::program::message::message;
use crate::program::ranges::{self, Counted, Range};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Flag {
    Delimiter,
    Field,
    Format,
    From,
    FromUnit,
    Grouping,
    Header,
    Invalid,
    Padding,
    Round,
    Suffix,
    To,
    ToUnit,
    Zero,
}

static SPEC: Spec<Flag> = Spec::new(
    "numfmt",
    COREUTILS,
    &["[OPTION]... [NUMBER]..."],
    "Reformat NUMBER(s), or the numbers from standard input if none are specified.\n\n\
     Mandatory arguments to long options are mandatory for short options too.",
    &[
        Opt::required(Flag::Delimiter, 'd', "delimiter", "X", "use X instead of whitespace for field delimiter"),
        Opt::long(Flag::Field, "field", "replace the numbers in these input fields (default=1)").takes("FIELDS"),
        Opt::long(Flag::Format, "format", "use printf style floating-point FORMAT").takes("FORMAT"),
        Opt::long(Flag::From, "from", "auto-scale input numbers to UNITs; default is 'none'").takes("UNIT"),
        Opt::long(Flag::FromUnit, "from-unit", "specify the input unit size (instead of the default 1)").takes("N"),
        Opt::long(Flag::Grouping, "grouping", "use locale-defined grouping of digits"),
        Opt::long(Flag::Header, "header", "print (without converting) the first N header lines;\nN defaults to 1 if not specified").may_take("N"),
        Opt::long(Flag::Invalid, "invalid", "failure mode for invalid numbers: MODE can be:\nabort (default), fail, warn, ignore").takes("MODE"),
        Opt::long(Flag::Padding, "padding", "pad the output to N characters; positive N will\nright-align; negative N will left-align").takes("N"),
        Opt::long(Flag::Round, "round", "use METHOD for rounding when scaling; METHOD can be:\nup, down, from-zero (default), towards-zero, nearest").takes("METHOD"),
        Opt::long(Flag::Suffix, "suffix", "add SUFFIX to output numbers, and accept optional\nSUFFIX in input numbers").takes("SUFFIX"),
        Opt::long(Flag::To, "to", "auto-scale output numbers to UNITs").takes("UNIT"),
        Opt::long(Flag::ToUnit, "to-unit", "the output unit size (instead of the default 1)").takes("N"),
        Opt::flag(Flag::Zero, 'z', "zero-terminated", "line delimiter is NUL, not newline"),
    ],
);

/// How a number is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    Up,
    Down,
    FromZero,
    TowardsZero,
    Nearest,
}

/// What happens at what is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Invalid {
    Abort,
    Fail,
    Warn,
    Ignore,
}

/// What to do.
#[derive(Debug)]
pub struct Options {
    pub delimiter: Option<u8>,
    pub fields: Vec<Range>,
    pub from: Scale,
    pub to: Scale,
    pub from_unit: Number,
    pub to_unit: Number,
    pub rounding: Rounding,
    pub invalid: Invalid,
    pub suffix: Vec<u8>,
    pub format: Format,
    /// Numbers keep the width of their field.
    pub keeps_width: bool,
    pub header: u64,
    pub line_end: u8,
    pub words: Vec<Vec<u8>>,
}

const INPUT: &[(&str, Scale)] = &[
    ("none", Scale::None),
    ("auto", Scale::Auto),
    ("si", Scale::Si),
    ("iec", Scale::Iec),
    ("iec-i", Scale::IecI),
];
const OUTPUT: &[(&str, Scale)] = &[
    ("none", Scale::None),
    ("si", Scale::Si),
    ("iec", Scale::Iec),
    ("iec-i", Scale::IecI),
];
const ROUNDING: &[(&str, Rounding)] = &[
    ("up", Rounding::Up),
    ("down", Rounding::Down),
    ("from-zero", Rounding::FromZero),
    ("towards-zero", Rounding::TowardsZero),
    ("nearest", Rounding::Nearest),
];
const INVALID: &[(&str, Invalid)] = &[
    ("abort", Invalid::Abort),
    ("fail", Invalid::Fail),
    ("warn", Invalid::Warn),
    ("ignore", Invalid::Ignore),
];

impl Options {
    /// Reads the command line.
    pub fn from_arguments(arguments: &[Vec<u8>]) -> Result<Options, UsageError> {
        let parsed = SPEC.parse(arguments)?;
        let grouping = parsed.has(Flag::Grouping);
        let formatted = parsed.has(Flag::Format);
        let mut options = Options {
            delimiter: None,
            fields: vec![Range { first: 1, last: 1 }],
            from: Scale::None,
            to: Scale::None,
            from_unit: Number::whole(1),
            to_unit: Number::whole(1),
            rounding: Rounding::FromZero,
            invalid: Invalid::Abort,
            suffix: Vec::new(),
            format: Format::default(),
            keeps_width: false,
            header: 0,
            line_end: b'\n',
            words: Vec::new(),
        };
        options.take(parsed)?;
        if formatted && grouping {
            return Err(UsageError::plain(
                1,
                "--grouping cannot be combined with --format",
            ));
        }
        if grouping && options.to != Scale::None {
            return Err(UsageError::plain(1, "grouping cannot be combined with --to"));
        }
        options.keeps_width =
            options.delimiter.is_none() && (options.format.width == 0 || options.format.zeros);
        Ok(options)
    }

    fn take(&mut self, parsed: Parsed<Flag>) -> Result<(), UsageError> {
        let mut padding = 0;
        let mut listed = false;
        for (flag, value) in parsed.options {
            let text = value.clone().unwrap_or_default();
            match flag {
                Flag::Delimiter => {
                    self.delimiter = Some(match text.as_slice() {
                        [] => b'\0',
                        [byte] => *byte,
                        _ => return Err(UsageError::plain(1, "the delimiter must be a single character")),
                    });
                }
                Flag::Field if listed => return Err(UsageError::plain(1, "multiple field specifications")),
                Flag::Field => {
                    listed = true;
                    let list = ranges::parse(&text, Counted::Fields, true);
                    self.fields = list.map_err(|sentence| SPEC.complain(sentence))?;
                }
                Flag::Format => self.format = Format::parse(&text)?,
                Flag::From => self.from = SPEC.choose("--from", &text, INPUT)?,
                Flag::To => self.to = SPEC.choose("--to", &text, OUTPUT)?,
                Flag::FromUnit => self.from_unit = unit(&text)?,
                Flag::ToUnit => self.to_unit = unit(&text)?,
                Flag::Grouping => {}
                Flag::Header => self.header = header(value)?,
                Flag::Invalid => self.invalid = SPEC.choose("--invalid", &text, INVALID)?,
                Flag::Padding => padding = width(&text)?,
                Flag::Round => self.rounding = SPEC.choose("--round", &text, ROUNDING)?,
                Flag::Suffix => self.suffix = text,
                Flag::Zero => self.line_end = b'\0',
            }
        }
        if padding != 0 && self.format.width == 0 {
            self.format.width = padding;
        }
        self.words = parsed.operands;
        Ok(())
    }
}

fn plain(sentence: &str, text: &[u8]) -> UsageError {
    UsageError::plain(1, message!(sentence, " ", quote(text)))
}

fn parsed<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn header(value: Option<Vec<u8>>) -> Result<u64, UsageError> {
    let Some(text) = value else { return Ok(1) };
    match parsed(&text) {
        Some(count) if count > 0 => Ok(count),
        _ => Err(plain("invalid header value", &text)),
    }
}

fn width(text: &[u8]) -> Result<i64, UsageError> {
    match parsed(text) {
        Some(width) if width != 0 && width < 1_000_000 && width > -1_000_000 => Ok(width),
        _ => Err(plain("invalid padding value", text)),
    }
}

/// A count of units, with a suffix: `1000`, `1K`, `1Ki`.
fn unit(text: &[u8]) -> Result<Number, UsageError> {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, suffix) = text.split_at(length);
    let value: Option<u64> = parsed(digits).filter(|value| *value > 0);
    let factor = match suffix {
        [] => Some(Number::whole(1)),
        [letter] => Scale::Si.factor(*letter),
        [letter, b'i'] => Scale::Iec.factor(*letter),
        _ => None,
    };
    match (value, factor) {
        (Some(value), Some(factor)) => Ok(Number::whole(value).multiply(&factor, 0)),
        _ => Err(plain("invalid unit size:", text)),
    }
}
