//! What the command line and the environment of `du` come down to.

use crate::args::quotef;
use crate::args::{
    BlockSize, COREUTILS, CountError, Opt, Parsed, Spec, UsageError, parse_count, parse_signed_count, quote,
};
use crate::kernel::{Input, Proc, Stop};
use crate::pattern::{Pattern, PatternOptions};
use crate::program::message::message;
use crate::program::walk::Links;
use crate::program::{block_unit, usage};

#[derive(Clone, Copy, PartialEq)]
pub enum Flag {
    Null,
    All,
    Apparent,
    BlockSize,
    Bytes,
    Total,
    DereferenceArguments,
    MaxDepth,
    List,
    Human,
    Inodes,
    Kibibytes,
    Dereference,
    CountLinks,
    Mebibytes,
    NoDereference,
    Separate,
    Si,
    Summarize,
    Threshold,
    Time,
    TimeStyle,
    ExcludeFrom,
    Exclude,
    OneFileSystem,
}

pub static SPEC: Spec<Flag> = Spec::new(
    "du",
    COREUTILS,
    &["[OPTION]... [FILE]...", "[OPTION]... --files0-from=F"],
    "Summarize device usage of the set of FILEs, recursively for directories.\n\nMandatory arguments to long options are mandatory for short options too.",
    &[
        Opt::flag(Flag::Null, '0', "null", "end each output line with NUL, not newline"),
        Opt::flag(Flag::All, 'a', "all", "write counts for all files, not just directories"),
        Opt::long(
            Flag::Apparent,
            "apparent-size",
            "print apparent sizes rather than device usage; although\nthe apparent size is usually smaller, it may be\nlarger due to holes in ('sparse') files, internal\nfragmentation, indirect blocks, and the like",
        ),
        Opt::required(
            Flag::BlockSize,
            'B',
            "block-size",
            "SIZE",
            "scale sizes by SIZE before printing them; e.g.,\n'-BM' prints sizes in units of 1,048,576 bytes;\nsee SIZE format below",
        ),
        Opt::flag(
            Flag::Bytes,
            'b',
            "bytes",
            "equivalent to '--apparent-size --block-size=1'",
        ),
        Opt::flag(Flag::Total, 'c', "total", "produce a grand total"),
        Opt::flag(
            Flag::DereferenceArguments,
            'D',
            "dereference-args",
            "dereference only symlinks that are listed on the\ncommand line",
        ),
        Opt::required(
            Flag::MaxDepth,
            'd',
            "max-depth",
            "N",
            "print the total for a directory (or file, with --all)\nonly if it is N or fewer levels below the command\nline argument;  --max-depth=0 is the same as\n--summarize",
        ),
        Opt::long(
            Flag::List,
            "files0-from",
            "summarize device usage of the\nNUL-terminated file names specified in file F;\nif F is -, then read names from standard input",
        )
        .takes("F"),
        Opt::short(
            Flag::DereferenceArguments,
            'H',
            "equivalent to --dereference-args (-D)",
        ),
        Opt::flag(
            Flag::Human,
            'h',
            "human-readable",
            "print sizes in human readable format (e.g., 1K 234M 2G)",
        ),
        Opt::long(
            Flag::Inodes,
            "inodes",
            "list inode usage information instead of block usage",
        ),
        Opt::short(Flag::Kibibytes, 'k', "like --block-size=1K"),
        Opt::flag(
            Flag::Dereference,
            'L',
            "dereference",
            "dereference all symbolic links",
        ),
        Opt::flag(
            Flag::CountLinks,
            'l',
            "count-links",
            "count sizes many times if hard linked",
        ),
        Opt::short(Flag::Mebibytes, 'm', "like --block-size=1M"),
        Opt::flag(
            Flag::NoDereference,
            'P',
            "no-dereference",
            "don't follow any symbolic links (this is the default)",
        ),
        Opt::flag(
            Flag::Separate,
            'S',
            "separate-dirs",
            "for directories do not include size of subdirectories",
        ),
        Opt::long(Flag::Si, "si", "like -h, but use powers of 1000 not 1024"),
        Opt::flag(
            Flag::Summarize,
            's',
            "summarize",
            "display only a total for each argument",
        ),
        Opt::required(
            Flag::Threshold,
            't',
            "threshold",
            "SIZE",
            "exclude entries smaller than SIZE if positive,\nor entries greater than SIZE if negative",
        ),
        Opt::long(
            Flag::Time,
            "time",
            "show time as WORD instead of modification time:\natime, access, use, ctime or status",
        )
        .may_take("WORD"),
        Opt::long(
            Flag::TimeStyle,
            "time-style",
            "show times using STYLE, which can be:\nfull-iso, long-iso, iso, or +FORMAT;\nFORMAT is interpreted like in 'date'",
        )
        .takes("STYLE"),
        Opt::required(
            Flag::ExcludeFrom,
            'X',
            "exclude-from",
            "FILE",
            "exclude files that match any pattern in FILE",
        ),
        Opt::long(Flag::Exclude, "exclude", "exclude files that match PATTERN").takes("PATTERN"),
        Opt::flag(
            Flag::OneFileSystem,
            'x',
            "one-file-system",
            "skip directories on different file systems",
        ),
    ],
)
.long_order(&[
    "all",
    "apparent-size",
    "block-size",
    "bytes",
    "count-links",
    "dereference",
    "dereference-args",
    "exclude",
    "exclude-from",
    "files0-from",
    "human-readable",
    "inodes",
    "si",
    "max-depth",
    "null",
    "no-dereference",
    "one-file-system",
    "separate-dirs",
    "summarize",
    "total",
    "threshold",
    "time",
    "time-style",
]);

