//! The command line of xargs.

use crate::args::{FINDUTILS, Opt, Parsed, Spec, UsageError, quote};
use crate::text::escape;

/// What an option stands for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Flag {
    Null,
    ArgFile,
    Delimiter,
    EndString,
    OptionalEndString,
    Replace,
    OptionalReplace,
    MaxLines,
    OptionalMaxLines,
    MaxArgs,
    OpenTty,
    MaxProcs,
    Interactive,
    SlotVariable,
    NoRunIfEmpty,
    MaxChars,
    ShowLimits,
    Verbose,
    Exit,
}

/// The table of options.
pub static SPEC: Spec<Flag> = Spec::new(
    "xargs",
    FINDUTILS,
    &["[OPTION]... COMMAND [INITIAL-ARGS]..."],
    "Run COMMAND with arguments INITIAL-ARGS and more arguments read from input.\n\nMandatory and optional arguments to long \
     options are also\nmandatory or optional for the corresponding short option.",
    &[
        Opt::flag(
            Flag::Null,
            '0',
            "null",
            "items are separated by a null, not whitespace;\ndisables quote and backslash processing and\nlogical EOF processing",
        ),
        Opt::required(Flag::ArgFile, 'a', "arg-file", "FILE", "read arguments from FILE, not standard input"),
        Opt::required(
            Flag::Delimiter,
            'd',
            "delimiter",
            "CHARACTER",
            "items in input stream are separated by CHARACTER,\nnot by whitespace; disables quote and \
             backslash\nprocessing and logical EOF processing",
        ),
        Opt::short(
            Flag::EndString,
            'E',
            "set logical EOF string; if END occurs as a line\nof input, the rest of the input is ignored\n(ignored if -0 or -d \
             was specified)",
        )
        .takes("END"),
        Opt::optional(
            Flag::OptionalEndString,
            'e',
            "eof",
            "END",
            "equivalent to -E END if END is specified;\notherwise, there is no end-of-file string",
        ),
        Opt::short(Flag::Replace, 'I', "same as --replace=R").takes("R"),
        Opt::optional(
            Flag::OptionalReplace,
            'i',
            "replace",
            "R",
            "replace R in INITIAL-ARGS with names read\nfrom standard input, split at newlines;\nif R is unspecified, assume {}",
        ),
        Opt::short(
            Flag::MaxLines,
            'L',
            "use at most MAX-LINES non-blank input lines per\ncommand line",
        )
        .takes("MAX-LINES"),
        Opt::optional(
            Flag::OptionalMaxLines,
            'l',
            "max-lines",
            "MAX-LINES",
            "similar to -L but defaults to at most one non-\nblank input line if MAX-LINES is not specified",
        ),
        Opt::required(Flag::MaxArgs, 'n', "max-args", "MAX-ARGS", "use at most MAX-ARGS arguments per command line"),
        Opt::flag(
            Flag::OpenTty,
            'o',
            "open-tty",
            "Reopen stdin as /dev/tty in the child process\nbefore executing the command; useful to run an\ninteractive \
             application.",
        ),
        Opt::required(Flag::MaxProcs, 'P', "max-procs", "MAX-PROCS", "run at most MAX-PROCS processes at a time"),
        Opt::flag(Flag::Interactive, 'p', "interactive", "prompt before running commands"),
        Opt::long(Flag::SlotVariable, "process-slot-var", "set environment variable VAR in child processes")
            .takes("VAR"),
        Opt::flag(
            Flag::NoRunIfEmpty,
            'r',
            "no-run-if-empty",
            "if there are no arguments, then do not run COMMAND;\nif this option is not given, COMMAND will be\nrun at least once",
        ),
        Opt::required(Flag::MaxChars, 's', "max-chars", "MAX-CHARS", "limit length of command line to MAX-CHARS"),
        Opt::long(Flag::ShowLimits, "show-limits", "show limits on command-line length"),
        Opt::flag(Flag::Verbose, 't', "verbose", "print commands before executing them"),
        Opt::flag(Flag::Exit, 'x', "exit", "exit if the size (see -s) is exceeded"),
    ],
)
.posix();

/// How input is cut into items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// At blanks and newlines, with quotes and backslashes.
    Words,
    /// At every byte of this value, without quotes.
    At(u8),
}

/// A command line.
#[derive(Debug)]
pub struct Options {
    pub split: Split,
    pub arg_file: Option<Vec<u8>>,
    pub end_string: Option<Vec<u8>>,
    pub replace: Option<Vec<u8>>,
    pub max_lines: Option<u64>,
    pub max_args: Option<u64>,
    pub max_procs: u64,
    pub interactive: bool,
    pub open_tty: bool,
    pub slot_variable: Option<Vec<u8>>,
    pub run_if_empty: bool,
    pub max_chars: usize,
    pub show_limits: bool,
    pub verbose: bool,
    pub exit_if_large: bool,
    pub command: Vec<Vec<u8>>,
    /// Complaints that change nothing.
    pub warnings: Vec<String>,
}

