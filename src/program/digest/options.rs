//! The command lines of the checksum programs.

use super::algorithm::{Algorithm, NAMES};
use crate::args::{COREUTILS, Opt, Spec, UsageError, parse_count, quote};

/// An option of any of the programs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Flag {
    Algorithm,
    Length,
    Binary,
    Check,
    Tag,
    Untagged,
    Text,
    Zero,
    IgnoreMissing,
    Quiet,
    Status,
    Strict,
    Warn,
    Bsd,
    Sysv,
    /// A letter that GNU's table has and its code does not.
    Stray,
}

/// One of the programs.
pub struct Variant {
    spec: Spec<Flag>,
    algorithm: Algorithm,
}

/// What is done with the operands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mode {
    /// `DIGEST  NAME`
    Plain,
    /// `TAG (NAME) = DIGEST`
    Tagged,
    /// Lists are read.
    Check,
}

/// How much `-c` says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Talk {
    /// All results.
    Normal,
    /// No `OK`.
    Quiet,
    /// The exit status alone.
    Nothing,
    /// Lines that are not well formed, too.
    Warn,
}

/// What to do.
pub struct Plan {
    /// The checksum.
    pub algorithm: Algorithm,
    /// It was asked for, or is the program's only one.
    pub given: bool,
    /// Bytes of a digest.
    pub length: usize,
    /// Print or check.
    pub mode: Mode,
    /// `*` before names.
    pub binary: bool,
    /// Ends lines.
    pub line_end: u8,
    /// Files that are not there are passed over.
    pub ignore_missing: bool,
    /// A line that is not well formed is a failure.
    pub strict: bool,
    /// How much is said.
    pub talk: Talk,
    /// The operands.
    pub paths: Vec<Vec<u8>>,
}

const BINARY: Opt<Flag> = Opt::flag(Flag::Binary, 'b', "binary", "read in binary mode");
const CHECK: Opt<Flag> = Opt::flag(
    Flag::Check,
    'c',
    "check",
    "read checksums from the FILEs and check them",
);
const LENGTH: Opt<Flag> = Opt::required(
    Flag::Length,
    'l',
    "length",
    "BITS",
    "digest length in bits; must not exceed the max for\nthe blake2 algorithm and must be a multiple of 8",
);
const TAG: Opt<Flag> = Opt::long(Flag::Tag, "tag", "create a BSD-style checksum");
const TEXT: Opt<Flag> = Opt::flag(Flag::Text, 't', "text", "read in text mode (default)");
const ZERO: Opt<Flag> = Opt::flag(
    Flag::Zero,
    'z',
    "zero",
    "end each output line with NUL, not newline,\nand disable file name escaping",
);
const IGNORE: Opt<Flag> = Opt::long(
    Flag::IgnoreMissing,
    "ignore-missing",
    "don't fail or report status for missing files",
);
const QUIET: Opt<Flag> = Opt::long(
    Flag::Quiet,
    "quiet",
    "don't print OK for each successfully verified file",
);
const STATUS: Opt<Flag> = Opt::long(
    Flag::Status,
    "status",
    "don't output anything, status code shows success",
);
const STRICT: Opt<Flag> = Opt::long(
    Flag::Strict,
    "strict",
    "exit non-zero for improperly formatted checksum lines",
);
const WARN: Opt<Flag> = Opt::flag(
    Flag::Warn,
    'w',
    "warn",
    "warn about improperly formatted checksum lines",
);

const DIGEST_OPTIONS: &[Opt<Flag>] = &[
    BINARY, CHECK, TAG, TEXT, ZERO, IGNORE, QUIET, STATUS, STRICT, WARN,
];

const fn digest(name: &'static str, about: &'static str, algorithm: Algorithm) -> Variant {
    let usage = &["[OPTION]... [FILE]..."];
    Variant {
        spec: Spec::new(name, COREUTILS, usage, about, DIGEST_OPTIONS),
        algorithm,
    }
}

