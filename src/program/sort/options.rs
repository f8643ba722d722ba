//! The command line of `sort`, the obsolete `+POS -POS` included.

use super::key::{End, Key, KeyOrder};
use crate::args::{COREUTILS, CountError, Opt, Parsed, Spec, UsageError, parse_count, quote, quoteaf};

/// The options.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Flag {
    /// A letter that orders.
    Order(u8),
    /// `--sort=WORD`
    Sort,
    BatchSize,
    Check,
    CheckQuietly,
    Compress,
    Debug,
    FilesFrom,
    Key,
    Merge,
    Output,
    Stable,
    BufferSize,
    Separator,
    TemporaryDirectory,
    Parallel,
    Unique,
    RandomSource,
    Zero,
}

/// What usage errors exit with.
pub const FAILURE: u8 = 2;

/// The table.
pub static SPEC: Spec<Flag> = Spec::new(
    "sort",
    COREUTILS,
    &["[OPTION]... [FILE]...", "[OPTION]... --files0-from=F"],
    "Write sorted concatenation of all FILE(s) to standard output.\n\n\
     With no FILE, or when FILE is -, read standard input.",
    &[
        Opt::flag(Flag::Order(b'b'), 'b', "ignore-leading-blanks", "ignore leading blanks"),
        Opt::flag(
            Flag::Order(b'd'),
            'd',
            "dictionary-order",
            "consider only blanks and alphanumeric characters",
        ),
        Opt::flag(Flag::Order(b'f'), 'f', "ignore-case", "fold lower case to upper case characters"),
        Opt::flag(
            Flag::Order(b'g'),
            'g',
            "general-numeric-sort",
            "compare according to general numerical value",
        ),
        Opt::flag(Flag::Order(b'i'), 'i', "ignore-nonprinting", "consider only printable characters"),
        Opt::flag(Flag::Order(b'M'), 'M', "month-sort", "compare (unknown) < 'JAN' < ... < 'DEC'"),
        Opt::flag(
            Flag::Order(b'h'),
            'h',
            "human-numeric-sort",
            "compare human readable numbers (e.g., 2K 1G)",
        ),
        Opt::flag(Flag::Order(b'n'), 'n', "numeric-sort", "compare according to string numerical value"),
        Opt::flag(
            Flag::Order(b'R'),
            'R',
            "random-sort",
            "shuffle, but group identical keys.  See shuf(1)",
        ),
        Opt::long(Flag::RandomSource, "random-source", "get random bytes from FILE").takes("FILE"),
        Opt::flag(Flag::Order(b'r'), 'r', "reverse", "reverse the result of comparisons"),
        Opt::long(
            Flag::Sort,
            "sort",
            "sort according to WORD:\ngeneral-numeric -g, human-numeric -h, month -M,\nnumeric -n, random -R, version -V",
        )
        .takes("WORD"),
        Opt::flag(
            Flag::Order(b'V'),
            'V',
            "version-sort",
            "natural sort of (version) numbers within text",
        ),
        Opt::long(
            Flag::BatchSize,
            "batch-size",
            "merge at most NMERGE inputs at once;\nfor more use temp files",
        )
        .takes("NMERGE"),
        Opt::short(Flag::Check, 'c', "check for sorted input; do not sort"),
        Opt::long(Flag::Check, "check", "the same; WORD is diagnose-first, or as with -C\nquiet or silent").may_take("WORD"),
        Opt::short(Flag::CheckQuietly, 'C', "like -c, but do not report first bad line"),
        Opt::long(Flag::Compress, "compress-program", "compress temporaries with PROG;\ndecompress them with PROG -d")
            .takes("PROG"),
        Opt::long(Flag::Debug, "debug", ""),
        Opt::long(
            Flag::FilesFrom,
            "files0-from",
            "read input from the files specified by\nNUL-terminated names in file F;\n\
             If F is - then read names from standard input",
        )
        .takes("F"),
        Opt::required(Flag::Key, 'k', "key", "KEYDEF", "sort via a key; KEYDEF gives location and type"),
        Opt::flag(Flag::Merge, 'm', "merge", "merge already sorted files; do not sort"),
        Opt::required(Flag::Output, 'o', "output", "FILE", "write result to FILE instead of standard output"),
        Opt::flag(Flag::Stable, 's', "stable", "stabilize sort by disabling last-resort comparison"),
        Opt::required(Flag::BufferSize, 'S', "buffer-size", "SIZE", "use SIZE for main memory buffer"),
        Opt::required(
            Flag::Separator,
            't',
            "field-separator",
            "SEP",
            "use SEP instead of non-blank to blank transition",
        ),
        Opt::required(
            Flag::TemporaryDirectory,
            'T',
            "temporary-directory",
            "DIR",
            "use DIR for temporaries, not $TMPDIR or /tmp;\nmultiple options specify multiple directories",
        ),
        Opt::long(Flag::Parallel, "parallel", "change the number of sorts run concurrently to N").takes("N"),
        Opt::flag(
            Flag::Unique,
            'u',
            "unique",
            "with -c, check for strict ordering;\nwithout -c, output only the first of an equal run",
        ),
        Opt::flag(Flag::Zero, 'z', "zero-terminated", "line delimiter is NUL, not newline"),
    ],
)
.fails_with(FAILURE)
.notes(
    "KEYDEF is F[.C][OPTS][,F[.C][OPTS]] for start and stop position, where F is a\n\
     field number and C a character position in the field; both are origin 1, and\n\
     the stop position defaults to the line's end.  If neither -t nor -b is in\n\
     effect, characters in a field are counted from the beginning of the preceding\n\
     whitespace.  OPTS is one or more single-letter ordering options [bdfgiMhnRrV],\n\
     which override global ordering options for that key.  If no key is given, use\n\
     the entire line as the key.\n\n\
     SIZE may be followed by the following multiplicative suffixes:\n\
     % 1% of memory, b 1, K 1024 (default), and so on for M, G, T, P, E, Z, Y.",
);