/// Which time is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeKind {
    Modification,
    Access,
    Change,
}

const TIMES: &[(&str, TimeKind)] = &[
    ("atime", TimeKind::Access),
    ("access", TimeKind::Access),
    ("use", TimeKind::Access),
    ("ctime", TimeKind::Change),
    ("status", TimeKind::Change),
];

const STYLES: &[(&str, &[u8])] = &[
    ("full-iso", b"%Y-%m-%d %H:%M:%S.%N %z"),
    ("long-iso", b"%Y-%m-%d %H:%M"),
    ("iso", b"%Y-%m-%d"),
];

/// What is wanted.
pub struct Options {
    pub links: Links,
    pub all: bool,
    pub apparent: bool,
    pub unit: BlockSize,
    pub total: bool,
    pub max_depth: usize,
    pub list: Option<Vec<u8>>,
    pub inodes: bool,
    pub count_links: bool,
    pub separate: bool,
    pub threshold: i64,
    pub time: Option<TimeKind>,
    pub time_format: Vec<u8>,
    pub one_file_system: bool,
    pub null: bool,
    excluded: Vec<Pattern>,
}

impl Options {
    /// Reads options; also warnings.
    pub fn read(proc: &Proc, parsed: &Parsed<Flag>) -> Result<(Options, Vec<String>), UsageError> {
        let mut warnings = Vec::new();
        let mut max_depth = None;
        let mut threshold = 0;
        for (flag, value) in &parsed.options {
            let text = value.as_deref().unwrap_or_default();
            match flag {
                Flag::MaxDepth => max_depth = Some(depth(text)?),
                Flag::Threshold => {
                    threshold = size_limit(text, block_unit::spelling(proc, b"--t", "-t", "--threshold"))?;
                }
                _ => {}
            }
        }
        let max_depth = checked_depth(parsed, max_depth, &mut warnings)?;
        let inodes = parsed.has(Flag::Inodes);
        let apparent = parsed.has(Flag::Apparent) || parsed.has(Flag::Bytes);
        if inodes && apparent {
            warnings.push("warning: options --apparent-size and -b are ineffective with --inodes".to_owned());
        }
        if let (true, Some(extra)) = (parsed.has(Flag::List), parsed.operands.first()) {
            let line = message!("extra operand ", quote(extra));
            return Err(SPEC
                .complain(line)
                .with_lines(b"file operands cannot be combined with --files0-from\n"));
        }
        let last_links = [Flag::DereferenceArguments, Flag::Dereference, Flag::NoDereference];
        let options = Options {
            links: match parsed.last_of(&last_links) {
                Some(Flag::Dereference) => Links::Always,
                Some(Flag::DereferenceArguments) => Links::Operands,
                _ => Links::Never,
            },
            all: parsed.has(Flag::All),
            apparent,
            unit: unit(proc, parsed)?,
            total: parsed.has(Flag::Total),
            max_depth,
            list: parsed.last(Flag::List).map(<[u8]>::to_vec),
            inodes,
            count_links: parsed.has(Flag::CountLinks),
            separate: parsed.has(Flag::Separate),
            threshold,
            time: time_kind(parsed)?,
            time_format: time_format(proc, parsed)?,
            one_file_system: parsed.has(Flag::OneFileSystem),
            null: parsed.has(Flag::Null),
            excluded: Vec::new(),
        };
        Ok((options, warnings))
    }