/// `md5sum`
pub static MD5SUM: Variant = digest(
    "md5sum",
    "Print or check MD5 (128-bit) checksums.\n\nWith no FILE, or when FILE is -, read standard input.",
    Algorithm::Md5,
);
/// `sha1sum`
pub static SHA1SUM: Variant = digest(
    "sha1sum",
    "Print or check SHA1 (160-bit) checksums.\n\nWith no FILE, or when FILE is -, read standard input.",
    Algorithm::Sha1,
);
/// `sha224sum`
pub static SHA224SUM: Variant = digest(
    "sha224sum",
    "Print or check SHA224 (224-bit) checksums.\n\nWith no FILE, or when FILE is -, read standard input.",
    Algorithm::Sha224,
);
/// `sha256sum`
pub static SHA256SUM: Variant = digest(
    "sha256sum",
    "Print or check SHA256 (256-bit) checksums.\n\nWith no FILE, or when FILE is -, read standard input.",
    Algorithm::Sha256,
);
/// `sha384sum`
pub static SHA384SUM: Variant = digest(
    "sha384sum",
    "Print or check SHA384 (384-bit) checksums.\n\nWith no FILE, or when FILE is -, read standard input.",
    Algorithm::Sha384,
);
/// `sha512sum`
pub static SHA512SUM: Variant = digest(
    "sha512sum",
    "Print or check SHA512 (512-bit) checksums.\n\nWith no FILE, or when FILE is -, read standard input.",
    Algorithm::Sha512,
);
/// `b2sum`
pub static B2SUM: Variant = Variant {
    spec: Spec::new(
        "b2sum",
        COREUTILS,
        &["[OPTION]... [FILE]..."],
        "Print or check BLAKE2b (512-bit) checksums.\n\nWith no FILE, or when FILE is -, read standard input.",
        &[
            BINARY, CHECK, LENGTH, TAG, TEXT, ZERO, IGNORE, QUIET, STATUS, STRICT, WARN,
        ],
    ),
    algorithm: Algorithm::Blake2b,
};
/// `cksum`
pub static CKSUM: Variant = Variant {
    spec: Spec::new(
        "cksum",
        COREUTILS,
        &["[OPTION]... [FILE]..."],
        "Print or verify checksums.\nBy default use the 32 bit CRC algorithm.\n\nWith no FILE, or when FILE is -, read standard input.",
        &[
            Opt::required(Flag::Algorithm, 'a', "algorithm", "TYPE", "select the digest type to use.  See DIGEST below."),
            Opt::short(Flag::Stray, 'b', ""),
            CHECK,
            LENGTH,
            Opt::long(Flag::Tag, "tag", "create a BSD-style checksum (the default)"),
            Opt::short(Flag::Stray, 't', ""),
            Opt::long(
                Flag::Untagged,
                "untagged",
                "create a reversed style checksum, without digest type",
            ),
            ZERO,
            IGNORE,
            QUIET,
            STATUS,
            STRICT,
            WARN,
        ],
    )
    .notes("DIGEST determines the digest algorithm and default output format:\n  sysv      (equivalent to sum -s)\n  bsd       (equivalent to sum -r)\n  crc       (equivalent to cksum)\n  md5       (equivalent to md5sum)\n  sha1      (equivalent to sha1sum)\n  sha224    (equivalent to sha224sum)\n  sha256    (equivalent to sha256sum)\n  sha384    (equivalent to sha384sum)\n  sha512    (equivalent to sha512sum)\n  blake2b   (equivalent to b2sum)\n  sm3       (only available through cksum)"),
    algorithm: Algorithm::Crc,
};
/// `sum`
pub static SUM: Variant = Variant {
    spec: Spec::new(
        "sum",
        COREUTILS,
        &["[OPTION]... [FILE]..."],
        "Print or check BSD (16-bit) checksums.\n\nWith no FILE, or when FILE is -, read standard input.",
        &[
            Opt::short(
                Flag::Bsd,
                'r',
                "use BSD sum algorithm (the default), use 1K blocks",
            ),
            Opt::flag(
                Flag::Sysv,
                's',
                "sysv",
                "use System V sum algorithm, use 512 bytes blocks",
            ),
        ],
    ),
    algorithm: Algorithm::Bsd,
};

/// Options as they were read.
struct Choices {
    algorithm: Algorithm,
    given: bool,
    check: bool,
    tag: Option<bool>,
    binary: Option<bool>,
    length: Option<(u64, Vec<u8>)>,
    zero: bool,
    ignore_missing: bool,
    strict: bool,
    talk: Talk,
}