/// What `-c` and `-C` say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// The first line out of order.
    Loudly,
    /// Nothing.
    Quietly,
}

const SORTS: &[(&str, u8)] = &[
    ("general-numeric", b'g'),
    ("human-numeric", b'h'),
    ("month", b'M'),
    ("numeric", b'n'),
    ("random", b'R'),
    ("version", b'V'),
];
const CHECKS: &[(&str, Check)] = &[
    ("quiet", Check::Quietly),
    ("silent", Check::Quietly),
    ("diagnose-first", Check::Loudly),
];

/// What `sort` was asked to do.
#[derive(Debug)]
pub struct Plan {
    /// Compared in turn; none: the whole line.
    pub keys: Vec<Key>,
    /// The comparison of whole lines, the last resort, is reversed.
    pub reverse: bool,
    /// No last resort.
    pub stable: bool,
    /// One of each run of equal lines.
    pub unique: bool,
    /// Between fields.
    pub separator: Option<u8>,
    /// At the end of lines.
    pub delimiter: u8,
    /// Only check.
    pub check: Option<Check>,
    /// Inputs are sorted.
    pub merge: bool,
    /// Where to.
    pub output: Option<Vec<u8>>,
    /// Seed of `-R`.
    pub random_source: Option<Vec<u8>>,
    /// The file with the names of the inputs.
    pub files_from: Option<Vec<u8>>,
    /// The inputs.
    pub files: Vec<Vec<u8>>,
}

fn plain(message: impl Into<Vec<u8>>) -> UsageError {
    UsageError::plain(FAILURE, message)
}

fn incompatible(letters: &str) -> UsageError {
    plain(format!("options '-{letters}' are incompatible"))
}