    /// Reads `--exclude` and the files of `-X`.
    pub async fn read_excluded(&mut self, proc: &mut Proc, parsed: &Parsed<Flag>) -> Result<(), Stop> {
        for (flag, value) in &parsed.options {
            let text = value.as_deref().unwrap_or_default();
            match flag {
                Flag::Exclude => self.exclude(text),
                Flag::ExcludeFrom => {
                    let file = match proc.open_operand(text).await {
                        Ok(file) => file,
                        Err(errno) => {
                            let line = message!(quotef(text), ": ", errno.message());
                            return Err(usage::refuse(proc, &SPEC.complain(line)).await);
                        }
                    };
                    let mut lease = proc.kernel.lease();
                    let patterns = Input::new(file).rest(&mut lease).await.unwrap_or_default();
                    for line in patterns.split(|byte| *byte == b'\n') {
                        if !line.is_empty() {
                            self.exclude(line);
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn exclude(&mut self, pattern: &[u8]) {
        self.excluded
            .push(Pattern::compile(pattern, PatternOptions::default()));
    }

    /// Whether a pattern matches the path, or what is behind one of its slashes.
    pub fn is_excluded(&self, path: &[u8]) -> bool {
        if self.excluded.is_empty() {
            return false;
        }
        let mut rest = path;
        loop {
            if self.excluded.iter().any(|pattern| pattern.matches(rest)) {
                return true;
            }
            match rest.iter().position(|byte| *byte == b'/') {
                Some(slash) => rest = rest.get(slash + 1..).unwrap_or_default(),
                None => return false,
            }
        }
    }

    pub fn follows_all(&self) -> bool {
        self.links == Links::Always
    }

    /// Inodes are counted one by one, unless for people.
    pub fn inode_unit(&self) -> BlockSize {
        match self.unit {
            BlockSize::Human(base) => BlockSize::Human(base),
            _ => BlockSize::Bytes(1),
        }
    }
}

/// How deep it goes; `-s` goes well with no other depth than none.
fn checked_depth(
    parsed: &Parsed<Flag>,
    max_depth: Option<usize>,
    warnings: &mut Vec<String>,
) -> Result<usize, UsageError> {
    if !parsed.has(Flag::Summarize) {
        return Ok(max_depth.unwrap_or(usize::MAX));
    }
    if parsed.has(Flag::All) {
        return Err(SPEC.complain("cannot both summarize and show all entries"));
    }
    match max_depth {
        Some(0) => warnings.push("warning: summarizing is the same as using --max-depth=0".to_owned()),
        Some(depth) => {
            let line = format!("warning: summarizing conflicts with --max-depth={depth}");
            return Err(SPEC.complain(line));
        }
        None => {}
    }
    Ok(0)
}

fn depth(text: &[u8]) -> Result<usize, UsageError> {
    parse_count(text, "")
        .ok()
        .and_then(|depth| usize::try_from(depth).ok())
        .ok_or_else(|| SPEC.complain(message!("invalid maximum depth ", quote(text))))
}

fn size_limit(text: &[u8], option: &str) -> Result<i64, UsageError> {
    let plain = |line: Vec<u8>| Err(UsageError::plain(1, line));
    match parse_signed_count(text, "kKmMGTPEZY0") {
        Ok(0) if text.starts_with(b"-") => plain(message!("invalid --threshold argument '-0'")),
        Ok(size) => Ok(size),
        Err(CountError::Overflow) => plain(message!(option, " argument '", text, "' too large")),
        Err(CountError::Invalid) => {
            let has_number = text.iter().any(u8::is_ascii_digit);
            let what = if has_number {
                "invalid suffix in "
            } else {
                "invalid "
            };
            plain(message!(what, option, " argument '", text, "'"))
        }
    }
}

/// The last option for the unit, else the environment.
fn unit(proc: &Proc, parsed: &Parsed<Flag>) -> Result<BlockSize, UsageError> {
    let mut unit = None;
    for (flag, value) in &parsed.options {
        let text = value.as_deref().unwrap_or_default();
        unit = Some(match flag {
            Flag::BlockSize => {
                let option = block_unit::spelling(proc, b"--b", "-B", "--block-size");
                block_unit::parse(text, option, 1)?
            }
            Flag::Bytes => BlockSize::Bytes(1),
            Flag::Human => BlockSize::Human(1024),
            Flag::Si => BlockSize::Human(1000),
            Flag::Kibibytes => BlockSize::Bytes(1024),
            Flag::Mebibytes => BlockSize::Bytes(1 << 20),
            _ => continue,
        });
    }
    Ok(unit.unwrap_or_else(|| block_unit::of_environment(proc, b"DU_BLOCK_SIZE")))
}

fn time_kind(parsed: &Parsed<Flag>) -> Result<Option<TimeKind>, UsageError> {
    let mut kind = None;
    for (_, value) in parsed.options.iter().filter(|(flag, _)| *flag == Flag::Time) {
        kind = Some(match value {
            None => TimeKind::Modification,
            Some(word) => SPEC.choose("--time", word, TIMES)?,
        });
    }
    Ok(kind)
}

fn time_format(proc: &Proc, parsed: &Parsed<Flag>) -> Result<Vec<u8>, UsageError> {
    let style = match parsed.last(Flag::TimeStyle) {
        Some(style) => style,
        None => match proc.variable(b"TIME_STYLE") {
            None | Some(b"locale") => b"long-iso",
            Some(style) => {
                let style = style.split(|byte| *byte == b'\n').next().unwrap_or_default();
                style.strip_prefix(b"posix-").unwrap_or(style)
            }
        },
    };
    match style.strip_prefix(b"+") {
        Some(format) => Ok(format.to_vec()),
        None if parsed.has(Flag::Time) => Ok(SPEC.choose("time style", style, STYLES)?.to_vec()),
        None => Ok(Vec::new()),
    }
}
