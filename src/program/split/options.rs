//! The command line of `split`.

use super::output::Names;
use crate::args::{COREUTILS, Opt, Parsed, Spec, UsageError, parse_count, quote};
use crate::program::message::message;
use crate::program::numbers;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Flag {
    SuffixLength,
    AdditionalSuffix,
    Bytes,
    LineBytes,
    Digits,
    NumericSuffixes,
    Hex,
    HexSuffixes,
    ElideEmpty,
    Filter,
    Lines,
    Number,
    Separator,
    Unbuffered,
    Verbose,
    Obsolete,
}

static SPEC: Spec<Flag> = Spec::new(
    "split",
    COREUTILS,
    &["[OPTION]... [FILE [PREFIX]]"],
    "Output pieces of FILE to PREFIXaa, PREFIXab, ...;\ndefault size is 1000 lines, and default PREFIX is 'x'.\n\nWith no FILE, or when FILE is -, read standard input.",
    &[
        Opt::required(Flag::SuffixLength, 'a', "suffix-length", "N", "generate suffixes of length N (default 2)"),
        Opt::long(Flag::AdditionalSuffix, "additional-suffix", "append an additional SUFFIX to file names").takes("SUFFIX"),
        Opt::required(Flag::Bytes, 'b', "bytes", "SIZE", "put SIZE bytes per output file"),
        Opt::required(Flag::LineBytes, 'C', "line-bytes", "SIZE", "put at most SIZE bytes of records per output file"),
        Opt::short(Flag::Digits, 'd', "use numeric suffixes starting at 0, not alphabetic"),
        Opt::long(Flag::NumericSuffixes, "numeric-suffixes", "same as -d, but allow setting the start value").may_take("FROM"),
        Opt::short(Flag::Hex, 'x', "use hex suffixes starting at 0, not alphabetic"),
        Opt::long(Flag::HexSuffixes, "hex-suffixes", "same as -x, but allow setting the start value").may_take("FROM"),
        Opt::flag(Flag::ElideEmpty, 'e', "elide-empty-files", "do not generate empty output files with '-n'"),
        Opt::long(Flag::Filter, "filter", "write to shell COMMAND; file name is $FILE").takes("COMMAND"),
        Opt::required(Flag::Lines, 'l', "lines", "NUMBER", "put NUMBER lines/records per output file"),
        Opt::required(Flag::Number, 'n', "number", "CHUNKS", "generate CHUNKS output files; see explanation below"),
        Opt::required(Flag::Separator, 't', "separator", "SEP", "use SEP instead of newline as the record separator;\n'\\0' (zero) specifies the NUL character"),
        Opt::flag(Flag::Unbuffered, 'u', "unbuffered", "immediately copy input to output with '-n r/...'"),
        Opt::long(Flag::Verbose, "verbose", "print a diagnostic just before each\noutput file is opened"),
        Opt::digits(Flag::Obsolete, ""),
    ],
)
.notes(
    "The SIZE argument is an integer and optional unit (example: 10K is 10*1024).\nUnits are K,M,G,T,P,E,Z,Y (powers of 1024) or KB,MB,... (powers of 1000).\nBinary prefixes can be used, too: KiB=K, MiB=M, and so on.\n\nCHUNKS may be:\n  N       split into N files based on size of input\n  K/N     output Kth of N to stdout\n  l/N     split into N files without splitting lines/records\n  l/K/N   output Kth of N to stdout without splitting lines/records\n  r/N     like 'l' but use round robin distribution\n  r/K/N   likewise but only output Kth of N to stdout",
);

/// How the pieces are cut.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// So many bytes.
    Bytes(u64),
    /// Whole lines of so many bytes at most.
    LineBytes(u64),
    /// So many lines.
    Lines(u64),
    /// So many pieces; or one of them on standard output.
    Chunks(Option<u64>, u64),
    /// The same of whole lines.
    LineChunks(Option<u64>, u64),
    /// Line by line in turn.
    RoundRobin(Option<u64>, u64),
}

/// What to do.
pub struct Options {
    /// How to cut.
    pub kind: Kind,
    /// What ends a line.
    pub separator: u8,
    /// Leave out empty pieces.
    pub elide_empty: bool,
    /// A command for each piece.
    pub filter: Option<Vec<u8>>,
    /// Say the names.
    pub verbose: bool,
    /// The file.
    pub input: Vec<u8>,
    prefix: Vec<u8>,
    suffix: Vec<u8>,
    suffix_length: u64,
    alphabet: &'static [u8],
    start: Option<Vec<u8>>,
}

