//! The command line of `csplit`: options, and the patterns that say where pieces end.

use super::suffix::Suffix;
use crate::args::{
    COREUTILS, CountError, Opt, Parsed, Spec, UsageError, parse_count, parse_signed_count, quote,
};
use crate::pattern::{Regex, RegexOptions, Syntax};
use crate::program::message::message;
use crate::program::numbers;

#[derive(Clone, Copy, PartialEq)]
pub enum Flag {
    Format,
    Prefix,
    Keep,
    Suppress,
    Digits,
    Quiet,
    Elide,
}

pub static SPEC: Spec<Flag> = Spec::new(
    "csplit",
    COREUTILS,
    &["[OPTION]... FILE PATTERN..."],
    "Output pieces of FILE separated by PATTERN(s) to files 'xx00', 'xx01', ...,\n\
     and output byte counts of each piece to standard output.\n\n\
     Read standard input if FILE is -",
    &[
        Opt::required(
            Flag::Format,
            'b',
            "suffix-format",
            "FORMAT",
            "use sprintf FORMAT instead of %02d",
        ),
        Opt::required(
            Flag::Prefix,
            'f',
            "prefix",
            "PREFIX",
            "use PREFIX instead of 'xx'",
        ),
        Opt::flag(
            Flag::Keep,
            'k',
            "keep-files",
            "do not remove output files on errors",
        ),
        Opt::long(
            Flag::Suppress,
            "suppress-matched",
            "suppress the lines matching PATTERN",
        ),
        Opt::required(
            Flag::Digits,
            'n',
            "digits",
            "DIGITS",
            "use specified number of digits instead of 2",
        ),
        Opt::flag(
            Flag::Quiet,
            's',
            "quiet",
            "do not print counts of output file sizes",
        ),
        Opt::long(Flag::Quiet, "silent", ""),
        Opt::short(Flag::Quiet, 'q', ""),
        Opt::flag(Flag::Elide, 'z', "elide-empty-files", "remove empty output files"),
    ],
)
.long_order(&[
    "digits",
    "quiet",
    "silent",
    "keep-files",
    "elide-empty-files",
    "prefix",
])
.notes(
    "Each PATTERN may be:\n\
     \x20 INTEGER            copy up to but not including specified line number\n\
     \x20 /REGEXP/[OFFSET]   copy up to but not including a matching line\n\
     \x20 %REGEXP%[OFFSET]   skip to, but not including a matching line\n\
     \x20 {INTEGER}          repeat the previous pattern specified number of times\n\
     \x20 {*}                repeat the previous pattern as many times as possible\n\n\
     A line OFFSET is an integer optionally preceded by '+' or '-'",
);

/// What to split, and how to name and keep the pieces.
#[derive(Debug, Clone)]
pub struct Options {
    pub prefix: Vec<u8>,
    pub suffix: Suffix,
    pub keep: bool,
    pub suppress_matched: bool,
    pub quiet: bool,
    pub elide_empty: bool,
}

impl Options {
    /// Everything but the operands.
    pub fn of(parsed: &Parsed<Flag>) -> Result<Options, UsageError> {
        let mut digits = 2;
        for text in parsed.values(Flag::Digits) {
            digits = numbers::signed(text, "", (0, i64::from(i32::MAX)), "invalid number")?;
        }
        SPEC.check_operands(parsed, 2, usize::MAX)?;
        Ok(Options {
            prefix: parsed.last(Flag::Prefix).unwrap_or(b"xx").to_vec(),
            suffix: match parsed.last(Flag::Format) {
                Some(format) => Suffix::parse(format)?,
                None => Suffix::digits(digits as usize),
            },
            keep: parsed.has(Flag::Keep),
            suppress_matched: parsed.has(Flag::Suppress),
            quiet: parsed.has(Flag::Quiet),
            elide_empty: parsed.has(Flag::Elide),
        })
    }
}