impl Plan {
    /// Reads the command line.
    pub fn from_arguments(arguments: &[Vec<u8>]) -> Result<Plan, UsageError> {
        let Parsed { options, operands } = SPEC.parse(&modernized(arguments))?;
        let mut plan = Plan {
            keys: Vec::new(),
            reverse: false,
            stable: false,
            unique: false,
            separator: None,
            delimiter: b'\n',
            check: None,
            merge: false,
            output: None,
            random_source: None,
            files_from: None,
            files: operands,
        };
        let mut global = KeyOrder::default();
        let mut compress: Option<Vec<u8>> = None;
        for (flag, value) in options {
            match flag {
                Flag::Order(letter) => {
                    global.set_letters(&[letter], End::Both);
                }
                Flag::Sort => {
                    let letter = SPEC.choose("--sort", value.as_deref().unwrap_or_default(), SORTS)?;
                    global.set_letters(&[letter], End::Both);
                }
                Flag::Compress => match (&compress, value) {
                    (Some(before), Some(value)) if *before != value => {
                        return Err(plain("multiple compress programs specified"));
                    }
                    (_, value) => compress = value,
                },
                _ => plan.set(flag, value)?,
            }
        }
        plan.finish(global)
    }

    fn set(&mut self, flag: Flag, value: Option<Vec<u8>>) -> Result<(), UsageError> {
        let given = value.is_some();
        let value = value.unwrap_or_default();
        match flag {
            Flag::BatchSize => batch_size(&value)?,
            Flag::Check | Flag::CheckQuietly => {
                let check = match flag {
                    Flag::CheckQuietly => Check::Quietly,
                    _ if given => SPEC.choose("--check", &value, CHECKS)?,
                    _ => Check::Loudly,
                };
                if self.check.is_some_and(|before| before != check) {
                    return Err(incompatible("cC"));
                }
                self.check = Some(check);
            }
            Flag::Debug => return Err(plain("option '--debug' is not supported")),
            Flag::FilesFrom => self.files_from = Some(value),
            Flag::Key => self.keys.push(parse_key(&value)?),
            Flag::Merge => self.merge = true,
            Flag::Output => {
                if self.output.as_ref().is_some_and(|before| *before != value) {
                    return Err(plain("multiple output files specified"));
                }
                self.output = Some(value);
            }
            Flag::Stable => self.stable = true,
            Flag::BufferSize => buffer_size(&value)?,
            Flag::Separator => self.set_separator(&value)?,
            Flag::Parallel => parallel(&value)?,
            Flag::Unique => self.unique = true,
            Flag::RandomSource => {
                if self.random_source.as_ref().is_some_and(|before| *before != value) {
                    return Err(plain("multiple random sources specified"));
                }
                self.random_source = Some(value);
            }
            Flag::Zero => self.delimiter = 0,
            // Nothing is kept in files.
            Flag::TemporaryDirectory | Flag::Order(_) | Flag::Sort | Flag::Compress => {}
        }
        Ok(())
    }

    fn set_separator(&mut self, value: &[u8]) -> Result<(), UsageError> {
        let separator = match value {
            [] => return Err(plain("empty tab")),
            [one] => *one,
            b"\\0" => 0,
            _ => return Err(plain([b"multi-character tab ", quote(value).as_slice()].concat())),
        };
        if self.separator.is_some_and(|before| before != separator) {
            return Err(plain("incompatible tabs"));
        }
        self.separator = Some(separator);
        Ok(())
    }