/// Bytes of a command line unless `-s` says otherwise.
const DEFAULT_CHARS: usize = 128 << 10;
/// What Linux lets a command line and its environment have.
pub const SYSTEM_LIMIT: usize = 2 << 20;
/// Bytes that POSIX wants left over.
pub const HEADROOM: usize = 2048;

impl Options {
    /// Reads the options in order; `most_chars` is the bound of `-s`.
    pub fn from_parsed(parsed: Parsed<Flag>, most_chars: usize) -> Result<Options, UsageError> {
        let mut options = Options {
            split: Split::Words,
            arg_file: None,
            end_string: None,
            replace: None,
            max_lines: None,
            max_args: None,
            max_procs: 1,
            interactive: false,
            open_tty: false,
            slot_variable: None,
            run_if_empty: true,
            max_chars: DEFAULT_CHARS.min(most_chars),
            show_limits: false,
            verbose: false,
            exit_if_large: false,
            command: parsed.operands,
            warnings: Vec::new(),
        };
        for (flag, value) in &parsed.options {
            options.take(*flag, value.as_deref(), most_chars)?;
        }
        if options.split != Split::Words && options.end_string.take().is_some() {
            let sentence = "warning: the -E option has no effect if -0 or -d is used.\n";
            options.warnings.push(sentence.to_owned());
        }
        if options.command.is_empty() {
            options.command.push(b"echo".to_vec());
        }
        Ok(options)
    }

    fn take(&mut self, flag: Flag, value: Option<&[u8]>, most_chars: usize) -> Result<(), UsageError> {
        let text = value.unwrap_or_default();
        match flag {
            Flag::Null => self.split = Split::At(0),
            Flag::ArgFile => self.arg_file = Some(text.to_vec()),
            Flag::Delimiter => self.split = Split::At(delimiter(text)?),
            Flag::EndString | Flag::OptionalEndString => {
                self.end_string = value.filter(|text| !text.is_empty()).map(<[u8]>::to_vec);
            }
            Flag::Replace | Flag::OptionalReplace => self.take_replace(value.unwrap_or(b"{}")),
            Flag::MaxLines => self.take_max_lines(number(text, 'L', 1)?, "-L"),
            Flag::OptionalMaxLines => {
                let count = value.map_or(Ok(1), |text| number(text, 'l', 1))?;
                self.take_max_lines(count, "-l");
            }
            Flag::MaxArgs => self.take_max_args(number(text, 'n', 1)?),
            Flag::OpenTty => self.open_tty = true,
            Flag::MaxProcs => self.max_procs = number(text, 'P', 0)?,
            Flag::Interactive => (self.interactive, self.verbose) = (true, true),
            Flag::SlotVariable => {
                if text.contains(&b'=') {
                    let message = "option --process-slot-var may not be set to a value which includes `='";
                    return Err(UsageError::plain(1, message));
                }
                self.slot_variable = Some(text.to_vec());
            }
            Flag::NoRunIfEmpty => self.run_if_empty = false,
            Flag::MaxChars => self.take_max_chars(text, most_chars)?,
            Flag::ShowLimits => self.show_limits = true,
            Flag::Verbose => self.verbose = true,
            Flag::Exit => self.exit_if_large = true,
        }
        Ok(())
    }

    fn exclusive(&mut self, previous: &str, given: &str) {
        self.warnings.push(format!(
            "warning: options --{previous} and {given} are mutually exclusive, ignoring previous --{previous} value"
        ));
    }

    fn take_replace(&mut self, text: &[u8]) {
        self.replace = Some(text.to_vec());
        self.exit_if_large = true;
        if self.max_args.take().is_some() {
            self.exclusive("max-args", "--replace/-I/-i");
        }
        if self.max_lines.take().is_some() {
            self.exclusive("max-lines", "--replace/-I/-i");
        }
    }

    fn take_max_lines(&mut self, count: u64, given: &str) {
        self.max_lines = Some(count);
        if given == "-l" {
            self.exit_if_large = true;
        }
        if self.max_args.take().is_some() {
            self.exclusive("max-args", given);
        }
        if self.replace.take().is_some() {
            self.exclusive("replace", given);
        }
    }

    fn take_max_args(&mut self, count: u64) {
        self.max_args = Some(count);
        if self.max_lines.take().is_some() {
            self.exclusive("max-lines", "--max-args/-n");
        }
        if self.replace.is_some() {
            if count == 1 {
                // `-I{} -n1` says nothing new.
                self.max_args = None;
            } else {
                self.replace = None;
                self.exclusive("replace", "--max-args/-n");
            }
        }
    }