/// Where a piece ends.
#[derive(Debug)]
pub enum Place {
    /// Before a line of this number, or a multiple of it.
    Line(u64),
    /// Before a line that matches, or so many lines before or behind it.
    Match {
        regex: Regex,
        offset: i64,
        /// The lines before it make no piece.
        skip: bool,
    },
}

/// A pattern and how often it is used.
#[derive(Debug)]
pub struct Pattern {
    /// As it was given, for messages.
    pub text: Vec<u8>,
    pub place: Place,
    /// More times than once; none: as often as it can be.
    pub repeat: Option<u64>,
}

fn refused(sentence: Vec<u8>) -> UsageError {
    UsageError::plain(1, sentence)
}

/// Reads the patterns; also the warnings about them.
pub fn patterns(words: &[Vec<u8>]) -> Result<(Vec<Pattern>, Vec<Vec<u8>>), UsageError> {
    let mut patterns = Vec::new();
    let mut warnings = Vec::new();
    let mut last_line = 0;
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let place = match word.first() {
            Some(delimiter @ (b'/' | b'%')) => matching(word, *delimiter)?,
            _ => Place::Line(line_number(word, &mut last_line, &mut warnings)?),
        };
        let repeat = match words.next_if(|next| next.starts_with(b"{")) {
            Some(count) => repeat_count(count)?,
            None => Some(0),
        };
        patterns.push(Pattern {
            text: word.clone(),
            place,
            repeat,
        });
    }
    Ok((patterns, warnings))
}

fn line_number(word: &[u8], last: &mut u64, warnings: &mut Vec<Vec<u8>>) -> Result<u64, UsageError> {
    let number = parse_count(word, "").map_err(|_| refused(message!(quote(word), ": invalid pattern")))?;
    if number == 0 {
        return Err(refused(message!(word, ": line number must be greater than zero")));
    }
    let before = last.to_string();
    if number < *last {
        return Err(refused(message!(
            "line number ",
            quote(word),
            " is smaller than preceding line number, ",
            before
        )));
    }
    if number == *last {
        warnings.push(message!(
            "warning: line number ",
            quote(word),
            " is the same as preceding line number"
        ));
    }
    *last = number;
    Ok(number)
}

fn matching(word: &[u8], delimiter: u8) -> Result<Place, UsageError> {
    let inner = word.get(1..).unwrap_or_default();
    let Some(end) = inner.iter().rposition(|byte| *byte == delimiter) else {
        let shown = [delimiter];
        return Err(refused(message!(
            word,
            ": closing delimiter '",
            shown,
            "' missing"
        )));
    };
    let (pattern, offset) = (
        inner.get(..end).unwrap_or_default(),
        inner.get(end + 1..).unwrap_or_default(),
    );
    let options = RegexOptions {
        gnu: true,
        ..RegexOptions::default()
    };
    let regex = Regex::compile(pattern, Syntax::Basic, options).map_err(|error| {
        refused(message!(
            quote(word),
            ": invalid regular expression: ",
            error.to_string()
        ))
    })?;
    let offset = if offset.is_empty() {
        Ok(0)
    } else {
        parse_signed_count(offset, "")
    };
    let Ok(offset) = offset else {
        return Err(refused(message!(
            quote(word),
            ": integer expected after delimiter"
        )));
    };
    Ok(Place::Match {
        regex,
        offset,
        skip: delimiter == b'%',
    })
}

/// `{3}` or `{*}`.
fn repeat_count(word: &[u8]) -> Result<Option<u64>, UsageError> {
    let Some(text) = word.strip_suffix(b"}") else {
        return Err(refused(message!(
            quote(word),
            ": '}' is required in repeat count"
        )));
    };
    let count = text.get(1..).unwrap_or_default();
    if count == b"*" {
        return Ok(None);
    }
    let number: Result<u64, CountError> = parse_count(count, "");
    number
        .map(Some)
        .map_err(|_| refused(message!(quote(text), "}: integer required between '{' and '}'")))
}