    /// Gives the global order to keys that have none, and checks what excludes each other.
    fn finish(mut self, global: KeyOrder) -> Result<Plan, UsageError> {
        if let (Some(_), Some(extra)) = (&self.files_from, self.files.first()) {
            let error = SPEC.complain([b"extra operand ", quoteaf(extra).as_slice()].concat());
            return Err(error.with_lines(b"file operands cannot be combined with --files0-from\n"));
        }
        for key in &mut self.keys {
            if key.order.is_default_compare() && !key.order.reverse {
                key.order = global;
            }
        }
        if self.keys.is_empty() && !global.is_default_compare() {
            self.keys.push(Key::line(global));
        }
        if let Some(letters) = self.keys.iter().find_map(|key| key.order.conflict()) {
            return Err(incompatible(&letters));
        }
        self.reverse = global.reverse;
        let letter = match self.check {
            Some(Check::Loudly) => "c",
            Some(Check::Quietly) => "C",
            None => return Ok(self),
        };
        if let Some(extra) = self.files.get(1) {
            let message = [
                b"extra operand ",
                &*quoteaf(extra),
                b" not allowed with -",
                letter.as_bytes(),
            ];
            return Err(plain(message.concat()));
        }
        if self.output.is_some() {
            return Err(incompatible(&format!("{letter}o")));
        }
        Ok(self)
    }
}

fn bad_key(why: &str, text: &[u8]) -> UsageError {
    plain([why.as_bytes(), b": invalid field specification ", &quote(text)].concat())
}

/// A count at the start of `text`, and what follows it.
fn key_count<'a>(text: &'a [u8], why: &str) -> Result<(usize, &'a [u8]), UsageError> {
    leading_count(text)
        .ok_or_else(|| plain([why.as_bytes(), b": invalid count at start of ", &quote(text)].concat()))
}

fn leading_count(text: &[u8]) -> Option<(usize, &[u8])> {
    let rest = text.trim_ascii_start();
    let rest = rest.strip_prefix(b"+").unwrap_or(rest);
    let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = rest
        .split_at_checked(length)
        .filter(|(digits, _)| !digits.is_empty())?;
    let value = digits.iter().fold(0_usize, |value, digit| {
        value.saturating_mul(10).saturating_add(usize::from(digit - b'0'))
    });
    Some((value, rest))
}

/// `F[.C][OPTS][,F[.C][OPTS]]`
fn parse_key(text: &[u8]) -> Result<Key, UsageError> {
    let mut key = Key::line(KeyOrder::default());
    let (field, mut rest) = key_count(text, "invalid number at field start")?;
    let field = field
        .checked_sub(1)
        .ok_or_else(|| bad_key("field number is zero", text))?;
    if let Some(behind) = rest.strip_prefix(b".") {
        let (byte, behind) = key_count(behind, "invalid number after '.'")?;
        key.start_byte = byte
            .checked_sub(1)
            .ok_or_else(|| bad_key("character offset is zero", text))?;
        rest = behind;
    }
    key.start_field = (field > 0 || key.start_byte > 0).then_some(field);
    let letters = key.order.set_letters(rest, End::Start);
    rest = rest.get(letters..).unwrap_or_default();
    if let Some(behind) = rest.strip_prefix(b",") {
        let (field, behind) = key_count(behind, "invalid number after ','")?;
        key.end_field = Some(
            field
                .checked_sub(1)
                .ok_or_else(|| bad_key("field number is zero", text))?,
        );
        rest = behind;
        if let Some(behind) = rest.strip_prefix(b".") {
            (key.end_byte, rest) = key_count(behind, "invalid number after '.'")?;
        }
        let letters = key.order.set_letters(rest, End::Last);
        rest = rest.get(letters..).unwrap_or_default();
    }
    if !rest.is_empty() {
        return Err(bad_key("stray character in field spec", text));
    }
    Ok(key)
}

fn batch_size(value: &[u8]) -> Result<(), UsageError> {
    match parse_count(value, "") {
        Ok(size @ 0..2) => {
            let quoted = quote(size.to_string().as_bytes());
            let first = [b"invalid --batch-size argument ", quoted.as_slice()].concat();
            Err(plain("minimum --batch-size argument is ‘2’").after(first))
        }
        Ok(_) => Ok(()),
        Err(_) => Err(plain(
            [b"invalid --batch-size argument ", quoteaf(value).as_slice()].concat(),
        )),
    }
}