    fn take_max_chars(&mut self, text: &[u8], most: usize) -> Result<(), UsageError> {
        let value = parse_number(text).ok_or_else(|| invalid_number(text, 's'))?;
        self.max_chars = match usize::try_from(value) {
            Ok(value @ 1..) if value <= most => value,
            Ok(1..) => {
                self.warnings
                    .push(format!("value {value} for -s option should be <= {most}"));
                most
            }
            _ => {
                self.warnings
                    .push(format!("value {value} for -s option should be >= 1"));
                1
            }
        };
        Ok(())
    }
}

fn parse_number(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.trim_start().parse().ok()
}

fn invalid_number(text: &[u8], letter: char) -> UsageError {
    let message = [
        b"invalid number \"",
        text,
        format!("\" for -{letter} option").as_bytes(),
    ]
    .concat();
    SPEC.complain(message)
}

fn number(text: &[u8], letter: char, least: u64) -> Result<u64, UsageError> {
    let value = parse_number(text).ok_or_else(|| invalid_number(text, letter))?;
    match u64::try_from(value) {
        Ok(value) if value >= least => Ok(value),
        _ => Err(SPEC.complain(format!("value {value} for -{letter} option should be >= {least}"))),
    }
}

/// A character, or an escape sequence that stands for one.
fn delimiter(text: &[u8]) -> Result<u8, UsageError> {
    match text {
        [byte] => Ok(*byte),
        br"\\" => Ok(b'\\'),
        [b'\\', letter] if let Some(byte) = escape::letter(*letter) => Ok(byte),
        [b'\\', b'x', digits @ ..] => numeric_delimiter(text, digits, 16, "ff"),
        [b'\\', digits @ ..] if digits.first().is_some_and(u8::is_ascii_digit) => {
            numeric_delimiter(text, digits, 8, "377")
        }
        [b'\\', ..] => {
            let message = [
                b"Invalid escape sequence ",
                text,
                b" in input delimiter specification.",
            ]
            .concat();
            Err(UsageError::plain(1, message))
        }
        _ => {
            let message = [
                b"Invalid input delimiter specification ",
                text,
                b": the delimiter must be either a single character or an escape sequence starting with \\.",
            ];
            Err(UsageError::plain(1, message.concat()))
        }
    }
}

/// A number as C reads it, and how many bytes it takes: blanks and a sign come first, in base 16 `0x` too. Below zero it is huge.
fn strtoul(text: &[u8], base: u32) -> (u32, usize) {
    let blanks = text.len() - text.trim_ascii_start().len();
    let signed = text.get(blanks..).unwrap_or_default();
    let unsigned = signed
        .strip_prefix(b"-")
        .or_else(|| signed.strip_prefix(b"+"))
        .unwrap_or(signed);
    let digit = |byte: &u8| char::from(*byte).to_digit(base);
    let marked = match unsigned {
        [b'0', b'x' | b'X', rest @ ..]
            if base == 16 && rest.first().is_some_and(|byte| digit(byte).is_some()) =>
        {
            rest
        }
        _ => unsigned,
    };
    let digits = marked.iter().map_while(digit);
    let count = digits.clone().count();
    if count == 0 {
        return (0, 0);
    }
    let value = digits.fold(0u32, |sum, digit| sum.saturating_mul(base).saturating_add(digit));
    let negative = signed.starts_with(b"-") && value > 0;
    let used = text.len() - marked.len() + count;
    (if negative { u32::MAX } else { value }, used)
}

fn numeric_delimiter(text: &[u8], digits: &[u8], base: u32, most: &str) -> Result<u8, UsageError> {
    let (value, used) = strtoul(digits, base);
    let begin = [
        b"Invalid escape sequence ",
        text,
        b" in input delimiter specification; ",
    ]
    .concat();
    if value > 255 {
        let message = [
            begin.as_slice(),
            format!("character values must not exceed {most}.").as_bytes(),
        ]
        .concat();
        return Err(UsageError::plain(1, message));
    }
    if let Some(rest) = digits.get(used..).filter(|rest| !rest.is_empty()) {
        let message = [
            begin.as_slice(),
            b"trailing characters ",
            rest,
            b" not recognised.",
        ]
        .concat();
        return Err(UsageError::plain(1, message));
    }
    Ok(value as u8)
}

/// `Cannot open input file ‘x’: No such file or directory`.
pub fn cannot_open(name: &[u8], errno: crate::fs::Errno) -> Vec<u8> {
    [
        b"Cannot open input file ",
        &*quote(name),
        b": ",
        errno.message().as_bytes(),
    ]
    .concat()
}