const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
const DIGITS: &[u8] = b"0123456789";
const HEX: &[u8] = b"0123456789abcdef";
const SUFFIXES: &str = "bEGKkMmPTYZ0";

fn size(text: &[u8], sentence: &str, suffixes: &str) -> Result<u64, UsageError> {
    // 0 is out of range, whatever the unit.
    numbers::unsigned(text, suffixes, (1, i64::MAX as u64), sentence)
}

/// `N`, `K/N`, `l/N`, `l/K/N`, `r/N`, `r/K/N`.
fn chunks(text: &[u8]) -> Result<Kind, UsageError> {
    let (letter, rest) = match text {
        [letter @ (b'l' | b'r'), b'/', rest @ ..] => (*letter, rest),
        _ => (b'b', text),
    };
    let most = i64::MAX as u64;
    let (chosen, count) = match rest.iter().position(|byte| *byte == b'/') {
        None => (
            None,
            numbers::unsigned(rest, "", (1, most), "invalid number of chunks")?,
        ),
        Some(at) => {
            let (first, second) = rest.split_at_checked(at).unwrap_or_default();
            let second = second.get(1..).unwrap_or_default();
            let count = numbers::unsigned(second, "", (1, most), "invalid number of chunks")?;
            let chosen = numbers::unsigned(first, "", (1, count), "invalid chunk number")?;
            (Some(chosen), count)
        }
    };
    Ok(match letter {
        b'l' => Kind::LineChunks(chosen, count),
        b'r' => Kind::RoundRobin(chosen, count),
        _ => Kind::Chunks(chosen, count),
    })
}

fn separator(text: &[u8]) -> Result<u8, UsageError> {
    match text {
        [] => Err(UsageError::plain(1, "empty record separator")),
        [byte] => Ok(*byte),
        b"\\0" => Ok(0),
        _ => {
            let message = message!("multi-character separator ", quote(text));
            Err(UsageError::plain(1, message))
        }
    }
}

/// Arguments like `-12`, the last of which counts, as options like `-l 12`.
fn without_obsolete(arguments: &[Vec<u8>]) -> (Vec<Vec<u8>>, Option<Vec<u8>>) {
    let mut number = None;
    let mut ended = false;
    let mut rest = arguments.to_vec();
    rest.retain(|argument| {
        ended |= argument == b"--";
        match argument.strip_prefix(b"-") {
            Some(digits) if !ended && !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
                number = Some(digits.to_vec());
                false
            }
            _ => true,
        }
    });
    (rest, number)
}

impl Options {
    /// Reads the command line.
    pub fn from_arguments(arguments: &[Vec<u8>]) -> Result<Options, UsageError> {
        let (arguments, obsolete) = without_obsolete(arguments);
        let parsed = SPEC.parse(&arguments)?;
        let mut kind = None;
        let mut options = Options {
            kind: Kind::Lines(1000),
            separator: b'\n',
            elide_empty: parsed.has(Flag::ElideEmpty),
            filter: parsed.last(Flag::Filter).map(<[u8]>::to_vec),
            verbose: parsed.has(Flag::Verbose),
            input: b"-".to_vec(),
            prefix: b"x".to_vec(),
            suffix: Vec::new(),
            suffix_length: 0,
            alphabet: LETTERS,
            start: None,
        };
        if let Some(digits) = obsolete {
            kind = Some(Kind::Lines(size(&digits, "invalid number of lines", "")?));
        }
        for (flag, value) in &parsed.options {
            if let Some(found) = options.set(*flag, value.as_deref())?
                && kind.replace(found).is_some()
            {
                return Err(SPEC.complain("cannot split in more than one way"));
            }
        }
        options.kind = kind.unwrap_or(Kind::Lines(1000));
        options.take_operands(&parsed)?;
        let chosen = matches!(
            options.kind,
            Kind::Chunks(Some(_), _) | Kind::LineChunks(Some(_), _) | Kind::RoundRobin(Some(_), _)
        );
        if options.filter.is_some() && chosen {
            return Err(SPEC.complain("--filter does not process a chunk extracted to stdout"));
        }
        Ok(options)
    }