/// Memory is metered, not asked for: the size only has to be one.
fn buffer_size(value: &[u8]) -> Result<(), UsageError> {
    let number = value
        .strip_suffix(b"%")
        .or(value.strip_suffix(b"b"))
        .unwrap_or(value);
    match parse_count(number, "EgGkKmMPtTYZ") {
        Ok(_) if number.first().is_some_and(u8::is_ascii_digit) => Ok(()),
        Err(CountError::Overflow) => Err(plain([b"-S argument ", &*quoteaf(value), b" too large"].concat())),
        _ if value.first().is_some_and(u8::is_ascii_digit) => Err(plain(
            [b"invalid suffix in -S argument ", quoteaf(value).as_slice()].concat(),
        )),
        _ => Err(plain(
            [b"invalid -S argument ", quoteaf(value).as_slice()].concat(),
        )),
    }
}

fn parallel(value: &[u8]) -> Result<(), UsageError> {
    match parse_count(value, "") {
        Ok(0) => Err(plain("number in parallel must be nonzero")),
        Ok(_) | Err(CountError::Overflow) => Ok(()),
        Err(CountError::Invalid) => Err(plain(
            [b"invalid --parallel argument ", quoteaf(value).as_slice()].concat(),
        )),
    }
}

/// The arguments with `+POS1 [-POS2]` written as `-k`.
fn modernized(arguments: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut result = Vec::with_capacity(arguments.len());
    let mut rest = arguments.iter().peekable();
    while let Some(word) = rest.next() {
        if word == b"--" {
            result.push(word.clone());
            result.extend(rest.by_ref().cloned());
        } else if let Some(start) = word.strip_prefix(b"+").and_then(old_start) {
            let end = rest
                .next_if(|next| matches!(next.as_slice(), [b'-', b'0'..=b'9', ..]))
                .map(|next| old_end(next));
            result.push(b"-k".to_vec());
            result.push([start, end.unwrap_or_default()].concat());
        } else {
            result.push(word.clone());
            if takes_next(word) {
                result.extend(rest.next().cloned());
            }
        }
    }
    result
}

fn old_start(text: &[u8]) -> Option<Vec<u8>> {
    let (field, rest) = leading_count(text).filter(|_| text.first().is_some_and(u8::is_ascii_digit))?;
    let (byte, rest) = match rest.strip_prefix(b".") {
        Some(behind) => leading_count(behind)?,
        None => (0, rest),
    };
    if KeyOrder::default().set_letters(rest, End::Start) < rest.len() {
        return None;
    }
    let position = format!("{}.{}", field.saturating_add(1), byte.saturating_add(1));
    Some([position.as_bytes(), rest].concat())
}

/// `-B.Y` ends behind Y bytes of the field after B; without Y, behind field B. What is wrong is left for the parser of keys.
fn old_end(text: &[u8]) -> Vec<u8> {
    let Some((field, rest)) = text.get(1..).and_then(leading_count) else {
        return [b",", text].concat();
    };
    let (byte, rest) = match rest.strip_prefix(b".").map(leading_count) {
        Some(Some(found)) => found,
        Some(None) => return [b",", text].concat(),
        None => (0, rest),
    };
    let position = if byte == 0 {
        format!(",{}", field.max(1))
    } else {
        format!(",{}.{byte}", field.saturating_add(1))
    };
    [position.as_bytes(), rest].concat()
}

/// The value of this option is the next word.
fn takes_next(word: &[u8]) -> bool {
    const LONG: [&[u8]; 11] = [
        b"batch-size",
        b"buffer-size",
        b"compress-program",
        b"field-separator",
        b"files0-from",
        b"key",
        b"output",
        b"parallel",
        b"random-source",
        b"sort",
        b"temporary-directory",
    ];
    if let Some(name) = word.strip_prefix(b"--") {
        return LONG.iter().any(|long| long.starts_with(name));
    }
    let Some(letters) = word.strip_prefix(b"-") else {
        return false;
    };
    letters
        .iter()
        .position(|byte| b"koStT".contains(byte))
        .is_some_and(|at| at + 1 == letters.len())
}
