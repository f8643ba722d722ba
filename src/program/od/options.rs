//! The command line of `od`, both the modern one and the traditional one, whose offset is an operand (`od file +010`).

use super::format::{self, Format};
use crate::args::{BlockSizeError, COREUTILS, Opt, Parsed, Spec, UsageError, parse_count_in, quote};

/// The radix of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Radix {
    /// `-A d`
    Decimal,
    /// `-A o`
    Octal,
    /// `-A x`
    Hexadecimal,
    /// `-A n`
    None,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Flag {
    Address,
    Skip,
    SkipLong,
    Count,
    CountLong,
    Strings,
    StringsLong,
    Format,
    Verbose,
    Width,
    WidthLong,
    Endian,
    Traditional,
    /// A letter that stands for a type.
    Letter(&'static str),
}

static SPEC: Spec<Flag> = Spec::new(
    "od",
    COREUTILS,
    &[
        "[OPTION]... [FILE]...",
        "[-abcdfilosx]... [FILE] [[+]OFFSET[.][b]]",
        "--traditional [OPTION]... [FILE] [[+]OFFSET[.][b] [+][LABEL][.][b]]",
    ],
    "\nWrite an unambiguous representation, octal bytes by default,\nof FILE to standard output.  With more than one FILE argument,\nconcatenate them in the listed order to form the input.\n\nWith no FILE, or when FILE is -, read standard input.\n\nIf first and second call formats both apply, the second format is assumed\nif the last operand begins with + or (if there are 2 operands) a digit.\nAn OFFSET operand means -j OFFSET.  LABEL is the pseudo-address\nat first byte printed, incremented when dump is progressing.\nFor OFFSET and LABEL, a 0x or 0X prefix indicates hexadecimal;\nsuffixes may be . for octal and b for multiply by 512.",
    &[
        Opt::required(Flag::Address, 'A', "address-radix", "RADIX", "output format for file offsets; RADIX is one\nof [doxn], for Decimal, Octal, Hex or None"),
        Opt::long(Flag::Endian, "endian", "swap input bytes according the specified order").takes("{big|little}"),
        Opt::short(Flag::Skip, 'j', "skip BYTES input bytes first").takes("BYTES"),
        Opt::long(Flag::SkipLong, "skip-bytes", "the same").takes("BYTES"),
        Opt::short(Flag::Count, 'N', "limit dump to BYTES input bytes").takes("BYTES"),
        Opt::long(Flag::CountLong, "read-bytes", "the same").takes("BYTES"),
        Opt::short(Flag::Strings, 'S', "output strings of at least BYTES graphic chars").takes("BYTES"),
        Opt::long(Flag::StringsLong, "strings", "the same; 3 is implied when BYTES is not specified").may_take("BYTES"),
        Opt::required(Flag::Format, 't', "format", "TYPE", "select output format or formats"),
        Opt::flag(Flag::Verbose, 'v', "output-duplicates", "do not use * to mark line suppression"),
        Opt::short(Flag::Width, 'w', "output BYTES bytes per output line").may_take("BYTES"),
        Opt::long(Flag::WidthLong, "width", "the same; 32 is implied when BYTES is not specified").may_take("BYTES"),
        Opt::long(Flag::Traditional, "traditional", "accept arguments in third form above"),
        Opt::short(Flag::Letter("a"), 'a', "same as -t a,  select named characters, ignoring high-order bit"),
        Opt::short(Flag::Letter("o1"), 'b', "same as -t o1, select octal bytes"),
        Opt::short(Flag::Letter("c"), 'c', "same as -t c,  select printable characters or backslash escapes"),
        Opt::short(Flag::Letter("u2"), 'd', "same as -t u2, select unsigned decimal 2-byte units"),
        Opt::short(Flag::Letter("fF"), 'f', "same as -t fF, select floats"),
        Opt::short(Flag::Letter("dI"), 'i', "same as -t dI, select decimal ints"),
        Opt::short(Flag::Letter("dL"), 'l', "same as -t dL, select decimal longs"),
        Opt::short(Flag::Letter("o2"), 'o', "same as -t o2, select octal 2-byte units"),
        Opt::short(Flag::Letter("d2"), 's', "same as -t d2, select decimal 2-byte units"),
        Opt::short(Flag::Letter("x2"), 'x', "same as -t x2, select hexadecimal 2-byte units"),
        Opt::short(Flag::Letter("o2"), 'B', ""),
        Opt::short(Flag::Letter("u4"), 'D', ""),
        Opt::short(Flag::Letter("fD"), 'e', ""),
        Opt::short(Flag::Letter("fD"), 'F', ""),
        Opt::short(Flag::Letter("x2"), 'h', ""),
        Opt::short(Flag::Letter("x4"), 'H', ""),
        Opt::short(Flag::Letter("dL"), 'I', ""),
        Opt::short(Flag::Letter("dL"), 'L', ""),
        Opt::short(Flag::Letter("o4"), 'O', ""),
        Opt::short(Flag::Letter("x4"), 'X', ""),
    ],
)
.notes(
    "TYPE is made up of one or more of these specifications:\n  a          named character, ignoring high-order bit\n  c          printable character or backslash escape\n  d[SIZE]    signed decimal, SIZE bytes per integer\n  f[SIZE]    floating point, SIZE bytes per float\n  o[SIZE]    octal, SIZE bytes per integer\n  u[SIZE]    unsigned decimal, SIZE bytes per integer\n  x[SIZE]    hexadecimal, SIZE bytes per integer\n\nSIZE is a number.  For TYPE in [doux], SIZE may also be C for\nsizeof(char), S for sizeof(short), I for sizeof(int) or L for\nsizeof(long).  If TYPE is f, SIZE may also be F for sizeof(float), D\nfor sizeof(double) or L for sizeof(long double).\n\nAdding a z suffix to any type displays printable characters at the end of\neach output line.",
);

const SUFFIXES: &str = "bEGKkMmPTYZ0";

/// What to do.
#[derive(Debug)]
pub struct Options {
    /// How addresses are printed.
    pub radix: Radix,
    /// Bytes to skip.
    pub skip: u64,
    /// Bytes to dump.
    pub count: Option<u64>,
    /// Look for strings of so many characters.
    pub strings: Option<usize>,
    /// The formats, at least one.
    pub formats: Vec<Format>,
    /// Bytes a line.
    pub width: usize,
    /// No `*`.
    pub verbose: bool,
    /// Numbers are turned around.
    pub big_endian: bool,
    /// The traditional pseudo-address of the first byte.
    pub label: Option<u64>,
    /// Files.
    pub paths: Vec<Vec<u8>>,
    /// What is said before the work.
    pub warnings: Vec<String>,
}

fn number(text: &[u8], option: &str, base: u32, suffixes: &str) -> Result<u64, UsageError> {
    parse_count_in(text, base, suffixes).map_err(|error| refused(error, option, text))
}

fn refused(error: BlockSizeError, option: &str, text: &[u8]) -> UsageError {
    UsageError::plain(1, error.message(option, text))
}

impl Options {
    /// Reads the command line.
    pub fn from_arguments(arguments: &[Vec<u8>]) -> Result<Options, UsageError> {
        let parsed = SPEC.parse(arguments)?;
        let mut options = Options {
            radix: Radix::Octal,
            skip: 0,
            count: None,
            strings: None,
            formats: Vec::new(),
            width: 0,
            verbose: false,
            big_endian: false,
            label: None,
            paths: Vec::new(),
            warnings: Vec::new(),
        };
        let mut width = None;
        for (flag, value) in &parsed.options {
            options.set(*flag, value.as_deref(), &mut width)?;
        }
        if options.strings.is_some() && !options.formats.is_empty() {
            return Err(UsageError::plain(
                1,
                "no type may be specified when dumping strings",
            ));
        }
        options.take_operands(parsed)?;
        if options.formats.is_empty() {
            options.formats = format::parse(b"o2")?;
        }
        options.set_width(width);
        Ok(options)
    }

    fn set(&mut self, flag: Flag, value: Option<&[u8]>, width: &mut Option<u64>) -> Result<(), UsageError> {
        let text = value.unwrap_or_default();
        match flag {
            Flag::Address => self.radix = radix(text)?,
            Flag::Skip => self.skip = number(text, "-j", 0, SUFFIXES)?,
            Flag::SkipLong => self.skip = number(text, "--skip-bytes", 0, SUFFIXES)?,
            Flag::Count => self.count = Some(number(text, "-N", 0, SUFFIXES)?),
            Flag::CountLong => self.count = Some(number(text, "--read-bytes", 0, SUFFIXES)?),
            Flag::Strings | Flag::StringsLong => {
                let option = if flag == Flag::Strings { "-S" } else { "--strings" };
                let least = match value {
                    None => 3,
                    Some(text) => number(text, option, 0, SUFFIXES)?,
                };
                let least = usize::try_from(least)
                    .map_err(|_| UsageError::plain(1, [text, b" is too large"].concat()))?;
                self.strings = Some(least);
            }
            Flag::Format => self.formats.extend(format::parse(text)?),
            Flag::Letter(letter) => self.formats.extend(format::parse(letter.as_bytes())?),
            Flag::Verbose => self.verbose = true,
            Flag::Width | Flag::WidthLong => {
                let option = if flag == Flag::Width { "-w" } else { "--width" };
                *width = Some(value.map_or(Ok(32), |text| number(text, option, 10, ""))?);
            }
            Flag::Endian => {
                let choices = [("little", false), ("big", true)];
                self.big_endian = SPEC.choose("--endian", text, &choices)?;
            }
            Flag::Traditional => {}
        }
        Ok(())
    }

    fn set_width(&mut self, width: Option<u64>) {
        let least = format::common_multiple(&self.formats);
        self.width = match width {
            None => 16,
            // A line must fit into memory; GNU would ask for it in vain.
            Some(width) if width != 0 && width.is_multiple_of(least as u64) && width <= MOST_WIDTH => {
                width as usize
            }
            Some(width) => {
                self.warnings
                    .push(format!("warning: invalid width {width}; using {least} instead"));
                least
            }
        };
    }

    fn take_operands(&mut self, parsed: Parsed<Flag>) -> Result<(), UsageError> {
        let traditional = parsed.has(Flag::Traditional);
        let is_old = |flag: &Flag| matches!(flag, Flag::Letter(_) | Flag::Endian | Flag::Traditional);
        let modern = parsed.options.iter().any(|(flag, _)| !is_old(flag));
        let mut paths = parsed.operands;
        if traditional || !modern {
            self.take_old_offsets(&mut paths, traditional);
        }
        if let (true, Some(extra)) = (traditional, paths.get(1)) {
            let message = [b"extra operand ".as_slice(), &quote(extra)].concat();
            let error = SPEC.complain("compatibility mode supports at most one file");
            return Err(error.after(message));
        }
        self.paths = paths;
        Ok(())
    }

    /// The traditional `[FILE] [OFFSET [LABEL]]`.
    fn take_old_offsets(&mut self, paths: &mut Vec<Vec<u8>>, traditional: bool) {
        let begins = |text: &[u8], digit: bool| {
            traditional || text.starts_with(b"+") || digit && text.first().is_some_and(u8::is_ascii_digit)
        };
        let (offset, label, left) = match paths.as_slice() {
            [one] if begins(one, false) => (old_offset(one), None, 0),
            [one, two] if begins(two, true) => match (old_offset(one), old_offset(two)) {
                (Some(offset), Some(label)) if traditional => (Some(offset), Some(label), 0),
                (_, second) => (second, None, 1),
            },
            [_, two, three] if traditional => match (old_offset(two), old_offset(three)) {
                (Some(offset), Some(label)) => (Some(offset), Some(label), 1),
                _ => return,
            },
            _ => return,
        };
        if let Some(offset) = offset {
            self.skip = offset;
            self.label = label;
            paths.truncate(left);
        }
    }
}

/// The longest line.
const MOST_WIDTH: u64 = 1 << 24;

fn radix(text: &[u8]) -> Result<Radix, UsageError> {
    match text.first() {
        Some(b'd') => Ok(Radix::Decimal),
        Some(b'o') => Ok(Radix::Octal),
        Some(b'x') => Ok(Radix::Hexadecimal),
        Some(b'n') => Ok(Radix::None),
        first => {
            let shown = first.copied().unwrap_or(0);
            let message = [
                b"invalid output address radix '".as_slice(),
                &[shown],
                b"'; it must be one character from [doxn]",
            ];
            Err(UsageError::plain(1, message.concat()))
        }
    }
}

/// `[+][0x]N[b]`. A `.` asks for base 10 and is then no suffix, so that GNU takes no number with it.
fn old_offset(text: &[u8]) -> Option<u64> {
    let text = text.strip_prefix(b"+").unwrap_or(text);
    if text.is_empty() || text.contains(&b'.') {
        return None;
    }
    let hex = text.starts_with(b"0x") || text.starts_with(b"0X");
    parse_count_in(text, if hex { 16 } else { 8 }, "Bb").ok()
}