    fn take_operands(&mut self, parsed: &Parsed<Flag>) -> Result<(), UsageError> {
        SPEC.check_operands(parsed, 0, 2)?;
        let mut operands = parsed.operands.iter();
        if let Some(input) = operands.next() {
            self.input.clone_from(input);
        }
        if let Some(prefix) = operands.next() {
            self.prefix.clone_from(prefix);
        }
        Ok(())
    }

    /// Takes an option over; gives the kind of pieces if that is what it says.
    fn set(&mut self, flag: Flag, value: Option<&[u8]>) -> Result<Option<Kind>, UsageError> {
        let text = value.unwrap_or_default();
        match flag {
            Flag::SuffixLength => {
                let sentence = "invalid suffix length";
                self.suffix_length = numbers::unsigned(text, "", (0, 1 << 16), sentence)?;
            }
            Flag::AdditionalSuffix => {
                if text.contains(&b'/') {
                    let message = message!("invalid suffix ", quote(text), ", contains directory separator");
                    return Err(SPEC.complain(message));
                }
                self.suffix = text.to_vec();
            }
            Flag::Bytes => {
                return Ok(Some(Kind::Bytes(size(
                    text,
                    "invalid number of bytes",
                    SUFFIXES,
                )?)));
            }
            Flag::LineBytes => {
                return Ok(Some(Kind::LineBytes(size(
                    text,
                    "invalid number of bytes",
                    SUFFIXES,
                )?)));
            }
            Flag::Lines => return Ok(Some(Kind::Lines(size(text, "invalid number of lines", "")?))),
            Flag::Number => return Ok(Some(chunks(text)?)),
            Flag::Digits | Flag::NumericSuffixes => self.count_by(DIGITS, value)?,
            Flag::Hex | Flag::HexSuffixes => self.count_by(HEX, value)?,
            Flag::Separator => self.separator = separator(text)?,
            Flag::Obsolete => return Err(SPEC.complain("cannot split in more than one way")),
            // Nothing is held back anyway.
            Flag::Unbuffered => {}
            Flag::ElideEmpty | Flag::Filter | Flag::Verbose => {}
        }
        Ok(None)
    }

    fn count_by(&mut self, alphabet: &'static [u8], start: Option<&[u8]>) -> Result<(), UsageError> {
        self.alphabet = alphabet;
        let Some(start) = start else { return Ok(()) };
        if start.is_empty() || !start.iter().all(|digit| alphabet.contains(digit)) {
            let kind = if alphabet.len() == 10 {
                "numerical"
            } else {
                "hexadecimal"
            };
            let message = message!(quote(start), ": invalid start value for ", kind, " suffix");
            return Err(SPEC.complain(message));
        }
        let zeros = start.iter().take_while(|digit| **digit == b'0').count();
        let digits = start.get(zeros.min(start.len() - 1)..).unwrap_or_default();
        self.start = Some(digits.to_vec());
        Ok(())
    }

    /// The names of the pieces; or why there are none.
    pub fn names(&self) -> Result<Names, String> {
        let base = self.alphabet.len() as u64;
        let mut needed = 0;
        let mut widens = self.start.is_none();
        if let Kind::Chunks(_, count) | Kind::LineChunks(_, count) | Kind::RoundRobin(_, count) = self.kind {
            let from = self
                .start
                .as_deref()
                .and_then(|digits| parse_count(digits, "").ok());
            let from = from.filter(|from| *from < count).unwrap_or(0);
            let mut last = (count - 1).saturating_add(from);
            loop {
                needed += 1;
                last /= base;
                if last == 0 {
                    break;
                }
            }
            widens = false;
        }
        let length = match self.suffix_length {
            0 => needed.max(2),
            given if given < needed => {
                return Err(format!("the suffix length needs to be at least {needed}"));
            }
            given => {
                widens = false;
                given
            }
        } as usize;
        let mut digits = vec![0; length];
        let start = self.start.as_deref().unwrap_or_default();
        if start.len() > length {
            return Err("numerical suffix start value is too large for the suffix length".to_owned());
        }
        for (slot, digit) in digits.iter_mut().rev().zip(start.iter().rev()) {
            *slot = self.alphabet.iter().position(|known| known == digit).unwrap_or(0);
        }
        Ok(Names {
            prefix: self.prefix.clone(),
            alphabet: self.alphabet,
            digits,
            suffix: self.suffix.clone(),
            widens,
            begun: false,
        })
    }
}