impl Choices {
    fn set(&mut self, variant: &Variant, flag: Flag, value: &[u8]) -> Result<(), UsageError> {
        match flag {
            Flag::Algorithm => {
                self.algorithm = variant.spec.choose("--algorithm", value, &NAMES)?;
                self.given = true;
            }
            Flag::Length => {
                let length = parse_count(value, "").map_err(|_| invalid_length(value))?;
                self.length = Some((length, value.to_vec()));
            }
            Flag::Binary => self.binary = Some(true),
            Flag::Text => self.binary = Some(false),
            Flag::Check => self.check = true,
            Flag::Tag => {
                self.tag = Some(true);
                self.binary = Some(true);
            }
            Flag::Untagged => self.tag = Some(false),
            Flag::Zero => self.zero = true,
            Flag::IgnoreMissing => self.ignore_missing = true,
            Flag::Strict => self.strict = true,
            // Each of these takes the others back.
            Flag::Quiet => self.talk = Talk::Quiet,
            Flag::Status => self.talk = Talk::Nothing,
            Flag::Warn => self.talk = Talk::Warn,
            Flag::Bsd => self.algorithm = Algorithm::Bsd,
            Flag::Sysv => self.algorithm = Algorithm::Sysv,
            Flag::Stray => return Err(variant.spec.bare_usage()),
        }
        Ok(())
    }

    /// The digest's length in bytes.
    fn digest_length(&self) -> Result<usize, UsageError> {
        let most = self.algorithm.length();
        let Some((bits, text)) = &self.length else {
            return Ok(most);
        };
        if self.algorithm != Algorithm::Blake2b {
            return Err(UsageError::plain(
                1,
                "--length is only supported with --algorithm=blake2b",
            ));
        }
        if *bits > most as u64 * 8 {
            let message = "maximum digest length for ‘BLAKE2b’ is 512 bits";
            return Err(UsageError::plain(1, message).after(invalid_text(text)));
        }
        if !bits.is_multiple_of(8) {
            let message = "length is not a multiple of 8";
            return Err(UsageError::plain(1, message).after(invalid_text(text)));
        }
        Ok(if *bits == 0 { most } else { *bits as usize / 8 })
    }

    /// The first combination that makes no sense.
    fn nonsense(&self, parsed_tag: bool) -> Option<String> {
        let only = |option: &str| format!("the {option} option is meaningful only when verifying checksums");
        if self.check && self.zero {
            return Some("the --zero option is not supported when verifying checksums".to_owned());
        }
        if parsed_tag && self.binary == Some(false) {
            return Some("--tag does not support --text mode".to_owned());
        }
        if self.check && parsed_tag {
            return Some("the --tag option is meaningless when verifying checksums".to_owned());
        }
        if self.check && self.binary.is_some() {
            let text = "the --binary and --text options are meaningless when verifying checksums";
            return Some(text.to_owned());
        }
        if self.check {
            return None;
        }
        if self.ignore_missing {
            return Some(only("--ignore-missing"));
        }
        match self.talk {
            Talk::Nothing => return Some(only("--status")),
            Talk::Warn => return Some(only("--warn")),
            Talk::Quiet => return Some(only("--quiet")),
            Talk::Normal => {}
        }
        self.strict.then(|| only("--strict"))
    }
}

fn invalid_text(text: &[u8]) -> Vec<u8> {
    [b"invalid length: ".as_slice(), &quote(text)].concat()
}

fn invalid_length(text: &[u8]) -> UsageError {
    UsageError::plain(1, invalid_text(text))
}

impl Plan {
    /// Reads the command line.
    pub fn from_arguments(variant: &Variant, arguments: &[Vec<u8>]) -> Result<Plan, UsageError> {
        let parsed = variant.spec.parse(arguments)?;
        let is_cksum = variant.algorithm == Algorithm::Crc;
        let mut choices = Choices {
            algorithm: variant.algorithm,
            given: !is_cksum,
            check: false,
            tag: None,
            binary: None,
            length: None,
            zero: false,
            ignore_missing: false,
            strict: false,
            talk: Talk::Normal,
        };
        for (flag, value) in &parsed.options {
            choices.set(variant, *flag, value.as_deref().unwrap_or_default())?;
        }
        if choices.check && choices.given && choices.algorithm.is_number() {
            let message = "--check is not supported with --algorithm={bsd,sysv,crc}";
            return Err(UsageError::plain(1, message));
        }
        let length = choices.digest_length()?;
        if let Some(message) = choices.nonsense(choices.tag == Some(true)) {
            return Err(variant.spec.complain(message));
        }
        let tagged = choices.tag.unwrap_or(is_cksum);
        Ok(Plan {
            algorithm: choices.algorithm,
            given: choices.given,
            length,
            mode: match (choices.check, tagged) {
                (true, _) => Mode::Check,
                (false, true) => Mode::Tagged,
                (false, false) => Mode::Plain,
            },
            binary: choices.binary == Some(true) && choices.tag != Some(false),
            line_end: if choices.zero { 0 } else { b'\n' },
            ignore_missing: choices.ignore_missing,
            strict: choices.strict,
            talk: choices.talk,
            paths: parsed.operands,
        })
    }
}
